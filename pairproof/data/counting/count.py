"""`count`: votes of any frame, at any size, into counts that add up.

Whatever holds the rows counts the distinct ones by the columns as they are,

    select first, second, answer, by..., count(*) group by all,

and all else (what the labels mean, the items' order, what is refused) is done on that small table by the rules of `read`;
so who was named first is kept, and unknown labels are known with their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import CodingError, InputError, ItemError
from ...text import listed, quoted
from ..adding import cells
from ..columns import Columns, parts_of
from ..comparisons import Comparisons
from ..options import hints_for_r
from ..reading.assemble import Drop, Options
from ..reading.boards import bad_answers
from ..reading.cells import LEAVE_OUT, NUMBER, Coding, CodingLike
from ..reading.layouts import (
    NEEDED,
    WORDS,
    Layout,
    answers_of,
    check_has,
    read_counts,
    recognised,
    without_bad_rows,
)
from ..reading.sources import Table
from ..where import ORDERS, Conditions, said_in
from .streams import Progress, Stream, check_case, stream_of, too_many
from .tally import Cuts, Distinct, Tally

#: Most distinct rows that a count may have unless told otherwise: about 0.5 GB.
MOST_CELLS = 5_000_000
_LAYOUTS: tuple[Layout, ...] = ("long", "counts", "votes", "evalica")


@hints_for_r
def count(
    source: Any,
    *,
    by: str | Sequence[str] = (),
    layout: Layout | None = None,
    columns: Mapping[str, str] | None = None,
    coding: CodingLike | None = None,
    items: Sequence[str] | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str | None = None,
    where: Conditions = None,
    drop: Drop | None = None,
    most_cells: int = MOST_CELLS,
    progress: Progress | None = None,
) -> Comparisons:
    """Count any number of votes; models are fitted to the counts, and counts can be added.

    A fit to the counts equals a fit to the rows, to the bit.  Counts do not keep the order in time, single rows, or
    columns that are not in `by` (including judges: `fit.clustered("judge", rows=source)` reads the rows again).

    Parameters
    ----------
    source : path, glob, list of paths, or frame
        Files: Parquet and Arrow in batches, large CSV and TSV in pieces (both with pyarrow), others as in :func:`read`.
        Frames: pandas, a dict of columns and, with narwhals, polars (lazy or not), pyarrow, DuckDB, Ibis, Dask, PySpark,
        counted by their own engine.  Never changed, and never combined into one frame.
    by : str or sequence of str, optional
        Columns to count by, for use as covariates in models; by the file's own names or by roles.
        "both_bad" separates the ties that call both bad.
    layout : {"votes", "evalica", "long", "counts"}, optional
        The further parameters are those of :func:`pairproof.data.reading.layouts.read`.
    name : str, optional
        Name of this part: two parts with the same name, or from the same file, are not added.  Default: the file's name.
    where : str or sequence of str, optional
        Only the votes that meet conditions on any column, as in :func:`pairproof.read`.
    drop : {"bad"}, optional
        Drop rows that are not comparisons; `dropped` of the table counts each kind.
    most_cells : int
        Maximum number of distinct rows, at least 1.
    progress : callable, optional
        Called with the number of rows counted so far and the total, or None if unknown; files only.

    Returns
    -------
    Comparisons
        Rows in canonical order (items, then `by`), keeping which item was first; `counted` lists the parts.

    Raises
    ------
    InputError
        And its subclasses: labels without a meaning, cells without a value, items compared with themselves, each with the
        number of rows and all in one message; a missing column; fractional weights.
    TooLargeError
        More distinct rows than `most_cells`.

    Examples
    --------
    >>> import pairproof
    >>> votes = {"model_a": list("ABAB"), "model_b": list("BABA"), "winner": ["model_a", "tie", "model_b", "model_a"]}
    >>> print(pairproof.count(votes))
    4 comparisons of 2 items (1 of them ties), from table, counted into 2 rows
      A beat B 1, lost 2, tied 1
    """
    wanted_by = (by,) if isinstance(by, str) else tuple(by)
    if wrong := [column for column in wanted_by if not isinstance(column, str)]:
        raise InputError(f"by has {quoted(wrong[0])}; expected names of columns, such as by=['language']")
    options = Options(items, levels, tie_category, item_data, rename, None, where, drop)
    if not isinstance(most_cells, int) or most_cells < 1:
        raise InputError(f"most_cells={quoted(most_cells)}; expected a whole number of 1 or more")
    stream = stream_of(source, name, encoding, progress)
    header = Table(dict.fromkeys(stream.names), 0, stream.source).with_roles(columns)
    found = layout_of(header, layout, coding)
    roles = roles_of(header, found, wanted_by)
    chosen_by, cuts = _chosen_by(header, roles, options.where)
    roles += chosen_by
    own = {role: header.own_names.get(role, role) for role in roles}
    check_case(stream, list(own.values()))
    tally = Tally(list(own.values()), stream.source, most_cells, too_many(most_cells, wanted_by, chosen_by))
    tally.cuts = {own[role]: Cuts(at) for role, at in cuts.items()}
    stream.distinct(tally.names, tally)
    if tally.n_rows == 0:
        raise InputError(f"{stream.source}: no rows; at least one comparison is needed")
    distinct = tally.distinct()
    table, bad = without_bad_rows(_small(distinct, roles, header, found), options, found, coding)
    _refuse(table, found, coding, stream.source)
    if found == "counts":
        counted = read_counts(table, options)
    else:
        counted = answers_of(table, options, found, coding)
    dropped = {kind: int(distinct.n[rows].sum()) for kind, rows in bad.items()}
    return _canonical(_as_asked(counted, wanted_by, chosen_by), stream, dropped)


def _chosen_by(
    header: Table, roles: Sequence[str], where: Conditions
) -> tuple[list[str], dict[str, list[float]]]:
    """Further columns that conditions are on, and the numbers that separate the values of some."""
    role_of = {own: role for role, own in header.own_names.items()}
    told, numbers = ("first", "second", "outcome", "winner", "both_bad"), ("wins", "ties", "losses", "weight")
    said = said_in(where, [*header.columns, *role_of, *told, *numbers])
    if refused := [name for name, *_ in said if role_of.get(name, name) in numbers]:
        raise InputError(
            f"{header.source}: where has a condition on {listed(refused)}, which are counted, so single rows cannot be"
            " selected by them; filter the file first, or use read()"
        )
    said = [(n if n in header.columns else role_of.get(n, n), sign, value) for n, sign, value in said]
    header.need([name for name, *_ in said if name not in told], " to choose rows by")
    further = [name for name, *_ in said if name in header.columns and name not in roles]
    cuts: dict[str, list[float]] = {}
    for name in dict.fromkeys(further):
        orders = [value for column, sign, value in said if column == name and sign in ORDERS]
        if len(orders) == further.count(name) and all(map(NUMBER.fullmatch, orders)):
            cuts[name] = list(map(float, orders))
    return list(dict.fromkeys(further)), cuts


def _as_asked(table: Comparisons, by: Sequence[str], chosen_by: Sequence[str]) -> Comparisons:
    """The table without columns that conditions were on, and with `both_bad` if it is counted by, also where no answer
    was that."""
    gone = [name for name in (*chosen_by, "both_bad") if name not in by]
    columns = {name: column for name, column in parts_of(table.columns).items() if name not in gone}
    if "both_bad" in by and "both_bad" not in columns:
        columns["both_bad"] = np.zeros(table.n_rows)
    return table.changed(columns=Columns(columns)) if columns.keys() != table.columns.keys() else table


def layout_of(header: Table, layout: Layout | None, coding: CodingLike | None) -> Layout:
    """The layout that was stated, or that the columns' names say; one with a comparison a row."""
    found = layout or recognised(header)
    if found not in _LAYOUTS:
        raise InputError(
            f"{header.source}: layout {found!r}; count supports {', '.join(_LAYOUTS)}; read() supports the others"
        )
    check_has(header, found)
    if found == "counts" and coding is not None:
        raise InputError(
            f"coding={quoted(coding)} is for layouts 'long' and 'votes', but this table is 'counts'"
        )
    return found


def roles_of(header: Table, layout: Layout, by: Sequence[str]) -> list[str]:
    """The columns that are counted by, under their roles: pair, answer, weight, and those of `by`, of which the answer
    tells `both_bad` where no column is called so."""
    by = [name for name in by if name != "both_bad" or layout not in WORDS or name in header.columns]
    used = [*NEEDED[layout], *(name for name in ("ties",) * (layout == "counts") if name in header.columns)]
    role_of = {own: role for role, own in header.own_names.items()}
    chosen = [name if name in header.columns else role_of.get(name, name) for name in by]
    header.need(chosen, " to count by")
    repeated = sorted({name for name in chosen if chosen.count(name) > 1 or name in (*used, "weight")})
    if repeated:
        raise InputError(f"by names {listed(repeated)}, which is already counted by; omit it")
    return [*used, *chosen, *(["weight"] if "weight" in header.columns else [])]


def _small(distinct: Distinct, roles: Sequence[str], header: Table, layout: Layout) -> Table:
    """The distinct rows as a table, with their number (times the weight, if there is one) as the weight."""
    columns = {role: pd.Series(column, dtype=object) for role, column in zip(roles, distinct.columns)}
    # Rows that errors number are those of this table, which says so.
    source = f"{header.source}, distinct rows"
    table = Table(columns, len(distinct.n), source, own_names=header.own_names)
    weight = distinct.n
    if "weight" in columns:
        weight = weight * _whole(table, "weight")
    if layout == "counts":
        for name in ("wins", "ties", "losses"):
            if name in columns:
                columns[name] = pd.Series(_whole(table, name))
    keep = {name: column for name, column in columns.items() if name != "weight"}
    return replace(table, columns={**keep, "weight": pd.Series(weight)})


def _whole(table: Table, name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A column of counts or weights as whole numbers."""
    values = [as_whole(text) for text in table.columns[name]]
    bad = np.array([value is None for value in values], bool)
    cure = "count adds whole numbers of at least 0; read() accepts fractional weights"
    table.check(bad, name, f"{name} is {{cell}}", cure)
    return np.array(values, np.int64)


def as_whole(text: str | None) -> int | None:
    """A count that stands there as text; None if it is none."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return int(number) if number.is_integer() and 0 <= number < 2**53 else None


def _refuse(table: Table, layout: Layout, coding: CodingLike | None, source: str) -> None:
    """Refuse what is not a comparison: all at once, each with the number of its rows."""
    first, second = NEEDED[layout][:2]
    n = table.columns["weight"].to_numpy() if layout != "counts" else np.ones(table.n_rows, np.int64)
    found: list[tuple[type[InputError], str]] = []
    for side in (first, second):
        blank = np.array([text is None or not text.strip() for text in table.columns[side]], bool)
        if blank.any():
            found.append((ItemError, f"{_own(table, side)} is missing in {_rows(n[blank])}; filter them"))
    same = (table.columns[first] == table.columns[second]).to_numpy() & table.columns[
        first
    ].notna().to_numpy()
    if same.any():
        names = _with_rows(table.columns[first][same], n[same])
        found.append(
            (ItemError, f"compared with itself: {names}; remove these rows; they contain no preference")
        )
    if layout != "counts":
        found += _wrong_answers(table, layout, coding, n)
    if found:
        kinds = {kind for kind, _ in found}
        kind = kinds.pop() if len(kinds) == 1 else InputError
        raise kind(f"{source}: " + "; also: ".join(said for _, said in found) + LEAVE_OUT)


def _wrong_answers(
    table: Table, layout: Layout, coding: CodingLike | None, n: Any
) -> Iterable[tuple[type[InputError], str]]:
    first, second, column = NEEDED[layout]
    stated = Coding.read(WORDS[layout] if coding is None else coding)
    cells_ = table.columns[column]
    missing, unknown = bad_answers(table, (first, second), column, stated, lenient=False)
    own = _own(table, column)
    if missing.any():
        yield CodingError, f"{own} is missing in {_rows(n[missing])}; filter them"
    if unknown.any():
        names = _with_rows(cells_[unknown], n[unknown])
        yield CodingError, f"{own}: {names} have no meaning; expected exactly {stated}; add the others to coding="


def _own(table: Table, role: str) -> str:
    return quoted(table.own_names.get(role, role))


def _rows(n: Any) -> str:
    total = int(n.sum())
    return f"{total:,} row{'s' * (total != 1)}"


def _with_rows(texts: Any, n: Any) -> str:
    """ "'both_bad' (72,595 rows), 'Model_A' (3 rows)", the most frequent first."""
    of: dict[str, int] = {}
    for text, rows in zip(texts, n):
        of[text] = of.get(text, 0) + int(rows)
    said = [
        f"{quoted(text)} ({_rows(np.array([rows]))})"
        for text, rows in sorted(of.items(), key=lambda p: (-p[1], p[0]))
    ]
    return ", ".join(said[:8]) + (f" and {len(said) - 8:,} more" if len(said) > 8 else "")


def _canonical(table: Comparisons, stream: Stream, dropped: Mapping[str, int]) -> Comparisons:
    """The table with each cell once, in canonical order, and what was counted into it."""
    rows = {name: getattr(table, name) for name in ("first", "second", "wins", "ties", "losses")}
    found = cells({**rows, "columns": table.columns}, table.items)
    if not table.tie_category:
        found["ties"] = None
    parts = stream.parts(int(table.n_comparisons))
    return table.changed(**found, counted=parts, source=stream.source, dropped=dropped)
