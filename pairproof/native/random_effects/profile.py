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

    Attributes
    ----------
    sigma : float[m]
    llf : float[m]
        Greatest marginal log-likelihood at each sigma, without binomial coefficients.
    beta : float[m, p]
        Fixed parameters there.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.profile import SigmaProfile
    >>> SigmaProfile(np.array([0.0, 1.0, 2.0]), np.array([-5.0, -2.0, -3.0]), np.zeros((3, 0))).lower_end(1.0)
    0.6666666666666666
    """

    sigma: FloatArray
    llf: FloatArray
    beta: FloatArray

    def lower_end(self, loss: float) -> float:
        """Least sigma at which the log-likelihood is at most `loss` below the greatest of the profile.

        Parameters
        ----------
        loss : float
            1.92 for an interval of 95 %.

        Returns
        -------
        float
            By linear interpolation; 0 if sigma = 0 is in the interval.
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

    Parameters
    ----------
    contests : Contests
        Whose first K parameters are the effects, :func:`pairproof.native.random_effects.design.with_effects`.
    sigma : float[m]
        Rising, from 0 or above it.
    link_name : str
        "logit" or "probit".
    method, set_size : str, int, optional
        As :func:`pairproof.native.random_effects.fit.fit_mixed` takes them.

    Returns
    -------
    SigmaProfile

    Raises
    ------
    InputError
        sigma does not rise, or is negative; or there are several components.
    NotEstimableError, ConvergenceError
        The fixed parameters have no estimate at sigma = 0, or at one of the values.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import with_effects
    >>> from pairproof.native.random_effects.profile import profile_sigma
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> a, b = np.triu_indices(4, 1)
    >>> wins = np.array([3.0, 6, 1, 8, 2, 1])
    >>> fixed = Contests(contest_design(a, b, "ABCD", np.array([[0.0], [1], [2], [4]]), ["x"]), wins, 10 - wins)
    >>> profile_sigma(with_effects(fixed, a, b, "ABCD"), np.array([0.0, 0.7, 2.0])).llf.round(6).tolist()
    [-36.14735, -33.070572, -34.54151]
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
