"""`pairproof check-numbers`: what a printed table says of itself, without the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from ...fit.estimates.specification import TIES_IN_WORDS
from ..options.reading import mapping_of
from ..state import POSITIVE, READ, State, choice, options, sectioned, shared_options


@sectioned("check-numbers")
@click.argument("table", metavar="TABLE", type=READ)
@options(
    "A printed table",
    {
        "--heading KIND=HEADING": "The heading of a kind of number (estimate, se, z, p, worth, low, high, ...), if"
        " ambiguous; repeatable.",
        "--ties": "How it treats ties (default: davidson if a tie parameter is printed, otherwise none).",
        "--reference ITEM|sum": "The item whose ability is 0, or sum (default: the one item without a number).",
        "--scale": "Scale of its estimates (default: the one that fits most numbers).",
        "--games N": ("How often each pair met, to check the totals of wins.", POSITIVE),
        "--sided": ("Sides of its p-values (default: 2).", choice("1", "2")),
    },
    heading={"multiple": True, "callback": mapping_of("estimate=Ability")},
    ties=choice(*TIES_IN_WORDS),
    scale=choice("lambda", "log-odds"),
)
@shared_options
def command(
    state: State,
    table: str,
    heading: dict[str, str] | None,
    games: float | None,
    sided: str | None,
    **model: Any,
) -> int:
    """Check the numbers of a printed table against each other, without the data.

    TABLE is a printed table (CSV, LaTeX, HTML, Markdown, text) or what R, Stata or SAS print. z, p and limits follow
    from estimate and standard error; worths sum to 1 and follow from the estimates; df, AIC and counts must fit; with
    --games the estimates must give whole totals of wins. The output lists what cannot be checked without the data.

    \b
    pairproof check-numbers table.txt
    pairproof check-numbers table.tex --games 13 --reference Baltimore
    pairproof check-numbers table.csv --heading se="Quasi SE" --sided 1
    """
    from ...validation.printed.alone import check_alone, screen
    from ...validation.report.rendering import output
    from ...validation.verdicts.agreement import to_document

    stated = {name: value for name, value in model.items() if value is not None}
    found = check_alone(table, stated, heading or {}, games or 0.0, sided == "1")
    shown = replace(output(found, found.context), terminal=lambda: screen(found))
    state.give_output(shown, lambda: to_document(found) | {"said": list(found.context.first_lines)})
    return found.exit_code
