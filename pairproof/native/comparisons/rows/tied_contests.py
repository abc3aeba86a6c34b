"""Contests that may be tied, with a design per contest, under any law of the outcomes; maximum likelihood.

A row r has the predictors v = (u, ties, level) of :mod:`pairproof.fit.estimates.outcome_laws`, linear in the parameters::

    u = x'b + offset        level = l'b        ties = (z_1 c_1, ..., z_q c_q)

so that scores and information of the parameters are those of the law by v, summed over rows.  The maximum is found by
Newton's method with the exact observed information; parameters that refine a law (a shift, a scale) are held where the
search begins until the others have theirs, as Davidson's likelihood itself is concave.

Given the number of contests Davidson's model is a multinomial logit, so that mean bias reduction is the maximum of the
likelihood penalised by Jeffreys' prior (Firth 1993, section 3.1), with the gradient of log det I / 2: with the statistics
d_o = (a_o x, b_o z) of outcome o minus their mean, sum over contests and outcomes of n p_o (d_o'I^-1 d_o) d_o / 2.  The
Poisson form, with a constant for every pair, has another penalty and other estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....errors import ConvergenceError, InputError, NotEstimableError
from ....fit.estimates.fit_record import listed
from ....fit.estimates.likelihood import Limit
from ....fit.estimates.outcome_laws import DavidsonTies, Logs, OutcomeLaw
from ....numerics.arrays import FloatArray
from ....numerics.maxima import Estimated, Solution, cholesky_of, flat_names, maximise, raised_cholesky
from .contest_design import Contests, Design
from .maximum_likelihood import refuse_aliased, separation
from .reduced_bias import covariance_of, root

#: u or a parameter of the ties beyond this makes the solver ask why.
FAR = 20.0


@dataclass(frozen=True, eq=False)
class TiesLikelihood:
    """One win, tie and loss of each of n rows: 3 n units, row by row; p parameters of the design, then q of the ties.

    columns float[n, q]: what each parameter of ties is multiplied by.  counts float[n, 3]: wins, ties, losses of the
    first.  levels float[n, p] or None: the design of the level.  held: so many of the last parameters stay where they are.
    """

    law: OutcomeLaw
    design: Design
    columns: FloatArray
    counts: FloatArray
    levels: FloatArray | None = None
    held: int = 0

    @property
    def ties(self) -> tuple[str, ...]:
        """Names of the parameters of ties."""
        return tuple(p.name for p in self.law.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parameters."""
        return self.design.names + self.ties

    @property
    def n_params(self) -> int:
        return len(self.names)

    @property
    def weights(self) -> FloatArray:
        """float[3 n]."""
        return self.counts.ravel()

    @property
    def concave(self) -> bool:
        return self.law.concave

    @property
    def halved(self) -> Contests:
        """The same contests with ties as half wins."""
        wins, ties, losses = self.counts.T
        return Contests(self.design, wins + ties / 2.0, losses + ties / 2.0)

    def at(self, theta: FloatArray) -> TiesPoint | None:
        """The point at theta, float[p + q]; None where it has no likelihood in doubles."""
        found = TiesPoint(self, theta)
        return found if np.isfinite(found.value) else None

    def start(self) -> FloatArray:
        """float[p + q]: equal abilities."""
        return np.append(np.zeros(len(self.design.names)), [p.start for p in self.law.parameters])

    def weighted(self, weights: FloatArray) -> TiesLikelihood:
        """The same with other counts, float[3 n]."""
        return replace(self, counts=weights.reshape(-1, 3))

    def limit(self, constraints: FloatArray | None = None) -> Limit:
        """Itself: a fit with an infinite estimate is refused."""
        return Limit(self)


@dataclass(frozen=True, eq=False)
class TiesPoint:
    """Wins, ties and losses at one place, theta float[p + q]."""

    likelihood: TiesLikelihood
    theta: FloatArray

    @cached_property
    def predictors(self) -> FloatArray:
        """float[n, r]: u, the parameters of ties, and the level if it enters."""
        own, p = self.likelihood, len(self.likelihood.design.names)
        level = [] if own.levels is None else [own.levels @ self.theta[:p]]
        return np.column_stack([own.design.predictor(self.theta[:p]), own.columns * self.theta[p:], *level])

    @cached_property
    def logs(self) -> Logs:
        """Of the law at each row."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self.likelihood.law.logs(self.predictors)

    @property
    def values(self) -> FloatArray:
        """float[3 n]."""
        return self.logs[0].ravel()

    @cached_property
    def value(self) -> float:
        """The log-likelihood, without multinomial coefficients."""
        counts = self.likelihood.counts
        return float(np.where(counts > 0.0, counts * np.where(counts > 0.0, self.logs[0], 0.0), 0.0).sum())

    @property
    def llf(self) -> float:
        return self.value

    @cached_property
    def score(self) -> FloatArray:
        """float[p + q]."""
        own = self.likelihood
        local = np.einsum("no,nor->nr", own.counts, self.logs[1])
        q = own.columns.shape[1]
        of_design = own.design.transposed(local[:, 0])
        if own.levels is not None:
            of_design = of_design + local[:, -1] @ own.levels
        return np.append(of_design, (local[:, 1 : q + 1] * own.columns).sum(axis=0))

    @property
    def scores(self) -> FloatArray:
        """float[3 n, p + q]."""
        own, first = self.likelihood, self.logs[1]
        n, q = own.columns.shape
        found = first[:, :, :1] * own.design.rows(np.arange(n))[:, None]
        if own.levels is not None:
            found = found + first[:, :, -1:] * own.levels[:, None]
        return np.concatenate([found, first[:, :, 1 : q + 1] * own.columns[:, None]], axis=2).reshape(
            3 * n, -1
        )

    @cached_property
    def information(self) -> FloatArray:
        """float[p + q, p + q]: minus the second derivatives; it need not be positive definite."""
        return self._information(self.likelihood.counts)

    @property
    def expected(self) -> FloatArray:
        """float[p + q, p + q]: Fisher's information, from which R's gnm takes standard errors."""
        totals = self.likelihood.counts.sum(axis=1, keepdims=True)
        return self._information(totals * np.exp(self.logs[0]))

    def information_of(self, weights: FloatArray) -> FloatArray:
        """float[p + q, p + q]: of units that occur so often."""
        return self._information(weights.reshape(-1, 3))

    def _information(self, counts: FloatArray) -> FloatArray:
        own, local = self.likelihood, -np.einsum("no,nojk->njk", counts, self.logs[2])
        q, p = own.columns.shape[1], len(own.design.names)
        found = np.empty((p + q, p + q))
        found[:p, :p] = own.design.gram(local[:, 0, 0])
        if own.levels is not None:
            across = np.array([own.design.transposed(local[:, 0, -1] * of) for of in own.levels.T])
            found[:p, :p] += own.levels.T @ (local[:, -1, -1:] * own.levels) + across + across.T
        for j, column in enumerate(own.columns.T):
            with_design = own.design.transposed(local[:, 0, j + 1] * column)
            if own.levels is not None:
                with_design = with_design + (local[:, -1, j + 1] * column) @ own.levels
            found[:p, p + j] = found[p + j, :p] = with_design
            found[p + j, p:] = column @ (local[:, j + 1, 1 : q + 1] * own.columns)
        return found

    # -- what the solver asks --------------------------------------------------------------------------------

    @property
    def extent(self) -> float:
        """Largest of |u| and of the parameters of ties; inf where there is no likelihood in doubles."""
        q = self.likelihood.columns.shape[1]
        largest = float(np.abs(self.predictors[:, : q + 1]).max(initial=0.0))
        return largest if np.isfinite(self.value) else float("inf")

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The exact step where the information is positive definite, a shorter one elsewhere; the decrement."""
        free = slice(self.likelihood.n_params - self.likelihood.held)
        factor = raised_cholesky(self.information[free, free])
        half = np.linalg.solve(factor, self.score[free])
        step = np.zeros(self.likelihood.n_params)
        step[free] = np.linalg.solve(factor.T, half)
        return step, float(half @ half)


@dataclass(frozen=True, eq=False)
class TiesEstimate(Estimated):
    """An estimate.  covariance, expected float[p + q, p + q]: inverses of the observed and of the expected information.
    decrement: squared length, in standard errors, of the last step.  penalised: llf + log det I / 2 where the bias is
    reduced, else nan."""

    theta: FloatArray
    covariance: FloatArray
    expected: FloatArray
    llf: float
    steps: int
    decrement: float
    penalised: float = float("nan")


def fit_ties(contests: TiesLikelihood) -> TiesEstimate:
    """The maximum-likelihood estimate."""
    _check(contests)
    held = len(contests.ties) - 1
    start = _solved(replace(contests, held=held), contests.start())
    found = _solved(contests, start.x) if held else start
    here = TiesPoint(contests, found.x)
    covariance = _inverse(contests, here.information)
    # So far out, and less than a standard error from 0: the likelihood is flat towards infinity.
    far = range(contests.n_params - held, contests.n_params)
    gone = [k for k in far if FAR / 4 < abs(found.x[k]) < np.sqrt(covariance[k, k])]
    if gone:
        raise _without_end(contests, found.steps, [f"{contests.names[k]} ({found.x[k]:.1f})" for k in gone])
    steps = start.steps + (found.steps if held else 0)
    expected = _inverse(contests, here.expected)
    return TiesEstimate(found.x, covariance, expected, here.value, steps, found.decrement)


def _check(contests: TiesLikelihood) -> None:
    wins, ties, losses = contests.counts.sum(axis=0)
    total = wins + ties + losses
    if not ties > 0:
        raise NotEstimableError(
            f"{contests.ties[0]}: there is no tie among {total:g} contests, and the estimate is -infinite"
        )
    if not wins + losses > 0:
        raise NotEstimableError(
            f"{contests.ties[0]}: all {total:g} contests are tied, and the estimate is infinite"
        )
    if contests.levels is None:
        refuse_aliased(contests.halved)


def _solved(contests: TiesLikelihood, start: FloatArray) -> Solution[TiesPoint]:
    found = maximise(lambda theta: TiesPoint(contests, theta), start, FAR)
    if not found.trouble:
        return found
    why = separation(contests.halved)
    if why is not None:
        raise NotEstimableError(
            f"{listed(why.infinite, 8)}: the estimate is infinite (separation): in {len(why.rows)} rows, the first of"
            f" them row {why.rows[0] + 1}, the result is certain in the limit. Leave the term out, pool, or reduce"
            " the bias"
        )
    # Where the level enters an item that always ties has an infinite ability.
    names = contests.ties if contests.levels is None else contests.names
    last = dict(zip(names, found.x[-len(names) :]))
    gone = [f"{name} ({value:.1f})" for name, value in last.items() if abs(value) > FAR / 2]
    raise _without_end(contests, found.steps, gone or [f"combination of {', '.join(last)}"])


def _without_end(contests: TiesLikelihood, steps: int, gone: list[str]) -> ConvergenceError:
    return ConvergenceError(
        f"the likelihood still grows after {steps} steps, towards an infinite {' and '.join(gone)}: these contests do"
        f" not bound it. Leave out {' or '.join(contests.ties[1:]) or 'a term'}"
    )


def _inverse(contests: TiesLikelihood, information: FloatArray) -> FloatArray:
    try:
        factor = cholesky_of(information)
    except np.linalg.LinAlgError:
        raise NotEstimableError(
            f"{listed(flat_names(information, contests.names), 8)}: the likelihood is flat along them at its"
            " maximum, so that they cannot be distinguished; leave some of them out"
        ) from None
    half = np.linalg.solve(factor, np.eye(len(factor)))
    return np.asarray(half.T @ half)


# -- reduced bias of Davidson's model ---------------------------------------------------------------------


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
