"""Estimates of maximum likelihood and of reduced bias in small tables: errors, and on which side of the truth they are.

Where the maximum-likelihood estimate is infinite it has no error; its share is told, and the errors of the reduced ones
are given also over those tables where it is finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

import pairproof
from pairproof.errors import ConvergenceError

from . import structured
from .answers import rng_of
from .contests import Contests, drawn
from .tally import counted, line

METHODS: tuple[tuple[str, Literal["mean", "median"] | None], ...] = (
    ("ML", None), ("mean", "mean"), ("median", "median"))  # fmt: skip


@dataclass(frozen=True)
class Pairs:
    """Five items with free abilities, the last 0, every pair compared equally often; the line's name seeds tables."""

    name: str
    times: int
    abilities: tuple[float, ...] = (2.0, 1.0, 0.5, 0.5, 0.0)

    def table(self, k: int) -> pairproof.Comparisons:
        """Table number k."""
        rng, b = rng_of(self.name, k), np.array(self.abilities)
        first, second = np.triu_indices(len(b), 1)
        p = expit(b[first] - b[second])
        wins = (rng.random((len(p), self.times)) < p[:, None]).sum(axis=1).astype(float)
        return pairproof.Comparisons.build("ABCDE"[: len(b)], first, second, wins, None, self.times - wins)


def designs() -> Iterator[Pairs | Contests]:
    """The ability of the strongest item over the weakest; the player covariate of the small table of intervals."""
    yield Pairs("5 items, 3 comparisons a pair", 3)
    yield Pairs("5 items, 10 comparisons a pair", 10)
    yield next(d for d in structured.designs() if d.name == "8 players, 16 contests, logit")
    yield next(d for d in structured.designs() if d.name == "30 players, 90 contests, logit")


def of_table(design: Pairs | Contests, k: int) -> dict[str, float]:
    """Errors of the three estimates, whether each is below the truth, and whether Wald's interval holds it."""
    table = design.table(k) if isinstance(design, Pairs) else drawn(design, design.rng(k)).table
    out: dict[str, float] = {}
    errors = {}
    for words, reduce_bias in METHODS:
        if isinstance(design, Pairs):
            fit = pairproof.fit_bradley_terry(table, reference="E", reduce_bias=reduce_bias)
            name, true = "A", design.abilities[0]
        else:
            fit = structured.fitted(table, "logit", reduce_bias)
            name, true = "x", design.covariate
        at = fit.names.index(name)
        value, se = float(fit.params.iloc[at]), float(fit.standard_errors[at])
        out[f"{words} infinite"] = float(not np.isfinite(value))
        if np.isfinite(value):
            errors[words] = value - true
            out[f"{words}, error"] = value - true
            out[f"{words}, squared"] = (value - true) ** 2
            out[f"{words}, Wald"] = float(abs(value - true) <= structured.Z * se)
            out[f"{words}, below"] = float(value < true)
    if "ML" in errors:
        out.update({f"{words}, where ML is finite": errors[words] for words in errors})
    return out


def simulated(design: Pairs | Contests, tables: int) -> dict[str, object]:
    """A line of the record."""
    tally, left = counted(range(tables), lambda k: of_table(design, k), ConvergenceError)
    return line(design.name, asdict(design), tally, left_out=left)
