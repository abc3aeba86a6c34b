"""The model as arrays: which linear predictors the cells have, before any way to solve it is chosen.

    u_c = s * (a[s, i] - a[s, j]) + sign_c o_s'delta        log-odds of i against j in cell c with pattern s
    g_c = t_s'gamma                                         tie parameter
    a[s, .] = sum_t z_st b_t                                abilities: b_t free, or b_t = X theta_t

All abilities here are log-odds; the lambda of an LLBT is half of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..outcomes import OutcomeModel
from .cells import Cells
from .ties import Counts

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Problem:
    """Attributes
    ----------
    cells : Cells
    n_items : int
    z : float[n_patterns, n_terms]
        Item terms; the first column is 1.
    order : float[n_patterns, q]
        Order-effect terms; q is 0 without an order effect.
    tie : float[n_patterns, r]
        Tie terms; r is 0 if the tie parameter is held at 0 or there is none.
    x : float[n_items, k] or None
        Item covariates; None: free items.
    reference : int
        Item whose ability is 0 in every pattern (free items only).
    model : {"binary", "davidson", "rao-kupper"}
    """

    cells: Cells
    n_items: int
    z: FloatArray
    order: FloatArray
    tie: FloatArray
    x: FloatArray | None
    reference: int
    model: OutcomeModel

    @property
    def n_terms(self) -> int:
        return self.z.shape[1]

    @property
    def n_item_params(self) -> int:
        """Length of the item part of the parameter vector, references included."""
        return self.n_terms * (self.n_items if self.x is None else self.x.shape[1])

    @property
    def n_params(self) -> int:
        return self.n_item_params + self.order.shape[1] + self.tie.shape[1]

    @property
    def categories(self) -> int:
        return 2 if self.model == "binary" else 3

    def counts(self, alive: NDArray[np.bool_] | None = None) -> Counts:
        y = self.cells.counts
        return Counts(y[:, 0], y[:, 1], y[:, 2], self.cells.totals, alive)

    def item_patterns(self) -> tuple[FloatArray, IntArray]:
        """Distinct rows of z, float[n, n_terms], and the row of each pattern; first pattern first."""
        if len(self.z) == 1:
            return self.z, np.zeros(1, np.int64)
        rows, first, back = np.unique(self.z, axis=0, return_index=True, return_inverse=True)
        by_age = np.argsort(first)
        place = np.empty(len(by_age), np.int64)
        place[by_age] = np.arange(len(by_age))
        return rows[by_age], place[np.ravel(back)]

    def start_tie(self) -> float:
        """A tie parameter that gives the observed share of ties between equal items."""
        y = self.cells.counts.sum(axis=0)
        share = float(np.clip(y[1] / y.sum(), 1e-3, 1 - 1e-3))
        if self.model == "rao-kupper":
            return float(np.log((1 + share) / (1 - share)))  # P(tie) = tanh(g/2) at u = 0
        return float(np.log(2 * share / (1 - share)))
