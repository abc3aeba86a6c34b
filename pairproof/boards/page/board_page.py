"""A board as a page: the table best first, pictures of it, what it rests on, and how anyone can check it.

`write_board` writes it as a folder, with its rows, the votes and the claims beside it.

In `votes.csv` clusters have numbers in place of their names, so that no judge's is published; which votes go
together stays.  `pairproof check leaderboard.toml` fits these votes again and gives each number a verdict.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ...data.columns import Factor, FloatArray
from ...errors import InputError
from ...files.outputs import write
from ...report.blocks import Block, Bullets, Cell, Code, Column, Folded, Heading, Page, Paragraph, Table
from ...report.json_text import json_text
from ...report.output import render_html
from ...text import as_typed, named, number, toml, toml_lines
from ..over_time import History
from ..rows import BoardNumbers as Board, SideBySide as Boards
from .pictures import history_picture, points, ranks_of, ratings_picture, shares_pictures

#: Rows that a terminal or a page shows, and a picture of ratings; files and JSON have all.
MOST_ROWS, MOST_DRAWN = 500, 150
#: Of a board with a model of both-bad votes.
QUALITIES = ("both_bad_expected", "both_bad_low", "both_bad_high")
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


def board_page(board: Board, pictures: bool, beside: bool = False) -> Page:
    """The page of one board.

    pictures: with drawings, references and how to check, as HTML has it.  beside: whether the files of :func:`write_board`
    lie beside the page.
    """
    inside = list(blocks(board, pictures, beside))
    return Page("Leaderboard", inside, subtitle=_subtitle(board), style=_style() if pictures else "")


def boards_page(boards: Boards, pictures: bool) -> Page:
    """The page of boards side by side."""
    out: list[Block] = []
    for level, board in boards.boards.items():
        out += [Heading(f"{boards.by}: {level}"), Paragraph(_subtitle(board)), *_shown(board, pictures)]
    out += _to_check(boards.boards, False) if pictures else ()
    return Page(f"Leaderboards by {boards.by}", out, style=_style() if pictures else "")


def _style() -> str:
    return resources.files(__package__).joinpath("board.css").read_text(encoding="utf-8")


def _subtitle(board: Board) -> str:
    return f"{len(board.rows):,} models, {board.data.votes:,.10g} votes from {board.data.source}"


def blocks(board: Board, pictures: bool, beside: bool = False) -> Iterator[Block]:
    """The parts of a board's page."""
    yield from _shown(board, pictures)
    if pictures:
        yield from _to_check({"": board}, beside)


def _shown(board: Board, pictures: bool) -> Iterator[Block]:
    """A board without what stands once at the end of a page."""
    if pictures:
        yield Paragraph(who_may_be_best(board))
    yield board_table(board)
    if pictures:
        yield from _drawn(board)
    if board.style:
        yield Heading("Style")
        yield style_table(board)
    yield Heading("Method")
    yield Bullets(board.method)


def who_may_be_best(board: Board) -> str:
    """ "gpt-x may be best, and so may a, b and 2 more: ..." by the rank sets."""
    best = [row.model for row in board.rows if row.rank_low == 1]
    level = f"at {100 * board.level:g} %, all ranks at once"
    if len(best) == 1:
        return f"{best[0]} is shown to be the best ({level})."
    together = f"{len(best):,} models may be the best: {named(best, 5)}."
    return f"{together} These votes cannot separate them ({level})."


def board_table(board: Board) -> Table:
    """The rows; columns without information are left out, those of item data stand last."""
    has_bad = any(row.both_bad is not None for row in board.rows)
    has_best = any(row.p_best is not None for row in board.rows)
    more = [n for n in dict.fromkeys(n for row in board.rows for n in row.more) if n != _RANKS[1]]
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
        cells += [_value(name, row.more) for name in more]
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


#: The ends of the ranks without style, which the table has in one column.
_RANKS = ("rank_low_without_style", "rank_high_without_style")
_TITLES = {"rating_without_style": "no-style rating", _RANKS[0]: "no-style rank"}


def _title(name: str) -> str:
    """A column of item data as it is called; one of the board beside in words."""
    return _TITLES.get(name, name)


def _value(name: str, more: Mapping[str, object]) -> Cell:
    value, high = more.get(name), more.get(_RANKS[1])
    if value is None:
        return Cell("-")
    if name == _RANKS[0]:
        return Cell(f"{value}" if value == high else f"{value}-{high}")
    if name == "rating_without_style" and isinstance(value, float):
        return _cell(points(value), value)
    if name in QUALITIES and isinstance(value, float):
        return _share(value)
    return Cell(f"{value:g}", value=value) if isinstance(value, float) else Cell(str(value))


# -- what HTML has beside ----------------------------------------------------------------------------------


def _drawn(board: Board) -> Iterator[Block]:
    history = board.history
    yield ratings_picture(board, board.rows[:MOST_DRAWN])
    if len(board.rows) > MOST_DRAWN:
        yield Paragraph(f"The first {MOST_DRAWN} of {len(board.rows):,} models are drawn.", aside=True)
    yield from shares_pictures(board)
    if history is not None and history.dates:
        models = [row.model for row in board.rows]
        said = f"At each date the mean of the models present is {board.scale.at:g}, so a new model shifts all others."
        if board.scale.anchor:
            said = f"{board.scale.anchor} is {board.scale.at:g} at each date."
        said += " This table does not adjust for style and order." * bool(board.style)
        yield history_picture(history, models, said)
        yield Folded("The same in numbers", (history_table(history, models),))


def history_table(history: History, models: Sequence[str]) -> Table:
    """First and last rating of each model, best of today first."""
    of, rows = dict(zip(history.models, history.rating.T.tolist())), []
    for name in models[:MOST_ROWS]:
        there = [(date, value) for date, value in zip(history.dates, of.get(name, ())) if value == value]
        if there:
            (begin, first), (end, last) = there[0], there[-1]
            cells = [Cell(name, title=name), Cell(begin), _cell(points(first), first)]
            cells += [Cell(end), _cell(points(last), last), _cell(f"{last - first:+.1f}", last - first)]
            rows.append(tuple(cells))
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


def _to_check(boards: Mapping[str, Board], beside: bool) -> Iterator[Block]:
    """References and how to check, of all boards of the page together, which are named by a level."""
    import pairproof

    yield Heading("References")
    yield Bullets(tuple(dict.fromkeys(text for board in boards.values() for text in references(board))))
    yield Heading("How to check this page")
    not_held = "No number on this page was compared with R. To compare them, call fit.verify() on the board's fit where R is installed."
    yield Bullets(
        (
            f"Made by pairproof {pairproof.__version__}. The votes' digest, the SHA-256 of the pooled counts, is "
            + "; ".join(f"{level}{': ' * bool(level)}{board.data.digest}" for level, board in boards.items())
            + ".",
            not_held,
            f"{CSV if beside else 'The CSV'} gives the table above in full precision. With the votes, all numbers can"
            " be recomputed, with a verdict on each:",
        )
    )
    lines = list(dict.fromkeys(check_command(board, CSV, "VOTES") for board in boards.values()))
    yield Code("\n".join([f"pairproof check {CLAIMS}", *lines] if beside else lines))


# -- as a folder -------------------------------------------------------------------------------------------


def write_board(board: Board, folder: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
    """Write a board as a folder that can be published: page, CSV, JSON, votes and claims.

    Parameters
    ----------
    board : Board
    folder : path
        Made if it is not there.
    force : bool
        Replace files that pairproof did not write.

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
    page = render_html(board_page(board, True, beside))
    texts = {PAGE: page, CSV: board.to_csv(), JSON: json_text(board.to_dict())}
    if beside:
        votes = votes_csv(board)
        digest = hashlib.sha256(votes.encode()).hexdigest()
        texts |= {VOTES: votes, CLAIMS: board_claims(board, CSV, VOTES, digest)}
    for name, text in texts.items():
        write(place / name, text, force=force)
    return tuple(place / name for name in texts)


# -- what is published beside it, so that anyone can check it

PAGE, VOTES = "index.html", "votes.csv"
CSV, JSON, CLAIMS = "leaderboard.csv", "leaderboard.json", "leaderboard.toml"
#: Decimals of what claims print: more than a page shows, fewer than differ between machines.
DECIMALS = 4


def check_command(board: Board, csv_name: str, votes_name: str) -> str:
    """The command that makes the numbers of a board again from the votes."""
    words = ["pairproof", "check", csv_name, "--votes", votes_name]
    words += ["--ties", board.scale.ties] if board.scale.ties not in ("half", "none") else []
    words += ["--anchor", f"{board.scale.anchor}={board.scale.at:.15g}"] if board.scale.anchor else []
    if board.clusters:
        words += ["--cluster", ",".join(board.clusters.columns)]
        words += ["--cluster-kind", board.clusters.kind] if board.clusters.kind != "CR2" else []
    words += ["--order-effect"] * board.fit.spec.order_effect
    style = [term.removeprefix("style.") for term in board.fit.spec.comparison_terms]
    for name in board.data.reading.get("style") or style:
        words += ["--style", name]
    words += ["--level", f"{board.level:.15g}"] if board.level != 0.95 else []
    for name in ("layout", "columns", "coding", "items", "rename", "encoding", "drop", "where"):
        words += as_typed(name, board.data.reading.get(name) or "")
    return " ".join(map(shlex.quote, words))


def checkable(board: Board) -> bool:
    """Whether the votes are held as fitted: those that are only counted have no columns of style."""
    return all(name in board.table.columns for name in board.fit.spec.comparison_terms)


# -- the votes as fitted -----------------------------------------------------------------------------------


def votes_csv(board: Board) -> str:
    """The votes as fitted: items, counts, clusters by number, and the covariates of the model."""
    table = board.table
    names, columns = ["first", "second"], []
    items = np.array(table.items, object)
    numbers: list[FloatArray] = [table.first.astype(float), table.second.astype(float)]
    for name in _clusters(board):
        numbers.append(_numbered(table.columns[name]))
        names.append(name)
    covariates = [*board.fit.spec.comparison_terms, *(["order"] if "order" in table.columns else [])]
    for name in dict.fromkeys(covariates):
        column = table.columns[name]
        if isinstance(column, Factor):
            raise InputError(f"column {name!r} of the model is text; style columns must be numeric")
        numbers.append(column)
        names.append(name)
    kinds = ("wins", "ties", "losses") if table.tie_category else ("wins", "losses")
    counts = {name: getattr(table, name) for name in kinds}
    of = np.column_stack(list(counts.values()))
    # A row without a cluster is a cluster of its own, and so is a weighted one where every vote is a cluster.
    key, together = np.column_stack(numbers), np.column_stack(numbers)
    if not np.isnan(key).any() and (of == np.round(of)).all():
        key, place = np.unique(together, axis=0, return_inverse=True)
        of = np.column_stack([np.bincount(place.ravel(), of[:, k], len(key)) for k in range(of.shape[1])])
    k = len(_clusters(board))
    columns = [items[key[:, 0].astype(int)], items[key[:, 1].astype(int)]]
    columns += [["" if np.isnan(v) else f"c{v:.0f}" for v in key[:, 2 + i]] for i in range(k)]
    columns += [[_short(v) for v in key[:, i]] for i in range(2 + k, key.shape[1])]
    columns += [[_short(v) for v in of[:, i]] for i in range(of.shape[1])]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, *counts])
    writer.writerows(zip(*columns))
    return stream.getvalue()


def _clusters(board: Board) -> tuple[str, ...]:
    """Columns of clusters that the votes still have; none of votes that were only counted."""
    columns = board.clusters.columns if board.clusters else ()
    return columns if all(name in board.table.columns for name in columns) else ()


def _numbered(column: Any) -> FloatArray:
    """Clusters numbered from 1 in the order of the votes; nan where one is not known."""
    codes = column.codes if isinstance(column, Factor) else np.where(np.isnan(column), -1.0, column)
    known, first, place = np.unique(codes, return_index=True, return_inverse=True)
    missing = known == -1
    order = np.argsort(np.where(missing, np.iinfo(np.int64).max, first))
    number = np.empty(len(known))
    number[order] = np.arange(1.0, len(known) + 1.0)
    return np.asarray(np.where(missing, np.nan, number)[place.ravel()])


def _short(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if value == round(value) and abs(value) < 2**53 else repr(float(value))


# -- claims ------------------------------------------------------------------------------------------------


def board_claims(board: Board, csv_name: str, votes_name: str, sha256: str) -> str:
    """The text of a claims file: every rating, limit and rank of the board, to be recomputed from the votes.

    csv_name: where the numbers were read, in words.  votes_name, sha256: the file of :func:`votes_csv` beside it.
    """
    ratings = {row.model: _printed(row.rating) for row in board.rows if row.rating is not None}
    ends = [(row, end, getattr(row, end)) for row in board.rows for end in ("low", "high")]
    limits = {f"{end}.{row.model}": _printed(value) for row, end, value in ends if value is not None}
    places = [(row, end) for row in board.rows for end in ("rank_low", "rank_high")]
    ranks = {f"{end}.{row.model}": str(getattr(row, end)) for row, end in places}
    counted_only = board.clusters is not None and not _clusters(board)
    title = f"Leaderboard of {len(board.rows):,} models from {board.data.votes:,.10g} votes"
    paper = {"id": "leaderboard", "title": title, "read_from": csv_name}
    votes = {"kind": "file", "items": board.table.items, "file": votes_name, "sha256": sha256}
    said = "# Every number of a leaderboard, as data: `pairproof check` refits the votes and reports which numbers are reproduced."
    lines = [said, "", "[paper]", *toml_lines(paper), "", "[data.votes]", *toml_lines(votes)]
    lines += _claim(board, "ratings", {"estimate": ratings}) if ratings else []
    if counted_only:
        lines += [
            "",
            "# Limits and ranks use clusters of votes that were counted but not kept; they are not claimed.",
        ]
        return "\n".join([*lines, ""])
    lines += _claim(board, "limits", {"stat": limits}) if limits else []
    return "\n".join([*lines, *_claim(board, "ranks", {"stat": ranks}), ""])


def _claim(board: Board, name: str, printed: dict[str, dict[str, str]]) -> list[str]:
    head = {"id": name, "data": "votes", "engines": ("native",)}
    tables = [[f"[claim.{key}]", *toml_lines(of), ""] for key, of in printed.items()]
    lines = ["", "[[claim]]", *toml_lines(head), f"model = {toml(_model(board))}"]
    return [*lines, *(x for t in tables for x in t)][:-1]


def _model(board: Board) -> dict[str, Any]:
    spec, scale, columns = board.fit.spec, board.scale, _clusters(board)
    stated: dict[str, Any] = {
        "family": "bradley-terry",
        "ties": spec.ties,
        "reference": "sum",
        "scale": scale.name,
        "anchor": scale.anchor,
        "at": float(scale.at),
        "expected": scale.expected,
        "level": f"{board.level:.15g}",
        "order_effect": spec.order_effect,
        "comparison_terms": spec.comparison_terms,
        "cluster": columns,
    }
    if columns and board.clusters is not None:
        stated["cluster_kind"] = board.clusters.kind
    else:
        stated["by_vote"] = board.clusters is None
    return {key: value for key, value in stated.items() if value not in ("", ()) and value is not False}


def _printed(value: float) -> str:
    return f"{value:.{DECIMALS}f}"
