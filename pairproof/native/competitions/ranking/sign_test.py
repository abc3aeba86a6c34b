"""Tests that papers set beside a model: the sign test of two items, and Friedman's test of several.

Sign test: of n = wins + losses preferences the number for one item is Binomial(n, 1/2) if neither is
preferred.  Two-sided by the rule of R's binom.test: the sum of all probabilities that are not larger than
that of what was observed, here P(|X - n/2| >= |wins - n/2|).  Ties are dropped, or split: half to either
side, and of an odd number one is dropped.

Friedman: in each of b blocks (judges) k items are ranked; with R_j the sum of item j's ranks and t the sizes
of ties inside a block, Q = 12 sum_j (R_j - b (k+1)/2)^2 / (b k (k+1) - sum(t^3 - t) / (k-1)) is about
chi-square on k - 1 df.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, log, log10
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.columns import Factor, refuse_rows
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import InputError
from ....fit.estimates.tails import SMALLEST, chi_square_p, log10_chi_square_p, p_equals
from ....numerics.arrays import FloatArray

TieRule = Literal["drop", "split"]

#: Above this many preferences the tail is taken from the incomplete beta function instead of whole numbers.
MOST_EXACT = 10_000


@dataclass(frozen=True)
class SignTest:
    """The result of an exact two-sided sign test.
    wins, losses: preferences counted, ties split into them where that is the rule."""

    wins: int
    losses: int
    ties: int
    dropped: int
    rule: TieRule
    p: float

    @property
    def log10_p(self) -> float:
        """log10 of p, also where p is too small for a double."""
        return log10_binomial_p(self.wins, self.wins + self.losses)

    def __str__(self) -> str:
        said = f"{self.ties} ties dropped" if self.ties else "no ties"
        if self.rule == "split":
            odd = ", and the one left over is dropped" if self.dropped else ""
            said = f"{self.ties} ties split{odd}"
        p = p_equals(self.p)
        return f"sign test: {self.wins} of {self.wins + self.losses} ({said}), {p}"


def sign_test(wins: float, losses: float, ties: float = 0, rule: TieRule = "drop") -> SignTest:
    """The exact two-sided sign test, by the rule of R's binom.test.
    wins, losses, ties: whole numbers >= 0.  rule: what becomes of ties: not counted, or half to either
    side."""
    one_of("rule", rule, get_args(TieRule))
    for name, count in (("wins", wins), ("losses", losses), ("ties", ties)):
        if not (np.isfinite(count) and count >= 0 and float(count).is_integer()):
            raise InputError(
                f"sign test: {name} is {count}; expected a whole number >= 0 (half a preference has no"
                " binomial distribution: use rule='split')"
            )
    half = int(ties) // 2 if rule == "split" else 0
    a, b = int(wins) + half, int(losses) + half
    if a + b == 0:
        raise InputError(f"sign test: no preferences are left ({ties:g} ties, rule {rule!r})")
    return SignTest(a, b, int(ties), int(ties) - 2 * half, rule, binomial_p(a, a + b))


@lru_cache(maxsize=4096)
def binomial_p(successes: int, n: int) -> float:
    """P(|X - n/2| >= |successes - n/2|) of X ~ Binomial(n, 1/2): the two-sided p of R's binom.test.
    successes: in 0..n."""
    fewer = min(successes, n - successes)
    if 2 * fewer == n:
        return 1.0
    if n <= MOST_EXACT:
        return 2 * _tail(fewer, n) / (1 << n)  # Python rounds the ratio of two whole numbers correctly
    from scipy.special import bdtr

    return 2.0 * float(bdtr(fewer, n, 0.5))


def _tail(fewer: int, n: int) -> int:
    """How many of the 2^n outcomes have so few successes or less, each term from the one before it: to
    compute each coefficient again takes time with the cube of n."""
    total = term = 1
    for k in range(fewer):
        term = term * (n - k) // (k + 1)
        total += term
    return total


def log10_binomial_p(successes: int, n: int) -> float:
    """log10 of :func:`binomial_p`, finite however small that is.  successes: in 0..n."""
    p = binomial_p(successes, n)
    if p >= SMALLEST:
        return log10(p)
    # The tail's largest term, log C(n, k), times 1 + k/(n-k+1) + k(k-1)/((n-k+1)(n-k+2)) + ...: so far out it
    # ends soon.
    fewer = min(successes, n - successes)
    total = term = 1.0
    for k in range(fewer, 0, -1):
        term *= k / (n - k + 1)
        total += term
        if term < 1e-17 * total:
            break
    tail = lgamma(n + 1) - lgamma(fewer + 1) - lgamma(n - fewer + 1) + log(total)
    return tail / log(10.0) + (1 - n) * log10(2.0)


@dataclass(frozen=True, eq=False)
class Friedman:
    """The result of Friedman's test.
    statistic: Q, corrected for ties.  `what`: what was ranked, in which blocks."""

    statistic: float
    df: int
    p: float
    what: str

    @property
    def log10_p(self) -> float:
        """log10 of p, also where p is too small for a double."""
        return log10_chi_square_p(self.statistic, self.df)

    def __str__(self) -> str:
        p = p_equals(self.p)
        return f"Friedman test of {self.what}: chi-square {self.statistic:.4f} on {self.df} df, {p}"


def friedman(scores: ArrayLike, what: str) -> Friedman:
    """Friedman's test of scores, ranked within blocks, ties given their mean rank; as R's friedman.test.
    scores float[n_blocks, n_items].  `what`: what is ranked, in which blocks, for the sentence."""
    from scipy.stats import rankdata

    y = np.asarray(scores, float)
    if y.ndim != 2 or min(y.shape) < 2 or np.isnan(y).any():
        raise InputError(
            "Friedman's test needs at least 2 blocks of at least 2 items without gaps; found shape"
            f" {y.shape} with {int(np.isnan(y).sum())} missing"
        )
    ranks = np.apply_along_axis(rankdata, 1, y)
    b, k = ranks.shape
    ties = sum(float(t) ** 3 - t for row in ranks for t in np.unique(row, return_counts=True)[1])
    spread = b * k * (k + 1) - ties / (k - 1)
    if spread <= 0:
        raise InputError(
            "Friedman's test: in every block all items have the same score, so nothing is ranked"
        )
    sums: FloatArray = ranks.sum(axis=0)
    q = 12.0 * float(np.sum((sums - b * (k + 1) / 2) ** 2)) / spread
    return Friedman(q, k - 1, chi_square_p(q, k - 1), what)


def first_preferences_by_judge(table: Comparisons) -> FloatArray:
    """How often each judge preferred each item.  Returns float[n_judges, n_items]."""
    judge = table.columns.get("judge")
    if not isinstance(judge, Factor):
        raise InputError(
            f"{table.source}: Friedman's test needs a judge column; it has"
            f" {', '.join(table.columns) or 'none'}"
        )
    refuse_rows(table.source, judge.codes < 0, "no judge")
    won = np.zeros((len(judge.levels), len(table.items)))
    np.add.at(won, (judge.codes, table.first), table.wins)
    np.add.at(won, (judge.codes, table.second), table.losses)
    return won


def friedman_by_judge(table: Comparisons) -> Friedman:
    """Friedman's test of how often the items are preferred, ranked within each judge; as R's
    friedman.test."""
    what = "each judge's numbers of first preferences of the items, judges as blocks"
    return friedman(first_preferences_by_judge(table), what)
