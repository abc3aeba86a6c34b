"""Answers to comparisons with dependence between those that share an item.

Statistics are y_c, u_c = 1[y_c = 0] (with three categories) and y_a y_b for the pairs (a, b) of comparisons
that depend on each other; the patterns are all 2^C or 3^C of them (Hatzinger and Dittrich 2012, Journal of
Statistical Software 48(10)).  The sum over the patterns is taken in two halves A and B of the
comparisons:

    exp(t' beta) = exp(f(A) + g(B) + A' T B),

a matrix of |A| x |B| probabilities, and the moment of any product of statistics, which is a monomial in A
times one in B, is an entry of F_A' P F_B.  3^15 patterns (six items) are 2,187 x 6,561 and take matrix
products, not a table of 14 million rows.  An incomplete answer is a smaller cube: a comparison that was
answered has one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError
from .pairs import MISSING, check_answers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Patterns of the largest cube: 3^15 and 2^21 need about a gigabyte; beyond that no sum is taken.
MOST_PATTERNS = 3**15

#: A monomial in y: (comparison, exponent 1 or 2) for each factor.
Monomial = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Monomials:
    """Which entries of F_A' P F_B are the moments of the statistics, for one way of halving.

    Attributes
    ----------
    left, right : tuple of monomials
        Columns of F_A and F_B.
    first : (int[q], int[q])
        Row and column of each statistic's mean.
    second : (int[q, q], int[q, q])
        Row and column of the mean of each product of two statistics.

    Examples
    --------
    >>> from pairproof.native.patterns.comparisons.cube import monomials
    >>> len(monomials(3, False, ((0, 1),), 1).left)
    2
    """

    left: tuple[Monomial, ...]
    right: tuple[Monomial, ...]
    first: tuple[IntArray, IntArray]
    second: tuple[IntArray, IntArray]


@lru_cache(maxsize=64)
def monomials(n: int, ternary: bool, depends: tuple[tuple[int, int], ...], cut: int) -> Monomials:
    """The monomials of the statistics and their products, comparisons from `cut` on in the second half.

    Parameters
    ----------
    n : int
        Number of comparisons.
    ternary : bool
    depends : tuple of (int, int)
        Comparisons that depend on each other.
    cut : int
        0 to n.

    Returns
    -------
    Monomials
        With y_c^2 in the place of u_c = 1 - y_c^2.

    Examples
    --------
    >>> from pairproof.native.patterns.comparisons.cube import monomials
    >>> monomials(2, True, (), 1).right
    ((), ((1, 1),), ((1, 2),))
    """
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


@dataclass(frozen=True, eq=False)
class Moments:
    """Sum, mean and covariance of the statistics over a set of patterns.

    Attributes
    ----------
    log_total : float
        Logarithm of the sum of exp(t' beta).
    mean : float[q]
    covariance : float[q, q]

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.comparisons.cube import cube_moments
    >>> cube_moments(((1, -1), (1, -1)), False, (), np.zeros(2)).covariance.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    log_total: float
    mean: FloatArray
    covariance: FloatArray


def cube_moments(
    values: tuple[tuple[int, ...], ...], ternary: bool, depends: tuple[tuple[int, int], ...], beta: FloatArray
) -> Moments:
    """The moments over all patterns whose comparisons have these values.

    Parameters
    ----------
    values : tuple of tuple of int
        Possible answers to each comparison.
    ternary : bool
        Whether the statistics include u_c.
    depends : tuple of (int, int)
        Comparisons that depend on each other.
    beta : float[q]
        Natural parameters of y_c, u_c if ternary, y_a y_b.

    Returns
    -------
    Moments

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.comparisons.cube import cube_moments
    >>> cube_moments(((1, -1), (1,)), False, ((0, 1),), np.zeros(3)).mean.tolist()
    [0.0, 1.0, 0.0]
    """
    n = len(values)
    sizes = np.cumprod([1] + [len(v) for v in values])
    cut = int(np.searchsorted(sizes.astype(float) ** 2, float(sizes[-1])))
    wanted = monomials(n, ternary, depends, cut)
    left, right = _patterns(values[:cut]), _patterns(values[cut:])
    p, log_total = _probabilities(left, right, cut, ternary, depends, beta)
    if len(left) > 100 and all(len(v) == (3 if ternary else 2) for v in values[:cut]):
        of_left = _by_axes(p, values[:cut])[_positions(wanted.left, cut, len(values[0]))]
    else:
        of_left = _columns(left, wanted.left, 0).T @ p
    table = of_left @ _columns(right, wanted.right, cut)
    mean = table[wanted.first]
    covariance = table[wanted.second] - np.outer(mean, mean)
    if ternary:  # u = 1 - y^2
        sign = np.ones(len(mean))
        sign[n : 2 * n] = -1.0
        mean = np.where(sign < 0, 1.0 - mean, mean)
        covariance = covariance * np.outer(sign, sign)
    return Moments(log_total, mean, covariance)


def _patterns(values: tuple[tuple[int, ...], ...]) -> FloatArray:
    """float[product of the numbers of values, number of comparisons]."""
    if not values:
        return np.zeros((1, 0))
    grid = np.meshgrid(*[np.array(v, dtype=float) for v in values], indexing="ij")
    return np.stack([g.ravel() for g in grid], axis=1)


def _columns(patterns: FloatArray, wanted: tuple[Monomial, ...], offset: int) -> FloatArray:
    found = np.ones((len(patterns), len(wanted)))
    for column, monomial in enumerate(wanted):
        for c, power in monomial:
            found[:, column] *= patterns[:, c - offset] ** power
    return found


def _by_axes(p: FloatArray, values: tuple[tuple[int, ...], ...]) -> FloatArray:
    """F_A' P for all monomials of the first half at once, one comparison after the other.

    Each comparison's axis of answers becomes one of exponents; the whole takes as many additions as P has
    entries for each comparison, where the product with F_A takes one for each monomial.
    """
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


@dataclass(frozen=True, eq=False)
class CubeSpace:
    """Answers to C comparisons, some of which depend on each other.

    Attributes
    ----------
    answers : int[n, C]
        +1, 0, -1 or MISSING; rows should be distinct within a covariate group, as the time grows with them.
    ternary : bool
        Whether 0, "undecided", is a possible answer.
    depends : tuple of (int, int)
        Comparisons that depend on each other, :func:`pairproof.native.patterns.comparisons.pairs.sharing`.

    Raises
    ------
    InputError
        An answer is none of these.
    TooLargeError
        There are more than MOST_PATTERNS patterns.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.comparisons.cube import CubeSpace
    >>> from pairproof.native.patterns.comparisons.pairs import sharing
    >>> space = CubeSpace(np.array([[1, 1, -1]]), False, sharing(3))
    >>> np.exp(space.at(np.zeros(6)).log_probabilities(np.array([0]))).round(9).tolist()
    [0.125]
    """

    answers: IntArray
    ternary: bool
    depends: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", check_answers(self.answers, self.ternary))
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
        return self.answers.shape[1] * (2 if self.ternary else 1) + len(self.depends)

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.answers)

    def statistics(self, answers: IntArray) -> FloatArray:
        """float[n, q]: t of complete answers int[n, C]."""
        parts = [answers.astype(float)] + ([(answers == 0).astype(float)] if self.ternary else [])
        a, b = np.array(self.depends, dtype=np.int64).reshape(-1, 2).T
        return np.hstack(parts + [(answers[:, a] * answers[:, b]).astype(float)])

    def at(self, beta: FloatArray) -> CubePoint:
        """The moments at beta, float[q]."""
        values = (self.codes,) * self.answers.shape[1]
        return CubePoint(self, beta, cube_moments(values, self.ternary, self.depends, beta), {})

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of a complete answer minus those of every other pattern.

        Raises
        ------
        TooLargeError
            There are more than 20,000 patterns.
        """
        n = self.answers.shape[1]
        if len(self.codes) ** n > 20_000:
            raise TooLargeError(
                f"the solver did not converge; to see why takes {len(self.codes) ** n:,} patterns, and the limit"
                " is 20,000. Fit without dependence first: its separated items are infinite here too"
            )
        patterns = self.statistics(_patterns((self.codes,) * n).astype(np.int64))
        whole = (self.answers[rows] != MISSING).all(axis=1)
        seen = np.unique(self.statistics(self.answers[rows][whole]), axis=0)
        return np.concatenate([seen[:, None, :] - patterns[None]]).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class CubePoint:
    """Moments over all patterns, and over those that agree with each incomplete answer.

    Attributes
    ----------
    space : CubeSpace
    beta : float[q]
    whole : Moments
    parts : dict of int to Moments
        Of the incomplete answers asked for so far, by their number.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.comparisons.cube import CubeSpace
    >>> CubeSpace(np.array([[1, 9]]), False, ((0, 1),)).at(np.zeros(3)).scores(np.array([0])).tolist()
    [[1.0, 0.0, 0.0]]
    """

    space: CubeSpace
    beta: FloatArray
    whole: Moments
    parts: dict[int, Moments]

    def _split(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Positions of the complete rows among these, and of the others."""
        complete = (self.space.answers[rows] != MISSING).all(axis=1)
        return np.flatnonzero(complete), np.flatnonzero(~complete)

    def _part(self, row: int) -> Moments:
        if row not in self.parts:
            values = tuple(
                self.space.codes if y == MISSING else (int(y),) for y in self.space.answers[row].tolist()
            )
            self.parts[row] = cube_moments(values, self.space.ternary, self.space.depends, self.beta)
        return self.parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        found = np.zeros(len(rows))
        complete, others = self._split(rows)
        found[complete] = self.space.statistics(self.space.answers[rows[complete]]) @ self.beta
        for k in others:
            found[k] = self._part(int(rows[k])).log_total
        return np.asarray(found - self.whole.log_total)

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        found = np.zeros((len(rows), self.space.n_statistics))
        complete, others = self._split(rows)
        found[complete] = self.space.statistics(self.space.answers[rows[complete]])
        for k in others:
            found[k] = self._part(int(rows[k])).mean
        return np.asarray(found - self.whole.mean)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        found = float(weights.sum()) * self.whole.covariance
        for k in self._split(rows)[1]:
            found = found - weights[k] * self._part(int(rows[k])).covariance
        return np.asarray(found)
