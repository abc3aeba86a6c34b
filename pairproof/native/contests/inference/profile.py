"""Profile intervals of models of contests: links, offsets, reduced bias, general ties, random effects.

The likelihood, or with reduced bias the penalised likelihood, is maximised under c'b = v for the values v that the search
of :mod:`pairproof.native.contests.inference.constrained` asks for.  With random effects it is the marginal likelihood,
maximised over the other fixed parameters and sigma, sigma = 0 included.

Where contests are separated the constrained supremum is taken in the limit, as the estimate is: the contests that are
certain in the limit are left out.  Whether c'b itself can run to infinity is a linear programme over the directions of
separation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError, InputError
from ....fit.contests.fit import ContestFit
from ....fit.contests.mixed import MixedFit
from ....fit.family import LOG_WORTH_PER_UNIT
from ....fit.inference import normal_quantile
from ....fit.rescale import over_which
from ...structured.links import link
from ..rows import ContestRows, contest_rows
from ..solved import LimitRows, apart, contests_of, limit_of, tied_parts
from .constrained import Objective, Profile, complement, constrained_maximum
from .mixed_profile import MixedProfiles
from .objectives import likelihood_of, objective_of
from .separated import constrained_limit, runs_off

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]

#: A logit of the mode of the ties, or a log of their scale, so far from its estimate is at its end.
FARTHEST_TIE = 8.0
#: The row of the standard deviation of random effects.
SIGMA = "sigma"


def profile_contests(
    fit: ContestFit, labels: Sequence[str], functions: FloatArray, level: float, with_sigma: bool
) -> pd.DataFrame:
    """Profile intervals beside Wald's of functions of a fit's parameters, and of sigma.

    functions float[m, n_params]: on the fit's scale and against its reference.  with_sigma: whether a row
    `sigma` follows.  Returns DataFrame: as :func:`pairproof.profile`.
    """
    import pandas as pd
    from scipy.special import chdtri

    quantile = float(chdtri(1, 1.0 - level))
    z = normal_quantile(0.5 + level / 2)
    rows = contest_rows(fit.data, fit.of_contests)
    profiles: FixedProfiles | MixedProfiles = (
        MixedProfiles(fit, rows) if isinstance(fit, MixedFit) else FixedProfiles(fit, rows)
    )
    found = []
    for label, function in zip(labels, functions):
        c = in_design(fit, rows, function)
        estimate, se = _estimate(fit, profiles, function, c)
        try:
            low, high = profiles.limits(c, estimate, se, quantile)
        except ConvergenceError as error:
            raise ConvergenceError(
                f"profile of {label}: {error}. With {label} held so far from its estimate no maximum was reached; ask for"
                " other names, or leave out a scale or shift of the ties"
            ) from error
        centre = estimate if np.isfinite(estimate) else np.nan
        found.append((estimate, centre - z * se, centre + z * se, low, high))
    if with_sigma:
        assert isinstance(profiles, MixedProfiles)
        found.append(profiles.of_sigma(quantile, z))
    columns = ("estimate", "wald_low", "wald_high", "profile_low", "profile_high")
    names = [*labels, SIGMA] if with_sigma else list(labels)
    return pd.DataFrame(np.array(found).reshape(-1, 5), index=names, columns=list(columns))


def _estimate(
    fit: ContestFit, profiles: FixedProfiles | MixedProfiles, function: FloatArray, c: FloatArray
) -> tuple[float, float]:
    """The estimate, inf or -inf or nan where it has none, and its standard error or nan."""
    if not fit.is_estimable(function[None, :]):
        up, down = profiles.runs_off(c)
        return (np.nan if up == down else np.inf if up else -np.inf), np.nan
    variance = float(fit.covariance.between(function[None, :])[0, 0])
    return float(function @ fit.beta), float(np.sqrt(max(variance, 0.0)))


def in_design(fit: ContestFit, rows: ContestRows, function: FloatArray) -> FloatArray:
    """A function of a fit's parameters as one of the design's parameters and those of the ties.

    function float[n_params].  Returns float[p + q].
    """
    unit = 1.0 / LOG_WORTH_PER_UNIT[fit.scale]
    weights = function * np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
    items = np.array([t.kind == "item" for t in fit.terms])
    if items.any():
        total = float(weights[items].sum())
        held = items & fit.is_reference
        # Abilities against another item, or about their mean, are differences of the design's.
        mean = np.zeros(len(weights))
        mean[fit.layout.places[0]] = (over := over_which(fit)[0]) / over.sum()
        weights = weights - total * (held if held.any() else mean)
    n = len(rows.terms)
    return np.concatenate([weights[rows.places], weights[n:]])


class FixedProfiles:
    """Profiles of the parameters of a model without random effects."""

    def __init__(self, fit: ContestFit, rows: ContestRows) -> None:
        self.rows, self.spec = rows, rows.spec
        # What the contests do not tell, where ties are modelled or the bias is reduced; else `limit` has it.
        parts = (
            tied_parts(rows) if rows.has_ties else apart(contests_of(rows)) if self.spec.reduction else None
        )
        places = rows.places
        self.flat = np.zeros((len(places) + len(fit.terms) - len(rows.terms), 0))
        if parts is not None:
            self.flat = np.vstack(
                [parts.flat, np.zeros((len(self.flat) - len(parts.flat), parts.flat.shape[1]))]
            )
        self.objective = objective_of(rows, parts)
        self.supremum = fit.penalised if self.spec.reduction else fit.llf
        more = np.arange(len(rows.terms), len(fit.terms))
        self.top = _in_units(fit, rows)[np.concatenate([places, more])]
        self.limit: LimitRows | None = None
        if not rows.has_ties and not self.spec.reduction:
            limit = limit_of(contests_of(rows))
            self.limit = limit if limit.flat.shape[1] else None

    def runs_off(self, c: FloatArray) -> tuple[bool, bool]:
        """Whether c'b can go to inf, and to -inf, without loss of likelihood."""
        if self.limit is None:  # flat, whatever the penalty: sets of items that were never compared
            return True, True
        return runs_off(self.limit, c)

    def limits(self, c: FloatArray, estimate: float, se: float, quantile: float) -> tuple[float, float]:
        """Low and high."""
        if np.abs(c).max(initial=0.0) < 1e-12:
            return float("nan"), float("nan")
        if np.isnan(estimate):
            return -np.inf, np.inf
        unit = c / (c @ c)
        objective, basis = self._within(c)
        start = basis.T @ (self.top - unit * (c @ self.top))

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            return constrained_maximum(objective, unit * v, basis, start if near is None else near)

        step = se if np.isfinite(se) and se > 0 else 1.0
        far = FARTHEST_TIE if np.any(c[len(self.rows.places) + 1 :]) else np.inf
        concave = not (self.spec.tie_shift or self.spec.tie_scale)
        found = [
            Profile(maximum, self.supremum, estimate, step, far, concave).side(quantile, side)
            for side in (-1.0, 1.0)
        ]
        return found[0], found[1]

    def _within(self, c: FloatArray) -> tuple[Objective, FloatArray]:
        """The likelihood whose constrained maxima are finite, and the directions that are free."""
        basis = complement(np.column_stack([c / np.linalg.norm(c), self.flat]))
        if self.limit is None:
            return self.objective, basis
        contests, left = constrained_limit(contests_of(self.rows), c, basis)
        return likelihood_of(left.pooled(), link(self.spec.link)), contests


def _in_units(fit: ContestFit, rows: ContestRows) -> FloatArray:
    """float[n_params]: the estimates in log-odds, against the design's reference item."""
    units = np.array(
        [LOG_WORTH_PER_UNIT[fit.scale] if t.kind in ("item", "covariate") else 1.0 for t in fit.terms]
    )
    beta: FloatArray = fit.beta * units
    items = np.array([t.kind == "item" for t in fit.terms])
    if items.any():
        held = np.setdiff1d(np.flatnonzero(items), rows.places)
        beta[items] -= float(beta[held[0]]) if len(held) else 0.0
    return beta


def check_profile(fit: ContestFit) -> None:
    """Refuse an estimate without a likelihood."""
    if fit.of_contests.method == "pql":
        raise InputError(
            "penalised quasi-likelihood has no likelihood to profile; fit with method='laplace', or take fit.conf_int()"
        )
