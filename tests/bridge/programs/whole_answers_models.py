"""Fits of whole answers whose numbers R is asked for: their answers come from a fixed rule, so that records keep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.fit.fit import Fit
from pairproof.native.answers.pattern_models import fit_pattern
from pairproof.native.answers.plackett_luce import fit_plackett_luce
from tests.native.answers.tables import fruit, salad


def rule(n: int, m: int, values: int, step: int = 1) -> np.ndarray:
    """int[n, m] from 0 to values - 1, by a linear congruence (Knuth's MMIX), the same with every numpy."""
    state, found = step, []
    for _ in range(n * m):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        found.append((state >> 33) % values)
    return np.array(found, dtype=np.int64).reshape(n, m)


N = 60
COLUMNS = {"sex": Factor(rule(N, 1, 2, 5)[:, 0], ("m", "f")), "age": 2.0 + rule(N, 1, 3, 6)[:, 0] / 4.0}
ITEM_DATA = {"size": np.array([1.0, 2.0, 4.0, 3.0])}


def table(kind, answers, items="ABCD", **options) -> Respondents:
    of_items = ITEM_DATA if len(items) == 4 else {}
    return Respondents.build(items, kind, answers, columns=COLUMNS, item_data=of_items, **options)


def comparisons(gaps: bool = False, ties: bool = True) -> Respondents:
    answers = rule(N, 6, 3 if ties else 2) - 1
    answers = np.where(answers == 0, 0 if ties else 1, answers)
    if gaps:
        answers = np.where(rule(N, 6, 6, 2) == 0, 9, answers)
    return table("comparisons", answers, tie_category=ties)


def orders(times: int = 1, items: int = 4) -> np.ndarray:
    return np.argsort(rule(N * times, items, 10**9, 3), axis=1).reshape(N, times, items) + 1


def ratings(times: int = 1, points: int = 5) -> Respondents:
    items = "ABCD" if times == 1 else "ABC"
    answers = rule(N * times, len(items), points, 4).reshape(N, times, len(items)) + 1
    return table(
        "ratings",
        answers,
        items,
        scale=[float(k + 1) for k in range(points)],
        times=["first", "second"][:times] if times > 1 else (),
    )


def top() -> Respondents:
    ranks = orders()
    return table("rankings", np.where((ranks > 2) & (np.arange(N) < 30)[:, None, None], 0, ranks))


#: Name -> the fit, made when it is asked for.
FITS: dict[str, Callable[[], Fit]] = {
    "rankings": lambda: fit_pattern(salad()),
    "partial rankings by sex": lambda: fit_pattern(top(), by="sex"),
    "absent items": lambda: fit_pattern(
        table("rankings", np.where((orders() == 4) & (np.arange(N) < 20)[:, None, None], -1, orders()))
    ),
    "rankings with ties": lambda: fit_pattern(table("rankings", rule(N, 4, 4, 7) + 1)),
    "ties not resolved": lambda: fit_pattern(table("rankings", rule(N, 4, 4, 7) + 1), ties_unresolved=True),
    "comparisons": lambda: fit_pattern(comparisons(gaps=True), by="sex"),
    "two categories by age": lambda: fit_pattern(comparisons(ties=False), item_terms=["size"], by="age"),
    "dependence": lambda: fit_pattern(comparisons(), dependence=True),
    "ties by pair": lambda: fit_pattern(comparisons(gaps=True), ties="by-pair", reference="sum"),
    "gaps": lambda: fit_pattern(comparisons(gaps=True), alpha="item"),
    "gaps that depend on the answer": lambda: fit_pattern(
        comparisons(gaps=True, ties=False), alpha="item", beta="coded", alpha_of=["A", "B"], beta_of=["A"]
    ),
    "ratings": lambda: fit_pattern(ratings()),
    "ratings twice": lambda: fit_pattern(ratings(2, 3), by="sex", dependence=True, between_times=True),
    "rankings twice": lambda: fit_pattern(
        table("rankings", orders(2, 3), "ABC", times=["first", "second"]), between_times=True
    ),
    "choices": lambda: fit_plackett_luce(salad()),
    "choices of the best": lambda: fit_plackett_luce(top(), reference="sum").on_scale("lambda"),
    "choices with ties": lambda: fit_plackett_luce(fruit()),
    "pseudo-comparisons": lambda: fit_plackett_luce(fruit(), pseudo=0.5),
    "choices by sex": lambda: fit_plackett_luce(top(), by="sex"),
}
