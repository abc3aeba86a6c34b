"""Texts that a script makes: `paste`, `sprintf`, `format`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .evaluated import Evaluated
from .python import called, loop_over, put
from .trees import NotTranslated, R


class Texts(Evaluated):
    """R's functions that put texts together; of vectors a list, a text for each row."""

    def _paste(self, e: R) -> ast.expr:
        words = {n: a for n, a in e.arguments if n in ("sep", "collapse")}
        parts = [self.operand(a) for n, a in e.arguments if n not in words]
        between = "" if e.function == "paste0" else " "
        if "sep" in words:
            between = str(words["sep"].value)
        kinds = [self.kind(p) for p in parts]
        if all(k in "nt" for k in kinds):
            made = self._joined(parts, between)
        elif all(k in "ntvs" for k in kinds):
            made = self._rows_of(parts, kinds, lambda own: self._joined(own, between))
        else:
            raise NotTranslated(f"{e.function}() of such values is not in the vocabulary")
        if "collapse" in words and words["collapse"].kind == "str" and any(k in "vs" for k in kinds):
            if len(parts) == 1:
                made = self._as_texts(parts[0])
            return put("s.join(x)", s=str(words["collapse"].value), x=made)
        return made

    def _as_texts(self, x: ast.expr) -> ast.expr:
        return x if all(isinstance(v, str) for v in self.value(x)) else put("map(str, x)", x=x)

    def _rows_of(
        self, parts: Sequence[ast.expr], kinds: Sequence[str], made: Callable[[list[ast.expr]], ast.expr]
    ) -> ast.expr:
        """A list, a text for each row of the vectors among the parts."""
        vectors = [p for p, k in zip(parts, kinds) if k in "vs"]
        words = ["name", "value", "other", *(f"part{k}" for k in range(len(vectors)))]
        if not any(isinstance(v, str) for v in list(self.value(vectors[0]))[:1]):
            words = words[1:]
        names = iter(words)
        own = [ast.Name(next(names), ast.Load()) if k in "vs" else p for p, k in zip(parts, kinds)]
        loop = [n for n, k in zip(own, kinds) if k in "vs"]
        if len(loop) == 1:
            target, over = loop[0], vectors[0]
        else:
            target, over = ast.Tuple(loop, ast.Load()), called("zip", *vectors)
        return ast.ListComp(made(list(own)), [loop_over(target, over)])

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
                values.append(ast.FormattedValue(p, -1))
        return ast.JoinedStr(_merged(values))

    def _sprintf(self, e: R) -> ast.expr:
        given = [self.operand(a) for n, a in e.arguments if n in ("", "fmt")]
        form, *parts = given
        if not (isinstance(form, ast.Constant) and isinstance(form.value, str)):
            raise NotTranslated("sprintf() of a format that is not written out is not in the vocabulary")
        kinds = [self.kind(p) for p in parts]
        if all(k in "nt" for k in kinds):
            return (
                put("f % x", f=form, x=parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()))
                if parts
                else form
            )
        if not all(k in "ntvs" for k in kinds):
            raise NotTranslated("sprintf() of such values is not in the vocabulary")

        def row(own: list[ast.expr]) -> ast.expr:
            return put("f % x", f=form, x=own[0] if len(own) == 1 else ast.Tuple(own, ast.Load()))

        return self._rows_of(parts, kinds, row)

    def _format(self, e: R) -> ast.expr:
        """format(x, digits=, nsmall=), formatC(x, digits=, format=)."""
        words = {n: a for n, a in e.arguments if n}
        x = self.operand(e.operands[0])
        kind = self.kind(x)
        if kind == "d":
            return x
        digits, small = (
            int(words[n].value) if n in words and words[n].kind == "num" else None
            for n in ("digits", "nsmall")
        )
        width = f"{int(words['width'].value)}" if "width" in words and words["width"].kind == "num" else ""
        letter = str(words["format"].value) if "format" in words else "g"
        if kind == "t" or (kind == "v" and isinstance(next(iter(self.value(x)), ""), str)):
            spec = f"<{width}" if width and e.function == "format" else f">{width}" if width else ""
        elif letter not in ("f", "g", "e", "d"):
            raise NotTranslated(f"formatC() of {letter!r} is not in the vocabulary")
        elif e.function == "format" and small is not None and digits is None:
            spec = f"{width}.{small}f"
        elif digits is None:
            spec = f"{width}.7g" if letter != "d" else width
        else:
            spec = f"{width}.{digits}{letter}"

        def formatted(own: ast.expr) -> ast.expr:
            return ast.JoinedStr(
                [ast.FormattedValue(own, -1, ast.JoinedStr([ast.Constant(spec)]) if spec else None)]
            )

        if kind in "nt":
            return formatted(x)
        if kind not in "vs":
            raise NotTranslated(f"{e.function}() of such a value is not in the vocabulary")
        return self._rows_of([x], [kind], lambda own: formatted(own[0]))


def _merged(values: Sequence[ast.expr]) -> list[ast.expr]:
    """Neighbouring constants of a formatted text as one."""
    found: list[ast.expr] = []
    for v in values:
        if isinstance(v, ast.Constant) and found and isinstance(found[-1], ast.Constant):
            found[-1] = ast.Constant(str(found[-1].value) + str(v.value))
        else:
            found.append(v)
    return found
