"""`history`: the board at each of a few dates, by all votes up to it or by those of its own period.

Estimates, scale and limits are those of :func:`pairproof.leaderboard`; by clusters with the correction CR1, whose degrees
of freedom cost nothing, where the board itself has CR2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..data.columns import Factor, FloatArray
from ..data.comparisons import Comparisons
from ..data.options import one_of
from ..errors import InputError
from ..text import listed, quoted

Every = Literal["day", "week", "month", "quarter", "year"]
Days = NDArray[np.datetime64]
#: Dates at most: of more periods so many are taken, evenly, the last among them.
MOST_DATES = 30
_DAY, _FIRST_MONDAY = "datetime64[D]", 4  # 1970-01-05
#: A number is seconds since 1970, or thousandths of them.
_SECONDS, _THOUSANDTHS = (1e8, 1e11), (1e11, 1e14)


@dataclass(frozen=True, eq=False)
class History:
    """dates: the last day of each period, as text.  rating, low, high: float[n_dates, n_models]; nan where a model has none."""

    dates: tuple[str, ...]
    models: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray

    def to_frame(self) -> pd.DataFrame:
        """Date, model, rating, low, high; a row for each rating.

        Returns
        -------
        DataFrame
        """
        n, k = len(self.dates), len(self.models)
        frame = {"date": np.repeat(self.dates, k), "model": np.tile(np.array(self.models, object), n)}
        frame |= {name: getattr(self, name).ravel() for name in ("rating", "low", "high")}
        return pd.DataFrame(frame).dropna(subset=["rating"]).reset_index(drop=True)


def history(
    votes: Comparisons,
    date: str,
    every: Every = "month",
    *,
    cumulative: bool = True,
    ties: str = "half",
    cluster: str | Sequence[str] | None = None,
    anchor: str | None = None,
    at: float = 1000.0,
    expected: Literal["ability", "score"] = "ability",
    level: float = 0.95,
) -> History:
    """Ratings at the end of each day, week, month, quarter or year, at most 30 of them.

    Parameters
    ----------
    votes : Comparisons
    date : str
        A column: 2025-03-01 and the like, with or without a time, or seconds since 1970.
    every : {"day", "week", "month", "quarter", "year"}
    cumulative : bool
        By all votes up to each date; else by those of each period alone.
    ties, cluster, anchor, at, expected, level
        As in :func:`pairproof.leaderboard`; clusters by one or two columns.  Dates before the anchor's first vote are left
        out.  Without an anchor the mean of the models that are there is `at`, so that a new one moves all others.

    Returns
    -------
    History

    Raises
    ------
    InputError
        No such column, or rows without a date.
    """
    from .. import fit_bradley_terry

    one_of("every", every, ("day", "week", "month", "quarter", "year"))
    days = days_of(votes, date)
    begins, ends = _periods(days, every)
    columns = (cluster,) if isinstance(cluster, str) else tuple(cluster or ())
    place = {name: k for k, name in enumerate(votes.items)}
    found: dict[str, FloatArray] = {}
    for begin, end in zip(begins, ends):
        rows = np.flatnonzero((days <= end) & (cumulative | (days >= begin)))
        part = votes.select(rows).only_compared()
        if anchor is not None and anchor in place and anchor not in part.items:
            continue
        asked: Any = {"ties": ties if part.tie_category else None, "reference": "sum"}
        fit = fit_bradley_terry(part, **asked)
        by: Any = {"kind": "CR1", "missing": "own"} if columns else {}
        ratings = fit.clustered(*columns, **by).on_scale("elo", anchor=anchor, at=at, expected=expected)
        limits = ratings.conf_int(level=level).to_numpy()
        of = np.full((3, len(votes.items)), np.nan)
        of[:, [place[name] for name in ratings.items]] = ratings.rating, limits[:, 0], limits[:, 1]
        found[str(end)] = np.where(np.isfinite(of), of, np.nan)
    three = np.stack(list(found.values()), axis=1)
    return History(tuple(found), votes.items, *three)


def days_of(votes: Comparisons, date: str) -> Days:
    """datetime64[D] of each row."""
    name = votes.role_of(date)
    if name not in votes.columns:
        raise InputError(
            f"{votes.source} has no column {date!r} with dates; found {listed(votes.columns) or 'none'}"
        )
    column = votes.columns[name]
    if isinstance(column, Factor):
        row = dict(zip(*np.unique(column.codes, return_index=True)))
        of = (f"{votes.source}, row {row.get(k, 0) + 1}, column {name!r}" for k in range(len(column.levels)))
        levels = np.array([*map(_day, column.levels, of), "NaT"], _DAY)
        days = levels[column.codes]
    else:
        days = _numbered(column, votes.source, name)
    missing = int(np.isnat(days).sum())
    if missing:
        raise InputError(
            f"{votes.source}, column {name!r}: {missing:,} of {votes.n_rows:,} rows have no date; leave them out"
            f" first, with --where '{name}!='"
        )
    return days


def _day(text: str, where: str) -> str:
    plain = text.strip().replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(plain).date().isoformat()
    except ValueError:
        pass
    try:  # 2025-03: its first day; fractions of a second that Python 3.10 does not read
        return str(np.datetime64(plain.partition("+")[0]).astype(_DAY))
    except ValueError as error:
        raise InputError(
            f"{where}: {quoted(text)} is not a date; expected 2025-03-01, 2025-03-01T12:30:00, or seconds"
            " since 1970"
        ) from error


def _numbered(column: FloatArray, source: str, name: str) -> Days:
    known = column[~np.isnan(column)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    filled = np.nan_to_num(column)
    for (least, most), per_second in ((_SECONDS, 1.0), (_THOUSANDTHS, 1000.0)):
        if least <= low and high < most:
            out = (filled / per_second).astype("datetime64[s]").astype(_DAY)
            return np.where(np.isnan(column), np.datetime64("NaT", "D"), out)
    raise InputError(
        f"{source}, column {name!r}: {low:.15g} to {high:.15g} are not dates; expected seconds since 1970, such as"
        " 1714560000, or text such as 2024-05-01"
    )


def _periods(days: Days, every: Every) -> tuple[Days, Days]:
    """First and last day of each period with votes; at most `MOST_DATES`, evenly, the last among them."""
    number = days.astype(np.int64)
    months = days.astype("datetime64[M]").astype(np.int64)
    by_days = every in ("day", "week")
    size = {"day": 1, "week": 7, "month": 1, "quarter": 3, "year": 12}[every]
    shift, unit = _FIRST_MONDAY if every == "week" else 0, "D" if by_days else "M"
    periods = np.unique(((number if by_days else months) - shift) // size)
    if len(periods) > MOST_DATES:
        periods = periods[np.unique(np.linspace(0, len(periods) - 1, MOST_DATES).round().astype(int))]

    def begin(period: NDArray[np.int64]) -> Days:
        return (period * size + shift).astype(f"datetime64[{unit}]").astype(_DAY)

    ends = np.minimum(begin(periods + 1) - np.timedelta64(1, "D"), days.max())
    return begin(periods), ends
