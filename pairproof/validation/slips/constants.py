"""The constants of a table that a deviance, an AIC and similar numbers need in addition to a fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .fits import TREATMENTS, Model, Solver, treated
from .rows import Rows, partition

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Constants:
    """The constants of B tables on one set of cells, float[B] each.

    saturated: log-likelihood of the observed shares.  cells: number of cells that are not empty.  empty:
    number of pairs and strata without a comparison.  binomial, poisson: the constants that R's binomial and
    Poisson log-likelihoods add to `llf`.  total: number of comparisons.  null: log-likelihood of equal items,
    with the tie parameter.  null_rank: number of parameters of that model.
    """

    saturated: FloatArray
    cells: FloatArray
    empty: FloatArray
    binomial: FloatArray
    poisson: FloatArray
    total: FloatArray
    null: FloatArray
    null_rank: FloatArray


def constants(model: Model, variants: Sequence[Rows], solver: Solver) -> Constants:
    """The constants of every variant of a table, with the solver's treatment of ties and its cells."""
    from scipy.special import gammaln, xlogy

    found = []
    binary = TREATMENTS[solver.ties][0] == "binary" or not model.rows.tie_category
    outcomes = [0, 2] if binary else [0, 1, 2]
    for rows in variants:
        y, times, _ = partition(rows, model.cells, solver.cells)
        y = treated(y, solver.ties)
        n = y.sum(axis=1)
        times = times * (n > 0)
        saturated = times @ (xlogy(y, y).sum(axis=1) - xlogy(n, n))
        binomial = times @ (gammaln(n + 1) - gammaln(y[:, 0] + 1) - gammaln(y[:, 2] + 1))
        poisson = times @ (xlogy(n, n) - n - gammaln(y[:, outcomes] + 1).sum(axis=1))
        counts, cells = (y * times[:, None]).sum(axis=0), times.sum()
        empty = max(0.0, model.cells.possible - cells)
        null = _null(counts, solver.ties, binary)
        found.append((saturated, cells, empty, binomial, poisson, counts.sum(), *null))
    return Constants(*np.array(found, float).T)


def _null(counts: FloatArray, ties: str, binary: bool) -> tuple[float, float]:
    """Log-likelihood and number of parameters of the model of equal items."""
    n, tied = float(counts.sum()), float(counts[1])
    if binary:
        return -n * math.log(2.0), 0.0
    if ties == "none":
        return -n * math.log(3.0), 0.0
    decided = n - tied
    llf = (tied * math.log(tied / n) if tied else 0.0) + (
        decided * math.log(decided / (2.0 * n)) if decided else 0.0
    )
    return llf, 1.0
