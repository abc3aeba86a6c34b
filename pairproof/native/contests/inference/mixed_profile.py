"""Profiles of the marginal likelihood of models with random effects.

For a fixed parameter the marginal likelihood is maximised over the others and sigma >= 0; for sigma over all fixed
parameters.  Where no chain of wins leads back the data bound sigma from below only, and its upper limit is infinite
(as among BradleyTerry2's lizards); the lower one is then that of the approximation of the likelihood, whose greatest value it is
taken from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError, InputError
from ....fit.contests.mixed import MixedFit
from ....fit.family import LOG_WORTH_PER_UNIT
from ...random_effects.design import acyclic, fixed_part
from ...random_effects.fit import marginal_of, rough_scale
from ...structured.contests import Contests
from ...structured.design import Design
from ...structured.estimate import fit_structured
from ...structured.links import link
from ..effects import mixed_rows
from ..rows import ContestRows
from .constrained import Profile, complement
from .separated import runs_off

FloatArray = NDArray[np.float64]

#: Beyond this sigma is taken as unbounded.
FARTHEST_SIGMA = 1e4
#: So many standard errors from the estimate a limit is taken as infinite where sigma is bounded below only.
FARTHEST_ACYCLIC = 100.0
#: Values of sigma of which the best is where a search starts without a better one.
STARTS = (0.3, 1.0, 3.0)


class MixedProfiles:
    """Profiles of a model with random effects."""

    def __init__(self, fit: MixedFit, rows: ContestRows) -> None:
        spec = rows.spec
        self.unit = LOG_WORTH_PER_UNIT[fit.scale]
        fit = fit if spec.link != "logit" else fit.on_scale("log-odds")
        if len(fit.components) > 1:
            raise InputError(
                f"random={', '.join(spec.random)}: profiles are offered with one component; fit.conf_int() has Wald's"
            )
        mixed = mixed_rows(rows)
        self.limit, self.contests = mixed.limit, mixed.contests
        self.size = len(rows.table.items) if mixed.effects[0].judges else None
        self.link, self.method, self.fit = link(spec.link), spec.method, fit
        k = self.contests.design.n_own
        self.beta = fit.predicted_effects.theta[k:]
        self.sigma, self.supremum = fit.sigma, fit.llf

    def runs_off(self, c: FloatArray) -> tuple[bool, bool]:
        """Whether c'b can go to inf, and to -inf, without loss of likelihood."""
        return runs_off(self.limit, c)

    def limits(self, c: FloatArray, estimate: float, se: float, quantile: float) -> tuple[float, float]:
        """Low and high; nan for what is separated, whose other side would be of another marginal likelihood."""
        if np.abs(c).max(initial=0.0) < 1e-12 or not np.isfinite(estimate):
            return float("nan"), float("nan")
        kept = c[self.limit.kept]
        unit, basis = kept / (kept @ kept), complement(kept[:, None])
        start = np.append(basis.T @ (self.beta - unit * (kept @ self.beta)), np.log(max(self.sigma, 1e-2)))

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            return self._greatest(_held(self.contests, unit * v, basis), start if near is None else near)

        # Without a cycle of wins the parameters are in units of a sigma that has no upper bound.
        far = FARTHEST_ACYCLIC * se if acyclic(self.contests) else np.inf
        found = [Profile(maximum, self.supremum, estimate, se, far).side(quantile, s) for s in (-1.0, 1.0)]
        return found[0], found[1]

    def _greatest(self, contests: Contests, start: FloatArray) -> tuple[FloatArray, float]:
        """The greatest marginal likelihood of contests, over sigma too."""
        from scipy.optimize import minimize

        at = marginal_of(contests, self.link, self.method, self.size)
        least = -np.inf
        try:
            without = fit_structured(fixed_part(contests), self.link.name)
            least = without.llf
        except ConvergenceError:  # so far from the data that sigma = 0 gives them no likelihood in doubles
            without = None
        if self.sigma == 0.0 and without is not None:
            values = [at(without.theta, s).value for s in STARTS]
            start = np.append(without.theta, np.log(STARTS[int(np.argmax(values))]))
        scale = rough_scale(contests, self.link, start[:-1], float(np.exp(start[-1])))

        def function(t: FloatArray) -> tuple[float, FloatArray]:
            x = start + scale @ t
            if not -12.0 < x[-1] < 12.0:
                return np.inf, np.zeros(len(x))
            try:
                here = at(x[:-1], float(np.exp(x[-1])))
            except ConvergenceError:  # too long a step of the line search
                return np.inf, np.zeros(len(x))
            return -here.value, -(scale.T @ here.gradient)

        with np.errstate(all="ignore"):
            found = minimize(function, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": 1e-7})
        return start + scale @ found.x, max(float(-found.fun), least)

    def of_sigma(self, quantile: float, z: float) -> tuple[float, float, float, float, float]:
        """Estimate, Wald's limits on the scale of log sigma, profile limits, on the scale of the fit."""
        from scipy.optimize import minimize

        component = self.fit.component()
        beta, sigma = self.beta, self.sigma

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            if v <= 0.0:
                without = fit_structured(fixed_part(self.contests), self.link.name)
                return without.theta, without.llf
            start = beta if near is None else near
            at = marginal_of(self.contests, self.link, self.method, self.size)
            if not len(start):
                return start, at(start, v).value
            scale = rough_scale(self.contests, self.link, start, v)[:-1, :-1]

            def function(t: FloatArray) -> tuple[float, FloatArray]:
                here = at(start + scale @ t, v)
                return -here.value, -(scale.T @ here.gradient[:-1])

            found = minimize(function, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": 1e-7})
            return start + scale @ found.x, float(-found.fun)

        step = component.se if np.isfinite(component.se) and component.se > 0 else max(0.5 * sigma, 0.2)
        one = Profile(maximum, self.supremum, sigma, min(step, max(0.5 * sigma, 0.2)))
        low = 0.0 if sigma == 0.0 else one.side(quantile, -1.0, 0.0)
        high = np.inf if acyclic(self.contests) else one.side(quantile, 1.0, FARTHEST_SIGMA)
        half = z * component.se / sigma if sigma > 0 else np.nan
        wald = (sigma * np.exp(-half), sigma * np.exp(half)) if sigma > 0 else (np.nan, np.nan)
        high = np.inf if high >= FARTHEST_SIGMA else high
        unit = self.unit
        return sigma / unit, float(wald[0]) / unit, float(wald[1]) / unit, low / unit, high / unit


def _held(contests: Contests, fixed: FloatArray, basis: FloatArray) -> Contests:
    """Contests whose fixed parameters are `fixed` + `basis` phi."""
    design = contests.design
    names = design.names[: design.n_own] + tuple(f"d{k}" for k in range(basis.shape[1]))
    held = Design(
        design.first, design.second, design.dense @ basis, design.offset + design.dense @ fixed, names
    )
    return Contests(held, contests.wins, contests.losses)
