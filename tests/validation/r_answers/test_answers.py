"""Every number of a fit of whole answers beside R's: base R's own optimum, prefmod, PlackettLuce, coxph.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them anew.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.bridge import Backend
from pairproof.data.respondents import Respondents
from pairproof.fit.fit import Fit
from pairproof.validation import Verification
from pairproof.validation.r_answers.whole_answers import no_model
from tests.bridge.programs.whole_answers_models import FITS, comparisons, ratings, rule, table

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
ENUMERATED, GLM, LUCE, COXPH = (
    "base R, every answer listed",
    "stats::glm, refitted",
    "PlackettLuce::PlackettLuce",
    "survival::coxph",
)
#: Who answers for each model, beside base R.
ASKED = {
    "rankings": {"prefmod::pattR.fit, by nlm"},
    "partial rankings by sex": {"prefmod::pattR.fit, by nlm"},
    "absent items": set(),
    "rankings with ties": set(),
    "ties not resolved": set(),
    "comparisons": {"prefmod::pattPC.fit, by nlm", GLM},
    "two categories by age": {GLM},
    "dependence": {"prefmod::pattPC.fit, by nlm"},
    "ties by pair": set(),
    "gaps": {"prefmod::pattPC.fit, by nlm"},
    "gaps that depend on the answer": {"prefmod::pattPC.fit, by nlm"},
    "ratings": {"prefmod::pattL.fit, by nlm"},
    "ratings twice": {"prefmod::pattLrep.fit, by nlm"},
    "rankings twice": {"prefmod::pattRrep.fit, by nlm"},
    "choices": {LUCE, COXPH},
    "choices of the best": {COXPH},
    "choices with ties": {LUCE},
    "pseudo-comparisons": {LUCE},
    "choices by sex": set(),
}


@pytest.fixture(scope="module")
def policy() -> Backend:
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.mark.nightly
@pytest.mark.parametrize("name", FITS)
def test_every_number_agrees_with_every_r_function_that_has_the_model(name: str, policy: Backend) -> None:
    fit = FITS[name]()
    rows = pairproof.verify(fit, r=policy)
    assert rows.agrees, rows
    by_call: dict[str, dict[str, float]] = {}
    for a in rows:
        if a.digits is not None:
            by_call.setdefault(a.r_call or "", {})[a.quantity] = a.digits
    assert set(by_call) == {ENUMERATED, *ASKED[name]}
    own = by_call[ENUMERATED]
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    assert {f"{kind}.{n}" for n in free for kind in ("estimate", "se", "z", "p")} < set(own)
    assert {"llf", "aic", "deviance", "df_resid"} < set(own)
    # The independent optimum: observed fewest 12.5 digits (a p-value of the fruit rankings).
    assert min(own.values()) >= 11.0
    if not ASKED[name]:
        assert any(a.code == "no-counterpart" for a in rows)


def test_prefmod_stops_at_its_own_floor_and_the_report_says_how(policy: Backend) -> None:
    rows = pairproof.verify(FITS["rankings"](), r=policy)
    text = str(rows)
    assert "prefmod::pattR.fit, by nlm (" in text and "base R, every answer listed (" in text
    assert "llf is minus the minimum of nlm, which stops at a gradient of 1e-6" in " ".join(text.split())
    found = [a for a in rows if a.r_call and a.r_call.startswith("prefmod") and a.quantity == "estimate.A"]
    assert 4.0 < (found[0].digits or 0.0) < 8.0 and found[0].floor == 3.0  # observed 5.1


def test_a_number_that_is_wrong_by_less_than_prefmod_can_see_is_found(policy: Backend) -> None:
    fit = FITS["rankings"]()
    beta = fit.beta.copy()
    beta[0] += 1e-7
    rows = pairproof.verify(replace(fit, beta=beta), r=policy)
    differing = {(a.r_call, str(a.quantity)) for a in rows if a.verdict == "differs"}
    assert (ENUMERATED, "estimate.A") in differing
    assert not any(call and call.startswith("prefmod") for call, _ in differing)


def test_the_standard_errors_by_cluster_have_no_counterpart(policy: Backend) -> None:
    rows = pairproof.verify(FITS["comparisons"]().clustered(), r=policy)
    assert rows.agrees and not any(a.quantity.kind in ("se", "z", "p") for a in rows)
    assert [a.explanation for a in rows if a.code == "no-counterpart"] == [
        "R packages: no counterpart: none has clustered standard errors for whole answers"
    ]


def _no_model(fit: Fit) -> str:
    return no_model(fit)


def test_what_prefmod_would_read_otherwise_is_named_and_not_asked() -> None:
    # A comparison with two different answers makes all of them binary to prefmod.
    answers = rule(60, 6, 3) - 1
    answers[:, 2] = np.where(answers[:, 2] == 0, 1, answers[:, 2])
    fit = pairproof.fit_pattern(table("comparisons", answers, tie_category=True))
    assert _no_model(fit) == (
        "pattPC.fit counts 2 categories, from 3, 3, 2, 3, 3, 3 different answers to the comparisons, and would read ties"
        " as losses"
    )
    # A scale of which the ends are not used has fewer patterns to prefmod.
    narrow = table("ratings", rule(60, 4, 2, 4) + 2, scale=[1.0, 2, 3, 4, 5])
    assert _no_model(pairproof.fit_pattern(narrow)) == (
        "pattL.fit infers the scale from the observed ratings: 2 of 5 points, so fewer patterns are possible"
    )
    assert _no_model(pairproof.fit_pattern(ratings())) == ""


def test_the_documented_beta_has_no_counterpart(policy: Backend) -> None:
    gaps = comparisons(gaps=True, ties=False)
    fit = pairproof.fit_pattern(gaps, alpha="common", beta="difference", beta_of=["A"])
    rows = pairproof.verify(fit, r=Backend("none"))
    assert len(rows) == 0
    assert _no_model(fit).startswith(
        "beta='difference': MISbeta for objects is not the model on its help page"
    )


def test_two_items_have_no_counterpart_in_prefmod() -> None:
    two = Respondents.build("AB", "comparisons", [[1], [1], [-1], [0]], tie_category=True)
    assert _no_model(pairproof.fit_pattern(two)) == "pattPC.fit stops with 2 items"


def test_what_is_for_comparisons_alone_is_refused_with_what_to_do() -> None:
    fit = FITS["comparisons"]()
    for asked in (
        lambda: pairproof.score_test(fit, "sex", [("A", "B")]),
        lambda: pairproof.wild_test(fit, "sex", ("A", "B")),
        lambda: fit.llf_poisson,
    ):
        with pytest.raises(
            pairproof.InputError, match="is for models of comparisons, but this one models whole answers; "
        ):
            asked()


def test_a_verification_without_r_checks_nothing_and_says_so() -> None:
    rows = pairproof.verify(FITS["choices"](), r="none")
    assert isinstance(rows, Verification) and not rows.agrees and rows.compared == 0
