"""The replicates of a bootstrap: drawn, refitted and evaluated, kept, their spread, and limits from them.

Confidence limits from replicates t*_1..t*_R of an estimate t0 (Davison and Hinkley 1997, chapter 5): a
quantile alpha is the order statistic r = (R + 1) alpha; between whole ones it is interpolated on the scale of
normal quantiles q (their equation 5.8, R's boot::norm.inter)::

    t_(k) + (q(r/(R+1)) - q(k/(R+1))) / (q((k+1)/(R+1)) - q(k/(R+1))) (t_(k+1) - t_(k)),   k = floor(r)

    percentile    quantiles alpha and 1 - alpha of t*
    basic         2 t0 - them
    normal        t0 - bias -+ q se
    studentized   t0 - se0 x quantiles of (t* - t0) / se*
    bca           quantiles alpha* = Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z0 = q(#{t* < t0} / R)
                  (Efron 1987, JASA 82, 171-185)

with the acceleration a = sum L^3 / (6 (sum L^2)^(3/2)), L_g = mean(t_(-g)) - t_(-g), by deleting clusters.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Union

import numpy as np

from ...errors import InputError
from ...fit.inference.wald import check_level
from ...numerics.arrays import BoolArray, FloatArray
from ...numerics.processes import in_order
from .draws import BLOCK, AnyDraws, TwoWays, Weights
from .quantities import Custom, Linear, Quantity, Ranks, Refit
from .refits import AnswerRefitter, ContestRefitter, JudgeRefitter, Refitter

if TYPE_CHECKING:
    import pandas as pd


def least_replicates(level: float) -> int:
    """Replicates with which the tail of an interval holds at least one: (R + 1) (1 - level) / 2 >= 1."""
    return int(np.ceil(round(2.0 / (1.0 - level), 9))) - 1


def check_replicates(n: int, level: float) -> None:
    """Raise InputError if the order statistics of an interval do not exist."""
    least = least_replicates(level)
    if n < least:
        raise InputError(
            f"{n} replicates, and limits at level {level:g} need {least} or more: (R + 1)(1 - level)/2 >= 1; draw more"
        )


def quantile(ordered: FloatArray, alpha: float) -> float:
    """An interpolated order statistic.

    ordered float[R]: sorted; may begin with -inf and end with inf.  alpha: in (0, 1).  Returns float: nan if
    (R + 1) alpha is below 1 or above R; infinite where it falls among infinite replicates.
    """
    from scipy.special import ndtri

    n = len(ordered)
    if np.isnan(alpha):  # a bias beyond all replicates
        return float("nan")
    r = (n + 1) * alpha
    # 0.025 x 2000 is 50.000000000000004 or 49.99999999999999 by the luck of rounding.
    nearest = round(r)
    if nearest and abs(r - nearest) < 1e-9 * nearest:
        r = float(nearest)
    if not 1.0 <= r <= n:
        return float("nan")
    k = int(np.floor(r))
    low = float(ordered[k - 1])
    if r == k:
        return low
    high = float(ordered[k])
    if low == high:
        return low
    if np.isinf(low) or np.isinf(high):
        return low if np.isinf(low) else high
    q = ndtri(np.array([r, k, k + 1]) / (n + 1))
    share = float((q[0] - q[1]) / (q[2] - q[1]))
    return low + share * (high - low)


def acceleration(left_out: FloatArray, weights: FloatArray | None = None) -> float:
    """a of BCa, from the estimates without each cluster; nan if they are all the same.

    left_out float[G].  weights float[G]: how many clusters have each value; default 1.
    """
    w = np.ones(len(left_out)) if weights is None else weights
    l = np.average(left_out, weights=w) - left_out
    square, cube = float(w @ l**2), float(w @ l**3)
    return cube / (6.0 * float(np.sqrt(square)) ** 3) if square > 0.0 else float("nan")


def jackknife_error(left_out: FloatArray, weights: FloatArray | None = None) -> float:
    """sqrt((G - 1)/G sum L^2), the jackknife standard error by clusters."""
    w = np.ones(len(left_out)) if weights is None else weights
    l = np.average(left_out, weights=w) - left_out
    g = float(w.sum())
    return float(np.sqrt((g - 1.0) / g * (w @ l**2)))


def percentile(ordered: FloatArray, level: float) -> tuple[float, float]:
    """Quantiles of sorted replicates at (1 - level)/2 and its complement."""
    return quantile(ordered, (1.0 - level) / 2.0), quantile(ordered, (1.0 + level) / 2.0)


def bca(ordered: FloatArray, t0: float, a: float, level: float) -> tuple[float, float]:
    """Bias-corrected accelerated limits; nan where alpha* asks for an order statistic that is not there."""
    from scipy.special import ndtr, ndtri

    z0 = float(ndtri(np.mean(ordered < t0)))
    limits = []
    for alpha in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        z = z0 + float(ndtri(alpha))
        corrected = (
            float(ndtr(z0 + z / (1.0 - a * z))) if np.isfinite(z0) and 1.0 - a * z > 0.0 else float("nan")
        )
        limits.append(quantile(ordered, corrected))
    return limits[0], limits[1]


def normal(replicates: FloatArray, t0: float, se: float, level: float) -> tuple[float, float]:
    """t0 less the bias, -+ normal quantile times the standard error; infinite with an infinite replicate."""
    from scipy.special import ndtri

    if not np.isfinite(replicates).all():
        return -np.inf, np.inf
    centre, half = 2.0 * t0 - float(replicates.mean()), float(ndtri(0.5 + level / 2.0)) * se
    return centre - half, centre + half


#: With up to so many groups replicates repeat themselves, and so many of them are kept.
FEW_GROUPS, MOST_SEEN = 12, 2_000
AnyRefitter = Union[Refitter, AnswerRefitter, ContestRefitter, JudgeRefitter]


@dataclass(frozen=True, eq=False)
class Engine:
    """Everything with which replicates are made and evaluated; it can be sent to another process.

    studentize: whether linear quantities have a clustered standard error in every replicate.  `seen`: replicates of a few groups by their weights, so that the
    same one is not fitted twice.
    """

    refitter: AnyRefitter
    draws: AnyDraws
    quantities: tuple[Quantity | Custom, ...]
    ranks: Ranks | None
    studentize: bool
    seen: dict[bytes, Values] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for q in self.quantities for name in q.names)

    def evaluate(self, counts: FloatArray, weights: Weights | None, where: str) -> Values:
        """The quantities of one table of counts; `weights` are those that made it, None for the table as it is."""
        n, items = len(self.names), 0 if self.ranks is None else len(self.ranks.names)
        refit = self.refitter.refit(counts)
        if refit is None:
            return Values.of_one(
                np.full(n, np.nan), np.full(n, np.nan), *np.full((2, items), np.nan), False, True
            )
        parts = [
            self._custom(q, counts, weights, where) if isinstance(q, Custom) else q.of(refit)
            for q in self.quantities
        ]
        rank, best = self.ranks.both(refit) if self.ranks is not None else (np.zeros(0), np.zeros(0))
        errors = self._errors(refit, weights) if self.studentize else np.full(n, np.nan)
        return Values.of_one(np.concatenate(parts), errors, rank, best, refit.separated, False)

    # -- standard errors -------------------------------------------------------------------------------------

    def _errors(self, refit: Refit, weights: Weights | None) -> FloatArray:
        """float[n]: CR0 standard errors of linear quantities in a replicate, each copy of a cluster a cluster."""
        assert not isinstance(self.draws, TwoWays)  # studentize=True of two columns is refused
        times = weights.of_groups if weights is not None else self.draws.whole
        parts = []
        for q in self.quantities:
            if not isinstance(q, Linear):
                parts.append(np.full(len(q.names), np.nan))
                continue
            if refit.influence is None:
                raise InputError(
                    f"studentize=True of {self.refitter.fit.title}: replicates of such models have no standard errors here;"
                    " use bca or percentile limits"
                )
            by_group = self.draws.groups @ refit.influence(np.asarray(q.functions.todense()))
            parts.append(np.sqrt(times @ by_group**2))
        return np.concatenate(parts)

    # -- a user's function -----------------------------------------------------------------------------------

    def _custom(self, q: Custom, counts: FloatArray, weights: Weights | None, where: str) -> FloatArray:
        fit = self.refitter.fit_again(self.draws, counts, weights)
        if fit is None:
            return np.full(len(q.names), np.nan)
        return q.of_fit(fit, where)

    # -- many ------------------------------------------------------------------------------------------------

    def of_weights(self, weights: Weights, where: str) -> Values:
        """The quantities of a replicate; four judges are drawn in 35 ways, and each is fitted once."""
        key = weights.of_groups.tobytes() if len(weights.of_groups) <= FEW_GROUPS else None
        if key is not None and key in self.seen:
            return self.seen[key]
        values = self.evaluate(self.draws.counts(weights), weights, where)
        if key is not None and len(self.seen) < MOST_SEEN:
            self.seen[key] = values
        return values


@dataclass(frozen=True, eq=False)
class Values:
    """Replicates in a row: quantities float[R, q] and their standard errors, ranks float[R, J], shares of the first place
    float[R, J], whether each separated, and whether there is no fit of it.
    """

    values: FloatArray
    errors: FloatArray
    rank: FloatArray
    best: FloatArray
    separated: BoolArray
    failed: BoolArray

    @classmethod
    def of_one(cls, *numbers: FloatArray | bool) -> Values:
        return cls(*(np.array([each]) for each in numbers))

    @classmethod
    def joined(cls, found: Sequence[Values]) -> Values:
        return cls(*(np.concatenate([getattr(v, f.name) for v in found]) for f in fields(cls)))


#: Replicates to be made: the stream of the seed, the first of them, and how many.
Task = tuple[Engine, np.random.SeedSequence, int, int]


def make(task: Task) -> Values:
    engine, seed, first, n = task
    rng = np.random.default_rng(seed)
    return Values.joined(
        [engine.of_weights(engine.draws.draw(rng), f"replicate {first + k + 1}") for k in range(n)]
    )


def make_replicates(
    engine: Engine, replicates: int, seed: int, workers: int, progress: Callable[[int, int], None] | None
) -> Values:
    """All replicates; the same numbers for any number of workers."""
    if workers > 1:
        _check_sendable(engine)
    starts = range(0, replicates, BLOCK)
    seeds = np.random.SeedSequence(seed).spawn(len(starts))

    def tasks() -> Iterator[Task]:
        for start, stream in zip(starts, seeds):
            yield engine, stream, start, min(BLOCK, replicates - start)

    blocks = []
    for task, block in in_order(make, tasks(), workers):
        blocks.append(block)
        if progress is not None:
            progress(task[2] + task[3], replicates)
    return Values.joined(blocks)


def _check_sendable(engine: Engine) -> None:
    from multiprocessing.reduction import ForkingPickler  # what sends a task to a process

    for q in engine.quantities:
        if isinstance(q, Custom):
            try:
                ForkingPickler.dumps(q.function)
            except Exception as error:
                raise InputError(
                    f"quantity {q.names[0]}: the function cannot be sent to another process ({error}); define it at the"
                    " top of a module, or use workers=1"
                ) from error


def without_each(engine: Engine) -> tuple[FloatArray, FloatArray]:
    """Quantities without each cluster (or one comparison of each kind), float[m, q], and how often each, float[m]."""
    draws = engine.draws.one if isinstance(engine.draws, TwoWays) else engine.draws
    taken, times, group = draws.left_out()
    full = engine.refitter.full
    alone = replace(engine, draws=draws, ranks=None, studentize=False, seen={})
    found = []
    for k, g in enumerate(group):
        left = full - np.asarray(taken[k].todense()).reshape(full.shape)
        left[np.abs(left) < 1e-9 * full] = 0.0  # what rounding leaves of fractional counts
        times_each = draws.whole.copy()
        times_each[g] -= 1.0
        found.append(alone.evaluate(left, Weights(times_each), f"the table without cluster {k + 1}"))
    return Values.joined(found).values, times


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
    separated: BoolArray
    failed: BoolArray
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
        return self.to_frame().isna().sum()

    @property
    def n_infinite(self) -> pd.Series[int]:
        """Replicates in which each quantity is infinite, by name."""
        return np.isinf(self.to_frame()).sum()

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
        with np.errstate(invalid="ignore"):
            frame = self.to_frame()
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
        return np.asarray(column[~np.isnan(column)])

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
        check_replicates(self.n_replicates, level)
        rows = []
        for rank, column in zip(self.rank_estimate, self.ranks.T):
            ordered = np.sort(column[~np.isnan(column)])
            n = len(ordered)
            low = high = np.nan
            if n >= least_replicates(level):
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
