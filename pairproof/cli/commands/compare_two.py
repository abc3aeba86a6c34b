"""`pairproof compare-two`: compare two systems sentence by sentence, for each judge and for all together
(Vilar, Leusch and Ney 2007).
"""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import reader_options, two_names
from ..options.sections import SectionedCommand, option
from ..state import READ, State, shared_options

_what = option("Comparison")
HELP = """Compare every two systems of FILE (counts or long layout; - for standard input), by judge and merged.

For each pair: R = (wins - losses) / sentences; its standard error by the paper's formula (vilar) and as that of a mean
(mean); significance, two-sided at 5 %; the exact sign test; the judges' majority vote and the sum of their sentences.

\b
pairproof compare-two counts.csv
pairproof compare-two judgments.csv --pair A,B --json
"""


@click.command("compare-two", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_what(
    "--pair",
    metavar="A,B",
    callback=two_names,
    help="Compare only these two, from A's point of view (default: every pair in the file).",
)
@reader_options
@shared_options
def command(state: State, file: str, pair: tuple[str, str] | None, reading: dict[str, Any]) -> int:
    state.no_junit("a comparison has")
    import pairproof

    from ...native.ranking.two_systems import compare_all_pairs
    from ..reports.compare_two import page

    table = pairproof.read(file, **reading)
    found = compare_all_pairs(table) if pair is None else (pairproof.compare_two(table, *pair),)
    document = [row for two in found for row in two.to_dicts()]
    state.give(lambda: page(found, table.source), document)
    return 0
