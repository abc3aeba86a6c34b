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

    Attributes
    ----------
    person, pair : int[m]
        Whose counts these are, 0 .. n - 1, and of which of the C comparisons, 0 .. C - 1.
    wins, ties, losses : float[m]
        How often this person preferred the first item of the comparison, neither, the second.
    weights : float[n]
        Persons that each stands for, 1 or a greater whole number.
    design : Design
        Of the C comparisons: abilities, the reference at 0.
    items : tuple of str
    reference : str
    tied : bool
        Whether any answer is a tie: the model then has the parameter "tie" (the logarithm of Davidson's nu).

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.preferences import preferences
    >>> found = preferences(np.array([[1, -1, 9]]), [0, 0, 1], [1, 2, 2], ["A", "B", "C"], "C")
    >>> found.names, found.tied, found.comparisons
    (('A', 'B'), False, 2.0)
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

    Parameters
    ----------
    answers : int[n, C]
        +1 (first item), -1 (second), 0 (tie) or MISSING.
    first, second : sequence of int
        Items of the C comparisons, 0 .. J - 1.
    items : sequence of str
        J names.
    reference : str, optional
        Item of ability 0; the last if not given.
    weights : float[n], optional
        Persons that each row stands for; default 1.

    Returns
    -------
    Preferences

    Raises
    ------
    InputError
        An answer is none of these, or the comparisons do not fit.
    ItemError
        An item is unknown, or is compared with itself.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.preferences import preferences
    >>> preferences(np.array([[2]]), [0], [1], ["A", "B"])
    Traceback (most recent call last):
    pairproof.errors.InputError: person 1, comparison 1: answer 2; expected 1 (first), -1 (second), 0 (tie) or 9 (none)
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

    Parameters
    ----------
    person, pair : int[m]
    wins, ties, losses : float[m]
        Finite and >= 0.
    weights : float[n]
        Whole numbers, 1 or more.
    first, second : sequence of int
    items : sequence of str
    reference : str, optional
        All as in :class:`Preferences` and :func:`preferences`.

    Returns
    -------
    Preferences

    Raises
    ------
    InputError
        A weight is no whole number of persons.
    ItemError
        An item is unknown, or is compared with itself.

    Examples
    --------
    >>> from pairproof.native.trees.preferences import counted
    >>> counted([0, 1], [0, 0], [3, 1], [0, 0], [1, 2], [1, 1], [0], [1], ["A", "B"]).comparisons
    3.5
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
