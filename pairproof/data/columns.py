"""Columns of a table: categorical ones, whose levels are ordered, and numeric ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A categorical column: `levels[codes[row]]`.

    codes int[n_rows]: each in 0..len(levels)-1, or -1 where the row has no value (a model that uses the
    column refuses it).  levels: in the order in which models take them; the first is the reference level.
    """

    codes: IntArray
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)


#: A column is categorical (Factor) or numeric (float[n_rows], nan where the row has no value).
Column = Union[Factor, FloatArray]


def take(column: Column, rows: NDArray[Any]) -> Column:
    """The column at these rows (positions or a boolean mask)."""
    return Factor(column.codes[rows], column.levels) if isinstance(column, Factor) else column[rows]


def used_levels(column: Column) -> Column:
    """The column without levels that no row has."""
    if not isinstance(column, Factor):
        return column
    used = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels)) > 0
    if used.all():
        return column
    new = np.append(np.cumsum(used) - 1, -1)
    return Factor(new[column.codes], tuple(level for level, here in zip(column.levels, used) if here))


def role_of(name: str, columns: Mapping[str, Column], own_names: Mapping[str, str]) -> str:
    """The role of a column that is called by the file's own name for it (role -> own name); else the name."""
    if name in columns:
        return name
    return next((role for role, own in own_names.items() if own == name and role in columns), name)


def natural_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Distinct labels: numerically if all are integers, else by Unicode code point; never by row order."""
    distinct = set(labels)
    if all(re.fullmatch(r"[+-]?[0-9]+", label) for label in distinct):
        # Python's int() refuses more than 4,300 digits; Decimal reads and compares any number of them
        # exactly.
        number = int if all(len(label) < 4000 for label in distinct) else Decimal
        return tuple(sorted(distinct, key=lambda label: (number(label), label)))
    return tuple(sorted(distinct))


def level_of(value: float) -> str:
    """A number as a level, 5 for 5.0, else every digit: two values never share a level."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def numbers_as_levels(column: FloatArray) -> tuple[tuple[str, ...], IntArray]:
    """Numbers as the levels of a factor, in their order, and each row's level; -1 where a row has no value."""
    distinct, codes = np.unique(column[~np.isnan(column)], return_inverse=True)
    of_row = np.full(len(column), -1, np.int64)
    of_row[~np.isnan(column)] = np.ravel(codes)
    return tuple(level_of(v) for v in distinct), of_row
