"""What `validate` shows of R for translation competitions: Vilar's Table 2, and Hopkins and May's models on
small tables.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.records.record_files import Records
from pairproof.data.judgments import preference_counts
from pairproof.errors import RDrift
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.ranking.two_systems import compare_all_pairs
from pairproof.validation import run
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.recompute import story_of
from pairproof.validation.papers import asked_of_base_r as competitions, compared_with_r
from pairproof.validation.papers.hopkins_may_2013 import beside_r as preference_rows, beside_r as sampled_rows
from pairproof.validation.papers.hopkins_may_2013.beside_r import Case
from pairproof.validation.papers.vilar_2007 import story
from pairproof.validation.report.context import digits_rows, r_lines
from pairproof.validation.report.rendering import ReportContext, render
from pairproof.validation.verdicts.agreement import Agreement, exit_code
from tests.native.translation import random_table, table_2
from tests.validation.runs import recomputed, shares_runs
from tests.validation.verdicts.observed import observed

pytestmark = shares_runs

PAPERS = ("vilar-2007", "hopkins-may-2013")
RECORDED = Backend("recorded")


def rows_of(paper: str, backend: Backend) -> list[Agreement]:
    module = story_of(paper)
    assert module is not None
    return module.further(Checker(read_paper(paper)), backend)


@functools.lru_cache(maxsize=None)
def recorded(paper: str) -> tuple[Agreement, ...]:
    return tuple(rows_of(paper, RECORDED))


def one(rows: Sequence[Agreement], quantity: str) -> Agreement:
    (found,) = [a for a in rows if a.quantity == quantity]
    return found


# -- from records --------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("paper", "in_digits", "sampled"),
    [("vilar-2007", 4 * (7 + 49), 0), ("hopkins-may-2013", 20 * 3 * 6 + 3 * 5 + 4 + 1 + 2 * 5, 11)],
)
def test_every_row_agrees_with_recorded_r(paper: str, in_digits: int, sampled: int) -> None:
    rows = recorded(paper)
    assert {(a.verdict, a.r_source, a.about) for a in rows} == {("agrees", "recorded", "native-r")}
    assert exit_code(rows, require_r=True) == 0
    assert (sum(a.digits is not None for a in rows), sum(a.digits is None for a in rows)) == (
        in_digits,
        sampled,
    )
    assert len({(a.quantity, a.r_call) for a in rows}) == len(rows)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_digits_are_those_that_floors_toml_says_were_observed(paper: str) -> None:
    for o in observed(recorded(paper)):
        # Another libm moves the last digits; more than 1.5 of them means that the file is out of date.
        assert o.digits > o.floor.observed - 1.5, o


def test_vilars_numbers_are_those_of_table_2_in_r() -> None:
    rows = recorded("vilar-2007")
    se, p = one(rows, "se.R.A-C"), one(rows, "test_p.sign.A-C")
    assert (se.r_call, p.r_call, se.claim, se.where) == (
        "stats::t.test",
        "stats::binom.test",
        "table-2-sums",
        "Table 2, column \u03a3",
    )
    assert se.r == pytest.approx(0.031870, abs=5e-7) and p.r == pytest.approx(0.929, abs=5e-4)
    eq6 = one(rows, "se.equation-6.A-C")
    assert (
        eq6.r is not None
        and se.r is not None
        and eq6.r / se.r == pytest.approx(np.sqrt(700 / 699), rel=1e-13)
    )
    assert (
        one(rows, "estimate.R.A-D.E4").r == pytest.approx(-0.41)
        and one(rows, "estimate.R.A-D.E4").claim == "single-judges"
    )


@pytest.mark.nightly
def test_a_sampled_row_says_what_its_agreement_is_worth() -> None:
    rows = [a for a in recorded("hopkins-may-2013") if a.claim == "samplers"]
    assert [a.quantity for a in rows] == [
        *(
            f"irt-{model}.{case}.{what}"
            for case in ("Table-2-shared", "Table-2-fresh", "simulated-shared")
            for model, what in (("gaussian", "means"), ("gaussian", "sds"), ("categorical", "preferences"))
        ),
        "irt-gaussian.simulated-without-ties.means",
        "irt-gaussian.simulated-without-ties.sds",
    ]
    for a in rows:
        assert a.digits is None and a.floor is None
        assert (
            "compared by Monte Carlo error, not by digits: largest |z|" in a.explanation
            and "a difference of 0.0" in a.explanation
        )
        assert "probability 0.9" in a.explanation
        # Which R, and that it is a record.
        assert "recorded 20" in a.explanation and (
            "rjags 4" in a.explanation or "MCMCpack 1" in a.explanation
        )
    assert {a.r_call for a in rows} == {
        "rjags::coda.samples, irt-gaussian",
        "rjags::coda.samples, irt-categorical",
        "MCMCpack::MCMCpaircompare",
    }


def test_differences_of_a_fifth_of_a_standard_deviation_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    judge = sampled_rows.agree_sampled

    def kept(names, native, *rest):
        found = judge(names, native, *rest)
        seen.append(found)
        return found

    monkeypatch.setattr(sampled_rows, "agree_sampled", kept)
    case = sampled_rows.cases(table_2())[2]
    sampled_rows._gaussian(case, RECORDED)
    sampled_rows._categorical(case, RECORDED)
    means, spreads, preferences = seen
    # Observed 0.17 sd, 0.12 sd and 0.020.
    assert (
        np.all(means.visible < 0.2 * spreads.native)
        and np.all(spreads.visible < 0.2 * spreads.native)
        and preferences.visible.max() < 0.03
    )


def test_the_tables_are_those_that_the_bridges_records_were_made_with() -> None:
    own = Checker(read_paper("hopkins-may-2013")).data("table-1")
    for a, b in (
        (own, table_2()),
        (sampled_rows.simulated(7, 160, 5, 25), random_table(7, n=160, n_segments=25)),
        (sampled_rows.simulated(8, 80, 4, 60, ties=False), random_table(8, n=80, n_systems=4, ties=False)),
    ):
        assert a.items == b.items
        np.testing.assert_array_equal(preference_counts(a), preference_counts(b))
        np.testing.assert_array_equal(np.stack([a.first, a.second]), np.stack([b.first, b.second]))


# -- the check can fail --------------------------------------------------------------------------------------


def test_a_spoilt_number_of_vilars_differs() -> None:
    """A loss too many in one pair, natively: R is asked for the right counts."""
    right = compare_all_pairs(Checker(read_paper("vilar-2007")).data("table-2"))
    answer = competitions.binaries(
        *([getattr(t.merged, kind) for t in right] for kind in ("wins", "ties", "losses")), backend=RECORDED
    )
    spoilt = {
        story._name(t.merged): replace(
            t.merged, losses=t.merged.losses + (t.merged.first + t.merged.second == "AC")
        )
        for t in right
    }
    rows = compared_with_r.digits_rows(story.SUMS, story._numbers(spoilt, answer), answer.result)
    assert {a.quantity for a in rows if a.verdict == "differs"} == {
        "estimate.R.A-C",
        "se.R.A-C",
        "se.equation-6.A-C",
        "test_p.sign.A-C",
    }
    assert all("fewer than the required" in a.explanation for a in rows if a.verdict == "differs")
    assert exit_code(rows) == 1


def test_a_spoilt_baseline_score_or_mode_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    arithmetic, fitted, scored = (
        preference_rows.own_baselines,
        preference_rows.map_irt_gaussian,
        preference_rows.shared_task_rules.bojar,
    )
    # The paper's smoothing is one of each; one and a millionth is another.
    monkeypatch.setattr(
        preference_rows,
        "own_baselines",
        lambda counts: {**arithmetic(counts), "pairs": preference_rows.independent_pairs(counts, 1.000001)},
    )
    monkeypatch.setattr(
        preference_rows, "map_irt_gaussian", lambda table: fitted(table, GaussianModel(radius=0.400001))
    )
    monkeypatch.setattr(
        preference_rows.shared_task_rules,
        "bojar",
        lambda table: replace(scored(table), values=scored(table).values + 1e-12),
    )
    rows = [a for a in preference_rows.preference_rows(table_2(), RECORDED) if a.verdict == "differs"]
    assert {".".join(a.quantity.split(".")[:2]) for a in rows} >= {
        "p_first.pairs",
        "p_second.pairs",
        "score.bojar",
        "log_posterior.irt-gaussian-mode",
        "estimate.irt-gaussian-mode",
    }
    assert not any("students" in a.quantity or "origwmt" in a.quantity for a in rows)


def test_a_sampler_of_another_model_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = sampled_rows.fit_irt_gaussian
    monkeypatch.setattr(
        sampled_rows,
        "fit_irt_gaussian",
        lambda table, **options: fit(table, model=GaussianModel(sd_noise=0.5), **options),
    )
    case = sampled_rows.cases(table_2())[2]
    assert isinstance(case, Case)
    means = sampled_rows._gaussian(case, RECORDED)[0]
    assert (
        means.verdict == "differs" and not means.passes and means.digits is None and exit_code([means]) == 1
    )


# -- R not asked, not here, of another mind ------------------------------------------------------------------


@pytest.mark.parametrize(("paper", "n"), [("vilar-2007", 2), ("hopkins-may-2013", 3 + 7)])
def test_r_none_says_so_once_for_every_call_that_was_not_made(paper: str, n: int) -> None:
    rows = rows_of(paper, Backend("none"))
    assert len(rows) == n
    assert all(
        (a.verdict, a.r, a.r_call) == ("not-checkable", None, None)
        and a.explanation.endswith("; R was not requested")
        for a in rows
    )
    assert exit_code(rows) == 0 and exit_code(rows, require_r=True) == 2


class WithoutSamplers:
    """An R to which every package is there but rjags and MCMCpack."""

    def missing(self, needs: Sequence[str] = ()) -> str | None:
        lacking = sorted({"rjags", "MCMCpack"} & set(needs))
        return f"the R package {lacking[0]} is not installed" if lacking else None


def test_without_the_package_rows_are_recorded_and_say_why_or_do_not_run_if_live_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fresh = [case for case in sampled_rows.cases(table_2()) if case.name == "Table-2-fresh"]
    monkeypatch.setattr(
        sampled_rows, "cases", lambda table: fresh
    )  # why a case did not run is said of each alike
    session = WithoutSamplers()
    rows = sampled_rows.sampled_rows(table_2(), Backend(None, live=session))  # type: ignore[arg-type]  # only `missing` is used
    assert {a.r_source for a in rows} == {"recorded"} and {a.verdict for a in rows} == {"agrees"}
    assert all("is not installed" in a.explanation for a in rows)
    live = sampled_rows.sampled_rows(table_2(), Backend("live", live=session))  # type: ignore[arg-type]  # likewise
    assert len(live) == 3 and {(a.verdict, a.r, a.native) for a in live} == {("not-run", None, None)}
    assert all(
        a.r_call is not None
        and a.explanation.startswith(f"{a.r_call} did not run: ")
        and "is not installed" in a.explanation
        for a in live
    )
    assert exit_code(live) == 0 and exit_code(live, require_r=True) == 2


def test_without_records_nothing_agrees(tmp_path: Path) -> None:
    nothing = Backend("recorded", records=Records([tmp_path]))
    rows = rows_of("hopkins-may-2013", nothing) + rows_of("vilar-2007", nothing)
    assert {a.verdict for a in rows} == {"not-run"} and len(rows) == 12


def test_a_live_answer_that_has_drifted_from_its_record_differs() -> None:
    def ask():
        raise RDrift("t.test: R 9.9.9 answers otherwise\n  value[0]")

    numbers = {"pairs-of-systems": None}
    (row,) = compared_with_r.rows_beside_r(
        story.SUMS, numbers, story.CALLS, "what is compared", Backend("recorded"), ask, rows=lambda answer: []
    )
    assert (
        row.verdict == "differs"
        and row.explanation == "drift: t.test: R 9.9.9 answers otherwise value[0]"
        and not row.passes
    )


@pytest.mark.r("rjags", "coda", "MCMCpack")
def test_live_r_agrees_too() -> None:
    rows = (
        rows_of("vilar-2007", Backend("live"))
        + preference_rows.preference_rows(table_2(), Backend("live"))
        + sampled_rows._without_ties(Backend("live"))
    )
    assert {(a.verdict, a.r_source) for a in rows} == {("agrees", "live")}
    assert (
        "; MCMCpack::MCMCpaircompare (MCMCpack " in rows[-1].explanation
        and "; live, R " in rows[-1].explanation
    )


# -- in reports ----------------------------------------------------------------------------------------------


def test_a_row_judged_without_digits_is_listed_and_counts_as_no_digits_agreement() -> None:
    rows = list(recorded("hopkins-may-2013"))
    counted = {r.source: r.n for r in digits_rows(rows)}
    assert not any("rjags" in source or "MCMCpack" in source for source in counted)
    assert r_lines(rows, ReportContext()) == [f"R gave {len(rows)} numbers from records."]
    for suffix in (".txt", ".md", ".html"):
        # In Markdown every sign is escaped.
        text = render(rows, ReportContext(), suffix).replace("\\", "").replace("&#39;", "'")
        assert " ".join(text.split()).count("compared by Monte Carlo error") == 11, suffix


def test_the_story_of_vilar_has_every_pair_with_the_digits_it_shares_with_r() -> None:
    report = recomputed("vilar-2007", "recorded")
    assert report.exit_code == 0 and isinstance(report.context, ReportContext)
    story, judges = report.context.story
    assert judges.title == "Judges as units: what survives"
    assert story.table is not None and "R was asked for 224 numbers" in story.paragraphs[0]
    assert [row[0] for row in story.table.rows] == [
        "A and B",
        "C and D",
        "A and C",
        "A and E",
        "B and E",
        "B and D",
        "A and D",
    ]
    assert all(float(cell) > 14 for row in story.table.rows for cell in row[2::2])
    without = run("vilar-2007", r="none")
    assert isinstance(without.context, ReportContext) and without.context.story[0].table is not None
    assert without.context.story[0].paragraphs[0].endswith("of 7 comparisons; R was not requested.")
    assert {cell for row in without.context.story[0].table.rows for cell in row[2::2]} == {"-"}
