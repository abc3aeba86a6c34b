"""Modes of random effects: the log-likelihood of contests with a quadratic penalty.

    l(theta) - sum_k precision_k theta_k^2 / 2

with precision 1 / sigma^2 for a random effect and 0 for a fixed parameter (Breslow and Clayton 1993, Journal
of the American Statistical Association 88, 9-25, equation 6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError
from ..numerics.information import cholesky_of
from ..numerics.newton import maximise
from ..structured.contests import Contests
from ..structured.likelihood import ContestPoint
from ..structured.links import Link

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PenalisedPoint:
    """The penalised log-likelihood at one place.

    precision float[p].
    """

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
        """The exact step, and the decrement.

        accuracy: not used.  Returns float[p], float.
        """
        from scipy.linalg import solve_triangular

        score = self.point.score - self.precision * self.point.theta
        factor = cholesky_of(self.information)
        half = solve_triangular(factor, score, lower=True)
        return np.asarray(solve_triangular(factor, half, lower=True, trans=1)), float(half @ half)


def penalised_mode(
    contests: Contests, chosen: Link, precision: FloatArray, start: FloatArray
) -> ContestPoint:
    """Where the penalised log-likelihood is greatest.

    contests: p parameters.  chosen: one whose log F is concave: logit, probit.  precision float[p].  start
    float[p].
    """

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
    """The contests as a function of their K random effects alone, the fixed parameters held at beta, float[p].

    contests: whose first K parameters are the effects.  beta float[p].
    """
    design = contests.design
    alone = replace(
        design,
        dense=np.zeros((design.n_rows, 0)),
        offset=design.offset + design.dense @ beta,
        names=design.names[: design.n_own],
    )
    return Contests(alone, contests.wins, contests.losses)
