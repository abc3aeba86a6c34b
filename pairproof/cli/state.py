"""What every command shares: `--json`, `--report`, `--force`, `--seed`, `--quiet`, `--debug`, and where words
and numbers go.

A parameter that names a file has the type `READ`, `WRITTEN` or `KEPT`; by that every command knows, before
its work begins, what it reads and what it writes, and refuses to write over what it reads.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..files.inputs import STANDARD_INPUT
from ..report.output import Output, wrong_suffix
from ..text import safe
from .options.sections import stacked

if TYPE_CHECKING:
    from ..report.blocks import Page

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class State:
    """The shared options of one run.

    Attributes
    ----------
    json : bool
        Standard output gets exactly one JSON document.
    reports : tuple of Path
        Each ending in one of `pairproof.report.output.FORMATS`.
    seed : int or None
    quiet : bool
        No messages on standard error but errors.
    debug : bool
        Tracebacks.
    """

    json: bool = False
    reports: tuple[Path, ...] = field(default=())
    seed: int | None = None
    quiet: bool = False
    debug: bool = False
    force: bool = False

    def say(self, message: str) -> None:
        """A message for people, on standard error."""
        if not self.quiet:
            echo(message, err=True)

    def show(self, text: str, document: Any) -> None:
        """The result: text for people, or the JSON document if that was asked for."""
        echo(json_text(document) if self.json else text)

    def give(
        self, page: Callable[[], Page], document: Any, terminal: Callable[[], str] | None = None
    ) -> None:
        """The result of a command without verdicts: its reports are written, then it is shown as its page, as
        `terminal` has it if that is given, or as the JSON document.
        """
        self.give_output(Output(page, lambda: json_text(document) + "\n", terminal=terminal), document)

    def give_output(self, output: Output, document: Any) -> None:
        """The same of a result that is made in every form."""
        for path in self.reports:
            output.write(path, force=self.force)
            self.say(f"report: {path}")
        self.show("" if self.json else output.shown().rstrip("\n"), document)

    def no_junit(self, what: str) -> None:
        """Refuse a JUnit report; `what` is "a comparison has".

        Raises
        ------
        click.UsageError
        """
        if any(path.suffix.lower() == ".xml" for path in self.reports):
            raise click.UsageError(
                f"a JUnit report (.xml) lists verdicts, and {what} none; use .html, .md, .txt or .json."
            )

    def no_report(self, why: str) -> None:
        """Refuse `--report` in a command that has nothing to report.

        Raises
        ------
        click.UsageError
        """
        if self.reports:
            raise click.UsageError(f"--report is for {why}")

    def write(self, path: Path, text: str, kind: str | None = None) -> None:
        """Write a file of this command; `kind` as in :func:`pairproof.files.outputs.write`."""
        from ..files.outputs import write

        write(path, text, kind=kind, force=self.force)

    def check_files(self, context: click.Context) -> None:
        """What is to be written is not read, nor two outputs one file, nor a file that must not be replaced.

        Raises
        ------
        InputError
        """
        from ..files.outputs import check, check_apart

        reads = _named(context, READ)
        written, kept = [*map(str, self.reports), *_named(context, WRITTEN)], _named(context, KEPT)
        for path in written:
            check(path, reads=reads, force=self.force)
        for path in kept:
            check(path, reads=reads, force=True, again=True)
        check_apart([*written, *kept])


class FileName(click.ParamType):
    """The name of a file, as it was typed."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and "\0" in value:
            self.fail(f"{value!r}: a path cannot hold a zero character; check the name", param, ctx)
        return value


#: A file that the command reads; one that it writes; and one that it keeps from run to run, whose content it
#: checks itself.
READ, WRITTEN, KEPT = FileName(), FileName(), FileName()


def _named(context: click.Context, kind: FileName) -> list[str]:
    """The files that the parameters of one kind name."""
    found: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.type is kind and value is not None:
            found += [str(v) for v in value] if isinstance(value, (tuple, list)) else [str(value)]
    # What a shell put behind standard input may be a file too: `fit - --report t.html < t.html`.
    return [STANDARD_INPUT if name == "-" and kind is READ else name for name in found]


def echo(text: str, err: bool = False, nl: bool = True) -> None:
    """Print a text; control characters in it are spelt out. Nothing else here writes to a terminal."""
    click.echo(safe(text), err=err, nl=nl)


def plain(value: Any) -> Any:
    """The value with nan and infinities as None, which JSON does not have, and NumPy's numbers as
    Python's.
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    raise TypeError(f"{type(value).__name__} has no place in a JSON document")


def json_text(document: Any) -> str:
    """One JSON document; numbers as Python's repr has them, every digit kept."""
    # DEL is the one control that json leaves as it is.
    return json.dumps(plain(document), indent=2, allow_nan=False).replace("\x7f", "\\u007f")


def remember(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def callback(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
        state = ctx.ensure_object(State)
        # By identity: 0 is a seed, though 0 == False.
        if value is not None and value is not False and value != ():
            setattr(state, name, value)
        return value

    return callback


def _reports(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    paths = tuple(Path(v) for v in value)
    for path in paths:
        wrong = wrong_suffix(path.suffix.lower())
        if wrong:
            raise click.BadParameter(f"{path}: {wrong}")
        # is_dir is False where a name cannot be: too long, or with a zero in it.
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
    _shared("json", is_flag=True, help="Print one JSON document on standard output and nothing else there."),
    _shared(
        "report",
        _reports,
        multiple=True,
        metavar="FILE",
        help="Write a report: .html, .md, .txt, .json or .xml (JUnit) by suffix; repeatable.",
    ),
    _shared(
        "force",
        is_flag=True,
        help="Also replace a file that pairproof did not make, or that was changed since.",
    ),
    _shared(
        "seed",
        type=click.IntRange(min=0),
        metavar="INTEGER",
        help="Seed of everything random; commands that draw nothing give the same numbers with any.",
    ),
    _shared("quiet", is_flag=True, help="No messages on standard error but errors."),
    _shared("debug", is_flag=True, is_eager=True, help="On an error, show the traceback."),
)


def shared_options(function: Function) -> Function:
    """Give a command the options all commands have; it is called with the :class:`State` first."""

    @functools.wraps(function)
    def with_state(*args: Any, **options: Any) -> Any:
        context = click.get_current_context()
        state = context.ensure_object(State)
        state.check_files(context)
        return function(state, *args, **options)

    wrapped: Any = with_state
    decorated: Function = stacked(*_SHARED)(wrapped)
    return decorated
