"""Ranks of systems from draws of their abilities: credible sets, and orders that hold together.

A marginal set of probability 1 - a leaves out at most a / 2 on each side.  Simultaneous sets hold all together: with the
depth of a rank r of system i the smaller of P(rank_i <= r) and P(rank_i >= r), they are all ranks of depth t or more,
t the largest number for which a share 1 - a of the draws has no system at a smaller depth (Besag, Green, Higdon and
Mengersen 1995, Statist. Sci. 10, 3-66, section 6.3, for ranks).  Two systems are *told apart* if their order belongs to
a set of orders that hold together with probability 1 - a: orders are taken from the surest down, each as long as all
of them still hold together in that share of the draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def ranks_of(draws: FloatArray) -> IntArray:
    """int[n_draws, n_items]: rank of each system in each draw, 1 the best, from float[n_draws, n_items]."""
    order = np.argsort(-draws, axis=1, kind="stable")
    return np.asarray(np.argsort(order, axis=1, kind="stable") + 1)


def marginal_sets(probabilities: FloatArray, level: float) -> IntArray:
    """int[n_items, 2]: first and last rank of each system's own set, from P(rank), float[n_items, n_items]."""
    at_most = np.cumsum(probabilities, axis=1)
    outside = (1.0 - level) / 2.0
    low = 1 + (at_most <= outside + ROUNDING).sum(axis=1)
    high = 1 + (at_most < 1.0 - outside - ROUNDING).sum(axis=1)
    return np.stack([low, high], axis=1)


#: Sums of shares of draws are exact to this.
ROUNDING = 1e-12


def simultaneous_sets(ranks: IntArray, probabilities: FloatArray, level: float) -> IntArray:
    """int[n_items, 2]: first and last rank of sets that hold all together, and hold the marginal ones."""
    at_most = np.cumsum(probabilities, axis=1)
    at_least = 1.0 - at_most + probabilities
    depth = np.minimum(at_most, at_least)
    n_draws, n = ranks.shape
    of_draw = np.sort(depth[np.arange(n), ranks - 1].min(axis=1))
    least = float(of_draw[int((1.0 - level) * n_draws + ROUNDING)])
    inside = depth >= min(least, (1.0 - level) / 2.0) - ROUNDING
    both = np.stack([1 + inside.argmax(axis=1), n - inside[:, ::-1].argmax(axis=1)], axis=1)
    marginal = marginal_sets(probabilities, level)
    return np.stack([np.minimum(both[:, 0], marginal[:, 0]), np.maximum(both[:, 1], marginal[:, 1])], axis=1)


def told_apart(draws: FloatArray, better: FloatArray, level: float) -> BoolArray:
    """bool[n_items, n_items]: row above column, all these orders together with probability `level` at least.

    draws float[n_draws, n_items].  better float[n_items, n_items]: P(row above column).
    """
    out = np.zeros(better.shape, bool)
    hold = np.ones(len(draws), bool)
    first, second = np.nonzero((better >= level) & ~np.eye(len(better), dtype=bool))
    for k in np.argsort(-better[first, second], kind="stable"):
        i, j = first[k], second[k]
        still = hold & (draws[:, i] > draws[:, j])
        if still.mean() >= level - ROUNDING:
            out[i, j], hold = True, still
    return out
