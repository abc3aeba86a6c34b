"""Reads what the R process writes, and trusts none of it: frames from a pipe, replies from frames.

A frame is `MARK`, eight bytes of length, and a pickle of text, numbers, lists and bytes; the unpickler makes
nothing else, so no bytes, whoever wrote them, can run anything here.  Anything else raises
:class:`NoReply`, which says what was found, and the process that wrote it is not asked again.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import Any, BinaryIO

import numpy as np

from ..values.values import DTYPES, Node

#: As in worker.py, which cannot import this.
MARK = b"\xf0pproof\n"
#: Longest reply: R's own longest vector of doubles is 2^31 of them, 17 GB.
MOST_BYTES = 2**36
#: Most bytes that a start-up file of Python may print to standard output before the first reply.
MOST_PRELUDE = 2**16
CHUNK = 2**20


class NoReply(Exception):
    """The R process wrote something that is no reply; the message says what."""


def read_frame(pipe: BinaryIO | Any, first: bool = False) -> tuple[bytes | None, bytes]:
    """The next frame's contents, None at the end of the pipe; and what was printed before it (the first frame
    only).

    Raises
    ------
    NoReply
        Other bytes, a length beyond `MOST_BYTES`, or an end in the middle of a frame.
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
        raise NoReply(f"it announced a reply of {length:,} bytes; at most {MOST_BYTES:,} are taken")
    frame = _read(pipe, length)
    if len(size) < 8 or len(frame) < length:
        raise NoReply(f"its reply ends after {len(frame):,} of {length:,} bytes")
    return frame, prelude


def _read(pipe: BinaryIO | Any, size: int) -> bytes:
    """Read so many bytes, or fewer at the end; memory grows only with the bytes that have arrived."""
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
    """A frame as a tuple that begins with a word.

    Raises
    ------
    NoReply
        It is something else.
    """
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
    """A node as the pipe gave it, with its numbers as new arrays.

    Raises
    ------
    NoReply
        It is no node.
    """
    try:
        return _node(value)
    except NoReply:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise NoReply(
            f"its reply holds what is no value of R ({type(error).__name__}: {str(error)[:80]})"
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
        raise NoReply(f"its reply holds {type(value).__name__} {str(value)[:40]!r} where text belongs")
    return value
