"""Residuals, and when the deviance may be read as a chi-square."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import log as mplog, mp, mpf

from pairproof.errors import InputError
from pairproof.fit.estimates.fit_record import CellTable
from pairproof.fit.inference.diagnostics import chi_square_tests, poisson_divergence, residual_frame
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.hand_made import counts, dras, modpref

TABLE = dras()


def cells(observed, fitted) -> CellTable:
    observed, fitted = np.array(observed, float), np.array(fitted, float)
    n = len(observed)
    return CellTable(np.zeros(n, int), np.ones(n, int), ("",) * n, observed, fitted)


def test_the_divergence_keeps_its_digits_where_observed_and_fitted_nearly_agree():
    pairs = [(61.0, 61.0 + 10.0**-k) for k in range(0, 13)] + [
        (3.0, 2.0),
        (5.0, 0.01),
        (1e9, 1e9 + 1),
        (20.0, 16.4),
        (20.0, 16.3),
    ]
    for y, m in pairs:
        with mp.workdps(60):
            exact = float(mpf(y) * mplog(mpf(y) / mpf(m)) - mpf(y) + mpf(m))
        # A few roundings; y log(y/m) - y + m itself loses all digits at m - y = 1e-8. Observed: 4e-16.
        assert float(poisson_divergence(np.array(y), np.array(m))) == pytest.approx(exact, rel=1e-14), (y, m)


def test_the_divergence_of_an_empty_outcome_is_its_expectation():
    assert poisson_divergence(np.array([0.0, 0.0, 2.0]), np.array([3.0, 0.0, 0.0])).tolist() == [
        3.0,
        0.0,
        math.inf,
    ]


@pytest.mark.parametrize("distribution", ["poisson", "multinomial"])
def test_squared_residuals_add_up_to_pearsons_statistic_and_to_the_deviance(distribution):
    fit = fit_llbt(TABLE)
    test = fit.goodness_of_fit()
    if distribution == "poisson":
        assert (fit.residuals("pearson", "poisson")["residual"] ** 2).sum() == pytest.approx(
            test.pearson, rel=1e-13
        )
        assert (fit.residuals("deviance", "poisson")["residual"] ** 2).sum() == pytest.approx(
            fit.deviance, rel=1e-12
        )
    else:
        # Of two categories each residual says all: the deviance is there once, not once for either.
        binary = fit_llbt(TABLE, ties="drop")
        for kind, total in (("pearson", binary.goodness_of_fit().pearson), ("deviance", binary.deviance)):
            frame = binary.residuals(kind, "multinomial")
            once = frame[frame["outcome"] == "first"]["residual"]
            assert (once**2).sum() == pytest.approx(total, rel=1e-12)
            assert once.to_numpy() == pytest.approx(
                -frame[frame["outcome"] == "second"]["residual"].to_numpy()
            )


def test_poisson_and_multinomial_residuals_differ_and_the_frame_says_which_it_has():
    fit = fit_llbt(TABLE)
    poisson, multinomial = fit.residuals("pearson", "poisson"), fit.residuals("pearson", "multinomial")
    row = poisson.set_index(["first", "second", "outcome"]).loc[("A", "B", "first")]
    n, y, m = 160.0, row["observed"], row["fitted"]
    assert row["residual"] == pytest.approx((y - m) / math.sqrt(m), rel=1e-13)
    assert multinomial["residual"][0] == pytest.approx((y - m) / math.sqrt(m * (1 - m / n)), rel=1e-13)
    assert poisson.attrs == {"kind": "pearson", "distribution": "poisson"}
    assert fit.residuals().equals(multinomial) and fit.residuals("pearson").attrs == multinomial.attrs
    with pytest.raises(InputError, match="distribution='gaussian'; expected one of 'poisson', 'multinomial'"):
        fit.residuals("pearson", "gaussian")


def test_a_residual_has_a_row_for_every_outcome_that_could_occur():
    with_ties, without = fit_llbt(TABLE, by="judge").residuals("deviance", "poisson"), fit_llbt(
        TABLE, ties="drop"
    ).residuals("deviance", "poisson")
    assert len(with_ties) == 6 * 4 * 3 and set(with_ties["outcome"]) == {"first", "tie", "second"}
    assert len(without) == 6 * 2 and set(without["outcome"]) == {"first", "second"}
    assert set(with_ties["cell"]) == {"judge=1", "judge=2", "judge=3", "judge=4"}
    assert with_ties["observed"].sum() == pytest.approx(with_ties["fitted"].sum()) == 960


def test_an_outcome_that_must_and_does_happen_leaves_no_residual():
    frame = residual_frame(cells([[5, 0, 0]], [[5, 0, 0]]), ("A", "B"), True, "pearson", "multinomial")
    assert frame["residual"].tolist() == [0.0, 0.0, 0.0]


# -- goodness of fit -----------------------------------------------------------------------------------------


def test_dras_pooled_model_is_rejected_with_p_1_8e_4():
    # seed-methods 1.4: "with ties p = 1.8e-4; without 1.3e-42; SUBJ model p = 2.7e-9".
    assert f"{fit_llbt(TABLE).goodness_of_fit().p_deviance:.1e}" == "1.8e-04"
    assert f"{fit_llbt(TABLE, ties='none').goodness_of_fit().p_deviance:.1e}" == "1.3e-42"
    assert f"{fit_llbt(TABLE, by='judge').goodness_of_fit().p_deviance:.1e}" == "2.7e-09"


def test_small_expected_counts_are_counted_in_the_caution():
    test = fit_llbt(TABLE, by="judge").goodness_of_fit()
    frame = fit_llbt(TABLE, by="judge").residuals("pearson", "poisson")
    small, tiny = (frame["fitted"] < 5).sum(), (frame["fitted"] < 1).sum()
    assert f"{small} of 72 expected counts are below 5 and {tiny} below 1" in test.caution
    assert math.isfinite(test.p_deviance)


def test_expected_counts_within_cochrans_rule_need_no_caution():
    of_judges = "the chi-square assumes independent answers, but those of one judge are related"
    assert fit_llbt(TABLE).goodness_of_fit().caution.startswith(of_judges)
    one_in_five = cells([[10, 10, 4]], [[10, 10, 4]] * 1)
    assert (
        "1 of 3 expected counts are below 5"
        in chi_square_tests(one_in_five, 1.0, 1, True, quasi=False).caution
    )
    at_the_edge = cells([[8, 8, 8], [16, 4, 4]] * 5, [[8, 8, 8], [16, 8, 4.9]] * 5)
    assert chi_square_tests(at_the_edge, 1.0, 1, True, quasi=False).caution == ""


def test_a_saturated_model_has_no_p_value():
    test = modpref().goodness_of_fit()
    assert math.isnan(test.p_deviance) and math.isnan(test.p_pearson) and "saturated (0 df)" in test.caution


def test_a_separated_fit_has_no_p_value_and_a_disconnected_one_keeps_it():
    separated = fit_llbt(counts("A B 5 0 3; A C 6 0 0; B C 4 0 0", ties=False)).goodness_of_fit()
    assert math.isnan(separated.p_deviance) and "2 of 6 expected counts are 0" in separated.caution
    disconnected = fit_llbt(counts("A B 50 20 30; C D 60 10 20")).goodness_of_fit()
    assert math.isfinite(disconnected.p_deviance)


def test_half_wins_have_no_p_value():
    test = fit_llbt(TABLE, ties="half").goodness_of_fit()
    assert math.isnan(test.p_deviance) and "half wins" in test.caution


def test_cells_of_single_comparisons_have_no_p_value_and_a_few_of_them_a_caution():
    rows = "; ".join(
        ["A B 1 0 0"] * 6
        + ["A B 0 0 1"] * 4
        + ["B C 1 0 0"] * 5
        + ["B C 0 0 1"] * 5
        + ["A C 0 0 1"] * 3
        + ["A C 1 0 0"] * 3
    )
    single = fit_llbt(counts(rows, ties=False), cells="row")
    assert single.cell_table().n_cells == 26
    assert "26 cells has a single comparison" in single.goodness_of_fit().caution
    assert math.isnan(single.goodness_of_fit().p_deviance)
    some = fit_llbt(counts("A B 1 0 0; B C 6 0 5; A C 3 0 4", ties=False), cells="row").goodness_of_fit()
    assert "1 of 3 cells hold a single comparison" in some.caution and math.isfinite(some.p_deviance)
