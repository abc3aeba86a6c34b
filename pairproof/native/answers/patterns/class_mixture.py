"""Latent classes of persons: the log-likelihood of the mixture, and its fit from many starts.

A person belongs to class k with probability pi_k, and answers by that class's parameters:

    log L = sum_i w_i log sum_k pi_k P(y_i | phi_k).

Parameters that differ between classes are *random* (mass points of a distribution left free: nonparametric
maximum likelihood, Laird 1978; Aitkin 1999, Biometrics 55, 117-128), the others common.  The mixture is over
persons, not over the cells of a table as in prefmod's pattnpml.fit.  With h_ik the derivative of log(pi_k
P_k) and t_ik the posterior probabilities, the observed information is (Louis 1982, Journal of the Royal
Statistical Society B 44, 226-233)

    I = sum_i w_i (sum_k t_ik I_ik - Cov_t(h_i)),

I_ik that of a person whose class is known.  Shares enter as log(pi_k / pi_K).

The likelihood has local maxima.  Each start draws posterior probabilities at random, takes EM steps until
they gain little, and ends with Newton's method on the observed information.  The best is kept, and the
others are reported. A class whose parameters run to infinity has *collapsed*: its likelihood is a supremum,
and there is no standard error.  Standard errors are the inverse of the mixture's observed information, not
those of a last weighted fit, which take the classes as known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ....errors import ConvergenceError
from ....fit.estimates.likelihood import Limit
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.maxima import cholesky_of, maximise, raised_cholesky


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
    """The likelihood of one class: :class:`pairproof.native.answers.patterns.answer_likelihood.Likelihood` is one."""

    @property
    def n_params(self) -> int:
        """p."""

    def at(self, phi: FloatArray) -> MembersPoint:
        """The answers at phi, float[p]."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of K classes.
    likelihood: of one class, with p parameters, for n answers.  weights float[n]: number of persons with each
    answer.  random bool[p]: which parameters differ between classes."""

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

    def slots(self, k: int) -> IntArray:
        """int[p]: where each parameter of class k stands in psi."""
        common, r = int((~self.random).sum()), int(self.random.sum())
        found = np.zeros(len(self.random), dtype=np.int64)
        found[~self.random] = np.arange(common)
        found[self.random] = common + k * r + np.arange(r)
        return found

    #: There are other maxima, beside those that name the classes otherwise.
    concave = False

    def at(self, psi: FloatArray) -> MixturePoint:
        """The mixture at psi, float[n_params]."""
        return MixturePoint(self, psi)

    def start(self) -> FloatArray:
        """float[n_params]: classes of one size that differ a little, as equal ones would stay equal."""
        apart = np.linspace(-0.5, 0.5, self.n_classes)[:, None] * self.random
        return self.psi(apart, np.full(self.n_classes, 1.0 / self.n_classes))

    def weighted(self, weights: FloatArray) -> Mixture:
        """The same mixture for so many persons, float[n]."""
        return replace(self, weights=weights)

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Itself: no linear programme tells which classes collapse; the search from many starts does."""
        return Limit(self)


@dataclass(eq=False)
class MixturePoint:
    """A mixture at one value of its parameters.
    psi float[n_params].  points: of the classes.  shares float[K].  values float[n]: log-probability of each
    answer.  posterior float[n, K]: probabilities of the classes given the answer."""

    mixture: Mixture
    psi: FloatArray

    def __post_init__(self) -> None:
        points = tuple(self.mixture.likelihood.at(phi) for phi in self.mixture.phi(self.psi))
        log_shares = self.mixture.log_shares(self.psi)
        log_p = np.stack([p.log_probabilities for p in points], axis=1) + log_shares
        top = log_p.max(axis=1, keepdims=True)
        rows = top[:, 0] + np.log(np.exp(log_p - top).sum(axis=1))
        self.points = points
        self.shares = np.exp(log_shares)
        self.values: FloatArray = rows
        self.posterior = np.exp(log_p - rows[:, None])

    @property
    def theta(self) -> FloatArray:
        return self.psi

    @cached_property
    def llf(self) -> float:
        return float(self.mixture.weights @ self.values)

    @property
    def value(self) -> float:
        """The weighted log-likelihood."""
        return self.llf

    @property
    def score(self) -> FloatArray:
        return self.mixture.weights @ self.scores

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
            found = np.zeros((len(self.values), len(self.psi)))
            found[:, self.mixture.slots(k)] = point.scores
            found[:, ratios] = (np.arange(n_classes) == k).astype(float)[:-1] - shares[:-1]
            out.append(found)
        return tuple(out)

    @cached_property
    def scores(self) -> FloatArray:
        """float[n, n_params]: derivative of each answer's log-probability."""
        found = np.zeros((len(self.values), len(self.psi)))
        for k, own in enumerate(self._of_class):
            found += self.posterior[:, [k]] * own
        return found

    def complete_information(self, w: FloatArray) -> FloatArray:
        """float[n_params, n_params]: expected information of answers whose classes are known, of these weights."""
        found = np.zeros((len(self.psi),) * 2)
        for k, point in enumerate(self.points):
            slots = self.mixture.slots(k)
            found[np.ix_(slots, slots)] += point.information(w * self.posterior[:, k])
        shares = self.shares[:-1]
        ratios = slice(len(self.psi) - len(shares), None)
        found[ratios, ratios] += w.sum() * (np.diag(shares) - np.outer(shares, shares))
        return found

    @property
    def information(self) -> FloatArray:
        """float[n_params, n_params]: the observed information."""
        return self.information_of(self.mixture.weights)

    def information_of(self, weights: FloatArray) -> FloatArray:
        """float[n_params, n_params]: the same with other weights of the answers."""
        found = self.complete_information(weights)
        mean = self.scores
        for k, own in enumerate(self._of_class):
            off = own - mean
            found -= (off.T * (weights * self.posterior[:, k])) @ off
        return found

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """A step along the observed information, raised where it is indefinite, and its squared length."""
        return self._step(self.information)

    def em_step(self) -> FloatArray:
        """The step of the EM algorithm, one Newton step in its M-step."""
        return self._step(self.complete_information(self.mixture.weights))[0]

    def _step(self, information: FloatArray) -> tuple[FloatArray, float]:
        factor = raised_cholesky(information)
        half = np.linalg.solve(factor, self.score)
        return np.linalg.solve(factor.T, half), float(half @ half)


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
    p]: parameters of each class; those that are common stand in every row.  share_errors float[K]: standard
    errors; nan where a class has collapsed.  standard_errors float[K, p]: the same of phi.  llf:
    log-likelihood; a supremum where a class has collapsed.  posterior float[n, K]: probabilities of the
    classes for each answer.  psi float[n_params]: the parameters as the mixture has them, classes in this
    order.  covariance float[n_params, n_params]: of psi, from the observed information; nan where a class has
    collapsed.  steps, decrement: Newton steps of the best start, and the squared length of the last in
    standard errors.  collapsed: class and parameter that is infinite.  starts float[n_starts]: log-likelihood
    that each start reached, best first."""

    names: tuple[str, ...]
    shares: FloatArray
    phi: FloatArray
    share_errors: FloatArray
    standard_errors: FloatArray
    llf: float
    posterior: FloatArray
    mixture: Mixture
    psi: FloatArray
    covariance: FloatArray
    steps: int
    decrement: float
    collapsed: tuple[tuple[int, str], ...]
    starts: FloatArray

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
    random: BoolArray,
    starts: int,
    seed: int,
    single: FloatArray,
) -> LatentClasses:
    """Fit K latent classes.
    likelihood: of one class, with p parameters, for n answers.  weights float[n]: number of persons with each
    answer.  n_classes: K, 1 or more.  random bool[p]: which parameters differ between classes.  single
    float[p]: estimate of one class, around which the starts are drawn."""
    mixture = Mixture(likelihood, weights, n_classes, random)
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
            information = here.information
            half = np.linalg.solve(cholesky_of(information), np.eye(len(psi)))
            covariance = half.T @ half
            gradient = here.score
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
        of_shares,
        np.stack([own[mixture.slots(k)] for k in range(mixture.n_classes)]),
        here.value,
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
    shares float[K].  Returns float[K, K - 1]."""
    return np.asarray((np.diag(shares) - np.outer(shares, shares))[:, :-1])
