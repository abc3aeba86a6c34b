"""`pairproof fit`: fit a model to a table of comparisons, and compare it with R if asked to."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from ...errors import RankingWarning
from ...fit.estimates.specification import FAMILIES
from ..options.ending import Ending, ending_options
from ..options.modelling import changed, check_model, compare_option, contest_options, model_options, stated
from ..options.reading import Reading, names_or_none, reader_options
from ..state import READ, State, choice, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...fit.fit import Fit


#: What --compare can change.
COMPARED = (
    *("by", "ties", "order-effect", "item-terms", "separate", "comparison-terms"),
    *("formula", "random", "tie-shift", "tie-scale"),
)


@sectioned("fit")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Model",
    {
        "--model": "llbt: as prefmod, the last item is 0. bradley-terry: as BradleyTerry2, log-odds, the first item is 0."
    },
    model=choice(*FAMILIES, default="llbt"),
)
@model_options
@options(
    "Model",
    {
        "--by FORMULA": "Subject covariates: judge, 'judge + C(age)', tie:judge; Paris:WOR for one item.",
        "--cells COL,...|row": "Finer cells for the deviance: by these columns, or one per row of FILE.",
    },
    by="",
    cells={"callback": names_or_none},
)
@compare_option("Model", COMPARED, "order-effect=no")
@contest_options
@ending_options(
    reader_options,
    "COL[,COL]",
    "Cluster-robust standard errors, by COL (judge, or judge,source).",
    "CR2",
    " (Satterthwaite)",
)
@shared_options
def command(
    state: State,
    file: str,
    model: str,
    changes: dict[str, str],
    reading: Reading[Comparisons],
    ending: Ending,
    **asked: Any,
) -> int:
    """Fit a model to a table of comparisons.

    \b
    pairproof fit votes.csv --ties davidson --cluster judge --report report.html

    FILE is CSV, TSV, JSON or JSON Lines (each also as .gz), Parquet, Arrow, or a page with one table (LaTeX, HTML,
    Markdown, text); - is standard input. If the layout of a table is ambiguous, the message proposes the whole
    command.
    """
    options = [asked, changed(asked, changes)] if changes else [asked]
    for own in options:
        check_model(model, own)
        if own["item_terms"] and own["reference"] is not None:
            raise click.UsageError(
                "--reference names an item, but with --item-terms items have no parameters"
                " of their own; omit one of them."
            )
    table = reading.of(file)
    if ending.rows is not None and ending.cluster is None and not asked["comparison_terms"]:
        raise click.UsageError(
            "--rows has no effect without --cluster or --comparison-terms; add one of them."
        )
    return ending.give(state, table, *(_fit(table, model, stated(own), ending.rows) for own in options))


def _fit(table: Comparisons, model: str, asked: dict[str, Any], rows: str | None) -> Fit:
    from ...native.comparisons.contests.bradley_terry import FITTERS

    if rows is not None and model == "bradley-terry" and asked.get("comparison_terms"):
        asked = {**asked, "rows": rows}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # in the summary, and said beside the JSON
        return FITTERS[model](table, **asked)
