"""`pairproof check`: claims files, the user's own or those that come with the package, and boards beside their votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.many import OF_MANY, check_files, many_options
from ..options.reading import (
    LISTS,
    Reading,
    cluster_options,
    comparisons,
    parsed,
    rating_of,
    read_as,
    reading_options,
    taken,
    where_option,
)
from ..options.verifying import give_verdicts, paper_options
from ..state import READ, SHARE, SectionedCommand, State, choice, options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons

HELP = """Check claims files: do the paper's data give the numbers it prints, and does R agree?

Each FILE is a claims file (*.claims.toml), a folder of them, or the name of a paper that comes with pairproof. Of several
there is a line a paper; one that cannot be read stops no other. With --votes FILE is the CSV of a
leaderboard, and each of its ratings, limits, ranks and counts gets a verdict.

\b
pairproof check my-paper.claims.toml
pairproof check my-paper.claims.toml --attachment for-the-editor.html
pairproof check papers/ --out checked/
pairproof check firth-2005.claims.toml --r none --json
pairproof check leaderboard.csv --votes votes.parquet --anchor mixtral-8x7b=1114 --cluster judge
"""
_READING = {
    "columns": "The votes' own name for a column, for example winner=verdict; repeatable.",
    "coding": "The codes that stand for first, tie, second and both_bad.",
    "rename": "Another name for a model of the votes; repeatable.",
    "encoding": "Encoding of a text file, such as latin-1 (default: UTF-8).",
}


@click.command("check", cls=SectionedCommand, help=HELP)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=READ)
@options(
    "A board",
    {
        "--votes FILE": "The votes of the board in FILE, whose numbers are then checked.",
        "--ties": "How the board treats ties (default: half).",
        "--anchor MODEL=RATING": "A model whose rating the board holds (default: the mean of all ratings is 1000).",
        "--mean POINTS": "The mean of the ratings, where there is no anchor (default: 1000).",
        "--expected": "Ratings of the model's abilities (default), or of its expected scores.",
        "--order-effect": "The board holds equal who was shown first.",
        "--style COL[,COL]": "Covariates of the two answers that it holds equal, as of pairproof leaderboard.",
        "--level": "Of limits and rank sets (default: 0.95).",
    },
    votes=READ,
    ties=choice("half", "davidson", "rao-kupper", "drop"),
    anchor={"callback": parsed(rating_of)},
    mean=float,
    expected=choice("ability", "score"),
    style=LISTS,
    level=SHARE,
)
@cluster_options("A board", "What goes together in its standard errors (default: single votes).")
@reading_options("Reading the votes", ("long", "counts", "votes"), _READING)
@where_option
@many_options
@paper_options
def command(state: State, files: tuple[str, ...], votes: str | None, **asked: Any) -> int:
    of_votes = read_as(asked, (*_READING, "where"))
    of_board = taken(
        asked, ("ties", "anchor", "mean", "expected", "order_effect", "style", "level", "cluster", "kind")
    )
    if votes is None:
        stray = [
            f"--{name.replace('_', '-')}" for name, value in of_board.items() if value and name != "kind"
        ]
        if stray or any(of_votes.values()):
            raise click.UsageError(f"{(*stray, 'options of reading')[0]} is of a board; add --votes FILE.")
        if boards := [file for file in files if file.lower().endswith((".csv", ".tsv"))]:
            raise click.UsageError(
                f"{boards[0]} is no claims file; if it is a leaderboard, add --votes FILE."
            )
        return check_files(state, files, **asked)
    if given := next((name for name in OF_MANY if asked.pop(name)), ""):
        raise click.UsageError(f"--{given} is for claims files; leave out --{given} or --votes.")
    if len(files) != 1 or files[0].endswith(".toml"):
        raise click.UsageError(
            "--votes is for one board, a CSV with a model and its rating in each row; claims files name their data."
        )
    if of_board["anchor"] and of_board["mean"] is not None:
        raise click.UsageError("--anchor and --mean contradict each other; leave one out.")
    return _check_board(state, files[0], Reading(comparisons, of_votes).of(votes), of_board, asked)


def _check_board(
    state: State, file: str, votes: Comparisons, of_board: dict[str, Any], asked: dict[str, Any]
) -> int:
    from ...boards.votes import Votes, styled
    from ...validation.check.printed_board import check_board
    from ...validation.claims.paper import ModelClaim

    anchor, at = of_board["anchor"] or ("", of_board["mean"])
    cluster = of_board["cluster"]
    with_style = styled(Votes(votes), of_board["style"])
    model = ModelClaim(
        "bradley-terry",
        (of_board["ties"] or "half") if votes.tie_category else "none",
        reference="sum",
        scale="elo",
        anchor=anchor,
        at=at,
        expected=of_board["expected"] or "",
        level=f"{of_board['level']:.15g}" if of_board["level"] else "",
        order_effect=of_board["order_effect"],
        comparison_terms=with_style.terms,
        cluster=cluster,
        cluster_kind=of_board["kind"],
        by_vote=not cluster,
    )
    return give_verdicts(state, check_board(file, with_style.table, model), asked["require_r"], asked["full"])
