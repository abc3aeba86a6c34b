"""The last step of every reader that has rows: covariates, tie category, and the checked `Comparisons`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...text import listed, quoted
from ..columns import Column, Factor, take
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
    of_persons: bool = False,
) -> Comparisons:
    """Comparisons from positions and (wins, ties, losses), with every column that is not `used` as a
    covariate.

    `first`, second int[n_comparisons].  results three float[n_comparisons].  used: columns the layout itself
    has read; `weight` is multiplied in here.  row_of int[n_comparisons]: the table's row of each comparison;
    default: one comparison a row.  of_persons: whether a row is one person, whose comparisons go together:
    unless a column `person` or `judge` says who, the number of the row does.
    """
    wins, ties, losses = results
    single = True
    if "weight" in table.columns and "weight" not in used:
        weight = counts(table, "weight")
        single = bool((weight == 1.0).all())
        weight = weight if row_of is None else weight[row_of]
        wins, ties, losses = wins * weight, ties * weight, losses * weight
    columns = covariates(table, options, {*used, "weight"}, of_persons)
    if row_of is not None:
        columns = {name: take(column, row_of) for name, column in columns.items()}
        # A row with a weight stands for several persons, or for a part of one.
        if of_persons and single and not {"person", "judge"} & set(columns):
            columns["person"] = Factor(row_of, tuple(map(str, range(1, table.n_rows + 1))))
    of_items = item_covariates(options, items)
    check_levels(options, [*columns, *of_items], table.source)
    found = Comparisons.build(
        items,
        first,
        second,
        wins,
        ties if tie_category else None,
        losses,
        columns=columns,
        item_data=of_items,
        source=table.source,
        own_names=table.own_names,
    )
    return found.where_also(options.where, _further(table, options, columns, row_of))


def _further(
    table: Table, options: Options, columns: Mapping[str, Column], row_of: NDArray[np.int64] | None
) -> dict[str, Callable[[], Column]]:
    """Columns of the file that are none of the comparisons', by which rows can be chosen all the same: answers,
    responses, weights.  Of a row a system each pair has two, so that neither column says which pairs are meant.
    """

    def of_comparisons(name: str) -> Column:
        column = covariate(table, name, (options.levels or {}).get(name))
        return column if row_of is None else take(column, row_of)

    return {
        name: partial(of_comparisons, name)
        for name in table.columns
        if name not in columns and name not in ("system", "rank")
    }


def covariates(
    table: Table, options: Options, used: Collection[str], of_persons: bool = False
) -> dict[str, Column]:
    """Every column that the layout has not used: judge, order, source, and subject covariates."""
    levels = options.levels or {}
    columns: dict[str, Column] = {}
    for name in table.columns:
        if name in used:
            continue
        stated: Sequence[Any] | None = levels.get(name)
        if name == "judge" or (name == "person" and (of_persons or name in table.own_names)):
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
    """Whether the table has a tie category: as stated, else if a tie occurs in it."""
    if options.tie_category is False and tied.any():
        raise table.refuse(
            tied,
            column,
            "a tie, but tie_category=False says that ties could not be answered",
            "leave it out and say in the fit what becomes of ties (ties='drop', 'half', ...)",
        )
    return bool(tied.any()) if options.tie_category is None else options.tie_category
