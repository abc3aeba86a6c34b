"""A call to R as R receives it: its parts, the key by which its record is found, and its text for a reader.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values.convert import to_node
from ..values.values import DTYPES, Node

KEY_FORMAT = 1


@dataclass(frozen=True)
class RCall:
    """A call as R receives it.

    fun: ``"gnm::gnm"``; else ``code`` is evaluated with the arguments as variables.  extract: R code that
    reduces ``value``, the call's value, to plain vectors and lists.  needs: R packages without which the call
    cannot run. Not part of the key.
    """

    fun: str | None
    arguments: Mapping[str, Node]
    code: str | None = None
    extract: str | None = None
    seed: int | None = None
    needs: tuple[str, ...] = ()
    label: str | None = None

    @property
    def name(self) -> str:
        """Short name, for files and messages."""
        return self.label or self.fun or "R code"

    @property
    def key(self) -> str:
        """SHA-256 of the call as R receives it: R types and values, doubles to 12 digits."""
        digest = hashlib.sha256()
        head = {
            "format": KEY_FORMAT,
            "fun": self.fun,
            "code": self.code,
            "extract": self.extract,
            "seed": self.seed,
        }
        digest.update(json.dumps(head, sort_keys=True).encode())
        for name, node in self.arguments.items():
            digest.update(json.dumps(["argument", name]).encode())
            feed(digest, node)
        return digest.hexdigest()

    @property
    def text(self) -> str:
        """The call for a reader, with long values shortened."""
        shown = ", ".join(f"{name} = {abridged(node)}" for name, node in self.arguments.items())
        if self.fun is not None:
            return f"{self.fun}({shown})"
        return f"{self.name}({shown})" if self.label else f"{{ {self.code} }} with {shown or 'no arguments'}"

    def request(self) -> dict[str, Node]:
        """The nodes that go to the worker."""
        texts = {"fun": self.fun, "code": self.code, "extract": self.extract}
        nodes: dict[str, Node] = {k: to_node(v) for k, v in texts.items() if v is not None}
        if self.seed is not None:
            nodes["seed"] = to_node(self.seed)
        if self.needs:
            nodes["needs"] = to_node(list(self.needs))
        names = list(self.arguments)
        nodes["args"] = ("list", list(self.arguments.values()), {"names": to_node(names)} if names else {})
        return nodes


def make_call(
    fun: str | None = None,
    args: Mapping[str, Any] | None = None,
    *,
    code: str | None = None,
    extract: str | None = None,
    seed: int | None = None,
    needs: Sequence[str] = (),
    label: str | None = None,
) -> RCall:
    """Make a call from its parts, checked and converted; for the parts see
    :meth:`pairproof.bridge.records.result.AnswersR.call`.
    """
    if (fun is None) == (code is None):
        raise ValueError("give exactly one of fun= (an R function's name) and code= (R source)")
    nodes = {name: to_node(value, f"argument {name!r}") for name, value in (args or {}).items()}
    return RCall(fun, nodes, code, extract, seed, tuple(needs), label)


def _as_keyed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Doubles rounded to 12 significant digits, as they enter a key.

    The last bits of a computed argument depend on the machine's exp, sum and BLAS, and the record must be
    found all the same.  Numbers of at most 12 digits, such as counts and literals, keep their bits, and so do
    NA, NaN and the infinities.
    """
    if values.dtype.kind == "c":
        return _as_keyed(np.ascontiguousarray(values).view(np.float64)).view(np.complex128)
    keyed = values.astype(np.float64)
    finite = np.flatnonzero(np.isfinite(keyed))  # R's NA is a signalling NaN, over which numpy warns
    computed = finite[(keyed[finite] != np.rint(keyed[finite])) | (np.abs(keyed[finite]) >= 1e12)]
    keyed[computed] = [float(f"{value:.11e}") for value in keyed[computed].tolist()]
    return keyed


def feed(digest: Any, node: Node) -> None:
    """Add a node to a hash: tag, length, bytes (of doubles, to 12 digits), then its attributes by name."""
    tag, payload, attributes = node
    digest.update(f"<{tag}>".encode())
    if tag == "list":
        digest.update(f"{len(payload)}".encode())
        for item in payload:
            feed(digest, item)
    elif isinstance(payload, np.ndarray):
        values = _as_keyed(payload) if tag in ("dbl", "cplx") else payload
        digest.update(f"{len(payload)}".encode() + np.ascontiguousarray(values).astype(DTYPES[tag]).tobytes())
    elif tag != "null":
        digest.update(json.dumps(payload).encode())
    for name in sorted(attributes):
        digest.update(json.dumps(["attribute", name]).encode())
        feed(digest, attributes[name])
    digest.update(b"</>")


def abridged(node: Node) -> str:
    """A node as short text for a reader."""
    tag, payload, attributes = node
    if tag == "null":
        return "NULL"
    if tag in ("formula", "expr", "lang"):
        return str(payload)
    if "row.names" in attributes:
        rows = len(payload[0][1]) if payload else 0
        return f"<data.frame {rows} x {len(payload)}: {', '.join(attributes['names'][1])}>"
    if tag == "list":
        names = attributes["names"][1] if "names" in attributes else [""] * len(payload)
        inner = ", ".join((f"{n} = " if n else "") + abridged(v) for n, v in zip(names, payload))
        return f"list({inner})"
    if "dim" in attributes:
        return f"<matrix {' x '.join(map(str, attributes['dim'][1].tolist()))}>"
    values = [_literal(tag, v) for v in (payload if isinstance(payload, list) else payload.tolist())[:6]]
    if len(payload) == 1:
        return values[0]
    more = f", ... {len(payload)} values" if len(payload) > 6 else ""
    return f"{'factor' if 'levels' in attributes else 'c'}({', '.join(values)}{more})"


def _literal(tag: str, value: Any) -> str:
    if value is None:
        return "NA"
    if tag == "chr":
        return json.dumps(value, ensure_ascii=False)
    if tag == "lgl":
        return {0: "FALSE", 1: "TRUE"}.get(value, "NA")
    if tag == "dbl" and math.isnan(value):
        return "NaN"
    return f"{value}L" if tag == "int" else repr(value)
