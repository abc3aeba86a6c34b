"""Tests of judges, of items, of pairs and of times, against the board that the votes themselves make (:mod:`.seen`).

Sums of residuals that are zero by symmetry are divided by the root of the sum of their squares over clusters:
P(|T| > t) <= 2 exp(-t^2 / 2) for any sizes of the clusters (Efron 1969, on the signs).  Shares of what judges do have a
beta distribution.  Every test of a judge, a pair or a time allows for the tastes of judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import sparse, stats
from scipy.special import expit, logit, ndtr

from ...data.columns import FloatArray, IntArray
from .seen import (
    MOST_STEPS,
    STEP,
    HalfWins,
    Items,
    Seen,
    Votes,
    beyond,
    board,
    cells_of,
    half_wins,
    information,
    placed,
    sums,
    total,
)

#: A sentence, and its numbers; "judge" is whom it concerns.
Told = tuple[str, dict[str, Any]]
#: Least votes that are tested: of a judge, of a judge on an item, of a judge on a pair, in a window.
_OF_JUDGE, _OF_ITEM, _OF_PAIR, _OF_WINDOW = 10, 8, 5, 8
#: Judges from which on one is compared with the others, and items from which on one is.
_JUDGES, _ITEMS = 5, 5
#: Votes of all items in a window of time; two sizes.
_WINDOWS = (200, 2000)
#: Seconds between two votes of a judge in which nobody reads two answers.
FAST = 5.0
#: Least correlation of what one judge does, of ties and haste, and of the pairs that it meets: habits differ,
#: also where a few votes do not show it.
_LEAST_RHO, _LEAST_RHO_OF_PAIRS = 0.05, 0.02
#: Sign vectors for the moments of the test of transitivity, and most numbers of them at once.
_DRAWS, _AT_ONCE = 400, 20_000_000


@dataclass(frozen=True)
class Finding:
    """kind: of a flag see :data:`pairproof.boards.audited.audit.KINDS`; of a note "first-place", "treatment-...", "few-votes",
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
    """All tests of a kind.  p float[m]; told: the text about one of them; why_not: why there are none."""

    kind: str
    p: FloatArray = field(default_factory=lambda: np.zeros(0))
    told: Callable[[int], Told] = lambda k: ("", {})
    why_not: str = "too few votes"


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


def effects(s: Seen, columns: FloatArray, e0: FloatArray) -> tuple[HalfWins, FloatArray, FloatArray]:
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
        S0, S = (total(votes.group, z * r, votes.n_groups) for r in (e0, e))
        se[c], T[c] = np.sqrt((S**2).sum()) / I, S0.sum() / np.sqrt(max((S0**2).sum(), s.f * I))
    return fit, se, T


def order_test(s: Seen) -> Tests:
    """Whether being first matters."""
    if s.no_order:
        return Tests("order", why_not=s.no_order)
    fit, se, T = effects(s, s.votes.ground[:, None], board(s.votes, False)[1])
    numbers = {"log_odds": float(fit.extra[0]), "se": float(se[0]), "share_first": float(expit(fit.extra[0]))}
    said = "Being shown first is worth {log_odds:+.3f} in log-odds (se {se:.3f}): of two equal items, the first gets"
    said = f"{said} {{share_first:.1%}} of the score".format(**numbers)
    return Tests("order", 2 * ndtr(-abs(T)), lambda _: (said, numbers))


def order_by_judge(s: Seen) -> Tests:
    """Judges for whom the place matters unlike for others."""
    if s.no_order:
        return Tests("judge-order", why_not=s.no_order)
    votes, (first, second) = s.votes, (s.votes.by_judge(s.votes.games * (s.votes.y == y)) for y in (1, 0))
    gone, square = votes.by_judge(s.e), votes.by_judge(s.e**2 / votes.games)
    square += s.tau2 * s.cells.squares(s.cells.turned, len(votes.judges))
    judges = np.flatnonzero(first + second >= _OF_JUDGE)
    p = np.minimum(1, 2 * np.exp(-(gone**2) / (2 * np.maximum(square, 1e-300))))

    def told(k: int) -> Told:
        j = judges[k]
        n, side, most = first[j] + second[j], "first" if gone[j] > 0 else "second", max(first[j], second[j])
        sentence = f"{votes.judges[j]} prefers the {side} in {most:,.0f} of {n:,.0f} votes that are not ties"
        return sentence, {"judge": votes.judges[j], "votes": float(n), "first": float(first[j])}

    return Tests("judge-order", p[judges], told)


# -- judges --------------------------------------------------------------------------------------------------


def unlike(s: Seen) -> Tests:
    """Judges whose votes go with the board without them less than those of all others, or against it."""
    c, n = s.cells, len(s.votes.judges)
    gap = s.fit.ability[c.low] - s.fit.ability[c.high]
    with_board = np.where(gap > 0, c.score, c.games - c.score) - c.tied / 2
    sums_of = (c.R * gap, c.V * gap**2, with_board, c.games - c.tied)
    beside, own, agree, of = (total(c.group, x, n) for x in sums_of)
    spread = np.sqrt(own * (1 + s.noise[:n]) + s.tau2 * c.squares(c.V * gap, n))
    judges = np.flatnonzero((of >= _OF_JUDGE) & (spread > 0))
    usual = 1 - with_board.sum() / (c.games - c.tied).sum()

    def told(k: int) -> Told:
        j, name = judges[k], s.votes.judges[judges[k]]
        said = f"{name} prefers the lower-ranked item in {of[j] - agree[j]:,.0f} of {of[j]:,.0f} votes that are not ties"
        numbers = {"judge": name, "votes": float(of[j]), "agree": float(agree[j])}
        return f"{said}; all judges: {usual:.1%}", numbers

    return Tests("judge-unlike", np.asarray(ndtr(beside[judges] / spread[judges])), told)


def one_item(s: Seen) -> Tests:
    """Judges who are for or against one item, beyond what tastes differ."""
    i = s.items.of((s.items.games >= _OF_ITEM) & (s.items.group < len(s.votes.judges)))

    def told(k: int) -> Told:
        name, item, (said, numbers) = s.votes.judges[i.group[k]], s.votes.items[i.item[k]], i.told(k)
        said = f"{name} is {'for' if i.R[k] > 0 else 'against'} {item}: {said}"
        return said, {"judge": name, "item": item, **numbers}

    return Tests("judge-item", i.beyond(s.tau2, s.noise[i.group]), told)


def repeated_answers(s: Seen) -> Tests:
    """Judges who give one pair the same answer (nine times in ten) more often than judges meet a pair.

    How often a judge meets each pair varies between judges by as much as it does on this board (Dirichlet-multinomial).
    """
    c, k, n_judges = s.cells, len(s.votes.items), len(s.votes.judges)
    pairs, place = placed(c.low * k + c.high)
    share = total(place, c.games, len(pairs)) / c.games.sum()
    n, same, share = total(c.group, c.games, s.votes.n_groups), float((share**2).sum()), share[place]
    # A judge's squared counts, less what draws from all pairs give, beside what one pair alone would give.
    beside = c.games * (c.games - 1 - 2 * (n - 1)[c.group] * share)
    excess = total(c.group, beside, len(n)) + n * (n - 1) * same
    some = np.flatnonzero(n[:n_judges] > 1)
    rho = trimmed_rho((excess / np.maximum(n, 1))[some], (n[some] - 1) * (1 - same), _LEAST_RHO_OF_PAIRS)
    chosen = np.flatnonzero((c.games >= _OF_PAIR) & (c.group < n_judges))
    group, games, q = c.group[chosen], c.games[chosen], share[chosen]
    most = np.stack([c.score - c.tied / 2, c.tied, c.games - c.score - c.tied / 2])[:, chosen]
    p = np.where(most.max(0) >= 0.9 * games, beta_tail(games, n[group], q, rho), 1.0)

    def told(x: int) -> Told:
        low, high = (s.votes.items[side[chosen[x]]] for side in (c.low, c.high))
        name, same = s.votes.judges[group[x]], float(most[:, x].max())
        answer = (f"{low} is better", "a tie", f"{high} is better")[int(most[:, x].argmax())]
        said = f"{name} compares {low} and {high} in {games[x]:,.0f} of {n[group[x]]:,.0f} votes (expected"
        said += f" {n[group[x]] * q[x]:,.1f}), {same:,.0f} times with the same answer: {answer}"
        return said, {"judge": name, "votes": float(games[x]), "same": same, "pair": [low, high]}

    return Tests("judge-repeats", p, told)


def always_ties(s: Seen) -> Tests:
    """Judges who answer nothing but ties."""
    votes = s.votes
    if not votes.ties_possible:
        return Tests("judge-ties", why_not="ties were not possible")
    tied, games = votes.by_judge(votes.games * (votes.y == 0.5)), votes.by_judge(votes.games)
    judges = np.flatnonzero(games >= _OF_JUDGE)
    p = np.where(tied == games, all_or_more(tied, games), 1.0)[judges]

    def told(k: int) -> Told:
        name, n = votes.judges[judges[k]], float(games[judges[k]])
        said = f"{name} calls all {n:,.0f} pairs a tie; all judges: {tied.sum() / games.sum():.1%}"
        return said, {"judge": name, "votes": n}

    return Tests("judge-ties", p, told)


# -- time ----------------------------------------------------------------------------------------------------


def too_fast(s: Seen) -> Tests:
    """Judges whose votes follow each other within seconds, unlike those of others."""
    votes = s.votes.of(~np.isnan(s.votes.time) & (s.votes.group < len(s.votes.judges)))
    votes = votes.of(np.lexsort((votes.time, votes.group)))
    later = np.flatnonzero(np.diff(votes.group) == 0)
    gap = np.diff(votes.time)[later]
    gaps, fast = (total(votes.group[later], x, len(votes.judges)) for x in (gap > -1, gap < FAST))
    judges = np.flatnonzero(gaps >= _OF_JUDGE)

    def told(k: int) -> Told:
        j, name = judges[k], votes.judges[judges[k]]
        said = f"{name} casts {fast[j]:,.0f} of {gaps[j]:,.0f} votes less than {FAST:g} seconds after the previous one"
        said += f"; all judges: {fast.sum() / gaps.sum():.1%}"
        return said, {"judge": name, "votes": float(gaps[j]), "fast": float(fast[j])}

    return Tests("judge-fast", all_or_more(fast, gaps)[judges] if judges.size else np.zeros(0), told)


def bursts(s: Seen) -> Tests:
    """Items for or against which many vote within a short time."""
    k, known = len(s.votes.items), np.flatnonzero(~np.isnan(s.votes.time))
    place = known[np.argsort(s.votes.time[known], kind="stable")]
    votes = s.votes.of(place)
    found: list[tuple[int, Items]] = []
    for size in _WINDOWS if len(place) >= 2 * _WINDOWS[0] else ():
        both = np.arange(len(place)) // size * votes.n_groups + votes.group
        keys, group = placed(both)
        i = cells_of(votes, s.e[place], s.v[place], group).by_item()
        window = keys[i.group] // votes.n_groups
        keys, *of = sums(window * k + i.item, i.R, i.V, i.D, i.games, i.score)
        windows = Items(keys // k, keys % k, *of)
        found.append((size, windows.of(windows.games >= _OF_WINDOW)))
    ends = np.cumsum([len(i.games) for _, i in found])

    def told(x: int) -> Told:
        which = int(np.searchsorted(ends, x, "right"))
        size, i = found[which]
        at = int(x - ends[which] + len(i.games))
        item, (said, numbers) = votes.items[i.item[at]], i.told(at)
        times = votes.time[i.group[at] * size : (i.group[at] + 1) * size]
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
        return Tests(kind, why_not="no column both_bad (`read` adds it if answers include both-bad)")
    bad = np.zeros(len(votes.a), bool) if votes.bad is None else votes.bad
    votes = votes if kind == "both-bad" else votes.of(~bad)
    hit = (bad if kind == "both-bad" else votes.y == 0.5).astype(float)
    if not votes.ties_possible or k < _ITEMS or not hit.any() or hit.all():
        return Tests(kind, why_not=f"needs {_ITEMS} items, some votes of this kind and some of another")
    delta, se, count, of = _item_shares(s.fit.ability, votes, hit)
    mean, square, noise = ((x.sum() - x) / (k - 1) for x in (delta, delta**2, se**2))
    square = (square - mean**2) * (k - 1) / (k - 2)
    spread = np.maximum(square - noise, 0) + se**2 + np.maximum(square, noise) / (k - 1)
    t = (delta - mean) / np.sqrt(spread)

    def told(i: int) -> Told:
        what = "called bad with its opponent" if kind == "both-bad" else "tied"
        said = f"{votes.items[i]} is {what} in {count[i] / of[i]:.1%} of its votes (all items: {count.sum() / of.sum():.1%}),"
        said += f" {np.exp(delta[i] - mean[i]):.2f} times the odds of items of its strength"
        return said, {"item": votes.items[i], "votes": float(of[i]), "log_odds": float(delta[i] - mean[i])}

    return Tests(kind, 2 * stats.t.sf(abs(t), k - 2), told)


def _item_shares(ability: FloatArray, votes: Votes, hit: FloatArray) -> list[FloatArray]:
    """Of each item: its log-odds beside the curve, by one Newton step, their standard error by cluster, hits and votes."""
    a, b, k = votes.a, votes.b, len(ability)
    keys, place = placed(a * k + b)
    of, hits = (total(place, votes.games * x, len(keys)) for x in (1.0, hit))
    x, y = ability[keys // k], ability[keys % k]
    basis = np.stack([np.ones(len(keys)), (x + y) / 2, (x + y) ** 2 / 4, (x - y) ** 2, abs(x - y)], 1)
    c = np.array([logit(hits.sum() / of.sum()), 0, 0, 0, 0])
    for _ in range(MOST_STEPS):
        pi = expit(basis @ c)
        info = (basis * (of * pi * (1 - pi))[:, None]).T @ basis
        step = np.linalg.lstsq(info, basis.T @ (hits - of * pi), rcond=1e-12)[0]
        c += np.clip(step, -2, 2)
        if abs(step).max() < STEP:
            break
    w, n = of * pi * (1 - pi), len(keys)
    to_item = sparse.csr_array((np.ones(2 * n), (np.r_[keys // k, keys % k], np.r_[:n, :n])), (k, n))
    cross = (to_item @ (basis * w[:, None])).T
    # All items at once, so that an item's ties are not its opponents'; what the curve has is left out.
    take = np.vstack([np.eye(k), -np.linalg.lstsq(info, cross, rcond=1e-12)[0]])
    joint = (to_item * w @ to_item.T).toarray() + cross.T @ take[k:]
    inverse = np.linalg.pinv(joint, rcond=1e-9, hermitian=True)
    bears = sparse.csr_array(sparse.hstack([to_item.T, sparse.csr_array(basis)]))
    delta = inverse @ take.T @ (bears.T @ (hits - of * pi))
    # Clusters' sums about what the items are, not about the curve.
    left = votes.games * (hit - expit(basis @ c + to_item.T @ delta)[place])
    groups, group = placed(votes.group)
    both = sparse.csr_array((left, (group, place)), (len(groups), n)) @ bears
    square = np.diag(inverse @ take.T @ (both.T @ both) @ take @ inverse)
    return [delta, np.sqrt(np.maximum(square, np.diag(inverse))), to_item @ hits, to_item @ of]


# -- transitivity --------------------------------------------------------------------------------------------


def transitivity(s: Seen) -> tuple[Tests, Tests]:
    """Whether the votes that are not ties have one order of abilities behind them, and pairs that lie beyond it.

    Sum of R^2 / V over pairs, with R less what abilities (and the cube of their gap: another link) explain, against the
    same sum with the votes of each cluster turned round or not by a coin; a scaled chi-square has the moments of that.
    """
    k, decided = len(s.votes.items), s.votes.y != 0.5
    votes = s.votes.of(decided)
    keys = np.unique(np.minimum(votes.a, votes.b) * k + np.maximum(votes.a, votes.b))
    n, low, high = len(keys), keys // k, keys % k
    if n < k:
        why = "the pairs form no circle"
        return Tests("transitivity", why_not=why), Tests("pair", why_not=why)
    fit, e, v = board(votes, not s.no_order)
    groups, group = placed(votes.group)
    c = cells_of(votes, e, v, group)
    pair = np.searchsorted(keys, c.low * k + c.high)
    R, V, V2, score, games = (total(pair, x, n) for x in (c.R, c.V, c.V**2, c.score, c.games))
    V = np.maximum(V, 1e-9)
    gap = fit.ability[low] - fit.ability[high]
    X = sparse.csr_array((np.r_[np.ones(n), -np.ones(n)], (np.r_[:n, :n], np.r_[low, high])), (n, k))
    Z = sparse.csr_array(sparse.hstack([X, gap[:, None] ** 3])) if n - k >= 2 else X
    inverse = np.linalg.pinv((Z.T @ (Z * V[:, None])).toarray(), rcond=1e-10, hermitian=True)
    by_group = sparse.csr_array((c.R, (c.group, pair)), (len(groups), n))

    def clean(x: FloatArray) -> FloatArray:
        return np.asarray(x - V[:, None] * (Z @ (inverse @ (Z.T @ x))))

    left = clean(R[:, None])[:, 0]
    rng, drawn, Q = np.random.default_rng(0), list[float](), float((left**2 / V).sum())
    while len(drawn) < _DRAWS:
        signs = rng.choice([-1.0, 1.0], (len(groups), 1 + min(_DRAWS, _AT_ONCE // (n + len(groups)))))
        drawn += (clean(by_group.T @ signs) ** 2 / V[:, None]).sum(0).tolist()
    mean, variance = float(np.mean(drawn)), float(np.var(drawn))
    scale = max(variance / mean / 2, 1e-9)
    p = stats.chi2.sf(Q / scale, mean / scale) if variance > 1e-9 * mean**2 else 1.0
    z = left / np.sqrt(np.maximum(V, by_group.power(2).sum(0)))
    worst = np.argsort(-abs(z), kind="stable")

    def said(x: int) -> str:
        won, lost, more = score[x], games[x] - score[x], left[x]
        names = f"{votes.items[low[x]]} beat {votes.items[high[x]]}"
        return f"{names} {won:,.0f} to {lost:,.0f}, expected {won - more:,.0f} to {lost + more:,.0f}"

    def of_all(_: int) -> Told:
        circle = " > ".join(votes.items[i] for i in _circle(k, low, high, z, worst[:60]))
        sentence = f"The votes do not fit a single order: misfit {Q:,.0f}, expected by chance {mean:,.0f} (sd {variance**.5:,.0f}); worst pairs:"
        sentence += f" {'; '.join(map(said, worst[:3]))}{'; worst circle: ' if circle else ''}{circle}"
        pairs = [said(x) for x in worst[:10]]
        return sentence, {"misfit": Q, "by_chance": mean, "pairs": pairs, "circle": circle}

    def of_pair(x: int) -> Told:
        names = [votes.items[low[x]], votes.items[high[x]]]
        return f"A pair that the board does not explain: {said(x)}", {"votes": float(games[x]), "pair": names}

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


#: Kind -> its test, and what it needs: judges, times.
_TESTS: tuple[tuple[str, Callable[[Seen], Tests], str], ...] = (
    ("order", order_test, ""),
    ("judge-order", order_by_judge, "j"),
    ("judge-unlike", unlike, "j"),
    ("judge-item", one_item, "j"),
    ("judge-repeats", repeated_answers, "j"),
    ("judge-ties", always_ties, "j"),
    ("judge-fast", too_fast, "jt"),
    ("burst", bursts, "t"),
)


def all_tests(s: Seen) -> list[Tests]:
    """Every test, or why there is none."""
    n, lacks = int((s.votes.by_judge(s.votes.games) > 0).sum()), dict[str, str]()
    if n < _JUDGES:
        lacks["j"] = f"{n} judges; {_JUDGES} are needed" if s.votes.judges else "no judge column"
    if np.isnan(s.votes.time).all():
        lacks["t"] = "no time column (name it with time=)"
    found = []
    for kind, test, needs in _TESTS:
        why = ", ".join(lacks[need] for need in needs if need in lacks)
        found.append(Tests(kind, why_not=why) if why else test(s))
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
        found.setdefault(key, Finding(t.kind, "flag", sentence, float(min(highest, 1.0)), numbers, judges))
    return sorted(found.values(), key=lambda f: (f.p, -f.numbers.get("votes", 0.0)))
