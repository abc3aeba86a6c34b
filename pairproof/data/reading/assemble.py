"""The last step of every reader that has rows: covariates, tie category, and the checked `Comparisons`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...text import listed, quoted
from ..columns import Column, take
from ..comparisons import Comparisons
from .cells import BoolArray, FloatArray, counts, covariate, judges, neutral_ground
from .items import IntArray, Options, item_covariates
from .table import Table, suggestion


def assemble(
    table: Table,
    options: Options,
    items: Sequence[str],
    first: IntArray,
    second: IntArray,
    results: tuple[FloatArray, FloatArray, FloatArray],
    *,
    tie_category: bool,
    used: Collection[str],
    row_of: NDArray[np.int64] | None = None,
) -> Comparisons:
    """Comparisons from positions and (wins, ties, losses), with every column that is not `used` as a
    covariate.

    Parameters
    ----------
    table, options
    items : sequence of str
    first, second : int[n_comparisons]
    results : three float[n_comparisons]
    tie_category : bool
    used : collection of str
        Columns the layout itself has read; `weight` is multiplied in here.
    row_of : int[n_comparisons], optional
        The table's row of each comparison; default: one comparison a row.
    """
    wins, ties, losses = results
    if "weight" in table.columns and "weight" not in used:
        weight = counts(table, "weight")
        weight = weight if row_of is None else weight[row_of]
        wins, ties, losses = wins * weight, ties * weight, losses * weight
    columns = covariates(table, options, {*used, "weight"})
    if row_of is not None:
        columns = {name: take(column, row_of) for name, column in columns.items()}
    of_items = item_covariates(options, items)
    check_levels(options, [*columns, *of_items], table.source)
    return Comparisons.build(
        items,
        first,
        second,
        wins,
        ties if tie_category else None,
        losses,
        columns=columns,
        item_data=of_items,
        source=table.source,
    )


def covariates(table: Table, options: Options, used: Collection[str]) -> dict[str, Column]:
    """Every column that the layout has not used: judge, order, source, and subject covariates."""
    levels = options.levels or {}
    columns: dict[str, Column] = {}
    for name in table.columns:
        if name in used:
            continue
        stated: Sequence[Any] | None = levels.get(name)
        if name == "judge":
            columns[name] = judges(table, name, stated)
        elif name == "order":
            columns[name] = neutral_ground(table, name)
        else:
            columns[name] = covariate(table, name, stated, categorical=name == "source")
    return columns


def check_levels(options: Options, names: Sequence[str], source: str) -> None:
    """Refuse stated levels of a column that is not there, or of `order`, which has none."""
    for name in options.levels or {}:
        if name not in names:
            found = listed(names) or "no covariates"
            raise InputError(
                f"{source}: levels are stated for {quoted(name)}; found {found}" + suggestion(name, names)
            )
        if name == "order":
            raise InputError(f"{source}: levels are stated for 'order', which is 0 or 1 and has no levels")


def has_tie_category(table: Table, options: Options, tied: BoolArray, column: str) -> bool:
    """Whether the table has a tie category: as stated, else if a tie occurs in it.

    Raises
    ------
    InputError
        tie_category=False for a table in which ties occur.
    """
    if options.tie_category is False and tied.any():
        raise table.refuse(
            tied,
            column,
            "a tie, but tie_category=False says that ties could not be answered",
            "leave it out and say in the fit what becomes of ties (ties='drop', 'half', ...)",
        )
    return bool(tied.any()) if options.tie_category is None else options.tie_category
