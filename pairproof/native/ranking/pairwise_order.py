"""The one ranking that comparisons of two systems at a time settle, or why they settle none.

Write A > B if A is better than B in their own comparison, by the sum of sentences or by a majority of the
judges (Vilar, Leusch and Ney 2007, section 3).  One ranking follows exactly if > has no cycle and every two
systems are joined by a chain A > ... > B one way or the other.
"""

from __future__ import annotations

from collections import deque
from itertools import combinations

from .two_systems import TwoSystems


def settled_ranking(results: tuple[TwoSystems, ...], votes: bool = False) -> tuple[str, ...] | None:
    """The systems from best to worst, if the comparisons settle one order.

    results: from :func:`pairproof.native.ranking.two_systems.compare_all_pairs`.  votes: by majority vote of
    the judges instead of the sum of sentences.  Returns tuple of str or None: none where no one order
    follows: an even pair, a cycle, a pair that was left out; :func:`shortest_cycle` and
    :func:`unsettled_pairs` say which.
    """
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


def shortest_cycle(results: tuple[TwoSystems, ...], votes: bool = False) -> tuple[str, ...]:
    """A shortest cycle: each system is better than the next, and the last better than the first.

    Empty if there is none.

    Other parameters are those of :func:`pairproof.native.ranking.pairwise_order.settled_ranking`.

    Returns tuple of str: of several shortest cycles, the one that starts with the name that sorts first.
    """
    below = _beaten(results, votes)
    cycles = [found for name in below if (found := _cycle_through(name, below))]
    return min(cycles, key=len, default=())


def unsettled_pairs(
    results: tuple[TwoSystems, ...], votes: bool = False
) -> tuple[tuple[str, str, bool], ...]:
    """Every two systems that no chain of better and worse puts in order.

    Other parameters are those of :func:`pairproof.native.ranking.pairwise_order.settled_ranking`.

    Returns tuple of (str, str, bool): both names, sorted, and whether the two were compared (and came out
    even).
    """
    below = _beaten(results, votes)
    worse = {name: _all_below(name, below) for name in below}
    compared = {frozenset((r.merged.first, r.merged.second)) for r in results}
    return tuple(
        (a, b, frozenset((a, b)) in compared)
        for a, b in combinations(below, 2)
        if b not in worse[a] and a not in worse[b]
    )


def _beaten(results: tuple[TwoSystems, ...], votes: bool) -> dict[str, set[str]]:
    """Each system, sorted by name, and those that it beats in their own comparison."""
    below: dict[str, set[str]] = {
        name: set() for name in sorted({name for r in results for name in (r.merged.first, r.merged.second)})
    }
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
