"""`Board` and `Boards`: a ranking as text, page, JSON, CSV or Markdown, and what others print of the same votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..errors import InputError
from ..report.output import render_fragment, render_html, render_markdown, render_text
from ..text import label, listed, quoted
from .rows import BoardNumbers, SideBySide

if TYPE_CHECKING:
    from ..report.blocks import Page
    from .others.peers import PeerBoard


@dataclass(frozen=True, eq=False, repr=False)
class Board(BoardNumbers):
    """A board: its rows, best first, and how they were made.

    Attributes
    ----------
    rows : tuple of BoardRow
    scale : BoardScale
    clusters : BoardClusters or None
        None where single votes are taken as independent.
    style : tuple of StyleEffect
    data : BoardData
    method : tuple of str
        Sentences: the model, the scale, standard errors, what was treated how.
    fit : Fit
        The fit from which all numbers are taken.
    table : Comparisons
        The votes as fitted.
    level : float
        Of limits and rank sets.
    ranks : RankSets
        With all statements of the form A is better than B that hold at once.
    history : History or None
        Ratings over time, if asked for.
    """

    def to_markdown(self) -> str:
        """The board as Markdown.

        Returns
        -------
        str
        """
        return render_markdown(self.page())

    def to_html(self) -> str:
        """The board as one HTML file, which fetches nothing.

        Returns
        -------
        str
        """
        return render_html(self.page(pictures=True))

    # -- what others print of the same votes -----------------------------------------------------------------

    def as_arena_rank(self, **how: Any) -> PeerBoard:
        """What arena-rank converges to; `how` as :func:`.others.peers.as_arena_rank` has it, `features` this board's style.

        Returns
        -------
        PeerBoard
        """
        from .others.peers import as_arena_rank

        return as_arena_rank(self.table, **{"features": self.fit.spec.comparison_terms, **how})

    def as_fastchat(self, **how: Any) -> PeerBoard:
        """What FastChat converges to; as :meth:`as_arena_rank`.

        Returns
        -------
        PeerBoard
        """
        from .others.peers import as_fastchat

        return as_fastchat(self.table, **{"features": self.fit.spec.comparison_terms, **how})

    def as_evalica(self, **how: Any) -> PeerBoard:
        """What evalica converges to; `how` as :func:`.others.peers.as_evalica` has it.

        Returns
        -------
        PeerBoard
        """
        from .others.peers import as_evalica

        return as_evalica(self.table, **how)

    def descriptive(self) -> pd.DataFrame:
        """Elo in the order of rows, counting, average win rate and PageRank, which are no models.

        Returns
        -------
        DataFrame
        """
        from .others.descriptive import descriptive

        return descriptive(self.table)

    def page(self, pictures: bool = False) -> Page:
        """The board as blocks of a report; `pictures` with drawings."""
        from .page.board_page import board_page

        return board_page(self, pictures)

    def __str__(self) -> str:
        return render_text(self.page()).rstrip("\n")

    def __repr__(self) -> str:
        first = self.rows[0].model if self.rows else "nobody"
        return f"<Board: {len(self.rows)} models, {self.data.votes:,.10g} votes, {label(first)} first>"

    def _repr_html_(self) -> str:
        return render_fragment(self.page())


@dataclass(frozen=True, eq=False, repr=False)
class Boards(SideBySide):
    """Boards side by side, one for each value of a column: each of its own votes alone.

    Attributes
    ----------
    by : str
        The column.
    boards : mapping of str to Board
    """

    boards: Mapping[str, Board]

    def __getitem__(self, level: str) -> Board:
        if level not in self.boards:
            raise InputError(f"no board of {self.by}={quoted(level)}; there are {listed(self.boards)}")
        return self.boards[level]

    def page(self, pictures: bool = False) -> Page:
        """The boards as blocks of a report."""
        from .page.board_page import boards_page

        return boards_page(self, pictures)

    def to_markdown(self) -> str:
        """The boards as Markdown.

        Returns
        -------
        str
        """
        return render_markdown(self.page())

    def to_html(self) -> str:
        """The boards as one HTML file, which fetches nothing.

        Returns
        -------
        str
        """
        return render_html(self.page(pictures=True))

    def __str__(self) -> str:
        return render_text(self.page()).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Boards by {self.by}: {listed(self.boards)}>"
