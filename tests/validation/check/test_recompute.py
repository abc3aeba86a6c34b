"""`run`: the papers recomputed, with R live, recorded or absent, and the story that stands around the
verdicts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import pairproof.validation
from pairproof.bridge.process.policy import Backend
from pairproof.bridge.process.session import RSession
from pairproof.errors import InputError
from pairproof.validation import Verification, run
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.recompute import story_of
from pairproof.validation.report.rendering import Story, render
from pairproof.validation.verdicts.digits import floor
from tests.validation.runs import recomputed, shares_runs

live = pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")
pytestmark = shares_runs


def dras(r: str) -> Verification:
    return recomputed("dras-2015", r)


def verdicts(checked: Verification) -> list[tuple[str, str, str, str | None]]:
    return [(a.claim, a.quantity, a.verdict, a.r_call) for a in checked]


def words(story: Story) -> str:
    table = (
        ""
        if story.table is None
        else "\n".join(" | ".join(row) for row in (story.table.header, *story.table.rows))
    )
    return "\n".join([story.title, *story.paragraphs, table])


def story(title: str, r: str = "recorded") -> str:
    (found,) = [words(s) for s in dras(r).context.story if s.title.startswith(title)]
    return found


# -- verdicts ------------------------------------------------------------------------------------------------


def test_dras_2015_passes_from_records_alone() -> None:
    checked = dras("recorded")
    assert checked.agrees and checked.exit_code == 0
    assert {a.r_source for a in checked if a.r is not None} == {"recorded"}
    assert [a.explanation for a in checked if a.verdict == "not-run"] == []
    assert sum(a.r is not None for a in checked) > 1500


@pytest.mark.nightly
def test_both_orders_of_the_columns_are_held_against_every_r_function_that_has_the_model() -> None:
    calls = {
        claim: {a.r_call for a in dras("recorded") if a.claim == claim and a.r is not None}
        for claim in ("table-1", "table-1-prefmod-order")
    }
    assert (
        calls["table-1"]
        == calls["table-1-prefmod-order"]
        == {
            "stats::glm, refitted",
            "gnm::gnm(eliminate)",
            "prefmod::llbtPC.fit",
            "prefmod::llbt.fit",
            "BradleyTerry2::GenDavidson, by gnm",
            "psychotools::btmodel",
        }
    )
    values = {
        claim: {
            round(a.r, 3)
            for a in dras("recorded")
            if (a.claim, a.quantity) == (claim, "deviance") and a.r is not None
        }
        for claim in calls
    }
    assert values == {"table-1": {30.455}, "table-1-prefmod-order": {30.646}}


def test_bradleyterry2_and_polr_answer_the_models_that_only_they_have() -> None:
    by_claim = {
        claim: {a.r_call for a in dras("recorded") if a.claim == claim and a.r is not None}
        for claim in (
            "bradley-terry-ties-dropped",
            "bradley-terry-half-wins",
            "bradley-terry-davidson",
            "rao-kupper",
        )
    }
    assert (
        "BradleyTerry2::BTm, refitted"
        in by_claim["bradley-terry-ties-dropped"] & by_claim["bradley-terry-half-wins"]
    )
    assert "BradleyTerry2::GenDavidson, by gnm" in by_claim["bradley-terry-davidson"]
    assert by_claim["rao-kupper"] == {"MASS::polr"}


def test_what_prefmod_cannot_fit_is_listed_in_its_own_words_and_not_counted_as_agreement() -> None:
    checked = dras("recorded")
    own = [a for a in checked if a.explanation.startswith("R's own error")]
    assert {(a.claim, a.r_call) for a in own} >= {
        ("modpref", "prefmod::llbt.fit"),
        ("modpref", "prefmod::llbtPC.fit"),
        ("collins", "prefmod::llbt.fit"),
        ("collins", "prefmod::llbtPC.fit"),
    }
    text = render(checked, checked.context, ".md")
    assert "computationally singular" in text and "dim(X) must have a positive length" in text


def test_the_sign_tests_and_friedmans_are_held_against_rs() -> None:
    rows = {(a.claim, a.quantity): a for a in dras("recorded") if a.quantity.startswith("test_")}
    assert len(rows) == 7 and {a.verdict for a in rows.values()} == {"agrees"}
    assert rows["sign-test-modpref", "test_p.ties-dropped"].native == pytest.approx(0.0103459, rel=5e-6)
    assert rows["sign-test-collins", "test_p.ties-dropped"].native == pytest.approx(8.40739e-05, rel=5e-6)
    assert "and the one left over is dropped" in rows["sign-test-collins", "test_p.ties-split"].explanation
    assert "first preferences" in rows["friedman", "test_statistic.Table-1"].explanation
    assert all((a.digits or 0) >= floor(a.quantity, a.r_call or "").digits for a in rows.values())


@pytest.mark.nightly
@live
def test_live_recorded_and_both_give_the_same_verdicts() -> None:
    assert verdicts(dras("live")) == verdicts(dras("recorded")) == verdicts(dras("both"))
    assert {a.r_source for a in dras("live") if a.r is not None} == {"live"}


def test_without_r_native_stands_against_print_and_50_digit_values() -> None:
    checked = dras("none")
    assert checked.exit_code == 0 and checked.agrees and all(a.r is None for a in checked)
    assert run("dras-2015", r="none", require_r=True).exit_code == 2
    assert "R was not asked here" in story("ModPref", "none")


def hide_r(tmp_path) -> dict[str, str]:
    """An environment in which R cannot be found."""
    keep = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("R_", "PAIRPROOF_")) and k != "LD_LIBRARY_PATH"
    }
    return {**keep, "PATH": str(tmp_path)}


@pytest.mark.nightly
@pytest.mark.timeout(660)
def test_the_command_passes_where_r_is_not_installed_and_says_so_first(root, tmp_path) -> None:
    code = (
        "import sys; from pairproof.cli import main; sys.exit(main(['validate', '--json', '--report',"
        " 'out.html']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,  # it hangs or it does not: no measure of speed
        env={**hide_r(tmp_path), "PYTHONPATH": str(root)},
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["agreements"]
    told = [(a["claim"], a["quantity"], a["verdict"], a["r_call"]) for a in rows]
    of_dras = verdicts(dras("recorded"))
    assert told[: len(of_dras)] == of_dras
    # Then models of whole answers; data that R alone has are said not to have been run.
    assert len(told) > len(of_dras) + 2000
    assert {verdict for _, _, verdict, _ in told[len(of_dras) :]} == {"agrees", "not-checkable", "not-run"}
    assert {a["r_source"] for a in rows if a["r"] is not None} == {"recorded"}
    opening = (tmp_path / "out.html").read_text(encoding="utf-8").partition("<h2")[0]
    assert "R is not available: its recorded results are used" in opening


@pytest.mark.nightly
@live
def test_without_prefmod_its_records_are_used_and_all_else_is_live() -> None:
    """The rest of R is asked: a session of this machine's R that is told prefmod is not there."""

    class WithoutPrefmod(RSession):
        def missing(self, needs=()):
            return "R package prefmod is not installed" if "prefmod" in needs else super().missing(needs)

    with WithoutPrefmod() as session:
        checked = run("dras-2015", r=Backend(live=session))
    sources = {}
    for a in checked:
        if a.r is not None:
            sources.setdefault("prefmod" if (a.r_call or "").startswith("prefmod") else "other", set()).add(
                a.r_source
            )
    assert sources == {"prefmod": {"recorded"}, "other": {"live"}}
    assert checked.agrees
    first = render(checked, checked.context, ".md").split("##")[0]
    assert (
        "prefmod is not available: its recorded results are used (R package prefmod is not installed)"
        in first
    )


# -- the story -----------------------------------------------------------------------------------------------


def test_the_story_of_the_swapped_columns_has_both_deviances_and_who_says_so() -> None:
    text = story("Swapped columns")
    for number in (
        "30.646",
        "221.22",
        "30.455",
        "220.947",
        "107.500 on 35",
        "108.792 on 35",
        "0.4007 (0.0793)",
        "0.4195 (0.0798)",
        "A 402, D 334, B 127, C 54",
        "A 403, D 332, B 126, C 56",
        "7.25",
        "7.22",
    ):
        assert number in text
    assert "AB AC BC AD BD CD" in text and "pair_order has no default" in text
    assert "prefmod::llbtPC.fit" in text and "prefmod::llbt.fit" in text


def test_the_story_of_judge_3_shows_what_each_reference_makes_significant() -> None:
    text = story("Judge 3")
    rows = dict(line.split(" | ", 1) for line in text.splitlines() if " | " in line)
    assert rows["A:judge[3]"] == "-6.48* | -6.20* | -1.84 | reference | -5.82*"
    assert (
        rows["B:judge[3]"].startswith("-4.09*")
        and rows["C:judge[3]"].startswith("0.98 ")
        and rows["D:judge[3]"].endswith("3.64*")
    )
    assert "no effect of judges 2 and 4 is significant" in text


def test_the_story_of_modpref_quotes_prefmods_errors_and_shows_who_answers() -> None:
    text = story("ModPref")
    assert "computationally singular" in text and "dim(X) must have a positive length" in text
    for source in ("pairproof", "stats::glm, refitted", "gnm::gnm(eliminate)"):
        assert f"{source} | 0.2777629013 (0.1060246094) | -0.6550571325 (0.2300171395)" in text


def test_the_story_of_the_other_tests_has_their_p_values() -> None:
    text = story("The tests beside the model")
    assert (
        "ModPref | 0.01035 | 0.02208 | 0.008798" in text
        and "Collins et al. | 8.407e-05 | 0.002164 (one remaining tie dropped)" in text
    )
    assert "chi-square 10.200 on 3 df, p = 0.0169" in text


def test_worths_of_both_readings_and_of_the_judges_are_drawn() -> None:
    figures = [figure for story in dras("recorded").context.story for figure in story.figures]
    drawn = {figure.caption: figure.description for figure in figures}
    assert [drawn[name].count(": ") for name in drawn if name.startswith("Table 1")] == [1, 1, 4]
    assert drawn["Table 1 as headed"].startswith("Worths. all: A 0.658, ")


def test_every_report_tells_the_story_and_names_the_versions() -> None:
    checked = dras("recorded")
    for suffix in (".html", ".md"):
        text = render(checked, checked.context, suffix)
        assert "why Table 1 does not give 30.646" in text and "sum to zero" in text
        assert "prefmod 0.8" in text and "(recorded)" in text


def test_a_paper_without_a_story_has_none() -> None:
    assert story_of("no-such-paper") is None


# -- what may be asked for -----------------------------------------------------------------------------------


def test_several_papers_and_files_are_run_together(tmp_path) -> None:
    file = tmp_path / "two.claims.toml"
    file.write_text(
        (
            '[paper]\nid = "two"\ntitle = "Two items"\n[data.d]\nkind = "counts"\ncolumns = ["first",'
            ' "second", "wins", "losses"]\nrows = [["a", "b", 3, 1]]\n[[claim]]\nid = "c"\ndata = "d"\nmodel'
            ' = { family = "bradley-terry", ties = "none" }\nestimate = { b = "-1.0986" }\n'
        ),
        encoding="utf-8",
    )
    checked = run(["dras-2015", str(file)], r="none")
    assert {a.paper for a in checked} == {"dras-2015", "two"}
    assert [a.verdict for a in checked if a.paper == "two" and a.printed] == ["agrees"]
    assert len(checked.context.story) == 5 and "Two items" in checked.context.subtitle


def test_nothing_to_run_and_an_unknown_paper_are_refused() -> None:
    with pytest.raises(InputError, match="no paper given"):
        run([])
    with pytest.raises(InputError, match="dras-2015"):
        run("dras-2051")
    with pytest.raises(InputError, match="expected 'live'"):
        run("dras-2015", r="perhaps")


def test_a_report_can_be_made_twice_alike(monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1420070400")
    checked = run("dras-2015", r="none")
    assert (
        checked.context.made == "2015-01-01 00:00 UTC"
        and checked.context.command == "pairproof validate dras-2015 --r none"
    )


def test_the_package_offers_run_and_nothing_is_imported_before_it_is_asked_for() -> None:
    assert pairproof.validation.run is run
    with pytest.raises(AttributeError, match="it has Again, Verification, agree, run"):
        pairproof.validation.walk
    assert read_paper("dras-2015").id == "dras-2015"
