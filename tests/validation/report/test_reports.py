"""Reports are views of the agreements: complete, escaped, and honest in their first lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.fit.shown.fit_plots import worth_figure
from pairproof.report.blocks import Figure, Table
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.shipped import CertifiedValues
from pairproof.validation.claims.quantities import Quantity
from pairproof.validation.report.context import digits_rows, opening
from pairproof.validation.report.findings import headline
from pairproof.validation.report.page import MARKS, mark_of, printed_figure
from pairproof.validation.report.rendering import FORMATS, ReportContext, Story, output, render, render_text
from pairproof.validation.report.verification import Verification
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart
from tests.report.phone import LEAST, text_sizes
from tests.validation.fakes import GLM, values_of

pytestmark = pytest.mark.xdist_group("a report of Dras")
EVIL = '<script>alert("x")</script> & | ` * \x00 "\'> \u2028'


def r_and_prefmod(fit: Fit, backend: Any) -> list[RCounterpart]:
    if fit.df_resid == 0:
        return [
            RCounterpart(GLM, "live", values_of(fit)),
            RCounterpart("prefmod::llbt.fit", None, not_run="system is singular"),
        ]
    return [
        RCounterpart(GLM, "live", values_of(fit)),
        RCounterpart("prefmod::llbtPC.fit", "recorded", values_of(fit)),
    ]


def draw(ax: Any) -> None:
    ax.plot([0, 1], [0, 1], color="black", label="rising")
    ax.legend()


@lru_cache(maxsize=1)
def dras() -> tuple[Sequence[Agreement], ReportContext]:
    checker = Checker(
        read_paper("dras-2015"), counterparts=r_and_prefmod, certified=CertifiedValues.of_paper("dras-2015")
    )
    rows = checker.all()
    context = ReportContext(
        title="Dras (2015)",
        subtitle=EVIL,
        command="pairproof validate dras-2015",
        versions={"R": "4.2.2", "prefmod": None},
        absent={"prefmod": ""},
        first_lines=(EVIL,),
        story=(
            Story(
                "The columns",
                (EVIL, "Second."),
                Table(("a", "b"), ((EVIL, "1"),), "c"),
                (Figure(EVIL, f"A line. {EVIL}", (3, 2), draw),),
            ),
        ),
        worths=(worth_figure(checker.fit("subjects"), title="Worths"),),
    )
    return rows, context


@lru_cache(maxsize=None)
def report(suffix: str) -> str:
    return render(*dras(), suffix)


def test_where_nothing_was_compared_the_first_lines_say_so() -> None:
    agreements, context = dras()
    idle = [a for a in agreements if a.verdict in ("not-run", "not-checkable")]
    assert len({a.verdict for a in idle}) == 2
    assert "Nothing was compared." in opening(idle, context) and "Nothing was compared." in opening(
        [], context
    )


def test_the_first_lines_say_what_comes_out_and_what_is_absent() -> None:
    lines = opening(*dras())
    assert re.fullmatch(
        r"20 of 24 printed numbers are reproduced; .*\d have explanations that a person accepted\.", lines[0]
    )
    assert re.match(r"23 of 36 statements hold; 8 cannot be checked; ", lines[1])
    assert re.match(r"\d+ further comparisons with R and 50-digit values: \d+ agree, 2 not run", lines[2])
    assert lines[3] == "Nothing that ran needs attention."
    assert lines[4] == "prefmod is not available: its recorded results are used"
    assert re.match(r"R gave \d+ numbers live and \d+ numbers from records; 2 checks did not run\.", lines[5])


def printed(
    quantity: str, text: str, native: float | None, verdict: str = "agrees", **more: Any
) -> Agreement:
    return Agreement("p", "c", Quantity.parse(quantity), text, native, verdict=verdict, **more)  # type: ignore[arg-type]


MISPRINT = (
    printed("estimate.A", "0.10", 0.1),
    printed(
        "estimate.B", "-0.948", -0.9192, "differs", size=0.1234, finding="1", explanation="computed -0.9192"
    ),
    printed(
        "arithmetic.z.B", "-3.9", None, "differs", about="arithmetic", finding="1", explanation="-4.1 to -4.0"
    ),
    printed("aic", "3.2", 7.2, "agrees-other-definition", explanation="R's AIC"),
)


def test_the_sentence_that_matters_is_first_and_whole() -> None:
    (said,) = headline(MISPRINT)
    assert said == (
        "2 of 3 printed numbers are reproduced, one of them by another definition; one is not: estimate.B: printed"
        " -0.948, computed -0.919 (0.12 standard errors)."
    )
    for suffix, between in ((".txt", "T "), (".md", "# T - "), (".html", "T ")):
        text = render(MISPRINT, ReportContext(title="T"), suffix).partition("<body>")
        words = " ".join(re.sub(r"<[^>]*>|\\", " ", text[2] or text[0]).split())
        assert words.startswith(
            f"{between}2 of 3 printed numbers are reproduced, one of them by another definition;"
        )


def test_what_follows_from_a_misprint_is_told_with_it_and_not_beside_it() -> None:
    text = render_text(MISPRINT, ReportContext(), width=120)
    assert (
        "! estimate.B: printed -0.948, computed -0.919 (0.12 standard errors); inconsistent because of it: z.B"
        in text
    )
    assert "inconsistent with each other" not in text
    two = [replace(MISPRINT[1], quantity=Quantity("estimate", name="C")), *MISPRINT[1:2]]
    assert render_text(two, ReportContext(), width=200).count("printed -0.948") == 6  # three lists of two
    passing = replace(MISPRINT[2], verdict="not-checkable", code="consequence")
    assert "inconsistent because of it: z.B" in render_text(
        [*MISPRINT[:2], passing], ReportContext(), width=160
    )
    alone = [replace(a, finding="") for a in MISPRINT]
    assert "Printed numbers that are inconsistent with each other: z.B." in [*headline(alone)]


def test_what_the_search_found_beside_the_explanations_is_a_list() -> None:
    found = SimpleNamespace(claims=("c",), sentences=("all standard errors are too small by 1.414",))
    rows = Verification(MISPRINT, found_by_paper={"p": (found,)})  # type: ignore[dict-item]
    text = render(rows, ReportContext(), ".md").replace("\\", "")
    assert "## What the search found\n\n- c: all standard errors are too small by 1.414" in text


def test_other_definitions_are_a_list_of_their_own() -> None:
    text = render(MISPRINT, ReportContext(), ".md").replace("\\", "")
    assert "## Other definitions\n\n- = aic: printed 3.2: R's AIC" in text


def test_a_column_without_a_value_is_left_out() -> None:
    rows = re.findall(r"^\| quantity .*$", render(MISPRINT, ReportContext(), ".md"), re.MULTILINE)
    assert rows == ["| quantity | printed | computed | difference, in se | verdict | explanation |"]
    assert "difference, in se" not in render(MISPRINT[:1], ReportContext(), ".md")


def test_badges_count_printed_numbers_and_what_is_found_of_them_alone_and_no_comparisons_with_r() -> None:
    beside = printed("se.A", "", 1.0, r=1.0, r_call=GLM, about="native-r", digits=15.0)
    page = render([*MISPRINT, beside], ReportContext(), ".html")
    badges = re.findall(r"<b>(\d+)</b>", page[page.index('aria-label="printed numbers by verdict"') :])
    # Two numbers that differ, one of which only from the numbers beside it.
    assert badges[:3] == ["1", "1", "2"] and sum(map(int, badges)) == 4


def test_the_answer_and_a_picture_stand_before_the_tables_and_the_digits_of_r_are_folded() -> None:
    page = report(".html")
    picture, table = page.index("<svg"), page.index('class="v good"')
    assert (
        page.index("20 of 24 printed numbers are reproduced")
        < picture
        < table
        < page.index("How R was asked")
    )
    digits = page[page.index("Digits of agreement</h2>") :]
    assert digits.index("<details>") < digits.index("<svg")


@pytest.mark.parametrize(
    ("verdict", "accepted", "mark"),
    [
        ("agrees", False, "dot"),
        ("agrees-other-definition", False, "dot"),
        ("immaterial", False, "square"),
        ("differs", False, "cross"),
        ("explained", False, "cross"),
        ("explained", True, "diamond"),
    ],
)
def test_the_caption_of_the_picture_names_the_marks_that_stand_in_it(
    verdict: str, accepted: bool, mark: str
) -> None:
    rows = [printed("estimate.B", "-0.948", -0.1, verdict, accepted=accepted)]
    found = printed_figure(rows)
    assert found is not None and mark_of(rows[0]) == mark
    assert f"{mark.capitalize()}: {MARKS[mark][2]}." in found.caption
    assert not any(f"{other}:" in found.caption.lower() for other in MARKS if other != mark)


def test_an_absent_package_without_records_is_not_said_to_be_used() -> None:
    rows = [a for a in dras()[0] if a.r_source != "recorded"]
    assert "prefmod is not available: checks that need it did not run (no compiler)" in opening(
        rows, ReportContext(absent={"prefmod": "no compiler"})
    )


@pytest.mark.parametrize("suffix", [".html", ".md", ".txt", ".xml"])
def test_every_report_opens_with_the_same_lines(suffix: str) -> None:
    # Markdown escapes and the terminal breaks lines; the words are the same.
    text = re.sub(r"[\\\s]+", " ", report(suffix))
    assert "prefmod is not available: its recorded results are used" in text
    assert (
        text.index("20 of 24 printed numbers are reproduced")
        < text.index("prefmod is not available")
        < text.index("ranking-by-first-preferences")
    )


class Page(HTMLParser):
    """Tags that do not close in order, ids that stand twice, references to what is not in the page, links
    outward.
    """

    VOID = {"meta", "br", "link", "img", "hr", "use", "path"}

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.refs: list[str] = []
        self.outward: list[str] = []
        self.text: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            if key in ("href", "xlink:href", "src"):
                (self.refs if (value or "").startswith("#") else self.outward).append(value or "")
            if key == "aria-labelledby":
                self.refs += [f"#{v}" for v in (value or "").split()]
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.stack and self.stack.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@lru_cache(maxsize=1)
def page() -> Page:
    parser = Page()
    parser.feed(report(".html"))
    return parser


def test_the_html_closes_every_tag_and_names_nothing_twice() -> None:
    assert page().stack == []
    assert len(page().ids) == len(set(page().ids))
    assert {r[1:] for r in page().refs} <= set(page().ids)


def test_the_html_fetches_nothing_and_runs_nothing() -> None:
    assert page().outward == [] and page().scripts == 0
    html = report(".html")
    assert "default-src 'none'" in html
    assert not re.search(r"@import|url\((?!#)", html)


def test_foreign_text_is_escaped_in_the_html() -> None:
    assert '<script>alert("x")' not in report(".html")
    assert '<script>alert("x")</script> & |' in " ".join(page().text)


def test_the_drawings_have_a_title_and_a_description_and_the_pages_colours() -> None:
    svgs = re.findall(r"<svg.*?</svg>", report(".html"), re.DOTALL)
    assert min(text_sizes(report(".html"))) >= LEAST
    assert (
        len(svgs) == 8
    )  # a story's figure, printed numbers, worths, digits; each for a page and for a telephone
    for svg in svgs:
        ElementTree.fromstring(svg)
        assert 'role="img"' in svg and "<title" in svg and "<desc" in svg
        assert "currentColor" in svg and "#01020" not in svg


def test_the_html_is_the_same_in_two_runs() -> None:
    assert render(*dras(), ".html") == report(".html")


def test_every_agreement_stands_in_the_html() -> None:
    rows, _ = dras()
    cells = report(".html").count('<td class="v ')
    statements = report(".html").count("<blockquote")
    # A printed number stands in the table of the page, and where R has it once more among R's.
    twice = sum(a.about == "printed" and bool(a.digits or a.certified_digits) for a in rows)
    assert twice > 10 and cells + statements == len(rows) + twice


def test_the_junit_file_has_one_testcase_an_agreement_and_skips_what_did_not_run() -> None:
    rows, _ = dras()
    root = ElementTree.fromstring(report(".xml").encode())
    cases = list(root.iter("testcase"))
    assert len(cases) == len(rows) == int(root.attrib["tests"])
    assert len({(c.attrib["classname"], c.attrib["name"]) for c in cases}) == len(cases)
    skipped = [c.find("skipped") for c in cases if c.find("skipped") is not None]
    assert len(skipped) == 2 and "system is singular" in (
        skipped[0].attrib["message"] if skipped[0] is not None else ""
    )
    assert root.attrib["failures"] == "0" and not list(root.iter("failure"))


def test_what_differs_is_a_junit_failure_with_its_numbers() -> None:
    row = Agreement("p", "c", "estimate.A", EVIL, 0.5, 0.25, "gnm::gnm", "live", None, 0.0, "differs", EVIL)
    root = ElementTree.fromstring(render([row], ReportContext(), ".xml").encode())
    (failure,) = root.iter("failure")
    assert failure.attrib["type"] == "differs" and "native 0.5, R 0.25" in (failure.text or "")
    assert root.attrib["failures"] == "1"


def test_the_json_says_what_the_agreements_say() -> None:
    rows, _ = dras()
    document = json.loads(report(".json"))
    assert sum(document["summary"].values()) == len(document["agreements"]) == len(rows)
    assert [a["native"] for a in document["agreements"]] == [a.native for a in rows]


def test_markdown_tables_keep_their_columns_whatever_stands_in_the_cells() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", report(".md"), re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block
    assert "<script>" not in report(".md").replace("\\<script\\>", "")


@pytest.mark.parametrize("width", [24, 40, 75, 76, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_number_is_lost(width: int) -> None:
    rows, context = dras()
    text = render_text(rows, context, width=width)
    assert max(len(line) for line in text.splitlines()) <= width
    packed = re.sub(r"\s+", "", text)
    assert "0.2778" in packed and "30.45543602" in packed if width >= 40 else "0.2778" in packed
    assert " ".join(text.split()).endswith("have explanations that a person accepted.")


def test_the_text_has_no_colours_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in render_text(*dras(), width=100)


def test_a_fit_checked_by_itself_lists_all_its_numbers() -> None:
    rows = [a for a in dras()[0] if a.claim == "table-1" and a.about == "native-r" and a.r_call == GLM]
    text = render_text(rows, ReportContext(title="Verify"), width=120)
    assert all(a.quantity in text for a in rows)


def test_the_digits_of_each_source_are_minima_and_never_means() -> None:
    rows = [
        Agreement("", "c", f"se.{k}", None, 1.0, 1.0, "gnm::gnm", "live", None, d, "agrees", floor=9.0)
        for k, d in (("A", 15.0), ("B", 9.5), ("C", 16.0))
    ]
    (row,) = digits_rows(rows)
    assert (row.least, row.least_at, row.n, row.enough) == (9.5, "c se.B", 3, True)


def exact(
    quantity: str, digits: float, floor: float | None, verdict: str = "agrees", **more: Any
) -> Agreement:
    return Agreement(
        "", "c", quantity, None, 1.0, None, None, None, "1.0", digits, verdict,  # type: ignore[arg-type]
        certified_digits=digits, certified_floor=floor, **more,
    )  # fmt: skip


def test_a_number_stands_beside_its_own_floor_and_not_beside_another_numbers() -> None:
    """13.4 digits of a pattern model, held to 12.5, stood beside the 13.5 of models of comparisons as too few."""
    rows = [exact("se.A", 15.1, None), exact("se.B", 13.4, 12.5)]
    found = {(r.least, r.floor, r.enough) for r in digits_rows(rows)}
    assert found == {(15.1, 13.5, True), (13.4, 12.5, True)}
    said = render_text(rows, ReportContext())
    assert "Nothing needs attention." in said and "TOO FEW" not in said


@pytest.mark.parametrize(
    ("verdict", "more", "flagged"), [("differs", {}, True), ("differs", {"accepted": True}, False)]
)
def test_what_is_flagged_as_too_few_is_said_to_need_attention(verdict: str, more: Any, flagged: bool) -> None:
    said = render_text([exact("se.A", 12.4, 12.5, verdict, **more)], ReportContext())
    assert ("TOO FEW" in said) is flagged is ("1 needs attention: se.A" in said)


def test_no_agreement_at_all_still_makes_every_report() -> None:
    for suffix in FORMATS:
        assert render([], ReportContext(), suffix)


def test_reports_are_written_by_their_suffix_and_others_are_refused(tmp_path: Path) -> None:
    rows, context = dras()
    for suffix in FORMATS:
        output(rows, context).write(tmp_path / f"r{suffix}")
        assert (tmp_path / f"r{suffix}").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"expected one of \.html"):
        output(rows, context).write(tmp_path / "r.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        output(rows, context).write(tmp_path / "r.html" / "x.html")


def test_a_figure_of_a_story_is_drawn_in_the_pages_ink_and_described_where_nothing_is_drawn() -> None:
    page = report(".html")
    drawing = page[page.index("<h2", page.index("The columns</h2>") - 40) :]
    drawing = drawing[: drawing.index("</figure>")]
    assert (
        "rising" in drawing
        and "currentColor" in drawing
        and "#000000" not in drawing
        and "A line. &lt;script&gt;" in drawing
    )
    assert "(drawn in the HTML report) A line." in report(".md")


def test_what_draws_at_random_is_not_said_to_have_stopped_short_of_a_maximum() -> None:
    kept: dict[str, Any] = {"native": 2.0, "r": 1.0, "verdict": "not-checkable", "r_arrived": False}
    drawn = Agreement("p", "c", "rank_low.i4", r_call="csranks::csranks", code="monte-carlo", **kept)
    short = Agreement("p", "c", "se.A", r_call=GLM, code="r-stopped-early", **kept)
    lines = opening([drawn, short], ReportContext())
    assert "csranks::csranks draws too few random points to check 1 of native's numbers" in lines
    assert f"{GLM} stopped before the maximum: its numbers cannot check 1 of native's" in lines


def test_only_numbers_that_have_a_standard_error_are_said_to_differ_by_some() -> None:
    rows = [
        printed("z.A", "3.1", 2.5, "differs", size=0.6, explanation="computed 2.5; 0.6 se off"),
        printed("p.A", ".019", 0.00887, "differs", size=0.27, explanation="computed 0.00887; 0.27 in z off"),
        printed(
            "se.A", "0.182", 0.128, "differs", size=0.42, explanation="computed .128; 0.42 of its size off"
        ),
    ]
    said = " ".join(render_text(rows, ReportContext()).split())
    for told in ("2.5 (0.6 standard errors)", "0.009 (0.27 in z)", "0.128 (0.42 of its size)"):
        assert told in said
    assert said.count("standard errors)") == said.count("0.6 standard errors)") and " off" not in said


def test_no_report_names_a_json_that_was_not_written() -> None:
    text = render(MISPRINT, ReportContext(), ".md")
    assert "next to this report" not in text and "; --report FILE.json writes all digits" in text
