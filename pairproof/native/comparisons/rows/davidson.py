"""Davidson's model of ties with a design per contest and reduced bias.

Given the number of contests Davidson's model is a multinomial logit, so that mean bias reduction is the maximum of the
likelihood penalised by Jeffreys' prior (Firth 1993, section 3.1), with the gradient of log det I / 2: with the statistics
d_o = (a_o x, b_o z) of outcome o minus their mean, sum over contests and outcomes of n p_o (d_o'I^-1 d_o) d_o / 2.  The
Poisson form, with a constant for every pair, has another penalty and other estimates.
"""

from __future__ import annotations

import numpy as np

from ....errors import InputError
from ....fit.estimates.outcome_laws import DavidsonTies
from ....numerics.arrays import FloatArray
from .contest_design import Design
from .reduced_bias import covariance_of, root
from .tied_contests import TiesEstimate, TiesLikelihood, TiesPoint


def davidson(design: Design, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> TiesLikelihood:
    """Contests under Davidson's model, counts float[n] each."""
    one = np.ones((design.n_rows, 1))
    return TiesLikelihood(DavidsonTies(), design, one, np.stack([wins, ties, losses], axis=1))


def jeffreys(here: TiesPoint, covariance: FloatArray) -> FloatArray:
    """Gradient of log det I / 2 of Davidson's model, float[p + 1], given the inverse of I, float[p + 1, p + 1]."""
    own, (log_p, off, _) = here.likelihood, here.logs
    a, b = off[:, :, 0], off[:, :, 1]
    n, design = own.counts.sum(axis=1), own.design
    k = len(design.names)
    xx = design.variances(covariance[:k, :k])[:, None]
    xz = design.projected(covariance[:k, k:], slice(None))
    pull = 0.5 * n[:, None] * np.exp(log_p) * (a * a * xx + 2.0 * a * b * xz + b * b * covariance[k, k])
    return np.append(design.transposed((pull * a).sum(axis=1)), (pull * b).sum())


def fit_tied(contests: TiesLikelihood, reduced: bool = True) -> TiesEstimate:
    """The estimate of Davidson's model with a design per contest.
    reduced: whether bias is reduced (mean = Jeffreys); the estimate is then finite also where contests are
    separated or never tied."""

    def step_at(theta: FloatArray) -> tuple[FloatArray, float]:
        here = TiesPoint(contests, theta)
        covariance = _covariance(here)
        score = here.score + (jeffreys(here, covariance) if reduced else 0.0)
        step = covariance @ score
        return np.asarray(step), float(step @ score)

    def predictor(theta: FloatArray) -> FloatArray:
        return np.asarray(TiesPoint(contests, theta).predictors.ravel())

    found = root(step_at, np.zeros(contests.n_params), predictor)
    here = TiesPoint(contests, found.theta)
    covariance = _covariance(here)
    penalised = here.value + 0.5 * float(np.linalg.slogdet(here.information)[1])
    return TiesEstimate(
        found.theta, covariance, covariance, here.value, found.steps, found.decrement, penalised
    )


def _covariance(here: TiesPoint) -> FloatArray:
    try:
        return covariance_of(here.information)
    except np.linalg.LinAlgError:
        raise InputError(
            f"{', '.join(here.likelihood.names)}: some of them cannot be distinguished in these contests, or are"
            " infinite; reduce the bias, or leave some out"
        ) from None
