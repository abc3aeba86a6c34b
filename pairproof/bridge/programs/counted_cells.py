"""Builds the table that R receives: the comparisons of a fit counted by cell, one row per cell that is not
empty.

The native engine is not used here: pandas counts the rows, from the comparisons and the names of the fit's
parameters.  A cell is a combination of an unordered pair, the values of the covariates in the model, those of
`cells=`, the values of the comparison terms in favour of the item that comes first in `items`, and who was named
first if the model has an order effect.  Wins are those of the item that comes
first in `items`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor
from ...data.comparisons import Comparisons
from ...fit.fit import Fit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Covariate:
    """A subject covariate of the model.  values float[n_cells]."""

    name: str
    levels: tuple[str, ...]
    values: FloatArray

    @property
    def categorical(self) -> bool:
        return bool(self.levels)


@dataclass(frozen=True, eq=False)
class CountedCells:
    """The comparisons of a fit as counts by cell.  `first`, second int[n_cells]; wins, losses float[n_cells];
    ties float[n_cells]; order float[n_cells].
    """

    items: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    losses: FloatArray
    ties: FloatArray | None
    order: FloatArray | None
    covariates: tuple[Covariate, ...]
    label: tuple[str, ...]
    table: Comparisons
    clusters: Mapping[str, IntArray] = field(default_factory=dict)
    comparison: Mapping[str, FloatArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """The names of each cell's two items."""
        return [self.items[k] for k in self.first], [self.items[k] for k in self.second]

    @cached_property
    def counts(self) -> FloatArray:
        """float[n_cells, 2 or 3]: wins, (ties,) losses."""
        return np.stack([c for c in (self.wins, self.ties, self.losses) if c is not None], axis=1)

    @property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return bool((self.counts == np.floor(self.counts)).all())

    def covariate(self, name: str) -> Covariate:
        return next(c for c in self.covariates if c.name == name)

    @property
    def poisson_constant(self) -> float:
        """Poisson log-likelihood of the cells minus that of the comparisons: sum(n log n - n) - sum log y!."""
        from scipy.special import gammaln, xlogy

        n = self.counts.sum(axis=1)
        return float(np.sum(xlogy(n, n) - n) - np.sum(gammaln(self.counts + 1.0)))

    @property
    def binomial_constant(self) -> float:
        """Binomial log-likelihood of these cells minus that of the comparisons: sum log choose(n, wins)."""
        from scipy.special import gammaln

        n = self.wins + self.losses
        return float(np.sum(gammaln(n + 1.0) - gammaln(self.wins + 1.0) - gammaln(self.losses + 1.0)))


def count(fit: Fit, clusters: Sequence[str] = ()) -> CountedCells:
    """The cells on which a fit's deviance is taken; with `clusters` those of each cluster apart."""
    import pandas as pd

    fit.spec.check_held("what R is asked of the table's rows")
    table = treated(fit)
    used = table.wins + table.ties + table.losses > 0
    back = table.first > table.second
    frame = pd.DataFrame(
        {
            "first": np.where(back, table.second, table.first),
            "second": np.where(back, table.first, table.second),
            "order": np.where(back, -1.0, 1.0) * order_of(table) if fit.spec.order_effect else 0.0,
        }
    )
    known = {name: _coded(table.columns[name], categorical, used) for name, categorical in covariates_of(fit)}
    for name, (_, values) in known.items():
        frame[f"covariate {name}"] = values
    of_rows = comparison_columns(fit, table, used)
    for name, values in of_rows.items():
        frame[f"comparison {name}"] = np.where(back, -values, values) + 0.0  # no -0
    if clusters:
        for name in clusters:
            frame[f"cluster {name}"] = _cluster_codes(table.columns[name], used)
    elif fit.spec.cells == ("row",):
        frame["cell row"] = np.arange(table.n_rows)
    else:
        for name in fit.spec.cells:
            frame[f"cell {name}"] = _coded(table.columns[name], True, used)[1]
    keys = list(frame.columns)
    frame["wins"], frame["ties"] = np.where(back, table.losses, table.wins), table.ties
    frame["losses"] = np.where(back, table.wins, table.losses)
    counted = frame[used].groupby(keys, sort=True, as_index=False)[["wins", "ties", "losses"]].sum()
    column = {c: counted[c].to_numpy() for c in counted.columns}
    width = len(str(len(counted)))
    ties = column["ties"] if table.tie_category else None
    order = column["order"] if fit.spec.order_effect else None
    covariates = tuple(
        Covariate(name, levels, column[f"covariate {name}"].astype(float))
        for name, (levels, _) in known.items()
    )
    names = tuple(f"c{k:0{width}d}" for k in range(len(counted)))
    first, second, wins, losses = (column[name] for name in ("first", "second", "wins", "losses"))
    apart = {name: column[f"cluster {name}"].astype(np.int64) for name in clusters}
    comparison = {name: column[f"comparison {name}"] for name in of_rows}
    return CountedCells(
        table.items, first, second, wins, losses, ties, order, covariates, names, table, apart, comparison
    )


def rows_as_they_stand(fit: Fit) -> CountedCells:
    """The rows of the table, each a cell from the side of the item named first."""
    table = treated(fit)
    used = table.wins + table.ties + table.losses > 0
    covariates = (
        Covariate(name, *_coded(table.columns[name], categorical, used))
        for name, categorical in covariates_of(fit)
    )
    return CountedCells(
        *(table.items, table.first, table.second, table.wins, table.losses),
        table.ties if table.tie_category else None,
        order_of(table) if fit.spec.order_effect else None,
        tuple(covariates),
        (),
        table,
        comparison=comparison_columns(fit, table, used),
    )


def treated(fit: Fit) -> Comparisons:
    """The comparisons as they entered the likelihood: with ties kept, dropped, or counted as half wins."""
    return fit.data.with_ties_treated(fit.ties)


def covariates_of(fit: Fit) -> tuple[tuple[str, bool], ...]:
    """(name, whether categorical) of every subject covariate in the model, in the order of first use."""
    found: dict[str, bool] = {}
    for term in fit.terms:
        for name, level in term.by:
            found.setdefault(name, level is not None)
    return tuple(found.items())


def comparison_columns(fit: Fit, table: Comparisons, used: NDArray[np.bool_]) -> dict[str, FloatArray]:
    """Value of each comparison term in every row, float[n_rows], in favour of the item named first; by its name."""
    found: dict[str, FloatArray] = {}
    for term in fit.terms:
        if term.kind != "comparison":
            continue
        value = np.ones(table.n_rows)
        for name, level in term.of:
            levels, values = _coded(table.columns[name], level is not None, used)
            value = value * (values if level is None else (values == levels.index(level)).astype(float))
        found[term.name] = np.where(used, value, 0.0)
    return found


def with_covariates_as_factors(cells: CountedCells, names: Sequence[str]) -> Comparisons:
    """The comparisons with these columns as factors whose levels all occur: prefmod needs codes 1..K."""
    table = cells.table
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    occurring = table.select(used)
    columns = dict(occurring.columns)
    for name in names:
        levels, values = _coded(occurring.columns[name], True, np.ones(len(used), bool))
        columns[name] = Factor(values.astype(np.int64), levels)
    return replace(occurring, columns=columns)


def order_of(table: Comparisons) -> FloatArray:
    """float[n_rows]: 1 where the item named first has its advantage, -1 where the other has it, 0 for neither."""
    column = table.columns.get("order")
    if column is None:
        return np.ones(table.n_rows)
    return np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column


def _cluster_codes(column: Column, used: NDArray[np.bool_]) -> IntArray:
    """Cluster of each row, from 0 among the used rows; a row without a value has its own."""
    values = column.codes.astype(float) if isinstance(column, Factor) else column.astype(float)
    absent = values < 0 if isinstance(column, Factor) else np.isnan(values)
    apart = np.where(absent, np.arange(len(values)), values)
    keys = np.stack([absent.astype(float), apart], axis=1)
    distinct = np.unique(keys[used], axis=0)
    place = {tuple(key): k for k, key in enumerate(distinct.tolist())}
    return np.array([place.get(tuple(key), -1) for key in keys.tolist()], dtype=np.int64)


def _coded(column: Column, categorical: bool, used: NDArray[np.bool_]) -> tuple[tuple[str, ...], FloatArray]:
    """A factor's levels that occur and each row's position among them; for a slope, () and the numbers."""
    if isinstance(column, Factor):
        occurring = [k for k in range(len(column.levels)) if (column.codes[used] == k).any()]
        place = {k: float(new) for new, k in enumerate(occurring)}
        return tuple(column.levels[k] for k in occurring), np.array(
            [place.get(int(c), 0.0) for c in column.codes]
        )
    if not categorical:
        return (), np.where(used, column, 0.0)
    distinct = np.unique(column[used])
    names = tuple(str(int(v)) if float(v).is_integer() else repr(float(v)) for v in distinct)
    return names, np.searchsorted(distinct, np.where(used, column, distinct[0])).astype(float)
