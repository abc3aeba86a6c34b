"""`easl status`, which shows a campaign as it is, and `easl stop`, which asks whether it may stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..options.sections import COUNT, POSITIVE, SHARE, SectionedCommand, level_option, option
from ..state import READ, State, shared_options

if TYPE_CHECKING:
    from ...campaign.watch.status import Status

#: The campaign's own column of systems.
OWN = "\0"
_parts, _more, _rule = option("What to show"), option("More"), option("Rule")


@click.command("status", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_parts("--annotators", is_flag=True, help="Each annotator: agreement, repeats, checks, drift, speed, flags.")
@_parts("--items-disagree", is_flag=True, help="The items that annotators disagree on most.")
@_parts("--agreement", "with_agreement", is_flag=True, help="Report how well annotators agree.")
@_parts(
    "--systems",
    metavar="[COLUMN]",
    is_flag=False,
    flag_value=OWN,
    help="Compare systems: means with intervals, paired by source. COLUMN names each item's system; by default"
    " the campaign's own.",
)
@_parts(
    "--model",
    type=click.Choice(["raw", "location", "precision", "scale"]),
    help="Scores with this model of the annotators beside the campaign's own.",
)
@level_option(_more)
@_more(
    "--intervals",
    "kind",
    type=click.Choice(["calibrated", "beta"]),
    default="calibrated",
    help="Of the items' scores; beta: EASL's own, far too wide.",
)
@_more(
    "--standardise",
    type=click.Choice(["none", "z-scores"]),
    default="none",
    help="Standardise the scores of each annotator before annotators or systems are compared.",
)
@shared_options
def status(
    state: State,
    campaign: str,
    annotators: bool,
    items_disagree: bool,
    with_agreement: bool,
    systems: str | None,
    model: Any,
    level: float,
    kind: Any,
    standardise: Any,
) -> int:
    """Show progress, cost, convergence and scores; --report writes a page with plots.

    The page also shows annotators, items in disagreement and systems, whether asked for or not.
    """
    from ...campaign.watch.report import ITEMS, page
    from ...campaign.watch.status import status as read
    from ...report.text import render_text

    state.no_junit("a campaign has")
    everything = bool(state.reports)
    found = read(
        campaign,
        with_agreement=with_agreement,
        with_annotators=annotators or everything,
        with_disputed=items_disagree or everything,
        systems=True if systems == OWN else systems,
        systems_if_any=everything,
        standardise=standardise,
        model=model,
        level=level,
        kind=kind,
    )
    # A hundred thousand scores take longer to write as JSON than to read.
    wanted = state.json or any(path.suffix.lower() == ".json" for path in state.reports)
    document = {**found.document(level, kind), **_extras(found, annotators, items_disagree)} if wanted else {}
    state.give(
        lambda: page(found, level, kind=kind),
        document,
        lambda: render_text(page(found.only(annotators, items_disagree), level, ITEMS, kind, annotators)),
    )
    return 0


def _extras(found: Status, annotators: bool, items_disagree: bool) -> dict[str, Any]:
    """The optional parts of the JSON document that were asked for."""
    extras: dict[str, Any] = {}
    if annotators and found.annotators is not None:
        people = found.annotators
        extras["annotators"] = [row.to_dict() for row in people.rows]
        extras["annotator_model"] = people.model
        if people.drift:
            extras["drift"] = people.drift
    if items_disagree and found.disputed is not None:
        extras["items_disagree"] = found.disputed.to_dict()
    if found.systems is not None:
        extras |= found.systems.to_dict()
    if found.model is not None:
        extras["model"] = found.model.to_dict()
    return extras


@click.command("stop", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_rule(
    "--rule",
    required=True,
    metavar="RULE",
    help="'items<=.12', 'top 5 within .1', 'systems<=.05', 'ranking within .02' or 'top 1 systems'.",
)
@_rule("--alpha", type=SHARE, default=0.05, help="Probability of a wrong statement at any look.")
@_rule(
    "--planned",
    type=POSITIVE,
    help="Judgments of an item (default 10), or sources (100), at which intervals are shortest.",
)
@_rule(
    "--looks",
    type=COUNT,
    help="For systems: this number of planned looks up to --planned sources (O'Brien and Fleming's boundary).",
)
@shared_options
def stop(
    state: State, campaign: str, rule: str, alpha: float, planned: float | None, looks: int | None
) -> int:
    """Ask whether the campaign may stop; the answer stays valid although one looks all the time.

    Exit code 0: it may stop; 1: not yet, or too early to say. The look is recorded in the campaign and shown by
    'easl status'; nothing else changes.
    """
    from ...campaign.watch.stop import stop as ask

    state.no_report("'easl status'; 'easl stop' prints one answer.")
    found = ask(campaign, rule, alpha=alpha, planned=planned, looks=looks)
    verdict = {"stop": "may stop", "go on": "go on", "too early": "too early to say"}[found.verdict]
    said = [
        f"{verdict}: {found.look.why}",
        f"rule '{found.rule}' (alpha {alpha:g}): stop when {found.rule.meaning}",
        f"{found.judgments} judgments count; {found.expected}; scores: {found.corrected}",
    ]
    if found.changed:
        state.say(found.changed[:1].upper() + found.changed[1:])
    state.show("\n".join(said), found.to_dict())
    return 0 if found.may_stop else 1
