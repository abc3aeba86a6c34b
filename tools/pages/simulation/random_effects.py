"""Players with random effects: how often intervals of b, of sigma and of predictions hold the truth.

Fits are `fit_bradley_terry(table, item_terms=["x"], random="item")`.  Predictions are of 10 contests of each table, and
of 10 contests of a player of the table against one that was not seen, whose covariate is known and whose effect is
drawn: by `pairproof.predict` over the posterior of sigma, as it does by itself, and with sigma taken as known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
from scipy.special import expit, ndtri

import pairproof
from pairproof.errors import ConvergenceError, NotEstimableError
from pairproof.fit.fit import Fit

from .contests import Contests, Drawn, drawn
from .tally import counted, line

Z = float(ndtri(0.975))
#: Predictions of each kind and table.
PREDICTED = 10
#: Tables whose estimates are kept, for a test.
KEPT = 4


def designs() -> Iterator[Contests]:
    """The lizards' shape (77 players, 100 contests), and 40 players with more contests or larger effects."""
    yield Contests("77 players, 100 contests, sigma 1.1", 77, 100, sigma=1.1)
    yield Contests("40 players, 100 contests, sigma 2", 40, 100, sigma=2.0)
    yield Contests("40 players, 400 contests, sigma 1", 40, 400, sigma=1.0)
    yield Contests("40 players, 400 contests, sigma 0.3", 40, 400, sigma=0.3)


def fitted(table: pairproof.Comparisons, method: Any) -> Fit:
    """With random effects of the players."""
    fit = pairproof.fit_bradley_terry(table, item_terms=["x"], random="item", method=method)
    return fit


def of_table(design: Contests, k: int) -> tuple[dict[str, float], list[float]]:
    """Method -> share that held the truth in table k; and the four estimates that are kept."""
    rng = design.rng(k)
    data = drawn(design, rng)
    laplace, pql = fitted(data.table, "laplace"), fitted(data.table, "pql")
    out: dict[str, float] = {}
    for name, fit in (("Laplace", laplace), ("PQL", pql)):
        b = float(fit.params["x"])
        out[f"{name}, b"] = float(abs(b - design.covariate) <= Z * fit.standard_errors[0])
        out[f"{name}, mean b"], out[f"{name}, mean sigma"] = b, fit.sigma
    out["sigma 0"] = float(laplace.sigma == 0.0)
    out["bounded below only"] = float(laplace.sigma > 0.0 and np.isnan(laplace.sigma_se))
    if np.isfinite(laplace.sigma_se):
        half = Z * laplace.sigma_se / laplace.sigma
        out["Laplace, log sigma"] = float(abs(np.log(laplace.sigma / design.sigma)) <= half)
    if np.isfinite(pql.sigma_se):
        out["PQL, sigma"] = float(abs(pql.sigma - design.sigma) <= Z * pql.sigma_se)
    limits = pairproof.profile(laplace).loc[["x", "sigma"], ["profile_low", "profile_high"]].to_numpy()
    for name, (low, high), true in zip(("b", "sigma"), limits, (design.covariate, design.sigma)):
        out[f"profile, {name}"] = float(low <= true <= high)
    out.update(predictions(design, data, laplace, rng))
    return out, [float(v) for fit in (laplace, pql) for v in (fit.params["x"], fit.sigma)]


def predictions(design: Contests, data: Drawn, fit: Fit, rng: np.random.Generator) -> dict[str, float]:
    """Shares of intervals of the linear predictor that hold it."""
    table, m = data.table, PREDICTED
    old = np.floor(design.players * rng.random(m)).astype(np.int64)
    x = rng.standard_normal(m)
    ability = design.covariate * x + design.sigma * rng.standard_normal(m)
    known = data.ability[table.first[:m]] - data.ability[table.second[:m]]
    true = np.concatenate([known, ability - data.ability[old]])
    names = [f"new {j + 1}" for j in range(m)]
    contests = {
        "first": [*(table.items[i] for i in table.first[:m]), *names],
        "second": [table.items[j] for j in (*table.second[:m], *old)],
    }
    new = {name: {"x": float(v)} for name, v in zip(names, x)}
    p = expit(true)
    out = {}
    how: tuple[tuple[str, Literal["known", "uncertain"]], ...]
    how = (("sigma known", "known"), ("posterior", "uncertain"))
    for words, sigma in how:
        said = pairproof.predict(fit, contests, item_data=new, sigma=sigma)
        held = ((said["low"] <= p) & (p <= said["high"])).to_numpy()
        out[f"known pair, {words}"] = float(held[:m].mean())
        out[f"new player, {words}"] = float(held[m:].mean())
    return out


def simulated(design: Contests, tables: int) -> dict[str, Any]:
    """A line of the record; estimates of b and sigma by Laplace, then by PQL, of the first tables are kept."""
    estimates = []

    def values(k: int) -> dict[str, float]:
        found, four = of_table(design, k)
        estimates.append(four)
        return found

    tally, left = counted(range(tables), values, NotEstimableError, ConvergenceError)
    medians = np.median(np.array(estimates), axis=0)
    return line(
        design.name,
        asdict(design),
        tally,
        left_out=left,
        medians=dict(zip(("Laplace b", "Laplace sigma", "PQL b", "PQL sigma"), medians.round(4).tolist())),
        estimates=np.round(estimates[:KEPT], 8).tolist(),
    )
