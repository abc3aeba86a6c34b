"""Training and test sets: Table 3 of Hopkins & May (2013), all 48 numbers and the k behind them."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from pairproof import read
from pairproof.data.judgments import split_tracks
from pairproof.errors import InputError
from pairproof.native.competitions.experiment.held_out import split_at_random, split_by_source
from tests.native.translation import random_table, table_2

FILES = {
    "wmt10": "wmt10.RNK_results.csv",
    "wmt11": "wmt11-maneval-indivsystems.RNK_results.csv",
    "wmt12": "wmt12.RNK_results.csv",
}
LANGUAGES = {"c": "Czech", "f": "French", "g": "German", "s": "Spanish", "e": "English"}


@pytest.mark.parametrize("edition", FILES)
def test_all_numbers_of_table_3(shared, edition):
    tracks = split_tracks(read(shared / "data" / "wmt" / FILES[edition]))
    with open(shared / "data" / "hm2013_table3.csv") as file:
        printed = {
            f"{LANGUAGES[r['track'][0]]}-{LANGUAGES[r['track'][1]]}": (
                int(r["train"]),
                int(r["test"]),
                int(r["k"]),
            )
            for r in csv.DictReader(file)
            if r["edition"] == edition
        }
    found = {}
    for track, table in tracks.items():
        split = split_by_source(table)
        found[track] = (split.train.n_rows, split.test.n_rows, split.k)
        assert not set(split.train.columns["source"].codes.tolist()) & set(
            split.test.columns["source"].codes.tolist()
        )
    assert found == printed and len(found) == 8


def test_the_statement_that_every_segment_has_ten_comparisons_is_false(shared):
    """The paper, section 4: "every segment x of source text appears in at least ten comparisons"."""
    table = split_tracks(read(shared / "data" / "wmt" / FILES["wmt12"]))["English-German"]
    assert np.bincount(table.columns["source"].codes)[np.unique(table.columns["source"].codes)].min() == 1


def test_k_is_the_smallest_number_that_gives_a_test_set_large_enough():
    table = random_table(1, n=400, n_segments=40)
    split = split_by_source(table, 50)
    on_source = np.bincount(table.columns["source"].codes)[table.columns["source"].codes]
    assert split.test.n_rows == (on_source <= split.k).sum() >= 50 > (on_source <= split.k - 1).sum()
    assert split.train.n_rows + split.test.n_rows == 400 and "at most" in split.rule


def test_a_random_split_is_the_same_for_the_same_seed_and_takes_every_row_once():
    table = random_table(1, n=100)
    a, b, c = (split_at_random(table, 30, seed) for seed in (1, 1, 2))
    assert a.test.n_rows == 30 and a.train.n_rows == 70 and a.k is None
    assert (a.test.first == b.test.first).all() and not (a.test.first == c.test.first).all()
    assert a.test.n_comparisons + a.train.n_comparisons == table.n_comparisons


@pytest.mark.parametrize(
    ("split", "said"),
    [
        (lambda: split_by_source(table_2(), 5), "no column 'source'"),
        (lambda: split_by_source(table_2(sources=True), 5), "takes all 10"),
        (lambda: split_by_source(table_2(sources=True), 2000), "leaves no training set"),
        (lambda: split_at_random(table_2(), 10, 0), "1 to 9"),
        (lambda: split_at_random(table_2(), 0, 0), "1 to 9"),
    ],
)
def test_a_split_that_cannot_be_made_is_refused_with_the_numbers(split, said):
    with pytest.raises(InputError, match=said):
        split()
