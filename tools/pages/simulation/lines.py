"""The lines of the page on coverage: which designs are simulated, with how many tables."""

from __future__ import annotations

from collections.abc import Iterator

from .answers import Design

CLUSTERS, SDS = (8, 20, 60), (0.0, 0.3, 0.6)
#: Tables of a line; the first of them also with what holds for all comparisons at once, which costs more.
TABLES, AT_ONCE = 600, 300


def one_way() -> Iterator[Design]:
    """Judges with preferences of their own; equally busy, and not."""
    for uneven in (False, True):
        for judges in CLUSTERS:
            for sd in SDS:
                yield Design(_name(judges, 0, sd, uneven), judges, judge_sd=sd, uneven=uneven)


def two_way() -> Iterator[Design]:
    """Judges and prompts, both at random."""
    for uneven in (False, True):
        for clusters in CLUSTERS:
            for sd in SDS[1:] if uneven else SDS:
                yield Design(_name(clusters, clusters, sd, uneven), clusters, clusters, sd, sd, uneven=uneven)
    for judges, prompts in ((8, 60), (20, 200)):
        yield Design(_name(judges, prompts, 0.3, False), judges, prompts, 0.3, 0.3)


def other() -> Iterator[Design]:
    """Unequal counts of pairs, other models, and prompts: many clusters of few answers."""
    for judges in CLUSTERS:
        yield Design(f"{judges} judges, uneven pairs", judges, judge_sd=0.6, uneven_pairs=True)
    for judges in CLUSTERS[1:]:
        yield Design(f"{judges} judges, Bradley-Terry", judges, judge_sd=0.6, model="bradley-terry")
        yield Design(f"{judges} judges, Rao-Kupper", judges, judge_sd=0.6, model="rao-kupper")
    yield Design("60 prompts of 5 answers", 60, judge_sd=0.6, answers=5)
    yield Design("200 prompts of 3 answers", 200, judge_sd=0.6, answers=3)


def _name(judges: int, prompts: int, sd: float, uneven: bool) -> str:
    who = f"{judges} judges" + (f" x {prompts} prompts" if prompts else "")
    return f"{who}, sd {sd}, {'uneven' if uneven else 'even'}"
