"""Votes that a count chooses by conditions on any column: those that `read` chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import InputError, TooLargeError
from tests.data.counting.kinds import here, made

CONDITIONS = [
    "turn>1",
    "winner!=tie",
    "winner=tie|both_bad",
    ["model_a=m1|m2", "lang=en"],
    ["length>0.5", "length<=1", "turn!=2"],
    ["length>=0.25", "length!=0.25"],
    "first!=m1",
    "both_bad=1",
    "model_b=m3",
    "lang=",
    "lang!=",
]


def votes(n: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(27)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    names = np.array(["m1", "m2", "m3", "m4"], object)
    lang = rng.choice(np.array(["en", "de", None], object), n)
    said = rng.choice(np.array(["model_a", "model_b", "tie", "both_bad"], object), n)
    length = rng.integers(-8, 9, n) / 8
    return pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": said,
            "turn": rng.integers(1, 4, n),
            "lang": lang,
            "length": length,
        }
    )


@pytest.mark.parametrize("kind", here())
@pytest.mark.parametrize("where", CONDITIONS, ids=str)
def test_a_count_chooses_the_rows_that_read_chooses(where: Any, kind: str, tmp_path: Path) -> None:
    held = pairproof.read(votes(), where=where)
    counted = pairproof.count(made(kind, votes(), tmp_path), where=where)
    assert counted.digest() == held.digest() and counted.columns == {}
    assert (counted.narrowed.left, counted.narrowed.of) == (held.narrowed.left, held.narrowed.of)
    assert counted.narrowed.gone == held.narrowed.gone


def test_conditions_on_numbers_need_no_cell_for_each_number() -> None:
    frame = votes().assign(length=np.random.default_rng(1).normal(size=500))
    of = frame.length[frame.length > 0.3].size
    assert pairproof.count(frame, where=["length>0.3"], most_cells=200).n_comparisons == of
    text = frame.assign(length=[f"{x:.6f}" for x in frame.length])
    assert pairproof.count(text, where=["length>0.3"], most_cells=200).n_comparisons == of
    with pytest.raises(TooLargeError, match="with where on 'length' gives more than 200"):
        pairproof.count(frame, where=["length!=0.3"], most_cells=200)


def test_a_column_may_be_counted_by_and_chosen_by() -> None:
    counted = pairproof.count(votes(), by=["turn", "both_bad"], where=["turn>1", "lang=en"])
    assert set(counted.columns["turn"]) == {2.0, 3.0} and set(counted.columns) == {"turn", "both_bad"}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("nix=3", "no column 'nix' to choose rows by"),
        ("lang=fr", "column 'lang': no row has 'fr'; the values are de, en"),
        ("lang>2", "column 'lang' is not numeric"),
        ("wins>1", "condition on 'wins', which are counted"),
        ("turn>3", "no row has turn>3; its values range from 1 to"),
    ],
)
def test_conditions_that_choose_nothing_are_refused(where: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        pairproof.count(votes(), where=where)
