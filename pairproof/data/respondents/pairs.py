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
    answers = table.pair_answers
    made = (answers != MISSING) & (table.weights > 0)[:, None, None]
    row, time, pair = np.nonzero(made)
    if len(row) > MOST_COMPARISONS:
        raise InputError(
            f"{table.source}: the answers stand for {len(row):,} comparisons; at most {MOST_COMPARISONS:,} are made."
            " merged() puts equal answers into one row"
        )
    first, second = np.array(prefmod_pair_order(len(table.items))).T
    given, weight = answers[made], table.weights[row]
    columns: dict[str, Column] = {name: take(column, row) for name, column in table.columns.items()}
    if judge:
        columns = {"judge": _judges(table, row), **columns}
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
        ranked_together=0 if table.kind == "comparisons" else _ranked_together(table),
    )


def _ranked_together(table: Table) -> int:
    """Largest number of items in one ranking that says anything."""
    counts = table.presented.sum(axis=2)
    spoken = (table.pair_answers != MISSING).any(axis=2) & (table.weights > 0)[:, None]
    return int(np.where(spoken, counts, 0).max())


def _judges(table: Table, row: NDArray[np.int64]) -> Factor:
    if "judge" in table.columns:
        raise InputError(f"{table.source}: there is a column 'judge' already, which becomes the judges")
    several = (table.weights != 1) & (table.weights > 0)
    if several.any():
        r = int(np.flatnonzero(several)[0])
        raise InputError(
            f"{table.source}, row {r + 1}: the weight is {table.weights[r]:g}, so the row is not one person; judge=True"
            " takes each row as a judge"
        )
    return Factor(row.astype(np.int64), tuple(str(k + 1) for k in range(len(table.answers))))
