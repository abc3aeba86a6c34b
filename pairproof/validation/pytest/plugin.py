"""pytest plugin: claims files as tests, numbers compared with their records, and a count of what was not run.

It is loaded wherever pytest and pairproof are installed; nothing has to be imported or configured.

========================  ==========================================================================
what                      does
========================  ==========================================================================
``*.claims.toml``         collected: per claim, one test against the page and one against R
``recorded`` fixture      ``recorded(fit)``: every number as in `recorded/MODULE/TEST.json`; also dicts,
                          arrays, data frames
``agree``                 ``from pairproof.validation import agree``; ``agree(fit, reference)``
``--pairproof-update``    rewrite the records and show what changed
``--pairproof-r MODE``    live, recorded, both or none, as for the command's ``--r``
``--pairproof-data DIR``  folder of data that are read in place or lie outside the claims file's folder
``--require-r``           claims that R did not answer fail
========================  ==========================================================================

For a claims file, `table-4[printed]` compares native with the page and `table-4[R]` native with R.  A
machine without R runs the first and reports the second as not run.

A test passes if every row of its claim needs no attention: it agrees, is immaterial, is accepted or cannot be
checked.  Otherwise it fails with a table of the other rows.  Tests that did not run are counted as "not run"
on pytest's last line, with the reason; it is neither passed nor skipped.  With ``--require-r`` it fails.  A
claims file that is not understood is an error of collection, which names the line.

Nothing of pairproof, numpy or R is loaded before a test needs it.  No test depends on another or on their
order, so `pytest -n` is safe.

Examples
--------
A claims file is run like a module of tests.  Here one of two numbers is misprinted.

>>> import os, pathlib, subprocess, sys, tempfile
>>> claims = '''
... [paper]
... id = "drinks"
... title = "Three drinks"
... [data.drinks]
... kind = "counts"
... columns = ["first", "second", "wins", "losses"]
... rows = [["tea", "coffee", 12, 8], ["tea", "water", 15, 5], ["coffee", "water", 11, 9]]
... [[claim]]
... id = "table-1"
... data = "drinks"
... model = { family = "bradley-terry", ties = "none", reference = "water" }
... estimate = { tea = "0.91", coffee = "0.53" }
... '''
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "drinks.claims.toml").write_text(claims)
>>> run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pairproof-r", "none"]
>>> wide = {**os.environ, "COLUMNS": "200"}
>>> ran = subprocess.run([*run, "drinks.claims.toml"], cwd=folder, capture_output=True, text=True, env=wide)
>>> [line for line in ran.stdout.splitlines() if line.startswith("FAILED")][0].partition(";")[0]
'FAILED drinks.claims.toml::table-1[printed] - 1 of 2 printed numbers is reproduced'
>>> ran.stdout.splitlines()[-1].partition(" in ")[0]
'1 failed, 1 not run'
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from ...text import label, safe
from ..claims import SUFFIX
from . import CHANGED, NOT_RUN, USED

if TYPE_CHECKING:
    from ..claims.paper import Claim, Paper
    from ..verdicts.agreement import Agreement
    from .snapshots import Recorded


class ClaimFailed(Exception):
    """Failure of a claim; its text is the table of what does not agree."""


class ClaimsFile(pytest.File):
    """A `*.claims.toml`."""

    def collect(self) -> Iterator[ClaimItem]:
        from ..check.claims_file import read_claims
        from ..claims.data import data_from

        folder, limit = map(self.config.getoption, ("pairproof_data", "pairproof_data_limit"))
        paper = data_from(read_claims(str(self.path)), folder, None if limit is None else limit * 1024**2)
        for claim in paper.claims:
            for against in _sides(claim):
                of = {"paper": paper, "claim": claim, "against": against}
                yield ClaimItem.from_parent(self, name=f"{claim.id}[{against}]", **of)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return _plain(excinfo) or super().repr_failure(excinfo)


def _sides(claim: Claim) -> Iterator[str]:
    """What a claim is compared with: the page, and R where the claim has a model that R is asked for."""
    if claim.compute and "native" not in claim.engines:
        yield "R"
        return
    if claim.numbers or claim.statement:
        yield "printed"
    if claim.model is not None and claim.data and claim.r_packages is not None:
        yield "R"


class ClaimItem(pytest.Item):
    """One claim, against the page or against R; it needs no other item to have run."""

    def __init__(self, *, paper: Paper, claim: Claim, against: str, **options: Any) -> None:
        super().__init__(**options)
        self.paper = paper
        self.claim = claim
        self.against = against

    def runtest(self) -> None:
        from ...report.blocks import Page, Paragraph
        from ...report.output import render_text
        from ..report.context import ReportContext, opening
        from ..report.page import agreement_table
        from ..verdicts.agreement import exit_code

        rows = self._rows()
        missing = [a for a in rows if a.verdict == "not-run" and not a.accepted]
        if any(not a.passes and a.verdict != "not-run" for a in rows) or exit_code(rows) == 1:
            said = Paragraph(opening(rows, ReportContext())[0])
            page = Page("", [said, agreement_table([a for a in rows if not a.passes])])
            raise ClaimFailed(render_text(page).rstrip("\n"))
        if missing:
            self._not_run(dict.fromkeys(a.explanation for a in missing), any(a.r_call for a in missing))
        elif self.against == "R" and not any(a.r is not None for a in rows):
            asked = self.config.getoption("pairproof_r") != "none"
            self._not_run(["no R function has this model" if asked else "R was not asked"], True)

    def _rows(self) -> list[Agreement]:
        from ..check.checker import Checker
        from ..check.shipped import CertifiedValues
        from ..r_answers.answerers import counterparts
        from ..verify import backend_of

        if self.against == "printed":
            certified = CertifiedValues.of_paper(self.paper.id)
            return Checker(self.paper, certified=certified).claim(self.claim)
        claim = self.claim
        if claim.model is not None:
            of_r = replace(claim, numbers=(), statement="", test="", readings=())
            claim = replace(of_r, compare_only="native against R")
        backend = backend_of(self.config.getoption("pairproof_r"))
        return Checker(self.paper, counterparts=counterparts, backend=backend).claim(claim)

    def _not_run(self, why: Iterable[str], of_r: bool) -> None:
        """Report the test as not run, or as failed if R is required and did not run."""
        reasons = label("; ".join(why))
        if of_r and self.config.getoption("require_r"):
            raise ClaimFailed(f"--require-r: {reasons}")
        self.user_properties.append((NOT_RUN, reasons))
        pytest.skip(f"not run: {reasons}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return _plain(excinfo) or super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, max(self.claim.line - 1, 0), f"{self.paper.id}: {self.name}"


def _plain(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """The text of a failed claim or an input error, without a traceback; "" for other exceptions."""
    from ...errors import PairproofError

    known = isinstance(excinfo.value, (ClaimFailed, PairproofError))
    return safe(str(excinfo.value)) if known else ""


Hook = TypeVar("Hook", bound=Callable[..., Any])
#: The hook of a plugin that may be absent (xdist), and one that comes before the others of its name.
_optional: Callable[[Hook], Hook] = pytest.hookimpl(optionalhook=True)
_first: Callable[[Hook], Hook] = pytest.hookimpl(tryfirst=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pairproof", "preference models: comparison with papers, R and records")
    said = "rewrite the records of the `recorded` fixture and show what changed"
    group.addoption("--pairproof-update", action="store_true", help=said)
    modes = ("live", "recorded", "both", "none")
    said = (
        "how R is asked for claims: live, recorded, both or none; default: live if installed, else recorded"
    )
    group.addoption("--pairproof-r", choices=modes, default=None, metavar="MODE", help=said)
    said = "folder of data that claims files read in place; their other data files may also be here"
    group.addoption("--pairproof-data", default=None, metavar="DIR", help=said)
    said = "largest data file that a claims file may name; default: 256"
    group.addoption("--pairproof-data-limit", default=None, type=int, metavar="MB", help=said)
    group.addoption("--require-r", action="store_true", help="claims that R did not answer fail")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Bookkeeping(config), "pairproof-bookkeeping")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not file_path.name.endswith(SUFFIX):
        return None

    collected: pytest.Collector = ClaimsFile.from_parent(parent, path=file_path)
    return collected


def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """A claim that was not run is counted as "not run" on pytest's last line, never as skipped or passed."""
    if report.skipped and any(name == NOT_RUN for name, _ in getattr(report, "user_properties", ())):
        return "not run", "n", "NOT RUN"
    return None


@pytest.fixture()
def recorded(request: pytest.FixtureRequest) -> Recorded:
    """`recorded(value)`: fail unless the numbers of a fit, dict, array or data frame equal their record.

    `recorded(value, digits=6)` allows changes of one part in a million; `rules={"se": 4, "seconds": None}`
    sets the digits of some numbers and leaves out others.  pytest --pairproof-update writes the record.

    Returns
    -------
    Recorded
        :class:`pairproof.validation.pytest.snapshots.Recorded` explains the arguments, what is raised and
        what a digit is, with an example.
    """
    from .snapshots import Recorded

    return Recorded(request.node, bool(request.config.getoption("pairproof_update")))


class Bookkeeping:
    """Notes for the closing summary; under xdist each worker keeps its own and hands it over at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        #: Test module -> name of each of its tests -> node id.
        self.collected: dict[str, dict[str, str]] = defaultdict(dict)
        self.passed: set[str] = set()
        self.used: set[str] = set()
        self.changed: dict[str, str] = {}

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self.collected[str(item.path)][item.nodeid.partition("::")[2]] = item.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.add(report.nodeid)
        for name, value in report.user_properties:
            if name == USED:
                self.used.add(str(value))
            elif name == CHANGED:
                path, _, text = str(value).partition("\n")
                self.changed[path] = text

    @_first
    def pytest_sessionfinish(self) -> None:
        handed: dict[str, Any] | None = getattr(self.config, "workeroutput", None)
        if handed is not None:
            handed["pairproof"] = {module: dict(tests) for module, tests in self.collected.items()}

    @_optional
    def pytest_testnodedown(self, node: Any) -> None:
        for module, tests in getattr(node, "workeroutput", {}).get("pairproof", {}).items():
            self.collected[module].update(tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self._not_run(terminalreporter)
        if self.changed:
            terminalreporter.section("pairproof: records written", sep="-")
            for path, text in sorted(self.changed.items()):
                terminalreporter.line(f"{path}\n{text}")
        unused = self._unused()
        if unused:
            records = f"{len(unused)} unused record{'s' if len(unused) > 1 else ''}"
            terminalreporter.section(f"pairproof: {records}", sep="-")
            for path, why in unused:
                terminalreporter.line(f"{path}  ({why}; delete it if it is no longer needed)")

    def _not_run(self, terminalreporter: Any) -> None:
        reasons: dict[str, list[str]] = defaultdict(list)
        for report in terminalreporter.stats.get("not run", []):
            reasons[dict(report.user_properties)[NOT_RUN]].append(report.nodeid)
        if reasons:
            terminalreporter.section(f"pairproof: {sum(map(len, reasons.values()))} not run", sep="-")
        for reason, tests in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
            named = tests[0] if len(tests) == 1 else f"{tests[0]} and {len(tests) - 1} more"
            terminalreporter.line(f"{len(tests):>5}  {reason}  ({named})")

    def _unused(self) -> list[tuple[str, str]]:
        """Records of collected modules whose test is gone, or passed without asking for them.

        Nothing is said of a module that was collected in part (`test_x.py::test_a`), nor of tests that did
        not run.
        """
        if any("::" in str(argument) for argument in self.config.args):
            return []
        found = []
        for module, tests in self.collected.items():
            for path in sorted((Path(module).parent / "recorded" / Path(module).stem).glob("*.json")):
                if str(path) in self.used:
                    continue
                from .snapshots import read

                record = read(path)
                assert record is not None
                if record.test not in tests:
                    found.append((str(path), f"test {record.test!r} no longer exists"))
                elif tests[record.test] in self.passed:
                    found.append((str(path), f"{record.test} passed without it"))
        return found
