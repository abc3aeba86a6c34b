"""Wald inference on linear functions of a fit's parameters: differences of two items, joint hypotheses.

c'beta has variance c'Vc, V of the model or by cluster, and is estimable if and only if c'n = 0 for every direction n along which the
likelihood is flat or grows without end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, NotEstimableError
from . import inference
from .family import LOG_WORTH_PER_UNIT
from .predictions import ability_functions, find_group, group_label
from .record import FitRecord, find_item, why_not_estimable
from .robust.clustering import Clustering
from .spec import Value
from .tails import student_p, student_quantile

FloatArray = NDArray[np.float64]


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % intervals")


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
    columns = " and ".join(robust.columns)
    cluster = robust.alone(function)
    if cluster is None:
        return (
            f"has no standard error by {columns}: all clusters say exactly the same of it, so that they show no spread;"
            " the fit without clusters has one"
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
    """A parameter that is no item's ability, which has no other item to be compared with."""
    if name in fit.items or name not in fit.names or group is not None or at is not None:
        one = name if name in fit.items else fit.items[0]
        other = next((item for item in fit.items if item != one), "B")
        raise InputError(
            f"contrast({name!r}) names {'one item' if name in fit.items else 'no parameter'}; expected two items, as in"
            f" contrast({one!r}, {other!r}), or one parameter that is no item,"
            f" without group and at: {', '.join([n for n in fit.names if n not in fit.items][:10]) or 'there is none'}"
        )
    k = fit.names.index(name)
    if fit.is_reference[k]:
        raise InputError(f"{name} is held at 0 ({fit.constraint}); there is nothing to estimate")
    per_unit = LOG_WORTH_PER_UNIT[fit.scale] if fit.terms[k].kind in ("item", "covariate") else 1.0
    return linear_contrast(fit, np.eye(len(fit.terms))[k], name, level, per_unit)


def wald(fit: FitRecord, names: Sequence[str]) -> inference.WaldTest:
    """Wald test that all the named parameters are 0; see :meth:`pairproof.Fit.wald`."""
    if isinstance(names, str):
        raise InputError(f"names={names!r}; expected a list of parameter names, for example [{names!r}]")
    unknown = [n for n in names if n not in fit.names]
    if unknown or not names:
        raise InputError(f"no parameters {unknown}; there are {', '.join(fit.names[:30])}")
    if len(set(names)) != len(names):
        raise InputError(
            f"names={list(names)}; a parameter is named twice, so the hypothesis has fewer parts than names"
        )
    index = [fit.names.index(n) for n in names]
    fixed = [n for n, k in zip(names, index) if not fit.free[k]]
    if fixed:
        raise NotEstimableError(
            f"{', '.join(fixed)}: a reference or not estimable, so there is nothing to test"
        )
    functions = np.zeros((len(index), len(fit.terms)))
    functions[np.arange(len(index)), index] = 1.0
    cov, b = fit.covariance.between(functions), fit.beta[index]
    hypothesis = " = ".join(names) + " = 0"
    if fit.robust is not None:
        _check_independent(fit.robust.model_based.between(functions), names)
        statistic, df, p = fit.robust.joint_test(functions, b)
        return inference.WaldTest(statistic, len(index), p, hypothesis, df, fit.robust.title)
    _check_independent(cov, names)
    statistic = float(b @ np.linalg.solve(cov, b))
    return inference.WaldTest(
        statistic, len(index), inference.chi_square_p(statistic, len(index)), hypothesis
    )


def _check_independent(cov: FloatArray, names: Sequence[str]) -> None:
    # All items of a centred term are linearly dependent: their covariance is singular, with no number to
    # report.
    scale = np.sqrt(np.diag(cov))
    if np.linalg.matrix_rank(cov / np.outer(scale, scale), tol=1e-10) < len(names):
        raise NotEstimableError(
            f"{', '.join(names)} are linearly dependent (they sum to a constant); leave one out"
        )
