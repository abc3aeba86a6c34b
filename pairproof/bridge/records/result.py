"""What one call to R was, and what came of it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pairproof.bridge.values.convert import to_node
from pairproof.bridge.values.values import NULL, Node, RList, RValue, RVector, from_node
from pairproof.errors import RError

KEY_FORMAT = 1
Source = Literal["live", "recorded"]


@dataclass(frozen=True)
class RSessionInfo:
    """The R that answered: versions and settings that can move a last digit. No paths."""

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
    """One difference between a recorded and a live answer.

    Attributes
    ----------
    field : str
        Where, e.g. ``value/vcov[3]``.
    what : str
        In words: "number", "text", "length", "missing", ...
    recorded, live : object
    digits : float or None
        Decimal digits the two numbers share (at most 16); None where it is not about numbers.
    """

    field: str
    what: str
    recorded: object
    live: object
    digits: float | None = None

    def __str__(self) -> str:
        shared = "" if self.digits is None else f" ({self.digits:.1f} digits shared)"
        return f"{self.field}: {self.what}, recorded {self.recorded!r}, live {self.live!r}{shared}"


@dataclass(frozen=True)
class RCall:
    """A call as R will see it.

    Attributes
    ----------
    fun : str or None
        ``"gnm::gnm"``; else ``code`` is evaluated with the arguments as variables.
    extract : str or None
        R code that reduces ``value``, the call's value, to plain vectors and lists.
    arguments : dict of str to Node
    needs : tuple of str
        R packages without which the call cannot run. Not part of the key.
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
        """sha256 of what R will see, whatever the pandas or numpy types were: R types and values, doubles to
        12 digits.
        """
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
        """The call for a reader, long values abridged."""
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
    """Check and convert a call's parts.

    Raises
    ------
    ValueError
        If not exactly one of ``fun`` and ``code`` is given.
    TypeError, OverflowError
        For an argument that has no R form.
    """
    if (fun is None) == (code is None):
        raise ValueError(
            "give either fun= (an R function's name) or code= (R source), not both and not neither"
        )
    nodes = {name: to_node(value, f"argument {name!r}") for name, value in (args or {}).items()}
    return RCall(fun, nodes, code, extract, seed, tuple(needs), label)


def _as_keyed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Doubles as a key sees them: 12 significant digits.

    An argument that was computed differs in its last bits from one machine's exp, sum or BLAS to another's; a
    record must be found all the same.  What 12 digits hold exactly, as every count and literal, keeps its
    bits, and so do NA, NaN and the infinities.
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
        kind = {"f": "<f8", "c": "<c16"}.get(payload.dtype.kind, "<i4")
        values = payload if kind == "<i4" else _as_keyed(payload)
        digest.update(f"{len(payload)}".encode() + np.ascontiguousarray(values).astype(kind).tobytes())
    elif tag != "null":
        digest.update(json.dumps(payload).encode())
    for name in sorted(attributes):
        digest.update(json.dumps(["attribute", name]).encode())
        feed(digest, attributes[name])
    digest.update(b"</>")


def abridged(node: Node) -> str:
    """A node for a reader."""
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


@dataclass(frozen=True)
class RResult:
    """What R answered.

    Attributes
    ----------
    value : RValue
        See :mod:`pairproof.bridge.values.values`.
    output, messages : tuple of str
        Printed lines; messages.
    warnings : tuple of RCondition
    stderr : str
        What went past R's own capture to its error console.
    seconds : float
        R's own time for the call, when it was made.
    source : "live" or "recorded"
    session : RSessionInfo
        Of the R that computed the value.
    call : RCall
    when : str or None
        UTC time of a recorded answer.
    drift : tuple of Drift
        Differences from the record, where both were asked; a difference that matters is raised as an error
        instead.
    note : str
        Why a recorded answer stands here, where a live one was wished for.
    """

    value: RValue
    output: tuple[str, ...]
    warnings: tuple[RCondition, ...]
    messages: tuple[str, ...]
    seconds: float
    source: Source
    session: RSessionInfo
    call: RCall
    stderr: str = ""
    when: str | None = None
    drift: tuple[Drift, ...] = ()
    note: str = ""
    visible: bool = True
    node: Node = field(default=NULL, repr=False)

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
    """A call's whole outcome, an R error included: what the worker replies and what a record holds."""

    node: Node
    output: tuple[str, ...]
    warnings: tuple[RCondition, ...]
    messages: tuple[str, ...]
    error: RCondition | None
    visible: bool
    seconds: float
    stderr: str = ""

    def result(self, call: RCall, source: Source, session: RSessionInfo, **more: Any) -> RResult:
        """The result, or R's error raised.

        Raises
        ------
        RError
            If R stopped; with R's message, call and stack.
        """
        if self.error is not None:
            raise r_error(self, call, source)
        return RResult(
            from_node(self.node),
            self.output,
            self.warnings,
            self.messages,
            self.seconds,
            source,
            session,
            call,
            self.stderr,
            visible=self.visible,
            node=self.node,
            **more,
        )


def r_error(answer: Answer, call: RCall, source: Source) -> RError:
    """R's error as ours."""
    error = answer.error
    assert error is not None
    where = f" in {error.call}" if error.call else ""
    stack = "".join(f"\n    {line}" for line in error.stack[-5:])
    recorded = " (recorded)" if source == "recorded" else ""
    text = f"R stopped{recorded}: {error.message.strip()}{where}\n  asked: {call.text}"
    return RError(
        text + (f"\n  last R calls:{stack}" if stack else ""),
        r_message=error.message,
        r_call=error.call,
        r_class=error.rclass,
        stack=error.stack,
        output=answer.output,
        warnings=tuple(w.message for w in answer.warnings),
        source=source,
    )


def answer_of(node: Node, stderr: str) -> Answer:
    """Read the worker's reply."""
    parts = dict(zip(node[2]["names"][1], node[1]))
    error = parts["error"]
    visible = from_node(parts["visible"])
    seconds = from_node(parts["seconds"])
    assert isinstance(visible, RVector) and isinstance(seconds, RVector)
    return Answer(
        parts["value"],
        tuple(parts["output"][1] or ()),
        tuple(_condition(w) for w in parts["warnings"][1]),
        tuple(parts["messages"][1]),
        None if error[0] == "null" else _condition(error),
        bool(visible.scalar()),
        float(seconds.scalar()),
        stderr,
    )


def changed_for_good(node: Node) -> tuple[str, ...]:
    """What the worker says the call has changed in R that cannot be put back."""
    parts = dict(zip(node[2]["names"][1], node[1]))
    return tuple(parts["poisoned"][1])


def _condition(node: Node) -> RCondition:
    parts = {name: tuple(item[1]) for name, item in zip(node[2]["names"][1], node[1])}
    return RCondition(
        " ".join(parts["message"]), " ".join(parts["call"]), parts["class"], parts.get("stack", ())
    )
