"""Rankings of persons in four layouts: tables of ranks, orders, text "A > B = C", numbered systems and ranks.

ranks     one row per person and one column per item, or one row per item of a person
orders    the best item, the next, and so on, in columns of places or as text
rankings  as :func:`pairproof.read` takes them, as rankings and not as pairs: `system1`, `rank1`,
          `system2`, ..., WMT's own columns, or `system` and `rank` with one row per system

What an item without a rank means, a table of rankings does not say and no reader guesses:

absent    the item was not presented (R's PlackettLuce reads 0 and NA so)
below     it was presented, and every item with a rank was preferred to it (prefmod's pattR reads NA so)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

from ...errors import InputError, ItemError
from ...text import listed, quoted
from ..columns import Factor, FloatArray, IntArray, natural_order
from ..options import one_of
from ..reading.assemble import Options, encode, has_tie_category, item_column
from ..reading.cells import MISSING_WORDS, BoolArray, labels, text_of
from ..reading.rankings import Placed, is_rankings, placed
from ..reading.sources import Table, load, suggestion, warn_if_cut, with_person
from .answer_columns import Times, answer_columns, cells, opened, respondents
from .codes import ABSENT, BELOW, dense, has_ties
from .respondents import Respondents

#: "absent", "below", or {code: one of these}, for example {0: "below", "NA": "absent"}.
UnrankedLike = Union[str, Mapping[Any, str], None]
MEANINGS = {"absent": ABSENT, "below": BELOW}
SAY = "specify the meaning: 'absent' (not presented) or 'below' (presented, and below all items with a rank)"


@dataclass(frozen=True)
class Unranked:
    """Meanings of cells without a rank."""

    of_blank: int | None
    of_number: Mapping[float, int]

    @classmethod
    def read(cls, stated: UnrankedLike) -> Unranked:
        """Check what was stated."""
        if stated is None or isinstance(stated, str):
            return cls(None if stated is None else _meaning(stated), {})
        if not isinstance(stated, Mapping):
            raise InputError(
                f"unranked={quoted(stated)}; expected 'absent', 'below' or a mapping of codes to these"
            )
        of_blank: int | None = None
        of_number: dict[float, int] = {}
        for code, meaning in stated.items():
            if code is None or code != code or str(code).strip() in {"", *MISSING_WORDS}:
                of_blank = _meaning(meaning)
                continue
            try:
                of_number[float(code)] = _meaning(meaning)
            except (TypeError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(
                    f"unranked has the code {quoted(code)}; expected a number, or 'NA'"
                ) from error
        return cls(of_blank, of_number)

    def codes(self, table: Table, columns: list[str], values: FloatArray, zero_based: bool) -> IntArray:
        """int[n, J] of values float[n, J]: ranks from 1, BELOW or ABSENT where there is none."""
        found = np.zeros(values.shape, np.int64)
        rank = np.isfinite(values)
        for number, meaning in self.of_number.items():
            found[values == number] = meaning
            rank &= values != number
        blank = np.isnan(values)
        found[blank] = self.of_blank or 0
        unclear = blank if self.of_blank is None else np.zeros(values.shape, bool)
        for bad, found_there, cure in (
            (unclear, "no rank", f"{SAY}, unranked='absent' or 'below'"),
            (
                rank & (values == 0) & (not zero_based),
                "the rank is 0",
                f"if that is not a rank {SAY}, unranked={{0: 'absent'}} (as R's PlackettLuce reads it) or"
                f" {{0: 'below'}}; if"
                " 0 is the best rank pass zero_based=True",
            ),
            (
                rank & (values < 0),
                "the rank is {cell}",
                "expected 1 for the best item, 2 for the next; if this is not a rank, give its meaning, for example"
                " unranked={-1: 'absent'}",
            ),
        ):
            for name, of_column in zip(columns, bad.T):
                table.check(of_column, name, found_there, cure)
        if rank.any():
            _, places = np.unique(values[rank], return_inverse=True)
            found[rank] = places.reshape(-1) + 1
        return found

    def of_unlisted(
        self, table: Table, unlisted: BoolArray, items: tuple[str, ...], column: str, rows: IntArray
    ) -> int:
        """The meaning of an item that a person does not name.  unlisted bool[n, J]; rows int[n]."""
        if self.of_blank is not None or not unlisted.any():
            return ABSENT if self.of_blank is None else self.of_blank
        persons = np.flatnonzero(unlisted.any(axis=1))
        item = items[int(np.argmax(unlisted[persons[0]]))]
        such = f" ({len(persons)} such rankings)" if len(persons) > 1 else ""
        raise InputError(
            f"{table.where(int(rows[persons[0]]), column)}: the ranking that begins here has no place for"
            f" {quoted(item)}{such}; {SAY}, unranked='absent' or 'below'"
        )


def _meaning(word: Any) -> int:
    if word not in MEANINGS:
        raise InputError(f"unranked has the meaning {quoted(word)}; expected 'absent' or 'below'")
    return MEANINGS[word]


def from_ranks(
    source: Any,
    *,
    items: Sequence[str] | None = None,
    answers: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    zero_based: bool = False,
    times: Times = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as ranks: a row is a person, one column per item, a cell its rank.

    The smallest rank is the best.  Only the order of the ranks counts: gaps and fractions are fine, equal
    ranks are a tie.  Every other column is a subject covariate; `weight` is the number of persons with the
    answer.

    answers: columns that hold ranks, in the order of the items; default: those called as the items are.
    unranked: what an item without a rank means, to be said if there is one.  A word is for blank cells and
    NA; a mapping for codes: {0: "below", "NA": "absent"}.  R's PlackettLuce: {0: "absent", "NA": "absent"};
    prefmod's pattR: "below".  zero_based: whether 0 is the best rank.  times: for repeated rankings: the
    number of blocks of J columns, time by time (as `tpoints` in prefmod), or the ends of the columns' names.
    tie_category: whether equal ranks could be given; default: if they occur.  person: the column with the
    persons' names, if it is not called `person`.  levels, item_data, encoding: as in
    :func:`pairproof.data.respondents.from_pairs`.
    """
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options, person)
    meaning = Unranked.read(unranked)
    names, when, blocks = answer_columns(table, options.names, answers, times)
    ranks = []
    for columns in blocks:
        values = np.column_stack([cells(table, name, "rank") for name in columns])
        ranks.append(dense(meaning.codes(table, columns, values, zero_based)))
    found = np.stack(ranks, axis=1)
    used = [name for columns in blocks for name in columns]
    tied = np.asarray(has_ties(found).any(axis=1))
    ties = has_tie_category(table, options, tied, used[_tied_column(found)])
    return respondents(table, options, names, "rankings", found, used, tie_category=ties, times=when)


def _tied_column(ranks: IntArray) -> int:
    """Position of the column that repeats a rank, in the first row with a tie, for a message; 0 without one."""
    for row, time in np.argwhere(has_ties(ranks))[:1]:
        own = ranks[row, time]
        again = [k for k, rank in enumerate(own) if rank > 0 and rank in own[:k]]
        return int(time) * len(own) + again[0]
    return 0


def from_long_ranks(
    source: Any,
    *,
    person: str,
    item: str,
    rank: str,
    items: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    zero_based: bool = False,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings of which each row is an item of a person, as `rankings(data, id, item, rank)` of R's
    PlackettLuce takes.

    Every other column says something of the person and must not change between the person's rows.

    person, item, rank: names of the columns.  unranked: what an item means that a person has no row for, or
    no rank in the row, to be said if there is one.  zero_based, tie_category, levels, item_data, encoding: as
    in :func:`from_ranks`.  Returns Respondents: persons in the order of their first rows.
    """
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options)
    for role, name in (("person", person), ("item", item), ("rank", rank)):
        table.need([name], f" to be the {role}")
    if "person" not in table.columns:
        table, person = with_person(table, person), "person"
    meaning = Unranked.read(unranked)
    who = _persons(table, person)
    names, (of_item,) = encode({item: item_column(table, item, options)}, table.source, options)
    _check_once(table, who, of_item, item, names)
    codes = meaning.codes(table, [rank], cells(table, rank, "rank")[:, None], zero_based)[:, 0]
    listed_there = np.zeros((int(who.max()) + 1, len(names)), bool)
    listed_there[who, of_item] = True
    _, first = np.unique(who, return_index=True)
    unlisted = meaning.of_unlisted(table, ~listed_there, names, item, first)
    found = np.full(listed_there.shape, unlisted, np.int64)
    found[who, of_item] = codes
    found = dense(found)
    ties = has_tie_category(table, options, has_ties(found)[who], rank)
    used = (item, rank)
    return respondents(table, options, names, "rankings", found, used, tie_category=ties, person=who)


def _persons(table: Table, column: str) -> IntArray:
    """Number of each row's person, in the order of their first rows."""
    found = labels(table, column)
    blank = found.codes < 0
    table.check(blank, column, "no person", "name the person in every row")
    _, first, who = np.unique(found.codes, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    return np.asarray(place[who.reshape(-1)], np.int64)


def _check_once(table: Table, who: IntArray, item: IntArray, column: str, names: tuple[str, ...]) -> None:
    _, first, where = np.unique(who * len(names) + item, return_index=True, return_inverse=True)
    again = first[where.reshape(-1)] != np.arange(len(item))
    if again.any():
        said = f"{quoted(names[int(item[again][0])])} appears in an earlier row of the same person"
        raise table.refuse(again, column, said, "keep one of the ranks")


#: The items of each place of one ranking, the best first.
Order = list[tuple[str, ...]]


def from_orders(
    source: Any,
    *,
    places: Sequence[str],
    items: Sequence[str] | None = None,
    cells: Literal["names", "numbers"] = "names",
    ties: str | None = None,
    unranked: UnrankedLike = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as orders: a row is a person, the first column of `places` names the best item.

    R's PlackettLuce takes such a table with `input = "orderings"`.  Places that a person left open stand at
    the end and are blank or NA.  Every other column is a subject covariate; `weight` is the number of persons
    with the answer.

    places: the columns of the places, the best first.  cells: whether a cell names an item, or has its number
    in `items`, from 1 (0 is an open place then).  ties: what stands between items that share a place, for
    example "="; default: nothing does.  unranked: what an item means that a person gave no place, to be said
    if there is one.  tie_category: whether places could be shared; default: if some are.  person: the column
    with the persons' names, if it is not called `person`.  levels, item_data, encoding:
    as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("cells", cells, ("names", "numbers"))
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options, person)
    if isinstance(places, str) or not len(places) or len(set(places)) < len(places):
        raise InputError(
            f"places={quoted(places)}; expected the names of different columns, the best place first"
        )
    columns = [str(name) for name in places]
    table.need(columns, " to be a place")
    if cells == "numbers" and options.names is None:
        raise ItemError("cells='numbers' are positions in the list of items; pass items=[...]")
    filled = [_places(table, name, options, cells, ties) for name in columns]
    for k, name in enumerate(columns[1:], 1):
        bad = np.array([bool(now) and not before for now, before in zip(filled[k], filled[k - 1])])
        table.check(
            bad, name, f"an item, but none in the place before ({quoted(columns[k - 1])})", "close the gap"
        )
    orders = [[items_ for items_ in row if items_] for row in zip(*filled)]
    return _rankings(table, options, orders, columns, Unranked.read(unranked))


def from_ranking_text(
    source: Any,
    *,
    column: str,
    items: Sequence[str] | None = None,
    unranked: UnrankedLike = None,
    above: str = " > ",
    ties: str = " = ",
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings as text, "A > B = C", as R's PlackettLuce prints them.

    R shortens long rankings ("A > B > ..."); `format(x, width = 10000)` writes them whole.

    column: the column that holds the text; blank or NA where nothing was ranked.  person: the column with
    the persons' names, if it is not called `person`.  above, ties: what stands between
    places, and between items that share one.
    """
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options, person)
    table.need([column])
    if not above.strip() or not ties.strip() or above in ties or ties in above:
        raise InputError(
            f"above={above!r} and ties={ties!r}; expected two different separators, such as ' > ' and ' = '"
        )
    texts = labels(table, column)
    split: list[Order] = []
    for k, text in enumerate(texts.levels):
        order = [tuple(part.strip() for part in place.split(ties)) for place in text.split(above)]
        if text.strip() in MISSING_WORDS:
            order = []
        cut = text.rstrip().endswith("...")
        if cut or not all(name for place in order for name in place):
            signs = f"expected names with {above.strip()!r} or {ties.strip()!r} between them"
            cure = "R has shortened it; use format(x, width = 10000)" if cut else signs
            raise table.refuse(texts.codes == k, column, f"the ranking is {quoted(text)}", cure)
        split.append(order)
    split.append([])
    return _rankings(table, options, [split[code] for code in texts.codes], [column], Unranked.read(unranked))


def _places(
    table: Table, column: str, options: Options, cells: str, ties: str | None
) -> list[tuple[str, ...]]:
    """The items of one place, row by row; () where it is open."""
    found = labels(table, column)
    stated = options.names or ()
    of_level: list[tuple[str, ...]] = []
    for k, text in enumerate(found.levels):
        names = tuple(part.strip() for part in text.split(ties)) if ties else (text,)
        if text in MISSING_WORDS and text not in stated or (cells == "numbers" and text_of(text) == "0"):
            names = ()
        here = found.codes == k
        if not all(names):
            cure = f"expected names with {ties!r} between them"
            raise table.refuse(here, column, f"the place is {quoted(text)}", cure)
        if cells == "numbers":
            wrong = [name for name in names if not (name.isdecimal() and 1 <= int(name) <= len(stated))]
            if wrong:
                cure = f"expected a number from 1 to {len(stated)}, or 0 or a blank cell for an open place"
                raise table.refuse(here, column, f"the item is {quoted(wrong[0])}", cure, ItemError)
            names = tuple(stated[int(name) - 1] for name in names)
        of_level.append(names)
    of_level.append(())
    return [of_level[code] for code in found.codes]


def _rankings(
    table: Table, options: Options, orders: Sequence[Order], columns: list[str], unranked: Unranked
) -> Respondents:
    """The table of rankings, once every item of them is known and stands in one place."""
    names = options.names or _found(table, orders)
    place_of = {name: k for k, name in enumerate(names)}
    ranks = np.zeros((table.n_rows, len(names)), np.int64)
    for row, order in enumerate(orders):
        for rank, place in enumerate(order, 1):
            column = columns[rank - 1] if len(columns) > 1 else columns[0]
            for name in place:
                item = place_of.get(name)
                if item is None:
                    raise ItemError(
                        f"{table.where(row, column)}: found {quoted(name)}, not among the items given,"
                        f" {listed(names)}; list every item that occurs{suggestion(name, names)}"
                    )
                if ranks[row, item]:
                    raise ItemError(
                        f"{table.where(row, column)}: {quoted(name)} already has place {ranks[row, item]}; each"
                        " item has one place"
                    )
                ranks[row, item] = rank
    unlisted = ranks == 0
    left_out = unranked.of_unlisted(table, unlisted, names, columns[0], np.arange(table.n_rows))
    found = dense(np.where(unlisted, left_out, ranks))
    ties = has_tie_category(table, options, has_ties(found), columns[0])
    return respondents(table, options, names, "rankings", found, columns, tie_category=ties)


def _found(table: Table, orders: Sequence[Order]) -> tuple[str, ...]:
    """The items of all rankings; two spellings of one name are refused."""
    names = natural_order(name for order in orders for place in order for name in place)
    items, _ = encode({"": Factor(np.arange(len(names)), names)}, table.source, Options())
    return items


#: Rankings times systems that are held, about half a gigabyte with what is made of them.
MOST_CELLS = 20_000_000


def from_rankings(
    source: Any,
    *,
    unranked: str | None = None,
    items: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings of systems: the tables that `pairproof.read` cuts into pairs, with each ranking kept whole.

    One row per ranking (`system1`, `rank1`, `system2`, `rank2`, ..., or WMT's own columns), or one row per
    system (`system`, `rank`, and `ranking`, or `source` and `judge`, which say what rows are one ranking).  A smaller rank is better,
    equal ranks are a tie; a system that a ranking does not name was not presented.  Every other column is a covariate;
    `weight` is the number of persons with the ranking.

    unranked: what a rank of -1 or a blank one means of a system that the ranking names, to be said if there
    is one.  columns: where columns have other names, for example {"judge": "rater"}.  tie_category: whether
    ranks could be shared; default: if some are.  rename: other names for systems.  levels, item_data,
    encoding: as in :func:`pairproof.data.respondents.from_pairs`.  Returns Respondents: one row per ranking;
    `to_comparisons()` gives the table that `pairproof.read` makes of the same source.
    """
    options = Options(items, levels, tie_category, item_data, rename, encoding)
    table = load(source, encoding).with_roles(columns)
    warn_if_cut(table)
    if not is_rankings(table.columns):
        raise InputError(
            f"{table.source}: found the columns {listed(table.columns)}; layout='rankings' needs system1, rank1, system2,"
            " rank2, ..., or system and rank with one row per system. One column per item is layout='ranks'"
        )
    of = placed(table, options)
    codes = _codes(of, Unranked.read(unranked))
    # A row that names no system is a person who ranked nothing.
    person = np.arange(of.table.n_rows)
    person[of.row] = of.ranking
    n = int(person.max(initial=-1)) + 1
    if n * len(of.items) > MOST_CELLS:
        raise InputError(
            f"{of.table.source}: {n:,} rankings of {len(of.items):,} systems need {n * len(of.items):,} places; at"
            f" most {MOST_CELLS:,} can be held. Read fewer systems, or fewer rankings at a time"
        )
    ranks = np.full((n, len(of.items)), ABSENT, np.int64)
    ranks[of.ranking, of.item] = codes
    ranks = dense(ranks)
    ties = has_tie_category(of.table, options, has_ties(ranks)[person], of.rank_columns[0])
    how: dict[str, Any] = {"tie_category": ties, "person": person}
    return respondents(of.table, options, of.items, "rankings", ranks, of.used, **how)


def _codes(of: Placed, meaning: Unranked) -> IntArray:
    """int[n_places]: ranks from 1 in the order of the numbers; what was said where there is none."""
    bare = np.isnan(of.rank)
    found = np.full(len(of.rank), ABSENT, np.int64)
    if bare.any() and meaning.of_blank is None:
        k = int(np.flatnonzero(bare)[0])
        such = f" ({int(bare.sum()):,} such places)" if bare.sum() > 1 else ""
        raise InputError(
            f"{of.table.where(int(of.row[k]), of.rank_columns[of.place[k]])}: {of.items[of.item[k]]!r} is named but"
            f" has no rank{such}; {SAY}, unranked='absent' or 'below'"
        )
    found[bare] = ABSENT if meaning.of_blank is None else meaning.of_blank
    _, place = np.unique(of.rank[~bare], return_inverse=True)
    found[~bare] = place.reshape(-1) + 1
    return found
