"""Stores the HITs of a batch, and reads them back with who gets them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...native.annotation.beta import IntArray
from ..storage.clock import now
from ..storage.design import KINDS, ROLES
from ..storage.packed import roles_of
from ..storage.records import About, fields_of
from ..storage.store import Store
from .chosen import Batch, Given
from .plan import Plan

#: A HIT: its batch and its number in it.
Key = tuple[int, int]
#: A HIT to store: its kind, its items, and what each slot is for (None: its items' roles say it).
NewHit = tuple[str, "list[int]", "list[str] | None"]


def work_hits(plan: Plan) -> list[NewHit]:
    """The HITs of a plan."""
    if not plan.kinds.any() and (plan.items >= 0).all():
        return [("work", row, None) for row in plan.items.tolist()]
    return [
        ("work", [i for i in row if i >= 0], [KINDS[k] for k, i in zip(kinds, row) if i >= 0])
        for row, kinds in zip(plan.items.tolist(), plan.kinds.tolist())
    ]


def check_hits(kind: str, parts: Iterable[IntArray]) -> list[NewHit]:
    """HITs of one kind that everybody gets (calibration, qualification)."""
    return [(kind, part.tolist(), [kind] * len(part)) for part in parts]


def keep(store: Store, number: int, hits: Sequence[NewHit]) -> None:
    """Store a batch with these HITs, numbered from 1."""
    store.db.execute("INSERT INTO batch VALUES (?, ?, ?)", (number, now(), len(hits)))
    # Of a list of whole numbers, Python's own text is JSON.
    store.db.executemany(
        "INSERT INTO hit (batch, number, items, kind, plan) VALUES (?, ?, ?, ?, ?)",
        (
            (number, k, str(items), kind, None if plan is None else json.dumps(plan))
            for k, (kind, items, plan) in enumerate(hits, 1)
        ),
    )


def open_keys(store: Store, last: int, annotator: int | None) -> tuple[list[Key], list[tuple[int, Key]]]:
    """The HITs of the last batch and those of earlier ones that are out, with who has them.

    annotator: only this annotator's.
    """
    who, parameters = ("AND annotator = ?", (last, annotator)) if annotator is not None else ("", (last,))
    pairs = [
        (a, (b, h))
        for a, b, h in store.db.execute(
            "SELECT annotator, batch, hit FROM assignment WHERE (batch = ? AND state IN ('open', 'returned') OR"
            f" state = 'open') {who} ORDER BY batch, hit, annotator",
            parameters,
        )
    ]
    keys = {key for _, key in pairs}
    if annotator is None:
        keys |= set(store.db.execute("SELECT batch, number FROM hit WHERE batch = ?", (last,)).fetchall())
    return sorted(keys, key=lambda key: (key[0] != last, key)), pairs


def visible(a: About) -> tuple[str, ...]:
    """The columns of the items file that a batch file holds."""
    return tuple(name for name in a.columns if name not in a.design.hidden)


def batch_of(
    store: Store,
    a: About,
    number: int,
    keys: Sequence[Key],
    pairs: Iterable[tuple[int, Key]],
    *,
    show: tuple[str, ...] = (),
    waiting: int = 0,
    judgments: int | None = None,
    notes: tuple[str, ...] = (),
) -> Batch:
    """These HITs as a batch, with who gets them."""
    hits = _stored(store, keys)
    columns = visible(a)
    where = [a.columns.index(name) for name in columns]
    item = fields_of(store, {i for _, items, _ in hits for i in items})
    cell = {k: (name, tuple(cells[w] for w in where)) for k, (name, cells) in item.items()}
    plans: list[tuple[str, ...]] = []
    roles: IntArray | None = None
    for _, items, plan in hits:
        if plan is None:
            roles = roles_of(store) if roles is None else roles
            plan = [ROLES[k] for k in roles[items].tolist()]
        plans.append(tuple(plan))
    return Batch(
        a.id,
        number,
        a.per_hit,
        columns,
        tuple(tuple(cell[i] for i in items) for _, items, _ in hits),
        waiting,
        tuple(keys),
        tuple(kind for kind, _, _ in hits),
        tuple(plans),
        a.design.text,
        a.design.shown(show),
        a.design.judgments if judgments is None else judgments,
        _given(store, keys, pairs),
        notes,
    )


def _stored(store: Store, keys: Sequence[Key]) -> list[NewHit]:
    found: dict[Key, NewHit] = {}
    for batch in sorted({b for b, _ in keys}):
        rows = store.db.execute(
            "SELECT number, kind, items, plan FROM hit WHERE batch = ?", (batch,)
        ).fetchall()
        every = json.loads(f"[{','.join(items for _, _, items, _ in rows)}]")
        for (hit, kind, _, plan), items in zip(rows, every):
            found[batch, hit] = (kind, items, None if plan is None else json.loads(plan))
    return [found[key] for key in keys]


def _given(store: Store, keys: Sequence[Key], pairs: Iterable[tuple[int, Key]]) -> tuple[Given, ...]:
    entry = {key: k for k, key in enumerate(keys)}
    own: dict[int, set[Key]] = defaultdict(set)
    for who, key in pairs:
        own[who].add(key)
    found = []
    for who, mine in own.items():
        name, token = store.db.execute(
            "SELECT name, token FROM annotator WHERE number = ?", (who,)
        ).fetchone()
        rows = store.db.execute(
            "SELECT batch, hit, shown FROM assignment WHERE annotator = ? ORDER BY batch, place", (who,)
        )
        shown = [
            (entry[b, h], tuple(k - 1 for k in json.loads(order))) for b, h, order in rows if (b, h) in mine
        ]
        found.append(Given(name, token, tuple(k for k, _ in shown), tuple(order for _, order in shown)))
    return tuple(sorted(found, key=lambda g: g.annotator))
