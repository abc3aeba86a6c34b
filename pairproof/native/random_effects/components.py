"""Maximum marginal likelihood of contests with several components of variance, and the test of each.

Players, and items by judge: eta = x'b + u[first] - u[second] + v[judge, first] - v[judge, second].  The likelihood is
Laplace's approximation.  It is maximised with each component left out and with all, so that a variance of 0 is found
as such; sigma_c = 0 is tested by the likelihood ratio against the fit without c,

    p = P(chi2_1 > LR_c) / 2   (p = 1 where LR_c = 0)

which is the distribution at the boundary where the other variances are inside theirs (Self and Liang 1987, JASA 82,
605-610, case 5); where another one is 0 too the mixture has other shares, and this p is too large or too small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ..structured.contests import Contests
from ..structured.estimate import StructuredEstimate, fit_structured
from ..structured.likelihood import ContestPoint
from ..structured.links import Link, link
from .blocks import BlockDesign, component_sizes
from .design import fixed_part
from .factors import MOST_TOGETHER, inverse_of
from .fit import boundary_p
from .laplace import mode_of
from .search import Lower, highest

FloatArray = NDArray[np.float64]

#: Components: every subset of them is fitted.
MOST = 4
#: Where the search for all sigmas has one of them that is 0 in a smaller fit.
LITTLE = 0.1


@dataclass(frozen=True, eq=False)
class ComponentsEstimate:
    """An estimate of a Bradley-Terry model with C components of variance, by Laplace's approximation.

    names: of the p fixed parameters.  components: C names.  beta float[p].  sigma float[C]: standard
    deviation of the effects of each component, by maximum likelihood; 0 where that is best.  covariance
    float[p + C, p + C]: of beta and log sigma; NaN in the rows and columns of a sigma of 0.  llf: marginal
    log-likelihood without binomial coefficients.  log_coefficients: sum of the log binomial coefficients of
    the rows that were fitted.  without: the fit with all sigmas 0.  llf_without float[C]: greatest marginal
    log-likelihood with each sigma 0 and the others free.  effects float[K]: modes of the effects, component
    by component.
    """

    names: tuple[str, ...]
    components: tuple[str, ...]
    beta: FloatArray
    sigma: FloatArray
    covariance: FloatArray
    llf: float
    log_coefficients: float
    without: StructuredEstimate
    llf_without: FloatArray
    effects: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """float[p + C]: of beta and log sigma."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

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
    """The maximum of Laplace's marginal likelihood of contests with effects of several components.

    contests: as :func:`pairproof.native.random_effects.blocks.with_blocks` returns them.  link_name: "logit"
    or "probit".
    """
    chosen = link(link_name)
    if not chosen.concave:
        raise InputError(f"link {link_name!r} with random effects; expected logit or probit")
    design = contests.design
    sizes = component_sizes(design)
    if len(sizes) > MOST:
        raise InputError(f"{len(sizes)} components of variance; at most {MOST}")
    names = design.components if isinstance(design, BlockDesign) else ("effect",)
    without = fit_structured(fixed_part(contests), link_name)
    best = _all_subsets(contests, chosen, without)
    whole = best[frozenset(range(len(sizes)))]
    p = len(whole.beta)
    covariance = np.full((p + len(sizes),) * 2, np.nan)
    inside = np.append(np.arange(p), p + np.flatnonzero(whole.sigma > 0))
    fitted = without.covariance if whole.hessian is None else np.linalg.inv(-whole.hessian)
    covariance[np.ix_(inside, inside)] = fitted
    return ComponentsEstimate(
        without.names,
        names,
        whole.beta,
        whole.sigma,
        covariance,
        whole.value,
        contests.log_coefficients,
        without,
        np.array([best[frozenset(range(len(sizes))) - {c}].value for c in range(len(sizes))]),
        _effects(contests, chosen, whole),
    )


def only(contests: Contests, components: frozenset[int]) -> Contests:
    """The same contests with the effects of these components alone.

    components: numbers, 0 .. C - 1.
    """
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


def joint_covariance(contests: Contests, found: ComponentsEstimate, link_name: str = "logit") -> FloatArray:
    """The covariance of all effects and the fixed parameters, minus the truth, given the sigmas.

    contests: K effects of C components.  `found`: of these contests.  link_name: "logit" or "probit".
    Returns float[K + p, K + p]: 0 for the effects of a component whose sigma is 0.
    """
    k, p = contests.design.n_own, len(found.beta)
    if k + p > MOST_TOGETHER:
        raise TooLargeError(
            f"the covariance of {k + p} effects and parameters; the limit is {MOST_TOGETHER}, a matrix of"
            f" {8e-9 * MOST_TOGETHER**2:.1f} GB"
        )
    here = ContestPoint(contests, link(link_name), np.append(found.effects, found.beta))
    sigma = np.repeat(found.sigma, component_sizes(contests.design))
    inside = np.append(np.flatnonzero(sigma > 0), k + np.arange(p))
    information = here.observed[np.ix_(inside, inside)]
    precision = np.append(sigma[sigma > 0] ** -2.0, np.zeros(p))
    information[np.diag_indices(len(inside))] += precision
    covariance = np.zeros((k + p, k + p))
    covariance[np.ix_(inside, inside)] = inverse_of(information)
    return covariance
