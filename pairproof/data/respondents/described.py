"""A table of respondents in words, for a terminal and a notebook, and as a data frame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ...text import label, named
from ..columns import Factor, IntArray
from ..wide import prefmod_pair_order
from .checked import has_ties
from .codes import ABSENT, BELOW, MISSING, UNRATED
from .parts import Table

if TYPE_CHECKING:
    import pandas as pd

_SIGNS = {1: ">", 0: "=", -1: "<"}


def headline(table: Table) -> str:
    """A line with the numbers of persons, items, gaps and ties, the times, the covariates and the source."""
    n, j, w = float(table.weights.sum()), len(table.items), table.weights
    when = f" at {len(table.times)} times" if len(table.times) > 1 else ""
    beside = f", with {named(table.columns, 6)}" if table.columns else ""
    if table.kind == "comparisons":
        open_ = (table.answers == MISSING).sum(axis=(1, 2))
        tied = (table.answers == 0).sum(axis=(1, 2))
        asked = table.answers.shape[1] * table.answers.shape[2]
        ties = f", {w @ tied:g} tied" if table.tie_category else "; no tie category"
        what = f"{n:g} respondents compare {j} items in pairs{when}"
        gaps = f", {w[open_ > 0].sum():g} of them with gaps" if w[open_ > 0].any() else ""
        found = f"{gaps} ({n * asked:g} comparisons asked, {w @ open_:g} not answered{ties})"
    elif table.kind == "rankings":
        given = (table.answers > 0).any(axis=2)
        partial = (table.answers < 1).any(axis=2) & given
        none, part = w @ (~given).sum(axis=1), w @ partial.sum(axis=1)
        tied_rankings = w @ has_ties(table.answers).sum(axis=1)
        ties = f"{tied_rankings:g} with ties" if table.tie_category else "no ties"
        what = f"{n * len(table.times) - none:g} rankings of {j} items"
        times = f" by {n:g} respondents{when}" if len(table.times) > 1 else ""
        empty = f", {none:g} more without a rank" if none else ""
        found = times + (f", {part:g} of them partial" if part else "") + f" ({ties}){empty}"
    else:
        open_ = (table.answers == UNRATED).sum(axis=(1, 2))
        what = f"{n:g} respondents rate {j} items{when}"
        gaps = f", {w[open_ > 0].sum():g} of them with gaps" if w[open_ > 0].any() else ""
        best, worst = (f"{point:g}" for point in (table.scale[0], table.scale[-1]))
        found = f"{gaps} (scale of {len(table.scale)} points, {best} the most preferred, {worst} the least)"
    return f"{what}{found}{beside}, from {table.source}"


def answer(table: Table, codes: IntArray, kind: str | None = None) -> str:
    """What one row answered at one time, such as "A > B = C; below: D; not presented: E"."""
    items, kind = table.items, kind or table.kind
    if kind == "comparisons":
        pairs = prefmod_pair_order(len(items))
        made = [f"{items[i]} {_SIGNS[int(c)]} {items[j]}" for (i, j), c in zip(pairs, codes) if c != MISSING]
        gaps = [f"{items[i]}:{items[j]}" for (i, j), c in zip(pairs, codes) if c == MISSING]
        return "; ".join([", ".join(made) or "nothing"] + [f"not answered: {named(gaps)}"] * bool(gaps))
    if kind == "ratings":
        rated = [f"{item} {table.scale[c - 1]:g}" for item, c in zip(items, codes) if c]
        gaps = [item for item, c in zip(items, codes) if not c]
        return "; ".join([", ".join(rated) or "nothing"] + [f"not rated: {named(gaps)}"] * bool(gaps))
    ranks = range(1, int(codes.max()) + 1)
    order = " > ".join(" = ".join(item for item, c in zip(items, codes) if c == r) for r in ranks)
    below = [item for item, c in zip(items, codes) if c == BELOW]
    absent = [item for item, c in zip(items, codes) if c == ABSENT]
    why = "rated" if table.kind == "ratings" else "presented"
    parts = [f"below: {named(below)}"] * bool(below) + [f"not {why}: {named(absent)}"] * bool(absent)
    return "; ".join([order or ("nothing" if table.kind == "ratings" else "no rank"), *parts])


def answer_text(table: Table, codes: IntArray, possible: bool = False) -> str:
    """What one row answered at all times.

    codes int[n_times, k]: as in the table; `possible` says that they are ranks where the table has ratings.
    """
    parts = [answer(table, c, "rankings" if possible and table.kind == "ratings" else None) for c in codes]
    return " | ".join(f"{t}: {part}" if t else part for t, part in zip(table.times, parts))


def sentences(table: Table, most: int = 12) -> list[str]:
    """See :meth:`Respondents.sentences`."""
    flat = table.answers.reshape(len(table.answers), -1)
    patterns, group = np.unique(flat, axis=0, return_inverse=True)
    count = np.bincount(group.reshape(-1), table.weights)
    order = [k for k in np.lexsort((np.arange(len(count)), -count)) if count[k] > 0]
    shape = table.answers.shape[1:]
    lines = []
    for k in order[:most]:
        parts = [answer(table, codes) for codes in patterns[k].reshape(shape)]
        told = [f"{t}: {part}" for t, part in zip(table.times, parts)] if len(table.times) > 1 else parts
        lines.append(f"{count[k]:g}  {' | '.join(told)}")
    if len(order) > most:
        lines.append(f"... and {len(order) - most:,} more different answers")
    return lines


def text(table: Table) -> str:
    """The headline and the most frequent answers."""
    return "\n".join(map(label, [headline(table), *(f"  {line}" for line in sentences(table))]))


def html(table: Table) -> str:
    """The same for a notebook."""
    rows = "".join(f"<li>{escape(line)}</li>" for line in sentences(table))
    return f"<p><b>Respondents</b>: {escape(headline(table))}</p><ul>{rows}</ul>"


def frame(table: Table) -> pd.DataFrame:
    """See :meth:`Respondents.to_frame`."""
    import pandas as pd

    a = table.answers
    if table.kind == "comparisons":
        names = [f"{table.items[i]}:{table.items[j]}" for i, j in prefmod_pair_order(len(table.items))]
        values = np.where(a == MISSING, np.nan, a)
    elif table.kind == "rankings":
        names, values = list(table.items), np.where(a == ABSENT, np.nan, a)
    else:
        names, values = list(table.items), np.array([np.nan, *table.scale])[a]
    data: dict[str, Any] = {}
    for t, time in enumerate(table.times):
        for k, name in enumerate(names):
            data[f"{name}.{time}" if time else name] = values[:, t, k]
    for name, column in table.columns.items():
        if isinstance(column, Factor):
            data[name] = pd.Series(np.array([*column.levels, None], dtype=object)[column.codes], dtype=object)
        else:
            data[name] = column
    if (table.weights != 1).any():
        data["weight"] = table.weights
    return pd.DataFrame(data)
