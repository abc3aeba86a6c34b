"""What every command shares: `--json`, `--report`, `--seed`, `--quiet`, `--debug`, and where words and numbers go."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])
REPORT_SUFFIXES = (".html", ".md", ".json", ".xml")


@dataclass
class State:
    """The shared options of one run.

    Attributes
    ----------
    json : bool
        Standard output gets exactly one JSON document.
    reports : tuple of Path
        Each ending in one of `REPORT_SUFFIXES`.
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

    def say(self, message: str) -> None:
        """A message for people, on standard error."""
        if not self.quiet:
            click.echo(message, err=True)

    def show(self, text: str, document: Any) -> None:
        """The result: text for people, or the JSON document if that was asked for."""
        click.echo(json_text(document) if self.json else text)


def plain(value: Any) -> Any:
    """The value with nan and infinities as None, which JSON does not have, and NumPy's numbers as Python's."""
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
    return json.dumps(plain(document), indent=2, allow_nan=False)


def write_text(path: Path, text: str) -> None:
    """A report in UTF-8; what no encoding has (a file's name that is not UTF-8) as an escape, since the numbers are what matters."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


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
        if path.suffix.lower() not in REPORT_SUFFIXES:
            raise click.BadParameter(f"{path}: ends in {path.suffix or 'no suffix'!r}; expected one of {', '.join(REPORT_SUFFIXES)}")
        if path.is_dir() or not path.parent.is_dir():
            what = "is a directory" if path.is_dir() else f"there is no directory {path.parent}"
            raise click.BadParameter(f"{path}: {what}")
    ctx.ensure_object(State).reports = paths
    return paths


_SHARED = (
    click.option("--json", is_flag=True, expose_value=False, callback=remember("json"),
                 help="Print one JSON document on standard output and nothing else there."),
    click.option("--report", multiple=True, metavar="FILE", expose_value=False, callback=_reports,
                 help="Write a report: .html, .md, .json, or .xml (JUnit) by its suffix; repeatable."),
    click.option("--seed", type=click.IntRange(min=0), metavar="INTEGER", expose_value=False, callback=remember("seed"),
                 help="Seed of everything random; commands that draw nothing give the same numbers with any."),
    click.option("--quiet", is_flag=True, expose_value=False, callback=remember("quiet"),
                 help="No messages on standard error but errors."),
    click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=remember("debug"),
                 help="On an error, show the traceback."),
)


def shared_options(function: Function) -> Function:
    """Give a command the options all commands have; it is called with the :class:`State` first."""

    @functools.wraps(function)
    def with_state(*args: Any, **options: Any) -> Any:
        return function(click.get_current_context().ensure_object(State), *args, **options)

    decorated: Any = with_state
    for option in reversed(_SHARED):
        decorated = option(decorated)
    result: Function = decorated
    return result
