"""Parts of values, by names, places from 1 or truth; what a script makes of them: `c`, `data.frame`, `rbind`, `outer`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.values.nodes import RList, RVector
from ...fit.fit import Fit
from ..translate.python_code import identifier
from ..translate.translation import Step
from . import views
from .evaluated import LONG, Evaluated, Lacking, for_now
from .python import OPERATORS, called, dict_of, name_of, node, put, text_of
from .trees import NotTranslated, R, call_of, given_to, matched

#: Formals of which all must be given.
_TAPPLY, _SLICE = ("X", "INDEX", "FUN"), (".data", "order_by", "n")


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
            if (found := self.of_eba(word, *m)) is not None:
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
        if len(rest) == 1 and of.function == "levels" and rest[0].kind == "num":
            return self._levels_of(of, int(rest[0].value))
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
            return put("{k: x[k] for k in keys}", x=x, keys=self.operand(rest[0]))
        if len(rest) == 2 and kind == "d":
            rows, columns = rest
            if rows.kind == "empty":
                return x if columns.kind == "empty" else self._columns(x, columns, True)
            if columns.kind == "empty":
                return self._elements(x, rows, "x.iloc[k]", rows=True)
            return self._cell(x, rows, columns)
        raise NotTranslated("this part of a value is not supported")

    def _levels_of(self, e: R, place: int = 0) -> ast.expr:
        """`levels(d$x)`, or one of them, of a factor in the data that R showed, or that fits of this place were given."""
        of = e.operands[0]
        data = of.operands[0].symbol if of.function == "$" else ""
        if shown := self._levels(of):
            return node(shown[place - 1] if place else shown)
        fits = [name_of(n) for n, v in self.scope.values.items() if isinstance(v, Fit)]
        there = [*self.calls.values()] or fits
        for made in there if data else ():
            found = set[tuple[str, ...]]()
            for turn in ({}, *self._turns(made)):
                with self._during(turn):
                    step = self.step(made)
                given = step.call.result if step and step.call.args.get("data") == data else {}
                frame = given.get("data") or given.get("frame")
                column = str(of.operands[1].value)
                factor = frame[column] if isinstance(frame, RList) and column in frame else None
                levels = (factor.levels or ()) if isinstance(factor, RVector) else ()
                found.add(tuple(levels[place - 1 : place] if place else levels))
            if len(found) == 1 and (known := found.pop()):
                return node(known[0] if place else [*known])
        raise NotTranslated("levels() of this value is not supported")

    def _levels(self, e: R) -> list[Any]:
        """The levels of one of R's factors, a variable or a column; [] if it is none."""
        of, *column = e.operands if e.function == "$" else (e,)
        value = self.scope.of_r.get(of.symbol)
        if column:
            name = str(column[0].value)
            value = value[name] if isinstance(value, RList) and name in value else None
        return list(value.levels or ()) if isinstance(value, RVector) else []

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
            same = self.kind(x) in "sd" and self.value(x).index.equals(found.index)
            return put("x[k]" if same else "x[k.to_numpy()]", x=x, k=key)
        first = next(iter(found), None)
        if isinstance(first, str):
            return put("x.loc[k]", x=x, k=key)
        if isinstance(first, (bool, np.bool_)):
            return put("x[k]", x=x, k=key)
        if (run := self._run(key)) is not None:
            return put(by_place, x=x, k=run)
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
        found = put(by_name, x=x, k=wanted[0] if one else wanted)
        if not one:  # it lacks nothing
            self.scope.places[text_of(found)] = Lacking(tuple(names[int(k) - 1] for k in at), (), False)
        return found

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
        if e.function == "-":
            return put("x.drop(columns=x.columns[k])", x=x, k=self.less_one(self.operand(e.operands[0])))
        key = self._own_columns(x, self.operand(e))
        kind = self.kind(key)
        if kind == "t":
            return put("x[k]", x=x, k=key if one else [key])
        if kind == "n":
            return put("x.iloc[:, k]", x=x, k=self.less_one(key) if one else [self.less_one(key)])
        if isinstance(next(iter(self.value(key)), None), str):
            return put("x[k]" if isinstance(key, ast.List) else "x[list(k)]", x=x, k=key)
        plain = all(isinstance(a, ast.Constant) for a in getattr(key, "args", ()))
        run = self._run(key) if plain else None
        return put("x.iloc[:, k]", x=x, k=run or put("np.asarray(k) - 1", k=key))

    def _own_columns(self, x: ast.expr, key: ast.expr) -> ast.expr:
        """R's names of columns, where they are constants, as the table has them."""
        if isinstance(key, ast.List):
            return ast.List([self._own_columns(x, k) for k in key.elts], ast.Load())
        there, also = set(self.value(x).columns), views.ALSO.get(str(getattr(key, "value", "")))
        other = isinstance(key, ast.Constant) and key.value not in there and also in there
        return node(also) if other else key

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

    def _run(self, key: ast.expr) -> ast.Slice | None:
        """R's `2:5` as Python's `1:5`; None of other places."""
        found = self.value(key)
        run = isinstance(found, range) and found.step == 1 and found.start >= 1
        if not run or not isinstance(key, ast.Call):
            return None
        begin, end = map(self.less_one, key.args)
        return ast.Slice(None if found.start == 1 else begin, end)

    def _cell(self, x: ast.expr, rows: R, columns: R) -> ast.expr:
        """`d[i, j]`."""
        if rows.kind == "str" and columns.kind == "str":
            own = self._own_columns(x, self._our_names(put("x.T", x=x), node(columns.value)))
            return put("x.loc[i, j]", x=x, i=self._our_names(x, node(rows.value)), j=own)
        if rows.kind == "num" and columns.kind == "num":
            return put("x.iloc[i, j]", x=x, i=int(rows.value) - 1, j=int(columns.value) - 1)
        column = self._columns(x, columns, True)
        found = self._elements(column, rows, "x.iloc[k]", rows=self.kind(column) == "d")
        return put("x.iloc[0, 0]", x=found) if np.shape(self.value(found)) == (1, 1) else found


class Tables(Parts):
    """R's functions that put values together."""

    def _c(self, e: R) -> ast.expr:
        given = [(n, self.operand(a)) for n, a in e.arguments]
        parts = [(n, p) for n, p in given if self.kind(p) != "o"]
        kinds = {self.kind(p) for _, p in parts}
        if not parts:
            return ast.Constant(None)
        if len(parts) == 1 and (kinds <= set("sv") or not parts[0][0] and "d" not in kinds):
            return parts[0][1]
        if kinds <= {"n", "t"} and any(n for n, _ in parts):
            return put("pd.Series(x)", x=dict_of([(n or "", p) for n, p in parts]))
        if kinds <= set("nvs") and "s" in kinds:
            forms = {"s": "x", "n": "pd.Series({n: x})", "v": 'pd.Series(x, index=[""] * len(x))'}
            made = [put(forms[self.kind(p)], x=p, n=n) for n, p in parts]
            return put("pd.concat(parts)", parts=list(made))
        if not kinds <= set("nvt"):
            raise NotTranslated("c() of these values is not supported")
        vectors = [p for _, p in parts if self.kind(p) == "v"]
        plain = not vectors and all(isinstance(p, (ast.Constant, ast.UnaryOp)) for _, p in parts)
        texts = "t" in kinds or any(isinstance(v, str) for p in vectors for v in self.value(p))
        listed = node([ast.Starred(p, ast.Load()) if p in vectors else p for _, p in parts])
        return listed if plain or texts else put("np.array(x)", x=listed)

    def _list(self, e: R) -> ast.expr:
        parts = [(n, self.expression(a)) for n, a in e.arguments]
        if all(n for n, _ in parts):
            return dict_of(parts)
        return ast.List([p for _, p in parts], ast.Load())

    def _frame(self, e: R) -> ast.expr:
        """data.frame(), cbind() of vectors: a column an argument, rows by place."""
        columns: list[tuple[str, ast.expr]] = []
        options = {n: a for n, a in e.arguments if n in ("row.names", "stringsAsFactors", "check.names")}
        given = [(n, a) for n, a in e.arguments if n not in options]
        if not given:
            return put("pd.DataFrame()")
        for name, a in given:
            made = self._argument(e, name or a.symbol, a)
            if self.kind(made) == "d":
                return self._beside(e, made)
            columns.append((name or (a.symbol if a.kind == "sym" else str(a.value)), made))
        names = options.get("row.names")
        plain = e.function == "tibble" or names is not None and names.kind == "null"
        index = self.operand(names) if names is not None and not plain else None
        rows = next((self.value(m).index for _, m in columns if self.kind(m) == "s"), None)
        rows = None if plain or index is not None else rows
        parts = [(n, put("x.to_numpy()", x=m) if self._other_rows(m, rows) else m) for n, m in columns]
        if index is None and all(self.kind(m) in "nt" for _, m in parts):
            index = node([0])
        form = "pd.DataFrame(x)" if index is None else "pd.DataFrame(x, index=i)"
        return put(form, x=dict_of(parts), i=index)

    def _argument(self, e: R, name: str, a: R) -> ast.expr:
        """A column; one that is made of R's data alone is what it was in that run."""
        kept = list(self.before), dict(self.scope.variables)
        try:
            return self.operand(a)
        except NotTranslated:
            self.before, self.scope.variables = kept
            whole = self.of_run.get(id(e))
            if not isinstance(whole, RList) or name not in whole or any(self.fit(part) for part in a.walk()):
                raise
            of_models = any(self.scope.of_models(part.symbol) for part in a.walk())
            return self.constant(f"  {name}", whole[name], of_models)

    def _beside(self, e: R, first: ast.expr) -> ast.expr:
        """A table with further columns."""
        given = [(n or a.symbol, a) for n, a in e.arguments if n not in ("row.names", "stringsAsFactors")]
        rest = [(n, self.operand(a)) for n, a in given]
        kinds = [self.kind(m) for _, m in rest]
        if kinds[0] != "d" or "d" in kinds[1:]:
            if any(self._other_rows(m, self.value(first).index) for _, m in rest):
                raise NotTranslated("it puts columns beside a table that have other names of rows")
            forms = {"s": "x.rename(n)", "d": "x"}
            series = [forms.get(k, "pd.Series(x, t.index, name=n)") for k in kinds]
            named = [put(form, x=m, t=first, n=n) for (n, m), form in zip(rest, series)]
            return put("pd.concat(parts, axis=1)", parts=named)
        return self.with_columns(first, rest[1:])

    def with_columns(self, x: ast.expr, columns: Sequence[tuple[str, ast.expr]]) -> ast.expr:
        """A table with these columns too, by place."""
        rows = self.value(x).index
        words = {n: put("x.to_numpy()", x=m) if self._other_rows(m, rows) else m for n, m in columns}
        if all(identifier(n) == n for n in words):
            return called(put("x.assign", x=x), **words)
        return put("x.assign(**d)", x=x, d=dict_of(list(words.items())))

    def _other_rows(self, m: ast.expr, rows: pd.Index[Any] | None) -> bool:
        return self.kind(m) == "s" and not self.value(m).index.equals(rows)

    def _rbind(self, e: R) -> ast.expr:
        parts = [(n or a.symbol, self.operand(a)) for n, a in e.arguments]
        kinds = [self.kind(m) for _, m in parts]
        there = [(n, m) for (n, m), k in zip(parts, kinds) if k != "o"]
        if set(kinds) <= {"d", "o"}:
            return put("pd.concat(parts)", parts=[m for _, m in parts])
        if set(kinds) <= set("vsno") and there:
            rows = node([m if self.kind(m) == "n" else put("list(x)", x=m) for _, m in there])
            widest = [m for _, m in there if self.kind(m) == "s"]
            columns = put("x.index", x=widest[0]) if widest else put("None")
            names = node([n for n, _ in there]) if any(n for n, _ in there) else put("None")
            return put("pd.DataFrame(rows, names, columns)", rows=rows, names=names, columns=columns)
        if sorted(kinds) in (["d", "n"], ["d", "s"]):
            tables = [m for _, m in parts if self.kind(m) == "d"]
            row = f"pd.DataFrame({'x' if 'n' in kinds else '[list(x)]'}, [name], d.columns)"
            made = [m if self.kind(m) == "d" else put(row, x=m, name=n, d=tables[0]) for n, m in parts]
            return put("pd.concat(parts)", parts=made)
        raise NotTranslated("rbind() of these values is not supported")

    def _matrix(self, e: R) -> ast.expr:
        """A table of one number, or of a vector by columns."""
        given = given_to(e, ("data", "nrow", "ncol", "byrow", "dimnames"), ("data", "nrow"))
        data, rows = self.operand(given["data"]), self.operand(given["nrow"])
        size = len(np.atleast_1d(self.value(data)))
        columns = self.operand(given["ncol"]) if "ncol" in given else node(max(1, size // self.value(rows)))
        by_row = "byrow" in given and given["byrow"].value is True
        form = "np.reshape(x, (n, m))" if by_row else "np.reshape(x, (m, n)).T"
        if self.kind(data) == "n":
            form = "np.full((n, m), float(x))"
        elif self.value(rows) * self.value(columns) != size:
            raise NotTranslated(f"R repeats or cuts {size} values in a matrix of another size")
        names = given.get("dimnames", R("null")).operands
        i, j = map(self.operand, names if len(names) == 2 else [R("null")] * 2)
        return put(f"pd.DataFrame({form}, i, j)", x=data, n=rows, m=columns, i=i, j=j)

    def _do_call(self, e: R) -> ast.expr:
        given = given_to(e, ("what", "args"), ("what", "args"))
        function, x = given["what"].symbol or str(given["what"].value), self.operand(given["args"])
        found = self.value(x)
        parts = list(found.values()) if isinstance(found, dict) else found
        if function not in ("rbind", "cbind") or self.kind(x) not in "l" or not len(parts):
            raise NotTranslated(f"do.call of {function} is not supported")
        if all(isinstance(p, pd.DataFrame) for p in parts):
            return put("pd.concat(x.values())" if isinstance(found, dict) else "pd.concat(x)", x=x)
        return put("pd.DataFrame(x).T" if function == "rbind" else "pd.DataFrame(x)", x=x)

    def _names(self, e: R) -> ast.expr:
        inner = e.operands[0]
        if inner.function in ("which.max", "which.min"):
            x = self._vector(self.operand(inner.operands[0]))
            return put("x.idxmax()" if inner.function == "which.max" else "x.idxmin()", x=x)
        if inner.function == "which":
            return put("list(x.index[x])", x=self.operand(inner.operands[0]))
        if self.fit(inner) is not None:
            raise NotTranslated("names() of a fit lists its components in R")
        found = self.operand(inner)
        return self.by_rule(e.function if self.kind(found) == "d" else "names", [("", found)])

    def _outer(self, e: R) -> ast.expr:
        """A table of a function of two vectors."""
        given = matched(e.arguments, ("X", "Y", "FUN"))
        if given is None or "Y" not in given:
            raise NotTranslated("outer() with more arguments is not supported")
        x, y = self.operand(given["X"]), self.operand(given["Y"])
        array = ["x.to_numpy()" if self.kind(m) == "s" else "np.array(x)" for m in (x, y)]
        a, b = put(f"{array[0]}[:, None]", x=x), put(f"{array[1]}[None, :]", x=y)
        fun = given.get("FUN", R("str", "*"))
        each = fun.function == "Vectorize" or bool(self.texts_of(x))
        fun = fun.operands[0] if fun.function == "Vectorize" else fun
        if fun.symbol in self.scope.functions:
            self.scope.lexical(fun.symbol, self.scope.functions[fun.symbol])
            fun = self.scope.functions[fun.symbol]
        if fun.kind == "str":
            inner = put(OPERATORS.get(str(fun.value), "x * y"), x=a, y=b)
        elif fun.kind == "function":
            with self.bound(dict(zip((n for n, _ in fun.arguments), (a, b)))):
                inner = self.body(fun) if not each else a
            inner = self.pairs(x, y, fun) if each else inner
        else:
            raise NotTranslated("outer() of this function is not supported")
        if self.kind(x) != "s":
            return inner
        columns = put("y.index" if self.kind(y) == "s" else "None", y=y)
        return put("pd.DataFrame(t, x.index, columns)", t=inner, x=x, columns=columns)

    # -- expressions in which columns are variables ------------------------------------------------------

    def columns(self, d: ast.expr) -> dict[str, ast.expr]:
        """The columns of a table, or the parts of a list, as variables."""
        if self.kind(d) not in "dl" or isinstance(self.value(d), list):
            raise NotTranslated("its columns are not in Python")
        there = {str(n): put("d[n]", d=d, n=n) for n in self.value(d)}
        return {**{r: there[own] for r, own in views.ALSO.items() if own in there}, **there}

    def _with(self, e: R) -> ast.expr:
        """`with(d, f(column))`."""
        with self.bound(self.columns(self.operand(e.operands[0]))):
            return self.expression(e.operands[1])

    def _mutate(self, e: R) -> ast.expr:
        """`transform(d, new = f(column))`; mutate() and within() know the new columns at once."""
        d = first = self.operand(e.operands[0])
        columns, once = [*e.arguments[1:]], e.function != "transform"
        if e.function == "within":
            parts = columns[0][1].operands if columns[0][1].function == "{" else (columns[0][1],)
            columns = [(p.operands[0].symbol, p.operands[1]) for p in parts if p.function in ("<-", "=")]
            if len(columns) < len(parts) or not all(n for n, _ in columns):
                raise NotTranslated("within() of other statements than new columns is not supported")
        for n, a in columns:
            d = self.named(d, "table") if once else d
            with self.bound(self.columns(d if once else first)):
                number = a.function == "row_number" and not a.operands
                made = put("range(1, len(d) + 1)", d=d) if number else self.operand(a)
                d = self.with_columns(d, [(n, made)])
        new = [n for n in self.value(d) if n not in {*self.value(first)}]
        if e.function == "within" and len(new) > 1:  # R has the last of them first
            d = put("x[k]", x=d, k=[*self.value(first), *reversed(new)])
        return d

    def _case_when(self, e: R) -> ast.expr:
        """`case_when(x > 2 ~ "A", TRUE ~ "B")`."""
        cases = [a.operands for a in e.operands if a.function == "~" and len(a.operands) == 2]
        if len(cases) < len(e.operands) or len(cases) < 2 or cases[-1][0].value is not True:
            raise NotTranslated("case_when() without a last case TRUE ~ value is not supported")
        tests, given = ([self.operand(case[k]) for case in cases[:-1]] for k in (0, 1))
        other = self.operand(cases[-1][1])
        return put("np.select(tests, given, other)", tests=tests, given=given, other=other)

    def _subset(self, e: R) -> ast.expr:
        """`subset(d, column > 1)`, filter(): rows; of a vector those for which it is true."""
        x = self.operand(e.operands[0])
        x = self.named(x, "table", 2 * LONG) if self.kind(x) == "d" else x
        with self.bound(self.columns(x) if self.kind(x) == "d" else {}):
            with for_now(self, na_is_false=True):
                key = self.operand(e.operands[1])
        if len(e.operands) != 2 or self.kind(x) not in "svd" or np.asarray(self.value(key)).dtype != bool:
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        rows = getattr(self.value(x), "index", None)
        other = self.kind(key) == "s" and not self.value(key).index.equals(rows)
        return put("x[k.to_numpy()]" if other else "x[k]", x=x, k=key)

    def _arrange(self, e: R) -> ast.expr:
        """`arrange(d, column, desc(other))`."""
        x = self.named(self.operand(e.operands[0]), "table")
        by = [call_of("-", *a.operands) if a.function == "desc" else a for a in e.operands[1:]]
        with self.bound(self.columns(x)):
            found = self._elements(x, call_of("order", *by), "x.iloc[k]", rows=True)
        return put("x.reset_index(drop=True)", x=found)

    def _split(self, e: R) -> ast.expr:
        """`split(x, g)`: a dict, in the order of the levels."""
        x, f = (self.operand(a) for a in e.operands[:2])
        by = self.value(f)
        levels = self._levels(e.operands[1]) or list(getattr(getattr(by, "dtype", None), "categories", ()))
        if len(e.operands) != 2 or self.kind(x) not in "svd" or self.kind(f) not in "sv" or any(pd.isna(by)):
            raise NotTranslated(f"{e.function}() of these values is not supported")
        if len(self.value(x)) != len(by):
            raise NotTranslated(f"{e.function}() by groups of another length is not supported")
        keys = levels or sorted({*by})
        if not levels and keys != sorted(keys, key=lambda v: str(v).lower() if isinstance(v, str) else v):
            raise NotTranslated("the order of its groups depends on R's locale")
        x, f = (put("np.asarray(v)", v=v) if self.kind(v) == "v" else v for v in (x, f))
        f = put("f.to_numpy()", f=f) if self.kind(f) == "s" else f
        words = [k if isinstance(k, (str, int)) else float(k) for k in keys]
        return put("{k: x[f == k] for k in keys}", x=x, f=f, keys=words)

    def _tapply(self, e: R) -> ast.expr:
        """`tapply(x, g, f)`: a number a group; of two groupings, `list(g, h)`, a table."""
        given = given_to(e, _TAPPLY, _TAPPLY)
        if given["INDEX"].function == "list" and len(given["INDEX"].operands) == 2:
            x, *by = (self.operand(a) for a in (given["X"], *given["INDEX"].operands))
            texts, word = [self.texts_of(g) for g in by], given["FUN"].symbol
            by_letter = all(sorted(t) == sorted(t, key=str.casefold) for t in texts)
            if all(texts) and by_letter and word in ("mean", "sum", "median", "min", "max", "var"):
                arrays = [put("np.asarray(x)", x=m) for m in (x, *by)]
                grouped = put("pd.Series(x).groupby(by)", x=arrays[0], by=arrays[1:])
                return put(f"x.{word}().unstack()", x=grouped)
        return self.expression(call_of("sapply", call_of("split", given["X"], given["INDEX"]), given["FUN"]))

    def _summarise(self, e: R) -> ast.expr:
        """`summarise(group_by(d, g), new = f(column))`: a row a group."""
        grouped = e.operands[0]
        if grouped.function != "group_by" or len(grouped.operands) != 2 or not grouped.operands[1].symbol:
            raise NotTranslated(f"{e.function}() of this value is not supported")
        d, by = grouped.operands
        over = call_of("split", d, call_of("$", d, R("str", by.symbol)))
        columns = []
        for name, a in e.arguments[1:]:
            body = call_of("with", R("sym", "group"), a)
            fun = R("function", "function", None, (("group", R("empty")),), body)
            columns.append((name, self.expression(call_of("sapply", over, fun))))
        return put("pd.DataFrame(x).rename_axis(g).reset_index()", x=dict_of(columns), g=by.symbol)

    def _select(self, e: R) -> ast.expr:
        """`select(d, a, b)`, `select(d, -a)`, `pull(d, a)`: columns by their names."""
        x, rest = self.operand(e.operands[0]), e.arguments[1:]
        gone = bool(rest) and all(a.function == "-" and len(a.operands) == 1 for _, a in rest)
        names = [(a.operands[0] if gone else a).symbol for _, a in rest]
        pulled = e.function == "pull"
        plain = names and not any(n for n, _ in rest) and not (pulled and (gone or rest[1:]))
        there = self.value(x) if isinstance(self.value(x), (dict, pd.DataFrame)) else ()
        if not plain or {*names} - {*there}:
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        if self.kind(x) == "l":
            kept = [n for n in there if n not in names] if gone else names
            return put("{k: x[k] for k in names}", x=x, names=list(kept))
        return put("x.drop(columns=k)" if gone else "x[k]", x=x, k=names[0] if pulled else list(names))

    def _slice(self, e: R) -> ast.expr:
        """`slice_max(d, column, n = 3)`: with ties, as in R."""
        given = given_to(e, _SLICE, _SLICE)
        if not given["order_by"].symbol:
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        form = "x.nlargest" if e.function == "slice_max" else "x.nsmallest"
        x, n = self.operand(given[".data"]), self.operand(given["n"])
        return put(f"{form}(n, c, keep='all').reset_index(drop=True)", x=x, n=n, c=given["order_by"].symbol)

    def _reduce(self, e: R) -> ast.expr:
        """`Reduce("+", l)` of vectors that have the same names."""
        x = self.operand(e.operands[1])
        found = self.value(x)
        parts = list(found.values()) if isinstance(found, dict) else found
        same = all(isinstance(p, pd.Series) and p.index.equals(parts[0].index) for p in parts)
        if len(e.operands) != 2 or str(e.operands[0].value) != "+" or self.kind(x) != "l" or not same:
            raise NotTranslated("Reduce() of these values is not supported")
        form = "pd.DataFrame(x).sum(axis=1)" if isinstance(found, dict) else "pd.DataFrame(x).sum()"
        return put(form, x=x)
