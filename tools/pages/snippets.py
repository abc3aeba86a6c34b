"""Fenced blocks of a page: run in order, their output put back under them.

============================  ==============================================================================
fence                         what is done
============================  ==============================================================================
``python``                    run; names live on through the page; its output stands in the ``text`` fence
                              after it
``python raises``             the same, and must end in an error of ours, whose text is the output
``console``                   each line that begins with ``$ `` is run by sh; its output, stderr too, follows
                              it
``csv NAME``, ``toml NAME``   written to the file NAME, for the blocks after it; so are ``python NAME.py`` and
                              ``text NAME``
``text``                      output of the block before it, or quoted text where no block stands before it
``sh``, ``json``, ``r``       shown, not run
============================  ==============================================================================

Everything runs in a folder of its own that holds a copy of the tests' data, with R's recorded answers, so
that a page comes out on any machine.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pairproof.bridge import Backend, Records, using
from pairproof.errors import PairproofError

ROOT = Path(__file__).resolve().parents[2]
#: Folders of tests/certified that the snippets of pages read.
CERTIFIED_FOLDERS = ("fits", "answers/data", "answers/fits", "contests/fits")
#: R's answers that only the documentation asks for; searched before those of the package.
OWN_RECORDS = ROOT / "docs" / "records"
FENCE = re.compile(r"^```(?P<language>\w+)(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("python", "console")
FILES = ("csv", "toml")
SHOWN = ("text", "sh", "json", "r")
WIDTH = 100


class SnippetError(Exception):
    """A block that does not run, or that prints where no output is expected."""


@dataclass(frozen=True)
class Fence:
    """One fenced block; `start` and `end` are the places of its body in the page."""

    language: str
    info: str
    body: str
    start: int
    end: int


def fences(page: str) -> list[Fence]:
    """All fenced blocks of a page; a language that the table above does not have is an error."""
    found = [
        Fence(m["language"], m["info"].strip(), m["body"], m.start("body"), m.end("body"))
        for m in FENCE.finditer(page)
    ]
    for fence in found:
        if fence.language not in RUN + FILES + SHOWN:
            raise SnippetError(
                f"a fence says {fence.language!r}; expected one of {', '.join(RUN + FILES + SHOWN)}"
            )
    return found


def is_file(fence: Fence) -> bool:
    """Whether the block is the content of a file."""
    if fence.language == "python":
        return fence.info.endswith(".py")
    return fence.language in (*FILES, "text") and bool(fence.info)


def records() -> Records:
    """R's answers for the documentation; new ones are written beside the pages."""
    return Records([OWN_RECORDS, *Records().directories])


def with_output(page: str, backend: Backend | None = None) -> str:
    """The page, with what its blocks print put in place; `backend` answers for R (default: the records).

    A block that fails, or prints and has no ``text`` fence after it, is an error.
    """
    blocks = fences(page)
    new: list[tuple[int, int, str]] = []
    with workplace(backend or Backend("recorded", records=records())) as place:
        for number, fence in enumerate(blocks):
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            if is_file(fence):
                Path(fence.info).write_text(fence.body, encoding="utf-8")
            elif fence.language == "console":
                new.append((fence.start, fence.end, place.console(fence)))
            elif fence.language == "python":
                printed = place.python(fence)
                follows = (
                    after is not None
                    and after.language == "text"
                    and not page[fence.end + 4 : after.start].removesuffix("```text\n").strip()
                )
                if follows and after is not None:
                    new.append((after.start, after.end, printed))
                elif printed.strip():
                    raise SnippetError(
                        f"this block prints and has no text fence after it:\n{fence.body}{printed}"
                    )
    for start, end, text in reversed(new):
        page = page[:start] + text + page[end:]
    return page


@dataclass
class Workplace:
    names: dict[str, object]
    environment: dict[str, str]

    def python(self, fence: Fence) -> str:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # shown where a page prints them itself
                exec(compile(fence.body, "<page>", "exec"), self.names)
        except PairproofError as error:
            if fence.info != "raises":
                raise SnippetError(f"{type(error).__name__}: {error}\nin\n{fence.body}") from error
            return printed.getvalue() + textwrap.fill(f"{type(error).__name__}: {error}", WIDTH) + "\n"
        except Exception as error:
            raise SnippetError(f"{type(error).__name__}: {error}\nin\n{fence.body}") from error
        if fence.info == "raises":
            raise SnippetError(f"no error was raised by\n{fence.body}")
        return _tidy(printed.getvalue())

    def console(self, fence: Fence) -> str:
        lines = []
        for line in fence.body.splitlines():
            if line.startswith("$ "):
                ran = subprocess.run(
                    ["sh", "-c", line[2:]],
                    env=self.environment,
                    text=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
                if "Traceback" in ran.stdout or "not found" in ran.stdout:
                    raise SnippetError(f"{line}\n{ran.stdout}")
                lines += [line, *(_tidy(ran.stdout).splitlines() if ran.stdout else ())]
        return "\n".join(lines) + "\n"


def _tidy(printed: str) -> str:
    return "\n".join(line.rstrip() for line in printed.rstrip().splitlines()) + "\n"


@contextlib.contextmanager
def workplace(backend: Backend) -> Iterator[Workplace]:
    with tempfile.TemporaryDirectory(prefix="pairproof-docs-") as folder:
        for data in ("data", *(f"certified/{part}" for part in CERTIFIED_FOLDERS)):
            shutil.copytree(ROOT / "tests" / data, Path(folder, "tests", data))
        commands = Path(folder, "bin")
        commands.mkdir()
        # The interpreter that runs this, whatever PATH says; arguments are quoted for sh.
        for name, code in (
            ("python3", ""),
            ("pairproof", ' -c "import sys; from pairproof.cli import main; sys.exit(main())"'),
        ):
            (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{code} "$@"\n', encoding="utf-8")
            (commands / name).chmod(0o755)
        environment = {
            **os.environ,
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PAIRPROOF_R": backend.mode or "",
            "PAIRPROOF_RECORD": backend.record or "",
            "PAIRPROOF_RECORDS": str(OWN_RECORDS),
            "COLUMNS": str(WIDTH),
            "LC_ALL": "C.UTF-8",
        }
        before = os.getcwd()
        os.chdir(folder)
        try:
            with using(backend):
                yield Workplace({"__name__": "__page__"}, environment)
        finally:
            os.chdir(before)
