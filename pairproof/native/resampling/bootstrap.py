"""Bootstraps of a fit: by clusters, by two crossed factors, or by single comparisons.

Quantities that one cluster alone determines: drawing clusters again says nothing of their spread.

With abilities by judge and judges as clusters every copy of a judge gives the same estimates, and the spread of the
replicates would be next to nothing (module :mod:`pairproof.fit.robust.clusters`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of, whole_number
from ...errors import InputError, NotEstimableError, TooLargeError
from ...fit.answers.fit import AnswerFit
from ...fit.contests.fit import ContestFit
from ...fit.fit import Fit
from ...fit.robust.observed import only_observed
from ...fit.robust.robust import Missing, Robust, cluster_codes
from ..hypotheses.taken_apart import take_apart
from ..pairs.build import Model
from .answers import AnswerRefitter
from .contests import ContestRefitter
from .draws import AnyDraws, ByCluster, ByRows, TwoWays, by_cluster, by_comparison, two_ways
from .quantities import Asked, Custom, Linear, Probabilities, Quantity, Ranks, Worths, quantities, ranks
from .refit import Refitter
from .replicates import AnyRefitter, Engine, make_replicates
from .result import Bootstrap

FloatArray = NDArray[np.float64]


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
    """Linear functions of the parameters of which the quantity is made, with names."""
    if isinstance(q, Linear):
        return q.names, np.asarray(q.functions.todense())
    if isinstance(q, (Worths, Ranks, Probabilities)):
        rows = np.asarray(q.abilities.rows.todense())
        return q.abilities.items[1:], rows[1:] - rows[0]
    return (), np.zeros((0, 0))


IntArray = NDArray[np.int64]

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
    parameters enter the limits as inf or -inf.  What an absent item leaves undefined is counted.

    Parameters
    ----------
    fit : Fit
        A fit by R is refitted by the native engine, which has to agree with it.
    *columns : str
        The column whose values are the clusters, such as "judge"; all comparisons of a cluster are drawn together.
        Two columns, such as "judge", "source": both are drawn, independently (Owen's pigeonhole bootstrap, which is
        conservative).  None: the clusters of a clustered fit; of another, single comparisons, from whole counts.
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
        Processes.  The numbers do not depend on it.  A process takes a second or two to start.
    progress : function of (int, int), optional
        Told (replicates done, replicates in all) now and then.

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        An unknown column, rows without a label, a single cluster, more than two columns, fractional counts without a
        column, a fit with pseudo-comparisons, an unknown quantity, or a function that raises or changes its names.
    TooLargeError
        Too many numbers a replicate.
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
    only_observed(fit, "the bootstrap")
    n = whole_number("replicates", replicates, 1)
    if n < 2:
        raise InputError("replicates=1; a spread needs at least 2, and 95 % limits 39")
    whole_number("workers", workers, 1)
    drawn_seed = (
        int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else whole_number("seed", seed)
    )
    one_of("missing", missing, ("refuse", "own"))
    if not columns and fit.robust is not None:
        columns = fit.robust.columns
    refitter: AnyRefitter
    if isinstance(fit, AnswerFit):
        refitter = AnswerRefitter(fit)
    elif isinstance(fit, ContestFit):
        refitter = ContestRefitter(fit)
    else:
        refitter = Refitter(take_apart(fit))
    wanted = quantities(fit, quantity, group)
    _check_size(n * sum(len(q.names) for q in wanted))
    if studentize and len(columns) == 2:
        raise InputError(
            "studentize=True with two columns: the variance of a two-way replicate may be negative; use bca or"
            " percentile limits, or one column"
        )
    draws = (
        refitter.draws(columns, missing)
        if isinstance(refitter, AnswerRefitter)
        else draws_of(refitter.model, columns, missing)
    )
    with_ranks = ranks(fit, group) if group is not None or len(fit.groups) == 1 else None
    engine = Engine(refitter, draws, tuple(wanted), with_ranks, studentize)
    whole = engine.evaluate(engine.refitter.full, None, "the table itself")
    alone = from_one_cluster(fit, columns, missing, engine.quantities)
    made = make_replicates(engine, n, drawn_seed, workers, progress)
    return Bootstrap(
        title=f"{fit.title}; {draws.title}",
        names=engine.names,
        estimate=whole.values,
        replicates=made.values,
        errors=made.errors if studentize else None,
        estimate_errors=whole.errors if studentize else None,
        columns=tuple(columns),
        n_clusters=_n_clusters(draws, columns),
        seed=drawn_seed,
        separated=made.separated,
        failed=made.failed,
        items=() if with_ranks is None else fit.items,
        ranks=made.rank,
        best=made.best,
        rank_estimate=whole.rank,
        alone=alone,
        engine=engine,
    )


def _check_size(numbers: int) -> None:
    if numbers > MOST_NUMBERS:
        raise TooLargeError(
            f"{numbers:,} numbers to keep, {8e-9 * numbers:.1f} GB (limit {MOST_NUMBERS:,}); ask for fewer replicates or"
            " fewer quantities"
        )


def codes_of(model: Model | ByRows, column: str, missing: Missing) -> IntArray:
    """int[n_rows]: cluster of every row of the table as fitted, -1 for rows without comparisons."""
    table = model.table
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    code, labels = cluster_codes(table, column, used, missing)
    if len(labels) < 2:
        raise InputError(
            f"{column}: all comparisons are of one cluster ({labels[0]}); there is nothing to tell clusters apart by"
        )
    out = np.full(table.n_rows, -1)
    out[used] = code
    return out


def draws_of(model: Model | ByRows, columns: Sequence[str], missing: Missing) -> AnyDraws:
    """How replicates are drawn, by no, one or two columns."""
    if len(columns) > 2 or len(set(columns)) != len(columns):
        raise InputError(f"bootstrap by {', '.join(columns)}; expected no column, one, or two different ones")
    if not columns:
        return by_comparison(model)
    codes = [codes_of(model, column, missing) for column in columns]
    if len(columns) == 1:
        return by_cluster(model, columns[0], codes[0])
    return two_ways(model, (columns[0], columns[1]), (codes[0], codes[1]))


def _n_clusters(draws: AnyDraws, columns: Sequence[str]) -> tuple[int, ...]:
    ways = (draws.one, draws.other) if isinstance(draws, TwoWays) else (draws,)
    n = {way.column: int(way.groups.shape[0]) for way in ways if isinstance(way, ByCluster)}
    return tuple(n[column] for column in columns)
