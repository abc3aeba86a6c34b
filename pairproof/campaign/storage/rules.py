"""Rules that were fixed, looks at them, and which judgments count by them.

A judgment counts unless its annotator is excluded, its HIT belongs to a qualification batch, or it repeats
the answer of the same annotator to the same HIT.  Of such repeats one counts: the first or the last by
SubmitTime (in UTC; without one by identity, after those that have one), never by arrival, so that files give
the same state in whatever order they come.  Nothing is deleted: what does not count says why, and repeats
measure how consistent an annotator is.

The same HIT is the same batch and HIT; without these the same HITId; without that the same items in the same
order.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from ...data.options import one_of
from ...errors import InputError
from .design import OnRepeat, now
from .records import About, about, recount_all, write_about
from .store import Store, opened

#: Most characters of a rule in words.
LONGEST = 2000


@dataclass(frozen=True)
class Rule:
    """A rule (repeats, exclusion, qualification, stop) as it was fixed, after so many judgments."""

    number: int
    name: str
    value: Any
    fixed: str
    after_judgments: int


@dataclass(frozen=True)
class Look:
    """A look at a stopping rule."""

    number: int
    at: str
    judgments: int
    rule: str
    answer: dict[str, Any]


def rules_of(store: Store) -> tuple[Rule, ...]:
    rows = store.db.execute("SELECT number, name, value, fixed, after_judgments FROM rule ORDER BY number")
    return tuple(Rule(n, name, json.loads(value), fixed, after) for n, name, value, fixed, after in rows)


def write_rule(store: Store, name: str, value: Any) -> bool:
    """Fix a rule, the last of its name holds; whether it differs from the one before."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    if store.value("SELECT value FROM rule WHERE name = ? ORDER BY number DESC LIMIT 1", (name,)) == text:
        return False
    store.db.execute(
        "INSERT INTO rule (name, value, fixed, after_judgments) SELECT ?, ?, ?, COUNT(*) FROM judgment",
        (name, text, now()),
    )
    return True


def rules_hash(rules: Iterable[Rule]) -> str:
    """A short hash of rules in their order: with one hash reports followed the same, fixed as early."""
    rows = [(r.name, r.value, r.after_judgments) for r in rules]
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode("utf-8")).hexdigest()[:12]


def fix_exclusion(path: str | Path, text: str) -> tuple[Rule, ...]:
    """Write down in words which annotators will be excluded, beside what was written before; all rules."""
    said = " ".join(text.split())
    if not 1 <= len(said) <= LONGEST:
        raise InputError(f"rule of exclusion: {len(said)} characters; expected 1 to {LONGEST}")
    with opened(path, write=True) as store:
        write_rule(store, "exclusion", said)
        return rules_of(store)


def fixed_rules(path: str | Path) -> tuple[Rule, ...]:
    """All rules of a campaign, in the order in which they were fixed."""
    with opened(path, write=False) as store:
        return rules_of(store)


def looks_of(store: Store) -> tuple[Look, ...]:
    rows = store.db.execute("SELECT number, at, judgments, rule, answer FROM look ORDER BY number")
    return tuple(Look(n, at, judgments, rule, json.loads(answer)) for n, at, judgments, rule, answer in rows)


def write_look(store: Store, judgments: int, rule: str, answer: dict[str, Any]) -> None:
    text = json.dumps(answer, sort_keys=True, ensure_ascii=False, allow_nan=False)
    store.insert("look", {"at": now(), "judgments": judgments, "rule": rule, "answer": text})


def settle(store: Store, a: About) -> set[int]:
    """Settle which judgments count (the items' state is not computed); the numbers of those that changed."""
    rows = store.db.execute(
        "SELECT j.number, j.batch, j.hit, j.hit_id, j.annotator, j.submitted, j.identity, j.counted, j.why,"
        " j.repeat_of, h.kind, p.state FROM judgment j LEFT JOIN hit h ON h.batch = j.batch AND"
        " h.number = j.hit LEFT JOIN annotator p ON p.number = j.annotator"
    ).fetchall()
    repeats = _repeats(store, [row[:7] for row in rows], a.design.on_repeat)
    changed, settled = set(), []
    for number, *_, counted, why, repeat_of, kind, state in rows:
        now = "practice" if kind == "qualification" else ""
        now = "excluded" if state == "excluded" else "repeat" if number in repeats else now
        counts, of = int(not now), repeats[number] if now == "repeat" else None
        if (counts, now, of) != (counted, why, repeat_of):
            settled.append((counts, now, of, number))
        if counts != counted:
            changed.add(number)
    store.db.executemany("UPDATE judgment SET counted = ?, why = ?, repeat_of = ? WHERE number = ?", settled)
    judged = (
        "EXISTS (SELECT 1 FROM judgment j WHERE j.annotator = assignment.annotator AND j.batch = assignment.batch AND"
        " j.hit = assignment.hit)"
    )
    out = "state IN ('open', 'expired', 'withdrawn')"
    store.db.execute(f"UPDATE assignment SET state = 'returned' WHERE {out} AND {judged}")
    store.db.execute(f"UPDATE assignment SET state = 'open' WHERE state = 'returned' AND NOT {judged}")
    return changed


def settle_and_count(store: Store, a: About, *, recount: bool = False) -> int:
    """Settle which judgments count, and compute the state if any changed, or `recount`; how many did."""
    changed = settle(store, a)
    if changed or recount:
        recount_all(store, a)
    return len(changed)


def _repeats(store: Store, rows: list[tuple[int, ...]], rule: OnRepeat) -> dict[int, int]:
    """Judgment -> the one that counts in its place, for the repeats that are set aside."""
    if rule == "both":
        return {}
    groups = defaultdict(list)
    for number, batch, hit, hit_id, annotator, submitted, identity in rows:
        if annotator is None:
            continue  # of answers without a name nobody knows who gave them
        key = (batch, hit) if batch is not None else hit_id or _items(store, number)
        groups[annotator, key].append((submitted is None, submitted or 0.0, str(identity), number))
    found = {}
    for group in (group for group in groups.values() if len(group) > 1):
        last = max(group, key=lambda r: (not r[0], *r[1:]))
        kept = (min(group) if rule == "first" else last)[-1]
        found.update({number: kept for *_, number in group if number != kept})
    return found


def _items(store: Store, judgment: int) -> tuple[int, ...]:
    query = "SELECT item FROM score WHERE judgment = ? ORDER BY slot"
    return tuple(row[0] for row in store.db.execute(query, (judgment,)))


@dataclass(frozen=True)
class Repeats:
    """Judgments beyond the first of the same annotator and HIT, those set aside, and those changed now."""

    on_repeat: OnRepeat
    repeats: int
    set_aside: int
    changed: int


def repeats(path: str | Path, on_repeat: OnRepeat | None = None) -> Repeats:
    """Count the repeats of a campaign; with `on_repeat`, change which of them count."""
    if on_repeat is not None:
        one_of("on_repeat", on_repeat, get_args(OnRepeat))
    with opened(path, write=on_repeat is not None) as store:
        a, changed = about(store), 0
        if on_repeat is not None:
            changed = change_rule(store, a, on_repeat)
            a = about(store)
        set_aside = store.value("SELECT COUNT(*) FROM judgment WHERE why = 'repeat'")
        return Repeats(a.design.on_repeat, n_repeats(store), int(set_aside), changed)


def change_rule(store: Store, a: About, on_repeat: OnRepeat) -> int:
    """Change which repeats count, inside an open transaction; the number of judgments that changed."""
    changed_to = replace(a, design=replace(a.design, on_repeat=on_repeat))
    write_about(store, changed_to)
    write_rule(store, "repeats", on_repeat)
    return settle_and_count(store, changed_to)


def n_repeats(store: Store) -> int:
    """Judgments of an annotator beyond the first of the same HIT."""
    query = "SELECT number, batch, hit, hit_id, annotator, submitted, identity FROM judgment"
    rows = store.db.execute(query).fetchall()
    return len(_repeats(store, rows, "first"))
