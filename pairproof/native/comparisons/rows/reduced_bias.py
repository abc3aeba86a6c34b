"""Estimates of contests with reduced bias, which are finite where contests are separated.

The estimate is where the score plus its adjustment is 0.  With f = dF/d eta, w = n f^2 / (F (1 - F)), I =
X'WX, h_r = w_r x_r'I^-1 x_r, m = X I^-1:

    mean      sum_r x_r h_r f'/(2 f)                                   (Firth 1993, Biometrika 80, 27-38)
    median    mean + I u,  u_j = sum_r w_r t_r m_rj^3 / (I^-1)_jj,  t = f (1 - 2F) / (6 F (1 - F)) - f'/(2 f)
              (Kenne Pagui, Salvan and Sartori 2017, Biometrika 104, 923-938; Kosmidis, Kenne Pagui and
              Sartori 2020, Statistics and Computing 30, 43-59, equation 10)
    jeffreys  gradient of log det I / 2:  sum_r x_r h_r (f'/f - f (1 - 2F) / (2 F (1 - F)))

"jeffreys" maximises l(theta) + log det I(theta) / 2, finite whatever the contests are if the columns of the
design are independent (Kosmidis and Firth 2021, Biometrika 108, 71-82).  For the logit it is the same as
mean.  Contests are binomial, given their number: the Poisson form is another estimate.  The covariance is the
inverse of the expected information of the plain likelihood at the estimate, as in brglm2.

Roots: steps I^-1 (score + adjustment) (Kosmidis and Firth 2010, Electronic Journal of Statistics 4,
1097-1112), converging linearly, mixed as Anderson does (1965, Journal of the ACM 12, 547-560) where that
brings the score nearer to 0; then Newton's method (cauchit).  In small tables that are nearly separated a
step can lead past the root and back for ever: the maximum with Jeffreys' prior is then found by a line
search, and the other roots are searched from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....errors import ConvergenceError
from ....numerics.arrays import FloatArray
from ....numerics.linear_systems import inverse_of_factor
from ....numerics.maxima import Estimated, cholesky_of
from .contest_design import CHUNK, Contests
from .links import ContestPoint, link
from .maximum_likelihood import refuse_aliased

#: Of an adjusted score at theta, float[p]: the step and its squared length.
Step = Callable[[FloatArray], tuple[FloatArray, float]]
#: A penalised likelihood and its gradient.
Penalised = Callable[[FloatArray], tuple[float, FloatArray]]


def adjustment(here: ContestPoint, covariance: FloatArray, kind: str) -> FloatArray:
    """The adjustment of the score at one place.
    covariance float[p, p]: inverse of the expected information there.  Returns float[p]."""
    bend, skew = _parts(here)
    hat = here.row_weights * here.contests.design.variances(covariance)
    if kind == "jeffreys":
        return here.contests.design.transposed(hat * (bend - 0.5 * skew))
    mean = here.contests.design.transposed(hat * bend / 2.0)
    if kind == "mean":
        return mean
    cubes = _cubes(here, covariance, here.row_weights * (skew / 6.0 - bend / 2.0))
    return np.asarray(mean + here.expected @ (cubes / np.diag(covariance)))


def _parts(here: ContestPoint) -> tuple[FloatArray, FloatArray]:
    """f'/f and f (1 - 2F) / (F (1 - F)) of each row."""
    up, down = here.link.derivatives(here.eta)[0], here.link.derivatives(-here.eta)[0]
    return here.link.bend(here.eta), up - down  # f/F - f/(1 - F)


def _cubes(here: ContestPoint, covariance: FloatArray, weights: FloatArray) -> FloatArray:
    """sum_r weights_r (X V)_rj^3, float[p]."""
    found = np.zeros(len(covariance))
    for start in range(0, here.contests.design.n_rows, CHUNK):
        part = slice(start, start + CHUNK)
        rows = here.contests.design.projected(covariance, part)
        found += weights[part] @ (rows * rows * rows)  # a power takes ten times as long
    return found


#: Squared length of a step in standard errors below which it is the last: 1e-13 of them.
TOLERANCE = 1e-26
#: Below this a step that no longer falls is rounding.
ROUNDING = 1e-20
#: Rounding may leave more where predictors are in the hundreds: so many steps without a shorter one, and that
#: below this, are the end too.
IDLE, LEFT = 25, 1e-14
MOST_STEPS, MEMORY = 120, 6
#: After so many steps, Newton's method with differences of the steps, for up to so many parameters.
PATIENCE, MOST_COLUMNS = 60, 200
#: Longest step: so much a linear predictor may change, or half of the largest one.  Where all probabilities
#: are near 0 and 1 there is so little information that a step would go far beyond the root.
LONGEST = 1.5


@dataclass(frozen=True, eq=False)
class Root:
    """Where an adjusted score is 0.
    theta float[p].  decrement: squared length, in standard errors, of the last step."""

    theta: FloatArray
    steps: int
    decrement: float


def root(step_at: Step, start: FloatArray, predictor: Callable[[FloatArray], FloatArray]) -> Root:
    """The root of an adjusted score.
    step_at function of theta, float[p]: the step I^-1 s, float[p], and the decrement s'I^-1 s, for the
    adjusted score s.  LinAlgError where the information is singular.  start float[p].  predictor function of
    theta, float[p]: linear predictors, float[n]."""
    theta = start
    step, decrement = step_at(theta)
    places: list[FloatArray] = []
    steps: list[FloatArray] = []
    best, trust, idle = decrement, LONGEST, 0
    for count in range(1, MOST_STEPS + 1):
        eta = predictor(theta)
        longest = min(trust, max(LONGEST, 0.5 * float(np.abs(eta).max(initial=0.0))))
        reach = float(np.abs(predictor(theta + step) - eta).max(initial=0.0))
        there = theta + step * min(1.0, longest / max(reach, 1e-300))
        places, steps = [*places, theta][-MEMORY:], [*steps, step][-MEMORY:]
        mixed = _mixed(places, steps) if decrement < 0.1 else None
        if count >= PATIENCE and len(theta) <= MOST_COLUMNS:
            mixed = newton(step_at, theta, step, decrement)
        nearer = None if mixed is None else _nearer(step_at, mixed, decrement)
        if mixed is not None and nearer is not None:
            there, (after, length) = mixed, nearer
        else:
            if mixed is not None:
                places, steps = [], []
            after, length = step_at(there)
        # A step that leads away from the root was too long; another may be followed by a longer one.
        trust = 0.5 * min(trust, reach) if length > decrement else 2.0 * trust
        theta, step, before, decrement = there, after, decrement, length
        if decrement < TOLERANCE or (decrement < ROUNDING and decrement >= 0.25 * best):
            return Root(theta + step, count, decrement)
        idle = 0 if decrement < 0.5 * best else idle + 1
        best = min(best, before, decrement)
        if idle >= IDLE and decrement < LEFT:
            return Root(theta + step, count, decrement)
    raise ConvergenceError(
        f"the adjusted score did not come to 0 in {MOST_STEPS} steps: the last was {decrement**0.5:.1e} standard"
        " errors. It need not have a root, except for jeffreys' prior and for the logit: use jeffreys, or the"
        " logit"
    )


def _nearer(step_at: Step, theta: FloatArray, decrement: float) -> tuple[FloatArray, float] | None:
    """The step at a mixed place, or None if it is no nearer to the root."""
    try:
        found = step_at(theta)
    except np.linalg.LinAlgError:
        return None
    return found if found[1] < decrement else None


def newton(step_at: Step, theta: FloatArray, step: FloatArray, decrement: float) -> FloatArray | None:
    """Newton's place for the root of the scoring steps, halved until it is nearer to the root.
    step_at function of theta, float[p]: as :func:`root` takes it.  theta, step float[p]: a place, and the
    scoring step there.  Returns float[p] or None: none where no halved step is nearer.  Derivatives are
    central differences."""
    size = 1e-6 * np.maximum(1.0, np.abs(theta))
    try:
        slopes = [
            (step_at(theta + e)[0] - step_at(theta - e)[0]) / (2.0 * h) for e, h in zip(np.diag(size), size)
        ]
        whole = np.linalg.solve(np.array(slopes).T, step)
    except np.linalg.LinAlgError:
        return None
    for halvings in range(12):
        there: FloatArray = theta - 0.5**halvings * whole
        if _nearer(step_at, there, decrement) is not None:
            return there
    return None


def _mixed(places: list[FloatArray], steps: list[FloatArray]) -> FloatArray | None:
    """Anderson's step: the combination of the last ones whose steps cancel best."""
    if len(steps) < 2:
        return None
    change = np.diff(np.array(steps), axis=0).T
    moved = np.diff(np.array(places), axis=0).T
    share = np.linalg.lstsq(change, steps[-1], rcond=1e-10)[0]
    found: FloatArray = places[-1] + steps[-1] - (moved + change) @ share
    return found if np.isfinite(found).all() else None


#: Parameters up to which it is tried: it differentiates by differences.
MOST = 100
#: Newton's steps after a search, and Powell's evaluations for each parameter.
NEWTON, EVALUATIONS = 40, 400
#: Multiples of the maximum from which other roots are searched; of several roots the first found is taken.
FARTHER = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)


def root_from_maximum(step_at: Step, penalised: Penalised, scale: FloatArray) -> Root:
    """The root of an adjusted score, searched from the maximum of the penalised likelihood.
    step_at function of theta, float[p]: as `root` takes it.  penalised function of theta, float[p]: the
    penalised log-likelihood and its gradient, float[p].  scale float[p, p]: columns of theta of unit standard
    error, for the search."""
    from scipy.optimize import minimize, root as powell

    def downhill(t: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = penalised(scale @ t)
        return -value, -(scale.T @ gradient)

    with np.errstate(all="ignore"):
        top = scale @ minimize(downhill, np.zeros(len(scale)), jac=True, method="BFGS").x
        found, most = _polished(step_at, top), EVALUATIONS * (len(top) + 1)
        for times in FARTHER if found is None else ():
            # Powell's method of 1970 (MINPACK's hybrid); the median's root may be far beyond the mean's.
            try:
                other = powell(lambda theta: step_at(theta)[0], times * top, options={"maxfev": most}).x
            except np.linalg.LinAlgError:
                continue
            found = _polished(step_at, other)
            if found is not None:
                break
    if found is None:
        raise ConvergenceError(
            "the adjusted score did not come to 0, neither by scoring nor from the maximum of the likelihood penalised by"
            " Jeffreys' prior. Only that of reduce_bias='jeffreys', and of the mean with the logit, has a root whatever the"
            " contests are: use jeffreys"
        )
    return found


def _polished(step_at: Step, theta: FloatArray) -> Root | None:
    """Newton's method to the last digit; None if it does not get there."""
    try:
        step, decrement = step_at(theta)
        for count in range(1, NEWTON + 1):
            if decrement < TOLERANCE:
                return Root(theta, count, decrement)
            nearer = newton(step_at, theta, step, decrement)
            if nearer is None:
                break
            theta = nearer
            step, decrement = step_at(theta)
    except np.linalg.LinAlgError:
        return None
    return Root(theta, NEWTON, decrement) if decrement < ROUNDING else None


@dataclass(frozen=True, eq=False)
class ReducedEstimate(Estimated):
    """An estimate with reduced bias.
    theta float[p].  covariance float[p, p]: inverse of the expected information of the plain likelihood at theta.
    llf: plain log-likelihood at theta, without binomial coefficients.  penalised: llf + log det I / 2.  decrement:
    squared length, in standard errors, of the last step."""

    theta: FloatArray
    covariance: FloatArray
    llf: float
    penalised: float
    steps: int
    decrement: float


def fit_reduced(contests: Contests, kind: str = "mean", link_name: str = "logit") -> ReducedEstimate:
    """The estimate of contests with reduced bias.
    kind: "mean" (Firth 1993), "median" (Kenne Pagui, Salvan and Sartori 2017) or "jeffreys" (maximum
    likelihood penalised by Jeffreys' prior, the same as mean for the logit)."""
    chosen, pooled = link(link_name), contests.pooled()
    refuse_aliased(pooled)

    def step_at(theta: FloatArray) -> tuple[FloatArray, float]:
        here = ContestPoint(pooled, chosen, theta)
        covariance = covariance_of(here.expected)
        score = here.score + adjustment(here, covariance, kind)
        step = covariance @ score
        return np.asarray(step), float(step @ score)

    def penalised(theta: FloatArray) -> tuple[float, FloatArray]:
        here = ContestPoint(pooled, chosen, theta)
        sign, log_det = np.linalg.slogdet(here.expected)
        if sign <= 0.0:
            return -np.inf, np.zeros(len(theta))
        gradient = here.score + adjustment(here, covariance_of(here.expected), "jeffreys")
        return here.value + 0.5 * float(log_det), gradient

    nowhere = np.zeros(len(pooled.design.names))
    try:
        found = root(step_at, nowhere, pooled.design.predictor)
    except (ConvergenceError, np.linalg.LinAlgError):
        if len(nowhere) > MOST:
            raise
        scale = np.linalg.cholesky(covariance_of(ContestPoint(pooled, chosen, nowhere).expected))
        found = root_from_maximum(step_at, penalised, np.asarray(scale, float))
    here = ContestPoint(pooled, chosen, found.theta)
    information = here.expected
    penalised_llf = here.value + 0.5 * float(np.linalg.slogdet(information)[1])
    covariance = covariance_of(information)
    return ReducedEstimate(found.theta, covariance, here.value, penalised_llf, found.steps, found.decrement)


def covariance_of(information: FloatArray) -> FloatArray:
    """The inverse of an information matrix.  information float[p, p].  Returns float[p, p]."""
    return inverse_of_factor(cholesky_of(information))
