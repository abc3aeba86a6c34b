"""The marginal likelihood of contests with random effects by Gauss and Legendre's rule: the second program.

The differences d_k = u_k - u_J of a set of J effects are normal with covariance sigma^2 (I + 11'), whose
inverse is (I - 11'/J) / sigma^2.  With worths e^(d_k) the probability of a win is a ratio, and the integrand
is a product of a function of each d_k and of functions of two of them, tabulated at the nodes.  Nothing is
shared with `lattice.py`, which sums over a lattice in fixed point: not the rule, the nodes or the form of the
density.  Derivatives are posterior means (Fisher's identity) over the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests.definition import ability

Row = dict[str, Any]


@lru_cache(maxsize=None)
def gauss_legendre(n: int, digits: int) -> tuple[list[mpf], list[mpf]]:
    """Nodes and weights on [-1, 1], by Newton's method on the Legendre polynomial."""
    nodes, weights = [], []
    with mp.workdps(digits + 10):
        for k in range(n):
            x = mp.cos(mp.pi * (k + mpf(3) / 4) / (n + mpf(1) / 2))
            for _ in range(100):
                below, at = mpf(1), x
                for j in range(2, n + 1):
                    below, at = at, ((2 * j - 1) * x * at - (j - 1) * below) / j
                slope = n * (below - x * at) / (1 - x * x)
                step = at / slope
                x -= step
                if abs(step) < mpf(10) ** (-digits - 5):
                    break
            nodes.append(x)
            weights.append(2 / ((1 - x * x) * slope**2))
    return nodes, weights


@dataclass(frozen=True)
class Values:
    """log L, its gradient by the fixed parameters and log sigma, posterior means of the effects."""

    value: mpf
    gradient: list[mpf]
    effects: list[mpf]


@dataclass
class _Factor:
    """A factor of the integrand at nodes or pairs of nodes, and its logarithm's derivatives."""

    weight: Any
    score: list[Any]


def sets_of(document: Row, rows: Sequence[Row]) -> list[tuple[list[str], list[Row]]]:
    """Names of the effects and rows of every set."""
    items = document["items"]
    if document["model"]["random"] == "item":
        return [(list(items), list(rows))]
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    return [
        ([f"{judge}:{item}" for item in items], [r for r in rows if r["judge"] == judge]) for judge in judges
    ]


def marginal(
    document: Row, rows: Sequence[Row], x: Sequence[mpf], n: int, radius: mpf, digits: int
) -> Values:
    """log L at fixed parameters and log sigma `x`; n nodes a dimension, `radius` each way in sigma."""
    with mp.workdps(digits):
        value, slope, effects = mpf(0), [mpf(0)] * len(x), []
        sets, known = sets_of(document, rows), {}
        for names, own in sets:
            # Sets of judges have their nodes about 0: those who answered alike share their tables.
            middle = [mpf(document["effects"][name]) if len(sets) == 1 else mpf(0) for name in names]
            found = _one_set(document, own, [mpf(v) for v in x], middle, n, radius, digits, known)
            value, effects = value + found.value, effects + found.effects
            slope = [a + b for a, b in zip(slope, found.gradient)]
        return Values(value, slope, effects)


def _one_set(
    document: Row,
    rows: Sequence[Row],
    x: Sequence[mpf],
    middle: Sequence[mpf],
    n: int,
    radius: mpf,
    digits: int,
    known: dict[Any, _Factor],
) -> Values:
    size, sigma, k = len(document["items"]), mp.exp(x[-1]), len(x)
    unit, weights = gauss_legendre(n, digits)
    half = radius * sigma
    nodes = [[middle[d] - middle[-1] + half * u for u in unit] for d in range(size - 1)]
    alone = [_single(document, rows, x, d, nodes[d], [half * w for w in weights]) for d in range(size - 1)]
    # Dimensions that are not there have one node, 0, and factors of 1.
    while len(nodes) < 3:
        nodes.insert(0, [mpf(0)])
        alone.insert(0, _Factor([mpf(1)], [[mpf(0)] for _ in range(k)]))
    missing = 4 - size
    pairs = {
        (a, b): _double(document, rows, x, a - missing, b - missing, nodes[a], nodes[b], known)
        for a, b in ((0, 1), (0, 2), (1, 2))
    }
    mass, sums, gaps = _summed(nodes, alone, pairs, k)
    constant = -mpf(size - 1) / 2 * mp.log(2 * mp.pi * sigma**2) - mp.log(size) / 2
    slope = [s / mass for s in sums]
    slope[-1] -= size - 1
    mean = [gap / mass for gap in gaps[missing:]] + [mpf(0)]
    centre = mp.fsum(mean) / size
    return Values(mp.log(mass) + constant, slope, [m - centre for m in mean])


def _games(
    document: Row, rows: Sequence[Row], params: dict[str, mpf], one: str, two: str
) -> list[tuple[mpf, list[mpf], int, int]]:
    """(worth of `one` for `two`'s 1, derivatives of its logarithm, wins, losses of `one`) of each row."""
    found = []
    for row in rows:
        if {row["first"], row["second"]} != {one, two}:
            continue
        turned = 1 if row["first"] == one else -1
        zero = {name: mpf(0) for name in params}

        def log_worth(values: dict[str, mpf]) -> mpf:
            gap = ability(document, values, row["first"]) - ability(document, values, row["second"])
            gap += sum(values[name] * mpf(row[name]) for name in document["model"]["columns"])
            return turned * gap

        named = list(document["params"])
        slopes = [log_worth({**zero, name: mpf(1)}) for name in named]
        wins, losses = (row["wins"], row["losses"])[::turned]
        found.append((mp.exp(log_worth(params)), slopes, wins, losses))
    return found


def _params(document: Row, x: Sequence[mpf]) -> dict[str, mpf]:
    reference = document["model"]["reference"]
    return {**({reference: mpf(0)} if reference else {}), **dict(zip(document["params"], x))}


def _played(games: Sequence[Any], worth: mpf, k: int) -> tuple[mpf, list[mpf]]:
    """The likelihood of games of worth : 1, and the derivatives of its logarithm."""
    value, score = mpf(1), [mpf(0)] * k
    for own, slopes, wins, losses in games:
        chance = own * worth / (1 + own * worth)
        value *= chance**wins * (1 - chance) ** losses
        for a, slope in enumerate(slopes):
            score[a] += slope * (wins - (wins + losses) * chance)
    return value, score


def _single(
    document: Row, rows: Sequence[Row], x: Sequence[mpf], d: int, nodes: Sequence[mpf], weights: Sequence[mpf]
) -> _Factor:
    """Contests with the last item, and the density's own part (1 - 1/J) d^2."""
    items, sigma = document["items"], mp.exp(x[-1])
    games, share = _games(document, rows, _params(document, x), items[d], items[-1]), 1 - mpf(1) / len(items)
    weight: list[mpf] = []
    score: list[list[mpf]] = [[] for _ in x]
    for at, w in zip(nodes, weights):
        value, slopes = _played(games, mp.exp(at), len(x))
        curved = share * at**2 / sigma**2
        slopes[-1] += curved
        weight.append(w * value * mp.exp(-curved / 2))
        for column, slope in zip(score, slopes):
            column.append(slope)
    return _Factor(weight, score)


def _double(
    document: Row,
    rows: Sequence[Row],
    x: Sequence[mpf],
    a: int,
    b: int,
    left: Sequence[mpf],
    right: Sequence[mpf],
    known: dict[Any, _Factor],
) -> _Factor:
    """Contests of two items that are not the last, and the density's cross term -2 d_a d_b / J."""
    items, sigma, k = document["items"], mp.exp(x[-1]), len(x)
    if a < 0:
        blank = [[mpf(0)] * len(right)] * len(left)
        return _Factor([[mpf(1)] * len(right)] * len(left), [blank] * k)
    games = _games(document, rows, _params(document, x), items[a], items[b])
    key = (a, b, tuple((own, tuple(slopes), *counts) for own, slopes, *counts in games))
    if key not in known:
        known[key] = _tabulated(games, len(items), sigma, k, left, right)
    return known[key]


def _tabulated(
    games: Sequence[Any], size: int, sigma: mpf, k: int, left: Sequence[mpf], right: Sequence[mpf]
) -> _Factor:
    worths = [mp.exp(-at) for at in right]
    weight: list[list[mpf]] = []
    score: list[list[list[mpf]]] = [[] for _ in range(k)]
    for at in left:
        own, line = mp.exp(at), []
        columns: list[list[mpf]] = [[] for _ in range(k)]
        for other, worth in zip(right, worths):
            value, slopes = _played(games, own * worth, k)
            cross = -2 * at * other / size / sigma**2
            slopes[-1] += cross
            line.append(value * mp.exp(-cross / 2))
            for column, slope in zip(columns, slopes):
                column.append(slope)
        weight.append(line)
        for table, column in zip(score, columns):
            table.append(column)
    return _Factor(weight, score)


def _summed(
    nodes: Sequence[Sequence[mpf]], alone: Sequence[_Factor], pairs: dict[tuple[int, int], _Factor], k: int
) -> tuple[mpf, list[mpf], list[mpf]]:
    """Sums over all nodes of the integrand, times each derivative, times each d."""
    mass, sums, gaps = mpf(0), [mpf(0)] * k, [mpf(0)] * 3
    of_last, far, near = alone[2], pairs[0, 2], pairs[1, 2]
    near_scores = [
        [[w * s for w, s in zip(near.weight[j], near.score[a][j])] for j in range(len(nodes[1]))]
        for a in range(k)
    ]
    for i in range(len(nodes[0])):
        line = [w * t for w, t in zip(of_last.weight, far.weight[i])]
        scored = [[v * (s + t) for v, s, t in zip(line, of_last.score[a], far.score[a][i])] for a in range(k)]
        placed = [v * d for v, d in zip(line, nodes[2])]
        for j in range(len(nodes[1])):
            outer = alone[0].weight[i] * alone[1].weight[j] * pairs[0, 1].weight[i][j]
            inner = outer * mp.fdot(line, near.weight[j])
            mass += inner
            for a in range(k):
                own = alone[0].score[a][i] + alone[1].score[a][j] + pairs[0, 1].score[a][i][j]
                both = mp.fdot(scored[a], near.weight[j]) + mp.fdot(line, near_scores[a][j])
                sums[a] += own * inner + outer * both
            gaps[0] += inner * nodes[0][i]
            gaps[1] += inner * nodes[1][j]
            gaps[2] += outer * mp.fdot(placed, near.weight[j])
    return mass, sums, gaps
