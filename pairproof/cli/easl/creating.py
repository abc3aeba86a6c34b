"""`easl init` and `easl import`: make a campaign."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import click

from ..options.sections import COUNT, SectionedCommand, option, stacked
from ..state import KEPT, READ, State, shared_options
from .adding import REJECTED, UNTERMINATED, counts, warn
from .designing import with_design

METHODS = ("easl", "da", "ra", "trueskill", "random")
POOLS = ("paper", "keisks", "cjmay")
_method, _files = option("Method"), option("Files")


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


@click.command("init", cls=SectionedCommand)
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
@with_design
@shared_options
def init(state: State, campaign: str, items: str, method: Any, per_hit: int, **asked: Any) -> int:
    """Create CAMPAIGN.db from ITEMS.csv (columns id, sent and any others).

    Annotators see the text alone (--show adds columns). Columns role, of, source, system and gold of the
    items file say what an item is for; annotators never see these.
    """
    from ...campaign.create import create

    state.no_report("'easl status'; 'easl init' only writes the campaign.")
    made = create(campaign, items, method, per_hit, seed=state.seed, **asked)
    state.show(
        f"{campaign}: campaign {made.id}, method {made.method}, {per_hit} items per HIT",
        {"campaign": made.id, "method": made.method, "per_hit": per_hit, "seed": made.seed},
    )
    return 0


@click.command("import", cls=SectionedCommand)
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
@REJECTED
@UNTERMINATED
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
        warn(state, name, taken)
        state.say(f"{name}: {counts(taken)}")
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
