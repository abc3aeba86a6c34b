"""Every possible complete answer with its probability, for models whose answers are few enough.

The answers are all of {1, -1} or {1, 0, -1} for each comparison, all J! rankings, all weak orders that a scale can
express, or rankings in groups of tied items; at several times, all combinations of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..comparisons.pairs import incidence, n_pairs, sharing
from ..rankings.fit import sequences
from ..rankings.plackett_luce import LuceSpace
from ..rankings.ranks import Ranks
from ..ratings.space import statistics
from ..ratings.weak_orders import as_comparisons, n_weak_orders, weak_orders

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Form = Literal["comparisons", "strict", "luce", "weak"]


@dataclass(frozen=True, eq=False)
class Possible:
    """The possible answers of a fitted model.

    form: all comparisons; strict rankings of the pattern model; rankings of Plackett and Luce; weak orders.
    ternary: whether comparisons have three categories.  places: different places of weak orders.  orders:
    numbers of items that can tie (Plackett-Luce).  beta: natural parameters of each group.
    """

    form: Form
    n_items: int
    n_times: int
    ternary: bool
    places: int
    orders: tuple[int, ...]
    dependence: bool
    between_times: bool
    beta: tuple[FloatArray, ...]

    def count(self) -> int:
        """Number of answers."""
        n = self.n_items
        if self.form == "comparisons":
            once = (3 if self.ternary else 2) ** n_pairs(n)
        elif self.form == "strict":
            once = factorial(n)
        elif self.form == "luce":
            once = int(sequences(n, self.orders))
        else:
            once = int(n_weak_orders(n, self.places))
        return int(once**self.n_times)

    @cached_property
    def _once(self) -> IntArray:
        """int[N, k]: answers at one time: comparisons, or places from 0."""
        if self.form == "comparisons":
            values = (1, 0, -1) if self.ternary else (1, -1)
            return np.array(list(product(values, repeat=n_pairs(self.n_items))), dtype=np.int64)
        if self.form == "strict" or (self.form == "luce" and not self.orders):
            return np.array(list(permutations(range(self.n_items))), dtype=np.int64)
        if self.form == "weak":
            return weak_orders(self.n_items, self.places)
        every = weak_orders(self.n_items, self.n_items)
        size = np.stack([(every == k).sum(axis=1) for k in range(self.n_items)], axis=1)
        allowed: IntArray = every[np.isin(size, [0, 1, *self.orders]).all(axis=1)]
        return allowed

    def answers(self) -> IntArray:
        """int[N, n_times, k]: comparisons (1, 0, -1), or ranks (1 = best)."""
        once = self._once if self.form == "comparisons" else self._once + 1
        if self.n_times == 1:
            return once[:, None]
        at = np.array(list(product(range(len(once)), repeat=self.n_times)))
        found: IntArray = once[at]
        return found

    def comparisons(self) -> IntArray:
        """int[N, C]: the comparisons of each answer at one time: 1, 0, -1."""
        return self._once if self.form == "comparisons" else as_comparisons(self._once)

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each answer in a covariate group."""
        beta = self.beta[group]
        if self.form == "luce":
            space = LuceSpace(Ranks(self._once + 1), self.orders)
            return np.asarray(np.exp(space.at(beta).log_probabilities(np.arange(len(self._once)))))
        if self.n_times == 1:
            log_p = self._statistics() @ beta
        else:
            log_p = self._over_times(beta)
        weights = np.exp(log_p - log_p.max())
        return np.asarray(weights / weights.sum())

    def _statistics(self) -> FloatArray:
        """float[N, q]: statistics of the answers at one time."""
        depends = sharing(self.n_items) if self.dependence else ()
        if self.form == "weak":
            return statistics(self._once, depends)
        if self.form == "strict":
            signs = as_comparisons(self._once)
            return np.asarray(signs if self.n_times > 1 else signs @ incidence(self.n_items), dtype=float)
        y = self._once
        a, b = np.array(depends, dtype=np.int64).reshape(-1, 2).T
        undecided = [y == 0] if self.ternary else []
        return np.hstack([y, *undecided, y[:, a] * y[:, b]]).astype(float)

    def _over_times(self, beta: FloatArray) -> FloatArray:
        """float[N^T]: log-probabilities of combinations of times, but for a constant."""
        own, c = self._statistics(), n_pairs(self.n_items)
        signs = (as_comparisons(self._once) if self.form != "comparisons" else self._once).astype(float)
        q = own.shape[1]
        found = np.zeros((len(own),) * self.n_times)
        for t in range(self.n_times):
            shape = [1] * self.n_times
            shape[t] = len(own)
            found = found + (own @ beta[t * q : (t + 1) * q]).reshape(shape)
        for t in range(self.n_times - 1):
            theta = beta[self.n_times * q + t * c :][:c]
            link = (signs * theta) @ signs.T
            shape = [1] * self.n_times
            shape[t], shape[t + 1] = len(own), len(own)
            found = found + link.reshape(shape)
        return found.reshape(-1)
