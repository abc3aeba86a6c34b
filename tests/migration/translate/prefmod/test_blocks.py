"""Designs that llbt.fit was given: comparisons are found in them by their numbers."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given as any_of, strategies as st

from pairproof.data.wide import prefmod_pair_order
from pairproof.migration.translate.prefmod.llbt_fits import blocks_of
from pairproof.migration.translate.translation import StaysInR

SIDE = np.array([1.0, 0.0, -1.0])


def a_design(
    n: int, groups: int = 1, ties: bool = True
) -> tuple[np.ndarray, list[str], int, list[tuple[int, int]]]:
    """Columns of the items but the last, one of ties, and the same in the second group, as `A:g2`."""
    side = SIDE if ties else SIDE[[0, 2]]
    pairs = [p for _ in range(groups) for p in prefmod_pair_order(n)]
    group = np.repeat(np.arange(groups), len(pairs) // groups)
    items = np.array([[(i == k) - (j == k) for k in range(n - 1)] for i, j in pairs], float)
    names = [chr(65 + k) for k in range(n - 1)]
    columns = [np.kron(items[:, k], side) for k in range(n - 1)]
    if groups > 1:
        columns += [np.kron(items[:, k] * (group == 1), side) for k in range(n - 1)]
        names += [f"{name}:g2" for name in names]
    if ties:
        columns.append(np.kron(np.ones(len(pairs)), side == 0.0))
        names.append("g1")
    return np.column_stack(columns), names, len(pairs), pairs


@any_of(st.integers(3, 5), st.integers(1, 2), st.booleans(), st.randoms())
def test_the_comparisons_of_a_design_are_found_in_any_order_of_columns(n, groups, ties, random) -> None:
    x, names, q, pairs = a_design(n, groups, ties)
    order = list(range(len(names)))
    random.shuffle(order)
    y = np.arange(1.0, len(x) + 1)
    found = blocks_of(y, x[:, order], [names[k] for k in order], q, 3 if ties else 2, "Z")
    place = {item: k for k, item in enumerate([*(chr(65 + k) for k in range(n - 1)), "Z"])}
    assert [
        (place[found.items[a]], place[found.items[b]]) for a, b in zip(found.first, found.second)
    ] == pairs
    assert found.counts.ravel().tolist() == y.tolist()
    assert found.has_ties == ties
    assert found.by == ("g2" if groups == 2 else "")
    if groups == 2:
        assert found.covariates["g2"].tolist() == [0.0] * (q // 2) + [1.0] * (q // 2)


@any_of(st.lists(st.floats(-3, 3), min_size=18, max_size=18))
def test_a_constant_of_each_block_is_no_part_of_a_column(constants: list[float]) -> None:
    x, names, q, _ = a_design(4)
    y = np.ones(len(x))
    moved = x + np.repeat(np.round(constants[:q], 2), 3)[:, None]
    a = blocks_of(y, x, names, q, 3)
    with contextlib.suppress(StaysInR):  # rounding of a sum may leave a column that is not exactly 1, 0, -1
        b = blocks_of(y, moved, names, q, 3)
        assert a.first.tolist() == b.first.tolist() and a.terms == b.terms


def test_covariates_of_single_items_and_of_ties_are_told_apart() -> None:
    x, names, q, _ = a_design(3, 2)
    keep = [k for k, name in enumerate(names) if name != "B:g2"]
    age = np.linspace(20, 45, q)
    x = np.column_stack([x[:, keep], np.repeat(age, 3) * x[:, names.index("g1")]])
    found = blocks_of(np.ones(len(x)), x, [*(names[k] for k in keep), "g1:age"], q, 3)
    assert found.by == "tie:age + A:g2" or found.by == "A:g2 + tie:age"
    assert np.allclose(found.covariates["age"], age)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda x: np.abs(x), "no columns of its design are items"),
        (lambda x: np.column_stack([x[:, 0] * [1, 2, 3] * 6, x[:, 1:]]) if len(x) == 3 else x * 0.3, "items"),
        (lambda x: x[:-1], "no blocks"),
    ],
)
def test_other_designs_are_none(change, why: str) -> None:
    x, names, q, _ = a_design(4)
    changed = change(x)
    with pytest.raises(StaysInR, match=why):
        blocks_of(np.ones(len(changed)), changed, names, q, 3)


def test_the_item_without_a_column_is_numbered_after_the_others() -> None:
    x, _, q, _ = a_design(4)
    for names, last in ((["o1", "o2", "o3", "g1"], "o4"), (["a", "b", "c", "g1"], "reference")):
        found = blocks_of(np.ones(len(x)), x, names, q, 3)
        assert found.items[-1] == last
