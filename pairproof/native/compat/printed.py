"""Numbers of a fit as prefmod counts or prints them: B11, N1, N2, N3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.columns import Factor
from ...fit.fit import Fit
from ...fit.inference import two_sided_p

#: Relative steps of nlm's numerical Hessian: the third root of its 12 digits, 10^(-12/3) (Schnabel, Koontz
#: and Weiss 1985, ACM Transactions on Mathematical Software 11, 419-440, section 4).
STEP = 1e-4


@dataclass(frozen=True)
class CountedWithEmptyCells:
    """Degrees of freedom and AIC with the cells that hold no comparison (B11).

    empty: pairs that nobody in a group compared.  aic, aic_right: of R's Poisson log-likelihood, with a
    constant for each cell.
    """

    empty: int
    df: int
    df_right: int
    aic: float
    aic_right: float


def counted_with_empty_cells(fit: Fit) -> CountedWithEmptyCells:
    """df and AIC of gnm on a design of prefmod's.

    fit: of an LLBT.
    """
    n = len(fit.items)
    names = sorted({name for at in fit.groups.values() for name in at} | set(fit.spec.cells))
    groups = int(np.prod([_levels(fit, k) for k in names], dtype=np.int64)) if names else 1
    filled = fit.cell_table().n_cells
    cells = n * (n - 1) // 2 * groups
    outcomes = 2 if fit.outcome_model != "binary" else 1
    empty = cells - filled
    right = -2.0 * fit.llf_poisson + 2.0 * (fit.rank + filled)
    return CountedWithEmptyCells(
        empty, fit.df_resid + empty * outcomes, fit.df_resid, right + 2.0 * empty, right
    )


def _levels(fit: Fit, name: str) -> int:
    column = fit.data.columns[name]
    return len(column.levels) if isinstance(column, Factor) else len(np.unique(column))


def stored_log_likelihood(fit: Fit) -> float:
    """The log-likelihood that pattPC.fit, pattR.fit and pattL.fit store and print: that of nlm's last evaluation (N1).

    nlm ends with a Hessian by differences, and the last point of it lies two steps beside the estimate along the last
    parameter, where the log-likelihood is lower by half its information times the square of the distance (and by terms
    of the third order, about 1e-11).

    fit: of a pattern model, with the last item as the reference.
    """
    free = np.flatnonzero(fit.free)
    if not len(free):
        return fit.llf
    covariance = fit.covariance.between(np.eye(len(fit.terms))[free])
    information = np.linalg.inv(covariance)[-1, -1]
    distance = 2.0 * STEP * max(float(fit.beta[free[-1]]), 1.0)
    return float(fit.llf - 0.5 * information * distance**2)


def printed_by_llbt_fit(fit: Fit) -> dict[str, tuple[float, float, float, float]]:
    """Estimate, standard error, z and P(z) as llbt.fit prints them: four decimals, one-sided (N2, N3).

    Returns dict of parameter to four float: llbt.fit itself stops before the maximum; where that shows in the
    fourth decimal, so does the difference.
    """
    out = {}
    for k in np.flatnonzero(fit.free):
        numbers = (fit.beta[k], fit.standard_errors[k], fit.z[k], float(two_sided_p(fit.z[k])) / 2.0)
        e, s, z, p = (round(float(x), 4) for x in numbers)
        out[fit.names[k]] = (e, s, z, p)
    return out
