"""Designs of paired comparisons made at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pairproof.migration.recognise.decide import Design
from pairproof.migration.recognise.design_contests import Variable

FloatArray = NDArray[np.float64]


def signs(n_items: int, rounds: int = 1) -> FloatArray:
    """Every pair of items, `rounds` times, the sides exchanged every other time."""
    i, j = np.triu_indices(n_items, 1)
    rows = []
    for k in range(rounds):
        for a, b in zip(i, j):
            row = np.zeros(n_items)
            row[a], row[b] = (1.0, -1.0) if k % 2 == 0 else (-1.0, 1.0)
            rows.append(row)
    return np.array(rows)


def counts_of(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Wins and losses of n rows."""
    draw = np.random.default_rng(seed)
    return draw.integers(1, 20, n).astype(float), draw.integers(1, 20, n).astype(float)


def design(
    x: FloatArray, names: list[str], unknown: tuple[str, ...] = (), **more: dict[str, Variable]
) -> Design:
    """A design, `unknown` being aliased."""
    return Design(x, tuple(names), np.array([n not in unknown for n in names]), **more)


def outcomes(x: FloatArray, with_ties: bool) -> tuple[FloatArray, NDArray[np.int64]]:
    """Rows of contests as rows of outcomes, and the contest of each."""
    blocks = [x, -x] + ([np.zeros_like(x)] if with_ties else [])
    return np.concatenate(blocks), np.tile(np.arange(len(x)), len(blocks))
