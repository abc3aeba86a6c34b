"""Options that control whether and how R is used; shared by every command that verifies."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ...files.r_startup import PROJECT
from .sections import COUNT, option, stacked

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
