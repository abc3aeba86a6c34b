"""`easl annotators`, `easl rules` and `easl degrade`: who judges, by which rules, and items that show who reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...text import label
from ..options.sections import COUNT, SectionedCommand, option
from ..state import READ, WRITTEN, State, shared_options

if TYPE_CHECKING:
    from ...campaign.hits.registry import Person

_campaign, _items, _files = option("Campaign"), option("Items"), option("Files")


@click.group("annotators")
def annotators() -> None:
    """Register annotators, list them, and exclude or restore one.

    \b
    pairproof easl annotators add C.db ann bob
    pairproof easl annotators list C.db
    pairproof easl annotators exclude C.db bob --why "agreed beforehand: p > .05"
    """


@annotators.command("add", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@shared_options
def add(state: State, campaign: str, names: tuple[str, ...]) -> int:
    """Register annotators; the next batch gives HITs to them, and to nobody else."""
    from ...campaign.hits.registry import register

    state.no_report("'easl status'.")
    found = register(campaign, names)
    lines = [
        f"{campaign}: {len(found)} annotator{'' if len(found) == 1 else 's'} registered",
        *map(_line, found),
    ]
    state.show("\n".join(lines), [p.to_dict() for p in found])
    return 0


@annotators.command("list", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@shared_options
def list_(state: State, campaign: str) -> int:
    """List the annotators: their tokens, states, HITs, and what they reached in the qualification batch."""
    from ...campaign.hits.registry import registered

    state.no_report("'easl status'.")
    found = registered(campaign)
    lines = [f"{campaign}: {len(found)} annotator{'' if len(found) == 1 else 's'}", *map(_line, found)]
    state.show("\n".join(lines), [p.to_dict() for p in found])
    return 0


@annotators.command("exclude", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("name", metavar="NAME")
@_campaign("--why", default="", metavar="TEXT", help="The reason, which is recorded; required.")
@shared_options
def exclude(state: State, campaign: str, name: str, why: str) -> int:
    """Exclude an annotator: nothing is deleted, but their judgments no longer count."""
    from ...campaign.hits.registry import exclude as excluding

    state.no_report("'easl status'.")
    person, changed = excluding(campaign, name, why)
    state.show(
        f"{campaign}: {label(person.name)} excluded; {changed} judgments do not count any more, and the scores are"
        " computed again",
        {**person.to_dict(), "changed": changed},
    )
    return 0


@annotators.command("restore", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("name", metavar="NAME")
@shared_options
def restore(state: State, campaign: str, name: str) -> int:
    """Let an excluded annotator count again."""
    from ...campaign.hits.registry import restore as restoring

    state.no_report("'easl status'.")
    person, changed = restoring(campaign, name)
    state.show(
        f"{campaign}: {label(person.name)} is {person.state} again; {changed} judgments count again",
        {**person.to_dict(), "changed": changed},
    )
    return 0


def _line(p: Person) -> str:
    """An annotator in a line."""
    parts = [p.state + (f" ({label(p.why)})" if p.why else "")]
    parts += [f"token {p.token}" if p.token else "not registered"]
    if p.token:
        parts.append(f"HITs: {p.open} open, {p.returned} returned, {p.expired} expired")
    parts.append(f"{p.judgments} judgments, {p.counted} count")
    parts += [str(p.qualification)] if p.qualification else []
    return f"  {label(p.name)}: {'; '.join(parts)}"


@click.command("rules", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_campaign("--exclusion", metavar="TEXT", help="Write down which annotators will be excluded, in words.")
@shared_options
def rules(state: State, campaign: str, exclusion: str | None) -> int:
    """List the rules that were fixed, each with the number of judgments that had come in before.

    A rule of exclusion is to be fixed before the first judgments. Nothing is excluded by it: 'easl annotators
    exclude' does that, and 'easl status' says how many rules came after judgments.
    """
    from ...campaign.storage.rules import fix_exclusion, fixed_rules, rules_hash

    state.no_report("'easl status'.")
    found = fixed_rules(campaign) if exclusion is None else fix_exclusion(campaign, exclusion)
    lines = [f"{r.name}: {label(str(r.value))} (after {r.after_judgments} judgments)" for r in found]
    state.show(
        "\n".join([f"{campaign}: {len(found)} rules, hash {rules_hash(found)}", *lines]),
        {"hash": rules_hash(found), "rules": [vars(r) for r in found]},
    )
    return 0


@click.command("degrade", cls=SectionedCommand)
@click.argument("items", metavar="ITEMS.csv", type=READ)
@_files("--out", required=True, metavar="OUT.csv", type=WRITTEN, help="The items with degraded ones added.")
@_items("--text", default="sent", metavar="COLUMN", help="Column with the text.")
@_items("--number", type=COUNT, metavar="N", help="Degrade so many items, drawn at random (default: all).")
@_files("--encoding", metavar="NAME", help="Encoding of ITEMS.csv, such as latin-1 (default: UTF-8).")
@shared_options
def degrade(state: State, items: str, out: str, text: str, number: int | None, encoding: str | None) -> int:
    """Add degraded items to an items file: words of each text are replaced by another item's.

    Whoever reads scores them lower than their originals; 'easl init OUT.csv --degraded .1' shows them in a
    tenth of the slots. How many words: 1 of 1, 2 of 2 to 5, 3 of up to 8, 4 of up to 15, 5 of up to 20,
    otherwise a quarter; in scripts without spaces twice as many characters.
    """
    from ...campaign.hits.degrade import degrade as degrading

    state.no_report("'easl status'.")
    found = degrading(
        items,
        out,
        text=text,
        number=number,
        seed=0 if state.seed is None else state.seed,
        encoding=encoding,
        force=state.force,
    )
    state.show(
        f"{out}: {found.items} items and {found.degraded} degraded ones (seed {found.seed})",
        {"out": out, "items": found.items, "degraded": found.degraded, "seed": found.seed},
    )
    return 0
