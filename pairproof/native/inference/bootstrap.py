"""Bootstraps of a fit: by clusters, by two crossed factors, or by single comparisons; limits by five methods.

Quantities that one cluster alone determines have none: with abilities by judge and judges as clusters every
copy of a judge gives the same estimates, and the spread of the replicates would be next to nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...data.options import one_of, whole_number
from ...errors import InputError, NotEstimableError, PairproofWarning, TooLargeError
from ...fit.fit import Fit
from ...fit.inference.wald import check_level
from ...fit.robust.clustered_fit import Missing, Robust, only_observed
from ...fit.shown.fit_json import finite
from ...numerics.arrays import FloatArray
from . import replicates as intervals
from .draws import AnyDraws, ByCluster, TwoWays, seed_or_drawn
from .quantities import Asked, Custom, Linear, Probabilities, Quantity, Ranks, Worths, quantities, ranks
from .refits import AnswerRefitter, ContestRefitter, JudgeRefitter, Refitter, random_judges
from .replicates import AnyRefitter, Engine, Replicates, make_replicates, spread, without_each
from .taken_apart import expect_fit, take_apart

if TYPE_CHECKING:
    import pandas as pd


Method = Literal["percentile", "bca", "studentized", "normal", "basic"]
METHODS: tuple[Method, ...] = ("percentile", "bca", "studentized", "normal", "basic")


#: Limits where there are none.
NONE = (np.nan, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Replicates):
    """Bootstrap replicates of quantities of a fit, made by :func:`pairproof.bootstrap`.

    The attributes are those of :class:`pairproof.native.inference.replicates.Replicates`: `estimate`, `replicates`
    (float[R, q]), `names`, `seed`, and what was clustered by.
    """

    # -- limits ----------------------------------------------------------------------------------------------

    def conf_int(
        self, level: float = 0.95, method: Method = "percentile", names: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Confidence limits; the formulas are in :mod:`pairproof.native.inference.replicates`.

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
            why = "each is fitted from one cluster alone (see .alone), which says nothing about their spread"
            return *NONE, why
        if len(ordered) < intervals.least_replicates(level):
            return *NONE, f"it is defined in {len(ordered)} of {self.n_replicates} replicates"
        if method == "percentile":
            return (*intervals.percentile(ordered, level), "")
        if method == "bca":
            return self._bca(k, ordered, level)
        if not np.isfinite(t0):
            return *NONE, "the estimate is not finite; ask for percentile limits"
        if method == "normal":
            return (*intervals.normal(defined, t0, spread(defined), level), "")
        if method == "basic":
            low, high = intervals.percentile(ordered, level)
            return 2.0 * t0 - high, 2.0 * t0 - low, ""
        return self._studentized(k, t0, level)

    def _bca(self, k: int, ordered: FloatArray, level: float) -> tuple[float, float, str]:
        t0 = float(self.estimate[k])
        if np.isnan(t0):
            return *NONE, "there is no estimate"
        left_out, times = self._left_out
        if not np.isfinite(left_out[:, k]).all():
            lost = int((~np.isfinite(left_out[:, k])).sum())
            why = f"without one of {lost} cluster(s) it is infinite or not defined; ask for percentile limits"
            return *NONE, why
        a = intervals.acceleration(left_out[:, k], times)
        if np.isnan(a):
            return *NONE, "it is the same without any of the clusters"
        low, high = intervals.bca(ordered, t0, a, level)
        why = "bias and acceleration ask for an order statistic beyond the replicates; draw more"
        return low, high, why if np.isnan(low) or np.isnan(high) else ""

    def _studentized(self, k: int, t0: float, level: float) -> tuple[float, float, str]:
        assert self.errors is not None and self.estimate_errors is not None
        x, se = self.replicates[:, k], self.errors[:, k]
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(np.isinf(x), x, (x - t0) / se)
        ordered = np.sort(t[~np.isnan(t)])
        if len(ordered) < intervals.least_replicates(level):
            return *NONE, f"it has a standard error in {len(ordered)} of {self.n_replicates} replicates"
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
        lacking = np.isnan(self.estimate_errors) & np.isfinite(self.estimate)
        without = [self.names[k] for k in chosen if lacking[k]]
        if without:
            raise InputError(
                f"{', '.join(without[:5])}: no linear function of the parameters, so that there is no standard error to"
                " studentize with; ask for percentile or bca limits"
            )

    # -- shown -----------------------------------------------------------------------------------------------

    def summary(self, level: float = 0.95, rows: int = 60) -> str:
        """The estimates, bootstrap errors and percentile limits as text.

        rows: most quantities shown.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PairproofWarning)  # the cautions below say it
            table = self._table(level, "percentile")
        width = max(8, *(len(name) for name in self.names[:rows]))
        head = f"{'':<{width}} {'estimate':>10} {'se':>10} {'low':>10} {'high':>10} {'infinite':>9} {'undefined':>9}"
        title, _, how = self.title.partition("; ")
        lines = [title, f"{self.n_replicates} replicates, seed {self.seed}; {how}", "", head]
        for name, *numbers, infinite, undefined in table.head(rows).itertuples():
            told = " ".join(f"{v:>10.4f}" for v in numbers)
            lines.append(f"{name:<{width}} {told} {infinite:>9d} {undefined:>9d}")
        if len(self.names) > rows:
            lines.append(f"... and {len(self.names) - rows} more")
        lines += ["", f"{100 * level:g}% percentile limits.", *cautions(self)]
        return "\n".join(lines)

    def to_dict(self, level: float = 0.95, method: Method = "percentile") -> dict[str, Any]:
        """The bootstrap as a JSON object, without the replicates; None where there is no finite number.

        method: as in :meth:`conf_int`.
        """
        rows = []
        for name, *numbers, infinite, undefined in self._table(level, method).itertuples():
            limits = zip(("low", "high"), numbers[2:])
            rows.append(
                {
                    "name": name,
                    **dict(zip(("estimate", "se", "low", "high"), map(finite, numbers))),
                    "infinite_limits": [which for which, v in limits if np.isinf(v)],
                    "n_infinite": infinite,
                    "n_undefined": undefined,
                }
            )
        out: dict[str, Any] = {
            "title": self.title,
            "columns": list(self.columns),
            "n_clusters": list(self.n_clusters),
            "replicates": self.n_replicates,
            "seed": self.seed,
            "level": level,
            "method": method,
            "n_separated": self.n_separated,
            "n_failed": self.n_failed,
            "quantities": rows,
            "cautions": cautions(self),
        }
        if self.items:
            out["p_best"] = {item: finite(p) for item, p in self.p_best().items()}
        return out

    def _table(self, level: float, method: Method) -> pd.DataFrame:
        """Estimate, standard error, limits, and replicates in which it is infinite or undefined, by name."""
        limits = self.conf_int(level, method)
        limits.insert(0, "estimate", self.estimate)
        limits.insert(1, "se", self.se)
        return limits.assign(infinite=self.n_infinite, undefined=self.n_undefined)

    def __repr__(self) -> str:
        q = len(self.names)
        what = f"{q} quantit{'y' if q == 1 else 'ies'}"
        return f"<Bootstrap: {self.n_replicates} replicates of {what}, seed {self.seed}; {self.title}>"


def cautions(drawn: Bootstrap) -> list[str]:
    """What a reader has to know of these replicates."""
    out = []
    n = drawn.n_replicates
    if drawn.n_separated:
        out.append(
            f"{drawn.n_separated} of {n} replicates separate: their infinite estimates are kept in the limits, and make"
            " a standard error infinite."
        )
    if drawn.n_failed:
        out.append(f"{drawn.n_failed} of {n} replicates have no fit; all of their quantities are undefined.")
    if drawn.n_undefined.any():
        out.append(
            "Undefined: an item was absent from a replicate or could not be compared; not in the limits."
        )
    if len(drawn.columns) == 2:
        out.append("The two-way bootstrap is conservative (Owen 2007).")
    if drawn.alone:
        which = ", ".join(f"{n} ({c})" for n, c in list(drawn.alone.items())[:4])
        more = f" and {len(drawn.alone) - 4} more" if len(drawn.alone) > 4 else ""
        out.append(f"Fitted from one cluster alone, so without errors and limits: {which}{more}.")
    few = [f"{g} by {c}" for c, g in zip(drawn.columns, drawn.n_clusters) if g < FEW]
    if few:
        out.append(f"Few clusters ({', '.join(few)}): the intervals are too narrow; see pairproof.wild_test.")
    return out


#: Below this many clusters a cluster bootstrap is rough (MacKinnon and Webb 2017, Journal of Applied
#: Econometrics 32, 233-254).
FEW = 20


def from_one_cluster(
    fit: Fit, columns: Sequence[str], missing: Missing, quantities: Sequence[Quantity | Custom]
) -> Mapping[str, str]:
    """Names of such quantities, with the cluster ("judge 3"); a user's functions are not looked into."""
    if not columns or not fit.n_estimable:
        return {}
    try:
        robust = fit.clustered(*columns, kind="CR0", missing=missing).robust
    except (NotEstimableError, TooLargeError):
        return {}
    if robust is None or (isinstance(robust, Robust) and not _any_alone(robust)):
        return {}
    found: dict[str, str] = {}
    for q in quantities:
        names, functions = _functions(q)
        for name, function in zip(names, functions):
            if not fit.is_estimable(function[None, :]):
                continue
            cluster = robust.alone(function)
            if cluster is not None:
                found.update(dict.fromkeys([name] if isinstance(q, Linear) else q.names, cluster))
    return found


def _any_alone(robust: Robust) -> bool:
    return any(root.alone.any() for way in robust.ways for root in way.clusters.roots.values())


def _functions(q: Quantity | Custom) -> tuple[Sequence[str], FloatArray]:
    """Linear functions of the parameters from which the quantity is computed, with names."""
    if isinstance(q, Linear):
        return q.names, np.asarray(q.functions.todense())
    if isinstance(q, (Worths, Ranks, Probabilities)):
        rows = np.asarray(q.abilities.rows.todense())
        return q.abilities.items[1:], rows[1:] - rows[0]
    return (), np.zeros((0, 0))


#: Replicates of all quantities at most: 0.8 GB.
MOST_NUMBERS = 100_000_000


def bootstrap(
    fit: Fit,
    *columns: str,
    replicates: int = 1999,
    seed: int | None = None,
    quantity: Asked | Sequence[Asked] = "params",
    group: str | None = None,
    studentize: bool = False,
    missing: Missing = "refuse",
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Bootstrap:
    """Bootstrap any quantity of a fit.

    Replicates that separate are fitted at infinity and kept: worths, probabilities and ranks have their limits, and
    parameters enter the limits as inf or -inf.  Quantities that are undefined because an item is absent are counted.

    Parameters
    ----------
    fit : Fit
        A fit by R is refitted by the native engine, which must agree with it.
    *columns : str
        The column whose values are the clusters, such as "judge"; all comparisons of a cluster are drawn together.
        Two columns, such as "judge", "source": both are drawn, independently (Owen's pigeonhole bootstrap, which is
        conservative).  None: the clusters of a clustered fit; of another, single comparisons, from whole counts.  With
        random effects of judges: one column, whose clusters contain whole judges: each copy of a judge has effects of
        its own.
    replicates : int
        R.
    seed : int, optional
        Default: drawn, and recorded in the result.
    quantity : str, two items, mapping, function, or a list of these
        "params" (default), "contrasts" (of all pairs of items), "worth", "probabilities" (on neutral ground), "ranks";
        the name of a parameter; two items for their difference; weights of parameters ({"A": 1, "B": -2}); a function
        of a `Fit` that gives a number, numbers, or numbers by name.
    group : str, optional
        One of ``fit.groups``, for what is about items; required for these if there are several.
    studentize : bool
        Whether every replicate has clustered standard errors (CR0), for studentized limits; one column or none.
    missing : {"refuse", "own"}
        Rows without a label are refused, or each a cluster of its own.
    workers : int
        Processes.  The numbers do not depend on it.  A process needs a second or two to start.
    progress : function of (int, int), optional
        Called with (replicates done, replicates in all) now and then.

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        An unknown column, rows without a label, a single cluster, more than two columns, fractional counts without a
        column, a fit with pseudo-comparisons, an unknown quantity, or a function that raises or changes its names.
    TooLargeError
        Too many numbers per replicate.
    ComparisonError
        A fit by another engine that the native one does not agree with.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application.  Cameron, Gelbach and Miller (2008), Review of
    Economics and Statistics 90, 414-427.  Owen (2007), Annals of Applied Statistics 1, 386-411.

    Examples
    --------
    >>> import pairproof
    >>> answers = {
    ...     "judge": ["u", "u", "v", "v", "w", "w", "x", "x"],
    ...     "first": ["A"] * 8, "second": ["B", "C"] * 4,
    ...     "wins": [6, 7, 5, 8, 7, 9, 4, 6], "losses": [4, 3, 5, 2, 3, 1, 6, 4],
    ... }
    >>> fit = pairproof.fit_bradley_terry(pairproof.read(answers), reference="C")
    >>> drawn = pairproof.bootstrap(fit, "judge", replicates=499, seed=7, quantity=["params", ("A", "B")])
    >>> drawn.names
    ('A', 'B', 'A - B')
    >>> drawn.conf_int().loc["A - B"].round(1).tolist()
    [-0.2, 0.6]
    """
    expect_fit(fit)
    only_observed(fit, "the bootstrap")
    n = whole_number("replicates", replicates, 1)
    if n < 2:
        raise InputError("replicates=1; a spread needs at least 2, and 95 % limits 39")
    whole_number("workers", workers, 1)
    drawn_seed = seed_or_drawn(seed)
    one_of("missing", missing, ("refuse", "own"))
    if not columns and fit.robust is not None:
        columns = fit.robust.columns
    refitter: AnyRefitter
    if fit.answers is not None:
        refitter = AnswerRefitter(fit)
    elif fit.random_effects is not None:
        refitter = JudgeRefitter(random_judges(fit))
    elif fit.contests is not None:
        refitter = ContestRefitter(fit)
    else:
        refitter = Refitter(take_apart(fit))
    wanted = quantities(fit, quantity, group)
    numbers = n * sum(len(q.names) for q in wanted)
    if numbers > MOST_NUMBERS:
        raise TooLargeError(
            f"{numbers:,} numbers to keep, {8e-9 * numbers:.1f} GB (limit {MOST_NUMBERS:,}); ask for fewer replicates or"
            " fewer quantities"
        )
    if studentize and len(columns) == 2:
        raise InputError(
            "studentize=True with two columns: the variance of a two-way replicate may be negative; use bca or"
            " percentile limits, or one column"
        )
    draws = refitter.draws(columns, missing)
    with_ranks = ranks(fit, group) if group is not None or len(fit.groups) == 1 else None
    engine = Engine(refitter, draws, tuple(wanted), with_ranks, studentize)
    whole = engine.evaluate(engine.refitter.full, None, "the table itself")
    alone = from_one_cluster(fit, columns, missing, engine.quantities)
    made = make_replicates(engine, n, drawn_seed, workers, progress)
    return Bootstrap(
        title=f"{fit.title}; {draws.title}",
        names=engine.names,
        estimate=whole.values[0],
        replicates=made.values,
        errors=made.errors if studentize else None,
        estimate_errors=whole.errors[0] if studentize else None,
        columns=tuple(columns),
        n_clusters=_n_clusters(draws, columns),
        seed=drawn_seed,
        separated=made.separated,
        failed=made.failed,
        items=() if with_ranks is None else fit.items,
        ranks=made.rank,
        best=made.best,
        rank_estimate=whole.rank[0],
        alone=alone,
        engine=engine,
    )


def _n_clusters(draws: AnyDraws, columns: Sequence[str]) -> tuple[int, ...]:
    ways = (draws.one, draws.other) if isinstance(draws, TwoWays) else (draws,)
    n = {way.column: int(way.groups.shape[0]) for way in ways if isinstance(way, ByCluster)}
    return tuple(n[column] for column in columns)
