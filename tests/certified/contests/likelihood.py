"""Log-likelihood of contest rows with exact first and second derivatives by their local parameters.

Without ties a row has one, eta: with F the link's distribution function, f = F', b = f'/f,

    l' = wins f/F - losses f/(1 - F),   -l'' = wins ((f/F)^2 - b f/F) + losses ((f/(1-F))^2 + b f/(1-F)),

and expected information n f^2 / (F (1 - F)).  With ties it has four, (eta, c, m, s): utilities of win, tie
and loss are eta, t and 0, with p = 1/(1 + e^-m), q = 1 - p, S = e^s, F the logistic function and

    t = c - S (p log p + q log q) + S p eta + (1 - S) log(1 + e^eta)

(BradleyTerry2's GenDavidson; m = s = 0 is Davidson's model with nu = 2 e^c).
"""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp, mpf

from tests.certified.contests.designs import Design
from tests.certified.contests.models import Model


@dataclass(frozen=True)
class Local:
    """Of one row: log-likelihood, gradient, minus second derivatives, expected information."""

    llf: mpf
    gradient: list[mpf]
    observed: list[list[mpf]]
    expected: list[list[mpf]]


@dataclass(frozen=True)
class Point:
    """Of all rows, by the parameters of the model."""

    llf: mpf
    gradient: mp.matrix
    observed: mp.matrix
    expected: mp.matrix


def logistic(x: mpf) -> mpf:
    return 1 / (1 + mp.exp(-x))


def link(name: str, eta: mpf) -> tuple[mpf, mpf, mpf, mpf]:
    """F, 1 - F, f and f'/f."""
    if name == "logit":
        up, down = logistic(eta), logistic(-eta)
        return up, down, up * down, down - up
    if name == "probit":
        return mp.ncdf(eta), mp.ncdf(-eta), mp.npdf(eta), -eta
    up = mpf(1) / 2 + mp.atan(eta) / mp.pi
    return up, 1 - up, 1 / (mp.pi * (1 + eta**2)), -2 * eta / (1 + eta**2)


def without_ties(name: str, eta: mpf, counts: list[int]) -> Local:
    up, down, f, bend = link(name, eta)
    wins, losses = counts
    a, b = f / up, f / down
    llf = wins * mp.log(up) + losses * mp.log(down)
    observed = wins * (a * a - bend * a) + losses * (b * b + bend * b)
    return Local(llf, [wins * a - losses * b], [[observed]], [[(wins + losses) * a * b]])


def tie_utility(eta: mpf, c: mpf, m: mpf, s: mpf) -> tuple[mpf, list[mpf], list[list[mpf]]]:
    """t, its gradient by (eta, c, m, s), and its second derivatives."""
    p, q, size, f = logistic(m), logistic(-m), mp.exp(s), logistic(eta)
    high = mp.log(1 + mp.exp(eta))
    inner = p * eta - p * mp.log(p) - q * mp.log(q) - high
    by_m = size * p * q * (eta - m)
    first = [size * p + (1 - size) * f, mpf(1), by_m, size * inner]
    second = [[mpf(0)] * 4 for _ in range(4)]
    second[0][0] = (1 - size) * f * (1 - f)
    second[0][2] = second[2][0] = size * p * q
    second[0][3] = second[3][0] = size * (p - f)
    second[2][2] = size * p * q * ((q - p) * (eta - m) - 1)
    second[2][3] = second[3][2] = by_m
    second[3][3] = size * inner
    return c + size * inner + high, first, second


def with_ties(local: list[mpf], counts: list[int]) -> Local:
    t, first, second = tie_utility(*local)
    utilities = [local[0], t, mpf(0)]
    total = mp.log(mp.fsum(mp.exp(u) for u in utilities))
    chance = [mp.exp(u - total) for u in utilities]
    toward = [[mpf(1), mpf(0), mpf(0), mpf(0)], first, [mpf(0)] * 4]
    mean = [mp.fsum(p * d[k] for p, d in zip(chance, toward)) for k in range(4)]
    n = sum(counts)
    gradient = [mp.fsum((y - n * p) * d[k] for y, p, d in zip(counts, chance, toward)) for k in range(4)]
    expected = [
        [
            n * mp.fsum(p * (d[a] - mean[a]) * (d[b] - mean[b]) for p, d in zip(chance, toward))
            for b in range(4)
        ]
        for a in range(4)
    ]
    gap = counts[1] - n * chance[1]
    observed = [[expected[a][b] - gap * second[a][b] for b in range(4)] for a in range(4)]
    llf = mp.fsum(y * (u - total) for y, u in zip(counts, utilities))
    return Local(llf, gradient, observed, expected)


def parameter_names(found: Design, model: Model) -> list[str]:
    """Of the fixed parameters and of those of ties."""
    ties = ["tie"] if model.ties != "none" else []
    return found.names + ties + ["tie-shift"] * model.tie_shift + ["tie-scale"] * model.tie_scale


def columns(found: Design, model: Model, row: int) -> list[list[mpf]]:
    """Derivatives of the local parameters of a row by the parameters; `tie` is log nu = c + log 2."""
    x, extra = found.x[row], len(parameter_names(found, model)) - len(found.names)
    if model.ties == "none":
        return [x]
    empty = [mpf(0)] * len(x)

    def tied(place: int, value: mpf) -> list[mpf]:
        return empty + [value if k == place else mpf(0) for k in range(extra)]

    shift = tied(1, found.home[row]) if model.tie_shift else tied(0, mpf(0))
    scale = tied(1 + model.tie_shift, mpf(1)) if model.tie_scale else tied(0, mpf(0))
    return [x + [mpf(0)] * extra, tied(0, mpf(1)), shift, scale]


def local_at(found: Design, model: Model, row: int, theta: list[mpf]) -> Local:
    """The row's derivatives at the parameters theta."""
    local = [mp.fdot(column, theta) for column in columns(found, model, row)]
    local[0] += found.offset[row]
    if model.ties == "none":
        return without_ties(model.link, local[0], found.counts[row])
    local[1] -= mp.log(2)
    return with_ties(local, found.counts[row])


def point(found: Design, model: Model, theta: list[mpf]) -> Point:
    """Sums over the rows."""
    k = len(theta)
    llf, gradient, observed, expected = mpf(0), mp.zeros(k, 1), mp.zeros(k, k), mp.zeros(k, k)
    for row in range(len(found.x)):
        here, x = local_at(found, model, row, theta), columns(found, model, row)
        llf += here.llf
        for i, one in enumerate(x):
            for a in (a for a in range(k) if one[a]):
                gradient[a] += one[a] * here.gradient[i]
                for j, other in enumerate(x):
                    for b in (b for b in range(k) if other[b]):
                        observed[a, b] += one[a] * other[b] * here.observed[i][j]
                        expected[a, b] += one[a] * other[b] * here.expected[i][j]
    return Point(llf, gradient, observed, expected)
