"""Rankings that contradict the data least.

For every pair a ranking puts one system above the other; to put t below s costs cost[t, s].  There are two
costs::

    minimum feedback arc set   cost[t, s] = max(0, w(t, s) - w(s, t))       Lopez (2012)
    most probable ranking      cost[t, s] = -log P(theta_st > 1/2)          after Callison-Burch et al. (2012)

w(s, t) are the comparisons in which s was preferred to t; theta_st is the probability that s is preferred to
t when one of them is, with a uniform prior, so Beta(1 + w(s, t), 1 + w(t, s)) a posteriori.  The second is
the ranking that maximises the product over its pairs of the probability that they are in the right order; the
prior is our choice, since the organisers' paper was not at hand.

The solution is exact.  The best order of a set of systems with v last is the best order of the others
followed by v, which adds the cost of putting v below them, so dynamic programming over the 2**n subsets finds
the optimum (Lawler 1964).  The systems are first divided into the strong components of the relation "putting
one below the other has a cost"; between components an optimal order costs nothing.  One component of more
than 20 systems is solved as an integer program by HiGHS (scipy.optimize.milp), with x_ij = 1 if i stands
before j (i < j; Groetschel, Juenger and Reinelt 1984)::

    minimise   sum over i < j of  x_ij cost[j, i] + (1 - x_ij) cost[i, j]
    subject to 0 <= x_ij + x_jk - x_ik <= 1   for all i < j < k      no cycle of three, hence none at all
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.graph import strong_components
from ...data.judgments import preference_counts
from ...errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Systems up to which an order is found by dynamic programming: 2**20 subsets take a second or two and some
#: 30 MB.
MOST_IN_SUBSETS = 20
#: Systems up to which it is found by an integer program; 60 make 34,220 cycles of three.
MOST_IN_PROGRAM = 60
#: Seconds for each of the two programs; shared tasks take hundredths.
TIME_LIMIT = 60.0
#: HiGHS stops within 1e-6 of the smallest cost; what differs by less counts as equal.
GAP = 2e-6


@dataclass(frozen=True)
class Order:
    """A ranking that contradicts the comparisons least.

    name: of the rule.  ranking: best first.  cost: what the ranking pays: comparisons contradicted, or -log
    probability.  unique: whether every other ranking pays more.
    """

    name: str
    ranking: tuple[str, ...]
    cost: float
    unique: bool


def minimum_feedback_arc_set(table: Comparisons) -> Order:
    """Lopez's (2012) ranking: the surplus of preferences that it contradicts is as small as can be.

    Returns Order: `cost` counts comparisons.
    """
    won = preference_counts(table)[:, :, 1]
    return _order("minimum feedback arc set", table, np.maximum(won - won.T, 0.0))


def most_probable_ranking(table: Comparisons) -> Order:
    """The ranking with the largest product of the probabilities that its pairs stand right.

    After Callison-Burch et al. (2012), with a uniform prior for each pair.

    Returns Order: `cost` is minus the logarithm of the product.
    """
    from scipy.special import betainc

    won = preference_counts(table)[:, :, 1]
    # P(theta_ts < 1/2) = I_1/2(1 + w(t, s), 1 + w(s, t)): that s, put above t, is the better one.
    # Below 1e-308 a probability is held there: such a pair is not contradicted in any case.
    right = np.maximum(betainc(1.0 + won, 1.0 + won.T, 0.5), np.finfo(float).tiny)
    return _order("most probable ranking", table, -np.log(right))


def _order(name: str, table: Comparisons, cost: FloatArray) -> Order:
    cost = cost.copy()
    np.fill_diagonal(cost, 0.0)
    # Any order pays at least the smaller of a pair's two costs.  With that taken off, a pair costs nothing
    # one way, and the systems fall into parts.
    order, unique = best_order(np.maximum(cost - cost.T, 0.0))
    paid = sum(
        float(cost[order[later], order[earlier]]) for later in range(len(order)) for earlier in range(later)
    )
    return Order(name, tuple(table.items[k] for k in order), paid, unique)


def best_order(cost: FloatArray) -> tuple[list[int], bool]:
    """The cheapest order, first place first, and whether it is the only one.

    By dynamic programming (Lawler 1964) or as an integer program (Groetschel, Juenger and Reinelt 1984).

    cost float[n, n]: cost[t, s] >= 0 is paid if t comes after s.  Returns list of int, bool: of several
    cheapest orders, one chosen by the systems' positions alone.
    """
    t, s = np.nonzero(cost > 0)
    component = strong_components(t, s, len(cost))
    parts = list(_parts(cost, component))
    order: list[int] = []
    unique = True
    for members in parts:
        part = cost[np.ix_(members, members)]
        inner, only = _by_subsets(part) if len(members) <= MOST_IN_SUBSETS else _by_integer_program(part)
        order += [int(members[k]) for k in inner]
        unique = bool(unique and only)
    # Where components have one best order each, the best orders are those that keep it and pay nothing
    # between components; there is one only if no two neighbours of different components could change places.
    for above, below in zip(order, order[1:]):
        unique = unique and bool(component[above] == component[below] or cost[above, below] > 0)
    return order, unique


def _parts(cost: FloatArray, component: IntArray) -> Iterator[IntArray]:
    """Components from the top: each is preceded only by those that no later one costs anything to be put
    below.
    """
    left = [np.flatnonzero(component == k) for k in np.unique(component)]
    while left:
        for k, members in enumerate(left):
            others = [o for j, part in enumerate(left) if j != k for o in part]
            if not (cost[np.ix_(others, members)] > 0).any():
                yield left.pop(k)
                break


def _by_subsets(cost: FloatArray) -> tuple[list[int], bool]:
    """Dynamic programming over subsets; bit v of a subset's number says that v is among those placed
    first.
    """
    n = len(cost)
    if n == 1:
        return [0], True
    best = np.full(1 << n, np.inf)
    best[0] = 0.0
    ways = np.zeros(1 << n)
    ways[0] = 1.0
    last = np.zeros(1 << n, np.int8)
    paid = [_sums(cost[v]) for v in range(n)]
    scale = 1e-12 * max(1.0, float(cost.sum()))
    for subsets in _by_size(n):
        for v in range(n):
            whole = subsets[subsets >> v & 1 == 1]
            rest = whole ^ (1 << v)
            here = best[rest] + paid[v][rest]
            better, equal = here < best[whole] - scale, np.abs(here - best[whole]) <= scale
            ways[whole] = np.where(better, ways[rest], ways[whole] + np.where(equal, ways[rest], 0.0))
            best[whole[better]], last[whole[better]] = here[better], v
    order: list[int] = []
    subset = (1 << n) - 1
    while subset:
        v = int(last[subset])
        order.append(v)
        subset ^= 1 << v
    return order[::-1], bool(ways[-1] == 1.0)


def _sums(row: FloatArray) -> FloatArray:
    """float[2**n]: the sum of `row` over every subset."""
    out = np.zeros(1)
    for value in row:
        out = np.concatenate([out, out + value])
    return out


def _by_size(n: int) -> Iterator[IntArray]:
    """All subsets with 1, 2, ..., n members."""
    size = _sums(np.ones(n)).astype(np.int8)
    order = np.argsort(size, kind="stable")
    bounds = np.searchsorted(size[order], np.arange(1, n + 2))
    for low, high in zip(bounds, bounds[1:]):
        yield order[low:high]


def _by_integer_program(cost: FloatArray) -> tuple[list[int], bool]:
    """As :func:`best_order`, by HiGHS; whether it is the only one: the same program without that order.

    InputError for more than 60 systems, or without a proof within the time limit.
    """
    n = len(cost)
    if n > MOST_IN_PROGRAM:
        raise InputError(
            f"{n} systems cannot be parted (each beats each along some chain of comparisons); the exact"
            f" search takes at most {MOST_IN_PROGRAM}. Leave systems out, or rank them by a score (expected"
            " wins, a fitted model)"
        )
    left, right = np.array(list(combinations(range(n), 2))).T
    price = cost[right, left] - cost[left, right]
    cycles = _cycles(n)
    best = _solved(price, [(cycles, 0.0, 1.0)], n)
    ahead = best > 0.5
    sign = np.where(ahead, 1.0, -1.0)
    other = _solved(price, [(cycles, 0.0, 1.0), (sign[None, :], -np.inf, float(ahead.sum()) - 1.0)], n)
    # Who stands before more systems stands before; without cycles these numbers are all different.
    before = np.bincount(left[ahead], minlength=n) + np.bincount(right[~ahead], minlength=n)
    unique = float(price @ (other > 0.5)) > float(price @ ahead) + GAP
    return [int(k) for k in np.argsort(-before, kind="stable")], unique


def _cycles(n: int) -> Any:
    """One row for each three systems: x_ij + x_jk - x_ik."""
    from scipy.sparse import csr_matrix

    number = np.zeros((n, n), np.int64)
    number[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
    i, j, k = np.array(list(combinations(range(n), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1).ravel()
    rows = np.repeat(np.arange(len(i)), 3)
    return csr_matrix((np.tile([1.0, 1.0, -1.0], len(i)), (rows, columns)), (len(i), n * (n - 1) // 2))


def _solved(price: FloatArray, limits: list[tuple[Any, float, float]], n: int) -> FloatArray:
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(
        price,
        constraints=[LinearConstraint(matrix, low, high) for matrix, low, high in limits],
        integrality=np.ones(len(price)),
        bounds=Bounds(0.0, 1.0),
        options={"mip_rel_gap": 0.0, "time_limit": TIME_LIMIT},
    )
    if found.status != 0:
        raise InputError(
            f"{n} systems that cannot be parted: the best order was not proved within {TIME_LIMIT:g} s"
            f" ({found.message}); leave systems out, or rank them by a score (expected wins, a fitted model)"
        )
    return np.asarray(found.x)
