"""Fits and abilities that the tests of many comparisons share."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import pairproof
from pairproof.fit.many.abilities import Abilities, abilities_of
from tests.places import DATA


@lru_cache(maxsize=None)
def d24_fit() -> pairproof.Fit:
    """24 judges, 6 items, 30 sources; Davidson's model with an order effect, standard errors by judge."""
    table = pairproof.read(DATA / "inference_d24.csv")
    fit = pairproof.fit_bradley_terry(table, ties="davidson", order_effect=True, reference="F")
    return fit.clustered("judge")


def d24() -> Abilities:
    return abilities_of(d24_fit())


def with_infinite_df(abilities: Abilities) -> Abilities:
    """As R's csranks and glht without df."""
    return replace(abilities, df=np.where(np.isnan(abilities.df), np.nan, np.inf))


def r8(se: np.ndarray | None = None) -> Abilities:
    """Eight items of the rank vectors."""
    b = np.array([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0])
    k = np.arange(8)
    v = 0.02 * 0.5 ** np.abs(k[:, None] - k) + 0.01 * np.eye(8)
    return of(tuple("ABCDEFGH"), b, v)


def of(items: tuple[str, ...], b: np.ndarray, v: np.ndarray) -> Abilities:
    """Abilities with a normal distribution."""
    se = np.sqrt(np.diag(v)[:, None] + np.diag(v) - 2.0 * v)
    return Abilities(items, b, v, np.where(np.eye(len(b), dtype=bool), np.nan, se), np.full(v.shape, np.inf))


def counterexample() -> pairproof.Comparisons:
    """Of 100 wins AB 56, BC 56, AC 62, AD 95, BD 95, CD 93: one "stratum" A, B, C, though A is above C."""
    wins = {"AB": 56, "BC": 56, "AC": 62, "AD": 95, "BD": 95, "CD": 93}
    first, second = (["ABCD".index(pair[k]) for pair in wins] for k in (0, 1))
    return pairproof.Comparisons.build(
        "ABCD", first, second, list(wins.values()), None, [100 - w for w in wins.values()]
    )


def separated() -> pairproof.Comparisons:
    """A won every comparison; B and C have a difference."""
    return pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [10, 8, 60], None, [0, 0, 30])


def apart() -> pairproof.Comparisons:
    """A and B, C and D were compared; nothing joins the two pairs."""
    return pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [60, 30], None, [30, 33])
