"""Judgments as rows from Python: lists of dicts, frames, and what is no row."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest

import pairproof
from pairproof.campaign.results.results_file import results_of_rows
from pairproof.errors import InputError, TooLargeError
from tests.campaign.helpers import answers, batch_rows, campaign, scores

ROW = {"Input.id1": "a", "Answer.range1": 70, "WorkerId": "ann", "AssignmentId": "1"}


def test_a_frame_gives_the_same_judgments_as_its_rows_and_its_nan_is_a_blank(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    rows[0]["Answer.na1"] = "on"  # the other rows have NaN there
    assert pairproof.campaign.open(path).update(pd.DataFrame(rows)).new == len(rows)
    before = scores(path)
    again = pairproof.campaign.open(path).update(rows)
    assert (again.new, again.known, scores(path)) == (0, len(rows), before)


def test_times_of_python_and_pandas_are_read():
    at = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    for value in (at, pd.Timestamp(at)):
        row = results_of_rows([{**ROW, "SubmitTime": value}], 1).rows[0]
        assert row.times["SubmitTime"] == "2026-03-02T09:00:00+02:00"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (None, "NoneType; expected a list of rows, or a DataFrame"),
        (ROW, "dict; expected a list of rows, or a DataFrame"),
        (
            [{**ROW, "Answer.range1": 10**400}],
            "'Answer.range1': an integer of about 401 digits; expected a text",
        ),
        ([{**ROW, "WorkerId": "q\ud800"}], "'WorkerId': 'q.*'; half of a surrogate pair is not a character"),
        ([{**ROW, "SubmitTime": pd.NaT}], "'SubmitTime': NaT; expected a text, a finite number, or a time"),
    ],
)
def test_what_is_no_row_of_texts_and_numbers_is_refused(rows, said):
    with pytest.raises(InputError, match=said):
        results_of_rows(rows, 1)


@pytest.mark.parametrize("hits", [0, -1, 1.5, "3", True])
def test_a_number_of_hits_that_is_none_opens_no_batch(tmp_path, hits):
    c = pairproof.campaign.open(campaign(tmp_path))
    with pytest.raises(InputError, match="hits=.*expected an integer of 1 or more"):
        c.next_batch(hits=hits)
    with pytest.raises(TooLargeError):
        c.next_batch(hits=10**12)
    assert c.status().batches == 0
