"""Tests of single votes, of judges, of items and of pairs, against a board that the votes themselves make.

The board is the Bradley-Terry model with ties as half wins, and being first where pairs are shown both ways,

    E(score of a over b) = p = 1 / (1 + exp(-(theta_a - theta_b + order))),   e = score - p,   v = p (1 - p).

Judges have tastes: u_j ~ N(0, tau^2) by judge and item, so that a judge's votes on an item go together.  tau is such that
the mean of min(R^2 / (f V + tau^2 D), 4) over judges and items is that of a chi-square, where R sums e, V sums v, f is
sum e^2 / sum v of all votes, and D = V^2 + sum_k V_k^2 over opponents k: a few judges with other purposes hardly move it.

What a score of x in n votes, expected q, says beyond that is bounded for every taste up to g of its standard deviations s,

    P <= min_g  Phi(-g) + exp(-n KL(x || q_g)),   logit q_g = logit q + g s     (Chernoff; Hoeffding 1963, 2.1),

which holds for any number of votes.  Sums of e that are zero by symmetry are divided by the root of the sum of their squares
over clusters: P(|T| > t) <= 2 exp(-t^2 / 2) whatever the clusters' sizes (Efron 1969, on the signs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.special import expit, logit, ndtr, xlogy

from ..data.columns import FloatArray, IntArray

#: A squared residual counts up to this, and the mean of a chi-square on one degree of freedom that is cut there:
#: P(chi2_3 < 4) + 4 P(chi2_1 > 4).
_CUT, _MEAN_BELOW = 4.0, 0.9205369
#: Newton's method ends at this step, in log-odds, or after so many.
_STEP, _MOST_STEPS = 1e-9, 60
#: A judge with more than this share of all votes is compared with the board without it.
_LARGE = 0.005
#: Votes of a judge, of a judge on an item, of a judge on a pair, of an item in a window, from which on they are tested.
_OF_JUDGE, _OF_ITEM, _OF_PAIR, _OF_WINDOW = 10, 8, 5, 8
#: Judges from which on one is compared with the others, and items from which on one is.
_JUDGES, _ITEMS = 5, 5
#: Votes of all items in a window of time; two sizes.
_WINDOWS = (200, 2000)
#: Seconds between two votes of a judge in which nobody reads two answers.
FAST = 5.0
#: Least correlation of what one judge does, of ties and haste, and of the pairs that it meets: habits differ, also where a
#: few votes do not show it.
_LEAST_RHO, _LEAST_RHO_OF_PAIRS = 0.05, 0.02
#: Share of votes shown the other way round as often, from which on the order is looked at.
_BOTH_WAYS = 0.1
#: Sign vectors for the moments of the test of transitivity, and most numbers of them at once.
_DRAWS, _AT_ONCE = 400, 20_000_000


@dataclass(frozen=True)
class Finding:
    """kind: of a flag see :data:`pairproof.boards.audit.KINDS`; of a note "first-place", "treatment-...", "few-votes",
    "few-opponents", "apart", "never-won", "never-lost".  p: adjusted for all tests; None where it is no test.  judges: whom it
    concerns.  rows: positions in the table, from 0."""

    kind: str
    severity: Literal["flag", "note"]
    sentence: str
    p: float | None
    numbers: Mapping[str, Any]
    judges: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tests:
    """All tests of a kind.  p float[m]; told: the sentence on one of them, and its numbers ("judge" is whom it concerns);
    why_not: why there are none."""

    kind: str
    p: FloatArray = field(default_factory=lambda: np.zeros(0))
    told: Callable[[int], tuple[str, dict[str, Any]]] = lambda k: ("", {})
    why_not: str = "too few votes"


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of a board, equal ones of a row together.

    row int[n]: of the table; a, b int[n]: items, a shown first; games float[n]; y float[n]: score of a, 1, .5 or 0;
    bad bool[n]: whether a tie is both-bad, None where that is not known; ground: 1, or 0 where nobody is first; group int[n]:
    the judge, or another number where it is not known; judges: names of groups, () without judges; time: in seconds.
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
    time: FloatArray | None
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
        known = self.group < len(self.judges)
        return np.asarray(np.bincount(self.group[known], value[known], len(self.judges)))


def sums(key: IntArray, *values: FloatArray) -> tuple[Any, ...]:
    """Distinct keys, and the sum of each array by key."""
    keys, place = np.unique(key, return_inverse=True)
    return (keys, *(np.bincount(place.ravel(), value, len(keys)) for value in values))


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
    for _ in range(_MOST_STEPS):
        p = expit(beta[a] - beta[b] + f @ beta[k:])
        e = score - games * p
        info = information(a, b, games * p * (1 - p), f, k)
        step = np.linalg.solve(info, np.concatenate([of_items(a, b, e, k), f.T @ e]))
        # A step of more than 2 in log-odds is beyond where the quadratic holds.
        beta += step * min(1.0, 2.0 / max(float(abs(step).max()), 1e-300))
        if abs(step).max() < _STEP:
            break
    return HalfWins(beta[:k], beta[k:], info[:k, :k])


def of_items(a: IntArray, b: IntArray, value: FloatArray, k: int) -> FloatArray:
    """float[k]: sums over votes, + for a and - for b."""
    return np.asarray(np.bincount(a, value, k) - np.bincount(b, value, k))


def between_items(a: IntArray, b: IntArray, v: FloatArray, k: int) -> FloatArray:
    """float[k, k]: the information of abilities, singular for their mean."""
    between = np.bincount(a * k + b, v, k * k).reshape(k, k)
    between = between + between.T
    return np.asarray(np.diag(between.sum(1)) - between)


def information(a: IntArray, b: IntArray, v: FloatArray, f: FloatArray, k: int) -> FloatArray:
    """float[k + q, k + q], regular: abilities sum to 0, and one that is all but certain to win has finite steps."""
    items = between_items(a, b, v, k)
    items += (np.trace(items) + 1e-9) * (1 / k**2 + 1e-10 * np.eye(k))
    cross = np.array([of_items(a, b, v * column, k) for column in f.T]).reshape(f.shape[1], k)
    return np.block([[items, cross.T], [cross, (f * v[:, None]).T @ f]])


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

    group: IntArray
    low: IntArray
    high: IntArray
    R: FloatArray
    V: FloatArray
    games: FloatArray
    score: FloatArray
    tied: FloatArray
    turned: FloatArray
    k: int

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
        keys, total = sums(self.item_keys, np.r_[value, -value])
        return np.asarray(np.bincount(keys // self.k, total**2, n)[:n])


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
    return Cells(keys // k**2, keys // k % k, keys % k, *found, k=k)


@dataclass(frozen=True, eq=False)
class Seen:
    """The votes, the board that they make, their residuals, and the cells by judge.  f: ties make scores less variable than
    p (1 - p), by this factor.  noise: by group, the variance that the rest of the board adds, in parts of the group's own.
    """

    votes: Votes
    both_ways: float
    fit: HalfWins
    e: FloatArray
    v: FloatArray
    f: float
    cells: Cells
    noise: FloatArray

    @property
    def has_order(self) -> bool:
        return self.both_ways >= _BOTH_WAYS

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
    k, both_ways = len(votes.items), votes.both_ways
    fit, e, v = board(votes, both_ways >= _BOTH_WAYS)
    cells = cells_of(votes, e, v, votes.group)
    share = np.minimum(np.bincount(votes.group, votes.games, votes.n_groups) / votes.games.sum(), 0.9)
    for judge in np.flatnonzero(share > _LARGE) if votes.judges else ():
        own = slice(*np.searchsorted(cells.group, [judge, judge + 1]))
        i, j, R, V = cells.low[own], cells.high[own], cells.R[own], cells.V[own]
        rest = fit.information - between_items(i, j, V, k)
        moved = np.linalg.lstsq(rest, of_items(i, j, R, k), rcond=1e-9)[0]
        R += V * (moved[i] - moved[j])
    return Seen(
        votes, both_ways, fit, e, v, float((e**2 / votes.games).sum() / v.sum()), cells, share / (1 - share)
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


def trimmed_rho(excess: FloatArray, room: FloatArray, least: float) -> float:
    """A correlation within judges, by moments, without the one judge in a hundred that differs most."""
    kept = np.argsort(excess)[: int(np.ceil(0.99 * len(excess)))]
    return float(np.clip(excess[kept].sum() / max(room[kept].sum(), 1e-300), least, 0.9))


def all_or_more(count: FloatArray, of: FloatArray) -> FloatArray:
    """P(a judge does something in as many of its votes), where judges' shares have a beta distribution."""
    n, weight = np.maximum(of, 1), np.minimum(of, 50)
    mean = float(((weight * count / n).sum() + 0.5) / (weight.sum() + 1))
    excess = ((count - of * mean) ** 2 - of * mean * (1 - mean)) / n
    rho = trimmed_rho(excess, (of - 1) * mean * (1 - mean), _LEAST_RHO)
    return beta_tail(count, of, mean, rho)


def beta_tail(count: FloatArray, of: FloatArray, mean: Any, rho: float) -> FloatArray:
    """P(K >= count) of a beta-binomial."""
    spread = (1 - rho) / rho
    return np.asarray(stats.betabinom.sf(count - 1, np.round(of), mean * spread, (1 - mean) * spread))


# -- position ------------------------------------------------------------------------------------------------


def effects(
    s: Seen, columns: FloatArray, e0: FloatArray
) -> tuple[HalfWins, FloatArray, FloatArray, FloatArray]:
    """Of covariates float[n, q]: the board with them, standard errors by cluster, and T, the score without any of them (at
    residuals e0) over the root of squares over clusters, and never over less than independent votes have."""
    votes, k = s.votes, len(s.votes.items)
    fit = half_wins(votes.a, votes.b, votes.games, votes.games * votes.y, k, columns)
    p = expit(fit.ability[votes.a] - fit.ability[votes.b] + columns @ fit.extra)
    v, e = votes.games * p * (1 - p), votes.games * (votes.y - p)
    info = information(votes.a, votes.b, v, columns, k)
    se, T = np.zeros((2, len(fit.extra)))
    for c in range(len(fit.extra)):
        # The covariate less what items, and the other covariates, explain of it.
        others = np.delete(np.arange(len(info)), k + c)
        part = np.insert(-np.linalg.solve(info[np.ix_(others, others)], info[others, k + c]), k + c, 1.0)
        z = part[votes.a] - part[votes.b] + columns @ part[k:]
        I = float((v * z**2).sum())
        S0, S = (np.bincount(votes.group, z * r) for r in (e0, e))
        se[c], T[c] = np.sqrt((S**2).sum()) / I, S0.sum() / np.sqrt(max((S0**2).sum(), s.f * I))
    return fit, se, T, fit.extra


def order_test(s: Seen) -> Tests:
    """Whether being first matters."""
    if not s.has_order:
        return Tests(
            "order",
            why_not=f"{s.both_ways:.0%} of votes are on a pair that is as often shown the other way round",
        )
    _, se, T, estimate = effects(s, s.votes.ground[:, None], board(s.votes, False)[1])
    share = float(expit(estimate[0]))
    said = f"Being shown first is worth {estimate[0]:+.3f} in log-odds (se {se[0]:.3f}): of two equal items the first gets"
    numbers = {"log_odds": float(estimate[0]), "se": float(se[0]), "share_first": share}
    return Tests("order", 2 * ndtr(-abs(T)), lambda _: (f"{said} {share:.1%} of the score", numbers))


def order_by_judge(s: Seen) -> Tests:
    """Judges for whom the place matters unlike for others."""
    if not s.has_order:
        return Tests("judge-order", why_not="pairs are shown one way round")
    votes, (first, second) = s.votes, (s.votes.by_judge(s.votes.games * (s.votes.y == y)) for y in (1, 0))
    total = votes.by_judge(s.e)
    square = votes.by_judge(s.e**2 / votes.games) + s.tau2 * s.cells.squares(
        s.cells.turned, len(votes.judges)
    )
    judges = np.flatnonzero(first + second >= _OF_JUDGE)
    p = np.minimum(1, 2 * np.exp(-(total**2) / (2 * np.maximum(square, 1e-300))))

    def told(k: int) -> tuple[str, dict[str, Any]]:
        j = judges[k]
        n, side, most = first[j] + second[j], "first" if total[j] > 0 else "second", max(first[j], second[j])
        sentence = f"{votes.judges[j]} prefers the {side} in {most:,.0f} of {n:,.0f} votes that are no tie"
        return sentence, {"judge": votes.judges[j], "votes": float(n), "first": float(first[j])}

    return Tests("judge-order", p[judges], told)


# -- judges --------------------------------------------------------------------------------------------------


def unlike(s: Seen) -> Tests:
    """Judges whose votes go with the board without them less than those of all others, or against it."""
    c, n = s.cells, len(s.votes.judges)
    gap = s.fit.ability[c.low] - s.fit.ability[c.high]
    with_board = np.where(gap > 0, c.score, c.games - c.score) - c.tied / 2
    total, own, agree, of = (
        np.bincount(c.group, x, n)[:n] for x in (c.R * gap, c.V * gap**2, with_board, c.games - c.tied)
    )
    spread = np.sqrt(own * (1 + s.noise[:n]) + s.tau2 * c.squares(c.V * gap, n))
    judges = np.flatnonzero((of >= _OF_JUDGE) & (spread > 0))
    usual = 1 - with_board.sum() / (c.games - c.tied).sum()

    def told(k: int) -> tuple[str, dict[str, Any]]:
        j, name = judges[k], s.votes.judges[judges[k]]
        said = f"{name} prefers the item lower on the board in {of[j] - agree[j]:,.0f} of {of[j]:,.0f} votes that are no tie"
        return f"{said}; all judges in {usual:.1%}", {
            "judge": name,
            "votes": float(of[j]),
            "agree": float(agree[j]),
        }

    return Tests("judge-unlike", np.asarray(ndtr(total[judges] / spread[judges])), told)


def one_item(s: Seen) -> Tests:
    """Judges who are for or against one item, beyond what tastes differ."""
    i = s.items.of((s.items.games >= _OF_ITEM) & (s.items.group < len(s.votes.judges)))

    def told(k: int) -> tuple[str, dict[str, Any]]:
        name, item, (said, numbers) = s.votes.judges[i.group[k]], s.votes.items[i.item[k]], i.told(k)
        return f"{name} is {'for' if i.R[k] > 0 else 'against'} {item}: {said}", {
            "judge": name,
            "item": item,
            **numbers,
        }

    return Tests("judge-item", i.beyond(s.tau2, s.noise[i.group]), told)


def repeated_answers(s: Seen) -> Tests:
    """Judges who give one pair the same answer (nine times in ten) more often than judges meet a pair.

    How often a judge meets each pair varies between judges by as much as it does on this board (Dirichlet-multinomial).
    """
    c, k, n_judges = s.cells, len(s.votes.items), len(s.votes.judges)
    _, place = np.unique(c.low * k + c.high, return_inverse=True)
    share = np.bincount(place.ravel(), c.games) / c.games.sum()
    n, same = np.bincount(c.group, c.games), float((share**2).sum())
    share = share[place.ravel()]
    # A judge's squared counts, less what draws from all pairs give, beside what one pair alone would give.
    excess = (
        np.bincount(c.group, c.games**2 - c.games - 2 * c.games * (n - 1)[c.group] * share)
        + n * (n - 1) * same
    )
    some = np.flatnonzero(n[:n_judges] > 1)
    rho = trimmed_rho((excess / np.maximum(n, 1))[some], (n[some] - 1) * (1 - same), _LEAST_RHO_OF_PAIRS)
    chosen = np.flatnonzero((c.games >= _OF_PAIR) & (c.group < n_judges))
    group, games, q = c.group[chosen], c.games[chosen], share[chosen]
    most = np.stack([c.score - c.tied / 2, c.tied, c.games - c.score - c.tied / 2])[:, chosen]
    p = np.where(most.max(0) >= 0.9 * games, beta_tail(games, n[group], q, rho), 1.0)

    def told(x: int) -> tuple[str, dict[str, Any]]:
        low, high, name = (
            s.votes.items[c.low[chosen[x]]],
            s.votes.items[c.high[chosen[x]]],
            s.votes.judges[group[x]],
        )
        answer = (f"{low} is better", "a tie", f"{high} is better")[int(most[:, x].argmax())]
        said = f"{name} votes on {low} and {high} {games[x]:,.0f} times of {n[group[x]]:,.0f} (expected"
        said += f" {n[group[x]] * q[x]:,.1f}), {most[:, x].max():,.0f} times with one answer: {answer}"
        return said, {
            "judge": name,
            "votes": float(games[x]),
            "same": float(most[:, x].max()),
            "pair": [low, high],
        }

    return Tests("judge-repeats", p, told)


def always_ties(s: Seen) -> Tests:
    """Judges who answer nothing but ties."""
    votes = s.votes
    if not votes.ties_possible:
        return Tests("judge-ties", why_not="no tie could be answered")
    tied, games = votes.by_judge(votes.games * (votes.y == 0.5)), votes.by_judge(votes.games)
    judges = np.flatnonzero(games >= _OF_JUDGE)
    p = np.where(tied == games, all_or_more(tied, games), 1.0)[judges]

    def told(k: int) -> tuple[str, dict[str, Any]]:
        name, n = votes.judges[judges[k]], float(games[judges[k]])
        said = f"{name} calls all of {n:,.0f} pairs a tie; all judges {tied.sum() / games.sum():.1%}"
        return said, {"judge": name, "votes": n}

    return Tests("judge-ties", p, told)


# -- time ----------------------------------------------------------------------------------------------------


def too_fast(s: Seen) -> Tests:
    """Judges whose votes follow each other within seconds, unlike those of others."""
    votes = s.votes.of(~np.isnan(s.votes.time) & (s.votes.group < len(s.votes.judges)))  # type: ignore[arg-type]
    votes = votes.of(np.lexsort((votes.time, votes.group)))  # type: ignore[arg-type]
    later = np.flatnonzero(np.diff(votes.group) == 0)
    gap = np.diff(votes.time)[later]  # type: ignore[arg-type]
    gaps, fast = (np.bincount(votes.group[later], x, len(votes.judges)) for x in (gap > -1, gap < FAST))
    judges = np.flatnonzero(gaps >= _OF_JUDGE)

    def told(k: int) -> tuple[str, dict[str, Any]]:
        j, name = judges[k], votes.judges[judges[k]]
        said = f"{name} casts {fast[j]:,.0f} of {gaps[j]:,.0f} votes less than {FAST:g} seconds after the one before"
        said += f"; all judges {fast.sum() / gaps.sum():.1%}"
        return said, {"judge": name, "votes": float(gaps[j]), "fast": float(fast[j])}

    return Tests("judge-fast", all_or_more(fast, gaps)[judges] if judges.size else np.zeros(0), told)


def bursts(s: Seen) -> Tests:
    """Items for or against which many vote within a short time."""
    k, known = len(s.votes.items), np.flatnonzero(~np.isnan(s.votes.time))  # type: ignore[arg-type]
    place = known[np.argsort(s.votes.time[known], kind="stable")]  # type: ignore[index]
    votes = s.votes.of(place)
    found: list[tuple[int, Items]] = []
    for size in _WINDOWS if len(place) >= 2 * _WINDOWS[0] else ():
        both = np.arange(len(place)) // size * votes.n_groups + votes.group
        keys, group = np.unique(both, return_inverse=True)
        i = cells_of(votes, s.e[place], s.v[place], group.ravel()).by_item()
        window = keys[i.group] // votes.n_groups
        keys, *of = sums(window * k + i.item, i.R, i.V, i.D, i.games, i.score)
        windows = Items(keys // k, keys % k, *of)
        found.append((size, windows.of(windows.games >= _OF_WINDOW)))
    ends = np.cumsum([len(i.games) for _, i in found])

    def told(x: int) -> tuple[str, dict[str, Any]]:
        which = int(np.searchsorted(ends, x, "right"))
        size, i = found[which]
        at = int(x - ends[which] + len(i.games))
        item, (said, numbers) = votes.items[i.item[at]], i.told(at)
        times = votes.time[i.group[at] * size : (i.group[at] + 1) * size]  # type: ignore[index]
        begin, end = (str(np.datetime64(int(t), "s")).replace("T", " ") for t in (times[0], times[-1]))
        side = "for" if i.R[at] > 0 else "against"
        said = f"A burst {side} {item}: {said}, among the {len(times):,} votes from {begin} to {end}"
        return said, {"item": item, **numbers, "from": float(times[0]), "to": float(times[-1])}

    return Tests("burst", np.concatenate([i.beyond(s.tau2) for _, i in found] or [np.zeros(0)]), told)


# -- ties of items -------------------------------------------------------------------------------------------


def answers_by_item(s: Seen, kind: str) -> Tests:
    """Items whose share of ties (or of both-bad votes) is unlike that of others of their strength.

    A logistic curve of strength, logit P = c (1, m, m^2, d^2, |d|) with m the mean ability and d the gap of a pair, says what
    to expect; items differ beyond it, and one is unlike the others where it lies beyond their spread (externally studentised, t
    on k - 2 degrees of freedom).
    """
    votes, k = s.votes, len(s.votes.items)
    if kind == "both-bad" and votes.bad is None:
        return Tests(kind, why_not="no column both_bad, which `read` makes of answers that say so")
    bad = np.zeros(len(votes.a), bool) if votes.bad is None else votes.bad
    votes = votes if kind == "both-bad" else votes.of(~bad)
    hit = (bad if kind == "both-bad" else votes.y == 0.5).astype(float)
    if not votes.ties_possible or k < _ITEMS or not hit.any() or hit.all():
        return Tests(kind, why_not=f"it takes {_ITEMS} items, some votes that are, and some that are not")
    delta, se, count, of = _item_shares(s.fit.ability, votes, hit)
    mean, square, noise = ((x.sum() - x) / (k - 1) for x in (delta, delta**2, se**2))
    square = (square - mean**2) * (k - 1) / (k - 2)
    t = (delta - mean) / np.sqrt(
        np.maximum(square - noise, 0) + se**2 + np.maximum(square, noise) / (k - 1)
    )

    def told(i: int) -> tuple[str, dict[str, Any]]:
        what = "called bad with its opponent" if kind == "both-bad" else "tied"
        said = f"{votes.items[i]} is {what} in {count[i] / of[i]:.1%} of its votes (all items {count.sum() / of.sum():.1%}),"
        said += f" {np.exp(delta[i] - mean[i]):.2f} times the odds of items of its strength"
        return said, {"item": votes.items[i], "votes": float(of[i]), "log_odds": float(delta[i] - mean[i])}

    return Tests(kind, 2 * stats.t.sf(abs(t), k - 2), told)


def _item_shares(ability: FloatArray, votes: Votes, hit: FloatArray) -> list[FloatArray]:
    """Of each item: one Newton step of its log-odds from the curve, its standard error by cluster, hits and votes."""
    a, b, k = votes.a, votes.b, len(ability)
    keys, place = np.unique(a * k + b, return_inverse=True)
    place = place.ravel()
    of, hits = np.bincount(place, votes.games), np.bincount(place, votes.games * hit)
    x, y = ability[keys // k], ability[keys % k]
    basis = np.stack([np.ones(len(keys)), (x + y) / 2, (x + y) ** 2 / 4, (x - y) ** 2, abs(x - y)], 1)
    c = np.array([logit(hits.sum() / of.sum()), 0, 0, 0, 0])
    for _ in range(_MOST_STEPS):
        pi = expit(basis @ c)
        info = (basis * (of * pi * (1 - pi))[:, None]).T @ basis
        step = np.linalg.lstsq(info, basis.T @ (hits - of * pi), rcond=1e-12)[0]
        c += np.clip(step, -2, 2)
        if abs(step).max() < _STEP:
            break
    r, w = votes.games * (hit - pi[place]), of * pi * (1 - pi)
    to_item = sparse.csr_array(
        (np.ones(2 * len(keys)), (np.r_[keys // k, keys % k], np.r_[: len(keys), : len(keys)])),
        (k, len(keys)),
    )
    cross = (to_item @ (basis * w[:, None])).T
    part = np.linalg.lstsq(info, cross, rcond=1e-12)[0]
    I = np.maximum(to_item @ w - (cross * part).sum(0), 1e-9)
    # The sum over clusters of (what bears on the item - what the curve takes out of it)^2, multiplied out.
    _, group = np.unique(votes.group, return_inverse=True)
    by_pair = sparse.csr_array((r, (group.ravel(), place)), (group.max() + 1, len(keys)))
    on_item, on_curve = by_pair @ to_item.T, by_pair @ basis
    square = on_item.power(2).sum(0) - 2 * ((on_item.T @ on_curve).T * part).sum(0)
    square += ((on_curve.T @ on_curve @ part) * part).sum(0)
    score = on_item.sum(0) - on_curve.sum(0) @ part
    return [score / I, np.sqrt(np.maximum(square, I)) / I, to_item @ hits, to_item @ of]


# -- transitivity --------------------------------------------------------------------------------------------


def transitivity(s: Seen) -> tuple[Tests, Tests]:
    """Whether the votes that are no tie have one order of abilities behind them, and pairs that lie beyond it.

    Sum of R^2 / V over pairs, with R less what abilities (and the cube of their gap: another link) explain, against the same
    sum with the votes of each cluster turned round or not by a coin; a scaled chi-square has the moments of that.
    """
    k, decided = len(s.votes.items), s.votes.y != 0.5
    votes = s.votes.of(decided)
    keys = np.unique(np.minimum(votes.a, votes.b) * k + np.maximum(votes.a, votes.b))
    n, low, high = len(keys), keys // k, keys % k
    if n < k:
        why = "no pairs close a circle"
        return Tests("transitivity", why_not=why), Tests("pair", why_not=why)
    fit, e, v = board(votes, s.has_order)
    c = cells_of(votes, e, v, np.unique(votes.group, return_inverse=True)[1].ravel())
    pair = np.searchsorted(keys, c.low * k + c.high)
    R, V, V2, score, games = (np.bincount(pair, x) for x in (c.R, c.V, c.V**2, c.score, c.games))
    V = np.maximum(V, 1e-9)
    gap = fit.ability[low] - fit.ability[high]
    X = sparse.csr_array((np.r_[np.ones(n), -np.ones(n)], (np.r_[:n, :n], np.r_[low, high])), (n, k))
    Z = sparse.csr_array(sparse.hstack([X, gap[:, None] ** 3])) if n - k >= 2 else X
    inverse = np.linalg.pinv((Z.T @ (Z * V[:, None])).toarray(), rcond=1e-10, hermitian=True)
    by_group = sparse.csr_array((c.R, (c.group, pair)), (c.group.max() + 1, n))

    def clean(x: FloatArray) -> FloatArray:
        return np.asarray(x - V[:, None] * (Z @ (inverse @ (Z.T @ x))))

    left = clean(R[:, None])[:, 0]
    rng, drawn, Q = np.random.default_rng(0), list[float](), float((left**2 / V).sum())
    while len(drawn) < _DRAWS:
        signs = (
            rng.integers(0, 2, (by_group.shape[0], 1 + min(_DRAWS, _AT_ONCE // sum(by_group.shape)))) * 2.0
            - 1
        )
        drawn += (clean(by_group.T @ signs) ** 2 / V[:, None]).sum(0).tolist()
    mean, variance = float(np.mean(drawn)), float(np.var(drawn))
    p = (
        stats.chi2.sf(2 * mean * Q / variance, 2 * mean**2 / variance)
        if variance > 1e-9 * mean**2
        else 1.0
    )
    z = left / np.sqrt(np.maximum(V, by_group.power(2).sum(0)))
    worst = np.argsort(-abs(z), kind="stable")

    def said(x: int) -> str:
        won, lost, more = score[x], games[x] - score[x], left[x]
        names = f"{votes.items[low[x]]} beat {votes.items[high[x]]}"
        return f"{names} {won:,.0f} to {lost:,.0f}, expected {won - more:,.0f} to {lost + more:,.0f}"

    def of_all(_: int) -> tuple[str, dict[str, Any]]:
        circle = " > ".join(votes.items[i] for i in _circle(k, low, high, z, worst[:60]))
        sentence = f"The votes do not go with one order: misfit {Q:,.0f}, by chance {mean:,.0f} (sd {variance**.5:,.0f}); worst"
        sentence += f" {'; '.join(map(said, worst[:3]))}" + (
            f"; beyond it most of all {circle}" if circle else ""
        )
        return sentence, {
            "misfit": Q,
            "by_chance": mean,
            "pairs": [said(x) for x in worst[:10]],
            "circle": circle,
        }

    def of_pair(x: int) -> tuple[str, dict[str, Any]]:
        names = [votes.items[low[x]], votes.items[high[x]]]
        return f"A pair beyond the board: {said(x)}", {
            "votes": float(games[x]),
            "z": float(z[x]),
            "pair": names,
        }

    single = beyond(score, games, np.clip(score - left, 0, games), np.sqrt(2 * s.tau2 * V2) / V)
    return Tests("transitivity", np.array([p]), of_all), Tests("pair", single, of_pair)


def _circle(k: int, low: IntArray, high: IntArray, z: FloatArray, worst: IntArray) -> list[int]:
    """i, j, l, i with the largest sum of residuals around, among the items of the worst pairs; empty where there is none."""
    some = np.unique(np.r_[low[worst], high[worst]])
    Z = np.full((k, k), -np.inf)
    Z[low, high], Z[high, low] = z, -z
    Z = Z[np.ix_(some, some)]
    around = Z[:, :, None] + Z[None, :, :] + Z.T[:, None, :]
    best = np.unravel_index(int(around.argmax()), around.shape)
    return [int(some[x]) for x in (*best, best[0])] if np.isfinite(around[best]) else []


# -- all of them ---------------------------------------------------------------------------------------------


def all_tests(s: Seen) -> list[Tests]:
    """Every test, or why there is none."""
    judges = len(np.unique(s.votes.group[s.votes.group < len(s.votes.judges)]))
    no_judges = (
        "no column judge"
        if not s.votes.judges
        else f"judges: {judges}; it takes {_JUDGES} to compare one with the others"
    )
    no_time = "no column of times (time= names it)"
    of_judges = {"judge-order": order_by_judge, "judge-unlike": unlike, "judge-item": one_item,
                 "judge-repeats": repeated_answers, "judge-ties": always_ties, "judge-fast": too_fast}  # fmt: skip
    found = [order_test(s)]
    for kind, test in of_judges.items():
        why = (
            no_judges
            if judges < _JUDGES
            else no_time
            if kind == "judge-fast" and s.votes.time is None
            else ""
        )
        found.append(Tests(kind, why_not=why) if why else test(s))
    found.append(bursts(s) if s.votes.time is not None else Tests("burst", why_not=no_time))
    return [*found, answers_by_item(s, "ties"), answers_by_item(s, "both-bad"), *transitivity(s)]


def flags(tests: list[Tests], alpha: float) -> list[Finding]:
    """What is flagged, smallest p first; of one kind, judge and item only the first.

    Holm (1979) over all tests, with weights: each kind has the same share of alpha.
    """
    made = [t for t in tests if len(t.p)]
    which = [(t, k) for t in made for k in range(len(t.p))]
    p = np.concatenate([t.p for t in made] or [np.zeros(0)])
    weight = np.concatenate([np.full(len(t.p), 1 / len(t.p) / len(made)) for t in made] or [np.zeros(0)])
    found, highest, left = dict[Any, Finding](), 0.0, 1.0
    for x in np.argsort(p / weight, kind="stable").tolist():
        highest = max(highest, float(p[x] / weight[x]) * max(left, weight[x]))
        if highest >= alpha:
            break
        left -= weight[x]
        (t, k) = which[x]
        sentence, numbers = t.told(k)
        judges = (numbers.pop("judge"),) if "judge" in numbers else ()
        key = t.kind, judges or numbers.get("item", k)
        found.setdefault(key, Finding(t.kind, "flag", sentence, min(highest, 1.0), numbers, judges))
    return sorted(found.values(), key=lambda f: (f.p, -f.numbers.get("votes", 0.0)))
