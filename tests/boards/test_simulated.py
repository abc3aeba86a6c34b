"""The simulated boards are what their module says: ties, busy judges, and the limit of half-win ratings."""

import numpy as np
import pytest

import pairproof
from tests.boards.simulated import simulate


def test_a_quarter_are_ties_and_the_busiest_judge_has_some_per_cent() -> None:
    frame = simulate(1)
    ties = frame.winner.isin(["tie", "tie (bothbad)"]).mean()
    assert 0.2 < ties < 0.3  # observed .265
    assert 0.05 < (frame.winner == "tie (bothbad)").mean() < 0.12  # observed .086
    assert 0.005 < frame.judge.value_counts(normalize=True).iloc[0] < 0.2  # observed .048
    assert frame.tstamp.is_monotonic_increasing and frame.question_id.is_unique


@pytest.mark.parametrize("how", [{}, {"order": 0.3, "style": 0.25, "verbose": 0.3}, {"both_bad": False}])
def test_half_win_ratings_of_many_votes_are_the_limit_that_is_stated(how: dict[str, float]) -> None:
    frame = simulate(2, 400_000, 6, 200_000, pareto=20.0, **how)
    table = pairproof.read(frame[["model_a", "model_b", "winner"]])
    fit = pairproof.fit_bradley_terry(table, ties="half", reference="sum")
    gap = np.array([fit.params[name] - value for name, value in frame.attrs["half"].items()])
    se = np.array([fit.bse[name] for name in frame.attrs["half"]])
    # Standard errors are about .005; without the quadrature the largest gap is 20 of them (observed 2.3 at most).
    assert abs(gap / se).max() < 4, (gap, se)
