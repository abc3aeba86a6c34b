"""R's answer to one call: its value, output, messages and warnings, or its error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...errors import RError
from ..values.values import NULL, Node, RList, RValue, RVector, from_node
from .calls import RCall, make_call

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
    """A warning or an error as R raised it.

    rclass: R's class of the condition.  stack: the last R calls before an error, outermost first.
    """

    message: str
    call: str
    rclass: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drift:
    """One difference between a recorded and a live answer.

    field: the place of the difference, e.g. ``value/vcov[3]``.  `what`: the kind of difference: "number",
    "text", "length", "missing", ...  digits: decimal digits that two numbers share (at most 16); None if the
    difference is not in a number.
    """

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
    """The result of an R call: its value, with the output, messages and warnings.

    value: see :mod:`pairproof.bridge.values.values`.  node: the value as the worker sent it.  output,
    messages: printed lines; messages.  visible: whether R's prompt would have printed the value.  stderr:
    text that R wrote to its error console instead of to its captured output.  seconds: R's own time for the
    call, when it was made.  session: versions and settings of the R that computed the value.  `when`: UTC
    time of a recorded answer.  drift: differences from the record in mode "both"; a difference that matters
    is raised as an error instead.  note: the reason why this is a recorded answer although a live one was
    preferred.
    """

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
        """Evaluate one R call.

        fun: name of an R function, usually ``"pkg::name"``.  Give this or `code`.  code: R source, evaluated
        with ``args`` as variables.  args: see :mod:`pairproof.bridge.values.convert` for the conversion to R.
        extract: R source that computes the returned value from ``value``.  timeout: seconds; default 600, or
        PAIRPROOF_R_TIMEOUT.  needs: R packages without which the call cannot run.  label: short name, for
        messages and the record's file name; default ``fun``.
        """
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
