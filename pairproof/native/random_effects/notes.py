"""Where penalised quasi-likelihood, Laplace's approximation and the likelihood itself part company.

The second-order term of Laplace's approximation, in log L, with w, t and q of each row as in
:mod:`pairproof.native.random_effects.laplace`, C = Z A^-1 Z' and d its diagonal, is

    -sum q d^2 / 8 + (t d)'C(t d) / 8 + t'C^(3) t / 12,      C^(3) the cubes of the elements

(Shun and McCullagh 1995, JRSS-B 57, 749-760; Raudenbush, Yang and Yosef 2000, Journal of Computational and Graphical
Statistics 9, 141-157).  Where it is large it is a warning, not a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLargeError
from ..structured.contests import Contests
from ..structured.links import link
from .fit import MixedEstimate, fit_mixed
from .laplace import mode_of
from .pql import PenalisedFit, fit_pql
from .profile import profile_sigma
from .quadrature import MOST_EFFECTS

FloatArray = NDArray[np.float64]

#: Rows of which the second-order term is computed: it takes rows x rows numbers, CHUNK rows at a time.
MOST_ROWS, CHUNK = 10_000, 512
#: Points of a grid in each dimension, about: quadrature for comparison alone is of one set of 4 effects or as
#: much work, a second or two; a set of 5 takes some twenty.
POINTS = 60
#: Half the 95 % quantile of chi-square with one degree of freedom.
LOSS = 1.920729410347062
#: A loss in log-likelihood at twice the estimate below this is flat: an interval of 68 % holds both.
FLAT = 0.5
#: A shift of log sigma by Laplace's error that is worth a sentence, in standard errors.
SHIFT = 0.25
#: A second-order term that is worth one where sigma has no standard error.
TERM = 0.5


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """The estimates of one model with random effects by several methods, and what is to be said of them.

    quadrature: where the effects are few enough.  second_order: second-order term of log L at Laplace's
    estimate; 0 where sigma is 0, NaN where there are too many rows.  notes: sentences; none where the methods
    agree.
    """

    laplace: MixedEstimate
    pql: PenalisedFit
    quadrature: MixedEstimate | None
    second_order: float
    notes: tuple[str, ...]


def second_order_term(
    contests: Contests, beta: FloatArray, sigma: float | FloatArray, link_name: str = "logit"
) -> float:
    """The second-order term of Laplace's approximation, to be added to log L.

    contests: whose first K parameters are the effects; n rows.  beta float[p]: the fixed parameters.  sigma
    float or float[C]: of each component, > 0.  link_name: "logit" or "probit".
    """
    n = contests.design.n_rows
    if n > MOST_ROWS:
        raise TooLargeError(
            f"the second-order term of {n} different rows; the limit is {MOST_ROWS}, as it takes rows x rows numbers"
        )
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


def compare_methods(
    contests: Contests, link_name: str = "logit", set_size: int | None = None
) -> MethodComparison:
    """One model with random effects by PQL, by Laplace and where possible by quadrature, with notes.

    contests: whose first K parameters are the effects of one component.  link_name: "logit" or "probit".
    set_size: effects in each set of the quadrature: items of a judge.
    """
    by_laplace, by_pql = fit_mixed(contests, link_name), fit_pql(contests, link_name)
    exact = _by_quadrature(contests, link_name, set_size)
    sigma, beta = by_laplace.sigma, by_laplace.beta
    if sigma == 0.0:
        notes = [
            "sigma is estimated as 0 by Laplace's approximation (LR 0, p 1): the fit is the one without random"
            " effects."
        ]
        if by_pql.sigma > 0:
            notes.append(f"Penalised quasi-likelihood (PQL) has sigma {by_pql.sigma:.4g}.")
        return MethodComparison(by_laplace, by_pql, exact, 0.0, tuple(notes + _of_exact(by_laplace, exact)))
    few = contests.design.n_rows <= MOST_ROWS
    term = second_order_term(contests, beta, sigma, link_name) if few else float("nan")
    notes = _of_flatness(contests, by_laplace, link_name)
    if exact is None or by_laplace.bounded_below_only:
        notes += _of_error(contests, by_laplace, term, link_name)
    notes += _of_exact(by_laplace, exact) + _of_pql(contests, by_laplace, by_pql, link_name)
    return MethodComparison(by_laplace, by_pql, exact, term, tuple(notes))


def _by_quadrature(contests: Contests, link_name: str, set_size: int | None) -> MixedEstimate | None:
    design = contests.design
    size = design.n_own if set_size is None else set_size
    if not 2 <= size <= MOST_EFFECTS or min(design.first.min(), design.second.min()) < 0:
        return None
    if design.n_own / size * POINTS ** (size - 1) > POINTS**3:
        return None
    return fit_mixed(contests, link_name, "quadrature", size)


def _of_flatness(contests: Contests, fit: MixedEstimate, link_name: str) -> list[str]:
    notes = []
    if fit.bounded_below_only:
        notes.append(
            "The wins have no cycle (no chain of wins leads from a player back to it): the likelihood need not have a"
            f" maximum in sigma, and the data bound sigma from below only. {fit.sigma:.4g} is the maximum of Laplace's"
            " approximation, not an estimate by maximum likelihood."
        )
    twice = float(profile_sigma(contests, np.array([fit.sigma, 2.0 * fit.sigma]), link_name).llf[1])
    if fit.llf - twice < FLAT:
        notes.append(
            f"Laplace's likelihood is flat in sigma: at {2 * fit.sigma:.4g}, twice the estimate, log L is only"
            f" {fit.llf - twice:.2g} lower."
        )
    return notes


def _of_error(contests: Contests, fit: MixedEstimate, term: float, link_name: str) -> list[str]:
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
        at = float(profile_sigma(contests, np.array([by_pql.sigma]), link_name).llf[0])
        text = f"{by_pql.sigma:.4g}"
    if fit.llf - at <= LOSS:
        return []
    side = "below" if by_pql.sigma < fit.sigma else "above"
    return [
        f"The sigma of penalised quasi-likelihood (PQL), {text}, lies {side} the likelihood-ratio interval of 95 %"
        f" (2 log L is {2 * (fit.llf - at):.3g} lower there)" + (f"; {known}" if side == "below" else ".")
    ]
