"""Scores of items corrected for who judged them: location, precision and use of the scale of each annotator.

    y = mu + theta_i + b_a + u_ah + e,  theta ~ N(0, t_i^2), b ~ N(0, t_a^2), u ~ N(0, t_h^2), e ~ N(0, s_a^2)

raw         mean of an item's scores
location    one s for all: corrects that some annotators are generous (R's lmer)
precision   s_a by annotator: careless annotators count less (R's lme, varIdent), log s_a ~ N(mean, 0.6^2).
            Without this prior two equal scores would give an annotator of few scores an infinite weight; 0.6
            is the spread found in the direct assessments of WMT21 (0.62 to 0.64)
scale       also corrects that some use the whole scale and some a part; one factor (Lawley and Maxwell 1971;
            R's factanal):  y = c_a + l_a theta_i + e,   theta_i ~ N(0, 1),   e ~ N(0, psi_a)

The effect u of a HIT within its annotator enters where HITs are given. Theta and b are best linear unbiased
predictions: an item of one score is drawn towards the mean. Errors are normal on the scale of the scores;
intervals can leave it.

In the scale model an item's scores have covariance V = l l' + diag(psi) over its annotators, and the
marginal likelihood is a product over items. With w = l / psi and q_i = sum l^2 / psi over the item's scores,

    V^-1 = diag(1 / psi) - w w' / (1 + q_i),   log|V| = sum log psi + log(1 + q_i)

and the maximum is found by scoring in (c, l, log psi), steps halved. With few items an annotator can be
fitted without noise (a Heywood case). The prior log sqrt(psi_a) ~ N(mean, spread^2), the mean estimated,
prevents that; without it such data are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of
from ....errors import ConvergenceError, InputError, NotEstimableError
from ....text import plural
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, check_level, coded, coded_scores
from .mixed_equations import Likelihood
from .mixed_model import mixed_model, not_joined, told_apart

#: Squared length of the last step in standard errors.
TOLERANCE = 1e-20
MAX_STEPS = 500
#: A noise variance this small beside that of the scores, and falling, is a Heywood case.
HEYWOOD = 1e-6


@dataclass(frozen=True, eq=False)
class ScaleFit:
    """The annotators' use of the scale, and the items on it.
    location float[n_annotators]: c: what the annotator says about an average item.  loading
    float[n_annotators]:
    l: how far the annotator's score rises by one standard deviation of the items; the sum is positive.  noise
    float[n_annotators]: standard deviation of e.  theta float[n_items]: items, in standard deviations of the
    items: their mean given the scores.  theta_sd float[n_items]: their standard deviation given the scores,
    the parameters taken as known.  covariance float[3 n_annotators, 3 n_annotators]: of c, l and log psi, by
    the expected information.  loglik: full log-likelihood, the prior not in it."""

    location: FloatArray
    loading: FloatArray
    noise: FloatArray
    theta: FloatArray
    theta_sd: FloatArray
    covariance: FloatArray
    loglik: float
    steps: int

    @property
    def slope(self) -> FloatArray:
        """float[n_annotators]: the loadings over the geometric mean of their sizes."""
        return np.asarray(self.loading / np.exp(np.log(np.abs(self.loading)).mean()))

    @property
    def correlation(self) -> FloatArray:
        """float[n_annotators]: of the annotator's scores with the items (factanal's loadings)."""
        return np.asarray(self.loading / np.sqrt(self.loading**2 + self.noise**2))


@dataclass(frozen=True, eq=False)
class _At:
    """The likelihood at one place."""

    c: FloatArray
    l: FloatArray
    psi: FloatArray
    loglik: float
    log_prior: float
    theta: FloatArray
    room: FloatArray  # 1 / (1 + q_i)
    gradient: FloatArray
    information: FloatArray


@dataclass(eq=False)
class _Table:
    """The scores, summed so that the likelihood of any parameters is a few products."""

    item: IntArray
    who: IntArray
    y: FloatArray
    prior_spread: float | None

    def __post_init__(self) -> None:
        self.n_items, self.n_annotators = int(self.item.max()) + 1, int(self.who.max()) + 1
        self.count = np.zeros((self.n_items, self.n_annotators))
        np.add.at(self.count, (self.item, self.who), 1.0)

    def at(self, c: FloatArray, l: FloatArray, psi: FloatArray) -> _At:
        who, item, m = self.who, self.item, self.count
        r = self.y - c[who]
        w = l / psi
        q = m @ (l * w)
        room = 1.0 / (1.0 + q)
        theta = room * np.bincount(item, w[who] * r, self.n_items)
        log_v = len(r) * np.log(2.0 * np.pi) + m.sum(axis=0) @ np.log(psi) + np.log1p(q).sum()
        loglik = -0.5 * float(log_v + np.sum(r * r / psi[who]) - np.sum(theta**2 / room))
        z = r / psi[who] - w[who] * theta[item]
        own, shared = m.sum(axis=0), m.T @ room
        by_c = np.bincount(who, z, self.n_annotators)
        by_l = np.bincount(who, z * theta[item], self.n_annotators) - w * shared
        by_psi = 0.5 * (np.bincount(who, z * z, self.n_annotators) - own / psi + w * w * shared)
        gradient = np.r_[by_c, by_l, by_psi * psi]
        information = self._information(l, psi, room)
        log_prior = 0.0
        if self.prior_spread is not None:
            k, excess = self.n_annotators, (np.log(psi) - np.log(psi).mean()) / 2.0
            log_prior = -0.5 * float(excess @ excess) / self.prior_spread**2
            gradient[2 * k :] -= excess / (2.0 * self.prior_spread**2)
            information[2 * k :, 2 * k :] += (np.eye(k) - 1.0 / k) / (4.0 * self.prior_spread**2)
        return _At(c, l, psi, loglik, log_prior, theta, room, gradient, information)

    def _information(self, l: FloatArray, psi: FloatArray, room: FloatArray) -> FloatArray:
        """Expected information in (c, l, log psi): 1/2 tr(V^-1 V_j V^-1 V_k), and m'V^-1 m for the means."""
        m, own, k = self.count, self.count.sum(axis=0), self.n_annotators
        w = l / psi
        ww = np.outer(w, w)
        once, twice = (m.T * room) @ m, (m.T * room**2) @ m
        diagonal = np.diag(own / psi)
        explained = 1.0 - room  # l'V^-1 l
        by_l = np.diag((m.T @ explained) / psi) - ww * ((m.T * (explained * room)) @ m) + ww * twice
        by_l_psi = np.diag((m.T @ room) / psi * w) - ww * w[None, :] * twice
        by_psi = 0.5 * ww**2 * twice + np.diag(0.5 * own / psi**2 - w**2 / psi * (m.T @ room))
        out = np.zeros((3 * k, 3 * k))
        out[:k, :k] = diagonal - ww * once
        out[k : 2 * k, k : 2 * k] = by_l
        out[k : 2 * k, 2 * k :] = by_l_psi * psi[None, :]
        out[2 * k :, k : 2 * k] = out[k : 2 * k, 2 * k :].T
        out[2 * k :, 2 * k :] = by_psi * np.outer(psi, psi)
        return out


def scale_model(
    item: IntArray,
    annotator: IntArray,
    score: FloatArray,
    prior_spread: float | None = None,
    names: Sequence[str] | None = None,
) -> ScaleFit:
    """Fit location, slope and noise of every annotator by maximum likelihood; any scores may be missing.
    item, annotator int[n]: from 0.  score float[n].  prior_spread: standard deviation of the prior on the
    logs of the noise; none by default."""
    what, who = np.asarray(item, np.int64), np.asarray(annotator, np.int64)
    y = np.asarray(score, np.float64)
    n_annotators = int(who.max()) + 1
    if n_annotators < 3:
        raise NotEstimableError(f"scale model: {n_annotators} annotator(s); slopes need three or more")
    middle, scale = float(y.mean()), float(y.std())
    if scale == 0.0:
        raise NotEstimableError(f"scale model: all scores are {y[0]:g}; nothing varies")
    table = _Table(what, who, (y - middle) / scale, prior_spread)
    best, steps = _climb(table, names)
    values, _, _ = _directions(best.information)
    if not float(values[0]) > 1e-7:
        raise NotEstimableError(
            "scale model: the shared items do not determine every annotator's slope and noise; annotators who"
            " share items with fewer than two others have to be left out, or use the precision model"
        )
    turn = 1.0 if best.l.sum() >= 0 else -1.0
    covariance: FloatArray = np.asarray(np.linalg.inv(best.information), float)
    unit = np.repeat([scale, turn * scale, 1.0], n_annotators)
    location, loading, noise = middle + scale * best.c, turn * scale * best.l, scale * np.sqrt(best.psi)
    theta, covariance = turn * best.theta, covariance * np.outer(unit, unit)
    loglik = best.loglik - len(y) * float(np.log(scale))
    return ScaleFit(location, loading, noise, theta, np.sqrt(best.room), covariance, loglik, steps)


def _climb(table: _Table, names: Sequence[str] | None) -> tuple[_At, int]:
    k = table.n_annotators
    own = np.maximum(table.count.sum(axis=0), 1.0)
    c = np.bincount(table.who, table.y, k) / own
    half = np.maximum(np.bincount(table.who, (table.y - c[table.who]) ** 2, k) / own, 0.02) / 2.0
    now = table.at(c, np.sqrt(half), half)
    for step_number in range(1, MAX_STEPS + 1):
        step = _step(now)
        decrement = float(now.gradient @ step)
        if decrement < TOLERANCE:
            return now, step_number
        step = step * min(1.0, 2.0 / float(np.abs(step).max()))
        size = 1.0
        while True:
            d = size * step
            after = table.at(now.c + d[:k], now.l + d[k : 2 * k], now.psi * np.exp(d[2 * k :]))
            gain = after.loglik + after.log_prior - now.loglik - now.log_prior
            if gain >= 0 or (decrement < 1e-9 and gain > -1e-9 * max(1.0, abs(now.loglik))):
                break
            size /= 2
            if size < 1e-8:
                said = f"the likelihood cannot be raised (decrement {decrement:.2g})"
                raise ConvergenceError(f"scale model: {said}")
        now = after
        fallen = (now.psi < HEYWOOD) & (now.gradient[2 * k :] < 0)
        if fallen.any():
            number = int(np.flatnonzero(fallen)[0])
            name = names[number] if names is not None else f"number {number + 1}"
            raise NotEstimableError(
                f"scale model: the noise of annotator {name} falls to 0 (a Heywood case): too few shared items to tell"
                " slopes; hold the noises together (prior_spread=0.6), or use the precision model"
            )
    raise ConvergenceError(f"scale model: no maximum after {MAX_STEPS} steps")


def _step(at: _At) -> FloatArray:
    """The scoring step, in the directions that the information determines."""
    values, vectors, size = _directions(at.information)
    return np.asarray((vectors @ ((vectors.T @ (at.gradient / size)) / np.maximum(values, 1e-9))) / size)


def _directions(information: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Eigenvalues and vectors of the information scaled to a diagonal of ones, and the scale."""
    size = np.sqrt(np.maximum(np.diag(information), 1e-12))
    values, vectors = np.linalg.eigh(information / np.outer(size, size))
    return values, vectors, size


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
    cannot be distinguished from another."""

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

        check_level(level)
        half = float(ndtri(0.5 + level / 2)) * self.se
        return self.score - half, self.score + half


def annotator_model(
    item: Labels,
    annotator: Labels,
    score: ArrayLike,
    hit: Labels | None = None,
    level: Level | None = None,
    prior_spread: float | None = PRIOR_SPREAD,
    likelihood: Likelihood | None = None,
) -> AnnotatorModel:
    """Fit a model of the annotators, and score the items with it.
    score float[n]: on one scale, such as [0, 1].  hit: Label of the HIT of each score; the same label under
    another annotator is another HIT.  Adds the effect u at the levels location and precision.  prior_spread:
    of log s_a at the levels precision and scale; None for no prior.  likelihood: REML by default; level scale
    has ML only."""
    y, ((items, what), (names, who)) = coded_scores(score, item=item, annotator=annotator)
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
    cautions = tuple(filter(None, [not_joined(what, who, names)]))
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
        # The later of two that cannot be distinguished stays: the annotator.
        kept, said = told_apart({"HIT": session, **effects})
        if "HIT" in kept:
            effects["HIT"] = session
        else:
            cautions += (said[0],)
    apart = level == "precision"
    group, prior = (who, prior_spread) if apart else (None, None)
    labels = list(effects.values())
    mixed = mixed_model(y, labels, None, group, likelihood or "REML", prior, list(effects))
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
    return np.asarray(np.sqrt(within / n))


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
            f"{plural(len(sharing), 'annotator')} share{'s' * (len(sharing) == 1)} items with another; a location needs {FEWEST_ANNOTATORS} or more:"
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
