"""brglm2: bias reduction of generalised linear models by Kosmidis and Firth.

``AS_mean`` is Firth's (1993) mean bias reduction, ``AS_median`` Kenne Pagui, Salvan and Sartori's (2017), ``MPL_Jeffreys`` the
maximum of the likelihood times Jeffreys' prior, the same as ``AS_mean`` for the logit.  Bias reduction of the Poisson form of contests
(a constant for each pair) is *not* that of the contests given their numbers: the penalty moves the constants too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from .asking import Estimates, Floats, ask, asks, program, reals, sent

Type = Literal["AS_mean", "AS_median", "AS_mixed", "MPL_Jeffreys", "correction", "ML"]
Family = Literal["binomial", "poisson"]
Link = Literal["logit", "probit", "cauchit", "cloglog", "log"]

BRGLM = program(__package__, "r/brglm2_brglm")


@dataclass(frozen=True, eq=False)
class ReducedModel(Estimates):
    """A bias-reduced model as ``brglmFit`` has it.

    coef, se float[n]: standard errors by the expected information of the plain likelihood at the estimates.
    vcov float[n, n].  deviance, loglik, aic, df_residual: of the plain likelihood, which the estimates do not
    maximise.  fitted float[rows].
    """

    deviance: float
    loglik: float
    aic: float
    df_residual: float
    converged: bool
    iterations: int
    fitted: Floats


@asks("brglm2")
def brglm_fit(
    x: Any,
    wins: Sequence[float],
    losses: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
    type: Type = "AS_mean",
    link: Link = "logit",
    family: Family = "binomial",
    offset: Sequence[float] | None = None,
    epsilon: float = 1e-14,
    maxit: int = 10_000,
    *,
    backend: BackendLike = None,
) -> ReducedModel:
    """R's ``glm(cbind(wins, losses) ~ 0 + x, family, method = brglm2::brglmFit, control = list(type, epsilon, maxit))``.

    Parameters
    ----------
    x : float[rows, columns]
        Differences of the two players; for the Poisson form the pairs' constants too.
    wins, losses : float[rows]
        Counts; no losses with "poisson".
    names : sequence of str, optional
        Of the columns; default x1, x2, ...
    type : {"AS_mean", "AS_median", "AS_mixed", "MPL_Jeffreys", "correction", "ML"}
    link : {"logit", "probit", "cauchit", "cloglog", "log"}
    family : {"binomial", "poisson"}
    offset : float[rows], optional
    epsilon, maxit : float, int
        R's own 1e-6 and 100 leave 7 digits.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ReducedModel

    Raises
    ------
    ValueError, InputError, RError
        Another option; columns that do not fit; R's own.

    Examples
    --------
    >>> brglm_fit([[-1.0, 0], [0, -1], [1, -1]], [5, 5, 3], [0, 0, 2]).coef  # doctest: +SKIP
    """
    table, n = reals(x), len(wins)
    if table.ndim != 2 or len(table) != n or losses is not None and len(losses) != n:
        raise InputError(f"x has shape {table.shape} for {n} rows of wins; a row each is expected")
    if (losses is None) != (family == "poisson"):
        raise InputError("losses belong to the binomial family, and to no other")
    columns = [f"x{k + 1}" for k in range(table.shape[1])] if names is None else names
    if len(columns) != table.shape[1]:
        raise InputError(f"{len(columns)} names for {table.shape[1]} columns of x")
    variables = "x wins losses columns type link family offset epsilon maxit"
    arguments = sent(backend, variables, x=table, columns=columns)
    result = ask(backend, "brglm2::brglmFit", BRGLM, arguments)
    vcov = result.as_list().vector("vcov").floats()
    return ReducedModel.read(result, names=tuple(columns), se=np.sqrt(np.diag(vcov)), vcov=vcov)
