"""R's lme4: random effects in contests and on any design, judges who differ, mixed models of scores.

Contests: lme4 has no term for "winner's effect minus loser's", so its modules are put together by hand: eta =
X beta + sum_k sigma_k Z_k z_k with z normal, each Z_k a matrix of rows and effects (+1 the first player, -1
the second; for judges one column an item and judge).  What lme4 maximises is Laplace's log-likelihood, with
the binomial coefficients.  Its search stops at 8 or 9 digits of sigma, 10 of the log-likelihood; where the
likelihood is flat, fewer (flatlizards: 4.58638 for 4.586548).

A design: fixed effects as a matrix and random effects as columns of it within groups,

    g(E y) = X b + offset + sum over terms k of Z_k u_k[group],    u_k ~ N(0, S_k),

Z_k columns of X, or ones.  The model of a formula is given by its values, so no text reaches R; what comes
out is what glmer finds with its own optimisers and their own stops: 4 to 7 digits of the maximum, and as many
as R has of what the same call gives with a formula.

Two systems compared by judges, and scores: lme4 fits without derivatives of the likelihood; variances carry
about 8 digits where its tolerances are the smallest that its optimisers heed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of
from .asking import Estimates, Floats, RAnswer, asks, columns_matrix, design_columns, program, reals, sent

ContestLink = Literal["logit", "probit"]

#: R: every second row is turned (y -> losses, X and Z negated), because lme4 refuses a response that is
#: constant; the links are symmetric.
CONTESTS = program(__package__, "r/lme4_contests")


@dataclass(frozen=True, eq=False)
class ContestEffects(RAnswer):
    """Random effects in contests, by Laplace's approximation.

    sigma float[blocks]: standard deviations; 0 at the boundary.  coef float[p].  loglik: laplace's, with the
    binomial coefficients.  effects float[all effects]: modes, block after block, sigma times z.  sizes
    float[blocks]: effects in each.  evaluations: of the search.
    """

    sigma: Floats
    coef: Floats
    loglik: float
    effects: Floats
    sizes: Floats
    evaluations: float


@asks("lme4", "Matrix")
def glmer_contests(
    wins: Sequence[float],
    losses: Sequence[float],
    blocks: Sequence[Any],
    x: Any = None,
    link: ContestLink = "logit",
    *,
    backend: BackendLike = None,
) -> ContestEffects:
    """R's ``lme4::glmer``, nAGQ = 1, with design matrices of the random effects.

    Parameters
    ----------
    wins, losses : float[rows]
        Of the first player; each row has a contest.
    blocks : sequence of float[rows, effects]
        A matrix for each standard deviation.
    x : float[rows, p], optional
        Differences of covariates; default none.
    link : {"logit", "probit"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ContestEffects

    Raises
    ------
    ValueError, InputError
        Another link; matrices of other rows; a row without contests.
    RError
        R's own: "(maxstephalfit) PIRLS step-halvings failed" where sigma runs away.

    Examples
    --------
    >>> glmer_contests([3, 6, 1], [7, 4, 9], [[[1, -1, 0], [1, 0, -1], [0, 1, -1]]]).sigma  # doctest: +SKIP
    """
    won, lost = reals(wins), reals(losses)
    n = len(won)
    matrices = [reals(b) for b in blocks]
    fixed = np.zeros((n, 0)) if x is None else reals(x)
    if not matrices:
        raise InputError("blocks is empty: without a random effect this is a glm")
    named = {"losses": lost, "x": fixed} | {f"block {k + 1}": m for k, m in enumerate(matrices)}
    for name, found in named.items():
        if len(found) != n or name != "losses" and found.ndim != 2:
            raise InputError(f"{name} has shape {found.shape} for {n} rows of wins")
    empty = np.flatnonzero(won + lost <= 0)
    if len(empty):
        raise InputError(f"row {int(empty[0]) + 1} has no contest; leave such rows out")
    arguments = sent(backend, "wins losses X blocks link", X=fixed, blocks=matrices)
    return ContestEffects.ask(backend, "lme4::glmer of contests", CONTESTS, arguments)


Family = Literal["binomial", "poisson"]
Link = Literal["logit", "probit", "cauchit", "cloglog", "log"]
#: The constant among the columns of a random term.
CONSTANT = "(Intercept)"

GLMER_DESIGN = program(__package__, "r/lme4_glmer_design")


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


@asks("lme4")
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
    if not groups:
        raise InputError("groups is empty: without a random effect this is a glm")
    distinct = list(dict.fromkeys(groups))
    columns, response, w, (o,) = design_columns(data, y, weights, offset, groups=distinct)
    varying = [[CONSTANT]] * len(groups) if effects is None else [list(e) for e in effects]
    _check(list(columns), groups, varying)
    labels = [[str(v) for v in data[name]] for name in groups]
    blocks = [np.column_stack([_column(n, columns) for n in own]) for own in varying]
    made: dict[str, Any] = {"y": response, "X": columns_matrix(columns), "Z": blocks, "offset": o}
    made |= {"groups": data_frame({f"g{k + 1}": factor_of(v, _levels(v)) for k, v in enumerate(labels)})}
    arguments = sent(backend, "y X groups Z .weights .offset family link nAGQ", weights=w, **made)
    named: dict[str, Any] = {"names": tuple(columns)}
    named |= {"effects": tuple(f"{group}: {name}" for group, own in zip(groups, varying) for name in own)}
    return MixedDesign.ask(backend, "lme4::glmer of a design", GLMER_DESIGN, arguments, **named)


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
        raise InputError(f"effect {unknown!r} is not a fixed effect; these are {', '.join(columns[:12])}")


GLMER = """
d <- data.frame(a = a, b = b, judge = factor(seq_along(a)))
g <- lme4::glmer(cbind(a, b) ~ 1 + (1 | judge), data = d, family = stats::binomial(), nAGQ = nAGQ,
                 control = lme4::glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 20000)))
list(estimate = unname(lme4::fixef(g)), se = sqrt(as.matrix(stats::vcov(g))[1L, 1L]), sd = unname(attr(lme4::VarCorr(g)$judge, "stddev")),
     loglik = as.numeric(stats::logLik(g)))
"""


@dataclass(frozen=True, eq=False)
class JudgeEffect(RAnswer):
    """Log-odds of a first preference at the average judge, with the judges' standard deviation.

    estimate, se: `se` has 4 to 6 digits: lme4 differentiates by differences.
    """

    estimate: float
    se: float
    sd: float
    loglik: float


@asks("lme4")
def glmer(
    a: Sequence[float] | Floats, b: Sequence[float] | Floats, nAGQ: int = 25, *, backend: BackendLike = None
) -> JudgeEffect:
    """R's ``lme4::glmer(cbind(a, b) ~ 1 + (1 | judge), binomial, nAGQ)``.

    Parameters
    ----------
    a, b : float[judges]
        How often each judge preferred the one and the other.
    nAGQ : int
        Points of the adaptive quadrature.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    JudgeEffect

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> glmer([8, 3, 5], [2, 7, 5]).sd  # doctest: +SKIP
    """
    return JudgeEffect.ask(backend, "lme4::glmer", GLMER, sent(backend, "a b nAGQ"))


# The stops of both searches, 1e-12 and 1e-14, lie below what a flat likelihood lets theta be known
# to, so that lme4's own stops (1e-8 both) are not what its digits end at.  Observed: of 50-digit
# values lmer then shares 6.9 digits or more (`pairproof validate annotation`).  They set R's search
# alone; no comparison is loosened by them. This stands outside the R code because a record is found
# by the code's own text.
LMER = program(__package__, "r/lme4_lmer")


@dataclass(frozen=True, eq=False)
class LinearMixedModel(RAnswer):
    """A linear mixed model with random intercepts.

    coef float[p].  vcov float[p, p].  residual: variance.  variances float[k]: of the random effects, in the
    order they were given in.  predictions, conditional float[sum of levels]: best linear unbiased predictions
    and their conditional standard deviations, effect after effect.  loglik: restricted, or full.
    """

    coef: Floats
    vcov: Floats
    residual: float
    variances: Floats
    predictions: Floats
    conditional: Floats
    loglik: float


@asks("lme4")
def lmer(
    y: Sequence[float] | Floats,
    effects: Mapping[str, Sequence[int]],
    fixed: Floats | None = None,
    REML: bool = True,
    *,
    backend: BackendLike = None,
) -> LinearMixedModel:
    """R's ``lme4::lmer(y ~ 0 + X + (1 | effect) + ..., REML)``.

    Parameters
    ----------
    y : float[n]
    effects : mapping of str to int[n]
        Levels from 0 of each random effect; they are called e1, e2, ... in R.
    fixed : float[n, p], optional
        X; a column of ones by default.
    REML : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    LinearMixedModel

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> lmer(y, {"item": item, "annotator": annotator}).variances  # doctest: +SKIP
    """
    labels = {f"e{k + 1}": np.asarray(codes, np.int64) + 1 for k, codes in enumerate(effects.values())}
    x = np.ones((len(y), 1)) if fixed is None else np.asarray(fixed, np.float64)
    arguments = sent(backend, "y X labels REML", X=x, labels=data_frame(labels))
    return LinearMixedModel.ask(backend, "lme4::lmer", LMER, arguments)
