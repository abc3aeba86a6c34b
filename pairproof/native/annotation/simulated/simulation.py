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

Methods over a grid of shifts and contexts: where one passes another, and where the paper's verdicts turn.  What Sakaguchi and Van Durme (2018) claim, that RA needs fewer judgments than direct assessment and that EASL
does, depends on how annotators differ and on what showing items together does. RA looks at the order within a
HIT alone, which a shift of the whole HIT leaves as it is; EASL shows items together, which may lower the
noise, and chooses them, which random HITs do not. Every method is run over shifts (standard deviation of
annotator and session together) and contexts (:mod:`pairproof.native.annotation.simulated.simulated_panel`). A
difference counts if it is more than two standard errors of the replicates, which are paired: every method has
the same people. The verdicts are sentences, and compare with raw scores and with scores that are corrected
for annotators and sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, Union, get_args

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import ConvergenceError, InputError, NotEstimableError
from ....numerics.arrays import BoolArray
from ..allocation import Pool, next_hits, quality_map
from ..beta import FloatArray, IntArray
from ..methods import METHODS, Method, Settings, observe, start
from ..scores.annotator_agreement import pearson, spearman
from ..scores.mixed_model import mixed_model
from .simulated_panel import Context, Judged, Panel, PanelAtWork


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


#: Shifts of the grid: none, and up to twice that of WMT21's direct assessment (.14).
SHIFTS = (0.0, 0.1, 0.2, 0.3)
_Between = Union[tuple[float, float], None]
#: A difference must be this many standard errors to count.
CLEAR = 2.0


def turning(shifts: Sequence[float], first: Sequence[float], second: Sequence[float]) -> _Between:
    """Between which shifts the first method passes the second.
    `first`, second: spearman's rho of the two methods at each shift.  Returns (float, float) or None: the
    last shift at which the first is behind and the next one; (0, 0) if it is ahead from the first on; None if
    it is behind at the last."""
    if not len(shifts) == len(first) == len(second):
        raise InputError(
            f"{len(shifts)} shifts, {len(first)} and {len(second)} values; expected as many of each"
        )
    last = max((k for k in range(len(shifts)) if first[k] <= second[k]), default=-1)
    if last < 0:
        return 0.0, 0.0
    return None if last == len(shifts) - 1 else (float(shifts[last]), float(shifts[last + 1]))


@dataclass(frozen=True, eq=False)
class Grid:
    """Spearman's rho of methods with the truth, over contexts, shifts and judgments.
    contexts: "none", "uniform:0.7", ... shifts: rising.  rho: "da", "da+", ...: a method, and with + its
    corrected scores; nan where there are none."""

    contexts: tuple[str, ...]
    shifts: tuple[float, ...]
    after: tuple[int, ...]
    rho: Mapping[str, FloatArray]

    @property
    def names(self) -> tuple[str, ...]:
        """Methods, and with + their corrected scores."""
        return tuple(self.rho)

    def values(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts, replicates]."""
        if name not in self.rho or after not in self.after or context not in self.contexts:
            raise InputError(
                f"{name} after {after} judgments an item in context {context} was not run; there are"
                f" {', '.join(self.names)} after {', '.join(map(str, self.after))} in"
                f" {', '.join(self.contexts)}"
            )
        return np.asarray(self.rho[name][self.contexts.index(context), :, self.after.index(after)])

    def curve(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean of Spearman's rho."""
        return np.asarray(self.values(name, after, context).mean(axis=1))

    def standard_error(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: of the mean over replicates; nan with one."""
        return _standard_error(self.values(name, after, context))

    def gap(self, first: str, second: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean difference first - second."""
        return self.curve(first, after, context) - self.curve(second, after, context)

    def ahead(self, first: str, second: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean difference first - second where it is clear, else 0."""
        gap = self.values(first, after, context) - self.values(second, after, context)
        if gap.shape[1] < 2:
            raise InputError("one replicate has no standard error; expected two or more")
        mean: FloatArray = gap.mean(axis=1)
        return np.asarray(np.where(np.abs(mean) > CLEAR * _standard_error(gap), mean, 0.0))

    def turning(self, first: str, second: str, after: int, context: str = "none") -> _Between:
        """Between which shifts the first passes the second; see :func:`turning`."""
        one, other = (self.curve(name, after, context).tolist() for name in (first, second))
        return turning(self.shifts, one, other)


def _standard_error(values: FloatArray) -> FloatArray:
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    return np.asarray(values.std(axis=1, ddof=1) / np.sqrt(n))


def panel_grid(
    experiment: Experiment,
    shifts: Sequence[float] = SHIFTS,
    contexts: Sequence[Context] = (Context(),),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[Simulation, ...], ...]:
    """Run an experiment for every context and shift, in place of its panel's own.
    shifts: rising, >= 0.  Returns tuple of tuple of Simulation: by context, then shift; :func:`grid_of` makes
    a grid of them."""
    if not shifts or list(shifts) != sorted(set(shifts)):
        raise InputError(f"shifts={tuple(shifts)}; expected rising numbers")
    if not contexts or len(set(contexts)) != len(contexts):
        raise InputError(
            f"contexts {', '.join(map(str, contexts)) or 'none given'}; expected one or more, each once, such as"
            " none"
        )
    each = len(experiment.methods) * experiment.replicates
    total = len(contexts) * len(shifts) * each
    runs: list[Simulation] = []
    for context, shift in product(contexts, shifts):
        panel = replace(experiment.panel, shift=float(shift), context=context)

        def advance(done: int, _: int, before: int = len(runs) * each) -> None:
            if progress is not None:
                progress(before + done, total)

        runs.append(simulate(replace(experiment, panel=panel), advance))
    return tuple(tuple(runs[k : k + len(shifts)]) for k in range(0, len(runs), len(shifts)))


def grid_of(runs: Sequence[Sequence[Simulation]]) -> Grid:
    """The grid of simulations by context, then shift, after every iteration.
    Returns Grid: corrected scores after other iterations than those stated are nan."""
    first = runs[0][0].experiment
    rho = {name: np.stack([np.stack([s.of(name).T for s in row]) for row in runs]) for name in first.names}
    contexts = tuple(str(row[0].experiment.panel.context) for row in runs)
    shifts = tuple(s.experiment.panel.shift for s in runs[0])
    return Grid(contexts, shifts, tuple(range(1, first.budget + 1)), rho)


def crossing(grid: Grid, first: str, second: str, after: int, context: str = "none") -> float | None:
    """The shift at which the first method passes the second, by a straight line between the grid's shifts.
    Returns float or None: 0 if it is ahead from the first shift on; None if it is behind at the last."""
    between = grid.turning(first, second, after, context)
    if between is None or between == (0.0, 0.0):
        return None if between is None else 0.0
    gap = grid.gap(first, second, after, context)
    k = grid.shifts.index(between[0])
    part = float(-gap[k] / (gap[k + 1] - gap[k]))
    return between[0] + part * (between[1] - between[0])


def verdict_on_ra(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether RA beats direct assessment, and from which shift on.
    grid: with da, da+, random+, easl+ and ra, two replicates or more, and the context none."""
    ahead = _ahead(grid, "ra", "da", after)
    at = _shifts_of(grid, after, "none")
    if not ahead.any():
        behind = ", ".join(
            f"after {n} it is {_signed(float(grid.gap('ra', 'da', n)[-1]))} there" for n in after
        )
        raw = (
            f"not clearly against uncorrected scores either, up to shifts of sd {grid.shifts[-1]:g}"
            f" ({behind})"
        )
    elif at:
        raw = f"with shifts of sd {at} against uncorrected scores, yes ({_passes(grid, after)})"
    else:
        raw = f"against uncorrected scores only at some numbers of judgments ({_passes(grid, after)})"
    # Where context lowers noise, RA has it and direct assessment, one item at a time, has not.
    for context in grid.contexts:
        there = _shifts_of(grid, after, context)
        if context != "none" and there:
            raw += f", in context {context} with shifts of sd {there} ({_passes(grid, after, context)})"
    without = "yes" if grid.shifts[0] == 0.0 and ahead[:, 0].all() else "not"
    return f"RA beats DA: {without} without shifts; {raw}; {_against_corrected(grid, after)}"


def _shifts_of(grid: Grid, after: Sequence[int], context: str) -> str:
    """Shifts at which RA is clearly ahead of uncorrected direct assessment after each number of judgments."""
    ahead = np.asarray(_ahead(grid, "ra", "da", after, context).all(axis=0))
    found = [f"{s:g}" for s, yes in zip(grid.shifts, ahead) if yes]
    return ", ".join(found[:-1]) + (" and " if found[1:] else "") + found[-1] if found else ""


def _ahead(grid: Grid, first: str, second: str, after: Sequence[int], context: str = "none") -> BoolArray:
    """bool[after, shifts]: clearly ahead."""
    return np.stack([grid.ahead(first, second, n, context) > 0 for n in after])


def _passes(grid: Grid, after: Sequence[int], context: str = "none") -> str:
    at = {n: crossing(grid, "ra", "da", n, context) for n in after}
    return ", ".join(
        f"after {n} it passes {'nowhere' if x is None else f'at {x:.2f}'}" for n, x in at.items()
    )


def _against_corrected(grid: Grid, after: Sequence[int]) -> str:
    """RA against da+, and against random+ or easl+, over all contexts, shifts and numbers of judgments."""
    cells = len(grid.contexts) * len(grid.shifts) * len(after)
    alone = {c: int(_ahead(grid, "ra", "da+", after, c).sum()) for c in grid.contexts}
    hits = [[_ahead(grid, "ra", name, after, c) for name in ("random+", "easl+")] for c in grid.contexts]
    one, more = sum(alone.values()), sum(int((a | b).sum()) for a, b in hits)
    if not one and not more:
        return (
            "against scores corrected by the annotator model, no"
            f" (none of {cells} cells against da+; none of {cells} against random+ or easl+)"
        )
    found = f"in {more} of {cells} cells" if more else f"no (none of {cells} cells)"
    where = ", ".join(f"{n} in context {c}" for c, n in alone.items() if n) or "none"
    return (
        f"against HITs corrected by the annotator model, {found};"
        f" against corrected DA in {one} of {cells} ({where})"
    )


def verdict_on_easl(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether EASL's gain over direct assessment is its choice of items or their being shown together.
    grid: with da, random, easl and their corrected scores, two replicates or more.  Returns str: gains of raw
    scores at the first shift, and what the choice adds anywhere in the grid."""
    appears = [c for c in grid.contexts if _ahead(grid, "easl", "da", after, c)[:, 0].all()]
    others = [c for c in grid.contexts if c not in appears]
    where = "if showing items together lowers noise"
    if not appears or "none" in appears:
        where = f"in context {', '.join(appears)}" if appears else "in none of these contexts"
    first = f"EASL's gain over DA appears {where} ({_listed(grid, appears or others, after)})"
    if appears and others:
        first += f" and not otherwise ({_listed(grid, others, after, False)})"
    if appears:
        too = [c for c in appears if _ahead(grid, "random", "da", after, c)[:, 0].all()]
        first += "; random HITs have it too" if too == appears else "; random HITs do not all have it"
    cells = product(("", "+"), after, grid.contexts)
    gaps = np.concatenate([grid.gap(f"easl{plus}", f"random{plus}", n, c) for plus, n, c in cells])
    low, high = _signed(float(gaps.min())), _signed(float(gaps.max()))
    return f"{first}; over random HITs its choice of items adds from {low} to {high}, raw or corrected"


def _listed(grid: Grid, which: Sequence[str], after: Sequence[int], both: bool = True) -> str:
    """Gains of easl and of random HITs over da at the first shift, after each number of judgments."""
    said = []
    for context in which:
        easl, random = (
            " and ".join(_signed(float(grid.gap(name, "da", n, context)[0])) for n in after)
            for name in ("easl", "random")
        )
        said.append(f"{context}: easl {easl}" + (f", random HITs {random}" if both else ""))
    return f"{'; '.join(said)} after {' and '.join(map(str, after))}"


def _signed(number: float) -> str:
    return f"{number + 0.0:+.3f}"
