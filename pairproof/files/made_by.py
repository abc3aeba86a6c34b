"""Recognises files that pairproof wrote itself, which may be replaced without asking.

A page of HTML names its generator, with the SHA-256 of the page without that line; other formats that have
comments end in one with the SHA-256 of all text above it; a PNG picture has a text chunk with the SHA-256 of the
others.  A file that somebody has changed since is no
longer recognised.  Formats without comments are recognised by their shape: a JSON document by the keys of one
of the commands' documents, a CSV or JSON Lines file by the columns of a batch, of scores, of predictions or of a
history.
Not recognised are model files and comparisons, which look like other tools' files, and annotators' results,
which must never be replaced.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import struct
import zlib
from pathlib import Path

#: Suffix -> the text before and after a comment.
COMMENTS = {
    ".md": ("<!-- ", " -->"),
    ".xml": ("<!-- ", " -->"),
    ".svg": ("<!-- ", " -->"),
    ".pdf": ("% ", ""),
    ".r": ("# ", ""),
    ".txt": ("", ""),
}
_WORDS = "pairproof wrote this file; sha256 of what stands above: "
_MARK = re.compile(rb"(?:<!-- |# |% )?" + _WORDS.encode() + rb"([0-9a-f]{64})(?: -->)?\r?\n?\Z")
_CHARSET = b'<meta charset="utf-8">\n'
_GENERATOR = re.compile(rb'<meta name="generator" content="pairproof; sha256 ([0-9a-f]{64})">\n')
#: A PNG picture begins with these bytes and with 25 of its header; then comes our text chunk.
_PNG, _PNG_HEAD, _PNG_KEY = b"\x89PNG\r\n\x1a\n", 33, b"tEXtpairproof\0"
#: A longer JSON document is not parsed, and so not recognised.
_MOST_JSON = 64 * 1024**2
#: Command -> keys that its document has (or the first entry of it, where it is a list).
DOCUMENTS: dict[str, frozenset[str]] = {
    "fit": frozenset({"model", "items", "params", "bse", "cov_params", "df_resid", "llf", "not_estimable"}),
    "predict": frozenset({"model", "level", "warnings", "predictions"}),
    "agreements": frozenset({"summary", "agreements"}),
    "explain": frozenset({"readings", "fitting", "explanations"}),
    "compare-models": frozenset({"perplexity", "test_size", "seed"}),
    "compare-two": frozenset({"first", "second", "R", "se_vilar", "p_sign"}),
    "tree": frozenset({"model", "covariates", "alpha", "minimum", "nodes", "leaves"}),
    "sample-size": frozenset({"goal", "expected", "wanted_power", "design", "judges_needed"}),
    "watch": frozenset({"level", "planned", "assumed", "intervals", "notes"}),
    "error-rates": frozenset({"level", "se_of_differences", "systems", "pairs", "notes"}),
    "rank-by-comparing": frozenset({"next", "asked", "at_most", "ranking"}),
    "easl status": frozenset({"method", "batches", "judgments", "scores"}),
    "simulate-annotation": frozenset({"truth", "annotators", "budget", "replicates", "methods"}),
    "doctor": frozenset({"python", "packages", "r", "r_packages", "missing"}),
    "record of a fit": frozenset({"format", "test", "about", "numbers"}),
}
_BATCH = ("campaign", "batch", "hit")
_PREDICTIONS = ("first", "second", "eta", "se", "p_first", "p_tie", "p_second", "low", "high")
_SCORES = ("score", "low", "high", "n")
_HISTORY = tuple(
    "HITId AssignmentId WorkerId AcceptTime SubmitTime WorkTimeInSeconds "
    "Input.campaign Input.batch Input.hit Input.id1".split()
)


def marked(content: bytes, suffix: str) -> bytes:
    """The content with the mark of pairproof, if the format (".html", ".md", ".xml", ".svg", ".pdf", ".r", ".txt",
    ".png") has comments.
    """
    if suffix.lower() == ".png" and content.startswith(_PNG):
        body = _PNG_KEY + _digest(content).encode()
        chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        return content[:_PNG_HEAD] + chunk + content[_PNG_HEAD:]
    if suffix.lower() == ".html" and content.count(_CHARSET, 0, 4096) == 1:
        line = f'<meta name="generator" content="pairproof; sha256 {_digest(content)}">\n'
        return content.replace(_CHARSET, _CHARSET + line.encode(), 1)
    if suffix.lower() not in COMMENTS:
        return content
    before, after = COMMENTS[suffix.lower()]
    body = content if not content or content.endswith(b"\n") else content + b"\n"
    return body + f"{before}{_WORDS}{_digest(body)}{after}\n".encode()


def is_ours(path: Path) -> bool:
    """Whether pairproof wrote the file and, in formats that have a mark, nobody has changed it since."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 512))
        if _MARK.search(file.read()):
            file.seek(0)
            return _is_marked(file.read())
        file.seek(0)
        head = file.read(65536)
        if head.startswith(_PNG):
            return _is_picture(head + file.read())
        found = _GENERATOR.search(head)
        if found:
            return _digest(head[: found.start()] + head[found.end() :] + file.read()).encode() == found[1]
        if head.lstrip()[:1] in (b"{", b"["):
            return _is_lines(head) or size <= _MOST_JSON and _is_document(head + file.read())
    return _is_table(head)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_marked(content: bytes) -> bool:
    found = _MARK.search(content)
    return found is not None and _digest(content[: found.start()]).encode() == found[1]


def _is_picture(content: bytes) -> bool:
    """Whether a PNG has our chunk behind its header, and the rest is as it was."""
    start, end = _PNG_HEAD + 4, _PNG_HEAD + 4 + len(_PNG_KEY)
    if content[start:end] != _PNG_KEY:
        return False
    # Behind the key come the 64 digits of the digest and 4 bytes of a checksum.
    rest = content[:_PNG_HEAD] + content[end + 68 :]
    return _digest(rest).encode() == content[end : end + 64]


def _is_document(content: bytes) -> bool:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return False
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and any(keys <= first.keys() for keys in DOCUMENTS.values())


def _is_lines(head: bytes) -> bool:
    """Whether the file is JSON Lines of a batch: its first line is a HIT without answers."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "id1" in first and tuple(first)[-3:] == _BATCH


def _is_table(head: bytes) -> bool:
    """Whether the file is CSV with the header of a batch, of scores, of predictions or of a history, in pairproof's order."""
    try:
        header = tuple(next(csv.reader([head.partition(b"\n")[0].decode("utf-8").rstrip("\r")]), []))
    except (UnicodeDecodeError, csv.Error):
        return False
    if header and header[-1] == "guarded":
        header = header[:-1]
    batch = header[:1] == ("id1",) and header[-3:] == _BATCH
    scores = header[:1] == ("id",) and header[-4:] == _SCORES
    predictions = header[: len(_PREDICTIONS)] == _PREDICTIONS
    return batch or scores or predictions or header[: len(_HISTORY)] == _HISTORY
