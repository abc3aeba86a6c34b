"""`easl export`: write a campaign to files."""

from __future__ import annotations

from typing import Any

import click

from ..options.sections import SectionedCommand, level_option, option
from ..state import KEPT, READ, State, shared_options

_files, _more = option("Files"), option("More")


@click.command("export", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("out", metavar="OUT.csv", type=KEPT)
@_files(
    "--what",
    type=click.Choice(["scores", "model", "history", "comparisons"]),
    default="scores",
    help="model: the older tools' file; history: every judgment; comparisons: input for 'pairproof fit'.",
)
@level_option(_more)
@shared_options
def export(state: State, campaign: str, out: str, what: Any, level: float) -> int:
    """Write scores with their intervals, a model file, the full history, or paired comparisons."""
    from ...campaign.formats.export import export as write

    state.no_report("'easl status'; 'easl export' writes OUT.csv.")
    rows = write(campaign, out, what, level, force=state.force)
    state.show(f"{out}: {rows} rows ({what})", {"out": out, "what": what, "rows": rows})
    return 0
