"""Claims files as tests: each claim is one test against the page, and one against R.

`table-4[printed]` holds native against what is printed, `table-4[R]` native against R; so a machine without R
runs the first and says of the second that it was not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...text import label, safe

if TYPE_CHECKING:
    from ..check import Checker
    from ..claims.paper import Claim, Paper
    from ..verdicts.agreement import Agreement

#: What marks a report as "not run" in its user properties.
NOT_RUN = "pairproof-not-run"


class ClaimFailed(Exception):
    """A claim does not hold; its text is the table."""


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
            if claim.compute and "native" not in claim.engines:
                yield ClaimItem.from_parent(
                    self, name=f"{claim.id}[R]", paper=paper, claim=claim, against="R"
                )
                continue
            if claim.numbers or claim.statement:
                yield ClaimItem.from_parent(
                    self, name=f"{claim.id}[printed]", paper=paper, claim=claim, against="printed"
                )
            if claim.model is not None and claim.data and claim.r_packages is not None:
                yield ClaimItem.from_parent(
                    self, name=f"{claim.id}[R]", paper=paper, claim=claim, against="R"
                )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from ...errors import PairproofError

        if isinstance(excinfo.value, PairproofError):
            return safe(str(excinfo.value))
        return super().repr_failure(excinfo)


class ClaimItem(pytest.Item):
    """One claim, against the page or against R; it needs no other item to have run."""

    def __init__(self, *, paper: Paper, claim: Claim, against: str, **options: Any) -> None:
        super().__init__(**options)
        self.paper = paper
        self.claim = claim
        self.against = against

    def runtest(self) -> None:
        from ..verdicts.agreement import exit_code

        rows = self._printed() if self.against == "printed" else self._r()
        missing = [a for a in rows if a.verdict == "not-run" and not a.accepted]
        if any(not a.passes and a.verdict != "not-run" for a in rows) or exit_code(rows) == 1:
            raise ClaimFailed(_text(rows))
        if missing:
            self._not_run(dict.fromkeys(a.explanation for a in missing), any(a.r_call for a in missing))
        elif self.against == "R" and not any(a.r is not None for a in rows):
            self._not_run(
                [
                    (
                        "R was not asked"
                        if self.config.getoption("pairproof_r") == "none"
                        else "no R function has this model"
                    )
                ],
                True,
            )

    def _printed(self) -> list[Agreement]:
        return self._checker(None).claim(self.claim)

    def _r(self) -> list[Agreement]:
        claim = self.claim
        if claim.model is not None:
            claim = replace(
                claim, numbers=(), statement="", test="", compare_only="native against R", readings=()
            )
        mode = self.config.getoption("pairproof_r")
        return self._checker(mode).claim(claim)

    def _checker(self, mode: str | None) -> Checker:
        from ..check import Checker
        from ..r_answers import counterparts
        from ..verdicts.certified import CertifiedValues
        from ..verify import backend_of

        if self.against == "printed":
            return Checker(self.paper, certified=CertifiedValues.of_paper(self.paper.id))
        return Checker(self.paper, counterparts=counterparts, backend=backend_of(mode))

    def _not_run(self, why: Iterable[str], of_r: bool) -> None:
        """Not run, with its reasons; a failure where it is R's and R is required."""
        reasons = label("; ".join(why))
        if of_r and self.config.getoption("require_r"):
            raise ClaimFailed(f"--require-r: {reasons}")
        self.user_properties.append((NOT_RUN, reasons))
        pytest.skip(f"not run: {reasons}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from ...errors import PairproofError

        if isinstance(excinfo.value, (ClaimFailed, PairproofError)):
            return safe(str(excinfo.value))
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, max(self.claim.line - 1, 0), f"{self.paper.id}: {self.name}"


def _text(rows: Sequence[Agreement]) -> str:
    from ..report import ReportContext, render_text

    return str(render_text([a for a in rows if not a.passes], ReportContext())).rstrip("\n")
