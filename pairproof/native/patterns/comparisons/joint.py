"""Answers to comparisons together with which of them are missing: non-ignorable missingness.

With r_c = 1 where comparison c was not answered, answers and gaps have the joint distribution (Dittrich,
Francis, Hatzinger and Katzenbeisser 2012, Statistical Modelling 12, 117-143)

    P(y, r) = exp(eta(y) + sum_c r_c (alpha_c + h_c(y))) / sum of the same over all y and r,

alpha that a comparison is missing, h that this depends on the answer that it would have had.  Given y the
gaps are independent, so that the sum over r is a product. Without dependence between comparisons, and with
h_c = beta_c y_c, the sum over y is one too: nothing is enumerated.

`coded` is what prefmod computes for an item's beta and not what it documents: h_c = beta_j y_(j) + beta_k
y_(k) for c = (j k), where y_(j) is the answer to the j-th *comparison* of the table, whichever items that
compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError
from ..moments import Moments
from .cube import CubeSpace
from .pairs import MISSING, check_answers, pairs_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Patterns of answers over which a sum with dependence goes: 3^10, five items.
MOST_PATTERNS = 3**10


@dataclass(frozen=True, eq=False)
class GapSpace:
    """Answers to independent comparisons with their gaps.

    Statistics are y_c, u_c if ternary, r_c and r_c y_c of the C comparisons.

    answers int[n, C]: +1, 0, -1 or MISSING.  ternary: whether 0, "undecided", is a possible answer.
    """

    answers: IntArray
    ternary: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", check_answers(self.answers, self.ternary))

    @property
    def n_statistics(self) -> int:
        """3 C, or 4 C with three categories."""
        return self.answers.shape[1] * self.states.shape[1]

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.answers)

    @property
    def states(self) -> FloatArray:
        """float[k, 3 or 4]: y, u, r, r y of each state of a comparison, those that are missing last."""
        codes = (1.0, 0.0, -1.0) if self.ternary else (1.0, -1.0)
        found = [[y, float(y == 0), r, r * y] for r in (0.0, 1.0) for y in codes]
        return np.array(found)[:, [0, 1, 2, 3] if self.ternary else [0, 2, 3]]

    def at(self, beta: FloatArray) -> GapPoint:
        """The states' probabilities at beta, float[q]."""
        eta = beta.reshape(-1, self.answers.shape[1]).T @ self.states.T
        top = eta.max(axis=1, keepdims=True)
        return GapPoint(self, eta - top - np.log(np.exp(eta - top).sum(axis=1, keepdims=True)))

    def seen(self, rows: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """int[n, C], bool[n, C]: the state of each comparison, and whether it was answered."""
        answers = self.answers[rows]
        there = answers != MISSING
        state = np.where(there, 1 - answers, 0)
        return (state if self.ternary else state // 2), there

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of an answer seen minus those of the other answers, for each comparison.

        What a gap demands is not linear: an alpha or beta that is infinite shows in a likelihood that is
        flat.
        """
        state, there = self.seen(rows)
        n, answered = self.answers.shape[1], self.states[: len(self.states) // 2]
        found = [np.zeros((0, self.states.shape[1], n))]
        for c in range(n):
            for k in set(state[there[:, c], c].tolist()):
                of_c = np.zeros((len(answered), self.states.shape[1], n))
                of_c[:, :, c] = answered[k] - answered
                found.append(of_c)
        return np.concatenate(found).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class GapPoint:
    """Probabilities of the states of each comparison.

    log_p float[C, k].
    """

    space: GapSpace
    log_p: FloatArray

    def _of_missing(self) -> tuple[FloatArray, FloatArray]:
        """Log-probability float[C] that a comparison is missing; shares float[C, k] of its states then."""
        half = self.log_p.shape[1] // 2
        own = self.log_p[:, half:]
        top = own.max(axis=1, keepdims=True)
        total = top + np.log(np.exp(own - top).sum(axis=1, keepdims=True))
        return total[:, 0], np.hstack([np.zeros_like(own), np.exp(own - total)])

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        state, there = self.space.seen(rows)
        missing, _ = self._of_missing()
        return np.asarray(np.where(there, self.log_p[np.arange(len(missing)), state], missing).sum(axis=1))

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        state, there = self.space.seen(rows)
        states = self.space.states
        off = np.where(there[:, :, None], states[state], self._of_missing()[1] @ states)
        off = off - np.exp(self.log_p) @ states
        return np.asarray(off.transpose(0, 2, 1).reshape(len(rows), -1))

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        _, there = self.space.seen(rows)
        whole, part = self._covariances(np.exp(self.log_p)), self._covariances(self._of_missing()[1])
        each = float(weights.sum()) * whole - (weights @ ~there)[:, None, None] * part
        n, k = each.shape[:2]
        found = np.zeros((k, n, k, n))
        at = np.arange(n)
        found[:, at, :, at] = each
        return np.asarray(found.reshape(k * n, k * n))

    def _covariances(self, p: FloatArray) -> FloatArray:
        states = self.space.states
        mean = p @ states
        second = np.einsum("ck,ki,kj->cij", p, states, states)
        return np.asarray(second - mean[:, :, None] * mean[:, None, :])


@dataclass(frozen=True, eq=False)
class GapCubeSpace:
    """Answers to comparisons that depend on each other, or whose gaps prefmod's `coded` terms explain.

    Statistics are those of :class:`pairproof.native.patterns.comparisons.cube.CubeSpace`, then r_c of the C
    comparisons, then r_c y_c of each or, where it is `coded`, sum over c with item i of r_c y_(i) of each
    item.

    cube: with the answers.
    """

    cube: CubeSpace
    coded: bool
    _patterns: IntArray = field(init=False, repr=False)
    _table: FloatArray = field(init=False, repr=False)
    _slopes: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = self.cube.answers.shape[1]
        codes = self.cube.codes
        if len(codes) ** n > MOST_PATTERNS:
            raise TooLargeError(
                f"gaps that depend on {n} comparisons together sum over {len(codes) ** n:,} patterns; the limit is"
                f" {MOST_PATTERNS:,}. Without dependence, and with a beta for each comparison, there is no limit"
            )
        grid = np.meshgrid(*[np.array(codes)] * n, indexing="ij")
        patterns = np.stack([g.ravel() for g in grid], axis=1)
        object.__setattr__(self, "_patterns", patterns)
        object.__setattr__(self, "_table", self.cube.statistics(patterns))
        object.__setattr__(self, "_slopes", self._all_slopes(patterns))

    def _all_slopes(self, patterns: IntArray) -> FloatArray:
        """float[N, C, b]: how beta enters h_c."""
        n = patterns.shape[1]
        if not self.coded:
            return np.asarray(patterns[:, :, None] * np.eye(n))
        n_items = int(round((1 + np.sqrt(1 + 8 * n)) / 2))
        first, second = pairs_of(n_items)
        part_of = np.array([(first == i) | (second == i) for i in range(n_items)]).T.astype(float)
        return np.asarray(patterns[:, None, :n_items] * part_of)

    @property
    def n_statistics(self) -> int:
        """Statistics of the answers, C of the gaps and those of beta."""
        return int(self._table.shape[1] + self._slopes.shape[1] + self._slopes.shape[2])

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return self.cube.n_rows

    def at(self, beta: FloatArray) -> GapCubePoint:
        """The moments at beta, float[q]."""
        return GapCubePoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """float[0, q]: with sums over gaps no linear programme tells; the solver's own message has to do."""
        return np.zeros((0, self.n_statistics))


@dataclass(frozen=True, eq=False)
class GapCubePoint:
    """Moments over all answers and gaps, and over the answers that agree with each row.

    beta float[q].
    """

    space: GapCubeSpace
    beta: FloatArray
    whole: Moments = field(init=False)
    _parts: dict[int, Moments] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "whole", self._all())
        object.__setattr__(self, "_parts", {})

    def _predictors(self) -> tuple[FloatArray, FloatArray]:
        """float[N] of the answers, float[N, C] of their gaps."""
        q = self.space._table.shape[1]
        n = self.space._slopes.shape[1]
        gaps = self.beta[q : q + n] + self.space._slopes @ self.beta[q + n :]
        return self.space._table @ self.beta[:q], gaps

    def _all(self) -> Moments:
        eta, gaps = self._predictors()
        weight = eta + np.logaddexp(0.0, gaps).sum(axis=1)
        top = float(weight.max())
        p = np.exp(weight - top)
        total = float(p.sum())
        p /= total
        missing = 1.0 / (1.0 + np.exp(-gaps))
        n = gaps.shape[1]
        expected = np.hstack(
            [self.space._table, missing, np.einsum("nc,ncb->nb", missing, self.space._slopes)]
        )
        mean = p @ expected
        off = expected - mean
        covariance = (off.T * p) @ off
        # Given the answers each gap is a coin of its own, which moves r_c and the slopes of beta.
        spread = p[:, None] * missing * (1.0 - missing)
        for c in range(n):
            coin = np.zeros((len(p), expected.shape[1]))
            coin[:, self.space._table.shape[1] + c] = 1.0
            coin[:, self.space._table.shape[1] + n :] = self.space._slopes[:, c]
            covariance += (coin.T * spread[:, c]) @ coin
        return Moments(top + float(np.log(total)), mean, covariance)

    def _part(self, row: int) -> Moments:
        if row not in self._parts:
            own = self.space.cube.answers[row]
            gap = own == MISSING
            agree = ((self.space._patterns == own) | gap).all(axis=1)
            eta, gaps = self._predictors()
            logs = eta[agree] + gaps[agree][:, gap].sum(axis=1)
            top = float(logs.max())
            p = np.exp(logs - top)
            total = float(p.sum())
            p /= total
            slopes = self.space._slopes[agree][:, gap].sum(axis=1)
            fixed = np.broadcast_to(gap.astype(float), (len(p), len(gap)))
            t = np.hstack([self.space._table[agree], fixed, slopes])
            mean = p @ t
            off = t - mean
            self._parts[row] = Moments(top + float(np.log(total)), mean, (off.T * p) @ off)
        return self._parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        return np.array([self._part(int(r)).log_total for r in rows]) - self.whole.log_total

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        return np.array([self._part(int(r)).mean for r in rows]).reshape(len(rows), -1) - self.whole.mean

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        found = float(weights.sum()) * self.whole.covariance
        for r, w in zip(rows, weights):
            found = found - w * self._part(int(r)).covariance
        return np.asarray(found)
