"""`pairproof watch`: intervals that hold however often one looks while answers come in."""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import PAIR, Reading, cluster_options, reader_options
from ..state import LEVEL, POSITIVE, READ, State, options, sectioned, shared_options


@sectioned("watch")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Intervals",
    {
        "--pair A,B": "Only these two (default: all pairs; exact intervals if the file has one pair).",
        "--level": ("Level of the intervals, joint over all pairs.", LEVEL),
        "--planned N": "Answers (clusters with --cluster) where the asymptotic intervals are narrowest,"
        " chosen before the first look (default: 500; 50 clusters).",
    },
    pair=PAIR,
    planned=POSITIVE,
)
@cluster_options(
    "Intervals",
    "Treat clusters as the arriving units (at least 20): judge, source, or judge,source (two-way).",
)
@reader_options
@shared_options
def command(state: State, file: str, reading: Reading[Any], pair: tuple[str, str] | None, **how: Any) -> None:
    """Give intervals that stay valid however often you look at FILE, so that you may stop at any time.

    Two systems: the share of decisive answers (exact, beta mixture), the mean score with ties as one half (exact,
    hedged capital), and the mean of judges. Several systems: all pairs jointly (asymptotic). Rows of FILE are taken
    in the order in which answers arrived. An ordinary 95 % interval, checked after each of 2,000 answers, errs in
    half of all studies.

    \b
    pairproof watch votes.csv --pair A,B
    pairproof watch votes.csv --cluster judge --planned 60
    """
    state.no_junit("a look has")
    from ...native.competitions.ranking.two_systems import pairs_in_order
    from ...native.planning.looking_early import watch_table, watch_two
    from ..reports.study_plans import document, page

    table = reading.of(file)
    if pair is not None or len(pairs_in_order(table)) == 1:
        if how["planned"] is not None and not how["cluster"]:
            raise click.UsageError("--planned has no effect on two systems without --cluster; omit it.")
        found = watch_two(table, *(pair or (None, None)), **how)
    else:
        found = watch_table(table, **how)
    state.give(lambda: page(found, table.source), lambda: document(found))
