"""Answers to comparisons without dependence: each comparison stands alone, and nothing is enumerated.

Statistics are y_c and, where "undecided" is possible, u_c = 1[y_c = 0] of the C comparisons, with natural
parameters d_c and g_c:

    P(y_c) = exp(y_c d_c + u_c g_c) / (exp(d_c) + exp(-d_c) + exp(g_c)).

The pattern model without interactions is this product over the comparisons, so it is a log-linear
Bradley-Terry model (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)); the sum
over the answers that a missing comparison might have had is 1 and drops out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pairs import MISSING, check_answers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FactoredSpace:
    """Answers to C independent comparisons, with 2 or 3 categories.

    answers int[n, C]: +1, 0, -1 or MISSING.  ternary: whether 0, "undecided", is a possible answer.
    """

    answers: IntArray
    ternary: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", check_answers(self.answers, self.ternary))

    @property
    def n_statistics(self) -> int:
        """C, or 2 C where "undecided" is possible: y of each comparison, then u of each."""
        return self.answers.shape[1] * (2 if self.ternary else 1)

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.answers)

    def at(self, beta: FloatArray) -> FactoredPoint:
        """The comparisons' probabilities at beta, float[q]."""
        n = self.answers.shape[1]
        d = beta[:n]
        g = beta[n:] if self.ternary else np.full(n, -np.inf)
        predictors = np.stack([d, g, -d], axis=1)
        # log(1 + others) keeps the digits of an answer that nearly everybody gives.
        below = predictors - predictors.max(axis=1, keepdims=True)
        others = np.exp(below)
        others[np.arange(n), predictors.argmax(axis=1)] = 0.0
        return FactoredPoint(self, below - np.log1p(others.sum(axis=1, keepdims=True)))

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of an answer seen minus those of another, for each comparison."""
        n = self.answers.shape[1]
        codes = (1, 0, -1) if self.ternary else (1, -1)
        found = []
        for c in range(n):
            for seen in set(self.answers[rows, c].tolist()) - {MISSING}:
                for other in codes:
                    if other != seen:
                        row = np.zeros(self.n_statistics)
                        row[c] = seen - other
                        if self.ternary:
                            row[n + c] = float(seen == 0) - float(other == 0)
                        found.append(row)
        return np.array(found).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class FactoredPoint:
    """Probabilities of the answers to each comparison.

    log_p float[C, 3]: of +1, 0, -1; -inf for 0 where it is impossible.
    """

    space: FactoredSpace
    log_p: FloatArray

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        answers = self.space.answers[rows]
        seen = answers != MISSING
        column = np.where(seen, 1 - answers, 0)
        each = np.where(seen, self.log_p[np.arange(answers.shape[1]), column], 0.0)
        return np.asarray(each.sum(axis=1))

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        answers = self.space.answers[rows]
        seen = answers != MISSING
        p = np.exp(self.log_p)
        # Answer minus expectation, by the probabilities of the other answers: 1 - P(+1) would cancel.
        first, second = p[:, 1] + 2.0 * p[:, 2], -p[:, 1] - 2.0 * p[:, 0]
        of_seen = np.where(answers == 1, first, np.where(answers == -1, second, p[:, 2] - p[:, 0]))
        y = np.where(seen, of_seen, 0.0)
        if not self.space.ternary:
            return y
        return np.hstack([y, np.where(seen, np.where(answers == 0, p[:, 0] + p[:, 2], -p[:, 1]), 0.0)])

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: of the comparisons that were answered."""
        n = self.space.answers.shape[1]
        w = weights @ (self.space.answers[rows] != MISSING)
        p = np.exp(self.log_p)
        # 4 p q + p0 (p + q - ...) written without differences: Var(y) = 4 p+ p- + p0 (p+ + p-).
        yy = 4.0 * p[:, 0] * p[:, 2] + p[:, 1] * (p[:, 0] + p[:, 2])
        if not self.space.ternary:
            return np.asarray(np.diag(w * yy))
        yu = -(p[:, 0] - p[:, 2]) * p[:, 1]
        uu = p[:, 1] * (p[:, 0] + p[:, 2])
        found = np.zeros((2 * n, 2 * n))
        at = np.arange(n)
        found[at, at], found[at + n, at + n] = w * yy, w * uu
        found[at, at + n] = found[at + n, at] = w * yu
        return found
