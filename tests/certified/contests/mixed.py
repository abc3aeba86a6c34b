"""The maximum of a marginal likelihood by the lattice of `lattice.py`, and what is reported of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests.designs import Design
from tests.certified.contests.lattice import Integral, Row, integral
from tests.certified.contests.models import Model

#: Digits published.
PUBLISHED = 40
#: Step, and half the width in sigma: to come near, for the values, and again with both changed.  The prior
#: of a difference is e^(-100) of its height at 20 sigma, and a step of 0.14 has 44 digits.
NEAR, NEARER, GRID, OTHER_GRID = ("0.3", 14), ("0.2", 16), ("0.14", 20), ("0.125", 24)
#: The gradient must be below this in every component.
GRADIENT_LIMIT = "1e-48"


def lattice_rows(found: Design, data: dict[str, Any], model: Model) -> tuple[list[Row], list[str]]:
    """Rows for the lattice, and the names of the effects, set by set."""
    items = data["items"]
    by_judge = model.random == "item:judge"
    judges = list(dict.fromkeys(row["judge"] for row in found.rows)) if by_judge else [None]
    names = [item if judge is None else f"{judge}:{item}" for judge in judges for item in items]
    rows = [
        Row(
            judges.index(row["judge"]) if by_judge else 0,
            items.index(row["first"]),
            items.index(row["second"]),
            tuple(x),
            offset,
            *counts,
        )
        for row, x, offset, counts in zip(found.rows, found.x, found.offset, found.counts)
    ]
    return rows, names


def at(rows: Sequence[Row], sets: int, size: int, theta: Sequence[mpf], grid: tuple[str, int]) -> Integral:
    """The integral at beta and log sigma."""
    sigma = mp.exp(theta[-1])
    return integral(rows, sets, size, list(theta[:-1]), sigma, mpf(grid[0]), grid[1] * sigma)


def maximum(rows: Sequence[Row], sets: int, size: int, start: Sequence[mpf]) -> tuple[list[mpf], Integral]:
    """beta and log sigma, and the integral there: Newton's method on coarse lattices, then on a fine one."""
    theta = [*start, mpf(0)]
    for grid, limit in ((NEAR, "1e-12"), (NEARER, "1e-23"), (GRID, GRADIENT_LIMIT)):
        for _ in range(40):
            here = at(rows, sets, size, theta, grid)
            if max(abs(g) for g in here.gradient) < mpf(limit):
                break
            step = mp.lu_solve(_downward(here.hessian), here.gradient)
            longest = max(abs(s) for s in step)
            theta = [t + s * min(mpf(1), mpf("0.5") / longest) for t, s in zip(theta, step)]
        else:
            raise ArithmeticError("no maximum of the marginal likelihood")
    return theta, here


def _downward(hessian: mp.matrix) -> mp.matrix:
    """Minus the second derivatives, with enough on the diagonal to be positive definite."""
    raised = mpf(0)
    while True:
        found = -hessian + raised * mp.eye(hessian.rows)
        try:
            mp.cholesky(found)
            return found
        except ValueError:
            raised = 2 * raised + 1
