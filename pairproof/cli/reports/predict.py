"""Predictions as a page and as a JSON document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...fit.contests.mixed import MixedFit
from ...fit.shown.text import number, shorten
from ...report.blocks import Block, Bullets, Column, Page, Paragraph, Table

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.fit import Fit

#: Rows of a page; the CSV file and the JSON document have all.
ROWS = 200


def document(fit: Fit, frame: pd.DataFrame, level: float) -> dict[str, Any]:
    """The JSON: model, level, with random effects how limits take sigma ("known", "uncertain"), and a row a comparison, null where a number is not determined."""
    rows = [
        {str(k): (None if isinstance(v, float) and not math.isfinite(v) else v) for k, v in row.items()}
        for row in frame.to_dict("records")
    ]
    return {
        "model": fit.title,
        "level": level,
        **({"sigma": frame.attrs["sigma"]} if "sigma" in frame.attrs else {}),
        "warnings": [str(w) for w in fit.warnings],
        "predictions": rows,
    }


def page(fit: Fit, frame: pd.DataFrame, level: float) -> Page:
    """The table of predictions, and what its columns are."""
    tied, mixed = bool(frame["p_tie"].to_numpy().any()), isinstance(fit, MixedFit)
    heads: list[str | Column] = [Column("first", "left"), Column("second", "left"), "eta", "se", "P(first)"]
    names = ["eta", "se", "p_first"]
    if tied:
        heads += ["P(tie)", "P(second)"]
        names += ["p_tie", "p_second"]
    else:
        heads += [f"{50 * (1 - level):g} %", f"{50 * (1 + level):g} %"]
        names += ["low", "high"]
    if mixed:
        heads += ["plug-in", "averaged", "new effects"]
        names += ["p_plug_in", "p_averaged", "new"]
    rows = []
    for row in frame.head(ROWS).to_dict("records"):
        numbers = [f"{row[n]:.0f}" if n == "new" else number(float(row[n])) for n in names]
        rows.append((shorten(str(row["first"]), 30), shorten(str(row["second"]), 30), *numbers))
    blocks: list[Block] = [
        Table(tuple(heads), tuple(rows), f"{len(frame):,} comparison{'' if len(frame) == 1 else 's'}")
    ]
    if len(frame) > ROWS:
        blocks.append(
            Paragraph(f"{len(frame) - ROWS:,} more are not shown; --out and --json have them.", aside=True)
        )
    said = ["eta is the linear predictor in favour of the first, with its standard error"]
    if not tied:
        said.append("the limits are those of P(first) if eta lies at its own")
    if mixed:
        said.append(
            "P(first) is averaged over the effects of what was not seen, plug-in is at effect 0, averaged is over the whole"
            " uncertainty, all three and se with sigma as estimated"
        )
        said.append(_of_sigma(frame, level))
    if frame["eta"].isna().any():
        said.append("- : the data do not determine the difference")
    return Page(
        f"Predictions: {fit.title}", [*blocks, Bullets(tuple(said))], f"Model fitted to {fit.data.source}"
    )


def _of_sigma(frame: pd.DataFrame, level: float) -> str:
    """How the limits take the standard deviation of random effects."""
    how = str(frame.attrs["sigma"])
    if how == "known":
        return (
            f"the {100 * level:g} % limits take sigma as known, and are too short where comparisons are few"
        )
    said = how.removeprefix("uncertain")
    return f"the {100 * level:g} % limits are over the uncertainty of sigma too (--sigma known takes it as known){said}"
