"""What to look at in each annotator: agreement, repeats, checks, drift, speed, scale; items in disagreement.

The figures are those of :mod:`pairproof.native.annotation.scores.annotator_quality` on a campaign's answers, which
:mod:`pairproof.campaign.watch.scores` sorts; with them stand the annotator model's location and
noise, and the drift.  Models are fitted only when asked for: of 100,000 scores they take seconds.

Flags are those of annotator_quality (degraded, fast, rejected, constant, rest, drift); attention: two or
more checks failed (a platform's rule before work may be rejected); repeats: the spread between own scores of
an item is more than twice the median of all annotators'.

None excludes anybody by itself: a rule of exclusion has to be fixed before the data are seen.

Items in disagreement are those that annotators disagree on beyond what their noise would give.  The
statistic is that of :mod:`pairproof.native.annotation.scores.annotator_agreement`: a generous or a noisy
annotator is no disagreement about an item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError, TooLargeError
from ...native.annotation.scores import annotator_quality as measures
from ...native.annotation.scores.annotator_agreement import disagreement
from ...native.annotation.scores.annotator_model import AnnotatorModel, annotator_model
from ..storage.records import Items, items_of
from ..storage.store import Store
from . import scores as arrays
from .scores import Answers, Campaign, Gold

if TYPE_CHECKING:
    import pandas as pd


#: Quantiles that show how an annotator uses the scale.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Watched:
    """One annotator's figures.

    set_aside: HITs that do not count. quality: of all own scores. quantiles: see :data:`QUANTILES`.
    cannot_judge: a share. twice: from HITs answered twice; within: with planned repeats too. location,
    noise, slope: of the annotator model. change, detectable, drift_p: of the score from first to last;
    what would have been found with probability .8; p by Holm. flags: flag -> why.
    """

    name: str
    state: str
    judgments: int
    set_aside: int
    quality: measures.AnnotatorQuality
    quantiles: tuple[float, ...]
    cannot_judge: float
    gold: Gold
    attention: int
    failed: int
    twice: measures.WithinSpread
    within: measures.WithinSpread
    location: float = float("nan")
    noise: float = float("nan")
    slope: float = float("nan")
    change: float = float("nan")
    detectable: float = float("nan")
    drift_p: float = float("nan")
    flags: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures under plain names; nan is None."""
        q, damage = self.quality, self.quality.degraded
        row: dict[str, Any] = {"annotator": self.name}
        row |= {name: vars(self)[name] for name in ("state", "judgments", "set_aside")}
        row |= {"scores": q.n, "cannot_judge": self.cannot_judge, "mean": q.mean, "sd": q.sd}
        row |= {f"q{round(100 * p)}": v for p, v in zip(QUANTILES, self.quantiles)}
        row |= {"constant": q.favourite, "rest": q.rest, "rest_n": q.shared}
        row |= {f"gold_{name}": value for name, value in vars(self.gold).items()}
        row |= {"attention": self.attention, "attention_failed": self.failed}
        row |= {f"within_{name}": vars(self.within)[name] for name in ("sd", "low", "high", "n")}
        row |= {"within_planned": q.within.n, "within_twice": self.twice.n, "degraded": damage.verdict}
        row |= {"degraded_p": damage.p, "degraded_n": damage.n, "degraded_drop": damage.mean_drop}
        row |= {name: vars(self)[name] for name in ("location", "noise", "slope")}
        row |= {"drift": self.change, "drift_detectable": self.detectable, "drift_p_holm": self.drift_p}
        row |= {name: vars(q)[name] for name in ("seconds", "instant", "rejected")}
        row["flags"] = dict(self.flags)
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()}


@dataclass(frozen=True, eq=False)
class Annotators:
    """The annotators with a score that counts, the idle ones, and why models were fitted or not."""

    rows: tuple[Watched, ...]
    idle: tuple[str, ...]
    model: str
    drift: str
    unnamed: int

    @property
    def flagged(self) -> tuple[Watched, ...]:
        return tuple(row for row in self.rows if row.flags)

    def to_frame(self) -> pd.DataFrame:
        """A row an annotator; flags are joined by commas."""
        import pandas as pd

        rows = [{**row.to_dict(), "flags": ", ".join(row.flags)} for row in self.rows]
        return pd.DataFrame(rows).set_index("annotator") if rows else pd.DataFrame()


#: Attention checks failed that are a flag.
FAILED_CHECKS = 2
#: Repeats from which on an annotator's own spread is held against the others', and the ratio that is a flag.
FEWEST_REPEATS, UNSTEADY = 10, 2.0

#: Pairs below which the test on degraded items is said to be weak: of 9 pairs, a damage of .2 and noise as in
#: WMT21 one honest annotator in four failed it, of 40 one in twenty to thirty.
FEW_PAIRS = 20


def flagged(rows: Sequence[Watched]) -> Iterator[Watched]:
    """The rows with their flags, each with its reason."""
    times = [r.quality.seconds for r in rows if not np.isnan(r.quality.seconds)]
    usual = float(np.median(times)) if times else float("nan")
    spreads = [r.within.sd for r in rows if r.within.n >= FEWEST_REPEATS]
    for row in rows:
        q = row.quality
        why = {
            "degraded": _why_degraded(q.degraded),
            "fast": _why_fast(q, usual),
            "rejected": f"{q.rejected} HIT(s) rejected on the platform",
            "constant": f"{q.favourite:.0%} of {q.n} scores are the same value",
            "rest": f"rank correlation {q.rest:.2f} with the mean of the others on {q.shared} items, below"
            f" {measures.REST:g}",
        }
        flags = {name: said for name, said in why.items() if name in q.flags}
        if row.failed >= FAILED_CHECKS:
            flags["attention"] = f"{row.failed} of {row.attention} attention checks failed"
        # With itself among them: of four annotators one cannot make itself usual.
        unsteady = len(spreads) >= 3 and row.within.sd > UNSTEADY * np.median(spreads)
        if unsteady and row.within.n >= FEWEST_REPEATS:
            flags["repeats"] = (
                f"repeated scores of an item have sd {row.within.sd:.2f} ({row.within.n} repeats), more than twice"
                f" the usual {np.median(spreads):.2f}"
            )
        if row.drift_p <= measures.ALPHA and abs(row.change) > measures.LARGE:
            said = f"scores change by {row.change:+.2f} from first to last, p {row.drift_p:.2g} (Holm)"
            flags["drift"] = said
        yield replace(row, flags=flags)


def _why_fast(q: measures.AnnotatorQuality, usual: float) -> str:
    found = []
    if q.instant:
        found.append(f"{q.instant} HIT(s) answered in less than {measures.INSTANT:g} s")
    if q.seconds < measures.FAST * usual:
        found.append(f"{q.seconds:.0f} s per HIT, below a third of the usual {usual:.0f} s")
    return "; ".join(found)


def _why_degraded(test: measures.DegradedTest) -> str:
    if np.isnan(test.p):
        return f"all {test.n} degraded items scored exactly as their originals"
    few = "; with so few pairs, honest annotators often fail too" if test.n < FEW_PAIRS else ""
    return f"degraded items only {test.mean_drop:.2f} below their originals, p {test.p:.2g} of {test.n} pairs{few}"


#: Why there is no annotator model and no drift where nobody asked for them.
NOT_FITTED = "not fitted; request the annotators"
#: Scores up to which annotators are looked at unasked, and annotators up to whom drifts are fitted.
MOST_SCORES, MOST_DRIFTS = 20_000, 200


def annotators(campaign: Campaign, *, models: bool = True) -> Annotators:
    """What to look at in each annotator.

    models: also fit the annotator model and the drift; without them a campaign of 100,000 scores takes a
    second.
    """
    with arrays.reading(campaign) as store:
        states = dict(store.db.execute("SELECT name, state FROM annotator").fetchall())
        return watched(arrays.answers_of(store), items_of(store), states, rejected_of(store), models)


def rejected_of(store: Store) -> dict[str, int]:
    """HITs that the platform lists as rejected, by annotator."""
    query = (
        "SELECT a.name, COUNT(*) FROM judgment j JOIN annotator a ON a.number = j.annotator"
        " WHERE j.why = 'rejected' GROUP BY a.name"
    )
    return {name: int(n) for name, n in store.db.execute(query)}


def watched(
    answers: Answers,
    items: Items,
    states: dict[str, str] | None = None,
    rejected: dict[str, int] | None = None,
    models: bool = True,
) -> Annotators:
    """The same from answers and items that were read before."""
    own = arrays.own_scores(answers)
    named = own & (answers.annotator >= 0)
    there = np.unique(answers.annotator[named])
    idle = tuple(n for k, n in enumerate(answers.names) if k not in set(there.tolist()))
    idle += tuple(sorted(set(states or {}) - set(answers.names)))
    unnamed = int((own & (answers.annotator < 0)).sum())
    if not len(there):
        return Annotators((), idle, "no scores by named annotators", "no scores", unnamed)
    labels = np.array(answers.names, dtype=object)[answers.annotator[named]]
    planned, twice = arrays.repeats_of(answers), arrays.answered_twice(answers)
    people, given = set(labels.tolist()), answers.item[named].tolist()
    pairs = (arrays.among(planned, people), arrays.among(arrays.degraded_pairs(answers, items), people))
    seconds = arrays.seconds_of(answers)
    found = measures.quality(labels.tolist(), given, answers.value[named], *pairs, seconds, rejected)
    model: AnnotatorModel | None = None
    drifts: measures.Drift | None = None
    why = no_drift = NOT_FITTED
    if models:
        model, why = fitted(answers, named, labels.tolist())
        drifts, no_drift = _drifts(answers, named, labels)
    again, kept = (planned, twice), states or {}
    rows = [_row(answers, items, q, again, kept.get(q.annotator, "active"), (model, drifts)) for q in found]
    return Annotators(tuple(flagged(rows)), idle, why, no_drift, unnamed)


def fitted(answers: Answers, rows: NDArray[np.bool_], labels: list[str]) -> tuple[AnnotatorModel | None, str]:
    """The richest annotator model that the rows bear, and why it is that one or none."""
    try:
        model = annotator_model(answers.item[rows].tolist(), labels, answers.value[rows])
    except (NotEstimableError, TooLargeError) as error:
        return None, f"no annotator model: {error}"
    if model.level == "raw":
        return None, f"no annotator model: {model.why}"
    said = f"location and noise from the annotator model of level {model.level}: {model.why}"
    return model, "; ".join((said, *model.cautions))


def in_known_order(answers: Answers, at: NDArray[np.int64]) -> bool:
    """Whether these rows have times, or HITs that show their order; an imported table of scores has neither."""
    hits = np.unique(np.stack([answers.batch[at], answers.hit[at]]), axis=1).shape[1]
    items = np.unique(answers.item[at])
    return (
        not np.isnan(answers.submitted[at]).all()
        or len(np.unique(answers.batch[at])) > 1
        or hits < len(items)
    )


def _drifts(
    answers: Answers, rows: NDArray[np.bool_], labels: NDArray[Any]
) -> tuple[measures.Drift | None, str]:
    """Drifts of annotators with three HITs or more, in the order in which they gave them."""
    at = np.flatnonzero(rows)
    if not in_known_order(answers, at):
        return (
            None,
            "no drift: the results have no times (SubmitTime), so the order of the scores is not known",
        )
    # Time of return where it is known; within one moment the order of batches, HITs and slots.
    when = np.where(np.isnan(answers.submitted[at]), np.inf, answers.submitted[at])
    order = np.lexsort((answers.slot[at], answers.hit[at], answers.batch[at], when))
    at, labels = at[order], labels[order]
    who = answers.annotator[at]
    n = np.bincount(who)
    judged = np.unique(np.stack([who, answers.judgment[at]]), axis=1)
    hits = np.bincount(judged[0], minlength=len(n))
    enough = hits[who] >= 3
    many = int((hits >= 3).sum())
    if many == 0 or len(np.unique(answers.item[at][enough])) == enough.sum():
        return None, "no drift: no item was scored twice by annotators with at least three HITs"
    if many > MOST_DRIFTS:
        return None, f"no drift: {many} annotators; drift is fitted for at most {MOST_DRIFTS}"
    place = np.zeros(len(at))
    for k in np.flatnonzero(hits >= 3).tolist():
        place[who == k] = np.arange(1, n[k] + 1)
    at = at[enough]
    item, sitting = answers.item[at].tolist(), answers.judgment[at].tolist()
    try:
        who_gave, value = labels[enough].tolist(), answers.value[at]
        return measures.drift(item, who_gave, place[enough], value, hit=sitting), ""
    except (NotEstimableError, TooLargeError) as error:
        return None, f"no drift: {error}"


def _row(
    answers: Answers,
    items: Items,
    q: measures.AnnotatorQuality,
    again: Sequence[measures.Pairs],
    state: str,
    models: tuple[AnnotatorModel | None, measures.Drift | None],
) -> Watched:
    """One annotator's figures; `again`: planned repeats, and HITs answered twice."""
    model, drifts = models
    mine = answers.annotator == answers.names.index(q.annotator)
    counted = mine & answers.counted
    given = answers.value[counted & np.isin(answers.kind, (arrays.ITEM, arrays.CALIBRATION))]
    figures: dict[str, Any] = {}
    if model is not None and q.annotator in model.annotators:
        k = model.annotators.index(q.annotator)
        figures |= {name: float(vars(model)[name][k]) for name in ("location", "noise", "slope")}
    if drifts is not None and q.annotator in drifts.annotators:
        k = drifts.annotators.index(q.annotator)
        figures |= {name: float(vars(drifts)[name][k]) for name in ("change", "detectable")}
        figures["drift_p"] = float(drifts.p_holm[k])
    planned, twice = (arrays.among(pairs, {q.annotator}) for pairs in again)
    every = ([*planned.first, *twice.first], [*planned.second, *twice.second])
    judgments = [len(np.unique(answers.judgment[rows])) for rows in (counted, mine & ~answers.counted)]
    quantiles = np.quantile(given[~np.isnan(given)], QUANTILES).tolist()
    use = (tuple(quantiles), float(np.isnan(given).mean()), arrays.against_gold(answers, items, counted))
    spreads = (measures.within_spread(twice.first, twice.second), measures.within_spread(*every))
    failed = arrays.failed_checks(answers, items, counted)
    known: tuple[Any, ...] = (q.annotator, state, *judgments, q, *use, *failed, *spreads)
    return Watched(*known, **figures)


#: Items whose single scores are kept.
MOST = 100


@dataclass(frozen=True)
class DisputedItem:
    """One item on which annotators disagree."""

    id: str
    n: int
    spread: float
    expected: float
    p: float
    p_holm: float
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Disputed:
    """The items that annotators disagree on most, of `n` with two scores; `significant`: p_holm <= .05."""

    rows: tuple[DisputedItem, ...]
    n: int
    significant: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl status --items-disagree`."""
        rows = [{**vars(r), "scores": [list(s) for s in r.scores]} for r in self.rows]
        return {"items": self.n, "significant": self.significant, "why": self.why, "most": rows}

    def to_frame(self) -> pd.DataFrame:
        """A row an item."""
        import pandas as pd

        rows = pd.DataFrame([vars(r) for r in self.rows])
        return rows.drop(columns="scores").set_index("id") if self.rows else rows


def disputed(answers: Answers, items: Items) -> Disputed:
    """The items of a campaign that annotators disagree on most."""
    rows = arrays.own_scores(answers) & (answers.annotator >= 0)
    if not rows.any():
        return Disputed((), 0, 0, "no scores by named annotators yet")
    what = answers.item[rows]
    try:
        found = disagreement(what, answers.annotator[rows], answers.value[rows])
    except NotEstimableError as error:
        return Disputed((), 0, 0, str(error))
    several = np.flatnonzero(found.n > 1)
    order = several[np.lexsort((-found.spread[several], found.p[several]))][:MOST]
    positions = [int(found.items[k]) for k in order.tolist()]
    at = np.flatnonzero(rows)[np.isin(what, positions)]
    given: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for item, who, value in zip(*(c[at].tolist() for c in (answers.item, answers.annotator, answers.value))):
        given[item].append((value, answers.names[who]))
    ids = [items.ids[k] for k in positions]
    scores = [tuple((who, value) for value, who in sorted(given[k])) for k in positions]
    numbers = (found.n, found.spread, found.expected, found.p, found.p_holm)
    cells = zip(ids, *(column[order].tolist() for column in numbers), scores)
    table = tuple(DisputedItem(*row) for row in cells)
    return Disputed(table, len(several), int((found.p_holm[several] <= 0.05).sum()), "")
