"""Tracks of a table: competitions of their own, such as the language pairs of a shared task, which never mix.

A track is named by the column `track`, or by WMT's `srclang` and `trglang` together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..text import named, quoted
from .columns import Column, Factor, level_of, numbers_as_levels, role_of

#: Columns that name the track by themselves, and together.
ALONE, TOGETHER = "track", ("srclang", "trglang")
#: What `by` is where all tracks are meant as one.
POOLED = "pooled"
_WORD = re.compile(r"[^\W\d]\w*")
#: Tracks in a message at most.
MOST_SHOWN = 12


class Table(Protocol):
    """Comparisons or Respondents, as far as tracks go."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """Covariates of the rows."""

    @property
    def own_names(self) -> Mapping[str, str]:
        """Role -> name in the file."""

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """float[n_rows]: how many comparisons, or persons, each row stands for."""

    @property
    def unit(self) -> str:
        """What the weights count: comparisons, persons."""

    @property
    def source(self) -> str:
        """Where the table came from."""

    @property
    def one_track(self) -> bool:
        """Whether several tracks are meant as one."""

    def select(self, rows: Any) -> Any:
        """Some of the rows."""

    def only_compared(self, source: str = ...) -> Any:
        """Without items that are not compared."""


#: What is divided comes back as what it was.
AnyTable = TypeVar("AnyTable", bound=Table)


def track_columns(table: Table) -> tuple[str, ...]:
    """The columns that name the track of a row; () if there are none."""
    if ALONE in table.columns:
        return (ALONE,)
    return tuple(name for name in TOGETHER if name in table.columns)


def check_one_track(table: Table, *formulas: str, each: bool = True) -> None:
    """Refuse a table of several tracks, whose comparisons are of competitions of their own.

    *formulas: of the model: one that has the tracks' columns tells them apart.  each: whether what is asked
    for can be had of each track, and of all as one.
    """
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
        f"; or take each by itself, --tracks {','.join(own)}; or all as one, --tracks {POOLED}. In Python"
        f" table.where({conditions}), pairproof.split_tracks(table), table.as_one_track()"
    )
    raise InputError(
        f"{table.source}: {len(found)} tracks ({', '.join(own)}), each a competition of its own, with so many"
        f" {table.unit}: {named(found, MOST_SHOWN)}. Choose one, {one}{several if each else ''}"
    )


def _quoted(text: str) -> str:
    """As a shell wants it."""
    return f"'{text}'" if set(text) & set(' |<>&;()$!*?"`\\') else text


def coded_tracks(
    table: Table, names: Sequence[str], missing: Callable[[Table, str, Factor], Factor]
) -> tuple[NDArray[np.int64], list[str]]:
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


def _factor(table: Table, name: str) -> Factor:
    column = table.columns.get(role_of(name, table.columns, table.own_names))
    if column is None:
        raise InputError(
            f"{table.source}: the track column {name!r} is not there; found {named(table.columns, 40) or 'no columns'}"
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


def refused(table: Table, name: str, column: Factor) -> Factor:
    """Where tracks are asked for every row needs one."""
    blank = column.codes < 0
    if blank.any():
        raise InputError(
            f"{table.source}, row {int(np.flatnonzero(blank)[0]) + 1}: no value in the track column {name!r}"
            f" ({int(blank.sum())} such row(s)); tracks never mix, so every row needs one"
        )
    return column


def _blank(table: Table, name: str, column: Factor) -> Factor:
    """Rows without a track are one more."""
    n = len(column.levels)
    return Factor(np.where(column.codes < 0, n, column.codes), (*column.levels, f"(no {name})"))


def _level(table: Table, name: str, row: int) -> str:
    """The value of a row, "" where it has none."""
    column = table.columns[name]
    if not isinstance(column, Factor):
        return "" if np.isnan(column[row]) else level_of(float(column[row]))
    return column.levels[column.codes[row]] if column.codes[row] >= 0 else ""
