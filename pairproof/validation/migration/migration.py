"""What came of a migration: a row for each call site of the R script, and the verdict on all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ...bridge.capture.recorded import Captured
from ..verdicts.agreement import Agreement
from .document import document
from .lines import lines
from .sites import DIFFERENT, LeftOut, Site, counts, sites_of
from .translate.translation import Step


@dataclass(frozen=True, eq=False)
class Migration:
    """A migrated R script: what R did, what Python does, and each number of both.

    captured: the run of the script.  steps: a recorded call each, in the order in which they ended in R.
    left_out: calls of fitting functions outside this field, which stand in the script's text.  written:
    files, relative to the current folder or as given; () with `check`.  ran_seconds: how long the Python
    script took by itself; None if it was not written, or needs R.  seconds: all in all.
    """

    captured: Captured
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...] = ()
    written: tuple[str, ...] = field(default=())
    ran_seconds: float | None = None
    seconds: float = 0.0

    @property
    def sites(self) -> tuple[Site, ...]:
        """The call sites, in the order of the script."""
        return sites_of(self.steps)

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """All rows."""
        return tuple(row for step in self.steps for row in step.rows)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a number differs without explanation; else 2 if R did not come to the script's end, a call could not be
        recorded, the script changed a fit after it was made, or Python refused one; else 0.
        """
        if any(a.verdict in DIFFERENT and not a.accepted for a in self.agreements):
            return 1
        stopped = self.captured.ending in ("error", "time", "killed")
        refused = any(step.state == "refused" for step in self.steps)
        not_run = any(a.verdict == "not-run" and not a.accepted for a in self.agreements)
        return 2 if stopped or self.captured.lost or self.captured.changed or refused or not_run else 0

    def __repr__(self) -> str:
        n = counts(self.agreements)
        return (
            f"<Migration of {self.captured.text.name}: {len(self.sites)} calls in its text, {n['numbers']:,} numbers,"
            f" {n['agree']:,} agree, {n['differ']:,} differ>"
        )

    def __str__(self) -> str:
        return "\n".join(lines(self.captured, self.sites, self.left_out, self.written))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of `pairproof migrate --json`."""
        found = document(self.captured, self.steps, self.sites, self.left_out)
        return {
            **found,
            "seconds": round(self.seconds, 3),
            "python_seconds": self.ran_seconds,
            "written": list(self.written),
        }
