"""Fits of one model to thousands of small tables at once, which have the same cells and different counts.

Newton's method takes each step for all B tables together, on arrays whose first axis is the table::

    u = X b,  g = T c        log-odds and tie parameter of every cell (`pairproof.native.pairs.problem`)
    H = X'WX, q = X'r        weights and residuals from :func:`pairproof.native.pairs.ties.derivatives`

No `Fit` is made: a search through readings of a page wants a handful of numbers of each.  A table whose
estimates run off to infinity is marked, not guessed at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from scipy.sparse import csr_array

from ...fit.estimates.likelihood import OutcomeModel, outcome_probabilities
from ...native.comparisons.counts.outcome_derivatives import Counts, derivatives
from ...numerics.arrays import BoolArray, FloatArray

#: Squared length of the last step in standard errors, a step of 1e-8.  It is smaller than the 1e-14 of
#: `pairproof.numerics.maxima.TOLERANCE`, since a further step for thousands of tables costs little.
TOLERANCE = 1e-16
MOST_STEPS = 60
#: Squared length of a step in standard errors up to which it is not asked whether the log-likelihood rises:
#: it is quadratic on so short a way.  Rao and Kupper's thresholds stay in order by so much.
SURE = 1e-4
#: A log-odds beyond this is taken for infinite (as `pairproof.numerics.maxima.FAR`).
FAR = 20.0
#: Cells of all tables worked on together; keeps every array below some 30 MB.
CHUNK = 400_000
#: Numbers in the products of a design's columns beyond which they are kept sparse: a cell is of two items, so
#: that of 83 items' products 4 in 6,889 are not 0 (23 million numbers, 180 MB, in a few seconds and 0.2 MB).
DENSE = 400_000


@dataclass(frozen=True, eq=False)
class Design:
    """Design matrices of the cells, the same for every table.
    u float[n_cells, k_u]: of the log-odds of the first item.  g float[n_cells, k_g]: of the tie parameter;
    k_g is 0 where there is none.  model: "davidson" without columns in `g` holds the tie parameter at 0."""

    u: FloatArray
    g: FloatArray
    model: OutcomeModel

    @property
    def k(self) -> int:
        return int(self.u.shape[1] + self.g.shape[1])

    @cached_property
    def products(self) -> FloatArray | csr_array:
        """[n_cells, k_u * k_u]: the products of each two columns of u."""
        n, k = self.u.shape
        if n * k * k <= DENSE:
            return (self.u[:, :, None] * self.u[:, None, :]).reshape(n, -1)
        one, column = csr_array(self.u), np.arange(k)
        return csr_array(one[:, np.repeat(column, k)].multiply(one[:, np.tile(column, k)]))

    def predictors(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u and g, float[B, n_cells], of parameters float[B, k]."""
        at = self.u.shape[1]
        return beta[:, :at] @ self.u.T, beta[:, at:] @ self.g.T


@dataclass(frozen=True, eq=False)
class Many:
    """Fits of B tables.
    beta float[B, k].  information float[B, k, k].  llf float[B]: without the penalty.  finite bool[B]:
    whether all estimates are finite and estimable; else the other fields are meaningless."""

    beta: FloatArray
    information: FloatArray
    llf: FloatArray
    finite: BoolArray


def fit_many(
    design: Design, counts: FloatArray, ridge: FloatArray | None = None, start: FloatArray | None = None
) -> Many:
    """Fit every table, from `start` float[k] or from equal items.
    counts float[B, n_cells, 3]: first preferred, tie, second preferred; cells without comparisons are
    allowed.  ridge float[k] or None: penalty -1/2 sum of ridge * b**2."""
    b, k = len(counts), design.k
    if not b:
        return Many(np.zeros((0, k)), np.zeros((0, k, k)), np.zeros(0), np.zeros(0, bool))
    rows = max(1, CHUNK // max(1, counts.shape[1], k * k))
    return joined(
        Many, [_fit(design, counts[k : k + rows], ridge, start) for k in range(0, len(counts), rows)]
    )


Arrays = TypeVar("Arrays")


def joined(kind: type[Arrays], parts: Sequence[Arrays]) -> Arrays:
    """Several dataclasses of arrays as one."""
    if len(parts) == 1:
        return parts[0]
    names = (f.name for f in fields(cast(Any, kind)))
    return kind(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def log_likelihood(design: Design, beta: FloatArray, counts: FloatArray) -> FloatArray:
    """float[B]: sum of w log p."""
    from scipy.special import xlogy

    u, g = design.predictors(beta)
    return np.asarray(xlogy(counts, outcome_probabilities(u, g, design.model)).sum(axis=(1, 2)))


def score_and_information(
    design: Design, beta: FloatArray, counts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient float[B, k] and minus second derivatives float[B, k, k] of the log-likelihood."""
    u, g = design.predictors(beta)
    y = Counts(counts[..., 0], counts[..., 1], counts[..., 2], counts.sum(axis=2))
    d = derivatives(u, g, y, design.model)
    x, t = design.u, design.g
    b, (n, ku), kg = len(beta), x.shape, t.shape[1]
    information = np.empty((b, ku + kg, ku + kg))
    information[:, :ku, :ku] = np.asarray(d.w_uu @ design.products).reshape(b, ku, ku)
    score = d.r_u @ x
    if kg:
        assert d.r_g is not None and d.w_ug is not None and d.w_gg is not None
        score = np.concatenate([score, d.r_g @ t], axis=1)
        cross = (d.w_ug @ (x[:, :, None] * t[:, None, :]).reshape(n, -1)).reshape(b, ku, kg)
        information[:, :ku, ku:] = cross
        information[:, ku:, :ku] = cross.transpose(0, 2, 1)
        squares = (t[:, :, None] * t[:, None, :]).reshape(n, -1)
        information[:, ku:, ku:] = (d.w_gg @ squares).reshape(b, kg, kg)
    return score, information


def _fit(design: Design, counts: FloatArray, ridge: FloatArray | None, start: FloatArray | None) -> Many:
    b, k = len(counts), design.k
    if start is None:  # equal items; Rao and Kupper's threshold is positive
        start = np.repeat([0.0, float(design.model == "rao-kupper")], [design.u.shape[1], design.g.shape[1]])
    beta, finite = np.tile(start, (b, 1)), np.ones(b, bool)
    information = np.zeros((b, k, k))
    active = np.arange(b)
    for _ in range(MOST_STEPS):
        y, here = counts[active], beta[active]
        score, info = score_and_information(design, here, y)
        if ridge is not None:
            score, info = score - ridge * here, info + np.diag(ridge)
        step, fine = _solve(info, score)
        decrement = np.einsum("bk,bk->b", score, step)
        fine &= np.isfinite(decrement) & (decrement > -1e-8)
        step[~fine] = 0.0
        there = _never_down(design, y, here, step, decrement, ridge)
        beta[active] = there
        far = _extent(design, there) > FAR
        finite[active[~fine | far]] = False
        done = (decrement <= TOLERANCE) | ~fine | far
        active = active[~done]
        if not len(active):
            break
    finite[active] = False  # too slow to be a regular maximum
    _, information = score_and_information(design, beta, counts)
    if ridge is not None:
        information = information + np.diag(ridge)
    return Many(beta, information, log_likelihood(design, beta, counts), finite)


def inverses(matrices: FloatArray, fine: BoolArray) -> tuple[FloatArray, BoolArray]:
    """The inverses of the invertible matrices, and bool[B]: whether a matrix is in `fine` and invertible."""
    eye = np.eye(matrices.shape[1])
    safe = np.where(fine[:, None, None], np.nan_to_num(matrices, posinf=0.0, neginf=0.0), eye)
    try:
        return np.linalg.inv(safe), fine
    except np.linalg.LinAlgError:
        fine = fine & (np.linalg.matrix_rank(safe) == len(eye))
        return np.linalg.inv(np.where(fine[:, None, None], safe, eye)), fine


def _solve(information: FloatArray, score: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Newton steps, and which tables have a regular information matrix."""
    try:
        step = np.linalg.solve(information, score[..., None])[..., 0]
    except np.linalg.LinAlgError:
        inverse, fine = inverses(information, np.ones(len(score), bool))
        return np.asarray(np.einsum("bkl,bl->bk", inverse, score)), fine
    return np.asarray(step, float), np.asarray(np.isfinite(step).all(axis=1))


def _never_down(
    design: Design,
    y: FloatArray,
    here: FloatArray,
    step: FloatArray,
    decrement: FloatArray,
    ridge: FloatArray | None,
) -> FloatArray:
    """Parameters after the steps, which are halved until no log-likelihood falls by more than rounding."""

    def value(beta: FloatArray, y: FloatArray) -> FloatArray:
        v = log_likelihood(design, beta, y)
        if design.model == "rao-kupper":  # thresholds in order
            v = np.where(design.predictors(beta)[1].min(axis=1) > 0, v, -np.inf)
        if ridge is not None:
            v = v - 0.5 * (ridge * beta**2).sum(axis=1)
        return v

    length = np.ones(len(here))
    unsure = np.flatnonzero(decrement > SURE)
    if not len(unsure):
        return here + step
    now = value(here[unsure], y[unsure])
    for _ in range(30):
        there = here[unsure] + length[unsure, None] * step[unsure]
        with np.errstate(invalid="ignore", divide="ignore"):
            down = ~(value(there, y[unsure]) >= now)
        if not down.any():
            break
        length[unsure[down]] /= 2
    return here + length[:, None] * step


def _extent(design: Design, beta: FloatArray) -> FloatArray:
    u, g = design.predictors(beta)
    return np.asarray(np.maximum(np.abs(u).max(axis=1, initial=0.0), np.abs(g).max(axis=1, initial=0.0)))
