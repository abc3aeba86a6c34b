"""`read`: any table into `Comparisons`, its layout recognised from the names of its columns, or told.

The layouts with one pair a row stand here: long (`first, second, outcome`), counts, and votes (chat-arena
exports).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ...errors import CodingError, InputError
from ...text import listed, named, quoted
from .. import comparisons
from ..columns import IntArray
from ..comparisons import Comparisons
from ..options import hints_for_r, one_of
from ..saved import is_saved
from ..where import Conditions
from .assemble import (
    Drop,
    Options,
    assemble,
    check_not_self,
    encode,
    has_tie_category,
    item_column,
    item_covariates,
)
from .boards import bad_answers, bad_preferences, games_of, in_words, preferences, without_bad
from .cells import (
    BOTH_BAD,
    FIRST,
    LEAVE_OUT,
    MISSING,
    SECOND,
    TIE,
    BoolArray,
    Coding,
    CodingLike,
    counts,
    labels,
)
from .forms import Way, as_counts, unread, ways_of, ways_of_codes, without_row_names
from .matrix import Record, Winner, is_square, read_matrix
from .pair_columns import PairNames, PairOrderLike, read_wide
from .rankings import is_rankings, read_rankings
from .sources import Table, is_records, load, warn_if_cut

Layout = Literal[
    "long", "counts", "votes", "evalica", "soft", "alpaca", "arena-hard", "rankings", "prefmod", "matrix", "scores",
    "winners",
]  # fmt: skip
NEEDED: Mapping[Layout, tuple[str, ...]] = {
    "long": ("first", "second", "outcome"),
    "counts": ("first", "second", "wins", "losses"),
    "votes": ("model_a", "model_b", "winner"),
    "evalica": ("left", "right", "winner"),
    "soft": ("model_a", "model_b", "pref"),
    "alpaca": ("generator_1", "generator_2", "preference"),
    "arena-hard": ("model", "games"),
}
#: Layouts of preferences, and what the column has where the first is preferred.
_LEAST: Mapping[str, float] = {"soft": 0.0, "alpaca": 1.0}
NOTHING: Mapping[str, Any] = {}
#: How exports write that both were bad, which is a tie, and known apart from one.
_SPELT = [word.format(f"both{s}bad") for word in ("{}", "tie_{}", "tie ({})") for s in ("_", "", " ", "-")]
_BOTH_BAD = ["tie (bothbad)", *_SPELT]
WORDS: Mapping[Layout, CodingLike] = {
    "long": {"first": "first", "second": "second", "tie": "tie", "both_bad": "both_bad"},
    "votes": {"first": "model_a", "second": "model_b", "tie": "tie", "both_bad": _BOTH_BAD},
    "evalica": {"first": "left", "second": "right", "tie": "tie", "both_bad": _BOTH_BAD},
}
#: Judgments of arena-hard, of which A>>B is one.
_GAMES = {
    "first": ["A>B", "A>>B", "B<A", "B<<A"],
    "second": ["B>A", "B>>A", "A<B", "A<<B"],
    "tie": ["A=B", "B=A"],
}


def _encoded_pair(
    table: Table, options: Options, first: str, second: str
) -> tuple[tuple[str, ...], IntArray, IntArray]:
    found = {name: item_column(table, name, options) for name in (first, second)}
    items, (i, j) = encode(found, table.source, options)
    check_not_self(table, i, j, items, second, LEAVE_OUT)
    for positions in (i, j):  # what nobody can write to is not copied
        positions.setflags(write=False)
    return items, i, j


def answers_of(table: Table, options: Options, layout: Layout, coding: CodingLike | None) -> Comparisons:
    """Layouts long and votes: one answer a row."""
    first, second, answer = NEEDED[layout]
    stated = Coding.read(WORDS[layout] if coding is None else coding)
    stated.refuse(MISSING, "layout 'prefmod'; in this layout, remove rows that are not comparisons")
    items, i, j = _encoded_pair(table, options, first, second)
    found = in_words(table, (first, second), answer, stated)
    answers = stated.answers(table, answer, found)
    bad = answers == BOTH_BAD
    tied = (answers == TIE) | bad
    results = (answers == FIRST, tied, answers == SECOND)
    ties = has_tie_category(table, options, tied, answer)
    if bad.any():
        _check_no_both_bad(table, bad, answer)
        table = table.adding({"both_bad": pd.Series(bad.astype(float))})
    return assemble(table, options, items, i, j, results, tie_category=ties, used=NEEDED[layout])


def _check_no_both_bad(table: Table, bad: BoolArray, answer: str) -> None:
    """Refuse a column that has the name of the one that says which ties are both-bad."""
    cure = "rename or drop that column, or declare these answers ties, coding={'tie': ['tie', {cell}], ...}"
    what = "the answer is {cell}, which a new column 'both_bad' would mark, but the table already has one"
    shown = table.shown(answer, bad)
    table.check(bad & ("both_bad" in table.columns), answer, what, cure.replace("{cell}", shown))


def read_counts(table: Table, options: Options) -> Comparisons:
    """wins, ties, losses of `first`; there is a tie category if `ties` is, or if it is stated."""
    items, i, j = _encoded_pair(table, options, "first", "second")
    wins, losses = counts(table, "wins"), counts(table, "losses")
    has_column = "ties" in table.columns
    ties = counts(table, "ties") if has_column else np.zeros(table.n_rows)
    tie_category = has_tie_category(table, options, ties > 0, "ties")
    if options.tie_category is None:
        tie_category = has_column
    used = (*NEEDED["counts"], "ties")
    return assemble(table, options, items, i, j, (wins, ties, losses), tie_category=tie_category, used=used)


def _read_soft(table: Table, options: Options, layout: Layout) -> Comparisons:
    """Layouts soft and alpaca: a preference between the two a row, as weights; the middle is a tie."""
    first, second, answer = NEEDED[layout]
    items, i, j = _encoded_pair(table, options, first, second)
    lost = preferences(table, answer, _LEAST[layout])
    tied = lost == 0.5
    results = (np.where(tied, 0.0, 1.0 - lost), tied, np.where(tied, 0.0, lost))
    ties = has_tie_category(table, options, tied, answer)
    return assemble(table, options, items, i, j, results, tie_category=ties, used=NEEDED[layout])


def without_bad_rows(
    table: Table, options: Options, layout: Layout, coding: CodingLike | None
) -> tuple[Table, dict[str, BoolArray]]:
    """The table without rows that would be refused, and where there were such of each kind."""
    if not options.drop:
        return table, {}
    first, second, *answer = NEEDED[layout]
    bad = (np.zeros(table.n_rows, bool),) * 2
    if layout in _LEAST:
        bad = bad_preferences(table, answer[0], _LEAST[layout])
    elif layout != "counts":
        stated = Coding.read(WORDS[layout] if coding is None else coding)
        bad = bad_answers(table, (first, second), answer[0], stated)
    return without_bad(table, (first, second), options, bad)


#: Options that only some layouts have; stating one for another layout is an error.
_OF_ROWS = ("long", "counts", "votes", "evalica", "soft", "alpaca", "arena-hard", "scores", "winners")
ONLY_FOR: Mapping[str, tuple[str, ...]] = {
    "pair_order": ("prefmod",),
    "pairs": ("prefmod",),
    "pair_names": ("prefmod",),
    "coding": ("long", "votes", "evalica", "arena-hard", "prefmod"),
    "drop": (*_OF_ROWS, "matrix"),
    "winner": ("matrix",),
    "record": ("matrix",),
    "ties": ("matrix",),
    "columns": (*_OF_ROWS, "rankings", "prefmod"),
    "rename": (*_OF_ROWS, "rankings", "matrix"),
}


@hints_for_r
def read(
    source: Any,
    *,
    layout: Layout | None = None,
    items: Sequence[str] | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    columns: Mapping[str, str] | None = None,
    pair_order: PairOrderLike | None = None,
    pairs: Sequence[str] | None = None,
    pair_names: PairNames | None = None,
    coding: CodingLike | None = None,
    winner: Winner | None = None,
    record: Record | None = None,
    ties: Any = None,
    tie_category: bool | None = None,
    item_data: Any = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
    where: Conditions = None,
    drop: Drop | None = None,
) -> Comparisons:
    """Read a table of comparisons; the layout is recognised from the column names.

    Layouts, recognised from the columns unless given::

        long       first, second, outcome         outcome: first, second or tie
        counts     first, second, wins, losses    and ties, if they were possible
        votes      model_a, model_b, winner       winner: model_a, model_b, tie, both_bad (tie (bothbad), ...), or
                                                  the winning model's own name
        evalica    left, right, winner            winner: left, right, tie
        soft       model_a, model_b, pref         0 (first preferred) to 1 (second), as weights; .5 is a tie
        alpaca     generator_1, generator_2,      AlpacaEval: 1 to 2, as weights; 1.5 is a tie
                   preference
        arena-hard model, baseline, games         two games each, the second with the sides swapped; A>>B counts as A>B
        rankings   system1, rank1, system2, ...   smaller is better; -1 or blank is not ranked; WMT's own
                                                  columns
                   or system, rank                one row per system; `ranking`, or source and judge,
                                                  identify the ranking
        prefmod    one column per pair            never guessed: layout, items, pair_order, coding; `person` is the
                                                  row, unless a column names it
        matrix     one row and column per item    never guessed: winner
        scores     home, away, score              one match per row: the higher score wins, equal is a tie; or
                                                  home_goals, away_goals, or score_1, score_2, ...
        winners    winner, loser                  and count, if a row stands for several

    In every layout with rows, `judge` names who answered, `weight` multiplies the row's counts, `source`
    names the segment, `order` is 0 on neutral ground and 1 otherwise, and every other column becomes a
    subject covariate: numeric if all non-blank cells are numbers, otherwise a Factor (`judge` and `source`
    always).  Covariates are coded, and their cells checked, when they are first used.  An answer that both are bad
    is a tie, with 1 in the column `both_bad` (0 in other rows).

    Parameters
    ----------
    source : path, DataFrame, dict of columns or list of dicts
        CSV or TSV (comma, semicolon or tab; UTF-8, or UTF-16 with its mark), Parquet or Arrow with pyarrow
        installed; a table in LaTeX, HTML, Markdown or in columns separated by blanks; "-" is standard input.  A pandas frame or, with pyarrow installed, a frame of polars, pyarrow or
        another package with its rows in memory.  A matrix may also be a 2-D array.  Never changed.
    layout : {"long", "counts", "votes", "evalica", "soft", "alpaca", "arena-hard", "rankings", "prefmod", "matrix", \
"scores", "winners"}, optional
        Default: recognised, as above.
    items : sequence of str, optional
        Order of the items.  Must contain every item found; other items are kept as items that
        were never compared.  Default: numeric if all are integers, otherwise by code point.
    levels : mapping of column to sequence, optional
        Order of a covariate's levels, by the same rules; makes a numeric column categorical.
    columns : mapping of role to column name, optional
        If columns have other names, for example {"judge": "rater"}.
    pair_order : "prefmod", "lexicographic", "AB,AC,..." or a list of pairs
        prefmod only, required: 12 13 23 14 24 34 ... or 12 13 14 23 24 34 ... or as listed.
    pairs : sequence of str, optional
        prefmod only: the response columns; default: the first ones.
    pair_names : {"check", "ignore"}, optional
        prefmod only: whether column names that are pairs (`A:B`, `AB`, `1:2`, `comp12`) must agree with
        `pair_order` (the default), or mean something else.
    coding : mapping or str
        {"first": 1, "tie": 0, "second": -1, "missing": "NA"} or "first=1,tie=0,second=-1,missing=NA"; a list
        if several codes have the same meaning; missing=NA covers blank cells.  Required for prefmod, where cells that
        name the preferred item are read with first=first,second=second; for long and votes it replaces their words, with
        "both_bad" for a tie that calls both bad.
    winner : {"rows", "columns"}
        matrix only, required: whose wins a cell counts, or lists first.
    record : {"wins-ties-losses", "wins-losses-ties"}
        matrix only, required if cells have three numbers, such as 14-2-7.
    ties : path, DataFrame or array, optional
        matrix only: the symmetric matrix of ties; it implies a tie category.
    tie_category : bool, optional
        Whether ties were possible.  Default: in counts if there is a column `ties`, in matrix if `ties` is given,
        in other layouts if a tie occurs.
    item_data : path, DataFrame or dict, optional
        Item covariates, one row per item; the items are in the column `item`, or in the first column.  Or a dict of
        dicts, {"A": {"x": 1.2}, "B": {"x": 0.4}}, as in :func:`pairproof.predict`.
    rename : mapping of str to str, optional
        Item names, found -> wanted; two items may be merged.
    encoding : str, optional
        Encoding of text files without a byte order mark (including `item_data` and `ties`); default UTF-8.
    where : str or sequence of str, optional
        Only the comparisons that meet conditions, such as ["lang=en|de", "length<=0.5", "winner!=tie"], on columns
        by the file's own names or by their roles; see :meth:`Comparisons.where`.  Items without remaining
        comparisons are removed, and `narrowed` of the table counts them.
    drop : {"bad"}, optional
        Drop rows that would be refused because they are not comparisons (no name, compared with itself, no answer,
        unknown answer); `dropped` of the table counts each kind.  For a matrix, drop the diagonal.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        And its subclasses CodingError, ItemError, PairOrderError: what was found (file, row, column, value, how
        often), what was expected, what to do.

    Examples
    --------
    >>> import pairproof
    >>> print(pairproof.read({"first": ["A", "B"], "second": ["B", "C"], "wins": [5, 3], "losses": [2, 1]}))
    11 comparisons of 3 items (no tie category), from table
      A beat B 5, lost 2
      B beat C 3, lost 1
    """
    options = Options(items, levels, tie_category, item_data, rename, encoding, where, drop)
    stated = {
        "pair_order": pair_order,
        "pairs": pairs,
        "pair_names": pair_names,
        "coding": coding,
        "winner": winner,
        "record": record,
        "ties": ties,
        "columns": columns,
        "rename": rename,
        "drop": drop,
    }
    of_all = {"items": items, "levels": levels, "tie_category": tie_category, "item_data": item_data}
    given = {**stated, **of_all, "layout": layout, "encoding": encoding, "where": where}
    if pair_names is not None:
        one_of("pair_names", pair_names, get_args(PairNames))
    if layout is not None:
        one_of("layout", layout, get_args(Layout))
        _check_options(layout, stated)
    if is_saved(source):
        return _of_counts(source, options, {**stated, "layout": layout})
    if layout == "matrix":
        return read_matrix(source, options, given).where_also(options.conditions, {})
    if layout is None and isinstance(source, (np.ndarray, list)) and not is_records(source):
        raise InputError("an array has no column names; state layout='matrix', winner and items")
    table = load(source, encoding, nameless=True, compared=(columns or {}).values())
    if layout is None and not columns and not layouts_of(table.columns) and is_square(table):
        _check_options("matrix", stated)
        warn_if_cut(table)
        table = replace(table, told=(*table.told, f"{table.source}: rows and columns are the same items"))
        return read_matrix(table, options, given).where_also(options.conditions, {})
    table = without_row_names(table).with_roles(columns)
    warn_if_cut(table)
    other = layout in (None, "counts") and not layouts_of(table.columns)
    if (other or layout in ("scores", "winners")) and (counted := as_counts(table, layout, options, given)):
        _check_options("counts", stated)
        table, layout = counted, "counts"
    if layout is None:
        layout = recognised(table, given)
        _check_options(layout, stated)
    else:
        check_has(table, layout, given)
    if layout == "prefmod" and (items is None or pair_order is None or coding is None):
        if ways := ways_of(table, {**given, "layout": layout}):
            raise unread(table, {**given, "layout": layout}, ways)
    if layout == "prefmod":
        if None in (items, pair_order, coding) and (ways := ways_of(table, given)):
            raise unread(table, given, ways)
        return read_wide(table, options, pair_order, pairs, coding, pair_names)
    if layout == "rankings":
        return read_rankings(table, options)
    if layout == "arena-hard":
        table, layout, coding = games_of(table), "votes", _GAMES if coding is None else coding
    table, kinds = without_bad_rows(table, options, layout, coding)
    try:
        found = _rows_of(table, options, layout, coding)
    except CodingError:
        answer = "" if coding is not None or layout not in WORDS else NEEDED[layout][2]
        known = Coding.read(WORDS.get(layout, "first=first,second=second"))
        if answer and not any(known.meaning(w) in (FIRST, SECOND) for w in labels(table, answer).levels):
            if ways := ways_of_codes(table, answer, layout=layout):
                raise unread(table, given, ways) from None
        raise
    dropped = {kind: int(v.sum()) for kind, v in kinds.items()}
    return found.changed(dropped=dropped, read_as=table.told) if dropped or table.told else found


def _rows_of(table: Table, options: Options, layout: Layout, coding: CodingLike | None) -> Comparisons:
    """A table of a layout with a comparison a row."""
    if layout in _LEAST:
        return _read_soft(table, options, layout)
    return read_counts(table, options) if layout == "counts" else answers_of(table, options, layout, coding)


def _of_counts(path: Any, options: Options, stated: Mapping[str, Any]) -> Comparisons:
    """A file of counts, of which conditions and item data are all that is left to be said."""
    of_votes = ("items", "levels", "tie_category", "rename", "encoding")
    told = {**stated, **{name: getattr(options, name) for name in of_votes}}
    wrong = [name for name, value in told.items() if value is not None]
    if wrong:
        raise InputError(
            f"{path}: contains counts, but {named([f'{name}=' for name in wrong])} applies to votes; count the"
            " votes again with it"
        )
    table = comparisons.load(path)
    if options.item_data is not None:
        table = table.changed(item_data=item_covariates(options, table.items))
    return table.where_also(options.conditions, {})


def _check_options(layout: str, stated: Mapping[str, Any]) -> None:
    for name, value in stated.items():
        if value is not None and layout not in ONLY_FOR[name]:
            raise InputError(
                f"{name}={quoted(value)} is for layout {' or '.join(map(repr, ONLY_FOR[name]))}, but this"
                f" table is {layout!r}"
            )


def layouts_of(names: Iterable[str]) -> tuple[Layout, ...]:
    """The layouts whose columns are all among `names`."""
    found = set(names)
    fits = [layout for layout, needed in NEEDED.items() if found.issuperset(needed)]
    return (*fits, *(("rankings",) if is_rankings(found) else ()))


def recognised(table: Table, stated: Mapping[str, Any] = NOTHING) -> Layout:
    """The one layout that the table's columns fit."""
    fits = layouts_of(table.columns)
    if len(fits) != 1:
        left = listed(name for name in ("wins", "ties", "losses") if name in table.columns)
        gone = {layout: f" Remove {left} first." if left and layout != "counts" else "" for layout in fits}
        needed = {layout: listed(NEEDED.get(layout, ("system", "rank"))) for layout in fits}
        found = [Way({"layout": own}, f"The columns are {needed[own]}.{gone[own]}") for own in fits]
        raise unread(table, stated, found or None)
    return fits[0]


def check_has(table: Table, layout: Layout, stated: Mapping[str, Any] = NOTHING) -> None:
    """Refuse a table without the columns of its layout."""
    has = set(table.columns).issuperset(NEEDED.get(layout, ()))
    if layout == "rankings":
        has = is_rankings(table.columns)
    if not has or layout in ("scores", "winners"):
        raise unread(table, {**stated, "layout": layout})


#: :func:`read` of a layout that is told.
from_long = partial(read, layout="long")
from_counts = partial(read, layout="counts")
from_votes = partial(read, layout="votes")
from_rankings = partial(read, layout="rankings")
from_wide = partial(read, layout="prefmod")
from_matrix = partial(read, layout="matrix")
