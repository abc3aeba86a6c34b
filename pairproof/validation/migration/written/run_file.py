"""The run as JSON: what R gave, call by call, and which files were written from it.

==============  =====================================================================================
key             holds
==============  =====================================================================================
``format``      1
``script``      name of the R script; how it ended, how long it took
``r``           R's version, platform, packages, RNGkind
``calls``       one object an evaluation: line, text, function, route, Python name and key, numbers
``numbers``     of a call: quantity, python, r (full precision), digits, floor, verdict, explanation,
                ``test`` (digits that the test asks for; and the place in a value that is no fit)
``left_out``    calls without Python code, and why
``files``       name from the folder -> SHA-256 of each file written beside it
``sha256``      of this document without this key, by which a later run knows that nobody changed it
==============  =====================================================================================

Doubles are written by Python's repr; a number that is no finite one is null.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....bridge.capture.recorded import Captured, RecordedCall
from ...verdicts.agreement import Agreement
from .held import Asked
from .sites import CallSite, Left

FORMAT = 1
MADE_BY = "pairproof migrate"
#: Evaluations of one call whose fits have a record of their own; of all others R's numbers are compared only.
MOST_RECORDED = 20


def document(
    captured: Captured,
    found: Sequence[CallSite],
    left: Sequence[Left],
    tests: Mapping[str, str],
    records: Mapping[int, str],
    files: Mapping[str, str],
    asked: Asked,
    version: str,
) -> dict[str, Any]:
    """The document.

    version: of pairproof.
    """
    content: dict[str, Any] = {
        "format": FORMAT,
        "made_by": MADE_BY,
        "pairproof": version,
        "script": {
            "name": captured.text.name,
            "kind": captured.text.kind,
            "lines": len(captured.text.lines),
            "ending": captured.ending,
            "message": captured.message,
            "exit_code": captured.exit_code,
            "seconds": round(captured.seconds, 3),
            "sandboxed": captured.sandboxed,
        },
        "r": {
            "version": captured.r_version,
            "platform": captured.platform,
            "packages": dict(sorted(captured.packages.items())),
            "rng": list(captured.kind),
        },
        "calls": [
            _call(site, k, tests.get(site.name, ""), records.get(site.steps[k].call.id), asked)
            for site in found
            for k in range(len(site.steps))
        ],
        "left_out": [
            {"where": e.where, "function": e.function, "reason": e.reason, "count": e.count} for e in left
        ],
        "files": dict(files),
    }
    return {**content, "sha256": digest_of(content)}


def text_of(content: Mapping[str, Any]) -> str:
    """The document as it is written."""
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its own digest."""
    plain = {k: v for k, v in content.items() if k != "sha256"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _call(site: CallSite, k: int, test: str, record: str | None, asked: Asked) -> dict[str, Any]:
    step = site.steps[k]
    call, translation = step.call, step.translation
    key = site.keys[k] if site.many else None
    return {
        "id": call.id,
        **_place(call),
        "text": call.text,
        "function": call.function,
        "route": translation.route,
        "reason": translation.reason,
        "python": translation.shown,
        "name": site.name,
        **({} if key is None else {"key": list(key) if isinstance(key, tuple) else key}),
        "test": test,
        **({} if record is None else {"record": record}),
        "notes": list(translation.notes),
        "warnings": [message for message, _ in call.warnings],
        "seconds": {"r": round(call.seconds, 4), "python": round(step.seconds, 4)},
        "numbers": [_number(a, test) for a, test in zip(step.rows, asked[call.id])],
    }


def _place(call: RecordedCall) -> dict[str, Any]:
    place = call.place
    return {"file": place.file, "line": place.line, "last": place.last, "sure": place.sure, "nth": call.nth}


def _number(a: Agreement, test: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "quantity": str(a.quantity),
        "python": _finite(a.native),
        "r": _finite(a.r),
        "digits": _finite(a.digits),
        "floor": _finite(a.floor),
        "verdict": a.verdict,
        "explanation": a.explanation,
        "code": a.code,
        **({} if test is None else {"test": dict(test)}),
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
