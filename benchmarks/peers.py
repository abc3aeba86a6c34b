"""Python peers.  A package that is not installed raises Absent and is shown as not here, never as a number.

choix 0.4 and evalica 0.4 give no standard errors; they are called as their documentation says.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .contender import Absent, Answer, Prepare, Ready
from .data import Data, FloatArray
from .ours import frame_of, in_csv

NOTHING = np.zeros(0)


def _need(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise Absent(f"{package} is not installed") from error


def _cells(data: Data) -> tuple[Any, Any, Any]:
    """Items from 0, and the number of the pair and stratum of each row."""
    return data.first.astype(int) - 1, data.second.astype(int) - 1, np.arange(len(data.first))


def statsmodels_poisson(data: Data) -> Ready:
    """GLM with a column for every nuisance parameter, one per pair: the textbook way to an LLBT with ties."""
    sm = _need("statsmodels.api")
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
    sm = _need("statsmodels.api")
    i, j, cell = _cells(data)
    x = np.zeros((len(cell), data.n_items))
    x[cell, i], x[cell, j] = 1.0, -1.0
    y = np.stack([data.wins, data.losses], axis=1)
    return Ready(
        lambda: sm.GLM(y, x[:, 1:], family=sm.families.Binomial()).fit(),
        lambda fit: Answer(fit.params, fit.bse),
    )


def choix_dense(data: Data) -> Ready:
    choix = _need("choix")
    i, j, _ = _cells(data)
    wins = np.zeros((data.n_items, data.n_items))
    np.add.at(wins, (i, j), data.wins)
    np.add.at(wins, (j, i), data.losses)
    return Ready(
        lambda: choix.ilsr_pairwise_dense(wins),
        lambda log_odds: Answer((log_odds - log_odds[0])[1:], NOTHING),
    )


def evalica_bradley_terry(data: Data) -> Ready:
    evalica = _need("evalica")
    votes = _evalica_votes(data, evalica)
    return Ready(lambda: evalica.bradley_terry(**votes), lambda r: Answer(_logs(r.scores, data, 0), NOTHING))


def evalica_newman(data: Data) -> Ready:
    """Newman's iteration has Davidson's tie parameter as 2 v."""
    evalica = _need("evalica")
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


def pandas_count(data: Data) -> Ready:
    """Yardstick: counting the rows and no fit."""
    frame = frame_of(data)
    return Ready(lambda: frame.groupby(["first", "second", "outcome"], sort=False).size(), _no_answer)


def pandas_read_csv(data: Data) -> Ready:
    """Yardstick: reading the file and nothing else."""
    import pandas as pd

    path = in_csv(data)
    return Ready(lambda: pd.read_csv(path), _no_answer)


def _no_answer(_: Any) -> Answer:
    return Answer(NOTHING, NOTHING)


CONTENDERS: dict[str, Prepare] = {
    "statsmodels GLM Poisson": statsmodels_poisson,
    "statsmodels GLM Binomial": statsmodels_binomial,
    "choix ilsr_pairwise_dense": choix_dense,
    "evalica bradley_terry": evalica_bradley_terry,
    "evalica newman": evalica_newman,
    "pandas groupby.size alone": pandas_count,
    "pandas read_csv alone": pandas_read_csv,
}
