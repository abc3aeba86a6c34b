"""Directions along which a log-likelihood never falls: a generic one, and what is infinite along them, and which way.

A direction b of the parameters is a *direction of recession* if the log-likelihood never decreases along it
(Geyer 2009, Electronic Journal of Statistics 3, 259-289).  These directions are a cone D d >= 0, with a row of D
for what each observed outcome demands.  One linear programme finds a generic direction of it: maximise sum_k s_k
subject to 0 <= s_k <= 1 and D_k'b >= s_k.  Along those in its inside c'b tends to +inf if c'd >= 0 on the whole
cone and not always 0, that is if c is a nonnegative combination of the rows of D (Farkas); to -inf if -c is one;
it is finite if c'd = 0 on the span of the cone and of the directions along which the likelihood is flat; else the
data do not determine it.  Where all rows of D are differences of two items, the one above the other, a difference
of two items is such a combination if and only if a chain of them leads from one item to the other (Ford 1957): no
combination is sought.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ConvergenceError
from .arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: A direction's entries are of order 1; what is left of an exact 0 after its arithmetic is below 1e-12.
NULL_TOLERANCE = 1e-9


def generic_direction(demands: FloatArray | csr_matrix) -> tuple[FloatArray, BoolArray]:
    """A generic direction d with D d >= 0 for D float[m, p], and which of these demands it meets strictly."""
    from scipy import sparse
    from scipy.optimize import linprog

    m, p = demands.shape
    result = linprog(
        c=np.concatenate([np.zeros(p), -np.ones(m)]),
        A_ub=sparse.hstack([-sparse.csr_matrix(demands), sparse.eye(m)]).tocsr(),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * p + [(0.0, 1.0)] * m,
        method="highs",
    )
    if result.x is None:
        raise ConvergenceError(f"the search for infinite parameters failed: {result.message}")
    strict = result.x[p:] > 0.5  # a cone: what can be positive at all can be 1
    return np.asarray(result.x[:p]), np.asarray(strict)


#: What nonnegative least squares leave of a vector of length 1 that is in the cone: rows and vectors are
#: rounded to 1e-9 (one difference of two items was missed by as much); of one outside it tenths are left.
IN_CONE = 1e-7
#: Numbers of a table of differences at most, 160 MB.
MOST_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class AtInfinity:
    """The directions along which a likelihood is flat or grows without end.
    null float[n_params, k]: their span, in a fit's parameters.  rows float[m, k]: the rows of D in the
    coordinates of `null`, each of length 1 in its largest entry.  abilities: how the abilities of each
    pattern of covariates move along `null`; () where that is of no use."""

    null: FloatArray
    rows: FloatArray
    abilities: tuple[FloatArray, ...] = ()

    def values(self, functions: FloatArray, finite: FloatArray) -> FloatArray:
        """float[m]: limits of linear functions, float[m, n_params]; `finite` where they are finite, nan where
        they are not determined."""
        return self.signs(functions @ self.null, finite)

    def signs(self, along: FloatArray, finite: FloatArray) -> FloatArray:
        """The same for functions in the coordinates of `null`, float[m, k]."""
        out = np.array(finite, float)
        size = np.abs(along).max(axis=1, initial=0.0)
        moved = np.flatnonzero(size >= NULL_TOLERANCE)
        if not len(moved):
            return out
        different, back = np.unique(unit_rows(along[moved]), axis=0, return_inverse=True)
        out[moved] = np.array([self._sign(c) for c in different])[np.ravel(back)]
        return out

    @cached_property
    def _by_chains(self) -> dict[bytes, float]:
        """Signs of differences of two items, as far as chains of rows decide them."""
        rows = {row.tobytes() for row in self.rows}
        found: dict[bytes, float] = {}
        for abilities in self.abilities:
            distinct = np.unique(np.round(abilities, 9), axis=0)
            k = len(distinct)
            if k < 2 or k * k * distinct.shape[1] > MOST_ENTRIES:
                continue
            i, j = (v.ravel() for v in np.nonzero(~np.eye(k, dtype=bool)))
            keys = [row.tobytes() for row in unit_rows(distinct[i] - distinct[j])]
            above = np.eye(k, dtype=bool)
            above[i, j] = [key in rows for key in keys]
            decided = len(self.abilities) == 1 and int(above.sum()) - k == len(rows)
            above = closure(above)
            for key, over, under in zip(keys, above[i, j], above[j, i]):
                if over or under:
                    found[key] = np.inf if over else -np.inf
                elif decided:
                    found[key] = np.nan
        return found

    def _sign(self, c: FloatArray) -> float:
        known = self._by_chains.get(c.tobytes())
        if known is not None:
            return known
        if _in_cone(self.rows, c):
            return float("inf")
        return float("-inf") if _in_cone(self.rows, -c) else float("nan")


def unit_rows(rows: FloatArray) -> FloatArray:
    """Rows of length 1 in their largest entry, so rounded that equal ones have equal bytes."""
    return np.asarray(np.round(rows / np.abs(rows).max(axis=1)[:, None], 9) + 0.0)  # no -0


def closure(above: BoolArray) -> BoolArray:
    """Which chains lead from one to another."""
    while True:
        further = (above.astype(np.float32) @ above.astype(np.float32)) > 0
        if np.array_equal(further, above):
            return further
        above = further


def _in_cone(rows: FloatArray, c: FloatArray) -> bool:
    from scipy.optimize import nnls

    if not len(rows):
        return False
    _, left = nnls(rows.T, c / np.linalg.norm(c))
    return bool(left < IN_CONE)


def held_at_minus_infinity(n_params: int, place: int) -> AtInfinity:
    """One parameter tends to -inf: a Davidson tie parameter without ties."""
    null = np.zeros((n_params, 1))
    null[place] = 1.0
    return AtInfinity(null, np.array([[-1.0]]))


def both(one: AtInfinity | None, other: AtInfinity | None) -> AtInfinity | None:
    """What is infinite by the one or the other: the second's directions do not enter the first's demands."""
    if one is None or other is None:
        return other if one is None else one
    a, b = one.null.shape[1], other.null.shape[1]
    rows = np.zeros((len(one.rows) + len(other.rows), a + b))
    rows[: len(one.rows), :a], rows[len(one.rows) :, a:] = one.rows, other.rows
    wider = tuple(np.pad(abilities, ((0, 0), (0, b))) for abilities in one.abilities)
    return AtInfinity(np.concatenate([one.null, other.null], axis=1), rows, wider)
