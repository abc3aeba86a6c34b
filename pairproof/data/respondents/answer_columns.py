"""What every layout of whole answers shares: which columns hold answers, and the covariates beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Union

import numpy as np

from ...errors import DataWarning, InputError, ItemError, warn_the_caller
from ...text import listed, quoted
from ..columns import Column, FloatArray, IntArray, item_names, take, values_of
from ..reading.assemble import Options, check_levels, item_covariates
from ..reading.cells import BoolArray, counts, covariate, judges, numbers
from ..reading.nested import Lists, parts_of
from ..reading.sources import Table, load, repeated, warn_if_cut, with_person
from .codes import Kind
from .respondents import Respondents

#: Points in time: a number of blocks of columns, one after the other, or the ends of the columns' names.
Times = Union[int, Sequence[str], None]


def opened(source: Any, options: Options, person: str | None = None) -> Table:
    """The table of a source; `person` is the column that says who."""
    table = with_person(load(source, options.encoding), person)
    warn_if_cut(table)
    return table


def answer_columns(
    table: Table, items: tuple[str, ...] | None, answers: Sequence[str] | None, times: Times
) -> tuple[tuple[str, ...], tuple[str, ...], list[list[str]]]:
    """(items, names of the times, for each time one column per item)."""
    if isinstance(answers, str):
        raise InputError(
            f"answers={quoted(answers)} is one string; pass a list of columns such as ['V1', 'V2']"
        )
    ends = _ends(times)
    if answers is None and items is None:
        raise ItemError(
            f"{table.source}: found the columns {listed(table.columns)}, but it is unclear which contain answers;"
            " pass items=[...] if they have the names of the items, otherwise answers=[...] with their names"
        )
    if answers is None and isinstance(times, int):
        raise InputError(
            f"times={times} counts blocks of columns, but the columns are not given; pass answers=[...] in their order, or"
            " times=['.1', '.2', ...], the ends of their names"
        )
    if answers is None:
        columns = [f"{item}{end}" for end in ends or ("",) for item in items or ()]
    else:
        columns = [str(name) for name in answers]
    cure = "" if answers is not None else "; if columns have other names than items, pass answers=[...]"
    table.need(columns, " to hold answers", cure)
    if len(set(columns)) < len(columns):
        raise InputError(f"{table.source}: answer columns appear twice: {listed(repeated(columns))}")
    n_times = times if isinstance(times, int) else max(len(ends), 1)
    size, rest = divmod(len(columns), n_times)
    blocks = [columns[k * size : (k + 1) * size] for k in range(n_times)]
    found = items if items is not None else _items_of(blocks[0], ends)
    if rest or len(found) != size:
        raise InputError(
            f"{table.source}: {len(columns)} columns contain answers, but {len(found)} items"
            f"{f' at {n_times} times' if n_times > 1 else ''} need {len(found) * n_times}"
        )
    return item_names(found), _names_of(ends, n_times), blocks


def _ends(times: Times) -> tuple[str, ...]:
    if times is None or isinstance(times, int):
        if times is not None and (isinstance(times, bool) or times < 2):
            raise InputError(f"times={times!r}; expected 2 or more, or the endings of the columns' names")
        return ()
    ends = () if isinstance(times, str) else tuple(str(end) for end in times)
    if len(ends) < 2 or len(set(ends)) < len(ends):
        raise InputError(
            f"times={quoted(times)}; expected two or more different endings, such as ['.1', '.2']"
        )
    return ends


def _items_of(columns: Sequence[str], ends: Sequence[str]) -> tuple[str, ...]:
    """The columns' names without the end that stands for the first time."""
    if ends and ends[0] and all(name.endswith(ends[0]) for name in columns):
        return tuple(name[: -len(ends[0])] for name in columns)
    return tuple(columns)


def _names_of(ends: Sequence[str], n_times: int) -> tuple[str, ...]:
    """Names of the times: the ends without what joins them to an item's name, else 1, 2, ..."""
    if n_times == 1:
        return ()
    bare = tuple(end.lstrip("._-: ") for end in ends)
    if all(bare) and len(set(bare)) == len(bare) and bare:
        return bare
    return tuple(ends) or tuple(str(k + 1) for k in range(n_times))


def cells(table: Table, name: str, what: str) -> FloatArray:
    """float[n_rows]: the numbers of a column of answers, nan where the cell is blank or NA."""
    values, wrong = numbers(table, name)
    bad: BoolArray = wrong | np.isinf(values)
    table.check(bad, name, f"the {what} is {{cell}}", "expected a number, or a blank cell or NA for none")
    return values


def respondents(
    table: Table,
    options: Options,
    items: tuple[str, ...],
    kind: Kind,
    answers: IntArray,
    used: Collection[str],
    *,
    tie_category: bool | None = None,
    scale: Sequence[float] = (),
    times: Sequence[str] = (),
    person: IntArray | None = None,
) -> Respondents:
    """The checked table of person int[n_rows]; columns not `used` are covariates, but `weight`."""
    columns: dict[str, Column] = {}
    levels = options.levels or {}
    lists = [name for name, column in parts_of(table.columns).items() if isinstance(column, Lists)]
    if left_out := [name for name in lists if name not in used]:
        warn_the_caller(f"{table.source}: {listed(left_out)} left out: they contain lists", DataWarning)
    for name in table.columns:
        if name in left_out:
            continue
        if name in ("judge", "person") and name not in used:
            columns[name] = judges(table, name, levels.get(name))
        elif name != "weight" and name not in used:
            columns[name] = covariate(table, name, levels.get(name))
    weights = counts(table, "weight") if "weight" in table.columns and "weight" not in used else None
    if person is not None:
        _, first = np.unique(person, return_index=True)
        for name, column in columns.items():
            _check_constant(table, name, values_of(column), person, first)
        columns = {name: take(column, first) for name, column in columns.items()}
        if weights is not None:
            _check_constant(table, "weight", weights, person, first)
            weights = weights[first]
    of_items = item_covariates(options, items)
    check_levels(options, [*columns, *of_items], table.source)
    return Respondents.build(
        items,
        kind,
        answers,
        tie_category=tie_category,
        scale=scale,
        times=times,
        weights=weights,
        columns=columns,
        item_data=of_items,
        source=table.source,
        own_names=table.own_names,
    )


def _check_constant(table: Table, name: str, values: FloatArray, person: IntArray, first: IntArray) -> None:
    expected = values[first][person]
    bad = (values != expected) & ~(np.isnan(values) & np.isnan(expected))
    said = f"{name} is {{cell}}, but has another value in an earlier row of the same person"
    table.check(bad, name, said, "a covariate describes the person; correct it, or drop the column")
