"""Maximum likelihood of contests with a design: whether it exists, the estimate and its limit.

A direction v of the parameters *separates* the contests if x'v >= 0 in every row with a win, x'v <= 0 in
every row with a loss, and one of them is strict: the likelihood then grows along v without end, under any of
the links (Albert and Anderson 1984, Biometrika 71, 1-10; Konis 2007).  Rows with both outcomes demand x'v =
0; within their null space one linear programme finds a generic direction: maximise sum_k s_k subject to
0 <= s_k <= 1, x_k'v >= s_k (rows with wins only), -x_k'v >= s_k.

The estimate is found by Newton's method with the exact observed information (Turner and Firth 2012, Journal
of Statistical Software 48(9), take iteratively weighted least squares).  Along a generic direction of
separation the results of some rows become certain; the likelihood of the others has a finite maximum, the
supremum of the whole likelihood (Geyer 2009, Electronic Journal of Statistics 3, 259-289).  A parameter that
does not move along any direction in which these rows are flat has its finite estimate and standard error
there.  R's glm reports these for such parameters, and for the others wherever its iterations stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....errors import ConvergenceError, NotEstimableError, TooLargeError
from ....fit.estimates.fit_record import listed
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.infinity import generic_direction
from ....numerics.maxima import Estimated, Solution, cholesky_of, maximise, moved_names
from .contest_design import Contests
from .links import ContestPoint, Link, link

#: Rows of a linear programme; more take minutes.
MOST_ROWS = 200_000
#: Eigenvalues below this, relative to the largest, are zeros: they come out near 1e-16.
ZERO = 1e-10


@dataclass(frozen=True, eq=False)
class Separation:
    """A direction along which the likelihood grows without end.
    direction float[p]: of the parameters; its largest element is 1 in absolute value.  rows int[r]: rows, as
    given, whose result is certain in the limit."""

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
    """Names of the parameters that cannot be distinguished in these contests.
    Returns tuple of str: empty if the columns of the design are linearly independent."""
    null = null_space(contests.design.gram((contests.totals > 0).astype(float)))
    return moved_names(null, contests.design.names) if null.shape[1] else ()


def refuse_aliased(contests: Contests) -> None:
    """NotEstimableError if parameters cannot be distinguished."""
    same = aliased(contests)
    if same:
        raise NotEstimableError(
            f"{listed(same, 8)}: cannot be distinguished in these contests; leave one of them out"
        )


def examine(contests: Contests) -> None:
    """Return if a unique finite estimate exists."""
    refuse_aliased(contests)
    found = separation(contests)
    if found is not None:
        raise NotEstimableError(
            f"{listed(found.infinite, 8)}: the estimate is infinite (separation): in {len(found.rows)} of"
            f" {contests.n_used} rows, the first of them row {found.rows[0] + 1}, the result is certain in the"
            " limit. Leave the term out, pool, or reduce the bias of the estimate (Firth 1993)"
        )


def null_space(gram: FloatArray) -> FloatArray:
    """Orthonormal basis of the null space of X'X, in units in which the columns of X have length 1.
    gram float[p, p]: X'X. Returns float[p, k]: in the units of X."""
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


def _programme(demands: FloatArray) -> tuple[FloatArray, BoolArray]:
    """A generic direction that no demand forbids, and which demands it meets strictly."""
    distinct, label = np.unique(demands.round(12), axis=0, return_inverse=True)
    if len(distinct) > MOST_ROWS:
        raise TooLargeError(
            f"the solver did not converge; to see why takes a linear programme of {len(distinct):,} rows, and the"
            f" limit is {MOST_ROWS:,}. Fit fewer parameters, or reduce the bias of the estimate"
        )
    direction, strict = generic_direction(distinct)
    return direction, np.asarray(strict[np.asarray(label).reshape(-1)])


#: Predictors beyond this, where separation has been ruled out, are given up.
FARTHEST = {"logit": 600.0, "probit": 37.0, "cauchit": 1e12}


@dataclass(frozen=True, eq=False)
class StructuredEstimate(Estimated):
    """A maximum-likelihood estimate of a structured Bradley-Terry model.
    theta float[p].  covariance float[p, p]: inverse of the observed information.  expected_covariance float[p, p]:
    inverse of the expected information, which R's glm reports; the same for the logit.  llf: sum over contests of the
    log-probability of their result; the same whether rows are pooled or not; R's logLik has the binomial coefficients
    of the rows as given beside it.  decrement: squared length, in standard errors, of the last step.  other_maximum:
    log-likelihood of a lower maximum that the solver met from another start; only a cauchit link has any."""

    theta: FloatArray
    covariance: FloatArray
    expected_covariance: FloatArray
    llf: float
    steps: int
    decrement: float
    other_maximum: float | None = None


def fit_structured(contests: Contests, link_name: str = "logit") -> StructuredEstimate:
    """The maximum-likelihood estimate of a Bradley-Terry model with a design per contest.
    A cauchit likelihood may have several maxima: the solver starts from 0 and from the logit estimate, and
    the higher one is the estimate."""
    chosen, names = link(link_name), contests.design.names
    pooled = contests.pooled()
    start, other = np.zeros(len(names)), None
    if not names:
        llf = ContestPoint(pooled, chosen, start).value
        return StructuredEstimate(start, np.zeros((0, 0)), np.zeros((0, 0)), llf, 0, 0.0)
    if not pooled.n_used:
        raise NotEstimableError(f"{', '.join(names[:8])}: there is no contest to estimate them from")
    found = _maximum(contests, pooled, chosen, start)
    if not chosen.concave:
        second = _maximum(contests, pooled, chosen, _maximum(contests, pooled, link("logit"), start).x)
        low, high = sorted((found, second), key=lambda s: s.point.value)
        other = low.point.value if high.point.value - low.point.value > 1e-8 else None
        found = high
    here = found.point
    observed, expected = _inverse(here.observed), _inverse(here.expected)
    return StructuredEstimate(found.x, observed, expected, here.value, found.steps, found.decrement, other)


def _maximum(contests: Contests, pooled: Contests, chosen: Link, start: FloatArray) -> Solution[ContestPoint]:
    def evaluate(theta: FloatArray) -> ContestPoint:
        return ContestPoint(pooled, chosen, theta)

    found = maximise(evaluate, start, chosen.far)
    if found.trouble:
        examine(contests)
        if found.trouble == "far":
            found = maximise(evaluate, found.x, FARTHEST[chosen.name])
    if found.trouble:
        reason = {
            "far": f"a linear predictor went beyond {FARTHEST[chosen.name]:g}",
            "singular": "the information is singular",
            "slow": "too many steps",
        }[found.trouble]
        raise ConvergenceError(
            f"the solver stopped after {found.steps} steps at log-likelihood {found.point.value:.6g}: {reason}."
            " Fit fewer parameters, or scale the covariates"
        )
    return found


def _inverse(information: FloatArray) -> FloatArray:
    from scipy.linalg import solve_triangular

    half = solve_triangular(cholesky_of(information), np.eye(len(information)), lower=True)
    return np.asarray(half.T @ half)


@dataclass(frozen=True, eq=False)
class LimitingEstimate:
    """A maximum-likelihood estimate that may have infinite parameters.
    theta float[p]: inf or -inf for a parameter that grows along the direction of separation, NaN for one that the
    rows left do not determine.  standard_errors float[p]: NaN where theta is not finite.  certain int[r]: rows
    whose result has probability 1 in the limit; empty without separation. `rest`: of the other rows, with one
    parameter for each flat direction left out."""

    theta: FloatArray
    standard_errors: FloatArray
    certain: IntArray
    rest: StructuredEstimate


def fit_limiting(contests: Contests, link_name: str = "logit") -> LimitingEstimate:
    """The maximum-likelihood estimate of contests that may be separated."""
    limit = limiting_contests(contests)
    rest = fit_structured(limit.contests, link_name)
    theta, errors = np.full((2, len(contests.design.names)), np.nan)
    kept = np.setdiff1d(np.arange(len(theta)), limit.dropped)
    theta[kept], errors[kept] = rest.theta, rest.standard_errors
    moved = np.abs(limit.flat).max(axis=1, initial=0.0) > 1e-7
    theta[moved], errors[moved] = np.nan, np.nan
    grows = limit.direction != 0
    theta[grows], errors[grows] = np.sign(limit.direction[grows]) * np.inf, np.nan
    return LimitingEstimate(theta, errors, limit.certain, rest)


@dataclass(frozen=True, eq=False)
class Limit:
    """The contests that stay uncertain in the limit of a separated estimate.
    contests: without the rows whose result is certain, and with one parameter fixed for each flat direction.
    certain int[r]: rows whose result is certain.  direction float[p]: of separation; 0 without any.  dropped
    int[k]: parameters that were fixed.  flat float[p, k]: directions about which the contests left say nothing.
    """

    contests: Contests
    certain: IntArray
    direction: FloatArray
    dropped: IntArray
    flat: FloatArray


def limiting_contests(contests: Contests) -> Limit:
    """What is left of contests when those that separation makes certain are taken out."""
    found = separation(contests)
    certain = np.zeros(0, dtype=np.int64) if found is None else found.rows
    left = np.setdiff1d(np.flatnonzero(contests.totals > 0), certain)
    design = contests.design.subset(left)
    flat = null_space(design.gram(np.ones(len(left))))
    dropped = pivots(flat)
    rest = Contests(design.without(dropped), contests.wins[left], contests.losses[left])
    direction = np.zeros(len(design.names)) if found is None else found.direction
    return Limit(rest, certain, direction, dropped, flat)


def pivots(flat: FloatArray) -> IntArray:
    """One parameter for each flat direction, which fixes it.
    flat float[p, k]: independent directions.  Returns int[k]."""
    from scipy.linalg import qr

    if not flat.shape[1]:
        return np.zeros(0, dtype=np.int64)
    _, _, order = qr(flat.T, pivoting=True, mode="economic")
    return np.asarray(order[: flat.shape[1]], dtype=np.int64)
