"""Evaluates an expression: functions of this package, files where they were written, earlier results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ....errors import InputError
from .expressions import Call, Constant, File, Method, Result, expression

Where = Callable[[File], Path]


def evaluate(value: Any, where: Where, results: Mapping[int, Any]) -> Any:
    """The value of an expression.

    where: where its CSV file was written.  results: of the calls before.
    """
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
    return (
        evaluate(value, where, results)
        if isinstance(value, (Call, Method, Result, File, Constant))
        else value
    )
