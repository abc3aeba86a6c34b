"""Every recorded call, in order: translated, evaluated, and held against what R gave."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ...bridge.capture.recorded import Captured, NotRecorded, RecordedCall
from ...bridge.process.policy import using
from ...errors import PairproofError
from .code.evaluate import Where, evaluate
from .translate.catalogue import translators
from .translate.translation import Context, Step, Translation, Translator, by_package, outside

Told = Callable[[int, int], None]


def steps_of(captured: Captured, where: Where, told: Told | None = None) -> tuple[Step, ...]:
    """Translate and evaluate all calls of a run.

    where: writes a table where the script will find it, and says where.  told: for progress.  Returns tuple
    of Step: in the order in which the calls ended in R.
    """
    known, done = translators(), dict[int, Step]()
    results: dict[int, Any] = {}
    with using("live"):
        for k, call in enumerate(captured.calls):
            step = _step(call, Context(captured, done), known, where, results)
            done[call.id] = step
            if step.value is not None:
                results[call.id] = step.value
            if told is not None:
                told(k + 1, len(captured.calls))
    return tuple(done.values())


def _step(
    call: RecordedCall,
    context: Context,
    known: Mapping[str, Translator],
    where: Where,
    results: Mapping[int, Any],
) -> Step:
    if call.error:
        return Step(call, outside(f"R gave an error: {call.error}"))
    if not call.kept:
        return Step(call, outside("beyond the number of calls that are recorded of one place"))
    if by_package(call):
        return Step(call, outside(f"called by {call.via} for its own ends"))
    if call.function not in known:
        return Step(call, outside(f"pairproof has no counterpart of {call.function}"))
    try:
        translation = known[call.function](call, context)
    except NotRecorded as why:
        return Step(call, outside(str(why)))
    if translation.code is None:
        return Step(call, translation)
    return _evaluated(call, translation, where, results)


def _evaluated(
    call: RecordedCall, translation: Translation, where: Where, results: Mapping[int, Any]
) -> Step:
    """The step with its value and rows, or with Python's error."""
    begun = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = evaluate(translation.code, where, results)
            rows = tuple(translation.judge(value))
            refused = ""
        except PairproofError as error:
            value, rows, refused = None, (), f"{type(error).__name__}: {error}"
        except NotRecorded as why:
            value, rows, refused = None, (), f"what R gave cannot be compared: {why}"
    said = tuple(dict.fromkeys(str(w.message) for w in caught if _ours(w)))
    return Step(call, translation, value, rows, refused, said, time.monotonic() - begun)


def _ours(caught: warnings.WarningMessage) -> bool:
    from ...errors import PairproofWarning

    return issubclass(caught.category, PairproofWarning)
