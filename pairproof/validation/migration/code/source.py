"""Writes an expression as Python source, in lines of at most `WIDTH` columns, one argument a line where needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .expressions import Call, Constant, File, Method, Result, expression

WIDTH = 110
INDENT = "    "
#: What a result is called; how a file's path is written.
Named = Callable[[Result], str]
Placed = Callable[[File], str]


def source(value: Any, named: Named, placed: Placed, indent: str = "", before: str = "") -> str:
    """The text of an expression.

    named: the Python name (or `f["north"]`) of an earlier result.  placed: source of the path of a file.
    indent: of the statement.  before: what stands before it on its line ("m = "), for the width.  Returns
    str: without `before`; continued lines are indented.
    """
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
    if isinstance(value, (Constant, Result, File, Call, Method)):
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
            plain = not any(
                isinstance(v, (Constant, Result, File, Call, Method, list, dict, tuple)) for v in content
            )
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
