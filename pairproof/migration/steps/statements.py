"""Statements of a script: assignments, changes of parts, loops, choices, its own functions; what it shows and writes."""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.packages.psychotree import Tree
from ...fit.fit import Fit
from ...native.answers.trees.tree_record import TreeRecord
from ..translate.python_code import INDENT, identifier
from . import views
from .evaluated import SETTINGS, CallSite, Lacking
from .flow import PLOTTING, PRINTING, Block, State
from .functions import Functions
from .python import called, called_on, laid_out, names_of, node, put, text_of
from .translator import Expressions
from .trees import NoExpression, NotTranslated, R, matched, own_variables, without_return

#: Rows that R's head() shows.
HEAD = 6


class Shown(State):
    """Statements that show."""

    def _show(self, e: R, ex: Expressions, block: Block) -> None:
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
        match raw:
            case ast.Call(args=[ast.Name() | ast.Subscript() as m, *_]):
                if isinstance(tree := ex.value(m), (Tree, TreeRecord)):  # R prints its coefficients
                    self._emit(ex, block, text_of(put("show(x)", x=views.of_leaves(m, tree))))

    def _raw(self, e: R, ex: Expressions) -> ast.expr | None:
        """What is shown of a fit, and of a table that a helper made, as it is."""
        inner, within = ex.meant(e), set[str]()
        while (
            inner.function in ("summary", "print", "(", "head", "suppressWarnings")
            and len(inner.operands) == 1
        ):
            within.add(inner.function)
            inner = inner.operands[0]
        with contextlib.suppress(NotTranslated):
            made = ex.expression(inner)
            value = ex.value(made)
            step = ex.step(made)
            if (shown := views.of_quasi(made, step, ex.value)) is not None:
                return shown
            if isinstance(value, (pd.DataFrame, pd.Series, np.ndarray)) and (
                "summary" in within and "quasi_se" not in value or "head" in within and len(value) > HEAD
            ):
                return None  # quartiles; the first rows
            if isinstance(value, Fit):
                also = [views.of_summary(made, step, ex.value)] if step and ex.alike(made, step) else []
                if step and (table := views.thresholds(made, step)) is not None:
                    named = ex.named(table, f"thresholds_{ex.word(made)}")
                    also.append(put('"\\n" + x.to_string()', x=named))
                return called("print", put("m.summary()", m=made), *filter(None, also))
            if isinstance(value, TreeRecord):
                said = ast.JoinedStr(
                    [
                        ast.Constant("\nminus the log-likelihood "),
                        ast.FormattedValue(put("-m.llf", m=made), -1),
                    ]
                )
                return put("print(m, x)", m=made, x=said)
            if step is not None and isinstance(value, pd.DataFrame) and "llf" in value:
                return views.of_tests(made, value, step, ex.source(step))
            if step is not None and isinstance(value, pd.DataFrame) and "quasi_se" in value:
                return put("show(x)", x=ex.viewed(made))
            if step is not None and hasattr(value, "frame"):  # R's table of tests
                return put("show(m.frame())", m=made)
            if step is not None:
                return put("show(m)" if isinstance(value, pd.DataFrame) else "print(m)", m=made)
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
        made: list[ast.expr] = []
        for p in parts:
            kind = ex.kind(p)
            if kind not in "ntvso":
                raise NotTranslated("cat() of this value is not supported")
            p = ex.as_text(p, 7 if e.function == "cat" else 15)
            made.append(ast.Starred(p, ast.Load()) if kind in "vs" else p)
        made, end = _last_line(made, end)
        words_of_print: dict[str, Any] = {} if between == " " else {"sep": between}
        if end != "\n":
            words_of_print["end"] = end
        if e.function == "message":
            words_of_print["file"] = put("sys.stderr")
        self._emit(ex, block, text_of(called("print", *made, **words_of_print)))

    def _plot(self, e: R, ex: Expressions, block: Block) -> None:
        """A plot of worths or abilities: by ours, into a file beside the script."""
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
        line = self.captured.text.expressions[self.task - 1].line
        file = f"plot_line_{line}.png"
        plot = "m.plot()" if isinstance(step.value, TreeRecord) else "pairproof.plot_worth(m).figure"
        self._emit(ex, block, text_of(put(f"{plot}.savefig(HERE / n)", m=made, n=file)))

    def _written(self, e: R, ex: Expressions) -> ast.expr:
        file = matched([(n, a) for n, a in e.arguments if n not in ("row.names", "quote")], ("x", "file"))
        if file is None or "file" not in file or file["file"].kind != "str":
            raise NotTranslated("write.csv() with these arguments is not supported")
        name = str(file["file"].value)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.csv", name):
            raise NotTranslated("it writes to another folder")
        rows = next((a for n, a in e.arguments if n == "row.names"), None)
        index = rows is None or rows.value is not False
        x = ex.operand(file["x"])
        if ex.kind(x) not in "sd":
            raise NotTranslated("write.csv() of this value is not supported")
        path = put("HERE / n", n=name)
        return put("x.to_csv(p)" if index else "x.to_csv(p, index=False)", x=x, p=path)


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
        text = values[-1].value[:-1]
        cut: list[ast.expr] = [ast.Constant(text)] if text else []
        if isinstance(last, ast.JoinedStr):
            return [*parts[:-1], ast.JoinedStr([*values[:-1], *cut])], "\n"
        return [*parts[:-1], *cut], "\n"
    if isinstance(last, ast.BinOp) and isinstance(last.op, ast.Mod) and isinstance(last.left, ast.Constant):
        form = last.left.value
        if isinstance(form, str) and form.endswith("\n"):
            return [*parts[:-1], ast.BinOp(ast.Constant(form[:-1]), ast.Mod(), last.right)], "\n"
    return parts, end


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
        elif f == "for":
            self._for(e, ex, block)
        elif f == "if":
            self._if(e, ex, block, visible)
        elif f in ("next", "break"):
            self._jump(e, ex, block)
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
            self._plot(e, ex, block)
        elif f == "write.csv":
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
            self.scope.functions[target.symbol] = replace(
                value, body=value.body and without_return(value.body)
            )
            raise NotTranslated(
                "a function defined in the script; its statements are written where it was called"
            )
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
        if (
            value.function == "summary"
            and len(value.operands) == 1
            and (m := ex.fit(value.operands[0])) is not None
        ):
            # Of the fit as it is now, under a name that no script has.
            of = f" {target.symbol}"
            self.scope.variables[of] = m[0] if self._is_fixed(m[0]) else self._own_name(of, m[0], ex, block)
            self.scope.summaries[target.symbol] = R("call", "", value.head, (("", R("sym", of)),))
            self.of_models.add(target.symbol)
            return
        try:
            made = self._given(value, ex, block)
        except NoExpression:
            if target.symbol in own_variables(value) or self.choosing:
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
        if ex.kind(made) in "ol" and not ex.value(made) and self._filled_by_sites(target.symbol):
            return
        name = self.scope.name(target.symbol)
        lacking = self.scope.places.get(text_of(made))
        self.scope.changed(name)
        if lacking is not None:
            self.scope.places[name] = lacking
        if ex.digits:
            self.scope.quality[name] = self._quality(value, ex)
        if target.symbol in self.grown and isinstance(made, ast.Constant) and made.value is None:
            made = ast.List([], ast.Load())
        made = self._apart(made, ex, target.symbol in self.in_place)
        self._becomes(target.symbol, made, ex, block)

    def _becomes(self, symbol: str, made: ast.expr, ex: Expressions, block: Block) -> None:
        """Assign to a variable's own name."""
        name = self.scope.name(symbol)
        ex.in_turns(name, made)
        self._emit(ex, block, f"{name} = {text_of(made)}")
        self.scope.values[name] = _own(ex.value(made))
        # A view of what had the name before is none of what has it now.
        ex.views = {t: v for t, v in ex.views.items() if name not in names_of(ast.parse(t))}
        self.scope.variables[symbol] = ast.Name(name, ast.Load())
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
        return any(
            s.variable.partition("$")[0] == variable for own in self.sites.values() for s in own if s.many
        )

    def _bind(self, variable: str, site: CallSite) -> None:
        self.of_models.add(variable)
        made: ast.expr = ast.Name(site.name, ast.Load())
        if site.many and (turn := self._turn(site)) is not None:
            made = turn
        elif site.many and self.loop is not None and len(self.loop.turns) > 1:
            raise NotTranslated("its fits are made in a loop around it, and have no names of its turns")
        self.scope.variables[variable] = made

    def _replace(self, target: R, value: R, ex: Expressions, block: Block) -> None:
        """`names(x) <- v`, `d$x <- v`, `x[i] <- v`."""
        f, of = target.function, target.operands[0]
        if not of.symbol:
            raise NotTranslated("it changes part of a part")
        if any(map(self._of_models, [value, *target.operands[1:]])) or self._fits(value):
            self.of_models.add(of.symbol)
        for site in self.sites.get(self.task, []):
            if site.variable.partition("$")[0] == of.symbol and site.many:
                self.scope.variables[of.symbol] = ast.Name(site.name, ast.Load())
                self.of_models.add(of.symbol)
                return
        if of.symbol not in self.scope.variables:
            raise NotTranslated(f"the Python script has no value for {of.symbol}")
        own = self.scope.variables[of.symbol]
        try:
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
            listed = isinstance(ex.value(x), list)
            if not listed and list(ex.value(x)) == list(ex.value(made)):
                return  # its keys are these values
            if len(ex.value(x)) != len(ex.value(made)):
                raise NotTranslated("it names some parts of a list, and others not")
            zipped = "dict(zip(v, x))" if listed else "dict(zip(v, x.values()))"
            self._becomes(of.symbol, put(zipped, x=x, v=made), ex, block)
            return
        step = ex.step(own)
        if step is not None and (kind == "l" or isinstance(step.value, Fit)):
            raise NotTranslated("it changes a fit")
        if f in ("rownames", "row.names") and kind == "d" and ex.kind(made) == "o":
            found = put("x.reset_index(drop=True)", x=x)
        elif f in ("names", "rownames", "row.names") and kind in "svd":
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
        elif f == "[" and len(target.operands) == 2 and (lacking := self._na_of(target, x)) is not None:
            there = iter(ex.value(x).index)
            names = [n if n in lacking.missing else next(there) for n in lacking.names]
            found = put("x.reindex(names, fill_value=v)", x=x, names=names, v=made)
            self.scope.changed(self.scope.name(of.symbol))
        elif f in ("[", "[[") and len(target.operands) == 2 and kind in "svl":
            self._element(self._own_name(of.symbol, x, ex, block), kind, target.operands[1], made, ex, block)
            return
        elif f == "[" and len(target.operands) == 3 and kind == "d":
            self._cells(self._own_name(of.symbol, x, ex, block), target.operands[1:], made, ex, block)
            return
        elif (
            f == "["
            and len(target.operands) == 2
            and kind == "d"
            and np.ndim(ex.value(cells := ex.operand(target.operands[1]))) == 2
        ):
            found = put("x.mask(k, v)", x=x, k=cells, v=made)
        elif f == "diag" and kind == "d":
            found = put("x.mask(x.index.to_numpy()[:, None] == x.columns.to_numpy(), v)", x=x, v=made)
        elif f == "$" and kind in "lo":
            key = R("str", str(target.operands[1].value))
            self._element(self._own_name(of.symbol, x, ex, block), kind, key, made, ex, block)
            return
        else:
            raise NotTranslated(f"{f}() of this value cannot be changed in Python")
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


def _own(value: Any) -> Any:
    """A value that later statements may change without changing another's."""
    return value.copy() if isinstance(value, (pd.Series, pd.DataFrame)) else value
