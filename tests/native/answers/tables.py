"""Tables of whole answers for tests: the rankings of the specifications, and answers drawn by chance."""

from __future__ import annotations

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from tests.native.answers.patterns.data import FRUIT, SALAD, SALAD_PERSONS


def salad() -> Respondents:
    """32 strict rankings of four salads (Critchlow and Fligner 1991)."""
    return Respondents.build("ABCD", "rankings", SALAD, weights=SALAD_PERSONS)


def fruit() -> Respondents:
    """Six rankings with ties and items that were not presented."""
    return Respondents.build(
        ["apple", "banana", "orange", "pear"], "rankings", np.where(FRUIT == 0, -1, FRUIT)
    )


def votes(
    n: int = 200, gaps: float = 0.1, ties: float = 0.2, seed: int = 1, items: str = "ABCD"
) -> Respondents:
    """Comparisons of n persons of two groups and various ages."""
    draws = np.random.default_rng(seed)
    lam = np.linspace(0.6, 0.0, len(items))
    sex, age = draws.integers(0, 2, n), draws.integers(20, 60, n).astype(float)
    pairs = [(i, j) for j in range(len(items)) for i in range(j)]
    columns = []
    for i, j in pairs:
        eta = 2.0 * (lam[i] - lam[j]) + 0.4 * sex * (i == 0)
        y = np.where(draws.random(n) < 1.0 / (1.0 + np.exp(-eta)), 1, -1)
        y[draws.random(n) < ties] = 0
        y[draws.random(n) < gaps] = 9
        columns.append(y)
    answers = np.column_stack(columns)
    return Respondents.build(
        items,
        "comparisons",
        answers,
        tie_category=ties > 0,
        columns={"sex": Factor(sex, ("m", "f")), "age": age},
        item_data={"size": np.arange(len(items), dtype=float) ** 2},
    )


def ratings(n: int = 150, times: int = 1, points: int = 5, seed: int = 2) -> Respondents:
    """Ratings of three items, the first the best on the whole."""
    draws = np.random.default_rng(seed)
    mean = np.array([0.35, 0.5, 0.6])
    scores = draws.beta(4 * mean, 4 * (1 - mean), (n, times, 3))
    codes = np.clip(np.ceil(scores * points), 1, points).astype(np.int64)
    names = [str(k + 1) for k in range(times)] if times > 1 else ()
    return Respondents.build(
        "ABC", "ratings", codes, scale=[float(k + 1) for k in range(points)], times=names
    )
