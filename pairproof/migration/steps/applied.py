"""R's functions that apply a function to each: `sapply`, `lapply`, `Map`, `apply`, `by`, `replicate`, as comprehensions.

What was fitted in each turn is in a dict, by the values of the loop's variable; of loops in loops by those of all, and
an inner one goes through those of its own outer turn.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from ...bridge.values.nodes import RList, RVector
from .evaluated import CallSite, Variables, at_key, for_now, key_parts
from .python import kind_of, loop_over, name_of, put, text_of, tuple_of
from .tables import Tables
from .trees import NotTranslated, R, matched

APPLYING = frozenset("sapply lapply vapply Map map map_dbl map_chr map_int map_lgl apply by".split())
#: Arguments of R with their names.
Given = Sequence[tuple[str, R]]
#: purrr's and by's names of the same arguments.
_ALSO_CALLED = {".x": "X", ".f": "FUN", "INDICES": "MARGIN"}
#: With one of these in a function it may make no fit, or several, when it is called.
_SOMETIMES = APPLYING | {*"if switch for while repeat try tryCatch".split()}


class Applied(Tables):
    """Functions of each element, row or fit."""

    @contextmanager
    def _without(self, *names: str, why: str = "") -> Iterator[None]:
        """Names that have no value for a while, and why."""
        scope = self.scope
        there = {n: v for n, v in scope.variables.items() if n not in names}
        whys = {**scope.without, **(dict.fromkeys(names, why) if why else {})}
        with for_now(scope, variables=there, of_r={**scope.of_r, **dict.fromkeys(names)}, without=whys):
            yield

    def _replicate(self, e: R) -> ast.expr:
        """`replicate(200, coef(BTm(...)))`: what each of the fits gives."""
        given = matched(e.arguments, ("n", "expr", "simplify"))
        if given is None or "simplify" in given:
            raise NotTranslated("replicate() with these arguments is not supported")
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
        texts = {part.value for part in fun.walk() if part.kind == "call"}
        sites = [site for site in self.many if again or site.call.text in texts]
        sometimes = any(part.function in _SOMETIMES for part in fun.walk())
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
        with self._without(*(own - {*keyed})), self.bound({w: n for w, n in keyed.items() if w in own}):
            with self._inside(turns, key, keyed):
                inner = self.body(fun)
                kind = self.kind(inner)
        loop = [loop_over(every, name_of(site.name))]
        loop[0].ifs = [put("a == b", a=names[k], b=made) for k, made in fixed.items()]
        made: ast.expr = ast.ListComp(inner, loop)
        theirs_names = theirs.names if isinstance(theirs, (RVector, RList)) else ()
        if all(isinstance(turns[0][n], str) for k, n in enumerate(ids) if k not in fixed):
            whole = not fixed and text_of(inner) == text_of(at_key(site, names))
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
        if margin and margin[0].value == 1:
            over = put("x.T", x=over)
        found = self.value(over)
        if bool(margin) != isinstance(found, pd.DataFrame):
            raise NotTranslated(f"{e.function}() over this value is not supported")
        keyed = isinstance(found, (dict, pd.Series, pd.DataFrame))
        first = next((v for _, v in found.items()) if keyed else iter(found), None)
        if first is None:
            raise NotTranslated("it loops over nothing")
        parameter = fun.arguments[0][0] if fun.kind == "function" and fun.arguments else "fit"
        own, key = self.temporary(parameter), self.temporary("name")
        element = name_of(own)
        turns = [{own: v, key: k} for k, v in (found.items() if keyed else zip(found, found))]
        loops = {parameter: element, **({"name": name_of(key)} if keyed else {})}
        with self._inside(turns, name_of(key if keyed else own), loops):
            inner = self._applied(fun, parameter, element, rest)
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
        if kind in "nt":
            return put("pd.Series(x)" if named else "np.array(x)", x=made)
        found = self.value(made)
        parts = list(found.values()) if named else found
        if kind in "sv" and len({len(v) for v in parts}) == 1:
            labels = [list(p.index) if isinstance(p, pd.Series) else None for p in parts]
            if any(own != labels[0] for own in labels):  # R has the names of the first
                raise NotTranslated(f"{e.function}() of vectors with other names in each is not supported")
            return put("pd.DataFrame(x)" if named else "pd.DataFrame(x).T", x=made)
        if kind in "sv" and named:
            return made
        raise NotTranslated(f"{e.function}() of these values is not supported")

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
