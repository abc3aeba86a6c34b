"""What to look at in each annotator: agreement, repeats, degraded items, speed, use of the scale, drift.

within      sd of an annotator's score of one item, from planned repeats: sqrt(mean d^2 / 2), d = first -
            again; with n repeats n s^2 / sigma^2 is chi-square on n degrees of freedom
degraded    score of an item - that of its degraded copy: one-sided signed rank test (Wilcoxon 1945), as R's
            wilcox.test(paired = TRUE, alternative = "greater"), passed if p <= .05; below 8 pairs nobody
            fails but whose drops are all 0. The unpaired Mann-Whitney test fails honest annotators
fast        median seconds a HIT below a third of the median of all, or a HIT in less than one second
rejected    HITs that the platform lists as rejected
constant    half or more of at least 20 scores are one value
rest        rank correlation with the mean of the others below .3, on 20 shared items or more
drift       scores drift by more than a tenth of the scale, and the slope differs from 0 after Holm (1979)

No flag excludes anybody by itself: a rule of exclusion has to be fixed before the data are seen.  The drift
is d_a in

    y = a_annotator + d_annotator t + theta_item + u_HIT + e,   t = centred place in the sequence

items and HITs random, by REML (R's lmer(y ~ 0 + annotator + annotator:t + (1 | item) + (1 | annotator:hit))).
Without u honest annotators seem to drift: with shifts as in WMT21 (.085) in one campaign of five, with u in
one of thirty or none (60 campaigns of four annotators). Of more than 1,500 HITs u is left out and standard
errors multiplied by sqrt(1 + (m - 1) r), m scores per HIT, r the correlation of residuals within HITs
(Moulton 1986, J. Econometrics 32, 385-397). Degrees of freedom are those of the annotator's HITs. The
smallest drift found four times in five is given too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError, NotEstimableError
from ...competitions.ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, check_level, coded, coded_scores, numbers
from .annotator_agreement import ranks, rounded, with_the_rest
from .mixed_model import mixed_model, told_apart

#: Below this many pairs nobody fails; p below which the test is passed; pairs from which R takes the normal
#: one.
FEWEST_PAIRS, PASSED, NORMAL_FROM = 8, 0.05, 50
Verdict = Literal["passed", "failed", "too few"]


@dataclass(frozen=True)
class WithinSpread:
    """The standard deviation of one annotator's scores of the same item.
    sd: nan without repeats.  low, high: chi-square interval; nan without repeats."""

    sd: float
    n: int
    low: float
    high: float


def within_spread(first: ArrayLike, again: ArrayLike, level: float = 0.95) -> WithinSpread:
    """How far an annotator's second score of an item lies from the first.
    `first`, again float[n]: scores of the same items by the same annotator."""
    from scipy.special import chdtri

    a, b = numbers("first", first, 0), numbers("again", again, 0)
    n = len(a)
    if n != len(b):
        raise InputError(f"{n} first scores and {len(b)} repeats; expected as many")
    check_level(level)
    if n == 0:
        return WithinSpread(math.nan, 0, math.nan, math.nan)
    squares = float(np.sum((a - b) ** 2)) / 2.0
    # chdtri takes the upper tail.
    low, high = (math.sqrt(squares / float(chdtri(n, tail))) for tail in ((1 - level) / 2, (1 + level) / 2))
    return WithinSpread(math.sqrt(squares / n), n, low, high)


@dataclass(frozen=True)
class DegradedTest:
    """Whether an annotator scores degraded items below their originals.
    p: one-sided; nan if every drop is 0.  mean_drop: on the scale of the scores; nan without pairs."""

    verdict: Verdict
    p: float
    n: int
    mean_drop: float


def degraded_test(original: ArrayLike, degraded: ArrayLike) -> DegradedTest:
    """Test of one annotator on degraded items, paired with the annotator's own scores of the originals.
    original, degraded float[n]: scores by the same annotator."""
    a, b = numbers("original", original, 0), numbers("degraded", degraded, 0)
    if len(a) != len(b):
        raise InputError(f"{len(a)} scores of originals and {len(b)} of degraded items; expected as many")
    # .71 - .39 and .62 - .30 are the same drop, but not the same double: what is equal has to be a tie.
    drop = rounded(a - b, float(np.abs(np.r_[a, b]).max(initial=0.0)))
    mean = float(drop.mean()) if len(drop) else math.nan
    p = signed_rank_p(drop)
    verdict: Verdict = "passed" if p <= PASSED else "failed"  # nan, where all drops are 0, fails
    return DegradedTest("too few" if len(drop) < FEWEST_PAIRS else verdict, p, len(drop), mean)


def signed_rank_p(differences: ArrayLike) -> float:
    """One-sided p of Wilcoxon's signed rank test that differences are positive, as R's wilcox.test.
    differences float[n]: those that are exactly 0 are left out.  Returns float: nan if none is left."""
    from scipy.special import ndtr

    d = np.asarray(differences, np.float64)
    rest = d[d != 0]
    n = len(rest)
    if n == 0:
        return math.nan
    r = ranks(np.abs(rest))
    statistic = float(r[rest > 0].sum())
    distinct, ties = np.unique(np.abs(rest), return_counts=True)
    if n < NORMAL_FROM and len(distinct) == n and n == len(d):
        return _exact_upper(n, int(round(statistic)))
    spread = n * (n + 1) * (2 * n + 1) / 24.0 - float(np.sum(ties.astype(float) ** 3 - ties)) / 48.0
    return float(ndtr(-(statistic - n * (n + 1) / 4.0 - 0.5) / math.sqrt(spread)))


def _exact_upper(n: int, statistic: int) -> float:
    """P(V >= statistic): subsets of 1, ..., n by their sum, counted."""
    counts: FloatArray = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for k in range(1, n + 1):
        # The right side is taken before any of it is changed.
        counts[k:] = counts[k:] + counts[:-k].copy()
    return float(counts[statistic:].sum() / 2.0**n)


#: Family error; part of the scale that a drift must exceed to be flagged; power of the smallest drift that is
#: shown.
ALPHA, LARGE, POWER = 0.05, 0.1, 0.8
#: HITs that have effects of their own: the equations have as many unknowns.
MOST_HITS = 1_500


@dataclass(frozen=True, eq=False)
class Drift:
    """The annotators' drifts.
    slope, se float[n_annotators]: change of the score a judgment.  p, p_holm float[n_annotators]: two-sided,
    t with the annotator's HITs - 2 degrees of freedom, or scores - 2 where no HITs are given.  n
    int[n_annotators]: scores.  change float[n_annotators]: slope times the range of t: from the first score
    to the last.  detectable float[n_annotators]: the change that would have been significant with probability
    0.8, had this annotator alone drifted."""

    annotators: tuple[str, ...]
    slope: FloatArray
    se: FloatArray
    p: FloatArray
    p_holm: FloatArray
    n: IntArray
    change: FloatArray
    detectable: FloatArray


def drift(
    item: Labels, annotator: Labels, place: ArrayLike, score: ArrayLike, hit: Labels | None = None
) -> Drift:
    """Slopes of the scores over each annotator's own sequence.
    place float[n]: place of the score in its annotator's sequence: 1, 2, ... score float[n].  hit: Label of
    the HIT of each score; the same label under another annotator is another HIT."""
    from scipy.special import ndtri, stdtr, stdtrit

    y, ((_, what), (names, who)) = coded_scores(score, item=item, annotator=annotator)
    t = numbers("place", place)
    if len(t) != len(y):
        raise InputError(f"{len(t)} places and {len(y)} scores; expected as many")
    n = np.bincount(who)
    centred = t - (np.bincount(who, t) / n)[who]
    span = np.array([np.ptp(t[who == k]) for k in range(len(names))])
    few = np.flatnonzero((n < 3) | (span == 0))
    if len(few):
        raise NotEstimableError(
            f"drift: annotator {names[few[0]]} has {n[few[0]]} score(s) at {span[few[0]]:g} places' distance; expected 3"
            " or more: leave the annotator out"
        )
    own = np.eye(len(names))[who]
    design = np.column_stack([own, own * centred[:, None]])
    visit = np.arange(len(y))
    if hit is not None:
        pair = np.stack([who, coded("HIT", hit, len(who))[1]])
        visit = np.unique(pair, axis=1, return_inverse=True)[1].ravel()
    visits = np.bincount(who, 1.0 / np.bincount(visit)[visit]).round().astype(np.int64)
    lone = np.flatnonzero(visits < 3)
    if len(lone):
        raise NotEstimableError(
            f"drift: annotator {names[lone[0]]} has {visits[lone[0]]} HIT(s); expected 3 or more: leave the annotator out"
        )
    # Where every item was judged once, its effect is part of the residual; so is a HIT's of one score.
    several = hit is not None and int(visit.max()) + 1 <= MOST_HITS
    effects = told_apart({"HIT": visit, "item": what} if several else {"item": what})[0]
    fit = mixed_model(y, list(effects.values()), design, names=list(effects))
    slope = fit.coefficients[len(names) :]
    se = np.sqrt(np.diag(fit.covariance)[len(names) :])
    if hit is not None and not several:
        predicted = design @ fit.coefficients
        for labels, effect in zip(effects.values(), fit.predictions):
            predicted = predicted + effect[labels]
        se = se * _design_factors(y - predicted, who, visit)
    df = np.maximum(visits - 2, 1)
    p = 2.0 * stdtr(df, -np.abs(slope / se))
    adjusted = holm(p)
    change = slope * span
    critical = -stdtrit(df, ALPHA / (2 * len(names)))
    detectable = (critical + float(ndtri(POWER))) * se * span
    return Drift(names, slope, se, p, adjusted, n, change, detectable)


def _design_factors(residual: FloatArray, who: IntArray, visit: IntArray) -> FloatArray:
    """float[n_annotators]: on standard errors of what hardly varies within HITs."""
    m = np.bincount(visit).astype(float)
    sums, squares = np.bincount(visit, residual), float(residual @ residual)
    pairs = float(np.sum(m * (m - 1)))
    shared = (float(sums @ sums) - squares) / pairs if pairs else 0.0
    correlation = max(shared / (squares / len(residual)), 0.0)
    usual = np.bincount(who, m[visit]) / np.bincount(who)
    return np.asarray(np.sqrt(1.0 + (usual - 1.0) * correlation))


#: Scores from which on a favourite value is remarkable, and the share of them that is.
FEWEST_SCORES, FAVOURITE = 20, 0.5
#: Part of the usual time, and correlation with the others, below which an annotator is flagged.
FAST, REST = 1.0 / 3.0, 0.3
#: Seconds below which nobody has read what a HIT shows.
INSTANT = 1.0
#: Shared items from which on a correlation is a flag: with 20 its standard error is .2.
FEWEST_FOR_REST = 20


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two scores each of the same item by the same annotator.
    `first`, second: first score and repeat, or score of the original and of the degraded item."""

    annotator: Labels = ()
    first: Sequence[float] = ()
    second: Sequence[float] = ()


@dataclass(frozen=True)
class AnnotatorQuality:
    """One annotator's figures and flags.
    mean, sd: of the scores; sd nan with one.  favourite: share of the scores that have the most frequent
    value.  `rest`: spearman's rho with the mean of the others; nan below 3 shared items, or with one value
    throughout.  shared: items that others have scored too.  seconds: median of a HIT; nan if no times are
    known.  flags: of degraded, fast, rejected, constant, rest.  instant: HITs answered in less than a
    second."""

    annotator: str
    n: int
    mean: float
    sd: float
    favourite: float
    rest: float
    shared: int
    within: WithinSpread
    degraded: DegradedTest
    seconds: float
    rejected: int
    flags: tuple[str, ...] = field(default=())
    instant: int = 0


def quality(
    annotator: Labels,
    item: Labels,
    score: ArrayLike,
    repeats: Pairs = Pairs(),
    degraded: Pairs = Pairs(),
    seconds: Mapping[str, Sequence[float]] | None = None,
    rejected: Mapping[str, int] | None = None,
) -> tuple[AnnotatorQuality, ...]:
    """The figures and flags of every annotator, in the order of their labels.
    annotator, item: labels of each score of an item; repeats and degraded items are not among them.  score
    float[n]."""
    y, ((names, who), (items, what)) = coded_scores(score, annotator=annotator, item=item)
    rest = with_the_rest(who, what, y)
    of, shown = np.unique(np.stack([who, what]), axis=1)
    shared = np.bincount(of[np.bincount(shown, minlength=len(items))[shown] > 1], minlength=len(names))
    again, worse = _by_annotator(repeats, names, "repeats"), _by_annotator(degraded, names, "degraded items")
    times = {name: float(np.median(s)) for name, s in (seconds or {}).items() if len(s)}
    usual = float(np.median(list(times.values()))) if times else float("nan")
    found = []
    for k, name in enumerate(names):
        own = y[who == k]
        favourite = float(np.unique(own, return_counts=True)[1].max()) / len(own)
        test, sd = degraded_test(*worse[name]), float(own.std(ddof=1)) if len(own) > 1 else float("nan")
        time, returned = times.get(name, float("nan")), (rejected or {}).get(name, 0)
        instant = sum(t < INSTANT for t in (seconds or {}).get(name, ()))
        holds = {
            "degraded": test.verdict == "failed",
            "fast": time < FAST * usual or instant > 0,
            "rejected": returned > 0,
            "constant": len(own) >= FEWEST_SCORES and favourite >= FAVOURITE,
            "rest": bool(rest[k] < REST) and int(shared[k]) >= FEWEST_FOR_REST,
        }
        flags = tuple(flag for flag, held in holds.items() if held)
        use = (name, len(own), float(own.mean()), sd, favourite, float(rest[k]), int(shared[k]))
        tested = (within_spread(*again[name]), test, time, returned)
        found.append(AnnotatorQuality(*use, *tested, flags, instant))
    return tuple(found)


def _by_annotator(
    pairs: Pairs, names: Sequence[str], what: str
) -> dict[str, tuple[list[float], list[float]]]:
    if not len(pairs.annotator) == len(pairs.first) == len(pairs.second):
        raise InputError(
            f"{what}: {len(pairs.annotator)} annotators, {len(pairs.first)} and {len(pairs.second)} scores; expected as"
            " many of each"
        )
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for name, first, second in zip(pairs.annotator, pairs.first, pairs.second):
        if str(name) not in found:
            raise InputError(
                f"{what}: annotator {name} has no other score; expected one of {', '.join(names[:5])}"
            )
        found[str(name)][0].append(first)
        found[str(name)][1].append(second)
    return found
