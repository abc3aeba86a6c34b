"""An R expression as the parser gave it: the nodes that the translator walks, and how arguments find their formals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


class NotTranslated(Exception):
    """Why an expression has no Python; its text is one sentence without a full stop."""


class NoExpression(NotTranslated):
    """A function of statements that no one expression says."""


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


def call_of(function: str, *operands: R) -> R:
    """The call of a function that no script says so."""
    return R("call", "", R("sym", function), tuple(("", a) for a in operands))


def outside_functions(e: R) -> Iterator[R]:
    """The node and all within it, without what stands in functions."""
    if e.kind == "function":
        return
    yield e
    for part in (e.head, *e.operands):
        if part is not None:
            yield from outside_functions(part)


def calls_in(*parts: R) -> set[str]:
    """The texts of the calls in expressions."""
    return {str(p.value) for e in parts for p in e.walk() if p.kind == "call"}


def root(target: R) -> str:
    """The variable that an assignment changes."""
    while target.operands:
        target = target.operands[0]
    return target.symbol or str(target.value)


def assigned(e: R) -> Iterator[tuple[R, str]]:
    """The assignments of an expression, without those within functions, and the variables that they change."""
    for part in outside_functions(e):
        if part.function in ("<-", "=", "<<-") and part.operands:
            yield part, root(part.operands[0])
        elif part.function == "assign" and len(part.operands) > 1 and part.operands[0].kind == "str":
            yield part, str(part.operands[0].value)


def own_variables(body: R) -> frozenset[str]:
    """The variables that a body of a function, or of a loop, makes where it stands."""
    loops = {part.operands[0].symbol for part in outside_functions(body) if part.function == "for"}
    return frozenset(loops | {name for part, name in assigned(body) if part.function != "<<-"})


def outer_variables(e: R, functions: Mapping[str, R]) -> frozenset[str]:
    """The variables that `<<-` changes in an expression, and in the functions of the script that it may call."""
    found, waiting, seen = set(), [e], set[str]()
    while waiting:
        part = waiting.pop()
        inner = [p for p in (part.head, *part.operands, part.body) if p is not None]
        if part.function in ("<-", "=", "<<-") and part.operands:
            found |= {root(part.operands[0])} if part.function == "<<-" else set()
            # The name that it gives is no call, and a function that is given one is not called.
            inner = [p for p in inner if p.kind != "function" and p is not part.operands[0]]
        if part.symbol in functions and part.symbol not in seen:
            seen.add(part.symbol)
            inner.append(functions[part.symbol])
        waiting += inner
    return frozenset(found)


def changed(e: R, functions: Mapping[str, R]) -> frozenset[str]:
    """All variables that an expression may change."""
    return own_variables(e) | outer_variables(e, functions)


def parts_changed(trees: Sequence[R]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The variables of which a script changes elements or columns; of these and others the filled, and the grown.

    Filled: by `x[k] <- value` alone, and no columns or parts of a list.  Grown: those that `x <- c(x, value)` makes
    longer, and of which nothing asks whether they are NULL.
    """
    calls = [p for e in trees for p in e.walk() if p.operands]
    targets = [p.operands[0] for p in calls if p.function in ("<-", "=", "<<-")]
    lists, cells = ({root(t) for t in targets if t.function in of} for of in (("[[", "$"), ("[",)))
    vectors = {root(t) for t in targets if t.function == "[" and len(t.operands) == 2}
    first, asked = ({p.operands[0].symbol for p in calls if p.function == f} for f in ("c", "is.null"))
    return frozenset(lists | cells), frozenset(vectors - lists), frozenset(first - asked - {""})


def jumps(e: R, in_loop: bool = False) -> bool:
    """Whether it may leave the loop or the function that it stands in."""
    if e.kind == "function":
        return False
    if e.function == "return" or e.function in ("next", "break") and not in_loop:
        return True
    in_loop = in_loop or e.function in ("for", "while", "repeat")
    return any(jumps(part, in_loop) for part in (e.head, *e.operands) if part is not None)


def _ends(e: R) -> bool:
    """Whether it returns in any case."""
    if e.function == "if":
        return len(e.operands) == 3 and all(map(_ends, e.operands[1:]))
    return e.function == "return" or e.function == "{" and any(map(_ends, e.operands))


def _block(*parts: R) -> R:
    return parts[0] if len(parts) == 1 else call_of("{", *parts)


def without_return(body: R) -> R:
    """A function's body in which what it returns stands last by itself, the rest after `if (a) return(b)` under else."""
    if body.function == "return":
        return without_return(body.operands[0]) if body.operands else R("null")
    if body.function == "if":
        test, *branches = body.operands
        return replace(body, arguments=tuple(("", p) for p in (test, *map(without_return, branches))))
    if body.function != "{":
        return body
    for k, part in enumerate(body.operands):
        before, after = body.operands[:k], body.operands[k + 1 :]
        if part.function == "return" or not after:
            return _block(*before, without_return(part))
        if part.function == "if" and any(map(_ends, part.operands[1:])):
            test, yes, *no = part.operands
            yes, rest = (yes, _block(*no, *after)) if _ends(yes) else (_block(yes, *after), no[0])
            chosen = R("call", part.value, part.head, (("", test), ("", yes), ("", rest)))
            return _block(*before, without_return(chosen))
    return body


def node_of(tree: Any) -> R:
    """The nodes of a tree of the parser's JSON; what is none is of kind "other"."""
    match tree:
        case ["call", head, [*arguments], str(text)]:
            return _unpiped(R("call", text, node_of(head), _named(arguments)))
        case ["function", [*formals], body]:
            return R("function", "function", None, _named(formals), node_of(body))
        case ["num", float() | int() | str() as value]:
            return R("num", float(value) if isinstance(value, str) else value)
        case [("str" | "lgl" | "sym" | "other") as kind, value]:
            return R(kind, value)
        case [("na" | "null" | "empty") as kind]:
            return R(kind)
    return R("other", "")


def _unpiped(e: R) -> R:
    """`x %>% f(y)` as `f(x, y)`, and `x %>% f(y, .)` as `f(y, x)`; a dot within another call has no such form."""
    if e.function != "%>%" or len(e.operands) != 2:
        return e
    left, right = e.operands
    if right.symbol:
        return replace(e, head=right, arguments=(("", left),))
    dots = [part for part in right.walk() if part.symbol == "."]
    plain = right.function not in ("", "{", "(", "::", ":::")
    if not plain or len(dots) != sum(a.symbol == "." for a in right.operands):
        return e
    given = tuple((n, left if a.symbol == "." else a) for n, a in right.arguments)
    return replace(e, head=right.head, arguments=given if dots else (("", left), *given))


def _named(parts: Sequence[Any]) -> tuple[tuple[str, R], ...]:
    return tuple((str(name), node_of(part)) for name, part in parts)


def matched(arguments: Sequence[tuple[str, Any]], formals: Sequence[str]) -> Mapping[str, Any] | None:
    """Arguments by formal, as R matches them: by full name, by the beginning of one, by place; None if one is left."""
    found: dict[str, Any] = {}
    rest = []
    for name, value in arguments:
        if not name:
            rest.append(value)
            continue
        meant = [name] if name in formals else [f for f in formals if f.startswith(name)]
        if len(meant) != 1 or meant[0] in found:
            return None
        found[meant[0]] = value
    free = [f for f in formals if f not in found]
    if len(rest) > len(free):
        return None
    return {**found, **dict(zip(free, rest))}


def given_to(e: R, formals: Sequence[str], needed: Sequence[str]) -> Mapping[str, R]:
    """The arguments of a call by formal; refused where one is none of these, or one that is needed is not there."""
    given = matched(e.arguments, formals)
    if given is None or not {*needed} <= {*given}:
        raise NotTranslated(f"{e.function}() with these arguments is not supported")
    return given
