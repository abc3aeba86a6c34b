"""Whole answers of few persons, alone or at sites whose persons agree: how often profiles, CR2 and bootstraps cover.

A site draws the worths of its persons around those of all (normal, sd `spread`); with spread 0 persons are independent.
Where the worths differ, what is to be covered is what the estimate tends to, the fit to 200,000 persons of as many
sites, whose own error is a hundredth of a standard error.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import NotEstimableError, PairproofWarning
from pairproof.fit.fit import Fit

from .answers import rng_of
from .tally import counted, line

FloatArray = NDArray[np.float64]
REPLICATES = 399
WORTHS = np.array([0.5, 0.2, 0.0, -0.4])


@dataclass(frozen=True)
class Sites:
    """How tables of one line are drawn."""

    name: str
    model: Literal["plackett-luce", "comparisons"]
    persons: int
    sites: int
    spread: float = 0.0

    def table(self, table: int) -> pairproof.Respondents:
        """Table number `table`; -1: that which the truth comes from."""
        rng = rng_of(self.name, table + 1)
        site = np.arange(self.persons) % self.sites
        worths = (WORTHS + self.spread * rng.normal(size=(self.sites, 4)))[site]
        columns = (
            {"site": Factor(site, tuple(f"s{k}" for k in range(self.sites)))} if self.sites < 1000 else {}
        )
        if self.model == "plackett-luce":
            seen = worths + rng.gumbel(size=worths.shape)
            ranks = (-seen).argsort(axis=1).argsort(axis=1) + 1
            return pairproof.Respondents.build("ABCD", "rankings", ranks, columns=columns)
        first, second = np.array([(i, j) for j in range(4) for i in range(j)]).T
        gap = worths[:, first] - worths[:, second]
        weight = np.stack([np.exp(gap), np.full_like(gap, 0.7), np.exp(-gap)])
        said = (rng.random(gap.shape) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0)
        return pairproof.Respondents.build(
            "ABCD", "comparisons", 1 - said, tie_category=True, columns=columns
        )

    def fit(self, table: pairproof.Respondents) -> Fit:
        """As a user fits it."""
        if self.model == "plackett-luce":
            return pairproof.fit_plackett_luce(table, reference="D")
        return pairproof.fit_pattern(table, ties="davidson")

    @lru_cache(maxsize=8)  # noqa: B019  designs are few, and live as long as the program
    def truth(self) -> FloatArray:
        """float[p]: what the estimate tends to."""
        many = 200_000
        fit = self.fit(replace(self, persons=many, sites=many).table(-1))
        return np.asarray(fit.beta[fit.free])


def designs() -> Iterator[Sites]:
    """Independent persons, then sites."""
    yield Sites("Plackett-Luce, 20 persons", "plackett-luce", 20, 20)
    yield Sites("comparisons with ties, 20 persons", "comparisons", 20, 20)
    yield Sites("Plackett-Luce, 60 persons at 10 sites", "plackett-luce", 60, 10, 0.5)
    yield Sites("comparisons with ties, 60 persons at 10 sites", "comparisons", 60, 10, 0.3)


HEADS = {
    "model": "model, z",
    "profile": "profile",
    "CR1": "CR1, t(G-1)",
    "CR2": "**CR2, t**",
    "percentile": "bootstrap, percentile",
}


def covered(design: Sites, table: int) -> dict[str, float]:
    """Method -> share of the parameters whose 95 % interval covers."""
    fit, truth = design.fit(design.table(table)), design.truth()
    limits = {"model": fit.conf_int()[fit.free].to_numpy()}
    by = ("site",) if design.spread else ()
    for kind in ("CR1", "CR2"):
        limits[kind] = fit.clustered(*by, kind=kind).conf_int()[fit.free].to_numpy()  # type: ignore[arg-type]
    if not design.spread:
        limits["profile"] = fit.profile()[["profile_low", "profile_high"]].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PairproofWarning)
        drawn = fit.bootstrap(*by, replicates=REPLICATES, seed=table)
        limits["percentile"] = drawn.conf_int().loc[fit.params.index[fit.free]].to_numpy()
    return {
        m: float(((low <= truth) & (truth <= high)).mean())
        for m, (low, high) in ((m, v.T) for m, v in limits.items())
    }


def simulated(design: Sites, tables: int) -> dict[str, Any]:
    """A line of the record; tables with an infinite parameter are counted and left out."""
    tally, left = counted(range(tables), lambda k: covered(design, k), NotEstimableError)
    return line(design.name, asdict(design), tally, truth=design.truth().tolist(), left_out=left)
