"""Answers of the same persons at several points in time, each depending on the one before.

With t(y_k) the statistics of the pattern at time k, and the same comparisons linked from one time to the next
(Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10); prefmod's iaT),

    log P(y_1, ..., y_T) = sum_k t(y_k)' beta_k + sum_k sum_c theta_ck y_c,k y_c,k+1 - log Z.

The patterns are a chain, so that N patterns at T times take T - 1 sums of N x N terms instead of N^T.  With
P_k the joint probabilities at times k and k + 1, and m the means of all statistics up to a time, or after it,
given the pattern there, second moments are E[t t'] = sum over the steps of P t (m before + t + m after)'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....errors import TooLargeError
from ..moments import Moments

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Pairs of patterns at two times: 3,963 patterns of ratings of six items.
MOST_PAIRS = 2 * 10**7

#: Differences of sequences of which infinite parameters are found exactly: a linear programme takes a second.
MOST_SEQUENCES = 20_000


@dataclass(frozen=True, eq=False)
class ChainSpace:
    """Answers at T times, as sets of the N patterns of each time.

    Statistics are those of the first time, of the second and so on, then y_c,1 y_c,2 of the C comparisons,
    then y_c,2 y_c,3 and so on.

    table float[N, q]: statistics of the patterns at one time.  signs float[N, C]: their comparisons y_c.
    agree: for each time, which patterns agree with each person's answer; all of them where there is none.
    """

    table: FloatArray
    signs: FloatArray
    agree: Sequence[sparse.csr_matrix]
    _sets: list[list[IntArray]] = field(init=False, repr=False)
    _complete: BoolArray = field(init=False, repr=False)
    _own: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.table) ** 2 > MOST_PAIRS:
            raise TooLargeError(
                f"{len(self.table):,} patterns at each time are {len(self.table) ** 2:,} pairs of patterns at two times;"
                f" the limit is {MOST_PAIRS:,}. Leave the dependence between times out, or fit fewer items"
            )
        sets = [
            [a.indices[a.indptr[r] : a.indptr[r + 1]].astype(np.int64) for a in self.agree]
            for r in range(self.agree[0].shape[0])
        ]
        object.__setattr__(self, "_sets", sets)
        complete = np.array([all(len(s) == 1 for s in own) for own in sets], dtype=bool)
        object.__setattr__(self, "_complete", complete)
        object.__setattr__(self, "_own", self._statistics(complete))

    def _statistics(self, complete: BoolArray) -> FloatArray:
        """float[n, T q + (T - 1) C]: of persons with one possible pattern at each time; 0 for others."""
        found = np.zeros((len(complete), self.n_statistics))
        rows = np.flatnonzero(complete)
        seen = [np.array([self._sets[r][k][0] for r in rows], dtype=np.int64) for k in range(self.n_times)]
        links = [self.signs[a] * self.signs[b] for a, b in zip(seen, seen[1:])]
        found[rows] = np.concatenate([*(self.table[s] for s in seen), *links], axis=1)
        return found

    @property
    def n_times(self) -> int:
        """T."""
        return len(self.agree)

    @property
    def n_statistics(self) -> int:
        """T q + (T - 1) C."""
        return self.n_times * self.table.shape[1] + (self.n_times - 1) * self.signs.shape[1]

    @property
    def n_rows(self) -> int:
        """Number of persons."""
        return len(self._sets)

    def at(self, beta: FloatArray) -> ChainPoint:
        """The moments at beta, float[T q + (T - 1) C]."""
        return ChainPoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, T q + (T - 1) C]: statistics of the sequences seen minus those of all others.

        Where an answer is missing, or there are more than MOST_SEQUENCES of these differences, they are those of
        each time alone: with the links at 0 the times are independent, so that what a direction without links
        demands is found; one along links is not.
        """
        seen = np.unique(self._own[rows], axis=0)
        if self._complete.all() and len(seen) * len(self.table) ** self.n_times <= MOST_SEQUENCES:
            others = self._all_sequences()
            return np.asarray((seen[:, None] - others[None]).reshape(-1, self.n_statistics))
        q = self.table.shape[1]
        found = [np.zeros((0, self.n_statistics))]
        for k in range(self.n_times):
            single = sorted({int(self._sets[r][k][0]) for r in rows if len(self._sets[r][k]) == 1})
            own = np.zeros((len(single) * len(self.table), self.n_statistics))
            own[:, k * q : (k + 1) * q] = (self.table[single][:, None] - self.table[None]).reshape(-1, q)
            found.append(own)
        return np.concatenate(found)

    def _all_sequences(self) -> FloatArray:
        """float[N^T, T q + (T - 1) C]: statistics of all sequences of patterns."""
        at = np.indices((len(self.table),) * self.n_times).reshape(self.n_times, -1)
        links = [self.signs[a] * self.signs[b] for a, b in zip(at, at[1:])]
        return np.concatenate([*(self.table[a] for a in at), *links], axis=1)

    def moments(self, sets: Sequence[IntArray], beta: FloatArray) -> Moments:
        """Sum and moments over all sequences of patterns, one of each of these sets.

        sets: numbers of the patterns possible at each time.  beta float[T q + (T - 1) C].
        """
        return _Pass(self, sets, beta).moments()


class _Pass:
    """Forward and backward sums over sequences of patterns."""

    def __init__(self, space: ChainSpace, sets: Sequence[IntArray], beta: FloatArray) -> None:
        self.times, self.q, self.c = len(sets), space.table.shape[1], space.signs.shape[1]
        self.size = len(beta)
        links = beta[self.times * self.q :].reshape(self.times - 1, self.c)
        self.t = [space.table[s] for s in sets]
        self.y = [space.signs[s] for s in sets]
        eta = [t @ beta[k * self.q : (k + 1) * self.q] for k, t in enumerate(self.t)]
        self.step = [(self.y[k] * links[k]) @ self.y[k + 1].T for k in range(self.times - 1)]
        forward = [eta[0]]
        for k, step in enumerate(self.step):
            forward.append(_log_sum(forward[k][:, None] + step, 0) + eta[k + 1])
        backward = [np.zeros(len(e)) for e in eta]
        for k in reversed(range(self.times - 1)):
            backward[k] = _log_sum(self.step[k] + eta[k + 1] + backward[k + 1], 1)
        self.log_total = float(_log_sum(forward[-1], 0))
        self.joint = [
            np.exp(forward[k][:, None] + step + eta[k + 1] + backward[k + 1] - self.log_total)
            for k, step in enumerate(self.step)
        ]
        self.single = [np.exp(f + b - self.log_total) for f, b in zip(forward, backward)]

    def _own(self, k: int) -> slice:
        """Places of the statistics of a time."""
        return slice(k * self.q, (k + 1) * self.q)

    def _link(self, k: int) -> slice:
        """Places of the links from a time to the next."""
        start = self.times * self.q + k * self.c
        return slice(start, start + self.c)

    def _before(self) -> list[FloatArray]:
        """Means of all statistics up to each time, its own among them, given the pattern there."""
        found: list[FloatArray] = []
        for k in range(self.times):
            m = np.zeros((len(self.t[k]), self.size))
            if k:
                p = self.joint[k - 1]
                share = np.divide(p, self.single[k], out=np.zeros_like(p), where=self.single[k] > 0)
                m += share.T @ found[k - 1]
                m[:, self._link(k - 1)] += self.y[k] * (share.T @ self.y[k - 1])
            m[:, self._own(k)] += self.t[k]
            found.append(m)
        return found

    def _after(self) -> list[FloatArray]:
        """Means of all statistics after each time, the link from it among them, given the pattern there."""
        found: list[FloatArray] = [np.zeros((len(self.t[-1]), self.size))]
        for k in reversed(range(self.times - 1)):
            p = self.joint[k]
            single = self.single[k][:, None]
            share = np.divide(p, single, out=np.zeros_like(p), where=single > 0)
            later = found[0].copy()
            later[:, self._own(k + 1)] += self.t[k + 1]
            m = share @ later
            m[:, self._link(k)] += self.y[k] * (share @ self.y[k + 1])
            found.insert(0, m)
        return found

    def moments(self) -> Moments:
        before, after = self._before(), self._after()
        mean = self.single[0] @ (before[0] + after[0])
        second = np.zeros((self.size, self.size))
        for k in range(self.times):
            weighted = self.single[k][:, None] * self.t[k]
            second[self._own(k)] += weighted.T @ (before[k] + after[k])
        for k, p in enumerate(self.joint):
            ya, yb = self.y[k], self.y[k + 1]
            later = after[k + 1].copy()
            later[:, self._own(k + 1)] += self.t[k + 1]
            second[self._link(k)] += (ya * (p @ yb)).T @ before[k] + (yb * (p.T @ ya)).T @ later
            second[self._link(k), self._link(k)] += self._of_links(p, ya, yb)
        covariance = second - np.outer(mean, mean)
        return Moments(self.log_total, mean, (covariance + covariance.T) / 2.0)

    def _of_links(self, p: FloatArray, ya: FloatArray, yb: FloatArray) -> FloatArray:
        """float[C, C]: means of the products of two links of the same step."""
        found = np.zeros((self.c, self.c))
        for d in range(self.c):
            found[:, d] = (ya * ya[:, [d]] * (p @ (yb * yb[:, [d]]))).sum(axis=0)
        return found


def _log_sum(logs: FloatArray, axis: int) -> FloatArray:
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(logs - top).sum(axis=axis)) + top.squeeze(axis))


@dataclass(frozen=True, eq=False)
class ChainPoint:
    """Moments over all sequences, and over those that agree with each person's answers.

    beta float[T q + (T - 1) C].
    """

    space: ChainSpace
    beta: FloatArray
    whole: Moments = field(init=False)
    _parts: dict[int, Moments] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        everything = [np.arange(len(self.space.table))] * self.space.n_times
        object.__setattr__(self, "whole", self.space.moments(everything, self.beta))
        object.__setattr__(self, "_parts", {})

    def _part(self, row: int) -> Moments:
        if row not in self._parts:
            self._parts[row] = self.space.moments(self.space._sets[row], self.beta)
        return self._parts[row]

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        found = self.space._own[rows] @ self.beta
        for k in np.flatnonzero(~self.space._complete[rows]):
            found[k] = self._part(int(rows[k])).log_total
        return np.asarray(found - self.whole.log_total)

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, T q + (T - 1) C]."""
        found = self.space._own[rows]
        for k in np.flatnonzero(~self.space._complete[rows]):
            found[k] = self._part(int(rows[k])).mean
        return np.asarray(found - self.whole.mean)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[T q + (T - 1) C, T q + (T - 1) C]."""
        found = float(weights.sum()) * self.whole.covariance
        for r, w in zip(rows, weights):
            if not self.space._complete[int(r)]:
                found = found - w * self._part(int(r)).covariance
        return np.asarray(found)
