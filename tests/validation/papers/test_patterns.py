"""`pairproof validate patterns`: every certified number has its digits, and a wrong one is seen."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairproof.bridge.process.policy import Backend
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.papers.compared_with_r import NoAnswer
from pairproof.validation.papers.patterns import (
    computations as documents,
    computations as fits,
    statements,
    story,
    story as beside_50_digits,
)
from pairproof.validation.verdicts.agreement import CODES, Agreement, exit_code
from tests.certified.answers import make_answers
from tests.certified.answers.data_sets import DATA_SETS
from tests.validation.runs import recomputed, said, shares_runs

pytestmark = shares_runs
NOBODY = Backend("none")
STATEMENTS = {
    "pattern-is-llbt": ("agrees", "", "common digits of fit_pattern and fit_llbt: made-two-kinds 1"),
    "rankings-of-two": ("agrees", "", "fit_plackett_luce and fit_bradley_terry share 1"),
    "rearranged": ("agrees", "", "15 pairs of fits have at least 1"),
    "reversed": ("agrees", "", "Plackett-Luce: llf -76.415289 becomes -77.937982"),
    "beta-as-coded": ("agrees", "", "difference: llf -1117.678629 and -1117.678629"),
}


@pytest.fixture(scope="module")
def rows() -> list[Agreement]:
    return list(recomputed("patterns", "none"))


def test_every_printed_number_comes_out_and_nothing_needs_attention(rows: list[Agreement]) -> None:
    printed = [a for a in rows if a.printed is not None and a.about == "printed"]
    assert len(printed) == sum(len(c.numbers) for c in read_paper("patterns").claims) >= 60
    assert {a.verdict for a in printed} == {"agrees"}
    assert exit_code(rows) == 0
    assert all(a.passes or "which may not be copied" in a.explanation for a in rows)


def test_the_properties_hold_with_the_digits_said(rows: list[Agreement]) -> None:
    said(rows, STATEMENTS)


def test_every_number_of_every_fit_of_our_own_data_has_its_50_digits_without_any_r(
    rows: list[Agreement],
) -> None:
    asked = {
        (d["id"], name)
        for d in documents.documents()
        if documents.data_of(d)["rows"] is not None
        for name in (*fits.certified_numbers(d), *fits.further_certified(d))
    }
    found = {(a.claim, str(a.quantity)): a for a in rows if a.certified is not None}
    assert set(found) == asked and len({claim for claim, _ in asked}) == 26
    assert (
        min(a.certified_digits or 0.0 for a in found.values()) > 12.5
    )  # observed 13.2, the deviance of pudding
    assert all(a.certified_floor is not None for a in found.values())


def test_data_that_may_not_be_copied_are_not_run_and_say_so(rows: list[Agreement]) -> None:
    absent = [a for a in rows if a.native is None and a.about == "native-r"]
    assert len(absent) == 14 and {(a.verdict, a.code) for a in absent} == {("not-run", "r-not-run")}
    assert all(
        re.search(
            r"may not be copied.*\(use --r live, .* prefmod are installed, or --data DIR with \w+[.]RData of prefmod.s sources\)",
            a.explanation,
        )
        for a in absent
    )
    assert all(a.code in CODES for a in rows if a.code)


@pytest.mark.r
def test_a_file_of_prefmods_sources_is_read_without_r_and_held_against_its_digest(tmp_path: Path) -> None:
    """Files as prefmod's sources have them, written by R from invented tables: the real ones are not ours to copy."""
    code = """
    dat4 <- data.frame(a = c(1L, -1L, NA), b = c(1, 1, -1), c = 1, d = -1, e = 1, f = c(-1, 1, 1), more = "x")
    save(dat4, file = file, compress = "bzip2")
    """
    Backend("live").call(code=code, args={"file": str(tmp_path / "dat4.RData")})
    data = {**documents.data_of(next(d for d in documents.documents() if d["id"] == "dat4--pattern"))}
    other = documents.rows_of(data, Backend("recorded"), str(tmp_path))
    assert isinstance(other, NoAnswer) and other.verdict == "not-run"
    assert re.search(r"dat4\.RData is not the table of the 50-digit values", other.why)
    answers = [[1, 1, 1, -1, 1, -1], [-1, 1, 1, -1, 1, 1], [None, -1, 1, -1, 1, 1]]
    rows = [{"weight": 1, "answers": row} for row in answers]
    known = {**data, "sha256": hashlib.sha256(repr(rows).encode()).hexdigest()}
    assert documents.rows_of(known, Backend("recorded"), str(tmp_path)) == rows
    (tmp_path / "dat4.RData").write_bytes(b"no file of R")
    broken = documents.rows_of(known, Backend("recorded"), str(tmp_path))
    assert isinstance(broken, NoAnswer) and "not a file of R's save" in broken.why


@pytest.mark.r("prefmod")
@pytest.mark.nightly
def test_prefmods_own_tables_are_read_as_those_of_the_values_and_every_number_agrees() -> None:
    live = beside_50_digits.rows_beside_50_digits(Backend("live"), lambda fit, backend: ())
    in_place = {d["id"] for d in documents.documents() if documents.data_of(d)["rows"] is None}
    found = [a for a in live if a.claim in in_place]
    assert {a.claim for a in found} == in_place and {a.verdict for a in found} == {"agrees"}
    assert all(a.certified_digits is not None for a in found) and len(found) > 450


@pytest.mark.r("prefmod")
def test_a_table_of_prefmod_that_is_another_one_is_not_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {**documents.data_of(next(d for d in documents.documents() if d["id"] == "dat4--pattern"))}
    found = documents.rows_of({**data, "sha256": "0" * 64}, Backend("live"))
    assert isinstance(found, NoAnswer) and "is not the table of" in found.why and found.verdict == "not-run"


def test_a_table_of_prefmod_is_never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Backend] = []

    def refused(backend: Backend, *args: Any, **options: Any) -> Any:
        asked.append(backend)
        raise documents.RError("no R", r_message="no R", r_call="", source="live")

    monkeypatch.setattr(documents, "ask", refused)
    data = next(documents.data_of(d) for d in documents.documents() if d["id"] == "dat4--pattern")
    found = documents.rows_of(data, Backend(None, record="all"))
    assert isinstance(found, NoAnswer) and found.code == "r-not-run"
    assert [(b.mode, b.record) for b in asked] == [("live", None)]


# -- a wrong number is seen ----------------------------------------------------------------------------------


def of(name: str) -> Any:
    return next(d for d in documents.documents() if d["id"] == name)


def place(name: str) -> Any:
    return beside_50_digits.Place("patterns", name, "")


def fitted(name: str) -> Any:
    return fits.fit_of(of(name), documents.respondents(of(name), documents.data_of(of(name))["rows"]))


def test_an_estimate_that_is_off_in_the_eleventh_digit_is_seen() -> None:
    name = "salad--plackett-luce"
    fit = fitted(name)
    off = replace(fit, beta=fit.beta * (1 + 1e-11))
    found = beside_50_digits.rows_of_fit(place(name), of(name), off, NOBODY)
    wrong = {str(a.quantity) for a in found if a.verdict == "differs"}
    assert {"estimate.B", "estimate.C", "estimate.D"} <= wrong and "llf" not in wrong
    assert {a.code for a in found if a.verdict == "differs"} == {"few-certified-digits"}


def test_a_share_of_a_class_that_is_off_is_seen() -> None:
    name = "made-two-kinds--pattern-2-classes"
    found = fitted(name)
    shares = found.of_classes.shares * np.array([1 + 1e-10, 1.0])
    off = replace(found, classes=replace(found.of_classes, shares=shares))
    rows = beside_50_digits.rows_of_fit(place(name), of(name), off, NOBODY)
    assert {str(a.quantity) for a in rows if a.verdict == "differs"} == {"score.share.1"}


def test_a_property_that_does_not_hold_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = statements.fit_llbt

    def off(table: Any) -> Any:
        fit = right(table)
        return replace(fit, beta=fit.beta * (1 + 1e-9))

    monkeypatch.setattr(statements, "fit_llbt", off)
    context: Any = None
    found = statements.pattern_is_llbt(context, fits=["made-questions--pattern"])
    assert found.verdict == "differs-conclusion" and found.code == "false"


def test_the_packages_copy_is_made_from_the_certified_files() -> None:
    assert make_answers.PACKAGED.read_text("utf-8") == make_answers.packaged()
    copied = {d["id"].partition("--")[0] for d in documents.documents()}
    assert copied == set(DATA_SETS)
    kept = json.loads(make_answers.PACKAGED.read_text("utf-8"))
    assert all(d["rows"] is None for d in kept["data"].values() if d["in_place"])


def test_the_report_lists_every_model_and_what_was_not_checked(rows: list[Agreement]) -> None:
    digits, of_r, absent, prefmod = story.story(Checker(read_paper("patterns")), rows)
    assert of_r.table is None and "was not asked" in of_r.paragraphs[0]
    assert digits.table is not None and len(digits.table.rows) == 26
    assert absent.table is not None and len(absent.table.rows) == 14
    assert "nlm" in prefmod.paragraphs[0]
    nothing = story.story(Checker(read_paper("patterns")), [])
    assert nothing[0].table is None and nothing[2].paragraphs == ("All data were available.",)


# -- R, from its records -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def beside_r() -> list[Agreement]:
    return list(recomputed("patterns", "recorded"))


@pytest.mark.nightly
def test_with_recorded_r_every_number_agrees_and_every_kind_of_witness_was_heard(
    beside_r: list[Agreement],
) -> None:
    assert exit_code(beside_r) == 0 and exit_code(beside_r, require_r=True) == 2
    assert sum(not a.passes for a in beside_r) == 14
    assert all(a.passes or "which may not be copied" in a.explanation for a in beside_r)
    asked = {(a.r_call or "").partition(",")[0] for a in beside_r if a.r is not None}
    assert {
        "prefmod::pattPC.fit",
        "prefmod::pattR.fit",
        "prefmod::pattL.fit",
        "PlackettLuce::PlackettLuce",
    } <= asked
    assert {"survival::coxph", "stats::glm"} <= asked and len(asked) >= 7
    assert {a.r_source for a in beside_r if a.r is not None} == {"recorded"}


@pytest.mark.nightly
def test_where_prefmod_and_pairproof_part_the_50_digits_are_pairproofs(beside_r: list[Agreement]) -> None:
    nlm = [a for a in beside_r if "by nlm" in (a.r_call or "") and a.r_certified_digits is not None]
    assert len(nlm) > 150
    assert min(a.certified_digits or 0.0 for a in nlm) > 12.5  # observed 13.5
    assert min(a.r_certified_digits or 0.0 for a in nlm) < 5  # observed 3.3: nlm's own rule


@pytest.mark.nightly
def test_an_independent_optimum_in_r_has_nine_digits_and_more(beside_r: list[Agreement]) -> None:
    tight = [
        a for a in beside_r if a.r is not None and "by nlm" not in (a.r_call or "") and a.digits is not None
    ]
    least = min(a.digits or 0.0 for a in tight if a.quantity.kind in ("estimate", "se"))
    assert len(tight) > 1000 and least > 9


def test_what_r_refuses_is_told_in_its_own_words(beside_r: list[Agreement]) -> None:
    (row,) = [a for a in beside_r if a.claim == "tie-link--plackett-luce" and a.code == "r-error"]
    assert "Network is not fully connected" in row.explanation and row.verdict == "not-checkable"


@pytest.mark.nightly
def test_the_report_says_how_many_of_the_50_digits_r_has(beside_r: list[Agreement]) -> None:
    of_r = story.story(Checker(read_paper("patterns")), beside_r)[1]
    assert of_r.table is not None
    digits = {line[0]: line for line in of_r.table.rows}
    assert float(digits["prefmod::pattL.fit, by nlm"][3]) < 5
