"""Calls of a script's text that fit something, but no model of this field: named, and left out of the Python script."""

from __future__ import annotations

from ...bridge.capture.recorded import Captured
from .sites import LeftOut
from .translate.others.not_of_this_field import REASONS


def left_out(captured: Captured) -> tuple[LeftOut, ...]:
    """The calls, in the order of the script's text.

    Parameters
    ----------
    captured : Captured

    Returns
    -------
    tuple of LeftOut
        Of functions that :data:`REASONS` names; a call that was recorded is none of them.
    """
    recorded = {call.name for call in captured.calls}
    return tuple(
        LeftOut(m, REASONS[m.function])
        for m in captured.text.mentioned
        if m.function in REASONS and m.function not in recorded
    )
