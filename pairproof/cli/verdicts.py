"""The common end of every command that gives verdicts: shown, written, and turned into the exit code."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..text import label
from .state import State

if TYPE_CHECKING:
    from ..validation.verdicts.agreement import Agreement


def finish(state: State, agreements: Sequence[Agreement], require_r: bool) -> int:
    """Show and write the verdicts; 0, 1 or 2 as interfaces say.

    `agreements` may carry the words that stand around them in a report as its attribute `context`.
    """
    from ..validation.report import ReportContext, output
    from ..validation.verdicts.agreement import exit_code, to_document

    context: Any = getattr(agreements, "context", None) or ReportContext()
    state.give_output(output(agreements, context), to_document(agreements))
    return exit_code(agreements, require_r)


@contextlib.contextmanager
def watched(state: State) -> Iterator[Callable[[str], None]]:
    """What to tell what is done next: a line on standard error that changes, if that is a terminal."""
    if state.quiet or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(escape(label(what)))
