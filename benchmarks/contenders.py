"""Contenders that several comparisons time: pairproof's fits and its Python peers.

A function takes the data and returns what is to be timed.  A peer that is not installed raises Absent and is
shown as not here, never as a number.  choix 0.4 and evalica 0.4 give no standard errors, arena-rank 0.1 intervals of
centred ratings; they are called as their documentation says.  R's contenders are in harness/serve.R.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

from .harness.data import Data, FloatArray
from .harness.job import Absent, Answer, Prepare, Ready

NOTHING = np.zeros(0)

# -- pairproof -----------------------------------------------------------------------------------------------


def table_of(data: Data) -> Comparisons:
    columns: dict[str, Any] = {}
    stratum = data.stratum.astype(int) - 1
    if data.covariate == "numeric":
        columns["x"] = data.x[stratum]
    elif data.covariate == "factor":
        columns["judge"] = Factor(stratum, tuple(str(s + 1) for s in range(len(data.x))))
    return Comparisons.build(
        data.items,
        data.first.astype(int) - 1,
        data.second.astype(int) - 1,
        data.wins,
        data.ties if data.tie_category else None,
        data.losses,
        columns=columns,
    )


def answer_of(fit: Any) -> Answer:
    free = ~fit.is_reference
    return Answer(fit.beta[free], fit.standard_errors[free])


def with_standard_errors(fit: Any) -> Any:
    """They are worked out when first asked for; here they are always asked for."""
    if not np.isfinite(fit.standard_errors[~fit.is_reference]).all():
        raise ValueError(f"not everything is estimable: {fit.warnings}")
    return fit


def fitted(fit: Callable[..., Any], standard_errors: bool = True) -> Prepare:
    """A fit by `fit_llbt` or `fit_bradley_terry`, by judge or by a numeric covariate if the data have one."""

    def prepare(data: Data) -> Ready:
        table = table_of(data)
        by = {"none": "", "numeric": "x", "factor": "judge"}[data.covariate]
        if standard_errors:
            return Ready(lambda: with_standard_errors(fit(table, by=by)), answer_of)
        return Ready(lambda: fit(table, by=by), answer_of)

    return prepare


llbt, llbt_without_se = fitted(pairproof.fit_llbt), fitted(pairproof.fit_llbt, False)
bradley_terry, bradley_terry_without_se = (
    fitted(pairproof.fit_bradley_terry),
    fitted(pairproof.fit_bradley_terry, False),
)

# -- peers ---------------------------------------------------------------------------------------------------


def need(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise Absent(f"{package} is not installed") from error


def _cells(data: Data) -> tuple[Any, Any, Any]:
    """Items from 0, and the number of the pair and stratum of each row."""
    return data.first.astype(int) - 1, data.second.astype(int) - 1, np.arange(len(data.first))


def statsmodels_poisson(data: Data) -> Ready:
    """GLM with a column for every nuisance parameter, one per pair: the textbook way to an LLBT with ties."""
    sm = need("statsmodels.api")
    i, j, cell = _cells(data)
    n, n_cells = data.n_items, len(cell)
    x = np.zeros((n_cells, 3, n + n_cells))
    for row, sign in ((0, 1.0), (2, -1.0)):
        x[cell, row, i] += sign
        x[cell, row, j] -= sign
    x[:, :, n - 1] = (0.0, 1.0, 0.0)  # the reference's column is the tie parameter's
    x[cell, :, n + cell] = 1.0
    y = np.stack([data.wins, data.ties, data.losses], axis=1).ravel()
    model = x.reshape(3 * n_cells, -1)
    return Ready(
        lambda: sm.GLM(y, model, family=sm.families.Poisson()).fit(),
        lambda fit: Answer(fit.params[:n], fit.bse[:n]),
    )


def statsmodels_binomial(data: Data) -> Ready:
    """GLM of wins and losses; the reference is the first item."""
    sm = need("statsmodels.api")
    i, j, cell = _cells(data)
    x = np.zeros((len(cell), data.n_items))
    x[cell, i], x[cell, j] = 1.0, -1.0
    y = np.stack([data.wins, data.losses], axis=1)
    return Ready(
        lambda: sm.GLM(y, x[:, 1:], family=sm.families.Binomial()).fit(),
        lambda fit: Answer(fit.params, fit.bse),
    )


def choix_dense(data: Data) -> Ready:
    choix = need("choix")
    i, j, _ = _cells(data)
    wins = np.zeros((data.n_items, data.n_items))
    np.add.at(wins, (i, j), data.wins)
    np.add.at(wins, (j, i), data.losses)
    return Ready(
        lambda: choix.ilsr_pairwise_dense(wins),
        lambda log_odds: Answer((log_odds - log_odds[0])[1:], NOTHING),
    )


def arena_rank(data: Data) -> Ready:
    """Ratings with their intervals, of pairs with counts, as its own reader of rows makes them."""
    data_utils, model = need("arena_rank.utils.data_utils"), need("arena_rank.models.bradley_terry")
    i, j, _ = _cells(data)
    counts = np.concatenate([data.wins, data.losses])
    kept = counts > 0
    dataset = data_utils.PairDataset(
        competitors=data.items,
        pairs=np.tile(np.stack([i, j], axis=1), (2, 1))[kept],
        outcomes=np.repeat([1.0, 0.0], len(i))[kept],
        counts=counts[kept],
        weights=np.ones(kept.sum()),
        opt_weights=counts[kept],
    )

    def answer(found: Any) -> Answer:
        log_odds = np.asarray(found["ratings"]) * np.log(10.0) / 400.0
        return Answer((log_odds - log_odds[0])[1:], NOTHING)

    return Ready(lambda: model.BradleyTerry(data.n_items).compute_ratings_and_cis(dataset), answer)


def evalica_bradley_terry(data: Data) -> Ready:
    evalica = need("evalica")
    votes = _evalica_votes(data, evalica)
    return Ready(lambda: evalica.bradley_terry(**votes), lambda r: Answer(_logs(r.scores, data, 0), NOTHING))


def evalica_newman(data: Data) -> Ready:
    """Newman's iteration has Davidson's tie parameter as 2 v."""
    evalica = need("evalica")
    votes = _evalica_votes(data, evalica)

    def answer(result: Any) -> Answer:
        items = 0.5 * _logs(result.scores, data, data.n_items - 1)
        return Answer(np.append(items, np.log(2.0 * result.v)), NOTHING)

    return Ready(lambda: evalica.newman(**votes), answer)


def _evalica_votes(data: Data, evalica: Any) -> dict[str, Any]:
    """A weighted vote for each outcome of each pair; evalica's own index, so that the labels stay in our
    order.
    """
    names = np.array(data.items, dtype=object)
    i, j, _ = _cells(data)
    outcomes = [
        (evalica.Winner.X, data.wins),
        (evalica.Winner.Draw, data.ties),
        (evalica.Winner.Y, data.losses),
    ]
    kept = [(winner, count) for winner, count in outcomes if count.any()]
    return {
        "xs": list(names[i]) * len(kept),
        "ys": list(names[j]) * len(kept),
        "winners": [winner for winner, count in kept for _ in count],
        "weights": np.concatenate([count for _, count in kept]).tolist(),
    }


def _logs(scores: Any, data: Data, reference: int) -> FloatArray:
    logs = np.log(scores.reindex(data.items).to_numpy())
    found: FloatArray = np.delete(logs - logs[reference], reference)
    return found
