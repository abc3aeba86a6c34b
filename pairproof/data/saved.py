"""Counted tables in files: JSON, or gzipped JSON, with whole numbers, the parts that were counted, and a digest.

    {"pairproof": "counts", "version": 1, "items": [...], "tie_category": true, "first": [...], "second": [...],
     "wins": [...], "ties": [...], "losses": [...], "columns": {"language": {"levels": [...], "codes": [...]}},
     "parts": [{"name": ..., "comparisons": ..., "digest": ...}], ..., "digest": sha256 of all that stands before it}
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..files.inputs import GZIP, decoded, parsed, read_file, unpacked
from ..files.outputs import write
from ..text import quoted
from .adding import Part
from .columns import Column, Factor
from .where import Narrowed

_BEGINS = '{"pairproof": "counts", "version": '
_VERSION = 1
_SUFFIXES = (".json", ".json.gz")
_COUNTS = ("wins", "ties", "losses")
_KEYS = frozenset(
    "pairproof version items tie_category first second wins ties losses columns item_data source own_names"
    " ranked_together one_track narrowed parts digest".split()
)


def save(path: str | os.PathLike[str], parts: Mapping[str, Any], force: bool, again: bool) -> None:
    """Write a table, given by the arguments of `Comparisons.build`, in one step.
    again: whether a file that this run has read may be replaced, since what is written holds all that was in it.
    """
    name = os.fspath(path)
    if not name.endswith(_SUFFIXES):
        raise InputError(f"{name}: counts are saved as JSON; the name must end in .json or .json.gz")
    text = _text(parts)
    raw = gzip.compress(text, mtime=0) if name.endswith(".gz") else text
    write(path, raw, force=force, known=_is_counts, again=again)


def _is_counts(raw: bytes) -> bool:
    """Whether the file that stands there is one of counts, whole and unchanged."""
    try:
        arguments_of(raw, "")
    except InputError:
        return False
    return True


def is_saved(source: Any) -> bool:
    """Whether this is the name of a file of counts, by its suffix and how it begins."""
    if not isinstance(source, (str, os.PathLike)) or not os.fspath(source).endswith(_SUFFIXES):
        return False
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(len(_BEGINS))
        if head.startswith(GZIP):
            file.seek(0)
            try:
                head = gzip.GzipFile(fileobj=file).read(len(_BEGINS))
            except (OSError, EOFError):
                return False
    return head == _BEGINS.encode()


def arguments(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `Comparisons.build` that a file holds."""
    return arguments_of(read_file(path, "a file of counts"), os.fspath(path))


def _text(parts: Mapping[str, Any]) -> bytes:
    """The file's text.  Whole numbers only, so that nothing depends on how a number is written."""
    counted = parts["counted"]
    if not counted:
        raise InputError(
            f"{parts['source']}: only counted tables can be saved, because their parts add up; count the votes with"
            " pairproof.count, or add two tables"
        )
    document: dict[str, Any] = {"pairproof": "counts", "version": _VERSION, "items": list(parts["items"])}
    document["tie_category"] = parts["ties"] is not None
    for name in ("first", "second", *_COUNTS):
        column = np.zeros(len(parts["first"])) if parts[name] is None else parts[name]
        document[name] = column.astype(np.int64).tolist()
    for name in ("columns", "item_data"):
        document[name] = {key: _written(column) for key, column in (parts[name] or {}).items()}
    for name in ("source", "ranked_together", "one_track"):
        document[name] = parts[name]
    document["own_names"] = dict(parts["own_names"] or {})
    document["narrowed"] = asdict(parts["narrowed"]) if parts["narrowed"] else None
    if parts["dropped"]:
        document["dropped"] = dict(parts["dropped"])
    document["parts"] = [asdict(part) for part in counted]
    body = json.dumps(document, ensure_ascii=False).encode()
    return body[:-1] + f', "digest": "{hashlib.sha256(body).hexdigest()}"}}\n'.encode()


def _written(column: Column) -> dict[str, Any]:
    if isinstance(column, Factor):
        return {"levels": list(column.levels), "codes": column.codes.tolist()}
    return {"values": [None if value != value else value for value in column.tolist()]}


def arguments_of(raw: bytes, name: str) -> dict[str, Any]:
    """As :func:`arguments`, of the bytes of a file."""
    text = decoded(unpacked(raw, name), name)
    if not text.startswith(_BEGINS):
        raise InputError(f"{name}: is not a file of counts, as written by table.save and `pairproof count`")
    document = parsed(text, name)
    if document.get("version") != _VERSION:
        raise InputError(
            f"{name}: counts of version {quoted(document.get('version'))}; this pairproof reads version {_VERSION}"
        )
    body, _, rest = text.rstrip("\n").rpartition(', "digest": ')
    if (
        document.keys() - {"dropped"} != _KEYS
        or rest != json.dumps(hashlib.sha256(f"{body}}}".encode()).hexdigest()) + "}"
    ):
        raise InputError(f"{name}: was cut or changed since it was written (its digest differs); count again")
    counts: dict[str, Any] = {key: np.array(document[key], float) for key in _COUNTS}
    if not document["tie_category"]:
        counts["ties"] = None
    narrowed = document["narrowed"]
    if narrowed:
        narrowed = Narrowed(**{**narrowed, **{key: tuple(narrowed[key]) for key in ("conditions", "gone")}})
    return {
        **{key: document[key] for key in ("items", "source", "own_names", "ranked_together", "one_track")},
        **{side: np.array(document[side], np.int64) for side in ("first", "second")},
        **counts,
        "columns": {key: _read(column) for key, column in document["columns"].items()},
        "item_data": {key: _read(column) for key, column in document["item_data"].items()},
        "narrowed": narrowed,
        "dropped": document.get("dropped"),
        "counted": tuple(Part(**part) for part in document["parts"]),
    }


def _read(column: Mapping[str, Any]) -> Column:
    if "levels" in column:
        return Factor(np.array(column["codes"], np.int64), tuple(column["levels"]))
    return np.array([np.nan if value is None else value for value in column["values"]], float)
