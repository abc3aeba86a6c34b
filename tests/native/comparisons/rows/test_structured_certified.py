"""Links, covariates, offsets and missing covariates against 50-digit values that share no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mpf

from pairproof.native.comparisons.rows.maximum_likelihood import fit_limiting, fit_structured
from tests.native.comparisons.counts.certified_cases import digits
from tests.native.comparisons.rows import certified
from tests.native.comparisons.rows.certified import (
    Case,
    cases,
    contests_of,
    least_covariance_digits,
    least_digits,
)
from tests.native.comparisons.rows.data import deviance, log_coefficients


@pytest.mark.parametrize("case", [c for c in cases("ml") if "flatlizards" not in str(c.id)])
def test_estimates_errors_and_likelihood_are_the_certified_ones(case: Case) -> None:
    contests, link = contests_of(case), case["model"]["link"]
    found, names = fit_structured(contests, link), list(contests.design.names)
    assert sorted(names) == sorted(case["params"])
    observed = dict(zip(names, np.sqrt(np.diag(found.covariance))))
    # Observed least 14.98 (citations, probit), 15.3, 14.98; a digit of slack for another LAPACK.
    assert least_digits(dict(zip(names, found.theta)), case["params"], case["bse"]) >= 14.0
    assert least_digits(observed, case["bse"], case["bse"]) >= 14.0
    assert least_covariance_digits(case, names, found.covariance) >= 14.0
    # Sums of terms of one sign: observed least 15.4 and 15.3.
    assert digits(found.llf, mpf(case["llf"])) >= 14.5
    assert digits(log_coefficients(contests), mpf(case["log_coefficients"])) >= 14.0
    # A difference of two sums that are 400 times as large: observed least 13.7 (citations, probit).
    assert digits(deviance(contests, found.theta, link), mpf(case["deviance"])) >= 12.5
    assert contests.n_used - len(names) == case["df_resid"]
    if "bse_expected" in case:
        expected = dict(zip(names, np.sqrt(np.diag(found.expected_covariance))))
        assert least_digits(expected, case["bse_expected"], case["bse"]) >= 14.0
        assert case["model"]["link"] == "logit" or case["bse_expected"] != case["bse"]


@pytest.mark.parametrize("case", [c for c in cases("ml") if "flatlizards" in str(c.id)])
def test_a_lizard_without_measurements_has_the_certified_ability_beside_one_that_is_infinite(
    case: Case,
) -> None:
    found = fit_limiting(contests_of(case), case["model"]["link"])
    names = list(contests_of(case).design.names)
    theta, errors = dict(zip(names, found.theta)), dict(zip(names, found.standard_errors))
    assert theta["lizard096"] == np.inf and case["not_estimable"] == {"lizard096": "inf"}
    # Observed 15.8 and 15.6; a digit of slack for another LAPACK.
    assert least_digits(theta, case["params"], case["bse"]) >= 14.5
    assert least_digits(errors, case["bse"], case["bse"]) >= 14.5


def test_every_structured_fit_of_the_set_is_tried() -> None:
    tried = {c.id for c in cases("ml")}
    assert len({str(name).split("--")[0] for name in tried}) >= 5
    assert {f["model"]["link"] for f in certified.FITS} == {"logit", "probit", "cauchit"}
