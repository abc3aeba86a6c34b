"""Designs that llbt.fit was given: comparisons are found in them by their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as any_of, strategies as st

from pairproof.data.wide import prefmod_pair_order
from pairproof.migration.recognise.decide import Design, recognise_poisson
from pairproof.migration.recognise.design_contests import Not
from pairproof.migration.recognise.design_terms import Model
from pairproof.migration.translate.prefmod.llbt_fits import reference_of
from pairproof.migration.translate.translation import Context
from tests.migration.made import a_run

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


def recognised(x, names, q: int, y=None, ties: bool = True, hidden: str = "Z") -> Model:
    known = np.ones(len(names), bool)
    counts = np.ones(len(x)) if y is None else y
    blocks = np.repeat(np.arange(q), 3 if ties else 2)[: len(x)]
    return recognise_poisson(Design(x, tuple(names), known, hidden=hidden), counts, blocks).model


@any_of(st.integers(3, 5), st.integers(1, 2), st.booleans(), st.randoms())
def test_the_comparisons_of_a_design_are_found_in_any_order_of_columns(n, groups, ties, random) -> None:
    x, names, q, pairs = a_design(n, groups, ties)
    order = list(range(len(names)))
    random.shuffle(order)
    y = np.arange(1.0, len(x) + 1)
    found = recognised(x[:, order], [names[k] for k in order], q, y, ties)
    place = {item: k for k, item in enumerate([*(chr(65 + k) for k in range(n - 1)), "Z"])}
    contests = found.contests
    sides = zip(contests.first, contests.second)
    assert [(place[found.items[a]], place[found.items[b]]) for a, b in sides] == pairs
    three = [contests.wins, contests.ties, contests.losses] if ties else [contests.wins, contests.losses]
    assert np.column_stack(three).ravel().tolist() == y.tolist()
    assert found.ties == ("davidson" if ties else "")
    assert list(found.variables) == (["g2"] if groups == 2 else [])
    if groups == 2:
        assert found.variables["g2"].values == (0.0,) * (q // 2) + (1.0,) * (q // 2)


@any_of(st.lists(st.floats(-3, 3), min_size=18, max_size=18))
def test_a_constant_of_each_block_is_no_part_of_a_column(constants: list[float]) -> None:
    x, names, q, _ = a_design(4)
    a = recognised(x, names, q)
    b = recognised(x + np.repeat(np.round(constants[:q], 2), 3)[:, None], names, q)
    assert a.contests.first.tolist() == b.contests.first.tolist() and a.names == b.names


def test_covariates_of_single_items_and_of_ties_are_told_apart() -> None:
    x, names, q, _ = a_design(3, 2)
    keep = [k for k, name in enumerate(names) if name != "B:g2"]
    age = np.linspace(20, 45, q)
    x = np.column_stack([x[:, keep], np.repeat(age, 3) * x[:, names.index("g1")]])
    found = recognised(x, [*(names[k] for k in keep), "g1:age"], q)
    (item, of_item), (tie, of_ties) = found.products
    assert (item, of_item.labels, tie) == ("A", ("g2",), "tie")
    assert np.allclose(of_ties.values[:, 0], age)


@pytest.mark.parametrize(
    "change", [np.abs, lambda x: x[:-1], lambda x: np.round(x * [[1.0, 0.3, 0.7, 1.0]], 3)]
)
def test_other_designs_are_none(change) -> None:
    x, names, q, _ = a_design(4)
    with pytest.raises(Not):
        recognised(change(x), names, q)


def test_the_item_without_a_column_is_numbered_after_the_others() -> None:
    none = Context(a_run([]), {})
    assert reference_of(["o1", "o2", "o3", "g1"], none) == "o4"
    assert reference_of(["a", "b", "c", "g1"], none) == ""
