"""A function for each layout of a table; each calls :func:`read` with its layout.

Each takes the parameters of :func:`read` that apply to its layout, and passes them on by name (`locals()`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..comparisons import Comparisons
from ..where import Conditions
from .coding import CodingLike
from .matrix import Winner
from .read import read
from .wide import PairNames, PairOrderLike

Names = Mapping[str, str]
Levels = Mapping[str, Sequence[Any]]


def from_long(
    source: Any,
    *,
    coding: CodingLike | None = None,
    items: Sequence[str] | None = None,
    levels: Levels | None = None,
    columns: Names | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Names | None = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read a table with one answer a row: `first`, `second`, `outcome` ('first', 'second' or 'tie').

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Parameters
    ----------
    coding : mapping or str, optional
        What stands in `outcome` instead of the words, for example {"first": 1, "tie": 0, "second": 2}.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        As :func:`read`, of which CodingError is one for answers that are not among the codes.

    Examples
    --------
    >>> from pairproof.data.reading import from_long
    >>> print(from_long({"first": ["A", "B", "A"], "second": ["B", "A", "B"],
    ...                  "outcome": ["first", "tie", "first"]}))
    3 comparisons of 2 items (1 of them ties), from table
      A beat B 2, lost 0, tied 1
    """
    return read(**locals(), layout="long")


def from_counts(
    source: Any,
    *,
    items: Sequence[str] | None = None,
    levels: Levels | None = None,
    columns: Names | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Names | None = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read counts: `first`, `second`, `wins`, `losses` from first's side, `ties` if a tie could be answered.

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        As :func:`read`, of which the error names the first cell that is no count.

    Examples
    --------
    >>> from pairproof.data.reading import from_counts
    >>> print(from_counts({"first": ["A"], "second": ["B"], "wins": [145], "ties": [8], "losses": [7]}))
    160 comparisons of 2 items (8 of them ties), from table
      A beat B 145, lost 7, tied 8
    """
    return read(**locals(), layout="counts")


def from_votes(
    source: Any,
    *,
    coding: CodingLike | None = None,
    items: Sequence[str] | None = None,
    levels: Levels | None = None,
    columns: Names | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Names | None = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read a chat arena's export: `model_a`, `model_b`, `winner`.

    `winner` is 'model_a', 'model_b', 'tie' or 'tie (bothbad)'.

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Parameters
    ----------
    coding : mapping or str, optional
        What stands in `winner` instead of the words.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        As :func:`read`, of which CodingError is one for answers that are not among the codes.

    Examples
    --------
    >>> from pairproof.data.reading import from_votes
    >>> print(from_votes({"model_a": ["x", "y"], "model_b": ["y", "x"],
    ...                   "winner": ["model_a", "tie (bothbad)"]}))
    2 comparisons of 2 items (1 of them ties), from table
      x beat y 1, lost 0, tied 1
    """
    return read(**locals(), layout="votes")


def from_rankings(
    source: Any,
    *,
    items: Sequence[str] | None = None,
    levels: Levels | None = None,
    columns: Names | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Names | None = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read rankings as comparisons of every pair of ranked systems.

    A row is a ranking: `system1`, `rank1`, `system2`, `rank2`, ..., or WMT's own columns.  Or a row is a
    system, with `system`, `rank`, and `ranking`, or source and judge, to say which rows are one ranking.

    Smaller is better, equal is a tie, -1 or blank is "not ranked"; a row that ranks fewer than two systems
    says nothing and gives no comparison.  Of WMT's columns `judgeId` becomes `judge`, `srcIndex` becomes
    `source`, the languages and segments become covariates.

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        As :func:`read`, of which the error names the row that is no ranking.

    Examples
    --------
    >>> from pairproof.data.reading import from_rankings
    >>> print(from_rankings({"system1": ["A"], "rank1": [1], "system2": ["B"], "rank2": [2],
    ...                      "system3": ["C"], "rank3": [2]}))
    3 comparisons of 3 items (1 of them ties, pairs of rankings of up to 3), from table
      A beat B 1, lost 0, tied 0
      A beat C 1, lost 0, tied 0
      B beat C 0, lost 0, tied 1
    """
    return read(**locals(), layout="rankings")


def from_wide(
    source: Any,
    *,
    items: Sequence[str] | None = None,
    pair_order: PairOrderLike | None = None,
    coding: CodingLike | None = None,
    pairs: Sequence[str] | None = None,
    pair_names: PairNames | None = None,
    levels: Levels | None = None,
    columns: Names | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read the layout of R's package prefmod: one column a pair, one row a respondent.

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Parameters
    ----------
    items : sequence of str
        Required: the items in the order from which the pairs are built.
    pair_order : {"prefmod", "lexicographic"}, "AB,AC,..." or a list of pairs
        Required.  prefmod's own functions read columns as 12 13 23 14 24 34 ...; Dras (2015) fed them
        12 13 14 23 24 34, which moved two pairs.  Stated pairs may be fewer than all, and ("B", "A") is a
        column whose first item is B.
    coding : mapping or str
        Required: what the codes mean.  Never read off the values observed.
    pairs : sequence of str, optional
        The columns that hold responses, in the order of `pair_order`; default: the first ones.
    pair_names : {"check", "ignore"}, optional
        Column names that are pairs themselves (`A:B`, `AB`, `1:2`, `comp12`, ...) must agree with
        `pair_order`, unless "ignore" says that they mean something else.

    Returns
    -------
    Comparisons

    Raises
    ------
    PairOrderError, CodingError, ItemError
        One of the required arguments is not stated or does not fit the table.

    Notes
    -----
    A row is one respondent, whose comparisons go together.  Who that is stands in `judge` or `person`, wherever the
    column is (columns={"person": "id"} where it has another name); else `person` is the number of the row, unless a
    `weight` other than 1 says that a row is several respondents.

    Examples
    --------
    >>> from pairproof.data.reading import from_wide
    >>> print(from_wide({"AB": [0, 2], "AC": [0, 1], "BC": [2, 0]}, items=["A", "B", "C"],
    ...                 pair_order="prefmod", coding="first=0,tie=1,second=2"))
    6 comparisons of 3 items (1 of them ties), from table
      A beat B 1, lost 1, tied 0
      A beat C 1, lost 0, tied 1
      B beat C 1, lost 1, tied 0
    """
    return read(**locals(), layout="prefmod")


def from_matrix(
    source: Any,
    *,
    winner: Winner | None = None,
    ties: Any = None,
    items: Sequence[str] | None = None,
    levels: Levels | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Names | None = None,
    encoding: str | None = None,
    where: Conditions = None,
) -> Comparisons:
    """Read a square table of wins: a row and a column an item, matched by label.

    Other parameters are those of :func:`pairproof.data.reading.read.read`.

    Parameters
    ----------
    source : path, DataFrame or 2-D array
        A file has the item names in its header and in its first column, a frame in its index or first column;
        an array has none, and `items` names its rows and columns.
    winner : {"rows", "columns"}
        Required: whether cell [A, B] counts wins of A over B or of B over A.
    ties : path, DataFrame or array, optional
        Symmetric; cell [A, B] counts the ties of A and B.  Its presence is the tie category.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError, ItemError
        `winner` not stated, not square, labels absent or different, a diagonal that is neither 0 nor blank.

    Examples
    --------
    >>> from pairproof.data.reading import from_matrix
    >>> print(from_matrix([[0, 5], [2, 0]], winner="rows", items=["A", "B"]))
    7 comparisons of 2 items (no tie category), from matrix of wins
      A beat B 5, lost 2
    """
    return read(**locals(), layout="matrix")
