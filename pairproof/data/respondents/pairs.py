"""The comparisons that whole answers state or imply, as `Comparisons`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..columns import Column, Factor, take
from ..comparisons import Comparisons
from ..wide import prefmod_pair_order
from .codes import FIRST, MISSING, SECOND, TIED
from .parts import Table

#: Comparisons that a table may be cut into, as many as a table of rankings may stand for.
MOST_COMPARISONS = 10_000_000


def comparisons_of(table: Table, judge: bool = False) -> Comparisons:
    """See :meth:`Respondents.to_comparisons`."""
    rows = _persons(table) if judge else np.flatnonzero(table.weights > 0)
    answers = table.pair_answers[rows]
    made = answers != MISSING
    person, time, pair = np.nonzero(made)
    row = rows[person]
    if len(row) > MOST_COMPARISONS:
        raise InputError(
            f"{table.source}: the answers stand for {len(row):,} comparisons; at most {MOST_COMPARISONS:,} are made."
            " merged() puts equal answers into one row"
        )
    first, second = np.array(prefmod_pair_order(len(table.items))).T
    given, weight = answers[made], np.ones(len(row)) if judge else table.weights[row]
    columns: dict[str, Column] = {name: take(column, row) for name, column in table.columns.items()}
    if judge:
        columns = {"judge": _judges(table, rows, person), **columns}
    elif not {"judge", "person"} & set(columns) and (table.weights[rows] == 1.0).all():
        # A row with a weight is several persons, or a part of one.
        columns["person"] = Factor(row, tuple(map(str, range(1, len(table.answers) + 1))))
    if len(table.times) > 1:
        columns["time"] = Factor(time.astype(np.int64), table.times)
    return Comparisons.build(
        table.items,
        first[pair],
        second[pair],
        np.where(given == FIRST, weight, 0.0),
        np.where(given == TIED, weight, 0.0) if table.tie_category else None,
        np.where(given == SECOND, weight, 0.0),
        columns=columns,
        item_data=table.item_data,
        source=table.source,
        own_names=table.own_names,
        narrowed=table.narrowed,
        one_track=table.one_track,
        ranked_together=0 if table.kind == "comparisons" else _ranked_together(table),
    )


def _ranked_together(table: Table) -> int:
    """Largest number of items in one ranking that says anything."""
    counts = table.presented.sum(axis=2)
    spoken = (table.pair_answers != MISSING).any(axis=2) & (table.weights > 0)[:, None]
    return int(np.where(spoken, counts, 0).max())


def _persons(table: Table) -> NDArray[np.int64]:
    """The row of each person: a row of weight 3 is three persons."""
    if "judge" in table.columns:
        raise InputError(
            f"{table.source}: there is a column 'judge' already; to_comparisons() keeps it, and clustered('judge') uses it"
        )
    broken = table.weights != np.round(table.weights)
    if broken.any():
        r = int(np.flatnonzero(broken)[0])
        raise InputError(
            f"{table.source}, row {r + 1}: the weight is {table.weights[r]:g}, which is no whole number of persons; judge=True"
            " makes each person a judge"
        )
    n = float(table.weights @ (table.pair_answers != MISSING).sum(axis=(1, 2)))
    if n > MOST_COMPARISONS:
        raise InputError(
            f"{table.source}: the answers of {table.weights.sum():,.0f} persons stand for {n:,.0f} comparisons; at most"
            f" {MOST_COMPARISONS:,} are made"
        )
    return np.repeat(np.arange(len(table.answers)), table.weights.astype(np.int64))


def _judges(table: Table, rows: NDArray[np.int64], person: NDArray[np.int64]) -> Factor:
    """Judges "3" of a row of one person, and "3.1", "3.2" of a row of two."""
    first = np.concatenate([[0], np.flatnonzero(np.diff(rows)) + 1]).astype(np.int64)
    within = np.arange(len(rows)) - np.repeat(first, np.diff([*first, len(rows)]))
    names = (f"{r + 1}.{k + 1}" if table.weights[r] > 1 else f"{r + 1}" for r, k in zip(rows, within))
    return Factor(person.astype(np.int64), tuple(names))
