"""Laplace's approximation to the marginal likelihood of contests with random effects.

    log L = l(u) - u'u / (2 sigma^2) - log det(I + sigma^2 Z'WZ) / 2,    u the mode of the first two terms,

Z with 1 and -1 in the columns of a contest's two effects, W = n p (1 - p).  Only the values are exact here;
the derivatives by beta and log sigma are differences of them at 130 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

from tests.certified.contests.lattice import Row

DIGITS = 130
#: Step of the differences: their error is its square, and rounding 1e-130 / 1e-60.
STEP = "1e-30"
GRADIENT_LIMIT = "1e-55"

Vector = list[mpf]


class Laplace:
    """log L as a function of beta and log sigma; each mode is looked for from the last one."""

    def __init__(self, rows: Sequence[Row], n_effects: int, size: int):
        self.rows, self.n = rows, n_effects
        # Effects are numbered set by set.
        self.sides = [(row.set * size + row.first, row.set * size + row.second) for row in rows]
        self.mode = [mpf(0)] * n_effects

    def __call__(self, theta: Sequence[mpf]) -> mpf:
        precision = mp.exp(-2 * theta[-1])
        fixed = [row.offset + mp.fdot(row.x, theta[:-1]) for row in self.rows]
        u = list(self.mode)
        for _ in range(200):
            llf, gradient, matrix = self._joint(fixed, u, precision)
            half = _cholesky(matrix)
            step = _solved(half, gradient)
            longest = max(abs(s) for s in step)
            if longest < mpf(10) ** (10 - mp.dps):
                self.mode = u
                penalty = precision * mp.fdot(u, u) / 2
                log_det = 2 * mp.fsum(mp.log(half[k][k]) for k in range(self.n))
                return llf - penalty - (log_det - self.n * mp.log(precision)) / 2
            u = [v + s * min(mpf(1), 2 / longest) for v, s in zip(u, step)]
        raise ArithmeticError("no mode of the effects")

    def _joint(
        self, fixed: Sequence[mpf], u: Sequence[mpf], precision: mpf
    ) -> tuple[mpf, Vector, list[Vector]]:
        llf, gradient = mpf(0), [-precision * v for v in u]
        matrix = [[precision if a == b else mpf(0) for b in range(self.n)] for a in range(self.n)]
        for row, (i, j), offset in zip(self.rows, self.sides, fixed):
            eta = offset + u[i] - u[j]
            win, loss = 1 / (1 + mp.exp(-eta)), 1 / (1 + mp.exp(eta))
            n = row.wins + row.losses
            llf += row.wins * mp.log(win) + row.losses * mp.log(loss)
            gap, weight = row.wins - n * win, n * win * loss
            gradient[i], gradient[j] = gradient[i] + gap, gradient[j] - gap
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                matrix[a][b] += sign * weight
        return llf, gradient, matrix


def _cholesky(matrix: list[Vector]) -> list[Vector]:
    n = len(matrix)
    half = [[mpf(0)] * n for _ in range(n)]
    for a in range(n):
        for b in range(a + 1):
            rest = matrix[a][b] - mp.fdot(half[a][:b], half[b][:b])
            half[a][b] = mp.sqrt(rest) if a == b else rest / half[b][b]
    return half


def _solved(half: list[Vector], right: Vector) -> Vector:
    n, y = len(half), list(right)
    for a in range(n):
        y[a] = (y[a] - mp.fdot(half[a][:a], y[:a])) / half[a][a]
    for a in reversed(range(n)):
        y[a] = (y[a] - mp.fsum(half[b][a] * y[b] for b in range(a + 1, n))) / half[a][a]
    return y


@dataclass(frozen=True)
class Maximum:
    """beta and log sigma, log L, its second derivatives, and the modes of the effects there."""

    theta: Vector
    value: mpf
    hessian: mp.matrix
    modes: Vector


def maximum(rows: Sequence[Row], n_effects: int, size: int, start: Sequence[mpf], log_sigma: mpf) -> Maximum:
    """Newton's method with differences, from the fixed parameters `start` and `log_sigma`."""
    function, theta = Laplace(rows, n_effects, size), [*start, log_sigma]
    for _ in range(60):
        value, gradient, hessian = _differences(function, theta)
        if max(abs(g) for g in gradient) < mpf(GRADIENT_LIMIT):
            function(theta)
            return Maximum(theta, value, hessian, function.mode)
        step = mp.lu_solve(_downward(hessian), gradient)
        longest = max(abs(s) for s in step)
        theta = [t + s * min(mpf(1), mpf("0.3") / longest) for t, s in zip(theta, step)]
    raise ArithmeticError("no maximum of Laplace's approximation")


def _downward(hessian: mp.matrix) -> mp.matrix:
    """Minus the second derivatives, with enough on the diagonal to be positive definite."""
    raised = mpf(0)
    while True:
        found = -hessian + raised * mp.eye(hessian.rows)
        try:
            mp.cholesky(found)
            return found
        except ValueError:
            raised = 2 * raised + mpf("0.1")


def _differences(function: Laplace, theta: Sequence[mpf]) -> tuple[mpf, mp.matrix, mp.matrix]:
    k, h, middle = len(theta), mpf(STEP), function(theta)

    def at(*moves: tuple[int, int]) -> mpf:
        moved = list(theta)
        for a, sign in moves:
            moved[a] += sign * h
        return function(moved)

    up, down = [at((a, 1)) for a in range(k)], [at((a, -1)) for a in range(k)]
    gradient, hessian = mp.matrix(k, 1), mp.matrix(k, k)
    for a in range(k):
        gradient[a] = (up[a] - down[a]) / (2 * h)
        hessian[a, a] = (up[a] + down[a] - 2 * middle) / h**2
        for b in range(a):
            both = at((a, 1), (b, 1)) + at((a, -1), (b, -1))
            hessian[a, b] = hessian[b, a] = (both - up[a] - down[a] - up[b] - down[b] + 2 * middle) / (
                2 * h**2
            )
    return middle, gradient, hessian
