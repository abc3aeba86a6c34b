"""Strangers' files, read within bounds: regular files, files inside a folder, gzip, and JSON.

The file that is checked is the file that is read: it is opened without waiting (a pipe nobody writes to would
wait for ever, a terminal or /dev/zero would never end), and checked and read through the same descriptor.
:func:`read_inside` walks from the folder to the file one name at a time and follows no link on the way, so
that nobody can exchange a folder in between.

A packed file may unpack to a thousand times its size, so unpacking stops at a bound that no table of
comparisons reaches: text of answers packs to a third or a tenth.  Other compressed or binary formats are
refused by name.

JSON is read strictly: Python's own reader accepts NaN, Infinity and repeated names (the last one wins), and
ends in a RecursionError when values are nested too deep.  All of these are errors here, with the place where
they stand.
"""

from __future__ import annotations

import contextlib
import contextvars
import errno
import gzip
import io
import json
import math
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import InputError
from ..text import listed, quoted, shortened

#: Most bytes of a table or a results file. Text takes about ten times its size while it is read, and 2 GiB
#: are beyond the tables of this field (10^8 votes): a larger file is more often a wrong name than a table.
MOST_BYTES = 2 * 1024**3
#: Environment variable that sets another limit, in megabytes (of 1024^2 bytes).
LIMIT = "PAIRPROOF_MOST_MB"
_RAISE = f"or raise the limit (environment variable {LIMIT})"
#: Most bytes of a data file that a claims file names: the author of the claims chose it, not the person who
#: checks them. The largest public table of a paper met so far, WMT 2012's rankings, has 7 MB.
MOST_CLAIM_BYTES = 256 * 1024**2
_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
#: Names of files that this process was given open; reading one of them may wait for its writer.
_STREAM = re.compile(r"/dev/(stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+")
#: Windows has no such file: there nothing is known of the file behind standard input.
STANDARD_INPUT = "/dev/stdin"
_CHUNK = 1 << 20

Identity = tuple[int, int]
_noted: contextvars.ContextVar[dict[Identity, str] | None] = contextvars.ContextVar(
    "pairproof_read", default=None
)


@contextlib.contextmanager
def noting() -> Iterator[dict[Identity, str]]:
    """Note every file read in the block, by device and inode, so that no output of the run replaces it."""
    seen: dict[Identity, str] = {}
    token = _noted.set(seen)
    try:
        yield seen
    finally:
        _noted.reset(token)


def noted() -> dict[Identity, str]:
    """The files that the enclosing :func:`noting` has seen; empty outside one."""
    return _noted.get() or {}


def note(path: str | os.PathLike[str], found: os.stat_result | None = None) -> None:
    """Remember a file as read."""
    seen = _noted.get()
    if seen is None:
        return
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(path) if found is None else found
        seen[found.st_dev, found.st_ino] = os.fspath(path)


def most_bytes() -> int:
    """Most bytes of a file: `MOST_BYTES`, or the limit that the environment sets."""
    given = os.environ.get(LIMIT, "")
    if not given:
        return MOST_BYTES
    if not re.fullmatch(r"[0-9]{1,9}", given) or int(given) == 0:
        raise InputError(
            f"{LIMIT}={given[:40]!r} in the environment; expected a whole number of megabytes, at least 1"
        )
    return int(given) * 1024**2


def checked_name(path: str | os.PathLike[str]) -> str:
    """A path as text, if a system could have such a file."""
    name = os.fspath(path)
    if not name:
        raise InputError("the name of a file is empty; expected a path")
    if "\0" in name:
        raise InputError(f"{name!r}: a path cannot hold a zero character; check the name")
    return name


def open_file(path: str | os.PathLike[str], expected: str = "a file") -> BinaryIO:
    """A regular file of any size, open for those who read only parts of it."""
    name = checked_name(path)
    try:
        _check_kind(os.stat(name).st_mode, name, expected)
        file = os.fdopen(os.open(name, _OPEN), "rb")
        found = os.fstat(file.fileno())
    except OSError as error:
        raise InputError(f"{name}: {_why(error)}; expected {expected}") from error
    note(name, found)
    _check_kind(found.st_mode, name, expected)
    return file


def read_file(
    path: str | os.PathLike[str],
    expected: str = "a file",
    *,
    streams: bool = False,
    most: int | None = None,
    instead: str = "",
) -> bytes:
    """The bytes of a regular file; `instead`: what else can be done with one that is too large."""
    name = checked_name(path)
    stream = streams and _STREAM.fullmatch(name) is not None
    try:
        _check_kind(os.stat(name).st_mode, name, expected, stream)
        descriptor = os.open(name, _OPEN)
    except OSError as error:
        raise InputError(f"{name}: {_why(error)}; expected {expected}") from error
    limit, cure = (most_bytes(), f"{instead}{_RAISE}") if most is None else (most, "")
    return _read(descriptor, name, expected, limit, cure, stream)


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """The bytes of a stream (standard input), to its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # of a stream without a descriptor
        note(name, os.fstat(stream.fileno()))
    most = most_bytes()
    return _to_the_end(stream.read, most, lambda size: _too_large(name, size, most, _RAISE))


def read_inside(folder: str | os.PathLike[str], name: str, *, most: int = MOST_CLAIM_BYTES) -> bytes:
    """The bytes of a regular file that lies in a folder, or below it, when every link is resolved."""
    checked_name(name)
    top = os.path.realpath(os.fspath(folder) or ".")
    real = os.path.realpath(os.path.join(top, name))
    same_drive = os.path.splitdrive(real)[0] == os.path.splitdrive(top)[0]
    parts = (os.path.relpath(real, top) if same_drive else os.pardir).split(os.sep)
    if parts[0] == os.pardir:
        raise OutsideError(f"{name!r} is outside the folder {top}")
    try:
        descriptor = _walk(top, parts, name)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"{name}: {_why(error)}; expected a regular file") from error
    return _read(descriptor, name, "a regular file", most, "or raise the limit (--data-limit)")


class OutsideError(InputError):
    """A file that a claims file names lies outside the folders it may lie in."""


def _check_kind(mode: int, name: str, expected: str, stream: bool = False) -> None:
    """Refuse what is no regular file; before it is opened, because to open a pipe or a tape changes it."""
    if not stat.S_ISREG(mode) and not (stream and stat.S_ISFIFO(mode)):
        raise InputError(f"{name}: is {kind_of(mode)}; expected {expected}")


def _walk(top: str, parts: list[str], name: str) -> int:
    """A descriptor of top/part/part/..., reached without following a link."""
    if os.open not in os.supports_dir_fd:  # Windows
        whole = os.path.join(top, *parts)
        _check_kind(os.stat(whole).st_mode, name, "a regular file")
        return os.open(whole, _OPEN)
    here = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | _NO_LINK, dir_fd=here)
            os.close(here)
            here = below
        mode = os.stat(parts[-1], dir_fd=here, follow_symlinks=False).st_mode
        _check_kind(mode, name, "a regular file")
        return os.open(parts[-1], _OPEN | _NO_LINK, dir_fd=here)
    finally:
        os.close(here)


def _read(descriptor: int, name: str, expected: str, most: int, cure: str, stream: bool = False) -> bytes:
    """Read to the end and close."""
    try:
        found = os.fstat(descriptor)
        _check_kind(found.st_mode, name, expected, stream)
        if stat.S_ISFIFO(found.st_mode):
            os.set_blocking(descriptor, True)
        elif found.st_size > most:
            raise _too_large(name, found.st_size, most, cure)
        note(name, found)
        return _to_the_end(
            lambda size: os.read(descriptor, max(size, found.st_size)),
            most,
            lambda size: _too_large(name, size, most, cure),
        )
    except OSError as error:
        raise InputError(f"{name}: {_why(error)}; expected {expected}") from error
    finally:
        os.close(descriptor)


def _to_the_end(read: Callable[[int], bytes], most: int, refused: Callable[[int], InputError]) -> bytes:
    parts, size = [], 0
    while part := read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most:
            raise refused(size)
    return b"".join(parts)


def _too_large(name: str, size: int, most: int, cure: str) -> InputError:
    advice = ", ".join(filter(None, ("check the name", cure)))
    return InputError(f"{name}: {size:,} bytes or more, but at most {most:,} are read; {advice}")


def kind_of(mode: int) -> str:
    """The kind of a file that is not regular: 'a directory', 'a pipe', ..."""
    kinds = (
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((words for test, words in kinds if test(mode)), "not a regular file")


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if error.errno == errno.ENXIO:
        return "is a pipe or a device"
    return f"cannot be read ({error.strerror or type(error).__name__})"


def regular(path: str | os.PathLike[str], expected: str = "a file") -> Path:
    """The path of a regular file that is there, for other programs to open (SQLite)."""
    name = checked_name(path)
    try:
        found = os.stat(name)
    except OSError as error:
        raise InputError(f"{name}: {_why(error)}; expected {expected}") from error
    _check_kind(found.st_mode, name, expected)
    note(name, found)
    return Path(name)


GZIP = b"\x1f\x8b"
#: Any file may unpack to so many bytes, and a large one to so many times its size.
MOST_UNPACKED, MOST_TIMES = 256 * 2**20, 20
_WRITE_CSV = "write.csv(table, row.names = FALSE) writes a CSV file"
#: First bytes, the format they show, and what to do.
_OTHERS = (
    (
        b"PK\x03\x04",
        "a zip archive (or an Excel or OpenDocument workbook)",
        "unpack it, or save the sheet as CSV",
    ),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook", "save the sheet as CSV"),
    (b"BZh", "compressed by bzip2", "unpack it, or pack it with gzip"),
    (b"\xfd7zXZ\x00", "compressed by xz", "unpack it, or pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it, or pack it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"PAR1", "a Parquet file", "use a file name that ends in .parquet"),
    (b"ARROW1", "an Arrow file", "use a file name that ends in .arrow"),
    (b"SQLite format 3\x00", "an SQLite database (an annotation campaign is one)", "export the table as CSV"),
    *((mark, "R's own format", _WRITE_CSV) for mark in (b"RDX2\n", b"RDX3\n", b"X\n\x00\x00\x00")),
)


def unpacked(raw: bytes, source: str) -> bytes:
    """The bytes as they are, or unpacked if they are gzipped."""
    if raw.startswith(GZIP):
        raw = _gunzipped(raw, source)
        if raw.startswith(GZIP):
            raise InputError(f"{source}: is gzipped twice; unpack it once")
    for mark, what, cure in _OTHERS:
        if raw.startswith(mark):
            raise InputError(f"{source}: is {what}, not text; {cure}")
    return raw


def _gunzipped(raw: bytes, source: str) -> bytes:
    most = max(MOST_UNPACKED, MOST_TIMES * len(raw))
    refusal = InputError(
        f"{source}: {len(raw):,} bytes of gzip unpack to more than {most:,}, the limit"
        " for a file of this size; if it is a table, unpack it (gunzip) and read the result"
    )
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return _to_the_end(file.read, most, lambda _: refusal)
    except EOFError as error:
        raise InputError(f"{source}: the gzip file is cut off before its end; fetch it again") from error
    except (OSError, zlib.error) as error:
        raise InputError(f"{source}: the gzip file is damaged ({error}); fetch it again") from error


#: Most levels of nesting.  Label Studio's exports have 6.
MOST_LEVELS = 40


def decoded(raw: bytes, source: str) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: byte number {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from error


def parsed(text: str, where: str) -> Any:
    """The value of a JSON text."""
    try:
        numbers: dict[str, Any] = {
            "parse_constant": _no_constant,
            "parse_float": _finite,
            "parse_int": _whole,
        }
        value = json.loads(text, object_pairs_hook=_each_name_once, **numbers)
    except RecursionError:
        raise _too_deep(where) from None
    except _Refused as error:
        raise InputError(f"{where}: {error}") from None
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({shortened(str(error))})") from error
    if nested_deeper(value, MOST_LEVELS):
        raise _too_deep(where)
    if "\\ud" in text.lower():
        _check_characters(value, where)
    return value


def _check_characters(value: Any, where: str) -> None:
    """Refuse half of a pair of surrogates, which is no character and cannot be stored."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: \\u{ord(error.object[error.start]):04x} is half of a surrogate pair; expected both halves"
        ) from None


class _Refused(Exception):
    """What strict JSON does not allow; ValueError would be mixed up with a mistake of syntax."""


def _no_constant(name: str) -> Any:
    raise _Refused(f"{name} is not a number in JSON; expected a number or null")


def _whole(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise _Refused(f"{shortened(text, 20)} is beyond the range of whole numbers (64 bits)")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"{shortened(text, 20)} is beyond the range of numbers")
    return value


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"the name {quoted(twice)} appears twice in one object; keep one")
    return found


def _too_deep(where: str) -> InputError:
    return InputError(
        f"{where}: JSON nested more than {MOST_LEVELS} levels deep; no tool exports this, so the"
        " file is damaged or of another kind"
    )


def nested_deeper(value: Any, levels: int) -> bool:
    """Whether tables and lists stand within each other on more levels than this, seen without recursion."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        inner = (part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole))
        level = [part for part in inner if isinstance(part, (dict, list))]
        if not level:
            return False
    return True


_KINDS = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"
}  # fmt: skip


def json_kind_of(value: Any) -> str:
    """'a list', 'a number', ...: what a JSON value is, for messages."""
    return "null" if value is None else _KINDS.get(type(value), "a value")


def of_kind(value: Any, kinds: type | tuple[type, ...], where: str, what: str) -> Any:
    """The value, which must be of one of these Python types.

    `bool` is an `int` in Python, but true is not a number in JSON: it passes only where `bool` is asked for.
    """
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(value) in wanted or value is None and type(None) in wanted:
        return value
    names = " or ".join(dict.fromkeys(_KINDS.get(k, "null") for k in wanted))
    raise InputError(f"{where}: {what} is {json_kind_of(value)}; expected {names}")


def member(
    record: Mapping[str, Any], name: str, kinds: type | tuple[type, ...], where: str, default: Any = ...
) -> Any:
    """A member of an object, of one of these types; `default` if it is absent."""
    if name not in record:
        if default is not ...:
            return default
        raise InputError(f"{where}: no member {name!r}; found {listed(record, 8)}")
    return of_kind(record[name], kinds, where, f"{name!r}")


def exactly(record: Mapping[str, Any], needed: tuple[str, ...], where: str) -> None:
    """Check that an object has these members and no others."""
    absent = [name for name in needed if name not in record]
    strange = [name for name in record if name not in needed]
    if absent:
        raise InputError(f"{where}: no member {listed(absent)}; expected {listed(needed, 30)}")
    if strange:
        raise InputError(f"{where}: unknown member {listed(strange)}; expected {listed(needed, 30)}")
