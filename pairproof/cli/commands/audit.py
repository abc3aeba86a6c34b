"""`pairproof audit`: what is wrong with the votes of a board, and what its first places rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.reading import LISTS, Reading, reader_options
from ..state import LEVEL, READ, SectionedCommand, State, options, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons

HELP = """Look for what is wrong with the votes in VOTES (as for fit; - for standard input), a sentence each, worst first.

Flags are tests, all of them together at one level: position; circles, and pairs beyond the board; ties and both-bad votes by
item; judges unlike all others, one-sided, for one item, repeating an answer, too fast; bursts; repeated votes. Notes are no
tests: how few votes change the first place, what the treatment of ties, clusters and style changes, items with few votes. Then
the first places, before and without flagged judges and repeated votes.

\b
pairproof audit votes.csv
pairproof audit arena.parquet --columns judge=user --style length --report audit.html
"""


@click.command("audit", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="VOTES", type=READ)
@options(
    "Audit",
    {
        "--time COLUMN": "When votes were cast, in seconds or as dates (default: tstamp, or a name like it).",
        "--style X,Y": "Numeric columns in favour of the item named first; length: length_a - length_b.",
        "--level": "No flag at all on this share of boards without defects.",
    },
    time="",
    style=LISTS,
    level=LEVEL,
)
@reader_options
@shared_options
def command(state: State, file: str, reading: Reading[Comparisons], **asked: Any) -> None:
    state.no_junit("an audit has")
    import pairproof

    found = pairproof.audit(reading.of(file), **asked)
    state.give(found.page, found.to_dict)
