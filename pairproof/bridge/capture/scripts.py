"""The user's script as text: a regular file of bounded size, in UTF-8, of a kind that R runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...errors import InputError
from ...files.inputs import read_file

Kind = Literal["R", "Rmd", "Rnw"]

#: Suffix, in lower case -> kind.
KINDS: dict[str, Kind] = {
    ".r": "R",
    ".rmd": "Rmd",
    ".rmarkdown": "Rmd",
    ".qmd": "Rmd",
    ".rnw": "Rnw",
    ".snw": "Rnw",
}
EXPECTED = "an R script (.R), an R Markdown or Quarto file (.Rmd, .qmd) or a Sweave file (.Rnw, .Snw)"
#: Most bytes of a script. The longest met, a generated one, has 0.4 MB.
MOST_BYTES = 8 * 2**20
_SAVE = (
    "save it as UTF-8 (RStudio: File, Save with Encoding), or convert it:" " `iconv -f WINDOWS-1252 -t UTF-8`"
)
_BOM = b"\xef\xbb\xbf"
#: Beginnings of files that are no text, and what they are.
_NOT_TEXT = (
    (b"\xff\xfe", f"is in UTF-16, expected UTF-8; {_SAVE.replace('WINDOWS-1252', 'UTF-16')}"),
    (b"\xfe\xff", f"is in UTF-16, expected UTF-8; {_SAVE.replace('WINDOWS-1252', 'UTF-16')}"),
    (b"\x1f\x8b", f"is a gzip file; expected {EXPECTED}"),
    (b"PK\x03\x04", f"is a zip archive or an Office document; expected {EXPECTED}"),
    (b"%PDF", f"is a PDF; expected {EXPECTED}"),
    (b"RDX", f"is R data (.RData); expected {EXPECTED}"),
)


@dataclass(frozen=True)
class Script:
    """The user's file.

    path: absolute; its last part is not resolved, because R runs where the file lies under this name.  name:
    as the user gave it, for messages.  text: without a byte order mark, lines ended by a line feed.
    rewritten: whether R could not read the file as it is: a byte order mark, lines ended by a carriage return
    alone.
    """

    path: Path
    name: str
    kind: Kind
    text: str
    rewritten: bool = False

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
        raise InputError(
            f"{name}: {f'the suffix {suffix!r} is' if suffix else 'a file without a suffix is'} not that of a"
            f" script; expected {EXPECTED}"
        )
    text = _decoded(raw, name)
    rewritten = raw.startswith(_BOM) or b"\r" in raw.replace(b"\r\n", b"")
    return Script(Path(os.path.abspath(name)), name, kind, text, rewritten)


def _decoded(raw: bytes, name: str) -> str:
    for mark, what in _NOT_TEXT:
        if raw.startswith(mark):
            raise InputError(f"{name}: {what}")
    raw = raw.removeprefix(_BOM)
    zero = raw.find(b"\0")
    if zero >= 0:
        raise InputError(
            f"{name}: holds a zero byte (byte {zero + 1:,}), so it is no text; expected {EXPECTED}"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        raise InputError(
            f"{name}, line {line}, byte {column}: the byte 0x{raw[error.start]:02x} is not UTF-8; {_SAVE}"
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError(f"{name}: is empty ({len(raw)} bytes); expected {EXPECTED}")
    return text
