"""Fit rankings by one of their two natural models.

    Plackett-Luce: choices from the best item down (Luce 1959; ties as in Turner et al. 2020)
    pattern: the consistent set of paired comparisons (prefmod's pattR; Critchlow and Fligner 1991)

The two coincide for two items, where b = 2 lambda, and with three or more only when all worths are equal.
They are not nested.  Reversing all rankings changes the signs of the pattern model's parameters; Plackett and
Luce's model of the reversed rankings is another model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, NotEstimableError
from ..estimate import Estimate, Prior, maximum_likelihood
from ..existence import recession
from ..likelihood import Likelihood
from ..maps import ItemTerm, item_maps
from ..pooled import PatternFit, Pooled, blocks, exact_counts, pool
from .mallows import MallowsSpace
from .plackett_luce import LuceSpace
from .ranks import ABSENT, Ranks, Unranked, above, dense_ranks, linked_sets

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def fit_plackett_luce(
    ranks: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    unranked: Unranked | None = None,
    orders: tuple[int, ...] | None = None,
    presented: BoolArray | None = None,
    pseudo: float = 0.0,
    prior: Prior | None = None,
) -> PatternFit:
    """Fit Plackett and Luce's model.

    ranks int[n_persons, J]: 1 = best, equal for ties, 0 without a rank.  terms: of the log worths b, which
    are log-odds.  group int[n_persons]: covariate group of each person.  weights float[n_persons]: number of
    persons with the ranking.  unranked: what 0 means; to be said if there is any.  presented bool[n_persons,
    J]: whether the person saw the item, where that differs from person to person.  orders: numbers of items
    that can tie; those observed if not given.  pseudo: pseudo-comparisons: wins and losses of every item
    against a hypothetical one of free worth (0.5 is the default of R's PlackettLuce, 0 ours).  The covariance
    is that of what was maximised; llf and deviance leave the pseudo-comparisons out.  prior: a normal prior
    of the parameters.  Returns PatternFit: the last parameters are the log prevalences of ties, "tie2" and so
    on.
    """
    if not (np.isfinite(pseudo) and pseudo >= 0):
        raise InputError(f"pseudo is {pseudo}; expected a finite number >= 0 of pseudo-comparisons")
    data, kept = _informative(dense_ranks(ranks, unranked, presented), weights)
    pooled = pool(data.ranks, group, kept)
    own = Ranks(pooled.answers)
    maps, names = item_maps(terms)
    _fits(own, maps)
    space = LuceSpace(own, orders)
    t = len(space.tie_orders)
    full = [_with_ties(m, t) for m in maps]
    all_names = (*names, *(f"tie{d}" for d in space.tie_orders))
    likelihood = Likelihood(space, pooled.group, full)
    if pseudo:
        estimate = _with_pseudo(own, pooled, full, all_names, space.tie_orders, pseudo, prior)
    else:
        _refuse_gaps(own, terms, t == 0 and prior is None, ", or add pseudo-comparisons or a prior")
        try:
            estimate = maximum_likelihood(likelihood, pooled.weights, all_names, prior=prior)
        except NotEstimableError:
            if prior is None:
                _refuse_infinite(likelihood, pooled, terms)
            raise
    return _fit(estimate, likelihood, pooled, own, space.tie_orders)


def fit_mallows(
    ranks: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    unranked: Unranked | None = None,
    presented: BoolArray | None = None,
    ties_unresolved: bool = False,
) -> PatternFit:
    """Fit the pattern model of rankings, prefmod's pattR.

    ranks int[n_persons, J]: 1 = best, 0 without a rank; equal ranks only with `ties_unresolved`.  terms: of
    the items' parameters lambda; log-odds are twice their differences.  group int[n_persons]: covariate group
    of each person.  weights float[n_persons]: number of persons with the ranking.  unranked: what 0 means;
    prefmod takes it as "below".  presented bool[n_persons, J]: whether the person saw the item, where that
    differs from person to person.  ties_unresolved: whether equal ranks say that the person's order is not
    known; a tie that is an answer needs a model of weak orders.
    """
    data, kept = _informative(dense_ranks(ranks, unranked, presented), weights)
    _refuse_ties(data, ties_unresolved)
    pooled = pool(data.ranks, group, kept)
    own = Ranks(pooled.answers)
    maps, names = item_maps(terms)
    _fits(own, maps)
    _refuse_gaps(own, terms, True, "")
    likelihood = Likelihood(MallowsSpace(own), pooled.group, maps)
    whole = bool((own.ranks.max(axis=1) >= own.presented.sum(axis=1) - 1).all())
    estimate = maximum_likelihood(likelihood, pooled.weights, names, concave=whole)
    return _fit(estimate, likelihood, pooled, own, ())


def _informative(ranks: Ranks, weights: FloatArray | None) -> tuple[Ranks, FloatArray]:
    """The rankings, those that compare no two items with weight 0: they say nothing."""
    w = np.ones(len(ranks.ranks)) if weights is None else np.asarray(weights, dtype=float)
    if w.shape != (len(ranks.ranks),):
        raise InputError(f"{len(w)} weights for {len(ranks.ranks)} rankings")
    silent = (ranks.presented.sum(axis=1) < 2) | (ranks.ranks.max(axis=1) == 0)
    return ranks, np.where(silent, 0.0, w)


def _fits(ranks: Ranks, maps: Sequence[FloatArray]) -> None:
    if len(maps[0]) != ranks.ranks.shape[1]:
        raise InputError(f"terms of {len(maps[0])} items for rankings of {ranks.ranks.shape[1]}")


def _refuse_ties(ranks: Ranks, unresolved: bool) -> None:
    # A person who was presented nothing has -1 throughout, and no ties.
    tied = (ranks.ranks > 0).sum(axis=1) > np.maximum(ranks.ranks.max(axis=1), 0)
    if tied.any() and not unresolved:
        raise InputError(
            f"person {int(np.flatnonzero(tied)[0]) + 1} has equal ranks; ties_unresolved=True takes them as an order"
            " that is not known. Where a tie is the answer, fit Plackett and Luce's model or weak orders"
        )


def _refuse_gaps(ranks: Ranks, terms: Sequence[ItemTerm], strict: bool, remedy: str) -> None:
    """For one parameter an item in all groups: it exists if and only if the network is strongly connected."""
    n_items = ranks.ranks.shape[1]
    if not strict or len(terms) != 1 or terms[0].columns.shape != (n_items, n_items - 1):
        return
    names = dict(enumerate(terms[0].items))
    sets = linked_sets(above(ranks))
    if len(sets) == 1:
        return
    raise NotEstimableError(
        f"the rankings do not connect all items: they fall into {_told(sets, names)}, and between two of these sets"
        f" one is never ranked above the other. Worths can be compared within a set only: fit each alone{remedy}"
    )


def _told(sets: Sequence[Sequence[int]], names: dict[int, str]) -> str:
    return " ".join("{" + ", ".join(names.get(i, f"item {i + 1}") for i in own) + "}" for own in sets)


def _refuse_infinite(likelihood: Likelihood, pooled: Pooled, terms: Sequence[ItemTerm]) -> None:
    """Where ties take part, the sets of items between which differences of worth are infinite."""
    n_items = len(terms[0].columns)
    if len(terms) != 1 or terms[0].columns.shape != (n_items, n_items - 1) or len(likelihood.maps) != 1:
        return
    direction = recession(likelihood, pooled.weights)
    if direction is None:
        return
    level = (likelihood.maps[0] @ direction)[:n_items]
    steps = np.sort(level)[::-1]
    starts = np.flatnonzero(np.append(True, -np.diff(steps) > 1e-6 * max(1.0, float(np.abs(level).max()))))
    if len(starts) == 1:
        return  # only ties are infinite
    which = np.searchsorted(-steps[starts], -level + 1e-9, side="right") - 1
    sets = [np.flatnonzero(which == k).tolist() for k in range(len(starts))]
    raise NotEstimableError(
        f"differences of worth are infinite between the sets {_told(sets, dict(enumerate(terms[0].items)))}: rankings"
        " and ties never speak against the order of the sets. Worths can be compared within a set only: fit each alone,"
        " or add pseudo-comparisons or a prior"
    )


def _with_ties(matrix: FloatArray, n_orders: int) -> FloatArray:
    found = np.zeros((matrix.shape[0] + n_orders, matrix.shape[1] + n_orders))
    found[: len(matrix), : matrix.shape[1]] = matrix
    found[len(matrix) :, matrix.shape[1] :] = np.eye(n_orders)
    return found


def _with_pseudo(
    ranks: Ranks,
    pooled: Pooled,
    maps: Sequence[FloatArray],
    names: Sequence[str],
    orders: tuple[int, ...],
    pseudo: float,
    prior: Prior | None,
) -> Estimate:
    """The estimate with pseudo-comparisons: rankings of two items, one hypothetical and of free worth."""
    if len(maps) > 1:
        raise InputError(f"pseudo-comparisons with {len(maps)} covariate groups; they are for one group only")
    n, n_items = ranks.ranks.shape
    p = maps[0].shape[1]
    more = np.full((2 * n_items, n_items + 1), ABSENT, dtype=np.int64)
    at = np.arange(n_items)
    more[at, at], more[at, -1] = 1, 2
    more[n_items + at, at], more[n_items + at, -1] = 2, 1
    table = np.vstack([np.column_stack([ranks.ranks, np.full(n, ABSENT)]), more])
    matrix = np.zeros((len(maps[0]) + 1, p + 1))
    matrix[:n_items, :p], matrix[n_items, p], matrix[n_items + 1 :, :p] = (
        maps[0][:n_items],
        1.0,
        maps[0][n_items:],
    )
    space = LuceSpace(Ranks(table), orders)
    likelihood = Likelihood(space, np.zeros(len(table), dtype=np.int64), [matrix])
    weights = np.concatenate([pooled.weights, np.full(2 * n_items, pseudo)])
    wider = None if prior is None else Prior(np.append(prior.mean, 0.0), np.pad(prior.precision, (0, 1)))
    found = maximum_likelihood(likelihood, weights, [*names, "hypothetical item"], prior=wider)
    log_p = likelihood.at(found.phi).log_probabilities[:n]
    return replace(
        found,
        names=tuple(names),
        phi=found.phi[:p],
        covariance=found.covariance[:p, :p],
        llf=float(pooled.weights @ log_p),
        weight=float(pooled.weights.sum()),
        gradient=found.gradient[:p],
    )


def _fit(
    estimate: Estimate, likelihood: Likelihood, pooled: Pooled, ranks: Ranks, orders: tuple[int, ...]
) -> PatternFit:
    """With the blocks of the saturated model: what was presented, and how many items were ranked."""
    ranked = (ranks.ranks > 0).sum(axis=1)
    block = blocks(np.column_stack([pooled.group, ranks.presented, ranked]))
    possible = [0] * (int(block.max()) + 1)
    for number, m, k in {
        (int(b), int(m), int(k)) for b, m, k in zip(block, ranks.presented.sum(axis=1), ranked)
    }:
        possible[number] = comb(m, k) * sequences(k, orders)
    return PatternFit(estimate, likelihood, pooled, block, exact_counts(possible))


def sequences(n_items: int, orders: tuple[int, ...]) -> int:
    """Number of rankings of all items in groups of 1 or of these numbers of items."""
    found = [1]
    for n in range(1, n_items + 1):
        found.append(sum(comb(n, d) * found[n - d] for d in {1, *orders} if d <= n))
    return found[n_items]
