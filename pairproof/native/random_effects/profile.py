"""The profile of the marginal likelihood in sigma, and the interval that it gives.

    profile(sigma) = max over b of log L(b, sigma)

An interval holds the values of sigma at which twice the loss from the maximum is at most the quantile of
chi-square with one degree of freedom (Self and Liang 1987; where the data only bound sigma from below, the
upper end is infinite and the maximum is the greatest value that was looked at).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..structured.contests import Contests
from ..structured.estimate import fit_structured
from ..structured.links import link
from .blocks import check_one_component
from .design import fixed_part
from .fit import marginal_of, rough_scale
from .optimum import optimum

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SigmaProfile:
    """The profile of a marginal likelihood in sigma.

    sigma float[m].  llf float[m]: greatest marginal log-likelihood at each sigma, without binomial
    coefficients.  beta float[m, p]: fixed parameters there.
    """

    sigma: FloatArray
    llf: FloatArray
    beta: FloatArray

    def lower_end(self, loss: float) -> float:
        """Least sigma at which the log-likelihood is at most `loss` below the greatest of the profile.

        loss: 1.92 for an interval of 95 %.  Returns float: by linear interpolation; 0 if sigma = 0 is in the
        interval.
        """
        goal = self.llf.max() - loss
        at = int(np.flatnonzero(self.llf >= goal)[0])
        if at == 0:
            return float(self.sigma[0])
        low, high = self.llf[at - 1], self.llf[at]
        share = (goal - low) / (high - low)
        return float(self.sigma[at - 1] + share * (self.sigma[at] - self.sigma[at - 1]))


def profile_sigma(
    contests: Contests,
    sigma: FloatArray,
    link_name: str = "logit",
    method: str = "laplace",
    set_size: int | None = None,
) -> SigmaProfile:
    """The profile of the marginal likelihood at given values of sigma.

    contests: whose first K parameters are the effects,
    :func:`pairproof.native.random_effects.design.with_effects`.  sigma float[m]: rising, from 0 or above it.
    link_name: "logit" or "probit".  method, set_size: as
    :func:`pairproof.native.random_effects.fit.fit_mixed` takes them.
    """
    values = np.asarray(sigma, dtype=float)
    if not len(values) or values[0] < 0 or (np.diff(values) <= 0).any():
        raise InputError(f"sigma {values.tolist()}; expected values that rise, from 0 or above it")
    check_one_component(contests.design)
    chosen = link(link_name)
    at = marginal_of(contests, chosen, method, set_size)
    without = fit_structured(fixed_part(contests), link_name)
    llf, found, beta = [], [], without.theta
    for value in values.tolist():
        if value == 0.0:
            llf.append(without.llf)
            found.append(without.theta)
            continue

        def function(b: FloatArray, value: float = value) -> tuple[float, FloatArray]:
            here = at(b, value)
            return here.value, here.gradient[:-1]

        if len(beta):
            best = optimum(function, beta, rough_scale(contests, chosen, beta, value)[:-1, :-1])
            beta = best.x
            llf.append(best.value)
        else:
            llf.append(function(beta)[0])
        found.append(beta)
    return SigmaProfile(values, np.array(llf), np.array(found).reshape(len(values), -1))
