"""What is made of a table of respondents: a changed table, the comparisons in it, its words, a data frame.

Whole answers state comparisons or imply them; changed tables are given as the parts of which
`Respondents.build` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, ItemError
from ...report.blocks import Bullets, Page, Paragraph
from ...report.output import render_fragment
from ...text import label, listed, named, quoted
from ..columns import Column, Factor, FloatArray, IntArray, first_row, take
from ..comparisons import Comparisons
from ..where import Narrowed
from ..wide import prefmod_pair_order
from .codes import ABSENT, BELOW, FIRST, MISSING, SECOND, TIED, UNRATED, Kind, has_ties

if TYPE_CHECKING:
    import pandas as pd


class Table(Protocol):
    """The parts of :class:`pairproof.data.respondents.Respondents`, which explains them."""

    @property
    def items(self) -> tuple[str, ...]:
        ...

    @property
    def kind(self) -> Kind:
        ...

    @property
    def answers(self) -> IntArray:
        ...

    @property
    def tie_category(self) -> bool:
        ...

    @property
    def scale(self) -> tuple[float, ...]:
        ...

    @property
    def times(self) -> tuple[str, ...]:
        ...

    @property
    def weights(self) -> FloatArray:
        ...

    @property
    def columns(self) -> Mapping[str, Column]:
        ...

    @property
    def item_data(self) -> Mapping[str, Column]:
        ...

    @property
    def source(self) -> str:
        ...

    @property
    def own_names(self) -> Mapping[str, str]:
        ...

    @property
    def narrowed(self) -> Narrowed | None:
        ...

    @property
    def one_track(self) -> bool:
        ...

    @property
    def pair_answers(self) -> IntArray:
        ...

    @property
    def presented(self) -> NDArray[Any]:
        ...


#: The arguments of `Respondents.build` that make a table.
Parts = dict[str, Any]


def parts_of(table: Table, **changes: Any) -> Parts:
    """The arguments of `Respondents.build` that make this table again, with some of them changed."""
    names = (
        "items kind answers tie_category scale weights columns item_data source own_names narrowed one_track"
    ).split()
    times = table.times if len(table.times) > 1 else ()
    return {**{name: getattr(table, name) for name in names}, "times": times, **changes}


def values_of(column: Column) -> FloatArray:
    """float[n_rows]: a covariate's codes or numbers, nan where there is no value."""
    if isinstance(column, Factor):
        return np.where(column.codes < 0, np.nan, column.codes.astype(float))
    return column


def groups(table: Table, names: Sequence[str]) -> tuple[IntArray, IntArray]:
    """See :meth:`Respondents.groups`."""
    if isinstance(names, str):
        raise InputError(f"names={names!r} is one string; pass a list of covariates such as [{names!r}]")
    keys = np.zeros((len(table.answers), len(names)))
    for k, name in enumerate(names):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no covariate {quoted(name)}; found {listed(table.columns) or 'none'}"
            )
        keys[:, k] = values_of(table.columns[name])
        missing = np.isnan(keys[:, k])
        if missing.any():
            raise InputError(
                f"{table.source}, row {first_row(missing) + 1}: {name!r} has no value ({int(missing.sum())} such"
                " row(s)); leave these rows out with select, or leave the covariate out"
            )
    if not names:
        return np.zeros(len(table.answers), np.int64), np.zeros(1, np.int64)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1).astype(np.int64), first.astype(np.int64)


def merged(table: Table) -> Parts:
    """See :meth:`Respondents.merged`; rows stand in the order in which their answers come first."""
    kept = table.weights > 0
    # Two missing values are alike here; doubles hold every code exactly.
    kept_columns = {name: column for name, column in table.columns.items() if name != "person"}
    covariates = [np.nan_to_num(values_of(column), nan=np.inf) for column in kept_columns.values()]
    keys = np.column_stack([table.answers.reshape(len(table.answers), -1), *covariates])[kept]
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(group.reshape(-1), table.weights[kept])
    order = np.argsort(first)
    rows = np.flatnonzero(kept)[first[order]]
    cols = {name: take(column, rows) for name, column in kept_columns.items()}
    return parts_of(table, answers=table.answers[rows], weights=sums[order], columns=cols)


def at_time(table: Table, time: str) -> Parts:
    """See :meth:`Respondents.at_time`."""
    if time not in table.times:
        raise InputError(f"{table.source}: no time {quoted(time)}; found {listed(table.times)}")
    return parts_of(table, answers=table.answers[:, table.times.index(time)], times=())


def with_items(table: Table, order: Sequence[str]) -> Parts:
    """See :meth:`Respondents.with_items`."""
    if sorted(order) != sorted(table.items):
        raise ItemError(
            f"found items {quoted(list(order))}; expected an ordering of {quoted(list(table.items))}"
        )
    was = {name: k for k, name in enumerate(table.items)}
    old = [was[name] for name in order]
    if table.kind == "comparisons":
        place = {pair: k for k, pair in enumerate(prefmod_pair_order(len(order)))}
        pairs = [(old[i], old[j]) for i, j in place]
        columns = [place[min(pair), max(pair)] for pair in pairs]
        turned = np.array([i > j for i, j in pairs])
        found = table.answers[..., columns]
        answers = np.where(turned & (found != MISSING), -found, found)
    else:
        answers = table.answers[..., old]
    of_items = {name: take(column, np.array(old)) for name, column in table.item_data.items()}
    return parts_of(table, items=tuple(order), answers=answers, item_data=of_items)


def only_compared(table: Table, source: str = "") -> Parts:
    """See :meth:`Respondents.only_compared`."""
    n = len(table.items)
    first, second = np.array(prefmod_pair_order(n)).T
    made = (table.pair_answers[table.weights > 0] != MISSING).any(axis=(0, 1))
    keep = np.zeros(n, bool)
    keep[first[made]] = keep[second[made]] = True
    chosen = np.flatnonzero(keep)
    of_answers = keep[first] & keep[second] if table.kind == "comparisons" else keep
    return parts_of(
        table,
        items=tuple(table.items[k] for k in chosen),
        answers=table.answers[..., of_answers],
        item_data={name: take(column, chosen) for name, column in table.item_data.items()},
        source=source or table.source,
    )


def selected(table: Table, rows: NDArray[Any]) -> Parts:
    """See :meth:`Respondents.select`."""
    cols = {name: take(column, rows) for name, column in table.columns.items()}
    return parts_of(table, answers=table.answers[rows], weights=table.weights[rows], columns=cols)


#: Comparisons that a table may be cut into, as many as a table of rankings may stand for.
MOST_COMPARISONS = 10_000_000


def comparisons_of(table: Table, judge: bool = False) -> Comparisons:
    """See :meth:`Respondents.to_comparisons`."""
    rows = _persons(table) if judge else np.flatnonzero(table.weights > 0)
    answers = table.pair_answers[rows]
    made = answers != MISSING
    person, time, pair = np.nonzero(made)
    row = rows[person]
    if len(row) > MOST_COMPARISONS:
        raise InputError(
            f"{table.source}: the answers stand for {len(row):,} comparisons; at most {MOST_COMPARISONS:,} are made."
            " merged() puts equal answers into one row"
        )
    first, second = np.array(prefmod_pair_order(len(table.items))).T
    given, weight = answers[made], np.ones(len(row)) if judge else table.weights[row]
    columns: dict[str, Column] = {name: take(column, row) for name, column in table.columns.items()}
    if judge:
        columns = {"judge": _judges(table, rows, person), **columns}
    elif not {"judge", "person"} & set(columns) and (table.weights[rows] == 1.0).all():
        # A row with a weight is several persons, or a part of one.
        columns["person"] = Factor(row, tuple(map(str, range(1, len(table.answers) + 1))))
    if len(table.times) > 1:
        columns["time"] = Factor(time.astype(np.int64), table.times)
    return Comparisons.build(
        table.items,
        first[pair],
        second[pair],
        np.where(given == FIRST, weight, 0.0),
        np.where(given == TIED, weight, 0.0) if table.tie_category else None,
        np.where(given == SECOND, weight, 0.0),
        columns=columns,
        item_data=table.item_data,
        source=table.source,
        own_names=table.own_names,
        narrowed=table.narrowed,
        one_track=table.one_track,
        ranked_together=0 if table.kind == "comparisons" else _ranked_together(table),
    )


def _ranked_together(table: Table) -> int:
    """Largest number of items in one ranking that says anything."""
    counts = table.presented.sum(axis=2)
    spoken = (table.pair_answers != MISSING).any(axis=2) & (table.weights > 0)[:, None]
    return int(np.where(spoken, counts, 0).max())


def _persons(table: Table) -> NDArray[np.int64]:
    """The row of each person: a row of weight 3 is three persons."""
    if "judge" in table.columns:
        raise InputError(
            f"{table.source}: there is a column 'judge' already; to_comparisons() keeps it, and clustered('judge') uses it"
        )
    broken = table.weights != np.round(table.weights)
    if broken.any():
        r = int(np.flatnonzero(broken)[0])
        raise InputError(
            f"{table.source}, row {r + 1}: the weight is {table.weights[r]:g}, which is no whole number of persons; judge=True"
            " makes each person a judge"
        )
    n = float(table.weights @ (table.pair_answers != MISSING).sum(axis=(1, 2)))
    if n > MOST_COMPARISONS:
        raise InputError(
            f"{table.source}: the answers of {table.weights.sum():,.0f} persons stand for {n:,.0f} comparisons; at most"
            f" {MOST_COMPARISONS:,} are made"
        )
    return np.repeat(np.arange(len(table.answers)), table.weights.astype(np.int64))


def _judges(table: Table, rows: NDArray[np.int64], person: NDArray[np.int64]) -> Factor:
    """Judges "3" of a row of one person, and "3.1", "3.2" of a row of two."""
    first = np.concatenate([[0], np.flatnonzero(np.diff(rows)) + 1]).astype(np.int64)
    within = np.arange(len(rows)) - np.repeat(first, np.diff([*first, len(rows)]))
    names = (f"{r + 1}.{k + 1}" if table.weights[r] > 1 else f"{r + 1}" for r, k in zip(rows, within))
    return Factor(person.astype(np.int64), tuple(names))


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
    """What one row answered at all times.  codes int[n_times, k]."""
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
    said = Bullets(tuple(sentences(table)))
    return render_fragment(Page("Respondents", [Paragraph(headline(table)), said]))


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
