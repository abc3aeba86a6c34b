"""Python code as values: a call of a function of this package, with tables, constants and earlier results.

    read = Call("pairproof.read", (File(table),), {"layout": "counts"})
    Call("pairproof.fit_bradley_terry", (read,), {"reference": "A"})

Such an expression is evaluated (functions of this package, files where they were written, earlier results)
and written as text (in lines of at most `WIDTH` columns, one argument a line where needed) by two functions
that know the same few kinds, so that what a script says is what was held against R.  Names and texts of an R
script are in it as constants only: they become Python through `repr`, never by being put together with code.

A data frame of R is a CSV file beside the script, and the call that reads it with R's factors and types.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...bridge.values.frames import columns_of, factors_of, looks_otherwise
from ...bridge.values.nodes import RList, RVector
from ...errors import InputError

#: Functions that an expression may call begin with one of these.
ALLOWED = ("pairproof.",)
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Constant:
    """None, bool, int, float, str as written, and lists, tuples and dicts of such or of expressions."""

    value: Any

    def __post_init__(self) -> None:
        _check_constant(self.value)


@dataclass(frozen=True)
class Result:
    """The Python value of an earlier call of the script, by the `id` of its RecordedCall."""

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
    """A call of a public function by its dotted path; plain values stand for themselves."""

    function: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _DOTTED.match(self.function) or not self.function.startswith(ALLOWED):
            raise InputError(f"{self.function!r} is no function of pairproof")
        _check_arguments(self.arguments, self.keywords)


@dataclass(frozen=True, eq=False)
class Method:
    """A method or an attribute (arguments None) of a value: `m.summary()`, `m.params`."""

    of: Any
    name: str
    arguments: tuple[Any, ...] | None = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise InputError(f"{self.name!r} is no public name")
        _check_arguments(self.arguments or (), self.keywords)


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


KINDS = (Constant, Result, File, Call, Method)


Expression = Union[Constant, Result, File, Call, Method]


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


WIDTH = 110
INDENT = "    "
#: What a result is called; how a file's path is written.
Named = Callable[[Result], str]
Placed = Callable[[File], str]


def source(value: Any, named: Named, placed: Placed, indent: str = "", before: str = "") -> str:
    """The text of an expression after `before` (for the width only), results and files so named."""
    flat = _flat(value, named, placed)
    if len(indent) + len(before) + len(flat) <= WIDTH:
        return flat
    return _broken(expression(value), named, placed, indent)


def literal(value: Any) -> str:
    """A plain value as source; an infinite number as a call that makes it."""
    if isinstance(value, float) and math.isinf(value):
        return f'float("{"-" if value < 0 else ""}inf")'
    if isinstance(value, str):
        return text_literal(value)
    return repr(value)


def text_literal(text: str) -> str:
    """A string in double quotes, everything that is not printable as an escape."""
    shown = repr(text)
    if shown.startswith("'") and '"' not in text and "'" not in text:
        return f'"{shown[1:-1]}"'
    return shown


def _flat(value: Any, named: Named, placed: Placed) -> str:
    value = expression(value)
    if isinstance(value, Constant):
        return _flat_constant(value.value, named, placed)
    if isinstance(value, Result):
        return named(value)
    if isinstance(value, File):
        return placed(value)
    arguments = [_flat(a, named, placed) for a in value.arguments or ()]
    arguments += [f"{k}={_flat(v, named, placed)}" for k, v in value.keywords.items()]
    inner = f"({', '.join(arguments)})"
    if isinstance(value, Call):
        return value.function + inner
    assert isinstance(value, Method)
    return f"{_flat(value.of, named, placed)}.{value.name}" + ("" if value.arguments is None else inner)


def _flat_constant(value: Any, named: Named, placed: Placed) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {_flat(v, named, placed)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flat(v, named, placed) for v in value) + "]"
    if isinstance(value, tuple):
        inner = ", ".join(_flat(v, named, placed) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, KINDS):
        return _flat(value, named, placed)
    return literal(value)


def _broken(value: Any, named: Named, placed: Placed, indent: str) -> str:
    """Over several lines: arguments, or elements, one below the other."""
    deeper = indent + INDENT

    def entry(before: str, inner: Any) -> str:
        return f"{deeper}{before}{source(inner, named, placed, deeper, before + ',')},\n"

    if isinstance(value, Constant):
        content = value.value
        if isinstance(content, dict):
            return "{\n" + "".join(entry(f"{literal(k)}: ", v) for k, v in content.items()) + indent + "}"
        if isinstance(content, (list, tuple)) and content:
            left, right = ("[", "]") if isinstance(content, list) else ("(", ")")
            plain = not any(isinstance(v, (*KINDS, list, dict, tuple)) for v in content)
            body = (
                _filled([literal(v) for v in content], deeper)
                if plain
                else "".join(entry("", v) for v in content)
            )
            return f"{left}\n{body}{indent}{right}"
        return _flat(value, named, placed)
    if not isinstance(value, (Call, Method)):
        return _flat(value, named, placed)
    head = (
        value.function
        if isinstance(value, Call)
        else f"{source(value.of, named, placed, indent)}.{value.name}"
    )
    if isinstance(value, Method) and value.arguments is None:
        return head
    lines = [entry("", a) for a in value.arguments or ()] + [
        entry(f"{k}=", v) for k, v in value.keywords.items()
    ]
    return f"{head}(\n{''.join(lines)}{indent})" if lines else f"{head}()"


def _filled(items: list[str], indent: str) -> str:
    """Elements of a long list, as many a line as there is room for."""
    lines, line = "", ""
    for item in items:
        if line and len(indent) + len(line) + len(item) + 2 > WIDTH:
            lines += f"{indent}{line.rstrip()}\n"
            line = ""
        line += item + ", "
    return lines + f"{indent}{line.rstrip()}\n"


Where = Callable[[File], Path]


def evaluate(value: Any, where: Where, results: Mapping[int, Any]) -> Any:
    """The value of an expression, with its files where they were written and the results of earlier calls."""
    value = expression(value)
    if isinstance(value, Constant):
        return _constant(value.value, where, results)
    if isinstance(value, Result):
        if value.call not in results:
            raise InputError(f"the result of call {value.call} is used before it is there")
        return results[value.call]
    if isinstance(value, File):
        return where(value)
    keywords = {k: evaluate(v, where, results) for k, v in value.keywords.items()}
    if isinstance(value, Call):
        return function_of(value.function)(
            *(evaluate(a, where, results) for a in value.arguments), **keywords
        )
    assert isinstance(value, Method)
    found = getattr(evaluate(value.of, where, results), value.name)
    if value.arguments is None:
        return found
    return found(*(evaluate(a, where, results) for a in value.arguments), **keywords)


def function_of(path: str) -> Callable[..., Any]:
    """The function of a dotted path."""
    names = path.split(".")
    for n in range(len(names) - 1, 0, -1):
        module = ".".join(names[:n])
        try:
            found: Any = sys.modules.get(module) or import_module(module)
        except ModuleNotFoundError:
            continue
        for name in names[n:]:
            found = getattr(found, name, None)
        if not callable(found):
            break
        function: Callable[..., Any] = found
        return function
    raise InputError(f"there is no function {path}")


def _constant(value: Any, where: Where, results: Mapping[int, Any]) -> Any:
    if isinstance(value, dict):
        return {k: _constant(v, where, results) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_constant(v, where, results) for v in value)
    return evaluate(value, where, results) if isinstance(value, KINDS) else value


def frame_call(frame: RList, stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv", factors={...})` of a data frame."""
    columns, factors = columns_of(frame), factors_of(frame)
    text = [name for name, values in columns.items() if name not in factors and looks_otherwise(values)]
    ordered = [
        name
        for name, column in zip(frame.names or (), frame.values)
        if isinstance(column, RVector) and "ordered" in column.rclass
    ]
    options = stated(factors=factors, text=text, ordered=ordered)
    return Call("pairproof.bridge.read_frame", (File(columns, stem),), options)


def stated(**options: Any) -> dict[str, Any]:
    """Options of a call without those that are left at None, False, or nothing."""
    return {k: v for k, v in options.items() if v or type(v) in (int, float)}


def columns_call(columns: Mapping[str, Sequence[Any]], stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv")` of columns without factors."""
    text = [name for name, values in columns.items() if looks_otherwise(values)]
    return Call("pairproof.bridge.read_frame", (File(columns, stem),), stated(text=text))


def quoted_name(name: str) -> str:
    """A name as a formula has it: between backticks where it is no plain word."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{name}`"


def whole_numbers(values: NDArray[np.float64], most: float = 2.0**31) -> list[Any]:
    """Numbers, as integers if all are whole and smaller than `most`."""
    whole = bool((values == np.round(values)).all()) and np.abs(values).max(initial=0.0) < most
    return [int(v) if whole else float(v) for v in values]


def table_call(columns: dict[str, list[Any]], stem: str, /, **options: Any) -> Call:
    """`pairproof.read("data/STEM.csv", ...)` of a table of comparisons."""
    return Call("pairproof.read", (File(columns, stem),), options)
