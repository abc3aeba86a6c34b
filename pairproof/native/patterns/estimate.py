"""Maximum likelihood of persons' whole answers.

Newton's method with the exact information.  An incomplete answer makes the log-likelihood less concave; where
the information is not positive definite, a multiple of the identity is added until it is (Levenberg 1944,
Marquardt 1963), and step halving keeps the likelihood from falling.  The covariance is the inverse of the
observed information at the maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, InputError, NotEstimableError
from ..numerics.information import cholesky_of, flat_names, raised_cholesky
from ..numerics.newton import Solution, maximise
from .existence import examine
from .likelihood import Likelihood, LikelihoodPoint

FloatArray = NDArray[np.float64]

#: A natural parameter beyond this has its existence examined; if it exists, the solver goes on to FARTHEST.
FAR, FARTHEST = 12.0, 300.0


#: Steps in a row that converge linearly, after which infinite parameters are looked for although the
#: solver's rule was met: quadratic convergence has hardly any, a separated problem has one after the other.
LINEAR = 5


@dataclass(frozen=True, eq=False)
class Estimate:
    """A maximum-likelihood estimate of a model of whole answers.

    names: of the p parameters.  phi float[p].  covariance float[p, p]: inverse of the observed information.
    llf: sum of weights times log-probabilities of the answers; no constants.  weight: sum of the weights: the
    number of persons.  steps: Newton steps taken.  decrement: squared length, in standard errors, of the last
    step.  gradient float[p]: at the estimate: its size tells how flat the maximum is reached.
    """

    names: tuple[str, ...]
    phi: FloatArray
    covariance: FloatArray
    llf: float
    weight: float
    steps: int
    decrement: float
    gradient: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """float[p]: square roots of the variances."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 llf + 2 p."""
        return -2.0 * self.llf + 2.0 * len(self.phi)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 llf + p log n, with n the number of persons."""
        return -2.0 * self.llf + len(self.phi) * float(np.log(self.weight))


@dataclass(frozen=True, eq=False)
class Prior:
    """A normal prior of the parameters, N(mean, precision^-1).

    mean float[p].  precision float[p, p]: 0 for a parameter without a prior.
    """

    mean: FloatArray
    precision: FloatArray

    def value(self, phi: FloatArray) -> float:
        """Its log-density at phi, float[p], but for a constant."""
        off = phi - self.mean
        return -0.5 * float(off @ self.precision @ off)


class Weighted:
    """The weighted log-likelihood, and the prior, at one place, as the solver asks for it."""

    def __init__(
        self, point: LikelihoodPoint, weights: FloatArray, concave: bool, prior: Prior | None = None
    ) -> None:
        self.point, self.weights, self.concave, self.prior = point, weights, concave, prior
        self.value = float(weights @ point.log_probabilities) + (prior.value(point.phi) if prior else 0.0)
        self.extent = point.extent if np.isfinite(self.value) else float("inf")

    @property
    def gradient(self) -> FloatArray:
        found = self.weights @ self.point.scores
        return found - self.prior.precision @ (self.point.phi - self.prior.mean) if self.prior else found

    @property
    def information(self) -> FloatArray:
        found = self.point.information(self.weights)
        return found + self.prior.precision if self.prior else found

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        gradient, information = self.gradient, self.information
        factor = cholesky_of(information) if self.concave else raised_cholesky(information)
        half = np.linalg.solve(factor, gradient)
        return np.linalg.solve(factor.T, half), float(half @ half)


def maximum_likelihood(
    likelihood: Likelihood,
    weights: FloatArray,
    names: Sequence[str],
    start: FloatArray | None = None,
    concave: bool = True,
    prior: Prior | None = None,
) -> Estimate:
    """The maximum-likelihood estimate of a model of whole answers.

    likelihood: of n answers with p parameters.  weights float[n]: number of persons with each answer, >= 0;
    fractions are allowed.  start float[p]: 0 if not given.  concave: false where answers are incomplete: the
    information may then be indefinite on the way.  prior: what is maximised is then the log-likelihood plus
    its log-density; llf is the log-likelihood there, and the covariance the inverse of the information of
    both.
    """
    _check(likelihood, weights, names)
    if prior is not None and not prior.mean.shape == prior.precision.shape[:1] == (likelihood.n_params,):
        raise InputError(
            f"a prior of {prior.mean.size} parameters for a model of {likelihood.n_params}: {', '.join(names)}"
        )
    if not likelihood.n_params:
        here = Weighted(likelihood.at(np.zeros(0)), weights, True)
        empty = np.zeros(0)
        return Estimate((), empty, np.zeros((0, 0)), here.value, float(weights.sum()), 0, 0.0, empty)

    def evaluate(phi: FloatArray) -> Weighted:
        return Weighted(likelihood.at(phi), weights, concave, prior)

    first = np.zeros(likelihood.n_params) if start is None else start
    found = maximise(evaluate, first, FAR)
    if found.trouble:
        if prior is None:
            examine(likelihood, weights, names)
        again = found.trouble == "far"
        found = maximise(evaluate, found.x, FARTHEST) if again else found
    if found.trouble:
        raise ConvergenceError(_trouble(found))
    if found.linear >= LINEAR and prior is None:
        examine(likelihood, weights, names)  # the decrement may be 0 in doubles before a parameter is far
    return _estimate(names, evaluate(found.x), found)


def _check(likelihood: Likelihood, weights: FloatArray, names: Sequence[str]) -> None:
    if len(names) != likelihood.n_params:
        raise InputError(f"{len(names)} names for {likelihood.n_params} parameters")
    if weights.shape != likelihood.group.shape:
        raise InputError(f"weights of shape {weights.shape} for {len(likelihood.group)} answers")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InputError(
            f"weight {weights[wrong[0]]} of answer {wrong[0] + 1}; expected a finite number >= 0"
        )
    if not weights.sum() > 0:
        raise InputError("all weights are 0: there is no answer to fit")


def _trouble(found: Solution[Weighted]) -> str:
    reason = {
        "far": f"a parameter went beyond {FARTHEST:g}",
        "singular": "the information is singular",
        "slow": "too many steps",
    }[found.trouble]
    return (
        f"the solver stopped after {found.steps} steps at log-likelihood {found.point.value:.6f}: {reason}."
        " Fit fewer parameters, or start from other values"
    )


def _estimate(names: Sequence[str], here: Weighted, found: Solution[Weighted]) -> Estimate:
    try:
        factor = cholesky_of(here.information)
    except np.linalg.LinAlgError:
        raise NotEstimableError(
            f"{', '.join(flat_names(here.information, names))}: the likelihood is flat along them at its maximum"
            f" ({here.value:.6f}), so that they cannot be told apart; leave some of them out"
        ) from None
    inverse = np.linalg.solve(factor, np.eye(len(factor)))
    return Estimate(
        tuple(names),
        found.x,
        np.asarray(inverse.T @ inverse),
        float(here.weights @ here.point.log_probabilities),
        float(here.weights.sum()),
        found.steps,
        found.decrement,
        np.asarray(here.gradient),
    )
