"""HITs of one source each: all systems' outputs of a source side by side (Sakaguchi and Van Durme 2018, 5.3).

Items without a source, and more items of a source than a HIT holds, are errors.  A source with fewer items
leaves slots empty.  Repeats, degraded and gold items cannot stand among a source's outputs without taking an
output's place, and a degraded one never beside its original; so with this design a share of the HITs, not of
the slots, is for them: a whole source again, gold items of one source, or a source in which degraded outputs
stand in the places of their originals.

Such a HIT looks like any other of its source, of whose outputs half at most are degraded.  Whoever gets it
judges the source in another HIT too, before or after it; what both show is judged as an item in the one that
comes first, and again as a repeat.  So neither the page nor its place in the work tells what is degraded.  Only
the degraded output of a source with one output is alone, as its original is.

The rules are those of :mod:`pairproof.campaign.hits.plan`, with groups of items in place of items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import IntArray
from .plan import DEGRADED, ITEM, REPEAT, Plan, Pools, Shares, extra_slots, fill


@dataclass(frozen=True, eq=False)
class Groups:
    """Items in groups that are shown together.

    names: source of each group.  members int[groups, per_hit]: positions of items, then -1.
    """

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
    """Group items by their source.

    positions int[n].  split: spread more items than a HIT holds over several groups, which suits checks;
    otherwise an error.
    """
    if not len(positions):
        return Groups((), np.zeros((0, per_hit), np.int64))
    label, which = np.unique(np.array(names, object).astype(str), return_inverse=True)
    which = np.ravel(which)
    count = np.bincount(which)
    if count.max() > per_hit and not split:
        k = int(np.argmax(count))
        raise InputError(
            f"source {str(label[k])!r} has {int(count[k])} items, and a HIT has {per_hit}; with --design"
            f" same-source a HIT holds all items of a source: --per-hit {int(count[k])} does"
        )
    order = np.argsort(which, kind="stable")
    place = np.arange(len(order)) - (np.cumsum(count) - count)[which[order]]
    row_of = which[order] * (int(count.max()) // per_hit + 1) + place // per_hit
    rows, row = np.unique(row_of, return_inverse=True)
    members = np.full((len(rows), per_hit), -1, np.int64)
    members[np.ravel(row), place % per_hit] = positions[order]
    first = members[:, 0]
    name = dict(zip(positions.tolist(), names))
    return Groups(tuple(name[int(i)] for i in first), members)


@dataclass(frozen=True, eq=False)
class Sources:
    """The groups of a campaign whose HITs hold one source each.

    items, degraded, gold: of the items themselves, of degraded ones that are shown in one HIT, from
    :func:`degraded_by_source`, and of gold items and attention checks.  original int[degraded groups]: the
    group of items that each degraded group degrades.  `of` int[n_items]: position of the item that a degraded
    one degrades; any number for the others.  kind int[n_items]: what a slot with this item is for, as indices
    into KINDS.
    """

    items: Groups
    degraded: Groups
    gold: Groups
    original: IntArray
    of: IntArray
    kind: IntArray

    @property
    def pages(self) -> IntArray:
        """int[groups, per_hit]: what a HIT of each group shows, those of items first, then degraded, then gold ones.

        In a degraded group the degraded outputs stand in the places of their originals.
        """
        degraded = self.items.members[self.original]
        for page, group in zip(degraded, self.degraded.members):
            for item in group[group >= 0]:
                page[page == self.of[item]] = item
        return np.concatenate([self.items.members, degraded, self.gold.members])


def degraded_by_source(items: Groups, damaged: IntArray, of: IntArray) -> tuple[Groups, IntArray]:
    """Degraded items in groups that are shown in one HIT of their source, and the group of items of each.

    damaged int[d]: positions of degraded items.  `of` int[n_items]: position of the item that a degraded one
    degrades.  Returns Groups: at most half of a source's outputs, or one, and no two of one original.
    Returns int[groups].
    """
    group_of = items.of_items(len(of))[of[damaged]]
    rows: list[list[int]] = []
    groups: list[int] = []
    order = damaged[np.argsort(group_of, kind="stable")]
    for group, own in zip(*_runs(np.sort(group_of), order)):
        if group < 0:
            continue  # its original is no item that is shown with its source
        most = max(int((items.members[group] >= 0).sum()) // 2, 1)
        pages: list[list[int]] = []
        for item in own.tolist():
            page = next((p for p in pages if len(p) < most and of[item] not in of[p]), None)
            if page is None:
                pages.append([item])
            else:
                page.append(item)
        rows += pages
        groups += [group] * len(pages)
    members = np.full((len(rows), items.members.shape[1]), -1, np.int64)
    for k, row in enumerate(rows):
        members[k, : len(row)] = row
    return Groups(tuple(items.names[g] for g in groups), members), np.array(groups, np.int64)


def _runs(labels: IntArray, values: IntArray) -> tuple[list[int], list[IntArray]]:
    """The distinct labels of a sorted array, and the values that each has."""
    known, begin = np.unique(labels, return_index=True)
    return known.tolist(), np.split(values, begin[1:])


def source_plan(
    sources: Sources,
    hits: int,
    shares: Shares,
    pools: Pools,
    has_seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    choose: Callable[[int], IntArray],
    rng: np.random.Generator,
) -> Plan:
    """Plan a batch of HITs of one source each.

    shares: of HITs.  pools: about items; :func:`group_pools` has made `seen` and `times` about groups.
    has_seen bool[hits]: whether those who get the HIT can be given a repeat in it.  choose function of a
    number to int[number]: the groups of items that come next.
    """
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
        counted = pools.times(team)
        found: IntArray = np.where(members >= 0, counted[members], 0).max(axis=1)
        return found

    gold = np.arange(n + d, n + d + g)
    return replace(
        pools,
        seen=seen,
        times=times,
        degraded=np.arange(n, n + d),
        original=sources.original,
        gold=gold,
        gold_kind=np.full(g, DEGRADED + 1),
    )


def _spread_out(plan: Plan, sources: Sources, pools: Pools, rng: np.random.Generator) -> Plan:
    """The plan of groups as a plan of their items, in random order in each HIT."""
    items = np.where(plan.items >= 0, sources.pages[plan.items[:, 0]], -1)
    kinds = np.where(items >= 0, sources.kind[items], ITEM)
    kinds[(plan.kinds[:, :1] == REPEAT) & (items >= 0)] = REPEAT
    after = {*plan.after, *_shown_twice(plan, sources, pools, items, kinds)}
    order = np.argsort(np.where(items < 0, 2.0, rng.random(items.shape)), axis=1)
    return Plan(
        np.take_along_axis(items, order, axis=1),
        np.take_along_axis(kinds, order, axis=1),
        tuple(sorted(after)),
        plan.lacking,
    )


def _shown_twice(
    plan: Plan, sources: Sources, pools: Pools, items: IntArray, kinds: IntArray
) -> Iterator[tuple[int, int]]:
    """Make repeats, in `kinds`, of the outputs that a HIT with degraded ones shows as another HIT of the team does.

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
