"""Confidence sets for ranks, and which items cannot be told apart.

rank_i = 1 + #{j : b_j > b_i}.  Differences in both directions are tested together, stepwise, by the largest of their
normal scores: those above the critical value are rejected, and the critical value is found again for the rest, until
none is new.  The set of item i is then::

    [1 + #{j : j is shown to be above i},  n - #{j : i is shown to be above j}]

Simultaneous sets hold for all items at once, marginal ones for each item by itself (Mogstad, Romano, Shaikh and Wilhelm
2024, Rev. Econ. Stud. 91, 476-518; R's csranks).  A difference that has no standard error (items that were never
compared, or separated) is never rejected, which leaves sets as wide as they can be: they stay valid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import InputError, TooLargeError
from .abilities import MODEL_BASED, Abilities
from .best import against_the_best
from .letters import groups, letters
from .max_normal import MaxNormal
from .points import Points
from .simultaneous import check_level

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Side = Literal["both", "lower", "upper"]

#: Marginal sets take a family for each item; those of 300 items take half a minute.
MOST_MARGINAL = 300


@dataclass(frozen=True, eq=False, repr=False)
class RankSets:
    """Ranks of items with confidence sets.

    Attributes
    ----------
    items : tuple of str
    rank : float[n]
        Of the estimates, 1 the best; ties share the better rank; nan for an item with a difference that has no estimate.
    low, high : int[n]
        Confidence set of each rank.
    above : bool[n, n]
        Row is shown to be above column; all these statements hold together.
    best : tuple of str
        Items that may be the best (Hsu), a statement of its own at the same level.
    groups : tuple of tuple of str
        Maximal sets of items of which no two are told apart, best first; they overlap.
    letters : tuple of str
        Of each item, from the groups.
    level : float
    simultaneous : bool
        Whether all sets hold together.
    side : {"both", "lower", "upper"}
    critical : float
        First critical value of the simultaneous procedure, on the normal scale; nan if nothing could be tested.
    critical_error : float
        Its Monte Carlo standard error; 0 where it is exact.
    left_out : tuple of (str, str)
        Differences without a standard error, "A - B", and why; nothing is claimed about them.
    covariance : str
    cautions : tuple of str
    group : str

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> ranks = pairproof.fit_bradley_terry(table).ranks()
    >>> ranks.low.tolist(), ranks.high.tolist(), ranks.letters
    ([1, 1, 3], [2, 2, 3], ('a', 'a', 'b'))
    """

    items: tuple[str, ...]
    rank: FloatArray
    low: IntArray
    high: IntArray
    above: BoolArray
    best: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    letters: tuple[str, ...]
    level: float
    simultaneous: bool
    side: Side = "both"
    critical: float = math.nan
    critical_error: float = 0.0
    left_out: tuple[tuple[str, str], ...] = ()
    covariance: str = MODEL_BASED
    cautions: tuple[str, ...] = ()
    group: str = "all"
    order: tuple[int, ...] = ()

    def tau_best(self, tau: int) -> tuple[str, ...]:
        """Items that hold all of the true best `tau`, with probability `level`.

        Parameters
        ----------
        tau : int
            In 1..n_items.

        Raises
        ------
        InputError
            Another number.
        """
        return self._within(1 + self.above.sum(axis=0) <= self._tau(tau))

    def tau_worst(self, tau: int) -> tuple[str, ...]:
        """Items that hold all of the true worst `tau`, with probability `level`.

        Parameters
        ----------
        tau : int
            In 1..n_items.

        Raises
        ------
        InputError
            Another number.
        """
        n = len(self.items)
        return self._within(n - self.above.sum(axis=1) > n - self._tau(tau))

    def _tau(self, tau: int) -> int:
        if isinstance(tau, bool) or tau not in range(1, len(self.items) + 1):
            raise InputError(f"tau={tau!r}; expected a number of items from 1 to {len(self.items)}")
        return int(tau)

    def _within(self, members: BoolArray) -> tuple[str, ...]:
        return tuple(item for item, member in zip(self.items, members) if member)

    def to_frame(self) -> pd.DataFrame:
        """A row an item, best first: rank, low, high, letters, may_be_best."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "rank": self.rank if np.isnan(self.rank).any() else self.rank.astype(np.int64),
                "low": self.low,
                "high": self.high,
                "letters": self.letters,
                "may_be_best": [item in self.best for item in self.items],
            },
            index=list(self.items),
        )
        return frame.iloc[list(self.order)]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; None where there is no value."""
        rows = [
            {
                "item": self.items[k],
                "rank": int(self.rank[k]) if math.isfinite(self.rank[k]) else None,
                "low": int(self.low[k]),
                "high": int(self.high[k]),
                "letters": self.letters[k],
                "may_be_best": self.items[k] in self.best,
            }
            for k in self.order
        ]
        return {
            "level": self.level,
            "simultaneous": self.simultaneous,
            "side": self.side,
            "critical": float(self.critical) if math.isfinite(self.critical) else None,
            "critical_error": float(self.critical_error),
            "covariance": self.covariance,
            "items": rows,
            "groups": [list(group) for group in self.groups],
            "may_be_best": list(self.best),
            "left_out": [{"what": what, "why": why} for what, why in self.left_out],
            "cautions": list(self.cautions),
        }

    def summary(self, rows: int = 60) -> str:
        """The sets as a table with a caption, best first, at most 100 columns wide.

        Parameters
        ----------
        rows : int
            Most items shown; the text says how many are left out.
        """
        from ..shown.comparisons_text import ranks_text

        return ranks_text(self, rows)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "marginal"
        return f"<RankSets: {len(self.items)} items, {kind}, {100 * self.level:g} %, {self.covariance}>"


def rank_sets(
    abilities: Abilities, level: float = 0.95, simultaneous: bool = True, side: Side = "both", seed: int = 0
) -> RankSets:
    """Confidence sets for the ranks of all items.

    Parameters
    ----------
    abilities : Abilities
    level : float
        In (0.5, 1).
    simultaneous : bool
        All sets together; otherwise each by itself.
    side : {"both", "lower", "upper"}
        "lower": only the best rank an item may have is bounded; "upper": only the worst.
    seed : int
        Of what is drawn for the critical values.

    Raises
    ------
    InputError
        Another side, or a level outside (0.5, 1).
    TooLargeError
        Marginal sets of more than 300 items.
    """
    check_level(level)
    one_of("side", side, ("both", "lower", "upper"))
    n, names = len(abilities.items), abilities.items
    if not simultaneous and n > MOST_MARGINAL:
        raise TooLargeError(
            f"marginal rank sets of {n:,} items (limit {MOST_MARGINAL}); simultaneous ones can be had for more"
        )
    test = _Stepwise(Points.of(abilities.covariance, seed), abilities.normal_scores(), level)
    together, critical, error = test.rejected(np.argwhere(abilities.known))
    low, high = 1 + together.sum(axis=0), n - together.sum(axis=1)
    if not simultaneous:
        low, high = _marginal(test, abilities.known, side)
    order = [int(k) for k in np.argsort(-abilities.estimate[:n], kind="stable")]
    columns = groups(n, [(int(i), int(j)) for i, j in np.argwhere(together)], order)
    left_out = tuple((f"{names[i]} - {names[j]}", why) for (i, j), why in abilities.why.items() if j < n)
    b = abilities.estimate[:n]
    return RankSets(
        names,
        np.where(abilities.estimated.all(axis=1), 1.0 + (b[None, :] > b[:, None]).sum(axis=1), np.nan),
        np.where(side != "upper", low, 1).astype(np.int64),
        np.where(side != "lower", high, n).astype(np.int64),
        together,
        tuple(names[k] for k in np.flatnonzero(against_the_best(abilities, level, seed).may_be_best)),
        tuple(tuple(names[k] for k in column) for column in columns),
        letters(n, columns), level, simultaneous, side, critical, error, left_out,
        abilities.covariance_title, abilities.cautions, abilities.group, tuple(order),
    )  # fmt: skip


def _marginal(test: _Stepwise, known: BoolArray, side: Side) -> tuple[IntArray, IntArray]:
    """Each item by itself: its own differences, in the directions that its bounds need."""
    n = len(known)
    low, high = np.ones(n, np.int64), np.full(n, n, np.int64)
    for i in range(n):
        others = np.flatnonzero(known[i])
        over = np.stack([others, np.full(len(others), i)], axis=1)
        asked = {"both": np.concatenate([over, over[:, ::-1]]), "lower": over, "upper": over[:, ::-1]}[side]
        found, _, _ = test.rejected(asked)
        low[i] += int(found[:, i].sum())
        high[i] -= int(found[i].sum())
    return low, high


@dataclass(frozen=True, eq=False)
class _Stepwise:
    """Stepwise test of directed differences by the largest of their scores."""

    points: Points
    scores: FloatArray
    level: float

    def rejected(self, pairs: IntArray) -> tuple[BoolArray, float, float]:
        """bool[n, n]: row is shown to be above column, among these directed pairs; the first critical value, its error."""
        n = len(self.scores)
        out = np.zeros((n, n), bool)
        left = np.asarray(pairs, dtype=np.int64)
        first_critical = (math.nan, 0.0)
        while len(left):
            first, second = left.T
            family = MaxNormal(self.points, first, second, False)
            critical = family.quantile(self.level)
            if math.isnan(first_critical[0]):
                first_critical = critical
            hit = self.scores[first, second] > critical[0]
            if not hit.any():
                break
            out[first[hit], second[hit]] = True
            left = left[~hit]
        return (out, *first_critical)
