"""The columns of a formula are those of BradleyTerry2's BTm, on the examples of its help pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.data.columns import Factor
from pairproof.native.comparisons.formula.ability_formula import Expanded, expand
from tests.native.comparisons.formula.matrices import (
    CASES,
    digest,
    from_r,
    in_place,
    made,
    recorded,
    table_of,
)


def differences(found: Expanded) -> dict[str, NDArray[np.float64]]:
    """First minus second item of every column but free abilities; 0 on the side of an own ability."""
    table, out = found.table, {}
    own = np.isin(table.items, found.separate)
    for name in found.item_terms:
        column = table.item_data[name]
        if isinstance(column, Factor):
            parts = {f"{name}[{lv}]": (column.codes == k) * 1.0 for k, lv in enumerate(column.levels) if k}
        else:
            parts = {name: column}
        for label, values in parts.items():
            values = np.where(own, 0.0, values)
            out[label] = values[table.first] - values[table.second]
    for name in found.comparison_terms:
        column = table.columns[name.strip("`")]
        assert not isinstance(column, Factor)
        out[name.strip("`")] = column
    return out


@pytest.mark.parametrize("name", CASES)
def test_every_column_is_that_of_btm(name: str) -> None:
    case, there = CASES[name], made(name)
    found = differences(expand(case.formula, table_of(there), case.separate))
    assert set(found) == set(case.columns)
    of_r = dict(zip(there["names"], np.array(there["x"], float).reshape(-1, len(there["first"]))))
    for ours, theirs in case.columns.items():
        # Both compute x_i - x_j in doubles: observed 9e-16 for poly, 4e-15 for exp(x/2), 0 elsewhere.
        scale = np.abs(of_r[theirs]).max()
        assert np.abs(found[ours] - of_r[theirs]).max() <= 1e-12 * scale, ours


@pytest.mark.parametrize("name", CASES)
def test_the_model_is_that_of_btm_and_no_column_is_redundant(name: str) -> None:
    case, there = CASES[name], made(name)
    table = table_of(there)
    expanded = expand(case.formula, table, case.separate)
    indicators = [(table.first == k) * 1.0 - (table.second == k) for k in range(len(table.items))]
    if not expanded.free:
        indicators = [x for x, item in zip(indicators, table.items) if item in expanded.separate]
    else:
        indicators = indicators[1:]
    ours = np.column_stack([*differences(expanded).values(), *indicators])
    of_r = np.array(there["x"], float).reshape(-1, len(table.first)).T
    ours, of_r = ours[:, ours.any(axis=0)], of_r[:, of_r.any(axis=0)]

    def rank(x: NDArray[np.float64]) -> int:
        return int(np.linalg.matrix_rank(x / np.linalg.norm(x, axis=0), tol=1e-9))

    # In a subset of the contests some teams are in no chain with the others, so that free abilities alone
    # may be redundant; the other columns are not.
    assert rank(ours) == rank(of_r) == rank(np.column_stack([ours, of_r]))
    free = ours.shape[1] - len(expanded.comparison_terms) if expanded.free else 0
    redundant = free - rank(ours[:, ours.shape[1] - free :]) if free else 0
    assert rank(ours) == ours.shape[1] - redundant


@pytest.mark.r("BradleyTerry2")
@pytest.mark.parametrize("name", CASES)
def test_r_says_so_today(name: str) -> None:
    kept, now = recorded(name), made(name) if in_place(CASES[name]) else from_r(CASES[name])
    if in_place(CASES[name]):
        assert digest(now) == kept["sha256"]
        return
    assert {k: v for k, v in now.items() if k != "x"} == {k: v for k, v in kept.items() if k != "x"}
    # Another linear algebra library may round poly's orthogonal basis otherwise; observed 0.
    assert np.allclose(np.array(now["x"], float), np.array(kept["x"], float), rtol=1e-12, atol=1e-12)


@pytest.mark.r("BradleyTerry2")
def test_btm_scales_each_side_by_itself_and_here_equal_items_do_not_differ() -> None:
    name = "made, an item without x, which is in an interaction only"
    twice = replace(CASES[name], setup=CASES[name].setup.replace("m[id] + x[id]:z", "scale(m[id])"))
    table = table_of(made(name))
    m = table.item_data["m"]
    assert not isinstance(m, Factor)
    equal = int(np.flatnonzero(m[table.first] == m[table.second])[0])
    # b and d both have m = 1; R takes the means and standard deviations of first and second players apart.
    assert abs(float(from_r(twice)["x"][equal]) + 0.1789569) < 1e-6  # as R 4.2.2 prints it
    assert differences(expand("scale(m)", table))["scale(m)"][equal] == 0.0
