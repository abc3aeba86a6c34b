"""Statements of a script: assignments, changes of parts, loops, choices, its own functions; what it shows and writes."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.packages.psychotree import Tree
from ...fit.fit import Fit
from ...native.answers.trees.tree_record import TreeRecord
from ..translate.python_code import INDENT
from . import trees, views
from .applied import APPLYING
from .evaluated import SETTINGS, CallSite, Lacking, for_now
from .flow import DEEPEST, PLOTTING, PRINTING, WRITING, Block, Flow, State
from .python import called, laid_out, name_of, names_of, node, put, text_of, vocabulary
from .translator import Expressions
from .trees import NoExpression, NotTranslated, R, call_of, given_to, matched, outside_functions

#: Rows that R's head() shows.
HEAD = 6
#: What may stand around what is shown.
_AROUND = frozenset("summary print ( head suppressWarnings".split())
#: R's function -> the method that writes its statement.
_WRITTEN_BY = {
    "for": "_for", "next": "_jump", "break": "_jump", "cat": "_cat", "message": "_cat", "writeLines": "_cat",
}  # fmt: skip


class Shown(State):
    """Statements that show."""

    def _show(self, e: R, ex: Expressions, block: Block) -> None:
        raw = self._raw(e, ex)
        if raw is None:
            made = ex.operand(e)
            if isinstance(ex.value(made), dict):
                first = next(iter(ex.value(made).values()), None)
                word = "print(value.summary())" if isinstance(first, Fit) else "print(value)"
                word = "show(value)" if hasattr(first, "to_string") else word
                self._emit(ex, block)
                name, own = ex.temporary("name"), ex.temporary("value")
                block.lines += laid_out(f"for {name}, {own} in {text_of(made)}.items():")
                block.lines += [f"{INDENT}print({name})", f"{INDENT}{word.replace('value', own, 1)}"]
                return
            raw = self._shown(made, ex)
        self._emit(ex, block, text_of(raw))
        match raw:
            case ast.Call(args=[ast.Name() | ast.Subscript() as m, *_]):
                if isinstance(tree := ex.value(m), (Tree, TreeRecord)):  # R prints its coefficients
                    self._emit(ex, block, text_of(put("show(x)", x=views.of_leaves(m, tree))))

    def _raw(self, e: R, ex: Expressions) -> ast.expr | None:
        """What is shown of a fit, and of a table that a helper made, as it is."""
        inner, within = ex.meant(e), set[str]()
        while inner.function in _AROUND and len(inner.operands) == 1:
            within.add(inner.function)
            inner = inner.operands[0]
        with suppress(NotTranslated):
            told = inner.function == "summary" and len(inner.operands) == 2
            if told and (moved := ex.against(inner)) is not None:
                beside = views.of_summary(*moved, ex.value)
                return called("print", put("m.summary()", m=moved[0]), *filter(None, [beside]))
            made = ex.expression(inner)
            value = ex.value(made)
            step = ex.step(made)
            if (shown := views.of_quasi(made, step, ex.value)) is not None:
                return shown
            if isinstance(value, (pd.DataFrame, pd.Series, np.ndarray)):
                if "summary" in within and "quasi_se" not in value or "head" in within and len(value) > HEAD:
                    return None  # quartiles; the first rows
            if step is not None and (found := ex.of_eba("summary", made, step)) is not None:
                return found
            if isinstance(value, Fit):
                also = [views.of_summary(made, step, ex.value)] if step and ex.alike(made, step) else []
                if step and (table := views.thresholds(made, step)) is not None:
                    named = ex.named(table, f"thresholds_{ex.word(made)}")
                    also.append(put('"\\n" + x.to_string()', x=named))
                return called("print", put("m.summary()", m=made), *filter(None, also))
            if isinstance(value, TreeRecord):
                return put('print(m, f"\\nminus the log-likelihood {-m.llf}")', m=made)
            if step is None:
                return None
            if hasattr(value, "frame"):  # R's table of tests
                return put("show(m.frame())", m=made)
            if not isinstance(value, pd.DataFrame):
                return put("print(m)", m=made)
            if "llf" in value:
                return views.of_tests(made, value, step, ex.source(step))
            return put("show(x)", x=ex.viewed(made) if "quasi_se" in value else made)
        return None

    def _shown(self, made: ast.expr, ex: Expressions) -> ast.expr:
        kind = ex.kind(made)
        numbers = kind == "v" and isinstance(ex.value(made), np.ndarray)
        if kind in "sd" or numbers or isinstance(ex.value(made), float):
            return put("show(x)", x=made)
        if kind == "v":
            return put("print(*x)", x=made)
        if kind == "f":
            raise NotTranslated("its value cannot be printed by Python")
        return put("print(x)", x=made)

    def _cat(self, e: R, ex: Expressions, block: Block) -> None:
        words = {n: a for n, a in e.arguments if n in ("sep", "file", "fill", "append")}
        if "file" in words and words["file"].kind != "null":
            raise NotTranslated("it writes to a file")
        if "fill" in words and words["fill"].kind != "lgl":
            raise NotTranslated("cat() with a width of lines is not supported")
        parts = [ex.operand(a) for n, a in e.arguments if n not in (*words, "appendLF", "domain")]
        between = {"writeLines": "\n", "message": ""}.get(e.function, " ")
        if "sep" in words and words["sep"].kind == "str":
            between = str(words["sep"].value)
        # R ends the output of cat() with a line end if its separator has one, or if it fills lines.
        filled = "fill" in words and words["fill"].value is True
        end = "\n" if e.function != "cat" or filled or "\n" in between else ""
        if not all(ex.kind(p) in "ntvso" for p in parts):
            raise NotTranslated("cat() of this value is not supported")
        texts = [(ex.as_text(p, 7 if e.function == "cat" else 15), ex.kind(p)) for p in parts]
        starred = [ast.Starred(p, ast.Load()) if kind in "vs" else p for p, kind in texts]
        made, end = _last_line(starred, end)
        words_of_print: dict[str, Any] = {} if between == " " else {"sep": between}
        if end != "\n":
            words_of_print["end"] = end
        if e.function == "message":
            words_of_print["file"] = put("sys.stderr")
        self._emit(ex, block, text_of(called("print", *made, **words_of_print)))

    def _plot(self, e: R, ex: Expressions, block: Block) -> None:
        """A plot of worths or abilities: by ours, into a file beside the script."""
        file = f"plot_line_{self.captured.text.expressions[self.task - 1].line}.png"
        given = matched(e.arguments, ("height", "beside", "legend.text")) if e.function == "barplot" else None
        if given and "height" in given and find_spec("matplotlib") is not None:
            x, beside = ex.operand(given["height"]), "beside" in given and given["beside"].value is True
            if ex.kind(x) == "s" or ex.kind(x) == "d" and beside:  # R stacks bars otherwise
                form = "x.to_frame().plot.bar(legend=False)" if ex.kind(x) == "s" else "x.T.plot.bar()"
                self._emit(ex, block, text_of(put(f"{form}.figure.savefig(HERE / n)", x=x, n=file)))
                return
        of = e.operands[0]
        while of.function in ("sort", "rev", "exp", "coef", "t", "[") and of.operands:
            of = of.operands[0]
        made = ex.expression(of)
        step = ex.step(made)
        if step is not None and step.call.helper and len(step.call.fits) == 1:
            made = ex.source(step) or made
            step = ex.step(made)
        elif of is e.operands[0] and step is not None and "psycho" not in step.call.package:
            step = None  # R plots residuals of a glm
        if step is None or not isinstance(step.value, (Fit, TreeRecord)) or find_spec("matplotlib") is None:
            raise NotTranslated("only plots of a fit, its worths or its abilities are supported")
        plot = "m.plot()" if isinstance(step.value, TreeRecord) else "pairproof.plot_worth(m).figure"
        self._emit(ex, block, text_of(put(f"{plot}.savefig(HERE / n)", m=made, n=file)))

    def _written(self, e: R, ex: Expressions) -> ast.expr:
        given = given_to(e, ("x", "file", "row.names", "quote", "sep"), ("x", "file"))
        if given["file"].kind != "str":
            raise NotTranslated(f"{e.function}() with these arguments is not supported")
        name = str(given["file"].value)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(csv|tsv|txt|dat)", name):
            raise NotTranslated("it writes to another folder")
        parts = {n: ex.operand(a) for n, a in given.items() if n != "file"}
        rows = getattr(ex.value(parts["x"]), "index", None)
        if isinstance(rows, pd.RangeIndex):  # R counts its rows from 1
            parts["x"] = put("x.set_axis(range(1, len(x) + 1))", x=parts["x"])
        return ex.by_rule(e.function, [*parts.items(), ("file", put("HERE / n", n=name))])


def _last_line(parts: list[ast.expr], end: str) -> tuple[list[ast.expr], str]:
    """The parts of a print without the line end of the last, which print makes itself."""
    if end or not parts:
        return parts, end
    *before, last = parts
    match last:
        case ast.JoinedStr(values=[*_, ast.Constant(value=str(text))]) if text.endswith("\n"):
            cut = [ast.Constant(text[:-1])] if text[:-1] else []
            return [*before, ast.JoinedStr([*last.values[:-1], *cut])], "\n"
        case ast.Constant(value=str(text)) if text.endswith("\n"):
            return [*before, *([ast.Constant(text[:-1])] if text[:-1] else [])], "\n"
        case ast.BinOp(ast.Constant(str(form)), ast.Mod(), right) if form.endswith("\n"):
            return [*before, ast.BinOp(ast.Constant(form[:-1]), ast.Mod(), right)], "\n"
    return parts, end


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
        body = trees.without_return(fun.body)
        formals, texts = [n for n, _ in fun.arguments], trees.calls_in(body)
        words = [s.loop_names[:1] for s in self.sites.get(self.task, []) if s.many and s.call.text in texts]
        by_name = bool(words) and words[0] and words[0][0] in ("name", *formals)
        formal = words[0][0] if by_name else formals[0]
        names = trees.own_variables(body) | {*formals, formal}
        loop = R("call", e.value, R("sym", "for"), (("", R("sym", formal)), ("", given["X"]), ("", body)))
        turns = self._turns(loop, [s for s in self.sites.get(self.task, []) if s.many], ex)
        with self._local(names, names):  # no turn has what the one before it made
            self._for(loop, ex, block, turns)

    def _inline(self, e: R, ex: Expressions, block: Block, visible: bool | None) -> ast.expr | None:
        """A function of several statements, written where it is called; visible None: and what it gives."""
        function = self.scope.functions[e.function]
        formals = [n for n, _ in function.arguments]
        given = matched(list(e.arguments), formals)
        if given is None or function.body is None or self.inlined > DEEPEST:
            raise NotTranslated(f"{e.function}() is not supported here")
        body = trees.without_return(function.body)
        if trees.jumps(body):
            raise NotTranslated(f"{e.function}() returns from within its statements")
        names = trees.own_variables(body) | {*formals}
        outer = trees.outer_variables(body, self.scope.functions)
        self.scope.lexical(e.function, function)
        if outer & (names.union(*self.scope.locals) | {p.symbol for a in given.values() for p in a.walk()}):
            raise NotTranslated(f"{e.function}() assigns to a variable outside that is also its own")
        bound: dict[str, ast.expr] = {}
        for name, part in given.items():
            with suppress(NotTranslated):
                bound[name] = ex.expression(part)
        with for_now(self, inlined=self.inlined + 1, loop=None), self._local(names, formals):
            self.scope.variables.update(bound)
            for name, default in function.arguments:
                if name not in given and default.kind != "empty":
                    with suppress(NotTranslated):
                        self.scope.variables[name] = ex.expression(default)
            if visible is not None:
                self._statement(body, ex, block, visible)
                return None
            *before, last = body.operands if body.function == "{" else (body,)
            for part in before:
                self._try(part, ex, block, False)
            turn = ex.turn_of(e, function)
            return ex.expression(last) if turn is None else turn

    @contextmanager
    def _local(self, names: frozenset[str], unknown: Iterable[str]) -> Iterator[None]:
        """Where a function runs: what it assigns has Python names of its own and is forgotten after it.

        unknown: those of the names that mean nothing before it assigns them.
        """
        scope, tables = self.scope, ("variables", "python", "of_r", "summaries", "functions", "without")
        kept = {t: {n: v for n, v in getattr(scope, t).items() if n in names} for t in tables}
        own = self.own_names.setdefault((self.inlined, names), {})
        for name in names:
            scope.python.pop(name, None)
        scope.python.update(own)
        scope.locals.append(names)
        for name in unknown:
            for t in ("variables", "summaries", "functions", "without"):
                getattr(scope, t).pop(name, None)
            scope.of_r[name] = None
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
                made = self._inline(part, ex, block, None)
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
        over, formal, body = given["X"], fun.arguments[0][0], trees.without_return(fun.body)
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
        names = trees.own_variables(body) | {formal, key.symbol}
        with self._local(names, names):
            whys = len(block.whys)
            self._for(call_of("for", key, over, inner), ex, block)
            if why := block.whys[whys:]:
                raise NotTranslated("; ".join(dict.fromkeys(why)))
        if e.function == "sapply":
            simplified = call_of("sapply", own, R("sym", "identity"))
            self._statement(call_of("<-", own, simplified), ex, block, False)


class Statements(Functions, Shown):
    """Statements of R as lines of Python; a statement among others that cannot be said is a comment in its place."""

    def _statement(self, e: R, ex: Expressions, block: Block, visible: bool) -> None:
        f = e.function
        if f in ("<-", "=", "<<-") and len(e.operands) == 2:
            self._assign(e, ex, block)
        elif f == "{":
            self._several_statements(e, ex, block, visible)
        elif f == "(" and len(e.operands) == 1:
            self._statement(e.operands[0], ex, block, False)
            if visible and e.operands[0].function in ("<-", "="):
                self._statement(e.operands[0].operands[0], ex, block, True)
        elif f == "with" and self._prints(e):
            with ex.bound(ex.columns(ex.operand(e.operands[0]))):
                self._statement(e.operands[1], ex, block, visible)
        elif f in _WRITTEN_BY:
            getattr(self, _WRITTEN_BY[f])(e, ex, block)
        elif f == "if":
            self._if(e, ex, block, visible)
        elif f in PRINTING and e.operands:
            self._show(e.operands[0], ex, block)
        elif f in ("invisible", "suppressWarnings", "suppressMessages") and e.operands:
            inner = e.operands[0]
            if f != "invisible" or inner.function in ("lapply", "sapply", "<-", "=", "print", "cat", "Map"):
                self._statement(inner, ex, block, visible and f != "invisible")
        elif f in PLOTTING and e.operands:
            self._plot(e, ex, block)
        elif f in WRITING:
            self._emit(ex, block, text_of(self._written(e, ex)))
        elif f in SETTINGS:
            raise NotTranslated("it sets up R")
        elif f in ("lapply", "sapply", "Map") and not visible and self._prints(e):
            self._each(e, ex, block)
        elif f in self.scope.functions and self._several(self.scope.functions[f]):
            self._inline(e, ex, block, visible)
        elif visible or f == "summary" and e is self.tree and self.captured.outputs.get(self.task):
            self._before_it(e, ex, block)
            self._show(e, ex, block)
        else:
            ex.operand(e)

    def _assign(self, e: R, ex: Expressions, block: Block) -> None:
        target, value = e.operands
        if target.kind == "str":
            target = R("sym", target.value)
        if value.kind == "function" and target.symbol:
            body = value.body and trees.without_return(value.body)
            self.scope.functions[target.symbol] = replace(value, body=body)
            where = "its statements are written where it was called"
            raise NotTranslated(f"a function defined in the script; {where}")
        if target.symbol and (site := self._site_of(target.symbol, value)) is not None:
            self._bind(target.symbol, site)
            return
        if value.function in ("<-", "="):  # rownames(P) <- colnames(P) <- m
            self._assign(value, ex, block)
            value = value.operands[1]
        if target.function == "dimnames" and value.function == "list" and len(value.operands) == 2:
            for part, names in zip(("rownames", "colnames"), value.operands):
                self._replace(R("call", "", R("sym", part), target.arguments), names, ex, block)
            return
        if target.kind == "call":
            self._replace(target, value, ex, block)
            return
        self.scope.summaries.pop(target.symbol, None)
        said = value.function in ("summary", "logLik") and len(value.operands) == 1
        if said and (m := ex.fit(value.operands[0])) is not None:
            # Of the fit as it is now, under a name that no script has.
            of = f" {target.symbol}"
            self.scope.variables[of] = m[0] if self._is_fixed(m[0]) else self._own_name(of, m[0], ex, block)
            self.scope.summaries[target.symbol] = R("call", "", value.head, (("", R("sym", of)),))
            self.of_models.add(target.symbol)
            if value.function == "summary":
                return
        try:
            made = self._given(value, ex, block)
        except NoExpression:
            if target.symbol in trees.own_variables(value) or self.choosing:
                raise
            self._turn_by_turn(target.symbol, value, ex, block)
            return
        if self._of_models(value) or self._fits(value) or ex.step(made) is not None or ex.used:
            self.of_models.add(target.symbol)
        if isinstance(made, ast.Name) and ex.step(made) is not None and self._is_fixed(made):
            own = [s.name for s in self.sites.get(self.task, []) if s.variable == target.symbol]
            if not self.choosing or made.id in own:
                self.scope.variables[target.symbol] = made
                return
        made = ex.viewed(made)
        if ex.kind(made) == "f" and ex.step(made) is None:
            raise NotTranslated("its value has no Python equivalent")
        if ex.kind(made) in "ol" and not any(ex.value(made) or ()) and self._filled_by_sites(target.symbol):
            return
        name = self.scope.name(target.symbol)
        lacking = self.scope.places.get(text_of(made))
        self.scope.changed(name)
        if lacking is not None:
            self.scope.places[name] = lacking
        if ex.digits:
            self.scope.quality[name] = self._quality(value, ex)
        null = isinstance(made, ast.Constant) and made.value is None
        if null and target.symbol in self.grown | self.filled:
            made = node([]) if target.symbol in self.grown else put("pd.Series(dtype=float)")
        made = self._apart(made, ex, target.symbol in self.in_place)
        self._becomes(target.symbol, made, ex, block)

    def _becomes(self, symbol: str, made: ast.expr, ex: Expressions, block: Block) -> None:
        """Assign to a variable's own name."""
        name = self.scope.name(symbol)
        ex.in_turns(name, made)
        self._emit(ex, block, f"{name} = {text_of(made)}")
        value = ex.value(made)  # which later statements may change without changing another's
        self.scope.values[name] = value.copy() if isinstance(value, (pd.Series, pd.DataFrame)) else value
        # A view of what had the name before is none of what has it now.
        ex.views = {t: v for t, v in ex.views.items() if name not in names_of(ast.parse(t))}
        self.scope.variables[symbol] = name_of(name)
        self.scope.of_r.pop(symbol, None)

    def _is_fixed(self, made: ast.expr) -> bool:
        """Whether it is the name of a call's value, which no statement changes."""
        return isinstance(made, ast.Name) and made.id not in self.scope.owners

    def _site_of(self, variable: str, value: R) -> CallSite | None:
        """The call site whose values a variable becomes here, where the text of the call is not its own."""
        for site in self.sites.get(self.task, []):
            part = value.function in ("[", "[[", "$")  # ab <- ab[order(ab), ]
            part |= len(site.loop_names) > 1 and bool(self.loop) and self._turn(site) is None  # of each turn
            if site.variable == variable and not part and (site.call.text != value.value or site.many):
                return site
        return None

    def _filled_by_sites(self, variable: str) -> bool:
        """Whether an empty list is filled with fits later: its call site makes it."""
        many = (s for own in self.sites.values() for s in own if s.many)
        return any(s.variable.partition("$")[0] == variable for s in many)

    def _bind(self, variable: str, site: CallSite) -> None:
        self.of_models.add(variable)
        made: ast.expr = name_of(site.name)
        if site.many and (turn := self._turn(site)) is not None:
            made = turn
        elif site.many and self.loop is not None and len(self.loop.turns) > 1:
            raise NotTranslated("its fits are made in a loop around it, and have no names of its turns")
        self.scope.variables[variable] = made

    def _renamed(self, of: R, key: R, value: R, ex: Expressions) -> R:
        """All names of `names(x)`, of which those at some places are new."""
        names = list(map(str, ex.value(ex.operand(of))))
        places, new = (np.atleast_1d(ex.value(ex.operand(e))) for e in (key, value))
        if (
            places.dtype.kind not in "if"
            or len(places) != len(new)
            or not 0 < min(places) <= max(places) <= len(names)
        ):
            raise NotTranslated("it changes names that are not given by their places")
        for k, name in zip(places, new):
            names[int(k) - 1] = str(name)
        return call_of("c", *(R("str", n) for n in names))

    def _replace(self, target: R, value: R, ex: Expressions, block: Block) -> None:
        """`names(x) <- v`, `d$x <- v`, `x[i] <- v`."""
        f, (of, *keys) = target.function, target.operands
        if f == "[" and of.function in ("names", "colnames") and len(keys) == 1:
            self._replace(of, self._renamed(of, keys[0], value, ex), ex, block)
            return
        if not of.symbol:
            raise NotTranslated("it changes part of a part")
        if any(map(self._of_models, [value, *keys])) or self._fits(value):
            self.of_models.add(of.symbol)
        for site in self.sites.get(self.task, []):
            if site.variable.partition("$")[0] == of.symbol and site.many:
                self.scope.variables[of.symbol] = name_of(site.name)
                self.of_models.add(of.symbol)
                return
        if of.symbol not in self.scope.variables:
            if f == "names" and self._filled_by_sites(of.symbol):
                return
            raise NotTranslated(f"the Python script has no value for {of.symbol}")
        own = self.scope.variables[of.symbol]
        try:
            self._before_it(value, ex, block)
            made = ex.operand(value)
        except NotTranslated:  # names(fits) <- levels(group): what they were in that run
            of_run = ex.of_run.get(id(value)) if f in ("names", "rownames", "colnames") else None
            if of_run is None:
                raise
            made = ex.constant(f"  {f} {of.symbol}", of_run, self._of_models(value))
        x = ex.viewed(own)
        if f in ("rownames", "colnames") and ex.kind(x) == "m":
            x = put("pd.DataFrame(x)", x=x)
        kind = ex.kind(x)
        if f == "names" and kind == "l":
            made = node([made]) if ex.kind(made) == "t" else made
            if not isinstance(ex.value(x), list) and list(ex.value(x)) == list(ex.value(made)):
                return  # its keys are these values
            if len(ex.value(x)) != len(ex.value(made)):
                raise NotTranslated("it names some parts of a list, and others not")
            self._becomes(of.symbol, ex.keyed_by(made, x), ex, block)
            return
        step = ex.step(own)
        if step is not None and (kind == "l" or isinstance(step.value, Fit)):
            raise NotTranslated("it changes a fit")
        if kind in "svd" and f"{f}<-" in vocabulary():
            found = ex.by_rule(f"{f}<-", [("", x), ("", made)])
        elif f == "$" and kind == "d":
            found = ex.with_columns(x, [(str(keys[0].value), made)])
        elif f == "[" and len(keys) == 1 and (lacking := self._na_of(target, x)) is not None:
            there = iter(ex.value(x).index)
            names = [n if n in lacking.missing else next(there) for n in lacking.names]
            found = put("x.reindex(names, fill_value=v)", x=x, names=names, v=made)
            self.scope.changed(self.scope.name(of.symbol))
        elif f in ("[", "[[") and len(keys) == 1 and kind in "svl" or f == "$" and kind in "lo":
            key = keys[0] if f != "$" else R("str", str(keys[0].value))
            self._element(self._own_name(of.symbol, x, ex, block), kind, key, made, ex, block)
            return
        elif f == "[" and len(keys) == 2 and kind == "d":
            self._cells(self._own_name(of.symbol, x, ex, block), keys, made, ex, block)
            return
        else:
            cells = ex.operand(keys[0]) if f == "[" and kind == "d" else put("None")
            if np.ndim(ex.value(cells)) != 2:
                raise NotTranslated(f"{f}() of this value cannot be changed in Python")
            found = put("x.mask(k, v)", x=x, k=cells, v=made)
        self._joins(self.scope.name(of.symbol), ex)
        self._becomes(of.symbol, found, ex, block)

    def _joins(self, name: str, ex: Expressions) -> None:
        """A value with a new part has no more digits than it had."""
        if ex.digits:
            least, size = self.scope.quality.get(name, (math.inf, 0.0))
            self.scope.quality[name] = min(least, *ex.digits), max(size, *ex.leaves)

    def _na_of(self, target: R, x: ast.expr) -> Lacking | None:
        """What a vector lacks, of `x[is.na(x)] <- v`, which fills it; None of another change."""
        lacking, key = self.scope.places.get(text_of(x)), target.operands[1]
        whole = key.function == "is.na" and key.operands[0].value == target.operands[0].value
        return lacking if lacking is not None and lacking.na and lacking.names and whole else None

    def _element(self, x: ast.Name, kind: str, key: R, made: ast.expr, ex: Expressions, block: Block) -> None:
        place = ex.operand(key)
        by = ex.kind(place)
        if kind == "l" and isinstance(ex.value(x), list):
            raise NotTranslated("it changes or fills a list by position")
        if kind == "l" and ex.kind(made) == "o":
            raise NotTranslated("it takes a part of a list away")
        if kind == "s" and by == "n" or kind == "v":
            found = put("x.iloc[k]" if kind == "s" else "x[k]", x=x, k=ex.less_one(place))
        else:
            found = put("x[k]", x=x, k=place)
        self._part(x, found, made, ex, block)

    def _cells(self, x: ast.Name, places: Sequence[R], made: ast.expr, ex: Expressions, block: Block) -> None:
        """`d[i, ] <- v`, `d[-1, 2] <- v`: the cells by place."""
        at = [ex.places(x, axis, place) for axis, place in enumerate(places)]
        made = put("x.to_numpy()", x=made) if ex.kind(made) in "sd" else made
        self._part(x, put("x.iloc[i, j]", x=x, i=at[0], j=at[1]), made, ex, block)

    def _part(self, x: ast.Name, part: ast.expr, made: ast.expr, ex: Expressions, block: Block) -> None:
        """Change a part of a variable in place."""
        value = self.scope.values[x.id]
        if isinstance(value, np.ndarray) and value.dtype.kind != np.asarray(ex.value(made)).dtype.kind:
            raise NotTranslated("it changes the type of a vector's numbers")
        made = self._apart(made, ex, False)
        self._joins(x.id, ex)
        line = f"{text_of(part)} = {text_of(made)}"
        self._emit(ex, block, line)
        # On a copy: the statements are run once more, from the values before.
        self.scope.values[x.id] = value.copy()
        self._execute([line])
