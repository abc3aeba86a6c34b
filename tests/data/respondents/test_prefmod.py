"""Tables written as prefmod takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pairproof import bridge
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents, from_pairs, from_ranks, from_ratings, to_prefmod
from pairproof.errors import InputError
from tests.data.respondents.tables import SALAD, SALAD_PERSONS, salad, tables


@pytest.mark.r("prefmod")
def test_prefmods_own_tables_come_back() -> None:
    own = bridge.package_data("prefmod", "salad")
    table = from_ranks(own, items=list(own))
    assert np.array_equal(to_prefmod(table).frame.to_numpy(), own.to_numpy(float))
    immig = bridge.package_data("prefmod", "immig")
    coding = {"first": 1, "tie": 0, "second": -1, "missing": "NA"}
    pairs = from_pairs(immig, items=list("ABCD"), pair_order="prefmod", coding=coding, levels={"SEX": [1, 2]})
    written = to_prefmod(pairs, ["SEX", "AGE"]).frame.to_numpy()
    assert np.array_equal(written, immig.iloc[:, :8].to_numpy(float), equal_nan=True)
    music = bridge.package_data("prefmod", "music").iloc[:, :6]
    ratings = from_ratings(music, items=list(music), scale="1-5", best="low")
    assert np.array_equal(to_prefmod(ratings).frame.to_numpy(), music.to_numpy(float), equal_nan=True)


def test_a_weight_is_as_many_rows() -> None:
    frame = to_prefmod(salad()).frame
    assert np.array_equal(frame.to_numpy(), np.repeat(SALAD, SALAD_PERSONS, axis=0))


@settings(deadline=None)  # other work on the machine is no failure
@given(tables(("ratings", "comparisons")))
def test_what_was_written_is_read_back(table: Respondents) -> None:
    table = table.at_time(table.times[0])
    wide = to_prefmod(table)
    if table.kind == "comparisons":
        again = from_pairs(
            wide.frame, items=table.items, pair_order="prefmod", coding=wide.coding, tie_category=True
        )
    else:
        again = from_ratings(wide.frame, items=table.items, answers=list(wide.frame), scale="1-5", best="low")
    assert np.array_equal(again.answers, np.repeat(table.answers, table.weights.astype(int), axis=0))


def test_times_are_blocks_of_columns() -> None:
    table = Respondents.build("AB", "rankings", [[[1, 2], [2, 1]]], times=["before", "after"])
    frame = to_prefmod(table).frame
    assert list(frame) == ["V1.1", "V2.1", "V1.2", "V2.2"]
    assert frame.to_numpy().tolist() == [[1, 2, 2, 1]]


@pytest.mark.parametrize(
    ("parts", "covariates", "words"),
    [
        (dict(answers=[[1, 2, 3], [1, -1, 2]]), (), "row 2: an item was not presented (1 such row(s)); prefmod has no such"),
        (dict(answers=[[1, 2, 3], [1, 1, 2]]), (), "row 2: two items have the same rank"),
        (dict(answers=[[1, 2, 3]], weights=[1.5]), (), "row 1: the weight is 1.5"),
        (dict(answers=[[1, 2, 3]], weights=[1e9]), (), "1,000,000,000 persons need 3,000,000,000 cells"),
        (dict(answers=[[1, 2, 3]]), ("sex",), "no covariate 'sex'; found none"),
        (dict(answers=[[1, 2, 3]], columns={"sex": Factor(np.array([-1]), ("f",))}), ("sex",), "row 1: 'sex' has no value"),
        (dict(answers=[[1, 2, 3]], columns={"sex": Factor(np.array([1]), ("f", "m"))}), ("sex",), "no respondent has level 'f' of 'sex'"),
    ],
)  # fmt: skip
def test_what_prefmod_cannot_take_is_refused(parts: dict[str, Any], covariates: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        to_prefmod(Respondents.build("ABC", "rankings", **parts), covariates)
    assert words in str(error.value)
