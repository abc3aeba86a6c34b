"""Numbers of a fit as prefmod counts or prints them: B11, N1, N2, N3."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...data.columns import Factor, FloatArray
from ...fit.fit import Fit
from ...fit.inference import two_sided_p
from ..patterns.likelihood import Likelihood

#: Relative steps of nlm's numerical Hessian: the third root of its 12 digits, 10^(-12/3) (Schnabel, Koontz and
#: Weiss 1985, ACM Transactions on Mathematical Software 11, 419-440, section 4).
STEP = 1e-4


@dataclass(frozen=True)
class CountedWithEmptyCells:
    """Degrees of freedom and AIC with the cells that hold no comparison (B11).

    Attributes
    ----------
    empty : int
        Pairs that nobody in a group compared.
    df, df_right : int
    aic, aic_right : float
        Of R's Poisson log-likelihood, with a constant for each cell.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.compat.printed import counted_with_empty_cells
    >>> table = pairproof.Comparisons.build("ABCD", [0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [3, 4, 3, 5, 6], None, [2, 1, 2, 4, 2])
    >>> counted = counted_with_empty_cells(pairproof.fit_llbt(table))
    >>> counted.empty, counted.df, counted.df_right, round(counted.aic - counted.aic_right, 9)
    (1, 3, 2, 2.0)
    """

    empty: int
    df: int
    df_right: int
    aic: float
    aic_right: float


def counted_with_empty_cells(fit: Fit) -> CountedWithEmptyCells:
    """df and AIC of gnm on a design of prefmod's.

    Parameters
    ----------
    fit : Fit
        Of an LLBT.

    Returns
    -------
    CountedWithEmptyCells

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.compat.printed import counted_with_empty_cells
    >>> counted_with_empty_cells(pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [3], None, [2]))).empty
    0
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


def stored_log_likelihood(likelihood: Likelihood, weights: FloatArray, phi: FloatArray) -> float:
    """The log-likelihood that patt*.fit store and print: that of nlm's last evaluation (N1).

    nlm ends with a Hessian by differences, and the last point of it is 2 steps beside the estimate along the last
    parameter.

    Parameters
    ----------
    likelihood : Likelihood
        With parameters in prefmod's order.
    weights : float[n]
    phi : float[p]
        The estimate.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.compat.printed import stored_log_likelihood
    >>> from pairproof.native.patterns.comparisons.fit import fit_comparisons
    >>> from pairproof.native.patterns.maps import main_effects
    >>> fit = fit_comparisons(np.array([[1], [-1]]), [main_effects("AB")], weights=np.array([60.0, 40.0]))
    >>> stored_log_likelihood(fit.likelihood, fit.pooled.weights, fit.estimate.phi) - fit.estimate.llf  # doctest: +ELLIPSIS
    -1.9...e-06
    """
    return beside_the_maximum(lambda x: float(weights @ likelihood.at(x).log_probabilities), phi)


def beside_the_maximum(value: Callable[[FloatArray], float], phi: FloatArray) -> float:
    """A function at the last point of nlm's Hessian.

    Parameters
    ----------
    value : function of float[p] to float
    phi : float[p]

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.compat.printed import beside_the_maximum
    >>> beside_the_maximum(lambda x: float(x[-1]), np.array([0.0, 3.0]))
    3.0006
    """
    beside = phi.copy()
    if len(phi):
        step = (phi[-1] + STEP * max(float(phi[-1]), 1.0)) - phi[-1]
        beside[-1] += 2.0 * step
    return value(beside)


def printed_by_llbt_fit(fit: Fit) -> dict[str, tuple[float, float, float, float]]:
    """Estimate, standard error, z and P(z) as llbt.fit prints them: four decimals, one-sided (N2, N3).

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    dict of parameter to four float
        llbt.fit itself stops before the maximum; where that shows in the fourth decimal, so does the difference.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.compat.printed import printed_by_llbt_fit
    >>> printed_by_llbt_fit(pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35])))["A"]
    (0.2778, 0.106, 2.6203, 0.0044)
    """
    out = {}
    for k in np.flatnonzero(fit.free):
        numbers = (fit.beta[k], fit.standard_errors[k], fit.z[k], float(two_sided_p(fit.z[k])) / 2.0)
        e, s, z, p = (round(float(x), 4) for x in numbers)
        out[fit.names[k]] = (e, s, z, p)
    return out
