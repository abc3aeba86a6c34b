"""Files written, never in place of a file that is read or a campaign; and CSV cells that no spreadsheet runs.

Files that pairproof did not make are replaced only with `force`.  A page of HTML names its generator, with
the SHA-256 of the page without that line; other formats that have comments end in one with the SHA-256 of
all text above it; a PNG picture has a text chunk with the SHA-256 of the others.  A file that somebody has
changed since is no longer recognised.  JSON documents, CSV and JSON Lines files are recognised by their
keys and columns.  Model files and comparisons, which look like other tools' files, and annotators' results
are not recognised.

A file is replaced in one step, or not at all.  Where the system can, the bytes are first written into a file
without a name, which vanishes with its process; elsewhere into `.NAME.XXXX.pairproof-part` in the same
folder, which is locked meanwhile, so that a later run recognises what a killed one left and removes it.

A spreadsheet takes a cell that begins with = + - @ tab or return for a formula.  Such a cell is guarded:
written with an apostrophe before it.  A cell that begins with apostrophes followed by such a sign gets one
too, so that removing one apostrophe is the exact inverse.  Plain numbers are left as they are.  A file with
guarded cells has a last column `guarded`, with 1 in the rows concerned.  Files that are only data for R or
for pairproof itself (of a claims file, of a migrated analysis) are not guarded: an apostrophe would be
part of the name that is read.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import secrets
import stat
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Union

from ..errors import InputError
from .inputs import Identity, checked_name, kind_of, noted

#: Name of the column that says in which rows cells were guarded.
MARK = "guarded"
_DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
_SUSPECT = re.compile(r"\0'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
#: A plain number, which a spreadsheet takes for one.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guard(cell: str) -> str:
    """The cell, with an apostrophe before it if a spreadsheet would run it as a formula."""
    return "'" + cell if _DANGEROUS.match(cell) and not NUMBER.fullmatch(cell) else cell


def unguard(cell: str) -> str:
    """The inverse of :func:`guard`, for a cell of a row marked as guarded."""
    return cell[1:] if _GUARDED.match(cell) and not NUMBER.fullmatch(cell) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a CSV file with guarded cells, and the last column `guarded` if there are any."""
    table = [list(row) for row in rows]
    # Most tables have no such cell, which one search of all their text shows.
    first = "\0".join("\0".join(row) for row in table)
    safe = [[guard(cell) for cell in row] for row in table] if _SUSPECT.search("\0" + first) else table
    names = [guard(name) for name in header]
    if safe != table:
        safe = [[*new, "1" if new != old else ""] for new, old in zip(safe, table)]
        names = [*names, MARK]
    return unguarded_csv([names, *safe])


def unguarded_csv(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV, every cell as it is: none is guarded against spreadsheets."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


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
    "count": frozenset({"items", "comparisons", "rows", "by", "parts", "digest"}),
    "kept counts": frozenset({"pairproof", "version", "tie_category", "first", "second", "parts", "digest"}),
    "predict": frozenset({"model", "level", "warnings", "predictions"}),
    "agreements": frozenset({"summary", "agreements"}),
    "explain": frozenset({"readings", "fitting", "explanations"}),
    "compare-models": frozenset({"perplexity", "test_size", "seed"}),
    "compare-two": frozenset({"first", "second", "R", "se_vilar", "p_sign"}),
    "tree": frozenset({"model", "covariates", "alpha", "minimum", "nodes", "leaves"}),
    "sample-size": frozenset({"goal", "expected", "wanted_power", "design", "judges_needed"}),
    "next-pairs": frozenset({"pairs", "focus", "best", "differences", "unsettled_evenly"}),
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
    """The content with pairproof's mark, if its format has comments."""
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
            content = file.read()
            found = _MARK.search(content)
            return found is not None and _digest(content[: found.start()]).encode() == found[1]
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


#: PRAGMA application_id of a campaign, at byte 68 of an SQLite file.
_SQLITE, CAMPAIGN = b"SQLite format 3\0", b"PPEA"
#: Files that SQLite keeps beside a database while it is written to.
_COMPANIONS = ("-journal", "-wal", "-shm")
PART = ".pairproof-part"

AnyPath = Union[str, "os.PathLike[str]"]
Known = Callable[[bytes], bool]


def write(
    path: AnyPath,
    content: str | bytes,
    *,
    kind: str | None = None,
    reads: Iterable[AnyPath] = (),
    force: bool = False,
    known: Known | None = None,
    again: bool = False,
) -> None:
    """Write a file in one step."""
    with replacing(path, content, kind=kind, reads=reads, force=force, known=known, again=again):
        pass


@contextlib.contextmanager
def replacing(
    path: AnyPath,
    content: str | bytes,
    *,
    kind: str | None = None,
    reads: Iterable[AnyPath] = (),
    force: bool = False,
    known: Known | None = None,
    again: bool = False,
) -> Iterator[None]:
    """As :func:`write`, but the file is replaced only when the block ends without an error."""
    raw = content.encode("utf-8", errors="backslashreplace") if isinstance(content, str) else content
    raw = marked(raw, Path(path).suffix if kind is None else kind)
    target = check(path, reads=reads, force=force, content=raw, known=known, again=again)
    remove_stale(target)
    try:
        staged = _Staged(target, raw)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        yield
        staged.place()
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        staged.close()


def check(
    path: AnyPath,
    *,
    reads: Iterable[AnyPath] = (),
    force: bool = False,
    content: bytes | None = None,
    known: Known | None = None,
    again: bool = False,
) -> Path:
    """Check that a file may be written there; gives the path with its links resolved."""
    name = checked_name(path)
    shown = os.path.abspath(name)
    if name == "-" or shown.startswith(("/dev/", "/proc/")) and not shown.startswith("/dev/shm/"):
        raise InputError(f"{name}: a stream or a device; output replaces a file atomically: name a file")
    target = Path(os.path.realpath(name))
    try:
        found = _stat(target)
        if found is None and not target.parent.is_dir():
            raise InputError(
                f"{name}: cannot be written: there is no directory {target.parent}; create it first"
            )
    except OSError as error:
        raise _refused(path, error) from error
    _not_of_a_campaign(name, target)
    if found is None:
        return target
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{name}: is {kind_of(found.st_mode)}; expected the name of a file to write")
    _not_read(name, found, reads, {} if again else noted())
    if not found.st_mode & 0o222:
        raise InputError(f"{name}: is read-only; choose another name, or make it writable")
    try:
        ours = force or found.st_size == 0 or is_ours(target) or _same(target, content, known)
    except OSError as error:
        raise _refused(path, error) from error
    if not ours:
        raise InputError(
            f"{name}: already exists and is not as pairproof wrote it; choose another name, or --force"
            " (force=True in Python) to replace it"
        )
    return target


def check_apart(outputs: Iterable[AnyPath]) -> None:
    """Refuse two outputs that are one file, also where only case or Unicode form tell their names apart."""
    seen: dict[str, str] = {}
    for path in outputs:
        key = unicodedata.normalize("NFC", os.path.realpath(checked_name(path))).casefold()
        if key in seen:
            raise InputError(
                f"{os.fspath(path)} and {seen[key]} are the same file, but both would be written; name two files"
            )
        seen[key] = os.fspath(path)


def _same(target: Path, content: bytes | None, known: Known | None) -> bool:
    """Whether nothing would be lost: the same bytes are there, or bytes that the caller recognises as its."""
    if content is None and known is None:
        return False
    there = target.read_bytes()
    return there == content or known is not None and known(there)


def is_campaign(path: Path) -> bool:
    """Whether the file is an annotation campaign."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(_SQLITE) and head[68:72] == CAMPAIGN


def _not_of_a_campaign(name: str, target: Path) -> None:
    if is_campaign(target):
        raise InputError(
            f"{name}: is a campaign with judgments, which is never overwritten: choose another name"
        )
    for end in _COMPANIONS:
        if target.name.endswith(end) and is_campaign(target.with_name(target.name[: -len(end)])):
            raise InputError(
                f"{name}: SQLite uses this name for the campaign {target.name[:-len(end)]};" " choose another"
            )


def _not_read(
    name: str, found: os.stat_result, reads: Iterable[AnyPath], so_far: Mapping[Identity, str]
) -> None:
    """Refuse a file that is read, compared by device and inode: also by another path, link or spelling."""
    read = dict(so_far)
    for path in reads:
        with contextlib.suppress(OSError, ValueError):
            other = os.stat(path)
            read[other.st_dev, other.st_ino] = os.fspath(path)
    if (found.st_dev, found.st_ino) in read:
        same = read[found.st_dev, found.st_ino]
        also = "" if same == name else f" (as {same})"
        raise InputError(
            f"{name}: is read by this command{also} and would be overwritten; choose another"
            " name for the output"
        )


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _refused(path: AnyPath, error: OSError) -> InputError:
    why = error.strerror or type(error).__name__
    return InputError(
        f"{os.fspath(path)}: cannot be written ({why}); check the name, the folder, its permissions"
        " and the free disk space"
    )


# -- in one step ---------------------------------------------------------------------------------------------


class _Staged:
    """New content of a file, on the disk under no name yet or a temporary one."""

    def __init__(self, target: Path, content: bytes) -> None:
        self._target, self._part = target, ""
        nameless = _nameless(target.parent)
        if nameless is None:
            self._descriptor, self._part = _named(target)
        else:
            self._descriptor = nameless
        self._content = content
        try:
            _fill(self._descriptor, content, _mode(target))
        except BaseException:
            self.close()
            raise

    def place(self) -> None:
        if not self._part:
            self._name()
        os.replace(self._part, self._target)
        self._part = ""
        _sync_folder(self._target.parent)

    def _name(self) -> None:
        part = _new_name(self._target)
        folder = os.open(self._target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # With a folder's descriptor Python calls linkat, which alone follows /proc's link to the file.
            os.link(f"/proc/self/fd/{self._descriptor}", part, src_dir_fd=folder, follow_symlinks=True)
        except OSError:  # a file system that makes files without a name, and cannot name them later
            os.close(self._descriptor)
            self._descriptor, part = _named(self._target)
            self._part = part
            _fill(self._descriptor, self._content, _mode(self._target))
        finally:
            os.close(folder)
        self._part = part

    def close(self) -> None:
        os.close(self._descriptor)
        if self._part:
            with contextlib.suppress(OSError):
                os.unlink(self._part)


def _mode(target: Path) -> int:
    found = _stat(target)
    if found is not None:
        return stat.S_IMODE(found.st_mode)
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


def _nameless(folder: Path) -> int | None:
    """A descriptor of a file without a name in the folder's file system; None if the system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:
        return None  # making a file with a name is tried next, and its error says what is wrong


def _stem(target: Path) -> str:
    # A name may have 255 bytes; what is added must not make a long one too long.
    return f".{os.fsdecode(os.fsencode(target.name)[:200])}."


def _new_name(target: Path) -> str:
    return str(target.with_name(f"{_stem(target)}{secrets.token_hex(4)}{PART}"))


def _named(target: Path) -> tuple[int, str]:
    part = _new_name(target)
    descriptor = os.open(
        part,
        os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
        0o600,
    )
    _lock(descriptor)
    return descriptor, part


@contextlib.contextmanager
def new_part(target: Path) -> Iterator[Path]:
    """A new, empty file beside the target for another program (SQLite) to write; removed after the block."""
    try:
        descriptor, part = _named(target)
    except OSError as error:
        raise _refused(target, error) from error
    try:
        with contextlib.suppress(AttributeError):
            os.fchmod(descriptor, _mode(target))
        yield Path(part)
    finally:
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(part)


def _lock(descriptor: int) -> bool:
    """Hold a file until it is closed; False if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: a file that is open cannot be removed there anyway
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_stale(target: Path) -> None:
    """Remove what a killed command left of this file, but not what a running command holds."""
    try:
        names = os.listdir(target.parent)
    except OSError:
        return
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    for path in [target.with_name(n) for n in names if n.startswith(_stem(target)) and n.endswith(PART)]:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, flags)
            try:
                if _lock(descriptor):
                    os.unlink(path)
            finally:
                os.close(descriptor)


def _fill(descriptor: int, content: bytes, mode: int) -> None:
    """Write all bytes to the disk and set the mode."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view[: 1 << 24]) :]
    with contextlib.suppress(AttributeError):  # Windows has no fchmod
        os.fchmod(descriptor, mode)
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk too; a system whose folders cannot be synced does so itself."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
