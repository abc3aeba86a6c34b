"""Many papers as one: a line a paper with its counts, what needs attention, and what chance alone would explain.

A paper that could not be checked is a line with its error; its row among the agreements did not run.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...files.outputs import csv_text
from ...report.blocks import Block, Bullets, Cell, Column, Heading, Page, Row, Table
from ...report.output import render_text
from ..claims.quantities import Quantity
from ..verdicts.agreement import AGREEING, Agreement, exit_code
from .context import ReportContext, Story, counts_sentence
from .findings import attention
from .notation import line

#: Counts of a line; they add up to the first.
COUNTS = (
    *("printed", "agree", "other_definition", "explained"),
    *("immaterial", "differs", "not_checkable", "not_run"),
)
_SHORT = {"other_definition": "other def.", "not_checkable": "no check", "not_run": "not run"}
_OTHERS = ("explained", "immaterial", "not-checkable", "not-run")
_COUNTED: dict[str, str] = {**dict.fromkeys(AGREEING, "agree"), "agrees-other-definition": "other_definition"}
_COUNTED |= {verdict: verdict.replace("-", "_") for verdict in _OTHERS}
#: Findings that a screen names, characters of an explanation, and columns that the table needs beside names.
MOST_NAMED, LONGEST, WIDTH = 20, 200, 90


@dataclass(frozen=True)
class CheckedPaper:
    """A claims file that was checked, or the `error` by which it could not be.

    searched, by_chance: how many claims another reading explains, and of how many it would by chance.  warned: what
    the data were warned of.  taken_over: the numbers are those of an earlier run.  page: name of its page beside the
    index.
    """

    file: str
    paper: str
    title: str = ""
    rows: tuple[Agreement, ...] = ()
    error: str = ""
    searched: int = 0
    by_chance: float = 0.0
    warned: Sequence[str] = ()
    taken_over: bool = False
    page: str = ""

    @classmethod
    def refused(cls, file: str, paper: str, error: str, code: str = "bad-claim") -> CheckedPaper:
        """One that could not be checked."""
        row = Agreement(paper, "", Quantity("claims file"), explanation=error, code=code)
        return cls(file, paper, rows=(row,), error=error)

    @property
    def attention(self) -> list[list[Agreement]]:
        """Findings that need it, each with its rows: printed numbers, these among each other, and native beside R."""
        return attention(self.rows)

    @cached_property
    def line(self) -> dict[str, Any]:
        """Its line in JSON and CSV; "differs" are all that are not reproduced and have no clear explanation."""
        on_page = (a for a in self.rows if a.printed is not None and a.about in ("printed", "statement"))
        shown = [a.verdict for a in on_page]
        counts = Counter(_COUNTED.get(verdict, "differs") for verdict in shown)
        counts["printed"] = len(shown)
        names = ("file", "paper", "title", "taken_over", "page", "error")
        code = exit_code(self.rows)
        of_rows = {**{name: counts[name] for name in COUNTS}, "open": len(self.attention), "exit_code": code}
        return {name: getattr(self, name) for name in names} | of_rows


def context_of(papers: Sequence[CheckedPaper], notes: Sequence[str], linked: bool = False) -> ReportContext:
    """What a report says of them beside their rows: a line a paper, first of all."""
    return ReportContext(
        title=f"{len(papers)} papers: are their numbers reproduced?",
        first_lines=tuple(_sentences(papers, notes)),
        story=(Story("Papers", (), _table(papers, linked)),),
    )


def _sentences(papers: Sequence[CheckedPaper], notes: Sequence[str]) -> Iterator[str]:
    kept, bad = sum(p.taken_over for p in papers), sum(bool(p.error) for p in papers)
    more = f", {bad} could not be checked" if bad else ""
    before = f", {kept} kept from an earlier run" if kept else ""
    yield f"{len(papers)} papers: {len(papers) - kept - bad} checked{before}{more}"
    if searched := sum(p.searched for p in papers):
        chance = sum(p.by_chance for p in papers)
        yield (
            f"Another reading explains {searched} claims; with one digit changed at random, about {chance:.2g}"
            " of as many pages would be explained by chance alone."
        )
    yield from notes
    yield from (f"{paper.paper}: {warning}" for paper in papers for warning in paper.warned)


def _table(papers: Sequence[CheckedPaper], linked: bool) -> Table:
    rows = []
    for paper in papers:
        known = "" if paper.error.startswith(paper.file) else f"{paper.file}: "
        n = paper.line["open"]
        mark = Cell(str(n), "!", "bad") if n else Cell("0", "=", "good")
        mark = Cell("", "o", "off") if paper.error else mark
        counts = ["" if paper.error else str(paper.line[name]) for name in COUNTS]
        name = Cell(paper.paper, link=paper.page if linked else "")
        rows.append(Row((name, mark, *counts), paper.error and known + " ".join(paper.error.split())))
    return Table(("paper", *(Column(_SHORT.get(name, name)) for name in ("open", *COUNTS))), tuple(rows))


def index_page(papers: Sequence[CheckedPaper], notes: Sequence[str], linked: bool) -> Page:
    """The lines alone."""
    context = context_of(papers, notes, linked)
    blocks: list[Block] = [
        Bullets((*context.first_lines, counts_sentence([a for p in papers for a in p.rows])))
    ]
    return Page(context.title, [*blocks, _table(papers, linked)])


def index_screen(papers: Sequence[CheckedPaper], notes: Sequence[str]) -> str:
    """What the command prints: the lines, and the first rows that need attention."""
    every = [a for paper in papers for a in paper.rows]
    open_ = [rows for paper in papers for rows in paper.attention]
    lines = [line(rows, every, LONGEST) for rows in open_[:MOST_NAMED]]
    if len(open_) > MOST_NAMED:
        lines.append(
            f"... and {len(open_) - MOST_NAMED:,} more: --full prints them, --out FOLDER writes them"
        )
    named = [Heading("What needs attention"), Bullets(tuple(lines))]
    page = index_page(papers, notes, False)
    width = WIDTH + min(max(len(paper.paper) for paper in papers), LONGEST) if papers else WIDTH
    shown = Page("", [*page.blocks, *(named if lines else ())])
    return render_text(shown, width=max(shutil.get_terminal_size((100, 24)).columns, width))


def index_csv(papers: Sequence[CheckedPaper]) -> str:
    """A line a paper."""
    rows = [[" ".join(str(value).split()) for value in paper.line.values()] for paper in papers]
    return csv_text(tuple(CheckedPaper("", "").line), rows)
