"""R's functions that apply a function to each: `sapply`, `lapply`, `Map`, `apply`, `by`, `replicate`, as comprehensions.

What was fitted in each turn is in a dict, by the values of the loop's variable; of loops in loops by those of all, and
an inner one goes through those of its own outer turn.  Texts of several numbers are put together for each, too.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.values.nodes import RList, RVector
from ..translate.recorded_answers import plain_values
from .evaluated import CallSite, Evaluated, Variables, at_key, for_now, key_parts
from .python import called, dict_of, in_text, joined, kind_of, loop_over, name_of, node, put, tuple_of
from .tables import Tables
from .trees import NotTranslated, R, call_of, given_to, matched

APPLYING = frozenset("sapply lapply vapply Map map map_dbl map_chr map_int map_lgl apply by".split())
#: Arguments of R with their names.
Given = Sequence[tuple[str, R]]
OfParts = Callable[[list[ast.expr]], ast.expr]
#: purrr's and by's names of the same arguments.
_ALSO_CALLED = {".x": "X", ".f": "FUN", "INDICES": "MARGIN"}
#: What of expand.grid() says how the table looks.
_GRID = ("stringsAsFactors", "KEEP.OUT.ATTRS")
#: With one of these in a function it may make no fit, or several, when it is called.
_SOMETIMES = APPLYING | {*"if switch for while repeat try tryCatch".split()}


#: Those that are translated, in R's order; of others the place is not known.
_FORMALS = {
    "format": ("x", "trim", "digits", "nsmall", "justify", "width"), "formatC": ("x", "digits", "width", "format", "flag", "mode", "big.mark")
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

    def _of_each(self, e: R, parts: Sequence[ast.expr], made: OfParts) -> ast.expr:
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
            values += [ast.Constant(between)] if k and between else []
            values += p.values if isinstance(p, ast.JoinedStr) else [p]
        return joined(values)

    def _sprintf(self, e: R) -> ast.expr:
        form, *parts = (self.operand(a) for n, a in e.arguments if n in ("", "fmt"))
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
        if (
            given is None
            or "justify" in words
            or any(not isinstance(m, (ast.Constant, ast.UnaryOp)) for m in words.values())
        ):
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
        flag, letter, mark = (str(said.get(n, "")) for n in ("flag", "format", "big.mark"))
        width = f"{int(said['width'])}".replace("-", "<") if said.get("width") else ""
        if e.function == "format" and texts and kind == "v" and not width:  # all as wide as the widest
            width = str(max(map(len, self.value(x)), default=0))
        width = f"<{width}" if flag == "-" and width[:1] not in "<" else width
        if texts:
            spec = width if width[:1] in "<" else f"{'<' if e.function == 'format' else '>'}{width}"
        elif not (letter in ("", *"fged") and flag in ("", *"-0+ ") and mark in ("", ",")):
            found = f"{letter!r} with flag {flag!r} and mark {mark!r}"
            raise NotTranslated(f"formatC() of {found} is not supported")
        elif letter == "d" and np.any(np.mod(self.value(x), 1)):
            raise NotTranslated("formatC() with format 'd' of numbers that are not whole is not supported")
        else:
            digits = 0 if letter == "d" else small if small is not None else 7 if digits is None else digits
            letter = "f" if letter == "d" or small is not None else letter or "g"
            spec = f"{flag.strip('-')}{width}{mark}.{digits}{letter}"
        return self._of_each(e, [x], lambda own: ast.JoinedStr([in_text(own[0], spec)]))

    def _formatted(self, x: ast.expr, said: Mapping[str, Any]) -> ast.expr:
        """Numbers by one format for them all."""
        if said.get("trim") or "justify" in said or np.any(pd.isna(self.value(x))):
            raise NotTranslated("format() with these arguments, or of what is missing in R, is not supported")
        defaults = {"digits": 7, "nsmall": 0, "width": 0}
        words = {n: int(said[n]) for n, v in defaults.items() if said.get(n) not in (None, v)}
        return called("formatted", x, **words)


class Applied(Tables, Texts):
    """Functions of each element, row or fit."""

    def _replicate(self, e: R) -> ast.expr:
        """`replicate(200, coef(BTm(...)))`: what each of the fits gives."""
        given = given_to(e, ("n", "expr"), ("n", "expr"))
        made = self._applied_to_fits(e, R("function", "function", None, (), given["expr"]))
        if made is None:
            raise NotTranslated("replicate() of no fit of its own is not supported")
        return made

    def pairs(self, x: ast.expr, y: ast.expr, fun: R) -> ast.expr:
        """A function of each element of a vector with each of another."""
        own = [name_of(self.temporary(n)) for n, _ in fun.arguments[:2]]
        values = [[*self.value(over)] for over in (x, y)]
        turns = [{own[0].id: a, own[1].id: b} for a in values[0] for b in values[1]]
        with self._inside(turns, own[0], {}), self.bound({n: v for (n, _), v in zip(fun.arguments, own)}):
            inner = self.body(fun)
        row = ast.ListComp(inner, [loop_over(own[1], y)])
        return put("pd.DataFrame(x)", x=ast.ListComp(row, [loop_over(own[0], x)]))

    def _mapply(self, e: R) -> ast.expr:
        """`mapply(function(x, y) x / y, a, b)`: a number for each place of vectors that are as long."""
        named = [a for n, a in e.arguments if n == "FUN"]
        over = [(n, a) for n, a in e.arguments if n not in ("FUN", "SIMPLIFY", "USE.NAMES")][not named :]
        fun = named[0] if named else e.operands[0]
        vectors = [self.operand(a) for _, a in over]
        fun = self.scope.functions.get(fun.symbol, fun)
        sizes = {len(self.value(v)) if self.kind(v) in "sv" else 0 for v in vectors}
        if fun.kind != "function" or len(fun.arguments) != len(vectors) or len(sizes) != 1 or 0 in sizes:
            raise NotTranslated("mapply() of these values is not supported")
        own = {n: name_of(self.temporary(n)) for n, _ in fun.arguments}
        names = [own[n or formal] for (n, _), (formal, _) in zip(over, fun.arguments)]
        arrays = [put("x.to_numpy()", x=v) if self.kind(v) == "s" else v for v in vectors]
        turns = [{name.id: v for name, v in zip(names, row)} for row in zip(*map(self.value, arrays))]
        with self._inside(turns, names[0], {}), self.bound(own):
            inner = self.body(fun)
            kind = self.kind(inner)
        loop = loop_over(tuple_of(names), called("zip", *arrays) if arrays[1:] else arrays[0])
        made: ast.expr = ast.ListComp(inner, [loop])
        if kind not in "nt":
            raise NotTranslated("mapply() of a function that gives several values is not supported")
        form = "pd.Series(x, k)" if self.texts_of(vectors[0]) else "np.array(x)"
        form = "pd.Series(x, k.index)" if self.kind(vectors[0]) == "s" else form
        return put(form, x=made, k=vectors[0])

    def _combn(self, e: R) -> ast.expr:
        """`combn(names(x), 2)`, and a function of each of the pairs."""
        rest = [(n, a) for n, a in e.arguments if n not in ("x", "m", "FUN", "simplify")]
        named, formals = dict(e.arguments), ("x", "m", "FUN")
        x, m, *fun = [named[n] if n in named else rest.pop(0)[1] for n in formals if n in named or rest]
        if not fun:
            return self.by_rule("combn", [(n, self.operand(a)) for n, a in e.arguments])
        pairs = R("call", "", R("sym", "combn"), (("", x), ("", m), ("simplify", R("lgl", False))))
        return self.expression(R("call", "", R("sym", "sapply"), (("", pairs), ("", fun[0]), *rest)))

    def _grid(self, e: R) -> ast.expr:
        """`expand.grid(i = x, j = y)`: the first goes round fastest."""
        given = [(n or f"Var{k}", a) for k, (n, a) in enumerate(e.arguments, 1) if n not in _GRID]
        parts = [(n, self.operand(a)) for n, a in given]
        names = [name_of(self.temporary(n)) for n, _ in parts]
        over = called("itertools.product", *reversed([m for _, m in parts]))
        made = ast.ListComp(tuple_of(names), [loop_over(tuple_of(names[::-1]), over)])
        return put("pd.DataFrame(x, columns=n)", x=made, n=[n for n, _ in parts])

    def _aggregate(self, e: R) -> ast.expr:
        """`aggregate(y ~ g, d, mean)`, of several columns `cbind(x, y) ~ g`: a row a group."""
        given = matched(e.arguments, ("formula", "data", "FUN")) or {}
        form = given.get("formula", R("null"))
        of, g = form.operands if len(given) == 3 and form.function == "~" else (R("null"),) * 2
        names = [y.symbol for y in (of.operands if of.function == "cbind" else (of,))]
        if not g.symbol or not all(names):
            raise NotTranslated("aggregate() with these arguments is not supported")
        x = {n: call_of("$", given["data"], R("str", n)) for n in (*names, g.symbol)}
        columns = [(n, self.operand(call_of("tapply", x[n], x[g.symbol], given["FUN"]))) for n in names]
        return put("pd.DataFrame(x).rename_axis(g).reset_index()", x=dict_of(columns), g=g.symbol)

    def _apply(self, e: R) -> ast.expr:
        """`sapply(fits, deviance)`, `lapply(fits, function(m) coef(m))`, `apply(d, 2, quantile, c(0.1, 0.9))`."""
        formals = ("X", "MARGIN", "FUN") if e.function in ("apply", "by") else ("X", "FUN")
        left_out = ("FUN.VALUE", "USE.NAMES", "simplify")
        rest = [(_ALSO_CALLED.get(n, n), a) for n, a in e.arguments if n not in left_out]
        named, free = {n: a for n, a in rest if n in formals}, [a for n, a in rest if not n]
        if len(named) + len(free) < len(formals):
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        if e.function == "Map" and not named:
            free[:2] = free[1::-1]
        given = [named[n] if n in named else free.pop(0) for n in formals]
        free = free[1:] if e.function == "vapply" and free else free
        rest = [*(("", a) for a in free), *((n, a) for n, a in rest if n and n not in formals)]
        fun = _function(given[-1])
        formals_of = [n for n, _ in self.scope.functions.get(fun.symbol, fun).arguments]
        if any(0 < len(self._outer_keys(s, formals_of)) < len(s.loop_names) for s in self.many):
            if (made := self._applied_to_fits(e, fun)) is not None:  # of this turn of the loops around
                return made
        try:
            over = self.operand(given[0])
        except NotTranslated:
            if (made := self._applied_to_fits(e, fun)) is None:
                raise
            return made
        if e.function == "by":
            raise NotTranslated("by() of a table at hand is not supported")
        return self._applied_over(e, over, fun, given[1:-1], rest)

    def _applied_to_fits(self, e: R, fun: R) -> ast.expr | None:
        """A function of each of the fits that it makes itself, of data that only R has; None if it makes none."""
        fun = self.scope.functions.get(fun.symbol, fun)
        again = len(self.many) == 1 and any(part.function == "update" for part in fun.walk())
        parts = self.scope.parts(fun)
        texts = {part.value for part in parts if part.kind == "call"}
        sites = [site for site in self.many if again or site.call.text in texts]
        sometimes = any(part.function in _SOMETIMES for part in parts)
        theirs = self.of_run.get(id(e))
        size = len(theirs) if isinstance(theirs, RList) else None
        alike = len({(site.keys, site.loop_names) for site in sites}) == 1
        if not alike or fun.kind != "function" or sometimes or size not in (None, len(sites[0].keys)):
            return None
        site, own = sites[0], {n for n, _ in fun.arguments}
        fixed = self._outer_keys(site, own)
        words = site.loop_names or ("name",)
        if any(self.scope.turns) and not fixed or len(fixed) == len(words):
            raise NotTranslated("its fits are made in a loop around it, and have no names of its turns")
        ids = [self.temporary(w) for w in words]
        names: list[ast.expr] = [name_of(n) for n in ids]
        now = {ids[k]: self.value(made) for k, made in fixed.items()}
        turns = [dict(zip(ids, key_parts(key))) for key in site.keys]
        turns.sort(key=lambda turn: any(turn[n] != v for n, v in now.items()))
        free = [n for k, n in enumerate(names) if k not in fixed]
        key, every = tuple_of(free), tuple_of(names)
        keyed = dict(zip(words, names))
        with self.without(*(own - {*keyed})), self.bound({w: n for w, n in keyed.items() if w in own}):
            with self._inside(turns, key, keyed):
                inner = self.viewed(self.body(fun))
                kind = self.kind(inner)
        loop = [loop_over(every, name_of(site.name))]
        loop[0].ifs = [put("a == b", a=names[k], b=made) for k, made in fixed.items()]
        made: ast.expr = ast.ListComp(inner, loop)
        theirs_names = theirs.names if isinstance(theirs, (RVector, RList)) else ()
        if all(isinstance(turns[0][n], str) for k, n in enumerate(ids) if k not in fixed):
            whole = not fixed and ast.unparse(inner) == ast.unparse(at_key(site, names))
            made = name_of(site.name) if whole else ast.DictComp(key, inner, loop)
        elif theirs_names and len(theirs_names) == len(site.keys):
            made = put("dict(zip(n, x))", n=list(theirs_names), x=made)
        return made if e.function in ("lapply", "Map", "map", "by") else self._simplified(e, made, kind)

    def _outer_keys(self, site: CallSite, but: Container[str] = ()) -> dict[int, ast.expr]:
        """Places in the keys of a site of several loops -> the variables of the loops around us that are there."""
        found = {}
        for k, word in enumerate(site.loop_names if len(key_parts(site.keys[0])) > 1 else ()):
            made = self.keyed.get(word, self.scope.variables.get(word)) if word not in but else None
            if made is not None and self.kind(made) in "nt":
                if any(key_parts(key)[k] == self.value(made) for key in site.keys):
                    found[k] = made
        return found

    def _applied_over(self, e: R, over: ast.expr, fun: R, margin: Sequence[R], rest: Given) -> ast.expr:
        """A function of each element, or of each row or column of a table."""
        if bool(margin) != isinstance(self.value(over), pd.DataFrame):
            raise NotTranslated(f"{e.function}() over this value is not supported")
        if margin:
            table, by_row = self.value(over), margin[0].value == 1
            over = put("x.T", x=over) if by_row else over
            if isinstance(table.index if by_row else table.columns, pd.RangeIndex):  # it has no names
                over = put("list(x.T.to_numpy())", x=over)
        found = self.value(over)
        keyed = isinstance(found, (dict, pd.Series, pd.DataFrame))
        first = next((v for _, v in found.items()) if keyed else iter(found), None)
        if first is None:
            raise NotTranslated("it loops over nothing")
        parameter = "fit" if kind_of(first) == "f" else "value"
        if fun.kind == "function" and fun.arguments:
            parameter = fun.arguments[0][0]
        own, key = self.temporary(parameter), self.temporary("name")
        element = name_of(own)
        turns = [{own: v, key: k} for k, v in (found.items() if keyed else zip(found, found))]
        loops = {parameter: element, **({"name": name_of(key)} if keyed else {})}
        with self._inside(turns, name_of(key if keyed else own), loops):
            inner = self.viewed(self._applied(fun, parameter, element, rest))
            value = self.value(inner)
        uses = any(isinstance(n, ast.Name) and n.id == own for n in ast.walk(inner))
        if keyed:
            pair = ast.Tuple([name_of(key), element], ast.Load())
            loop = (pair, put("x.items()", x=over)) if uses else (name_of(key), over)
            made: ast.expr = ast.DictComp(name_of(key), inner, [loop_over(*loop)])
        elif isinstance(first, str) and e.function != "lapply":
            made = ast.DictComp(element, inner, [loop_over(element, over)])
        else:
            made = ast.ListComp(inner, [loop_over(element, over)])
        return made if e.function in ("lapply", "Map", "map") else self._simplified(e, made, kind_of(value))

    def _simplified(self, e: R, made: ast.expr, kind: str) -> ast.expr:
        """A vector of numbers, a table of vectors that are as long; columns by what the function was applied to."""
        named = not isinstance(made, ast.ListComp)
        if kind in "nsv" and isinstance(made, (ast.ListComp, ast.DictComp)):
            each = [*self.value(made).values()] if named else self.value(made)
            sizes = {*map(np.size, each)}
            if any(np.ndim(v) for v in each) and sizes == {1}:  # vectors of one number are numbers
                part, kind = "value" if named else "elt", "n"
                made = copy.copy(made)
                setattr(made, part, put("float(np.squeeze(x))", x=getattr(made, part)))
        if kind in "nt":
            return put("pd.Series(x)" if named else "np.array(x)", x=made)
        found = self.value(made)
        parts = list(found.values()) if named else found
        if kind in "sv" and len({len(v) for v in parts}) == 1:
            labels = [list(p.index) if isinstance(p, pd.Series) else None for p in parts]
            if any(own != labels[0] for own in labels):  # R has the names of the first
                return self._of_first_names(e, made, list(map(str, labels[0] or ())))
            return put("pd.DataFrame(x)" if named else "pd.DataFrame(x).T", x=made)
        if kind in "sv" and named:
            return made
        raise NotTranslated(f"{e.function}() of these values is not supported")

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

    def _of_first_names(self, e: R, made: ast.expr, names: list[str]) -> ast.expr:
        """A table of vectors that have other names in each."""
        match made:
            case ast.DictComp(key=key, value=inner, generators=loops) if names:
                return put("pd.DataFrame(x, n)", x=ast.DictComp(key, put("list(x)", x=inner), loops), n=names)
        raise NotTranslated(f"{e.function}() of vectors with other names in each is not supported")

    def _mutate(self, e: R) -> ast.expr:
        """mutate(), of nested groups too."""
        return self._nested(e) if e.operands[0].function == "nest" else super()._mutate(e)

    def _bind_rows(self, e: R) -> ast.expr:
        """`bind_rows(a, b)`, `bind_rows(l, .id = "fit")`: tables of a list below one another."""
        x, *more = (self.operand(a) for n, a in e.arguments if n != ".id")
        words = {n: self.operand(a) for n, a in e.arguments if n}
        listed = self.kind(x) == "l" and not more
        tables = pd.Series(self.value(x) if listed else list(map(self.value, (x, *more))), dtype=object)
        if {*words} - {".id"} or words and not listed or not all(kind_of(t) == "d" for t in tables):
            raise NotTranslated("bind_rows() with these arguments is not supported")
        if not words:
            return put("pd.concat(x, ignore_index=True)", x=x if listed else [x, *more])
        return self._stacked(x, words[".id"], put("[str(k) for k in range(1, n)]", n=len(tables) + 1))

    def _stacked(self, x: ast.expr, id: ast.expr, keys: ast.expr) -> ast.expr:
        """Tables below one another, with a first column of what each is of: the keys of a dict, or `keys`."""
        found = self.value(x)
        named = isinstance(found, dict) and all(isinstance(k, str) for k in found)
        form = f"pd.concat({'list(x.values())' if isinstance(found, dict) and not named else 'x'}, "
        form += f"{'' if named else 'keys=keys, '}names=[n]).reset_index(0).reset_index(drop=True)"
        return put(form, x=x, keys=keys, n=id)

    def _longer(self, e: R) -> ast.expr:
        """`pivot_longer(d, -id, names_to = "name", values_to = "value")`: row by row."""
        given = matched(e.arguments, ("data", "cols", "names_to", "values_to")) or {}
        if len(given) != 4 or given["cols"].function != "-" or not given["cols"].operands[0].symbol:
            raise NotTranslated("pivot_longer() with these arguments is not supported")
        d, n, v = (self.operand(given[k]) for k in ("data", "names_to", "values_to"))
        form = "d.reset_index(drop=True).melt(id, var_name=n, value_name=v, ignore_index=False)"
        found = put(form, d=d, id=given["cols"].operands[0].symbol, n=n, v=v)
        return put("x.sort_index(kind='stable').reset_index(drop=True)", x=found)

    def _wider(self, e: R) -> ast.expr:
        """`pivot_wider(d, names_from = n, values_from = v)` of one column beside, in the order of the rows."""
        given = matched(e.arguments, ("data", "names_from", "values_from")) or {}
        x = self.named(self.operand(given["data"]), "table") if len(given) == 3 else put("None")
        n, v = (given[k].symbol if k in given else "" for k in ("names_from", "values_from"))
        rest = [c for c in self.value(x) if c not in (n, v)] if self.kind(x) == "d" else []
        if len(rest) != 1 or not {n, v} <= {*self.value(x)}:
            raise NotTranslated("pivot_wider() with these arguments is not supported")
        form = "x.pivot(index=i, columns=n, values=v).loc[pd.unique(x[i]), pd.unique(x[n])]"
        return put(f"{form}.rename_axis(columns=None).reset_index()", x=x, i=rest[0], n=n, v=v)

    def _nested(self, e: R) -> ast.expr:
        """`mutate(nest(group_by(d, g)), fit = map(data, f), ...)`: of R's data a dict of lists, an element a group."""
        grouped = e.operands[0].operands[0]
        of, *by = grouped.operands if grouped.function == "group_by" else (grouped,)
        data, name = self.scope.of_r.get(of.symbol), by[0].symbol if len(by) == 1 else ""
        column = data[name] if isinstance(data, RList) and name in data else None
        groups = list(dict.fromkeys(plain_values(column))) if isinstance(column, RVector) else [None]
        if len(e.operands[0].operands) != 1 or not all(isinstance(g, str) for g in groups):
            raise NotTranslated("nest() of these groups is not supported")
        columns: dict[str, ast.expr] = {name: node(groups)}
        for n, a in e.arguments[1:]:
            with self.without("data"), self.bound(columns):
                made = self.named(self.operand(a), n, 0)
            if self.kind(made) not in "lv" or len(self.value(made)) != len(groups):
                raise NotTranslated("nest() of these values is not supported")
            columns[n] = made
        return dict_of(list(columns.items()))

    def _unnest(self, e: R) -> ast.expr:
        """`unnest(d, tables)` of such a dict, with one other column."""
        x = self.named(self.operand(e.operands[0]), "table", 30)
        inner = e.operands[1].symbol if len(e.operands) == 2 else ""
        rest = [n for n in self.value(x) if n != inner] if self.kind(x) == "l" else []
        if len(rest) != 1 or not inner or e.arguments[1][0] not in ("", "cols"):
            raise NotTranslated("unnest() with these arguments is not supported")
        return self._stacked(put("x[k]", x=x, k=inner), node(rest[0]), put("x[k]", x=x, k=rest[0]))

    @contextmanager
    def _inside(self, turns: list[dict[str, Any]], key: ast.expr, loops: Variables) -> Iterator[None]:
        """Within a comprehension: nothing gets a name of its own, and what was called there has its keys."""
        before = {n: self.scope.values[n] for n in turns[0] if n in self.scope.values}
        self.scope.values.update(turns[0])
        self.scope.turns.append(turns[1:])
        with for_now(self, inline=True, calls=dict(self.calls), keyed={**self.keyed, **loops}):
            for site in self.many:
                parts, size = [*self._outer_keys(site).values()], len(key_parts(site.keys[0]))
                if size == 1 or len(parts) == size:
                    self.calls[site.call.text] = at_key(site, [key] if size == 1 else parts)
            try:
                yield
            finally:
                self.scope.turns.pop()
                for name in turns[0]:
                    self.scope.values.pop(name, None)
                self.scope.values.update(before)

    def _applied(self, fun: R, parameter: str, own: ast.expr, rest: Given) -> ast.expr:
        if fun.kind == "function" and not rest:
            with self.bound({n: own for n in (parameter, *(["."] if parameter == ".x" else []))}):
                return self.body(fun)
        named = [text for text in self.calls if text.startswith(("FUN(X[[i]]", ".f(.x[[i]]"))]
        if len(named) == 1:
            return self.viewed(self.calls[named[0]])
        word = fun.symbol or str(fun.value)
        if fun.kind == "function":
            raise NotTranslated("more arguments of a function in sapply() are not supported")
        with self.bound({parameter: own}):
            return self.expression(R("call", "", R("sym", word), (("", R("sym", parameter)), *rest)))


def _function(fun: R) -> R:
    """`~ f(.x)` as a function of `.x`."""
    if fun.function != "~" or len(fun.operands) != 1:
        return fun
    return R("function", "function", None, ((".x", R("empty")),), fun.operands[0])
