"""What a pilot says about a larger study: margin, ties, how far answers go together; its table as a design.

The intra-class correlation of the scores y = 1, 0, -1 of two systems is that of a one-way analysis of
variance: with mean squares MSB between and MSW within G units, n answers, m_g of unit g and m0 = (n - sum
m_g^2 / n) / (G - 1)::

    r = (MSB - MSW) / (MSB + (m0 - 1) MSW), at least 0
    limits (F / F_q - 1) / (F / F_q + m0 - 1), F = MSB / MSW, F_q the quantiles of F on G - 1 and n - G

(Donner 1986, Int. Statist. Rev. 54, 67-82; the limits of Searle 1971, Linear Models, section 9.8, are exact
for normal scores and as many answers of every unit, and rough otherwise).

A pilot table of several systems becomes the design of :mod:`pairproof.native.planning.sample_size`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.estimates.predictions import ability_functions, find_group
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray, IntArray
from ..comparisons.contests.bradley_terry import fit_bradley_terry
from ..competitions.ranking.sums_by_cluster import cluster_codes
from ..competitions.ranking.tests_by_judge import EqualityTest, judge_means
from ..competitions.ranking.two_systems import PairAnswers, answers_of, one_pair
from .sample_size import TableDesign, inverse_of


@dataclass(frozen=True)
class IntraClass:
    """An intra-class correlation with its limits.  icc: in [0, 1)."""

    icc: float
    low: float
    high: float
    units: int
    per_unit: float


@dataclass(frozen=True)
class Pilot:
    """What a pilot found.
    margin, tie_rate: P(first) - P(second), P(tie).  margin_test: the mean of judges' means with its interval;
    None with fewer than two judges.  judge, source: none where the table has no such column, or too few
    answers to tell.  why_not: why a correlation is not there."""

    names: tuple[str, str]
    answers: float
    margin: float
    tie_rate: float
    margin_test: EqualityTest | None
    judge: IntraClass | None
    source: IntraClass | None
    why_not: tuple[str, ...] = ()


def pilot_of(
    table: Comparisons, first: str | None = None, second: str | None = None, level: float = 0.95
) -> Pilot:
    """Margin, tie rate and intra-class correlations of two systems in a pilot.
    `first`, second: may be left out if the table holds one pair only."""
    of = answers_of(table, *one_pair(table, first, second)).answered
    counts = np.stack([of.wins, of.ties, of.losses], axis=1)
    n = float(counts.sum())
    margin, ties = float((of.wins - of.losses).sum()) / n, float(of.ties.sum()) / n
    found: dict[str, IntraClass | None] = {}
    why = []
    for column in ("judge", "source"):
        found[column] = None
        if column not in table.columns:
            why.append(f"no column {column}: its intra-class correlation is not known")
            continue
        try:
            found[column] = _icc(counts, cluster_codes(table, column, of.rows), level)
        except _TooFew as few:
            why.append(f"{column}: {few}")
    return Pilot(of.names, n, margin, ties, _margin_test(of), found["judge"], found["source"], tuple(why))


def _margin_test(of: PairAnswers) -> EqualityTest | None:
    judge = of.judge
    if judge is None or len(used := np.unique(judge.codes)) < 2:
        return None
    counts = (of.wins, of.losses, of.ties)
    a, b, t = (np.bincount(judge.codes, x, len(judge.levels))[used].astype(float) for x in counts)
    return judge_means(a, b, t)


class _TooFew(InputError):
    """Too few answers for a correlation."""


def _icc(counts: FloatArray, codes: IntArray, level: float) -> IntraClass:
    """Of scores 1, 0, -1, from their counts in each row.  codes: judge (or source) of each row, from 0."""
    by_unit = np.asarray(np.stack([np.bincount(codes, column) for column in counts.T], axis=1), float)
    squares = float(by_unit[:, 0].sum() + by_unit[:, 2].sum())
    return intraclass_correlation(by_unit.sum(axis=1), by_unit[:, 0] - by_unit[:, 2], squares, level)


def intraclass_correlation(m: FloatArray, sums: FloatArray, squares: float, level: float) -> IntraClass:
    """The intra-class correlation of scores by one-way analysis of variance.
    m, sums float[G]: the units' numbers of scores, and their sums.  squares: sum of all squared scores."""
    from scipy.special import fdtri

    n, g = float(m.sum()), len(m)
    if g < 2 or n <= g:
        raise _TooFew(
            f"{n:g} answers of {g}: a correlation needs two of them, and two answers of one of them"
        )
    within = max(squares - float((sums**2 / m).sum()), 0.0) / (n - g)
    between = max(float((sums**2 / m).sum()) - float(sums.sum()) ** 2 / n, 0.0) / (g - 1)
    m0 = (n - float((m**2).sum()) / n) / (g - 1)
    if between + within == 0.0:
        raise _TooFew("all answers are the same, so that their correlation is not known")

    def at(quantile: float) -> float:
        """(F / q - 1) / (F / q + m0 - 1), at least 0."""
        up, down = between - quantile * within, between + (m0 - 1.0) * quantile * within
        return max(up / down, 0.0) if down > 0.0 else 0.0

    low, high = (at(float(fdtri(g - 1, n - g, p))) for p in (0.5 + level / 2, 0.5 - level / 2))
    return IntraClass(at(1.0), low, high, g, m0)


#: Systems at most: each judge's information is a matrix of them.
MOST_ITEMS = 100


def pilot_table(
    table: Comparisons, *, judge_sd: float | None = None, source_sd: float | None = None
) -> TableDesign:
    """The abilities of a pilot and the parts of their covariance.
    The model is Bradley-Terry's, with Davidson's ties where ties could be given; the tie parameter is taken
    as known.  judge_sd, source_sd: tau_J and tau_S in log-odds; default: estimated from the table where it
    has the column, judges as one cluster each (0 where the covariance by cluster is the smaller one).
    Returns TableDesign: with sources where the table has a source column, or `source_sd` is given."""
    if "judge" not in table.columns:
        raise InputError(
            f"{table.source} has no column 'judge', and a study is planned by judges; --col judge=NAME says what the file"
            " calls it"
        )
    n = len(table.items)
    if n > MOST_ITEMS:
        raise InputError(f"{table.source}: {n} systems; a study is planned for {MOST_ITEMS} at most")
    fit = fit_bradley_terry(table)
    functions = ability_functions(fit, find_group(fit, None, None))
    abilities = functions @ fit.beta
    if not np.isfinite(abilities).all() or not table.is_connected() or len(table.unseparated_sets()) > 1:
        raise InputError(
            f"{table.source}: not every difference of systems has a finite estimate in the pilot; leave out systems that"
            " always win or lose, or state the abilities with --abilities (in Python, assumed_table)"
        )
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    row = _information(fit, table, used, abilities)
    total = _summed(row, table.first[used], table.second[used], np.zeros(len(used), np.int64), n)[0]
    m = inverse_of(total)
    parts, sds, counts = {}, {"judge": judge_sd, "source": source_sd}, {}
    for column in ("judge", "source"):
        if column not in table.columns:
            continue
        codes = cluster_codes(table, column, used)
        each = _summed(row, table.first[used], table.second[used], codes, n)
        counts[column] = float(len(each))
        parts[column] = m @ np.einsum("gij,gjk->ik", each, each) @ m
        if sds[column] is None and len(each) > 1:
            sds[column] = _sd(fit, column, functions, parts[column])
    if counts["judge"] < 2:
        raise InputError(f"{table.source}: one judge; a study is planned from the spread of two or more")
    if source_sd is not None and "source" not in counts:
        raise InputError(f"{table.source} has no column 'source', for which a spread is stated")
    tau, of_source = sds["judge"] or 0.0, sds["source"] or 0.0
    zero = np.zeros((n, n))
    return TableDesign(
        *(table.items, abilities, table.n_comparisons, counts["judge"], counts.get("source")),
        *(m, parts["judge"] * tau**2, parts.get("source", zero) * of_source**2, tau, of_source),
    )


def _information(fit: Fit, table: Comparisons, used: IntArray, abilities: FloatArray) -> FloatArray:
    """float[n_used]: information of each row about its difference of abilities, tie parameter known."""
    eta = abilities[table.first[used]] - abilities[table.second[used]]
    tie = math.exp(fit.params["tie"]) if math.isfinite(fit.params.get("tie", -math.inf)) else 0.0
    total = np.exp(eta / 2) + np.exp(-eta / 2) + tie
    mean = (np.exp(eta / 2) - np.exp(-eta / 2)) / total
    n = table.wins[used] + table.ties[used] + table.losses[used]
    return np.asarray(n * (1.0 - tie / total - mean**2) / 4)


def _summed(row: FloatArray, first: IntArray, second: IntArray, codes: IntArray, n: int) -> FloatArray:
    """float[G, n, n]: information of each cluster."""
    out = np.zeros((int(codes.max()) + 1, n, n))
    for a, b, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(out, (codes, a, b), sign * row)
    return out


def _sd(fit: Fit, column: str, functions: FloatArray, unit: FloatArray) -> float:
    """tau for which the mean variance of differences is that by cluster, at least 0; 0 with one cluster."""
    i, j = np.triu_indices(len(unit), 1)
    differences = functions[i] - functions[j]
    robust = fit.clustered(column).robust
    assert robust is not None
    clustered, model = robust.standard_errors(differences), np.diag(fit.covariance.between(differences))
    each = np.diag(unit)[i] + np.diag(unit)[j] - 2.0 * unit[i, j]
    there = np.isfinite(clustered)
    if not there.any():
        raise InputError(
            f"the pilot has too few clusters by {column} to estimate their spread; state it with --{column}-sd (in Python"
            f" {column}_sd=)"
        )
    more = float((clustered[there] ** 2 - model[there]).sum())
    return math.sqrt(max(more, 0.0) / float(each[there].sum()))
