"""What the columns of a design of contests are: items, items times a covariate, the order effect, ties,
covariates.

    z = what a column adds to the log-odds / what the item's own column adds

is a covariate of the contest where the item takes part, and 0 / 0 elsewhere, where it is not told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .block import EXACT
from .contests import Contests
from .covariates import Variable

FloatArray = NDArray[np.float64]

#: Largest difference of the two designs, of entries of size 1, that rounding leaves in least squares.
SAME_SPACE = 1e-8


@dataclass
class Found:
    """What the columns of a design were found to be.

    of_all: items times a covariate, nan where it is not told.  terms: item covariates.  ties: tie parameters
    times a covariate.  tie: whether there is one of all contests.  order: R's name of the order effect; "" if
    there is none.
    """

    of_all: dict[str, dict[int, FloatArray]] = field(default_factory=dict)
    terms: dict[str, FloatArray] = field(default_factory=dict)
    of_terms: dict[str, dict[str, FloatArray]] = field(default_factory=dict)
    ties: dict[str, FloatArray] = field(default_factory=dict)
    tie: bool = False
    order: str = ""
    comparison: dict[str, FloatArray] = field(default_factory=dict)


def signs_of(contests: Contests, n_items: int) -> FloatArray:
    rows = np.arange(len(contests))
    signs = np.zeros((len(contests), n_items))
    signs[rows, contests.first] = 1.0
    signs[rows, contests.second] = -1.0
    return signs


def spans_items(contests: Contests, signs: FloatArray) -> bool:
    """Whether free abilities of all items are in the span of the coefficients."""
    return _within(contests.logit, signs[:, :-1])


def _within(span: FloatArray, columns: FloatArray) -> bool:
    if not span.shape[1]:
        return False
    by, *_ = np.linalg.lstsq(span, columns, rcond=None)
    return bool(np.abs(span @ by - columns).max(initial=0.0) < SAME_SPACE)


def read_columns(
    contests: Contests,
    names: Sequence[str],
    labels: Sequence[str],
    signs: FloatArray,
    size: float,
    covariates: dict[str, FloatArray] | None,
) -> Found:
    found = Found()
    later: list[tuple[str, FloatArray]] = []
    by, *_ = np.linalg.lstsq(signs[:, :-1], contests.logit, rcond=None)
    of_items = np.abs(signs[:, :-1] @ by - contests.logit).max(axis=0, initial=0.0) < SAME_SPACE
    for k, name in enumerate(names):
        logit, tie = contests.logit[:, k], contests.tie[:, k]
        if np.abs(tie).max(initial=0.0) > EXACT and np.abs(logit).max(initial=0.0) < EXACT:
            _read_tie(found, name, tie)
        elif of_items[k]:
            if covariates is not None:
                found.terms[name] = _item_values(signs, logit / size, covariates.get(name))
        elif not found.order and _of_one_size(logit, contests.rows.shape[1] > 1):
            found.order = name
        else:
            later.append((name, logit))
    for name, logit in later:
        _read_covariate(found, name, labels, signs, logit, size)
    return found


def _of_one_size(logit: FloatArray, either_side: bool) -> bool:
    """Whether a column is the order effect: the same in all rows, but for which item is taken as the
    first.
    """
    size = np.abs(logit) if either_side else logit
    return bool(size.min() > EXACT and size.max() - size.min() < EXACT)


def _read_tie(found: Found, name: str, tie: FloatArray) -> None:
    if tie.max() - tie.min() < EXACT:
        found.tie = True
    else:
        found.ties[name] = tie


def _item_values(signs: FloatArray, logit: FloatArray, known: FloatArray | None) -> FloatArray:
    """Values of an item covariate: those that the data say where they fit, else with the last item's 0."""
    if known is not None:
        column = signs @ known
        size = np.abs(column).max(initial=0.0)
        if size > EXACT:
            by = float(logit @ column / (column @ column))
            if np.abs(column * by - logit).max() < SAME_SPACE:
                return np.asarray(known, dtype=float)
    values = np.zeros(signs.shape[1])
    values[:-1] = np.linalg.lstsq(signs[:, :-1], logit, rcond=None)[0]
    return np.round(values, 12)


def _read_covariate(
    found: Found, name: str, labels: Sequence[str], signs: FloatArray, logit: FloatArray, size: float
) -> None:
    """A column that is a term times a covariate of the contest, or a covariate of the contest itself."""
    parts = name.split(":")
    for term, values in found.terms.items():
        z = _ratio(signs @ values, logit / size)
        if z is not None:
            found.of_terms.setdefault(term, {})[rest_of(parts, term)] = z
            return
    if not found.terms:
        # The item that R's name says first, for a column may be 0 but in rows of one pair.
        said = sorted(range(len(labels)), key=lambda k: labels[k] not in parts)
        for k in said:
            z = _ratio(signs[:, k], logit / size)
            if z is not None:
                found.of_all.setdefault(rest_of(parts, labels[k]), {})[k] = z
                return
    found.comparison[name] = logit


def rest_of(parts: Sequence[str], term: str) -> str:
    return ":".join(p for p in parts if p != term) or ":".join(parts)


def _ratio(column: FloatArray, logit: FloatArray) -> FloatArray | None:
    """logit / column, nan where column is 0; None if logit is not 0 there."""
    told = np.abs(column) > EXACT
    if np.abs(logit[~told]).max(initial=0.0) > EXACT or not told.any():
        return None
    z = np.full(len(column), np.nan)
    z[told] = logit[told] / column[told]
    return z


def of_whole_factors(
    found: Found, variables: Sequence[Variable]
) -> tuple[Found, tuple[Variable, ...]] | None:
    """The same columns with factors in the place of indicators of their levels, of which R left out some.

    R leaves out columns that others determine, one by one and not a level for all items; None where no item
    has an indicator of its own.
    """
    whole: dict[str, Variable] = {}
    left: dict[str, dict[int, FloatArray]] = {}
    for name, of in found.of_all.items():
        for k, z in of.items():
            factor = next((v for v in variables if v.levels and _is_indicator(v, z)), None)
            if factor is None:
                left.setdefault(name, {})[k] = z
            else:
                whole[factor.name] = factor
    return (replace(found, of_all=left), tuple(whole.values())) if whole else None


def _is_indicator(factor: Variable, z: FloatArray) -> bool:
    told = ~np.isnan(z)
    own = np.array(factor.values, dtype=object)
    return any(np.abs(z[told] - (own[told] == level)).max(initial=0.0) < EXACT for level in factor.levels)


def by_items(
    found: Found, items: Sequence[str]
) -> tuple[dict[str, FloatArray], dict[int, dict[str, FloatArray]]]:
    """Covariates of all items, and of single ones: of J items J - 1 are all, for the sum of their columns is
    0.
    """
    common: dict[str, FloatArray] = {}
    single: dict[int, dict[str, FloatArray]] = {}
    for name, of in found.of_all.items():
        stacked = np.stack(list(of.values()))
        high, low = np.nanmax(_filled(stacked, -np.inf), axis=0), np.nanmin(_filled(stacked, np.inf), axis=0)
        told = np.isfinite(high)
        same = bool((np.abs(high[told] - low[told]) < EXACT).all())
        if len(of) >= len(items) - 1 and same:
            common[name] = np.where(told, high, np.nan)
        elif same:
            for k in of:
                single.setdefault(k, {})[name] = np.where(told, high, np.nan)
        else:
            for k, z in of.items():
                single.setdefault(k, {})[f"{name} of {items[k]}"] = z
    return common, single


def _filled(stacked: FloatArray, by: float) -> FloatArray:
    return np.where(np.isnan(stacked), by, stacked)
