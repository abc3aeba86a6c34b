"""Penalised quasi-likelihood, as BradleyTerry2 estimates abilities with an error, and where it goes wrong.

Effects and parameters are those of greatest penalised likelihood given sigma; sigma is the REML estimate of
the linear mixed model y* = Xb + Zu + e, e ~ N(0, W^-1), of the working response y* (Breslow and Clayton 1993,
JASA 88, 9-25).  With P the projection W - WX(X'WX)^-1 X'W, S = Z'PZ = U diag(d) U', h = U'Z'Py* and s =
sigma^2, but for a constant

    REML(s) = -sum_k log(1 + s d_k) / 2 + sum_k s h_k^2 / (1 + s d_k) / 2

Both are repeated until sigma stays.  As in BradleyTerry2 log s is within [-10, 10], and where REML at -10 is
not below its maximum sigma is 0 and the fit that without effects.  The estimates are badly biased for sparse
contests of 0 and 1; there is no likelihood and no AIC.

Warnings say where it, Laplace's approximation and the likelihood itself part company.  The second-order term
of Laplace's approximation, in log L, with w, t and q of each row as in `marginal_likelihood`, C = Z A^-1 Z'
and d its diagonal, is

    -sum q d^2 / 8 + (t d)'C(t d) / 8 + t'C^(3) t / 12,      C^(3) the cubes of the elements

(Shun and McCullagh 1995, JRSS-B 57, 749-760; Raudenbush, Yang and Yosef 2000, Journal of Computational and
Graphical Statistics 9, 141-157).  Where it is large it is a warning, not a remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....errors import ConvergenceError
from ....numerics.arrays import FloatArray
from ..rows.contest_design import Contests
from ..rows.links import ContestPoint, link
from ..rows.maximum_likelihood import fit_structured
from .effects_design import fixed_part
from .effects_likelihood import profile_sigma
from .factors import factored
from .joint import Joint, joint_of
from .marginal_likelihood import mode_of, penalised_mode
from .variances import MixedEstimate, fit_mixed

#: Where log sigma^2 is searched, and what sigma starts from: BradleyTerry2's.
LOWEST, HIGHEST, START = -10.0, 10.0, 0.1
#: Change of log sigma^2 at which the repetition stops, and how often it may be repeated.
TOLERANCE, MOST = 1e-13, 60
#: By how much the maximum of REML may lie from the root of its slope: a decomposition leaves 1e-10 of it
#: where the likelihood is flat.
CONFIRMED = 1e-6
#: What of the effects' information is rounding.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class PenalisedFit:
    """An estimate by penalised quasi-likelihood.
    joint: effects, fixed parameters, and their covariance given sigma.  sigma_se: sigma / (2 sqrt(I)), I the
    expected information of REML about log sigma^2, as BradleyTerry2 has it; NaN at 0.  sigma over this is no
    test of sigma = 0, which lies on the boundary."""

    joint: Joint
    sigma: float
    sigma_se: float


def fit_pql(contests: Contests, link_name: str = "logit") -> PenalisedFit:
    """The estimate of contests with random effects by penalised quasi-likelihood.
    contests: whose first K parameters are the effects,
    `with_blocks`."""
    without = fit_structured(fixed_part(contests), link_name)
    k = contests.design.n_own
    start = ContestPoint(contests, link(link_name), np.append(np.zeros(k), without.theta))
    path = _Path(start)
    log_s = _settled(path, 2.0 * np.log(START))
    if log_s == -np.inf:
        return PenalisedFit(joint_of(start, 0.0), 0.0, float("nan"))
    sigma = float(np.exp(log_s / 2.0))
    information = path.working.information(log_s)
    return PenalisedFit(joint_of(path.here, sigma, False), sigma, sigma / (2.0 * information**0.5))


class _Path:
    """The mode as a function of sigma, from one value to the next."""

    def __init__(self, start: ContestPoint) -> None:
        self.here = start
        self.k = start.contests.design.n_own
        self.p = len(start.theta) - self.k
        self.factor: FloatArray | None = None
        self.working: _Working

    def estimate(self, log_s: float) -> float:
        """The REML estimate of log s at the mode for this one; -inf if it is 0."""
        self._go(log_s)
        self.working = _Working(self.here)
        return self.working.best()

    def slope(self, log_s: float) -> float:
        """Derivative of REML by log s at the mode for s: (u'u + tr V_uu) / (2 s) - K / 2, V of the joint
        covariance.
        It takes a triangular inverse where the decomposition of the working model takes ten times as long."""
        from scipy.linalg.lapack import dtrtri

        precision = self._go(log_s)
        information = self.here.expected
        information[np.diag_indices(self.k + self.p)] += precision
        self.factor = factored(information)
        # Fixed parameters come last, so that V_uu = H'H, H the first K columns of the inverse factor.
        half = np.tril(dtrtri(self.factor, lower=1)[0])[:, : self.k]
        u = self.here.theta[: self.k]
        return 0.5 * ((float(u @ u) + float((half**2).sum())) * float(np.exp(-log_s)) - self.k)

    def _go(self, log_s: float) -> FloatArray:
        precision = np.append(np.full(self.k, np.exp(-log_s)), np.zeros(self.p))
        contests, chosen = self.here.contests, self.here.link
        near = None if self.factor is None else self._nearby(precision, self.factor)
        self.here = near or penalised_mode(contests, chosen, precision, self.here.theta)
        return precision

    def _nearby(self, precision: FloatArray, factor: FloatArray) -> ContestPoint | None:
        """The mode by steps with the factor of the last one, or None if these do not converge fast."""
        from scipy.linalg.lapack import dpotrs

        here, last = self.here, np.inf
        for _ in range(12):
            score = here.score - precision * here.theta
            step = dpotrs(factor, score, lower=1)[0]
            decrement = float(step @ score)
            if not 0 <= decrement < 0.1 * last:
                return None
            here, last = ContestPoint(here.contests, here.link, here.theta + step), decrement
            if decrement < 1e-25:
                return here
        return None


class _Working:
    """REML of the working linear mixed model at one mode."""

    def __init__(self, here: ContestPoint) -> None:
        design = here.contests.design
        k = design.n_own
        gram = design.gram(here.row_weights)
        score = design.transposed(here.row_scores)
        zx = gram[:k, k:]
        share = np.linalg.solve(gram[k:, k:], zx.T).T if zx.shape[1] else zx
        s = gram[:k, :k] - share @ zx.T
        pull = s @ here.theta[:k] + score[:k] - share @ score[k:]
        d, u = np.linalg.eigh(s)
        # What the fixed parameters explain leaves of the effects is rounding (observed 8e-17 of their
        # information): it says nothing about s, and its slope is noise of either sign.
        told = d > ROUNDING * float(np.trace(gram[:k, :k]))
        self.d, self.h2 = np.where(told, d, 0.0), np.where(told, (u.T @ pull) ** 2, 0.0)

    def value(self, log_s: float) -> float:
        s = np.exp(log_s)
        return 0.5 * float((s * self.h2 / (1 + s * self.d) - np.log1p(s * self.d)).sum())

    def slopes(self, log_s: float) -> tuple[float, float]:
        """First and second derivative by log s."""
        s = np.exp(log_s)
        t = 1.0 + s * self.d
        first = 0.5 * s * (self.h2 / t**2 - self.d / t).sum()
        second = first + 0.5 * s**2 * ((self.d / t) ** 2 - 2.0 * self.h2 * self.d / t**3).sum()
        return float(first), float(second)

    def information(self, log_s: float) -> float:
        """Expected information about log s."""
        share = np.exp(log_s) * self.d / (1.0 + np.exp(log_s) * self.d)
        return 0.5 * float((share**2).sum())

    def best(self) -> float:
        """log s of the greatest REML; -inf if that of LOWEST is not smaller."""
        from scipy.optimize import brentq

        grid = np.linspace(LOWEST, HIGHEST, 201)
        at = int(np.argmax([self.value(v) for v in grid]))
        if at in (0, len(grid) - 1):
            return -np.inf if at == 0 else HIGHEST
        # To the last bit, as the repetition of modes that follows asks for 1e-13: observed 1e-15 beside it.
        found = brentq(lambda v: self.slopes(v)[0], grid[at - 1], grid[at + 1], xtol=1e-15, rtol=1e-14)
        return float(found) if self.value(found) > self.value(LOWEST) else -np.inf


def _settled(path: _Path, start: float) -> float:
    """The log s that is the estimate at its own mode; -inf if it comes to that.
    The slope of REML is 0 there.  Its root is found by secants from the first estimate; it counts if the
    estimate at that mode confirms it, as REML may have more than one maximum.  Otherwise estimates are
    repeated."""
    again = path.estimate
    first = again(start)
    if not np.isfinite(first):
        return first
    found, steps = _root(path.slope, first)
    if found is not None:
        confirmed = again(found)
        if not np.isfinite(confirmed):
            return confirmed
        if abs(confirmed - found) < CONFIRMED:
            return found
        first = confirmed
    return _repeated(again, first, steps + 2)


def _root(slope_at: Callable[[float], float], first: float) -> tuple[float | None, int]:
    """A root of the slope by secants, or None if they leave the range or do not settle."""
    before, here = first, first + 0.1
    at, now = slope_at(before), slope_at(here)
    last = np.inf
    for steps in range(2, 20):
        if now == at:
            return (here, steps) if last < 1e-9 else (None, steps)
        step = -now * (here - before) / (now - at)
        if abs(step) < TOLERANCE or (abs(step) < 1e-9 and abs(step) >= 0.5 * last):
            return here, steps
        if abs(step) > 3.0 or not LOWEST < here + step < HIGHEST:
            return None, steps
        before, at, last, here = here, now, abs(step), here + step
        now = slope_at(here)
    return None, 20


def _repeated(again: Callable[[float], float], start: float, taken: int) -> float:
    """The same by repetition with Steffensen's acceleration (1933)."""
    here = start
    for _ in range(taken + 2, MOST, 2):
        one = again(here)
        two = again(one) if np.isfinite(one) else one
        if not np.isfinite(two):
            return two
        bend = two - 2.0 * one + here
        if abs(two - one) < TOLERANCE or bend == 0.0:
            again(two)
            return two
        jump = here - (one - here) ** 2 / bend
        # Far from the end the jump may leave the contracting side: then the plain repetition goes on.
        here = jump if abs(jump - two) < 1.0 and LOWEST < jump < HIGHEST else two
        if abs(here - two) < TOLERANCE:
            again(here)
            return here
    raise ConvergenceError(f"sigma did not settle in {MOST} repetitions; the last was {np.exp(here / 2):.6g}")


#: Rows of the second-order term taken at a time.
CHUNK = 512
#: Effects of which quadrature for comparison alone is worth its second or two; 5 take some twenty.
FEW_EFFECTS = 4
#: Half the 95 % quantile of chi-square with one degree of freedom.
LOSS = 1.920729410347062
#: A loss in log-likelihood at twice the estimate below this is flat: an interval of 68 % holds both.
FLAT = 0.5
#: A shift of log sigma by Laplace's error that is worth a sentence, in standard errors.
SHIFT = 0.25
#: A second-order term that is worth one where sigma has no standard error.
TERM = 0.5


def second_order_term(
    contests: Contests, beta: FloatArray, sigma: float | FloatArray, link_name: str = "logit"
) -> float:
    """The second-order term of Laplace's approximation, to be added to log L.
    contests: whose first K parameters are the effects; n rows, of which it takes n x n numbers.  beta float[p]: the
    fixed parameters.  sigma float or float[C]: of each component, > 0."""
    n = contests.design.n_rows
    mode = mode_of(contests, link(link_name), beta, sigma)
    design, rows, d = mode.alone.design, mode.rows, mode.factor.spreads
    pull = design.transposed(rows.third * d)
    found = float(pull @ mode.factor.solve(pull)) / 8.0 - float(rows.fourth @ d**2) / 8.0
    for start in range(0, n, CHUNK):
        part = np.arange(start, min(start + CHUNK, n))
        solved = mode.factor.solve(design.subset(part).rows(np.arange(len(part))).T)
        between = design.projected(solved, slice(0, n))
        found += float(rows.third @ (between**3 @ rows.third[part])) / 12.0
    return found


def method_notes(contests: Contests, fit: MixedEstimate, link_name: str) -> list[str]:
    """What is to be said of Laplace's estimate beside PQL and, where possible, quadrature; nothing where they agree.
    contests: whose first K parameters are the effects of one component."""
    by_pql, exact = fit_pql(contests, link_name), _by_quadrature(contests, link_name)
    if fit.sigma == 0.0:
        notes = [
            "sigma is estimated as 0 by Laplace's approximation (LR 0, p 1): the fit is the one without random"
            " effects."
        ]
        if by_pql.sigma > 0:
            notes.append(f"Penalised quasi-likelihood (PQL) has sigma {by_pql.sigma:.4g}.")
        return notes + _of_exact(fit, exact)
    notes = _of_flatness(contests, fit, link_name)
    if exact is None or fit.bounded_below_only:
        notes += _of_error(contests, fit, link_name)
    return notes + _of_exact(fit, exact) + _of_pql(contests, fit, by_pql, link_name)


def _by_quadrature(contests: Contests, link_name: str) -> MixedEstimate | None:
    design = contests.design
    if not 2 <= design.n_own <= FEW_EFFECTS or min(design.first.min(), design.second.min()) < 0:
        return None
    return fit_mixed(contests, link_name, "quadrature")


def _of_flatness(contests: Contests, fit: MixedEstimate, link_name: str) -> list[str]:
    notes = []
    if fit.bounded_below_only:
        notes.append(
            "The wins have no cycle (no chain of wins leads from a player back to it): the likelihood need not have a"
            f" maximum in sigma, and the data bound sigma from below only. {fit.sigma:.4g} is the maximum of Laplace's"
            " approximation, not an estimate by maximum likelihood."
        )
    twice = float(profile_sigma(contests, np.array([fit.sigma, 2.0 * fit.sigma]), link_name)[1])
    if fit.llf - twice < FLAT:
        notes.append(
            f"Laplace's likelihood is flat in sigma: at {2 * fit.sigma:.4g}, twice the estimate, log L is only"
            f" {fit.llf - twice:.2g} lower."
        )
    return notes


def _of_error(contests: Contests, fit: MixedEstimate, link_name: str) -> list[str]:
    term = second_order_term(contests, fit.beta, fit.sigma, link_name)
    if not np.isfinite(term):
        return []
    if fit.bounded_below_only:
        if abs(term) < TERM:
            return []
        return [
            f"The second-order term of Laplace's approximation is {term:.2g} in log L at its maximum: the"
            " approximation is too rough there to trust its sigma."
        ]
    h, se = 0.1, float(fit.standard_errors[-1])
    up, down = (
        second_order_term(contests, fit.beta, fit.sigma * float(np.exp(s)), link_name) for s in (h, -h)
    )
    shift = (up - down) / (2.0 * h) * se**2
    if abs(shift) < SHIFT * se:
        return []
    return [
        f"Laplace's approximation is rough here: its second-order term ({term:.2g} in log L) would move sigma by about"
        f" {shift / se:+.2g} standard errors of log sigma."
    ]


def _of_exact(fit: MixedEstimate, exact: MixedEstimate | None) -> list[str]:
    if exact is None:
        return []
    if fit.sigma == 0.0 or exact.sigma == 0.0:
        apart = fit.sigma != exact.sigma
    else:
        se = float(exact.standard_errors[-1])
        apart = abs(float(np.log(fit.sigma / exact.sigma))) > SHIFT * (se if np.isfinite(se) else 1.0)
    if not apart:
        return []
    return [
        f"By quadrature, which has no such error, sigma is {exact.sigma:.4g}; by Laplace {fit.sigma:.4g}."
    ]


def _of_pql(contests: Contests, fit: MixedEstimate, by_pql: PenalisedFit, link_name: str) -> list[str]:
    known = "it is biased towards 0 where contests are few and of 0 and 1."
    if by_pql.sigma == 0.0:
        at, text = fit.without.llf, "0"
    else:
        at = float(profile_sigma(contests, np.array([by_pql.sigma]), link_name)[0])
        text = f"{by_pql.sigma:.4g}"
    if fit.llf - at <= LOSS:
        return []
    side = "below" if by_pql.sigma < fit.sigma else "above"
    return [
        f"The sigma of penalised quasi-likelihood (PQL), {text}, lies {side} the likelihood-ratio interval of 95 %"
        f" (2 log L is {2 * (fit.llf - at):.3g} lower there)" + (f"; {known}" if side == "below" else ".")
    ]
