"""Tables in a text become a header and rows of words, whatever they are written in, and hostile texts cost little."""

from __future__ import annotations

import time

import pytest

from pairproof.data.reading import text_tables
from pairproof.data.reading.text_tables import MOST_CHARACTERS, TextTable, text_table
from pairproof.errors import InputError
from tests.places import TESTS

PRINTED = TESTS / "data" / "reading" / "printed"


def one(text: str) -> TextTable:
    (found,) = text_table(text, "t")
    assert {len(row) for row in found.rows} == {len(found.header)} and len(found.lines) == len(found.rows)
    return found


def test_latex_keeps_words_and_leaves_looks() -> None:
    found = one(
        r"""\begin{table}\caption{Wins, \emph{1987}} % & no \\
\begin{tabular}{@{}l*{4}{r}@{}} \toprule
 & \multicolumn{2}{c}{Old} & \multicolumn{2}{c}{New}\\ \cmidrule(lr){2-3}\cmidrule(l){4-5}
 & \textbf{A} & Comm.~Statist & C\_1 & D\&E \\[2pt] \midrule
A & 714 & $-0.5$ & $3.4\times10^{-5}$ & \multirow{2}{*}{7} \\
B C & --- & $\hat\beta_1$ & $0.42^{**}$ & \\ \hline
\multicolumn{5}{l}{\footnotesize Note: all} \\ \bottomrule
\end{tabular}\end{table}"""
    )
    assert (found.form, found.caption, found.line, found.lines) == (
        "LaTeX",
        "Wins, 1987 Note: all",
        3,
        (5, 6),
    )
    assert found.header == ("", "Old A", "Old Comm. Statist", "New C_1", "New D&E")
    assert found.rows == (("A", "714", "-0.5", "3.4×10^-5", "7"), ("B C", "—", "beta1", "0.42**", ""))


def test_html_spans_cells_and_keeps_a_minus_and_what_is_raised() -> None:
    first, second = text_table(
        "<p>x<!-- <table><tr><td>no --><TABLE class=a><caption>Wins</caption><thead><tr><th rowspan=2>Team<th colspan='2'>Home</tr>"
        "<tr><th>W</th><th>L</th></tr></thead>\n<tr><td>New&nbsp;York<td>3<td>\u22124</tr>\n<tr><td rowspan=2>B<td>10<sup>-5</sup>"
        "<td>0.42<sup>***</sup><tr><td>5<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>",
        "t",
    )
    assert (first.form, first.caption, first.header, first.lines) == (
        "HTML",
        "Wins",
        ("Team", "Home W", "Home L"),
        (2, 3, 3),
    )
    assert first.rows == (("New York", "3", "\u22124"), ("B", "10^-5", "0.42***"), ("B", "5", ""))
    assert second.rows == (("1", "2"),)


def test_markdown_is_a_table_below_its_line() -> None:
    found = one(
        "## Wins:\n\n| | **A** | `B` |\n|---|:-:|--:|\n| A | - | 14-7 |\n| B |  | a\\|b |\n\nafter | this"
    )
    assert (found.caption, found.header) == ("Wins", ("", "A", "B"))
    assert found.rows == (("A", "-", "14-7"), ("B", "", "a|b"))


SUMMARY = """Coefficients:
               Estimate Std. Error z value Pr(>|z|)    
..JASA         -0.47957    0.06059  -7.915 2.47e-15 ***
..Comm Statist -2.94907    0.10255 -28.759  < 2e-16 ***
..JRSS-B        0.26895    0.07083   3.797 0.000146 ***
---
Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1

    Null deviance: 1925.2329  on 6  degrees of freedom
"""


def test_coefficients_of_r_have_their_names_and_stars() -> None:
    found = one(SUMMARY)
    assert found.caption == "Coefficients:"
    assert found.header == ("", "Estimate", "Std. Error", "z value", "Pr(>|z|)", "")
    assert found.rows[1] == ("..Comm Statist", "-2.94907", "0.10255", "-28.759", "< 2e-16", "***")


def test_names_that_hold_blanks_end_where_the_columns_say() -> None:
    frame = one((PRINTED / "baseball.txt").read_text())
    assert frame.header == ("", "home.team", "away.team", "home.wins", "away.wins")
    assert frame.rows[2] == ("3", "Milwaukee", "New York", "4", "3") and len(frame.rows) == 42
    pairs = one((PRINTED / "citations-binomial.txt").read_text())
    assert pairs.rows[0] == ("1", "Biometrika", "Comm Statist", "730", "33")
    wide = one((PRINTED / "icehockey.txt").read_text())
    assert wide.header[-2:] == ("result", "home.ice") and wide.rows[3][2:4] == ("Alab-Huntsville", "3")
    copied = one("Team Won Lost\nNew York 3 4\nSan Diego 5 6\n")
    assert copied.rows == (("New York", "3", "4"), ("San Diego", "5", "6"))


def test_a_name_that_may_end_in_two_places_makes_no_table() -> None:
    assert text_table("first second wins losses\nNew York Boston 3 4\nLos Angeles San Diego 5 6\n", "t") == []
    assert text_table("It was in 1987 that\nthey won 4 games.\n", "t") == []


M = MOST_CHARACTERS
HOSTILE = {
    "tags that never end": "<table" * (M // 6),
    "cells that never end": "<table><tr><td>" + "<a " * (M // 3 - 10),
    "comments that never end": "<table>" + "<!--" * (M // 4 - 10),
    "tables in tables": "<table><tr><td>" * (M // 16),
    "spans": "<table><tr>" + "<td colspan=999999 rowspan=99999>" * 1000,
    "rows that reach down": "<table>" + ("<tr>" + "<td rowspan=9999>" * 100) * 1000,
    "braces": r"\begin{tabular}" + "{" * (M - 20),
    "environments": r"\begin{tabular}" * (M // 15),
    "columns of LaTeX": r"\begin{tabular}{l}" + r"\multicolumn{999999}{l}{a}&" * (M // 30),
    "cells of LaTeX": r"\begin{tabular}{l}" + "&" * (M - 20),
    "a narrow table with one wide row": "<table>" + "<tr><td>" * 100_000 + "<td>" * 100_000,
    "backslashes": r"\begin{tabular}{l}" + "\\" * (M - 20),
    "ampersands": "&" * (M - 4) + "\\\\\n",
    "lines of Markdown": "a|b\n-|-\n" * (M // 8),
    "tables of Markdown in one": "a|b\n-|-\n" * 1000 + "a|b\n" * 200_000,
    "wide tables": ("<table>" + "<tr><td>" * 1000 + "<td>" * 1000 + "</table>") * 150,
    "lines": "a 1 2\n" * (M // 6),
    "a long line": "a b\n" + "1 " * (M // 2 - 10),
    "digits": "a b\n" + "1" * (M - 10),
    "dashes": "a b\n" + "-" * (M // 2) + "x 1",
    "blanks": " " * (M - 10) + "a",
    "blocks": "a b\n1 2\n\n" * (M // 10),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_or_refused_in_bounded_time(name: str) -> None:
    """At most 1.5 s were seen for 0.25 MB, the machine being shared; a search that takes the square of the length would take hours."""
    began = time.process_time()
    try:
        text_table(HOSTILE[name][: M // 8], "t")
    except InputError as refusal:
        assert "save it as CSV" in str(refusal)
    assert time.process_time() - began < 60


def test_a_text_longer_than_any_paper_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="2,097,153 characters.*copy the table"):
        text_table("x" * (M + 1), "t")


def test_a_table_of_a_million_cells_is_refused_with_a_way_out(monkeypatch) -> None:
    monkeypatch.setattr(text_tables, "MOST_CELLS", 9)
    with pytest.raises(InputError, match="line 1: a table of more than 9 cells; save it as CSV"):
        text_table("<table>" + "<tr><td>1<td>2" * 5, "t")
