"""`pairproof easl`: run an annotation campaign, from its items to its scores."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...text import label
from ..options.sections import COUNT, SectionedCommand, level_option, option, stacked
from ..state import KEPT, READ, WRITTEN, State, shared_options

if TYPE_CHECKING:
    from ...campaign.results.retraction import Retraction
    from ...campaign.results.update import Taken
    from ...campaign.watch.status import Status

METHODS = ("easl", "da", "ra", "trueskill", "random")
POOLS = ("paper", "keisks", "cjmay")
_campaign, _method, _files, _more = option("Campaign"), option("Method"), option("Files"), option("More")

EPILOG = """\b
pairproof easl init C.db items.csv --method easl --per-hit 5
pairproof easl next C.db --out hits.html        (or .csv, .jsonl)
pairproof easl update C.db results.csv
pairproof easl retract C.db --assignment ID --why "the file was cut"
pairproof easl status C.db
pairproof easl export C.db scores.csv

Each takes --json, --report, --seed, --quiet and --debug like every command; see
pairproof easl COMMAND --help."""


@click.group("easl", epilog=EPILOG)
def command() -> None:
    """Run a campaign of scalar annotation, whose whole state is the file CAMPAIGN.db.

    Every command is one transaction: if it is killed at any point, nothing is lost or counted twice. Results
    may arrive late, in pieces, twice or out of order.
    """


def _with_settings(function: Any) -> Any:
    """Gather the options of how scores are computed into one argument of the command, `settings`."""

    @functools.wraps(function)
    def gathered(*args: Any, gamma: float, epsilon: float, tie_within: float, **options: Any) -> Any:
        from ...native.annotation.methods import Settings

        return function(*args, settings=Settings(gamma, epsilon, tie_within), **options)

    return gathered


_method_options = stacked(
    _method(
        "--gamma", type=float, default=0.1, help="Skill-chain parameter of match quality, ra and trueskill."
    ),
    _method("--epsilon", type=float, default=0.1, help="Tie rate of ra and trueskill."),
    _method(
        "--tie-within",
        type=float,
        default=0.0,
        help="Two scores (0 to 1) are a tie if they differ by no more than this.",
    ),
    _method(
        "--pool",
        type=click.Choice(POOLS),
        default="paper",
        help=(
            "Partners are chosen among the items that anchor no HIT (paper; keisks, which orders equal"
            " variances by id) or among all items (cjmay)."
        ),
    ),
    _files("--encoding", metavar="NAME", help="Encoding of text files, such as latin-1 (default: UTF-8)."),
    _with_settings,
)


@command.command("init", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=KEPT)
@click.argument("items", metavar="ITEMS.csv", type=READ)
@_method(
    "--method",
    type=click.Choice(METHODS),
    default="easl",
    help=(
        "easl: efficient annotation of scalar labels; ra: bounded ranking; trueskill: unbounded; da: direct"
        " assessment; random: EASL's update with items chosen at random."
    ),
)
@_method("--per-hit", type=COUNT, default=5, help="Items in a HIT (the paper's da shows 1).")
@_method_options
@shared_options
def init(state: State, campaign: str, items: str, method: Any, per_hit: int, **asked: Any) -> int:
    """Create CAMPAIGN.db from ITEMS.csv (columns id, sent and any others)."""
    from ...campaign.create import create

    state.no_report("'easl status'; 'easl init' only writes the campaign.")
    made = create(campaign, items, method, per_hit, seed=state.seed, **asked)
    state.show(
        f"{campaign}: campaign {made.id}, method {made.method}, {per_hit} items per HIT",
        {"campaign": made.id, "method": made.method, "per_hit": per_hit, "seed": made.seed},
    )
    return 0


@command.command("next", cls=SectionedCommand)
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


_REJECTED = _files(
    "--rejected",
    type=click.Choice(["refuse", "count", "leave-out"]),
    default="refuse",
    help="What to do with assignments whose AssignmentStatus is Rejected.",
)
_UNTERMINATED = _files(
    "--accept-unterminated",
    is_flag=True,
    help=(
        "Accept a file whose last line has no line end. A file that was cut off looks like this, and a last"
        " value of 8 may have been 87."
    ),
)


@command.command("update", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@click.argument("results", metavar="RESULTS.csv", type=READ)
@_REJECTED
@_files("--encoding", metavar="NAME", help="Encoding of a text file, such as latin-1 (default: UTF-8).")
@_UNTERMINATED
@shared_options
def update(state: State, campaign: str, results: str, **asked: Any) -> int:
    """Add the results in RESULTS.csv (or .jsonl): all of them or none, each judgment once."""
    from ...campaign.results.update import take_in

    state.no_report("'easl status'; run it after the update.")
    taken = take_in(campaign, results, **asked)
    _warn(state, results, taken)
    state.show(f"{results}: {_counts(taken)}", vars(taken))
    return 0


def _counts(taken: Taken) -> str:
    known = f"; {taken.known} were there already and count once" if taken.known else ""
    blank = f", {taken.cannot_judge} times 'cannot judge'" if taken.cannot_judge else ""
    left = f"; {taken.left_out} rejected assignments left out" if taken.left_out else ""
    out = f"; {taken.taken_back} were retracted before and stay retracted" if taken.taken_back else ""
    return f"{taken.new} new judgments ({taken.scores} scores{blank}){known}{out}{left}"


def _warn(state: State, name: str, taken: Taken) -> None:
    if taken.nameless:
        state.say(
            f"Warning: {name}: {taken.nameless} rows have neither AssignmentId nor WorkerId; the same rows in"
            " a changed file would count again"
        )


@command.command("status", cls=SectionedCommand)
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


@command.command("retract", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_campaign(
    "--assignment",
    "assignments",
    multiple=True,
    metavar="ID",
    help="Judgments with this AssignmentId; repeatable.",
)
@_campaign("--worker", metavar="ID", help="Judgments by this worker.")
@_campaign("--batch", type=COUNT, metavar="K", help="Judgments in this batch.")
@_campaign("--hit", type=COUNT, metavar="K", help="Judgments of this HIT of the batch.")
@_campaign("--results", metavar="NAME", help="Judgments from the results file of this name (or SHA-256).")
@_campaign("--row", type=COUNT, metavar="K", help="Judgment in this row of that file, 1 below the header.")
@_campaign("--all", "every", is_flag=True, help="Retract all that match, if there is more than one.")
@_campaign("--why", default="", metavar="TEXT", help="The reason, which is recorded; required.")
@_more(
    "--undo",
    "numbers",
    type=COUNT,
    multiple=True,
    metavar="N",
    help="Restore the judgments of the retraction with this number; repeatable.",
)
@_more("--list", "listed", is_flag=True, help="List what was retracted, and why.")
@shared_options
def retract(
    state: State, campaign: str, every: bool, why: str, numbers: tuple[int, ...], listed: bool, **chosen: Any
) -> int:
    """Retract judgments: the scores are then as if these judgments had never been made.

    They are kept on record, with the reason, and --undo restores them. If a later results file contains them
    again they stay retracted, unless their answers have changed: then they are added as corrected judgments.

    \b
    pairproof easl retract C.db --assignment 3XYZ --why "file was cut"
    pairproof easl retract C.db --worker A1B2 --all --why "clicked through"
    pairproof easl retract C.db --list
    """
    from ...campaign.results import retraction as taking

    state.no_report("'easl status'; run it after 'easl retract', which changes the campaign.")
    choosing = any(v not in (None, ()) for v in chosen.values()) or every or bool(why)
    if (listed or numbers) and choosing or listed and numbers:
        raise click.UsageError("--list and --undo must be used alone; leave the other options out.")
    if listed:
        found, done = taking.history(campaign), "retracted"
    elif numbers:
        found, done = taking.undo(campaign, numbers), "restored"
    else:
        found, done = taking.take_back(campaign, why, every=every, **chosen), "retracted"
    lines = [_retraction(r) for r in found]
    head = f"{campaign}: {len(found)} judgment{'' if len(found) == 1 else 's'} {done}" + (
        "" if listed else "; the scores are computed again"
    )
    state.show("\n".join([head, *lines]), [r.to_dict() for r in found])
    return 0


def _retraction(r: Retraction) -> str:
    where = f"batch {r.batch}, HIT {r.hit}" if r.batch is not None else "a HIT of an older tool"
    named = (("assignment", r.assignment), ("worker", r.worker))
    who = ", ".join(label(f"{what} {name}") for what, name in named if name)
    back = f"; restored {r.undone}" if r.undone else ""
    return (
        f"  {r.number}: {where}{', ' if who else ''}{who}, scores {label(' '.join(r.raw))}, of"
        f" {label(r.results)}; {r.at}: {label(r.why)}{back}"
    )


@command.command("export", cls=SectionedCommand)
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


@command.command("import", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=KEPT)
@click.argument("model", metavar="MODEL.csv", type=READ)
@click.argument("results", metavar="[RESULTS.csv]...", nargs=-1, type=READ)
@_method(
    "--method",
    type=click.Choice([m for m in METHODS if m != "da"]),
    help="Default: easl for alpha and beta, trueskill for mu and sigma.",
)
@_method("--per-hit", type=COUNT, help="Items in a HIT (default: as in the results, else 5).")
@_files(
    "--model-is",
    type=click.Choice(["before", "after"]),
    help="Whether the model is from before or after the results (default: found by adding them up).",
)
@_REJECTED
@_UNTERMINATED
@_method_options
@shared_options
def import_(state: State, campaign: str, model: str, results: tuple[str, ...], **asked: Any) -> int:
    """Create CAMPAIGN.db from a project of an older tool: its model file, and the results that led to it."""
    from ...campaign.formats.take_over import take_over

    state.no_report("'easl status'; 'easl import' only writes the campaign.")
    if asked["model_is"] and not results:
        raise click.UsageError(
            "--model-is says whether the model is from before or after the results, but no results file is"
            " given."
        )
    found = take_over(Path(campaign), model, results, seed=state.seed, **asked)
    for name, taken in zip(results, found.taken):
        _warn(state, name, taken)
        state.say(f"{name}: {_counts(taken)}")
    if found.recomputed:
        state.say(
            f"Warning: {model}: its mode or var do not follow from its alpha and beta; they were recomputed"
        )
    if found.model_is == "after":
        state.say("The results, added to the initial state, give the model; they are kept as its history.")
    a, results_in = found.about, [vars(t) for t in found.taken]
    made = {"campaign": a.id, "items": found.items, "method": a.method, "per_hit": a.per_hit}
    state.show(
        f"{campaign}: campaign {a.id}, {found.items} items, method {a.method}, {a.per_hit} per HIT",
        {**made, "model_is": found.model_is, "results": results_in},
    )
    return 0
