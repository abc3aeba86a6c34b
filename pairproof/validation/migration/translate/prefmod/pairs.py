"""Which answer to a comparison each code is, as prefmod takes it from the values that occur.

    no negative code: below the middle of the range the first item is preferred, above it the second
    a negative code:  the other way round
    an odd number of different values: the middle is a tie

So 0 1 2, 1 2 3 and 1 0 -1 have ties, 0 1, 1 2 and 1 -1 have none, and 1 2 3 4 5 counts as 1 1 2 3 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .table import Floats

#: Different answers to a comparison at most: a scale of preference has a handful.
MOST_CODES = 101


@dataclass(frozen=True)
class Coding:
    """The codes of a table of comparisons.

    `first`, tie, second: codes that mean: first preferred, neither, second preferred; `tie` is empty without
    a tie category.  missing: whether an answer is missing.
    """

    first: tuple[float, ...]
    tie: tuple[float, ...]
    second: tuple[float, ...]
    missing: bool

    @property
    def has_ties(self) -> bool:
        """Whether there is a tie category."""
        return bool(self.tie)

    @property
    def written(self) -> dict[str, Any]:
        """As `coding=` of the readers has it."""
        found = {
            k: _codes(v) for k, v in (("first", self.first), ("tie", self.tie), ("second", self.second)) if v
        }
        return found | ({"missing": "NA"} if self.missing else {})

    @property
    def middle(self) -> tuple[float, float, float]:
        """One code each of first, tie, second, as :mod:`pairproof.native.compat` takes them."""
        low, high = self.first[0], self.second[0]
        return (low, self.tie[0] if self.tie else (low + high) / 2.0, high)


def coding_of(answers: Floats) -> Coding | str:
    """The coding of answers; a sentence where there is none to be read off them."""
    known = answers[~np.isnan(answers)]
    codes = np.unique(known)
    if len(codes) < 2:
        return "all its answers are the same, which prefmod counts as ties"
    if len(codes) > MOST_CODES:
        return f"its answers have {len(codes)} different codes"
    turned = codes[0] < 0
    middle = float(codes[0] + codes[-1]) / 2.0
    ties = len(codes) % 2 == 1
    low, high = codes[codes < middle], codes[codes > middle]
    at = codes[codes == middle]
    if len(at) and not ties:
        low, high = (np.append(low, at), high) if turned else (low, np.append(at, high))
    if ties and not len(at):
        return f"none of its {len(codes)} codes is the middle of their range, which prefmod takes for a tie"
    first, second = (high[::-1], low[::-1]) if turned else (low, high)
    return Coding(
        tuple(first.tolist()),
        tuple(at.tolist()) if ties else (),
        tuple(second.tolist()),
        bool(np.isnan(answers).any()),
    )


def unanimous(answers: Floats) -> bool:
    """Whether every comparison has one answer only, so that prefmod sees an odd number of categories in
    each.
    """
    return all(len(np.unique(column[~np.isnan(column)])) == 1 for column in answers.T)


def _codes(values: tuple[float, ...]) -> Any:
    plain = [int(v) if v == int(v) else v for v in values]
    return plain[0] if len(plain) == 1 else plain
