"""Parts of values: `x[i]`, `d[i, j]`, `l$a`, by names, places from 1, places that are left out, or truth."""

from __future__ import annotations

import ast

import numpy as np
import pandas as pd

from ...fit.fit import Fit
from ..translate.translation import Step
from . import views
from .evaluated import Evaluated
from .python import node, put, text_of
from .trees import NotTranslated, R, call_of


class Parts(Evaluated):
    """R's brackets and dollars."""

    def _dollar(self, e: R) -> ast.expr:
        of, part = self.meant(e.operands[0]), e.operands[1]
        word = str(part.value)
        if of.function == "summary" and word in ("coefficients", "coef", "fixef"):
            return self.expression(call_of("coef", of))
        m = self.fit(of.operands[0] if of.function == "summary" else of)
        if m is None and of.function == "summary":
            raise NotTranslated(f"${word} of summary() is not supported")
        if m is not None:
            if (own := views.of_fit(word, *m)) is not None:
                self.uses([m[1]], own)
                return own
            if (found := views.of_eba(word, *m)) is not None:
                self.uses([m[1]], found)
                return found
            begun = [n for n in views.OF_GLM if n.startswith(word)]
            word = begun[0] if len(begun) == 1 and {"glm", "gnm"} & {*m[1].call.strings("class")} else word
            if word in views.COMPONENTS:
                return self.expression(call_of(views.COMPONENTS[word], of))
            raise NotTranslated(f"${word} of a fit has no equivalent")
        made = self.expression(of)
        if (number := views.of_answer(word, made, self.step(made))) is not None:
            return number
        found = self.viewed(made)
        if word == "qvframe":  # the table of quasi variances is all that ours has
            return found
        if self.kind(found) not in "dl":
            raise NotTranslated(f"${word} of this value is not supported")
        there = self.value(found)
        begun = [n for n in there if str(n).startswith(word)]
        word = str(begun[0]) if len(begun) == 1 else word
        return put("x[k]", x=found, k=word if word in there else views.ALSO.get(word, word))

    def _double(self, e: R) -> ast.expr:
        of, *rest = e.operands
        if len(rest) != 1:
            return self._bracket(e)
        if (one := self._one_coefficient(of, rest[0])) is not None:
            return one
        found = self.operand(of) if self.fit(of) is None else None
        if found is None or rest[0].kind == "str" and self.kind(found) in "dl":
            return self._dollar(call_of("$", of, rest[0]))
        key = self.operand(rest[0])
        kind = self.kind(found)
        if kind == "l" and self.kind(key) == "n" and not isinstance(self.value(found), dict):
            key = self.less_one(key)
        elif kind == "l" and self.kind(key) == "n" and self.value(key) not in self.value(found):
            key = put("list(x)[k]", x=found, k=self.less_one(key))
        return put("x[k]", x=found, k=key) if kind in "ld" else self._element(found, key)

    def less_one(self, key: ast.expr) -> ast.expr:
        match key:
            case ast.Constant(value=int() | float() as value):
                return node(int(value) - 1)
            case ast.BinOp(inner, ast.Add(), ast.Constant(1)):
                return inner
        return put("k - 1", k=key)

    def _element(self, x: ast.expr, key: ast.expr) -> ast.expr:
        """One number of a vector."""
        if self.kind(key) == "t":
            return put("x[k]", x=x, k=self._our_names(x, key))
        return put("x.iloc[k]" if self.kind(x) == "s" else "x[k]", x=x, k=self.less_one(key))

    def _one_coefficient(self, of: R, key: R) -> ast.expr | None:
        """`coef(m)["at.home"]`: `m.params["order"]`."""
        if of.function not in ("coef", "coefficients") or len(of.operands) != 1 or key.kind != "str":
            return None
        m = self.fit(of.operands[0])
        if m is None or not isinstance(m[1].value, Fit):
            return None
        fit, step = m
        if str(key.value) not in dict(views.names_of(step)) or views.times_of(step) != 1.0:
            return None

        def view(step: Step, _: bool) -> ast.expr:
            return put("m.params[k]", m=fit, k=dict(views.names_of(step)).get(str(key.value)))

        return self.general(fit, step, view)

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
            where = self.operand(rest[0]) if rest[0].function != "-" else rest[0]
            if isinstance(where, ast.expr) and np.ndim(self.value(where)) == 2:  # R goes down the columns
                return put("x.to_numpy().T[k.T]", x=x, k=where)
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
        raise NotTranslated("this part of a value is not supported")

    def _elements(self, x: ast.expr, e: R, by_place: str, rows: bool = False) -> ast.expr:
        """`x[i]`, `d[i, ]`: by names, places from 1, places that are left out, or truth."""
        if e.function in ("order", "rev") and (places := self._places(e)) is not None:
            listed = isinstance(self.value(x), (list, range))
            return put(by_place, x=put("np.array(x)", x=x) if listed else x, k=places)
        if e.function == "-" and len(e.operands) == 1:
            inner = self.operand(e.operands[0])
            if (lacking := self.scope.places.get(text_of(x))) and self.kind(inner) in "nv":
                names = tuple(np.delete(lacking.names, np.asarray(self.value(inner)) - 1))
                return self._by_names(x, put("range(1, n)", n=len(names) + 1), names)
            one, by_length = self.kind(inner) == "n", e.operands[0].function == "length"
            last = one and (by_length or self.value(inner) == len(self.value(x)))
            if last or one and self.value(inner) == 1:
                return put(by_place.replace("[k]", "[:-1]" if last else "[1:]"), x=x)
            gone = put("np.array(k) - 1", k=inner) if self.kind(inner) == "v" else self.less_one(inner)
            if self.kind(x) == "v":
                return put("np.delete(x, k)", x=x, k=gone)
            return put("x.drop(x.index[k])", x=x, k=gone)
        key = self._our_names(x, self.operand(e))
        kind = self.kind(key)
        texts = kind == "v" and isinstance(next(iter(self.value(key)), None), str)
        if (lacking := self.scope.places.get(text_of(x))) and kind in "nv" and not texts:
            return self._by_names(x, key, lacking.names)
        if kind == "t":
            return put("x.loc[k]" if rows else "x[k]", x=x, k=key)
        if kind == "n":
            return put(by_place, x=x, k=self.less_one(key))
        found = self.value(key)
        if not isinstance(found, range) and isinstance(self.value(x), (list, range)):
            x = put("np.array(x)", x=x)
        if isinstance(found, pd.Series) and found.dtype == bool:
            return put("x[k]", x=x, k=key if self._same_index(x, found) else put("k.to_numpy()", k=key))
        first = next(iter(found), None)
        if isinstance(first, str):
            return put("x.loc[k]", x=x, k=key)
        if isinstance(first, (bool, np.bool_)):
            return put("x[k]", x=x, k=key)
        if isinstance(key, ast.Call) and isinstance(found, range) and found.step == 1 and found.start >= 1:
            begin, end = key.args
            cut = by_place.replace("[k]", "[:b]" if found.start == 1 else "[a:b]")
            return put(cut, x=x, a=self.less_one(begin), b=self.less_one(end))
        if isinstance(key, ast.List) and all(isinstance(k, ast.Constant) for k in key.elts):
            return put(by_place, x=x, k=[self.less_one(k) for k in key.elts])
        return put(by_place, x=x, k=put("np.asarray(k) - 1", k=key))

    def _by_names(self, x: ast.expr, key: ast.expr, names: tuple[str, ...]) -> ast.expr:
        """Elements at R's places of a vector that has fewer: by their names."""
        at, one, turns = np.atleast_1d(self.value(key)), self.kind(key) == "n", self._turns(key)
        if not names or turns and not one or any(isinstance(k, (str, bool)) for k in at.tolist()):
            raise NotTranslated("it uses part of a coefficient vector that is not all in Python")
        if turns:
            ours = [self._our_names(x, node(n)) for n in names]
            return put("x[names[k]]", x=x, names=ours, k=self.less_one(key))
        wanted = [self._our_names(x, node(names[int(k) - 1])) for k in at]
        by_name = "x[k]" if one and self.kind(x) != "d" else "x.loc[k]"
        return put(by_name, x=x, k=wanted[0] if one else wanted)

    def _our_names(self, x: ast.expr, key: ast.expr) -> ast.expr:
        """Constant names of parameters as the vector has them."""
        if isinstance(key, ast.List):
            return ast.List([self._our_names(x, k) for k in key.elts], ast.Load())
        there = self.value(x)
        rows = there.index if isinstance(there, (pd.Series, pd.DataFrame)) else None
        if not isinstance(key, ast.Constant) or rows is None or key.value in rows:
            return key
        own = [n for n, r in self.scope.in_r.items() if r == key.value and n in rows]
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
        if len(by) == 1 and (texts := self.texts_of(by[0])):
            # R goes by the letters of its locale, of whatever case.
            by_letter = sorted(texts) != sorted(texts, key=str.casefold)
            x = put("[v.casefold() for v in x]", x=by[0]) if by_letter else by[0]
            return put(f'np.argsort(x, kind="stable"){"[::-1]" if down else ""}', x=x)
        by = [put("-x", x=x) for x in by] if down else by
        if len(by) == 1:
            return put('np.argsort(x, kind="stable")', x=by[0])
        return put("np.lexsort(keys)", keys=list(reversed(by)))

    def _vector(self, x: ast.expr) -> ast.expr:
        """A matrix of one column is a vector."""
        if self.kind(x) != "d":
            return x
        if self.value(x).shape[1] != 1:
            raise NotTranslated("it uses a table as a vector")
        return put("x.iloc[:, 0]", x=x)

    def _order(self, e: R) -> ast.expr:
        return put("x + 1", x=self._places(e) or node(0))

    def _columns(self, x: ast.expr, e: R, one: bool) -> ast.expr:
        key = self.operand(e) if e.function != "-" else None
        if key is None:
            inner = self.less_one(self.operand(e.operands[0]))
            return put("x.drop(columns=x.columns[k])", x=x, k=inner)
        kind = self.kind(key)
        there, also = set(self.value(x).columns), views.ALSO.get(str(getattr(key, "value", "")))
        if isinstance(key, ast.Constant) and key.value not in there and also in there:
            key = node(also)
        if kind == "t":
            return put("x[k]", x=x, k=key if one else [key])
        if kind == "n":
            return put("x.iloc[:, k]", x=x, k=self.less_one(key) if one else [self.less_one(key)])
        if isinstance(next(iter(self.value(key)), None), str):
            return put("x[k]" if isinstance(key, ast.List) else "x[list(k)]", x=x, k=key)
        return put(self._run_of(key, "x.iloc[:, k]") or "x.iloc[:, np.asarray(k) - 1]", x=x, k=key)

    def places(self, x: ast.expr, axis: int, e: R) -> ast.expr:
        """Places from 0 along an axis of a table, for a change of its cells."""
        of = put("x.columns" if axis else "x.index", x=x)
        if e.kind == "empty":
            return ast.Slice()
        if e.function == "-" and len(e.operands) == 1:
            return put("np.delete(np.arange(len(x)), k)", x=of, k=self.less_one(self.operand(e.operands[0])))
        key = self.operand(e)
        if self.kind(key) == "n":
            return self.less_one(key)
        first = next(iter(self.value(key)), None) if self.kind(key) != "t" else self.value(key)
        if isinstance(first, str):
            return put("x.get_indexer(k)", x=of, k=[key] if self.kind(key) == "t" else key)
        return put("np.flatnonzero(k)" if isinstance(first, (bool, np.bool_)) else "np.asarray(k) - 1", k=key)

    def _run_of(self, key: ast.expr, by_place: str) -> str:
        """The template of `x[2:5]`, whose places are constants; "" if it is no such run."""
        found = self.value(key)
        if not isinstance(found, range) or found.step != 1 or found.start < 1:
            return ""
        plain = isinstance(key, ast.Call) and all(isinstance(a, ast.Constant) for a in key.args)
        begin = "" if found.start == 1 else str(found.start - 1)
        return by_place.replace("k]", f"{begin}:{found.stop - 1}]") if plain else ""

    def _cell(self, x: ast.expr, rows: R, columns: R) -> ast.expr:
        """`d[i, j]`."""
        if rows.kind == "str" and columns.kind == "str":
            own = self._our_names(put("x.T", x=x), node(columns.value))
            if self.value(own) not in self.value(x).columns:
                own = node(views.ALSO.get(str(columns.value), columns.value))
            return put("x.loc[i, j]", x=x, i=self._our_names(x, node(rows.value)), j=own)
        if rows.kind == "num" and columns.kind == "num":
            return put("x.iloc[i, j]", x=x, i=int(rows.value) - 1, j=int(columns.value) - 1)
        column = self._columns(x, columns, True)
        found = self._elements(column, rows, "x.iloc[k]", rows=self.kind(column) == "d")
        return put("x.iloc[0, 0]", x=found) if np.shape(self.value(found)) == (1, 1) else found
