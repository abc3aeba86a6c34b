"""Every model of whole answers as choices between alternatives, and its likelihood with exact derivatives.

A *choice* has alternatives, alternative a with statistics t_a (exact fractions); its probability is
exp(t_a'phi) / sum_b exp(t_b'phi).  What a person said is compatible with some of the alternatives (one of
them where nothing is missing), so

    log L = sum over persons w [ log sum_(a compatible) exp(t_a'phi) - log sum_(all a) exp(t_a'phi) ]

A pattern model is one choice between all patterns a covariate group; a ranking of Plackett and Luce is a
choice at every stage.  With E and Cov over the compatible (C) and over all (A) alternatives,

    score = sum w (E_C t - E_A t),       minus second derivatives = sum w (Cov_A t - Cov_C t).

Nothing is factored, no recursion is used: the alternatives are written out one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mpmath import mp, mpf

#: Statistics that are not 0, by the parameter's position.
Statistics = dict[int, Fraction]
#: Weight, number of the choice, compatible alternatives.
Said = tuple[int, int, tuple[int, ...]]

#: Working precision in digits; every component of the gradient at the maximum is below the limit.
DIGITS, GRADIENT_LIMIT = 100, "1e-80"


def exact(number: Fraction | int) -> mpf:
    """A fraction at working precision."""
    return mpf(number.numerator) / number.denominator


def sparse(values: Iterable[Fraction | int]) -> Statistics:
    """Statistics from all values, zeros left out."""
    return {k: Fraction(v) for k, v in enumerate(values) if v}


@dataclass(frozen=True)
class Point:
    """Log-likelihood, gradient and minus the second derivatives."""

    llf: mpf
    gradient: list[mpf]
    information: mp.matrix


Derivatives = Callable[[list[mpf]], Point]


class Moments:
    """Log of the sum of weights, mean and covariance of the statistics over some alternatives."""

    def __init__(
        self, alternatives: Sequence[Statistics], weights: Sequence[mpf], which: Iterable[int], p: int
    ) -> None:
        chosen = list(which)
        total = mp.fsum(weights[a] for a in chosen)
        self.log_total = mp.log(total)
        self.mean = [mpf(0)] * p
        second: Counter[tuple[int, int]] = Counter()
        for a in chosen:
            share, entries = weights[a] / total, sorted(alternatives[a].items())
            for k, (i, x) in enumerate(entries):
                first = share * exact(x)
                self.mean[i] += first
                for j, y in entries[: k + 1]:
                    second[i, j] += first * exact(y)
        self.covariance = {}
        for i in range(p):
            for j in range(i + 1):
                value = second[i, j] - self.mean[i] * self.mean[j]
                if value:
                    self.covariance[i, j] = value

    def add_covariance(self, target: mp.matrix, factor: mpf) -> None:
        for (i, j), value in self.covariance.items():
            target[i, j] += factor * value
            if i != j:
                target[j, i] += factor * value


def weights_of(alternatives: Sequence[Statistics], phi: Sequence[mpf]) -> list[mpf]:
    """exp(t'phi) of each alternative."""
    return [mp.exp(mp.fsum(exact(x) * phi[k] for k, x in t.items())) for t in alternatives]


def likelihood(choices: Sequence[Sequence[Statistics]], said: Sequence[Said], p: int) -> Derivatives:
    """The likelihood of p parameters; equal answers are merged first."""
    merged: Counter[tuple[int, tuple[int, ...]]] = Counter()
    total: Counter[int] = Counter()
    for weight, number, compatible in said:
        merged[number, compatible] += weight
        total[number] += weight

    def at(phi: list[mpf]) -> Point:
        llf, gradient, information = mpf(0), [mpf(0)] * p, mp.zeros(p, p)
        for number, n in total.items():
            alternatives = choices[number]
            weights = weights_of(alternatives, phi)
            parts = [(-n, range(len(alternatives)))]
            parts += [(w, which) for (own, which), w in merged.items() if own == number]
            for w, which in parts:
                found = Moments(alternatives, weights, which, p)
                llf += w * found.log_total
                for k, mean in enumerate(found.mean):
                    gradient[k] += w * mean
                found.add_covariance(information, mpf(-w))
        return Point(llf, gradient, information)

    return at


@dataclass(frozen=True)
class Maximum:
    """The maximum: parameters, log-likelihood, inverse of minus the second derivatives."""

    phi: list[mpf]
    llf: mpf
    covariance: mp.matrix


def maximise(at: Derivatives, start: Sequence[mpf], limit: int = 100) -> Maximum:
    """Newton's method, a step never longer than 1 in any parameter.

    Raises
    ------
    ArithmeticError
        If the gradient is not 0 after `limit` steps.
    """
    phi = list(start)
    for _ in range(limit):
        here = at(phi)
        if max(abs(g) for g in here.gradient) < mpf(GRADIENT_LIMIT):
            return Maximum(phi, here.llf, here.information**-1)
        step = mp.lu_solve(here.information, mp.matrix(here.gradient))
        longest = max(abs(s) for s in step)
        phi = [x + s / max(longest, mpf(1)) for x, s in zip(phi, step)]
    raise ArithmeticError(f"no maximum after {limit} Newton steps")
