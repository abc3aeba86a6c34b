"""A migration as JUnit XML: a testsuite a call of the script, a testcase a number, and one for a call without
any.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...claims.quantities import Quantity
from ...report.context import ReportContext
from ...report.junit import render_junit
from ...verdicts.agreement import Agreement
from ..migration import Migration
from ..sites import Site
from .calls import where


def migration_junit(migration: Migration) -> str:
    """The XML text.

    Returns str: what R stopped, and what was left out or counted only, is skipped with the reason; what
    Python refuses fails.
    """
    rows = [row for site in migration.sites for row in _of_site(site, migration.captured.text.name)]
    return render_junit(rows, ReportContext(title=f"{migration.captured.text.name}, migrated"))


def _of_site(site: Site, script: str) -> list[Agreement]:
    name = f"line {where(site.place, script)} {site.function}"
    found = [
        replace(a, claim=name if len(site.steps) == 1 else f"{name} evaluation {step.call.nth}")
        for step in site.steps
        for a in step.rows
    ]
    step = site.first
    why: dict[str, Any]
    if step.state == "refused":
        why = {"verdict": "differs", "explanation": f"Python refuses: {step.refused}", "code": "refused"}
    elif step.state in ("outside", "failed", "counted"):
        reason = step.call.error or step.translation.reason or "counted, not translated"
        why = {"verdict": "not-run", "explanation": reason, "code": step.state}
    else:
        return found
    return [*found, Agreement("", name, Quantity("call"), r_call=site.function, about="native-r", **why)]
