"""How far annotators agree, intraclass correlations, and scores standardised by annotator; their locations, and items on
which they disagree more than their noise would make them.

Standardising (Graham et al. 2013, as WMT does it): z = (s - mean) / sd over all scores of one annotator, sd
with n - 1. It removes that some use the high end and some the whole of the scale, and with it any true
difference between the items they happened to see.

pairwise    mean over pairs of annotators of Spearman's rho on the items both scored (Sakaguchi and Van Durme
            2018, footnote 17: 0.37 and 0.67); an annotator's several scores of one item are averaged first
rest        Spearman's rho of one annotator's scores with the mean of all others' on the same items
alpha       Krippendorff's for interval data: 1 - (variance within items) / (variance over all), over pairs
one way     (MSR - MSW) / (MSR + (k - 1) MSW)        ICC(1)
two way     (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)        ICC(2,1)

of n items with k scores each (Shrout and Fleiss 1979, Psychol. Bull. 86, 420-428). Where items have unequal
numbers of scores, or annotators left some out, the same shares are taken from the variances of a mixed model:
item / (item + residual) and item / (item + annotator + residual), restricted maximum likelihood.

Locations: y = theta_item + b_annotator + e, b ~ N(0, t^2), e ~ N(0, s^2), items fixed. Without the items the
normal equations are C b = q, and predictions solve (C + s^2 / t^2) b = q by conjugate gradients. s^2 is from
the residuals of least squares and (Henderson 1953, Biometrics 9, 226-252, method 3)

    t^2 = (b' q - s^2 rank C) / trace C

with the least-squares b; not above 0 means that annotators do not differ. Least squares itself (t infinite)
would take noise for location: of 60 annotators with 12 scores each it made 95 % sequences of items miss half
of them. Corrected scores have the errors of the locations in them. With c the diagonal of C, `widen` is the
root of

    free / (free - sum c / (c + s^2 / t^2)) (1 + mean over scores of 1 / (c + s^2 / t^2)), free scores - items

Disagreement: items and annotators fixed, e ~ (0, s_a^2), by least squares, so that a generous annotator is no
disagreement. Residuals r = y - theta - b of an item with n scores have

    E r_a^2 = (1 - 2 / n) s_a^2 + (1 / n^2) sum_{j in item} s_j^2

and summed over each annotator's scores these are as many linear equations as there are annotators (Grubbs
1948, J. Amer. Statist. Assoc. 43, 243-264, for complete tables). With the noise known Q_item = sum_a (y - b_a
- mean)^2 / s_a^2, mean weighted by 1 / s_a^2, is chi-square on n - 1 degrees of freedom if annotators see the
item alike and their errors are normal. p-values are corrected for the number of items (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError, NotEstimableError
from ...competitions.ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, coded_scores
from .mixed_model import groups_without_common_items, mixed_model

#: Items two annotators must share before a rank correlation says anything: with 2 it is +1 or -1.
FEWEST_SHARED = 3


def standardised(annotator: ArrayLike, score: ArrayLike, names: Sequence[str] | None = None) -> FloatArray:
    """Scores standardised by annotator (Graham et al. 2013): z = (s - mean) / sd.
    annotator int[k]: 0, 1, ... score float[k]: on any scale.  Returns float[k]: mean 0 and standard deviation
    1 within each annotator."""
    who, s = np.asarray(annotator, np.int64), np.asarray(score, np.float64)
    count = np.bincount(who)
    sums = np.bincount(who, s)
    mean = sums / np.maximum(count, 1)
    centred = s - mean[who]
    squares = np.bincount(who, centred**2)
    bad = (count > 0) & ((count < 2) | (squares <= 1e-24 * np.maximum(count, 1)))
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        name = names[k] if names is not None else f"number {k + 1}"
        what = "one score only" if count[k] < 2 else f"the same score {count[k]} times"
        raise InputError(
            f"annotator {name}: {what} ({int(bad.sum())} such annotator(s)); z-scores need a spread: leave"
            " them out, or use the scores as they are"
        )
    return np.asarray(centred / np.sqrt(squares / np.maximum(count - 1, 1))[who])


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of annotators.
    pairwise: mean rank correlation, in [-1, 1]; nan if no two share 3 items.  n_pairs: pairs of annotators it
    is a mean of.  alpha: krippendorff's, at most 1; nan if no item was scored twice, or all scores are equal.
    `rest` float[n_annotators]: rank correlation of each with all others; nan for an annotator who shares
    fewer than 3 items with anyone, or gave one value to all."""

    pairwise: float
    n_pairs: int
    alpha: float
    rest: FloatArray


def agreement(annotator: ArrayLike, item: ArrayLike, score: ArrayLike) -> Agreement:
    """The agreement of annotators, by mean rank correlations and Krippendorff's alpha.
    annotator, item int[k]: 0, 1, ... score float[k]: on one scale for all; no nan."""
    who, what, s = np.asarray(annotator, np.int64), np.asarray(item, np.int64), np.asarray(score, np.float64)
    table = _means(who, what, s)
    rhos = []
    for own, other in combinations(table, 2):
        both = ~np.isnan(own + other)
        if both.sum() >= FEWEST_SHARED:
            rhos.append(spearman(own[both], other[both]))
    known = [rho for rho in rhos if not np.isnan(rho)]
    mean = float(np.mean(known)) if known else np.nan
    return Agreement(mean, len(known), krippendorff_alpha(what, s), with_the_rest(who, what, s))


def with_the_rest(annotator: ArrayLike, item: ArrayLike, score: ArrayLike) -> FloatArray:
    """Spearman's rho of each annotator's scores with the mean of all others' on the same items.
    Its time grows with the number of scores, not with that of pairs of annotators.  annotator, item int[k]:
    0, 1, ... score float[k]: on one scale for all; no nan.  Returns float[n_annotators]: nan for an annotator
    who shares fewer than 3 items with anyone, or gave one value to all."""
    who, what, s = np.asarray(annotator, np.int64), np.asarray(item, np.int64), np.asarray(score, np.float64)
    rest = np.full(int(who.max(initial=-1)) + 1, np.nan)
    if not len(s):
        return rest
    n_items = int(what.max()) + 1
    cells, at = np.unique(who * n_items + what, return_inverse=True)
    mean = np.bincount(at.ravel(), s) / np.bincount(at.ravel())
    of, shown = cells // n_items, cells % n_items
    total, seen = np.bincount(shown, mean, n_items), np.bincount(shown, minlength=n_items)
    ends = np.searchsorted(of, np.arange(len(rest) + 1))
    size = float(np.abs(s).max())
    for k in range(len(rest)):
        items, own = shown[ends[k] : ends[k + 1]], mean[ends[k] : ends[k + 1]]
        shared = seen[items] > 1
        if shared.sum() >= FEWEST_SHARED:
            others = (total[items] - own)[shared] / (seen[items] - 1)[shared]
            rest[k] = spearman(own[shared], rounded(others, size))
    return rest


def _means(who: IntArray, what: IntArray, s: FloatArray) -> FloatArray:
    """float[n_annotators, n_items]: mean score, nan where there is none."""
    n, m = int(who.max(initial=-1)) + 1, int(what.max(initial=-1)) + 1
    cell = who * m + what
    count = np.bincount(cell, minlength=n * m)
    found = np.where(count > 0, np.bincount(cell, s, n * m) / np.maximum(count, 1), np.nan)
    return found.reshape(n, m)


def krippendorff_alpha(item: ArrayLike, score: ArrayLike) -> float:
    """Interval alpha: 1 - D_o / D_e over items scored at least twice (Krippendorff 2004, chapter 11).
    D_o = sum_u [sum_{i != j in u} (s_i - s_j)^2 / (m_u - 1)] / n, D_e = sum over all pairs / (n (n - 1)).
    item int[k]: 0, 1, ... score float[k].  Returns float: at most 1; nan if no item was scored twice, or all
    scores are equal."""
    what, s = np.asarray(item, np.int64), np.asarray(score, np.float64)
    count = np.bincount(what)
    paired = count[what] > 1
    what, s = what[paired], s[paired]
    n = len(s)
    if not n:
        return float("nan")
    s = s - s.mean()
    count = np.bincount(what)
    mean = np.bincount(what, s) / np.maximum(count, 1)
    # The sum over ordered pairs of a set of m numbers is 2 m times their sum of squares about the mean.
    within = np.bincount(what, (s - mean[what]) ** 2)
    observed = float(np.sum(2.0 * count * within / np.maximum(count - 1, 1)) / n)
    expected = 2.0 * float(np.sum(s * s)) / (n - 1)
    return float("nan") if expected <= 0 else 1.0 - observed / expected


def rounded(values: FloatArray, size: float) -> FloatArray:
    """Values to ten digits of `size`, so that what is equal but for rounding is a tie.
    The means of .71 and .39 and of .62 and .48 are the same number, but not the same double; ranks would
    distinguish them, and a rank correlation would depend on the order of the rows and on the unit of the
    scores. values float[n].  size: largest score in absolute value.  Returns float[n]."""
    unit = 10.0 ** (np.ceil(np.log10(size)) - 10.0) if size > 0 else 1.0
    return np.asarray(np.round(values / unit) * unit)


def ranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1, ties given their mean rank; as R's rank.  values float[n].  Returns float[n]."""
    v = np.asarray(values, np.float64)
    distinct, at = np.unique(v, return_inverse=True)
    count = np.bincount(at, minlength=len(distinct))
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2.0)[at])


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Product-moment correlation, as R's cor; nan where one of them does not vary.  x, y float[n]."""
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float("nan") if scale == 0.0 else float(np.clip((a @ b) / scale, -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation, ties given their mean rank; as R's cor, nan where one does not vary.
    x, y float[n]."""
    return pearson(ranks(x), ranks(y))


@dataclass(frozen=True)
class Reliability:
    """An intraclass correlation of single scores.
    value: at most 1; negative where items differ less than scores of one item do."""

    value: float
    by: str
    n_items: int


def icc_one_way(item: Labels, score: ArrayLike) -> Reliability:
    """ICC(1): annotators may be others for every item.  score float[n]."""
    y, ((items, what),) = coded_scores(score, item=item)
    n = np.bincount(what)
    _check(n, y)
    if np.ptp(n) > 0:
        fit = mixed_model(y, [what])
        share = float(fit.variances[0] / (fit.variances[0] + fit.residual[0]))
        return Reliability(share, "mixed model", len(items))
    k = int(n[0])
    mean = np.bincount(what, y) / n
    within = float(np.sum((y - mean[what]) ** 2)) / (len(y) - len(items))
    rows = k * float(np.sum((mean - y.mean()) ** 2)) / (len(items) - 1)
    return Reliability((rows - within) / (rows + (k - 1) * within), "mean squares", len(items))


def icc_two_way(item: Labels, annotator: Labels, score: ArrayLike) -> Reliability:
    """ICC(2,1): the same annotators, whose different generosity counts as disagreement.  score float[n]."""
    y, ((items, what), (people, who)) = coded_scores(score, item=item, annotator=annotator)
    _check(np.bincount(what), y)
    if len(people) < 2:
        raise NotEstimableError(f"two-way agreement: one annotator ({people[0]}); expected two or more")
    cells = np.bincount(what * len(people) + who, minlength=len(items) * len(people))
    if (cells != 1).any():
        fit = mixed_model(y, [what, who], names=["item", "annotator"])
        total = float(fit.variances.sum() + fit.residual[0])
        return Reliability(float(fit.variances[0]) / total, "mixed model", len(items))
    table: FloatArray = np.empty((len(items), len(people)))
    table[what, who] = y
    n, k = table.shape
    row, column, all_ = table.mean(axis=1), table.mean(axis=0), float(table.mean())
    rows = k * float(np.sum((row - all_) ** 2)) / (n - 1)
    columns = n * float(np.sum((column - all_) ** 2)) / (k - 1)
    error = float(np.sum((table - row[:, None] - column[None, :] + all_) ** 2)) / ((n - 1) * (k - 1))
    share = (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)
    return Reliability(share, "mean squares", len(items))


def _check(n: IntArray, y: FloatArray) -> None:
    if len(n) < 2 or n.max() < 2:
        raise NotEstimableError(
            f"agreement: {len(n)} item(s), {int((n > 1).sum())} of them scored twice; expected two items or more, some of"
            " them scored by several annotators"
        )
    if np.ptp(y) == 0.0:
        raise NotEstimableError(f"agreement: all {len(y)} scores are {y[0]:g}; nothing varies")


@dataclass(frozen=True, eq=False)
class Locations:
    """Predicted locations of annotators.
    value float[n_annotators].  widen: factor on the spread within items of scores less these locations; inf
    where no degree of freedom is left."""

    value: FloatArray
    widen: float


def least_squares_locations(y: FloatArray, what: IntArray, who: IntArray) -> FloatArray:
    """float[n_annotators]: locations of mean 0, the smallest where items do not join all annotators.
    y float[n].  `what`, `who` int[n]: item and annotator of each score, from 0, none without a score."""
    plain, _ = _solved(y, what, who, 0.0)
    return np.asarray(plain - plain.mean())


def shrunken_locations(y: FloatArray, what: IntArray, who: IntArray) -> Locations:
    """Predicted locations; of annotators whom items join, their mean is 0.
    An annotator who shares no item with anybody has location 0, and sets of annotators without common items
    are not compared: a shift of a whole set stays in its scores.  y float[n].  `what`, `who` int[n]: item and
    annotator of each score, from 0, none without a score."""
    sets = groups_without_common_items(what, who)
    people, items = int(who.max()) + 1, int(what.max()) + 1
    plain, q = _solved(y, what, who, 0.0)
    rank = people - (int(sets.max()) + 1)
    explained = float(plain @ q)
    centred = y - (np.bincount(what, y) / np.bincount(what))[what]
    free = len(y) - items - rank
    left = max(float(centred @ centred) - explained, 0.0)
    cells, times = np.unique(who * items + what, return_counts=True)
    of, shown = cells // items, cells % items
    own = np.bincount(who) - np.bincount(of, times**2 / np.bincount(what)[shown], people)
    noise = left / max(free, 1)
    if rank == 0 or free < 1 or explained <= noise * rank:
        return Locations(np.zeros(people), 1.0)
    ridge = noise / ((explained - noise * rank) / float(own.sum()))
    found, _ = _solved(y, what, who, ridge)
    means = np.bincount(sets, found) / np.bincount(sets)
    within, raised = float(len(y) - items), np.maximum(own + ridge, 1e-300)
    kept = within - float(np.sum(own / raised))
    errors = float(np.mean(1.0 / raised[who]))
    widen = float(np.sqrt(within / kept * (1.0 + errors))) if kept > 0 else float("inf")
    return Locations(found - means[sets], widen)


def _solved(y: FloatArray, what: IntArray, who: IntArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """The solution of (C + ridge) b = q by conjugate gradients from 0, and q.
    From 0 they find the smallest solution where C is singular: of annotators who are not joined by items."""
    c, n = np.bincount(who).astype(float), np.bincount(what).astype(float)
    q = np.asarray(np.bincount(who, y - (np.bincount(what, y) / n)[what]), np.float64)

    def apply(b: FloatArray) -> FloatArray:
        means: FloatArray = np.bincount(what, b[who]) / n
        return np.asarray((c + ridge) * b - np.bincount(who, means[what]))

    b: FloatArray = np.zeros(len(c))
    r = d = q
    size = float(r @ r)
    # Thirteen digits of the right side; a right side that is rounding alone is 0.
    small = max(1e-26 * size, 1e-30 * float(y @ y))
    for _ in range(10 * len(c)):
        if size <= small:
            break
        turned = apply(d)
        step = size / float(d @ turned)
        b = b + step * d
        r = r - step * turned
        size, before = float(r @ r), size
        d = r + (size / before) * d
    return b, q


#: Annotators up to whom the noise of each is computed; beyond, all have the pooled one.
MOST_NOISES = 500
#: The least noise of an annotator as a part of the pooled one: moments can be negative, and two annotators
#: who agree by chance would make every third a rebel.
LEAST_NOISE = 0.25


@dataclass(frozen=True, eq=False)
class AnnotatorEffects:
    """Location and noise of the annotators, by least squares.
    location float[n_annotators]: b, mean 0 over annotators; 0 for one who shares no item with anybody.
    shared int[n_annotators]: scores of items that somebody else has scored too.  noise float[n_annotators]:
    s_a.  item, annotator int[n]: codes of the scores' items and annotators.  corrected float[n]: y - b."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    location: FloatArray
    shared: IntArray
    noise: FloatArray
    pooled: float
    item: IntArray
    annotator: IntArray
    corrected: FloatArray


@dataclass(frozen=True, eq=False)
class Disagreement:
    """How far annotators disagree on each item.
    items: in the order of their labels.  n int[n_items].  spread float[n_items]: standard deviation of the
    item's scores, without the annotators' locations; nan with one score.  expected float[n_items]: the spread
    that the noise of its annotators would give: the root of the mean s_a^2.  p, p_holm float[n_items]: the
    upper chi-square tail of Q, and that after Holm's correction; nan with one score."""

    items: tuple[str, ...]
    n: IntArray
    spread: FloatArray
    expected: FloatArray
    p: FloatArray
    p_holm: FloatArray


def annotator_effects(item: Labels, annotator: Labels, score: ArrayLike) -> AnnotatorEffects:
    """Location and noise of each annotator from items that several have scored.  score float[n]."""
    y, ((items, what), (names, who)) = coded_scores(score, item=item, annotator=annotator)
    n = np.bincount(what, minlength=len(items))
    cells = np.unique(what * len(names) + who)
    shared = np.bincount(cells // len(names), minlength=len(items))[what] > 1
    if not shared.any():
        raise NotEstimableError(
            f"{len(y)} scores of {len(items)} items: no item was scored by two annotators, so they cannot be compared"
        )
    location = least_squares_locations(y, what, who)
    corrected = y - location[who]
    residual = corrected - (np.bincount(what, corrected) / n)[what]
    often = n[what] > 1
    free = float(often.sum() - (n > 1).sum() - (np.bincount(who[shared]) > 0).sum() + 1)
    pooled = float(np.sqrt(np.sum(residual[often] ** 2) / max(free, 1.0)))
    counts = np.bincount(who[shared], minlength=len(names))
    noise = _noises(residual, what, who, n, pooled)
    return AnnotatorEffects(items, names, location, counts, noise, pooled, what, who, corrected)


def _noises(residual: FloatArray, what: IntArray, who: IntArray, n: IntArray, pooled: float) -> FloatArray:
    people = int(who.max()) + 1
    if people > MOST_NOISES or pooled == 0.0:
        return np.full(people, pooled)
    from scipy.sparse import csr_array

    often = n[what] > 1
    size = n[what[often]].astype(float)
    squares = np.asarray(np.bincount(who[often], residual[often] ** 2, people), float)
    own = np.bincount(who[often], minlength=people)
    # An annotator's own location takes one degree of freedom.
    squares = squares * own / np.maximum(own - 1, 1)
    rows = csr_array((1.0 / size, (what[often], who[often])), shape=(len(n), people))
    own_share = np.diag(np.bincount(who[often], 1.0 - 2.0 / size, people))
    equations = np.asarray((rows.T @ rows).todense()) + own_share
    solved = np.linalg.lstsq(equations, squares, rcond=1e-9)[0]
    least = (LEAST_NOISE * pooled) ** 2
    return np.asarray(np.sqrt(np.where(own > 1, np.maximum(solved, least), pooled**2)))


def disagreement(item: Labels, annotator: Labels, score: ArrayLike) -> Disagreement:
    """How far annotators disagree on each item, against what their noise would give.  score float[n]."""
    from scipy.special import chdtrc

    effects = annotator_effects(item, annotator, score)
    if effects.pooled == 0.0:
        raise NotEstimableError("annotators agree exactly, so no item stands out")
    what = effects.item
    k = len(effects.items)
    n = np.bincount(what, minlength=k)
    weight = 1.0 / effects.noise[effects.annotator] ** 2
    mean = np.bincount(what, weight * effects.corrected, k) / np.bincount(what, weight, k)
    statistic = np.bincount(what, weight * (effects.corrected - mean[what]) ** 2, k)
    plain = np.bincount(what, effects.corrected, k) / n
    often = n > 1
    squares = np.bincount(what, (effects.corrected - plain[what]) ** 2, k)
    spread = np.where(often, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    expected = np.sqrt(np.bincount(what, 1.0 / weight, k) / n)
    p = np.where(often, chdtrc(np.maximum(n - 1, 1), statistic), np.nan)
    adjusted = np.full(k, np.nan)
    adjusted[often] = holm(p[often])
    return Disagreement(effects.items, n, spread, expected, p, adjusted)
