"""The saturated model, by which deviance and degrees of freedom are measured.

It gives free probabilities to the answers that are possible within a *block*: the persons of one covariate
group who answered the same comparisons, rated the same items, or were presented the same items and ranked as
many of them.

    deviance = 2 (sum n log(n / n_block) - log L),      df = sum over blocks (possible answers - 1) -
    parameters

Possible answers are counted by writing them out.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf

from tests.certified.answers.alternatives import Answer, weak_orders
from tests.certified.answers.models import Model

Key = tuple[Any, ...]


def dense(ratings: Sequence[int | None]) -> Answer:
    """Places 0, 1, ... of the rated items."""
    levels = sorted({r for r in ratings if r is not None})
    return tuple(None if r is None else levels.index(r) for r in ratings)


def completed(ranks: Sequence[int | None]) -> Answer:
    """Ranks in which a single item below all others has the last place: the same answer."""
    open_places = [i for i, r in enumerate(ranks) if r is None]
    if len(open_places) != 1:
        return dense(ranks)
    last = max(r for r in ranks if r is not None) + 1
    return dense([last if r is None else r for r in ranks])


def as_said(answer: Answer, layout: str, unranked: str | None, times: int) -> Answer:
    """The answer in the one form that equal answers share."""
    if layout == "pairs":
        return tuple(answer)
    if layout == "ranks":
        return completed(answer) if unranked == "below" else dense(answer)
    n = len(answer) // times
    return tuple(x for t in range(times) for x in dense(answer[t * n : (t + 1) * n]))


@lru_cache(maxsize=None)
def n_weak_orders(n_items: int, places: int) -> int:
    """Weak orders of so many items in at most so many places; 1 of a single item or none."""
    return len(weak_orders(n_items, places)) if n_items > 1 else 1


@lru_cache(maxsize=None)
def n_sequences(there: int, ranked: int, tie_orders: tuple[int, ...]) -> int:
    """Ways to rank so many of those that are there, in groups of possible sizes."""
    found = 0
    for chosen in itertools.combinations(range(there), ranked):
        del chosen
        found += sum(
            all(size == 1 or size in tie_orders for size in Counter(order).values())
            for order in weak_orders(ranked, ranked)
        )
    return found


def possible(answer: Answer, model: Model, layout: str, unranked: str | None) -> tuple[Key, int]:
    """What identifies the block of an answer, and the number of possible answers in it."""
    there = tuple(a is not None for a in answer)
    if model.alpha:
        return (), (4 if model.ties else 3) ** len(answer)
    if layout == "pairs":
        return there, (3 if model.ties else 2) ** sum(there)
    if layout == "ranks":
        presented = there if unranked == "absent" else (True,) * len(answer)
        return (presented, sum(there)), n_sequences(sum(presented), sum(there), model.tie_orders)
    n, number = len(answer) // model.times, 1
    for t in range(model.times):
        number *= n_weak_orders(sum(there[t * n : (t + 1) * n]), min(n, model.categories or n))
    return there, number


def saturated(
    answers: Sequence[tuple[int, Answer, Any]], model: Model, layout: str, unranked: str | None
) -> tuple[mpf, int]:
    """Saturated log-likelihood and sum over blocks of (possible answers - 1); answers are (weight, answer,
    group)."""
    rows: Counter[Key] = Counter()
    blocks: Counter[Key] = Counter()
    size: dict[Key, int] = {}
    for weight, answer, group in answers:
        said = as_said(answer, layout, unranked, model.times)
        block, number = possible(said, model, layout, unranked)
        key = (group, block)
        rows[key, said] += weight
        blocks[key] += weight
        size[key] = number
    llf = mp.fsum(n * mp.log(mpf(n) / blocks[key]) for (key, _), n in rows.items())
    return llf, sum(n - 1 for n in size.values())
