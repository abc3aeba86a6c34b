"""The profile likelihood of one linear function, and where it has dropped by a given amount."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, NotEstimableError
from .likelihood import Infeasible, Limiting, Point, bordered_solve

FloatArray = NDArray[np.float64]

#: Brent's tolerance on the limit, relative to the larger of it and 1.
XTOL = 1e-12
#: A log-odds beyond this has no likelihood in doubles.
FAR = 650.0
MOST_DOUBLINGS = 80


@dataclass(eq=False)
class Curve:
    """The profile likelihood of one function.

    limit: the likelihood in which constrained maxima are finite.  function float[p]: in the coordinates of
    the likelihood.  supremum: of the unconstrained log-likelihood.  estimate: may be infinite.  top: the
    unconstrained maximum, if it is finite.
    """

    limit: Limiting
    function: FloatArray
    supremum: float
    estimate: float
    top: Point | None

    def __post_init__(self) -> None:
        self._c = self.limit.reduced(self.function[None, :])
        self._here: tuple[float, FloatArray, FloatArray] | None = None

    def drop(self, v: float) -> float:
        """2 (supremum - constrained maximum)."""
        inner = self.limit.inner
        point, _ = inner.maximise(self._c, np.array([v]), self._start(v))
        self._here = (v, point.theta, self._slope(point))
        return 2.0 * (self.supremum - point.llf)

    def _slope(self, point: Point) -> FloatArray:
        """d theta / dv along the constrained maxima."""
        p = len(point.theta)
        out: FloatArray = bordered_solve(point.information, self._c, np.eye(p + 1)[p])[:p]
        return out

    def _start(self, v: float) -> FloatArray:
        if self._here is None and self.top is not None:
            self._here = (self.estimate, self.top.theta, self._slope(self.top))
        if self._here is None:
            c = self._c[0]
            origin = self.limit.inner.dense.origin()
            origin = origin if self.limit.keep is None else self.limit.keep.T @ origin
            start: FloatArray = origin + c * (v - c @ origin) / (c @ c)
            return start
        at, theta, slope = self._here
        moved: FloatArray = theta + (v - at) * slope
        # Rounding off the constraint would stay: take it out exactly.
        c = self._c[0]
        moved += c * (v - c @ moved) / (c @ c)
        return moved

    def side(self, drop: float, side: float) -> float:
        """The low (-1) or high (1) limit."""
        from scipy.optimize import brentq

        if self.estimate == side * np.inf:
            return self.estimate
        root = float(np.sqrt(drop))
        self._here = None

        def off(v: float) -> float:
            return float(np.sqrt(max(self.drop(v), 0.0))) - root

        inside, outside = self._bracket(off, side)
        if outside is None:
            return inside
        # Brent's method, asked for 1e-10 of the limit and not less than 1e-14 of itself, its own rounding:
        # the vectors are met to 4e-12 (observed), the rounding of the drop.
        xtol = XTOL * max(1.0, abs(inside))
        try:
            return float(brentq(off, inside, outside, xtol=xtol, rtol=1e-14, maxiter=200))
        except ValueError:  # the two ends have the same sign once they are refitted
            raise ConvergenceError(
                f"the {'upper' if side > 0 else 'lower'} profile limit between {inside:.6g} and {outside:.6g} was not found:"
                " refits from two sides do not agree there, as in nearly separated tables;"
                " fit.conf_int() has Wald intervals, and reduce_bias='jeffreys' a penalised profile"
            ) from None

    def _bracket(self, off: Callable[[float], float], side: float) -> tuple[float, float | None]:
        """A point inside and one outside the interval; None outside where the parameter space ends first."""
        if np.isfinite(self.estimate):
            inside, step = self.estimate, self._first_step()
        else:
            inside, step = self._near_infinity(off, side)
        for _ in range(MOST_DOUBLINGS):
            there = inside + side * step
            try:
                value = off(there)
            except (Infeasible, np.linalg.LinAlgError):
                # The edge of the parameter space: go half of the way, down to rounding.
                step /= 2.0
                if step < 1e-13 * max(1.0, abs(inside)):
                    return there, None
                continue
            if value >= 0.0:
                return inside, there
            inside, step = there, step * 1.6
        raise NotEstimableError("the likelihood does not fall on one side; please report these data")

    def _first_step(self) -> float:
        if self.top is None:
            return 1.0
        c = self._c[0]
        variance = float(c @ np.linalg.solve(self.top.information, c))
        return 2.0 * float(np.sqrt(variance))

    def _near_infinity(self, off: Callable[[float], float], side: float) -> tuple[float, float]:
        """From 0 towards an infinite estimate, until the likelihood is within the drop."""
        v, step = 0.0, 1.0
        for _ in range(MOST_DOUBLINGS):
            try:
                if off(v) < 0.0:
                    return v, 1.0
            except Infeasible:
                pass
            v, step = v - side * step, step * 1.6
            if abs(v) > FAR:
                break
        raise NotEstimableError("no finite value is near enough to the supremum; please report these data")
