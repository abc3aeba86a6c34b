"""The maximum of a smooth function under linear constraints C theta = v.

Newton's method on the bordered system::

    [ H  C' ] [ step       ]   [ score         ]
    [ C  0  ] [ multiplier ] = [ v - C theta   ]

H is minus the second derivatives.  From a point that meets the constraints a step stays on them, so that
halving it keeps the function from falling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from ..errors import ConvergenceError
from .arrays import FloatArray

#: Squared length of the last step in standard errors; what is left after it is its square.
TOLERANCE = 1e-16
MOST_STEPS = 200
#: Added to the information where it is singular, relative to its largest element.
RIDGE = 1e-10
#: Of a step: where the information has all but vanished a step is too long by many powers of ten.
SHORTEST = 1e-60


class Infeasible(Exception):
    """The constraint leaves the parameter space (a Rao-Kupper threshold at or below 0)."""


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

    def at(self, theta: FloatArray) -> P | None:
        """The function at theta, float[p]; None outside its domain."""


@dataclass(frozen=True, eq=False)
class Maximum(Generic[P]):
    """A maximum under constraints.  multipliers float[q]: of the constraints."""

    point: P
    multipliers: FloatArray


def maximum_under(
    function: Smooth[P], constraints: FloatArray, values: FloatArray, start: FloatArray
) -> Maximum[P]:
    """The maximum under constraints @ theta = values, float[q, p] and float[q], from a start that meets them, float[p]."""
    here = function.at(start)
    if here is None:
        raise Infeasible
    q, p, best = len(constraints), function.n_params, np.inf
    for _ in range(MOST_STEPS):
        right = np.concatenate([here.score, values - constraints @ here.theta])
        solution = bordered_solve(here.information, constraints, right)
        step, multipliers = solution[:p], solution[p:]
        decrement = float(step @ here.information @ step)
        length, near = 1.0, decrement < 1e-8
        while True:
            there = function.at(here.theta + length * step)
            if there is not None and (near or there.value >= here.value - 1e-12 * abs(here.value)):
                break
            length /= 2
            if length < SHORTEST:
                raise ConvergenceError(
                    f"no step raises the likelihood under {q} constraint(s); please report these data"
                )
        here = there
        if decrement <= TOLERANCE or (decrement < 1e-10 and decrement > 0.1 * best):
            return Maximum(here, multipliers)
        best = min(best, decrement)
    raise ConvergenceError(
        f"Newton's method under {q} constraint(s) did not converge in {MOST_STEPS} steps; please report these data"
    )


def bordered_solve(information: FloatArray, constraints: FloatArray, right: FloatArray) -> FloatArray:
    """[H C'; C 0]^-1 right, Newton's step and the multipliers.

    Far out in a nearly separated table the information may be singular.  A little of the identity is then added: the step
    is uphill, and is halved where it is too long.
    """
    try:
        return np.linalg.solve(_bordered(information, constraints), right)
    except np.linalg.LinAlgError:
        more = RIDGE * max(float(np.abs(np.diag(information)).max(initial=0.0)), 1e-100)
        try:
            return np.linalg.solve(
                _bordered(information + more * np.eye(len(information)), constraints), right
            )
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
