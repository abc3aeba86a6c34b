"""The validation of inference: what was specified comes out to every digit, R beside it, and R's traps are shown as such."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.papers.inference import story as by_judges, story as limits, story as many
from pairproof.validation.verdicts.agreement import exit_code
from tests.validation.runs import recomputed, shares_runs

pytestmark = shares_runs

FUNCTIONS = {
    *("sandwich::vcovCL", "clubSandwich::vcovCR", "clubSandwich::Wald_test", "multcomp::glht"),
    *("multcompView::multcompLetters", "csranks::csranks", "boot::boot.ci", "MASS::confint"),
    *("stats::glm, constrained refits", "lme4::glmer", "stats::optim, beta-binomial"),
}


@pytest.fixture(scope="module")
def rows():
    return list(recomputed("inference", "recorded"))


@pytest.mark.nightly
def test_every_printed_number_comes_out_to_its_last_digit_and_r_agrees(rows):
    printed = [a for a in rows if a.printed is not None]
    assert len(printed) == 214 == sum(len(c.numbers) for c in read_paper("inference").claims)
    assert {a.verdict for a in printed} == {"agrees"}
    assert exit_code(rows, require_r=True) == 0
    assert {a.r_source for a in rows if a.r is not None} == {"recorded"}


def test_every_r_function_was_asked_and_nothing_passed_without_a_comparison(rows):
    assert FUNCTIONS <= {a.r_call for a in rows if a.r is not None}
    numbers = [a for a in rows if a.about == "native-r" and a.verdict == "agrees"]
    assert all(a.native is not None and a.r is not None for a in numbers)
    assert all(a.digits is not None or a.code == "monte-carlo" for a in numbers)


@pytest.mark.nightly
def test_random_points_are_judged_by_their_errors_and_by_nothing_wider(rows):
    integrals = [a for a in rows if a.code == "monte-carlo" and a.verdict == "agrees"]
    assert len(integrals) == 2 * (15 + 1)
    assert all(abs(a.native - a.r) <= 5e-3 and "allowed" in a.explanation for a in integrals)
    p = [a for a in integrals if a.quantity.kind == "test_p"]
    assert max(abs(a.native - a.r) for a in p) < 1e-3  # observed 2e-4


def test_the_one_bound_that_csranks_draws_cannot_settle_is_shown_and_not_counted(rows):
    (open_one,) = [a for a in rows if a.verdict == "not-checkable"]
    assert open_one.quantity == "rank_low.lower-marginal.i4" and open_one.native == 2.0
    assert "quantile of 20,000 draws" in open_one.explanation


def test_numbers_of_a_raw_glm_are_rs_alone_and_are_not_ours(rows):
    raw = [a for a in rows if a.claim.startswith(("raw-glm", "hc1")) and a.printed is not None]
    assert len(raw) == 18 and all(a.native is None and a.r is not None for a in raw)
    own = Checker(read_paper("inference")).fit("dras-bradley-terry-cr2").bse
    cr2 = [a for a in raw if a.claim.startswith("raw-glm")]
    assert all(abs(a.r / own[a.quantity.name] - 1) > 1e-4 for a in cr2), "another estimator, not rounding"
    not_run = [a for a in rows if a.verdict == "not-run"]
    assert len(not_run) == 6 and all(
        a.accepted and a.explanation.startswith("no-native-model") for a in not_run
    )


def test_the_report_tells_the_trap_and_names_each_r_function(rows):
    from pairproof.validation.papers.inference import story

    checker = Checker(read_paper("inference"))
    raw, witnesses = story.story(checker, rows)
    assert [line[0] for line in raw.table.rows][0] == "Fit.clustered, CR2" and len(raw.table.rows) == 7
    assert {line[0] for line in witnesses.table.rows} >= FUNCTIONS
    assert Counter(line[3] for line in witnesses.table.rows) == {"recorded": len(witnesses.table.rows)}
    assert story.story(checker, [])[1].table is None


# -- a wrong number is seen ----------------------------------------------------------------------------------


@pytest.fixture
def checker():
    return Checker(read_paper("inference"))


def differing(found):
    return {a.quantity for a in found if a.verdict == "differs"}


@pytest.mark.nightly  # that a p that is off is seen, test_annotation.py shows too
def test_a_wrong_adjusted_p_is_seen(monkeypatch, checker):
    from pairproof.bridge.process.policy import Backend

    backend, right = Backend("recorded"), many.contrasts

    def shifted(*args, **options):
        made = right(*args, **options)
        object.__setattr__(made, "adjusted", np.minimum(made.adjusted * 1.02, 1.0))
        return made

    monkeypatch.setattr(many, "contrasts", shifted)
    found = differing(many.rows_of_many(checker, backend))
    assert {"test_p.holm.D-F", "test_p.bh.D-F", "test_p.single-step.A-F"} <= found


def test_a_wrong_limit_is_seen(monkeypatch, checker):
    from pairproof.bridge.process.policy import Backend

    right = limits.profile_intervals
    monkeypatch.setattr(
        limits, "profile_intervals", lambda *a: tuple(side * (1 + 1e-7) for side in right(*a))
    )
    found = limits.rows_of_limits(checker, Backend("recorded"))
    assert {a.r_call for a in found if a.verdict == "differs"} == {
        limits.REFITS
    }, "a spline has not these digits"


def test_a_wrong_joint_test_is_seen(monkeypatch, checker):
    from pairproof.bridge.process.policy import Backend

    right = by_judges.judge_means
    monkeypatch.setattr(by_judges, "judge_means", lambda a, b, t: right(a + 1, b, t))
    found = differing(by_judges.rows_by_judges(checker, Backend("recorded")))
    assert "test_statistic.judge-means" in found and "test_statistic.judges-differ" not in found


@pytest.mark.nightly  # test_annotation.py has the same of fewer numbers
def test_without_r_every_question_has_a_row_that_says_so():
    found = recomputed("inference", "none")
    assert not any(a.r is not None for a in found)
    asked = [a for a in found if a.verdict == "not-checkable" and a.code == "not-asked"]
    assert {a.quantity for a in asked} >= {"items-equal", "all-pairs", "letters", "refits", "confint"}


@pytest.mark.r("sandwich", "clubSandwich", "multcomp", "multcompView", "csranks", "boot", "lme4")
def test_a_live_r_says_what_is_recorded():
    found = recomputed("inference", "live")
    assert found.exit_code == 0 and {a.r_source for a in found if a.r is not None} == {"live"}
