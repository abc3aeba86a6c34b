"""Laplace's approximation by its definition and its exact derivatives: the second program.

At the printed fixed parameters, sigma and modes: the derivative of the joint density is 0 at the modes;
the determinant is that of contests by contests, det(I + sigma^2 W^(1/2) ZZ' W^(1/2)), which is the one of
effects by effects; and with V = (Z'WZ + I / sigma^2)^-1, h_r = z_r'V z_r, W3 = n p q (q - p),

    d/d beta        X'(y - n p) - sum_r h_r W3_r (x_r - z_r'V Z'W X) / 2
    d/d log sigma   u'u / sigma^2 - K + tr V / sigma^2 - sum_r h_r W3_r z_r'V u / sigma^2

are 0.  `laplace.py`, which made the values, takes differences and a determinant of effects by effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests.definition import ability
from tests.certified.contests.quadrature import sets_of

Row = dict[str, Any]


class AtMode:
    """Everything at one place: names of the effects, Z, X, probabilities, weights."""

    def __init__(self, document: Row, rows: Sequence[Row]):
        self.names = list(document["effects"])
        self.u = mp.matrix([mpf(v) for v in document["effects"].values()])
        self.sigma, self.params = mpf(document["sigma"]), {k: mpf(v) for k, v in document["params"].items()}
        ordered = [(row, names) for names, own in sets_of(document, rows) for row in own]
        self.z = mp.matrix(len(ordered), len(self.names))
        self.x = mp.matrix(len(ordered), len(self.params))
        fixed = []
        for r, (row, names) in enumerate(ordered):
            for side, sign in (("first", 1), ("second", -1)):
                self.z[r, self.names.index(names[document["items"].index(row[side])])] = mpf(sign)
            fixed.append(self._gap(document, row, self.params))
            for k, name in enumerate(self.params):
                self.x[r, k] = self._gap(document, row, {n: mpf(n == name) for n in self.params})
        self.wins = [row["wins"] for row, _ in ordered]
        self.n = [row["wins"] + row["losses"] for row, _ in ordered]
        eta = [f + e for f, e in zip(fixed, self.z * self.u)]
        self.p = [mp.exp(e) / (1 + mp.exp(e)) for e in eta]
        self.weights = [n * p * (1 - p) for n, p in zip(self.n, self.p)]
        self.residuals = mp.matrix([w - n * p for w, n, p in zip(self.wins, self.n, self.p)])

    @staticmethod
    def _gap(document: Row, row: Row, params: dict[str, mpf]) -> mpf:
        """The linear predictor without effects; the reference item has 0."""
        model = document["model"]
        values = {model["reference"]: mpf(0), **params} if model["reference"] else params
        gap = ability(document, values, row["first"]) - ability(document, values, row["second"])
        return gap + mp.fsum(params[name] * mpf(row[name]) for name in model["columns"])

    def mode_gradient(self) -> mp.matrix:
        """Of the joint density by the effects, in units of the prior's precision."""
        return self.sigma**2 * (self.z.T * self.residuals) - self.u

    def value(self) -> mpf:
        """log L, with the determinant of contests by contests."""
        llf = mp.fsum(w * mp.log(p) + (n - w) * mp.log(1 - p) for w, n, p in zip(self.wins, self.n, self.p))
        roots = [mp.sqrt(w) for w in self.weights]
        between = self.z * self.z.T
        count = len(roots)
        inner = mp.matrix(count, count)
        for a in range(count):
            for b in range(count):
                inner[a, b] = (a == b) + self.sigma**2 * roots[a] * between[a, b] * roots[b]
        half = mp.cholesky(inner)
        log_det = 2 * mp.fsum(mp.log(half[k, k]) for k in range(count))
        return llf - mp.fdot(self.u, self.u) / (2 * self.sigma**2) - log_det / 2

    def gradient(self) -> list[mpf]:
        """By the fixed parameters and log sigma."""
        k, squared = len(self.names), self.sigma**2
        weights = mp.diag(self.weights)
        across = self.z.T * weights
        v = (across * self.z + mp.eye(k) / squared) ** -1
        along = self.z * v
        h = [mp.fsum(along[r, a] * self.z[r, a] for a in range(k)) for r in range(self.z.rows)]
        bent = [hr * w * (1 - 2 * p) for hr, w, p in zip(h, self.weights, self.p)]
        moved = self.x - along * (across * self.x)
        found = [
            mp.fsum(self.x[r, c] * self.residuals[r] - bent[r] * moved[r, c] / 2 for r in range(self.x.rows))
            for c in range(self.x.cols)
        ]
        trace = mp.fsum(v[a, a] for a in range(k))
        pulled = along * self.u
        by_sigma = (mp.fdot(self.u, self.u) + trace) / squared - k
        by_sigma -= mp.fsum(b * d for b, d in zip(bent, pulled)) / squared
        return [*found, by_sigma]
