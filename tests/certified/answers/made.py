"""Invented persons, drawn with the standard library's `random` and a stated seed.

Only `Random.random()` is used, whose sequence Python promises to keep.  What was drawn is stored in `data/`
and is the data set; this file only says where it came from.  A person likes item i by ability_i + own noise,
and prefers, ranks or rates by that; the noise is what makes a person's answers depend on each other.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from tests.certified.answers.alternatives import pairs

Row = dict[str, Any]
ITEMS = ("A", "B", "C", "D", "E")


def likings(draw: random.Random, abilities: Sequence[float], spread: float) -> list[float]:
    """Abilities with a person's own noise: sums of four uniform numbers, standard deviation `spread`."""
    noise = [sum(draw.random() for _ in range(4)) - 2.0 for _ in abilities]
    return [a + spread * math.sqrt(3.0) * e for a, e in zip(abilities, noise)]


def preference(draw: random.Random, difference: float, nu: float) -> int:
    """+1, 0 or -1 by Davidson's model for a difference of log-odds."""
    win, loss = math.exp(difference / 2), math.exp(-difference / 2)
    at = draw.random() * (win + nu + loss)
    return 1 if at < win else 0 if at < win + nu else -1


def with_gaps(draw: random.Random, answers: Sequence[int], rate: float) -> list[int | None]:
    return [None if draw.random() < rate else a for a in answers]


def questions(seed: int = 19520712, persons: int = 150) -> list[Row]:
    """Comparisons of four items with ties, 8 % of them not answered, by two groups that differ in item A."""
    draw, rows = random.Random(seed), []
    for k in range(persons):
        sex = 1 + k % 2
        own = likings(draw, (0.6 if sex == 1 else -0.4, 0.3, 0.1, 0.0), 0.7)
        given = [preference(draw, own[i] - own[j], 0.6) for i, j in pairs(4)]
        rows.append({"weight": 1, "answers": with_gaps(draw, given, 0.08), "sex": sex})
    return rows


def two_kinds(seed: int = 19680101, persons: int = 240) -> list[Row]:
    """Comparisons of four items without ties by persons of two kinds, 60 % and 40 %, who answer
    independently."""
    draw, rows = random.Random(seed), []
    for _ in range(persons):
        own = (1.8, 0.6, 0.2, 0.0) if draw.random() < 0.6 else (-1.6, 0.8, -0.4, 0.0)
        rows.append({"weight": 1, "answers": [preference(draw, own[i] - own[j], 0.0) for i, j in pairs(4)]})
    return rows


def silent(seed: int = 20120401, persons: int = 320) -> list[Row]:
    """Comparisons of four items without ties; who prefers A does not like to say so."""
    draw, rows = random.Random(seed), []
    own, shy = (0.9, 0.4, 0.1, 0.0), (0.9, 0.0, -0.3, 0.0)
    for _ in range(persons):
        answers: list[int | None] = []
        for i, j in pairs(4):
            y = preference(draw, own[i] - own[j], 0.0)
            odds = math.exp(-1.9 + y * (shy[i] - shy[j]))
            answers.append(None if draw.random() < odds / (1 + odds) else y)
        rows.append({"weight": 1, "answers": answers})
    return rows


def rating(liking: float) -> int:
    """1 (best) to 5."""
    return 1 + sum(liking < cut for cut in (1.2, 0.4, -0.4, -1.2))


def ratings(seed: int = 19320601, persons: int = 160) -> list[Row]:
    """Ratings of four items on five points, 6 % missing; who rated fewer than two is left out."""
    draw, rows = random.Random(seed), []
    for _ in range(persons):
        given = with_gaps(draw, [rating(x) for x in likings(draw, (0.7, 0.2, 0.0, -0.5), 0.9)], 0.06)
        if sum(a is not None for a in given) > 1:
            rows.append({"weight": 1, "answers": given})
    return rows


def panel(seed: int = 19610801, persons: int = 140) -> list[Row]:
    """Ratings of three items on five points at two times, with noise that persons keep; 8 % missed the second
    time."""
    draw, rows = random.Random(seed), []
    for _ in range(persons):
        kept = likings(draw, (0.5, 0.1, -0.3), 0.7)
        first = [rating(x) for x in likings(draw, kept, 0.6)]
        moved = [kept[0] - 0.4, kept[1] + 0.3, kept[2]]
        second: list[int | None] = [rating(x) for x in likings(draw, moved, 0.6)]
        rows.append({"weight": 1, "answers": [*first, *([None] * 3 if draw.random() < 0.08 else second)]})
    return rows


def best_first(own: Sequence[float]) -> list[int]:
    order = sorted(range(len(own)), key=lambda i: -own[i])
    return [order.index(i) + 1 for i in range(len(own))]


def ranks(seed: int = 19570415, persons: int = 160) -> list[Row]:
    """The best one to five of five items, the others below them, by persons of two regions."""
    draw, rows = random.Random(seed), []
    for k in range(persons):
        region = 1 + k % 2
        places = best_first(likings(draw, (0.8, 0.4 if region == 1 else -0.5, 0.2, 0.0, -0.2), 0.9))
        told = 1 + int(5 * draw.random())
        rows.append({"weight": 1, "answers": [p if p <= told else None for p in places], "region": region})
    return rows


def shared_places(seed: int = 20200223, persons: int = 130) -> list[Row]:
    """Rankings of three to five of five items (the others were not presented), some places shared by two or
    three."""
    draw, rows = random.Random(seed), []
    for _ in range(persons):
        own = likings(draw, (0.7, 0.3, 0.1, 0.0, -0.4), 1.0)
        number = 3 + int(3 * draw.random())
        there = sorted(sorted(range(5), key=lambda _: draw.random())[:number])
        order = sorted(there, key=lambda i: -own[i])
        answers: list[int | None] = [None] * 5
        place = size = 1
        for k, item in enumerate(order):
            shared = k and size < 3 and own[order[k - 1]] - own[item] < 0.25
            place, size = (place, size + 1) if shared else (place + (1 if k else 0), 1)
            answers[item] = place
        rows.append({"weight": 1, "answers": answers})
    return rows
