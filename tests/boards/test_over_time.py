"""Boards over time: each date has the board of the votes up to it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.boards.board import leaderboard
from pairproof.boards.over_time import MOST_DATES, days_of, history
from pairproof.errors import InputError
from tests.boards.simulated import simulate


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    frame = simulate(5, n_votes=2_000, n_models=6, n_judges=100, pareto=2.0)
    days = pd.date_range("2025-01-20", periods=len(frame), freq="1h")
    return frame.assign(
        when=days.strftime("%Y-%m-%dT%H:%M:%S"), seconds=days.to_numpy().astype("datetime64[s]").astype(float)
    )


def test_the_last_date_has_the_board_of_all_votes_and_each_that_of_the_votes_so_far(votes):
    found = history(pairproof.read(votes), "when", "month")
    assert found.dates == ("2025-01-31", "2025-02-28", "2025-03-31", "2025-04-13")
    for k in (1, 3):
        so_far = leaderboard(votes[votes["when"] < f"{found.dates[k]}T99"], cluster=None)
        for row in so_far.rows:
            at = found.models.index(row.model)
            # One fit of the same votes in another order; observed 2e-13.
            assert found.rating[k, at] == pytest.approx(row.rating, abs=1e-9)
            assert (found.low[k, at], found.high[k, at]) == pytest.approx((row.low, row.high), abs=1e-8)


def test_periods_alone_have_only_their_own_votes(votes):
    found = history(pairproof.read(votes), "when", "month", cumulative=False)
    february = leaderboard(votes[votes["when"].str.startswith("2025-02")], cluster=None)
    for row in february.rows:
        assert found.rating[1, found.models.index(row.model)] == pytest.approx(
            row.rating, abs=1e-9
        )  # observed 1e-13


@pytest.mark.parametrize("every", ["day", "week", "month", "quarter", "year"])
def test_periods_end_on_their_last_day_and_are_at_most_30(votes, every):
    found = history(pairproof.read(votes), "when", every)
    assert 1 <= len(found.dates) <= MOST_DATES and found.dates[-1] == "2025-04-13"
    assert list(found.dates) == sorted(set(found.dates))
    if every == "week":
        assert {np.datetime64(d).astype(object).weekday() for d in found.dates} == {6}


def test_seconds_and_text_are_the_same_days(votes):
    table = pairproof.read(votes)
    assert (days_of(table, "when") == days_of(table, "seconds")).all()
    by_number = pairproof.read(votes.assign(seconds=votes["seconds"] * 1000.0))
    assert (days_of(by_number, "seconds") == days_of(table, "when")).all()


def test_a_model_has_no_rating_before_its_first_vote_and_an_anchor_starts_the_dates(votes):
    names = sorted({*votes["model_a"]})
    newest = names[2]
    late = votes[
        (votes["when"] > "2025-02-15") | ((votes["model_a"] != newest) & (votes["model_b"] != newest))
    ]
    table = pairproof.read(late)
    found = history(table, "when", "month")
    at = found.models.index(newest)
    assert np.isnan(found.rating[0, at]) and np.isfinite(found.rating[1:, at]).all()
    anchored = history(table, "when", "month", anchor=newest, at=1200.0)
    assert anchored.dates == found.dates[1:] and anchored.rating[:, at] == pytest.approx(1200.0)
    frame = found.to_frame()
    assert (
        list(frame.columns) == ["date", "model", "rating", "low", "high"] and not frame["rating"].isna().any()
    )
    assert len(frame) == np.isfinite(found.rating).sum()


@pytest.mark.parametrize(
    ("change", "column", "words"),
    [
        ({}, "nowhen", "no column 'nowhen' with dates"),
        ({"when": "soon"}, "when", "row 1, column 'when': 'soon' is not a date"),
        ({"seconds": 20250120.0}, "seconds", "are not dates"),
        ({"when": [None] + ["2025-01-01"] * 1_999}, "when", "1 of 2,000 rows have no date"),
    ],
)
def test_what_is_no_date_is_refused_with_what_was_found(votes, change, column, words):
    with pytest.raises(InputError, match=words):
        history(pairproof.read(votes.assign(**change)), column)
