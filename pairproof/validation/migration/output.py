"""A migration in every form: lines for the terminal, a page, JSON, JUnit."""

from __future__ import annotations

import json

from ...report.output import Output
from ..report.context import ReportContext
from ..report.junit import render_junit
from .migration import Migration
from .report.page import migration_page


def output(migration: Migration) -> Output:
    """The result of `pairproof migrate` in the form that is asked for.

    Parameters
    ----------
    migration : Migration

    Returns
    -------
    Output
    """
    title = f"{migration.captured.text.name}, migrated"
    return Output(
        page=lambda: migration_page(migration),
        json=lambda: json.dumps(migration.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        junit=lambda: render_junit(migration.agreements, ReportContext(title=title)),
        terminal=lambda: str(migration),
    )
