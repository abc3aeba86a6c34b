"""The comparison terms of a fit at given values of their columns.

A term is the log-odds in favour of the item named first, times the product of its columns: numbers, or 1 in the rows
of a level of a factor.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Factor, numbers_as_levels
from ..errors import InputError
from .record import FitRecord
from .spec import Term, Value

FloatArray = NDArray[np.float64]


def comparison_function(
    fit: FitRecord, values: Mapping[str, Value], group: Mapping[str, Value]
) -> FloatArray:
    """float[n_params]: the comparison terms at given values of their columns, in favour of the item named first.

    A column that is also a subject covariate has its value from the group, unless `values` has it.
    """
    levels: dict[str, list[str] | None] = {}
    for term in fit.terms:
        for column, level in term.of:
            if level is None:
                levels[column] = None
            else:
                known = fit.data.columns[column]
                levels[column] = (
                    list(known.levels) if isinstance(known, Factor) else list(numbers_as_levels(known)[0])
                )
    given = {**{c: v for c, v in group.items() if c in levels}, **values}
    unknown = [c for c in given if c not in levels]
    absent = [c for c in levels if c not in given]
    if unknown or absent:
        raise InputError(
            f"comparison={dict(values)}; expected a value for each of {sorted(levels) or 'no column'}, the columns of"
            " the model's comparison_terms"
        )
    for column, known_levels in levels.items():
        value = given[column]
        if known_levels is None and (isinstance(value, str) or not np.isfinite(value)):
            raise InputError(
                f"comparison: {column}={value!r}; the model has a slope on it, so a number is expected"
            )
        if known_levels is not None and value not in known_levels:
            raise InputError(
                f"comparison: {column}={value!r}; its levels are {', '.join(map(repr, known_levels[:20]))}"
            )
    return np.array([_of_row(term, given) if term.kind == "comparison" else 0.0 for term in fit.terms])


def _of_row(term: Term, given: Mapping[str, Value]) -> float:
    value = 1.0
    for column, level in term.of:
        value *= float(given[column]) if level is None else float(given[column] == level)
    return value
