"""Plans of a study: the power of a design, judges and sources for a wanted power, and what cannot be reached.

The formulas are those of :mod:`pairproof.native.planning.sample_size`: two systems (Kish 1965), and several.
Simulated power of two systems holds them to account: judge g and source s shift the mean score of an answer
from d to d + e_g + f_s, e and f normal with variances r_J v and r_S v; given that mean, P(first) - P(second)
is it and P(tie) stays.  The correlations of scores are then r_J and r_S exactly, but where a mean had to be
cut off at -+(1 - P(tie)).  The test is the t of judges' means; with sources, the mean score with a standard
error by judge and source, as compare-two has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from ...data.options import whole_number
from ...errors import InputError
from ...numerics.arrays import FloatArray, IntArray
from ..competitions.ranking.sums_by_cluster import clustered_error
from ..competitions.ranking.tests_by_judge import judge_means
from . import sample_size as size
from .sample_size import Assumptions, Design, RankingPower, TableDesign, judges_needed, power

#: Answers drawn at most, over all studies.
MOST_ANSWERS = 500_000_000


@dataclass(frozen=True)
class SimulatedPower:
    """The share of simulated studies in which the test was significant."""

    power: float
    error: float
    studies: int


def simulated_power(
    expected: Assumptions, design: Design, studies: int = 1000, level: float = 0.95, seed: int = 0
) -> SimulatedPower:
    """Draw studies and count the significant ones.
    design: answers are divided among judges as evenly as can be, and each judge's among random sources."""
    whole_number("studies", studies, 1)
    if not design.answers * studies <= MOST_ANSWERS:
        raise InputError(
            f"{studies} studies of {design.answers:g} answers; {MOST_ANSWERS:,} answers are drawn at most: ask for fewer"
            " studies"
        )
    rng = np.random.default_rng(seed)
    n = int(round(design.answers))
    judge = np.sort(np.arange(n) % design.judges)
    found = sum(_significant(rng, expected, design, judge, level) for _ in range(studies))
    share = found / studies
    return SimulatedPower(share, math.sqrt(max(share * (1 - share), 1.0 / studies) / studies), studies)


def _significant(rng: Generator, expected: Assumptions, design: Design, who: IntArray, level: float) -> bool:
    v, reach = expected.variance, 1.0 - expected.tie_rate
    mean = expected.margin + rng.normal(0.0, math.sqrt(expected.judge_icc * v), design.judges)[who]
    source = np.zeros(len(who), np.int64)
    if design.sources is not None:
        source = rng.integers(0, design.sources, len(who))
        mean = mean + rng.normal(0.0, math.sqrt(expected.source_icc * v), design.sources)[source]
    first = (reach + np.clip(mean, -reach, reach)) / 2
    u = rng.random(len(who))
    y: FloatArray = (u < first).astype(float) - (u >= first + expected.tie_rate).astype(float)
    if design.sources is None:
        given = ((y == score).astype(float) for score in (1, -1, 0))
        a, b, t = (np.bincount(who, own, design.judges).astype(float) for own in given)
        p = judge_means(a, b, t).p
    else:
        average = float(y.mean())
        parts, shares = (y - average)[:, None] / len(y), np.full((len(y), 1), 1.0 / len(y))
        error = clustered_error(parts, shares, [who, source], ["judge", "source"])
        p = error.p(average) if not error.why_not else math.nan
    return p < 1.0 - level


Goal = Literal["contrast", "ranking", "top-k"]

#: Answers of a judge for which judges are counted, beside those that are asked for.
PER_JUDGE = (10, 20, 50, 100, 200)
#: Judges at most that are looked for by simulation.
MOST_SIMULATED = 20_000
#: Studies drawn for each number of judges that is tried.
STUDIES = 300


@dataclass(frozen=True)
class Needed:
    """Judges that a power needs.  judges: none where no number of them is enough."""

    per_judge: float
    judges: int | None

    @property
    def answers(self) -> float | None:
        """Of all judges together."""
        return None if self.judges is None else self.judges * self.per_judge


@dataclass(frozen=True)
class TwoSystemPlan:
    """A plan for two systems.  sources: of the study that is asked about; None where they are not stated."""

    expected: Assumptions
    wanted: float
    level: float
    needed: tuple[Needed, ...]
    judges: int | None = None
    per_judge: float | None = None
    sources: int | None = None
    simulated: SimulatedPower | None = None

    @property
    def design(self) -> Design | None:
        """The study whose judges and answers are stated."""
        if self.judges is None or self.per_judge is None:
            return None
        return Design(self.judges, self.judges * self.per_judge, self.sources)

    @property
    def power(self) -> float | None:
        """Of the design."""
        return None if self.design is None else power(self.expected, self.design, self.level)

    @property
    def standard_error(self) -> float | None:
        """Of the margin in the design."""
        return None if self.design is None else math.sqrt(size.variance_of_mean(self.expected, self.design))

    @property
    def detectable(self) -> float | None:
        """The smallest margin that the design finds with the wanted power."""
        how = (self.wanted, self.level)
        return None if self.design is None else size.detectable(self.expected, self.design, *how)

    @property
    def _endless(self) -> Design | None:
        return None if self.judges is None else Design(self.judges, math.inf, self.sources)

    @property
    def highest_power(self) -> float | None:
        """With ever more answers of these judges about these sources."""
        return None if self._endless is None else power(self.expected, self._endless, self.level)

    @property
    def answers_needed(self) -> int | None:
        """Of each of the stated judges; None also where no number is enough, or judges are not stated."""
        if self.judges is None:
            return None
        return size.answers_needed(self.expected, self.judges, self.wanted, self.level, self.sources)

    @property
    def sources_needed(self) -> int | None:
        """For the stated judges and answers; None also where no number is enough."""
        if self.judges is None or self.per_judge is None or not self.expected.source_icc:
            return None
        return size.sources_needed(self.expected, self.judges, self.per_judge, self.wanted, self.level)

    def sentences(self) -> list[str]:
        """What the numbers say."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        w = f"{100 * self.wanted:g} %"
        if self.design is not None and self.power is not None:
            least = self.detectable
            smallest = "no possible margin" if least is None else f"a margin of {least:.4f}"
            yield (
                f"{self.judges} judges with {self.per_judge:g} answers each find a margin of {self.expected.margin:g} with"
                f" power {self.power:.3f}; with power {self.wanted:g} they find {smallest}"
            )
        endless = self._endless
        if endless is not None and self.highest_power is not None:
            se = math.sqrt(size.variance_of_mean(self.expected, endless))
            floor = f"more answers a judge never bring the standard error below {se:.4f}"
            if self.highest_power < self.wanted:
                of = f" about {self.sources} sources" if self.sources is not None else ""
                more = "ask more judges" + (" and more sources" if self.sources is not None else "")
                yield (
                    f"{w} cannot be reached with {self.judges} judges{of}: {floor}, that is the power above"
                    f" {self.highest_power:.3f}; {more}"
                )
            else:
                yield f"{self.judges} judges need {self.answers_needed} answers each for a power of {w}; {floor}"
        if self.sources_needed is not None and self.sources_needed != self.sources:
            yield f"{self.judges} judges with {self.per_judge:g} answers each need {self.sources_needed} sources"
        if not self.expected.judge_icc:
            yield "an intra-class correlation of 0 by judge says that judges do not differ at all; compare a pilot with it"
        if self.sources is not None and not self.expected.source_icc:
            yield "an intra-class correlation of 0 by source says that sources do not differ at all; compare a pilot with it"
        if self.expected.source_icc and self.sources is None:
            yield "the correlation by source is not used: name the number of sources with --sources (in Python sources=)"
        if any(found.judges is None for found in self.needed):
            if not self.expected.margin:
                yield "a margin of 0 cannot be found by any study; state the smallest one that matters"
            elif self.sources is not None:
                yield "where no number of judges is enough, sources are too few: their share of the variance stays"
            else:
                yield f"more than {size.MOST:,} judges would be needed; the margin is too small"


def plan_two(
    expected: Assumptions,
    *,
    wanted: float = 0.8,
    level: float = 0.95,
    judges: int | None = None,
    per_judge: float | None = None,
    sources: int | None = None,
) -> TwoSystemPlan:
    """Plan a study of two systems.
    wanted: power, in (0, 1).  sources: sources (sentences, prompts) that are taken as drawn from others."""
    if per_judge is not None and not per_judge >= 1:
        raise InputError(f"{per_judge:g} answers of each judge; expected at least 1")
    if judges is not None:
        Design(judges, math.inf, sources)
    sizes = sorted({*PER_JUDGE, *([per_judge] if per_judge else [])})
    needed = tuple(Needed(m, judges_needed(expected, m, wanted, level, sources)) for m in sizes)
    return TwoSystemPlan(expected, wanted, level, needed, judges, per_judge, sources)


@dataclass(frozen=True, eq=False)
class TablePlan:
    """A plan for several systems.
    ranking: simulated; None for a contrast.  judges_needed: with as many answers each as in the design; None
    where no number up to the limit is enough.  highest_power: with ever more answers of the design's
    judges."""

    goal: Goal
    design: TableDesign
    wanted: float
    level: float
    pair: tuple[str, str] | None
    top: int
    ranking: RankingPower | None
    judges_needed: int | None
    highest_power: float

    @property
    def power(self) -> float:
        """Of the design for the goal."""
        return _power(self.design, self.goal, self.pair, self.ranking, self.level)

    def sentences(self) -> list[str]:
        """What the numbers say."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        d, w = self.design, f"{100 * self.wanted:g} %"
        each = d.answers / d.judges
        what = {
            "contrast": f"{' and '.join(self.pair or ())} are distinguished",
            "ranking": "the rank of every system is settled",
            "top-k": f"the top {self.top} {'is' if self.top == 1 else 'are'} settled",
        }[self.goal]
        yield f"with {d.judges:g} judges and {each:g} answers each, {what} with probability {self.power:.3f}"
        if self.ranking is not None:
            r = self.ranking
            yield (
                f"simulated {r.studies} times, Monte Carlo error {r.error:.3f}: {100 * r.pairs:.1f} % of pairs are told"
                f" apart, a rank set holds {r.width:.2f} ranks, some pair is the wrong way round in {100 * r.wrong:.1f} %"
            )
        if self.judges_needed is None:
            yield f"no number of judges with {each:g} answers each reaches {w}: systems are too close, or sources too few"
        else:
            yield f"{self.judges_needed} judges with {each:g} answers each reach {w}"
        if self.highest_power < self.wanted:
            yield (
                f"{w} cannot be reached with {d.judges:g} judges: ever more answers of each bring the power to"
                f" {self.highest_power:.3f}; ask more judges" + (" and more sources" if d.sources else "")
            )
        if not d.judge_sd:
            yield "a spread of 0 between judges says that they do not differ at all; compare a pilot with it"


def plan_table(
    design: TableDesign,
    goal: Goal,
    *,
    pair: tuple[str, str] | None = None,
    top: int = 1,
    wanted: float = 0.8,
    level: float = 0.95,
    studies: int = STUDIES,
    seed: int = 0,
) -> TablePlan:
    """Plan a study of several systems.
    goal: distinguish two items; settle every rank; settle which items are the top k.  wanted: power, in (0,
    1)."""
    if goal == "contrast" and pair is None:
        raise InputError("a contrast is of two systems; name them with --pair A,B (in Python pair=)")
    size.check_wanted(wanted)

    def at(planned: TableDesign) -> tuple[float, RankingPower | None]:
        found = None if goal == "contrast" else size.ranking_power(planned, top, studies, level, seed)
        return _power(planned, goal, pair, found, level), found

    each = design.answers / design.judges
    _, ranking = at(design)
    most = size.MOST if goal == "contrast" else MOST_SIMULATED
    fewest = size.fewest_of(lambda g: at(design.planned(g, g * each, design.sources))[0], 2, wanted, most)
    highest, _ = at(design.planned(design.judges, 1e15, design.sources))
    return TablePlan(goal, design, wanted, level, pair, top, ranking, fewest, highest)


def _power(
    design: TableDesign, goal: Goal, pair: tuple[str, str] | None, ranking: RankingPower | None, level: float
) -> float:
    if ranking is None:
        first, second = pair or ("", "")
        return design.power_of(first, second, level)
    return ranking.ordered if goal == "ranking" else ranking.top
