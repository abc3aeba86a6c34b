"""Fits of contests whose numbers R is asked for: small tables of fixed numbers, so that records keep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry

A, B = np.triu_indices(4, 1)
WINS = np.array([3.0, 6, 1, 8, 2, 1])


def four(**columns: np.ndarray) -> Comparisons:
    """The specification's four players: x = 0, 1, 2, 4, ten contests a pair; z of the contests, D without y."""
    return Comparisons.build(
        "ABCD",
        A,
        B,
        WINS,
        None,
        10 - WINS,
        columns={"z": np.array([0.5, -1.0, 0.25, 1.0, 0.0, -0.5]), **columns},
        item_data={"x": np.array([0.0, 1, 2, 4]), "y": np.array([1.0, 3, 2, np.nan])},
        source="four players",
    )


def separated() -> Comparisons:
    """Player A won every contest; five a pair (random-effects.md, section 6)."""
    wins = np.array([5.0, 5, 5, 3, 4, 2])
    return Comparisons.build("ABCD", A, B, wins, None, 5 - wins, source="a player who won every contest")


def with_ties() -> Comparisons:
    """Wins, ties, losses of an unbalanced table, the first of each pair at home."""
    wins, ties, losses = [9, 4, 6, 3, 12, 2], [3, 0, 1, 2, 6, 1], [2, 1, 0, 3, 5, 1]
    return Comparisons.build("ABCD", A, B, wins, ties, losses, source="an unbalanced table")


def judges() -> Comparisons:
    """Eight judges, three items, four answers a pair (random-effects.md, section 5)."""
    wins = np.array(
        [[int(v) for v in row] for row in "431 342 123 013 443 201 320 134".split()], float
    ).ravel()
    judge = Factor(np.repeat(np.arange(8), 3), tuple("abcdefgh"))
    return Comparisons.build(
        "ABC",
        np.tile([0, 0, 1], 8),
        np.tile([1, 2, 2], 8),
        wins,
        None,
        4 - wins,
        columns={"judge": judge},
        source="eight judges",
    )


def two_items() -> Comparisons:
    """Six judges, two items, ten answers each."""
    wins = np.array([8.0, 3, 5, 9, 2, 7])
    judge = Factor(np.arange(6), tuple("abcdef"))
    zeros = np.zeros(6, np.int64)
    return Comparisons.build(
        "AB", zeros, zeros + 1, wins, None, 10 - wins, columns={"judge": judge}, source="six judges"
    )


FITS: dict[str, Callable[[], Fit]] = {
    "probit": lambda: fit_bradley_terry(four(), link="probit", reference="sum"),
    "cauchit with an offset": lambda: fit_bradley_terry(four(), link="cauchit", offset="z"),
    "weights and offset": lambda: fit_bradley_terry(
        four(), offset="z", weights=np.array([1.0, 2, 1, 0.5, 1, 3])
    ),
    "probit of covariates, one player its own": lambda: fit_bradley_terry(
        four(), link="probit", item_terms=["x", "y"]
    ),
    "covariates and a comparison term": lambda: fit_bradley_terry(
        four(), item_terms=["x"], comparison_terms=["z"]
    ),
    "separated": lambda: fit_bradley_terry(separated(), link="probit"),
    "mean": lambda: fit_bradley_terry(separated(), reduce_bias="mean"),
    "median of the probit": lambda: fit_bradley_terry(separated(), reduce_bias="median", link="probit"),
    "jeffreys of the cauchit": lambda: fit_bradley_terry(separated(), reduce_bias="jeffreys", link="cauchit"),
    "mean with ties": lambda: fit_bradley_terry(with_ties(), ties="davidson", reduce_bias="mean"),
    "ties shifted": lambda: fit_bradley_terry(
        with_ties(), ties="davidson", order_effect=True, tie_shift=True
    ),
    "ties scaled": lambda: fit_bradley_terry(with_ties(), ties="davidson", tie_scale=True, reference="sum"),
    "pql": lambda: fit_bradley_terry(four(), item_terms=["x"], random="item", method="pql"),
    "laplace": lambda: fit_bradley_terry(four(), item_terms=["x"], random="item", method="laplace"),
    "quadrature": lambda: fit_bradley_terry(four(), item_terms=["x"], random="item", method="quadrature"),
    "judges by pql": lambda: fit_bradley_terry(judges(), random="item:judge", method="pql"),
    "judges by laplace": lambda: fit_bradley_terry(
        judges(), random="item:judge", method="laplace", reference="sum"
    ),
    "judges by quadrature": lambda: fit_bradley_terry(judges(), random="item:judge"),
    "two items by judge": lambda: fit_bradley_terry(two_items(), random="item:judge"),
}
