"""`pairproof next-pairs`: the pairs whose votes tell soonest who is best."""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import Reading, names, parsed, reader_options
from ..state import COUNT, LEVEL, READ, State, choice, options, sectioned, shared_options


@sectioned("next-pairs")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Next pairs",
    {
        "--n VOTES": ("Number of votes to collect.", {"type": COUNT, "default": 100}),
        "--focus top|all|ITEM": "The best item, the whole order, or the position of one item.",
        "--ties": "How ties are treated: half a win for each, a separate outcome, or dropped.",
        "--cluster COL[,COL]|none": "Columns that define clusters (default: judge and prompt, if present).",
        "--level": ("Level at which a difference counts as found.", LEVEL),
    },
    focus={"default": "top"},
    ties=choice("half", "davidson", "rao-kupper", "drop", default="half"),
    cluster={"callback": parsed(lambda text: [] if text == "none" else names(text))},
)
@reader_options
@shared_options
def command(state: State, file: str, reading: Reading[Any], ties: Any, cluster: Any, **asked: Any) -> None:
    """Propose which pairs to compare next, so that the fewest votes answer --focus: by default, which item in FILE is best.

    By default votes go to the best item and the rivals that cannot be distinguished from it; each pair is asked
    equally often in both orders. For comparison, the result for the same number of votes spread evenly over all pairs
    is shown.

    \b
    pairproof next-pairs votes.parquet
    pairproof next-pairs votes.csv --n 500 --focus newcomer --cluster judge --json
    """
    state.no_junit("a plan of votes has")
    from ...boards.next_pairs import next_pairs
    from ...boards.votes import Votes, clusters_of
    from ...native.comparisons.contests.bradley_terry import fit_bradley_terry

    table = reading.of(file)
    columns = clusters_of(Votes(table))[0] if cluster is None else cluster
    fit = fit_bradley_terry(table, ties=ties if table.tie_category else None, reference="sum")
    robust = fit.clustered(*columns, kind="CR1", missing="own") if columns else fit.clustered()
    found = next_pairs(robust, **asked)
    state.give(found.page, found.to_dict)
