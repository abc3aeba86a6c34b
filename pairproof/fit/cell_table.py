"""The table of cells from which deviance and degrees of freedom are computed.

A cell is an unordered pair of items in a covariate cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellTable:
    """Observed and fitted counts of the cells with at least one comparison.

    `first`, second int[n_cells]: items; outcomes are from first's side.  label: covariate cell ("" if there
    is only one).  observed, fitted float[n_cells, 3]: first preferred, tie, second preferred, in counts.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    label: tuple[str, ...]
    observed: FloatArray
    fitted: FloatArray

    @property
    def n_cells(self) -> int:
        return len(self.first)

    def outcomes(self, has_ties: bool) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Names of the outcomes that could occur, and their observed and fitted counts, float[n_cells, 2 or
        3].
        """
        if has_ties:
            return ("first", "tie", "second"), self.observed, self.fitted
        return ("first", "second"), self.observed[:, [0, 2]], self.fitted[:, [0, 2]]


def poisson_log_likelihood(table: CellTable, has_ties: bool) -> float:
    """The Poisson log-likelihood of R's gnm and glm less `llf`: sum(n log n - n) - sum log y! over the cells."""
    from scipy.special import gammaln, xlogy

    _, y, _ = table.outcomes(has_ties)
    n = y.sum(axis=1)
    return float(np.sum(xlogy(n, n) - n) - np.sum(gammaln(y + 1.0)))


@dataclass(frozen=True, eq=False)
class Known:
    """A table that has been computed; calling it returns the table."""

    table: CellTable

    def __call__(self) -> CellTable:
        return self.table


@dataclass(frozen=True, eq=False)
class WhenAsked:
    """A table that is computed when it is first called, and pickled as the table itself."""

    make: Callable[[], CellTable]

    @cached_property
    def _made(self) -> CellTable:
        return self.make()

    def __call__(self) -> CellTable:
        return self._made

    def __reduce__(self) -> tuple[type[Known], tuple[CellTable]]:
        return Known, (self._made,)
