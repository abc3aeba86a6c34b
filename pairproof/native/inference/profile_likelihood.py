"""Confidence limits from the profile likelihood of a linear function of the parameters::

    { v : 2 (l(b^) - max over c'b = v of l(b)) <= chi-square quantile on 1 df }

(Venzon and Moolgavkar 1988, Applied Statistics 37, 87-94).  Unlike Wald's they follow the likelihood where it is not
a parabola: a million wins to one have Wald limits 11.86 and 15.78, profile limits 12.33 and 16.68.  Where an estimate
is infinite, l(b^) is the supremum; the side that runs off has the limit inf or -inf and the other a number.

With reduced bias the likelihood is the one penalised by Jeffreys' prior (Heinze and Schemper 2002, Statistics in
Medicine 21, 2409-2419; R's logistf), with random effects the marginal one, for sigma over all fixed parameters.  Where
no chain of wins leads back the data bound sigma from below only, and its upper limit is infinite (as among
BradleyTerry2's lizards); the lower one is then that of the approximation of the likelihood, whose greatest value it is
taken from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Union

import numpy as np

from ...errors import ConvergenceError, InputError, NotEstimableError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.likelihood import Limit
from ...fit.fit import Fit
from ...fit.inference.wald import check_level
from ...numerics.arrays import FloatArray
from ...numerics.constrained import Profile
from ...numerics.infinity import NULL_TOLERANCE
from .taken_apart import Function, function_of

if TYPE_CHECKING:
    import pandas as pd


#: What may be asked for: parameters, functions of them, None for all; and contrasts of items.
Asked = Union[Sequence[Function], str, None]
Pairs = Union[Sequence[tuple[str, str]], Literal["all"]]

#: The row of the standard deviation of random effects, and beyond what it is taken as unbounded.
SIGMA, FARTHEST_SIGMA = "sigma", 1e4
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
    """Profile-likelihood intervals, with Wald's for comparison.

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
        A clustered fit: its likelihood does not account for clusters.  An unknown name, a reference, another level.  An
        estimate that does not maximise the likelihood (PQL, median bias reduction, pseudo-rankings, a prior).  Latent
        classes, whose likelihood has several maxima.

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
    refuse_clustered(fit)
    wanted, with_sigma = _all_wanted(fit, names, contrasts, group)
    labels = [label for label, _ in wanted]
    functions = np.array([function for _, function in wanted]).reshape(len(wanted), len(fit.terms))
    profiles = Profiles(fit)
    estimate = profiles.estimates(functions)
    half = normal_quantile(0.5 + level / 2) * _standard_errors(fit, functions)
    centre = np.where(np.isfinite(estimate), estimate, np.nan)
    found = np.zeros((len(wanted), 2))
    for k, (label, function) in enumerate(wanted):
        try:
            found[k] = profiles.limits(function[None, :], level)[0]
        except ConvergenceError as error:
            if fit.contests is None:
                raise
            raise ConvergenceError(
                f"profile of {label}: {error}. With {label} held so far from its estimate no maximum was reached; ask for"
                " other names, or leave out a scale or shift of the ties"
            ) from error
    out = np.column_stack([estimate, centre - half, centre + half, found])
    if with_sigma:
        labels, out = [*labels, SIGMA], np.vstack([out, _of_sigma(fit, profiles, level)])
    columns = ["estimate", "wald_low", "wald_high", "profile_low", "profile_high"]
    return pd.DataFrame(out, index=labels, columns=columns)


def _all_wanted(
    fit: Fit, names: Asked, contrasts: Pairs, group: str | None
) -> tuple[list[tuple[str, FloatArray]], bool]:
    """The functions that are asked for with their labels, and whether sigma is."""
    if fit.random_effects is None:
        return _wanted(fit, names, contrasts, group), False
    if len(contrasts) and any(c.name == "item" for c in fit.components):
        raise InputError(
            "contrasts of items with random effects are predictions, not parameters, and have no profile; fit.contrast(a, b)"
            " has their standard error"
        )
    asked = [names] if isinstance(names, str) else names
    with_sigma = (
        not len(contrasts) if asked is None else any(isinstance(n, str) and n == SIGMA for n in asked)
    )
    if asked is not None and with_sigma:
        asked = [n for n in asked if not (isinstance(n, str) and n == SIGMA)]
    only_sigma = with_sigma and (not fit.free.any() if asked is None else not len(asked))
    return ([] if only_sigma and not len(contrasts) else _wanted(fit, asked, contrasts, group)), with_sigma


def _of_sigma(fit: Fit, profiles: Profiles, level: float) -> FloatArray:
    """float[5]: estimate, Wald's limits on the scale of log sigma, profile limits, on the scale of the fit."""
    component, c = fit.component(), profiles.at.further[SIGMA]
    sigma = component.sigma
    half = normal_quantile(0.5 + level / 2) * component.se / sigma if sigma > 0 else np.nan
    wald = [sigma * np.exp(-half), sigma * np.exp(half)] if sigma > 0 else [np.nan, np.nan]
    curve, quantile = profiles.curve(c, sigma), chi_square_quantile(level)
    low = 0.0 if sigma == 0.0 else curve.side(quantile, -1.0, 0.0)
    # Where no chain of wins leads back the data bound sigma from below only.
    end = FARTHEST_SIGMA * float(np.abs(c).max())
    high = np.inf if np.isfinite(profiles.at.farthest_errors) else curve.side(quantile, 1.0, end)
    return np.array([sigma, *wald, low, np.inf if high >= end else high])


def profile_test(fit: Fit, functions: Sequence[Function], *, group: str | None = None) -> pd.DataFrame:
    """Likelihood-ratio tests that a difference is 0, also where its estimate is infinite.

    Parameters
    ----------
    fit : Fit
        Not clustered.
    functions : sequence
        Two items for their difference, first less second; or a parameter's name, or weights of parameters.
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
    from scipy.special import chdtrc

    refuse_clustered(fit)
    wanted = [function_of(fit, what, group) for what in functions]
    rows = np.array([function for _, function in wanted]).reshape(len(wanted), len(fit.terms))
    profiles = Profiles(fit)
    statistic = profiles.drops(rows)
    columns = dict(
        statistic=statistic, z=np.sign(profiles.estimates(rows)) * np.sqrt(statistic), p=chdtrc(1, statistic)
    )
    return pd.DataFrame(columns, index=[label for label, _ in wanted])


def chi_square_quantile(level: float) -> float:
    """Of chi-square on 1 df."""
    from scipy.special import chdtri

    return float(chdtri(1, 1.0 - level))


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
    low, high = Profiles(fit).limits(functions, level).T
    return low, high


def refuse_clustered(fit: Fit) -> None:
    """Raise InputError for a fit with a cluster-robust covariance."""
    robust = fit.robust
    if robust is not None:
        by, instead = ", ".join(robust.columns) or "person", "fit.conf_int()"
        if fit.answers is None:
            instead = f'pairproof.wild_test(fit, "{robust.columns[0]}", contrast).conf_int()'
        raise InputError(
            f"the fit is clustered by {by}, and a profile likelihood takes its comparisons as independent; use {instead}, or"
            " profile the fit before .clustered()"
        )


def _wanted(fit: Fit, names: Asked, contrasts: Pairs, group: str | None) -> list[tuple[str, FloatArray]]:
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


class Profiles:
    """Profile likelihoods of linear functions of a fit's parameters, by :attr:`pairproof.Fit.likelihood` alone."""

    def __init__(self, fit: Fit) -> None:
        if fit.classes is not None:
            raise InputError(
                f"the profile likelihood of {fit.title}: the likelihood of latent classes has several maxima, and which of them"
                " is the highest changes along a profile; fit.conf_int() has Wald intervals at the one that was found"
            )
        if fit.answers is not None and fit.quasi_likelihood:
            raise InputError(
                f"the profile likelihood of {fit.title}: the estimate maximises something else than the likelihood;"
                " fit.conf_int() has Wald intervals, and a fit without it a profile"
            )
        self.at = fit.likelihood

    def estimates(self, functions: FloatArray) -> FloatArray:
        """float[m]: with inf, -inf, and nan where the data do not determine one."""
        return self.at.estimates(functions)

    def limits(self, functions: FloatArray, level: float) -> FloatArray:
        """float[m, 2]: low and high of every function; nan for one that is 0 for all coordinates."""
        quantile = chi_square_quantile(level)
        estimates = self.estimates(functions)
        return np.array([self._limits(f, e, quantile) for f, e in zip(functions, estimates)]).reshape(-1, 2)

    def drops(self, functions: FloatArray) -> FloatArray:
        """float[m]: twice the log-likelihood lost where each function is held at 0; nan where it is not determined."""
        out = np.full(len(functions), np.nan)
        for k, (function, estimate) in enumerate(zip(functions, self.estimates(functions))):
            if not np.isnan(estimate) and self._told(function):
                out[k] = max(self.curve(function @ self.at.outward, estimate).drop(0.0), 0.0)
        return out

    def _told(self, function: FloatArray) -> bool:
        """Whether the likelihood has coordinates for the function and for what of it is infinite."""
        at = self.at
        if np.abs(function @ at.outward).max(initial=0.0) < 1e-12:
            return False
        return not (at.absent.shape[1] and np.abs(function @ at.absent).max() > NULL_TOLERANCE)

    def _limits(self, function: FloatArray, estimate: float, quantile: float) -> tuple[float, float]:
        if not self._told(function):
            return np.nan, np.nan
        if np.isnan(estimate):
            return -np.inf, np.inf
        edge = self.at.at_edge
        if edge is not None and function[edge].any():
            return self._from_boundary(function, quantile)
        curve = self.curve(function @ self.at.outward, estimate)
        return curve.side(quantile, -1.0), curve.side(quantile, 1.0)

    def _from_boundary(self, function: FloatArray, quantile: float) -> tuple[float, float]:
        """Rao-Kupper without ties: delta is at its boundary 0, from which the interval goes up."""
        if np.count_nonzero(function) > 1:
            raise NotEstimableError(
                "no tie was observed, so that the Rao-Kupper tie parameter is at its boundary 0; profile it alone, or"
                " functions without it"
            )
        side = float(np.sign(function[self.at.at_edge][0]))
        reached = self.curve(function @ self.at.outward, side * BOUNDARY).side(quantile, side)
        return (0.0, reached) if side > 0.0 else (reached, 0.0)

    def curve(self, c: FloatArray, estimate: float) -> Profile:
        """The profile of a function of the coordinates, float[p]."""
        at = self.at
        all_finite = at.infinite is None and at.at_edge is None
        limit = Limit(at.likelihood) if all_finite else at.likelihood.limit(c[None, :])
        tops = [limit.inward(theta) for theta in (at.theta, *at.starts)]
        se = float(np.sqrt(max(float(c @ at.covariance @ c), 0.0)))
        far = np.inf if at.farthest is None else float(at.farthest[c != 0.0].min())
        inner, far = limit.reduced(c[None, :])[0], min(far, at.farthest_errors * se) if se else far
        return Profile(limit.remaining, inner, at.supremum, estimate, se, tops, far)
