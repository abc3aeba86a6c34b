"""Programs of R that a script started with an environment or options of their own, so that nothing of them is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from .environment import PROFILE
from .reading import Records
from .recorded import RecordedCall, ScriptText
from .running import Ran, RProgram

_FROM_ELSEWHERE = re.compile(r"\b(?:source|sys\.source|readRDS|load|unserialize|parse|eval)\s*\(")


def unrecorded(ran: Ran, records: Records) -> list[RProgram]:
    """The programs without a start in the records, but forks, which go on with their parent's; [] if that is not known."""
    started = records.workers | {records.main}
    by_pid: dict[int, list[RProgram]] = {}
    for program in ran.r_programs:
        by_pid.setdefault(program.pid, []).append(program)
    found = []
    for program in ran.r_programs[1:]:  # the first is the script's own
        fork = any(p.command == program.command for p in by_pid.get(program.parent, ()))
        if program.inner and not fork and str(program.inner) not in started and _is_last(program, by_pid):
            found.append(program)
    return found


def _is_last(program: RProgram, by_pid: dict[int, list[RProgram]]) -> bool:
    """Whether the process became no other program of R: between a fork and what it starts it is still its parent."""
    return by_pid[program.pid][-1] is program


def may_have_fitted(program: RProgram, text: ScriptText, calls: Iterable[RecordedCall]) -> bool:
    """Whether its code mentions a fitting function; or, where that takes code from elsewhere, as callr's does, the
    script mentions one at a place where no call was recorded.
    """
    code = f"{program.code}\n{shown(program.command)}"
    if _fitting().search(code):
        return True
    if program.code and not _FROM_ELSEWHERE.search(code):
        return False
    known = [(call.name, call.place) for call in calls]
    return any(
        _fitting().fullmatch(f"{m.function}(")
        and not any(
            name == m.function
            and (
                not place.sure
                or place.file == m.place.file
                and place.line <= m.place.last
                and m.place.line <= place.last
            )
            for name, place in known
        )
        for m in text.mentioned
    )


def shown(command: Sequence[str]) -> str:
    """A command line for people: R's own encoding of spaces undone, and not too long."""
    text = " ".join(("R", *command[1:])).replace("~+~", " ")
    return text[:200] + ("..." if len(text) > 200 else "")


@lru_cache(maxsize=1)
def _fitting() -> re.Pattern[str]:
    """A call of a fitting function that is recorded, by the list that R has."""
    names = re.findall(r"([\w.]+) = fit\(", (PROFILE.parent / "functions.R").read_text(encoding="utf-8"))
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\s*\(")
