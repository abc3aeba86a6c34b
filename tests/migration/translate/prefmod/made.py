"""Recorded calls for tests of prefmod's translators: runs that were kept, and calls made by hand."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.bridge.capture.recorded import Place, RecordedCall
from pairproof.bridge.values.nodes import RLang, RList, RValue, RVector, from_node, load
from pairproof.errors import PairproofWarning
from pairproof.migration.migrate import translators
from pairproof.migration.translate.translation import Context, Step, Translation, tried
from tests.migration.made import a_run

RECORDED = Path(__file__).with_name("recorded")


@functools.lru_cache(maxsize=None)
def calls_of(run: str) -> tuple[RecordedCall, ...]:
    """The calls of a kept run, `recorded/RUN.jsonl`, in order."""
    lines = (RECORDED / f"{run}.jsonl").read_text(encoding="utf-8").splitlines()
    found = {d["id"]: d for d in map(json.loads, lines) if d["type"] == "call"}
    return tuple(map(_call, found.values()))


def _call(d: Mapping[str, Any]) -> RecordedCall:
    def values(key: str) -> dict[str, RValue]:
        return {k: from_node(load(v)) for k, v in (d.get(key) or {}).items()}

    return RecordedCall(
        id=d["id"],
        function=d["function"],
        text=d["text"],
        place=Place(1, 1),
        variable="",
        args=d.get("args") or {},
        values=values("values"),
        result=values("result"),
        fits=d.get("fits") or {},
        error="stopped" if d.get("error") else "",
    )


@functools.lru_cache(maxsize=None)
def steps_of(run: str) -> dict[str, Step]:
    """The steps of a kept run without those that R must be asked for, by the text of the call."""
    done: dict[int, Step] = {}
    results: dict[int, Any] = {}
    for call in calls_of(run):
        if call.error:
            continue
        translation = translated(call, done)
        value, rows, refused = None, (), ""
        if translation.code is not None and translation.route == "native":
            value, refused = tried(translation.code, results)
            if value is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", PairproofWarning)
                    rows = tuple(translation.judge(value))
                results[call.id] = value
        done[call.id] = Step(call, translation, value, rows, refused)
    return {step.call.text: step for step in done.values()}


def translated(call: RecordedCall, steps: Mapping[int, Step] | None = None) -> Translation:
    """The translation of a call."""
    return translators()[call.function](call, Context(a_run([call]), steps or {}))


def step(run: str, begins: str) -> Step:
    """The step of the call whose text begins so."""
    (found,) = (s for text, s in steps_of(run).items() if text.startswith(begins))
    return found


# -- values of R ---------------------------------------------------------------------------------------------


def numbers(values: Sequence[float | None], names: Sequence[str] | None = None) -> RVector:
    """Doubles; None is NA."""
    na = np.array([v is None for v in values])
    return RVector(
        np.array([np.nan if v is None else v for v in values], float),
        na,
        None if names is None else tuple(names),
    )


def texts(*values: str | None) -> RVector:
    return RVector(np.array(values, dtype=object), np.array([v is None for v in values]))


def truths(*values: bool) -> RVector:
    return RVector(np.array(values), np.zeros(len(values), bool))


def factor(codes: Sequence[int], levels: Sequence[str]) -> RVector:
    return RVector(
        np.array(codes, np.int32), np.zeros(len(codes), bool), levels=tuple(levels), rclass=("factor",)
    )


def frame(**columns: RVector | Sequence[float | None]) -> RList:
    """A data frame."""
    made = [c if isinstance(c, RVector) else numbers(c) for c in columns.values()]
    return RList(tuple(made), tuple(columns), ("data.frame",))


def a_prefmod_call(
    function: str, values: Mapping[str, Any], result: Mapping[str, RValue] | None = None
) -> RecordedCall:
    """A call with plain numbers, texts, truths and formulas ("~sex") as values."""

    def value(v: Any) -> RValue:
        if isinstance(v, bool):
            return truths(v)
        if isinstance(v, (int, float)):
            return numbers([v])
        if isinstance(v, str):
            return RLang(v) if v.startswith("~") else texts(v)
        return v  # type: ignore[no-any-return]  # a value of R already

    given = {k: value(v) for k, v in values.items()}
    return RecordedCall(
        1,
        f"prefmod::{function}",
        f"{function}(...)",
        Place(1, 1),
        args=dict.fromkeys(given, "..."),
        values=given,
        result=result or {},
    )
