"""Reads frames from the R process's pipe and replies from frames, without trusting what the process writes.

A frame is `MARK`, eight bytes of length, and a pickle of text, numbers, lists and bytes.  The unpickler
creates nothing else, so no bytes, whoever wrote them, can run code here.  Anything else raises
:class:`NoReply`, which says what was found, and the process that wrote it is not used again.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import Any, BinaryIO

import numpy as np

from ..values.values import DTYPES, Node

#: The same as in worker.py, which cannot import this module.
MARK = b"\xf0pproof\n"
#: Longest reply that is accepted, in bytes: a vector of 2^31 doubles takes 17 GB.
MOST_BYTES = 2**36
#: Most bytes that a start-up file of Python may print to standard output before the first reply.
MOST_PRELUDE = 2**16
CHUNK = 2**20


class NoReply(Exception):
    """The error that the R process wrote something that is not a reply; the message says what."""


def read_frame(pipe: BinaryIO | Any, first: bool = False) -> tuple[bytes | None, bytes]:
    """Read the contents of the next frame (None at the end of the pipe), and the text printed before it
    (first frame only).
    """
    start = bytearray(_read(pipe, len(MARK)))
    while first and len(start) >= len(MARK) and not start.endswith(MARK) and len(start) < MOST_PRELUDE:
        more = pipe.read(1)
        if not more:
            break
        start += more
    if not start:
        return None, b""
    if not start.endswith(MARK):
        raise NoReply(f"it wrote {bytes(start[:40])!r} where a reply begins")
    prelude = bytes(start[: -len(MARK)])
    size = _read(pipe, 8)
    length = struct.unpack(">Q", size)[0] if len(size) == 8 else 0
    if length > MOST_BYTES:
        raise NoReply(f"it announced a reply of {length:,} bytes; at most {MOST_BYTES:,} are accepted")
    frame = _read(pipe, length)
    if len(size) < 8 or len(frame) < length:
        raise NoReply(f"its reply ends after {len(frame):,} of {length:,} bytes")
    return frame, prelude


def _read(pipe: BinaryIO | Any, size: int) -> bytes:
    """Read `size` bytes, or fewer at the end; memory grows only with the bytes that have arrived."""
    parts: list[bytes] = []
    left = size
    while left > 0:
        part = pipe.read(min(left, CHUNK))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


class _Plain(pickle.Unpickler):
    """An unpickler of plain values."""

    def find_class(self, module: str, name: str) -> Any:
        raise NoReply(f"its reply holds a Python object, {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise NoReply("its reply refers to an object elsewhere")


def read_reply(frame: bytes) -> tuple[Any, ...]:
    """Read a frame as a tuple that begins with a word."""
    try:
        found = _Plain(io.BytesIO(frame)).load()
    except NoReply:
        raise
    except Exception as error:  # pickle raises whatever the bytes lead it to
        raise NoReply(
            f"its reply of {len(frame):,} bytes cannot be read ({type(error).__name__}: {str(error)[:80]})"
        ) from None
    if not isinstance(found, tuple) or not found or not isinstance(found[0], str):
        raise NoReply(f"its reply is {type(found).__name__} {str(found)[:60]!r}")
    return found


def node_of(value: Any) -> Node:
    """Convert a value from the pipe to a node, with its numbers as new arrays."""
    try:
        return _node(value)
    except NoReply:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise NoReply(
            f"its reply holds something that is not a value of R ({type(error).__name__}: {str(error)[:80]})"
        ) from None


def _node(value: Any) -> Node:
    tag, payload, attributes = value
    named = {_text(k): _node(v) for k, v in attributes.items()}
    if tag == "null":
        return ("null", None, {})
    if tag == "list":
        return ("list", [_node(v) for v in payload], named)
    if tag == "chr":
        return ("chr", [None if v is None else _text(v) for v in payload], named)
    if tag in ("lang", "opaque"):
        return (tag, _text(payload), named)
    if tag not in DTYPES:
        raise NoReply(f"its reply holds a value of unknown kind {str(tag)[:40]!r}")
    return (tag, np.frombuffer(bytearray(payload), dtype=DTYPES[tag]), named)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NoReply(f"its reply holds {type(value).__name__} {str(value)[:40]!r} where text was expected")
    return value
