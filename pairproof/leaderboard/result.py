"""`Board`: a ranking with its limits, ranks and statements, as a table, JSON, CSV or Markdown.

A row stands for an item.  Its rating is on the scale that the board states, its ranks (from, to) are those of
all items at once (:meth:`pairproof.Fit.ranks`), and a tier ends where every item above is shown to be better than
every item below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from ..data.comparisons import Comparisons
    from ..fit.fit import Fit

#: Limits narrower than stated; wider; lost to all, won against all; no chain of votes to the others.
Status = Literal["settled", "provisional", "below-all", "above-all", "apart"]
#: A value of an item covariate.
ItemValue = Union[str, float, None]


@dataclass(frozen=True)
class BoardRow:
    """An item of a board.

    model: its name.  tier: from 1.  rank_low, rank_high: the ranks that it may have, from 1.  rating, low, high: None where
    there is none (`below-all`, `above-all`, `apart`).  votes, wins, losses, ties: of its own votes; both_bad: the share of
    its votes that called both bad, None where votes have no such answer.  win_rate: the mean of its expected scores
    against each other item.  p_best: the chance of being best; None where it is not defined.  more: of `item_data`, and
    numbers of other models of the same votes.
    """

    model: str
    tier: int
    rank_low: int
    rank_high: int
    rating: float | None
    low: float | None
    high: float | None
    votes: float
    wins: float
    losses: float
    ties: float
    both_bad: float | None
    win_rate: float | None
    p_best: float | None
    status: Status
    more: Mapping[str, ItemValue] = field(default_factory=dict)


@dataclass(frozen=True)
class BoardScale:
    """name: "elo" or "log-odds".  anchor: the item that is `at`; "" where `at` is the mean.  ties: how ties are treated.
    expected: "ability", or "score" where ratings are those of expected scores."""

    name: str
    anchor: str
    at: float
    ties: str
    expected: Literal["ability", "score"]


@dataclass(frozen=True)
class BoardClusters:
    """Votes that go together: the columns, clusters by column, CR0, CR1 or CR2."""

    columns: tuple[str, ...]
    n: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class StyleEffect:
    """What a covariate of the comparison, or being shown first, does to the log-odds."""

    name: str
    estimate: float
    se: float
    low: float
    high: float


@dataclass(frozen=True)
class BoardData:
    """source: in words; digest: of the pooled counts; votes: counted; dropped: why -> votes that were left out."""

    source: str
    digest: str
    votes: float
    dropped: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Board:
    """A board: its rows, best first, and how they were made.

    fit: of which all numbers are.  table: the votes as fitted.  level: of limits and ranks.  method: sentences.
    without: the board without style, where style was asked for.
    """

    rows: tuple[BoardRow, ...]
    scale: BoardScale
    clusters: BoardClusters | None
    style: tuple[StyleEffect, ...]
    data: BoardData
    method: tuple[str, ...]
    fit: Fit
    table: Comparisons
    level: float
    without: Board | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of the board."""
        raise NotImplementedError
