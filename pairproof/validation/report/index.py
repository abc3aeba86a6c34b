"""Many papers as one: a line a paper with its counts, what needs attention, and what chance alone would explain.

It has the forms of every report, and CSV.  A paper that could not be checked is a line with its error, and its row
among the agreements did not run.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import Any

from ...files.outputs import csv_text
from ...report.blocks import Block, Bullets, Cell, Column, Heading, Page, Row, Table
from ...report.output import Output, render_text
from ..verdicts.agreement import AGREEING, Agreement, exit_code, to_document
from . import notation as numbers
from .context import ReportContext, counts_sentence
from .notation import groups
from .page import group_blocks
from .rendering import render_json, render_junit

#: Counts of a line, in the order of its columns; they add up to the first.
COUNTS = ("printed", "agree", "other_definition", "explained", "immaterial", "differs", "not_checkable", "not_run")
_SHORT = {"other_definition": "other def.", "not_checkable": "no check", "not_run": "not run"}
_COUNTED = {
    **dict.fromkeys(AGREEING, "agree"),
    "agrees-other-definition": "other_definition",
    "explained": "explained",
    "immaterial": "immaterial",
    "not-checkable": "not_checkable",
    "not-run": "not_run",
}
#: Rows that a screen names, and characters of an explanation; columns that its table needs beside names.
MOST_NAMED, LONGEST, WIDTH = 20, 200, 90


@dataclass(frozen=True)
class CheckedPaper:
    """A claims file that was checked, or the `error` by which it could not be.

    by_chance, searched: how many of the claims that another reading explains would be so by chance, and how many
    there are.  taken_over: its numbers are those of an earlier run.  page: name of its page beside the index.
    """

    file: str
    paper: str
    title: str = ""
    rows: tuple[Agreement, ...] = ()
    error: str = ""
    by_chance: float = 0.0
    searched: int = 0
    versions: Mapping[str, str | None] = field(default_factory=dict)
    warned: Sequence[str] = ()
    taken_over: bool = False
    page: str = ""

    @classmethod
    def refused(cls, file: str, paper: str, error: str) -> CheckedPaper:
        """One that could not be checked."""
        row = Agreement(paper, "", "file", explanation=error, code="not-read")  # type: ignore[arg-type]
        return cls(file, paper, rows=(row,), error=error)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many printed numbers and statements there are, and of these with each verdict."""
        found = dict.fromkeys(COUNTS, 0)
        for a in self.rows:
            if a.printed is not None and a.about in ("printed", "statement"):
                found["printed"] += 1
                found[_COUNTED.get(a.verdict, "differs")] += 1
        return found

    @property
    def open(self) -> int:
        """How many rows need attention; what did not run is counted apart."""
        return len(self.attention)

    @cached_property
    def attention(self) -> tuple[Agreement, ...]:
        """Those rows: of printed numbers, of these among each other, and of native beside R."""
        return tuple(a for a in self.rows if not a.passes and a.verdict != "not-run")

    def to_dict(self) -> dict[str, Any]:
        """Its line as JSON."""
        names = ("file", "paper", "title", "taken_over", "page", "error")
        code = 3 if self.error else exit_code(self.rows)
        return {name: getattr(self, name) for name in names} | self.counts | {"open": self.open, "exit_code": code}


#: Columns of the index as CSV.
CSV_COLUMNS = tuple(CheckedPaper("", "").to_dict())


@dataclass(frozen=True)
class Index:
    """Papers in the order in which they were named; `left`: how many an interruption left undone."""

    papers: tuple[CheckedPaper, ...]
    notes: tuple[str, ...] = ()
    left: int = 0
    require_r: bool = False

    @property
    def rows(self) -> list[Agreement]:
        return [a for paper in self.papers for a in paper.rows]

    @property
    def exit_code(self) -> int:
        """The worst among them: 1 if a verdict needs attention, else 2 if something did not run, a file that cannot
        be read among it; 3 if none could be read.
        """
        if self.papers and all(paper.error for paper in self.papers):
            return 3
        return exit_code(self.rows, self.require_r)

    def sentences(self) -> Iterator[str]:
        """What is said of them all."""
        done, kept = len(self.papers), sum(p.taken_over for p in self.papers)
        bad = sum(bool(p.error) for p in self.papers)
        known = f"{kept} taken over, {done - kept - bad} checked" + (f", {bad} could not be checked" if bad else "")
        yield f"{done} paper{'' if done == 1 else 's'}: {known}" + (f"; {self.left} left undone" if self.left else "")
        yield counts_sentence(self.rows)
        searched, chance = sum(p.searched for p in self.papers), sum(p.by_chance for p in self.papers)
        if searched:
            yield (
                f"Chance alone would explain about {chance:.2g} of the {searched} claims that another reading explains:"
                " so many prints with one digit changed at random would have such a reading too."
            )
        yield from self.notes
        yield from (f"{paper.paper}: {warning}" for paper in self.papers for warning in paper.warned)

    def blocks(self, linked: bool = False) -> Iterator[Block]:
        """The sentences, and a line a paper."""
        yield Bullets(tuple(self.sentences()), lead=True)
        header = (Column("paper", "left"), *(Column(_SHORT.get(name, name)) for name in (*COUNTS, "open")))
        yield Table(header, tuple(self._line(paper, linked) for paper in self.papers))

    def _line(self, paper: CheckedPaper, linked: bool) -> Row:
        said = Cell(str(paper.open), "!", "bad") if paper.open else Cell("0", "=", "good")
        counts = ["" if paper.error else str(n) for n in paper.counts.values()]
        said = Cell("", "o", "off") if paper.error else said
        name = Cell(paper.paper, link=paper.page if linked else "")
        known = "" if paper.error.startswith(paper.file) else f"{paper.file}: "
        return Row((name, *counts, said), paper.error and known + " ".join(paper.error.split()))

    def page(self, linked: bool = False) -> Page:
        """The index; unless its lines lead to pages, every number below it."""
        context = ReportContext()
        each = () if linked else [b for group in groups(self.rows, context) for b in group_blocks(group)]
        title = f"{len(self.papers)} papers: do their numbers come out?"
        return Page(title, [*self.blocks(linked), *each], "" if linked else "Every heading names the paper first.")

    def screen(self, full: bool) -> str:
        """What the command prints: a line a paper, and the first that need attention; with `full` every number."""
        longest = max((len(paper.paper) for paper in self.papers), default=0)
        width = max(shutil.get_terminal_size((100, 24)).columns, WIDTH + min(longest, LONGEST))
        if full:
            return render_text(self.page(), width=width)
        open_ = [a for paper in self.papers for a in paper.attention]
        lines = [
            f"{numbers.SIGNS[a.verdict]} {a.paper}: {a.claim} {a.quantity}: {shorten(a.explanation, LONGEST)}"
            for a in open_[:MOST_NAMED]
        ]
        if len(open_) > MOST_NAMED:
            lines.append(f"... and {len(open_) - MOST_NAMED:,} more: --full prints them, --out FOLDER writes them")
        attention = [Heading("What needs attention"), Bullets(tuple(lines))] if lines else []
        return render_text(Page("", [*self.blocks(), *attention]), width=width)

    def csv(self) -> str:
        """A line a paper."""
        return csv_text(CSV_COLUMNS, [[_cell(v) for v in p.to_dict().values()] for p in self.papers])

    def document(self) -> dict[str, Any]:
        """The JSON of agreements, with a line a paper."""
        return to_document(self.rows) | {"papers": [p.to_dict() for p in self.papers], "left": self.left}

    def output(self, full: bool) -> Output:
        """In every form."""
        rows, context = self.rows, ReportContext(title=self.page(linked=True).title)
        return Output(
            page=self.page,
            json=lambda: render_json(rows),
            junit=lambda: render_junit(rows, context),
            terminal=lambda: self.screen(full),
        )


def _cell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
