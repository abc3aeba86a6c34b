"""Confidence sets for ranks, and which items may be the best.

rank_i = 1 + #{j : b_j > b_i}.  Differences in both directions are tested together, stepwise, by the largest of their
normal scores; the set of item i is then::

    [1 + #{j : j is shown to be above i},  n - #{j : i is shown to be above j}]

Simultaneous sets hold for all items at once, marginal ones for each item by itself (Mogstad, Romano, Shaikh and Wilhelm
2024, Rev. Econ. Stud. 91, 476-518; R's csranks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .letters import groups, letters
from .max_normal import MaxNormal, root_of
from .simultaneous import Abilities, quantile_of

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Side = Literal["both", "lower", "upper"]


@dataclass(frozen=True, eq=False)
class RankSets:
    """Ranks of items with confidence sets.

    Attributes
    ----------
    items : tuple of str
    rank : int[n]
        Of the estimates; ties share the better rank.
    low, high : int[n]
        Confidence set of each rank, 1 the best.
    above : bool[n, n]
        Row is shown to be above column (simultaneously).
    best : tuple of str
        Items that may be the best (Hsu), by a statement of its own at the same level.
    groups : tuple of tuple of str
        Maximal sets of items of which no two are told apart, best first; they overlap.
    letters : tuple of str
        Of each item, from the groups.
    level : float
    simultaneous : bool
        Whether all sets hold together.
    """

    items: tuple[str, ...]
    rank: IntArray
    low: IntArray
    high: IntArray
    above: BoolArray
    best: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    letters: tuple[str, ...]
    level: float
    simultaneous: bool

    def to_frame(self) -> pd.DataFrame:
        """A row an item, best first: rank, low, high, letters, may_be_best."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "rank": self.rank,
                "low": self.low,
                "high": self.high,
                "letters": self.letters,
                "may_be_best": [item in self.best for item in self.items],
            },
            index=list(self.items),
        )
        return frame.iloc[np.lexsort([np.arange(len(frame)), self.rank])]


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
        Of the directions by which the largest score's distribution is found.

    Raises
    ------
    InputError
        Fewer than two items, a level outside (0.5, 1), or differences without a standard error.
    """
    n = len(abilities.items)
    if n < 2 or not 0.5 < level < 1.0:
        raise InputError(
            f"{n} items and level={level}; expected two items at least and a level between 0.5 and 1"
        )
    off = ~np.eye(n, dtype=bool)
    if not (np.isfinite(abilities.se[off]).all() and (abilities.se[off] > 0.0).all()):
        raise InputError(
            "some differences of items have no standard error: ranks of these items are not determined"
        )
    scores = abilities.normal_scores()
    test = _Stepwise(root_of(abilities.covariance), scores, level, seed)
    together = test.rejected(np.argwhere(off))
    low, high = np.ones(n, np.int64), np.full(n, n, np.int64)
    for i in range(n):
        others = np.array([j for j in range(n) if j != i])
        over = np.stack([others, np.full(n - 1, i)], axis=1)
        under = over[:, ::-1]
        if simultaneous:
            family = {"both": together, "lower": together, "upper": together}[side]
        else:
            asked = {"both": np.concatenate([over, under]), "lower": over, "upper": under}[side]
            family = test.rejected(asked)
        if side != "upper":
            low[i] += int(family[:, i].sum())
        if side != "lower":
            high[i] -= int(family[i].sum())
    order = [int(k) for k in np.argsort(-abilities.estimate, kind="stable")]
    told = [(int(i), int(j)) for i, j in np.argwhere(together)]
    columns = groups(n, told, order)
    names = abilities.items
    return RankSets(
        names,
        1 + (abilities.estimate[None, :] > abilities.estimate[:, None]).sum(axis=1),
        low,
        high,
        together,
        tuple(names[k] for k in order if may_be_best(abilities, k, level, seed)),
        tuple(tuple(names[k] for k in column) for column in columns),
        letters(n, columns),
        level,
        simultaneous,
    )


@dataclass(frozen=True, eq=False)
class _Stepwise:
    """Stepwise test of directed differences by the largest of their scores."""

    root: FloatArray
    scores: FloatArray
    level: float
    seed: int

    def rejected(self, pairs: IntArray) -> BoolArray:
        """bool[n, n]: row is shown to be above column, among these directed pairs."""
        n = len(self.root)
        out = np.zeros((n, n), bool)
        left = np.asarray(pairs, dtype=np.int64)
        while len(left):
            first, second = left.T
            sd = np.sqrt(((self.root[first] - self.root[second]) ** 2).sum(axis=1))
            c, _ = MaxNormal(self.root, first, second, sd, False, self.seed).quantile(self.level)
            hit = self.scores[first, second] > c
            if not hit.any():
                break
            out[first[hit], second[hit]] = True
            left = left[~hit]
        return out


def may_be_best(abilities: Abilities, i: int, level: float, seed: int = 0) -> bool:
    """Whether item i may be the best, by Hsu's comparisons with the best."""
    n = len(abilities.items)
    others = np.array([j for j in range(n) if j != i])
    root = root_of(abilities.covariance)
    same = np.full(n - 1, i)
    sd = np.sqrt(((root[others] - root[i]) ** 2).sum(axis=1))
    d, _ = MaxNormal(root, others, same, sd, False, seed).quantile(level)
    reach = quantile_of(d, abilities.df[others, i]) * abilities.se[others, i]
    return bool((abilities.estimate[others] - abilities.estimate[i] < reach).all())
