"""Residuals of the cell table, and chi-square tests of its deviance.

With y observed and m fitted in one outcome of a cell of n comparisons::

    Poisson       Pearson (y - m) / sqrt(m)                deviance  sign(y - m) sqrt(2 D(y, m))
    multinomial   Pearson (y - m) / sqrt(m (1 - m/n))      deviance  sign(y - m) sqrt(2 D(y, m) + 2 D(n - y,
                                                           n - m))

D(y, m) = y log(y/m) - y + m.  Poisson residuals are those of gnm and glm on the log-linear table; multinomial
ones take the total of the cell as given, as the likelihood here does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from . import inference
from .cell_table import CellTable
from .record import FitRecord
from .robust import dependence

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
Kind = Literal["pearson", "deviance"]
Distribution = Literal["poisson", "multinomial"]

#: Cochran (1954, Biometrics 10, 417-451): expected counts of 5 or more in at least 80 % of the cells, none
#: below 1.
ENOUGH_EXPECTED, LEAST_EXPECTED, MAY_BE_SMALL = 5.0, 1.0, 0.20


def poisson_divergence(y: FloatArray, m: FloatArray) -> FloatArray:
    """D(y, m) = y log(y/m) - y + m >= 0, without cancellation where y is close to m.

    Loader (2000), "Fast and accurate computation of binomial probabilities", section 3: with v = (y-m)/(y+m),
    D = (y-m) v + 2 y (v**3/3 + v**5/5 + ...), used for |v| < 0.1.

    y, m: >= 0; D(0, m) = m, D(0, 0) = 0, and inf for m = 0 < y.
    """
    from scipy.special import kl_div

    total = y + m
    v = np.divide(y - m, total, out=np.zeros_like(total), where=total > 0)
    near = np.abs(v) < 0.1
    square = np.where(near, v * v, 0.0)
    # |v| < 0.1: the first term left out is below 2 v**21/21 < 1e-22.
    series = sum(square**k / (2 * k + 1) for k in range(9, 0, -1))
    divergence: FloatArray = np.where(near, (y - m) * v + 2.0 * y * v * series, kl_div(y, m))
    return divergence


def _divide(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, and 0 where a is 0, also where b is: an outcome that must and does happen leaves nothing
    over.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == 0, 0.0, a / b)


def pearson_residuals(y: FloatArray, m: FloatArray, distribution: Distribution) -> FloatArray:
    """float[n_cells, n_outcomes]; the total of a cell is that of its row of y."""
    if distribution == "poisson":
        return _divide(y - m, np.sqrt(m))
    n = y.sum(axis=1, keepdims=True)
    return _divide(y - m, np.sqrt(m * np.maximum(n - m, 0.0) / n))


def deviance_residuals(y: FloatArray, m: FloatArray, distribution: Distribution) -> FloatArray:
    """float[n_cells, n_outcomes]; signed roots of twice the divergence."""
    divergence = poisson_divergence(y, m)
    if distribution == "multinomial":
        n = y.sum(axis=1, keepdims=True)
        divergence = divergence + poisson_divergence(n - y, np.maximum(n - m, 0.0))
    root: FloatArray = np.sign(y - m) * np.sqrt(2.0 * np.maximum(divergence, 0.0))
    return root


def residual_frame(
    cell_table: CellTable, items: Sequence[str], has_ties: bool, kind: Kind, distribution: Distribution
) -> pd.DataFrame:
    """One row for every outcome of every cell.

    Returns DataFrame: first, second, cell, outcome ("first", "tie", "second"), observed, fitted, residual.
    """
    import pandas as pd

    names, y, m = cell_table.outcomes(has_ties)
    residual = (pearson_residuals if kind == "pearson" else deviance_residuals)(y, m, distribution)
    label = np.array(items, dtype=object)
    k = len(names)
    frame = pd.DataFrame(
        {
            "first": np.repeat(label[cell_table.first], k),
            "second": np.repeat(label[cell_table.second], k),
            "cell": np.repeat(np.array(cell_table.label, dtype=object), k),
            "outcome": np.tile(np.array(names, dtype=object), cell_table.n_cells),
            "observed": y.ravel(),
            "fitted": m.ravel(),
            "residual": residual.ravel(),
        }
    )
    frame.attrs.update(kind=kind, distribution=distribution)
    return frame


def goodness_of_fit(fit: FitRecord) -> inference.GoodnessOfFit:
    """Deviance and Pearson tests of a fit; see :meth:`pairproof.Fit.goodness_of_fit`."""
    if fit.spec.without_goodness:
        nan = math.nan
        return inference.GoodnessOfFit(fit.deviance, nan, fit.df_resid, nan, nan, fit.spec.without_goodness)
    test = chi_square_tests(
        fit.cell_table(),
        fit.deviance,
        fit.df_resid,
        fit.outcome_model != "binary",
        quasi=fit.quasi_likelihood,
        ranked=fit.data.ranked_together,
    )
    if math.isnan(test.p_deviance):  # without a p-value there is nothing to be cautious of
        return test
    return replace(
        test, caution="; ".join(filter(None, [test.caution, dependence.caution(fit, "the chi-square")]))
    )


def chi_square_tests(
    cell_table: CellTable, deviance: float, df: int, has_ties: bool, *, quasi: bool, ranked: int = 0
) -> inference.GoodnessOfFit:
    """Deviance and Pearson's X^2 against a chi-square, with the reasons not to.

    has_ties: whether a tie is an outcome of the model.  quasi: half wins or fractional weights.  ranked:
    items of a ranking whose pairs the comparisons are; 0 if they are not such.  Returns GoodnessOfFit:
    p-values are nan where no chi-square holds; `caution` then says why, and otherwise gives the numbers of
    small expected counts.  Separation shows in expected counts of 0; items that were never compared (a
    disconnected design) leave none and do no harm to the test.
    """
    _, y, m = cell_table.outcomes(has_ties)
    pearson = float(np.sum(_divide((y - m) ** 2, m)))
    withheld = _why_no_p(y, m, df, quasi)
    if withheld:
        return inference.GoodnessOfFit(
            deviance, pearson, df, np.nan, np.nan, f"no p-value: {'; '.join(withheld)}"
        )
    return inference.GoodnessOfFit(
        deviance,
        pearson,
        df,
        inference.chi_square_p(deviance, df),
        inference.chi_square_p(pearson, df),
        "; ".join(filter(None, [_small_counts(y, m), _dependent(ranked)])),
    )


def _why_no_p(y: FloatArray, m: FloatArray, df: int, quasi: bool) -> list[str]:
    reasons = []
    if df <= 0:
        reasons.append("the model is saturated (0 df), there is nothing left to test")
    dead = int((m <= 0).sum())
    if dead:
        reasons.append(
            f"{dead} of {m.size} expected counts are 0, on the boundary of the model (separated items, no"
            " ties)"
        )
    if quasi:
        reasons.append("half wins, fractional weights or pseudo-comparisons are not counts")
    if len(y) and y.sum(axis=1).max() <= 1.0:
        reasons.append(
            f"each of the {len(y)} cells holds a single comparison, so the deviance measures no lack of fit; "
            "take it on coarser cells"
        )
    return reasons


def _dependent(ranked: int) -> str:
    return (
        "the pairs of a ranking are not independent, so that the chi-square does not hold"
        if ranked > 2
        else ""
    )


def _small_counts(y: FloatArray, m: FloatArray) -> str:
    """Cochran's rule, with its numbers; "" where it is kept."""
    small, tiny = int((m < ENOUGH_EXPECTED).sum()), int((m < LEAST_EXPECTED).sum())
    if small <= MAY_BE_SMALL * m.size and tiny == 0:
        return ""
    single = int((y.sum(axis=1) <= 1.0).sum())
    alone = f"; {single} of {len(y)} cells hold a single comparison" if single else ""
    return (
        f"{small} of {m.size} expected counts are below 5 and {tiny} below 1 (smallest {m.min():.3g}){alone};"
        " the chi-square is rough unless at most 20 % are below 5 and none below 1 (Cochran 1954)"
    )
