"""Options that say whether and how R is asked; shared by every command that verifies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .sections import option

Function = TypeVar("Function", bound=Callable[..., Any])
MODES = ("live", "recorded", "both", "none")
_r = option("R")


def r_options(function: Function) -> Function:
    """Give a command `--r` (as `r`, None for the default) and `--require-r`."""

    @_r("--r", type=click.Choice(MODES),
        help="Ask R live, use recorded answers, both (fails on drift), or none. Default: live where R and the package "
             "are, else recorded.")
    @_r("--require-r", is_flag=True, help="What R did not answer makes exit code 2.")
    @functools.wraps(function)
    def asked(*args: Any, **options: Any) -> Any:
        if options["require_r"] and options["r"] == "none":
            raise click.UsageError("--require-r and --r none contradict each other; leave one out.")
        return function(*args, **options)

    result: Any = asked
    decorated: Function = result
    return decorated
