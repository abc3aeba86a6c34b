"""Who has had which items: what may be repeated, and which checks an annotator has seen least."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np

from ...native.annotation.beta import IntArray
from ..storage.design import KINDS
from ..storage.packed import roles_of
from ..storage.store import Store
from .plan import ITEM

Key = tuple[int, int]


class History:
    """The HITs of a campaign and who had them."""

    def __init__(self, store: Store) -> None:
        self._roles = roles_of(store)
        self.n_items = len(self._roles)
        rows = store.db.execute(
            "SELECT batch, number, items, plan FROM hit ORDER BY batch, number"
        ).fetchall()
        items = json.loads(f"[{','.join(r[2] for r in rows)}]")
        self._items: dict[Key, IntArray] = {
            (b, h): np.array(own, np.int64) for (b, h, *_), own in zip(rows, items)
        }
        code = {name: k for k, name in enumerate(KINDS)}
        self._kinds = {
            (b, h): None if plan is None else np.array([code[k] for k in json.loads(plan)], np.int64)
            for b, h, _, plan in rows
        }
        self._had: dict[int, set[Key]] = defaultdict(set)
        for who, batch, hit in store.db.execute(
            "SELECT annotator, batch, hit FROM assignment WHERE state IN ('open', 'returned') UNION"
            " SELECT annotator, batch, hit FROM judgment WHERE annotator IS NOT NULL AND batch IS NOT NULL"
        ):
            self._had[who].add((batch, hit))
        self._known: dict[int | None, IntArray] = {}

    def _hits(self, annotator: int | None) -> list[Key]:
        """The HITs that an annotator had; None: all HITs, of a crowd."""
        keys = self._items if annotator is None else self._had.get(annotator, set()) & self._items.keys()
        return sorted(keys)

    def seen(self, annotator: int | None) -> IntArray:
        """Items that the annotator judged as items, or has out to judge."""
        if annotator not in self._known:
            own = [self._items_of(key) for key in self._hits(annotator)]
            every = np.concatenate(own) if own else np.zeros(0, np.int64)
            self._known[annotator] = np.unique(every).astype(np.int64)
        return self._known[annotator]

    def _items_of(self, key: Key) -> IntArray:
        kinds = self._kinds[key]
        items = self._items[key]
        found: IntArray = items[(self._roles[items] if kinds is None else kinds) == ITEM]
        return found

    def times(self, annotator: int | None) -> IntArray:
        """How often each item was shown to the annotator."""
        own = [self._items[key] for key in self._hits(annotator)]
        return np.bincount(np.concatenate(own) if own else np.zeros(0, np.int64), minlength=self.n_items)

    def seen_by_all(self, team: tuple[int | None, ...]) -> IntArray:
        """Items that everybody in the team judged, or has out to judge."""
        found = self.seen(team[0])
        for annotator in team[1:]:
            found = np.intersect1d(found, self.seen(annotator), assume_unique=True)
        return found

    def times_for(self, team: tuple[int | None, ...]) -> IntArray:
        """How often each item was shown to somebody of the team."""
        found: IntArray = sum((self.times(a) for a in team), np.zeros(self.n_items, np.int64))
        return found
