"""Options that control whether and how R is used; shared by every command that verifies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from .sections import COUNT, option, stacked

Function = TypeVar("Function", bound=Callable[..., Any])
MODES = ("live", "recorded", "both", "none")
_r, _data = option("R"), option("Data")
_R = stacked(
    _r(
        "--r",
        type=click.Choice(MODES),
        help=(
            "Run R live, use its recorded answers, both (fails if they differ), or none. Default: live if R"
            " and the package are installed, else recorded."
        ),
    ),
    _r("--require-r", is_flag=True, help="End with exit code 2 if R did not answer everything."),
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
    """Add to a command the options `--r` (as `r`, None for the default) and `--require-r`."""

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
