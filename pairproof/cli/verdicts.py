"""The common end of every command that gives verdicts: shown, written, and turned into the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .state import State

if TYPE_CHECKING:
    from ..validation.agreement import Agreement


def finish(state: State, agreements: Sequence[Agreement], require_r: bool) -> int:
    """Show and write the verdicts; 0, 1 or 2 as interfaces say.

    `agreements` may carry the words that stand around them in a report as its attribute `context`.
    """
    from ..validation.agreement import exit_code, to_document
    from ..validation.report import ReportContext, render_text, write_report

    context: Any = getattr(agreements, "context", None) or ReportContext()
    text = "" if state.json else render_text(agreements, context)
    state.show(text.rstrip("\n"), to_document(agreements))
    for path in state.reports:
        write_report(agreements, context, path)
        state.say(f"report: {path}")
    return exit_code(agreements, require_r)
