"""Confidence sequences: intervals that hold at every look, for studies that are watched while answers come
in.

With S successes in t answers, y_i in [0, 1] scores (ties one half), alpha = 1 - level::

    proportion   p is excluded if B(a + S, a + t - S) / B(a, a) >= p^S (1 - p)^(t - S) / alpha     (a = 1/2)
    scores       excluded if the mean of two hedged capitals reaches 1 / alpha (Waudby-Smith, Ramdas 2024)
    estimates    estimate -+ se_t sqrt(2 (t r^2 + 1) / (t r^2) log(sqrt(t r^2 + 1) / alpha)), r by planned t

The first two hold for any number of looks and any t (Ville's inequality; the first is Robbins's mixture); the
third is asymptotic, for any estimate with a standard error, t the independent answers or clusters behind it
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Ann. Statist. 52, 2613-2640).  A 95 % interval looked
at after every one of 2,000 answers errs in half of all studies.

Two systems: the share of decisive answers (proportion), the mean score, and, where there are judges, the mean
of judges' mean scores, a judge counting as one score.  The first two suppose that answers are independent;
the third that judges are, and that a judge's answers are complete.  Several systems, and clusters: the
asymptotic sequence, alpha divided by the number of pairs; with clusters time is their number, and the
standard error is enlarged by the ratio of the t to the normal quantile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ...data.columns import Factor, refuse_rows
from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ...fit.robust.clustered_fit import Kind
from ...numerics.arrays import FloatArray
from ..comparisons.contests.bradley_terry import fit_bradley_terry
from ..competitions.ranking.sums_by_cluster import asked_clusters, cluster_codes
from ..competitions.ranking.two_systems import PairAnswers, answers_of, clustered_log_odds, one_pair

#: Fewest independent answers, and fewest clusters with CR2, for the asymptotic sequence.
FEWEST, FEWEST_CLUSTERS = 50, 20


def _alpha(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for 95 % intervals")
    return 1.0 - level


def proportion(
    successes: float, answers: float, level: float = 0.95, prior: float = 0.5
) -> tuple[float, float]:
    """Limits for a probability that hold at every look.

    Parameters
    ----------
    successes, answers : float
        Decisive answers for the first system, and all decisive answers.
    level : float
        In (0, 1).
    prior : float
        a of the symmetric beta mixture, positive.

    Raises
    ------
    InputError

    Examples
    --------
    >>> from pairproof.native.planning.looking_early import proportion
    >>> low, high = proportion(60, 100)
    >>> round(low, 4), round(high, 4)
    (0.4343, 0.7514)
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    alpha = _alpha(level)
    if not (0.0 <= successes <= answers and answers > 0.0 and prior > 0.0):
        raise InputError(
            f"{successes} successes of {answers} answers, prior {prior}; expected 0 <= successes <= answers"
        )
    mixture = float(betaln(prior + successes, prior + answers - successes) - betaln(prior, prior))

    def excess(p: float) -> float:
        return mixture - float(xlogy(successes, p) + xlog1py(answers - successes, -p)) + math.log(alpha)

    middle = float(np.clip(successes / answers, 1e-16, 1.0 - 1e-16))
    low = 0.0 if successes == 0.0 else float(brentq(excess, 1e-300, middle, xtol=1e-15))
    high = 1.0 if successes == answers else float(brentq(excess, middle, 1.0 - 1e-16, xtol=1e-15))
    return low, high


EVEN, PRIOR = 0.5, 0.5


def proportion_e_value(successes: ArrayLike, answers: ArrayLike) -> FloatArray:
    """Evidence against a probability of 1/2: the beta mixture's likelihood over that of 1/2.
    The probability that it ever reaches 1 / alpha is at most alpha where 1/2 is the truth (Ville 1939).
    successes, answers float[k].  Returns float[k]: at least 0; above 1e300 it is inf."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(_log_mixture(successes, answers)))


def _log_mixture(successes: ArrayLike, answers: ArrayLike) -> FloatArray:
    from scipy.special import betaln

    s, t = np.asarray(successes, float), np.asarray(answers, float)
    mixture = betaln(PRIOR + s, PRIOR + t - s) - betaln(PRIOR, PRIOR)
    return np.asarray(mixture - s * math.log(EVEN) - (t - s) * math.log1p(-EVEN))


def first_excluded(successes: ArrayLike, level: float = 0.95, times: ArrayLike | None = None) -> int | None:
    """The first look at which a probability of 1/2 is excluded, where one looks after every answer.
    successes float[t]: 0 or 1 for each decisive answer, in the order in which they came.  times float[t]: how
    many answers each entry stands for, one after the other; default: one.  Returns int or None: number of
    answers then; None if it has not been excluded."""
    y = np.asarray(successes, float)
    n = np.ones(len(y)) if times is None else np.asarray(times, float)
    total, t = np.cumsum(y * n), np.cumsum(n)
    reach = -math.log(_alpha(level))
    hit = np.flatnonzero(_log_mixture(total, t) >= reach)
    if not len(hit):
        return None
    # Among equal answers the evidence falls until they are expected, and then rises: it first reaches the
    # bound among those after whose last one it is beyond, and stays beyond it to their end.
    k = int(hit[0])
    before, last = int(t[k] - n[k]), int(t[k])
    first, successes_before = before + 1, float(total[k] - y[k] * n[k])
    while first < last:
        middle = (first + last) // 2
        there = _log_mixture(successes_before + y[k] * (middle - before), middle)
        first, last = (first, middle) if there >= reach else (middle + 1, last)
    return first


def bounded_scores(scores: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Limits for the mean of scores in [0, 1], in the order in which they came, that hold at every look.
    scores float[t]: 1 for the first system, 0 for the second, 1/2 for a tie; or any scores between 0 and
    1."""
    from scipy.optimize import brentq

    y, bets = _bets(scores, level)
    reach = math.log(2.0 / _alpha(level))

    def capital(m: float) -> float:
        return max(float(side.sum()) for side in _log_capital(y, bets, m)) - reach

    tiny = 1e-9
    middle = float(np.clip(y.mean(), 2 * tiny, 1.0 - 2 * tiny))
    if capital(middle) >= 0.0:
        grid = np.linspace(tiny, 1.0 - tiny, 401)
        middle = float(min(grid, key=capital))
        if capital(middle) >= 0.0:
            raise InputError(
                "the scores drift: no constant mean is left at this level, so there is nothing to bound; look at them in"
                " the order in which they came"
            )
    low = float(brentq(capital, tiny, middle, xtol=1e-14)) if capital(tiny) > 0.0 else 0.0
    high = float(brentq(capital, middle, 1.0 - tiny, xtol=1e-14)) if capital(1.0 - tiny) > 0.0 else 1.0
    return low, high


def first_excluded_mean(scores: ArrayLike, level: float = 0.95) -> int | None:
    """The first look at which a mean score of 1/2 is excluded, where one looks after every answer.
    scores float[t]: in [0, 1], in the order in which they came.  Returns int or None: number of scores then;
    None if it has not been excluded."""
    y, bets = _bets(scores, level)
    best = np.maximum(*(np.cumsum(side) for side in _log_capital(y, bets, EVEN)))
    hit = np.flatnonzero(best >= math.log(2.0 / _alpha(level)))
    return int(hit[0]) + 1 if len(hit) else None


def _bets(scores: ArrayLike, level: float) -> tuple[FloatArray, FloatArray]:
    """The scores, and the bet before each of them."""
    y = np.asarray(scores, dtype=float)
    if y.ndim != 1 or not len(y) or not ((y >= 0.0) & (y <= 1.0)).all():
        raise InputError("expected a list of scores between 0 and 1")
    t = np.arange(1, len(y) + 1)
    mean = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return y, np.sqrt(2.0 * math.log(2.0 / _alpha(level)) / (before * t * np.log(t + 1)))


def _log_capital(y: FloatArray, bets: FloatArray, m: float) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the factors of K+ and K-."""
    up = np.log1p(np.minimum(bets, 0.5 / m) * (y - m))
    return up, np.log1p(-np.minimum(bets, 0.5 / (1.0 - m)) * (y - m))


def multiplier(t: float, planned: float, level: float = 0.95, fewest: int = FEWEST) -> float:
    """What a standard error is multiplied with in place of 1.96, at the t-th of `planned` answers or clusters.

    Parameters
    ----------
    t : float
        Independent answers, or clusters.
    planned : float
        t0, at which the interval is nearly narrowest; chosen before the first look.
    level : float
        In (0, 1).
    fewest : int
        t at which the approximation is first used: 50 answers, or 20 clusters with CR2.

    Raises
    ------
    InputError
        t below `fewest`: the approximation does not hold yet.

    Examples
    --------
    >>> from pairproof.native.planning.looking_early import multiplier
    >>> round(multiplier(500, 500), 4)
    3.0352
    """
    alpha = _alpha(level)
    if t < fewest or not planned > 0:
        raise InputError(
            f"t={t:g}, planned={planned:g}; the asymptotic sequence starts at {fewest} independent answers or clusters"
        )
    log = math.log(alpha)
    r2 = (-2.0 * log + math.log(1.0 - 2.0 * log)) / planned
    return math.sqrt(2.0 * (t * r2 + 1.0) / (t * r2) * math.log(math.sqrt(t * r2 + 1.0) / alpha))


#: The planned size where none is stated: answers, and clusters.
PLANNED, PLANNED_CLUSTERS = 500, 50
#: What the intervals of two systems are of: answers, taken as independent, and judges.
PER_ANSWER = "share of decisive answers", "mean score, ties 1/2"
OF_JUDGES = "mean of judges' mean scores"
#: Answers up to which a hedged capital is made, which bets again before each of them: 5 million take 0.4 GB.
MOST_ANSWERS = 5_000_000


@dataclass(frozen=True)
class WatchedInterval:
    """An interval that holds at every look, or the reason why there is none.
    `what`: "share of decisive answers", "mean score, ties 1/2", "mean of judges' mean scores", or "log-odds".
    `how`: "beta mixture", "hedged capital", or "asymptotic".  neutral: the value at which neither system is
    preferred: 1/2, or 0 of log-odds.  t: answers, judges or clusters so far.  estimate, low, high: nan where
    `why_not` says so.  settled_at: number of answers (judges) at the first look that left out the neutral
    value; None if none did, or if the order is not known.  e_value: evidence against the neutral value (beta
    mixture); nan otherwise."""

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
    level: of each interval of two systems; of all pairs together where there are several.  assumed: what was
    taken for granted: the order, independence.  cautions: what the file itself speaks against."""

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
    `first`, second: may be left out if the table holds one pair only.  planned: t0 of the asymptotic sequence
    by clusters, in clusters; default 50.  It must be chosen before the first look.  cluster: one column or
    two: the log-odds by these clusters as well."""
    columns = asked_clusters(cluster, kind)
    of = answers_of(table, *one_pair(table, first, second)).answered
    counts = np.stack([of.wins, of.ties, of.losses], axis=1)
    needed = "the counts are not whole; a look needs single answers, so weights and half wins cannot be used"
    refuse_rows(table.source, (counts != np.floor(counts)).any(axis=1), needed, of.rows)
    # A row of one kind of answer has only one order.
    ordered = bool(((counts > 0).sum(axis=1) == 1).all())
    found = [_share(of, counts, ordered, level), _score(of, counts, ordered, level)]
    unknown = (
        "rows hold counts of several kinds of answers, whose order is not known: only final numbers are used"
    )
    assumed = ["answers came in the order of the rows" if ordered else unknown]
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
        why = "it needs the order of answers, which rows of counts do not give"
        return WatchedInterval(*head, why_not=why)
    if answers > MOST_ANSWERS:
        why = f"it bets again before each answer and is made for {MOST_ANSWERS:,} of them, here are {answers:,.0f}"
        return WatchedInterval(*head, why_not=why)
    single = np.repeat(np.tile([1.0, 0.5, 0.0], len(counts)), counts.ravel().astype(np.int64))
    return _hedged(head, single, level)


_Head = tuple[str, str, str, str, float, float]


def _hedged(head: _Head, scores: FloatArray, level: float) -> WatchedInterval:
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
    head: _Head, estimate: float, se: float, df: float, level: float, planned: float, fewest: int
) -> WatchedInterval:
    from scipy.special import ndtri, stdtrit

    t = head[-1]
    if t < fewest:
        unit = "clusters" if fewest == FEWEST_CLUSTERS else "answers"
        why = f"the asymptotic sequence starts at {fewest} {unit}, here are {t:g}"
        return WatchedInterval(*head, estimate, why_not=why)
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
    The model is Bradley-Terry's, with Davidson's ties where ties could be given.  planned: t0, in answers, or
    in clusters; default 500, or 50.  It must be chosen before the first look.  cluster: one column or two;
    without them answers are taken as independent."""
    columns = asked_clusters(cluster, kind)
    alpha = _alpha(level)
    fit = fit_bradley_terry(table)
    if columns:
        fit = fit.clustered(*columns, kind=kind)
    fewest, default = (FEWEST_CLUSTERS, PLANNED_CLUSTERS) if columns else (FEWEST, PLANNED)
    t = float(min(fit.robust.n_clusters)) if fit.robust is not None else table.n_comparisons
    size = planned or default
    pairs = list(combinations(table.items, 2))
    each = 1.0 - alpha / len(pairs)
    found = tuple(_of_pair(fit, a, b, t, each, size, fewest) for a, b in pairs)
    time = "time is the number of clusters, which are independent and complete"
    alike = "answers are independent of each other; if judges or sources differ, name them with --cluster"
    assumed = (
        f"alpha is divided by {len(pairs)} pairs: all intervals hold together",
        time if columns else alike,
        f"planned size {size:g} {'clusters' if columns else 'answers'}, which must have been chosen before the first look",
    )
    return Watched(found, level, size, assumed, () if columns else _not_independent(table))


def _not_independent(table: Comparisons) -> tuple[str, ...]:
    """The caution about columns that several answers share, where no cluster was asked for."""
    factors = {column: table.columns.get(column) for column in ("judge", "source")}
    levels = {column: len(factor.levels) for column, factor in factors.items() if isinstance(factor, Factor)}
    shared = [column for column, n in levels.items() if 1 < n < table.n_comparisons]
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
