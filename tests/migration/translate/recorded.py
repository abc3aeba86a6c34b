"""The calls of `script.R` as R 4.2.2 recorded them, to be translated and judged without R.
 `python -m tests.migration.translate.recorded` runs the script and writes `calls.jsonl`
anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pairproof.bridge.capture.recorded import Captured, Place, RecordedCall
from pairproof.bridge.capture.run import capture
from pairproof.bridge.values.convert import csv_text, to_node
from pairproof.bridge.values.nodes import RList, RValue, dump, from_node, load
from pairproof.migration.migrate import steps_of, translators
from pairproof.migration.translate.python_code import File
from pairproof.migration.translate.translation import Context, Step
from tests.migration.made import a_run

HERE = Path(__file__).parent
SCRIPT, CALLS = HERE / "script.R", HERE / "calls.jsonl"
SECONDS = 300.0


def captured() -> Captured:
    """A run of the script."""
    return capture(SCRIPT, seconds=SECONDS, sandbox=False)


@lru_cache(maxsize=1)
def calls() -> tuple[RecordedCall, ...]:
    """The recorded calls."""
    return tuple(_call(json.loads(line)) for line in CALLS.read_text(encoding="utf-8").splitlines())


def step_of(variable: str, folder: Path) -> Step:
    """The call whose value the script assigns to `variable`, translated, evaluated if that needs no R, and
    judged.

    The calls before it are, too, as far as it takes their fits.
    """
    every = {c.variable: c for c in calls()}
    wanted = every[variable]
    steps = steps_without_r([c for c in calls() if c.id in wanted.fits.values()] + [wanted], folder)
    return steps[wanted.id]


def steps_without_r(chosen: list[RecordedCall], folder: Path) -> dict[int, Step]:
    """Steps by id; what goes through the bridge is translated only."""
    run, done = a_run(chosen), {}
    for call in chosen:
        translation = translators()[call.function](call, Context(run, done))
        if translation.route != "native":
            done[call.id] = Step(call, translation)
            continue
        before = [c for c in chosen if c.id in call.fits.values()]
        for step in steps_of(a_run([*before, call]), lambda f: placed(f, folder)):
            done[step.call.id] = step
    return done


def placed(file: File, folder: Path) -> Path:
    """The file written."""
    path = folder / f"{len(list(folder.iterdir()))}.csv"
    path.write_text(csv_text(file.columns), encoding="utf-8")
    return path


def _call(line: Mapping[str, object]) -> RecordedCall:
    nodes = {part: {k: from_node(load(v)) for k, v in line[part].items()} for part in ("values", "result")}
    given = {k: line[k] for k in ("id", "function", "text", "variable", "task")}
    return RecordedCall(
        **given,
        place=Place(line["line"], line["line"]),
        fits=dict(line["fits"]),
        args=dict(line["args"]),
        warnings=tuple(map(tuple, line["warnings"])),
        **nodes,
    )


def _plain(values: Mapping[str, RValue]) -> dict[str, object]:
    """What can be sent back to R: formulas, calls and functions are left out."""
    found = {}
    for name, value in values.items():
        if name == "frame" and isinstance(value, RList):  # without its terms, which are no data
            value = RList(value.values, value.names, value.rclass)
        try:
            found[name] = dump(to_node(value, name))
        except TypeError:
            continue
    return found


def main() -> None:
    lines = []
    for call in captured().calls:
        if not call.variable:
            continue
        kept = {k: v for k, v in call.result.items() if k not in ("formula", "terms", "xlevels")}
        entry = {
            **{k: getattr(call, k) for k in ("id", "function", "text", "variable", "task")},
            "line": call.place.line,
            "fits": dict(call.fits),
            "args": dict(call.args),
            "warnings": [list(w) for w in call.warnings],
            "values": _plain(call.values),
            "result": _plain(kept),
        }
        lines.append(json.dumps(entry, ensure_ascii=False))
    CALLS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
