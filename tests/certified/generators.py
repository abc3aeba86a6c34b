"""Invented data sets, drawn with the standard library's `random` and a stated seed.

Only `Random.random()` is used, whose sequence Python promises to keep; the drawn counts are stored in
`data/` and are the data set, this file only says where they came from.

    P(first) : P(tie) : P(second) = e^(b_i + o) : nu sqrt(e^(b_i + o) e^(b_j)) : e^(b_j)   (Davidson 1970)
"""

from __future__ import annotations

import math
import random
from typing import Any

Row = dict[str, Any]


def davidson_counts(
    generator: random.Random, ability: float, opponent: float, nu: float, games: int
) -> tuple[int, int, int]:
    """(wins, ties, losses) in `games` draws; `ability` and `opponent` are log-odds, `nu` >= 0."""
    win, loss = math.exp(ability), math.exp(opponent)
    tie = nu * math.sqrt(win * loss)
    total = win + tie + loss
    wins = ties = 0
    for _ in range(games):
        draw = generator.random() * total
        if draw < win:
            wins += 1
        elif draw < win + tie:
            ties += 1
    return wins, ties, games - wins - ties


def fifteen_items_with_ties(seed: int = 20150615, games: int = 20, nu: float = 0.7) -> list[Row]:
    """All 105 pairs of 15 items, 20 comparisons each; abilities uniform on (-1.5, 1.5) log-odds."""
    generator = random.Random(seed)
    items = [f"I{k:02d}" for k in range(1, 16)]
    ability = {item: 3.0 * generator.random() - 1.5 for item in items}
    rows = []
    for i, first in enumerate(items):
        for second in items[i + 1 :]:
            wins, ties, losses = davidson_counts(generator, ability[first], ability[second], nu, games)
            rows.append({"first": first, "second": second, "wins": wins, "ties": ties, "losses": losses})
    return rows


def both_orders_and_neutral(
    seed: int = 19700301, games: int = 12, neutral: int = 8, nu: float = 0.5, order: float = 0.4
) -> list[Row]:
    """6 items; every ordered pair (`order` 1: the one named first has the advantage) and every pair on
    neutral ground (`order` 0)."""
    generator = random.Random(seed)
    ability = {"A": 0.9, "B": 0.5, "C": 0.1, "D": -0.1, "E": -0.4, "F": -1.0}
    rows = []
    for first in ability:
        for second in ability:
            if first == second:
                continue
            grounds = [(1, games, order)] + ([(0, neutral, 0.0)] if first < second else [])
            for flag, number, advantage in grounds:
                counts = davidson_counts(generator, ability[first] + advantage, ability[second], nu, number)
                named = dict(zip(("wins", "ties", "losses"), counts))
                rows.append({"first": first, "second": second, **named, "order": flag})
    return rows
