"""What each method makes of a replication: ratings with 95 % limits, in Elo points about a mean of 1000, and ranks.

arena-rank and FastChat are by formula, so that 200 replications take minutes; `python -m benchmarks.boards` runs the
packages themselves beside the first replications and keeps the largest difference.  With x_v = +1, -1 of the two models
(and the standardised feature), y = 1, 1/2, 0, weights w of mean 1 and mean loss over n votes::

    arena-rank   V = (H + e)^-1 G (H + e)^-1 / n,  H = mean w p(1-p) xx',  G = mean (w (y - p))^2 xx' - r^2 cc'/n,  e = 1e-5
    FastChat     the quantiles .025 and .975 of 100 multinomial draws; its rank (UB) is 1 + #{j : low_j > high_i}
    evalica      its own `bradley_terry`, of 100 multinomial draws, percentiles

r is arena-rank's `reg`, of which the style effects c have r |c|^2 / 2 in the mean loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from pairproof.fit.fit import Fit
from pairproof.fit.many.abilities import abilities_of
from pairproof.fit.many.ranks import rank_sets
from pairproof.numerics.arrays import FloatArray, IntArray

from .designs import POINTS, STYLE, Draw

#: Of arena-rank and FastChat; and normal draws for what a rank set must not exceed, with room for their
#: error (.035).
RIDGE, LEAST_OF_PAIR, STYLE_PENALTY, ROUNDS = 1e-5, 50, 0.5, 100
DRAWS, ROOM = 4_000, 0.1


@dataclass(frozen=True)
class Answer:
    """ratings, low, high float[n]: Elo.  effect: of a unit of log length, nan without style.  ranks_hold: whether all that
    is said of ranks is true, None where nothing is said.  sizes: the mean size of a rank set, nan where it was not needed.
    """

    rating: FloatArray
    low: FloatArray
    high: FloatArray
    effect: float = np.nan
    ranks_hold: bool | None = None
    sizes: float = np.nan


Method = Callable[[Draw, FloatArray, bool], Answer]


# -- pairproof -----------------------------------------------------------------------------------------------


def pairproof_board(
    draw: Draw, target: FloatArray, whole: bool, *, by: tuple[str, ...] = (), ties: str = "half", style: str = ""
) -> Answer:  # fmt: skip
    """What :func:`pairproof.leaderboard` has in its rows, made from the same parts.

    whole: rank sets are worked out even where it is certain without them that they hold.
    """
    fit = draw.fit(ties, style).clustered(*by)
    ratings = fit.on_scale("elo")
    assert list(ratings.items) == draw.names
    limits = ratings.conf_int().to_numpy()
    effect = float(fit.params[style]) if style else np.nan
    hold, sizes = _rank_sets_hold(fit, target, whole)
    return Answer(ratings.rating, limits[:, 0], limits[:, 1], effect, hold, sizes)


def ranks_of(target: FloatArray) -> IntArray:
    """int[n]: 1 + the number that are better."""
    return np.asarray(1 + (target[:, None] > target).sum(axis=0))


def _rank_sets_hold(fit: Fit, target: FloatArray, whole: bool) -> tuple[bool, float]:
    """Whether all rank sets hold the true ranks, and their mean size.

    The stepwise test never rejects a true statement as long as no t of one exceeds the critical value of all true
    statements together, which is at most that of any step.  Where it is clear of that the sets hold, and the 190 or 4,950
    degrees of freedom are not worked out; else, in one replication of twelve or so, the sets themselves are asked.
    """
    if not whole and _certain(fit, target):
        return True, np.nan
    sets, true = rank_sets(abilities_of(fit), with_best=False), ranks_of(target)
    return bool(((sets.low <= true) & (true <= sets.high)).all()), float((sets.high - sets.low + 1).mean())


def _certain(fit: Fit, target: FloatArray) -> bool:
    n = len(fit.items)
    worse, better = np.nonzero((target[:, None] <= target) & ~np.eye(n, dtype=bool))
    abilities = np.zeros((n, len(fit.beta)))
    abilities[:, [fit.names.index(item) for item in fit.items]] = np.eye(n)
    v = fit.covariance.between(abilities)
    assert fit.robust is not None
    se = fit.robust.standard_errors(abilities[worse] - abilities[better])
    b = abilities @ fit.beta
    value, vector = np.linalg.eigh(v)
    root = (vector * np.sqrt(np.maximum(value, 0.0))).astype(np.float32)
    points = root @ np.random.default_rng(0).standard_normal((n, DRAWS), np.float32)
    spread = np.sqrt(((root[worse] - root[better]) ** 2).sum(axis=1))
    largest = np.full(DRAWS, -np.inf, np.float32)
    for k in range(n):
        at = np.flatnonzero(worse == k)
        if len(at):
            np.maximum(
                largest, ((points[k] - points[better[at]]) / spread[at, None]).max(axis=0), out=largest
            )
    return bool(((b[worse] - b[better]) / se).max() < np.quantile(largest, 0.95) - ROOM)


# -- peers ---------------------------------------------------------------------------------------------------


def _of_pairs(draw: Draw, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """float[..., n, n]: the score of row against column, ties half, and the votes, of counts [..., m, 3]."""
    n = len(draw.names)
    score, votes = np.zeros((2, *counts.shape[:-2], n, n))
    i, j = draw.pairs.T
    score[..., i, j] = counts[..., 0] + counts[..., 1] / 2
    score[..., j, i] = counts[..., 2] + counts[..., 1] / 2
    votes[..., i, j] = votes[..., j, i] = counts.sum(axis=-1)
    return score, votes


def half_win_ratings(score: FloatArray, votes: FloatArray) -> FloatArray:
    """float[..., n]: log-odds of sum 0 that maximise the likelihood with half wins, by Newton's method."""
    n = score.shape[-1]
    b = np.zeros(score.shape[:-1])
    for _ in range(40):
        p = expit(b[..., :, None] - b[..., None, :])
        v = votes * p * (1.0 - p)
        information = np.eye(n) * v.sum(axis=-1)[..., None] - v + 1.0 / n
        step = np.linalg.solve(information, (score - votes * p).sum(axis=-1)[..., None])[..., 0]
        b += step
        if np.abs(step).max() < 1e-10:
            break
    return b


def arena_rank(draw: Draw, target: FloatArray, whole: bool) -> Answer:
    """`BradleyTerry` with its defaults."""
    score, votes = _of_pairs(draw, draw.counts)
    b, n = half_win_ratings(score, votes), len(draw.names)
    i, j = draw.pairs.T
    p = expit(b[i] - b[j])
    spread = (
        draw.counts[:, 0] * (1 - p) ** 2 + draw.counts[:, 1] * (0.5 - p) ** 2 + draw.counts[:, 2] * p**2
    )

    def of_models(each: FloatArray) -> FloatArray:
        out = np.zeros((n, n))
        out[i, j] = out[j, i] = -each
        return out - np.diag(out.sum(axis=1))

    bread = np.linalg.inv(
        of_models(draw.counts.sum(axis=1) * p * (1 - p)) + RIDGE * draw.counts.sum() * np.eye(n)
    )
    se = np.sqrt(np.diag(bread @ of_models(spread) @ bread))
    return _by_normal(b, se)


def _by_normal(b: FloatArray, se: FloatArray, effect: float = np.nan) -> Answer:
    rating, reach = 1000.0 + POINTS * b, POINTS * norm.ppf(0.975) * se
    return Answer(rating, rating - reach, rating + reach, effect)


def _rows(draw: Draw) -> tuple[FloatArray, FloatArray, float]:
    """Design with the standardised style last, outcomes, and the standard deviation of the style."""
    assert draw.frame is not None
    frame, n = draw.frame, len(draw.names)
    place = {name: k for k, name in enumerate(draw.names)}
    x = np.zeros((len(frame), n + 1))
    for column, sign in (("model_a", 1.0), ("model_b", -1.0)):
        x[np.arange(len(frame)), frame[column].map(place)] = sign
    style = frame[STYLE].to_numpy()
    x[:, n] = (style - style.mean()) / style.std()
    return x, frame["winner"].map({"model_a": 1.0, "model_b": 0.0}).fillna(0.5).to_numpy(), float(style.std())


def _newton(x: FloatArray, y: FloatArray, w: FloatArray, penalty: FloatArray) -> FloatArray:
    """The minimum of sum w (log(1 + e^h) - y h) + sum penalty b^2 / 2; of models the sum is 0 (least norm)."""
    b = np.zeros(x.shape[1])
    for _ in range(40):
        p = expit(x @ b)
        information = x.T @ (x * (w * p * (1.0 - p))[:, None]) + np.diag(penalty)
        step = np.linalg.lstsq(information, x.T @ (w * (y - p)) - penalty * b, rcond=1e-12)[0]
        b += step
        if np.abs(step).max() < 1e-10:
            break
    return b


def arena_rank_style(draw: Draw, target: FloatArray, whole: bool, reg: float = 1.0) -> Answer:
    """`ContextualBradleyTerry` with its defaults, or another `reg`."""
    x, y, sd = _rows(draw)
    n, k = len(y), len(draw.names)
    a, b = (np.argmax(x[:, :k] == sign, axis=1) for sign in (1.0, -1.0))
    cell = np.minimum(a, b) * k + np.maximum(a, b)
    w = 1.0 / np.maximum(np.bincount(cell)[cell], LEAST_OF_PAIR)
    w /= w.mean()
    beta = _newton(x, y, w, np.r_[np.zeros(k), reg * n])
    p, c = expit(x @ beta), np.r_[np.zeros(k), beta[k]]
    h = x.T @ (x * (w * p * (1 - p))[:, None]) / n + RIDGE * np.eye(k + 1)
    g = x.T @ (x * ((w * (y - p)) ** 2)[:, None]) / n - reg**2 / n * np.outer(c, c)
    ones = np.r_[np.ones(k), 0.0] / np.sqrt(k)
    bread, centre = np.linalg.inv(h + np.outer(ones, ones)), np.eye(k + 1) - np.outer(ones, ones)
    v = centre @ bread @ g @ bread @ centre / n
    return _by_normal(beta[:k], np.sqrt(np.diag(v)[:k]), float(beta[k]) / sd)


def _drawn(draw: Draw) -> IntArray:
    """int[ROUNDS, m, 3]: bootstrap samples of the votes."""
    cells = draw.counts.ravel()
    rng = np.random.default_rng(0)
    return rng.multinomial(cells.sum(), cells / cells.sum(), size=ROUNDS).reshape(ROUNDS, -1, 3)


def _by_percentile(rating: FloatArray, draws: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    return 1000.0 + POINTS * rating, 1000.0 + POINTS * low, 1000.0 + POINTS * high


def _with_upper_bound(
    rating: FloatArray, low: FloatArray, high: FloatArray, target: FloatArray, effect: float
) -> Answer:
    """FastChat's board: rank (UB) says that so many are better, which is true if it is no larger than the rank."""
    bound = 1 + (low > high[:, None]).sum(axis=1)
    return Answer(rating, low, high, effect, bool((bound <= ranks_of(target)).all()))


def fastchat(draw: Draw, target: FloatArray, whole: bool) -> Answer:
    """`compute_bootstrap_bt`."""
    b = half_win_ratings(*_of_pairs(draw, draw.counts))
    draws = half_win_ratings(*_of_pairs(draw, _drawn(draw)))
    return _with_upper_bound(*_by_percentile(b, draws), target, np.nan)


def fastchat_style(draw: Draw, target: FloatArray, whole: bool) -> Answer:
    """`compute_bootstrap_style_control`: each draw by one step of Newton from the ratings of all votes."""
    x, y, sd = _rows(draw)
    k = len(draw.names)
    penalty = np.r_[np.full(k, STYLE_PENALTY / np.log(10.0) ** 2), STYLE_PENALTY]
    beta = _newton(x, y, np.ones(len(y)), penalty)
    p = expit(x @ beta)
    information = x.T @ (x * (p * (1 - p))[:, None]) + np.diag(penalty)
    rng = np.random.default_rng(0)
    scores = x * (y - p)[:, None]
    draws = np.empty((ROUNDS, k))
    for r in range(ROUNDS):
        w = np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y))
        draws[r] = (beta + np.linalg.solve(information, w @ scores - penalty * beta))[:k]
    return _with_upper_bound(*_by_percentile(beta[:k], draws), target, float(beta[k]) / sd)


def evalica_bradley_terry(draw: Draw, target: FloatArray, whole: bool) -> Answer:
    """Scores as Elo points (400 log10, their geometric mean at 1000), and percentiles of bootstrap samples."""
    import evalica

    names = draw.names
    i, j = np.repeat(draw.pairs, 3, axis=0).T
    first, second = [names[k] for k in i], [names[k] for k in j]
    winners = [evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y] * len(draw.pairs)

    def scores(counts: IntArray) -> FloatArray:
        found = evalica.bradley_terry(first, second, winners, weights=counts.ravel().astype(float)).scores
        log = np.log(found.reindex(names).to_numpy())
        return np.asarray(log - log.mean())

    return Answer(*_by_percentile(scores(draw.counts), np.array([scores(c) for c in _drawn(draw)])))


_JUDGE, _BOTH = ("judge",), ("judge", "prompt")

METHODS: Mapping[str, Method] = {
    "by judge and prompt": partial(pairproof_board, by=_BOTH),
    "by judge": partial(pairproof_board, by=_JUDGE),
    "by vote": pairproof_board,
    "style, by judge and prompt": partial(pairproof_board, by=_BOTH, style=STYLE),
    "style, by judge": partial(pairproof_board, by=_JUDGE, style=STYLE),
    "Davidson, by vote": partial(pairproof_board, ties="davidson"),
    "arena-rank": arena_rank,
    "arena-rank, style": arena_rank_style,
    "arena-rank, style, reg=0": partial(arena_rank_style, reg=0.0),
    "FastChat": fastchat,
    "FastChat, style": fastchat_style,
    "evalica": evalica_bradley_terry,
}
#: The rest is pairproof's own.
PEERS = ("arena-rank", "FastChat", "evalica")
