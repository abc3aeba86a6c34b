"""Tables of the specifications of random effects and bias reduction."""

from __future__ import annotations

import numpy as np

import pairproof
from pairproof.data.columns import Factor


def four_players() -> pairproof.Comparisons:
    """x = 0, 1, 2, 4; ten contests of each pair, of which the first wins 3 6 1 8 2 1."""
    a, b = np.triu_indices(4, 1)
    wins = np.array([3.0, 6, 1, 8, 2, 1])
    return pairproof.Comparisons.build(
        "ABCD", a, b, wins, None, 10 - wins, item_data={"x": np.array([0.0, 1, 2, 4])}
    )


def separated() -> pairproof.Comparisons:
    """Five contests of each pair, of which the first wins 5 5 5 3 4 2: A always wins."""
    a, b = np.triu_indices(4, 1)
    wins = np.array([5.0, 5, 5, 3, 4, 2])
    return pairproof.Comparisons.build("ABCD", a, b, wins, None, 5 - wins)


def judged() -> pairproof.Comparisons:
    """Eight judges, three items, four contests of each pair: first wins 431 342 123 013 443 201 320 134."""
    wins = np.array([int(c) for c in "431342123013443201320134"], float)
    return pairproof.Comparisons.build(
        "ABC",
        np.tile([0, 0, 1], 8),
        np.tile([1, 2, 2], 8),
        wins,
        None,
        4 - wins,
        columns={"judge": Factor(np.repeat(np.arange(8), 3), tuple(f"J{k}" for k in range(1, 9)))},
    )


def with_ties() -> pairproof.Comparisons:
    """Three items, 36 comparisons, six ties."""
    return pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [6, 8, 5], [2, 1, 3], [4, 3, 4])
