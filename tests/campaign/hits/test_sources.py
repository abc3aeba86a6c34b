"""HITs of one source each: all its outputs together, and which sources come next."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.campaign.hits.plan import DEGRADED, GOLD, ITEM, REPEAT, Pools, Shares, can_repeat
from pairproof.campaign.hits.sources import Groups, Sources, group_pools, groups_by, source_plan
from pairproof.errors import InputError

NOTHING = np.zeros(0, np.int64)


def test_items_are_grouped_by_source_and_a_source_with_fewer_leaves_slots_empty():
    found = groups_by(["b", "a", "b", "a", "c"], np.array([0, 1, 2, 3, 9]), 3)
    assert found.names == ("a", "b", "c")
    assert found.members.tolist() == [[1, 3, -1], [0, 2, -1], [9, -1, -1]]
    assert found.of_items(10).tolist() == [1, 0, 1, 0, -1, -1, -1, -1, -1, 2]


def test_a_source_with_more_items_than_a_hit_is_an_error_with_both_numbers():
    with pytest.raises(InputError, match="source 's' has 3 items, and a HIT has 2; .* --per-hit 3 does"):
        groups_by(["s", "s", "s"], np.arange(3), 2)
    assert groups_by(["s", "s", "s"], np.arange(3), 2, split=True).members.tolist() == [[0, 1], [2, -1]]


def test_no_items_are_no_groups():
    assert len(groups_by([], NOTHING, 4)) == 0


SOURCES, SYSTEMS = 12, 4


def sources() -> Sources:
    """Items 4 s + k of source s; degraded ones 48 + 4 s + k of the first three sources; gold 60 to 63."""
    items = groups_by([f"s{k // 4:02d}" for k in range(48)], np.arange(48), 5)
    damaged = groups_by([f"s{k // 4:02d}" for k in range(12)], np.arange(48, 60), 5)
    known = groups_by(["g"] * 4, np.arange(60, 64), 5)
    kind = np.r_[np.full(48, ITEM), np.full(12, DEGRADED), np.full(4, GOLD)]
    return Sources(items, damaged, known, np.arange(3), kind)


def planned(shares: Shares, hits: int = 20, seed: int = 0, seen: np.ndarray = NOTHING):
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
        s, hits, shares, pools, can_repeat(pools, has_seen), lambda k: np.arange(k) % len(s.items), rng
    )


def test_a_share_of_the_hits_is_a_source_again_its_degraded_outputs_or_gold_items():
    for seed in range(10):
        found = planned(Shares(0.2, 0.1, 0.05), seed=seed)
        one_kind = [set(k[i >= 0].tolist()) for k, i in zip(found.kinds, found.items)]
        assert all(len(kinds) == 1 for kinds in one_kind)
        kinds = [kinds.pop() for kinds in one_kind]
        assert [kinds.count(k) for k in (ITEM, REPEAT, DEGRADED, GOLD)] == [13, 4, 2, 1]
        source = [sorted(set((row[row >= 0] // 4).tolist())) for row in found.items]
        assert all(len(s) == 1 for s in source)
        for hit, kind in enumerate(kinds):
            here = source[hit][0]
            if kind == REPEAT:
                assert any(kinds[h] == ITEM and source[h][0] == here for h in range(hit))
            if kind == DEGRADED:
                assert here - 12 in {source[h][0] for h in range(20) if kinds[h] == ITEM}


def test_outputs_stand_in_random_order_and_empty_slots_last():
    found = planned(Shares())
    assert (found.items[:, 4] == -1).all() and (found.items[:, :4] >= 0).all()
    assert any(row[:4].tolist() != sorted(row[:4].tolist()) for row in found.items)


def test_degraded_outputs_wait_until_their_originals_are_judged():
    found = planned(Shares(degraded=0.5), hits=2)
    assert found.lacking == {} and sorted(found.kinds[:, 0].tolist()) == [ITEM, DEGRADED]
    no_originals = planned(Shares(gold=0.4), hits=5, seed=3)
    assert (no_originals.kinds[:, 0] == GOLD).sum() == 2


def test_a_source_counts_as_seen_when_all_its_outputs_were():
    s = sources()
    flat = Pools(
        np.zeros(1, np.int64), lambda _: np.arange(6), lambda _: np.zeros(64, np.int64), *[NOTHING] * 4
    )
    assert group_pools(flat, s).seen(0).tolist() == [0]
    assert isinstance(s.items, Groups)
