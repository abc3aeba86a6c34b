"""Why pairs that were compared one by one give no ranking: a circle, or two systems that nothing puts in
order.

Write A > B if A is better than B in their own comparison.  One ranking follows exactly if > has no circle and
every two systems are joined by a chain A > ... > B one way or the other.
"""

from __future__ import annotations

from collections import deque
from itertools import combinations

from .two_systems import TwoSystems, beaten_by


def circle_by(results: tuple[TwoSystems, ...], votes: bool = False) -> tuple[str, ...]:
    """A shortest circle, each system better than the next and the last better than the first; empty if there
    is none.

    Parameters
    ----------
    results : tuple of TwoSystems
    votes : bool
        By majority vote of the judges instead of the sum.

    Returns
    -------
    tuple of str
        Of several shortest, the one that starts with the name that sorts first.
    """
    below = beaten_by(results, votes)
    circles = [found for name in below if (found := _circle_through(name, below))]
    return min(circles, key=len, default=())


def _circle_through(start: str, below: dict[str, set[str]]) -> tuple[str, ...]:
    """A shortest one, by breadth first search."""
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


def unsettled_by(results: tuple[TwoSystems, ...], votes: bool = False) -> tuple[tuple[str, str, bool], ...]:
    """Every two systems that no chain of better and worse puts in order, and whether they were compared (and
    came out even).

    Parameters
    ----------
    results : tuple of TwoSystems
    votes : bool
        By majority vote of the judges instead of the sum.

    Returns
    -------
    tuple of (str, str, bool)
        Names sorted.
    """
    below = beaten_by(results, votes)
    worse = {name: _all_below(name, below) for name in below}
    compared = {frozenset((r.merged.first, r.merged.second)) for r in results}
    return tuple(
        (a, b, frozenset((a, b)) in compared)
        for a, b in combinations(below, 2)
        if b not in worse[a] and a not in worse[b]
    )


def _all_below(start: str, below: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for name in below[left.pop()] - found:
            found.add(name)
            left.append(name)
    return found
