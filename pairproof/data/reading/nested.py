"""Columns inside columns: objects in the cells of a frame or of JSON, structs of Arrow, as columns with dotted names.

A column `conv_metadata` of {"sum_assistant_a_tokens": 301, "header_count_a": {"h1": 2}} is read as the columns
`conv_metadata.sum_assistant_a_tokens` and `conv_metadata.header_count_a.h1`.  Their cells are looked up when somebody
uses them.  Lists stay what they are, and are refused to those who use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from ...errors import InputError
from ...text import quoted

#: Cells that are looked at one by one for the first that has a value.
_FIRST = 1000
_LISTS = (list, set, np.ndarray)


class Later:
    """A column that is made when it is first asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def made(self) -> Any:
        """The column."""
        return self._make()


class Lists(Later):
    """A column of lists, which is refused when it is asked for; as it is, where it was read."""

    def __init__(self, name: str, source: str, as_it_is: Any = None) -> None:
        super().__init__(partial(refuse_lists, name, source))
        self.as_it_is = as_it_is


def refuse_lists(name: str, source: str) -> None:
    """Refuse a column that holds lists."""
    raise InputError(f"{source}: column {name!r} contains lists, not text or numbers")


class Cells(dict[str, Any]):
    """Columns by name, of which each that is :class:`Later` is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        return found.made if isinstance(found, Later) else found

    def items(self) -> Any:
        """Names and columns, all of them made."""
        return ((name, self[name]) for name in self)

    def values(self) -> Any:
        """Columns, all of them made."""
        return (self[name] for name in self)


def parts_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, of which none is made for it."""
    return dict(dict.items(columns)) if isinstance(columns, dict) else dict(columns)


def part(columns: Mapping[str, Any], name: str, change: Callable[[Any], Any]) -> Any:
    """A column changed, when it is made."""
    found = columns.get(name)  # as it is, where [name] makes it
    return Later(lambda: change(found.made)) if isinstance(found, Later) else change(found)


def flattened(columns: Iterable[tuple[str, Any]], source: str) -> Iterator[tuple[str, Any]]:
    """The columns, in place of one that holds objects one for each of their names."""
    for name, series in columns:
        first = _first(series)
        if isinstance(first, dict):
            cells = series.to_numpy(object, copy=True)  # the user's frame may change
            yield from _inside(name, cells, cells.tolist, source)
        else:
            yield name, Lists(name, source, series) if isinstance(first, _LISTS) else series


def _first(series: Any) -> Any:
    """The first value of a column that may hold objects or lists."""
    if not (series.dtype == object or str(series.dtype).startswith(("struct<", "list<", "large_list<"))):
        return None
    first = _first_there(series.iloc[:_FIRST])
    if first is None and len(series) > _FIRST:
        there = np.flatnonzero(series.notna().to_numpy())
        first = _first_there(series.iloc[there[:_FIRST]])
    return first


def _first_there(values: Iterable[Any]) -> Any:
    return next(filter(_is_there, values), None)


def _is_there(value: Any) -> bool:
    """Whether a cell has a value; in JSON null is a blank text."""
    if isinstance(value, _LISTS):
        return True
    return not (value is None or value is pd.NA or value != value or (isinstance(value, str) and not value))


def _inside(
    name: str, found: Iterable[Any], cells: Callable[[], Sequence[Any]], source: str
) -> Iterator[tuple[str, Any]]:
    """The columns of the objects in a column, deeper ones too.  found: the objects; cells: what each row holds."""
    objects = [cell for cell in found if isinstance(cell, dict)]
    named = set().union(*objects)
    for key in [*objects[0], *sorted(named.difference(objects[0]), key=str)]:
        inner, full = Later(partial(_values, name, key, cells, source)), f"{name}.{key}"
        first = _first_there(cell.get(key) for cell in objects)
        if isinstance(first, dict):
            yield from _inside(
                full, (cell.get(key) for cell in objects), partial(getattr, inner, "made"), source
            )
        else:
            yield full, Lists(full, source) if isinstance(first, _LISTS) else Later(partial(_series, inner))


def _series(inner: Later) -> Any:
    return pd.Series(inner.made, dtype=object).infer_objects()


def _values(name: str, key: Any, cells: Callable[[], Sequence[Any]], source: str) -> list[Any]:
    """One name's values in all the objects of a column; None where there is none."""
    of_rows = cells()
    odd = next((k for k, cell in enumerate(of_rows) if not isinstance(cell, dict) and _is_there(cell)), None)
    if odd is not None:
        raise InputError(
            f"{source}, row {odd + 1}: column {name!r} contains {quoted(of_rows[odd])}, but objects, whose names become"
            " columns, in other rows; use one form throughout"
        )
    return [cell.get(key) if isinstance(cell, dict) else None for cell in of_rows]
