"""The methods of scalar annotation behind one interface: states, updates by judged HITs, scores, intervals.

Source: Sakaguchi and Van Durme (2018).  `random` is a control that the paper lacks: EASL's update and HITs
without its choice of items.  From (1, 1) the mode of `easl` and `random` is exactly the mean of the scores,
so `da` differs from `random` only by its variance and, in practice, by showing one item at a time.

EASL adds a score s to alpha and 1 - s to beta, as if a score were a share of one coin thrown once. Its
variance then is m (1 - m) a judgment, m the item's score, where the judgments' own is s^2: the intervals are
far too wide (at a nominal 95 % they cover .999 to 1). Calibrated intervals hold as often as they say. With

    k = mean of m (1 - m) over judged items / s^2        Beta(1 + k (alpha - 1), 1 + k (beta - 1))

the distribution has the judgments' variance and the same mode (the paper has no such factor). In simulations
with noise of .1 to .3 and 3 to 20 judgments an item they cover the expected score in .92 to .96 of items.
That is a mean over the scale: at noise .1 it is .88 to .90 for items in the outer fifths and .97 in the
middle, since items near an end have less room to vary than s says; at .2 it is .94 to .97 everywhere. They
assume that judgments of an item are independent with one spread s, and say how far more of *these*
annotators' judgments would move the score: an annotator's shift that all of an item's judgments share is not
in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...data.options import one_of
from ...errors import InputError, NotEstimableError
from ...fit.estimates.array_inference import normal_quantile
from ...numerics.arrays import BoolArray
from . import beta, beta as beta_distributions, trueskill
from .beta import EPSILON, GAMMA, START, FloatArray, IntArray
from .coded_judgments import check_level
from .trueskill import START_MEAN, START_VARIANCE

Method = Literal["easl", "da", "ra", "trueskill", "random"]
METHODS: tuple[Method, ...] = get_args(Method)
#: Methods whose result is the same in whatever order HITs come.
ADDITIVE: tuple[Method, ...] = ("easl", "da", "random")
#: Methods with a beta distribution an item.
BETA: tuple[Method, ...] = ("easl", "ra", "random")


@dataclass(frozen=True)
class Settings:
    """The constants of the methods that judge pairs, by default those of Sakaguchi and Van Durme (2018).
    gamma: skill chain, > 0.  epsilon: tie rate of ra and trueskill, >= 0.  tie_within: scores (of 0 to 1) no
    further apart are a tie; 0: equal ones."""

    gamma: float = GAMMA
    epsilon: float = EPSILON
    tie_within: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and (value > 0 or value == 0 and name != "gamma")):
                least = "> 0" if name == "gamma" else ">= 0"
                raise InputError(f"{name}={value!r}; expected a finite number {least}")


@dataclass(frozen=True, eq=False)
class ScoreState:
    """The state of every item under one method.
    `a`, b float[n_items]: as in the module's table; `b` of da is the sum of squared deviations from the mean,
    and its `a` nan without a score.  n int[n_items]: scores counted."""

    method: Method
    a: FloatArray
    b: FloatArray
    n: IntArray

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        if not len(self.a) == len(self.b) == len(self.n):
            sizes = f"{len(self.a)}, {len(self.b)} and {len(self.n)}"
            raise InputError(f"state of {sizes} items; expected equal lengths")
        bad = self._unusable()
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            need = "alpha and beta >= 1" if self.method in BETA else "a finite mean and a variance > 0"
            raise InputError(
                f"method {self.method}: item number {k + 1} has {self.a[k]} and {self.b[k]}; expected {need}"
            )

    def _unusable(self) -> BoolArray:
        if self.method in BETA:
            return ~(np.isfinite(self.a) & np.isfinite(self.b) & (self.a >= 1) & (self.b >= 1))
        if self.method == "trueskill":
            return ~(np.isfinite(self.a) & np.isfinite(self.b) & (self.b > 0))
        return (self.n > 0) & ~(np.isfinite(self.a) & (self.b >= 0))

    @property
    def score(self) -> FloatArray:
        """Mode, mean score or mean; in [0, 1] but for trueskill (no ends); nan for da without a score."""
        return beta.mode(self.a, self.b) if self.method in BETA else self.a.copy()

    @property
    def variance(self) -> FloatArray:
        """Of the item's distribution; of da the variance of the mean, nan below two scores."""
        if self.method in BETA:
            return beta.variance(self.a, self.b)
        if self.method == "trueskill":
            return np.array(self.b)
        enough = self.n > 1
        return np.where(enough, self.b / np.where(enough, self.n * (self.n - 1.0), 1.0), np.nan)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The method's own interval, float[n_items] each of low and high.
        Highest density of the beta distribution; normal for trueskill; Student's t for da, cut at 0 and 1, nan
        where scores do not vary.
        None is calibrated: the beta distributions count a score s as s successes and 1 - s failures."""
        check_level(level)
        if self.method in BETA:
            return beta.interval(self.a, self.b, level)
        if self.method == "trueskill":
            half = normal_quantile(0.5 + level / 2) * np.sqrt(self.b)
            return self.a - half, self.a + half
        from scipy.special import stdtrit

        spread = np.sqrt(np.where(self.variance > 0.0, self.variance, np.nan))
        half = stdtrit(np.maximum(self.n - 1, 1), 0.5 + level / 2) * spread
        return np.maximum(self.a - half, 0.0), np.minimum(self.a + half, 1.0)


def start(method: Method, n_items: int) -> ScoreState:
    """The state before the first HIT."""
    one_of("method", method, METHODS)
    first = {"da": np.nan, "trueskill": START_MEAN}.get(method, START)
    second = {"da": 0.0, "trueskill": START_VARIANCE}.get(method, START)
    return ScoreState(method, np.full(n_items, first), np.full(n_items, second), np.zeros(n_items, np.int64))


def observe(
    state: ScoreState, hits: Sequence[ArrayLike], scores: Sequence[ArrayLike], settings: Settings = Settings()
) -> ScoreState:
    """The state after some judged HITs.
    hits: items in the order of presentation, one entry a judgment.  scores: in [0, 1], nan where the judge
    could not say.  Returns ScoreState: for easl, random and da the same to the last bit in whatever order the
    HITs stand in one call; ra and trueskill go from the first to the last."""
    shown = [np.asarray(h, np.int64) for h in hits]
    given = [np.asarray(s, np.float64) for s in scores]
    _check(shown, given, len(state.a))
    items = np.concatenate(shown) if shown else np.zeros(0, np.int64)
    values = np.concatenate(given) if given else np.zeros(0)
    said = ~np.isnan(values)
    n = state.n + np.bincount(items[said], minlength=len(state.n))
    if state.method == "da":
        return ScoreState("da", *_pooled_mean(state, items[said], values[said], n), n)
    if state.method in ADDITIVE:
        return ScoreState(state.method, *beta.add_scores(state.a, state.b, items[said], values[said]), n)
    a, b = state.a.tolist(), state.b.tolist()  # Python's own numbers: ten times NumPy's speed one by one
    updates: dict[str, Callable[..., tuple[float, ...]]]
    updates = {"ra": beta.update_pair, "trueskill": trueskill.update_pair}
    update = updates[state.method]
    constants = settings.gamma, settings.epsilon
    for h, s in zip(shown, given):
        own = h.tolist()
        for k, l, outcome in beta.pairs_of_hit(s.tolist(), settings.tie_within):
            i, j = own[k], own[l]
            a[i], b[i], a[j], b[j] = update((a[i], b[i], a[j], b[j]), outcome, *constants)
    return ScoreState(state.method, np.array(a), np.array(b), n)


def _check(hits: Sequence[IntArray], scores: Sequence[FloatArray], n_items: int) -> None:
    if len(hits) != len(scores):
        raise InputError(f"{len(hits)} HITs and {len(scores)} rows of scores; expected as many of both")
    for k, (h, s) in enumerate(zip(hits, scores)):
        if h.shape != s.shape or h.ndim != 1:
            raise InputError(f"HIT {k + 1}: {h.shape} items and {s.shape} scores; expected one score an item")
    if not hits:
        return
    items, values = np.concatenate(hits), np.concatenate(scores)
    row = np.repeat(np.arange(len(hits)), [len(h) for h in hits])
    bad = (items < 0) | (items >= n_items)
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        raise InputError(f"HIT {row[k] + 1}: item number {items[k]}, but there are {n_items}")
    order = np.lexsort((items, row))
    twice = (np.diff(items[order]) == 0) & (np.diff(row[order]) == 0)
    if twice.any():
        k = order[int(np.flatnonzero(twice)[0])]
        raise InputError(f"HIT {row[k] + 1}: item number {items[k]} twice; an item stands once in a HIT")
    bad = (values < 0) | (values > 1) | np.isinf(values)
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        raise InputError(f"HIT {row[k] + 1}: score {values[k]}; expected 0 to 1 (divide 0 to 100 by 100)")


def _pooled_mean(
    state: ScoreState, items: IntArray, values: FloatArray, n: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squared deviations of old and new scores together (Chan, Golub and LeVeque 1979)."""
    size = len(n)
    fresh = n - state.n
    before = np.where(state.n > 0, state.a, 0.0)
    new_mean = beta.exact_sums(items, values, size) / np.maximum(fresh, 1)
    new_squares = beta.exact_sums(items, (values - new_mean[items]) ** 2, size)
    gap = new_mean - before
    mean = np.where(state.n == 0, new_mean, before + gap * fresh / np.maximum(n, 1))
    both = state.b + new_squares + gap * gap * state.n * fresh / np.maximum(n, 1)
    squares = np.where(state.n == 0, new_squares, both)
    mean = np.where(fresh == 0, state.a, np.clip(mean, 0.0, 1.0))  # a mean of ones can round to above 1
    return np.where(n == 0, np.nan, mean), squares


def calibration(alpha: ArrayLike, beta: ArrayLike, spread: float) -> float:
    """The factor k: how many throws of a coin a judgment is worth.
    alpha, beta float[n_items]: EASL's state, >= 1; items at (1, 1) are not judged yet and left out.  spread:
    standard deviation of the judgments of an item, on the scale from 0 to 1."""
    if not (np.isfinite(spread) and spread > 0):
        raise InputError(
            f"spread={spread!r}; expected a number > 0: with no spread within items there is no interval"
        )
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    judged = (a > 1.0) | (b > 1.0)
    m = beta_distributions.mode(a[judged], b[judged])
    throws = float(np.mean(m * (1.0 - m))) if judged.any() else 0.0
    if throws == 0.0:
        raise NotEstimableError(
            f"calibration of {int(judged.sum())} judged items: none has a score between the ends of the scale"
        )
    return throws / spread**2
