"""R's data as pandas: `.rda` and `.rds` files, read without R, and the data sets of R packages.

>>> from pairproof.bridge.r_data import package_data, read_rda          # doctest: +SKIP
>>> cemspc = package_data("prefmod", "cemspc")                         # a DataFrame, one column per pair
>>> pairproof.read(cemspc, layout="prefmod", items=["LO", "PA", "MI", "SG", "BA", "ST"], pair_order="prefmod",
...                coding="first=0,tie=1,second=2,missing=NA")         # doctest: +SKIP

``data.frame`` becomes a DataFrame (factors as Categorical, row names as index), a matrix or a ``table`` of
two ways a DataFrame with R's row and column names, a list (BradleyTerry2's CEMS, flatlizards) a dict of these
by name, a vector or factor a Series; anything else is a TypeError that says what it is.  Such a file does not
say which pair a column holds and what a code means; `pairproof.read` takes both.

R itself runs code while it reads: a promise in a file is evaluated as soon as the object is looked at (R
before 4.4.0, CVE-2024-27322), an active binding too.  Here only vectors, lists and their attributes are read,
as nodes; of functions, environments, promises and language only the kind is kept
(:mod:`pairproof.bridge.values.nodes`).

The format is that of "Serialization Formats" in the manual R Internals: XDR (big-endian), versions 2 and 3,
plain or compressed by gzip, bzip2 or xz.  A file is bounded: bytes on disk, bytes once decompressed, items,
levels of nesting, and the sum of what its short forms of vectors become once written out.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union

import numpy as np

from ..errors import InputError
from ..files.inputs import read_file as read_bytes
from .process.policy import BackendLike, backend as policy
from .values.nodes import DTYPES, INT_NA, NULL, Expr, Node, RList, ROpaque, RVector, from_node

if TYPE_CHECKING:
    import pandas as pd


#: Bytes of a file, as it is and decompressed; the largest data set of the packages here has 0.5 MB,
#: decompressed.
MOST_BYTES = 256 * 2**20
#: Objects in a file, of which each takes 4 bytes at least in it and some hundred here.
MOST_ITEMS = 4_000_000
MOST_LEVELS = 100
#: Bytes of a text of a number, as Python keeps it.
OF_TEXT = 64

_SYMBOL, _PAIRLIST, _CLOSURE, _ENVIRONMENT, _PROMISE, _LANGUAGE, _CHARACTERS = 1, 2, 3, 4, 5, 6, 9
_TEXT, _LIST, _EXPRESSION, _COMPILED, _POINTER, _WEAK, _S4 = 16, 19, 20, 21, 22, 23, 25
_VECTORS = {
    10: ("lgl", ">i4"),
    13: ("int", ">i4"),
    14: ("dbl", ">f8"),
    15: ("cplx", ">c16"),
    24: ("raw", ">u1"),
}
_OPAQUE = {_CLOSURE: "closure", _PROMISE: "promise", _LANGUAGE: "language"}
#: Fixed objects, and those that are a name in a list of text (a namespace, a package).
_FIXED = {252: "unbound", 251: "missing argument"} | dict.fromkeys((253, 250, 242, 241), "environment")
_NAMED = (247, 248, 249)
_REFERENCE, _NULL, _COMPACT = 255, 254, 238
#: Within compiled code: pairlists and calls, with and without attributes, and expressions that occur again.
_CALLS_WITH_ATTRIBUTES = (239, 240)
_CALLS = (_PAIRLIST, _LANGUAGE, *_CALLS_WITH_ATTRIBUTES)
_SHARED, _SHARED_AGAIN = 244, 243


def read_file(path: Path) -> dict[str, Node]:
    """The objects of an ``.rda`` or ``.RData`` file by name; the one of an ``.rds`` file by the file's name."""
    content = read_bytes(path, "a file of R's save or saveRDS", most=MOST_BYTES)
    try:
        return _objects(_decompressed(content), path.stem)
    except _Damaged as error:
        raise InputError(f"{path}: {error}") from None


class _Damaged(Exception):
    """Why the bytes are not taken."""


def _decompressed(content: bytes) -> bytes:
    try:
        if content[:2] == b"\x1f\x8b":
            unpack: Callable[[bytes, int], bytes] = zlib.decompressobj(wbits=31).decompress
        elif content[:3] == b"BZh":
            unpack = bz2.BZ2Decompressor().decompress
        elif content[:6] == b"\xfd7zXZ\0":
            unpack = lzma.LZMADecompressor(memlimit=2**30).decompress
        else:
            return content
        found = unpack(content, MOST_BYTES + 1)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, MemoryError) as error:
        raise _Damaged(f"its compressed bytes are damaged ({error})") from None
    if len(found) > MOST_BYTES:
        raise _Damaged(f"it has more than {MOST_BYTES:,} bytes once decompressed")
    return found


def _objects(content: bytes, stem: str) -> dict[str, Node]:
    magic = content[:5]
    if magic in (b"RDX2\n", b"RDX3\n"):
        node = _Stream(content, 5).whole()
        if node[0] == "null":
            return {}
        names = node[2].get("names")
        if node[0] != "list" or names is None:
            raise _Damaged("it is not a list of named objects")
        return {str(k): v for k, v in sorted(zip(names[1], node[1]), key=lambda pair: str(pair[0]))}
    if content[:2] == b"X\n":
        return {stem: _Stream(content, 0).whole()}
    if magic[:3] in (b"RDA", b"RDB") or content[:2] in (b"A\n", b"B\n"):
        raise _Damaged(
            "it is saved as text or in this machine's own byte order; save it in R without ascii = TRUE"
        )
    raise _Damaged(f"it is not a file of R's save or saveRDS (it begins with {content[:8]!r})")


class _Stream:
    """Bytes of one serialised object, read from the front."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at
        self.references: list[Node] = []
        self.items, self.levels, self.written_out = 0, 0, 0

    def whole(self) -> Node:
        if self._take(2) != b"X\n":
            raise _Damaged("it is not in the binary form (XDR) that save writes")
        version = self._int()
        self._take(8)  # R's version that wrote it, and the oldest that reads it
        if version == 3:
            self._take(self._count(1))  # the writer's encoding; strings carry their own
        elif version != 2:
            raise _Damaged(f"it is in version {version} of R's format; 2 and 3 are read")
        return self._item()

    def _take(self, size: int) -> bytes:
        if size > len(self.content) - self.at:
            raise _Damaged(f"it ends in the middle: {size:,} bytes are missing after {self.at:,}")
        self.at += size
        return self.content[self.at - size : self.at]

    def _int(self) -> int:
        return int(struct.unpack(">i", self._take(4))[0])

    def _count(self, width: int) -> int:
        """A length, of which so many bytes each must still be there."""
        n = self._int()
        if n == -1:
            n = (self._int() << 32) + self._int()
        if n < 0 or n * width > len(self.content) - self.at:
            raise _Damaged(f"it announces {n:,} values where {len(self.content) - self.at:,} bytes are left")
        return n

    def _item(self) -> Node:
        self.items += 1
        self.levels += 1
        if self.items > MOST_ITEMS or self.levels > MOST_LEVELS:
            raise _Damaged(
                f"it holds more than {MOST_ITEMS:,} objects, or is nested more than {MOST_LEVELS} levels deep"
            )
        flags = self._int()
        found = self._of_kind(flags & 0xFF, flags)
        self.levels -= 1
        return found

    def _of_kind(self, kind: int, flags: int) -> Node:
        has_attributes, has_tag = bool(flags & 0x200), bool(flags & 0x400)
        if kind == _NULL:
            return NULL
        if kind == _REFERENCE:
            place = (flags >> 8) or self._int()
            if not 1 <= place <= len(self.references):
                raise _Damaged(f"it refers to object {place}, of {len(self.references)}")
            return self.references[place - 1]
        if kind in _VECTORS:
            return self._vector(*_VECTORS[kind], has_attributes)
        if kind == _TEXT:
            texts = [self._string() for _ in range(self._count(4))]
            return self._with_attributes("chr", texts, has_attributes)
        if kind in (_LIST, _EXPRESSION):
            values = [self._item() for _ in range(self._count(4))]
            tag, payload = ("list", values) if kind == _LIST else ("opaque", "expression")
            return self._with_attributes(tag, payload, has_attributes)
        if kind in (_PAIRLIST, *_OPAQUE):
            return self._pairs(kind, has_attributes, has_tag)
        if kind == _COMPACT:
            return self._compact()
        return self._other(kind, has_attributes)

    def _other(self, kind: int, has_attributes: bool) -> Node:
        """What holds no data, read to its end."""
        if kind == _SYMBOL:
            self._int()  # the flags of its name
            name = self._characters()
            return self._referred(("lang", name or "NA", {}))
        if kind in _FIXED:
            return ("opaque", _FIXED[kind], {})
        if kind in _NAMED:
            self._int()
            for _ in range(self._count(4)):
                self._string()
            return self._referred(("opaque", "environment", {}))
        if kind == _ENVIRONMENT:
            self._int()
            return self._referred(
                ("opaque", "environment", {}), 4
            )  # enclosure, frame, hash table, attributes
        if kind == _POINTER:
            return self._referred(("opaque", "externalptr", {}), 2 + has_attributes)
        if kind == _WEAK:
            return self._referred(("opaque", "weakref", {}), has_attributes)
        if kind == _S4:
            return self._with_attributes("opaque", "S4", has_attributes)
        if kind in (7, 8):
            self._take(self._count(1))
            return ("opaque", "builtin", {})
        if kind == _COMPILED:
            self._int()  # how many expressions it shares within itself
            self._compiled()
            return self._with_attributes("opaque", "bytecode", has_attributes)
        raise _Damaged(f"it holds an object of kind {kind}, which is not read")

    def _compiled(self) -> None:
        """Compiled code and its constants, read to their end: a fitted model carries functions of R that are compiled."""
        self._item()
        for _ in range(self._count(4)):
            kind = self._int()
            if kind == _COMPILED:
                self._nested(self._compiled)
            else:
                self._constant(kind)

    def _constant(self, kind: int) -> None:
        """A constant of compiled code: calls are written as their parts, the rest as elsewhere."""
        while kind in _CALLS or kind in (_SHARED, _SHARED_AGAIN):
            self._one_more()
            if kind in (_SHARED, _SHARED_AGAIN):
                self._int()  # its number among the shared ones
                if kind == _SHARED_AGAIN:
                    return
                kind = self._int()
                continue
            if kind in _CALLS_WITH_ATTRIBUTES:
                self._item()
            self._item()  # its name
            first = self._int()
            self._nested(lambda: self._constant(first))
            kind = self._int()
        self._item()

    def _one_more(self) -> None:
        self.items += 1
        if self.items > MOST_ITEMS:
            raise _Damaged(f"it holds more than {MOST_ITEMS:,} objects")

    def _nested(self, read: Callable[[], None]) -> None:
        self.levels += 1
        if self.levels > MOST_LEVELS:
            raise _Damaged(f"it is nested more than {MOST_LEVELS} levels deep")
        read()
        self.levels -= 1

    def _referred(self, node: Node, items: int = 0) -> Node:
        """A node that the rest may refer to, and so may its own items, which hold no data."""
        self.references.append(node)
        for _ in range(items):
            self._item()
        return node

    def _vector(self, tag: str, kind: str, has_attributes: bool) -> Node:
        width = np.dtype(kind).itemsize
        values = np.frombuffer(self._take(width * self._count(width)), dtype=kind)
        # As bits: a conversion may change one NaN to another, and NA is one of them.
        if tag in ("dbl", "cplx"):
            values = np.frombuffer(bytearray(values.view(">u8").astype("<u8").tobytes()), dtype=DTYPES[tag])
        else:
            values = values.astype(DTYPES[tag])
        return self._with_attributes(tag, values, has_attributes)

    def _with_attributes(self, tag: str, payload: Any, has_attributes: bool) -> Node:
        attributes = _by_name(self._item()) if has_attributes else {}
        return (tag, payload, attributes if tag != "opaque" else {})

    def _pairs(self, kind: int, has_attributes: bool, has_tag: bool) -> Node:
        """A pairlist as a named list; of language, functions and promises only that they are such."""
        names: list[str] = []
        values: list[Node] = []
        current = kind
        while True:
            if has_attributes:
                self._item()
            names.append(str(self._item()[1]) if has_tag else "")
            values.append(self._item())
            flags = self._int()
            self._one_more()
            current = flags & 0xFF
            if current not in (_PAIRLIST, *_OPAQUE):
                self._of_kind(current, flags)  # the end, as a rule NULL
                break
            has_attributes, has_tag = bool(flags & 0x200), bool(flags & 0x400)
        if kind in _OPAQUE:
            return ("opaque", _OPAQUE[kind], {})
        return ("list", values, {"names": ("chr", names, {})} if any(names) else {})

    def _string(self) -> str | None:
        flags = self._int()
        if flags & 0xFF == _NULL:
            return None
        if flags & 0xFF != _CHARACTERS:
            raise _Damaged(f"it holds an object of kind {flags & 0xFF} where text belongs")
        return self._characters(latin1=bool(flags >> 12 & 4))

    def _characters(self, latin1: bool = False) -> str | None:
        size = self._int()
        if size == -1:
            return None
        if size < 0:
            raise _Damaged(f"it announces text of {size} bytes")
        return self._take(size).decode("latin-1" if latin1 else "utf-8", "backslashreplace")

    def _compact(self) -> Node:
        """R's short forms of vectors (since version 3): sequences, deferred text, wrapped vectors."""
        about, state, more = self._item(), self._item(), self._item()
        name = str(about[1][0][1]) if about[0] == "list" and about[1] else "?"
        attributes = _by_name(more)
        if name in ("compact_intseq", "compact_realseq") and state[0] == "dbl" and len(state[1]) == 3:
            n, first, step = state[1].tolist()
            tag = "int" if name == "compact_intseq" else "dbl"
            self._write_out(n, np.dtype(DTYPES[tag]).itemsize)
            values = np.arange(int(n), dtype=np.float64)
            values *= step
            values += first
            return (tag, values.astype(DTYPES[tag], copy=False), attributes)
        if name.startswith("wrap_") and state[0] == "list" and state[1]:
            return (state[1][0][0], state[1][0][1], {**state[1][0][2], **attributes})
        if name == "deferred_string" and state[0] == "list" and state[1] and state[1][0][0] in ("int", "dbl"):
            self._write_out(len(state[1][0][1]), OF_TEXT)
            return ("chr", [_shown(v) for v in state[1][0][1].tolist()], attributes)
        raise _Damaged(f"it holds a vector in the form {name[:40]!r}, which is not read; save it again in R")

    def _write_out(self, n: float, width: int) -> None:
        """Count a vector that the file holds in a short form, before it is made; all of them are bounded together."""
        if not 0 <= n < 2**53 or n != int(n):
            raise _Damaged(f"it announces a sequence of {n:g} numbers")
        self.written_out += int(n) * width
        if self.written_out > MOST_BYTES:
            raise _Damaged(
                f"it holds sequences, or numbers as text, that take {self.written_out:,} bytes once written out; at most"
                f" {MOST_BYTES:,} are taken"
            )


def _by_name(node: Node) -> dict[str, Node]:
    """Elements of a named list; none of anything else."""
    return dict(zip(node[2]["names"][1], node[1])) if node[0] == "list" and "names" in node[2] else {}


def _shown(value: float) -> str | None:
    """A number as R's as.character has it: 15 significant digits."""
    if value == INT_NA or value != value:
        return None
    return f"{value:.15g}"


RData = Union["pd.DataFrame", "pd.Series[Any]", "dict[str, Any]"]

DATA = """
holder <- new.env()
suppressWarnings(utils::data(list = name, package = package, envir = holder))
if (!exists(name, holder, inherits = FALSE)) {
  there <- sub(" .*", "", utils::data(package = package)$results[, "Item"])
  stop("package ", package, " has no data set ", sQuote(name, FALSE), "; it has ", toString(there))
}
get(name, holder)
"""


Read = TypeVar("Read")
#: What reading raises of a file whose parts do not fit each other.
DAMAGED = (IndexError, KeyError, AttributeError, OverflowError)


def out_of_file(
    path: str | os.PathLike[str],
    name: str,
    read: Callable[[Any, str], Read],
    damaged: tuple[type[Exception], ...] = DAMAGED,
) -> Read:
    """What `read` makes of an object of a file of R, given it and its name in errors."""
    file = Path(path)
    found = read_file(file)
    if not name and len(found) != 1:
        raise InputError(f"{file} holds {', '.join(found) or 'nothing'}; name the object to read")
    if name and name not in found:
        raise InputError(f"{file} holds {', '.join(found) or 'nothing'}, and no {name!r}")
    chosen = name or next(iter(found))
    try:
        return read(from_node(found[chosen]), f"{file.name}, {chosen}")
    except damaged as error:
        raise InputError(f"{file}: {chosen} is damaged, its parts do not fit each other ({error})") from None


def out_of_package(package: str, name: str, backend: BackendLike) -> tuple[Any, str]:
    """A data set of a package, and its name in errors."""
    what = f"{package}::{name}"
    arguments = {"name": name, "package": package}
    result = policy(backend).call(code=DATA, args=arguments, needs=(package,), label=what)
    return result.value, what


def read_rda(path: str | os.PathLike[str], name: str = "") -> RData:
    """An object of an `.rda`, `.RData` or `.rds` file, read without R
    (:mod:`pairproof.bridge.r_data`).

    Nothing in the file is run: functions, promises and environments are skipped.

    path: a regular file of at most 256 MB, as it is and decompressed.  name: the object wanted; may be left
    out where the file holds one.  Returns DataFrame, Series, or dict: as the module's table says.
    """
    return out_of_file(path, name, to_pandas, (ValueError, *DAMAGED))


def package_data(package: str, name: str, *, backend: BackendLike = None) -> RData:
    """A data set of an R package, as R's `data(name, package = "package")` gives it.

    Parameters
    ----------
    package, name : str
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    DataFrame, Series, or dict
        As the module's table says.

    Raises
    ------
    RError
        There is no such data set (the message lists those there are), or no such package.
    TypeError
        An object that is none of the module's table.

    Examples
    --------
    >>> package_data("prefmod", "cemspc").shape  # doctest: +SKIP
    (303, 17)
    """
    return to_pandas(*out_of_package(package, name, backend))


def data_expr(package: str, name: str, element: str = "") -> Expr:
    """R source that gives a data set of a package, for arguments that take an :class:`Expr`.

    Parameters
    ----------
    package, name : str
        Names of R: letters, digits, dots.
    element : str, optional
        A column, or an element of a list; with a minus sign all but that one.

    Returns
    -------
    Expr

    Raises
    ------
    InputError
        A name that is none of R's.

    Examples
    --------
    >>> from pairproof.bridge.r_data import data_expr
    >>> str(data_expr("psychotools", "GermanParties2009", "preference"))
    'local({utils::data(list = "GermanParties2009", package = "psychotools", envir = environment()); GermanParties2009[["preference"]]})'
    """
    bare = element.removeprefix("-")
    for text in (package, name, bare):
        if text and not re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", text) or not name:
            raise InputError(f"{text!r} is not a name of an R package, data set or column")
    chosen = "" if not element else f'[["{bare}"]]' if bare == element else f'[names({name}) != "{bare}"]'
    load = f'utils::data(list = "{name}", package = "{package}", envir = environment())'
    return Expr(f"local({{{load}; {name}{chosen}}})")


def to_pandas(value: Any, what: str) -> RData:
    """An R value that holds data, as the module's table says; `what` names it in errors."""
    import pandas as pd

    from .values.convert import to_frame

    if isinstance(value, RList) and "data.frame" in value.rclass:
        return to_frame(value)
    if isinstance(value, RList):
        names = value.names or tuple(str(k + 1) for k in range(len(value)))
        return {name: to_pandas(item, f"{what}${name}") for name, item in zip(names, value.values)}
    if isinstance(value, RVector) and value.values.ndim == 2:
        rows, columns = value.dimnames or (None, None)
        # A missing integer is 0 in `values`: only as a double does it stay missing.
        cells = value.floats() if value.values.dtype.kind in "ib" and value.na.any() else value.values
        return pd.DataFrame(
            cells, index=_labels(rows, cells.shape[0]), columns=_labels(columns, cells.shape[1])
        )
    if isinstance(value, RVector) and value.values.ndim == 1:
        column = to_frame(RList((replace(value, names=None),), ("x",), ("data.frame",)))["x"]
        return column.rename(None) if value.names is None else column.rename(None).set_axis(list(value.names))
    kind = ", ".join(getattr(value, "rclass", ())) or type(value).__name__
    kind = value.what if isinstance(value, ROpaque) else kind
    raise TypeError(
        f"{what} is an R object of class {kind}; data frames, matrices, tables of two ways, vectors, and"
        " lists of these are read"
    )


def _labels(names: Sequence[str | None] | None, n: int) -> list[Any]:
    return list(range(n)) if names is None else list(names)
