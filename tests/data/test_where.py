"""Rows are chosen by values of columns, and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.where import rows_where
from pairproof.errors import InputError

TABLE = pairproof.Comparisons.build(
    ["A", "B", "C"],
    [0, 0, 1, 0],
    [1, 2, 2, 1],
    [1, 2, 3, 4],
    None,
    [1, 1, 1, 1],
    columns={
        "judge": Factor(np.array([0, 1, 1, -1]), ("ann", "x=1")),
        "length": np.array([1.0, 2.5, np.nan, 1.0]),
    },
)


@pytest.mark.parametrize(
    ("conditions", "rows"),
    [
        ([("judge", "ann")], [0]),
        ([("judge", "ann"), ("judge", "x=1")], [0, 1, 2]),
        ([("judge", "x=1"), ("length", "2.50")], [1]),
        ([("first", "A"), ("second", "B")], [0, 3]),
        ([("judge", "")], [3]),
        ([("length", "")], [2]),
        ([("length", "1")], [0, 3]),
    ],
)
def test_values_of_one_column_are_alternatives_and_columns_hold_together(conditions, rows):
    assert np.flatnonzero(rows_where(TABLE, conditions)).tolist() == rows


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ([("jugde", "ann")], "no column 'jugde'; there are judge, length, first, second"),
        ([("judge", "bob")], "column 'judge': no row has 'bob'; the values are ann, x=1"),
        ([("length", "long")], "column 'length' is numeric; 'long' is no number"),
        ([("length", "7")], "column 'length': no row has '7'"),
        ([("first", "")], "column 'first': no row is without a value"),
        ([("judge", "ann"), ("length", "2.5")], "none of 4 rows has judge=ann and length=2.5"),
        ([("length", "__import__('os')")], "is no number"),
    ],
)
def test_what_is_not_there_is_refused(conditions, message):
    with pytest.raises(InputError) as caught:
        rows_where(TABLE, conditions)
    assert message in str(caught.value)
