"""Error rates of several systems on the same sentences: the rate of each, the paired difference of every two,
and the doubts a reader should have.

The formulas are those of :mod:`pairproof.native.ranking.error_rates` (Vilar, Leusch and Ney 2007, section 3);
p of k pairs is also given after Holm's correction.  Pairs that do not have the same sentences are not
compared, and say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...data.reading.sentence_errors import COLUMNS, ErrorTable, Shared, shared_sentences
from ...data.reading.table import suggestion
from ...errors import InputError, ItemError
from ...fit.inference import normal_quantile
from .error_rates import ErrorRate, Estimator, RateDifference, error_rate, holm, rate_difference

#: Equation 9 and the delta method are said to disagree beyond this share.
DISAGREE = 0.10
#: Below so many sentences the normal interval is called too short; a rule of thumb (Student's t has 2.04 for
#: 1.96 at 30).
FEW = 30
#: So many names of sentences are shown; the JSON has all.
SHOWN = 5


@dataclass(frozen=True, eq=False)
class TwoRates:
    """The paired comparison of two systems' error rates.

    Attributes
    ----------
    first, second : str
        The systems.
    shared : Shared
        Their sentences.
    difference : RateDifference or None
        None where they are not compared; `why_not` says why.
    same_lengths : int
        Sentences compared whose length is the same for both.
    why_not : str
        "" where they are compared.
    p_holm : float or None
        p corrected for the number of pairs (Holm 1979).

    Examples
    --------
    >>> from pairproof.data.reading.sentence_errors import read_errors
    >>> from pairproof.native.ranking.system_rates import rates_of
    >>> table = read_errors({"system": ["A", "A", "B", "B"], "sentence": ["1", "2", "1", "3"],
    ...                      "errors": [1, 2, 0, 3], "length": [9, 8, 9, 7]})
    >>> rates_of(table).pairs[0].why_not[:67]
    'not the same sentences: 1 of A is not there for B (2); 1 of B is no'
    """

    first: str
    second: str
    shared: Shared
    difference: RateDifference | None
    same_lengths: int = 0
    why_not: str = ""
    p_holm: float | None = None


@dataclass(frozen=True, eq=False)
class Rates:
    """The error rates of all systems of a table, and the differences of their pairs.

    Attributes
    ----------
    table : ErrorTable
        As read.
    systems : dict of str to ErrorRate
        In the order of the table.
    pairs : tuple of TwoRates
        Empty where the sentences have no names.
    level : float
        In (0, 1).
    estimator : {"delta", "jackknife", "vilar"}
        Of the intervals of rates.

    Examples
    --------
    >>> from pairproof.data.reading.sentence_errors import read_errors
    >>> from pairproof.native.ranking.system_rates import rates_of
    >>> table = read_errors({"system": ["A", "A", "B", "B"], "sentence": ["1", "2", "1", "2"],
    ...                      "errors": [1, 2, 0, 3], "length": [9, 8, 9, 8]})
    >>> rates = rates_of(table)
    >>> rates.significant(rates.pairs[0])
    False
    """

    table: ErrorTable
    systems: dict[str, ErrorRate]
    pairs: tuple[TwoRates, ...]
    level: float
    estimator: Estimator

    @property
    def of_pairs(self) -> Estimator:
        """The estimator of differences, for which equation 9 has no form."""
        return "delta" if self.estimator == "vilar" else self.estimator

    def significant(self, two: TwoRates) -> bool | None:
        """Whether p < 1 - level; None where there is no p."""
        p = two.difference.p(self.of_pairs) if two.difference is not None else None
        return None if p is None else p < 1 - self.level


def rates_of(
    table: ErrorTable,
    *,
    pair: tuple[str, str] | None = None,
    estimator: Estimator = "delta",
    level: float = 0.95,
    common: bool = False,
) -> Rates:
    """Rates of all systems and differences of all pairs, or of the pair that is named.

    Parameters
    ----------
    table : ErrorTable
        From :func:`pairproof.data.reading.sentence_errors.read_errors`.
    pair : (str, str), optional
        Only these two, from the first one's side.
    estimator : {"delta", "jackknife", "vilar"}
        Of standard errors in intervals and tests.
    level : float
        In (0, 1), of intervals; a difference is significant beyond it.
    common : bool
        Compare a pair on the sentences both have where they are not the same.

    Returns
    -------
    Rates

    Raises
    ------
    ItemError
        A pair of unknown systems or of one and the same.
    InputError
        A pair of a table without names of sentences; sums of errors or lengths that doubles cannot hold.

    Examples
    --------
    >>> from pairproof.data.reading.sentence_errors import read_errors
    >>> from pairproof.native.ranking.system_rates import rates_of
    >>> table = read_errors({"system": ["A", "A", "B", "B"], "sentence": ["1", "2", "1", "2"],
    ...                      "errors": [1, 2, 0, 3], "length": [9, 8, 9, 8]})
    >>> {name: round(rate.rate, 3) for name, rate in rates_of(table).systems.items()}
    {'A': 0.176, 'B': 0.176}
    """
    for name in pair or ():
        if name not in table.systems or not table.named:
            has = (
                f"the systems are {', '.join(list(table.systems)[:20])}"
                if table.named
                else "it has no column 'system'; name it with --system (in Python system=)"
            )
            raise ItemError(f"{table.source}: no system {name!r}; {has}")
    if pair and pair[0] == pair[1]:
        raise ItemError(f"{pair[0]!r} against itself is no comparison; name two systems")
    paired = all(of.sentences is not None for of in table.systems.values())
    if pair and not paired:
        raise InputError(
            f"{table.source}: no column 'sentence', so nothing says which errors of {pair[0]} and"
            f" {pair[1]} belong together; found {', '.join(map(repr, table.columns))}; name it with"
            " --sentence (in Python sentence=)"
        )
    systems = {
        name: error_rate(table.systems[name].errors, table.systems[name].lengths)
        for name in pair or table.systems
    }
    pairs = [_two(table, a, b, common) for a, b in combinations(systems, 2)] if paired else []
    found = Rates(table, systems, tuple(pairs), level, estimator)
    return replace(found, pairs=_corrected(found))


def _two(table: ErrorTable, first: str, second: str, common: bool) -> TwoRates:
    a, b = table.systems[first], table.systems[second]
    shared = shared_sentences(a, b)
    alone = [
        f"{len(names)} of {system} {'is' if len(names) == 1 else 'are'} not there for"
        f" {other} ({_listed(names)})"
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
    difference = rate_difference(a.errors[i], b.errors[j], a.lengths[i], b.lengths[j])
    return TwoRates(first, second, shared, difference, int(np.sum(a.lengths[i] == b.lengths[j])))


def _corrected(found: Rates) -> tuple[TwoRates, ...]:
    """The pairs with Holm's p-values."""
    p = [two.difference.p(found.of_pairs) if two.difference is not None else None for two in found.pairs]
    corrected = holm([np.nan if value is None else value for value in p])
    return tuple(
        replace(two, p_holm=None if np.isnan(c) else float(c)) for two, c in zip(found.pairs, corrected)
    )


def _listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


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
                f"{_who(name)}{broken} of {len(errors)} errors are no whole numbers; the column must hold"
                " counts of edits, not rates"
            )


def _of_order(rates: Rates) -> Iterator[str]:
    if len(rates.systems) > 1:
        by_rate: dict[float, list[str]] = {}
        for name, rate in rates.systems.items():
            by_rate.setdefault(rate.rate, []).append(name)
        same = bool(rates.pairs) and not any(
            two.shared.only_first or two.shared.only_second for two in rates.pairs
        )
        yield (
            f"lowest rate first{'' if same else ', each on its own sentences'}:"
            f" {' '.join(' = '.join(by_rate[rate]) for rate in sorted(by_rate))}"
        )
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
        if rate.interval(rates.level, rates.estimator)[0] < 0:
            yield f"{_who(name)}the interval reaches below 0: too few errors for a normal interval"
    compared = [two.difference.m for two in rates.pairs if two.difference is not None]
    fewest = min([*(rate.m for rate in rates.systems.values()), *compared])
    if fewest < FEW:
        yield (
            f"{fewest} sentences are few: standard errors are uncertain themselves, and normal intervals are"
            " too short"
        )


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
    if None in d.z_vilar or verdicts == [ours, ours]:
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
