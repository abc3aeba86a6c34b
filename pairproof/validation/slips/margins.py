"""An LLBT by groups with one constant for each pair, not for each pair in each group: prefmod's design with the
covariate forgotten in `eliminate` (its defect B23).

    log m(y | jk, s) = mu_jk (+ kappa_s) + y u_jk,s / 2 + gamma 1[y = 0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from ...native.pairs.batch import Design
from .rows import ModelCells

FloatArray = NDArray[np.float64]
#: Scoring ends when no parameter changes by more; the next change would be rounding.
CONVERGED, MOST_STEPS = 1e-10, 60


@dataclass(frozen=True, eq=False)
class Margins:
    """A fit of one table.

    beta float[k]: log-odds, in the order of the design; the tie parameter last.  information float[k, k]:
    inverse of their covariance, constants allowed for.  deviance: of the Poisson counts.  extra: constants in
    addition to one for each pair.
    """

    beta: FloatArray
    information: FloatArray
    deviance: float
    extra: int


def pair_constants_only(design: Design, y: FloatArray, cells: ModelCells, of_groups: bool) -> Margins | None:
    """Fit one table, float[n_cells, 3]; None where no maximum was reached.

    y float[n_cells, 3]: treated counts.  cells: which pair and pattern each cell is.  of_groups: whether each
    pattern has a constant, too.
    """
    binary = design.model == "binary"
    step = np.array([0.5, -0.5]) if binary else np.array([0.5, 0.0, -0.5])
    tie = np.zeros(2) if binary else np.array([0.0, 1.0, 0.0])
    counts = (y[:, [0, 2]] if binary else y).ravel()
    groups = np.unique(cells.pattern)
    constants = [np.repeat(cells.pair, len(step))[:, None] == np.unique(cells.pair)]
    if of_groups:
        constants.append(np.repeat(cells.pattern, len(step))[:, None] == groups[1:])
    own = np.hstack([np.kron(design.u, step[:, None]), np.kron(design.g, tie[:, None])])
    x = np.hstack([*(c.astype(float) for c in constants), own])
    beta = np.linalg.lstsq(x, np.log(counts + 0.5), rcond=None)[0]
    for _ in range(MOST_STEPS):
        mean = np.exp(np.clip(x @ beta, -300.0, 300.0))
        information = x.T @ (mean[:, None] * x)
        try:
            change = np.linalg.solve(information, x.T @ (counts - mean))
        except np.linalg.LinAlgError:
            return None
        beta = beta + change
        if float(np.abs(change).max()) < CONVERGED:
            break
    else:
        return None
    k = own.shape[1]
    covariance = np.linalg.inv(information)[-k:, -k:]
    safe = np.where(counts > 0, counts, 1.0)
    deviance = 2.0 * float((xlogy(counts, safe / mean) - (counts - mean)).sum())
    return Margins(beta[-k:], np.linalg.inv(covariance), deviance, (len(groups) - 1) * of_groups)
