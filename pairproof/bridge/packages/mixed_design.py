"""R's lme4 on a design: ``glmer`` with fixed effects as a matrix and random effects as columns of it within
groups.

    g(E y) = X b + offset + sum over terms k of Z_k u_k[group],    u_k ~ N(0, S_k)
 Z_k are columns of X, or ones.  The model of a formula is given by its values, so no text reaches R; what
comes out is what glmer finds with its own optimisers and their own stops: 4 to 7 digits of the maximum, and
as many as R has of what the same call gives with a formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of, matrix
from .answers import Estimates, Floats, ask, asks, check_option
from .design_columns import design_columns

NEEDS = ("lme4",)
Family = Literal["binomial", "poisson"]
Link = Literal["logit", "probit", "cauchit", "cloglog", "log"]
#: The constant among the columns of a random term.
CONSTANT = "(Intercept)"

GLMER = """
d <- groups
d$.y <- y
d$X <- X
of_term <- lapply(seq_along(Z), function(k) sprintf("Z%d_%d", k, seq_len(ncol(Z[[k]]))))
for (k in seq_along(Z)) for (j in seq_along(of_term[[k]])) d[[of_term[[k]][j]]] <- Z[[k]][, j]
terms <- sprintf("(0 + %s | g%d)", vapply(of_term, paste, "", collapse = " + "), seq_along(Z))
form <- stats::as.formula(paste(c(if (ncol(X)) ".y ~ 0 + X" else ".y ~ 0", terms), collapse = " + "))
family <- get(family, envir = asNamespace("stats"), mode = "function")(link = link)
fit <- lme4::glmer(form, data = d, family = family, weights = .weights, offset = .offset, nAGQ = nAGQ)
V <- as.matrix(stats::vcov(fit))
sd <- unlist(lapply(unname(unclass(lme4::VarCorr(fit))), function(v) attr(v, "stddev")))[unlist(of_term)]
ll <- stats::logLik(fit)
list(coef = unname(lme4::fixef(fit)), se = unname(sqrt(diag(V))), vcov = matrix(as.numeric(V), nrow(V)), sd = as.numeric(sd),
     theta = as.numeric(lme4::getME(fit, "theta")), loglik = as.numeric(ll), df = attr(ll, "df"), df_residual = as.numeric(stats::df.residual(fit)))
"""


@dataclass(frozen=True, eq=False)
class MixedDesign(Estimates):
    """A generalised linear mixed model as glmer leaves it.

    names: columns of x.  coef, se float[columns].  vcov float[columns, columns].  effects: "judge:
    (Intercept)", a name for each standard deviation.  sd float[effects].  theta float[k]: lme4's own
    parameters: the relative Cholesky factors of the covariances.
    """

    effects: tuple[str, ...]
    sd: Floats
    theta: Floats
    loglik: float
    df: float
    df_residual: float


@asks(*NEEDS)
def glmer_design(
    data: Any,
    y: str | Sequence[float],
    groups: Sequence[str],
    effects: Sequence[Sequence[str]] | None = None,
    weights: str | Sequence[float] | None = None,
    offset: str | Sequence[float] | None = None,
    family: Family = "binomial",
    link: Link = "logit",
    nAGQ: int = 1,
    *,
    backend: BackendLike = None,
) -> MixedDesign:
    """R's ``lme4::glmer(y ~ 0 + x + (0 + effects | group) + ..., family, weights, offset, nAGQ)``.

    Parameters
    ----------
    data : DataFrame, or mapping of str to sequence[rows]
        The columns of the fixed effects, a constant among them where there is one, with those that the other
        arguments name.
    y : str or float[rows]
        Counts ("poisson"), or shares of successes.
    groups : sequence of str
        A column a random term: whose effects they are.
    effects : sequence of sequences of str, optional
        Of each term, the fixed effects that vary, "(Intercept)" for a constant; several of a term are
        correlated. Default: a constant in each.
    weights : str or float[rows], optional
        Trials of a share; default 1 each.
    offset : str or float[rows], optional
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
        Another family or link; a column that is not there; R's own.

    Examples
    --------
    >>> table = {"one": [1, 1, 1], "judge": ["a", "b", "c"], "won": [0.8, 0.3, 0.5], "n": [10, 10, 10]}
    >>> glmer_design(table, "won", ["judge"], weights="n").sd  # doctest: +SKIP
    """
    check_option("family", family, Family)
    check_option("link", link, Link)
    if not groups:
        raise InputError("groups is empty: without a random effect this is a glm")
    distinct = list(dict.fromkeys(groups))
    columns, (response, w, o) = design_columns(data, y, weights, offset, groups=distinct)
    assert response is not None
    varying = [[CONSTANT]] * len(groups) if effects is None else [list(e) for e in effects]
    _check(list(columns), groups, varying)
    labels = [[str(v) for v in data[name]] for name in groups]
    arguments = {
        "y": response,
        "X": matrix(np.column_stack(list(columns.values())), list(columns)),
        "groups": data_frame({f"g{k + 1}": factor_of(v, _levels(v)) for k, v in enumerate(labels)}),
        "Z": [np.column_stack([_column(n, columns) for n in own]) for own in varying],
        ".weights": np.ones(len(response)) if w is None else w,
        ".offset": o,
        "family": family,
        "link": link,
        "nAGQ": int(nAGQ),
    }
    result = ask(backend, "lme4::glmer of a design", GLMER, arguments, NEEDS)
    named = tuple(f"{group}: {name}" for group, own in zip(groups, varying) for name in own)
    return MixedDesign.read(result, names=tuple(columns), effects=named)


def _levels(values: Sequence[str]) -> list[str]:
    """Levels in the order of numbers, else of text: another order changes no number but by rounding."""
    found = sorted(set(values))
    try:
        return sorted(found, key=float)
    except ValueError:
        return found


def _column(name: str, columns: Mapping[str, Floats]) -> Floats:
    if name == CONSTANT and name not in columns:
        return np.ones(len(next(iter(columns.values()))))
    return columns[name]


def _check(columns: Sequence[str], groups: Sequence[str], varying: Sequence[Sequence[str]]) -> None:
    if len(varying) != len(groups) or not all(varying):
        raise InputError(f"effects of {len(varying)} terms for {len(groups)} groups; a list of columns each")
    unknown = next((n for own in varying for n in own if n != CONSTANT and n not in columns), None)
    if unknown is not None:
        raise InputError(f"effect {unknown!r} is no fixed effect; these are {', '.join(columns[:12])}")
