"""Tables of respondents made from another one, as the parts of which `Respondents.build` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, ItemError
from ...text import listed, quoted
from ..checks import first_row
from ..columns import Column, Factor, FloatArray, IntArray, take
from ..wide import prefmod_pair_order
from .codes import MISSING
from .parts import Parts, Table, parts_of


def values_of(column: Column) -> FloatArray:
    """float[n_rows]: a covariate's codes or numbers, nan where there is no value."""
    if isinstance(column, Factor):
        return np.where(column.codes < 0, np.nan, column.codes.astype(float))
    return column


def groups(table: Table, names: Sequence[str]) -> tuple[IntArray, IntArray]:
    """See :meth:`Respondents.groups`."""
    if isinstance(names, str):
        raise InputError(f"names={names!r} is one string; pass a list of covariates such as [{names!r}]")
    keys = np.zeros((len(table.answers), len(names)))
    for k, name in enumerate(names):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no covariate {quoted(name)}; found {listed(table.columns) or 'none'}"
            )
        keys[:, k] = values_of(table.columns[name])
        missing = np.isnan(keys[:, k])
        if missing.any():
            raise InputError(
                f"{table.source}, row {first_row(missing) + 1}: {name!r} has no value ({int(missing.sum())} such"
                " row(s)); leave these rows out with select, or leave the covariate out"
            )
    if not names:
        return np.zeros(len(table.answers), np.int64), np.zeros(1, np.int64)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1).astype(np.int64), first.astype(np.int64)


def merged(table: Table) -> Parts:
    """See :meth:`Respondents.merged`; rows stand in the order in which their answers come first."""
    kept = table.weights > 0
    # Two missing values are alike here; doubles hold every code exactly.
    kept_columns = {name: column for name, column in table.columns.items() if name != "person"}
    covariates = [np.nan_to_num(values_of(column), nan=np.inf) for column in kept_columns.values()]
    keys = np.column_stack([table.answers.reshape(len(table.answers), -1), *covariates])[kept]
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(group.reshape(-1), table.weights[kept])
    order = np.argsort(first)
    rows = np.flatnonzero(kept)[first[order]]
    cols = {name: take(column, rows) for name, column in kept_columns.items()}
    return parts_of(table, answers=table.answers[rows], weights=sums[order], columns=cols)


def at_time(table: Table, time: str) -> Parts:
    """See :meth:`Respondents.at_time`."""
    if time not in table.times:
        raise InputError(f"{table.source}: no time {quoted(time)}; found {listed(table.times)}")
    return parts_of(table, answers=table.answers[:, table.times.index(time)], times=())


def with_items(table: Table, order: Sequence[str]) -> Parts:
    """See :meth:`Respondents.with_items`."""
    if sorted(order) != sorted(table.items):
        raise ItemError(
            f"found items {quoted(list(order))}; expected an ordering of {quoted(list(table.items))}"
        )
    was = {name: k for k, name in enumerate(table.items)}
    old = [was[name] for name in order]
    if table.kind == "comparisons":
        place = {pair: k for k, pair in enumerate(prefmod_pair_order(len(order)))}
        pairs = [(old[i], old[j]) for i, j in place]
        columns = [place[min(pair), max(pair)] for pair in pairs]
        turned = np.array([i > j for i, j in pairs])
        found = table.answers[..., columns]
        answers = np.where(turned & (found != MISSING), -found, found)
    else:
        answers = table.answers[..., old]
    of_items = {name: take(column, np.array(old)) for name, column in table.item_data.items()}
    return parts_of(table, items=tuple(order), answers=answers, item_data=of_items)


def only_compared(table: Table, source: str = "") -> Parts:
    """See :meth:`Respondents.only_compared`."""
    n = len(table.items)
    first, second = np.array(prefmod_pair_order(n)).T
    made = (table.pair_answers[table.weights > 0] != MISSING).any(axis=(0, 1))
    keep = np.zeros(n, bool)
    keep[first[made]] = keep[second[made]] = True
    chosen = np.flatnonzero(keep)
    of_answers = keep[first] & keep[second] if table.kind == "comparisons" else keep
    return parts_of(
        table,
        items=tuple(table.items[k] for k in chosen),
        answers=table.answers[..., of_answers],
        item_data={name: take(column, chosen) for name, column in table.item_data.items()},
        source=source or table.source,
    )


def selected(table: Table, rows: NDArray[Any]) -> Parts:
    """See :meth:`Respondents.select`."""
    cols = {name: take(column, rows) for name, column in table.columns.items()}
    return parts_of(table, answers=table.answers[rows], weights=table.weights[rows], columns=cols)
