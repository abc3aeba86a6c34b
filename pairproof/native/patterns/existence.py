"""Whether the estimate exists: which parameters are infinite, and which cannot be told apart.

A direction v of the parameters is a *direction of recession* if the log-likelihood never falls along it
(Geyer 2009, Electronic Journal of Statistics 3, 259-289).  Each observed answer then keeps up with every
other pattern: d'v >= 0 for its *demands* d.  Where some d'v > 0 the parameters along v are infinite.  A
generic direction is found by one linear programme:

    maximise sum_k s_k    subject to    0 <= s_k <= 1,    d_k' v >= s_k.

Along a direction to which every score is orthogonal, wherever the parameters are, the likelihood is constant
and they cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, NotEstimableError, TooLargeError
from .likelihood import Likelihood

FloatArray = NDArray[np.float64]

#: Demands of a linear programme; more take minutes.
MOST_DEMANDS = 200_000


def examine(likelihood: Likelihood, weights: FloatArray, names: Sequence[str]) -> None:
    """Return if the estimate exists, as far as the observed answers tell.

    likelihood: of n answers with p parameters.  weights float[n]: answers of weight 0 demand nothing.
    """
    direction = recession(likelihood, weights)
    if direction is not None:
        raise NotEstimableError(
            f"{_named(direction[:, None], names)}: the estimate is infinite: along it the answers observed grow"
            " more probable without end (separation); leave it out, or pool answers or groups"
        )
    flat = _flat(likelihood, weights)
    if flat.shape[1]:
        raise NotEstimableError(
            f"{_named(flat, names)}: cannot be told apart in these answers; leave one of them out"
        )


def recession(likelihood: Likelihood, weights: FloatArray) -> FloatArray | None:
    """A generic direction along which the likelihood grows without end.

    likelihood: of n answers with p parameters.  weights float[n]: answers of weight 0 demand nothing.
    Returns float[p] or None: none if there is no such direction.
    """
    demands = demands_of(likelihood, weights)
    return recession_of(demands) if len(demands) else None


def _named(directions: FloatArray, names: Sequence[str]) -> str:
    """Names of the parameters that a direction moves."""
    moved = np.abs(directions).max(axis=1) > 1e-7 * np.abs(directions).max()
    return ", ".join(name for name, there in zip(names, moved) if there)


def demands_of(likelihood: Likelihood, weights: FloatArray) -> FloatArray:
    """float[m, p]: distinct demands of all groups, none of them 0."""
    found = []
    for rows, matrix in zip(likelihood.rows, likelihood.maps):
        seen = rows[weights[rows] > 0]
        if len(seen):
            found.append(likelihood.space.demands(seen) @ matrix)
    rows_of_all = np.concatenate(found)
    length = np.sqrt((rows_of_all**2).sum(axis=1))
    kept = rows_of_all[length > 1e-12] / length[length > 1e-12, None]
    # Rounded for the comparison of rows only: what differs in the 12th digit demands the same.
    _, first = np.unique(kept.round(12), axis=0, return_index=True)
    if len(first) > MOST_DEMANDS:
        raise TooLargeError(
            f"the solver did not converge; to see why takes a linear programme of {len(first):,} rows,"
            f" and the limit is {MOST_DEMANDS:,}. Fit fewer parameters"
        )
    return np.asarray(kept[np.sort(first)])


def recession_of(demands: FloatArray) -> FloatArray | None:
    """A generic direction of recession that is strict somewhere, or None."""
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
    return np.asarray(result.x[:p]) if strict.any() else None


def _flat(likelihood: Likelihood, weights: FloatArray) -> FloatArray:
    """float[p, k]: directions that neither scores nor information know of at three places that were drawn.

    Both are of order 1 along a direction that moves the likelihood, and of 1e-15 along one that does not.
    Scores alone would not do: 36 races of 83 drivers have too few of them.
    """
    draw = np.random.default_rng(1)
    gram = np.zeros((likelihood.n_params,) * 2)
    for _ in range(3):
        here = likelihood.at(0.3 * draw.normal(size=len(gram)))
        scores = here.scores[weights > 0]
        bent, along = np.linalg.eigh(here.information(weights))
        gram += scores.T @ scores + (along * np.abs(bent)) @ along.T
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-20 * max(float(gram.max()), 1e-300)))
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    return np.asarray(vectors[:, values <= 1e-12] / scale[:, None])
