"""`run`: papers recomputed claim by claim and compared with R and with 50-digit values, with the story each
report tells.

What a paper's report says in words is the module `story` of its folder, a `PaperStory`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ...errors import InputError
from ..report.verification import Verification
from .shipped import PACKAGE, shipped

if TYPE_CHECKING:
    from ...bridge.process.policy import Backend, BackendLike
    from ..claims.paper import Paper
    from ..report.context import ReportContext, Story
    from ..verdicts.agreement import Agreement
    from .checker import Checker


class PaperStory(Protocol):
    """The functions of a story module. Each is given the paper's `Checker`, whose fits are made once."""

    def further(self, checker: Checker, backend: Backend) -> list[Agreement]:
        """Agreements that a claims file cannot express, such as a test beside a model, held against R."""

    def story(self, checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
        """Sections of the report; every number in them is computed."""


def story_of(paper: str) -> PaperStory | None:
    """The story in the folder that holds this paper's claims; None if there is none."""
    claims = shipped().get(paper)
    if claims is None or not claims.with_name("story.py").is_file():
        return None
    module: PaperStory = import_module(f".{claims.parent.name}.story", PACKAGE)
    return module


def run(
    names: str | Sequence[str],
    r: BackendLike | str = None,
    require_r: bool = False,
    data: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] = lambda what: None,
    workers: int = 1,
    data_limit: int | None = None,
) -> Verification:
    """Check papers that come with pairproof, or claims files.

    Parameters
    ----------
    names : str or sequence of str
        Ids of shipped papers, or paths of claims files.
    r : {"live", "recorded", "both", "none"} or Backend, optional
        Default: live where R and the package are, else from records; each row says which.
    require_r : bool
        What R did not answer makes `exit_code` 2.
    data : path, optional
        Folder of data that are read in place and never shipped, and in which other data files of a claims
        file may lie too; default: that of the environment variable PAIRPROOF_DATA.  Claims on data that are
        not there are not run, and say so.
    progress : function of str
        Told what is checked next: "dras-2015: table-1".
    workers : int
        Processes for whole experiments (Hopkins and May's); the numbers are the same.  A script that asks for
        more than one must stand under ``if __name__ == "__main__":``.
    data_limit : int, optional
        Bytes of the largest data file that a claims file may name; default
        :data:`pairproof.files.inputs.MOST_CLAIM_BYTES`.

    Returns
    -------
    Verification
        The agreements; their `context` holds the text and figures that a report shows around them.

    Raises
    ------
    InputError
        No such paper or file; a claims file that is not understood (the message names the line).

    Examples
    --------
    >>> from pairproof.validation import run
    >>> rows = run("firth-2005", r="none")
    >>> {a.verdict for a in rows}, rows.exit_code
    ({'agrees'}, 0)
    """
    from ..claims.data import data_from
    from ..papers.hopkins_may_2013.statements_experiment import processes
    from ..verify import backend_of
    from .claims_file import read_paper

    chosen = backend_of(r)
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        raise InputError("no paper is named; name one that comes with pairproof, or a claims file")
    papers = [data_from(read_paper(name), data, data_limit) for name in wanted]
    with processes(workers):
        checked = [_checked(paper, chosen, progress) for paper in papers]
        progress("what stands around the numbers")
        context = _context(papers, checked, chosen, wanted, r)
    return Verification(tuple(a for _, rows in checked for a in rows), context, require_r)


def _checked(
    paper: Paper, backend: Backend, progress: Callable[[str], None]
) -> tuple[Checker, list[Agreement]]:
    from ..r_answers.answerers import counterparts
    from ..verdicts.arithmetic_rows import arithmetic_rows
    from .checker import Checker
    from .shipped import CertifiedValues

    checker = Checker(
        paper, counterparts=counterparts, backend=backend, certified=CertifiedValues.of_paper(paper.id)
    )
    rows = checker.all(lambda claim: progress(f"{paper.id}: {claim}")) + arithmetic_rows(paper, checker.data)
    module = story_of(paper.id)
    return checker, rows + (module.further(checker, backend) if module else [])


def _context(
    papers: Sequence[Paper],
    checked: Sequence[tuple[Checker, list[Agreement]]],
    backend: Backend,
    wanted: Sequence[str],
    r: BackendLike | str,
) -> ReportContext:
    from ..report.context import ReportContext, absences, further_packages, versions

    stories: list[Story] = []
    for paper, (checker, rows) in zip(papers, checked):
        module = story_of(paper.id)
        if module is not None:
            stories += module.story(checker, rows)
    further = further_packages(a.r_call for _, rows in checked for a in rows)
    option = f" --r {r}" if isinstance(r, str) else ""
    return ReportContext(
        title=f"{', '.join(p.id for p in papers)}: do the numbers come out, and does R agree?",
        subtitle="; ".join(p.title for p in papers),
        command=f"pairproof validate {' '.join(wanted)}{option}",
        made=made(),
        versions=versions(backend, further),
        absent=absences(backend, further),
        story=tuple(stories),
        worths=tuple(series for section in stories for series in section.worths),
    )


def made() -> str:
    """When: date and time in UTC; those of SOURCE_DATE_EPOCH where it is set, for reports made twice alike."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(int(given) if given.isdigit() else None))
