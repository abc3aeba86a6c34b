"""Reports: views of a list of agreements, as text, Markdown, HTML, JSON and JUnit.

No number is computed here but counts and minima; what a report says of a number, its `Agreement` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ..verdicts.agreement import Agreement
from .context import ReportContext, Story, StoryFigure, StoryTable, WorthSeries, worth_series
from .text import render_text

__all__ = [
    "FORMATS",
    "ReportContext",
    "Story",
    "StoryFigure",
    "StoryTable",
    "WorthSeries",
    "render",
    "render_text",
    "worth_series",
    "write_report",
]

#: Suffix of a report's file -> what it is.
FORMATS = {
    ".html": "one self-contained HTML file",
    ".md": "Markdown",
    ".json": "JSON",
    ".xml": "JUnit XML",
    ".txt": "text",
}


def render(agreements: Sequence[Agreement], context: ReportContext, suffix: str) -> str:
    """A report's text; `suffix` is one of `FORMATS`.

    Raises
    ------
    InputError
        Another suffix.
    """
    if suffix == ".html":
        from .html import render_html

        return render_html(agreements, context)
    if suffix == ".md":
        from .markdown import render_markdown

        return render_markdown(agreements, context)
    if suffix == ".json":
        from .json import render_json

        return render_json(agreements)
    if suffix == ".xml":
        from .junit import render_junit

        return render_junit(agreements, context)
    if suffix == ".txt":
        return render_text(agreements, context)
    raise InputError(
        f"report suffix {suffix!r}; expected one of"
        f" {', '.join(f'{s} ({what})' for s, what in FORMATS.items())}"
    )


def write_report(
    agreements: Sequence[Agreement], context: ReportContext, path: str | Path, *, force: bool = False
) -> Path:
    """Write a report; its form follows the suffix of `path` (.html, .md, .json, .xml for JUnit, .txt).

    Parameters
    ----------
    agreements : sequence of Agreement
    context : ReportContext
    path : path
    force : bool
        Also over a file that pairproof did not make, or that was changed since.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    InputError
        A suffix that is none of these, a place that cannot be written to, or a file that must not be
        replaced.
    """
    from ...files.outputs import write

    file = Path(path)
    text = render(agreements, context, file.suffix.lower())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"report {path}: cannot be written ({error.strerror})") from error
    write(file, text, force=force)
    return file
