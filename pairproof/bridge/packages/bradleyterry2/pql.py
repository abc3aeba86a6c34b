"""glmmPQL: a generalised linear model with one vector of independent normal effects, by penalised quasi-likelihood.

R's criterion for sigma is that of REML of the working model.  With 0/1 contests and few of them a player it is far too
low (spec: sigma 1.1 is estimated as .6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.values import Formula
from ..answers import as_frame, ask, asks, check_option, optional, reals
from .arguments import NEEDS, Column, column, pql_arguments
from .fit import REDUCE_BTM, ContestModel, contest_model

Family = Literal["binomial", "poisson"]

GLMMPQL = (
    REDUCE_BTM
    + """
here <- environment()
said <- function(value) if (inherits(value, "formula")) value[[2L]] else value
call <- list(quote(BradleyTerry2::glmmPQL), fixed, random = if (!is.null(Z)) quote(Z), family = quote(family), data = quote(data),
             subset = said(given$subset), weights = said(given$weights), offset = said(given$offset))
family <- get(family, envir = asNamespace("stats"), mode = "function")
family <- if (is.null(link)) family() else family(link = link)
fit <- eval(as.call(c(call[lengths(call) > 0L], pql)), here)
reduce_btm(fit)
"""
)


@dataclass(frozen=True)
class GlmmPQLControl:
    """When glmmPQL stops, as R's ``glmmPQL.control`` says it.

    maxiter, IWLSiter: most outer and inner steps. R does not say where it stopped for want of them: see
    ``converged``.  tol: of the score of sigma, in units of its information's root.  trace: whether R prints
    each step, into ``result.output``.
    """

    maxiter: int = 50
    IWLSiter: int = 10
    tol: float = 1e-6
    trace: bool = False

    def arguments(self) -> dict[str, Any]:
        """The arguments of R's function, those that are not its defaults."""
        given = {"maxiter": self.maxiter, "IWLSiter": self.IWLSiter, "tol": self.tol, "trace": self.trace}
        default = {"maxiter": 50, "IWLSiter": 10, "tol": 1e-6, "trace": False}
        return {k: v for k, v in given.items() if v != default[k]}


def glmmPQL_control(
    maxiter: int = 50, IWLSiter: int = 10, tol: float = 1e-6, trace: bool = False
) -> GlmmPQLControl:
    """R's ``BradleyTerry2::glmmPQL.control``, for :func:`BTm` and :func:`glmmPQL`.

    Parameters
    ----------
    maxiter, IWLSiter : int
        Above 0.
    tol : float
        Above 0.
    trace : bool

    Returns
    -------
    GlmmPQLControl

    Raises
    ------
    InputError
        A number that is not above 0.

    Examples
    --------
    >>> from pairproof.bridge import bradleyterry2
    >>> bradleyterry2.glmmPQL_control(tol=1e-13).arguments()
    {'tol': 1e-13}
    """
    for name, value in (("maxiter", maxiter), ("IWLSiter", IWLSiter), ("tol", tol)):
        if not value > 0:
            raise InputError(f"{name} must be above 0; found {value}")
    return GlmmPQLControl(int(maxiter), int(IWLSiter), float(tol), bool(trace))


@asks(*NEEDS)
def glmmPQL(
    fixed: str,
    random: Any = None,
    family: Family = "binomial",
    data: Any = None,
    subset: Column = None,
    weights: Column = None,
    offset: Column = None,
    *,
    link: str | None = None,
    control: GlmmPQLControl | None = None,
    sigma: float | None = None,
    sigma_fixed: bool | None = None,
    backend: BackendLike = None,
) -> ContestModel:
    """R's ``BradleyTerry2::glmmPQL(fixed, random, family, data, ...)``.

    Parameters
    ----------
    fixed : str
        R formula with its left side.
    random : float[rows, effects], optional
        Design matrix of the effects, which are independent with one variance; without it R's glm.
    family : {"binomial", "poisson"}
    data : DataFrame, mapping of columns, or Expr
    subset, weights, offset : str or values, optional
        A subset with `random` stops R, whose matrix must have the rows that are left.
    link : {"logit", "probit", "cauchit", "log"}, optional
    control : GlmmPQLControl, optional
    sigma, sigma_fixed : float, bool, optional
        Start (0.1), and whether it stays there.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ContestModel
        Its ``players`` is empty.

    Raises
    ------
    InputError, FormulaError, RError
        `random` is no matrix; text that is no formula; R's own.

    Examples
    --------
    >>> glmmPQL("cbind(r, n - r) ~ seed + extract", np.eye(21), data=Expr("BradleyTerry2::seeds")).sigma  # doctest: +SKIP
    """
    check_option("family", family, Family)
    if link is not None:
        check_option("link", link, Literal["logit", "probit", "cauchit", "log"])
    effects = optional(reals, random)
    if effects is not None and effects.ndim != 2:
        raise InputError(f"random has shape {effects.shape}; a matrix of rows and effects is expected")
    arguments = {
        "fixed": Formula(fixed),
        "Z": effects,
        "family": family,
        "link": link,
        "data": as_frame(data),
        "given": {
            "subset": column(subset, "subset"),
            "weights": column(weights, "weights"),
            "offset": column(offset, "offset"),
        },
        "pql": pql_arguments(control, sigma, sigma_fixed),
    }
    result = ask(backend, "BradleyTerry2::glmmPQL", GLMMPQL, arguments, NEEDS)
    return contest_model(result, arguments)
