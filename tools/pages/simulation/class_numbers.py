"""The bootstrap test of the number of latent classes: its level where there is one class, its power where there are two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

import pairproof

from .tally import counted, line
from .whole_answers import Whole

#: Samples of each test, which make p = 1/20, 2/20, ..., so that .05 and .10 can be held; starts of each fit.
SAMPLES, STARTS = 19, 3
#: Tables whose p-value is kept.
KEPT = 8
#: Rankings were wrong in .085 of the first 200 tables.  These were drawn afterwards, and had no part in the
#: decision to look again.
AGAIN, AGAIN_FROM, AGAIN_TABLES = "one class, Plackett-Luce, first 3 of 5", 10_000, 400


def designs() -> Iterator[Whole]:
    """One class, or two."""
    one, ranked = (0.4, 0.2, 0.1, -0.5), (0.5, 0.2, -0.3, -0.6)
    gaps: Any = {"ties": True, "gaps": 0.1}
    yield Whole("one class, comparisons with ties, 10 % gaps", "comparisons", 100, (one,), **gaps)
    yield Whole(AGAIN, "rankings", 100, (ranked,), model="plackett-luce", ranked=3)
    both, shares = (one, (-0.3, 0.0, 0.1, -0.5)), (0.6, 0.4)
    yield Whole("two classes, comparisons with ties, 10 % gaps", "comparisons", 100, both, shares, **gaps)


def p_value(design: Whole, table: int) -> float:
    """Of one class against two."""
    answers = design.drawn(table)
    if design.model == "pattern":
        fit = pairproof.fit_latent_classes(answers, 1)
    else:
        fit = pairproof.fit_latent_classes(answers, 1, model="plackett-luce", tie_orders=())
    # Two samples above the observed ratio make p larger than .10 whatever the others say.
    return fit.test_classes(SAMPLES, seed=table, starts=STARTS, enough=2).p


def again() -> tuple[str, Whole]:
    """The name of the line of further tables, and how they are drawn."""
    return f"{AGAIN}, {AGAIN_TABLES} further tables", next(d for d in designs() if d.name == AGAIN)


def simulated_again() -> dict[str, Any]:
    """The line of :func:`again`."""
    name, design = again()
    return {**simulated(design, AGAIN_TABLES, AGAIN_FROM), "name": name}


def simulated(design: Whole, tables: int, first: int = 0) -> dict[str, Any]:
    """A line of the record: how often p is at most .05 and .10."""
    kept = []

    def values(k: int) -> dict[str, float]:
        kept.append(p := p_value(design, k))
        return {"p <= .05": float(p < 0.05 + 1e-9), "p <= .10": float(p < 0.10 + 1e-9)}

    tally, _ = counted(range(first, first + tables), values)
    return line(design.name, asdict(design), tally, p=np.round(kept[:KEPT], 10).tolist())
