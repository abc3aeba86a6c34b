"""The maximum of a marginal likelihood in b and the log sigma of every component, and second derivatives there.

Quasi-Newton steps in units of standard errors, then Newton's.  Second derivatives are exact, or differences
of the exact gradient: six points of distance 0.02, 0.04 and 0.06 standard errors (Fornberg 1988, Mathematics
of Computation 51, 699-706, table 1), with an error of order 1e-11, or two points.

Of Laplace's approximation with several components the search starts from the maximum without one component,
with the best of a few sigmas of that one.  Steps that leave out the derivatives of the weights
(:meth:`Curvature.rough`) lead near the maximum.  A variance is 0 where nothing gains over the fit without it.

Let j, k be parameters, eta_j the derivative of the linear predictor at the mode, u_j of the mode: -A^-1 Z'W
X_j for b_j, and for log sigma_c the solution of A u_j = 2 u/sigma^2 on the effects of c.  With t = dW/d eta,
q = dt/d eta, A_j = dA/dj = Z' diag(t eta_j) Z - 2 I_c/sigma_c^2, c_r = z_r'A^-1 z_r and y = A^-1 Z'(c t),

    d2 log det A / dj dk = tr(A^-1 A_jk) - tr(A^-1 A_j A^-1 A_k)
    tr(A^-1 A_jk) = sum_r (c q - (Zy) t) eta_j eta_k
                    + 2 (y_c'u_k + y_c'u_j - 2 y_c'u_c)/sigma_c^2 + 4 tr(A^-1)_c/sigma_c^2

the last two where j (and k) is log sigma_c; the other parts of log L have the derivatives -X'W eta_k and
(2 u_c'u_k - 2 u_c'u_c) / sigma_c^2 (log det A as in Magnus and Neudecker 1988, section 8.4).  Products A^-1
A_j take most of the time: one of K x K matrices for each parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ....errors import ConvergenceError
from ....numerics.arrays import FloatArray
from ..rows.contest_design import Contests
from ..rows.links import Link
from .factors import DenseFactor
from .marginal_likelihood import Marginal, Mode, laplace, mode_of

#: The value and the gradient, float[n], at a place, float[n].
Function = Callable[[FloatArray], tuple[float, FloatArray]]
#: Distance of the differences, in standard errors as the scale has them.
STEP = 0.02
#: Squared length of a step, in standard errors, after which nothing is left to gain.
DONE = 1e-20
#: So many rough standard errors from the start nobody looks any more.
FARTHEST = 1e3


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a function is greatest.  x float[n].  gradient float[n].  hessian float[n, n]."""

    x: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray


def optimum(
    function: Function,
    start: FloatArray,
    scale: FloatArray,
    points: int = 6,
    second: Callable[[FloatArray], FloatArray] | None = None,
    moved: float = 1e-17,
) -> Optimum:
    """The maximum of a smooth function with an exact gradient.
    function function of x, float[n]: its value and its gradient, float[n].  start float[n].  scale float[n,
    n]: columns are steps of about one standard error: a square root of a rough covariance.  points: 6, or 2
    for a third of the time where the function is dear and nearly quadratic.  second function of x, float[n]:
    exact second derivatives, float[n, n], in place of differences.  moved: squared length of a step, in
    standard errors, after which second derivatives are taken again."""
    from scipy.optimize import minimize

    def scaled(t: FloatArray) -> tuple[float, FloatArray]:
        if not np.abs(t).max() < FARTHEST:
            return np.inf, np.zeros(len(t))
        value, gradient = function(start + scale @ t)
        return -value, -(scale.T @ gradient)

    def curvature(t: FloatArray) -> FloatArray:
        if second is None:
            return _differences(scaled, t, points)
        return np.asarray(-(scale.T @ second(start + scale @ t) @ scale))

    options = {"gtol": 1e-7 if second is None else 1e-5, "maxiter": 100}
    with np.errstate(all="ignore"):  # the line search subtracts infinities where the function has no maximum
        t = minimize(scaled, np.zeros(len(start)), jac=True, method="BFGS", options=options).x
    value, gradient = scaled(t)
    hessian, best = curvature(t), np.inf
    for _ in range(12):
        step, decrement = _newton(hessian, gradient, start + scale @ t)
        if decrement >= best and decrement < 1e-12:
            break  # rounding
        t, best = t - step, decrement
        value, gradient = scaled(t)
        if decrement > moved:  # the second derivatives are of another place by now
            hessian = curvature(t)
        if decrement < DONE:
            break
    else:
        if best > 1e-10:
            raise ConvergenceError(
                f"the marginal likelihood did not come to its maximum: the last step was {best**0.5:.1e} SE"
            )
    back = np.linalg.inv(scale)
    return Optimum(start + scale @ t, -value, -(back.T @ gradient), -(back.T @ hessian @ back))


def _newton(hessian: FloatArray, gradient: FloatArray, x: FloatArray) -> tuple[FloatArray, float]:
    try:
        factor = np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        factor = np.zeros((0, 0))
    if not len(factor) or np.diag(factor).min() < 1e-6:
        raise ConvergenceError(
            "the marginal likelihood has no maximum: it is flat, or still grows, at"
            f" {', '.join(f'{v:.4g}' for v in x)} (fixed parameters, then log sigma), as where wins are separated; without"
            " random effects reduce_bias='mean' has finite estimates"
        )
    half = np.linalg.solve(factor, gradient)
    return np.linalg.solve(factor.T, half), float(half @ half)


def _differences(scaled: Function, t: FloatArray, points: int) -> FloatArray:
    columns = []
    for k in range(len(t)):
        e = np.zeros(len(t))
        e[k] = STEP
        weights = (45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0) if points == 6 else (0.5,)
        pairs = (w * (scaled(t + m * e)[1] - scaled(t - m * e)[1]) for m, w in enumerate(weights, 1))
        columns.append(sum(pairs, np.zeros(len(t))) / STEP)
    found = np.array(columns).reshape(len(t), len(t))
    return np.asarray((found + found.T) / 2.0)


class Curvature:
    """What the second derivatives at one place are made of.
    dense float[n, p]: columns of the fixed parameters."""

    def __init__(self, mode: Mode, dense: FloatArray) -> None:
        self.mode, self.dense = mode, dense
        design, k, p = mode.alone.design, len(mode.theta), dense.shape[1]
        ends = np.cumsum((0, *mode.sizes))
        self.parts = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]
        pulls = np.zeros((k, p + len(self.parts)))
        for j in range(p):
            pulls[:, j] = -design.transposed(mode.rows.curvature * dense[:, j])
        for c, part in enumerate(self.parts):
            pulls[part, p + c] = 2.0 * mode.theta[part] / mode.sigma[c] ** 2
        #: float[K, p + C]: derivatives of the mode.
        self.moves = mode.factor.solve(pulls)
        #: float[n, p + C]: derivatives of the linear predictor.
        self.slopes = np.column_stack([design.predictor(v) - design.offset for v in self.moves.T])
        self.slopes[:, :p] += dense

    def _without_determinant(self) -> FloatArray:
        """Second derivatives of l - u'D^-1 u / 2."""
        p, mode = self.dense.shape[1], self.mode
        found = np.zeros((self.slopes.shape[1],) * 2)
        found[:p] = -(mode.rows.curvature[:, None] * self.dense).T @ self.slopes
        for c, part in enumerate(self.parts):
            found[p + c] = 2.0 * mode.theta[part] @ self.moves[part] / mode.sigma[c] ** 2
            found[p + c, p + c] -= 2.0 * float(mode.theta[part] @ mode.theta[part]) / mode.sigma[c] ** 2
        return np.asarray((found + found.T) / 2.0)

    def rough(self) -> FloatArray:
        """float[p + C, p + C]: second derivatives without those of W.  Returns float[p + C, p + C]."""
        found, p = self._without_determinant(), self.dense.shape[1]
        squares = self.mode.by_component(self.mode.factor.diagonal)
        traces = self.mode.factor.squared_traces(self.parts)
        for c in range(len(self.parts)):
            found[p + c, p + c] -= 2.0 * squares[c]
        scale = self.mode.sigma**2
        found[p:, p:] += 2.0 * traces / np.outer(scale, scale)
        return found

    def exact(self) -> FloatArray:
        """float[p + C, p + C]: second derivatives; of a dense factor only.  Returns float[p + C, p + C]."""
        mode, p, factor = self.mode, self.dense.shape[1], self.mode.factor
        assert isinstance(factor, DenseFactor)
        design, spreads = mode.alone.design, factor.spreads
        y = factor.solve(design.transposed(spreads * mode.rows.third))
        along = design.predictor(y) - design.offset
        weight = spreads * mode.rows.fourth - along * mode.rows.third
        second = self.slopes.T @ (weight[:, None] * self.slopes)
        diagonal = mode.by_component(factor.diagonal)
        for c, part in enumerate(self.parts):
            row = 2.0 * y[part] @ self.moves[part] / mode.sigma[c] ** 2
            second[p + c] += row
            second[:, p + c] += row
            own = 4.0 * float(y[part] @ mode.theta[part]) / mode.sigma[c] ** 2
            second[p + c, p + c] += 4.0 * diagonal[c] - own
        whole = np.asarray(second - self._traces(factor))
        return np.asarray(self._without_determinant() - 0.25 * (whole + whole.T))

    def _traces(self, factor: DenseFactor) -> FloatArray:
        """tr(A^-1 A_j A^-1 A_k)."""
        p, mode = self.dense.shape[1], self.mode
        products: list[FloatArray] = []
        found = np.zeros((self.slopes.shape[1],) * 2)
        for j in range(len(found)):
            change = mode.alone.design.gram(mode.rows.third * self.slopes[:, j])
            if j >= p:
                own = np.zeros(len(change))
                own[self.parts[j - p]] = 2.0 / mode.sigma[j - p] ** 2
                change = change - np.diag(own)
            products.append(factor.inverse @ change)
            turned = np.ascontiguousarray(products[j].T)
            for k in range(j + 1):
                found[j, k] = found[k, j] = np.vdot(turned, products[k])
        return found


#: Values of sigma of which the best is where the search starts.
STARTS = (0.02, 0.1, 0.3, 0.7, 1.5, 3.0)
#: A gain in log-likelihood below this is rounding: sigma is 0.
NOTHING = 1e-9
#: With more effects than this, a factor of which takes long, one start is tried before the others; second
#: derivatives are those of a place up to 1e-4 standard errors away, or where products would not fit into
#: MEMORY differences of two points (200 effects, 400 contests: standard errors within 2e-6).
MANY = 200
#: Of products of K x K matrices, in numbers.
MEMORY = 1e8
#: Where the one start is, and the sigma below which the others are tried after all.
LIKELY, LITTLE = 0.7, 0.08
#: Squared length, in standard errors, of a step after which quasi-Newton steps take over; steps before, and
#: the longest change of log sigma in one.
NEAR, MOST_ROUGH, LONGEST = 0.3, 8, 1.0
#: Largest absolute log sigma.
WIDEST = 12.0


@dataclass(frozen=True, eq=False)
class Lower:
    """The maximum without one component.
    beta float[p].  sigma float[C - 1].  left_out: which of the C components."""

    value: float
    beta: FloatArray
    sigma: FloatArray
    left_out: int

    def with_sigma(self, sigma: float) -> FloatArray:
        """float[p + C]: b and log sigma, with this sigma of the component left out."""
        return np.append(self.beta, np.log(np.insert(self.sigma, self.left_out, sigma)))


def highest(contests: Contests, chosen: Link, lower: Sequence[Lower]) -> tuple[Optimum, Mode] | None:
    """The maximum of Laplace's approximation over b and log sigma.
    contests: with effects of C components.  lower: the maximum without each component; those in which all
    other sigmas are above 0.  Returns (Optimum, Mode) or None: the mode of the effects there; None if leaving
    one of the components out is as good."""
    place = _Place(contests, chosen)
    top = max(low.value for low in lower)
    dear = contests.design.n_own > MANY
    trials = [low.with_sigma(LIKELY) for low in lower] if dear else []
    for trial in [*trials, None]:
        start, gained = _of_grid(contests, chosen, lower, top) if trial is None else (trial, True)
        try:
            found = _from(place, start, dear)
        except ConvergenceError:
            if trial is None and gained:
                raise
            continue  # on the way to sigma = 0 the likelihood is flat in log sigma
        if found.value > top + NOTHING:
            return found, place.mode(found.x)
    return None


def _of_grid(contests: Contests, chosen: Link, lower: Sequence[Lower], top: float) -> tuple[FloatArray, bool]:
    """The best of STARTS, and whether it gains anything."""
    p = contests.design.dense.shape[1]
    places = [low.with_sigma(sigma) for low in lower for sigma in STARTS]
    values = [mode_of(contests, chosen, x[:p], np.exp(x[p:])).log_likelihood for x in places]
    best = int(np.argmax(values))
    return places[best], values[best] > top


class _Place:
    """Laplace's approximation at the last place that was asked for."""

    def __init__(self, contests: Contests, chosen: Link) -> None:
        self.contests, self.chosen, self.p = contests, chosen, contests.design.dense.shape[1]
        self.x: FloatArray | None = None
        self.last: Marginal | None = None

    def at(self, x: FloatArray) -> Marginal:
        if self.last is None or self.x is None or not np.array_equal(x, self.x):
            self.last = laplace(self.contests, self.chosen, x[: self.p], np.exp(x[self.p :]), self.last)
            self.x = x.copy()
        return self.last

    def function(self, x: FloatArray) -> tuple[float, FloatArray]:
        if not np.abs(x[self.p :]).max() < WIDEST:
            return -np.inf, np.zeros(len(x))
        found = self.at(x)
        return found.value, found.gradient

    def mode(self, x: FloatArray) -> Mode:
        found = self.at(x).mode
        assert found is not None  # Laplace's approximation has one
        return found

    def curvature(self, x: FloatArray) -> Curvature:
        return Curvature(self.mode(x), self.contests.design.dense)


def _from(place: _Place, start: FloatArray, dear: bool) -> Optimum:
    x, scale = _nearer(place, start)
    k = place.contests.design.n_own
    together = isinstance(place.mode(x).factor, DenseFactor)
    whole = together and len(x) * float(k) ** 2 <= MEMORY
    return optimum(
        place.function,
        x,
        scale,
        points=2 if dear and together else 6,
        second=(lambda x: place.curvature(x).exact()) if whole else None,
        moved=1e-8 if dear or not whole else 1e-17,
    )


def _nearer(place: _Place, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A place nearer to the maximum, and a square root of a rough covariance there."""
    x, p = start, place.p
    scale = np.eye(len(x))
    for _ in range(MOST_ROUGH):
        gradient = place.at(x).gradient
        minus = -place.curvature(x).rough()
        try:
            half = np.linalg.cholesky(minus)
        except np.linalg.LinAlgError:
            # Far from a maximum: the size of each parameter's own second derivative will do.
            half = np.diag(np.sqrt(np.maximum(np.abs(np.diag(minus)), 1.0)))
        scale = np.linalg.inv(half).T
        step = scale @ (scale.T @ gradient)
        if float(step @ gradient) < NEAR:
            break
        x = x + step * min(1.0, LONGEST / max(float(np.abs(step[p:]).max()), 1e-300))
        if x[p:].min() < np.log(LITTLE):
            break
    return x, scale
