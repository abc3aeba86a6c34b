"""The log-likelihood of latent classes of persons.

A person belongs to class k with probability pi_k, and answers by that class's parameters:

    log L = sum_i w_i log sum_k pi_k P(y_i | phi_k).

Parameters that differ between classes are *random* (mass points of a distribution left free: nonparametric
maximum likelihood, Laird 1978; Aitkin 1999, Biometrics 55, 117-128), the others common.  The mixture is over
persons, not over the cells of a table as in prefmod's pattnpml.fit.  With h_ik the derivative of log(pi_k
P_k) and t_ik the posterior probabilities, the observed information is (Louis 1982, Journal of the Royal
Statistical Society B 44, 226-233)

    I = sum_i w_i (sum_k t_ik I_ik - Cov_t(h_i)),

I_ik that of a person whose class is known.  Shares enter as log(pi_k / pi_K).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...numerics.information import raised_cholesky

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class MembersPoint(Protocol):
    """Answers of one class at one value of its parameters."""

    @property
    def log_probabilities(self) -> FloatArray:
        """float[n]."""

    @property
    def scores(self) -> FloatArray:
        """float[n, p]."""

    @property
    def extent(self) -> float:
        """Largest natural parameter in absolute value."""

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p], for weights float[n]."""


class Members(Protocol):
    """The likelihood of one class: :class:`pairproof.native.patterns.likelihood.Likelihood` is one."""

    @property
    def n_params(self) -> int:
        """p."""

    def at(self, phi: FloatArray) -> MembersPoint:
        """The answers at phi, float[p]."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of K classes.

    likelihood: of one class, with p parameters, for n answers.  weights float[n]: number of persons with each
    answer.  random bool[p]: which parameters differ between classes.
    """

    likelihood: Members
    weights: FloatArray
    n_classes: int
    random: BoolArray

    @property
    def n_params(self) -> int:
        """Common parameters, random ones of each class, K - 1 log-ratios."""
        r = int(self.random.sum())
        return len(self.random) - r + self.n_classes * r + self.n_classes - 1

    def phi(self, psi: FloatArray) -> FloatArray:
        """float[K, p]: parameters of each class, from psi float[n_params]."""
        common, r = int((~self.random).sum()), int(self.random.sum())
        found = np.zeros((self.n_classes, len(self.random)))
        found[:, ~self.random] = psi[:common]
        found[:, self.random] = psi[common : common + self.n_classes * r].reshape(self.n_classes, r)
        return found

    def log_shares(self, psi: FloatArray) -> FloatArray:
        """float[K]: log pi, from psi float[n_params]."""
        ratios = np.append(psi[len(psi) - self.n_classes + 1 :], 0.0)
        top = ratios.max()
        return np.asarray(ratios - top - np.log(np.exp(ratios - top).sum()))

    def psi(self, phi: FloatArray, shares: FloatArray) -> FloatArray:
        """float[n_params], from phi float[K, p] (its first row for the common ones) and shares float[K]."""
        ratios = np.log(shares[:-1] / shares[-1])
        return np.concatenate([phi[0, ~self.random], phi[:, self.random].ravel(), ratios])

    def slots(self, k: int) -> NDArray[np.int64]:
        """int[p]: where each parameter of class k stands in psi."""
        common, r = int((~self.random).sum()), int(self.random.sum())
        found = np.zeros(len(self.random), dtype=np.int64)
        found[~self.random] = np.arange(common)
        found[self.random] = common + k * r + np.arange(r)
        return found

    def at(self, psi: FloatArray) -> MixturePoint:
        """The mixture at psi, float[n_params]."""
        return MixturePoint(self, psi)


@dataclass(frozen=True, eq=False)
class MixturePoint:
    """A mixture at one value of its parameters.

    psi float[n_params].  points: of the classes.  shares float[K].  rows float[n]: log-probability of each
    answer.  posterior float[n, K]: probabilities of the classes given the answer.
    """

    mixture: Mixture
    psi: FloatArray
    points: tuple[MembersPoint, ...] = field(init=False)
    shares: FloatArray = field(init=False)
    rows: FloatArray = field(init=False)
    posterior: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        points = tuple(self.mixture.likelihood.at(phi) for phi in self.mixture.phi(self.psi))
        log_shares = self.mixture.log_shares(self.psi)
        log_p = np.stack([p.log_probabilities for p in points], axis=1) + log_shares
        top = log_p.max(axis=1, keepdims=True)
        rows = top[:, 0] + np.log(np.exp(log_p - top).sum(axis=1))
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "shares", np.exp(log_shares))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "posterior", np.exp(log_p - rows[:, None]))

    @property
    def log_probabilities(self) -> FloatArray:
        """float[n]: the same as `rows`."""
        return self.rows

    @property
    def value(self) -> float:
        """The weighted log-likelihood."""
        return float(self.mixture.weights @ self.rows)

    @property
    def extent(self) -> float:
        """Largest natural parameter of any class, inf where the value is not finite."""
        if not np.isfinite(self.value):
            return float("inf")
        return max(p.extent for p in self.points)

    @cached_property
    def _of_class(self) -> tuple[FloatArray, ...]:
        """K of float[n, n_params]: h_ik."""
        shares = self.shares
        n_classes = self.mixture.n_classes
        ratios = slice(len(self.psi) - n_classes + 1, None)
        out = []
        for k, point in enumerate(self.points):
            found = np.zeros((len(self.rows), len(self.psi)))
            found[:, self.mixture.slots(k)] = point.scores
            found[:, ratios] = (np.arange(n_classes) == k).astype(float)[:-1] - shares[:-1]
            out.append(found)
        return tuple(out)

    @cached_property
    def scores(self) -> FloatArray:
        """float[n, n_params]: derivative of each answer's log-probability."""
        found = np.zeros((len(self.rows), len(self.psi)))
        for k, own in enumerate(self._of_class):
            found += self.posterior[:, [k]] * own
        return found

    def complete_information(self, weights: FloatArray | None = None) -> FloatArray:
        """float[n_params, n_params]: expected information of answers whose classes are known."""
        w = self.mixture.weights if weights is None else weights
        found = np.zeros((len(self.psi),) * 2)
        for k, point in enumerate(self.points):
            slots = self.mixture.slots(k)
            found[np.ix_(slots, slots)] += point.information(w * self.posterior[:, k])
        shares = self.shares[:-1]
        ratios = slice(len(self.psi) - len(shares), None)
        found[ratios, ratios] += w.sum() * (np.diag(shares) - np.outer(shares, shares))
        return found

    def information(self, weights: FloatArray | None = None) -> FloatArray:
        """float[n_params, n_params]: the observed information, with other weights of the answers than the mixture's."""
        w = self.mixture.weights if weights is None else weights
        found = self.complete_information(w)
        mean = self.scores
        for k, own in enumerate(self._of_class):
            off = own - mean
            found -= (off.T * (w * self.posterior[:, k])) @ off
        return found

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """A step along the observed information, raised where it is indefinite, and its squared length."""
        return self._step(self.information())

    def em_step(self) -> FloatArray:
        """The step of the EM algorithm, one Newton step in its M-step."""
        return self._step(self.complete_information())[0]

    def _step(self, information: FloatArray) -> tuple[FloatArray, float]:
        factor = raised_cholesky(information)
        half = np.linalg.solve(factor, self.mixture.weights @ self.scores)
        return np.linalg.solve(factor.T, half), float(half @ half)
