"""Single contests between players with covariates and effects of their own, from fixed seeds."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pairproof import Comparisons

SEED = 20151122
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contests:
    """Contests and covariates.

    Attributes
    ----------
    first, second : int[n]
    won : float[n]
        By the first.
    x : float[players, m]
        Covariates of the players.
    """

    first: IntArray
    second: IntArray
    won: FloatArray
    x: FloatArray

    @property
    def players(self) -> int:
        return len(self.x)

    @property
    def covariates(self) -> list[str]:
        return [f"x{k + 1}" for k in range(self.x.shape[1])]

    def table(self) -> Comparisons:
        """For ours."""
        data = {name: self.x[:, k] for k, name in enumerate(self.covariates)}
        names = [f"P{k + 1:04d}" for k in range(self.players)]
        return Comparisons.build(
            names, self.first, self.second, self.won, None, 1.0 - self.won, item_data=data
        )

    def csv(self) -> str:
        """For R: numbers of both players from 1, the result, covariates of both sides."""
        heads = ["first", "second", "won"]
        heads += [f"{name}_{side}" for side in "12" for name in self.covariates]
        columns = np.column_stack(
            [self.first + 1, self.second + 1, self.won, self.x[self.first], self.x[self.second]]
        )
        out = io.StringIO()
        np.savetxt(out, columns, delimiter=",", header=",".join(heads), comments="", fmt="%.17g")
        return out.getvalue()

    def differences(self) -> FloatArray:
        """float[n, m]: covariates of the first minus those of the second."""
        return self.x[self.first] - self.x[self.second]

    def incidence(self) -> FloatArray:
        """float[n, players - 1]: 1 for the first, -1 for the second, player 1 left out."""
        out = np.zeros((len(self.first), self.players))
        rows = np.arange(len(self.first))
        out[rows, self.first], out[rows, self.second] = 1.0, -1.0
        return out[:, 1:]


def contests(players: int, n: int, covariates: int = 3, sigma: float = 0.5) -> Contests:
    """n contests of random pairs; coefficients .5, -.5, .5, ..., the first has an advantage of .2."""
    rng = np.random.default_rng([SEED, players, n])
    x = rng.standard_normal((players, covariates))
    b = 0.5 * (-1.0) ** np.arange(covariates) / np.sqrt(covariates / 3.0)
    ability = x @ b + sigma * rng.standard_normal(players)
    first = rng.integers(0, players, n)
    second = (first + rng.integers(1, players, n)) % players
    p = 1.0 / (1.0 + np.exp(-(ability[first] - ability[second] + 0.2)))
    return Contests(first, second, (rng.random(n) < p).astype(float), x)
