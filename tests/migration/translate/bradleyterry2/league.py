"""The run of `league.R` (made up for these tests) as R 4.2.2 left it, without what no translator reads.

`league.jsonl` has a call a line, as `pairproof.bridge.capture` wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pairproof.bridge.capture.recorded import Place, RecordedCall
from pairproof.bridge.values.convert import csv_text
from pairproof.bridge.values.nodes import from_node, load
from pairproof.migration.migrate import translators
from pairproof.migration.translate.python_code import File, evaluate, source
from pairproof.migration.translate.translation import Context, Step, Translation
from pairproof.validation.verdicts.agreement import Agreement
from tests.migration.made import a_run

HERE = Path(__file__).parent
SCRIPT = HERE / "league.R"


@lru_cache(maxsize=1)
def calls() -> tuple[RecordedCall, ...]:
    """Recorded calls, in the order of their beginnings; `variable` is read off the script."""
    names = {}
    for line in SCRIPT.read_text(encoding="utf-8").splitlines():
        name, arrow, value = line.partition(" <- ")
        if arrow and name.isidentifier() and value.startswith(("BTm", "update", "step")):
            names[len(names)] = name
    found = []
    for line in HERE.joinpath("league.jsonl").read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        nodes = {
            k: {n: from_node(load(v)) for n, v in given.get(k, {}).items()} for k in ("values", "result")
        }
        fit = given["function"] in ("BradleyTerry2::BTm", "stats::step")
        found.append(
            RecordedCall(
                id=given["id"],
                function=given["function"],
                text=given["text"],
                place=Place(0, 0),
                task=given["task"],
                variable=names[sum(c.variable != "" for c in found)] if fit else "",
                via=given["via"] or "",
                helper=given["helper"],
                args=given["args"],
                values=nodes["values"],
                fits=given["fits"],
                warnings=tuple((m, c) for m, c in given.get("warnings", [])),
                result=nodes["result"],
            )
        )
    return tuple(found)


def by_name(name: str) -> RecordedCall:
    """The call that a variable of the script is assigned."""
    return next(c for c in calls() if c.variable == name)


@dataclass(frozen=True, eq=False)
class Done:
    """A translated call, its value (without R, None on the bridge) and its rows."""

    translation: Translation
    value: Any
    rows: Sequence[Agreement]

    @property
    def text(self) -> str:
        """The Python that is written."""
        return source(self.translation.code, lambda r: "m", lambda f: f'"{f.stem or "BTm"}.csv"')

    @property
    def verdicts(self) -> set[str]:
        return {a.verdict for a in self.rows}

    @property
    def fewest(self) -> float:
        """Digits of the rows that agree."""
        return min(a.digits for a in self.rows if a.verdict == "agrees" and a.digits is not None)


def done(call: RecordedCall, folder: Path, given: Mapping[int, Step] | None = None) -> Done:
    """Translate and evaluate a call, and first the models that it is given; nothing that needs R is evaluated."""
    run = a_run(calls())
    steps: dict[int, Step] = dict(given or {})
    results: dict[int, Any] = {}

    def where(file: File) -> Path:
        place = folder / f"{id(file)}.csv"
        place.write_text(csv_text(file.columns), encoding="utf-8")
        return place

    def one(c: RecordedCall) -> Done:
        for made in c.fits.values():
            if made not in steps:
                one(next(other for other in calls() if other.id == made))
        translation = translators()[c.function](c, Context(run, steps))
        value, rows = None, ()
        if translation.route == "native" and translation.code is not None:
            value = results[c.id] = evaluate(translation.code, where, results)
            rows = tuple(translation.judge(value))
        steps[c.id] = Step(c, translation, value, rows)
        return Done(translation, value, rows)

    return one(call)
