"""`easl next`: open a batch of HITs and write it."""

from __future__ import annotations

import click

from ..options.sections import COUNT, SectionedCommand, option
from ..state import READ, WRITTEN, State, shared_options

_campaign, _files = option("Campaign"), option("Files")


@click.command("next", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_campaign(
    "--hits",
    type=COUNT,
    metavar="K",
    help="Number of HITs in the batch (default: items / per-hit; 20 with pool keisks).",
)
@_files(
    "--out",
    required=True,
    metavar="FILE",
    type=WRITTEN,
    help="Write the HITs as .csv (one row per HIT), .jsonl, or .html (a self-contained page).",
)
@_campaign("--again", is_flag=True, help="Write the open batch again instead of opening a new one.")
@shared_options
def next_(state: State, campaign: str, hits: int | None, out: str, again: bool) -> int:
    """Open the next batch of HITs and write it to --out."""
    from ...campaign.hits.batch import open_batch

    state.no_report("'easl status'; 'easl next' writes its batch to --out.")
    batch = open_batch(campaign, out, hits, again=again, seed=state.seed, force=state.force)
    if batch.unanswered:
        state.say(
            f"{batch.unanswered} HITs of earlier batches are not answered yet; their results can be added at"
            " any time."
        )
    number, hits, size = batch.number, len(batch.hits), batch.per_hit
    state.show(
        f"batch {number}{' again' if again else ''}: {hits} HITs of {size} items in {out}",
        {"campaign": batch.campaign, "batch": number, "hits": hits, "per_hit": size, "out": out},
    )
    return 0
