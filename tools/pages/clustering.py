"""The papers' conclusions under clustering, as the reports of `pairproof validate` have them.

Dras's and Vilar's are made from the tables that ship.  Hopkins and May's need the rankings of WMT, so their
numbers stand in the page by hand, and a test holds them against the rankings where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pairproof.report.blocks import Column, Table
from pairproof.report.output import escape, table
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.recompute import story_of
from pairproof.validation.verdicts.agreement import Agreement

#: Claims of this kind have it in their `where`.
WHERE = "under clustering"
#: Title of the section of each paper's report.
SECTIONS = {
    "dras-2015": "The four judges as clusters: what survives",
    "vilar-2007": "Judges as units: what survives",
}


def _checker(paper: str) -> Checker:
    return Checker(read_paper(paper))


def verdict(a: Agreement) -> str:
    """In words: what becomes of a conclusion."""
    if a.verdict == "agrees":
        return "survives"
    return {"independent-answers": "does not survive as a whole"}.get(a.code, "cannot be tried")


def statements(paper: str) -> str:
    """The statements of a paper that were tested under clustering, with verdicts."""
    checker = _checker(paper)
    rows = [
        checker.claim(claim)[-1]
        for claim in checker.paper.claims
        if WHERE in claim.where and "prefmod's order" not in claim.where
    ]
    heads = tuple(Column(title, "left") for title in ("where", "statement", "under clustering"))
    cells = tuple((a.where.partition(f", {WHERE}")[0], a.printed or "", verdict(a)) for a in rows)
    return table(Table(heads, cells)) + "\n"


def section(paper: str) -> str:
    """The words and the table of a paper's report."""
    checker, story = _checker(paper), story_of(paper)
    assert story is not None, paper
    (found,) = [s for s in story.story(checker, ()) if s.title == SECTIONS[paper]]
    assert found.table is not None
    return "\n\n".join([*map(escape, found.paragraphs), table(found.table)]) + "\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    f"{what}-under-clustering-{paper}": partial(make, paper)
    for paper in SECTIONS
    for what, make in (("statements", statements), ("section", section))
}
