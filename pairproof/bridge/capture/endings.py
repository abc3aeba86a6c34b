"""How a run ended, in words, with what to do about it."""

from __future__ import annotations

import os
import re
import signal

from ..process.cures import r_package
from .neighbours import LEVELS
from .parsing import Parsed
from .reading import Records
from .recorded import Ending
from .running import Ran
from .scripts import Script

#: R's last words when an error that nothing caught ends a script.
_HALTED = re.compile(r"^Execution halted$", re.MULTILINE)
_CANNOT_OPEN = re.compile(r"(cannot open (?:compressed )?file '([^'\n]{1,500})')")
_MISSING = re.compile(r"there is no package called ['‘\"]([A-Za-z][A-Za-z0-9.]*)['’\"]")


def ending_of(
    ran: Ran, records: Records, parsed: Parsed, script: Script, seconds: float
) -> tuple[Ending, str]:
    """How the run ended, and a sentence about it; "" if the script ran to its end."""
    if ran.timed_out:
        return "time", (
            f"stopped after {seconds:g} s{_reached(records, parsed)}; what was recorded before is kept. Give it more"
            " time (seconds), or make its loops shorter"
        )
    if ran.code < 0 or (
        ran.code > 128 and not records.whole
    ):  # bwrap and shells report a signal as 128 + number
        return "killed", _killed(-ran.code if ran.code < 0 else ran.code - 128, records, parsed)
    said = ran.errors.decode("utf-8", "replace")
    if ran.code == 0:
        return _ended_well(records, parsed)
    if _HALTED.search(said):
        message = f"R stopped{_reached(records, parsed)}: {_last_error(said)}"
        return "error", f"{message}{_elsewhere(said, script)}{_cure(said)}"
    return "quit", f"the script ended R itself with status {ran.code}{_reached(records, parsed)}"


def _ended_well(records: Records, parsed: Parsed) -> tuple[Ending, str]:
    left = len(parsed.expressions) - records.tasks
    if not records.whole or left <= 0:
        return "done", ""
    names = {call.mentioned.function for call in parsed.calls}
    if names & {"quit", "q"}:
        return "quit", f"the script ended R itself with status 0{_reached(records, parsed)}"
    if names & {"stdin", "readLines", "scan", "file", "readline"}:
        return "quit", (
            f"R came to the end of the script{_reached(records, parsed)}: standard input of a script is the rest of"
            " its own lines; read from a file instead"
        )
    return "done", ""


def _reached(records: Records, parsed: Parsed) -> str:
    """ " in line 12": the expression after the last one that was finished."""
    number = records.tasks if records.whole else max((c.task for c in records.calls), default=0) - 1
    if not 0 <= number < len(parsed.expressions):
        return ""
    place = parsed.expressions[number]
    if not place.line:
        return ""
    if not records.whole:
        return f" in line {place.line} or later" if records.calls else ""
    return f" in line {place.line}" if place.line == place.last else f" in lines {place.line} to {place.last}"


def _killed(number: int, records: Records, parsed: Parsed) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    why = {
        "SIGKILL": "; by the script itself, or because memory was used up",
        "SIGSEGV": "; a package's compiled code failed: run the script with R alone",
        "SIGABRT": "; a package's compiled code gave up: run the script with R alone",
    }.get(name, "")
    return f"R was ended by signal {name}{_reached(records, parsed)}{why}. What was recorded before is kept"


def _last_error(said: str) -> str:
    """R's last error message, in one line."""
    body = said[: max((found.start() for found in _HALTED.finditer(said)), default=len(said))].rstrip()
    start = max(body.rfind("\nError"), 0 if body.startswith("Error") else -1)
    text = body[start:] if start >= 0 else body
    for end in ("\nCalls: ", "\nIn addition: ", "\nTraceback"):
        text = text.partition(end)[0] if text.partition(end)[0].strip() else text
    if "cannot open" in text and (file := _CANNOT_OPEN.search(body)):
        text += f" ({file[1]})"
    text = " ".join(text.split())
    return text[:600] + ("..." if len(text) > 600 else "")


def _elsewhere(said: str, script: Script) -> str:
    """A hint if the file that R did not find lies above the script's folder."""
    found = _CANNOT_OPEN.search(said.rpartition("\nError")[2])
    if found is None or os.path.isabs(found[2]):
        return ""
    for folder in script.path.parent.parents[:LEVELS]:
        if (folder / found[2]).is_file():
            return (
                f"; {found[2]} is in {folder.name or folder}/, and the script runs in {script.path.parent.name}/: if"
                f" it is meant to run from {folder.name or folder}/, call this from there"
            )
    return ""


def _cure(said: str) -> str:
    found = _MISSING.search(said)
    return f"\n  cure: {r_package(found[1])}" if found else ""
