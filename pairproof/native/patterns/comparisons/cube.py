"""Answers to comparisons with dependence between those that share an item.

Statistics are y_c, u_c = 1[y_c = 0] (with three categories) and y_a y_b for the pairs (a, b) of comparisons
that depend on each other; the patterns are all 2^C or 3^C of them (Hatzinger and Dittrich 2012, Journal of
Statistical Software 48(10)).  An incomplete answer is a smaller set of patterns: a comparison that was
answered has one value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError
from ..moments import Moments, table_moments
from .halves import all_patterns, cube_moments
from .pairs import MISSING, check_answers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Patterns of the largest cube: 3^15 and 2^21 need about a gigabyte; beyond that no sum is taken.
MOST_PATTERNS = 3**15
#: Up to so many patterns a table is faster than halves.
WRITTEN_OUT = 3**6


@dataclass(frozen=True, eq=False)
class CubeSpace:
    """Answers to C comparisons, some of which depend on each other.

    answers int[n, C]: +1, 0, -1 or MISSING; rows should be distinct within a covariate group, as the time
    grows with them.  ternary: whether 0, "undecided", is a possible answer.  depends: comparisons that depend
    on each other, :func:`pairproof.native.patterns.comparisons.pairs.sharing`.
    """

    answers: IntArray
    ternary: bool
    depends: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", check_answers(self.answers, self.ternary))
        n_patterns = len(self.codes) ** self.answers.shape[1]
        if n_patterns > MOST_PATTERNS:
            raise TooLargeError(
                f"dependence between {self.answers.shape[1]} comparisons sums over {n_patterns:,} patterns; the"
                f" limit is {MOST_PATTERNS:,} (6 items with three categories). Leave the dependence out: the"
                " model is then fitted at any size"
            )

    @property
    def codes(self) -> tuple[int, ...]:
        """Possible answers."""
        return (1, 0, -1) if self.ternary else (1, -1)

    @property
    def n_statistics(self) -> int:
        """C, once more if ternary, and the number of dependences."""
        return self.answers.shape[1] * (2 if self.ternary else 1) + len(self.depends)

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.answers)

    def statistics(self, answers: IntArray) -> FloatArray:
        """float[n, q]: t of complete answers int[n, C]."""
        parts = [answers.astype(float)] + ([(answers == 0).astype(float)] if self.ternary else [])
        a, b = np.array(self.depends, dtype=np.int64).reshape(-1, 2).T
        return np.hstack(parts + [(answers[:, a] * answers[:, b]).astype(float)])

    def at(self, beta: FloatArray) -> CubePoint:
        """The moments at beta, float[q]."""
        values = (self.codes,) * self.answers.shape[1]
        return CubePoint(self, beta, cube_moments(values, self.ternary, self.depends, beta), {})

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of a complete answer minus those of every other pattern."""
        n = self.answers.shape[1]
        if len(self.codes) ** n > 20_000:
            raise TooLargeError(
                f"the solver did not converge; to see why takes {len(self.codes) ** n:,} patterns, and the limit"
                " is 20,000. Fit without dependence first: its separated items are infinite here too"
            )
        patterns = self.statistics(all_patterns((self.codes,) * n).astype(np.int64))
        whole = (self.answers[rows] != MISSING).all(axis=1)
        seen = np.unique(self.statistics(self.answers[rows][whole]), axis=0)
        return np.concatenate([seen[:, None, :] - patterns[None]]).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class CubePoint:
    """Moments over all patterns, and over those that agree with each incomplete answer.

    beta float[q].  parts: of the incomplete answers asked for so far, by their number.
    """

    space: CubeSpace
    beta: FloatArray
    whole: Moments
    parts: dict[int, Moments]

    def _split(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Positions of the complete rows among these, and of the others."""
        complete = (self.space.answers[rows] != MISSING).all(axis=1)
        return np.flatnonzero(complete), np.flatnonzero(~complete)

    def _part(self, row: int) -> Moments:
        if row not in self.parts:
            own = self.space.answers[row]
            codes = self.space.codes
            if len(codes) ** int((own == MISSING).sum()) <= WRITTEN_OUT:
                patterns = all_patterns((codes,) * int((own == MISSING).sum())).astype(np.int64)
                answers = np.tile(own, (len(patterns), 1))
                answers[:, own == MISSING] = patterns
                self.parts[row] = table_moments(self.space.statistics(answers), self.beta)
            else:
                values = tuple(codes if y == MISSING else (int(y),) for y in own.tolist())
                self.parts[row] = cube_moments(values, self.space.ternary, self.space.depends, self.beta)
        return self.parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        found = np.zeros(len(rows))
        complete, others = self._split(rows)
        found[complete] = self.space.statistics(self.space.answers[rows[complete]]) @ self.beta
        for k in others:
            found[k] = self._part(int(rows[k])).log_total
        return np.asarray(found - self.whole.log_total)

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        found = np.zeros((len(rows), self.space.n_statistics))
        complete, others = self._split(rows)
        found[complete] = self.space.statistics(self.space.answers[rows[complete]])
        for k in others:
            found[k] = self._part(int(rows[k])).mean
        return np.asarray(found - self.whole.mean)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        found = float(weights.sum()) * self.whole.covariance
        for k in self._split(rows)[1]:
            found = found - weights[k] * self._part(int(rows[k])).covariance
        return np.asarray(found)
