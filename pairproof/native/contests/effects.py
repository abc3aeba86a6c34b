"""Which random effects the rows of a model have.

The effects of a component are those of the items, or one for every item and judge.  An item with an ability of its own
(a fixed parameter) has no effect of its own beside it (Turner and Firth 2012, Journal of Statistical Software 48(9),
section 3.2).  Fixed parameters that are infinite are taken in the limit: the contests whose result they make certain are
left out, whatever the effects are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...errors import InputError, NotEstimableError
from ..random_effects.blocks import Block, with_blocks
from ..structured.contests import Contests
from ..structured.estimate import fit_structured
from .rows import ContestRows
from .solved import LimitRows, contests_of, everything, limit_of

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Effects:
    """The random effects of a model, and which of them each row has.

    `first`, second int[n_rows]: effect of each side; -1 for none.  item, judge int[K]: what each effect is
    of; judge -1 for effects of items.
    """

    component: str
    first: IntArray
    second: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each effect."""
        return tuple(f"u{k}" for k in range(len(self.item)))


def effects_of(rows: ContestRows, component: str) -> Effects:
    """The random effects of one component."""
    table, n = rows.table, len(rows.table.items)
    if component == "item":
        own = {t.item for t in rows.terms if t.kind == "covariate" and t.item is not None}
        number = np.full(n, -1)
        having = np.array([k for k, item in enumerate(table.items) if item not in own], np.int64)
        number[having] = np.arange(len(having))
        return Effects(
            component, number[table.first], number[table.second], having, np.full(len(having), -1), ()
        )
    judge = table.columns.get("judge")
    if not isinstance(judge, Factor):
        raise InputError(
            f"random='item:judge' needs a column judge; the columns are {', '.join(table.columns) or 'none'}"
        )
    lacking = np.flatnonzero(judge.codes < 0)
    if len(lacking):
        raise InputError(f"random='item:judge': row {lacking[0] + 1} has no judge ({len(lacking)} such rows)")
    present, codes = np.unique(judge.codes, return_inverse=True)
    codes = np.ravel(codes)
    return Effects(
        component,
        codes * n + table.first,
        codes * n + table.second,
        np.tile(np.arange(n), len(present)),
        np.repeat(np.arange(len(present)), n),
        tuple(judge.levels[k] for k in present),
    )


@dataclass(frozen=True, eq=False)
class MixedRows:
    """The contests of a model with random effects.

    effects: a component each.  limit: what of the fixed parameters has a finite estimate.  contests: whose
    first parameters are the effects, component by component, and whose others are those that are finite.
    """

    effects: tuple[Effects, ...]
    limit: LimitRows
    contests: Contests

    @property
    def component(self) -> IntArray:
        """int[K]: the component of each effect."""
        return np.repeat(np.arange(len(self.effects)), [len(e.item) for e in self.effects])


def mixed_rows(rows: ContestRows) -> MixedRows:
    """The contests of a model with random effects."""
    effects = tuple(effects_of(rows, name) for name in rows.spec.random)
    fixed = contests_of(rows)
    limit = _limit(fixed, rows.spec.link)
    left = _rows_left(fixed, limit)
    blocks = [Block(e.component, e.first[left], e.second[left], e.names) for e in effects]
    return MixedRows(effects, limit, with_blocks(limit.left, blocks))


def _limit(fixed: Contests, name: str) -> LimitRows:
    """What of the fixed parameters has a finite estimate."""
    try:
        fit_structured(fixed, name)
    except NotEstimableError:
        return limit_of(fixed)
    return everything(fixed)


def _rows_left(fixed: Contests, limit: LimitRows) -> IntArray:
    """Rows as `limit.left` has them: all of them, or those with a contest whose result is not certain."""
    if limit.left is fixed:
        return np.arange(fixed.design.n_rows)
    return np.setdiff1d(np.flatnonzero(fixed.totals > 0), limit.certain)
