"""`easl update`, `retract`, `repeats`, `status`, `stop`, `export`: judgments in, out, and what they say."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ...text import label
from ..options.reading import ENCODING
from ..state import (
    COUNT,
    FLAG,
    KEPT,
    LEVEL,
    POSITIVE,
    READ,
    SHARE,
    State,
    choice,
    options,
    sectioned,
    shared_options,
    stacked,
)

if TYPE_CHECKING:
    from ...campaign.results.retraction import Retraction
    from ...campaign.results.update import Taken
    from ...campaign.watch.status import Status


def easl_command(
    name: str, reports: str, *options: Any, campaign: Any = READ
) -> Callable[[Callable[..., Any]], Any]:
    """A command on CAMPAIGN.db with these and the shared options; `reports`: what --report is for instead."""

    def decorate(function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def call(state: State, **given: Any) -> Any:
            if reports:
                state.no_report(reports)
            return function(state, **given)

        argument = (click.argument("campaign", metavar="CAMPAIGN.db", type=campaign),) if campaign else ()
        made: Any = stacked(sectioned(name), *argument, *options, shared_options)(call)
        for option in made.params:
            option.hidden = bool(reports) and option.name == "report"  # it is refused with a reason
        return made

    return decorate


ON_REPEAT = click.Choice(["first", "last", "both"])


REJECTED = options(
    "Files",
    {"--rejected": "What to do with assignments whose AssignmentStatus is Rejected."},
    rejected=choice("refuse", "count", "leave-out", default="refuse"),
)
UNTERMINATED_FROM = options(
    "Files",
    {
        "--accept-unterminated": "Accept a file whose last line has no line end. A file that was cut off looks"
        " like this, and a last value of 8 may have been 87.",
        "--from": "Tool that wrote the file (default: recognised from its content); results: Mechanical Turk and the page.",
    },
    from_=choice("results", "label-studio", "codes", name="tool"),
)


@easl_command(
    "update",
    "'easl status'; run it after the update.",
    click.argument("results", metavar="RESULTS.csv...", type=READ, nargs=-1, required=True),
    REJECTED,
    options("Files", {"--encoding NAME": ENCODING}),
    UNTERMINATED_FROM,
    options(
        "Files",
        {
            "--scale LOW HIGH": "Scale of ratings in Label Studio's export, such as 1 5 (scores from 0 to 100 need none).",
            "--on-change": "What to do with an annotation that was edited in Label Studio after it was added.",
            "--without-token": "What to do with answers under a registered name that lack the token of the annotator's page.",
            "--on-repeat": "Change which answers count if an annotator answers a HIT more than once (default: as"
            " in the campaign).",
        },
        scale={"type": float, "nargs": 2},
        on_change=choice("refuse", "newest", default="refuse"),
        without_token=choice("refuse", "count", default="refuse"),
        on_repeat=ON_REPEAT,
    ),
)
def update(state: State, campaign: str, results: tuple[str, ...], **asked: Any) -> int:
    """Add the results in RESULTS: of each file all of them or none, each judgment once.

    A file with an error does not stop the others; the exit code is then 3. RESULTS is what the annotation page saves (.csv) or shows as codes (a text file of them), a results file of
    Mechanical Turk or of a public EASL code, or Label Studio's export of the tasks (.json or .csv); its content
    decides, or --from.
    """
    from ...campaign.campaign import Campaign
    from ...errors import InputError
    from ..app import BAD_INPUT, DONE, describe

    to, said, documents, new, bad = Campaign(campaign), [], [], 0, 0
    for name in results:
        try:
            taken = to.update(name, **asked)
        except (InputError, OSError) as error:
            if len(results) == 1:
                raise
            why, bad = describe(error, state)[1], bad + 1
            said.append(f"{name}: nothing added: {why}")
            documents.append({"results": name, "error": why})
            continue
        warn(state, name, taken)
        said.append(f"{name}: {counts(taken)}")
        documents.append({"results": name, **vars(taken)})
        new += taken.new
    if len(results) == 1:
        state.show(said[0], vars(taken))
        return DONE
    state.show("\n".join([*said, f"{len(results)} files, {bad} with errors: {new} new judgments"]), documents)
    return BAD_INPUT if bad else DONE


def counts(taken: Taken) -> str:
    blank = f", {taken.cannot_judge} 'cannot judge'" if taken.cannot_judge else ""
    counted = (
        (taken.known, "were already there and count once"),
        (taken.repeats, "repeat a HIT that the annotator had already answered and are set aside"),
        (taken.taken_back, "were retracted before and stay retracted"),
        (taken.edited, "replace older answers"),
    )
    more = [*(f"{n} {what}" for n, what in counted if n), *taken.notes]
    more += [f"{taken.left_out} rejected assignments left out"] if taken.left_out else []
    return "; ".join([f"{taken.new} new judgments ({taken.scores} scores{blank})", *more])


def warn(state: State, name: str, taken: Taken) -> None:
    if taken.nameless:
        state.say(
            f"Warning: {name}: {taken.nameless} rows have neither AssignmentId nor WorkerId; the same rows in"
            " a changed file would count again"
        )


@easl_command(
    "retract",
    "'easl status'; run it after 'easl retract', which changes the campaign.",
    options(
        "Campaign",
        {
            "--assignment ID": "Judgments with this AssignmentId; repeatable.",
            "--worker ID": "Judgments by this worker.",
            "--batch K": ("Judgments in this batch.", COUNT),
            "--hit K": ("Judgments of this HIT of the batch.", COUNT),
            "--results NAME": "Judgments from the results file with this name (or SHA-256).",
            "--row K": ("Judgment in this row of that file, 1 below the header.", COUNT),
            "--all": ("Retract all that match, if there is more than one.", {**FLAG, "name": "every"}),
            "--why TEXT": ("The reason, which is recorded; required.", ""),
        },
        assignment={"name": "assignments", "multiple": True},
    ),
    options(
        "More",
        {
            "--undo N": "Restore the judgments of the retraction with this number; repeatable.",
            "--list": ("List what was retracted, and why.", {**FLAG, "name": "listed"}),
        },
        undo={"name": "numbers", "type": COUNT, "multiple": True},
    ),
)
def retract(
    state: State, campaign: str, every: bool, why: str, numbers: tuple[int, ...], listed: bool, **chosen: Any
) -> None:
    """Retract judgments: the scores are then as if these judgments had never been made.

    They are kept on record, with the reason, and --undo restores them. If a later results file contains them
    again they stay retracted, unless their answers have changed: then they are added as corrected judgments.

    \b
    pairproof easl retract C.db --assignment 3XYZ --why "file was cut"
    pairproof easl retract C.db --worker A1B2 --all --why "clicked through"
    pairproof easl retract C.db --list
    """
    from ...campaign.results import retraction as taking

    choosing = any(v not in (None, ()) for v in chosen.values()) or every or bool(why)
    if (listed or numbers) and choosing or listed and numbers:
        raise click.UsageError("--list and --undo must be used alone; omit the other options.")
    if listed:
        found, done = taking.history(campaign), "retracted"
    elif numbers:
        found, done = taking.undo(campaign, numbers), "restored; the scores are recomputed"
    else:
        found = taking.take_back(campaign, why, every=every, **chosen)
        done = "retracted; the scores are recomputed"
    head = f"{campaign}: {len(found)} judgment{'' if len(found) == 1 else 's'} {done}"
    state.show("\n".join([head, *map(_retraction, found)]), [r.to_dict() for r in found])


def _retraction(r: Retraction) -> str:
    where = f"batch {r.batch}, HIT {r.hit}" if r.batch is not None else "a HIT of an older tool"
    named = (("assignment", r.assignment), ("worker", r.worker))
    who = ", ".join(label(f"{what} {name}") for what, name in named if name)
    back = f"; restored {r.undone}" if r.undone else ""
    return (
        f"  {r.number}: {where}{', ' if who else ''}{who}, scores {label(' '.join(r.raw))}, of"
        f" {label(r.results)}; {r.at}: {label(r.why)}{back}"
    )


@easl_command(
    "repeats",
    "'easl status'; run it after 'easl repeats'.",
    options(
        "Campaign", {"--on-repeat": ("Change which of an annotator's answers to a HIT count.", ON_REPEAT)}
    ),
)
def repeats(state: State, campaign: str, on_repeat: Any) -> None:
    """Count the answers that an annotator gave to a HIT more than once, and say which of them count.

    The first or the last is by SubmitTime in UTC, so the order in which files arrive makes no difference.
    What is set aside stays on record and measures how consistent an annotator is.
    """
    from ...campaign.storage.rules import repeats as ask

    found = ask(campaign, on_repeat)
    changed = f"; {found.changed} judgments changed; the scores are recomputed" if found.changed else ""
    state.show(
        f"{campaign}: {found.repeats} repeats, {found.set_aside} of them set aside (on repeat:"
        f" {found.on_repeat}){changed}",
        vars(found),
    )


INTERVALS = choice("calibrated", "beta", name="kind", default="calibrated")
#: The campaign's own column of systems.
OWN = "\0"


@easl_command(
    "status",
    "",
    options(
        "What to show",
        {
            "--annotators": "Each annotator: agreement, repeats, checks, drift, speed, flags.",
            "--all-items": "List all items (default: of more than 50, the 25 best and the 25 worst).",
            "--items-disagree": "The items that annotators disagree on most.",
            "--agreement": ("Report how well annotators agree.", {**FLAG, "name": "with_agreement"}),
            "--systems [COLUMN]": "Compare systems: means with intervals, paired by source. COLUMN names each"
            " item's system; by default the campaign's own.",
            "--model": "Scores from this annotator model, next to the campaign's own.",
        },
        systems={"is_flag": False, "flag_value": OWN},
        model=choice("raw", "location", "precision", "scale"),
    ),
    options(
        "More",
        {
            "--level": ("Level of the intervals.", LEVEL),
            "--intervals": ("Intervals of the items' scores; beta: EASL's own, far too wide.", INTERVALS),
            "--standardise": "Standardise each annotator's scores before comparing annotators or systems.",
        },
        standardise=choice("none", "z-scores", default="none"),
    ),
)
def status(
    state: State, campaign: str, annotators: bool, items_disagree: bool, systems: str | None, **asked: Any
) -> None:
    """Show progress, cost, convergence and scores; --report writes a page with plots.

    The page also shows annotators, items in disagreement and systems, whether asked for or not.
    """
    from ...campaign.watch.status import status as read
    from ...campaign.watch.status_report import ITEMS, page
    from ...report.output import render_text

    state.no_junit("a campaign has")
    everything, level, kind = bool(state.reports), asked["level"], asked["kind"]
    all_items = asked.pop("all_items")
    found = read(
        campaign,
        with_annotators=annotators or everything,
        with_disputed=items_disagree or everything,
        systems=True if systems == OWN else systems,
        systems_if_any=everything,
        **asked,
    )
    most = max(ITEMS, len(found.ids) * all_items)
    # A hundred thousand scores take longer to write as JSON than to read.
    wanted = state.json or any(path.suffix.lower() == ".json" for path in state.reports)
    document = {**found.document(level, kind), **_extras(found, annotators, items_disagree)} if wanted else {}
    state.give(
        lambda: page(found, level, kind=kind),
        lambda: document,
        lambda: render_text(page(found.only(annotators, items_disagree), level, most, kind, annotators)),
    )


def _extras(found: Status, annotators: bool, items_disagree: bool) -> dict[str, Any]:
    """The optional parts of the JSON document that were asked for."""
    extras: dict[str, Any] = {}
    people = found.annotators
    if annotators and people is not None:
        rows = [row.to_dict() for row in people.rows]
        extras |= {"annotators": rows, "annotator_model": people.model}
        extras |= {"drift": people.drift} if people.drift else {}
    if items_disagree and found.disputed is not None:
        extras["items_disagree"] = found.disputed.to_dict()
    if found.systems is not None:
        extras |= found.systems.to_dict()
    if found.model is not None:
        extras["model"] = found.model.to_dict()
    return extras


@easl_command(
    "stop",
    "'easl status'; 'easl stop' prints one answer.",
    options(
        "Rule",
        {
            "--rule RULE": "'items<=.12', 'top 5 within .1', 'systems<=.05', 'ranking within .02' or 'top 1 systems'.",
            "--alpha": ("Probability of a wrong statement at any look.", {"type": SHARE, "default": 0.05}),
            "--planned": "Number of scores per item (default 10), or of sources (100), at which intervals are shortest.",
            "--looks": "For systems: number of planned looks up to --planned sources (O'Brien-Fleming boundary).",
        },
        rule={"required": True},
        planned=POSITIVE,
        looks=COUNT,
    ),
)
def stop(
    state: State, campaign: str, rule: str, alpha: float, planned: float | None, looks: int | None
) -> int:
    """Ask whether the campaign may stop; the answer stays valid although one looks all the time.

    Exit code 0: it may stop; 1: not yet, or too early to say. The look is recorded in the campaign and shown by
    'easl status'; nothing else changes.
    """
    from ...campaign.watch.stop import stop as ask

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


@easl_command(
    "export",
    "'easl status'; 'easl export' writes OUT.",
    click.argument("out", metavar="OUT", type=KEPT),
    options(
        "Files",
        {
            "--what": "model: the older tools' file; history: every judgment; comparisons: input for"
            " 'pairproof fit'; log: the whole campaign as JSON Lines, from which 'easl import' restores it.",
            "--best-first": "Sort scores from the highest to the lowest (default: the order of the items file).",
            "--tool": "Columns of a model file as in this public EASL implementation; its older version uses mu and sigma.",
        },
        what=choice("scores", "model", "history", "comparisons", "log", default="scores"),
        tool=choice("keisks", "keisks-mu-sigma", "cjmay", name="layout"),
    ),
    options(
        "More",
        {
            "--level": ("Level of the intervals.", LEVEL),
            "--intervals": ("Intervals of the scores; beta: EASL's own, far too wide.", INTERVALS),
            "--model": "Scores corrected by this annotator model, as shown by 'easl status --model'.",
        },
        model=choice("raw", "location", "precision", "scale", default="raw"),
    ),
)
def export(state: State, campaign: str, out: str, what: Any, layout: Any, kind: Any, **how: Any) -> None:
    """Write scores with their intervals, a model file, the full history, paired comparisons, or a log."""
    from ...campaign.exports import export as write

    if layout is not None and what != "model":
        raise click.UsageError("--tool sets the columns of a model file; use it with --what model.")
    if how["model"] != "raw" and what != "scores":
        raise click.UsageError("--model corrects scores; use it with --what scores.")
    how |= {"intervals": kind, "force": state.force, "say": state.say}
    rows = write(campaign, out, what, layout=layout or "pairproof", **how)
    state.show(f"{out}: {rows} rows ({what})", {"out": out, "what": what, "rows": rows})
