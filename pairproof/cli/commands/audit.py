"""`pairproof audit`: what is wrong with the votes of a board, and what its first places rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.reading import Reading, reader_options
from ..state import LEVEL, READ, State, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons


@sectioned("audit")
@click.argument("file", metavar="VOTES", type=READ)
@options(
    "Audit",
    {
        "--time COLUMN": "When votes were cast, in seconds or as dates (default: tstamp, or a name like it).",
        "--style TERM": "Covariate of the two answers: length for length_a and length_b, or diff(tokens_{a,b}); repeatable.",
        "--level": ("Share of boards without defects that get no flag.", LEVEL),
    },
    time="",
    style={"multiple": True},
)
@reader_options
@shared_options
def command(state: State, file: str, reading: Reading[Comparisons], **asked: Any) -> None:
    """Look for defects in VOTES (read as by fit; - for standard input): one sentence for each, worst first.

    Flags are tests at one joint level: position; cycles, and pairs that the board does not explain; ties and both-bad
    votes by item; judges who differ from all others, favor a side or an item, repeat an answer or are too fast;
    bursts; repeated votes. Notes are not tests: how few votes change the first place, the effect of ties, clusters
    and style, items with few votes. Then the first places, with and without flagged judges and repeated votes.

    \b
    pairproof audit votes.csv
    pairproof audit arena.parquet --columns judge=user --style length --report audit.html
    """
    state.no_junit("an audit has")
    import pairproof

    found = pairproof.audit(reading.of(file), **asked)
    state.give(found.page, found.to_dict)
