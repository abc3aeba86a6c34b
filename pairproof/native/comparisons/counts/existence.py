"""Whether a maximum-likelihood estimate exists; if not, which parameters are infinite, which way, or estimable.

A direction b of the parameters is a *direction of recession* if the log-likelihood never decreases along it:
in every cell the linear predictor of each observed outcome grows at least as fast as those of the others.
Along a generic one the probabilities of some outcomes tend to 0; the limiting model without these outcomes
has a finite estimate (Geyer 2009, Electronic Journal of Statistics 3, 259-289).  A linear function of the
parameters is estimable if and only if it is constant along all directions along which the likelihood of the
limiting model is constant.  What an outcome demands of a direction is (predictor of an observed outcome -
predictor of another)'b >= 0; :mod:`pairproof.numerics.infinity` finds the generic one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ....errors import ConvergenceError
from ....fit.estimates.likelihood import OutcomeModel, outcome_probabilities
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.infinity import NULL_TOLERANCE, AtInfinity, generic_direction, unit_rows
from ....numerics.maxima import complement
from .cells import Problem
from .dense import Dense
from .sparse import Rows, unit_differences

#: An entry below it is what rounding leaves of 0; observed: 1e-15.
ROUNDING = 1e-12


#: Beyond this many parameters (references among them) the null space is not worked out: the time grows with
#: the third power, and 1,500 take a minute with the reference BLAS.
MOST_PARAMETERS = 1500


@dataclass(frozen=True, eq=False)
class Existence:
    """Whether the estimate exists, and what the data determine.
    alive bool[n_cells, 3]: outcomes whose probability stays positive in the limiting model.  separated:
    whether the probability of some outcome tends to 0.  null float[n_inner, k]: directions along which the
    likelihood of the limiting model is constant.  keep float[n_inner, n_inner - k]: orthonormal complement.
    rank: rank of the model itself, infinite parameters counted (as R counts it)."""

    alive: BoolArray
    separated: bool
    null: FloatArray
    keep: FloatArray
    rank: int


def check_size(problem: Problem) -> None:
    """Raise ConvergenceError if there are too many parameters to determine this."""
    if problem.n_params > MOST_PARAMETERS:
        raise ConvergenceError(
            f"the solver did not converge, so some of the {problem.n_params:,} parameters are infinite or"
            f" cannot be distinguished; which ones is worked out for up to {MOST_PARAMETERS:,} parameters. Fit"
            " fewer: pool judges, leave out a term or the order effect, or fit table.unseparated_sets()[0]"
            " alone"
        )


def examine(layout: Dense | Rows) -> Existence:
    """Determine whether the estimate exists and, if not, what is estimable."""
    return of_rows(*predictor_rows(layout), layout.problem.cells.counts, layout.problem.model)


def of_rows(u: sparse.csr_matrix, g: sparse.csr_matrix, y: FloatArray, model: OutcomeModel) -> Existence:
    """The same for linear predictors given as rows, and counts float[n_cells, 3]: u and g of every cell are
    linear functions of any parameters, for example of those that a constraint leaves free."""
    alive = np.ones(y.shape, bool)
    if model == "binary":
        alive[:, 1] = False
    _, everything = _null(_contrasts(u, g, alive, model))
    alive = alive & ~_dying(u, g, y > 0, model)
    null, keep = _null(_contrasts(u, g, alive, model))
    full = np.ones(3, bool) if model != "binary" else np.array([True, False, True])
    return Existence(alive, bool((alive != full).any()), null, keep, everything.shape[1])


def predictor_rows(dense: Dense | Rows) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """u and g of every cell as sparse linear functions of the solver's parameters."""
    if isinstance(dense, Rows):
        return dense.u, dense.g
    n = len(dense.stratum)
    z, d = sparse.csr_matrix(dense.z.columns[dense.stratum]), _differences(dense)
    # Row-wise Kronecker product: terms x items.
    t, k = dense.shape
    columns = [z[:, [c]].multiply(d) for c in range(t)]
    items = sparse.hstack(columns) if columns and k else sparse.csr_matrix((n, 0))
    order = sparse.csr_matrix(dense.order.columns[dense.stratum])
    tie = sparse.csr_matrix(dense.tie.columns[dense.stratum])
    u = sparse.hstack([items, order, sparse.csr_matrix((n, tie.shape[1]))]).tocsr()
    g = sparse.hstack([sparse.csr_matrix((n, items.shape[1] + order.shape[1])), tie]).tocsr()
    return u, g


def _differences(dense: Dense) -> sparse.csr_matrix:
    """Rows x_i - x_j of the cells."""
    d = dense.d
    if d.matrix is not None:
        return sparse.csr_matrix(d.matrix[dense.pair])
    assert d.free is not None
    return unit_differences(d.free[d.i[dense.pair]], d.free[d.j[dense.pair]], d.k + 1)[:, : d.k]


@dataclass(frozen=True)
class Demand:
    """What a direction of recession must satisfy in every cell in which an outcome was observed.
    outcome: first, tie, second; None: in every cell.  of_u, of_g: of_u times the log-odds plus of_g times the
    tie parameter may not fall along the direction.  kills: outcomes whose probability tends to 0 where it
    grows."""

    outcome: int | None
    of_u: float
    of_g: float
    kills: tuple[int, ...]


#: Predictors are u/2, g, -u/2 for first, tie, second; a win under Rao-Kupper keeps up as long as u >= g, a
#: tie as long as g >= |u|.
DEMANDS: dict[OutcomeModel, tuple[Demand, ...]] = {
    "binary": (Demand(0, 1.0, 0.0, (2,)), Demand(2, -1.0, 0.0, (0,))),
    "davidson": (
        Demand(0, 0.5, -1.0, (1,)),
        Demand(2, -0.5, -1.0, (1,)),
        Demand(1, -0.5, 1.0, (0,)),
        Demand(1, 0.5, 1.0, (2,)),
        Demand(0, 0.5, 0.0, (2,)),
        Demand(2, -0.5, 0.0, (0,)),
    ),
    "rao-kupper": (
        Demand(0, 1.0, -1.0, (1, 2)),
        Demand(2, -1.0, -1.0, (0, 1)),
        Demand(1, -1.0, 1.0, (0,)),
        Demand(1, 1.0, 1.0, (2,)),
        Demand(0, 1.0, 1.0, (2,)),
        Demand(2, -1.0, 1.0, (0,)),
        Demand(None, 0.0, 1.0, ()),
    ),
}


def _dying(u: sparse.csr_matrix, g: sparse.csr_matrix, seen: BoolArray, model: OutcomeModel) -> BoolArray:
    """bool[n_cells, 3]: outcomes whose probability tends to 0 along a generic direction of recession."""
    rows, kinds = [], []
    for demand in DEMANDS[model]:
        where = np.ones(len(seen), bool) if demand.outcome is None else seen[:, demand.outcome]
        index = np.flatnonzero(where)
        if len(index):
            rows.append((demand.of_u * u + demand.of_g * g)[index])
            kinds.append((index, demand.kills))
    a = sparse.vstack(rows).tocsr()
    # What rounding leaves of 0 would be a demand once its row has length 1: entries are of order 1.
    a.data[np.abs(a.data) < ROUNDING] = 0.0
    length = np.sqrt(np.asarray(a.multiply(a).sum(axis=1)).ravel())
    a = sparse.diags(1.0 / np.maximum(length, 1e-300)) @ a
    a, place = _different(a.tocsr()) if a.shape[0] > _MANY_ROWS else (a, np.arange(a.shape[0]))
    strict = generic_direction(a)[1][place]
    dying = np.zeros(seen.shape, bool)
    start = 0
    for index, kills in kinds:
        hit = index[strict[start : start + len(index)]]
        for outcome in kills:
            dying[hit, outcome] = True
        start += len(index)
    return dying


#: From this many demands on, equal ones are sought: cells of groups in which the same items are compared.
_MANY_ROWS = 5000


def _different(a: sparse.csr_matrix) -> tuple[sparse.csr_matrix, IntArray]:
    """The different rows, and the place of every row among them.
    Rows are known by two random sums, which are the same to the last bit for equal rows; that different rows
    of doubles share both is as likely as two collisions of 53 bits."""
    a.sort_indices()
    sums = a @ np.random.default_rng(0).random((a.shape[1], 2))
    _, first, place = np.unique(sums, axis=0, return_index=True, return_inverse=True)
    return a[first], np.ravel(place)


def _contrasts(u: sparse.csr_matrix, g: sparse.csr_matrix, alive: BoolArray, model: str) -> sparse.csr_matrix:
    """Linear functions of the parameters on which the likelihood of the possible outcomes depends."""
    half = 1.0 if model == "rao-kupper" else 0.5
    first, tie, second = alive.T
    return sparse.vstack(
        [
            u[np.flatnonzero(first & second)],
            (half * u - g)[np.flatnonzero(first & tie)],
            (half * u + g)[np.flatnonzero(tie & second)],
        ]
    ).tocsr()


def _null(rows: sparse.csr_matrix) -> tuple[FloatArray, FloatArray]:
    """Orthonormal bases of the null space of the rows and of its complement.
    Columns are of order 1 by construction, so that an eigenvalue below 1e-10 of the largest is a zero: zeros
    come out near 1e-16, and a direction seen by one comparison in 1e8 still lies above."""
    gram = np.asarray((rows.T @ rows).todense())
    if len(gram) == 0:
        return np.zeros((0, 0)), np.zeros((0, 0))
    values, vectors = np.linalg.eigh(gram)
    zero = values <= max(1e-10 * values.max(), ROUNDING**2)
    if rows.shape[0] == 0:
        zero[:] = True
    return vectors[:, zero], vectors[:, ~zero]


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
    outward float[n_fit, k]: the same directions in the parameters of the fit."""
    rows = demanded(*predictors(problem, null), problem.cells.counts, problem.model)
    return AtInfinity(outward, rows, _abilities(problem, null))


@dataclass(frozen=True, eq=False)
class Remaining:
    """What constraints leave of a likelihood in the limit.
    keep float[p, k]: orthonormal coordinates of what stays finite, the constraints first.  infinite: the others.  alive
    bool[n, 3] or None: outcomes that stay possible; none: all."""

    keep: FloatArray
    infinite: AtInfinity
    alive: BoolArray | None


def remaining(
    onto: Callable[[FloatArray], tuple[Any, Any]],
    counts: FloatArray,
    model: OutcomeModel,
    constraints: FloatArray,
    null: FloatArray | None,
) -> Remaining | None:
    """What remains along the directions in which constraints float[q, p] @ theta does not change, or None if it is all.
    onto: log-odds and tie parameters of n cells, float[n, k] or sparse, along directions float[p, k].  counts
    float[n, 3].  null float[p, k] or None: the flat and the infinite directions without constraints, where they are
    known: there are no others with them."""
    searched = complement(constraints.T)
    if null is not None:
        # Of the span of `null` what no constraint moves.
        basis = np.linalg.qr(null)[0]
        searched = basis @ complement((constraints @ basis).T)
    if not searched.shape[1]:
        return None
    u, g = (sparse.csr_matrix(np.asarray(part)) for part in onto(searched))
    found = of_rows(u, g, counts, model)
    if not found.separated and not found.null.shape[1]:
        return None
    lost = searched @ found.null
    across = np.linalg.qr(constraints.T)[0]
    keep = np.concatenate([across, complement(np.concatenate([across, lost], axis=1))], axis=1)
    of_u, of_g = (np.asarray(part) for part in onto(lost))
    rows = demanded(of_u, of_g, counts, model)
    return Remaining(keep, AtInfinity(lost, rows), found.alive if found.separated else None)


def demanded(u: FloatArray, g: FloatArray, y: FloatArray, model: OutcomeModel) -> FloatArray:
    """float[m, k]: the different demands of counts y float[n_cells, 3] on k directions, along which log-odds and tie
    parameter move by u and g, float[n_cells, k]; each of length 1 in its largest entry."""
    parts = []
    for demand in DEMANDS[model]:
        where = (y.sum(axis=1) if demand.outcome is None else y[:, demand.outcome]) > 0
        parts.append(demand.of_u * u[where] + demand.of_g * g[where])
    rows = np.concatenate(parts)
    kept = np.abs(rows).max(axis=1, initial=0.0) >= NULL_TOLERANCE
    return np.unique(unit_rows(rows[kept]), axis=0) if kept.any() else rows[:0]


def possible_probabilities(
    u: FloatArray, g: FloatArray, model: OutcomeModel, alive: BoolArray | None
) -> FloatArray:
    """Outcome probabilities where some outcomes have tended to 0."""
    p = outcome_probabilities(u, g, model)
    if alive is None:
        return p
    if model == "rao-kupper":
        # Without one win the other two are a logistic pair, the tie taking what the other win leaves.
        first, second = alive[:, 0], alive[:, 2]
        p[:, 1] = np.where(first & second, p[:, 1], np.where(first, 1.0 - p[:, 0], 1.0 - p[:, 2]))
    p = np.where(alive, p, 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


#: Patterns whose chains are looked at.
MOST_PATTERNS = 50


def _abilities(problem: Problem, null: FloatArray) -> tuple[FloatArray, ...]:
    """How the abilities of each pattern move, if items are free and patterns few."""
    patterns, _ = problem.item_patterns()
    if problem.x is not None or problem.further is not None or len(patterns) > MOST_PATTERNS:
        return ()
    t, j = problem.n_terms, problem.n_items
    moved = np.einsum("st,tjk->sjk", patterns, null[: t * j].reshape(t, j, -1))
    return tuple(moved)
