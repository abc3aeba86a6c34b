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

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....errors import InputError
from ....numerics.arrays import FloatArray
from ....numerics.maxima import cholesky_of
from .contest_design import Contests


@dataclass(frozen=True)
class Link:
    """A symmetric link, with the derivatives that likelihood and bias reduction need.
    log_cdf: log F(eta) of float[n], exact in both tails.  derivatives: first and second derivative of log F
    at eta, each float[n].  third: third derivative of log F at eta, float[n].  density: f = F', and f', each
    float[n].  bend: f'/f at eta, float[n]; also where f itself underflows.  quantile: eta with F(eta) = p,
    for p of float[n] in (0, 1).  concave: whether log F is concave, so that a maximum of the likelihood is
    the only one.  far: a predictor beyond this in absolute value makes the solver ask whether the estimate
    exists."""

    name: str
    log_cdf: Callable[[FloatArray], FloatArray]
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    third: Callable[[FloatArray], FloatArray]
    density: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    bend: Callable[[FloatArray], FloatArray]
    quantile: Callable[[FloatArray], FloatArray]
    concave: bool
    far: float

    def probability(self, eta: FloatArray) -> FloatArray:
        """F(eta), float[n] in [0, 1]."""
        return np.asarray(np.exp(self.log_cdf(eta)))

    def expected_weight(self, eta: FloatArray) -> FloatArray:
        """f^2 / (F (1 - F)), float[n]: expected information of one contest about eta."""
        return np.asarray(self.derivatives(eta)[0] * self.derivatives(-eta)[0])


def link(name: str) -> Link:
    """The link of this name."""
    if name not in _LINKS:
        raise InputError(
            f"link {name!r}; expected one of {', '.join(_LINKS)}: only symmetric links give a contest the same"
            " probability whichever player is named first"
        )
    return _LINKS[name]


def _logit_log_cdf(eta: FloatArray) -> FloatArray:
    return np.asarray(np.minimum(eta, 0.0) - np.log1p(np.exp(-np.abs(eta))))


def _logit_both(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F and 1 - F, both with all their digits, from one exponential."""
    small = np.exp(-np.abs(eta))
    near, far = 1.0 / (1.0 + small), small / (1.0 + small)
    up = eta >= 0
    return np.where(up, near, far), np.where(up, far, near)


def _logit_derivatives(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    p, q = _logit_both(eta)
    return q, -p * q


def _logit_third(eta: FloatArray) -> FloatArray:
    p, q = _logit_both(eta)
    return np.asarray(p * q * (p - q))


def _logit_density(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    p, q = _logit_both(eta)
    return p * q, p * q * (q - p)


def _logit_bend(eta: FloatArray) -> FloatArray:
    return np.asarray(-np.tanh(eta / 2.0))


def _logit_quantile(p: FloatArray) -> FloatArray:
    return np.asarray(np.log(p) - np.log1p(-p))


def _probit_log_cdf(eta: FloatArray) -> FloatArray:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(eta))


def _normal_density(eta: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi))


def _probit_derivatives(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    # f/F of the lower tail, sqrt(2/pi) / erfcx(-eta/sqrt(2)), neither overflows nor cancels there.
    from scipy.special import erfcx, ndtr

    lower, upper = np.minimum(eta, 0.0), np.maximum(eta, 0.0)
    below = np.sqrt(2.0 / np.pi) / erfcx(-lower / np.sqrt(2.0))
    ratio = np.where(eta <= 0, below, _normal_density(upper) / ndtr(upper))
    return ratio, -ratio * (eta + ratio)


def _probit_third(eta: FloatArray) -> FloatArray:
    r, slope = _probit_derivatives(eta)
    return -slope * (eta + r) - r * (1.0 + slope)


def _probit_density(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    f = _normal_density(eta)
    return f, -eta * f


def _probit_bend(eta: FloatArray) -> FloatArray:
    return -eta


def _probit_quantile(p: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def _cauchit_log_cdf(eta: FloatArray) -> FloatArray:
    # F = atan2(1, -eta)/pi keeps its digits in the lower tail, 1 - F = atan2(1, eta)/pi in the upper.
    lower, upper = np.arctan2(1.0, -eta) / np.pi, np.arctan2(1.0, eta) / np.pi
    return np.asarray(np.where(eta <= 0, np.log(lower), np.log1p(-np.where(eta <= 0, 0.0, upper))))


def _cauchit_density(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    f = 1.0 / (np.pi * (1.0 + eta**2))
    return f, -2.0 * eta * f / (1.0 + eta**2)


def _cauchit_derivatives(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    f, slope = _cauchit_density(eta)
    cdf = np.arctan2(1.0, -eta) / np.pi
    ratio = f / cdf
    return ratio, slope / cdf - ratio**2


def _cauchit_third(eta: FloatArray) -> FloatArray:
    f, slope = _cauchit_density(eta)
    bend = f * (6.0 * eta**2 - 2.0) / (1.0 + eta**2) ** 2  # f''
    cdf = np.arctan2(1.0, -eta) / np.pi
    return np.asarray(bend / cdf - 3.0 * slope * f / cdf**2 + 2.0 * (f / cdf) ** 3)


def _cauchit_bend(eta: FloatArray) -> FloatArray:
    return np.asarray(-2.0 * eta / (1.0 + eta**2))


def _cauchit_quantile(p: FloatArray) -> FloatArray:
    return np.asarray(np.tan(np.pi * (p - 0.5)))


#: Where a win has all but one in 1e9 of the probability (logit 20, probit 6); for cauchit, one in 3e4.
_LINKS = {
    "logit": Link(
        "logit",
        _logit_log_cdf,
        _logit_derivatives,
        _logit_third,
        _logit_density,
        _logit_bend,
        _logit_quantile,
        True,
        20.0,
    ),
    "probit": Link(
        "probit",
        _probit_log_cdf,
        _probit_derivatives,
        _probit_third,
        _probit_density,
        _probit_bend,
        _probit_quantile,
        True,
        6.0,
    ),
    "cauchit": Link(
        "cauchit",
        _cauchit_log_cdf,
        _cauchit_derivatives,
        _cauchit_third,
        _cauchit_density,
        _cauchit_bend,
        _cauchit_quantile,
        False,
        1e4,
    ),
}


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
