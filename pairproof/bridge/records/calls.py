"""A call as R receives it, and R's answer to it.

The call: its parts, the key by which its record is found, and its text for a reader.  The answer: its value,
output, messages and warnings, or its error.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...errors import RError
from ..values.convert import to_node
from ..values.nodes import DTYPES, NULL, Node, RList, RValue, RVector, from_node

KEY_FORMAT = 1


@dataclass(frozen=True)
class RCall:
    """A call as R receives it."""

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
        head = {name: vars(self)[name] for name in ("fun", "code", "extract", "seed")}
        digest.update(json.dumps({"format": KEY_FORMAT, **head}, sort_keys=True).encode())
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
    """A call of its parts, checked and converted; they are those of :meth:`AnswersR.call`."""
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


Source = Literal["live", "recorded"]


@dataclass(frozen=True)
class RSessionInfo:
    """Versions and settings of the R that answered, as far as they can change a last digit; no paths."""

    r_version: str
    r_string: str
    platform: str
    blas: str | None
    lapack: str | None
    lapack_version: str
    os: str
    locale: str
    rng: tuple[str, ...]
    packages: Mapping[str, str | None]


@dataclass(frozen=True)
class RCondition:
    """A warning or an error as R raised it."""

    message: str
    call: str
    rclass: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drift:
    """One difference between a recorded and a live answer."""

    field: str
    what: str
    recorded: object
    live: object
    digits: float | None = None

    def __str__(self) -> str:
        shared = "" if self.digits is None else f" ({self.digits:.1f} digits shared)"
        return f"{self.field}: {self.what}, recorded {self.recorded!r}, live {self.live!r}{shared}"


@dataclass(frozen=True, kw_only=True)
class RResult:
    """The result of an R call: its value, with the output, messages and warnings."""

    value: RValue
    node: Node = field(default=NULL, repr=False)
    output: tuple[str, ...]
    warnings: tuple[RCondition, ...]
    messages: tuple[str, ...]
    visible: bool = True
    seconds: float
    stderr: str = ""
    source: Source
    session: RSessionInfo
    call: RCall
    when: str | None = None
    drift: tuple[Drift, ...] = ()
    note: str = ""

    @property
    def text(self) -> str:
        """The R call, for a reader."""
        return self.call.text

    def as_list(self) -> RList:
        """The value, which must be an R list."""
        if not isinstance(self.value, RList):
            raise TypeError(f"expected a list from {self.call.name}, found {type(self.value).__name__}")
        return self.value

    def engine(self) -> str:
        """The R and package versions, e.g. ``R 4.2.2 prefmod 0.8-37 (recorded)``."""
        packages = " ".join(f"{p} {self.session.packages.get(p)}" for p in self.call.needs)
        said = f"R {self.session.r_version} {packages}".strip()
        return said if self.source == "live" else f"{said} (recorded)"


@dataclass(frozen=True)
class Answer:
    """The outcome of a call, which may be R's error: what the worker replies and what a record holds."""

    node: Node
    output: tuple[str, ...]
    warnings: tuple[RCondition, ...]
    messages: tuple[str, ...]
    error: RCondition | None
    visible: bool
    seconds: float
    stderr: str = ""

    def result(
        self, call: RCall, source: Source, session: RSessionInfo, *, beside: str = "", **more: Any
    ) -> RResult:
        """Return the result, or raise R's error, with what stands `beside` it: how its record words it."""
        if self.error is not None:
            raise self._as_ours(self.error, call, source, beside)
        said = {name: part for name, part in vars(self).items() if name != "error"}
        return RResult(value=from_node(self.node), source=source, session=session, call=call, **said, **more)

    def _as_ours(self, error: RCondition, call: RCall, source: Source, beside: str) -> RError:
        """Convert R's error to an error of this package."""
        where = f" in {error.call}" if error.call else ""
        stack = "".join(f"\n    {line}" for line in error.stack[-5:])
        recorded = " (recorded)" if source == "recorded" else ""
        text = f"R stopped{recorded}: {error.message.strip()}{where}\n  asked: {call.text}"
        text += f"\n  {beside}" if beside else ""
        return RError(
            text + (f"\n  last R calls:{stack}" if stack else ""),
            r_message=error.message,
            r_call=error.call,
            r_class=error.rclass,
            stack=error.stack,
            output=self.output,
            warnings=tuple(w.message for w in self.warnings),
            source=source,
        )


class AnswersR(ABC):
    """The interface of objects that answer R calls: a live session, or a policy with its records."""

    def call(
        self,
        fun: str | None = None,
        args: Mapping[str, Any] | None = None,
        *,
        code: str | None = None,
        extract: str | None = None,
        seed: int | None = None,
        timeout: float | None = None,
        needs: Sequence[str] = (),
        label: str | None = None,
    ) -> RResult:
        """Evaluate one R call."""
        wanted = make_call(fun, args, code=code, extract=extract, seed=seed, needs=needs, label=label)
        return self.ask(wanted, timeout)

    @abstractmethod
    def ask(self, call: RCall, timeout: float | None = None) -> RResult:
        """Run a call, like :meth:`call`, that has been made with `make_call`."""


def answer_of(node: Node, stderr: str) -> tuple[Answer, tuple[str, ...]]:
    """The worker's reply as an answer, and the changes that the call made in R and that cannot be undone."""
    parts = _named(node)
    visible, seconds = from_node(parts["visible"]), from_node(parts["seconds"])
    assert isinstance(visible, RVector) and isinstance(seconds, RVector)
    answer = Answer(
        parts["value"],
        tuple(parts["output"][1] or ()),
        tuple(_condition(w) for w in parts["warnings"][1]),
        tuple(parts["messages"][1]),
        None if parts["error"][0] == "null" else _condition(parts["error"]),
        bool(visible.scalar()),
        float(seconds.scalar()),
        stderr,
    )
    return answer, tuple(parts["poisoned"][1])


def _named(node: Node) -> dict[str, Node]:
    return dict(zip(node[2]["names"][1], node[1]))


def _condition(node: Node) -> RCondition:
    parts = {name: tuple(item[1]) for name, item in _named(node).items()}
    return RCondition(
        " ".join(parts["message"]), " ".join(parts["call"]), parts["class"], parts.get("stack", ())
    )
