"""Options that say whether and how R is asked; shared by every command that verifies."""

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
            "Ask R live, use recorded answers, both (fails on drift), or none. Default: live where R and the"
            " package are, else recorded."
        ),
    ),
    _r("--require-r", is_flag=True, help="What R did not answer makes exit code 2."),
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
            "Folder in which data files may lie beside the claims file's own, and of data that are read in"
            " place and never shipped (default: $PAIRPROOF_DATA). Claims on such data that are not there are"
            " not run, and say so."
        ),
    ),
)


def r_options(function: Function) -> Function:
    """Give a command `--r` (as `r`, None for the default) and `--require-r`."""

    @functools.wraps(function)
    def asked(*args: Any, **options: Any) -> Any:
        if options["require_r"] and options["r"] == "none":
            raise click.UsageError("--require-r and --r none contradict each other; leave one out.")
        return function(*args, **options)

    wrapped: Any = asked
    decorated: Function = _R(wrapped)
    return decorated


def data_option(function: Function) -> Function:
    """Give a command `--data DIR` (as `data`, None if it was not given) and `--data-limit MB` (as
    `data_limit`, in bytes).
    """
    return _DATA(function)


def stated(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}
