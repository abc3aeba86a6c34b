"""What error rates of systems say in words, and where a reader should doubt them.

The formulas are those of :mod:`pairproof.native.ranking.error_rates` (Vilar, Leusch and Ney 2007, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...data.reading.sentence_errors import COLUMNS
from ...data.reading.table import suggestion
from ...fit.inference import normal_quantile
from .error_rates import RateDifference
from .system_rates import Rates, TwoRates

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
    said: dict[str, None] = {}
    for name, error in rates.clustered.items():
        for caution in error.cautions:
            said.setdefault(caution)
        if error.why_not:
            said.setdefault(f"{_who(name)}no standard error by cluster: {error.why_not}")
    for two in rates.pairs:
        if two.clustered is not None and two.clustered.why_not:
            said.setdefault(
                f"{two.first} and {two.second}: no standard error by cluster: {two.clustered.why_not}"
            )
    yield from said


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
