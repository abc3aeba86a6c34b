"""Recorded answers of R: one readable JSON file per call, found by a hash of the call as R receives it.

A record holds the call, the R that answered (versions, BLAS, locale, random number kinds; no paths and no
names of people), the time, and the whole answer: the value at full precision, output, warnings, messages, or
R's error.  The hash is :attr:`pairproof.bridge.records.calls.RCall.key`; it changes with the input, the R
function or the reduction.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import InputError, RecordMissing
from ...files.outputs import write as write_file
from ..values.nodes import Node, dump, load, pretty
from .calls import Answer, RCall, RCondition, RSessionInfo, abridged, feed

FORMAT = 1
PACKAGED = Path(__file__).resolve().parent / "answers"
#: In a wheel these files are one archive (setup.py).
ARCHIVE = PACKAGED.with_suffix(".tar.xz")
#: In a checkout: answers that tests and pages ask for, and those about data that may not travel.
BESIDE = PACKAGED.parents[3] / "tests" / "records" / "answers"
#: Environment variable that adds directories, separated as in PATH: searched first, the first is written to.
ENVIRONMENT = "PAIRPROOF_RECORDS"
LONGEST_ARGUMENT = 20_000  # characters of JSON; a longer argument is recorded as its digest
Places = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Record:
    """One recorded call: its key, the call for a reader, R's answer, and the R that gave it."""

    key: str
    name: str
    text: str
    answer: Answer
    session: RSessionInfo
    when: str
    path: Path
    call: RCall | None = None
    """The call, to be asked again; None where an argument is recorded as its digest only."""


class Records:
    """Directories of recorded answers; the first is written to."""

    def __init__(self, directories: Sequence[str | Path] | None = None) -> None:
        if directories is None:
            known = [*map(Path, own_directories()), PACKAGED, *([BESIDE] if in_checkout() else [])]
            directories = list(dict.fromkeys(known))
        if not directories:
            raise ValueError("Records needs at least one directory")
        self.directories = tuple(Path(d) for d in directories)

    def find(self, call: RCall) -> Record | None:
        """The record of this call, or None."""
        for directory in self.directories:
            path = directory / file_name(call)
            if path.is_file() or path.name in _archived(directory):
                record = read_record(path)
                if record.key == call.key:
                    return record
        return None

    def get(self, call: RCall, why: str = "") -> Record:
        """The record of this call."""
        record = self.find(call)
        if record is None:
            reason = f"{why}\n  " if why else ""
            packages = " and ".join(["R", *call.needs])
            raise RecordMissing(
                f"no recorded result of {call.text} (key {call.key[:16]})\n  {reason}"
                f"run it live, or record it with `pairproof record` where {packages} are installed"
            )
        return record

    def write(self, call: RCall, answer: Answer, session: RSessionInfo, places: Places) -> Record:
        """Write (or replace, in one step) the record of this call."""
        directory = self.writable()
        path = directory / file_name(call)
        text = pretty(_content(call, answer, session, places)) + "\n"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            # A record of the same call may be replaced, although it has been read.
            write_file(path, text, kind="", again=True, known=lambda _there: True)
        except (OSError, InputError) as error:
            raise PermissionError(
                f"cannot write records into {directory}: {error}; set {ENVIRONMENT} to your" " own directory"
            ) from error
        return read_record(path)

    def writable(self) -> Path:
        """The directory that is written to."""
        directory = self.directories[0]
        if directory.resolve() == PACKAGED and not in_checkout():
            raise InputError(
                f"records would be written into an installed package, {directory}; expected your own"
                f" folder: `pairproof record --into FOLDER`, or set {ENVIRONMENT}=FOLDER, which is then searched first"
            )
        return directory

    def all(self) -> list[Record]:
        """Every record, each key once, beginning with the first directory; other files are ignored."""
        seen: dict[str, Record] = {}
        for directory in self.directories:
            for path in _paths(directory):
                record = read_record(path)
                seen.setdefault(record.key, record)
        return list(seen.values())

    def sessions(self) -> list[RSessionInfo]:
        """The R of every record, as in :meth:`all`; a file that has not changed is read once a process."""
        seen: dict[str, RSessionInfo] = {}
        for directory in self.directories:
            for path in _paths(directory):
                of = path.stat() if path.is_file() else ARCHIVE.stat()
                seen.setdefault(*_key_and_session(path, (of.st_ino, of.st_size, of.st_mtime_ns)))
        return list(seen.values())


@lru_cache(maxsize=None)
def _key_and_session(path: Path, state: tuple[int, ...]) -> tuple[str, RSessionInfo]:
    record = read_record(path)
    return record.key, record.session


@lru_cache(maxsize=None)
def _archived(directory: Path) -> Mapping[str, str]:
    """The texts of the archive that stands for a directory, by file name; empty without an archive."""
    if directory != PACKAGED or not ARCHIVE.is_file():
        return {}
    with tarfile.open(ARCHIVE) as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: file.read().decode("utf-8") for name, file in files if file is not None}


def _paths(directory: Path) -> list[Path]:
    """The records of a directory, in the order of their names."""
    return sorted({*directory.glob(_NAMES), *(directory / name for name in _archived(directory))})


def own_directories() -> list[str]:
    """The directories of $PAIRPROOF_RECORDS; a directory whose name holds the separator is one."""
    said = os.environ.get(ENVIRONMENT, "")
    return [said] if os.path.isdir(said) else [part for part in said.split(os.pathsep) if part]


def in_checkout() -> bool:
    """Whether the package lies in its own sources, where a new record belongs, not where an installer put it."""
    project = PACKAGED.parents[3] / "pyproject.toml"
    try:
        return 'name = "pairproof"' in project.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False


#: Pattern of the names that :func:`file_name` makes.
_NAMES = "*-" + 16 * "[0-9a-f]" + ".json"


def file_name(call: RCall) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", ".", call.name).strip(".")
    return f"{name[:60]}-{call.key[:16]}.json"


def without_places(text: str, places: Places) -> str:
    """The text with this machine's paths replaced by words such as ``<tmp>``."""
    text = re.sub(r"(/[\w.+-]+)*/Rtmp\w+", "<tmp>", text)
    for path, word in places:
        text = re.sub(rf"(?<!\w){re.escape(path)}(?!\w)", lambda _: word, text)
    return text


def scrubbed(answer: Answer, places: Places) -> Answer:
    """The answer as it is recorded, without paths of this machine."""

    def clean(*texts: str) -> tuple[str, ...]:
        return tuple(without_places(t, places) for t in texts)

    def condition(c: RCondition) -> RCondition:
        message, call = clean(c.message, c.call)
        return RCondition(message, call, c.rclass, clean(*c.stack))

    return replace(
        answer,
        node=_scrubbed_node(answer.node, places),
        output=clean(*answer.output),
        warnings=tuple(map(condition, answer.warnings)),
        messages=clean(*answer.messages),
        error=answer.error and condition(answer.error),
        stderr=without_places(answer.stderr, places),
    )


def _scrubbed_node(node: Node, places: Places) -> Node:
    tag, payload, attributes = node
    if tag == "list":
        payload = [_scrubbed_node(n, places) for n in payload]
    elif tag == "chr":
        payload = [None if s is None else without_places(s, places) for s in payload]
    elif tag == "lang":
        payload = without_places(payload, places)
    return (tag, payload, {k: _scrubbed_node(v, places) for k, v in attributes.items()})


def _argument(node: Node) -> Any:
    whole = dump(node)
    if len(json.dumps(whole)) <= LONGEST_ARGUMENT:
        return whole
    digest = hashlib.sha256()
    feed(digest, node)
    return {"abridged": abridged(node), "sha256": digest.hexdigest()}


def _content(call: RCall, answer: Answer, session: RSessionInfo, places: Places) -> dict[str, Any]:
    clean = scrubbed(answer, places)
    needed = {p: session.packages.get(p) for p in call.needs}
    about = {**vars(session), "rng": list(session.rng), "packages": needed}
    code = {k: v.split("\n") for k, v in (("code", call.code), ("extract", call.extract)) if v is not None}
    arguments = {name: _argument(_scrubbed_node(node, places)) for name, node in call.arguments.items()}
    return {
        "format": FORMAT,
        "key": call.key,
        "call": {
            "name": call.name,
            "text": without_places(call.text, places),
            "fun": call.fun,
            **code,
            "seed": call.seed,
            "needs": list(call.needs),
            "arguments": arguments,
        },
        "session": about,
        "recorded": dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": round(answer.seconds, 3),
        "answer": {
            "error": None if clean.error is None else _condition(clean.error),
            "visible": clean.visible,
            "warnings": [_condition(w) for w in clean.warnings],
            "messages": list(clean.messages),
            "output": list(clean.output),
            "stderr": clean.stderr,
            "value": dump(clean.node),
        },
    }


def _condition(condition: RCondition) -> dict[str, Any]:
    return {
        "message": condition.message,
        "call": condition.call,
        "class": list(condition.rclass),
        "stack": list(condition.stack),
    }


def read_record(path: Path) -> Record:
    """Read the record in a file."""
    try:
        packed = _archived(path.parent).get(path.name)
        content = json.loads(packed or path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f'it does not contain "format": {FORMAT}')
        said = content["answer"]
        about: dict[str, Any] = dict(content["session"])
        answer = Answer(
            load(said["value"]),
            tuple(said["output"]),
            tuple(_read_condition(w) for w in said["warnings"]),
            tuple(said["messages"]),
            None if said["error"] is None else _read_condition(said["error"]),
            said["visible"],
            float(content["seconds"]),
            said["stderr"],
        )
        about["rng"] = tuple(about["rng"])
        session = RSessionInfo(**about)
        key, asked, when = content["key"], content["call"], content["recorded"]
        call = _read_call(asked, key)
        return Record(key, asked["name"], asked["text"], answer, session, when, path, call)
    except (ValueError, KeyError, TypeError) as error:
        raise RecordMissing(
            f"{path.name} cannot be read as a recorded R result ({type(error).__name__}: {error}); "
            "delete it and record again"
        ) from error


def _read_call(content: dict[str, Any], key: str) -> RCall | None:
    """The call of a record, or None if the record has only the digest of an argument."""
    if any("sha256" in (node or {}) for node in content["arguments"].values()):
        return None
    code = {k: "\n".join(content[k]) for k in ("code", "extract") if k in content}
    call = RCall(
        content["fun"],
        {k: load(v) for k, v in content["arguments"].items()},
        seed=content["seed"],
        needs=tuple(content["needs"]),
        label=content["name"],
        **code,
    )
    return call if call.key == key else None


def _read_condition(content: dict[str, Any]) -> RCondition:
    return RCondition(content["message"], content["call"], tuple(content["class"]), tuple(content["stack"]))
