"""The run of a migration as JSON: what R gave, call by call, what the test asks, which files were written.

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

Of a fit the numbers have names, and the test's `agree` compares them.  Of another value (a table, R's own
answer) each number is found again by its place in the value, which the judge that made the row says; what is
computed from the value, and stands nowhere in it, is not compared.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from ..bridge.capture.recorded import Captured, RecordedCall
from ..errors import PairproofError
from ..fit.fit import Fit
from ..validation.again import FORMAT, numbers_in
from ..validation.verdicts.agreement import AGREEING, Agreement
from ..validation.verdicts.digits import MOST, digits_of_agreement
from ..validation.verify import agree
from .call_sites import CallSite, Left
from .translate.translation import Step

#: Call id -> what the test asks of each of its rows.
Asked = Mapping[int, Sequence[Union[dict[str, Any], None]]]


def asked_of(steps: Iterable[Step]) -> Asked:
    """:func:`asked` of each step, by the id of its call."""
    return {step.call.id: asked(step.value, step.rows) for step in steps}


def asked(value: Any, rows: Sequence[Agreement]) -> list[dict[str, Any] | None]:
    """What the test asks of each row, {"digits", "place"}: its floor, or what its own counting has; or None."""
    wanted = [a for a in rows if a.verdict in AGREEING and a.native is not None and a.r is not None]
    if isinstance(value, Fit):
        digits = _of_fit(value, wanted)
        found: dict[int, dict[str, Any]] = {
            id(a): {"digits": d} for a, d in zip(wanted, digits) if d is not None
        }
    else:
        now = numbers_in(value)
        found = {
            id(a): {"digits": _fewer(a, float(digits_of_agreement(a.native, a.r))), "place": a.place}
            for a in wanted
            if a.native is not None and a.r is not None and now.get(a.place) == a.native
        }
    return [found.get(id(a)) for a in rows]


def _of_fit(fit: Fit, rows: Sequence[Agreement]) -> list[float | None]:
    """Digits by :func:`agree`'s own counting; None for a quantity that it does not know."""

    def of(a: Agreement) -> float | None:
        name = str(a.quantity)
        assert a.r is not None
        try:
            (row,) = agree(fit, {name: a.r}, digits=0.0)
        except (AssertionError, PairproofError):
            return None
        return _fewer(a, MOST if row.digits is None else row.digits)

    return [of(a) for a in rows]


def _fewer(a: Agreement, digits: float) -> float:
    """The row's floor, or the digits there are, rounded down to a tenth."""
    least = MOST if a.floor is None or a.floor != a.floor else min(a.floor, MOST)
    return least if digits >= least or digits != digits else math.floor(digits * 10) / 10


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
    """The document; `version` is pairproof's."""
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
