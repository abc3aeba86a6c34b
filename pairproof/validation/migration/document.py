"""The JSON of a migration: the run, a row a call site, and every number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...bridge.capture.recorded import Captured
from ..verdicts.agreement import summary
from .sites import LeftOut, Site, counts, fewest
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
