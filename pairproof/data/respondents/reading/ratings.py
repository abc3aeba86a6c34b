"""Ratings: a row a person, a column an item, a cell a point of a scale."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from ....errors import InputError
from ....text import quoted
from ...options import one_of
from ...reading.cells import shown
from ..checked import checked_scale
from ..codes import UNRATED
from ..respondents import Respondents
from .assemble import Times, answer_columns, cells, opened, respondents

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
    """Read ratings: a row is a person, a column an item, a cell a point of the scale; blank is no rating.

    Every other column is a subject covariate; `weight` is the number of persons with the answer.

    scale: all points of the scale, used or not, or "1-5".  It belongs to the instrument: prefmod takes the
    range of the answers it meets, so that one more answer can change the model.  best: which end of the scale
    is the most preferred; prefmod takes the low one.  times: for repeated ratings: the number of blocks of J
    columns, time by time (as `tpoints` in prefmod), or the ends of the columns' names.  person: the column
    that says who answered, wherever it stands, where it is not called `person`.  levels, item_data, encoding:
    as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("best", best, ("low", "high"))
    table, options = opened(source, items, levels, None, item_data, encoding, person)
    points = sorted(checked_scale(_points(scale), "ratings", table.source), reverse=best == "high")
    names, when, blocks = answer_columns(table, options.items, answers, times)
    place = {point: k + 1 for k, point in enumerate(points)}
    found = np.zeros((table.n_rows, len(blocks), len(names)), np.int64)
    for t, columns in enumerate(blocks):
        for k, name in enumerate(columns):
            values = cells(table, name, "rating")
            codes = np.array([UNRATED if v != v else place.get(v, -1) for v in values.tolist()], np.int64)
            bad = codes < 0
            if bad.any():
                raise table.refuse(
                    bad,
                    name,
                    f"the rating is {shown(table, name, bad)}",
                    f"expected one of the {len(points)} points from {min(points):g} to {max(points):g} of scale=, or a blank"
                    " cell or NA for none",
                )
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
