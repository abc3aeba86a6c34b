"""Chooses the items of a batch, and plans its slots, from what is in the campaign.

Who has had which items: what may be repeated, and which checks an annotator has seen least.  What was
chosen is a batch of HITs, with who gets which.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.random import Generator

from ...data.options import whole_number
from ...errors import InputError, TooLargeError
from ...native.annotation.allocation import default_hits, next_hits, next_sources
from ...native.annotation.beta import IntArray
from ...native.annotation.methods import ScoreState
from ...numerics.arrays import BoolArray
from ..storage.design import KINDS, ROLES
from ..storage.records import About, ids_of, roles_of, state_of
from ..storage.store import Store
from . import plan as slots
from .assigning import teams_of


@dataclass(frozen=True)
class Given:
    """The HITs that an annotator gets: entries of `Batch.hits` in their order, and their slots' orders."""

    annotator: str
    token: str
    places: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Batch:
    """A batch of HITs.

    columns: those of the items that annotators may see. hits: items in their stored order, which is that
    of the results; those of earlier batches come last. places: batch and number of each entry of `hits`.
    plans: what each slot is for. text: the column of the items' text. given: empty where no annotators
    are registered. notes: what could not be had.
    """

    campaign: str
    number: int
    per_hit: int
    columns: tuple[str, ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    unanswered: int = 0
    places: tuple[tuple[int, int], ...] = ()
    kinds: tuple[str, ...] = ()
    plans: tuple[tuple[str, ...], ...] = ()
    text: str = "sent"
    show: tuple[str, ...] = ()
    judgments: int = 1
    given: tuple[Given, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[tuple[str, ...], ...]:
        """The ids of each HIT's items."""
        return tuple(tuple(name for name, _ in hit) for hit in self.hits)

    @property
    def again(self) -> int:
        """Number of HITs of earlier batches that are given again."""
        return sum(batch != self.number for batch, _ in self.places)

    def only(self, keep: tuple[int, ...]) -> Batch:
        """The same batch with these entries of `hits` alone, in this order."""
        place = {k: new for new, k in enumerate(keep)}
        given = []
        for g in self.given:
            own = [(place[k], order) for k, order in zip(g.places, g.orders) if k in place]
            if own:
                given.append(replace(g, places=tuple(k for k, _ in own), orders=tuple(o for _, o in own)))
        columns = {name: vars(self)[name] for name in ("hits", "places", "kinds", "plans")}
        kept: dict[str, Any] = {name: tuple(own[k] for k in keep) for name, own in columns.items()}
        return replace(self, given=tuple(given), **kept)


Key = tuple[int, int]


class History:
    """The HITs of a campaign and who had them."""

    def __init__(self, store: Store) -> None:
        self._roles = roles_of(store)
        self.n_items = len(self._roles)
        query = "SELECT batch, number, items, plan FROM hit ORDER BY batch, number"
        rows = store.db.execute(query).fetchall()
        items = json.loads(f"[{','.join(r[2] for r in rows)}]")
        keys: list[Key] = [(batch, hit) for batch, hit, *_ in rows]
        self._items = {key: np.array(own, np.int64) for key, own in zip(keys, items)}
        plans = ((key, json.loads(plan)) for key, (*_, plan) in zip(keys, rows) if plan is not None)
        self._kinds = {key: np.array([KINDS.index(k) for k in plan], np.int64) for key, plan in plans}
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
        kinds, items = self._kinds.get(key), self._items[key]
        return np.asarray(items[(self._roles[items] if kinds is None else kinds) == slots.ITEM])

    def times(self, annotator: int | None) -> IntArray:
        """How often each item was shown to the annotator."""
        own = [self._items[key] for key in self._hits(annotator)]
        return np.bincount(np.concatenate(own) if own else np.zeros(0, np.int64), minlength=self.n_items)

    def seen_by_all(self, team: tuple[int | None, ...]) -> IntArray:
        """Items that everybody in the team judged, or has out to judge."""
        return np.asarray(reduce(partial(np.intersect1d, assume_unique=True), map(self.seen, team)))

    def times_for(self, team: tuple[int | None, ...]) -> IntArray:
        """How often each item was shown to somebody of the team."""
        return np.asarray(np.sum([self.times(annotator) for annotator in team], axis=0))


#: Most slots of a batch: ten times as many as show each of 100,000 items once; a million take 4 s.
MOST_SLOTS = 1_000_000


class Choice:
    """What the next batch is chosen from."""

    def __init__(self, store: Store, a: About, *, checks: bool = True) -> None:
        self.store, self.about, self.design = store, a, a.design
        self.state = state_of(store, a.method)
        self.roles = roles_of(store)
        self.shares = slots.Shares(a.design.repeats, a.design.degraded, a.design.gold)
        self.same_source = a.design.arrange == "same-source"
        self.scored = np.flatnonzero(self.roles == 0)
        worked = store.value("SELECT EXISTS (SELECT 1 FROM hit WHERE kind = 'work')")
        known = self.state.a[~np.isnan(self.state.a)]
        # If an older tool has given the items scores, this is not a first batch.
        self.first = not worked and not self.state.n.any() and not (known != known[:1]).any()
        if checks and self.same_source:
            self.sources = self._sources()
        if checks:
            there = {ROLES[k] for k in np.unique(self.roles).tolist()}
            slots.check_roles(str(store.path), self.shares.degraded, self.shares.gold, there)

    def of_role(self, *names: str) -> IntArray:
        """Positions of the items of these roles."""
        return np.flatnonzero(np.isin(self.roles, [ROLES.index(name) for name in names]))

    def hits(self, asked: int | None) -> int:
        """Number of HITs of the batch: as asked, or so many that every item is shown once (20 with keisks)."""
        if asked is not None:
            asked = whole_number("hits", asked, 1)
            most = max(MOST_SLOTS // self.about.per_hit, 1)
            if asked > most:
                raise TooLargeError(
                    f"--hits {asked:,} of {self.about.per_hit} items each; a batch has at most {most:,} HITs ({MOST_SLOTS:,}"
                    f" slots): ask for fewer, and for the next batch once these are answered"
                )
            return asked
        if self.same_source:
            return slots.hits_for(len(self.sources.items), 1, self.shares)
        pool = "paper" if self.first else self.about.pool
        if pool == "keisks" or not self.shares:
            return default_hits(len(self.scored), self.about.per_hit, pool)
        return slots.hits_for(len(self.scored), self.about.per_hit, self.shares)

    def plan(self, hits: int, given: IntArray | None, rng: Generator) -> slots.Plan:
        """The items of a batch and what each slot is for; given int[hits, k] or None: who gets them."""
        if not self.shares and not self.same_source:
            items = self._choose(hits, rng, None)
            return slots.Plan(items, np.zeros_like(items))
        pools = self._pools(hits, given)
        if self.same_source:
            grouped, group = slots.group_pools(pools, self.sources), self.sources.items.of_items(
                len(self.roles)
            )

            def choose(number: int) -> IntArray:
                return next_sources(self.state, self._shown(), group, number, rng, first=self.first)

            seen = _repeatable(grouped)
            return slots.source_plan(self.sources, hits, self.shares, grouped, seen, choose, rng)
        per_hit = self.about.per_hit
        # Where a HIT is one item, a share of the HITs is for repeats and checks.
        keep, seen = min(per_hit - 1, 1), _repeatable(pools)
        extra = slots.extra_slots(hits, per_hit, self.shares, seen, rng, keep=keep)
        chosen = self._choose(hits, rng, per_hit - extra.sum(axis=1))
        spare = self.scored[np.argsort(self._shown()[self.scored] + rng.random(len(self.scored)))]
        return slots.fill(chosen, extra, pools, spare, self.shares, rng)

    # -- items -----------------------------------------------------------------------------------------------

    def _choose(self, hits: int, rng: Generator, sizes: IntArray | None) -> IntArray:
        """Items of each HIT by the campaign's method, among those that have a score."""
        a = self.about
        ids = ids_of(self.store) if a.pool == "keisks" else None
        state, shown, whole = self.state, self._shown(), len(self.scored) == len(self.roles)
        if not whole:
            at = self.scored
            state = ScoreState(a.method, state.a[at], state.b[at], state.n[at])
            shown, ids = shown[at], None if ids is None else tuple(ids[k] for k in at)
        how: dict[str, Any] = {"first": self.first, "pool": a.pool, "gamma": a.settings.gamma}
        found = next_hits(state, shown, a.per_hit, hits, rng, ids=ids, sizes=sizes, **how)
        return found if whole else np.where(found < 0, -1, self.scored[found])

    def _shown(self) -> IntArray:
        """How often each item was judged or is out to be judged, where that decides; else only judged."""
        if self.first or self.about.method in ("da", "random"):
            return self.state.n + pending(self.store, len(self.roles))
        return self.state.n

    # -- sources ---------------------------------------------------------------------------------------------

    def _sources(self) -> slots.Sources:
        per_hit = self.about.per_hit
        rows = self.store.db.execute("SELECT source, of FROM item ORDER BY position").fetchall()
        source = [s for s, _ in rows]
        of = np.array([-1 if k is None else k for _, k in rows], np.int64)
        blank = [int(k) for k in self.scored if not source[k]]
        if blank:
            raise InputError(
                f"{self.store.path}: {len(blank)} items have no source, but the design same-source needs"
                " one; name the column with --col source=COLUMN when you create the campaign"
            )
        items = slots.groups_by([source[k] for k in self.scored], self.scored, per_hit)
        damaged, known = self.of_role("degraded"), self.of_role("gold", "attention")
        degraded, original = slots.degraded_by_source(items, damaged, of)
        gold = slots.groups_by([source[k] for k in known], known, per_hit, split=True)
        return slots.Sources(items, degraded, gold, original, of, _kind_of_roles(self.roles))

    # -- what fills the other slots --------------------------------------------------------------------------

    def _pools(self, hits: int, given: IntArray | None) -> slots.Pools:
        teams: list[tuple[int | None, ...]] = [(None,)]
        team = np.zeros(hits, np.int64)
        if given is not None:
            members, team = teams_of(given)
            teams = [tuple(row) for row in members.tolist()]
        damaged, known = self.of_role("degraded"), self.of_role("gold", "attention")
        rows = self.store.db.execute("SELECT of FROM item WHERE role = 'degraded' ORDER BY position")
        of, kinds = np.array([k for (k,) in rows], np.int64), _kind_of_roles(self.roles)[known]
        history = History(self.store)
        seen, times = (lambda t: history.seen_by_all(teams[t])), (lambda t: history.times_for(teams[t]))
        return slots.Pools(team, seen, times, damaged, of, known, kinds)


def _repeatable(pools: slots.Pools) -> BoolArray:
    teams = range(int(pools.team.max()) + 1)
    return slots.can_repeat(pools, np.array([bool(len(pools.seen(t))) for t in teams]))


def _kind_of_roles(roles: IntArray) -> IntArray:
    """What a slot with an item of each role is for, if it is no repeat."""
    return np.array([KINDS.index(role) for role in ROLES], np.int64)[roles]


OPEN = "FROM hit h WHERE NOT EXISTS (SELECT 1 FROM judgment j WHERE j.batch = h.batch AND j.hit = h.number)"


def unanswered(store: Store) -> int:
    """Number of HITs that nobody has judged yet."""
    return int(store.value(f"SELECT COUNT(*) {OPEN}"))


def pending(store: Store, n_items: int) -> IntArray:
    """How often each item appears in HITs that nobody has judged yet."""
    rows = store.db.execute(f"SELECT h.items {OPEN}").fetchall()
    every = json.loads(f"[{','.join(items for (items,) in rows)}]")
    return np.bincount(np.array([i for items in every for i in items], np.int64), minlength=n_items)
