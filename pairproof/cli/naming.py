"""What Python's errors say, in the words of the command line: `items=['A', 'B']` is `--items A,B` there.

An error names the arguments of the function that raised it.  The options of a command have the same names, so
that one place can put the option where the argument stands, whichever command was running.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ..text import as_typed, flag as flag

if TYPE_CHECKING:
    from ..data.reading.forms import LayoutError, Way

_QUOTES = "'\""
_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = rf"(?:{_TEXT}|\[[^\]]*\]|\{{[^}}]*\}}|\([^)]*\)|\.\.\.|[\w%+-]+(?:\.\w+)*)?"
#: An argument with its value; before it, to be left as they are: a call in Python, a quoted text.
_ARGUMENT = re.compile(rf"[\w.]+\([^()]*\)|(?<!\w)(?:{_TEXT})(?!\w)|(?<![\w.-])([a-z]\w*)=(?!=)({_VALUE})")
_IN_PYTHON = re.compile(r" \([^()]*\bin Python\b[^()]*\)")
_PARTS = re.compile(rf"({_TEXT}|[^\s,:'\"\[\]{{}}()]+)(\s*:)?")
#: An option that is named twice in a row, the second time as it was said of the command line before.
_TWICE = re.compile(
    r"(--[a-z][a-z-]*)((?: \S+?)?)(?:,? \(\1(?: [^()]*)?\)|(?:, | or )\1(?: \S+?)?(?=[,;)]?(?:\s|$)))"
)


def parameter(argument: str) -> str:
    """The name of that option's value."""
    return flag(argument)[2:].replace("-", "_")


def in_options(message: str, command: click.Command | None) -> str:
    """The message with the command's options in place of Python's arguments, as far as it has them."""
    if command is None:
        return message
    options = [p for p in command.params if isinstance(p, click.Option)]

    def said(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        option = None if name is None else _option(options, name, value.strip("'\""))
        return found[0] if option is None else _written(option, value)

    changed = _ARGUMENT.sub(said, _IN_PYTHON.sub("", message))
    return message if changed == message else _TWICE.sub(r"\1\2", changed)


def _option(options: list[click.Option], name: str, value: str) -> click.Option | None:
    """The option of an argument: one that has the value among its choices, or takes any, before others."""
    called = [o for o in options if o.name == name] + [o for o in options if flag(name) in o.opts]
    ending = [o for o in options if str(o.name).endswith(f"_{name}")]
    choosing = [o for o in (*called, *ending) if isinstance(o.type, click.Choice) and value in o.type.choices]
    free = [o for o in called if not isinstance(o.type, click.Choice)]
    return next(iter([*choosing, *free, *called]), None)


def _written(option: click.Option, value: str) -> str:
    """`--items A,B` for ['A', 'B'], `--items A,B,C` for [...], `--dependence` for True."""
    flag = option.opts[0]
    if value in ("True", "False", "None"):
        stated = value == "True"
        if isinstance(option.type, click.Choice):
            return f"{flag} {'yes' if stated else 'no'}"
        return flag if stated else f"no {flag}"
    if not value:
        return flag
    if value.strip("[{()}]'\"") == "...":
        return f"{flag} {option.metavar}"
    if value[0] not in "[{(":
        return f"{flag} {shlex.quote(_bare(value))}"
    parts = "".join(f"{_bare(text)}{'=' if colon else ','}" for text, colon in _PARTS.findall(value))
    if option.multiple and "=" in parts and "[" not in value:
        return " ".join(f"{flag} {shlex.quote(part)}" for part in parts.rstrip(",").split(","))
    return f"{flag} {shlex.quote(parts.rstrip(','))}"


def _bare(text: str) -> str:
    return text[1:-1] if text[0] in _QUOTES else text


def as_command(
    error: LayoutError, command: click.Command | None, called: str, typed: Sequence[str], way: Way
) -> str:
    """The command that reads a table in this way: the one that was typed, with the options that it lacks; or `fit`, or
    `fit-answers`, if it does not read tables of this layout."""
    arguments = error.arguments(way)
    options = {option.name: option.type for option in command.params} if command else {}
    layouts = getattr(options.get("layout"), "choices", ())
    if arguments["layout"] == "prefmod" and "pairs" in layouts and "prefmod" not in layouts:
        arguments = {**arguments.pop("columns", {}), **arguments, "layout": "pairs"}
    if way.of_items:
        arguments = {"columns": arguments.get("columns", {})}
        imports = "pairproof easl import"
        called, typed = (called, typed) if called == imports else (imports, ("study.db", error.source))
    elif arguments["layout"] not in layouts:
        called, typed = f"pairproof {'fit-answers' if way.respondents else 'fit'}", (error.source,)
    else:
        arguments = {name: value for name, value in arguments.items() if error.stated.get(name) != value}
    words = [word for name, value in arguments.items() for word in as_typed(name, value)]
    return f"{called} {shlex.join([*_without(typed, words), *words])}"


def _without(typed: Sequence[str], stated: Sequence[str]) -> Iterator[str]:
    """What was typed, but for options that are stated anew."""
    flags, words = {word for word in stated if word.startswith("--")}, iter(typed)
    for word in words:
        if word in flags:
            next(words, None)
        elif word.partition("=")[0] not in flags:
            yield word
