"""The group of commands, and how a command ends.

A command's module is imported only when it runs or shows its own help.  If an error stops it, one or two
lines on standard error say so.  The exit codes:

====  ==========================================================================================
code  when
====  ==========================================================================================
0     done
1     a number differs, is explained but not accepted, is ambiguous, or is printed but not estimable
2     something required did not run: R, a package, a solver that did not converge, a defect of pairproof
3     bad input or bad usage; of several claims or files the others are done and shown all the same
130   interrupted (what was checked before is shown), also by a reader that closed the pipe
====  ==========================================================================================
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, TextIO

import click

from .naming import as_command, in_options
from .state import State, echo, remember

#: Name -> what it does.  The module has the same name, with _ for -.
COMMANDS = {
    "fit": "Fit a model to a table of comparisons.",
    "fit-answers": "Fit a model to rankings, ratings or whole answers.",
    "count": "Count the votes in any number of files.",
    "leaderboard": "Rank models from votes, with intervals and tiers.",
    "audit": "Find what is wrong with the votes of a leaderboard.",
    "predict": "Predict new comparisons, also of new items.",
    "tree": "Find groups of people with different preferences.",
    "validate": "Check that Python, R and the printed papers agree.",
    "check": "Check whether data reproduce the numbers in a paper.",
    "check-numbers": "Check that a printed table is consistent, without data.",
    "migrate": "Turn an R script into Python with the same results.",
    "explain": "Find out how printed numbers may have arisen.",
    "claims": "Start a claims file from a table.",
    "compare-models": "Find the preference model that predicts best.",
    "compare-two": "Test whether one of two systems is better.",
    "sample-size": "Plan how many judges and answers a study needs.",
    "next-pairs": "Choose the pairs to ask about next.",
    "watch": "Give intervals that stay valid as answers come in.",
    "error-rates": "WER, PER and TER with standard errors.",
    "rank-by-comparing": "Choose which two systems to compare next.",
    "record": "Record R's answers for machines without R.",
    "easl": "Run an annotation campaign with scalar scores.",
    "simulate-annotation": "Find how many annotations each method needs.",
    "example": "Print an example data set to try pairproof.",
    "doctor": "Show what is installed and how to install the rest.",
}
#: A command with an example -> other words for it.
_MEANT = {
    "leaderboard votes.csv": "rank ranking elo arena board rating ratings glicko trueskill",
    "fit votes.csv --model bradley-terry": "bt btm bradley-terry bradleyterry bradleyterry2",
    "fit votes.csv": "llbt model run read estimate worth worths",
    "fit votes.csv --report report.html": "report plot summary html",
    "fit votes.csv --to-r script.r": "r export",
    "fit-answers ranks.csv --layout ranks": "rankings plackett-luce plackettluce pl pattern answers",
    "compare-two votes.csv --pair A,B": "compare ab significance",
    "check paper.claims.toml": "test verify paper reproduce",
    "sample-size --margin 0.05": "power plan",
    "count votes.csv --out counts.csv": "aggregate tally",
    "easl init study.db items.csv": "init annotate annotation campaign",
    "easl status study.db": "drift annotators",
    "example": "examples demo data datasets",
    "--help": "help commands",
}


class ReaderGone(Exception):
    """The program that read standard output has closed it."""


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

            meant = [example for example, words in _MEANT.items() if args[0].lower() in words.split()]
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"The commands are {', '.join(COMMANDS)}."
            hint = f"You probably want: pairproof {meant[0]}" if meant else hint
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
Exit codes: 0 done; 1 a number differs or needs a decision; 2 something
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


DONE, ATTENTION, NOT_RUN, BAD_INPUT, INTERRUPTED = 0, 1, 2, 3, 130


def run(arguments: Sequence[str]) -> int:
    """Run the command line; if an error stops it, say so on standard error."""
    from ..files.inputs import noting

    state = State()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_encode(stream)
    with warnings.catch_warnings(), noting():
        warnings.showwarning = _show_warning(state)
        try:
            outcome = app.main(list(arguments), prog_name="pairproof", standalone_mode=False, obj=state)
            sys.stdout.flush()
            return outcome if isinstance(outcome, int) else DONE
        except (ReaderGone, BrokenPipeError):
            _drop_output()
            return INTERRUPTED
        except (KeyboardInterrupt, click.Abort):
            echo("pairproof: interrupted", err=True)
            return INTERRUPTED
        except Exception as error:
            if state.debug:
                import traceback

                echo(traceback.format_exc().rstrip("\n"), err=True)
            code, message = describe(error, state)
            if isinstance(error, OSError) and error.filename is None:
                _drop_output()  # standard output itself may be what cannot be written
            echo(message, err=True)
            return code


def describe(error: Exception, state: State | None = None) -> tuple[int, str]:
    """The exit code of an error, and its message, which names options of the command that was running."""
    from ..errors import ComparisonError, InputError, NotEstimableError, PairproofError

    state = state or State()

    if isinstance(error, click.UsageError):
        called = error.ctx.command_path if error.ctx is not None else "pairproof"
        return BAD_INPUT, f"{called}: {error.format_message()}\nTry '{called} --help'."
    if isinstance(error, click.ClickException):
        return BAD_INPUT, f"pairproof: {error.format_message()}"
    name = type(error).__name__
    if isinstance(error, PairproofError):
        from ..data.reading.forms import LayoutError

        if isinstance(error, LayoutError) and error.ways:
            call = partial(as_command, error, state.command, state.called, state.typed)
            return BAD_INPUT, f"{name}: {error.worded(call)}"
        bad = isinstance(error, (InputError, ComparisonError, NotEstimableError))
        return BAD_INPUT if bad else NOT_RUN, f"{name}: {in_options(str(error), state.command)}"
    if isinstance(error, OSError) and error.errno is None and error.args:
        return BAD_INPUT, f"{name}: {error}"  # one of pairproof's own errors, whose message is complete
    if isinstance(error, OSError):
        # An error of the operating system; if standard output's disk is full, it has no file name.
        what, cure = error.filename, "check the path and its permissions"
        if what is None:
            what, cure = "output", "free some space, or write elsewhere"
        return BAD_INPUT, f"{what}: {error.strerror or name}; {cure}"
    if isinstance(error, MemoryError):
        what = " ".join(str(error).split())
        less = "fewer rows or items or, in a model of judges, fewer covariates or coarser --cells"
        said = f" ({what})" if what else ""
        return NOT_RUN, f"pairproof: out of memory{said}; try a smaller task: {less}"
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else "pairproof"
    if package != "pairproof":
        from ..bridge.process.cures import python_package

        return NOT_RUN, f"pairproof: {package} is not installed; cure: {python_package(package, package, '')}"
    text = " ".join(str(error).split()) or "no message"
    again = "Run it again with --debug for the traceback, and please report it."
    return (
        NOT_RUN,
        f"pairproof: this is a bug in pairproof, not an error in your input: {name}: {text}\n{again}",
    )


def _show_warning(state: State) -> Any:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        from ..errors import PairproofWarning

        if issubclass(category, PairproofWarning):
            state.say(f"Warning: {message}")
        elif state.debug:
            state.say(warnings.formatwarning(message, category, filename, lineno, line).rstrip())

    return show


def _never_fail_to_encode(stream: TextIO) -> None:
    """Print \\u escapes, instead of failing, for characters that the terminal's encoding lacks and for file
    names that are not UTF-8.
    """
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Discard what is left in the output buffer, which Python would otherwise fail to write when it ends."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        # Standard output is not a file of the system (a test's buffer): there is nothing to close.
        return
