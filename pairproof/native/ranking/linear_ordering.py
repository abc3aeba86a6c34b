"""The cheapest order of many systems as an integer program, solved by HiGHS (scipy.optimize.milp).

With x_ij = 1 if i stands before j (i < j) and cost[t, s] paid if t comes after s::

    minimise   sum over i < j of  x_ij cost[j, i] + (1 - x_ij) cost[i, j]
    subject to 0 <= x_ij + x_jk - x_ik <= 1   for all i < j < k            no circle of three, hence none at
    all

(Groetschel, Juenger and Reinelt 1984).  Whether the best order is the only one: the same program without that
order.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]

#: Of systems; 60 make 34,220 circles of three.
MOST_SYSTEMS = 60
#: Seconds for each of the two programs; shared tasks take hundredths.
TIME_LIMIT = 60.0
#: HiGHS stops within 1e-6 of the smallest cost; what differs by less counts as equal.
GAP = 2e-6


def cheapest_order(cost: FloatArray) -> tuple[list[int], bool]:
    """Best order, first place first, and whether it is the only one.

    Parameters
    ----------
    cost : float[n, n]
        cost[t, s] >= 0 is paid if t comes after s.

    Raises
    ------
    InputError
        More than 60 systems, or no proof within the time limit.
    """
    n = len(cost)
    if n > MOST_SYSTEMS:
        raise InputError(
            f"{n} systems cannot be parted (each beats each along some chain of comparisons); the exact"
            f" search takes at most {MOST_SYSTEMS}. Leave systems out, or rank them by a score (expected"
            " wins, a fitted model)"
        )
    left, right = np.array(list(combinations(range(n), 2))).T
    price = cost[right, left] - cost[left, right]
    circles = _circles(n)
    best = _solved(price, [(circles, 0.0, 1.0)], n)
    ahead = best > 0.5
    sign = np.where(ahead, 1.0, -1.0)
    other = _solved(price, [(circles, 0.0, 1.0), (sign[None, :], -np.inf, float(ahead.sum()) - 1.0)], n)
    # Who stands before more systems stands before; without circles these numbers are all different.
    before = np.bincount(left[ahead], minlength=n) + np.bincount(right[~ahead], minlength=n)
    unique = float(price @ (other > 0.5)) > float(price @ ahead) + GAP
    return [int(k) for k in np.argsort(-before, kind="stable")], unique


def _circles(n: int) -> Any:
    """One row for each three systems: x_ij + x_jk - x_ik."""
    from scipy.sparse import csr_matrix

    number = np.zeros((n, n), np.int64)
    number[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
    i, j, k = np.array(list(combinations(range(n), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1).ravel()
    rows = np.repeat(np.arange(len(i)), 3)
    return csr_matrix((np.tile([1.0, 1.0, -1.0], len(i)), (rows, columns)), (len(i), n * (n - 1) // 2))


def _solved(price: FloatArray, limits: list[tuple[Any, float, float]], n: int) -> FloatArray:
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(
        price,
        constraints=[LinearConstraint(matrix, low, high) for matrix, low, high in limits],
        integrality=np.ones(len(price)),
        bounds=Bounds(0.0, 1.0),
        options={"mip_rel_gap": 0.0, "time_limit": TIME_LIMIT},
    )
    if found.status != 0:
        raise InputError(
            f"{n} systems that cannot be parted: the best order was not proved within {TIME_LIMIT:g} s"
            f" ({found.message}); leave systems out, or rank them by a score (expected wins, a fitted model)"
        )
    return np.asarray(found.x)
