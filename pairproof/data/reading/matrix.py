"""Square tables of wins: a row and a column an item, each labelled.

Whether a cell counts wins of its row or of its column is stated; labels decide what belongs together, never
positions, so the rows may come in another order than the columns.

A cell may hold both counts, `14-7` or `14:7`, or with ties three, whose order is stated (`record`); then one triangle is
enough, and where both are there they must agree.  A dash or dot on the diagonal is a blank.  A row or column that is no
item's is left out, and told, if it is the sum of the others; if it is not, the table is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ...errors import InputError, ItemError
from ...text import listed, named, quoted
from ..columns import Factor, FloatArray
from ..comparisons import Comparisons
from ..options import one_of
from .assemble import Options, check_levels, encode, item_covariates
from .cells import BoolArray, check_range, labels, numbers, text_of
from .nested import Lists, parts_of
from .sources import Table, from_frame, load, repeated
from .text_tables import BLANKS

Winner = Literal["rows", "columns"]
#: What the three numbers of a cell are.
Record = Literal["wins-ties-losses", "wins-losses-ties"]
_COUNT = r"\s*([0-9]+(?:\.[0-9]+)?)\s*"
_SIGN = "[-:/\u2010-\u2015\u2212]"
_CELL = re.compile(f"{_COUNT}{_SIGN}{_COUNT}(?:{_SIGN}{_COUNT})?")
#: Rows and columns that may be sums beside the items', and words by which one may be called that has both.
_MOST_SUMS, _SUM_WORDS = 4, frozenset("total totals sum all \u03a3".split())


@dataclass(frozen=True)
class Square:
    """A checked square table of counts with labels.  cells float[n, n].  ties: as many, where cells hold them.
    told: how it was read, in sentences.  own: what stood on the diagonal."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: FloatArray
    source: str
    ties: FloatArray | None = None
    told: tuple[str, ...] = ()
    own: float = 0.0


def is_square(table: Table) -> bool:
    """Whether the rows, by their first column, and the other columns are the same items, but for sums and a triangle's ends."""
    first, *others = table.columns
    if not 2 <= len(others) >= table.n_rows - _MOST_SUMS or isinstance(table.columns.get(first), Lists):
        return False
    rows, columns = set(_row_labels(table, first)), set(others)
    both = rows & columns
    if not both or max(len(rows - both), len(columns - both)) > _MOST_SUMS or len(both) * 2 < len(rows):
        return False
    # of three items a triangle has but one in its rows and its columns
    cells = (text for name in others for text in labels(table, name).levels)
    return len(both) > 1 or any(map(_CELL.fullmatch, cells))


def read_matrix(
    source: Any, options: Options, winner: Winner | None, ties: Any = None, record: Record | None = None
) -> Comparisons:
    """Comparisons of a square table; arguments as in :func:`pairproof.data.reading.from_matrix`."""
    if winner is None:
        where = f"{source.source}: rows and columns are the same items; " if isinstance(source, Table) else ""
        raise InputError(
            f"{where}a matrix of wins needs winner='rows' (cell [A, B] counts wins of A over B) or winner='columns' "
            "(wins of B over A); nothing in the table tells which"
        )
    one_of("winner", winner, ("rows", "columns"))
    if record is not None:
        one_of("record", record, get_args(Record))
    square = _square(source, options, "matrix of wins", record)
    items, cells = _in_item_order(square, options)
    won = cells if winner == "rows" else cells.T
    tied = np.zeros_like(won)
    if square.ties is not None:
        if ties is not None:
            raise InputError(
                f"{square.source}: its cells hold ties, and a matrix of ties is given as well; leave out ties="
            )
        _, tied = _in_item_order(replace(square, cells=square.ties), options)
    elif ties is not None:
        tied = _ties(_square(ties, options, "matrix of ties"), options, items)
    has_ties = ties is not None or square.ties is not None
    tie_category = options.tie_category if options.tie_category is not None else has_ties
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
    won_lost = f"{items[i[0]]} beat {items[j[0]]} {won[i[0], j[0]]:g}, lost {won[j[0], i[0]]:g}"
    told = f"read as a matrix of wins of its {winner}: {won_lost}"
    dropped = {"compared with itself": int(square.own)} if square.own else {}
    sentences = (*square.told, told) if square.told else ()
    return Comparisons.build(
        items, i, j, *counts, item_data=of_items, source=square.source, dropped=dropped, read_as=sentences
    )


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


def _square(source: Any, options: Options, what: str, record: Record | None = None) -> Square:
    if isinstance(source, (np.ndarray, list, tuple)):
        return _of_array(source, options, what, record)
    if isinstance(source, pd.DataFrame):
        return _of_frame(source, options, what, record)
    if not isinstance(source, (str, os.PathLike, Table)):
        raise InputError(
            f"cannot read a {what} from {type(source).__name__}; pass a path, a DataFrame or a 2-D array"
        )
    table = source if isinstance(source, Table) else load(source, options.encoding, nameless=True)
    first, *columns = table.columns
    return _checked(_row_labels(table, first), columns, table, columns, what, options, record)


def _of_array(source: Any, options: Options, what: str, record: Record | None) -> Square:
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
    return _checked(
        names, names, from_frame(pd.DataFrame(array, columns=names), what), names, what, options, record
    )


def _of_frame(frame: pd.DataFrame, options: Options, what: str, record: Record | None) -> Square:
    unlabelled = isinstance(frame.index, pd.RangeIndex)
    if unlabelled and isinstance(frame.columns, pd.RangeIndex):
        return _of_array(frame.to_numpy(), options, what, record)
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
        return _checked(_row_labels(table, names[0]), names[1:], table, names[1:], what, options, record)
    return _checked([text_of(label) for label in frame.index], names, table, names, what, options, record)


def _row_labels(table: Table, column: str) -> list[str]:
    return ["" if pd.isna(label) else text_of(label) for label in table.columns[column]]


def _checked(
    rows: list[str],
    columns: list[str],
    table: Table,
    names: Sequence[str],
    what: str,
    options: Options,
    record: Record | None,
) -> Square:
    """A Square whose labels match and whose cells are counts.  names: of the table's columns that `columns` labels."""
    if not rows or not columns:
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(columns)} columns of counts; expected a square"
            f" {what} with two items or more"
        )
    for own, which in ((rows, "row"), (columns, "column")):
        twice = repeated(own)
        if twice or "" in own:
            trouble = f"a {which} has no label"
            if twice:
                trouble = f"more than one {which} is labelled {listed(twice)}"
            raise ItemError(f"{table.source}: {trouble}; label each {which} with its item")
    texts = _texts(table, names, rows, columns)
    if texts is not None and (of_pairs := _of_pairs(table, texts, rows, columns, names, record)) is not None:
        return of_pairs
    if record is not None:
        raise InputError(
            f"{table.source}: record={record!r} is for cells of three numbers, as 14-2-7; here each has one"
        )
    if texts is not None:
        cleaned = {name: pd.Series(texts[:, k], dtype=object) for k, name in enumerate(names)}
        table = replace(table, columns={**parts_of(table.columns), **cleaned}, coded={})
    table, rows, columns, names, told, wrong = _without_sums(table, rows, columns, names)
    if len(rows) != len(columns):
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(columns)} columns beside the row labels; expected a"
            f" square {what} with a header line of item names and the row's item in the first column"
            f"{''.join(f'; {words}' for words in wrong)}"
        )
    if set(rows) != set(columns):
        only = {"rows": sorted(set(rows) - set(columns)), "columns": sorted(set(columns) - set(rows))}
        parts = [f"{listed(labels)} only in the {which}" for which, labels in only.items() if labels]
        raise ItemError(
            f"{table.source}: row and column labels differ: {'; '.join(parts)}; expected the same items in"
            f" both{''.join(f'; {words}' for words in wrong)}"
        )
    if wrong:
        raise InputError(
            f"{table.source}: {'; '.join(wrong)}; correct it, or if that is an item call it something else"
        )
    found = np.stack(
        [_column(table, name, label, rows, options) for name, label in zip(names, columns)], axis=1
    )
    own = np.array(rows)[:, None] == np.array(columns)[None, :]
    cells = np.where(own, 0.0, found)
    return Square(
        tuple(rows), tuple(columns), cells, table.source, None, (*table.told, *told), float(found[own].sum())
    )


def _texts(table: Table, names: Sequence[str], rows: list[str], columns: list[str]) -> Any:
    """The cells as texts, blank where the diagonal has a mark, if there are cells of two numbers or marks; else None."""
    if all(pd.api.types.is_numeric_dtype(table.dtype(name)) for name in names):
        return None
    odd = {text.strip() for name in names for text in labels(table, name).levels}
    if not any(text in BLANKS or _CELL.fullmatch(text) for text in odd):
        return None
    texts = np.array(
        [["" if pd.isna(v) else text_of(v).strip() for v in table.columns[name]] for name in names], object
    ).T
    own = np.array(rows)[:, None] == np.array(columns)[None, :]
    return np.where(own & np.isin(texts, list(BLANKS)), "", texts)


def _of_pairs(
    table: Table, texts: Any, rows: list[str], columns: list[str], names: Sequence[str], record: Record | None
) -> Square | None:
    """A table whose cells are wins and losses of the row; None if its cells are none."""
    found = {at: m for at, text in np.ndenumerate(texts) if (m := _CELL.fullmatch(text))}
    labels_of_items = {label for r, c in found for label in (rows[r], columns[c])}
    if not any(rows[r] != columns[c] for r, c in found):
        return None
    three = {m[3] is not None for m in found.values()}
    (r, c), example = next(iter(found.items()))
    if len(three) > 1 or (three == {False} and record is not None):
        two = next((at for at, m in found.items() if m[3] is None), (r, c))
        raise InputError(
            f"{table.where(two[0], names[two[1]])}: the cell {texts[two]!r} has two numbers; expected three, as"
            f" {record or 'other cells have'}"
        )
    if three == {True} and record is None:
        raise InputError(
            f"{table.where(r, names[c])}: the cell {texts[r, c]!r} has three numbers; say which are the ties:"
            f" record='wins-ties-losses' ({example[2]} ties) or record='wins-losses-ties' ({example[3]} ties)"
        )
    items = [label for label in dict.fromkeys((*rows, *columns)) if label in labels_of_items]
    place, n = {label: k for k, label in enumerate(items)}, len(items)
    won, tied, known = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), bool)
    for (r, c), cell in found.items():
        i, j = place[rows[r]], place[columns[c]]
        a, b, t = (float(cell[k] or 0) for k in ((1, 3, 2) if record == "wins-ties-losses" else (1, 2, 3)))
        at = table.where(r, names[c])
        if i == j:
            raise InputError(
                f"{at}: {quoted(rows[r])} against itself is {texts[r, c]!r}; the diagonal must be blank or a dash"
            )
        if known[i, j] and (won[i, j], won[j, i], tied[i, j]) != (a, b, t):
            raise InputError(
                f"{at}: {rows[r]} against {columns[c]} is {texts[r, c]!r}, but the cell of {columns[c]} against {rows[r]} says"
                f" {won[j, i]:g} to {won[i, j]:g}; correct the one or the other. If the cells are scores of matches, with rows at"
                " home, write a row a match: home, away, score"
            )
        won[i, j], won[j, i], tied[i, j], tied[j, i] = a, b, t, t
        known[i, j] = known[j, i] = True
    told = [f"cells hold {record or 'wins and losses'}, as {example[0].strip()}"]
    for label in [label for label in items if label not in rows or label not in columns or _is_sum(label)]:
        k, others = place[label], np.array([other != label for other in items])
        met = others & known[:, k]
        inside = won[np.ix_(others, others)]
        off = (won[others, k] != inside.sum(1)) | (won[k, others] != inside.sum(0))
        if len(items) > 2 and not off[met[others]].any():
            told.append(f"{quoted(label)} is the sum of its row, and was left out")
            items = [other for other in items if other != label]
            won, tied, known = (a[np.ix_(others, others)] for a in (won, tied, known))
            place, n = {other: k for k, other in enumerate(items)}, len(items)
        elif _is_sum(label):
            raise InputError(
                f"{table.source}: {quoted(label)} is not the sum of the other cells; correct it, or if that is an item call it"
                " something else"
            )
    sums = _sums(won, tied if record else None)
    fits: dict[str, set[str]] = {}
    for r, row in enumerate(rows):
        for c, column in enumerate(columns):
            text = texts[r, c]
            if (r, c) in found or text in BLANKS or not text or not (row in place or column in place):
                continue  # what stands where two sums meet tells nothing
            item, other = (row, column) if row in place else (column, row)
            own = {words for words, values in sums.items() if text == f"{values[place[item]]:g}"}
            fits[other] = own & fits.get(other, own)
            if other in place or not fits[other]:
                given = named(f"{values[place[item]]:g} ({words})" for words, values in sums.items())
                raise InputError(
                    f"{table.where(r, names[c])}: the cell of row {quoted(row)} is {quoted(text)}; expected two numbers, as"
                    f" {example[0].strip()}, or in a row or column of sums, of {item} {given}"
                )
    told += [f"{quoted(label)} is the sum of {min(words)}, and was left out" for label, words in fits.items()]
    blank = int(n * (n - 1) / 2 - known.sum() / 2)
    told += [f"{blank} pairs have no cell, and were not compared"] * (blank > 0)
    ties = tied if record is not None else None
    return Square(tuple(items), tuple(items), won, table.source, ties, (*table.told, *told))


def _sums(won: FloatArray, tied: FloatArray | None = None) -> dict[str, FloatArray]:
    """What a row or column of sums may hold, in words: float[n] each."""
    ties = {} if tied is None else {"its ties": tied.sum(1)}
    games = (won + won.T + (0.0 if tied is None else tied)).sum(1)
    return {"its row": won.sum(1), "its column": won.sum(0), "its row and column": games, **ties}


def _is_sum(label: str) -> bool:
    """Whether a label says that this is a sum."""
    return label.strip(" :.").lower() in _SUM_WORDS


def _without_sums(
    table: Table, rows: list[str], columns: list[str], names: Sequence[str]
) -> tuple[Table, list[str], list[str], Sequence[str], list[str], list[str]]:
    """The table without rows and columns that are no item's but sums, what to say of them, and which sums are wrong."""
    items = [label for label in columns if label in set(rows) and not _is_sum(label)]
    more = [[k for k, label in enumerate(own) if label not in items] for own in (rows, columns)]
    if len(items) < 2 or not any(more) or max(map(len, more)) > _MOST_SUMS:
        return table, rows, columns, names, [], []
    values = np.stack([numbers(table, name)[0] for name in names], axis=1)
    of_rows, of_columns = [rows.index(item) for item in items], [columns.index(item) for item in items]
    cells = np.nan_to_num(np.where(np.eye(len(items), dtype=bool), 0.0, values[np.ix_(of_rows, of_columns)]))
    found = [(rows[k], values[k, of_columns]) for k in more[0]]
    found += [(columns[k], values[of_rows, k]) for k in more[1]]
    told, wrong = [], []
    for label, given in found:
        off = {words: np.abs(given - sums) > 1e-9 for words, sums in _sums(cells).items()}
        best = min(off, key=lambda words: int(off[words].sum()))
        at = int(np.argmax(off[best] | np.isnan(given)))
        if off[best].any() or np.isnan(given).any():
            wrong.append(
                f"{quoted(label)} is not the sum of {best}: of {items[at]} {given[at]:g}, where the cells give"
                f" {_sums(cells)[best][at]:g}"
            )
        told.append(f"{quoted(label)} is the sum of {best}, and was left out")
    if wrong:
        return table, rows, columns, names, [], wrong
    kept, left = ([k for k in range(len(own)) if k not in out] for own, out in zip((rows, columns), more))
    rows, columns, names = [rows[k] for k in kept], [columns[k] for k in left], [names[k] for k in left]
    return table.take(np.array(kept)), rows, columns, names, told, []


def _column(table: Table, name: str, label: str, rows: list[str], options: Options) -> FloatArray:
    """One column's counts, 0 on the diagonal, which may be blank or 0 but nothing else."""
    values, wrong = numbers(table, name)
    own = np.array([row == label for row in rows])
    blank = np.isnan(values) & ~wrong
    bad_own = own & ~blank & (values != 0) & (options.drop is None)
    table.check(
        bad_own,
        name,
        f"{quoted(label)} against itself is {{cell}}",
        "the diagonal must be 0 or blank; if it holds something else, blank it first, or drop='bad' leaves it out",
    )

    def found(odd: BoolArray) -> str:
        return f"the cell of row {quoted(rows[int(np.flatnonzero(odd)[0])])} is {table.shown(name, odd)}"

    bad = ~own & (wrong | ~np.isfinite(values) | (values < 0))
    cure = "expected a finite count >= 0; write 0 where a pair was not compared"
    table.check(bad, name, lambda: found(bad), cure)
    counts = np.where(own & blank, 0.0, values)
    check_range(table, name, counts, found)
    return counts
