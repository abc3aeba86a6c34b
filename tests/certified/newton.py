"""Newton's method in mpmath for two likelihoods, with their exact derivatives.

Log-linear (Bradley-Terry, Davidson, ties held at nu = 1): each cell is a multinomial whose category c has
weight exp(x_c' beta), so the score is sum n (y/n - p)_c x_c and the information sum n (sum p x x' - m m'), m
= sum p x.

Rao-Kupper: with p1 = F(u - d), p2 = F(-u - d), F(x) = 1/(1 + e^-x), and P(tie) = (e^(2d) - 1) p1 p2,
    log-likelihood = sum (W + T) log p1 + (L + T) log p2 + T log(e^(2d) - 1),
from which the observed information follows term by term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mpmath import mp, mpf

from tests.certified.cells import Cell, Form

#: Working precision in decimal digits; 50 are published.
DIGITS = 100

#: The gradient must be below this in every component; 1e-70 is what the files promise.
GRADIENT_LIMIT = "1e-80"

Vector = dict[str, mpf]


def exact(number: Fraction) -> mpf:
    return mpf(number.numerator) / number.denominator


@dataclass(frozen=True)
class Derivatives:
    """Log-likelihood, its gradient and minus its Hessian (mpmath matrices in the order of the names)."""

    llf: mpf
    gradient: mp.matrix
    information: mp.matrix


def value_of(form: Form, beta: Vector) -> mpf:
    return mp.fsum(exact(coefficient) * beta[name] for name, coefficient in form.items() if name in beta)


def categories(cell: Cell, tie_free: bool) -> list[tuple[mpf, Form]]:
    """(count, linear form) of each category of a log-linear cell."""
    wins, ties, losses = cell.counts
    half = {name: coefficient / 2 for name, coefficient in cell.gap.items()}
    minus = {name: -coefficient for name, coefficient in half.items()}
    middle = [] if ties is None else [(exact(ties), dict(cell.tie) if tie_free else {})]
    return [(exact(wins), half), *middle, (exact(losses), minus)]


def _cell_log_linear(cell: Cell, beta: Vector, tie_free: bool) -> tuple[list[mpf], list[mpf]]:
    """Log probabilities and probabilities of the categories."""
    eta = [value_of(form, beta) for _, form in categories(cell, tie_free)]
    normaliser = mp.log(mp.fsum(mp.exp(e) for e in eta))
    logs = [e - normaliser for e in eta]
    return logs, [mp.exp(log) for log in logs]


def log_linear(cells: list[Cell], names: list[str], beta: Vector) -> Derivatives:
    """Derivatives of the log-linear likelihood; the tie parameter is free if `tie` is among the names."""
    place = {name: k for k, name in enumerate(names)}
    llf, gradient, information = mpf(0), mp.zeros(len(names), 1), mp.zeros(len(names), len(names))
    for cell in cells:
        parts = categories(cell, "tie" in place)
        logs, p = _cell_log_linear(cell, beta, "tie" in place)
        total = exact(cell.total())
        used = [name for name in {**cell.gap, **cell.tie} if name in place]
        x = [[exact(form.get(name, Fraction(0))) for name in used] for _, form in parts]
        mean = [mp.fsum(p[c] * x[c][a] for c in range(len(p))) for a in range(len(used))]
        llf += mp.fsum(count * log for (count, _), log in zip(parts, logs) if count)
        for a, name in enumerate(used):
            gradient[place[name]] += mp.fsum((parts[c][0] - total * p[c]) * x[c][a] for c in range(len(p)))
            for b, other in enumerate(used):
                second = mp.fsum(p[c] * x[c][a] * x[c][b] for c in range(len(p)))
                information[place[name], place[other]] += total * (second - mean[a] * mean[b])
    return Derivatives(llf, gradient, information)


def rao_kupper(cells: list[Cell], names: list[str], beta: Vector) -> Derivatives:
    """Derivatives of the Rao-Kupper likelihood."""
    place = {name: k for k, name in enumerate(names)}
    llf, gradient, information = mpf(0), mp.zeros(len(names), 1), mp.zeros(len(names), len(names))
    for cell in cells:
        wins, ties, losses = (exact(count or Fraction(0)) for count in cell.counts)
        u, delta = value_of(cell.gap, beta), value_of(cell.tie, beta)
        grown = mp.expm1(2 * delta)
        pieces: list[tuple[mpf, int]] = [(wins + ties, 1), (losses + ties, -1)]
        used = [name for name in {**cell.gap, **cell.tie} if name in place]
        for count, sign in pieces:
            argument = sign * u - delta
            rest = 1 / (1 + mp.exp(argument))  # 1 - F(argument)
            llf += count * -mp.log1p(mp.exp(-argument))
            x = [
                sign * exact(cell.gap.get(n, Fraction(0))) - exact(cell.tie.get(n, Fraction(0))) for n in used
            ]
            for a, name in enumerate(used):
                gradient[place[name]] += count * rest * x[a]
                for b, other in enumerate(used):
                    information[place[name], place[other]] += count * rest * (1 - rest) * x[a] * x[b]
        if ties:
            llf += ties * mp.log(grown)
            slope, bend = 2 * (grown + 1) / grown, 4 * (grown + 1) / grown**2
            t = {n: exact(c) for n, c in cell.tie.items() if n in place}
            for name in t:
                gradient[place[name]] += ties * slope * t[name]
                for other in t:
                    information[place[name], place[other]] += ties * bend * t[name] * t[other]
    return Derivatives(llf, gradient, information)


def probabilities(cell: Cell, names: list[str], beta: Vector, ties: str) -> list[mpf]:
    """P(win), P(tie) where there is one, P(loss) of a cell, from the side of its first item."""
    if ties != "rao-kupper":
        return _cell_log_linear(cell, beta, "tie" in names)[1]
    u, delta = value_of(cell.gap, beta), value_of(cell.tie, beta)
    p1, p2 = 1 / (1 + mp.exp(delta - u)), 1 / (1 + mp.exp(delta + u))
    return [p1, mp.expm1(2 * delta) * p1 * p2, p2]


Likelihood = Callable[[list[Cell], list[str], Vector], Derivatives]


@dataclass(frozen=True)
class Maximum:
    """The maximum: parameters, derivatives there, inverse of the observed information, steps taken."""

    beta: Vector
    at: Derivatives
    covariance: mp.matrix
    steps: int


def maximise(
    likelihood: Likelihood, cells: list[Cell], names: list[str], start: Vector, limit: int = 200
) -> Maximum:
    """Newton with halving; stops when every component of the gradient is below `GRADIENT_LIMIT`.

    Raises
    ------
    ArithmeticError
        If it is not there after `limit` steps (a separated or disconnected table has no maximum).
    """
    beta, at = dict(start), likelihood(cells, names, start)
    for step in range(limit):
        if not names or mp.norm(at.gradient, mp.inf) < mpf(GRADIENT_LIMIT):
            covariance = at.information**-1 if names else mp.zeros(0, 0)
            return Maximum(beta, at, covariance, step)
        move, length = mp.lu_solve(at.information, at.gradient), mpf(1)
        while True:
            trial = {name: beta[name] + length * move[k] for k, name in enumerate(names)}
            inside = all(mp.isfinite(v) for v in trial.values()) and _inside(likelihood, cells, trial)
            after = likelihood(cells, names, trial) if inside else None
            # near the maximum the log-likelihood no longer resolves the step: there the whole step is taken
            if after is not None and (after.llf >= at.llf or mp.norm(at.gradient, mp.inf) < mpf("1e-20")):
                break
            length /= 2
        beta, at = trial, after
    raise ArithmeticError(
        f"no maximum after {limit} Newton steps; gradient {mp.nstr(mp.norm(at.gradient, mp.inf), 3)}"
    )


def _inside(likelihood: Likelihood, cells: list[Cell], beta: Vector) -> bool:
    """Rao-Kupper needs theta > 1 in every cell; the log-linear models are defined everywhere."""
    return likelihood is not rao_kupper or all(value_of(cell.tie, beta) > 0 for cell in cells)
