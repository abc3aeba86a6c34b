"""The comparisons of J items in prefmod's order, and which of them share an item.

    pairs: (1 2) (1 3) (2 3) (1 4) (2 4) (3 4) ...; the second item runs in the outer loop
    dependence: for each item, all pairs of the comparisons that it is part of, J (J - 1) (J - 2) / 2 in all

An answer to a comparison is +1 (first item preferred), 0 (undecided), -1 (second) or MISSING (Hatzinger and
Dittrich 2012, Journal of Statistical Software 48(10)).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

#: The code of a comparison without an answer.
MISSING = 9


def n_pairs(n_items: int) -> int:
    """Number C = J (J - 1) / 2 of comparisons."""
    return n_items * (n_items - 1) // 2


def pairs_of(n_items: int) -> tuple[IntArray, IntArray]:
    """First and second item of each comparison.

    n_items: at least 2.
    """
    both = [(i, j) for j in range(n_items) for i in range(j)]
    return np.array([i for i, _ in both], dtype=np.int64), np.array([j for _, j in both], dtype=np.int64)


def incidence(n_items: int) -> FloatArray:
    """The matrix that takes items' parameters to those of comparisons: +1 first, -1 second.

    Returns float[C, J].
    """
    first, second = pairs_of(n_items)
    found = np.zeros((len(first), n_items))
    at = np.arange(len(first))
    found[at, first] = 1.0
    found[at, second] = -1.0
    return found


@lru_cache(maxsize=32)
def sharing(n_items: int) -> tuple[tuple[int, int], ...]:
    """Pairs of comparisons that share an item, in prefmod's order of its `ia` parameters.

    Returns tuple of (int, int): numbers of comparisons, for each common item in turn.
    """
    first, second = pairs_of(n_items)
    found = []
    for common in range(n_items):
        own = [int(c) for c in np.flatnonzero((first == common) | (second == common))]
        found += [(a, b) for k, a in enumerate(own) for b in own[k + 1 :]]
    return tuple(found)


def sharing_names(n_items: int) -> tuple[str, ...]:
    """prefmod's names of the `ia` parameters."""
    first, second = pairs_of(n_items)
    label = [f"{i + 1}{j + 1}" for i, j in zip(first, second)]
    return tuple(f"I{label[a]}.{label[b]}" for a, b in sharing(n_items))


def check_answers(answers: IntArray, ternary: bool) -> IntArray:
    """The answers as int64, if each is a possible one.

    answers int[n, C].  ternary: whether "undecided" is a possible answer.  Returns int[n, C].
    """
    if answers.ndim != 2:
        raise InputError(
            f"answers of shape {answers.shape}; expected one row a person, one column a comparison"
        )
    allowed = [1, 0, -1] if ternary else [1, -1]
    wrong = np.argwhere(~np.isin(answers, allowed + [MISSING]))
    if len(wrong):
        person, comparison = wrong[0]
        expected = ", ".join(str(a) for a in allowed)
        raise InputError(
            f"person {person + 1}, comparison {comparison + 1}: the answer is {answers[person, comparison]};"
            f" expected {expected} or MISSING ({MISSING})"
        )
    return answers.astype(np.int64)
