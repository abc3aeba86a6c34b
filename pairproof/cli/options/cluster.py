"""The options `--cluster` and `--cluster-kind`: which answers go together, and how standard errors show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .reading import names
from .sections import Decorated, stacked

KINDS = ("CR0", "CR1", "CR2")


def _columns(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The value of --cluster: one column, or two different ones."""
    if value is None:
        return ()
    found = tuple(names(value))
    if len(found) > 2 or len(set(found)) != len(found):
        raise click.BadParameter(
            f"{value!r}; expected one column, or two different ones, for example judge,source"
        )
    return found


def _kind(context: click.Context, _: click.Parameter, value: str | None) -> str:
    """The value of --cluster-kind, which means nothing without --cluster."""
    if value is not None and not context.params.get("cluster"):
        raise click.UsageError("--cluster-kind has no effect without --cluster; add --cluster judge.")
    return value or "CR2"


def cluster_options(made: Any, help: str) -> Callable[[Decorated], Decorated]:
    """Both options in the section of `made`; the command gets `cluster`, a tuple of names, and `cluster_kind`."""

    def decorate(function: Decorated) -> Decorated:
        decorated: Decorated = stacked(
            # Eager, so that --cluster-kind finds it in whatever order the two are given.
            made("--cluster", metavar="COL[,COL]", callback=_columns, is_eager=True, help=help),
            made(
                "--cluster-kind",
                type=click.Choice(KINDS),
                callback=_kind,
                help="Kind of the standard errors by cluster (default: CR2).",
            ),
        )(function)
        return decorated

    return decorate
