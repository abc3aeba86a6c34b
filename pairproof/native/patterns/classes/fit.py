"""Fit latent classes of persons from many starts.

The likelihood of a mixture has local maxima.  Each start draws posterior probabilities at random, takes EM
steps until they gain little, and ends with Newton's method on the observed information, which finds the
maximum to all digits where EM would creep.  The best is kept, and the others are told.  A class whose
parameters run to infinity has *collapsed*: its likelihood is a supremum, and there is no standard error.

Standard errors are the inverse of the mixture's observed information (Louis 1982), not those of a last
weighted fit, which take the classes as known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError, InputError
from ...numerics.information import cholesky_of
from ...numerics.newton import maximise
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood
from .mixture import Members, Mixture, MixturePoint

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: Starts, unless said otherwise: the best of trdel with three classes is reached from four of five.
STARTS = 20
#: EM steps before Newton's method, and the gain in log-likelihood at which it takes over.
EM_STEPS, EM_GAIN = 100, 1e-2
#: A natural parameter beyond this is a class on its way to infinity: the estimates of the classes that exist
#: in the cases tested stay below 2.
COLLAPSED = 9.0
#: Where it is left, and its likelihood taken for the supremum.
FARTHEST = 36.0
#: Log-likelihoods closer than this are the same maximum.  Of a class that collapses along several parameters,
#: one faster than another, 2e-5 were left to gain (salad, three classes of Plackett and Luce's model).
SAME = 1e-4


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """Latent classes of persons, the largest first.

    names: of the p parameters of a class.  shares float[K]: share of the persons in each class.  phi float[K,
    p]: parameters of each class; those that are common stand in every row.  random bool[p]: which parameters
    differ between classes.  share_errors float[K]: standard errors; nan where a class has collapsed.
    standard_errors float[K, p]: the same of phi.  llf: log-likelihood; a supremum where a class has
    collapsed.  weight: number of persons.  posterior float[n, K]: probabilities of the classes for each
    answer.  psi float[n_params]: the parameters as the mixture has them, classes in this order.  covariance
    float[n_params, n_params]: of psi, from the observed information; nan where a class has collapsed.  steps,
    decrement: Newton steps of the best start, and the squared length of the last in standard errors.
    collapsed: class and parameter that is infinite.  starts float[n_starts]: log-likelihood that each start
    reached, best first.
    """

    names: tuple[str, ...]
    shares: FloatArray
    phi: FloatArray
    random: BoolArray
    share_errors: FloatArray
    standard_errors: FloatArray
    llf: float
    n_params: int
    weight: float
    posterior: FloatArray
    mixture: Mixture
    psi: FloatArray
    covariance: FloatArray
    steps: int
    decrement: float
    collapsed: tuple[tuple[int, str], ...]
    starts: FloatArray

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 llf + parameters log n, with n the number of persons."""
        return -2.0 * self.llf + self.n_params * float(np.log(self.weight))

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 llf + 2 parameters."""
        return -2.0 * self.llf + 2.0 * self.n_params

    @property
    def optima(self) -> tuple[tuple[float, int], ...]:
        """Local maxima that were found, best first, and from how many starts each."""
        found: list[tuple[float, int]] = []
        for value in self.starts:
            if found and found[-1][0] - value < SAME:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((float(value), 1))
        return tuple(found)


def fit_classes(
    likelihood: Members,
    weights: FloatArray,
    names: Sequence[str],
    n_classes: int,
    random: BoolArray | None = None,
    starts: int = STARTS,
    seed: int = 0,
    single: FloatArray | None = None,
) -> LatentClasses:
    """Fit K latent classes.

    likelihood: of one class, with p parameters, for n answers.  weights float[n]: number of persons with each
    answer.  n_classes: K, 1 or more.  random bool[p]: which parameters differ between classes; all if not
    given.  starts: number of random starts.  single float[p]: estimate of one class, around which the starts
    are drawn; fitted if not given.
    """
    p = likelihood.n_params
    varies = np.ones(p, dtype=bool) if random is None else np.asarray(random, dtype=bool)
    if n_classes < 1 or starts < 1:
        raise InputError(f"{n_classes} classes from {starts} starts; expected 1 or more of each")
    if varies.shape != (p,) or not varies.any():
        raise InputError(
            f"random has the shape {varies.shape}; say of {p} parameters which differ, at least one"
        )
    if single is None:
        if not isinstance(likelihood, Likelihood):
            raise InputError("give the estimate of one class (single) where the classes are not of patterns")
        single = maximum_likelihood(likelihood, weights, names, concave=False).phi
    mixture = Mixture(likelihood, weights, n_classes, varies)
    if n_classes == 1:
        psi = mixture.psi(single[None], np.ones(1))
        return _result(mixture, psi, names, np.array([mixture.at(psi).value]), 0)
    draws = np.random.default_rng(seed)
    reached = [_climb(mixture, _start(mixture, single, draws)) for _ in range(starts)]
    there = sorted((found for found in reached if found is not None), key=lambda found: -found[0])
    if not there:
        raise ConvergenceError(
            f"none of {starts} starts reached a maximum with {n_classes} classes; fit fewer classes"
        )
    _, psi, steps = there[0]
    return _result(mixture, psi, names, np.array([value for value, _, _ in there]), steps)


def _start(mixture: Mixture, phi: FloatArray, draws: np.random.Generator) -> FloatArray:
    """Parameters after one step from random posterior probabilities."""
    k, n = mixture.n_classes, len(mixture.weights)
    posterior = draws.dirichlet(np.full(k, 0.5), size=n)
    shares = mixture.weights @ posterior / mixture.weights.sum()
    here = mixture.likelihood.at(phi)
    found = np.tile(phi, (k, 1))
    for c in range(k):
        w = mixture.weights * posterior[:, c]
        step = np.linalg.lstsq(here.information(w), w @ here.scores, rcond=1e-8)[0]
        # A draw can separate a small class: no farther than an odds ratio of e^4.
        found[c, mixture.random] += (step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300)))[
            mixture.random
        ]
    return mixture.psi(found, np.maximum(shares, 1e-6))


def _climb(mixture: Mixture, psi: FloatArray) -> tuple[float, FloatArray, int] | None:
    """The maximum above a start: its log-likelihood, its place, and Newton's steps to it."""
    here = mixture.at(psi)
    for _ in range(EM_STEPS):
        there = _uphill(mixture, here)
        gain = there.value - here.value
        here = there
        if gain < EM_GAIN:
            break
    try:
        found = maximise(mixture.at, here.psi, COLLAPSED)
    except np.linalg.LinAlgError:
        return None
    if found.trouble == "far":
        # On its way to infinity the likelihood is flat. Several parameters may be on that way, some behind
        # the first: at FARTHEST there is nothing left to gain for the last of them either.
        found = maximise(mixture.at, found.x, FARTHEST)
    usable = found.reached or found.trouble == "far"
    return (found.point.value, found.x, found.steps) if usable and np.isfinite(found.point.value) else None


def _uphill(mixture: Mixture, here: MixturePoint) -> MixturePoint:
    """An EM step, halved until it does not lose."""
    step = here.em_step()
    for _ in range(30):
        there = mixture.at(here.psi + step)
        if np.isfinite(there.value) and there.value >= here.value:
            return there
        step = step / 2.0
    return here


def _result(
    mixture: Mixture, psi: FloatArray, names: Sequence[str], starts: FloatArray, steps: int
) -> LatentClasses:
    """Classes sorted by share, with standard errors where none has collapsed."""
    shares, phi = np.exp(mixture.log_shares(psi)), mixture.phi(psi)
    order = np.argsort(-shares, kind="stable")
    # A class that nobody is in has share 0, and its log-ratio is none.
    shares, phi = shares[order], phi[order]
    psi = mixture.psi(phi, np.maximum(shares, np.finfo(float).tiny))
    here = mixture.at(psi)
    large = np.abs(phi) > COLLAPSED - 1.0
    covariance, decrement = np.full((len(psi),) * 2, np.nan), float("nan")
    if not large.any():
        try:
            information = here.information()
            half = np.linalg.solve(cholesky_of(information), np.eye(len(psi)))
            covariance = half.T @ half
            gradient = mixture.weights @ here.scores
            decrement = float(gradient @ covariance @ gradient)
        except np.linalg.LinAlgError:
            pass  # two classes are the same, or one is empty: no standard errors
    own = np.sqrt(np.diag(covariance))
    slope = share_slopes(shares)
    ratios = slice(len(psi) - mixture.n_classes + 1, None)
    of_shares = np.sqrt(np.maximum(np.diag(slope @ covariance[ratios, ratios] @ slope.T), 0.0))
    return LatentClasses(
        tuple(names),
        shares,
        phi,
        mixture.random,
        of_shares,
        np.stack([own[mixture.slots(k)] for k in range(mixture.n_classes)]),
        here.value,
        mixture.n_params,
        float(mixture.weights.sum()),
        here.posterior,
        mixture,
        psi,
        covariance,
        steps,
        decrement,
        tuple((int(k) + 1, names[j]) for k, j in np.argwhere(large)),
        starts,
    )


def share_slopes(shares: FloatArray) -> FloatArray:
    """float[K, K - 1]: derivatives of the shares by the log-ratios log(pi_k / pi_K).

    shares float[K].  Returns float[K, K - 1].
    """
    return np.asarray((np.diag(shares) - np.outer(shares, shares))[:, :-1])
