"""Shows the options of a command's help under headings, because one long list is hard to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ...data.options import meant_in_r

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

SHARED = "Output"

#: Ranges that options of several commands have.
COUNT = click.IntRange(min=1)
POSITIVE = click.FloatRange(min=0, min_open=True)
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


class SectionedOption(click.Option):
    """An option with the heading under which help shows it, and its default unless that is empty."""

    def __init__(self, *args: Any, section: str = SHARED, **options: Any) -> None:
        if options.get("default") not in (None, "") and not options.get("is_flag"):
            options.setdefault("show_default", True)
        super().__init__(*args, **options)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help shows its options by section, in the order in which sections first occur, and that knows
    R's names of options.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = meant_in_r(error.option_name.lstrip("-"))
            if not meant:
                raise
            words = f"No such option {error.option_name!r}: {meant} (as an option: --name value)."
            raise click.UsageError(words, ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(parameter, "section", SHARED), []).append(record)
        for name in sorted(sections, key=lambda name: name == SHARED):
            with formatter.section(name):
                formatter.write_dl(sections[name], col_max=26)


def option(section: str) -> Callable[..., Callable[[Decorated], Decorated]]:
    """click.option for one section: `model = option("Model")`, then `@model("--by", ...)`."""

    def decorate(*names: str, **options: Any) -> Callable[[Decorated], Decorated]:
        made: Callable[[Decorated], Decorated] = click.option(
            *names, cls=SectionedOption, section=section, **options
        )
        return made

    return decorate


def level_option(made: Any, help: str = "Level of the intervals.") -> Callable[[Decorated], Decorated]:
    """`--level` in the section of `made`, 0.95 by default."""
    declared: Callable[[Decorated], Decorated] = made("--level", type=SHARE, default=0.95, help=help)
    return declared


def stacked(*decorators: Any) -> Callable[[Decorated], Decorated]:
    """One decorator for several, in the order of a stack: the first is the outermost."""

    def decorate(function: Decorated) -> Decorated:
        decorated: Any = function
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        result: Decorated = decorated
        return result

    return decorate
