"""Recorded calls of BTm become calls of fit_bradley_terry whose numbers are R's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pairproof.bridge.values.nodes import RLang, RVector
from pairproof.migration.translate.bradleyterry2.recorded_btm import MATRIX, contests_of
from pairproof.migration.translate.recorded_answers import StaysInR
from tests.migration.translate.bradleyterry2.league import by_name, calls, done

TABLE = ', layout="counts", items=["Elm", "Ash", "Oak", "Fir", "Yew"]'


@pytest.mark.parametrize(
    "name, options, least",
    [
        # Digits observed: 9.3, 9.6, 8.4, 8.8, 7.0, 9.4, 6.3, 9.6, 6.8; R stops its iterations at 1e-8, and
        # takes standard errors of the step before.
        ("plain", 'cells="row"', 9.0),
        ("named", 'reference="Oak", cells="row"', 9.0),
        ("field", 'order_effect=True, cells="row"', 8.0),
        ("reduced", 'reduce_bias="mean", cells="row"', 8.0),
        ("normal", 'link="probit", cells="row"', 6.5),
        ("centred", 'reference="sum", cells="row"', 9.0),
        ("dry", 'cells="row"', 6.0),
        ("rained", 'formula="item + rain:age", cells="row"', 9.0),
        ("random", 'formula="age + (1 | item)", method="pql"', 6.5),
    ],
)
def test_a_btm_is_written_with_the_options_that_it_has_and_every_number_agrees(
    tmp_path, name, options, least
):
    found = done(by_name(name), tmp_path)
    flat = " ".join(found.text.split()).replace("( ", "(").replace(", )", ")").replace(",)", ")")
    assert flat.startswith(f'pairproof.fit_bradley_terry(pairproof.read("{name}.csv"{TABLE}')
    assert flat.endswith(f"{options})")
    assert found.translation.route == "native"
    assert found.verdicts <= {"agrees", "explained"}
    assert found.fewest >= least


def test_every_quantity_that_r_gave_has_a_row(tmp_path):
    kinds = {str(a.quantity).partition(".")[0] for a in done(by_name("field"), tmp_path).rows}
    assert kinds == {
        "estimate",
        "se",
        "deviance",
        "df_resid",
        "llf",
        "aic",
        "null_deviance",
        "df_null",
        "aic_glm",
        "loglik_df",
    }
    assert "estimate.order" in {str(a.quantity) for a in done(by_name("field"), tmp_path).rows}


def test_the_variance_and_the_predicted_effects_of_random_effects_are_compared(tmp_path):
    names = {str(a.quantity) for a in done(by_name("random"), tmp_path).rows}
    assert {"sigma.item", "sigma_se.item", "effect.Elm", "effect.Yew"} <= names


def test_a_number_that_is_changed_differs(tmp_path):
    call = by_name("plain")
    for name in ("coef", "deviance", "aic", "null_deviance", "df_residual"):
        vector = call.vector(name)
        assert vector is not None
        wrong = replace(vector, values=vector.values * 1.001 + 0.001)
        rows = done(replace(call, result={**call.result, name: wrong}), tmp_path).rows
        assert "differs" in {a.verdict for a in rows} or "not-checkable" in {a.verdict for a in rows}, name


def test_ties_are_written_only_where_a_contest_counts_half_for_each(tmp_path):
    found = done(by_name("halves"), tmp_path)
    assert found.text.endswith('ties="half",\n    cells="row",\n)')
    assert found.value.data.ties.sum() == 3
    assert "differs" not in found.verdicts


def test_other_fractions_stay_in_r_with_the_reason(tmp_path):
    found = done(by_name("thirds"), tmp_path).translation
    assert found.route == "bridge"
    assert found.reason == "its counts are neither whole numbers nor halves, and it has no weights"
    assert found.code is not None and found.code.arguments[0] == "cbind(wins, losses)"


def test_what_is_infinite_has_no_number_and_the_reason_is_that_of_the_fit(tmp_path):
    found = done(by_name("winner"), tmp_path)
    without = [a for a in found.rows if a.verdict == "not-estimable"]
    assert {str(a.quantity) for a in without} == {
        f"{k}.{t}" for k in ("estimate", "se") for t in ("Ash", "Oak", "Fir", "Yew")
    }
    assert "Elm won every comparison" in without[0].explanation
    assert found.verdicts == {"agrees", "not-estimable"}


def test_rows_that_r_took_twice_are_there_once_and_what_r_doubled_is_explained(tmp_path):
    found = done(by_name("first"), tmp_path)
    assert found.value.data.n_rows == 8
    kinds = {a.verdict: {x.quantity.kind for x in found.rows if x.verdict == a.verdict} for a in found.rows}
    assert kinds == {"agrees": {"estimate"}, "explained": {"se", "deviance", "df_resid"}}
    assert {a.code for a in found.rows if a.verdict == "explained"} == {"r-is-wrong"}


def test_a_formula_without_our_words_stands_on_the_columns_of_rs_model_matrix(tmp_path):
    found = done(by_name("cubic"), tmp_path)
    assert found.translation.notes == (MATRIX,)
    assert 'formula="`poly(age[..], 2)1` + `poly(age[..], 2)2`"' in found.text
    assert found.verdicts == {"agrees"}
    assert found.fewest >= 7.5  # observed 7.7


def test_a_variance_held_at_0_is_no_random_effect_and_one_held_elsewhere_stays_in_r(tmp_path):
    assert 'formula="age"' in done(by_name("none"), tmp_path).text
    held = done(by_name("held"), tmp_path).translation
    assert (held.route, held.code.keywords["sigma"], held.code.keywords["sigma_fixed"]) == (
        "bridge",
        1.0,
        True,
    )


def test_text_of_the_call_is_not_read(tmp_path):
    call = replace(by_name("field"), text="system('rm -rf /')", args={})
    assert done(call, tmp_path).text == done(by_name("field"), tmp_path).text


@pytest.mark.parametrize(
    "formula",
    [
        "~ system('touch ran')",
        "~ {1}",
        "~ pay[..] + f(age[..])",
        "~ .. + pay[..]:(1 | rain)",
        "nothing",
        "~ x[y[..]]",
        "~",
    ],
)
def test_a_formula_that_cannot_be_read_raises_nothing_and_reaches_no_interpreter(tmp_path, formula):
    call = by_name("cubic")
    found = done(replace(call, result={**call.result, "formula": RLang(formula)}), tmp_path).translation
    assert found.route in ("native", "bridge", "outside")
    assert found.route == "outside" or "system" not in str(found.code)


@pytest.mark.parametrize(
    "name", ["player1", "y", "prior_weights", "x", "coef", "id", "assign", "terms", "data", "vcov", "family"]
)
def test_a_record_without_a_part_raises_nothing(tmp_path, name):
    call = by_name("rained")
    found = done(
        replace(call, result={k: v for k, v in call.result.items() if k != name}), tmp_path
    ).translation
    assert found.route in ("native", "bridge", "outside")
    assert found.route == "native" or found.reason


def test_rows_that_cannot_be_told_are_an_error_of_the_record():
    call = by_name("dry")
    weight = call.vector("prior_weights")
    assert weight is not None
    bare = {
        n: replace(v, names=None) if isinstance(v, RVector) and n in ("y", "prior_weights") else v
        for n, v in call.result.items()
    }
    with pytest.raises(StaysInR, match=r"R used 5 of 12 rows, and their names do not identify them"):
        contests_of(replace(call, result=bare))


def test_counts_are_those_of_the_rows_that_r_used():
    found = contests_of(by_name("dry"))
    assert found.rows.tolist() == [1, 2, 5, 7, 9]
    assert found.wins.tolist() == [6, 7, 6, 5, 4] and found.losses.tolist() == [3, 2, 3, 3, 5]
    assert np.array_equal(found.indicators.sum(axis=1), np.zeros(5))


def test_the_script_was_recorded_whole():
    assert len(calls()) == 34
