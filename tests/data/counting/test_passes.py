"""Passes over rows: levels as they come, and places of cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.counting.passes import Labels, numbers, passes
from pairproof.errors import InputError


def test_numbers_and_texts_of_one_name_are_one_label_in_any_order_of_batches() -> None:
    labels = Labels("judge", "table")
    assert labels.codes(np.array([7, 3, 7]), None).tolist() == [0, 1, 0]
    assert labels.codes(np.array([1, 0, -1, 2]), ["3", "x", "unused"]).tolist() == [2, 1, -1, 3]
    assert labels.codes(np.array([9, 7]), None).tolist() == [4, 0]
    assert labels.codes(np.array([3.0, 0.5]), None).tolist() == [1, 5]
    assert labels.texts() == ["7", "3", "x", "unused", "9", "0.5"] and len(labels) == 6


def test_a_level_that_no_row_has_is_no_label_and_blank_is_none() -> None:
    labels = Labels("judge", "table")
    assert labels.codes(np.array([0, 1, 2, 0]), ["a", " ", "NA", "unused"]).tolist() == [0, -1, -1, 0]
    assert labels.texts() == ["a"]
    with pytest.raises(InputError, match="judge 'b ' has leading or trailing blanks"):
        labels.codes(np.array([0]), ["b "])


def test_a_column_of_numbers_may_stand_there_as_text() -> None:
    codes, values = numbers(np.array([0, 1, 2, -1]), ["1.5", " -2e1", "long"])
    assert values is not None
    np.testing.assert_array_equal(values[codes], [1.5, -20.0, np.nan, np.nan])
    assert numbers(np.array([4, 5]), None) == (pytest.approx([4, 5]), None)


def test_each_row_is_found_in_its_cell_in_every_pass() -> None:
    frame = pd.DataFrame(
        {"first": list("ABBA"), "second": list("BAAB"), "outcome": ["first", "tie", "second", "first"]}
    )
    frame = frame.assign(w=[1, 2, 3, 4])
    table = pairproof.count(frame)
    with passes(frame, table, ["w"], "") as found:
        for n in (1, 2):
            (batch,) = found.batches()
            # the cells are (A, B) and (B, A); an outcome's cells begin at twice its number
            assert batch.at.tolist() == [0, 3, 5, 0] and batch.weight is None and found.n == n
            assert batch.more[0][0].tolist() == [1, 2, 3, 4] and found.n_rows == 4


def test_rows_that_change_between_the_pass_and_the_count_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(
        {"first": list("ABA"), "second": list("BAB"), "outcome": ["first", "second", "first"]}
    )
    table = pairproof.count(frame)
    with passes(frame[:2], table, [], "") as found:
        monkeypatch.setattr("pairproof.data.counting.passes.count", lambda *_, **__: table)
        with pytest.raises(InputError, match="the rows had changed on the second reading"):
            list(found.batches())
