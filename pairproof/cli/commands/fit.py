"""`pairproof fit`: fit a model to a table of comparisons, and compare it with R if asked to."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from ...errors import RankingWarning
from ...fit.estimates.specification import FAMILIES
from ..options.modelling import (
    Many,
    check_model,
    contest_options,
    many_options,
    model_options,
    robust_options,
)
from ..options.reading import names, read_table, reader_options, split_list
from ..options.verifying import BesideR, verify_options
from ..state import READ, SectionedCommand, State, option, shared_options

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ...fit.robust.clustered_fit import Kind, Missing


_model = option("Model")

HELP = """Fit a model to a table of comparisons in FILE (CSV, TSV, Parquet, Arrow; - for standard input).

\b
pairproof fit votes.csv
pairproof fit counts.csv --ties davidson --by judge --verify --report out.html
pairproof fit fights.csv --model bradley-terry --item-data lizards.csv --formula 'SVL + (1 | item)'
pairproof fit wide.csv --layout prefmod --items A,B,C,D --pair-order prefmod \\
    --coding first=1,tie=0,second=-1,missing=NA
"""


@click.command("fit", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_model(
    "--model",
    type=click.Choice(list(FAMILIES)),
    default="llbt",
    help="lambda against the last item (as prefmod), or log-odds against the first (as BradleyTerry2).",
)
@model_options
@_model(
    "--by",
    default="",
    metavar="FORMULA",
    help="Subject covariates: judge, 'judge + C(age)', tie:judge; Paris:WOR for one item, LAT:ENG for one item covariate.",
)
@_model(
    "--cells",
    metavar="COL,...|row",
    help="Columns of a finer table for deviance and df; row: each row of the file is a cell.",
)
@contest_options
@robust_options(
    "COL[,COL]",
    "Standard errors by cluster: answers with the same value of COL go together (judge, or judge,source).",
    "CR2, with Satterthwaite's degrees of freedom",
)
@many_options
@reader_options
@verify_options
@shared_options
def command(
    state: State,
    file: str,
    model: str,
    cluster: str | None,
    cluster_kind: Kind | None,
    cluster_missing: Missing | None,
    reading: dict[str, Any],
    contests: dict[str, Any],
    many: Many,
    beside_r: BesideR,
    **asked: Any,
) -> int:
    beside_r.check()
    if not beside_r.verify and any(path.suffix.lower() == ".xml" for path in state.reports):
        raise click.UsageError(
            "a JUnit report (.xml) lists verdicts, which only --verify gives; add --verify."
        )
    if cluster is None and cluster_kind is not None:
        raise click.UsageError("--cluster-kind has no effect without --cluster; add --cluster judge.")
    if cluster is None and cluster_missing is not None:
        raise click.UsageError("--cluster-missing has no effect without --cluster; add --cluster judge.")
    check_model(model, contests)
    fitted = _fit(file, model, reading, asked, contests)
    if cluster is not None:
        fitted = fitted.clustered(
            *names(cluster), kind=cluster_kind or "CR2", missing=cluster_missing or "refuse"
        )
    found = many.find(fitted, state.seed)
    code = beside_r.give(state, fitted, found)
    if not fitted.stopping.reached:
        state.say(f"not converged: {fitted.stopping.rule} was not reached in {fitted.stopping.steps} steps")
        return 2
    return code


def _fit(
    file: str, model: str, reading: dict[str, Any], asked: dict[str, Any], contests: dict[str, Any]
) -> Fit:
    for name in ("item_terms", "separate", "comparison_terms"):
        asked[name] = split_list(asked[name])
    if asked["item_terms"] and asked["reference"] is not None:
        raise click.UsageError(
            "--reference names an item, but with --item-terms items have no parameters of their own; leave"
            " out one of the two."
        )
    from ...native.comparisons.contests.bradley_terry import FITTERS

    table = read_table(file, reading)
    asked["cells"] = None if asked["cells"] is None else names(asked["cells"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # in the summary, and said beside the JSON
        return FITTERS[model](table, **asked, **contests)
