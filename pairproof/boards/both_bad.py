"""Votes that call both answers bad, as an outcome of their own: first whether both are bad, then which is better.

A vote on items i and j calls both bad with a probability that has one quality of each in it, added::

    logit P(both bad | i, j) = c + q_i + q_j,     sum q_i = 0
    P(i better | i, j, not both bad)              any model of comparisons, of the votes that remain

a sequential model (Tutz 1991, Comput. Stat. Data Anal. 11, 275-295): the log-likelihood is the sum of both
parts', and each is maximised by itself.  The larger q_i, the more often an answer of i is among two bad ones; c
is the mean level.  With a_i = c / 2 + q_i the first part is a logit of counts by pair, by Newton's steps.  Its
covariance is CR1 by the columns of `clusters` (of two V_1 + V_2 - V_12), and else by vote; M is the inverse
information::

    V = G / (G - 1) M (sum_g s_g s_g') M,     s_g = sum of (bad - P)(e_i + e_j) over the votes of g

An item of which no vote called both bad has q = -inf (one of which all did: inf) as the likelihood demands
(:mod:`pairproof.numerics.infinity`), and the rest have their finite estimates.  Items that met those of one
other side alone, as models that only met a baseline, have no q: nothing says which of the two sides is bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..data.columns import Factor, refuse_rows
from ..data.comparisons import Comparisons
from ..errors import ConvergenceError, InputError
from ..fit.robust.clustered_fit import cluster_codes, intersection, two_way
from ..native.competitions.ranking.sums_by_cluster import asked_clusters
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.infinity import AtInfinity, generic_direction

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COLUMN = "both_bad"
#: Steps of Newton's before it is asked whether the maximum is at infinity, where each step moves logits by 1:
#: after 20 the weights of such votes are e^-20 of others', well above what is taken as 0.  A finite maximum
#: takes some 8.
STEPS, MOST_STEPS, RANK = 20, 200, 1e-13
#: Where the largest change of a logit is below this, the next step would change it by its square.
STEP = 1e-10


@dataclass(frozen=True, eq=False)
class BothBadFit:
    """Which items are among two bad ones.

    Attributes
    ----------
    items : tuple of str
    q : float[n_items]
        In log-odds; those that are finite sum to 0.  -inf: no vote on the item called both bad; nan: not determined.
    cov : float[n_items, n_items]
        Of q; nan where q is not finite.
    se : float[n_items]
    constant, constant_se : float
        c: the logit between two items of mean quality.
    llf : float
        Of single votes.
    share, share_se, low, high : float[n_items]
        The model's probability that both are bad where the item meets another, the mean over all others that it is
        determined for; limits by its logit.  With a share of 0 (or 1): Clopper and Pearson's limit of as many votes as it
        has, or clusters.
    votes, bad : float
        All votes, and those that called both bad.
    clusters : tuple of str
        The columns; () by vote.
    n_clusters : tuple of int
    level : float
    """

    items: tuple[str, ...]
    q: FloatArray
    cov: FloatArray
    se: FloatArray
    constant: float
    constant_se: float
    llf: float
    share: FloatArray
    share_se: FloatArray
    low: FloatArray
    high: FloatArray
    votes: float
    bad: float
    clusters: tuple[str, ...]
    n_clusters: tuple[int, ...]
    level: float

    @property
    def separated(self) -> tuple[str, ...]:
        """Items whose quality is infinite."""
        return tuple(item for item, q in zip(self.items, self.q) if np.isinf(q))


def bad_votes(table: Comparisons) -> FloatArray:
    """float[n_rows]: votes of each row that called both bad."""
    column = table.columns.get(COLUMN)
    if column is None or isinstance(column, Factor):
        have = "no column" if column is None else "a column of labels"
        raise InputError(
            f"{table.source} has {have} {COLUMN!r}; expected numbers, 1 in rows whose ties call both bad and 0 in others,"
            " as pairproof.read creates it for votes 'both_bad' or 'tie (bothbad)'; without such votes, omit"
            " both_bad='own'"
        )
    tied = table.ties > 0.0
    neither = tied & (column != 0.0) & (column != 1.0)
    refuse_rows(table.source, neither, f"{COLUMN} that is neither 0 nor 1, in rows with ties")
    return np.where(tied & (column == 1.0), table.ties, 0.0)


def table_without_both_bad(table: Comparisons) -> Comparisons:
    """The comparisons among the rest: the table without the votes that called both bad, and without their column."""
    if COLUMN not in table.columns:
        return table
    ties = table.ties - bad_votes(table)
    rest = {name: column for name, column in table.columns.items() if name != COLUMN}
    keep = table.wins + ties + table.losses > 0.0
    if not keep.any():
        raise InputError(
            f"{table.source}: all {table.n_comparisons:g} votes call both bad, so there is nothing to compare; count"
            " them as ties"
        )
    return table.changed(ties=ties if table.tie_category else None, columns=rest).select(keep)


def fit_both_bad(
    table: Comparisons, clusters: str | Sequence[str] = (), *, level: float = 0.95
) -> BothBadFit:
    """Which items are among two bad ones: logit P(both bad | i, j) = c + q_i + q_j, as R's glm fits it.

    clusters: one column, or two, whose rows go together, a row without a value being a cluster of its own; else votes
    are independent.  level: of limits, in (0, 1).
    """
    from scipy.special import ndtri, stdtrit

    columns = asked_clusters(clusters, "CR1")
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % limits")
    table = table.select(table.row_weights > 0.0)
    codes = [cluster_codes(table, column, np.arange(table.n_rows), "own")[0] for column in columns]
    cells, k = _cells(table), len(table.items)
    at = _maximum(cells)
    covariance, n_clusters = _covariance(cells, at, codes)
    a = at.limits(np.eye(k))
    finite = np.append(np.isfinite(a), np.isfinite(a).any())
    mean = finite[:-1] / max(int(finite[:-1].sum()), 1)
    functions = np.vstack([np.eye(k) - mean, 2.0 * mean])
    estimate = np.append(a - mean @ at.a, 2.0 * mean @ at.a if finite[-1] else np.nan)
    cov = np.where(finite & finite[:, None], functions @ covariance @ functions.T, np.nan)
    se = np.sqrt(np.diagonal(cov))
    half = (1.0 + level) / 2.0
    reach = float(stdtrit(min(n_clusters) - 1.0, half) if columns else ndtri(half))
    own = [cells.votes_of(item, codes) for item in range(k)]
    shares = [_share(at, covariance, item, own[item], half, reach) for item in range(k)]
    share, share_se, low, high = np.transpose(shares)
    return BothBadFit(
        table.items, estimate[:-1], cov[:-1, :-1], se[:-1], float(estimate[-1]), float(se[-1]), at.llf,
        share, share_se, low, high, float(cells.n.sum()), float(cells.y.sum()), columns, n_clusters, level,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Cells:
    """Votes by pair: x sparse[m, k] has e_i + e_j, n votes of which y call both bad.  Rows: pair int[n_rows], total votes
    of which `bad` call both bad."""

    x: csr_matrix
    n: FloatArray
    y: FloatArray
    pair: IntArray
    total: FloatArray
    bad: FloatArray

    def crossed(self, weight: FloatArray) -> FloatArray:
        """float[k, k]: sum of weight times (e_i + e_j)(e_i + e_j)'."""
        return np.asarray((self.x.T @ self.x.multiply(weight[:, None])).todense())

    def votes_of(self, item: int, codes: Sequence[IntArray]) -> float:
        """Votes of an item, or where votes go together the fewest clusters that hold some."""
        own = np.asarray(self.x[:, [item]].todense()).ravel()[self.pair] > 0.0
        return float(min((len(np.unique(code[own])) for code in codes), default=self.total[own].sum()))


def _cells(table: Comparisons) -> _Cells:
    from scipy.sparse import csr_matrix

    bad, total, k = bad_votes(table), table.row_weights, len(table.items)
    if not 0.0 < bad.sum() < total.sum():
        which = "none" if not bad.sum() else "every one"
        raise InputError(
            f"{table.source}: of {total.sum():g} votes {which} calls both bad, so there is no share to model;"
            " count them as ties"
        )
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    pairs, pair = np.unique(low * k + high, return_inverse=True)
    m, pair = len(pairs), np.ravel(pair)
    places = np.stack([pairs // k, pairs % k], axis=1).ravel()
    x = csr_matrix((np.ones(2 * m), places, np.arange(0, 2 * m + 1, 2)), shape=(m, k))
    n, y = (np.asarray(np.bincount(pair, votes, m), float) for votes in (total, bad))
    return _Cells(x, n, y, pair, total, bad)


@dataclass(frozen=True, eq=False)
class _Maximum:
    """a float[k], of least length; p float[m]: of each pair, 0 or 1 in the limit; what is infinite or not determined."""

    a: FloatArray
    p: FloatArray
    llf: float
    infinite: AtInfinity

    def limits(self, functions: FloatArray) -> FloatArray:
        """float[m]: of linear functions of a: finite, -inf, inf, or nan where not determined."""
        return self.infinite.values(functions, functions @ self.a)


def _maximum(cells: _Cells) -> _Maximum:
    """The maximum; where there is none, that of the pairs that are not 0 or 1 in the limit."""
    from scipy.sparse import vstack
    from scipy.special import expit

    a, alive, demands = _newton(cells, STEPS), cells.n > 0.0, np.zeros((0, cells.x.shape[1]))
    if a is None:
        some, rest = np.flatnonzero(cells.y > 0.0), np.flatnonzero(cells.n > cells.y)
        both = vstack([cells.x[some], -cells.x[rest]]).tocsr()
        strict = generic_direction(both)[1]
        demands = np.asarray(both[strict].todense())
        alive[np.concatenate([some, rest])[strict]] = False
        a = _newton(replace(cells, n=cells.n * alive, y=cells.y * alive), MOST_STEPS)
        if a is None:
            raise ConvergenceError(
                f"both-bad votes: no maximum after {MOST_STEPS} Newton steps; please report the table"
            )
    value, vector = np.linalg.eigh(cells.crossed(alive.astype(float)))
    # what moves no pair; the other eigenvalues are above 1 / k^2
    null = vector[:, value < 1e-9 * max(float(value[-1]), 1.0)]
    a = a - null @ (null.T @ a)
    p = np.where(alive, expit(cells.x @ a), cells.y > 0.0)
    llf = (cells.y * np.log(np.where(alive, p, 1.0)) + (cells.n - cells.y) * np.log1p(-p * alive)).sum()
    return _Maximum(a, p, float(llf), AtInfinity(null, demands @ null))


def _newton(cells: _Cells, steps: int) -> FloatArray | None:
    """float[k]: where the log-likelihood is largest; None where steps do not end."""
    from scipy.special import expit, logit

    x, n, y = cells.x, cells.n, cells.y
    a = np.full(x.shape[1], 0.5 * logit(np.clip(y.sum() / max(n.sum(), 1.0), 0.01, 0.99)))

    def value(a: FloatArray) -> float:
        return float(y @ (x @ a) - n @ np.logaddexp(0.0, x @ a))

    for _ in range(steps):
        p = expit(x @ a)
        step = np.linalg.lstsq(cells.crossed(n * p * (1.0 - p)), x.T @ (y - n * p), rcond=RANK)[0]
        if np.abs((x @ step)[n > 0.0]).max(initial=0.0) < STEP:
            return np.asarray(a + step)
        before, t = value(a), 1.0
        while value(a + t * step) < before - 1e-10 * abs(before) and t > 1e-6:
            t *= 0.5
        a = a + t * step
    return None


def _covariance(cells: _Cells, at: _Maximum, codes: Sequence[IntArray]) -> tuple[FloatArray, tuple[int, ...]]:
    """float[k, k] of a, and the clusters of each way; without codes votes."""
    from scipy.sparse import csr_matrix

    n, y, p = cells.n, cells.y, at.p
    bread = np.asarray(np.linalg.pinv(cells.crossed(n * p * (1.0 - p)), rcond=RANK, hermitian=True))
    if not codes:
        squares, votes = cells.crossed(y * (1.0 - p) ** 2 + (n - y) * p**2), float(n.sum())
        return votes / (votes - 1.0) * bread @ squares @ bread, (round(votes),)
    left, parts = cells.bad - cells.total * p[cells.pair], []
    for code in [*codes, intersection(codes)][: 2 * len(codes) - 1]:
        if (g := int(code.max()) + 1) < 2:
            raise InputError(
                "all votes belong to one cluster, so there is no variation between clusters; cluster by another column, or by none"
            )
        score = csr_matrix((left, (code, cells.pair)), shape=(g, len(n))) @ cells.x
        parts.append(np.asarray(g / (g - 1) * bread @ (score.T @ score).toarray() @ bread))
    counts = tuple(int(code.max()) + 1 for code in codes)
    return (parts[0] if len(codes) == 1 else two_way(parts, bread)[0]), counts


def _share(
    at: _Maximum, covariance: FloatArray, item: int, votes: float, half: float, reach: float
) -> tuple[float, float, float, float]:
    """An item's mean probability of both bad against the others, its standard error and limits."""
    from scipy.special import expit

    pairs = np.delete(np.eye(len(at.a)), item, axis=0)
    pairs[:, item] = 1.0
    eta = at.limits(pairs)
    known = ~np.isnan(eta)
    if not known.any():
        return (np.nan,) * 4
    p = expit(eta[known])
    share = float(p.mean())
    if not 0.0 < share < 1.0:
        far = (1.0 - half) ** (1.0 / votes)
        return share, np.nan, share * far, 1.0 - (1.0 - share) * far
    moved = (p * (1.0 - p)) @ pairs[known] / len(p)
    se = float(np.sqrt(moved @ covariance @ moved))
    middle, width = np.log(share / (1.0 - share)), reach * se / (share * (1.0 - share))
    return share, se, float(expit(middle - width)), float(expit(middle + width))
