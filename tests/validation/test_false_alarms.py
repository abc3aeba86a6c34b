"""What is rounding of zero, R's own rule of stopping, absent or R's known failure is no difference; every error is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.bridge.process.policy import Backend
from pairproof.bridge.programs.counted_cells import count
from pairproof.fit.fit import Fit
from pairproof.validation.claims.quantities import effect_names, quantity, scale_of
from pairproof.validation.r_answers.stopped_short import kept_aliased, rounding, score_check
from pairproof.validation.verdicts.against_r import compare_fit
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart, exit_code
from tests.certified.load import load
from tests.native.comparisons.counts.certified_cases import native
from tests.validation.fakes import values_of

pytestmark = pytest.mark.xdist_group("false alarms")

LLBT_FIT, LLBTPC = "prefmod::llbt.fit", "prefmod::llbtPC.fit"


def balanced() -> Fit:
    """Three items that win as often as they lose: 32 comparisons, all estimates and the deviance are 0."""
    table = pairproof.read(
        {"first": list("ABC"), "second": list("BCA"), "wins": [5, 7, 4], "losses": [5, 7, 4]}
    )
    return pairproof.fit_llbt(table)


@pytest.fixture(scope="module")
def dras() -> Fit:
    return native(load("dras-table1--llbt-davidson"))


def answer(fit: Fit, r_call: str, of: Fit | None = None, **changed: float) -> RCounterpart:
    """What an R function gives that has the values of `of` (default: the fit), apart from those changed."""
    made = RCounterpart(r_call, "live", {**values_of(of or fit), **changed})
    cells = count(fit)
    return replace(
        made,
        score=score_check(fit, cells, made),
        rounding=rounding(fit, cells, made, False),
        kept_aliased=kept_aliased(fit, cells, made),
    )


def of(quantity: str, rows: list[Agreement]) -> Agreement:
    (row,) = [a for a in rows if a.quantity == quantity]
    return row


def test_what_rounding_leaves_of_a_deviance_of_zero_agrees() -> None:
    fit = balanced()
    rows = compare_fit(fit, [answer(fit, LLBTPC, deviance=4e-14)])
    assert exit_code(rows) == 0 and of("deviance", rows).verdict == "agrees"


def test_a_deviance_where_gnm_stopped_at_its_first_step_is_no_check_and_no_difference() -> None:
    fit = balanced()
    rows = compare_fit(fit, [answer(fit, LLBTPC, deviance=7.6e-8)])
    row = of("deviance", rows)
    assert exit_code(rows) == 0 and (row.verdict, row.code) == ("not-checkable", "r-stopped-early")
    assert "stopping rule" in row.explanation and not row.r_arrived


@pytest.mark.parametrize("deviance", [1.1e-7, 1e-5, 1.0, -1e-9])
def test_a_deviance_that_no_rule_explains_differs(deviance: float) -> None:
    fit = balanced()
    assert of("deviance", compare_fit(fit, [answer(fit, LLBTPC, deviance=deviance)])).verdict == "differs"


def test_a_small_excess_of_another_function_differs() -> None:
    fit = balanced()
    rows = compare_fit(fit, [answer(fit, "stats::glm, refitted", deviance=7.6e-8)])
    assert of("deviance", rows).verdict == "differs"


def test_llbt_fit_may_stop_within_its_rule_and_not_beyond(dras: Fit) -> None:
    # On cemspc with a block a judge it stops 2.4e-7 of its deviance above the minimum.
    within = answer(dras, LLBT_FIT, deviance=dras.deviance * (1 + 2.4e-7))
    beyond = answer(dras, LLBT_FIT, deviance=dras.deviance * (1 + 1.1e-4))
    below = answer(dras, LLBT_FIT, deviance=dras.deviance * (1 - 2.4e-7))
    assert of("deviance", compare_fit(dras, [within])).code == "r-stopped-early"
    assert of("deviance", compare_fit(dras, [beyond])).verdict == "differs"
    assert of("deviance", compare_fit(dras, [below])).verdict == "differs", "below the minimum is no stop"


@pytest.mark.parametrize("r_call", [LLBT_FIT, LLBTPC, "stats::glm, refitted", "gnm::gnm(eliminate)"])
@pytest.mark.parametrize("part", [1e-6, -1e-6])
def test_an_error_of_a_millionth_in_natives_deviance_is_found(dras: Fit, r_call: str, part: float) -> None:
    spoilt = replace(dras, deviance=dras.deviance * (1 + part))
    theirs = answer(spoilt, r_call, of=dras)
    assert of("deviance", compare_fit(spoilt, [theirs])).verdict == "differs"


@pytest.mark.parametrize("r_call", [LLBTPC, "stats::glm, refitted", "gnm::gnm(eliminate)"])
@pytest.mark.parametrize("name", ["se.A", "z.A", "llf", "aic", "worth.all.A", "worth_se.all.B"])
def test_an_error_of_a_ten_thousandth_in_a_number_of_r_is_found(dras: Fit, r_call: str, name: str) -> None:
    value = quantity(dras, name)
    rows = compare_fit(dras, [answer(dras, r_call, **{name: value * (1 + 1e-4)})])
    assert of(name, rows).verdict == "differs"


@pytest.mark.parametrize("name", ["estimate.A", "estimate.tie"])
def test_an_estimate_of_native_that_is_off_by_a_millionth_is_found(dras: Fit, name: str) -> None:
    beta = dras.beta * np.where([f"estimate.{n}" == name for n in dras.names], 1 + 1e-6, 1.0)
    spoilt = replace(dras, beta=beta)
    rows = compare_fit(spoilt, [answer(spoilt, "stats::glm, refitted", of=dras)])
    assert of(name, rows).verdict == "differs"


def judged() -> Fit:
    """18 judges who answer alike: the effects of items by judge have a variance of 0."""
    wins = [2 if k % 2 else 1 for k in range(54)]
    table = pairproof.read(
        {
            "first": list("AAB") * 18,
            "second": list("BCC") * 18,
            "judge": np.repeat([f"J{k:02d}" for k in range(18)], 3).tolist(),
            "wins": wins,
            "losses": [3 - w for w in wins],
        }
    )
    fit = pairproof.fit_bradley_terry(table, random="item:judge", method="laplace")
    assert fit.random_effects is not None and fit.components[0].sigma == 0.0
    return fit


@pytest.fixture(scope="module")
def alike() -> Fit:
    return judged()


def test_random_effects_of_exactly_zero_agree_with_what_rounding_leaves_of_them(alike: Fit) -> None:
    effects = [f"effect.{name}" for name in effect_names(alike)]
    assert len(effects) == 54 and all(quantity(alike, name) == 0.0 for name in effects)
    rounded = RCounterpart("base R, Laplace's approximation", "live", {n: 1.4e-14 for n in effects})
    kinds = {a.verdict for a in compare_fit(alike, [rounded]) if str(a.quantity).startswith("effect.")}
    assert kinds == {"agrees"} and scale_of(effects[0], alike) == 1.0


def test_random_effects_that_r_estimates_away_from_zero_differ(alike: Fit) -> None:
    name = f"effect.{effect_names(alike)[0]}"
    away = RCounterpart("base R, Laplace's approximation", "live", {name: 1e-3})
    assert of(name, compare_fit(alike, [away])).verdict == "differs"


def partial_group() -> Fit:
    """Two groups, of which the first compared A, B and C alone: what D is worth there is not determined."""
    rows = [("A", "B", "g1"), ("A", "C", "g1"), ("B", "C", "g1")]
    rows += [(a, b, "g2") for k, a in enumerate("ABCD") for b in "ABCD"[k + 1 :]]
    table = pairproof.read(
        {
            "first": [r[0] for r in rows],
            "second": [r[1] for r in rows],
            "g": [r[2] for r in rows],
            "wins": [6, 5, 4, 7, 3, 8, 5, 6, 4],
            "losses": [3, 4, 5, 5, 6, 2, 4, 7, 6],
        }
    )
    return pairproof.fit_llbt(table, by="g", reference="A")


def test_a_number_that_r_has_as_na_is_named_as_not_given_and_is_no_difference(dras: Fit) -> None:
    values = values_of(dras)
    given = {n: v for n, v in values.items() if not n.startswith("worth")}
    given |= {"estimate.A": math.nan, "worth.all.B": values[next(n for n in values if n == "worth.all.B")]}
    rows = compare_fit(dras, [RCounterpart("stats::glm, refitted", "live", given)])
    absent = [a for a in rows if a.code == "r-has-no-value"]
    assert exit_code(rows) == 0 and {"estimate.A", "worth.all.A"} <= {str(a.quantity) for a in absent}
    assert all(a.r is None and a.digits is None and "not given by R" in a.explanation for a in absent)


def test_the_report_counts_what_r_does_not_give(dras: Fit) -> None:
    from pairproof.validation import Verification

    values = {**values_of(dras), "estimate.A": math.nan}
    found = Verification(tuple(compare_fit(dras, [RCounterpart("stats::glm, refitted", "live", values)])))
    assert "stats::glm, refitted gives no value (NA) for 1 of native's numbers" in str(found)


@pytest.mark.r("gnm", "prefmod", "BradleyTerry2")
def test_worths_of_a_group_whose_parameters_r_has_as_na_are_no_alarm() -> None:
    found = partial_group().verify(r="live")
    assert found.exit_code == 0, [str(a.quantity) for a in found if not a.passes]
    assert any(a.code == "r-has-no-value" for a in found)


def aliased(fit: Fit, fewer: int, **more: float) -> RCounterpart:
    """R that kept columns the others determine: as many df fewer, and standard errors four times too large."""
    values = values_of(fit)
    wrong: Mapping[str, float] = {n: 4 * v for n, v in values.items() if n.startswith("se.")}
    kept = {**values, **wrong, "df_resid": values["df_resid"] - fewer, **more}
    known = {n: v for n, v in kept.items() if not math.isnan(v)}
    made = RCounterpart("gnm::gnm(eliminate)", "live", known)
    return replace(made, kept_aliased=kept_aliased(fit, count(fit), made))


def test_aliased_columns_that_gnm_kept_are_one_explanation_and_no_alarms() -> None:
    from pairproof.validation import Verification

    fit = partial_group()
    theirs = aliased(fit, 1)
    assert "kept 1 aliased columns" in theirs.kept_aliased
    found = Verification(tuple(compare_fit(fit, [theirs])))
    wrong = [a for a in found if a.code == "r-is-wrong"]
    assert found.exit_code == 0 and len(wrong) > 3 and all(a.verdict == "not-checkable" for a in wrong)
    assert str(found).count("aliased columns") == 1


def test_df_that_the_rank_of_the_cells_does_not_explain_differ(dras: Fit) -> None:
    theirs = aliased(dras, 1)
    spoilt = replace(dras, df_resid=dras.df_resid + 1)
    assert theirs.kept_aliased, "of a design of full rank R cannot have fewer df but by columns it kept"
    # Native's own df wrong by one: the rank says so, and R is not blamed.
    assert not kept_aliased(spoilt, count(dras), RCounterpart("gnm", "live", values_of(dras)))
    other = aliased(dras, 1, deviance=dras.deviance * 1.01)
    assert not other.kept_aliased, "another deviance is another fit"


@pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools")
def test_a_balanced_table_matches_r() -> None:
    found = balanced().verify(r="live")
    assert found.agrees, [(str(a.quantity), a.r_call, a.r) for a in found if not a.passes]


@pytest.mark.r("prefmod", "gnm", "psychotools")
def test_prefmods_own_example_a_judge_a_block_matches_r() -> None:
    from pairproof.bridge.r_data import package_data

    answers = package_data("prefmod", "cemspc")
    table = pairproof.read(
        answers.assign(judge=range(len(answers))),
        layout="prefmod",
        items=["London", "Paris", "Milano", "St. Gallen", "Barcelona", "Stockholm"],
        pair_order="prefmod",
        coding="first=0,tie=1,second=2,missing=NA",
    )
    found = pairproof.fit_llbt(table, cells="judge").verify(r=Backend("live"))
    row = next(a for a in found if a.quantity == "deviance" and (a.r_call or "").startswith(LLBT_FIT))
    assert found.agrees and row.code == "r-stopped-early"
