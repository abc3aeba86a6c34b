"""HITs of one source each: all its outputs together, and which sources come next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pairproof.campaign.hits.plan import (
    DEGRADED,
    GOLD,
    ITEM,
    REPEAT,
    Groups,
    Pools,
    Shares,
    Sources,
    can_repeat,
    degraded_by_source,
    group_pools,
    groups_by,
    source_plan,
)
from pairproof.errors import InputError

NOTHING = np.zeros(0, np.int64)


def test_items_are_grouped_by_source_and_a_source_with_fewer_leaves_slots_empty():
    found = groups_by(["b", "a", "b", "a", "c"], np.array([0, 1, 2, 3, 9]), 3)
    assert found.names == ("a", "b", "c")
    assert found.members.tolist() == [[1, 3, -1], [0, 2, -1], [9, -1, -1]]
    assert found.of_items(10).tolist() == [1, 0, 1, 0, -1, -1, -1, -1, -1, 2]


def test_a_source_with_more_items_than_a_hit_is_an_error_with_both_numbers():
    with pytest.raises(InputError, match="source 's' has 3 items, but a HIT has 2; .*: use --per-hit 3"):
        groups_by(["s", "s", "s"], np.arange(3), 2)
    assert groups_by(["s", "s", "s"], np.arange(3), 2, split=True).members.tolist() == [[0, 1], [2, -1]]


def test_no_items_are_no_groups():
    assert len(groups_by([], NOTHING, 4)) == 0


SOURCES, SYSTEMS = 12, 4


def sources() -> Sources:
    """Items 4 s + k of source s; degraded ones 48 + 4 s + k of the first three sources; gold 60 to 63."""
    items = groups_by([f"s{k // 4:02d}" for k in range(48)], np.arange(48), 5)
    of = np.r_[np.full(48, -1), np.arange(12), np.full(4, -1)]
    damaged, original = degraded_by_source(items, np.arange(48, 60), of)
    known = groups_by(["g"] * 4, np.arange(60, 64), 5)
    kind = np.r_[np.full(48, ITEM), np.full(12, DEGRADED), np.full(4, GOLD)]
    return Sources(items, damaged, known, original, of, kind)


def planned(
    shares: Shares, hits: int = 20, seed: int = 0, seen: np.ndarray = NOTHING, shuffled: bool = False
):
    s, rng = sources(), np.random.default_rng(seed)
    flat = Pools(
        np.zeros(hits, np.int64),
        lambda _: seen,
        lambda _: np.zeros(64, np.int64),
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
    )
    pools = group_pools(flat, s)
    has_seen = np.array([bool(len(pools.seen(0)))])
    return source_plan(
        s,
        hits,
        shares,
        pools,
        can_repeat(pools, has_seen),
        lambda k: np.resize(rng.permutation(12) if shuffled else np.arange(12), k),
        rng,
    )


def shown_in(found, hit: int) -> list[tuple[int, int]]:
    """(item that is shown or degraded, kind) of the slots of a HIT."""
    rows = [(int(i), int(k)) for i, k in zip(found.items[hit], found.kinds[hit]) if i >= 0]
    return [(i - 48 if k == DEGRADED else i, k) for i, k in rows]


def test_a_share_of_the_hits_is_a_source_again_with_degraded_outputs_or_gold_items():
    for seed in range(10):
        found = planned(Shares(0.2, 0.1, 0.05), seed=seed)
        slots = [shown_in(found, hit) for hit in range(20)]
        kinds = [{k for _, k in row} for row in slots]
        assert sum(k == {GOLD} for k in kinds) == 1 and sum(DEGRADED in k for k in kinds) == 2
        again = [hit for hit, k in enumerate(kinds) if k == {REPEAT}]
        assert len(again) == 4
        for hit, row in enumerate(slots):
            if kinds[hit] != {GOLD}:
                source = {i // 4 for i, _ in row}
                assert len(source) == 1 and {i % 4 for i, _ in row} == {0, 1, 2, 3}  # a page as any other
            if hit in again:
                assert any({i // 4 for i, _ in slots[h]} == source for h in range(hit))


def test_degraded_outputs_stand_in_the_places_of_their_originals_on_a_page_of_their_source():
    """Forty plans of 20 HITs, a fifth of them with degraded outputs: they come before the whole page or after it."""
    first = []
    for seed in range(40):
        found = planned(Shares(degraded=0.2), seed=seed, shuffled=True)
        slots = [shown_in(found, hit) for hit in range(20)]
        with_degraded = [hit for hit in range(20) if any(k == DEGRADED for _, k in slots[hit])]
        assert len(with_degraded) == 4
        for hit in with_degraded:
            degraded = {i for i, k in slots[hit] if k == DEGRADED}
            assert len(slots[hit]) == 4 and len(degraded) == 2  # never alone: half of the outputs
            own = [h for h in range(20) if {i // 4 for i, _ in slots[h]} == {min(degraded) // 4}]
            whole = [h for h in own if not any(k == DEGRADED for _, k in slots[h])]
            assert whole and degraded <= {i for h in own for i, k in slots[h] if k == ITEM}
            first.append(hit < whole[0])
            # Each output is judged as an item where it is shown first, and again as a repeat.
            for item in {i for h in own for i, _ in slots[h]}:
                kinds = [
                    k
                    for h in own[: own.index(whole[0]) + 1]
                    for i, k in slots[h]
                    if i == item and k != DEGRADED
                ]
                assert kinds[:1] in ([ITEM], []) and set(kinds[1:]) <= {REPEAT}
                earlier = [h for h in own if (item, ITEM) in slots[h]]
                for h in own:
                    assert (item, REPEAT) not in slots[h] or any((h, e) in found.after for e in earlier)
    # As often before as after: of 160 by halves, below 50 or above 110 come once in 400,000.
    assert 50 <= sum(first) <= 110


def test_of_a_source_that_was_judged_before_only_the_degraded_outputs_are_new():
    found = planned(Shares(degraded=0.2), hits=5, seen=np.arange(48))
    (hit,) = np.flatnonzero((found.kinds == DEGRADED).any(axis=1)).tolist()
    assert sorted(k for _, k in shown_in(found, hit)) == [REPEAT] * 2 + [DEGRADED] * 2
    assert found.after == () and (np.delete(found.kinds, hit, axis=0) == ITEM).all()


def test_degraded_outputs_are_grouped_so_that_half_of_a_page_is_sound_and_no_original_stands_twice():
    items = groups_by(["a"] * 4 + ["b"] * 3 + ["c"], np.arange(8), 4)
    of = np.full(20, -1)
    of[8:18] = [0, 0, 1, 2, 4, 5, 7, 7, 3, 18]  # the last one degrades what is no item of a source
    found, groups = degraded_by_source(items, np.arange(8, 18), of)
    assert found.members.tolist() == [
        [8, 10, -1, -1], [9, 11, -1, -1], [16, -1, -1, -1], [12, -1, -1, -1], [13, -1, -1, -1],
        [14, -1, -1, -1], [15, -1, -1, -1],
    ]  # fmt: skip
    assert groups.tolist() == [0, 0, 0, 1, 1, 2, 2] and found.names == tuple("aaabbcc")


def test_a_campaign_without_degraded_items_has_none_to_deal():
    s = sources()
    none = replace(s, degraded=groups_by([], NOTHING, 5), original=NOTHING)
    flat = Pools(np.zeros(6, np.int64), lambda _: NOTHING, lambda _: np.zeros(64, np.int64), *[NOTHING] * 4)
    found = source_plan(
        none, 6, Shares(), group_pools(flat, none), np.zeros(6, bool), np.arange, np.random.default_rng(1)
    )
    assert (found.kinds == ITEM).all() and found.after == ()


def test_outputs_stand_in_random_order_and_empty_slots_last():
    found = planned(Shares())
    assert (found.items[:, 4] == -1).all() and (found.items[:, :4] >= 0).all()
    assert any(row[:4].tolist() != sorted(row[:4].tolist()) for row in found.items)


def test_degraded_outputs_wait_until_their_originals_are_judged():
    found = planned(Shares(degraded=0.5), hits=2)
    assert found.lacking == {} and sorted((found.kinds == DEGRADED).sum(axis=1).tolist()) == [0, 2]
    no_originals = planned(Shares(gold=0.4), hits=5, seed=3)
    assert (no_originals.kinds[:, 0] == GOLD).sum() == 2


def test_a_source_counts_as_seen_when_all_its_outputs_were():
    s = sources()
    flat = Pools(
        np.zeros(1, np.int64), lambda _: np.arange(6), lambda _: np.zeros(64, np.int64), *[NOTHING] * 4
    )
    assert group_pools(flat, s).seen(0).tolist() == [0]
    assert isinstance(s.items, Groups)
