"""What every command has: its shared options, help under headings, its output, and a bar for long work.

The shared options are `--json`, `--report`, `--force`, `--seed`, `--quiet` and `--debug`.  Help shows options
under headings, because one long list is hard to read.

A parameter that names a file has the type `READ`, `WRITTEN` or `KEPT`.  From these types a command knows,
before its work begins, which files it reads and writes, and it refuses to write over a file that it reads.
"""

from __future__ import annotations

import contextlib
import functools
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..data.options import meant_in_r
from ..files.inputs import STANDARD_INPUT
from ..report.json_text import json_text
from ..report.output import Output, wrong_suffix
from ..text import label, safe
from .naming import in_options

if TYPE_CHECKING:
    from ..report.blocks import Page


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

SHARED = "Output"
#: Help of a command with more options than this begins with those that most people need.
MANY, MOST_USED = 20, "Most used"
MOST_USED_OPTIONS = (
    *(
        "--model",
        "--ties",
        "--by",
        "--cluster",
        "--ranks",
        "--layout",
        "--col",
        "--items",
        "--where",
        "--pair",
    ),
    *("--anchor", "--time", "--new", "--one", "--two", "--margin", "--verify", "--report"),
)

#: Ranges that options of several commands have.
COUNT = click.IntRange(min=1)
POSITIVE = click.FloatRange(min=0, min_open=True)
NOT_NEGATIVE = click.FloatRange(min=0)
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
LEVEL: dict[str, Any] = {"type": SHARE, "default": 0.95}
FLAG: dict[str, Any] = {"is_flag": True}


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
        state = ctx.ensure_object(State)
        state.command, state.called, state.typed = self, ctx.command_path, tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = meant_in_r(error.option_name.lstrip("-"))
            if not meant:
                raise
            words = f"No such option {error.option_name!r}: {in_options(meant, self)}."
            raise click.UsageError(words, ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From click 8.5 on arguments have a help record too; the text above has said what they are.
        own = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {MOST_USED: []} if len(own) > MANY else {}
        for option in sorted(own, key=lambda o: (*MOST_USED_OPTIONS, o.opts[0]).index(o.opts[0])):
            section = getattr(option, "section", SHARED)
            section = MOST_USED if option.opts[0] in MOST_USED_OPTIONS and MOST_USED in sections else section
            if (record := option.get_help_record(ctx)) is not None:
                sections.setdefault(section, []).append(record)
        for name in sorted(sections, key=lambda name: name == SHARED):
            with formatter.section(name):
                formatter.write_dl(sections[name], col_max=26)


def sectioned(name: str) -> Callable[[Callable[..., Any]], SectionedCommand]:
    """The decorator of a command of this name whose help shows its options by section."""
    return click.command(name, cls=SectionedCommand)


def options(
    section: str, texts: Mapping[str, str | tuple[str, Any]], /, **declared: Any
) -> Callable[[Decorated], Decorated]:
    """The options of one section, in this order: what is typed, "--why TEXT", and what it means, with how it is
    declared if that is short: its type, its default, or all that `click.option` is told.

    declared: the same by name, where it is longer (`for_` for `--for`); an option that is declared nowhere, and whose
    value has no name, is a flag.
    """
    found = []
    for typed, said in texts.items():
        flag, _, metavar = typed.partition(" ")
        name = flag[2:].replace("-", "_")
        help, declaration = said if isinstance(said, tuple) else (said, None)
        if declaration is None:
            declaration = declared.pop(f"{name}_" if iskeyword(name) else name, {} if metavar else FLAG)
        how = _declared(declaration)
        names = (flag, *how.pop("name", "").split())
        told = {"cls": SectionedOption, "section": section, "help": help or None, "metavar": metavar or None}
        found.append(click.option(*names, **{**told, **how}))
    assert not declared, f"{section} has no {', '.join(declared)}"
    return stacked(*found)


def _declared(how: Any) -> dict[str, Any]:
    if isinstance(how, Mapping):
        return dict(how)
    return {"type": how} if isinstance(how, click.ParamType) or how is float else {"default": how}


def choice(*values: str, **how: Any) -> dict[str, Any]:
    return {"type": click.Choice(values), **how}


def stacked(*decorators: Any) -> Callable[[Decorated], Decorated]:
    """One decorator for several, in the order of a stack: the first is the outermost."""

    def decorate(function: Decorated) -> Decorated:
        decorated: Any = function
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        result: Decorated = decorated
        return result

    return decorate


def gathered(
    options: Sequence[Any], gather: Callable[[Callable[..., Any], dict[str, Any]], Any]
) -> Callable[[Decorated], Decorated]:
    """Add options to a command, which `gather` calls with what it makes of all that was given."""

    def decorate(function: Decorated) -> Decorated:
        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            return gather(functools.partial(function, *args), given)

        command: Any = call
        decorated: Decorated = stacked(*options)(command)
        return decorated

    return decorate


@dataclass
class State:
    """The shared options of one run, the track that is worked on, and results that are given as one."""

    json: bool = False
    reports: tuple[Path, ...] = field(default=())
    seed: int | None = None
    quiet: bool = False
    debug: bool = False
    force: bool = False
    command: click.Command | None = None
    called: str = "pairproof"
    typed: tuple[str, ...] = ()
    track: str = ""
    parts: dict[str, Output] | None = None

    @property
    def again(self) -> str:
        """The command as it was typed."""
        return f"{self.called} {shlex.join(self.typed)}"

    def say(self, message: str) -> None:
        """Print a message on standard error, unless quiet."""
        if not self.quiet:
            echo(f"track {self.track}: {message}" if self.track else message, err=True)

    def show(self, text: str, document: Any) -> None:
        """Print the result: the text, or the JSON document if that was asked for."""
        echo(json_text(document) if self.json else text)

    def give(
        self, page: Callable[[], Page], document: Callable[[], Any], terminal: Callable[[], str] | None = None
    ) -> None:
        """Write the reports of a command without verdicts, then print its result: as `terminal` if that is
        given, else as its page, or as the JSON document.
        """
        self.give_output(Output(page, lambda: json_text(document()) + "\n", terminal=terminal), document)

    def give_beside(self, verdicts: Output, document: Any, terminal: Callable[[], str]) -> None:
        """The same where the reports are of verdicts, and the result has a document and a text of its own."""
        own = replace(verdicts, json=lambda: json_text(document) + "\n", terminal=terminal)
        self.give_output(own, lambda: document)

    def give_output(self, output: Output, document: Callable[[], Any]) -> None:
        """Write the reports and print the result, from an output that has every form."""
        if self.parts is not None:
            self.parts[self.track] = output
            return
        for path in self.reports:
            output.write(path, force=self.force)
            self.say(f"report: {path}")
        echo(json_text(document()) if self.json else output.shown().rstrip("\n"))

    def give_parts(self) -> None:
        """Give the results of all tracks as one."""
        from ..report.blocks import Heading, Page

        parts, self.parts, self.track = self.parts or {}, None, ""

        def page() -> Page:
            pages = {track: output.page() for track, output in parts.items()}
            title = next(iter(pages.values())).title
            blocks = [[Heading(f"Track {track}"), *found.blocks] for track, found in pages.items()]
            return Page(title, [block for own in blocks for block in own], f"{len(pages)} tracks")

        def document() -> dict[str, Any]:
            return {"tracks": {track: json.loads(output.json()) for track, output in parts.items()}}

        def terminal() -> str:
            shown = {track: output.shown().rstrip("\n") for track, output in parts.items()}
            return "\n\n".join(f"Track {track}\n\n{text}" for track, text in shown.items())

        self.give(page, document, terminal)

    @property
    def junit(self) -> bool:
        """Whether a JUnit report is asked for."""
        return any(path.suffix.lower() == ".xml" for path in self.reports)

    def no_junit(self, what: str) -> None:
        """Refuse a JUnit report; `what` begins the reason, for example "a comparison has"."""
        if self.junit:
            raise click.UsageError(
                f"a JUnit report (.xml) lists verdicts, and {what} none; use .html, .md, .txt or .json."
            )

    def no_report(self, why: str) -> None:
        """Refuse `--report` in a command that has nothing to report."""
        if self.reports:
            raise click.UsageError(f"--report is for {why}")

    def write(self, path: Path, text: str, kind: str | None = None) -> None:
        """Write an output file; `kind` is as in :func:`pairproof.files.outputs.write`."""
        from ..files.outputs import write

        write(path, text, kind=kind, force=self.force)

    def check_files(self, context: click.Context) -> None:
        """Check that no output file is also read, is named twice, or is a file that must not be replaced."""
        from ..files.outputs import check, check_apart

        reads = files_of(context, READ)
        written, kept = [*map(str, self.reports), *files_of(context, WRITTEN)], files_of(context, KEPT)
        for path in written:
            check(path, reads=reads, force=self.force)
        for path in kept:
            check(path, reads=reads, force=True, again=True)
        check_apart([*written, *kept])


class FileName(click.types.StringParamType):
    """The parameter type of a file name, which is kept as it was typed."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and "\0" in value:
            self.fail(f"{value!r}: a path cannot hold a zero character; check the name", param, ctx)
        return value


#: A file that the command reads; one that it writes; and one that it keeps from run to run, whose content it
#: checks itself.
READ, WRITTEN, KEPT = FileName(), FileName(), FileName()


def files_of(context: click.Context, kind: FileName) -> list[str]:
    """The files that the parameters of one kind name."""
    found: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.type is kind and value is not None:
            found += [str(v) for v in value] if isinstance(value, (tuple, list)) else [str(value)]
    # Standard input may be a file too: `fit - --report t.html < t.html`.
    return [STANDARD_INPUT if name == "-" and kind is READ else name for name in found]


def echo(text: str, err: bool = False, nl: bool = True) -> None:
    """Print a text with its control characters spelt out. Nothing else here writes to a terminal."""
    click.echo(safe(text), err=err, nl=nl)


def remember(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def callback(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
        state = ctx.ensure_object(State)
        # Compared by identity, because 0 is a seed although 0 == False.
        if value is not None and value is not False and value != ():
            setattr(state, name, value)
        return value

    return callback


def _reports(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    paths = tuple(Path(v) for v in value)
    for path in paths:
        wrong = wrong_suffix(path.suffix.lower(), getattr(ctx.command, "has_rows", False))
        if wrong:
            raise click.BadParameter(f"{path}: {wrong}")
        # is_dir is False for an impossible name: one that is too long or has a zero character.
        if "\0" in str(path):
            raise click.BadParameter(f"{str(path)!r}: a path cannot hold a zero character")
        if not path.parent.is_dir():
            raise click.BadParameter(f"{path}: there is no directory {path.parent}")
    ctx.ensure_object(State).reports = paths
    return paths


def _shared(name: str, callback: Any = None, **options: Any) -> Any:
    """An option whose value is a field of the :class:`State`."""
    return click.option(f"--{name}", expose_value=False, callback=callback or remember(name), **options)


_SHARED = (
    _shared("json", is_flag=True, help="Print only one JSON document on standard output."),
    _shared(
        "report",
        _reports,
        multiple=True,
        metavar="FILE",
        help="Write a report: .html, .md, .txt, .json, .xml (JUnit); repeatable.",
    ),
    _shared("force", is_flag=True, help="Also replace files that were changed or not written by pairproof."),
    _shared(
        "seed", type=click.IntRange(min=0), metavar="INTEGER", help="Seed of the random numbers, if any."
    ),
    _shared("quiet", is_flag=True, help="Print only errors on standard error."),
    _shared("debug", is_flag=True, is_eager=True, help="Show the traceback of an error."),
)


def _with_state(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets the :class:`State` as first argument."""
    context = click.get_current_context()
    state = context.ensure_object(State)
    state.check_files(context)
    return command(state, **given)


shared_options = gathered(_SHARED, _with_state)


#: Seconds from which on a line says how long work takes.
LONG_WORK = 20.0
#: Part of the work after which that can be said.
SOON = 0.02


@contextlib.contextmanager
def watched_work(state: State, what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, all) while something takes its time.

    On a terminal it moves a bar with the time that is left. Where standard error is no terminal it says once,
    early on, about how long everything will take if that is long.
    """
    if state.quiet:
        yield lambda done, total: None
        return
    if not sys.stderr.isatty():
        yield _said_once(state, what)
        return
    with progress_bar(what) as bar:
        yield bar


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """A bar on the terminal, moved by (done, all), and with a third text also named anew."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(what), total=None)

        def advance(done: int, total: int, name: str = what) -> None:
            bar.update(task, completed=done, total=total, description=escape(label(name)))

        yield advance


def _said_once(state: State, what: str) -> Callable[[int, int], None]:
    began, said = time.monotonic(), False

    def advance(done: int, total: int) -> None:
        nonlocal said
        if said or done < SOON * total:
            return
        said = True
        seconds = (time.monotonic() - began) * total / done
        if seconds >= LONG_WORK:
            state.say(f"{total} {what}, about {_duration(seconds)}")

    return advance


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
