"""`easl status`: the progress of a campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.sections import SectionedCommand, level_option, option
from ..state import READ, State, shared_options

if TYPE_CHECKING:
    from ...campaign.watch.status import Status


_more = option("More")


@click.command("status", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@level_option(_more)
@_more("--agreement", "with_agreement", is_flag=True, help="Report how well annotators agree.")
@_more(
    "--systems",
    metavar="COLUMN",
    help="Column that names each item's system; reports the systems' scores and clusters.",
)
@_more(
    "--standardise",
    type=click.Choice(["none", "z-scores"]),
    default="none",
    help="Standardise the scores of each annotator before annotators or systems are compared.",
)
@shared_options
def status(
    state: State, campaign: str, level: float, with_agreement: bool, systems: str | None, standardise: Any
) -> int:
    """Show progress, convergence and scores; --report writes a page with plots."""
    from ...campaign.watch.report import ITEMS, page
    from ...campaign.watch.status import status as read
    from ...report.text import render_text

    state.no_junit("a campaign has")
    found = read(campaign, with_agreement=with_agreement, systems=systems, standardise=standardise)
    document = {**found.to_dict(), **_extras(found)}
    state.give(lambda: page(found, level), document, lambda: render_text(page(found, level, ITEMS)))
    return 0


def _extras(found: Status) -> dict[str, Any]:
    """The optional parts of the JSON document that were asked for."""
    extras: dict[str, Any] = {}
    if found.agreement is not None:
        g = found.agreement
        rest = dict(zip(found.names, g.rest.tolist()))
        extras["agreement"] = {"pairwise": g.pairwise, "pairs": g.n_pairs, "alpha": g.alpha, "rest": rest}
    if found.systems is not None:
        names = ("score", "low", "high", "n", "cluster")
        columns = (getattr(found.systems, name).tolist() for name in names)
        rows = zip(found.systems.systems, *columns)
        extras["systems"] = [dict(zip(("system", *names), row)) for row in rows]
    return extras
