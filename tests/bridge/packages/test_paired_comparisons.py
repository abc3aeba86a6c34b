"""psychotools on its own data, replayed from records; ``PAIRPROOF_RECORD=all`` asks R and writes them anew."""

from __future__ import annotations

import os

import numpy as np
import pytest

import pairproof
from pairproof.bridge import Backend, data_expr, package_object
from pairproof.bridge.packages import psychotools as pt
from pairproof.errors import InputError, RError
from tests.bridge.conftest import digits
from tests.read_in_place import in_place

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
PARTIES = ("none", "Linke", "Gruene", "SPD", "CDU/CSU", "FDP")
TIED = [[1, 0, -1], [-1, 1, 1], [0, 1, 1], [1, 1, float("nan")]]


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.fixture(scope="module")
def parties(policy):
    return pt.btmodel(data_expr("psychotools", "GermanParties2009", "preference"), backend=policy)


def test_the_help_pages_model_of_parties(parties):
    assert parties.items == PARTIES and parties.names == PARTIES[:-1] and not parties.undecided
    # R prints these five digits on the help page.
    assert [round(float(b), 4) for b in parties.coef] == [-0.3756, -0.6161, 1.1858, 0.8131, 0.1756]
    assert parties.worth.sum() == pytest.approx(1, abs=1e-12)  # rounding; observed 2e-16


def test_types_references_and_weights_are_options(parties, policy):
    source = data_expr("psychotools", "GermanParties2009", "preference")
    logit = pt.btmodel(source, type="logit", ref="SPD", backend=policy)
    moved = parties.estimate("none") - parties.estimate("SPD")
    # Another likelihood, the same maximum, both stopped by glm's own rule; observed 16 digits.
    assert digits(logit.estimate("none"), moved) > 10 and logit.names[-1] == "FDP"
    twice = pt.btmodel(source, weights=np.full(192, 2.0), backend=policy)
    np.testing.assert_allclose(twice.coef, parties.coef, rtol=1e-10)  # the same maximum; observed 3e-15
    np.testing.assert_allclose(twice.se * np.sqrt(2), parties.se, rtol=1e-7)  # a step early; observed 9e-11
    with pytest.raises(RError, match="data have no ties"):
        pt.btmodel(source, undecided=True, backend=policy)


def test_item_parameters_are_worths_or_logarithms_against_any_items(parties, policy):
    worth = pt.itempar(parties, backend=policy)
    np.testing.assert_array_equal(worth.estimate, parties.worth)
    np.testing.assert_array_equal(pt.worth(parties, backend=policy).se, parties.worth_se)
    against = pt.itempar(parties, "SPD", log=True, backend=policy)
    assert against.estimate[3] == 0 and against.se[3] == pytest.approx(0, abs=1e-9)  # rounding; observed 0
    np.testing.assert_allclose(np.diff(against.estimate), np.diff([*parties.coef, 0.0]), rtol=1e-12)
    two = pt.itempar(parties, ["SPD", "FDP"], alias=False, backend=policy)
    assert two.items == ("none", "Linke", "Gruene", "CDU/CSU", "FDP")
    with pytest.raises(ValueError, match="'CSU' is no item"):
        pt.itempar(parties, "CSU", backend=policy)


def test_scores_add_up_to_nothing_and_the_deviance_is_no_measure_of_fit(parties, policy):
    scores = in_place("psychotools", lambda: pt.estfun(parties, backend="live"))  # a row a person
    assert scores.names == parties.names and scores.values.shape == (192, 5)
    assert np.abs(scores.values.sum(axis=0)).max() < 1e-9  # at the maximum; observed 2e-13
    assert pt.deviance(parties, backend=policy) == -2 * parties.loglik


def test_a_paircomp_is_made_summed_up_and_fitted(policy):
    made = pt.paircomp(TIED, ["a", "b", "c"], backend=policy)
    assert made.text[0] == "{a > b, a = c, b < c}" and made.text[3] == "{a > b, a > c, NA}"
    assert made.pairs == ("a : b", "a : c", "b : c") and made.answers == (">", "=", "<", "NA's")
    assert made.counts.tolist() == [[2, 1, 1, 0], [3, 1, 0, 0], [2, 0, 1, 1]] and made.mscale.tolist() == [
        -1,
        0,
        1,
    ]
    fit = pt.btmodel(made, ref="a", backend=policy)
    same = pt.btmodel(TIED, ["a", "b", "c"], ref="a", backend=policy)
    np.testing.assert_array_equal(fit.coef, same.coef)
    assert fit.items == same.items == ("a", "b", "c") and fit.undecided
    people = made.respondents()
    assert people.tie_category and people.items == ("a", "b", "c")
    with pytest.raises(ValueError, match="its own labels"):
        pt.btmodel(made, ["a", "b", "c"], backend=policy)
    with pytest.raises(ValueError, match="labels are needed"):
        pt.btmodel(TIED, backend=policy)


def test_degrees_of_preference_are_refused_or_put_aside(policy):
    steps = pt.paircomp([[2, -3, 0], [1, 1, 1]], ["a", "b", "c"], backend=policy)
    with pytest.raises(InputError, match="degrees"):
        steps.respondents()
    assert "1  a > b, a < c, b = c" in steps.respondents("ignore").sentences()
    with pytest.raises(RError, match="likert"):
        pt.btmodel(steps, backend=policy)


def test_parties_come_over_as_respondents_whose_fit_is_btmodels(parties):
    where = ("psychotools", "GermanParties2009")
    people = in_place("psychotools", lambda: package_object(*where, column="preference", backend="live"))
    assert set(people.columns) == {"gender", "age", "education", "crisis", "interviewer"}
    fit = pairproof.fit_bradley_terry(people.to_comparisons(), reference="FDP")
    # btmodel's estimates have glm's digits; observed 14.6.
    assert min(digits(fit.params[n], parties.estimate(n)) for n in PARTIES[:-1]) > 10
    with pytest.raises(InputError, match="say which one: column="):
        package_object(*where, backend="live")
