"""The test of sigma = 0 on its boundary: how often p is at most .10, .05 and .01 where sigma is 0.

p is `fit.p_sigma`, P(chi-square on 1 df > LR) / 2 (Self and Liang 1987), from Laplace's approximation for players and by
quadrature for judges.  Where sigma is estimated as 0, LR is 0 and p is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from pairproof.errors import ConvergenceError, NotEstimableError

from . import judge_effects, random_effects
from .answers import Design, drawn as answers_of
from .contests import Contests, drawn
from .tally import counted, line

LEVELS = {"p <= .10": 0.10, "p <= .05": 0.05, "p <= .01": 0.01}
#: Tables whose p is kept.
KEPT = 8


def designs() -> Iterator[Contests | Design]:
    """Players, then judges."""
    yield Contests("20 players, 200 contests, sigma 0", 20, 200)
    yield Contests("40 players, 400 contests, sigma 0", 40, 400)
    yield Contests("77 players, 100 contests, sigma 0", 77, 100)
    for judges in (8, 20):
        name = f"{judges} judges, 3 items, sigma 0"
        yield Design(name, judges, model="bradley-terry", abilities=judge_effects.ABILITIES)


def p_value(design: Contests | Design, k: int) -> float:
    """Of table k."""
    if isinstance(design, Design):
        return judge_effects.fitted(answers_of(design, k)).p_sigma
    return random_effects.fitted(drawn(design, design.rng(k)).table, "laplace").p_sigma


def simulated(design: Contests | Design, tables: int) -> dict[str, Any]:
    """A line of the record: how often p is at most each level."""
    kept = []

    def values(k: int) -> dict[str, float]:
        kept.append(p := p_value(design, k))
        return {**{name: float(p <= level) for name, level in LEVELS.items()}, "sigma 0": float(p == 1.0)}

    tally, left = counted(range(tables), values, NotEstimableError, ConvergenceError)
    return line(design.name, asdict(design), tally, left_out=left, p=np.round(kept[:KEPT], 8).tolist())
