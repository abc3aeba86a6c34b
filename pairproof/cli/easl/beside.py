"""`easl demographics`: the submissions of a study on Prolific beside the annotators of a campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...text import label
from ..options.sections import SectionedCommand, option
from ..state import READ, State, shared_options

if TYPE_CHECKING:
    from ...campaign.formats.prolific import Submission

_files = option("Files")


@click.command("demographics", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("table", metavar="TABLE.csv", type=READ)
@_files("--encoding", metavar="NAME", help="Encoding of the table (default: UTF-8).")
@shared_options
def demographics(state: State, campaign: str, table: str, encoding: str | None) -> int:
    """Show Prolific's table of a study beside the annotators: time, HITs, pay; nothing is changed.

    A participant id is the annotator's name: pages take it from PROLIFIC_PID in their address.
    """
    from ...campaign.formats.prolific import demographics as read

    state.no_report("'easl status'; 'easl demographics' only prints.")
    found = read(campaign, table, encoding)
    lines = [_line(s) for s in found.submissions]
    if found.without:
        names = ", ".join(label(name) for name in found.without[:20])
        lines.append(f"judgments without a submission: {names}{' ...' if len(found.without) > 20 else ''}")
    head = f"{len(found.submissions)} submissions, {sum(s.judgments > 0 for s in found.submissions)} with judgments"
    state.show("\n".join([head, *lines]), found.to_dict())
    return 0


def _line(s: Submission) -> str:
    measured = "time not known" if s.seconds is None else f"{s.seconds / 60:.1f} min"
    hits = f"{s.judgments} HITs" + (f" ({s.counted} count)" if s.counted != s.judgments else "")
    at_hits = "" if s.at_hits is None else f" in {s.at_hits / 60:.1f} min"
    pay = "" if s.pay is None else f", pay {s.pay:.2f}"
    return f"  {label(s.participant)}: {label(s.status)}, {measured}; {hits}{at_hits}{pay}"
