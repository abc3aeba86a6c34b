"""Linear predictors and probabilities of every row of the table of a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....fit.contests.fit import ContestFit
from ....fit.contests.mixed import MixedFit
from ....fit.family import LOG_WORTH_PER_UNIT
from ....fit.fit import Fit
from ....fit.outcomes import outcome_probabilities
from ....fit.predictions import item_covariate
from ...pairs.build import order_column
from ..effects import effects_of
from ..rows import contest_rows

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a fit, as they entered the likelihood.

    `first`, second int[n_rows].  counts float[n_rows, 3]: first preferred, tie, second preferred.  eta
    float[n_rows]: linear predictors; nan where they are not estimable.  probabilities float[n_rows, 3].
    certain bool[n_rows]: rows whose predictor is not estimable: with a contest, its result is certain in the
    limit.
    """

    first: IntArray
    second: IntArray
    counts: FloatArray
    eta: FloatArray
    probabilities: FloatArray
    certain: BoolArray

    @property
    def totals(self) -> FloatArray:
        """float[n_rows]: contests."""
        return np.asarray(self.counts.sum(axis=1))


def rows_of(fit: Fit) -> Rows:
    """Linear predictors and probabilities of every row of a fit's table.

    fit: of comparisons.
    """
    table = fit.data.with_ties_treated(fit.ties)
    counts = np.stack([table.wins, table.ties, table.losses], axis=1).astype(float)
    eta, along = _predictors(fit, table)
    certain = ~fit.vanishes(along)
    eta = np.where(certain, np.nan, eta)
    if isinstance(fit, ContestFit):
        rows = contest_rows(fit.data, fit.of_contests)
        eta = eta + rows.design.offset
        if isinstance(fit, MixedFit):
            for number, component in enumerate(fit.components):
                effects = effects_of(rows, component.name)
                own = fit.predicted_effects.component == number
                u = np.append(fit.predicted_effects.theta[: len(own)][own], 0.0)
                u *= LOG_WORTH_PER_UNIT[fit.scale]
                eta = eta + u[effects.first] - u[effects.second]
        places = [k for k, t in enumerate(fit.terms) if t.kind in ("tie", "tie-of")]
        p = fit.outcomes.probabilities(eta, rows.home, fit.beta[places])
    else:
        p = np.full((len(eta), 3), np.nan)
        known = np.isfinite(eta)
        p[known] = outcome_probabilities(eta[known], _ties(fit, table)[known], fit.outcome_model)
    return Rows(table.first, table.second, counts, eta, p, certain)


def _predictors(fit: Fit, table: Comparisons) -> tuple[FloatArray, FloatArray]:
    """Linear predictors in log-odds, float[n_rows], and how they move along the null directions, float[n_rows, k]."""
    n, k, unit = len(fit.items), fit.null_space.shape[1], LOG_WORTH_PER_UNIT[fit.scale]
    both = np.column_stack([fit.beta, fit.null_space])
    abilities: dict[tuple[tuple[str, str | None], ...], FloatArray] = {}
    out = np.zeros((table.n_rows, 1 + k))
    place = {item: i for i, item in enumerate(fit.items)}
    for term, values in zip(fit.terms, both):
        if term.kind == "item" and term.item is not None:
            abilities.setdefault(term.by, np.zeros((n, 1 + k)))[place[term.item]] += values
        elif term.kind == "covariate":
            x = item_covariate(fit, term)
            abilities.setdefault(term.by, np.zeros((n, 1 + k)))[:] += np.outer(x, values)
        elif term.kind == "order":
            out += np.outer(order_column(fit.data) * _product(term.by, table), values)
        elif term.kind == "comparison":
            out += np.outer(_product((*term.of, *term.by), table), values)
    for by, a in abilities.items():
        out += unit * (a[table.first] - a[table.second]) * _product(by, table)[:, None]
    return out[:, 0], out[:, 1:]


def _ties(fit: Fit, table: Comparisons) -> FloatArray:
    """float[n_rows]: the tie parameter of each row."""
    if fit.outcome_model == "binary":
        return np.full(table.n_rows, -np.inf)
    places = [k for k, t in enumerate(fit.terms) if t.kind == "tie"]
    if any(k for k in places if not fit.estimable[k]) and not fit.data.ties.any():
        return np.full(table.n_rows, -np.inf)
    return sum((fit.beta[k] * _product(fit.terms[k].by, table) for k in places), np.zeros(table.n_rows))


def _product(by: tuple[tuple[str, str | None], ...], table: Comparisons) -> FloatArray:
    """float[n_rows]: the product of columns that a term is multiplied with."""
    value = np.ones(table.n_rows)
    for name, level in by:
        column = table.columns[name]
        if isinstance(column, Factor):
            value *= column.codes == column.levels.index(str(level))
        else:  # a numeric column is a slope, or the factor C(column) whose levels are its numbers
            value *= column if level is None else column == float(level)
    return value
