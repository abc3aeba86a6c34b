"""Native fits against 50-digit values made by code that shares nothing with them (`tests/certified`)."""

from __future__ import annotations

from typing import Any

import pytest
from mpmath import mpf

from pairproof.errors import NotEstimableError
from tests.native.comparisons.counts.certified_cases import FITS, digits, native, stated

# Required: 13 digits of max(|value|, standard error) for estimates, of the value for standard errors.
# Observed least over all fits: 13.9 (round robin 999999:1, centred) and 15.1.
ESTIMATE_DIGITS, SE_DIGITS = 13.0, 13.0
# A sum of positive terms; observed least 13.4 (citations).
DEVIANCE_DIGITS = 13.0
# Of the log-likelihood: a sum of thousands of terms; observed least 15.6.
LLF_DIGITS = 14.0
# Worths and their standard errors pass through exp and the delta method; observed least 13.2 and 13.0.
WORTH_DIGITS = 12.5
# An optimum of a least-squares criterion: half the digits of the criterion would be 8; Newton's last digit
# turns on the LAPACK below numpy. Observed least 11.2 (numpy 1.24, Debian 12) and 10.94 (numpy 2.2 and 2.4,
# Debian 13 and unstable).
QUASI_DIGITS = 10.5

ids = [fit["id"] for fit in FITS]


@pytest.fixture(params=FITS, ids=ids)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param  # type: ignore[no-any-return]  # pytest's params are untyped


def test_estimates_have_thirteen_certified_digits(case: dict[str, Any]) -> None:
    params = native(case).params
    found = {n: digits(params[n], v, mpf(case["bse"].get(n) or 0)) for n, v in stated(case["params"]).items()}
    assert found, "no certified estimates in the file"
    assert min(found.values()) >= ESTIMATE_DIGITS, found


def test_standard_errors_have_thirteen_certified_digits(case: dict[str, Any]) -> None:
    bse = native(case).bse
    found = {n: digits(bse[n], v) for n, v in stated(case["bse"]).items()}
    assert found and min(found.values()) >= SE_DIGITS, found


def test_covariances_have_twelve_certified_digits_of_their_standard_errors(case: dict[str, Any]) -> None:
    cov = native(case).cov_params()
    names, rows = case["cov_params"]["names"], case["cov_params"]["rows"]
    assert set(names) == set(cov.index)
    # Of the product of the two standard errors: a covariance near 0 has no digits of its own. Observed least
    # 12.9.
    found = {
        (a, b): digits(cov.loc[a, b], mpf(rows[i][j]), (mpf(rows[i][i]) * mpf(rows[j][j])) ** mpf("0.5"))
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    }
    assert min(found.values()) >= 12.0, min(found, key=found.__getitem__)


def test_deviance_likelihood_and_degrees_of_freedom_are_the_certified_ones(case: dict[str, Any]) -> None:
    fit = native(case)
    assert fit.df_resid == case["df_resid"]
    if case["df_resid"]:
        assert digits(fit.deviance, mpf(case["deviance"])) >= DEVIANCE_DIGITS
    else:  # a saturated model: 0, up to the rounding of each count (1e-13 even for counts of a million)
        assert 0 <= fit.deviance < 1e-9
    assert digits(fit.llf, mpf(case["llf"])) >= LLF_DIGITS


def test_aic_and_bic_count_estimable_parameters_and_comparisons(case: dict[str, Any]) -> None:
    fit = native(case)
    assert digits(fit.aic, mpf(case["aic"])) >= LLF_DIGITS
    assert digits(fit.bic, mpf(case["bic"])) >= LLF_DIGITS
    assert fit.n_comparisons == float(mpf(case["n_comparisons"]))


def test_the_null_model_has_equal_items_no_order_effect_and_its_tie_parameter(case: dict[str, Any]) -> None:
    fit = native(case)
    null = case["null"]["tie-only"]
    assert fit.df_null == null["df"]
    assert digits(fit.null_deviance, mpf(null["deviance"])) >= DEVIANCE_DIGITS


def test_p_values_agree_far_into_the_tail(case: dict[str, Any]) -> None:
    p = native(case).pvalues
    # A relative error of z is multiplied by z**2 in the tail; z reaches 300 in one set (p = 0 in doubles
    # there).
    found = {n: digits(p[n], mpf(v)) for n, v in stated(case["pvalues"]).items() if mpf(v) > mpf("1e-280")}
    assert all(d >= 9.0 for d in found.values()), found


def test_worths_and_their_standard_errors_are_certified(case: dict[str, Any]) -> None:
    fit = native(case)
    checked = 0
    for group, worths in case["worth"].items():
        at = None
        if group not in fit.groups:  # numeric covariates: the file has every observed value, a fit their mean
            at = {name: float(value) for name, value in (part.split("=") for part in group.split(","))}
        table = fit.worth(at=at)
        table = table[table["group"] == group] if at is None else table
        for column, certified in (("worth", worths), ("se", case["worth_se"][group])):
            values = dict(zip(table["item"], table[column]))
            for item, v in certified.items():
                assert digits(values[item], mpf(v)) >= WORTH_DIGITS, (group, item, column)
                checked += 1
    assert checked or case["not_estimable"]


def test_quasi_variances_reach_the_optimum_that_qvcalc_stops_short_of(case: dict[str, Any]) -> None:
    fit = native(case)
    for group, certified in case["quasi_variances"].items():
        if group not in fit.groups:
            continue
        if certified is None:  # fewer than three items, or items whose difference has no variance
            with pytest.raises(NotEstimableError, match="at least 3 items|positive finite variance"):
                fit.quasi_variances(group)
            continue
        table = fit.quasi_variances(group).set_index("item")["quasi_variance"]
        for item, v in certified.items():
            assert digits(table[item], mpf(v)) >= QUASI_DIGITS, (group, item)
