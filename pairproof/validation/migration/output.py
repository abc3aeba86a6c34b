"""A migration in every form: lines for the terminal, a page, JSON, JUnit."""

from __future__ import annotations

import json

from ...report.output import Output
from .migration import Migration
from .report import migration_junit, migration_page


def output(migration: Migration) -> Output:
    """The result of `pairproof migrate` in the form that is asked for."""
    return Output(
        page=lambda: migration_page(migration),
        json=lambda: json.dumps(migration.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        junit=lambda: migration_junit(migration),
        terminal=lambda: str(migration),
    )
