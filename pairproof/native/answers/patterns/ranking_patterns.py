"""Fit rankings by one of their two natural models; sums over all rankings of every subset of the items.

    Plackett-Luce: choices from the best item down (Luce 1959; ties as in Turner et al. 2020)
    pattern: the consistent set of paired comparisons (Mallows 1957, Bradley and Terry; prefmod's pattR)

    P(ranking) = product of w_i^(items below i) / F(items presented),    w_i = exp(2 lambda_i)

(Critchlow and Fligner 1991, Psychometrika 56, 517-533).  Where the order within a group is not known (a tie,
or the items below all those with a rank) the probability is the sum over the orders of the group:

    P(C_1 > C_2 > ...) = product over groups s of F(C_s) product over i in C_s of w_i^(items in later groups)
                         / F(all items presented).

The sum F(S) over the |S|! rankings of the items in S (Hatzinger and Dittrich 2012, Journal of Statistical
Software 48(10)),

    F(S) = sum over i in S of F(S without i) w_i^(|S| - 1),    F(empty) = 1,

takes 2^J J steps instead of J!.  Mean and covariance of the items below each follow from those of the smaller
sets; every term is positive, so nothing cancels.

The two models coincide for two items, where b = 2 lambda, and with more only when all worths are equal.  They
are not nested.  Reversing all rankings changes the signs of the pattern model's parameters; Plackett and
Luce's model of the reversed rankings is another model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np

from ....data.respondents.codes import ABSENT, dense
from ....errors import InputError, NotEstimableError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from .answer_likelihood import (
    Estimate,
    Likelihood,
    PatternFit,
    Pooled,
    Prior,
    demands_of,
    in_blocks,
    maximum_likelihood,
    pool,
    recession_of,
)
from .luce_choices import LuceSpace, Ranks, above, linked_sets
from .natural_parameters import ItemTerm, diagonal_blocks, item_maps

#: 2^15 subsets with a covariance of 15 x 15 each are 60 MB; the time is some seconds a step.
MOST_ITEMS = 15

#: Numbers in the covariances of the groups that are done in one step: 16 MB.
MOST_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class SubsetMoments:
    """Sum over the rankings of every subset, with the moments of the numbers of items below.
    log_total float[2^J]: log F(S); bit i of the index S is item i.  mean float[2^J, J]: of the number of
    items below each item, 0 outside S. covariance float[2^J, J, J]."""

    log_total: FloatArray
    mean: FloatArray
    covariance: FloatArray


@lru_cache(maxsize=16)
def levels(n_items: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """The subsets of each size, and the items in each of them.
    Returns tuple of (int[n], int[n, size]): for sizes 1 to J."""
    if n_items > MOST_ITEMS:
        raise TooLargeError(
            f"{n_items} items have {2**n_items:,} subsets; the pattern model of rankings is fitted for up to"
            f" {MOST_ITEMS} items. Plackett and Luce's model has no such limit"
        )
    every = np.arange(2**n_items, dtype=np.int64)
    member = (every[:, None] >> np.arange(n_items)) & 1
    size = member.sum(axis=1)
    return tuple(
        (every[size == k], np.nonzero(member[size == k])[1].reshape(-1, k).astype(np.int64))
        for k in range(1, n_items + 1)
    )


def subset_moments(lam: FloatArray) -> SubsetMoments:
    """The recursion over all subsets.  lam float[J]: the items' parameters; any level."""
    return moments_of_each(lam[None, :], np.arange(2 ** len(lam), dtype=np.int64))[0]


def moments_of_each(lam: FloatArray, kept: IntArray) -> list[SubsetMoments]:
    """The recursion at many parameters at once, of which some subsets are kept.
    Each of many covariate groups has its own parameters; one step of numpy for all of them takes little
    longer than one for a single group.  lam float[G, J].  kept int[m]: the subsets whose moments are
    returned, in this order.  Returns list of SubsetMoments: one for each row of `lam`: float[m], float[m, J]
    and float[m, J, J]."""
    n = lam.shape[1]
    levels(n)
    at_once = max(1, MOST_AT_ONCE // (2**n * n * n))
    found: list[SubsetMoments] = []
    for start in range(0, len(lam), at_once):
        log_total, mean, covariance = (part[:, kept] for part in _recursion(lam[start : start + at_once]))
        found += [SubsetMoments(*one) for one in zip(log_total, mean, covariance)]
    return found


def _recursion(lam: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log F(S), mean and covariance, float[G, 2^J], float[G, 2^J, J], float[G, 2^J, J, J]."""
    groups, n = lam.shape
    log_total = np.zeros((groups, 2**n))
    mean = np.zeros((groups, 2**n, n))
    covariance = np.zeros((groups, 2**n, n, n))
    for below, (sets, items) in enumerate(levels(n)):
        without = sets[:, None] ^ (np.int64(1) << items)
        logs = log_total[:, without] + 2.0 * below * lam[:, items]
        top = logs.max(axis=2)
        share = np.exp(logs - top[:, :, None])
        total = share.sum(axis=2)
        share /= total[:, :, None]
        log_total[:, sets] = top + np.log(total)
        means = mean[:, without]
        means[:, np.arange(len(sets))[:, None], np.arange(below + 1)[None, :], items] += below
        m = (share[:, :, None, :] @ means)[:, :, 0, :]
        mean[:, sets] = m
        off = means - m[:, :, None, :]
        spread = (off * share[:, :, :, None]).swapaxes(2, 3) @ off
        for k in range(below + 1):
            spread += share[:, :, k, None, None] * covariance[:, without[:, k]]
        covariance[:, sets] = spread
    return log_total, mean, covariance


@dataclass(eq=False)
class MallowsSpace:
    """Rankings of J items, ties as orders that are not known."""

    ranks: Ranks

    def __post_init__(self) -> None:
        levels(self.n_statistics)
        groups = self.ranks.groups
        bits = np.int64(1) << np.arange(self.n_statistics)
        later = (groups[:, None, :] > groups[:, :, None]) & (groups[:, :, None] >= 0)
        row, mask = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for s in range(int(groups.max()) + 1):
            inside = groups == s
            several = np.flatnonzero(inside.sum(axis=1) > 1)
            row.append(several)
            mask.append(inside[several] @ bits)
        self._below = later.sum(axis=2).astype(float)
        # Only the sets that some answer needs are kept: with complete rankings the set of all items alone.
        masks = np.concatenate([np.asarray(self.ranks.presented @ bits), *mask])
        used, where = np.unique(masks, return_inverse=True)
        where = np.asarray(where, dtype=np.int64).ravel()
        self._used = used
        self._all = where[: self.n_rows]
        self._group_row = np.concatenate(row)
        self._group_set = where[self.n_rows :]

    @property
    def n_statistics(self) -> int:
        """Number of items."""
        return int(self.ranks.ranks.shape[1])

    @property
    def n_rows(self) -> int:
        return len(self.ranks.ranks)

    def at(self, beta: FloatArray) -> MallowsPoint:
        """The sums over all rankings of the subsets at lambda, float[J]."""
        return self.at_each(beta[None, :])[0]

    def at_each(self, betas: FloatArray) -> list[MallowsPoint]:
        """The same at each of many lambdas, float[G, J], in one recursion."""
        return [MallowsPoint(self, b, m) for b, m in zip(betas, moments_of_each(betas, self._used))]

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, J]: e_i - e_j for each i that somebody ranked above j.
        A direction is one of recession if it never has the lower item of two ahead."""
        edges = above(Ranks(self.ranks.ranks[rows]))
        i, j = np.nonzero(edges)
        eye = np.eye(self.n_statistics)
        return np.asarray(eye[i] - eye[j])


@dataclass(frozen=True, eq=False)
class MallowsPoint:
    """Rankings at one value of the items' parameters.
    lam float[J].  moments: of the sets of items that were presented, or tied."""

    space: MallowsSpace
    lam: FloatArray
    moments: SubsetMoments

    def _groups(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Position among these rows, and number of the set, of each group with several items."""
        if not len(self.space._group_row):
            return self.space._group_row, self.space._group_set
        place = np.full(self.space.n_rows, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        where = place[self.space._group_row]
        return where[where >= 0], self.space._group_set[where >= 0]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        found = 2.0 * self.space._below[rows] @ self.lam - self.moments.log_total[self.space._all[rows]]
        where, tied = self._groups(rows)
        np.add.at(found, where, self.moments.log_total[tied])
        return np.asarray(found)

    def scores(self, rows: IntArray) -> FloatArray:
        found = self.space._below[rows] - self.moments.mean[self.space._all[rows]]
        where, tied = self._groups(rows)
        np.add.at(found, where, self.moments.mean[tied])
        return np.asarray(2.0 * found)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        where, tied = self._groups(rows)
        each = np.bincount(self.space._all[rows], weights, len(self.moments.log_total))
        each -= np.bincount(tied, weights[where], len(each))
        used = np.flatnonzero(each)
        return np.asarray(4.0 * np.einsum("s,sij->ij", each[used], self.moments.covariance[used]))


def fit_plackett_luce(
    ranks: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    orders: tuple[int, ...] | None = None,
    pseudo: float = 0.0,
    prior: Prior | None = None,
) -> PatternFit:
    """Fit Plackett and Luce's model.
    ranks int[n_persons, J]: 1 = best, equal for ties, BELOW, ABSENT.  terms: of the log worths b, which are
    log-odds.  group int[n_persons]: covariate group of each person.  weights float[n_persons]: number of
    persons with the ranking.  orders: numbers of items that can tie; those observed if not given.  pseudo: pseudo-comparisons: wins and losses of every item
    against a hypothetical one of free worth (0.5 is the default of R's PlackettLuce, 0 ours).  The covariance
    is that of what was maximised; llf and deviance leave the pseudo-comparisons out.  Returns PatternFit: the
    last parameters are the log prevalences of ties, "tie2" and so on."""
    if not (np.isfinite(pseudo) and pseudo >= 0):
        raise InputError(f"pseudo is {pseudo}; expected a finite number >= 0 of pseudo-comparisons")
    data = Ranks(dense(ranks))
    pooled = pool(data.ranks, group, weights, _silent(data))
    own = Ranks(pooled.answers)
    maps, names = item_maps(terms)
    space = LuceSpace(own, orders)
    t = len(space.tie_orders)
    full = [diagonal_blocks([m, np.eye(t)]) for m in maps]
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
    ties_unresolved: bool = False,
) -> PatternFit:
    """Fit the pattern model of rankings, prefmod's pattR.
    ranks int[n_persons, J]: 1 = best, BELOW, ABSENT; equal ranks only with `ties_unresolved`.  terms: of
    the items' parameters lambda; log-odds are twice their differences.  group int[n_persons]: covariate group
    of each person.  weights float[n_persons]: number of persons with the ranking.  ties_unresolved: whether equal ranks say that the person's order is not
    known; a tie that is an answer needs a model of weak orders."""
    data = Ranks(dense(ranks))
    _refuse_ties(data, ties_unresolved)
    pooled = pool(data.ranks, group, weights, _silent(data))
    own = Ranks(pooled.answers)
    maps, names = item_maps(terms)
    _refuse_gaps(own, terms, True, "")
    likelihood = Likelihood(MallowsSpace(own), pooled.group, maps)
    whole = bool((own.ranks.max(axis=1) >= own.presented.sum(axis=1) - 1).all())
    estimate = maximum_likelihood(likelihood, pooled.weights, names, concave=whole)
    return _fit(estimate, likelihood, pooled, own, ())


def _silent(ranks: Ranks) -> BoolArray:
    """Rankings that compare no two items: they say nothing."""
    return np.asarray((ranks.presented.sum(axis=1) < 2) | (ranks.ranks.max(axis=1) == 0))


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
    direction = recession_of(demands_of(likelihood, pooled.weights))
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
    matrix[:n_items, :p], matrix[n_items + 1 :, :p] = maps[0][:n_items], maps[0][n_items:]
    matrix[n_items, p] = 1.0
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
        gradient=found.gradient[:p],
    )


def _fit(
    estimate: Estimate, likelihood: Likelihood, pooled: Pooled, ranks: Ranks, orders: tuple[int, ...]
) -> PatternFit:
    """With the blocks of the saturated model: what was presented, and how many items were ranked."""
    ranked = (ranks.ranks > 0).sum(axis=1)

    def count(keys: IntArray) -> int:
        there, k = int(keys[:-1].sum()), int(keys[-1])
        return comb(there, k) * sequences(k, orders)

    return in_blocks(estimate, likelihood, pooled, np.column_stack([ranks.presented, ranked]), count)


def sequences(n_items: int, orders: tuple[int, ...]) -> int:
    """Number of rankings of all items in groups of 1 or of these numbers of items."""
    found = [1]
    for n in range(1, n_items + 1):
        found.append(sum(comb(n, d) * found[n - d] for d in {1, *orders} if d <= n))
    return found[n_items]
