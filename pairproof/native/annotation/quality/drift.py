"""Whether annotators' scores drift as they go on.

    y = a_annotator + d_annotator t + theta_item + u_HIT + e,   t = place in the annotator's sequence - its mean

with items and HITs random, by restricted maximum likelihood (R's lmer(y ~ 0 + annotator + annotator:t + (1 |
item) + (1 | annotator:hit))). Scores of one HIT lie close in t and share its shift, so without u honest annotators
seem to drift: with shifts as in WMT21 (.085) one campaign in five had a drift at .05 after Holm's correction, with u
one in thirty or none (60 campaigns of four annotators). Of more than 1,500 HITs u is left out and standard errors are
multiplied by sqrt(1 + (m - 1) r), m scores a HIT and r the correlation of residuals within HITs (Moulton 1986, J.
Econometrics 32, 385-397). Either way degrees of freedom are those of the annotator's HITs. An annotator is flagged if the slope differs from 0 after Holm's correction (1979) for the number of
annotators, and the drift over the annotator's own range is more than a tenth of the scale. A few dozen scores
seldom show a drift, so the smallest drift that would have been found four times in five stands beside.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError, NotEstimableError
from ...ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_labels import coded, numbers
from ..models.confounded import told_apart
from ..models.mixed_model import mixed_model

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
    0.8, had this annotator alone drifted.  flagged bool[n_annotators].
    """

    annotators: tuple[str, ...]
    slope: FloatArray
    se: FloatArray
    p: FloatArray
    p_holm: FloatArray
    n: IntArray
    change: FloatArray
    detectable: FloatArray
    flagged: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"


def drift(
    item: Sequence[Hashable],
    annotator: Sequence[Hashable],
    place: ArrayLike,
    score: ArrayLike,
    scale: float = 1.0,
    hit: Sequence[Hashable] | None = None,
) -> Drift:
    """Slopes of the scores over each annotator's own sequence.

    item, annotator: labels of each score.  place float[n]: place of the score in its annotator's sequence: 1,
    2, ...  score float[n].  scale: length of the scale, for what is large: 1 for scores in [0, 1].  hit:
    Label of the HIT of each score; the same label under another annotator is another HIT.
    """
    from scipy.special import ndtri, stdtr, stdtrit

    y = numbers("score", score)
    t = numbers("place", place)
    _, what = coded("item", item, len(y))
    names, who = coded("annotator", annotator, len(y))
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
    own = (who[:, None] == np.arange(len(names))).astype(float)
    design = np.column_stack([own, own * centred[:, None]])
    visit = np.arange(len(y)) if hit is None else _visits(who, hit)
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
    flagged = (adjusted <= ALPHA) & (np.abs(change) > LARGE * scale)
    return Drift(names, slope, se, p, adjusted, n, change, detectable, flagged)


def _visits(who: IntArray, hit: Sequence[Hashable]) -> IntArray:
    _, of = coded("HIT", hit, len(who))
    found: IntArray = np.unique(np.stack([who, of]), axis=1, return_inverse=True)[1].ravel()
    return found


def _design_factors(residual: FloatArray, who: IntArray, visit: IntArray) -> FloatArray:
    """float[n_annotators]: on standard errors of what hardly varies within HITs."""
    m = np.bincount(visit).astype(float)
    sums, squares = np.bincount(visit, residual), float(residual @ residual)
    pairs = float(np.sum(m * (m - 1)))
    shared = (float(sums @ sums) - squares) / pairs if pairs else 0.0
    correlation = max(shared / (squares / len(residual)), 0.0)
    usual = np.bincount(who, m[visit]) / np.bincount(who)
    found: FloatArray = np.sqrt(1.0 + (usual - 1.0) * correlation)
    return found
