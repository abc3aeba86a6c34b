"""Is it R that stopped short?  The log-likelihood at R's own estimates, against native's.

The log-likelihoods of these models are concave, so of two sets of estimates the one with the larger log-likelihood is
nearer to the maximum, whoever computed it.  It is computed here from R's estimates and the cells alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...counting import CountedCells
from ...fit import Fit
from ...outcomes import outcome_probabilities
from ...predictions import item_covariate
from ...spec import LOG_WORTH_PER_UNIT, Term
from ..agreement import RCounterpart

FloatArray = NDArray[np.float64]

#: A log-likelihood is a sum of n log p, each right to 1e-16 of itself; below this part of it a difference is rounding.
ROUNDING = 1e-14


def below_native(fit: Fit, cells: CountedCells, answer: RCounterpart) -> float:
    """How far the log-likelihood at R's estimates lies below native's; nan where R has not all of them.

    0 if the difference is within rounding, or if it is R's that is larger.
    """
    beta = np.array([0.0 if reference else answer.values.get(f"estimate.{name}", np.nan)
                     for name, reference in zip(fit.names, fit.is_reference)])
    if np.isnan(beta).any() or fit.null_space.shape[1]:
        return float("nan")
    gap = fit.llf - log_likelihood(fit, cells, beta)
    return gap if gap > ROUNDING * abs(fit.llf) else 0.0


def log_likelihood(fit: Fit, cells: CountedCells, beta: FloatArray) -> float:
    """Sum of n log p over the cells, at parameters float[n_params] on the fit's scale."""
    u, g = np.zeros(len(cells)), np.zeros(len(cells))
    for term, value in zip(fit.terms, beta):
        column = _column(fit, cells, term)
        if term.kind == "tie":
            g += value * column
        else:
            unit = LOG_WORTH_PER_UNIT[fit.scale] if term.kind in ("item", "covariate") else 1.0
            u += unit * value * column
    counts = cells.counts
    p = outcome_probabilities(u, g, fit.outcome_model if cells.ties is not None else "binary")
    p = p if counts.shape[1] == 3 else p[:, [0, 2]]
    return float(np.sum(np.where(counts > 0, counts * np.log(np.where(counts > 0, p, 1.0)), 0.0)))


def _column(fit: Fit, cells: CountedCells, term: Term) -> FloatArray:
    """What a parameter is multiplied with in each cell, float[n_cells]."""
    column = np.ones(len(cells))
    if term.kind == "order":
        assert cells.order is not None
        column = cells.order
    elif term.kind in ("item", "covariate"):
        values = item_covariate(fit, term) if term.kind == "covariate" else np.array([float(item == term.item) for item in fit.items])
        column = values[cells.first] - values[cells.second]
    for name, level in term.by:
        c = cells.covariate(name)
        column = column * (c.values if level is None else (c.values == c.levels.index(level)).astype(float))
    return column
