"""Contests with their outcomes, and the pooling of rows that say the same.

Rows with the same players, covariates and offset have the same probability; one row with the sum of their
wins and losses has the same likelihood but for binomial coefficients (McCullagh and Nelder 1989, section
4.2.4), so estimates do not change.  A million contests of 300 players under a model of player covariates are
45,000 rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .design import Design

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contests:
    """Outcomes of contests, and the design of their linear predictors.

    design: of n rows.  wins, losses float[n]: of the first player, >= 0; fractions and weights are allowed.
    """

    design: Design
    wins: FloatArray
    losses: FloatArray

    def __post_init__(self) -> None:
        for what in ("wins", "losses"):
            values = np.asarray(getattr(self, what), dtype=float)
            if values.shape != (self.design.n_rows,):
                raise InputError(f"{what}: shape {values.shape}; the design has {self.design.n_rows} rows")
            wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
            if len(wrong):
                raise InputError(
                    f"{what}, row {wrong[0] + 1}: {values[wrong[0]]}; expected a finite number >= 0"
                )
            object.__setattr__(self, what, values)

    @property
    def totals(self) -> FloatArray:
        """float[n]: wins and losses together."""
        return self.wins + self.losses

    @property
    def n_used(self) -> int:
        """Rows with any contest: those that count in the degrees of freedom."""
        return int((self.totals > 0).sum())

    @property
    def saturated(self) -> float:
        """Log-likelihood with a probability of its own for every row."""
        y, n = np.concatenate([self.wins, self.losses]), np.concatenate([self.totals, self.totals])
        seen = y > 0
        return float(y[seen] @ np.log(y[seen] / n[seen]))

    @property
    def log_coefficients(self) -> float:
        """Sum of log (n choose wins) over the rows, with gamma functions where counts are fractions."""
        from scipy.special import gammaln

        return float((gammaln(self.totals + 1) - gammaln(self.wins + 1) - gammaln(self.losses + 1)).sum())

    def groups(self) -> tuple[IntArray, IntArray]:
        """Rows of the same design: the first of each group, int[g], in their order, and each row's group, int[n].

        Rows without a contest are in no group: -1.
        """
        design, at = self.design, np.flatnonzero(self.totals > 0)
        kept, own = distinct_rows(
            np.column_stack([design.first[at], design.second[at], design.dense[at], design.offset[at]])
        )
        label = np.full(design.n_rows, -1)
        label[at] = own
        return at[kept], label

    def pooled(self) -> Contests:
        """The same contests with one row for each distinct row of the design; rows without a contest left out."""
        kept, label = self.groups()
        used = label >= 0
        wins, losses = (
            np.bincount(label[used], y[used], len(kept)).astype(float) for y in (self.wins, self.losses)
        )
        return Contests(self.design.subset(kept), wins, losses)


def distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """First index of each distinct row, and which of them every row is.

    Rows are sorted by a 64-bit hash, as sorting whole rows takes ten times as long; if ever two different
    rows had the same hash, whole rows are sorted after all.

    rows float[n, p].  Returns int[m], int[n]: in the order in which the distinct rows come first.
    """
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for k in range(rows.shape[1]):
        bits = (rows[:, k] + 0.0).view(np.uint64)  # + 0.0: -0.0 becomes 0.0
        mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    _, kept, label = np.unique(mixed, return_index=True, return_inverse=True)
    if not np.array_equal(rows[kept][label], rows):
        _, kept, label = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(kept)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.asarray(kept[order]), np.asarray(place[np.asarray(label).reshape(-1)])
