"""Functions of the parameters whose estimate is infinite: +inf, -inf, or not determined.

If the estimate does not exist, the likelihood grows towards its supremum along the directions d of a cone::

    D d >= 0,    a row of D for every observed outcome: its linear predictor must keep up with the others

(module :mod:`pairproof.native.pairs.existence`).  Along the directions in the inside of the cone c'b tends to +inf if
c'd >= 0 on the whole cone and not always 0, that is if c is a nonnegative combination of the rows of D (Farkas); to
-inf if -c is one; it is finite if c'd = 0 on the span of the cone and of the directions along which the likelihood is
flat; else the data do not determine it.

Where all rows of D are differences of two items, the one above the other, a difference of two items is such a
combination if and only if a chain of them leads from one item to the other (Ford 1957): no combination is sought.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...fit.record import NULL_TOLERANCE
from ..pairs.existence import demands
from ..pairs.problem import Problem

FloatArray = NDArray[np.float64]

#: What nonnegative least squares leave of a vector of length 1 that is in the cone: rows and vectors are
#: rounded to 1e-9 (one difference of two items was missed by as much); of one outside it tenths are left.
IN_CONE = 1e-7
#: Numbers of a table of differences at most, 160 MB, and patterns whose chains are looked at.
MOST_ENTRIES, MOST_PATTERNS = 20_000_000, 50


@dataclass(frozen=True, eq=False)
class AtInfinity:
    """The directions along which a likelihood is flat or grows without end.

    null float[n_params, k]: their span, in a fit's parameters.  rows float[m, k]: the rows of D in the
    coordinates of `null`, each of length 1 in its largest entry.  abilities: how the abilities of each
    pattern of covariates move along `null`; () where that is of no use.
    """

    null: FloatArray
    rows: FloatArray
    abilities: tuple[FloatArray, ...] = ()

    def values(self, functions: FloatArray, finite: FloatArray) -> FloatArray:
        """float[m]: limits of linear functions, float[m, n_params]; `finite` where they are finite, nan where they are
        not determined.
        """
        return self.signs(functions @ self.null, finite)

    def signs(self, along: FloatArray, finite: FloatArray) -> FloatArray:
        """The same for functions in the coordinates of `null`, float[m, k]."""
        out = np.array(finite, float)
        size = np.abs(along).max(axis=1, initial=0.0)
        moved = np.flatnonzero(size >= NULL_TOLERANCE)
        if not len(moved):
            return out
        different, back = np.unique(_unit(along[moved]), axis=0, return_inverse=True)
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
            keys = [row.tobytes() for row in _unit(distinct[i] - distinct[j])]
            above = np.eye(k, dtype=bool)
            above[i, j] = [key in rows for key in keys]
            decided = len(self.abilities) == 1 and int(above.sum()) - k == len(rows)
            above = _closure(above)
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


def _unit(rows: FloatArray) -> FloatArray:
    """Rows of length 1 in their largest entry, so rounded that equal ones have equal bytes."""
    out: FloatArray = np.round(rows / np.abs(rows).max(axis=1)[:, None], 9) + 0.0  # no -0
    return out


def _closure(above: NDArray[np.bool_]) -> NDArray[np.bool_]:
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


def predictors(problem: Problem, params: FloatArray) -> tuple[FloatArray, FloatArray]:
    """float[n_cells, k] twice: log-odds and tie parameter of every cell for parameters float[n_params, k]."""
    cells, t = problem.cells, problem.n_terms
    n, at_order, at_rows, at_tie = problem.splits
    u = np.zeros((len(cells), params.shape[1]))
    for term, block in enumerate(params[:n].reshape(t, n // t, -1)):
        ability = block if problem.x is None else problem.x @ block
        u += problem.z[cells.pattern, term][:, None] * (ability[cells.i] - ability[cells.j])
    if at_rows > at_order:
        u += cells.sign[:, None] * (problem.order[cells.pattern] @ params[at_order:at_rows])
    further = problem.further
    if further is not None:
        for m, (x, z) in enumerate(zip(further.x, further.z.T)):
            u += ((x[cells.i] - x[cells.j]) * z[cells.pattern])[:, None] * params[n + m]
        if further.c:
            u += (further.comparison @ params[at_rows:at_tie])[cells.value]
    return u, problem.tie[cells.pattern] @ params[at_tie:]


def at_infinity(problem: Problem, null: FloatArray, outward: FloatArray) -> AtInfinity:
    """What tends to infinity in a problem with counts.

    null float[n_params, k]: span of the flat and of the infinite directions, in the problem's parameters.
    outward float[n_fit, k]: the same directions in the parameters of the fit.
    """
    u, g = predictors(problem, null)
    seen = problem.cells.counts > 0
    parts = []
    for demand in demands(problem.model):
        where = problem.cells.totals > 0 if demand.outcome is None else seen[:, demand.outcome]
        parts.append(demand.of_u * u[where] + demand.of_g * g[where])
    rows = np.concatenate(parts)
    size = np.abs(rows).max(axis=1, initial=0.0)
    kept = size >= NULL_TOLERANCE
    unit = np.unique(_unit(rows[kept]), axis=0) if kept.any() else rows[:0]
    return AtInfinity(outward, unit, _abilities(problem, null))


def _abilities(problem: Problem, null: FloatArray) -> tuple[FloatArray, ...]:
    """How the abilities of each pattern move, if items are free and patterns few."""
    patterns, _ = problem.item_patterns()
    if problem.x is not None or problem.further is not None or len(patterns) > MOST_PATTERNS:
        return ()
    t, j = problem.n_terms, problem.n_items
    moved = np.einsum("st,tjk->sjk", patterns, null[: t * j].reshape(t, j, -1))
    return tuple(moved)


def held_at_minus_infinity(n_params: int, place: int) -> AtInfinity:
    """One parameter tends to -inf: a Davidson tie parameter without ties."""
    null = np.zeros((n_params, 1))
    null[place] = 1.0
    return AtInfinity(null, np.array([[-1.0]]))


def joined(one: AtInfinity, other: AtInfinity) -> AtInfinity:
    """Both: the second's directions do not enter the first's demands."""
    a, b = one.null.shape[1], other.null.shape[1]
    rows = np.zeros((len(one.rows) + len(other.rows), a + b))
    rows[: len(one.rows), :a], rows[len(one.rows) :, a:] = one.rows, other.rows
    wider = tuple(np.pad(abilities, ((0, 0), (0, b))) for abilities in one.abilities)
    return AtInfinity(np.concatenate([one.null, other.null], axis=1), rows, wider)
