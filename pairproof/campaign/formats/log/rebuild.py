"""Makes a campaign from its log.

Whatever follows from other lines is computed again: which judgments count, when they were returned, and the
state of the items.  Afterwards the log of the new campaign is compared with the one that was read, line by
line; a difference is an error, and no campaign is made then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError
from ....files.inputs import read_file
from ....files.packed import unpacked
from ....native.annotation.methods import ScoreState, Settings
from ....text import quoted, shortened
from ...hits.assigning import remember_judgments, remember_tokens
from ...results.settle import settle
from ...storage.design import Design
from ...storage.migration import RETRACTION
from ...storage.records import About, recount_all, save_state, state_of, write_about
from ...storage.store import Store, created
from ...storage.times import stored_times
from .checked import Line, read_log
from .lines import records, state_names

#: Tolerance within which the state in the log and the state that its judgments give must agree: sums of the
#: same scores in another order differ by rounding, some 1e-13 for a thousand scores.
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
        settle(store, a)
        recount_all(store, a)
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
        raise InputError(f"{line.where}: settings or design have a value of another type: {error}") from error
    columns = tuple(r["columns"])
    return About(
        r["id"], r["method"], r["per_hit"], settings, r["pool"], r["seed"], columns, r["imported"], design
    )


class _Rebuilder:
    """Inserts the lines of a log into an empty campaign."""

    def __init__(self, store: Store, a: About, lines: Sequence[Line]) -> None:
        self.store, self.about, self.lines = store, a, lines
        self.item: dict[str, int] = {}
        self.annotator: dict[str, int] = {}
        self.hits: dict[tuple[int, int], int] = {}
        self.known: dict[str, set[Any]] = {}

    def of(self, kind: str) -> Iterator[Line]:
        return (line for line in self.lines if line.kind == kind)

    def run(self) -> None:
        """Insert all lines but the state, in an order in which each finds what it names."""
        self._rules()
        self._texts()
        self._items()
        self._annotators()
        self._hits()
        self._assignments()
        self._results()
        self._judgments()
        self._retractions()
        for line in self.of("look"):
            r = line.record
            self._once("look", r["number"], line)
            answer = json.dumps(r["answer"], sort_keys=True, ensure_ascii=False)
            self._insert("look", [(r["number"], r["at"], r["judgments"], r["rule"], answer)])

    def _insert(self, table: str, rows: Sequence[Sequence[Any]], columns: Sequence[str] = ()) -> None:
        if rows:
            names = f" ({', '.join(columns)})" if columns else ""
            self.store.db.executemany(
                f"INSERT INTO {table}{names} VALUES ({', '.join('?' * len(rows[0]))})", rows
            )

    def _once(self, what: str, key: Any, line: Line) -> None:
        """Refuse a number or name that stands in two lines."""
        seen = self.known.setdefault(what, set())
        if key in seen:
            raise InputError(f"{line.where}: {what} {quoted(key)} stands in two lines; expected one")
        seen.add(key)

    def _found(self, known: dict[Any, int], key: Any, line: Line, what: str) -> int:
        if key not in known:
            raise InputError(f"{line.where}: no line has the {what} {quoted(key)}")
        return known[key]

    def _rules(self) -> None:
        rules = self.lines[0].record["rules"]
        rows = [
            (
                r["name"],
                json.dumps(r["value"], sort_keys=True, ensure_ascii=False),
                r["fixed"],
                r["after_judgments"],
            )
            for r in rules
        ]
        self._insert("rule", rows, ("name", "value", "fixed", "after_judgments"))

    def _texts(self) -> None:
        for line in self.of("text"):
            r = line.record
            self._once("text", (r["name"], r["lang"]), line)
            self._insert("text", [(r["name"], r["lang"], r["dir"], r["body"])])

    def _items(self) -> None:
        lines = list(self.of("item"))
        for k, line in enumerate(lines):
            self._once("item", line.record["id"], line)
            self.item[line.record["id"]] = k
        if not lines:
            raise InputError(f"{self.lines[0].where}: the log has no items")
        rows = []
        for k, line in enumerate(lines):
            r = line.record
            if tuple(r["fields"]) != self.about.columns:
                raise InputError(f"{line.where}: 'fields' has other names than the campaign's 'columns'")
            of = None if r["of"] is None else self._found(self.item, r["of"], line, "item")
            cells = json.dumps(list(r["fields"].values()), ensure_ascii=False)
            known = (r["role"], of, r["source"], r["system"], r["gold"])
            rows.append((k, r["id"], cells, *r["start"], *r["start"], *known))
        self._insert("item", rows)
        try:
            state_of(self.store, self.about.method, at_start=True)
        except InputError as error:  # a start that the method cannot have
            raise InputError(f"{lines[0].where} and later lines, 'start': {error}") from error

    def _annotators(self) -> None:
        names = ("number", "name", "token", "state", "since", "why")
        for line in self.of("annotator"):
            r = line.record
            for what in ("number", "name") + (("token",) if r["token"] is not None else ()):
                self._once(f"annotator's {what}", r[what], line)
            self.annotator[r["name"]] = r["number"]
            self._insert("annotator", [[r[name] for name in names]], names)

    def _hits(self) -> None:
        for line in self.of("batch"):
            r = line.record
            self._once("batch", r["number"], line)
            self._insert("batch", [(r["number"], r["opened"], r["hits"])])
            if r["judgments"] is not None:
                remember_judgments(self.store, r["number"], r["judgments"])
            if r.get("tokens"):
                remember_tokens(self.store, r["number"])
        batches = self.known.get("batch", set())
        for line in self.of("hit"):
            r = line.record
            key = (r["batch"], r["hit"])
            self._once("HIT", key, line)
            if r["batch"] not in batches:
                raise InputError(f"{line.where}: no line has the batch {r['batch']}")
            self.hits[key] = len(r["items"])
            items = [self._found(self.item, name, line, "item") for name in r["items"]]
            plan = None if r["plan"] is None else json.dumps(r["plan"])
            self._insert("hit", [(*key, json.dumps(items), r["purpose"], plan)])

    def _assignments(self) -> None:
        for line in self.of("assignment"):
            r = line.record
            key = (r["batch"], r["hit"])
            slots = self._found(self.hits, key, line, "HIT")
            who = self._found(self.annotator, r["annotator"], line, "annotator")
            self._once("assignment", (who, *key), line)
            if sorted(r["shown"]) != list(range(1, slots + 1)):
                raise InputError(f"{line.where}: 'shown' must hold each slot of the HIT, 1 to {slots}, once")
            row = (r["given"], r["due"], r["state"], r["place"], json.dumps(r["shown"]))
            self._insert("assignment", [(who, *key, *row)])

    def _results(self) -> None:
        names = ("number", "name", "sha256", "taken", "rows", "new")
        for line in self.of("results"):
            self._once("results file", line.record["number"], line)
            self._insert("received", [[line.record[name] for name in names]], names)

    def _judgments(self) -> None:
        files = {n: n for n in self.known.get("results file", set())}
        for line in self.of("judgment"):
            r = line.record
            self._once("judgment", r["number"], line)
            self._once("identity", r["identity"], line)
            self._found(files, r["results"], line, "results file")
            if r["batch"] is not None:
                self._found(self.hits, (r["batch"], r["hit"]), line, "HIT")
            who = None
            if r["annotator"] is not None:
                who = self._found(self.annotator, r["annotator"], line, "annotator")
            columns = (
                "number", "identity", "batch", "hit", "hit_id", "assignment", "worker", "times", "received",
                "row", "annotator", "submitted", "seconds", "counted", "why", "repeat_of",
            )  # fmt: skip
            plain = [r[name] for name in columns[:7]]
            times = (json.dumps(r["times"]), r["results"], r["row"], who, *stored_times(r["times"]))
            self._insert("judgment", [(*plain, *times, int(r["counted"]), r["why"], r["repeat_of"])], columns)
            self._insert("score", [(r["number"], *row) for row in self._scores(r, line)])

    def _scores(self, r: dict[str, Any], line: Line) -> Iterator[tuple[Any, ...]]:
        for s in r["scores"]:
            item = self._found(self.item, s["item"], line, "item")
            more = (s["role"],) if "role" in s else ()
            yield (s["slot"], item, s["value"], s["raw"], *more)

    def _retractions(self) -> None:
        lines = list(self.of("retraction"))
        if lines:
            self.store.db.execute(RETRACTION)
        files = {n: n for n in self.known.get("results file", set())}
        for line in lines:
            r = line.record
            self._once("retraction", r["number"], line)
            kept = dict(r["judgment"])
            self._found(files, kept["received"], line, "results file")
            if kept["batch"] is not None:
                self._found(self.hits, (kept["batch"], kept["hit"]), line, "HIT")
            kept["scores"] = [list(row) for row in self._scores(kept, line)]
            kept["times"] = json.dumps(kept["times"])
            judgment = json.dumps(kept, ensure_ascii=False)
            row = (r["number"], r["at"], r["why"], kept["identity"], judgment, r["undone"])
            self._insert("retraction", [row])


def _keep_state(store: Store, a: About, line: Line) -> None:
    """Keep the state in the log, to the last digit, if it is the one that the judgments give."""
    found = state_of(store, a.method)
    first, second = state_names(a.method)
    n = line.record["n"]
    columns = []
    for name, own in ((first, found.a), (second, found.b)):
        values = np.array([np.nan if v is None else v for v in line.record[name]], np.float64)
        if values.shape != own.shape or not np.allclose(values, own, rtol=0.0, atol=AGREE, equal_nan=True):
            raise InputError(
                f"{line.where}: {name!r} is not what the judgments in the log give; lines were changed, or"
                " are missing"
            )
        columns.append(values)
    if n != found.n.tolist():
        raise InputError(f"{line.where}: 'n' does not count the judgments in the log")
    save_state(store, ScoreState(a.method, columns[0], columns[1], found.n), range(len(found.n)))


def _check_same(store: Store, lines: Sequence[Line]) -> None:
    """Refuse a log that the new campaign would not write again."""
    for line, record in zip(lines, records(store)):
        if line.record != record:
            names = [name for name in record if record[name] != line.record.get(name)] or ["kind"]
            was, now = line.record.get(names[0]), record.get(names[0])
            raise InputError(
                f"{line.where}: {names[0]!r} is {shortened(json.dumps(was))}, but from the other lines it"
                f" follows that it is {shortened(json.dumps(now))}"
            )
