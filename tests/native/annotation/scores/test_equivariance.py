"""What must not matter to models of annotators: names, the order of rows, the unit and the origin of the scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.native.annotation.scores.annotator_model import annotator_model
from pairproof.native.annotation.scores.systems_model import systems_model

SETTINGS = settings(max_examples=8, deadline=None)
#: Variances are found to about 1e-11; another order of sums moves them by as much. Observed 2e-10.
SAME = {"rtol": 1e-7, "atol": 1e-8}


def drawn(seed):
    """60 to 100 scores of 14 sources by 2 systems and 5 annotators, with gaps."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 101))
    item = rng.integers(0, 28, n)
    who = np.r_[np.repeat(np.arange(5), 12), rng.integers(0, 5, n - 60)]  # a precision needs 10 each
    y = (
        0.6 + rng.normal(0, 0.15, 28)[item] + rng.normal(0, 0.1, 5)[who]
        + rng.normal(0, 1, n) * np.exp(rng.normal(-2.5, 0.3, 5))[who]
    )  # fmt: skip
    return rng, item, who, y


def fitted(item, who, y, level):
    return annotator_model(item, who, y, level=level)


@pytest.mark.parametrize("level", ["location", "precision"])
@given(seed=st.integers(0, 10_000))
@SETTINGS
def test_new_names_and_another_order_of_rows_change_no_number(level, seed):
    rng, item, who, y = drawn(seed)
    first = fitted(item, who, y, level)
    new_item, new_who, order = rng.permutation(28), rng.permutation(5), rng.permutation(len(y))
    again = fitted(new_item[item][order], new_who[who][order], y[order], level)
    at = [again.items.index(str(new_item[int(name)])) for name in first.items]
    by = [again.annotators.index(str(new_who[int(name)])) for name in first.annotators]
    for a, b in (
        (first.score, again.score[at]),
        (first.se, again.se[at]),
        (first.location, again.location[by]),
        (first.noise, again.noise[by]),
        (first.loglik, again.loglik),
    ):
        np.testing.assert_allclose(b, a, **SAME)


@pytest.mark.parametrize("level", ["location", "precision"])
@given(seed=st.integers(0, 10_000), shift=st.floats(-5, 5), factor=st.sampled_from([0.01, 3.0, 100.0, -1.0]))
@SETTINGS
def test_another_unit_and_origin_move_scores_with_them(level, seed, shift, factor):
    _, item, who, y = drawn(seed)
    first, again = fitted(item, who, y, level), fitted(item, who, shift + factor * y, level)
    size = abs(factor)
    for a, b in (
        (first.score, (again.score - shift) / factor),
        (first.se, again.se / size),
        (first.location, again.location / factor),
        (first.noise, again.noise / size),
        (first.item_sd, again.item_sd / size),
        (first.annotator_sd, again.annotator_sd / size),
    ):
        np.testing.assert_allclose(b, a, **SAME)
    free = len(y) - 1
    assert again.loglik == pytest.approx(first.loglik - free * np.log(size), abs=1e-6)


@given(seed=st.integers(0, 10_000))
@SETTINGS
def test_an_annotator_split_in_two_names_changes_raw_means_in_nothing(seed):
    rng, item, who, y = drawn(seed)
    split = np.where((who == 0) & (rng.random(len(y)) < 0.5), 5, who)
    for level in ("raw",):
        np.testing.assert_array_equal(fitted(item, who, y, level).score, fitted(item, split, y, level).score)
    one, two = fitted(item, who, y, "location"), fitted(item, split, y, "location")
    # The two halves are one person: their locations lie on the same side as the whole, or near 0.
    k = [two.annotators.index(name) for name in ("0", "5")]
    n = np.array([(split == 0).sum(), (split == 5).sum()])
    if n.min() >= 3 and one.annotator_sd > 0.05 and two.annotator_sd > 0.05:
        halves, whole = two.location[k], one.location[one.annotators.index("0")]
        assert halves.min() - 0.15 < whole < halves.max() + 0.15


@pytest.mark.parametrize("way", [{}, {"annotator_by_system": False}, {"way": "ols"}])
@given(seed=st.integers(0, 10_000))
@SETTINGS
def test_systems_under_new_names_in_another_order_and_unit_are_the_same(way, seed):
    rng, item, who, y = drawn(seed)
    system, source = item % 2, item // 2
    first = systems_model(system, source, who, y, **way)
    order, names = rng.permutation(len(y)), rng.permutation(14)
    again = systems_model(1 - system[order], names[source][order], who[order], 7.0 - 2.0 * y[order], **way)
    np.testing.assert_allclose((7.0 - again.mean[::-1]) / 2.0, first.mean, **SAME)
    np.testing.assert_allclose(again.se[::-1] / 2.0, first.se, **SAME)
    a, b = first.contrasts[0], again.contrasts[0]
    # Minus from the sign, minus from the order of the two names.
    np.testing.assert_allclose([b.estimate / 2.0, b.se / 2.0, b.p], [a.estimate, a.se, a.p], **SAME)
    assert first.df == again.df


@given(seed=st.integers(0, 10_000))
@SETTINGS
def test_scores_given_twice_leave_means_of_systems_and_halve_no_variance_between_sources(seed):
    _, item, who, y = drawn(seed)
    system, source = item % 2, item // 2
    one = systems_model(system, source, who, y, way="ols")
    two = systems_model(*(np.r_[c, c] for c in (system, source, who)), np.r_[y, y], way="ols")
    # Copies are no new sources and no new annotators: clustered errors stay as they are.
    np.testing.assert_allclose(two.mean, one.mean, rtol=1e-12)
    np.testing.assert_allclose(two.se, one.se, rtol=1e-10)  # observed 1e-15
