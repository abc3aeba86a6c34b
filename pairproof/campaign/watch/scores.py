"""The items' scores with and without an annotator model, side by side.

raw is the campaign's own score with its interval; location, precision and scale are the levels of
:mod:`pairproof.native.annotation.models.annotator_model`, fitted to the scores that count, calibration items
included: everybody judges these, so they tell annotators apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ...data.options import one_of
from ...errors import NotEstimableError
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.models.annotator_model import AnnotatorModel, Level, annotator_model
from ..storage.answers import Answers, answers_of
from ..storage.items import items_of
from ..storage.records import about, state_of
from .intervals import Kind, intervals
from .own_answers import own_scores
from .reading import Campaign, reading

if TYPE_CHECKING:
    import pandas as pd

#: HITs of annotators up to which a HIT has an effect of its own in the annotator model: the equations have as
#: many unknowns, and 1,500 of them take some seconds.
MOST_SITTINGS = 1_500


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The scores of a campaign's items.

    items: ids of the items of role item.  n int[n_items]: scores that count.  raw, low, high float[n_items]:
    the campaign's own score and its interval.  intervals: which intervals these are, in a sentence.  why: why
    this model, or that it was asked for; what it corrects for.  score, score_low, score_high float[n_items]:
    by the model, the interval not cut at the ends of the scale; nan for an item without a score. With model
    raw the same as raw, low, high.  fit: none for raw.
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
        columns = (self.n, self.raw, self.low, self.high, self.score, self.score_low, self.score_high)
        names = ("n", "raw", "raw_low", "raw_high", "score", "low", "high")
        table = zip(self.items, *(column.tolist() for column in columns))
        rows = [{"id": name, **{k: _known(v) for k, v in zip(names, row)}} for name, *row in table]
        found: dict[str, Any] = {"model": self.model, "why": self.why, "level": self.level, "scores": rows}
        if self.fit is not None:
            f = self.fit
            per = zip(
                f.annotators, f.location.tolist(), f.noise.tolist(), f.slope.tolist(), f.location_sd.tolist()
            )
            keys = ("annotator", "location", "noise", "slope", "location_sd")
            found["annotators"] = [{k: _known(v) for k, v in zip(keys, row)} for row in per]
            found |= {"item_sd": _known(f.item_sd), "annotator_sd": _known(f.annotator_sd)}
            found["hit_sd"] = _known(f.hit_sd)
        return found

    def to_frame(self) -> pd.DataFrame:
        """A row an item: n, raw with its interval, and the model's score with its interval."""
        import pandas as pd

        columns = {"n": self.n, "raw": self.raw, "raw_low": self.low, "raw_high": self.high}
        columns |= {"score": self.score, "low": self.score_low, "high": self.score_high}
        return pd.DataFrame(columns, index=pd.Index(self.items, name="id"))


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def item_scores(
    campaign: Campaign, model: Level = "raw", *, level: float = 0.95, kind: Kind = "calibrated"
) -> ItemScores:
    """The scores of a campaign's items, with a model of the annotators or without.

    kind: intervals of the raw scores.
    """
    one_of("model", model, get_args(Level))
    with reading(campaign) as store:
        answers, items = answers_of(store), items_of(store)
        state = state_of(store, about(store).method)
    own = intervals(state, answers, level, kind)
    at = items.scored
    ids = tuple(items.ids[k] for k in at.tolist())
    raw = (state.n[at], state.score[at], own.low[at], own.high[at])
    if model == "raw":
        why = "the campaign's own scores, not corrected for who judged them"
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
    "precision": "corrected for annotators' locations, and precise annotators count more",
    "scale": "corrected for annotators' locations and use of the scale, and precise annotators count more",
}


def corrected(answers: Answers, model: Level) -> tuple[AnnotatorModel, str]:
    """The annotator model of a level, and what it says of itself."""
    rows = own_scores(answers)
    nobody = int((rows & (answers.annotator < 0)).sum())
    if nobody:
        raise NotEstimableError(
            f"annotator model of level {model}: {nobody} scores have no annotator's name; it needs one for each (raw"
            " scores do not)"
        )
    if not rows.any():
        raise NotEstimableError(f"annotator model of level {model}: there are no scores yet")
    names = np.array(answers.names, dtype=object)[answers.annotator[rows]]
    sitting, about_hits = _sittings(answers, rows, model)
    item = answers.item[rows].tolist()
    fit = annotator_model(item, names.tolist(), answers.value[rows], sitting, model)
    common = "intervals have the uncertainty of these annotators' level in them, which all items share"
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
        return None, f"{len(found)} HITs are too many for effects of their own ({MOST_SITTINGS} at most)"
    return judgment.tolist(), "each HIT has an effect of its own"
