"""The generalised Davidson model against 50-digit maxima that share no code with it."""

from __future__ import annotations

import pytest
from mpmath import mpf

from pairproof.native.comparisons.rows.tied_contests import fit_ties
from tests.native.comparisons.counts.certified_cases import digits
from tests.native.comparisons.rows.certified import (
    Case,
    cases,
    column,
    design_of,
    least_covariance_digits,
    least_digits,
)
from tests.native.comparisons.rows.data import deviance_of, tied_contests


@pytest.mark.parametrize("case", cases("ml", ties=("davidson", "general")))
def test_estimates_errors_and_likelihood_are_the_certified_ones(case: Case) -> None:
    model, design = case["model"], design_of(case)
    counts = (column(case, name) for name in ("wins", "ties", "losses"))
    contests = tied_contests(design, *counts, column(case, "home"), model["tie_shift"], model["tie_scale"])
    found = fit_ties(contests)
    names = list(contests.names)
    assert sorted(names) == sorted(case["params"])
    # Newton's method ends at a gain of 1e-26: observed least 12.55 and 12.9 (shift), 14.6 and 14.6 else.
    assert least_digits(dict(zip(names, found.theta)), case["params"], case["bse"]) >= 12.0
    assert least_covariance_digits(case, names, found.covariance) >= 12.0
    # Observed least 15.6; of a difference 13.9.
    assert digits(found.llf, mpf(case["llf"])) >= 14.5
    assert digits(deviance_of(contests, found.llf), mpf(case["deviance"])) >= 13.0
