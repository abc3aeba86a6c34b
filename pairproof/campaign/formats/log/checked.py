"""Reads a log strictly: every line has the members of its kind, of their types, and no others.

The lines are checked one by one here; that they fit each other (a score's item exists, a judgment that is set
aside repeats another) is checked when the campaign is made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from ....errors import InputError
from ....native.annotation.allocation import Pool
from ....native.annotation.methods import METHODS, Method
from ....text import quoted
from ...storage.contents import score_of
from ...storage.design import KINDS, ROLES, Design, State
from ..strict_json import decoded, exactly, of_kind, parsed
from .lines import SCHEMA, state_names

_NONE: type = type(None)
_TEXT, _WHOLE, _LIST, _OBJECT = (str,), (int,), (list,), (dict,)
_TEXT_OR_NONE, _WHOLE_OR_NONE = (str, _NONE), (int, _NONE)
_NUMBER, _NUMBER_OR_NONE = (int, float), (int, float, _NONE)
Types = tuple[type, ...]
#: Kind of line -> member -> its types.
MEMBERS: dict[str, dict[str, Types]] = {
    "campaign": {
        "schema": _WHOLE, "id": _TEXT, "method": _TEXT, "per_hit": _WHOLE, "settings": _OBJECT, "pool": _TEXT,
        "seed": _WHOLE, "columns": _LIST, "imported": (bool,), "design": _OBJECT, "rules": _LIST,
    },
    "text": {"name": _TEXT, "lang": _TEXT, "dir": _TEXT, "body": _TEXT},
    "item": {
        "id": _TEXT, "fields": _OBJECT, "role": _TEXT, "of": _TEXT_OR_NONE, "source": _TEXT, "system": _TEXT,
        "gold": _NUMBER_OR_NONE, "start": _LIST,
    },
    "annotator": {
        "number": _WHOLE, "name": _TEXT, "token": _TEXT_OR_NONE, "state": _TEXT, "since": _TEXT, "why": _TEXT
    },
    "batch": {"number": _WHOLE, "opened": _TEXT, "hits": _WHOLE, "judgments": _WHOLE_OR_NONE},
    "hit": {
        "batch": _WHOLE, "hit": _WHOLE, "purpose": _TEXT, "items": _LIST, "plan": (list, _NONE)
    },
    "assignment": {
        "annotator": _TEXT, "batch": _WHOLE, "hit": _WHOLE, "given": _TEXT, "due": _TEXT_OR_NONE,
        "state": _TEXT, "place": _WHOLE, "shown": _LIST,
    },
    "results": {
        "number": _WHOLE, "name": _TEXT, "sha256": _TEXT, "taken": _TEXT, "rows": _WHOLE, "new": _WHOLE
    },
    "judgment": {
        "number": _WHOLE, "identity": _TEXT, "batch": _WHOLE_OR_NONE, "hit": _WHOLE_OR_NONE, "hit_id": _TEXT,
        "assignment": _TEXT, "worker": _TEXT, "results": _WHOLE, "row": _WHOLE, "submitted": _NUMBER_OR_NONE,
        "seconds": _NUMBER_OR_NONE, "why": _TEXT, "repeat_of": _WHOLE_OR_NONE, "annotator": _TEXT_OR_NONE,
        "counted": (bool,), "accepted": _TEXT_OR_NONE, "times": _OBJECT, "scores": _LIST,
    },
    "retraction": {
        "number": _WHOLE, "at": _TEXT, "why": _TEXT, "undone": _TEXT_OR_NONE, "judgment": _OBJECT
    },
    "look": {"number": _WHOLE, "at": _TEXT, "judgments": _WHOLE, "rule": _TEXT, "answer": _OBJECT},
}  # fmt: skip
#: Members that lines have only where they say something; earlier logs are without them.
LATER: dict[str, dict[str, Types]] = {"batch": {"tokens": (bool,)}}
#: Members of objects inside a line.
SETTINGS: dict[str, Types] = {"gamma": _NUMBER, "epsilon": _NUMBER, "tie_within": _NUMBER}
RULE: dict[str, Types] = {"name": _TEXT, "fixed": _TEXT, "after_judgments": _WHOLE}
SCORE: dict[str, Types] = {
    "slot": _WHOLE, "item": _TEXT, "role": _TEXT, "raw": _TEXT, "value": _NUMBER_OR_NONE
}  # fmt: skip
RETRACTED: dict[str, Types] = {
    "identity": _TEXT, "batch": _WHOLE_OR_NONE, "hit": _WHOLE_OR_NONE, "hit_id": _TEXT, "assignment": _TEXT,
    "worker": _TEXT, "received": _WHOLE, "row": _WHOLE, "times": _OBJECT, "scores": _LIST,
}  # fmt: skip
#: The kinds in the order of their lines; after them comes the state.
ORDER = (*MEMBERS, "state")


@dataclass(frozen=True)
class Line:
    """A checked line of a log.

    where: "log.jsonl, line 3", for messages.  record: all its members, with "kind".
    """

    where: str
    kind: str
    record: dict[str, Any]


def read_log(raw: bytes, source: str) -> list[Line]:
    """The lines of a log, each checked."""
    found: list[Line] = []
    # Not splitlines, because U+2028 in a text does not end a line of JSON.
    for k, text in enumerate(decoded(raw, source).split("\n"), 1):
        if not text.strip():
            continue
        where = f"{source}, line {k}"
        record = of_kind(parsed(text, where), dict, where, "the line")
        kind = record.get("kind")
        if kind not in ORDER:
            raise InputError(f"{where}: kind {quoted(kind)}; expected one of {', '.join(ORDER)}")
        if (not found) != (kind == "campaign"):
            raise InputError(f"{where}: kind {kind!r}; the first line, and no other, is of kind 'campaign'")
        if found and ORDER.index(kind) < ORDER.index(found[-1].kind):
            raise InputError(
                f"{where}: kind {kind!r} after {found[-1].kind!r}; expected the order of the log"
            )
        if found and found[-1].kind == "state":
            raise InputError(f"{where}: a line after the state; the state is the last one")
        _check(kind, record, where, found[0].record if found else record)
        found.append(Line(where, kind, record))
    if not found or found[-1].kind != "state":
        raise InputError(
            f"{source}: no state in its last line; the file may have been cut off: fetch it again"
        )
    return found


def _check(kind: str, record: Mapping[str, Any], where: str, campaign: Mapping[str, Any]) -> None:
    if kind == "state":
        names = (*state_names(_method(campaign, where)), "n")
        _members(record, {name: _LIST for name in names}, where)
        return
    _members(record, MEMBERS[kind], where)
    check = _MORE.get(kind)
    if check is not None:
        check(record, where)


def _members(
    record: Mapping[str, Any], types: Mapping[str, Types], where: str, more: tuple[str, ...] = ("kind",)
) -> None:
    later = {
        name: allowed for name, allowed in LATER.get(str(record.get("kind")), {}).items() if name in record
    }
    exactly(record, (*more, *types, *later), where)
    for name, allowed in {**types, **later}.items():
        of_kind(record[name], allowed, where, f"{name!r}")


def _one_of(record: Mapping[str, Any], name: str, allowed: tuple[str, ...], where: str) -> None:
    if record[name] not in allowed:
        raise InputError(f"{where}: {name!r} is {quoted(record[name])}; expected {', '.join(allowed)}")


def _all(values: list[Any], types: Types, where: str, what: str) -> None:
    for value in values:
        of_kind(value, types, where, f"an entry of {what!r}")


def _method(campaign: Mapping[str, Any], where: str) -> Method:
    _one_of(campaign, "method", METHODS, where)
    method: Method = campaign["method"]
    return method


def _campaign(record: Mapping[str, Any], where: str) -> None:
    if record["schema"] != SCHEMA:
        raise InputError(f"{where}: schema {record['schema']}; this pairproof reads logs of schema {SCHEMA}")
    _method(record, where)
    _one_of(record, "pool", get_args(Pool), where)
    if not record["id"] or record["per_hit"] < 1 or record["seed"] < 0:
        raise InputError(f"{where}: expected an id, at least 1 item per_hit, and a seed of at least 0")
    _all(record["columns"], _TEXT, where, "columns")
    if len(set(record["columns"])) < len(record["columns"]):
        raise InputError(f"{where}: a column stands twice in 'columns'")
    _members(record["settings"], SETTINGS, f"{where}, settings", ())
    exactly(record["design"], tuple(f.name for f in fields(Design)), f"{where}, design")
    for k, rule in enumerate(record["rules"], 1):
        place = f"{where}, rule {k}"
        _members(of_kind(rule, dict, place, "it"), RULE, place, ("value",))


def _item(record: Mapping[str, Any], where: str) -> None:
    _one_of(record, "role", ROLES, where)
    for name, cell in record["fields"].items():
        of_kind(cell, str, where, f"field {name!r}")
    _within(record["gold"], where, "gold")
    if len(record["start"]) != 3:
        raise InputError(
            f"{where}: 'start' has {len(record['start'])} entries; expected 3 (two numbers and n)"
        )
    _all(record["start"][:2], _NUMBER_OR_NONE, where, "start")
    of_kind(record["start"][2], int, where, "n in 'start'")


def _within(value: float | None, where: str, what: str) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{where}: {what} {value}; expected a number from 0 to 1")


def _annotator(record: Mapping[str, Any], where: str) -> None:
    _one_of(record, "state", get_args(State), where)


def _hit(record: Mapping[str, Any], where: str) -> None:
    _one_of(record, "purpose", ("work", "qualification", "calibration"), where)
    _all(record["items"], _TEXT, where, "items")
    if not record["items"]:
        raise InputError(f"{where}: a HIT without items")
    plan = record["plan"]
    if plan is not None and (len(plan) != len(record["items"]) or not all(k in KINDS for k in plan)):
        raise InputError(f"{where}: 'plan' must name one of {', '.join(KINDS)} for each item of the HIT")


def _assignment(record: Mapping[str, Any], where: str) -> None:
    _one_of(record, "state", ("open", "returned", "expired", "withdrawn"), where)
    _all(record["shown"], _WHOLE, where, "shown")


def _judgment(record: Mapping[str, Any], where: str) -> None:
    _times(record["times"], where)
    if (record["batch"] is None) != (record["hit"] is None):
        raise InputError(f"{where}: 'batch' and 'hit' must both be numbers, or both null")
    if record["accepted"] != record["times"].get("AcceptTime"):
        raise InputError(f"{where}: 'accepted' is not the AcceptTime of 'times'")
    _scores(record["scores"], where, SCORE)
    for score in record["scores"]:
        _one_of(score, "role", KINDS, where)


def _times(times: Mapping[str, Any], where: str) -> None:
    for name, text in times.items():
        of_kind(text, str, where, f"time {name!r}")


def _scores(scores: list[Any], where: str, types: Mapping[str, Types]) -> None:
    seen: set[int] = set()
    for score in scores:
        _members(of_kind(score, dict, where, "a score"), types, where, ())
        _within(score["value"], where, "value")
        if score["value"] is not None and score_of(score["raw"]) != score["value"]:
            raise InputError(
                f"{where}: slot {score['slot']} has the value {score['value']!r}, which is not what the answer"
                f" as it came, {quoted(score['raw'], 40)}, gives"
            )
        if score["slot"] < 1 or score["slot"] in seen:
            raise InputError(f"{where}: slot {score['slot']} stands twice, or is below 1")
        seen.add(score["slot"])


def _retraction(record: Mapping[str, Any], where: str) -> None:
    _members(record["judgment"], RETRACTED, where, ())
    _times(record["judgment"]["times"], where)
    _scores(record["judgment"]["scores"], where, {n: t for n, t in SCORE.items() if n != "role"})


_MORE = {
    "campaign": _campaign,
    "item": _item,
    "annotator": _annotator,
    "hit": _hit,
    "assignment": _assignment,
    "judgment": _judgment,
    "retraction": _retraction,
}
