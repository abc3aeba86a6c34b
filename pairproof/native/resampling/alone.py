"""Quantities that one cluster alone determines: drawing clusters again says nothing of their spread.

With abilities by judge and judges as clusters every copy of a judge gives the same estimates, and the spread of the
replicates would be next to nothing (module :mod:`pairproof.fit.robust.clusters`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError, TooLargeError
from ...fit.fit import Fit
from ...fit.robust.robust import Missing, Robust
from .quantities import Custom, Linear, Probabilities, Quantity, Ranks, Worths

FloatArray = NDArray[np.float64]


def from_one_cluster(
    fit: Fit, columns: Sequence[str], missing: Missing, quantities: Sequence[Quantity | Custom]
) -> Mapping[str, str]:
    """Names of such quantities, with the cluster ("judge 3"); a user's functions are not looked into."""
    if not columns or not fit.n_estimable:
        return {}
    try:
        robust = fit.clustered(*columns, kind="CR0", missing=missing).robust
    except (NotEstimableError, TooLargeError):
        return {}
    if robust is None or (isinstance(robust, Robust) and not _any_alone(robust)):
        return {}
    found: dict[str, str] = {}
    for q in quantities:
        names, functions = _functions(q)
        for name, function in zip(names, functions):
            if not fit.is_estimable(function[None, :]):
                continue
            cluster = robust.alone(function)
            if cluster is not None:
                found.update(dict.fromkeys([name] if isinstance(q, Linear) else q.names, cluster))
    return found


def _any_alone(robust: Robust) -> bool:
    return any(root.alone.any() for way in robust.ways for root in way.clusters.roots.values())


def _functions(q: Quantity | Custom) -> tuple[Sequence[str], FloatArray]:
    """Linear functions of the parameters of which the quantity is made, with names."""
    if isinstance(q, Linear):
        return q.names, np.asarray(q.functions.todense())
    if isinstance(q, (Worths, Ranks, Probabilities)):
        rows = np.asarray(q.abilities.rows.todense())
        return q.abilities.items[1:], rows[1:] - rows[0]
    return (), np.zeros((0, 0))
