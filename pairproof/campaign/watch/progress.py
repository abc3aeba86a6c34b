"""How far a campaign is: what was handed out, what came back, what counts, and what is still to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..storage.records import About
from ..storage.store import Store


@dataclass(frozen=True)
class Progress:
    """The numbers of a campaign's progress.

    batches, hits, answered: batches opened, HITs in them, HITs with a judgment that counts; those of
    qualification and calibration, which everybody judges, are not among them.  judgments: HITs returned,
    whether they count or not; retracted ones are not among them.  counted: those that count.  set_aside: why
    others do not -> how many: repeat, practice, excluded, ...  both_counted: repeats that count although the
    same annotator's other answer to the HIT counts too.  scores, cannot_judge: scores of items that count,
    and how often annotators could not judge one.  checks: counted scores that are no item's: repeat,
    degraded, gold, attention, calibration.  annotators: with a judgment that counts.  open: judgments that
    are still to come for the HITs handed out, at `wanted` annotators a HIT.  wanted: different annotators a
    HIT.
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

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def progress(store: Store, a: About, retracted: int) -> Progress:
    """The progress of an open campaign, counted by its database."""

    def count(query: str) -> int:
        return int(store.db.execute(query).fetchone()[0] or 0)

    returned = dict(store.db.execute("SELECT counted, COUNT(*) FROM judgment GROUP BY counted").fetchall())
    why = store.db.execute(
        "SELECT CASE why WHEN '' THEN 'other' ELSE why END, COUNT(*) FROM judgment WHERE NOT counted"
        " GROUP BY 1 ORDER BY 1"
    ).fetchall()
    joined = "FROM judgment j JOIN score s ON s.judgment = j.number WHERE j.counted AND s.kind"
    scores, shown = store.db.execute(f"SELECT COUNT(s.value), COUNT(*) {joined} = 'item'").fetchone()
    # The checks are few, so that sorting them by kind costs little.
    checks = store.db.execute(
        f"SELECT s.kind, COUNT(s.value) {joined} <> 'item' GROUP BY s.kind ORDER BY s.kind"
    ).fetchall()
    wanted = a.design.judgments
    given = dict(
        store.db.execute(
            "SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM judgment j JOIN hit h ON h.batch = j.batch AND"
            " h.number = j.hit WHERE j.counted AND h.kind = 'work' GROUP BY j.batch, j.hit) GROUP BY n"
        ).fetchall()
    )
    hits, answered = count("SELECT COUNT(*) FROM hit WHERE kind = 'work'"), sum(given.values())
    still = (hits - answered) * wanted + sum(max(wanted - n, 0) * k for n, k in given.items())
    doubles = (
        "SELECT COALESCE(SUM(n - 1), 0) FROM (SELECT COUNT(*) AS n FROM judgment WHERE counted AND annotator IS"
        " NOT NULL AND batch IS NOT NULL GROUP BY annotator, batch, hit) WHERE n > 1"
    )
    return Progress(
        count("SELECT COUNT(*) FROM batch"),
        hits,
        answered,
        sum(returned.values()),
        int(returned.get(1, 0)),
        {name: int(n) for name, n in why},
        retracted,
        count(doubles),
        int(scores),
        int(shown - scores),
        {kind: int(n) for kind, n in checks},
        count("SELECT COUNT(DISTINCT annotator) FROM judgment WHERE counted"),
        max(still, 0),
        wanted,
    )


@dataclass(frozen=True)
class Cost:
    """Time and money of a campaign.

    seconds: median of a HIT; nan if no times are known.  timed: HITs with a known time.  returned, open: HITs
    returned (those set aside too: they were worked on), and still to come.  further: HITs that the last look
    at a stopping rule expects; nan without one.
    """

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
        found = {
            "median_seconds": self.seconds,
            "timed": self.timed,
            "pay_hour": self.pay_hour,
            "hits": self.returned,
            "hours": self.hours,
            "cost": self.cost(self.returned),
            "open_hits": self.open,
            "open_cost": self.cost(self.open),
            "rule_hits": self.further,
            "rule_cost": self.cost(self.further),
        }
        return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in found.items()}


def cost(store: Store, a: About, p: Progress, further: float) -> Cost:
    """The cost of an open campaign; `further` is what the last look expects, in HITs."""
    rows = store.db.execute("SELECT seconds FROM judgment WHERE seconds IS NOT NULL").fetchall()
    seconds = np.array(rows, np.float64).ravel()
    median = float(np.median(seconds)) if len(seconds) else float("nan")
    return Cost(median, len(seconds), a.design.pay_hour, p.judgments, p.open, further)
