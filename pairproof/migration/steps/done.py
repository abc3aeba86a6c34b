"""A top-level expression of a script, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from ...bridge.capture.recorded import Place
from ...validation.verdicts.agreement import Agreement


@dataclass(frozen=True, eq=False)
class Done:
    """A top-level expression of the script and what became of it.

    state: "translated"; "partly": some of its statements; "comment"; "data": about no model; "call": its call site
    says it all; "nothing": it gives and shows nothing.  lines: of the Python script.  why: why it is a comment; ""
    if it is not.  value: R's of that run, in few words.  inside, of: lines that stand in the loop that makes the
    values of a call site, and its name.
    """

    task: int
    place: Place
    text: str
    state: str
    lines: tuple[str, ...] = ()
    why: str = ""
    value: str = ""
    rows: tuple[Agreement, ...] = ()
    inside: tuple[str, ...] = ()
    of: str = ""
