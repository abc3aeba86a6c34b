"""Files of comparisons to be predicted, and of the covariates of items that were not seen.

They are matched to the table that a model was fitted to by the names of columns, and its types are theirs: what is a
category there is read as text here.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Union

import numpy as np

from ....errors import InputError, ItemError
from ....text import listed, quoted
from ...columns import Column, Factor
from ...comparisons import Comparisons
from ..assemble import Options, item_column
from ..cells import covariate
from ..sources import Table, load

AnyPath = Union[str, "PathLike[str]"]


def read_contests(path: AnyPath, table: Comparisons, encoding: str | None = None) -> dict[str, list[Any]]:
    """The comparisons of a file, column by column.

    path: with columns first and second.  table: of the model.  Returns dict of str to list: first, second,
    and those columns that the table has too.
    """
    found = load(path, encoding)
    sides = ("first", "second")
    found.need(sides)
    columns = {side: _values(item_column(found, side, Options())) for side in sides}
    return columns | _like(found, table.columns)


def read_new_items(
    path: AnyPath, table: Comparisons, encoding: str | None = None
) -> tuple[dict[str, dict[str, str | float]], tuple[str, ...]]:
    """The covariates of items that the table does not have, and the items of the file that it has.

    path: with a column item (or else the first is taken) and the item covariates of the model; others of the
    table may be left out.
    """
    found = load(path, encoding)
    key = "item" if "item" in found.columns else next(iter(found.columns))
    items = _values(item_column(found, key, Options()))
    values = _like(found, table.item_data)
    if table.item_data and not values:
        raise InputError(
            f"{found.source}: no column is an item covariate; it needs those of the model, and the table has"
            f" {listed(table.item_data)}"
        )
    new: dict[str, dict[str, str | float]] = {}
    old = []
    for row, item in enumerate(items):
        if item in new or item in old:
            raise ItemError(
                f"{found.source}, row {row + 1}: item {quoted(item)} has more than one row; keep one"
            )
        here = {name: column[row] for name, column in values.items()}
        if item in table.items:
            old.append(item)
            _check_same(f"{found.source}, row {row + 1}", item, here, table)
        else:
            new[item] = here
    return new, tuple(old)


def _like(found: Table, known: Mapping[str, Column]) -> dict[str, list[Any]]:
    """The columns of a file that are known, each of the type that is known."""
    kinds = {name: isinstance(column, Factor) for name, column in known.items() if name in found.columns}
    return {name: _values(covariate(found, name, None, categorical=kind)) for name, kind in kinds.items()}


def _values(column: Column) -> list[Any]:
    if isinstance(column, Factor):
        return [column.levels[code] if code >= 0 else "" for code in column.codes]
    return [float(x) for x in column]


def _check_same(where: str, item: str, here: Mapping[str, str | float], table: Comparisons) -> None:
    place = table.items.index(item)
    for name, value in here.items():
        known = _values(table.item_data[name])[place]
        same = known == value or (isinstance(known, float) and np.isnan(known) and np.isnan(float(value)))
        if not same:
            raise ItemError(
                f"{where}: item {quoted(item)} has {name} = {value!r}, but the model was fitted with {known!r};"
                " drop the row, or rename the item"
            )
