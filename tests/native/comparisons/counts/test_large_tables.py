"""Thousands of items, judges and effects: the same numbers as from small tables, or a short answer at
once.
"""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import ConvergenceError, FormulaError, InputError, TooLargeError
from pairproof.fit.inference.likelihood_ratio import (  # noqa: F401  (loaded before anything is timed)
    nested_likelihood_ratio as likelihood_ratio,
)
from pairproof.native.comparisons.counts import blocks, solve
from pairproof.native.comparisons.counts.cells import Problem, count_cells
from pairproof.native.comparisons.formula import subject_design as design
from pairproof.numerics import linear_systems as laplacian


def sparse_table(n, partners, ties=True, seed=1, judges=0, reps=6, sets=1):
    """Each item against a few random others of its set."""
    rng = np.random.default_rng(seed)
    size = n // sets
    i = np.repeat(np.arange(n), partners)
    j = (i // size) * size + rng.integers(0, size, len(i))
    i, j = i[i != j], j[i != j]
    ability = rng.normal(0, 0.6, n)
    e = np.exp((ability[i] - ability[j]) / 2)
    p = np.stack([e, np.full(len(e), 0.5 if ties else 0.0), 1 / e], axis=1)
    y = rng.multinomial(reps, p / p.sum(axis=1, keepdims=True)).astype(float)
    columns = (
        {"judge": Factor(rng.integers(0, judges, len(i)), tuple(f"J{k}" for k in range(judges)))}
        if judges
        else {}
    )
    return Comparisons.build(
        [f"i{k:05d}" for k in range(n)], i, j, y[:, 0], y[:, 1] if ties else None, y[:, 2], columns=columns
    )


def chain(n):
    """Each item against the next, six wins to four."""
    i = np.arange(n - 1)
    return Comparisons.build(
        [f"i{k:06d}" for k in range(n)], i, i + 1, np.full(n - 1, 6.0), None, np.full(n - 1, 4.0)
    )


# -- the graph -----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 4), st.booleans(), st.booleans())
def test_solutions_and_variances_of_a_graph_are_those_of_its_written_out_inverse(
    seed, n, degree, written_out, by_gradients
):
    rng = np.random.default_rng(seed)
    i = rng.integers(0, n, n * degree // 2)
    j = rng.integers(0, n, len(i))
    i, j = i[i != j], j[i != j]
    matrix = laplacian.sparse_laplacian(i, j, rng.uniform(0.2, 2.0, len(i)), n)
    label = blocks.components(i, j, n)
    large = laplacian.Graph(matrix.toarray() if written_out else matrix, label)
    free = np.flatnonzero(label != np.arange(n))
    true = np.zeros((n, n))
    true[np.ix_(free, free)] = np.linalg.inv(matrix.toarray()[np.ix_(free, free)])
    right = rng.normal(size=(n, 3))
    scale = max(1.0, np.abs(true).max())
    # observed 2e-14 over 3,000 graphs: the inverse itself loses as many digits as the condition number (up to
    # 1e3 here) has
    assert np.abs(large.solve(right) - true @ right).max() < 1e-11 * scale * 10
    if by_gradients and len(free):
        found = np.zeros(n)
        found[free] = large._quadratic(free, large._gap[0])
    else:
        found = large.variances()
    assert np.abs(found - np.diag(true)).max() < 1e-11 * scale  # observed 2.5e-14 over 3,000 graphs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "none"},
        {"ties": "rao-kupper"},
        {"order_effect": True},
        {"by": "judge"},
        {"by": "tie:judge"},
    ],
)
def test_a_sparse_fit_has_the_digits_of_the_dense_one(monkeypatch, options):
    data = sparse_table(320, 8, judges=2, reps=12)
    sparse = pairproof.fit_llbt(data, **options)
    assert solve.as_blocks is blocks.as_blocks
    monkeypatch.setattr(blocks.Blocks, "sparse", False)
    dense = pairproof.fit_llbt(data, **options)
    assert dense.not_estimable == sparse.not_estimable
    free = dense.free
    assert np.abs(sparse.beta - dense.beta)[free].max() < 1e-12 * max(
        1.0, np.abs(dense.beta[free]).max()
    )  # observed 2e-15
    assert np.abs(sparse.standard_errors / dense.standard_errors - 1)[free].max() < 1e-11  # observed 3e-15
    assert (
        sparse.deviance == pytest.approx(dense.deviance, rel=1e-13) and sparse.df_resid == dense.df_resid
    )  # observed 1.4e-15
    some = np.random.default_rng(0).normal(size=(3, len(dense.beta))) * free
    assert np.allclose(
        sparse.covariance.between(some), dense.covariance.between(some), rtol=1e-12, atol=1e-13
    )  # observed 7e-13 of 102
    assert np.allclose(
        sparse.covariance.product(some[0]),
        (dense.cov_params().to_numpy() @ some[0][free]) @ np.eye(len(sparse.beta))[free],
        atol=1e-13,
    )  # observed 3e-15


def test_worths_of_many_items_are_those_of_the_written_out_formula(monkeypatch):
    fit = pairproof.fit_llbt(sparse_table(320, 8, judges=2), by="judge")
    many = fit.worth()
    monkeypatch.setattr(pairproof.fit.estimates.predictions, "MANY_ITEMS", 1000)
    few = fit.worth()
    for column in ("worth", "se"):
        assert np.abs(many[column] / few[column] - 1).max() < 1e-11  # observed 1.3e-14
    assert fit.worth(se=False)["se"].isna().all() and np.array_equal(
        fit.worth(se=False)["worth"], many["worth"]
    )


def walk(n, reach):
    """Each item against the next ones, with counts such that abilities go up and down."""
    i = np.concatenate([np.arange(n - k) for k in range(1, reach + 1)])
    j = np.concatenate([np.arange(k, n) for k in range(1, reach + 1)])
    wins, losses = np.random.default_rng(1).integers(3, 20, (2, len(i)))
    return Comparisons.build([f"i{k:04d}" for k in range(n)], i, j, wins, None, losses)


def _inverse_in_long_doubles(matrix):
    """By Gauss and Jordan's steps."""
    a = matrix.copy()
    for k in range(len(a)):
        row, column = a[k] / a[k, k], a[:, k].copy()
        pivot = a[k, k]
        a -= np.outer(column, row)
        a[k], a[:, k], a[k, k] = row, -column / pivot, 1 / pivot
    return a


@pytest.mark.parametrize("reach", [1, 2])
def test_long_chains_and_ladders_keep_the_digits_of_their_standard_errors(reach):
    data = walk(400, reach)
    fit = pairproof.fit_bradley_terry(data)
    b = fit.beta.astype(np.longdouble)
    p = 1 / (1 + np.exp(b[data.second] - b[data.first]))
    information = np.zeros((400, 400), np.longdouble)
    for i, j, w in zip(data.first, data.second, (data.wins + data.losses) * p * (1 - p)):
        information[[i, j], [i, j]] += w
        information[[i, j], [j, i]] -= w
    v = np.zeros_like(information)
    v[1:, 1:] = _inverse_in_long_doubles(information[1:, 1:])
    w = np.exp(b - b.max())
    w /= w.sum()
    with_mean = v @ w
    exact = w * np.sqrt(np.diag(v) - 2 * with_mean + w @ with_mean)
    # The reference loses as many digits as the condition number, 1e5, has: four more than it needs where long
    # doubles have 64 bits.
    of_reference = 1e5 * np.finfo(np.longdouble).eps
    assert (
        np.abs(fit.standard_errors[1:] / np.sqrt(np.diag(v))[1:] - 1).max() < of_reference
    )  # 1e-14; observed 6e-16, 9e-14 unrefined
    assert (
        np.abs(fit.worth()["se"] / exact - 1).max() < 1e-13 + of_reference
    )  # observed 2e-14; 7e-12 by conjugate gradients


@pytest.mark.parametrize("many", [1, 300])
def test_the_standard_error_of_a_worth_near_1_does_not_depend_on_the_order_of_the_items(monkeypatch, many):
    monkeypatch.setattr(pairproof.fit.estimates.predictions, "MANY_ITEMS", many)
    # 40-digit arithmetic (mpmath); with abilities against whoever came first the third order gave
    # 1.732058502741e-06.
    exact = {"A": 1.732046477394877e-6, "B": 1.7320412812840236e-6, "C": 7.3484214631755488e-12}
    for names in ("ABC", "BAC", "BCA", "CBA"):
        a, b, c = (names.index(x) for x in "ABC")
        data = Comparisons.build(list(names), [a, b, a], [b, c, c], [1e6, 1e6, 1e6], None, [1, 1, 2])
        worth = pairproof.fit_llbt(data).worth().set_index("item")["se"]
        assert max(abs(worth[x] / exact[x] - 1) for x in "ABC") < 1e-13  # observed 1.6e-15; 7e-6 before


def test_a_sum_constraint_on_many_items_has_the_standard_errors_of_all_functions(monkeypatch):
    from pairproof.fit.estimates import covariance

    fit = pairproof.fit_llbt(sparse_table(320, 8, judges=2), by="judge").with_reference("sum")
    one_by_one = fit.standard_errors
    monkeypatch.setattr(covariance, "_MANY_SHIFTED", 10)
    again = pairproof.fit_llbt(sparse_table(320, 8, judges=2), by="judge").with_reference("sum")
    assert np.abs(again.standard_errors / one_by_one - 1).max() < 1e-11  # observed 5e-15


# -- separation ----------------------------------------------------------------------------------------------


def _problem(data, model, free_tie):
    one = np.zeros(data.n_rows, np.int64)
    cells = count_cells(data, one, 1)
    return Problem(
        cells,
        len(data.items),
        np.ones((1, 1)),
        np.zeros((1, 0)),
        np.ones((1, 1 if free_tie else 0)),
        None,
        len(data.items) - 1,
        model,
    )


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(3, 7),
    st.sampled_from(["binary", "davidson", "davidson, no parameter", "rao-kupper"]),
)
def test_strong_components_find_the_limit_that_linear_programming_finds(seed, n, kind):
    rng = np.random.default_rng(seed)
    m = rng.integers(n - 1, 2 * n)
    i = rng.integers(0, n, m)
    j = (i + rng.integers(1, n, m)) % n
    y = np.eye(3)[rng.choice(3, m, p=[0.6, 0.25, 0.15])] * rng.integers(1, 4, (m, 1))
    model, free_tie = kind.split(",")[0], kind in ("davidson", "rao-kupper")
    if model == "binary":
        y[:, 1] = 0.0
    if y.sum() == 0 or (free_tie and not y[:, 1].any()):
        return
    data = Comparisons.build(
        [f"i{k}" for k in range(n)], i, j, y[:, 0], y[:, 1] if model != "binary" else None, y[:, 2]
    )
    problem = _problem(data, model, free_tie)
    fast = solve.solve_by_strong_components(problem, blocks.as_blocks(problem))
    if fast is None:
        return
    slow = solve._solve_limit(problem)
    assert (fast.separated, fast.rank, fast.null_space.shape[1]) == (
        slow.separated,
        slow.rank,
        slow.null_space.shape[1],
    )
    assert fast.llf == pytest.approx(slow.llf, rel=1e-10, abs=1e-10)  # observed 1e-15
    assert np.abs(fast.fitted() - slow.fitted()).max() < 1e-8  # observed 1e-12
    onto = np.eye(len(fast.params)) - fast.null_space @ np.linalg.pinv(fast.null_space)  # what is estimable
    assert np.abs(onto @ slow.null_space).max(initial=0.0) < 1e-8
    assert np.abs(onto @ (fast.params - slow.params)).max() < 1e-7  # observed 1e-12


def test_three_thousand_items_some_of_whom_won_everything_are_fitted_with_ties_in_seconds():
    data = sparse_table(3000, 2, reps=3)
    start = time.process_time()
    fit = pairproof.fit_llbt(data)
    assert time.process_time() - start < 30  # observed 0.2; linear programming took more than a minute
    lost = set(fit.not_estimable)
    never_less = [s for s in data.unseparated_sets() if len(s) == 1]
    assert lost and {name for s in never_less for name in s} <= lost
    assert fit.warnings[0].kind == "separated"


@pytest.mark.parametrize("sets", [2, 100])
def test_many_items_in_sets_that_never_met_have_numbers_inside_the_reference_s_set(sets):
    fit = pairproof.fit_llbt(sparse_table(2000, 8, sets=sets))
    estimable = fit.estimable[:2000].reshape(sets, -1)
    assert (
        estimable[-1].all() and not estimable[:-1].any() and np.isfinite(fit.standard_errors[1980:1999]).all()
    )


# -- bounded work --------------------------------------------------------------------------------------------


def test_a_chain_of_twenty_thousand_items_has_its_exact_estimates_and_standard_errors():
    n = 20_000
    fit = pairproof.fit_bradley_terry(chain(n), reference="i000000")
    steps = np.log(4 / 6) * np.arange(n)
    assert np.abs(fit.beta - steps).max() < 1e-9 * n  # sums of n logits of 1e-16 each; observed 2e-12
    assert np.allclose(
        fit.standard_errors[1:] ** 2, np.arange(1, n) / 2.4, rtol=1e-10
    )  # 1/(10 * .6 * .4) a step; observed 3e-13


def test_of_too_many_items_estimates_and_summary_are_there_and_the_json_says_what_is_null(monkeypatch):
    monkeypatch.setattr(laplacian, "MOST_WORK", 1e6)
    monkeypatch.setattr(laplacian, "MOST_DENSE", 500)
    fit = pairproof.fit_llbt(sparse_table(2000, 8))
    with pytest.raises(
        TooLargeError, match=r"standard errors of all 1,999 items.*limit 1e\+06.*fit\.contrast"
    ):
        fit.bse
    assert "i00003" in fit.summary() and "60" not in fit.not_estimable
    document = json.loads(json.dumps(fit.to_dict()))
    assert (
        document["bse"]["i00003"] is None
        and document["params"]["i00003"] == fit.beta[3]
        and document["cov_params"] is None
    )
    assert any(
        w.startswith("bse, pvalues, conf_int, worth_se and cov_params are null: standard errors of all")
        for w in document["warnings"]
    )
    assert sum(document["worth"]["all"].values()) == pytest.approx(1.0)
    monkeypatch.undo()
    again = pairproof.fit_llbt(sparse_table(2000, 8))
    assert fit.contrast("i00003", "i00004").se == pytest.approx(
        again.contrast("i00003", "i00004").se, rel=1e-13
    )  # observed 0: one path
    shown = [float(line.split()[2]) for line in fit.summary().splitlines() if line.startswith("i0000")]
    assert np.allclose(shown, again.standard_errors[: len(shown)], atol=6e-5)  # four decimals are printed


def test_tables_of_all_pairs_are_bounded_and_some_items_can_be_named():
    fit = pairproof.fit_llbt(sparse_table(2000, 8))
    with pytest.raises(TooLargeError, match="3,998,000 rows"):
        fit.probabilities()
    few = fit.probabilities(items=["i00007", "i00003"])
    assert list(few["first"]) == ["i00007", "i00003"] and few["p_first"].sum() + few["p_tie"][
        0
    ] == pytest.approx(1.0)
    with pytest.raises(TooLargeError, match="1,999,000 differences"):
        fit.quasi_variances()


@pytest.mark.parametrize(
    "by",
    [
        "*".join(f"c{k}" for k in range(24)),
        "+".join(f"c{k}" for k in range(1000)),
        "tie:" + "*".join("abcdefghijklm"),
    ],
)
def test_a_formula_of_millions_of_effects_is_refused_at_once_and_in_one_line(by):
    data = sparse_table(20, 8)
    start = time.process_time()
    with pytest.raises(FormulaError) as refused:
        pairproof.fit_llbt(data, by=by)
    assert time.process_time() - start < 10 and len(str(refused.value)) < 400  # observed 1 ms, 240 characters


@pytest.mark.parametrize("by", ["judge", "judge*c", "C(c)"])
def test_thousands_of_judges_are_refused_before_their_matrix_is_made(by):
    n = 20_000
    columns = {"judge": Factor(np.arange(n), tuple(map(str, range(n)))), "c": np.arange(n) + 0.0}
    data = Comparisons.build(
        ["A", "B", "C"], np.arange(n) % 2, np.full(n, 2), np.ones(n), None, np.ones(n), columns=columns
    )
    start = time.process_time()
    with pytest.raises(TooLargeError, match=r"20,000.*at most 3,000 effects") as refused:
        pairproof.fit_llbt(data, by=by)
    assert (
        time.process_time() - start < 20 and len(str(refused.value)) < 400
    )  # observed 0.1 s; 32 s before, and "Unable to allocate"


def test_a_thousand_judges_are_fitted_without_arithmetic_on_their_coding():
    treatments = np.eye(50)
    treatments[:, 0] = 1.0
    assert np.array_equal(design.inverse_of_treatments(treatments), np.linalg.inv(treatments))
    assert not design.is_treatments(treatments[::-1]) and not design.is_treatments(treatments + 1e-15)


def test_effects_on_thousands_of_items_that_need_one_large_matrix_are_refused_with_its_size():
    data = sparse_table(3000, 4)
    slopes = Comparisons.build(
        data.items,
        data.first,
        data.second,
        data.wins,
        data.ties,
        data.losses,
        columns={"x": np.arange(data.n_rows) % 7 + 0.5},
    )
    with pytest.raises(TooLargeError, match=r"5,99\d parameters.*limit 4,000"):
        pairproof.fit_llbt(slopes, by="x")


def test_a_slope_on_hundreds_of_items_needs_no_column_a_pair(monkeypatch):
    """Differences of free items are added up by position; written out they gave the same digits."""
    rng = np.random.default_rng(2)
    data = sparse_table(40, 12)
    data = Comparisons.build(
        data.items,
        data.first,
        data.second,
        data.wins,
        data.ties,
        data.losses,
        columns={"x": rng.normal(size=data.n_rows)},
    )
    by_position = pairproof.fit_llbt(data, by="x", reference="i00007")
    from pairproof.native.comparisons.counts import dense

    original = dense.as_dense

    def written(*arguments):
        laid_out = original(*arguments)
        return dense.replace(laid_out, d=dense.replace(laid_out.d, matrix=laid_out.d.written))

    monkeypatch.setattr(solve, "as_dense", written)
    in_full = pairproof.fit_llbt(data, by="x", reference="i00007")
    assert np.abs(by_position.beta - in_full.beta).max() < 1e-13  # observed 2e-16
    assert (
        np.nanmax(np.abs(by_position.standard_errors / in_full.standard_errors - 1)) < 1e-12
    )  # observed 7e-16


def test_an_order_effect_on_thousands_of_separated_items_is_refused_with_what_to_do():
    i = np.arange(1999)
    data = Comparisons.build(
        [f"i{k:05d}" for k in range(2000)], i, i + 1, np.ones(1999), None, np.zeros(1999)
    )
    with pytest.raises(ConvergenceError, match="order effect"):
        pairproof.fit_llbt(data, order_effect=True)


def test_items_named_twice_among_many_are_named_at_once():
    names = [f"i{k}" for k in range(100_000)] + ["i5"]
    start = time.process_time()
    with pytest.raises(InputError, match="more than once: i5;"):
        Comparisons.build(names, [0], [1], [1.0], None, [0.0])
    assert time.process_time() - start < 20  # observed 0.1
