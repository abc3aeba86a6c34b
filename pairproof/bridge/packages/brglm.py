"""R's brglm: logistic regression with bias-reduced estimates (Firth 1993), as BradleyTerry2 asks it with ``br = TRUE``.

It refits by pseudo-data until the modified scores change by less than 1e-8, which leaves 5 to 9 digits.  The model of a
formula is given as its design matrix, so no text reaches R.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import matrix
from .answers import ask, asks, check_option, optional, reals
from .models import REDUCE, RModel, model_of

NEEDS = ("brglm",)
Link = Literal["logit", "probit", "cauchit", "cloglog"]

BRGLM = (
    REDUCE
    + """
d <- data.frame(.share = share)
d$X <- X
fit <- suppressWarnings(brglm::brglm(.share ~ 0 + X, family = stats::binomial(link = link), data = d, weights = .weights, offset = .offset))
b <- fit$coefficients
V <- as.matrix(stats::vcov(fit))
names(b) <- colnames(X)
dimnames(V) <- list(colnames(X)[!is.na(b)], colnames(X)[!is.na(b)])
reduce(fit, b, V)
"""
)


@asks(*NEEDS)
def brglm(
    share: Sequence[float],
    x: Any,
    weights: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
    link: Link = "logit",
    offset: Sequence[float] | None = None,
    *,
    backend: BackendLike = None,
) -> RModel:
    """R's ``brglm::brglm(share ~ 0 + x, binomial(link), weights, offset)``.

    Parameters
    ----------
    share : float[rows]
        Share of successes, in [0, 1].
    x : float[rows, columns] or DataFrame
    weights : float[rows], optional
        Trials; default 1 each.
    names : sequence of str, optional
        Of the columns; default those of the DataFrame, else x1, x2, ...
    link : {"logit", "probit", "cauchit", "cloglog"}
    offset : float[rows], optional
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RModel
        Deviance and log-likelihood are those of the plain likelihood, which the estimates do not maximise.

    Raises
    ------
    ValueError, InputError, RError
        Another link; lengths that do not fit; R's own.

    Examples
    --------
    >>> brglm([1.0, 1.0, 0.6], [[1, 0], [0, 1], [1, -1]], weights=[5, 5, 5]).coef  # doctest: +SKIP
    """
    check_option("link", link, Link)
    table, y = reals(x), reals(share)
    given = [str(c) for c in getattr(x, "columns", ())] if names is None else list(names)
    if table.ndim != 2 or len(table) != len(y):
        raise InputError(f"x has shape {table.shape} for {len(y)} shares; a row each is expected")
    columns = given or [f"x{k + 1}" for k in range(table.shape[1])]
    if len(columns) != table.shape[1]:
        raise InputError(f"{len(columns)} names for {table.shape[1]} columns of x")
    if not ((y >= 0) & (y <= 1)).all():
        raise InputError(f"a share is a number from 0 to 1; found {float(y[(y < 0) | (y > 1)][0])!r}")
    arguments = {
        "share": y,
        "X": matrix(table, columns),
        ".weights": np.ones(len(y)) if weights is None else reals(weights),
        "link": link,
        ".offset": optional(reals, offset),
    }
    return model_of(RModel, ask(backend, "brglm::brglm", BRGLM, arguments, NEEDS))
