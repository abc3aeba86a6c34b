"""`easl next`: open a batch of HITs and write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.sections import COUNT, SectionedCommand, option
from ..state import READ, WRITTEN, FileName, State, shared_options

if TYPE_CHECKING:
    from ...campaign.hits.chosen import Batch

_campaign, _who, _files = option("Campaign"), option("Annotators"), option("Files")


@click.command("next", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_campaign(
    "--hits",
    type=COUNT,
    metavar="K",
    help="Number of HITs in the batch (default: items / per-hit; 20 with pool keisks).",
)
@_campaign("--again", is_flag=True, help="Write the open batch again instead of opening a new one.")
@_campaign(
    "--qualification",
    is_flag=True,
    help="Open the qualification batch, or give it to annotators who have not had it.",
)
@_who(
    "--judgments",
    type=COUNT,
    metavar="K",
    help="Different annotators for each HIT (default: as the campaign was made).",
)
@_who("--for-annotators", is_flag=True, help="--out is a folder: a page for each registered annotator.")
@_who("--annotator", metavar="NAME", help="Give the HITs to this registered annotator alone.")
@_who(
    "--due",
    metavar="DATE",
    help="Day (its end, UTC) or moment after which the next batch gives what is not back to others.",
)
@_files(
    "--out",
    required=True,
    metavar="FILE",
    type=FileName(),
    help="Write .csv (one row per HIT), .jsonl, .html (a self-contained page), or FOLDER/ (a page each).",
)
@_files(
    "--for",
    "style",
    type=click.Choice(["plain", "mturk", "label-studio"]),
    default="plain",
    help="Write for Mechanical Turk (.csv, cells escaped) or Label Studio (.json): only what is shown.",
)
@_files(
    "--layout",
    metavar="FILE",
    type=WRITTEN,
    help="With --for: also write the layout (.html) or the labeling configuration (.xml) that shows it.",
)
@_files(
    "--lang",
    metavar="TAG",
    help="Language of question, anchors and instructions, where the campaign has several ('easl texts').",
)
@_files(
    "--address",
    metavar="URL",
    help="Where the pages of FOLDER/ are put; links-K.csv then has each annotator's link.",
)
@_files(
    "--show",
    multiple=True,
    metavar="COLUMN",
    help="A further column that annotators see in this batch, beside the campaign's own; repeatable.",
)
@shared_options
def next_(state: State, campaign: str, out: str, **asked: Any) -> int:
    """Open the next batch of HITs and write it to --out.

    Where annotators are registered ('easl annotators add'), each HIT goes to so many different ones, and
    --out FOLDER/ has a page for each of them, named by a token, with index-K.csv for the team. Where none
    are, the HITs are for whoever comes.

    \b
    pairproof easl next C.db --out hits.csv
    pairproof easl next C.db --out pages/ --due 2026-12-01
    pairproof easl next C.db --annotator ann --out ann.html
    """
    from ...campaign.hits.batch import open_batch

    state.no_report("'easl status'; 'easl next' writes its batch to --out.")
    batch = open_batch(campaign, out, seed=state.seed, force=state.force, **asked)
    if batch.unanswered:
        state.say(
            f"{batch.unanswered} HITs of earlier batches are not answered yet; their results can be added at"
            " any time."
        )
    for note in batch.notes:
        state.say(f"Note: {note}.")
    number, hits, size = batch.number, len(batch.hits), batch.per_hit
    found = {"campaign": batch.campaign, "batch": number, "hits": hits, "per_hit": size, "out": out}
    state.show(
        f"batch {number}{' again' if asked['again'] else ''}: {hits} HIT{'' if hits == 1 else 's'} of {size} items in {out}"
        f"{_more(batch)}",
        {**found, **_details(batch)},
    )
    return 0


def _details(batch: Batch) -> dict[str, Any]:
    """What the JSON document says beside the numbers of the batch."""
    given = {g.annotator: [list(batch.places[k]) for k in g.places] for g in batch.given}
    return {
        "judgments": batch.judgments,
        "given_again": batch.again,
        "annotators": given,
        "files": list(batch.files),
        "notes": list(batch.notes),
    }


def _more(batch: Batch) -> str:
    """Who gets the HITs, in words."""
    again = f"; {batch.again} of earlier batches given again" if batch.again and batch.given else ""
    if batch.given:
        least, most = min(len(g.places) for g in batch.given), max(len(g.places) for g in batch.given)
        each = str(least) if least == most else f"{least} to {most}"
        people = "annotator" if len(batch.given) == 1 else "annotators"
        return f"; {len(batch.given)} {people}, {each} HIT{'' if each == '1' else 's'} each{again}"
    if batch.judgments > 1 and "qualification" not in batch.kinds:
        return (
            f"; each HIT is for {batch.judgments} different annotators: publish it with MaxAssignments"
            f" {batch.judgments}"
        )
    return ""
