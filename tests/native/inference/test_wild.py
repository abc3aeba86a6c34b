"""Wild cluster score tests: the values of all 16 sign vectors on Dras's table, inversion, few clusters, bad input."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import InputError, ItemError, NotEstimableError, PairproofWarning, TooLargeError
from pairproof.fit.fit import Fit
from pairproof.native.inference.score_tests import WEBB, weight_vectors
from tests.places import DATA

#: 12 printed digits; observed differences are below 1e-11.
DIGITS = dict(rtol=5e-11, atol=0.0)


@pytest.fixture(scope="module")
def dras() -> Fit:
    return pairproof.fit_bradley_terry(
        pairproof.read(DATA / "dras_table1.csv"), ties="davidson", reference="D"
    )


@pytest.fixture(scope="module")
def d24() -> Fit:
    table = pairproof.read(DATA / "inference_d24.csv")
    return pairproof.fit_bradley_terry(table, ties="davidson", order_effect=True, reference="F")


@pytest.mark.parametrize(
    ("contrast", "value", "t", "p"),
    [
        (("A", "B"), 0.0, 24.6909734879, 0.125),
        (("A", "D"), 0.0, 1.12176030131, 0.625),
        (("B", "C"), 0.0, 1.49393491359, 0.25),
        ("tie", -2.0, 1.09895882909, 0.5),
        ({"A": 1.0, "B": -1.0}, 0.0, 24.6909734879, 0.125),
    ],
)
def test_t_and_p_on_drass_table_are_those_of_all_16_sign_vectors(dras, contrast, value, t, p):
    test = pairproof.wild_test(dras, "judge", contrast, value=value)
    np.testing.assert_allclose(abs(test.t), t, **DIGITS)
    assert test.p == p and test.exact and test.vectors == 16 and test.seed is None


def test_statistics_of_a_and_b_come_in_pairs_with_the_listed_values(dras):
    test = pairproof.wild_test(dras, "judge", ("A", "B"))
    expected = [0.0584416643265, 0.0950342926902, 0.117033319352, 1.03622135285, 1.08923938400, 1.12191847387, 1.37279728740, 24.6909734879]  # fmt: skip
    np.testing.assert_allclose(np.sort(test.statistics), np.repeat(expected, 2), **DIGITS)


def test_the_test_does_not_depend_on_scale_reference_or_the_fits_own_covariance(dras):
    plain = pairproof.wild_test(dras, "judge", ("B", "C"), value=0.5)
    for other, value in (
        (dras.with_reference("A"), 0.5),
        (dras.with_reference("sum"), 0.5),
        (dras.on_scale("lambda"), 0.25),
        (dras.clustered("judge"), 0.5),
    ):
        test = pairproof.wild_test(other, "judge", ("B", "C"), value=value)
        # One number in two ways, which differ by rounding; seen: 4e-16 off.
        assert test.t == pytest.approx(plain.t, rel=1e-9) and test.p == plain.p


def test_four_clusters_cannot_reject_at_5_percent_by_signs_and_say_so(dras):
    test = pairproof.wild_test(dras, "judge", ("A", "B"))
    assert test.least_p == 0.125
    assert 'no p-value of sign vectors is below 0.125; weights="webb" goes below it' in str(test)
    with pytest.warns(
        PairproofWarning, match="the least p-value is 0.125, so that no value is rejected at level 0.95"
    ):
        assert test.conf_int() == (-np.inf, np.inf)
    low, high = test.conf_int(0.8)
    assert low < test.estimate < high and np.isfinite([low, high]).all()


def test_webbs_points_go_below_the_least_p_of_signs(dras):
    test = pairproof.wild_test(dras, "judge", ("A", "B"), weights="webb")
    assert test.exact and test.vectors == 6**4 and test.p < 0.125 and test.cautions == ()
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert test.p == pytest.approx(np.mean(test.statistics >= abs(test.t) * (1 - 1e-10)))


def test_weights_have_mean_0_and_variance_1():
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert WEBB.mean() == pytest.approx(0.0, abs=1e-15) and (WEBB**2).mean() == pytest.approx(
        1.0, rel=1e-15
    )
    signs, every = weight_vectors(12, "rademacher", 99, 1)
    assert every and signs.shape == (4096, 12) and len(np.unique(signs, axis=0)) == 4096
    drawn, every = weight_vectors(13, "rademacher", 99, 1)
    assert not every and drawn.shape == (99, 13) and set(np.unique(drawn)) == {-1.0, 1.0}
    assert np.array_equal(weight_vectors(13, "rademacher", 99, 1)[0], drawn)


def test_drawn_vectors_give_p_from_their_number_and_one_more(d24):
    test = pairproof.wild_test(d24, "judge", "A", seed=1, replicates=999)
    reached = np.sum(test.statistics >= abs(test.t) * (1 - 1e-10))
    assert not test.exact and test.seed == 1 and test.p == (1 + reached) / 1000
    assert test.p > test.least_p == 0.001
    other = pairproof.wild_test(d24, "judge", "A", replicates=99)
    assert pairproof.wild_test(d24, "judge", "A", replicates=99, seed=other.seed).p == other.p


def test_p_crosses_the_level_at_the_limits(d24):
    test = pairproof.wild_test(d24, "judge", "order", seed=3, replicates=499)
    for limit, side in zip(test.conf_int(0.9), (-1.0, 1.0)):
        inside, outside = (
            pairproof.wild_test(
                d24, "judge", "order", value=limit + k * side * 1e-6, seed=3, replicates=499
            ).p
            for k in (-1, 1)
        )
        assert outside <= 0.1 < inside


def test_with_24_judges_the_interval_is_close_to_that_of_cr2(d24):
    """Two methods for the same thing: limits within half a standard error (observed .19), widths within 10 %
    (observed 3 %)."""
    by_cr2 = d24.clustered("judge")
    for name in ("A", "order", "tie"):
        low, high = pairproof.wild_test(d24, "judge", name, seed=1, replicates=1999).conf_int()
        other = by_cr2.conf_int().loc[name]
        assert (
            abs(low - other["low"]) < 0.5 * by_cr2.bse[name]
            and abs(high - other["high"]) < 0.5 * by_cr2.bse[name]
        )
        assert (high - low) / (other["high"] - other["low"]) == pytest.approx(1.0, abs=0.1)


def test_two_items_have_the_closed_form():
    """One parameter: s_g = w_g - n_g p, I_g = n_g p q, and a = 1 cancels."""
    w, l = np.array([6.0, 7, 2, 8, 5, 9]), np.array([4.0, 1, 5, 3, 5, 2])
    frame = pd.DataFrame(dict(judge=list("abcdef"), first="A", second="B", wins=w, losses=l))
    fit = pairproof.fit_bradley_terry(pairproof.read(frame), reference="B")
    test = pairproof.wild_test(fit, "judge", "A", value=0.3)
    n, p = w + l, 1 / (1 + np.exp(-0.3))
    s = w - n * p
    u = s - n / n.sum() * s.sum()
    # One number in two ways, which differ by rounding; seen: 2e-15 off.
    assert test.t == pytest.approx(s.sum() / np.sqrt((u**2).sum()), rel=1e-11)


def test_rao_kupper_order_covariates_and_item_covariates_can_be_tested():
    table = pairproof.read(DATA / "inference_d24.csv")
    fit = pairproof.fit_llbt(table, ties="rao-kupper", order_effect=True)
    assert 0 < pairproof.wild_test(fit, "judge", "tie", value=0.5, seed=1, replicates=99).p <= 1
    with pytest.raises(NotEstimableError, match="outside the parameter space"):
        pairproof.wild_test(fit, "judge", "tie", value=-0.5)
    low, _ = pairproof.wild_test(fit, "judge", "tie", seed=1, replicates=99, value=0.4).conf_int()
    assert 0 < low < fit.params["tie"]


def test_judges_who_all_say_the_same_leave_nothing_to_invert():
    rows = [("a", "A", "B", 3, 0), ("b", "A", "B", 4, 0), ("c", "A", "B", 2, 0), ("d", "A", "B", 5, 0), ("e", "A", "B", 3, 0), ("f", "A", "B", 4, 0), ("g", "A", "B", 3, 0)]  # fmt: skip
    fit = pairproof.fit_bradley_terry(
        pairproof.read(pd.DataFrame(rows, columns=["judge", "first", "second", "wins", "losses"])),
        reference="B",
    )
    test = pairproof.wild_test(fit, "judge", ("A", "B"))
    # Every judge has all wins: nothing varies between them, and only equal signs reach an infinite t.
    assert test.estimate == test.t == np.inf and test.p == 2 / 128
    assert test.to_dict()["estimate"] is test.to_dict()["t"] is None
    with pytest.raises(
        NotEstimableError, match="A - B is estimated as inf: .* every finite value is rejected"
    ):
        test.conf_int()


def test_what_stays_infinite_under_the_hypothesis_is_refused():
    rows = [("a", "A", "B", 3, 1), ("b", "A", "B", 2, 2), ("a", "A", "C", 4, 0), ("b", "B", "C", 5, 0)]
    fit = pairproof.fit_bradley_terry(
        pairproof.read(pd.DataFrame(rows, columns=["judge", "first", "second", "wins", "losses"])),
        reference="B",
    )
    with pytest.raises(NotEstimableError, match="remain infinite or undetermined under the hypothesis"):
        pairproof.wild_test(fit, "judge", ("A", "B"))


def test_what_one_cluster_alone_says_has_no_test():
    rows = [("a", "A", "B", 3, 1), ("b", "A", "B", 2, 2), ("c", "C", "D", 4, 2), ("c", "C", "D", 1, 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_bradley_terry(
            pairproof.read(pd.DataFrame(rows, columns=["judge", "first", "second", "wins", "losses"])),
            reference="B",
        )
    with pytest.raises(NotEstimableError):
        pairproof.wild_test(fit, "judge", ("A", "C"))  # never compared
    rows[3] = ("c", "C", "A", 1, 2)
    fit = pairproof.fit_bradley_terry(
        pairproof.read(pd.DataFrame(rows, columns=["judge", "first", "second", "wins", "losses"])),
        reference="B",
    )
    with pytest.raises(NotEstimableError, match="one cluster alone has all the information on this contrast"):
        pairproof.wild_test(fit, "judge", ("C", "D"))


def test_bad_input_is_refused_with_what_was_found(dras):
    with pytest.raises(InputError, match="no column 'judges' to cluster by"):
        pairproof.wild_test(dras, "judges", ("A", "B"))
    with pytest.raises(ItemError, match="no item 'X'"):
        pairproof.wild_test(dras, "judge", ("A", "X"))
    with pytest.raises(InputError, match="no parameter 'ties'"):
        pairproof.wild_test(dras, "judge", "ties")
    with pytest.raises(NotEstimableError, match="the hypothesis is about a reference"):
        pairproof.wild_test(dras, "judge", "D")
    with pytest.raises(InputError, match="weights='mammen'; expected one of 'rademacher', 'webb'"):
        pairproof.wild_test(dras, "judge", ("A", "B"), weights="mammen")
    with pytest.raises(InputError, match="value=nan; expected a finite number"):
        pairproof.wild_test(dras, "judge", ("A", "B"), value=float("nan"))
    with pytest.raises(InputError, match="replicates=0"):
        pairproof.wild_test(dras, "judge", ("A", "B"), replicates=0)


def test_the_object_is_json(d24):
    found = json.loads(
        json.dumps(pairproof.wild_test(d24, "judge", ("A", "B"), seed=1, replicates=99).to_dict())
    )
    assert found["contrast"] == "A - B" and found["n_clusters"] == 24 and found["seed"] == 1


# -- the joint score test ------------------------------------------------------------------------------------


def test_the_score_test_of_one_contrast_is_the_square_of_scores_over_their_spread():
    w, l = np.array([6.0, 7, 2, 8, 5, 9]), np.array([4.0, 1, 5, 3, 5, 2])
    frame = pd.DataFrame(dict(judge=list("abcdef"), first="A", second="B", wins=w, losses=l))
    fit = pairproof.fit_bradley_terry(pairproof.read(frame), reference="B")
    test = pairproof.score_test(fit, "judge", ("A", "B"))
    s = w - (w + l) / 2
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert test.statistic == pytest.approx(s.sum() ** 2 / (s**2).sum(), rel=1e-11)
    assert test.df == 1 and "fewer than 20" in test.caution


def test_the_score_test_does_not_depend_on_which_contrasts_say_the_same(d24):
    first = pairproof.score_test(d24, "judge", [("A", "B"), ("A", "C")])
    other = pairproof.score_test(
        d24.with_reference("A").on_scale("lambda"), "judge", [("B", "C"), ("C", "A")]
    )
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert (
        other.statistic == pytest.approx(first.statistic, rel=1e-9) and first.df == 2 and first.caution == ""
    )
    assert str(first).startswith("Score chi-square by judge (24 clusters)")


def test_the_score_test_refuses_what_it_cannot_test(dras, d24):
    with pytest.raises(InputError, match="4 contrasts and 4 clusters by judge"):
        pairproof.score_test(dras, "judge", ["A", "B", "C", "tie"])
    with pytest.raises(NotEstimableError, match="depend on each other"):
        pairproof.score_test(d24, "judge", [("A", "B"), ("B", "A")])
    with pytest.raises(InputError, match="no contrast to test"):
        pairproof.score_test(d24, "judge", [])


def test_more_weights_than_fit_in_memory_are_refused_before_they_are_drawn():
    with pytest.raises(
        TooLargeError, match="9,999 weight vectors of 90,000 clusters .* ask for 1,388 replicates"
    ):
        weight_vectors(90_000, "rademacher", 9_999, 1)
    assert weight_vectors(90_000, "rademacher", 2, 1)[0].shape == (2, 90_000)
