"""`pairproof tree`: groups of persons with different preferences (Strobl, Wickelmaier and Zeileis 2011)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..options.reading import Reading, names_or_none
from ..options.respondents import person_options
from ..state import COUNT, READ, SHARE, WRITTEN, SectionedCommand, State, level_option, option, shared_options

_tree = option("Tree")
HELP = """Divide the persons of FILE into groups with different preferences, by their covariates (R's psychotree: bttree).

In each node a Bradley-Terry model is fitted, and tests say whether its parameters are the same whatever a covariate is; if
not, the node is divided by the covariate with the smallest p. FILE has a row for each person (--layout pairs, paircomp), or
comparisons with a column judge, whose covariates are the same in all rows of a judge.

\b
pairproof tree models.csv --layout pairs --items A,B,C --pair-order prefmod --coding first=1,second=-1 --plot tree.png
pairproof tree votes.csv --covariates "age,gender,C(region),ordered(education)" --missing leave-out --json
"""


@click.command("tree", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_tree(
    "--covariates",
    metavar="COL,COL,...",
    callback=names_or_none,
    help="age, C(region): numbers as a factor, ordered(education): levels in order. Default: all columns of persons.",
)
@_tree("--alpha", type=SHARE, default=0.05, help="Level of the tests in a node.")
@_tree(
    "--adjust",
    type=click.Choice(["bonferroni", "none"]),
    default="bonferroni",
    help="Whether p is adjusted for the number of covariates.",
)
@_tree(
    "--minimum",
    type=COUNT,
    metavar="N",
    help="Persons of a node at least (default: 10 parameters / comparisons of a person).",
)
@_tree(
    "--most-depth", type=click.IntRange(min=0), metavar="N", help="Splits from the root to a leaf at most."
)
@_tree(
    "--missing",
    type=click.Choice(["refuse", "leave-out"]),
    default="refuse",
    help="Persons without a value of a covariate: an error, or left out and counted.",
)
@_tree(
    "--ties",
    type=click.Choice(["davidson", "half", "drop", "none"]),
    help="Default: davidson where somebody tied, else none.",
)
@_tree("--reference", metavar="ITEM", help="The item whose log-odds is 0 (default: the first).")
@_tree("--plot", metavar="FILE", type=WRITTEN, help="Draw the tree: .png, .svg or .pdf.")
@level_option(_tree, "Level of the intervals of worths in the picture.")
@person_options
@shared_options
def command(
    state: State,
    file: str,
    covariates: Sequence[str] | None,
    missing: str,
    plot: str | None,
    level: float,
    reading: Reading[Any],
    **options: Any,
) -> None:
    state.no_junit("a tree has")
    from ...native.answers.trees.tree_picture import FORMATS

    if plot is not None and not plot.lower().endswith(FORMATS):
        raise click.UsageError(f"--plot {plot}: a picture ends in {', '.join(FORMATS)}.")
    import pairproof

    from ..reports.preference_tree import page

    table = reading.of(file)
    tree = pairproof.fit_tree(
        table, covariates, missing="leave out" if missing == "leave-out" else "refuse", **options
    )
    if state.json:
        for note in tree.notes:
            state.say(f"Note: {note}")
    if plot is not None:
        tree.plot(plot, level=level, force=state.force)
        state.say(f"picture: {plot}")
    state.give(lambda: page(tree, level), tree.to_dict, terminal=tree.summary)
