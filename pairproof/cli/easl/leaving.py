"""`easl export`: write a campaign to files."""

from __future__ import annotations

from typing import Any

import click

from ..options.sections import SectionedCommand, level_option, option
from ..state import KEPT, READ, State, shared_options

_files, _more = option("Files"), option("More")


@click.command("export", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("out", metavar="OUT", type=KEPT)
@_files(
    "--what",
    type=click.Choice(["scores", "model", "history", "comparisons", "log"]),
    default="scores",
    help=(
        "model: the older tools' file; history: every judgment; comparisons: input for 'pairproof fit'; log:"
        " the whole campaign as JSON Lines, which 'easl import' makes a campaign of again."
    ),
)
@_files(
    "--tool",
    "layout",
    type=click.Choice(["keisks", "keisks-mu-sigma", "cjmay"]),
    help="Columns of a model file as this public EASL code has them; its older version says mu and sigma.",
)
@level_option(_more)
@_more(
    "--intervals",
    "kind",
    type=click.Choice(["calibrated", "beta"]),
    default="calibrated",
    help="Of the scores; beta: EASL's own, far too wide.",
)
@shared_options
def export(state: State, campaign: str, out: str, what: Any, layout: Any, level: float, kind: Any) -> int:
    """Write scores with their intervals, a model file, the full history, paired comparisons, or a log."""
    from ...campaign.formats.export import export as write

    state.no_report("'easl status'; 'easl export' writes OUT.")
    if layout is not None and what != "model":
        raise click.UsageError("--tool says the columns of a model file; use it with --what model.")
    rows = write(campaign, out, what, level, layout=layout or "pairproof", intervals=kind, force=state.force)
    if what == "scores":
        from ...campaign.watch.status import status

        state.say(status(campaign, unasked=False).intervals(level, kind).sentence)
    state.show(f"{out}: {rows} rows ({what})", {"out": out, "what": what, "rows": rows})
    return 0
