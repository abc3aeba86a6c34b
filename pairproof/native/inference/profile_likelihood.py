"""Confidence limits from the profile likelihood of a linear function of the parameters::

    { v : 2 (l(b^) - max over c'b = v of l(b)) <= chi-square quantile on 1 df }

(Venzon and Moolgavkar 1988, Applied Statistics 37, 87-94).  Unlike Wald's they follow the likelihood where it is not
a parabola: a million wins to one have Wald limits 11.86 and 15.78, profile limits 12.33 and 16.68.  Where an estimate
is infinite, l(b^) is the supremum; the side that runs off has the limit inf or -inf and the other a number.

The signed root of the drop is close to linear in v, so that Brent's method finds its zero in a few constrained fits.

The profile likelihood of one linear function, and where it has dropped by a given amount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import ConvergenceError, InputError, NotEstimableError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.likelihood import Limit, Point
from ...fit.fit import Fit
from ...fit.inference.wald import check_level
from ...numerics.constrained import Infeasible, bordered_solve, maximum_under
from ...numerics.infinity import NULL_TOLERANCE
from ...numerics.maxima import Profile, complement, constrained_maximum
from ..comparisons.contests.profiles import SIGMA, check_profile, profile_contests
from ..comparisons.counts.counts_likelihood import CountsLikelihood, counts_likelihood
from ..comparisons.counts.dense import Dense, check_dense_size
from ..comparisons.counts.solve import laid_out
from ..comparisons.counts.sparse import Rows
from .taken_apart import Function, TakenApart, function_of, take_apart

if TYPE_CHECKING:
    import pandas as pd


FloatArray = NDArray[np.float64]

#: Brent's tolerance on the limit, relative to the larger of it and 1.
XTOL = 1e-12
#: A log-odds beyond this has no likelihood in doubles.
FAR = 650.0
MOST_DOUBLINGS = 80


@dataclass(eq=False)
class Curve:
    """The profile likelihood of one function.

    limit: the likelihood in which constrained maxima are finite.  function float[p]: in the coordinates of
    the likelihood.  supremum: of the unconstrained log-likelihood.  estimate: may be infinite.  top: the
    unconstrained maximum, if it is finite.
    """

    limit: Limit
    function: FloatArray
    supremum: float
    estimate: float
    top: Point | None

    def __post_init__(self) -> None:
        self._c = self.limit.reduced(self.function[None, :])
        self._here: tuple[float, FloatArray, FloatArray] | None = None

    def drop(self, v: float) -> float:
        """2 (supremum - constrained maximum)."""
        point = maximum_under(self.limit.remaining, self._c, np.array([v]), self._start(v)).point
        self._here = (v, point.theta, self._slope(point))
        return 2.0 * (self.supremum - point.value)

    def _slope(self, point: Point) -> FloatArray:
        """d theta / dv along the constrained maxima."""
        p = len(point.theta)
        out: FloatArray = bordered_solve(point.information, self._c, np.eye(p + 1)[p])[:p]
        return out

    def _start(self, v: float) -> FloatArray:
        if self._here is None and self.top is not None:
            self._here = (self.estimate, self.top.theta, self._slope(self.top))
        if self._here is None:
            c = self._c[0]
            origin = self.limit.remaining.start()
            start: FloatArray = origin + c * (v - c @ origin) / (c @ c)
            return start
        at, theta, slope = self._here
        moved: FloatArray = theta + (v - at) * slope
        # Rounding off the constraint would stay: take it out exactly.
        c = self._c[0]
        moved += c * (v - c @ moved) / (c @ c)
        return moved

    def side(self, drop: float, side: float) -> float:
        """The low (-1) or high (1) limit."""
        from scipy.optimize import brentq

        if self.estimate == side * np.inf:
            return self.estimate
        root = float(np.sqrt(drop))
        self._here = None

        def off(v: float) -> float:
            return float(np.sqrt(max(self.drop(v), 0.0))) - root

        inside, outside = self._bracket(off, side)
        if outside is None:
            return inside
        # Brent's method, asked for 1e-10 of the limit and not less than 1e-14 of itself, its own rounding:
        # the vectors are met to 4e-12 (observed), the rounding of the drop.
        xtol = XTOL * max(1.0, abs(inside))
        try:
            return float(brentq(off, inside, outside, xtol=xtol, rtol=1e-14, maxiter=200))
        except ValueError:  # the two ends have the same sign once they are refitted
            raise ConvergenceError(
                f"the {'upper' if side > 0 else 'lower'} profile limit between {inside:.6g} and {outside:.6g} was not found:"
                " refits from two sides do not agree there, as in nearly separated tables;"
                " fit.conf_int() has Wald intervals, and reduce_bias='jeffreys' a penalised profile"
            ) from None

    def _bracket(self, off: Callable[[float], float], side: float) -> tuple[float, float | None]:
        """A point inside and one outside the interval; None outside where the parameter space ends first."""
        if np.isfinite(self.estimate):
            inside, step = self.estimate, self._first_step()
        else:
            inside, step = self._near_infinity(off, side)
        for _ in range(MOST_DOUBLINGS):
            there = inside + side * step
            try:
                value = off(there)
            except (Infeasible, np.linalg.LinAlgError):
                # The edge of the parameter space: go half of the way, down to rounding.
                step /= 2.0
                if step < 1e-13 * max(1.0, abs(inside)):
                    return there, None
                continue
            if value >= 0.0:
                return inside, there
            inside, step = there, step * 1.6
        raise NotEstimableError("the likelihood does not fall on one side; please report these data")

    def _first_step(self) -> float:
        if self.top is None:
            return 1.0
        c = self._c[0]
        variance = float(c @ np.linalg.solve(self.top.information, c))
        return 2.0 * float(np.sqrt(variance))

    def _near_infinity(self, off: Callable[[float], float], side: float) -> tuple[float, float]:
        """From 0 towards an infinite estimate, until the likelihood is within the drop."""
        v, step = 0.0, 1.0
        for _ in range(MOST_DOUBLINGS):
            try:
                if off(v) < 0.0:
                    return v, 1.0
            except Infeasible:
                pass
            v, step = v - side * step, step * 1.6
            if abs(v) > FAR:
                break
        raise NotEstimableError("no finite value is near enough to the supremum; please report these data")


#: Where a search from the boundary delta = 0 begins: its likelihood is that of 0 to rounding.
BOUNDARY = 1e-12


def profile(
    fit: Fit,
    names: Sequence[Function] | str | None = None,
    *,
    contrasts: Sequence[tuple[str, str]] | Literal["all"] = (),
    group: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Profile-likelihood intervals beside Wald's.

    Parameters
    ----------
    fit : Fit
        Not clustered.
    names : sequence, optional
        Parameters by name, or weights of parameters ({"A": 1, "B": -2}).  Default: every parameter but references;
        none if `contrasts` are given.
    contrasts : sequence of two items each, or "all"
        Differences of the abilities of two items.
    group : str, optional
        The group of the contrasts, where the fit has several.
    level : float
        In (0, 1).

    Returns
    -------
    DataFrame
        estimate, wald_low, wald_high, profile_low, profile_high by parameter or contrast, on the fit's scale.  An
        infinite estimate is inf or -inf, its Wald limits nan; nan and limits -inf, inf if the data do not determine
        it at all.  With reduced bias the profile is that of the likelihood penalised by Jeffreys' prior (Heinze and
        Schemper 2002); with random effects that of the marginal likelihood, with a row `sigma`, whose Wald limits are
        taken on the scale of its logarithm.

    Raises
    ------
    InputError
        A clustered fit: its likelihood knows nothing of clusters.  An unknown name, a reference, another level.  An
        estimate that maximises nothing (PQL, median bias reduction), or
        something else than the likelihood (pseudo-rankings, a prior).  Latent classes, whose likelihood has several maxima.

    References
    ----------
    Venzon and Moolgavkar (1988), Applied Statistics 37, 87-94; R's MASS::confint interpolates the same curve by a
    spline, to 4 to 6 digits.  Heinze and Schemper (2002), Statistics in Medicine 21, 2409-2419.

    Examples
    --------
    A was preferred in all 20 comparisons: at 95 % its log-odds is at least 2.29.

    >>> import pairproof
    >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [20], None, [0]), reference="B")
    >>> pairproof.profile(fit).round(4).to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'estimate': inf, 'wald_low': nan, 'wald_high': nan, 'profile_low': 2.2946, 'profile_high': inf}]
    """
    import pandas as pd

    check_level(level)
    if fit.contests is not None:
        return _of_contests(fit, names, contrasts, group, level)
    wanted = _wanted(fit, names, contrasts, group)
    labels = [label for label, _ in wanted]
    functions = np.array([function for _, function in wanted]).reshape(len(wanted), len(fit.terms))
    refuse_clustered(fit)
    profiler = AnswerProfiler(fit) if fit.answers is not None else Profiler(take_apart(fit))
    estimate = profiler.estimates(functions)
    half = normal_quantile(0.5 + level / 2) * _standard_errors(fit, functions)
    centre = np.where(np.isfinite(estimate), estimate, np.nan)
    low, high = profiler.limits(functions, level)
    columns = dict(
        estimate=estimate, wald_low=centre - half, wald_high=centre + half, profile_low=low, profile_high=high
    )
    return pd.DataFrame(columns, index=labels)


def _of_contests(
    fit: Fit,
    names: Sequence[Function] | str | None,
    contrasts: Sequence[tuple[str, str]] | Literal["all"],
    group: str | None,
    level: float,
) -> pd.DataFrame:
    """Profiles with links, offsets, reduced bias, general ties or random effects."""
    check_profile(fit)
    if len(contrasts) and fit.random_effects is not None and any(c.name == "item" for c in fit.components):
        raise InputError(
            "contrasts of items with random effects are predictions, not parameters, and have no profile; fit.contrast(a, b)"
            " has their standard error"
        )
    asked = [names] if isinstance(names, str) else names
    with_sigma = fit.random_effects is not None and (
        not len(contrasts) if asked is None else any(isinstance(n, str) and n == SIGMA for n in asked)
    )
    if asked is not None:
        asked = [n for n in asked if not (with_sigma and isinstance(n, str) and n == SIGMA)]
    only_sigma = with_sigma and not fit.free.any() if asked is None else with_sigma and not len(asked)
    wanted = [] if only_sigma and not len(contrasts) else _wanted(fit, asked, contrasts, group)
    functions = np.array([function for _, function in wanted]).reshape(len(wanted), len(fit.terms))
    return profile_contests(fit, [label for label, _ in wanted], functions, level, with_sigma)


def profile_test(fit: Fit, functions: Sequence[Function], *, group: str | None = None) -> pd.DataFrame:
    """Likelihood-ratio tests that a difference is 0, also where its estimate is infinite.

    Parameters
    ----------
    fit : Fit
        Not clustered.
    functions : sequence
        Two items each, of which the first less the second; or a parameter's name, or weights of parameters.
    group : str, optional
        The group of the items, where the fit has several.

    Returns
    -------
    DataFrame
        statistic (twice the log-likelihood that is lost where the function is held at 0), z (its root, with the sign of
        the estimate) and p (chi-square on 1 df); nan where the data do not determine the function.

    Raises
    ------
    InputError
        As :func:`pairproof.profile`.

    Notes
    -----
    0 lies in the profile interval of a level exactly if z lies within the normal quantiles of that level (Venzon and
    Moolgavkar 1988, Applied Statistics 37, 87-94).

    Examples
    --------
    C lost all of its 12 comparisons; that it is as able as B costs 14.2 of twice the log-likelihood.

    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [60, 6, 6], None, [40, 0, 0])
    >>> fit = pairproof.fit_bradley_terry(table)
    >>> pairproof.profile_test(fit, [("B", "C"), ("A", "B")])["z"].round(3).to_dict()
    {'B - C': 3.771, 'A - B': 2.007}
    """
    import pandas as pd

    refuse_clustered(fit)
    wanted = [function_of(fit, what, group) for what in functions]
    rows = np.array([function for _, function in wanted]).reshape(len(wanted), len(fit.terms))
    profiler = AnswerProfiler(fit) if fit.answers is not None else Profiler(take_apart(fit))
    statistic = profiler.drops(rows)
    columns = dict(
        statistic=statistic,
        z=np.sign(profiler.estimates(rows)) * np.sqrt(statistic),
        p=chi_square_tails(statistic),
    )
    return pd.DataFrame(columns, index=[label for label, _ in wanted])


def chi_square_tails(statistic: FloatArray) -> FloatArray:
    """float[m]: P(chi-square on 1 df is larger)."""
    from scipy.special import chdtrc

    return np.asarray(chdtrc(1, statistic))


def profile_intervals(fit: Fit, functions: FloatArray, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Profile-likelihood limits of linear functions of a fit's parameters.

    fit: not clustered.  functions float[m, n_params]: of the parameters in the order of ``fit.names``, on the
    fit's scale and against its reference.  Returns (float[m], float[m]): low and high, where twice the
    log-likelihood has dropped by the chi-square quantile, to 1e-10; inf or -inf where the estimate is
    infinite; nan for a function that is 0 for all parameters (a reference).
    """
    check_level(level)
    functions = np.asarray(functions, float)
    if functions.ndim != 2 or functions.shape[1] != len(fit.terms):
        raise InputError(
            f"functions of shape {functions.shape}; expected one row each of {len(fit.terms)} parameters"
        )
    refuse_clustered(fit)
    return Profiler(take_apart(fit)).limits(functions, level)


def refuse_clustered(fit: Fit) -> None:
    """Raise InputError for a fit with a cluster-robust covariance."""
    robust = fit.robust
    if robust is not None:
        by = ", ".join(robust.columns) or "person"
        wild = fit.answers is None
        instead = (
            f'pairproof.wild_test(fit, "{robust.columns[0]}", contrast).conf_int()'
            if wild
            else "fit.conf_int()"
        )
        raise InputError(
            f"the fit is clustered by {by}, and a profile likelihood takes its comparisons as independent; use {instead}, or"
            " profile the fit before .clustered()"
        )


def _wanted(
    fit: Fit,
    names: Sequence[Function] | str | None,
    contrasts: Sequence[tuple[str, str]] | Literal["all"],
    group: str | None,
) -> list[tuple[str, FloatArray]]:
    if isinstance(contrasts, str):
        if contrasts != "all":
            raise InputError(f'contrasts={contrasts!r}; expected pairs of items, as [("A", "B")], or "all"')
        n = len(fit.items)
        contrasts = [(fit.items[a], fit.items[b]) for a in range(n) for b in range(a + 1, n)]
    if names is None:
        names = [] if len(contrasts) else [n for k, n in enumerate(fit.names) if not _is_held(fit, k)]
    elif isinstance(names, str):
        names = [names]
    for name in names:
        if isinstance(name, str) and name in fit.names and _is_held(fit, fit.names.index(name)):
            raise InputError(f"{name} is held at 0 ({fit.constraint}), so that it has no interval")
    wanted = [function_of(fit, name) for name in names]
    wanted += [function_of(fit, tuple(pair), group) for pair in contrasts]
    if not wanted:
        raise InputError("nothing to profile: the fit has no free parameter")
    return wanted


def _is_held(fit: Fit, place: int) -> bool:
    """A reference; a Rao-Kupper tie parameter at its boundary is an estimate."""
    return bool(fit.is_reference[place]) and fit.terms[place].kind != "tie"


def _standard_errors(fit: Fit, functions: FloatArray) -> FloatArray:
    out = np.full(len(functions), np.nan)
    for k, function in enumerate(functions):
        if fit.is_estimable(function[None, :]) and not fit.is_reference[function != 0.0].all():
            out[k] = np.sqrt(max(float(fit.covariance.between(function[None, :])[0, 0]), 0.0))
    return out


class AnswerProfiler:
    """Profile likelihoods of linear functions of the parameters of a model of whole answers."""

    def __init__(self, fit: Fit) -> None:
        if fit.classes is not None:
            raise InputError(
                f"the profile likelihood of {fit.title}: the likelihood of latent classes has several maxima, and which of them"
                " is the highest changes along a profile; fit.conf_int() has Wald intervals at the one that was found"
            )
        if fit.quasi_likelihood:
            raise InputError(
                f"the profile likelihood of {fit.title}: the estimate maximises something else than the likelihood;"
                " fit.conf_int() has Wald intervals, and a fit without it a profile"
            )
        self._fit, self._law = fit, fit.numbers.likelihood

    def _objective(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        point = self._law.likelihood.at(theta)
        return point.value, point.score, point.information

    def estimates(self, functions: FloatArray) -> FloatArray:
        """float[m]: with -inf and inf, and nan where the data do not determine one."""
        return self._law.estimates(functions)

    def _profiles(self, functions: FloatArray) -> Iterator[tuple[int, Profile]]:
        """Of the functions that the data determine and no infinite parameter touches, with their places."""
        for k, (function, estimate) in enumerate(zip(functions, self.estimates(functions))):
            outward = np.abs(function @ self._law.outward).max(initial=0.0)
            if np.isfinite(estimate) and outward > NULL_TOLERANCE:
                yield k, self._profile(function, float(estimate))

    def _profile(self, function: FloatArray, estimate: float) -> Profile:
        c = function @ self._law.outward
        basis, along = complement(c[:, None]), c / (c @ c)
        start = basis.T @ self._law.theta

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            return constrained_maximum(self._objective, v * along, basis, start if near is None else near)

        return Profile(maximum, self._fit.llf, estimate, float(np.sqrt(c @ self._law.covariance @ c)))

    def limits(self, functions: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Low and high of every function; nan where the estimate is infinite."""
        from scipy.special import chdtri

        drop = float(chdtri(1, 1.0 - level))
        low, high = np.full(len(functions), np.nan), np.full(len(functions), np.nan)
        for k, profile in self._profiles(functions):
            low[k], high[k] = profile.side(drop, -1.0), profile.side(drop, 1.0)
        return low, high

    def drops(self, functions: FloatArray) -> FloatArray:
        """float[m]: twice the log-likelihood lost where each function is held at 0; nan where it is infinite."""
        out = np.full(len(functions), np.nan)
        for k, profile in self._profiles(functions):
            out[k] = max(profile.drop(0.0), 0.0)
        return out


class Profiler:
    """Profile likelihoods of linear functions of a fit's parameters."""

    def __init__(self, apart: TakenApart) -> None:
        check_dense_size(apart.with_ties)
        self.apart = apart
        self._tie = bool(apart.model.tie_fixed)
        self._likelihoods: dict[bool, tuple[Dense | Rows, CountsLikelihood]] = {}

    def _likelihood(self, with_ties: bool) -> tuple[Dense | Rows, CountsLikelihood]:
        if with_ties not in self._likelihoods:
            layout = laid_out(self.apart.with_ties if with_ties else self.apart.problem)
            null = None
            if not with_ties:
                found = self.apart.found.null_space
                null = np.asarray(np.linalg.lstsq(layout.back(np.eye(len(found))), found, rcond=None)[0])
            self._likelihoods[with_ties] = layout, counts_likelihood(layout, null)
        return self._likelihoods[with_ties]

    def estimates(self, functions: FloatArray) -> FloatArray:
        """float[m]: with inf, -inf, and nan where the data do not determine one."""
        finite = functions @ self.apart.coordinates.forward(self.apart.found.params)
        infinite = self.apart.infinite
        return finite if infinite is None else infinite.values(functions, finite)

    def limits(self, functions: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Low and high of every function."""
        from scipy.special import chdtri

        drop = float(chdtri(1, 1.0 - level))
        estimate = self.estimates(functions)
        both = [self._limits(f, e, drop) for f, e in zip(functions, estimate)]
        return np.array([b[0] for b in both]), np.array([b[1] for b in both])

    def drops(self, functions: FloatArray) -> FloatArray:
        """float[m]: twice the log-likelihood lost where each function is held at 0; nan where it is not determined."""
        out = np.full(len(functions), np.nan)
        for k, (function, estimate) in enumerate(zip(functions, self.estimates(functions))):
            layout, full = self._likelihood(False)
            inner = layout.back(self.apart.coordinates.back(function[None, :]))[0]
            if not np.isnan(estimate) and np.abs(inner).max(initial=0.0) >= 1e-12:
                out[k] = max(self._curve(full, inner, estimate).drop(0.0), 0.0)
        return out

    def _limits(self, function: FloatArray, estimate: float, drop: float) -> tuple[float, float]:
        # A tie parameter that is not in the problem is put back if the function is about it.
        with_ties = self._tie and function[-1] != 0.0
        coordinates = self.apart.coordinates_of(0 if with_ties else int(self._tie))
        layout, full = self._likelihood(with_ties)
        inner = layout.back(coordinates.back(function[None, :]))[0]
        if np.abs(inner).max(initial=0.0) < 1e-12:
            return float("nan"), float("nan")
        if np.isnan(estimate):
            return -np.inf, np.inf
        curve = self._curve(full, inner, estimate)
        if with_ties and not self.apart.model.tie_is_infinite:
            return self._from_boundary(curve, function, drop)
        return curve.side(drop, -1.0), curve.side(drop, 1.0)

    def _from_boundary(self, curve: Curve, function: FloatArray, drop: float) -> tuple[float, float]:
        """Rao-Kupper without ties: delta is at its boundary 0, from which the interval goes up."""
        if np.count_nonzero(function) > 1:
            raise NotEstimableError(
                "no tie was observed, so that the Rao-Kupper tie parameter is at its boundary 0; profile it alone, or"
                " functions without it"
            )
        curve.estimate = float(np.sign(function[-1])) * BOUNDARY
        sides = (0.0, curve.side(drop, float(np.sign(function[-1]))))
        return sides if sides[1] > 0.0 else (sides[1], 0.0)

    def _curve(self, full: CountsLikelihood, function: FloatArray, estimate: float) -> Curve:
        if full.null is None or full.null.shape[1]:
            return Curve(full.limit(function[None, :]), function, self.apart.found.llf, estimate, None)
        top = self._top
        return Curve(Limit(full), function, top.llf, float(function @ top.theta), top)

    @cached_property
    def _top(self) -> Point:
        """The unconstrained maximum in the coordinates of the likelihood."""
        _, full = self._likelihood(False)
        return maximum_under(full, np.zeros((0, full.n_params)), np.zeros(0), full.start()).point
