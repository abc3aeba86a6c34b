"""Which numbers that Python prints are R's own values of that run, or computed with them: no agreement of two programs.

A statement that has no Python leaves its value as a constant, where it is short.  Statements that use one are run once
more with NaN in its place; what they then print otherwise, or assign, depends on it.  Of models all that depends on a
constant is R's, of the data the constant's own numbers.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import warnings
from collections import ChainMap
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

import numpy as np
import pandas as pd

from .compared import NUMBER, numbers_of
from .interpreter import Interpreter, Jump

_NUMBER = re.compile(rf"{NUMBER.pattern}|\b[nN]a[nN]\b")


class Constants:
    """Values of the script's names without what R's constants, of models or of the data, are in them."""

    def __init__(self, of_models: bool) -> None:
        self.of_models = of_models
        self.values: dict[str, Any] = {}
        self.numbers = set[float]()

    def printed_without(
        self, lines: Sequence[str], values: Mapping[str, Any], known: Mapping[bool, Mapping[str, str]]
    ) -> str | None:
        """What statements print without R's constants; None where they use none; "" where they stop without them.

        values: of the names before the statements.  known: whether it is of models: Python name -> its constant.
        """
        tree = ast.parse("\n".join(lines))
        constants, assigned, filled = set[str](), set[str](), set[str]()
        own = known[self.of_models]
        for part in ast.walk(tree):
            match part:
                case ast.Assign(targets=[ast.Name(id=name)], value=e) if own.get(name) == ast.unparse(e):
                    constant = Interpreter(dict(values)).value(e)
                    self.numbers |= {v for _, v in numbers_of(constant) or ()}
                    self.values[name] = _without_numbers(constant)
                    constants.add(name)
                case ast.Assign(targets=[ast.Name(id=name)]):
                    assigned.add(name)
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                    filled.add(name)
        read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if not constants and not read & {*self.values}:
            for name in assigned:
                self.values.pop(name, None)
            return None
        self.values.update({n: copy.copy(values[n]) for n in filled & {*values} - {*self.values}})
        said = io.StringIO()
        try:
            with redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Jump):
                warnings.simplefilter("ignore")
                Interpreter(ChainMap(self.values, dict(values))).run(_Rest(constants).visit(tree).body)
        except Exception:  # whatever stops without a number needs it
            self.values.update(dict.fromkeys(assigned | filled))
            return ""
        return said.getvalue()

    def of_r(self, printed: str, without: str | None) -> list[str]:
        """The numbers of a text that are R's, beside the text without R's constants."""
        words = NUMBER.findall(printed)
        rest = words if without is None else _NUMBER.findall(without)
        other = [a for a, b in zip(words, rest) if a != b] if len(words) == len(rest) else words
        return [word for word in other if self.of_models or float(word) in self.numbers]


class _Rest(ast.NodeTransformer):
    """Statements without the constants, and without those that write files."""

    def __init__(self, constants: set[str]) -> None:
        self.constants = constants

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        constant = isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.constants
        return ast.Pass() if constant else node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return ast.Pass() if isinstance(called, ast.Attribute) else node


def _without_numbers(value: Any) -> Any:
    """A value with NaN for its numbers."""
    if isinstance(value, pd.DataFrame):
        return value.apply(_without_numbers)
    if isinstance(value, (int, float, np.ndarray, pd.Series)) and np.asarray(value).dtype.kind in "iuf":
        return value * np.nan
    return value
