"""Clustering done the long way: likelihoods of single rows, and T_g, P and their roots as dense matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import cauchy, norm

import pairproof
from pairproof.data.columns import Factor
from pairproof.fit.estimates.likelihood import outcome_probabilities
from pairproof.fit.estimates.predictions import abilities
from pairproof.fit.estimates.specification import LOG_WORTH_PER_UNIT
from pairproof.fit.fit import Fit
from pairproof.fit.robust.clustered_fit import Clusters
from pairproof.fit.robust.scores import RowScores, as_fitted, row_scores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def table(
    seed: int = 1, n: int = 160, n_items: int = 5, n_judges: int = 6, weights: bool = False
) -> pairproof.Comparisons:
    """Answers of judges of unlike size about items, half on neutral ground, with covariates of judges and items."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_items, n)
    second = (first + 1 + rng.integers(0, n_items - 1, n)) % n_items
    judge = np.minimum(rng.integers(0, n_judges, n), rng.integers(0, n_judges, n))
    ability = 0.5 * rng.normal(size=n_items)
    taste = 0.4 * rng.normal(size=(n_judges, n_items))
    u = ability[first] - ability[second] + taste[judge, first] - taste[judge, second]
    p = outcome_probabilities(u, np.full(n, -0.3), "davidson")
    outcome = (rng.random(n)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1)
    count = rng.integers(1, 4, n) * (0.5 if weights else 1.0)
    return pairproof.Comparisons.build(
        [f"i{k}" for k in range(n_items)],
        first,
        second,
        *(count * (outcome == k) for k in range(3)),
        columns={
            "judge": Factor(judge, tuple(str(k) for k in range(n_judges))),
            "source": Factor(rng.integers(0, 15, n), tuple(f"s{k}" for k in range(15))),
            "order": rng.integers(0, 2, n).astype(float),
            "age": rng.normal(size=n_judges)[judge],
            "sex": Factor(judge % 2, ("f", "m")),
        },
        item_data={"length": rng.normal(size=n_items)},
    )


#: Every kind of model that can be clustered.
FITS: dict[str, Callable[[pairproof.Comparisons], Fit]] = {
    "davidson with order": lambda t: pairproof.fit_llbt(t, ties="davidson", order_effect=True),
    "davidson on the log-odds scale": lambda t: pairproof.fit_bradley_terry(t, ties="davidson"),
    "items sum to zero": lambda t: pairproof.fit_llbt(t, ties="davidson", reference="sum"),
    "rao-kupper with order": lambda t: pairproof.fit_bradley_terry(t, ties="rao-kupper", order_effect=True),
    "ties dropped": lambda t: pairproof.fit_bradley_terry(t, ties="drop", order_effect=True),
    "ties as half wins": lambda t: pairproof.fit_bradley_terry(t, ties="half"),
    "tie parameter fixed at 0": lambda t: pairproof.fit_llbt(t, ties="none"),
    "slope": lambda t: pairproof.fit_llbt(t, ties="davidson", by="age"),
    "factor": lambda t: pairproof.fit_llbt(t, ties="davidson", by="sex", order_effect=True),
    "factor and tie by factor": lambda t: pairproof.fit_llbt(t, ties="davidson", by="sex + tie:sex"),
    "judge as factor": lambda t: pairproof.fit_llbt(t, ties="davidson", by="judge"),
    "item covariate": lambda t: pairproof.fit_llbt(t, ties="davidson", item_terms=["length"]),
    "item covariate and an item of its own": lambda t: pairproof.fit_llbt(
        t, ties="davidson", item_terms=["length"], separate=["i2"]
    ),
    "probit": lambda t: pairproof.fit_bradley_terry(t, ties="drop", link="probit", order_effect=True),
    "cauchit": lambda t: pairproof.fit_bradley_terry(t, ties="half", link="cauchit"),
    "offset and ties": lambda t: pairproof.fit_bradley_terry(
        t, ties="davidson", offset="age", order_effect=True
    ),
    "offset, a formula and a link": lambda t: pairproof.fit_bradley_terry(
        t, ties="drop", offset="age", formula="length", link="probit", order_effect=True
    ),
    "reduced bias": lambda t: pairproof.fit_bradley_terry(t, ties="davidson", reduce_bias="mean"),
}


def log_likelihoods(fit: Fit, beta: FloatArray) -> FloatArray:
    """float[n_rows]: of every row, from the definitions of the terms."""
    rows = as_fitted(fit)
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    order = rows.columns.get("order", np.ones(rows.n_rows))
    out = np.zeros(rows.n_rows)
    for r in range(rows.n_rows):
        group = {
            name: column.levels[column.codes[r]] if isinstance(column, Factor) else float(column[r])
            for name, column in rows.columns.items()
        }
        ability = abilities(fit, group, beta)
        value = np.array([term.multiplier(group) for term in fit.terms])
        of = {kind: np.array([term.kind == kind for term in fit.terms]) for kind in ("order", "tie")}
        eta = unit * (ability[rows.first[r]] - ability[rows.second[r]])
        eta += order[r] * float((beta * value)[of["order"]].sum())
        g = float((beta * value)[of["tie"]].sum())
        p = outcome_probabilities(np.array(eta), np.array(g), fit.outcome_model)
        if fit.contests is not None:
            eta += rows.columns[fit.of_contests.offset][r] if fit.of_contests.offset else 0.0
            p = outcome_probabilities(np.array(eta), np.array(g), fit.outcome_model)
            if fit.of_contests.link != "logit":
                win = {"probit": norm, "cauchit": cauchy}[fit.of_contests.link].cdf(eta)
                p = np.array([win, 0.0, 1.0 - win])
        counts = np.array([rows.wins[r], rows.ties[r], rows.losses[r]])
        out[r] = counts[counts > 0] @ np.log(p[counts > 0])
    return out


def by_row(rows: RowScores) -> tuple[FloatArray, FloatArray]:
    """Derivatives float[n_rows, 2] by log-odds and tie parameter, and minus the second ones, float[n_rows, 2, 2]."""
    score = [rows.weighted(rows.unit_score[:, k]) for k in range(2)]
    information = [rows.weighted(rows.unit_information[:, k]) for k in (0, 1, 1, 2)]
    return np.stack(score, axis=1), np.stack(information, axis=1).reshape(-1, 2, 2)


def dense(rows: RowScores, n_params: int) -> tuple[FloatArray, FloatArray]:
    """Scores float[n_rows, p] and information float[n_rows, p, p]."""
    design = np.stack([of.dense(rows.pattern, n_params) for of in (rows.x, rows.z)], axis=1)
    score, information = by_row(rows)
    score = np.einsum("rk,rkp->rp", score, design)
    return score, np.einsum("rkp,rkl,rlq->rpq", design, information, design)


class Brute:
    """Scores and information by cluster with explicit T_g, in coordinates in which the information is 1."""

    def __init__(self, rows: RowScores, codes: IntArray, bread: FloatArray) -> None:
        score, information = dense(rows, len(bread))
        n = int(codes.max()) + 1
        s = np.stack([score[codes == g].sum(axis=0) for g in range(n)])
        k = np.stack([information[codes == g].sum(axis=0) for g in range(n)])
        value, vector = np.linalg.eigh(bread)
        keep = value > 1e-12 * value[-1]
        self.root = vector[:, keep] * np.sqrt(value[keep])
        self.z = s @ self.root
        self.t = self.root.T @ k @ self.root
        self.inverse = np.stack([_inverse_root(t) for t in self.t])

    def covariance(self, kind: str) -> FloatArray:
        u = np.einsum("gab,gb->ga", self.inverse, self.z) if kind == "CR2" else self.z
        factor = len(u) / (len(u) - 1) if kind == "CR1" else 1.0
        return factor * self.root @ u.T @ u @ self.root.T

    def p_matrix(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """float[G, G]: P_ij[g, h] of two contrasts."""
        d, e = (self.inverse @ (self.root.T @ c) for c in (left, right))
        out = -np.einsum("ga,gab,hbc,hc->gh", d, self.t, self.t, e)
        return out + np.diag(np.einsum("ga,gab,gb->g", d, self.t, e))

    def satterthwaite(self, contrast: FloatArray) -> float:
        p = self.p_matrix(contrast, contrast)
        return float(np.trace(p) ** 2 / (p**2).sum())

    def joint_df(self, contrasts: FloatArray) -> float:
        bread = self.root @ self.root.T
        value, vector = np.linalg.eigh(contrasts @ bread @ contrasts.T)
        d = vector / np.sqrt(value) @ vector.T @ contrasts
        q, total = len(d), 0.0
        for i in range(q):
            for j in range(q):
                p, back = self.p_matrix(d[i], d[j]), self.p_matrix(d[j], d[i])
                total += (p * back).sum() + (self.p_matrix(d[i], d[i]) * self.p_matrix(d[j], d[j])).sum()
        return q * (q + 1) / total


def _inverse_root(t: FloatArray) -> FloatArray:
    value, vector = np.linalg.eigh(np.eye(len(t)) - t)
    keep = value > 1e-10
    return (vector[:, keep] / np.sqrt(value[keep])) @ vector[:, keep].T


def both(fit: Fit, column: str = "judge") -> tuple[Clusters, Brute]:
    """The package's clusters of a fit, and the long way, on the rows that say something."""
    rows = row_scores(fit)
    used = rows.telling
    factor = as_fitted(fit).columns[column]
    codes = pd.factorize(factor.codes[used])[0].astype(np.int64)
    bread = fit.covariance.between(np.eye(len(fit.beta)))
    return Clusters(rows.only(used), codes, bread), Brute(rows.only(used), codes, bread)
