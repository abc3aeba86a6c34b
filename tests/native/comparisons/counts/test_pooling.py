"""Short cuts of the native solvers against the long way round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contenders import table_of
from benchmarks.harness.data import counts_table
from pairproof import fit_llbt
from pairproof.native.comparisons.counts import dense as dense_module, dense as pooling
from pairproof.native.comparisons.counts.blocks import as_blocks
from pairproof.native.comparisons.counts.build import build
from pairproof.native.comparisons.counts.cells import Incidence
from pairproof.native.comparisons.counts.dense import as_dense
from pairproof.native.comparisons.counts.outcome_derivatives import Counts, derivatives


def problem_of(data, **options):
    table = table_of(data)
    return build(table, fit_llbt(table, **options).spec).problem


@pytest.mark.parametrize("model", ["binary", "davidson"])
def test_the_shorter_formulas_for_small_counts_are_the_same_function(model):
    rng = np.random.default_rng(3)
    u, g = rng.normal(0, 4, 500), np.array([-0.7])
    first, tie, second = rng.integers(0, 30, (3, 500)).astype(float)
    if model == "binary":
        tie = np.zeros(500)
    y = Counts(first, tie, second, first + tie + second)
    careful, plain = derivatives(u, g, y, model), derivatives(u, g, y, model, extent=float(np.abs(u).max()))
    assert plain.llf == pytest.approx(careful.llf, rel=1e-13)  # a sum of 500 terms; observed 1e-15
    for name in ("r_u", "w_uu", "r_g", "w_ug", "w_gg"):
        ours, theirs = getattr(plain, name), getattr(careful, name)
        if ours is None:
            assert theirs is None
        else:  # rounding of up to 60 P; observed 1.4e-14
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


def test_far_apart_items_do_not_overflow():
    y = Counts(*(np.array([v]) for v in (3.0, 1.0, 2.0, 6.0)))
    for model in ("binary", "davidson"):
        found = derivatives(np.array([1500.0]), np.array([0.0]), y, model, extent=1500.0)
        assert np.isfinite(found.llf) and np.isfinite(found.r_u).all() and np.isfinite(found.w_uu).all()


def test_cells_pooled_in_blocks_are_the_cells_pooled_at_once(monkeypatch):
    problem = problem_of(counts_table(5, 10, True, 40, "numeric"), by="x + tie:x")
    whole = as_dense(problem)
    x = whole.start() + 0.1
    monkeypatch.setattr(pooling, "_BLOCK", 30)
    parts = as_dense(problem)
    assert len(whole.blocks) == 1 and len(parts.blocks) > 5
    one, many = whole.evaluate(x), parts.evaluate(x)
    assert one.extent == many.extent
    numbers = ((here.value, here.gradient(), here.information()) for here in (one, many))
    for at_once, in_blocks in zip(*numbers):
        # Other order of the same sums; observed 1e-13 of 630.
        np.testing.assert_allclose(at_once, in_blocks, rtol=1e-12, atol=1e-12)


def test_a_coarser_table_gives_a_start_within_a_standard_error_and_the_same_fit(monkeypatch):
    data = counts_table(5, 10, True, 200, "numeric")
    start = as_dense(problem_of(data, by="x"))
    assert start._coarse() is not None
    near = start.evaluate(start.start()).newton_step(1e-9)[1]
    far = start.evaluate(start._least_squares()).newton_step(1e-9)[1]
    assert (
        near < 1.0 < far
    )  # squared length of the way to the maximum in standard errors; observed 0.017 and 192
    fit = fit_llbt(table_of(data), by="x")
    monkeypatch.setattr(dense_module, "_GROUPS_PER_TERM", 10**6)
    without = fit_llbt(table_of(data), by="x")
    assert without.stopping.steps > fit.stopping.steps
    np.testing.assert_allclose(fit.beta, without.beta, rtol=0, atol=1e-13)  # observed 1e-16


def test_groups_that_do_not_tell_the_terms_apart_are_left_alone():
    """Every value of x comes with z = -1 and z = 1: in groups of neighbours z is 0 on average."""
    data = counts_table(5, 10, True, 400, "numeric")
    stratum = data.stratum.astype(int) - 1
    columns = {"x": (stratum // 2) / 200.0, "z": stratum % 2 * 2.0 - 1.0}
    table = replace(table_of(data), columns=columns)
    fit = fit_llbt(table, by="x + z")
    assert as_dense(build(table, fit.spec).problem)._coarse() is None
    assert fit.stopping.reached and not fit.not_estimable


@pytest.mark.parametrize("n_sets", [1, 3])
def test_cells_in_order_are_summed_as_cells_in_any_order(n_sets):
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(6, 1)
    node_i = (np.arange(n_sets)[:, None] * 6 + i).ravel()
    node_j = (np.arange(n_sets)[:, None] * 6 + j).ravel()
    place = node_i * 6 + np.tile(j, n_sets)
    kept = np.sort(rng.permutation(len(place))[: len(place) - 3])
    quick = Incidence(node_i[kept], node_j[kept], n_sets, 6, place[kept])
    slow = Incidence(node_i[kept][::-1], node_j[kept][::-1], n_sets, 6, place[kept][::-1])
    assert quick._runs is not None and slow._runs is None
    values = rng.normal(size=len(kept))
    np.testing.assert_allclose(quick.onto_items(values), slow.onto_items(values[::-1]), rtol=0, atol=1e-14)
    assert np.array_equal(quick.onto_pairs(values), slow.onto_pairs(values[::-1]))


def test_variances_of_a_large_block_are_the_diagonal_of_its_covariance():
    blocks = as_blocks(problem_of(counts_table(60, 20, True)))
    covariance = blocks.evaluate(blocks.start()).covariance()
    np.testing.assert_allclose(
        covariance.variances(), np.diag(covariance.between(np.eye(61))), rtol=1e-12
    )  # observed 4e-16
