"""Which pairs to ask next: those whose votes separate the best item from its rivals soonest.

With abilities b and their covariance V (clustered or not), d_k = b_best - b_k and its variance v_k, votes are
asked so that the uncertainty of who is best,

    U(V) = sum_k g_k v_k,     g_k = Phi(-d_k / sqrt(v_k)), the probability of the wrong order,

falls most: rivals that nothing tells from the best count most, those far below not at all.  One more vote on i and
j, x = e_i - e_j, has information w = f p (1 - p), p = F(b_i - b_j), and leaves by a rank-one update

    V - V x x'V w / (1 + w x'V x),     so U falls by  sum_k g_k (V x)_(best - k)^2 w / (1 + w x'V x).

The pair with the largest fall is asked, V is updated, and so on until n votes are given (for many n, some at a
time).  f is what a vote has told so far beside an independent decided one: the variances that the votes would
have by p (1 - p) over those in V; below 1 where votes of one judge go together.  `focus` "all" has all pairs of
items in U, each with its own g; the name of an item has that item in the place of the best.  What it would gain
is next to as many votes spread evenly over all pairs.  A greedy design for a weighted sum of variances is an
old one (Fedorov 1972); weights by order follow the selection of the best (Chen, Lin, Yucesan and Chick 2000,
Discrete Event Dyn. Syst. 10, 251-270).

Asking by what was found makes the number of votes depend on the votes: limits that hold at every look
(:mod:`pairproof.boards.anytime`) remain valid, ordinary ones are too narrow for it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..data.options import whole_number
from ..errors import InputError, NotEstimableError
from ..fit.estimates.fit_record import find_item
from ..fit.fit import Fit
from ..fit.many.abilities import abilities_of
from ..fit.many.ratings import ELO_PER_LOG_ODDS
from ..numerics.arrays import FloatArray
from ..report.blocks import Block, Bullets, Column, Heading, Page, Table
from ..report.json_text import plain
from ..report.output import render_fragment, render_text
from ..text import listed

#: Steps in which votes are given at most, and differences that a page shows.
STEPS, MOST_SHOWN = 200, 15
#: Variances below this are rounding of 0.
TINY = 1e-12


@dataclass(frozen=True)
class PairToAsk:
    """first, second: in the order in which they are shown.  votes: how many.  gain: the share of U that they take
    away."""

    first: str
    second: str
    votes: int
    gain: float


@dataclass(frozen=True)
class Awaited:
    """A difference to be distinguished from 0, first above second, in Elo points, with its standard errors now, after
    the votes, and after as many spread evenly."""

    first: str
    second: str
    difference: float
    se: float
    se_after: float
    se_evenly: float


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs:
    """The pairs to ask next, and what their votes would gain.

    Attributes
    ----------
    pairs : tuple of PairToAsk
        The most votes first.
    focus : str
        "top", "all", or an item.
    best : str
        The item with the highest rating.
    n : int
        Votes in all.
    differences : tuple of Awaited
        The smallest first, as seen from their standard errors.
    unsettled, unsettled_after, unsettled_evenly : float
        How many of them cannot be distinguished from 0 at `level`, each by itself: now, and as expected after
        the votes.
    level : float
    information : float
        f: the information of a vote relative to an independent, decided one.
    left_out : tuple of str
        Items without a finite rating, which V does not contain.
    errors : str
        What standard errors are by.
    """

    pairs: tuple[PairToAsk, ...]
    focus: str
    best: str
    n: int
    differences: tuple[Awaited, ...]
    unsettled: float
    unsettled_after: float
    unsettled_evenly: float
    level: float
    information: float
    left_out: tuple[str, ...]
    errors: str = "of the model"

    def to_frame(self) -> pd.DataFrame:
        """The pairs: first, second, votes, gain.

        Returns
        -------
        DataFrame
        """
        return pd.DataFrame([asdict(pair) for pair in self.pairs])

    def to_dict(self) -> dict[str, Any]:
        """Everything as a JSON object.

        Returns
        -------
        dict
        """
        return dict(plain({**asdict(self), "notes": self.sentences()}))

    def sentences(self) -> list[str]:
        """What is asked, and what it gains, in words."""
        about = {"top": f"who is best ({self.best} now)", "all": "the whole order"}.get(
            self.focus, f"how {self.focus} compares with the others"
        )
        told = f"{len(self.differences)} differences at {100 * self.level:g} %"
        said = [
            f"{self.n:,} votes, chosen to find out soonest {about}.",
            f"Differences not distinguished from 0, of {told} (standard errors {self.errors}): {self.unsettled:g} now, {self.unsettled_after:.1f}"
            " expected after these votes,"
            f" {self.unsettled_evenly:.1f} after as many votes spread evenly over all pairs.",
            f"Each vote is assumed to carry {self.information:.2f} of the information of an independent vote without a tie, as so far.",
        ]
        if self.left_out:
            said.append(
                f"No finite rating, so not among the pairs: {listed(self.left_out)}. Ask each of them first, against"
                f" {self.best} and others, until it has both won and lost."
            )
        return said

    def page(self) -> Page:
        """The pairs and the differences as blocks of a report."""
        asked = tuple((p.first, p.second, f"{p.votes:,}", f"{p.gain:.3f}") for p in self.pairs)
        rows = tuple(
            (d.first, d.second, *(f"{v:.1f}" for v in (d.difference, d.se, d.se_after, d.se_evenly)))
            for d in self.differences[:MOST_SHOWN]
        )
        pair = (Column("first", "left"), Column("second", "left"))
        titles = ("difference", "se", "after", "evenly")
        blocks: list[Block] = [
            Bullets(tuple(self.sentences()), lead=True),
            Table((*pair, Column("votes"), Column("gain")), asked),
            Heading("Differences, in Elo points"),
            Table((*pair, *map(Column, titles)), rows),
        ]
        return Page("Pairs to ask next", blocks)

    def __str__(self) -> str:
        return render_text(self.page()).rstrip("\n")

    def __repr__(self) -> str:
        return f"<NextPairs: {self.n:,} votes on {len(self.pairs)} pairs, focus {self.focus!r}>"

    def _repr_html_(self) -> str:
        return render_fragment(self.page())


def next_pairs(fit: Fit, n: int = 100, focus: str = "top", *, level: float = 0.95) -> NextPairs:
    """Choose the pairs to ask next, so that the best item is known after as few votes as possible.

    Parameters
    ----------
    fit : Fit
        A Bradley-Terry fit of the votes so far, clustered or not.
    n : int
        Number of votes to collect, at least 1.
    focus : str
        "top": who is best.  "all": the order of all items.  The name of an item: its differences from the
        others.
    level : float
        Level at which a difference is significant, in (0, 1).

    Returns
    -------
    NextPairs

    Raises
    ------
    InputError
        n below 1; a level outside (0, 1); abilities that are not log-odds.
    ItemError
        A focus that is not an item.
    NotEstimableError
        Fewer than two items have a finite rating, or the item in focus has none.

    References
    ----------
    Chen, Lin, Yucesan and Chick (2000), Discrete Event Dynamic Systems 10, 251-270.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     "ABC", [0, 0, 1], [1, 2, 2], [22, 38, 35], None, [20, 9, 12]
    ... )
    >>> pairproof.next_pairs(pairproof.fit_bradley_terry(table), n=10).to_frame()[["first", "second", "votes"]]
      first second  votes
    0     B      A     10

    A was shown first in all 42 votes so far, so B is shown first now.
    """
    n = whole_number("n", n, 1)
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, such as 0.95")
    ask = _Asking.of(fit)
    center = None if focus == "all" else int(ask.b.argmax()) if focus == "top" else ask.place(fit, focus)
    asked, gain = ask.greedy(n, center)
    pairs = np.stack(np.triu_indices(len(ask.b), 1), axis=1)
    evenly = np.zeros_like(ask.v)
    evenly[tuple(pairs.T)] = n / len(pairs)
    if center is not None:
        pairs = pairs[(pairs == center).any(axis=1)]
    pairs = np.where((ask.b[pairs[:, 0]] < ask.b[pairs[:, 1]])[:, None], pairs[:, ::-1], pairs)
    d = ask.b[pairs[:, 0]] - ask.b[pairs[:, 1]]
    now, after, even = (_spread(v)[tuple(pairs.T)] for v in (ask.v, ask.after(asked), ask.after(evenly)))
    order = np.argsort(d / np.sqrt(now), kind="stable")
    numbers = np.stack([d, *np.sqrt([now, after, even])], axis=1)[order] * ELO_PER_LOG_ODDS
    names = [(ask.items[i], ask.items[j]) for i, j in pairs[order]]
    awaited = tuple(Awaited(*name, *map(float, row)) for name, row in zip(names, numbers))
    open_now, open_after, open_even = (_unsettled(d, now, then, level) for then in (now, after, even))
    left = tuple(item for item in fit.items if item not in ask.items)
    shown = tuple(_in_balanced_order(ask, asked, gain))
    best = ask.items[int(ask.b.argmax())]
    errors = "of the model" if fit.robust is None else fit.robust.title
    return NextPairs(
        shown, focus, best, n, awaited, open_now, open_after, open_even, level, ask.f, left, errors
    )


def _spread(v: FloatArray) -> FloatArray:
    """float[m, m]: variances of differences."""
    return np.asarray(np.diag(v)[:, None] + np.diag(v) - 2.0 * v)


def _laplacian(weight: FloatArray) -> FloatArray:
    """sum of weight_ij (e_i - e_j)(e_i - e_j)', of a symmetric matrix."""
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


@dataclass(frozen=True, eq=False)
class _Asking:
    """Items with a finite rating: abilities b float[m] in log-odds, covariance v float[m, m], information of one vote on
    each pair w float[m, m], f of it; met float[m, m]: votes in which row was shown first and column second.
    """

    items: tuple[str, ...]
    b: FloatArray
    v: FloatArray
    w: FloatArray
    f: float
    met: FloatArray

    @classmethod
    def of(cls, fit: Fit) -> _Asking:
        from scipy.special import expit

        abilities, data = abilities_of(fit), fit.data
        unit, m = abilities.per_unit, abilities.sets.members()
        if not math.isfinite(unit):
            raise InputError(f"{fit.title}: its abilities are not log-odds; fit a model with link='logit'")
        if len(m) < 2:
            raise NotEstimableError(
                f"{len(m)} item with a finite rating; collect votes at random until items have both won and lost"
            )
        b, v = unit * abilities.estimate[m], unit**2 * abilities.covariance[np.ix_(m, m)]
        met = np.zeros((len(fit.items), len(fit.items)))
        np.add.at(met, (data.first, data.second), data.row_weights)
        met = met[np.ix_(m, m)]
        each = expit(b[:, None] - b) * expit(b - b[:, None])
        binomial = np.asarray(np.linalg.pinv(_laplacian((met + met.T) * each), hermitian=True))
        f = float(_spread(binomial).sum() / _spread(v).sum())
        return cls(tuple(fit.items[k] for k in m), b, v, f * each, f, met)

    def place(self, fit: Fit, focus: str) -> int:
        """Where the item in focus is."""
        item = fit.items[find_item(fit.items, focus)]
        if item not in self.items:
            raise NotEstimableError(f"{item} has no finite rating; add votes until it has both won and lost")
        return self.items.index(item)

    def after(self, votes: FloatArray) -> FloatArray:
        """float[m, m]: the covariance after votes on pairs, (V^-1 + L)^-1 where V may be singular."""
        more = _laplacian(self.w * (votes + votes.T))
        return np.asarray(self.v @ np.linalg.inv(np.eye(len(self.b)) + more @ self.v))

    def greedy(self, n: int, center: int | None) -> tuple[FloatArray, FloatArray]:
        """float[m, m] each: votes by pair, the lower place first, and the share of U that they take."""
        from scipy.special import log_ndtr

        v, k = self.v, len(self.b)
        asked, gain = np.zeros((2, k, k))
        d = np.abs(self.b[:, None] - self.b)
        inside = np.full((k, k), center is None)
        if center is not None:
            inside[center] = inside[:, center] = True
        np.fill_diagonal(inside, False)
        upper, step = np.triu(np.ones((k, k), bool), 1), -(-n // STEPS)
        whole, begun = 0.0, 0.0
        while n > 0:
            votes, spread = min(step, n), np.maximum(_spread(v), TINY)
            # g in units of its largest, which may be below all doubles where all is told already
            log_g = np.where(inside, log_ndtr(-d / np.sqrt(spread)), -np.inf)
            top = float(log_g.max())
            g, told = np.exp(log_g - top), self.w * votes
            if not whole:
                whole, begun = float((g * spread).sum()) / 2.0, top
            falls = _spread(np.asarray(v @ _laplacian(g) @ v)) * told / (1.0 + told * spread)
            i, j = divmod(int(np.argmax(np.where(upper, falls, -1.0))), k)
            asked[i, j] += votes
            gain[i, j] += falls[i, j] * math.exp(top - begun)
            x = v[i] - v[j]
            v = np.asarray(v - np.outer(x, x) * (told[i, j] / (1.0 + told[i, j] * spread[i, j])))
            n -= votes
        return asked, gain / whole


def _unsettled(d: FloatArray, now: FloatArray, then: FloatArray, level: float) -> float:
    """How many of the differences d >= 0 the estimates to come, normal about them, are expected not to distinguish
    from 0."""
    from scipy.special import ndtr, ndtri

    reach, moves = float(ndtri((1.0 + level) / 2.0)) * np.sqrt(then), np.sqrt(np.maximum(now - then, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        told = [np.where(moves > 0.0, ndtr((x - reach) / moves), x > reach) for x in (d, -d)]
    return float((1.0 - told[0] - told[1]).sum())


def _in_balanced_order(ask: _Asking, asked: FloatArray, gain: FloatArray) -> list[PairToAsk]:
    """Each pair in both orders, so that with the votes so far either item is first as often as may be."""
    found, first = [], ask.met.sum(axis=1) - ask.met.sum(axis=0)  # how much more often first than second
    i, j = np.nonzero(asked)
    for i, j in zip(i.tolist(), j.tolist()):
        votes = int(asked[i, j])
        # an odd vote that balance leaves over goes to the item that was seldomer first
        lead = votes + ask.met[j, i] - ask.met[i, j] + (0.5 if first[i] < first[j] else -0.5)
        ahead = int(np.clip(math.floor(lead / 2.0 + 0.5), 0, votes))
        for a, b, share in ((i, j, ahead), (j, i, votes - ahead)):
            first[a], first[b] = first[a] + share, first[b] - share
            if share:
                found.append(PairToAsk(ask.items[a], ask.items[b], share, float(gain[i, j] * share / votes)))
    return sorted(found, key=lambda pair: -pair.votes)
