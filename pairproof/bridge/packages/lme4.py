"""R's lme4: two systems compared by judges whose preferences differ, a random effect of the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..process.policy import BackendLike
from .answers import RAnswer, ask, asks, reals

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

    Attributes
    ----------
    estimate, se : float
        `se` has 4 to 6 digits: lme4 differentiates by differences.
    sd : float
    loglik : float
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
