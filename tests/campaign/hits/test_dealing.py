"""Dealing HITs to annotators: different ones for each HIT, equal loads, teams that come back and mix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign.hits.assigning import deal, teams_of
from pairproof.errors import InputError


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.data(), st.integers(1, 200), st.integers(0, 999))
def test_each_hit_goes_to_different_annotators_and_loads_differ_by_one_at_most(m, data, hits, seed):
    each = data.draw(st.integers(1, m))
    found = deal(hits, np.arange(10, 10 + m), each, np.zeros(m, int), np.random.default_rng(seed))
    assert found.shape == (hits, each)
    assert all(len(set(row)) == each for row in found.tolist())
    load = np.bincount(found.ravel() - 10, minlength=m)
    assert load.max() - load.min() <= 1


def test_those_who_had_fewer_hits_get_the_ones_left_over():
    for seed in range(20):
        found = deal(5, np.arange(4), 1, np.array([3, 2, 3, 3]), np.random.default_rng(seed))
        assert np.bincount(found.ravel()).tolist() == [1, 2, 1, 1]


def test_every_team_of_a_batch_gets_several_hits_and_teams_mix():
    found = deal(64, np.arange(4), 2, np.zeros(4, int), np.random.default_rng(3))
    teams, which = teams_of(found)
    assert np.bincount(which).min() >= 4  # an item of one can be repeated in another
    together = {tuple(t) for t in teams.tolist()}
    # Joined by shared HITs, all annotators hang together.
    reached = {0}
    for _ in range(4):
        reached |= {b for a, b in together if a in reached} | {a for a, b in together if b in reached}
    assert reached == {0, 1, 2, 3}


def test_the_same_seed_deals_the_same_and_another_another():
    one, two, three = (
        deal(20, np.arange(5), 2, np.zeros(5, int), np.random.default_rng([s, 1])) for s in (7, 7, 8)
    )
    assert (one == two).all() and (one != three).any()


@pytest.mark.parametrize("each", [0, 4])
def test_more_judgments_than_annotators_are_an_error_with_both_numbers(each):
    with pytest.raises(InputError, match=f"{each} different annotators per HIT, but only 3 can receive HITs"):
        deal(10, np.arange(3), each, np.zeros(3, int), np.random.default_rng(1))
