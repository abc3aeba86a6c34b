"""Maximum marginal likelihood of contests with random effects, and the test of sigma = 0.

The likelihood is Laplace's approximation, or by quadrature where the effects fall into small sets.  Fixed
parameters b and log sigma are estimated together; their covariance is the inverse of minus the second
derivatives.  At the boundary twice the gain in log-likelihood over sigma = 0 is distributed as 0 or
chi-square with one degree of freedom, with probability 1/2 each (Self and Liang 1987, JASA 82, 605-610, case
5):

    p = P(chi2_1 > LR) / 2,   LR = 2 (log L - log L_0),   and p = 1 where LR = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, InputError
from ..structured.contests import Contests
from ..structured.estimate import StructuredEstimate, fit_structured
from ..structured.likelihood import ContestPoint
from ..structured.links import Link, link
from .blocks import check_one_component
from .design import acyclic, fixed_part
from .joint import Joint, joint_of
from .laplace import Marginal, laplace, mode_of
from .optimum import Optimum, optimum
from .penalised import effects_alone
from .quadrature import EffectSets, exact
from .search import NOTHING, STARTS, Lower, highest

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MixedEstimate:
    """An estimate of a Bradley-Terry model with random effects by its marginal likelihood.

    names: of the p fixed parameters.  beta float[p].  sigma: standard deviation of the effects, by maximum
    likelihood (not REML).  covariance float[p + 1, p + 1]: of beta and log sigma; NaN in the last row and
    column where sigma is 0 or bounded below only.  llf: marginal log-likelihood without binomial
    coefficients.  log_coefficients: sum of the log binomial coefficients of the rows that were fitted.
    without: the fit with sigma = 0.  joint: modes of the effects (by quadrature: modes too), fixed
    parameters, covariance given sigma.  posterior_means float[K] or None: of the effects, by quadrature.
    method: "laplace" or "quadrature".  bounded_below_only: whether the wins have no cycle: the data then
    bound sigma from below only, and the maximum of Laplace's approximation is an artefact of its error.
    """

    names: tuple[str, ...]
    beta: FloatArray
    sigma: float
    covariance: FloatArray
    llf: float
    log_coefficients: float
    without: StructuredEstimate
    joint: Joint
    posterior_means: FloatArray | None
    method: str
    bounded_below_only: bool

    @property
    def standard_errors(self) -> FloatArray:
        """float[p + 1]: of beta and log sigma."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def sigma_se(self) -> float:
        """Standard error of sigma by the delta method; NaN where it has none."""
        return float(self.sigma * self.standard_errors[-1])

    @property
    def lr(self) -> float:
        """Twice the log-likelihood gained over sigma = 0."""
        return max(0.0, 2.0 * (self.llf - self.without.llf)) if self.sigma > 0 else 0.0

    @property
    def p(self) -> float:
        """Of the test of sigma = 0."""
        return boundary_p(self.lr)


def boundary_p(lr: float) -> float:
    """p-value of the likelihood-ratio test of one variance at its boundary.

    lr: twice the log-likelihood gained, >= 0.  Returns float: P(chi2_1 > lr) / 2; 1 at 0.
    """
    from scipy.special import erfc

    return 1.0 if lr <= 0 else float(0.5 * erfc(np.sqrt(lr / 2.0)))


def fit_mixed(
    contests: Contests, link_name: str = "logit", method: str = "laplace", set_size: int | None = None
) -> MixedEstimate:
    """The maximum of the marginal likelihood of contests with random effects.

    contests: whose first K parameters are the effects,
    :func:`pairproof.native.random_effects.design.with_effects`.  link_name: "logit" or "probit".  method:
    "laplace" or "quadrature".  set_size: effects in each set of the quadrature, numbered set by set: items of
    a judge.  All effects in one set if not given.
    """
    chosen = link(link_name)
    if not chosen.concave:
        raise InputError(f"link {link_name!r} with random effects; expected logit or probit")
    check_one_component(contests.design)
    at = marginal_of(contests, chosen, method, set_size)
    without = fit_structured(fixed_part(contests), link_name)
    if method == "laplace":
        reached = highest(contests, chosen, [Lower(without.llf, without.theta, np.zeros(0), 0)])
        found, mode = (None, None) if reached is None else reached
    else:
        found, mode = _maximum(contests, chosen, at, without), None
    if found is None:
        return _at_zero(contests, chosen, without, method)
    sigma, beta = float(np.exp(found.x[-1])), found.x[:-1]
    unbounded = acyclic(contests)
    covariance = np.linalg.inv(-found.hessian)
    if unbounded:
        covariance[-1, :], covariance[:, -1] = np.nan, np.nan
    k = contests.design.n_own
    mode = mode_of(contests, chosen, beta, sigma) if mode is None else mode
    here = ContestPoint(contests, chosen, np.append(mode.theta, beta))
    return MixedEstimate(
        contests.design.names[k:],
        beta,
        sigma,
        covariance,
        found.value,
        contests.log_coefficients,
        without,
        joint_of(here, sigma),
        at(beta, sigma).effects if method == "quadrature" else None,
        method,
        unbounded,
    )


def marginal_of(
    contests: Contests, chosen: Link, method: str, set_size: int | None
) -> Callable[[FloatArray, float], Marginal]:
    """The marginal likelihood as a function of the fixed parameters and sigma.

    method, set_size: as :func:`fit_mixed` takes them.  Returns function of beta, float[p], and sigma: A
    :class:`pairproof.native.random_effects.laplace.Marginal`.
    """
    k = contests.design.n_own
    if method == "quadrature":
        sets = EffectSets(contests, k if set_size is None else set_size)
        return lambda beta, sigma: exact(sets, chosen, beta, sigma)
    if method != "laplace":
        raise InputError(f"method {method!r}; expected laplace or quadrature")
    last: list[Marginal | None] = [None]

    def at(beta: FloatArray, sigma: float) -> Marginal:
        last[0] = found = laplace(contests, chosen, beta, sigma, last[0])
        return found

    return at


def _maximum(
    contests: Contests, chosen: Link, at: Callable[[FloatArray, float], Marginal], without: StructuredEstimate
) -> Optimum | None:
    """The maximum by quadrature, or None if it is sigma = 0."""

    def function(x: FloatArray) -> tuple[float, FloatArray]:
        if not -12.0 < x[-1] < 12.0:
            return -np.inf, np.zeros(len(x))
        found = at(x[:-1], float(np.exp(x[-1])))
        return found.value, found.gradient

    values = [at(without.theta, sigma).value for sigma in STARTS]
    best = STARTS[int(np.argmax(values))]
    start = np.append(without.theta, np.log(best))
    try:
        found = optimum(function, start, rough_scale(contests, chosen, without.theta, best))
    except ConvergenceError:
        # On the way to sigma = 0 the likelihood is flat in log sigma.
        if max(values) <= without.llf and slope_at_zero(contests, chosen, without.theta) <= 0:
            return None
        raise
    return found if found.value > without.llf + NOTHING else None


def rough_scale(contests: Contests, chosen: Link, beta: FloatArray, sigma: float) -> FloatArray:
    """A square root of a rough covariance of beta and log sigma.

    beta float[p].  Returns float[p + 1, p + 1].
    """
    k, p = contests.design.n_own, len(beta)
    here = ContestPoint(contests, chosen, np.append(np.zeros(k), beta))
    joint = np.linalg.inv(here.expected + np.diag(np.append(np.full(k, sigma**-2), np.zeros(p))))
    known = np.eye(k) - joint[:k, :k] / sigma**2
    found = np.zeros((p + 1, p + 1))
    found[:p, :p] = np.linalg.cholesky(joint[k:, k:]) if p else 0.0
    found[p, p] = 1.0 / np.sqrt(2.0 * float((known**2).sum()) + 0.5)
    return found


def slope_at_zero(contests: Contests, chosen: Link, beta: FloatArray) -> float:
    """Derivative of the marginal log-likelihood by sigma^2 at sigma = 0: (|Z'r|^2 - tr Z'WZ) / 2.

    contests: whose first K parameters are the effects.  beta float[p]: the fixed parameters at sigma = 0.
    """
    alone = effects_alone(contests, beta)
    here = ContestPoint(alone, chosen, np.zeros(alone.design.n_own))
    return 0.5 * (float((here.score**2).sum()) - float(np.trace(here.observed)))


def _at_zero(contests: Contests, chosen: Link, without: StructuredEstimate, method: str) -> MixedEstimate:
    k, p = contests.design.n_own, len(without.theta)
    here = ContestPoint(contests, chosen, np.append(np.zeros(k), without.theta))
    covariance = np.full((p + 1, p + 1), np.nan)
    covariance[:p, :p] = without.covariance
    return MixedEstimate(
        without.names,
        without.theta,
        0.0,
        covariance,
        without.llf,
        contests.log_coefficients,
        without,
        joint_of(here, 0.0),
        np.zeros(k) if method == "quadrature" else None,
        method,
        False,
    )
