"""Tables of single contests between players, drawn from a model with covariates and random effects.

    P(first wins contest r) = F(a_i - a_j + d + c z_r),      a_i = b x_i + u_i,   u_i ~ N(0, sigma^2)

The player named first has the advantage d.  Players of a contest are drawn at random; covariates x of players and z
of contests are standard normal, and drawn anew for each table, as are the effects u.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

import pairproof

from .answers import rng_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Contests:
    """How tables of one line of the page are drawn; the line's name seeds them.  Effects are b, d, c and sigma."""

    name: str
    players: int
    contests: int
    covariate: float = 0.7
    order: float = 0.0
    contest: float = 0.0
    sigma: float = 0.0
    link: Literal["logit", "probit"] = "logit"

    def rng(self, table: int) -> np.random.Generator:
        """Of one table."""
        return rng_of(self.name, table)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table with the item covariate x and the column z, and what is true of it: x and b x_i + u_i, float[players]."""

    table: pairproof.Comparisons
    x: FloatArray
    ability: FloatArray


def drawn(design: Contests, rng: np.random.Generator) -> Drawn:
    """A table of a design."""
    k, n = design.players, design.contests
    x = rng.standard_normal(k)
    ability = design.covariate * x + design.sigma * rng.standard_normal(k)
    first = np.floor(k * rng.random(n)).astype(np.int64)
    second = (first + 1 + np.floor((k - 1) * rng.random(n)).astype(np.int64)) % k
    z = rng.standard_normal(n)
    eta = ability[first] - ability[second] + design.order + design.contest * z
    p = expit(eta) if design.link == "logit" else ndtr(eta)
    won = (rng.random(n) < p).astype(float)
    table = pairproof.Comparisons.build(
        [f"player {j + 1}" for j in range(k)],
        first,
        second,
        won,
        None,
        1.0 - won,
        columns={"z": z},
        item_data={"x": x},
    )
    return Drawn(table, x, ability)
