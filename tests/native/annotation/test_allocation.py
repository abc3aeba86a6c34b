"""Batches: who anchors, who can be a partner, and that everybody is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.native.annotation.allocation import default_hits, even_hits, next_hits
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
    ("per_hit", "hits", "said"), [(11, 1, "11 items a HIT of 10"), (0, 1, "0 items a HIT"), (5, 0, "0 HITs")]
)
def test_sizes_that_cannot_be(per_hit, hits, said):
    with pytest.raises(InputError, match=said):
        next_hits(start("easl", 10), np.zeros(10, int), per_hit, hits, rng(), first=True)
