"""A board as a page: the table best first, what it rests on, and pictures of it."""

from __future__ import annotations

from collections.abc import Iterator

from ..report.blocks import Block, Bullets, Cell, Column, Heading, Page, Paragraph, Table
from ..text import number
from .result import Board, BoardRow, Boards

#: Rows that a terminal or a page shows; files and JSON have all.
MOST_ROWS = 500
_SIGNS = {"settled": "", "provisional": "~", "below-all": "v", "above-all": "^", "apart": "?"}


def board_page(board: Board, pictures: bool = False) -> Page:
    """The page of one board."""
    return Page("Leaderboard", list(blocks(board, pictures)), subtitle=_subtitle(board))


def boards_page(boards: Boards, pictures: bool = False) -> Page:
    """The page of boards side by side."""
    out: list[Block] = []
    for level, board in boards.boards.items():
        out += [Heading(f"{boards.by}: {level}"), Paragraph(_subtitle(board)), *blocks(board, pictures)]
    return Page(f"Leaderboards by {boards.by}", out)


def _subtitle(board: Board) -> str:
    return f"{len(board.rows):,} models, {board.data.votes:,.10g} votes from {board.data.source}"


def blocks(board: Board, pictures: bool) -> Iterator[Block]:
    """The parts of a board's page."""
    yield board_table(board)
    if board.style:
        yield Heading("Style")
        yield style_table(board)
    yield Heading("Method")
    yield Bullets(board.method)


def board_table(board: Board) -> Table:
    """The rows; columns that tell nothing are left out, those of item data stand last."""
    has_bad = any(row.both_bad is not None for row in board.rows)
    has_best = any(row.p_best is not None for row in board.rows)
    more = list(dict.fromkeys(name for row in board.rows for name in row.more))
    header = (
        Column("rank"),
        Column("model", "left"),
        *map(Column, ("rating", "low", "high", "votes", "wins", "losses", "ties")),
        *([Column("both bad")] if has_bad else []),
        Column("win rate"),
        *([Column("p best")] if has_best else []),
        Column("tier"),
        Column("status", "left"),
        *(Column(name, "left") for name in more),
    )
    rows = []
    for row in board.rows[:MOST_ROWS]:
        cells: list[str | Cell] = [_rank(row), row.model, *map(_points, (row.rating, row.low, row.high))]
        cells += [f"{count:,.10g}" for count in (row.votes, row.wins, row.losses, row.ties)]
        cells += [_share(row.both_bad)] * has_bad + [_share(row.win_rate)] + [_share(row.p_best)] * has_best
        cells += [str(row.tier), row.status]
        cells += [_value(row.more.get(name)) for name in more]
        rows.append(tuple(cells))
    hidden = len(board.rows) - len(rows)
    caption = f"{hidden:,} more models are not shown; JSON and CSV have them" if hidden > 0 else ""
    return Table(header, tuple(rows), caption)


def style_table(board: Board) -> Table:
    """The effects of style and order, in log-odds."""
    half = 50.0 * (1.0 - board.level)
    rows = tuple((e.name, *map(number, (e.estimate, e.se, e.low, e.high))) for e in board.style)
    return Table(("effect, in log-odds", "estimate", "se", f"{half:.4g} %", f"{100.0 - half:.4g} %"), rows)


def _rank(row: BoardRow) -> str:
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _value(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)
