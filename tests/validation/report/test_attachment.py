"""The attachment for a referee's report: neutral sentences, what was not checked, what it was made from, one page."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pairproof.report.output import render_html, render_markdown
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.claims.paper import UNFILLED
from pairproof.validation.report.attachment import attachment
from pairproof.validation.verdicts.agreement import Agreement
from tests.campaign.page.browser import Browser, missing
from tests.validation.fakes import FIRTH, check_paper, claims_text

PAPER = parse_claims(claims_text(FIRTH), source="folder/example.claims.toml")
HASH = "0123456789abcdef" * 4
#: Words that say whose fault something is.
ACCUSING = r"\b(error of|mistake|wrong|false|erratum|misprint|misleading|incorrect|fault|authors?)\b"


def text(rows: Sequence[Agreement], paper: Any = PAPER) -> str:
    page = attachment(
        paper, rows, {"": HASH}, {"pairproof": "9.9", "R": None}, "pairproof check x.claims.toml"
    )
    return render_markdown(page).replace("\\", "")


def row(name: str, **fields: Any) -> Agreement:
    given: dict[str, Any] = {"where": "Table 3", "printed": "0.948", "native": 0.9187, "verdict": "differs"}
    return Agreement("example", "table-3", name, **{**given, **fields})  # type: ignore[arg-type]


def test_a_finding_is_a_neutral_sentence_with_its_size() -> None:
    found = text([row("estimate.Gamma", size=0.29), row("estimate.A", verdict="agrees")])
    assert (
        "Table 3: the deposited data give 0.919, but 0.948 is printed for the estimate of Gamma (0.29 standard"
        " errors); other numbers reproduced: 1."
    ) in found


def test_rows_of_one_finding_are_one_sentence() -> None:
    rows = [row("estimate.Gamma", finding="f"), row("z.Gamma", finding="f", printed="2.1", native=2.03)]
    found = text(rows)
    assert found.count("deposited data give 0") == 1 and "the same holds for z.Gamma" in found


def test_numbers_that_one_reading_explains_are_one_sentence_with_the_reading() -> None:
    why = "one-sided-p: reproduced if p-values are one-sided (1 explanation among 20 readings; 9 numbers)"
    rows = [row(f"p.{x}", verdict="explained", code="one-sided-p", explanation=why) for x in "ABCDEFG"]
    (line,) = [line for line in text(rows).splitlines() if "reproduced if" in line]
    assert "the printed value is reproduced if p-values are one-sided" in line and "and 2 more" in line


def test_another_program_s_definition_is_no_finding_and_a_file_keeps_its_name() -> None:
    why = "aic-constant: reproduced if AIC is that of R's glm, which gives 87.324; 356.5 by pairproof's definition"
    more = {"verdict": "agrees-other-definition", "code": "aic-constant", "explanation": why}
    found = text([row("aic", printed="87.324", native=356.5, where="printed.txt", **more)])
    assert "## Findings\n\n- Every number that was checked is reproduced." in found
    assert "## By another program's definition\n\n- printed.txt: 87.324 is printed for AIC;" in found


def test_what_nobody_has_filled_in_does_not_stand_on_the_page() -> None:
    paper = replace(PAPER, title=UNFILLED[0], read_from=UNFILLED[1])
    assert not any(words in text([], paper) for words in UNFILLED)


@pytest.mark.parametrize("code", ["false", "misleading", "erratum"])
def test_no_sentence_says_whose_fault_it_is(code: str) -> None:
    said = {"printed": "A is best", "about": "statement", "native": None, "code": code, "accepted": True}
    rows = [row("statement", verdict="differs-conclusion", explanation=f"{code}: B is before A", **said)]
    found = text([*rows, row("estimate.A", code="misprint", explanation="the only number not reproduced")])
    assert re.findall(ACCUSING, found) == []
    assert "for \u201cA is best\u201d the deposited data give: B is before A (read and accepted)" in found


def test_a_computed_number_is_told_with_as_many_decimals_as_tell_it_from_the_printed_one() -> None:
    assert "give 0.9481, but 0.948 is" in text([row("estimate.A", native=0.94812)])
    assert "give 0.00123, but 1.3e-3 is" in text([row("p.A", printed="1.3e-3", native=0.00123)])


def test_what_was_not_checked_stands_there_with_the_reason() -> None:
    why = "data not here: x.csv is not ours to ship"
    found = text([row(f"estimate.{k}", verdict="not-run", native=None, explanation=why) for k in "ABC"])
    assert f"Table 3 (3): {why}." in found and "3 printed numbers and statements: 3 not checked." in found
    assert "Every number that was checked is reproduced." in found


def test_the_page_names_hashes_versions_and_the_command() -> None:
    found = text(check_paper(PAPER))
    assert f"claims: example.claims.toml | {HASH}" in found
    assert "With pairproof 9.9." in found and "\npairproof check x.claims.toml\n" in found
    assert "29 printed numbers and statements: 29 reproduced." in found


def test_a_data_file_that_is_not_as_the_claims_file_states_is_not_given_its_hash() -> None:
    spec = replace(PAPER.data["baseball"], rows=(), file="x.csv", sha256="f" * 64)
    paper = replace(PAPER, data={"baseball": spec})
    page = attachment(paper, [], {"": HASH, "baseball": "cannot be read"}, {}, "c")
    assert (
        "data baseball: x.csv | not available in the version that the claims file states; not used"
        in render_markdown(page)
    )


def test_more_findings_than_a_page_holds_are_counted() -> None:
    where = [f"Table {k}, page {k}, the third column" for k in range(90)]
    rows = [row(f"estimate.item-{k}", size=1.5, where=place) for k, place in enumerate(where)]
    found = text(rows)
    shown = found.count("the deposited data give 0.919")
    assert 8 < shown < 30 and f"... and {90 - shown} more: add --report all.html" in found


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
@pytest.mark.parametrize("n", [1, 300])
def test_it_fits_one_printed_page(n: int, tmp_path: Path) -> None:
    long = (
        "a reason that is as long as those that are met, with names and numbers of what was looked for; " * 3
    )
    rows = [replace(row(f"estimate.item-{k}", size=1.5), where=f"Table {k}, page {k}") for k in range(n)]
    rows += [
        replace(row("p.x", verdict="not-run", native=None, explanation=f"{k} {long}"), where=f"page {k}")
        for k in range(n)
    ]
    spec = replace(PAPER.data["baseball"], rows=(), sha256="f" * 64)
    data = {f"d{k}": replace(spec, name=f"d{k}", file=f"a-rather-long-name-{k}.csv") for k in range(n)}
    paper = replace(PAPER, data=data, title="A title of some length " * 10)
    hashes = {"": HASH, **dict.fromkeys(data, "f" * 64)}
    page = attachment(paper, rows, hashes, {"pairproof": "9.9", "R": "4.2"}, "pairproof check " + "x" * 150)
    file = tmp_path / "page.html"
    file.write_text(render_html(page), encoding="utf-8")
    with Browser(tmp_path) as browser:
        browser.open(file)
        pdf = base64.b64decode(browser.devtools("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
