"""Intervals of the items' scores: calibrated to the spread of the judgments, or the method's own.

The beta distributions of EASL and of random HITs count a score s as s successes and 1 - s failures, so their
intervals are far too wide: at a nominal 95 % they cover .999 to 1. They are calibrated as soon as the spread
within items is known (:mod:`pairproof.native.annotation.calibrated_intervals`); the method's own stay
available by name. The distributions of ra are not sums of scores, and are shown as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import InputError
from ...native.annotation import beta
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.calibrated_intervals import calibration
from ...native.annotation.methods import Method, ScoreState
from ..storage.store import Store

#: Which intervals are asked for; calibrated ones fall back to the method's own where they cannot be had.
Kind = Literal["calibrated", "beta"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Methods whose distributions are sums of scores, and can be calibrated.
CALIBRATED: tuple[Method, ...] = ("easl", "random")
#: Judgments beyond the first of each item from which on a spread is used: with 20 degrees of freedom its own
#: 95 % interval goes from .77 to 1.44 of it (chi-square).
FEWEST_REPEATED = 20

ASSUMED = (
    "they hold for the mean of many more judgments by these annotators, if judgments of an item are independent;"
    " a shift that all judgments of an item share is not in them"
)
_OWN = {
    "ra": "ra's distributions are not sums of scores, so they cannot be calibrated",
    "trueskill": "normal, by the method's own variance",
    "da": "Student's t from the item's own scores; none below two scores",
}


class Scored(Protocol):
    """What intervals need of :class:`pairproof.campaign.storage.answers.Answers`."""

    @property
    def item(self) -> IntArray:
        """int[n]: position of the item of each score."""

    @property
    def value(self) -> FloatArray:
        """float[n]"""

    @property
    def scores(self) -> NDArray[np.bool_]:
        """bool[n]: rows that count."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of the items' scores, and what they are.

    low, high float[n_items].  kind: which intervals these are, whichever were asked for.  k: throws of a coin
    that one judgment is worth; nan unless calibrated.  spread: standard deviation of the judgments of an
    item; nan where it is not known.  why: what they assume, or why they are not calibrated.
    """

    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    k: float
    spread: float
    why: str

    @property
    def sentence(self) -> str:
        """Which intervals these are, for people."""
        if self.kind == "calibrated":
            return (
                f"{self.level:.0%} intervals are calibrated: a judgment counts for k = {self.k:.3g} throws of a coin"
                f" (spread within items {self.spread:.4f}); {self.why}"
            )
        return f"{self.level:.0%} intervals are {_TITLES[self.kind]}: {self.why}"


_TITLES = {"beta": "the beta distribution's own, not calibrated", "normal": "normal", "t": "Student's t"}


@dataclass(frozen=True)
class Spread:
    """The spread of the judgments of an item.

    value: nan where it cannot be had.  free: judgments beyond the first of each item.
    """

    value: float
    free: int


def spread_of(item: IntArray, value: FloatArray) -> Spread:
    """Pooled standard deviation within items, of scores without nan; to the last bit the same in any order."""
    order = np.lexsort((value, item))
    item, value = item[order], value[order]
    count = np.bincount(item)
    free = len(value) - int((count > 0).sum())
    if free == 0:
        return Spread(float("nan"), 0)
    mean = np.bincount(item, value) / np.maximum(count, 1)
    return Spread(float(np.sqrt(np.sum((value - mean[item]) ** 2) / free)), free)


def stored_spread(store: Store) -> Spread:
    """The spread within the items of an open campaign, from the counted scores of items alone."""
    rows = store.db.execute(
        "SELECT s.item, s.value FROM judgment j JOIN score s ON s.judgment = j.number WHERE j.counted AND"
        " s.kind = 'item' AND s.value IS NOT NULL"
    ).fetchall()
    if not rows:
        return Spread(float("nan"), 0)
    table = np.array(rows, np.float64)
    return spread_of(table[:, 0].astype(np.int64), table[:, 1])


def intervals(
    state: ScoreState, answers: Scored, level: float = 0.95, kind: Kind = "calibrated"
) -> Intervals:
    """Intervals of the scores of a campaign's items.

    answers: every score of the campaign.  kind: beta: EASL's own, without correction.
    """
    rows = answers.scores
    return intervals_of(state, spread_of(answers.item[rows], answers.value[rows]), level, kind)


def intervals_of(
    state: ScoreState,
    spread: Spread,
    level: float = 0.95,
    kind: Kind = "calibrated",
    which: IntArray | None = None,
) -> Intervals:
    """The same from a spread that is known already, for the items at the positions `which` only."""
    one_of("intervals", kind, KINDS)
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    k, why = _factor(state, spread, kind)
    part = state
    if which is not None:
        part = ScoreState(state.method, state.a[which], state.b[which], state.n[which])
    if not np.isnan(k):
        low, high = beta.interval(1.0 + k * (part.a - 1.0), 1.0 + k * (part.b - 1.0), level)
        return Intervals(low, high, level, "calibrated", k, spread.value, why)
    name = {"da": "t", "trueskill": "normal"}.get(state.method, "beta")
    return Intervals(*part.interval(level), level, name, k, spread.value, why)


def _factor(state: ScoreState, spread: Spread, kind: Kind) -> tuple[float, str]:
    """The factor k, nan where intervals are the method's own; and what they assume, or why."""
    nan = float("nan")
    if state.method not in CALIBRATED:
        return nan, _OWN[state.method]
    if kind == "beta":
        return nan, "asked for by name; they count a score as one throw of a coin and are far too wide"
    if spread.free < FEWEST_REPEATED:
        return nan, (
            f"{spread.free} judgments beyond the first of each item; {FEWEST_REPEATED} are needed for the spread"
            " that calibrates them; until then they are far too wide"
        )
    if spread.value == 0.0:
        return nan, "all judgments of an item are the same, so there is no spread to calibrate them with"
    judged = (state.a > 1.0) | (state.b > 1.0)
    score = state.score[judged]
    if not (score * (1.0 - score)).any():
        return nan, "all scores are at the ends of the scale, so they cannot be calibrated"
    return calibration(state.a, state.b, spread.value), ASSUMED
