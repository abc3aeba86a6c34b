"""How much the last judged batch has changed the scores.

Methods that add scores up have the state before a batch by subtraction, which takes milliseconds whatever the
size of the campaign; ra and trueskill depend on the order of judgments and are computed again from the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...native.annotation.beta import FloatArray, exact_sums
from ...native.annotation.methods import ADDITIVE, ScoreState, observe
from ...native.annotation.quality.annotators import spearman
from ..storage.records import About, judged, state_of
from ..storage.store import Store


@dataclass(frozen=True)
class Convergence:
    """The change of the scores by the last judged batch.

    `last`: the last batch with a judgment that counts.  stability: spearman's rho between the scores with and
    without it; nan if there is nothing to compare.  shift: mean absolute change of the scores; nan if there
    is nothing to compare.
    """

    last: int | None
    stability: float
    shift: float


def convergence(store: Store, a: About, after: ScoreState) -> Convergence:
    """The change of the scores of an open campaign, whose state is now `after`."""
    last = store.db.execute("SELECT MAX(batch) FROM judgment WHERE counted").fetchone()[0]
    if last is None:
        return Convergence(None, float("nan"), float("nan"))
    before = _additive(store, last, after) if a.method in ADDITIVE else _again(store, a, last)
    both = ~(np.isnan(before) | np.isnan(after.score))
    if both.sum() < 2:
        return Convergence(int(last), float("nan"), float("nan"))
    change = float(np.mean(np.abs(after.score[both] - before[both])))
    return Convergence(int(last), spearman(before[both], after.score[both]), change)


def _additive(store: Store, last: int, after: ScoreState) -> FloatArray:
    rows = store.db.execute(
        "SELECT s.item, s.value FROM judgment j JOIN score s ON s.judgment = j.number WHERE j.batch = ? AND"
        " j.counted AND s.kind = 'item' AND s.value IS NOT NULL",
        (last,),
    ).fetchall()
    n_items = len(after.n)
    if not rows:
        return after.score
    table = np.array(rows, np.float64)
    item, value = table[:, 0].astype(np.int64), table[:, 1]
    # Exact sums are the same in whatever order judgments came.
    fresh, total = np.bincount(item, minlength=n_items), exact_sums(item, value, n_items)
    n = after.n - fresh
    start = _start(store, after)
    # An item whose scores are all of this batch is where it started, to the last bit.
    untouched = n == start.n
    if after.method == "da":
        mean = (np.where(after.n > 0, after.a, 0.0) * after.n - total) / np.maximum(n, 1)
        return np.where(untouched, start.a, np.where(n > 0, np.clip(mean, 0.0, 1.0), np.nan))
    a = np.where(untouched, start.a, np.maximum(after.a - total, 1.0))
    b = np.where(untouched, start.b, np.maximum(after.b - (fresh - total), 1.0))
    return ScoreState(after.method, a, b, n).score


def _start(store: Store, after: ScoreState) -> ScoreState:
    """The state at the start: the same for all items, unless they come from an older tool."""
    distinct = store.db.execute("SELECT DISTINCT a0, b0, n0 FROM item LIMIT 2").fetchall()
    if len(distinct) > 1:
        return state_of(store, after.method, at_start=True)
    a, b, n = (np.nan if value is None else value for value in distinct[0])
    size = len(after.n)
    return ScoreState(after.method, np.full(size, a), np.full(size, b), np.full(size, n, np.int64))


def _again(store: Store, a: About, last: int) -> FloatArray:
    start = state_of(store, a.method, at_start=True)
    earlier = judged(store).upto(last - 1)
    return observe(start, earlier.hits, earlier.scores, a.settings).score
