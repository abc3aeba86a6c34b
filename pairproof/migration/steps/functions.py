"""Functions of the script: their statements where they are called, in loops where lapply() and its kin call them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from .applied import APPLYING
from .evaluated import for_now
from .flow import DEEPEST, Block, Flow
from .translator import Expressions
from .trees import (
    NotTranslated,
    R,
    call_of,
    jumps,
    matched,
    outer_variables,
    outside_functions,
    own_variables,
    without_return,
)


class Functions(Flow):
    """Functions that the script calls."""

    def _called(self, fun: R) -> R:
        """A function, or what one of the script is called."""
        return self.scope.functions.get(fun.symbol, fun)

    def _each(self, e: R, ex: Expressions, block: Block) -> None:
        """`invisible(lapply(fits, function(m) print(coef(m))))`: a loop."""
        given = matched(e.arguments, ("f", "X", "...") if e.function == "Map" else ("X", "FUN")) or {}
        fun = self._called(given.get("FUN", given.get("f", R("null"))))
        if fun.kind != "function" or fun.body is None or not fun.arguments or "X" not in given:
            raise NotTranslated(f"{e.function}() of this function is not supported")
        body = without_return(fun.body)
        formals, texts = [n for n, _ in fun.arguments], {p.value for p in body.walk() if p.kind == "call"}
        words = [s.loop_names[:1] for s in self.sites.get(self.task, []) if s.many and s.call.text in texts]
        by_name = bool(words) and words[0] and words[0][0] in ("name", *formals)
        formal = words[0][0] if by_name else formals[0]
        names = own_variables(body) | {*formals, formal}
        loop = R("call", e.value, R("sym", "for"), (("", R("sym", formal)), ("", given["X"]), ("", body)))
        turns = self._turns(loop, [s for s in self.sites.get(self.task, []) if s.many], ex)
        with self._local(names):
            for name in names:  # no turn has what the one before it made
                self._unknown(name)
            self._for(loop, ex, block, turns)

    def _inline(
        self, e: R, ex: Expressions, block: Block, visible: bool, gives: bool = False
    ) -> ast.expr | None:
        """A function of several statements, written where it is called; what it gives, if that is asked for."""
        function = self.scope.functions[e.function]
        formals = [n for n, _ in function.arguments]
        given = matched(list(e.arguments), formals)
        if given is None or function.body is None or self.inlined > DEEPEST:
            raise NotTranslated(f"{e.function}() is not supported here")
        body = without_return(function.body)
        if jumps(body):
            raise NotTranslated(f"{e.function}() returns from within its statements")
        names = own_variables(body) | {*formals}
        outer = outer_variables(body, self.scope.functions)
        self.scope.lexical(e.function, function)
        if outer & (names.union(*self.scope.locals) | {p.symbol for a in given.values() for p in a.walk()}):
            raise NotTranslated(f"{e.function}() assigns to a variable outside that is also its own")
        bound: dict[str, ast.expr] = {}
        for name, part in given.items():
            with suppress(NotTranslated):
                bound[name] = ex.expression(part)
        with for_now(self, inlined=self.inlined + 1, loop=None), self._local(names):
            for name in formals:
                self._unknown(name)
            self.scope.variables.update(bound)
            for name, default in function.arguments:
                if name not in given and default.kind != "empty":
                    with suppress(NotTranslated):
                        self.scope.variables[name] = ex.expression(default)
            if not gives:
                self._statement(body, ex, block, visible)
                return None
            *before, last = body.operands if body.function == "{" else (body,)
            for part in before:
                self._try(part, ex, block, False)
            return ex.expression(last)

    def _unknown(self, name: str) -> None:
        """A variable has another meaning here, or none."""
        self.scope.variables.pop(name, None)
        self.scope.summaries.pop(name, None)
        self.scope.functions.pop(name, None)
        self.scope.of_r[name] = None

    @contextmanager
    def _local(self, names: frozenset[str]) -> Iterator[None]:
        """Where a function runs: what it assigns has Python names of its own and is forgotten after it."""
        scope, tables = self.scope, ("variables", "python", "of_r", "summaries", "functions")
        kept = {t: {n: v for n, v in getattr(scope, t).items() if n in names} for t in tables}
        own = self.own_names.setdefault((self.inlined, names), {})
        for name in names:
            scope.python.pop(name, None)
        scope.python.update(own)
        scope.locals.append(names)
        try:
            yield
        finally:
            scope.locals.pop()
            own.update({n: scope.python[n] for n in names if n in scope.python})
            for t in tables:
                table: dict[str, Any] = getattr(scope, t)
                for name in names:
                    table.pop(name, None)
                table.update(kept[t])

    def _given(self, e: R, ex: Expressions, block: Block) -> ast.expr:
        """What an expression gives, after the statements of the functions of the script that it calls."""
        self._before_it(e, ex, block)
        return ex.expression(e)

    def _before_it(self, e: R, ex: Expressions, block: Block) -> None:
        """Statements of the functions that an expression calls, where they have several; what lapply() prints."""
        parts, own = list(outside_functions(e)), self.scope.functions
        sometimes = any(p.function in ("if", "&&", "||", "switch", *APPLYING) for p in parts)
        parts = [p for p in parts if p.function in own and id(p) not in ex.taken and not sometimes]
        for part in (parts := [p for p in parts if self._several(own[p.function])]):
            prints, before = self._prints(own[part.function]), list(ex.before)
            kept, scope = vars(deepcopy(block)), self.scope.kept()
            try:
                made = self._inline(part, ex, block, False, True)
                if made is not None and len(parts) > 1:  # the next call has variables of the same names
                    made = self._own_name(f" {part.function} {len(ex.taken)}", made, ex, block)
                if made is None or len(block.whys) > len(kept["whys"]) and not prints:
                    raise NotTranslated("it has statements that only R has")
                ex.taken[id(part)] = made
            except NotTranslated:
                if prints:
                    raise
                vars(block).update(kept)
                self.scope.restore(scope)
                ex.before = before
        if e.function in APPLYING and any(self._prints(self._called(a)) for a in e.operands):
            ex.silent = True
            try:
                self._each(e, ex, block)
            except NotTranslated as why:
                ex.before.clear()
                self._not_written(f"what {e.function}() prints", str(why), block)

    def _turn_by_turn(self, target: str, e: R, ex: Expressions, block: Block) -> None:
        """`x <- sapply(l, function(m) {...})` of statements that are no expression: a loop that fills a list."""
        given = matched(e.arguments, ("X", "FUN")) or {}
        fun = self._called(given.get("FUN", R("null")))
        if e.function not in ("sapply", "lapply") or fun.body is None or len(fun.arguments) != 1:
            raise NotTranslated(f"{e.function}() of this function is not supported")
        over, formal, body = given["X"], fun.arguments[0][0], without_return(fun.body)
        x, (key, own, of) = ex.operand(over), (R("sym", n) for n in (" key", target, formal))
        *before, last = body.operands if body.function == "{" else (body,)
        if ex.kind(x) == "l" and isinstance(ex.value(x), dict):
            over, first = call_of("names", over), [call_of("<-", of, call_of("[[", over, key))]
        elif ex.texts_of(x):
            key, first = of, []
        else:
            raise NotTranslated(f"{e.function}() of these statements is not supported")
        self.of_models.add(target)
        inner = call_of("{", *first, *before, call_of("<-", call_of("[[", own, key), last))
        self._statement(call_of("<-", own, call_of("list")), ex, block, False)
        names = own_variables(body) | {formal, key.symbol}
        with self._local(names):
            for name in names:
                self._unknown(name)
            whys = len(block.whys)
            self._for(call_of("for", key, over, inner), ex, block)
            if why := block.whys[whys:]:
                raise NotTranslated("; ".join(dict.fromkeys(why)))
        if e.function == "sapply":
            simplified = call_of("sapply", own, R("sym", "identity"))
            self._statement(call_of("<-", own, simplified), ex, block, False)
