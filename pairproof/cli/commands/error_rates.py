"""`pairproof error-rates`: WER, PER, TER with standard errors, and the paired difference of every two
systems.
"""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import two_names
from ..options.sections import SectionedCommand, level_option, option
from ..state import READ, State, shared_options

_what = option("Rates")
_reading = option("Reading the table")
HELP = """Error rates of FILE (a row a sentence and system; - for standard input) with standard errors.

FILE has the columns errors and length (in reference words); system and sentence if there are several systems, which are
then compared in pairs on the same sentences. The rate is the sum of errors over the sum of lengths. Its standard error by
the delta method, the jackknife, and equation 9 of Vilar, Leusch and Ney (2007), which takes every word to go wrong by itself.
Where two systems do not have the same sentences they are not compared, and the exit code is 2.

\b
pairproof error-rates ter.csv
pairproof error-rates ter.csv --pair A,B --system engine --errors edits --lengths ref_words --json
"""


@click.command("error-rates", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_what(
    "--pair", metavar="A,B", callback=two_names, help="Only these two, from A's side (default: every pair)."
)
@_what(
    "--se",
    "estimator",
    type=click.Choice(["delta", "jackknife", "vilar"]),
    default="delta",
    help=(
        "Standard error of intervals and tests; all three are shown. Equation 9 (vilar) has no form for a"
        " difference: delta is taken there."
    ),
)
@level_option(_what, "Of intervals; significant is beyond it.")
@_what(
    "--common",
    is_flag=True,
    help=(
        "Compare a pair on the sentences both have, if they are not the same, and say how many were left out."
    ),
)
@_reading(
    "--system", metavar="COL", help="Column of the system (default: system, or else all rows are one system)."
)
@_reading(
    "--sentence",
    metavar="COL",
    help="Column of the sentence (default: sentence, or else pairs are not compared).",
)
@_reading(
    "--errors", metavar="COL", help="Column of the errors: counts of edits, not rates (default: errors)."
)
@_reading("--lengths", metavar="COL", help="Column of the length in reference words (default: length).")
@_reading("--encoding", metavar="NAME", help="Of a text file that is not UTF-8, for example latin-1.")
@shared_options
def command(
    state: State,
    file: str,
    pair: tuple[str, str] | None,
    estimator: Any,
    level: float,
    common: bool,
    **columns: str | None,
) -> int:
    state.no_junit("error rates have")
    from ...data.reading.sentence_errors import read_errors
    from ...native.ranking.system_rates import rates_of
    from ..reports.error_rates import document, page

    rates = rates_of(read_errors(file, **columns), pair=pair, estimator=estimator, level=level, common=common)
    state.give(lambda: page(rates), document(rates))
    return 2 if any(two.difference is None for two in rates.pairs) else 0
