"""Contests with random effects: the specification's four players and eight judges, and BradleyTerry2's animals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pairproof.native.comparisons.random_effects.effects_design import Block, with_blocks
from pairproof.native.comparisons.random_effects.joint import Joint, contrast, mean_probability
from pairproof.native.comparisons.rows.contest_design import Contests, contest_design
from pairproof.native.comparisons.rows.links import link
from tests.native.comparisons.rows.data import chameleons, lizards


def with_effects(
    fixed: Contests, first: NDArray[np.int64], second: NDArray[np.int64], effects: Sequence[str]
) -> Contests:
    """The same contests with a random effect of each side."""
    return with_blocks(fixed, [Block(first, second, effects)])


def four_players() -> Contests:
    """x = 0, 1, 2, 4; ten contests a pair."""
    a, b = np.triu_indices(4, 1)
    wins = np.array([3.0, 6, 1, 8, 2, 1])
    x = np.array([[0.0], [1], [2], [4]])
    return with_effects(Contests(contest_design(a, b, "ABCD", x, ["x"]), wins, 10 - wins), a, b, "ABCD")


def eight_judges() -> Contests:
    """Three items, four answers a pair and judge; effects of the items by judge."""
    wins = np.array([[int(v) for v in row] for row in "431 342 123 013 443 201 320 134".split()], float)
    a, b = np.tile([0, 0, 1], 8), np.tile([1, 2, 2], 8)
    judge = np.repeat(np.arange(8), 3)
    fixed = Contests(contest_design(a, b, "123"), wins.ravel(), 4 - wins.ravel())
    return with_effects(fixed, judge * 3 + a, judge * 3 + b, [f"{k}:{i}" for k in range(8) for i in "123"])


def of_lizards(*covariates: str) -> Contests:
    """100 contests of 77 lizards, those with a missing covariate with an ability of their own."""
    sides, x = lizards(*covariates)
    names = [f"lizard{k}" for k in range(77)]
    a, b = sides[:, 0].astype(np.int64), sides[:, 1].astype(np.int64)
    fixed = contest_design(a, b, names, x, covariates)
    own = {name for name in fixed.names if name in names}
    free = [name for name in names if name not in own]
    place = np.array([free.index(name) if name in free else -1 for name in names])
    return with_effects(Contests(fixed, np.ones(100), np.zeros(100)), place[a], place[b], free)


def of_chameleons() -> Contests:
    """106 contests of 35 chameleons."""
    sides, before, x = chameleons()
    names = [f"C{k + 1:02}" for k in range(35)]
    a, b = sides[:, 0].astype(np.int64), sides[:, 1].astype(np.int64)
    fixed = contest_design(
        a, b, names, x, ["ch.res", "prop.main"], contest_columns=before, contest_names=["prev"]
    )
    return with_effects(Contests(fixed, np.ones(106), np.zeros(106)), a, b, names)


@dataclass(frozen=True)
class Prediction:
    """What a model with random effects says of a contest that may not have been seen.
    eta: linear predictor; the effect of a new player is 0.  standard_error: of eta: of the effects and
    parameters, and of the effects of new players; sigma taken as known.  plug_in: F(eta).  marginal: F
    averaged over the effects of new players: the share of wins to expect of such players.  averaged: F
    averaged over the whole variance."""

    eta: float
    standard_error: float
    plug_in: float
    marginal: float
    averaged: float


def predict(joint: Joint, columns: NDArray[np.float64], first: int | None, second: int | None) -> Prediction:
    """The prediction of a contest between known or new players (Henderson 1975).
    columns float[p]: columns of the fixed parameters: the first player's covariates minus the second's.
    `first`, second: their effects, 0 .. K - 1; -1 for a player that has none; None for a new player."""
    a, new = contrast(joint.n_effects, columns, first, second)
    eta = float(a @ joint.theta)
    of_new = new * joint.sigma**2
    variance = float(a @ joint.covariance @ a) + of_new
    chosen = link(joint.link)
    return Prediction(
        eta,
        variance**0.5,
        float(chosen.probability(np.array([eta]))[0]),
        mean_probability(chosen, eta, of_new**0.5),
        mean_probability(chosen, eta, variance**0.5),
    )
