"""Maximum likelihood of the generalised Davidson model.

Newton's method with the exact observed information, started at Davidson's model (1970), whose likelihood is
concave; BradleyTerry2 fits the same model by gnm's over-parameterised scoring from random starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, NotEstimableError
from ..numerics.information import cholesky_of, flat_names
from ..numerics.newton import Solution, maximise
from ..structured.contests import Contests
from ..structured.existence import aliased, listed, separation
from .model import GeneralTies, TiePoint

FloatArray = NDArray[np.float64]

#: |u|, |c|, |m| or |log s| beyond this makes the solver ask why.
FAR = 20.0


@dataclass(frozen=True, eq=False)
class GeneralTiesEstimate:
    """A maximum-likelihood estimate of the generalised Davidson model.

    theta float[k]: abilities and other columns of the design, then tie.max (logit of the largest probability
    of a tie), tie.mode (logit), tie.scale (log).  covariance float[k, k]: inverse of the observed
    information.  llf: without multinomial coefficients.  deviance: against probabilities of their own for
    every row.  decrement: squared length, in standard errors, of the last step.  score float[k].
    expected_covariance float[k, k]: inverse of the expected information, which R's gnm reports.
    """

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    llf: float
    deviance: float
    steps: int
    decrement: float
    score: FloatArray
    expected_covariance: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """float[k]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def fit_general_ties(contests: GeneralTies) -> GeneralTiesEstimate:
    """The maximum-likelihood estimate of the generalised Davidson model."""
    _check(contests)
    none = np.zeros((contests.design.n_rows, 0))
    plain = replace(contests, mode=none, mode_names=(), scale=none, scale_names=())
    start = _solved(plain, np.zeros(len(plain.names)))
    found = start
    if plain.names != contests.names:
        rest = len(contests.names) - len(plain.names)
        found = _solved(contests, np.append(start.x, np.zeros(rest)))
    here = found.point
    covariance = _covariance(here, here.information)
    # So far out, and less than a standard error from 0: the likelihood is flat towards infinity.
    tail = range(len(contests.names) - len(contests.mode_names + contests.scale_names), len(contests.names))
    gone = [k for k in tail if FAR / 4 < abs(found.x[k]) < np.sqrt(covariance[k, k])]
    if gone:
        raise _without_end(contests, found.steps, [f"{contests.names[k]} ({found.x[k]:.1f})" for k in gone])
    return GeneralTiesEstimate(
        contests.names,
        found.x,
        covariance,
        here.value,
        2.0 * (_saturated(contests) - here.value),
        start.steps + (found.steps if found is not start else 0),
        found.decrement,
        here.score,
        _covariance(here, here.expected_information),
    )


def _check(contests: GeneralTies) -> None:
    total = contests.totals
    if not contests.ties.sum() > 0:
        raise NotEstimableError(
            f"{listed(contests.most_names)}: there is no tie among {total.sum():g} contests, and the estimate is"
            " -infinite"
        )
    if not contests.wins.sum() + contests.losses.sum() > 0:
        raise NotEstimableError(
            f"{listed(contests.most_names)}: all {total.sum():g} contests are tied, and the estimate is infinite"
        )
    same = aliased(Contests(contests.design, total, np.zeros(len(total))))
    if same:
        raise NotEstimableError(
            f"{listed(same)}: cannot be told apart in these contests; leave one of them out"
        )


def _solved(contests: GeneralTies, start: FloatArray) -> Solution[TiePoint]:
    def evaluate(theta: FloatArray) -> TiePoint:
        return TiePoint(contests, theta)

    found = maximise(evaluate, start, FAR)
    if not found.trouble:
        return found
    half = contests.ties / 2.0
    why = separation(Contests(contests.design, contests.wins + half, contests.losses + half))
    if why is not None:
        raise NotEstimableError(
            f"{listed(why.infinite)}: the estimate is infinite (separation): in {len(why.rows)} rows, the first of"
            f" them row {why.rows[0] + 1}, the result is certain in the limit. Leave the term out, pool, or reduce"
            " the bias"
        )
    tail = contests.most_names + contests.mode_names + contests.scale_names
    last = dict(zip(tail, found.x[-len(tail) :]))
    gone = [f"{name} ({value:.1f})" for name, value in last.items() if abs(value) > FAR / 2]
    raise _without_end(contests, found.steps, gone or [f"combination of {', '.join(last)}"])


def _without_end(contests: GeneralTies, steps: int, gone: Sequence[str]) -> ConvergenceError:
    ends = " or ".join(contests.mode_names + contests.scale_names) or "a term"
    return ConvergenceError(
        f"the likelihood still grows after {steps} steps, towards an infinite {' and '.join(gone)}: these contests do"
        f" not bound it. Leave out {ends}"
    )


def _covariance(here: TiePoint, information: FloatArray) -> FloatArray:
    try:
        factor = cholesky_of(information)
    except np.linalg.LinAlgError:
        raise NotEstimableError(
            f"{listed(flat_names(information, here.contests.names))}: the likelihood is flat along them at its"
            " maximum, so that they cannot be told apart; leave some of them out"
        ) from None
    half = np.linalg.solve(factor, np.eye(len(factor)))
    return np.asarray(half.T @ half)


def _saturated(contests: GeneralTies) -> float:
    total = 0.0
    for y in (contests.wins, contests.ties, contests.losses):
        seen = y > 0
        total += float(y[seen] @ np.log(y[seen] / contests.totals[seen]))
    return total
