"""Slots of a batch: shares are met to the nearest slot, and repeats and checks stand where they tell something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign.hits.assigning import deal, own_order, teams_of
from pairproof.campaign.hits.plan import (
    DEGRADED,
    GOLD,
    ITEM,
    REPEAT,
    Plan,
    Pools,
    Shares,
    can_repeat,
    extra_slots,
    fill,
    hits_for,
)
from pairproof.errors import InputError
from pairproof.native.annotation.allocation import next_hits
from pairproof.native.annotation.methods import start

NOTHING = np.zeros(0, np.int64)
N, DAMAGED, KNOWN = 60, 30, 12  # items 0 to 59; 60 to 89 degrade 0, 2, 4, ...; 90 to 101 are gold


def pools(team: np.ndarray, seen: np.ndarray = NOTHING, times: np.ndarray | None = None) -> Pools:
    counted = np.zeros(N + DAMAGED + KNOWN, np.int64) if times is None else times
    return Pools(
        team=team,
        seen=lambda _: seen,
        times=lambda _: counted,
        degraded=np.arange(N, N + DAMAGED),
        original=np.arange(0, 2 * DAMAGED, 2),
        gold=np.arange(N + DAMAGED, N + DAMAGED + KNOWN),
        gold_kind=np.full(KNOWN, GOLD),
    )


def plan(team: np.ndarray, per_hit: int, shares: Shares, seed: int = 0, **known) -> Plan:
    rng, p = np.random.default_rng(seed), pools(team, **known)
    has_seen = np.full(int(team.max()) + 1, bool(len(known.get("seen", NOTHING))))
    extra = extra_slots(len(team), per_hit, shares, can_repeat(p, has_seen), rng)
    chosen = next_hits(
        start("easl", N),
        np.zeros(N, int),
        per_hit,
        len(team),
        rng,
        first=True,
        sizes=per_hit - extra.sum(axis=1),
    )
    return fill(chosen, extra, p, rng.permutation(N), shares, rng)


def crowd(hits: int) -> np.ndarray:
    return np.zeros(hits, np.int64)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(4, 40),
    st.integers(3, 7),
    st.lists(st.floats(0, 0.2), min_size=3, max_size=3),
    st.integers(0, 99),
)
def test_shares_are_met_to_the_nearest_slot_and_spread_evenly(hits, per_hit, shares, seed):
    s = Shares(*shares)
    found = plan(crowd(hits), per_hit, s, seed, seen=np.arange(N))
    counted = [int((found.kinds == k).sum()) for k in (REPEAT, DEGRADED, GOLD)]
    assert not found.lacking
    assert counted == [int(share * hits * per_hit + 0.5) for share in shares]
    for kind in (DEGRADED, GOLD):
        own = (found.kinds == kind).sum(axis=1)
        assert own.max() - own.min() <= 1
    assert (found.kinds != ITEM).sum(axis=1).max() < per_hit
    assert (found.items >= 0).all()
    assert all(len(set(row)) == per_hit for row in found.items.tolist())


def test_a_degraded_item_is_never_beside_its_original_and_its_original_is_in_another_hit():
    for seed in range(20):
        found = plan(crowd(20), 5, Shares(degraded=0.2), seed)
        assert (found.kinds == DEGRADED).sum() == 20
        for row, kinds in zip(found.items, found.kinds):
            originals = 2 * (row[kinds == DEGRADED] - N)
            assert not set(originals.tolist()) & set(row.tolist())
        # 20 HITs of 4 items: every item is shown, so every original is.
        assert set(range(N)) <= set(found.items[found.kinds == ITEM].tolist())
        # No degraded item twice while others have not been shown.
        assert len(set(found.items[found.kinds == DEGRADED].tolist())) == 20


def test_a_repeat_is_of_an_earlier_hit_and_never_in_the_hit_of_its_original():
    for seed in range(20):
        found = plan(crowd(15), 5, Shares(repeats=0.2), seed)
        assert (found.kinds == REPEAT).sum() == 15
        for hit, (row, kinds) in enumerate(zip(found.items, found.kinds)):
            for item in row[kinds == REPEAT].tolist():
                original = [h for h in range(hit) if item in found.items[h][found.kinds[h] == ITEM]]
                assert original and (hit, original[0]) in found.after
            assert len(set(row.tolist())) == 5
        assert not (found.kinds[0] == REPEAT).any()  # nothing came before the first HIT


def test_with_teams_a_repeat_is_of_an_item_that_everybody_in_the_team_judged_before():
    for seed in range(10):
        given_to = deal(24, np.arange(6), 2, np.zeros(6, int), np.random.default_rng(seed))
        teams, team = teams_of(given_to)
        found = plan(team, 5, Shares(repeats=0.1, degraded=0.1), seed)
        for hit in range(24):
            row, kinds = found.items[hit], found.kinds[hit]
            for item in row[kinds == REPEAT].tolist():
                for who in given_to[hit]:
                    mine = [h for h in range(hit) if who in given_to[h]]
                    assert any(item in found.items[h][found.kinds[h] == ITEM] for h in mine)
            for item in row[kinds == DEGRADED].tolist():
                for who in given_to[hit]:
                    mine = [h for h in range(24) if who in given_to[h] and h != hit]
                    assert any(2 * (item - N) in found.items[h][found.kinds[h] == ITEM] for h in mine)


def test_an_annotators_own_order_shows_the_original_before_its_repeat():
    for seed in range(30):
        found = plan(crowd(15), 5, Shares(repeats=0.2), seed)
        order = own_order(np.arange(15), found.after, np.random.default_rng(seed)).tolist()
        assert sorted(order) == list(range(15))
        assert all(order.index(hit) > order.index(earlier) for hit, earlier in found.after)


def test_degraded_items_stand_no_less_where_repeats_stand():
    """One slot in ten each, so half of 400 HITs have a repeat and half a degraded item: of independent draws 100 have
    both, with sd 5, and 60 to 140 are left with a probability of 1e-15. Kinds that are kept apart give 0.
    """
    found = plan(crowd(400), 5, Shares(0.1, 0.1), seed=1, seen=np.arange(N))
    repeats, degraded = ((found.kinds == kind).any(axis=1) for kind in (REPEAT, DEGRADED))
    assert repeats.sum() == degraded.sum() == 200
    assert 60 <= (repeats & degraded).sum() <= 140


def test_hits_that_are_spread_stand_once_in_each_part_of_the_order():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        spread = set(rng.permutation(40)[:10].tolist())
        order = own_order(np.arange(40), [], rng, spread).tolist()
        assert sorted(order) == list(range(40))
        assert [len(spread & set(order[k : k + 4])) for k in range(0, 40, 4)] == [1] * 10
        after = [(hit, hit - 7) for hit in range(7, 40)]
        order = own_order(np.arange(40), after, rng, spread).tolist()
        assert all(order.index(hit) > order.index(earlier) for hit, earlier in after)
    assert own_order(np.arange(3), [], np.random.default_rng(1), {0, 1, 2, 9}).size == 3
    assert own_order(np.arange(0), [(1, 0)], np.random.default_rng(1), {4}).size == 0


def test_orders_are_drawn_anew_for_every_annotator():
    orders = {tuple(own_order(np.arange(8), [], np.random.default_rng([1, k])).tolist()) for k in range(10)}
    assert len(orders) == 10


def test_items_of_earlier_batches_can_be_repeated_in_the_first_hit_of_a_batch():
    found = plan(crowd(2), 5, Shares(repeats=0.4), seen=np.array([3, 5, 7, 9, 11, 13]))
    repeated = found.items[found.kinds == REPEAT]
    assert len(repeated) == 4 and (found.kinds == REPEAT).any(axis=1).all()


def test_where_nothing_fits_the_slot_is_for_an_item_and_is_counted():
    # Each HIT has a team of its own: nobody has judged anything before.
    found = plan(np.arange(6), 5, Shares(repeats=0.2, degraded=0.1))
    assert found.lacking == {REPEAT: 6, DEGRADED: 3}
    assert (found.kinds == ITEM).all() and (found.items >= 0).all() and (found.items < N).all()
    assert all(len(set(row)) == 5 for row in found.items.tolist())


def test_gold_items_shown_least_come_first_and_again_only_when_all_were_shown():
    times = np.zeros(N + DAMAGED + KNOWN, np.int64)
    times[N + DAMAGED : N + DAMAGED + 6] = 1
    found = plan(crowd(30), 4, Shares(gold=0.05), times=times)
    assert set(found.items[found.kinds == GOLD].tolist()) == set(range(N + DAMAGED + 6, N + DAMAGED + KNOWN))
    found = plan(crowd(40), 6, Shares(gold=0.15))
    count = np.bincount(found.items[found.kinds == GOLD] - N - DAMAGED, minlength=KNOWN)
    assert count.tolist() == [3] * KNOWN


def test_positions_of_checks_are_drawn():
    where = np.zeros(5, int)
    for seed in range(40):
        where += (plan(crowd(20), 5, Shares(gold=0.1), seed).kinds == GOLD).sum(axis=0)
    # 400 gold slots over five positions: 80 each, standard deviation 8; observed 71 to 92.
    assert where.sum() == 400 and (abs(where - 80) < 5 * 8).all()


def test_the_same_seed_gives_the_same_plan():
    one, two = (plan(crowd(20), 5, Shares(0.1, 0.1, 0.1), 5) for _ in range(2))
    assert (one.items == two.items).all() and (one.kinds == two.kinds).all()


def test_shares_that_leave_a_hit_without_an_item_are_an_error_with_the_numbers():
    with pytest.raises(InputError, match="would take 18 of 20 slots, but they can take at most 16"):
        plan(crowd(4), 5, Shares(gold=0.9))


@pytest.mark.parametrize(("items", "per_hit", "expected"), [(60, 5, 16), (60, 4, 19), (1, 5, 1), (61, 5, 16)])
def test_as_many_hits_as_show_every_item_once_beside_the_checks(items, per_hit, expected):
    shares = Shares(0.1, 0.1)
    hits = hits_for(items, per_hit, shares)
    assert hits == expected
    left = [h * per_hit - int(shares.counts(h * per_hit).sum()) for h in (hits - 1, hits)]
    assert left[0] < items <= left[1]


def test_no_shares_are_false():
    assert not Shares() and Shares(gold=0.01)
    assert replace(Shares(), repeats=0.5).counts(9).tolist() == [5, 0, 0]
