"""The information about random effects, factored: A = Z' diag(w) Z + diag(1 / sigma^2).

A Cholesky factor of K x K gives log det A, and its inverse the variance z'A^-1 z of every row (Golub and Van
Loan 2013, Matrix Computations, section 4.2).

Where the effects of one component fall into small sets, items by judge, a judge's effects meet only each
other and the effects of other components (players), so that A of all K effects is

    A = [S0, B'; B, N],    N block diagonal, one block N_g for the effects of a judge

and with R = N^-1 B and S = S0 - B'R, the Schur complement of N (section 3.2.11 there),

    log det A = log det N + log det S,    A^-1 = [S^-1, -S^-1 R'; -R S^-1, N^-1 + R S^-1 R'].

Only S is a matrix of all effects of the other components; of the rest no more is computed than rows of
contests ask for.  Two hundred judges of ten items take a thousandth of the time of one matrix of 2,000
effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....errors import ConvergenceError, TooLargeError
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.linear_systems import inverse_of_factor
from ..rows.contest_design import Design
from .effects_design import component_sizes

#: Effects in one matrix: a factor of it takes half a minute.
MOST_TOGETHER = 8000


def factored(information: FloatArray) -> FloatArray:
    """The lower Cholesky factor of an information matrix, which is overwritten.
    information float[K, K].  Returns float[K, K]."""
    from scipy.linalg.lapack import dpotrf

    # The lower triangle of the transposed, which is the same matrix, in the order that LAPACK takes as it is.
    factor, trouble = dpotrf(information.T, lower=1, overwrite_a=1)
    if trouble:
        raise ConvergenceError(
            f"the information about {len(information)} effects and parameters is singular but for rounding"
        )
    return np.asarray(factor)


def inverse_of(information: FloatArray) -> FloatArray:
    """The inverse of an information matrix, which is overwritten.
    information float[K, K].  Returns float[K, K]."""
    return inverse_of_factor(factored(information))


class DenseFactor:
    """A of all effects together, as one matrix.
    design: whose K parameters are the effects.  weights float[n]: w >= 0.  precision float[K]: 1 / sigma^2 of
    every effect."""

    def __init__(self, design: Design, weights: FloatArray, precision: FloatArray) -> None:
        if len(precision) > MOST_TOGETHER:
            raise TooLargeError(
                f"{len(precision)} random effects that meet each other; the limit is {MOST_TOGETHER}, a matrix of"
                f" {8e-9 * MOST_TOGETHER**2:.1f} GB"
            )
        self.design = design
        information = design.gram(weights)
        information[np.diag_indices(len(precision))] += precision
        self.factor = factored(information)

    @property
    def log_det(self) -> float:
        """log det A."""
        return 2.0 * float(np.log(np.diag(self.factor)).sum())

    @cached_property
    def inverse(self) -> FloatArray:
        """float[K, K]: A^-1."""
        return inverse_of_factor(self.factor)

    @property
    def diagonal(self) -> FloatArray:
        """float[K]: that of A^-1."""
        return np.asarray(np.diag(self.inverse))

    def solve(self, values: FloatArray) -> FloatArray:
        """A^-1 v, float[K] or float[K, q]."""
        from scipy.linalg.lapack import dpotrs

        if "inverse" in self.__dict__:
            return np.asarray(self.inverse @ values)
        return np.asarray(dpotrs(self.factor, values, lower=1)[0])

    @property
    def spreads(self) -> FloatArray:
        """float[n]: z'A^-1 z of each row."""
        return self.design.variances(self.inverse)

    def squared_traces(self, parts: Sequence[slice]) -> FloatArray:
        """float[C, C]: sum of the squares of A^-1 between the effects of two components."""
        return np.array([[float((self.inverse[a, b] ** 2).sum()) for b in parts] for a in parts])


#: With up to so many effects one matrix of all of them is fast, and second derivatives are exact.
FEW = 150


@dataclass(frozen=True, eq=False)
class Group:
    """Sets of the same shape: m effects each, which meet q effects of other components.
    `own` int[G, m]: effects of each set.  met int[G, q]: effects of other components that they meet, by their
    place among the kept ones.  rows int[r]: contests of these sets.  set_of_row int[r].  sides int[r, 2 C]:
    place of each side's effects in its set, own before met; -1 for none.  signs float[2 C]."""

    own: IntArray
    met: IntArray
    rows: IntArray
    set_of_row: IntArray
    sides: IntArray
    signs: FloatArray

    @property
    def size(self) -> int:
        """m + q."""
        return int(self.own.shape[1] + self.met.shape[1])

    def gram(self, weights: FloatArray) -> FloatArray:
        """float[G, m + q, m + q]: Z' diag(w) Z of each set's contests, for w of all rows."""
        size, w = self.size, weights[self.rows]
        found = np.zeros(len(self.own) * size * size)
        for a, sign in enumerate(self.signs):
            for b, sign2 in enumerate(self.signs):
                has = (self.sides[:, a] >= 0) & (self.sides[:, b] >= 0)
                at = (self.set_of_row[has] * size + self.sides[has, a]) * size + self.sides[has, b]
                found += sign * sign2 * np.bincount(at, w[has], len(found))
        return found.reshape(-1, size, size)

    def variances(self, covariance: FloatArray) -> FloatArray:
        """float[r]: z'Vz of each contest, for V of each set, float[G, m + q, m + q]."""
        wide = np.pad(covariance, ((0, 0), (0, 1), (0, 1)))  # the last is what -1 reads
        found = np.zeros(len(self.rows))
        for a, sign in enumerate(self.signs):
            for b, sign2 in enumerate(self.signs):
                found += sign * sign2 * wide[self.set_of_row, self.sides[:, a], self.sides[:, b]]
        return found


@dataclass(frozen=True, eq=False)
class Nesting:
    """Which component's effects fall into sets, and what meets what.
    kept int[D]: effects of the others.  `rest` int[s]: contests without an effect of that component."""

    nested: slice
    kept: IntArray
    groups: tuple[Group, ...]
    rest: IntArray
    cost: float


def nesting_of(design: Design) -> Nesting:
    """The component whose elimination leaves least to do, and its sets."""
    return min((_nesting(design, c) for c in range(len(component_sizes(design)))), key=lambda n: n.cost)


def _nesting(design: Design, component: int) -> Nesting:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = np.cumsum((0, *component_sizes(design)))
    low, high = int(ends[component]), int(ends[component + 1])
    first, second = (np.atleast_2d(side.T).T for side in (design.first, design.second))
    sides = np.hstack([first, second]).astype(np.int64)
    a, b = first[:, component], second[:, component]
    both = (a >= 0) & (b >= 0)
    graph = coo_matrix((np.ones(both.sum()), (a[both] - low, b[both] - low)), shape=(high - low,) * 2)
    _, label = connected_components(graph, directed=False)
    set_of_row = np.where(a >= 0, label[a - low], np.where(b >= 0, label[b - low], -1))
    kept = np.concatenate([np.arange(low), np.arange(high, ends[-1])])
    place = np.full(ends[-1] + 1, -1)
    place[kept] = np.arange(len(kept))
    signs = np.repeat([1.0, -1.0], first.shape[1])
    order = np.argsort(label, kind="stable")
    owns = np.split(order + low, np.flatnonzero(np.diff(label[order])) + 1)
    by_row = np.argsort(set_of_row, kind="stable")
    starts = np.searchsorted(set_of_row[by_row], np.arange(len(owns) + 1))
    shapes: dict[tuple[int, int], list[tuple[IntArray, IntArray, IntArray]]] = {}
    for s, own in enumerate(owns):
        rows = by_row[starts[s] : starts[s + 1]]
        met = np.unique(sides[rows])
        met = place[met[met >= 0]]
        met = met[met >= 0]
        shapes.setdefault((len(own), len(met)), []).append((own, met, rows))
    cost = float(len(kept)) ** 3 + sum(len(sets) * m * float(m + q) ** 2 for (m, q), sets in shapes.items())
    groups = tuple(_group(sets, sides, kept, signs, int(ends[-1])) for sets in shapes.values())
    return Nesting(slice(low, high), kept, groups, np.flatnonzero(set_of_row < 0), cost)


def _group(
    sets: Sequence[tuple[IntArray, IntArray, IntArray]],
    sides: IntArray,
    kept: IntArray,
    signs: FloatArray,
    k: int,
) -> Group:
    local = np.full(k + 1, -1)  # the last is what -1 reads
    found = []
    for own, met, rows in sets:
        inside = np.concatenate([own, kept[met]]).astype(np.int64)
        local[inside] = np.arange(len(inside))
        found.append(local[sides[rows]])
        local[inside] = -1
    return Group(
        np.array([own for own, _, _ in sets]),
        np.array([met for _, met, _ in sets], dtype=np.int64).reshape(len(sets), -1),
        np.concatenate([rows for _, _, rows in sets]),
        np.repeat(np.arange(len(sets)), [len(rows) for _, _, rows in sets]),
        np.concatenate(found),
        signs,
    )


class NestedFactor:
    """A of all effects, those of one component in sets.
    design: whose K parameters are the effects.  weights float[n]: w >= 0.  precision float[K]: 1 / sigma^2 of
    every effect."""

    def __init__(self, design: Design, weights: FloatArray, precision: FloatArray, nesting: Nesting) -> None:
        self.nesting, self.k, self.n = nesting, len(precision), design.n_rows
        d = len(nesting.kept)
        schur = np.diag(precision[nesting.kept])
        self.rest = _alone(design, nesting) if d and len(nesting.rest) else None
        if self.rest is not None:
            schur += self.rest.gram(weights[nesting.rest])
        self.log_det = 0.0
        self.inverses: list[FloatArray] = []
        self.shares: list[FloatArray] = []
        for group in nesting.groups:
            m = group.own.shape[1]
            gram = group.gram(weights)
            own = gram[:, :m, :m] + precision[group.own][:, :, None] * np.eye(m)
            self.log_det += 2.0 * float(np.log(np.diagonal(np.linalg.cholesky(own), axis1=1, axis2=2)).sum())
            inverse = np.asarray(np.linalg.inv(own), float)
            share = inverse @ gram[:, :m, m:]
            left = gram[:, m:, m:] - np.swapaxes(gram[:, :m, m:], 1, 2) @ share
            np.add.at(schur, (group.met[:, :, None], group.met[:, None, :]), left)
            self.inverses.append(inverse)
            self.shares.append(share)
        self.covariance = np.zeros((0, 0))
        if d:
            self.log_det += 2.0 * float(np.log(np.diag(factored(schur.copy()))).sum())
            self.covariance = inverse_of(schur)

    def solve(self, values: FloatArray) -> FloatArray:
        """A^-1 v, float[K] or float[K, q]."""
        v = values.reshape(self.k, -1)
        found = np.zeros(v.shape)
        kept = v[self.nesting.kept].copy()
        for group, share in zip(self.nesting.groups, self.shares):
            np.subtract.at(kept, group.met, np.einsum("gmq,gmc->gqc", share, v[group.own]))
        kept = self.covariance @ kept
        found[self.nesting.kept] = kept
        for group, share, inverse in zip(self.nesting.groups, self.shares, self.inverses):
            found[group.own] = inverse @ v[group.own] - share @ kept[group.met]
        return found.reshape(values.shape)

    def _of_sets(self) -> list[FloatArray]:
        """A^-1 of the effects of each set and those that they meet."""
        found = []
        for group, share, inverse in zip(self.nesting.groups, self.shares, self.inverses):
            met = self.covariance[group.met[:, :, None], group.met[:, None, :]]
            across = -share @ met
            own = inverse - across @ np.swapaxes(share, 1, 2)
            top = np.concatenate([own, across], axis=2)
            found.append(
                np.concatenate([top, np.concatenate([np.swapaxes(across, 1, 2), met], axis=2)], axis=1)
            )
        return found

    @property
    def diagonal(self) -> FloatArray:
        """float[K]: that of A^-1."""
        found = np.zeros(self.k)
        found[self.nesting.kept] = np.diag(self.covariance)
        for group, covariance in zip(self.nesting.groups, self._of_sets()):
            found[group.own] = np.diagonal(covariance, axis1=1, axis2=2)[:, : group.own.shape[1]]
        return found

    @property
    def spreads(self) -> FloatArray:
        """float[n]: z'A^-1 z of each row."""
        found = np.zeros(self.n)
        for group, covariance in zip(self.nesting.groups, self._of_sets()):
            found[group.rows] = group.variances(covariance)
        if self.rest is not None:
            found[self.nesting.rest] = self.rest.variances(self.covariance)
        return found

    def squared_traces(self, parts: Sequence[slice]) -> FloatArray:
        """float[C, C]: sum of the squares of A^-1 between the effects of two components."""
        d = len(self.nesting.kept)
        place = np.full(self.k, -1)
        place[self.nesting.kept] = np.arange(d)
        found = np.zeros((len(parts), len(parts)))
        squares = np.zeros((d, d))  # R'R
        cross = np.zeros(d)  # squares of -R S^-1 by column
        own = 0.0
        for group, share, inverse in zip(self.nesting.groups, self.shares, self.inverses):
            inner = np.swapaxes(share, 1, 2) @ share
            np.add.at(squares, (group.met[:, :, None], group.met[:, None, :]), inner)
            met = self.covariance[group.met[:, :, None], group.met[:, None, :]]
            back = share @ met @ np.swapaxes(share, 1, 2)
            own += float((inverse**2).sum()) + 2.0 * float((inverse * back).sum())
        if d:
            both = self.covariance @ squares
            own += float((both * both.T).sum())
            cross = np.einsum("ij,ji->i", both, self.covariance)
        for i, a in enumerate(parts):
            for j, b in enumerate(parts):
                if a == self.nesting.nested and b == self.nesting.nested:
                    found[i, j] = own
                elif self.nesting.nested in (a, b):
                    found[i, j] = float(cross[place[b if a == self.nesting.nested else a]].sum())
                else:
                    found[i, j] = float((self.covariance[np.ix_(place[a], place[b])] ** 2).sum())
        return found


def _alone(design: Design, nesting: Nesting) -> Design:
    """Contests without an effect of the nested component, as a function of the kept effects."""
    return design.subset(nesting.rest).without(np.arange(nesting.nested.start, nesting.nested.stop))


def factor_of(
    design: Design, weights: FloatArray, precision: FloatArray, like: DenseFactor | NestedFactor | None = None
) -> DenseFactor | NestedFactor:
    """A factored, as one matrix or by sets, whichever is less to do.
    design: whose K parameters are the effects.  weights float[n].  precision float[K]."""
    if isinstance(like, DenseFactor) or (like is None and len(precision) <= FEW):
        return DenseFactor(design, weights, precision)
    nesting = nesting_of(design) if like is None else like.nesting
    if nesting.cost > 0.1 * float(len(precision)) ** 3:
        return DenseFactor(design, weights, precision)
    most = max(len(nesting.kept), max(group.size for group in nesting.groups))
    if most > MOST_TOGETHER:
        raise TooLargeError(
            f"{most} of {len(precision)} random effects meet each other; the limit is {MOST_TOGETHER}"
        )
    return NestedFactor(design, weights, precision, nesting)
