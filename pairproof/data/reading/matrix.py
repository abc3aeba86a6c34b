"""Square tables of wins: a row and a column an item, each labelled.

Whether a cell counts wins of its row or of its column is stated; labels decide what belongs together, never
positions, so the rows may come in another order than the columns.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...errors import InputError, ItemError
from ...text import listed, named, quoted
from ..columns import Factor, FloatArray
from ..comparisons import Comparisons
from ..options import one_of
from .assemble import Options, check_levels, encode, item_covariates
from .cells import BoolArray, check_range, numbers, text_of
from .sources import Table, from_frame, load, repeated

Winner = Literal["rows", "columns"]


@dataclass(frozen=True)
class Square:
    """A checked square table of counts with labels.  cells float[n, n]."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: FloatArray
    source: str


def read_matrix(source: Any, options: Options, winner: Winner | None, ties: Any = None) -> Comparisons:
    """Comparisons of a square table; arguments as in :func:`pairproof.data.reading.from_matrix`."""
    if winner is None:
        raise InputError(
            "a matrix of wins needs winner='rows' (cell [A, B] counts wins of A over B) or winner='columns' "
            "(wins of B over A); nothing in the table tells which"
        )
    one_of("winner", winner, ("rows", "columns"))
    square = _square(source, options, "matrix of wins")
    items, cells = _in_item_order(square, options)
    won = cells if winner == "rows" else cells.T
    tied = np.zeros_like(won)
    if ties is not None:
        tied = _ties(_square(ties, options, "matrix of ties"), options, items)
    tie_category = options.tie_category if options.tie_category is not None else ties is not None
    if tied.any() and not tie_category:
        raise InputError(
            f"{square.source}: tie_category=False, but the matrix of ties counts {tied.sum() / 2:g}; leave"
            " tie_category out and say in the fit what becomes of ties (ties='drop', 'half', ...)"
        )
    i, j = np.triu_indices(len(items), 1)
    met = won[i, j] + won[j, i] + tied[i, j] > 0
    i, j = i[met], j[met]
    if not len(i):
        raise InputError(f"{square.source}: all counts are 0; at least one comparison is needed")
    of_items = item_covariates(options, items)
    check_levels(options, list(of_items), square.source)
    counts = (won[i, j], tied[i, j] if tie_category else None, won[j, i])
    return Comparisons.build(items, i, j, *counts, item_data=of_items, source=square.source)


def _ties(square: Square, options: Options, items: tuple[str, ...]) -> FloatArray:
    found, cells = _in_item_order(square, options)
    if found != items:
        raise ItemError(f"{square.source}: items {named(found)}; the matrix of wins has {named(items)}")
    odd = np.argwhere(cells != cells.T)
    if len(odd):
        a, b = (items[k] for k in odd[0])
        raise InputError(
            f"{square.source}: {cells[tuple(odd[0])]:g} ties of {quoted(a)} with {quoted(b)}, but"
            f" {cells[tuple(odd[0][::-1])]:g} of {quoted(b)} with {quoted(a)}; a tie belongs to both, so the"
            " matrix must be symmetric"
        )
    return cells


def _in_item_order(square: Square, options: Options) -> tuple[tuple[str, ...], FloatArray]:
    n = len(square.rows)
    found = {"rows": Factor(np.arange(n), square.rows), "columns": Factor(np.arange(n), square.columns)}
    items, (row_at, column_at) = encode(found, square.source, options)
    if len(set(row_at.tolist())) < n:
        raise ItemError(
            f"{square.source}: rename makes two of the items one; add up their rows and columns first"
        )
    cells = np.zeros((len(items), len(items)))
    cells[np.ix_(row_at, column_at)] = square.cells
    return items, cells


def _square(source: Any, options: Options, what: str) -> Square:
    if isinstance(source, (np.ndarray, list, tuple)):
        return _of_array(source, options, what)
    if isinstance(source, pd.DataFrame):
        return _of_frame(source, options, what)
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(
            f"cannot read a {what} from {type(source).__name__}; pass a path, a DataFrame or a 2-D array"
        )
    table = load(source, options.encoding, nameless=True)
    first, *columns = table.columns
    return _checked(_row_labels(table, first), columns, table, columns, what)


def _of_array(source: Any, options: Options, what: str) -> Square:
    array = np.asarray(source)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(
            f"{what}: shape {array.shape}; expected a square of counts, a row and a column an item"
        )
    if options.names is None or len(options.names) != len(array):
        given = "no items are stated" if options.names is None else f"{len(options.names)} items are stated"
        raise ItemError(
            f"{what}: an array of shape {array.shape} carries no labels, and {given}; pass items=[...]"
        )
    names = list(options.names)
    return _checked(names, names, from_frame(pd.DataFrame(array, columns=names), what), names, what)


def _of_frame(frame: pd.DataFrame, options: Options, what: str) -> Square:
    unlabelled = isinstance(frame.index, pd.RangeIndex)
    if unlabelled and isinstance(frame.columns, pd.RangeIndex):
        return _of_array(frame.to_numpy(), options, what)
    if isinstance(frame.index, pd.MultiIndex):
        raise InputError(f"{what}: row labels have several levels; give each row one label")
    table = from_frame(frame, what, nameless=True)
    names = list(table.columns)
    if unlabelled:
        if len(names) != len(frame) + 1:
            raise ItemError(
                f"{what}: {len(frame)} rows without labels and {len(names)} columns ({named(names)}); label"
                " the rows (frame.index = [...], or a first column that holds the labels)"
            )
        return _checked(_row_labels(table, names[0]), names[1:], table, names[1:], what)
    return _checked([text_of(label) for label in frame.index], names, table, names, what)


def _row_labels(table: Table, column: str) -> list[str]:
    return ["" if pd.isna(label) else text_of(label) for label in table.columns[column]]


def _checked(rows: list[str], columns: list[str], table: Table, names: Sequence[str], what: str) -> Square:
    """A Square whose labels match and whose cells are counts."""
    if not rows or not columns:
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(columns)} columns of counts; expected a square"
            f" {what} with two items or more"
        )
    if len(rows) != len(columns):
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(columns)} columns beside the row labels; expected a"
            f" square {what} with a header line of item names and the row's item in the first column"
        )
    for labels, which in ((rows, "row"), (columns, "column")):
        twice = repeated(labels)
        if twice or "" in labels:
            trouble = f"a {which} has no label"
            if twice:
                trouble = f"more than one {which} is labelled {listed(twice)}"
            raise ItemError(f"{table.source}: {trouble}; label each {which} with its item")
    if set(rows) != set(columns):
        only = {"rows": sorted(set(rows) - set(columns)), "columns": sorted(set(columns) - set(rows))}
        parts = [f"{listed(labels)} only in the {which}" for which, labels in only.items() if labels]
        raise ItemError(
            f"{table.source}: row and column labels differ: {'; '.join(parts)}; expected the same items in"
            " both"
        )
    cells = np.stack([_column(table, name, label, rows) for name, label in zip(names, columns)], axis=1)
    return Square(tuple(rows), tuple(columns), cells, table.source)


def _column(table: Table, name: str, label: str, rows: list[str]) -> FloatArray:
    """One column's counts, 0 on the diagonal, which may be blank or 0 but nothing else."""
    values, wrong = numbers(table, name)
    own = np.array([row == label for row in rows])
    blank = np.isnan(values) & ~wrong
    bad_own = own & ~blank & (values != 0)
    table.check(
        bad_own,
        name,
        f"{quoted(label)} against itself is {{cell}}",
        "the diagonal must be 0 or blank; if it holds something else, blank it first",
    )

    def found(odd: BoolArray) -> str:
        return f"the cell of row {quoted(rows[int(np.flatnonzero(odd)[0])])} is {table.shown(name, odd)}"

    bad = ~own & (wrong | ~np.isfinite(values) | (values < 0))
    cure = "expected a finite count >= 0; write 0 where a pair was not compared"
    table.check(bad, name, lambda: found(bad), cure)
    counts = np.where(own, 0.0, values)
    check_range(table, name, counts, found)
    return counts
