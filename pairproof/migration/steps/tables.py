"""What a script makes of values: `c`, `data.frame`, `cbind`, `rbind`, `outer`; texts: `paste`, `sprintf`, `format`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.values.nodes import RList, RVector
from ..translate.python_code import identifier
from .evaluated import Evaluated
from .parts import Parts
from .python import (
    OPERATORS,
    by_rule,
    called,
    called_on,
    dict_of,
    in_text,
    loop_over,
    name_of,
    node,
    put,
    tuple_of,
)
from .trees import NotTranslated, R, call_of, matched


class Tables(Parts):
    """R's functions that put values together."""

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
                return put("pd.Series(x)", x=dict_of([(n or "", p) for n, p in parts]))
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
        raise NotTranslated("c() of these values is not supported")

    def _texts(self, parts: Sequence[tuple[str, ast.expr]]) -> bool:
        return any(self.kind(p) == "v" and any(isinstance(v, str) for v in self.value(p)) for _, p in parts)

    def _one_row(self, name: str, p: ast.expr) -> ast.expr:
        if self.kind(p) == "n":
            return put("pd.Series(x)", x=dict_of([(name, p)]))
        return put('pd.Series(x, index=[""] * len(x))', x=p)

    def _list(self, e: R) -> ast.expr:
        parts = [(n, self.expression(a)) for n, a in e.arguments]
        if all(n for n, _ in parts):
            return dict_of(parts)
        return ast.List([p for _, p in parts], ast.Load())

    def _frame(self, e: R) -> ast.expr:
        """data.frame(), cbind() of vectors: a column an argument, rows by place."""
        columns: list[tuple[str, ast.expr]] = []
        options = {n: a for n, a in e.arguments if n in ("row.names", "stringsAsFactors", "check.names")}
        if len(options) == len(e.arguments):
            return put("pd.DataFrame()")
        for name, a in e.arguments:
            if name in options:
                continue
            made = self._argument(e, name or a.symbol, a)
            if self.kind(made) == "d":
                return self._beside(e, made)
            columns.append((name or (a.symbol if a.kind == "sym" else str(a.value)), made))
        index: ast.expr | None = None
        values = [self.value(m) for _, m in columns]
        named = [v for v in values if isinstance(v, pd.Series)]
        plain = e.function == "tibble" or "row.names" in options and options["row.names"].kind == "null"
        parts: list[tuple[str, ast.expr]] = []
        for (name, m), v in zip(columns, values):
            other = isinstance(v, pd.Series) and (plain or not v.index.equals(named[0].index))
            parts.append((name, put("x.to_numpy()", x=m) if other else m))
        if "row.names" in options and not plain:
            index = self.operand(options["row.names"])
            parts = [(n, put("x.to_numpy()", x=m) if self.kind(m) == "s" else m) for n, m in parts]
        if all(self.kind(m) in "nt" for _, m in parts) and index is None:
            index = ast.List([node(0)], ast.Load())
        found = put("pd.DataFrame(x)", x=dict_of(parts))
        return found if index is None else put("pd.DataFrame(x, index=i)", x=dict_of(parts), i=index)

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
            return called_on(x, "assign", **words)
        return put("x.assign(**d)", x=x, d=dict_of(list(words.items())))

    def _other_rows(self, m: ast.expr, rows: pd.Index[Any]) -> bool:
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
        given = matched(e.arguments, ("data", "nrow", "ncol", "byrow", "dimnames"))
        if given is None or not {"data", "nrow"} <= set(given):
            raise NotTranslated("matrix() with these arguments is not supported")
        data, rows = (self.operand(given[n]) for n in ("data", "nrow"))
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
        given = matched(e.arguments, ("what", "args"))
        if given is None or len(given) != 2:
            raise NotTranslated("do.call() with these arguments is not supported")
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
        m = self.fit(inner)
        if m is not None:
            raise NotTranslated("names() of a fit lists its components in R")
        found = self.operand(inner)
        if self.kind(found) == "d" and e.function == "names":
            return put("list(x.columns)", x=found)
        return by_rule(e.function if self.kind(found) == "d" else "names", [("", found)], self.value)

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
        return {str(n): put("d[n]", d=d, n=n) for n in self.value(d)}

    def _with(self, e: R) -> ast.expr:
        """`with(d, f(column))`."""
        with self.bound(self.columns(self.operand(e.operands[0]))):
            return self.expression(e.operands[1])

    def _mutate(self, e: R) -> ast.expr:
        """`transform(d, new = f(column))`; mutate() knows the new columns at once."""
        d = first = self.operand(e.operands[0])
        for n, a in e.arguments[1:]:
            d = self.named(d, "table") if e.function == "mutate" else d
            with self.bound(self.columns(d if e.function == "mutate" else first)):
                d = self.with_columns(d, [(n, self.operand(a))])
        return d

    def _subset(self, e: R) -> ast.expr:
        """`subset(d, column > 1)`, filter(): rows; of a vector those for which it is true."""
        x = self.operand(e.operands[0])
        with self.bound(self.columns(x) if self.kind(x) == "d" else {}):
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

    def _levels(self, e: R) -> list[Any]:
        """The levels of one of R's factors, a variable or a column; [] if it is none."""
        of, *column = e.operands if e.function == "$" else (e,)
        value = self.scope.of_r.get(of.symbol)
        if column:
            name = str(column[0].value)
            value = value[name] if isinstance(value, RList) and name in value else None
        return list(value.levels or ()) if isinstance(value, RVector) else []

    def _tapply(self, e: R) -> ast.expr:
        """`tapply(x, g, f)`: a number a group."""
        given = matched(e.arguments, ("X", "INDEX", "FUN"))
        if given is None or len(given) != 3:
            raise NotTranslated("tapply() with these arguments is not supported")
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

    def _longer(self, e: R) -> ast.expr:
        """`pivot_longer(d, -id, names_to = "name", values_to = "value")`: row by row."""
        given = matched(e.arguments, ("data", "cols", "names_to", "values_to")) or {}
        if len(given) != 4 or given["cols"].function != "-" or not given["cols"].operands[0].symbol:
            raise NotTranslated("pivot_longer() with these arguments is not supported")
        d, n, v = (self.operand(given[k]) for k in ("data", "names_to", "values_to"))
        form = "d.reset_index(drop=True).melt(id, var_name=n, value_name=v, ignore_index=False)"
        found = put(form, d=d, id=given["cols"].operands[0].symbol, n=n, v=v)
        return put("x.sort_index(kind='stable').reset_index(drop=True)", x=found)

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

    def _get(self, e: R) -> ast.expr:
        """`get(name)`: of a name that changes in a loop one of the values that it means there."""
        name = self.operand(e.operands[0])
        if self.kind(name) != "t" or len(e.operands) != 1:
            raise NotTranslated("get() with these arguments is not supported")
        words = [self.value(name)]
        for turn in self._turns(name):
            with self._during(turn):
                words.append(self.value(name))
        if len(words) == 1 and isinstance(name, ast.Constant):
            return self.variable(words[0])
        return put("d[k]", d=dict_of([(w, self.variable(w)) for w in sorted({*words})]), k=name)


#: Those that are translated, in R's order; of others the place is not known.
_FORMALS = {
    "format": ("x", "trim", "digits", "nsmall", "justify", "width"), "formatC": ("x", "digits", "width", "format")
}  # fmt: skip


class Texts(Evaluated):
    """R's functions that put texts together; of vectors a list, a text for each row."""

    def _paste(self, e: R) -> ast.expr:
        words = {n: a for n, a in e.arguments if n in ("sep", "collapse")}
        parts = [self.as_text(self.operand(a), 15) for n, a in e.arguments if n not in words]
        between = str(words["sep"].value) if "sep" in words else "" if e.function == "paste0" else " "
        made = self._of_each(e, parts, lambda own: self._joined(own, between))
        several = isinstance(made, ast.ListComp)
        if not several or "collapse" not in words or words["collapse"].kind != "str":
            return made
        if len(parts) == 1:
            made = parts[0] if self.texts_of(parts[0]) else put("map(str, x)", x=parts[0])
        return put("s.join(x)", s=str(words["collapse"].value), x=made)

    def _of_each(
        self, e: R, parts: Sequence[ast.expr], made: Callable[[list[ast.expr]], ast.expr]
    ) -> ast.expr:
        """A text; where vectors are among the parts, a list with a text for each of their rows."""
        kinds = [self.kind(p) for p in parts]
        if not all(k in "ntvs" for k in kinds):
            raise NotTranslated(f"{e.function}() of these values is not supported")
        vectors = [p for p, k in zip(parts, kinds) if k in "vs"]
        if not vectors:
            return made(list(parts))
        words = iter(["name", "value", "other", *(f"part{k}" for k in range(len(vectors)))])
        if not any(isinstance(v, str) for v in list(self.value(vectors[0]))[:1]):
            next(words)
        own = [name_of(next(words)) if k in "vs" else p for p, k in zip(parts, kinds)]
        loop = tuple_of([n for n, k in zip(own, kinds) if k in "vs"])
        over = vectors[0] if len(vectors) == 1 else called("zip", *vectors)
        return ast.ListComp(made(own), [loop_over(loop, over)])

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
                values.append(in_text(p))
        return ast.JoinedStr(_merged(values))

    def _sprintf(self, e: R) -> ast.expr:
        given = [self.operand(a) for n, a in e.arguments if n in ("", "fmt")]
        form, *parts = given
        if not (isinstance(form, ast.Constant) and isinstance(form.value, str)):
            raise NotTranslated("sprintf() with a format that is not a literal is not supported")
        specs = re.findall(r"%([^a-zA-Z%]*[a-zA-Z])", form.value)
        letters = [c for spec in specs for c in "d" * spec.count("*") + spec[-1]]
        parts = [self.as_text(p, 15) if c == "s" else p for p, c in zip(parts, letters)]
        return self._of_each(e, parts, lambda own: put("f % x", f=form, x=tuple_of(own)) if own else form)

    def _format(self, e: R) -> ast.expr:
        """format(x, digits=, nsmall=), formatC(x, digits=, width=, format=), by name or by place."""
        given = matched(e.arguments, _FORMALS[e.function])
        words = {n: self.operand(a) for n, a in (given or {}).items()}
        x = words.pop("x", put("None"))
        kind = self.kind(x)
        if given is None or any(not isinstance(m, (ast.Constant, ast.UnaryOp)) for m in words.values()):
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        if kind == "d":
            return x
        said = {n: self.value(m) for n, m in words.items()}
        digits, small = (None if said.get(n) is None else int(said[n]) for n in ("digits", "nsmall"))
        texts = kind == "t" or (kind == "v" and isinstance(next(iter(self.value(x)), ""), str))
        if e.function == "format" and kind in "nvs" and not texts:
            rounded = given["x"].function == "round" and given["x"].operands[-1].value == small
            if not (kind == "n" and rounded and digits is None):
                return self._formatted(x, said)
        width = f"{int(said['width'])}".replace("-", "<") if said.get("width") else ""
        letter = str(said.get("format", "g"))
        if texts:
            spec = width if width[:1] in "<" else f"{'<' if e.function == 'format' else '>'}{width}"
        elif letter not in ("f", "g", "e", "d"):
            raise NotTranslated(f"formatC() of {letter!r} is not supported")
        elif small is not None:
            spec = f"{width}.{small}f"
        elif digits is None:
            spec = f"{width}.7g" if letter != "d" else width
        else:
            spec = f"{width}.{digits}{letter}"
        return self._of_each(e, [x], lambda own: ast.JoinedStr([in_text(own[0], spec)]))

    def _formatted(self, x: ast.expr, said: Mapping[str, Any]) -> ast.expr:
        """Numbers by one format for them all."""
        if said.get("trim") or "justify" in said or np.any(pd.isna(self.value(x))):
            raise NotTranslated("format() with these arguments, or of what is missing in R, is not supported")
        defaults = {"digits": 7, "nsmall": 0, "width": 0}
        words = {n: int(said[n]) for n, v in defaults.items() if said.get(n) not in (None, v)}
        return called("formatted", x, **words)


def _merged(values: Sequence[ast.expr]) -> list[ast.expr]:
    """Neighbouring constants of a formatted text as one."""
    found: list[ast.expr] = []
    for v in values:
        if isinstance(v, ast.Constant) and found and isinstance(found[-1], ast.Constant):
            found[-1] = ast.Constant(str(found[-1].value) + str(v.value))
        else:
            found.append(v)
    return found
