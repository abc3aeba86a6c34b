"""Every number of a fit of contests beside R's: base R, glm.fit, BTm at both stops, brglm2, gnm, lme4.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them anew.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.bridge import Backend
from pairproof.validation import Verification
from tests.bridge.programs.models import FITS, four

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
NEWTON, GLM = "base R, Newton's method", "stats::glm.fit, tight"
BTM, DEFAULT = "BradleyTerry2::BTm, refitted", "BradleyTerry2::BTm, default epsilon"
BRGLM2, BRGLM = "brglm2::brglmFit, tight", "BradleyTerry2::BTm, br = TRUE"
PQL, LAPLACE, GLMER = "BradleyTerry2::BTm, PQL", "base R, Laplace's approximation", "lme4::glmer, modules"
QUADRATURE, GENDAVIDSON = "base R, quadrature", "gnm::gnm, GenDavidson"
#: Who answers for each model, and the fewest digits that it must share: half a digit to two below what was
#: seen (other libraries of linear algebra round otherwise); what R is asked at its own stop has fewer.
ASKED = {
    "probit": {NEWTON: 14, GLM: 14, BTM: 14, DEFAULT: 4},
    "cauchit with an offset": {NEWTON: 13, GLM: 12, BTM: 12, DEFAULT: 4},
    "weights and offset": {NEWTON: 13, GLM: 13, BTM: 13, DEFAULT: 3},
    "probit of covariates, one player its own": {NEWTON: 13, GLM: 12, BTM: 12, DEFAULT: 4},
    "covariates and a comparison term": {BTM: 12, DEFAULT: 4},
    "separated": {NEWTON: 13, GLM: 12, f"{BTM}, towards infinity": 5, f"{DEFAULT}, towards infinity": 4},
    "mean": {BRGLM2: 12, BRGLM: 4},
    "median of the probit": {BRGLM2: 11},
    "jeffreys of the cauchit": {BRGLM2: 11},
    "mean with ties": {"base R, scoring with Jeffreys' prior": 13},
    "ties shifted": {NEWTON: 13, GENDAVIDSON: 10},
    "ties scaled": {NEWTON: 13, GENDAVIDSON: 10},
    "pql": {f"{PQL}, tol = 1e-14": 12, f"{PQL}, default tol": 5},
    "laplace": {LAPLACE: 10, GLMER: 4},
    "quadrature": {QUADRATURE: 11},
    "judges by pql": {"BradleyTerry2::glmmPQL, tol = 1e-14": 12, "BradleyTerry2::glmmPQL, default tol": 5},
    "judges by laplace": {LAPLACE: 10, GLMER: 4},
    "judges by quadrature": {QUADRATURE: 11},
    "two items by judge": {QUADRATURE: 8, "lme4::glmer, nAGQ": 5},
}
#: Models that an R package lacks, and what the row says.
LACKING = {
    "median of the probit": "here it is link probit",
    "mean with ties": "the penalty also changes the contests' totals",
    "laplace": "only by PQL, which has no likelihood",
    "quadrature": "one effect per judge",
}


@pytest.fixture(scope="module")
def policy() -> Backend:
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def digits(rows: Verification) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for a in rows:
        if a.digits is not None and a.verdict != "not-estimable":
            found.setdefault(a.r_call or "", {})[str(a.quantity)] = a.digits
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("name", FITS)
def test_every_number_agrees_with_every_r_function_that_has_the_model(name: str, policy: Backend) -> None:
    fit = FITS[name]()
    rows = pairproof.verify(fit, r=policy)
    assert rows.agrees, rows
    by_call = digits(rows)
    for call, least in ASKED[name].items():
        # Half a digit to two below what was seen: other libraries of linear algebra round otherwise.
        assert min(by_call[call].values()) >= least, (
            call,
            sorted(by_call[call].items(), key=lambda x: x[1])[:3],
        )
    free = [n for n in fit.params.index[~np.isnan(fit.params)] if not fit.is_reference[fit.names.index(n)]]
    first = by_call[next(iter(ASKED[name]))]
    assert {f"estimate.{n}" for n in free} <= set(first)
    if fit.random_effects is not None:
        assert f"sigma.{fit.components[0].name}" in first
    said = [a.explanation for a in rows if a.code == "no-counterpart"]
    assert LACKING.get(name, "") in " ".join(said) and (name not in LACKING or said)


def test_a_wrong_estimate_is_found_where_btm_as_it_is_called_would_not_see_it(policy: Backend) -> None:
    fit = FITS["probit"]()
    beta = fit.beta.copy()
    beta[1] += 1e-7
    rows = pairproof.verify(replace(fit, beta=beta), r=policy)
    differing = {a.r_call for a in rows if a.verdict == "differs" and a.quantity == "estimate.B"}
    assert {NEWTON, GLM, BTM} <= differing and DEFAULT not in differing


def test_a_wrong_sigma_and_a_wrong_effect_are_found(policy: Backend) -> None:
    fit = FITS["quadrature"]()
    assert fit.random_effects is not None
    component = replace(fit.components[0], sigma=fit.sigma * (1 + 1e-8))
    theta = fit.predicted_effects.theta.copy()
    theta[0] += 1e-7
    wrong = replace(fit, random_effects=replace(fit.predicted_effects, components=(component,), theta=theta))
    differing = {str(a.quantity) for a in pairproof.verify(wrong, r=policy) if a.verdict == "differs"}
    assert {"sigma.item", "effect.A"} <= differing and "effect.B" not in differing


def test_where_nothing_was_recorded_the_rows_say_not_run() -> None:
    shifted = pairproof.fit_bradley_terry(four(z=np.arange(6) / 7.0), link="probit", offset="z")
    rows = pairproof.verify(shifted, r=Backend("recorded"))
    assert {a.verdict for a in rows} == {"not-run"} and len(rows) == 4
    assert not rows.agrees or rows.exit_code == 0


@pytest.mark.nightly
def test_integrals_of_many_dimensions_are_not_asked_for() -> None:
    a, b = np.triu_indices(5, 1)
    wins = np.array([3.0, 6, 1, 8, 2, 1, 5, 4, 7, 2])
    table = pairproof.Comparisons.build(
        "ABCDE", a, b, wins, None, 10 - wins, item_data={"x": np.arange(5.0) ** 2}
    )
    fit = pairproof.fit_bradley_terry(table, item_terms=["x"], random="item", method="quadrature")
    rows = pairproof.verify(fit, r=Backend("recorded"))
    said = [a.explanation for a in rows if a.code == "not-asked"]
    assert said == [
        "base R, quadrature: not asked: integrals of 4 dimensions, 41,006,250 points times rows; it is asked up to 3 and"
        " 4,000,000"
    ]
