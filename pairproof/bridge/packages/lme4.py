"""R's lme4: two systems compared by judges whose preferences differ, and linear mixed models of scores.

lme4 fits without derivatives of the likelihood: variances carry about 8 digits where its tolerances are the
smallest that its optimisers heed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import data_frame
from .answers import Floats, RAnswer, ask, asks, reals
from .contest_effects import ContestEffects as ContestEffects, glmer_contests as glmer_contests
from .mixed_design import MixedDesign as MixedDesign, glmer_design as glmer_design

NEEDS = ("lme4",)

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


@asks(*NEEDS)
def glmer(
    a: Sequence[float], b: Sequence[float], nAGQ: int = 25, *, backend: BackendLike = None
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
    arguments = {"a": reals(a), "b": reals(b), "nAGQ": int(nAGQ)}
    return JudgeEffect.read(ask(backend, "lme4::glmer", GLMER, arguments, NEEDS))


# The stops of both searches, 1e-12 and 1e-14, lie below what a flat likelihood lets theta be known
# to, so that lme4's own stops (1e-8 both) are not what its digits end at.  Observed: of 50-digit
# values lmer then shares 6.9 digits or more (`pairproof validate annotation`).  They set R's search
# alone; no comparison is loosened by them. This stands outside the R code because a record is found
# by the code's own text.
LMER = """
d <- as.data.frame(lapply(labels, factor))
form <- stats::as.formula(paste(c("y ~ 0 + X", sprintf("(1 | %s)", names(d))), collapse = " + "))
control <- function(optimizer, ...) lme4::lmerControl(optimizer = optimizer, optCtrl = list(...), calc.derivs = FALSE,
  check.nobs.vs.nlev = "ignore", check.nobs.vs.rankZ = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore",
  check.conv.singular = "ignore")
d$y <- y; d$X <- X
one <- lme4::lmer(form, d, REML = REML, control = control("nloptwrap", xtol_abs = 1e-12, ftol_abs = 1e-14, maxeval = 1e5))
# A second search, by another rule, from where the first one stopped.
fit <- lme4::lmer(form, d, REML = REML, start = lme4::getME(one, "theta"), control = control("bobyqa", rhobeg = 1e-3, rhoend = 1e-12, maxfun = 1e5))
if (stats::logLik(one) > stats::logLik(fit)) fit <- one
u <- lme4::ranef(fit, condVar = TRUE)
at <- names(labels)
list(coef = unname(lme4::fixef(fit)), vcov = unname(as.matrix(stats::vcov(fit))), residual = stats::sigma(fit)^2,
     variances = vapply(at, function(k) unname(attr(lme4::VarCorr(fit)[[k]], "stddev")^2), 0),
     predictions = unname(unlist(lapply(at, function(k) u[[k]][[1L]]))),
     conditional = unname(unlist(lapply(at, function(k) sqrt(as.numeric(attr(u[[k]], "postVar")))))),
     loglik = as.numeric(stats::logLik(fit)))
"""


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


@asks(*NEEDS)
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
    arguments = {"y": reals(y), "X": x, "labels": data_frame(labels), "REML": bool(REML)}
    return LinearMixedModel.read(ask(backend, "lme4::lmer", LMER, arguments, NEEDS))
