"""Python code as values: a call of a function of this package, with tables, constants and earlier results.

    Call("pairproof.fit_bradley_terry", (Call("pairproof.read", (File(table),), {"layout": "counts"}),), {"reference": "A"})

Such an expression is evaluated (:mod:`.evaluate`) and written as text (:mod:`.source`) by two functions that know the
same few kinds, so that what a script says is what was held against R.  Names and texts of an R script are in it as
constants only: they become Python through `repr`, never by being put together with code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from ....errors import InputError

#: Functions that an expression may call begin with one of these.
ALLOWED = ("pairproof.",)
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Constant:
    """A value that is written as it is: None, bool, int, float, str, and lists, tuples and dicts of such.

    value: lists, tuples and dicts may hold expressions too.
    """

    value: Any

    def __post_init__(self) -> None:
        _check_constant(self.value)


@dataclass(frozen=True)
class Result:
    """The Python value of an earlier call of the script.

    call: `id` of its RecordedCall.
    """

    call: int


@dataclass(frozen=True, eq=False)
class File:
    """A CSV file beside the script; as an expression, its path.

    columns: in order: str, int, float, bool or None (missing), all of the same length.  stem: what to call it
    ("m"): a word of the script, such as the variable that the fit is assigned to; the writer makes it a file
    name, and gives equal tables one file.
    """

    columns: Mapping[str, Sequence[Any]]
    stem: str

    def __post_init__(self) -> None:
        if len({len(v) for v in self.columns.values()}) > 1:
            raise InputError(
                f"columns of {self.stem}: lengths { {k: len(v) for k, v in self.columns.items()} }"
            )


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a public function of this package.

    function: dotted path, "pairproof.fit_llbt" or "pairproof.bridge.lme4.glmer_contests".  keywords: plain
    values stand for themselves: `{"ties": "half"}`.
    """

    function: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _DOTTED.match(self.function) or not self.function.startswith(ALLOWED):
            raise InputError(f"{self.function!r} is no function of pairproof")
        _check_arguments(self.arguments, self.keywords)


@dataclass(frozen=True, eq=False)
class Method:
    """A method or an attribute of a value: `m.summary()`, `m.params`.

    arguments, keywords: as of a :class:`Call`; None: an attribute.
    """

    of: Any
    name: str
    arguments: tuple[Any, ...] | None = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise InputError(f"{self.name!r} is no public name")
        _check_arguments(self.arguments or (), self.keywords)


Expression = Union[Constant, Result, File, Call, Method]
KINDS = (Constant, Result, File, Call, Method)


def expression(value: Any) -> Expression:
    """An expression as it is; any other value as a constant."""
    return value if isinstance(value, KINDS) else Constant(value)


def attribute(of: Any, name: str) -> Method:
    """`of.name`."""
    return Method(of, name, None)


def parts(value: Any) -> Iterator[Any]:
    """The expression and all expressions within it, the outer first."""
    if isinstance(value, KINDS):
        yield value
    if isinstance(value, Constant):
        yield from _within(value.value)
    elif isinstance(value, (Call, Method)):
        if isinstance(value, Method):
            yield from parts(expression(value.of))
        yield from _within(list(value.arguments or ()))
        yield from _within(list(value.keywords.values()))


def files(value: Any) -> tuple[File, ...]:
    """The files that an expression reads."""
    return tuple(p for p in parts(value) if isinstance(p, File))


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, KINDS):
        yield from parts(value)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _within(v)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _within(v)


def _check_arguments(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    for value in (*arguments, *keywords.values()):
        if not isinstance(value, KINDS):
            _check_constant(value)
    for name in keywords:
        if not name.isidentifier():
            raise InputError(f"{name!r} is no name of an argument")


def _check_constant(value: Any) -> None:
    if isinstance(value, KINDS) or value is None or type(value) in (bool, int, str):
        return
    if type(value) is float:
        if math.isnan(value):
            raise InputError("nan has no constant; None is a missing value")
        return
    if type(value) in (list, tuple):
        for v in value:
            _check_constant(v)
        return
    if type(value) is dict:
        for k, v in value.items():
            _check_constant(k)
            _check_constant(v)
        return
    raise InputError(f"{type(value).__name__} {str(value)[:40]!r} has no constant in Python source")
