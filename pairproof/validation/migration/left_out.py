"""Calls of a script's text that are left out of the Python script, and named: what fits no model of this field,
and what R never came to.
"""

from __future__ import annotations

from ...bridge.capture.recorded import Captured, Mentioned
from .sites import LeftOut
from .translate.others.not_of_this_field import REASONS

#: Functions of this field whose calls are recorded when R comes to them. Not `glm`, `gnm` and `polr`: the
#: text does not say whether their designs are of comparisons.
FITTING = frozenset(
    "BTm llbt.fit llbtPC.fit pattPC.fit pattR.fit pattL.fit pattRrep.fit pattPCrep.fit pattLrep.fit pattnpml.fit"
    " btmodel PlackettLuce pladmm".split()
)


def left_out(captured: Captured) -> tuple[LeftOut, ...]:
    """The calls, in the order of the script's text.

    Returns tuple of LeftOut: of functions that :data:`REASONS` names, if none was recorded; and of
    :data:`FITTING`, if R did not come to it.
    """
    recorded = {call.name for call in captured.calls}
    never = "R did not come to it" if captured.ending == "done" else "R ended before it came to it"
    found = []
    for m in captured.text.mentioned:
        if m.function in REASONS and m.function not in recorded:
            found.append(LeftOut(m, REASONS[m.function]))
        elif m.function in FITTING and not _may_have_run(m, captured):
            found.append(LeftOut(m, never))
    return tuple(found)


def _may_have_run(mentioned: Mentioned, captured: Captured) -> bool:
    """Whether a recorded call stands there, or where it stands is not known."""
    calls = [call for call in captured.calls if call.name == mentioned.function]
    if captured.lost or any(not c.place.line or not c.place.sure or c.via for c in calls):
        return True
    if any(name.endswith(f"::{mentioned.function}") for call in captured.calls for name in call.inner):
        return True
    return any(
        call.place.file == mentioned.place.file
        and call.place.line <= mentioned.place.last
        and mentioned.place.line <= call.place.last
        for call in calls
    )
