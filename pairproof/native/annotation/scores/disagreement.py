"""Locations of annotators, and items on which annotators disagree more than their noise would make them.

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

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....errors import NotEstimableError
from ...competitions.ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, coded_scores
from .mixed_model import groups_without_common_items


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
