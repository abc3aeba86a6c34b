"""Equal answers in one covariate group are one row, and the deviance is taken on these rows.

    deviance = 2 (sum n log(n / n_block) - log-likelihood)

with n the weight of a row and n_block that of its block: the persons of one covariate group whose answers
have the same set of possible patterns (the same comparisons missing, the same items presented).  The
saturated model gives the patterns of each block free probabilities, so that df = sum over the blocks of
(possible patterns - 1) minus the number of parameters (McCullagh and Nelder 1989, chapter 6; prefmod prints
the deviance without it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .estimate import Estimate
from .likelihood import Likelihood

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pooled:
    """Distinct answers of each covariate group.

    answers int[n, m].  group int[n].  weights float[n]: number of persons, > 0.  row int[n_persons]: the row
    of each person; -1 for persons of weight 0.
    """

    answers: IntArray
    group: IntArray
    weights: FloatArray
    row: IntArray


def pool(answers: IntArray, group: IntArray | None = None, weights: FloatArray | None = None) -> Pooled:
    """Merge equal answers.

    answers int[n_persons, m].  group int[n_persons]: covariate group of each person; 0 if not given.  weights
    float[n_persons]: 1 if not given.
    """
    n = len(answers)
    s = np.zeros(n, dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    if s.shape != (n,) or w.shape != (n,):
        raise InputError(
            f"{n} answers, {len(s)} groups and {len(w)} weights; give one of each to every person"
        )
    wrong = np.flatnonzero(~(np.isfinite(w) & (w >= 0)))
    if len(wrong):
        raise InputError(f"person {wrong[0] + 1}: the weight is {w[wrong[0]]}; expected a finite number >= 0")
    kept = np.flatnonzero(w > 0)
    if not len(kept):
        raise InputError(f"no person with a weight > 0 among {n}: there is no answer to fit")
    both = np.column_stack([s[kept], answers[kept]])
    _, first, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)  # numpy 2.0 gave it another shape
    row = np.full(n, -1, dtype=np.int64)
    row[kept] = inverse
    total = np.bincount(inverse, weights=w[kept], minlength=len(first)).astype(float)
    at = kept[first]
    return Pooled(np.asarray(answers[at], dtype=np.int64), s[at], total, row)


#: Above this a double does not hold every whole number.
WHOLE = 2**53


def exact_counts(values: Sequence[int]) -> FloatArray:
    """Numbers of possible patterns, as doubles where these hold them, else as whole numbers of any length.

    Forty items have 3^780 answers in pairs, which no double holds.

    Returns float[n] or, for large numbers, an array of int objects.
    """
    small = max(values, default=0) <= WHOLE
    return np.array([int(v) for v in values], dtype=float if small else object)


def free_probabilities(possible: FloatArray) -> int:
    """Possible patterns minus 1, summed over the blocks, exactly.

    possible float[n_blocks] or int objects: as :func:`exact_counts` gives them.
    """
    return sum(int(each) - 1 for each in possible)


@dataclass(frozen=True, eq=False)
class PatternFit:
    """A fitted model of whole answers, with its deviance.

    likelihood: of the pooled answers: what the predictions are computed from.  block int[n]: block of each
    pooled answer.  possible float[n_blocks]: number of possible patterns of each block; whole numbers of any
    length where doubles do not hold them.
    """

    estimate: Estimate
    likelihood: Likelihood
    pooled: Pooled
    block: IntArray
    possible: FloatArray

    @property
    def saturated(self) -> float:
        """Log-likelihood of free pattern probabilities within the blocks."""
        n = np.bincount(self.block, weights=self.pooled.weights)
        return float(self.pooled.weights @ np.log(self.pooled.weights / n[self.block]))

    @property
    def deviance(self) -> float:
        """Twice the distance to the saturated log-likelihood."""
        return 2.0 * (self.saturated - self.estimate.llf)

    @property
    def df(self) -> float:
        """Possible patterns minus 1 of each block, minus the parameters."""
        return float(free_probabilities(self.possible) - len(self.estimate.phi))

    @property
    def fitted(self) -> FloatArray:
        """float[n]: expected number of persons with each pooled answer."""
        n = np.bincount(self.block, weights=self.pooled.weights)
        log_p = self.likelihood.at(self.estimate.phi).log_probabilities
        return np.asarray(n[self.block] * np.exp(log_p))

    @property
    def residuals(self) -> FloatArray:
        """float[n]: Pearson residuals (observed - expected) / sqrt(expected) of the pooled answers."""
        expected = self.fitted
        return np.asarray((self.pooled.weights - expected) / np.sqrt(expected))


def blocks(keys: IntArray) -> IntArray:
    """The number of the block of each row.

    keys int[n, m]: rows with the same keys are in one block.  Returns int[n].
    """
    return np.asarray(np.unique(keys, axis=0, return_inverse=True)[1]).reshape(-1).astype(np.int64)
