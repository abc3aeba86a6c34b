"""Separation under a linear constraint: what runs off, and which contests stay uncertain.

Where the likelihood does not fall along a direction d (no contest of a certain result loses, all others stay), c'd > 0
lets c'b run to infinity without loss: a linear programme over the directions of separation.  With c'b held, the contests
that the other directions make certain are left out, as they are from the estimate (Geyer 2009, Electronic Journal of
Statistics 3, 259-289).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError
from ...structured.contests import Contests
from ...structured.design import Design
from ...structured.existence import null_space, separation
from ..solved import LimitRows
from .constrained import complement

FloatArray = NDArray[np.float64]

#: Entries of the rows of a constrained design where contests are separated.
MOST_ENTRIES = 50_000_000


def runs_off(limit: LimitRows, c: FloatArray) -> tuple[bool, bool]:
    """Whether a function can go to inf, and to -inf, without loss of likelihood.

    c float[p].
    """
    from scipy.optimize import linprog

    contests, flat = limit.contests, limit.flat
    rows = limit.certain
    sign = np.where(contests.wins[rows] > 0, 1.0, -1.0)
    demands = sign[:, None] * (contests.design.subset(rows).rows(np.arange(len(rows))) @ flat)
    along = c @ flat
    out = []
    for side in (1.0, -1.0):
        if not len(rows):
            out.append(bool(np.abs(along).max(initial=0.0) > 1e-9))
            continue
        found = linprog(
            -side * along, A_ub=-demands, b_ub=np.zeros(len(rows)), bounds=[(-1.0, 1.0)] * flat.shape[1]
        )
        out.append(bool(found.status == 0 and -found.fun > 1e-9))
    return out[0], out[1]


def constrained_limit(contests: Contests, c: FloatArray, basis: FloatArray) -> tuple[FloatArray, Contests]:
    """The free directions along which constrained contests say something, and the contests that stay uncertain.

    c float[p].  basis float[p, k]: orthogonal to c.
    """
    pooled = contests.pooled()
    n = pooled.design.n_rows
    if n * max(basis.shape[1], 1) > MOST_ENTRIES:
        raise TooLargeError(
            f"a profile of separated contests takes a design of {n:,} rows and {basis.shape[1]:,} columns (limit"
            f" {MOST_ENTRIES:,} entries); reduce_bias='mean' has finite estimates"
        )
    dense = pooled.design.projected(basis, slice(None))
    nobody = np.full(n, -1)
    held = Contests(
        Design(nobody, nobody, dense, pooled.design.offset, tuple(f"d{k}" for k in range(basis.shape[1]))),
        pooled.wins,
        pooled.losses,
    )
    found = separation(held)
    certain = np.zeros(0, np.int64) if found is None else found.rows
    left = np.setdiff1d(np.arange(n), certain)
    flat = null_space(held.design.subset(left).gram(np.ones(len(left))))
    free = basis @ complement(flat) if flat.shape[1] else basis
    return free, Contests(pooled.design.subset(left), pooled.wins[left], pooled.losses[left])
