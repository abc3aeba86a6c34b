"""The R code of an R Markdown, Quarto or Sweave file, and where each of its lines stands in that file.

knitr's `purl` and R's `Stangle` write the code of the chunks one after another; of a chunk that is not evaluated as
comments.  A line of theirs is found again in the file's chunks by the longest runs of equal lines, in order; a line
that a chunk takes from another (`<<name>>`, ref.label) by its text, where that stands once.

`purl` evaluates the chunks' options, which may be any R code: so it runs where the script runs, under its limits.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...errors import InputError, RUnavailable
from ..process.cures import r_package
from .parsing import Call, Parsed
from .recorded import Place
from .running import Ran
from .scripts import Script

NO_KNITR = 87
#: Input, output: arguments of the command.
PURL = (
    'if (!requireNamespace("knitr", quietly = TRUE)) quit(status = 87L); a <- commandArgs(TRUE);'
    ' invisible(knitr::purl(a[1L], a[2L], documentation = 1L, quiet = TRUE, encoding = "UTF-8"))'
)
STANGLE = 'a <- commandArgs(TRUE); utils::Stangle(a[1L], output = a[2L], quiet = TRUE, encoding = "UTF-8", split = FALSE)'
#: A Sweave file that is written for knitr.
_OF_KNITR = re.compile(r"VignetteEngine\{knitr|opts_chunk\$set|opts_knit\$set")
_MD_OTHER = re.compile(
    r"^[\t >]*(?:```+|~~~+)\s*\{\s*(?!r[ ,}])([a-zA-Z]\w*)[^}]*\}\s*$", re.MULTILINE | re.IGNORECASE
)
_MD_INLINE = re.compile(r"`r[ #][^`\n]+`")
_NW_INLINE = re.compile(r"\\Sexpr\{")
_MD_BEGIN = re.compile(r"^[\t >]*(```+|~~~+)\s*\{\s*r(?:[ ,].*|)\}\s*$", re.IGNORECASE)
_NW_BEGIN = re.compile(r"^\s*<<.*>>=")
_NW_END = re.compile(r"^\s*@\s*(%.*)?$")


def tangled(
    script: Script, name: str, target: Path, run: Callable[[list[str]], Ran]
) -> tuple[str, tuple[int, ...]]:
    """The code of a document, and for each of its lines the line of the document, 0 where it is not known.

    name: of the document in the folder where R runs.  target: where the code is written.  run: runs R's
    program with these arguments in the copy of the folder.
    """
    with_knitr = script.kind == "Rmd" or _OF_KNITR.search(script.text) is not None
    ran = run(["-e", PURL if with_knitr else STANGLE, name, str(target)])
    if ran.code == NO_KNITR:
        raise RUnavailable(
            f"{script.name}: R package knitr is not installed; it takes the code out of such a file"
            f"\n  cure: {r_package('knitr')}"
        )
    said = " ".join(ran.errors.decode("utf-8", "replace").split())
    if ran.timed_out:
        raise InputError(
            f"{script.name}: its code was not taken out within {ran.seconds:.0f} s; nothing was run"
        )
    if ran.code != 0 or not target.is_file():
        raise InputError(
            f"{script.name}: {'knitr::purl' if with_knitr else 'utils::Stangle'} could not take the code out:"
            f" {said[-400:] or f'exit code {ran.code}'}; nothing was run"
        )
    code = target.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    if not any(line.strip() and not line.lstrip().startswith("#") for line in code.split("\n")):
        raise InputError(f"{script.name}: holds no R code that is evaluated; expected chunks of R")
    return code, line_map(script, code)


def parts_not_run(script: Script) -> str:
    """R code within the text, and chunks of other languages: they are not part of the code that runs; "" if none."""
    inline = len((_MD_INLINE if script.kind == "Rmd" else _NW_INLINE).findall(script.text))
    found = [f"{inline} R expression{'s' if inline > 1 else ''} within the text"] if inline else []
    others = _MD_OTHER.findall(script.text) if script.kind == "Rmd" else []
    if others:
        found.append(
            f"{len(others)} chunk{'s' if len(others) > 1 else ''} of {', '.join(sorted(set(others)))}"
        )
    return " and ".join(found)


def line_map(script: Script, code: str) -> tuple[int, ...]:
    """For each line of the code the line of the document, from 1; 0 where it is not known."""
    numbers = chunk_lines(script)
    known = [_bare(script.lines[number - 1]) for number in numbers]
    written = [_bare(line) for line in code.split("\n")]
    found = [0] * len(written)
    matcher = difflib.SequenceMatcher(None, known, written, autojunk=False)
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            found[block.b + i] = numbers[block.a + i]
    once = {text for text, count in Counter(known).items() if count == 1 and text}
    where = dict(zip(known, numbers))
    return tuple(number or (where[text] if text in once else 0) for number, text in zip(found, written))


def chunk_lines(script: Script) -> list[int]:
    """Numbers of the document's lines that stand in chunks of R, from 1."""
    numbers: list[int] = []
    fence: str | None = None
    for number, line in enumerate(script.lines, 1):
        if fence is None:
            begin = (_MD_BEGIN if script.kind == "Rmd" else _NW_BEGIN).match(line)
            if begin:
                fence = begin[1] if script.kind == "Rmd" else "@"
        elif (fence == "@" and _NW_END.match(line)) or (fence != "@" and _is_fence(line, fence)):
            fence = None
        elif fence == "@" and _NW_BEGIN.match(line):
            continue
        else:
            numbers.append(number)
    return numbers


def mapped(parsed: Parsed, lines: tuple[int, ...], name: str) -> Parsed:
    """What stands in the code, with the lines of the document."""

    def place(of: Place) -> Place:
        inside = [number for number in lines[max(of.line - 1, 0) : of.last] if number]
        return Place(min(inside, default=0), max(inside, default=0), bool(inside), name)

    def call(of: Call) -> Call:
        return replace(of, mentioned=replace(of.mentioned, place=place(of.mentioned.place)))

    error = parsed.error
    if error is not None:
        before = [
            number for number in lines[: error[0]] if number
        ]  # R may notice it after the end of the code
        error = (before[-1] if before else 0, error[1], error[2])
    return replace(
        parsed,
        expressions=[place(of) for of in parsed.expressions],
        calls=[call(of) for of in parsed.calls],
        shown=[replace(of, place=place(of.place)) for of in parsed.shown],
        error=error,
    )


def _is_fence(line: str, fence: str) -> bool:
    """Whether the line closes a chunk that `fence` opened."""
    bare = line.strip().lstrip("> \t")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _bare(line: str) -> str:
    """A line of code without its indentation and the signs of a quotation or of a comment of `purl`."""
    return re.sub(r"^[\t >]*(## )?", "", line).rstrip()
