"""Long work: a bar on a terminal, elsewhere a line that says how long it will take."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from .state import State

#: Seconds from which on a line says how long work takes.
LONG = 20.0
#: Part of the work after which that can be said.
SOON = 0.02


@contextlib.contextmanager
def watched_work(state: State, what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, all) while something takes its time.

    On a terminal it moves a bar with the time that is left. Where standard error is no terminal it says once,
    early on, about how long everything will take if that is long.
    """
    if state.quiet:
        yield lambda done, total: None
        return
    if not sys.stderr.isatty():
        yield _said_once(state, what)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _said_once(state: State, what: str) -> Callable[[int, int], None]:
    began, said = time.monotonic(), False

    def advance(done: int, total: int) -> None:
        nonlocal said
        if said or done < SOON * total:
            return
        said = True
        seconds = (time.monotonic() - began) * total / done
        if seconds >= LONG:
            state.say(f"{total} {what}, about {_duration(seconds)}")

    return advance


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
