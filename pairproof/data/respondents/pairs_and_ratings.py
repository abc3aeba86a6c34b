"""Whole comparisons and ratings of persons: prefmod's wide tables, read and written, and psychotools' paircomp.

`from_pairs` reads one column per pair and one row a person; `from_ratings` one column per item, one cell per
point of a scale; `from_paircomp` the text of a `paircomp` of R's psychotools, "{a > b, a < c, NA}", one person
in each.  Its comparisons stand in the order (1 2) (1 3) (2 3) (1 4) ..., NA where one was not made.
`as.character` and `format(x, abbreviate = FALSE, width = 1000)` write them whole; what `print` has shortened
("...") is refused.

`to_prefmod` makes the wide table that `pattPC.fit`, `pattR.fit`, `pattL.fit` and their kin take: the answers
first, time by time, then the covariates, categorical ones as 1..K (Hatzinger and Dittrich 2012, Journal of
Statistical Software 48(10)).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np
import pandas as pd

from ...errors import InputError, ItemError
from ...text import listed, quoted, shortened
from ..columns import Factor, FloatArray, IntArray, item_names, refuse_rows
from ..options import one_of
from ..reading import cells as read
from ..reading.assemble import Options, has_tie_category
from ..reading.cells import CodingLike, labels
from ..reading.pair_columns import PairNames, PairOrderLike, wide_answers
from ..reading.sources import Table
from ..wide import Wide, prefmod_pair_order
from .answer_columns import Times, answer_columns, cells, opened, respondents
from .codes import ABSENT, BELOW, FIRST, MISSING, SECOND, TIED, UNRATED, checked_scale, has_ties
from .respondents import Respondents


def from_pairs(
    source: Any,
    *,
    items: Sequence[str],
    pair_order: PairOrderLike,
    coding: CodingLike,
    pairs: Sequence[str] | None = None,
    pair_names: PairNames | None = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read a wide table of comparisons: a row is a person, one column per pair.

    Every column that holds no pair is a subject covariate; `weight` is the number of persons with the answer.

    pair_order: prefmod: 12 13 23 14 24 34 ...; lexicographic: 12 13 14 23 24 34 ...  A list may leave pairs
    out, which then nobody answered, and may name a pair from its other side.  coding: prefmod takes the
    smallest of codes that are not negative as "first preferred", {"first": 0, "tie": 1, "second": 2,
    "missing": "NA"}, and of codes with a negative one the largest, {"first": 1, "tie": 0, "second": -1,
    "missing": "NA"}; here it is stated.  Several codes may mean the same: {"first": [2, 1], ...}.  pairs:
    columns that hold pairs; default: the first ones.  pair_names: whether column names such as `A:B` must
    agree with `pair_order`; default: they must.  tie_category: whether "neither" could be answered; default:
    if somebody did.  levels: levels of covariates, the reference level first; makes a column of numbers
    categorical.  item_data: item covariates, one row an item.  person: the column with the persons' names,
    if it is not called `person`.  encoding: of a text file, if it is not UTF-8.
    """
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options, person)
    names, order, found = wide_answers(table, options, pair_order, pairs, coding, pair_names)
    codes = np.zeros(4, np.int64)
    codes[[read.FIRST, read.TIE, read.SECOND, read.MISSING]] = FIRST, TIED, SECOND, MISSING
    given = codes[found]
    stated = options.names or ()
    place = {pair: k for k, pair in enumerate(prefmod_pair_order(len(stated)))}
    answers = np.full((table.n_rows, len(place)), MISSING, np.int64)
    for k, (i, j) in enumerate(order):
        turned = (i > j) & (given[:, k] != MISSING)
        answers[:, place[min(i, j), max(i, j)]] = np.where(turned, -given[:, k], given[:, k])
    tied = found == read.TIE
    ties = has_tie_category(table, options, tied.any(axis=1), names[int(np.argmax(tied.any(axis=0)))])
    return respondents(table, options, stated, "comparisons", answers, names, tie_category=ties)


#: A preference, perhaps with its degree: `>`, `>>`, `2>`, `=`.
_SIGN = r"(?:[0-9]+[<>]|<+|>+|=)"
_PARTS = re.compile(rf"(.+?) ({_SIGN}) (.+)")


def from_paircomp(
    source: Any,
    *,
    column: str,
    items: Sequence[str] | None = None,
    degrees: Literal["refuse", "ignore"] = "refuse",
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read comparisons from the text of psychotools' `paircomp`.

    Every other column is a subject covariate; `weight` is the number of persons with the answer.  A CSV file
    that R wrote of a data frame with a `paircomp` has numbers and one column per pair instead: read that with
    :func:`pairproof.data.respondents.from_pairs` and pair_order="prefmod".

    column: the column that holds the text.  degrees: what becomes of the degree of a preference (">>" or "2>"
    where the scale has more than three points).  tie_category: whether "neither" could be answered; default:
    if somebody did.  person: the column with the persons' names, if it
    is not called `person`.  levels, item_data, encoding: as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("degrees", degrees, ("refuse", "ignore"))
    options = Options(items, levels, tie_category, item_data, encoding=encoding)
    table = opened(source, options, person)
    table.need([column])
    texts = labels(table, column)
    bodies = [_body(table, column, texts.codes == k, text) for k, text in enumerate(texts.levels)]
    names = item_names(options.names or _items(table, column, bodies))
    signs = [_signs(table, column, texts.codes == k, body, names) for k, body in enumerate(bodies)]
    steep = [any(sign != "NA" and len(sign) > 1 for sign in own) for own in signs]
    if degrees == "refuse":
        said = "preferences with degrees, such as '>>' or '2>'"
        cure = "models here use only which item is preferred: degrees='ignore' keeps that"
        table.check(np.array([*steep, False])[texts.codes], column, said, cure)
    none = np.full((1, len(names) * (len(names) - 1) // 2), MISSING, np.int64)
    answers = np.concatenate([np.array([[_code(sign) for sign in own] for own in signs], np.int64), none])
    answers = answers[texts.codes]  # code -1, a blank cell, picks the last
    ties = has_tie_category(table, options, (answers == TIED).any(axis=1), column)
    return respondents(table, options, names, "comparisons", answers, (column,), tie_category=ties)


def _code(sign: str) -> int:
    if sign == "NA":
        return MISSING
    return TIED if sign == "=" else FIRST if sign.endswith(">") else SECOND


def _body(table: Table, column: str, rows: Any, text: str) -> str:
    """What stands between the braces."""
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == "{" and stripped[-1] == "}" and "..." not in stripped[-4:]:
        return stripped[1:-1]
    cut = "print has shortened it; write it with as.character"
    cure = cut if "..." in stripped[-4:] else "expected a text such as '{a > b, a < c, NA}'"
    raise table.refuse(rows, column, f"the comparisons are {quoted(text)}", cure)


def _items(table: Table, column: str, bodies: Sequence[str]) -> tuple[str, ...]:
    """Names of the items, from the first text that has each pair (1, k)."""
    rows = [body.split(", ") for body in bodies]
    sizes = {len(row) for row in rows}
    n = next((n for n in range(2, 1000) if sizes == {n * (n - 1) // 2}), 0)
    if not n:
        raise ItemError(
            f"{table.source}, column {quoted(column)}: texts of {listed(sorted(sizes), 4)} comparisons; expected each"
            " pair of items once (1, 3, 6, 10, ...), the same number in each row; if names contain"
            " commas, give items=[...]"
        )
    found: dict[int, str] = {}
    for k, pair in enumerate(prefmod_pair_order(n)):
        for row in rows:
            parts = _PARTS.fullmatch(row[k])
            if parts and not re.search(rf" {_SIGN} ", parts[3]):
                found.setdefault(pair[0], parts[1])
                found.setdefault(pair[1], parts[3])
    if len(found) < n:
        number = min(set(range(n)) - set(found)) + 1
        raise ItemError(
            f"{table.source}, column {quoted(column)}: the name of item {number} of {n} cannot be determined from"
            " the text; give items=[...]"
        )
    names = tuple(found[k] for k in range(n))
    if len(set(names)) < n:
        raise ItemError(
            f"{table.source}, column {quoted(column)}: {n * (n - 1) // 2} comparisons imply {n} items, but"
            f" the text names {listed(names)}; a paircomp of both orders of the pairs (ordered = TRUE) is not a table"
            " of whole answers"
            " here: read it as rows first, second, outcome with pairproof.read"
        )
    return names


def _signs(table: Table, column: str, rows: Any, body: str, items: tuple[str, ...]) -> list[str]:
    """The sign of each comparison, "NA" where there is none."""
    rest, signs = body, []
    pairs = prefmod_pair_order(len(items))
    for k, (i, j) in enumerate(pairs):
        own = re.compile(rf"(?:{re.escape(items[i])} ({_SIGN}) {re.escape(items[j])}|NA)(?:, |$)")
        there = own.match(rest)
        if not there:
            said = f"comparison {k + 1} of {len(pairs)} is {shortened(repr(rest.split(', ')[0]))}"
            cure = f"expected {quoted(f'{items[i]} > {items[j]}')}, with '<' or '=', or NA"
            raise table.refuse(rows, column, said, cure)
        signs.append(there[1] or "NA")
        rest = rest[there.end() :]
    if rest:
        raise table.refuse(
            rows,
            column,
            f"the text continues after the {len(pairs)} pairs of {len(items)} items, with {shortened(repr(rest))}",
            "a paircomp of both orders of the pairs (ordered = TRUE) is not a table of whole answers here; read it as rows"
            " first, second, outcome with pairproof.read",
        )
    return signs


#: Points of the scale, or "1-5" for all whole numbers from 1 to 5.
ScaleLike = Union[str, Sequence[float]]
#: No rating scale that persons fill in has more points than this.
MOST_POINTS = 1001


def from_ratings(
    source: Any,
    *,
    scale: ScaleLike,
    best: Literal["low", "high"],
    items: Sequence[str] | None = None,
    answers: Sequence[str] | None = None,
    times: Times = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read ratings: a row is a person, one column per item, one cell per point of the scale; blank is no
    rating.

    Every other column is a subject covariate; `weight` is the number of persons with the answer.

    scale: all points of the scale, used or not, or "1-5".  It belongs to the instrument: prefmod takes the
    range of the answers it meets, so that one more answer can change the model.  best: which end of the scale
    is the most preferred; prefmod takes the low one.  times: for repeated ratings: the number of blocks of J
    columns, time by time (as `tpoints` in prefmod), or the ends of the columns' names.  person: the column
    with the persons' names, if it is not called `person`.  levels, item_data, encoding:
    as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("best", best, ("low", "high"))
    options = Options(items, levels, None, item_data, encoding=encoding)
    table = opened(source, options, person)
    points = sorted(checked_scale(_points(scale), "ratings", table.source), reverse=best == "high")
    names, when, blocks = answer_columns(table, options.names, answers, times)
    place = {point: k + 1 for k, point in enumerate(points)}
    found = np.zeros((table.n_rows, len(blocks), len(names)), np.int64)
    ends = f"from {min(points):g} to {max(points):g}"
    cure = f"expected one of the {len(points)} points {ends} of scale=, or a blank cell or NA for none"
    for t, columns in enumerate(blocks):
        for k, name in enumerate(columns):
            values = cells(table, name, "rating")
            codes = np.array([UNRATED if v != v else place.get(v, -1) for v in values.tolist()], np.int64)
            table.check(codes < 0, name, "the rating is {cell}", cure)
            found[:, t, k] = codes
    used = [name for columns in blocks for name in columns]
    return respondents(table, options, names, "ratings", found, used, scale=points, times=when)


def _points(scale: ScaleLike) -> Sequence[float]:
    if not isinstance(scale, str):
        if not hasattr(scale, "__iter__"):
            raise InputError(f"scale={quoted(scale)}; expected its ends, such as '1-5', or a list of points")
        return list(scale)
    ends = re.fullmatch(r"\s*(-?[0-9]{1,9})\s*-\s*(-?[0-9]{1,9})\s*", scale)
    if not ends or not 2 <= int(ends[2]) - int(ends[1]) + 1 <= MOST_POINTS:
        raise InputError(
            f"scale={quoted(scale)}; expected its ends, such as '1-5' (2 to {MOST_POINTS:,} points), or a list of points"
        )
    return [float(k) for k in range(int(ends[1]), int(ends[2]) + 1)]


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
    rows = _rows(table)
    values = _values(table)[rows]
    names = [f"V{k + 1}" for k in range(len(table.items))]
    if table.kind == "comparisons":
        names = [f"V{i + 1}_{j + 1}" for i, j in prefmod_pair_order(len(table.items))]
    data: dict[str, FloatArray] = {}
    for t in range(table.n_times):
        at = f".{t + 1}" if table.n_times > 1 else ""
        data |= {f"{name}{at}": values[:, t, k] for k, name in enumerate(names)}
    for name in covariates:
        if name in data:
            raise InputError(
                f"{table.source}: covariate {name!r} has the same name as an answer column; rename it"
            )
        data[name] = _covariate(table, name, rows)
    coding = {"first": 1.0, "tie": 0.0, "second": -1.0} if table.kind == "comparisons" else {}
    if not table.tie_category:
        coding.pop("tie", None)
    return Wide(pd.DataFrame(data), {**coding, "missing": float("nan")})


def _rows(table: Respondents) -> IntArray:
    broken = table.weights != np.floor(table.weights)
    often = f"({int(broken.sum())} such row(s))"
    why = "prefmod takes one row per person and no weights, so weights must be whole"
    refuse_rows(table.source, broken, lambda r: f"the weight is {table.weights[r]:g} {often}; {why}")
    cells = table.n_persons * table.answers[0].size
    if cells > MOST_CELLS:
        raise InputError(
            f"{table.source}: {table.n_persons:,.0f} persons need {cells:,.0f} cells; at most {MOST_CELLS:,} can be written"
        )
    return np.asarray(np.repeat(np.arange(table.n_rows), table.weights.astype(np.int64)))


def _values(table: Respondents) -> FloatArray:
    """float[n_rows, n_times, k]: the answers in prefmod's codes."""
    answers = table.answers
    if table.kind == "rankings":
        absent = np.asarray((answers == ABSENT).any(axis=(1, 2)))
        tied = np.asarray(has_ties(answers).any(axis=1))
        why = f"({int(absent.sum())} such row(s)); prefmod has no such rankings: NA is below all others there"
        refuse_rows(table.source, absent, f"an item was not presented {why}")
        why = f"({int(tied.sum())} such row(s)); pattR.fit drops such rows"
        refuse_rows(table.source, tied, f"two items have the same rank {why}")
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
            f"{table.source}: no respondent has level {quoted(column.levels[unused[0]])} of {name!r} ({listed(column.levels)});"
            " prefmod needs the codes 1..K without a gap; drop the level"
        )
    return np.asarray(column.codes[rows] + 1.0)
