"""Letters beside items, against multcompView and their own definition."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pairproof.errors import TooLargeError
from pairproof.fit.many.comparison_results import groups, groups_or_caution, letters


def test_letters_are_those_of_multcompview():
    """A ab, B ab, C abc, D a, E bc, F c, from the pairs with p < .05."""
    columns = groups(6, [(0, 5), (1, 5), (3, 4), (3, 5)], [0, 3, 1, 2, 4, 5])
    assert letters(6, columns) == ("ab", "ab", "abc", "a", "bc", "c")


@given(st.integers(2, 7), st.data())
def test_items_share_a_letter_exactly_if_they_were_not_told_apart(n, data):
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    apart = data.draw(st.sets(st.sampled_from(pairs)))
    columns = groups(n, apart, range(n))
    marks = letters(n, columns)
    for i, j in pairs:
        assert bool(set(marks[i]) & set(marks[j])) == ((i, j) not in apart)
    assert not any(set(a) < set(b) for a in columns for b in columns)  # maximal


def test_a_hundred_letters_are_written():
    n = 60
    everything = [(i, j) for i in range(n) for j in range(i + 1, n)]
    marks = letters(n, groups(n, everything, range(n)))
    assert marks[0] == "a" and marks[26] == "A" and marks[59] == "(60)" and len(set(marks)) == n


def test_more_groups_than_anyone_reads_are_refused():
    """Seven out of each of seven triples: 3^7 = 2,187 groups."""
    apart = [(3 * k + i, 3 * k + j) for k in range(7) for i in range(3) for j in range(i + 1, 3)]
    with pytest.raises(TooLargeError, match="more than 2,000 overlapping groups"):
        groups(21, apart, range(21))
    columns, caution = groups_or_caution(21, apart, range(21))
    assert columns == () and caution[0].startswith("no letters: 21 items have more than 2,000")
