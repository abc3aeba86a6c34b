"""pairproof's numbers of the three data sets, by name: what R and the 50-digit values are compared with; and
the printed numbers of annotator models, recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....errors import InputError
from ....native.annotation.scores.annotator_agreement import agreement, icc_one_way, icc_two_way, standardised
from ....native.annotation.scores.annotator_model import scale_model
from ....native.annotation.scores.annotator_quality import degraded_test, drift, within_spread
from ....native.annotation.scores.mixed_equations import Likelihood
from ....native.annotation.scores.mixed_model import MixedFit, mixed_model
from ....native.annotation.scores.systems_model import SystemsModel, systems_model
from ....numerics.arrays import FloatArray, IntArray
from ...statements.registers import Computed, Request, computation

if TYPE_CHECKING:
    import pandas as pd


Numbers = dict[str, float]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of a data set, of one kind.  y float[n]."""

    table: pd.DataFrame
    y: FloatArray

    @staticmethod
    def of(table: pd.DataFrame, kind: str = "item") -> Scores:
        """Those of a kind; a table without the column has one kind."""
        kept = table[table["kind"] == kind] if "kind" in table.columns else table
        kept = kept.reset_index(drop=True)
        return Scores(kept, kept["score"].astype(float).to_numpy() / 100.0)

    def labels(self, column: str) -> list[str]:
        """Labels of each score; of several columns joined by ":"."""
        columns = [self.table[name].astype(str).tolist() for name in column.split(":")]
        return [":".join(parts) for parts in zip(*columns)]

    def names(self, column: str) -> list[str]:
        return sorted(set(self.labels(column)))

    def codes(self, column: str) -> IntArray:
        return np.asarray(np.unique(self.labels(column), return_inverse=True)[1].ravel().astype(np.int64))

    def dummies(self, column: str) -> FloatArray:
        return np.asarray((self.codes(column)[:, None] == np.arange(len(self.names(column)))).astype(float))

    def trend(self) -> FloatArray:
        """float[n, 2 annotators]: own constant, own place in the sequence less its mean."""
        own, place = self.dummies("annotator"), self.table["sequence"].astype(float).to_numpy()
        centred = place - ((own.T @ place) / own.sum(axis=0))[self.codes("annotator")]
        return np.column_stack([own, own * centred[:, None]])


def by_name(what: str, names: Sequence[str], values: FloatArray) -> Numbers:
    """what.NAME of each."""
    return {f"{what}.{name}": value for name, value in zip(names, values.tolist())}


def of_mixed(
    scores: Scores, effects: Sequence[str], fit: MixedFit, fixed: Sequence[str], predictions: bool
) -> Numbers:
    """estimate.F, se.F, score.variance.E, llf; with predictions score.E.LEVEL and se.E.LEVEL."""
    out: Numbers = {"llf": fit.loglik}
    for k, name in enumerate(fixed):
        out[f"estimate.{name}"] = float(fit.coefficients[k])
        out[f"se.{name}"] = float(np.sqrt(fit.covariance[k, k]))
    for effect, variance in zip(effects, fit.variances):
        out[f"score.variance.{effect}"] = float(variance)
    if len(fit.residual) == 1:
        out["score.variance.residual"] = float(fit.residual[0])
    else:
        out.update(by_name("score.noise", scores.names("annotator"), np.sqrt(fit.residual)))
    if predictions:
        for effect, value, sd in zip(effects, fit.predictions, fit.conditional_sd):
            for level, v, s in zip(scores.names(effect), value.tolist(), sd.tolist()):
                out[f"score.{effect}.{level}"], out[f"se.{effect}.{level}"] = v, s
    return out


def location(scores: Scores, likelihood: Likelihood = "REML", hit: bool = False) -> Numbers:
    """Items and annotators crossed, one residual variance."""
    effects = LOCATION_WITH_HIT if hit else LOCATION
    fit = mixed_model(scores.y, [scores.codes(e) for e in effects], likelihood=likelihood)
    return of_mixed(scores, effects, fit, ["mean"], True)


LOCATION = ("item", "annotator")
LOCATION_WITH_HIT = (*LOCATION, "annotator:hit")


def precision(scores: Scores) -> Numbers:
    """A residual variance for each annotator, without a prior, as nlme has it."""
    who = scores.codes("annotator")
    fit = mixed_model(scores.y, [scores.codes("item"), who], group=who)
    return of_mixed(scores, LOCATION, fit, ["mean"], True)


def scale(scores: Scores) -> Numbers:
    """One factor: estimate.A (location), score.loading.A, score.noise.A, score.slope.A, score.correlation.A."""
    fit = scale_model(scores.codes("item"), scores.codes("annotator"), scores.y)
    out: Numbers = {"llf": fit.loglik}
    for k, name in enumerate(scores.names("annotator")):
        out[f"estimate.{name}"] = float(fit.location[k])
        for what in ("loading", "noise", "slope", "correlation"):
            out[f"score.{what}.{name}"] = float(getattr(fit, what)[k])
    return out


def systems_fit(scores: Scores, way: str) -> SystemsModel:
    """The model of systems: "with", "without" annotator:system, or "ols"."""
    columns = (scores.labels("system"), scores.labels("source"), scores.labels("annotator"))
    if way == "ols":
        return systems_model(*columns, scores.y, way="ols")
    return systems_model(*columns, scores.y, annotator_by_system=way == "with")


def systems(scores: Scores, way: str) -> Numbers:
    """estimate.S, se.S, of contrasts estimate.S-T, se.S-T, test_p.S-T, test_p.holm.S-T; variances, llf."""
    found = systems_fit(scores, way)
    out: Numbers = {} if way == "ols" else {"llf": found.loglik}
    out.update({f"score.variance.{name}": v for name, v in found.variances.items()})
    for k, name in enumerate(found.systems):
        out[f"estimate.{name}"], out[f"se.{name}"] = float(found.mean[k]), float(found.se[k])
    for c in found.contrasts:
        name = f"{c.first}-{c.second}"
        out[f"estimate.{name}"], out[f"se.{name}"] = c.estimate, c.se
        out[f"test_p.{name}"], out[f"test_p.holm.{name}"] = c.p, c.p_holm
    return out


def drifts(scores: Scores) -> Numbers:
    """estimate.A and se.A: slopes over each annotator's sequence."""
    place = scores.table["sequence"].astype(float).to_numpy()
    found = drift(scores.labels("item"), scores.labels("annotator"), place, scores.y)
    out: Numbers = {}
    for name, slope, se in zip(found.annotators, found.slope.tolist(), found.se.tolist()):
        out[f"estimate.{name}"], out[f"se.{name}"] = slope, se
    return out


def agreements(scores: Scores) -> Numbers:
    """score.alpha, score.pairwise, score.rest.A, score.icc-one-way, score.icc-two-way, score.z.S (mean z of a system)."""
    who, what = scores.codes("annotator"), scores.codes("item")
    # In points, as R has them, whose ranks tell apart what differs in the last bit.
    found = agreement(who, what, np.round(100 * scores.y))
    out: Numbers = {"score.alpha": found.alpha, "score.pairwise": found.pairwise}
    out.update(by_name("score.rest", scores.names("annotator"), found.rest))
    out["score.icc-one-way"] = icc_one_way(scores.labels("item"), scores.y).value
    out["score.icc-two-way"] = icc_two_way(scores.labels("item"), scores.labels("annotator"), scores.y).value
    if "system" in scores.table.columns and scores.labels("system")[0]:
        out.update(z_means(scores, standardised(who, scores.y)))
    return out


def z_means(scores: Scores, z: FloatArray) -> Numbers:
    """score.z.S: mean standardised score of each system."""
    of = scores.codes("system")
    mean = np.bincount(of, z) / np.bincount(of)
    return by_name("score.z", scores.names("system"), mean)


def with_originals(table: pd.DataFrame, kind: str) -> tuple[list[str], FloatArray, FloatArray]:
    """Annotator, own score of the original and this score, in points, of repeats or degraded items."""
    items, these = Scores.of(table), Scores.of(table, kind)
    own = dict(zip(zip(items.labels("annotator"), items.labels("item")), items.table["score"].astype(float)))
    who = these.labels("annotator")
    first = np.array([own[a, i] for a, i in zip(who, these.table["of"].astype(str))])
    return who, first, these.table["score"].astype(float).to_numpy()


def repeats(table: pd.DataFrame) -> Numbers:
    """score.sd.A with limit_low.within.A and limit_high.within.A, in points."""
    out: Numbers = {}
    for name, (first, again) in _by_annotator(table, "repeat").items():
        found = within_spread(first, again)
        out[f"score.sd.{name}"] = found.sd
        out[f"limit_low.within.{name}"], out[f"limit_high.within.{name}"] = found.low, found.high
    return out


def degraded(table: pd.DataFrame) -> Numbers:
    """test_p.A: one-sided signed rank tests of degraded items."""
    found = _by_annotator(table, "degraded").items()
    return {f"test_p.{name}": degraded_test(*pair).p for name, pair in found}


def _by_annotator(table: pd.DataFrame, kind: str) -> dict[str, tuple[FloatArray, FloatArray]]:
    who, first, second = with_originals(table, kind)
    annotator = np.array(who)
    return {name: (first[annotator == name], second[annotator == name]) for name in sorted(set(who))}


#: What a claim can ask for: model -> numbers of a table.
NUMBERS: dict[str, Callable[["pd.DataFrame"], Numbers]] = {
    "location": lambda table: location(Scores.of(table)),
    "location-ml": lambda table: location(Scores.of(table), "ML"),
    "location-with-hit": lambda table: location(Scores.of(table), hit=True),
    "precision": lambda table: precision(Scores.of(table)),
    "scale": lambda table: scale(Scores.of(table)),
    "scale-complete": lambda table: scale(Scores.of(table, "complete")),
    "systems-with": lambda table: systems(Scores.of(table), "with"),
    "systems-without": lambda table: systems(Scores.of(table), "without"),
    "systems-ols": lambda table: systems(Scores.of(table), "ols"),
    "drift": lambda table: drifts(Scores.of(table)),
    "agreement": lambda table: agreements(Scores.of(table)),
    "agreement-complete": lambda table: agreements(Scores.of(table, "complete")),
    "repeats": repeats,
    "degraded": degraded,
}


@computation("annotation")
def annotation(request: Request) -> Computed:
    """The numbers of a model of a table of scores; args: `model`, one of those of `NUMBERS`."""
    model = request.text("model")
    if model not in NUMBERS:
        raise InputError(f"args.model is {model[:40]!r}; expected one of {', '.join(NUMBERS)}")
    return Computed(native=NUMBERS[model](request.table_of(request.data)))
