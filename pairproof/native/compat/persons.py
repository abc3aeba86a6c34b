"""Defects about persons and their covariates: B5, B10, B12, B13, A2, A4."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...data.columns import Column, Factor, FloatArray, IntArray
from ...errors import InputError
from ..pairs.formula import parse
from .call import Call


def any_column_missing(call: Call) -> Call | None:
    """B13: persons without a value in any column are left out (patt.design: or without an answer)."""
    missing = call.missing(list(call.table.columns))
    if call.function == "patt.design":
        missing |= (call.table.once == 9).any(axis=1)
    return call.select(~missing) if missing.any() else None


def persons_without_covariate(call: Call) -> Call | None:
    """A2: persons without a value of a covariate of the model are left out."""
    missing = call.missing(call.covariates)
    return call.select(~missing) if missing.any() else None


def rows_shifted(call: Call) -> Call | None:
    """B5: answers and covariates of different persons come together."""
    if not call.covariates:
        return None
    lost = call.missing(call.covariates)
    kept = np.flatnonzero(~lost)
    n = call.n_rows
    if call.function == "pattR.fit":
        return _empty_rankings_removed(call, kept)
    if not lost.any():
        return None
    if call.function == "llbt.design":
        # The answers of the first rows, as many as have the covariate, beside the covariates of those that
        # have it.
        numbers = [k for k in call.covariates if not isinstance(call.table.columns[k], Factor)]
        return call.shifted(np.arange(len(kept)), kept) if numbers else None
    # pattRrep.fit: all answers; R repeats the shorter covariate from its beginning.
    return call.shifted(np.arange(n), kept[np.arange(n) % len(kept)])


def _empty_rankings_removed(call: Call, kept: IntArray) -> Call | None:
    """pattR.fit: rows without a rank leave the answers, and the covariates stay."""
    ranked = np.flatnonzero((call.table.answers[:, 0] > 0).any(axis=1))
    if len(ranked) == call.n_rows:
        return None
    rows = kept[kept < len(ranked)]
    return call.shifted(ranked[rows], rows)


def gap_in_the_levels(call: Call) -> Call | None:
    """B12: the persons of the i-th group that occurs have the i-th row of the table of all levels 1..K."""
    names = [k for k in call.covariates if isinstance(call.table.columns[k], Factor)]
    if not names:
        return None
    values = [call.values(k) for k in names]
    if any(np.isnan(v).any() for v in values):
        return None  # these are left out or shifted first
    largest = [int(v.max()) for v in values]
    observed = [np.unique(v) for v in values]
    if all(len(o) == k for o, k in zip(observed, largest)):
        return None
    number, step = np.zeros(call.n_rows, np.int64), 1
    for v, o in zip(values, observed):  # the first covariate changes fastest
        number += np.searchsorted(o, v) * step
        step *= len(o)
    columns: dict[str, Column] = dict(call.table.columns)
    for name, k in zip(names, largest):
        columns[name] = Factor(number % k, tuple(str(level + 1) for level in range(k)))
        number = number // k
    return call.rebuilt(call.table.answers, columns=columns)


def covariate_not_in_elim(call: Call) -> Call | None:
    """B10: the model loses covariates that do not divide the table."""
    if call.elim is None or not call.elim:
        return None  # prefmod then takes elim = formel
    kept = [product for product in parse(call.by).item if {v.name for v in product} <= set(call.elim)]
    if len(kept) == len(parse(call.by).item):
        return None
    return replace(call, by=" + ".join(":".join(_spelt(v.name) for v in product) for product in kept))


def _spelt(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


def covariate_rounded(call: Call) -> Call | None:
    """A4: numeric covariates with the decimals that seven significant digits of the smallest need."""
    columns: dict[str, Column] = dict(call.table.columns)
    changed = False
    for name in call.covariates:
        column = columns[name]
        if not isinstance(column, Factor):
            rounded = seven_digits(column)
            changed = changed or not np.array_equal(rounded, column, equal_nan=True)
            columns[name] = rounded
    return call.rebuilt(call.table.answers, columns=columns) if changed else None


def seven_digits(values: FloatArray) -> FloatArray:
    """Numbers as R's format() writes a column: the decimals that seven significant digits of each need.

    values float[n]: nan stays nan.  Returns float[n].
    """
    if np.isinf(values).any():
        raise InputError("a covariate is infinite; expected finite numbers")
    finite = values[~np.isnan(values)]
    decimals = max((_decimals(float(v)) for v in finite), default=0)
    return np.round(values, decimals)


def _decimals(value: float) -> int:
    """Decimals of a number with seven significant digits, without zeros at the end."""
    if value == 0:
        return 0
    places = 6 - math.floor(math.log10(abs(value)))
    text = f"{value:.{max(places, 0)}f}"
    return len(text.rstrip("0").partition(".")[2]) if "." in text else 0
