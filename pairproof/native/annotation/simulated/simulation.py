"""Simulated annotation: how near each method comes to a known truth, and what a number of annotations buys.

The experiments of Sakaguchi and Van Durme (2018), section 5, with the annotators replaced by a model of them
(:mod:`pairproof.native.annotation.simulated.simulated_panel`).  Every method gets the same number of
annotations: an iteration is one annotation an item.  In a replicate every method has the same people, who
come to their sessions in the same order; what they are shown, and their noise, is drawn for each method.
Histograms and ranges of final scores are those of figures 7 and 10.

Beside a method's own scores stand corrected ones, named da+, random+ and easl+: the item's prediction in the
mixed model item + session + annotator, fitted to all judgments
(:mod:`pairproof.native.annotation.scores.mixed_model`): shifts of annotators and of sessions are taken out,
and items that were judged rarely are drawn towards the mean. The method chooses its items by its own raw
scores. RA and TrueSkill use the order within a HIT alone, so there is nothing to correct.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import ConvergenceError, InputError, NotEstimableError
from ..allocation import Pool, next_hits, quality_map
from ..beta import FloatArray, IntArray
from ..methods import METHODS, Method, Settings, observe, start
from ..scores.annotator_agreement import pearson, spearman
from ..scores.mixed_model import mixed_model
from .simulated_panel import Judged, Panel, PanelAtWork


def histogram(scores: Sequence[float] | FloatArray, bins: int = 5) -> IntArray:
    """Numbers of scores in equal bins of 0 to 1 (Sakaguchi and Van Durme 2018, figures 7 and 10).
    scores float[n]: a score of trueskill beyond 0 or 1 is in the end bin.  Returns int[bins]."""
    return np.asarray(np.histogram(np.clip(scores, 0.0, 1.0), bins, (0.0, 1.0))[0].astype(np.int64))


def spread(scores: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Standard deviation, smallest and largest of scores, which show that RA's range is narrow.
    scores float[n]."""
    s = np.asarray(scores, np.float64)
    return float(s.std(ddof=1)), float(s.min()), float(s.max())


#: Methods with a corrected score beside the raw one.
CORRECTED = ("da", "random", "easl")
#: Judgments an item from which on the noise can be told from the items.
FEWEST = 2


def corrected_scores(batches: Sequence[Judged], n_items: int) -> FloatArray | None:
    """Predictions of items in the mixed model item + session + annotator.
    Returns float[n_items] or None: distance of each item from the mean; nan for an item that was not judged.
    None if the model cannot be fitted to these judgments."""
    rows = ((b.item, b.annotator, b.session, b.score) for b in batches)
    item, annotator, session, score = map(np.concatenate, zip(*rows))
    seen, codes = np.unique(item, return_inverse=True)
    effects = [codes.ravel(), np.unique(session, return_inverse=True)[1].ravel()]
    people = np.unique(annotator, return_inverse=True)[1].ravel()
    if people.max() > 0:
        effects.append(people)
    try:
        fit = mixed_model(score, effects)
    except (NotEstimableError, ConvergenceError):
        return None
    found = np.full(n_items, np.nan)
    found[seen] = fit.predictions[0]
    return found


Measure = Literal["spearman", "pearson"]
#: Of agreement with the truth.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Iterations before which the match quality is drawn (figure 8).
MAPPED = (0, 3, 6, 9)


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is simulated: true scores, annotators, methods, and how often.
    truth float[n_items]: in [0, 1], not all the same.  methods: of "easl", "da", "ra", "trueskill", "random",
    each once.  budget: iterations, each of one annotation an item.  per_hit: items of a HIT, 2 to half of
    all; da shows 1.  seed: >= 0.  corrected: iterations after which scores are also corrected for annotators
    and sessions, 2 to `budget`, rising."""

    truth: FloatArray
    panel: Panel
    methods: tuple[Method, ...] = ("da", "random", "easl", "ra")
    budget: int = 10
    replicates: int = 20
    per_hit: int = 5
    pool: Pool = "paper"
    settings: Settings = field(default_factory=Settings)
    seed: int = 0
    corrected: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for method in self.methods:
            one_of("method", method, METHODS)
        if len(set(self.methods)) != len(self.methods) or not self.methods:
            raise InputError(
                f"methods {', '.join(self.methods) or 'none'}; expected each once, and one at least"
            )
        n, t = len(self.truth), self.truth
        if n < 3 or not ((t >= 0) & (t <= 1)).all() or np.ptp(t) == 0:
            raise InputError(
                f"truth of {n} items; expected 3 or more numbers from 0 to 1 that are not all the same"
            )
        for name in ("budget", "replicates", "per_hit", "seed"):
            whole_number(name, vars(self)[name], int(name != "seed"))
        if not 2 <= self.per_hit <= n // 2:
            raise InputError(f"per_hit={self.per_hit} with {n} items; expected 2 to {n // 2}")
        rising = list(self.corrected) == sorted(set(self.corrected))
        if not rising or any(not FEWEST <= t <= self.budget for t in self.corrected):
            raise InputError(
                f"corrected={self.corrected}; expected rising numbers of iterations from {FEWEST} to {self.budget}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The methods; after one whose scores are also corrected, its name with +."""
        pairs = ((m, f"{m}+") if self.corrected and m in CORRECTED else (m,) for m in self.methods)
        return tuple(name for pair in pairs for name in pair)


@dataclass(frozen=True, eq=False)
class Curve:
    """A correlation by annotations an item, with a bootstrap interval over replicates.
    mean, low, high float[budget]: mean over replicates, and the interval of that mean; nan after iterations
    without corrected scores."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of a simulated annotation.
    annotations float[budget]: an item, on average, after each iteration.  spearman, pearson float[names,
    replicates, budget]: of the scores with the truth; the names are those of the experiment.  nan for
    corrected scores after other iterations, and where their model could not be fitted.  final: scores at the
    end of the first replicate; corrected ones as distances from the mean.  maps: match quality before it,
    items ordered by the truth, of easl in the first replicate; empty without easl.  coverage: how often the
    methods' own 95 % intervals hold the truth at the end; nan for trueskill, whose scale is its own.
    not_fitted: corrected scores that are missing because their model could not be fitted."""

    experiment: Experiment
    annotations: FloatArray
    spearman: FloatArray
    pearson: FloatArray
    final: dict[str, FloatArray]
    maps: dict[int, FloatArray]
    coverage: dict[str, float]
    not_fitted: dict[str, int]

    def of(self, name: str, measure: Measure = "spearman") -> FloatArray:
        """float[replicates, budget]: correlations of a method, or of its corrected scores."""
        one_of("method", name, self.experiment.names)
        return np.asarray(getattr(self, measure)[self.experiment.names.index(name)])

    def curve(
        self, method: str, measure: Measure = "spearman", level: float = 0.95, resamples: int = 1000
    ) -> Curve:
        """Mean over replicates, and its bootstrap interval: replicates resampled, alike for the same seed."""
        values = self.of(method, measure)
        if method.endswith("+"):
            fitted = values[:, [t - 1 for t in self.experiment.corrected]]
            values = values[~np.isnan(fitted).any(axis=1)]
        if not len(values):
            return Curve(*np.full((3, self.experiment.budget), np.nan))
        rng = np.random.default_rng([self.experiment.seed, 95])
        means = values[rng.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
        return Curve(values.mean(axis=0), *np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0))

    def needed(self, method: str, target: float) -> float:
        """Annotations an item until the mean Spearman's rho reaches `target`, between iterations by straight
        lines; nan if the budget does not suffice, the first known iteration's number if that is enough."""
        mean = self.curve(method, resamples=1).mean
        known = np.flatnonzero(~np.isnan(mean))
        rho, n = mean[known], self.annotations[known]
        reached = np.flatnonzero(rho >= target)
        if not len(reached):
            return float("nan")
        k = int(reached[0])
        if k == 0:
            return float(n[0])
        part = (target - rho[k - 1]) / (rho[k] - rho[k - 1])
        return float(n[k - 1] + part * (n[k] - n[k - 1]))

    def gain(self, method: str, fewer: int, more: int) -> float:
        """Where the method stands after `fewer` annotations: 0 as da after as many, 1 as da after `more`."""
        da, own = self.curve("da", resamples=1).mean, self.curve(method, resamples=1).mean
        return float((own[fewer - 1] - da[fewer - 1]) / (da[more - 1] - da[fewer - 1]))


def simulate(experiment: Experiment, progress: Callable[[int, int], None] | None = None) -> Simulation:
    """Run every method, every replicate with its own annotators and its own random numbers.
    The experiments of Sakaguchi and Van Durme (2018), section 5, with simulated annotators."""
    e = experiment
    each = -(-len(e.truth) // e.per_hit) * e.per_hit / len(e.truth)
    ranks, products = np.full((2, len(e.names), e.replicates, e.budget), np.nan)
    found = Simulation(e, np.asarray(np.arange(1, e.budget + 1) * each), ranks, products, {}, {}, {}, {})
    for m, method in enumerate(e.methods):
        held = []
        for r in range(e.replicates):
            held.append(_replicate(found, method, r))
            if progress is not None:
                progress(m * e.replicates + r + 1, len(e.methods) * e.replicates)
        found.coverage[method] = float("nan") if method == "trueskill" else float(np.mean(held))
    return found


#: Between the numbers of methods in a seed, so that no method has the random numbers of the people.
PEOPLE = 1000


def _replicate(s: Simulation, method: Method, r: int) -> float:
    """One campaign, which is written into `s`; the share of truths that the intervals hold."""
    e = s.experiment
    own = np.random.default_rng([e.seed, METHODS.index(method), r])
    people = np.random.default_rng([e.seed, PEOPLE, r])
    work = PanelAtWork(e.panel, e.truth, people, own, session=e.per_hit)
    state = start(method, len(e.truth))
    batches: list[Judged] = []
    count = -(-len(e.truth) // e.per_hit)
    # The same number of annotations, one item at a time.
    size, count = (1, count * e.per_hit) if method == "da" else (e.per_hit, count)
    for t in range(e.budget):
        if method == "easl" and r == 0 and t in MAPPED:
            order = np.argsort(e.truth, kind="stable")
            s.maps[t] = quality_map(state.score, state.variance, order, gamma=e.settings.gamma)
        hits = next_hits(state, state.n, size, count, own, first=t == 0, pool=e.pool, gamma=e.settings.gamma)
        judged = work.judge(hits)
        batches.append(judged)
        state = observe(state, list(hits), list(judged.score.reshape(hits.shape)), e.settings)
        seen = state.n > 0
        _write(s, method, r, t, np.where(seen, state.score, np.nan))
        if t + 1 in e.corrected and method in CORRECTED:
            better = corrected_scores(batches, len(e.truth))
            name = f"{method}+"
            s.not_fitted[name] = s.not_fitted.get(name, 0) + (better is None)
            if better is not None:
                _write(s, name, r, t, better)
    low, high = state.interval()
    return float(np.mean((low <= e.truth) & (e.truth <= high)))


def _write(s: Simulation, name: str, r: int, t: int, scores: FloatArray) -> None:
    """The correlations of scores with the truth; nan: not judged yet."""
    e = s.experiment
    seen, row = ~np.isnan(scores), e.names.index(name)
    s.spearman[row, r, t] = spearman(scores[seen], e.truth[seen])
    s.pearson[row, r, t] = pearson(scores[seen], e.truth[seen])
    if r == 0:
        s.final[name] = scores
