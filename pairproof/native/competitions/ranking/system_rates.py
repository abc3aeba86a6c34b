"""Error rates of several systems on the same sentences: each rate, paired differences, and notes.

The formulas are those of :mod:`pairproof.native.competitions.ranking.error_rates` (Vilar, Leusch and Ney 2007, section 3);
p of k pairs is also given after Holm's correction.  Pairs that do not have the same sentences are not
compared, and say why.  The notes say in words what the rates mean, and where a reader should doubt them.

Standard errors by cluster of sentences (document, editor, or both): the rate R = D / L is a ratio of sums;
sentence i adds e_i / L to its error, e_i = d_i - R l_i, and holds l_i / L of the information (errors as
Poisson counts of mean R l_i).  Summed over clusters these give CR0, CR1 and CR2 of
:mod:`pairproof.native.competitions.ranking.sums_by_cluster`.  With each sentence its own cluster CR1 is the delta method of
:mod:`pairproof.native.competitions.ranking.error_rates`.  A difference of two systems has the parts e_1i / L1 and -e_2i /
L2, each in the cluster of its own row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from ....data.reading.beside.sentence_errors import (
    COLUMNS,
    ErrorTable,
    Shared,
    SystemErrors,
    shared_sentences,
)
from ....data.reading.sources import suggestion
from ....errors import InputError, ItemError
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.fit_record import listed
from ....fit.robust.clustered_fit import Kind
from ....fit.shown.fit_json import finite
from ....numerics.arrays import IntArray
from . import error_rates as single
from .error_rates import ErrorRate, Estimator, RateDifference
from .sums_by_cluster import ClusteredError, check_clusters, clustered_error


def clustered_rate(of: SystemErrors, columns: Sequence[str], kind: Kind = "CR2") -> ClusteredError:
    """The standard error of one system's rate by cluster."""
    parts, shares, _ = single.residual_shares(of.errors, of.lengths)
    codes = [_codes(of.clusters[column]) for column in columns]
    return clustered_error(parts[:, None], shares[:, None], codes, columns, kind)


def clustered_difference(
    first: SystemErrors, second: SystemErrors, shared: Shared, columns: Sequence[str], kind: Kind = "CR2"
) -> ClusteredError:
    """The standard error by cluster of first rate - second rate on the sentences both have.
    Returns ClusteredError: without a standard error where a sentence is in one cluster for the first system
    and in another for the second, by every column: its two rows would be taken as independent."""
    i, j = shared.first, shared.second
    one, of_one, rate_one = single.residual_shares(first.errors[i], first.lengths[i])
    two, of_two, rate_two = single.residual_shares(second.errors[j], second.lengths[j])
    labels = [
        ([first.clusters[column][k] for k in i], [second.clusters[column][k] for k in j])
        for column in columns
    ]
    apart = np.ones(len(i), bool)
    for mine, theirs in labels:
        apart &= np.array(mine, object) != np.array(theirs, object)
    if apart.any():
        k = int(np.flatnonzero(apart)[0])
        names = ", ".join(f"{mine[k]} and {theirs[k]}" for mine, theirs in labels)
        sentence = first.sentences[int(i[k])] if first.sentences is not None else str(k + 1)
        why = (
            f"{int(apart.sum())} sentences are in different clusters of the two systems ({sentence}: {names}), and would be"
            " taken as independent; cluster by the sentence as well"
        )
        return ClusteredError(np.nan, np.nan, kind, tuple(columns), (0,) * len(columns), why_not=why)
    zero = np.zeros(len(i))
    parts = np.concatenate([np.stack([one, zero], axis=1), np.stack([zero, -two], axis=1)])
    shares = np.concatenate([np.stack([of_one, zero], axis=1), np.stack([zero, of_two], axis=1)])
    # Parts of the variance R1 / L1 + R2 / L2 of Poisson errors.
    weights = np.array([rate_one / first.lengths[i].sum(), rate_two / second.lengths[j].sum()])
    codes = [_codes((*mine, *theirs)) for mine, theirs in labels]
    return clustered_error(parts, shares, codes, columns, kind, weights if weights.any() else None)


def check_columns(clusters: Sequence[str], estimator: str) -> None:
    """Refuse an estimator that has no form by cluster."""
    if clusters and estimator != "delta":
        vilar = "equation 9 takes every word to go wrong by itself"
        name = vilar if estimator == "vilar" else "the jackknife is by sentence"
        raise InputError(
            f"{name}, and has no form by cluster; leave the standard error at delta (--se delta)"
        )


def _codes(labels: Sequence[str]) -> IntArray:
    return np.asarray(np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1].astype(np.int64))


#: So many names of sentences are shown; the JSON has all.
SHOWN = 5


@dataclass(frozen=True, eq=False)
class TwoRates:
    """The paired comparison of two systems' error rates.
    difference: none where they are not compared; `why_not` says why.  same_lengths: sentences compared whose
    length is the same for both.  p_holm: p corrected for the number of pairs (Holm 1979).  clustered: the
    standard error by the clusters that were asked for."""

    first: str
    second: str
    shared: Shared
    difference: RateDifference | None
    same_lengths: int = 0
    why_not: str = ""
    p_holm: float | None = None
    clustered: ClusteredError | None = None


@dataclass(frozen=True, eq=False)
class Rates:
    """The error rates of all systems of a table, and the differences of their pairs.
    systems: in the order of the table.  pairs: empty where the sentences have no names.  level: in (0, 1).
    clustered: the standard error of each system's rate by cluster; empty if clusters were not asked for, and
    in the place of `estimator` otherwise."""

    table: ErrorTable
    systems: dict[str, ErrorRate]
    pairs: tuple[TwoRates, ...]
    level: float
    estimator: Estimator
    clustered: dict[str, ClusteredError] = field(default_factory=dict)

    @property
    def of_pairs(self) -> Estimator:
        """The estimator of differences, for which equation 9 has no form."""
        return "delta" if self.estimator == "vilar" else self.estimator

    def significant(self, two: TwoRates) -> bool | None:
        """Whether p < 1 - level; None where there is no p."""
        p = self.p(two)
        return None if p is None else p < 1 - self.level

    def p(self, two: TwoRates) -> float | None:
        """Of the difference, by clusters if they were asked for; None where there is none."""
        return self._tested(two)[1]

    def statistic(self, two: TwoRates) -> float | None:
        """z of the difference, or t by clusters; None where there is none."""
        return self._tested(two)[0]

    def _tested(self, two: TwoRates) -> tuple[float | None, float | None]:
        difference = two.difference
        if difference is None:
            return None, None
        if two.clustered is None:
            return difference.z(self.of_pairs), difference.p(self.of_pairs)
        return finite(two.clustered.t(difference.difference)), finite(two.clustered.p(difference.difference))

    def interval(self, name: str) -> tuple[float, float]:
        """Of a system's rate; nan where clusters have no standard error."""
        if name in self.clustered:
            return self.clustered[name].interval(self.systems[name].rate, self.level)
        return self.systems[name].interval(self.level, self.estimator)

    def interval_of(self, two: TwoRates) -> tuple[float, float]:
        """Of the difference of a pair that is compared; nan where clusters have no standard error."""
        assert two.difference is not None
        if two.clustered is not None:
            return two.clustered.interval(two.difference.difference, self.level)
        return two.difference.interval(self.level, self.of_pairs)


def rates_of(
    table: ErrorTable,
    *,
    pair: tuple[str, str] | None = None,
    estimator: Estimator = "delta",
    level: float = 0.95,
    common: bool = False,
    cluster: Sequence[str] = (),
    kind: Kind = "CR2",
) -> Rates:
    """Rates of all systems and differences of all pairs, or of the pair that is named.
    pair: only these two, from the first one's side.  common: compare a pair on the sentences both have where
    they are not the same.  cluster: one column or two, with which the table was read: standard errors
    clustered by these columns."""
    if cluster:
        check_clusters(cluster, kind)
        check_columns(cluster, estimator)
    for name in pair or ():
        if name not in table.systems or not table.named:
            has = f"the systems are {', '.join(list(table.systems)[:20])}"
            cure = "name it with --system (in Python system=)"
            has = has if table.named else f"it has no column 'system'; {cure}"
            raise ItemError(f"{table.source}: no system {name!r}; {has}")
    if pair and pair[0] == pair[1]:
        raise ItemError(f"{pair[0]!r} against itself is not a comparison; name two systems")
    paired = all(of.sentences is not None for of in table.systems.values())
    if pair and not paired:
        raise InputError(
            f"{table.source}: no column 'sentence', so nothing says which errors of {pair[0]} and"
            f" {pair[1]} belong together; found {', '.join(map(repr, table.columns))}; name it with"
            " --sentence (in Python sentence=)"
        )
    own = {name: table.systems[name] for name in pair or table.systems}
    systems = {name: single.error_rate(of.errors, of.lengths) for name, of in own.items()}
    pairs = [_two(table, a, b, common) for a, b in combinations(systems, 2)] if paired else []
    by_cluster = {name: clustered_rate(of, cluster, kind) for name, of in own.items() if cluster}
    if cluster:
        pairs = [_by_cluster(table, two, cluster, kind) for two in pairs]
    found = Rates(table, systems, tuple(pairs), level, estimator, by_cluster)
    return replace(found, pairs=_corrected(found))


def _two(table: ErrorTable, first: str, second: str, common: bool) -> TwoRates:
    a, b = table.systems[first], table.systems[second]
    shared = shared_sentences(a, b)
    alone = [
        f"{len(names)} of {system} {'is' if len(names) == 1 else 'are'} not there for"
        f" {other} ({listed(names, SHOWN)})"
        for system, other, names in ((first, second, shared.only_first), (second, first, shared.only_second))
        if names
    ]
    both = len(shared.first)
    why_not = ""
    if alone and not common:
        cure = f", or compare the {both} they share with --common" if both > 1 else ""
        why_not = f"not the same sentences: {'; '.join(alone)}; complete the table{cure}"
    elif both < 2:
        why_not = f"they share {both} sentence{'s' * (both != 1)}; a standard error needs at least 2"
    if why_not:
        return TwoRates(first, second, shared, None, why_not=why_not)
    i, j = shared.first, shared.second
    difference = single.rate_difference(a.errors[i], b.errors[j], a.lengths[i], b.lengths[j])
    return TwoRates(first, second, shared, difference, int(np.sum(a.lengths[i] == b.lengths[j])))


def _by_cluster(table: ErrorTable, two: TwoRates, cluster: Sequence[str], kind: Kind) -> TwoRates:
    if two.difference is None:
        return two
    a, b = table.systems[two.first], table.systems[two.second]
    return replace(two, clustered=clustered_difference(a, b, two.shared, cluster, kind))


def _corrected(found: Rates) -> tuple[TwoRates, ...]:
    """The pairs with Holm's p-values."""
    p = [found.p(two) for two in found.pairs]
    corrected = single.holm([np.nan if value is None else value for value in p])
    return tuple(replace(two, p_holm=finite(float(c))) for two, c in zip(found.pairs, corrected))


#: Equation 9 and the delta method are said to disagree beyond this share.
DISAGREE = 0.10
#: Below so many sentences the normal interval is called too short; a rule of thumb (Student's t has 2.04 for
#: 1.96 at 30).
FEW = 30


def sentences(rates: Rates) -> list[str]:
    """What the numbers say and where to doubt them, a sentence each."""
    return [*_of_table(rates), *_of_order(rates), *_of_estimators(rates), *_of_pairs(rates)]


def _of_table(rates: Rates) -> Iterator[str]:
    table = rates.table
    if not table.named:
        (only,) = rates.systems.values()
        yield (
            f"no column {COLUMNS['system']!r}{suggestion(COLUMNS['system'], table.columns)}: all"
            f" {only.m} rows are taken as one system"
        )
    if len(rates.systems) > 1 and not rates.pairs:
        yield (
            f"no column {COLUMNS['sentence']!r}{suggestion(COLUMNS['sentence'], table.columns)}: systems are"
            " not compared, since nothing says which of their errors are of the same sentence"
        )
    for name in rates.systems:
        errors = table.systems[name].errors
        broken = int(np.sum(errors != np.round(errors)))
        if broken:
            yield (
                f"{_who(name)}{broken} of {len(errors)} errors are not whole numbers; the column must hold"
                " counts of edits, not rates"
            )


def _of_order(rates: Rates) -> Iterator[str]:
    if len(rates.systems) > 1:
        by_rate: dict[float, list[str]] = {}
        for name, rate in rates.systems.items():
            by_rate.setdefault(rate.rate, []).append(name)
        apart = [two for two in rates.pairs if two.shared.only_first or two.shared.only_second]
        own = "" if rates.pairs and not apart else ", each on its own sentences"
        order = " ".join(" = ".join(by_rate[rate]) for rate in sorted(by_rate))
        yield f"lowest rate first{own}: {order}"
    tested = [two for two in rates.pairs if two.p_holm is not None]
    if len(tested) > 1:
        alpha = 1 - rates.level
        still = [f"{t.first}-{t.second}" for t in tested if t.p_holm is not None and t.p_holm < alpha]
        yield (
            f"{len(tested)} pairs are tested; significant after Holm's correction for that:"
            f" {', '.join(still) or 'none'}"
        )


def _of_estimators(rates: Rates) -> Iterator[str]:
    for name, rate in rates.systems.items():
        ratio = rate.vilar_to_delta
        if ratio is not None and abs(ratio - 1) > DISAGREE:
            yield (
                f"{_who(name)}equation 9 takes every word to go wrong by itself; here it is {ratio:.2f} times"
                f" the delta method's ({rate.se_vilar:.6f} against {rate.se_delta:.6f})"
            )
        if ratio is None:
            yield (
                f"{_who(name)}every sentence has the same rate, so every standard error is 0 and the interval"
                " says nothing"
            )
        if rates.interval(name)[0] < 0:
            yield f"{_who(name)}the interval reaches below 0: too few errors for a symmetric interval"
    compared = [two.difference.m for two in rates.pairs if two.difference is not None]
    fewest = min([*(rate.m for rate in rates.systems.values()), *compared])
    if rates.clustered:
        yield from _of_clusters(rates)
    elif fewest < FEW:
        yield (
            f"{fewest} sentences are few: standard errors are uncertain themselves, and normal intervals are"
            " too short"
        )


def _of_clusters(rates: Rates) -> Iterator[str]:
    """What to know of the standard errors by cluster, each sentence once."""
    said: list[str] = []
    for name, error in rates.clustered.items():
        said += error.cautions
        said += [f"{_who(name)}no standard error by cluster: {error.why_not}"] if error.why_not else []
    for two in rates.pairs:
        if two.clustered is not None and two.clustered.why_not:
            pair = f"{two.first} and {two.second}"
            said.append(f"{pair}: no standard error by cluster: {two.clustered.why_not}")
    yield from dict.fromkeys(said)


def _of_pairs(rates: Rates) -> Iterator[str]:
    if rates.pairs and rates.estimator == "vilar":
        yield "equation 9 has no form for a difference: differences have the delta method's standard errors"
    for two in rates.pairs:
        pair = f"{two.first} and {two.second}"
        d = two.difference
        if d is None:
            yield f"NOT COMPARED: {pair}: {two.why_not}"
            continue
        if two.shared.only_first or two.shared.only_second:
            yield (
                f"{pair} are compared on the {d.m} sentences both have; left out:"
                f" {len(two.shared.only_first)} of {two.first}, {len(two.shared.only_second)} of {two.second}"
            )
        if two.same_lengths < d.m:
            yield (
                f"{pair}: {d.m - two.same_lengths} of {d.m} sentences have another length for the one than"
                " for the other; each rate has its own"
            )
        if d.z(rates.of_pairs) is None:
            apart = f"differ by the same {d.difference:.4g} errors a word"
            how = apart if d.difference else "have the same rate"
            yield f"{pair}: no z, since they {how} in every sentence and the standard error is 0"
        else:
            yield from _papers_test(rates, two, d)


def _papers_test(rates: Rates, two: TwoRates, d: RateDifference) -> Iterator[str]:
    """Where the paper's test says something else than the paired one."""
    point = normal_quantile((1 + rates.level) / 2)
    verdicts = [z is not None and abs(z) > point for z in d.z_vilar]
    ours = rates.significant(two)
    if ours is None or None in d.z_vilar or verdicts == [ours, ours]:
        return
    by = [
        f"z {z:.3f}, {'' if verdict else 'not '}significant, with {name}'s"
        for z, verdict, name in zip(d.z_vilar, verdicts, (two.first, two.second))
    ]
    yield (
        f"{two.first} and {two.second}: paired, the difference is {'' if ours else 'not '}significant; by the"
        f" paper's test (equation 9; the other's rate taken as known, sentences not paired): {'; '.join(by)}"
    )


def _who(name: str) -> str:
    return f"{name}: " if name else ""
