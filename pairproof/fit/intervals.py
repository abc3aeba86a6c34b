"""Confidence intervals of worths and probabilities, which stay inside 0 and 1.

With p a worth or the probability of an outcome, and se its standard error by the delta method, the limits are
those of log(p / (1 - p)), whose standard error is se / (p (1 - p)), turned back::

    logit(p) -+ q se / (p (1 - p))

q is the quantile of the normal distribution, or with standard errors by cluster that of Student's t on the
degrees of freedom of the derivative of p.  For a worth the derivative by the parameters is w_i (c_i - sum over k
of w_k c_k), c_i the log worth of item i as a linear function of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLargeError
from .comparison_values import comparison_function
from .family import LOG_WORTH_PER_UNIT
from .item_sets import of_two_or_more
from .outcomes import OutcomeModel, outcome_probabilities
from .predictions import ability_functions, find_group, sets_of_items, tie_parameter, worth_functions
from .record import FitRecord
from .spec import Value
from .tails import student_quantile

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
#: Rows of a table of probabilities with limits at most; each takes three linear functions of the parameters.
MOST_ROWS = 50_000


def limits(p: FloatArray, se: FloatArray, df: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of numbers in (0, 1), made on the logit scale; nan where p is 0 or 1 or has no standard error.

    p, se float[m].  df float[m]: degrees of freedom; inf for the normal distribution.  Returns (float[m],
    float[m]): lower and upper limits.
    """
    inside = (p > 0.0) & (p < 1.0)
    at = np.where(inside, p, 0.5)
    centre = np.where(inside, np.log(at) - np.log1p(-at), np.nan)
    half = student_quantile(0.5 + level / 2, df) * se / (at * (1.0 - at))
    return _expit(centre - half), _expit(centre + half)


def _expit(x: FloatArray) -> FloatArray:
    out: FloatArray = 0.5 * (1.0 + np.tanh(0.5 * x))
    return out


def spread(fit: FitRecord, functions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard errors of linear functions, float[m, n_params], and degrees of freedom; inf for the normal."""
    if fit.robust is not None:
        return fit.robust.standard_errors(functions), fit.robust.degrees_of_freedom(functions)
    products = [fit.covariance.product(f) for f in functions]
    variances = np.einsum("ij,ij->i", functions, np.reshape(products, functions.shape))
    return np.sqrt(np.maximum(variances, 0.0)), np.full(len(functions), np.inf)


def worth_limits(
    fit: FitRecord, frame: pd.DataFrame, at: Mapping[str, Value] | None, level: float
) -> pd.DataFrame:
    """A table of worths with the limits of each; see :meth:`pairproof.Fit.worth`."""
    out = frame.copy()
    low, high = np.full(len(frame), np.nan), np.full(len(frame), np.nan)
    for name in dict.fromkeys(frame["group"]):
        rows = np.flatnonzero(frame["group"] == name)
        p, se = frame["worth"].to_numpy()[rows], frame["se"].to_numpy()[rows]
        df = np.full(len(rows), np.inf)
        if fit.robust is not None:
            where = find_group(fit, None if at is not None else str(name), at)
            for items in of_two_or_more(sets_of_items(fit, where)):
                functions = worth_functions(fit, ability_functions(fit, where, items))[1]
                df[items] = fit.robust.degrees_of_freedom(functions)
        low[rows], high[rows] = limits(p, se, df, level)
    out["low"], out["high"] = low, high
    return out


def outcome_derivatives(u: FloatArray, g: FloatArray, model: OutcomeModel) -> tuple[FloatArray, FloatArray]:
    """Derivatives of P(first), P(tie), P(second) by the log-odds and by the tie parameter.

    u, g float[m].
    """
    p = outcome_probabilities(u, g, model)
    first, tie, second = p.T
    if model == "rao-kupper":
        up, down = first * (1.0 - first), second * (1.0 - second)
        return np.stack([up, down - up, -down], 1), np.stack([-up, up + down, -down], 1)
    d = first - second
    by_u = np.stack([first * (1.0 - d), -tie * d, -second * (1.0 + d)], 1) / 2.0
    if model == "binary":
        product = first * second
        return np.stack([product, np.zeros_like(product), -product], 1), np.zeros_like(by_u)
    return by_u, np.stack([-tie * first, tie * (1.0 - tie), -tie * second], 1)


def with_limits(
    fit: FitRecord,
    frame: pd.DataFrame,
    at: Mapping[str, Value] | None,
    order: bool,
    level: float,
    comparison: Mapping[str, Value] | None = None,
) -> pd.DataFrame:
    """A table of probabilities, with the limits of each; see :meth:`pairproof.Fit.probabilities`."""
    if len(frame) > MOST_ROWS:
        raise TooLargeError(
            f"limits of {len(frame):,} rows of probabilities (limit {MOST_ROWS:,} rows); name some items:"
            " items=[...], or a group"
        )
    out = frame.copy()
    columns = ("p_first", "p_tie", "p_second")
    found = np.full((len(frame), 3, 2), np.nan)
    place = {name: k for k, name in enumerate(fit.items)}
    for name in dict.fromkeys(frame["group"]):
        rows = np.flatnonzero((frame["group"] == name) & frame["p_first"].notna())
        where = find_group(fit, None if at is not None else str(name), at)
        abilities = LOG_WORTH_PER_UNIT[fit.scale] * ability_functions(fit, where)
        first = np.array([place[item] for item in frame["first"].iloc[rows]], dtype=np.int64)
        second = np.array([place[item] for item in frame["second"].iloc[rows]], dtype=np.int64)
        eta = abilities[first] - abilities[second]
        ties = np.zeros(len(fit.terms))
        for k, term in enumerate(fit.terms):
            if term.kind == "tie":
                ties[k] = term.multiplier(where)
            elif order and term.kind == "order":
                eta[:, k] += term.multiplier(where)
        if comparison is not None:
            eta += comparison_function(fit, comparison, where)
        u = eta @ fit.beta
        g = np.full(len(rows), tie_parameter(fit, where))
        by_u, by_g = outcome_derivatives(u, g, fit.outcome_model)
        for y, column in enumerate(columns):
            functions = by_u[:, [y]] * eta + by_g[:, [y]] * ties
            p = frame[column].to_numpy()[rows]
            low_high = limits(p, *spread(fit, functions), level)
            found[rows, y] = np.stack(low_high, axis=1)
    for y, column in enumerate(columns):
        out[f"{column}_low"], out[f"{column}_high"] = found[:, y, 0], found[:, y, 1]
    return out
