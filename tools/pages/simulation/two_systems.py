"""Two equal systems, judges with preferences of their own: how often each test says that they differ.

Judge g prefers the first with probability logistic(u_g), u_g normal: on average over judges neither is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pairproof
from pairproof.data.columns import Factor
from pairproof.native.competitions.ranking import tests_by_judge as by_judge

from .answers import rng_of
from .tally import counted, line

FloatArray = NDArray[np.float64]
LEVEL = 0.05
#: Tables; the first of them also with the tests that search for a maximum.
TABLES, SEARCHED = 1000, 250


@dataclass(frozen=True)
class Judges:
    """How tables of one line are drawn: judges, their standard deviation on the log-odds scale, answers of each."""

    judges: int
    sd: float
    answers: int = 300
    uneven: bool = False

    @property
    def name(self) -> str:
        return f"{self.judges} judges, sd {self.sd}, {'uneven' if self.uneven else 'even'}"


def designs() -> Iterator[Judges]:
    for uneven in (False, True):
        for judges in (8, 20, 60):
            for sd in (0.0, 0.2, 0.4):
                yield Judges(judges, sd, 300 if judges < 60 else 100, uneven)


def drawn(design: Judges, table: int) -> tuple[FloatArray, FloatArray]:
    """Answers of each judge for the first and for the second system."""
    rng = rng_of(f"two {design.name}", table)
    weight = 1.0 / np.arange(1, design.judges + 1) if design.uneven else np.ones(design.judges)
    n = np.rint(design.judges * design.answers * weight / weight.sum()).astype(int)
    p = 1.0 / (1.0 + np.exp(-design.sd * rng.standard_normal(design.judges)))
    first = np.array([float((rng.random(k) < each).sum()) for k, each in zip(n, p)])
    return first, n - first


def tests(first: FloatArray, second: FloatArray, searched: bool) -> dict[str, float]:
    """Test -> 1 if it rejects at 5 %."""
    none = np.zeros(len(first))
    p = {
        "sum": by_judge.summed(first, second).p,
        "judge means": by_judge.judge_means(first, second, none).p,
        "CR2": _clustered(first, second),
    }
    if len(first) <= 8:
        p["sign flips"] = by_judge.sign_flips(first, second, none).p
    if searched:
        p["beta-binomial"] = by_judge.beta_binomial(first, second).p
        p["random effect"] = by_judge.random_effect(first, second).p
    return {name: float(value < LEVEL) for name, value in p.items()}


def _clustered(first: FloatArray, second: FloatArray) -> float:
    """p of Bradley-Terry by judge, CR2 on Satterthwaite's degrees of freedom."""
    g = len(first)
    judge = Factor(np.arange(g), tuple(str(k + 1) for k in range(g)))
    zero = np.zeros(g, dtype=np.int64)
    table = pairproof.Comparisons.build("AB", zero, zero + 1, first, None, second, columns={"judge": judge})
    return pairproof.fit_bradley_terry(table).clustered("judge").contrast("A", "B").p


def simulated(design: Judges, tables: int = TABLES, searched: int = SEARCHED) -> dict[str, Any]:
    """A line of the record."""
    tally, _ = counted(range(tables), lambda k: tests(*drawn(design, k), searched=k < searched))
    return line(design.name, asdict(design), tally)
