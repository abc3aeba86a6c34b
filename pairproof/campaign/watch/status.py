"""The status of a campaign: progress, convergence, cost, the last look at a stopping rule, and scores.

Annotators, items in disagreement, systems and the annotator model stand there where they are asked
for.  Progress is what was handed out, what came back, what counts, and what is still to come.  A plain
status fits no model and reads the judgments once, so that a campaign of 100,000 items is looked at in a
second.  Up to 20,000 scores it also looks for annotators to look at.

Convergence is how much the last judged batch has changed the scores.  Methods that add scores up have the
state before a batch by subtraction, which takes milliseconds whatever the size of the campaign; ra and
trueskill depend on the order of judgments and are computed again from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError
from ...native.annotation.beta import FloatArray, IntArray, exact_sums
from ...native.annotation.methods import ADDITIVE, BETA, ScoreState, observe
from ...native.annotation.scores.annotator_agreement import Agreement, agreement, spearman
from ...native.annotation.scores.annotator_model import Level
from ..results.retraction import n_out
from ..storage.design import ROLES
from ..storage.records import About, about, counted_scores, ids_of, items_of, judged, roles_of, state_of
from ..storage.rules import Look as Recorded, Rule, looks_of, rules_hash, rules_of
from ..storage.store import Store
from .annotators import MOST_SCORES, Annotators, Disputed, disputed, rejected_of, watched
from .scores import (
    Answers,
    Campaign,
    Intervals,
    ItemScores,
    Kind,
    Spread,
    answers_of,
    intervals_of,
    item_scores,
    known,
    own_scores,
    reading,
    stored_spread,
)
from .systems import Standardise, Systems, compared, on_one_scale, system_names


@dataclass(frozen=True)
class Progress:
    """The numbers of a campaign's progress.

    hits, answered: without those of qualification and calibration. judgments: HITs returned, without
    retracted ones. set_aside: why others do not count -> how many. both_counted: repeats that count
    beside the annotator's first answer. checks: counted scores that are no item's. open: judgments still
    to come, at `wanted` annotators a HIT.
    """

    batches: int
    hits: int
    answered: int
    judgments: int
    counted: int
    set_aside: dict[str, int]
    retracted: int
    both_counted: int
    scores: int
    cannot_judge: int
    checks: dict[str, int]
    annotators: int
    open: int
    wanted: int


def progress(store: Store, a: About, retracted: int) -> Progress:
    """The progress of an open campaign, counted by its database."""

    def count(query: str) -> int:
        return int(store.value(query) or 0)

    returned = dict(store.db.execute("SELECT counted, COUNT(*) FROM judgment GROUP BY counted").fetchall())
    aside = "SELECT CASE why WHEN '' THEN 'other' ELSE why END, COUNT(*) FROM judgment WHERE NOT counted"
    why = store.db.execute(f"{aside} GROUP BY 1 ORDER BY 1").fetchall()
    joined = "FROM judgment j JOIN score s ON s.judgment = j.number WHERE j.counted AND s.kind"
    scores, shown = store.db.execute(f"SELECT COUNT(s.value), COUNT(*) {joined} = 'item'").fetchone()
    # The checks are few, so that sorting them by kind costs little.
    query = f"SELECT s.kind, COUNT(s.value) {joined} <> 'item' GROUP BY s.kind ORDER BY s.kind"
    checks = store.db.execute(query).fetchall()
    wanted = a.design.judgments
    rows = store.db.execute(
        "SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM judgment j JOIN hit h ON h.batch = j.batch AND"
        " h.number = j.hit WHERE j.counted AND h.kind = 'work' GROUP BY j.batch, j.hit) GROUP BY n"
    )
    given = dict(rows.fetchall())
    hits, answered = count("SELECT COUNT(*) FROM hit WHERE kind = 'work'"), sum(given.values())
    still = (hits - answered) * wanted + sum(max(wanted - n, 0) * k for n, k in given.items())
    doubles = (
        "SELECT COALESCE(SUM(n - 1), 0) FROM (SELECT COUNT(*) AS n FROM judgment WHERE counted AND annotator IS"
        " NOT NULL AND batch IS NOT NULL GROUP BY annotator, batch, hit) WHERE n > 1"
    )
    people = count("SELECT COUNT(DISTINCT annotator) FROM judgment WHERE counted")
    judged = (sum(returned.values()), int(returned.get(1, 0)), dict(why), retracted, count(doubles))
    given_scores = (int(scores), int(shown - scores), dict(checks))
    batches = count("SELECT COUNT(*) FROM batch")
    return Progress(batches, hits, answered, *judged, *given_scores, people, max(still, 0), wanted)


@dataclass(frozen=True)
class Cost:
    """Time and money of a campaign; `further`: HITs that the last look at a stopping rule expects."""

    seconds: float
    timed: int
    pay_hour: float | None
    returned: int
    open: int
    further: float

    @property
    def hours(self) -> float:
        """So far, median time of a HIT times HITs."""
        return self.seconds * self.returned / 3600.0

    def cost(self, hits: float) -> float:
        """Of so many HITs; nan without times or pay."""
        if self.pay_hour is None:
            return float("nan")
        return self.seconds * hits / 3600.0 * self.pay_hour

    def to_dict(self) -> dict[str, Any]:
        """null for what is not known."""
        found = {"median_seconds": self.seconds, "timed": self.timed, "pay_hour": self.pay_hour}
        found |= {"hits": self.returned, "hours": self.hours, "cost": self.cost(self.returned)}
        found |= {"open_hits": self.open, "open_cost": self.cost(self.open)}
        found |= {"rule_hits": self.further, "rule_cost": self.cost(self.further)}
        return {name: known(value) for name, value in found.items()}


def cost(store: Store, a: About, p: Progress, further: float) -> Cost:
    """The cost of an open campaign; `further` is what the last look expects, in HITs."""
    rows = store.db.execute("SELECT seconds FROM judgment WHERE seconds IS NOT NULL").fetchall()
    seconds = np.array(rows, np.float64).ravel()
    median = float(np.median(seconds)) if len(seconds) else float("nan")
    return Cost(median, len(seconds), a.design.pay_hour, p.judgments, p.open, further)


@dataclass(frozen=True)
class Convergence:
    """The change by the last judged batch: Spearman's rho with the scores before, mean absolute shift."""

    last: int | None
    stability: float
    shift: float


def convergence(store: Store, a: About, after: ScoreState) -> Convergence:
    """The change of the scores of an open campaign, whose state is now `after`."""
    last = store.value("SELECT MAX(batch) FROM judgment WHERE counted")
    if last is None:
        return Convergence(None, float("nan"), float("nan"))
    before = _additive(store, last, after) if a.method in ADDITIVE else _again(store, a, last)
    both = ~(np.isnan(before) | np.isnan(after.score))
    if both.sum() < 2:
        return Convergence(int(last), float("nan"), float("nan"))
    change = float(np.mean(np.abs(after.score[both] - before[both])))
    return Convergence(int(last), spearman(before[both], after.score[both]), change)


def _additive(store: Store, last: int, after: ScoreState) -> FloatArray:
    item, value = counted_scores(store, "j.batch = ?", (last,))
    n_items = len(after.n)
    if not len(item):
        return after.score
    # Exact sums are the same in whatever order judgments came.
    fresh, total = np.bincount(item, minlength=n_items), exact_sums(item, value, n_items)
    n = after.n - fresh
    start = _start(store, after)
    # An item whose scores are all of this batch is where it started, to the last bit.
    untouched = n == start.n
    if after.method == "da":
        mean = (np.where(after.n > 0, after.a, 0.0) * after.n - total) / np.maximum(n, 1)
        return np.where(untouched, start.a, np.where(n > 0, np.clip(mean, 0.0, 1.0), np.nan))
    a = np.where(untouched, start.a, np.maximum(after.a - total, 1.0))
    b = np.where(untouched, start.b, np.maximum(after.b - (fresh - total), 1.0))
    return ScoreState(after.method, a, b, n).score


def _start(store: Store, after: ScoreState) -> ScoreState:
    """The state at the start: the same for all items, unless they come from an older tool."""
    distinct = store.db.execute("SELECT DISTINCT a0, b0, n0 FROM item LIMIT 2").fetchall()
    if len(distinct) > 1:
        return state_of(store, after.method, at_start=True)
    a, b, n = (np.nan if value is None else value for value in distinct[0])
    size = len(after.n)
    return ScoreState(after.method, np.full(size, a), np.full(size, b), np.full(size, n, np.int64))


def _again(store: Store, a: About, last: int) -> FloatArray:
    start = state_of(store, a.method, at_start=True)
    earlier = judged(store).upto(last - 1)
    return observe(start, earlier.hits, earlier.scores, a.settings).score


@dataclass(frozen=True, eq=False)
class Status:
    """The status of a campaign at one moment.

    scored int[n]: positions of the items of role item. looks: the latest last. rules: but for that on
    repeats which every campaign begins with. names: annotators, in the order of `agreement.rest`.
    answers: for the annotators' pictures.
    """

    about: About
    ids: tuple[str, ...]
    scored: IntArray
    state: ScoreState
    progress: Progress
    convergence: Convergence
    cost: Cost
    spread: Spread
    looks: tuple[Recorded, ...]
    rules: tuple[Rule, ...] = ()
    agreement: Agreement | None = None
    names: tuple[str, ...] = ()
    annotators: Annotators | None = None
    answers: Answers | None = None
    disputed: Disputed | None = None
    systems: Systems | None = None
    model: ItemScores | None = None

    @property
    def batches(self) -> int:
        return self.progress.batches

    @property
    def judgments(self) -> int:
        """HITs returned that count."""
        return self.progress.counted

    @property
    def scores(self) -> int:
        """Scores of items that count."""
        return self.progress.scores

    def intervals(
        self, level: float = 0.95, kind: Kind = "calibrated", which: IntArray | None = None
    ) -> Intervals:
        """Intervals of the scores of all items, or of those at some positions."""
        return intervals_of(self.state, self.spread, level, kind, which)

    def only(self, annotators: bool, disputed: bool) -> Status:
        """The status without the parts that only a page shows unasked."""
        people = self.annotators
        if people is not None and not annotators and self.progress.scores > MOST_SCORES:
            people = None
        return replace(self, annotators=people, disputed=self.disputed if disputed else None)

    def to_dict(self) -> dict[str, Any]:
        """Method, batches, judgments and scores; alpha and beta are null if the method has none."""
        s, at = self.state, self.scored
        nothing = [None] * len(at)
        a, b = (s.a[at].tolist(), s.b[at].tolist()) if self.about.method in BETA else (nothing, nothing)
        ids = [self.ids[k] for k in at.tolist()]
        columns = (ids, s.score[at].tolist(), a, b, s.variance[at].tolist(), s.n[at].tolist())
        rows = [dict(zip(("id", "score", "alpha", "beta", "var", "n"), row)) for row in zip(*columns)]
        out = {"taken_back": self.progress.retracted} if self.progress.retracted else {}
        about = {"method": self.about.method, "batches": self.batches, "judgments": self.judgments}
        return {**about, **out, "scores": rows}

    def document(self, level: float = 0.95, kind: Kind = "calibrated") -> dict[str, Any]:
        """The JSON of `easl status`: `to_dict`, each score with its interval, and everything that was asked for."""
        own = self.intervals(level, kind, self.scored)
        found = self.to_dict()
        for row, low, high in zip(found["scores"], own.low.tolist(), own.high.tolist()):
            row["low"], row["high"] = low, high
        c = self.convergence
        spread = {"k": known(own.k), "spread": known(own.spread)}
        found["intervals"] = {"kind": own.kind, "level": level, **spread, "why": own.why}
        found["progress"] = dict(vars(self.progress))
        found["convergence"] = {"last": c.last, "stability": known(c.stability), "shift": known(c.shift)}
        found["cost"] = self.cost.to_dict()
        if self.rules:
            named = ("name", "value", "after_judgments")
            kept = [{name: vars(r)[name] for name in named} for r in self.rules]
            found["rules"] = {"hash": rules_hash(self.rules), "rules": kept}
        found["looks"] = [vars(look) for look in self.looks[-1:]]
        if self.agreement is not None:
            g = self.agreement
            rest = {name: known(r) for name, r in zip(self.names, g.rest.tolist())}
            pairs = {"pairwise": known(g.pairwise), "pairs": g.n_pairs}
            found["agreement"] = {**pairs, "alpha": known(g.alpha), "rest": rest}
        if self.annotators is not None:
            found["flags"] = {row.name: dict(row.flags) for row in self.annotators.flagged}
        return found


def status(
    campaign: Campaign,
    *,
    with_agreement: bool = False,
    with_annotators: bool = False,
    with_disputed: bool = False,
    systems: str | bool | None = None,
    standardise: Standardise = "none",
    model: Level | None = None,
    level: float = 0.95,
    kind: Kind = "calibrated",
    systems_if_any: bool = False,
    unasked: bool = True,
) -> Status:
    """Read the status of a campaign.

    Parameters
    ----------
    campaign : Store or path
    with_agreement : bool
        Also compute how well annotators agree.
    with_annotators : bool
        Also compute what to look at in each annotator, with the annotator model and drifts.
    with_disputed : bool
        Also find the items that annotators disagree on most.
    systems : str or bool, optional
        Column of the items file that names each item's system, or True for the campaign's own; systems are
        then compared too.
    standardise : {"none", "z-scores"}
        Scale on which annotators and systems are compared; the items' own scores do not change.
    model : {"raw", "location", "precision", "scale"}, optional
        Also score the items with this model of the annotators.
    level : float
        Of the intervals of systems and of the model.
    kind : {"calibrated", "beta"}
        Of the intervals beside the model.
    systems_if_any : bool
        Compare the systems if the campaign has two or more with scores, without an error if it has not.
    unasked : bool
        Whether annotators are looked at, without models, if the campaign has no more than 20,000 scores.

    Raises
    ------
    InputError
    NotEstimableError
        The annotator model that was asked for cannot be fitted.
    """
    one_of("standardise", standardise, get_args(Standardise))
    if standardise != "none" and not (with_agreement or systems):
        raise InputError("standardise applies to annotators and systems; request agreement or systems too")
    with reading(campaign) as store:
        found = _essentials(store)
        small = unasked and found.progress.scores <= MOST_SCORES
        asked = with_agreement or with_annotators or with_disputed or systems or systems_if_any or model
        if not (asked or small):
            return found
        answers = answers_of(store)
        if with_agreement:
            found = _with_agreement(found, answers, standardise)
        items = items_of(store)
        if with_annotators or small:
            states = dict(store.db.execute("SELECT name, state FROM annotator").fetchall())
            people = watched(answers, items, states, rejected_of(store), with_annotators)
            found = replace(found, annotators=people, answers=answers)
        if with_disputed:
            found = replace(found, disputed=disputed(answers, items))
        if systems_if_any and not systems:
            there = np.unique(answers.item[answers.scores]).tolist()
            systems = len({items.system[k] for k in there if items.system[k]}) > 1
        if systems:
            column = systems if isinstance(systems, str) else None
            names = system_names(items, found.about.columns, column, str(store.path))
            found = replace(found, systems=compared(answers, items, names, standardise, level))
        if model:
            found = replace(found, model=item_scores(store, model, level=level, kind=kind))
        return found


def _essentials(store: Store) -> Status:
    a = about(store)
    state = state_of(store, a.method)
    p = progress(store, a, n_out(store))
    looks = looks_of(store)
    further = looks[-1].answer.get("further_hits") if looks else None
    price = cost(store, a, p, float("nan") if further is None else float(further))
    scored = np.flatnonzero(roles_of(store) == ROLES.index("item")).astype(np.int64)
    rules = tuple(r for r in rules_of(store) if r.name != "repeats" or r.after_judgments)
    moved = convergence(store, a, state)
    return Status(a, ids_of(store), scored, state, p, moved, price, stored_spread(store), looks, rules)


def _with_agreement(found: Status, answers: Answers, standardise: Standardise) -> Status:
    rows = own_scores(answers)
    if not rows.any():
        raise InputError("this campaign has no judgments yet; annotators and systems cannot be compared")
    value = on_one_scale(answers, standardise)
    rows &= answers.annotator >= 0
    g = agreement(answers.annotator[rows], answers.item[rows], value[rows])
    missing = np.full(len(answers.names) - len(g.rest), np.nan)
    return replace(found, agreement=replace(g, rest=np.append(g.rest, missing)), names=answers.names)


def histogram(scores: Sequence[float] | FloatArray, bins: int = 10) -> tuple[IntArray, FloatArray]:
    """Counts and bin edges; the bins span 0 to 1 if all scores lie there, else the range of the scores."""
    values = np.asarray(scores, np.float64)
    values = values[~np.isnan(values)]
    inside = len(values) == 0 or (values.min() >= 0 and values.max() <= 1)
    counts, edges = np.histogram(values, bins, (0.0, 1.0) if inside else None)
    return counts.astype(np.int64), edges
