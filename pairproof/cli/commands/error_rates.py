"""`pairproof error-rates`: WER, PER, TER with standard errors, and the paired differences between systems."""

from __future__ import annotations

from typing import Any

import click

from ..options.reading import ENCODING, PAIR, cluster_options, taken, where_option, with_notes
from ..state import LEVEL, READ, State, choice, options, sectioned, shared_options


@sectioned("error-rates")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Rates",
    {
        "--pair A,B": ("Only this pair, as A minus B (default: every pair).", PAIR),
        "--se": "Standard error used for intervals and tests; all three are shown. Equation 9 (vilar) does not"
        " cover differences, for which delta is used.",
        "--level": ("Level of the intervals; tests are at 1 minus it.", LEVEL),
        "--common": "If two systems do not have the same sentences, compare them on the common ones,"
        " and report how many were dropped.",
    },
    se=choice("delta", "jackknife", "vilar", name="estimator", default="delta"),
)
@cluster_options(
    "Rates", "Standard errors by cluster of sentences: a column such as document or editor, or two of them."
)
@options(
    "Reading the table",
    {
        "--system COL": "Column of the system (default: system; without it, all rows are one system).",
        "--sentence COL": "Column of the sentence (default: sentence; without it, pairs are not compared).",
        "--errors COL": "Column of the errors: counts of edits, not rates (default: errors).",
        "--lengths COL": "Column of the length in reference words (default: length).",
        "--encoding NAME": ENCODING,
    },
)
@where_option
@shared_options
def command(state: State, file: str, where: tuple[str, ...], **asked: Any) -> int:
    """Compute error rates with standard errors from FILE (one row per sentence and system; - for standard input).

    FILE has the columns errors and length (in reference words), and also system and sentence if there are several
    systems, which are then compared in pairs on the same sentences. The rate is the sum of errors over the sum of
    lengths. Its standard error is given by the delta method, by the jackknife, and by equation 9 of Vilar, Leusch and
    Ney (2007), which assumes that words are wrong independently. With --cluster it is the delta method's by cluster,
    with t intervals. Two systems without the same sentences are not compared, and the exit code is then 2.

    \b
    pairproof error-rates ter.csv
    pairproof error-rates ter.csv --pair A,B --system engine --errors edits --lengths ref_words --json
    """
    state.no_junit("error rates have")
    from ...data.reading.beside.sentence_errors import read_errors
    from ...native.competitions.ranking.system_rates import rates_of
    from ..reports.systems_compared import error_rates_document as document, error_rates_page as page

    columns = taken(asked, ("system", "sentence", "errors", "lengths", "encoding"))
    table = read_errors(file, clusters=asked["cluster"], where=where, **columns)
    rates = rates_of(with_notes(table), **asked)
    state.give(lambda: page(rates), lambda: document(rates))
    not_tested = (two.difference is None or (two.clustered and two.clustered.why_not) for two in rates.pairs)
    return 2 if any(not_tested) else 0
