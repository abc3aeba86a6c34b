"""Properties that models of whole answers have or do not have, tried on the data of the certified set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....data.respondents.respondents import Respondents
from ....fit.estimates.specification import Beta
from ....fit.fit import Fit
from ....native.answers.pattern_models import fit_pattern
from ....native.answers.plackett_luce import fit_plackett_luce
from ....native.comparisons.contests.bradley_terry import fit_bradley_terry
from ....native.comparisons.counts.llbt import fit_llbt
from ...statements.registers import Context, Finding, holds, statement_test
from ...verdicts.digits import digits_of_agreement
from .computations import data_of, documents, respondents

#: Two fits of the same maximum, each to the rounding of doubles: observed 13.8 digits and more.
SAME_DIGITS = 12.5


def table(name: str) -> Respondents:
    """The persons of a certified fit, of a data set that comes with the package."""
    document = next(d for d in documents() if d["id"] == name)
    return respondents(document, data_of(document)["rows"])


def least_digits(found: Fit, other: Any, names: Mapping[str, str]) -> float:
    """The fewest digits that estimates and standard errors share; `names` of `found` to those of `other`."""
    digits = []
    for mine, theirs in names.items():
        size = float(other.bse[theirs])
        digits.append(float(digits_of_agreement(found.params[mine], other.params[theirs], size)))
        digits.append(float(digits_of_agreement(found.bse[mine], size)))
    return min(digits)


def free(fit: Fit) -> list[str]:
    return [name for name, fixed in zip(fit.names, fit.is_reference) if not fixed]


@statement_test("pattern-is-llbt")
def pattern_is_llbt(context: Context, *, fits: Sequence[str]) -> Finding:
    """Without dependence a pattern model of comparisons is the LLBT, with gaps too."""
    digits, said = [], []
    for name in fits:
        data = table(name)
        whole, pairs = fit_pattern(data), fit_llbt(data.to_comparisons())
        least = least_digits(whole, pairs, {n: n for n in free(whole)})
        least = min(least, float(digits_of_agreement(whole.llf, pairs.llf)))
        digits.append(least)
        said.append(f"{name.partition('--')[0]} {least:.1f}")
    return holds(min(digits) >= SAME_DIGITS, f"common digits of fit_pattern and fit_llbt: {', '.join(said)}")


@statement_test("rankings-of-two-are-davidson")
def rankings_of_two_are_davidson(context: Context, *, fit: str) -> Finding:
    """Plackett and Luce's model of rankings of two items with ties is Davidson's."""
    data = table(fit)
    luce, davidson = fit_plackett_luce(data), fit_bradley_terry(data.to_comparisons(), ties="davidson")
    own = [n for n in free(luce) if n != "tie2"]
    least = least_digits(luce, davidson.with_reference(data.items[0]), {**{n: n for n in own}, "tie2": "tie"})
    return holds(least >= SAME_DIGITS, f"fit_plackett_luce and fit_bradley_terry share {least:.1f} digits")


@statement_test("answers-may-be-rearranged")
def answers_may_be_rearranged(context: Context, *, fits: Sequence[str]) -> Finding:
    """Items in another order, rows in another order, rows split in halves or merged: the same numbers."""
    digits = []
    for name in fits:
        data = table(name)
        fitted: Callable[..., Fit] = fit_plackett_luce if "plackett-luce" in name else fit_pattern
        one = fitted(data)
        answers, weights = data.once[::-1], data.weights[::-1]
        twice, half = np.vstack([answers] * 2), np.concatenate([weights] * 2) / 2
        halves = data.changed(answers=twice, weights=half, columns={})
        places = range(len(data.items))
        turned = reordered(data, [*places[1::2], *places[::2]])
        for other in (halves, data.merged(), turned):
            found = fitted(other, reference=one.spec.reference)
            digits.append(least_digits(one, found, {n: n for n in free(one)}))
    text = f"{len(digits)} pairs of fits have at least {min(digits):.1f} digits in common"
    return holds(min(digits) >= SAME_DIGITS, text)


@statement_test("reversed-rankings")
def reversed_rankings(context: Context, *, fit: str) -> Finding:
    """Reversed rankings change the signs of the pattern model; Plackett and Luce's is another model then."""
    data = table(fit)
    back = data.changed(answers=len(data.items) + 1 - data.answers)
    one, two = fit_pattern(data), fit_pattern(back)
    digits = (digits_of_agreement(-two.params[n], one.params[n], float(one.bse[n])) for n in free(one))
    signs = min(map(float, digits))
    luce, reverse = fit_plackett_luce(data).llf, fit_plackett_luce(back).llf
    text = (
        f"pattern model: the signs change ({signs:.1f} digits) and llf is {one.llf:.6f} both times;"
        f" Plackett-Luce: llf {luce:.6f} becomes {reverse:.6f}"
    )
    return holds(signs >= SAME_DIGITS and abs(one.llf - two.llf) < 1e-9 and abs(luce - reverse) > 0.1, text)


@statement_test("beta-as-coded")
def beta_as_coded(context: Context, *, fit: str) -> Finding:
    """prefmod's MISbeta depends on the order of the items (its defect B3); differences of betas do not."""
    data = table(fit)
    moved = reordered(data, (2, 0, 3, 1))
    found = {}
    betas: tuple[Beta, ...] = ("coded", "difference")
    for beta in betas:
        one, two = (fit_pattern(t, alpha="common", beta=beta) for t in (data, moved))
        found[beta] = (one.llf, two.llf)
    text = ", ".join(f"{beta}: llf {a:.6f} and {b:.6f}" for beta, (a, b) in found.items())
    apart = {beta: abs(a - b) for beta, (a, b) in found.items()}
    said = f"the same answers with the items in two orders, {text}"
    return holds(apart["coded"] > 1e-3 and apart["difference"] < 1e-7, said, native=apart["coded"])


def reordered(data: Respondents, order: Sequence[int]) -> Respondents:
    """The same answers with the items in another order, a permutation."""
    items, old = tuple(data.items[k] for k in order), data.once
    if data.kind != "comparisons":
        return data.changed(items=items, answers=old[:, list(order)], columns={})
    n = len(items)
    pairs = [(i, j) for j in range(n) for i in range(j)]
    at = {pair: k for k, pair in enumerate(pairs)}
    new = np.empty_like(old)
    for k, (i, j) in enumerate(pairs):
        a, b = order[i], order[j]
        column = old[:, at[min(a, b), max(a, b)]]
        new[:, k] = column if a < b else np.where(np.abs(column) == 1, -column, column)
    return data.changed(items=items, answers=new, columns={})
