"""Passes over rows that are too many to hold, each row found in the table that was counted from them.

The caller's cells, (first, second, covariates), are numbered from 0 to C - 1.  An answer in cell c has the place o C +
c, o being 0 where the first is preferred, 1 for a tie and 2 for the second, so that what a model says about a row is
looked up there.  The counts of all places must be those of the table: a fit is not compared with other rows than its
own, and what differs is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ...text import named, quoted
from ..columns import Column, Factor, FloatArray, IntArray
from ..comparisons import Comparisons
from ..reading.assemble import Drop
from ..reading.beside.sides import SideTerm, parts_in, root_mean_square
from ..reading.cells import BOTH_BAD, MISSING, MISSING_WORDS, NUMBER, PLACE, Coding, CodingLike, text_of
from ..reading.layouts import NEEDED, WORDS, Layout
from ..reading.sources import Table
from .count import as_whole, count, layout_of, roles_of
from .streams import BATCH, Batches, check_case, spooled, stream_of
from .tally import Coded, cell

#: Keys up to which cells are looked up by place: 64 MB; beyond that by hashing.
_MOST_PLACES = 1 << 24


@dataclass(frozen=True, eq=False)
class RowSource:
    """The rows that a table was counted from, and how to read them; made by :func:`rows`."""

    source: Any
    layout: Layout | None = None
    columns: Mapping[str, str] | None = None
    coding: CodingLike | None = None
    rename: Mapping[str, str] | None = None
    encoding: str | None = None
    spool: str | None = None
    drop: Drop | None = None
    sides: tuple[tuple[SideTerm, float], ...] = ()


def rows(
    source: Any,
    *,
    layout: Layout | None = None,
    columns: Mapping[str, str] | None = None,
    coding: CodingLike | None = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
    spool: str | None = None,
    drop: Drop | None = None,
) -> RowSource:
    """Describe how a fit reads its rows again; if :func:`count` needed no options, pass the source itself.

    Parameters
    ----------
    source : path, glob, list of paths, or frame
        As in :func:`count`.
    layout : {"votes", "evalica", "long", "counts"}, optional
    columns : mapping of str to str, optional
        Default: as in the table.
    coding, rename : mapping, optional
    encoding : str, optional
        As for :func:`count`, like `layout` and `columns`.
    spool : path, optional
        Folder in which rows of a lazy frame or a database are stored during the passes, as Parquet.  Default: the
        system's temporary folder.
    drop : {"bad"}, optional
        As for :func:`count`.

    Returns
    -------
    RowSource
        For `rows=` of :meth:`Fit.clustered` and :func:`fit_bradley_terry`.

    Examples
    --------
    >>> import pairproof
    >>> votes = {"left": list("ABABBA"), "right": list("BABAAB"), "said": list("121122"), "judge": list("xyzzxy")}
    >>> how = {"columns": {"first": "left", "second": "right", "outcome": "said"}, "coding": {"first": 1, "second": 2}}
    >>> fit = pairproof.fit_bradley_terry(pairproof.count(votes, **how))
    >>> by_judge = fit.clustered("judge", rows=pairproof.rows(votes, **how))
    >>> by_judge.robust.title
    'CR1 by judge (3 clusters, 1 pass)'
    """
    return RowSource(source, layout, columns, coding, rename, encoding, spool, drop)


def with_sides_through(
    table: Comparisons, given: Any, terms: Sequence[SideTerm], standardise: bool = True
) -> RowSource:
    """The rows that a table was counted from, with a column `style.NAME` for each term, as :func:`.sides.with_sides` makes
    them: `comparison_terms=[term.key, ...]`, `rows=` this.  Their root mean squares are found in one pass."""
    how = given if isinstance(given, RowSource) else RowSource(given)
    plain = replace(how, sides=tuple((term, 1.0) for term in terms))
    if not standardise:
        return plain
    total, n = np.zeros(len(terms)), np.zeros(len(terms))
    with passes(plain, table, [term.key for term in terms], " as a side") as found:
        for batch in found.batches():
            for k, (x, _) in enumerate(batch.more):
                weight = np.ones(len(x)) if batch.weight is None else batch.weight
                total[k] += np.nansum(weight * x**2)
                n[k] += weight[~np.isnan(x)].sum()
    scales = map(root_mean_square, terms, total.tolist(), n.tolist())
    return replace(how, sides=tuple(zip(terms, scales)))


class Labels:
    """Levels of a column, numbered from 0 as they come; 3 and "3" are one, blank and NA are none."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source
        self._texts: dict[str, int] = {}
        self._numbers = pd.Index([], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._texts) or len(self._numbers)

    def texts(self) -> list[str]:
        """Each level as text."""
        return list(self._texts) or [str(number) for number in self._numbers]

    def codes(self, values: NDArray[Any], levels: Sequence[Any] | None) -> IntArray:
        """int[n_rows]: number of each row's level, -1 where it has none."""
        if levels is None:
            if not self._texts and values.dtype.kind == "i":
                return self._of_numbers(values)
            values, distinct = pd.factorize(values)
            levels = list(distinct)
        if len(self._numbers):  # texts after numbers: from now on all are texts
            self._texts, self._numbers = {text: k for k, text in enumerate(self.texts())}, self._numbers[:0]
        lookup = np.full(len(levels) + 1, -1, np.int64)
        used = np.bincount(values[values >= 0], minlength=len(levels)) > 0
        for k in np.flatnonzero(used):
            text = cell(levels[int(k)], self._name, self._source)
            if text is None or not text.strip() or text in MISSING_WORDS:
                continue
            if text != text.strip():
                raise InputError(
                    f"{self._source}: {self._name} {quoted(text)} has leading or trailing blanks; remove them, so that one"
                    " name does not count as two"
                )
            lookup[k] = self._texts.setdefault(text, len(self._texts))
        return np.asarray(lookup[values])

    def _of_numbers(self, values: NDArray[Any]) -> IntArray:
        found = self._numbers.get_indexer(values)
        new = found < 0
        if new.any():
            self._numbers = self._numbers.append(pd.Index(pd.unique(values[new]).astype(np.int64)))
            found[new] = self._numbers.get_indexer(values[new])
        return np.asarray(found, np.int64)


def numbers(values: NDArray[Any], levels: Sequence[Any] | None) -> tuple[NDArray[Any], FloatArray | None]:
    """A column as numbers, or as codes and float[n_levels + 1], the last for missing ones; nan for what is none."""
    if levels is None:
        return values, None
    return values, np.array([*map(_number, levels), np.nan])


def _number(value: Any) -> float:
    text = text_of(value).strip()
    return float(text) if NUMBER.fullmatch(text) else np.nan


@dataclass(frozen=True)
class Batch:
    """Answers of some rows.  at int[m].  weight float[m] or None: so many of each; None: one.  more: further columns."""

    at: IntArray
    weight: FloatArray | None
    more: tuple[Coded, ...]

    def only(self, rows: IntArray | slice) -> Batch:
        """These of the answers."""
        weight = None if self.weight is None else self.weight[rows]
        return Batch(self.at[rows], weight, tuple((values[rows], levels) for values, levels in self.more))


@dataclass
class Passes:
    """Rows that can be gone through again and again.

    cells: a row for each cell, with its counts.  more: further columns that batches have; held: those that are read for them.
    n: times that the rows were read.  n_rows: of them, once they were.
    """

    cells: Comparisons
    given: RowSource
    header: Table
    layout: Layout
    roles: tuple[str, ...]
    more: tuple[str, ...]
    held: tuple[str, ...]
    read: Batches
    n: int = 0
    n_rows: int = 0
    places: _Places = field(init=False)

    def __post_init__(self) -> None:
        self.places = _Places(self.cells, self.given.rename or {}, self.header.source)

    def own(self, role: str) -> str:
        return self.header.own_names.get(role, role)

    def batches(self) -> Iterator[Batch]:
        """One pass; the counts of the first one are compared with the table's."""
        self.n += 1
        names = list(dict.fromkeys(map(self.own, (*self.roles, *self.held))))
        plain = frozenset(map(self.own, self.held)) - frozenset(map(self.own, self.roles))
        counts, n_rows = np.zeros(3 * self.cells.n_rows), 0
        for found in self.read(names, plain):
            of = dict(zip(names, found))
            n_rows += len(found[0][0])
            for batch in self._found(of):
                if self.n == 1:
                    counts += np.bincount(batch.at, batch.weight, len(counts))
                yield batch
        of_table = np.concatenate([self.cells.wins, self.cells.ties, self.cells.losses])
        if self.n == 1 and (counts != of_table).any():
            raise self._differ()
        self.n_rows = n_rows

    def _found(self, of: Mapping[str, Coded]) -> Iterator[Batch]:
        """The batch, in parts of at most so many rows."""
        first, second, *answer = NEEDED[self.layout]
        keyed = (first, second, *self.cells.columns)
        # which ties are both-bad stands in the answer, unless a column says it
        holds = [answer[0] if role == "both_bad" and role not in self.roles else role for role in keyed]
        lookups = [self.places.lookup(k, self._key(of, *both)) for k, both in enumerate(zip(keyed, holds))]
        columns = [of[self.own(role)][0] for role in holds]
        weight = self._numbers(of, "weight") if "weight" in self.roles else None
        if self.layout == "counts":
            counts = [self._numbers(of, name) for name in ("wins", "ties", "losses") if name in self.roles]
            said = [0, 1, 2] if len(counts) == 3 else [0, 2]
        else:
            begins_of = self._begins(of, first, second, answer[0])
        more_of = [self._further(of, name) for name in self.more]
        are_pairs = self._are_pairs(of, first, second) if self.given.drop else None
        for start in range(0, len(columns[0]), BATCH):
            part = slice(start, start + BATCH)
            key = lookups[0][columns[0][part]]
            for lookup, codes in zip(lookups[1:], columns[1:]):
                key += lookup[codes[part]]
            at, w, rows = self.places.cells_of(key), None if weight is None else weight[part], None
            begins = None if self.layout == "counts" else begins_of(part)
            chosen: slice | IntArray = slice(None)
            if are_pairs is not None:
                rows = chosen = np.flatnonzero(are_pairs(part) & (True if begins is None else begins >= 0))
                at, w = at[rows], None if w is None else w[rows]
            if begins is not None:
                at = begins[chosen] + at
            else:
                each = np.concatenate([count[part][chosen] for count in counts])
                w = each if w is None else each * np.tile(w, len(said))
                rows = np.tile(np.arange(len(at)) if rows is None else rows, len(said))
                at = np.concatenate([o * self.cells.n_rows + at for o in said])
            if (at.size and at.min() < 0) or (w is not None and not (w >= 0).all()):
                raise self._differ()
            if w is not None:
                there = np.flatnonzero(w)
                at, w, rows = at[there], w[there], there if rows is None else rows[there]
            more = ((codes[part], levels) for codes, levels in more_of)
            yield Batch(
                at, w, tuple((codes if rows is None else codes[rows], levels) for codes, levels in more)
            )

    def _further(self, of: Mapping[str, Coded], name: str) -> Coded:
        """A further column; of a side term the differences."""
        for term, scale in self.given.sides:
            if term.key == name:
                return term.values(partial(self._source, of)) / scale, None
        return of[self.own(name)]

    def _source(self, of: Mapping[str, Coded], source: str) -> FloatArray:
        """The numbers of what a side term is made of."""
        found = [numbers(*of[self.own(name)]) for name in parts_in(source, self.header.columns)]
        return np.asarray(sum(values if known is None else known[values] for values, known in found), float)

    def _texts(self, of: Mapping[str, Coded], role: str) -> list[str | None]:
        """The levels of a column as text."""
        return [cell(level, self.own(role), self.header.source) for level in of[self.own(role)][1] or ()]

    def _key(self, of: Mapping[str, Coded], role: str, holds: str) -> list[str | None]:
        """What the levels of a column say of a role."""
        if role == holds:
            return self._texts(of, role)
        return [str(int(answer == BOTH_BAD)) for answer in self._meanings(of, holds)]

    def _meanings(self, of: Mapping[str, Coded], role: str) -> list[int | None]:
        """The answer that each level of a column is."""
        coding = Coding.read(WORDS[self.layout] if self.given.coding is None else self.given.coding)
        coding.refuse(MISSING, "prefmod; rows that are not comparisons were not counted and must be removed")
        return [None if text is None else coding.meaning(text) for text in self._texts(of, role)]

    def _begins(
        self, of: Mapping[str, Coded], first: str, second: str, role: str
    ) -> Callable[[slice], IntArray]:
        """Where the places of the answer of each row of a part begin; far below 0 for what is no answer."""
        n, none = self.cells.n_rows, -4 * self.cells.n_rows
        meanings, said = self._meanings(of, role), of[self.own(role)][0]
        begins = np.array([*(none if o is None else PLACE[o] * n for o in meanings), none], np.int64)
        # a winner by its own name, where there is no word for it
        texts = zip(self._texts(of, role), meanings)
        won = np.array([*(self.places.item(t) if o is None else -1 for t, o in texts), -1], np.int64)
        if self.given.coding is not None or self.layout == "long" or (won < 0).all():
            return lambda part: begins[said[part]]
        items = [np.array([*map(self.places.item, self._texts(of, side)), -1]) for side in (first, second)]
        sides = [of[self.own(side)][0] for side in (first, second)]

        def of_rows(part: slice) -> IntArray:
            winner = won[said[part]]
            one, other = (item[side[part]] == winner for item, side in zip(items, sides))
            named_so = np.where(one, 0, np.where(other, 2 * n, none))
            return np.where(winner < 0, begins[said[part]], named_so)

        return of_rows

    def _are_pairs(
        self, of: Mapping[str, Coded], first: str, second: str
    ) -> Callable[[slice], NDArray[np.bool_]]:
        """Which rows of a part name two different items; the others are those that `drop="bad"` leaves out."""
        rename = self.given.rename or {}
        place: dict[str, int] = {}

        def code(text: str | None) -> int:
            known = self.places.item(text) >= 0
            if text is None or not text.strip() or (text in MISSING_WORDS and not known):
                return -1
            return place.setdefault(rename.get(text, text), len(place))

        one, other = (np.array([*map(code, self._texts(of, side)), -1]) for side in (first, second))
        a, b = (of[self.own(side)][0] for side in (first, second))
        return lambda part: (one[a[part]] >= 0) & (other[b[part]] >= 0) & (one[a[part]] != other[b[part]])

    def _numbers(self, of: Mapping[str, Coded], role: str) -> FloatArray:
        """A column of whole numbers; -1 for what is none."""
        found = map(as_whole, self._texts(of, role))
        return np.array([*(-1.0 if n is None else float(n) for n in found), -1.0])[of[self.own(role)][0]]

    def _differ(self) -> InputError:
        """What is wrong with the rows, as a count of them says; else the first cell that differs."""
        given, by = self.given, list(self.cells.columns)
        found = count(
            given.source,
            by=by,
            layout=self.layout,
            columns=self.header.own_names,
            coding=given.coding,
            rename=given.rename,
            encoding=given.encoding,
            drop=given.drop,
        )
        here, there = _by_name(found), _by_name(self.cells)
        differ = [key for key in {**there, **here} if here.get(key, _NONE) != there.get(key, _NONE)]
        if not differ:
            return InputError(
                f"{self.header.source}: the rows had changed on the second reading; pass a source that does not change"
            )
        first, second, *values = differ[0]
        where = "".join(f", {name} {'blank' if v is None else quoted(v)}" for name, v in zip(by, values))
        counts = [", ".join(f"{n:.10g}" for n in side.get(differ[0], _NONE)) for side in (here, there)]
        return InputError(
            f"{self.header.source}: not the rows of this fit: {quoted(first)} against {quoted(second)}{where} has wins, ties,"
            f" losses {counts[0]} in the rows and {counts[1]} in the fit's table"
            f"{_more(len(differ) - 1)}; {found.n_comparisons:,.10g} comparisons in the rows,"
            f" {self.cells.n_comparisons:,.10g} in the table. Pass exactly the rows that were counted"
        )


_NONE = (0.0, 0.0, 0.0)


def _more(n: int) -> str:
    return f" (and {n:,} more cells differ)" if n else ""


def _by_name(table: Comparisons) -> dict[tuple[str | None, ...], tuple[float, float, float]]:
    """The counts of each cell that has any, by names and levels."""
    columns = []
    for column in table.columns.values():
        if isinstance(column, Factor):
            columns.append(np.array([*column.levels, None], object)[column.codes].tolist())
        else:
            columns.append([None if value != value else text_of(value) for value in column])
    items = np.array(table.items, object)
    keys = zip(items[table.first], items[table.second], *columns)
    counts = zip(table.wins.tolist(), table.ties.tolist(), table.losses.tolist())
    return {key: count for key, count in zip(keys, counts) if any(count)}


class _Places:
    """Where each combination of levels is among the cells: key = sum over columns of stride times level."""

    def __init__(self, cells: Comparisons, rename: Mapping[str, str], source: str) -> None:
        item = {name: k for k, name in enumerate(cells.items)}
        known = [_levels(column) for column in cells.columns.values()]

        def of_item(text: str | None) -> int:
            return -1 if text is None else item.get(rename.get(text, text), -1)

        self.item = of_item
        self._of_level = [of_item, of_item, *(of_level for _, of_level, _ in known)]
        # one more level of each for what is unknown
        radix = [len(item) + 1, len(item) + 1, *(n + 1 for _, _, n in known)]
        size = math.prod(radix)
        if size >= 2**62:
            raise TooLargeError(
                f"{source}: {named(cells.columns)} and the items give {size:.1g} combinations; fit by fewer columns,"
                " or by columns with fewer levels"
            )
        self._radix, self._stride = radix, [math.prod(radix[k + 1 :]) for k in range(len(radix))]
        keys = np.zeros(cells.n_rows, np.int64)
        for codes, stride in zip(
            (cells.first, cells.second, *(codes for codes, _, _ in known)), self._stride
        ):
            keys += codes * stride
        self._none, self._index = -4 * cells.n_rows, None
        if size <= _MOST_PLACES:
            self._dense = np.full(size, self._none, np.int32)
            self._dense[keys] = np.arange(cells.n_rows)
        else:
            self._index = pd.Index(keys)

    def lookup(self, k: int, texts: Sequence[str | None]) -> IntArray:
        """What each level of a column adds to the key; the last is for missing values."""
        codes = np.array([*map(self._of_level[k], texts), self._of_level[k](None)], np.int64)
        return np.where(codes < 0, self._radix[k] - 1, codes) * self._stride[k]

    def cells_of(self, key: IntArray) -> IntArray:
        """int[n_rows]: cell of each row, far below 0 where there is none."""
        if self._index is None:
            return np.asarray(self._dense[key])
        found = self._index.get_indexer(key)
        return np.where(found < 0, self._none, found)


def _levels(column: Column) -> tuple[IntArray, Callable[[str | None], int], int]:
    """Codes of a column's values, the code of a value that stands there as text, and how many there are."""
    if isinstance(column, Factor):
        place = {level: k for k, level in enumerate(column.levels)}
        n = len(place)
        codes = np.where(column.codes < 0, n, column.codes)
        return codes, lambda text: n if _blank(text, place) else place.get(text or "", -1), n + 1
    distinct, codes = np.unique(column, return_inverse=True)
    number = {value: k for k, value in enumerate(distinct.tolist()) if value == value}
    nan = len(number) if len(number) < len(distinct) else -1

    def of_level(text: str | None) -> int:
        if _blank(text, {}):
            return nan
        try:
            return number.get(float(text or ""), -1)
        except ValueError:
            return -1

    return np.ravel(codes).astype(np.int64), of_level, len(distinct)


def _blank(text: str | None, levels: Mapping[str, int]) -> bool:
    return text is None or not text.strip() or (text in MISSING_WORDS and text not in levels)


@contextmanager
def passes(given: Any, cells: Comparisons, more: Sequence[str], use: str) -> Iterator[Passes]:
    """Passes over the rows that these cells were counted from.

    given: a source, or what :func:`rows` makes of it.  more: further columns that batches have, `use` in words.
    """
    how = given if isinstance(given, RowSource) else RowSource(given)
    stream = stream_of(how.source, None, how.encoding)
    columns = how.columns
    if columns is None:
        named_so = cells.own_names.items()
        columns = {role: own for role, own in named_so if own in stream.names and role not in stream.names}
    header = Table(dict.fromkeys(stream.names), 0, stream.source).with_roles(columns)
    layout = layout_of(header, how.layout, how.coding)
    roles = roles_of(header, layout, list(cells.columns))
    role_of = {own: role for role, own in header.own_names.items()}
    further = [name if name in header.columns else role_of.get(name, name) for name in more]
    inside = {term.key: term.sources for term, _ in how.sides}
    sources = [source for name in further for source in inside.get(name, (name,))]
    held = [name for source in sources for name in parts_in(source, header.columns) or [source]]
    header.need(held, use)
    own = [header.own_names.get(role, role) for role in (*roles, *held)]
    check_case(stream, own)
    with spooled(stream, list(dict.fromkeys(own)), how.spool) as read:
        yield Passes(cells, how, header, layout, tuple(roles), tuple(further), tuple(held), read)
