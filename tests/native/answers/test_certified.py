"""Native fits of whole answers against 50-digit values made by code that shares nothing with them.

The public functions are called as a user calls them (tests/certified/answers has the values); prefmod's own
tables are read from R, and their tests skip without it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from mpmath import mpf

from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.fit.fit import Fit
from pairproof.native.answers.latent_classes import fit_latent_classes
from pairproof.native.answers.pattern_models import fit_pattern
from pairproof.native.answers.plackett_luce import fit_plackett_luce
from tests.certified.answers.data_sets import DATA_SETS
from tests.certified.answers.load import load_all
from tests.native.comparisons.counts.certified_cases import digits

pytestmark = pytest.mark.xdist_group("certified answers")

# Observed least: 13.3 (music3x2, dependence between times) and 13.7; a digit of slack for another LAPACK.
ESTIMATE_DIGITS, SE_DIGITS = 12.5, 12.5
# A sum of terms of one sign: observed least 15.2.
LLF_DIGITS = 14.0
# A difference of two log-likelihoods: observed least 13.2 (pudding).
DEVIANCE_DIGITS = 12.0
# Smooth functions of estimates and covariance: observed least 13.7 (worths of salad), 13.9, 13.8.
WORTH_DIGITS = 12.5

FITS = load_all(as_text=True)


def marked(case: dict[str, Any]) -> Any:
    """A case of data that are read from R has its marker."""
    in_place = DATA_SETS[case["id"].split("--")[0]].in_place
    return pytest.param(case, id=case["id"], marks=[pytest.mark.r("prefmod")] if in_place else [])


CASES = [marked(case) for case in FITS]
OF_ANSWERS = [case for case in CASES if case.values[0]["model"]["classes"] == 1]
OF_CLASSES = [case for case in CASES if case.values[0]["model"]["classes"] > 1]
#: What null means in the codes of a table.
NONE = {"pairs": 9, "below": 0, "absent": -1, None: 0}


def table(case: dict[str, Any]) -> Respondents:
    """The persons of a certified fit."""
    rows, layout, model = DATA_SETS[case["id"].split("--")[0]].rows(), case["layout"], case["model"]
    none = NONE["pairs" if layout == "pairs" else case["unranked"]]
    answers = np.array([[none if a is None else a for a in row["answers"]] for row in rows])
    options: dict[str, Any] = {"weights": [row["weight"] for row in rows]}
    if model["by"]:
        codes = np.array([row[model["by"]] - 1 for row in rows])
        options["columns"] = {model["by"]: Factor(codes, ("1", "2"))}
    if layout == "pairs":
        return Respondents.build(case["items"], "comparisons", answers, tie_category=model["ties"], **options)
    if layout == "ranks":
        return Respondents.build(case["items"], "rankings", answers, **options)
    options["scale"] = (1, 2, 3, 4, 5)
    if model["times"] == 2:
        answers, options["times"] = answers.reshape(len(rows), 2, -1), ("1", "2")
    return Respondents.build(case["items"], "ratings", answers, **options)


@lru_cache(maxsize=None)
def native(name: str) -> Fit:
    case = next(f for f in FITS if f["id"] == name)
    model, by = case["model"], case["model"]["by"] or ""
    if model["family"] == "plackett-luce":
        return fit_plackett_luce(table(case), by=by)
    of_gaps = {"alpha": model["alpha"], "beta": model["beta"]}
    return fit_pattern(
        table(case), by=by, dependence=model["dependence"], between_times=model["between_times"], **of_gaps
    )


@pytest.mark.parametrize("case", OF_ANSWERS)
def test_estimates_and_standard_errors_have_twelve_certified_digits(case: dict[str, Any]) -> None:
    fit = native(case["id"])
    free = [name for name, fixed in zip(fit.names, fit.is_reference) if not fixed]
    assert sorted(free) == sorted(case["params"])
    for name, text in case["params"].items():
        error = mpf(case["bse"][name])
        assert digits(fit.params[name], mpf(text), error) >= ESTIMATE_DIGITS, name
        assert digits(fit.bse[name], error) >= SE_DIGITS, name


@pytest.mark.parametrize("case", OF_ANSWERS)
def test_covariances_have_twelve_certified_digits_of_their_standard_errors(case: dict[str, Any]) -> None:
    found, names = native(case["id"]).cov_params(), case["cov_params"]["names"]
    for a, row in zip(names, case["cov_params"]["rows"]):
        for b, text in zip(names, row):
            size = mpf(case["bse"][a]) * mpf(case["bse"][b])
            assert digits(found.loc[a, b], mpf(text), size) >= 12.0, (a, b)  # observed least 13.4


@pytest.mark.parametrize("case", OF_ANSWERS)
def test_deviance_likelihood_and_degrees_of_freedom_are_the_certified_ones(case: dict[str, Any]) -> None:
    fit = native(case["id"])
    assert fit.df_resid == case["df_resid"] and fit.n_persons == case["n_persons"]
    assert digits(fit.deviance, mpf(case["deviance"])) >= DEVIANCE_DIGITS
    for name in ("llf", "aic", "bic"):
        assert digits(getattr(fit, name), mpf(case[name])) >= LLF_DIGITS, name


@pytest.mark.parametrize("case", [c for c in OF_ANSWERS if "worth" in c.values[0]])
def test_worths_quasi_variances_and_centred_log_worths_are_certified(case: dict[str, Any]) -> None:
    fit = native(case["id"])
    worths = fit.worth().set_index(["group", "item"])
    for group in case["worth"]:
        quasi = fit.quasi_variances(group).set_index("item")["quasi_variance"]
        for item in case["items"]:
            at = (group, item)
            assert digits(worths.loc[at, "worth"], mpf(case["worth"][group][item])) >= WORTH_DIGITS, at
            assert digits(worths.loc[at, "se"], mpf(case["worth_se"][group][item])) >= WORTH_DIGITS, at
            assert digits(quasi[item], mpf(case["quasi_variances"][group][item])) >= WORTH_DIGITS, at
    if list(case["worth"]) == ["all"]:
        centred = fit.on_scale("log-odds").with_reference("sum").bse
        for item, text in case["centred_se"]["all"].items():
            assert digits(centred[item], mpf(text)) >= WORTH_DIGITS, item


@lru_cache(maxsize=None)
def classes(name: str) -> Fit:
    case = next(f for f in FITS if f["id"] == name)
    return fit_latent_classes(table(case), case["model"]["classes"], seed=4)


@pytest.mark.parametrize("case", OF_CLASSES)
def test_latent_classes_have_twelve_certified_digits(case: dict[str, Any]) -> None:
    found = classes(case["id"])
    for share, error, true, true_error in zip(
        found.shares, found.share_errors, case["shares"], case["share_errors"]
    ):
        assert digits(share, mpf(true)) >= WORTH_DIGITS  # observed least 14.3
        assert digits(error, mpf(true_error)) >= SE_DIGITS  # observed least 14.6
    assert sorted(found.params.index[found.free]) == sorted(case["params"])
    for name, text in case["params"].items():
        error_of = mpf(case["bse"][name])
        assert digits(found.params[name], mpf(text), error_of) >= ESTIMATE_DIGITS, name
        assert digits(found.bse[name], error_of) >= SE_DIGITS, name
    assert digits(found.llf, mpf(case["llf"])) >= LLF_DIGITS
    assert (
        digits(found.bic, mpf(case["bic"])) >= LLF_DIGITS
        and digits(found.aic, mpf(case["aic"])) >= LLF_DIGITS
    )
