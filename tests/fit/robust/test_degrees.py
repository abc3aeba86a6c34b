"""Covariances and degrees of freedom against T_g and P written out as dense matrices, and what leaves them alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import stdtrit

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import TooLargeError
from pairproof.fit.fit import Fit
from pairproof.fit.robust import clustered_fit as clusters, degrees, sums, sums as blocks
from pairproof.fit.robust.clustered_fit import Clusters
from pairproof.fit.robust.scores import row_scores
from pairproof.fit.robust.sums import LARGEST, applied, coefficients, rounded_up
from tests.fit.robust.brute import FITS, both, table

#: Entries that are 0 exactly are compared with the largest one (seen 3e-14; degrees of freedom 2e-12).
NEAR = 1e-11


def assert_near(found, expected, tolerance: float = NEAR) -> None:
    # One number in two ways, which differ by rounding; seen: 6e-14 off.
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def free_functions(fit: Fit) -> np.ndarray:
    """Every free parameter, and a mixture of them all."""
    unit = np.eye(len(fit.beta))[np.asarray(fit.free)]
    if fit.spec.reference == "sum":
        unit = np.eye(len(fit.beta))[1:] - np.eye(len(fit.beta))[:-1]
        unit = unit[:-1]
    return np.concatenate([unit, np.cos(np.arange(len(unit)))[None] @ unit])


@pytest.mark.parametrize("column", ["judge", "source"])
@pytest.mark.parametrize("name", FITS)
def test_covariances_and_degrees_of_freedom_are_those_of_dense_matrices(name, column):
    fit = FITS[name](table())
    ours, brute = both(fit, column)
    for kind in clusters.KINDS:
        assert_near(ours.covariance(kind), brute.covariance(kind))
    functions = free_functions(fit)
    dead = ours.share_alone_all(functions)[0] > clusters.LARGEST_SHARE
    df = degrees.satterthwaite(ours, functions)
    assert np.isnan(df[dead]).all()
    assert dead.any() == ((name, column) == ("judge as factor", "judge"))
    assert_near(df[~dead], [brute.satterthwaite(c) for c in functions[~dead]])
    alive = functions[:-1][~dead[:-1]][:3]
    if len(alive) > 1:
        assert_near(degrees.hotelling(ours, alive), brute.joint_df(alive))


@pytest.mark.parametrize("n_judges", [2, 3])
def test_few_clusters_agree_with_dense_matrices(n_judges):
    fit = pairproof.fit_llbt(table(n_judges=n_judges, n_items=4), ties="davidson")
    ours, brute = both(fit)
    assert ours.n == n_judges
    for kind in clusters.KINDS:
        assert_near(ours.covariance(kind), brute.covariance(kind))
    functions = free_functions(fit)
    assert_near(degrees.satterthwaite(ours, functions), [brute.satterthwaite(c) for c in functions], 1e-9)


def test_clusters_of_one_row_each_agree_with_dense_matrices():
    rows = table(n=60, n_items=4)
    rows = replace(rows, columns={"judge": Factor(np.arange(60), tuple(map(str, range(60))))})
    ours, brute = both(pairproof.fit_llbt(rows, ties="davidson", order_effect=False))
    assert ours.n == 60
    assert_near(ours.covariance("CR2"), brute.covariance("CR2"))
    assert_near(degrees.exact(ours, np.eye(5)[:1])[0], brute.satterthwaite(np.eye(5)[0]))


def test_one_row_that_alone_tells_of_an_item_makes_it_dead():
    """Item D is compared by judge 2 alone, once and once lost: nothing of it can be said by clusters."""
    rows = pairproof.Comparisons.build(
        "ABCD",
        [0, 1, 0, 0, 1, 0, 3],
        [1, 2, 2, 1, 2, 2, 0],
        [5, 4, 6, 3, 5, 3, 2],
        None,
        [3, 2, 3, 4, 2, 5, 1],
        columns={"judge": Factor(np.array([0, 0, 0, 1, 1, 1, 2]), ("0", "1", "2"))},
    )
    ours, brute = both(pairproof.fit_bradley_terry(rows, ties="drop", reference="A"))
    functions = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, -1.0], [0, 0, 0, 0]])
    share, cluster = ours.share_alone_all(functions)
    assert (share > clusters.LARGEST_SHARE).tolist() == [False, False, True, True, False]
    assert cluster[2:4].tolist() == [2, 2] and 0.0 < share[3] < 1.0
    assert_near(share[2], 1.0)
    df = degrees.satterthwaite(ours, functions)
    assert np.isnan(df).tolist() == [False, False, True, True, True]
    assert_near(df[:2], [brute.satterthwaite(c) for c in functions[:2]])
    assert np.isnan(degrees.hotelling(ours, functions[1:3])) and np.isnan(
        degrees.exact(ours, functions[3:4])[0]
    )


def test_redundant_contrasts_have_no_joint_degrees_of_freedom():
    ours, _ = both(pairproof.fit_llbt(table(), ties="davidson"))
    functions = np.zeros((3, 6))
    functions[[0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 0, 2]] = [1, -1, 1, -1, 1, -1]
    assert np.isnan(degrees.hotelling(ours, functions)) and np.isfinite(
        degrees.hotelling(ours, functions[:2])
    )


# -- what changes nothing --------------------------------------------------------------------------


def results(fit: Fit, functions: np.ndarray, column: str = "judge") -> tuple[np.ndarray, np.ndarray]:
    """Variances and degrees of freedom under CR2."""
    ours, _ = both(fit, column)
    v = ours.covariance("CR2")
    return np.einsum("ij,jk,ik->i", functions, v, functions), degrees.satterthwaite(ours, functions)


DIFFERENCES = np.array([[1, -1, 0, 0, 0], [0, 1, 0, -1, 0], [0, 0, 1, 0, -1.0]])


def item_differences(fit: Fit) -> np.ndarray:
    return np.pad(DIFFERENCES, ((0, 0), (0, len(fit.beta) - 5)))


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 50), items=st.permutations(range(5)), ties=st.sampled_from(["davidson", "rao-kupper"])
)
def test_names_of_items_sides_rows_and_the_reference_change_nothing(seed, items, ties):
    rng = np.random.default_rng(seed)
    rows = table(seed, n=120)
    fit = pairproof.fit_llbt(rows, ties=ties)
    expected = results(fit, item_differences(fit))
    swap = rng.random(rows.n_rows) < 0.5
    by = rng.permutation(rows.n_rows)
    order = np.asarray(items)
    other = pairproof.Comparisons.build(
        rows.items,
        order[np.where(swap, rows.second, rows.first)][by],
        order[np.where(swap, rows.first, rows.second)][by],
        np.where(swap, rows.losses, rows.wins)[by],
        rows.ties[by],
        np.where(swap, rows.wins, rows.losses)[by],
        columns={"judge": Factor(rows.columns["judge"].codes[by], rows.columns["judge"].levels)},
    )
    again = pairproof.fit_llbt(other, ties=ties, reference=other.items[int(rng.integers(5))])
    functions = np.zeros((3, len(again.beta)))
    functions[:, order] = DIFFERENCES
    # both fits stop within 1e-9 of a standard error (seen 1e-10 in variances)
    for found, value in zip(results(again, functions), expected):
        np.testing.assert_allclose(found, value, rtol=1e-7)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 50))
def test_rows_split_within_a_cluster_and_weights_as_repeated_rows_change_nothing(seed):
    rng = np.random.default_rng(seed)
    rows = table(seed, n=120, weights=True)
    fit = pairproof.fit_llbt(rows, ties="davidson", order_effect=True)
    expected = results(fit, item_differences(fit))
    share = rng.random(rows.n_rows)
    twice = np.concatenate([np.arange(rows.n_rows)] * 2)
    part = np.concatenate([share, 1.0 - share])
    split = pairproof.Comparisons.build(
        rows.items,
        rows.first[twice],
        rows.second[twice],
        *(np.asarray(count)[twice] * part for count in (rows.wins, rows.ties, rows.losses)),
        columns={
            "judge": Factor(rows.columns["judge"].codes[twice], rows.columns["judge"].levels),
            "order": rows.columns["order"][twice],
        },
    )
    again = pairproof.fit_llbt(split, ties="davidson", order_effect=True)
    for found, value in zip(results(again, item_differences(again)), expected):
        # One number in two ways, which differ by rounding; seen: 4e-15 off.
        np.testing.assert_allclose(found, value, rtol=1e-7)


def test_half_the_weight_everywhere_leaves_cr2_and_its_degrees_of_freedom():
    whole, half = table(), table()
    half = replace(half, wins=half.wins / 2, ties=half.ties / 2, losses=half.losses / 2)
    fits = [pairproof.fit_llbt(t, ties="davidson") for t in (whole, half)]
    first, second = (results(fit, item_differences(fit)) for fit in fits)
    # One number in two ways, which differ by rounding; seen: 2e-15 off.
    np.testing.assert_allclose(second, first, rtol=1e-8)


def test_lambda_is_half_of_the_log_odds():
    fits = [make(table(), ties="davidson") for make in (pairproof.fit_llbt, pairproof.fit_bradley_terry)]
    (v, df), (w, other) = (results(fit, item_differences(fit)) for fit in fits)
    # One number in two ways, which differ by rounding; seen: 1e-15 off.
    np.testing.assert_allclose(4 * v, w, rtol=1e-10)
    # One number in two ways, which differ by rounding; seen: 5e-16 off.
    np.testing.assert_allclose(df, other, rtol=1e-10)


# -- large tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1e-8, 1e-3, 0.02, 0.25, 0.5, LARGEST])
def test_the_polynomial_is_the_inverse_root(limit):
    t = np.linspace(0.0, limit, 501)[:, None]
    found = applied(limit, lambda v: v * t, np.ones_like(t))
    np.testing.assert_allclose(found * np.sqrt(1.0 - t), 1.0, rtol=5e-14)  # seen 9e-15
    assert limit <= rounded_up(limit) <= 1.04 * limit


def test_twenty_thousand_like_clusters_need_three_products():
    assert len(coefficients(0.001)) == 4 and len(coefficients(LARGEST)) < 50


def test_limits_are_at_least_the_largest_eigenvalues():
    for fit in (FITS["davidson with order"](table()), FITS["factor"](table(n=400, n_judges=20))):
        for column in ("judge", "source"):
            ours, brute = both(fit, column)
            largest = np.linalg.eigvalsh(brute.t)[:, -1]
            assert (ours.limits >= largest[ours.order] * (1 - 1e-12)).all()


def test_clusters_in_many_blocks_give_what_one_block_gives(monkeypatch):
    fit = FITS["davidson with order"](table(n=600, n_judges=40))
    functions = free_functions(fit)
    ours, brute = both(fit)
    monkeypatch.setattr(blocks, "_CELLS", 20)
    monkeypatch.setattr(blocks, "_FEW_PARAMETERS", 1)
    monkeypatch.setattr(degrees, "_NUMBERS", 50)
    thin, _ = both(fit)
    assert len(list(thin.sorted.blocks())) >= 15
    assert_near(thin.by_cluster.toarray(), ours.by_cluster.toarray())
    for kind in clusters.KINDS:
        assert_near(thin.covariance(kind), ours.covariance(kind))
    assert_near(degrees.satterthwaite(thin, functions), degrees.satterthwaite(ours, functions))
    assert_near(degrees.satterthwaite(thin, functions), [brute.satterthwaite(c) for c in functions])


def test_scores_of_few_parameters_each_are_multiplied_as_sparse_ones(monkeypatch):
    ours, brute = both(FITS["davidson with order"](table(n=600, n_judges=40)))
    dense = ours.squares()
    monkeypatch.setattr(sums, "_SPARSE_IS_SLOWER", 0.0)
    assert_near(ours.squares(), dense)
    assert_near(ours.covariance("CR0"), brute.covariance("CR0"))


@pytest.mark.parametrize("name", FITS)
def test_a_covariance_written_out_is_that_of_all_parameters(name):
    fit = FITS[name](table())
    assert_near(fit.covariance.whole(), fit.covariance.between(np.eye(len(fit.beta))))


@pytest.mark.parametrize("neighbours", [1, 2, 40])
@pytest.mark.parametrize("reference", [None, "sum"])
def test_hundreds_of_items_are_clustered_by_a_dense_covariance(neighbours, reference):
    """Chains, whose sparse factor is solved with, and a graph that fills it up."""
    rng = np.random.default_rng(neighbours)
    n_items, n = 600, 12_000
    first = rng.integers(0, n_items, n)
    second = (first + rng.integers(1, neighbours + 1, n)) % n_items
    outcome = rng.integers(0, 3, n)
    judge = Factor(rng.integers(0, 900, n), tuple(map(str, range(900))))
    rows = pairproof.Comparisons.build(
        [f"i{k:03d}" for k in range(n_items)],
        first,
        second,
        *((outcome == k).astype(float) for k in range(3)),
        columns={"judge": judge},
    )
    fit = pairproof.fit_bradley_terry(rows, ties="davidson", reference=reference)
    robust = fit.clustered("judge", kind="CR1")
    some = np.eye(len(fit.beta))[[0, 1, 300, 598, 600]]
    # The same sandwich with columns solved for one by one.  Seen: 3e-12 off in a chain.
    bread = np.array([fit.covariance.product(c) for c in some])
    scores = robust.robust.ways[0].clusters.by_cluster @ bread.T
    expected = 900 / 899 * scores.T @ scores
    assert_near(robust.covariance.between(some), expected, 1e-10)


def test_more_contrasts_than_parameters_are_combined_from_those_of_the_parameters():
    fit = pairproof.fit_llbt(table(n=400, n_judges=12), ties="davidson")
    ours, brute = both(fit)
    functions = np.random.default_rng(1).normal(size=(20, 6)) * [1, 1, 1, 1, 0, 1]
    assert_near(degrees.satterthwaite(ours, functions), [brute.satterthwaite(c) for c in functions])


def test_bounded_degrees_of_freedom_are_never_too_large_and_near():
    fit = pairproof.fit_llbt(table(n=4_000, n_judges=400), ties="davidson")
    ours, _ = both(fit)
    functions = free_functions(fit)
    exact = degrees.exact(ours, functions)
    df, gap = degrees.bounded(ours, functions)
    assert (df <= exact).all() and (1 / df - 1 / exact <= gap).all()
    # judges of unlike size: seen df 3 % lower
    assert (df > 0.9 * exact).all()


@pytest.mark.parametrize("column", ["judge", "source"])
@pytest.mark.parametrize("name", ["davidson with order", "slope", "rao-kupper with order"])
def test_each_step_of_the_bound_on_other_clusters_holds(name, column):
    """The chain of inequalities in the module, on explicit matrices T_g."""
    fit = FITS[name](table(n=900, n_judges=30))
    _, brute = both(fit, column)
    t = np.linalg.eigvalsh(brute.t)[:, -1]
    for c in free_functions(fit):
        d = brute.root.T @ c
        q = np.einsum("gab,gbc,c->ga", brute.t, brute.inverse, d)
        w = np.einsum("a,gab,b->g", d, brute.t, d) / (1.0 - t)
        a = q.T @ q
        assert ((q**2).sum(axis=1) <= t * w * (1 + 1e-12)).all()
        assert np.linalg.eigvalsh(a)[-1] <= w.max() * (1 + 1e-12)
        gram = q @ q.T
        cross = (gram**2).sum() - (np.diag(gram) ** 2).sum()
        assert 0.0 <= cross <= np.trace(a @ a) <= w.max() * (t @ w) * (1 + 1e-12)


def test_a_bound_that_is_next_to_nothing_decides_and_a_wider_one_does_not(monkeypatch):
    fit = pairproof.fit_llbt(table(n=12_000, n_judges=3_000), ties="davidson")
    ours, _ = both(fit)
    functions = free_functions(fit)
    exact = degrees.exact(ours, functions)
    assert ours.n > 1_000
    assert (degrees.bounded(ours, functions)[1] > degrees.NOTHING).all()
    assert np.array_equal(degrees.satterthwaite(ours, functions), exact)
    monkeypatch.setattr(degrees, "NOTHING", 1e-4)
    df = degrees.satterthwaite(ours, functions)
    assert (df < exact).all() and (1 / df - 1 / exact <= 1e-4).all()
    # seen 3e-5 of a quantile, of a bound that is a hundred times as wide as what is let through
    assert (np.abs(stdtrit(df, 0.975) / stdtrit(exact, 0.975) - 1.0) < 1.3e-4).all()


@pytest.mark.parametrize(
    "name", ["davidson with order", "rao-kupper with order", "items sum to zero", "slope"]
)
def test_squares_by_matrices_of_clusters_are_those_by_blocks(name, monkeypatch):
    fit = FITS[name](table(n=4_000, n_judges=400))
    ours, brute = both(fit)
    functions = free_functions(fit)
    by_matrices = degrees.exact(ours, functions)
    monkeypatch.setattr(degrees, "_cross_of_pairs", None)
    monkeypatch.setattr(degrees, "_NUMBERS", 1000)
    assert_near(by_matrices, degrees.exact(ours, functions))
    assert_near(by_matrices[:2], [brute.satterthwaite(c) for c in functions[:2]])


def test_contrasts_with_a_wide_bound_are_worked_out(monkeypatch):
    fit = FITS["davidson with order"](table(n=400, n_judges=12))
    ours, _ = both(fit)
    functions = free_functions(fit)
    exact = degrees.satterthwaite(ours, functions)
    monkeypatch.setattr(degrees, "EXACT", 0.0)
    assert_near(degrees.satterthwaite(ours, functions), exact)
    monkeypatch.setattr(degrees, "GAP", np.inf)
    assert (degrees.satterthwaite(ours, functions) < exact).all()


def test_joint_degrees_of_freedom_of_large_tables_are_bounded_from_below(monkeypatch):
    fit = pairproof.fit_llbt(table(n=6_000, n_judges=600), ties="davidson")
    ours, _ = both(fit)
    functions = np.eye(6)[[0, 1, 2]]
    exact = degrees.hotelling(ours, functions)
    monkeypatch.setattr(degrees, "EXACT_JOINT", 0.0)
    bound = degrees.hotelling(ours, functions)
    assert (1 - degrees.JOINT_GAP) * exact < bound <= exact
    monkeypatch.setattr(degrees, "JOINT_GAP", 0.0)
    with pytest.raises(
        TooLargeError, match="joint test of 3 contrasts of 6 parameters in 566 clusters take 2e"
    ):
        degrees.hotelling(ours, functions)


def test_what_would_take_hours_is_refused_with_numbers(monkeypatch):
    ours, _ = both(pairproof.fit_llbt(table(), ties="davidson"))
    monkeypatch.setattr(degrees, "MOST", 100.0)
    with pytest.raises(
        TooLargeError, match="1 contrasts of 6 parameters in 6 clusters need 9e.02 operations"
    ):
        degrees.satterthwaite(ours, np.eye(6)[:1])


def test_scores_stay_in_the_order_of_the_codes():
    fit = FITS["davidson with order"](table())
    rows = row_scores(fit)
    codes = np.asarray(fit.data.columns["judge"].codes)
    found = Clusters(rows, codes, fit.covariance.between(np.eye(len(fit.beta)))).by_cluster
    found = found.toarray()
    order = fit.names.index("order")
    expected = np.bincount(codes, weights=rows.weighted(rows.unit_score[:, 0]) * fit.data.columns["order"])
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(found[:, order], expected, atol=1e-12)
