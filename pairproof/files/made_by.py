"""Which files pairproof wrote itself, so that they may be written anew without being asked.

A page of HTML names its generator, with the SHA-256 of the page without that line; other formats that have
comments end in one with the SHA-256 of all that stands above it: a file that somebody has changed since is no
longer one that pairproof made.  Formats without comments are known by their shape: a JSON document by the
keys of one of the commands' documents, a CSV or JSON Lines file by the columns that a batch, scores or a
history have.  A model file and comparisons look as other tools' files do, and results that annotators gave
are nobody's to replace: those are not known.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from pathlib import Path

#: Suffix -> what stands before and after the words of a comment.
COMMENTS = {".md": ("<!-- ", " -->"), ".xml": ("<!-- ", " -->"), ".r": ("# ", ""), ".txt": ("", "")}
_WORDS = "pairproof wrote this file; sha256 of what stands above: "
_MARK = re.compile(rb"(?:<!-- |# )?" + _WORDS.encode() + rb"([0-9a-f]{64})(?: -->)?\r?\n?\Z")
_CHARSET = b'<meta charset="utf-8">\n'
_GENERATOR = re.compile(rb'<meta name="generator" content="pairproof; sha256 ([0-9a-f]{64})">\n')
#: A longer JSON document is not parsed to find out what it is.
_MOST_JSON = 64 * 1024**2
#: Keys of which all stand in a document of the command (or in the first entry, where it is a list).
DOCUMENTS: dict[str, frozenset[str]] = {
    "fit": frozenset({"model", "items", "params", "bse", "cov_params", "df_resid", "llf", "not_estimable"}),
    "agreements": frozenset({"summary", "agreements"}),
    "explain": frozenset({"readings", "fitting", "explanations"}),
    "compare-models": frozenset({"perplexity", "test_size", "seed"}),
    "compare-two": frozenset({"first", "second", "R", "se_vilar", "p_sign"}),
    "error-rates": frozenset({"level", "se_of_differences", "systems", "pairs", "notes"}),
    "rank-by-comparing": frozenset({"next", "asked", "at_most", "ranking"}),
    "easl status": frozenset({"method", "batches", "judgments", "scores"}),
    "simulate-annotation": frozenset({"truth", "annotators", "budget", "replicates", "methods"}),
    "doctor": frozenset({"python", "packages", "r", "r_packages", "missing"}),
    "record of a fit": frozenset({"format", "test", "about", "numbers"}),
}
_BATCH = ("campaign", "batch", "hit")
_SCORES = ("score", "low", "high", "n")
_HISTORY = (
    "HITId",
    "AssignmentId",
    "WorkerId",
    "AcceptTime",
    "SubmitTime",
    "WorkTimeInSeconds",
    "Input.campaign",
    "Input.batch",
    "Input.hit",
    "Input.id1",
)


def marked(content: bytes, suffix: str) -> bytes:
    """The content with its mark, where the format (".html", ".md", ".xml", ".r", ".txt") has comments."""
    if suffix.lower() == ".html" and content.count(_CHARSET, 0, 4096) == 1:
        line = f'<meta name="generator" content="pairproof; sha256 {hashlib.sha256(content).hexdigest()}">\n'.encode()
        return content.replace(_CHARSET, _CHARSET + line, 1)
    if suffix.lower() not in COMMENTS:
        return content
    before, after = COMMENTS[suffix.lower()]
    body = content if not content or content.endswith(b"\n") else content + b"\n"
    return body + f"{before}{_WORDS}{hashlib.sha256(body).hexdigest()}{after}\n".encode()


def is_ours(path: Path) -> bool:
    """Whether pairproof wrote the file, and nobody has changed it since where that can be told."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 512))
        if _MARK.search(file.read()):
            file.seek(0)
            return _is_marked(file.read())
        file.seek(0)
        head = file.read(65536)
        found = _GENERATOR.search(head)
        if found:
            return (
                hashlib.sha256(head[: found.start()] + head[found.end() :] + file.read()).hexdigest().encode()
                == found[1]
            )
        if head.lstrip()[:1] in (b"{", b"["):
            return _is_lines(head) or size <= _MOST_JSON and _is_document(head + file.read())
    return _is_table(head)


def _is_marked(content: bytes) -> bool:
    found = _MARK.search(content)
    return found is not None and hashlib.sha256(content[: found.start()]).hexdigest().encode() == found[1]


def _is_document(content: bytes) -> bool:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return False
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and any(keys <= first.keys() for keys in DOCUMENTS.values())


def _is_lines(head: bytes) -> bool:
    """JSON Lines of a batch: the first line is a HIT without answers."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "id1" in first and tuple(first)[-3:] == _BATCH


def _is_table(head: bytes) -> bool:
    """A CSV file with the header of a batch, of scores or of a history, in just our order."""
    try:
        header = tuple(next(csv.reader([head.partition(b"\n")[0].decode("utf-8").rstrip("\r")]), []))
    except (UnicodeDecodeError, csv.Error):
        return False
    if header and header[-1] == "guarded":
        header = header[:-1]
    return (
        header[:1] == ("id1",)
        and header[-3:] == _BATCH
        or header[:1] == ("id",)
        and header[-4:] == _SCORES
        or header[: len(_HISTORY)] == _HISTORY
    )
