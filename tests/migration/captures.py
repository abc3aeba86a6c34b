"""Runs of R scripts made by hand, without R: calls with their Python code, evaluated, and numbers that R is to have given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pairproof.bridge.capture.recorded import (
    Captured,
    Mentioned,
    Place,
    RecordedCall,
    ScriptText,
    TopLevel,
    Valued,
)
from pairproof.fit.fit import Fit
from pairproof.migration.call_sites import sites
from pairproof.migration.delivery import Stage
from pairproof.migration.outcome import Migration, left_out
from pairproof.migration.steps.evaluated import loop_names
from pairproof.migration.steps.script_steps import ScriptSteps
from pairproof.migration.translate.python_code import Call, evaluate, table_call
from pairproof.migration.translate.rows import Beside, fit_rows
from pairproof.migration.translate.translation import Step, Translation, outside
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart

NAME = "tea.R"
ITEMS = ("Assam", "Ceylon", "Darjeeling")
BTM = "BradleyTerry2::BTm"


def table(wins: Sequence[int], items: Sequence[str] = ITEMS) -> dict[str, list[Any]]:
    """Three pairs of three items."""
    a, b, c = items
    return {"left": [a, a, b], "right": [b, c, c], "wins": list(wins), "losses": [3, 4, 6]}


def bradley_terry(
    wins: Sequence[int], reference: str = "Assam", stem: str = "m", items: Sequence[str] = ITEMS
) -> Call:
    """`pairproof.fit_bradley_terry(pairproof.read("data/STEM.csv", ...), reference=...)`."""
    columns = {"first": "left", "second": "right"}
    read = table_call(table(wins, items), stem, layout="counts", columns=columns)
    return Call("pairproof.fit_bradley_terry", (read,), {"reference": reference, "cells": "row"})


def place(line: int, file: str = NAME) -> Place:
    return Place(line, line, file=file)


def tree_of(text: str) -> list[Any]:
    """The parser's JSON of an R expression that is spelled as Python spells it: `x = f(y)`, `l["a"]` for `l[["a"]]`."""

    def call(function: str, *arguments: list[Any], names: Sequence[str] = ()) -> list[Any]:
        words = [*[""] * (len(arguments) - len(names)), *names]
        return ["call", ["sym", function], [list(a) for a in zip(words, arguments)], text]

    def of(node: ast.AST) -> list[Any]:
        match node:
            case ast.Expr(value=value):
                return of(value)
            case ast.Assign(targets=[target], value=value):
                return call("<-", of(target), of(value))
            case ast.For(target=target, iter=over, body=body):
                return call("for", of(target), of(over), call("{", *map(of, body)))
            case ast.Name(id=name):
                return ["sym", name]
            case ast.Constant(value=str() as value):
                return ["str", value]
            case ast.Constant(value=value):
                return ["num", value]
            case ast.Subscript(value=value, slice=key):
                return call("[[", of(value), of(key))
            case ast.Lambda(args=args, body=body):
                return ["function", [[a.arg, ["empty"]] for a in args.args], of(body)]
            case ast.BinOp(left=left, op=op, right=right):
                return call({"Add": "+", "Sub": "-", "Mult": "*"}[type(op).__name__], of(left), of(right))
            case ast.Call(func=function, args=args, keywords=words):
                parts = [*map(of, args), *(of(w.value) for w in words)]
                return call(ast.unparse(function), *parts, names=[str(w.arg) for w in words])
        raise ValueError(ast.dump(node))

    return of(ast.parse(text).body[0])


@dataclass
class Script:
    """An R script as it was recorded; calls are added in order."""

    name: str = NAME
    calls: list[RecordedCall] = field(default_factory=list)
    codes: dict[int, Any] = field(default_factory=dict)
    lines: dict[int, TopLevel] = field(default_factory=dict)
    values: dict[int, Valued] = field(default_factory=dict)
    mentioned: list[Mentioned] = field(default_factory=list)
    translations: dict[int, Translation] = field(default_factory=dict)

    def call(
        self, line: int, code: Any, text: str = "BTm(won, left, right)", function: str = BTM, **more: Any
    ) -> RecordedCall:
        """A call of a line that is its own top-level expression; without code it is left out."""
        given: dict[str, Any] = {"task": line, **more}
        made = RecordedCall(len(self.calls) + 1, function, text, place(line), **given)
        self.calls.append(made)
        self.codes[made.id] = code
        return made

    def line(self, number: int, spelled: str, text: str = "", value: Any = None) -> None:
        """A top-level expression: as Python spells it, R's text, and what it gave."""
        self.lines[number] = TopLevel(text or spelled, tree_of(spelled))
        visible = not spelled.startswith(("for ", "cat(", "print(")) and "=" not in spelled.partition("(")[0]
        self.values[number] = Valued(value, visible)

    def mention(self, line: int, function: str, text: str = "", variable: str = "") -> None:
        self.mentioned.append(Mentioned(place(line), line, function, "", text or f"{function}(x)", variable))

    def captured(self, **more: Any) -> Captured:
        lines = tuple(place(n) for n in range(1, 200))
        none = TopLevel("", ["null"])
        trees = tuple(self.lines.get(k, none) for k in range(1, max(self.lines, default=0) + 1))
        text = ScriptText(self.name, "R", (), lines, tuple(self.mentioned), {}, trees)
        made = Captured(
            text=text,
            calls=tuple(self.calls),
            ending="done",
            message="",
            exit_code=0,
            whole=True,
            lost=0,
            why_lost="",
            r_version="4.2.2",
            platform="x86_64-pc-linux-gnu",
            packages={"BradleyTerry2": "1.1-2"},
            kind=("Mersenne-Twister",),
            seconds=3.1,
            output_bytes=0,
            output="",
            sandboxed=False,
            values=self.values,
        )
        return replace(made, **more)

    def steps(self, stage: Stage) -> tuple[Step, ...]:
        """The calls evaluated; R's numbers are ours, with an eleventh digit changed."""
        values: dict[int, Any] = {}
        return tuple(self._step(call, stage, values) for call in self.calls)

    def migration(self, stage: Stage, **more: Any) -> Migration:
        captured = self.captured(**more)
        steps = self.steps(stage)
        found, _ = sites(captured, steps)
        done = ScriptSteps(captured, found, stage.folder, loop_names(found)).all()
        return Migration(captured, steps, left_out(captured), tuple(done))

    def _step(self, call: RecordedCall, stage: Stage, values: dict[int, Any]) -> Step:
        code = self.codes[call.id]
        if code is None:
            given = self.translations.get(call.id)
            return Step(
                call, given or outside(f"R gave an error: {call.error}" if call.error else "no such model")
            )
        translation = self.translations.get(call.id, Translation("native"))
        value = values[call.id] = evaluate(code, stage.place, values)
        rows = tuple(fit_rows(value, r_of(value)) if isinstance(value, Fit) else _rows(value))
        return Step(call, replace(translation, code=code), value, rows)


def r_of(fit: Fit, factor: float = 1 + 1e-11) -> RCounterpart:
    """What R is to have given of a fit."""
    free = [name for name, value in fit.params.items() if value]
    numbers = {
        **{f"estimate.{n}": float(fit.params[n]) * factor for n in free},
        **{f"se.{n}": float(fit.bse[n]) for n in free},
        "deviance": fit.deviance,
    }
    return RCounterpart(BTM, "live", numbers)


def row(quantity: str, python: float, r: float, function: str, place: str = "") -> Agreement:
    """A row of an R function."""
    return Beside(RecordedCall(0, function, "", Place(0, 0))).row(quantity, python, r, place=place)


def _rows(value: Any) -> Iterable[Any]:
    if isinstance(value, float):
        return [row("value", value, value, "base::identity")]
    if isinstance(value, Mapping):
        return [row(f"entry.{k}", v, v, "base::identity", place=str(k)) for k, v in value.items()]
    return []


def tea() -> Script:
    """A fit, the same in a loop of three regions, and what is printed of them."""
    script = Script()
    text = 'BTm(won, left, right, data = clear, id = "tea", refcat = "Ceylon")'
    script.call(6, bradley_terry([9, 5, 4], "Ceylon"), text, variable="m")
    script.line(7, "summary(m)")
    for nth, (region, wins) in enumerate(
        {"north": [8, 5, 4], "south": [7, 5, 5], "west": [9, 8, 4]}.items(), 1
    ):
        script.call(
            8,
            bradley_terry(wins, stem="f"),
            "BTm(won, left, right, data = s)",
            variable="f",
            nth=nth,
            keys={"r": region},
        )
    script.line(8, "for r in regions: f = BTm(s); print(coef(f))", "for (r in regions) { ... }")
    return script


def staged(folder: Path) -> Stage:
    return Stage(folder / "stage")
