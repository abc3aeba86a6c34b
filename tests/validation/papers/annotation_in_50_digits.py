"""50-digit values of models of annotators, which settle what lme4, nlme and pairproof differ in.

    python -m tests.validation.papers.annotation_in_50_digits

writes pairproof/validation/papers/annotation/annotation_50_digits.json anew and takes some minutes. Nothing of
pairproof's models is used but the place where to begin. The restricted likelihood is that of Henderson's
equations written out densely; Newton steps in 70 digits, with second derivatives from differences in double
precision, gain 5 digits or more each. At the end the likelihood is compared with its definition, a dense
covariance matrix of all scores.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import matrix, mp, mpf

import pairproof.validation.papers.annotation as paper

FOLDER = Path(paper.__file__).parent
TARGET = FOLDER / "annotation_50_digits.json"
#: Digits that are carried, and that are written.
DIGITS, WRITTEN = 70, 50
#: Data set and model -> random effects: columns, joined by ":".
MODELS: dict[tuple[str, str], tuple[str, ...]] = {
    ("cases", "location"): ("item", "annotator"),
    ("cases", "precision"): ("item", "annotator"),
    ("cases", "systems-without"): ("source", "item", "annotator"),
    ("cases", "systems-with"): ("source", "item", "annotator", "annotator:system"),
    ("unbalanced", "location"): ("item", "annotator"),
    ("unbalanced", "precision"): ("item", "annotator"),
    # annotator:system has variance 0 there, and annotator in the other: they leave the model.
    ("unbalanced", "systems-with"): ("source", "item", "annotator"),
    ("boundary", "location"): ("item",),
}


def rows(data: str) -> list[dict[str, str]]:
    """The scores of a data set; of "cases" those of kind item."""
    with open(FOLDER / f"annotation_{data}.csv", encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    return [row for row in found if row.get("kind", "item") == "item"]


def codes(table: Sequence[dict[str, str]], column: str) -> list[int]:
    labels = [":".join(row[name] for name in column.split(":")) for row in table]
    place = {label: k for k, label in enumerate(sorted(set(labels)))}
    return [place[label] for label in labels]


class Mixed:
    """y = X b + sum Z_k u_k + e, with a residual variance for each group."""

    def __init__(
        self, y: list[Any], effects: list[list[int]], fixed: list[list[int]], group: list[int]
    ) -> None:
        self.y, self.effects, self.group = y, effects, group
        self.sizes = [max(e) + 1 for e in effects]
        self.n_groups, self.p = max(group) + 1, max(max(f) for f in fixed) + 1
        begin = np.cumsum([0, *self.sizes]).tolist()
        self.begin, self.q = begin, begin[-1] + self.p
        # Every row has a 1 in these columns and 0 elsewhere.
        self.ones = [
            [b + e[i] for b, e in zip(begin, effects)] + [begin[-1] + c for c in fixed[i]]
            for i in range(len(y))
        ]

    def at(self, variances: Sequence[Any], exact: bool = True) -> dict[str, Any]:
        """Gradient in the variances, and all that is reported; in mpmath or in double precision."""
        tau, sigma = variances[: len(self.sizes)], variances[len(self.sizes) :]
        zero = mpf(0) if exact else 0.0
        c = [[zero] * self.q for _ in range(self.q)]
        right = [zero] * self.q
        for ones, g, value in zip(self.ones, self.group, self.y):
            w = 1 / sigma[g]
            for a in ones:
                right[a] += w * value
                for b in ones:
                    c[a][b] += w
        for k, size in enumerate(self.sizes):
            for a in range(self.begin[k], self.begin[k] + size):
                c[a][a] += 1 / tau[k]
        if exact:
            inverse, log_det = _inverse(c)
        else:
            array = np.array(c, float)
            inverse, log_det = np.linalg.inv(array).tolist(), float(np.linalg.slogdet(array)[1])
        u = [sum((inverse[a][b] * right[b] for b in range(self.q)), zero) for a in range(self.q)]
        residual = [value - sum((u[a] for a in ones), zero) for value, ones in zip(self.y, self.ones)]
        log = mp.log if exact else np.log
        log_v, squares, gradient = log_det, zero, []
        for k, size in enumerate(self.sizes):
            own = range(self.begin[k], self.begin[k] + size)
            uu, trace = sum((u[a] ** 2 for a in own), zero), sum((inverse[a][a] for a in own), zero)
            log_v, squares = log_v + size * log(tau[k]), squares + uu / tau[k]
            gradient.append(-(size / tau[k] - (trace + uu) / tau[k] ** 2) / 2)
        for g in range(self.n_groups):
            total = zero
            for i, ones in enumerate(self.ones):
                if self.group[i] == g:
                    leverage = sum((inverse[a][b] for a in ones for b in ones), zero)
                    total += 1 / sigma[g] - (leverage + residual[i] ** 2) / sigma[g] ** 2
                    log_v, squares = log_v + log(sigma[g]), squares + residual[i] ** 2 / sigma[g]
            gradient.append(-total / 2)
        pi = mp.pi if exact else np.pi
        loglik = -((len(self.y) - self.p) * log(2 * pi) + log_v + squares) / 2
        return {"gradient": gradient, "u": u, "inverse": inverse, "loglik": loglik}

    def by_definition(self, variances: Sequence[Any]) -> Any:
        """-1/2 [(n - p) log 2 pi + log|V| + log|X'V^-1 X| + r'V^-1 r], V of all scores."""
        n, k = len(self.y), len(self.sizes)
        v = matrix(n, n)
        for i in range(n):
            for j in range(i + 1):
                v[i, j] = v[j, i] = sum(
                    (variances[m] for m in range(k) if self.effects[m][i] == self.effects[m][j]), mpf(0)
                )
            v[i, i] += variances[k + self.group[i]]
        half = mp.cholesky(v)
        x = matrix(n, self.p + 1)
        for i, ones in enumerate(self.ones):
            for a in ones[k:]:
                x[i, a - self.begin[-1]] = 1
            x[i, self.p] = self.y[i]
        for i in range(n):  # L^-1 (X, y)
            for c in range(self.p + 1):
                x[i, c] = (x[i, c] - mp.fsum(half[i, j] * x[j, c] for j in range(i))) / half[i, i]
        cross = x.T * x
        top = cross[: self.p, : self.p]
        b = mp.lu_solve(top, cross[: self.p, self.p])
        rss = cross[self.p, self.p] - mp.fsum(cross[j, self.p] * b[j] for j in range(self.p))
        log_v = 2 * mp.fsum(mp.log(half[i, i]) for i in range(n)) + mp.log(mp.det(top))
        return -((n - self.p) * mp.log(2 * mp.pi) + log_v + rss) / 2


def _inverse(c: list[list[Any]]) -> tuple[list[list[Any]], Any]:
    """Inverse and log determinant of a positive definite matrix, by Gauss and Jordan without pivots."""
    n = len(c)
    a = [list(row) for row in c]
    log_det = mpf(0)
    for k in range(n):
        pivot = a[k][k]
        log_det += mp.log(pivot)
        row = a[k]
        a[k] = [v / pivot for v in row]
        a[k][k] = 1 / pivot
        for i in range(n):
            if i != k and a[i][k] != 0:
                f, own, lead = a[i][k], a[i], a[k]
                a[i] = [own[j] - f * lead[j] if j != k else -f / pivot for j in range(n)]
    return a, log_det


def maximum(gradient: Callable[[list[Any], bool], list[Any]], start: Sequence[float]) -> list[Any]:
    """Where the gradient is 0: Newton steps in the logs of the parameters, to 55 digits."""
    x0 = np.log(np.array(start, float))
    jacobian = np.empty((len(x0), len(x0)))
    for j in range(len(x0)):
        ends = []
        for step in (1e-4, -1e-4):
            moved = x0.copy()
            moved[j] += step
            v = np.exp(moved)
            ends.append(v * np.array(gradient(v.tolist(), False), float))
        jacobian[:, j] = (ends[0] - ends[1]) / 2e-4
    inverse = np.linalg.inv(jacobian)
    x = [mp.log(mpf(v)) for v in start]
    for _ in range(30):
        values = [mp.exp(v) for v in x]
        slope = [g * v for g, v in zip(gradient(values, True), values)]
        step = [sum(mpf(inverse[i, j]) * slope[j] for j in range(len(x))) for i in range(len(x))]
        x = [v - s for v, s in zip(x, step)]
        if max(abs(s) for s in step) < mpf(10) ** -56:
            return [mp.exp(v) for v in x]
    raise RuntimeError("no maximum")


def certified(data: str, model: str, effects: Sequence[str]) -> dict[str, str]:
    """The numbers of a model of a data set, by the names of the paper's `numbers`."""
    from pairproof.native.annotation.scores.mixed_model import mixed_model

    table = rows(data)
    y = [mpf(row["score"]) / 100 for row in table]
    labels = [codes(table, effect) for effect in effects]
    by_system = model.startswith("systems")
    fixed = [[c] for c in codes(table, "system")] if by_system else [[0] for _ in table]
    group = codes(table, "annotator") if model == "precision" else [0] * len(table)
    mixed = Mixed(y, labels, fixed, group)
    x = np.array([[c[0] == k for k in range(mixed.p)] for c in fixed], float)
    begin = mixed_model([float(v) for v in y], labels, x, group)
    start = [*begin.variances.tolist(), *begin.residual.tolist()]
    best = maximum(lambda v, exact: mixed.at(v, exact)["gradient"], start)
    found = mixed.at(best)
    assert abs(found["loglik"] - mixed.by_definition(best)) < mpf(10) ** -55
    q, out = mixed.begin[-1], {"llf": found["loglik"]}
    for name, value in zip(effects, best):
        out[f"score.variance.{name}"] = value
    for g, value in enumerate(best[len(effects) :]):
        name = f"noise.{sorted({row['annotator'] for row in table})[g]}" if model == "precision" else ""
        out[f"score.{name}" if name else "score.variance.residual"] = mp.sqrt(value) if name else value
    names = sorted({row["system"] for row in table}) if by_system else ["mean"]
    for k, name in enumerate(names):
        out[f"estimate.{name}"] = found["u"][q + k]
        out[f"se.{name}"] = mp.sqrt(found["inverse"][q + k][q + k])
    for effect, first in zip(effects, mixed.begin):
        if not by_system:
            for k, name in enumerate(sorted({row[effect] for row in table})):
                out[f"score.{effect}.{name}"] = found["u"][first + k]
    return {name: mp.nstr(value, WRITTEN) for name, value in out.items()}


def main() -> None:
    mp.dps = DIGITS
    document = {f"{data}, {model}": certified(data, model, e) for (data, model), e in MODELS.items()}
    TARGET.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
