"""What came of a migration: a row for each call site of the R script, and the verdict on all of it.

The JSON of a migration: the run, a row a call site, and every number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...bridge.capture.recorded import Captured
from ..verdicts.agreement import Agreement, summary
from .lines import lines
from .sites import DIFFERENT, LeftOut, Site, counts, fewest, sites_of
from .translate.translation import Step


def document(
    captured: Captured, steps: Sequence[Step], sites: Sequence[Site], left_out: Sequence[LeftOut]
) -> dict[str, Any]:
    """`{"script", "r_version", ..., "calls": [...], "left_out": [...], "summary", "agreements"}`.

    Returns dict: plain values; a number that is not finite is None.
    """
    rows = [row for step in steps for row in step.rows]
    return {
        "script": captured.text.name,
        "kind": captured.text.kind,
        "lines": len(captured.text.lines),
        "r_version": captured.r_version,
        "platform": captured.platform,
        "packages": dict(captured.packages),
        "r_seconds": round(captured.seconds, 3),
        "ending": captured.ending,
        "message": captured.message,
        "exit_code": captured.exit_code,
        "sandboxed": captured.sandboxed,
        "lost": captured.lost,
        "why_lost": captured.why_lost,
        "changed": [{"variable": name, "line": place.line} for name, place in captured.changed],
        "calls": [of_site(site) for site in sites],
        "left_out": [of_left_out(left) for left in left_out],
        "summary": summary(rows),
        "agreements": [
            {**row.to_dict(), "call": step.call.id, "line": step.call.place.line}
            for step in steps
            for row in step.rows
        ],
    }


def of_site(site: Site) -> dict[str, Any]:
    """A call of the script."""
    step, least = site.first, fewest(site.rows)
    return {
        "line": site.place.line or None,
        "last_line": site.place.last or None,
        "sure": site.place.sure,
        "file": site.place.file or None,
        "function": site.function,
        "r_call": step.call.text,
        "variable": step.call.variable or None,
        "evaluated": len(site.steps),
        "ids": [s.call.id for s in site.steps],
        "state": step.state,
        "states": site.states,
        "python": step.translation.shown or None,
        "reason": step.call.error or step.refused or step.translation.reason or None,
        "notes": list(step.translation.notes),
        "not_compared": list(dict.fromkeys(n for s in site.steps for n in s.not_compared)),
        "r_warnings": [message for message, _ in step.call.warnings],
        "python_warnings": list(step.said),
        **counts(site.rows),
        "fewest_digits": None if least is None or least.digits is None else _finite(least.digits),
        "fewest_in": None if least is None else str(least.quantity),
    }


def of_left_out(left: LeftOut) -> dict[str, Any]:
    """A call that no part of the migration is about."""
    m = left.mentioned
    return {"line": m.place.line or None, "function": m.function, "r_call": m.text, "reason": left.reason}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


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
        recorded, none of a call's evaluations was, the script changed a fit after it was made, or Python refused one;
        else 0.
        """
        if any(a.verdict in DIFFERENT and not a.accepted for a in self.agreements):
            return 1
        stopped = self.captured.ending in ("error", "time", "killed")
        refused = any(step.state == "refused" for step in self.steps)
        not_run = any(a.verdict == "not-run" and not a.accepted for a in self.agreements)
        unknown = any(s.first.state == "counted" and not s.first.by_package for s in self.sites)
        left = refused or not_run or unknown
        return 2 if stopped or self.captured.lost or self.captured.changed or left else 0

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
