"""The votes of a board, the board that they make, what it leaves over, and how much judges differ.

The board is the Bradley-Terry model with ties as half wins, and being first where pairs are shown both ways,

    E(score of a over b) = p = 1 / (1 + exp(-(theta_a - theta_b + order))),   e = score - p,   v = p (1 - p).

Judges have tastes: u_j ~ N(0, tau^2) by judge and item, so that a judge's votes on an item go together.  tau is such that
the mean of min(R^2 / (f V + tau^2 D), 4) over judges and items is that of a chi-square, where R sums e, V sums v, f is
sum e^2 / sum v of all votes, and D = V^2 + sum_k V_k^2 over opponents k: a few judges with other purposes hardly move it.

What a score of x in n votes, expected q, says beyond that is bounded for every taste up to g of its standard deviations s,

    P <= min_g  Phi(-g) + exp(-n KL(x || q_g)),   logit q_g = logit q + g s     (Chernoff; Hoeffding 1963, 2.1),

which holds for any number of votes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, xlogy

from ...data.columns import FloatArray, IntArray

#: A squared residual counts up to this, and the mean of a chi-square (1 degree of freedom) that is cut there:
#: P(chi2_3 < 4) + 4 P(chi2_1 > 4).
_CUT, _MEAN_BELOW = 4.0, 0.9205369
#: Newton's method ends at this step, in log-odds, or after so many.
STEP, MOST_STEPS = 1e-9, 60
#: A judge with more than this share of all votes is compared with the board without it.
_LARGE = 0.005
#: Share of votes shown the other way round as often, from which on the order is looked at.
_BOTH_WAYS = 0.1
#: Log-odds beyond which an effect has no maximum: the likelihood still rises when the steps end.
_NO_MAXIMUM = 15.0


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of a board, equal ones of a row together.

    row int[n]: of the table; a, b int[n]: items, a shown first; games float[n]; y float[n]: score of a, 1, .5 or 0;
    bad bool[n]: whether a tie is both-bad, None where that is not known; ground: 1, or 0 where nobody is first; group int[n]:
    the judge, or another number where it is not known; judges: names of groups, () without judges; time: in seconds, nan where it is not known.
    """

    items: tuple[str, ...]
    row: IntArray
    a: IntArray
    b: IntArray
    games: FloatArray
    y: FloatArray
    bad: NDArray[np.bool_] | None
    ground: FloatArray
    group: IntArray
    judges: tuple[str, ...]
    time: FloatArray
    ties_possible: bool

    def of(self, chosen: NDArray[Any]) -> Votes:
        """Some of the votes."""
        own = {k: x[chosen] for k, x in vars(self).items() if isinstance(x, np.ndarray)}
        return replace(self, **own)

    @property
    def n_groups(self) -> int:
        return max(int(self.group.max()) + 1, len(self.judges))

    @property
    def both_ways(self) -> float:
        """The share of votes whose pair is shown in the other order as often."""
        k = len(self.items)
        keys, games = sums(self.a * k + self.b, self.games * self.ground)
        known = dict(zip(keys.tolist(), games.tolist()))
        back = sum(min(n, known.get(key % k * k + key // k, 0.0)) for key, n in known.items())
        return float(back / self.games.sum())

    def by_judge(self, value: FloatArray) -> FloatArray:
        """float[n_judges]: sums of a value."""
        return total(self.group, value, len(self.judges))


def placed(key: NDArray[Any]) -> tuple[Any, IntArray]:
    """Distinct keys, and the place of each one among them."""
    keys, place = np.unique(key, return_inverse=True)
    return keys, place.ravel()


def total(place: IntArray, value: NDArray[Any], n: int) -> FloatArray:
    """float[n]: the sum of a value by place; places from n on are left out."""
    return np.asarray(np.bincount(place, value, n)[:n], float)


def sums(key: IntArray, *values: NDArray[Any]) -> tuple[Any, ...]:
    """Distinct keys, and the sum of each array by key."""
    keys, place = placed(key)
    return (keys, *(total(place, value, len(keys)) for value in values))


# -- the board -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HalfWins:
    """ability float[k], sum 0; extra float[q]; information float[k, k] of the items, regular by a term in their sum."""

    ability: FloatArray
    extra: FloatArray
    information: FloatArray

    @property
    def order(self) -> IntArray:
        """Items, best first."""
        return np.argsort(-self.ability, kind="stable")


def half_wins(
    a: IntArray,
    b: IntArray,
    games: FloatArray,
    score: FloatArray,
    k: int,
    extra: Any = None,
    start: Any = 0.0,
) -> HalfWins:
    """Abilities of k items, and coefficients of extra float[n, q], at the maximum of the likelihood of scores."""
    f = np.zeros((len(a), 0)) if extra is None else extra
    beta = np.zeros(k + f.shape[1])
    beta[:k] = start
    for _ in range(MOST_STEPS):
        p = expit(beta[a] - beta[b] + f @ beta[k:])
        e = score - games * p
        info = information(a, b, games * p * (1 - p), f, k)
        step = np.linalg.solve(info, np.concatenate([of_items(a, b, e, k), f.T @ e]))
        # A step of more than 2 in log-odds is beyond where the quadratic holds.
        beta += step * min(1.0, 2.0 / max(float(abs(step).max()), 1e-300))
        if abs(step).max() < STEP:
            break
    return HalfWins(beta[:k], beta[k:], info[:k, :k])


def of_items(a: IntArray, b: IntArray, value: FloatArray, k: int) -> FloatArray:
    """float[k]: sums over votes, + for a and - for b."""
    return total(a, value, k) - total(b, value, k)


def between_items(a: IntArray, b: IntArray, v: FloatArray, k: int) -> FloatArray:
    """float[k, k]: the information of abilities, singular for their mean."""
    between = total(a * k + b, v, k * k).reshape(k, k)
    between = between + between.T
    return np.asarray(np.diag(between.sum(1)) - between)


def information(a: IntArray, b: IntArray, v: FloatArray, f: FloatArray, k: int) -> FloatArray:
    """float[k + q, k + q], regular: abilities sum to 0, and one that is all but certain to win has finite steps."""
    items = between_items(a, b, v, k)
    items += (np.trace(items) + 1e-9) * (1 / k**2 + 1e-10 * np.eye(k))
    cross = np.array([of_items(a, b, v * column, k) for column in f.T]).reshape(f.shape[1], k)
    own = (f * v[:, None]).T @ f
    return np.block([[items, cross.T], [cross, own + (np.trace(own) + 1e-9) * 1e-10 * np.eye(len(own))]])


def board(votes: Votes, order: bool) -> tuple[HalfWins, FloatArray, FloatArray]:
    """The board, and the residual and the information of every vote, each times its number of games."""
    k = len(votes.items)
    keys, games, score = sums(
        (votes.a * k + votes.b) * 2 + (votes.ground > 0), votes.games, votes.games * votes.y
    )
    extra = (keys % 2)[:, None].astype(float) if order else None
    fit = half_wins(keys // 2 // k, keys // 2 % k, games, score, k, extra)
    p = expit(fit.ability[votes.a] - fit.ability[votes.b] + votes.ground * fit.extra.sum())
    return fit, votes.games * (votes.y - p), votes.games * p * (1 - p)


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums by group (judge or row) and pair, from the side of the item that comes first in the table.

    group, low, high int[m]; R, V, games, score, tied float[m]: residuals, information, votes, score of `low`, ties; turned:
    information where `low` was first less that where it was second.
    """

    k: int
    group: IntArray
    low: IntArray
    high: IntArray
    R: FloatArray
    V: FloatArray
    games: FloatArray
    score: FloatArray
    tied: FloatArray
    turned: FloatArray

    @property
    def item_keys(self) -> IntArray:
        return np.concatenate([self.group * self.k + self.low, self.group * self.k + self.high])

    def by_item(self) -> Items:
        """Sums by group and item."""
        columns = [np.r_[self.R, -self.R], *(np.r_[x, x] for x in (self.V, self.V**2, self.games))]
        keys, R, V, V2, games, score = sums(
            self.item_keys, *columns, np.r_[self.score, self.games - self.score]
        )
        return Items(keys // self.k, keys % self.k, R, V, V2 + V**2, games, score)

    def squares(self, value: FloatArray, n: int) -> FloatArray:
        """float[n]: by group the sum over items of the squared sum of a value, + for `low` and - for `high`: what a taste of
        variance 1 adds to the variance of a sum over the group."""
        keys, squared = sums(self.item_keys, np.r_[value, -value])
        return total(keys // self.k, squared**2, n)


@dataclass(frozen=True, eq=False)
class Items:
    """Sums by group and item: as in :class:`Cells`; D: what a taste of variance 1 adds to the variance of R."""

    group: IntArray
    item: IntArray
    R: FloatArray
    V: FloatArray
    D: FloatArray
    games: FloatArray
    score: FloatArray

    def of(self, chosen: NDArray[np.bool_]) -> Items:
        return Items(**{name: x[chosen] for name, x in vars(self).items()})

    def beyond(self, tau2: float, noise: Any = 0.0) -> FloatArray:
        """Two-sided bounds of how far each score lies beyond tastes of variance tau2."""
        V = np.maximum(self.V, 1e-12)
        return beyond(self.score, self.games, self.score - self.R, np.sqrt(tau2 * self.D + noise * V) / V)

    def told(self, k: int) -> tuple[str, dict[str, float]]:
        """For or against, what came and what was expected."""
        score, games, expected = (float(x[k]) for x in (self.score, self.games, self.score - self.R))
        said = f"a score of {score:,.1f} in {games:,.0f} votes, expected {expected:,.1f}"
        return said, {"votes": games, "score": score, "expected": expected}


def cells_of(votes: Votes, e: FloatArray, v: FloatArray, group: IntArray) -> Cells:
    """The cells of votes in these groups."""
    k, flip = len(votes.items), votes.a > votes.b
    sign = np.where(flip, -1.0, 1.0)
    low, high = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
    won, tied = votes.games * np.where(flip, 1 - votes.y, votes.y), votes.games * (votes.y == 0.5)
    keys, *found = sums((group * k + low) * k + high, e * sign, v, votes.games, won, tied, v * sign)
    return Cells(k, keys // k**2, keys // k % k, keys % k, *found)


@dataclass(frozen=True, eq=False)
class Seen:
    """The votes, the board that they make, their residuals, and the cells by judge.  f: ties make scores less variable than
    p (1 - p), by this factor.  noise: by group, the variance that the rest of the board adds, in parts of the group's own.
    no_order: why being shown first is not looked at; "" where it is.
    """

    votes: Votes
    no_order: str
    fit: HalfWins
    e: FloatArray
    v: FloatArray
    f: float
    cells: Cells
    noise: FloatArray

    @cached_property
    def items(self) -> Items:
        return self.cells.by_item()

    @cached_property
    def tau2(self) -> float:
        """The variance of tastes; 0 where too few judges have votes enough on an item to show one."""
        i = self.items.of(self.items.V > 0.5)
        alone = self.f * i.V * (1 + self.noise[i.group])
        weight = 0.1 * i.D / (alone + 0.1 * i.D)
        low, high = 0.0, 25.0 if self.votes.judges and weight.sum() >= 20 else 0.0
        while high - low > 1e-6:
            tau2 = (low + high) / 2
            above = (weight * (np.minimum(i.R**2 / (alone + tau2 * i.D), _CUT) - _MEAN_BELOW)).sum() > 0
            low, high = (tau2, high) if above else (low, tau2)
        return low


def seen(votes: Votes) -> Seen:
    """The board; a judge with many votes is compared with the board without it, by one Newton step."""
    k, both_ways, no_order = len(votes.items), votes.both_ways, ""
    if both_ways < _BOTH_WAYS:
        no_order = f"{both_ways:.0%} of votes are on pairs shown as often in either order"
    fit, e, v = board(votes, not no_order)
    if (abs(fit.extra) > _NO_MAXIMUM).any():
        no_order = "the effect of being shown first is infinite in these votes"
        fit, e, v = board(votes, False)
    cells = cells_of(votes, e, v, votes.group)
    share = np.minimum(total(votes.group, votes.games, votes.n_groups) / votes.games.sum(), 0.9)
    for judge in np.flatnonzero(share > _LARGE) if votes.judges else ():
        own = slice(*np.searchsorted(cells.group, [judge, judge + 1]))
        i, j, R, V = cells.low[own], cells.high[own], cells.R[own], cells.V[own]
        rest = fit.information - between_items(i, j, V, k)
        moved = np.linalg.lstsq(rest, of_items(i, j, R, k), rcond=1e-9)[0]
        R += V * (moved[i] - moved[j])
    return Seen(
        votes, no_order, fit, e, v, float((e**2 / votes.games).sum() / v.sum()), cells, share / (1 - share)
    )


# -- bounds --------------------------------------------------------------------------------------------------


def beyond(score: FloatArray, games: FloatArray, expected: FloatArray, sd: FloatArray) -> FloatArray:
    """Two-sided bounds (module docstring) of scores in games, where the expected ones may be off by sd in log-odds."""
    q = np.clip(expected / games, 1e-9, 1 - 1e-9)
    x = np.clip(score / games, 0, 1)
    x, q = np.where(x > q, x, 1 - x), np.where(x > q, q, 1 - q)
    best = np.ones(len(q))
    for g in np.arange(0, 12.25, 0.25):
        moved = np.clip(expit(logit(q) + g * sd), 1e-12, 1 - 1e-12)
        kl = xlogy(x, x / moved) + xlogy(1 - x, (1 - x) / (1 - moved))
        best = np.minimum(best, ndtr(-g) + np.exp(-games * np.where(x > moved, kl, 0)))
    return np.asarray(np.minimum(1, 2 * best))
