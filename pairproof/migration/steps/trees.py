"""An R expression as the parser gave it: the nodes that the translator walks, and how arguments find their formals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class NotTranslated(Exception):
    """Why an expression has no Python; its text is one sentence without a full stop."""


@dataclass(frozen=True, eq=False)
class R:
    """A node of kind "num", "str", "lgl", "na", "null", "sym", "empty", "call", "function" or "other".

    value: of a constant; the name of a symbol; R's text of anything else.  head: the function of a call.
    arguments: with their names ("" for none); of a function its formals and their defaults.  body: of a function.
    """

    kind: str
    value: Any = None
    head: R | None = None
    arguments: tuple[tuple[str, R], ...] = ()
    body: R | None = None

    @property
    def function(self) -> str:
        """Name of the function of a call, without its package; "" for anything else."""
        head = self.head
        if head is None:
            return ""
        if head.function in ("::", ":::") and len(head.arguments) == 2:
            head = head.arguments[1][1]
        return str(head.value) if head.kind in ("sym", "str") else ""

    @property
    def operands(self) -> tuple[R, ...]:
        """The arguments without their names."""
        return tuple(a for _, a in self.arguments)

    @property
    def symbol(self) -> str:
        """The variable that is meant by the node itself; "" if it is none."""
        return str(self.value) if self.kind == "sym" else ""

    def walk(self) -> Iterator[R]:
        """The node and all within it."""
        yield self
        for part in (self.head, *self.operands, self.body):
            if part is not None:
                yield from part.walk()


def assigned(e: R) -> Iterator[tuple[R, R]]:
    """The assignments of an expression, without those within functions, and the nodes of the variables that they change."""
    if e.kind == "function":
        return
    if e.function in ("<-", "=", "<<-") and e.operands:
        target = e.operands[0]
        while target.operands:
            target = target.operands[0]
        yield e, target
    for part in (e.head, *e.operands):
        if part is not None:
            yield from assigned(part)


def node_of(tree: Any) -> R:
    """The nodes of a tree of the parser's JSON; what is none is of kind "other"."""
    match tree:
        case ["call", head, [*arguments], str(text)]:
            return R("call", text, node_of(head), _named(arguments))
        case ["function", [*formals], body]:
            return R("function", "function", None, _named(formals), node_of(body))
        case ["num", float() | int() | str() as value]:
            return R("num", float(value) if isinstance(value, str) else value)
        case [("str" | "lgl" | "sym" | "other") as kind, value]:
            return R(kind, value)
        case [("na" | "null" | "empty") as kind]:
            return R(kind)
    return R("other", "")


def _named(parts: Sequence[Any]) -> tuple[tuple[str, R], ...]:
    return tuple((str(name), node_of(part)) for name, part in parts)


def matched(arguments: Sequence[tuple[str, Any]], formals: Sequence[str]) -> Mapping[str, Any] | None:
    """Arguments by formal, as R matches them: by full name, by the beginning of one, by place; None if one is left."""
    found: dict[str, Any] = {}
    rest = []
    for name, value in arguments:
        exact = name if name in formals else ""
        begun = [f for f in formals if name and f.startswith(name)]
        formal = exact or (begun[0] if len(begun) == 1 else "")
        if name and (not formal or formal in found):
            return None
        if name:
            found[formal] = value
        else:
            rest.append(value)
    free = [f for f in formals if f not in found]
    if len(rest) > len(free):
        return None
    return {**found, **dict(zip(free, rest))}
