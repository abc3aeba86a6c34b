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

    coding: what stands in `outcome` instead of the words, for example {"first": 1, "tie": 0, "second": 2}.
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

    coding: what stands in `winner` instead of the words.
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

    A row is one respondent, whose comparisons go together.  Who that is stands in `judge` or `person`, wherever the
    column is (columns={"person": "id"} where it has another name); else `person` is the number of the row, unless a
    `weight` other than 1 says that a row is several respondents.

    pair_order: required.  prefmod's own functions read columns as 12 13 23 14 24 34 ...; Dras (2015) fed them
    12 13 14 23 24 34, which moved two pairs.  Stated pairs may be fewer than all, and ("B", "A") is a column
    whose first item is B.  coding: required: what the codes mean.  Never read off the values observed.
    pairs: the columns that hold responses, in the order of `pair_order`; default: the first ones.
    pair_names: column names that are pairs themselves (`A:B`, `AB`, `1:2`, `comp12`, ...) must agree with
    `pair_order`, unless "ignore" says that they mean something else.
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

    source: a file has the item names in its header and in its first column, a frame in its index or first
    column; an array has none, and `items` names its rows and columns.  winner: required: whether cell [A, B]
    counts wins of A over B or of B over A.  ties: symmetric; cell [A, B] counts the ties of A and B.  Its
    presence is the tie category.
    """
    return read(**locals(), layout="matrix")
