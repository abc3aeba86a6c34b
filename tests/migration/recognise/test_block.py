"""Which columns of a design are items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.migration.recognise.design_contests import item_block
from tests.migration.recognise.made import FloatArray, signs


def dummies(n: int, levels: int) -> FloatArray:
    return (np.arange(n)[:, None] % levels == np.arange(levels)).astype(float)


def contrasts(kind: str, levels: int) -> FloatArray:
    """R's contr.sum, contr.helmert, contr.treatment."""
    if kind == "sum":
        return np.vstack([np.eye(levels - 1), -np.ones(levels - 1)])
    if kind == "helmert":
        out = np.zeros((levels, levels - 1))
        for k in range(levels - 1):
            out[: k + 1, k], out[k + 1, k] = -1.0, k + 1.0
        return out
    return np.vstack([np.zeros(levels - 1), np.eye(levels - 1)])


@pytest.mark.parametrize("kind", ["sum", "helmert", "treatment"])
@pytest.mark.parametrize("levels", [2, 3, 4, 5])
def test_contrasts_of_a_factor_are_no_items(kind: str, levels: int) -> None:
    x = dummies(60, levels) @ contrasts(kind, levels)
    assert item_block(x) is None


def test_products_of_sum_contrasts_are_no_items() -> None:
    a, b = dummies(60, 3) @ contrasts("sum", 3), dummies(60, 4) @ contrasts("sum", 4)
    both = np.column_stack([a, b, *(a[:, [i]] * b[:, [j]] for i in range(2) for j in range(3))])
    assert item_block(both) is None


def test_a_sign_and_its_opposite_are_no_items() -> None:
    u = np.where(np.arange(20) % 3 == 0, 1.0, -1.0)
    assert item_block(np.column_stack([u, -u])) is None
    assert item_block(np.column_stack([u, np.linspace(0, 1, 20)])) is None


def test_one_item_against_all_others_is_no_block_of_pairs() -> None:
    # A's opponent in each row: one sign a row, and no row in which two of the columns meet.
    assert item_block(dummies(12, 4)) is None
    assert item_block(-dummies(12, 4)[:, :3]) is None


def test_two_items_are_not_told_from_a_covariate_of_two_signs() -> None:
    assert item_block(np.array([[1.0, -1], [-1, 1], [1, -1]])) is None


def test_an_order_effect_of_one_for_all_and_of_two_signs_is_left_out() -> None:
    x = signs(4, 3)
    home = np.where(np.arange(len(x)) % 2 == 0, 1.0, -1.0)
    for extra in (home, np.ones(len(x))):
        for place in (0, 3):
            found = item_block(np.insert(x[:, :3], place, extra, axis=1))
            assert found is not None and found.columns == tuple(k for k in range(4) if k != place)
            assert found.hidden


def test_items_within_groups_are_not_taken_for_more_items() -> None:
    x = signs(3, 4)
    south = (np.arange(len(x)) % 4 < 2).astype(float)[:, None]
    found = item_block(np.column_stack([x, x * south]))
    assert found is not None and found.columns == (0, 1, 2)


def test_a_crossover_trial_is_one_by_its_design() -> None:
    found = item_block(signs(3, 2)[:, :2])
    assert found is not None and found.n_items == 3 and found.hidden


@settings(max_examples=60)
@given(
    n=st.integers(3, 6),
    rounds=st.integers(1, 3),
    scale=st.sampled_from([0.5, 1.0, 2.0, 1 / 3]),
    hidden=st.booleans(),
    with_numbers=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_items_are_found_whatever_the_order_of_rows_and_columns_and_the_size_of_entries(
    n: int, rounds: int, scale: float, hidden: bool, with_numbers: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    x = signs(n, rounds)[:, : n - hidden]
    whole = np.column_stack([x * scale, *([draw.normal(size=len(x))] if with_numbers else [])])
    columns, rows = draw.permutation(whole.shape[1]), draw.permutation(len(x))
    found = item_block(whole[rows][:, columns])
    assert found is not None
    assert sorted(columns[k] for k in found.columns) == list(range(x.shape[1]))
    assert found.scale == pytest.approx(scale) and found.hidden == hidden
    assert (found.signs == np.sign(x)[rows][:, [columns[k] for k in found.columns]]).all()


def test_two_items_with_a_column_each_are_a_block_where_rows_are_outcomes() -> None:
    # Dras's model of one pair: preferred, the other preferred, no preference.
    found = item_block(np.array([[1.0, -1, 0], [-1, 1, 0], [0, 0, 1]]), mirrored=True)
    assert found is not None and (found.columns, found.scale, found.n_items) == ((0, 1), 1.0, 2)


def test_one_column_of_two_signs_is_no_block_where_rows_are_outcomes_either() -> None:
    assert item_block(np.array([[1.0, 0], [-1, 0], [0, 1]]), mirrored=True) is None
