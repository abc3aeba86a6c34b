"""Answers of persons, drawn once from a seed: comparisons, rankings, ratings, as `Respondents` and as R reads them.

Comparisons and rankings have log worths from .8 to -.8 (Gumbel noise: Plackett-Luce); ratings are rounded normal scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pairproof import Respondents

IntArray = NDArray[np.int64]
ABSENT, BELOW, MISSING = -1, 0, 9
#: The seed of all draws.
SEED = 20120601


def items(n: int) -> list[str]:
    return [f"i{k + 1:02d}" for k in range(n)]


@dataclass(frozen=True, eq=False)
class Answers:
    """A table, and the same as rows for R.

    Attributes
    ----------
    table : Respondents
    rows : int[n, k]
        As R's functions take them; `missing` is written as NA.
    missing : int or None
        The code that stands for NA.
    """

    table: Respondents
    rows: IntArray
    missing: int | None = None

    def csv(self) -> str:
        names = ",".join(f"V{k + 1}" for k in range(self.rows.shape[1]))
        lines = (",".join("NA" if v == self.missing else str(v) for v in row) for row in self.rows.tolist())
        return "\n".join([names, *lines]) + "\n"


def comparisons(n_items: int, persons: int, ties: bool, gaps: float = 0.0, tastes: bool = False) -> Answers:
    """Every pair in prefmod's order, 1, 0, -1; a share of gaps; every third person with the opposite taste."""
    rng = np.random.default_rng(SEED + n_items)
    lam = np.linspace(0.4, -0.4, n_items)
    pairs = [(a, b) for b in range(1, n_items) for a in range(b)]
    gap = np.array([lam[a] - lam[b] for a, b in pairs])
    weights = np.stack([np.exp(gap), np.full(len(pairs), 0.6 if ties else 0.0), np.exp(-gap)], axis=1)
    p = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    drawn = (rng.random((persons, len(pairs), 1)) > p).sum(axis=2)
    y = 1 - np.minimum(drawn, 2)
    if tastes:
        y[::3] *= -1
    y[rng.random(y.shape) < gaps] = MISSING
    return Answers(
        Respondents.build(items(n_items), "comparisons", y, tie_category=ties), y, MISSING if gaps else None
    )


def orders(n_items: int, persons: int, seed: int = 0) -> IntArray:
    """int[persons, n_items]: ranks."""
    rng = np.random.default_rng(SEED + 100 * seed + n_items)
    u = np.linspace(0.8, -0.8, n_items) + rng.gumbel(size=(persons, n_items))
    return np.asarray(np.argsort(np.argsort(-u, axis=1), axis=1) + 1)


def rankings(n_items: int, persons: int) -> Answers:
    ranks = orders(n_items, persons)
    return Answers(Respondents.build(items(n_items), "rankings", ranks), ranks)


def best_few(n_items: int, persons: int) -> Answers:
    """One person in five gives the best items only; the others are below them."""
    ranks = orders(n_items, persons)
    rng = np.random.default_rng(SEED + 7)
    kept = np.where(rng.random(persons) < 0.2, rng.integers(2, n_items - 1, persons), n_items)
    ranks = np.where(ranks > kept[:, None], BELOW, ranks)
    return Answers(Respondents.build(items(n_items), "rankings", ranks), ranks, BELOW)


def partial_with_ties(n_items: int, persons: int, largest: int) -> Answers:
    """A quarter of the items is not presented; groups of up to `largest` items tie."""
    ranks = orders(n_items, persons)
    rng = np.random.default_rng(SEED + 8)
    for row in ranks:
        size = rng.integers(1, largest + 1)
        start = rng.integers(1, n_items - size + 2)
        row[(row >= start) & (row < start + size)] = start
        gone = rng.random(n_items) < 0.25
        if gone.sum() < n_items - 2:
            row[gone] = ABSENT
    return Answers(Respondents.build(items(n_items), "rankings", ranks), ranks, ABSENT)


def ratings(n_items: int, persons: int, points: int = 5, times: int = 1) -> Answers:
    """Points 1 (the best) to `points`, time by time."""
    rng = np.random.default_rng(SEED + 10 * n_items + times)
    # On a scale of 5 points the noise has a standard deviation of 1.
    noise = rng.normal(size=(persons, times, n_items))
    score = (1 + points) / 2 + points / 5 * (np.linspace(-0.6, 0.6, n_items) + noise)
    y = np.clip(np.round(score), 1, points).astype(np.int64)
    names = [str(t + 1) for t in range(times)] if times > 1 else []
    table = Respondents.build(items(n_items), "ratings", y, scale=list(range(1, points + 1)), times=names)
    return Answers(table, y.reshape(persons, -1))


def repeated_rankings(n_items: int, persons: int, times: int) -> Answers:
    ranks = np.stack([orders(n_items, persons, t + 1) for t in range(times)], axis=1)
    table = Respondents.build(items(n_items), "rankings", ranks, times=[str(t + 1) for t in range(times)])
    return Answers(table, ranks.reshape(persons, -1))
