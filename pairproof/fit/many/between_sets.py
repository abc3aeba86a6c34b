"""What is shown of items of different sets, whose difference is infinite.

An item that lost all of its comparisons has no estimate and no standard error, but the likelihood bounds it.  With c the
critical value of a family of tests, A is shown to be above B where holding the two equal loses more than c^2 of twice
the log-likelihood: there the profile interval of A - B at the level of c lies above 0 (Venzon and Moolgavkar 1988).
The family is that of the finite differences, and each infinite one adds the tail of a normal to it (Bonferroni)::

    P(largest finite score > c) + m P(Z > c) = 1 - level

Finite differences keep the critical value that they have without the infinite ones.  What follows is shown as well: where
A is above B and B above C, A is above C.

A profile likelihood takes its comparisons as independent.  In a fit with standard errors by cluster all comparisons of one
cluster between the same two sets count as one, as they would if they all went together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import ConvergenceError, InputError, NotEstimableError
from ..item_sets import ItemSets, chained
from ..record import FitRecord
from ..robust.robust import cluster_codes
from .max_normal import MaxNormal

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Constrained fits for one table of ranks at most, some 50 ms each, and of one call.
MOST_TESTS, AT_ONCE = 600, 40


@dataclass(frozen=True, eq=False)
class BetweenSets:
    """Tests of differences between sets.

    functions float[n_items, n_params]: abilities as linear functions of the parameters.
    """

    fit: FitRecord
    sets: ItemSets
    functions: FloatArray
    _roots: dict[tuple[int, int], float] = field(default_factory=dict)
    _said: list[str] = field(default_factory=list)

    @property
    def testable(self) -> BoolArray:
        """bool[n, n]: row differs from column by plus infinity."""
        return self.sets.items_above

    @property
    def cautions(self) -> tuple[str, ...]:
        """What was not tested, and why."""
        return tuple(dict.fromkeys(self._said))

    def roots(self, pairs: IntArray) -> FloatArray:
        """float[m]: root of twice the log-likelihood lost where each pair is held equal; 0 where that is not known."""
        asked = [(int(i), int(j)) for i, j in pairs]
        new = [pair for pair in dict.fromkeys(asked) if pair not in self._roots]
        room = MOST_TESTS - len(self._roots)
        if len(new) > room:
            self._said.append(
                f"of the infinite differences {MOST_TESTS:,} were tested; nothing is claimed of the others"
            )
        for start in range(0, min(len(new), room), AT_ONCE):
            self._add(new[start : min(start + AT_ONCE, room)])
        return np.array([self._roots.get(pair, 0.0) for pair in asked])

    def _add(self, pairs: list[tuple[int, int]]) -> None:
        import pairproof

        weights = [dict(_weights(self.fit, self.functions[i] - self.functions[j])) for i, j in pairs]
        try:
            found = pairproof.profile_test(cast(Any, self._as_independent), weights)["z"].to_numpy()
        except (ConvergenceError, NotEstimableError):
            if len(pairs) > 1:
                for pair in pairs:
                    self._add([pair])
                return
            found = np.zeros(1)
            names = " and ".join(self.fit.items[k] for k in pairs[0])
            self._said.append(f"the likelihood with {names} held equal has no maximum that was found")
        except InputError as error:
            found = np.zeros(len(pairs))
            self._said.append(f"infinite differences are not tested: {error}")
        self._roots.update(zip(pairs, np.nan_to_num(np.maximum(found, 0.0))))

    @property
    def _as_independent(self) -> FitRecord:
        fit = self.fit
        if fit.robust is None:
            return fit
        return replace(fit, data=one_vote_a_cluster(fit.data, self.sets, fit.robust.columns), robust=None)

    def shown(self, critical: float, above: BoolArray) -> BoolArray:
        """bool[n, n]: what is shown at a critical value, with what was shown of finite differences and what follows."""
        out = chained(above)
        first, second = np.nonzero(self.testable)
        # The nearest first: the worse of the upper set, the better of the lower one.  The others may follow.
        b = self.functions @ self.fit.beta
        order = np.lexsort((b[first] - b[second], self.sets.of[second], self.sets.of[first]))
        left = np.stack([first, second], axis=1)[order]
        while len(left):
            left = left[~out[left[:, 0], left[:, 1]]]
            here, left = left[: AT_ONCE // 2], left[AT_ONCE // 2 :]
            for i, j in here[self.roots(here) > critical] if len(here) else here:
                over, under = np.append(np.flatnonzero(out[:, i]), i), np.append(np.flatnonzero(out[j]), j)
                out[np.ix_(over, under)] = True
        return out


def _weights(fit: FitRecord, function: FloatArray) -> Mapping[str, float]:
    return {fit.names[k]: float(function[k]) for k in np.flatnonzero(function)}


def critical_between(family: MaxNormal | None, critical: float, level: float, m: int) -> float:
    """The critical value of a family to which m normal tails are added; `critical` is that of the family alone."""
    from scipy.special import ndtr, ndtri

    if family is None:
        return float(-ndtri((1.0 - level) / m))
    c = critical
    # As many independent tails as the family is worth: that number hardly moves with c.
    for _ in range(3):
        worth = family.tail(c) / float(ndtr(-c))
        c = float(-ndtri((1.0 - level) / (worth + m)))
    return max(c, critical)


def one_vote_a_cluster(table: Comparisons, sets: ItemSets, columns: tuple[str, ...]) -> Comparisons:
    """A table in which the comparisons of a cluster between the same two sets weigh together as one.

    Of two ways of clustering each row has the smaller of its two weights.
    """
    one, other = sets.of[table.first], sets.of[table.second]
    n = table.wins + table.ties + table.losses
    crossing = np.flatnonzero((one != other) & (n > 0.0))
    weight = np.ones(table.n_rows)
    for column in columns:
        codes, _ = cluster_codes(table, column, np.arange(table.n_rows), "own")
        low, high = np.minimum(one, other)[crossing], np.maximum(one, other)[crossing]
        _, key = np.unique(np.stack([codes[crossing], low, high]), axis=1, return_inverse=True)
        total = np.bincount(np.ravel(key), n[crossing])[np.ravel(key)]
        weight[crossing] = np.minimum(weight[crossing], 1.0 / np.maximum(total, 1.0))
    return replace(table, wins=table.wins * weight, ties=table.ties * weight, losses=table.losses * weight)
