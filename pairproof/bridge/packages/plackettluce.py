"""R's PlackettLuce: rankings by Luce's choices at every stage, with ties, and pladmm.

Turner, van Etten, Firth & Kosmidis 2020.

A ranking is a sequence of groups C_1 > C_2 > ...; from what is left, A, a group S is chosen with probability
proportional to

    delta_|S| (prod_{i in S} a_i)^{1/|S|},     delta_1 = 1,

over the subsets of A whose sizes occur in the data.  Log worths are log a_i less that of the first item.  An
item without a rank (0 or NA) was not compared: a ranking of the best k cannot be said here.

R stops when sufficient statistics are within ``epsilon`` of their expectations, by default 1e-7: 7 digits;
1e-13 gives 14.  With pseudo-rankings (``npseudo``, by default 0.5) the estimates are not those of maximum
likelihood, and R's standard errors, log-likelihood and AIC leave the pseudo-data out.

pladmm (Yildiz et al. 2020) has log worth = X beta, a sum of item covariates.  It alternates between worths
and coefficients (the alternating directions method of multipliers) and stops when worths change by less than
``rtol``, by default 1e-4, which leaves 3 or 4 digits; its rankings have no ties.  The model of its formula is
given as X, so no text reaches R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import matrix
from ..values.nodes import Expr, RArgument
from .asking import Estimates, Floats, asks, check_item, optional, program, reals, sent
from .base import OF_MODEL, QuasiVariances
from .psychotools import ItemParameters

PLADMM = program(__package__, "r/plackettluce_pladmm")


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


@asks("PlackettLuce")
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
        shapes = f"rankings of shape {ranks.shape} and x of shape {table.shape}"
        raise InputError(f"{shapes}; x needs one row per item")
    labels = _labels(items, rankings, ranks.shape[1], "items")
    columns = _labels(names, x, table.shape[1], "names", "x")
    if weights is not None and len(weights) != len(ranks):
        raise InputError(f"{len(weights)} weights for {len(ranks)} rankings")
    made: dict[str, Any] = {"rankings": matrix(ranks, labels), "X": table}
    arguments = sent(backend, "rankings X .weights rho n_iter rtol", **made)
    named: dict[str, Any] = {"names": tuple(columns), "items": tuple(labels)}
    return CovariateWorths.ask(backend, "PlackettLuce::pladmm", PLADMM, arguments, **named)


def _numbers(table: Any) -> Floats:
    # A table may have whole numbers with missing ones among them, which numpy alone cannot read.
    return reals(table.to_numpy(dtype=float, na_value=np.nan) if hasattr(table, "columns") else table)


def _labels(given: Sequence[str] | None, table: Any, n: int, what: str, stem: str = "") -> list[str]:
    """Names as given, else those of a DataFrame's columns, else x1, x2, ..."""
    named = [str(c) for c in table.columns] if hasattr(table, "columns") else []
    found = list(given) if given is not None else named or [f"{stem}{k + 1}" for k in range(n)] * bool(stem)
    if len(found) != n:
        raise InputError(f"{what} has {len(found)} names for {n} columns")
    return found


Method = Literal["iterative scaling", "BFGS", "L-BFGS"]

FIT = """
ranked <- PlackettLuce::as.rankings(rankings)
given <- list(rankings = quote(ranked), npseudo = npseudo, normal = normal, gamma = gamma, adherence = adherence, weights = weights,
              method = method, epsilon = epsilon, steffensen = steffensen, maxit = maxit, verbose = FALSE)
fit <- eval(as.call(c(quote(PlackettLuce::PlackettLuce), given[!vapply(given, is.null, NA)])))
"""
#: R: with rankings of the same ranker together; apart, because a record is found by the code's own text.
_GIVEN = "given <- list(rankings = quote(%s)"
_GROUPED = "grouped <- PlackettLuce::group(ranked, .group)\n" + _GIVEN % "grouped"
OF_GROUPS = FIT.replace(_GIVEN % "ranked", _GROUPED)
REDUCE = program(__package__, "r/plackettluce_reduce")


@dataclass(frozen=True, eq=False)
class PlackettLuceModel(Estimates):
    """A Plackett-Luce model as R fits it.

    names: the items, then ``tie2``, ``tie3`` for log delta of the orders that occur.  coef, se float[n]: log
    worths, the first item 0, and log delta. Standard errors from the data alone; NaN where R's ``vcov``
    stops, see ``vcov_error``.  vcov float[n, n].  vcov_error: R's message where vcov stopped.  worth
    float[items]: adding up to 1.  tie_orders float[orders]: sizes of the groups that occur, 1 among them.
    loglik, null_loglik: of the data at the estimates; with all worths and all delta 1.  log_posterior: with
    ``normal``; else NaN.  df, rank, df_residual, aic: as R defines them: residual df counts every stage of
    every ranking.  adherence float[rankings] or None: where ``gamma`` asked for it.  arguments: of the call,
    so that :func:`itempar` and :func:`qvcalc` can repeat it.
    """

    vcov_error: str
    items: tuple[str, ...]
    worth: Floats
    tie_orders: Floats
    loglik: float
    null_loglik: float
    log_posterior: float
    df: float
    rank: float
    df_residual: float
    aic: float
    iterations: int
    converged: bool
    adherence: Floats | None
    arguments: Mapping[str, Any] = field(repr=False)


@asks("PlackettLuce")
def PlackettLuce(
    rankings: Any,
    items: Sequence[str] | None = None,
    npseudo: float = 0.5,
    normal: tuple[Sequence[float], Any] | None = None,
    weights: Sequence[float] | None = None,
    method: Method = "iterative scaling",
    epsilon: float = 1e-7,
    steffensen: float = 0.1,
    maxit: tuple[int, int] = (500, 10),
    gamma: tuple[float, float] | None = None,
    adherence: Sequence[float] | None = None,
    group: Sequence[int] | None = None,
    *,
    backend: BackendLike = None,
) -> PlackettLuceModel:
    """R's ``PlackettLuce::PlackettLuce(as.rankings(rankings), npseudo, normal, ...)``.

    Parameters
    ----------
    rankings : float[rankings, items], DataFrame, or Expr
        Ranks, 1 is best, equal ranks are ties; 0 or missing is not ranked, never best. Ranks with gaps are made
        dense, and rankings of one item left out: R says so in ``result.messages``.
    items : sequence of str, optional
        Names of the columns; default those of the DataFrame.
    npseudo : float
        Wins, and losses, of every item against an imaginary one; 0 for maximum likelihood.
    normal : (float[items], float[items, items]), optional
        Mean and covariance of a normal prior of the log worths; R then takes BFGS and no pseudo-rankings.
    weights : float[rankings], optional
        Above 0.
    method : {"iterative scaling", "BFGS", "L-BFGS"}
    epsilon, steffensen : float
        R's rule for stopping, which iterative scaling alone uses; its threshold for acceleration.
    maxit : (int, int)
        Most steps, and most rounds with adherence.
    gamma : (shape, rate), optional
        Of a prior of the adherence of each ranking, which is then estimated too: not a likelihood.
    adherence : float[rankings], optional
        Known adherence.
    group : int[rankings], optional
        Ranker of each ranking, from 1; adherence is then one a ranker.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PlackettLuceModel

    Raises
    ------
    InputError, RError
        Ranks below 0, names or weights of another number; R's own, "Network is not fully connected" among them.

    Examples
    --------
    >>> PlackettLuce([[1, 2, 3], [2, 1, 3], [3, 1, 2]], ["A", "B", "C"], npseudo=0).coef  # doctest: +SKIP
    """
    made: dict[str, Any] = {"rankings": _rankings(rankings, items), "normal": optional(_prior, normal)}
    made |= {"gamma": optional(lambda g: {"shape": float(g[0]), "rate": float(g[1])}, gamma)}
    variables = "rankings npseudo normal weights method epsilon steffensen maxit gamma adherence"
    arguments = sent(backend, variables, maxit=[int(n) for n in maxit], **made)
    if group is not None:
        arguments[".group"] = [int(g) for g in group]
    code = _fit(arguments) + REDUCE
    return PlackettLuceModel.ask(backend, "PlackettLuce::PlackettLuce", code, arguments)


def _fit(arguments: Mapping[str, Any]) -> str:
    return OF_GROUPS if ".group" in arguments else FIT


def _rankings(rankings: Any, items: Sequence[str] | None) -> Any:
    if isinstance(rankings, (Expr, RArgument)):
        return rankings
    names = list(items) if items is not None else [str(c) for c in getattr(rankings, "columns", ())]
    values = _numbers(rankings)
    if values.ndim != 2:
        expected = "one row per ranking and one column per item"
        raise InputError(f"rankings need {expected}; found shape {values.shape}")
    if len(names) != values.shape[1]:
        raise InputError(f"items has {len(names)} names for {values.shape[1]} columns of ranks")
    below = np.argwhere(values < 0)
    if len(below):
        i, j = below[0].tolist()
        expected = "ranks are 1 (best), 2, ..., and 0 or missing where the item is not ranked"
        raise InputError(f"ranking {i + 1}, item {names[j]!r}: rank {values[i, j]:g}; {expected}")
    return matrix(values, names)


def _prior(normal: tuple[Sequence[float], Any]) -> dict[str, Any]:
    mean, covariance = reals(normal[0]), reals(normal[1])
    if covariance.shape != (len(mean), len(mean)):
        raise InputError(f"the prior's covariance has shape {covariance.shape} for {len(mean)} means")
    return {"mu": mean, "Sigma": covariance}


ITEMPAR = """
found <- PlackettLuce::itempar(fit, ref = if (is.null(ref)) NULL else ref, log = log, vcov = TRUE)
V <- as.matrix(stats::vcov(found))
list(items = names(found), estimate = as.numeric(found), se = unname(sqrt(diag(V))), vcov = unname(V))
"""


@asks("PlackettLuce")
def itempar(
    model: PlackettLuceModel,
    ref: str | Sequence[str] | None = None,
    log: bool = False,
    *,
    backend: BackendLike = None,
) -> ItemParameters:
    """R's ``itempar(model, ref, log)``: worths adding up to 1 or, with ``ref``, times that item's; or their
    logarithms, centred or less that item's.

    Parameters
    ----------
    model : PlackettLuceModel
        Fitted again in the same call.
    ref : str or sequence of str, optional
        An item, or several; default all.
    log : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ItemParameters

    Raises
    ------
    ValueError, RError
        ``ref`` is not an item; R's own.

    Examples
    --------
    >>> itempar(model, log=True).se  # doctest: +SKIP
    """
    several = [] if ref is None or isinstance(ref, str) else list(ref)
    for name in several or ([ref] if isinstance(ref, str) else []):
        check_item("ref", name, model.items)
    arguments = {**model.arguments, "ref": several or ref, "log": log}
    code = _fit(model.arguments) + ITEMPAR
    return ItemParameters.ask(backend, "PlackettLuce::itempar", code, arguments)


@asks("PlackettLuce", "qvcalc")
def qvcalc(model: PlackettLuceModel, *, backend: BackendLike = None) -> QuasiVariances:
    """R's ``qvcalc(model)``: quasi-variances of the log worths.

    Parameters
    ----------
    model : PlackettLuceModel
        Fitted again in the same call.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    pairproof.bridge.packages.base.QuasiVariances

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> qvcalc(model).quasi_se  # doctest: +SKIP
    """
    code = _fit(model.arguments) + "\nv <- qvcalc::qvcalc(fit)\n" + OF_MODEL
    return QuasiVariances.ask(backend, "qvcalc::qvcalc of PlackettLuce", code, model.arguments)
