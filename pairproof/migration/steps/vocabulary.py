"""R's functions by the rules of vocabulary.toml: which Python stands for a call, by the kinds of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ...files.packaged import packaged_toml
from .python import Part, put
from .trees import NotTranslated, matched

#: R's operators that Python writes as it does, and their places in ast.
OPERATORS = {
    "+": "x + y", "-": "x - y", "*": "x * y", "/": "x / y", "^": "x**y", "%%": "x % y", "%/%": "x // y", "%*%": "x @ y",
    "==": "x == y", "!=": "x != y", "<": "x < y", ">": "x > y", "<=": "x <= y", ">=": "x >= y",
    "&": "x & y", "|": "x | y", "&&": "x and y", "||": "x or y",
}  # fmt: skip
#: Arguments that say how a result looks or is kept, and not what it is.
_OF_LOOKS = frozenset(
    "check.names stringsAsFactors drop na.last USE.NAMES check.attributes fileEncoding".split()
)


def kind_of(value: Any) -> str:
    """n number, v vector, s named vector, d table, t text, l list, o nothing, f anything else."""
    if value is None:
        return "o"
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return "n"
    if isinstance(value, str):
        return "t"
    if isinstance(value, pd.Series):
        return "s"
    if isinstance(value, pd.DataFrame):
        return "d"
    if isinstance(value, np.ndarray):
        return "v" if value.ndim == 1 else "m"
    if isinstance(value, (range, pd.Index)):
        return "v"
    if isinstance(value, (list, tuple)):
        return "v" if all(kind_of(v) in "nt" for v in value) else "l"
    return "l" if isinstance(value, dict) else "f"


@dataclass(frozen=True)
class Rule:
    """A line of the vocabulary."""

    kinds: str
    needed: tuple[str, ...]
    defaults: Mapping[str, Any]
    fixed: Mapping[str, Any]
    template: str


def _rule(text: str) -> Rule:
    left, _, template = text.partition(" -> ")
    kinds, colon, formals = left.partition(": ")
    needed, defaults, fixed = [], {}, {}
    for formal in (formals if colon else left).split(", "):
        name, equal, constant = formal.partition("==" if "==" in formal else "=")
        name = name.replace("_", ".") if not name.endswith("_") else name[:-1]
        if not equal:
            needed.append(name)
        elif "==" in formal:
            fixed[name] = ast.literal_eval(constant)
        else:
            defaults[name] = ast.literal_eval(constant)
    return Rule(kinds if colon else "", tuple(needed), defaults, fixed, template)


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, tuple[Rule, ...]]:
    """R's function -> its rules."""
    found = packaged_toml("pairproof.migration.steps", "vocabulary.toml")
    return {name: tuple(map(_rule, rules)) for name, rules in found.items()}


def by_rule(
    function: str, arguments: Sequence[tuple[str, ast.expr]], value: Callable[[ast.expr], Any]
) -> ast.expr:
    """Python of a call of a function of the vocabulary."""
    arguments = [(n, a) for n, a in arguments if n not in _OF_LOOKS]
    first = kind_of(value(arguments[0][1])) if arguments else ""
    for rule in vocabulary()[function]:
        formals = [*rule.needed, *rule.fixed, *rule.defaults]
        given = matched(arguments, formals)
        if given is None or not all(n in given for n in (*rule.needed, *rule.fixed)):
            continue
        of_first = given.get(formals[0])
        kind = first if of_first is None else kind_of(value(of_first))
        if rule.kinds and kind not in rule.kinds:
            continue
        if any(not _is(given[n], constant) for n, constant in rule.fixed.items()):
            continue
        parts: dict[str, Part] = {**rule.defaults, **given}
        return put(rule.template, **{_python(n): p for n, p in parts.items()})
    if first == "d" and value(arguments[0][1]).shape[1] == 1:  # a matrix of one column is a vector
        column = put("x.iloc[:, 0]", x=arguments[0][1])
        return by_rule(function, [(arguments[0][0], column), *arguments[1:]], value)
    raise NotTranslated(f"{function}() with these arguments is not supported")


def _python(formal: str) -> str:
    name = formal.replace(".", "_")
    return f"{name}_" if name == "from" else name


def _is(given: ast.expr, constant: Any) -> bool:
    return isinstance(given, ast.Constant) and given.value == constant
