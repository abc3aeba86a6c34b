"""What stands in a script, by R's own parser in a process of its own (parse/parse.R); nothing of it is evaluated."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError, PairproofError
from ...files.r_startup import PROJECT, r_environment
from .recorded import Mentioned, Place, Shown

PARSER = Path(__file__).parent / "parse" / "parse.R"
#: A script of 10,000 lines takes about 10 s.
PARSE_SECONDS = 120.0


@dataclass(frozen=True)
class Call:
    """A call in the text.

    within: name of the script's function in which it stands; "" if in none.  returned: whether it is that
    function's value.  loop: whether it stands in a loop or in a function.  scope: variables of the loops, and
    arguments of the functions, that it stands in, from the outermost.
    """

    mentioned: Mentioned
    within: str
    returned: bool
    loop: bool
    scope: tuple[str, ...] = ()


@dataclass
class Parsed:
    """A file's text, by R's parser; places are lines of the file that was parsed."""

    expressions: list[Place] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    packages: dict[str, bool] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    error: tuple[int, int, str] | None = None


@dataclass(frozen=True)
class Places:
    """Where R lives on this machine."""

    r_home: str
    libraries: tuple[str, ...]
    home: str
    r_version: str


def parse_files(
    r: str, files: Sequence[Path], environment: Mapping[str, str], prefix: Sequence[str] = ()
) -> tuple[list[Parsed], Places]:
    """What stands in each file.

    R starts in a folder of ours, and reads the start-up files of the site and the home alone: parsing runs nothing of
    the script's.

    r: R's program.  files: absolute.  prefix: of a sandbox.
    """
    command = [
        *prefix,
        r,
        "--no-echo",
        "--no-restore",
        "--no-save",
        "--no-init-file",
        f"--file={PARSER}",
        "--args",
    ]
    try:
        done = subprocess.run(
            [*command, *(str(file) for file in files)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=PARSER.parent,
            env=r_environment({**environment, PROJECT: "0"}, profile=False),
            timeout=PARSE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"{files[0].name}: R's parser did not finish within {PARSE_SECONDS:g} s; split the script"
        ) from None
    except OSError as error:
        raise PairproofError(f"{r} did not run: {error.strerror or error}") from None
    found = [Parsed() for _ in files]
    places: Places | None = None
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        try:
            item = json.loads(line)
        except ValueError:
            continue  # what a site profile prints
        if not isinstance(item, dict):
            continue
        if item.get("type") == "places":
            places = Places(
                str(item["r_home"]),
                tuple(filter(None, item["libraries"])),
                str(item["home"]),
                str(item["r_version"]),
            )
        elif item.get("type") in _TAKE:
            number = int(item["file"]) - 1
            _TAKE[item["type"]](found[number], item, files[number].name)
    if done.returncode != 0 or places is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise PairproofError(
            f"{files[0].name}: R could not read the script's text: {said[-1][:300] if said else 'it said nothing'}"
            f" (exit code {done.returncode})"
        )
    return found, places


def _place(item: dict[str, Any], name: str) -> Place:
    return Place(int(item["line"]), int(item["last"]), file=name)


def _expression(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.expressions.append(_place(item, name))


def _call(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    mentioned = Mentioned(
        _place(item, name),
        _task(item),
        str(item["function"]),
        str(item["package"]),
        str(item["text"]),
        str(item["variable"]),
    )
    within = str(item["within"])
    scope = tuple(str(name) for name in item["scope"] if name)
    parsed.calls.append(
        Call(mentioned, within.removeprefix("="), within.startswith("="), item["loop"] is True, scope)
    )


def _shown(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.shown.append(
        Shown(
            _place(item, name),
            _task(item),
            str(item["function"]),
            str(item["variable"]),
            str(item["text"]),
            item["loop"] is True,
            item["printed"] is True,
        )
    )


def _package(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.packages[str(item["name"])] = item["installed"] is True
    if item["needed"] is True:
        parsed.needed.append(str(item["name"]))


def _loop(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.loops.append(str(item["name"]))


def _string(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.strings.append(str(item["text"]))


def _error(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    parsed.error = (int(item["line"]), int(item["column"]), str(item["message"]))


def _task(item: dict[str, Any]) -> int:
    task = item.get("task")
    return int(task) if isinstance(task, int) else 0


_TAKE = {
    "expression": _expression,
    "call": _call,
    "shown": _shown,
    "package": _package,
    "loop": _loop,
    "string": _string,
    "error": _error,
}
