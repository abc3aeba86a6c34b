"""What a script shows: values, texts, plots, files."""

from __future__ import annotations

import ast
import contextlib
import re
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.packages.psychotree import Tree
from ...fit.fit import Fit
from ...native.answers.trees.tree_record import TreeRecord
from ..translate.python_code import INDENT
from ..translate.translation import Step
from . import views
from .block import Block, State
from .python import called, laid_out, put, text_of
from .translator import Expressions
from .trees import NotTranslated, R, matched


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
        inner = ex.meant(e)
        while (
            inner.function in ("summary", "print", "(", "head", "suppressWarnings")
            and len(inner.operands) == 1
        ):
            inner = inner.operands[0]
        with contextlib.suppress(NotTranslated):
            made = ex.expression(inner)
            value = ex.value(made)
            step = ex.step(made)
            if isinstance(value, Fit):
                also = [views.of_summary(made, step, ex.value)] if step else []
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
                if (m := self._fitted(step)) is not None:  # R's tables of models have their deviances
                    return put('show(x.assign(deviance=m.deviance + 2 * (m.llf - x["llf"])))', x=made, m=m)
            if step is not None and hasattr(value, "frame"):  # R's table of tests
                return put("show(m.frame())", m=made)
            if step is not None:
                return put("show(m)" if isinstance(value, pd.DataFrame) else "print(m)", m=made)
        return None

    def _fitted(self, step: Step) -> ast.expr | None:
        """The name of the first fit that a helper was given."""
        own = [
            s.value for s in self.steps if s.call.id in step.call.fits.values() and isinstance(s.value, Fit)
        ]
        names = [n for n, v in self.scope.values.items() if own and v is own[0]]
        return ast.Name(names[0], ast.Load()) if names else None

    def _shown(self, made: ast.expr, ex: Expressions) -> ast.expr:
        kind = ex.kind(made)
        numbers = kind == "v" and isinstance(ex.value(made), np.ndarray)
        if kind in "sd" or numbers or isinstance(ex.value(made), float):
            return put("show(x)", x=made)
        if kind == "v":
            return put("print(*x)", x=made)
        if kind == "f":
            raise NotTranslated("its value has no form in Python that can be shown")
        return put("print(x)", x=made)

    def _cat(self, e: R, ex: Expressions, block: Block) -> None:
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

    def _plot(self, e: R, ex: Expressions, block: Block) -> None:
        """A plot of worths or abilities: by ours, into a file beside the script."""
        of = e.operands[0]
        while of.function in ("sort", "rev", "exp", "coef") and of.operands:
            of = of.operands[0]
        made = ex.expression(of)
        step = ex.step(made)
        if step is not None and step.call.helper and len(step.call.fits) == 1:
            made = self._fitted(step) or made
            step = ex.step(made)
        elif of is e.operands[0] and step is not None and "psycho" not in step.call.package:
            step = None  # R plots residuals of a glm
        if step is None or not isinstance(step.value, (Fit, TreeRecord)) or find_spec("matplotlib") is None:
            raise NotTranslated("a plot of something else than worths and abilities is not in the vocabulary")
        line = self.captured.text.expressions[self.task - 1].line
        file = f"plot_line_{line}.png"
        plot = "m.plot()" if isinstance(step.value, TreeRecord) else "pairproof.plot_worth(m).figure"
        self._emit(ex, block, text_of(put(f"{plot}.savefig(HERE / n)", m=made, n=file)))

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
