"""Translates R's expressions of fits and of what is made of them, with the values at hand.

An expression becomes a syntax tree of Python and is evaluated at once, in the names that the script has so far: what
a value is (a number, a named vector, a table, a fit) is seen and not guessed.  A loop is translated in its first turn.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import pairproof

from ...bridge.values.nodes import RVector
from ...fit.fit import Fit
from ...validation.claims.quantities import aic_glm
from ..call_sites import CallSite
from ..translate.python_code import OWN, WIDTH, Names, identifier
from ..translate.translation import Step
from . import views
from .python import Part, called, node, put, text_of
from .trees import R, NotTranslated, matched
from .vocabulary import OPERATORS, by_rule, kind_of, vocabulary

#: Names that a written script uses, beside its own.
MODULES: Mapping[str, Any] = {
    "np": np,
    "pd": pd,
    "re": re,
    "stats": stats,
    "pairproof": pairproof,
    "aic_glm": aic_glm,
}
RESERVED = (*OWN, *MODULES, "show", "using", "sys", "Backend", "Records", "x", "v")
#: Functions that only set something up in R.
SETTINGS = frozenset(
    "library require requireNamespace suppressPackageStartupMessages set.seed options setwd rm source attach detach par"
    " layout sink pdf png jpeg svg dev.off graphics.off Sys.setenv Sys.setlocale theme_set gc flush.console data".split()
)
PASSING = frozenset("( suppressWarnings suppressMessages force identity".split())
APPLYING = frozenset("sapply lapply vapply Map map map_dbl".split())
#: A view that is longer gets a name of its own.
LONG = 46
#: Longest vector of the run that stands in the script as a constant.
MOST_CONSTANT = 40


class Scope:
    """Variables of the script where a statement stands: R's name -> the expression that it is in Python."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.variables: dict[str, ast.expr] = {}
        self.python: dict[str, str] = {}
        self.values: dict[str, Any] = dict(MODULES)
        #: R's variables that no Python has, and what R had; None where that was not kept.
        self.of_r: dict[str, RVector | None] = {}
        self.functions: dict[str, R] = {}
        #: Python name -> digits of the fits that its value is made of, and the size of their numbers.
        self.quality: dict[str, tuple[float, float]] = {}
        #: Names of parameters in Python -> in R.
        self.in_r: dict[str, str] = {}

    def name(self, variable: str) -> str:
        """The Python name that a variable of the script is given."""
        if variable not in self.python:
            self.python[variable] = self.names.name(variable, "value")
        return self.python[variable]


class Expressions:
    """Expressions of R as expressions of Python, in a scope."""

    def __init__(self, scope: Scope, steps: Iterable[Step]) -> None:
        self.scope = scope
        #: id of a value of a recorded call -> its step; the steps keep the values alive.
        self.made = {id(s.value): s for s in steps if s.value is not None}
        #: Text of a recorded call that is evaluated where we are -> its value's expression.
        self.calls: dict[str, ast.expr] = {}
        self.before: list[str] = []
        self.views: dict[str, ast.expr] = {}
        self.used: list[Step] = []
        self.digits: list[float] = []
        self.leaves: list[float] = []
        #: Call sites of the expression that were evaluated several times.
        self.many: list[CallSite] = []
        self.inline = False

    # -- values ------------------------------------------------------------------------------------------

    def value(self, made: ast.expr) -> Any:
        """What an expression gives now."""
        code = compile(ast.fix_missing_locations(ast.Expression(made)), "<migration>", "eval")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return eval(code, {**self.scope.values})  # a tree of our templates and constants
            except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError) as error:
                raise NotTranslated(f"Python has no value for it ({type(error).__name__}: {error})") from None

    def kind(self, made: ast.expr) -> str:
        """The kind of its value."""
        return kind_of(self.value(made))

    def step(self, made: ast.expr) -> Step | None:
        """The recorded call whose value it is; None if it is another value."""
        with suppress(NotTranslated):
            return self.made.get(id(self.value(made)))
        return None

    def operand(self, e: R) -> ast.expr:
        """An expression in a form in which R's functions go on with it: what a helper gave as R's table."""
        return self.viewed(self.expression(e))

    def viewed(self, made: ast.expr) -> ast.expr:
        """The value as R has it, under a name of its own where that takes many words."""
        step = self.step(made)
        if step is None or not step.call.helper or isinstance(step.value, Fit):
            return made
        found = views.as_in_r(made, step.value, step.call.result.get("value"))
        self._uses(step, found)
        return self._named(found, f"{self._word(made)}_table") if found is not made else made

    def _uses(self, step: Step, found: ast.expr) -> None:
        self.used.append(step)
        if "coef" in step.call.result:
            self.scope.in_r.update({own: r for r, own in views.names_of(step)})
        self.digits.append(views.digits_of(step))
        self.leaves.append(views.finite(self.value(found)))

    def _word(self, made: ast.expr) -> str:
        return next((n.id for n in ast.walk(made) if isinstance(n, ast.Name)), "fit")

    def _named(self, found: ast.expr, word: str) -> ast.expr:
        text = text_of(found)
        if len(text) <= LONG or self.inline:
            return found
        if text not in self.views:
            name = self.scope.names.name(word, "table")
            self.scope.values[name] = self.value(found)
            if self.digits:
                self.scope.quality[name] = min(self.digits), max(self.leaves)
            self.before += _in_turn(name, found)
            self.views[text] = ast.Name(name, ast.Load())
        return self.views[text]

    # -- expressions -------------------------------------------------------------------------------------

    def expression(self, e: R) -> ast.expr:
        """Python of an expression."""
        match e.kind:
            case "num" | "str" | "lgl":
                return node(e.value)
            case "na":
                return put("np.nan")
            case "null":
                return ast.Constant(None)
            case "sym":
                return self.variable(e.symbol)
            case "call":
                return self.calls[e.value] if e.value in self.calls else self.call(e)
        raise NotTranslated(
            "a function by itself has no value here" if e.kind == "function" else "it is no expression"
        )

    def variable(self, name: str) -> ast.expr:
        """A variable, or R's value of that run where that is a short vector."""
        scope = self.scope
        if name in scope.variables:
            found = scope.variables[name]
            if isinstance(found, ast.Name) and found.id in scope.quality:
                self.digits.append(scope.quality[found.id][0])
                self.leaves.append(scope.quality[found.id][1])
            return found
        known = {"pi": "np.pi", "T": "True", "F": "False", "LETTERS": "list('ABCDEFGHIJKLMNOPQRSTUVWXYZ')"}
        if name in known:
            return put(known[name])
        vector = scope.of_r.get(name)
        if vector is None:
            raise NotTranslated(f"{name} is of R's data, which the Python script has not")
        own = scope.name(name)
        made = constant_of(vector)
        scope.values[own] = self.value(made)
        self.before.append(f"{own} = {text_of(made)}  # R's value of that run")
        scope.variables[name] = ast.Name(own, ast.Load())
        return scope.variables[name]

    def call(self, e: R) -> ast.expr:
        """A call of a function or an operator."""
        f = e.function
        own = getattr(self, f"_{_METHODS[f]}", None) if f in _METHODS else None
        if own is not None:
            found: ast.expr = own(e)
            return found
        if f in OPERATORS:
            return self._operator(e)
        if f in PASSING and e.operands:
            return self.expression(e.operands[0])
        if f in APPLYING:
            return self._apply(e)
        if e.operands and (of_fit := self._of_fit(e)) is not None:
            return of_fit
        if f in self.scope.functions:
            return self._own_function(e)
        if f in vocabulary():
            return by_rule(f, [(n, self.operand(a)) for n, a in e.arguments if a.kind != "empty"], self.value)
        if f in ("<-", "="):
            raise NotTranslated("it assigns within an expression")
        raise NotTranslated(f"{f}() is not in the vocabulary" if f else "it calls what is no name")

    def _operator(self, e: R) -> ast.expr:
        f = e.function
        if len(e.operands) == 1:
            return put("-x" if f == "-" else "+x", x=self.operand(e.operands[0]))
        x, y = (self.operand(a) for a in e.operands)
        kinds = [self.kind(m) for m in (x, y)]
        if kinds == ["s", "s"] and f != "%*%" and not self.value(x).index.equals(self.value(y).index):
            y = put("y.to_numpy()", y=y)
        if kinds[0] == "v" and not isinstance(self.value(x), np.ndarray) and kinds[1] in "nvt":
            x = put("np.array(x)", x=x)
        elif kinds[1] == "v" and not isinstance(self.value(y), np.ndarray) and kinds[0] == "n":
            y = put("np.array(y)", y=y)
        return put(OPERATORS[f], x=x, y=y)

    def _not(self, e: R) -> ast.expr:
        x = self.operand(e.operands[0])
        return put("not x" if self.kind(x) == "n" else "~x", x=x)

    def _colon(self, e: R) -> ast.expr:
        a, b = (self.operand(part) for part in e.operands)
        if isinstance(b, ast.Constant) and isinstance(b.value, int):
            return put("range(a, b)", a=a, b=b.value + 1)
        return put("range(a, b + 1)", a=a, b=b)

    def _in(self, e: R) -> ast.expr:
        x, y = (self.operand(part) for part in e.operands)
        return put("x in y" if self.kind(x) in "nt" else "np.isin(x, y)", x=x, y=y)

    # -- fits --------------------------------------------------------------------------------------------

    def _of_fit(self, e: R) -> ast.expr | None:
        """`coef(m)`, `sqrt(diag(vcov(m)))`, `coef(summary(m))`; None if it is of no fit."""
        f, first = e.function, e.operands[0]
        if f == "sqrt" and first.function == "diag" and first.operands[0].function == "vcov":
            m = self._fit(first.operands[0].operands[0])
            return None if m is None or not isinstance(m[1].value, Fit) else self._coefficients(*m, "m.bse")
        if f in ("coef", "coefficients") and first.function == "summary" and len(e.operands) == 1:
            m = self._fit(first.operands[0])
            return None if m is None else self._view(*m, views.coefficient_table, "estimates")
        if f not in _OF_FITS:
            return None
        m = self._fit(first)
        if m is None:
            if f in ("AIC", "BIC", "logLik", "deviance", "coef", "vcov"):
                raise NotTranslated(f"{f}() is of a model that has no Python here")
            return None
        if f in ("AIC", "BIC") and len(e.operands) > 1:
            return self._several(f, e)
        if len([n for n, _ in e.arguments if n not in ("level", "correct.edf")]) > 1 and f != "AIC":
            raise NotTranslated(f"{f}() with further arguments is not in the vocabulary")
        if f in views.NUMBERS:
            return self._number(f, *m)
        if f in ("coef", "coefficients", "fixef"):
            return self._coefficients(*m)
        if f == "confint" and {"glm", "polr", "gnm"} & {*m[1].call.strings("class")}:
            raise NotTranslated("confint() of such a model is of its profile likelihood")
        made = {"vcov": (views.covariances, "cov"), "confint.default": (views.intervals, "intervals")}
        return self._view(*m, *made["vcov" if f == "vcov" else "confint.default"])

    def _fit(self, e: R) -> tuple[ast.expr, Step] | None:
        with suppress(NotTranslated):
            m = self.expression(e)
            step = self.step(m)
            if step is not None and (isinstance(step.value, Fit) or not step.call.helper):
                return m, step
        return None

    def _number(self, f: str, m: ast.expr, step: Step) -> ast.expr:
        found = views.number(f, m, step, self.value)
        self._uses(step, found)
        return found

    def _coefficients(self, m: ast.expr, step: Step, of: str = "m.params") -> ast.expr:
        found = views.coefficients(m, step, of)
        self._uses(step, found)
        return self._named(found, f"{'se' if of == 'm.bse' else 'coef'}_{self._word(m)}")

    def _view(
        self, m: ast.expr, step: Step, view: Callable[[ast.expr, Step], ast.expr], word: str
    ) -> ast.expr:
        found = view(m, step)
        self._uses(step, found)
        return self._named(found, f"{word}_{self._word(m)}")

    def _several(self, f: str, e: R) -> ast.expr:
        """`AIC(m0, m1)`: a table with degrees of freedom."""
        fits = [(a.symbol or f"model {k}", self._fit(a)) for k, a in enumerate(e.operands, 1)]
        rows = []
        for _, m in fits:
            if m is None:
                raise NotTranslated(f"{f}() is of a model that has no Python here")
            df = m[1].call.number("loglik_df")
            rows.append(
                [
                    put("m.rank", m=m[0]) if df is None or df == getattr(m[1].value, "rank", df) else int(df),
                    self._number(f, *m),
                ]
            )
        names = [name for name, _ in fits]
        return put(
            "pd.DataFrame(rows, names, columns)",
            rows=list(map(node, rows)),
            names=list(names),
            columns=["df", f],
        )

    # -- parts -------------------------------------------------------------------------------------------

    def _dollar(self, e: R) -> ast.expr:
        of, part = e.operands
        word = str(part.value)
        if of.function == "summary" and word in ("coefficients", "coef"):
            return self.expression(R("call", "", R("sym", "coef"), (("", of),)))
        m = self._fit(of)
        if m is not None:
            if word in views.COMPONENTS:
                return self.expression(R("call", "", R("sym", views.COMPONENTS[word]), (("", of),)))
            raise NotTranslated(f"${word} of a fit has no counterpart")
        found = self.operand(of)
        if self.kind(found) not in "dl":
            raise NotTranslated(f"${word} of such a value is not in the vocabulary")
        return put("x[k]", x=found, k=word)

    def _double(self, e: R) -> ast.expr:
        of, *rest = e.operands
        if len(rest) != 1:
            return self._bracket(e)
        if (one := self._one_coefficient(of, rest[0])) is not None:
            return one
        found = self.operand(of) if self._fit(of) is None else None
        if found is None or rest[0].kind == "str" and self.kind(found) in "dl":
            return self._dollar(R("call", "", R("sym", "$"), (("", of), ("", rest[0]))))
        key = self.operand(rest[0])
        kind = self.kind(found)
        if kind == "l" and self.kind(key) == "n" and isinstance(self.value(found), dict):
            keys = list(self.value(found))
            if self.value(key) not in keys:
                key = put("list(x)[k]", x=found, k=self._less_one(key))
            return put("x[k]", x=found, k=key)
        if kind == "l" and self.kind(key) == "n":
            return put("x[k]", x=found, k=self._less_one(key))
        return put("x[k]", x=found, k=key) if kind in "ld" else self._element(found, key)

    def _less_one(self, key: ast.expr) -> ast.expr:
        return (
            node(int(key.value) - 1)
            if isinstance(key, ast.Constant) and isinstance(key.value, (int, float))
            else put("k - 1", k=key)
        )

    def _element(self, x: ast.expr, key: ast.expr) -> ast.expr:
        """One number of a vector."""
        if self.kind(key) == "t":
            return put("x[k]", x=x, k=self._our_names(x, key))
        return put("x.iloc[k]" if self.kind(x) == "s" else "x[k]", x=x, k=self._less_one(key))

    def _one_coefficient(self, of: R, key: R) -> ast.expr | None:
        """`coef(m)["at.home"]`: `m.params["order"]`."""
        if of.function not in ("coef", "coefficients") or len(of.operands) != 1 or key.kind != "str":
            return None
        m = self._fit(of.operands[0])
        if m is None or not isinstance(m[1].value, Fit):
            return None
        own = dict(views.names_of(m[1])).get(str(key.value))
        if own is None:
            return None
        found = put("m.params[k]", m=m[0], k=own)
        self._uses(m[1], found)
        return found

    def _bracket(self, e: R) -> ast.expr:
        of, *rest = e.operands
        if len(rest) == 1 and (found := self._one_coefficient(of, rest[0])) is not None:
            return found
        rest = [r for (n, _), r in zip(e.arguments[1:], rest) if n != "drop"]
        x = self.operand(of)
        kind = self.kind(x)
        if len(rest) == 1 and kind in "nt" and rest[0].kind == "num" and rest[0].value == 1:
            return x
        if len(rest) == 1 and kind in "sv":
            return self._elements(x, rest[0], "x.iloc[k]" if kind == "s" else "x[k]")
        if len(rest) == 1 and kind == "d":
            return self._columns(x, rest[0], False)
        if len(rest) == 1 and kind == "l":
            keys = self.operand(rest[0])
            return put("{k: x[k] for k in keys}", x=x, keys=keys)
        if len(rest) == 2 and kind == "d":
            rows, columns = rest
            if rows.kind == "empty":
                return x if columns.kind == "empty" else self._columns(x, columns, True)
            if columns.kind == "empty":
                return self._elements(x, rows, "x.iloc[k]", rows=True)
            return self._cell(x, rows, columns)
        raise NotTranslated("such a part of a value is not in the vocabulary")

    def _elements(self, x: ast.expr, e: R, by_place: str, rows: bool = False) -> ast.expr:
        """`x[i]`, `d[i, ]`: by names, places from 1, places that are left out, or truth."""
        if e.function in ("order", "rev") and (places := self._places(e)) is not None:
            return put(by_place, x=x, k=places)
        if e.function == "-" and len(e.operands) == 1:
            inner = self.operand(e.operands[0])
            last = self.kind(inner) == "n" and (
                e.operands[0].function == "length" or self.value(inner) == len(self.value(x))
            )
            if self.kind(inner) == "n" and (self.value(inner) == 1 or last):
                return put(by_place.replace("[k]", "[:-1]" if last else "[1:]"), x=x)
            gone = put("np.array(k) - 1", k=inner) if self.kind(inner) == "v" else self._less_one(inner)
            if self.kind(x) == "v":
                return put("np.delete(x, k)", x=x, k=gone)
            return put("x.drop(x.index[k])", x=x, k=gone)
        key = self._our_names(x, self.operand(e))
        kind = self.kind(key)
        if kind == "t":
            return put("x.loc[k]" if rows else "x[k]", x=x, k=key)
        if kind == "n":
            return put(by_place, x=x, k=self._less_one(key))
        found = self.value(key)
        if isinstance(found, pd.Series) and found.dtype == bool:
            return put("x[k]", x=x, k=key if self._same_index(x, found) else put("k.to_numpy()", k=key))
        first = next(iter(found), None)
        if isinstance(first, str):
            return put("x.loc[k]", x=x, k=key)
        if isinstance(first, (bool, np.bool_)):
            return put("x[k]", x=x, k=key)
        if isinstance(found, range) and found.step == 1 and found.start >= 1:
            begin, end = key.args[0], key.args[1]  # type: ignore[attr-defined]
            cut = by_place.replace("[k]", "[:b]" if found.start == 1 else "[a:b]")
            stop = node(found.stop - 1) if isinstance(end, ast.Constant) else put("b - 1", b=end)
            return put(cut, x=x, a=self._less_one(begin), b=_plain_end(stop))
        if isinstance(key, ast.List) and all(isinstance(k, ast.Constant) for k in key.elts):
            return put(by_place, x=x, k=[self._less_one(k) for k in key.elts])
        return put(by_place, x=x, k=put("np.asarray(k) - 1", k=key))

    def _our_names(self, x: ast.expr, key: ast.expr) -> ast.expr:
        """Constant names of parameters as the vector has them."""
        there = self.value(x)
        if isinstance(key, ast.List):
            return ast.List([self._our_names(x, k) for k in key.elts], ast.Load())
        if (
            not isinstance(key, ast.Constant)
            or not isinstance(there, (pd.Series, pd.DataFrame))
            or key.value in there.index
        ):
            return key
        own = [n for n, r in self.scope.in_r.items() if r == key.value and n in there.index]
        return node(own[0]) if own else key

    def _same_index(self, x: ast.expr, key: pd.Series) -> bool:
        value = self.value(x)
        return isinstance(value, (pd.Series, pd.DataFrame)) and value.index.equals(key.index)

    def _places(self, e: R) -> ast.expr | None:
        """`order(x)` and `rev(order(x))` as places from 0."""
        if e.function == "rev":
            inner = e.operands[0]
            found = self._places(inner) if inner.function == "order" else None
            return None if found is None else put("x[::-1]", x=found)
        decreasing = [a for n, a in e.arguments if n == "decreasing"]
        by = [self._vector(self.operand(a)) for n, a in e.arguments if not n]
        down = bool(decreasing) and decreasing[0].value is True
        by = [put("-x", x=x) for x in by] if down else by
        if len(by) == 1:
            return put('np.argsort(x, kind="stable")', x=by[0])
        return put("np.lexsort(keys)", keys=list(reversed(by)))

    def _vector(self, x: ast.expr) -> ast.expr:
        """A matrix of one column is a vector."""
        if self.kind(x) != "d":
            return x
        if self.value(x).shape[1] != 1:
            raise NotTranslated("it takes a table for a vector")
        return put("x.iloc[:, 0]", x=x)

    def _order(self, e: R) -> ast.expr:
        return put("x + 1", x=self._places(e) or node(0))

    def _columns(self, x: ast.expr, e: R, one: bool) -> ast.expr:
        key = self.operand(e) if e.function != "-" else None
        if key is None:
            inner = self._less_one(self.operand(e.operands[0]))
            return put("x.drop(columns=x.columns[k])", x=x, k=inner)
        kind = self.kind(key)
        there = set(self.value(x).columns)
        if (
            isinstance(key, ast.Constant)
            and key.value not in there
            and views.ALSO.get(str(key.value)) in there
        ):
            key = node(views.ALSO[str(key.value)])
        if kind == "t":
            return put("x[k]", x=x, k=key if one else [key])
        if kind == "n":
            return put("x.iloc[:, k]", x=x, k=self._less_one(key) if one else [self._less_one(key)])
        first = next(iter(self.value(key)), None)
        return (
            put("x[list(k)]" if not isinstance(key, ast.List) else "x[k]", x=x, k=key)
            if isinstance(first, str)
            else (put("x.iloc[:, np.asarray(k) - 1]", x=x, k=key))
        )

    def _cell(self, x: ast.expr, rows: R, columns: R) -> ast.expr:
        """`d[i, j]`."""
        if rows.kind == "str" and columns.kind == "str":
            there = self.value(x).columns
            own = (
                columns.value if columns.value in there else views.ALSO.get(str(columns.value), columns.value)
            )
            return put("x.loc[i, j]", x=x, i=rows.value, j=own)
        if rows.kind == "num" and columns.kind == "num":
            return put("x.iloc[i, j]", x=x, i=int(rows.value) - 1, j=int(columns.value) - 1)
        column = self._columns(x, columns, True)
        by_place = "x.iloc[k]"
        return self._elements(column, rows, by_place, rows=self.kind(column) == "d")

    # -- vectors and tables ------------------------------------------------------------------------------

    def _c(self, e: R) -> ast.expr:
        parts = [(n, self.operand(a)) for n, a in e.arguments]
        kinds = {self.kind(p) for _, p in parts}
        if not parts or kinds == {"o"}:
            return ast.Constant(None)
        if "o" in kinds:
            parts = [(n, p) for n, p in parts if self.kind(p) != "o"]
            kinds -= {"o"}
        if len(parts) == 1 and (kinds <= set("sv") or not parts[0][0]):
            return parts[0][1]
        if kinds <= {"n", "t"}:
            if any(n for n, _ in parts):
                return put("pd.Series(x)", x=_dict([(n or "", p) for n, p in parts]))
            values = [p for _, p in parts]
            plain = all(isinstance(p, (ast.Constant, ast.UnaryOp)) for p in values)
            listed = ast.List(values, ast.Load())
            return listed if plain or "t" in kinds else put("np.array(x)", x=listed)
        if kinds <= set("nvs") and "s" in kinds:
            made = [p if self.kind(p) == "s" else self._one_row(n, p) for n, p in parts]
            return put("pd.concat(parts)", parts=list(made))
        if kinds <= set("nvt"):
            starred = [p if self.kind(p) != "v" else ast.Starred(p, ast.Load()) for _, p in parts]
            listed = ast.List(starred, ast.Load())
            return listed if "t" in kinds or self._texts(parts) else put("np.array(x)", x=listed)
        raise NotTranslated("c() of such values is not in the vocabulary")

    def _texts(self, parts: Sequence[tuple[str, ast.expr]]) -> bool:
        return any(self.kind(p) == "v" and any(isinstance(v, str) for v in self.value(p)) for _, p in parts)

    def _one_row(self, name: str, p: ast.expr) -> ast.expr:
        if self.kind(p) == "n":
            return put("pd.Series(x)", x=_dict([(name, p)]))
        return put('pd.Series(x, index=[""] * len(x))', x=p)

    def _list(self, e: R) -> ast.expr:
        parts = [(n, self.expression(a)) for n, a in e.arguments]
        if all(n for n, _ in parts):
            return _dict(parts)
        return ast.List([p for _, p in parts], ast.Load())

    def _frame(self, e: R) -> ast.expr:
        """data.frame(), cbind() of vectors: a column an argument, rows by place."""
        columns: list[tuple[str, ast.expr]] = []
        options = {n: a for n, a in e.arguments if n in ("row.names", "stringsAsFactors", "check.names")}
        for name, a in e.arguments:
            if name in options:
                continue
            made = self.operand(a)
            if self.kind(made) == "d":
                return self._beside(e, made)
            columns.append((name or (a.symbol if a.kind == "sym" else str(a.value)), made))
        index: ast.expr | None = None
        values = [self.value(m) for _, m in columns]
        named = [v for v in values if isinstance(v, pd.Series)]
        plain = "row.names" in options and options["row.names"].kind == "null"
        parts: list[tuple[str, ast.expr]] = []
        for (name, m), v in zip(columns, values):
            other = isinstance(v, pd.Series) and (plain or not v.index.equals(named[0].index))
            parts.append((name, put("x.to_numpy()", x=m) if other else m))
        if "row.names" in options and not plain:
            index = self.operand(options["row.names"])
            parts = [(n, put("x.to_numpy()", x=m) if self.kind(m) == "s" else m) for n, m in parts]
        if all(self.kind(m) in "nt" for _, m in parts) and index is None:
            index = ast.List([node(0)], ast.Load())
        found = put("pd.DataFrame(x)", x=_dict(parts))
        return found if index is None else put("pd.DataFrame(x, index=i)", x=_dict(parts), i=index)

    def _beside(self, e: R, first: ast.expr) -> ast.expr:
        """A table with further columns."""
        rest = [
            (n or a.symbol, self.operand(a))
            for n, a in e.arguments
            if n not in ("row.names", "stringsAsFactors")
        ]
        kinds = [self.kind(m) for _, m in rest]
        if kinds[0] != "d" or "d" in kinds[1:] or not all(identifier(n) == n for n, _ in rest[1:]):
            return put("pd.concat(parts, axis=1)", parts=[m for _, m in rest])
        words = {n: put("x.to_numpy()", x=m) if self.kind(m) == "s" else m for n, m in rest[1:]}
        return called_on(first, "assign", **words)

    def _cbind(self, e: R) -> ast.expr:
        return self._frame(e)

    def _rbind(self, e: R) -> ast.expr:
        parts = [(n or a.symbol, self.operand(a)) for n, a in e.arguments]
        kinds = [self.kind(m) for _, m in parts]
        there = [(n, m) for (n, m), k in zip(parts, kinds) if k != "o"]
        if set(kinds) <= {"d", "o"}:
            return put("pd.concat(parts)", parts=[m for _, m in parts])
        if {k for k in kinds if k != "o"} == {"s"}:
            return put(
                "pd.DataFrame(rows, index=names)", rows=[m for _, m in there], names=[n for n, _ in there]
            )
        if set(kinds) <= {"d", "s", "o"} and len(parts) == 2 and kinds[0] != "s":
            row = put("y.to_frame(name).T", y=parts[1][1], name=parts[1][0])
            return put("pd.concat(parts)", parts=[parts[0][1], row])
        raise NotTranslated("rbind() of such values is not in the vocabulary")

    def _do_call(self, e: R) -> ast.expr:
        function = e.operands[0].symbol or str(e.operands[0].value)
        x = self.operand(e.operands[1])
        found = self.value(x)
        parts = list(found.values()) if isinstance(found, dict) else found
        if function not in ("rbind", "cbind") or self.kind(x) not in "l" or not len(parts):
            raise NotTranslated(f"do.call of {function} is not in the vocabulary")
        if all(isinstance(p, pd.DataFrame) for p in parts):
            return put("pd.concat(x.values())" if isinstance(found, dict) else "pd.concat(x)", x=x)
        return put("pd.DataFrame(x).T" if function == "rbind" else "pd.DataFrame(x)", x=x)

    def _which(self, e: R) -> ast.expr:
        """`names(which.max(x))`: the label; alone the place from 1."""
        x = self._vector(self.operand(e.operands[0]))
        of = "argmax" if e.function == "which.max" else "argmin"
        return put(f"np.{of}(x) + 1", x=x)

    def _names(self, e: R) -> ast.expr:
        inner = e.operands[0]
        if inner.function in ("which.max", "which.min"):
            x = self._vector(self.operand(inner.operands[0]))
            return put("x.idxmax()" if inner.function == "which.max" else "x.idxmin()", x=x)
        if inner.function == "which":
            return put("list(x.index[x])", x=self.operand(inner.operands[0]))
        m = self._fit(inner)
        if m is not None:
            raise NotTranslated("names of a fit are those of its parts in R")
        found = self.operand(inner)
        if self.kind(found) == "d" and e.function == "names":
            return put("list(x.columns)", x=found)
        return by_rule(e.function if self.kind(found) == "d" else "names", [("", found)], self.value)

    def _outer(self, e: R) -> ast.expr:
        """A table of a function of two vectors."""
        given = matched(e.arguments, ("X", "Y", "FUN"))
        if given is None or "Y" not in given:
            raise NotTranslated("outer() with further arguments is not in the vocabulary")
        x, y = self.operand(given["X"]), self.operand(given["Y"])
        arrays = [
            put("x.to_numpy()", x=m) if self.kind(m) == "s" else put("np.array(x)", x=m) for m in (x, y)
        ]
        a, b = put("x[:, None]", x=arrays[0]), put("x[None, :]", x=arrays[1])
        fun = given.get("FUN")
        if fun is None or fun.kind == "str":
            inner = put(OPERATORS.get("*" if fun is None else str(fun.value), "x * y"), x=a, y=b)
        elif fun.kind == "function":
            with self.bound(dict(zip((n for n, _ in fun.arguments), (a, b)))):
                inner = self.expression(_only(fun))
        else:
            raise NotTranslated("outer() of such a function is not in the vocabulary")
        if self.kind(x) != "s":
            return inner
        return put("pd.DataFrame(t, x.index, y.index)", t=inner, x=x, y=y)

    # -- texts -------------------------------------------------------------------------------------------

    def _paste(self, e: R) -> ast.expr:
        words = {n: a for n, a in e.arguments if n in ("sep", "collapse")}
        parts = [self.operand(a) for n, a in e.arguments if n not in words]
        between = "" if e.function == "paste0" else " "
        if "sep" in words:
            between = str(words["sep"].value)
        kinds = [self.kind(p) for p in parts]
        if all(k in "nt" for k in kinds):
            made = self._joined(parts, between)
        elif all(k in "ntvs" for k in kinds):
            made = self._rows_of(parts, kinds, lambda own: self._joined(own, between))
        else:
            raise NotTranslated(f"{e.function}() of such values is not in the vocabulary")
        if "collapse" in words and words["collapse"].kind == "str" and any(k in "vs" for k in kinds):
            if len(parts) == 1:
                made = self._as_texts(parts[0])
            return put("s.join(x)", s=str(words["collapse"].value), x=made)
        return made

    def _as_texts(self, x: ast.expr) -> ast.expr:
        return x if all(isinstance(v, str) for v in self.value(x)) else put("map(str, x)", x=x)

    def _rows_of(
        self, parts: Sequence[ast.expr], kinds: Sequence[str], made: Callable[[list[ast.expr]], ast.expr]
    ) -> ast.expr:
        """A list, a text for each row of the vectors among the parts."""
        vectors = [p for p, k in zip(parts, kinds) if k in "vs"]
        words = ["name", "value", "other", *(f"part{k}" for k in range(len(vectors)))]
        if not any(isinstance(v, str) for v in list(self.value(vectors[0]))[:1]):
            words = words[1:]
        names = iter(words)
        own = [ast.Name(next(names), ast.Load()) if k in "vs" else p for p, k in zip(parts, kinds)]
        loop = [n for n, k in zip(own, kinds) if k in "vs"]
        if len(loop) == 1:
            target, over = loop[0], vectors[0]
        else:
            target, over = ast.Tuple(loop, ast.Load()), called("zip", *vectors)
        return ast.ListComp(made(list(own)), [_loop(target, over)])

    def _joined(self, parts: Sequence[ast.expr], between: str) -> ast.expr:
        values: list[ast.expr] = []
        for k, p in enumerate(parts):
            if k and between:
                values.append(ast.Constant(between))
            if isinstance(p, ast.Constant) and isinstance(p.value, str):
                values.append(p)
            elif isinstance(p, ast.JoinedStr):
                values += p.values
            else:
                values.append(ast.FormattedValue(p, -1))
        return ast.JoinedStr(_merged(values))

    def _sprintf(self, e: R) -> ast.expr:
        given = [self.operand(a) for n, a in e.arguments if n in ("", "fmt")]
        form, *parts = given
        if not (isinstance(form, ast.Constant) and isinstance(form.value, str)):
            raise NotTranslated("sprintf() of a format that is not written out is not in the vocabulary")
        kinds = [self.kind(p) for p in parts]
        if all(k in "nt" for k in kinds):
            return (
                put("f % x", f=form, x=parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))
                if parts
                else form
            )
        if not all(k in "ntvs" for k in kinds):
            raise NotTranslated("sprintf() of such values is not in the vocabulary")

        def row(own: list[ast.expr]) -> ast.expr:
            return put("f % x", f=form, x=own[0] if len(own) == 1 else ast.Tuple(own, ast.Load()))

        return self._rows_of(parts, kinds, row)

    def _format(self, e: R) -> ast.expr:
        """format(x, digits=, nsmall=), formatC(x, digits=, format=)."""
        words = {n: a for n, a in e.arguments if n}
        x = self.operand(e.operands[0])
        kind = self.kind(x)
        digits, small = (
            int(words[n].value) if n in words and words[n].kind == "num" else None
            for n in ("digits", "nsmall")
        )
        width = f"{int(words['width'].value)}" if "width" in words and words["width"].kind == "num" else ""
        letter = str(words["format"].value) if "format" in words else "g"
        if kind == "t" or (kind == "v" and isinstance(next(iter(self.value(x)), ""), str)):
            spec = f"<{width}" if width and e.function == "format" else f">{width}" if width else ""
        elif letter not in ("f", "g", "e", "d"):
            raise NotTranslated(f"formatC() of {letter!r} is not in the vocabulary")
        elif e.function == "format" and small is not None and digits is None:
            spec = f"{width}.{small}f"
        elif digits is None:
            spec = f"{width}.7g" if letter != "d" else width
        else:
            spec = f"{width}.{digits}{letter}"

        def formatted(own: ast.expr) -> ast.expr:
            return ast.JoinedStr(
                [ast.FormattedValue(own, -1, ast.JoinedStr([ast.Constant(spec)]) if spec else None)]
            )

        if kind in "nt":
            return formatted(x)
        if kind not in "vs":
            raise NotTranslated(f"{e.function}() of such a value is not in the vocabulary")
        return self._rows_of([x], [kind], lambda own: formatted(own[0]))

    # -- functions ---------------------------------------------------------------------------------------

    @contextmanager
    def bound(self, variables: Mapping[str, ast.expr]) -> Iterator[None]:
        """Variables that mean something else for a while."""
        before = {n: self.scope.variables.get(n) for n in variables}
        self.scope.variables.update(variables)
        try:
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    self.scope.variables.pop(name, None)
                else:
                    self.scope.variables[name] = old

    def _own_function(self, e: R) -> ast.expr:
        """A function of the script's own that is one expression, with its arguments in their places."""
        function = self.scope.functions[e.function]
        formals = [n for n, _ in function.arguments]
        given = matched([(n, a) for n, a in e.arguments], formals)
        if given is None:
            raise NotTranslated(f"the arguments of {e.function}() are not its formals")
        bound = {n: self.operand(given[n]) for n in formals if n in given}
        for name, default in function.arguments:
            if name not in bound and default.kind != "empty":
                bound[name] = self.operand(default)
        with self.bound(bound):
            return self.expression(_only(function))

    def temporary(self, word: str) -> str:
        """A name for a variable of one expression."""
        own = identifier(word)
        return (
            own
            if own and own not in self.scope.values and own not in RESERVED
            else self.scope.names.name(word, "value")
        )

    def _apply(self, e: R) -> ast.expr:
        """`sapply(fits, deviance)`, `lapply(fits, function(m) coef(m))`."""
        arguments = [(n, a) for n, a in e.arguments if n not in ("FUN.VALUE", "USE.NAMES", "simplify")]
        given = matched(arguments, ("X", "FUN", "x1"))
        if given is None or "FUN" not in given or (e.function != "vapply" and "x1" in given):
            raise NotTranslated(f"{e.function}() with further arguments is not in the vocabulary")
        over = self.expression(given["X"])
        found, fun = self.value(over), given["FUN"]
        keyed = isinstance(found, (dict, pd.Series))
        first = next(iter(found.values() if isinstance(found, dict) else found), None)
        if first is None:
            raise NotTranslated("it runs over nothing")
        parameter = fun.arguments[0][0] if fun.kind == "function" and fun.arguments else "fit"
        own, key = self.temporary(parameter), self.temporary("name")
        element = ast.Name(own, ast.Load())
        names = {own: first, key: next(iter(found.keys())) if keyed else first}
        with self._inside(names, ast.Name(key if keyed else own, ast.Load())):
            inner = self._applied(fun, parameter, element)
            value = self.value(inner)
        uses = any(isinstance(n, ast.Name) and n.id == own for n in ast.walk(inner))
        if keyed:
            pair = ast.Tuple([ast.Name(key, ast.Load()), element], ast.Load())
            loop = (pair, put("x.items()", x=over)) if uses else (ast.Name(key, ast.Load()), over)
            made: ast.expr = ast.DictComp(ast.Name(key, ast.Load()), inner, [_loop(*loop)])
        elif isinstance(first, str) and e.function != "lapply":
            made = ast.DictComp(element, inner, [_loop(element, over)])
        else:
            made = ast.ListComp(inner, [_loop(element, over)])
        if e.function in ("lapply", "Map", "map"):
            return made
        if kind_of(value) in "nt":
            return (
                put("pd.Series(x)", x=made) if isinstance(made, ast.DictComp) else put("np.array(x)", x=made)
            )
        if kind_of(value) in "sv" and isinstance(made, ast.DictComp):
            return put("pd.DataFrame(x)", x=made)
        raise NotTranslated(f"{e.function}() of such values is not in the vocabulary")

    @contextmanager
    def _inside(self, names: Mapping[str, Any], key: ast.expr) -> Iterator[None]:
        """Within a comprehension: nothing gets a name of its own, and what was called there has its keys."""
        inline, calls = self.inline, dict(self.calls)
        before = {n: self.scope.values[n] for n in names if n in self.scope.values}
        self.scope.values.update(names)
        self.inline = True
        for site in self.many:
            self.calls[site.call.text] = put("x[k]", x=ast.Name(site.name, ast.Load()), k=key)
        try:
            yield
        finally:
            self.inline, self.calls = inline, calls
            for name in names:
                self.scope.values.pop(name, None)
            self.scope.values.update(before)

    def _applied(self, fun: R, parameter: str, own: ast.expr) -> ast.expr:
        if fun.kind == "function":
            with self.bound({parameter: own}):
                return self.expression(_only(fun))
        named = [text for text in self.calls if text.startswith("FUN(X[[i]]")]
        if len(named) == 1:
            return self.viewed(self.calls[named[0]])
        word = fun.symbol or str(fun.value)
        if word in ("[[", "["):
            raise NotTranslated("parts by sapply are not in the vocabulary")
        with self.bound({parameter: own}):
            return self.expression(R("call", "", R("sym", word), (("", R("sym", parameter)),)))


def _loop(target: ast.expr, over: ast.expr) -> ast.comprehension:
    return ast.comprehension(_store(target), over, [], 0)


def _only(function: R) -> R:
    """The body of a function that is one expression."""
    body = function.body
    while body is not None and body.function in ("{", "(", "return") and len(body.operands) == 1:
        body = body.operands[0]
    if body is None or body.function in ("{", "<-", "=", "for", "if", "while"):
        raise NotTranslated("a function of several statements is not written as an expression")
    return body


def _in_turn(name: str, found: ast.expr) -> list[str]:
    """An assignment; of a long chain one for each of its links."""
    text = f"{name} = {text_of(found)}"
    inner = (
        found.func.value if isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute) else None
    )
    inner = found.value if isinstance(found, ast.Subscript) else inner
    if len(text) <= WIDTH or not isinstance(inner, (ast.Call, ast.Subscript)):
        return [text]
    own = ast.Name(name, ast.Load())
    if isinstance(found, ast.Subscript):
        last: ast.expr = ast.Subscript(own, found.slice, ast.Load())
    else:
        assert isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute)
        last = ast.Call(ast.Attribute(own, found.func.attr, ast.Load()), found.args, found.keywords)
    return [*_in_turn(name, inner), f"{name} = {text_of(last)}"]


def _dict(parts: Sequence[tuple[str, ast.expr]]) -> ast.Dict:
    return ast.Dict([ast.Constant(n) for n, _ in parts], [p for _, p in parts])


def called_on(of: ast.expr, method: str, **keywords: Part) -> ast.expr:
    """`of.method(name=value)`."""
    words = [ast.keyword(name, node(value)) for name, value in keywords.items()]
    return ast.Call(ast.Attribute(of, method, ast.Load()), [], words)


def _plain_end(stop: ast.expr) -> ast.expr:
    """`n` of `n + 1 - 1`."""
    match stop:
        case ast.BinOp(ast.BinOp(inner, ast.Add(), ast.Constant(1)), ast.Sub(), ast.Constant(1)):
            return inner
    return stop


def _store(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Tuple):
        return ast.Tuple([_store(t) for t in target.elts], ast.Store())
    assert isinstance(target, ast.Name)
    return ast.Name(target.id, ast.Store())


def _merged(values: Sequence[ast.expr]) -> list[ast.expr]:
    """Neighbouring constants of a formatted text as one."""
    found: list[ast.expr] = []
    for v in values:
        if isinstance(v, ast.Constant) and found and isinstance(found[-1], ast.Constant):
            found[-1] = ast.Constant(str(found[-1].value) + str(v.value))
        else:
            found.append(v)
    return found


def constant_of(vector: RVector) -> ast.expr:
    """A short vector of R as a constant."""
    if vector.values.ndim != 1 or len(vector) > MOST_CONSTANT or vector.values.dtype.kind not in "fibO":
        raise NotTranslated("it names a value that only R has")
    values: list[Any] = [None if m else v for v, m in zip(vector.values.tolist(), vector.na.tolist())]
    if vector.levels is not None:
        values = [None if v is None else vector.levels[int(v) - 1] for v in values]
    values = [int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 1e9 else v for v in values]
    if any(v is None or v != v for v in values):
        raise NotTranslated("it names a vector of R with missing values")
    parts = [node(v) for v in values]
    if vector.names is not None and len(set(vector.names)) == len(values):
        return put("pd.Series(x)", x=_dict(list(zip(vector.names, parts))))
    if len(parts) == 1:
        return parts[0]
    listed = ast.List(parts, ast.Load())
    return listed if isinstance(values[0], str) or not values else put("np.array(x)", x=listed)


_OF_FITS = frozenset([*views.NUMBERS, "coef", "coefficients", "fixef", "vcov", "confint", "confint.default"])
#: R's function -> the method that writes it.
_METHODS: Mapping[str, str] = {
    "!": "not", ":": "colon", "%in%": "in", "$": "dollar", "[[": "double", "[": "bracket", "c": "c", "list": "list",
    "data.frame": "frame", "cbind": "cbind", "rbind": "rbind", "do.call": "do_call", "which.max": "which",
    "which.min": "which", "names": "names", "rownames": "names", "row.names": "names", "outer": "outer", "paste": "paste",
    "paste0": "paste", "sprintf": "sprintf", "format": "format", "formatC": "format", "order": "order",
}  # fmt: skip
