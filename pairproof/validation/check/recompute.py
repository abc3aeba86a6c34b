"""`run`: papers recomputed claim by claim and compared with R and with 50-digit values, with the story each
report tells.

What a paper's report says in words is the module `story` of its folder, a `PaperStory`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import InputError
from ..report.verification import Verification
from ..verdicts.verdict import IMMATERIAL
from .shipped import PACKAGE, shipped

if TYPE_CHECKING:
    from ...bridge.process.policy import Backend, BackendLike
    from ...data.comparisons import Comparisons
    from ..claims.paper import Paper
    from ..report.context import ReportContext, Story
    from ..slips.search import Found
    from ..verdicts.agreement import Agreement
    from .checker import Checker


class PaperStory(Protocol):
    """The functions of a story module. Each is given the paper's `Checker`, whose fits are made once."""

    def further(self, checker: Checker, backend: Backend) -> list[Agreement]:
        """Agreements that a claims file cannot express, such as a test beside a model, compared with R."""

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
    explain: bool = True,
    immaterial: float = IMMATERIAL,
) -> Verification:
    """Check papers that come with pairproof, or claims files.

    Parameters
    ----------
    names : str or sequence of str
        Ids of shipped papers, or paths of claims files.
    r : {"live", "recorded", "both", "none"} or Backend, optional
        Default: live if R and the package are installed, otherwise from records; each row says which.
    require_r : bool
        Whether `exit_code` is 2 if R did not answer everything.
    data : path, optional
        Folder of data that are read in place and never distributed; other data files of a claims file
        may also be here.  Default: the environment variable PAIRPROOF_DATA.  Claims on data that are not
        available are reported as not run.
    progress : function of str
        Called with the next claim: "dras-2015: table-1".
    workers : int
        Processes for whole experiments (Hopkins and May's); the numbers are the same.  A script that uses
        more than one must run under ``if __name__ == "__main__":``.
    data_limit : int, optional
        Bytes of the largest data file that a claims file may name; default
        :data:`pairproof.files.inputs.MOST_CLAIM_BYTES`.
    explain : bool
        Whether to search for other readings of a page if its numbers are not reproduced and no person has
        accepted the explanation.
    immaterial : float
        Fraction of its standard error by which a number may differ beyond its printed decimals, if no
        conclusion changes.

    Returns
    -------
    Verification
        The agreements; `context` holds the text and figures of a report.  After an interruption, those
        made before it.

    Raises
    ------
    InputError
        No such paper or file, or an invalid claims file (the message names the line).  If several are
        given, invalid ones are reported as not run, with the reason, and `exit_code` is 3.

    Examples
    --------
    >>> from pairproof.validation import run
    >>> rows = run("firth-2005", r="none")
    >>> {a.verdict for a in rows}, rows.exit_code
    ({'agrees'}, 0)
    """
    from ..papers.hopkins_may_2013.statements_experiment import processes
    from ..verify import backend_of

    if not 0.0 <= immaterial < 1.0:
        raise InputError(f"immaterial={immaterial!r}; expected a fraction of a standard error, 0 to below 1")
    chosen = backend_of(r)
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        raise InputError("no paper given; name one that comes with pairproof, or a claims file")
    papers, bad = _read(wanted, data, data_limit)
    done: list[Checked] = []
    with processes(workers):
        try:
            for paper in papers:
                done.append(Checked(paper, chosen, immaterial))
                done[-1].run(progress, explain)
            progress("text and figures of the report")
        except KeyboardInterrupt:  # what was checked is kept, and says that it is not everything
            pass
        context = _context(done, chosen, wanted, r)
    rows = (*(a for one in done for a in one.rows), *bad)
    whole = len(done) == len(papers) and all(one.whole for one in done)
    if not whole:
        complete = sum(one.whole for one in done)
        said = f"Interrupted: {complete} of {len(papers)} papers were checked completely."
        context = replace(context, first_lines=(said, *context.first_lines))
    found = {one.paper.id: one.found for one in done}
    return Verification(rows, context, require_r, found, interrupted=not whole)


def _read(
    wanted: Sequence[str], data: str | os.PathLike[str] | None, data_limit: int | None
) -> tuple[list[Paper], list[Agreement]]:
    """The papers, and a row for each file among them that is not understood."""
    from ..claims.data import data_from
    from ..claims.quantities import Quantity
    from ..verdicts.agreement import Agreement
    from .claims_file import read_paper

    papers: dict[str, Paper] = {}
    bad: dict[str, InputError] = {}
    for name in wanted:
        try:
            paper = data_from(read_paper(name, lenient=True), data, data_limit)
        except InputError as error:
            bad[name] = error
            continue
        if paper.id in papers:
            raise InputError(
                f"{papers[paper.id].source} and {paper.source} both have the id {paper.id!r}; reports identify papers"
                " by it: give the file only once, or change one id"
            )
        papers[paper.id] = paper
    if not papers:
        raise next(iter(bad.values())) if len(bad) == 1 else InputError("; ".join(map(str, bad.values())))
    what = Quantity("claims file")
    return list(papers.values()), [
        Agreement(name, "", what, explanation=f"not understood: {error}", code="bad-claim")
        for name, error in bad.items()
    ]


class Checked:
    """One paper's check: its rows, as far as it came.  tables: its data, where they are at hand."""

    def __init__(
        self, paper: Paper, backend: Backend, part: float, tables: Mapping[str, Comparisons] | None = None
    ) -> None:
        from ..r_answers.answerers import counterparts
        from .checker import Checker
        from .shipped import CertifiedValues

        certified = CertifiedValues.of_paper(paper.id)
        self.paper, self._backend = paper, backend
        beside: Any = {"counterparts": counterparts, "backend": backend, "certified": certified}
        self.checker = Checker(paper, part=part, tables=tables, **beside)
        self.rows: list[Agreement] = []
        self.found: tuple[Found, ...] = ()
        self.whole = False

    def run(self, progress: Callable[[str], None], explain: bool) -> None:
        """Judge every claim once, seek other readings of what is not reproduced, then do the arithmetic."""
        from ..verdicts.arithmetic_rows import arithmetic_rows
        from .explain import seek

        paper, checker = self.paper, self.checker
        checker.all(lambda claim: progress(f"{paper.id}: {claim}"), self.rows)
        if explain:
            told = seek(checker, self.rows, progress=progress)
            self.rows, self.found = list(told.agreements), told.found
        self.rows += arithmetic_rows(paper, checker.data, self.rows)
        module = story_of(paper.id)
        self.rows += module.further(checker, self._backend) if module else []
        self.whole = True


def _context(
    checked: Sequence[Checked], backend: Backend, wanted: Sequence[str], r: BackendLike | str
) -> ReportContext:
    from ..report.context import ReportContext, absences, further_packages, versions

    stories: list[Story] = []
    for one in checked:
        module = story_of(one.paper.id)
        if module is not None and one.whole:
            stories += module.story(one.checker, one.rows)
    papers = [one.paper for one in checked]
    further = further_packages(a.r_call for one in checked for a in one.rows)
    option = f" --r {r}" if isinstance(r, str) else ""
    return ReportContext(
        title=f"{', '.join(p.id for p in papers)}: are the numbers reproduced, and does R agree?",
        subtitle="; ".join(p.title for p in papers),
        command=f"pairproof validate {' '.join(wanted)}{option}",
        made=made(),
        versions=versions(backend, further),
        absent=absences(backend, further),
        story=tuple(stories),
    )


def made() -> str:
    """When: date and time in UTC; those of SOURCE_DATE_EPOCH where it is set, for reports made twice alike."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(int(given) if given.isdigit() else None))
