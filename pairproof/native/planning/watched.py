"""Intervals that hold at every look at a table that grows: two systems, and all pairs of several.

For two systems the exact sequences of :mod:`pairproof.native.planning.looking_early`: the share of decisive answers
(beta mixture), the mean score with ties one half (hedged capital), and, where there are judges, the mean of judges'
mean scores, a judge counting as one score (hedged capital).  The first two suppose that answers are independent; the
third that judges are, and that a judge's answers are complete.

For several systems, and for clusters, the asymptotic sequence: estimate -+ multiplier x standard error, alpha divided by
the number of pairs; with clusters time is their number, and the standard error is enlarged by the ratio of the t to
the normal quantile (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ...fit.robust.clusters import Kind
from ..contests.bradley_terry import fit_bradley_terry
from ..ranking.by_cluster import check_clusters, cluster_codes
from ..ranking.headline import clustered_log_odds
from ..ranking.pairs_of_table import PairAnswers, answers_of, one_pair
from .looking_early import (
    FEWEST,
    FEWEST_CLUSTERS,
    bounded_scores,
    first_excluded,
    first_excluded_mean,
    multiplier,
    proportion,
    proportion_e_value,
)

FloatArray = NDArray[np.float64]

#: The planned size where none is stated: answers, and clusters.
PLANNED, PLANNED_CLUSTERS = 500, 50
#: What the intervals of two systems are of: answers, taken as independent, and judges.
PER_ANSWER = "share of decisive answers", "mean score, ties 1/2"
OF_JUDGES = "mean of judges' mean scores"
#: Answers up to which a hedged capital is made, which bets anew before each of them: 5 million take 0.4 GB.
MOST_ANSWERS = 5_000_000


@dataclass(frozen=True)
class WatchedInterval:
    """An interval that holds at every look, or the reason why there is none.

    `first`, second: the systems.  `what`: "share of decisive answers", "mean score, ties 1/2", "mean of
    judges' mean scores", or "log-odds".  `how`: "beta mixture", "hedged capital", or "asymptotic".  neutral:
    the value at which neither system is preferred: 1/2, or 0 of log-odds.  t: answers, judges or clusters so
    far.  estimate, low, high: nan where `why_not` says so.  settled_at: number of answers (judges) at the
    first look that left out the neutral value; None if none did, or if the order is not known.  e_value:
    evidence against the neutral value (beta mixture); nan otherwise.
    """

    first: str
    second: str
    what: str
    how: str
    neutral: float
    t: float
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    settled_at: int | None = None
    e_value: float = math.nan
    why_not: str = ""

    @property
    def settled(self) -> bool:
        """Whether the neutral value is left out now, or was at a former look."""
        return self.settled_at is not None or self.low > self.neutral or self.high < self.neutral


@dataclass(frozen=True)
class Watched:
    """All intervals of a look.

    level: of each interval of two systems; of all pairs together where there are several.  planned: t0 of
    asymptotic sequences.  assumed: what was taken for granted: the order, independence.  cautions: what the
    file itself speaks against.
    """

    intervals: tuple[WatchedInterval, ...]
    level: float
    planned: float
    assumed: tuple[str, ...]
    cautions: tuple[str, ...] = ()


def watch_two(
    table: Comparisons,
    first: str | None = None,
    second: str | None = None,
    *,
    level: float = 0.95,
    planned: float | None = None,
    cluster: str | Sequence[str] = (),
    kind: Kind = "CR2",
) -> Watched:
    """Intervals of two systems that hold at every look.

    table: its rows in the order in which answers came.  `first`, second: may be left out if the table holds
    one pair only.  planned: t0 of the asymptotic sequence by clusters, in clusters; default 50.  It must be
    chosen before the first look.  cluster: one column or two: the log-odds by these clusters as well.
    """
    columns = (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if columns:
        check_clusters(columns, kind)
    of = answers_of(table, *one_pair(table, first, second)).answered
    counts = np.stack([of.wins, of.ties, of.losses], axis=1)
    if (counts != np.floor(counts)).any():
        row = int(of.rows[np.flatnonzero((counts != np.floor(counts)).any(axis=1))[0]])
        raise InputError(
            f"{table.source}, row {row + 1}: the counts are not whole; a look needs single answers, so weights and half"
            " wins cannot be used"
        )
    # A row of one kind of answer has only one order.
    ordered = bool(((counts > 0).sum(axis=1) == 1).all())
    found = [_share(of, counts, ordered, level), _score(of, counts, ordered, level)]
    assumed = [
        "answers came in the order of the rows"
        if ordered
        else "rows hold counts of several kinds of answers, whose order is not known: only final numbers are used"
    ]
    assumed.append(
        "answers are independent of each other, in all but the intervals by judge or cluster; where judges differ, only"
        " those hold"
    )
    assumed.append("each interval holds by itself: choose one before the first look")
    if of.judge is not None:
        found.append(_judges(of, level))
        assumed.append(
            "judges are independent; a judge's answers are complete, and judges came in the order of the rows"
        )
    if columns:
        found.append(_clusters(of, columns, kind, level, planned or PLANNED_CLUSTERS))
        assumed.append(
            f"planned size {planned or PLANNED_CLUSTERS:g} clusters, which must have been chosen before the first look"
        )
    return Watched(tuple(found), level, planned or PLANNED_CLUSTERS, tuple(assumed))


def _share(of: PairAnswers, counts: FloatArray, ordered: bool, level: float) -> WatchedInterval:
    wins, t = float(of.wins.sum()), float(of.wins.sum() + of.losses.sum())
    head = (*of.names, PER_ANSWER[0], "beta mixture", 0.5, t)
    if not t:
        return WatchedInterval(*head, why_not="no answer prefers either system")
    decisive = counts[:, 0] + counts[:, 2]
    at = first_excluded(counts[:, 0] > 0, level, times=decisive) if ordered else None
    e = float(proportion_e_value(wins, t))
    return WatchedInterval(*head, wins / t, *proportion(wins, t, level), at and _looks(counts, at), e)


def _looks(counts: FloatArray, decisive: int) -> int:
    """Answers, ties among them, up to a decisive one."""
    row = int(np.searchsorted(np.cumsum(counts[:, 0] + counts[:, 2]), decisive))
    return decisive + int(counts[:row, 1].sum())


def _score(of: PairAnswers, counts: FloatArray, ordered: bool, level: float) -> WatchedInterval:
    answers = float(counts.sum())
    head = (*of.names, PER_ANSWER[1], "hedged capital", 0.5, answers)
    if not ordered:
        return WatchedInterval(
            *head, why_not="it needs the order of answers, which rows of counts do not give"
        )
    if answers > MOST_ANSWERS:
        why = f"it bets anew before each answer and is made for {MOST_ANSWERS:,} of them, here are {answers:,.0f}"
        return WatchedInterval(*head, why_not=why)
    single = np.repeat(np.tile([1.0, 0.5, 0.0], len(counts)), counts.ravel().astype(np.int64))
    return _hedged(head, single, level)


def _hedged(
    head: tuple[str, str, str, str, float, float], scores: FloatArray, level: float
) -> WatchedInterval:
    try:
        low, high = bounded_scores(scores, level)
    except InputError as trouble:
        return WatchedInterval(*head, why_not=str(trouble))
    mean = float(scores.mean())
    if not low <= mean <= high:
        why = f"the scores drift: limits for a constant mean, {low:.3f} to {high:.3f}, leave out the mean so far, {mean:.3f}"
        return WatchedInterval(*head, mean, why_not=why)
    return WatchedInterval(*head, mean, low, high, first_excluded_mean(scores, level))


def _judges(of: PairAnswers, level: float) -> WatchedInterval:
    """Judges as scores between 0 and 1, in the order in which they first answered."""
    judge = of.judge
    assert judge is not None
    codes, first = np.unique(judge.codes, return_index=True)
    a, b, t = (np.bincount(judge.codes, x, len(judge.levels))[codes] for x in (of.wins, of.losses, of.ties))
    scores = ((a + t / 2) / (a + b + t))[np.argsort(first)]
    head = (*of.names, OF_JUDGES, "hedged capital", 0.5, float(len(scores)))
    return _hedged(head, scores, level)


def _clusters(
    of: PairAnswers, columns: tuple[str, ...], kind: Kind, level: float, planned: float
) -> WatchedInterval:
    codes = [cluster_codes(of.table, column, of.rows) for column in columns]
    test, error = clustered_log_odds(of.wins, of.losses, codes, list(columns), kind)
    t = float(min(error.n_clusters)) if error is not None else 0.0
    head = (*of.names, "log-odds", f"asymptotic, {test.name}", 0.0, t)
    if test.why_not:
        return WatchedInterval(*head, why_not=test.why_not)
    return _asymptotic(head, test.estimate, test.se, test.df, level, planned, FEWEST_CLUSTERS)


def _asymptotic(
    head: tuple[str, str, str, str, float, float],
    estimate: float,
    se: float,
    df: float,
    level: float,
    planned: float,
    fewest: int,
) -> WatchedInterval:
    from scipy.special import ndtri, stdtrit

    t = head[-1]
    if t < fewest:
        unit = "clusters" if fewest == FEWEST_CLUSTERS else "answers"
        return WatchedInterval(
            *head, estimate, why_not=f"the asymptotic sequence starts at {fewest} {unit}, here are {t:g}"
        )
    half = (1 + level) / 2
    wider = float(stdtrit(df, half) / ndtri(half)) if math.isfinite(df) else 1.0
    reach = multiplier(t, planned, level, fewest) * se * wider
    return WatchedInterval(*head, estimate, estimate - reach, estimate + reach)


def watch_table(
    table: Comparisons,
    *,
    level: float = 0.95,
    planned: float | None = None,
    cluster: str | Sequence[str] = (),
    kind: Kind = "CR2",
) -> Watched:
    """Intervals of all pairs of a table that hold at every look, all together.

    The model is Bradley-Terry's, with Davidson's ties where ties could be given.

    planned: t0, in answers, or in clusters; default 500, or 50.  It must be chosen before the first look.
    cluster: one column or two; without them answers are taken as independent.
    """
    columns = (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if columns:
        check_clusters(columns, kind)
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % intervals")
    fit = fit_bradley_terry(table)
    if columns:
        fit = fit.clustered(*columns, kind=kind)
    fewest, default = (FEWEST_CLUSTERS, PLANNED_CLUSTERS) if columns else (FEWEST, PLANNED)
    t = float(min(fit.robust.n_clusters)) if fit.robust is not None else table.n_comparisons
    size = planned or default
    names = table.items
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    each = 1.0 - (1.0 - level) / len(pairs)
    found = tuple(_of_pair(fit, a, b, t, each, size, fewest) for a, b in pairs)
    assumed = (
        f"alpha is divided by {len(pairs)} pairs: all intervals hold together",
        "time is the number of clusters, which are independent and complete"
        if columns
        else "answers are independent of each other; if judges or sources differ, name them with --cluster",
        f"planned size {size:g} {'clusters' if columns else 'answers'}, which must have been chosen before the first look",
    )
    return Watched(found, level, size, assumed, () if columns else _not_independent(table))


def _not_independent(table: Comparisons) -> tuple[str, ...]:
    """The caution about columns that several answers share, where no cluster was asked for."""
    shared = [
        column
        for column in ("judge", "source")
        if isinstance(factor := table.columns.get(column), Factor)
        and 1 < len(factor.levels) < table.n_comparisons
    ]
    if not shared:
        return ()
    return (
        f"answers of one {' or about one '.join(shared)} are taken as independent here: --cluster {','.join(shared)} does"
        " not suppose that",
    )


def _of_pair(
    fit: Fit, first: str, second: str, t: float, level: float, planned: float, fewest: int
) -> WatchedInterval:
    from ...errors import NotEstimableError

    how = "asymptotic" if fit.robust is None else f"asymptotic, {fit.robust.title}"
    head = (first, second, "log-odds", how, 0.0, t)
    try:
        found = fit.contrast(first, second)
    except NotEstimableError as why:
        return WatchedInterval(*head, why_not=str(why))
    return _asymptotic(head, found.estimate, found.se, found.df, level, planned, fewest)
