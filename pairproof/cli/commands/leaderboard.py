"""`pairproof leaderboard`: votes into a ranking, with limits, rank sets, tiers and what they rest on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import click
from click.core import ParameterSource

from ...report.json_text import json_text
from ...report.output import Output
from ...text import number
from ..options.reading import (
    DROP,
    ITEM_DATA,
    STYLES,
    names,
    parsed,
    rating_of,
    read_as,
    reading_options,
    where_option,
)
from ..state import LEVEL, POSITIVE, READ, SectionedCommand, State, choice, options, shared_options

_TABLE = {
    "layout": "Default: recognised from the column names.",
    "columns": "The file's own name for a column, for example winner=verdict; repeatable.",
    "coding": "The codes for first, tie, second and both_bad.",
    "items": "Order of the models (default: numeric if all are numbers, else by code point).",
    "levels": "Order of the levels of a column; repeatable.",
    "rename": "Another name for a model; repeatable.",
    "item_data": ITEM_DATA,
    "drop": DROP,
    "encoding": "Encoding of text files, such as latin-1 (default: UTF-8).",
}


#: Layouts with a vote, or counts of votes, a row.
LAYOUTS = ("long", "counts", "votes", "evalica", "soft", "alpaca", "arena-hard")


#: Of which programs, and by which scores, the numbers can be had.
SCORES = ("expected-wins", "trueskill")
PEERS = ("arena-rank", "fastchat", "evalica", "descriptive", *SCORES)


class _WithRows(SectionedCommand):
    """A command whose report may be the rows of a table, as CSV."""

    has_rows = True


def _cluster(text: str) -> tuple[str, ...] | None:
    return None if text == "none" else tuple(names(text))


@click.command("leaderboard", cls=_WithRows)
@click.argument("votes", metavar="VOTES...", type=READ, nargs=-1, required=True)
@options(
    "Board",
    {
        "--anchor MODEL=RATING": "A model whose rating is known (default: the mean of all ratings is 1000).",
        "--by COL": "A board for each value of a column, side by side.",
        "--style COL[,COL]": "Covariates of the two answers to adjust for: length for length_a and length_b, or"
        " diff(tokens_{a,b}); the unadjusted board is shown too.",
        "--order-effect": "Adjust for which answer was shown first.",
        "--ties": "How ties are treated: half a win for each, a separate outcome, or dropped.",
        "--both-bad": "How a both-bad vote is treated: as a tie, dropped, or by its own model.",
        "--expected": "Ratings of the model's abilities, or of its expected scores; the same where a tie is half a win.",
        "--cluster COL[,COL]|none": "Columns that define clusters (default: judge and prompt, if present).",
        "--precision POINTS": "Models with a limit more than this far from their rating are provisional.",
        "--level": ("Level of the limits, and of all rank sets together.", LEVEL),
    },
    anchor={"callback": parsed(rating_of)},
    style=STYLES,
    ties=choice("half", "davidson", "rao-kupper", "drop", default="half"),
    both_bad=choice("tie", "drop", "own", default="tie"),
    expected=choice("ability", "score", default="ability"),
    cluster={"default": "auto", "callback": parsed(_cluster), "show_default": False},
    precision={"type": POSITIVE, "default": 30.0},
)
@options(
    "What is published",
    {
        "--date COL": "Show ratings over time, by this column, on the page.",
        "--every": "Period of the ratings over time.",
        "--out FOLDER": "Write index.html, leaderboard.csv, .json and .toml, and the votes as fitted, so that anyone"
        " can check the board.",
    },
    every=choice("day", "week", "month", "quarter", "year", default="month"),
)
@options(
    "Other boards",
    {
        "--as": "Show the numbers and defaults of another program for these votes instead of the board.",
        "--since VOTES": "Show what moved the ratings since the board of these earlier votes, instead of the board.",
    },
    as_=choice(*PEERS, name="peer"),
    since={"type": READ},
)
@reading_options("Reading the votes", LAYOUTS, _TABLE)
@where_option
@shared_options
def command(
    state: State,
    votes: tuple[str, ...],
    anchor: tuple[str, float] | None,
    out: str | None,
    peer: str | None,
    since: str | None,
    **asked: Any,
) -> int:
    """Rank the models of VOTES (CSV, TSV, JSON, JSON Lines, Parquet, Arrow; paths, or quoted globs).

    For each model, best first: range of ranks, rating and its limits, votes, wins, losses and ties, mean win rate,
    chance of being best, tier and status. Limits are cluster-robust: votes by one judge or about one prompt form a
    cluster.

    \b
    pairproof leaderboard votes.parquet
    pairproof leaderboard votes.parquet --anchor mixtral-8x7b=1114 --style length --report board.html --report board.csv
    pairproof leaderboard votes.jsonl --by language --both-bad drop --json
    pairproof leaderboard votes.csv --since votes-of-may.csv
    """
    state.no_junit("a board has")
    from ...boards.board import leaderboard
    from ...boards.page.board_page import write_board

    if peer is not None and (asked["by"] is not None or out is not None):
        raise click.UsageError("--as gives the numbers of another program; omit --by and --out.")
    if out is not None and asked["by"] is not None:
        raise click.UsageError(
            "--out is a folder for one board; select its votes with --where instead of --by."
        )

    if since is not None:
        _refuse_with_since()
    how = read_as(asked, (*_TABLE, "where"))
    if not how["where"]:
        del how["where"]
    if anchor is not None:
        asked["anchor"], asked["at"] = anchor
    source = votes[0] if len(votes) == 1 else list(votes)
    if since is not None:
        _give_changes(state, since, source, how)
        return 0
    if peer in SCORES:
        _give_scores(state, source, how, peer, asked["level"])
        return 0
    found = leaderboard(source, **asked, **how, seed=state.seed or 0)
    if peer is not None:
        _give_peer(state, found, peer)
        return 0
    state.give_output(
        Output(
            lambda: found.page(pictures=True),
            lambda: json_text(found.to_dict()) + "\n",
            terminal=lambda: str(found),
            csv=found.to_csv,
        ),
        found.to_dict,
    )
    if out is not None:
        for path in write_board(found, out, force=state.force):
            state.say(f"written: {path}")
    return 0


def _refuse_with_since() -> None:
    """Refuse options of the board, whose model and scale the parts of a change do not have."""
    context = click.get_current_context()
    known = {*_TABLE, "where", "votes", "since", "report", "json", "force", "seed", "quiet", "debug"}
    other = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in known
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if other:
        raise click.UsageError(
            "--since compares two boards with ties as half wins and a mean of 1000, without limits; omit"
            f" {', '.join(other)}."
        )


def _give_changes(state: State, since: str, source: Any, how: dict[str, Any]) -> None:
    """What moved the ratings since the board of earlier votes."""
    from ...boards.changed import board_changes
    from ...boards.votes import gathered

    found = board_changes(*(gathered(votes, (), how).table for votes in (since, source)))
    frame = found.to_frame().reset_index()
    _give(state, "Changes in the ratings", frame, tuple(found.sentences()), "since", since, "{:.1f}".format)


def _give_scores(state: State, source: Any, how: dict[str, Any], score: str, level: float) -> None:
    """Scores of translation tasks, every track by itself."""
    from ...boards.others.shared_task import shared_task
    from ...boards.votes import gathered

    table = gathered(source, (), how).table
    frame = shared_task(table, cast(Any, score), level=level, seed=state.seed or 0)
    _give(state, f"{score}, bootstrap of judgments, rank ranges and clusters", frame, (), "peer", score)


def _give_peer(state: State, board: Any, peer: str) -> None:
    """The numbers of another program, or of columns that are no model's."""
    if peer == "descriptive":
        frame = board.descriptive()
        said = frame.attrs.get("left_out", ())
        _give(state, "Columns without a model", frame.rename_axis("model").reset_index(), said, "peer", peer)
        return
    of = getattr(board, f"as_{peer.replace('-', '_')}")()
    frame = of.to_frame().rename_axis("model").sort_values("rating", ascending=False).reset_index()
    _give(
        state,
        of.peer,
        frame,
        (*(f"{name}: {value}" for name, value in of.defaults.items()), *of.what_it_does),
        "peer",
        peer,
    )


def _give(
    state: State,
    title: str,
    frame: Any,
    said: tuple[str, ...],
    kind: str,
    of: str,
    shown: Callable[[float], str] = number,
) -> None:
    """A table and sentences on it; kind, of: the key and value of its JSON that say what it is."""
    from ...report.blocks import Bullets, Page, Table

    rows = tuple(
        tuple(shown(v) if isinstance(v, float) else str(v) for v in row)
        for row in frame.itertuples(index=False)
    )
    page = Page(title, [Table(tuple(map(str, frame.columns)), rows), *([Bullets(said)] if said else [])])
    document = {kind: of, "rows": frame.to_dict("records"), "said": list(said)}
    state.give(lambda: page, lambda: document)
