"""How few votes the first place rests on, and what other treatments of the same votes would change.

Without a vote u on a pair x (of one item +1, of the other -1), abilities move by about

    -H^-1 x (y - p) / (1 - h),   h = p (1 - p) x' H^-1 x,

so the votes whose removal brings a rival nearest to the first are those with the largest moves of the gap between the two, and
the fewest are found by adding moves up (Broderick, Giordano and Meager 2020: the approximate maximum influence perturbation).
A refit without them then confirms it, and the number is the smallest at which a refit has another item first.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from ...data.columns import FloatArray, IntArray
from ...data.comparisons import Comparisons
from ...errors import PairproofError, PairproofWarning
from ...native.comparisons.contests.bradley_terry import fit_bradley_terry
from ...text import named
from ..others.peers import as_arena_rank
from .seen import HalfWins, Seen, Votes, between_items, board, half_wins, placed, total
from .suspicions import Finding, effects

#: Points of the Elo scale in one log-odds.
ELO = float(400 / np.log(10))
#: Rivals of the first that are looked at, and that are refitted.
_RIVALS, _REFITTED = 10, 3
#: arena-rank's penalty of coefficients and ridge, and neither.
_PENALTIES = ((1.0, 1e-5), (0.0, 0.0))
#: Votes that are listed one by one.
_LISTED = 1000
_TIES = {
    "davidson": "With Davidson's model of ties",
    "rao-kupper": "With Rao and Kupper's model of ties",
    "drop": "Without ties",
}


def note(kind: str, sentence: str, rows: Any = (), **numbers: Any) -> Finding:
    """A finding that is no test."""
    return Finding(kind, "note", sentence, None, numbers, rows=tuple(int(row) for row in rows))


def fewest_votes(s: Seen) -> Finding:
    """The smallest set of votes found without which another item is first."""
    votes, found = s.votes, _fewest(s)
    if found is None:
        none = "No set of votes was found whose removal puts another item first"
        return note("first-place", none, votes=None)
    taken, *places = found
    n, total = float(taken.sum()), float(votes.games.sum())
    first, then = (votes.items[place] for place in places)
    some = np.flatnonzero(taken > 0)
    listed, answers = [], Counter[str]()
    for u in some.tolist():
        a, b, y = votes.items[votes.a[u]], votes.items[votes.b[u]], float(votes.y[u])
        judge = votes.judges[votes.group[u]] if votes.group[u] < len(votes.judges) else None
        listed.append(
            {"row": int(votes.row[u]), "judge": judge, "first": a, "second": b, "score": y, "votes": taken[u]}
        )
        answers[f"{a} tied {b}" if y == 0.5 else f"{a} beat {b}" if y else f"{b} beat {a}"] += taken[u]
    judges = len({vote["judge"] for vote in listed if vote["judge"] is not None})
    rows = named([f"{v + 1}" for v in votes.row[some]], 6)
    said = (
        f"Without {_number(n, 'vote')} ({n / total:.2%} of {total:,.10g}) {then} replaces {first} in first place: "
        + named([f"{answer} ({m:,.10g})" for answer, m in answers.most_common()], 3)
        + (f", from {_number(judges, 'judge')}" if judges else "")
        + f"; row{'s' if len(some) > 1 else ''} {rows}"
    )
    numbers = {"votes": n, "share": n / total, "first": first, "then": then, "removed": listed[:_LISTED]}
    return note("first-place", said, np.unique(votes.row[some]), **numbers)


def _number(n: float, word: str) -> str:
    """`1 vote`, `12 votes`."""
    return f"{n:,.10g} {word}{'' if n == 1 else 's'}"


def _fewest(s: Seen) -> tuple[FloatArray, int, int] | None:
    """How many of each vote are taken, the first item, and the one that is first then."""
    votes, k = s.votes, len(s.votes.items)
    fit, e, v = board(votes, False)
    first = int(fit.order[0])
    inverse = np.linalg.inv(fit.information)
    spread = inverse.diagonal()[votes.a] + inverse.diagonal()[votes.b] - 2 * inverse[votes.a, votes.b]
    residual = e / votes.games / np.maximum(1 - v / votes.games * spread, 0.1)
    plans: list[tuple[float, IntArray]] = []
    for rival in fit.order[1 : 1 + _RIVALS].tolist():
        pull = inverse[first] - inverse[rival]
        gain = (pull[votes.a] - pull[votes.b]) * residual
        place = np.flatnonzero(gain > 0)
        place = place[np.argsort(-gain[place], kind="stable")]
        moved = np.cumsum((gain * votes.games)[place])
        at = np.searchsorted(moved, fit.ability[first] - fit.ability[rival])
        plans.append((float(votes.games[place[: at + 1]].sum()) if at < len(place) else np.inf, place))
    keys, cell = placed(votes.a * k + votes.b)

    def taken(place: IntArray, n: float) -> FloatArray:
        of_each, games = np.zeros(len(votes.a)), votes.games[place]
        of_each[place] = np.clip(n - np.cumsum(games) + games, 0, games)
        return of_each

    def first_without(gone: FloatArray) -> int:
        games, score = (total(cell, (votes.games - gone) * x, len(keys)) for x in (1.0, votes.y))
        return int(half_wins(keys // k, keys % k, games, score, k, start=fit.ability).order[0])

    best: tuple[FloatArray, int, int] | None = None
    for guess, place in sorted(plans, key=lambda plan: plan[0])[:_REFITTED]:
        most = float(votes.games[place].sum()) if best is None else best[0].sum() - 1
        n = _smallest(lambda n: first_without(taken(place, n)) != first, guess, most)  # noqa: B023
        if n is not None:
            best = taken(place, n), first, first_without(taken(place, n))
    return best


def _smallest(holds: Callable[[float], bool], guess: float, most: float) -> float | None:
    """The smallest number up to `most`, by steps of 1, at which it holds, begun at a guess; None where it holds at none tried."""
    low, high = 0.0, min(guess, most)
    while high <= low or not holds(high):
        if high >= most:
            return None
        low, high = high, min(np.ceil(high * 1.25) + 1, most)
    while high - low > 1:
        middle = np.ceil((low + high) / 2)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


# -- other treatments ----------------------------------------------------------------------------------------


def treatments(s: Seen, style: Mapping[str, FloatArray]) -> Iterator[Finding]:
    """What other ties, clusters and style would each change."""
    fit, e, _ = board(s.votes, False)
    if (s.votes.y == 0.5).any() and (s.votes.y != 0.5).any():
        yield from _of_ties(s.votes, fit)
    if len(np.unique(s.votes.group)) > 1 and s.votes.judges:
        yield _of_clusters(s, fit, e)
    if (s.votes.y != 0.5).any():
        yield _of_penalty(s.votes, style)
    if style:
        other, se, _ = effects(s, np.stack(list(style.values()), 1), e)
        said, numbers = _change(s.votes, fit.ability, other.ability)
        each = ", ".join(f"{name} {x:+.3f} (se {y:.3f})" for name, x, y in zip(style, other.extra, se))
        effect = {name: {"estimate": float(x), "se": float(y)} for name, x, y in zip(style, other.extra, se)}
        said = f"With style ({each}; log-odds of a root mean square) {said}"
        yield note("treatment-style", said, style=effect, **numbers)


def _change(votes: Votes, before: FloatArray, after: FloatArray) -> tuple[str, dict[str, Any]]:
    """The largest change of a rating and of a rank, in words and numbers."""
    points = (after - before) * ELO
    ranks = [np.argsort(np.argsort(-x, kind="stable")) + 1 for x in (before, after)]
    i, j = int(abs(points).argmax()), int(abs(ranks[1] - ranks[0]).argmax())
    change, first = int(abs(ranks[1] - ranks[0])[j]), votes.items[int(after.argmax())]
    moved = f"{votes.items[j]} from rank {ranks[0][j]} to {ranks[1][j]}" if change else "no rank changes"
    most = f"{votes.items[i]} moves most, by {points[i]:+.1f} Elo"
    said = f"{most if abs(points[i]) >= 0.05 else 'no rating moves by 0.05 Elo'}, and {moved}"
    said += f"; then {first} is first" if after.argmax() != before.argmax() else ""
    return said, {"elo": float(points[i]), "item": votes.items[i], "ranks": change, "first": first}


def _table(votes: Votes, key: IntArray, columns: Mapping[str, FloatArray] | None = None) -> Comparisons:
    """The votes as a table again, those of one key together."""
    keys, place = placed(key)
    counts = (total(place, votes.games * (votes.y == y), len(keys)) for y in (1, 0.5, 0))
    some = np.zeros(len(keys), int)
    some[place] = np.arange(len(place))
    own = {name: x[some] for name, x in (columns or {}).items()}
    return Comparisons.build(votes.items, votes.a[some], votes.b[some], *counts, columns=own)


def _of_penalty(votes: Votes, style: Mapping[str, FloatArray]) -> Finding:
    """What arena-rank's penalty of style, and its ridge in limits, do to these votes."""
    k, names = len(votes.items), list(style)
    table = _table(votes, np.arange(len(votes.a)) if style else votes.a * k + votes.b, style)
    try:
        theirs, plain = (
            as_arena_rank(table, features=names, reg=reg, hessian_reg=ridge) for reg, ridge in _PENALTIES
        )
    except PairproofError as error:
        return note("treatment-penalty", f"arena-rank's penalty: not computed, {error}")
    place = [plain.competitors.index(item) for item in votes.items]
    width = np.sqrt(theirs.variances / plain.variances)[place]
    narrow = int(width.argmin())
    said, numbers = _change(votes, *(peer.ratings[place] / ELO for peer in (plain, theirs)))
    each = ", ".join(f"{name} {theirs.coeffs[name]:.3f} for {plain.coeffs[name]:.3f}" for name in names)
    words = f"With arena-rank's penalty ({each}) {said}; its" if style else "arena-rank's"
    less = 1.0 - float(width[narrow])
    words += f" ridge narrows the limits of {votes.items[narrow]} by {less:.1%}, those of all others less"
    words = words if less >= 0.0005 else f"{words.partition(' ridge ')[0]} ridge narrows no limits by 0.05%"
    return note("treatment-penalty", words, width=float(width[narrow]), **numbers)


def _of_ties(votes: Votes, fit: HalfWins) -> Iterator[Finding]:
    k = len(votes.items)
    table = _table(votes, votes.a * k + votes.b)
    for ties, words in _TIES.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                params = fit_bradley_terry(table, ties=ties, reference="sum").params
        except PairproofError as error:
            yield note("treatment-ties", f"{words}: not fitted, {error}", ties=ties)
            continue
        ability = np.array([params[item] for item in votes.items])
        if not np.isfinite(ability).all():
            n = int((~np.isfinite(ability)).sum())
            yield note("treatment-ties", f"{words}, {n} items have no finite rating", ties=ties)
            continue
        # Half wins shrink abilities: another unit, which is said, and divided out before a comparison.
        ratio = float(ability.std() / fit.ability.std())
        said, numbers = _change(votes, fit.ability, ability / ratio)
        said = f"{words}, the ratings are {ratio:.2f} times as far apart; rescaled to the same spread, {said}"
        yield note("treatment-ties", said, ties=ties, spread=ratio, **numbers)


def _of_clusters(s: Seen, fit: HalfWins, e: FloatArray) -> Finding:
    votes, k = s.votes, len(s.votes.items)
    groups, group = placed(votes.group)
    n = len(groups)
    by_judge = sparse.csr_array((np.r_[e, -e], (np.r_[group, group], np.r_[votes.a, votes.b])), (n, k))
    inverse = np.linalg.inv(fit.information) - 1 / k
    together = inverse @ (by_judge.T @ by_judge).toarray() @ inverse * n / (n - 1)
    alone = inverse @ between_items(votes.a, votes.b, e**2 / votes.games, k) @ inverse
    ratio = np.sqrt(np.diag(together) / np.maximum(np.diag(alone), 1e-300))
    low, high = int(ratio.argmin()), int(ratio.argmax())
    said = f"Clustered by {n:,} judges, standard errors are {ratio[low]:.2f} ({votes.items[low]}) to {ratio[high]:.2f}"
    said += f" ({votes.items[high]}) times those for independent votes"
    return note("treatment-clusters", said, low=float(ratio[low]), high=float(ratio[high]), judges=n)
