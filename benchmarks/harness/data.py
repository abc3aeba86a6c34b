"""The data of the jobs: simulated once from a seed, and shared with R as plain little-endian doubles in a
folder.

    P(first), P(tie), P(second)  proportional to  exp(u/2), exp(-1/2) if ties can occur, exp(-u/2)
    u = 2 (lambda_i - lambda_j)  plus, in stratum s,  2 x_s (beta_i - beta_j)  or  2 (b_is - b_js) if the judge is
    a factor

with standard deviations 0.5 of lambda, 0.3 of beta and b: no item is separated at the sizes used.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SEED = 20150625
#: exp(-1/2), between two equal items, makes about a quarter of all comparisons a tie.
TIE = -0.5
Covariate = Literal["none", "numeric", "factor"]


@dataclass(frozen=True, eq=False)
class Data:
    """A table of counts (a row a pair and stratum) or of raw answers (a row each); everything is a float so that R
    reads it alike.

    Attributes
    ----------
    first, second : float[n]
        Item numbers from 1.
    wins, ties, losses : float[n]
    stratum : float[n]
        From 1; strata are judges.
    x : float[n_strata]
        The judges' numeric covariate.
    shape : float[3]
        Number of items; 1 if there is a tie category; 0, 1 or 2 for no covariate, a numeric one, judge as a
        factor.
    """

    first: FloatArray
    second: FloatArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    stratum: FloatArray
    x: FloatArray
    shape: FloatArray

    @property
    def n_items(self) -> int:
        return int(self.shape[0])

    @property
    def tie_category(self) -> bool:
        return bool(self.shape[1])

    @property
    def covariate(self) -> Covariate:
        kinds: tuple[Covariate, ...] = ("none", "numeric", "factor")
        return kinds[int(self.shape[2])]

    @property
    def items(self) -> list[str]:
        """Names whose alphabetical order is their own: "i0001", ..."""
        return [f"i{k + 1:04d}" for k in range(self.n_items)]

    @property
    def n_comparisons(self) -> int:
        return int(self.wins.sum() + self.ties.sum() + self.losses.sum())

    def save(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        for f in fields(self):
            np.asarray(getattr(self, f.name), "<f8").tofile(folder / f"{f.name}.f64")
        return folder

    @classmethod
    def load(cls, folder: Path) -> Data:
        return cls(**{f.name: np.fromfile(folder / f"{f.name}.f64", "<f8") for f in fields(cls)})


#: Dras (2015), Table 1, page 311: a row a judge, in it AB AC AD BC BD CD; first preferred, tie, second
#: preferred.
_DRAS = """
    38 0 2   36 1 3   37 1 2   39 1 0   0 2 38   3 0 37
    37 2 1   36 3 1   38 1 1   37 2 1   2 2 36   1 0 39
    33 4 3   33 3 4   3 3 34   4 4 32   2 4 34   1 0 39
    37 2 1   39 0 1   35 3 2   34 2 4   2 2 36   3 1 36
"""
DRAS = np.array(_DRAS.split(), float).reshape(24, 3)


def dras_table_1(by_judge: bool) -> Data:
    """960 answers of four judges on four items, pooled over judges or not."""
    counts = DRAS if by_judge else DRAS.reshape(4, 6, 3).sum(axis=0)
    n_strata = len(counts) // 6
    first, second = np.triu_indices(4, 1)
    return _table(
        np.tile(first, n_strata),
        np.tile(second, n_strata),
        counts,
        np.repeat(np.arange(n_strata), 6),
        np.zeros(n_strata),
        4,
        True,
        "factor" if by_judge else "none",
    )


def counts_table(
    n_items: int, per_cell: int, ties: bool, n_strata: int = 1, covariate: Covariate = "none"
) -> Data:
    """All pairs in every stratum, `per_cell` comparisons each."""
    rng = np.random.default_rng(SEED)
    first, second = np.triu_indices(n_items, 1)
    stratum = np.repeat(np.arange(n_strata), len(first))
    i, j = np.tile(first, n_strata), np.tile(second, n_strata)
    ability = np.tile(rng.normal(0.0, 0.5, n_items), (n_strata, 1))
    x = np.linspace(-1.0, 1.0, n_strata) if n_strata > 1 else np.zeros(1)
    if covariate == "numeric":
        ability = ability + x[:, None] * rng.normal(0.0, 0.3, n_items)
    elif covariate == "factor":
        ability = ability + rng.normal(0.0, 0.3, (n_strata, n_items))
    p = _probabilities(2.0 * (ability[stratum, i] - ability[stratum, j]), ties)
    counts = rng.multinomial(per_cell, p).astype(float)
    return _table(i, j, counts, stratum, x, n_items, ties, covariate)


def raw_rows(n_items: int, n_rows: int) -> Data:
    """One answer a row, items at random, ties possible."""
    rng = np.random.default_rng(SEED)
    ability = rng.normal(0.0, 0.5, n_items)
    first = rng.integers(0, n_items, n_rows)
    second = (first + rng.integers(1, n_items, n_rows)) % n_items
    p = _probabilities(2.0 * (ability[first] - ability[second]), True)
    answer = (rng.random(n_rows)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    return _table(first, second, np.eye(3)[answer], np.zeros(n_rows, int), np.zeros(1), n_items, True, "none")


def _probabilities(u: FloatArray, ties: bool) -> FloatArray:
    weights = np.stack([np.exp(u / 2), np.full_like(u, np.exp(TIE) if ties else 0.0), np.exp(-u / 2)], axis=1)
    p: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return p


def _table(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    counts: FloatArray,
    stratum: NDArray[np.int64],
    x: FloatArray,
    n_items: int,
    ties: bool,
    covariate: Covariate,
) -> Data:
    kind = ("none", "numeric", "factor").index(covariate)
    return Data(
        first + 1.0,
        second + 1.0,
        counts[:, 0],
        counts[:, 1],
        counts[:, 2],
        stratum + 1.0,
        x,
        np.array([n_items, float(ties), kind]),
    )
