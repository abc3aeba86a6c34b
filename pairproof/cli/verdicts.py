"""What commands that check papers share: recompute, show and write the verdicts, and give the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..text import label
from .options.r import Function, data_option, r_options, stated
from .state import State, shared_options

if TYPE_CHECKING:
    from ..bridge.process.policy import Mode


def paper_options(function: Function) -> Function:
    """Add the options of commands that check papers: whether R is run, where the data are, and the options of
    all commands.
    """
    return r_options(data_option(shared_options(function)))


def check_papers(
    state: State,
    names: Sequence[str],
    r: Mode | None,
    require_r: bool,
    full: bool,
    data: Path | None,
    data_limit: int | None,
) -> int:
    """Recompute the papers, show and write the verdicts, and return the exit code 0, 1 or 2."""
    import pairproof.validation

    from ..validation.report import output, screen
    from ..validation.verdicts.agreement import exit_code, to_document

    with watched(state) as progress:
        found = pairproof.validation.run(
            names,
            r=r,
            data=data,
            progress=progress,
            workers=os.cpu_count() or 1,
            **stated(data_limit=data_limit),
        )
    shown = replace(
        output(found, found.context),
        terminal=lambda: screen(found, found.context, full=full, reports=[*map(str, state.reports)]),
    )
    state.give_output(shown, to_document(found))
    return exit_code(found, require_r)


@contextlib.contextmanager
def watched(state: State) -> Iterator[Callable[[str], None]]:
    """Give a function to call with each step's name, which is shown on one line of standard error if that is
    a terminal.
    """
    if state.quiet or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(escape(label(what)))
