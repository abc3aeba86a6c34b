"""Writes a campaign as JSON Lines: every item, annotator, HIT, judgment and decision, a line each.

The first line is the campaign with its settings and rules, the last the state of the items; between them, in
this order: texts, items, annotators, batches, HITs, assignments, results files, judgments, retractions and
looks at stopping rules.  Items are named by their ids and annotators by their names.  What follows from
other lines (the state, whether a judgment counts) is written too, so that the log can be read without
pairproof; `import` computes it again and refuses a log in which it differs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from ....native.annotation.methods import BETA, Method
from ...hits.assigning import judgments_of_batches
from ...results.retraction import has_table
from ...storage.annotators import batches_with_tokens
from ...storage.records import About, about, ids_of, state_of
from ...storage.rules import rules_of
from ...storage.store import Store
from ...storage.texts import texts_of

#: Version of the schema that the first line names.
SCHEMA = 2
#: Characters within texts that some readers take for the end of a line, written as escapes.
_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def log_text(store: Store) -> str:
    """The log of an open campaign."""
    return "".join(line_of(record) for record in records(store))


def line_of(record: dict[str, Any]) -> str:
    """A record as its line, with the line end."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_ENDS) + "\n"


def records(store: Store) -> Iterator[dict[str, Any]]:
    """The lines of the log, as objects, in their order."""
    a, ids = about(store), ids_of(store)
    names = dict(store.db.execute("SELECT number, name FROM annotator"))
    yield _campaign(store, a)
    for name, lang, dir_, body in texts_of(store):
        yield {"kind": "text", "name": name, "lang": lang, "dir": dir_, "body": body}
    yield from _items(store, a, ids)
    yield from _annotators(store)
    yield from _batches(store, ids)
    yield from _assignments(store, names)
    yield from _results(store)
    yield from _judgments(store, ids, names)
    yield from _retractions(store, ids)
    yield from _looks(store)
    yield _state(store, a.method)


def _campaign(store: Store, a: About) -> dict[str, Any]:
    rules = [
        {"name": r.name, "value": r.value, "fixed": r.fixed, "after_judgments": r.after_judgments}
        for r in rules_of(store)
    ]
    return {
        "kind": "campaign",
        "schema": SCHEMA,
        "id": a.id,
        "method": a.method,
        "per_hit": a.per_hit,
        "settings": asdict(a.settings),
        "pool": a.pool,
        "seed": a.seed,
        "columns": list(a.columns),
        "imported": a.imported,
        "design": {**a.design.to_dict(), "show": list(a.design.show)},
        "rules": rules,
    }


def _items(store: Store, a: About, ids: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    query = (
        "SELECT id, fields, role, of, source, system, gold, a0, b0, n0 FROM item ORDER BY position"
    )  # fmt: skip
    for name, fields, role, of, source, system, gold, *start in store.db.execute(query):
        yield {
            "kind": "item",
            "id": name,
            "fields": dict(zip(a.columns, json.loads(fields))),
            "role": role,
            "of": None if of is None else ids[of],
            "source": source,
            "system": system,
            "gold": gold,
            "start": start,
        }


def _annotators(store: Store) -> Iterator[dict[str, Any]]:
    names = ("number", "name", "token", "state", "since", "why")
    for row in store.db.execute(f"SELECT {', '.join(names)} FROM annotator ORDER BY number"):
        yield {"kind": "annotator", **dict(zip(names, row))}


def _batches(store: Store, ids: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    each, tokens = judgments_of_batches(store), batches_with_tokens(store)
    for number, opened, hits in store.db.execute("SELECT number, opened, hits FROM batch ORDER BY number"):
        judgments = each.get(number)
        more = {"tokens": True} if number in tokens else {}
        yield {
            "kind": "batch",
            "number": number,
            "opened": opened,
            "hits": hits,
            "judgments": judgments,
            **more,
        }
    query = "SELECT batch, number, items, kind, plan FROM hit ORDER BY batch, number"
    for batch, number, items, purpose, plan in store.db.execute(query):
        yield {
            "kind": "hit",
            "batch": batch,
            "hit": number,
            "purpose": purpose,
            "items": [ids[i] for i in json.loads(items)],
            "plan": None if plan is None else json.loads(plan),
        }


def _assignments(store: Store, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    query = (
        "SELECT annotator, batch, hit, given, due, state, place, shown FROM assignment"
        " ORDER BY annotator, batch, hit"
    )
    for who, batch, hit, given, due, state, place, shown in store.db.execute(query):
        yield {
            "kind": "assignment",
            "annotator": names[who],
            "batch": batch,
            "hit": hit,
            "given": given,
            "due": due,
            "state": state,
            "place": place,
            "shown": json.loads(shown),
        }


def _results(store: Store) -> Iterator[dict[str, Any]]:
    names = ("number", "name", "sha256", "taken", "rows", "new")
    for row in store.db.execute(f"SELECT {', '.join(names)} FROM received ORDER BY number"):
        yield {"kind": "results", **dict(zip(names, row))}


#: Members of a judgment's line -> columns of the database, where these are taken as they stand.
PLAIN_JUDGMENT = {
    "number": "number", "identity": "identity", "batch": "batch", "hit": "hit", "hit_id": "hit_id",
    "assignment": "assignment", "worker": "worker", "results": "received", "row": "row",
    "submitted": "submitted", "seconds": "seconds", "why": "why", "repeat_of": "repeat_of",
}  # fmt: skip


def _judgments(store: Store, ids: tuple[str, ...], names: dict[int, str]) -> Iterator[dict[str, Any]]:
    scores: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for judgment, slot, item, role, raw, value in store.db.execute(
        "SELECT judgment, slot, item, kind, raw, value FROM score ORDER BY judgment, slot"
    ):
        scores[judgment].append({"slot": slot, "item": ids[item], "role": role, "raw": raw, "value": value})
    columns = ", ".join(PLAIN_JUDGMENT.values())
    query = f"SELECT times, annotator, counted, {columns} FROM judgment ORDER BY number"
    for times, who, counted, *rest in store.db.execute(query):
        plain = dict(zip(PLAIN_JUDGMENT, rest))
        when = json.loads(times)
        yield {
            "kind": "judgment",
            **plain,
            "annotator": None if who is None else names[who],
            "counted": bool(counted),
            "accepted": when.get("AcceptTime"),
            "times": when,
            "scores": scores[plain["number"]],
        }


def _retractions(store: Store, ids: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not has_table(store):
        return
    query = "SELECT number, at, why, identity, judgment, undone FROM retraction ORDER BY number"
    for number, at, why, identity, text, undone in store.db.execute(query):
        kept = json.loads(text)
        scores = [
            {"slot": slot, "item": ids[item], "value": value, "raw": raw}
            for slot, item, value, raw in kept.pop("scores")
        ]
        times = json.loads(kept.pop("times"))
        yield {
            "kind": "retraction",
            "number": number,
            "at": at,
            "why": why,
            "undone": undone,
            "judgment": {**kept, "times": times, "scores": scores},
        }


def _looks(store: Store) -> Iterator[dict[str, Any]]:
    query = "SELECT number, at, judgments, rule, answer FROM look ORDER BY number"
    for number, at, judgments, rule, answer in store.db.execute(query):
        yield {
            "kind": "look",
            "number": number,
            "at": at,
            "judgments": judgments,
            "rule": rule,
            "answer": json.loads(answer),
        }


def state_names(method: Method) -> tuple[str, str]:
    """What the two numbers of an item's state are called under a method."""
    if method in BETA:
        return "alpha", "beta"
    return ("mu", "var") if method == "trueskill" else ("mean", "squares")


def _state(store: Store, method: Method) -> dict[str, Any]:
    state = state_of(store, method)
    first, second = state_names(method)
    columns = ([None if np.isnan(v) else v for v in c.tolist()] for c in (state.a, state.b))
    return {"kind": "state", **dict(zip((first, second), columns)), "n": state.n.tolist()}
