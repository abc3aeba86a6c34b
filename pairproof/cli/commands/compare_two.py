"""`pairproof compare-two`: compare two systems, by judges who may differ, by clusters, or as independent answers
(Vilar, Leusch and Ney 2007).
"""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import PAIR, Reading, cluster_options, reader_options
from ..state import READ, State, options, sectioned, shared_options


@sectioned("compare-two")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Comparison",
    {"--pair A,B": "Compare only these two, from A's point of view (default: every pair in the file)."},
    pair=PAIR,
)
@cluster_options(
    "Comparison",
    "Test the log-odds with a standard error by these clusters: judge, source, or judge,source for both ways.",
)
@reader_options
@shared_options
def command(state: State, file: str, reading: Reading[Any], pair: tuple[str, str] | None, **how: Any) -> None:
    """Compare every two systems of FILE (counts, long or votes layout; - for standard input), by judge and merged.

    The headline of each pair is the test that holds: where there are two or more judges, the t test of their mean
    preferences; with --cluster, the log-odds with a standard error by cluster; else the exact sign test of all answers,
    which supposes that they are independent. Beside it: whether judges differ, the other tests, and the paper's own
    numbers: R = (wins - losses) / comparisons, its standard error (vilar) and that of a mean, the exact sign test, the
    judges' majority vote.

    \b
    pairproof compare-two counts.csv
    pairproof compare-two judgments.csv --pair A,B --cluster judge,source
    """
    state.no_junit("a comparison has")
    import pairproof

    from ...native.competitions.ranking.two_systems import compare_all_pairs
    from ..reports.systems_compared import two_systems_document as document, two_systems_page as page

    table = reading.of(file)
    found = compare_all_pairs(table, **how) if pair is None else (pairproof.compare_two(table, *pair, **how),)
    state.give(lambda: page(found, table.source), lambda: document(found))
