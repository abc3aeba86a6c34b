"""How seldom a misprint is explained by chance, and how surely a slip is found: random tables, told with counts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from pairproof.validation.slips.catalogue import families
from pairproof.validation.slips.chance import MOST_OF_100, OneDigit, digits_of
from pairproof.validation.slips.search import Found, count_words, search
from tests.validation.slips.drawn import BY_HAND_ONLY, MODELS, is_found, mutants, names_of, one_digit, page_of
from tests.validation.slips.planted import baseball, bradley_terry, citations, page, printed, target

# -- the chance itself ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "n"),
    [("0.05", 2), ("15", 2), ("-2.949", 4), ("2.34e-05", 3), ("15.737 on 15", 5), (".28", 2), ("0", 1)],
)
def test_digits_that_may_be_misprinted_are_those_of_the_number(text: str, n: int) -> None:
    assert digits_of(text) == n


def test_of_a_print_with_one_digit_changed_what_readings_give_is_counted_once_each() -> None:
    fit = bradley_terry(citations())
    numbers = {"estimate.JASA": "-0.480", "df_resid": "3"}
    chance = OneDigit(target(fit, numbers).numbers, np.array([-0.4796, 3.0]))
    # -0.490 (a digit of three), df 5, again df 5; two numbers off; the plain one; another sign.
    readings = [(-0.490, 3), (-0.4796, 5), (-0.4796, 5), (-0.490, 5), (-0.4796, 3), (0.490, 3), (-0.511, 3)]
    chance.see(np.array(readings, float), 1)
    assert chance.explained(1) == {"estimate.JASA": 1 / 27, "df_resid": 1 / 9}


def test_a_degree_of_freedom_more_is_said_to_be_no_evidence_on_a_short_page() -> None:
    fit = bradley_terry(citations())
    (found,) = search([target(fit, {**page(fit, 3), "df_resid": "4"})]).found
    assert [e.names for e in found.explanations] == [("df",)] and not found.clear
    assert found.chance_of_100 > MOST_OF_100 and "so this is not evidence" in count_words(found)
    assert found.wrong == ("df_resid",)


def test_a_deviance_by_row_is_an_explanation_on_the_same_page() -> None:
    fit = bradley_terry(baseball(), reference="Baltimore")
    by_row = bradley_terry(baseball(), reference="Baltimore", cells="row")
    numbers = {n: t for n, t in page(fit, 3).items() if n != "df_resid"}
    (found,) = search([target(fit, {**numbers, "deviance": f"{by_row.deviance:.3f}"})]).found
    assert [e.names for e in found.explanations] == [("cells",)] and found.clear
    assert found.chance_of_100 <= 0.5  # observed 0.0


def test_what_is_plain_was_not_searched_and_has_no_chance() -> None:
    fit = bradley_terry(citations())
    (found,) = search([target(fit, page(fit, 3))]).found
    assert found.plain and math.isnan(found.chance_of_100)


# -- honest pages with one digit changed ---------------------------------------------------------------------

KINDS = {
    "estimates, errors, deviance": ("estimate", "se", "deviance", "df_resid"),
    "z and p": ("estimate", "se", "z", "p"),
    "worths": ("worth", "deviance"),
    "AIC": ("estimate", "aic", "deviance", "df_resid", "null_deviance", "df_null"),
    "limits": ("estimate", "low", "high"),
}


def perturbed(kind: str, decimals: int, n: int = 20) -> list[Found]:
    """Searches of n honest pages of random tables with one digit changed; those that still come out are left out."""
    found = []
    for k in range(n):
        rng = np.random.default_rng([7, k, decimals, sum(map(ord, kind))])
        fit = list(MODELS.values())[k % len(MODELS)](rng)
        numbers = one_digit(rng, printed(fit, names_of(fit, *KINDS[kind]), decimals))
        (one,) = search([target(fit, numbers)]).found
        found += [one] if not one.plain else []
    return found


@pytest.mark.nightly
@pytest.mark.timeout(3600)  # 400 searches: six minutes of an idle core
def test_of_fifty_honest_pages_with_one_digit_changed_at_most_one_is_explained() -> None:
    seen: Counter[str] = Counter()
    for kind in KINDS:
        for decimals in (1, 2, 3, 4):
            for f in perturbed(kind, decimals):
                assert f.numbers >= 5
                seen["pages"] += 1
                seen["explained"] += f.clear
                seen["a cell"] += bool(f.cell)
                seen["nearest"] += f.nearest is not None
                seen["cause"] += bool(f.cause)
                seen["named"] += len(f.wrong) == 1
    assert seen["pages"] >= 360, seen
    assert seen["explained"] <= seen["pages"] / 50, seen  # observed 3 of 383: two df, one AIC
    assert seen["a cell"] + seen["nearest"] + seen["cause"] == 0, seen
    assert seen["named"] >= 0.95 * seen["pages"], seen


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_with_one_digit_changed_is_a_misprint_and_nothing_else(kind: str) -> None:
    for f in perturbed(kind, 3, 3):
        assert len(f.wrong) == 1 and not (f.cell or f.nearest or f.cause)


@pytest.mark.nightly
def test_a_table_that_is_off_in_many_places_is_explained_by_no_cell_and_no_pattern() -> None:
    """Every estimate off by some units of its last place: neither a slip, nor a cell, nor a factor, nor near."""
    seen: Counter[str] = Counter()
    for k in range(20):
        rng = np.random.default_rng([11, k])
        fit = list(MODELS.values())[k % len(MODELS)](rng)
        names = names_of(fit, "estimate", "se", "deviance", "df_resid")
        numbers = printed(fit, names, 3)
        noise = {
            n: float(t) + int(rng.integers(5, 60)) * rng.choice([-1, 1]) * 1e-3 for n, t in numbers.items()
        }
        spoilt = page_of(fit, {n: v for n, v in noise.items() if n.startswith("estimate")}, 3)
        (f,) = search([target(fit, {**numbers, **spoilt})]).found
        seen.update(clear=f.clear, cell=bool(f.cell), cause=bool(f.cause), near=f.nearest is not None)
    assert not sum(seen.values()), seen


# -- mutants -------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("name", [n for n in families() if n not in BY_HAND_ONLY])
def test_a_slip_on_random_tables_is_found_at_three_decimals_and_is_the_only_explanation(name: str) -> None:
    """Observed: 20 of 20 of every family, in one run each."""
    found = [is_found(slip, one) for slip, one in mutants(name)]
    assert len(found) == 20 and sum(found) >= 19, [slip.sentence for slip, _ in mutants(name)]


NEW = (
    "columns-exchanged",
    "labels-exchanged-in-one-column",
    "one-column-on-the-other-scale",
    "common-factor",
    "order-effect",
    "counted-twice",
    "penalty",
)


@pytest.mark.parametrize("name", NEW)
def test_a_slip_of_a_random_table_is_found(name: str) -> None:
    assert all(is_found(slip, one) for slip, one in mutants(name, 2))
