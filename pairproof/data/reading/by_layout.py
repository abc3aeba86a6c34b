"""One function a layout, for those who know what they have; each is :func:`read` with the layout stated.

Parameters that are not explained here mean what they mean in :func:`read`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..comparisons import Comparisons
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
) -> Comparisons:
    """One answer a row: `first`, `second`, and `outcome`, which is 'first', 'second' or 'tie'.

    Parameters
    ----------
    coding : mapping or str, optional
        What stands in `outcome` instead of the words, for example {"first": 1, "tie": 0, "second": 2}.
    """
    return read(
        source,
        layout="long",
        coding=coding,
        items=items,
        levels=levels,
        columns=columns,
        tie_category=tie_category,
        item_data=item_data,
        rename=rename,
        encoding=encoding,
    )


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
) -> Comparisons:
    """`first`, `second`, `wins`, `losses` from first's side, and `ties` if the instrument had a tie
    category.
    """
    return read(
        source,
        layout="counts",
        items=items,
        levels=levels,
        columns=columns,
        tie_category=tie_category,
        item_data=item_data,
        rename=rename,
        encoding=encoding,
    )


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
) -> Comparisons:
    """Chat-arena exports: `model_a`, `model_b`, and `winner`: 'model_a', 'model_b', 'tie' or 'tie
    (bothbad)'.
    """
    return read(
        source,
        layout="votes",
        coding=coding,
        items=items,
        levels=levels,
        columns=columns,
        tie_category=tie_category,
        item_data=item_data,
        rename=rename,
        encoding=encoding,
    )


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
) -> Comparisons:
    """`system1`, `rank1`, `system2`, `rank2`, ..., or WMT's own columns; every pair of ranked systems of a
    row.  Or `system` and `rank` with a row for each system, and `ranking`, or source and judge, to say which
    rows are one ranking.

    Smaller is better, equal is a tie, -1 or blank is "not ranked"; a row that ranks fewer than two systems
    says nothing and gives no comparison.  Of WMT's columns `judgeId` becomes `judge`, `srcIndex` becomes
    `source`, the languages and segments become covariates.
    """
    return read(
        source,
        layout="rankings",
        items=items,
        levels=levels,
        columns=columns,
        tie_category=tie_category,
        item_data=item_data,
        rename=rename,
        encoding=encoding,
    )


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
) -> Comparisons:
    """prefmod's layout: one column a pair, one row a respondent.

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

    Raises
    ------
    PairOrderError, CodingError, ItemError
        One of the required arguments is not stated or does not fit the table.

    Notes
    -----
    A row is one respondent.  `judge` is read if it is there and not made up if it is not.
    """
    return read(
        source,
        layout="prefmod",
        items=items,
        pair_order=pair_order,
        coding=coding,
        pairs=pairs,
        pair_names=pair_names,
        levels=levels,
        columns=columns,
        tie_category=tie_category,
        item_data=item_data,
        encoding=encoding,
    )


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
) -> Comparisons:
    """A square table: a row and a column an item, matched by label.

    Parameters
    ----------
    source : path, DataFrame or 2-D array
        A file has the item names in its header and in its first column, a frame in its index or first column;
        an array has none, and `items` names its rows and columns.
    winner : {"rows", "columns"}
        Required: whether cell [A, B] counts wins of A over B or of B over A.
    ties : path, DataFrame or array, optional
        Symmetric; cell [A, B] counts the ties of A and B.  Its presence is the tie category.

    Raises
    ------
    InputError, ItemError
        `winner` not stated, not square, labels absent or different, a diagonal that is neither 0 nor blank.
    """
    return read(
        source,
        layout="matrix",
        winner=winner,
        ties=ties,
        items=items,
        levels=levels,
        tie_category=tie_category,
        item_data=item_data,
        rename=rename,
        encoding=encoding,
    )
