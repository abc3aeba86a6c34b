"""Score and information of one comparison of each outcome, cell by cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...fit.outcomes import OutcomeModel
from ..pairs.ties import Counts, derivatives

FloatArray = NDArray[np.float64]


def units(u: FloatArray, g: FloatArray, model: OutcomeModel) -> tuple[FloatArray, FloatArray]:
    """Derivatives of log P(outcome) by log-odds and tie parameter: float[n, 3, 2], and minus the second derivatives,
    float[n, 3, 2, 2]; a tie parameter of -inf gives ties no probability.
    """
    n = len(u)
    score, information = np.zeros((n, 3, 2)), np.zeros((n, 3, 2, 2))
    g = (
        np.maximum(np.broadcast_to(g, u.shape), -700.0)
        if model == "davidson"
        else np.broadcast_to(g, u.shape)
    )
    for k in (0, 2) if model == "binary" else (0, 1, 2):
        one = np.zeros((3, n))
        one[k] = 1.0
        d = derivatives(u, g, Counts(one[0], one[1], one[2], np.ones(n)), model)
        score[:, k, 0], information[:, k, 0, 0] = d.r_u, d.w_uu
        if d.r_g is not None and d.w_ug is not None and d.w_gg is not None:
            score[:, k, 1], information[:, k, 1, 1] = d.r_g, d.w_gg
            information[:, k, 0, 1] = information[:, k, 1, 0] = d.w_ug
    return score, information
