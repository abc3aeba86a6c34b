"""The pattern model of paired comparisons: all answers and their sums, and its fit.

    log P(y | s) = sum_c y_c (lambda_js - lambda_ks) + sum_c gamma_c 1[y_c = 0] + sum_(a,b) theta_ab y_a y_b
                   - log Z

for the comparisons c = (j k) and the pairs (a, b) of comparisons that share an item (Hatzinger and Dittrich
2012, Journal of Statistical Software 48(10)).  An incomplete answer is a smaller set of patterns: a
comparison that was answered has one value.

Without theta the comparisons are independent, a log-linear Bradley-Terry model, and nothing is enumerated:

    P(y_c) = exp(y_c d_c + u_c g_c) / (exp(d_c) + exp(-d_c) + exp(g_c)),    u_c = 1[y_c = 0].

With theta the patterns are all 2^C or 3^C.  With A and B the first and the other comparisons,

    exp(t' beta) = exp(f(A) + g(B) + A' T B),

a matrix P of |A| x |B| probabilities, and the moment of any product of statistics, which is a monomial in A
times one in B, is an entry of F_A' P F_B.  3^15 patterns (six items) are 2,187 x 6,561 and take matrix
products, not a table of 14 million rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ....data.respondents.codes import MISSING
from ....errors import NotEstimableError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from .answer_likelihood import (
    Likelihood,
    Moments,
    PartedPoint,
    PatternFit,
    Pooled,
    Space,
    in_blocks,
    maximum_likelihood,
    pool,
    weighted_moments,
)
from .natural_parameters import ItemTerm, Undecided, comparison_maps, pairs_of, sharing, statistics_of

#: A monomial in y: (comparison, exponent 1 or 2) for each factor.
Monomial = tuple[tuple[int, int], ...]
#: The values that each comparison may have.
Values = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Monomials:
    """Which entries of F_A' P F_B are the moments of the statistics, for one way of halving.
    `first` (int[q], int[q]): row and column of each statistic's mean.  second (int[q, q], int[q, q]): row and
    column of the mean of each product of two statistics."""

    left: tuple[Monomial, ...]
    right: tuple[Monomial, ...]
    first: tuple[IntArray, IntArray]
    second: tuple[IntArray, IntArray]


@lru_cache(maxsize=64)
def monomials(n: int, ternary: bool, depends: tuple[tuple[int, int], ...], cut: int) -> Monomials:
    """The monomials of the statistics and their products, comparisons from `cut` on in the second half.
    cut: 0 to n.  Returns Monomials: with y_c^2 in the place of u_c = 1 - y_c^2."""
    powers: list[dict[int, int]] = [{c: 1} for c in range(n)]
    powers += [{c: 2} for c in range(n)] if ternary else []
    powers += [{a: 1, b: 1} for a, b in depends]
    left: dict[Monomial, int] = {(): 0}
    right: dict[Monomial, int] = {(): 0}

    def place(power: dict[int, int]) -> tuple[int, int]:
        # y^3 = y and y^4 = y^2; y^2 = 1 where there are two categories.
        small = {c: (k - 1) % 2 + 1 if ternary else k % 2 for c, k in power.items()}
        a = tuple(sorted((c, k) for c, k in small.items() if c < cut and k))
        b = tuple(sorted((c, k) for c, k in small.items() if c >= cut and k))
        return left.setdefault(a, len(left)), right.setdefault(b, len(right))

    first = np.array([place(p) for p in powers], dtype=np.int64).reshape(-1, 2)
    q = len(powers)
    second = np.zeros((q, q, 2), dtype=np.int64)
    for i, one in enumerate(powers):
        for j, other in enumerate(powers[: i + 1]):
            both = {c: one.get(c, 0) + other.get(c, 0) for c in {*one, *other}}
            second[i, j] = second[j, i] = place(both)
    return Monomials(tuple(left), tuple(right), (first[:, 0], first[:, 1]), (second[..., 0], second[..., 1]))


def cube_moments(
    values: Values, ternary: bool, depends: tuple[tuple[int, int], ...], beta: FloatArray
) -> Moments:
    """The moments over all patterns whose comparisons have these values.
    beta float[q]: natural parameters of y_c, u_c if ternary, y_a y_b."""
    n = len(values)
    sizes = np.cumprod([1] + [len(v) for v in values])
    cut = int(np.searchsorted(sizes.astype(float) ** 2, float(sizes[-1])))
    wanted = monomials(n, ternary, depends, cut)
    left, right = _kept_patterns(values[:cut]), _kept_patterns(values[cut:])
    p, log_total = _probabilities(left, right, cut, ternary, depends, beta)
    if len(left) > 100 and all(len(v) == (3 if ternary else 2) for v in values[:cut]):
        of_left = _by_axes(p, values[:cut])[_positions(wanted.left, cut, len(values[0]))]
    else:
        of_left = _kept_columns(values[:cut], wanted.left, 0).T @ p
    table = of_left @ _kept_columns(values[cut:], wanted.right, cut)
    mean = table[wanted.first]
    covariance = table[wanted.second] - np.outer(mean, mean)
    if ternary:  # u = 1 - y^2
        sign = np.ones(len(mean))
        sign[n : 2 * n] = -1.0
        mean = np.where(sign < 0, 1.0 - mean, mean)
        covariance = covariance * np.outer(sign, sign)
    return Moments(log_total, mean, covariance)


def all_patterns(values: Values) -> FloatArray:
    """All answers to some comparisons.
    Returns float[product of the numbers of values, number of comparisons]."""
    if not values:
        return np.zeros((1, 0))
    grid = np.meshgrid(*[np.array(v, dtype=float) for v in values], indexing="ij")
    return np.stack([g.ravel() for g in grid], axis=1)


def _kept_patterns(values: Values) -> FloatArray:
    """:func:`all_patterns`, kept from step to step where they are few."""
    return _few_patterns(values) if _few(values, 1) else all_patterns(values)


def _kept_columns(values: Values, wanted: tuple[Monomial, ...], offset: int) -> FloatArray:
    """Columns of monomials, kept from step to step where they are few."""
    if _few(values, len(wanted)):
        return _few_columns(values, wanted, offset)
    return _columns(all_patterns(values), wanted, offset)


def _few(values: Values, columns: int) -> bool:
    """Whether 64 tables of this size take less than 64 MB."""
    return prod(len(v) for v in values) * max(columns, len(values)) <= 125_000


@lru_cache(maxsize=64)
def _few_patterns(values: Values) -> FloatArray:
    found = all_patterns(values)
    found.setflags(write=False)
    return found


@lru_cache(maxsize=64)
def _few_columns(values: Values, wanted: tuple[Monomial, ...], offset: int) -> FloatArray:
    found = _columns(_few_patterns(values), wanted, offset)
    found.setflags(write=False)
    return found


def _columns(patterns: FloatArray, wanted: tuple[Monomial, ...], offset: int) -> FloatArray:
    found = np.ones((len(patterns), len(wanted)))
    for column, monomial in enumerate(wanted):
        for c, power in monomial:
            found[:, column] *= patterns[:, c - offset] ** power
    return found


def _by_axes(p: FloatArray, values: Values) -> FloatArray:
    """F_A' P for all monomials of the first half at once, one comparison after the other.
    Each comparison's axis of answers becomes one of exponents; the whole takes as many additions as P has
    entries for each comparison, where the product with F_A takes one for each monomial."""
    after = p.shape[1]
    for c in reversed(range(len(values))):
        k = len(values[c])
        parts = p.reshape(-1, k, after)
        powers = np.empty_like(parts)
        np.subtract(parts[:, 0], parts[:, -1], out=powers[:, 1])  # answers are 1, (0,) -1
        np.add(parts[:, 0], parts[:, -1], out=powers[:, -1 if k == 3 else 0])
        if k == 3:
            np.add(powers[:, 2], parts[:, 1], out=powers[:, 0])
        p, after = powers, after * k
    return np.asarray(p.reshape(-1, after // int(np.prod([len(v) for v in values]))))


def _positions(wanted: tuple[Monomial, ...], n: int, base: int) -> IntArray:
    """int[number of monomials]: their rows in the table of all exponents, the last comparison fastest."""
    return np.array([sum(power * base ** (n - 1 - c) for c, power in m) for m in wanted], dtype=np.int64)


def _probabilities(
    left: FloatArray,
    right: FloatArray,
    cut: int,
    ternary: bool,
    depends: tuple[tuple[int, int], ...],
    beta: FloatArray,
) -> tuple[FloatArray, float]:
    """The matrix of probabilities and the logarithm of the sum that they were divided by."""
    n = cut + right.shape[1]
    square = np.zeros((n, n))
    for (a, b), theta in zip(depends, beta[(2 * n if ternary else n) :]):
        square[min(a, b), max(a, b)] += theta
    halves = []
    for patterns, own in ((left, slice(0, cut)), (right, slice(cut, n))):
        f = patterns @ beta[:n][own] + np.einsum("ij,jk,ik->i", patterns, square[own, own], patterns)
        halves.append(f + (patterns == 0) @ beta[n : 2 * n][own] if ternary else f)
    eta = left @ square[:cut, cut:] @ right.T
    eta += halves[0][:, None]
    eta += halves[1][None, :]
    top = float(eta.max())
    eta -= top
    p = np.exp(eta, out=eta)
    total = float(p.sum())
    p /= total
    return p, top + float(np.log(total))


#: Patterns of the largest cube: 3^15 and 2^21 need about a gigabyte; beyond that no sum is taken.
MOST_PATTERNS = 3**15
#: Up to so many patterns a table is faster than halves.
WRITTEN_OUT = 3**6


@dataclass(frozen=True, eq=False)
class CubeSpace:
    """Answers to C comparisons, some of which depend on each other.
    answers int[n, C]: +1, 0, -1 or MISSING; rows should be distinct within a covariate group, as the time
    grows with them.  ternary: whether 0, "undecided", is a possible answer.  depends: comparisons that depend
    on each other, :func:`pairproof.native.answers.patterns.natural_parameters.sharing`."""

    answers: IntArray
    ternary: bool
    depends: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        n_patterns = len(self.codes) ** self.answers.shape[1]
        if n_patterns > MOST_PATTERNS:
            raise TooLargeError(
                f"dependence between {self.answers.shape[1]} comparisons sums over {n_patterns:,} patterns; the"
                f" limit is {MOST_PATTERNS:,} (6 items with three categories). Leave the dependence out: the"
                " model is then fitted at any size"
            )

    @property
    def codes(self) -> tuple[int, ...]:
        """Possible answers."""
        return (1, 0, -1) if self.ternary else (1, -1)

    @property
    def n_statistics(self) -> int:
        """C, once more if ternary, and the number of dependences."""
        return int(self.answers.shape[1]) * (2 if self.ternary else 1) + len(self.depends)

    def statistics(self, answers: IntArray) -> FloatArray:
        """float[n, q]: t of complete answers int[n, C]."""
        return statistics_of(answers, self.ternary, self.depends)

    def at(self, beta: FloatArray) -> CubePoint:
        """The moments at beta, float[q]."""
        return CubePoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of a complete answer minus those of every other pattern."""
        n = self.answers.shape[1]
        if len(self.codes) ** n > 20_000:
            raise TooLargeError(
                f"the solver did not converge; to see why takes {len(self.codes) ** n:,} patterns, and the limit"
                " is 20,000. Fit without dependence first: its separated items are infinite here too"
            )
        patterns = self.statistics(all_patterns((self.codes,) * n).astype(np.int64))
        whole = (self.answers[rows] != MISSING).all(axis=1)
        seen = np.unique(self.statistics(self.answers[rows][whole]), axis=0)
        return np.concatenate([seen[:, None, :] - patterns[None]]).reshape(-1, self.n_statistics)


class CubePoint(PartedPoint[CubeSpace]):
    """Moments over all patterns, and over those that agree with each incomplete answer."""

    def _over_all(self) -> Moments:
        return self._cube((self.space.codes,) * self.space.answers.shape[1])

    def _cube(self, values: Values) -> Moments:
        return cube_moments(values, self.space.ternary, self.space.depends, self.beta)

    def _known(self, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        answers = self.space.answers[rows]
        known = (answers != MISSING).all(axis=1)
        return known, self.space.statistics(answers[known])

    def _agreeing(self, row: int) -> Moments:
        own, codes = self.space.answers[row], self.space.codes
        gaps = own == MISSING
        if len(codes) ** int(gaps.sum()) > WRITTEN_OUT:
            return self._cube(tuple(codes if y == MISSING else (int(y),) for y in own.tolist()))
        patterns = all_patterns((codes,) * int(gaps.sum())).astype(np.int64)
        answers = np.tile(own, (len(patterns), 1))
        answers[:, gaps] = patterns
        table = self.space.statistics(answers)
        return weighted_moments(table @ self.beta, table)


@dataclass(frozen=True, eq=False)
class FactoredSpace:
    """Answers to C independent comparisons, with 2 or 3 categories.
    answers int[n, C]: +1, 0, -1 or MISSING.  ternary: whether 0, "undecided", is a possible answer."""

    answers: IntArray
    ternary: bool

    @property
    def n_statistics(self) -> int:
        """C, or 2 C where "undecided" is possible: y of each comparison, then u of each."""
        return int(self.answers.shape[1]) * (2 if self.ternary else 1)

    def at(self, beta: FloatArray) -> FactoredPoint:
        """The comparisons' probabilities at beta, float[q]."""
        n = self.answers.shape[1]
        d = beta[:n]
        g = beta[n:] if self.ternary else np.full(n, -np.inf)
        predictors = np.stack([d, g, -d], axis=1)
        # log(1 + others) keeps the digits of an answer that nearly everybody gives.
        below = predictors - predictors.max(axis=1, keepdims=True)
        others = np.exp(below)
        others[np.arange(n), predictors.argmax(axis=1)] = 0.0
        return FactoredPoint(self, below - np.log1p(others.sum(axis=1, keepdims=True)))

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of an answer seen minus those of another, for each comparison."""
        n = self.answers.shape[1]
        codes = (1, 0, -1) if self.ternary else (1, -1)
        found = []
        for c in range(n):
            for seen in set(self.answers[rows, c].tolist()) - {MISSING}:
                for other in codes:
                    if other != seen:
                        row = np.zeros(self.n_statistics)
                        row[c] = seen - other
                        if self.ternary:
                            row[n + c] = float(seen == 0) - float(other == 0)
                        found.append(row)
        return np.array(found).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class FactoredPoint:
    """Probabilities of the answers to each comparison.
    log_p float[C, 3]: of +1, 0, -1; -inf for 0 where it is impossible."""

    space: FactoredSpace
    log_p: FloatArray

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        answers = self.space.answers[rows]
        seen = answers != MISSING
        column = np.where(seen, 1 - answers, 0)
        each = np.where(seen, self.log_p[np.arange(answers.shape[1]), column], 0.0)
        return np.asarray(each.sum(axis=1))

    def scores(self, rows: IntArray) -> FloatArray:
        answers = self.space.answers[rows]
        seen = answers != MISSING
        p = np.exp(self.log_p)
        # Answer minus expectation, by the probabilities of the other answers: 1 - P(+1) would cancel.
        first, second = p[:, 1] + 2.0 * p[:, 2], -p[:, 1] - 2.0 * p[:, 0]
        of_seen = np.where(answers == 1, first, np.where(answers == -1, second, p[:, 2] - p[:, 0]))
        y = np.where(seen, of_seen, 0.0)
        if not self.space.ternary:
            return y
        return np.hstack([y, np.where(seen, np.where(answers == 0, p[:, 0] + p[:, 2], -p[:, 1]), 0.0)])

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: of the comparisons that were answered."""
        n = self.space.answers.shape[1]
        w = weights @ (self.space.answers[rows] != MISSING)
        p = np.exp(self.log_p)
        # 4 p q + p0 (p + q - ...) written without differences: Var(y) = 4 p+ p- + p0 (p+ + p-).
        yy = 4.0 * p[:, 0] * p[:, 2] + p[:, 1] * (p[:, 0] + p[:, 2])
        if not self.space.ternary:
            return np.asarray(np.diag(w * yy))
        yu = -(p[:, 0] - p[:, 2]) * p[:, 1]
        uu = p[:, 1] * (p[:, 0] + p[:, 2])
        found = np.zeros((2 * n, 2 * n))
        at = np.arange(n)
        found[at, at], found[at + n, at + n] = w * yy, w * uu
        found[at, at + n] = found[at + n, at] = w * yu
        return found


def fit_comparisons(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
    names: Sequence[str] | None = None,
) -> PatternFit:
    """Fit persons' answers to all comparisons of J items.
    answers int[n_persons, C]: +1 first item preferred, 0 undecided, -1 second, MISSING (9) not answered;
    comparisons in prefmod's order.  A person without any answer says nothing and is left out.  terms: of the
    items' parameters lambda; log-odds are twice their differences.  group int[n_persons]: covariate group of
    each person.  weights float[n_persons]: number of persons with the answer.  "zero": three, with parameter
    0; "one" parameter; one for "each" comparison.  dependence: whether comparisons that share an item depend
    on each other."""
    likelihood, pooled, usual = comparison_likelihood(answers, terms, group, weights, undecided, dependence)
    called = usual if names is None else tuple(names)
    ternary = undecided is not None
    there = pooled.answers != MISSING
    if dependence:
        _refuse_never_answered(there, terms)
    concave = not dependence or bool(there.all())
    start = _without_dependence(likelihood, pooled, ternary, called) if dependence else None
    estimate = maximum_likelihood(likelihood, pooled.weights, called, start, concave)
    kinds = 3 if ternary else 2
    return in_blocks(estimate, likelihood, pooled, there, lambda made: kinds ** int(made.sum()))


def comparison_likelihood(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
) -> tuple[Likelihood, Pooled, tuple[str, ...]]:
    """The likelihood that :func:`fit_comparisons` maximises.
    Returns (Likelihood, Pooled, tuple of str): of the pooled answers, and the parameters' names."""
    ternary = undecided is not None
    pooled = pool(answers, group, weights, silent=(answers == MISSING).all(axis=1))
    maps, names = comparison_maps(terms, undecided, dependence)
    space: Space
    if dependence:
        space = CubeSpace(pooled.answers, ternary, sharing(len(terms[0].columns)))
    else:
        space = FactoredSpace(pooled.answers, ternary)
    return Likelihood(space, pooled.group, maps), pooled, names


def _without_dependence(
    likelihood: Likelihood, pooled: Pooled, ternary: bool, names: Sequence[str]
) -> FloatArray:
    """A start for the model with dependence: the estimate without it, which costs nothing."""
    space = FactoredSpace(pooled.answers, ternary)
    q, maps = space.n_statistics, likelihood.maps
    p = likelihood.n_params - (len(maps[0]) - q)
    short = Likelihood(space, pooled.group, [m[:q, :p] for m in maps])
    found = maximum_likelihood(short, pooled.weights, names[:p]).phi
    return np.concatenate([found, np.zeros(likelihood.n_params - p)])


def _refuse_never_answered(there: BoolArray, terms: Sequence[ItemTerm]) -> None:
    """What depends on a comparison that nobody answered, the answers do not determine."""
    never = np.flatnonzero(~there.any(axis=0))
    if not len(never):
        return
    first, second = pairs_of(len(terms[0].columns))
    items = terms[0].items or tuple(f"item {k + 1}" for k in range(len(terms[0].columns)))
    told = ", ".join(f"{items[first[c]]}:{items[second[c]]}" for c in never[:6])
    raise NotEstimableError(
        f"nobody answered {told}, so that how other comparisons depend on it is not determined; leave the dependence"
        " out, or an item"
    )
