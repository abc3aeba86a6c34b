"""Links between the linear predictor eta of contests and P(first player wins) = F(eta), and their likelihood.

    logit    F = 1 / (1 + exp(-eta))        probit   F = Phi(eta)        cauchit  F = 1/2 + atan(eta) / pi

(McCullagh and Nelder 1989, Generalized Linear Models, section 4.3.1).  All three are symmetric, F(-eta) = 1 -
F(eta), so that a loss is a win of the other side.  log F is concave for logit and probit; for cauchit it is
not, and its likelihood may have more than one maximum.

    l = sum_r  wins_r log F(eta_r) + losses_r log F(-eta_r)

Score X'u with u_r = dl/d eta_r; observed information X' diag(-d2l/d eta_r^2) X, expected information X'
diag(n_r f^2 / (F (1 - F))) X (section 2.5 there).  They are equal for the logit only; R's glm reports the
expected one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....errors import InputError
from ....numerics.arrays import FloatArray
from ....numerics.maxima import cholesky_of, step_of_factor
from .contest_design import Contests


class Link:
    """A symmetric link, with the derivatives that likelihood and bias reduction need.
    concave: whether log F is, so that a maximum of the likelihood is the only one.  far: a predictor beyond this
    in absolute value makes the solver ask whether the estimate exists: a win has all but one in 1e9 of the
    probability (logit 20, probit 6); for cauchit, one in 3e4."""

    name: str
    concave = True
    far: float

    def log_cdf(self, eta: FloatArray) -> FloatArray:
        """log F(eta), float[n], exact in both tails."""
        raise NotImplementedError

    def derivatives(self, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of log F, each float[n]."""
        raise NotImplementedError

    def third(self, eta: FloatArray) -> FloatArray:
        """Third derivative of log F, float[n]."""
        raise NotImplementedError

    def density(self, eta: FloatArray) -> FloatArray:
        """f = F', float[n]."""
        raise NotImplementedError

    def bend(self, eta: FloatArray) -> FloatArray:
        """f'/f, float[n]; also where f itself underflows."""
        raise NotImplementedError

    def probability(self, eta: FloatArray) -> FloatArray:
        """F(eta), float[n] in [0, 1]."""
        return np.asarray(np.exp(self.log_cdf(eta)))

    def expected_weight(self, eta: FloatArray) -> FloatArray:
        """f^2 / (F (1 - F)), float[n]: expected information of one contest about eta."""
        return np.asarray(self.derivatives(eta)[0] * self.derivatives(-eta)[0])


class Logit(Link):
    """The logistic distribution."""

    name, far = "logit", 20.0

    def log_cdf(self, eta: FloatArray) -> FloatArray:
        return np.asarray(np.minimum(eta, 0.0) - np.log1p(np.exp(-np.abs(eta))))

    @staticmethod
    def both(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F and 1 - F, both with all their digits, from one exponential."""
        small = np.exp(-np.abs(eta))
        near, far = 1.0 / (1.0 + small), small / (1.0 + small)
        up = eta >= 0
        return np.where(up, near, far), np.where(up, far, near)

    def derivatives(self, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        p, q = self.both(eta)
        return q, -p * q

    def third(self, eta: FloatArray) -> FloatArray:
        p, q = self.both(eta)
        return np.asarray(p * q * (p - q))

    def density(self, eta: FloatArray) -> FloatArray:
        p, q = self.both(eta)
        return np.asarray(p * q)

    def bend(self, eta: FloatArray) -> FloatArray:
        return np.asarray(-np.tanh(eta / 2.0))


class Probit(Link):
    """The normal distribution."""

    name, far = "probit", 6.0

    def log_cdf(self, eta: FloatArray) -> FloatArray:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(eta))

    def derivatives(self, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        # f/F of the lower tail, sqrt(2/pi) / erfcx(-eta/sqrt(2)), neither overflows nor cancels there.
        from scipy.special import erfcx, ndtr

        lower, upper = np.minimum(eta, 0.0), np.maximum(eta, 0.0)
        below = np.sqrt(2.0 / np.pi) / erfcx(-lower / np.sqrt(2.0))
        ratio = np.where(eta <= 0, below, self.density(upper) / ndtr(upper))
        return ratio, -ratio * (eta + ratio)

    def third(self, eta: FloatArray) -> FloatArray:
        r, slope = self.derivatives(eta)
        return -slope * (eta + r) - r * (1.0 + slope)

    def density(self, eta: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi))

    def bend(self, eta: FloatArray) -> FloatArray:
        return -eta


class Cauchit(Link):
    """The Cauchy distribution."""

    name, concave, far = "cauchit", False, 1e4

    def log_cdf(self, eta: FloatArray) -> FloatArray:
        # F = atan2(1, -eta)/pi keeps its digits in the lower tail, 1 - F = atan2(1, eta)/pi in the upper.
        lower, upper = np.arctan2(1.0, -eta) / np.pi, np.arctan2(1.0, eta) / np.pi
        return np.asarray(np.where(eta <= 0, np.log(lower), np.log1p(-np.where(eta <= 0, 0.0, upper))))

    def derivatives(self, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        f = self.density(eta)
        cdf = np.arctan2(1.0, -eta) / np.pi
        ratio = f / cdf
        return ratio, -2.0 * eta * f / (1.0 + eta**2) / cdf - ratio**2

    def third(self, eta: FloatArray) -> FloatArray:
        f = self.density(eta)
        bend = f * (6.0 * eta**2 - 2.0) / (1.0 + eta**2) ** 2  # f''
        cdf, slope = np.arctan2(1.0, -eta) / np.pi, -2.0 * eta * f / (1.0 + eta**2)
        return np.asarray(bend / cdf - 3.0 * slope * f / cdf**2 + 2.0 * (f / cdf) ** 3)

    def density(self, eta: FloatArray) -> FloatArray:
        return np.asarray(1.0 / (np.pi * (1.0 + eta**2)))

    def bend(self, eta: FloatArray) -> FloatArray:
        return np.asarray(-2.0 * eta / (1.0 + eta**2))


_LINKS: dict[str, Link] = {of.name: of() for of in (Logit, Probit, Cauchit)}


def link(name: str) -> Link:
    """The link of this name."""
    if name not in _LINKS:
        raise InputError(
            f"link {name!r}; expected one of {', '.join(_LINKS)}: only symmetric links give a contest the same"
            " probability whichever player is named first"
        )
    return _LINKS[name]


def concave_link(name: str) -> Link:
    """The link of a model with random effects."""
    chosen = link(name)
    if not chosen.concave:
        raise InputError(f"link {name!r} with random effects; expected logit or probit")
    return chosen


@dataclass(frozen=True, eq=False)
class ContestPoint:
    """The log-likelihood at one place, as `maximise` asks for it.  theta float[p]."""

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
        return weighted_sum(self.contests.wins, log_cdf(self.eta)) + weighted_sum(
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
    def row_weights(self) -> FloatArray:
        """float[n]: expected information of each row about its predictor."""
        return self.contests.totals * self.link.expected_weight(self.eta)

    @property
    def expected(self) -> FloatArray:
        """float[p, p]: Fisher's information."""
        return self.contests.design.gram(self.row_weights)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """H^-1 q and q' H^-1 q, H the observed information, or where that is indefinite the expected one.
        Returns float[p], float."""
        try:
            factor = cholesky_of(self.observed)
        except np.linalg.LinAlgError:
            if self.link.concave:
                raise
            factor = cholesky_of(self.expected)
        return step_of_factor(factor, self.score)


def weighted_sum(counts: FloatArray, logs: FloatArray) -> float:
    """Sum of counts times logarithms, where 0 times -inf is 0."""
    return float(counts @ np.where(counts > 0, logs, 0.0))
