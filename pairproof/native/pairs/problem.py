"""The model as arrays: the linear predictors of the cells, the same for every solver.

    u_c = a[s, i] - a[s, j] + sign_c o_s'delta              log-odds of i against j in cell c with pattern s
          + sum_m z_sm (x_mi - x_mj) eta_m + v_c'beta       selective terms and comparison terms, if there are any
    g_c = t_s'gamma                                         tie parameter
    a[s, .] = sum_t z_st b_t                                abilities: b_t free, or b_t = X theta_t

All abilities here are log-odds; the lambda of an LLBT is half of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...fit.outcomes import OutcomeModel
from .cells import Cells
from .ties import Counts, Derivatives

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Further:
    """Terms that are not a product of all items with a covariate: selective terms and comparison terms.

    x float[m, n_items]: what each selective term multiplies of the items: an item covariate, or 1 for one
    item.  z float[n_patterns, m]: the subject covariates of each.  comparison float[n_values, c]: values of
    the comparison terms, in favour of item i; row `cells.value` for each cell.
    """

    x: FloatArray
    z: FloatArray
    comparison: FloatArray

    @property
    def m(self) -> int:
        """Number of selective terms."""
        return self.z.shape[1]

    @property
    def c(self) -> int:
        """Number of comparison terms."""
        return self.comparison.shape[1]


@dataclass(frozen=True, eq=False)
class Problem:
    """The arrays of a model: cells, design matrices, reference and outcome model.

    z float[n_patterns, n_terms]: item terms; the first column is 1.  order float[n_patterns, q]: order-effect
    terms; q is 0 without an order effect.  tie float[n_patterns, r]: tie terms; r is 0 if the tie parameter
    is held at 0 or there is none.  x float[n_items, k] or None: item covariates; None: free items.
    reference: item whose ability is 0 in every pattern (free items only).  further: parameters are those of z
    and x, of the selective terms, of order, of the comparison terms, of tie.
    """

    cells: Cells
    n_items: int
    z: FloatArray
    order: FloatArray
    tie: FloatArray
    x: FloatArray | None
    reference: int
    model: OutcomeModel
    further: Further | None = None

    @property
    def n_terms(self) -> int:
        return self.z.shape[1]

    @property
    def n_item_params(self) -> int:
        """Length of the item part of the parameter vector, references included."""
        return self.n_terms * (self.n_items if self.x is None else self.x.shape[1])

    @property
    def n_params(self) -> int:
        further = 0 if self.further is None else self.further.m + self.further.c
        return self.n_item_params + further + self.order.shape[1] + self.tie.shape[1]

    @property
    def splits(self) -> tuple[int, int, int, int]:
        """Where the selective terms, the order effect, the comparison terms and the tie parameter begin."""
        m, c = (0, 0) if self.further is None else (self.further.m, self.further.c)
        order = self.n_item_params + m
        return self.n_item_params, order, order + self.order.shape[1], order + self.order.shape[1] + c

    @property
    def categories(self) -> int:
        return 2 if self.model == "binary" else 3

    def counts(self, alive: NDArray[np.bool_] | None = None) -> Counts:
        first, tie, second = np.ascontiguousarray(self.cells.counts.T)
        return Counts(first, tie, second, self.cells.totals, alive)

    def item_patterns(self) -> tuple[FloatArray, IntArray]:
        """Distinct rows of z, float[n, n_terms], in order of appearance, and the row of each pattern."""
        if len(self.z) == 1:
            return self.z, np.zeros(1, np.int64)
        rows, first, back = np.unique(self.z, axis=0, return_index=True, return_inverse=True)
        by_age = np.argsort(first)
        place = np.empty(len(by_age), np.int64)
        place[by_age] = np.arange(len(by_age))
        return rows[by_age], place[np.ravel(back)]

    def start_tie(self) -> float:
        """A starting value of the tie parameter near its estimate, in closed form."""
        y = self.cells.counts
        if self.model == "rao-kupper":
            share = float(np.clip(y[:, 1].sum() / y.sum(), 1e-3, 1 - 1e-3))
            return float(np.log((1 + share) / (1 - share)))  # P(tie) = tanh(g/2) at u = 0
        # P(tie) = exp(g) sqrt(P(first) P(second)) for every u.
        return float(np.log((y[:, 1].sum() + 0.5) / np.sum(np.sqrt((y[:, 0] + 0.5) * (y[:, 2] + 0.5)))))


#: 100 items with 20 comparisons a pair: squared distance from the maximum 180, with a half 310, in standard
#: errors.
ADDED = 0.15


def empirical_logits(y: Counts, model: OutcomeModel) -> Derivatives:
    """Weighted least squares of each cell's logit, written as derivatives at 0: its solution is where Newton
    starts.

    Logit and variance with a little added to each count, as in Haldane (1956) but less than his half, whose
    pull towards 0 costs a start from which nothing is reported more than it saves; two or three Newton steps
    fewer than from 0.
    """
    first, second = y.first + ADDED, y.second + ADDED
    weight = np.where(y.total > 0, first * second / (first + second), 0.0)
    logit = np.log(first / second)
    if model == "binary":
        return Derivatives(0.0, weight * logit, weight)
    none = np.zeros_like(weight)
    return Derivatives(0.0, weight * logit, weight, r_g=none, w_ug=none, w_gg=y.total)
