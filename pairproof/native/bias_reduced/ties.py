"""Davidson's model with a design per contest: maximum likelihood, and bias reduced.

    P(win) : P(tie) : P(loss) = exp(eta / 2) : exp(g) : exp(-eta / 2),    eta = x'b + offset,  g = z'c

(Davidson 1970, JASA 65, 317-328; exp(g) = nu).  Given the number of contests this is a multinomial logit,
which is canonical, so that mean bias reduction is the maximum of the likelihood penalised by Jeffreys' prior
(Firth 1993, section 3.1).  Its gradient is that of log det I / 2: with the statistics d_o = (a_o x, b_o z) of
outcome o minus their mean, sum over contests and outcomes of n p_o (d_o'I^-1 d_o) d_o / 2.  The Poisson form,
with a constant for every pair, has another penalty and other estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..structured.design import Design
from .fit import covariance_of
from .scoring import root

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TiedContests:
    """Outcomes of contests that may be tied, and their design.

    design: of n rows and p parameters b.  tie_columns float[n, q]: columns z of the tie parameter; a column
    of 1 for Davidson's model.  tie_names: of these q columns.  wins, ties, losses float[n]: of the first
    player, >= 0.
    """

    design: Design
    tie_columns: FloatArray
    tie_names: tuple[str, ...]
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    def __post_init__(self) -> None:
        n = self.design.n_rows
        if self.tie_columns.shape != (n, len(self.tie_names)):
            raise InputError(
                f"tie_columns: shape {self.tie_columns.shape}; expected {(n, len(self.tie_names))}"
            )
        for what in ("wins", "ties", "losses"):
            values = np.asarray(getattr(self, what), dtype=float)
            if values.shape != (n,) or not (np.isfinite(values) & (values >= 0)).all():
                raise InputError(f"{what}: expected {n} finite numbers >= 0, found {values.tolist()[:5]}")
            object.__setattr__(self, what, values)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p + q parameters."""
        return self.design.names + self.tie_names


@dataclass(frozen=True, eq=False)
class TiedPoint:
    """The log-likelihood of contests with ties at one place.

    theta float[p + q].
    """

    contests: TiedContests
    theta: FloatArray

    @cached_property
    def log_probabilities(self) -> FloatArray:
        """float[n, 3]: of win, tie, loss."""
        p = len(self.contests.design.names)
        eta = self.contests.design.predictor(self.theta[:p])
        utility = np.column_stack([eta / 2.0, self.contests.tie_columns @ self.theta[p:], -eta / 2.0])
        top = utility.max(axis=1, keepdims=True)
        return np.asarray(utility - top - np.log(np.exp(utility - top).sum(axis=1, keepdims=True)))

    @property
    def counts(self) -> FloatArray:
        """float[n, 3]: wins, ties, losses."""
        return np.column_stack([self.contests.wins, self.contests.ties, self.contests.losses])

    @property
    def value(self) -> float:
        """The log-likelihood, without multinomial coefficients."""
        return float((self.counts * self.log_probabilities).sum())

    @cached_property
    def deviations(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """p_o, a_o and b_o, each float[n, 3]: probabilities, statistics minus their means."""
        p = np.exp(self.log_probabilities)
        a = np.array([0.5, 0.0, -0.5]) - 0.5 * (p[:, :1] - p[:, 2:])
        b = np.array([0.0, 1.0, 0.0]) - p[:, 1:2]
        return p, a, b

    def _onto(self, along: FloatArray, tied: FloatArray) -> FloatArray:
        """sum_r (along_r x_r, tied_r z_r), float[p + q]."""
        return np.append(self.contests.design.transposed(along), tied @ self.contests.tie_columns)

    @property
    def score(self) -> FloatArray:
        """float[p + q]."""
        _, a, b = self.deviations
        return self._onto((self.counts * a).sum(axis=1), (self.counts * b).sum(axis=1))

    @property
    def information(self) -> FloatArray:
        """float[p + q, p + q]: observed and expected are the same."""
        p, a, b = self.deviations
        n, z, design = self.counts.sum(axis=1), self.contests.tie_columns, self.contests.design
        k = len(design.names)
        found = np.empty((k + z.shape[1],) * 2)
        found[:k, :k] = design.gram(n * (p * a * a).sum(axis=1))
        found[k:, k:] = z.T @ ((n * (p * b * b).sum(axis=1))[:, None] * z)
        for j in range(z.shape[1]):
            found[:k, k + j] = design.transposed(n * (p * a * b).sum(axis=1) * z[:, j])
        found[k:, :k] = found[:k, k:].T
        return found

    def jeffreys(self, covariance: FloatArray) -> FloatArray:
        """Gradient of log det I / 2, float[p + q], given the inverse of I, float[p + q, p + q]."""
        p, a, b = self.deviations
        n, z, design = self.counts.sum(axis=1), self.contests.tie_columns, self.contests.design
        k = len(design.names)
        xx = design.variances(covariance[:k, :k])[:, None]
        xz = (design.projected(covariance[:k, k:], slice(None)) * z).sum(axis=1)[:, None]
        zz = np.einsum("ij,ij->i", z @ covariance[k:, k:], z)[:, None]
        pull = 0.5 * n[:, None] * p * (a * a * xx + 2.0 * a * b * xz + b * b * zz)
        return self._onto((pull * a).sum(axis=1), (pull * b).sum(axis=1))


@dataclass(frozen=True, eq=False)
class TiedEstimate:
    """An estimate of Davidson's model with a design per contest.

    names: of the p parameters of the design and the q of ties.  theta float[p + q].  covariance float[p + q,
    p + q]: inverse of the information of the plain likelihood at theta.  llf: plain log-likelihood, without
    multinomial coefficients.  penalised: llf + log det I / 2.  decrement: squared length, in standard errors,
    of the last step.
    """

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    llf: float
    penalised: float
    steps: int
    decrement: float

    @property
    def standard_errors(self) -> FloatArray:
        """float[p + q]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def fit_tied(contests: TiedContests, reduced: bool = True) -> TiedEstimate:
    """The estimate of Davidson's model with a design per contest.

    reduced: whether bias is reduced (mean = Jeffreys); the estimate is then finite also where contests are
    separated or never tied.
    """

    def step_at(theta: FloatArray) -> tuple[FloatArray, float]:
        here = TiedPoint(contests, theta)
        covariance = _covariance(here)
        score = here.score + (here.jeffreys(covariance) if reduced else 0.0)
        step = covariance @ score
        return np.asarray(step), float(step @ score)

    def predictor(theta: FloatArray) -> FloatArray:
        k = len(contests.design.names)
        return np.append(contests.design.predictor(theta[:k]), contests.tie_columns @ theta[k:])

    found = root(step_at, np.zeros(len(contests.names)), predictor)
    here = TiedPoint(contests, found.theta)
    return TiedEstimate(
        contests.names,
        found.theta,
        _covariance(here),
        here.value,
        here.value + 0.5 * float(np.linalg.slogdet(here.information)[1]),
        found.steps,
        found.decrement,
    )


def _covariance(here: TiedPoint) -> FloatArray:
    try:
        return covariance_of(here.information)
    except np.linalg.LinAlgError:
        raise InputError(
            f"{', '.join(here.contests.names)}: some of them cannot be told apart in these contests, or are"
            " infinite; reduce the bias, or leave some out"
        ) from None
