"""Runs of scripts made by hand, for tests that need no R."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pairproof.bridge.capture.recorded import Captured, Mentioned, Place, RecordedCall, ScriptText
from pairproof.validation.claims.quantities import Quantity
from pairproof.validation.verdicts.agreement import Agreement, Verdict

LINES = ("library(BradleyTerry2)", "m <- BTm(won, left, right, data = clear)", "summary(m)", "nlm(f, 1)")


def a_call(id: int = 1, line: int = 2, function: str = "BradleyTerry2::BTm", **more: Any) -> RecordedCall:
    """A recorded call at a line."""
    given: dict[str, Any] = {
        "text": f"{function.partition('::')[2]}(won, left, right, data = clear)",
        "task": line,
    }
    return RecordedCall(id=id, function=function, place=Place(line, line), **{**given, **more})


def a_run(calls: Sequence[RecordedCall] = (), **more: Any) -> Captured:
    """A run of a script of four lines."""
    text = ScriptText(
        name="analysis.R",
        kind="R",
        lines=LINES,
        expressions=tuple(Place(k, k) for k in range(1, len(LINES) + 1)),
        mentioned=(Mentioned(Place(4, 4), 4, "nlm", "", "nlm(f, 1)"),),
        packages={"BradleyTerry2": True},
    )
    made = Captured(
        text=text,
        calls=tuple(calls),
        ending="done",
        message="",
        exit_code=0,
        whole=True,
        lost=0,
        why_lost="",
        r_version="4.2.2",
        platform="x86_64-pc-linux-gnu",
        packages={"BradleyTerry2": "1.1-2"},
        kind=("Mersenne-Twister", "Inversion", "Rejection"),
        seconds=3.14,
        output_bytes=0,
        output="",
        sandboxed=False,
    )
    return replace(made, **more)


def a_row(quantity: str, digits: float = 12.0, verdict: Verdict = "agrees", **more: Any) -> Agreement:
    """A number of Python beside R's."""
    return Agreement(
        "",
        "",
        Quantity.parse(quantity),
        native=1.0,
        r=1.0,
        r_call="BradleyTerry2::BTm",
        r_source="live",
        digits=digits,
        verdict=verdict,
        about="native-r",
        **more,
    )
