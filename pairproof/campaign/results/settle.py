"""Which judgments count.

A judgment counts unless its annotator is excluded, its HIT belongs to a qualification batch, or it repeats
the answer of the same annotator to the same HIT.  Of such repeats one counts: the first or the last by
SubmitTime (in UTC; without one by identity, after those that have one), never by arrival, so that files give
the same state in whatever order they come.  Nothing is deleted: what does not count says why, and repeats
measure how consistent an annotator is.

The same HIT is the same batch and HIT; without these the same HITId; without that the same items in the same
order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ...data.options import one_of
from ..storage.design import OnRepeat
from ..storage.records import About, about, recount_all, with_design, write_about
from ..storage.rules import write_rule
from ..storage.store import Store, opened

#: What a judgment is settled to: counted, why not, and the number of the one that counts in its place.
Settled = tuple[int, str, "int | None"]


def settle(store: Store, a: About) -> set[int]:
    """Settle which judgments count, inside an open transaction; the items' state is not computed here.

    Returns set of int: numbers of the judgments that count now and did not before, or the other way round.
    """
    rows = store.db.execute(
        "SELECT j.number, j.batch, j.hit, j.hit_id, j.annotator, j.submitted, j.identity, j.counted, j.why,"
        " j.repeat_of, h.kind, p.state FROM judgment j LEFT JOIN hit h ON h.batch = j.batch AND"
        " h.number = j.hit LEFT JOIN annotator p ON p.number = j.annotator"
    ).fetchall()
    repeats = _repeats(store, [row[:7] for row in rows], a.design.on_repeat)
    changed, settled = set(), []
    for number, *_, counted, why, repeat_of, kind, state in rows:
        now: Settled = (1, "", None)
        if state == "excluded":
            now = (0, "excluded", None)
        elif number in repeats:
            now = (0, "repeat", repeats[number])
        elif kind == "qualification":
            now = (0, "practice", None)
        if now != (counted, why, repeat_of):
            settled.append((*now, number))
        if now[0] != counted:
            changed.add(number)
    store.db.executemany("UPDATE judgment SET counted = ?, why = ?, repeat_of = ? WHERE number = ?", settled)
    for to, was, has in (
        ("returned", "state IN ('open', 'expired', 'withdrawn')", ""),
        ("open", "state = 'returned'", "NOT"),
    ):
        store.db.execute(
            f"UPDATE assignment SET state = ? WHERE {was} AND {has} EXISTS (SELECT 1 FROM judgment j WHERE"
            " j.annotator = assignment.annotator AND j.batch = assignment.batch AND j.hit = assignment.hit)",
            (to,),
        )
    return changed


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
    for group in groups.values():
        if len(group) == 1:
            continue
        if rule == "first":
            kept = min(group)[-1]
        else:
            kept = max(group, key=lambda r: (not r[0], *r[1:]))[-1]
        found.update({number: kept for *_, number in group if number != kept})
    return found


def _items(store: Store, judgment: int) -> tuple[int, ...]:
    query = "SELECT item FROM score WHERE judgment = ? ORDER BY slot"
    return tuple(row[0] for row in store.db.execute(query, (judgment,)))


@dataclass(frozen=True)
class Repeats:
    """The repeats of a campaign.

    repeats: judgments of an annotator beyond the first of the same HIT.  set_aside: those that do not count.
    changed: judgments that count now and did not before, or the other way round.
    """

    on_repeat: OnRepeat
    repeats: int
    set_aside: int
    changed: int


def repeats(path: str | Path, on_repeat: OnRepeat | None = None) -> Repeats:
    """Count the repeats of a campaign; with `on_repeat`, change which of them count.

    on_repeat: default: nothing changes.
    """
    if on_repeat is not None:
        one_of("on_repeat", on_repeat, get_args(OnRepeat))
    with opened(path, write=on_repeat is not None) as store:
        a, changed = about(store), 0
        if on_repeat is not None:
            changed = change_rule(store, a, on_repeat)
            a = about(store)
        set_aside = store.db.execute("SELECT COUNT(*) FROM judgment WHERE why = 'repeat'").fetchone()[0]
        return Repeats(a.design.on_repeat, n_repeats(store), int(set_aside), changed)


def change_rule(store: Store, a: About, on_repeat: OnRepeat) -> int:
    """Change which repeats count, inside an open transaction; the number of judgments that changed."""
    changed_to = with_design(a, on_repeat=on_repeat)
    write_about(store, changed_to)
    write_rule(store, "repeats", on_repeat)
    changed = settle(store, changed_to)
    if changed:
        recount_all(store, changed_to)
    return len(changed)


def n_repeats(store: Store) -> int:
    """Judgments of an annotator beyond the first of the same HIT."""
    rows = store.db.execute(
        "SELECT number, batch, hit, hit_id, annotator, submitted, identity FROM judgment"
    ).fetchall()
    return len(_repeats(store, rows, "first"))
