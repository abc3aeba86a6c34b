"""Rows of a table chosen by the values of its columns: `judge=3`, `first=A`, `length=0.5`.

Conditions on one column are alternatives; those on different columns must all hold.  A condition is compared as text, or
as a number where the column is numeric; nothing in it is evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..text import quoted
from .columns import Factor
from .comparisons import Comparisons

BoolArray = NDArray[np.bool_]


def rows_where(table: Comparisons, conditions: Sequence[tuple[str, str]]) -> BoolArray:
    """The rows that fulfil the conditions.

    Parameters
    ----------
    table : Comparisons
    conditions : sequence of (str, str)
        A column, or first or second for the items, and one of its values; "" for rows without a value.

    Returns
    -------
    bool[n_rows]

    Raises
    ------
    InputError
        No such column or value, or no row is left.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.data.where import rows_where
    >>> table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [6, 8, 5], None, [4, 3, 4])
    >>> rows_where(table, [("first", "A"), ("second", "C")]).tolist()
    [False, True, False]
    """
    by_column: dict[str, BoolArray] = {}
    for column, value in conditions:
        found = _equal(table, column, value)
        by_column[column] = by_column[column] | found if column in by_column else found
    chosen = np.ones(table.n_rows, bool)
    for found in by_column.values():
        chosen &= found
    if not chosen.any():
        said = " and ".join(f"{c}={v}" for c, v in conditions)
        raise InputError(f"{table.source}: none of {table.n_rows:,} rows has {said}")
    return chosen


def _equal(table: Comparisons, name: str, value: str) -> BoolArray:
    """The rows in which a column has a value."""
    sides = {"first": table.first, "second": table.second}
    if name in table.columns:
        column = table.columns[name]
    elif name in sides:
        column = Factor(sides[name], table.items)
    else:
        known = ", ".join([*table.columns, *sides])
        raise InputError(f"{table.source}: no column {quoted(name)}; there are {known}")
    if isinstance(column, Factor):
        if value == "":
            return _blank(table, name, np.asarray(column.codes < 0))
        if value not in column.levels:
            raise InputError(
                f"{table.source}, column {quoted(name)}: no row has {quoted(value)}; the values are"
                f" {', '.join(column.levels[:20])}"
            )
        return np.asarray(column.codes == column.levels.index(value))
    if value == "":
        return _blank(table, name, np.isnan(column))
    try:
        number = float(value)
    except ValueError:
        raise InputError(
            f"{table.source}, column {quoted(name)} is numeric; {quoted(value)} is no number"
        ) from None
    found = np.asarray(column == number)
    if not found.any():
        raise InputError(f"{table.source}, column {quoted(name)}: no row has {quoted(value)}")
    return found


def _blank(table: Comparisons, name: str, found: BoolArray) -> BoolArray:
    if not found.any():
        raise InputError(f"{table.source}, column {quoted(name)}: no row is without a value")
    return found
