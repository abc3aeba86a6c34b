"""The work of a bootstrap: draw, refit and evaluate replicates, block by block, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..numerics.processes import in_order
from .answers import AnswerRefitter
from .contests import ContestRefitter
from .draws import BLOCK, AnyDraws, ByComparison, TwoWays, Weights
from .quantities import Custom, Linear, Quantity, Ranks
from .refit import Refitter

FloatArray = NDArray[np.float64]
#: With up to so many groups replicates repeat themselves, and so many of them are kept.
FEW_GROUPS, MOST_SEEN = 12, 2_000
AnyRefitter = Union[Refitter, AnswerRefitter, ContestRefitter]


@dataclass(frozen=True, eq=False)
class Engine:
    """Everything with which replicates are made and evaluated; it can be sent to another process.

    studentize: whether linear quantities have a clustered standard error in every replicate.  `seen`: replicates of a few groups by their weights, so that the
    same one is not fitted twice.
    """

    refitter: AnyRefitter
    draws: AnyDraws
    quantities: tuple[Quantity | Custom, ...]
    ranks: Ranks | None
    studentize: bool
    seen: dict[bytes, Values] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for q in self.quantities for name in q.names)

    def evaluate(self, counts: FloatArray, weights: Weights | None, where: str) -> Values:
        """The quantities of one table of counts; `weights` are those that made it, None for the table as it is."""
        n, items = len(self.names), 0 if self.ranks is None else len(self.ranks.names)
        refit = self.refitter.refit(counts)
        if refit is None:
            nothing = np.full(items, np.nan)
            return Values(np.full(n, np.nan), np.full(n, np.nan), nothing, nothing, False, True)
        parts = [
            self._custom(q, counts, weights, where) if isinstance(q, Custom) else q.of(refit)
            for q in self.quantities
        ]
        rank, best = self.ranks.both(refit) if self.ranks is not None else (np.zeros(0), np.zeros(0))
        errors = self._errors(refit, weights) if self.studentize else np.full(n, np.nan)
        return Values(np.concatenate(parts), errors, rank, best, refit.separated, False)

    # -- standard errors -------------------------------------------------------------------------------------

    def _errors(self, refit: Any, weights: Weights | None) -> FloatArray:
        """float[n]: CR0 standard errors of linear quantities in a replicate, each copy of a cluster a cluster."""
        times = weights.of_groups if weights is not None else self._whole()
        parts = []
        for q in self.quantities:
            if not isinstance(q, Linear):
                parts.append(np.full(len(q.names), np.nan))
                continue
            of_cells = self.refitter.influence(refit, np.asarray(q.functions.todense()))
            by_group = self.draws.groups @ of_cells
            parts.append(np.sqrt(times @ by_group**2))
        return np.concatenate(parts)

    def _whole(self) -> FloatArray:
        """Weights that give the table itself."""
        if isinstance(self.draws, ByComparison):
            return self.draws.multiplicity
        return np.ones(self.draws.groups.shape[0])

    # -- a user's function -----------------------------------------------------------------------------------

    def _custom(self, q: Custom, counts: FloatArray, weights: Weights | None, where: str) -> FloatArray:
        fit = self.refitter.fit_again(self.draws, counts, weights)
        if fit is None:
            return np.full(len(q.names), np.nan)
        return q.of_fit(fit, where)

    # -- many ------------------------------------------------------------------------------------------------

    def block(self, seed: np.random.SeedSequence, first: int, n: int) -> Block:
        """Replicates first, ..., first + n - 1."""
        rng = np.random.default_rng(seed)
        found = []
        for k in range(n):
            found.append(self._evaluated(self.draws.draw(rng), f"replicate {first + k + 1}"))
        return stacked(found)

    def _evaluated(self, weights: Weights, where: str) -> Values:
        """The quantities of a replicate; four judges are drawn in 35 ways, and each is fitted once."""
        key = weights.of_groups.tobytes() if len(weights.of_groups) <= FEW_GROUPS else None
        if key is not None and key in self.seen:
            return self.seen[key]
        values = self.evaluate(self.draws.counts(weights), weights, where)
        if key is not None and len(self.seen) < MOST_SEEN:
            self.seen[key] = values
        return values


@dataclass(frozen=True, eq=False)
class Values:
    """One replicate: quantities float[q] and their standard errors, ranks float[J], shares of the first place float[J],
    whether it separated, and whether there is no fit of it.
    """

    values: FloatArray
    errors: FloatArray
    rank: FloatArray
    best: FloatArray
    separated: bool
    failed: bool


@dataclass(frozen=True, eq=False)
class Block:
    """Replicates in a row; arrays as in `Values`, with replicates as first axis."""

    values: FloatArray
    errors: FloatArray
    rank: FloatArray
    best: FloatArray
    separated: NDArray[np.bool_]
    failed: NDArray[np.bool_]


def stacked(found: list[Values]) -> Block:
    fields = ("values", "errors", "rank", "best", "separated", "failed")
    return Block(*(np.array([getattr(v, name) for v in found]) for name in fields))


@dataclass(frozen=True, eq=False)
class Task:
    """A block of replicates to be made."""

    engine: Engine
    seed: np.random.SeedSequence
    first: int
    n: int


def make(task: Task) -> Block:
    return task.engine.block(task.seed, task.first, task.n)


def make_replicates(
    engine: Engine, replicates: int, seed: int, workers: int, progress: Callable[[int, int], None] | None
) -> Block:
    """All replicates; the same numbers for any number of workers."""
    if workers > 1:
        _check_sendable(engine)
    starts = range(0, replicates, BLOCK)
    seeds = np.random.SeedSequence(seed).spawn(len(starts))

    def tasks() -> Iterator[Task]:
        for start, stream in zip(starts, seeds):
            yield Task(engine, stream, start, min(BLOCK, replicates - start))

    blocks = []
    for task, block in in_order(make, tasks(), workers):
        blocks.append(block)
        if progress is not None:
            progress(task.first + task.n, replicates)
    return joined(blocks)


def joined(blocks: list[Block]) -> Block:
    fields = ("values", "errors", "rank", "best", "separated", "failed")
    return Block(*(np.concatenate([getattr(b, name) for b in blocks]) for name in fields))


def _check_sendable(engine: Engine) -> None:
    from multiprocessing.reduction import ForkingPickler  # what sends a task to a process

    for q in engine.quantities:
        if isinstance(q, Custom):
            try:
                ForkingPickler.dumps(q.function)
            except Exception as error:
                raise InputError(
                    f"quantity {q.names[0]}: the function cannot be sent to another process ({error}); define it at the"
                    " top of a module, or use workers=1"
                ) from error


def without_each(engine: Engine) -> tuple[FloatArray, FloatArray]:
    """Quantities without each cluster (or one comparison of each kind), float[m, q], and how often each, float[m]."""
    draws = engine.draws.one if isinstance(engine.draws, TwoWays) else engine.draws
    taken, times, group = draws.left_out()
    full = engine.refitter.full
    alone = replace(engine, draws=draws, ranks=None, studentize=False, seen={})
    found = []
    for k, g in enumerate(group):
        left = full - np.asarray(taken[k].todense()).reshape(full.shape)
        left[np.abs(left) < 1e-9 * full] = 0.0  # what rounding leaves of fractional counts
        times_each = alone._whole().copy()
        times_each[g] -= 1.0
        found.append(alone.evaluate(left, Weights(times_each), f"the table without cluster {k + 1}").values)
    return np.array(found), times
