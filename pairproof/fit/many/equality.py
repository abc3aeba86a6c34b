"""The hypothesis that all items are equally able, tested at once: Wald's chi-square, or F by cluster.

Where some differ infinitely, it is that of the items of the set with the most comparisons, which it names.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError
from ..inference import WaldTest
from ..predictions import ability_functions, find_group, sets_of_items
from ..record import FitRecord, why_not_estimable
from ..spec import Value
from ..tails import chi_square_p

FloatArray = NDArray[np.float64]

#: Items that the hypothesis names.
MOST_NAMED = 8


def equal_items(fit: FitRecord, group: str | None = None, at: Mapping[str, Value] | None = None) -> WaldTest:
    """Test that all items are equally able; see :meth:`pairproof.Fit.test_equal_items`."""
    where = find_group(fit, group, at)
    members = sets_of_items(fit, where).members()
    functions = ability_functions(fit, where, members.tolist())
    if len(functions) < 2:
        raise NotEstimableError(f"not all items can be compared: {why_not_estimable(fit)}")
    parts = _independent(functions[1:] - functions[0])
    if not len(parts):
        raise NotEstimableError("the model makes all items equal; there is nothing to test")
    values, names = parts @ fit.beta, [fit.items[k] for k in members]
    hypothesis = (
        " = ".join(names)
        if len(names) <= MOST_NAMED
        else f"{' = '.join(names[:3])} = ... = {names[-1]} ({len(names)} items)"
    )
    if fit.robust is not None:
        statistic, df, p = fit.robust.joint_test(parts, values)
        return WaldTest(statistic, len(parts), p, hypothesis, df, fit.robust.title)
    statistic = float(values @ np.linalg.solve(fit.covariance.between(parts), values))
    return WaldTest(statistic, len(parts), chi_square_p(statistic, len(parts)), hypothesis)


def _independent(differences: FloatArray) -> FloatArray:
    """The differences, or fewer functions that say the same: abilities by covariates have few dimensions."""
    if not differences.size:  # no parameter at all
        return differences[:0]
    _, s, w = np.linalg.svd(differences, full_matrices=False)
    rank = int((s > s[0] * 1e-10).sum()) if s[0] > 0.0 else 0
    return differences if rank == len(differences) else w[:rank]
