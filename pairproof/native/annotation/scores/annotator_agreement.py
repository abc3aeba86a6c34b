"""How far annotators agree, intraclass correlations, and scores standardised by annotator.

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError, NotEstimableError
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, coded_scores
from .mixed_model import mixed_model

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
