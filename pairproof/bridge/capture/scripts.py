"""The user's script: its text, what stands in it by R's own parser, and the R code of an R Markdown file.

A script is a regular file of bounded size, in UTF-8 or as Windows writes it, of a kind that R runs.  R's parser runs in a process of
its own (parse/parse.R) and evaluates nothing of it.

knitr's `purl` and R's `Stangle` write the code of the chunks one after another; of a chunk that is not
evaluated as comments.  A line of theirs is found again in the file's chunks by the longest runs of equal
lines, in order; a line that a chunk takes from another (`<<name>>`, ref.label) by its text, where that stands
once.

`purl` evaluates the chunks' options, which may be any R code: so it runs where the script runs, under its
limits.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError, PairproofError, RUnavailable
from ...files.inputs import read_file
from ...files.r_startup import PROJECT, r_environment
from ..process.cures import r_package
from .recorded import Mentioned, Place, TopLevel
from .running import Ran

Kind = Literal["R", "Rmd", "Rnw"]

#: Suffix, in lower case -> kind.
KINDS: dict[str, Kind] = {".r": "R", ".rnw": "Rnw", ".snw": "Rnw"}
KINDS |= {".rmd": "Rmd", ".rmarkdown": "Rmd", ".qmd": "Rmd"}
EXPECTED = "an R script (.R), an R Markdown or Quarto file (.Rmd, .qmd) or a Sweave file (.Rnw, .Snw)"
#: Most bytes of a script. The longest met, a generated one, has 0.4 MB.
MOST_BYTES = 8 * 2**20
_SAVE = "save it as UTF-8 (RStudio: File, Save with Encoding), or convert it: `iconv -f UTF-16 -t UTF-8`"
_BOM = b"\xef\xbb\xbf"
#: Beginnings of files that are no text, and what they are.
_NOT_TEXT = (
    *((mark, f"is in UTF-16, expected UTF-8; {_SAVE}") for mark in (b"\xff\xfe", b"\xfe\xff")),
    (b"\x1f\x8b", f"is a gzip file; expected {EXPECTED}"),
    (b"PK\x03\x04", f"is a zip archive or an Office document; expected {EXPECTED}"),
    (b"%PDF", f"is a PDF; expected {EXPECTED}"),
    (b"RDX", f"is R data (.RData); expected {EXPECTED}"),
)


@dataclass(frozen=True)
class Script:
    """The user's file."""

    path: Path
    name: str
    kind: Kind
    text: str
    rewritten: bool = False
    encoding: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self.text.split("\n")[: -1 if self.text.endswith("\n") else None])


def read_script(script: str | os.PathLike[str]) -> Script:
    """Read and check the user's file."""
    name = os.fspath(script)
    if name and "\0" not in name and os.path.isdir(name):
        found = sorted(f for f in os.listdir(name) if os.path.splitext(f)[1].lower() in KINDS)
        there = f"; it holds {', '.join(found[:5])}{', ...' if len(found) > 5 else ''}" if found else ""
        raise InputError(f"{name}: is a directory; expected {EXPECTED}{there}")
    raw = read_file(script, EXPECTED, most=MOST_BYTES)
    suffix = os.path.splitext(name)[1]
    kind = KINDS.get(suffix.lower())
    if kind is None:
        what = f"the suffix {suffix!r} is" if suffix else "a file without a suffix is"
        raise InputError(f"{name}: {what} not that of a script; expected {EXPECTED}")
    text, encoding = _decoded(raw, name)
    rewritten = bool(encoding) or raw.startswith(_BOM) or b"\r" in raw.replace(b"\r\n", b"")
    return Script(Path(os.path.abspath(name)), name, kind, text, rewritten, encoding)


def _decoded(raw: bytes, name: str) -> tuple[str, str]:
    """The text, and the encoding where it is not UTF-8."""
    for mark, what in _NOT_TEXT:
        if raw.startswith(mark):
            raise InputError(f"{name}: {what}")
    raw = raw.removeprefix(_BOM)
    zero = raw.find(b"\0")
    if zero >= 0:
        found = f"holds a zero byte (byte {zero + 1:,}), so it is no text"
        raise InputError(f"{name}: {found}; expected {EXPECTED}")
    text, encoding = "", ""
    for encoding in ("", "Windows-1252", "latin1"):  # the last has a letter for every byte
        with contextlib.suppress(UnicodeDecodeError):
            text = raw.decode(encoding or "utf-8")
            break
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError(f"{name}: is empty ({len(raw)} bytes); expected {EXPECTED}")
    return text, encoding


PARSER = Path(__file__).parent / "parse" / "parse.R"
#: A script of 10,000 lines takes about 10 s.
PARSE_SECONDS = 120.0


@dataclass(frozen=True)
class Call:
    """A call in the text."""

    mentioned: Mentioned
    within: str
    returned: bool
    scope: tuple[str, ...] = ()


@dataclass
class Parsed:
    """A file's text, by R's parser; places are lines of the file that was parsed."""

    expressions: list[Place] = field(default_factory=list)
    trees: list[TopLevel] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
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

    R starts in a folder of ours, and reads the start-up files of the site and the home alone: parsing runs
    nothing of the script's.
    """
    options = ["--no-echo", "--no-restore", "--no-save", "--no-init-file", f"--file={PARSER}", "--args"]
    command, own = [*prefix, r, *options, *map(str, files)], {**environment, PROJECT: "0"}
    how: dict[str, Any] = {"cwd": PARSER.parent, "env": r_environment(own, profile=False)}
    how |= {"stdin": subprocess.DEVNULL, "timeout": PARSE_SECONDS}
    try:
        done = subprocess.run(command, capture_output=True, **how)
    except subprocess.TimeoutExpired:
        late = f"R's parser did not finish within {PARSE_SECONDS:g} s"
        raise InputError(f"{files[0].name}: {late}; split the script") from None
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
            r_home, home, version = (str(item[name]) for name in ("r_home", "home", "r_version"))
            places = Places(r_home, tuple(filter(None, item["libraries"])), home, version)
        elif "file" in item:
            number = int(item["file"]) - 1
            _take(found[number], item, files[number].name)
    if done.returncode != 0 or places is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        why = f"{said[-1][:300]} (exit code {done.returncode})"
        raise PairproofError(f"{files[0].name}: R could not read the script's text: {why}")
    return found, places


def _place(item: dict[str, Any], name: str) -> Place:
    return Place(int(item["line"]), int(item["last"]), file=name)


def _take(parsed: Parsed, item: dict[str, Any], name: str) -> None:
    match item.get("type"):
        case "expression":
            parsed.expressions.append(_place(item, name))
            parsed.trees.append(TopLevel(str(item["text"]), item.get("tree")))
        case "call":
            words = [str(item[key]) for key in ("function", "package", "text", "variable")]
            task = item.get("task")
            mentioned = Mentioned(_place(item, name), int(task) if isinstance(task, int) else 0, *words)
            within = str(item["within"])
            scope = tuple(str(part) for part in item["scope"] if part)
            parsed.calls.append(Call(mentioned, within.removeprefix("="), within.startswith("="), scope))
        case "package":
            parsed.packages[str(item["name"])] = item["installed"] is True
            if item["needed"] is True:
                parsed.needed.append(str(item["name"]))
        case "loop":
            parsed.loops.append(str(item["name"]))
        case "string":
            parsed.strings.append(str(item["text"]))
        case "error":
            parsed.error = (int(item["line"]), int(item["column"]), str(item["message"]))


NO_KNITR = 87
#: Input, output: arguments of the command.
PURL = (
    'if (!requireNamespace("knitr", quietly = TRUE)) quit(status = 87L); a <- commandArgs(TRUE);'
    " options(knitr.purl.inline = TRUE);"
    ' invisible(knitr::purl(a[1L], a[2L], documentation = 1L, quiet = TRUE, encoding = "UTF-8"))'
)
STANGLE = 'a <- commandArgs(TRUE); utils::Stangle(a[1L], output = a[2L], quiet = TRUE, encoding = "UTF-8", split = FALSE)'
#: A Sweave file that is written for knitr.
_OF_KNITR = re.compile(r"VignetteEngine\{knitr|opts_chunk\$set|opts_knit\$set")
_FENCED = r"^[\t >]*(?:```+|~~~+)\s*\{\s*(?!r[ ,}])([a-zA-Z]\w*)[^}]*\}\s*$"
_MD_OTHER = re.compile(_FENCED, re.MULTILINE | re.IGNORECASE)
_MD_INLINE = re.compile(r"`r[ #]\s*([^`\n]+?)\s*`")
_NW_INLINE = re.compile(r"\\Sexpr\{")
_MD_BEGIN = re.compile(r"^[\t >]*(```+|~~~+)\s*\{\s*r(?:[ ,].*|)\}\s*$", re.IGNORECASE)
_NW_BEGIN = re.compile(r"^\s*<<.*>>=")
_NW_END = re.compile(r"^\s*@\s*(%.*)?$")


def tangled(
    script: Script, name: str, target: Path, run: Callable[[list[str]], Ran]
) -> tuple[str, tuple[int, ...]]:
    """The code of a document, and for each of its lines the line of the document, 0 where it is not known."""
    with_knitr = script.kind == "Rmd" or _OF_KNITR.search(script.text) is not None
    ran = run(["-e", PURL if with_knitr else STANGLE, name, str(target)])
    if ran.code == NO_KNITR:
        lost = "R package knitr is not installed; it takes the code out of such a file"
        raise RUnavailable(f"{script.name}: {lost}\n  cure: {r_package('knitr')}")
    said = " ".join(ran.errors.decode("utf-8", "replace").split())
    if ran.timed_out:
        late = f"its code was not taken out within {ran.seconds:.0f} s"
        raise InputError(f"{script.name}: {late}; nothing was run")
    if ran.code != 0 or not target.is_file():
        tool, why = "knitr::purl" if with_knitr else "utils::Stangle", said[-400:] or f"exit code {ran.code}"
        raise InputError(f"{script.name}: {tool} could not take the code out: {why}; nothing was run")
    code = target.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    if not any(line.strip() and not line.lstrip().startswith("#") for line in code.split("\n")):
        raise InputError(f"{script.name}: holds no R code that is evaluated; expected chunks of R")
    return code, line_map(script, code)


def parts_not_run(script: Script) -> str:
    """R code within the text of Sweave, and chunks of other languages, which are not run; "" if none."""
    of_knitr = script.kind == "Rmd" or _OF_KNITR.search(script.text)
    inline = 0 if of_knitr else len(_NW_INLINE.findall(script.text))
    found = [f"{inline} R expression{'s' if inline > 1 else ''} within the text"] if inline else []
    others = _MD_OTHER.findall(script.text) if script.kind == "Rmd" else []
    chunks = f"{len(others)} chunk{'s' if len(others) > 1 else ''} of {', '.join(sorted(set(others)))}"
    return " and ".join([*found, *([chunks] if others else [])])


def line_map(script: Script, code: str) -> tuple[int, ...]:
    """For each line of the code the line of the document, from 1; 0 where it is not known."""
    chunks = set(chunk_lines(script))
    numbers, known = list[int](), list[str]()
    for n, line in enumerate(script.lines, 1):
        texts = [line] if n in chunks else _MD_INLINE.findall(line)
        numbers += [n] * len(texts)
        known += map(_bare, texts)
    written = [_bare(line) for line in code.split("\n")]
    found = [0] * len(written)
    for a, b, size in difflib.SequenceMatcher(None, known, written, autojunk=False).get_matching_blocks():
        found[b : b + size] = numbers[a : a + size]
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
        before = [number for number in lines[: error[0]] if number]  # R may notice it after the end
        error = (before[-1] if before else 0, error[1], error[2])
    expressions, calls = [*map(place, parsed.expressions)], [*map(call, parsed.calls)]
    return replace(parsed, expressions=expressions, calls=calls, error=error)


def _is_fence(line: str, fence: str) -> bool:
    """Whether the line closes a chunk that `fence` opened."""
    bare = line.strip().lstrip("> \t")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _bare(line: str) -> str:
    """A line of code without its indentation and the signs of a quotation or of a comment of `purl`."""
    return re.sub(r"^[\t >]*(## )?", "", line).rstrip()
