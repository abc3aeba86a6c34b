"""The models by their definitions, from the printed text of a document alone.

Nothing here shares a line with the code that made the values: probabilities are ratios of worths (logit,
Davidson), the error function (probit), an angle (cauchit), BradleyTerry2's own formula (general ties); all
derivatives are differences at 300 digits; adjusted scores are Firth's and Kosmidis' general formulas, with
expectations taken outcome by outcome:

    P_t = E(U U' U_t),  Q_t = E(grad grad' l . U_t),  A_t = tr(V (P_t + Q_t)) / 2            (mean)
    A - I F,  F_t = sum_u V_tu tr(h_t (P_u / 3 + Q_u / 2)),  h_t = V_t V_t' / V_tt           (median)
    gradient of log det I / 2                                                                (jeffreys)

(Firth 1993, Biometrika 80, 27-38; Kosmidis, Kenne Pagui and Sartori 2020, Statistics and Computing 30,
43-59). Q_t is E(-J U_t) with J the observed information.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp, mpf

#: Step of the differences of probabilities, and of those of the information.
STEP, OUTER_STEP = "1e-60", "1e-30"

Values = dict[str, mpf]
Row = dict[str, Any]


def ability(document: dict[str, Any], params: Values, item: str) -> mpf:
    """The log-odds ability of an item."""
    model = document["model"]
    if item in params:
        return params[item]
    return mp.fsum(params[name] * mpf(document["item_data"][name][item]) for name in model["item_covariates"])


def chances(document: dict[str, Any], params: Values, row: Row) -> list[mpf]:
    """Probabilities of win, (tie,) loss in a row."""
    model = document["model"]
    one, two = (ability(document, params, row[side]) for side in ("first", "second"))
    one += mp.fsum(params[name] * mpf(row[name]) for name in model["columns"])
    one += mpf(row["offset"]) if model["offset"] else 0
    if model["ties"] != "none":
        return _with_ties(model, params, row, one, two)
    if model["link"] == "probit":
        return [mp.erfc(gap / mp.sqrt(2)) / 2 for gap in (two - one, one - two)]
    if model["link"] == "cauchit":
        return [mp.atan2(1, gap) / mp.pi for gap in (two - one, one - two)]
    worths = [mp.exp(one), mp.exp(two)]
    return [worth / sum(worths) for worth in worths]


def _with_ties(model: Row, params: Values, row: Row, one: mpf, two: mpf) -> list[mpf]:
    win, loss, nu = mp.exp(one), mp.exp(two), mp.exp(params["tie"])
    if model["ties"] == "davidson":
        tie = nu * mp.sqrt(win * loss)
    else:
        size = mp.exp(params.get("tie-scale", mpf(0)))
        p = 1 / (1 + mp.exp(-params.get("tie-shift", mpf(0)) * mpf(row["home"])))
        # BradleyTerry2's tie.max, and its three terms.
        most = mp.log(nu / 2)
        spread = -size * (p * mp.log(p) + (1 - p) * mp.log(1 - p))
        tie = mp.exp(most + spread + size * (p * one + (1 - p) * two) + (1 - size) * mp.log(win + loss))
    total = win + tie + loss
    return [win / total, tie / total, loss / total]


class Definition:
    """The likelihood of a document at any parameters, and its bias-reducing adjustments."""

    def __init__(self, document: dict[str, Any], rows: Sequence[Row]):
        absent = set(document.get("not_estimable", {}))
        self.document, self.names = document, list(document["params"])
        self.rows = [row for row in rows if not {row["first"], row["second"]} & absent]
        self.keys = ("wins", "losses") if document["model"]["ties"] == "none" else ("wins", "ties", "losses")

    def counts(self, row: Row) -> list[int]:
        return [row[key] for key in self.keys]

    def logs(self, x: Sequence[mpf], row: Row) -> list[mpf]:
        """Log probabilities of the outcomes of a row."""
        values = dict(zip(self.names, x))
        values.update(
            {item: mpf(0) for item in [self.document["model"]["reference"]] if item and item not in values}
        )
        return [mp.log(p) for p in chances(self.document, values, row)]

    def log_likelihood(self, x: Sequence[mpf]) -> mpf:
        return mp.fsum(
            y * log for row in self.rows for y, log in zip(self.counts(row), self.logs(x, row)) if y
        )

    def saturated(self) -> mpf:
        """The log-likelihood of free probabilities in every row."""
        return mp.fsum(
            y * mp.log(mpf(y) / sum(self.counts(row))) for row in self.rows for y in self.counts(row) if y
        )

    def log_coefficients(self) -> mpf:
        """Log of the number of orders in which the outcomes of every row can come."""
        total = mpf(0)
        for row in self.rows:
            ways = mp.factorial(sum(self.counts(row)))
            for y in self.counts(row):
                ways /= mp.factorial(y)
            total += mp.log(ways)
        return total

    def outcomes(
        self, x: Sequence[mpf], row: Row, second: bool = True
    ) -> list[tuple[mpf, mp.matrix, mp.matrix]]:
        """Probability of each outcome of one contest, gradient and second derivatives of its logarithm."""
        k, h = len(x), mpf(STEP)
        middle = self.logs(x, row)
        up = [self.logs(moved(x, (a, h)), row) for a in range(k)]
        down = [self.logs(moved(x, (a, -h)), row) for a in range(k)]
        found = []
        for o, log in enumerate(middle):
            slope = mp.matrix([(up[a][o] - down[a][o]) / (2 * h) for a in range(k)])
            found.append((mp.exp(log), slope, mp.zeros(k, k)))
        for a in range(k if second else 0):
            for b in range(a + 1):
                if a == b:
                    both = [u + d for u, d in zip(up[a], down[a])]
                    values = [(v - 2 * m) / h**2 for v, m in zip(both, middle)]
                else:
                    far = [self.logs(moved(x, (a, s * h), (b, s * h)), row) for s in (1, -1)]
                    values = [
                        (far[0][o] + far[1][o] - up[a][o] - down[a][o] - up[b][o] - down[b][o] + 2 * m)
                        / (2 * h**2)
                        for o, m in enumerate(middle)
                    ]
                for o, value in enumerate(values):
                    found[o][2][a, b] = found[o][2][b, a] = value
        return found

    def score_and_information(self, x: Sequence[mpf]) -> tuple[mp.matrix, mp.matrix, mp.matrix]:
        """Score, observed and expected information."""
        k = len(x)
        score, observed, expected = mp.zeros(k, 1), mp.zeros(k, k), mp.zeros(k, k)
        for row in self.rows:
            counts = self.counts(row)
            for y, (p, u, curved) in zip(counts, self.outcomes(x, row)):
                score, observed = score + y * u, observed - y * curved
                expected += sum(counts) * p * u * u.T
        return score, observed, expected

    def expected(self, x: Sequence[mpf]) -> mp.matrix:
        """The expected information."""
        found = mp.zeros(len(x), len(x))
        for row in self.rows:
            for p, u, _ in self.outcomes(x, row, second=False):
                found += sum(self.counts(row)) * p * u * u.T
        return found

    def cumulants(self, x: Sequence[mpf]) -> tuple[list[mp.matrix], list[mp.matrix]]:
        """P_t and Q_t: contests are independent, so that those of the rows add up."""
        k = len(x)
        p_of, q_of = ([mp.zeros(k, k) for _ in range(k)] for _ in range(2))
        for row in self.rows:
            n = sum(self.counts(row))
            for p, u, curved in self.outcomes(x, row):
                for t in range(k):
                    p_of[t] += n * p * u[t] * (u * u.T)
                    q_of[t] += n * p * u[t] * curved
        return p_of, q_of

    def adjustment(self, x: Sequence[mpf], kind: str) -> mp.matrix:
        """What is added to the score."""
        k = len(x)
        if kind == "jeffreys":
            return gradient(lambda at: mp.log(mp.det(self.expected(at))) / 2, x, mpf(OUTER_STEP))
        information = self.expected(x)
        inverse, (p_of, q_of) = information**-1, self.cumulants(x)
        mean = mp.matrix([_trace(inverse * (p_of[t] + q_of[t])) / 2 for t in range(k)])
        if kind == "mean":
            return mean
        shift = mp.zeros(k, 1)
        for t in range(k):
            column = inverse[:, t]
            h = column * column.T / inverse[t, t]
            shift[t] = mp.fsum(inverse[t, u] * _trace(h * (p_of[u] / 3 + q_of[u] / 2)) for u in range(k))
        return mean - information * shift


def moved(x: Sequence[mpf], *moves: tuple[int, mpf]) -> list[mpf]:
    """x with steps added to some of its entries."""
    found = list(x)
    for k, step in moves:
        found[k] += step
    return found


def gradient(value: Callable[[Sequence[mpf]], mpf], x: Sequence[mpf], h: mpf) -> mp.matrix:
    """Central differences."""
    return mp.matrix([(value(moved(x, (k, h))) - value(moved(x, (k, -h)))) / (2 * h) for k in range(len(x))])


def _trace(matrix: mp.matrix) -> mpf:
    return mp.fsum(matrix[k, k] for k in range(matrix.rows))
