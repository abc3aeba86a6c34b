"""The marginal likelihood of contests with random effects: modes, and Laplace's approximation.

Modes maximise l(theta) - sum_k precision_k theta_k^2 / 2, precision 1 / sigma^2 for an effect and 0 for a
fixed parameter (Breslow and Clayton 1993, JASA 88, 9-25, equation 6).  With u^ the mode given b and sigma, W
the observed weights there, D the diagonal of the effects' sigma^2, Laplace's approximation (lme4's nAGQ = 1)

    log L = l(b, u^) - u^'D^-1 u^ / 2 - log det(I + D Z'WZ) / 2

has an exact gradient: with A = Z'WZ + D^-1, r the residuals, c_r = z_r'A^-1 z_r, t = dW/d eta, s = c t / 2, y
= A^-1 Z's, and u_c, y_c and K_c the part of one component,

    d/d b = X'(r - s) + X'W Z y
    d/d log sigma_c = u_c'u_c/sigma_c^2 - K_c + tr(A^-1)_c/sigma_c^2 - 2 y_c'u_c/sigma_c^2

Derivatives of a row by eta are w = -l'', t = dw/d eta and q = d2w/d eta2; for the logit n p (1-p) times 1,
1-2p and 1-6p(1-p) (McCullagh and Nelder 1989, section 4.4).

Quadrature, and sets of effects one by one, are in :mod:`.effect_sets`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....errors import ConvergenceError
from ....numerics.arrays import FloatArray
from ....numerics.maxima import cholesky_of, maximise, step_of_factor
from ..rows.contest_design import Contests
from ..rows.links import ContestPoint, Link, weighted_sum
from .effects_design import component_sizes
from .factors import DenseFactor, NestedFactor, factor_of


@dataclass(frozen=True, eq=False)
class PenalisedPoint:
    """The penalised log-likelihood at one place.  precision float[p]."""

    point: ContestPoint
    precision: FloatArray

    @property
    def value(self) -> float:
        """Log-likelihood minus penalty."""
        return self.point.value - 0.5 * float(self.precision @ self.point.theta**2)

    @property
    def extent(self) -> float:
        """Largest linear predictor in absolute value."""
        return self.point.extent

    @property
    def information(self) -> FloatArray:
        """float[p, p]: minus the second derivatives."""
        return self.point.observed + np.diag(self.precision)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The exact step, and the decrement.  Returns float[p], float."""
        score = self.point.score - self.precision * self.point.theta
        return step_of_factor(cholesky_of(self.information), score)


def penalised_mode(
    contests: Contests, chosen: Link, precision: FloatArray, start: FloatArray
) -> ContestPoint:
    """Where the penalised log-likelihood is greatest.
    contests: p parameters.  chosen: one whose log F is concave: logit, probit.  precision float[p].  start
    float[p]."""

    def evaluate(theta: FloatArray) -> PenalisedPoint:
        return PenalisedPoint(ContestPoint(contests, chosen, theta), precision)

    found = maximise(evaluate, start, far=1e6)
    if found.trouble:
        raise ConvergenceError(
            f"no mode of the {len(start)} effects and parameters was reached in {found.steps} steps"
            f" ({found.trouble}); leave out fixed parameters that separate the contests"
        )
    return found.point.point


def effects_alone(contests: Contests, beta: FloatArray) -> Contests:
    """The contests as a function of their K random effects alone, the fixed parameters held at beta,
    float[p].
    contests: whose first K parameters are the effects.  beta float[p]."""
    design = contests.design
    alone = replace(
        design,
        dense=np.zeros((design.n_rows, 0)),
        offset=design.offset + design.dense @ beta,
        names=design.names[: design.n_own],
    )
    return Contests(alone, contests.wins, contests.losses)


@dataclass(frozen=True, eq=False)
class RowTerms:
    """The log-likelihood of n rows and its derivatives.
    value: sum over the rows, without binomial coefficients.  score float[n]: dl/d eta.  curvature float[n]:
    w, >= 0 for logit and probit.  third float[n]: t.  fourth float[n]: q."""

    value: float
    score: FloatArray
    curvature: FloatArray
    third: FloatArray
    fourth: FloatArray


def row_terms(contests: Contests, chosen: Link, eta: FloatArray) -> RowTerms:
    """The log-likelihood of the rows at these linear predictors.  contests: n rows.  eta float[n]."""
    wins, losses = contests.wins, contests.losses
    if chosen.name == "logit":
        return _of_logit(wins, losses, eta)
    up, up2 = chosen.derivatives(eta)
    down, down2 = chosen.derivatives(-eta)
    log_cdf = chosen.log_cdf
    value = weighted_sum(wins, log_cdf(eta)) + weighted_sum(losses, log_cdf(-eta))
    third = losses * chosen.third(-eta) - wins * chosen.third(eta)
    fourth = -wins * _probit_fourth(eta, up) - losses * _probit_fourth(-eta, down)
    return RowTerms(value, wins * up - losses * down, -wins * up2 - losses * down2, third, fourth)


def _of_logit(wins: FloatArray, losses: FloatArray, eta: FloatArray) -> RowTerms:
    small = np.exp(-np.abs(eta))
    whole = 1.0 / (1.0 + small)
    rest = small * whole
    p = np.where(eta >= 0, whole, rest)
    q = np.where(eta >= 0, rest, whole)
    n = wins + losses
    value = -float(wins @ np.maximum(-eta, 0.0)) - float(losses @ np.maximum(eta, 0.0))
    value -= float(n @ np.log1p(small))
    spread = whole * rest
    weight = n * spread
    return RowTerms(value, wins * q - losses * p, weight, weight * (q - p), weight * (1.0 - 6.0 * spread))


def _probit_fourth(eta: FloatArray, r: FloatArray) -> FloatArray:
    """Fourth derivative of log Phi; r = phi / Phi has r' = -r (eta + r)."""
    one = -r * (eta + r)
    two = -one * (eta + r) - r * (1.0 + one)
    return np.asarray(-two * (eta + 2.0 * r) - 2.0 * one * (1.0 + one))


#: Squared length of the last step to a mode, in posterior standard deviations.
TOLERANCE = 1e-25
#: Steps to a mode, those with a factor of its own and those with that of a place nearby.
MOST, MOST_NEAR = 100, 12


@dataclass(frozen=True, eq=False)
class Mode:
    """Effects at their mode for given fixed parameters.
    alone: as a function of the effects.  theta float[K].  sigma float[C]: of each component."""

    alone: Contests
    theta: FloatArray
    rows: RowTerms
    factor: DenseFactor | NestedFactor
    sigma: FloatArray

    @property
    def sizes(self) -> tuple[int, ...]:
        """Effects of each component."""
        return component_sizes(self.alone.design)

    def by_component(self, values: FloatArray) -> FloatArray:
        """float[C]: sums over the effects of each component, divided by its sigma^2."""
        return np.asarray(np.add.reduceat(values, np.cumsum((0, *self.sizes))[:-1]) / self.sigma**2)

    @property
    def log_likelihood(self) -> float:
        """Laplace's log L, without binomial coefficients."""
        square = float(self.by_component(self.theta**2).sum())
        volume = float(np.array(self.sizes) @ np.log(self.sigma))
        return self.rows.value - 0.5 * square - 0.5 * self.factor.log_det - volume


@dataclass(frozen=True, eq=False)
class Marginal:
    """The marginal log-likelihood at one place.
    gradient float[p + C]: by b and by log sigma of the C components.  effects float[K]: mode of the effects
    (Laplace), or their posterior mean (quadrature).  second float[p + C, p + C] or None: second derivatives.
    """

    value: float
    gradient: FloatArray
    effects: FloatArray
    mode: Mode | None = None
    second: FloatArray | None = None


def laplace(
    contests: Contests,
    chosen: Link,
    beta: FloatArray,
    sigma: float | FloatArray,
    near: Marginal | None = None,
) -> Marginal:
    """Laplace's approximation at one place.
    contests: whose first K parameters are the effects.  beta float[p]: the fixed parameters.  sigma float or
    float[C]: standard deviation of the effects of each component, > 0.  near: laplace's approximation at a
    place nearby, from which the mode is found with fewer factors."""
    mode = mode_of(contests, chosen, beta, sigma, None if near is None else near.mode)
    factor, design, u = mode.factor, mode.alone.design, mode.theta
    pull = 0.5 * mode.rows.third * factor.spreads
    back = factor.solve(design.transposed(pull))
    along = design.predictor(back) - design.offset
    by_beta = (mode.rows.score - pull + mode.rows.curvature * along) @ contests.design.dense
    by_log_sigma = mode.by_component(u**2 + factor.diagonal - 2.0 * back * u) - np.array(mode.sizes)
    return Marginal(mode.log_likelihood, np.append(by_beta, by_log_sigma), u, mode)


def mode_of(
    contests: Contests, chosen: Link, beta: FloatArray, sigma: float | FloatArray, near: Mode | None = None
) -> Mode:
    """The mode of the effects at one place.
    contests: whose first K parameters are the effects.  beta float[p]: the fixed parameters.  sigma float or
    float[C]: of each component, > 0."""
    alone = effects_alone(contests, beta)
    sizes = component_sizes(alone.design)
    sigmas = np.broadcast_to(np.asarray(sigma, dtype=float), (len(sizes),)).copy()
    precision = np.repeat(sigmas**-2, sizes)
    u = np.zeros(alone.design.n_own)
    if near is not None:
        closer = _from_nearby(alone, chosen, precision, near)
        u = near.theta if closer is None else closer
        if closer is not None:
            rows = row_terms(alone, chosen, alone.design.predictor(u))
            factor = factor_of(alone.design, rows.curvature, precision, near.factor)
            return Mode(alone, u, rows, factor, sigmas)
    rows = row_terms(alone, chosen, alone.design.predictor(u))
    value = rows.value - 0.5 * float(precision @ u**2)
    like = None if near is None else near.factor
    best = np.inf
    for _ in range(MOST):
        factor = like = factor_of(alone.design, rows.curvature, precision, like)
        score = alone.design.transposed(rows.score) - precision * u
        step = factor.solve(score)
        decrement = float(step @ score)
        # Below 1e-10 a decrement that no longer falls is rounding.
        if 0 <= decrement < TOLERANCE or (decrement < 1e-10 and abs(decrement) > 0.1 * best):
            return Mode(alone, u, rows, factor, sigmas)
        best, length = min(best, abs(decrement)), 1.0
        while True:
            there = u + length * step
            rows = row_terms(alone, chosen, alone.design.predictor(there))
            after = rows.value - 0.5 * float(precision @ there**2)
            if after >= value or decrement < 1e-6 or length < 1e-12:
                break
            length /= 2
        u, value = there, after
    raise ConvergenceError(f"no mode of the {len(u)} random effects was reached in {MOST} steps")


def _from_nearby(alone: Contests, chosen: Link, precision: FloatArray, near: Mode) -> FloatArray | None:
    """The mode by steps with the factor of a place nearby, or None if these do not converge fast.
    Each step leaves a share of the error, as large as the information differs; a step takes a product where
    Newton's takes a factor."""
    u, last = near.theta, np.inf
    for _ in range(MOST_NEAR):
        rows = row_terms(alone, chosen, alone.design.predictor(u))
        score = alone.design.transposed(rows.score) - precision * u
        step = near.factor.solve(score)
        decrement = float(step @ score)
        if not 0 <= decrement < 0.1 * last:
            return u if 0 <= decrement < TOLERANCE else None
        u, last = u + step, decrement
        if decrement < TOLERANCE:
            return u
    return None
