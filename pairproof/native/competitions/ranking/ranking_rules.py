"""Rankings of systems without a model: by the rules of shared tasks, by least contradiction, by settled pairs.

With win, tie, loss the counts of a system, and w(s, t) the comparisons in which s was preferred to t::

    origwmt          (win + tie) / (win + tie + loss)      WMT until 2010; raised by a system's own copies
    bojar            win / (win + loss)                    Bojar et al. (2011); no value if all were ties
    expected-wins    mean over t != s of w(s, t) / (w(s, t) + w(t, s))       Callison-Burch et al. (2012)
    playoffs         simulated knock-outs won; s goes on with (1 + w(s, t)) / (2 + w(s, t) + w(t, s))
    lopez            least sum of cost[t, s] = max(0, w(t, s) - w(s, t))  feedback arc set, Lopez (2012)
    most-probable    least sum of cost[t, s] = -log P(theta_st > 1/2)     after Callison-Burch et al. (2012)

cost[t, s] is that of putting t below s; theta_st ~ Beta(1 + w(s, t), 1 + w(t, s)).  The organisers' papers
were not at hand: the uniform prior and the playoffs (random draw, byes, a coin toss without a decided
comparison) are our choice.

The least cost is exact: dynamic programming over subsets (Lawler 1964) in the strong components of "putting
one below the other has a cost"; a component of more than 20 systems as an integer program by HiGHS
(scipy.optimize.milp), x_ij = 1 if i stands before j (i < j; Groetschel, Juenger and Reinelt 1984)::

    minimise   sum over i < j of  x_ij cost[j, i] + (1 - x_ij) cost[i, j]
    subject to 0 <= x_ij + x_jk - x_ik <= 1   for all i < j < k      no cycle of three, hence none at all

Settled pairs: A > B if A is better in their own comparison, by the sum of comparisons or a majority of the
judges (Vilar, Leusch and Ney 2007, section 3).  One ranking follows exactly if > has no cycle and chains join
every two systems.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ....data.comparisons import Comparisons
from ....data.graph import strong_components
from ....data.judgments import check_one_track, preference_counts
from ....data.options import whole_number
from ....errors import InputError
from ....numerics.arrays import FloatArray, IntArray
from .two_systems import TwoSystems

Compared = tuple[TwoSystems, ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """A number for each system, larger is better.
    values float[n_items]: nan where the rule gives no value.  se float[n_items] or None: Monte Carlo standard
    errors, where there was a simulation."""

    name: str
    items: tuple[str, ...]
    values: FloatArray
    se: FloatArray | None = None

    @property
    def ranking(self) -> tuple[str, ...]:
        """Best first; equal values in the order of `items`, systems without a value left out."""
        order = np.argsort(-self.values, kind="stable")
        return tuple(self.items[k] for k in order if not np.isnan(self.values[k]))

    def to_dict(self) -> dict[str, float | None]:
        """Score of each system; None where the rule gives none."""
        return {item: None if np.isnan(v) else float(v) for item, v in zip(self.items, self.values)}


def _record(table: Comparisons) -> FloatArray:
    """float[3, n_items]: ties, wins, losses of every system."""
    return np.asarray(preference_counts(table).sum(axis=1).T)


def orig_wmt(table: Comparisons) -> Scores:
    """Share not lost, (win + tie) / (win + tie + loss): WMT's rule until 2010.
    nan for a system never compared.  Returns Scores: in [0, 1]."""
    tie, win, loss = _record(table)
    return Scores("ORIGWMT", table.items, _ratio(win + tie, win + tie + loss))


def bojar(table: Comparisons) -> Scores:
    """Share won of decided comparisons, win / (win + loss) (Bojar et al. 2011); nan for a system without any.
    Returns Scores: in [0, 1]."""
    _, win, loss = _record(table)
    return Scores("BOJAR", table.items, _ratio(win, win + loss))


def expected_wins(table: Comparisons) -> Scores:
    """Mean over the opponents of the share of decided comparisons won (Callison-Burch et al. 2012).
    Opponents against whom none was decided do not count; nan for a system without any other.  Returns Scores:
    in [0, 1]."""
    won = preference_counts(table)[:, :, 1]
    share = _ratio(won, won + won.T)
    met = ~np.isnan(share)
    mean = _ratio(np.where(met, share, 0.0).sum(axis=1), met.sum(axis=1).astype(float))
    return Scores("Expected Wins", table.items, mean)


def monte_carlo_playoffs(table: Comparisons, tournaments: int = 10_000, seed: int = 0) -> Scores:
    """Share of simulated knock-out tournaments won, after the organisers of WMT 2012.
    Returns Scores: with Monte Carlo standard errors."""
    whole_number("tournaments", tournaments, 1)
    rng = np.random.default_rng(whole_number("seed", seed))
    n = len(table.items)
    won = preference_counts(table)[:, :, 1]
    goes_on = (1.0 + won) / (2.0 + won + won.T)
    size = 1 << (n - 1).bit_length()
    # No two byes may meet: they fill the second seat of the first size - n matches, systems the rest.
    drawn = rng.permuted(np.tile(np.arange(n), (tournaments, 1)), axis=1)
    field = np.full((tournaments, size), -1)
    matches_with_bye = size - n
    field[:, 0 : 2 * matches_with_bye : 2] = drawn[:, :matches_with_bye]
    field[:, 2 * matches_with_bye :] = drawn[:, matches_with_bye:]
    while field.shape[1] > 1:
        a, b = field[:, 0::2], field[:, 1::2]
        first = (b < 0) | (rng.random(a.shape) < goes_on[a, b])
        field = np.where(first, a, b)
    share = np.bincount(field[:, 0], minlength=n) / tournaments
    return Scores("Monte Carlo Playoffs", table.items, share, np.sqrt(share * (1 - share) / tournaments))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0))


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
    cost: what the ranking pays: comparisons contradicted, or -log probability.  unique: whether every other
    ranking pays more."""

    name: str
    ranking: tuple[str, ...]
    cost: float
    unique: bool


def minimum_feedback_arc_set(table: Comparisons) -> Order:
    """Lopez's (2012) ranking: the surplus of preferences that it contradicts is as small as can be.
    Returns Order: `cost` counts comparisons."""
    won = preference_counts(table)[:, :, 1]
    return _order("minimum feedback arc set", table, np.maximum(won - won.T, 0.0))


def most_probable_ranking(table: Comparisons) -> Order:
    """The ranking with the largest product of the probabilities that its pairs stand right.
    After Callison-Burch et al. (2012), with a uniform prior for each pair.  Returns Order: `cost` is minus
    the logarithm of the product."""
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
    paid = sum(float(cost[low, high]) for k, low in enumerate(order) for high in order[:k])
    return Order(name, tuple(table.items[k] for k in order), paid, unique)


def best_order(cost: FloatArray) -> tuple[list[int], bool]:
    """The cheapest order, first place first, and whether it is the only one.
    By dynamic programming (Lawler 1964) or as an integer program (Groetschel, Juenger and Reinelt 1984).
    cost float[n, n]: cost[t, s] >= 0 is paid if t comes after s.  Returns list of int, bool: of several
    cheapest orders, one chosen by the systems' positions alone."""
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
    below."""
    left = [np.flatnonzero(component == k) for k in np.unique(component)]
    while left:
        for k, members in enumerate(left):
            others = [o for j, part in enumerate(left) if j != k for o in part]
            if not (cost[np.ix_(others, members)] > 0).any():
                yield left.pop(k)
                break


def _by_subsets(cost: FloatArray) -> tuple[list[int], bool]:
    """Dynamic programming over subsets; bit v of a subset's number says that v is among those placed
    first."""
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
    InputError for more than 60 systems, or without a proof within the time limit."""
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

    constraints = [LinearConstraint(matrix, low, high) for matrix, low, high in limits]
    how = {"integrality": np.ones(len(price)), "options": {"mip_rel_gap": 0.0, "time_limit": TIME_LIMIT}}
    found = milp(price, constraints=constraints, bounds=Bounds(0.0, 1.0), **how)
    if found.status != 0:
        raise InputError(
            f"{n} systems that cannot be parted: the best order was not proved within {TIME_LIMIT:g} s"
            f" ({found.message}); leave systems out, or rank them by a score (expected wins, a fitted model)"
        )
    return np.asarray(found.x)


@dataclass(frozen=True)
class Ranking:
    """One rule's ranking of a table's systems.
    ranking: best first; empty if the rule gives none.  notes: equal scores, systems without a score, why
    there is no ranking."""

    rule: str
    ranking: tuple[str, ...]
    notes: tuple[str, ...] = ()


def all_rankings(table: Comparisons, seed: int = 0) -> dict[str, Ranking]:
    """Every rule's ranking of the systems that are compared.
    Returns dict of rule to Ranking: a rule that refuses the table says why in its notes."""
    whole_number("seed", seed)
    check_one_track(table)
    own = table.only_compared()
    rules: Mapping[str, Callable[[], Scores | Order]] = {
        "origwmt": lambda: orig_wmt(own),
        "bojar": lambda: bojar(own),
        "lopez": lambda: minimum_feedback_arc_set(own),
        "most-probable": lambda: most_probable_ranking(own),
        "playoffs": lambda: monte_carlo_playoffs(own, seed=seed),
        "expected-wins": lambda: expected_wins(own),
    }
    return {name: _ranking(name, rule) for name, rule in rules.items()}


def _ranking(name: str, rule: Callable[[], Scores | Order]) -> Ranking:
    try:
        found = rule()
    except InputError as refusal:
        return Ranking(name, (), (f"no ranking: {refusal}",))
    if isinstance(found, Order):
        return Ranking(name, found.ranking, () if found.unique else ("other orders contradict as little",))
    notes = []
    lacking = [item for item, value in zip(found.items, found.values) if np.isnan(value)]
    if lacking:
        notes.append(f"no score: {', '.join(lacking)}")
    values = found.values[~np.isnan(found.values)]
    if len(np.unique(values)) < len(values):
        notes.append("equal scores, in the order of the table")
    return Ranking(name, found.ranking, tuple(notes))


def settled_ranking(results: Compared, votes: bool = False) -> tuple[str, ...] | None:
    """The systems from best to worst, if the comparisons settle one order.
    votes: by majority vote of the judges instead of the sum of comparisons.  Returns tuple of str or None: none
    where no one order follows: an even pair, a cycle, a pair that was left out; :func:`shortest_cycle` and
    :func:`unsettled_pairs` say which."""
    below = _beaten(results, votes)
    order: list[str] = []
    beaten = set(below)
    while below:
        top = [name for name in below if not any(name in worse for worse in below.values())]
        if len(top) != 1 or top[0] not in beaten:
            return None
        order.append(top[0])
        beaten = below.pop(top[0])
    return tuple(order)


def shortest_cycle(results: Compared, votes: bool = False) -> tuple[str, ...]:
    """A shortest cycle: each system is better than the next, and the last better than the first.
    Empty if there is none.  Returns tuple of str: of several shortest cycles, the one that starts with the
    name that sorts first."""
    below = _beaten(results, votes)
    cycles = [found for name in below if (found := _cycle_through(name, below))]
    return min(cycles, key=len, default=())


def unsettled_pairs(results: Compared, votes: bool = False) -> tuple[tuple[str, str, bool], ...]:
    """Every two systems that no chain of better and worse puts in order.
    Returns tuple of (str, str, bool): both names, sorted, and whether the two were compared (and came out
    even)."""
    below = _beaten(results, votes)
    worse = {name: _all_below(name, below) for name in below}
    compared = {frozenset((r.merged.first, r.merged.second)) for r in results}
    open_pairs = ((a, b) for a, b in combinations(below, 2) if b not in worse[a] and a not in worse[b])
    return tuple((a, b, frozenset((a, b)) in compared) for a, b in open_pairs)


def _beaten(results: Compared, votes: bool) -> dict[str, set[str]]:
    """Each system, sorted by name, and those that it beats in their own comparison."""
    names = {name for r in results for name in (r.merged.first, r.merged.second)}
    below: dict[str, set[str]] = {name: set() for name in sorted(names)}
    for r in results:
        one = r.votes if votes else r.merged
        if one is not None and one.better is not None:
            below[one.better].add(one.second if one.better == one.first else one.first)
    return below


def _cycle_through(start: str, below: dict[str, set[str]]) -> tuple[str, ...]:
    """A shortest one, by breadth-first search."""
    came_from: dict[str, str] = {}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for name in sorted(below[here]):
            if name == start:
                chain = [here]
                while chain[-1] != start:
                    chain.append(came_from[chain[-1]])
                return tuple(reversed(chain))
            if name not in came_from:
                came_from[name] = here
                queue.append(name)
    return ()


def _all_below(start: str, below: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for name in below[left.pop()] - found:
            found.add(name)
            left.append(name)
    return found
