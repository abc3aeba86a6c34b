"""Whether the estimate exists: separation, and columns that cannot be told apart.

A direction v of the parameters *separates* the contests if x'v >= 0 in every row with a win, x'v <= 0 in
every row with a loss, and one of them is strict: the likelihood then grows along v without end, under any of
the links (Albert and Anderson 1984, Biometrika 71, 1-10; Konis 2007).  Rows with both outcomes demand x'v =
0, so v lies in their null space, which is mostly {0}; within it one linear programme finds a generic
direction:

    maximise sum_k s_k   subject to   0 <= s_k <= 1,   x_k'v >= s_k (rows with wins only), -x_k'v >= s_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, NotEstimableError, TooLargeError
from .contests import Contests

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Rows of a linear programme; more take minutes.
MOST_ROWS = 200_000
#: Eigenvalues below this, relative to the largest, are zeros: they come out near 1e-16.
ZERO = 1e-10


@dataclass(frozen=True, eq=False)
class Separation:
    """A direction along which the likelihood grows without end.

    direction float[p]: of the parameters; its largest element is 1 in absolute value.  infinite: the
    parameters that it moves.  rows int[r]: rows, as given, whose result is certain in the limit.
    """

    direction: FloatArray
    infinite: tuple[str, ...]
    rows: IntArray


def separation(contests: Contests) -> Separation | None:
    """The separation of contests, or None if their estimate is finite."""
    pooled = contests.pooled()
    both = (pooled.wins > 0) & (pooled.losses > 0)
    inside = null_space(pooled.design.gram(both.astype(float)))
    one_sided = np.flatnonzero(~both)
    if not inside.shape[1] or not len(one_sided):
        return None
    sign = np.where(pooled.wins[one_sided] > 0, 1.0, -1.0)
    demands = sign[:, None] * _within(pooled, one_sided, inside)
    moved, strict = _programme(demands)
    if not strict.any():
        return None
    direction = inside @ moved
    direction /= np.abs(direction).max()
    direction[np.abs(direction) < 1e-7] = 0.0
    names = contests.design.names
    rows = np.flatnonzero(np.isin(contests.groups()[1], one_sided[strict]))
    return Separation(direction, tuple(names[k] for k in np.flatnonzero(direction)), rows)


def aliased(contests: Contests) -> tuple[str, ...]:
    """Names of the parameters that cannot be told apart in these contests.

    Returns tuple of str: empty if the columns of the design are linearly independent.
    """
    gram = contests.design.gram((contests.totals > 0).astype(float))
    null = null_space(gram)
    if not null.shape[1]:
        return ()
    moved = np.abs(null).max(axis=1) > 1e-7 * np.abs(null).max()
    return tuple(name for name, there in zip(contests.design.names, moved) if there)


def examine(contests: Contests) -> None:
    """Return if a unique finite estimate exists."""
    same = aliased(contests)
    if same:
        raise NotEstimableError(
            f"{listed(same)}: cannot be told apart in these contests; leave one of them out"
        )
    found = separation(contests)
    if found is not None:
        raise NotEstimableError(
            f"{listed(found.infinite)}: the estimate is infinite (separation): in {len(found.rows)} of"
            f" {contests.n_used} rows, the first of them row {found.rows[0] + 1}, the result is certain in the"
            " limit. Leave the term out, pool, or reduce the bias of the estimate (Firth 1993)"
        )


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names with commas between them, and how many more there are.

    most: names to write out.
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def null_space(gram: FloatArray) -> FloatArray:
    """Orthonormal basis of the null space of X'X, in units in which the columns of X have length 1.

    gram float[p, p]: X'X.  Returns float[p, k]: in the units of X.
    """
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    scale = np.where(size > 0, size, 1.0)
    if not len(gram):
        return np.zeros((0, 0))
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    return np.asarray(vectors[:, values <= ZERO * max(float(values.max()), 1e-300)] / scale[:, None])


def _within(contests: Contests, rows: IntArray, inside: FloatArray) -> FloatArray:
    """float[r, k]: these rows of X times the basis, of length 1 or 0."""
    found = np.vstack(
        [contests.design.rows(part) @ inside for part in np.array_split(rows, len(rows) // 4096 + 1)]
    )
    length = np.sqrt((found**2).sum(axis=1))
    scale = np.sqrt((contests.design.rows(rows[:1]) ** 2).sum()) + np.abs(found).max()
    return np.asarray(
        np.where((length > 1e-9 * scale)[:, None], found / np.maximum(length, 1e-300)[:, None], 0.0)
    )


def _programme(demands: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """A generic direction that no demand forbids, and which demands it meets strictly."""
    from scipy import sparse
    from scipy.optimize import linprog

    distinct, label = np.unique(demands.round(12), axis=0, return_inverse=True)
    if len(distinct) > MOST_ROWS:
        raise TooLargeError(
            f"the solver did not converge; to see why takes a linear programme of {len(distinct):,} rows, and the"
            f" limit is {MOST_ROWS:,}. Fit fewer parameters, or reduce the bias of the estimate"
        )
    m, k = distinct.shape
    result = linprog(
        c=np.concatenate([np.zeros(k), -np.ones(m)]),
        A_ub=sparse.hstack([sparse.csr_matrix(-distinct), sparse.identity(m)]).tocsr(),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * m,
        method="highs",
    )
    if result.x is None:
        raise ConvergenceError(f"the search for infinite parameters failed: {result.message}")
    strict = result.x[k:] > 0.5  # a cone: what can be positive at all can be 1
    return np.asarray(result.x[:k]), np.asarray(strict[np.asarray(label).reshape(-1)])
