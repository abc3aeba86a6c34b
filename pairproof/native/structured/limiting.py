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

    Attributes
    ----------
    names : tuple of str
        Of the p parameters.
    theta : float[p]
        inf or -inf for a parameter that grows along the direction of separation, NaN for one that the rows
        left do not determine.
    standard_errors : float[p]
        NaN where theta is not finite.
    certain : int[r]
        Rows whose result has probability 1 in the limit; empty without separation.
    rest : StructuredEstimate
        Of the other rows, with one parameter for each flat direction left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.limiting import fit_limiting
    >>> design = contest_design([0, 1, 2], [1, 2, 3], ["A", "B", "C", "D"])  # nobody loses to D
    >>> found = fit_limiting(Contests(design, np.array([2.0, 1, 3]), np.array([1.0, 2, 0])))
    >>> dict(zip(found.names, found.theta.round(6).tolist())), found.certain.tolist()
    ({'B': -0.693147, 'C': 0.0, 'D': -inf}, [2])
    """

    names: tuple[str, ...]
    theta: FloatArray
    standard_errors: FloatArray
    certain: IntArray
    rest: StructuredEstimate


def fit_limiting(contests: Contests, link_name: str = "logit") -> LimitingEstimate:
    """The maximum-likelihood estimate of contests that may be separated.

    Parameters
    ----------
    contests : Contests
    link_name : str
        "logit", "probit" or "cauchit".

    Returns
    -------
    LimitingEstimate

    Raises
    ------
    InputError, TooLargeError, ConvergenceError
        As :func:`pairproof.native.structured.estimate.fit_structured` raises them.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.limiting import fit_limiting
    >>> fit_limiting(Contests(contest_design([0], [1], ["A", "B"]), np.ones(1), np.zeros(1))).theta.tolist()
    [-inf]
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

    Attributes
    ----------
    contests : Contests
        Without the rows whose result is certain, and with one parameter fixed for each flat direction.
    certain : int[r]
        Rows whose result is certain.
    direction : float[p]
        Of separation; 0 without any.
    dropped : int[k]
        Parameters that were fixed.
    moved : bool[p]
        Parameters that the contests left do not determine.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.limiting import limiting_contests
    >>> design = contest_design([0, 1], [1, 2], ["A", "B", "C"])
    >>> limiting_contests(Contests(design, np.array([1.0, 3]), np.array([1.0, 0]))).contests.design.names
    ('B',)
    """

    contests: Contests
    certain: IntArray
    direction: FloatArray
    dropped: IntArray
    moved: BoolArray


def limiting_contests(contests: Contests) -> Limit:
    """What is left of contests when those that separation makes certain are taken out.

    Parameters
    ----------
    contests : Contests

    Returns
    -------
    Limit

    Raises
    ------
    TooLargeError, ConvergenceError
        As :func:`pairproof.native.structured.existence.separation` raises them.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> from pairproof.native.structured.limiting import limiting_contests
    >>> limiting_contests(Contests(contest_design([0], [1], ["A", "B"]), np.ones(1), np.ones(1))).certain.tolist()
    []
    """
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

    Parameters
    ----------
    flat : float[p, k]
        Independent directions.

    Returns
    -------
    int[k]

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.structured.limiting import pivots
    >>> pivots(np.array([[0.0], [1.0], [0.5]])).tolist()
    [1]
    """
    from scipy.linalg import qr

    if not flat.shape[1]:
        return np.zeros(0, dtype=np.int64)
    _, _, order = qr(flat.T, pivoting=True, mode="economic")
    return np.asarray(order[: flat.shape[1]], dtype=np.int64)
