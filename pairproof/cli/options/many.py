"""Options of many comparisons of one fit: which items can be told apart; shared by the commands that fit."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .sections import SHARE, option, stacked

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ..reports.comparisons import Found

Function = TypeVar("Function", bound=Callable[..., Any])
_many = option("Many comparisons")
_OPTIONS = (
    _many(
        "--ranks",
        is_flag=True,
        help="Confidence sets of the items' ranks, letters, and which may be the best.",
    ),
    _many(
        "--contrasts",
        "family",
        type=click.Choice(["all-pairs", "against-one", "against-best", "against-mean"]),
        help="Differences of items with simultaneous intervals and adjusted p-values.",
    ),
    _many("--against", metavar="ITEM", help="The item of --contrasts against-one."),
    _many(
        "--adjust",
        type=click.Choice(["single-step", "holm", "bh", "none"]),
        help="p-values of --contrasts; default: single-step, by the largest of all (max-t).",
    ),
    _many("--level", type=SHARE, help="Level of --ranks and --contrasts; default: 0.95."),
)


@dataclass(frozen=True)
class Many:
    """What the command line asks of many comparisons; None where an option was not given."""

    ranks: bool
    family: str | None
    against: str | None
    adjust: str | None
    level: float | None

    def __post_init__(self) -> None:
        if self.family is None and (self.against is not None or self.adjust is not None):
            raise click.UsageError(
                "--against and --adjust have no effect without --contrasts; add --contrasts."
            )
        if self.level is not None and self.family is None and not self.ranks:
            raise click.UsageError("--level has no effect without --ranks or --contrasts; add one of them.")
        if (self.family == "against-one") != (self.against is not None):
            raise click.UsageError("--contrasts against-one and --against ITEM belong together.")
        if self.family == "against-best" and self.adjust not in (None, "single-step"):
            raise click.UsageError(
                "--contrasts against-best is simultaneous by its own method (Hsu); leave out --adjust."
            )

    def find(self, fitted: Fit, seed: int | None) -> Found:
        """The rank sets and families that were asked for."""
        from ..reports.comparisons import FAMILIES, Asked, find

        family = None if self.family is None else FAMILIES[self.family]
        adjust, level = self.adjust or "single-step", self.level or 0.95
        return find(fitted, Asked(self.ranks, family, self.against, adjust, level, seed or 0))


def many_options(function: Function) -> Function:
    """Add these options to a command, which gets them as one value, `many`."""

    @functools.wraps(function)
    def gathered(*args: Any, **options: Any) -> Any:
        asked = {name: options.pop(name) for name in ("ranks", "family", "against", "adjust", "level")}
        return function(*args, many=Many(**asked), **options)

    wrapped: Any = gathered
    decorated: Function = stacked(*_OPTIONS)(wrapped)
    return decorated
