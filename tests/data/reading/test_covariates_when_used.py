"""Covariates are coded, and their cells checked, when they are first used, from what was read and nothing later."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from pairproof import fit_bradley_terry
from pairproof.data.columns import Columns, Factor, Uncoded, parts_of
from pairproof.data.reading import read
from pairproof.errors import InputError

VOTES = {
    "first": ["A", "A", "B", "C", "B", "C"],
    "second": ["B", "C", "C", "A", "A", "B"],
    "outcome": ["first", "second", "tie", "first", "first", "second"],
    "judge": ["x", "y", "x", "y", "x", "z"],
    "length": [1.0, 2.5, np.nan, 4.0, -3.0, 0.5],
    "lang": ["en", "de", "en", None, "de", "en"],
}


def uncoded(table):
    return [name for name, column in parts_of(table.columns).items() if isinstance(column, Uncoded)]


def same(left, right):
    if isinstance(left, Factor):
        return left.levels == right.levels and np.array_equal(left.codes, right.codes)
    return np.array_equal(left, right, equal_nan=True)


def test_reading_and_fitting_code_no_column_that_they_do_not_use():
    table = read(VOTES)
    assert isinstance(table.columns, Columns) and list(table.columns) == ["judge", "length", "lang"]
    fit_bradley_terry(table, ties="davidson").bse
    assert "judge" in table.columns and len(table.columns) == 3
    assert uncoded(table) == ["judge", "length", "lang"]
    assert table.columns["judge"].levels == ("x", "y", "z")
    assert uncoded(table) == ["length", "lang"]


def test_a_column_whose_levels_are_stated_is_coded_at_once():
    with pytest.raises(InputError, match="contains 'de', not among the given levels"):
        read(VOTES, levels={"lang": ["en"]})
    assert uncoded(read(VOTES, levels={"lang": ["en", "de"]})) == ["judge", "length"]


@pytest.mark.parametrize("rows", [[0, 2, 5], np.array([1, 0, 1, 1, 0, 1], bool)], ids=["positions", "a mask"])
def test_rows_are_chosen_alike_before_a_column_is_coded_and_after(rows):
    before, after = read(VOTES), read(VOTES)
    after.to_frame()
    assert uncoded(after) == []
    chosen, known = before.select(rows), after.select(rows)
    assert uncoded(chosen) == ["judge", "length", "lang"]
    assert all(same(chosen.columns[name], known.columns[name]) for name in known.columns)
    assert (
        chosen.where("judge=x").columns["judge"].levels
        == known.where("judge=x").columns["judge"].levels
        == ("x",)
    )


def test_a_column_is_coded_once_for_all_tables_made_of_it():
    table = read(VOTES)
    part = table.as_one_track().changed(source="elsewhere")
    assert part.columns["judge"] is table.columns["judge"]


def test_a_pickled_table_has_all_its_columns():
    table = read(VOTES)
    again = pickle.loads(pickle.dumps(table))
    assert uncoded(again) == [] and again.digest() == table.digest()
    assert all(same(again.columns[name], table.columns[name]) for name in table.columns)


def test_columns_cannot_be_written_to():
    columns = read(VOTES).columns
    with pytest.raises(TypeError):
        columns["judge"] = columns["judge"]
    for array in (columns["judge"].codes, columns["length"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def frames():
    frame = pd.DataFrame(VOTES)
    yield "numpy and text", frame
    yield "object", frame.astype({"judge": object, "lang": object})
    yield "category", frame.astype({"judge": "category", "lang": "category"})


@pytest.mark.parametrize("frame", [f for _, f in frames()], ids=[name for name, _ in frames()])
def test_what_becomes_of_a_frame_later_changes_no_table(frame):
    table = read(frame)
    known = read(frame.copy(deep=True)).to_frame()
    frame.loc[0, "judge"] = "y"
    frame.loc[:, "length"] = 7.0
    frame["lang"].array[0] = "de"
    for name in ("judge", "lang"):
        values = frame[name].array
        if hasattr(values, "codes"):
            values._ndarray[:] = 0
    frame.pop("lang")
    pd.testing.assert_frame_equal(table.to_frame(), known)


def test_an_array_in_a_dict_can_be_changed_later():
    lengths = np.arange(6.0)
    table = read({**VOTES, "length": lengths})
    lengths[:] = 99.0
    assert table.columns["length"].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "more, where",
    [("", "row 5 (line 6)"), ("\n", "row 5 (line 6)"), ('"a quote\nover two lines"', "row 5 (line 7)")],
    ids=["as it is", "blank at the end", "a cell of two lines"],
)
def test_the_error_of_a_column_names_its_line_when_it_is_used(tmp_path, more, where):
    path = tmp_path / "votes.csv"
    text = pd.DataFrame(VOTES).assign(length=["1", "2", "", "4", "-3,5", "0"], note="n").to_csv(index=False)
    path.write_text(text.replace("n\n", f"{more}\n", 1) if '"' in more else text + more, encoding="utf-8")
    table = read(path)
    fit_bradley_terry(table, ties="davidson")
    for _ in range(2):  # and again, for those who ask again
        with pytest.raises(InputError) as caught:
            table.select([0, 1]).columns["length"]
        assert f"votes.csv, {where}, column 'length': '-3,5' has a comma" in str(caught.value)


def test_an_error_in_the_judges_is_said_by_all_that_look_at_them():
    table = read({**VOTES, "judge": ["x", "y ", "x", "y", "x", "z"]})
    fit = fit_bradley_terry(table, ties="davidson")
    for use in (lambda: fit.clustered("judge"), lambda: str(fit.summary()), lambda: repr(table)):
        with pytest.raises(InputError, match="row 2, column 'judge': 'y ' has leading or trailing blanks"):
            use()
