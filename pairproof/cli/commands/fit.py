"""`pairproof fit`: fit a model to a table of comparisons, and compare it with R if asked to."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import RankingWarning
from ...fit.estimates.specification import FAMILIES
from ..options.modelling import Many, check_model, contest_options, many_options, model_options
from ..options.reading import names, read_table, reader_options, split_list
from ..options.verifying import r_options
from ..state import READ, WRITTEN, SectionedCommand, State, json_text, option, shared_options

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode
    from ...fit.fit import Fit
    from ...fit.robust.clustered_fit import Kind, Missing
    from ..reports.fitted import Found


_model = option("Model")
_errors = option("Standard errors")
_check = option("R")

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
@_errors(
    "--cluster",
    metavar="COL[,COL]",
    help="Standard errors by cluster: answers with the same value of COL go together (judge, or judge,source).",
)
@_errors(
    "--cluster-kind",
    type=click.Choice(["CR0", "CR1", "CR2"]),
    help="Correction for few clusters; default: CR2, with Satterthwaite's degrees of freedom.",
)
@_errors(
    "--cluster-missing",
    type=click.Choice(["refuse", "own"]),
    help="Rows without a value of COL: an error (default), or each a cluster of its own.",
)
@many_options
@reader_options
@_check("--verify", is_flag=True, help="Compute the same numbers in R and show how many digits agree.")
@r_options
@_check(
    "--to-r", "script", metavar="SCRIPT.R", type=WRITTEN, help="Write an R script that reproduces the fit."
)
@shared_options
def command(
    state: State,
    file: str,
    model: str,
    verify: bool,
    r: Mode | None,
    require_r: bool,
    full: bool,
    script: str | None,
    cluster: str | None,
    cluster_kind: Kind | None,
    cluster_missing: Missing | None,
    reading: dict[str, Any],
    contests: dict[str, Any],
    many: Many,
    **asked: Any,
) -> int:
    if (r is not None or require_r or full) and not verify:
        raise click.UsageError("--r, --require-r and --full have no effect without --verify; add --verify.")
    if not verify and any(path.suffix.lower() == ".xml" for path in state.reports):
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
    agreements: Any = None
    if verify:
        import pairproof

        agreements = pairproof.verify(fitted, r=r)
    if script is not None:
        state.write(Path(script), fitted.to_r(), ".r")
        state.say(f"R script: {script}")
    _give(state, fitted, agreements, found, full)
    if not fitted.stopping.reached:
        state.say(f"not converged: {fitted.stopping.rule} was not reached in {fitted.stopping.steps} steps")
        return 2
    if agreements is None:
        return 0
    from ...validation.verdicts.agreement import exit_code

    return exit_code(agreements, require_r)


def _fit(
    file: str, model: str, reading: dict[str, Any], asked: dict[str, Any], contests: dict[str, Any]
) -> Fit:
    terms, separate, cells = split_list(asked["item_terms"]), split_list(asked["separate"]), asked["cells"]
    of_comparison = split_list(asked["comparison_terms"])
    if terms and asked["reference"] is not None:
        raise click.UsageError(
            "--reference names an item, but with --item-terms items have no parameters of their own; leave"
            " out one of the two."
        )
    from ...native.comparisons.contests.bradley_terry import FITTERS

    table = read_table(file, reading)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RankingWarning
        )  # it stands in the summary, and is said beside the JSON
        stated = {name: asked[name] for name in ("ties", "by", "reference", "order_effect")}
        cells = None if cells is None else names(cells)
        return FITTERS[model](
            table,
            cells=cells,
            item_terms=terms,
            separate=separate,
            comparison_terms=of_comparison,
            **stated,
            **contests,
        )


def _give(state: State, fitted: Fit, agreements: Any, found: Found, full: bool) -> None:
    """Give the fit; with verdicts, the report is that of the verdicts."""
    from ..reports import fitted as comparisons, fitted as contests
    from ..reports.fitted import context, fit_document as document, fit_page as page

    result = document(fitted, agreements) | comparisons.comparison_document(found)
    shown = "\n\n".join(
        filter(None, [fitted.summary(), contests.effects_text(fitted), comparisons.text(found)])
    )
    if state.json:
        for warning in result["warnings"]:
            state.say(f"Warning: {warning}")
    if agreements is None:
        state.give(lambda: page(fitted, found), result, terminal=lambda: shown)
        return
    from ...validation.report.rendering import output

    beside_r = agreements.screen(full, [*map(str, state.reports)])
    forms = {"json": lambda: json_text(result) + "\n", "terminal": lambda: f"{shown}\n\n{beside_r}"}
    state.give_output(replace(output(agreements, context(fitted, agreements)), **forms), result)
