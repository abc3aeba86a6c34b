"""The limit of a separated estimate: what is finite, what is infinite, what is not determined.

Along a generic direction of separation the results of some rows become certain; the likelihood of the other
rows has a finite maximum, the supremum of the whole likelihood (Geyer 2009, Electronic Journal of Statistics
3, 259-289).  A parameter that does not move along any direction in which these rows are flat has its finite
estimate and standard error there.  R's glm reports the same numbers for such parameters, and for the others
wherever its iterations happened to stop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .contests import Contests
from .estimate import StructuredEstimate, fit_structured
from .existence import null_space, separation

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LimitingEstimate:
    """A maximum-likelihood estimate that may have infinite parameters.

    names: of the p parameters.  theta float[p]: inf or -inf for a parameter that grows along the direction of
    separation, NaN for one that the rows left do not determine.  standard_errors float[p]: NaN where theta is
    not finite.  certain int[r]: rows whose result has probability 1 in the limit; empty without separation.
    `rest`: of the other rows, with one parameter for each flat direction left out.
    """

    names: tuple[str, ...]
    theta: FloatArray
    standard_errors: FloatArray
    certain: IntArray
    rest: StructuredEstimate


def fit_limiting(contests: Contests, link_name: str = "logit") -> LimitingEstimate:
    """The maximum-likelihood estimate of contests that may be separated.

    link_name: "logit", "probit" or "cauchit".
    """
    limit = limiting_contests(contests)
    rest = fit_structured(limit.contests, link_name)
    names = contests.design.names
    theta, errors = np.full((2, len(names)), np.nan)
    kept = np.setdiff1d(np.arange(len(theta)), limit.dropped)
    theta[kept], errors[kept] = rest.theta, rest.standard_errors
    theta[limit.moved], errors[limit.moved] = np.nan, np.nan
    grows = limit.direction != 0
    theta[grows], errors[grows] = np.sign(limit.direction[grows]) * np.inf, np.nan
    return LimitingEstimate(names, theta, errors, limit.certain, rest)


@dataclass(frozen=True, eq=False)
class Limit:
    """The contests that stay uncertain in the limit of a separated estimate.

    contests: without the rows whose result is certain, and with one parameter fixed for each flat direction.
    certain int[r]: rows whose result is certain.  direction float[p]: of separation; 0 without any.  dropped
    int[k]: parameters that were fixed.  moved bool[p]: parameters that the contests left do not determine.
    """

    contests: Contests
    certain: IntArray
    direction: FloatArray
    dropped: IntArray
    moved: BoolArray


def limiting_contests(contests: Contests) -> Limit:
    """What is left of contests when those that separation makes certain are taken out."""
    found = separation(contests)
    certain = np.zeros(0, dtype=np.int64) if found is None else found.rows
    left = np.setdiff1d(np.flatnonzero(contests.totals > 0), certain)
    design = contests.design.subset(left)
    flat = null_space(design.gram(np.ones(len(left))))
    dropped = pivots(flat)
    return Limit(
        Contests(design.without(dropped), contests.wins[left], contests.losses[left]),
        certain,
        np.zeros(len(design.names)) if found is None else found.direction,
        dropped,
        np.asarray(np.abs(flat).max(axis=1, initial=0.0) > 1e-7),
    )


def pivots(flat: FloatArray) -> IntArray:
    """One parameter for each flat direction, which fixes it.

    flat float[p, k]: independent directions.  Returns int[k].
    """
    from scipy.linalg import qr

    if not flat.shape[1]:
        return np.zeros(0, dtype=np.int64)
    _, _, order = qr(flat.T, pivoting=True, mode="economic")
    return np.asarray(order[: flat.shape[1]], dtype=np.int64)
