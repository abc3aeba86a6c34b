"""`pairproof count`: votes of any number of files into counts that add up, kept as a file that `fit` takes."""

from __future__ import annotations

from typing import Any

import click

from ...report.blocks import Page, Paragraph, Table
from ..options.reading import DROP, names_or_none, read_as, reading_options, where_option, with_notes
from ..state import KEPT, READ, WRITTEN, State, options, sectioned, shared_options, watched_work

_TABLE = {
    "layout": "Default: recognised from the column names.",
    "columns": "The file's own name for a column, for example winner=verdict; repeatable.",
    "coding": "The codes for first, tie, both_bad and second.",
    "items": "Order of the items (default: numeric if all are numbers, else by code point).",
    "levels": "Order of the levels of a column of --by; repeatable.",
    "rename": "Another name for an item; repeatable.",
    "tie_category": "Whether judges could answer 'no preference' (default: if a tie occurs).",
    "item_data": "File of item covariates, one row per item.",
    "encoding": "Encoding of text files, such as latin-1 (default: UTF-8).",
    "drop": DROP,
}


@sectioned("count")
@click.argument("votes", metavar="VOTES...", type=READ, nargs=-1, required=True)
@options(
    "Counting",
    {
        "--by COL[,COL]": "Columns to count by; models can use them as covariates.",
        "--out FILE.json|.json.gz": ("Save the counts to this file.", WRITTEN),
        "--add FILE": "Saved counts to which these are added; without --out, that file is replaced atomically.",
        "--name": "Name of these votes; votes whose name is already included are refused (default: by content of each file).",
        "--most-cells": "Maximum number of distinct rows.",
    },
    by={"callback": names_or_none},
    add=KEPT,
    name="",
    most_cells={"type": click.IntRange(min=1), "default": 5_000_000},
)
@reading_options("Reading the table", ("long", "counts", "votes", "evalica"), _TABLE)
@where_option
@shared_options
def command(state: State, votes: tuple[str, ...], out: str | None, add: str | None, **asked: Any) -> int:
    """Count the votes in VOTES (Parquet, Arrow, CSV, TSV, JSON Lines; paths, or globs in quotes), however many.

    A model of the counts is that of the votes, to the last bit. --out keeps them; counts add up: --add puts the votes
    of a day to those that are kept, and a file whose votes are in already is refused.

    \b
    pairproof count 'votes/*.parquet' --by language --out counts.json
    pairproof count today.parquet --by language --add counts.json
    pairproof fit counts.json --ties davidson
    """
    state.no_junit("counts have")
    import pairproof

    how = read_as(asked, _TABLE)
    with watched_work(state, "votes") as watch:
        table = pairproof.count(
            list(votes),
            by=asked["by"] or (),
            name=asked["name"] or None,
            most_cells=asked["most_cells"],
            progress=lambda done, of: watch(done, of) if of else None,
            where=asked["where"],
            **how,
        )
    with_notes(table)
    if add is not None:
        table = pairproof.load(add) + table
    if out or add:
        table.save(str(out or add), force=state.force, replace_read=out is None)
    else:
        state.say(
            "the counts were not saved; --out counts.json saves them, and pairproof fit reads that file"
        )
    state.give(lambda: _page(table), lambda: _document(table))
    return 0


def _page(table: Any) -> Page:
    parts = tuple((part.name, f"{part.comparisons:,}") for part in table.counted)
    return Page("Counts", [Paragraph(str(table).partition("\n")[0]), Table(("part", "votes"), parts)])


def _document(table: Any) -> dict[str, Any]:
    return {
        "items": list(table.items),
        "tie_category": table.tie_category,
        "comparisons": int(table.n_comparisons),
        "rows": table.n_rows,
        "by": list(table.columns),
        "dropped": dict(table.dropped),
        "parts": [{"name": p.name, "comparisons": p.comparisons, "digest": p.digest} for p in table.counted],
        "digest": table.digest(),
    }
