"""When enough has been judged: rules on items and systems that stay valid although one looks all the time.

For all n >= n0 at once, P(|mean_n - m| > s_n B(n)) <= alpha, with Robbins' (1970) normal mixture

    B(n) = sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / alpha)), r = (U - 1) / n*, U = -W_{-1}(-alpha^2 / e)

(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640; asymptotic, s_n the sd of
a term). B is smallest at the planned n*: sqrt(U / n*), 1.55 times the half-width of one look at alpha .05.
Which item is next may depend on the scores so far: sums stay martingales.

items short     every half-width s_i B(n_i) is at most w; alpha is each item's; before batch three too early
items top k     least lower limit of the top > greatest upper limit of the rest - delta; alpha over the items
systems short,  by differences within a source; terms are sources, before 30 too early; alpha over contrasts;
top k, ranking  a ranking is settled if every difference excludes 0 or lies in [-delta, delta]

s_i is the larger of the pooled spread s and sqrt((10 s^2 + SS_i) / (9 + n_i)): with s alone sequences of 20
items erred twice as often (.04 to .05 against .02). No rule sees a shift that all judgments of an item share:
correct scores for locations. Rules on systems speak of further sources and these annotators (for others see
:mod:`pairproof.native.annotation.scores.systems_model`), in an order of sources that does not depend on
scores.

With `looks`, O'Brien and Fleming's (1979) repeated intervals (Jennison and Turnbull 1989), C sqrt(N / n) /
sqrt(n) spreads at n of N sources: shorter near N, at equally spaced looks only. With z_k = S_k / sqrt(k) at K
looks O'Brien-Fleming stop if |z_k| >= C sqrt(K / k), Pocock (1977) if |z_k| >= C; C by the recursion of
Armitage, McPherson and Rowe (1969), Gauss-Legendre with 160 nodes (12 digits).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of, whole_number
from ....errors import InputError, NotEstimableError
from ....numerics.arrays import BoolArray
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, coded, coded_scores, numbers

#: Judgments beyond which nobody goes on.
MOST = 10**9


def mixture_constant(alpha: float) -> float:
    """U = -W(-alpha^2 / e) on the lower branch: the squared half-width at the planned n, times n.
    Robbins (1970) has the mixture, Waudby-Smith and others (2024) its tuning.  alpha: in (0, 1).  Returns
    float: the root above 1 of U - log U = 1 - 2 log alpha."""
    from scipy.special import lambertw

    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha!r}; expected a number between 0 and 1, such as 0.05")
    right = 1.0 - 2.0 * math.log(alpha)
    # Below alpha 1e-150 alpha^2 underflows; U = right + log U converges from any start.
    u = float(-lambertw(-(alpha**2) / math.e, -1).real) if alpha > 1e-150 else right
    for _ in range(60):
        # Newton on U - log U - right takes off what rounding in the branch near -1/e has left.
        step = (u - math.log(u) - right) / (1.0 - 1.0 / u) if u > 1.0 else 0.0
        u -= step
        if abs(step) < 1e-15 * u:
            break
    return u


def boundary(n: ArrayLike, alpha: float, planned: float) -> FloatArray:
    """B(n): the half-width of the interval in standard deviations of a term.
    n: terms so far, > 0.  alpha: in (0, 1).  planned: n*, the number at which the interval is made as short
    as it can be; > 0.  Returns float[...]."""
    t = np.asarray(n, np.float64)
    if not (planned > 0 and math.isfinite(planned)):
        raise InputError(f"planned={planned!r}; expected a number of judgments > 0")
    if not (t > 0).all():
        raise InputError(f"n={float(t.min())!r}; expected numbers of judgments > 0")
    return _boundary(t, (mixture_constant(alpha) - 1.0) / planned, alpha)


def _boundary(t: FloatArray, r: float, alpha: float) -> FloatArray:
    grown = t * r + 1.0
    return np.asarray(np.sqrt(2.0 * grown / (t * t * r) * (0.5 * np.log(grown) - math.log(alpha))))


def enough(half: ArrayLike, spread: ArrayLike, alpha: float, planned: float) -> FloatArray:
    """The smallest n at which spread B(n) <= half.
    half float[k]: half-width wanted.  spread float[k]: standard deviation of a term, >= 0.  Returns float[k]:
    whole numbers; inf where the half-width is not positive, or beyond 1e9."""
    wanted, s = np.broadcast_arrays(np.asarray(half, np.float64), np.asarray(spread, np.float64))
    low, high = np.zeros(wanted.shape), np.full(wanted.shape, float(MOST))
    reached = (wanted > 0) & (s * boundary(high, alpha, planned) <= wanted)
    r = (mixture_constant(alpha) - 1.0) / planned
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        middle = np.where(high - low > 1, middle, high)
        fine = s * _boundary(middle, r, alpha) <= wanted
        low, high = np.where(fine, low, middle), np.where(fine, middle, high)
    return np.asarray(np.where(reached, high, np.inf))


Verdict = Literal["stop", "go on", "too early"]
#: Batches before which items, and sources before which systems, are not looked at: the sequences are
#: asymptotic.
FEWEST_BATCHES, FEWEST_SOURCES = 3, 30
#: Judgments that the pooled spread counts for in an item's own.
PRIOR_JUDGMENTS = 10


@dataclass(frozen=True, eq=False)
class Look:
    """What a stopping rule says now.
    names: items, systems, or contrasts "A - B".  estimate, half float[k]: mean and half-width of its
    sequence; inf where there is one term or none.  n int[k]: judgments of the item, or sources.  settled
    bool[k]: whether this one fulfils the rule.  further: more judgments (of items) or sources (of systems)
    that are expected; 0 if settled, inf if the goal cannot be reached with means and spreads as they are."""

    verdict: Verdict
    names: tuple[str, ...]
    estimate: FloatArray
    half: FloatArray
    n: IntArray
    settled: BoolArray
    further: float
    why: str


class _Means(NamedTuple):
    """Items, or differences of systems, with the spread of a term of their sequences and how many there are."""

    names: tuple[str, ...]
    estimate: FloatArray
    spread: FloatArray
    n: IntArray


class _Rule(NamedTuple):
    """The level of a sequence and the number of terms at which it is shortest; with `looks` the most."""

    alpha: float
    planned: float
    looks: int | None = None

    def half(self, means: _Means, least: int) -> FloatArray:
        """float[k]: half-widths; inf with fewer than `least` terms."""
        n = np.maximum(means.n, 1)
        if self.looks is None:
            each = boundary(n, self.alpha, self.planned)
        else:
            each = _last(self.looks, self.alpha) * np.sqrt(np.maximum(self.planned / n, 1.0) / n)
        return np.where(means.n >= least, means.spread * each, np.inf)

    def wanted(self, half: FloatArray, spread: FloatArray) -> FloatArray:
        """float[k]: terms at which a half-width is reached; inf where it never is."""
        if self.looks is None:
            return enough(half, spread, self.alpha, self.planned)
        # Beyond the planned number there is no boundary.
        with np.errstate(divide="ignore"):
            need = np.ceil(_last(self.looks, self.alpha) * spread * np.sqrt(self.planned) / half)
        return np.where((half > 0) & (need <= self.planned), need, np.inf)


def items_short(
    item: Labels,
    score: ArrayLike,
    half: float,
    batches: int,
    alpha: float = 0.05,
    planned: float = 10.0,
    items: Labels | None = None,
    widen: float = 1.0,
) -> Look:
    """Whether every item's interval is short enough.
    score float[n]: corrected for the annotators' locations if they differ.  half: half-width wanted, > 0, on
    the scale of the scores.  alpha: of each item's sequence.  planned: judgments an item at which the
    sequence is shortest; to be fixed beforehand.  widen: factor on all spreads, >= 1, for what the correction
    of scores has taken from them and added to their means (`shrunken_locations`)."""
    _positive("half", half)
    means, rule = _items(item, score, items, widen), _Rule(alpha, planned)
    widths = rule.half(means, 1)
    settled = widths <= half
    wanted = rule.wanted(np.full(len(widths), half), means.spread)
    further = float(np.maximum(wanted - means.n, 0.0)[~settled].sum())
    why = f"{int(settled.sum())} of {len(settled)} items have a half-width of {half:g} or less"
    return _look(means, widths, settled, further, why, _early_batches(batches))


def items_top(
    item: Labels,
    score: ArrayLike,
    k: int,
    batches: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 10.0,
    items: Labels | None = None,
    widen: float = 1.0,
) -> Look:
    """Whether the k best items are distinguished from the rest.
    score float[n]: corrected for the annotators' locations if they differ.  delta: a difference that does not
    matter, >= 0.  With 0 items that are nearly alike keep the rule from ever stopping.  planned: judgments an
    item at which the sequence is shortest; to be fixed beforehand.  widen: factor on all spreads, >= 1, for
    what the correction of scores has taken from them and added to their means (`shrunken_locations`).
    Returns Look: an item is settled if its interval does not cross the border between top and rest by more
    than delta."""
    means = _items(item, score, items, widen)
    count = len(means.names)
    if not 1 <= whole_number("k", k, 1) < count:
        raise InputError(f"k={k} of {count} items; expected 1 to {count - 1}")
    _positive("delta", delta, zero=True)
    rule = _Rule(alpha / count, planned)
    widths, early = rule.half(means, 1), _early_batches(batches)
    # Without a judgment an item may be anywhere.
    place = np.where(means.n > 0, means.estimate, -np.inf)
    order = np.argsort(-place, kind="stable")
    top, rest = order[:k], order[k:]
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(widths), means.estimate - widths, -np.inf)
        high = np.where(np.isfinite(widths), means.estimate + widths, np.inf)
    between = float(low[top].min() - high[rest].max())
    done = between > -delta
    border = (float(place[top].min()) + float(place[rest].max())) / 2.0
    settled = np.empty(len(order), bool)
    settled[top], settled[rest] = low[top] > border - delta / 2, high[rest] < border + delta / 2
    wanted = rule.wanted(np.abs(means.estimate - border) + delta / 2, means.spread)
    further = float(np.maximum(np.where(np.isnan(wanted), np.inf, wanted) - means.n, 0.0).sum())
    why = f"limits of the top {k} and of the rest overlap by {-between:.2g}"
    if done:
        further = 0.0
        why = f"the lower limits of the top {k} are {between:.2g} or more above the upper limits of the rest"
    return _look(means, widths, settled | done, further, f"{why} (delta {delta:g})", early)


def _items(item: Labels, score: ArrayLike, items: Labels | None, widen: float) -> _Means:
    if not widen >= 1.0:
        raise InputError(f"widen={widen!r}; expected a number >= 1")
    y = numbers("score", score)
    names, what = coded("item", item, len(y))
    if items is not None:
        every = coded("item", items, len(items))[0]
        absent = sorted(set(names) - set(every))
        if absent:
            raise InputError(f"item {absent[0]} is judged, but not in the list of items")
        place = {name: k for k, name in enumerate(every)}
        what, names = np.array([place[names[k]] for k in what], np.int64), every
    n = np.bincount(what, minlength=len(names))
    free = len(y) - int((n > 0).sum())
    if free == 0:
        raise NotEstimableError(
            f"stopping rule: {len(y)} judgments, no item was judged twice; expected some that are"
        )
    mean = np.bincount(what, y, len(names)) / np.maximum(n, 1)
    squares = np.bincount(what, (y - mean[what]) ** 2, len(names))
    pooled = float(squares.sum()) / free
    if pooled <= 1e-24 * float(y @ y) / len(y):
        raise NotEstimableError(
            f"stopping rule: all {free + int((n > 0).sum())} judgments agree with the others of the same item to the last"
            " digit; intervals of length 0 would follow: look whether annotators really answered"
        )
    own = (PRIOR_JUDGMENTS * pooled + squares) / (PRIOR_JUDGMENTS - 1 + np.maximum(n, 1))
    return _Means(names, np.where(n > 0, mean, np.nan), widen * np.sqrt(np.maximum(pooled, own)), n)


def _look(means: _Means, widths: FloatArray, done: BoolArray, further: float, why: str, early: str) -> Look:
    verdict: Verdict = "too early" if early else "stop" if bool(done.all()) else "go on"
    return Look(verdict, means.names, means.estimate, widths, means.n, done, further, early or why)


def _early_batches(batches: int) -> str:
    if whole_number("batches", batches) >= FEWEST_BATCHES:
        return ""
    return f"{batches} batch(es) returned; rules on items are looked at from the {FEWEST_BATCHES}rd on"


def _positive(name: str, value: float, zero: bool = False) -> None:
    if not (np.isfinite(value) and (value > 0 or zero and value == 0)):
        raise InputError(f"{name}={value!r}; expected a number {'>= 0' if zero else '> 0'}")


Shape = Literal["obrien-fleming", "pocock"]
#: Nodes of the quadrature, and the most looks: beyond, take a confidence sequence.
NODES, MOST_LOOKS = 160, 200


def group_sequential(looks: int, alpha: float = 0.05, shape: Shape = "obrien-fleming") -> FloatArray:
    """Two-sided boundaries for z at each of K planned looks.
    looks: K, from 1 to 200.  alpha: probability of ever stopping without a difference, in (0, 1).  Returns
    float[looks]: stop at look k if |z| reaches the k-th."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    one_of("shape", shape, get_args(Shape))
    k = whole_number("looks", looks, 1)
    if k > MOST_LOOKS:
        raise InputError(
            f"looks={k}; expected {MOST_LOOKS} or fewer: a confidence sequence has no such number"
        )
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha!r}; expected a number between 0 and 1, such as 0.05")
    once = -float(ndtri(alpha / 2))
    if k == 1:
        return np.array([once])
    most = -float(ndtri(alpha / (2 * k)))  # Bonferroni
    form = np.ones(k) if shape == "pocock" else np.sqrt(k / np.arange(1.0, k + 1))
    found = brentq(lambda c: crossing(c * form) - alpha, 0.5 * once, 1.0001 * most + 1e-9, xtol=1e-13)
    return np.asarray(float(found) * form)


def crossing(boundaries: FloatArray) -> float:
    """Probability that |z_k| reaches its boundary at any of the looks, without a difference.
    boundaries float[looks]: of |z|, > 0, at looks after equal steps."""
    from scipy.special import ndtr, roots_legendre

    node, weight = roots_legendre(NODES)
    ends = np.asarray(boundaries, np.float64) * np.sqrt(np.arange(1.0, len(boundaries) + 1))
    stopped = 2.0 * float(ndtr(-ends[0]))
    x = ends[0] * node
    density = np.exp(-x * x / 2.0) / np.sqrt(2.0 * np.pi)
    mass = ends[0] * weight * density
    for k in range(1, len(ends)):
        stopped += float(mass @ (ndtr(-ends[k] - x) + ndtr(x - ends[k])))
        new = ends[k] * node
        density = np.exp(-((new[:, None] - x[None, :]) ** 2) / 2.0) @ mass / np.sqrt(2.0 * np.pi)
        x, mass = new, ends[k] * weight * density
    return stopped


@dataclass(frozen=True, eq=False)
class SourceDifferences:
    """All pairs of systems, compared source by source.
    pairs: (0, 1), (0, 2), ... estimate float[m]: mean difference, first - second; nan without a common
    source.  spread float[m]: standard deviation of the differences; nan below two sources.  n int[m]: sources
    that have both."""

    systems: tuple[str, ...]
    pairs: tuple[tuple[int, ...], ...]
    estimate: FloatArray
    spread: FloatArray
    n: IntArray

    @property
    def means(self) -> _Means:
        """The same under the names "A - B"."""
        names = tuple(f"{self.systems[i]} - {self.systems[j]}" for i, j in self.pairs)
        return _Means(names, self.estimate, self.spread, self.n)


def source_differences(system: Labels, source: Labels, score: ArrayLike) -> SourceDifferences:
    """Differences of systems within sources.
    score float[n]: several scores of one output are averaged first."""
    y, ((names, which), (sources, of)) = coded_scores(score, system=system, source=source)
    if len(names) < 2:
        raise NotEstimableError(f"one system ({names[0]}); expected two or more")
    cell = of * len(names) + which
    count = np.bincount(cell, minlength=len(sources) * len(names))
    sums = np.bincount(cell, y, len(sources) * len(names))
    table = np.where(count > 0, sums / np.maximum(count, 1), np.nan).reshape(len(sources), len(names))
    pairs = tuple(combinations(range(len(names)), 2))
    found = [d[~np.isnan(d)] for d in (table[:, i] - table[:, j] for i, j in pairs)]
    estimate = np.array([d.mean() if len(d) else np.nan for d in found])
    spread = np.array([d.std(ddof=1) if len(d) > 1 else np.nan for d in found])
    return SourceDifferences(names, pairs, estimate, spread, np.array([len(d) for d in found], np.int64))


def systems_short(
    of: SourceDifferences, half: float, alpha: float = 0.05, planned: float = 100.0, looks: int | None = None
) -> Look:
    """Whether every difference's interval is short enough.
    half: half-width wanted, > 0.  planned: sources at which the sequence is shortest, or with `looks` the
    most there will be; to be fixed beforehand.  looks: planned number of looks, at equal steps up to
    `planned`: O'Brien and Fleming's boundary."""
    _positive("half", half)
    means, rule = of.means, _Rule(alpha / len(of.pairs), planned, looks)
    widths = rule.half(means, 2)
    settled = widths <= half
    why = f"{int(settled.sum())} of {len(settled)} differences have a half-width of {half:g} or less"
    return _look_at_systems(means, rule, widths, settled, np.full(len(widths), half), why)


def systems_ranking(
    of: SourceDifferences,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 100.0,
    looks: int | None = None,
) -> Look:
    """Whether the ranking is settled: every difference excludes 0, or is within delta of it.
    delta: a difference that does not matter, >= 0.  planned: sources at which the sequence is shortest, or
    with `looks` the most there will be; to be fixed beforehand.  looks: planned number of looks, at equal
    steps up to `planned`: O'Brien and Fleming's boundary."""
    _positive("delta", delta, zero=True)
    means, rule = of.means, _Rule(alpha / len(of.pairs), planned, looks)
    widths, away = rule.half(means, 2), np.abs(means.estimate)
    with np.errstate(invalid="ignore"):
        settled = (away > widths) | (away + widths <= delta)
    within = f" or lie within {delta:g}" if delta else ""
    why = f"{int(settled.sum())} of {len(settled)} differences exclude 0{within}"
    return _look_at_systems(means, rule, widths, settled, np.maximum(away, delta - away), why)


def systems_top(
    of: SourceDifferences,
    k: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 100.0,
    looks: int | None = None,
) -> Look:
    """Whether the k best systems are distinguished from the rest, or are not worse than it by more than
    delta.
    delta: a difference that does not matter, >= 0.  planned: sources at which the sequence is shortest, or
    with `looks` the most there will be; to be fixed beforehand.  looks: planned number of looks, at equal
    steps up to `planned`: O'Brien and Fleming's boundary.  Returns Look: of the differences between top and
    rest, best first; the others are not asked about."""
    count = len(of.systems)
    if not 1 <= whole_number("k", k, 1) < count:
        raise InputError(f"k={k} of {count} systems; expected 1 to {count - 1}")
    _positive("delta", delta, zero=True)
    if (of.n == 0).any():
        i, j = of.pairs[int(np.argmin(of.n))]
        raise NotEstimableError(
            f"{of.systems[i]} and {of.systems[j]} have no common source: judge both for the same"
        )
    strength = np.zeros(count)
    for (i, j), d in zip(of.pairs, of.estimate):
        strength[i] += d / count
        strength[j] -= d / count
    top = set(np.argsort(-strength, kind="stable")[:k].tolist())
    asked = [m for m, (i, j) in enumerate(of.pairs) if (i in top) != (j in top)]
    pairs = [of.pairs[m] for m in asked]
    turn = np.array([1 if i in top else -1 for i, _ in pairs])
    turned = tuple(pair[::step] for pair, step in zip(pairs, turn.tolist()))
    numbers = (of.estimate[asked] * turn, of.spread[asked], of.n[asked])
    part = SourceDifferences(of.systems, turned, *numbers).means
    # alpha stays over all pairs: which of them are asked about depends on the scores.
    rule = _Rule(alpha / len(of.pairs), planned, looks)
    widths = rule.half(part, 2)
    settled = part.estimate - widths > -delta
    why = f"{int(settled.sum())} of {len(settled)} differences between the top {k} and the rest lie above {0.0 - delta:g}"
    return _look_at_systems(part, rule, widths, settled, part.estimate + delta, why)


@lru_cache(maxsize=64)
def _last(looks: int, alpha: float) -> float:
    """C, the boundary at the last look, which takes a tenth of a second to find."""
    return float(group_sequential(looks, alpha)[-1])


def _look_at_systems(
    means: _Means, rule: _Rule, widths: FloatArray, settled: BoolArray, target: FloatArray, why: str
) -> Look:
    few = int(means.n.min())
    early = f"{few} common source(s); systems are looked at from {FEWEST_SOURCES} on"
    known = ~np.isnan(means.spread) & ~np.isnan(target)
    wanted = np.full(len(means.names), np.inf)
    wanted[known] = rule.wanted(target[known], means.spread[known])
    more = np.where(settled, 0.0, np.maximum(wanted - means.n, 0.0))
    # A source serves all pairs that it has, so the pair that needs most decides.
    return _look(means, widths, settled, float(more.max()), why, early if few < FEWEST_SOURCES else "")
