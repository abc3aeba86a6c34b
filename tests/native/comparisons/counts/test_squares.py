"""Plain models of few items as matrices, against the same models as lists of cells."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pairproof
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.counts import llbt, solve
from pairproof.native.comparisons.counts.squares import SAFE
from pairproof.numerics.maxima import maximise


def table(n_items: int, per_pair: int, ties: bool, share: float = 1.0) -> pairproof.Comparisons:
    rng = np.random.default_rng(n_items)
    i, j = np.triu_indices(n_items, 1)
    kept = rng.random(len(i)) < share
    i, j = i[kept], j[kept]
    a = rng.normal(0.0, 0.8, n_items)
    weight = np.exp(
        np.stack([a[i] - a[j], np.full(len(i), -1.0 if ties else -np.inf), a[j] - a[i]], axis=1) / 2
    )
    win, tie, loss = rng.multinomial(per_pair, weight / weight.sum(axis=1, keepdims=True)).T
    names = [f"i{k:03d}" for k in range(n_items)]
    return pairproof.Comparisons.build(names, i, j, win, tie if ties else None, loss)


@pytest.mark.parametrize("ties", ["none", "davidson", "half", "drop"])
@pytest.mark.parametrize(
    "n_items, share", [(3, 1.0), (12, 1.0), (12, 0.7), (60, 1.0), (120, 0.4), (300, 0.6)]
)
def test_matrices_give_what_lists_of_cells_give(n_items, share, ties, monkeypatch):
    rows = table(n_items, 40, ties != "none", share)
    fit = pairproof.fit_bradley_terry(rows, ties=ties)
    monkeypatch.setattr(solve, "as_squares", lambda problem: None)
    cells = pairproof.fit_bradley_terry(rows, ties=ties)
    # of a standard error; seen 1e-13, what the rule of stopping leaves
    assert np.nanmax(np.abs(fit.params - cells.params) / cells.bse) < 1e-11
    np.testing.assert_allclose(fit.bse, cells.bse, rtol=1e-12)  # seen 2e-15
    # seen: 1e-15 of the largest; those near 0 are differences of larger ones, with fewer digits
    np.testing.assert_allclose(fit.cov_params(), cells.cov_params(), rtol=1e-11, atol=1e-14)
    for name in ("llf", "deviance", "null_deviance", "df_resid", "rank"):
        # seen 3e-14 of a deviance
        np.testing.assert_allclose(getattr(fit, name), getattr(cells, name), rtol=1e-11, atol=1e-11)


def test_what_is_separated_apart_or_large_is_left_to_the_solver_of_cells():
    apart = pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [3, 4], None, [2, 5])
    assert solve.as_squares(problem(apart)) is None
    assert solve.as_squares(problem(table(5, 2_000, False))) is None
    assert solve.as_squares(problem(table(5, 20, False))) is not None
    many = table(210, 40, False)
    assert solve.as_squares(problem(many)) is not None
    assert solve.as_squares(problem(table(210, 40, False, 0.2))) is None  # few of the pairs met
    wins = np.where(many.first == 0, 40.0, many.wins)  # the first item never lost
    beaten = pairproof.Comparisons.build(many.items, many.first, many.second, wins, None, 40.0 - wins)
    assert solve.as_squares(problem(beaten)) is None
    never = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [3, 4, 2], None, [0, 0, 3])
    fit = pairproof.fit_bradley_terry(never, reference="C")
    assert [w.kind for w in fit.warnings] == ["separated"] and fit.not_estimable == ("A",)


@pytest.mark.parametrize("ties", [False, True])
def test_a_step_that_is_safe_never_lowers_the_likelihood(ties):
    squares = solve.as_squares(problem(table(60, 40, ties)))
    best, rng = maximise(squares.evaluate, squares.start()).x, np.random.default_rng(3)
    for size in (0.05, 0.1, 0.15):
        here = squares.evaluate(best + rng.normal(0.0, size, 60 + ties))
        step, decrement = here.newton_step(1e-3)
        assert np.abs(step).max() < SAFE
        gained = (squares.evaluate(here.x + step).value - here.value) / decrement
        assert gained > 0.4, (
            size,
            gained,
        )  # seen 0.48 to 0.50, which is a parabola's; more than 0 is what is proved


def problem(rows: pairproof.Comparisons):
    spec = llbt.make_spec("bradley-terry", rows, None, "", None, False, None, (), ())
    return llbt.build(rows, spec).problem


def test_deviances_are_worked_out_when_read_and_pickled_as_numbers(monkeypatch):
    fit = pairproof.fit_bradley_terry(table(6, 20, True))
    assert callable(vars(fit)["deviance"])
    again: Fit = pickle.loads(pickle.dumps(fit))
    assert vars(again)["deviance"] == fit.deviance and isinstance(vars(again)["null_deviance"], float)
    assert fit.deviance > 0.0 and not callable(vars(fit)["deviance"])
    with pytest.raises(AttributeError):
        fit.deviance = 1.0
