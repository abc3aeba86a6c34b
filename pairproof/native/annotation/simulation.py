"""Simulated annotation: how near each method comes to a known truth, and what a number of annotations buys.

The experiments of Sakaguchi and Van Durme (2018), section 5, with the annotators replaced by a model of their
noise: an annotator gives truth + error, cut to [0, 1].  The error's standard deviation is chosen so that
annotators agree as far as is asked (0.37 and 0.67 in the paper).  `context` multiplies it inside a HIT of
several items: 1 is an annotator whose noise does not depend on what else is on the page; below 1 the context
helps.  Every method gets the same number of annotations: an iteration is one annotation an item.

Truths: `lexical`, log-normal frequencies as in figure 7 (log10 of the frequency over its largest value; the
corpus itself is not ours); `political`, two-humped with the standard deviation 0.331 of the gold labels
(which have no licence); `uniform`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ...data.options import one_of, whole_number
from ...errors import InputError
from .allocation import Pool, next_hits
from .annotators import agreement, pearson, spearman
from .beta import FloatArray, IntArray
from .match_quality import quality_map
from .methods import METHODS, Method, ScoreState, Settings, observe, start

Truth = Literal["lexical", "political", "uniform"]
Measure = Literal["spearman", "pearson"]
#: Of agreement with the truth.
MEASURES: tuple[Measure, ...] = get_args(Measure)
Noise = Literal["normal", "beta"]
#: Annotators whose agreement is measured: 10 in the paper.
ANNOTATORS = 10
#: Iterations before which the match quality is drawn (figure 8).
MAPPED = (0, 3, 6, 9)


def truth_of(kind: Truth, n_items: int, rng: np.random.Generator) -> FloatArray:
    """float[n_items] in [0, 1]."""
    one_of("truth", kind, get_args(Truth))
    if kind == "uniform":
        return rng.random(n_items)
    if kind == "political":
        # Beta(h, h) has variance 1 / (4 (2h + 1)): h = 0.64 for 0.331^2.
        return rng.beta(0.64, 0.64, n_items)
    logs = np.maximum(
        rng.normal(3.0, 0.9, n_items), 0.0
    )  # a word that is in the corpus at all has log10(frequency) >= 0
    scaled: FloatArray = logs / logs.max()
    return scaled


@dataclass(frozen=True, eq=False)
class Annotators:
    """How annotators err.

    Attributes
    ----------
    sd : float
        Of a score given to one item alone, before it is cut to [0, 1].
    context : float
        Factor on `sd` in a HIT of two or more items.
    noise : {"normal", "beta"}
        beta: a beta distribution with the truth as mean and this standard deviation (as near as [0, 1]
        allows).
    """

    sd: float
    context: float = 1.0
    noise: Noise = "normal"

    def __post_init__(self) -> None:
        one_of("noise", self.noise, get_args(Noise))
        for name, value in (("sd", self.sd), ("context", self.context)):
            if not (np.isfinite(value) and value >= 0):
                raise InputError(f"{name}={value!r}; expected a finite number >= 0")

    def judge(self, truth: FloatArray, per_hit: int, rng: np.random.Generator) -> FloatArray:
        """Scores of items with these truths."""
        sd = self.sd * (self.context if per_hit > 1 else 1.0)
        if self.noise == "normal":
            scores: FloatArray = np.clip(truth + rng.normal(0.0, 1.0, truth.shape) * sd, 0.0, 1.0)
            return scores
        mean = np.clip(truth, 0.02, 0.98)
        precision = np.maximum(mean * (1 - mean) / max(sd * sd, 1e-12) - 1.0, 0.2)
        drawn: FloatArray = rng.beta(mean * precision, (1 - mean) * precision)
        return drawn


def sd_for_agreement(truth: FloatArray, target: float, noise: Noise = "normal", seed: int = 0) -> float:
    """The standard deviation at which 10 annotators' mean pairwise Spearman's rho is `target`.

    Raises
    ------
    InputError
        No standard deviation up to 5 gives it.
    """
    least, most = 0.0, 5.0

    def agreed(sd: float) -> float:
        return mean_agreement(truth, Annotators(sd, 1.0, noise), seed)

    if not agreed(most) < target < 1.0:
        raise InputError(
            f"agreement {target}; expected a number between {agreed(most):.2f} and 1 for these truths"
        )
    for _ in range(24):
        middle = (least + most) / 2
        least, most = (middle, most) if agreed(middle) > target else (least, middle)
    return (least + most) / 2


def mean_agreement(truth: FloatArray, annotators: Annotators, seed: int = 0) -> float:
    """Mean pairwise Spearman's rho of 10 annotators who each score every item alone; mean of 3 such
    panels.
    """
    rng = np.random.default_rng([whole_number("seed", seed), 37])
    found = []
    for _ in range(3):
        scores = annotators.judge(np.tile(truth, (ANNOTATORS, 1)), 1, rng)
        who, item = (a.ravel() for a in np.indices(scores.shape))
        found.append(agreement(who, item, scores.ravel()).pairwise)
    return float(np.mean(found))


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is simulated.

    Attributes
    ----------
    truth : float[n_items]
    annotators : Annotators
    methods : tuple of Method
    budget : int
        Iterations, each of one annotation an item.
    replicates : int
    per_hit : int
        Items of a HIT; da shows 1.
    pool : Pool
    settings : Settings
    seed : int
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
    """A correlation by annotations an item: mean over replicates, bootstrap interval of that mean."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Simulation:
    """What came out.

    Attributes
    ----------
    experiment : Experiment
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
    """Run every method, every replicate with its own annotators and its own random numbers."""
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
                    maps[t] = quality_map(
                        state.score,
                        state.variance,
                        np.argsort(e.truth, kind="stable"),
                        gamma=e.settings.gamma,
                    )
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
    """Counts in equal bins of 0 to 1 (five in figures 7 and 10); a score of trueskill beyond them is in the
    end bin.
    """
    found: IntArray = np.histogram(np.clip(scores, 0.0, 1.0), bins, (0.0, 1.0))[0].astype(np.int64)
    return found


def spread(scores: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Standard deviation, smallest and largest of scores; what shows that RA's range is narrow."""
    s = np.asarray(scores, np.float64)
    return float(s.std(ddof=1)), float(s.min()), float(s.max())
