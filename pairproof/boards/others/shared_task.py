"""Systems of a shared task by Expected Wins or TrueSkill: scores, limits, rank ranges and clusters of a bootstrap.

As WMT ranks its systems (Bojar et al. 2013 to 2016; Hopkins and May 2013; Sakaguchi, Post and Van Durme 2014): judgments are drawn
with replacement, each draw is scored and ranked, and the rank range of a system is what is left of its ranks without the share
(1 - level) / 2 at either end.  A cluster ends where no range above reaches a range below.  Ranges are of each system by itself:
that two clusters stand in this order at once has no level of its own, as ``fit.ranks()`` has.

Judgments of one judge go together; drawn by judge, as not at WMT, ranges allow for that.  Every language pair is by itself.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.sparse import csr_matrix
from scipy.special import log_ndtr, ndtr

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import split_tracks
from ...data.options import one_of, whole_number
from ...errors import InputError
from ...native.annotation.beta import EPSILON, GAMMA
from ...native.annotation.trueskill import START_MEAN, START_VARIANCE
from ...numerics.arrays import FloatArray, IntArray

#: Judgments of all draws that are held at a time.
_AT_ONCE = 10_000_000


def shared_task(
    table: Comparisons,
    score: Literal["expected-wins", "trueskill"] = "expected-wins",
    *,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    by_judge: bool = False,
) -> pd.DataFrame:
    """Systems, best first, with bootstrap limits, rank ranges and clusters, every track by itself.

    Parameters
    ----------
    table : Comparisons
        Of one or several tracks: the columns `track`, or `srclang` and `trglang`.
    score : {"expected-wins", "trueskill"}
        Of decided comparisons, or with ties; TrueSkill goes through each draw in random order.
    replicates : int
        39 at least.
    level : float
        Of limits and rank ranges, in (0, 1).
    seed : int
    by_judge : bool
        Whether judges are drawn with all of their judgments.

    Returns
    -------
    DataFrame
        track, system, score (of the table; of TrueSkill the mean of the draws), low, high, rank_low, rank_high, cluster.

    Raises
    ------
    InputError
        Fractional counts, no judges to draw, other options.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.shared_task import shared_task
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [60, 55, 80], [9, 8, 9], [40, 54, 13])
    >>> shared_task(table).round(3)[["system", "score", "rank_low", "rank_high", "cluster"]].values.tolist()
    [['A', 0.73, 1, 1, 1], ['B', 0.452, 2, 2, 2], ['C', 0.318, 3, 3, 3]]
    """
    one_of("score", score, ("expected-wins", "trueskill"))
    if whole_number("replicates", replicates, 1) < 39 or not 0.0 < level < 1.0:
        raise InputError(
            f"replicates={replicates}, level={level}; expected at least 39 draws and a level between 0 and 1"
        )
    found = []
    for track, part in split_tracks(table).items():
        scores, whole = _drawn(part, score, replicates, np.random.default_rng(seed), by_judge)
        cut, order = int(replicates * (1.0 - level) / 2.0), np.sort(-scores, axis=1)
        best, worst = (  # of systems with equal scores: each may have the ranks of all of them
            np.sort([np.searchsorted(row, -of, side) for row, of in zip(order, scores)], axis=0)
            for side in ("left", "right")
        )
        ranks = best[cut] + 1, worst[replicates - 1 - cut]
        low, high = np.quantile(scores, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
        by = np.lexsort((-whole, ranks[1], ranks[0]))
        starts = np.r_[True, ranks[0][by][1:] > np.maximum.accumulate(ranks[1][by])[:-1]]
        columns = {"score": whole, "low": low, "high": high, "rank_low": ranks[0], "rank_high": ranks[1]}
        frame = pd.DataFrame({"track": track, "system": part.items, **columns}).iloc[by]
        frame = frame.assign(cluster=np.cumsum(starts))
        found.append(frame.sort_values(["cluster", "score"], ascending=[True, False]))
    return pd.concat(found, ignore_index=True)


def _drawn(
    table: Comparisons, score: str, replicates: int, rng: Generator, by_judge: bool
) -> tuple[FloatArray, FloatArray]:
    """Scores of each draw, float[replicates, n_items], and of the whole table."""
    n, counts = len(table.items), np.stack([table.wins, table.ties, table.losses])
    if (counts != np.floor(counts)).any():
        raise InputError(f"{table.source}: counts are fractional, but judgments are drawn one by one")
    outcome, row = np.nonzero(counts)
    cell, size = (outcome * n + table.first[row]) * n + table.second[row], counts[outcome, row]
    whole = np.bincount(cell, size, 3 * n * n)
    if by_judge:
        judges = table.columns.get("judge")
        if not isinstance(judges, Factor) or (judges.codes < 0).any():
            raise InputError(f"by_judge=True: {table.source} has no column judge with a name in every row")
        each = csr_matrix((size, (judges.codes[row], cell)), shape=(len(judges.levels), len(whole)))
        each = each[np.unique(judges.codes[row])]
        g = each.shape[0]
        drawn = np.asarray((each.T @ rng.multinomial(g, np.full(g, 1.0 / g), replicates).T).T)
    else:
        drawn = rng.multinomial(int(whole.sum()), whole / whole.sum(), replicates)
    if score == "expected-wins":
        return _expected_wins(drawn, n), _expected_wins(whole[None], n)[0]
    step = max(1, int(_AT_ONCE / whole.sum()))
    found = np.concatenate([_trueskill(drawn[k : k + step], n, rng) for k in range(0, replicates, step)])
    return found, np.asarray(found.mean(axis=0))


def _expected_wins(counts: Any, n: int) -> FloatArray:
    """float[m, n] of counts float[m, 3 n^2]: as :func:`...ranking_rules.expected_wins`; 0 of a system without a decided comparison."""
    win, _, loss = np.moveaxis(np.asarray(counts, float).reshape(-1, 3, n, n), 1, 0)
    won = win + loss.transpose(0, 2, 1)
    met = won + won.transpose(0, 2, 1)
    share = np.divide(won, met, out=np.zeros_like(won), where=met > 0.0)
    return np.asarray(share.sum(axis=2) / np.maximum((met > 0.0).sum(axis=2), 1))


def _trueskill(counts: Any, n: int, rng: Generator) -> FloatArray:
    """Means, float[m, n], after the judgments of each draw in random order, all draws at a time."""
    size = counts.sum(axis=1).astype(int)
    order = np.full((len(counts), size.max()), -1, np.int64)
    for k, draw in enumerate(counts):
        order[k, : size[k]] = rng.permutation(np.repeat(np.arange(len(draw)), draw.astype(int)))
    mean, variance = np.full((len(counts), n), START_MEAN), np.full((len(counts), n), START_VARIANCE)
    for column in order.T:
        at = np.flatnonzero(column >= 0)
        outcome, pair = np.divmod(column[at], n * n)
        i, j = np.divmod(pair, n)
        i, j = np.where(outcome == 2, j, i), np.where(outcome == 2, i, j)
        c2 = 2.0 * GAMMA**2 + variance[at, i] + variance[at, j]
        c = np.sqrt(c2)
        v, w = factors((mean[at, i] - mean[at, j]) / c, EPSILON / c, outcome == 1)
        for item, sign in ((i, 1.0), (j, -1.0)):
            mean[at, item] += sign * variance[at, item] / c * v
            variance[at, item] *= 1.0 - variance[at, item] / c2 * w
    return mean


def factors(t: FloatArray, e: FloatArray, tied: IntArray) -> tuple[FloatArray, FloatArray]:
    """v and w of :mod:`pairproof.native.annotation.trueskill` for arrays, to ten digits."""
    x, a = t - e, np.abs(t)
    v = np.exp(-0.5 * x * x - 0.5 * np.log(2.0 * np.pi) - log_ndtr(x))
    w = v * (v + x)
    low, high = (np.exp(-0.5 * y * y) / np.sqrt(2.0 * np.pi) for y in (-e - a, e - a))
    held = ndtr(e - a) - ndtr(-e - a)
    v_tie = (high - low) / held
    w_tie = v_tie**2 + ((e - a) * high + (e + a) * low) / held
    return np.where(tied, -np.sign(t) * v_tie, v), np.where(tied, w_tie, w)
