"""The boards of arena-rank, FastChat and evalica by our maximiser, with their penalties, weights and ridges.

For users who must match published numbers.  A vote has y = 1, 1/2 (ties, also both-bad) or 0 for the model named first,
log-odds eta = a_first - a_second + x'c, and p = F(eta).  All minimise, over votes::

    sum w (log(1 + e^eta) - y eta) + penalty

arena-rank (0.1.1)  w = 1, or 1 / max(votes of the pair, 50).  Penalty with features: N reg |c|^2 / 2, N votes, because it is added
                    to the mean loss, and the weights then have mean 1.  Limits: V = (H + e)^-1 (G - reg^2 cc') (H + e)^-1,
                    H = sum w p (1 - p) zz', G = sum w^2 (y - p)^2 zz', z of abilities and features, e = hessian_reg, times N
                    where votes are not weighted or there are features; reg is not in H
FastChat            w = 1; limits from quantiles of 100 multinomial draws of the distinct votes.  Style: reg / 2 = 1/4 times the
                    squares of ratings (a / log 10) and of coefficients, no limits
evalica (0.4.2)     Bradley and Terry's worths exp(a), and Davidson's by Newman's steps (2023, J. Mach. Learn. Res. 24, 1-25),
                    v = exp(tie) / 2

The peers stop early, up to .1 points from these maxima.  If an item lost or won all its votes, no maximum exists.  The peers
then print the point where they stopped; here an error is raised instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.graph import components, strong_components
from ...data.options import one_of
from ...errors import ConvergenceError, InputError, NotEstimableError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.fit_record import listed
from ...fit.estimates.likelihood import logistic
from ...fit.many.ratings import ELO_PER_LOG_ODDS as POINTS
from ...native.comparisons.contests.bradley_terry import fit_bradley_terry
from ...numerics.arrays import FloatArray, IntArray
from ...text import label


@dataclass(frozen=True, eq=False)
class PeerBoard:
    """The results of another program, computed by this package.

    Attributes
    ----------
    peer : str
        The program, its version, and the model it fits.
    competitors : tuple of str
        In the program's own order.
    ratings, lower, upper, variances : float[n]
        On the program's scale; nan where it reports none.
    coeffs : mapping of str to float
        Coefficients of the features; for evalica's `newman`, the tie parameter v.
    defaults : mapping of str to str
        Settings that the program uses by default, each value in words.
    what_it_does : tuple of str
        The effect of penalty, weights and ridge on these votes, in numbers, compared with the same model without them.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.peers import as_arena_rank
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], [9, 8, 9], [4, 4, 3])
    >>> print(as_arena_rank(table).what_it_does[0])
    hessian_reg=1e-05 changes no standard error by 1 %.
    """

    peer: str
    competitors: tuple[str, ...]
    ratings: FloatArray
    lower: FloatArray
    upper: FloatArray
    variances: FloatArray
    coeffs: Mapping[str, float]
    defaults: Mapping[str, str]
    what_it_does: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Rating, lower, upper and variance of each competitor, in the program's order."""
        columns = np.stack([self.ratings, self.lower, self.upper, self.variances], axis=1)
        return pd.DataFrame(columns, list(self.competitors), ["rating", "lower", "upper", "variance"])

    def to_dict(self) -> dict[str, Any]:
        """All results as a JSON object; None where there is no value."""
        from ...report.json_text import plain

        rows = self.to_frame().rename_axis("model").reset_index().to_dict("records")
        said = {"defaults": self.defaults, "coeffs": self.coeffs, "what_it_does": self.what_it_does}
        return dict(plain({"peer": self.peer, "board": rows, **said}))

    def __str__(self) -> str:
        frame = self.to_frame().dropna(axis=1, how="all")
        frame = frame.sort_values("rating", ascending=False, kind="stable")
        lines = [f"{self.peer}, maximised by pairproof", *(f"  {k}: {v}" for k, v in self.defaults.items())]
        lines += frame.to_string(float_format="%.4f").splitlines()
        lines += [f"{k}: {v:.6g}" for k, v in self.coeffs.items()]
        return "\n".join(map(label, [*lines, *self.what_it_does]))


# -- votes and the likelihood --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes in a peer's order of models.

    first, second int[m], counts float[3, m]: wins, ties, losses of the first.  features float[m, k].  together int[n]: sets of
    models that votes join, from 0.  b float[n + k]: abilities, and coefficients of features.
    """

    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    counts: FloatArray
    features: FloatArray
    together: IntArray

    @property
    def n(self) -> FloatArray:
        return np.asarray(self.counts.sum(axis=0))

    @property
    def n_sets(self) -> int:
        return int(self.together.max()) + 1

    @property
    def p(self) -> int:
        return int(len(self.names) + self.features.shape[1])

    def log_odds(self, b: FloatArray) -> FloatArray:
        n = len(self.names)
        return np.asarray(b[self.first] - b[self.second] + self.features @ b[n:])

    def summed(self, r: FloatArray) -> FloatArray:
        """float[p]: the derivatives by b of what has the derivatives r float[m] by the log-odds."""
        n = len(self.names)
        by = np.bincount(self.first, r, n) - np.bincount(self.second, r, n)
        return np.concatenate([by, r @ self.features])

    def squared(self, weights: FloatArray) -> FloatArray:
        """float[p, p]: the sum of weight times zz'."""
        n = len(self.names)
        pairs = np.bincount(self.first * n + self.second, weights, n * n).reshape(n, n)
        pairs = pairs + pairs.T
        weighted = weights[:, None] * self.features
        cross = np.array([self.summed(each)[:n] for each in weighted.T]).reshape(-1, n)
        blocks = [[np.diag(pairs.sum(axis=1)) - pairs, cross.T], [cross, weighted.T @ self.features]]
        return np.asarray(np.block(blocks))

    @property
    def level(self) -> FloatArray:
        """float[p, p]: the projection on what no vote moves: the mean of each set of models."""
        member = np.zeros((self.p, self.n_sets))
        member[np.arange(len(self.together)), self.together] = 1.0
        return np.asarray((member / member.sum(axis=0)) @ member.T)

    def has_maximum(self, counts: FloatArray) -> bool:
        """Whether no model of these counts lost or won against all of its set; ties are half of both."""
        up, down = counts[0] + counts[1] > 0.0, counts[2] + counts[1] > 0.0
        winner = np.concatenate([self.first[up], self.second[down]])
        loser = np.concatenate([self.second[up], self.first[down]])
        return len(np.unique(strong_components(winner, loser, len(self.names)))) == self.n_sets

    def check_maximum(self, table: Comparisons, peer: str) -> None:
        if not self.has_maximum(self.counts):
            sets = table.only_compared().ties_as_half_wins().unseparated_sets()[1:]
            raise NotEstimableError(
                f"{peer} prints the point where its steps end, which is not a maximum: {listed([', '.join(s[:4]) for s in sets], 4)} lost or won"
                " against all others. Leave these out, or use the ranks of pairproof's own board, which has them"
            )


def _read(table: Comparisons, features: Sequence[str], in_order: bool, normalised: bool = True) -> _Votes:
    """The votes, models sorted or by first appearance; cells of ordered pairs, or rows with features."""
    table = table.only_compared()
    if any((count != np.floor(count)).any() for count in (table.wins, table.ties, table.losses)):
        raise InputError(f"{table.source}: counts are fractional; these programs accept only whole votes")
    order = np.argsort(np.array(table.items, object))
    if in_order:
        order = np.argsort(np.unique(np.concatenate([table.first, table.second]), return_index=True)[1])
    place, n = np.argsort(order), len(order)
    first, second = place[table.first], place[table.second]
    counts = np.stack([table.wins, table.ties, table.losses])
    if not features:
        key, at = np.unique(first * n + second, return_inverse=True)
        counts = np.stack([np.bincount(np.ravel(at), each, len(key)) for each in counts])
        first, second = np.divmod(key, n)
    x = np.zeros((len(first), 0))
    if features:
        x = _columns(table, features, counts.sum(axis=0), normalised)
    names = tuple(table.items[k] for k in order)
    together = np.unique(components(first, second, n), return_inverse=True)[1]
    return _Votes(names, first, second, counts, x, np.ravel(together))


def _columns(table: Comparisons, names: Sequence[str], n: FloatArray, normalised: bool) -> FloatArray:
    """float[m, k]: features, less their mean over votes and over their standard deviation if asked for."""
    found = []
    for name in names:
        column = table.columns.get(table.role_of(name))
        if column is None or isinstance(column, Factor) or not np.isfinite(column).all():
            known = ", ".join(k for k, v in table.columns.items() if not isinstance(v, Factor)) or "none"
            raise InputError(
                f"features: {name!r} is not a numeric column (first minus second) with a value in every row"
                f" of {table.source};"
                f" numeric columns: {known}"
            )
        found.append(column - n @ column / n.sum() if normalised else column)
    x = np.stack(found, axis=1)
    sd = np.sqrt(n @ x**2 / n.sum())
    return x / np.where(sd == 0.0, 1.0, sd) if normalised else x


def _maximum(
    votes: _Votes, weights: FloatArray, penalty: FloatArray, counts: FloatArray | None = None
) -> FloatArray:
    """float[p]: where the penalised likelihood is largest, each set of models with mean 0, by Newton's steps."""
    counts = votes.counts if counts is None else counts
    n, score = weights * counts.sum(axis=0), weights * (counts[0] + counts[1] / 2.0)

    def loss(b: FloatArray) -> float:
        eta = votes.log_odds(b)
        return float(n @ np.logaddexp(0.0, eta) - score @ eta + penalty @ b**2 / 2.0)

    b, fixed = np.zeros(votes.p), votes.level
    for _ in range(100):
        p = logistic(votes.log_odds(b))
        bend = votes.squared(n * p * (1.0 - p)) + np.diag(penalty)
        bend += np.trace(bend) / len(b) * fixed
        step = np.linalg.solve(bend, votes.summed(score - n * p) - penalty * b)
        while loss(b + step) > loss(b) + 1e-12 * abs(loss(b)):
            step = step / 2.0
        b = b + step
        if np.abs(step).max() <= 1e-12 * max(1.0, float(np.abs(b).max())):
            return np.asarray(b)
    raise ConvergenceError("no maximum after 100 steps: a feature separates wins from losses completely")


def _variances(
    votes: _Votes, b: FloatArray, weights: FloatArray, ridge: float, less: float = 0.0
) -> FloatArray:
    """float[n]: of ratings about the mean of their set, in points, by V of the module; less: reg^2."""
    p, n = logistic(votes.log_odds(b)), len(votes.names)
    squares = votes.counts[0] * (1.0 - p) ** 2 + votes.counts[1] * (0.5 - p) ** 2 + votes.counts[2] * p**2
    bend = votes.squared(weights * votes.n * p * (1.0 - p))
    spread = votes.squared(weights**2 * squares)
    c = np.where(np.arange(len(b)) < n, 0.0, b)
    # without the mean, which costs arena-rank five digits: of a reweighted board the condition is then 4e5
    inverse = np.linalg.inv(bend + ridge * np.eye(len(b)) + np.trace(bend) / len(b) * votes.level)
    inverse = inverse - votes.level @ inverse
    return np.asarray(np.diag(inverse @ (spread - less * np.outer(c, c)) @ inverse.T)[:n] * POINTS**2)


# -- what they do to these votes -----------------------------------------------------------------------------


def _moved(votes: _Votes, ours: FloatArray, theirs: FloatArray) -> str:
    """Ratings by log-odds without and with it."""
    r, s = (1000.0 + POINTS * b[: len(votes.names)] for b in (ours, theirs))
    k = int(np.abs(s - r).argmax())
    some = f"({votes.names[k]}: {s[k]:.1f} instead of {r[k]:.1f})"
    return f"moves ratings by up to {abs(s[k] - r[k]):.3g} points {some}"


def _widened(votes: _Votes, ours: FloatArray, theirs: FloatArray) -> str:
    """Standard errors by variances without and with it."""
    r, s = np.sqrt(ours), np.sqrt(theirs)
    k = int(np.abs(np.log(s / r)).argmax())
    some = f"({votes.names[k]}: {s[k]:.1f} instead of {r[k]:.1f})"
    least, most = f"{(s / r).min():.2f}", f"{(s / r).max():.2f}"
    if least == most == "1.00":
        return "changes no standard error by 1 %"
    return f"makes standard errors {least} to {most} times as large {some}"


def _effects(names: Sequence[str], ours: FloatArray, theirs: FloatArray) -> str:
    k = len(names)
    some = [f"{name} {x:.4f} instead of {y:.4f}" for name, x, y in zip(names, theirs[-k:], ours[-k:])]
    return f"changes the effects per standard deviation ({', '.join(some)})"


def _of_all(table: Comparisons, votes: _Votes, features: Sequence[str]) -> list[str]:
    """What no penalty does: votes of a judge as independent, models that never met on one list."""
    if votes.n_sets > 1:
        return [f"{votes.n_sets} sets of models that no vote connects share one list, each with mean 1000."]
    table = table.only_compared()
    judges = table.columns.get("judge")
    if not isinstance(judges, Factor) or not 1 < len(judges.levels) < table.n_comparisons:
        return []
    fit = fit_bradley_terry(table, ties="half", reference="sum", comparison_terms=list(features))
    by_judge = fit.clustered("judge", kind="CR1", missing="own")
    ratio = (by_judge.bse / fit.clustered(kind="CR0").bse)[list(votes.names)]
    return [
        f"Its limits treat all votes as independent; without penalty and weights, limits clustered by judge ({len(judges.levels):,} judges, CR1) are"
        f" {ratio.min():.2f} to {ratio.max():.2f} times as wide as those that are not."
    ]


def as_arena_rank(
    votes: Comparisons,
    *,
    features: Sequence[str] = (),
    reweighted: bool | None = None,
    reg: float = 1.0,
    min_pair_count: int = 50,
    hessian_reg: float = 1e-5,
    normalize_features: bool = True,
    alpha: float = 0.05,
) -> PeerBoard:
    """The results that arena-rank converges to, with sandwich limits, and how its defaults change them.

    Parameters
    ----------
    votes : Comparisons
    features : sequence of str
        Numeric columns, first model minus second: ContextualBradleyTerry; none: BradleyTerry.
    reweighted : bool, optional
        Whether a vote has weight 1 / max(votes of its pair, `min_pair_count`); by default, as there, only with features.
    reg : float
        Its penalty on the features' coefficients.
    min_pair_count : int
    hessian_reg : float
        What it adds to the Hessian for its limits, multiplied by the number of votes if these are not weighted.
    normalize_features : bool
    alpha : float
        1 minus the level of the limits.

    Returns
    -------
    PeerBoard

    Raises
    ------
    InputError
        Fractional counts, a feature that is not numeric, an alpha outside (0, 1).
    NotEstimableError
        A model that lost or won all of its votes.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.peers import as_arena_rank
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], [9, 8, 9], [4, 4, 3])
    >>> as_arena_rank(table).to_frame().round(1).loc["A"].tolist()
    [1041.8, 988.5, 1095.2, 740.0]
    """
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha}; expected a number between 0 and 1, 0.05 for 95 % limits")
    told = _read(votes, features, False, normalize_features)
    told.check_maximum(votes, "arena-rank")
    k, n, total = len(features), len(told.names), float(told.n.sum())
    weighted = bool(k) if reweighted is None else reweighted
    ones = weights = np.ones(len(told.first))
    if weighted:
        pair = np.minimum(told.first, told.second) * n + np.maximum(told.first, told.second)
        weights = 1.0 / np.maximum(np.bincount(pair, told.n)[pair], min_pair_count)
        weights = weights / (told.n @ weights / total) if k else weights
    ridge = hessian_reg * (total if k or np.allclose(weights, 1.0) else 1.0)
    free, penalty = np.zeros(n + k), np.r_[np.zeros(n), np.full(k, reg * total)]
    b = _maximum(told, weights, penalty)
    variance = _variances(told, b, weights, ridge, reg**2 if k else 0.0)
    rating, half = 1000.0 + POINTS * b[:n], normal_quantile(1.0 - alpha / 2.0) * np.sqrt(variance)
    alone = _maximum(told, weights, free) if penalty.any() else b
    said = [f"hessian_reg={hessian_reg:g} {_widened(told, _variances(told, b, weights, 0.0), variance)}."]
    if penalty.any():
        so = f"reg={reg:g} is added to the mean loss and has the weight of {total:,.0f} votes: it"
        said.insert(0, f"{so} {_effects(features, alone, b)}, and {_moved(told, alone, b)}.")
    if weighted:
        plain = _maximum(told, ones, free)
        wide = _widened(told, _variances(told, plain, ones, 0.0), _variances(told, alone, weights, 0.0))
        said.insert(0, f"Weighting pairs equally {_moved(told, plain, alone)} and {wide}.")
    defaults = {
        "scale": "400 points are odds of 10 to 1; init_rating 1000 is the mean of each connected set of models",
        "outcome": "1, 0; ties, both-bad and any other word .5",
        "reweighted": f"True: 1 / max(votes of the pair, {min_pair_count})" if weighted else "False",
        **({"reg": f"{reg:g}", "normalize_features": f"{normalize_features}"} if k else {}),
        "hessian_reg": f"{hessian_reg:g}, here {ridge:.3g} on the diagonal of the Hessian",
        "limits": f"sandwich without clusters, normal, {100 * (1 - alpha):g} %",
        "stopping": "arena-rank: ftol = gtol = 1e-9, up to .1 points away; here: the maximum",
    }
    title = f"arena-rank 0.1.1 {'ContextualBradleyTerry' if k else 'BradleyTerry'}"
    coeffs = dict(zip(features, b[n:].tolist()))
    said += _of_all(votes, told, features)
    limits = (rating - half, rating + half)
    return PeerBoard(title, told.names, rating, *limits, variance, coeffs, defaults, tuple(said))


def as_fastchat(
    votes: Comparisons,
    *,
    features: Sequence[str] = (),
    replicates: int = 100,
    anchor: str = "mixtral-8x7b-instruct-v0.1",
    at: float = 1114.0,
    reg: float = 0.5,
) -> PeerBoard:
    """The results that FastChat's rating_systems converges to: Bradley-Terry with its bootstrap, or style control.

    Parameters
    ----------
    votes : Comparisons
        In the order of the file: FastChat draws the distinct votes in the order in which models appear.
    features : sequence of str
        Numeric columns, first model minus second: style control, which has no limits here, because FastChat does not seed its
        draws.
    replicates : int
        Number of draws, from numpy's generator with seed 0 as in FastChat; 0 for none.
    anchor, at : str, float
        The model whose rating is set to `at`, if present.
    reg : float
        For style control: its ridge on ratings / 400 and coefficients.

    Returns
    -------
    PeerBoard
        `lower` and `upper` are its q025 and q975.

    Raises
    ------
    InputError, NotEstimableError
        As for :func:`as_arena_rank`, without features.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.peers import as_fastchat
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], [9, 8, 9], [4, 4, 3])
    >>> as_fastchat(table).to_frame().round(1).loc["A"].tolist()
    [1041.8, 996.7, 1088.7, 635.4]
    """
    told = _read(votes, features, True)
    k, n = len(features), len(told.names)

    def points(b: FloatArray) -> FloatArray:
        r = 1000.0 + POINTS * b[:n]
        return np.asarray(r - r[told.names.index(anchor)] + at if anchor in told.names else r)

    ones, free, finite, said = np.ones(len(told.first)), np.zeros(n + k), told.has_maximum(told.counts), []
    # a ridge of reg on ratings / 400 is one of reg / log(10)^2 on log-odds
    penalty = np.r_[np.full(n, reg / np.log(10.0) ** 2), np.full(k, reg)] if k else free
    if not k:
        told.check_maximum(votes, "FastChat")
    b = _maximum(told, ones, penalty)
    lower, upper, variance = np.full((3, n), np.nan)
    if k and finite:
        alone = _maximum(told, ones, free)
        said.append(f"reg={reg:g} {_effects(features, alone, b)}, and {_moved(told, alone, b)}.")
    elif k:
        said.append("A model lost or won all its votes: the ridge alone sets its distance to the others.")
    elif replicates:
        drawn = np.array([points(_maximum(told, ones, free, counts)) for counts in _draws(told, replicates)])
        if len(drawn) < replicates:
            said.append(
                f"{replicates - len(drawn)} of {replicates} draws have no maximum, because a model lost, won or missed all: FastChat"
                " keeps the point where its steps end; here these draws are left out."
            )
        if len(drawn) > 1:
            (lower, upper), variance = np.quantile(drawn, [0.025, 0.975], axis=0), drawn.var(axis=0, ddof=1)
    if anchor in told.names:
        said.append(f"{anchor} is {at:g} in every draw, so all limits are for differences from it.")
    drawn_by = f"quantiles .025 and .975 of {replicates} multinomial draws, numpy's generator with seed 0"
    defaults = {
        "scale": f"400 points are odds of 10 to 1; {anchor} is {at:g} if present, otherwise the mean is 1000",
        "outcome": "1, 0; any other word .5",
        **({"reg": f"{reg:g}, on ratings / 400 and on coefficients"} if k else {}),
        "limits": "none here; FastChat draws them without a seed" if k else drawn_by,
        "stopping": "FastChat: L-BFGS-B, 100 steps, gtol 1e-6, up to .1 points away; here: the maximum",
    }
    title = f"FastChat rating_systems, {'style control' if k else 'Bradley-Terry'}"
    said += _of_all(votes, told, features) if finite else []
    coeffs = dict(zip(features, b[n:].tolist()))
    return PeerBoard(title, told.names, points(b), lower, upper, variance, coeffs, defaults, tuple(said))


def _draws(votes: _Votes, replicates: int) -> Iterator[FloatArray]:
    """FastChat's draws of the distinct votes, sorted by first, second, and loss before tie before win, that have a maximum."""
    cell, outcome = np.nonzero(votes.counts[::-1].T)
    size = votes.counts[2 - outcome, cell]
    for draw in np.random.default_rng(0).multinomial(int(size.sum()), size / size.sum(), size=replicates):
        counts = np.zeros_like(votes.counts)
        counts[2 - outcome, cell] = draw
        if votes.has_maximum(counts):
            yield counts


def as_evalica(
    votes: Comparisons,
    *,
    method: Literal["bradley_terry", "newman"] = "bradley_terry",
    normalise: Literal["geometric mean", "sum"] = "geometric mean",
) -> PeerBoard:
    """The scores that evalica converges to: worths with ties as half wins, or Davidson's model.

    Parameters
    ----------
    votes : Comparisons
    method : {"bradley_terry", "newman"}
    normalise : {"geometric mean", "sum"}
        Which is 1: the geometric mean, as in evalica's `bradley_terry`, or the sum, as in its gold tables.  The scale of evalica's
        own `newman` depends on its starting values.

    Returns
    -------
    PeerBoard
        Without limits; `coeffs` holds v for `newman`.

    Raises
    ------
    InputError, NotEstimableError
        As for :func:`as_arena_rank`, and for sets of models that no vote connects.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.boards.others.peers import as_evalica
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], [9, 8, 9], [4, 4, 3])
    >>> as_evalica(table, method="newman").ratings.round(3).tolist()
    [1.584, 0.946, 0.667]
    """
    one_of("method", method, ("bradley_terry", "newman"))
    one_of("normalise", normalise, ("geometric mean", "sum"))
    told = _read(votes, (), True)
    told.check_maximum(votes, "evalica")
    if told.n_sets > 1:
        raise NotEstimableError(
            "no vote connects the sets of models: evalica prints 1 for all; fit each set separately"
        )
    newman = method == "newman"
    davidson = newman and bool(votes.ties.any())
    fit = fit_bradley_terry(votes.only_compared(), ties="davidson" if davidson else "half", reference="sum")
    score = np.exp(fit.params[list(told.names)].to_numpy())
    score = score / score.sum() if normalise == "sum" else score
    v = float(np.exp(fit.params["tie"]) / 2.0) if davidson else 0.0
    defaults = {
        "scale": f"the {normalise} is 1" + ("; in evalica it depends on the last step" if newman else ""),
        "ties": "Davidson's model, v = exp(tie) / 2" if newman else "half wins",
        "stopping": "evalica: 100 steps or a change of 1e-6, without a warning; here: the maximum",
    }
    said = ("evalica has no limits; if a model never wins, it prints 1e-06 for all, without a warning.",)
    none, coeffs = np.full(len(score), np.nan), {"v": v} if newman else {}
    return PeerBoard(f"evalica 0.4.2 {method}", told.names, score, none, none, none, coeffs, defaults, said)
