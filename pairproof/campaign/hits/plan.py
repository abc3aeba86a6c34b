"""The slots of a batch: which are for items, and which for repeats, degraded and gold items.

Shares of all slots are met to the nearest slot over a batch, each kind spread evenly over its HITs.  Every
HIT keeps at least one slot for an item; positions in a HIT are drawn at random.  What fills the others:

- a repeat is an item that everybody who gets the HIT judged in an earlier HIT: an earlier batch, or a HIT of
  the same team with a smaller number in this one.  It is never in the HIT of its original;
- a degraded item goes to those who also judge its original, in another HIT;
- gold items (and attention checks, which stand in the same slots) go first to those who have seen them least.

Where nothing fits, as for repeats in everybody's first HIT, the slot is for an item, and the plan counts it.
Where no annotators are registered (an open crowd), all HITs are one team's.

HITs of one source each show all systems' outputs of a source side by side (Sakaguchi and Van Durme 2018,
5.3).  Items without a source, and more items of a source than a HIT holds, are errors.  The rules are the
same, with groups of items in place of items: a share of the HITs, not of the slots, is a whole source
again, gold items of one source, or a source in which degraded outputs stand in the places of their
originals, half of them at most.  Whoever gets such a HIT judges the source in another HIT too, before or
after it; what both show is judged as an item in the one that comes first, and again as a repeat.  So
neither the page nor its place in the work tells what is degraded.  Only the degraded output of a source
with one output is alone, as its original is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from ...errors import InputError
from ...native.annotation.beta import IntArray
from ...numerics.arrays import BoolArray

#: What a slot is for, as indices into :data:`pairproof.campaign.storage.design.KINDS`.
ITEM, REPEAT, DEGRADED, GOLD = range(4)
#: Draws of an original for a repeat: first only items not repeated yet, then any.
FRESH_DRAWS, DRAWS = 10, 20


def check_roles(where: str, degraded: float, gold: float, roles: Collection[str]) -> None:
    """Check that there are degraded and gold items if a design has a share of them."""
    for share, wanted, cure in (
        (degraded, ("degraded",), "use 'easl degrade' to create them from the items file"),
        (gold, ("gold", "attention"), "give known items the role gold, and their scores in gold"),
    ):
        if share and not set(wanted) & set(roles):
            raise InputError(
                f"{where}: the design has a share of {share:g} for {wanted[0]} items, but no item has the role"
                f" {' or '.join(wanted)}; {cure}, and create the campaign from that file"
            )


@dataclass(frozen=True)
class Shares:
    """Shares of all slots, 0 to below 1."""

    repeats: float = 0.0
    degraded: float = 0.0
    gold: float = 0.0

    def __bool__(self) -> bool:
        return max(self.repeats, self.degraded, self.gold) > 0.0

    def counts(self, slots: int) -> IntArray:
        """Slots for repeats, degraded and gold items, each to the nearest whole number."""
        return np.array([int(s * slots + 0.5) for s in (self.repeats, self.degraded, self.gold)], np.int64)


@dataclass(frozen=True, eq=False)
class Pools:
    """What can fill the slots that are not for items.

    team int[hits]: who gets each HIT. seen(team) int[n]: items that everybody of it has judged, or has
    out. times(team) int[n_items]: how often each was shown to one of them. degraded, original int[d],
    gold, gold_kind int[g].
    """

    team: IntArray
    seen: Callable[[int], IntArray]
    times: Callable[[int], IntArray]
    degraded: IntArray
    original: IntArray
    gold: IntArray
    gold_kind: IntArray


@dataclass(frozen=True, eq=False)
class Plan:
    """The slots of a batch.

    items int[hits, per_hit]: -1 in slots that stay empty. kinds int[hits, per_hit]: see :data:`ITEM`.
    after: HITs, from 0, of which the first repeats an item of the second. lacking: slots for which
    nothing fitted; they are for items.
    """

    items: IntArray
    kinds: IntArray
    after: tuple[tuple[int, int], ...] = ()
    lacking: dict[int, int] = field(default_factory=dict)


def hits_for(items: int, per_hit: int, shares: Shares) -> int:
    """The smallest number of HITs with a slot for each of so many items."""
    hits = -(-items // per_hit)
    while hits * per_hit - int(shares.counts(hits * per_hit).sum()) < items:
        hits += 1
    return hits


def extra_slots(
    hits: int, per_hit: int, shares: Shares, can_repeat: BoolArray, rng: Generator, *, keep: int = 1
) -> IntArray:
    """Slots of each HIT for repeats (if can_repeat bool[hits]), degraded and gold items: int[hits, 3]."""
    wanted = shares.counts(hits * per_hit)
    most = hits * (per_hit - keep) - (1 - keep)
    if wanted.sum() > most:
        raise InputError(
            f"repeats, degraded and gold items would take {int(wanted.sum())} of {hits * per_hit}"
            f" {'slots' if keep else 'HITs'}, but they can take at most {most}; use smaller shares,"
            f" {'larger HITs, ' if keep else ''}or more HITs"
        )
    found = np.zeros((hits, 3), np.int64)
    anywhere = np.ones(hits, bool)
    # Repeats come last, because what is given to the others must not depend on where repeats can be.
    for kind, where in ((DEGRADED - 1, anywhere), (GOLD - 1, anywhere), (REPEAT - 1, can_repeat)):
        left = int(wanted[kind])
        while left:
            room = np.flatnonzero(where & (found.sum(axis=1) < per_hit - keep))
            if not room.size:
                break  # only for repeats, which then are fewer: the plan counts them
            room = rng.permutation(room)
            own, before = found[room, kind], found[room].sum(axis=1)
            order = np.argsort(own, kind="stable") if kind == REPEAT - 1 else np.lexsort((before, own))
            take = room[order][: min(left, int((own == own.min()).sum()))]
            found[take, kind] += 1
            left -= len(take)
    return found


def can_repeat(pools: Pools, has_seen: BoolArray) -> BoolArray:
    """Whether the team of each HIT has an earlier HIT in this batch, or has judged items before it."""
    found = np.ones(len(pools.team), bool)
    team, first = np.unique(pools.team, return_index=True)
    found[first] = has_seen[team]
    return found


def fill(
    chosen: IntArray, extra: IntArray, pools: Pools, spare: IntArray, shares: Shares, rng: Generator
) -> Plan:
    """Fill chosen int[hits, per_hit] by extra int[hits, 3], else from spare int[n], and draw positions."""
    filling = _Filling(chosen, extra, pools, rng)
    for kind in (REPEAT, DEGRADED, GOLD):
        filling.fill(kind)
    asked = shares.counts(chosen.size).tolist()
    # Attention checks stand in the slots of gold items.
    placed = np.bincount(np.minimum(filling.kinds, GOLD).ravel(), minlength=GOLD + 1).tolist()
    filling.fill_up(spare)
    lacking = {k: n - placed[k] for k, n in zip((REPEAT, DEGRADED, GOLD), asked) if n != placed[k]}
    return _drawn(filling.items, filling.kinds, filling.after, lacking, rng)


def _drawn(
    items: IntArray,
    kinds: IntArray,
    after: Collection[tuple[int, int]],
    lacking: dict[int, int],
    rng: Generator,
) -> Plan:
    """The plan with positions in each HIT drawn; empty slots stay last."""
    order = np.argsort(np.where(items < 0, 2.0, rng.random(items.shape)), axis=1)
    items, kinds = (np.take_along_axis(a, order, axis=1) for a in (items, kinds))
    return Plan(items, kinds, tuple(sorted(set(after))), lacking)


class _Filling:
    """HITs on the way to being full."""

    def __init__(self, chosen: IntArray, extra: IntArray, pools: Pools, rng: Generator) -> None:
        self.items, self.pools, self.rng, self.extra = chosen.copy(), pools, rng, extra
        self.kinds = np.zeros(chosen.shape, np.int64)
        self.size = (chosen >= 0).sum(axis=1)
        self.first_size = self.size.copy()
        self.chosen = chosen
        self.after: list[tuple[int, int]] = []
        by_team = np.argsort(pools.team, kind="stable")
        ends = np.cumsum(np.bincount(pools.team))
        self.hits_of = np.split(by_team, ends[:-1])

    def put(self, hit: int, item: int, kind: int) -> None:
        at = int(self.size[hit])
        self.items[hit, at], self.kinds[hit, at] = item, kind
        self.size[hit] += 1

    def fill(self, kind: int) -> None:
        column = self.extra[:, kind - 1]
        for team, hits in enumerate(self.hits_of):
            slots = np.repeat(hits, column[hits])
            if not slots.size:
                continue
            if kind == REPEAT:
                self._repeat(team, hits, slots)
            elif kind == DEGRADED:
                shown = np.union1d(self.pools.seen(team), self.chosen[hits])
                here = np.isin(self.pools.original, shown)
                candidates, never = self.pools.degraded[here], self.pools.original[here]
                self._deal(team, slots, candidates, never, np.full(len(candidates), DEGRADED))
            else:
                self._deal(team, slots, self.pools.gold, self.pools.gold, self.pools.gold_kind)

    def _repeat(self, team: int, hits: IntArray, slots: IntArray) -> None:
        seen, used = self.pools.seen(team), set()
        before = np.concatenate([[0], np.cumsum(self.first_size[hits])])
        own = self.chosen[hits][np.arange(self.chosen.shape[1]) < self.first_size[hits][:, None]]
        at = np.repeat(hits, self.first_size[hits])
        rank = {int(h): k for k, h in enumerate(hits)}
        for hit in slots.tolist():
            earlier = int(before[rank[hit]])
            n = len(seen) + earlier
            inside = set(self.items[hit, : self.size[hit]].tolist())
            for draw in range(DRAWS if n else 0):
                k = int(self.rng.integers(n))
                item = int(seen[k]) if k < len(seen) else int(own[k - len(seen)])
                if item not in inside and (draw >= FRESH_DRAWS or item not in used):
                    used.add(item)
                    self.put(hit, item, REPEAT)
                    if k >= len(seen):
                        self.after.append((hit, int(at[k - len(seen)])))
                    break

    def _deal(self, team: int, slots: IntArray, choices: IntArray, never: IntArray, kinds: IntArray) -> None:
        """Deal choices to slots, those least shown first; `never` is what must not be in the same HIT."""
        if not choices.size:
            return
        shown = self.pools.times(team)[choices].astype(np.float64) + self.rng.random(len(choices))
        for hit in self.rng.permutation(slots).tolist():
            inside = self.items[hit, : self.size[hit]]
            k = int(np.argmin(shown))
            if never[k] in inside or choices[k] in inside:
                free = ~(np.isin(never, inside) | np.isin(choices, inside))
                if not free.any():
                    continue
                k = int(np.argmin(np.where(free, shown, np.inf)))
            self.put(hit, int(choices[k]), int(kinds[k]))
            shown[k] += 1.0

    def fill_up(self, spare: IntArray) -> None:
        """Put an item into every slot that nothing fitted."""
        wanted = self.first_size + self.extra.sum(axis=1)
        queue = spare.tolist()
        for hit in np.flatnonzero(self.size < wanted).tolist():
            while self.size[hit] < wanted[hit] and queue:
                inside = set(self.items[hit, : self.size[hit]].tolist())
                k = next((k for k, item in enumerate(queue) if item not in inside), None)
                if k is None:
                    break
                self.put(hit, queue[k], ITEM)
                queue.append(queue.pop(k))


@dataclass(frozen=True, eq=False)
class Groups:
    """Items that are shown together: the source of each group, and int[groups, per_hit], then -1."""

    names: tuple[str, ...]
    members: IntArray

    def __len__(self) -> int:
        return len(self.names)

    def of_items(self, n_items: int) -> IntArray:
        """The group of every item, int[n_items]; -1 for items in none."""
        found = np.full(n_items, -1, np.int64)
        row, column = np.nonzero(self.members >= 0)
        found[self.members[row, column]] = row
        return found


def groups_by(names: Sequence[str], positions: IntArray, per_hit: int, *, split: bool = False) -> Groups:
    """Group items by their source; `split` spreads more than a HIT holds, which is an error otherwise."""
    if not len(positions):
        return Groups((), np.zeros((0, per_hit), np.int64))
    label, which = np.unique(np.array(names, object).astype(str), return_inverse=True)
    which = np.ravel(which)
    count = np.bincount(which)
    if count.max() > per_hit and not split:
        k = int(np.argmax(count))
        raise InputError(
            f"source {str(label[k])!r} has {int(count[k])} items, but a HIT has {per_hit}; with"
            f" --design same-source a HIT holds all items of a source: use --per-hit {int(count[k])}"
        )
    order = np.argsort(which, kind="stable")
    place = np.arange(len(order)) - (np.cumsum(count) - count)[which[order]]
    row = np.cumsum(place % per_hit == 0) - 1
    members = np.full((int(row[-1]) + 1, per_hit), -1, np.int64)
    members[row, place % per_hit] = positions[order]
    name = dict(zip(positions.tolist(), names))
    return Groups(tuple(name[i] for i in members[:, 0].tolist()), members)


@dataclass(frozen=True, eq=False)
class Sources:
    """The groups of a campaign whose HITs hold one source each.

    original int[degraded groups]: the group of items that each degrades. `of` int[n_items]: the item that
    a degraded one degrades. kind int[n_items]: what a slot with this item is for, as indices into KINDS.
    """

    items: Groups
    degraded: Groups
    gold: Groups
    original: IntArray
    of: IntArray
    kind: IntArray

    @property
    def pages(self) -> IntArray:
        """int[groups, per_hit]: what HITs of groups show: of items, of degraded ones in place, of gold."""
        degraded = self.items.members[self.original]
        for page, group in zip(degraded, self.degraded.members):
            for item in group[group >= 0]:
                page[page == self.of[item]] = item
        return np.concatenate([self.items.members, degraded, self.gold.members])


def degraded_by_source(items: Groups, damaged: IntArray, of: IntArray) -> tuple[Groups, IntArray]:
    """Degraded items in groups shown in one HIT, at most half of a source's outputs, and their groups of
    items."""
    group_of = items.of_items(len(of))[of[damaged]]
    pages: dict[int, list[list[int]]] = defaultdict(list)
    for item, group in zip(damaged.tolist(), group_of.tolist()):
        if group < 0:
            continue  # its original is no item that is shown with its source
        most = max(int((items.members[group] >= 0).sum()) // 2, 1)
        page = next((p for p in pages[group] if len(p) < most and of[item] not in of[p]), None)
        if page is None:
            pages[group].append([item])
        else:
            page.append(item)
    rows = [(group, page) for group in sorted(pages) for page in pages[group]]
    members = np.full((len(rows), items.members.shape[1]), -1, np.int64)
    for k, (_, page) in enumerate(rows):
        members[k, : len(page)] = page
    groups = [group for group, _ in rows]
    return Groups(tuple(items.names[g] for g in groups), members), np.array(groups, np.int64)


def source_plan(
    sources: Sources,
    hits: int,
    shares: Shares,
    pools: Pools,
    has_seen: BoolArray,
    choose: Callable[[int], IntArray],
    rng: Generator,
) -> Plan:
    """Plan a batch of HITs of one source each; choose(n) is int[n], groups; has_seen is bool[hits]."""
    extra = extra_slots(hits, 1, shares, has_seen, rng, keep=0)
    whole = extra.sum(axis=1) == 0
    chosen = np.full((hits, 1), -1, np.int64)
    chosen[whole, 0] = choose(int(whole.sum()))
    plan = fill(chosen, extra, pools, rng.permutation(len(sources.items)), shares, rng)
    return _spread_out(plan, sources, pools, rng)


def group_pools(pools: Pools, sources: Sources) -> Pools:
    """The same pools with groups in place of items: groups of items first, then degraded, then gold ones."""
    n, d, g = len(sources.items), len(sources.degraded), len(sources.gold)
    members = np.concatenate([sources.items.members, sources.degraded.members, sources.gold.members])

    def seen(team: int) -> IntArray:
        everything = np.isin(sources.items.members, pools.seen(team)) | (sources.items.members < 0)
        return np.flatnonzero(everything.all(axis=1)).astype(np.int64)

    def times(team: int) -> IntArray:
        return np.asarray(np.where(members >= 0, pools.times(team)[members], 0).max(axis=1))

    degraded, gold = np.arange(n, n + d), np.arange(n + d, n + d + g)
    return Pools(pools.team, seen, times, degraded, sources.original, gold, np.full(g, GOLD))


def _spread_out(plan: Plan, sources: Sources, pools: Pools, rng: Generator) -> Plan:
    """The plan of groups as a plan of their items, in random order in each HIT."""
    items = np.where(plan.items >= 0, sources.pages[plan.items[:, 0]], -1)
    kinds = np.where(items >= 0, sources.kind[items], ITEM)
    kinds[(plan.kinds[:, :1] == REPEAT) & (items >= 0)] = REPEAT
    after = {*plan.after, *_shown_twice(plan, sources, pools, items, kinds)}
    return _drawn(items, kinds, after, plan.lacking, rng)


def _shown_twice(
    plan: Plan, sources: Sources, pools: Pools, items: IntArray, kinds: IntArray
) -> Iterator[tuple[int, int]]:
    """Make repeats, in `kinds`, of the outputs that a HIT with degraded ones shows as another HIT of the
    team does.

    Of the two HITs the one with the smaller number comes first, and which that is has been drawn.
    """
    n, d = len(sources.items), len(sources.degraded)
    shown, group_of = plan.items[:, 0], np.concatenate([np.arange(n), sources.original])
    for team in np.unique(pools.team).tolist():
        own = np.flatnonzero((pools.team == team) & (shown >= 0) & (shown < n + d))
        group = group_of[shown[own]]
        known = set(pools.seen(team).tolist())
        for g in np.unique(group[shown[own] >= n]).tolist():
            pages = own[group == g]
            first: dict[int, int] = {}
            whole = 0
            for hit in pages.tolist():
                degraded = bool(shown[hit] >= n)
                whole += not degraded and plan.kinds[hit, 0] == ITEM
                # A source that was judged before, or is chosen again, is judged as it was chosen.
                if not degraded and (plan.kinds[hit, 0] == REPEAT or whole > 1 or g in known):
                    continue
                for slot in np.flatnonzero((items[hit] >= 0) & (kinds[hit] == ITEM)).tolist():
                    item = int(items[hit, slot])
                    if g in known or item in first:
                        kinds[hit, slot] = REPEAT
                        if item in first:
                            yield hit, first[item]
                    else:
                        first[item] = hit
