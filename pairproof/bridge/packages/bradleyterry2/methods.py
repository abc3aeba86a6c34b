"""What BradleyTerry2 does with a fitted model: abilities, predictions, residuals.

No R object outlives its call here: each function fits the model again in the same call, from the arguments it was
fitted with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.formulas import checked
from ..answers import Floats, RAnswer, ask, asks, check_option
from ..base import QuasiVariances
from ..models import REFIT
from .arguments import FIT, NEEDS, data_of
from .counts import FIT as FIT_COUNTS, BTmModel
from .fit import ContestModel, needs_of

Model = Union[BTmModel, ContestModel]
Kind = Literal["link", "response", "terms"]
Residual = Literal["deviance", "pearson", "working", "response", "partial", "grouped"]

FIT_OF_COUNTS = (
    REFIT
    + FIT_COUNTS
    + """
if (again && !anyNA(fit$coefficients)) fit <- refit(fit, epsilon, maxit)$model
"""
)
ABILITIES = """a <- BradleyTerry2::BTabilities(fit)
list(players = rownames(a), ability = unname(a[, 1L]), se = unname(a[, 2L]),
     vcov = matrix(as.numeric(attr(a, "vcov")), nrow(a)))
"""
SEPARATE = """a <- BradleyTerry2::BTabilities(fit)
list(players = rownames(a), ability = unname(a[, 1L]), se = unname(a[, 2L]),
     vcov = matrix(as.numeric(attr(a, "vcov")), NROW(attr(a, "vcov"))), separate = as.character(attr(a, "separate")))
"""


@dataclass(frozen=True, eq=False)
class Abilities(RAnswer):
    """Abilities of all players with their standard errors; the reference has 0 and 0.

    ability, se float[players]: on the scale of the link; NaN where R has none.  vcov float[players, players]:
    of those that have an ability, in R's order.  separate: players with an ability of their own beside
    covariates.
    """

    players: tuple[str, ...]
    ability: Floats
    se: Floats
    vcov: Floats
    separate: tuple[str, ...] = ()


@asks(*NEEDS)
def BTabilities(model: Model, *, backend: BackendLike = None) -> Abilities:
    """R's ``BradleyTerry2::BTabilities(BTm(...))``; predicted random effects are not part of an ability.

    Parameters
    ----------
    model : ContestModel or BTmModel
        Of :func:`BTm` or :func:`BTm_counts`.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Abilities

    Raises
    ------
    RError
        R's own: version 1.1-2 stops with two players ("non-conformable arguments"), with products of three covariates ("(subscript)
        logical subscript too long"), and where only contest terms are fixed.

    Examples
    --------
    >>> BTabilities(BTm_counts([3, 2, 4], [1, 2, 1], [*"AAB"], [*"BCC"])).ability  # doctest: +SKIP
    """
    code = FIT_OF_COUNTS + ABILITIES if isinstance(model, BTmModel) else FIT + SEPARATE
    return Abilities.read(ask(backend, "BradleyTerry2::BTabilities", code, model.arguments, needs_of(model)))


QVCALC = """
v <- qvcalc::qvcalc(BradleyTerry2::BTabilities(fit))
list(items = rownames(v$qvframe), quasi_variance = v$qvframe$quasiVar, quasi_se = v$qvframe$quasiSE, worst_errors = as.numeric(range(v$relerrs)))
"""


@asks(*NEEDS, "qvcalc")
def qvcalc(model: ContestModel, *, backend: BackendLike = None) -> QuasiVariances:
    """R's ``qvcalc(BTabilities(model))``: quasi-variances of the abilities.

    Parameters
    ----------
    model : ContestModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    pairproof.bridge.packages.base.QuasiVariances
        Good to 4 or 5 digits, where R's optimiser stops; NaN where R finds one negative.

    Raises
    ------
    RError
        R's own: with covariates R mostly stops ("not all contrasts have positive variance").

    Examples
    --------
    >>> qvcalc(model).quasi_se  # doctest: +SKIP
    """
    needs = (*needs_of(model), "qvcalc")
    result = ask(backend, "qvcalc::qvcalc of BTabilities", FIT + QVCALC, model.arguments, needs)
    return QuasiVariances.read(result)


@dataclass(frozen=True, eq=False)
class Predictions(RAnswer):
    """Predictions as R makes them.

    columns: "population" (level 0), "individual" (level 1, with predicted random effects), or the terms.  fit
    float[contests, columns]: NaN where R has none: a new player at level 1.  se float[contests, columns]:
    empty where they were not asked for. The uncertainty of sigma is not in them.
    """

    columns: tuple[str, ...]
    fit: Floats
    se: Floats


PREDICT = """
asked <- list(fit, type = type, se.fit = se.fit)
if (!is.null(newdata)) asked$newdata <- newdata
if (!is.null(level)) asked$level <- level
found <- do.call(stats::predict, asked)
named <- c("population", "individual")
if (type == "terms") {
  a <- if (is.list(found)) found else list(fit = found)
  columns <- as.character(colnames(a$fit))
} else {
  parts <- if (all(named %in% names(found))) found[named] else list(found)
  columns <- if (length(parts) == 2L) named else named[1L + if (is.null(level)) !is.null(fit$random) else level[1L]]
  a <- list(fit = do.call(cbind, lapply(parts, function(p) as.numeric(if (is.list(p)) p$fit else p))),
            se.fit = if (se.fit) do.call(cbind, lapply(parts, function(p) as.numeric(p$se.fit))))
}
list(columns = columns, fit = matrix(as.numeric(a$fit), NROW(a$fit)),
     se = if (se.fit) matrix(as.numeric(a$se.fit), NROW(a$fit)) else matrix(numeric(), 0L, length(columns)))
"""


@asks(*NEEDS)
def predict(
    model: ContestModel,
    newdata: Any = None,
    level: int | Sequence[int] | None = None,
    type: Kind = "link",
    se_fit: bool = False,
    *,
    backend: BackendLike = None,
) -> Predictions:
    """R's ``predict(model, newdata, level, type, se.fit)``.

    **R is silently wrong where the factors of `newdata` have only the levels in use** (Boston against Detroit -1.436 for -.329), which
    its help page allows: give them all levels.

    Parameters
    ----------
    model : ContestModel
    newdata : DataFrame, mapping of columns, mapping of tables, or Expr, optional
        With all variables of the model, in the shape of `data`.
    level : 0, 1 or (0, 1), optional
        Without or with random effects; default with, if there are any.
    type : {"link", "response", "terms"}
        "terms" stops R without `se_fit`.
    se_fit : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError, InputError, RError
        Another type or level; R's own.

    Examples
    --------
    >>> predict(model, level=(0, 1), se_fit=True).fit[:4]  # doctest: +SKIP
    """
    check_option("type", type, Kind)
    # As doubles: R asks whether the level is identical to 0, and 0L is not.
    levels = None if level is None else sorted({float(v) for v in np.atleast_1d(level)})
    if levels is not None and not set(levels) <= {0.0, 1.0}:
        raise InputError(f"level is 0, 1 or both; found {level!r}")
    arguments = {
        **model.arguments,
        "newdata": data_of(newdata),
        "level": levels,
        "type": type,
        "se.fit": bool(se_fit),
    }
    found = Predictions.read(ask(backend, "stats::predict of BTm", FIT + PREDICT, arguments, needs_of(model)))
    for array in (found.fit, found.se):
        array[np.isnan(array)] = np.nan
    return found


@dataclass(frozen=True, eq=False)
class Residuals(RAnswer):
    """Residuals of contests, or grouped by player.

    names: rows of the data, or players; terms of partial residuals are ``columns``.  values float[n] or
    float[n, terms].  weights float[n]: of grouped residuals, else empty.
    """

    names: tuple[str, ...]
    values: Floats
    weights: Floats


RESIDUALS = """
r <- if (is.null(by)) stats::residuals(fit, type = type) else stats::residuals(fit, type = type, by = by)
w <- attr(r, "weights")
list(names = as.character(if (is.matrix(r)) rownames(r) else names(r)),
     values = if (is.matrix(r) && ncol(r) > 1L) matrix(as.numeric(r), nrow(r)) else as.numeric(r),
     weights = if (is.null(w)) numeric() else as.numeric(w))
"""


@asks(*NEEDS)
def residuals(
    model: ContestModel, type: Residual = "deviance", by: str | None = None, *, backend: BackendLike = None
) -> Residuals:
    """R's ``residuals(model, type, by)``; the vignette's "Pearson residuals" are deviance residuals.

    Parameters
    ----------
    model : ContestModel
    type : {"deviance", "pearson", "working", "response", "partial", "grouped"}
        "grouped" are weighted means of working residuals by player; R stops with "non-conformable arguments" after a subset or a missing
        value.
    by : str, optional
        The factor to group by, instead of the player.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Residuals

    Raises
    ------
    ValueError, FormulaError, RError
        Another type; `by` is no name; R's own.

    Examples
    --------
    >>> residuals(model, "grouped").values  # doctest: +SKIP
    """
    check_option("type", type, Residual)
    if by is not None:
        checked(f"~ {by}", "by")  # R makes a formula of it
    arguments = {**model.arguments, "type": type, "by": by}
    return Residuals.read(
        ask(backend, "stats::residuals of BTm", FIT + RESIDUALS, arguments, needs_of(model))
    )


@dataclass(frozen=True, eq=False)
class ModelMatrix(RAnswer):
    """The differences of both players' model matrices, a row a contest.

    values float[contests, columns].
    """

    names: tuple[str, ...]
    values: Floats


MATRIX = """
x <- stats::model.matrix(fit)
if (is.null(x)) stop("R has no model matrix of this model")
list(names = as.character(colnames(x)), values = matrix(as.numeric(x), nrow(x)))
"""


@asks(*NEEDS)
def model_matrix(model: ContestModel, *, backend: BackendLike = None) -> ModelMatrix:
    """R's ``model.matrix(model)``.

    Parameters
    ----------
    model : ContestModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ModelMatrix

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> model_matrix(model).names  # doctest: +SKIP
    """
    return ModelMatrix.read(
        ask(backend, "stats::model.matrix of BTm", FIT + MATRIX, model.arguments, needs_of(model))
    )
