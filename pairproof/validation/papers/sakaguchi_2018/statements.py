"""Arithmetic of Sakaguchi and Van Durme (2018), gold scores that are means of whole labels, and tests of what
they say of their formulas and of their arithmetic.

Products and counts are worked out from the paper's own numbers, properties of the updates are tried on the
native ones.  What they found with annotators is tried by simulation, in `statements_simulated`.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from ....errors import InputError
from ...claims.printed import Printed
from ...statements.registers import (
    MOST_WHOLE,
    Computed,
    Context,
    Finding,
    Remark,
    Request,
    computation,
    holds,
    right_or_erratum,
    statement_test,
)

if TYPE_CHECKING:
    import pandas as pd


#: Decimals of a printed number; beyond some 20 they leave the precision of decimal arithmetic.
MOST_DECIMALS = 12
ROUNDINGS = {"half up": ROUND_HALF_UP, "half to even": ROUND_HALF_EVEN}


@computation("mean-labels")
def mean_labels(request: Request) -> Computed:
    """gold.ITEM: the mean of n whole labels from `low` to `high`, on 0 to 100, that lies nearest to what is
    printed.

    A mean of n labels can only be one of n (high - low) + 1 numbers, so most printed numbers could not be one
    (the GRIM test of Brown and Heathers 2017).  Where the nearest does not print so, but the whole column
    is reproduced if the mean label is rounded first, that is remarked.  args: `item` and `column` of the
    claim's table, `annotations`, `low`, `high`.
    """
    table = request.table_of(request.data)
    n, low, high = request.whole("annotations"), request.whole("low"), request.whole("high")
    if n < 1 or low >= high:
        raise InputError(
            f"annotations = {n}, low = {low}, high = {high}; expected at least 1 annotation, and low below"
            " high"
        )
    steps = n * (high - low)
    printed = _column(table, request.text("item"), request.text("column"))
    nearest = {item: int((value / 100 * steps).to_integral_value()) for item, value in printed.items()}
    found = {f"gold.{item}": 100.0 * k / steps for item, k in nearest.items()}
    means = [(Decimal(k) / n + low, printed[item]) for item, k in nearest.items()]

    def comes_out(rule: tuple[int, str]) -> bool:
        return all(_twice(mean, low, high, *rule, value)[1] == value for mean, value in means)

    rules = [rule for rule in product((2, 3, 4), ROUNDINGS) if comes_out(rule)]
    remarks = {}
    for item, value in printed.items():
        if rules and Printed.parse(str(value)).verdict(found[f"gold.{item}"]).verdict != "agrees":
            decimals, name = rules[0]
            between, _ = _twice(Decimal(nearest[item]) / n + low, low, high, decimals, name, value)
            remarks[f"gold.{item}"] = Remark(
                "rounded-twice",
                f"the mean of {n} labels is {found[f'gold.{item}']:.4f}; {value} is reproduced, like"
                f" all {len(printed)} of the column, if mean labels were first rounded to"
                f" {decimals} decimals, here to {between.normalize()}, and then {name} ({len(rules)} of"
                f" {3 * len(ROUNDINGS)} rules tried)",
            )
    return Computed(native=found, remarks=remarks)


def _column(table: pd.DataFrame, item: str, column: str) -> dict[str, Decimal]:
    """What is printed in a column, by item."""
    for name in (item, column):
        if name not in table.columns:
            raise InputError(f"the table has no column {name!r}; it has {', '.join(map(str, table.columns))}")
    found = {}
    for row, (key, text) in enumerate(zip(table[item], table[column]), start=1):
        try:
            found[key] = Decimal(text)
        except (InvalidOperation, TypeError, ValueError):
            raise InputError(
                f"row {row} of the table, column {column!r}: expected a number, found {str(text)[:40]!r}"
            ) from None
        digits = found[key].as_tuple()
        long = isinstance(digits.exponent, int) and digits.exponent < -MOST_DECIMALS
        if not found[key].is_finite() or abs(found[key]) > MOST_WHOLE or long:
            raise InputError(
                f"row {row} of the table, column {column!r}: expected a number within {MOST_WHOLE:,} of at"
                f" most {MOST_DECIMALS} decimals, found {str(text)[:40]!r}"
            )
    return found


def _twice(
    mean: Decimal, low: int, high: int, decimals: int, rule: str, like: Decimal
) -> tuple[Decimal, Decimal]:
    """A mean label rounded to so many decimals, on 0 to 100; and that rounded to the places of `like`."""
    label = mean.quantize(Decimal(1).scaleb(-decimals), ROUNDINGS[rule])
    between = 100 * (label - low) / (high - low)
    return between, between.quantize(like, ROUNDINGS[rule])


@statement_test("same-products")
def same_products(context: Context, *, left: Sequence[str], right: Sequence[str]) -> Finding:
    """Two products of printed numbers are the same."""
    a, b = (prod(map(Decimal, factors)) for factors in (left, right))
    return right_or_erratum(a == b, f"{' x '.join(left)} = {a}, {' x '.join(right)} = {b}", float(a))


@statement_test("product-prints")
def product_prints(context: Context, *, factors: Sequence[str], printed: str) -> Finding:
    """A product of printed numbers prints so."""
    value = prod(map(Decimal, factors))
    right = Printed.parse(printed).verdict(float(value)).verdict == "agrees"
    return right_or_erratum(right, f"{' x '.join(factors)} = {value}", float(value))


@statement_test("no-more-than-the-pool")
def no_more_than_the_pool(context: Context, *, drawn: str, pool: Sequence[str]) -> Finding:
    """A sample without replacement is no larger than what it is drawn from."""
    size = prod(map(Decimal, pool))
    text = f"{drawn} without replacement from {' x '.join(pool)} = {size}"
    return right_or_erratum(Decimal(drawn) <= size, text, float(size))


@statement_test("surprise-grows-exponentially")
def surprise_grows_exponentially(context: Context, *, epsilon: str) -> Finding:
    """v of a win grows by a constant factor as t falls by 1 each time, and not by a constant."""
    from ....native.annotation.trueskill import win

    v = {t: win(float(t), float(epsilon)).v for t in (-10, -20, -40, -80)}
    growth = (v[-20] - v[-10], (v[-40] - v[-20]) / 2, (v[-80] - v[-40]) / 4)
    linear = max(abs(g - 10.0) for g in growth) < 0.1
    values = ", ".join(f"{x:.3f} at t = {t}" for t, x in v.items())
    text = f"v is {values}: it grows linearly, by 1 when t decreases by 1"
    return right_or_erratum(not linear, text, v[-10])


@statement_test("w-between-0-and-1")
def w_between_0_and_1(context: Context) -> Finding:
    """The factor of a variance's change lies between 0 and 1, after a win and after a tie."""
    from ....native.annotation.trueskill import tie, win

    found = [rule(t / 4, e).w for rule in (win, tie) for t in range(-120, 121) for e in (0.1, 0.5, 2.0)]
    text = f"{len(found)} values with |t| up to 30 lie between {min(found):.3g} and {max(found):.6f}"
    return holds(min(found) >= 0.0 and max(found) <= 1.0, text)


@statement_test("trueskill-variance-decreases")
def trueskill_variance_decreases(context: Context) -> Finding:
    """No win and no tie raises a variance of TrueSkill."""
    from ....native.annotation.trueskill import Skills, update_pair

    pairs = [Skills(m, v, 0.0, 0.3) for m in (-3.0, -1.0, 0.0, 0.4, 2.0) for v in (0.05, 0.5, 2.0)]
    ratios: list[float] = []
    for pair in pairs:
        for now in (update_pair(pair, "win"), update_pair(pair, "tie")):
            ratios += [now.variance_i / pair.variance_i, now.variance_j / pair.variance_j]
    text = f"none of {len(ratios)} variances increases; the largest ratio is {max(ratios):.4f}"
    return holds(max(ratios) < 1.0, text)


@statement_test("beta-variance-decreases")
def beta_variance_decreases(context: Context) -> Finding:
    """Alpha and beta never decrease in the pairwise update, and so variances always do."""
    from ....native.annotation.beta import Pair, update_pair, variance

    grid = (1.0, 1.5, 2.0, 4.0, 8.0)
    pairs = [Pair(a, b, c, d) for a in grid for b in grid for c in (1.0, 3.0) for d in (1.0, 3.0)]
    rises, least, worst = 0, 0.0, (0.0, pairs[0], pairs[0])
    for pair in pairs:
        now = update_pair(pair, "win")
        least = min(least, *(y - x for x, y in zip(pair, now)))
        ratio = float(variance(now.alpha_i, now.beta_i)) / float(variance(pair.alpha_i, pair.beta_i))
        rises += ratio > 1.0
        worst = max(worst, (ratio, pair, now))
    ratio, old, new = worst
    text = (
        f"alpha and beta {'never decrease' if least >= 0 else 'decrease'}, but the winner's variance increases in"
        f" {rises} of {len(pairs)} updates, most (by {100 * (ratio - 1):.2g} %) from B({old.alpha_i:g},"
        f" {old.beta_i:g}) to B({new.alpha_i:.4g}, {new.beta_i:g}): at alpha = 1 it increases with alpha"
        " wherever beta > sqrt 3"
    )
    return holds(rises == 0 and least >= 0, text, native=float(rises))


@statement_test("mean-nearer-one-half")
def mean_nearer_one_half(context: Context) -> Finding:
    """Of a beta distribution with alpha, beta > 1 the mean is never further from 1/2 than the mode."""
    from ....native.annotation.beta import mode

    grid = [(a / 4, b / 4) for a in range(5, 41) for b in range(5, 41)]
    nearer = all(abs(a / (a + b) - 0.5) <= abs(float(mode(a, b)) - 0.5) for a, b in grid)
    text = f"{len(grid)} distributions; mean - 1/2 = (mode - 1/2) (alpha + beta - 2)/(alpha + beta)"
    return holds(nearer, text)


@statement_test("chance-at-skill-chain")
def chance_at_skill_chain(context: Context, *, printed: str) -> Finding:
    """Of two players whose skills lie gamma apart the better one wins with this probability."""
    from statistics import NormalDist

    from ....native.annotation.trueskill import chance_to_win

    value, apart = chance_to_win(1.0, 1.0), NormalDist().inv_cdf(float(printed)) * 2.0**0.5
    right = Printed.parse(f"{float(printed):.2f}").verdict(value).verdict == "agrees"
    text = f"at a difference of gamma it is Phi(1/sqrt 2) = {value:.3f}; {printed} needs {apart:.3f} gamma"
    return right_or_erratum(right, text, value)


@statement_test("equal-match-quality-at-first")
def equal_match_quality_at_first(context: Context) -> Finding:
    """Before any judgment every two instances have the same match quality."""
    import numpy as np

    from ....native.annotation.allocation import match_quality
    from ....native.annotation.beta import GAMMA, START, mode, variance

    start = np.full(5, START)
    m, v = mode(start, start), variance(start, start)
    quality = match_quality(m[:, None], v[:, None], m[None, :], v[None, :], GAMMA)
    one = float(quality[0, 1])
    return holds(float(np.ptp(quality)) == 0.0, f"match quality {one:.4f} for every pair", native=one)
