"""The codes of whole answers, the order of the comparisons in them, and the checks that they pass.

    comparisons  +1 first item preferred, 0 neither, -1 second, MISSING not answered; one column per pair, in
                 prefmod's order (1 2) (1 3) (2 3) (1 4) ...
    rankings     1 = best, equal for ties; BELOW for an item that was presented and got no rank, ABSENT for
                 one that was not presented
    ratings      number of the point on the scale, 1 = most preferred; UNRATED

These are the codes that models of whole answers take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ...text import named, quoted
from ..columns import (
    LARGEST_COUNT,
    SMALLEST_COUNT,
    Column,
    FloatArray,
    IntArray,
    check_covariate_names,
    checked_column,
    frozen,
    refuse_rows,
)
from ..wide import prefmod_pair_order

#: What a person was asked for.
Kind = Literal["comparisons", "rankings", "ratings"]
KINDS = ("comparisons", "rankings", "ratings")

#: Answers to a comparison.
FIRST, TIED, SECOND, MISSING = 1, 0, -1, 9
#: Items without a rank.
BELOW, ABSENT = 0, -1
#: An item without a rating.
UNRATED = 0


def dense(ranks: IntArray) -> IntArray:
    """int[n, J] ranks without gaps; one item below all others has the last rank, the same answer."""
    order = np.argsort(ranks, axis=1, kind="stable")
    rising = np.maximum(np.take_along_axis(ranks, order, axis=1), 0)
    steps = np.cumsum(np.diff(rising, axis=1, prepend=0) > 0, axis=1)
    found = np.empty(ranks.shape, np.int64)
    np.put_along_axis(found, order, steps, axis=1)
    found = np.where(ranks > 0, found, ranks)
    one = ((found == BELOW).sum(axis=1) == 1) & (found.max(axis=1) > 0)
    last = found.max(axis=1) + 1
    return np.asarray(np.where((found == BELOW) & one[:, None], last[:, None], found), np.int64)


def as_comparisons(kind: Kind, answers: IntArray) -> IntArray:
    """The comparisons that answers imply.  answers int[..., k]; returns int[..., C]."""
    if kind == "comparisons":
        return answers
    n_items = answers.shape[-1]
    first, second = np.array(prefmod_pair_order(n_items)).T
    if kind == "ratings":
        there, place = answers != UNRATED, answers
        open_pair = np.zeros(1, bool)
    else:
        there, place = answers != ABSENT, np.where(answers > 0, answers, n_items + 1)
        open_pair = (answers[..., first] == BELOW) & (answers[..., second] == BELOW)
    made = there[..., first] & there[..., second] & ~open_pair
    return np.asarray(np.where(made, np.sign(place[..., second] - place[..., first]), MISSING), np.int64)


#: Columns of the table's own in a frame, and in comparisons made of it; no covariate can have these names.
OWN_COLUMNS = ("weight", "time", "order")


def checked_answers(answers: ArrayLike, kind: Kind, n_items: int, n_times: int, source: str) -> IntArray:
    """int[n_rows, n_times, k]: the answers as whole numbers with one column a comparison or an item."""
    if kind not in KINDS:
        raise InputError(f"kind={kind!r}; expected one of {', '.join(map(repr, KINDS))}")
    found = np.asarray(answers)
    k = n_items * (n_items - 1) // 2 if kind == "comparisons" else n_items
    if found.ndim == 2 and n_times == 1:
        found = found[:, None, :]
    if found.ndim != 3 or found.shape[1:] != (n_times, k):
        raise InputError(
            f"{source}: answers of shape {found.shape}; expected (rows, {n_times}, {k}): {kind} of {n_items} items"
            f" at {n_times} time(s)"
        )
    if found.dtype.kind not in "iu":
        raise InputError(f"{source}: answers have type {found.dtype}; expected integer codes")
    if not len(found):
        raise InputError(f"{source}: no rows; at least one answer is needed")
    return np.array(found, np.int64)


def check_codes(
    answers: IntArray,
    kind: Kind,
    tie_category: bool,
    scale: Sequence[float],
    items: Sequence[str],
    source: str,
) -> None:
    """Refuse codes that are none, and ties where there is no tie category."""
    if kind == "comparisons":
        possible: Sequence[int] = (FIRST, TIED, SECOND, MISSING) if tie_category else (FIRST, SECOND, MISSING)
        words = f"{', '.join(map(str, possible))} ({MISSING} for a comparison that was not answered)"
        bad = ~np.isin(answers, possible)
    elif kind == "rankings":
        words = f"1 for the best item, 2 for the next, 0 below all others, {ABSENT} not presented"
        bad = answers < ABSENT
    else:
        words = f"1 to {len(scale)}, points of the scale, or 0 for no rating"
        bad = (answers < 0) | (answers > len(scale))
    if bad.any():
        row, time, column = np.argwhere(bad)[0]
        raise InputError(
            f"{source}, row {row + 1}{_time(answers, int(time))}, answer {column + 1}: the code is"
            f" {answers[row, time, column]}; expected {words}"
        )
    if kind == "rankings" and not tie_category:
        tied = has_ties(answers)
        if tied.any():
            row, time = np.argwhere(tied)[0]
            raise InputError(
                f"{source}, row {row + 1}{_time(answers, int(time))}: two of the items {named(items)} have the same"
                " rank, but tie_category is False; set it to True if equal ranks were allowed"
            )


def has_ties(ranks: IntArray) -> NDArray[np.bool_]:
    """bool[n, T]: whether dense ranks have ties."""
    return np.asarray((ranks > 0).sum(axis=-1) > ranks.max(axis=-1).clip(0))


def _time(answers: IntArray, time: int) -> str:
    return f", time {time + 1}" if answers.shape[1] > 1 else ""


def checked_weights(weights: ArrayLike | None, n_rows: int, source: str) -> FloatArray:
    """float[n_rows]: number of persons a row stands for, 1 unless stated; finite and >= 0, not all 0."""
    if weights is None:
        return frozen(np.ones(n_rows), float)
    found = np.asarray(weights)
    if found.shape != (n_rows,) or found.dtype.kind not in "biuf":
        raise InputError(
            f"{source}: weights have shape {found.shape} and type {found.dtype}; expected one number"
            f" per row, {n_rows}"
        )
    values: FloatArray = frozen(found, float)
    fine = (values == 0) | (values >= SMALLEST_COUNT) & (values < LARGEST_COUNT)
    expected = f"expected 0, or a number from {SMALLEST_COUNT:g} to below 2^53"
    refuse_rows(source, ~fine, lambda r: f"the weight is {values[r]}; {expected}")
    if not values.any():
        raise InputError(f"{source}: all weights are 0; at least one person is needed")
    return values


def checked_scale(scale: Sequence[float], kind: Kind, source: str) -> tuple[float, ...]:
    """The points of a rating scale, two or more, all different and finite; () for other answers."""
    if kind != "ratings":
        if len(scale):
            raise InputError(f"{source}: scale={quoted(list(scale))} is for ratings, but these are {kind}")
        return ()
    try:
        points = tuple(float(point) for point in scale)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{source}: scale={quoted(scale)}; expected the points of the scale as numbers"
        ) from error
    if len(points) < 2 or len(set(points)) < len(points) or not np.isfinite(points).all():
        raise InputError(
            f"{source}: the scale has the points {quoted(list(scale))}; expected two or more different numbers, the"
            " most preferred first"
        )
    return points


def checked_times(times: Sequence[str]) -> tuple[str, ...]:
    """Names of the times, all different; one without a name where answers were given once."""
    names = tuple(str(time) for time in times) or ("",)
    if len(set(names)) < len(names) or (len(names) > 1 and not all(names)):
        raise InputError(f"times are {quoted(list(names))}; expected different names, none of them empty")
    return names


def checked_columns(columns: Mapping[str, Column], n_rows: int, source: str) -> dict[str, Column]:
    """Read-only copies of the covariates, one value a row, under names that the table does not need itself."""
    check_covariate_names(list(columns), source)
    if taken := [name for name in columns if name in OWN_COLUMNS]:
        raise InputError(
            f"{source}: no covariate can have the name {' or '.join(map(repr, taken))}: weight, time and order"
            " have a special meaning in the table; rename the column, or drop it"
        )
    for name, column in columns.items():
        if len(column) != n_rows:
            raise InputError(f"{source}: column {name!r} has {len(column)} values for {n_rows} rows")
    return {name: checked_column(name, column, source) for name, column in columns.items()}
