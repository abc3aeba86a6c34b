"""The parameters of a fit as series and data frames, and Wald inference on linear functions of them.

c'beta (a parameter, a difference of two items, or several in a joint hypothesis) has variance c'Vc, V of the
model or by cluster, and is estimable if and only if c'n = 0 for every direction n along which the likelihood
is flat or grows without end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from ...errors import InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import FloatArray
from ..estimates import array_inference as inference
from ..estimates.covariance import unit_functions
from ..estimates.fit_record import Clustering, FitRecord, find_item, why_not_estimable
from ..estimates.predictions import ability_functions, find_group, group_label
from ..estimates.specification import LOG_WORTH_PER_UNIT, Value
from ..estimates.tails import chi_square_p, student_p, student_quantile

#: Most parameters of a covariance matrix in memory: 1 GB.
MOST_COVARIANCE = 12_000
#: From this many parameters on, the first few rows of a table are worked out alone.
_MANY = 1000


def estimates(fit: FitRecord) -> FloatArray:
    """float[n_params]: estimates; references 0, nan where not estimable."""
    return np.where(fit.estimable, fit.beta, np.nan)


def series(fit: FitRecord, values: FloatArray) -> pd.Series[float]:
    """Values, float[n_params], under the parameters' names."""
    return pd.Series(values, index=_index(fit.names))


@lru_cache(maxsize=64)  # making an index of names takes longer than fitting a small table
def _index(names: tuple[str, ...]) -> pd.Index[str]:
    return pd.Index(list(names))


def covariance_frame(fit: FitRecord) -> pd.DataFrame:
    """Covariance of the free parameters; see :meth:`pairproof.Fit.cov_params`."""
    keep = np.flatnonzero(fit.free)
    if len(keep) > MOST_COVARIANCE:
        raise TooLargeError(
            f"the covariance of {len(keep):,} parameters has {len(keep) ** 2:,} entries,"
            f" {8e-9 * len(keep) ** 2:.1f} GB (limit {MOST_COVARIANCE:,} parameters); fit.bse gives the"
            " standard errors, fit.contrast(a, b) that of a difference"
        )
    functions = unit_functions(keep, len(fit.terms))
    names = [fit.names[k] for k in keep]
    if not names:  # everything is separated or never compared
        return pd.DataFrame(np.zeros((0, 0)))
    return pd.DataFrame(fit.covariance.between(functions), index=names, columns=names)


def first_rows(fit: FitRecord, rows: int) -> pd.DataFrame:
    """The first rows of :meth:`pairproof.Fit.to_frame`, without computing the others."""
    known = "standard_errors" in vars(fit) and (fit.robust is None or "degrees_of_freedom" in vars(fit))
    if rows * 5 >= len(fit.terms) or known or (fit.robust is None and len(fit.terms) < _MANY):
        return parameter_frame(fit, 0.05).iloc[:rows]
    # the page and the summary in it show the same
    kept: pd.DataFrame | None = fit.__dict__.get("_first_rows")
    if kept is not None and len(kept) == rows:
        return kept
    free, functions = fit.free[:rows], np.eye(rows, len(fit.terms))
    se, df = np.full((2, rows), np.nan)
    if fit.robust is None:
        variances = np.diag(fit.covariance.between(functions))
        se[free], df[free] = np.sqrt(np.maximum(variances, 0.0))[free], np.inf
    else:
        se[free] = fit.robust.standard_errors(functions[free])
        df[free] = fit.robust.degrees_of_freedom(functions[free])
    fit.__dict__["_first_rows"] = frame = _frame(fit, se, df, 0.05)
    return frame


def parameter_frame(fit: FitRecord, alpha: float) -> pd.DataFrame:
    """estimate, se, z (or t and df), p, low, high by parameter; see :meth:`pairproof.Fit.to_frame`."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha={alpha}; expected a number between 0 and 1, 0.05 for 95 % intervals")
    return _frame(fit, fit.standard_errors, fit.degrees_of_freedom, alpha)


def _frame(fit: FitRecord, se: FloatArray, df: FloatArray, alpha: float) -> pd.DataFrame:
    """The table of the first parameters, of which these are the standard errors and degrees of freedom."""
    n = len(se)
    centre, half = np.where(fit.free, fit.beta, np.nan)[:n], student_quantile(1 - alpha / 2, df) * se
    ratio = centre / se
    columns = {"z": ratio} if fit.robust is None else {"t": ratio, "df": df}
    columns |= {"p": student_p(ratio, df), "low": centre - half, "high": centre + half}
    return pd.DataFrame({"estimate": estimates(fit)[:n], "se": se, **columns}, index=list(fit.names[:n]))


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % intervals")


def alpha_of(alpha: float, level: float | None = None) -> float:
    """1 minus a level; an alpha of one half or more is refused, because it will be a level."""
    if level is not None:
        check_level(level)
        return 1.0 - level
    if not 0 < alpha < 0.5:
        raise InputError(
            f"alpha={alpha!r}; expected 1 minus the confidence level, between 0 and 0.5: 0.05 for 95 % intervals; a level is given by its name,"
            " conf_int(level=0.95)"
        )
    return alpha


def linear_contrast(
    fit: FitRecord, function: FloatArray, what: str, level: float, per_unit: float
) -> inference.Contrast:
    """Estimate and Wald inference of function'beta; see :meth:`pairproof.Fit.contrast_of`."""
    check_level(level)
    if not fit.is_estimable(function[None, :]):
        raise NotEstimableError(f"{what} is not estimable from these data; {why_not_estimable(fit)}")
    estimate = float(function @ fit.beta)
    se, df = _spread(fit, function, what)
    z = estimate / se if se > 0 else float("nan")
    half = float(student_quantile(0.5 + level / 2, df)) * se
    p = float(student_p(np.array(z), df))
    log_odds = per_unit * estimate
    odds = float(np.exp(log_odds))
    return inference.Contrast(
        what, estimate, se, z, p, estimate - half, estimate + half, level, log_odds, odds, df
    )


def _spread(fit: FitRecord, function: FloatArray, what: str) -> tuple[float, float]:
    """Standard error of a linear function and degrees of freedom of its t, inf for the normal."""
    if fit.robust is None:
        return float(np.sqrt(max(fit.covariance.between(function[None, :])[0, 0], 0.0))), float("inf")
    se = float(fit.robust.standard_errors(function[None, :])[0])
    if np.isnan(se):
        raise NotEstimableError(f"{what} {_without_error(fit.robust, function)}")
    return se, float(fit.robust.degrees_of_freedom(function[None, :])[0])


def _without_error(robust: Clustering, function: FloatArray) -> str:
    columns = " and ".join(robust.columns) or "single answers"
    cluster = robust.alone(function)
    if cluster is None:
        return (
            f"has no standard error by {columns}: all clusters give exactly the same value, so there is no"
            " variation; the fit without clusters has one"
        )
    return f"is fitted from {cluster} alone: clustering by {columns} cannot give it a standard error"


def item_contrast(
    fit: FitRecord, a: str, b: str | None, group: str | None, at: Mapping[str, Value] | None, level: float
) -> inference.Contrast:
    """Ability of `a` minus ability of `b`, or a parameter; see :meth:`pairproof.Fit.contrast`."""
    if b is None:
        return _of_parameter(fit, a, group, at, level)
    where = find_group(fit, group, at)
    first, second = find_item(fit.items, a), find_item(fit.items, b)
    rows = ability_functions(fit, where, (first, second))
    place = group if group is not None else group_label(where)
    label = f"{a} - {b}" if place == "all" else f"{a} - {b} in {place}"
    return linear_contrast(fit, rows[0] - rows[1], label, level, LOG_WORTH_PER_UNIT[fit.scale])


def _of_parameter(
    fit: FitRecord, name: str, group: str | None, at: Mapping[str, Value] | None, level: float
) -> inference.Contrast:
    """A parameter that is not an item's ability, which has no other item to be compared with."""
    if name in fit.items or name not in fit.names or group is not None or at is not None:
        one = name if name in fit.items else fit.items[0]
        other = next((item for item in fit.items if item != one), "B")
        raise InputError(
            f"contrast({name!r}) names {'one item' if name in fit.items else 'no parameter'}; expected two items, as in"
            f" contrast({one!r}, {other!r}), or one parameter that is not an item,"
            f" without group and at: {', '.join([n for n in fit.names if n not in fit.items][:10]) or 'there is none'}"
        )
    k = fit.names.index(name)
    if fit.is_reference[k]:
        raise InputError(f"{name} is fixed at 0 ({fit.constraint}); there is nothing to estimate")
    per_unit = LOG_WORTH_PER_UNIT[fit.scale] if fit.terms[k].kind in ("item", "covariate") else 1.0
    return linear_contrast(fit, np.eye(len(fit.terms))[k], name, level, per_unit)


def _of_covariate(fit: FitRecord, name: str) -> list[str]:
    """The parameters of all terms of a covariate, but for references; that of its own name, if there is one."""
    of = [{t.covariate, *(c for c, _ in (*t.by, *t.of))} for t in fit.terms]
    rows = [k for k, found in enumerate(of) if name in found and not fit.is_reference[k]]
    if fit.spec.reference == "sum":  # the last item's follow from the others'
        rows = [k for k in rows if fit.terms[k].kind != "item" or fit.terms[k].item != fit.items[-1]]
    return [name] if name in fit.names or not rows else [fit.names[k] for k in rows]


def wald(fit: FitRecord, names: str | Sequence[str]) -> inference.WaldTest:
    """Wald test that all the named parameters are 0; see :meth:`pairproof.Fit.wald`."""
    asked = [names] if isinstance(names, str) else list(names)
    if not all(isinstance(name, str) for name in asked):
        raise InputError(
            f"wald({type(names).__name__}): expected names of parameters or of a covariate; a linear function of parameters is"
            " contrast_of(function, what)"
        )
    names = [parameter for name in asked for parameter in _of_covariate(fit, name)]
    unknown = [n for n in names if n not in fit.names]
    if unknown or not names:
        covariates = dict.fromkeys(
            c for t in fit.terms for c in (t.covariate, *(c for c, _ in (*t.by, *t.of))) if c
        )
        raise InputError(
            f"no parameters {unknown or 'were named'}; found {', '.join(fit.names[:30])}; or name a covariate for all of its parameters:"
            f" {', '.join(covariates) or 'this model has none'}"
        )
    if len(set(names)) != len(names):
        raise InputError(f"names={list(names)}; a parameter is named twice; list each parameter once")
    index = [fit.names.index(n) for n in names]
    fixed = [n for n, k in zip(names, index) if not fit.free[k]]
    if fixed:
        raise NotEstimableError(
            f"{', '.join(fixed)}: a reference or not estimable, so there is nothing to test"
        )
    functions, hypothesis = unit_functions(index, len(fit.terms)), " = ".join(names) + " = 0"
    covariance = fit.covariance if fit.robust is None else fit.robust.model_based
    _check_independent(covariance.between(functions), names)
    return joint_test(fit, functions, fit.beta[index], hypothesis)


def joint_test(
    fit: FitRecord, functions: FloatArray, values: FloatArray, hypothesis: str
) -> inference.WaldTest:
    """Test that q linear functions, float[q, n_params], with these estimates are 0: an F test of clusters, or Wald's."""
    q = len(functions)
    if fit.robust is not None:
        statistic, df, p = fit.robust.joint_test(functions, values)
        return inference.WaldTest(statistic, q, p, hypothesis, df, fit.robust.title)
    statistic = float(values @ np.linalg.solve(fit.covariance.between(functions), values))
    return inference.WaldTest(statistic, q, chi_square_p(statistic, q), hypothesis)


def _check_independent(cov: FloatArray, names: Sequence[str]) -> None:
    # All items of a centred term are linearly dependent: their covariance is singular, with no number to
    # report.
    scale = np.sqrt(np.diag(cov))
    if np.linalg.matrix_rank(cov / np.outer(scale, scale), tol=1e-10) < len(names):
        raise NotEstimableError(
            f"{', '.join(names)} are linearly dependent (they sum to a constant); leave one out"
        )
