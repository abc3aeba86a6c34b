"""Fits under linear hypotheses C theta = v, with the scores and information of the clusters there.

The log-likelihood is maximised by Newton's method on the bordered system::

    [ H  C' ] [ step       ]   [ score         ]
    [ C  0  ] [ multiplier ] = [ v - C theta   ]

H is minus the second derivatives.  From a point that meets the constraints a step stays on them, so that
halving it keeps the log-likelihood from falling.  If the constrained maximum is at infinity, the limiting
model is maximised: the same likelihood without the outcomes whose probability tends to 0 (Geyer 2009,
Electronic Journal of Statistics 3, 259-289), in the parameters that it still determines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import ConvergenceError, NotEstimableError
from ...fit.estimates.fit_record import why_not_estimable
from ..comparisons.counts.cells import Problem
from ..comparisons.counts.dense import Dense, check_dense_size
from ..comparisons.counts.existence import of_rows, predictor_rows
from ..comparisons.counts.outcome_derivatives import Counts, Derivatives, derivatives, units
from ..comparisons.counts.solve import laid_out
from ..comparisons.counts.sparse import Rows
from .draws import by_cluster
from .taken_apart import TakenApart

FloatArray = NDArray[np.float64]

#: Squared length of the last step in standard errors; what is left after it is its square.
TOLERANCE = 1e-16
MOST_STEPS = 200
#: Added to the information where it is singular, relative to its largest element.
RIDGE = 1e-10
#: Of a step: where the information has all but vanished a step is too long by many powers of ten.
SHORTEST = 1e-60


class Infeasible(Exception):
    """The constraint leaves the parameter space (a Rao-Kupper threshold at or below 0)."""


@dataclass(frozen=True, eq=False)
class Point:
    """The log-likelihood at one parameter vector.

    theta float[p].  score float[p].  information float[p, p]: minus the second derivatives.  extent: largest
    linear predictor.
    """

    theta: FloatArray
    llf: float
    score: FloatArray
    information: FloatArray
    extent: float


@dataclass(frozen=True, eq=False)
class Likelihood:
    """A problem's log-likelihood in its free parameters, taken in orthonormal bases of its terms.

    dense: its coordinates: `dense.back` brings functions of the problem's parameters into them.  u, g sparse
    or float[n_cells, p]: log-odds and tie parameter of the cells as functions of theta.
    """

    dense: Dense | Rows
    u: Any
    g: Any
    y: Counts

    @property
    def problem(self) -> Problem:
        return self.dense.problem

    @property
    def p(self) -> int:
        return int(self.u.shape[1])

    def evaluate(self, theta: FloatArray) -> Point | None:
        """The point, or None outside the parameter space."""
        u, g = self.u @ theta, self.g @ theta
        extent = max(float(np.abs(u).max(initial=0.0)), float(np.abs(g).max(initial=0.0)))
        if not extent < np.inf or (self.problem.model == "rao-kupper" and not self._inside(g)):
            return None
        d = derivatives(u, g, self.y, self.problem.model, extent)
        score = self.u.T @ d.r_u
        if d.r_g is not None:
            score = score + self.g.T @ d.r_g
        return Point(theta, d.llf, score, self._information(d), extent)

    def _inside(self, g: FloatArray) -> bool:
        return bool((g > 0).all() if self.y.alive is None else (g > 0)[self.y.alive.all(axis=0)].all())

    def _information(self, d: Derivatives) -> FloatArray:
        h = _product(self.u, d.w_uu, self.u)
        if d.w_ug is None or d.w_gg is None:
            return h
        across = _product(self.u, d.w_ug, self.g)
        out: FloatArray = h + across + across.T + _product(self.g, d.w_gg, self.g)
        return out

    def maximise(
        self, constraints: FloatArray, values: FloatArray, start: FloatArray
    ) -> tuple[Point, FloatArray]:
        """The maximum under constraints @ theta = values, from a point that meets them, and the multipliers."""
        here = self.evaluate(start)
        if here is None:
            raise Infeasible
        q, best = len(constraints), np.inf
        for _ in range(MOST_STEPS):
            right = np.concatenate([here.score, values - constraints @ here.theta])
            solution = bordered_solve(here.information, constraints, right)
            step, multipliers = solution[: self.p], solution[self.p :]
            decrement = float(step @ here.information @ step)
            length, near = 1.0, decrement < 1e-8
            while True:
                there = self.evaluate(here.theta + length * step)
                if there is not None and (near or there.llf >= here.llf - 1e-12 * abs(here.llf)):
                    break
                length /= 2
                if length < SHORTEST:
                    raise ConvergenceError(
                        f"no step raises the likelihood under {q} constraint(s); please report these data"
                    )
            here = there
            if decrement <= TOLERANCE or (decrement < 1e-10 and decrement > 0.1 * best):
                return here, multipliers
            best = min(best, decrement)
        raise ConvergenceError(
            f"Newton's method under {q} constraint(s) did not converge in {MOST_STEPS} steps; please report these data"
        )


def bordered_solve(information: FloatArray, constraints: FloatArray, right: FloatArray) -> FloatArray:
    """[H C'; C 0]^-1 right, Newton's step and the multipliers.

    Far out in a nearly separated table the information may be singular.  A little of the identity is then added: the step
    is uphill, and is halved where it is too long.
    """
    try:
        return np.linalg.solve(bordered(information, constraints), right)
    except np.linalg.LinAlgError:
        more = RIDGE * max(float(np.abs(np.diag(information)).max(initial=0.0)), 1e-100)
        try:
            return np.linalg.solve(
                bordered(information + more * np.eye(len(information)), constraints), right
            )
        except np.linalg.LinAlgError as error:
            raise ConvergenceError(
                f"the likelihood under {len(constraints)} constraint(s) is flat to rounding far out: nearly separated data;"
                " reduce_bias='jeffreys' has a profile there"
            ) from error


def bordered(information: FloatArray, constraints: FloatArray) -> FloatArray:
    """[H C'; C 0]."""
    p, q = len(information), len(constraints)
    out = np.zeros((p + q, p + q))
    out[:p, :p], out[:p, p:], out[p:, :p] = information, constraints.T, constraints
    return out


def _product(a: Any, weights: FloatArray, b: Any) -> FloatArray:
    """float[p, p]: A' diag(w) B, as a dense matrix."""
    if isinstance(b, np.ndarray):
        out: FloatArray = a.T @ (b * weights[:, None])
        return out
    scaled = b.copy()
    scaled.data = scaled.data * np.repeat(weights, np.diff(b.indptr))
    return np.asarray((a.T @ scaled).toarray())


def likelihood(dense: Dense | Rows) -> Likelihood:
    """The likelihood of a problem laid out by :func:`pairproof.native.comparisons.counts.solve.laid_out`."""
    u, g = predictor_rows(dense)
    return Likelihood(dense, u, g, dense.problem.counts())


@dataclass(frozen=True, eq=False)
class Limiting:
    """A likelihood in the limit that some constraints leave, and its parameters z, theta = keep z.

    keep float[p, k] or None: none: nothing tends to infinity or is flat, theta = z.
    """

    inner: Likelihood
    keep: FloatArray | None

    def reduced(self, functions: FloatArray) -> FloatArray:
        return functions if self.keep is None else functions @ self.keep

    def outward(self, z: FloatArray) -> FloatArray:
        return z if self.keep is None else self.keep @ z


def limiting(full: Likelihood, constraints: FloatArray, null: FloatArray | None = None) -> Limiting:
    """The limiting model along the directions in which constraints @ theta does not change.

    Its constrained maximum is finite for every value of the constraints, if they are linearly independent.  `null`,
    float[p, k], spans the flat and the infinite directions without constraints: there are no others with them.
    """
    searched = null_basis(constraints, full.p)
    if null is not None:
        # Of the span of `null` what no constraint moves: singular values below 1e-9 are rounding of 0.
        basis = np.linalg.qr(null)[0]
        _, size, rows = np.linalg.svd(constraints @ basis)
        searched = basis @ rows[int((size > 1e-9).sum()) :].T
    if not searched.shape[1]:
        return Limiting(full, None)
    counts = full.problem.cells.counts
    u, g = (sparse.csr_matrix(np.asarray(predictor @ searched)) for predictor in (full.u, full.g))
    found = of_rows(u, g, counts, full.problem.model)
    if not found.separated and not found.null.shape[1]:
        return Limiting(full, None)
    across = np.linalg.qr(constraints.T)[0] if len(constraints) else np.zeros((full.p, 0))
    lost = np.concatenate([across, searched @ found.null], axis=1)
    keep = np.concatenate([across, null_basis(lost.T, full.p)], axis=1)
    y = full.problem.counts(found.alive.T) if found.separated else full.y
    if found.separated:
        zero = np.where(found.alive.sum(axis=1) == 1, 0.0, 1.0)  # certain in the limit
        y = Counts(y.first * zero, y.tie * zero, y.second * zero, y.total * zero, y.alive)
    return Limiting(replace(full, u=full.u @ keep, g=full.g @ keep, y=y), keep)


def null_basis(constraints: FloatArray, p: int) -> FloatArray:
    """float[p, p - q]: an orthonormal basis of the directions along which the constraints do not change."""
    if not len(constraints):
        return np.eye(p)
    q, _ = np.linalg.qr(constraints.T, mode="complete")
    out: FloatArray = q[:, len(constraints) :]
    return out


IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AtNull:
    """What a score test needs, at the estimates under the null hypothesis.

    scores float[G, q]: a_i's_g of every cluster g, a_i = M c_i for each of the hypotheses c_i.  linear
    float[G, q, n]: a_i'I_g M in coordinates in which cluster scores are `raw`.  raw float[G, n]: s_g.  shares
    float[G, q]: a_i'I_g a_i over their sum: what part of the information on each hypothesis a cluster has.
    variances float[q]: c_i'M c_i.
    """

    scores: FloatArray
    linear: FloatArray
    raw: FloatArray
    shares: FloatArray
    variances: FloatArray


class NullFits:
    """Constrained fits of one model, from the last one on.

    functions float[q, n_params]: C, in the parameters of the fit.  code int[n_rows]: cluster of every row, -1
    for rows without comparisons.
    """

    def __init__(self, apart: TakenApart, functions: FloatArray, code: IntArray) -> None:
        check_dense_size(apart.with_ties)
        self.apart, self.functions, self.code = apart, functions, code
        self.with_ties = bool(apart.model.tie_fixed) and bool((functions[:, -1] != 0.0).any())
        problem = apart.with_ties if self.with_ties else apart.problem
        self.way = apart.coordinates_of(0 if self.with_ties else int(bool(apart.model.tie_fixed)))
        full: Likelihood = likelihood(laid_out(problem))
        self.full = full
        self.constraints = full.dense.back(self.way.back(functions))
        size = np.linalg.svd(self.constraints, compute_uv=False)
        if not len(size) or size[-1] <= 1e-10 * max(size[0], 1e-300):
            raise NotEstimableError("the hypothesis is about a reference, or its parts depend on each other")
        if (apart.found.null_space.shape[1] or self.with_ties) and limiting(
            full, self.constraints
        ).keep is not None:
            raise NotEstimableError(
                "estimates remain infinite or undetermined under the hypothesis, so that there is no score test;"
                f" {why_not_estimable(apart.fit)}"
            )
        self.groups = by_cluster(apart.model, "", code).groups
        n = len(apart.problem.cells)
        self.over_outcomes = sparse.kron(sparse.identity(n), np.ones((3, 1))).tocsr()
        self._last: FloatArray | None = None

    def at(self, values: FloatArray) -> AtNull:
        """Fit with C b = values, float[q]."""
        try:
            theta, information = self._maximum(values)
            bread = np.linalg.inv(information)
        except np.linalg.LinAlgError as error:
            raise NotEstimableError(
                "the information is singular under the hypothesis: its value is too far from what the data say"
            ) from error
        except Infeasible as error:
            raise NotEstimableError(
                "the hypothesis lies outside the parameter space (a Rao-Kupper threshold at or below 0)"
            ) from error
        return self._clustered(theta, bread)

    def _maximum(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The constrained estimates and the information there, from the last ones or from equal abilities."""
        full, c = self.full, self.constraints
        starts = [full.dense.origin()] if self._last is None else [self._last, full.dense.origin()]
        for start in starts:
            on_it = start + c.T @ np.linalg.solve(c @ c.T, values - c @ start)
            try:
                point, _ = full.maximise(c, values, on_it)
            except Infeasible:
                continue
            self._last = point.theta
            return point.theta, point.information
        raise Infeasible

    def _clustered(self, theta: FloatArray, inverse: FloatArray) -> AtNull:
        full, n = self.full, len(self.full.problem.cells)
        u, g = full.u @ theta, full.g @ theta
        score, information = units(u, g, full.problem.model)

        def summed(by_u: FloatArray, by_g: FloatArray) -> FloatArray:
            """float[G, p]: over clusters, of numbers of each cell and outcome, float[n_cells, 3]."""
            of_u, of_g = (self._onto(values, n) for values in (by_u, by_g))
            return np.asarray((of_u @ full.u + of_g @ full.g).todense())

        raw = summed(score[:, :, 0], score[:, :, 1])
        a = self.constraints @ inverse
        linear = []
        for each in a:
            du, dg = (full.u @ each)[:, None], (full.g @ each)[:, None]
            k = information
            linear.append(
                summed(k[..., 0, 0] * du + k[..., 0, 1] * dg, k[..., 0, 1] * du + k[..., 1, 1] * dg) @ inverse
            )
        by_hypothesis = np.stack(linear, axis=1)
        variances = np.einsum("qp,qp->q", a, self.constraints)
        shares = np.einsum("gqp,qp->gq", by_hypothesis, self.constraints) / variances
        return AtNull(raw @ a.T, by_hypothesis, raw, shares, variances)

    def _onto(self, values: FloatArray, n: int) -> sparse.csr_matrix:
        """float[G, n_cells]: counts of each cluster times numbers of each cell and outcome, summed over outcomes."""
        weighted = (self.groups @ sparse.diags(values.ravel())).tocsr()
        return (weighted @ self.over_outcomes).tocsr()
