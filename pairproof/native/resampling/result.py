"""`Bootstrap`: the replicates of some quantities of a fit, with standard errors, limits and ranks from them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import InputError, PairproofWarning
from ...fit.contrasts import check_level
from . import intervals
from .replicates import Engine, without_each

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
Method = Literal["percentile", "bca", "studentized", "normal", "basic"]
METHODS = ("percentile", "bca", "studentized", "normal", "basic")


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Bootstrap replicates of quantities of a fit.

    Attributes
    ----------
    title : str
        The fit and how replicates were drawn.
    names : tuple of str, length q
    estimate : float[q]
        From the table itself; may be inf or -inf.
    replicates : float[R, q]
        inf or -inf where a replicate separates; nan where a quantity is not defined in it.
    errors : float[R, q] or None
        Clustered standard errors (CR0) in the replicates, for studentized limits.
    estimate_errors : float[q] or None
        The same in the table itself.
    columns : tuple of str
        What was clustered by; empty for single comparisons.
    n_clusters : tuple of int
    seed : int
        With it the same replicates are drawn again, by any number of workers.
    separated, failed : bool[R]
        Replicates with an infinite estimate, and those of which the solver found no fit.
    items : tuple of str
        Of the ranks; empty if the fit has several groups and none was named.
    ranks, best : float[R, n_items]
        Ranks, and shares of the first place.
    rank_estimate : float[n_items]
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
        """Standard deviations of the replicates in which a quantity is defined; inf if one of them is infinite.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> drawn = pairproof.bootstrap(fit, replicates=499, seed=1)
        >>> round(float(drawn.se["A"]), 2), round(float(fit.bse["A"]), 2)
        (0.21, 0.21)
        """
        import pandas as pd

        return pd.Series([_sd(self._defined(k)) for k in range(len(self.names))], index=list(self.names))

    def cov(self) -> pd.DataFrame:
        """Covariance of the replicates in which both quantities are defined; nan where one is infinite in any.

        Returns
        -------
        DataFrame
            By name.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> pairproof.bootstrap(fit, replicates=99, seed=1).cov().shape
        (1, 1)
        """
        import pandas as pd

        with np.errstate(invalid="ignore"):
            frame = pd.DataFrame(self.replicates, columns=list(self.names))
            bad = np.isinf(self.replicates).any(axis=0)
            out = frame.where(np.isfinite(frame)).cov()
        out.loc[bad, :] = np.nan
        out.loc[:, bad] = np.nan
        return out

    def to_frame(self) -> pd.DataFrame:
        """The replicates, one row each.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> pairproof.bootstrap(fit, replicates=99, seed=1).to_frame().columns.tolist()
        ['A']
        """
        import pandas as pd

        return pd.DataFrame(self.replicates, columns=list(self.names))

    # -- limits ----------------------------------------------------------------------------------------------

    def conf_int(
        self, level: float = 0.95, method: Method = "percentile", names: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Confidence limits; the formulas are in :mod:`pairproof.native.resampling.intervals`.

        Parameters
        ----------
        level : float
            In (0, 1); (R + 1)(1 - level)/2 has to be 1 or more.
        method : {"percentile", "bca", "studentized", "normal", "basic"}
            "bca" refits the table without each cluster; of two ways, the one with fewer clusters.  "studentized" needs
            `studentize=True` when the replicates are drawn.
        names : sequence of str, optional
            Some of `names`; default: all.

        Returns
        -------
        DataFrame
            low, high by name; infinite where a limit falls among infinite replicates; nan, with a warning, where a
            method gives none.

        Raises
        ------
        InputError
            Too few replicates for the level, another method, an unknown name, or studentized limits of something
            without standard errors.

        Warns
        -----
        PairproofWarning
            Quantities that this method has no limits for, and why.

        References
        ----------
        Davison and Hinkley (1997), Bootstrap Methods and their Application, chapter 5; R's boot::boot.ci.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> drawn = pairproof.bootstrap(fit, replicates=999, seed=1)
        >>> drawn.conf_int(method="bca").round(1).loc["A"].tolist()
        [0.2, 1.0]
        """
        import pandas as pd

        check_level(level)
        one_of("method", method, METHODS)
        intervals.check_replicates(self.n_replicates, level)
        chosen = self._chosen(names)
        if method == "studentized":
            self._check_studentized(chosen)
        trouble: dict[str, list[str]] = {}
        rows = []
        for k in chosen:
            low, high, why = self._limits(k, level, method)
            rows.append((low, high))
            if why:
                trouble.setdefault(why, []).append(self.names[k])
        for why, which in trouble.items():
            more = f" and {len(which) - 8} more" if len(which) > 8 else ""
            warnings.warn(
                f"no {method} limits of {', '.join(which[:8])}{more}: {why}", PairproofWarning, stacklevel=2
            )
        return pd.DataFrame(rows, columns=["low", "high"], index=[self.names[k] for k in chosen])

    def _limits(self, k: int, level: float, method: str) -> tuple[float, float, str]:
        """Low, high, and why there are none."""
        t0, defined = float(self.estimate[k]), self._defined(k)
        ordered = np.sort(defined)
        if len(ordered) < intervals.least_replicates(level):
            return np.nan, np.nan, f"it is defined in {len(ordered)} of {self.n_replicates} replicates"
        if method == "percentile":
            return (*intervals.percentile(ordered, level), "")
        if method == "bca":
            return self._bca(k, ordered, level)
        if not np.isfinite(t0):
            return np.nan, np.nan, "the estimate is not finite; ask for percentile limits"
        if method == "normal":
            return (*intervals.normal(defined, t0, _sd(defined), level), "")
        if method == "basic":
            low, high = intervals.percentile(ordered, level)
            return 2.0 * t0 - high, 2.0 * t0 - low, ""
        return self._studentized(k, t0, level)

    def _bca(self, k: int, ordered: FloatArray, level: float) -> tuple[float, float, str]:
        t0 = float(self.estimate[k])
        if np.isnan(t0):
            return np.nan, np.nan, "there is no estimate"
        left_out, times = self._left_out
        if not np.isfinite(left_out[:, k]).all():
            lost = int((~np.isfinite(left_out[:, k])).sum())
            why = f"without one of {lost} cluster(s) it is infinite or not defined; ask for percentile limits"
            return np.nan, np.nan, why
        a = intervals.acceleration(left_out[:, k], times)
        if np.isnan(a):
            return np.nan, np.nan, "it is the same without any of the clusters"
        low, high = intervals.bca(ordered, t0, a, level)
        if np.isnan(low) or np.isnan(high):
            return low, high, "bias and acceleration ask for an order statistic beyond the replicates; draw more"
        return low, high, ""

    def _studentized(self, k: int, t0: float, level: float) -> tuple[float, float, str]:
        assert self.errors is not None and self.estimate_errors is not None
        x, se = self.replicates[:, k], self.errors[:, k]
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(np.isinf(x), x, (x - t0) / se)
        ordered = np.sort(t[~np.isnan(t)])
        if len(ordered) < intervals.least_replicates(level):
            return np.nan, np.nan, f"it has a standard error in {len(ordered)} of {self.n_replicates} replicates"
        low, high = intervals.percentile(ordered, level)
        se0 = float(self.estimate_errors[k])
        return t0 - high * se0, t0 - low * se0, ""

    @cached_property
    def _left_out(self) -> tuple[FloatArray, FloatArray]:
        return without_each(self.engine)

    @property
    def acceleration(self) -> pd.Series[float]:
        """The acceleration a of BCa, by name: from deleting clusters (of two ways, those of the factor with fewer).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> round(float(pairproof.bootstrap(fit, replicates=99, seed=1).acceleration["A"]), 4)
        0.0094
        """
        import pandas as pd

        left_out, times = self._left_out
        values = [intervals.acceleration(column, times) for column in left_out.T]
        return pd.Series(values, index=list(self.names))

    @property
    def jackknife_se(self) -> pd.Series[float]:
        """Standard errors by deleting clusters: sqrt((G - 1)/G sum L^2), by name."""
        import pandas as pd

        left_out, times = self._left_out
        return pd.Series([intervals.jackknife_error(c, times) for c in left_out.T], index=list(self.names))

    def _defined(self, k: int) -> FloatArray:
        column = self.replicates[:, k]
        out: FloatArray = column[~np.isnan(column)]
        return out

    def _chosen(self, names: Sequence[str] | None) -> list[int]:
        if names is None:
            return list(range(len(self.names)))
        wanted = [names] if isinstance(names, str) else list(names)
        unknown = [n for n in wanted if n not in self.names]
        if unknown:
            raise InputError(f"no quantity {unknown[0]!r}; there are {', '.join(self.names[:20])}")
        return [self.names.index(n) for n in wanted]

    def _check_studentized(self, chosen: Sequence[int]) -> None:
        if self.errors is None or self.estimate_errors is None:
            raise InputError(
                "studentized limits need a standard error in every replicate; draw with bootstrap(..., studentize=True)"
            )
        without = [self.names[k] for k in chosen if np.isnan(self.estimate_errors[k]) and np.isfinite(self.estimate[k])]
        if without:
            raise InputError(
                f"{', '.join(without[:5])}: no linear function of the parameters, so that there is no standard error to"
                " studentize with; ask for percentile or bca limits"
            )

    # -- ranks -----------------------------------------------------------------------------------------------

    def p_best(self) -> pd.Series[float]:
        """Share of the replicates in which each item is the best, of those in which this is determined.

        k items that are equal at the top have 1/k each.  It is what a bootstrap of these data gives, not a posterior
        probability.

        Returns
        -------
        Series
            By item.

        Raises
        ------
        InputError
            The fit has several groups, and none was named.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]))
        >>> pairproof.bootstrap(fit, replicates=199, seed=1).p_best().round(2).to_dict()
        {'A': 0.99, 'B': 0.01}
        """
        import pandas as pd

        self._check_ranks()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an item without any determined replicate is nan
            return pd.Series(np.nanmean(self.best, axis=0), index=list(self.items))

    def rank_distribution(self) -> pd.DataFrame:
        """Shares of the replicates in which each item (row) has each rank (column 1, ..., J).

        Raises
        ------
        InputError
            The fit has several groups, and none was named.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]))
        >>> pairproof.bootstrap(fit, replicates=199, seed=1).rank_distribution().loc["A"].round(2).to_dict()
        {1: 0.99, 2: 0.01}
        """
        import pandas as pd

        self._check_ranks()
        places = np.arange(1, len(self.items) + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.ranks[:, :, None] == places).sum(axis=0) / (~np.isnan(self.ranks)).sum(axis=0)[:, None]
        return pd.DataFrame(share, index=list(self.items), columns=list(places))

    def rank_intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Percentile intervals of the ranks: whole ranks that hold at least `level` of the replicates.

        They are not simultaneous, and for items that are nearly equal they cover less than `level`: a bootstrap of
        ranks is not consistent there (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91,
        476-518).  Their confidence sets are the ones to report.

        Parameters
        ----------
        level : float
            In (0, 1).

        Returns
        -------
        DataFrame
            rank, low, high, undefined (replicates in which it is not defined) by item.

        Raises
        ------
        InputError
            Too few replicates, or several groups of which none was named.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]))
        >>> pairproof.bootstrap(fit, replicates=199, seed=1).rank_intervals(0.9).loc["A"].tolist()
        [1.0, 1.0, 1.0, 0.0]
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
            raise InputError("ranks are of one group of the fit; draw with bootstrap(..., group=...), one of fit.groups")

    # -- shown -----------------------------------------------------------------------------------------------

    def summary(self, level: float = 0.95, rows: int = 60) -> str:
        """The estimates, bootstrap errors and percentile limits as text.

        Parameters
        ----------
        level : float
            In (0, 1).
        rows : int
            Most quantities shown.

        Returns
        -------
        str

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> print(pairproof.bootstrap(fit, replicates=999, seed=1).summary().splitlines()[1])
        999 replicates, seed 1; bootstrap of single comparisons (96)
        """
        from .shown import summary

        return summary(self, level, rows)

    def to_dict(self, level: float = 0.95, method: Method = "percentile") -> dict[str, Any]:
        """The bootstrap as a JSON object, without the replicates; None where there is no finite number.

        Parameters
        ----------
        level : float
        method : str
            As in :meth:`conf_int`.

        Returns
        -------
        dict

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [61], None, [35]), reference="B")
        >>> pairproof.bootstrap(fit, replicates=99, seed=1).to_dict()["n_separated"]
        0
        """
        from .shown import as_dict

        return as_dict(self, level, method)

    def __repr__(self) -> str:
        return f"<Bootstrap: {self.n_replicates} replicates of {len(self.names)} quantities of {self.title}, seed {self.seed}>"


def _sd(values: FloatArray) -> float:
    if np.isinf(values).any():
        return float("inf")
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
