"""What persons preferred, as counts of each person for each two items that somebody compared.

A person may have compared the same two items several times; a row may stand for several persons with the same
answers (its weight, a whole number), who count as so many persons in tests and in sizes of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ..structured.design import Design, contest_design

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: No answer.
MISSING = 9


@dataclass(frozen=True, eq=False)
class Preferences:
    """Counts of answers of persons to comparisons of items.

    person, pair int[m]: whose counts these are, 0 .. n - 1, and of which of the C comparisons, 0 .. C - 1.
    wins, ties, losses float[m]: how often this person preferred the first item of the comparison, neither,
    the second.  weights float[n]: persons that each stands for, 1 or a greater whole number.  design: of the
    C comparisons: abilities, the reference at 0.  tied: whether any answer is a tie: the model then has the
    parameter "tie" (the logarithm of Davidson's nu).
    """

    person: IntArray
    pair: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    weights: FloatArray
    design: Design
    items: tuple[str, ...]
    reference: str
    tied: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the k parameters."""
        return self.design.names + (("tie",) if self.tied else ())

    @property
    def n_persons(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @property
    def comparisons(self) -> float:
        """Comparisons that a person made, on average."""
        made = self.wins + self.ties + self.losses
        return float(made @ self.weights[self.person] / self.weights.sum())

    def of(self, persons: IntArray) -> IntArray:
        """int[r]: which of the m counts are of these persons."""
        chosen = np.zeros(len(self.weights), dtype=bool)
        chosen[persons] = True
        return np.flatnonzero(chosen[self.person])

    def totals(self, entries: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """float[C] each: wins, ties and losses of these counts, summed over persons and their weights."""
        weight, pair, n = self.weights[self.person[entries]], self.pair[entries], self.design.n_rows
        wins, ties, losses = (
            np.asarray(np.bincount(pair, counts[entries] * weight, n), dtype=float)
            for counts in (self.wins, self.ties, self.losses)
        )
        return wins, ties, losses


def preferences(
    answers: IntArray,
    first: Sequence[int],
    second: Sequence[int],
    items: Sequence[str],
    reference: str | None = None,
    weights: ArrayLike | None = None,
) -> Preferences:
    """Preferences of persons who answered each comparison once or not.

    answers int[n, C]: +1 (first item), -1 (second), 0 (tie) or MISSING.  `first`, second: items of the C
    comparisons, 0 .. J - 1.  weights float[n]: persons that each row stands for; default 1.
    """
    y = np.asarray(answers, dtype=np.int64)
    if y.ndim != 2 or y.shape[1] != len(first):
        raise InputError(f"answers of shape {y.shape} for {len(first)} comparisons")
    wrong = np.argwhere(~np.isin(y, (1, -1, 0, MISSING)))
    if len(wrong):
        i, c = wrong[0]
        raise InputError(
            f"person {i + 1}, comparison {c + 1}: answer {y[i, c]}; expected 1 (first), -1 (second), 0 (tie) or"
            f" {MISSING} (none)"
        )
    person, pair = np.nonzero(y != MISSING)
    given = y[person, pair]
    return counted(
        person,
        pair,
        given == 1,
        given == 0,
        given == -1,
        np.ones(len(y)) if weights is None else weights,
        first,
        second,
        items,
        reference,
    )


def counted(
    person: ArrayLike,
    pair: ArrayLike,
    wins: ArrayLike,
    ties: ArrayLike,
    losses: ArrayLike,
    weights: ArrayLike,
    first: Sequence[int],
    second: Sequence[int],
    items: Sequence[str],
    reference: str | None = None,
) -> Preferences:
    """Preferences from counts.

    person, pair int[m].  wins, ties, losses float[m]: finite and >= 0.  weights float[n]: whole numbers, 1 or
    more.
    """
    own = np.asarray(weights, dtype=float)
    wrong = np.flatnonzero(~(own >= 1) | (own != np.round(own)))
    if len(wrong):
        raise InputError(
            f"person {wrong[0] + 1}: the weight is {own[wrong[0]]:g}, which is no whole number of persons; tests"
            " and sizes of nodes count persons"
        )
    w, t, l = (np.asarray(counts, dtype=float) for counts in (wins, ties, losses))
    chosen = items[-1] if reference is None else reference
    design = contest_design(list(first), list(second), items, reference=chosen)
    return Preferences(
        np.asarray(person, dtype=np.int64),
        np.asarray(pair, dtype=np.int64),
        w,
        t,
        l,
        own,
        design,
        tuple(items),
        chosen,
        bool((t > 0).any()),
    )
