"""Options that control whether and how R is used, and what the commands that check papers share.

These recompute the papers, show and write the verdicts, and give the exit code.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...files.r_startup import PROJECT
from ...text import label
from ..state import COUNT, State, option, shared_options, stacked

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode


Function = TypeVar("Function", bound=Callable[..., Any])
MODES = ("live", "recorded", "both", "none")
_r, _data = option("R"), option("Data")


def _remember_project(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Ask for the current folder's start-up files, for this command and the programs that it starts."""
    if value:
        before = os.environ.get(PROJECT, "")
        os.environ[PROJECT] = "1"
        ctx.call_on_close(lambda: os.environ.update({PROJECT: before}))
    return value


#: The option of every command that starts R.
project_option = _r(
    "--project-r",
    is_flag=True,
    expose_value=False,
    callback=_remember_project,
    help=(
        "R also reads .Renviron and .Rprofile of the current folder, for a project with a library of its own (renv);"
        " they run code. Default: those of the site and of your home only. Also: PAIRPROOF_R_PROJECT=1."
    ),
)
_R = stacked(
    project_option,
    _r(
        "--r",
        type=click.Choice(MODES),
        help=(
            "Run R live, use its recorded answers, both (fails if they differ), or none. Default: live if R"
            " and the package are installed, else recorded."
        ),
    ),
    _r("--require-r", is_flag=True, help="End with exit code 2 if R did not answer everything."),
    _r(
        "--full",
        is_flag=True,
        help="Print every number; default: at most 60 lines, what needs attention first.",
    ),
)
_DATA = stacked(
    _data(
        "--data-limit",
        metavar="MB",
        type=COUNT,
        callback=lambda _, __, value: None if value is None else value * 1024**2,
        help="Largest data file that a claims file may name (default: 256).",
    ),
    _data(
        "--data",
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help=(
            "Another folder, besides the claims file's own, that may hold its data files, such as data that"
            " may not be shipped (default: $PAIRPROOF_DATA). Claims whose data are not there are reported as"
            " not run."
        ),
    ),
)


def r_options(function: Function) -> Function:
    """Add to a command the options `--r` (as `r`, None for the default), `--require-r` and `--full`."""

    @functools.wraps(function)
    def asked(*args: Any, **options: Any) -> Any:
        if options["require_r"] and options["r"] == "none":
            raise click.UsageError("--require-r and --r none contradict each other; leave one out.")
        return function(*args, **options)

    wrapped: Any = asked
    decorated: Function = _R(wrapped)
    return decorated


def data_option(function: Function) -> Function:
    """Add to a command the options `--data DIR` (as `data`, None if not given) and `--data-limit MB` (as
    `data_limit`, in bytes).
    """
    return _DATA(function)


def stated(**options: Any) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}


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

    from ...validation.report.rendering import output
    from ...validation.report.terminal import screen
    from ...validation.verdicts.agreement import exit_code, to_document

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
