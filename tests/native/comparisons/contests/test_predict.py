"""Predictions of comparisons and items that were not seen."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import DataWarning, InputError, ItemError
from tests.native.comparisons.contests.contests_tables import four_players, judged, with_ties


@lru_cache(maxsize=None)
def by_x():
    """Four players by a covariate and random effects."""
    return pairproof.fit_bradley_terry(four_players(), formula="x + (1 | item)")


def test_a_new_player_is_predicted_as_in_the_specification():
    """x = 3 against player 1: eta 1.222922444 (.959747299), .7725774363, .7515757686, .7374090387."""
    fit = by_x()
    found = pairproof.predict(fit, {"first": ["E"], "second": ["A"]}, item_data={"E": {"x": 3}}).iloc[0]
    # Printed to 9 and 10 digits (with the erratum of the modes): observed 5e-10.
    assert found["eta"] == pytest.approx(1.222922444, abs=2e-9)
    # The specification's is at its own modes, 2e-8 off: observed 3.2e-9.
    assert found["se"] == pytest.approx(0.959747299, abs=5e-9)
    assert found["p_plug_in"] == pytest.approx(0.7725774363, abs=2e-9)
    assert found["p_first"] == pytest.approx(0.7515757686, abs=2e-9)
    assert found["p_averaged"] == pytest.approx(0.7374090387, abs=2e-9)
    assert found["new"] == 1


def test_known_pairs_are_those_of_the_fit():
    others = ({"item_terms": ["x"], "link": "probit"}, {"formula": "log1p(x)"})
    for fit in (by_x(), *(pairproof.fit_bradley_terry(four_players(), **options) for options in others)):
        found = pairproof.predict(fit, {"first": ["A", "D"], "second": ["B", "C"]})
        for row, (a, b) in zip(found.itertuples(), (("A", "B"), ("D", "C"))):
            contrast = fit.contrast(a, b)
            assert row.eta == pytest.approx(contrast.estimate, abs=1e-12)  # the same sum: observed 1e-16
            assert row.se == pytest.approx(contrast.se, rel=1e-10)


@pytest.mark.parametrize("formula", ["poly(x, 2)", "scale(x)", "center(x) + I(x^2)"])
def test_transformations_of_new_items_are_those_of_the_items_that_were_fitted(formula):
    """The same model in raw powers says the same of a new item."""
    fit = pairproof.fit_bradley_terry(four_players(), formula=formula)
    raw = pairproof.fit_bradley_terry(four_players(), formula="x" if formula == "scale(x)" else "x + I(x^2)")
    ask = {"first": ["E", "A"], "second": ["A", "D"]}
    one, other = (pairproof.predict(f, ask, item_data={"E": {"x": 7}}) for f in (fit, raw))
    # Two parametrisations of one model: observed 1e-13.
    np.testing.assert_allclose(one["eta"], other["eta"], atol=1e-10)
    np.testing.assert_allclose(one["se"], other["se"], rtol=1e-9)


def test_new_judges_stand_for_judges_in_general():
    fit = pairproof.fit_bradley_terry(judged(), random="item:judge")
    ask = {"first": ["A", "A", "A"], "second": ["B", "B", "B"], "judge": ["J1", "J99", ""]}
    found = pairproof.predict(fit, ask)
    assert found["new"].tolist() == [0, 2, 2]
    assert found["eta"][1] == found["eta"][2] == pytest.approx(-fit.params["B"])
    assert found["se"][1] > found["se"][0]
    abilities = fit.predicted(judge="J1")
    # The same sum: observed 0.
    assert found["eta"][0] == pytest.approx(abilities.contrast("A", "B").estimate, abs=1e-12)


def test_ties_are_predicted():
    fit = pairproof.fit_bradley_terry(with_ties(), tie_scale=True)
    found = pairproof.predict(fit, {"first": ["A"], "second": ["C"]}).iloc[0]
    wanted = fit.probabilities().query("first == 'A' and second == 'C'").iloc[0]
    for name in ("p_first", "p_tie", "p_second"):
        # The same function: observed 0.
        assert found[name] == pytest.approx(wanted[name], abs=1e-14)


@pytest.mark.parametrize(
    ("contests", "item_data", "error", "words"),
    [
        ({"first": ["E"], "second": ["A"]}, {}, ItemError, "'E' is not among the items"),
        ({"first": ["E"], "second": ["A"]}, {"E": {}}, ItemError, "E lacks a value of x"),
        ({"first": ["A"], "second": ["A"]}, {}, ItemError, "row 1: 'A' is compared with itself"),
        ({"first": ["A"]}, {}, InputError, "expected first, second"),
        ({"first": ["A"], "second": ["B"]}, {"A": {"x": 1}}, ItemError, "its covariates are known"),
        ({"first": ["E"], "second": ["B"]}, {"E": {"x": "tall"}}, InputError, "expected numbers"),
    ],
)
def test_what_cannot_be_predicted_is_refused(contests, item_data, error, words):
    fit = by_x()
    with pytest.raises(error, match=words):
        pairproof.predict(fit, contests, item_data=item_data)


@pytest.mark.parametrize(
    "options",
    [
        {"formula": "x + (1 | item)"},
        {"formula": "x", "offset": "shift"},
        {"reduce_bias": "mean"},
        {"formula": "x + shift:x"},
        {"random": "item:judge", "method": "pql"},
    ],
)
def test_another_scale_changes_no_probability(options):
    """On the lambda scale item parameters, sigma and effects are half of their log-odds; nothing else changes."""
    four = four_players()
    columns = {"shift": np.linspace(-0.5, 0.5, 6), "judge": Factor(np.array([0, 1, 2] * 2), ("1", "2", "3"))}
    fit = pairproof.fit_bradley_terry(replace(four, columns=columns), **options)
    halved = fit.on_scale("lambda")
    ask = {"first": ["A", "C"], "second": ["B", "D"], "shift": [0.2, 0.0], "judge": ["1", ""]}
    np.testing.assert_allclose(
        pairproof.predict(halved, ask, sigma="known").iloc[:, 2:],
        pairproof.predict(fit, ask, sigma="known").iloc[:, 2:],
        rtol=1e-9,  # the same sums in another unit: observed 4e-16
    )
    one, other = (f.probabilities(level=0.9).iloc[:, 3:] for f in (fit, halved))
    np.testing.assert_allclose(one, other, rtol=1e-12)  # observed 1e-16
    np.testing.assert_allclose(fit.worth(se=False)["worth"], halved.worth(se=False)["worth"], rtol=1e-12)
    assert halved.contrast("A", "B").odds == pytest.approx(fit.contrast("A", "B").odds, rel=1e-12)
    assert halved.contrast("A", "B").estimate == pytest.approx(fit.contrast("A", "B").estimate / 2)
    if fit.random_effects is not None:
        assert halved.sigma == fit.sigma / 2 and halved.components[0].lr == pytest.approx(
            fit.components[0].lr, nan_ok=True
        )
        np.testing.assert_allclose(halved.effects()[["effect", "se"]], fit.effects()[["effect", "se"]] / 2)


def test_a_profile_follows_the_scale():
    fit = by_x()
    # The same search in another unit: observed 0.
    np.testing.assert_allclose(fit.on_scale("lambda").profile(), fit.profile() / 2, rtol=1e-6)


@pytest.mark.parametrize("fitted, other", [("A", "C"), ("B", "A"), ("sum", "C"), ("B", "sum")])
def test_another_reference_changes_no_prediction(fitted, other):
    fit = pairproof.fit_bradley_terry(judged(), random="item:judge", reference=fitted)
    ask = {"first": ["A", "B"], "second": ["C", "C"], "judge": ["J2", "J99"]}
    found, again = (
        pairproof.predict(f, ask, sigma="known").iloc[:, 2:] for f in (fit, fit.with_reference(other))
    )
    np.testing.assert_allclose(again, found, rtol=1e-10)  # the same model: observed 0


def test_an_offset_of_its_own_beside_one_of_the_formula_is_asked_for_and_added():
    four = replace(four_players(), columns={"head_start": np.linspace(-0.5, 0.5, 6)})
    fit = pairproof.fit_bradley_terry(four, formula="item + offset(x)", offset="head_start", link="probit")
    ask = {"first": ["A", "A"], "second": ["B", "B"]}
    with pytest.raises(InputError, match="contests lacks the column 'head_start'"):
        pairproof.predict(fit, ask)
    found = pairproof.predict(fit, {**ask, "head_start": [0.0, 0.25]})
    # x of A and B are 0 and 1, so that the formula's offset is -1.
    # The same sum: observed 0.
    np.testing.assert_allclose(found["eta"], -1.0 - fit.params["B"] + np.array([0.0, 0.25]), rtol=1e-12)


def test_a_pair_without_a_finite_difference_is_named():
    fit = pairproof.fit_bradley_terry(
        pairproof.Comparisons.build("ABC", [0, 1], [1, 2], [3, 2], None, [0, 2])
    )
    with pytest.warns(DataWarning, match="no probability of A and B .nan.: their difference is infinite"):
        assert pairproof.predict(fit, {"first": ["A", "B"], "second": ["B", "C"]})[
            "p_first"
        ].isna().tolist() == [True, False]
