"""The marginal likelihood of contests with random effects, as a sum over a lattice.

A set of J effects u, independent N(0, sigma^2), enters the contests by differences d_ij = u_i - u_j only, and

    sum_i (u_i - mean)^2 = sum_{i<j} d_ij^2 / J,

so that the integrand over d_1J, ..., d_(J-1)J is a product of J (J - 1) / 2 functions of one difference each:

    L = (2 pi sigma^2)^(-(J - 1)/2) J^(-1/2)  integral  prod_{i<j} G_ij(d_ij),
    G_ij(d) = exp(-d^2 / (2 J sigma^2)) prod_{contests of i and j} F(o + d)^wins F(-o - d)^losses.

On a lattice of step h every d_ij is a multiple of h: each G is computed once for every multiple, and the sum
over points is products of whole numbers (fixed point).  The trapezoid rule converges exponentially in 1/h,
as the nearest poles of F are at imaginary part pi (Trefethen and Weideman 2014, SIAM Review 56, 385-458).

First and second derivatives by beta and log sigma are those of log L, term by term in the same sum: with
s_ij = d log G_ij and t_ij its derivative, log L has gradient E(sum s) and second derivatives
E((sum s)(sum s)' + sum t) - E(sum s) E(sum s)', to which the factor in front adds -(J - 1) by log sigma.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import mul

from mpmath import mp, mpf

#: Binary digits behind the point; products of three tables stay whole numbers.
BITS = 320

Pair = tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A contest row: its set, its two effects there, fixed columns and offset, counts."""

    set: int
    first: int
    second: int
    x: tuple[mpf, ...]
    offset: mpf
    wins: int
    losses: int


@dataclass(frozen=True)
class Integral:
    """log L of all sets, its gradient and second derivatives by beta and log sigma, and posterior means."""

    value: mpf
    gradient: mp.matrix
    hessian: mp.matrix
    effects: list[mpf]


class _Table:
    """G, G s_a and G (s_a s_b + t_ab) of one pair at every multiple of h, as whole numbers of 2^-BITS."""

    def __init__(self, rows: Sequence[Row], beta: Sequence[mpf], sigma: mpf, size: int, reach: range, h: mpf):
        p = len(beta)
        self.log_top = mpf("-inf")
        values = [self._at(rows, beta, sigma, size, k * h) for k in reach]
        self.log_top = max(v[0] for v in values)
        two = mpf(2) ** BITS
        keep = [(mp.exp(v[0] - self.log_top), *v[1:]) for v in values]
        self.g = [int(g * two) for g, _, _ in keep]
        self.s = [[int(g * s[a] * two) for g, s, _ in keep] for a in range(p + 1)]
        self.t = {
            (a, b): [int(g * (s[a] * s[b] + t[a][b]) * two) for g, s, t in keep]
            for a in range(p + 1)
            for b in range(a + 1)
        }

    @staticmethod
    def _at(
        rows: Sequence[Row], beta: Sequence[mpf], sigma: mpf, size: int, d: mpf
    ) -> tuple[mpf, list[mpf], list[list[mpf]]]:
        p = len(beta)
        curved = d * d / (size * sigma**2)
        log, s, t = -curved / 2, [mpf(0)] * p + [curved], [[mpf(0)] * (p + 1) for _ in range(p + 1)]
        t[p][p] = -2 * curved
        for row in rows:
            eta = row.offset + mp.fdot(row.x, beta) + d
            small = mp.exp(-abs(eta))
            win, loss = (1 / (1 + small), small / (1 + small))
            if eta < 0:
                win, loss = loss, win
            n = row.wins + row.losses
            log += row.wins * mp.log(win) + row.losses * mp.log(loss)
            for a in range(p):
                s[a] += row.x[a] * (row.wins - n * win)
                for b in range(p):
                    t[a][b] -= row.x[a] * row.x[b] * n * win * loss
        return log, s, t


def integral(
    rows: Sequence[Row], sets: int, size: int, beta: Sequence[mpf], sigma: mpf, h: mpf, radius: mpf
) -> Integral:
    """log L and what belongs to it; step h, |d| <= radius for every difference to the last effect."""
    p = len(beta)
    value, gradient, hessian = mpf(0), mp.zeros(p + 1, 1), mp.zeros(p + 1, p + 1)
    effects: list[mpf] = []
    for number in range(sets):
        own = [row for row in rows if row.set == number]
        found = _one_set(own, size, beta, sigma, h, int(radius / h))
        value, gradient, hessian = value + found.value, gradient + found.gradient, hessian + found.hessian
        effects += found.effects
    return Integral(value, gradient, hessian, effects)


def _tables(
    rows: Sequence[Row], size: int, beta: Sequence[mpf], sigma: mpf, h: mpf, m: int
) -> dict[Pair, _Table]:
    found = {}
    for i, j in combinations(range(size), 2):
        own = [_turned(row, i) for row in rows if {row.first, row.second} == {i, j}]
        # Differences to the last effect are within m steps, others within 2 m.
        wide = m if j == size - 1 else 2 * m
        found[i, j] = _Table(own, beta, sigma, size, range(-wide, wide + 1), h)
    return found


def _turned(row: Row, first: int) -> Row:
    if row.first == first:
        return row
    x = tuple(-v for v in row.x)
    return Row(row.set, row.second, row.first, x, -row.offset, row.losses, row.wins)


def _one_set(rows: Sequence[Row], size: int, beta: Sequence[mpf], sigma: mpf, h: mpf, m: int) -> Integral:
    p = len(beta)
    tables = _tables(rows, size, beta, sigma, h, m)
    sums = {2: _two, 3: _three, 4: _four}[size](tables, p + 1, m)
    mass = mpf(sums.mass)
    mean = mp.matrix([mpf(v) / mass for v in sums.first])
    second = mp.matrix(p + 1, p + 1)
    for (a, b), v in sums.second.items():
        second[a, b] = second[b, a] = mpf(v) / mass
    log_mass = mp.log(mass) - sums.factors * BITS * mp.log(2) + sum(t.log_top for t in tables.values())
    d = size - 1
    value = log_mass + d * mp.log(h) - mpf(d) / 2 * mp.log(2 * mp.pi * sigma**2) - mp.log(size) / 2
    gradient = mean.copy()
    gradient[p] -= d
    gaps = [mpf(v) * h / mass for v in sums.gaps] + [mpf(0)]
    middle = mp.fsum(gaps) / size
    return Integral(value, gradient, second - mean * mean.T, [gap - middle for gap in gaps])


@dataclass
class _Sums:
    """Over the lattice: of the integrand, times sum s, times (sum s)(sum s)' + sum t, times each d / h."""

    factors: int
    mass: int
    first: list[int]
    second: dict[Pair, int]
    gaps: list[int]


def _two(tables: dict[Pair, _Table], n: int, m: int) -> _Sums:
    one = tables[0, 1]
    gaps = [sum(k * g for k, g in zip(range(-m, m + 1), one.g))]
    return _Sums(1, sum(one.g), [sum(s) for s in one.s], {ab: sum(t) for ab, t in one.t.items()}, gaps)


@dataclass
class _Line:
    """Products of tables along one line of the lattice: g, g s_a, g (s_a s_b + t_ab)."""

    g: list[int]
    s: list[list[int]]
    t: dict[Pair, list[int]]

    def times(self, other: _Line) -> _Line:
        """The same of the product of two functions."""
        n = len(self.s)
        g = list(map(mul, self.g, other.g))
        s = [[x * v + u * y for x, u, y, v in zip(self.s[a], self.g, other.s[a], other.g)] for a in range(n)]
        t = {}
        for (a, b), own in self.t.items():
            parts = zip(
                *(own, other.g, self.s[a], other.s[b]), *(self.s[b], other.s[a], self.g, other.t[a, b])
            )
            t[a, b] = [w * x + y * z + c * d + e * f for w, x, y, z, c, d, e, f in parts]
        return _Line(g, s, t)


def _line(table: _Table, start: int, stop: int, step: int = 1) -> _Line:
    part = slice(start, stop if stop >= 0 else None, step)
    return _Line(table.g[part], [s[part] for s in table.s], {ab: t[part] for ab, t in table.t.items()})


def _inner(left: _Line, right: _Line) -> tuple[int, list[int], dict[Pair, int]]:
    """Sums along a line of the product of two functions, and of its derivatives."""

    def dot(u: list[int], v: list[int]) -> int:
        return sum(map(mul, u, v))

    n = len(left.s)
    first = [dot(left.s[a], right.g) + dot(left.g, right.s[a]) for a in range(n)]
    second = {}
    for a, b in left.t:
        cross = dot(left.s[a], right.s[b]) + (dot(left.s[b], right.s[a]) if a != b else 0)
        cross = cross if a != b else 2 * cross
        second[a, b] = dot(left.t[a, b], right.g) + cross + dot(left.g, right.t[a, b])
    return dot(left.g, right.g), first, second


def _three(tables: dict[Pair, _Table], n: int, m: int) -> _Sums:
    """Lattice k1, k2 of d_13, d_23; d_12 = k1 - k2."""
    width, total = 2 * m + 1, _Sums(3, 0, [0] * n, {ab: 0 for ab in tables[0, 1].t}, [0, 0])
    right, steps = _line(tables[1, 2], 0, width), range(-m, m + 1)
    for k1 in steps:
        between = _window(tables[0, 1], k1, m)
        line = between.times(right)
        _add(total, tables[0, 2], k1, m, line)
        inner = tables[0, 2].g[k1 + m]
        total.gaps[1] += inner * sum(map(mul, steps, line.g))
    return total


def _window(table: _Table, k: int, m: int) -> _Line:
    """The table at k - l for l = -m .. m: from k + m down to k - m, whose places are 2 m further on."""
    top, bottom = k + 3 * m, k + m
    return _line(table, top, bottom - 1, -1)


def _add(total: _Sums, table: _Table, k: int, m: int, line: _Line) -> None:
    """Adds the sums along `line`, times the table of the difference that stays k."""
    g = sum(line.g)
    first, second = [sum(s) for s in line.s], {ab: sum(t) for ab, t in line.t.items()}
    _add_sums(total, table, k, m, g, first, second)


def _add_sums(
    total: _Sums, table: _Table, k: int, m: int, g: int, first: list[int], second: dict[Pair, int]
) -> None:
    at = k + m
    own, s = table.g[at], [column[at] for column in table.s]
    total.mass += own * g
    for a, inner in enumerate(first):
        total.first[a] += own * inner + s[a] * g
    for (a, b), inner in second.items():
        total.second[a, b] += own * inner + s[a] * first[b] + s[b] * first[a] + table.t[a, b][at] * g
    total.gaps[0] += k * own * g


def _four(tables: dict[Pair, _Table], n: int, m: int) -> _Sums:
    """Lattice k1, k2, k3 of d_14, d_24, d_34: for every k1 and k2 two lines in k3 are multiplied."""
    width, steps = 2 * m + 1, range(-m, m + 1)
    total = _Sums(6, 0, [0] * n, {ab: 0 for ab in tables[0, 1].t}, [0, 0, 0])
    windows = [_window(tables[1, 2], k2, m) for k2 in steps]
    ends = _line(tables[2, 3], 0, width)
    for k1 in steps:
        if not tables[0, 3].g[k1 + m]:
            continue
        left = ends.times(_window(tables[0, 2], k1, m))
        weighted = list(map(mul, steps, left.g))
        pairs = _window(tables[0, 1], k1, m).times(_line(tables[1, 3], 0, width))
        sums, third = _Sums(0, 0, [0] * n, {ab: 0 for ab in total.second}, [0, 0]), 0
        for k2, right in zip(steps, windows):
            if not pairs.g[k2 + m] >> BITS:
                continue
            g, first, second = _inner(left, right)
            _add_line(sums, pairs, k2 + m, k2, g, first, second)
            third += pairs.g[k2 + m] * sum(map(mul, weighted, right.g))
        _add_sums(total, tables[0, 3], k1, m, sums.mass, sums.first, sums.second)
        total.gaps[1] += tables[0, 3].g[k1 + m] * sums.gaps[0]
        total.gaps[2] += tables[0, 3].g[k1 + m] * third
    return total


def _add_line(
    total: _Sums, line: _Line, at: int, k: int, g: int, first: list[int], second: dict[Pair, int]
) -> None:
    own, s = line.g[at], [column[at] for column in line.s]
    total.mass += own * g
    for a, inner in enumerate(first):
        total.first[a] += own * inner + s[a] * g
    for (a, b), inner in second.items():
        total.second[a, b] += own * inner + s[a] * first[b] + s[b] * first[a] + line.t[a, b][at] * g
    total.gaps[0] += k * own * g
