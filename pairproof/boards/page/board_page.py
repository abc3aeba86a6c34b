"""A board as a page: the table best first, pictures of it, what it rests on, and how anyone can check it.

`write_board` writes it as a folder, with its rows, the votes and the claims beside it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.outputs import write
from ...report.blocks import Block, Bullets, Cell, Code, Column, Folded, Heading, Page, Paragraph, Table
from ...report.json_text import json_text
from ...report.output import render_html
from ...text import named, number
from ..over_time import History
from ..rows import BoardNumbers as Board, SideBySide as Boards
from .pictures import history_picture, points, ranks_of, ratings_picture, shares_pictures
from .publish import CLAIMS, CSV, JSON, PAGE, VOTES, board_claims, check_command, checkable, votes_csv

#: Rows that a terminal or a page shows, and a picture of ratings; files and JSON have all.
MOST_ROWS, MOST_DRAWN = 500, 150
_SIGNS = {"settled": "", "provisional": "~", "below-all": "\u2193", "above-all": "\u2191", "apart": "?"}
_REFERENCES = {
    "bradley-terry": "Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of"
    " paired comparisons. Biometrika 39, 324-345.",
    "davidson": "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison"
    " experiments. Journal of the American Statistical Association 65, 317-328.",
    "rao-kupper": "Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments: a generalization of the"
    " Bradley-Terry model. Journal of the American Statistical Association 62, 194-204.",
    "elo": "Elo, A. E. (1978). The Rating of Chessplayers, Past and Present. Arco.",
    "votes": "White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica 50, 1-25.",
    "CR0": "Liang, K.-Y. and Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika"
    " 73, 13-22.",
    "CR2": "Bell, R. M. and McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with"
    " multi-stage samples. Survey Methodology 28, 169-181.",
    "df": "Pustejovsky, J. E. and Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation and"
    " hypothesis testing in fixed effects models. Journal of Business and Economic Statistics 36, 672-683.",
    "two": "Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011). Robust inference with multiway clustering. Journal of"
    " Business and Economic Statistics 29, 238-249.",
    "ranks": "Mogstad, M., Romano, J. P., Shaikh, A. M. and Wilhelm, D. (2024). Inference for ranks with applications to"
    " mobility across neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 476-518.",
    "infinite": "Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence"
    " intervals. Applied Statistics 37, 87-94.",
}


def board_page(
    board: Board,
    pictures: bool = False,
    *,
    history: History | None = None,
    verified: Sequence[str] = (),
    beside: bool = False,
) -> Page:
    """The page of one board.

    pictures: with drawings, references and how to check, as HTML has it.  verified: sentences on what was compared with
    R.
    beside: whether the files of :func:`write_board` lie beside the page.
    """
    inside = list(blocks(board, pictures, history, verified, beside))
    return Page("Leaderboard", inside, subtitle=_subtitle(board), style=_style() if pictures else "")


def boards_page(boards: Boards, pictures: bool = False) -> Page:
    """The page of boards side by side."""
    out: list[Block] = []
    for level, board in boards.boards.items():
        out += [
            Heading(f"{boards.by}: {level}"),
            Paragraph(_subtitle(board)),
            *blocks(board, pictures, board.history),
        ]
    return Page(f"Leaderboards by {boards.by}", out, style=_style() if pictures else "")


def _style() -> str:
    return resources.files(__package__).joinpath("board.css").read_text(encoding="utf-8")


def _subtitle(board: Board) -> str:
    return f"{len(board.rows):,} models, {board.data.votes:,.10g} votes from {board.data.source}"


def blocks(
    board: Board,
    pictures: bool,
    history: History | None = None,
    verified: Sequence[str] = (),
    beside: bool = False,
) -> Iterator[Block]:
    """The parts of a board's page."""
    if pictures:
        yield Paragraph(who_may_be_best(board))
    yield board_table(board)
    if pictures:
        yield from _drawn(board, history)
    if board.style:
        yield Heading("Style")
        yield style_table(board)
    yield Heading("Method")
    yield Bullets(board.method)
    if pictures:
        yield from _to_check(board, verified, beside)


def who_may_be_best(board: Board) -> str:
    """ "gpt-x may be best, and so may a, b and 2 more: ..." by the rank sets."""
    best = [row.model for row in board.rows if row.rank_low == 1]
    level = f"at {100 * board.level:g} %, all ranks at once"
    if len(best) == 1:
        return f"{best[0]} is shown to be the best ({level})."
    return (
        f"{len(best):,} models may be the best: {named(best, 5)}. These votes cannot separate them ({level})."
    )


def board_table(board: Board) -> Table:
    """The rows; columns without information are left out, those of item data stand last."""
    has_bad = any(row.both_bad is not None for row in board.rows)
    has_best = any(row.p_best is not None for row in board.rows)
    more = list(dict.fromkeys(name for row in board.rows for name in row.more))
    numeric = {name for name in more if all(_is_number(row.more.get(name)) for row in board.rows)}
    header = (
        Column("rank"),
        Column("model", "left"),
        *map(Column, ("rating", "low", "high", "votes", "wins", "losses", "ties")),
        *([Column("both bad")] if has_bad else []),
        Column("win rate"),
        *([Column("p best")] if has_best else []),
        Column("tier"),
        Column("status", "left"),
        *(Column(_title(name), "right" if name in numeric else "left") for name in more),
    )
    rows = []
    for place, row in enumerate(board.rows[:MOST_ROWS], 1):
        cells = [Cell(ranks_of(row), value=place), Cell(row.model, title=row.model)]
        cells += [_cell(points(x), x) for x in (row.rating, row.low, row.high)]
        cells += [_cell(f"{count:,.10g}", count) for count in (row.votes, row.wins, row.losses, row.ties)]
        cells += [_share(row.both_bad)] * has_bad + [_share(row.win_rate)] + [_chance(row.p_best)] * has_best
        cells += [_cell(str(row.tier), row.tier), Cell(row.status, _SIGNS[row.status])]
        cells += [_value(name, row.more.get(name)) for name in more]
        rows.append(tuple(cells))
    hidden = len(board.rows) - len(rows)
    caption = f"{hidden:,} more models are not shown; see the JSON and CSV files" if hidden > 0 else ""
    return Table(header, tuple(rows), caption, named_by=1, sortable=True)


def style_table(board: Board) -> Table:
    """The effects of style and order, in log-odds."""
    half = 50.0 * (1.0 - board.level)
    rows = tuple((e.name, *map(number, (e.estimate, e.se, e.low, e.high))) for e in board.style)
    return Table(("effect, in log-odds", "estimate", "se", f"{half:.4g} %", f"{100.0 - half:.4g} %"), rows)


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float))


def _cell(text: str, value: float | None) -> Cell:
    return Cell(text, value=value)


def _share(value: float | None) -> Cell:
    text = "-" if value is None else "<0.001" if 0.0 < value < 0.0005 else f"{value:.3f}"
    return Cell(text, value=value)


def _chance(value: float | None) -> Cell:
    """A chance is never 0, only too small for the draws."""
    return Cell("<0.001", value=0.0) if value == 0.0 else _share(value)


def _title(name: str) -> str:
    """A column of item data as it is called; one of the board beside in words."""
    return name.replace("_", " ") if name.endswith("_without_style") else name


def _value(name: str, value: object) -> Cell:
    if value is None:
        return Cell("-")
    if name == "rating_without_style" and isinstance(value, float):
        return _cell(points(value), value)
    return Cell(f"{value:g}", value=value) if isinstance(value, float) else Cell(str(value))


# -- what HTML has beside ----------------------------------------------------------------------------------


def _drawn(board: Board, history: History | None) -> Iterator[Block]:
    yield ratings_picture(board, board.rows[:MOST_DRAWN])
    if len(board.rows) > MOST_DRAWN:
        yield Paragraph(f"The first {MOST_DRAWN} of {len(board.rows):,} models are drawn.", aside=True)
    yield from shares_pictures(board)
    if history is not None and history.dates:
        models = [row.model for row in board.rows]
        yield history_picture(history, models, _scale_over_time(board))
        yield Folded("The same in numbers", (history_table(history, models),))


def _scale_over_time(board: Board) -> str:
    return _centre(board) + " This table does not adjust for style and order." * bool(board.style)


def _centre(board: Board) -> str:
    if board.scale.anchor:
        return f"{board.scale.anchor} is {board.scale.at:g} at each date."
    return f"At each date the mean of the models present is {board.scale.at:g}, so a new model shifts all others."


def history_table(history: History, models: Sequence[str]) -> Table:
    """First and last rating of each model, best of today first."""
    place, rows = {name: k for k, name in enumerate(history.models)}, []
    for name in models[:MOST_ROWS]:
        ratings = (
            history.rating[:, place[name]]
            if name in place
            else history.rating[:, :0].sum(axis=1) * float("nan")
        )
        there = [k for k, value in enumerate(ratings) if value == value]
        if there:
            first, last = float(ratings[there[0]]), float(ratings[there[-1]])
            dates = Cell(history.dates[there[0]]), Cell(history.dates[there[-1]])
            change = _cell(f"{last - first:+.1f}", last - first)
            rows.append(
                (
                    Cell(name, title=name),
                    dates[0],
                    _cell(points(first), first),
                    dates[1],
                    _cell(points(last), last),
                    change,
                )
            )
    header = (Column("model", "left"), "first date", "rating", "last date", "rating", "change")
    return Table(header, tuple(rows), sortable=True)


def references(board: Board) -> tuple[str, ...]:
    """What the methods of this board are from."""
    robust = board.fit.robust
    keys = ["bradley-terry", board.scale.ties, board.scale.name]
    if robust is not None:
        keys += ["CR2", "df"] if robust.kind == "CR2" else ["CR0" if robust.columns else "votes"]
        keys += ["two"] * (len(robust.columns) == 2)
    keys += ["ranks"] + ["infinite"] * any(row.rating is None for row in board.rows)
    return tuple(_REFERENCES[key] for key in keys if key in _REFERENCES)


def verified_in_words(agreements: Iterable[Any]) -> tuple[str, ...]:
    """Sentences for `verified`: of the agreements that `fit.verify()` gives, how many numbers agree, and to how many digits."""
    held = [a for a in agreements if a.digits is not None and a.r_call and a.r_arrived]
    if not held:
        return ()
    agree = [a for a in held if a.verdict == "agrees"]
    calls = dict.fromkeys(a.r_call.partition(",")[0] for a in held)
    least = f", the least to {int(min(a.digits for a in agree))} digits" if agree else ""
    return (
        f"In the fit behind the ratings, {len(agree):,} of {len(held):,} numbers agree with R ({named(calls, 5)}){least}.",
    )


def _to_check(board: Board, verified: Sequence[str], beside: bool) -> Iterator[Block]:
    import pairproof

    yield Heading("References")
    yield Bullets(references(board))
    yield Heading("How to check this page")
    not_held = "No number on this page was compared with R. To compare them, call fit.verify() on the board's fit where R is installed."
    yield Bullets(
        (
            f"Made by pairproof {pairproof.__version__}. The votes' digest, the SHA-256 of the pooled counts, is"
            f" {board.data.digest}.",
            *(verified or (not_held,)),
            f"{CSV if beside else 'The CSV'} gives the table above in full precision. With the votes, all numbers can"
            " be recomputed, with a verdict on each:",
        )
    )
    lines = [check_command(board, CSV, "VOTES")]
    yield Code("\n".join([f"pairproof check {CLAIMS}", *lines] if beside else lines))


# -- as a folder -------------------------------------------------------------------------------------------


def write_board(
    board: Board,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    history: History | None = None,
    verified: Sequence[str] = (),
) -> tuple[Path, ...]:
    """Write a board as a folder that can be published: page, CSV, JSON, votes and claims.

    Parameters
    ----------
    board : Board
    folder : path
        Made if it is not there.
    force : bool
        Replace files that pairproof did not write.
    history : History, optional
        Ratings over time, for the page.
    verified : sequence of str
        Sentences on what was compared with R, for the page.

    Returns
    -------
    tuple of Path
        index.html, leaderboard.csv and leaderboard.json; votes.csv and leaderboard.toml unless the model has columns of
        style that votes which are only counted do not have.

    Raises
    ------
    InputError
        A file that cannot be written, or is there already and is not pairproof's.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: cannot be created ({error.strerror}); name a folder") from error
    beside = checkable(board)
    texts = {
        PAGE: render_html(
            board_page(board, True, history=history or board.history, verified=verified, beside=beside)
        ),
        CSV: board.to_csv(),
        JSON: json_text(board.to_dict()),
    }
    if beside:
        votes = votes_csv(board)
        digest = hashlib.sha256(votes.encode()).hexdigest()
        texts |= {VOTES: votes, CLAIMS: board_claims(board, CSV, VOTES, digest)}
    for name, text in texts.items():
        write(place / name, text, force=force)
    return tuple(place / name for name in texts)
