"""Fits under linear hypotheses C theta = v, with the scores and information of the clusters there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ...errors import NotEstimableError
from ...fit.estimates.fit_record import why_not_estimable
from ...numerics.arrays import FloatArray, IntArray
from ...numerics.constrained import Infeasible, maximum_under
from ..comparisons.counts.counts_likelihood import CountsPoint, counts_likelihood
from ..comparisons.counts.dense import check_dense_size
from ..comparisons.counts.solve import laid_out
from .draws import by_cluster
from .taken_apart import TakenApart


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
        layout = laid_out(problem)
        full = self.full = counts_likelihood(layout)
        self.constraints = layout.back(self.way.back(functions))
        size = np.linalg.svd(self.constraints, compute_uv=False)
        if not len(size) or size[-1] <= 1e-10 * max(size[0], 1e-300):
            raise NotEstimableError("the hypothesis is about a reference, or its parts depend on each other")
        if (apart.found.null_space.shape[1] or self.with_ties) and full.limit(
            self.constraints
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
            point = self._maximum(values)
            bread = np.asarray(np.linalg.inv(point.information), float)
        except np.linalg.LinAlgError as error:
            raise NotEstimableError(
                "the information is singular under the hypothesis: its value is too far from what the data say"
            ) from error
        except Infeasible as error:
            raise NotEstimableError(
                "the hypothesis lies outside the parameter space (a Rao-Kupper threshold at or below 0)"
            ) from error
        return self._clustered(point, bread)

    def _maximum(self, values: FloatArray) -> CountsPoint:
        """At the constrained estimates, from the last ones or from equal abilities."""
        full, c = self.full, self.constraints
        starts = [full.start()] if self._last is None else [self._last, full.start()]
        for start in starts:
            on_it = start + c.T @ np.linalg.solve(c @ c.T, values - c @ start)
            try:
                point = maximum_under(full, c, values, on_it).point
            except Infeasible:
                continue
            self._last = point.theta
            return point
        raise Infeasible

    def _clustered(self, point: CountsPoint, inverse: FloatArray) -> AtNull:
        full, n = self.full, len(self.full.counts)
        score, information = point.of_units

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
