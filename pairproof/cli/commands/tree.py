"""`pairproof tree`: groups of persons with different preferences (Strobl, Wickelmaier and Zeileis 2011)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..options.reading import Reading, names_or_none
from ..options.respondents import person_options
from ..state import COUNT, LEVEL, READ, SHARE, WRITTEN, State, choice, options, sectioned, shared_options


@sectioned("tree")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Tree",
    {
        "--covariates COL,COL,...": "age, C(region): numbers as a factor, ordered(education): levels in order."
        " Default: all columns of persons.",
        "--alpha": ("Level of the tests in a node.", {"type": SHARE, "default": 0.05}),
        "--adjust": "Adjustment of p for the number of covariates.",
        "--minimum N": "Minimum persons in a node (default: 10 parameters / comparisons per person).",
        "--most-depth N": ("Maximum number of splits from the root to a leaf.", click.IntRange(min=0)),
        "--missing": "Persons with a missing covariate: an error, or dropped and counted.",
        "--ties": "Default: davidson if there are ties, else none.",
        "--reference ITEM": "The item whose log-odds is 0 (default: the first).",
        "--plot FILE": ("Draw the tree: .png, .svg or .pdf.", WRITTEN),
        "--level": ("Level of the intervals of worths in the picture.", LEVEL),
    },
    covariates={"callback": names_or_none},
    adjust=choice("bonferroni", "none", default="bonferroni"),
    minimum=COUNT,
    missing=choice("refuse", "leave-out", default="refuse"),
    ties=choice("davidson", "half", "drop", "none"),
)
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
    """Divide the persons of FILE into groups with different preferences, by their covariates (R's psychotree: bttree).

    In each node a Bradley-Terry model is fitted, and its parameters are tested for stability over each covariate. If
    they are unstable, the node is split by the covariate with the smallest p. FILE has one row per person (--layout
    pairs, paircomp), or comparisons with a column judge, whose covariates are the same in all rows of a judge.

    \b
    pairproof tree models.csv --layout pairs --items A,B,C --pair-order prefmod --coding first=1,second=-1 --plot tree.png
    pairproof tree votes.csv --covariates "age,gender,C(region),ordered(education)" --missing leave-out --json
    """
    state.no_junit("a tree has")
    from ...native.answers.trees.tree_picture import FORMATS

    if plot is not None and not plot.lower().endswith(FORMATS):
        raise click.UsageError(f"--plot {plot}: the name must end in {', '.join(FORMATS)}.")
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
