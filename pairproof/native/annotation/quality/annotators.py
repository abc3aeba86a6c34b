"""How far annotators agree, and scores standardised by annotator.

Standardising (Graham et al. 2013, as WMT does it): z = (s - mean) / sd over all scores of one annotator, sd
with n - 1. It removes that some use the high end and some the whole of the scale, and with it any true
difference between the items they happened to see.

Agreement has three measures:

pairwise
    mean over pairs of annotators of Spearman's rho on the items both scored (Sakaguchi and Van Durme 2018,
    footnote 17: 0.37 and 0.67); an annotator's several scores of one item are averaged first
rest
    Spearman's rho of one annotator's scores with the mean of all others' on the same items
alpha
    Krippendorff's alpha for interval data: 1 - (variance within items) / (variance over all), both over pairs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ..beta import FloatArray, IntArray

#: Items two annotators must share before a rank correlation says anything: with 2 it is +1 or -1.
FEWEST_SHARED = 3


def standardised(annotator: ArrayLike, score: ArrayLike, names: Sequence[str] | None = None) -> FloatArray:
    """Scores standardised by annotator (Graham et al. 2013): z = (s - mean) / sd.

    annotator int[k]: 0, 1, ...  score float[k]: on any scale.  Returns float[k]: mean 0 and standard
    deviation 1 within each annotator.
    """
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
    found: FloatArray = centred / np.sqrt(squares / np.maximum(count - 1, 1))[who]
    return found


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of annotators.

    pairwise: mean rank correlation, in [-1, 1]; nan if no two share 3 items.  n_pairs: pairs of annotators it
    is a mean of.  alpha: krippendorff's, at most 1; nan if no item was scored twice, or all scores are equal.
    `rest` float[n_annotators]: rank correlation of each with all others; nan for an annotator who shares
    fewer than 3 items with anyone, or gave one value to all.
    """

    pairwise: float
    n_pairs: int
    alpha: float
    rest: FloatArray


def agreement(annotator: ArrayLike, item: ArrayLike, score: ArrayLike) -> Agreement:
    """The agreement of annotators, by mean rank correlations and Krippendorff's alpha.

    annotator, item int[k]: 0, 1, ...  score float[k]: on one scale for all; no nan.
    """
    who, what, s = np.asarray(annotator, np.int64), np.asarray(item, np.int64), np.asarray(score, np.float64)
    table = _means(who, what, s)
    seen = ~np.isnan(table)
    rhos = []
    for k in range(len(table)):
        for other in range(k + 1, len(table)):
            both = seen[k] & seen[other]
            if both.sum() >= FEWEST_SHARED:
                rho = spearman(table[k, both], table[other, both])
                if not np.isnan(rho):
                    rhos.append(rho)
    rest = with_the_rest(who, what, s)
    return Agreement(float(np.mean(rhos)) if rhos else np.nan, len(rhos), krippendorff_alpha(what, s), rest)


def with_the_rest(annotator: ArrayLike, item: ArrayLike, score: ArrayLike) -> FloatArray:
    """Spearman's rho of each annotator's scores with the mean of all others' on the same items.

    Its time grows with the number of scores, not with that of pairs of annotators.

    annotator, item int[k]: 0, 1, ...  score float[k]: on one scale for all; no nan.  Returns
    float[n_annotators]: nan for an annotator who shares fewer than 3 items with anyone, or gave one value to
    all.
    """
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

    item int[k]: 0, 1, ...  score float[k].  Returns float: at most 1; nan if no item was scored twice, or all
    scores are equal.
    """
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

    The means of .71 and .39 and of .62 and .48 are the same number, but not the same double; ranks would tell
    them apart, and a rank correlation would depend on the order of the rows and on the unit of the scores.

    values float[n].  size: largest score in absolute value.  Returns float[n].
    """
    unit = 10.0 ** (np.ceil(np.log10(size)) - 10.0) if size > 0 else 1.0
    found: FloatArray = np.round(values / unit) * unit
    return found


def ranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1, ties given their mean rank; as R's rank.

    values float[n].  Returns float[n].
    """
    v = np.asarray(values, np.float64)
    distinct, at = np.unique(v, return_inverse=True)
    count = np.bincount(at, minlength=len(distinct))
    last = np.cumsum(count)
    found: FloatArray = (last - (count - 1) / 2.0)[at]
    return found


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Product-moment correlation, as R's cor; nan where one of them does not vary.

    x, y float[n].
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float("nan") if scale == 0.0 else float(np.clip((a @ b) / scale, -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation, ties given their mean rank; as R's cor, nan where one does not vary.

    x, y float[n].
    """
    return pearson(ranks(x), ranks(y))
