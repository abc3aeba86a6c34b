"""Which functions are infinite, in models with ties, order effects and covariates, by fits that approach the limit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import ConvergenceError
from pairproof.native.inference.taken_apart import all_pairs
from pairproof.numerics.infinity import AtInfinity, both, held_at_minus_infinity

build = pairproof.Comparisons.build


def test_a_function_in_the_cone_is_infinite_and_one_across_it_not_determined():
    # d1 >= d2 >= 0 and a third direction that nothing bounds
    at = AtInfinity(np.eye(3), np.array([[1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]))
    functions = np.array([[1.0, 0, 0], [0, -1, 0], [1, -1, 0], [1, -2, 0], [0, 0, 1], [0, 0, 0]])
    found = at.values(functions, np.full(6, 7.0))
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.inf, np.nan, np.nan, 7.0])


def test_a_tie_parameter_at_minus_infinity_is_added_to_other_directions():
    found = both(AtInfinity(np.eye(3)[:, :1], np.array([[1.0]])), held_at_minus_infinity(3, 2))
    found = found.values(
        np.array([[1.0, 0, 0], [0, 0, 1], [1, 0, -1], [1, 0, 1], [0, 5, 0]]), np.full(5, 2.0)
    )
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.inf, np.nan, 2.0])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=18, max_size=18),
    st.sampled_from([dict(ties="davidson"), dict(ties="davidson", order_effect=True), dict(ties="none"), dict(ties="drop", order_effect=True)]),
)  # fmt: skip
def test_infinite_estimates_are_those_that_grow_as_the_limit_is_approached(counts, model):
    """With eps added to every count all estimates are finite: as eps falls from 1e-4 to 1e-8 those that are infinite
    at 0 grow in their direction, and those that are finite stay.
    """
    first, second = [0, 0, 1, 1, 2, 2], [1, 2, 2, 0, 0, 1]
    wins, ties, losses = (np.array(counts[k::3], float) for k in range(3))
    used = wins + ties + losses > 0
    entering = wins + losses if model["ties"] == "drop" else wins + ties + losses
    if not used.all() or not entering.all() or (model["ties"] == "davidson" and not ties.any()):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit = pairproof.fit_bradley_terry(
                build("ABC", first, second, wins, ties, losses), reference="C", **model
            )
            near = [
                pairproof.fit_bradley_terry(
                    build("ABC", first, second, wins + e, ties + e, losses + e), reference="C", **model
                )
                for e in (1e-4, 1e-6, 1e-8)
            ]
        except ConvergenceError:
            return
    free = np.flatnonzero([not held for held in fit.is_reference])
    functions = np.concatenate([all_pairs(fit)[1], np.eye(len(fit.beta))[free]])
    values = fit.likelihood.estimates(functions)
    paths = np.array([functions @ f.beta for f in near])
    for value, path in zip(values, paths.T):
        growth = np.diff(path)
        if np.isfinite(value):
            # Of order eps = 1e-8 times the curvature's inverse; observed 5e-7.
            assert path[-1] == pytest.approx(value, abs=1e-4)
        elif not np.isnan(value):
            # A step of eps by 100 moves the slowest infinite direction by log(100) / 4 or more.
            assert (np.sign(value) * growth > 0.5).all(), (value, path)


def test_replicates_of_models_with_order_effects_and_slopes_may_separate_too():
    table = build(
        "ABC", [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1], [3, 1, 2, 1, 2, 1], [1, 0, 1, 0, 1, 1], [0, 2, 1, 2, 0, 1],
        columns={"age": np.array([1.0, 2, 3, 4, 5, 6])},
    )  # fmt: skip
    for model in (dict(order_effect=True), dict(by="age"), dict(ties="rao-kupper", order_effect=True)):
        drawn = (
            pairproof.fit_llbt(table, **model).bootstrap(
                replicates=60,
                seed=3,
                quantity=["params", "ranks", "probabilities"],
                group=None if "by" not in model else "age=3.45455",
            )
            if "by" not in model
            else pairproof.fit_llbt(table, **model).bootstrap(replicates=60, seed=3)
        )
        assert 0 < drawn.n_separated < 60
        infinite = np.isinf(drawn.replicates).any(axis=1)
        assert (infinite <= drawn.separated).all() and infinite.any()
        assert drawn.n_failed == 0
