"""Systems that are all equal: how often a table claims a difference, or an order, that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from .answers import Design, drawn, fitted
from .intervals import Z
from .tally import counted, line

if TYPE_CHECKING:
    from pairproof.fit.fit import Fit

LEVEL = 0.05
#: Judges; their preferences have standard deviation 0, so that answers are independent, or .4.
JUDGES = 40


def designs() -> Iterator[Design]:
    """5, 10 and 20 equal systems, on average 40 answers a pair; judges without and with preferences."""
    for sd in (0.0, 0.4):
        for systems in (5, 10, 20):
            name = f"{systems} equal systems, sd {sd}"
            yield Design(
                name, JUDGES, judge_sd=sd, answers=systems * (systems - 1) // 2, abilities=(0.0,) * systems
            )


def claims(fit: Fit, what: str) -> dict[str, float]:
    """Method -> 1 if the table claims any difference, or any order."""
    single = fit.contrasts()
    return {
        f"{what}, unadjusted": float((single.p < LEVEL).any()),
        f"{what}, single-step": float((single.adjusted < LEVEL).any()),
        f"{what}, Holm": float((fit.contrasts(adjust="holm").adjusted < LEVEL).any()),
        f"{what}, ranks": float(fit.ranks().above.any()),
        f"{what}, apart": float(apart(fit)),
    }


def apart(fit: Fit) -> bool:
    """Whether any two separate 95 % intervals of abilities, centred at their mean, have no point in common."""
    functions = fit.ability_functions({})
    centred = functions - functions.mean(axis=0)
    value, half = centred @ fit.beta, Z * np.sqrt(np.diag(fit.covariance.between(centred)))
    return bool((value - half).max() > (value + half).min())


def simulated(design: Design, tables: int) -> dict[str, Any]:
    """A line of the record."""

    def values(k: int) -> dict[str, float]:
        fit = fitted(drawn(design, k), design.model)
        return claims(fit, "model") | (claims(fit.clustered("judge"), "CR2") if design.judge_sd else {})

    tally, _ = counted(range(tables), values)
    return line(design.name, {**asdict(design), "abilities": len(design.abilities)}, tally)
