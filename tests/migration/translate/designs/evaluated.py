"""Translates and evaluates recorded calls without a run: files go to a folder of the test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pairproof.bridge.capture.recorded import RecordedCall
from pairproof.migration.delivery import Stage
from pairproof.migration.migrate import steps_of
from pairproof.migration.translate.python_code import Call, source
from pairproof.migration.translate.translation import Step
from tests.migration.translate.designs.recorded import captured, recorded


def steps(name: str, folder: Path, only: Mapping[str, Any] | None = None) -> dict[str, Step]:
    """All steps of a script, or of some of its variables, by variable."""
    calls = recorded(name)
    chosen = calls if only is None else {k: v for k, v in calls.items() if k in only}
    return {s.call.variable or f"#{s.call.id}": s for s in steps_of(captured(chosen), Stage(folder).place)}


def options(step: Step) -> dict[str, Any]:
    """Keywords of the written call but `cells`."""
    code = step.translation.code
    assert isinstance(code, Call)
    return {k: v for k, v in code.keywords.items() if k != "cells"}


def written(step: Step) -> str:
    """The call as text."""
    return source(step.translation.code, lambda r: f"m{r.call}", lambda f: f'"{f.stem}.csv"')


def fewest(step: Step, kind: str) -> float:
    """The fewest digits of agreement of a kind of quantity."""
    return min(r.digits for r in step.rows if str(r.quantity).split(".")[0] == kind and r.digits is not None)


def native_calls(name: str) -> list[RecordedCall]:
    """Calls that fit."""
    return [c for c in recorded(name).values() if not c.helper]
