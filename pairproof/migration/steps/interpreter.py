"""Runs what the steps write, node by node: a closed part of Python, in which nothing can be named but the script's values.

The tree that is run is the one that is written.  Names are those of the scope and a few built-in functions; attributes
are those of the vocabulary and of the templates beside it, by name; files are written below HERE only.  Anything else
is refused with its reason, before it is evaluated.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import pairproof

from ...validation.claims.quantities import aic_glm, dispersion, quasi_table
from ..translate.as_r import all_equal, eba_summary, eba_worths, formatted, written
from .python import vocabulary
from .trees import NotTranslated

#: Names that a written script uses, beside its own.
_IMPORTED = (aic_glm, all_equal, dispersion, eba_summary, eba_worths, formatted, quasi_table, written)
OURS = {f.__name__: f for f in _IMPORTED}
_OF_OTHERS = {"np": np, "pd": pd, "re": re, "stats": stats, "itertools": itertools, "sys": sys}
MODULES = {**_OF_OTHERS, "pairproof": pairproof, **OURS}
_BUILTINS: dict[str, Any] = {
    f.__name__: f for f in (bool, dict, float, int, len, list, map, max, min, print, range, round, str, zip)
}
_CALLED = frozenset(["show", *OURS, *_BUILTINS])
#: What the templates in the modules beside this one use, and the vocabulary's do not, which is found in it.
_FUNCTIONS = (
    "itertools.product np.delete np.full np.lexsort np.nan np.select np.squeeze np.pi np.reshape"
    " pairproof.contest_residuals pairproof.plot_worth pd.concat sys.stderr"
).split()
_ATTRIBUTES = (
    "add_prefix aic assign bar bic bse casefold chi2 coef conf_int cov_params deviance df df_null df_resid df_residual"
    " components copy diff drop figure fit frame get_indexer idxmax idxmin items keys leaves llf llf_poisson loc loglik"
    " loglik_saturated min_u moderate n_comparisons n_tests nlargest nsmallest names nobs null_deviance number p_value"
    " profile pivot plot rename savefig scale sigma strong summary sd se effects to_string u values vcov weak add mul"
    " melt fillna with_reference worth data nunique groupby unstack"
).split()
#: Methods that write a file, whose first argument must be below HERE.
_WRITING = frozenset(["to_csv", "savefig"])
#: Longest sequence that is made by repetition, widest field of a format, largest power of whole numbers.
_MOST, _WIDEST, _POWER = 1_000_000, 999, 1_000
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Not: operator.not_, ast.Invert: operator.invert, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def _path(e: ast.expr) -> str:
    """`np.linalg.inv` of such an expression; "" of one that begins with no module."""
    names = []
    while isinstance(e, ast.Attribute):
        names.append(e.attr)
        e = e.value
    return ".".join([e.id, *reversed(names)]) if isinstance(e, ast.Name) and e.id in MODULES else ""


@lru_cache(maxsize=1)
def known() -> tuple[frozenset[str], frozenset[str]]:
    """Functions of modules by their paths, and names of attributes, that a step may use."""
    functions, attributes = {*_FUNCTIONS}, {*_ATTRIBUTES}
    for rules in vocabulary().values():
        for rule in rules:
            for part in ast.walk(ast.parse(rule.template, mode="eval")):
                if isinstance(part, ast.Attribute):
                    functions |= {_path(part)} - {""}
                    attributes |= {part.attr} if not _path(part) else set()
    return frozenset(functions - {f.rpartition(".")[0] for f in functions}), frozenset(attributes)


class Jump(Exception):
    """`continue` or `break`, on its way to the loop."""


class Interpreter:
    """Evaluates expressions and runs statements with the names of a scope, which assignments change."""

    def __init__(self, names: MutableMapping[str, Any]) -> None:
        self.names = names

    def run(self, statements: Sequence[ast.stmt]) -> None:
        """Run statements in turn."""
        for statement in statements:
            match statement:
                case ast.Expr(value=e):
                    self.value(e)
                case ast.Assign(targets=[target], value=e):
                    self._assign(target, self.value(e))
                case ast.For(target=target, iter=over, body=body, orelse=[]):
                    for v in self.value(over):
                        self._assign(target, v)
                        try:
                            self.run(body)
                        except Jump as jump:
                            if isinstance(jump.args[0], ast.Break):
                                break
                case ast.If(test=test, body=body, orelse=other):
                    self.run(body if self.value(test) else other)
                case ast.Continue() | ast.Break():
                    raise Jump(statement)
                case ast.Pass():
                    pass
                case _:
                    raise _refused(statement)

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name) if not name.startswith("_") and name not in ("HERE", *MODULES, *_CALLED):
                self.names[name] = value
            case ast.Tuple(elts=parts) if len(parts) == len(value := tuple(value)):
                for part, v in zip(parts, value):
                    self._assign(part, v)
            case ast.Subscript(value=of, slice=key):
                self.value(of)[self.value(key)] = value
            case _:
                raise _refused(target)

    def value(self, e: ast.expr) -> Any:
        """The value of an expression."""
        match e:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(attr=attribute) if attribute not in _WRITING:
                return self._attribute(e)
            case ast.Call():
                return self._call(e)
            case ast.BinOp(left=left, op=op, right=right):
                return _bounded(op, self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=of):
                return _OPERATORS[type(op)](self.value(of))
            case ast.BoolOp(op=op, values=[first, *rest]):
                found = self.value(first)
                for part in rest:
                    if bool(found) is isinstance(op, ast.And):
                        found = self.value(part)
                return found
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _OPERATORS[type(op)](self.value(left), self.value(right))
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self.value(yes if self.value(test) else no)
            case ast.Subscript(value=of, slice=key):
                return self.value(of)[self.value(key)]
            case ast.Slice(lower=a, upper=b, step=step):
                return slice(*(None if part is None else self.value(part) for part in (a, b, step)))
            case ast.List(elts=parts):
                return list(self._spread(parts))
            case ast.Tuple(elts=parts):
                return tuple(self._spread(parts))
            case ast.Dict(keys=keys, values=values) if None not in keys:
                return {self.value(k): self.value(v) for k, v in zip(keys, values) if k is not None}
            case ast.ListComp(elt=of, generators=[loop]):
                return [inner.value(of) for inner in self._turns(loop)]
            case ast.DictComp(key=key, value=of, generators=[loop]):
                return {inner.value(key): inner.value(of) for inner in self._turns(loop)}
            case ast.Lambda(args=formals, body=body):
                words = [a.arg for a in formals.args]
                return lambda *given: Interpreter(ChainMap(dict(zip(words, given)), self.names)).value(body)
            case ast.JoinedStr(values=parts):
                return "".join(map(str, map(self.value, parts)))
            case ast.FormattedValue(value=of, conversion=-1, format_spec=spec):
                return format(self.value(of), _narrow("" if spec is None else self.value(spec)))
        raise _refused(e)

    def _named(self, name: str) -> Any:
        for there in (self.names, _BUILTINS):
            if name in there and not name.startswith("_"):
                return there[name]
        raise NotTranslated(f"{name} is not a name that a statement may use")

    def _attribute(self, e: ast.Attribute) -> Any:
        functions, attributes = known()
        path = _path(e)
        if path in functions:
            return reduce(getattr, path.split(".")[1:], self.names[path.split(".")[0]])
        if path or e.attr not in attributes or e.attr.startswith("_"):
            raise NotTranslated(f"{path or f'.{e.attr}'} is not something that a statement may use")
        return getattr(self.value(e.value), e.attr)

    def _call(self, e: ast.Call) -> Any:
        if isinstance(e.func, ast.Name) and e.func.id in _CALLED:
            function = self._named(e.func.id)
        elif isinstance(e.func, ast.Attribute):
            function = self._attribute(e.func)
        else:
            raise _refused(e)
        given = list(self._spread(e.args))
        words: dict[str, Any] = {}
        for word in e.keywords:
            words |= self.value(word.value) if word.arg is None else {word.arg: self.value(word.value)}
        if isinstance(e.func, ast.Attribute) and e.func.attr in _WRITING:
            self._beside(given)
        return function(*given, **words)

    def _beside(self, given: Sequence[Any]) -> None:
        here = Path(self.names["HERE"])
        if len(given) != 1 or not isinstance(given[0], Path) or given[0].resolve().parent != here.resolve():
            raise NotTranslated("it writes to another folder")

    def _spread(self, parts: Sequence[ast.expr]) -> Iterator[Any]:
        for part in parts:
            if isinstance(part, ast.Starred):
                yield from self.value(part.value)
            else:
                yield self.value(part)

    def _turns(self, loop: ast.comprehension) -> Iterator[Interpreter]:
        for v in self.value(loop.iter):
            inner = Interpreter(ChainMap({}, self.names))
            inner._assign(loop.target, v)
            if all(inner.value(test) for test in loop.ifs):
                yield inner


def _refused(e: ast.AST) -> NotTranslated:
    return NotTranslated(f"{type(e).__name__} is not Python that a statement may use")


def _narrow(form: str) -> str:
    """A format whose widths and precisions are no larger than a page."""
    if any(int(n) > _WIDEST for n in re.findall(r"\d+", form)):
        raise NotTranslated("its format is too wide")
    return form


def _bounded(op: ast.operator, a: Any, b: Any) -> Any:
    """An operation that makes nothing huge of something small."""
    if isinstance(op, ast.Mod) and isinstance(a, str):
        _narrow(a)
    whole = isinstance(a, int) and isinstance(b, int)
    if isinstance(op, ast.Pow) and whole and abs(b) > _POWER:
        raise NotTranslated("its power is too large to compute")
    for many, times in ((a, b), (b, a)) if isinstance(op, ast.Mult) else ():
        if isinstance(many, (str, list)) and isinstance(times, int) and len(many) * times > _MOST:
            raise NotTranslated("it repeats something too many times")
    return _OPERATORS[type(op)](a, b)
