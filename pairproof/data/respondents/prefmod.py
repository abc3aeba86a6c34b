"""The wide table that `pattPC.fit`, `pattR.fit`, `pattL.fit` and their kin in R's package prefmod take.

One row a person; the answers first, time by time, then the covariates, categorical ones as 1..K (Hatzinger and
Dittrich 2012, Journal of Statistical Software 48(10)).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...text import listed, quoted
from ..checks import first_row
from ..columns import Factor, FloatArray, IntArray
from ..wide import Wide, prefmod_pair_order
from .checked import has_ties
from .codes import ABSENT, BELOW, MISSING, UNRATED
from .respondents import Respondents

#: Cells of a table for prefmod, which enumerates all patterns and could do nothing with more.
MOST_CELLS = 10_000_000


def to_prefmod(table: Respondents, covariates: Sequence[str] = ()) -> Wide:
    """The table as prefmod takes it.

    prefmod takes the number of categories, and the range of a rating scale, from the values it meets: where
    no tie or no end of the scale occurs, it fits another model than the table says.

    table: a row of weight w becomes w rows.  covariates: columns to append: a Factor as 1..K in the order of
    its levels, numbers as they are.  Returns Wide: `frame` has the columns V1_2, V1_3, V2_3, ... with 1, 0
    and -1 for comparisons; V1, V2, ... with ranks (nan: below all items with a rank) or places on the scale,
    1 the most preferred (nan: not rated); with several times V1.1, V2.1, ..., V1.2, ...  `coding` is that of
    comparisons, else only `missing`.
    """
    import pandas as pd

    rows = _rows(table)
    values = _values(table)[rows]
    if table.kind == "comparisons":
        names = [f"V{i + 1}_{j + 1}" for i, j in prefmod_pair_order(len(table.items))]
    else:
        names = [f"V{k + 1}" for k in range(len(table.items))]
    data = {
        f"{name}.{t + 1}" if table.n_times > 1 else name: values[:, t, k]
        for t in range(table.n_times)
        for k, name in enumerate(names)
    }
    for name in covariates:
        if name in data:
            raise InputError(
                f"{table.source}: covariate {name!r} has the name of a column of answers; rename it"
            )
        data[name] = _covariate(table, name, rows)
    coding = {"first": 1.0, "tie": 0.0, "second": -1.0} if table.kind == "comparisons" else {}
    if not table.tie_category:
        coding.pop("tie", None)
    return Wide(pd.DataFrame(data), {**coding, "missing": float("nan")})


def _rows(table: Respondents) -> IntArray:
    broken = table.weights != np.floor(table.weights)
    if broken.any():
        r = first_row(broken)
        raise InputError(
            f"{table.source}, row {r + 1}: the weight is {table.weights[r]:g} ({int(broken.sum())} such row(s)); prefmod"
            " takes no weights but a row for each person, so they must be whole"
        )
    cells = table.n_persons * table.answers[0].size
    if cells > MOST_CELLS:
        raise InputError(
            f"{table.source}: {table.n_persons:,.0f} persons would be {cells:,.0f} cells; at most {MOST_CELLS:,} are written"
        )
    return np.asarray(np.repeat(np.arange(table.n_rows), table.weights.astype(np.int64)))


def _values(table: Respondents) -> FloatArray:
    """float[n_rows, n_times, k]: the answers in prefmod's codes."""
    answers = table.answers
    if table.kind == "rankings":
        for bad, what, cure in (
            (
                answers == ABSENT,
                "an item was not presented",
                "prefmod has no such rankings: NA is below all others there",
            ),
            (has_ties(answers)[:, :, None], "two items have the same rank", "pattR.fit leaves such rows out"),
        ):
            if bad.any():
                at = first_row(bad.any(axis=(1, 2)))
                raise InputError(
                    f"{table.source}, row {at + 1}: {what} ({int(bad.any(axis=(1, 2)).sum())} such row(s)); {cure}"
                )
    missing = {"comparisons": MISSING, "rankings": BELOW, "ratings": UNRATED}[table.kind]
    return np.where(answers == missing, np.nan, answers)


def _covariate(table: Respondents, name: str, rows: IntArray) -> FloatArray:
    table.groups([name])  # refuses a covariate that is not there or has missing values
    column = table.columns[name]
    if not isinstance(column, Factor):
        return np.asarray(column[rows])
    unused = np.flatnonzero(np.bincount(column.codes[rows], minlength=len(column.levels)) == 0)
    if len(unused):
        raise InputError(
            f"{table.source}: nobody has level {quoted(column.levels[unused[0]])} of {name!r} ({listed(column.levels)});"
            " prefmod needs the codes 1..K without a gap; drop the level"
        )
    return np.asarray(column.codes[rows] + 1.0)
