"""What the records of a run say of the script: where each call stands in it, and how the run ended.

A call is found by its text, as R deparses it, within the top-level expression that ran; else anywhere in the
script (a function defined earlier).  A call that a package's function made (`update`, `step`) stands where
that function is called; one that was made of values (`do.call`, `lapply(x, glm)`) where its name is
mentioned.  A call's place has the variable that its value was assigned to.

How the run ended is said in words, with the place that it reached and what to do about it.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ..process.cures import r_package
from .copying import LEVELS
from .recorded import Ending, Place, RecordedCall, Records
from .running import Ran
from .scripts import Call, Parsed, Script

#: Generic functions whose methods are recorded: R deparses `anova(m)` as `anova.BTm(m)` there.
_GENERICS = "anova add1 drop1 predict residuals update vcov qvcalc itempar worth print summary"
GENERICS = frozenset(_GENERICS.split())
#: Key of the records: the name of the element that lapply and its kin work on.
LIST_NAME = "names(X)"
_WORD = re.compile(r"[\w.]+")
#: Levels of the script's own functions that a value is followed through.
_LEVELS = 5


def placed_calls(
    records: Records, script: Parsed, sourced: Mapping[str, Parsed], name: str, clean: Callable[[str], str]
) -> tuple[RecordedCall, ...]:
    """The calls with their places, numbered in the order in which they ended."""
    numbers = {(call.process, call.id): i for i, call in enumerate(records.calls, 1)}
    finder = _Finder(script, sourced, name, records.workers)
    fits = [_fits(call, numbers, records.main) for call in records.calls]
    numbered = enumerate(zip(records.calls, fits), 1)
    return tuple(_recorded(call, number, finder, of, clean) for number, (call, of) in numbered)


def _fits(call: RecordedCall, numbers: Mapping[tuple[str, int], int], main: str) -> dict[str, int]:
    """Numbers of the run for numbers of a process; a fork refers to fits that its parent made before it."""
    own, given = call.process, call.fits.items()
    found = {arg: numbers.get((own, id_)) or numbers.get((main, id_)) for arg, id_ in given}
    return {arg: number for arg, number in found.items() if number is not None}


def _recorded(
    call: RecordedCall, number: int, finder: "_Finder", fits: dict[str, int], clean: Callable[[str], str]
) -> RecordedCall:
    found = finder.find(call)
    keys = call.keys
    if found.scope is not None:  # a loop's variable keeps its last value after the loop
        keys = {name: keys[name] for name in found.scope if name in keys}
    keys = {name: key for name, key in keys.items() if name != LIST_NAME}
    if LIST_NAME in call.keys and "name" not in keys:
        keys = {"name": call.keys[LIST_NAME], **keys}
    return replace(
        call,
        id=number,
        text=clean(call.text),
        place=found.place,
        task=0 if call.source or call.process in finder.workers else call.task,
        variable=found.variable,
        keys=keys,
        args={name: clean(text) for name, text in call.args.items()},
        fits=fits,
        warnings=tuple((clean(message), clean(of)) for message, of in call.warnings),
        error=clean(call.error),
    )


@dataclass(frozen=True)
class _Found:
    """Where a call stands; `scope` is None if its loops are not known."""

    place: Place
    variable: str = ""
    scope: tuple[str, ...] | None = None


class _Finder:
    """Finds calls in the texts."""

    def __init__(
        self, script: Parsed, sourced: Mapping[str, Parsed], name: str, workers: frozenset[str]
    ) -> None:
        self.script, self.sourced, self.name, self.workers = script, sourced, name, workers
        self.others = [call for text in sourced.values() for call in text.calls]
        self._known: dict[tuple[object, ...], _Found] = {}

    def find(self, call: RecordedCall) -> _Found:
        """The place of a call, and what is known from there."""
        if call.source:
            text = self.sourced.get(call.source)
            if text is None:
                return _Found(Place(0, 0, sure=False, file=call.source))
            task, others = 0, self.script.calls + self.others
        else:
            # Another process counts expressions of its own, unless it is a fork.
            task = call.task if call.process not in self.workers else 0
            text, others = self.script, self.others
        key = (call.function, call.text, call.via, call.source, task, tuple(call.keys) if not task else ())
        if key not in self._known:
            everything = [*text.calls, *others]
            here = [c for c in text.calls if c.mentioned.task == task]
            near = _reached(here, everything) if task else text.calls
            found = self._found(call, task, near, everything)
            self._known[key] = found or _Found(expression_place(text, task, call.source or self.name))
        return self._known[key]

    def _found(
        self, call: RecordedCall, task: int, near: list[Call], everything: list[Call]
    ) -> _Found | None:
        """`near` are the calls of the expression that runs, and of the functions of the script that it calls."""
        hits, sure = _first_hits(call, [c for c in near if c.mentioned.task == task], near, everything)
        if not hits or (task and not sure):
            return None
        if not task and call.keys:  # a worker: of calls with the same text the one within these loops
            hits = [hit for hit in hits if set(hit.scope) & set(call.keys)] or hits
        place = hits[0].mentioned.place
        alone = len({(hit.mentioned.place.line, hit.mentioned.place.file) for hit in hits}) == 1
        ways = {_followed(hit, near) for hit in hits}
        variables = {variable for variable, _ in ways}
        via = call.via.rpartition("::")[2].partition(".")[0]
        variable = variables.pop() if len(variables) == 1 and via in ("", "update") else ""
        scopes = tuple(dict.fromkeys(name for _, scope in ways for name in scope))
        return _Found(replace(place, sure=sure and alone and place.sure), variable, scopes)


def expression_place(text: Parsed, task: int, name: str = "") -> Place:
    """The place of a whole expression, in which a call ran but does not stand."""
    if 1 <= task <= len(text.expressions):
        place = text.expressions[task - 1]
        return replace(place, sure=place.line == place.last)
    return Place(0, 0, sure=False, file=name)


def _reached(calls: list[Call], everything: list[Call]) -> list[Call]:
    """These calls, and those in the functions of the script that they call, or give to other functions by name."""
    bodies: dict[str, list[Call]] = {}
    for call in everything:
        if call.within:
            bodies.setdefault(call.within, []).append(call)
    found, new = list(calls), list(calls)
    while new and bodies:
        words = {word for call in new for word in _WORD.findall(call.mentioned.text)}
        inside = (call for name in sorted(words & bodies.keys()) for call in bodies.pop(name))
        new = [call for call in inside if call not in found]
        found += new
    return found


def _followed(hit: Call, near: list[Call]) -> tuple[str, tuple[str, ...]]:
    """The variable that the value reaches, and the loops around it.

    Where the call stands in a function of the script, both are followed to where that is called.
    """
    variable, scope, value = hit.mentioned.variable, hit.scope, hit.returned
    for _ in range(_LEVELS):
        if not hit.within:
            break
        users = _users(hit.within, near)
        if len({(c.scope, c.within) for c in users}) != 1:
            break
        hit = users[0]
        value = value and len({c.mentioned.variable for c in users}) == 1
        if value and not variable:
            variable = hit.mentioned.variable
        value = value and hit.returned
        scope = tuple(dict.fromkeys(hit.scope + scope))
    return variable, scope


def _users(function: str, calls: list[Call]) -> list[Call]:
    """The calls of a function of the script; where it is given by name (`lapply(x, fit)`) the call it is given to."""
    named = [c for c in calls if c.mentioned.function == function]
    given = re.compile(rf"[(,]\s*(?:[\w.]+ = )?{re.escape(function)}\s*[,)]")
    return named or _shortest(c for c in calls if given.search(c.mentioned.text))


def _first_hits(
    call: RecordedCall, here: list[Call], near: list[Call], everything: list[Call]
) -> tuple[list[Call], bool]:
    """The calls of the text that it may be, by the first way of looking that finds one, and whether that is sure.

    `here` are the calls of the expression itself; `near` also those of the functions that it calls.
    """
    name = call.function.rpartition("::")[2]
    texts = _texts(call.text, name)
    via = call.via.rpartition("::")[2]
    generic = name.partition(".")[0]
    names = (name, generic) if generic in GENERICS else (name,)
    word = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.])")

    def same(calls: Iterable[Call]) -> list[Call]:
        return [c for c in calls if c.mentioned.text in texts]

    def named(calls: Iterable[Call], function: str = name) -> list[Call]:
        return [c for c in calls if _is_of(function, c.mentioned.function)]

    def worded(calls: Iterable[Call]) -> list[Call]:
        return _shortest(c for c in calls if word.search(c.mentioned.text))

    hits = same(here) or (named(near, via) if via else []) or same(near) or same(everything)
    hits = hits or named(here) or worded(here)
    # do.call("BTm", args) in a function of the script, before a call of other text.
    hits = hits or worded(named(near, "do.call")) or named(near) or worded(near)
    return (hits, True) if hits else (named(everything), False)


def _texts(text: str, name: str) -> frozenset[str]:
    """The call's text, and for a method that of its generic's call."""
    head, rest = text[: len(name)], text[len(name) :]
    generic = name.partition(".")[0]
    return frozenset((text, generic + rest)) if head == name and generic in GENERICS else frozenset((text,))


def _is_of(name: str, written: str) -> bool:
    """Whether a function, or a method of it, is what is written."""
    return name == written or (written in GENERICS and name.startswith(written + "."))


def _shortest(calls: Iterable[Call]) -> list[Call]:
    """Of calls that stand in one another the innermost."""
    return sorted(calls, key=lambda c: len(c.mentioned.text))[:1]


#: R's last words when an error that nothing caught ends a script.
_HALTED = re.compile(r"^Execution halted$", re.MULTILINE)
_CANNOT_OPEN = re.compile(r"(cannot open (?:compressed )?file '([^'\n]{1,500})')")
_MISSING = re.compile(r"there is no package called ['‘\"]([A-Za-z][A-Za-z0-9.]*)['’\"]")


def ending_of(
    ran: Ran, records: Records, parsed: Parsed, script: Script, seconds: float
) -> tuple[Ending, str]:
    """How the run ended, and a sentence about it; "" if the script ran to its end."""
    reached = _line_reached(records, parsed)
    if ran.timed_out:
        cure = "Give it more time (seconds), or make its loops shorter"
        return "time", f"stopped after {seconds:g} s{reached}; what was recorded before is kept. {cure}"
    if ran.code < 0 or (ran.code > 128 and not records.whole):  # bwrap and shells report it as 128 + number
        return "killed", _killed(-ran.code if ran.code < 0 else ran.code - 128, reached)
    said = ran.errors.decode("utf-8", "replace")
    if ran.code == 0:
        return _ended_well(records, parsed, reached)
    if _HALTED.search(said):
        message = f"R stopped{reached}: {_last_error(said)}"
        return "error", f"{message}{_elsewhere(said, script)}{_cure(said)}"
    return "quit", f"the script ended R itself with status {ran.code}{reached}"


def _ended_well(records: Records, parsed: Parsed, reached: str) -> tuple[Ending, str]:
    left = len(parsed.expressions) - records.tasks
    if not records.whole or left <= 0:
        return "done", ""
    names = {call.mentioned.function for call in parsed.calls}
    if names & {"quit", "q"}:
        return "quit", f"the script ended R itself with status 0{reached}"
    if names & {"stdin", "readLines", "scan", "file", "readline"}:
        why = "standard input of a script is the rest of its own lines; read from a file instead"
        return "quit", f"R came to the end of the script{reached}: {why}"
    return "done", ""


def _line_reached(records: Records, parsed: Parsed) -> str:
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


def _killed(number: int, reached: str) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    why = {
        "SIGKILL": "; by the script itself, or because memory was used up",
        "SIGSEGV": "; a package's compiled code failed: run the script with R alone",
        "SIGABRT": "; a package's compiled code gave up: run the script with R alone",
    }.get(name, "")
    return f"R was ended by signal {name}{reached}{why}. What was recorded before is kept"


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
            there, runs = f"{folder.name or folder}/", f"{script.path.parent.name}/"
            cure = f"if it is meant to run from {there}, call this from there"
            return f"; {found[2]} is in {there}, and the script runs in {runs}: {cure}"
    return ""


def _cure(said: str) -> str:
    found = _MISSING.search(said)
    return f"\n  cure: {r_package(found[1])}" if found else ""
