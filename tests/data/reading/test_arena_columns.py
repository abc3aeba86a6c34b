"""Arena votes under other names of the columns."""

import pandas as pd
import pytest

import pairproof


def test_a_column_of_arena_verdicts_is_proposed_as_the_winner_under_any_name():
    table = pd.DataFrame({
        "left bot": ["x", "y", "z", "x"], "right bot": ["y", "z", "x", "z"], "rater": list("stst"),
        "verdict": ["model_a", "model_b", "tie", "tie (bothbad)"],
    })  # fmt: skip
    with pytest.raises(pairproof.errors.InputError) as refused:
        pairproof.read(table)
    (way,) = refused.value.ways
    assert way.arguments["columns"]["winner"] == "verdict"
    assert pairproof.read(table, **refused.value.arguments(way)) is not None
