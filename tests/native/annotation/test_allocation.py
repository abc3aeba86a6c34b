"""Batches: who anchors, who can be a partner, and that everybody is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.native.annotation.allocation import default_hits, even_hits, next_hits, next_sources
from pairproof.native.annotation.methods import ScoreState, observe, start


def rng():
    return np.random.default_rng(11)


def judged(n=150):
    r = rng()
    hits = next_hits(start("easl", n), np.zeros(n, int), 5, n // 5, r, first=True)
    return observe(start("easl", n), list(hits), list(r.random(hits.shape)))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 40), st.integers(1, 7), st.integers(1, 30), st.integers(0, 2**31))
def test_even_hits_show_no_item_twice_in_a_hit_and_all_items_as_often_as_can_be(n_items, per_hit, hits, seed):
    per_hit = min(per_hit, n_items)
    batch = even_hits(np.zeros(n_items, int), per_hit, hits, np.random.default_rng(seed))
    assert batch.shape == (hits, per_hit)
    assert all(len(set(row)) == per_hit for row in batch.tolist())
    shown = np.bincount(batch.ravel(), minlength=n_items)
    # A HIT that straddles two rounds can have to take an item a round early.
    assert shown.max() - shown.min() <= 1 + (n_items % per_hit != 0)


def test_the_first_batch_is_a_partition_of_all_items():
    batch = next_hits(start("easl", 150), np.zeros(150, int), 5, 30, rng(), first=True)
    assert sorted(batch.ravel()) == list(range(150))


def test_items_shown_less_come_first():
    shown = np.array([3, 0, 3, 0, 3, 0, 3, 0])
    assert set(even_hits(shown, 4, 1, rng()).ravel()) == {1, 3, 5, 7}


def test_algorithm_1_anchors_the_largest_variances_and_no_anchor_is_a_partner():
    state = judged()
    batch = next_hits(state, state.n, 5, 30, rng(), first=False)
    largest = set(np.argsort(-state.variance)[:30].tolist())
    assert all(len(largest & set(row)) == 1 for row in batch.tolist())
    assert all(len(set(row)) == 5 for row in batch.tolist())


def test_a_batch_after_the_first_touches_about_111_of_150_items():
    state = judged()
    r = rng()
    touched = [len(set(next_hits(state, state.n, 5, 30, r, first=False).ravel())) for _ in range(20)]
    # 30 anchors and 120 draws among 120 by match quality; observed mean 107 on uniform random scores.
    assert 100 < np.mean(touched) < 116


def test_cjmay_lets_anchors_be_partners_of_other_anchors():
    state = judged()
    largest = set(np.argsort(-state.variance)[:30].tolist())
    batch = next_hits(state, state.n, 5, 30, rng(), first=False, pool="cjmay")
    assert any(len(largest & set(row)) > 1 for row in batch.tolist())


def test_keisks_breaks_equal_variances_by_id_as_text():
    state = start("easl", 12)
    ids = tuple(str(k) for k in range(1, 13))
    batch = next_hits(state, state.n, 2, 3, rng(), first=False, pool="keisks", ids=ids)
    anchors = {"1", "10", "11"}
    assert all(len(anchors & {ids[k] for k in row}) == 1 for row in batch.tolist())


def test_numbers_of_hits_where_none_are_asked_for():
    assert (
        default_hits(150, 5),
        default_hits(151, 5),
        default_hits(150, 5, "cjmay"),
        default_hits(150, 5, "keisks"),
    ) == (30, 31, 30, 20)


def test_the_controls_choose_by_counts_not_by_variance():
    for method in ("da", "random"):
        fresh = start(method, 20)
        counts = np.r_[np.ones(10, int), np.zeros(10, int)]
        batch = next_hits(
            ScoreState(
                method, np.full(20, 2.0) if method == "random" else fresh.a, fresh.b + 1.0, counts * 0
            ),
            counts,
            5,
            2,
            rng(),
            first=False,
        )
        assert set(batch.ravel()) == set(range(10, 20))


def test_more_anchors_than_leave_partners_is_an_error_with_the_largest_number_possible():
    state = start("easl", 10)
    with pytest.raises(InputError, match="ask for 6 HITs at most"):
        next_hits(state, state.n, 5, 7, rng(), first=False)
    assert next_hits(state, state.n, 5, 7, rng(), first=False, pool="cjmay").shape == (7, 5)


@pytest.mark.parametrize(
    ("per_hit", "hits", "said"),
    [(11, 1, "11 items per HIT of 10"), (0, 1, "0 items per HIT"), (5, 0, "0 HITs")],
)
def test_sizes_that_cannot_be(per_hit, hits, said):
    with pytest.raises(InputError, match=said):
        next_hits(start("easl", 10), np.zeros(10, int), per_hit, hits, rng(), first=True)


# -- HITs in which some slots are for other things -----------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 40), st.lists(st.integers(0, 5), min_size=1, max_size=20), st.integers(0, 2**31))
def test_with_sizes_each_hit_has_its_number_of_items_and_items_are_shown_as_evenly(n_items, sizes, seed):
    each = np.array([*sizes, 1])
    batch = even_hits(np.zeros(n_items, int), 5, len(each), np.random.default_rng(seed), each)
    assert ((batch >= 0).sum(axis=1) == each).all()
    assert all((np.diff((row >= 0).astype(int)) <= 0).all() for row in batch)  # empty places stand last
    assert all(len(set(row[row >= 0])) == size for row, size in zip(batch, each))
    shown = np.bincount(batch[batch >= 0], minlength=n_items)
    assert shown.max() - shown.min() <= 1 + (n_items % 5 != 0 or len(set(sizes)) > 1)


def test_with_sizes_every_hit_keeps_its_anchor():
    state, r = judged(), rng()
    largest = set(np.argsort(-state.variance)[:30].tolist())
    sizes = np.tile([3, 4, 5], 10)
    batch = next_hits(state, state.n, 5, 30, r, first=False, sizes=sizes)
    assert ((batch >= 0).sum(axis=1) == sizes).all()
    assert all(len(largest & set(row)) == 1 for row in batch.tolist())


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="sizes of 2 HITs; expected 3, each 0 to 5"):
        next_hits(start("easl", 20), np.zeros(20, int), 5, 3, rng(), first=True, sizes=np.array([5, 5]))
    with pytest.raises(InputError, match="each 0 to 5"):
        next_hits(start("easl", 20), np.zeros(20, int), 5, 2, rng(), first=True, sizes=np.array([6, 5]))


# -- HITs of one source --------------------------------------------------------------------------------------


def test_the_sources_of_the_largest_mean_variance_come_next_not_that_of_the_largest():
    # Source 0 has the item of largest variance (never judged) and three judged well; sources 1 and 2 are in
    # between throughout.
    b = np.r_[1.0, 30, 30, 30, 3, 3, 3, 3, 4, 4, 4, 4, 9, 9, 9, 9]
    state = ScoreState("easl", b.copy(), b.copy(), np.r_[0, np.full(15, 5)])
    source = np.repeat([0, 1, 2, 3], 4)
    assert int(np.argmax(state.variance)) == 0
    for seed in range(10):
        found = next_sources(state, state.n, source, 2, np.random.default_rng(seed), first=False)
        assert sorted(found) == [1, 2]


def test_under_the_controls_and_in_the_first_batch_the_sources_shown_least_come_next():
    shown = np.array([2, 2, 0, 0, 1, 1])
    source = np.array([0, 0, 1, 1, 2, 2])
    for method, first in (("da", False), ("random", False), ("easl", True)):
        found = next_sources(start(method, 6), shown, source, 2, rng(), first=first)
        assert sorted(found) == [1, 2]
        everything = next_sources(start(method, 6), shown * 0, source, 3, rng(), first=first)
        assert sorted(everything) == [0, 1, 2]


def test_items_without_a_group_take_no_part_and_more_hits_than_sources_are_an_error():
    state = start("easl", 5)
    source = np.array([0, 0, 1, 1, -1])
    assert sorted(next_sources(state, state.n, source, 2, rng(), first=False)) == [0, 1]
    with pytest.raises(InputError, match="3 HITs of one source each, but there are 2 sources"):
        next_sources(state, state.n, source, 3, rng(), first=False)
    again = next_sources(start("da", 5), state.n, source, 5, rng(), first=False)
    assert sorted(np.bincount(again)) == [2, 3]
