"""Random effects eliminated in closed form, held against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from pairproof.errors import TooLargeError
from pairproof.native.annotation.scores import mixed_equations
from pairproof.native.annotation.scores.mixed_equations import (
    Elimination,
    nested_in,
    quadratic,
    quadratic_less,
    trace_of,
)


@pytest.fixture(scope="module")
def nested():
    """60 items in 12 sources, 5 annotators, 2 residual groups, a fixed effect: source and item are eliminated."""
    rng = np.random.default_rng(5)
    item = rng.integers(0, 60, 300)
    item[:60] = np.arange(60)
    source, who = item // 5, rng.integers(0, 5, 300)
    x = np.column_stack([np.ones(300), rng.normal(size=300)])
    y = rng.normal(size=300) + 0.5 * rng.normal(size=60)[item] + rng.normal(size=12)[source]
    return y, x, [source, item, who], [12, 60, 5], (who > 2).astype(np.int64)


def dense(nested, tau, sigma):
    """C, T and the weights, all of them."""
    y, x, labels, sizes, group = nested
    columns = [(label[:, None] == np.arange(size)).astype(float) for label, size in zip(labels, sizes)]
    t = np.column_stack([*columns, x])
    w = (1 / sigma)[group]
    ridge = np.concatenate([np.repeat(1 / tau, sizes), np.zeros(x.shape[1])])
    return t, w, t.T @ (t * w[:, None]) + np.diag(ridge)


def test_items_within_sources_are_eliminated_with_them_and_all_is_as_with_dense_matrices(nested):
    y, x, labels, sizes, group = nested
    tau, sigma = np.array([0.3, 0.1, 0.05]), np.array([0.4, 0.9])
    at = mixed_equations.layout(y, x, labels, sizes, group)
    assert (at.big, at.outer, at.small) == (1, 0, [2]) and at.rest.shape == (300, 7)
    t, w, c = dense(nested, tau, sigma)
    inverse = np.linalg.inv(c)
    u = inverse @ (t.T @ (w * y))
    begin = np.cumsum([0, *sizes])
    for likelihood in ("REML", "ML"):
        found = mixed_equations.solve(at, tau, sigma, likelihood)
        # Sums of a few hundred terms of size 1: observed 2e-14.
        np.testing.assert_allclose(found.residual, y - t @ u, atol=1e-12)
        spread = inverse if likelihood == "REML" else np.zeros_like(inverse)
        if likelihood == "ML":
            spread[:-2, :-2] = np.linalg.inv(c[:-2, :-2])
        for k, size in enumerate(sizes):
            own = slice(begin[k], begin[k + 1])
            np.testing.assert_allclose(found.random(k), u[own], atol=1e-12)
            np.testing.assert_allclose(
                found.block_variances(k, found.spread), np.diag(spread)[own], rtol=1e-11
            )
            assert found.trace(k) == pytest.approx(np.trace(spread[own, own]), rel=1e-11)
        leverage = np.einsum("ij,jk,ik->i", t, spread, t)
        expected = np.bincount(group, w**2 * leverage)
        np.testing.assert_allclose(found.leverages((1 / sigma)[group] ** 2), expected, rtol=1e-11)
    x0 = np.array([1.0, -0.5])
    carried = found.carried(1, found.inverse[:, -2:] @ x0)
    np.testing.assert_allclose(-carried, inverse[begin[1] : begin[2], -2:] @ x0, atol=1e-12)


def test_the_log_likelihood_of_nested_effects_is_the_dense_one(nested):
    y, x, labels, sizes, group = nested
    tau, sigma = np.array([0.3, 0.1, 0.05]), np.array([0.4, 0.9])
    at = mixed_equations.layout(y, x, labels, sizes, group)
    v = np.diag(sigma[group]) + sum(s * (e[:, None] == e[None, :]) for s, e in zip(tau, labels))
    w = np.linalg.inv(v)
    r = y - x @ np.linalg.solve(x.T @ w @ x, x.T @ w @ y)
    log_v, log_x = np.linalg.slogdet(v)[1], np.linalg.slogdet(x.T @ w @ x)[1]
    full = -0.5 * (300 * np.log(2 * np.pi) + log_v + r @ w @ r)
    assert mixed_equations.solve(at, tau, sigma, "ML").loglik == pytest.approx(
        full, abs=1e-9
    )  # observed 2e-13
    restricted = full - 0.5 * (log_x - 2 * np.log(2 * np.pi))
    assert mixed_equations.solve(at, tau, sigma, "REML").loglik == pytest.approx(restricted, abs=1e-9)


def test_quadratic_forms_are_the_same_by_taking_numbers_and_by_products():
    rng = np.random.default_rng(8)
    m = rng.normal(size=(40, 40))
    m = m @ m.T
    for density in (0.03, 0.6):  # few numbers a row are taken, many multiplied
        rows = rng.normal(size=(50, 40)) * (rng.random((50, 40)) < density)
        expected = np.einsum("ij,jk,ik->i", rows, m, rows)
        np.testing.assert_allclose(quadratic(csr_matrix(rows), m), expected, rtol=1e-11, atol=1e-11)
        assert trace_of(csr_matrix(rows), m) == pytest.approx(expected.sum(), rel=1e-11)
        level, f = rng.integers(0, 7, 50), rng.random(50)
        shared = rng.normal(size=(7, 40))
        r = rows - f[:, None] * shared[level]
        found = quadratic_less(csr_matrix(rows), csr_matrix(shared), level, m, f)
        np.testing.assert_allclose(found, np.einsum("ij,jk,ik->i", r, m, r), rtol=1e-10, atol=1e-10)


def test_an_effect_lies_within_another_only_if_each_of_its_levels_does():
    assert nested_in(np.array([0, 1, 2, 0]), 3, np.array([5, 5, 7, 5])).tolist() == [5, 5, 7]
    assert nested_in(np.array([0, 1, 2, 0]), 3, np.array([5, 5, 7, 7])) is None
    alone = Elimination.of(np.array([2.0, 3.0]), 0.5, None, 0.0)
    assert alone.log_determinant == pytest.approx(np.log(4.0) + np.log(5.0))


def test_sources_do_not_count_towards_what_is_too_large(monkeypatch):
    monkeypatch.setattr(mixed_equations, "LARGEST", 10)
    item, one = np.arange(60), np.zeros(60, int)
    nested = [item // 5, item, item % 4]
    found = mixed_equations.layout(item * 1.0, np.ones((60, 1)), nested, [12, 60, 4], one)
    assert found.rest.shape[1] == 5
    crossed = [item % 12, item % 25, item % 4]
    with pytest.raises(TooLargeError, match="17 annotators, HITs and fixed effects .* at most 10"):
        mixed_equations.layout(item * 1.0, np.ones((60, 1)), crossed, [12, 25, 4], one)
