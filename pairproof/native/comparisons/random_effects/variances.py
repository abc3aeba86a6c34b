"""Maximum marginal likelihood of contests with random effects, and tests of their variances.

The likelihood is Laplace's approximation, or by quadrature where the effects fall into small sets.  Fixed
parameters b and log sigma are estimated together; their covariance is the inverse of minus the second
derivatives.  At the boundary twice the gain in log-likelihood over sigma = 0 is distributed as 0 or
chi-square with one degree of freedom, with probability 1/2 each (Self and Liang 1987, JASA 82, 605-610, case
5):

    p = P(chi2_1 > LR) / 2,   LR = 2 (log L - log L_0),   and p = 1 where LR = 0.

With several components (players, and items by judge) the likelihood is Laplace's approximation, maximised
with each component left out and with all, so that a variance of 0 is found as such; sigma_c = 0 is tested by
the likelihood ratio against the fit without c, with the same p where the other variances are inside their
boundaries; where another one is 0 too the mixture has other shares, and this p is too large or too small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ....errors import ConvergenceError
from ....numerics.arrays import FloatArray
from ....numerics.maxima import Estimated
from ..rows.contest_design import Contests
from ..rows.links import ContestPoint, Link, concave_link
from ..rows.maximum_likelihood import StructuredEstimate, fit_structured
from .effect_sets import EffectSets
from .effects_design import acyclic, component_sizes, fixed_part
from .joint import Joint, joint_of
from .marginal_likelihood import Marginal, effects_alone, laplace, mode_of
from .search import NOTHING, STARTS, Lower, Optimum, highest, optimum

#: The marginal likelihood at fixed parameters, float[p], and sigma.
At = Callable[[FloatArray, float], Marginal]


@dataclass(frozen=True, eq=False)
class MixedEstimate(Estimated):
    """An estimate of a Bradley-Terry model with random effects by its marginal likelihood.
    beta float[p]: the fixed parameters.  sigma: standard deviation of the effects, by maximum likelihood (not
    REML). covariance float[p + 1, p + 1]: of beta and log sigma; NaN in the last row and column where sigma is 0 or
    bounded below only.  llf: without binomial coefficients.  without: the fit with sigma = 0.  joint: modes of the
    effects (by quadrature: modes too), fixed parameters, covariance given sigma.  posterior_means float[K] or None:
    of the effects, by quadrature.  bounded_below_only: whether the wins have no cycle: the data then bound sigma
    from below only, and the maximum of Laplace's approximation is an artefact of its error."""

    beta: FloatArray
    sigma: float
    covariance: FloatArray
    llf: float
    without: StructuredEstimate
    joint: Joint
    posterior_means: FloatArray | None
    bounded_below_only: bool

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
    lr: twice the log-likelihood gained, >= 0.  Returns float: P(chi2_1 > lr) / 2; 1 at 0."""
    from scipy.special import erfc

    return 1.0 if lr <= 0 else float(0.5 * erfc(np.sqrt(lr / 2.0)))


def fit_mixed(
    contests: Contests, link_name: str = "logit", method: str = "laplace", set_size: int | None = None
) -> MixedEstimate:
    """The maximum of the marginal likelihood of contests with random effects.
    contests: whose first K parameters are the effects,
    `with_blocks`.  set_size: effects in
    each set of the quadrature, numbered set by set: items of a judge.  All effects in one set if not
    given."""
    chosen = concave_link(link_name)
    at = marginal_of(contests, chosen, method, set_size)
    without = fit_structured(fixed_part(contests), link_name)
    if method == "laplace":
        reached = highest(contests, chosen, [Lower(without.llf, without.theta, np.zeros(0), 0)])
        found, mode = (None, None) if reached is None else reached
    else:
        rough = marginal_of(contests, chosen, method, set_size, rough=True)
        found, mode = _maximum(contests, chosen, (rough, at), without), None
    k, unbounded = contests.design.n_own, False
    if found is None:
        beta, sigma, value, effects = without.theta, 0.0, without.llf, np.zeros(k)
        covariance = np.pad(without.covariance, (0, 1), constant_values=np.nan)
    else:
        beta, sigma, value = found.x[:-1], float(np.exp(found.x[-1])), found.value
        unbounded = acyclic(contests)
        covariance = np.asarray(np.linalg.inv(-found.hessian))
        if unbounded:
            covariance[-1, :], covariance[:, -1] = np.nan, np.nan
        effects = (mode_of(contests, chosen, beta, sigma) if mode is None else mode).theta
    here = ContestPoint(contests, chosen, np.append(effects, beta))
    means = None
    if method == "quadrature":
        means = at(beta, sigma).effects if sigma else np.zeros(k)
    joint = joint_of(here, sigma)
    return MixedEstimate(beta, sigma, covariance, value, without, joint, means, unbounded)


def marginal_of(
    contests: Contests, chosen: Link, method: str, set_size: int | None, rough: bool = False
) -> At:
    """The marginal likelihood as a function of the fixed parameters and sigma.
    rough: whether few points of quadrature will do.
    Returns function of beta, float[p], and sigma: A
    :class:`pairproof.native.comparisons.random_effects.marginal_likelihood.Marginal`."""
    k = contests.design.n_own
    if method == "quadrature":
        sets = EffectSets(contests, k if set_size is None else set_size, chosen, method, rough)
        return lambda beta, sigma: sets.at(np.append(beta, np.log(sigma))).of_all()
    last: list[Marginal | None] = [None]

    def at(beta: FloatArray, sigma: float) -> Marginal:
        last[0] = found = laplace(contests, chosen, beta, sigma, last[0])
        return found

    return at


def _maximum(
    contests: Contests, chosen: Link, steps: Sequence[At], without: StructuredEstimate
) -> Optimum | None:
    """The maximum by quadrature, rough and then as it is, or None if it is sigma = 0."""
    values = [steps[0](without.theta, sigma).value for sigma in STARTS]
    best = STARTS[int(np.argmax(values))]
    start = np.append(without.theta, np.log(best))
    try:
        for at in steps:
            found = _climbed(at, start, rough_scale(contests, chosen, start[:-1], float(np.exp(start[-1]))))
            start = found.x
    except ConvergenceError:
        # On the way to sigma = 0 the likelihood is flat in log sigma.
        if max(values) <= without.llf and slope_at_zero(contests, chosen, without.theta) <= 0:
            return None
        raise
    return found if found.value > without.llf + NOTHING else None


def _climbed(at: At, start: FloatArray, scale: FloatArray) -> Optimum:
    """The maximum by exact second derivatives."""

    @lru_cache(maxsize=1)
    def here(x: tuple[float, ...]) -> Marginal:
        return at(np.array(x[:-1]), float(np.exp(x[-1])))

    def function(x: FloatArray) -> tuple[float, FloatArray]:
        if not -12.0 < x[-1] < 12.0:
            return -np.inf, np.zeros(len(x))
        found = here(tuple(x.tolist()))
        return found.value, found.gradient

    def second(x: FloatArray) -> FloatArray:
        return np.asarray(here(tuple(x.tolist())).second)

    return optimum(function, start, scale, second=second, moved=0.0)


def rough_scale(contests: Contests, chosen: Link, beta: FloatArray, sigma: float) -> FloatArray:
    """A square root of a rough covariance of beta and log sigma.
    beta float[p].  Returns float[p + 1, p + 1]."""
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
    contests: whose first K parameters are the effects.  beta float[p]: the fixed parameters at sigma = 0."""
    alone = effects_alone(contests, beta)
    here = ContestPoint(alone, chosen, np.zeros(alone.design.n_own))
    return 0.5 * (float((here.score**2).sum()) - float(np.trace(here.observed)))


#: Where the search for all sigmas has one of them that is 0 in a smaller fit.
LITTLE = 0.1


@dataclass(frozen=True, eq=False)
class ComponentsEstimate(Estimated):
    """An estimate of a Bradley-Terry model with C components of variance, by Laplace's approximation.
    beta float[p]: the fixed parameters.  sigma float[C]: standard deviation of the effects of each component, by
    maximum likelihood; 0 where that is best.  covariance float[p + C, p + C]: of beta and log sigma; NaN in the
    rows and columns of a sigma of 0. llf: without binomial coefficients.  llf_without float[C]: greatest marginal
    log-likelihood with each sigma 0 and the others free.  joint: modes of the effects, component by component, and
    the fixed parameters given the sigmas."""

    beta: FloatArray
    sigma: FloatArray
    covariance: FloatArray
    llf: float
    llf_without: FloatArray
    joint: Joint

    @property
    def sigma_se(self) -> FloatArray:
        """float[C]: standard errors of sigma by the delta method; NaN where one is 0."""
        return np.asarray(self.sigma * self.standard_errors[len(self.beta) :])

    @property
    def lr(self) -> FloatArray:
        """float[C]: twice the log-likelihood gained by each component."""
        return np.where(self.sigma > 0, np.maximum(0.0, 2.0 * (self.llf - self.llf_without)), 0.0)

    @property
    def p(self) -> FloatArray:
        """float[C]: of the tests of sigma_c = 0."""
        return np.array([boundary_p(float(lr)) for lr in self.lr])


@dataclass(frozen=True, eq=False)
class _Best:
    """The maximum over the sigmas of some components."""

    value: float
    beta: FloatArray
    sigma: FloatArray  # of all C components
    hessian: FloatArray | None  # by beta and the log sigmas above 0


def fit_components(contests: Contests, link_name: str = "logit") -> ComponentsEstimate:
    """The maximum of Laplace's marginal likelihood of contests with effects of several components."""
    chosen = concave_link(link_name)
    sizes = component_sizes(contests.design)
    without = fit_structured(fixed_part(contests), link_name)
    best = _all_subsets(contests, chosen, without)
    whole = best[frozenset(range(len(sizes)))]
    p = len(whole.beta)
    covariance = np.full((p + len(sizes),) * 2, np.nan)
    inside = np.append(np.arange(p), p + np.flatnonzero(whole.sigma > 0))
    fitted = without.covariance if whole.hessian is None else np.linalg.inv(-whole.hessian)
    covariance[np.ix_(inside, inside)] = fitted
    everyone = frozenset(range(len(sizes)))
    llf_without = np.array([best[everyone - {c}].value for c in range(len(sizes))])
    here = ContestPoint(contests, chosen, np.append(_effects(contests, chosen, whole), whole.beta))
    joint = joint_of(here, whole.sigma)
    return ComponentsEstimate(whole.beta, whole.sigma, covariance, whole.value, llf_without, joint)


def only(contests: Contests, components: frozenset[int]) -> Contests:
    """The same contests with the effects of these components alone.  components: numbers, 0 .. C - 1."""
    sizes = component_sizes(contests.design)
    ends = np.cumsum((0, *sizes))
    left = [np.arange(ends[c], ends[c + 1]) for c in range(len(sizes)) if c not in components]
    if not left:
        return contests
    return Contests(contests.design.without(np.concatenate(left)), contests.wins, contests.losses)


def _all_subsets(
    contests: Contests, chosen: Link, without: StructuredEstimate
) -> dict[frozenset[int], _Best]:
    """The maximum for every subset of the components, smaller ones first."""
    count = len(component_sizes(contests.design))
    found = {frozenset[int](): _Best(without.llf, without.theta, np.zeros(count), None)}
    subsets = [frozenset(c for c in range(count) if number >> c & 1) for number in range(1, 2**count)]
    for subset in sorted(subsets, key=len):
        smaller = [found[subset - {c}] for c in sorted(subset)]
        top = max(smaller, key=lambda best: best.value)
        members = np.array(sorted(subset))
        # A search needs all sigmas above 0: one that is 0 in a smaller fit gets a little.
        lower = [
            Lower(
                low.value,
                low.beta,
                np.where(low.sigma > 0, low.sigma, LITTLE)[np.delete(members, place)],
                place,
            )
            for place, low in enumerate(smaller)
        ]
        reached = highest(only(contests, subset), chosen, lower)
        if reached is None:
            found[subset] = top
            continue
        place, p = reached[0], len(without.theta)
        sigma = np.zeros(count)
        sigma[members] = np.exp(place.x[p:])
        found[subset] = _Best(place.value, place.x[:p], sigma, place.hessian)
    return found


def _effects(contests: Contests, chosen: Link, whole: _Best) -> FloatArray:
    inside = frozenset(np.flatnonzero(whole.sigma > 0).tolist())
    found = np.zeros(contests.design.n_own)
    if inside:
        sigma = whole.sigma[whole.sigma > 0]
        at = np.repeat(whole.sigma > 0, component_sizes(contests.design))
        found[at] = mode_of(only(contests, inside), chosen, whole.beta, sigma).theta
    return found
