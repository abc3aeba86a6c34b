"""Calls that R recorded of the scripts beside this file, kept as JSON, so that tests run without R.

`python -m tests.migration.translate.designs.recorded` runs the scripts again and writes the
records; a test with R runs them live.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pairproof.bridge.capture.recorded import Captured, Place, RecordedCall, ScriptText
from pairproof.bridge.values.convert import to_node
from pairproof.bridge.values.nodes import RLang, RList, ROpaque, RValue, RVector, dump, from_node, load

HERE = Path(__file__).parent
NAMES = ("binomial", "poisson", "ordered", "tables", "others", "patterns", "awkward")
PLAIN = ("id", "function", "text", "variable", "helper", "via", "args", "fits", "contrasts", "warnings")


@lru_cache(maxsize=None)
def recorded(name: str) -> dict[str, RecordedCall]:
    """The calls of a script by the R variable that each is assigned to; `#3` where there is none."""
    with gzip.open(HERE / "records" / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        calls = [_call(entry) for entry in json.load(file)]
    return {call.variable or f"#{call.id}": call for call in calls}


def captured(calls: Mapping[str, RecordedCall]) -> Captured:
    """A run of these calls."""
    text = ScriptText("made.R", "R", (), (), (), {})
    return Captured(
        text, tuple(calls.values()), "done", "", 0, True, 0, "", "4.2.2", "", {}, (), 0.0, 0, "", False
    )


def _call(entry: dict[str, Any]) -> RecordedCall:
    plain = {k: entry[k] for k in PLAIN}
    for k in ("contrasts", "warnings"):
        plain[k] = tuple(tuple(v) if isinstance(v, list) else v for v in plain[k])
    values = {k: from_node(load(v)) for k, v in entry["values"].items()}
    result = {k: from_node(load(v)) for k, v in entry["result"].items()}
    return RecordedCall(**plain, place=Place(entry["line"], entry["line"]), values=values, result=result)


def _node(value: RValue) -> Any:
    if isinstance(value, RLang):
        return {"lang": value.text}
    if isinstance(value, ROpaque):
        return {"opaque": value.what}
    return dump(to_node(_of_data(value)))


def _of_data(value: RValue) -> RValue:
    """Without what is no data: terms of model frames."""
    if not isinstance(value, (RVector, RList)):
        return value
    attributes = {k: _of_data(v) for k, v in value.attributes.items() if not isinstance(v, (RLang, ROpaque))}
    if isinstance(value, RVector):
        return replace(value, attributes=attributes)
    kept = tuple(None if isinstance(v, (RLang, ROpaque)) else _of_data(v) for v in value.values)
    return replace(value, values=kept, attributes=attributes)


def _entry(call: RecordedCall) -> dict[str, Any]:
    kept = {k: getattr(call, k) for k in PLAIN}
    kept.update(args=dict(call.args), fits=dict(call.fits), line=call.place.line)
    kept["values"] = {k: _node(v) for k, v in call.values.items()}
    kept["result"] = {k: _node(v) for k, v in call.result.items()}
    return kept


def write(name: str) -> None:
    """Run a script and keep what R recorded."""
    from pairproof.bridge.capture.run import capture

    found = capture(HERE / "scripts" / f"{name}.R")
    assert found.ending == "done" and not found.lost, (found.message, found.why_lost)
    text = json.dumps([_entry(call) for call in found.calls], ensure_ascii=False, separators=(",", ":"))
    (HERE / "records").mkdir(exist_ok=True)
    (HERE / "records" / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    for each in NAMES:
        if (HERE / "scripts" / f"{each}.R").exists():
            write(each)
