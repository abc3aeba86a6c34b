"""The checks that whole answers pass before they become :class:`pairproof.data.respondents.Respondents`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ...text import named, quoted
from ..checks import LARGEST_COUNT, SMALLEST_COUNT, check_covariate_names, checked_column, first_row, frozen
from ..columns import Column, FloatArray, IntArray
from .codes import ABSENT, FIRST, KINDS, MISSING, SECOND, TIED, Kind

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
        raise InputError(f"{source}: answers are of type {found.dtype}; expected the whole numbers of codes")
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
                " rank, but tie_category is False; set it to True if equal ranks could be given"
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
            f"{source}: weights have shape {found.shape} and type {found.dtype}; expected one number a row,"
            f" {n_rows}"
        )
    values: FloatArray = frozen(found, float)
    small = (values > 0) & (values < SMALLEST_COUNT)
    bad = ~(np.isfinite(values) & (values >= 0) & (values < LARGEST_COUNT)) | small
    if bad.any():
        r = first_row(bad)
        raise InputError(
            f"{source}, row {r + 1}: the weight is {values[r]}; expected 0, or a number from {SMALLEST_COUNT:g} to"
            " below 2^53"
        )
    if not values.any():
        raise InputError(f"{source}: all weights are 0; at least one person is needed")
    return values


def checked_scale(scale: Sequence[float], kind: Kind, source: str) -> tuple[float, ...]:
    """The points of a rating scale, two or more, all different and finite; () for other answers."""
    if kind != "ratings":
        if len(scale):
            raise InputError(f"{source}: scale={quoted(list(scale))} is for ratings; these are {kind}")
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
            f"{source}: no covariate can have the name {' or '.join(map(repr, taken))}: weight, time and order have a"
            " meaning of their own in the table; rename the column, or leave it out"
        )
    for name, column in columns.items():
        if len(column) != n_rows:
            raise InputError(f"{source}: column {name!r} has {len(column)} values for {n_rows} rows")
    return {name: checked_column(name, column, source) for name, column in columns.items()}
