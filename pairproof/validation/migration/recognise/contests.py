"""Rows of a design as contests: who met whom, how often each won, and what each coefficient adds.

    logit P(first preferred to second)                = sum_k logit[r, k] b_k
    log P(tie) - (log P(first) + log P(second)) / 2   = sum_k tie[r, k] b_k

In this form a binomial design, a Poisson one with its nuisance constants (Fienberg and Larntz 1976,
Biometrika 63, 245-254) and the local design of gnm's Davidson model are the same thing, and two designs are
the same model if one is a linear map of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .block import EXACT, ItemBlock

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contests:
    """Contests read off a design.

    `first`, second int[n]: items of the block, the hidden one last.  wins, losses float[n].  ties float[n] or
    None: none: there is no row for a tie.  logit float[n, p]: what one unit of each coefficient adds to the
    log-odds of the first against the second.  tie float[n, p]: what it adds to the log-probability of a tie,
    beside the mean of those of the two.  rows int[n, m]: rows of the design: of the first preferred, the
    second, the tie; a contest's only one if it is binomial.
    """

    first: IntArray
    second: IntArray
    wins: FloatArray
    losses: FloatArray
    ties: FloatArray | None
    logit: FloatArray
    tie: FloatArray
    rows: IntArray

    def __len__(self) -> int:
        return len(self.first)

    @property
    def totals(self) -> FloatArray:
        """float[n]: contests in each row."""
        total = self.wins + self.losses
        return total if self.ties is None else total + self.ties

    def turned(self, turn: NDArray[np.bool_]) -> Contests:
        """The same contests with first and second exchanged where `turn`."""
        rows = self.rows.copy()
        if rows.shape[1] > 1:
            rows[turn] = rows[turn][:, [1, 0, *range(2, rows.shape[1])]]
        return Contests(
            np.where(turn, self.second, self.first),
            np.where(turn, self.first, self.second),
            np.where(turn, self.losses, self.wins),
            np.where(turn, self.wins, self.losses),
            self.ties,
            np.where(turn[:, None], -self.logit, self.logit),
            self.tie,
            rows,
        )


def of_rows(block: ItemBlock, x: FloatArray, wins: FloatArray, losses: FloatArray) -> Contests:
    """Contests of a binomial design: a row each.

    x float[n, p]: columns of the coefficients that are asked about.  wins, losses float[n]: of the item with
    the plus sign.
    """
    first, second = _sides(block.all_signs)
    return Contests(
        first, second, wins, losses, None, x, np.zeros_like(x), np.arange(len(x), dtype=np.int64)[:, None]
    )


def of_groups(block: ItemBlock, x: FloatArray, counts: FloatArray, groups: IntArray) -> Contests | str:
    """Contests of a Poisson design: the two or three rows of a group each.

    block: found with `mirrored`.  x float[n_rows, p].  counts float[n_rows].  groups int[n_rows]: from 0;
    each group has 2 or 3 rows.  Returns Contests, or str: why they are none.
    """
    signs = block.all_signs
    rows, of_ties = _rows_of_groups(groups, np.abs(signs).sum(axis=1) == 0)
    if isinstance(rows, str):
        return rows
    if (signs[rows[:, 0]] + signs[rows[:, 1]]).any():
        return "the rows of a group are not mirror images of each other, so they are not the outcomes of a contest"
    first, second = _sides(signs[rows[:, 0]])
    high, low = x[rows[:, 0]], x[rows[:, 1]]
    ties = counts[rows[:, 2]] if of_ties else None
    tie = x[rows[:, 2]] - (high + low) / 2 if of_ties else np.zeros_like(high)
    return Contests(
        first, second, counts[rows[:, 0]], counts[rows[:, 1]], ties, _clean(high - low), _clean(tie), rows
    )


def _sides(signs: IntArray) -> tuple[IntArray, IntArray]:
    return np.asarray(signs.argmax(axis=1)), np.asarray(signs.argmin(axis=1))


def _clean(x: FloatArray) -> FloatArray:
    return np.where(np.abs(x) < EXACT, 0.0, x)


def _rows_of_groups(groups: IntArray, empty: NDArray[np.bool_]) -> tuple[IntArray | str, bool]:
    """int[n_groups, 2 or 3]: rows of each group in the order of the design, that of the tie last."""
    n = int(groups.max()) + 1
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=n)
    if len(set(sizes.tolist())) != 1 or sizes[0] not in (2, 3):
        found = ", ".join(str(s) for s in sorted(set(sizes.tolist())))
        return (
            f"groups of the nuisance factor have {found} rows; expected 2 each, or 3 each with a row for ties"
        ), False
    m = int(sizes[0])
    rows = order.reshape(n, m).astype(np.int64)
    n_empty = empty[rows].sum(axis=1)
    if (n_empty != m - 2).any():
        return (
            f"{int((n_empty != m - 2).sum())} groups of the nuisance factor do not have two rows with items"
            + (" and one for a tie" if m == 3 else "")
        ), False
    if m == 3:
        last = np.argsort(empty[rows], axis=1, kind="stable")
        rows = np.take_along_axis(rows, last, axis=1)
    return rows, m == 3
