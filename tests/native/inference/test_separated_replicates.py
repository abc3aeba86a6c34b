"""Replicates whose estimates are infinite or not determined: kept at their limits, and counted."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

import pairproof
from pairproof.data.graph import strong_components
from pairproof.errors import PairproofWarning
from pairproof.native.inference.taken_apart import all_pairs
from tests.places import DATA

build = pairproof.Comparisons.build


def test_a_replicate_without_the_one_loss_is_infinite_and_kept():
    """9 wins of 10: the share of replicates without a loss is .9^10 = .349, so that the upper limit is infinite."""
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [9], None, [1]), reference="B")
    drawn = fit.bootstrap(replicates=999, seed=1, quantity=["params", "worth", "probabilities", "ranks"])
    expected = 0.9**10
    # Four standard errors of a share of 999: .060.  Observed difference: .02.
    assert drawn.n_separated / 999 == pytest.approx(
        expected, abs=4 * np.sqrt(expected * (1 - expected) / 999)
    )
    assert drawn.n_infinite["A"] == drawn.n_separated and drawn.n_undefined.sum() == 0
    assert drawn.se["A"] == np.inf
    limits = drawn.conf_int()
    assert limits.loc["A", "high"] == np.inf and np.isfinite(limits.loc["A", "low"])
    # 6 wins of 10 are the 2.5 % point: P(W <= 6) = .013, P(W <= 7) = .07.
    assert binom.cdf(6, 10, 0.9) < 0.025 < binom.cdf(7, 10, 0.9)
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    assert limits.loc["A", "low"] == pytest.approx(np.log(7 / 3), abs=1e-9)
    # Bounded quantities have their limits, and a spread.
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert limits.loc["worth(A)"].tolist() == pytest.approx([0.7, 1.0], abs=1e-9)
    assert limits.loc["P(A > B)", "high"] == limits.loc["worth(A)", "high"] == 1.0
    assert np.isfinite(drawn.se[["worth(A)", "P(A > B)", "rank(A)"]]).all()
    assert drawn.to_dict()["quantities"][0]["infinite_limits"] == ["high"]
    assert drawn.to_dict()["quantities"][0]["high"] is None
    assert f"{drawn.n_separated} of 999 replicates separate" in drawn.summary()


def test_methods_that_an_infinite_replicate_defeats_say_so():
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [9], None, [1]), reference="B")
    drawn = fit.bootstrap(replicates=399, seed=1)
    with pytest.warns(
        PairproofWarning, match=r"no bca limits of A: without one of 1 cluster\(s\) it is infinite"
    ):
        assert drawn.conf_int(method="bca").isna().to_numpy().all()
    assert drawn.conf_int(method="normal").to_numpy().tolist() == [[-np.inf, np.inf]]
    assert drawn.conf_int(method="basic").loc["A", "low"] == -np.inf
    assert np.isnan(drawn.cov().to_numpy()).all()


def test_a_separated_fit_has_infinite_estimates_and_percentile_limits():
    fit = pairproof.fit_bradley_terry(
        build("ABC", [0, 0, 1], [1, 2, 2], [10, 8, 6], None, [0, 0, 4]), reference="C"
    )
    drawn = fit.bootstrap(replicates=199, seed=1, quantity=["params", ("A", "B"), "worth"])
    assert drawn.estimate[drawn.names.index("A")] == drawn.estimate[drawn.names.index("A - B")] == np.inf
    assert drawn.estimate[drawn.names.index("worth(A)")] == 1.0
    assert np.isfinite(drawn.estimate[drawn.names.index("B")])
    assert drawn.conf_int().loc["A"].tolist() == [np.inf, np.inf]
    assert drawn.p_best()["A"] == 1.0
    with pytest.warns(PairproofWarning, match="the estimate is not finite"):
        drawn.conf_int(method="basic", names=["A"])


def sparse_judges() -> pairproof.Comparisons:
    """Item C is seen by judges w and x; A and B by u, v and w."""
    rows = [("u", "A", "B", 6, 4), ("v", "A", "B", 2, 8), ("w", "A", "B", 7, 3), ("w", "A", "C", 6, 4), ("w", "B", "C", 4, 6), ("x", "A", "C", 5, 4)]  # fmt: skip
    return pairproof.read(pd.DataFrame(rows, columns=["judge", "first", "second", "wins", "losses"]))


def test_an_item_that_is_absent_is_undefined_in_the_replicate_and_counted():
    fit = pairproof.fit_bradley_terry(sparse_judges(), reference="A")
    drawn = fit.bootstrap(
        "judge", replicates=499, seed=1, quantity=["params", "worth", "ranks", "probabilities"]
    )
    absent = (2 / 4) ** 4  # no draw of four is judge w or x
    lost = drawn.n_undefined
    # Four standard errors of a share of 499: .043; seen: .010 off.
    assert lost["C"] / 499 == pytest.approx(absent, abs=0.043)
    assert drawn.n_failed == 0
    assert lost["P(A > C)"] == lost["C"] <= lost["rank(C)"] == lost["worth(C)"], "B may be absent too"
    # x alone sees neither A against B nor B against C.
    assert 0 < lost["P(A > B)"] < 20
    assert drawn.n_separated == 0, "an item that is absent is no separation"
    assert drawn.rank_intervals().loc["C", "undefined"] == lost["rank(C)"]
    # Whether A is the best is not determined where C is absent, unless B beats it.
    assert 0.0 < drawn.p_best()["A"] < 1.0
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert drawn.rank_distribution().sum(axis=1).to_numpy() == pytest.approx(1.0)


def test_quantities_defined_in_too_few_replicates_have_no_limits_and_are_named():
    fit = pairproof.fit_bradley_terry(sparse_judges(), reference="A")
    drawn = fit.bootstrap("judge", replicates=40, seed=1, quantity="C")
    assert 40 - drawn.n_undefined["C"] < 39
    with pytest.warns(
        PairproofWarning, match=r"no percentile limits of C: it is defined in \d+ of 40 replicates"
    ):
        limits = drawn.conf_int()
    assert limits.loc["C"].isna().all()


def test_what_one_judge_alone_says_has_no_spread_by_judge():
    """With abilities by judge every copy of a judge says the same: replicates differ by the common tie parameter."""
    fit = pairproof.fit_llbt(pairproof.read(DATA / "dras_table1.csv"), by="judge")
    drawn = fit.bootstrap("judge", replicates=199, seed=1)
    assert drawn.alone["A:judge[2]"] == "judge 2" and set(drawn.names) - set(drawn.alone) == {"tie"}
    assert np.isnan(drawn.se["A"]) and drawn.se["tie"] > 0 and np.isnan(drawn.cov().loc["A", "tie"])
    with pytest.warns(PairproofWarning, match="limits of A, B, C, .*: each is fitted from one cluster alone"):
        limits = drawn.conf_int()
    assert limits.loc["A"].isna().all() and limits.loc["tie"].notna().all()
    assert "Fitted from one cluster alone, so without errors and limits: A (judge 1)" in drawn.summary()
    assert fit.bootstrap(replicates=40, seed=1).alone == {}


def test_a_replicate_without_ties_has_davidsons_parameter_at_minus_infinity_and_rao_kuppers_at_zero():
    table = build("AB", [0], [1], [12], [1], [9])
    for ties, where in (("davidson", -np.inf), ("rao-kupper", 0.0)):
        drawn = pairproof.fit_bradley_terry(table, ties=ties, reference="B").bootstrap(
            replicates=399, seed=2, quantity=["params", "probabilities"]
        )
        gone = drawn.replicates[:, drawn.names.index("tie")] == where
        # (21/22)^22 = .359; four standard errors of a share of 399 are .096; seen: .009 off.
        assert gone.mean() == pytest.approx((21 / 22) ** 22, abs=0.096)
        assert (drawn.to_frame()["P(A = B)"][gone] == 0.0).all()
        assert (drawn.to_frame()["P(A = B)"][~gone] > 0.0).all()
        assert drawn.n_failed == 0 and drawn.n_undefined.sum() == 0
        assert np.isfinite(drawn.to_frame()["A"]).all()
        assert drawn.n_separated == (gone.sum() if ties == "davidson" else 0)


def test_a_users_function_of_a_fit_meets_replicates_without_ties_too():
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [12], [1], [9]), ties="davidson", reference="B")
    drawn = fit.bootstrap(
        replicates=60, seed=2, quantity=["params", lambda f: dict(own=f.params["A"], ties=f.data.ties.sum())]
    )
    frame = drawn.to_frame()
    # One number in two ways, which differ by rounding; seen: 4e-16 off.
    np.testing.assert_allclose(frame["own"], frame["A"], atol=1e-10)
    assert ((frame["tie"] == -np.inf) == (frame["ties"] == 0)).all() and (frame["ties"] == 0).any()


def reachable(wins: np.ndarray) -> np.ndarray:
    """bool[J, J]: whether a chain of wins leads from one item to the other."""
    step = (wins > 0) | np.eye(len(wins), dtype=bool)
    for _ in range(len(wins)):
        step = (step.astype(int) @ step.astype(int)) > 0
    return step


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_differences_are_infinite_exactly_where_chains_of_wins_lead_one_way(counts):
    """Ford (1957): finite both ways, +inf one way, not determined without a chain."""
    wins = np.zeros((4, 4))
    wins[np.triu_indices(4, 1)] = counts[:6]
    wins.T[np.triu_indices(4, 1)] = counts[6:]
    i, j = np.triu_indices(4, 1)
    used = wins[i, j] + wins[j, i] > 0
    if not used.any():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_bradley_terry(
            build("ABCD", i[used], j[used], wins[i, j][used], None, wins[j, i][used]), reference="D"
        )
    likelihood, functions = fit.likelihood, all_pairs(fit)[1]
    values = likelihood.estimates(functions)
    at = likelihood.infinite
    if at is not None:  # combinations of the rows say the same as chains of them
        np.testing.assert_array_equal(replace(at, abilities=()).values(functions, values), values)
    chain = reachable(wins)
    for a, b, value in zip(i, j, values):
        if chain[a, b] and chain[b, a]:
            assert np.isfinite(value)
        elif chain[a, b] or chain[b, a]:
            assert value == (np.inf if chain[a, b] else -np.inf)
        else:
            assert np.isnan(value)
    assert (len(np.unique(strong_components(*np.nonzero(wins), 4))) == 1) == bool(np.isfinite(values).all())


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=9, max_size=9), st.integers(0, 2**20))
def test_ranks_and_worths_at_infinity_are_those_of_a_nearly_infinite_fit(counts, seed):
    """A tiny amount added to every count makes estimates finite: bounded quantities are then close to their limits."""
    wins, ties, losses = (np.array(counts[k : k + 3], float) for k in (0, 3, 6))
    if not (wins + losses + ties > 0).all() or not ties.any():
        return
    first, second = [0, 0, 1], [1, 2, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_bradley_terry(build("ABC", first, second, wins, ties, losses), reference="C")
        near = pairproof.fit_bradley_terry(
            build("ABC", first, second, wins + 1e-7, ties + 1e-7, losses + 1e-7), reference="C"
        )
        drawn = fit.bootstrap(replicates=2, seed=seed, quantity=["worth", "ranks", "probabilities"])
    estimate = dict(zip(drawn.names, drawn.estimate))
    worth = dict(zip(near.items, near.worth(se=False)["worth"]))
    for item in "ABC":
        value = estimate[f"worth({item})"]
        if not np.isnan(value):
            # Items that separate have worths of order 1e-7, or its root through ties; observed 3e-7.
            assert value == pytest.approx(worth[item], abs=2e-3)
    p = near.probabilities().set_index(["first", "second"])
    for a, b in (("A", "B"), ("A", "C"), ("B", "C")):
        value = estimate[f"P({a} > {b})"]
        if not np.isnan(value):
            # As above; seen: 6e-8 off.
            assert value == pytest.approx(p.loc[(a, b), "p_first"], abs=2e-3)
