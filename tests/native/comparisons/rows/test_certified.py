"""Bias-reduced estimates against 50-digit roots of the adjusted scores that share no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mpf

from pairproof.native.comparisons.rows.reduced_bias import fit_reduced
from pairproof.native.comparisons.rows.tied_contests import davidson, fit_tied
from tests.native.comparisons.counts.certified_cases import digits
from tests.native.comparisons.rows.certified import (
    Case,
    cases,
    column,
    contests_of,
    design_of,
    least_covariance_digits,
    least_digits,
)
from tests.native.comparisons.rows.data import deviance


@pytest.mark.parametrize("case", cases("mean", "median", "jeffreys"))
def test_estimates_errors_and_likelihood_are_the_certified_ones(case: Case) -> None:
    contests, link = contests_of(case), case["model"]["link"]
    found, names = fit_reduced(contests, case["model"]["estimator"], link), list(contests.design.names)
    # Scoring converges linearly, most slowly for the cauchit: observed least 14.2 and 13.6 there, 15.3 and
    # 14.3 else; a digit of slack for another LAPACK.
    limit = 13.0 if case["model"]["link"] == "cauchit" else 13.5
    assert least_digits(dict(zip(names, found.theta)), case["params"], case["bse"]) >= limit
    assert least_covariance_digits(case, names, found.covariance) >= limit - 0.5
    # The plain likelihood is not flat at the estimate: observed least 15.2, and 13.5 of a difference.
    assert digits(found.llf, mpf(case["llf"])) >= 14.0
    assert digits(deviance(contests, found.theta, link), mpf(case["deviance"])) >= 12.5
    if "penalised" in case:
        assert digits(found.penalised, mpf(case["penalised"])) >= 14.5  # at its maximum: observed least 15.7


@pytest.mark.parametrize("case", cases("ml", "jeffreys", ties=("davidson",)))
def test_davidsons_model_has_the_certified_values_with_and_without_bias_reduction(case: Case) -> None:
    design = design_of(case)
    counts = (column(case, name) for name in ("wins", "ties", "losses"))
    contests = davidson(design, *counts)
    found = fit_tied(contests, reduced=case["model"]["estimator"] == "jeffreys")
    names = list(contests.names)
    # Observed least 15.6, 15.2 and 15.9; a digit of slack for another LAPACK.
    assert least_digits(dict(zip(names, found.theta)), case["params"], case["bse"]) >= 14.5
    assert least_covariance_digits(case, names, found.covariance) >= 14.0
    assert digits(found.llf, mpf(case["llf"])) >= 14.5
    if "penalised" in case:
        assert digits(found.penalised, mpf(case["penalised"])) >= 14.5


def test_every_estimator_of_the_set_is_tried_on_separated_and_on_tied_contests() -> None:
    tried = {
        str(c.id) for c in (*cases("mean", "median", "jeffreys"), *cases("jeffreys", ties=("davidson",)))
    }
    assert len({name.split("--")[0] for name in tried}) >= 4
    for estimator in ("mean", "median", "jeffreys"):
        assert any(name.startswith("separated") and estimator in name for name in tried)
