"""Slips that BradleyTerry2 makes without a word.

Both are of tables without a tie category, or whose ties are left out or halved: `BTm` has no model of ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .registry import Draft, Situation
from .rows import Rows


def _btm_has(s: Situation) -> bool:
    """Whether BTm has the model at all."""
    binary = not s.rows.tie_category or s.setting.solver.ties in ("drop", "half")
    return binary and s.fit.spec.of_family.glm_of_wins == "binomial"


def twice(rows: Rows) -> Rows:
    """The table two times over."""
    return replace(rows, times=2.0 * rows.times, copies=2 * rows.copies)


def rows_twice(s: Situation) -> Iterator[Draft]:
    """A subset given as positions, which BTm concatenates with itself."""
    if _btm_has(s):
        yield Draft(
            "every row is counted twice, as BradleyTerry2's BTm does with subset= given as positions",
            rows=twice,
        )


def first_named_wins(rows: Rows) -> Rows:
    """Ties as wins of the item that was named first."""
    y = rows.y.copy()
    forward = rows.sign >= 0
    y[forward, 0] += y[forward, 1]
    y[~forward, 2] += y[~forward, 1]
    y[:, 1] = 0.0
    return rows.with_counts(y)


def ties_as_wins(s: Situation) -> Iterator[Draft]:
    """A factor outcome with three levels: every level but the first is a win."""
    tied = s.rows.y[:, 1] > 0
    # On neutral ground the rows no longer say who was named first.
    if _btm_has(s) and tied.any() and not (tied & (s.rows.sign == 0)).any():
        yield Draft(
            "ties are counted as wins of the item named first, as BradleyTerry2's BTm does with an outcome of three levels",
            rows=first_named_wins,
        )
