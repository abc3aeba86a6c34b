"""Files of comparisons to be predicted have the types of the table that the model was fitted to."""

from __future__ import annotations

import pytest

import pairproof
from pairproof.data.reading.beside.new_contests import read_contests, read_new_items
from pairproof.errors import InputError, ItemError

TABLE = pairproof.read(
    {
        "first": ["A", "B"],
        "second": ["B", "C"],
        "wins": [3, 4],
        "losses": [2, 1],
        "judge": ["1", "2"],
        "z": [0.5, 1],
    },
    item_data={"item": ["A", "B", "C"], "x": [1.0, 2.0, None], "sex": ["f", "m", "f"]},
)


def written(folder, text):
    file = folder / "f.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_category_of_the_table_is_text_and_a_number_a_number(tmp_path):
    found = read_contests(written(tmp_path, "first,second,judge,z,more\nA,C,2,1.5,x\nD,A,,2,y\n"), TABLE)
    assert found == {"first": ["A", "D"], "second": ["C", "A"], "judge": ["2", ""], "z": [1.5, 2.0]}


def test_items_that_the_table_has_are_told_apart_from_new_ones(tmp_path):
    new, known = read_new_items(written(tmp_path, "item,sex,x\nC,f,\nD,m,4\n"), TABLE)
    assert new == {"D": {"x": 4.0, "sex": "m"}} and known == ("C",)


def test_covariates_that_the_model_does_not_use_may_be_left_out(tmp_path):
    new, known = read_new_items(written(tmp_path, "item,x\nD,4\nA,1\n"), TABLE)
    assert (new, known) == ({"D": {"x": 4.0}}, ("A",))
    with pytest.raises(ItemError, match="item 'A' has x = 2.0"):
        read_new_items(written(tmp_path, "item,x\nA,2\n"), TABLE)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("item,y\nD,4\n", InputError, "no column is an item covariate; it needs those of the model"),
        ("item,x,sex\nD,4,f\nD,5,f\n", ItemError, "row 2: item 'D' has more than one row"),
        ("item,x,sex\nA,4,f\n", ItemError, "item 'A' has x = 4.0, but the model was fitted with 1.0"),
        ("item,x,sex\n,4,f\n", ItemError, "no item name"),
    ],
)
def test_items_that_cannot_be_used_are_named(tmp_path, text, kind, message):
    with pytest.raises(kind) as caught:
        read_new_items(written(tmp_path, text), TABLE)
    assert message in str(caught.value)


def test_comparisons_need_both_items(tmp_path):
    with pytest.raises(InputError, match="no column 'second'; found 'first', 'judge'"):
        read_contests(written(tmp_path, "first,judge\nA,1\n"), TABLE)
