"""Printed abilities checked without the outcomes: at a maximum the fitted win totals are whole numbers.

Bradley and Terry's likelihood equations say that each item's expected wins equal its observed wins, an
integer (with ties as half wins, or with Davidson's ties: wins + ties/2, a half-integer).  From printed
abilities and the number of games of every pair the expected totals follow as intervals, and each must hold
such a number.  With an order effect the wins of those named first must be one as well, and with Davidson's
ties the number of ties.

A GRIM test (Brown and Heathers 2017) for paired comparisons.  Rao and Kupper's model has no such totals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.outcomes import OutcomeModel, outcome_probabilities
from .arithmetic import Check
from .interval import Interval
from .printout import Printout

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Games:
    """A schedule: how often each pair met, without the outcomes.

    `first`, second int[n]: positions of the items.  n float[n]: comparisons, ties counted unless they were
    dropped.  home float[n]: 1 where the first has an advantage, 0 on neutral ground.
    """

    first: IntArray
    second: IntArray
    n: FloatArray
    home: FloatArray

    @staticmethod
    def each_pair(n_items: int, games: float) -> Games:
        """The same number for every pair."""
        i, j = np.triu_indices(n_items, 1)
        return Games(i, j, np.full(len(i), float(games)), np.zeros(len(i)))

    @staticmethod
    def stated(items: Sequence[str], rows: Sequence[Sequence[object]], games: float) -> Games | None:
        """As a page states them: (first, second, games) by name, or the same number for every pair; None if
        it does not.
        """
        if games:
            return Games.each_pair(len(items), games)
        if not rows:
            return None
        for a, b, n in rows:
            if a not in items or b not in items or a == b or not isinstance(n, (int, float)) or n < 0:
                raise InputError(
                    f"games: found [{a!r}, {b!r}, {n!r}]; expected two different items of"
                    f" {', '.join(items)} and a number"
                )
        place = {name: k for k, name in enumerate(items)}
        return Games(
            np.array([place[str(r[0])] for r in rows]),
            np.array([place[str(r[1])] for r in rows]),
            np.array([float(str(r[2])) for r in rows]),
            np.ones(len(rows)),
        )

    @staticmethod
    def of(data: Comparisons, ties: str) -> Games:
        """Of a table; its outcomes are not looked at, but for ties that are dropped."""
        n = data.wins + data.losses + (0.0 if ties == "drop" else data.ties)
        column = data.columns.get("order")
        home = (
            np.ones(data.n_rows)
            if column is None
            else np.asarray(
                column
                if isinstance(column, np.ndarray)
                else [float(v) for v in np.array(column.levels)[column.codes]]
            )
        )
        return Games(data.first, data.second, n, home)


@dataclass(frozen=True)
class Total:
    """An expected total of wins (or of ties), as an interval.

    `what`: an item, "ties", or "first" (wins of those named first).  step: 1 or 0.5: what it must be a
    multiple of.
    """

    what: str
    interval: Interval
    step: float

    @property
    def nearest(self) -> float:
        """The possible total nearest to the middle."""
        return round((self.interval.low + self.interval.high) / 2 / self.step) * self.step

    @property
    def says_something(self) -> bool:
        """Whether the interval is so narrow that some prints would fail."""
        return self.interval.high - self.interval.low < self.step

    @property
    def holds(self) -> bool:
        slack = 1e-9 * max(1.0, abs(self.interval.high))
        return math.floor((self.interval.high + slack) / self.step) * self.step >= self.interval.low - slack


def expected_totals(
    low: FloatArray,
    high: FloatArray,
    games: Games,
    *,
    tie: Interval | None = None,
    order: Interval | None = None,
    half_wins: bool = False,
    items: tuple[str, ...] = (),
) -> list[Total]:
    """Intervals of the expected totals.

    low, high float[n_items]: ends of the printed abilities, log-odds.  tie: davidson's tie parameter; without
    it there are no ties, or each is half a win.  order: order effect, log-odds.  half_wins: totals may be
    half-integers.
    """
    i, j, n = games.first, games.second, games.n
    delta = order or Interval(0.0, 0.0)
    least = low[i] - high[j] + games.home * delta.low
    most = high[i] - low[j] + games.home * delta.high
    points, ties = _points(least, tie), _ties(least, most, tie)
    points_high = _points(most, tie)
    step = 0.5 if half_wins or tie is not None else 1.0
    names = items or tuple(str(k + 1) for k in range(len(low)))
    totals = []
    for k, name in enumerate(names):
        at_least = float(n @ np.where(i == k, points[0], np.where(j == k, 1.0 - points_high[1], 0.0)))
        at_most = float(n @ np.where(i == k, points_high[1], np.where(j == k, 1.0 - points[0], 0.0)))
        totals.append(Total(name, Interval(at_least, at_most), step))
    if order is not None:
        at = n * games.home
        totals.append(Total("first", Interval(float(at @ points[0]), float(at @ points_high[1])), step))
    if tie is not None:
        totals.append(Total("ties", Interval(float(n @ ties[0]), float(n @ ties[1])), 1.0))
    return totals


def _points(u: FloatArray, tie: Interval | None) -> tuple[FloatArray, FloatArray]:
    """P(win) + P(tie) / 2 at log-odds u, least and most over the tie parameter; it rises with u."""

    def at(g: float) -> FloatArray:
        model: OutcomeModel = "binary" if tie is None else "davidson"
        p = outcome_probabilities(u, np.array(g), model)
        points: FloatArray = p[:, 0] + p[:, 1] / 2
        return points

    ends = [at(0.0)] if tie is None else [at(tie.low), at(tie.high)]
    return np.minimum(ends[0], ends[-1]), np.maximum(ends[0], ends[-1])


def _ties(least: FloatArray, most: FloatArray, tie: Interval | None) -> tuple[FloatArray, FloatArray]:
    """P(tie), least and most: it falls with |u| and rises with the tie parameter."""
    if tie is None:
        return np.zeros_like(least), np.zeros_like(least)
    near = np.where((least <= 0) & (most >= 0), 0.0, np.minimum(np.abs(least), np.abs(most)))
    far = np.maximum(np.abs(least), np.abs(most))
    return (
        outcome_probabilities(far, np.array(tie.low), "davidson")[:, 1],
        outcome_probabilities(near, np.array(tie.high), "davidson")[:, 1],
    )


def check_win_totals(printout: Printout, games: Games, observed: FloatArray | None = None) -> Check | None:
    """Check whether the printed abilities can be a maximum for any outcomes of these games.

    observed float[n_items]: the totals of the data at hand, to be named where the print has others.  Returns
    Check or None: none where the printed numbers do not determine the totals.
    """
    spec, estimates = printout.spec, printout.estimates()
    if estimates is None or spec.ties == "rao-kupper" or spec.comparison_terms:
        return None
    tie = order = None
    if spec.order_effect:
        order = printout.interval("estimate.order")
        if order is None or not games.home.any():
            return None  # without knowing who was named first there is nothing to hold it against
    if printout.tie_category and spec.ties in ("davidson", "none"):
        tie = printout.interval("estimate.tie") if spec.ties == "davidson" else Interval(0.0, 0.0)
        if tie is None:
            return None
    ends = [estimates[i].times(printout.unit) for i in printout.items]
    totals = expected_totals(
        np.array([e.low for e in ends]),
        np.array([e.high for e in ends]),
        games,
        tie=tie,
        order=order,
        half_wins=spec.ties == "half",
        items=printout.items,
    )
    if spec.ties == "none":
        totals = [t for t in totals if t.what != "ties"]  # held at 0, the tie parameter has no equation
    sharp = [t for t in totals if t.says_something]
    return _verdict(totals, sharp, observed, printout.items)


def _verdict(
    totals: list[Total], sharp: list[Total], observed: FloatArray | None, items: tuple[str, ...]
) -> Check:
    name = "win_totals"
    if not sharp:
        widest = max(t.interval.high - t.interval.low for t in totals)
        return Check(
            name,
            "not-checkable",
            f"with the digits printed a total is known to {widest:.2g} only: any would do",
            "win-totals",
        )
    bad = [t for t in sharp if not t.holds]
    if bad:
        words = "; ".join(f"{t.what} {t.interval}" for t in bad)
        kind = "a whole number" if bad[0].step == 1 else "a multiple of a half"
        return Check(
            name,
            "differs",
            f"at a maximum every expected total is {kind}; these are not: {words}",
            "win-totals",
        )
    words = ", ".join(
        f"{t.what} {t.nearest:g}" + ("" if t.says_something else " (or others)") for t in totals
    )
    text = f"the expected totals are whole within their rounding: {words}"
    if observed is not None:
        other = [
            f"{i} {o:g}"
            for i, o, t in zip(items, observed, totals)
            if not t.interval.low - 1e-6 <= o <= t.interval.high + 1e-6
        ]
        if other:
            text += f"; the data here have others: {', '.join(other)}"
    return Check(name, "agrees", text, "win-totals")
