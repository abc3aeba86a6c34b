"""`easl annotators`, `rules`, `degrade`, `next`, `demographics`: who judges, by which rules, and what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...text import label
from ..state import COUNT, READ, WRITTEN, FileName, State, choice, options
from .judgments import easl_command

if TYPE_CHECKING:
    from ...campaign.hits.choosing import Batch
    from ...campaign.hits.registered import Person, Submission


@click.group("annotators")
def annotators() -> None:
    """Register annotators, list them, and exclude or restore one.

    \b
    pairproof easl annotators add C.db ann bob
    pairproof easl annotators list C.db
    pairproof easl annotators exclude C.db bob --why "agreed beforehand: p > .05"
    """


@easl_command("add", "'easl status'.", click.argument("names", metavar="NAME...", nargs=-1, required=True))
def add(state: State, campaign: str, names: tuple[str, ...]) -> None:
    """Register annotators; the next batch gives HITs to them, and to nobody else."""
    from ...campaign.hits.registered import register

    _show_people(state, campaign, register(campaign, names), " registered")


@easl_command("list", "'easl status'.")
def list_(state: State, campaign: str) -> None:
    """List the annotators: their tokens, states, HITs, and what they reached in the qualification batch."""
    from ...campaign.hits.registered import registered

    _show_people(state, campaign, registered(campaign))


@easl_command(
    "exclude",
    "'easl status'.",
    click.argument("name", metavar="NAME"),
    options("Campaign", {"--why TEXT": "The reason, which is recorded; required."}, why=""),
)
def exclude(state: State, campaign: str, name: str, why: str) -> None:
    """Exclude an annotator: nothing is deleted, but their judgments no longer count."""
    from ...campaign.hits.registered import exclude as excluding

    person, changed = excluding(campaign, name, why)
    said = f"{changed} judgments no longer count, and the scores are recomputed"
    state.show(f"{campaign}: {label(person.name)} excluded; {said}", {**person.to_dict(), "changed": changed})


@easl_command("restore", "'easl status'.", click.argument("name", metavar="NAME"))
def restore(state: State, campaign: str, name: str) -> None:
    """Let an excluded annotator count again."""
    from ...campaign.hits.registered import restore as restoring

    person, changed = restoring(campaign, name)
    state.show(
        f"{campaign}: {label(person.name)} is {person.state} again; {changed} judgments count again",
        {**person.to_dict(), "changed": changed},
    )


for own in (add, list_, exclude, restore):
    annotators.add_command(own)


def _show_people(state: State, campaign: str, found: tuple[Person, ...], done: str = "") -> None:
    head = f"{campaign}: {len(found)} annotator{'' if len(found) == 1 else 's'}{done}"
    state.show("\n".join([head, *map(_line, found)]), [p.to_dict() for p in found])


def _line(p: Person) -> str:
    """An annotator in a line."""
    parts = [p.state + (f" ({label(p.why)})" if p.why else "")]
    parts += [f"token {p.token}" if p.token else "not registered"]
    if p.token:
        parts.append(f"HITs: {p.open} open, {p.returned} returned, {p.expired} expired")
    parts.append(f"{p.judgments} judgments, {p.counted} count")
    parts += [str(p.qualification)] if p.qualification else []
    return f"  {label(p.name)}: {'; '.join(parts)}"


@easl_command(
    "rules",
    "'easl status'.",
    options("Campaign", {"--exclusion TEXT": "Record in words which annotators will be excluded."}),
)
def rules(state: State, campaign: str, exclusion: str | None) -> None:
    """List the rules that were fixed, each with the number of judgments that had come in before.

    A rule of exclusion is to be fixed before the first judgments. Nothing is excluded by it: 'easl annotators
    exclude' does that, and 'easl status' says how many rules came after judgments.
    """
    from ...campaign.storage.rules import fix_exclusion, fixed_rules, rules_hash

    found = fixed_rules(campaign) if exclusion is None else fix_exclusion(campaign, exclusion)
    lines = [f"{r.name}: {label(str(r.value))} (after {r.after_judgments} judgments)" for r in found]
    state.show(
        "\n".join([f"{campaign}: {len(found)} rules, hash {rules_hash(found)}", *lines]),
        {"hash": rules_hash(found), "rules": [vars(r) for r in found]},
    )


@easl_command(
    "degrade",
    "'easl status'.",
    click.argument("items", metavar="ITEMS.csv", type=READ),
    options(
        "Files",
        {"--out OUT.csv": ("The items, with degraded items added.", {"required": True, "type": WRITTEN})},
    ),
    options(
        "Items",
        {
            "--text COLUMN": ("Column with the text.", "sent"),
            "--number N": ("Degrade this number of items, drawn at random (default: all).", COUNT),
        },
    ),
    options("Files", {"--encoding NAME": "Encoding of ITEMS.csv, such as latin-1 (default: UTF-8)."}),
    campaign=None,
)
def degrade(state: State, items: str, out: str, **asked: Any) -> None:
    """Add degraded items to an items file: words of each text are replaced by another item's.

    Whoever reads scores them lower than their originals; 'easl init OUT.csv --degraded .1' shows them in a
    tenth of the slots. How many words: 1 of 1, 2 of 2 to 5, 3 of up to 8, 4 of up to 15, 5 of up to 20,
    otherwise a quarter; in scripts without spaces twice as many characters.
    """
    from ...campaign.hits.degrade import degrade as degrading

    found = degrading(items, out, seed=state.seed or 0, force=state.force, **asked)
    said = f"{out}: {found.items} items and {found.degraded} degraded ones (seed {found.seed})"
    state.show(said, {"out": out, **vars(found)})


@easl_command(
    "next",
    "'easl status'; 'easl next' writes its batch to --out.",
    options(
        "Campaign",
        {
            "--hits K": "Number of HITs in the batch (default: items / per-hit; 20 with pool keisks).",
            "--again": "Write the open batch again instead of opening a new one.",
            "--qualification": "Open the qualification batch, or give it to annotators who have not had it.",
        },
        hits=COUNT,
    ),
    options(
        "Annotators",
        {
            "--judgments K": ("Different annotators per HIT (default: as set for the campaign).", COUNT),
            "--for-annotators": "--out is a folder: a page for each registered annotator.",
            "--annotator NAME": "Give the HITs to this registered annotator only.",
            "--due DATE": "Day (its end, UTC) or time after which unreturned HITs go to others in the next batch.",
        },
    ),
    options(
        "Files",
        {
            "--out FILE": "Write .csv (one row per HIT), .jsonl, .html (a self-contained page), or FOLDER/ (one page each).",
            "--for": "Write for Mechanical Turk (.csv, cells escaped) or Label Studio (.json): only what is shown.",
            "--layout FILE": "With --for: also write the layout (.html) or the labeling configuration (.xml) that shows it.",
            "--lang TAG": "Language of question, anchors and instructions, if the campaign has several ('easl texts').",
            "--address URL": "Address where the pages of FOLDER/ are published; links-K.csv then lists each annotator's link.",
            "--show COLUMN": "A further column that annotators see in this batch, in addition to the campaign's own; repeatable.",
            "--without-texts": "Allow a batch whose items have no text, because annotators see them elsewhere.",
        },
        out={"required": True, "type": FileName()},
        for_=choice("plain", "mturk", "label-studio", name="style", default="plain"),
        layout=WRITTEN,
        show={"multiple": True},
    ),
)
def next_(state: State, campaign: str, out: str, **asked: Any) -> None:
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

    batch = open_batch(campaign, out, seed=state.seed, force=state.force, **asked)
    if batch.unanswered:
        state.say(
            f"{batch.unanswered} HITs of earlier batches are not yet answered; their results can"
            " be added at any time."
        )
    for note in batch.notes:
        state.say(f"Note: {note}.")
    hits, size = len(batch.hits), batch.per_hit
    again, number = " again" if asked["again"] else "", f"{hits} HIT{'' if hits == 1 else 's'}"
    document = {
        **{"campaign": batch.campaign, "batch": batch.number, "hits": hits, "per_hit": size, "out": out},
        **{"judgments": batch.judgments, "given_again": batch.again},
        "annotators": {g.annotator: [list(batch.places[k]) for k in g.places] for g in batch.given},
        **{"files": list(batch.files), "notes": list(batch.notes)},
    }
    state.show(f"batch {batch.number}{again}: {number} of {size} items in {out}{_more(batch)}", document)


def _more(batch: Batch) -> str:
    """Who gets the HITs, in words."""
    if batch.given:
        again = f"; {batch.again} from earlier batches given again" if batch.again else ""
        sizes = sorted({len(g.places) for g in batch.given})
        each = " to ".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))
        people = "annotator" if len(batch.given) == 1 else "annotators"
        return f"; {len(batch.given)} {people}, {each} HIT{'' if each == '1' else 's'} each{again}"
    if batch.judgments > 1 and "qualification" not in batch.kinds:
        n = batch.judgments
        return f"; each HIT is for {n} different annotators: publish it with MaxAssignments {n}"
    return ""


@easl_command(
    "demographics",
    "'easl status'; 'easl demographics' only prints.",
    click.argument("table", metavar="TABLE.csv", type=READ),
    options("Files", {"--encoding NAME": "Encoding of the table (default: UTF-8)."}),
)
def demographics(state: State, campaign: str, table: str, encoding: str | None) -> None:
    """Show Prolific's table of a study beside the annotators: time, HITs, pay; nothing is changed.

    A participant id is the annotator's name: pages take it from PROLIFIC_PID in their address.
    """
    from ...campaign.hits.registered import demographics as read

    found = read(campaign, table, encoding)
    lines = [_submission_line(s) for s in found.submissions]
    if found.without:
        names = ", ".join(label(name) for name in found.without[:20])
        lines.append(f"judgments without a submission: {names}{' ...' if len(found.without) > 20 else ''}")
    head = f"{len(found.submissions)} submissions, {sum(s.judgments > 0 for s in found.submissions)} with judgments"
    state.show("\n".join([head, *lines]), found.to_dict())


def _submission_line(s: Submission) -> str:
    measured = "time not known" if s.seconds is None else f"{s.seconds / 60:.1f} min"
    hits = f"{s.judgments} HITs" + (f" ({s.counted} count)" if s.counted != s.judgments else "")
    at_hits = "" if s.at_hits is None else f" in {s.at_hits / 60:.1f} min"
    pay = "" if s.pay is None else f", pay {s.pay:.2f}"
    return f"  {label(s.participant)}: {label(s.status)}, {measured}; {hits}{at_hits}{pay}"
