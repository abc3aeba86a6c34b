"""Answers drawn from a model: what a parametric bootstrap, a power study or a test of coverage starts from.

Each person draws from the model of their own covariate group, and of their own class if there are classes.  A
comparison that was not answered stays unanswered.  Rankings come from the top: the best of a set S is item i
with probability w_i^(|S| - 1) F(S without i) / F(S) in the pattern model, and a_i / sum of a in S in Plackett
and Luce's (for both, Critchlow, Fligner and Verducci 1991, Journal of Mathematical Psychology 35, 294-318).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .comparisons.pairs import MISSING
from .maps import ItemTerm, Undecided, comparison_maps, item_maps
from .rankings.subsets import subset_moments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def draw_comparisons(
    phi: FloatArray,
    terms: Sequence[ItemTerm],
    group: IntArray,
    draws: np.random.Generator,
    undecided: Undecided | None = None,
    like: IntArray | None = None,
) -> IntArray:
    """Answers to all comparisons, without dependence.

    phi float[n, p] or float[p]: parameters of each person, or of all.  group int[n]: covariate group of each
    person.  undecided: as for :func:`pairproof.native.patterns.comparisons.fit.fit_comparisons`.  like int[n,
    C]: answers whose gaps are kept.  Returns int[n, C].
    """
    maps, names = comparison_maps(terms, undecided, False)
    beta = _natural(phi, maps, names, group)
    c = beta.shape[1] // (1 if undecided is None else 2)
    found = draw_independent(beta[:, :c], None if undecided is None else beta[:, c:], draws)
    return found if like is None else np.where(like == MISSING, MISSING, found)


def draw_independent(d: FloatArray, ties: FloatArray | None, draws: np.random.Generator) -> IntArray:
    """Answers to comparisons that are independent given the items.

    d float[n, C]: coefficients of y, half the log-odds.  ties float[C] or float[n, C]: of ties; None where
    nobody can answer one.  Returns int[n, C].
    """
    g = np.full(d.shape, -np.inf) if ties is None else np.broadcast_to(ties, d.shape)
    top = np.maximum(np.abs(d), g)
    weight = np.exp(np.stack([d, g, -d]) - top)
    mark = draws.random(d.shape) * weight.sum(axis=0)
    return np.where(mark < weight[0], 1, np.where(mark < weight[0] + weight[1], 0, -1))


def draw_rankings(
    phi: FloatArray,
    terms: Sequence[ItemTerm],
    group: IntArray,
    draws: np.random.Generator,
    model: Literal["plackett-luce", "pattern"],
) -> IntArray:
    """Strict rankings of all items.

    phi float[n, p] or float[p]: parameters of each person, or of all: of log worths for Plackett and Luce's
    model, of lambda for the pattern model.  group int[n]: covariate group of each person.  Returns int[n, J]:
    ranks, 1 = best.
    """
    maps, names = item_maps(terms)
    worth = _natural(phi, maps, names, group)
    if model == "plackett-luce":
        order = np.argsort(-(worth + draws.gumbel(size=worth.shape)), axis=1)
        return np.asarray(np.argsort(order, axis=1) + 1)
    if model != "pattern":
        raise InputError(f"model is {model!r}; expected 'plackett-luce' or 'pattern'")
    distinct, kind = np.unique(worth, axis=0, return_inverse=True)
    found = np.zeros(worth.shape, dtype=np.int64)
    for number, lam in enumerate(distinct):
        own = np.flatnonzero(kind.reshape(-1) == number)
        found[own] = draw_pattern_rankings(lam, len(own), draws)
    return found


def _natural(
    phi: FloatArray, maps: Sequence[FloatArray], names: Sequence[str], group: IntArray
) -> FloatArray:
    """float[n, q]: natural parameters of each person."""
    each = np.broadcast_to(phi, (len(group), phi.shape[-1]))
    if each.shape[1] != len(names):
        raise InputError(f"{each.shape[1]} parameters for a model of {len(names)}: {', '.join(names)}")
    return np.asarray(np.einsum("nqp,np->nq", np.stack(maps)[group], each))


def draw_pattern_rankings(lam: FloatArray, n: int, draws: np.random.Generator) -> IntArray:
    """Strict rankings by the pattern model, from the top.

    lam float[J]: the items' lambdas.  n: rankings.  Returns int[n, J]: ranks, 1 = best.
    """
    n_items = len(lam)
    log_total = subset_moments(lam).log_total
    left = np.full(n, 2**n_items - 1, dtype=np.int64)
    bits = np.int64(1) << np.arange(n_items, dtype=np.int64)
    found = np.zeros((n, n_items), dtype=np.int64)
    for rank in range(1, n_items + 1):
        there = (left[:, None] & bits) > 0
        logs = log_total[left[:, None] & ~bits] + 2.0 * (n_items - rank) * lam - log_total[left][:, None]
        share = np.where(there, np.exp(logs), 0.0)
        mark = draws.random(n) * share.sum(axis=1)
        best = (np.cumsum(share, axis=1) <= mark[:, None]).sum(axis=1)
        found[np.arange(n), best] = rank
        left &= ~bits[best]
    return found


#: Answers int[n, m] of persons whose parameters are float[n, p].
Draw = Callable[[FloatArray, np.random.Generator], IntArray]
