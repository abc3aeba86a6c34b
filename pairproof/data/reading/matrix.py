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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
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
from .forms import LayoutError, Way
from .nested import Lists
from .sources import Table, from_frame, load, repeated
from .text_tables import BLANKS

Winner = Literal["rows", "columns"]
#: What the three numbers of a cell are.
Record = Literal["wins-ties-losses", "wins-losses-ties"]
_COUNT = r"\s*([0-9]+(?:\.[0-9]+)?)\s*"
_SIGN = "[-:/\u2010-\u2015\u2212]"
_CELL = re.compile(f"{_COUNT}{_SIGN}{_COUNT}(?:{_SIGN}{_COUNT})?")
#: Cells of two or three numbers, by row and column.
_Found = Mapping["tuple[int, ...]", "re.Match[str]"]
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


def read_matrix(source: Any, options: Options, stated: Mapping[str, Any]) -> Comparisons:
    """Comparisons of a square table; arguments as in :func:`pairproof.data.reading.from_matrix`."""
    winner, ties, record = stated["winner"], stated["ties"], stated["record"]
    if isinstance(source, (str, os.PathLike)):
        source = load(source, options.encoding, nameless=True)
    if winner is None:
        name = source.source if isinstance(source, Table) else "table"
        said = "found a table whose rows and columns are the same items"
        raise LayoutError(name, said, _ways(source, record), stated)
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
                f"{square.source}: its cells contain ties, but a matrix of ties is also given; omit ties="
            )
        _, tied = _in_item_order(replace(square, cells=square.ties), options)
    elif ties is not None:
        tied = _ties(_square(ties, options, "matrix of ties"), options, items)
    has_ties = ties is not None or square.ties is not None
    tie_category = options.tie_category if options.tie_category is not None else has_ties
    if tied.any() and not tie_category:
        raise InputError(
            f"{square.source}: tie_category=False, but the matrix of ties counts {tied.sum() / 2:g}; omit"
            " tie_category and choose the treatment of ties in the fit (ties='drop', 'half', ...)"
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


def _ways(source: Any, record: Record | None) -> list[Way]:
    """Whose wins a cell may count, and, where cells have three numbers, which of them may be the ties."""
    cells = [labels(source, name).levels for name in source.columns] if isinstance(source, Table) else []
    three = record is None and any(m and m[3] for own in cells for m in map(_CELL.fullmatch, own))
    found = []
    for winner, order in product(get_args(Winner), get_args(Record) if three else ("",)):
        won, lost = ("A", "B") if winner == "rows" else ("B", "A")
        told = f"The cell in row A and column B counts wins of {won} over {lost}{f', as {order}' if order else ''}."
        known = {"layout": "matrix", "winner": winner} | ({"record": order} if order else {})
        found.append(Way(known, told))
    return found


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
        raise ItemError(f"{square.source}: rename merges two items; add their rows and columns first")
    cells = np.zeros((len(items), len(items)))
    cells[np.ix_(row_at, column_at)] = square.cells
    return items, cells


def _square(source: Any, options: Options, what: str, record: Record | None = None) -> Square:
    """The checked matrix in a file, a table, a frame or an array."""
    if isinstance(source, pd.DataFrame):
        table, rows = _of_frame(source, options, what)
    elif isinstance(source, (np.ndarray, list, tuple)):
        table, rows = _of_array(source, options, what)
    elif isinstance(source, (str, os.PathLike, Table)):
        loaded = source if isinstance(source, Table) else load(source, options.encoding, nameless=True)
        table, rows = _by_first_column(loaded)
    else:
        raise InputError(
            f"cannot read a {what} from {type(source).__name__}; pass a path, a DataFrame or a 2-D array"
        )
    _check_labels(table, rows, what)
    texts = _texts(table, rows)
    if texts is not None and (of_pairs := _of_pairs(table, rows, texts, record)) is not None:
        return of_pairs
    if record is not None:
        raise InputError(
            f"{table.source}: record={record!r} is for cells of three numbers, such as 14-2-7, but these have one each"
        )
    if texts is not None:
        columns = {name: pd.Series(texts[:, k], dtype=object) for k, name in enumerate(table.columns)}
        table = replace(table, columns=columns, coded={})
    return _of_counts(table, rows, options, what)


def _of_array(source: Any, options: Options, what: str) -> tuple[Table, list[str]]:
    array = np.asarray(source)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(
            f"{what}: shape {array.shape}; expected a square of counts, with one row and one column per item"
        )
    if options.names is None or len(options.names) != len(array):
        given = "no items are given" if options.names is None else f"{len(options.names)} items are given"
        raise ItemError(
            f"{what}: an array of shape {array.shape} has no labels, and {given}; pass items=[...]"
        )
    names = list(options.names)
    return from_frame(pd.DataFrame(array, columns=names), what), names


def _of_frame(frame: pd.DataFrame, options: Options, what: str) -> tuple[Table, list[str]]:
    if isinstance(frame.index, pd.MultiIndex):
        raise InputError(f"{what}: row labels have several levels; give each row one label")
    unlabelled = isinstance(frame.index, pd.RangeIndex)
    if unlabelled and isinstance(frame.columns, pd.RangeIndex):
        return _of_array(frame.to_numpy(), options, what)
    table = from_frame(frame, what, nameless=True)
    if not unlabelled:
        return table, [text_of(label) for label in frame.index]
    if len(table.columns) != len(frame) + 1:
        raise ItemError(
            f"{what}: {len(frame)} rows without labels and {len(table.columns)} columns ({named(table.columns)}); label"
            " the rows (frame.index = [...], or a first column with the labels)"
        )
    return _by_first_column(table)


def _by_first_column(table: Table) -> tuple[Table, list[str]]:
    """The table of cells alone, and the labels that stand before them."""
    first = next(iter(table.columns))
    return table.without([first]), _row_labels(table, first)


def _row_labels(table: Table, column: str) -> list[str]:
    return ["" if pd.isna(label) else text_of(label) for label in table.columns[column]]


def _check_labels(table: Table, rows: list[str], what: str) -> None:
    """Refuse a table without cells, and labels that are blank or repeated."""
    if not rows or not table.columns:
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(table.columns)} columns of counts; expected a square"
            f" {what} with two items or more"
        )
    for own, which in ((rows, "row"), (list(table.columns), "column")):
        twice = repeated(own)
        if twice or "" in own:
            trouble = (
                f"more than one {which} is labelled {listed(twice)}" if twice else f"a {which} has no label"
            )
            raise ItemError(f"{table.source}: {trouble}; label each {which} with its item")


def _of_counts(table: Table, rows: list[str], options: Options, what: str) -> Square:
    """A table whose cells are counts of wins."""
    table, rows, told, wrong = _without_sums(table, rows)
    columns, off = list(table.columns), "".join(f"; {words}" for words in wrong)
    if len(rows) != len(columns):
        raise InputError(
            f"{table.source}: {len(rows)} rows and {len(columns)} columns besides the row labels; expected a"
            f" square {what} with a header line of item names and the row's item in the first column{off}"
        )
    if set(rows) != set(columns):
        only = {"rows": sorted(set(rows) - set(columns)), "columns": sorted(set(columns) - set(rows))}
        parts = [f"{listed(labels)} only in the {which}" for which, labels in only.items() if labels]
        raise ItemError(
            f"{table.source}: row and column labels differ: {'; '.join(parts)}; expected the same items in both{off}"
        )
    if wrong:
        raise InputError(
            f"{table.source}: {'; '.join(wrong)}; correct it, or if that is an item call it something else"
        )
    found = np.stack([_column(table, name, rows, options) for name in columns], axis=1)
    own = _diagonal(rows, columns)
    cells, of_own = np.where(own, 0.0, found), float(found[own].sum())
    sentences = (*table.told, *told)
    return Square(tuple(rows), tuple(columns), cells, table.source, None, sentences, of_own)


def _diagonal(rows: Sequence[str], columns: Iterable[str]) -> BoolArray:
    return np.asarray(np.array(rows)[:, None] == np.array(list(columns))[None, :])


def _texts(table: Table, rows: list[str]) -> Any:
    """The cells as texts, blank where the diagonal has a mark, if there are cells of two numbers or marks; else None."""
    if all(pd.api.types.is_numeric_dtype(table.dtype(name)) for name in table.columns):
        return None
    odd = {text.strip() for name in table.columns for text in labels(table, name).levels}
    if not any(text in BLANKS or _CELL.fullmatch(text) for text in odd):
        return None
    cells = [["" if pd.isna(v) else text_of(v).strip() for v in column] for column in table.columns.values()]
    texts = np.array(cells, object).T
    return np.where(_diagonal(rows, table.columns) & np.isin(texts, list(BLANKS)), "", texts)


def _of_pairs(table: Table, rows: list[str], texts: Any, record: Record | None) -> Square | None:
    """A table whose cells are wins and losses of the row; None if its cells are none."""
    columns = list(table.columns)
    found = {at: m for at, text in np.ndenumerate(texts) if (m := _CELL.fullmatch(text))}
    if not any(rows[r] != columns[c] for r, c in found):
        return None
    _check_record(table, found, record)
    met = {label for r, c in found for label in (rows[r], columns[c])}
    items = [label for label in dict.fromkeys((*rows, *columns)) if label in met]
    won, tied, known = _games(table, rows, items, found, record)
    example = next(iter(found.values()))[0].strip()
    told = [f"cells contain {record or 'wins and losses'}, as in {example}"]
    is_item = np.ones(len(items), bool)
    for k, label in enumerate(items):
        if label in rows and label in columns and not _is_sum(label):
            continue
        is_item[k] = False
        other = is_item & known[:, k]
        in_rows = won[other, k] == won[np.ix_(other, is_item)].sum(1)
        if is_item.sum() > 1 and (in_rows & (won[k, other] == won[np.ix_(is_item, other)].sum(0))).all():
            told.append(f"{quoted(label)} is the sum of its row, so it was left out")
            continue
        is_item[k] = True
        if _is_sum(label):
            raise InputError(
                f"{table.source}: {quoted(label)} is not the sum of the other cells; correct it, or if that is an item call it"
                " something else"
            )
    items = [label for label, kept in zip(items, is_item) if kept]
    won, tied, known = (cells[np.ix_(is_item, is_item)] for cells in (won, tied, known))
    others = ((at, text) for at, text in np.ndenumerate(texts) if at not in found)
    single = {at: text for at, text in others if text and text not in BLANKS}
    told += _sums_beside(table, rows, items, single, _sums(won, tied if record else None), example)
    blank = int(len(items) * (len(items) - 1) / 2 - known.sum() / 2)
    told += [f"{blank} pairs have no cell, so they were not compared"] * (blank > 0)
    ties = tied if record is not None else None
    return Square(tuple(items), tuple(items), won, table.source, ties, (*table.told, *told))


def _check_record(table: Table, found: _Found, record: Record | None) -> None:
    """Refuse cells of two numbers beside some of three, and of three whose order is not stated."""
    names = list(table.columns)
    two = [at for at, cell in found.items() if cell[3] is None]
    if two and (record is not None or len(two) < len(found)):
        raise InputError(
            f"{table.where(two[0][0], names[two[0][1]])}: the cell {found[two[0]][0]!r} has two numbers; expected three, as"
            f" {record or 'other cells have'}"
        )
    (r, c), cell = next(iter(found.items()))
    if not two and record is None:
        raise InputError(
            f"{table.where(r, names[c])}: the cell {cell[0]!r} has three numbers; choose which are"
            f" the ties: record='wins-ties-losses' ({cell[2]} ties) or record='wins-losses-ties' ({cell[3]} ties)"
        )


def _games(
    table: Table, rows: list[str], items: list[str], found: _Found, record: Record | None
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Wins of the row, ties, and which pairs have a cell."""
    columns, place, n = list(table.columns), {label: k for k, label in enumerate(items)}, len(items)
    won, tied, known = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), bool)
    for (r, c), cell in found.items():
        row, column, at = rows[r], columns[c], table.where(r, columns[c])
        i, j = place[row], place[column]
        a, b, t = (float(cell[k] or 0) for k in ((1, 3, 2) if record == "wins-ties-losses" else (1, 2, 3)))
        if i == j:
            raise InputError(
                f"{at}: {quoted(row)} against itself is {cell[0]!r}; the diagonal must be blank or a dash"
            )
        if known[i, j] and (won[i, j], won[j, i], tied[i, j]) != (a, b, t):
            raise InputError(
                f"{at}: {row} against {column} is {cell[0]!r}, but the cell of {column} against {row} says"
                f" {won[j, i]:g} to {won[i, j]:g}; correct one of them. If the cells are scores of matches, with rows at"
                " home, write one row per match: home, away, score"
            )
        won[i, j], won[j, i], tied[i, j], tied[j, i] = a, b, t, t
        known[i, j] = known[j, i] = True
    return won, tied, known


def _sums_beside(
    table: Table,
    rows: list[str],
    items: list[str],
    single: Mapping[tuple[int, ...], str],
    sums: Mapping[str, FloatArray],
    example: str,
) -> list[str]:
    """What rows and columns of single numbers are the sums of; refuses a number that is none."""
    columns, place = list(table.columns), {label: k for k, label in enumerate(items)}
    fits: dict[str, set[str]] = {}
    for (r, c), text in single.items():
        row, column = rows[r], columns[c]
        if row not in place and column not in place:
            continue  # what stands where two sums meet tells nothing
        item, other = (row, column) if row in place else (column, row)
        said = {words: f"{values[place[item]]:g}" for words, values in sums.items()}
        fits[other] = fits.get(other, {*sums}) & {words for words, number in said.items() if number == text}
        if other in place or not fits[other]:
            given = named(f"{number} ({words})" for words, number in said.items())
            raise InputError(
                f"{table.where(r, column)}: the cell of row {quoted(row)} is {quoted(text)}; expected two numbers, as"
                f" {example}, or in a row or column of sums, of {item} {given}"
            )
    return [
        f"{quoted(label)} is the sum of {min(words)}, so it was left out" for label, words in fits.items()
    ]


def _sums(won: FloatArray, tied: FloatArray | None = None) -> dict[str, FloatArray]:
    """What a row or column of sums may hold, in words: float[n] each."""
    ties = {} if tied is None else {"its ties": tied.sum(1)}
    games = (won + won.T + (0.0 if tied is None else tied)).sum(1)
    return {"its row": won.sum(1), "its column": won.sum(0), "its row and column": games, **ties}


def _is_sum(label: str) -> bool:
    """Whether a label says that this is a sum."""
    return label.strip(" :.").lower() in _SUM_WORDS


def _without_sums(table: Table, rows: list[str]) -> tuple[Table, list[str], list[str], list[str]]:
    """The table and its rows without those that are no item's but sums, what to say of them, and which sums are wrong."""
    columns, of_both = list(table.columns), {label for label in table.columns if not _is_sum(label)} & {*rows}
    more = [[k for k, label in enumerate(own) if label not in of_both] for own in (rows, columns)]
    if len(of_both) < 2 or not any(more) or max(map(len, more)) > _MOST_SUMS:
        return table, rows, [], []
    items = [label for label in columns if label in of_both]
    values = np.stack([numbers(table, name)[0] for name in columns], axis=1)
    of_rows, of_columns = [rows.index(item) for item in items], [columns.index(item) for item in items]
    cells = np.nan_to_num(np.where(np.eye(len(items), dtype=bool), 0.0, values[np.ix_(of_rows, of_columns)]))
    found = [(rows[k], values[k, of_columns]) for k in more[0]]
    found += [(columns[k], values[of_rows, k]) for k in more[1]]
    told, wrong = [], []
    for label, given in found:
        off = {words: ~(np.abs(given - sums) <= 1e-9) for words, sums in _sums(cells).items()}
        best = min(off, key=lambda words: int(off[words].sum()))
        told.append(f"{quoted(label)} is the sum of {best}, so it was left out")
        if off[best].any():
            at = int(np.argmax(off[best]))
            wrong.append(
                f"{quoted(label)} is not the sum of {best}: of {items[at]} {given[at]:g}, where the cells give"
                f" {_sums(cells)[best][at]:g}"
            )
    if wrong:
        return table, rows, [], wrong
    kept = [k for k in range(len(rows)) if k not in more[0]]
    table = table.without([columns[k] for k in more[1]]).take(np.array(kept))
    return table, [rows[k] for k in kept], told, []


def _column(table: Table, name: str, rows: list[str], options: Options) -> FloatArray:
    """One column's counts, 0 on the diagonal, which may be blank or 0 but nothing else."""
    values, wrong = numbers(table, name)
    own = np.array([row == name for row in rows])
    blank = np.isnan(values) & ~wrong
    bad_own = own & ~blank & (values != 0) & (options.drop is None)
    cure = "the diagonal must be 0 or blank; if it contains something else, blank it first, or drop it with drop='bad'"
    table.check(bad_own, name, f"{quoted(name)} against itself is {{cell}}", cure)

    def found(odd: BoolArray) -> str:
        return f"the cell of row {quoted(rows[int(np.flatnonzero(odd)[0])])} is {table.shown(name, odd)}"

    bad = ~own & (wrong | ~np.isfinite(values) | (values < 0))
    cure = "expected a finite count >= 0; write 0 for a pair that was not compared"
    table.check(bad, name, lambda: found(bad), cure)
    counts = np.where(own & blank, 0.0, values)
    check_range(table, name, counts, found)
    return counts
