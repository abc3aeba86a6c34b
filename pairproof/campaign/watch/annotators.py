"""What to look at in each annotator of a campaign: agreement, repeats, checks, speed, use of the scale, flags.

The figures are those of :mod:`pairproof.native.annotation.quality.quality`; here a campaign's answers are sorted
into what they are about:

own scores
    counted scores of items and of calibration items
repeats
    planned ones, against the score of the same item given first; and HITs that an annotator answered twice,
    the answer that counts against the one set aside
degraded
    against the annotator's own score of the original
gold
    items with a known score; attention checks are passed within .05 of what they ask for

Two flags come from here: attention (two or more checks failed) and repeats (the spread between own scores of an
item is larger than twice the median of the others'). None excludes anybody by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import NotEstimableError, TooLargeError
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.models.annotator_model import AnnotatorModel, annotator_model
from ...native.annotation.quality.annotators import spearman
from ...native.annotation.quality.consistency import (
    FEWEST_PAIRS,
    DegradedTest,
    WithinSpread,
    within_spread,
)
from ...native.annotation.quality.drift import Drift, drift
from ...native.annotation.quality.quality import (
    FAST,
    FAVOURITE,
    REST,
    AnnotatorQuality,
    Pairs,
    quality,
)
from ..storage.answers import Answers, answers_of
from ..storage.design import KINDS
from ..storage.items import Items, items_of
from ..storage.store import Store
from .reading import Campaign, reading

if TYPE_CHECKING:
    import pandas as pd

ITEM, REPEAT, DEGRADED, GOLD, CALIBRATION, ATTENTION = (
    KINDS.index(kind) for kind in ("item", "repeat", "degraded", "gold", "calibration", "attention")
)
#: An attention check asks for one score; so far off it is failed, and so many failed are a flag (Prolific's
#: rule of two).
TOLERANCE, FAILED_CHECKS = 0.05, 2
#: Repeats from which on an annotator's own spread is held against the others', and the ratio that is a flag.
FEWEST_REPEATS, UNSTEADY = 10, 2.0
#: Quantiles that show how an annotator uses the scale.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
#: Scores up to which models are fitted unasked, and annotators up to whom drifts are.
MOST_SCORES, MOST_DRIFTS = 20_000, 200


@dataclass(frozen=True)
class Gold:
    """An annotator against known scores.

    Attributes
    ----------
    n : int
    error : float
        Mean absolute difference, 0 to 1; nan without any.
    rho : float
        Spearman's, nan below three different items.
    """

    n: int
    error: float
    rho: float


@dataclass(frozen=True)
class Watched:
    """One annotator's figures.

    Attributes
    ----------
    name, state : str
    judgments : int
        HITs that count.
    set_aside : int
        HITs that do not count: repeats, practice, or an excluded annotator's.
    quality : AnnotatorQuality
        Of all own scores.
    quantiles : tuple of float
        10, 25, 50, 75 and 90 % points of the scores.
    cannot_judge : float
        Share of the items shown that the annotator could not judge.
    gold : Gold
    attention, failed : int
        Attention checks, and those failed.
    twice : WithinSpread
        From HITs answered twice; `quality.within` has planned repeats.
    within : WithinSpread
        From both together.
    location, noise, slope : float
        Of the annotator model; nan where it was not fitted.
    slope_of_time, change, detectable, drift_p : float
        Change of the score a judgment; from first to last; the change that would have been found with
        probability .8; p after Holm's correction. nan where drift was not fitted.
    flags : dict of str to str
        Flag -> why.
    """

    name: str
    state: str
    judgments: int
    set_aside: int
    quality: AnnotatorQuality
    quantiles: tuple[float, ...]
    cannot_judge: float
    gold: Gold
    attention: int
    failed: int
    twice: WithinSpread
    within: WithinSpread
    location: float = float("nan")
    noise: float = float("nan")
    slope: float = float("nan")
    slope_of_time: float = float("nan")
    change: float = float("nan")
    detectable: float = float("nan")
    drift_p: float = float("nan")
    flags: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures under plain names; nan is None."""
        q = self.quality
        row: dict[str, Any] = {
            "annotator": self.name,
            "state": self.state,
            "judgments": self.judgments,
            "set_aside": self.set_aside,
            "scores": q.n,
            "cannot_judge": self.cannot_judge,
            "mean": q.mean,
            "sd": q.sd,
            **{f"q{round(100 * p)}": v for p, v in zip(QUANTILES, self.quantiles)},
            "constant": q.favourite,
            "rest": q.rest,
            "gold_n": self.gold.n,
            "gold_error": self.gold.error,
            "gold_rho": self.gold.rho,
            "attention": self.attention,
            "attention_failed": self.failed,
            "within_sd": self.within.sd,
            "within_low": self.within.low,
            "within_high": self.within.high,
            "within_n": self.within.n,
            "within_planned": q.within.n,
            "within_twice": self.twice.n,
            "degraded": q.degraded.verdict,
            "degraded_p": q.degraded.p,
            "degraded_n": q.degraded.n,
            "degraded_drop": q.degraded.mean_drop,
            "location": self.location,
            "noise": self.noise,
            "slope": self.slope,
            "drift": self.change,
            "drift_detectable": self.detectable,
            "drift_p_holm": self.drift_p,
            "seconds": q.seconds,
            "rejected": q.rejected,
            "flags": dict(self.flags),
        }
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()}


@dataclass(frozen=True, eq=False)
class Annotators:
    """The annotators of a campaign.

    Attributes
    ----------
    rows : tuple of Watched
        In the order of their names; only those with a score that counts.
    idle : tuple of str
        Annotators without a score that counts.
    model : str
        Why location, noise and slope are what they are, or are not there.
    drift : str
        The same of the drift; "" where it was fitted.
    unnamed : int
        Scores that count but nobody's.
    """

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


def annotators(campaign: Campaign, *, models: bool = True) -> Annotators:
    """What to look at in each annotator.

    Parameters
    ----------
    campaign : Store or path
    models : bool
        Also fit the annotator model and the drift; without them a campaign of 100,000 scores takes a second.

    Returns
    -------
    Annotators

    Raises
    ------
    InputError
        The file is not a campaign.
    """
    with reading(campaign) as store:
        states = dict(store.db.execute("SELECT name, state FROM annotator").fetchall())
        return watched(answers_of(store), items_of(store), states, rejected_of(store), models)


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
    own = own_scores(answers)
    named = own & (answers.annotator >= 0)
    there = np.unique(answers.annotator[named])
    idle = tuple(n for k, n in enumerate(answers.names) if k not in set(there.tolist()))
    idle += tuple(sorted(set(states or {}) - set(answers.names)))
    unnamed = int((own & (answers.annotator < 0)).sum())
    if not len(there):
        return Annotators((), idle, "no scores by named annotators", "no scores", unnamed)
    labels = np.array(answers.names, dtype=object)[answers.annotator[named]]
    planned, twice = repeats_of(answers), answered_twice(answers)
    known = set(labels.tolist())
    found = quality(
        labels.tolist(),
        answers.item[named],
        answers.value[named],
        _among(planned, known),
        _among(degraded_pairs(answers, items), known),
        _seconds(answers),
        rejected,
    )
    model, why = (
        (None, "not fitted; ask for the annotators") if not models else fitted(answers, named, labels.tolist())
    )
    drifts, no_drift = (
        (None, "not fitted; ask for the annotators") if not models else _drifts(answers, named, labels)
    )
    rows = [_row(answers, items, q, planned, twice, states or {}, model, drifts) for q in found]
    return Annotators(tuple(_flagged(rows)), idle, why, no_drift, unnamed)


def own_scores(answers: Answers) -> NDArray[np.bool_]:
    """bool[n]: counted scores of items and calibration items, without the checks."""
    found: NDArray[np.bool_] = (
        answers.counted
        & ((answers.kind == ITEM) | (answers.kind == CALIBRATION))
        & ~np.isnan(answers.value)
    )
    return found


def repeats_of(answers: Answers) -> Pairs:
    """Planned repeats: an annotator's score of an item, and the score in the slot that repeats it."""
    first = {}
    usable = answers.counted & ~np.isnan(answers.value) & (answers.annotator >= 0)
    for k in np.flatnonzero(usable & (answers.kind != REPEAT)).tolist():
        first.setdefault((answers.annotator[k], answers.item[k]), answers.value[k])
    pairs = [
        (answers.names[answers.annotator[k]], first[key], answers.value[k])
        for k in np.flatnonzero(usable & (answers.kind == REPEAT)).tolist()
        if (key := (answers.annotator[k], answers.item[k])) in first
    ]
    return _pairs(pairs)


def answered_twice(answers: Answers) -> Pairs:
    """HITs that an annotator answered more than once: each score that counts, and the one set aside."""
    again = np.flatnonzero((answers.repeat_of >= 0) & (answers.annotator >= 0) & ~np.isnan(answers.value))
    if not len(again):
        return Pairs()
    wanted = set(answers.repeat_of[again].tolist())
    held = np.flatnonzero(np.isin(answers.judgment, np.array(sorted(wanted), np.int64)))
    counts = {(int(answers.judgment[k]), int(answers.slot[k])): answers.value[k] for k in held.tolist()}
    pairs = []
    for k in again.tolist():
        value = counts.get((int(answers.repeat_of[k]), int(answers.slot[k])), np.nan)
        if not np.isnan(value):
            pairs.append((answers.names[answers.annotator[k]], value, answers.value[k]))
    return _pairs(pairs)


def degraded_pairs(answers: Answers, items: Items) -> Pairs:
    """An annotator's own scores of an original and of its degraded copy, the first with the first, and so on.

    A score is paired with one score, not with the mean of several: under careless answers the two are then
    exchangeable, while a mean lies above the usual value where scores are skewed, and the test would be passed.
    """
    usable = answers.counted & ~np.isnan(answers.value) & (answers.annotator >= 0)
    worse = np.flatnonzero(usable & (answers.kind == DEGRADED))
    if not len(worse):
        return Pairs()
    originals = np.unique(items.of[answers.item[worse]])
    held = np.flatnonzero(usable & (answers.kind == ITEM) & np.isin(answers.item, originals))
    given: dict[tuple[int, int], list[float]] = {}
    for k in held.tolist():
        given.setdefault((int(answers.annotator[k]), int(answers.item[k])), []).append(answers.value[k])
    pairs = []
    for k in worse.tolist():
        mine = given.get((int(answers.annotator[k]), int(items.of[answers.item[k]])))
        if mine:
            pairs.append((answers.names[answers.annotator[k]], mine.pop(0), answers.value[k]))
    return _pairs(pairs)


def _pairs(rows: list[tuple[str, float, float]]) -> Pairs:
    names, first, second = zip(*rows) if rows else ((), (), ())
    return Pairs(list(names), list(map(float, first)), list(map(float, second)))


def _among(pairs: Pairs, known: set[str]) -> Pairs:
    rows = [row for row in zip(pairs.annotator, pairs.first, pairs.second) if row[0] in known]
    return _pairs([(str(a), b, c) for a, b, c in rows])


def _seconds(answers: Answers) -> dict[str, list[float]]:
    """Seconds of each HIT that counts, by annotator."""
    _, at = np.unique(answers.judgment, return_index=True)
    at = at[answers.counted[at] & (answers.annotator[at] >= 0) & ~np.isnan(answers.seconds[at])]
    found: dict[str, list[float]] = {}
    for who, time in zip(answers.annotator[at].tolist(), answers.seconds[at].tolist()):
        found.setdefault(answers.names[who], []).append(time)
    return found


def fitted(
    answers: Answers, rows: NDArray[np.bool_], labels: list[str]
) -> tuple[AnnotatorModel | None, str]:
    """The richest annotator model that the rows bear, and why it is that one or none."""
    try:
        model = annotator_model(answers.item[rows], labels, answers.value[rows])
    except (NotEstimableError, TooLargeError) as error:
        return None, f"no annotator model: {error}"
    if model.level == "raw":
        return None, f"no annotator model: {model.why}"
    return model, f"location and noise by the annotator model of level {model.level}: {model.why}"


def _drifts(
    answers: Answers, rows: NDArray[np.bool_], labels: NDArray[Any]
) -> tuple[Drift | None, str]:
    """Drifts of annotators with three scores or more, in the order in which they gave them."""
    at = np.flatnonzero(rows)
    # Time of return where it is known; within one moment the order of batches, HITs and slots.
    when = np.where(np.isnan(answers.submitted[at]), np.inf, answers.submitted[at])
    order = np.lexsort((answers.slot[at], answers.hit[at], answers.batch[at], when))
    at, labels = at[order], labels[order]
    who = answers.annotator[at]
    n = np.bincount(who)
    enough = n[who] >= 3
    if (n >= 3).sum() == 0 or len(np.unique(answers.item[at][enough])) == enough.sum():
        return None, "no drift: no item was scored twice by annotators with three scores or more"
    if (n >= 3).sum() > MOST_DRIFTS:
        return None, f"no drift: {int((n >= 3).sum())} annotators; it is fitted for {MOST_DRIFTS} or fewer"
    place = np.zeros(len(at))
    for k in np.flatnonzero(n >= 3).tolist():
        place[who == k] = np.arange(1, n[k] + 1)
    try:
        found = drift(
            answers.item[at][enough], labels[enough].tolist(), place[enough], answers.value[at][enough]
        )
    except (NotEstimableError, TooLargeError) as error:
        return None, f"no drift: {error}"
    return found, ""


def _row(
    answers: Answers,
    items: Items,
    q: AnnotatorQuality,
    planned: Pairs,
    twice: Pairs,
    states: dict[str, str],
    model: AnnotatorModel | None,
    drifts: Drift | None,
) -> Watched:
    mine = answers.annotator == answers.names.index(q.annotator)
    counted = mine & answers.counted
    shown = counted & ((answers.kind == ITEM) | (answers.kind == CALIBRATION))
    own = answers.value[shown & ~np.isnan(answers.value)]
    at = {} if model is None else {name: k for k, name in enumerate(model.annotators)}
    extra: dict[str, float] = {}
    if model is not None and q.annotator in at:
        k = at[q.annotator]
        extra = {
            "location": float(model.location[k]),
            "noise": float(model.noise[k]),
            "slope": float(model.slope[k]),
        }
    if drifts is not None and q.annotator in drifts.annotators:
        k = drifts.annotators.index(q.annotator)
        extra |= {
            "slope_of_time": float(drifts.slope[k]),
            "change": float(drifts.change[k]),
            "detectable": float(drifts.detectable[k]),
            "drift_p": float(drifts.p_holm[k]),
        }
    checks = answers.value[counted & (answers.kind == ATTENTION)]
    asked = items.gold[answers.item[counted & (answers.kind == ATTENTION)]]
    # Without a score a check is failed too; 1e-9 lets .05 itself pass whatever its rounding.
    failed = int((~(np.abs(checks - asked) <= TOLERANCE + 1e-9)).sum())
    again = [
        (a, b) for pairs in (planned, twice) for n, a, b in zip(pairs.annotator, pairs.first, pairs.second)
        if n == q.annotator
    ]  # fmt: skip
    double = [(a, b) for n, a, b in zip(twice.annotator, twice.first, twice.second) if n == q.annotator]
    return Watched(
        q.annotator,
        states.get(q.annotator, "active"),
        len(np.unique(answers.judgment[counted])),
        len(np.unique(answers.judgment[mine & ~answers.counted])),
        q,
        tuple(float(v) for v in np.quantile(own, QUANTILES)),
        float(np.isnan(answers.value[shown]).mean()),
        _gold(answers, items, counted),
        len(checks),
        failed,
        within_spread([a for a, _ in double], [b for _, b in double]),
        within_spread([a for a, _ in again], [b for _, b in again]),
        **extra,
    )


def _gold(answers: Answers, items: Items, counted: NDArray[np.bool_]) -> Gold:
    """Against known scores of all items but attention checks and degraded ones."""
    rows = counted & (answers.kind != ATTENTION) & (answers.kind != DEGRADED) & ~np.isnan(answers.value)
    rows &= ~np.isnan(items.gold[answers.item])
    n = int(rows.sum())
    if n == 0:
        return Gold(0, float("nan"), float("nan"))
    said, known = answers.value[rows], items.gold[answers.item[rows]]
    rho = spearman(said, known) if len(np.unique(answers.item[rows])) >= 3 else float("nan")
    return Gold(n, float(np.mean(np.abs(said - known))), rho)


def _flagged(rows: list[Watched]) -> Iterator[Watched]:
    """The rows with their flags, each with its reason."""
    from dataclasses import replace

    times = [r.quality.seconds for r in rows if not np.isnan(r.quality.seconds)]
    usual = float(np.median(times)) if times else float("nan")
    spreads = [r.within.sd for r in rows if r.within.n >= FEWEST_REPEATS]
    for row in rows:
        q, flags = row.quality, {}
        if "degraded" in q.flags:
            flags["degraded"] = _why_degraded(q.degraded)
        if "fast" in q.flags:
            flags["fast"] = f"{q.seconds:.0f} s a HIT, below a third of the usual {usual:.0f} s"
        if "rejected" in q.flags:
            flags["rejected"] = f"{q.rejected} HIT(s) rejected on the platform"
        if "constant" in q.flags:
            flags["constant"] = f"{q.favourite:.0%} of {q.n} scores are one value"
        if "rest" in q.flags:
            flags["rest"] = f"rank correlation {q.rest:.2f} with the mean of the others, below {REST:g}"
        if row.failed >= FAILED_CHECKS:
            flags["attention"] = f"{row.failed} of {row.attention} attention checks failed"
        # With itself among them: of four annotators one cannot make itself usual.
        if row.within.n >= FEWEST_REPEATS and len(spreads) >= 3 and row.within.sd > UNSTEADY * np.median(spreads):
            flags["repeats"] = (
                f"own scores of an item differ with sd {row.within.sd:.2f} ({row.within.n} repeats), more than twice"
                f" the usual {np.median(spreads):.2f}"
            )
        if row.drift_p <= 0.05 and abs(row.change) > 0.1:
            flags["drift"] = f"scores change by {row.change:+.2f} from first to last, p {row.drift_p:.2g} (Holm)"
        yield replace(row, flags=flags)


def _why_degraded(test: DegradedTest) -> str:
    if np.isnan(test.p):
        return f"all {test.n} degraded items scored exactly as their originals"
    return f"degraded items only {test.mean_drop:.2f} below their originals, p {test.p:.2g} of {test.n} pairs"
