"""Ratings as patterns: all weak orders with their statistics in one table.

Statistics are y_c and u_c of the comparisons that an order implies, and y_a y_b where comparisons depend on
each other (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)).  Where ratings
are missing, the patterns that agree with an answer are those in which the rated items stand in its order.
With p the probabilities of the patterns, the weighted sum of the answers' second moments is one product,

    sum_r w_r E[t t' | C_r] = T' diag(v) T,    v = p sum_r w_r 1[C_r] / P(C_r).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....errors import InputError
from .weak_orders import as_comparisons, dense_places, weak_orders

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Sets of linear functions that are kept: one a covariate group.
MOST_KEPT = 8


def statistics(places: IntArray, depends: tuple[tuple[int, int], ...]) -> FloatArray:
    """y and u of the comparisons, and the products of those that depend on each other.

    places int[n, J].  Returns float[n, q].
    """
    y = as_comparisons(places)
    a, b = np.array(depends, dtype=np.int64).reshape(-1, 2).T
    return np.hstack([y, y == 0, y[:, a] * y[:, b]]).astype(float)


def agreeing(orders: IntArray, places: IntArray) -> sparse.csr_matrix:
    """Which orders agree with each answer.

    orders int[n_orders, J].  places int[n, J]: -1 where there is no rating.  Returns sparse float[n,
    n_orders]: 1 where they agree.
    """
    n_items = orders.shape[1]
    scale = (n_items + 1) ** np.arange(n_items, dtype=np.int64)
    row, column = [], []
    kinds, kind = np.unique(places >= 0, axis=0, return_inverse=True)
    for number, seen in enumerate(kinds):
        mine = np.flatnonzero(kind.reshape(-1) == number)
        short = dense_places(orders[:, seen], np.ones((len(orders), int(seen.sum())), dtype=bool))
        codes = short @ scale[: short.shape[1]]
        order = np.argsort(codes, kind="stable")
        wanted = places[mine][:, seen] @ scale[: short.shape[1]]
        start = np.searchsorted(codes[order], wanted, side="left")
        stop = np.searchsorted(codes[order], wanted, side="right")
        if (start == stop).any():
            person = int(mine[np.flatnonzero(start == stop)[0]])
            raise InputError(
                f"answer {person + 1} has {int(places[person].max()) + 1} different ratings, more than the scale's"
                f" {int(orders.max()) + 1} categories"
            )
        for person, i, j in zip(mine, start, stop):
            row.append(np.full(j - i, person))
            column.append(order[i:j])
    rows, columns = np.concatenate(row), np.concatenate(column)
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(orders)))


@dataclass(frozen=True, eq=False)
class OrderSpace:
    """Ratings of J items, as weak orders.

    places int[n, J]: 0 = best, without gaps; -1 where there is no rating.  categories: of the scale.
    depends: comparisons that depend on each other.
    """

    places: IntArray
    categories: int
    depends: tuple[tuple[int, int], ...]
    _table: FloatArray = field(init=False, repr=False)
    _agree: sparse.csr_matrix = field(init=False, repr=False)
    _functions: dict[bytes, FloatArray] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        orders = weak_orders(self.places.shape[1], min(self.categories, self.places.shape[1]))
        object.__setattr__(self, "_table", statistics(orders, self.depends))
        object.__setattr__(self, "_agree", agreeing(orders, self.places))

    @property
    def n_statistics(self) -> int:
        """2 C and the number of dependences."""
        return int(self._table.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.places)

    def at(self, beta: FloatArray) -> OrderPoint:
        """The probabilities of all weak orders at beta, float[q]."""
        eta = self._table @ beta
        top = float(eta.max())
        total = float(np.exp(eta - top).sum())
        return OrderPoint(self, eta - top - np.log(total))

    def functions(self, matrix: FloatArray) -> FloatArray:
        """float[n_orders, p]: linear functions of the statistics, for float[q, p]; kept from step to step."""
        key = np.ascontiguousarray(matrix).tobytes()
        if key not in self._functions:
            if len(self._functions) >= MOST_KEPT:
                self._functions.clear()
            self._functions[key] = self._table @ matrix
        return self._functions[key]

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of a complete answer minus those of every other pattern."""
        whole = rows[(self.places[rows] >= 0).all(axis=1)]
        seen = np.unique(statistics(self.places[whole], self.depends), axis=0)
        return (seen[:, None, :] - self._table[None]).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class OrderPoint:
    """Probabilities of the weak orders.

    log_p float[n_orders].
    """

    space: OrderSpace
    log_p: FloatArray

    def _shares(self, rows: IntArray) -> tuple[FloatArray, sparse.csr_matrix]:
        """Log-probability of each answer, and the shares of the patterns that agree with it."""
        agree = self.space._agree[rows].tocsr().copy()
        logs = self.log_p[agree.indices]
        row = np.repeat(np.arange(len(rows)), np.diff(agree.indptr))
        top = np.full(len(rows), -np.inf)
        np.maximum.at(top, row, logs)
        agree.data = np.exp(logs - top[row])
        total = np.asarray(agree.sum(axis=1)).ravel()
        agree.data = agree.data / total[row]
        return top + np.log(total), agree

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        return self._shares(rows)[0]

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        table = self.space._table
        return np.asarray(self._shares(rows)[1] @ table - np.exp(self.log_p) @ table)

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]."""
        return self.contracted_information(rows, weights, np.eye(self.space.n_statistics))

    def contracted_information(self, rows: IntArray, weights: FloatArray, matrix: FloatArray) -> FloatArray:
        """float[p, p]: of p linear functions of the statistics, for matrix float[q, p]."""
        p, table = np.exp(self.log_p), self.space.functions(matrix)
        shares = self._shares(rows)[1]
        off = shares @ table - p @ table  # centred, so that little cancels
        v = float(weights.sum()) * p - np.asarray(shares.T @ weights).ravel()
        centred = table - p @ table
        return np.asarray((centred.T * v) @ centred + (off.T * weights) @ off)
