"""The replicates of a bootstrap, their number and their spread."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.contrasts import check_level
from . import intervals
from .replicates import Engine

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """The replicates of a bootstrap, and the quantities of the fit itself.

    title: the fit and how replicates were drawn.  estimate float[q]: from the table itself; may be inf or
    -inf.  replicates float[R, q]: inf or -inf where a replicate separates; nan where a quantity is not
    defined in it.  errors float[R, q] or None: clustered standard errors (CR0) in the replicates, for
    studentized limits.  estimate_errors float[q] or None: the same in the table itself.  columns: what was
    clustered by; empty for single comparisons.  seed: with it the same replicates are drawn again, by any
    number of workers.  separated, failed bool[R]: replicates with an infinite estimate, and those of which
    the solver found no fit.  items: of the ranks; empty if the fit has several groups and none was named.
    ranks, best float[R, n_items]: ranks, and shares of the first place.  rank_estimate float[n_items].
    alone: quantities fitted from one cluster alone, and which ("judge 3"): clusters drawn again say nothing
    of their spread, and they have no standard errors or limits.  engine: with which replicates are made; the
    jackknife of BCa uses it again.
    """

    title: str
    names: tuple[str, ...]
    estimate: FloatArray
    replicates: FloatArray
    errors: FloatArray | None
    estimate_errors: FloatArray | None
    columns: tuple[str, ...]
    n_clusters: tuple[int, ...]
    seed: int
    separated: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    items: tuple[str, ...]
    ranks: FloatArray
    best: FloatArray
    rank_estimate: FloatArray
    alone: Mapping[str, str]
    engine: Engine = field(repr=False)

    # -- counts ----------------------------------------------------------------------------------------------

    @property
    def n_replicates(self) -> int:
        """R."""
        return len(self.replicates)

    @property
    def n_separated(self) -> int:
        """Replicates in which some parameter is infinite; they are kept."""
        return int(self.separated.sum())

    @property
    def n_failed(self) -> int:
        """Replicates without a fit: no comparison was left, or the solver found no maximum.  All of their quantities are
        undefined.
        """
        return int(self.failed.sum())

    @property
    def n_undefined(self) -> pd.Series[int]:
        """Replicates in which each quantity is not defined, for example because an item is absent; by name."""
        import pandas as pd

        return pd.Series(np.isnan(self.replicates).sum(axis=0), index=list(self.names))

    @property
    def n_infinite(self) -> pd.Series[int]:
        """Replicates in which each quantity is infinite, by name."""
        import pandas as pd

        return pd.Series(np.isinf(self.replicates).sum(axis=0), index=list(self.names))

    # -- spread ----------------------------------------------------------------------------------------------

    @property
    def se(self) -> pd.Series[float]:
        """Standard deviations of the replicates in which a quantity is defined; inf if one of them is infinite,
        and nan for what one cluster alone determines (`alone`).
        """
        import pandas as pd

        values = [np.nan if n in self.alone else spread(self._defined(k)) for k, n in enumerate(self.names)]
        return pd.Series(values, index=list(self.names))

    def cov(self) -> pd.DataFrame:
        """Covariance of the replicates in which both quantities are defined; nan where one is infinite in any.

        Returns DataFrame: by name.
        """
        import pandas as pd

        with np.errstate(invalid="ignore"):
            frame = pd.DataFrame(self.replicates, columns=list(self.names))
            bad = np.isinf(self.replicates).any(axis=0) | np.array([n in self.alone for n in self.names])
            out = frame.where(np.isfinite(frame)).cov()
        out.loc[bad, :] = np.nan
        out.loc[:, bad] = np.nan
        return out

    def to_frame(self) -> pd.DataFrame:
        """The replicates, one row each."""
        import pandas as pd

        return pd.DataFrame(self.replicates, columns=list(self.names))

    def _defined(self, k: int) -> FloatArray:
        column = self.replicates[:, k]
        out: FloatArray = column[~np.isnan(column)]
        return out

    # -- ranks -----------------------------------------------------------------------------------------------

    def p_best(self) -> pd.Series[float]:
        """Share of the replicates in which each item is the best, of those in which this is determined.

        k items that are equal at the top have 1/k each.  It is what a bootstrap of these data gives, not a posterior
        probability.

        Returns Series: by item.
        """
        import pandas as pd

        self._check_ranks()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an item without any determined replicate is nan
            return pd.Series(np.nanmean(self.best, axis=0), index=list(self.items))

    def rank_distribution(self) -> pd.DataFrame:
        """Shares of the replicates in which each item (row) has each rank (column 1, ..., J)."""
        import pandas as pd

        self._check_ranks()
        places = np.arange(1, len(self.items) + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.ranks[:, :, None] == places).sum(axis=0) / (~np.isnan(self.ranks)).sum(axis=0)[
                :, None
            ]
        return pd.DataFrame(share, index=list(self.items), columns=list(places))

    def rank_intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Percentile intervals of the ranks: whole ranks that hold at least `level` of the replicates.

        They are not simultaneous, and for items that are nearly equal they cover less than `level`: a bootstrap of
        ranks is not consistent there (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91,
        476-518).  Their confidence sets are the ones to report.

        Returns DataFrame: rank, low, high, undefined (replicates in which it is not defined) by item.
        """
        import pandas as pd

        check_level(level)
        self._check_ranks()
        intervals.check_replicates(self.n_replicates, level)
        rows = []
        for rank, column in zip(self.rank_estimate, self.ranks.T):
            ordered = np.sort(column[~np.isnan(column)])
            n = len(ordered)
            low = high = np.nan
            if n >= intervals.least_replicates(level):
                k = int(np.floor(round((n + 1) * (1.0 - level) / 2.0, 9)))
                low, high = ordered[k - 1], ordered[n - k]
            rows.append((rank, low, high, self.n_replicates - n))
        return pd.DataFrame(rows, columns=["rank", "low", "high", "undefined"], index=list(self.items))

    def _check_ranks(self) -> None:
        if not self.items:
            raise InputError(
                "ranks are of one group of the fit; draw with bootstrap(..., group=...), one of fit.groups"
            )


def spread(values: FloatArray) -> float:
    """Standard deviation; inf with an infinite value, nan of a single one."""
    if np.isinf(values).any():
        return float("inf")
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
