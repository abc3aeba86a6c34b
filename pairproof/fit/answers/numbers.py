"""What a model says of whole answers, and what was seen of them: numbers on arrays.

In a block (persons of one covariate group who answered the same questions) n persons gave answers y with
probabilities P(y), of which those never seen have the rest.  Pearson's X^2 over all possible answers needs only
those that were seen:

    sum over all y of (O - E)^2 / E = sum over seen y of O^2 / E - n,      E = n P(y)

(McCullagh and Nelder 1989, chapter 6), so that nothing is enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..law import Law

#: How names of natural parameters that are abilities begin.
OF_ITEM = "item "

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Predicted(Protocol):
    """Every possible complete answer, where they can be enumerated."""

    def count(self) -> int:
        """How many there are."""

    def answers(self) -> IntArray:
        """int[N, n_times, k]: comparisons (1, 0, -1) or ranks (1 = best) of all of them."""

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each in a covariate group."""


@dataclass(frozen=True, eq=False)
class AnswerNumbers:
    """Distinct answers, seen and expected, and what tests and robust standard errors need of the likelihood.

    row int[n_rows]: the distinct answer of each row of the table; -1 for rows that say nothing.  group
    int[n]: covariate group of each distinct answer.  labels: names of the groups; "" for the only one.
    observed, expected float[n]: persons.  block int[n]: block of each distinct answer.  possible
    float[n_blocks]: possible answers of each block.  law: their likelihood.  statistics: names of the q natural parameters.  maps: from the p free parameters to the natural ones, a
    matrix a group.  predicted: none where possible answers are not enumerated.  adds_up: whether the
    probabilities of a block's possible answers add up to 1.  They do not where ties, which are answers,
    decide how many items are ranked before a person stops.
    """

    row: IntArray
    group: IntArray
    labels: tuple[str, ...]
    observed: FloatArray
    expected: FloatArray
    block: IntArray
    possible: FloatArray
    law: Law
    statistics: tuple[str, ...]
    maps: tuple[FloatArray, ...]
    predicted: Predicted | None
    adds_up: bool = True

    @property
    def n_persons(self) -> float:
        """Persons whose answers say something."""
        return float(self.observed.sum())

    @property
    def n_possible(self) -> float:
        """Possible answers in all blocks; an int where a double does not hold the number."""
        total = self.possible.sum()
        return float(total) if total <= 2**53 else int(total)

    @property
    def pearson(self) -> float:
        """Pearson's X^2 over all possible answers; nan where their probabilities do not add up."""
        if not self.adds_up:
            return float("nan")
        with np.errstate(divide="ignore", over="ignore"):
            return float((self.observed**2 / self.expected).sum() - self.n_persons)
