"""Tests whether the parameters of a node are the same whatever a covariate is.

With the scores s_i of n persons at the node's own estimate and J = sum s_i s_i' / n, the outer product of
scores:

    factor     sum over levels of |sum of the scores of the level|^2_J / n_level,    chi-square, k (levels - 1) df
    numeric    max over places of |sum of the first m scores|^2_J / (n t (1 - t)),   t = m / n

where |s|^2_J = s'J^-1 s (Zeileis and Hornik 2007, Statistica Neerlandica 61, 488-508; Merkle and Zeileis
2013).  Equal values of a numeric covariate are never taken apart: a place lies between two distinct values
(R's result depends on the order of the rows).  The p-value of the maximum is that over these very places.
A person of weight w counts as w persons with the same scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .places import places_p

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["numeric", "factor", "ordered"]
Adjust = Literal["bonferroni", "none"]


@dataclass(frozen=True, eq=False)
class Covariate:
    """A covariate of persons.

    kind: "numeric", "factor" or "ordered" (a factor whose splits keep the order; its test is a factor's).
    values float[n]: values, or numbers of levels from 0.  levels: of a factor; empty for a numeric covariate.
    """

    name: str
    kind: Kind
    values: FloatArray
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=float)
        object.__setattr__(self, "values", values)
        if self.kind not in ("numeric", "factor", "ordered"):
            raise InputError(f"{self.name}: kind {self.kind!r}; expected numeric, factor or ordered")
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            raise InputError(
                f"{self.name}, person {wrong[0] + 1}: {values[wrong[0]]}; trees need a value for every person"
            )
        if self.kind != "numeric":
            strange = np.flatnonzero(~np.isin(values, np.arange(len(self.levels))))
            if len(strange):
                raise InputError(
                    f"{self.name}, person {strange[0] + 1}: {values[strange[0]]} is not the number of one of"
                    f" {len(self.levels)} levels"
                )


@dataclass(frozen=True)
class InstabilityTest:
    """A test of parameter stability along one covariate.

    p: for this covariate alone.  p_adjusted: 1 - (1 - p)^m over the m covariates tested in the node; p itself
    where nothing is adjusted.  df: of the chi-square of a factor; the number of places of a numeric
    covariate.
    """

    covariate: str
    statistic: float
    p: float
    p_adjusted: float
    df: int


def instability_tests(
    scores: FloatArray,
    covariates: Sequence[Covariate],
    minimum: int,
    weights: FloatArray | None = None,
    adjust: Adjust = "bonferroni",
) -> tuple[InstabilityTest, ...]:
    """The tests of all covariates that can be tested in a node.

    scores float[n, k]: of the persons of the node, at its estimate.  covariates: of the same n persons.
    minimum: persons that a place leaves on either side at least; never fewer than a tenth of them.  weights
    float[n]: persons that each row stands for; default 1.  adjust: whether p-values are adjusted for the
    number of covariates tested.  Returns tuple of InstabilityTest: in the order of the covariates; one with a
    single value, or without a place, is left out.
    """
    own = np.ones(len(scores)) if weights is None else weights
    half = whitened(scores, own)
    if half is None:
        return ()
    found = []
    for covariate in covariates:
        if covariate.kind == "numeric":
            found.append((covariate.name, *_numeric(half, covariate.values, minimum, own)))
        else:
            found.append((covariate.name, *_factor(half, covariate.values, own)))
    tested = [test for test in found if test[3] > 0]
    m = len(tested) if adjust == "bonferroni" else 1
    return tuple(
        InstabilityTest(name, statistic, p, -float(np.expm1(m * np.log1p(-p))) if p < 1 else 1.0, df)
        for name, statistic, p, df in tested
    )


def whitened(scores: FloatArray, weights: FloatArray) -> FloatArray | None:
    """Scores times their persons, scaled: J^-1/2 w s / sqrt(n).

    scores float[n, k].  weights float[n]: persons that each row stands for.  Returns float[n, k] or None:
    none where J is singular: the persons differ in fewer ways than there are parameters.
    """
    n = float(weights.sum())
    outer = (scores * weights[:, None]).T @ scores / n
    if np.linalg.matrix_rank(outer, hermitian=True) < len(outer):
        return None
    scaled = np.linalg.solve(np.linalg.cholesky(outer), scores.T).T / np.sqrt(n)
    return np.asarray(scaled * weights[:, None])


def _factor(half: FloatArray, values: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    from scipy.special import gammaincc

    label = np.ravel(np.unique(values, return_inverse=True)[1])
    size = np.bincount(label, weights)
    sums = np.array([np.bincount(label, column) for column in half.T])
    statistic = float(((sums**2).sum(axis=0) / (size / weights.sum())).sum())
    df = half.shape[1] * (len(size) - 1)
    return statistic, float(gammaincc(df / 2.0, statistic / 2.0)) if df else 1.0, df


def _numeric(
    half: FloatArray, values: FloatArray, minimum: int, weights: FloatArray
) -> tuple[float, float, int]:
    order, at = places(values, minimum, weights)
    if not len(at):
        return 0.0, 1.0, 0
    shares = np.cumsum(weights[order])[at - 1] / weights.sum()
    statistic = largest_statistic(half[order], at, shares)
    return statistic, places_p(statistic, half.shape[1], shares), len(at)


def places(values: FloatArray, minimum: int, weights: FloatArray | None = None) -> tuple[IntArray, IntArray]:
    """Where a numeric covariate may break: between distinct values, away from both ends.

    values float[n].  minimum: persons on either side at least; never fewer than a tenth of them.  weights
    float[n]: persons that each row stands for; default 1.  Returns int[n], int[m]: order of the rows, and how
    many of them are before each place.
    """
    own = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values, kind="stable")
    before = np.flatnonzero(np.diff(values[order]) > 0) + 1
    persons, n = np.cumsum(own[order])[before - 1], own.sum()
    least = max(int(np.ceil(0.1 * n)), minimum)
    return order, np.asarray(before[(persons >= least) & (persons <= n - least)], dtype=np.int64)


def largest_statistic(scores: FloatArray, at: IntArray, shares: FloatArray | None = None) -> float:
    """The largest statistic over places.

    scores float[n, k]: in the order of the covariate, as :func:`whitened` has them.  `at` int[m]: rows before
    each place.  shares float[m]: share of the persons before each place; default: that of the rows.
    """
    share = at / len(scores) if shares is None else shares
    path = np.cumsum(scores, axis=0)[at - 1]
    return float(((path**2).sum(axis=1) / (share * (1.0 - share))).max())


def by_name(tests: Sequence[InstabilityTest]) -> Mapping[str, InstabilityTest]:
    """The tests of a node by the name of their covariate."""
    return {test.covariate: test for test in tests}
