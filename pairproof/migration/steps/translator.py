"""Translates R's expressions of fits and of what is made of them, with the values at hand.

An expression becomes a syntax tree of Python and is evaluated at once, in the names that the script has so far: what
a value is (a number, a named vector, a table, a fit) is seen and not guessed.  A loop is translated in its first turn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...fit.fit import Fit
from ..translate.rows import named
from ..translate.translation import Step
from . import views
from .applied import APPLYING, Applied
from .evaluated import Lacking, at_key, for_now, key_parts
from .python import OPERATORS, dict_of, node, put, text_of, vocabulary
from .trees import NoExpression, NotTranslated, R, matched

ViewOf = Callable[[ast.expr, Step, bool], ast.expr]
PASSING = frozenset("( suppressWarnings suppressMessages force identity try tryCatch".split())
#: Functions that count, or name, whatever the numbers are; digits of what is exact.
_COUNTING = "length nrow ncol NROW NCOL dim names rownames colnames row.names seq_along is.na is.null".split()
EXACT = 15.0
#: Other turns of a loop in which two vectors are looked at, beside the first.
MOST_TURNS = 4
#: How far worths that sum to 1 may miss it.
SAME = 1e-9
#: Functions that take parts, by name or as R has the places; that leave out NA; that make texts of numbers.
_OF_PARTS = frozenset("[ [[ $".split())
_WITHOUT_NA = frozenset("na.omit sort".split())
_TEXTS = frozenset("sprintf paste paste0 format formatC is.null".split())
#: Functions that give a number for each, which depends on all; operators that give truth.
_OF_ALL = frozenset("p.adjust cumsum rank scale".split())
_COMPARING = frozenset("< > <= >= == != & |".split())
#: Functions in which the names of a vector are lost; functions that go by them.
_NAMELESS = "length NROW sum prod max min range mean median var sd unname as.numeric as.vector".split()
_BY_NAME = frozenset("[ [[ names which which.max which.min".split())
#: Functions that print what they are given.
SAYING = frozenset("print show print.default printCoefmat cat message writeLines".split())


class Expressions(Applied):
    """Expressions of R as expressions of Python, in a scope."""

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
                return self._noted(self.variable(e.symbol))
            case "call" if (recorded := self._recorded(e)) is not None:
                return recorded
            case "call":
                with for_now(self, lacking=[]):
                    found = self.call(e)
                    self._carry(e, found)
                return self._noted(found)
        own = e.kind == "function"
        raise NotTranslated("a function by itself has no value here" if own else "it is not an expression")

    def _recorded(self, e: R) -> ast.expr | None:
        """The value of a recorded call; of several of this text, that of the fit that this one is of."""
        text = str(e.value)
        found = list(self.reached.get(text, ()))
        sites = (s for s in self.many if s.call.text == text and not s.loop_names and text not in self.calls)
        found += [at_key(site, key_parts(key)) for site in sites for key in site.keys]
        if len(found) > 1 and (m := self.fit(e.operands[0]) if e.operands else None) is not None:
            of = [(made, self.step(made)) for made in found]
            same = [made for made, s in of if s is not None and m[1].call.id in s.call.fits.values()]
            return same[0] if same else self.calls.get(text)
        return self.calls.get(text)

    def _noted(self, found: ast.expr) -> ast.expr:
        """An operand; what it lacks of R's coefficients is known to the call that it is of."""
        if self.scope.places and (lacking := self.scope.places.get(text_of(found))) is not None:
            self.lacking += [(found, lacking)] if lacking.missing else []
        return found

    def _carry(self, e: R, found: ast.expr) -> None:
        """What a result lacks as its operands do, number by number; of the whole of such a vector nothing is computed."""
        f, own = e.function, e.head is not None and e.head.kind != "sym"
        if not self.lacking or text_of(found) in self.scope.places or own or f in self.scope.functions:
            return
        of, lacking = self.lacking[0]
        used = {p.function for p in e.operands[1].walk()} if f == "[" else set[str]()
        by_truth = bool(used & {*_COMPARING, "is.na"})
        if lacking.na and (f in _WITHOUT_NA or "is.na" in used):
            return
        try:
            whole = self.value(of)
        except NotTranslated:  # of a fit in a function of each, in which it was said
            return
        value = self.value(found)
        same = isinstance(value, (pd.Series, pd.DataFrame)) and len(value) == len(whole)
        if same and f not in _OF_ALL and len({one.names for _, one in self.lacking}) == 1:
            if not value.index.equals(whole.index):
                names = lacking.moved(list(whole.index), list(value.index))
                lacking = Lacking(names, lacking.missing, lacking.na)
            self.scope.places[text_of(found)] = lacking
        elif f == "head" and _begins(lacking.names or _in_place(whole, lacking), value, lacking.missing):
            return  # what R has beyond
        elif f not in (*_TEXTS, *_OF_PARTS) or by_truth:
            if not (lacking.na and "na.rm" in dict(e.arguments)):
                raise NotTranslated(f"it is computed from a whole vector, and {lacking}")

    def variable(self, name: str) -> ast.expr:
        """A variable, or R's value of that run where that is a short vector."""
        scope = self.scope
        if name in scope.variables:
            found = scope.variables[name]
            if isinstance(found, ast.Name) and found.id in scope.quality:
                digits, size = scope.quality[found.id]
                self.digits.append(digits)
                self.leaves.append(max(size, views.finite(self.value(found))))
            return found
        known = {"pi": "np.pi", "T": "True", "F": "False", "LETTERS": "list('ABCDEFGHIJKLMNOPQRSTUVWXYZ')"}
        if name in known:
            return put(known[name])
        vector = scope.of_r.get(name)
        if vector is None:
            raise NotTranslated(scope.without.get(name, f"the Python script has no value for {name}"))
        scope.variables[name] = self.constant(name, vector, scope.of_models(name))
        return scope.variables[name]

    def call(self, e: R) -> ast.expr:
        """A call of a function or an operator."""
        f = e.function
        if e.head is not None and "function" in (e.head.kind, *(a.kind for a in e.head.operands)):
            return self._own_function(e, e.head.operands[0] if e.head.operands else e.head)
        own: Callable[[R], ast.expr] = getattr(self, f"_{_METHODS[f]}") if f in _METHODS else self._general
        return own(e)

    def _general(self, e: R) -> ast.expr:
        """A call of an operator, of a function of fits, the script or the vocabulary."""
        f = e.function
        if f in OPERATORS:
            return self._operator(e)
        if f in PASSING and e.operands:
            return self.expression(e.operands[0])
        if f == "update" and len(self.calls) == 1:  # the call that it made
            return next(iter(self.calls.values()))
        if f in APPLYING:
            return self._apply(e)
        if e.operands and (of_fit := self._of_fit(e)) is not None:
            return of_fit
        if f in self.scope.functions:
            return self._own_function(e, self.scope.functions[f])
        if f in vocabulary():
            used = len(self.digits)
            without = f == "which" or dict(e.arguments).get("na.rm", R("null")).value is True and f == "sum"
            with for_now(self, bare=self._is_bare(e), na_is_false=self.na_is_false or without):
                arguments = [(n, self.operand(a)) for n, a in e.arguments if a.kind != "empty"]
            if f in _COUNTING:  # none of the fits' digits is in it
                exact = len(self.digits) - used
                self.digits[used:], self.leaves[used:] = [EXACT] * exact, [0.0] * exact
            return self.by_rule(f, arguments)
        if f in ("<-", "="):
            raise NotTranslated("it assigns inside an expression")
        if f in _OF_FITS:
            raise NotTranslated(f"{f}() of this value is not supported")
        raise NotTranslated(f"{f}() is not supported" if f else "it calls something that is not a name")

    def _is_bare(self, e: R) -> bool:
        """Whether the names of what a call is given are lost in it, and nothing within it goes by them."""
        by_name = (p.function in _BY_NAME or p.function in self.scope.functions for p in e.walk())
        return (self.bare or e.function in _NAMELESS) and not any(by_name)

    def _operator(self, e: R) -> ast.expr:
        f = e.function
        if len(e.operands) == 1:
            return put("-x" if f == "-" else "+x", x=self.operand(e.operands[0]))
        left, right = e.operands
        if f == "%*%" and left.function == "t" and self.kind(self.operand(left.operands[0])) in "sv":
            left = left.operands[0]  # a vector from the left
        own = f == "&" and any(part.function == "is.na" for part in e.walk())  # FALSE & NA is FALSE
        with for_now(self, na_is_false=self.na_is_false or own):
            x, y = self.operand(left), self.operand(right)
        if f in _COMPARING and not self.na_is_false and any(self._has_na(m) for m in (x, y)):
            raise NotTranslated("it compares a missing value, which is NA in R and False in Python")
        kinds = [self.kind(m) for m in (x, y)]
        if {*kinds} & {*"dm"}:
            x, y = self._of_places(x, y) if f == "%*%" else self._of_table(x, y)
            return put(OPERATORS[f], x=x, y=y)
        sizes = [len(self.value(m)) if kind in "vs" else 0 for m, kind in zip((x, y), kinds)]
        if kinds[0] == "s" and sizes[0] == 1 < sizes[1]:  # R repeats a vector of one number
            x, kinds[0] = put("x.iloc[0]", x=x), "n"
        elif kinds[1] == "s" and sizes[1] == 1 < sizes[0]:
            y, kinds[1] = put("x.iloc[0]", x=y), "n"
        if kinds == ["s", "s"] and f != "%*%" and not self._same_rows(x, y):
            y = put("y.to_numpy()", y=y)
        if kinds[0] == "v" and not isinstance(self.value(x), np.ndarray) and kinds[1] in "nvt":
            x = put("np.array(x)", x=x)
        elif kinds[1] == "v" and not isinstance(self.value(y), np.ndarray) and kinds[0] == "n":
            y = put("np.array(y)", y=y)
        return put(OPERATORS[f], x=x, y=y)

    def _has_na(self, x: ast.expr) -> bool:
        value = self.value(x)
        return (
            self.kind(x) in "nsvd" and not isinstance(value, (range, list)) and bool(np.any(pd.isna(value)))
        )

    def _same_rows(self, x: ast.expr, y: ast.expr) -> bool:
        """Whether two vectors have the same names, in other turns of the loops around too."""
        for turn in ({}, *self._turns(ast.Tuple([x, y]))[:MOST_TURNS]):
            with self._during(turn), suppress(NotTranslated):
                if not self.value(x).index.equals(self.value(y).index):
                    return False
        return True

    def _of_table(self, x: ast.expr, y: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Operands of which one at least is a table: R goes by place, and down the columns with a vector."""
        a, b = self.value(x), self.value(y)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.ndim == b.ndim:
            return x, y  # the arguments of outer()
        if np.ndim(a) < 2 or np.ndim(b) < 2:
            return self._along_columns(x, np.shape(b)), self._along_columns(y, np.shape(a))
        if a.shape != b.shape:
            raise NotTranslated(f"it combines tables of {a.shape} and {b.shape} cells")
        labelled = isinstance(a, pd.DataFrame) and isinstance(b, pd.DataFrame)
        other = labelled and not (a.index.equals(b.index) and a.columns.equals(b.columns))
        return x, put("y.to_numpy()", y=y) if other else y

    def _along_columns(self, x: ast.expr, shape: tuple[int, ...]) -> ast.expr:
        """A vector beside a table of this shape."""
        kind = self.kind(x)
        if kind not in "sv":
            return x
        n, (rows, columns) = len(self.value(x)), shape
        if n == 1:
            return put("x.iloc[0]" if kind == "s" else "x[0]", x=x)
        if 1 in shape and n != rows:
            raise NotTranslated("it combines a vector with arguments of outer()")
        array = put("x.to_numpy()" if kind == "s" else "np.array(x)", x=x)
        if n == rows:
            return put("x[:, None]", x=array)
        if n != rows * columns:
            raise NotTranslated(f"R repeats {n} values over a table of {rows} rows and {columns} columns")
        return put("np.reshape(x, (m, n)).T", x=array, m=columns, n=rows)

    def _of_places(self, x: ast.expr, y: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Operands of a matrix product, by place where their labels are others."""
        a, b = self.value(x), self.value(y)
        labels = a.columns if isinstance(a, pd.DataFrame) else getattr(a, "index", None)
        other = isinstance(b, (pd.Series, pd.DataFrame)) and labels is not None and not b.index.equals(labels)
        return x, put("y.to_numpy()", y=y) if other else y

    def _colon(self, e: R) -> ast.expr:
        a, b = (self.operand(part) for part in e.operands)
        step = 1 if self.value(a) <= self.value(b) else -1
        plain = isinstance(b, ast.Constant) and isinstance(b.value, int)
        end = node(self.value(b) + step) if plain else put("b + 1" if step > 0 else "b - 1", b=b)
        return put("range(a, b)" if step > 0 else "range(a, b, -1)", a=a, b=end)

    def _sort(self, e: R) -> ast.expr:
        """`sort(names(x))` as `names(x)[order(names(x))]`."""
        x = self.operand(e.operands[0])
        if self.kind(x) == "s" and self._has_na(x):  # R leaves them out
            rest = [(n, self.operand(a)) for n, a in e.arguments[1:]]
            return self.by_rule("sort", [("", put("x.dropna()", x=x)), *rest])
        if self.texts_of(x):
            return self._elements(x, R("call", "", R("sym", "order"), e.arguments), "x[k]")
        return self._general(e)

    # -- fits --------------------------------------------------------------------------------------------

    def _of_fit(self, e: R) -> ast.expr | None:
        """`coef(m)`, `sqrt(diag(vcov(m)))`, `coef(summary(m))`; None if it is of no fit."""
        f, first = e.function, self.meant(e.operands[0])
        vcov = first.operands[0] if f == "sqrt" and first.function == "diag" else R("null")
        if vcov.function == "vcov":
            m = self.against(vcov)
            return None if m is None or not isinstance(m[1].value, Fit) else self._coefficients(*m, "m.bse")
        if f in ("coef", "coefficients") and first.function == "summary" and len(e.operands) == 1:
            m = self.against(first)
            return None if m is None else self._view(*m, views.coefficient_table, "estimates")
        if f not in _OF_FITS:
            return None
        m = self.fit(first)
        if m is None and f in ("coef", "vcov") and (found := self._of_worths(f, first)) is not None:
            return found
        if m is None:
            if f in ("AIC", "BIC", "logLik", "deviance", "coef", "vcov"):
                self.expression(first)  # it says what it lacks
                raise NotTranslated(f"{f}() of this value is not supported")
            return None
        of_reference = f in ("coef", "vcov", "coefficients") and len(e.operands) > 1
        if of_reference and (moved := self.against(e)) is not None:
            return self._view(*moved, views.covariances, "cov") if f == "vcov" else self._coefficients(*moved)
        if f == "coef" and (found := self._of_worth(dict(e.arguments[1:]), *m)) is not None:
            return found
        if (own := self.of_eba(f.removesuffix("ficients"), *m)) is not None:
            norm = dict(e.arguments).get("norm")
            if norm is None or norm.kind != "num":
                return own
            return put("x / x.iloc[k]", x=own, k=self.less_one(self.operand(norm)))
        if views.has_worths(m[1]) and f not in views.NUMBERS and f != "anova":
            raise NotTranslated(f"{f}() of eba's worths is not supported")
        if f == "anova":
            return self._anova(e)
        if f in _OF_ROWS:
            return self._of_rows(e, *m)
        k = dict(e.arguments).get("k")
        if f == "AIC" and k is not None and len(e.operands) == 2:  # of another penalty
            return put("x + (k - 2) * m.rank", x=self._number(f, *m), k=self.operand(k), m=m[0])
        if f in ("AIC", "BIC") and len(e.operands) > 1:
            return self._several(f, e)
        usual = [a for n, a in e.arguments if n == "conf.int" and f == "tidy" and a.value is False]
        more = [n for n, a in e.arguments if n not in ("level", "correct.edf") and a not in usual]
        if len(more) > 1 and f != "AIC":
            raise NotTranslated(f"{f}() with more arguments is not supported")
        if f in views.NUMBERS:
            return self._number(f, *m)
        if f in ("coef", "coefficients", "fixef"):
            return self._coefficients(*m)
        if f == "vcov":
            return self._view(*m, views.covariances, "cov")
        if f == "tidy":
            return self._view(*m, views.tidy, "tidy")
        level = self.value(self.operand(dict(e.arguments).get("level", R("num", 0.95))))
        profiled = f == "confint" and bool({"glm", "polr", "gnm"} & {*m[1].call.strings("class")})
        found = self._view(*m, partial(views.intervals, level=level, profiled=profiled), "intervals")
        self.digits[-1] = min(self.digits[-1], views.PROFILED if profiled else EXACT)
        return found

    def against(self, e: R) -> tuple[ast.expr, Step] | None:
        """The fit that R's function is of, with PlackettLuce's `ref`; None if more is said."""
        m, given = self.fit(e.operands[0]), dict(e.arguments[1:])
        if m is None or not given:
            return m
        if {*given} != {"ref"} or m[1].call.package != "PlackettLuce" or not isinstance(m[1].value, Fit):
            return None
        ref, items = self.value(self.operand(given["ref"])), m[1].value.items
        item = "sum" if ref is None else ref if isinstance(ref, str) else items[int(ref) - 1]
        return put("m.with_reference(item)", m=m[0], item=item), m[1]

    def _of_worth(self, given: Mapping[str, R], m: ast.expr, step: Step) -> ast.expr | None:
        """PlackettLuce's `coef(m, log = FALSE)`: worths that sum to 1, and prevalences of ties."""
        fit = step.value
        if [(n, a.value) for n, a in given.items()] != [("log", False)] or not isinstance(fit, Fit):
            return None
        ties = [str(n) for n in fit.params.index if n not in fit.items]
        found = put('m.worth().set_index("item")["worth"]', m=m)
        found = put("pd.concat([x, np.exp(m.params[ties])])", x=found, m=m, ties=ties) if ties else found
        self.uses([step], found)
        return found

    def _of_worths(self, f: str, e: R) -> ast.expr | None:
        """What R's itempar() gives: worths with their covariances."""
        with suppress(NotTranslated):
            made = self.expression(e)
            step = self.step(made)
            fit = None if step is None else self.source(step)
            if step is not None and fit is not None and step.call.name.startswith(("itempar", "worth")):
                x = self.viewed(made)
                if abs(float(np.sum(self.value(x))) - 1) < SAME:
                    found = x if f == "coef" else views.of_worths(self.named(x, "worths", 0), fit)
                    self.uses([step], found)
                    return found if f == "coef" else self.named(found, "cov_worths", 0)
        return None

    def _number(self, f: str, m: ast.expr, step: Step) -> ast.expr:
        return self.general(m, step, lambda s, _: views.number(f, m, s, self.value), f)

    def _coefficients(self, m: ast.expr, step: Step, of: str = "m.params") -> ast.expr:
        try:
            found = self.general(m, step, lambda s, varies: views.coefficients(m, s, varies, of))
        except NotTranslated:  # R's names differ from fit to fit
            names = "none" if self.bare else "each"
            found = self.general(m, step, lambda s, varies: views.coefficients(m, s, varies, of, names))
        found = self.named(found, f"{'se' if of == 'm.bse' else 'coef'}_{self.word(m)}")
        self._keep_places(found, step, with_na=True)
        return found

    def _view(self, m: ast.expr, step: Step, view: ViewOf, word: str) -> ast.expr:
        found = self.general(m, step, lambda s, varies: view(m, s, varies))
        found = self.named(found, f"{word}_{self.word(m)}")
        if word in ("estimates", "intervals"):  # R's summary leaves out what is NA
            self._keep_places(found, step, with_na=word == "intervals")
        return found

    def _keep_places(self, found: ast.expr, step: Step, with_na: bool) -> None:
        """R's names of a vector, or of a table's rows, that has some of them only: places are counted by these."""
        if not isinstance(step.value, Fit):
            return
        theirs = named(step.call.vector("coef"))
        names = tuple(n for n, v in theirs.items() if with_na or v == v)
        there = dict(views.names_of(step))
        if 0 < len(there) < len(names):
            missing = tuple(n for n in names if n not in there)
            na = all(theirs[n] != theirs[n] for n in missing)
            self.scope.places[text_of(found)] = Lacking(names, missing, na)

    def _of_rows(self, e: R, m: ast.expr, step: Step) -> ast.expr:
        """Fitted values, residuals and linear predictors, of each row of a binomial model's data."""
        f = e.function
        given = matched(e.arguments[1:], ("newdata", "type", "se.fit") if f == "predict" else ("type",))
        if given and "newdata" in given and isinstance(step.value, Fit):
            return self._predicted(given, m, step)
        y, family = step.call.vector("y"), step.call.strings("family")
        plain = given is not None and not {"newdata", "se.fit"} & {*given} and isinstance(step.value, Fit)
        if given is None or not plain or y is None or not family:
            raise NotTranslated(f"{f}() of this fit is not supported")
        kind = given["type"].value if "type" in given else "link" if f == "predict" else "deviance"
        wanted = "fitted" if f.startswith("fitted") or (f, kind) == ("predict", "response") else str(kind)
        rows = put("pairproof.contest_residuals(m)", m=m)
        ours, column = self.value(rows), "fitted" if wanted == "link" else wanted
        theirs = y.floats().ravel()
        if len(ours) != len(theirs) or not np.allclose(ours["score"], theirs):
            raise NotTranslated(f"{f}() is by row, and Python has the rows of this model's data otherwise")
        if column not in ours or wanted == "link" and family[-1] != "logit":
            raise NotTranslated(f"{f}() of this kind is not supported")
        found = put("x[c].to_numpy()", x=rows, c=column)
        self.uses([step], found)
        return put("np.log(p / (1 - p))", p=self.named(found, "fitted")) if wanted == "link" else found

    def _predicted(self, given: Mapping[str, R], m: ast.expr, step: Step) -> ast.expr:
        """A glm's linear predictors, or probabilities, of new rows, which have a column for each coefficient."""
        kind, family = given["type"].value if "type" in given else "link", step.call.strings("family")
        rows, b = self.operand(given["newdata"]), self._coefficients(m, step)
        b, names = self.named(b, f"coef_{self.word(m)}", 0), list(self.value(b).index)
        there = self.value(rows).select_dtypes(["number", "bool"]) if self.kind(rows) == "d" else ()
        plain = family[1:] == ("logit",) and "offset" not in step.call.text
        plain = plain and "glm" in step.call.strings("class") and kind in ("link", "response")
        if not plain or {*names} - {*there, "(Intercept)"}:
            lacks = "new data without a column for each coefficient"
            raise NotTranslated(f"predict() of {lacks} is not supported")
        if "(Intercept)" in names:
            rows = put("x.assign(**{'(Intercept)': 1.0})", x=rows)
        rows = self.named(put("x[list(b.index)]", x=rows, b=b), "rows", 0)
        link = put("x @ b", x=rows, b=b)
        found = put("1 / (1 + np.exp(-x))", x=link) if kind == "response" else link
        if "se.fit" not in given or given["se.fit"].value is not True:
            return found
        cov = self._view(m, step, views.covariances, "cov")
        se = put("np.sqrt((x @ v * x).sum(axis=1))", x=rows, v=cov)
        se = put("s * p * (1 - p)", s=se, p=found) if kind == "response" else se
        return dict_of([("fit", found), ("se.fit", se), ("residual.scale", node(1))])

    def _anova(self, e: R) -> ast.expr:
        """The table of tests of fits, each against the one before it."""
        test = dict(e.arguments).get("test", R("null"))
        fits = [self.fit(a) for n, a in e.arguments if n != "test"]
        there = [m for m in fits if m is not None]
        tested = bool(there) and all(m[1].call.package == "eba" for m in there)
        classes = {c for m in there for c in m[1].call.strings("class")}
        tested |= test.value in ("Chisq", "LRT") or bool({"polr", "coxph"} & classes)
        quasi = any(views.quasi(m[1]) for m in there)
        if len(there) < max(len(fits), 2) or quasi or not (tested or test.kind == "null"):
            raise NotTranslated("anova() of these fits is not supported")
        if all(m[1].call.package == "survival" for m in there):
            return self._likelihoods(there)
        columns = {"Resid. Df": "df.residual", "Resid. Dev": "deviance"}
        parts = [(n, node([self._number(f, *m) for m in there])) for n, f in columns.items()]
        found = put("pd.DataFrame(x, range(1, n))", x=dict_of(parts), n=len(there) + 1)
        if not (-self.value(found)["Resid. Df"].diff()[1:] > 0).all():
            raise NotTranslated("anova() of fits of which one has no more parameters than the one before")
        form = 'x.assign(Df=lambda d: -d["Resid. Df"].diff(), Deviance=lambda d: -d["Resid. Dev"].diff())'
        tail = '.assign(**{"Pr(>Chi)": lambda d: stats.chi2.sf(d["Deviance"], d["Df"])})'
        return put(form + tail if tested else form, x=found)

    def _likelihoods(self, fits: Sequence[tuple[ast.expr, Step]]) -> ast.expr:
        """anova() of coxph: log-likelihoods, and each model against the one before it."""
        parts = {"loglik": node([self._number("logLik", *m) for m in fits])}
        parts["df"] = node([self._freedom(*m) for m in fits])
        form = 'pd.DataFrame(x, range(1, n)).assign(Chisq=lambda d: 2 * np.abs(d["loglik"].diff()), Df=lambda d: np.abs(d["df"].diff()))'
        tail = '.assign(p=lambda d: stats.chi2.sf(d["Chisq"], d["Df"])).drop(columns="df")'
        return put(form + tail, x=dict_of([*parts.items()]), n=len(fits) + 1)

    def _several(self, f: str, e: R) -> ast.expr:
        """`AIC(m0, m1)`: a table with degrees of freedom."""
        fits = [(a.symbol or f"model {k}", self.fit(a)) for k, a in enumerate(e.operands, 1)]
        rows: list[Any] = []
        for _, m in fits:
            if m is None:
                raise NotTranslated(f"{f}() is of a model that is not in Python")
            rows.append([self._freedom(*m), self._number(f, *m)])
        names = [name for name, _ in fits]
        return put("pd.DataFrame(rows, names, columns)", rows=rows, names=names, columns=["df", f])

    def _freedom(self, m: ast.expr, step: Step) -> ast.expr:
        """The degrees of freedom of R's log-likelihood."""

        def view(step: Step, _: bool) -> ast.expr:
            df = step.call.number("loglik_df")
            there = {n: getattr(step.value, n, None) for n in ("rank", "df")}
            same = (n for n, v in there.items() if df is None or isinstance(v, (int, float)) and v == df)
            own = next(same, "")
            return put(f"m.{own}", m=m) if own else node(int(df or 0))

        return self.general(m, step, view, "logLik")

    def _glance(self, e: R) -> ast.expr:
        """`broom::glance(m)`: the numbers of a glm that Python has, in a row."""
        m = self.fit(e.operands[0]) if len(e.operands) == 1 else None
        if m is None or "glm" not in m[1].call.strings("class"):
            raise NotTranslated("glance() of this value is not supported")
        columns: list[tuple[str, ast.expr]] = []
        for f in "null.deviance df.null logLik AIC BIC deviance df.residual nobs".split():
            with suppress(NotTranslated):  # R's half wins have no likelihood
                columns.append((f, self._number(f, *m)))
        return put("pd.DataFrame(x, [1])", x=dict_of(columns))

    def _set_names(self, e: R) -> ast.expr:
        """`set_names(x, names)`, of a list too."""
        given = matched(e.arguments, ("object" if e.function == "setNames" else "x", "nm")) or {}
        x, v = (self.operand(a) for a in given.values()) if len(given) == 2 else (put("None"),) * 2
        if self.kind(x) != "l" or len(self.texts_of(v)) != len(self.value(x)):
            return self._general(e)
        return self.keyed_by(v, x)

    def _attribute(self, e: R) -> ast.expr:
        """`attr(logLik(m), "df")`."""
        of, name = e.operands
        of = self.scope.summaries.get(of.symbol, of)
        m = self.fit(of.operands[0]) if of.function == "logLik" and name.value == "df" else None
        if m is None:
            raise NotTranslated("attr() of this value is not supported")
        return self._freedom(*m)

    def turn_of(self, e: R, function: R) -> ast.expr | None:
        """The fit that a function of the script ends with, of those that its calls made in their order."""
        last = function.body or function
        while last.operands and (last.function == "{" or last.function in (*PASSING, "return")):
            last = last.operands[-1]
        turns = self.reached.get(str(last.value)) if last.kind == "call" and id(e) not in self.taken else None
        if turns:
            self.taken[id(e)] = turns.pop(0) if len(turns) > 1 else turns[0]
        return self.taken.get(id(e))

    def _own_function(self, e: R, function: R) -> ast.expr:
        """A function of the script's own, with its arguments in their places; a fit that it ends with is known."""
        if (turn := self.turn_of(e, function)) is not None:
            return turn
        if e.function:
            self.scope.lexical(e.function, function)
        formals = [n for n, _ in function.arguments]
        given = matched([(n, a) for n, a in e.arguments], formals)
        if given is None:
            raise NotTranslated(f"the arguments of {e.function}() do not match its formals")
        promised = [self._promised(n, given[n]) for n in formals if n in given]
        with ExitStack() as local:
            for own in promised:
                local.enter_context(own)
            for name, default in function.arguments:
                if name not in given and default.kind != "empty":
                    local.enter_context(self._promised(name, default))
            return self.body(function)

    def _promised(self, name: str, e: R) -> AbstractContextManager[None]:
        """A variable within; of what only R has none: R evaluates it where it is used, and a fit may be all that does."""
        kept = list(self.before), dict(self.scope.variables), len(self.digits), len(self.used)
        try:
            return self.bound({name: self.operand(e)})
        except NotTranslated as why:
            self.before, self.scope.variables = kept[:2]
            del self.digits[kept[2] :], self.leaves[kept[2] :], self.used[kept[3] :]
            return self.without(name, why=str(why))

    def body(self, function: R) -> ast.expr:
        """What a function gives; what it assigns before stands where it is used."""
        body = function.body or function
        while body.function in ("(", "return", "{") and len(body.operands) == 1:
            body = body.operands[0]
        *before, last = body.operands if body.function == "{" else (body,)
        with ExitStack() as local:
            for part in before:
                if self.silent and part.function in SAYING:
                    continue
                if part.function not in ("<-", "=") or not part.operands[0].symbol:
                    raise NoExpression("a function with these statements cannot be written as an expression")
                local.enter_context(self._promised(part.operands[0].symbol, part.operands[1]))
            return self.expression(last.operands[0] if last.function == "return" else last)


def _in_place(whole: Any, lacking: Lacking) -> tuple[str, ...]:
    """The rows of a table, if those without a value are not at its end, where sorting would have put them."""
    names = tuple(whole.index)
    return () if {*names[-len(lacking.missing) :]} == {*lacking.missing} else names


def _begins(names: Sequence[str], value: Any, missing: Sequence[str]) -> bool:
    """Whether a value is the first of what R has under these names, of which none is missing."""
    first = [*names[: len(value)]]
    return list(value.index) == first and not {*first} & {*missing} and {*missing} <= {*names}


_OF_ROWS = frozenset("fitted fitted.values residuals resid predict".split())
_TABLES = "coef coefficients fixef vcov confint confint.default uscale cov.u anova tidy glance".split()
_OF_FITS = _OF_ROWS.union(views.NUMBERS, _TABLES)
#: R's functions that the methods of these names write.
_OWN = (
    "c list rbind names outer mapply combn paste sprintf format order sort matrix with mutate aggregate subset arrange"
    " split tapply unnest select bind_rows case_when glance set_names get replicate"
).split()
#: R's function -> the method that writes it.
_METHODS: Mapping[str, str] = {
    **dict(zip(_OWN, _OWN)), ":": "colon", "$": "dollar", "[[": "double", "[": "bracket",
    "data.frame": "frame", "tibble": "frame", "cbind": "frame", "do.call": "do_call", "rownames": "names",
    "row.names": "names", "%o%": "outer", "expand.grid": "grid", "paste0": "paste", "formatC": "format",
    "transform": "mutate", "within": "mutate", "filter": "subset", "summarise": "summarise",
    "summarize": "summarise", "pivot_longer": "longer", "pivot_wider": "wider", "pull": "select",
    "slice_max": "slice", "slice_min": "slice", "setNames": "set_names", "Reduce": "reduce",
    "attr": "attribute", "levels": "levels_of",
}  # fmt: skip
