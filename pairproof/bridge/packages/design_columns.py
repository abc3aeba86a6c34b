"""Columns of a table that is a design: those of the model matrix, and those that response, weights and the
like name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from .answers import Floats, reals


def design_columns(
    data: Any, *given: str | Sequence[float] | None, groups: Sequence[str] = ()
) -> tuple[dict[str, Floats], list[Floats | None]]:
    """The columns of the model matrix, and what was given, as numbers.

    Parameters
    ----------
    data : DataFrame, or mapping of str to sequence[rows]
    given : str or float[rows], optional
        A column's name, or its numbers; None stays None.
    groups : sequence of str
        Columns that hold labels, and are no part of the design.

    Raises
    ------
    InputError
        There is no such column, none is left, or lengths differ.

    Examples
    --------
    >>> columns, (y, w) = design_columns({"x": [1, 0], "y": [0.5, 1], "n": [4, 2]}, "y", "n")
    >>> list(columns), y.tolist(), w.tolist()
    (['x'], [0.5, 1.0], [4.0, 2.0])
    """
    names = [str(k) for k in (data if isinstance(data, Mapping) else data.columns)]
    named = [v for v in (*given, *groups) if isinstance(v, str)]
    absent = next((n for n in named if n not in names), None)
    if absent is not None:
        raise InputError(f"there is no column {absent!r}; there are {', '.join(names[:20])}")
    columns = {n: reals(data[n]) for n in names if n not in named}
    if not columns:
        raise InputError("no column is left for the model matrix")
    found = [reals(data[v]) if isinstance(v, str) else None if v is None else reals(v) for v in given]
    sizes = {len(v) for v in (*columns.values(), *found) if v is not None}
    if len(sizes) > 1:
        raise InputError(f"columns differ in length: {sorted(sizes)} rows")
    return columns, found
