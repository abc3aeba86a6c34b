"""The likelihood of persons' whole answers, its maximum, whether it exists, and the deviance on equal answers.

An answer y of a person in covariate group s has probability

    P(y | s) = exp(t(y)' beta_s) / Z(beta_s),   beta_s = M_s phi,   Z(beta) = sum of exp(t' beta) over all

(Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)).  An incomplete answer is the set C of
the patterns that agree with what was observed.  Its score is M_s' (E[t | C] - E[t]), its information M_s'
(Cov[t] - Cov[t | C]) M_s; a *space* of patterns gives these moments at any beta, by enumeration or a
recursion.

Maximum: Newton's method with the exact information, a multiple of the identity added where that is not
positive definite (Levenberg 1944, Marquardt 1963), and step halving.  Existence: a direction v is a
*direction of recession* if the log-likelihood never falls along it (Geyer 2009, Electronic Journal of
Statistics 3, 259-289): d'v >= 0 for the *demands* d of every observed answer.  Where some d'v > 0 the
parameters along v are infinite.  A generic direction is found by one linear programme,

    maximise sum_k s_k    subject to    0 <= s_k <= 1,    d_k' v >= s_k.

Where every score is orthogonal to v, wherever the parameters are, they cannot be distinguished.

Deviance: equal answers in one covariate group are one row; 2 (sum n log(n / n_block) - log-likelihood),
n_block the persons of a group whose answers have the same possible patterns; df = sum over the blocks of
(possible patterns - 1) minus the number of parameters (McCullagh and Nelder 1989, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from ....errors import ConvergenceError, InputError, NotEstimableError, TooLargeError
from ....fit.estimates.likelihood import Limit, within
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.infinity import AtInfinity, generic_direction
from ....numerics.maxima import (
    Estimated,
    Solution,
    cholesky_of,
    complement,
    flat_names,
    maximise,
    moved_names,
    raised_cholesky,
)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sum, mean and covariance of the statistics over a set of patterns.
    log_total: logarithm of the sum of exp(t' beta).  mean float[q].  covariance float[q, q]."""

    log_total: float
    mean: FloatArray
    covariance: FloatArray


def weighted_moments(logs: FloatArray, table: FloatArray) -> Moments:
    """The moments over patterns that are written out.
    logs float[N]: logarithms of the patterns' weights.  table float[N, q]: their statistics."""
    top = float(logs.max())
    p = np.exp(logs - top)
    total = float(p.sum())
    p /= total
    mean = p @ table
    off = table - mean
    return Moments(top + float(np.log(total)), mean, (off.T * p) @ off)


class SpacePoint(Protocol):
    """All patterns, and the answers observed, at one value of the natural parameters."""

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]: log-probability of these answers."""

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]: E[t | C] - E[t] of these answers."""

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: sum of the weights times Cov[t] - Cov[t | C]."""


S = TypeVar("S")


@dataclass(eq=False)
class PartedPoint(Generic[S]):
    """A space at beta float[q], by the moments over all patterns and over those that agree with each answer."""

    space: S
    beta: FloatArray

    def __post_init__(self) -> None:
        self.whole = self._over_all()
        self._parts: dict[int, Moments] = {}

    def _over_all(self) -> Moments:
        raise NotImplementedError

    def _agreeing(self, row: int) -> Moments:
        """Moments over the patterns that agree with an answer."""
        raise NotImplementedError

    def _known(self, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        """bool[n], float[k, q]: which answers are one pattern each, and the statistics of these."""
        return np.zeros(len(rows), bool), np.zeros((0, len(self.beta)))

    def _part(self, row: int) -> Moments:
        if row not in self._parts:
            self._parts[row] = self._agreeing(row)
        return self._parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        known, table = self._known(rows)
        found = np.zeros(len(rows))
        found[known] = table @ self.beta
        for k in np.flatnonzero(~known):
            found[k] = self._part(int(rows[k])).log_total
        return np.asarray(found - self.whole.log_total)

    def scores(self, rows: IntArray) -> FloatArray:
        known, table = self._known(rows)
        found = np.zeros((len(rows), len(self.beta)))
        found[known] = table
        for k in np.flatnonzero(~known):
            found[k] = self._part(int(rows[k])).mean
        return np.asarray(found - self.whole.mean)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        found = float(weights.sum()) * self.whole.covariance
        for k in np.flatnonzero(~self._known(rows)[0]):
            found = found - weights[k] * self._part(int(rows[k])).covariance
        return np.asarray(found)


@runtime_checkable
class Contracting(Protocol):
    """A point that gives the information of the free parameters itself, where that is much less work."""

    def contracted_information(self, rows: IntArray, weights: FloatArray, matrix: FloatArray) -> FloatArray:
        """float[p, p]: M' information M for M float[q, p]."""


@runtime_checkable
class Batched(Protocol):
    """A space that computes its points at many parameters together, where that is much less work."""

    def at_each(self, betas: FloatArray) -> Sequence[SpacePoint]:
        """The moments at each row of betas, float[G, q]."""


class Space(Protocol):
    """A set of patterns with their statistics, and the answers observed in it."""

    @property
    def n_statistics(self) -> int:
        """Length q of t and beta."""

    def at(self, beta: FloatArray) -> SpacePoint:
        """The moments at beta, float[q]."""

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: what a direction v of beta may not make negative if the likelihood of these answers is
        never to fall along it; where it makes one positive, the probability of some pattern tends to 0."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log-likelihood of answers as a function of the free parameters phi.
    space: holds the n answers.  group int[n]: covariate group of each answer, 0 to n_groups - 1."""

    space: Space
    group: IntArray
    maps: Sequence[FloatArray]

    @property
    def n_params(self) -> int:
        """Number p of free parameters."""
        return int(self.maps[0].shape[1])

    @cached_property
    def rows(self) -> list[IntArray]:
        """Numbers of the answers of each group."""
        return [np.flatnonzero(self.group == s) for s in range(len(self.maps))]

    def at(self, phi: FloatArray) -> LikelihoodPoint:
        """The answers at phi."""
        return LikelihoodPoint(self, phi)


@dataclass(eq=False)
class LikelihoodPoint:
    """Log-probabilities, scores and information of the answers at one value of phi.
    phi float[p].  log_probabilities float[n]."""

    likelihood: Likelihood
    phi: FloatArray

    def __post_init__(self) -> None:
        log_p = np.zeros(len(self.likelihood.group))
        groups = self.likelihood.rows
        points: list[SpacePoint | None] = [None] * len(groups)
        filled = [s for s, rows in enumerate(groups) if len(rows)]
        for s, point in zip(filled, self._points_of(filled)):
            points[s] = point
            log_p[groups[s]] = point.log_probabilities(groups[s])
        self.log_probabilities = log_p
        self._points = points

    def _points_of(self, filled: Sequence[int]) -> Iterable[SpacePoint]:
        """The space at the parameters of these groups."""
        space, maps = self.likelihood.space, self.likelihood.maps
        if isinstance(space, Batched) and filled:
            return space.at_each(np.stack([maps[s] @ self.phi for s in filled]))
        return (space.at(maps[s] @ self.phi) for s in filled)

    @property
    def extent(self) -> float:
        """Largest natural parameter in absolute value."""
        betas = [m @ self.phi for m in self.likelihood.maps]
        return max((float(np.abs(b).max()) for b in betas if len(b)), default=0.0)

    @property
    def scores(self) -> FloatArray:
        """float[n, p]: derivative of each answer's log-probability."""
        found = np.zeros((len(self.likelihood.group), self.likelihood.n_params))
        for rows, matrix, point in zip(self.likelihood.rows, self.likelihood.maps, self._points):
            if point is not None:
                found[rows] = point.scores(rows) @ matrix
        return found

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: minus the second derivative of the weighted log-likelihood, for weights float[n]."""
        found = np.zeros((self.likelihood.n_params,) * 2)
        for rows, matrix, point in zip(self.likelihood.rows, self.likelihood.maps, self._points):
            if isinstance(point, Contracting):
                found += point.contracted_information(rows, weights[rows], matrix)
            elif point is not None:
                found += matrix.T @ point.information(rows, weights[rows]) @ matrix
        return found


#: Along a direction of recession an answer's log-probability is taken so far below its limit.
OUT = 40.0
#: Demands of a linear programme; more take minutes.
MOST_DEMANDS = 200_000


def examine(likelihood: Likelihood, weights: FloatArray, names: Sequence[str]) -> None:
    """Return if the estimate exists, as far as the observed answers tell.
    likelihood: of n answers with p parameters.  weights float[n]: answers of weight 0 demand nothing."""
    direction = recession_of(demands_of(likelihood, weights))
    if direction is not None:
        raise NotEstimableError(
            f"{', '.join(moved_names(direction[:, None], names))}: the estimate is infinite: along it the answers observed grow"
            " more probable without end (separation); leave it out, or pool answers or groups"
        )
    flat = _flat(likelihood, weights)
    if flat.shape[1]:
        raise NotEstimableError(
            f"{', '.join(moved_names(flat, names))}: cannot be distinguished in these answers; leave one of them out"
        )


def recession_of(demands: FloatArray) -> FloatArray | None:
    """A generic direction along which the likelihood grows without end: it meets some of these demands strictly.
    demands float[m, p].  Returns float[p] or None: none if there is no such direction."""
    if not len(demands):
        return None
    direction, strict = generic_direction(demands)
    return direction if strict.any() else None


def demands_of(likelihood: Likelihood, weights: FloatArray) -> FloatArray:
    """float[m, p]: distinct demands of all groups, none of them 0; answers of weight 0 demand nothing."""
    found = []
    for rows, matrix in zip(likelihood.rows, likelihood.maps):
        seen = rows[weights[rows] > 0]
        if len(seen):
            found.append(likelihood.space.demands(seen) @ matrix)
    rows_of_all = np.concatenate(found)
    length = np.sqrt((rows_of_all**2).sum(axis=1))
    kept = rows_of_all[length > 1e-12] / length[length > 1e-12, None]
    # Rounded for the comparison of rows only: what differs in the 12th digit demands the same.
    _, first = np.unique(kept.round(12), axis=0, return_index=True)
    if len(first) > MOST_DEMANDS:
        raise TooLargeError(
            f"the solver did not converge; to see why takes a linear programme of {len(first):,} rows,"
            f" and the limit is {MOST_DEMANDS:,}. Fit fewer parameters"
        )
    return np.asarray(kept[np.sort(first)])


def _flat(likelihood: Likelihood, weights: FloatArray) -> FloatArray:
    """float[p, k]: directions that neither scores nor information know of at three places that were drawn.
    Both are of order 1 along a direction that moves the likelihood, and of 1e-15 along one that does not.
    Scores alone would not do: 36 races of 83 drivers have too few of them."""
    draw = np.random.default_rng(1)
    gram = np.zeros((likelihood.n_params,) * 2)
    for _ in range(3):
        here = likelihood.at(0.3 * draw.normal(size=len(gram)))
        scores = here.scores[weights > 0]
        bent, along = np.linalg.eigh(here.information(weights))
        gram += scores.T @ scores + (along * np.abs(bent)) @ along.T
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-20 * max(float(gram.max()), 1e-300)))
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    return np.asarray(vectors[:, values <= 1e-12] / scale[:, None])


#: A natural parameter beyond this has its existence examined; if it exists, the solver goes on to FARTHEST.
FAR, FARTHEST = 12.0, 300.0


#: Steps in a row that converge linearly, after which infinite parameters are looked for although the
#: solver's rule was met: quadratic convergence has hardly any, a separated problem has one after the other.
LINEAR = 5


@dataclass(frozen=True, eq=False)
class Estimate(Estimated):
    """A maximum-likelihood estimate of a model of whole answers.
    names: of the p parameters.  phi float[p].  covariance float[p, p]: inverse of the observed information.
    llf: sum of weights times log-probabilities of the answers; no constants.  decrement: squared length, in
    standard errors, of the last step.  gradient float[p]: at the estimate: its size shows how close the
    maximum is.  concave: whether the log-likelihood is."""

    names: tuple[str, ...]
    phi: FloatArray
    covariance: FloatArray
    llf: float
    steps: int
    decrement: float
    gradient: FloatArray
    concave: bool = True


@dataclass(frozen=True, eq=False)
class Prior:
    """A normal prior of the parameters, N(mean, precision^-1).
    mean float[p].  precision float[p, p]: 0 for a parameter without a prior."""

    mean: FloatArray
    precision: FloatArray

    def value(self, phi: FloatArray) -> float:
        """Its log-density at phi, float[p], but for a constant."""
        off = phi - self.mean
        return -0.5 * float(off @ self.precision @ off)


@dataclass(frozen=True, eq=False)
class AnswerLikelihood:
    """The weighted log-likelihood of answers, and the log-density of a prior: a
    :class:`pairproof.fit.estimates.likelihood.Likelihood` whose units are the distinct answers.
    weights float[n]: persons with each answer.  concave: false where answers are incomplete: the information may then
    be indefinite on the way."""

    answers: Likelihood
    weights: FloatArray
    concave: bool = True
    prior: Prior | None = None

    @property
    def n_params(self) -> int:
        """p."""
        return self.answers.n_params

    def at(self, theta: FloatArray) -> AnswerPoint:
        """The point at theta, float[p]."""
        return AnswerPoint(self, self.answers.at(theta))

    def start(self) -> FloatArray:
        """float[p]: all possible answers are as probable."""
        return np.zeros(self.n_params)

    def weighted(self, weights: FloatArray) -> AnswerLikelihood:
        """The same of so many persons, float[n]."""
        return replace(self, weights=weights)

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """What remains: taken OUT along a generic direction, where e^-OUT of an answer's probability is left to gain."""
        demands = demands_of(self.answers, self.weights)
        inside = np.eye(self.n_params) if constraints is None else complement(constraints.T)
        direction = recession_of(demands @ inside) if len(demands) else None
        gains = np.zeros(len(demands)) if direction is None else demands @ inside @ direction
        strict = gains > 1e-9 * max(float(gains.max(initial=0.0)), 1e-300)
        flat = inside @ complement((demands[~strict] @ inside).T)
        if not flat.shape[1]:
            return Limit(self)
        keep = complement(flat)
        rows = demands[strict] @ flat
        unit = rows / np.abs(rows).max(axis=1, initial=1e-300)[:, None]
        infinite = AtInfinity(flat, unit)
        if direction is None:
            return Limit(within(self, keep), keep, None, infinite)
        far = OUT / float(gains[strict].min()) * (inside @ direction)
        return Limit(within(self, keep, far), keep, far, infinite)


@dataclass(frozen=True, eq=False)
class AnswerPoint:
    """The weighted log-likelihood, and the prior, at one place."""

    likelihood: AnswerLikelihood
    answers: LikelihoodPoint

    @property
    def theta(self) -> FloatArray:
        return self.answers.phi

    @property
    def values(self) -> FloatArray:
        return self.answers.log_probabilities

    @cached_property
    def scores(self) -> FloatArray:
        return self.answers.scores

    def information_of(self, weights: FloatArray) -> FloatArray:
        return self.answers.information(weights)

    @cached_property
    def llf(self) -> float:
        return float(self.likelihood.weights @ self.values)

    @property
    def value(self) -> float:
        prior = self.likelihood.prior
        return self.llf if prior is None else self.llf + prior.value(self.theta)

    @property
    def extent(self) -> float:
        """Largest natural parameter in absolute value."""
        return self.answers.extent if np.isfinite(self.value) else float("inf")

    @property
    def score(self) -> FloatArray:
        found, prior = self.likelihood.weights @ self.scores, self.likelihood.prior
        return found if prior is None else found - prior.precision @ (self.theta - prior.mean)

    @cached_property
    def information(self) -> FloatArray:
        found, prior = self.information_of(self.likelihood.weights), self.likelihood.prior
        return found if prior is None else found + prior.precision

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        factor = (cholesky_of if self.likelihood.concave else raised_cholesky)(self.information)
        half = np.linalg.solve(factor, self.score)
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
    both."""
    of = AnswerLikelihood(likelihood, weights, concave, prior)
    if not likelihood.n_params:
        here, empty = of.at(np.zeros(0)), np.zeros(0)
        return Estimate((), empty, np.zeros((0, 0)), here.llf, 0, 0.0, empty)

    found = maximise(of.at, of.start() if start is None else start, FAR)
    if found.trouble:
        if prior is None:
            examine(likelihood, weights, names)
        again = found.trouble == "far"
        found = maximise(of.at, found.x, FARTHEST) if again else found
    if found.trouble:
        raise ConvergenceError(_trouble(found))
    if found.linear >= LINEAR and prior is None:
        examine(likelihood, weights, names)  # the decrement may be 0 in doubles before a parameter is far
    return _estimate(names, of.at(found.x), found)


def _trouble(found: Solution[AnswerPoint]) -> str:
    reason = {
        "far": f"a parameter went beyond {FARTHEST:g}",
        "singular": "the information is singular",
        "slow": "too many steps",
    }[found.trouble]
    return (
        f"the solver stopped after {found.steps} steps at log-likelihood {found.point.value:.6f}: {reason}."
        " Fit fewer parameters, or start from other values"
    )


def _estimate(names: Sequence[str], here: AnswerPoint, found: Solution[AnswerPoint]) -> Estimate:
    try:
        factor = cholesky_of(here.information)
    except np.linalg.LinAlgError:
        raise NotEstimableError(
            f"{', '.join(flat_names(here.information, names))}: the likelihood is flat along them at its maximum"
            f" ({here.value:.6f}), so that they cannot be distinguished; leave some of them out"
        ) from None
    inverse = np.linalg.solve(factor, np.eye(len(factor)))
    return Estimate(
        tuple(names),
        found.x,
        np.asarray(inverse.T @ inverse),
        here.llf,
        found.steps,
        found.decrement,
        np.asarray(here.score),
        here.likelihood.concave,
    )


@dataclass(frozen=True, eq=False)
class Pooled:
    """Distinct answers of each covariate group.
    answers int[n, m].  group int[n].  weights float[n]: number of persons, > 0.  row int[n_persons]: the row
    of each person; -1 for persons of weight 0."""

    answers: IntArray
    group: IntArray
    weights: FloatArray
    row: IntArray


def pool(
    answers: IntArray,
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    silent: BoolArray | None = None,
) -> Pooled:
    """Merge equal answers.
    answers int[n_persons, m].  group int[n_persons]: covariate group of each person; 0 if not given.  weights
    float[n_persons]: 1 if not given.  silent bool[n_persons]: who said nothing, and is left out."""
    n = len(answers)
    s = np.zeros(n, dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    if silent is not None:
        w = np.where(silent, 0.0, w)
    kept = np.flatnonzero(w > 0)
    if not len(kept):
        raise InputError(f"no person with a weight > 0 among {n}: there is no answer to fit")
    both = np.column_stack([s[kept], answers[kept]])
    _, first, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)  # numpy 2.0 gave it another shape
    row = np.full(n, -1, dtype=np.int64)
    row[kept] = inverse
    total = np.bincount(inverse, weights=w[kept], minlength=len(first)).astype(float)
    at = kept[first]
    return Pooled(np.asarray(answers[at], dtype=np.int64), s[at], total, row)


#: Above this a double does not hold every whole number.
WHOLE = 2**53


def exact_counts(values: Sequence[int]) -> FloatArray:
    """Numbers of possible patterns, as doubles where these hold them, else as whole numbers of any length.
    Forty items have 3^780 answers in pairs, which no double holds.  Returns float[n] or, for large numbers,
    an array of int objects."""
    small = max(values, default=0) <= WHOLE
    return np.array([int(v) for v in values], dtype=float if small else object)


def free_probabilities(possible: FloatArray) -> int:
    """Possible patterns minus 1, summed over the blocks, exactly.
    possible float[n_blocks] or int objects: as :func:`exact_counts` gives them."""
    return sum(int(each) - 1 for each in possible)


@dataclass(frozen=True, eq=False)
class PatternFit:
    """A fitted model of whole answers, with its deviance.
    likelihood: of the pooled answers: what the predictions are computed from.  block int[n]: block of each
    pooled answer.  possible float[n_blocks]: number of possible patterns of each block; whole numbers of any
    length where doubles do not hold them."""

    estimate: Estimate
    likelihood: Likelihood
    pooled: Pooled
    block: IntArray
    possible: FloatArray

    @property
    def saturated(self) -> float:
        """Log-likelihood of free pattern probabilities within the blocks."""
        n = np.bincount(self.block, weights=self.pooled.weights)
        return float(self.pooled.weights @ np.log(self.pooled.weights / n[self.block]))

    @property
    def deviance(self) -> float:
        """Twice the distance to the saturated log-likelihood."""
        return 2.0 * (self.saturated - self.estimate.llf)

    @property
    def df(self) -> float:
        """Possible patterns minus 1 of each block, minus the parameters."""
        return float(free_probabilities(self.possible) - len(self.estimate.phi))

    @property
    def fitted(self) -> FloatArray:
        """float[n]: expected number of persons with each pooled answer."""
        n = np.bincount(self.block, weights=self.pooled.weights)
        log_p = self.likelihood.at(self.estimate.phi).log_probabilities
        return np.asarray(n[self.block] * np.exp(log_p))


def blocks(keys: IntArray) -> IntArray:
    """The number of the block of each row.
    keys int[n, m]: rows with the same keys are in one block.  Returns int[n]."""
    return np.asarray(np.unique(keys, axis=0, return_inverse=True)[1]).reshape(-1).astype(np.int64)


def in_blocks(
    estimate: Estimate,
    likelihood: Likelihood,
    pooled: Pooled,
    keys: IntArray | BoolArray,
    count: Callable[[IntArray], int],
) -> PatternFit:
    """The fit with the blocks of the saturated model: answers of a group with the same keys, int or bool[n, m].
    count: how many patterns are possible in a block, from its keys, int[m]."""
    block = blocks(np.column_stack([pooled.group, keys]))
    first = np.unique(block, return_index=True)[1]
    possible = exact_counts([count(row) for row in keys[first].astype(np.int64)])
    return PatternFit(estimate, likelihood, pooled, block, possible)
