"""Latent classes of persons: a mixture of K pattern models, with exact derivatives.

    log L = sum w log sum_k pi_k P_k(y),   log pi_k = a_k - log sum exp(a),  a_K = 0

Of one answer let p_k be the posterior probability of class k, m_k the gradient of log(pi_k P_k) in all
parameters and A_k minus its second derivatives.  Then (Louis 1982, Journal of the Royal Statistical Society B
44)

    gradient = sum p_k m_k,      minus second derivatives = sum p_k (A_k - m_k m_k') + m m'.

The parameters: those of class 1, 2, ..., K, then a_1 ... a_(K-1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from mpmath import mp, mpf

from tests.certified.answers.choices import Derivatives, Moments, Point, Said, Statistics, exact, weights_of


def mixture(alternatives: Sequence[Statistics], said: Sequence[Said], p: int, classes: int) -> Derivatives:
    """The likelihood of classes that all have these alternatives, for complete answers."""
    merged: Counter[tuple[tuple[int, Fraction], ...]] = Counter()
    for weight, _, (only,) in said:
        merged[tuple(sorted(alternatives[only].items()))] += weight
    size = classes * p + classes - 1

    def at(psi: list[mpf]) -> Point:
        own = [psi[k * p : (k + 1) * p] for k in range(classes)]
        shares = shares_of(psi[classes * p :])
        found = [Moments(alternatives, weights_of(alternatives, x), range(len(alternatives)), p) for x in own]
        llf, gradient, information = mpf(0), [mpf(0)] * size, mp.zeros(size, size)
        ends = shares[:-1]
        weight_of_class = [mpf(0)] * classes
        for entries, w in merged.items():
            t = [mpf(0)] * p
            for k, x in entries:
                t[k] = exact(x)
            logs = [
                mp.log(pi) + mp.fsum(a * b for a, b in zip(t, x)) - m.log_total
                for pi, x, m in zip(shares, own, found)
            ]
            top = mp.fsum(mp.exp(v) for v in logs)
            posterior = [mp.exp(v) / top for v in logs]
            llf += w * mp.log(top)
            whole = [mpf(0)] * size
            for k, share in enumerate(posterior):
                weight_of_class[k] += w * share
                m = [mpf(0)] * size
                m[k * p : (k + 1) * p] = [a - b for a, b in zip(t, found[k].mean)]
                m[classes * p :] = [(1 if k == l else 0) - e for l, e in enumerate(ends)]
                _add_square(information, m, -w * share)
                whole = [a + share * b for a, b in zip(whole, m)]
            _add_square(information, whole, mpf(w))
            gradient = [a + w * b for a, b in zip(gradient, whole)]
        for k, w in enumerate(weight_of_class):
            for (i, j), value in found[k].covariance.items():
                information[k * p + i, k * p + j] += w * value
                if i != j:
                    information[k * p + j, k * p + i] += w * value
        total = sum(merged.values())
        for a, one in enumerate(ends):
            for b, two in enumerate(ends):
                information[classes * p + a, classes * p + b] += total * ((one if a == b else 0) - one * two)
        return Point(llf, gradient, information)

    return at


def shares_of(ratios: Sequence[mpf]) -> list[mpf]:
    """Shares from their log-ratios to the last."""
    grown = [*(mp.exp(a) for a in ratios), mpf(1)]
    total = mp.fsum(grown)
    return [g / total for g in grown]


def _add_square(target: mp.matrix, vector: Sequence[mpf], factor: mpf) -> None:
    entries = [(k, v) for k, v in enumerate(vector) if v]
    for i, a in entries:
        scaled = factor * a
        for j, b in entries:
            target[i, j] += scaled * b
