"""Blocks: every renderer shows every block, and no text of a file does anything to a page or a terminal."""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.report.blocks import (
    Bullets,
    Cell,
    Code,
    Column,
    Counts,
    Definitions,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Quote,
    Row,
    Table,
)
from pairproof.report.output import (
    FORMATS,
    Output,
    render_fragment,
    render_html,
    render_markdown,
    render_text,
)

#: What a terminal would obey, or what turns the reading order.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
EVIL = '</pre><script>alert("x")</script> | ` * \x00 \x1b[31m "\'> \u2028 \u202e {{ 7 * 7 }}'


def page(text: str) -> Page:
    """Every block but the drawing, with the text in every place that has one."""
    bad = Cell(text, "!", "bad")
    return Page(
        text,
        [
            Heading(text),
            Paragraph(text),
            Paragraph(text, aside=True),
            Bullets((text, "second"), lead=True),
            Code(f"first\n{text}"),
            Table((text, "numbers"), (("row", "1"), Row((text, bad), note=text)), caption=text),
            Quote(text, bad, text),
            Counts(((2, bad),)),
            Definitions(((bad, text),)),
            Folded(text, (Paragraph(text),)),
            Folded(text, (Paragraph(text),), kept=True),
        ],
        text,
    )


class Tags(HTMLParser):
    """The tags of a page in their order, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    return tags


@lru_cache(maxsize=1)
def harmless_tags() -> list[str]:
    return parsed(render_html(page("harmless"))).tags


@given(st.text(min_size=1))
@settings(max_examples=60, deadline=None)
def test_no_text_changes_the_tags_of_a_page(text: str) -> None:
    html = render_html(page(text))
    assert parsed(html).tags == harmless_tags()
    assert not OBEYED.search(html)


@given(st.text(min_size=1))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_a_column_or_a_line_of_a_markdown_table(text: str) -> None:
    markdown = render_markdown(page(text))
    outside = re.sub(
        r"^(`{3,}).*?^\1$", "", markdown, flags=re.MULTILINE | re.DOTALL
    )  # a line of code may be "|"
    tables = re.findall(r"(?:^\|.*\n)+", outside, re.MULTILINE)
    assert len(tables) == 1
    lines = tables[0].splitlines()
    assert len(lines) == 4 and {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {4}
    assert not OBEYED.search(markdown)


@given(st.text(min_size=1), st.sampled_from([None, 24, 80]))
@settings(max_examples=60, deadline=None)
def test_no_text_reaches_a_terminal_as_a_control(text: str, width: int | None) -> None:
    assert not OBEYED.search(render_text(page(text), width=width))


def test_markup_of_a_name_is_shown_as_text_in_every_form() -> None:
    html = render_html(page(EVIL))
    assert "<script" not in html and "49" not in html
    assert '</pre><script>alert("x")</script>' in " ".join(parsed(html).text)
    assert "<script>" not in render_markdown(page(EVIL)).replace("\\<", "").partition("```")[0]
    assert "<script" not in render_fragment(page(EVIL))


def test_code_in_markdown_stays_inside_its_fence() -> None:
    markdown = render_markdown(Page("t", [Code("```\n# not a heading\n````")]))
    assert markdown == "# t\n\n`````\n```\n# not a heading\n````\n`````\n"


@pytest.mark.parametrize("text", ["# no heading", "1. no list", "- no list", "+ no list"])
def test_a_sentence_in_markdown_begins_neither_a_heading_nor_a_list(text: str) -> None:
    sentence = render_markdown(Page("t", [Paragraph(text)])).splitlines()[2]
    assert sentence.replace("\\", "") == text and re.match(r"\d*\\", sentence)


TABLE = Table(
    ("quantity", "value", Column("how", "left", detail=True), Column("verdict", "left")),
    (
        ("a name that is rather long", "3.14159265", "by R", Cell("agrees", "=", "good")),
        Row(("b", "-2.5", "by hand", Cell("differs", "!", "bad")), note="the print is rounded"),
    ),
    "Two numbers",
)


def test_numbers_stand_to_the_right_and_names_to_the_left_in_every_form() -> None:
    html, markdown = render_html(Page("t", [TABLE])), render_markdown(Page("t", [TABLE]))
    assert '<td class="n">3.14159265</td>' in html and '<th scope="row">b</th>' in html
    assert "| --- | ---: | --- | --- | --- |" in markdown  # the last: the explanations
    assert "b                                 -2.5  ! differs" in render_text(Page("t", [TABLE]))


def test_a_note_on_a_row_stands_below_it_or_in_a_column_or_below_the_table() -> None:
    assert '<td class="why" colspan="4">the print is rounded</td>' in render_html(Page("t", [TABLE]))
    assert "| b | -2.5 | by hand | ! differs | the print is rounded |" in render_markdown(Page("t", [TABLE]))
    assert render_text(Page("t", [TABLE])).endswith("  ! b: the print is rounded\n")


def test_a_terminal_leaves_out_what_is_a_detail() -> None:
    assert "by hand" in render_html(Page("t", [TABLE])) and "by hand" in render_markdown(Page("t", [TABLE]))
    assert "by hand" not in render_text(Page("t", [TABLE]))


@pytest.mark.parametrize("width", [20, 30, 40, 76, 100])
def test_a_table_that_is_too_wide_is_written_row_by_row_and_keeps_its_numbers(width: int) -> None:
    text = render_text(Page("t", [TABLE]), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "3.14159265" in text and "-2.5" in text and "! " in text


def draw(ax: Any) -> None:
    ax.plot([0, 1], [0, 1], label="rising")
    ax.legend()


def test_a_figure_is_drawn_in_html_and_said_elsewhere_in_its_own_words() -> None:
    figure = Figure(
        "A line", "It rises.\x1b", (3, 2), draw, title="Lines", elsewhere=(Paragraph("see the page"),)
    )
    html = render_html(Page("t", [figure, figure]))
    assert html.count("<svg") == 4 and html.count("Lines</h2>") == 2 and "see the page" not in html
    assert len(set(re.findall(r'id="([^"]*)"', html))) == len(re.findall(r'id="([^"]*)"', html))
    assert "\x1b" not in html and html == render_html(Page("t", [figure, figure]))
    for text in (render_markdown(Page("t", [figure])), render_text(Page("t", [figure]))):
        assert "see the page" in text and "Lines" not in text


def output(junit: bool = False) -> Output:
    return Output(lambda: page("x"), lambda: "{}\n", (lambda: "<testsuites/>\n") if junit else None)


def test_the_suffix_decides_the_form() -> None:
    begins = {".html": "<!DOCTYPE html>", ".md": "# x", ".json": "{}", ".xml": "<testsuites", ".txt": "x\n"}
    assert begins.keys() == FORMATS.keys()
    assert all(output(junit=True).render(suffix).startswith(text) for suffix, text in begins.items())


@pytest.mark.parametrize("suffix", ["", ".pdf", ".HTML"])
def test_another_suffix_is_refused_with_those_that_there_are(suffix: str) -> None:
    with pytest.raises(InputError, match=r"expected one of \.html, \.md, \.json, \.xml, \.txt"):
        output().render(suffix)


def test_junit_of_what_has_no_verdicts_is_refused() -> None:
    with pytest.raises(InputError, match="no verdicts"):
        output().render(".xml")
