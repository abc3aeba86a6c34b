"""50-digit values of prefmod's alpha and beta on `immig` (defect B3), from all 3^6 answers with all 2^6 sets of gaps.

    P(y, r) = exp(eta(y) + sum_i alpha_i m_i + sum_i beta_i m_i y_(i)) / sum over all y and r,

m_i the number of missing comparisons of item i, y_(i) the answer to the *i-th comparison*, as prefmod codes it.  Newton's
method in mpmath from pairproof's estimates, until a step is below 1e-45.  The documented forms with beta have the
likelihood of free rates of gaps, beside the 50-digit fit of the answers alone.  `python -m tools.pages.prefmod_immig` writes
`tools/pages/prefmod_immig.json` (a minute, with R and prefmod).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from pairproof.bridge import package_data
from pairproof.data.wide import prefmod_pair_order

from .tables import certified_fit, keep, kept

PAIRS = prefmod_pair_order(4)


def answers() -> list[tuple[int | None, ...]]:
    """The persons' answers: 1, 0, -1, None where missing."""
    data = package_data("prefmod", "immig", backend="live").iloc[:, :6]
    return [tuple(None if v != v else int(v) for v in row) for row in data.astype(float).to_numpy()]


def statistics(y: tuple[int, ...], r: tuple[int, ...], coded: bool) -> list[int]:
    """Lambda of three items, alpha of four, beta of four if coded, tie."""
    wins = [sum(v * ((i == a) - (i == b)) for v, (a, b) in zip(y, PAIRS)) for i in range(3)]
    lost = [sum(m for m, pair in zip(r, PAIRS) if i in pair) for i in range(4)]
    beta = [n * y[i] for i, n in enumerate(lost)] if coded else []
    return [*wins, *lost, *beta, sum(v == 0 for v in y)]


def fitted(coded: bool) -> dict[str, Any]:
    """Estimates, standard errors and log-likelihood as texts of 50 digits."""
    from mpmath import mp, mpf

    own = kept("prefmod_native")["immig coded" if coded else "immig"]["estimate"]
    names = list(own)
    order = [n for n in names if n[:5] not in ("alpha", "beta:") and n != "tie"]
    order += (
        [n for n in names if n.startswith("alpha")] + [n for n in names if n.startswith("beta")] + ["tie"]
    )
    every, gaps = list(itertools.product((1, 0, -1), repeat=6)), list(itertools.product((0, 1), repeat=6))
    table = {(y, r): statistics(y, r, coded) for y in every for r in gaps}
    unique, times = np.unique(np.array(list(table.values())), axis=0, return_counts=True)
    said = []
    for answer in answers():
        r = tuple(int(a is None) for a in answer)
        agreeing = [y for y in every if all(a is None or a == v for a, v in zip(answer, y))]
        said.append(np.unique(np.array([table[y, r] for y in agreeing]), axis=0, return_counts=True))
    with mp.workdps(80):
        phi = [mpf(own[n]) for n in order]
        while True:
            value, gradient, information = _derivatives(phi, unique, times, said)
            step = mp.lu_solve(information, gradient)
            phi = [a + b for a, b in zip(phi, step)]
            if max(abs(s) for s in step) < mpf(10) ** -45:
                break
        inverse = information**-1
        return {
            "params": {n: mp.nstr(v, 50) for n, v in zip(order, phi)},
            "bse": {n: mp.nstr(mp.sqrt(inverse[k, k]), 50) for k, n in enumerate(order)},
            "llf": mp.nstr(value, 50),
        }


def _derivatives(phi: list[Any], unique: Any, times: Any, said: list[Any]) -> tuple[Any, Any, Any]:
    """Log-likelihood, gradient and observed information."""
    from mpmath import mp

    total, mean, square = _moments(phi, unique, times)
    p = len(phi)
    value, gradient, information = mp.mpf(0), mp.matrix(p, 1), mp.matrix(p, p)
    for rows, counts in said:
        part, own, own_square = _moments(phi, rows, counts)
        value += part - total
        for i in range(p):
            gradient[i] += own[i] - mean[i]
            for j in range(p):
                information[i, j] += (square[i][j] - mean[i] * mean[j]) - (own_square[i][j] - own[i] * own[j])
    return value, gradient, information


def _moments(phi: list[Any], rows: Any, counts: Any) -> tuple[Any, list[Any], list[list[Any]]]:
    """Log of the sum of weights, and means and mean products of the statistics."""
    from mpmath import mp

    p = len(phi)
    sums, squares, total = [mp.mpf(0)] * p, [[mp.mpf(0)] * p for _ in range(p)], mp.mpf(0)
    for row, n in zip(rows.tolist(), counts.tolist()):
        w = n * mp.exp(mp.fsum(x * b for x, b in zip(row, phi) if x))
        total += w
        some = [k for k, x in enumerate(row) if x]
        for i in some:
            part = w * row[i]
            sums[i] += part
            for j in some:
                if j <= i:
                    squares[i][j] += part * row[j]
    for i in range(p):
        for j in range(i):
            squares[j][i] = squares[i][j]
    return mp.log(total), [s / total for s in sums], [[s / total for s in line] for line in squares]


def free_rates() -> str:
    """Log-likelihood of the documented forms: the answers alone, and a free rate of gaps for each comparison."""
    from mpmath import mp, mpf

    said = answers()
    with mp.workdps(80):
        value = mpf(certified_fit("answers/fits/immig--pattern")["llf"])
        for column in zip(*said):
            lost = sum(a is None for a in column)
            for n in (lost, len(said) - lost):
                value += n * mp.log(mpf(n) / len(said)) if n else 0
        return str(mp.nstr(value, 50))


def exact() -> dict[str, Any]:
    """The kept values."""
    found: dict[str, Any] = kept("prefmod_immig")
    return found


if __name__ == "__main__":
    keep("prefmod_immig", {"alpha": fitted(False), "coded": fitted(True), "free rates": free_rates()})
