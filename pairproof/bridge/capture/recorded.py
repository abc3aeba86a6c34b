"""What a run of an R script left: the calls of its fitting functions with their values, and its ending.

    script --R, with capture in front of it--> lines of JSON, one a call --> RecordedCall
    script --R's own parser--> expressions, calls --> ScriptText

Everything here is data: texts of the script are shown to people, values are nodes
(:mod:`pairproof.bridge.values`), and nothing of either is evaluated.

The lines of JSON are what R wrote, or anybody else wrote there: a script knows the folder and may write into
it, and R may be killed in the middle of a line.  So sizes are bounded, what is no record is left out, and
what is no value makes its call a lost one.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..values.nodes import RList, ROpaque, RValue, RVector, from_node, load
from .copying import opened

#: How a run ended: by itself, by an error of the script, by quit(status), by the time limit, by a signal.
Ending = Literal["done", "error", "quit", "time", "killed"]

#: What the R side writes in place of a value of more than six million numbers (`most_cells` in r/json.R).
LARGE = ROpaque("large")


class NotRecorded(TypeError):
    """A value of a record that is not there in the form that is asked for; its text is half a sentence."""


@dataclass(frozen=True)
class Place:
    """Where a call stands."""

    line: int
    last: int
    sure: bool = True
    file: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else "line ?"
        return where + ("" if self.sure else "?")

    def meets(self, other: Place) -> bool:
        """Whether a line is of both."""
        return self.file == other.file and self.line <= other.last and other.line <= self.last


NOWHERE = Place(0, 0, sure=False)


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """One call of a fitting function, or of a function that takes its result further, as R evaluated it.

    Until its place in the script is found, `id` counts within its process, and `place` is nowhere.
    """

    id: int
    function: str
    text: str
    place: Place
    task: int = 0
    nth: int = 1
    variable: str = ""
    keys: Mapping[str, str | float | int] = field(default_factory=dict)
    via: str = ""
    helper: bool = False
    kept: bool = True
    seconds: float = 0.0
    inner: Mapping[str, int] = field(default_factory=dict)
    args: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, RValue] = field(default_factory=dict)
    fits: Mapping[str, int] = field(default_factory=dict)
    seed: tuple[int, ...] | None = None
    contrasts: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    error: str = ""
    result: Mapping[str, RValue] = field(default_factory=dict)
    process: str = ""
    source: str = ""
    time: float = 0.0

    @property
    def package(self) -> str:
        """ "BradleyTerry2" of "BradleyTerry2::BTm"."""
        return self.function.partition("::")[0]

    @property
    def name(self) -> str:
        """ "BTm" of "BradleyTerry2::BTm"."""
        return self.function.partition("::")[2]

    def vector(self, key: str) -> RVector | None:
        """An atomic vector of the result; None if it is absent or NULL."""
        found = self.result.get(key)
        if found is None or isinstance(found, RVector):
            return found
        if found == LARGE:
            most = "6,000,000 numbers, which is the most that is recorded"
            raise NotRecorded(f"{key} of its result has more than {most}")
        raise NotRecorded(f"{key} of its result is {type(found).__name__}, expected a vector")

    def matrix(self, key: str) -> RVector | None:
        """A matrix of the result; None if it is absent, or no matrix."""
        found = self.vector(key)
        return found if found is not None and found.values.ndim == 2 else None

    def number(self, key: str) -> float | None:
        """One number of the result; None if it is absent, NULL or NA."""
        found = self.vector(key)
        if found is None or found.values.size != 1 or found.na.ravel()[0]:
            return None
        return float(found.floats().ravel()[0])

    def strings(self, key: str) -> tuple[str, ...]:
        """Strings of the result; () if it is absent."""
        found = self.vector(key)
        values: list[Any] = [] if found is None else found.values.ravel().tolist()
        return tuple("NA" if v is None else str(v) for v in values)

    def frame(self, key: str) -> RList | None:
        """A data frame or list of the result; None if it is absent."""
        found = self.result.get(key)
        return found if isinstance(found, RList) else None

    def argument(self, name: str) -> RVector | None:
        """An argument that is an atomic vector; None if it was not given, or is none."""
        found = self.values.get(name)
        return found if isinstance(found, RVector) else None

    def one(self, name: str, default: Any = None) -> Any:
        """An argument of one value, as Python's; None if it is NA, `default` if it was not given or is not one."""
        found = self.argument(name)
        return default if found is None or found.values.size != 1 else found.scalar()

    def flag(self, name: str) -> bool:
        """Whether an argument is TRUE; False if it was not given."""
        return bool(self.one(name))

    def real(self, name: str, default: float) -> float:
        """An argument of one number."""
        found = self.argument(name)
        return default if found is None or found.values.size != 1 else float(found.floats().ravel()[0])

    def word(self, name: str, default: str) -> str:
        """The first string of an argument."""
        found = self.argument(name)
        first = found.values.ravel()[0] if found is not None and found.values.size else None
        return first if isinstance(first, str) else default


@dataclass(frozen=True)
class Mentioned:
    """A call that stands in the script's text, whether it was reached or not."""

    place: Place
    task: int
    function: str
    package: str
    text: str
    variable: str = ""


@dataclass(frozen=True)
class TopLevel:
    """A top-level expression: its text as R deparses it, and its tree as the parser's JSON (parse/trees.R)."""

    text: str
    tree: Any


@dataclass(frozen=True, eq=False)
class Valued:
    """What a top-level expression gave: None where it is large or no plain value; whether R printed it by itself."""

    value: RValue | None
    visible: bool
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptText:
    """What R's parser says of the script."""

    name: str
    kind: Literal["R", "Rmd", "Rnw"]
    lines: tuple[str, ...]
    expressions: tuple[Place, ...]
    mentioned: tuple[Mentioned, ...]
    packages: Mapping[str, bool]
    trees: tuple[TopLevel, ...] = ()


@dataclass(frozen=True, eq=False)
class Captured:
    """A run of a script."""

    text: ScriptText
    calls: tuple[RecordedCall, ...]
    ending: Ending
    message: str
    exit_code: int | None
    whole: bool
    lost: int
    why_lost: str
    r_version: str
    platform: str
    packages: Mapping[str, str]
    kind: tuple[str, ...]
    seconds: float
    output_bytes: int
    output: str
    sandboxed: bool
    changed: tuple[tuple[str, Place], ...] = ()
    values: Mapping[int, Valued] = field(default_factory=dict)
    #: Top-level expression -> what it printed, where that is known: no sink, nothing dropped.
    outputs: Mapping[int, str] = field(default_factory=dict)


#: Most bytes that are read of all records; the R side stops keeping values at 300 MB.
MOST_BYTES = 512 * 2**20
#: Most bytes of a line: the R side leaves out values of more than six million numbers, 150 MB as text.
MOST_LINE = 256 * 2**20
MOST_FILES = 1_000
MOST_CALLS = 200_000
MOST_CHANGED = 100
#: Most bytes of a first line, which tells who started.
MOST_START = 2**16
#: Most characters of a text: a call, a message.
MOST_TEXT = 20_000
_BAD_VALUE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError, Warning)


@dataclass
class Records:
    """All records of a run."""

    calls: list[RecordedCall] = field(default_factory=list)
    main: str = ""
    workers: frozenset[str] = frozenset()
    whole: bool = False
    tasks: int = 0
    counted: int = 0
    lost: int = 0
    why_lost: str = ""
    r_version: str = ""
    platform: str = ""
    kind: tuple[str, ...] = ()
    packages: dict[str, str] = field(default_factory=dict)
    started: bool = False
    changed: list[tuple[str, int]] = field(default_factory=list)
    values: dict[int, Valued] = field(default_factory=dict)

    def lose(self, why: str, count: int = 1) -> None:
        self.lost += count
        self.why_lost = self.why_lost or why

    def lose_missing(self) -> None:
        """Lose the calls that R counted at its end and whose lines are not there: the script deleted them."""
        missing = self.counted - sum(call.process == self.main for call in self.calls) - self.lost
        if missing > 0:
            self.lose("their lines are no longer in the records; the script changed or left them", missing)


def read_records(folder: Path, pid: int) -> Records:
    """Read what a run left."""
    records = Records()
    try:
        # A link in the folder's place would be followed to whatever it names.
        listed = os.listdir(folder) if not os.path.islink(folder) else None
    except OSError:
        listed = None
    if listed is None:
        records.lose("the folder of the records was deleted or closed by the script")
        return records
    names = (name for name in listed if re.fullmatch(r"[0-9]{1,20}\.jsonl", name))
    files = sorted(names, key=lambda name: int(name[:-6]))
    if files:
        records.main = _main_of(folder, files, pid)
        files.sort(key=lambda name: name[:-6] != records.main)
    if len(files) > MOST_FILES:
        unread = len(files) - MOST_FILES
        records.lose(f"{len(files):,} files of records were left, and {MOST_FILES:,} are read", unread)
        files = files[:MOST_FILES]
    calls: dict[tuple[str, int], RecordedCall] = {}
    budget = [MOST_BYTES]
    for name in files:
        for line in _lines(folder / name, budget, records):
            item = _object(line)
            if item is None:
                continue
            if item.get("type") == "call":
                _take_call(item, name[:-6], calls, records)
            elif item.get("type") == "start":
                _take_start(item, name[:-6], records)
            elif item.get("type") == "changed" and len(records.changed) < MOST_CHANGED:
                records.changed.append((_text(item.get("variable"), 200), _integer(item.get("task"))))
            elif item.get("type") == "value" and name[:-6] == records.main:
                _take_value(item, records)
            elif item.get("type") == "end":
                _take_end(item, name[:-6], records)
    records.calls = _in_order(calls.values())
    records.lose_missing()
    return records


def _main_of(folder: Path, files: list[str], pid: int) -> str:
    """The process that ran the script; in a sandbox, where its number is not known, the first that wrote a start."""
    if f"{pid}.jsonl" in files:
        return str(pid)
    for name in files[:MOST_FILES]:
        first = next(_lines(folder / name, [MOST_START], Records()), b"")
        if (_object(first) or {}).get("type") == "start":
            return name[:-6]
    return files[0][:-6]


def _in_order(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """The calls as they ended, so that one that takes the value of another comes after it.

    A process writes a call when it ends.  Its lines keep their order whatever its clock says; processes are put
    together by their times.
    """
    ended: dict[str, float] = {}
    keyed = []
    for place, call in enumerate(calls):
        ended[call.process] = max(ended.get(call.process, 0.0), call.time + call.seconds)
        keyed.append((ended[call.process], int(call.process), place, call))
    return [call for *_, call in sorted(keyed, key=lambda entry: entry[:3])]


def _lines(path: Path, budget: list[int], records: Records) -> Iterator[bytes]:
    """Whole lines of a regular file; the last one may be the one that R was killed in."""
    try:
        file = opened(path)
    except OSError:
        return
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return
        while line := file.readline(min(MOST_LINE, max(budget[0], 0)) + 1):
            budget[0] -= len(line)
            if budget[0] < 0 or len(line) > MOST_LINE:
                most = f"{MOST_BYTES:,} bytes, which is the most that is read"
                records.lose(f"the records are larger than {most}")
                return
            if line.endswith(b"\n"):
                yield line


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.decode("utf-8", "replace"), parse_int=_whole)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _whole(digits: str) -> int | float:
    """A number without a point; long ones as floats, because Python's own conversion of them takes quadratic time."""
    return int(digits) if len(digits) < 19 else float(digits)


def _take_start(item: dict[str, Any], process: str, records: Records) -> None:
    if process == records.main:
        records.started = True
        records.r_version = _text(item.get("r_version"), 100)
        records.platform = _text(item.get("platform"), 200)
        records.kind = _texts(item.get("kind"))
    else:
        records.workers |= {process}


def _take_end(item: dict[str, Any], process: str, records: Records) -> None:
    lost = _integer(item.get("lost"))
    if lost > 0:
        records.lose(_text(item.get("why")) or "R could not record it", lost)
    if process == records.main:
        records.whole = True
        records.tasks = _integer(item.get("tasks"))
        records.counted = _integer(item.get("calls"))
        records.packages = dict(sorted(_mapping(item.get("packages"), _text).items()))
        records.kind = _texts(item.get("kind")) or records.kind


def _take_value(item: dict[str, Any], records: Records) -> None:
    try:
        value = _nodes({"value": item["value"]})["value"] if item.get("value") is not None else None
    except _BAD_VALUE:
        value = None
    task = _integer(item.get("task"))
    records.values[task] = Valued(value, item.get("visible") is True, _texts(item.get("kinds")))


def _take_call(
    item: dict[str, Any], process: str, calls: dict[tuple[str, int], RecordedCall], records: Records
) -> None:
    number = _integer(item.get("id"))
    name = _text(item.get("function"), 200)
    if number < 1 or not name:
        return
    if (process, number) not in calls and len(calls) >= MOST_CALLS:
        records.lose(f"more than {MOST_CALLS:,} calls were recorded, which is the most that is read")
        return
    values: dict[str, RValue] = {}
    result: dict[str, RValue] = {}
    kept = item.get("kept") is not False
    try:
        values = _nodes(item.get("values"))
        result = {name: _bare(name, value) for name, value in _nodes(item.get("result")).items()}
    except _BAD_VALUE as error:
        values, result, kept = {}, {}, False
        records.lose(f"the record of {name} holds something that is no value of R ({_short(error)})")
    before = calls.pop((process, number), None)  # the last line of a call counts, also for its place
    time = _number(item.get("time"))
    seed = item.get("seed")
    calls[process, number] = RecordedCall(
        number,
        name,
        _text(item.get("text")),
        NOWHERE,
        _integer(item.get("task")),
        max(1, _integer(item.get("nth"))),
        keys=_keys(item.get("keys")),
        via=_text(item.get("via"), 200),
        helper=item.get("helper") is True,
        kept=kept,
        seconds=_number(item.get("seconds")),
        inner=_mapping(item.get("inner"), _integer),
        args=_mapping(item.get("args"), _text),
        values=values,
        fits=_mapping(item.get("fits"), _integer),
        seed=tuple(v for v in seed if type(v) is int)[:1000] if isinstance(seed, list) else None,
        contrasts=_texts(item.get("contrasts")),
        warnings=_warnings(item.get("warnings")),
        error=_first_text(item.get("error")),
        result=result,
        process=process,
        source=os.path.basename(_text(item.get("source"), 500)),
        time=before.time if time == 0.0 and before is not None else time,
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:80]}"


def _nodes(value: Any) -> dict[str, RValue]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"expected values by name, found {type(value).__name__}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy 1 only warns of an integer that does not fit
        return {str(name): from_node(load(node)) for name, node in value.items()}


#: Parts of a result whose names are those of coefficients: R writes "`GPT 4`" there, for a column "GPT 4".
_NAMED = ("coef", "vcov", "se", "x")


def _bare(part: str, value: RValue) -> RValue:
    """The value with names of coefficients as the script's columns have them."""
    if part not in _NAMED or not isinstance(value, RVector):
        return value

    def bare(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return names and tuple(n.replace("`", "") for n in names)

    margins = value.dimnames and tuple(map(bare, value.dimnames))
    return replace(value, names=bare(value.names), dimnames=margins)


def _text(value: Any, most: int = MOST_TEXT) -> str:
    return value[:most] if isinstance(value, str) else ""


def _first_text(value: Any) -> str:
    """A message alone, or the first of [message, call]."""
    return _text(value[0] if isinstance(value, list) and value else value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_text(value),)
    return tuple(_text(v) for v in value[:100] if isinstance(v, str)) if isinstance(value, list) else ()


def _integer(value: Any) -> int:
    return int(value) if type(value) in (int, float) and abs(value) < 2**53 else 0


def _number(value: Any) -> float:
    return float(value) if type(value) in (int, float) and math.isfinite(value) else 0.0


def _mapping(value: Any, of: Any) -> dict[str, Any]:
    return {name[:200]: of(v) for name, v in list(value.items())[:5000]} if isinstance(value, dict) else {}


def _keys(value: Any) -> dict[str, str | float | int]:
    if not isinstance(value, dict):
        return {}
    plain = {name[:200]: v for name, v in list(value.items())[:100]}
    return {k: v[:500] if isinstance(v, str) else v for k, v in plain.items() if type(v) in (str, int, float)}


def _warnings(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        return ()
    pairs = [w if isinstance(w, list) else [w] for w in value[:200]]
    return tuple((_text(w[0]), _text(w[1]) if len(w) > 1 else "") for w in pairs if w)
