"""Degraded texts: how many words are replaced, by what, and ids that do not tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign.hits.degrade import degraded, new_ids, pick_items, unspaced, words_replaced
from pairproof.errors import InputError


def rng(seed=1):
    return np.random.default_rng(seed)


def test_how_many_words_are_replaced_by_the_texts_length():
    said = [words_replaced(n) for n in (1, 2, 5, 6, 8, 9, 15, 16, 20, 21, 24, 40)]
    assert said == [1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 10]


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000))
def test_a_run_of_words_is_another_texts_and_all_other_words_stay(length, seed):
    own = [f"a{k}" for k in range(length)]
    theirs = [f"b{k}" for k in range(70)]
    found = degraded(" ".join(own), [" ".join(theirs)], rng(seed)).split()
    new = [k for k, word in enumerate(found) if word.startswith("b")]
    assert len(found) == length and len(new) == words_replaced(length)
    assert new == list(range(new[0], new[0] + len(new)))
    run = [int(found[k][1:]) for k in new]
    assert run == list(range(run[0], run[0] + len(run)))
    assert all(found[k] == own[k] for k in range(length) if k not in new)


def test_in_a_script_without_spaces_twice_as_many_characters_are_replaced():
    text, other = "我们今天下午去北京看望老朋友", "狗猫鸟鱼马牛羊猪鸡鸭鹅兔虎龙蛇"
    found = degraded(text, [other], rng())
    assert unspaced(text) and len(found) == len(text) == 14
    assert sum(c in other for c in found) == 8  # fourteen units: four, and twice that


def test_marks_stay_with_their_characters():
    text = "ที่นี่มีน้ำ"
    found = degraded(text, ["กขฃคฅฆงจฉชซ"], rng())
    marks = [c for c in text if not c.isalpha()]
    assert unspaced(text) and found != text and not found[0] in marks
    # A mark never stands after a consonant of the other text, which has none.
    assert all(before not in "กขฃคฅฆงจฉชซ" or mark not in marks for before, mark in zip(found, found[1:]))


def test_a_text_without_another_of_enough_different_words_cannot_be_degraded():
    assert degraded("one two", ["one two"], rng()) is None
    assert degraded("one two three", ["four"], rng()) is None
    assert degraded("one", [], rng()) is None
    assert degraded("  ", ["one"], rng()) is None


def test_spaces_of_the_text_stay():
    assert degraded("a  b\tc \n", ["x y z"], rng()).split() != ["a", "b", "c"]
    found = degraded("a  b\tc \n", ["x y z"], rng())
    assert [c for c in found if c.isspace()] == list("  \t \n")


@pytest.mark.parametrize(
    ("ids", "new"),
    [(["1", "2", "30"], ["31", "32"]), (["s08", "s09"], ["s10", "s11"]), (["i9", "i10"], ["i11", "i12"])],
)
def test_numbered_ids_are_continued_so_that_nobody_sees_which_row_is_degraded(ids, new):
    assert new_ids(ids, 2, rng()) == new


def test_other_ids_are_drawn_and_new():
    taken = ["wmt-a/1", "wmt-b/2"]
    found = new_ids(taken, 500, rng())
    assert len(set(found)) == 500 and all(len(name) == 10 and name.isalnum() for name in found)


def test_all_items_or_as_many_as_are_asked_for():
    assert pick_items([2, 5, 7], None, rng()) == [2, 5, 7]
    assert len(set(pick_items(range(10), 4, rng()))) == 4
    with pytest.raises(InputError, match="--number 4: the file has 3 items"):
        pick_items([2, 5, 7], 4, rng())
