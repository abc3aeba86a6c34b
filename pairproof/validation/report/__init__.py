"""Reports of agreements, as a page of blocks, as text, JSON and JUnit.

No number is computed here but counts and minima; what a report says of a number, its `Agreement` says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ...report.output import FORMATS, Output
from ...report.text import render_text as _text_of
from ..verdicts.agreement import Agreement, to_document
from .context import ReportContext, Story, WorthSeries, worth_series
from .junit import render_junit
from .page import page
from .terminal import full_page, screen

__all__ = [
    "FORMATS",
    "ReportContext",
    "Story",
    "WorthSeries",
    "output",
    "render",
    "render_json",
    "render_text",
    "screen",
    "worth_series",
    "write_report",
]


def output(agreements: Sequence[Agreement], context: ReportContext) -> Output:
    """The agreements in every form."""
    return Output(
        page=lambda: page(agreements, context),
        json=lambda: render_json(agreements),
        junit=lambda: render_junit(agreements, context),
        terminal=lambda: render_text(agreements, context),
    )


def render(agreements: Sequence[Agreement], context: ReportContext, suffix: str) -> str:
    """A report's text; `suffix` is one of `FORMATS`."""
    return output(agreements, context).render(suffix)


def render_json(agreements: Sequence[Agreement]) -> str:
    """`{"summary": {verdict: count}, "agreements": [...]}`; numbers keep every digit, no value is null."""
    return json.dumps(to_document(agreements), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def render_text(
    agreements: Sequence[Agreement],
    context: ReportContext | None = None,
    *,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Agreements as text.

    width: columns; default those of the terminal, 100 where there is none.  color: with ANSI colours; a sign
    stands beside every verdict in any case.
    """
    import shutil

    columns = width or shutil.get_terminal_size((100, 24)).columns
    return _text_of(full_page(agreements, context or ReportContext()), width=columns, color=color)


def write_report(
    agreements: Sequence[Agreement], context: ReportContext, path: str | Path, *, force: bool = False
) -> Path:
    """Write a report; its form follows the suffix of `path` (.html, .md, .json, .xml for JUnit, .txt).

    force: also over a file that pairproof did not make, or that was changed since.  Returns Path: where it
    was written.
    """
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"report {path}: cannot be written ({error.strerror})") from error
    output(agreements, context).write(file, force=force)
    return file
