"""Simulated annotation: how near each method comes to a known truth, and what a number of annotations buys.

The experiments of Sakaguchi and Van Durme (2018), section 5, with the annotators replaced by a model of their
noise (:mod:`pairproof.native.annotation.simulated.simulated_annotators`).  Every method gets the same number of
annotations: an iteration is one annotation an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import InputError
from ..allocation import Pool, next_hits
from ..beta import FloatArray, IntArray
from ..match_quality import quality_map
from ..methods import METHODS, Method, ScoreState, Settings, observe, start
from ..quality.annotators import pearson, spearman
from .simulated_annotators import Annotators

Measure = Literal["spearman", "pearson"]
#: Of agreement with the truth.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Iterations before which the match quality is drawn (figure 8).
MAPPED = (0, 3, 6, 9)


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is simulated: true scores, annotators, methods, and how often.

    Attributes
    ----------
    truth : float[n_items]
        In [0, 1], not all the same.
    annotators : Annotators
    methods : tuple of str
        Of "easl", "da", "ra", "trueskill", "random", each once.
    budget : int
        Iterations, each of one annotation an item.
    replicates : int
        >= 1.
    per_hit : int
        Items of a HIT, 2 to half of all; da shows 1.
    pool : {"paper", "keisks", "cjmay"}
        Where partners come from.
    settings : Settings
        The methods' constants.
    seed : int
        >= 0.

    Raises
    ------
    InputError
        A value out of its range, or methods that are unknown or named twice.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import Annotators
    >>> from pairproof.native.annotation.simulated.simulation import Experiment
    >>> Experiment(np.linspace(0, 1, 20), Annotators(sd=0.2), methods=("da", "easl")).budget
    10
    """

    truth: FloatArray
    annotators: Annotators
    methods: tuple[Method, ...] = ("da", "random", "easl", "ra")
    budget: int = 10
    replicates: int = 20
    per_hit: int = 5
    pool: Pool = "paper"
    settings: Settings = field(default_factory=Settings)
    seed: int = 0

    def __post_init__(self) -> None:
        for method in self.methods:
            one_of("method", method, METHODS)
        if len(set(self.methods)) != len(self.methods) or not self.methods:
            raise InputError(
                f"methods {', '.join(self.methods) or 'none'}; expected each once, and one at least"
            )
        n = len(self.truth)
        if (
            n < 3
            or not np.isfinite(self.truth).all()
            or self.truth.min() < 0
            or self.truth.max() > 1
            or np.ptp(self.truth) == 0
        ):
            raise InputError(
                f"truth of {n} items; expected 3 or more numbers from 0 to 1 that are not all the same"
            )
        for name, value, least in (
            ("budget", self.budget, 1),
            ("replicates", self.replicates, 1),
            ("per_hit", self.per_hit, 1),
            ("seed", self.seed, 0),
        ):
            whole_number(name, value, least)
        if not 2 <= self.per_hit <= n // 2:
            raise InputError(f"per_hit={self.per_hit} with {n} items; expected 2 to {n // 2}")


@dataclass(frozen=True, eq=False)
class Curve:
    """A correlation by annotations an item, with a bootstrap interval over replicates.

    Attributes
    ----------
    mean, low, high : float[budget]
        Mean over replicates, and the interval of that mean.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulation import Curve
    >>> Curve(np.array([0.5, 0.8]), np.array([0.4, 0.75]), np.array([0.6, 0.85])).mean
    array([0.5, 0.8])
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of a simulated annotation.

    Attributes
    ----------
    experiment : Experiment
        As stated.
    annotations : float[budget]
        An item, on average, after each iteration.
    spearman, pearson : float[methods, replicates, budget]
        Of the scores with the truth.
    final : mapping of method to float[n_items]
        Scores at the end of the first replicate.
    maps : mapping of iteration to float[k, k]
        Match quality before it, items ordered by the truth, of easl in the first replicate; empty without
        easl.
    coverage : mapping of method to float
        How often the methods' own 95 % intervals hold the truth at the end; nan for trueskill, whose scale is
        its own.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import Annotators
    >>> from pairproof.native.annotation.simulated.simulation import Experiment, simulate
    >>> stated = Experiment(np.linspace(0, 1, 20), Annotators(sd=0.2), methods=("da", "easl"), budget=3,
    ...                     replicates=2)
    >>> simulate(stated).annotations
    array([1., 2., 3.])
    """

    experiment: Experiment
    annotations: FloatArray
    spearman: FloatArray
    pearson: FloatArray
    final: dict[Method, FloatArray]
    maps: dict[int, FloatArray]
    coverage: dict[Method, float]

    def curve(
        self, method: Method, measure: Measure = "spearman", level: float = 0.95, resamples: int = 1000
    ) -> Curve:
        """Mean over replicates, and its bootstrap interval (replicates resampled; the same seed, the same
        interval).
        """
        values = getattr(self, measure)[self.experiment.methods.index(method)]
        rng = np.random.default_rng([self.experiment.seed, 95])
        means = values[rng.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return Curve(values.mean(axis=0), low, high)

    def needed(self, method: Method, target: float) -> float:
        """Annotations an item until the mean Spearman's rho reaches `target`, between iterations by straight
        lines; nan if the budget does not suffice, the first iteration's number if that is enough."""
        mean = self.curve(method, resamples=1).mean
        reached = np.flatnonzero(mean >= target)
        if not len(reached):
            return float("nan")
        k = int(reached[0])
        if k == 0:
            return float(self.annotations[0])
        part = (target - mean[k - 1]) / (mean[k] - mean[k - 1])
        return float(self.annotations[k - 1] + part * (self.annotations[k] - self.annotations[k - 1]))

    def gain(self, method: Method, fewer: int, more: int) -> float:
        """Where the method stands after `fewer` annotations between da after `fewer` (0) and da after `more`
        (1).
        """
        da, own = self.curve("da", resamples=1).mean, self.curve(method, resamples=1).mean
        return float((own[fewer - 1] - da[fewer - 1]) / (da[more - 1] - da[fewer - 1]))


def simulate(experiment: Experiment) -> Simulation:
    """Run every method, every replicate with its own annotators and its own random numbers.

    The experiments of Sakaguchi and Van Durme (2018), section 5, with simulated annotators.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    Simulation

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import Annotators
    >>> from pairproof.native.annotation.simulated.simulation import Experiment, simulate
    >>> stated = Experiment(np.linspace(0, 1, 20), Annotators(sd=0.2), methods=("da", "easl"), budget=3,
    ...                     replicates=2)
    >>> simulate(stated).curve("easl").mean.round(1)
    array([0.9, 0.9, 0.9])
    """
    e = experiment
    shape = (len(e.methods), e.replicates, e.budget)
    rank, linear = np.full(shape, np.nan), np.full(shape, np.nan)
    final: dict[Method, FloatArray] = {}
    maps: dict[int, FloatArray] = {}
    coverage: dict[Method, float] = {}
    for m, method in enumerate(e.methods):
        held = []
        for r in range(e.replicates):
            rng = np.random.default_rng([e.seed, METHODS.index(method), r])
            state = start(method, len(e.truth))
            for t in range(e.budget):
                if method == "easl" and r == 0 and t in MAPPED:
                    order = np.argsort(e.truth, kind="stable")
                    maps[t] = quality_map(state.score, state.variance, order, gamma=e.settings.gamma)
                hits = _hits(e, method, state, t, rng)
                scores = e.annotators.judge(e.truth[hits], hits.shape[1], rng)
                state = observe(state, list(hits), list(scores), e.settings)
                seen = state.n > 0
                rank[m, r, t] = spearman(state.score[seen], e.truth[seen])
                linear[m, r, t] = pearson(state.score[seen], e.truth[seen])
            low, high = state.interval()
            held.append(np.mean((low <= e.truth) & (e.truth <= high)))
            final.setdefault(method, state.score)
        coverage[method] = float("nan") if method == "trueskill" else float(np.mean(held))
    hits_each = -(-len(e.truth) // e.per_hit)
    a_batch = hits_each * e.per_hit / len(e.truth)
    return Simulation(e, np.arange(1, e.budget + 1) * a_batch, rank, linear, final, maps, coverage)


def _hits(e: Experiment, method: Method, state: ScoreState, t: int, rng: np.random.Generator) -> IntArray:
    n = len(e.truth)
    hits = -(-n // e.per_hit)
    # The same number of annotations, one item at a time.
    size, count = (1, hits * e.per_hit) if method == "da" else (e.per_hit, hits)
    return next_hits(state, state.n, size, count, rng, first=t == 0, pool=e.pool, gamma=e.settings.gamma)


def histogram(scores: Sequence[float] | FloatArray, bins: int = 5) -> IntArray:
    """Numbers of scores in equal bins of 0 to 1 (Sakaguchi and Van Durme 2018, figures 7 and 10).

    Parameters
    ----------
    scores : float[n]
        A score of trueskill beyond 0 or 1 is in the end bin.
    bins : int

    Returns
    -------
    int[bins]

    Examples
    --------
    >>> from pairproof.native.annotation.simulated.simulation import histogram
    >>> histogram([0.1, 0.15, 0.5, 1.2])
    array([2, 0, 1, 0, 1])
    """
    found: IntArray = np.histogram(np.clip(scores, 0.0, 1.0), bins, (0.0, 1.0))[0].astype(np.int64)
    return found


def spread(scores: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Standard deviation, smallest and largest of scores, which show that RA's range is narrow.

    Parameters
    ----------
    scores : float[n]

    Examples
    --------
    >>> from pairproof.native.annotation.simulated.simulation import spread
    >>> [round(number, 3) for number in spread([0.2, 0.5, 0.8])]
    [0.3, 0.2, 0.8]
    """
    s = np.asarray(scores, np.float64)
    return float(s.std(ddof=1)), float(s.min()), float(s.max())
