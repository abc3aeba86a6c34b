"""Confidence limits from the replicates of a bootstrap, by five methods."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import InputError, PairproofWarning
from ...fit.contrasts import check_level
from . import intervals
from .record import Replicates, spread
from .replicates import without_each

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
Method = Literal["percentile", "bca", "studentized", "normal", "basic"]
METHODS: tuple[Method, ...] = ("percentile", "bca", "studentized", "normal", "basic")


@dataclass(frozen=True, eq=False, repr=False)
class WithLimits(Replicates):
    """Replicates with confidence limits."""

    # -- limits ----------------------------------------------------------------------------------------------

    def conf_int(
        self, level: float = 0.95, method: Method = "percentile", names: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Confidence limits; the formulas are in :mod:`pairproof.native.resampling.intervals`.

        Davison and Hinkley (1997), Bootstrap Methods and their Application, chapter 5; R's boot::boot.ci.

        method: "bca" refits the table without each cluster; of two ways, the one with fewer clusters.
        "studentized" needs `studentize=True` when the replicates are drawn.  Returns DataFrame: low, high by
        name; infinite where a limit falls among infinite replicates; nan, with a warning, where a method
        gives none.
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
        if self.names[k] in self.alone:
            return (
                np.nan,
                np.nan,
                "each is fitted from one cluster alone (see .alone), which tells nothing of their spread",
            )
        if len(ordered) < intervals.least_replicates(level):
            return np.nan, np.nan, f"it is defined in {len(ordered)} of {self.n_replicates} replicates"
        if method == "percentile":
            return (*intervals.percentile(ordered, level), "")
        if method == "bca":
            return self._bca(k, ordered, level)
        if not np.isfinite(t0):
            return np.nan, np.nan, "the estimate is not finite; ask for percentile limits"
        if method == "normal":
            return (*intervals.normal(defined, t0, spread(defined), level), "")
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
            return (
                low,
                high,
                "bias and acceleration ask for an order statistic beyond the replicates; draw more",
            )
        return low, high, ""

    def _studentized(self, k: int, t0: float, level: float) -> tuple[float, float, str]:
        assert self.errors is not None and self.estimate_errors is not None
        x, se = self.replicates[:, k], self.errors[:, k]
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(np.isinf(x), x, (x - t0) / se)
        ordered = np.sort(t[~np.isnan(t)])
        if len(ordered) < intervals.least_replicates(level):
            return (
                np.nan,
                np.nan,
                f"it has a standard error in {len(ordered)} of {self.n_replicates} replicates",
            )
        low, high = intervals.percentile(ordered, level)
        se0 = float(self.estimate_errors[k])
        return t0 - high * se0, t0 - low * se0, ""

    @cached_property
    def _left_out(self) -> tuple[FloatArray, FloatArray]:
        return without_each(self.engine)

    @property
    def acceleration(self) -> pd.Series[float]:
        """The acceleration a of BCa, by name: from deleting clusters (of two ways, those of the factor with fewer)."""
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
        without = [
            self.names[k]
            for k in chosen
            if np.isnan(self.estimate_errors[k]) and np.isfinite(self.estimate[k])
        ]
        if without:
            raise InputError(
                f"{', '.join(without[:5])}: no linear function of the parameters, so that there is no standard error to"
                " studentize with; ask for percentile or bca limits"
            )
