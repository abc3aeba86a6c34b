"""R's lme4 on a design: ``glmer`` with fixed effects as a matrix and random effects as columns of it within groups.

    g(E y) = X b + offset + sum over terms k of Z_k u_k[group],    u_k ~ N(0, S_k)

Z_k are columns of X, or ones.  The model of a formula is given by its values, so no text reaches R; what comes out is
what glmer finds with its own optimisers and their own stops: 4 to 7 digits of the maximum, and as many as R has of what
the same call gives with a formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of, matrix
from .answers import Estimates, Floats, ask, asks, check_option, optional, reals

NEEDS = ("lme4",)
Family = Literal["binomial", "poisson"]
Link = Literal["logit", "probit", "cauchit", "cloglog", "log"]
#: The constant among the columns of a random term.
CONSTANT = "(Intercept)"

GLMER = """
d <- groups
names(d) <- paste0("g", seq_along(d))
d$.y <- y
d$X <- X
for (k in seq_along(Z)) d[[paste0("Z", k)]] <- Z[[k]]
terms <- sprintf("(0 + Z%d | g%d)", seq_along(Z), seq_along(Z))
form <- stats::as.formula(paste(c(if (ncol(X)) ".y ~ 0 + X" else ".y ~ 0", terms), collapse = " + "))
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
fit <- lme4::glmer(form, data = d, family = family, weights = .weights, offset = .offset, nAGQ = nAGQ)
V <- as.matrix(stats::vcov(fit))
sd <- lapply(lme4::VarCorr(fit), function(v) unname(attr(v, "stddev")))
ll <- stats::logLik(fit)
list(coef = unname(lme4::fixef(fit)), se = unname(sqrt(diag(V))), vcov = matrix(as.numeric(V), nrow(V)), sd = as.numeric(unlist(sd)),
     theta = as.numeric(lme4::getME(fit, "theta")), loglik = as.numeric(ll), df = attr(ll, "df"), df_residual = as.numeric(stats::df.residual(fit)))
"""


@dataclass(frozen=True, eq=False)
class MixedDesign(Estimates):
    """A generalised linear mixed model as glmer leaves it.

    Attributes
    ----------
    names : tuple of str
        Columns of x.
    coef, se : float[columns]
    vcov : float[columns, columns]
    effects : tuple of str
        "judge: (Intercept)", a name for each standard deviation.
    sd : float[effects]
    theta : float[k]
        lme4's own parameters: the relative Cholesky factors of the covariances.
    loglik, df, df_residual : float
    """

    effects: tuple[str, ...]
    sd: Floats
    theta: Floats
    loglik: float
    df: float
    df_residual: float


@asks(*NEEDS)
def glmer_design(
    y: Sequence[float],
    x: Any,
    groups: Any,
    effects: Sequence[Sequence[str]] | None = None,
    weights: Sequence[float] | None = None,
    offset: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
    family: Family = "binomial",
    link: Link = "logit",
    nAGQ: int = 1,
    *,
    backend: BackendLike = None,
) -> MixedDesign:
    """R's ``lme4::glmer(y ~ 0 + x + (0 + effects | group) + ..., family, weights, offset, nAGQ)``.

    Parameters
    ----------
    y : float[rows]
        Counts ("poisson"), or shares of successes.
    x : float[rows, columns] or DataFrame
        Fixed effects, a constant among them where there is one.
    groups : DataFrame or mapping of str to sequence
        A column a random term: whose effects they are.
    effects : sequence of sequences of str, optional
        Of each term, the columns of `x` whose coefficients vary, "(Intercept)" for a constant; several of a term are
        correlated. Default: a constant in each.
    weights : float[rows], optional
        Trials of a share; default 1 each.
    offset : float[rows], optional
    names : sequence of str, optional
        Of the columns of `x`; default those of the DataFrame, else x1, x2, ...
    family : {"binomial", "poisson"}
    link : {"logit", "probit", "cauchit", "cloglog", "log"}
    nAGQ : int
        1 is Laplace's approximation; more points with one random term only.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    MixedDesign

    Raises
    ------
    ValueError, InputError, RError
        Another family or link; lengths or names that do not fit; R's own.

    Examples
    --------
    >>> glmer_design([0.8, 0.3, 0.5], [[1.0]] * 3, {"judge": [1, 2, 3]}, weights=[10, 10, 10]).sd  # doctest: +SKIP
    """
    check_option("family", family, Family)
    check_option("link", link, Link)
    table, response = reals(x), reals(y)
    given = [str(c) for c in getattr(x, "columns", ())] if names is None else list(names)
    columns = given or [f"x{k + 1}" for k in range(table.shape[1])]
    whose = {str(name): [str(v) for v in values] for name, values in groups.items()}
    varying = [[CONSTANT]] * len(whose) if effects is None else [list(e) for e in effects]
    _check(table, response, columns, whose, varying)
    blocks = [np.column_stack([_column(name, table, columns) for name in own]) for own in varying]
    ones = np.ones(len(response))
    arguments = {
        "y": response,
        "X": matrix(table, columns),
        "groups": data_frame({f"g{k + 1}": factor_of(v, _levels(v)) for k, v in enumerate(whose.values())}),
        "Z": blocks,
        ".weights": ones if weights is None else reals(weights),
        ".offset": optional(reals, offset),
        "family": family,
        "link": link,
        "nAGQ": int(nAGQ),
    }
    result = ask(backend, "lme4::glmer of a design", GLMER, arguments, NEEDS)
    labels = tuple(f"{group}: {name}" for group, own in zip(whose, varying) for name in own)
    return MixedDesign.read(result, names=tuple(columns), effects=labels)


def _levels(values: Sequence[str]) -> list[str]:
    """Levels of a factor in R's order of numbers, else of text: the order changes no number but R's own rounding."""
    found = sorted(set(values))
    try:
        return sorted(found, key=float)
    except ValueError:
        return found


def _column(name: str, table: Floats, columns: Sequence[str]) -> Floats:
    if name == CONSTANT and name not in columns:
        return np.ones(len(table))
    found: Floats = table[:, columns.index(name)]
    return found


def _check(
    table: Floats,
    y: Floats,
    columns: Sequence[str],
    whose: dict[str, list[str]],
    varying: Sequence[Sequence[str]],
) -> None:
    if table.ndim != 2 or len(table) != len(y):
        raise InputError(f"x has shape {table.shape} for {len(y)} rows of y; a row each is expected")
    if len(columns) != table.shape[1]:
        raise InputError(f"{len(columns)} names for {table.shape[1]} columns of x")
    if not whose:
        raise InputError("groups is empty: without a random effect this is a glm")
    wrong = next((g for g, v in whose.items() if len(v) != len(y)), None)
    if wrong is not None:
        raise InputError(f"group {wrong!r} has {len(whose[wrong])} rows for {len(y)} of y")
    if len(varying) != len(whose):
        raise InputError(f"effects of {len(varying)} terms for {len(whose)} groups; a list of columns each")
    unknown = next((n for own in varying for n in own if n != CONSTANT and n not in columns), None)
    if unknown is not None:
        raise InputError(f"effect {unknown!r} is no column of x, which has {', '.join(columns[:12])}")
