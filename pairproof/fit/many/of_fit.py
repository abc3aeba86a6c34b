"""From a fit to the abilities of its items, with standard errors and degrees of freedom of all differences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError
from ..predictions import ability_functions, find_group
from ..record import FitRecord, why_not_estimable
from ..spec import Value
from .simultaneous import Abilities

FloatArray = NDArray[np.float64]


def abilities_of(
    fit: FitRecord, group: str | None = None, at: Mapping[str, Value] | None = None
) -> Abilities:
    """Abilities on the fit's scale, in one group.

    Raises
    ------
    NotEstimableError
        No difference of items can be estimated.
    """
    functions = ability_functions(fit, find_group(fit, group, at))
    n = len(fit.items)
    covariance = fit.covariance.between(functions)
    first, second = np.triu_indices(n, 1)
    differences = functions[first] - functions[second]
    known = fit.vanishes(differences @ fit.null_space)
    if not known.any():
        raise NotEstimableError(
            f"no difference of items is estimable from these data; {why_not_estimable(fit)}"
        )
    if fit.robust is None:
        se = np.sqrt(
            np.maximum(
                np.diag(covariance)[first] + np.diag(covariance)[second] - 2 * covariance[first, second], 0
            )
        )
        df = np.full(len(first), np.inf)
    else:
        se = fit.robust.standard_errors(differences)
        df = np.array(
            [
                fit.robust.degrees_of_freedom(d) if ok else np.nan
                for d, ok in zip(differences, np.isfinite(se))
            ]
        )
    se = np.where(known, se, np.nan)

    def both(values: FloatArray) -> FloatArray:
        out = np.full((n, n), np.nan)
        out[first, second] = out[second, first] = values
        return out

    return Abilities(fit.items, functions @ fit.beta, covariance, both(se), both(df))
