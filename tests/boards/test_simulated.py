"""The simulated boards are what their module says: ties, busy judges, and the limit of half-win ratings."""

import numpy as np
import pytest

import pairproof
from tests.boards.simulated import simulate, simulate_counts


def test_a_quarter_are_ties_and_the_busiest_judge_has_some_per_cent() -> None:
    frame = simulate(1)
    ties = frame.winner.isin(["tie", "tie (bothbad)"]).mean()
    assert 0.2 < ties < 0.3  # observed .265
    assert 0.05 < (frame.winner == "tie (bothbad)").mean() < 0.12  # observed .086
    assert 0.005 < frame.judge.value_counts(normalize=True).iloc[0] < 0.2  # observed .048
    assert frame.tstamp.is_monotonic_increasing and frame.question_id.is_unique


@pytest.mark.parametrize("how", [{}, {"order": 0.3, "style": 0.4, "verbose": 0.6}, {"both_bad": False}])
def test_half_win_ratings_of_many_votes_are_the_limits_that_are_stated(how: dict[str, float]) -> None:
    frame = simulate(2, 400_000, 6, 200_000, pareto=20.0, **how)
    frame["longer"] = np.log(frame.length_a) - np.log(frame.length_b)
    decided = frame[frame.winner != "tie (bothbad)"]
    limits = [("half", frame, ()), ("dropped", decided, ())]
    for key, votes, terms in [*limits, ("equal", frame, ("longer",))] if "style" in how else limits:
        table = pairproof.read(votes[["model_a", "model_b", "winner", *terms]])
        fit = pairproof.fit_bradley_terry(table, ties="half", reference="sum", comparison_terms=terms)
        limit = frame.attrs[key] | ({"longer": frame.attrs["coefficient"]} if terms else {})
        gap = np.array([fit.params[name] - value for name, value in limit.items()])
        se = np.array([fit.bse[name] for name in limit])
        # Standard errors are about .005; without quadrature the largest gap is 20 of them (observed 2.4).
        assert abs(gap / se).max() < 4, (key, gap, se)


def test_counts_of_a_large_board_have_the_limit_that_is_stated() -> None:
    truth, shown = np.linspace(-1, 1, 5), np.array([1.0, 2.0, 1.0, 3.0, 0.1])
    pairs, counts, half, theta = simulate_counts(3, 4_000_000, truth, shown)
    table = pairproof.Comparisons.build(list("ABCDE"), *pairs.T, *counts.T)
    fit = pairproof.fit_bradley_terry(table, ties="half", reference="sum")
    assert np.array_equal(theta, truth) and counts.sum() == 4_000_000
    gap = np.array([fit.params[name] for name in "ABCDE"]) - half
    # In standard errors of half wins, which are too wide; observed .9.
    assert abs(gap / np.array([fit.bse[name] for name in "ABCDE"])).max() < 4
    assert abs(half - truth).max() > 0.1  # ties count one half, so that it is no ability
