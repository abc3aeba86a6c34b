"""Comparisons as single judgments, and the tracks of a competition, which never mix.

A judgment is one row, with an outcome of 0 (tie), 1 (first preferred) or 2 (second).  Hopkins and May (2013,
section 4) write a comparison as <s1, s2, x, j, pi>; pi is the outcome, x the source segment.  Turning a pair
round turns 1 into 2 and leaves 0 (their hat): HAT = (0, 2, 1).

Tracks are competitions of their own, such as the language pairs of a shared task.  A track is named by the
column `track`, or by WMT's `srclang` and `trglang` together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..text import named, quoted
from .columns import (
    Factor,
    FloatArray,
    IntArray,
    each,
    level_of,
    numbers_as_levels,
    refuse_rows,
    role_of,
    take,
)
from .comparisons import Comparisons
from .where import AnyRows, Rows

#: Columns that name the track by themselves, and together.
ALONE, TOGETHER = "track", ("srclang", "trglang")
#: What `by` is where all tracks are meant as one.
POOLED = "pooled"
_WORD = re.compile(r"[^\W\d]\w*")
#: Tracks in a message at most.
MOST_SHOWN = 12


def track_columns(table: Rows) -> tuple[str, ...]:
    """The columns that name the track of a row; () if there are none."""
    if ALONE in table.columns:
        return (ALONE,)
    return tuple(name for name in TOGETHER if name in table.columns)


def check_one_track(table: Rows, *formulas: str, each: bool = True) -> None:
    """Refuse a table of several tracks, whose comparisons are of competitions of their own."""
    columns = track_columns(table)
    if not columns or table.one_track or set(columns) <= set(_WORD.findall(" ".join(formulas))):
        return
    code, labels = coded_tracks(table, columns, _blank)
    sums = np.bincount(code, table.row_weights, len(labels))
    found = [f"{label} {n:,.10g}" for label, n in zip(labels, sums) if n > 0]
    if len(found) < 2:
        return
    own = [table.own_names.get(name, name) for name in columns]
    k = int(np.argmax(sums > 0))
    values = [_level(table, name, int(np.flatnonzero(code == k)[0])) for name in columns]
    one = " ".join(f"--where {_quoted(f'{name}={value}')}" for name, value in zip(own, values))
    conditions = ", ".join(quoted(f"{name}={value}") for name, value in zip(own, values))
    several = (
        f"; or analyse each separately, --tracks {','.join(own)}; or pool all, --tracks {POOLED}. In Python"
        f" table.where({conditions}), pairproof.split_tracks(table), table.as_one_track()"
    )
    raise InputError(
        f"{table.source}: {len(found)} tracks ({', '.join(own)}), each a separate competition, with"
        f" these numbers of {table.unit}: {named(found, MOST_SHOWN)}. Choose one, {one}{several if each else ''}"
    )


def _quoted(text: str) -> str:
    """As a shell wants it."""
    return f"'{text}'" if set(text) & set(' |<>&;()$!*?"`\\') else text


def coded_tracks(
    table: Rows, names: Sequence[str], missing: Callable[[Rows, str, Factor], Factor]
) -> tuple[IntArray, list[str]]:
    """Code of each row's track, and the tracks' labels, in the order of the columns' levels."""
    code = np.zeros(len(table.row_weights), np.int64)
    labels: list[tuple[str, ...]] = [()]
    for name in names:
        column = missing(table, name, _factor(table, name))
        both = code * len(column.levels) + column.codes
        present, code = np.unique(both, return_inverse=True)
        code = np.ravel(code)
        pairs = (divmod(int(k), len(column.levels)) for k in present)
        labels = [(*labels[left], column.levels[level]) for left, level in pairs]
    joined = ["-".join(parts) for parts in labels]
    return code, joined if len(set(joined)) == len(joined) else [" | ".join(parts) for parts in labels]


def _factor(table: Rows, name: str) -> Factor:
    column = table.columns.get(role_of(name, table.columns, table.own_names))
    if column is None:
        raise InputError(
            f"{table.source}: the track column {name!r} is missing; found {named(table.columns, 40) or 'no columns'}"
        )
    if isinstance(column, Factor):
        return column
    if name != ALONE:
        raise InputError(
            f"{table.source}: the track column {name!r} is numeric; name a categorical column (levels={{{name!r}: [...]}},"
            f" --levels {name}=..., makes numbers categorical)"
        )
    levels, codes = numbers_as_levels(column)
    return Factor(codes, levels)


def refused(table: Rows, name: str, column: Factor) -> Factor:
    """Where tracks are asked for every row needs one."""
    blank = column.codes < 0
    found = f"no value in the track column {name!r} ({int(blank.sum())} such row(s))"
    refuse_rows(table.source, blank, f"{found}; tracks never mix, so every row needs one")
    return column


def _blank(table: Rows, name: str, column: Factor) -> Factor:
    """Rows without a track are one more."""
    n = len(column.levels)
    return Factor(np.where(column.codes < 0, n, column.codes), (*column.levels, f"(no {name})"))


def _level(table: Rows, name: str, row: int) -> str:
    """The value of a row, "" where it has none."""
    column = table.columns[name]
    if not isinstance(column, Factor):
        return "" if np.isnan(column[row]) else level_of(float(column[row]))
    return column.levels[column.codes[row]] if column.codes[row] >= 0 else ""


TIE, FIRST, SECOND = 0, 1, 2
#: The outcome seen from the other side.
HAT = np.array([TIE, SECOND, FIRST])


@dataclass(frozen=True, eq=False)
class Judgments:
    """Single judgments of pairs of items.

    Attributes
    ----------
    items : tuple of str
        Names.
    first, second : int[n]
        Positions in `items`.
    outcome : int[n]
        0 tie, 1 first preferred, 2 second preferred.
    row : int[n]
        The table's row of each judgment.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.data.judgments import judgments
    >>> table = pairproof.read({"first": ["A", "C"], "second": ["B", "B"], "wins": [2, 1], "ties": [1, 0],
    ...                         "losses": [0, 3]})
    >>> len(judgments(table))
    7
    """

    items: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    row: IntArray

    def __len__(self) -> int:
        return len(self.first)


def judgments(table: Comparisons) -> Judgments:
    """Every judgment of a table; a row with 5 wins and 2 ties becomes 7, wins before ties before losses."""
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    whole = np.rint(counts)
    why = "single judgments are required, so weights and half wins cannot be used"
    broken = (whole != counts).any(axis=1)
    refuse_rows(table.source, broken, lambda row: f"counts {counts[row].tolist()} are not whole; {why}")
    cell = np.repeat(np.arange(counts.size), whole.astype(np.int64).ravel())
    row_of, kind = np.divmod(cell, 3)
    return Judgments(
        table.items, table.first[row_of], table.second[row_of], np.array([FIRST, TIE, SECOND])[kind], row_of
    )


def one_row_each(table: Comparisons) -> Comparisons:
    """The same comparisons with one judgment a row, so that rows can be drawn."""
    if np.all(table.wins + table.ties + table.losses == 1):
        return table
    single = judgments(table)
    columns = each(table.columns, lambda column: take(column, single.row))
    won, tied, lost = ((single.outcome == k).astype(float) for k in (FIRST, TIE, SECOND))
    counts = (won, tied if table.tie_category else None, lost)
    about: dict[str, Any] = {
        name: getattr(table, name) for name in ("item_data", "source", "ranked_together")
    }
    return Comparisons.build(table.items, single.first, single.second, *counts, columns=columns, **about)


def preference_counts(table: Comparisons) -> FloatArray:
    """float[n_items, n_items, 3]: n_p(s1, s2) of Hopkins and May (2013), both orders pooled."""
    n = len(table.items)
    key = table.first * n + table.second
    counts = np.stack(
        [np.bincount(key, c, n * n).reshape(n, n) for c in (table.ties, table.wins, table.losses)], axis=-1
    )
    return np.asarray(counts + counts.transpose(1, 0, 2)[:, :, HAT])


def compared(table: Comparisons) -> NDArray[np.bool_]:
    """Items with at least one comparison.  bool[n_items]."""
    used = table.wins + table.ties + table.losses > 0
    found = np.zeros(len(table.items), bool)
    found[table.first[used]] = found[table.second[used]] = True
    return found


def split_tracks(table: AnyRows, by: str | Sequence[str] | None = None) -> dict[str, AnyRows]:
    """Split a table by track; each part contains only the items compared in it.

    Parameters
    ----------
    table : Comparisons or Respondents
    by : str or sequence of str, optional
        Columns whose joint value names a track, by the file's own names or by their roles.  Default: `track` if it
        exists, otherwise WMT's `srclang` and `trglang` together, otherwise a single track "all".

    Returns
    -------
    dict of track to Comparisons or Respondents
        In the order of the columns' levels; combinations without comparisons are omitted.

    Raises
    ------
    InputError
        A missing column, or a column without a value in some row.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "B"], "second": ["B", "C"], "wins": [2, 1], "losses": [0, 3],
    ...                         "track": ["de-en", "fr-en"]})
    >>> {track: part.items for track, part in pairproof.split_tracks(table).items()}
    {'de-en': ('A', 'B'), 'fr-en': ('B', 'C')}
    >>> fits = {track: pairproof.fit_llbt(part) for track, part in pairproof.split_tracks(table).items()}
    """
    stated = (by,) if isinstance(by, str) else by
    columns = track_columns(table) if stated is None else tuple(dict.fromkeys(stated))
    if not columns:
        return {"all": table}
    code, labels = coded_tracks(table, columns, refused)
    used = table.row_weights > 0
    rows = np.flatnonzero(used)[np.argsort(code[used], kind="stable")]
    ends = np.cumsum(np.bincount(code[used], minlength=len(labels)))
    return {
        label: table.select(own).only_compared(f"{table.source}, track {label}")
        for label, own in zip(labels, np.split(rows, ends[:-1]))
        if len(own)
    }
