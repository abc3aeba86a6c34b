"""The items' scores with their intervals, with and without an annotator model, side by side.

raw is the campaign's own score with its interval; location, precision and scale are the levels of
:mod:`pairproof.native.annotation.scores.annotator_model`, fitted to the scores that count, calibration items
included: everybody judges these, so they tell annotators apart.

The beta distributions of EASL and of random HITs count a score s as s successes and 1 - s failures, so their
intervals are far too wide: at a nominal 95 % they cover .999 to 1.  They are calibrated as soon as the spread
within items is known (:mod:`pairproof.native.annotation.methods`); the method's own stay
available by name.  The distributions of ra are not sums of scores, and are shown as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import NotEstimableError
from ...native.annotation import beta
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.coded_judgments import check_level
from ...native.annotation.methods import Method, ScoreState, calibration
from ...native.annotation.scores.annotator_model import AnnotatorModel, Level, annotator_model
from ..storage.records import about, counted_scores, items_of, state_of
from ..storage.store import Store
from .score_arrays import Answers, Campaign, answers_of, known, own_scores, reading

if TYPE_CHECKING:
    import pandas as pd


#: Which intervals are asked for; calibrated ones fall back to the method's own where they cannot be had.
Kind = Literal["calibrated", "beta"]
#: Methods whose distributions are sums of scores, and can be calibrated.
CALIBRATED: tuple[Method, ...] = ("easl", "random")
#: Scores beyond the first of each item from which on a spread is used: with 20 degrees of freedom its own
#: 95 % interval goes from .77 to 1.44 of it (chi-square).
FEWEST_REPEATED = 20

ASSUMED = (
    "they cover the mean of many more scores by these annotators, if scores of an item are independent;"
    " they do not include a shift that all scores of an item share"
)
_OWN = {
    "ra": "ra's distributions are not sums of scores, so they cannot be calibrated",
    "trueskill": "with the method's own variance",
    "da": "from the item's own scores; none below two scores, or where all are equal",
}


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals float[n_items] of the items' scores, and what they are.

    kind: which these are, whichever were asked for. k: throws of a coin that one score is worth,
    spread: standard deviation within an item; nan if not known. why: what they assume, or why they are
    not calibrated.
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
                f"{self.level:.0%} intervals are calibrated: a score counts as k = {self.k:.3g} coin"
                f" tosses (spread within items {self.spread:.4f}); {self.why}"
            )
        return f"{self.level:.0%} intervals are {_TITLES[self.kind]}: {self.why}"


_TITLES = {"beta": "the beta distribution's own, not calibrated", "normal": "normal", "t": "Student's t"}


@dataclass(frozen=True)
class Spread:
    """The spread of the scores of an item, and how many are beyond the first of each."""

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
    return spread_of(*counted_scores(store))


def intervals_of(
    state: ScoreState,
    spread: Spread,
    level: float = 0.95,
    kind: Kind = "calibrated",
    which: IntArray | None = None,
) -> Intervals:
    """Intervals of the scores of a campaign's items, or of those at the positions `which`; kind beta: EASL's own."""
    one_of("intervals", kind, get_args(Kind))
    check_level(level)
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
        return nan, "requested by name; they count a score as one coin toss and are far too wide"
    if spread.free < FEWEST_REPEATED:
        return nan, (
            f"{spread.free} scores beyond the first of each item, but {FEWEST_REPEATED} are needed to"
            " calibrate them; until then they are far too wide"
        )
    if spread.value == 0.0:
        return nan, "all scores of each item are equal, so there is no spread for calibration"
    judged = (state.a > 1.0) | (state.b > 1.0)
    score = state.score[judged]
    if not (score * (1.0 - score)).any():
        return nan, "all scores are at the ends of the scale, so they cannot be calibrated"
    return calibration(state.a, state.b, spread.value), ASSUMED


#: HITs of annotators up to which a HIT has an effect of its own in the annotator model: the equations have as
#: many unknowns, and 1,500 of them take some seconds.
MOST_SITTINGS = 1_500


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The scores of a campaign's items, arrays[n_items].

    raw, low, high: the campaign's own. score, score_low, score_high: by the model, not cut at the ends of
    the scale; nan without a score; the same with model raw. intervals, why: what the intervals and the
    model are, in sentences.
    """

    items: tuple[str, ...]
    n: IntArray
    raw: FloatArray
    low: FloatArray
    high: FloatArray
    intervals: str
    model: Level
    why: str
    score: FloatArray
    score_low: FloatArray
    score_high: FloatArray
    fit: AnnotatorModel | None
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl status --model`."""
        rows = _rows({"id": self.items, **self._columns})
        found: dict[str, Any] = {"model": self.model, "why": self.why, "level": self.level, "scores": rows}
        if self.fit is not None:
            own = vars(self.fit)
            per = {name: own[name] for name in ("location", "noise", "slope", "location_sd")}
            found["annotators"] = _rows({"annotator": self.fit.annotators, **per})
            found |= {name: known(own[name]) for name in ("item_sd", "annotator_sd", "hit_sd")}
        return found

    @property
    def _columns(self) -> dict[str, FloatArray | IntArray]:
        raw: dict[str, FloatArray | IntArray] = {"n": self.n, "raw": self.raw}
        raw |= {"raw_low": self.low, "raw_high": self.high}
        return {**raw, "score": self.score, "low": self.score_low, "high": self.score_high}

    def to_frame(self) -> pd.DataFrame:
        """A row an item: n, raw with its interval, and the model's score with its interval."""
        import pandas as pd

        return pd.DataFrame(self._columns, index=pd.Index(self.items, name="id"))


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Columns as the rows of a JSON document."""
    cells = zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()))
    return [{name: known(v) for name, v in zip(columns, row)} for row in cells]


def item_scores(
    campaign: Campaign, model: Level = "raw", *, level: float = 0.95, kind: Kind = "calibrated"
) -> ItemScores:
    """The scores of a campaign's items, with a model of the annotators or without.

    kind: intervals of the raw scores.
    """
    one_of("model", model, get_args(Level))
    with reading(campaign) as store:
        answers, items = answers_of(store), items_of(store)
        state, spread = state_of(store, about(store).method), stored_spread(store)
    own = intervals_of(state, spread, level, kind)
    at = items.scored
    ids = tuple(items.ids[k] for k in at.tolist())
    raw = (state.n[at], state.score[at], own.low[at], own.high[at])
    if model == "raw":
        why = "the campaign's own scores, not corrected for annotators"
        return ItemScores(ids, *raw, own.sentence, "raw", why, *raw[1:], None, level)
    fit, why = corrected(answers, model)
    score, low, high = (np.full(len(items.ids), np.nan) for _ in range(3))
    judged = np.array([int(name) for name in fit.items], np.int64)
    score[judged] = fit.score
    low[judged], high[judged] = fit.interval(level)
    return ItemScores(ids, *raw, own.sentence, model, why, score[at], low[at], high[at], fit, level)


#: What each level corrects for.
_CORRECTS: dict[Level, str] = {
    "raw": "",
    "location": "corrected for annotators who score higher or lower than others",
    "precision": "corrected for annotators' locations, with more weight for precise annotators",
    "scale": "corrected for annotators' locations and use of the scale, with more weight for precise annotators",
}


def corrected(answers: Answers, model: Level) -> tuple[AnnotatorModel, str]:
    """The annotator model of a level, and what it says of itself."""
    rows = own_scores(answers)
    nobody = int((rows & (answers.annotator < 0)).sum())
    if nobody:
        raise NotEstimableError(
            f"annotator model of level {model}: {nobody} scores have no annotator name, which the model needs for"
            " each score (raw scores do not)"
        )
    if not rows.any():
        raise NotEstimableError(f"annotator model of level {model}: there are no scores yet")
    names = np.array(answers.names, dtype=object)[answers.annotator[rows]]
    sitting, about_hits = _sittings(answers, rows, model)
    item = answers.item[rows].tolist()
    fit = annotator_model(item, names.tolist(), answers.value[rows], sitting, model)
    common = "intervals include the uncertainty of these annotators' level, which all items share"
    return fit, "; ".join((_CORRECTS[model], about_hits, common, *fit.cautions))


def _sittings(answers: Answers, rows: Any, model: Level) -> tuple[list[int] | None, str]:
    """The judgment as the label of a HIT within its annotator, where HITs can have effects; and a sentence."""
    judgment = answers.judgment[rows]
    found, n = np.unique(judgment, return_counts=True)
    if model == "scale":
        return None, "HITs have no effects at this level"
    if n.max() < 2:
        return None, "each HIT has one item, so HITs have no effects"
    if len(found) > MOST_SITTINGS:
        return None, f"{len(found)} HITs are too many for HIT effects ({MOST_SITTINGS} at most)"
    return judgment.tolist(), "each HIT has its own effect"
