"""What moved the ratings of a board since an earlier one: other items, votes between the old ones, votes with others.

A rating is 1000 + (400 / ln 10) (b_i - mean of b over the items S of its board), so that it moves when items come
or go, without any vote on it.  With C the items of both boards, b(S) the estimates of a board and b(C) those of its
votes among C alone, both centred over C, the change of item i in C is

    mean over C of b1 - mean over C of b0        both centred over their own S: the items changed, the same for all
    + b1(C)_i - b0(C)_i                          votes between items of both boards
    + (b1(S)_i - b1(C)_i) - (b0(S)_i - b0(C)_i)  votes with items that are on one board alone

and the sum is exact.  That the scores of all move when one item is added is the first and the third line
(through the constraint, and through the model of Bradley and Terry 1952, Biometrika 39, 324-345, in which A against C
and B against C tell of A against B); differences of ratings move by the second and third alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Union

import numpy as np
import pandas as pd

from ..data.comparisons import Comparisons
from ..errors import InputError
from ..fit.fit import Fit
from ..native.comparisons.contests.bradley_terry import fit_bradley_terry
from ..numerics.arrays import FloatArray
from ..text import listed

#: Changes that the sentences tell.
MOST_TOLD = 3


@dataclass(frozen=True)
class ItemChange:
    """An item of both boards, in Elo points: before, after, and change = mean + between + others, the three parts of the
    module; nan where the last two cannot be distinguished.  Ranks are among the items with a rating."""

    item: str
    before: float
    after: float
    change: float
    mean: float
    between: float
    others: float
    rank_before: int
    rank_after: int


@dataclass(frozen=True, eq=False)
class Changes:
    """What moved the ratings of a board.

    Attributes
    ----------
    items : tuple of ItemChange
        Those with a rating on both boards, as they are ranked now.
    new, gone : tuple of str
        Those with a rating on one board alone.
    votes_between, votes_others : float
        How many votes more there are between items of both boards, and with others.
    why_not : str
        Why the last two parts cannot be distinguished; "" where they can.
    """

    items: tuple[ItemChange, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]
    votes_between: float
    votes_others: float
    why_not: str = ""

    def to_frame(self) -> pd.DataFrame:
        """By item: before, after, change, mean, between, others, rank_before, rank_after.

        Returns
        -------
        DataFrame
        """
        return pd.DataFrame([asdict(change) for change in self.items]).set_index("item")

    def sentences(self) -> list[str]:
        """What changed and why, in words.

        Returns
        -------
        list of str
        """
        both = (("New", self.new, "the new items are"), ("gone", self.gone, "the removed items were"))
        sets = [f"{word}: {listed(names)}" for word, names, _ in both if names]
        said = [
            f"{'; '.join(sets) or 'The same items'}. {self.votes_between:+,.10g} votes between items of both boards,"
            f" {self.votes_others:+,.10g} with others."
        ]
        if abs(shift := self.items[0].mean) >= 0.05:
            how = ("weaker", "stronger") if shift > 0 else ("stronger", "weaker")
            why = [f"{these} {word}" for (_, names, these), word in zip(both, how) if names]
            said.append(
                f"All ratings shared by both boards move by {shift:+.1f} without any vote: the overall mean is 1000, and"
                f" {', or '.join(why)} than the others."
            )
        said += [self.why_not] * bool(self.why_not)
        same = not (self.new or self.gone)
        for c in sorted(self.items, key=lambda c: -abs(c.change - c.mean))[:MOST_TOLD]:
            told = f"{c.between:+.1f} from votes between items of both boards, {c.others:+.1f} from votes with others"
            told = f"{c.change - c.mean:+.1f} from votes" if self.why_not else told
            rank = "" if c.rank_before == c.rank_after else f"; rank {c.rank_before} to {c.rank_after}"
            parts = "" if same else f", {c.mean:+.1f} from the mean, {told}"
            said.append(f"{c.item}: {c.before:.1f} to {c.after:.1f}{parts}{rank}.")
        return said

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), "", self.to_frame().round(1).to_string()])


def board_changes(before: Union[Comparisons, Fit], after: Union[Comparisons, Fit]) -> Changes:
    """Split the changes in a board's ratings since an earlier board exactly into three parts.

    Parameters
    ----------
    before, after : Comparisons or Fit
        The votes of each board, fitted with ties as half wins, or plain Bradley-Terry fits to them.

    Returns
    -------
    Changes

    Raises
    ------
    InputError
        A fit of another model; fewer than two items with a rating on both boards.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345.

    Examples
    --------
    B beats the new item C more often than the votes on A suggest:

    >>> import pairproof
    >>> old = pairproof.Comparisons.build("AB", [0], [1], [60], None, [40])
    >>> new = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [60, 30, 40], None, [40, 20, 10])
    >>> found = pairproof.board_changes(old, new)
    >>> found.to_frame()[["before", "after", "mean", "between", "others"]].round(1).values.tolist()
    [[1035.2, 1063.5, 49.1, 0.0, -20.8], [964.8, 1034.8, 49.1, 0.0, 20.8]]
    """
    fits = [_fitted(before), _fitted(after)]
    ratings = [_ratings(fit) for fit in fits]
    common = [item for item in fits[0].items if all(np.isfinite(r.get(item, np.nan)) for r in ratings)]
    if len(common) < 2:
        raise InputError(
            f"{len(common)} items have a rating on both boards; expected at least two, with the same names: before"
            f" {listed(fits[0].items)}, after {listed(fits[1].items)}"
        )
    b = np.array([[r[item] for item in common] for r in ratings])
    within, inside = zip(*(_among(fit, rating, common) for fit, rating in zip(fits, ratings)))
    same = all(len(common) == int(np.isfinite(list(r.values())).sum()) for r in ratings)
    mean, between = 0.0 if same else b[1].mean() - b[0].mean(), within[1] - within[0]
    others = b[1] - b[1].mean() - within[1] - (b[0] - b[0].mean() - within[0])
    ranks = [[1 + sum(x > r[item] for x in r.values()) for item in common] for r in ratings]
    rows = np.transpose([1000.0 + b[0], 1000.0 + b[1], b[1] - b[0], between, others]).tolist()
    found = [
        ItemChange(item, then, now, change, float(mean), old, more, *of)
        for item, (then, now, change, old, more), of in zip(common, rows, zip(*ranks))
    ]
    rated = [[name for name, x in r.items() if np.isfinite(x)] for r in ratings]
    gone, new = (tuple(name for name in names if name not in common) for names in rated)
    outside = [fit.data.n_comparisons - votes for fit, votes in zip(fits, inside)]
    why = ""
    if not np.isfinite(between).all():
        why = (
            f"The votes between items of both boards alone rate only {int(np.isfinite(between).sum())} of {len(common)}, so"
            " their effect cannot be distinguished from that of votes with others."
        )
    found.sort(key=lambda c: -c.after)
    return Changes(tuple(found), new, gone, inside[1] - inside[0], outside[1] - outside[0], why)


def _fitted(given: Union[Comparisons, Fit]) -> Fit:
    """The plain fit of a board, items summing to zero."""
    if isinstance(given, Comparisons):
        return fit_bradley_terry(given, ties="half" if given.tie_category else None, reference="sum")
    spec = given.spec
    if given.contests is not None or given.answers is not None or spec.by or spec.item_terms or spec.through:
        raise InputError(
            f"{given.title}: expected a plain Bradley-Terry fit to votes in memory, with one ability per item; pass such"
            " a fit, or the table of its votes"
        )
    return given


def _ratings(fit: Fit) -> dict[str, float]:
    """Elo points about the mean; nan for items without a finite rating."""
    return dict(zip(fit.items, fit.on_scale("elo", at=0.0).rating.tolist()))


def _among(fit: Fit, rating: dict[str, float], common: Sequence[str]) -> tuple[FloatArray, float]:
    """Ratings by the votes among some items alone, centred over them, and how many votes these are."""
    data, spec = fit.data, fit.spec
    inside = np.isin(np.array(data.items), common)
    rows = inside[data.first] & inside[data.second] & (data.row_weights > 0.0)
    if not rows.any():
        return np.full(len(common), np.nan), 0.0
    if not inside.all():
        part = data.select(np.flatnonzero(rows)).only_compared(data.source)
        how: Any = {"ties": spec.ties if part.tie_category else None, "reference": "sum"}
        how |= {"order_effect": spec.order_effect, "comparison_terms": spec.comparison_terms}
        rating = _ratings(fit_bradley_terry(part, **how))
    b = np.array([rating.get(item, np.nan) for item in common])
    return b - b.mean(), float(data.row_weights[rows].sum())
