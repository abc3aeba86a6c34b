"""Scores of items corrected for who judged them: location, precision and use of the scale of each annotator.

    y = mu + theta_i + b_a + u_ah + e
    theta ~ N(0, t_i^2),   b ~ N(0, t_a^2),   u ~ N(0, t_h^2),   e ~ N(0, s_a^2)

raw
    mean of an item's scores
location
    one s for all: corrects that some annotators are generous (R's lmer)
precision
    s_a by annotator: careless annotators count less (R's lme with varIdent), log s_a ~ N(mean, 0.6^2).
    Without this prior two equal scores would give an annotator of few scores an infinite weight; 0.6 is the
    spread found in the direct assessments of WMT21 (0.62 to 0.64)
scale
    y = c_a + l_a theta_i + e: also corrects that some use the whole scale and some a part of it
    (:mod:`pairproof.native.annotation.models.scale_model`)

The effect u of a HIT within its annotator enters where HITs are given. Theta and b are best linear unbiased
predictions: an item of one score is drawn towards the mean. Errors are normal on the scale of the scores: a
slider's values are no categories, and a mean score is a mean of what people said. Intervals can reach beyond
the scale's ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of
from ....errors import InputError, NotEstimableError
from ..beta import FloatArray, IntArray
from ..coded_labels import coded, numbers
from .confounded import not_joined, told_apart
from .mixed_equations import Likelihood
from .mixed_model import mixed_model
from .scale_model import scale_model

Level = Literal["raw", "location", "precision", "scale"]
LEVELS: tuple[Level, ...] = get_args(Level)
#: Spread of the annotators' log noise (WMT21 cs-en and others: 0.62 to 0.64).
PRIOR_SPREAD = 0.6
#: Annotators who share items, for a location; scores of each annotator, for a precision and for a slope.
FEWEST_ANNOTATORS, FEWEST_FOR_PRECISION, FEWEST_FOR_SCALE = 3, 10, 30


@dataclass(frozen=True, eq=False)
class AnnotatorModel:
    """Items' scores, and what they are corrected for.

    why: why this level, in a sentence.  score, se float[n_items]: on the scale of the scores: at level scale
    what these annotators would say on average. The standard error is that of the prediction, the variances
    (at level scale all parameters) taken as known; at level raw from the spread within items, nan if no item
    was scored twice.  raw float[n_items]: mean of the item's scores.  n int[n_items]: its scores.  mean: mu;
    at level scale the mean of the annotators' locations.  location, location_sd float[n_annotators]: b,
    positive for the generous, and its standard deviation given the scores; nan at level raw. At level scale c
    - mean, and its standard error.  noise float[n_annotators]: s_a; nan at level raw.  slope
    float[n_annotators]: use of the scale, geometric mean 1; nan below level scale.  item_sd, annotator_sd,
    hit_sd: of the random effects; 0 at the boundary, nan where the level has none.  loglik: nan at level raw.
    cautions: sentences to print beside the numbers: annotators who share no items, an effect of the HIT that
    cannot be told from another.
    """

    level: Level
    why: str
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    score: FloatArray
    se: FloatArray
    raw: FloatArray
    n: IntArray
    mean: float
    location: FloatArray
    location_sd: FloatArray
    noise: FloatArray
    slope: FloatArray
    item_sd: float
    annotator_sd: float
    hit_sd: float
    loglik: float
    likelihood: Likelihood
    cautions: tuple[str, ...] = ()

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """float[n_items] each of low and high: score -+ normal quantile times se, not cut at the ends."""
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
        half = float(ndtri(0.5 + level / 2)) * self.se
        return self.score - half, self.score + half


def annotator_model(
    item: Sequence[Hashable],
    annotator: Sequence[Hashable],
    score: ArrayLike,
    hit: Sequence[Hashable] | None = None,
    level: Level | None = None,
    prior_spread: float | None = PRIOR_SPREAD,
    likelihood: Likelihood | None = None,
) -> AnnotatorModel:
    """Fit a model of the annotators, and score the items with it.

    item, annotator: labels of each score.  score float[n]: on one scale, such as [0, 1].  hit: Label of the
    HIT of each score; the same label under another annotator is another HIT. Adds the effect u at the levels
    location and precision.  prior_spread: of log s_a at the levels precision and scale; None for no prior.
    likelihood: REML by default; level scale has ML only.
    """
    y = numbers("score", score)
    items, what = coded("item", item, len(y))
    names, who = coded("annotator", annotator, len(y))
    sessions = None if hit is None else coded("HIT", hit, len(y))[1]
    if prior_spread is not None and not (np.isfinite(prior_spread) and prior_spread > 0):
        raise InputError(f"prior_spread={prior_spread!r}; expected a number > 0, or None for no prior")
    if likelihood is not None:
        one_of("likelihood", likelihood, get_args(Likelihood))
    if level is None:
        level, why = _richest(what, who, names)
    else:
        one_of("level", level, LEVELS)
        lacking = _lacking(level, what, who, names)
        if lacking:
            raise NotEstimableError(f"annotator model of level {level}: {lacking}")
        why = "as asked for"
    n = np.bincount(what, minlength=len(items))
    raw = np.bincount(what, y, len(items)) / n
    common = (level, why, items, names)
    apart_sets = not_joined(what, who, names)
    cautions = (apart_sets,) if apart_sets else ()
    if level == "raw":
        nan = np.full(len(names), np.nan)
        return AnnotatorModel(
            *common, raw, _raw_se(what, y, n, raw), raw, n, float(y.mean()), nan, nan, nan, nan,
            np.nan, np.nan, np.nan, np.nan, likelihood or "REML", cautions,
        )  # fmt: skip
    if level == "scale":
        if likelihood == "REML":
            raise InputError("likelihood='REML'; level scale is fitted by 'ML' only")
        if sessions is not None:
            raise InputError("level scale has no effect of the HIT; leave `hit` out")
        fit = scale_model(what, who, y, prior_spread, names)
        middle, rise = float(fit.location.mean()), float(fit.loading.mean())
        k = len(names)
        return AnnotatorModel(
            *common, middle + rise * fit.theta, abs(rise) * fit.theta_sd, raw, n, middle,
            fit.location - middle, np.sqrt(np.diag(fit.covariance)[:k]), fit.noise, fit.slope,
            rise, float(np.std(fit.location)), np.nan, fit.loglik, "ML", cautions,
        )  # fmt: skip
    effects = {"item": what, "annotator": who}
    if sessions is not None:
        session = np.unique(np.stack([who, sessions]), axis=1, return_inverse=True)[1].ravel()
        # The later of two that cannot be told apart stays: the annotator.
        kept, said = told_apart({"HIT": session, **effects})
        if "HIT" in kept:
            effects["HIT"] = session
        else:
            cautions += (said[0],)
    apart = level == "precision"
    mixed = mixed_model(
        y,
        list(effects.values()),
        group=who if apart else None,
        likelihood=likelihood or "REML",
        prior_spread=prior_spread if apart else None,
        names=list(effects),
    )
    value, se = mixed.sum_with([1.0], 0)
    deviations = np.sqrt(mixed.variances)
    noise = np.sqrt(mixed.residual) if apart else np.full(len(names), float(np.sqrt(mixed.residual[0])))
    return AnnotatorModel(
        *common, value, se, raw, n, float(mixed.coefficients[0]), mixed.predictions[1],
        mixed.conditional_sd[1], noise, np.full(len(names), np.nan), float(deviations[0]),
        float(deviations[1]), float(deviations[2]) if "HIT" in effects else np.nan,
        mixed.loglik, mixed.likelihood, cautions,
    )  # fmt: skip


def _raw_se(what: IntArray, y: FloatArray, n: IntArray, mean: FloatArray) -> FloatArray:
    """float[n_items]: spread within items, the same for all, over the root of the number of scores."""
    free = len(y) - len(n)
    if free == 0:
        return np.full(len(n), np.nan)
    within = float(np.sum((y - mean[what]) ** 2)) / free
    found: FloatArray = np.sqrt(within / n)
    return found


def _richest(what: IntArray, who: IntArray, names: Sequence[str]) -> tuple[Level, str]:
    """The richest of precision, location and raw that the data bear, with the reason."""
    lacking = _lacking("precision", what, who, names)
    if not lacking:
        return "precision", f"every annotator has {FEWEST_FOR_PRECISION} scores or more"
    less = _lacking("location", what, who, names)
    if not less:
        return "location", f"not precision: {lacking}"
    return "raw", f"not location: {less}"


def _lacking(level: Level, what: IntArray, who: IntArray, names: Sequence[str]) -> str:
    """What the data lack for a level; "" if they bear it."""
    if level == "raw":
        return ""
    pair = np.unique(np.stack([what, who]), axis=1)
    judges = np.bincount(pair[0])
    sharing = np.unique(pair[1][judges[pair[0]] > 1])
    if len(sharing) < FEWEST_ANNOTATORS:
        return (
            f"{len(sharing)} annotator(s) share an item with another; a location needs {FEWEST_ANNOTATORS} or more:"
            " have items judged by several annotators"
        )
    if not (judges.max() > 1 and len(judges) > 1):
        return "one item only; expected two or more"
    if level == "location":
        return ""
    least = FEWEST_FOR_SCALE if level == "scale" else FEWEST_FOR_PRECISION
    n = np.bincount(who)
    few = np.flatnonzero(n < least)
    if len(few):
        listed = ", ".join(f"{names[k]} ({n[k]})" for k in few[:3]) + (", ..." if len(few) > 3 else "")
        return f"{len(few)} annotator(s) with fewer than {least} scores: {listed}"
    return ""
