"""Claims files as tests: each claim is one test against the page, and one against R.

`table-4[printed]` compares native with what is printed, `table-4[R]` native with R; so a machine without R
runs the first and says of the second that it was not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...text import label, safe
from . import NOT_RUN

if TYPE_CHECKING:
    from ..claims.paper import Claim, Paper
    from ..verdicts.agreement import Agreement


class ClaimFailed(Exception):
    """Failure of a claim; its text is the table of what does not agree."""


class ClaimsFile(pytest.File):
    """A `*.claims.toml`."""

    def collect(self) -> Iterator[ClaimItem]:
        from ..claims.data import data_from
        from ..claims.reader import read_claims

        limit = self.config.getoption("pairproof_data_limit")
        paper = data_from(
            read_claims(str(self.path)),
            self.config.getoption("pairproof_data"),
            None if limit is None else limit * 1024**2,
        )
        for claim in paper.claims:
            for against in _sides(claim):
                yield ClaimItem.from_parent(
                    self, name=f"{claim.id}[{against}]", paper=paper, claim=claim, against=against
                )

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
        from ..report import ReportContext, render_text
        from ..verdicts.agreement import exit_code

        rows = self._rows()
        missing = [a for a in rows if a.verdict == "not-run" and not a.accepted]
        if any(not a.passes and a.verdict != "not-run" for a in rows) or exit_code(rows) == 1:
            failed = [a for a in rows if not a.passes]
            raise ClaimFailed(str(render_text(failed, ReportContext())).rstrip("\n"))
        if missing:
            self._not_run(dict.fromkeys(a.explanation for a in missing), any(a.r_call for a in missing))
        elif self.against == "R" and not any(a.r is not None for a in rows):
            asked = self.config.getoption("pairproof_r") != "none"
            self._not_run(["no R function has this model" if asked else "R was not asked"], True)

    def _rows(self) -> list[Agreement]:
        from ..check import Checker
        from ..r_answers import counterparts
        from ..verdicts.certified import CertifiedValues
        from ..verify import backend_of

        if self.against == "printed":
            certified = CertifiedValues.of_paper(self.paper.id)
            return Checker(self.paper, certified=certified).claim(self.claim)
        claim = self.claim
        if claim.model is not None:
            claim = replace(
                claim, numbers=(), statement="", test="", compare_only="native against R", readings=()
            )
        backend = backend_of(self.config.getoption("pairproof_r"))
        return Checker(self.paper, counterparts=counterparts, backend=backend).claim(claim)

    def _not_run(self, why: Iterable[str], of_r: bool) -> None:
        """Not run, with its reasons; a failure where it is R's and R is required."""
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
    """A failed claim, or an error of the input, without a traceback; "" for another exception."""
    from ...errors import PairproofError

    known = isinstance(excinfo.value, (ClaimFailed, PairproofError))
    return safe(str(excinfo.value)) if known else ""
