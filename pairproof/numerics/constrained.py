"""The maximum of a smooth function under linear constraints C theta = v, and the profile of one linear function.

Newton's method on the bordered system::

    [ H  C' ] [ step       ]   [ score         ]
    [ C  0  ] [ multiplier ] = [ v - C theta   ]

H is minus the second derivatives.  From a point that meets the constraints a step stays on them, so that halving
it keeps the function from falling.  Where H is not positive definite along the constraints the step is that of its
absolute eigenvalues.  Where second derivatives cost as much as many steps (:class:`Rough`), H begins near them and is
corrected by each step (Broyden, Fletcher, Goldfarb and Shanno 1970; Nocedal and Wright 2006, section 6.1).

    profile(v) = max over theta with c'theta = v of l(theta)

Limits are where 2 (sup l - profile(v)) is the chi-square quantile (Venzon and Moolgavkar 1988, Applied
Statistics 37, 87-94).  The signed root of that drop is close to linear in v, so that Brent's method takes few
steps; each maximum starts where the last one, and its slope d theta / dv, point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from ..errors import ConvergenceError
from .arrays import FloatArray
from .maxima import cholesky_of, complement

#: Squared length of the last step in standard errors; what is left after it is its square.
TOLERANCE = 1e-16
#: Below it a squared length that no longer falls is rounding, of exact second derivatives and of others.
ROUNDING, ROUNDING_OF_ROUGH = 1e-10, 1e-14
MOST_STEPS = 300
#: After MOST_STEPS as much may be left: limits are then right to about 4 digits.
LEFT = 1e-6
#: Added to the information where it is singular, relative to its largest element.
RIDGE = 1e-10
#: Of a step: where the information has all but vanished a step is too long by many powers of ten.
SHORTEST = 1e-60


class Infeasible(Exception):
    """The constraint leaves the parameter space (a Rao-Kupper threshold at or below 0)."""


class Unfinished(ConvergenceError):
    """A search that used up its steps: the maximum is at least `value`.  where float[p]."""

    def __init__(self, message: str, where: FloatArray, value: float) -> None:
        super().__init__(message)
        self.where, self.value = where, value


class Place(Protocol):
    """A smooth function at one place."""

    @property
    def theta(self) -> FloatArray:
        """float[p]."""

    @property
    def value(self) -> float:
        ...

    @property
    def score(self) -> FloatArray:
        """float[p]: its derivative."""

    @property
    def information(self) -> FloatArray:
        """float[p, p]: minus its second derivative."""


P = TypeVar("P", bound=Place, covariant=True)


class Smooth(Protocol[P]):
    """A smooth function of p parameters."""

    @property
    def n_params(self) -> int:
        ...

    @property
    def concave(self) -> bool:
        """Whether a maximum under linear constraints is the only one."""

    def at(self, theta: FloatArray) -> P | None:
        """The function at theta, float[p]; None outside its domain."""

    def start(self) -> FloatArray:
        """float[p]: a place in its domain."""


@runtime_checkable
class Rough(Protocol):
    """A function whose second derivatives are not formed on the way to a maximum."""

    def scaling(self, theta: FloatArray) -> FloatArray:
        """float[p, p]: a positive definite matrix near minus the second derivatives."""


@runtime_checkable
class Sketched(Protocol):
    """A dear function with exact second derivatives."""

    @property
    def sketch(self) -> Smooth[Place]:
        """A cheap function near it; itself where there is none."""


@dataclass(frozen=True, eq=False)
class Maximum(Generic[P]):
    """A maximum under constraints.  multipliers float[q]: of the constraints.  curvature float[p, p]: H there."""

    point: P
    multipliers: FloatArray
    curvature: FloatArray


def maximum_under(
    function: Smooth[P],
    constraints: FloatArray,
    values: FloatArray,
    start: FloatArray,
    curvature: FloatArray | None = None,
) -> Maximum[P]:
    """The maximum under constraints @ theta = values, float[q, p] and float[q], from a start that meets them, float[p].

    curvature float[p, p]: H at a place nearby, of a rough function.
    """
    here = function.at(start)
    if here is None or not np.isfinite(here.value):
        raise Infeasible
    q, p, best, shorter = len(constraints), function.n_params, np.inf, 0
    rough = isinstance(function, Rough)
    least = ROUNDING_OF_ROUGH if rough else ROUNDING
    if isinstance(function, Rough):
        h = function.scaling(start) if curvature is None else curvature
    for _ in range(MOST_STEPS):
        if not rough:
            h = here.information
        right = np.concatenate([here.score, values - constraints @ here.theta])
        solution = _solved(h, constraints, right, function.concave or rough)
        step, multipliers = solution[:p], solution[p:]
        decrement = float(step @ here.score) if not function.concave or rough else float(step @ h @ step)
        length, near = 1.0, abs(decrement) < 1e-8
        while True:
            there = function.at(here.theta + length * step)
            if there is not None and (near or there.value >= here.value - 1e-12 * abs(here.value)):
                break
            length /= 2
            if length < SHORTEST:
                raise ConvergenceError(
                    f"no step raises the likelihood under {q} constraint(s); please report these data"
                )
        if rough:
            h = _corrected(h, there.theta - here.theta, here.score - there.score)
        here = there
        shorter = 0 if decrement < 0.1 * best else shorter + 1
        if decrement <= TOLERANCE or (decrement < least and shorter):
            return Maximum(here, multipliers, h)
        best = min(best, decrement)
    if decrement < LEFT:  # it creeps towards a supremum at infinity
        return Maximum(here, multipliers, h)
    raise Unfinished(
        f"a constrained fit did not come to its maximum in {MOST_STEPS} steps: the last was {decrement**0.5:.1e} standard"
        " errors long",
        here.theta,
        here.value,
    )


def _corrected(h: FloatArray, moved: FloatArray, fell: FloatArray) -> FloatArray:
    """H with H moved = fell, what the score lost over the step, float[p] both; itself where that is not positive."""
    along, bent = float(moved @ fell), h @ moved
    if not along > 1e-10 * float(moved @ bent):
        return h
    return np.asarray(h - np.outer(bent, bent) / float(moved @ bent) + np.outer(fell, fell) / along)


def _solved(h: FloatArray, constraints: FloatArray, right: FloatArray, positive: bool) -> FloatArray:
    """The step and the multipliers, float[p + q]; `positive`: H is known not to be indefinite."""
    if positive:
        return bordered_solve(h, constraints, right)
    p, basis = len(h), complement(constraints.T)
    inner = basis.T @ h @ basis
    try:
        cholesky_of(inner)
        return bordered_solve(h, constraints, right)
    except np.linalg.LinAlgError:
        size = np.sqrt(np.maximum(np.abs(np.diag(inner)), 1e-300))
        values, vectors = np.linalg.eigh(inner / np.outer(size, size))
        held = np.maximum(np.abs(values), 1e-8)
        with np.errstate(over="ignore"):
            step = vectors @ ((vectors.T @ (basis.T @ right[:p] / size)) / held) / size
        step = basis @ np.nan_to_num(np.clip(step, -1e3, 1e3))
        return np.concatenate([step, np.zeros(len(constraints))])


def bordered_solve(information: FloatArray, constraints: FloatArray, right: FloatArray) -> FloatArray:
    """[H C'; C 0]^-1 right, Newton's step and the multipliers.

    Far out in a nearly separated table the information may be singular.  A little of the identity is then added: the step
    is uphill, and is halved where it is too long.
    """
    try:
        return np.asarray(np.linalg.solve(_bordered(information, constraints), right), float)
    except np.linalg.LinAlgError:
        more = RIDGE * max(float(np.abs(np.diag(information)).max(initial=0.0)), 1e-100)
        try:
            raised = information + more * np.eye(len(information))
            return np.asarray(np.linalg.solve(_bordered(raised, constraints), right), float)
        except np.linalg.LinAlgError as error:
            raise ConvergenceError(
                f"the likelihood under {len(constraints)} constraint(s) is flat to rounding far out: nearly separated data;"
                " reduce_bias='jeffreys' has a profile there"
            ) from error


def _bordered(information: FloatArray, constraints: FloatArray) -> FloatArray:
    """[H C'; C 0]."""
    p, q = len(information), len(constraints)
    out = np.zeros((p + q, p + q))
    out[:p, :p], out[:p, p:], out[p:, :p] = information, constraints.T, constraints
    return out


def on_constraint(theta: FloatArray, constraints: FloatArray, values: FloatArray) -> FloatArray:
    """The place nearest to theta, float[p], where constraints @ theta = values."""
    c = constraints
    return np.asarray(theta + c.T @ np.linalg.solve(c @ c.T, values - c @ theta))


#: Steps to a limit, and the longest of them, in standard errors.
MOST_OF_LIMIT, LONGEST = 30, 1.0
#: Squared length of the last of them after which a limit has all its digits.
DONE = 1e-18


def limit_by_newton(
    function: Smooth[Place],
    c: FloatArray,
    top: FloatArray,
    level: float,
    side: float,
    start: FloatArray | None = None,
) -> FloatArray | None:
    """Where c'theta is farthest from its estimate at a value of `level`: Newton's method on level and slopes.

    Venzon and Moolgavkar (1988, section 2).  top float[p]: the estimate.  start float[p]: where the search begins; none:
    at Wald's limit.  None if it does not end at a constrained maximum on that side.
    """
    basis, here = complement(c[:, None]), function.at(top if start is None else start)
    try:
        if here is not None and start is None:
            along = np.linalg.solve(here.information, c)
            length = float(np.sqrt(2.0 * max(here.value - level, 0.0) / (c @ along)))
            here = function.at(top + side * length * along)
        last = np.inf
        for _ in range(MOST_OF_LIMIT):
            if here is None or not np.isfinite(here.value):
                return None
            h = here.information
            cholesky_of(basis.T @ h @ basis)
            left = np.vstack([here.score, -basis.T @ h])
            step = np.linalg.solve(left, np.append(level - here.value, -basis.T @ here.score))
            square = abs(float(step @ h @ step))
            theta = here.theta + step * min(1.0, LONGEST / max(square, 1e-300) ** 0.5)
            if square < DONE or (square < ROUNDING and square > 0.1 * last):
                return theta if side * float(c @ (theta - top)) > 0.0 else None
            last, here = square, function.at(theta)
    except (np.linalg.LinAlgError, FloatingPointError):
        pass
    return None


#: So many standard errors (or, of an infinite estimate, so far from 0) without a drop: there is none.
FARTHEST = 1e5
XTOL = 1e-12


@dataclass(frozen=True, eq=False)
class _Seen:
    """A constrained maximum.  slope float[p]: d theta / dv."""

    v: float
    theta: FloatArray
    slope: FloatArray
    curvature: FloatArray


class Profile:
    """The profile of one linear function of the parameters, from one constrained maximum to the next.

    function: whose constrained maxima are finite.  c float[p].  supremum: its greatest value.  estimate: of the linear
    function; finite, or inf or -inf.  se: a rough standard error, for the first step of the search.  tops float[p] each:
    where maxima are sought, the estimate first; of a concave function only if those before are outside.  farthest: so far from the estimate a limit is taken as infinite.
    """

    def __init__(
        self,
        function: Smooth[Place],
        c: FloatArray,
        supremum: float,
        estimate: float,
        se: float,
        tops: Sequence[FloatArray] = (),
        farthest: float = np.inf,
    ) -> None:
        self._function, self._c, self.supremum = function, c[None, :], supremum
        self.estimate, self.se = estimate, se if np.isfinite(se) and se > 0.0 else 1.0
        self._tops, self._several = tops, not function.concave
        self.farthest = min(farthest, FARTHEST * max(self.se, 1e-3))
        self._seen: list[_Seen] = []
        self._quantile = np.inf

    def drop(self, v: float) -> float:
        """2 (supremum - profile at v)."""
        try:
            found = self._maximum(v)
        except Unfinished as unfinished:
            # The profile is at least that high: enough to know that v is within the limits.
            lost = 2.0 * (self.supremum - unfinished.value)
            if lost >= 0.99 * self._quantile:
                raise
            return lost
        unit = np.eye(len(self._c[0]) + 1)[-1]
        slope = bordered_solve(found.curvature, self._c, unit)[:-1]
        self._seen.append(_Seen(v, found.point.theta, slope, found.curvature))
        return 2.0 * (self.supremum - found.point.value)

    def _maximum(self, v: float) -> Maximum[Place]:
        """The highest that is found from the places to start from; of a concave function from the first of them."""
        found: Maximum[Place] | None = None
        for count, (start, curvature) in enumerate(self._starts(v)):
            if found is not None and (not self._several or count > len(self._tops)):
                break
            try:
                one = maximum_under(self._function, self._c, np.array([v]), start, curvature)
            except Infeasible:
                continue
            if found is None or one.point.value > found.point.value:
                found = one
        if found is None:
            raise Infeasible
        return found

    def _starts(self, v: float) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        at = np.array([v])
        near = min(self._seen, key=lambda seen: abs(seen.v - v), default=None)
        if near is not None:
            yield on_constraint(near.theta + (v - near.v) * near.slope, self._c, at), near.curvature
        for top in self._tops:
            yield on_constraint(top, self._c, at), None if near is None else near.curvature
        yield on_constraint(self._function.start(), self._c, at), None

    def side(self, quantile: float, side: float, end: float | None = None) -> float:
        """The low (-1) or high (1) limit.
        end: where the parameter space ends on that side; the limit if the profile has not dropped there.
        Returns float: inf or -inf where the profile never drops so far."""
        from scipy.optimize import brentq

        if self.estimate == side * np.inf:
            return self.estimate
        if isinstance(self._function, Sketched) and np.isfinite(self.estimate):
            quick = self._by_newton(self._function.sketch, quantile, side)
            if quick is not None and (end is None or (end - quick) * side > 0.0):
                return quick
        root, self._quantile = float(np.sqrt(quantile)), quantile

        def off(v: float) -> float:
            return float(np.sqrt(max(self.drop(v), 0.0))) - root

        inside, step = self._inside(off, side)
        start = inside
        while True:
            there = inside + side * step
            if end is not None and (there - end) * side >= 0:
                if off(end) <= 0:
                    return end
                there = end
            if abs(there - start) > self.farthest:
                there = start + side * self.farthest
                if off(there) <= 0.0:
                    return side * np.inf
            try:
                beyond = off(there) >= 0.0
            except (Infeasible, np.linalg.LinAlgError):
                # The edge of the parameter space: go half of the way, down to rounding.
                step /= 2.0
                if step < 1e-13 * max(1.0, abs(inside)):
                    return there
                continue
            if beyond:
                break
            inside, step = there, 1.6 * step
        xtol = XTOL * max(1.0, abs(there))

        def between(a: float, b: float) -> float:
            # Brent's method to 1e-10 of the limit, below which the drop itself is rounding, and not less
            # than 1e-14 of it: refits held at the limits lose the quantile to 3e-13 (observed).
            return float(brentq(off, a, b, xtol=xtol, rtol=1e-14, maxiter=200))

        try:
            # Between two places the maximum is followed from them, and looked for elsewhere where that ends.
            self._several = False
            found = between(inside, there)
            self._several = not self._function.concave
            if self._several and off(found) < -1e-9:
                found = between(found, there)
            return found
        except ValueError:  # the two ends have the same sign once they are refitted
            raise ConvergenceError(
                f"the {'upper' if side > 0 else 'lower'} profile limit between {inside:.6g} and {there:.6g} was not found:"
                " refits from two sides do not agree there, as in nearly separated tables;"
                " fit.conf_int() has Wald intervals, and reduce_bias='jeffreys' a penalised profile"
            ) from None

    def _by_newton(self, sketch: Smooth[Place], quantile: float, side: float) -> float | None:
        """The limit from the estimate on, roughly at first; None where Newton's method does not come to it."""
        c, level, found = self._c[0], self.supremum - quantile / 2.0, None
        for function in (sketch, self._function):
            found = limit_by_newton(function, c, self._tops[0], level, side, found)
            if found is None:
                return None
        assert found is not None
        limit = float(c @ found)
        return limit if abs(limit - self.estimate) < self.farthest else None

    def _inside(self, off: Callable[[float], float], side: float) -> tuple[float, float]:
        """A place within the interval, and the first step out of it."""
        if np.isfinite(self.estimate):
            return self.estimate, 1.9 * self.se
        v, step = 0.0, 1.0
        while abs(v) <= FARTHEST:
            try:
                if off(v) < 0.0:
                    return v, 1.0
            except Infeasible:
                pass
            v, step = v - side * step, 1.6 * step
        raise ConvergenceError("no finite value is near enough to the supremum of the likelihood")
