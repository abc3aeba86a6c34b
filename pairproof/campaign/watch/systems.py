"""The systems of a campaign compared: means with intervals, and all differences.

Only scores of role item count; degraded, gold and calibration items are in no mean. Where items have sources, the
means are those of :mod:`pairproof.native.annotation.models.systems_model`: paired by source, with annotators who may
like systems differently, intervals and p-values by Student's t, p-values corrected for all differences (the
largest of all t, or Holm where that is too large). Where the model cannot be had a sentence says why, and the
plain means of segments stand alone (:mod:`pairproof.native.annotation.models.system_scores`), as WMT ranks systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError, NotEstimableError, TooLargeError
from ...native.annotation.beta import FloatArray
from ...native.annotation.coded_judgments import check_level
from ...native.annotation.scores import systems_model as models
from ...native.annotation.scores.annotator_agreement import standardised
from ...native.annotation.scores.systems_model import SystemScores, SystemsModel
from ..storage.records import Items, about, items_of
from .scores import ATTENTION, Answers, Campaign, answers_of, reading

if TYPE_CHECKING:
    import pandas as pd


#: How scores are brought to one scale before systems are compared.
Standardise = Literal["none", "z-scores"]


@dataclass(frozen=True)
class Difference:
    """The difference first - second of two systems; interval and p alone, `adjusted` over all differences."""

    first: str
    second: str
    estimate: float
    se: float
    low: float
    high: float
    p: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class Systems:
    """The systems of a campaign.

    plain: means of the segments' scores with clusters, best first. model: means that respect sources and
    annotators; None: `why`. differences: of the model, the largest first. left_out: scores of items that
    have no system.
    """

    plain: SystemScores
    model: SystemsModel | None
    differences: tuple[Difference, ...]
    adjust: str
    why: str
    standardise: Standardise
    level: float
    left_out: int

    @property
    def order(self) -> list[int]:
        """Systems of the model, best first."""
        if self.model is None:
            return []
        return list(np.argsort(-self.model.mean, kind="stable").tolist())

    def to_dict(self) -> dict[str, Any]:
        """`systems` (plain means and clusters) and `systems_model` of the JSON."""
        s = self.plain
        columns = (s.score.tolist(), s.low.tolist(), s.high.tolist(), s.n.tolist(), s.cluster.tolist())
        names = ("system", "score", "low", "high", "n", "cluster")
        found: dict[str, Any] = {"systems": [dict(zip(names, row)) for row in zip(s.systems, *columns)]}
        m = self.model
        if m is None:
            return {**found, "systems_model": {"why": self.why}}
        named = ("mean", "se", "low", "high")
        means = [
            {"system": m.systems[k], **{name: float(vars(m)[name][k]) for name in named}} for k in self.order
        ]
        asked = {"why": "", "level": self.level, "standardise": self.standardise}
        size = {"df": m.df, "sources": m.n_sources, "annotators": m.n_annotators, "means": means}
        apart = {"adjust": self.adjust, "differences": [vars(d) for d in self.differences]}
        more = {"variances": m.variances, "cautions": list(m.cautions)}
        return {**found, "systems_model": {**asked, **size, **apart, **more}}

    def to_frame(self) -> pd.DataFrame:
        """A row a system, best first: mean, se, low, high of the model where there is one, else score, low, high."""
        import pandas as pd

        m, s = self.model, self.plain
        if m is None:
            columns = {"score": s.score, "low": s.low, "high": s.high, "n": s.n, "cluster": s.cluster}
            return pd.DataFrame(columns, index=pd.Index(s.systems, name="system"))
        k = self.order
        columns = {"mean": m.mean[k], "se": m.se[k], "low": m.low[k], "high": m.high[k]}
        return pd.DataFrame(columns, index=pd.Index([m.systems[i] for i in k], name="system"))


def systems(
    campaign: Campaign, column: str | None = None, *, standardise: Standardise = "none", level: float = 0.95
) -> Systems:
    """Compare the systems of a campaign.

    column: column of the items file that names each item's system; by default the one that the campaign was
    made with.  standardise: z-scores: by annotator over all scores that count, checks included, as Graham et
    al. (2013).
    """
    one_of("standardise", standardise, get_args(Standardise))
    check_level(level)
    with reading(campaign) as store:
        items, columns, path = items_of(store), about(store).columns, str(store.path)
        answers = answers_of(store)
    return compared(answers, items, system_names(items, columns, column, path), standardise, level)


def system_names(items: Items, columns: tuple[str, ...], column: str | None, path: str) -> tuple[str, ...]:
    """The system of each item, by position."""
    if column:
        if column not in columns:
            there = ", ".join(map(repr, columns)) or "only id"
            raise InputError(f"{path}: items have no column {column!r}; found {there}")
        k = columns.index(column)
        return tuple(cells[k] for cells in items.fields)
    if not any(items.system):
        raise InputError(
            f"{path}: items have no systems; name the column of systems (--systems COLUMN), one of"
            f" {', '.join(map(repr, columns)) or 'none'}"
        )
    return items.system


def compared(
    answers: Answers, items: Items, names: tuple[str, ...], standardise: Standardise, level: float
) -> Systems:
    """The same from answers and items that were read before."""
    value = on_one_scale(answers, standardise)
    system = np.array(names, dtype=object)[answers.item]
    rows = answers.scores & (system != "")
    left_out = int((answers.scores & (system == "")).sum())
    if not rows.any():
        raise InputError("this campaign has no judgments yet; annotators and systems cannot be compared")
    item, score = answers.item[rows], value[rows]
    seen, at = np.unique(item, return_inverse=True)
    means = np.bincount(at.ravel(), score) / np.bincount(at.ravel())
    plain = models.system_scores([names[int(k)] for k in seen], means, level)
    try:
        model = _model(answers, items, rows, system, score, level)
    except (NotEstimableError, TooLargeError) as error:
        why = f"no means from the mixed model: {error}"
        return Systems(plain, None, (), "", why, standardise, level, left_out)
    differences, adjust = _differences(model)
    return Systems(plain, model, differences, adjust, "", standardise, level, left_out)


def on_one_scale(answers: Answers, standardise: Standardise) -> FloatArray:
    """float[n]: values, or z-scores by annotator over all that count but attention checks."""
    if standardise == "none":
        return answers.value
    rows = answers.counted & ~np.isnan(answers.value) & (answers.kind != ATTENTION)
    nobody = int((answers.annotator[rows] < 0).sum())
    if nobody:
        raise InputError(f"{nobody} scores have no WorkerId, so they cannot be standardised by annotator")
    found = np.full(len(answers), np.nan)
    found[rows] = standardised(answers.annotator[rows], answers.value[rows], answers.names)
    return found


def _model(
    answers: Answers, items: Items, rows: Any, system: Any, score: FloatArray, level: float
) -> SystemsModel:
    source = np.array(items.source, dtype=object)[answers.item[rows]]
    lacking = int((source == "").sum())
    if lacking:
        raise NotEstimableError(
            f"{lacking} of {len(score)} scores belong to items without a source, so systems cannot be paired by source"
        )
    nobody = int((answers.annotator[rows] < 0).sum())
    if nobody:
        raise NotEstimableError(f"{nobody} of {len(score)} scores have no annotator name")
    who = np.array(answers.names, dtype=object)[answers.annotator[rows]]
    return models.systems_model(system[rows].tolist(), source.tolist(), who.tolist(), score, level=level)


def _differences(model: SystemsModel) -> tuple[tuple[Difference, ...], str]:
    """All differences, the better first, the largest first; p-values by the largest of all t, else Holm's."""
    adjusted, adjust = _largest_t(model)
    found = []
    for k, c in enumerate(model.contrasts):
        p = c.p_holm if adjusted is None else float(adjusted[k])
        if c.estimate >= 0:
            found.append(Difference(c.first, c.second, c.estimate, c.se, c.low, c.high, c.p, p))
        else:
            found.append(Difference(c.second, c.first, -c.estimate, c.se, -c.high, -c.low, c.p, p))
    return tuple(sorted(found, key=lambda d: -d.estimate)), adjust


def _largest_t(model: SystemsModel) -> tuple[FloatArray | None, str]:
    """p-values of all differences by the distribution of the largest |t|; None where it cannot be had."""
    if len(model.systems) < 3:
        return None, "one difference, no correction"
    try:
        # All differences share the variances of one mixed model: a multivariate t.
        found = models.contrasts_together(model, df="common")
    except TooLargeError:
        return None, "Holm"
    # Both go through the pairs of systems in the same order.
    return found.adjusted, "largest of all t (single-step)"
