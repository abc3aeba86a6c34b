"""The group of commands; a command's module is imported only when it runs or shows its own help."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from .state import State, remember

#: Name -> what it does.  The module has the same name, with _ for -.
COMMANDS = {
    "fit": "Fit a model to a table of comparisons.",
    "fit-answers": "Fit a model of whole answers: all comparisons of a person, rankings, ratings.",
    "predict": "Predict new comparisons, also of new items, by a Bradley-Terry model.",
    "tree": "Groups of persons with different preferences, as a tree of Bradley-Terry models.",
    "validate": "Show that native, R and the printed page agree, or why not.",
    "check": "Check claims files: do the data give the printed numbers?",
    "migrate": "Run an R script and write Python that does the same, every number compared.",
    "explain": "Find readings that reproduce printed numbers which the data do not give.",
    "claims": "Start a claims file from a table: claims new TABLE.",
    "compare-models": "Which preference model predicts best, and how many judgments are enough.",
    "compare-two": "Compare two systems, where judges may differ: by judges, clusters, merged, by vote.",
    "sample-size": "How many judges, sources and answers a study needs.",
    "watch": "Intervals for whoever looks while answers come in.",
    "error-rates": "WER, PER, TER with standard errors, and systems compared on the same sentences.",
    "rank-by-comparing": "Choose which two systems to compare next, until they are ranked.",
    "record": "Record R's answers, for machines without R.",
    "easl": "Run a campaign of scalar annotation.",
    "simulate-annotation": "How many annotations are needed, by method.",
    "doctor": "Show what is installed, what is missing, and the command that installs it.",
}


class ReaderGone(Exception):
    """Whoever read standard output has closed it."""


@contextmanager
def _not_for_click() -> Iterator[None]:
    """Keep a closed pipe from click, which ends the process with 1: here that says that a verdict differs."""
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads them one at a time."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _not_for_click():  # --help and --version print while the context is made
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _not_for_click():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f".commands.{cmd_name.replace('-', '_')}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"The commands are {', '.join(COMMANDS)}."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        import pairproof

        click.echo(f"pairproof {pairproof.__version__}")
        ctx.exit()


EPILOG = """\b
Exit codes: 0 done; 1 a number differs or needs a person's decision; 2 something
required did not run; 3 bad input or usage; 130 interrupted.

\b
pairproof fit votes.csv --ties davidson --by judge --verify --report out.html
pairproof validate"""


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=remember("debug"),
    help="On an error, show the traceback.",
)
@click.pass_context
def app(ctx: click.Context) -> Any:
    """Fit pairwise preference models, and check every number against R."""
    ctx.ensure_object(State)
    if ctx.invoked_subcommand is None:
        raise click.UsageError(f"No command given. The commands are {', '.join(COMMANDS)}.", ctx)
