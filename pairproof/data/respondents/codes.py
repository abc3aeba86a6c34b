"""The codes of whole answers, and the order of the comparisons in them.

    comparisons  +1 first item preferred, 0 neither, -1 second, MISSING not answered; one column a pair, in
                 prefmod's order (1 2) (1 3) (2 3) (1 4) ...
    rankings     1 = best, equal for ties; BELOW for an item that was presented and got no rank, ABSENT for one
                 that was not presented
    ratings      number of the point on the scale, 1 = most preferred; UNRATED

These are the codes that the models of :mod:`pairproof.native.patterns` take.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..columns import IntArray
from ..wide import prefmod_pair_order

#: What a person was asked for.
Kind = Literal["comparisons", "rankings", "ratings"]
KINDS = ("comparisons", "rankings", "ratings")

#: Answers to a comparison.
FIRST, TIED, SECOND, MISSING = 1, 0, -1, 9
#: Items without a rank.
BELOW, ABSENT = 0, -1
#: An item without a rating.
UNRATED = 0


def dense(ranks: IntArray) -> IntArray:
    """Ranks without gaps; a single item below all others gets the last rank, which is the same answer.

    ranks int[n, J].  Returns int[n, J].
    """
    order = np.argsort(ranks, axis=1, kind="stable")
    rising = np.maximum(np.take_along_axis(ranks, order, axis=1), 0)
    steps = np.cumsum(np.diff(rising, axis=1, prepend=0) > 0, axis=1)
    found = np.empty(ranks.shape, np.int64)
    np.put_along_axis(found, order, steps, axis=1)
    found = np.where(ranks > 0, found, ranks)
    one = ((found == BELOW).sum(axis=1) == 1) & (found.max(axis=1) > 0)
    last = found.max(axis=1) + 1
    return np.asarray(np.where((found == BELOW) & one[:, None], last[:, None], found), np.int64)


def as_comparisons(kind: Kind, answers: IntArray) -> IntArray:
    """The comparisons that answers imply.

    answers int[..., k].  Returns int[..., C]: MISSING where an item was not presented or not rated, or where
    neither of the two has a rank.
    """
    if kind == "comparisons":
        return answers
    n_items = answers.shape[-1]
    first, second = np.array(prefmod_pair_order(n_items)).T
    if kind == "ratings":
        there, place = answers != UNRATED, answers
        open_pair = np.zeros(1, bool)
    else:
        there, place = answers != ABSENT, np.where(answers > 0, answers, n_items + 1)
        open_pair = (answers[..., first] == BELOW) & (answers[..., second] == BELOW)
    made = there[..., first] & there[..., second] & ~open_pair
    return np.asarray(np.where(made, np.sign(place[..., second] - place[..., first]), MISSING), np.int64)
