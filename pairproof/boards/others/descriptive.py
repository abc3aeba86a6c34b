"""Columns that describe votes without a model, as evalica (0.4.2) defines them (Elo 1978; Page and others 1999).

With w_ij the wins of i over j, and half their ties::

    elo               r = 1000, and after each row r_a += k (y - 1 / (1 + 10^((r_b - r_a) / 400))), r_b -= the same
    counting          sum over j of w_ij
    average_win_rate  mean over the j that i met of w_ij / (w_ij + w_ji)
    pagerank          r = d P'r + (1 - d) / K,  P_ji = w_ij / sum over i of w_ij: who loses passes on to who won

All treat opponents otherwise than a model does (a win over the last counts as one over the first, but for pagerank), and none
has an error.  `eigen` is not here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...data.comparisons import Comparisons
from ...numerics.arrays import FloatArray

#: Why a column is left out.
EIGEN = "evalica's eigen is left out: its power iteration passes the winner's score to the loser, so it ranks losers first"
ELO = "Elo is left out: some rows count several votes, whose order is unknown"


def descriptive(votes: Comparisons, *, k: float = 4.0, damping: float = 0.85) -> pd.DataFrame:
    """Elo in the order of rows, counting, average win rate and PageRank.

    Parameters
    ----------
    votes : Comparisons
    k : float
        Points that an Elo rating moves at most after a vote.
    damping : float
        Of PageRank, in (0, 1).

    Returns
    -------
    DataFrame
        counting, average_win_rate, pagerank and, where each row is one vote, elo, by item; ``attrs["left_out"]`` says why others
        are not there.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.descriptive import descriptive
    >>> table = pairproof.read({"model_a": ["A", "B", "C"], "model_b": ["B", "C", "A"], "winner": ["model_a", "tie", "model_b"]})
    >>> descriptive(table).round(3).loc["A"].tolist()
    [2.0, 1.0, 0.481, 1003.988]
    """
    n = len(votes.items)
    won = np.zeros((n, n))
    np.add.at(won, (votes.first, votes.second), votes.wins + votes.ties / 2.0)
    np.add.at(won, (votes.second, votes.first), votes.losses + votes.ties / 2.0)
    met, lost = won + won.T > 0.0, won.sum(axis=0)
    share = np.divide(won, won + won.T, out=np.zeros_like(won), where=met)
    passed = np.where(lost > 0.0, won / np.where(lost > 0.0, lost, 1.0), 1.0 / n)
    columns = {
        "counting": won.sum(axis=1),
        "average_win_rate": share.sum(axis=1) / np.maximum(met.sum(axis=1), 1),
        "pagerank": np.linalg.solve(np.eye(n) - damping * passed, np.full(n, (1.0 - damping) / n)),
    }
    single = bool((votes.row_weights == 1.0).all())
    frame = pd.DataFrame(columns | ({"elo": _elo(votes, k)} if single else {}), index=list(votes.items))
    frame.attrs["left_out"] = (EIGEN,) if single else (EIGEN, ELO)
    return frame


def _elo(votes: Comparisons, k: float) -> FloatArray:
    r = [1000.0] * len(votes.items)
    for a, b, y in zip(votes.first.tolist(), votes.second.tolist(), (votes.wins + votes.ties / 2.0).tolist()):
        gain = k * (y - 1.0 / (1.0 + 10.0 ** ((r[b] - r[a]) / 400.0)))
        r[a] += gain
        r[b] -= gain
    return np.array(r)
