"""The top-level expressions of a script one after the other: each becomes statements, or a comment that says why not.

    trees of R + call sites with their values -> lines of Python, rows of what it prints beside what R printed

A recorded call stands in the script as its call site writes it; here it is the name of its value.  What a statement
cannot say in Python is a comment in its place, in a loop as at the top, and what depends on it follows it there.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import NOWHERE, Captured, Place, RecordedCall, Valued
from ...bridge.values.nodes import RList, RVector
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from ..call_sites import CallSite, key_parts
from ..translate.python_code import INDENT, Names, comment, identifier, one_line
from ..translate.translation import OutOfTime, within
from . import compared
from .done import Done
from .python import called, commented, laid_out, node, put, text_of
from .translator import LONG, MODULES, RESERVED, SETTINGS, Expressions, Scope, called_on
from .trees import R, NotTranslated, matched, node_of

#: Characters of R's text in a comment, and of a value of that run.
MOST_TEXT, MOST_VALUE = 300, 100
#: Seconds that the Python of one expression may take.
SECONDS = 30.0
#: Lines of a text that a script prints itself; a fit's summary has more.
MOST_LINES = 6
PLOTTING = frozenset("plot barplot dotchart plotworth plot.wmat plot.wmat".split())
PRINTING = frozenset("print show print.default".split())


@dataclass
class _Block:
    """Statements so far, without indentation; what could not be said."""

    lines: list[str] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    written: int = 0


class ScriptSteps:
    """All expressions of a script."""

    def __init__(
        self, captured: Captured, found: Sequence[CallSite], folder: Path, loops: Mapping[str, list[str]]
    ) -> None:
        self.captured = captured
        self.sites: defaultdict[int, list[CallSite]] = defaultdict(list)
        for site in found:
            self.sites[site.task].append(site)
        self.loops = loops
        names = Names(
            [*RESERVED, *(s.name for s in found), *(v for own in loops.values() for v in own), *_WORDS]
        )
        self.scope = Scope(names)
        self.steps = [step for site in found for step in site.steps]
        self.scope.values |= {"HERE": folder, "show": _show, "print": _print}
        self.printed = compared.Printed(captured.output)
        self.task = 0
        #: R's variables whose values are fits, or made of fits.
        self.of_models: set[str] = set()
        #: Views that have a name at the top of the script.
        self.views: dict[str, ast.expr] = {}

    def all(self) -> list[Done]:
        """What became of each expression, in order."""
        found = []
        for k, tree in enumerate(self.captured.text.trees, 1):
            if tree.text:
                found.append(self._expression(k, tree.text, node_of(tree.tree)))
            else:  # made by hand, in a test
                self._make(self.sites.get(k, []))
                self._bind_sites(self.sites.get(k, []))
        return found

    # -- an expression -----------------------------------------------------------------------------------

    def _expression(self, task: int, text: str, tree: R) -> Done:
        self.task = task
        place = (
            self.captured.text.expressions[task - 1]
            if task <= len(self.captured.text.expressions)
            else NOWHERE
        )
        valued = self.captured.values.get(task, Valued(None, False))
        sites = self.sites.get(task, [])
        self._make(sites)
        done = Done(task, place, text, "comment", value=said_of(valued))
        before = dict(self.scope.values), dict(self.scope.variables)
        ex = self._expressions(sites)
        block = _Block()
        try:
            with within(SECONDS):
                self._statement(tree, ex, block, valued.visible)
                if ex.before:  # a constant that was looked up and is of use later
                    self._emit(ex, block)
                rows = self._run(block, ex, place, tree, valued)
            self.views = ex.views
        except (Exception, OutOfTime) as error:  # a defect of ours loses this expression and no other
            self.scope.values, self.scope.variables = before
            self._lost(tree, valued)
            self._bind_sites(sites)
            said = f"{type(error).__name__}: {one_line(str(error), 80)}"
            defect = f"its translation failed ({said}), a defect of pairproof"
            why = str(error) if isinstance(error, NotTranslated) else defect
            return replace(done, why=why, state="comment" if self._of_models(tree) or sites else "data")
        if not block.lines:
            return replace(done, state="call" if sites else "nothing")
        state = "translated" if not block.whys else "partly" if block.written else "comment"
        merged = self._merged(tree, sites, block)
        return replace(
            done,
            state=state,
            why="; ".join(dict.fromkeys(block.whys)),
            rows=tuple(rows),
            lines=() if merged else tuple(block.lines),
            inside=merged,
            of=sites[-1].name if merged else "",
        )

    def _make(self, sites: Sequence[CallSite]) -> None:
        """The values of recorded calls under their names."""
        for site in sites:
            values = dict(zip(site.keys, (s.value for s in site.steps)))
            self.scope.values[site.name] = values if site.many else site.steps[0].value

    def _of_models(self, tree: R) -> bool:
        """Whether it is about a value that the Python script has, or about a model."""
        symbols = {part.symbol for part in tree.walk()}
        return bool(symbols & self.of_models) or tree.kind in ("other", "function")

    def _expressions(self, sites: Sequence[CallSite]) -> Expressions:
        ex = Expressions(self.scope, self.steps)
        ex.views = dict(self.views)
        ex.many = [site for site in sites if site.many]
        for site in sites:
            if not site.many:
                ex.calls[site.call.text] = ast.Name(site.name, ast.Load())
        return ex

    def _bind_sites(self, sites: Sequence[CallSite]) -> None:
        """The variables that values of recorded calls reach, where the expression itself could not be written."""
        for site in sites:
            if site.variable and "$" not in site.variable:
                self.scope.variables[site.variable] = ast.Name(site.name, ast.Load())
                self.of_models.add(site.variable)

    def _lost(self, tree: R, valued: Valued) -> None:
        """A variable that only R has: its value of that run, if it is one that can be written."""
        if tree.function in ("<-", "=", "<<-") and tree.operands:
            target = tree.operands[0]
            whole = bool(target.symbol) or target.kind == "str"
            while target.operands:
                target = target.operands[0]
            name = target.symbol or str(target.value)
            self.scope.variables.pop(name, None)
            value = valued.value if whole and isinstance(valued.value, RVector) else None
            self.scope.of_r[name] = value
            if self._of_models(tree.operands[-1]):
                self.of_models.add(name)

    # -- statements --------------------------------------------------------------------------------------

    def _statement(self, e: R, ex: Expressions, block: _Block, visible: bool) -> None:
        f = e.function
        if f in ("<-", "=", "<<-") and len(e.operands) == 2:
            self._assign(e, ex, block)
        elif f == "{":
            for k, part in enumerate(e.operands):
                self._try(part, ex, block, visible and k == len(e.operands) - 1)
        elif f == "(" and len(e.operands) == 1:
            self._statement(e.operands[0], ex, block, False)
            if visible and e.operands[0].function in ("<-", "="):
                self._statement(e.operands[0].operands[0], ex, block, True)
        elif f == "for":
            self._for(e, ex, block)
        elif f == "if":
            self._if(e, ex, block, visible)
        elif f in PRINTING and e.operands:
            self._show(e.operands[0], ex, block)
        elif f in ("cat", "message", "writeLines"):
            self._cat(e, ex, block)
        elif f in ("invisible", "suppressWarnings", "suppressMessages") and e.operands:
            inner = e.operands[0]
            if inner.function in ("lapply", "sapply", "<-", "=", "print", "cat", "Map"):
                self._statement(inner, ex, block, visible and f != "invisible")
            elif f != "invisible":
                self._statement(inner, ex, block, visible)
        elif f in PLOTTING and e.operands:
            self._plot(e.operands[0], ex, block)
        elif f == "write.csv":
            self._emit(ex, block, text_of(self._written(e, ex)))
        elif f in SETTINGS:
            raise NotTranslated("it sets up R")
        elif f in ("lapply", "sapply", "Map") and not visible and self._prints(e):
            self._each(e, ex, block)
        elif f in self.scope.functions and self._several(self.scope.functions[f]):
            self._inline(e, ex, block, visible)
        elif visible:
            self._show(e, ex, block)
        else:
            ex.operand(e)

    def _emit(self, ex: Expressions, block: _Block, *lines: str) -> None:
        """Statements, with what they need before them."""
        block.lines += [line for text in ex.before for line in laid_out(text)]
        ex.before.clear()
        for text in lines:
            block.lines += text.split("\n") if "\n" in text else laid_out(text)
        block.written += 1

    def _try(self, e: R, ex: Expressions, block: _Block, visible: bool) -> None:
        """A statement among others: a comment where it cannot be said."""
        kept = list(block.lines), dict(self.scope.variables)
        try:
            self._statement(e, ex, block, visible)
        except NotTranslated as why:
            block.lines, self.scope.variables = kept
            ex.before.clear()
            self._lost(e, Valued(None, False))
            if not self._is_of_sites(e):
                text = e.value if e.kind in ("call", "other") else ""
                block.lines += comment(f"not translated: {one_line(str(text), MOST_TEXT)}: {why}")
                block.whys.append(str(why))

    def _is_of_sites(self, e: R) -> bool:
        """Whether it makes values that the call sites write."""
        texts = {site.call.text for site in self.sites.get(self.task, [])}
        return any(part.kind == "call" and part.value in texts for part in e.walk())

    def _assign(self, e: R, ex: Expressions, block: _Block) -> None:
        target, value = e.operands
        if target.kind == "str":
            target = R("sym", target.value)
        if value.kind == "function" and target.symbol:
            self.scope.functions[target.symbol] = value
            raise NotTranslated("a function of the script's own; what it does stands where it was called")
        if target.symbol and (site := self._site_of(target.symbol, value)) is not None:
            self._bind(target.symbol, site)
            return
        if target.kind == "call":
            self._replace(target, value, ex, block)
            return
        made = ex.expression(value)
        if self._of_models(value) or ex.step(made) is not None or ex.used:
            self.of_models.add(target.symbol)
        if isinstance(made, ast.Name) and ex.step(made) is not None:
            self.scope.variables[target.symbol] = made
            return
        made = ex.viewed(made)
        if ex.kind(made) == "f" and ex.step(made) is None:
            raise NotTranslated("its value has no form in Python")
        if ex.kind(made) in "ol" and not ex.value(made) and self._filled_by_sites(target.symbol):
            return
        name = self.scope.name(target.symbol)
        if ex.digits:
            self.scope.quality[name] = min(ex.digits), max(ex.leaves)
        self._emit(ex, block, f"{name} = {text_of(made)}")
        self.scope.values[name] = _own(ex.value(made))
        self.scope.variables[target.symbol] = ast.Name(name, ast.Load())
        self.scope.of_r.pop(target.symbol, None)

    def _site_of(self, variable: str, value: R) -> CallSite | None:
        """The call site whose values a variable becomes here, where the text of the call is not its own."""
        for site in self.sites.get(self.task, []):
            if site.variable == variable and (site.call.text != value.value or site.many):
                return site
        return None

    def _filled_by_sites(self, variable: str) -> bool:
        """Whether an empty list is filled with fits later: its call site makes it."""
        return any(
            s.variable.partition("$")[0] == variable for own in self.sites.values() for s in own if s.many
        )

    def _bind(self, variable: str, site: CallSite) -> None:
        self.of_models.add(variable)
        made: ast.expr = ast.Name(site.name, ast.Load())
        if site.many and (turn := self._turn(site)) is not None:
            made = turn
        self.scope.variables[variable] = made

    def _turn(self, site: CallSite) -> ast.expr | None:
        """`fit_r[r]`, where the loop over its keys runs."""
        words = self.loops[site.name]
        if all(w in self.scope.values for w in words):
            keys = [ast.Name(w, ast.Load()) for w in words]
            return put(
                "x[k]",
                x=ast.Name(site.name, ast.Load()),
                k=keys[0] if len(keys) == 1 else ast.Tuple(list(keys), ast.Load()),
            )
        return None

    def _replace(self, target: R, value: R, ex: Expressions, block: _Block) -> None:
        """`names(x) <- v`, `d$x <- v`, `x[i] <- v`."""
        f, of = target.function, target.operands[0]
        if not of.symbol:
            raise NotTranslated("it changes a part of a part")
        for site in self.sites.get(self.task, []):
            if site.variable.partition("$")[0] == of.symbol and site.many:
                self.scope.variables[of.symbol] = ast.Name(site.name, ast.Load())
                self.of_models.add(of.symbol)
                return
        if of.symbol not in self.scope.variables:
            raise NotTranslated(f"{of.symbol} is of R's data, which the Python script has not")
        own, made = self.scope.variables[of.symbol], ex.operand(value)
        x = ex.viewed(own)
        kind = ex.kind(x)
        if f == "names" and kind == "l" and isinstance(ex.value(x), dict):
            if list(ex.value(x)) == list(ex.value(made)):
                return  # its keys are these values
            name = self.scope.name(of.symbol)
            found = put("dict(zip(v, x.values()))", x=x, v=made)
            self._emit(ex, block, f"{name} = {text_of(found)}")
            self.scope.values[name] = ex.value(found)
            self.scope.variables[of.symbol] = ast.Name(name, ast.Load())
            return
        step = ex.step(own)
        if step is not None and (kind == "l" or isinstance(step.value, Fit)):
            raise NotTranslated("it changes a fit")
        if f in ("names", "rownames", "row.names") and kind in "svd":
            found = put("pd.Series(x, index=v)" if kind == "v" else "x.set_axis(v)", x=x, v=made)
            if kind == "d" and f == "names":
                found = put("x.set_axis(v, axis=1)", x=x, v=made)
        elif f == "colnames" and kind == "d":
            found = put("x.set_axis(v, axis=1)", x=x, v=made)
        elif f == "$" and kind == "d":
            word = str(target.operands[1].value)
            if ex.kind(made) == "s" and not ex.value(x).index.equals(ex.value(made).index):
                made = put("x.to_numpy()", x=made)
            found = (
                called_on(x, "assign", **{word: made})
                if identifier(word) == word
                else put("x.assign(**d)", x=x, d=ast.Dict([node(word)], [made]))
            )
        elif f in ("[", "[[") and len(target.operands) == 2 and kind in "svl":
            self._element(of.symbol, x, kind, target.operands[1], made, ex, block)
            return
        elif f == "$" and kind in "lo":
            self._element(of.symbol, x, kind, R("str", str(target.operands[1].value)), made, ex, block)
            return
        else:
            raise NotTranslated(f"{f}() of such a value is not changed in Python")
        name = self.scope.name(of.symbol)
        self._emit(ex, block, f"{name} = {text_of(found)}")
        self.scope.values[name] = ex.value(found)
        self.scope.variables[of.symbol] = ast.Name(name, ast.Load())

    def _element(
        self, variable: str, x: ast.expr, kind: str, key: R, made: ast.expr, ex: Expressions, block: _Block
    ) -> None:
        place = ex.operand(key)
        by = ex.kind(place)
        if kind == "l" and isinstance(ex.value(x), list):
            if len(ex.value(x)):
                raise NotTranslated("it changes a list by place")
            x, kind = ast.Name(self.scope.name(variable), ast.Load()), "l"
            self.scope.values[x.id] = {}
            raise NotTranslated("it fills a list without names")
        if kind == "s" and by == "n" or kind == "v":
            found = put("x.iloc[k]" if kind == "s" else "x[k]", x=x, k=ex._less_one(place))
        else:
            found = put("x[k]", x=x, k=place)
        self._emit(ex, block, f"{text_of(found)} = {text_of(made)}")
        with contextlib.suppress(NotTranslated):
            self._execute([f"{text_of(found)} = {text_of(made)}"])

    # -- loops and choices -------------------------------------------------------------------------------

    def _for(self, e: R, ex: Expressions, block: _Block) -> None:
        variable, over, body = e.operands
        sites = [s for s in self.sites.get(self.task, []) if s.many]
        site = next((s for s in sites if variable.symbol in s.loop_names), None)
        if site is not None and len(site.loop_names) > 1:
            raise NotTranslated("a loop within a loop of fits is not written")
        keys = site or next((s for s in sites if not s.loop_names and not self._other_loop(s, e)), None)
        by_sites = keys is not None
        made: ast.expr
        first: Any
        if keys is not None:
            name, made = self.loops[keys.name][0], ast.Name(keys.name, ast.Load())
            first = key_parts(keys.keys[0])[0]
        else:
            made = ex.operand(over)
            first = next(iter(ex.value(made)), None)
            name = self.scope.name(variable.symbol)
            if first is None:
                raise NotTranslated("it runs over nothing")
        inner = _Block()
        before = dict(self.scope.values)
        self.scope.values[name] = first
        own = Expressions(self.scope, self.steps)
        for s in sites:
            if (turn := self._turn(s)) is not None:
                own.calls[s.call.text] = turn
        bound = {variable.symbol: ast.Name(name, ast.Load())} if keys is None or site is not None else {}
        kept = dict(self.scope.variables)
        with ex.bound(bound):
            self._try(body, own, inner, False)
        self.scope.values = before
        block.whys += inner.whys
        if not inner.written:
            self.scope.variables = kept
            self._after_loop(sites)
            if block.whys and not by_sites:
                raise NotTranslated("; ".join(dict.fromkeys(inner.whys)))
            if inner.lines:
                block.lines += [
                    f"for {name} in {text_of(made)}:",
                    *(INDENT + x for x in inner.lines),
                    f"{INDENT}pass",
                ]
            return
        self._emit(ex, block)
        block.lines += [
            *laid_out(f"for {name} in {text_of(made)}:"),
            *(INDENT + line if line else "" for line in inner.lines),
        ]
        block.written += 1
        self._after_loop(sites)

    def _other_loop(self, site: CallSite, e: R) -> bool:
        """Whether the calls of a site stand in no turn of this loop."""
        return not any(part.kind == "call" and part.value == site.call.text for part in e.walk())

    def _after_loop(self, sites: Sequence[CallSite]) -> None:
        """What a loop's variables mean after it: the list that it filled, else the last fit."""
        for site in sites:
            variable = site.variable.partition("$")[0]
            if variable:
                made: ast.expr = ast.Name(site.name, ast.Load())
                listed = (
                    variable in self.scope.variables and text_of(self.scope.variables[variable]) == site.name
                )
                parts = key_parts(site.keys[-1])
                last = put(
                    "x[k]",
                    x=made,
                    k=parts[0] if len(parts) == 1 else ast.Tuple(list(map(node, parts)), ast.Load()),
                )
                self.scope.variables[variable] = made if listed else last

    def _if(self, e: R, ex: Expressions, block: _Block, visible: bool) -> None:
        condition = ex.operand(e.operands[0])
        truth = bool(ex.value(condition))
        branches = []
        for k, part in enumerate(e.operands[1:]):
            inner = _Block()
            self._statement(part, ex, inner, visible)
            branches.append(inner)
            block.whys += inner.whys
        self._emit(ex, block)
        for word, inner in zip((f"if {text_of(condition)}:", "else:"), branches):
            block.lines += [*laid_out(word), *(INDENT + line for line in inner.lines or ["pass"])]
        del truth

    def _prints(self, e: R) -> bool:
        return any(part.function in (*PRINTING, "cat") for part in e.walk())

    def _several(self, function: R) -> bool:
        body = function.body
        return body is not None and (body.function == "{" and len(body.operands) > 1 or self._prints(body))

    def _each(self, e: R, ex: Expressions, block: _Block) -> None:
        """`invisible(lapply(fits, function(m) print(coef(m))))`: a loop."""
        given = matched(e.arguments, ("X", "FUN"))
        if (
            given is None
            or given.get("FUN") is None
            or given["FUN"].kind != "function"
            or given["FUN"].body is None
        ):
            raise NotTranslated(f"{e.function}() of such a function is not in the vocabulary")
        over = ex.expression(given["X"])
        found = ex.value(over)
        if isinstance(found, dict):
            over, found = put("x.values()", x=over), list(found.values())
        variable, fun = given["FUN"].arguments[0][0], given["FUN"]
        name = self.scope.names.name(variable, "value")
        inner, before = _Block(), dict(self.scope.values)
        self.scope.values[name] = next(iter(found))
        with ex.bound({variable: ast.Name(name, ast.Load())}):
            self._statement(fun.body or fun, ex, inner, False)
        self.scope.values = before
        block.lines += [
            *laid_out(f"for {name} in {text_of(over)}:"),
            *(INDENT + line for line in inner.lines),
        ]
        block.written += 1
        block.whys += inner.whys

    def _inline(self, e: R, ex: Expressions, block: _Block, visible: bool) -> None:
        """A function of several statements, written where it is called."""
        function = self.scope.functions[e.function]
        formals = [n for n, _ in function.arguments]
        given = matched(list(e.arguments), formals)
        if given is None or function.body is None or self.inlined > 4:
            raise NotTranslated(f"{e.function}() is not written here")
        bound: dict[str, ast.expr] = {}
        for name, default in function.arguments:
            part = given.get(name, default)
            with contextlib.suppress(NotTranslated):
                if part.kind != "empty":
                    bound[name] = ex.expression(part)
        lost = [n for n in formals if n not in bound and n in self.scope.variables]
        self.inlined += 1
        try:
            with ex.bound(bound):
                hidden = {n: self.scope.variables.pop(n) for n in lost}
                self._statement(function.body, ex, block, visible)
                self.scope.variables.update(hidden)
        finally:
            self.inlined -= 1

    inlined = 0

    # -- what is printed ---------------------------------------------------------------------------------

    def _show(self, e: R, ex: Expressions, block: _Block) -> None:
        raw = self._raw(e, ex)
        if raw is None:
            made = ex.operand(e)
            if isinstance(ex.value(made), dict):
                first = next(iter(ex.value(made).values()), None)
                self._emit(ex, block)
                block.lines += [
                    *laid_out(f"for name, value in {text_of(made)}.items():"),
                    f"{INDENT}print(name)",
                ]
                word = "print(value.summary())" if isinstance(first, Fit) else "print(value)"
                block.lines.append(INDENT + ("show(value)" if hasattr(first, "to_string") else word))
                block.written += 1
                return
            raw = self._shown(made, ex)
        self._emit(ex, block, text_of(raw))

    def _raw(self, e: R, ex: Expressions) -> ast.expr | None:
        """What is shown of a fit, and of a table that a helper made, as it is."""
        inner = e
        while (
            inner.function in ("summary", "print", "(", "head", "suppressWarnings")
            and len(inner.operands) == 1
        ):
            inner = inner.operands[0]
        with contextlib.suppress(NotTranslated):
            made = ex.expression(inner)
            value = ex.value(made)
            if isinstance(value, Fit):
                return put("print(m.summary())", m=made)
            if ex.step(made) is not None:
                return put("print(m)", m=made)
        return None

    def _shown(self, made: ast.expr, ex: Expressions) -> ast.expr:
        kind = ex.kind(made)
        if kind in "sd":
            return put("show(x)", x=made)
        if kind == "v" and not isinstance(ex.value(made), np.ndarray):
            return put("print(*x)", x=made)
        if kind == "f":
            raise NotTranslated("its value has no form in Python that can be shown")
        return put("print(x)", x=made)

    def _cat(self, e: R, ex: Expressions, block: _Block) -> None:
        words = {n: a for n, a in e.arguments if n in ("sep", "file", "fill", "append")}
        if "file" in words and words["file"].kind != "null":
            raise NotTranslated("it writes into a file")
        parts = [ex.operand(a) for n, a in e.arguments if n not in words]
        between = (
            words["sep"].value
            if "sep" in words and words["sep"].kind == "str"
            else "\n"
            if e.function == "writeLines"
            else " "
        )
        end = "" if e.function == "cat" else "\n"
        made: list[ast.expr] = []
        for p in parts:
            kind = ex.kind(p)
            if kind not in "ntvso":
                raise NotTranslated("cat() of such a value is not in the vocabulary")
            made.append(ast.Starred(p, ast.Load()) if kind in "vs" else p)
        made, end = _last_line(made, end)
        words_of_print: dict[str, Any] = {} if between == " " else {"sep": between}
        if end != "\n":
            words_of_print["end"] = end
        self._emit(ex, block, text_of(called("print", *made, **words_of_print)))

    def _plot(self, e: R, ex: Expressions, block: _Block) -> None:
        """A plot of worths or abilities: by ours, into a file beside the script."""
        while e.function in ("sort", "rev", "exp", "coef") and e.operands:
            e = e.operands[0]
        made = ex.expression(e)
        step = ex.step(made)
        if step is not None and step.call.helper and len(step.call.fits) == 1:
            (fitted,) = step.call.fits.values()
            own = [s for s in self.steps if s.call.id == fitted]
            names = [n for n, v in self.scope.values.items() if own and v is own[0].value]
            step, made = (own[0], ast.Name(names[0], ast.Load())) if names else (None, made)
        if step is None or not isinstance(step.value, Fit) or find_spec("matplotlib") is None:
            raise NotTranslated("a plot of something else than worths and abilities is not in the vocabulary")
        self._emit(
            ex,
            block,
            text_of(
                put("pairproof.plot_worth(m).figure.savefig(HERE / n)", m=made, n=f"plot_{self.task}.png")
            ),
        )

    def _written(self, e: R, ex: Expressions) -> ast.expr:
        file = matched([(n, a) for n, a in e.arguments if n not in ("row.names", "quote")], ("x", "file"))
        if file is None or "file" not in file or file["file"].kind != "str":
            raise NotTranslated("write.csv() of such arguments is not in the vocabulary")
        name = str(file["file"].value)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.csv", name):
            raise NotTranslated("it writes into another folder")
        rows = next((a for n, a in e.arguments if n == "row.names"), None)
        index = rows is None or rows.value is not False
        x = ex.operand(file["x"])
        if ex.kind(x) not in "sd":
            raise NotTranslated("write.csv() of such a value is not in the vocabulary")
        path = put("HERE / n", n=name)
        return put("x.to_csv(p)" if index else "x.to_csv(p, index=False)", x=x, p=path)

    # -- run and compared --------------------------------------------------------------------------------

    def _execute(self, lines: Sequence[str]) -> str:
        """Run statements in the script's names; what they print."""
        said = io.StringIO()
        code = compile("\n".join(lines) + "\n", "<migration>", "exec")
        try:
            with contextlib.redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                exec(code, self.scope.values)  # lines of ours: names and constants only are the script's
        except Exception as error:
            raise NotTranslated(
                f"its Python stops ({type(error).__name__}: {one_line(str(error), 80)})"
            ) from None
        return said.getvalue()

    def _run(self, block: _Block, ex: Expressions, place: Place, tree: R, valued: Valued) -> list[Agreement]:
        """Run the statements, and hold what they print or give against R's."""
        if not block.lines:
            return []
        printed = self._execute(block.lines)
        call = RecordedCall(
            0, f"base::{_outer(tree)}", one_line(str(tree.value), MOST_TEXT), place, self.task, helper=True
        )
        if isinstance(valued.value, (RVector, RList)) and block.written:
            value = self._value_of(tree, ex, valued.visible)
            if value is not _NONE:
                digits = min(ex.digits, default=9.0)
                rows = compared.value_rows(
                    call, value, valued.value, digits, max(ex.leaves, default=0.0), self.scope.in_r
                )
                if rows is None:
                    raise NotTranslated("Python's value has another shape than R's")
                return rows if valued.visible else [r for r in rows if r.verdict != "agrees"]
        if valued.visible or not self._prints_numbers(tree):
            return []
        return list(self.printed.rows(call, printed))

    def _prints_numbers(self, tree: R) -> bool:
        return (
            tree.function in ("for", "cat", "print", "if", "{", "invisible", "lapply", "sapply")
            or tree.function in self.scope.functions
        )

    def _value_of(self, tree: R, ex: Expressions, visible: bool) -> Any:
        """The value that R's is compared with: of what is shown, or assigned."""
        if tree.function in ("<-", "=", "<<-", "("):
            inner = tree.operands[0] if tree.function != "(" else (tree.operands[0].operands or (tree,))[0]
            if not inner.symbol or inner.symbol not in self.scope.variables:
                return _NONE
            value = ex.value(self.scope.variables[inner.symbol])
            return _NONE if isinstance(value, Fit) or id(value) in ex.made else value
        while tree.function in PRINTING and tree.operands:
            tree = tree.operands[0]
        unlike = (*PLOTTING, "for", "if", "{", "cat", "invisible", "write.csv")
        if tree.function in unlike or self._raw(tree, ex) is not None:
            return _NONE
        if tree.function in self.scope.functions and self._several(self.scope.functions[tree.function]):
            return _NONE
        return ex.value(ex.operand(tree))

    # -- loops of call sites -----------------------------------------------------------------------------

    def _merged(self, tree: R, sites: Sequence[CallSite], block: _Block) -> tuple[str, ...]:
        """The body of a loop that can stand in the loop of its only site; () where it stands by itself."""
        many = [s for s in sites if s.many]
        if tree.function != "for" or len(sites) != 1 or not many or not block.lines:
            return ()
        head = f"for {self.loops[many[0].name][0]} in {many[0].name}:"
        if block.lines[0] != head or any(not line.startswith(INDENT) and line for line in block.lines[1:]):
            return ()
        return tuple(line[len(INDENT) :] for line in block.lines[1:] if line != f"{INDENT}pass")


_NONE = object()
_WORDS = ("name", "value", "other", "part0", "part1", "part2", "part3", "part4", "part5")


def _own(value: Any) -> Any:
    """A value that later statements may change without changing another's."""
    return value.copy() if isinstance(value, (pd.Series, pd.DataFrame)) else value


def _print(*values: Any, **words: Any) -> None:
    """`print` of what is compared: not of a fit's summary, whose numbers are those of its call."""
    if not any(isinstance(v, str) and v.count("\n") > MOST_LINES for v in values):
        print(*values, **words)


def _show(value: Any) -> None:
    """`show` of what is compared: numbers without their labels, which may have digits in them; a line a row."""
    rows = value.to_frame().T if isinstance(value, pd.Series) else value
    if not isinstance(rows, pd.DataFrame):
        print(value)
        return
    for row in rows.select_dtypes("number").to_numpy().tolist() if len(rows) else []:
        print(*row)


def _outer(tree: R) -> str:
    return tree.function if re.fullmatch(r"[\w.]+", tree.function) else "print"


def _last_line(parts: list[ast.expr], end: str) -> tuple[list[ast.expr], str]:
    """The parts of a print without the line end of the last, which print makes itself."""
    if end or not parts:
        return parts, end
    last = parts[-1]
    values = last.values if isinstance(last, ast.JoinedStr) else [last]
    if (
        values
        and isinstance(values[-1], ast.Constant)
        and isinstance(values[-1].value, str)
        and values[-1].value.endswith("\n")
    ):
        cut: ast.expr = ast.Constant(values[-1].value[:-1])
        if isinstance(last, ast.JoinedStr):
            rest = [*values[:-1], cut] if cut.value else list(values[:-1])  # type: ignore[attr-defined]
            return [*parts[:-1], ast.JoinedStr(rest)], "\n"
        return [*parts[:-1], *([cut] if cut.value else [])], "\n"  # type: ignore[attr-defined]
    if isinstance(last, ast.BinOp) and isinstance(last.op, ast.Mod) and isinstance(last.left, ast.Constant):
        form = last.left.value
        if isinstance(form, str) and form.endswith("\n"):
            return [*parts[:-1], ast.BinOp(ast.Constant(form[:-1]), ast.Mod(), last.right)], "\n"
    return parts, end


def said_of(valued: Valued) -> str:
    """R's value of that run, where it is short and was printed."""
    value = valued.value
    if not isinstance(value, RVector) or value.values.size > 12 or not valued.visible:
        return ""
    parts = [
        "NA" if m else f"{v:.7g}" if isinstance(v, float) else str(v)
        for v, m in zip(value.values.ravel().tolist(), value.na.ravel().tolist())
    ]
    if value.names is not None:
        parts = [f"{n} {p}" for n, p in zip(value.names, parts)]
    text = ", ".join(parts)
    return text if len(text) <= MOST_VALUE else ""
