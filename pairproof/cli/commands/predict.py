"""`pairproof predict`: fit a Bradley-Terry model and predict comparisons that were not seen."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from typing import Any, Literal

import click

from ...errors import RankingWarning
from ...files.outputs import csv_text
from ..options.modelling import contest_options, model_options, stated
from ..options.reading import Reading, reader_options
from ..state import LEVEL, READ, WRITTEN, State, choice, options, sectioned, shared_options


@sectioned("predict")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Predictions",
    {
        "--new FILE": ("The comparisons to predict.", {"required": True, "type": READ}),
        "--new-items FILE": "Covariates of items that are not in --item-data, one row per item, in the same columns.",
        "--level": ("Level of the limits of each probability.", LEVEL),
        "--sigma": "With random effects: whether the limits include the uncertainty of sigma (default: uncertain).",
        "--out FILE.csv": "Write the predictions as CSV, in full precision; cells that a spreadsheet would execute are escaped.",
    },
    new_items=READ,
    sigma=choice("uncertain", "known"),
    out=WRITTEN,
)
@model_options
@contest_options
@reader_options
@shared_options
def command(
    state: State,
    file: str,
    new: str,
    new_items: str | None,
    level: float,
    sigma: Literal["uncertain", "known"] | None,
    out: str | None,
    reading: Reading[Any],
    **asked: Any,
) -> None:
    """Fit a Bradley-Terry model to FILE and predict the comparisons in another file, including new items.

    The --new file has columns first and second, and every column that the model uses. A blank, or a judge who is
    not in FILE, means judges in general.

    \b
    pairproof predict fights.csv --item-data lizards.csv --formula 'SVL + (1 | item)' \\
        --new pairs.csv --new-items hatchlings.csv
    pairproof predict games.csv --order-effect --new next-week.csv --out predicted.csv
    """
    state.no_junit("predictions have")
    if out is not None and not out.lower().endswith(".csv"):
        raise click.UsageError(f"--out {out}: predictions are written as CSV; the name must end in .csv.")
    import pairproof

    from ...data.reading.beside.new_contests import read_contests, read_new_items
    from ..reports.fitted import prediction_document as document, prediction_page as page

    table = reading.of(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # said below, among the fit's warnings
        fit = pairproof.fit_bradley_terry(table, **stated(asked))
    if sigma is not None and fit.random_effects is None:
        raise click.UsageError("--sigma: the model has no random effects; omit it.")
    encoding = reading.stated.get("encoding")
    item_data, known = ({}, ()) if new_items is None else read_new_items(new_items, table, encoding)
    if known:
        state.say(f"{new_items}: {len(known)} of its items are also in {file}, with the same values")
    for warning in fit.warnings:
        state.say(f"Warning: {warning}")
    contests = read_contests(new, table, encoding)
    frame = pairproof.predict(fit, contests, item_data=item_data, level=level, sigma=sigma or "uncertain")
    if out is not None:
        header, *rows = csv.reader(io.StringIO(frame.to_csv(index=False)))
        state.write(Path(out), csv_text(header, rows))
        state.say(f"predictions: {out}")
    state.give(lambda: page(fit, frame, level), lambda: document(fit, frame, level))
