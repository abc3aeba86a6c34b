"""What must not matter does not: names, sides, order of rows, layout in rows, weights, and who solves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.data.columns import Factor, take
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts import blocks, blocks as block_step
from pairproof.native.comparisons.counts.build import build
from pairproof.native.comparisons.counts.dense import as_dense
from pairproof.native.comparisons.counts.llbt import fit_llbt, make_spec
from pairproof.numerics import maxima as newton
from tests.native.comparisons.counts.tables import dras, random_table

# Two orders of the same sums in doubles: 12 digits of max(|value|, se); observed 13.5 to 16.
GAP = 1e-12

tables = st.builds(
    random_table,
    seed=st.integers(0, 10_000),
    n_items=st.integers(3, 7),
    n_patterns=st.integers(1, 3),
    per_pair=st.integers(8, 30),
    ties=st.booleans(),
)
ties_of = st.sampled_from(["davidson", "rao-kupper", "half", "drop", "none"])


def rebuild(data: Comparisons, **changes: Any) -> Comparisons:
    parts = dict(
        items=data.items,
        first=data.first,
        second=data.second,
        wins=data.wins,
        ties=data.ties if data.tie_category else None,
        losses=data.losses,
        columns=data.columns,
    )
    return Comparisons.build(**(parts | changes))


def same(a: Fit, b: Fit, names: dict[str, str] | None = None) -> None:
    for name in a.names:
        other = names.get(name, name) if names else name
        x, y = a.params[name], b.params[other]
        se = a.bse[name] if np.isfinite(a.bse[name]) else 0.0
        assert np.isnan(x) == np.isnan(y), (name, x, y)
        if np.isfinite(x):
            assert abs(x - y) <= GAP * max(abs(x), se, 1e-300) or x == y, (name, x, y)
    assert a.df_resid == b.df_resid
    assert abs(a.llf - b.llf) <= 1e-11 * max(
        1.0, abs(a.llf)
    )  # thousands of terms in another order; observed 1e-14


def fitted(data: Comparisons, ties: str, **options: Any) -> Fit:
    by = "judge" if "judge" in data.columns else ""
    chosen = ties if data.tie_category else "none"
    return fit_llbt(data, ties=chosen, by=by, **options)  # type: ignore[arg-type]  # drawn from the allowed ones


@settings(max_examples=40, deadline=None)
@given(tables, ties_of, st.randoms(use_true_random=False))
def test_permuting_rows_changes_nothing(data: Comparisons, ties: str, random: Any) -> None:
    rows = list(range(data.n_rows))
    random.shuffle(rows)
    same(fitted(data, ties), fitted(data.select(np.array(rows)), ties))


@settings(max_examples=40, deadline=None)
@given(tables, ties_of, st.lists(st.booleans(), min_size=70, max_size=70))
def test_swapping_sides_changes_nothing(data: Comparisons, ties: str, flips: list[bool]) -> None:
    f = np.resize(np.array(flips), data.n_rows)
    swapped = rebuild(
        data,
        first=np.where(f, data.second, data.first),
        second=np.where(f, data.first, data.second),
        wins=np.where(f, data.losses, data.wins),
        losses=np.where(f, data.wins, data.losses),
    )
    same(fitted(data, ties), fitted(swapped, ties))


@settings(max_examples=40, deadline=None)
@given(tables, ties_of, st.randoms(use_true_random=False))
def test_reordering_items_changes_nothing_but_the_order(data: Comparisons, ties: str, random: Any) -> None:
    order = list(data.items)
    random.shuffle(order)
    same(
        fitted(data, ties, reference=data.items[0]),
        fitted(data.with_items(order), ties, reference=data.items[0]),
    )


@settings(max_examples=30, deadline=None)
@given(tables, st.sampled_from(["davidson", "rao-kupper", "none"]), st.integers(2, 5))
def test_counting_everything_k_times_divides_standard_errors_by_root_k(
    data: Comparisons, ties: str, k: int
) -> None:
    one = fitted(data, ties)
    more = fitted(
        rebuild(
            data,
            wins=data.wins * k,
            ties=data.ties * k if data.tie_category else None,
            losses=data.losses * k,
        ),
        ties,
    )
    free = one.free & (one.beta != 0)
    assert np.allclose(
        more.beta[free], one.beta[free], rtol=1e-11, atol=1e-12
    )  # the same maximum in doubles; observed 1e-14
    assert np.allclose(more.bse[free] * np.sqrt(k), one.bse[free], rtol=1e-11)  # observed 1e-14
    assert more.deviance == pytest.approx(k * one.deviance, rel=1e-10, abs=1e-9)  # observed 1e-14


@settings(max_examples=30, deadline=None)
@given(tables, ties_of)
def test_one_row_a_comparison_is_the_same_as_counts(data: Comparisons, ties: str) -> None:
    counts = np.stack([data.wins, data.ties, data.losses], axis=1).astype(int)
    row, outcome = (np.repeat(k, counts.ravel()) for k in np.divmod(np.arange(counts.size), 3))
    raw = rebuild(
        data,
        first=data.first[row],
        second=data.second[row],
        wins=outcome == 0,
        ties=outcome == 1 if data.tie_category else None,
        losses=outcome == 2,
        columns={k: take(c, row) for k, c in data.columns.items()},
    )
    same(fitted(data, ties), fitted(raw, ties))


@settings(max_examples=25, deadline=None)
@given(tables, ties_of)
def test_any_reference_and_the_sum_constraint_give_the_same_contrasts(data: Comparisons, ties: str) -> None:
    a, b = fitted(data, ties), fitted(data, ties, reference="sum")
    if a.not_estimable:
        return  # a contrast may not exist; its own tests are in test_estimability
    back = b.with_reference(data.items[-1])
    same(a, back)
    group = next(iter(a.groups))
    one, two = (f.contrast(data.items[0], data.items[1], group=group) for f in (a, b))
    assert one.estimate == pytest.approx(two.estimate, rel=1e-11, abs=1e-13)  # observed 1e-15
    assert one.se == pytest.approx(two.se, rel=1e-11)  # observed 1e-15
    item_terms = [k for k, t in enumerate(b.terms) if t.kind == "item" and not t.by]
    assert abs(b.beta[item_terms].sum()) < 1e-12  # zero up to the rounding of J terms; observed 1e-16


def test_the_two_scales_differ_by_a_factor_of_two_and_leave_tie_and_order_alone() -> None:
    lam, log_odds = fit_llbt(dras(), reference="D", order_effect=True), fit_bradley_terry(
        dras(), reference="D", order_effect=True
    )
    for other in (log_odds.on_scale("lambda"), lam):
        same(lam, other)
    doubled = lam.on_scale("log-odds")
    assert doubled.params["A"] == 2 * lam.params["A"] and doubled.bse["A"] == pytest.approx(
        2 * lam.bse["A"], rel=1e-15
    )  # one rounding
    assert doubled.params["tie"] == lam.params["tie"] and doubled.params["order"] == lam.params["order"]


def problem(data: Comparisons, by: str = "", ties: str | None = None) -> Any:
    spec = make_spec("llbt", data, ties, by, None, False, None, (), ())  # type: ignore[arg-type]  # as drawn
    return build(data, spec).problem


@settings(max_examples=25, deadline=None)
@given(tables)
def test_blocks_and_the_dense_solver_find_the_same_maximum_and_covariance(data: Comparisons) -> None:
    p = problem(data, "judge" if "judge" in data.columns else "")
    one = blocks.as_blocks(p)
    two = as_dense(p)
    assert one is not None
    a, b = newton.maximise(one.evaluate, one.origin()), newton.maximise(two.evaluate, two.origin())
    if not (a.reached and b.reached):
        assert a.reached == b.reached  # separated for both
        return
    assert np.allclose(one.forward(a.x), two.forward(b.x), rtol=1e-11, atol=1e-12)  # observed 1e-14
    eye = np.eye(p.n_params)
    va, vb = a.point.covariance(), b.point.covariance()
    assert np.allclose(va.between(eye), vb.between(eye), rtol=1e-9, atol=1e-12)  # observed 1e-13
    assert np.allclose(
        va.variances(), np.diag(va.between(eye)), rtol=1e-12, atol=1e-15
    )  # the same numbers; observed 1e-15
    assert np.allclose(vb.variances(), np.diag(vb.between(eye)), rtol=1e-12, atol=1e-15)


def test_a_table_of_cells_and_a_list_of_cells_give_the_same_slopes() -> None:
    full = random_table(5, n_items=6, n_patterns=8, covariate=True)
    assert as_dense(problem(full, "x")).grid
    # The same comparisons, each pattern seeing a third of the pairs, in one list and padded to a full table
    # of zeros.
    sparse = full.select(np.arange(full.n_rows) % 3 == np.unique(full.columns["judge"].codes, return_inverse=True)[1] % 3)  # type: ignore[union-attr]  # a factor
    listed = as_dense(problem(sparse, "x"))
    assert not listed.grid
    a = newton.maximise(listed.evaluate, listed.start())
    pooled = fit_llbt(sparse, by="x")
    assert np.allclose(
        listed.forward(a.x)[: len(sparse.items)] / 2, pooled.beta[: len(sparse.items)], atol=1e-12
    )  # observed 0


def test_many_numeric_terms_in_a_list_take_the_product_by_pairs_and_agree() -> None:
    base = random_table(9, n_items=8, n_patterns=40, density=0.1, per_pair=20)
    rng = np.random.default_rng(2)
    codes = base.columns["judge"].codes  # type: ignore[union-attr]  # a factor
    columns = {f"x{k}": rng.normal(size=40)[codes] for k in range(10)}
    data = rebuild(base, columns=columns)
    layout = as_dense(problem(data, "+".join(columns)))
    assert not layout.grid and layout.shape[0] > 8
    values = rng.random(len(layout.pair))
    slow = np.zeros((layout.shape[0], layout.shape[0], len(layout.pair_i)))
    for c in range(len(values)):
        z = layout.z.columns[layout.stratum[c]]
        slow[:, :, layout.pair[c]] += values[c] * np.outer(z, z)
    assert np.allclose(
        layout.products(values), slow, rtol=1e-12, atol=1e-12
    )  # other order of the same sums; observed 1e-15


def test_conjugate_gradients_and_cholesky_lead_to_the_same_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_table(4, n_items=60, per_pair=6)
    by_gradients = fit_bradley_terry(data)
    monkeypatch.setattr(block_step, "LARGE", 10_000)
    same(by_gradients, fit_bradley_terry(data))


def test_a_covariate_far_from_zero_costs_no_digits() -> None:
    near, far = dras(), rebuild(dras(), columns={"age": dras().columns["age"] + 1e6})  # type: ignore[operator]  # numeric
    a, b = fit_llbt(near, by="age"), fit_llbt(far, by="age")
    for name in ("A:age", "B:age", "C:age", "tie"):
        # 1e6 + 25 has 6 digits fewer to tell the ages apart; observed 1e-12.
        assert abs(a.params[name] - b.params[name]) < 1e-9 * a.bse[name] + 1e-12
        assert b.bse[name] == pytest.approx(a.bse[name], rel=1e-9)  # as above


def test_splitting_a_judge_in_two_equal_halves_leaves_the_common_fit() -> None:
    data = dras()
    halves = Comparisons.build(
        data.items,
        np.tile(data.first, 2),
        np.tile(data.second, 2),
        np.tile(data.wins, 2) / 2,
        np.tile(data.ties, 2) / 2,
        np.tile(data.losses, 2) / 2,
        columns={"judge": Factor(np.tile(data.columns["judge"].codes, 2), ("1", "2", "3", "4"))},
    )  # type: ignore[union-attr]  # a factor
    same(fit_llbt(data, by="judge"), fit_llbt(halves, by="judge"))


def test_fitting_never_changes_the_table() -> None:
    data = dras()
    before = data.to_frame().copy(deep=True)
    fit_llbt(data, by="judge", ties="half")
    assert data.to_frame().equals(before)
    with pytest.raises(ValueError, match="read-only"):
        data.wins[0] = 1.0
