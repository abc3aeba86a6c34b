"""Makes a campaign from its log, which is read strictly.

Every line has the members of its kind, of their types, and no others.  The lines are checked one by one;
that they fit each other (a score's item exists, a judgment that is set aside repeats another) is checked
when the campaign is made of them.  Whatever follows from other lines is computed again: which judgments
count, when they were returned, and the state of the items.  Afterwards the log of the new campaign is
compared with the one that was read, line by line; a difference is an error, and no campaign is made then.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..errors import InputError
from ..files.inputs import decoded, exactly, of_kind, parsed, read_file, unpacked
from ..files.packaged import packaged_toml
from ..native.annotation.allocation import Pool
from ..native.annotation.methods import METHODS, ScoreState, Settings
from ..text import quoted, shortened
from .exports import SCHEMA, records, state_names
from .hits.assigning import remember_judgments, remember_tokens
from .storage.contents import score_of
from .storage.design import KINDS, ROLES, Design, State, stored_times
from .storage.records import About, save_state, state_of, write_about
from .storage.rules import settle_and_count
from .storage.store import RETRACTION, Store, created

Types = tuple[type, ...]
_NONE: type = type(None)
_TYPES: dict[str, Types] = {"text": (str,), "whole": (int,), "number": (int, float)}
_TYPES |= {"list": (list,), "object": (dict,)}
_TYPES |= {f"{name} or null": (*types, _NONE) for name, types in _TYPES.items()} | {"true or false": (bool,)}
_ALL = {
    kind: {name: _TYPES[told] for name, told in own.items()}
    for kind, own in packaged_toml(__package__, "log_members.toml").items()
}
#: Members of objects inside a line.
SETTINGS, RULE, SCORE, RETRACTED = map(_ALL.pop, ("settings", "a rule", "a score", "a retracted judgment"))
#: Kind of line -> member -> its types.
MEMBERS: dict[str, dict[str, Types]] = _ALL
#: Members that lines have only where they say something; earlier logs are without them.
LATER: dict[str, dict[str, Types]] = {"batch": {"tokens": (bool,)}}
#: The words that a member may be.
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "item": {"role": ROLES},
    "annotator": {"state": get_args(State)},
    "hit": {"purpose": ("work", "qualification", "calibration")},
    "assignment": {"state": ("open", "returned", "expired", "withdrawn")},
}
#: The kinds in the order of their lines; after them comes the state.
ORDER = (*MEMBERS, "state")


@dataclass(frozen=True)
class Line:
    """A checked line of a log, with its place for messages."""

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
            raise InputError(f"{where}: kind {kind!r}; expected kind 'campaign' in the first line only")
        last = found[-1].kind if found else "campaign"
        if ORDER.index(kind) < ORDER.index(last):
            raise InputError(f"{where}: kind {kind!r} after {last!r}; expected the order of the log")
        if last == "state":
            raise InputError(f"{where}: a line after the state; expected the state in the last line")
        _check(kind, record, where, found[0].record if found else record)
        found.append(Line(where, kind, record))
    if not found or found[-1].kind != "state":
        cut = "the file may have been cut off: fetch it again"
        raise InputError(f"{source}: no state in its last line; {cut}")
    return found


def _check(kind: str, record: Mapping[str, Any], where: str, campaign: Mapping[str, Any]) -> None:
    if kind == "state":
        names = (*state_names(campaign["method"]), "n")
        _members(record, dict.fromkeys(names, (list,)), where)
        return
    _members(record, MEMBERS[kind], where)
    for name, allowed in WORDS.get(kind, {}).items():
        _one_of(record, name, allowed, where)
    if kind == "assignment":
        _all(record["shown"], (int,), where, "shown")
    elif kind in _MORE:
        _MORE[kind](record, where)


def _members(
    record: Mapping[str, Any], types: Mapping[str, Types], where: str, more: tuple[str, ...] = ("kind",)
) -> None:
    later = LATER.get(str(record.get("kind")), {})
    own = {**types, **{name: allowed for name, allowed in later.items() if name in record}}
    exactly(record, (*more, *own), where)
    for name, allowed in own.items():
        of_kind(record[name], allowed, where, f"{name!r}")


def _one_of(record: Mapping[str, Any], name: str, allowed: tuple[str, ...], where: str) -> None:
    if record[name] not in allowed:
        raise InputError(f"{where}: {name!r} is {quoted(record[name])}; expected {', '.join(allowed)}")


def _all(values: list[Any], types: Types, where: str, what: str) -> None:
    for value in values:
        of_kind(value, types, where, f"an entry of {what!r}")


def _campaign(record: Mapping[str, Any], where: str) -> None:
    if record["schema"] != SCHEMA:
        raise InputError(f"{where}: schema {record['schema']}; this pairproof reads logs of schema {SCHEMA}")
    _one_of(record, "method", METHODS, where)
    _one_of(record, "pool", get_args(Pool), where)
    if not record["id"] or record["per_hit"] < 1 or record["seed"] < 0:
        raise InputError(f"{where}: expected an id, at least 1 item per_hit, and a seed of at least 0")
    _all(record["columns"], (str,), where, "columns")
    if len(set(record["columns"])) < len(record["columns"]):
        raise InputError(f"{where}: a column appears twice in 'columns'")
    _members(record["settings"], SETTINGS, f"{where}, settings", ())
    exactly(record["design"], tuple(f.name for f in fields(Design)), f"{where}, design")
    for k, rule in enumerate(record["rules"], 1):
        place = f"{where}, rule {k}"
        _members(of_kind(rule, dict, place, "it"), RULE, place, ("value",))


def _item(record: Mapping[str, Any], where: str) -> None:
    for name, cell in record["fields"].items():
        of_kind(cell, str, where, f"field {name!r}")
    _within(record["gold"], where, "gold")
    if (entries := len(record["start"])) != 3:
        raise InputError(f"{where}: 'start' has {entries} entries; expected 3 (two numbers and n)")
    _all(record["start"][:2], _TYPES["number or null"], where, "start")
    of_kind(record["start"][2], int, where, "n in 'start'")


def _within(value: float | None, where: str, what: str) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{where}: {what} {value}; expected a number from 0 to 1")


def _hit(record: Mapping[str, Any], where: str) -> None:
    _all(record["items"], (str,), where, "items")
    if not record["items"]:
        raise InputError(f"{where}: a HIT without items")
    plan = record["plan"]
    if plan is not None and (len(plan) != len(record["items"]) or not all(k in KINDS for k in plan)):
        raise InputError(f"{where}: 'plan' must name one of {', '.join(KINDS)} for each item of the HIT")


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
                f"{where}: slot {score['slot']} has the value {score['value']!r}, but the original"
                f" answer {quoted(score['raw'], 40)} gives another value"
            )
        if score["slot"] < 1 or score["slot"] in seen:
            raise InputError(f"{where}: slot {score['slot']} appears twice, or is below 1")
        seen.add(score["slot"])


def _retraction(record: Mapping[str, Any], where: str) -> None:
    _members(record["judgment"], RETRACTED, where, ())
    _times(record["judgment"]["times"], where)
    _scores(record["judgment"]["scores"], where, {n: t for n, t in SCORE.items() if n != "role"})


_MORE = {"campaign": _campaign, "item": _item, "hit": _hit, "judgment": _judgment, "retraction": _retraction}


#: Tolerance within which the state in the log and the state that its judgments give must agree: sums of the
#: same scores in another order differ by rounding (observed: 2.2e-12, a thousand scores in 2,000 orders).
AGREE = 1e-9


@dataclass(frozen=True)
class Rebuilt:
    """A campaign that was made from a log."""

    about: About
    items: int
    judgments: int


def from_log(path: str | Path, log: str | Path) -> Rebuilt:
    """Make a campaign from a log.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    log : path
        A file that `export` wrote with what="log".

    Returns
    -------
    Rebuilt

    Raises
    ------
    InputError
        A line is not as a log has it, names something that no other line has, or contradicts other lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pairproof import campaign
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "items.csv").write_text("id,sent\\na,one\\nb,two\\n")
    >>> made = campaign.create(folder / "C.db", folder / "items.csv", per_hit=2)
    >>> campaign.export(folder / "C.db", folder / "log.jsonl", "log")
    4
    >>> again = campaign.from_log(folder / "D.db", folder / "log.jsonl")
    >>> (again.about == made, again.items, again.judgments)
    (True, 2, 0)
    """
    raw = unpacked(read_file(log, "a log of a campaign"), str(log))
    lines = read_log(raw, str(log))
    a = _about(lines[0])
    with created(path) as store:
        write_about(store, a)
        _Rebuilder(store, a, lines).run()
        settle_and_count(store, a, recount=True)
        _keep_state(store, a, lines[-1])
        _check_same(store, lines)
    count = [line.kind for line in lines]
    return Rebuilt(a, count.count("item"), count.count("judgment"))


def _about(line: Line) -> About:
    r = line.record
    try:
        settings, design = Settings(**r["settings"]), Design.from_dict(r["design"])
    except InputError as error:
        raise InputError(f"{line.where}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{line.where}: settings or design: a value of the wrong type: {error}") from error
    given = {name: r[name] for name in ("id", "method", "per_hit", "pool", "seed", "imported")}
    return About(**given, settings=settings, columns=tuple(r["columns"]), design=design)


def _stored(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


class _Rebuilder:
    """Inserts the lines of a log into an empty campaign."""

    def __init__(self, store: Store, a: About, lines: Sequence[Line]) -> None:
        self.store, self.about, self.lines = store, a, lines
        self.known: dict[str, dict[Any, int]] = defaultdict(dict)

    def run(self) -> None:
        """Insert all lines but the state; they stand in an order in which each finds what it names."""
        items = [line for line in self.lines if line.kind == "item"]
        for k, line in enumerate(items):
            self._once("item", line.record["id"], line, k)
        if not items:
            raise InputError(f"{self.lines[0].where}: the log has no items")
        for rule in self.lines[0].record["rules"]:
            self.store.insert("rule", {**rule, "value": _stored(rule["value"])})
        if any(line.kind == "retraction" for line in self.lines):
            self.store.db.execute(RETRACTION)
        kinds = {"text": self._text, "item": self._item, "annotator": self._annotator, "batch": self._batch}
        kinds |= {"hit": self._hit, "assignment": self._assignment, "results": self._results}
        kinds |= {"judgment": self._judgment, "retraction": self._retraction, "look": self._look}
        for line in self.lines[1:-1]:
            kinds[line.kind](line, {name: v for name, v in line.record.items() if name != "kind"})
        try:
            state_of(self.store, self.about.method, at_start=True)
        except InputError as error:  # a start that the method cannot have
            raise InputError(f"{items[0].where} and later lines, 'start': {error}") from error

    def _once(self, what: str, key: Any, line: Line, number: int = 0) -> None:
        """Refuse a number or name that stands in two lines; keep what it stands for."""
        if key in self.known[what]:
            raise InputError(f"{line.where}: {what} {quoted(key)} appears in two lines; expected one")
        self.known[what][key] = number

    def _found(self, what: str, key: Any, line: Line) -> int:
        if key not in self.known[what]:
            raise InputError(f"{line.where}: no line has the {what} {quoted(key)}")
        return self.known[what][key]

    def _text(self, line: Line, r: dict[str, Any]) -> None:
        self._once("text", (r["name"], r["lang"]), line)
        self.store.insert("text", r)

    def _item(self, line: Line, r: dict[str, Any]) -> None:
        if tuple(r["fields"]) != self.about.columns:
            raise InputError(f"{line.where}: the names in 'fields' differ from the campaign's 'columns'")
        of = None if r["of"] is None else self._found("item", r["of"], line)
        cells = json.dumps(list(r["fields"].values()), ensure_ascii=False)
        start = r.pop("start")
        state = dict(zip(("a0", "b0", "n0", "a", "b", "n"), (*start, *start)))
        place = {"position": self.known["item"][r["id"]], "fields": cells, "of": of}
        self.store.insert("item", {**r, **place, **state})

    def _annotator(self, line: Line, r: dict[str, Any]) -> None:
        for what in ("number", "name", "token"):
            if r[what] is not None:
                self._once(f"annotator's {what}", r[what], line)
        self.known["annotator"][r["name"]] = r["number"]
        self.store.insert("annotator", r)

    def _batch(self, line: Line, r: dict[str, Any]) -> None:
        self._once("batch", r["number"], line)
        if r.pop("tokens", False):
            remember_tokens(self.store, r["number"])
        judgments = r.pop("judgments")
        self.store.insert("batch", r)
        if judgments is not None:
            remember_judgments(self.store, r["number"], judgments)

    def _hit(self, line: Line, r: dict[str, Any]) -> None:
        self._once("HIT", (r["batch"], r["hit"]), line, len(r["items"]))
        self._found("batch", r["batch"], line)
        items = [self._found("item", name, line) for name in r["items"]]
        plan = None if r["plan"] is None else json.dumps(r["plan"])
        own = {"batch": r["batch"], "number": r["hit"], "kind": r["purpose"]}
        self.store.insert("hit", {**own, "items": json.dumps(items), "plan": plan})

    def _assignment(self, line: Line, r: dict[str, Any]) -> None:
        key = (r["batch"], r["hit"])
        slots = self._found("HIT", key, line)
        who = self._found("annotator", r["annotator"], line)
        self._once("assignment", (who, *key), line)
        if sorted(r["shown"]) != list(range(1, slots + 1)):
            raise InputError(f"{line.where}: 'shown' must hold each slot of the HIT, 1 to {slots}, once")
        self.store.insert("assignment", {**r, "annotator": who, "shown": json.dumps(r["shown"])})

    def _results(self, line: Line, r: dict[str, Any]) -> None:
        self._once("results file", r["number"], line)
        self.store.insert("received", r)

    def _judgment(self, line: Line, r: dict[str, Any]) -> None:
        self._once("judgment", r["number"], line)
        self._once("identity", r["identity"], line)
        r["received"] = r.pop("results")
        self._placed(r, line)
        if r["annotator"] is not None:
            r["annotator"] = self._found("annotator", r["annotator"], line)
        r["submitted"], r["seconds"] = stored_times(r["times"])
        r |= {"times": json.dumps(r["times"]), "counted": int(r["counted"])}
        scores, _ = r.pop("scores"), r.pop("accepted")
        self.store.insert("judgment", r)
        for s in scores:
            own = {name: s[name] for name in ("slot", "value", "raw")}
            item = {"judgment": r["number"], "item": self._found("item", s["item"], line)}
            self.store.insert("score", {**item, **own, "kind": s["role"]})

    def _placed(self, r: dict[str, Any], line: Line) -> None:
        """Check that the results file and the HIT of a judgment are there."""
        self._found("results file", r["received"], line)
        if r["batch"] is not None:
            self._found("HIT", (r["batch"], r["hit"]), line)

    def _retraction(self, line: Line, r: dict[str, Any]) -> None:
        self._once("retraction", r["number"], line)
        kept = dict(r["judgment"])
        self._placed(kept, line)
        given = ((self._found("item", s["item"], line), s) for s in kept["scores"])
        kept["scores"] = [[s["slot"], item, s["value"], s["raw"]] for item, s in given]
        kept["times"] = json.dumps(kept["times"])
        judgment = json.dumps(kept, ensure_ascii=False)
        self.store.insert("retraction", {**r, "identity": kept["identity"], "judgment": judgment})

    def _look(self, line: Line, r: dict[str, Any]) -> None:
        self._once("look", r["number"], line)
        self.store.insert("look", {**r, "answer": _stored(r["answer"])})


def _keep_state(store: Store, a: About, line: Line) -> None:
    """Keep the state in the log, to the last digit, if it is the one that the judgments give."""
    found = state_of(store, a.method)
    columns = []
    for name, own in zip(state_names(a.method), (found.a, found.b)):
        values = np.array([np.nan if v is None else v for v in line.record[name]], np.float64)
        if values.shape != own.shape or not np.allclose(values, own, rtol=0.0, atol=AGREE, equal_nan=True):
            raise InputError(
                f"{line.where}: {name!r} does not match the judgments in the log; lines were"
                " changed, or are missing"
            )
        columns.append(values)
    if line.record["n"] != found.n.tolist():
        raise InputError(f"{line.where}: 'n' does not count the judgments in the log")
    save_state(store, ScoreState(a.method, columns[0], columns[1], found.n), range(len(found.n)))


def _check_same(store: Store, lines: Sequence[Line]) -> None:
    """Refuse a log that the new campaign would not write again."""
    for line, record in zip(lines, records(store)):
        if line.record != record:
            names = [name for name in record if record[name] != line.record.get(name)] or ["kind"]
            was, now = line.record.get(names[0]), record.get(names[0])
            raise InputError(
                f"{line.where}: {names[0]!r} is {shortened(json.dumps(was))}, but the"
                f" other lines give {shortened(json.dumps(now))}"
            )
