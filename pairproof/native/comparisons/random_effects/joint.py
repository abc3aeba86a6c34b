"""Effects and fixed parameters together: their joint covariance, and predictions, also with sigma unknown.

Given sigma, the joint precision of (u, b) at the mode is Q = [Z'WZ + I/sigma^2, Z'WX; X'WZ, X'WX], V = Q^-1
(Henderson 1975, Biometrics 31, 423-447; Breslow and Clayton 1993).  V is the covariance of (u^ - u, b^ - b):
modes are not estimates of fixed effects.  The uncertainty of sigma is left out of it.

With theta^ the joint mode of K effects and p parameters, integrating over both by Laplace's method gives

    log m(sigma) = l(theta^) - u^'u^ / (2 sigma^2) - K log sigma - log det Q / 2

(Tierney and Kadane 1986, JASA 81, 82-86; in sigma it is that of REML).  With a uniform prior of sigma the
posterior of a linear predictor is a mixture of normal ones, one for each of a few nodes of sigma (Rue,
Martino and Chopin 2009, JRSS-B 71, 319-392, section 3); its quantiles are the interval.  Gelman (2006,
Bayesian Analysis 1, 515-534) recommends the uniform prior; one uniform in log sigma has no posterior.

Simulated binary contests, beta .7, 300 data sets each: shares of intervals of 95 % that hold the truth, with
sigma taken as known at its estimate, and over its posterior:

                                            known pair        new player
    77 players, 100 contests, sigma 1.1     .780  .930        .787  .937
    40 players, 400 contests, sigma 1       .935  .943        .940  .957
    40 players, 100 contests, sigma 2       .882  .942        .887  .953
    40 players, 400 contests, sigma 0.3     .803  .938        .797  .940
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....errors import TooLargeError
from ....numerics.arrays import FloatArray
from ....numerics.maxima import Estimated
from ..rows.contest_design import Contests
from ..rows.links import ContestPoint, Link, link
from ..rows.maximum_likelihood import fit_structured
from .effects_design import component_sizes, fixed_part
from .factors import MOST_TOGETHER, factored, inverse_of
from .marginal_likelihood import penalised_mode

#: Of the trapezoid sum over a normal error, in its standard deviations; both give 15 digits.
RADIUS, STEP = 9.0, 0.125


def covariance_given(information: FloatArray, sigma: FloatArray) -> FloatArray:
    """The covariance of effects and parameters with these standard deviations a priori, float[K + p], inf for a
    parameter; 0 for an effect whose sigma is 0."""
    covariance, here = np.zeros_like(information), np.ix_(sigma > 0, sigma > 0)
    if (sigma > 0).any():
        covariance[here] = inverse_of(information[here] + np.diag(sigma[sigma > 0] ** -2.0))
    return covariance


@dataclass(frozen=True, eq=False)
class Joint(Estimated):
    """Effects and fixed parameters of contests, and their covariance given sigma.
    theta float[K + p]: the effects, then the fixed parameters.  covariance float[K + p, K + p]: of theta minus the
    truth.  n_effects: K. sigma: standard deviation of the effects; at 0 the effects are 0 and have no variance.
    """

    theta: FloatArray
    covariance: FloatArray
    n_effects: int
    sigma: float | FloatArray
    link: str


def joint_of(here: ContestPoint, sigma: float | FloatArray, observed: bool = True) -> Joint:
    """Effects and parameters at the mode, with their covariance.
    here: effects first, then parameters.  sigma: of the effects, of all or float[C] of each component; where it is 0
    they are 0 with certainty.  observed: by the observed information, or by the expected one."""
    design = here.contests.design
    k, p = design.n_own, len(design.names) - design.n_own
    if k + p > MOST_TOGETHER:
        raise TooLargeError(
            f"the covariance of {k:,} effects and {p} parameters (limit {MOST_TOGETHER:,} together); fit one"
            " component, or fewer judges at a time"
        )
    sizes = component_sizes(design)
    each = np.repeat(np.broadcast_to(sigma, len(sizes)), sizes)
    information = here.observed if observed else here.expected
    covariance = covariance_given(information, np.append(each, np.full(p, np.inf)))
    return Joint(here.theta, covariance, k, sigma, here.link.name)


def contrast(k: int, columns: FloatArray, first: int | None, second: int | None) -> tuple[FloatArray, int]:
    """The linear predictor of a contest as a combination of effects and parameters.
    columns float[p].  Returns float[k + p], int: the combination, and how many of the sides are new
    players."""
    a = np.append(np.zeros(k), columns)
    for side, sign in ((first, 1.0), (second, -1.0)):
        if side is not None and side >= 0:
            a[side] += sign
    return a, (first is None) + (second is None)


def mean_probability(chosen: Link, eta: float, sd: float) -> float:
    """E F(eta + e), e ~ N(0, sd^2), by the trapezoid rule.  sd: of e, >= 0.  Returns float: in (0, 1)."""
    if sd == 0.0:
        return float(chosen.probability(np.array([eta]))[0])
    # The poles of F lie pi / sd away from the real axis: a larger sd takes a smaller step.
    step = STEP / max(1.0, sd / 2.0)
    t = step * np.arange(-round(RADIUS / step), round(RADIUS / step) + 1, dtype=float)
    weight = np.exp(-0.5 * t**2)
    return float(weight @ chosen.probability(eta + sd * t) / weight.sum())


#: Where the prior ends: with a sigma of 20 on the logit scale nearly all contests would be certain.
LARGEST = {"logit": 20.0, "probit": 12.0}
#: Sigma below which a uniform prior leaves nothing.
SMALLEST = 0.01
#: Distance of nodes in log sigma: so many standard errors of it, and at most so much.
STEP_OF_SIGMA, WIDEST = 1.0, 0.4
#: Nodes whose log posterior is farther below the greatest are left out.
DEPTH = 9.0
#: Weight of the last node that matters.
MATTERS = 0.01
#: Where the nodes start if sigma is 0, or has no standard error.
CENTRE = 0.3


@dataclass(frozen=True, eq=False)
class SigmaPosterior:
    """The posterior distribution of sigma at m nodes, with effects and parameters given each.
    sigma float[m]: rising, spaced evenly in log sigma.  weights float[m]: sum 1.  cut: whether the posterior
    has not vanished at the end of the prior, so that this end matters: the data hardly bound sigma from
    above."""

    sigma: FloatArray
    weights: FloatArray
    joints: tuple[Joint, ...]
    cut: bool


def sigma_posterior(
    contests: Contests, link_name: str = "logit", sigma: float = 0.0, log_se: float = float("nan")
) -> SigmaPosterior:
    """The posterior of sigma under a uniform prior.
    contests: whose first K parameters are the effects of one component.  sigma, log_se: an estimate of sigma
    and the standard error of its logarithm, from which the nodes are placed; 0 and NaN where there are
    none."""
    chosen = link(link_name)
    without = fit_structured(fixed_part(contests), link_name)
    low, high = np.log(SMALLEST), np.log(LARGEST[link_name])
    step = min(STEP_OF_SIGMA * log_se, WIDEST) if log_se > 0 else WIDEST
    centre = min(np.log(sigma) if sigma > 0 else np.log(CENTRE), high - step / 2)
    k = contests.design.n_own
    start = np.append(np.zeros(k), without.theta)
    middle = _Node(contests, chosen, centre, start)
    nodes = {0: middle}
    top = middle.log_posterior
    for way in (-1, 1):
        place, j = middle, 0
        while top - place.log_posterior < DEPTH:
            j += way
            t = centre + j * step
            if not low < t < high:
                break
            nodes[j] = place = _Node(contests, chosen, t, place.point.theta)
            top = max(top, place.log_posterior)
    kept = [nodes[j] for j in sorted(nodes) if top - nodes[j].log_posterior < DEPTH]
    weights = np.exp([node.log_posterior - top for node in kept])
    weights /= weights.sum()
    return SigmaPosterior(
        np.array([node.sigma for node in kept]),
        weights,
        tuple(joint_of(node.point, node.sigma) for node in kept),
        bool(np.log(kept[-1].sigma) + step >= high and weights[-1] > MATTERS),
    )


class _Node:
    """The joint mode given one sigma, and the posterior density of log sigma there."""

    def __init__(self, contests: Contests, chosen: Link, log_sigma: float, start: FloatArray) -> None:
        self.sigma = float(np.exp(log_sigma))
        k = contests.design.n_own
        precision = np.append(np.full(k, self.sigma**-2), np.zeros(len(start) - k))
        self.point: ContestPoint = penalised_mode(contests, chosen, precision, start)
        information = self.point.observed
        information[np.diag_indices(len(start))] += precision
        log_det = 2.0 * float(np.log(np.diag(factored(information))).sum())
        u = self.point.theta[:k]
        integrated = self.point.value - 0.5 * float(u @ u) / self.sigma**2 - k * log_sigma - 0.5 * log_det
        self.log_posterior = integrated + log_sigma  # uniform in sigma


def limits_over(
    posterior: SigmaPosterior,
    columns: FloatArray,
    first: int | None,
    second: int | None,
    offset: float = 0.0,
    level: float = 0.95,
) -> tuple[float, float]:
    """Limits of the linear predictor of a contest between known or new players, over the posterior of sigma.
    columns float[p]: columns of the fixed parameters: the first player's covariates minus the second's.
    `first`, second: their effects, 0 .. K - 1; -1 for a player that has none; None for a new player."""
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    a, new = contrast(posterior.joints[0].n_effects, columns, first, second)
    centres = np.array([float(a @ joint.theta) for joint in posterior.joints]) + offset
    variances = np.array([float(a @ joint.covariance @ a) for joint in posterior.joints])
    spreads, weights = np.sqrt(variances + new * posterior.sigma**2), posterior.weights

    def quantile(p: float) -> float:
        ends = centres + spreads * float(ndtri(p))
        low, high = float(ends.min()), float(ends.max())
        if high - low < 1e-12 * (1.0 + abs(low)):
            return low
        return float(
            brentq(lambda v: float(weights @ ndtr((v - centres) / spreads)) - p, low, high, xtol=1e-12)
        )

    tail = (1.0 - level) / 2.0
    return quantile(tail), quantile(1.0 - tail)
