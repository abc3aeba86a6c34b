"""R's pladmm: Plackett and Luce's model of rankings whose log worths are a sum of item covariates (Yildiz et
al. 2020).
 Log worth = X beta.  pladmm alternates between worths and coefficients (the alternating directions method of
multipliers) and stops when worths change by less than ``rtol``, by default 1e-4, which leaves 3 or 4 digits;
its rankings have no ties.  The model of its formula is given as X, so no text reaches R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import matrix
from .answers import Estimates, Floats, ask, asks, optional, reals

NEEDS = ("PlackettLuce",)

PLADMM = """
d <- as.data.frame(X)
names(d) <- paste0("x", seq_along(d))
form <- stats::as.formula(paste("~", paste(names(d), collapse = " + ")))
ranked <- PlackettLuce::as.rankings(rankings)
if (is.null(.weights)) .weights <- rep.int(1, nrow(rankings))
fit <- PlackettLuce::pladmm(ranked, form, data = d, weights = .weights, rho = rho, n_iter = n_iter, rtol = rtol)
V <- as.matrix(stats::vcov(fit))
b <- stats::coef(fit)
ll <- stats::logLik(fit)
list(intercept = unname(b[1L]), coef = unname(b[-1L]), se = unname(sqrt(diag(V))), vcov = unname(V), worth = unname(as.numeric(fit$pi)),
     loglik = as.numeric(ll), df = attr(ll, "df"), df_residual = fit$df.residual, iterations = fit$iter, converged = isTRUE(fit$conv))
"""


@dataclass(frozen=True, eq=False)
class CovariateWorths(Estimates):
    """Rankings explained by item covariates, as pladmm left them.

    names: columns of X.  coef, se float[columns].  vcov float[columns, columns].  intercept: what makes the
    worths add up to 1.  worth float[items].
    """

    intercept: float
    items: tuple[str, ...]
    worth: Floats
    loglik: float
    df: float
    df_residual: float
    iterations: int
    converged: bool


@asks(*NEEDS)
def pladmm(
    rankings: Any,
    x: Any,
    items: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    rho: float = 1.0,
    n_iter: int = 500,
    rtol: float = 1e-4,
    *,
    backend: BackendLike = None,
) -> CovariateWorths:
    """R's ``PlackettLuce::pladmm(as.rankings(rankings), ~ x, weights, rho, n_iter, rtol)``.

    Parameters
    ----------
    rankings : float[rankings, items] or DataFrame
        Ranks, 1 is best, without ties; 0 or missing is not ranked.
    x : float[items, columns] or DataFrame
        Item covariates, without a constant.
    items, names : sequence of str, optional
        Of the columns of `rankings` and of `x`; default those of the DataFrames.
    weights : float[rankings], optional
    rho, rtol : float
        Penalty of the method; its rule for stopping.
    n_iter : int
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    CovariateWorths

    Raises
    ------
    InputError, RError
        Shapes or names that do not fit each other; R's own.

    Examples
    --------
    >>> pladmm([[1, 2, 3], [2, 1, 3]], [[0.0], [1.0], [3.0]], ["A", "B", "C"]).coef  # doctest: +SKIP
    """
    ranks = np.nan_to_num(_numbers(rankings))
    table = _numbers(x)
    if ranks.ndim != 2 or table.ndim != 2 or len(table) != ranks.shape[1]:
        raise InputError(
            f"rankings of shape {ranks.shape} and x of shape {table.shape}; x needs a row an item"
        )
    labels = _labels(items, rankings, ranks.shape[1], "items")
    columns = _labels(names, x, table.shape[1], "names", "x")
    if weights is not None and len(weights) != len(ranks):
        raise InputError(f"{len(weights)} weights for {len(ranks)} rankings")
    arguments = {
        "rankings": matrix(ranks, labels),
        "X": table,
        ".weights": optional(reals, weights),
        "rho": float(rho),
        "n_iter": int(n_iter),
        "rtol": float(rtol),
    }
    result = ask(backend, "PlackettLuce::pladmm", PLADMM, arguments, NEEDS)
    return CovariateWorths.read(result, names=tuple(columns), items=tuple(labels))


def _numbers(table: Any) -> Floats:
    return reals(table.to_numpy(dtype=float, na_value=np.nan) if hasattr(table, "columns") else table)


def _labels(given: Sequence[str] | None, table: Any, n: int, what: str, stem: str = "") -> list[str]:
    """Names as given, else those of a DataFrame's columns, else x1, x2, ..."""
    named = [str(c) for c in table.columns] if hasattr(table, "columns") else []
    found = list(given) if given is not None else named or [f"{stem}{k + 1}" for k in range(n)] * bool(stem)
    if len(found) != n:
        raise InputError(f"{what} has {len(found)} names for {n} columns")
    return found
