"""Rows of a board, what is said about them, and their JSON and CSV.

A row stands for an item.  Its rating is on the scale that the board states, its ranks (from, to) are those of all items
at once (:meth:`pairproof.Fit.ranks`), and a tier ends where every item above is shown to be better than every item
below. """

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Union

import pandas as pd

from ..report.json_text import plain

if TYPE_CHECKING:
    from ..data.comparisons import Comparisons
    from ..fit.fit import Fit
    from ..fit.many.comparison_results import RankSets
    from .over_time import History

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
    against each other item that has a rating.  p_best: the chance of being best; None where it is not defined.  more: of `item_data`, and
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
    """source: in words; digest: of the pooled counts; votes: counted; dropped: why -> votes that were left out; reading: the
    arguments by which they were read, and the style that was asked for."""

    source: str
    digest: str
    votes: float
    dropped: Mapping[str, float]
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class BoardNumbers:
    """Numbers of a :class:`pairproof.boards.result.Board`; the attributes are documented there."""

    rows: tuple[BoardRow, ...]
    scale: BoardScale
    clusters: BoardClusters | None
    style: tuple[StyleEffect, ...]
    data: BoardData
    method: tuple[str, ...]
    fit: Fit
    table: Comparisons
    level: float
    ranks: RankSets
    history: History | None = None

    def to_dict(self) -> dict[str, Any]:
        """The board as a JSON object, with every digit; None where there is no value.

        Returns
        -------
        dict
            board, scale, clusters, style, data, method.
        """
        found: dict[str, Any] = {"board": [row_dict(row) for row in self.rows], "scale": asdict(self.scale)}
        found |= {"clusters": self.clusters and asdict(self.clusters)}
        found |= {"style": [asdict(effect) for effect in self.style]}
        known = {name: value for name, value in vars(self.data).items() if name != "reading"}
        found |= {"data": {**known, "votes": _whole(self.data.votes)}}
        return dict(plain({**found, "confidence": self.level, "method": self.method}))

    def to_frame(self) -> pd.DataFrame:
        """The rows, best first, under the names of the JSON.

        Returns
        -------
        DataFrame
        """
        return pd.DataFrame([row_dict(row) for row in self.rows])

    def to_csv(self) -> str:
        """The rows as CSV, with every digit; blank where there is no value.

        Returns
        -------
        str
        """
        return as_csv([row_dict(row) for row in self.rows])


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide:
    """Numbers of :class:`pairproof.boards.result.Boards`; the attributes are documented there."""

    by: str
    boards: Mapping[str, BoardNumbers]

    def to_dict(self) -> dict[str, Any]:
        """As :meth:`Board.to_dict`, with an object for each level under `board`.

        Returns
        -------
        dict
        """
        of = {level: board.to_dict() for level, board in self.boards.items()}
        return {"by": self.by, "board": [{"level": level, **document} for level, document in of.items()]}

    def to_frame(self) -> pd.DataFrame:
        """The rows of all boards; the first column is `by`.

        Returns
        -------
        DataFrame
        """
        return pd.DataFrame(self._rows())

    def to_csv(self) -> str:
        """The rows of all boards as CSV.

        Returns
        -------
        str
        """
        return as_csv(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {self.by: level, **row_dict(row)} for level, board in self.boards.items() for row in board.rows
        ]


#: What a row has, in the order of JSON and CSV; then the columns of item data and of other models.
KEYS = tuple(f.name for f in fields(BoardRow) if f.name != "more")
COUNTS = ("votes", "wins", "losses", "ties")


def row_dict(row: BoardRow) -> dict[str, Any]:
    """A row under the names of the JSON; a column of item data of the same name gets the prefix
    `item.`."""
    own = {name: _whole(getattr(row, name)) if name in COUNTS else getattr(row, name) for name in KEYS}
    return own | {(f"item.{name}" if name in own else name): value for name, value in row.more.items()}


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV under their names.  A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(row.get(name)) for name in names] for row in rows])
    return stream.getvalue()


def _whole(count: float) -> float | int:
    return int(count) if count.is_integer() else count


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
