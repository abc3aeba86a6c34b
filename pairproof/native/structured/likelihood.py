"""The log-likelihood of contests at one place, its score and both kinds of information.

    l = sum_r  wins_r log F(eta_r) + losses_r log F(-eta_r)

Score X'u with u_r = dl/d eta_r; observed information X' diag(-d2l/d eta_r^2) X, expected information X'
diag(n_r f^2 / (F (1 - F))) X (McCullagh and Nelder 1989, section 2.5).  They are equal for the logit only;
R's glm reports the expected one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..numerics.information import cholesky_of
from .contests import Contests
from .links import Link

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContestPoint:
    """The log-likelihood at one place, as :func:`pairproof.native.numerics.newton.maximise` asks for it.

    theta float[p].
    """

    contests: Contests
    link: Link
    theta: FloatArray

    @cached_property
    def eta(self) -> FloatArray:
        """float[n]: linear predictors."""
        return self.contests.design.predictor(self.theta)

    @cached_property
    def value(self) -> float:
        """The log-likelihood, without binomial coefficients."""
        log_cdf = self.link.log_cdf
        return _product(self.contests.wins, log_cdf(self.eta)) + _product(
            self.contests.losses, log_cdf(-self.eta)
        )

    @property
    def extent(self) -> float:
        """Largest linear predictor in absolute value."""
        if not np.isfinite(self.value):
            return float("inf")
        return float(np.abs(self.eta).max(initial=0.0))

    @cached_property
    def _slopes(self) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of each row's log-likelihood by its predictor."""
        wins, losses = self.contests.wins, self.contests.losses
        up, up2 = self.link.derivatives(self.eta)
        down, down2 = self.link.derivatives(-self.eta)
        return wins * up - losses * down, wins * up2 + losses * down2

    @property
    def row_scores(self) -> FloatArray:
        """float[n]: dl/d eta of each row."""
        return self._slopes[0]

    @property
    def score(self) -> FloatArray:
        """float[p]."""
        return self.contests.design.transposed(self._slopes[0])

    @property
    def observed(self) -> FloatArray:
        """float[p, p]: minus the second derivatives."""
        return self.contests.design.gram(-self._slopes[1])

    @property
    def row_curvatures(self) -> FloatArray:
        """float[n]: -d2l/d eta^2 of each row; the weights of the observed information."""
        return -self._slopes[1]

    @property
    def row_thirds(self) -> FloatArray:
        """float[n]: -d3l/d eta^3 of each row."""
        third = self.link.third
        return np.asarray(self.contests.losses * third(-self.eta) - self.contests.wins * third(self.eta))

    @property
    def row_weights(self) -> FloatArray:
        """float[n]: expected information of each row about its predictor."""
        return self.contests.totals * self.link.expected_weight(self.eta)

    @property
    def expected(self) -> FloatArray:
        """float[p, p]: Fisher's information."""
        return self.contests.design.gram(self.row_weights)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """H^-1 q and q' H^-1 q, H the observed information, or where that is indefinite the expected one.

        accuracy: not used: the step is exact.  Returns float[p], float.
        """
        from scipy.linalg import solve_triangular

        score = self.score
        try:
            factor = cholesky_of(self.observed)
        except np.linalg.LinAlgError:
            if self.link.concave:
                raise
            factor = cholesky_of(self.expected)
        half = solve_triangular(factor, score, lower=True)
        return np.asarray(solve_triangular(factor.T, half)), float(half @ half)


def _product(counts: FloatArray, logs: FloatArray) -> float:
    """Sum of counts times logarithms, where 0 times -inf is 0."""
    return float(counts @ np.where(counts > 0, logs, 0.0))
