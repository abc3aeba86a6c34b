"""Match quality and the exactness of drawing by it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.annotation.allocation import draw_partners, match_quality, quality_map


def test_the_specified_qualities():
    assert match_quality(0.5, 1 / 12, 0.5, 1 / 12) == pytest.approx(0.3273268354, abs=6e-11)
    assert match_quality(0.9, 0.042, 0.125, 0.04296875) == pytest.approx(0.02497361, abs=6e-9)


def state(n=9, seed=5):
    rng = np.random.default_rng(seed)
    return rng.random(n), rng.uniform(0.005, 0.08, n)


def exact_probabilities(location, variance, anchor, pool, size):
    """Of every ordered draw without replacement: the definition, written out."""
    q = {
        j: float(match_quality(location[anchor], variance[anchor], location[j], variance[j]))
        for j in pool
        if j != anchor
    }
    found = {}
    for draw in itertools.permutations(q, size):
        p, left = 1.0, sum(q.values())
        for j in draw:
            p *= q[j] / left
            left -= q[j]
        found[draw] = p
    return found


def chi_square_p(counts, expected):
    from scipy.special import chdtrc

    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    assert expected.min() > 5
    return float(chdtrc(len(counts) - 1, np.sum((counts - expected) ** 2 / expected)))


# All three ways to propose, each alone, and the mixture as it runs.
@pytest.mark.parametrize(
    "rounds",
    [
        {},
        {"uniform_rounds": 0},
        {"uniform_rounds": 0, "sliced_rounds": 0},
        {"uniform_rounds": 1, "sliced_rounds": 1},
    ],
    ids=["as it runs", "slices", "all q", "each hands on to the next"],
)
def test_partners_are_drawn_as_the_definition_draws_them(rounds):
    location, variance = state()
    pool = np.array([0, 2, 3, 5, 7, 8])
    rng = np.random.default_rng(20180701)
    for anchor in (1, 3):  # outside the pool, and inside it
        exact = exact_probabilities(location, variance, anchor, pool, 2)
        draws = 20_000 if rounds.get("sliced_rounds") != 0 else 8_000
        found = draw_partners(np.full(draws, anchor), location, variance, 2, pool, rng, **rounds)
        seen = {draw: 0 for draw in exact}
        for row in map(tuple, found.tolist()):
            seen[row] += 1
        # With this seed the smallest p of the eight runs is far from 0; a wrong bound or a lost proposal
        # gives 0.
        assert chi_square_p(list(seen.values()), [draws * exact[d] for d in seen]) > 0.01


def test_first_draws_of_a_large_pool_follow_the_qualities():
    rng = np.random.default_rng(7)
    location, variance = rng.beta(0.5, 0.5, 400), rng.uniform(0.002, 0.02, 400)
    anchor, draws = 17, 40_000
    found = draw_partners(np.full(draws, anchor), location, variance, 1, np.arange(400), rng)[:, 0]
    q = match_quality(location[anchor], variance[anchor], location, variance)
    q[anchor] = 0
    order = np.argsort(location)
    cells = np.array_split(order, 40)
    assert (
        chi_square_p([np.isin(found, c).sum() for c in cells], [draws * q[c].sum() / q.sum() for c in cells])
        > 0.01
    )


def test_an_item_so_far_from_all_others_that_every_quality_is_0_still_gets_partners_in_proportion():
    location = np.array([1000.0, 0.0, 0.2, 0.4])
    variance = np.full(4, 0.01)
    found = draw_partners(np.zeros(200, int), location, variance, 1, np.arange(4), np.random.default_rng(1))
    assert match_quality(1000, 0.01, 0.4, 0.01) == 0.0
    assert (found == 3).all()  # the nearest is exp(5,000) times likelier than the next


def test_drawing_the_whole_pool_gives_each_item_once():
    location, variance = state()
    found = draw_partners(np.arange(9), location, variance, 8, np.arange(9), np.random.default_rng(2))
    np.testing.assert_array_equal(np.sort(found, axis=1), [[j for j in range(9) if j != i] for i in range(9)])


def test_too_few_items_to_draw_from_is_an_error_that_counts_them():
    with pytest.raises(InputError, match="2 items to draw 3 partners from"):
        draw_partners([0], *state(), 3, [0, 1, 2], np.random.default_rng(0))


def test_partners_of_20000_anchors_among_100000_items_take_little_memory():
    import tracemalloc

    from pairproof.native.annotation.allocation import next_hits
    from pairproof.native.annotation.methods import ScoreState

    rng = np.random.default_rng(3)
    n = 100_000
    counts = rng.integers(1, 6, n)
    sums = rng.random(n) * counts
    items = ScoreState("easl", 1 + sums, 1 + counts - sums, counts)
    tracemalloc.start()
    hits = next_hits(items, counts, 5, n // 5, rng, first=False)
    assert hits.shape == (20_000, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # observed 13 MB; all pairs would be 16 GB


def test_the_map_of_a_fresh_campaign_is_uniform_and_of_a_sharp_one_bright_on_the_diagonal():
    fresh = quality_map(np.full(150, 0.5), np.full(150, 1 / 12), np.arange(150))
    np.testing.assert_allclose(fresh, 0.3273268354, atol=6e-11)
    sharp = quality_map(np.linspace(0, 1, 150), np.full(150, 0.002), np.arange(150))
    assert sharp.shape == (30, 30) and np.diag(sharp).min() > 5 * sharp[0, -1]
    np.testing.assert_allclose(sharp, sharp.T, rtol=1e-12)
