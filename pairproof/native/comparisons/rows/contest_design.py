"""Contests with their outcomes, and their linear predictor: what the first player has minus what the second has.

    eta = a[first] - a[second] + (x_first - x_second)'b + z'c + offset

(Turner and Firth 2012, Journal of Statistical Software 48(9), section 3): own abilities a of some players, or
of all but one; player covariates x; contest covariates z, which are not differenced; an offset per contest.
A player with a missing covariate gets an ability of its own in place of x'b (section 3.2 there).  The
incidence of own abilities is kept as two columns of numbers, never as a matrix of contests by players.

Rows with the same players, covariates and offset have the same probability; one row with the sum of their
wins and losses has the same likelihood but for binomial coefficients (McCullagh and Nelder 1989, section
4.2.4), so estimates do not change.  A million contests of 300 players under a model of player covariates are
45,000 rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import InputError
from ....numerics.arrays import BoolArray, FloatArray, IntArray, distinct_rows

#: Rows of a product X'WX taken at a time: 10 columns of so many doubles stay within a processor's cache.
CHUNK = 16_384


@dataclass(frozen=True, eq=False)
class Design:
    """Linear predictors of n contests with m own abilities and p further columns.
    `first`, second int[n]: which own ability, 0 .. m - 1, the first and the second player has; -1 for none.
    dense float[n, p]: columns that enter as they are: differences of player covariates, contest covariates.
    offset float[n]: added to the linear predictor.  names: of the m own abilities and then of the p
    columns."""

    first: IntArray
    second: IntArray
    dense: FloatArray
    offset: FloatArray
    names: tuple[str, ...]

    @property
    def n_own(self) -> int:
        """m: number of own abilities."""
        return len(self.names) - int(self.dense.shape[1])

    @property
    def n_rows(self) -> int:
        """n: number of contests."""
        return len(self.first)

    def predictor(self, theta: FloatArray) -> FloatArray:
        """eta, float[n], for parameters theta, float[m + p]."""
        own = np.append(theta[: self.n_own], 0.0)  # the last is the 0 that index -1 reads
        return np.asarray(own[self.first] - own[self.second] + self.dense @ theta[self.n_own :] + self.offset)

    def transposed(self, values: FloatArray) -> FloatArray:
        """X'v, float[m + p], for v of float[n]."""
        return np.append(self._onto_own(values), values @ self.dense)

    def gram(self, weights: FloatArray) -> FloatArray:
        """X' diag(w) X, float[m + p, m + p], for w of float[n]."""
        m, p = self.n_own, self.dense.shape[1]
        found = np.empty((m + p, m + p))
        found[:m, :m] = self._own_gram(weights)
        found[m:, m:] = self._dense_gram(weights)
        for k in range(p if m else 0):
            found[:m, m + k] = self._onto_own(weights * self.dense[:, k])
        found[m:, :m] = found[:m, m:].T
        return found

    def _sides(self) -> list[tuple[IntArray, float]]:
        """Own abilities of the sides of each contest, with their signs."""
        return [(self.first, 1.0), (self.second, -1.0)]

    def _onto_own(self, values: FloatArray) -> FloatArray:
        """Sums over the contests of each player, those as second player with a minus sign, float[m]."""
        m = self.n_own
        wide = np.zeros(m + 1)
        for side, sign in self._sides():
            wide += sign * np.bincount(side + 1, values, m + 1)
        return wide[1:]

    def _own_gram(self, weights: FloatArray) -> FloatArray:
        m = self.n_own
        if not m:
            return np.zeros((0, 0))
        wide = np.bincount((self.first + 1) * (m + 1) + self.second + 1, weights, (m + 1) ** 2)
        between = wide.reshape(m + 1, m + 1)
        own = np.diag(between.sum(axis=0) + between.sum(axis=1)) - between - between.T
        return np.asarray(own[1:, 1:])

    def _dense_gram(self, weights: FloatArray) -> FloatArray:
        p = self.dense.shape[1]
        found = np.zeros((p, p))
        for start in range(0, self.n_rows, CHUNK):
            part = self.dense[start : start + CHUNK]
            found += part.T @ (weights[start : start + CHUNK, None] * part)
        return found

    def rows(self, chosen: IntArray) -> FloatArray:
        """float[r, m + p]: these rows of X, written out."""
        found = np.zeros((len(chosen), len(self.names)))
        for side, sign in self._sides():
            has = side[chosen] >= 0
            np.add.at(found, (np.flatnonzero(has), side[chosen][has]), sign)
        found[:, self.n_own :] = self.dense[chosen]
        return found

    def subset(self, rows: IntArray) -> Design:
        """The design of these rows, int[r], alone."""
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            dense=self.dense[rows],
            offset=self.offset[rows],
        )

    def without(self, columns: IntArray) -> Design:
        """The design with these columns' parameters, int[k], fixed at 0."""
        m = self.n_own
        kept = np.setdiff1d(np.arange(len(self.names)), columns)
        new = np.full(m + 1, -1)  # the last is what index -1 reads
        new[kept[kept < m]] = np.arange((kept < m).sum())
        dense, names = self.dense[:, kept[kept >= m] - m], tuple(self.names[k] for k in kept)
        return Design(new[self.first], new[self.second], dense, self.offset, names)

    def projected(self, matrix: FloatArray, part: slice) -> FloatArray:
        """float[r, k]: X M for these rows of X and M of float[m + p, k]."""
        own = np.vstack([matrix[: self.n_own], np.zeros((1, matrix.shape[1]))])  # index -1 reads the 0
        return np.asarray(
            own[self.first[part]] - own[self.second[part]] + self.dense[part] @ matrix[self.n_own :]
        )

    def variances(self, covariance: FloatArray) -> FloatArray:
        """float[n]: x'Vx of each contest, the variance of its linear predictor."""
        m = self.n_own
        own = np.zeros((m + 1, m + 1))
        own[:m, :m] = covariance[:m, :m]
        found = own.diagonal()[self.first] + own.diagonal()[self.second] - 2.0 * own[self.first, self.second]
        across = np.vstack([covariance[:m, m:], np.zeros((1, covariance.shape[0] - m))])
        for start in range(0, self.n_rows, CHUNK):
            part = slice(start, start + CHUNK)
            x = self.dense[part]
            both = x @ covariance[m:, m:] + 2.0 * (across[self.first[part]] - across[self.second[part]])
            found[part] += np.einsum("ij,ij->i", x, both)
        return np.asarray(found)


def contest_design(
    first: Sequence[int] | IntArray,
    second: Sequence[int] | IntArray,
    players: Sequence[str],
    player_columns: FloatArray | None = None,
    player_names: Sequence[str] = (),
    reference: str | None = None,
    contest_columns: FloatArray | None = None,
    contest_names: Sequence[str] = (),
    offset: FloatArray | None = None,
) -> Design:
    """The design of contests between players.
    Without `player_columns` every player but the reference has an ability of its own.  `first`, second
    int[n]: players, 0 .. K - 1.  players: K names.  player_columns float[K, p]: covariates of the players;
    NaN where one is missing: such a player has an ability of its own.  player_names: of these p columns.
    contest_columns float[n, q]: covariates of the contests, added to the predictor as they are.  contest_names:
    of these q columns.  offset float[n]."""
    a, b = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if player_columns is None:
        last = players[0] if reference is None else reference
        own = np.array([k for k, name in enumerate(players) if name != last], dtype=np.int64)
        columns = np.zeros((len(players), 0))
    else:
        _refuse_infinite("player_columns", np.isinf(player_columns), player_columns, player_names)
        lacking = np.asarray(np.isnan(player_columns).any(axis=1))
        own, columns = np.flatnonzero(lacking), np.where(lacking[:, None], 0.0, player_columns)
    extra = np.zeros((len(a), 0)) if contest_columns is None else contest_columns
    _refuse_infinite("contest_columns", ~np.isfinite(extra), extra, contest_names)
    column = np.full(len(players), -1)
    column[own] = np.arange(len(own))
    names = tuple(players[k] for k in own) + tuple(player_names) + tuple(contest_names)
    dense = np.hstack([columns[a] - columns[b], extra])
    return Design(column[a], column[b], dense, np.zeros(len(a)) if offset is None else offset, names)


def _refuse_infinite(what: str, wrong: BoolArray, columns: FloatArray, names: Sequence[str]) -> None:
    """Products of finite covariates may be beyond doubles."""
    if wrong.any():
        row, k = np.argwhere(wrong)[0]
        raise InputError(
            f"{what}, row {row + 1}, column {names[k]!r}: {columns[row, k]}; expected a finite number"
        )


def abilities_design(
    players: Sequence[str],
    player_columns: FloatArray | None,
    player_names: Sequence[str],
    reference: str | None,
) -> FloatArray:
    """float[K, p]: the ability of each player, by the parameters of :func:`contest_design` but those of contests: against
    one more player, whose ability is 0."""
    k = len(players)
    columns = (
        None if player_columns is None else np.vstack([player_columns, np.zeros_like(player_columns[:1])])
    )
    against = contest_design(
        np.arange(k), np.full(k, k), [*players, ""], columns, player_names, reference=reference
    )
    rows = against.rows(np.arange(k))
    return rows if columns is not None else np.delete(rows, against.n_own - 1, axis=1)


@dataclass(frozen=True, eq=False)
class Contests:
    """Outcomes of contests, and the design of their linear predictors.
    design: of n rows.  wins, losses float[n]: of the first player, >= 0; fractions and weights are
    allowed."""

    design: Design
    wins: FloatArray
    losses: FloatArray

    @property
    def totals(self) -> FloatArray:
        """float[n]: wins and losses together."""
        return self.wins + self.losses

    @property
    def n_used(self) -> int:
        """Rows with any contest: those that count in the degrees of freedom."""
        return int((self.totals > 0).sum())

    def groups(self) -> tuple[IntArray, IntArray]:
        """Rows of the same design: the first of each group, int[g], in their order, and each row's group,
        int[n].
        Rows without a contest are in no group: -1."""
        design, at = self.design, np.flatnonzero(self.totals > 0)
        kept, own = distinct_rows(
            np.column_stack([design.first[at], design.second[at], design.dense[at], design.offset[at]])
        )
        label = np.full(design.n_rows, -1)
        label[at] = own
        return at[kept], label

    def pooled(self) -> Contests:
        """The same contests with one row for each distinct row of the design; rows without a contest left out."""
        kept, label = self.groups()
        used = label >= 0
        wins, losses = (
            np.bincount(label[used], y[used], len(kept)).astype(float) for y in (self.wins, self.losses)
        )
        return Contests(self.design.subset(kept), wins, losses)
