"""Who gets which HIT: deals HITs to registered annotators, and gives again what did not come back.

An annotator is registered with `easl annotators add` and then has a token.  Crowd workers whose names came
with results are not registered; nothing is assigned to them.  A HIT lacks an annotator when one of those who
had it is past the due date (expired), has left (withdrawn) or is excluded; the next batch gives it to somebody
who has not had it.  An annotator gets each HIT once.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import IntArray
from ..storage.annotators import TOKENS, AnnotatorRow, annotator_rows
from ..storage.clock import now
from ..storage.records import About
from ..storage.store import Store
from .dealing import own_order
from .qualifying import sync_states

Key = tuple[int, int]
#: The name of the setting that says how many annotators each HIT of a batch was dealt to.
_JUDGMENTS = "judgments of batch {}"


@dataclass(frozen=True)
class People:
    """The annotators who can be given HITs.

    registered: all who have a token.  ready: those who are not excluded and, if the campaign has a
    qualification rule, have met it.
    """

    registered: tuple[AnnotatorRow, ...]
    ready: tuple[AnnotatorRow, ...]

    @property
    def numbers(self) -> IntArray:
        """Numbers of those who are ready, ascending: draws do not depend on names."""
        return np.array(sorted(row.number for row in self.ready), np.int64)


def people(store: Store, a: About) -> People:
    """The annotators of a campaign, their states brought up to date."""
    sync_states(store, a)
    registered = tuple(row for row in annotator_rows(store) if row.token)
    states = ("qualified",) if a.design.qualify else ("invited", "qualified", "active")
    ready = tuple(row for row in registered if row.state in states)
    if registered and not ready:
        count = Counter(row.state for row in registered)
        listed = ", ".join(f"{n} {state}" for state, n in sorted(count.items()))
        todo = (
            f" (rule: {a.design.qualify}); open the qualification batch with 'easl next --qualification', and add its"
            " results"
            if a.design.qualify
            else "; register others with 'easl annotators add', or restore one"
        )
        raise InputError(
            f"{store.path}: nobody of {len(registered)} registered annotators can be given HITs: {listed}{todo}"
        )
    return People(registered, ready)


def registered_number(store: Store, name: str) -> int:
    """The number of a registered annotator."""
    query = "SELECT number FROM annotator WHERE name = ? AND token IS NOT NULL"
    row = store.db.execute(query, (str(name).strip(),)).fetchone()
    if row is None:
        raise InputError(
            f"{store.path}: no registered annotator {name!r}; 'easl annotators list' shows all, and 'easl annotators"
            " add' registers one"
        )
    return int(row[0])


def checked_due(text: str | None) -> str | None:
    """A due date as it is stored: the end of a day, or a moment, in UTC."""
    if text is None:
        return None
    try:
        if len(text) == 10:
            at = dt.datetime.combine(dt.date.fromisoformat(text), dt.time(23, 59, 59), dt.timezone.utc)
        else:
            at = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
            at = at if at.tzinfo else at.replace(tzinfo=dt.timezone.utc)
    except ValueError:
        raise InputError(
            f"--due {text!r}: expected a date such as 2026-12-01 (its end, UTC), or a moment such as"
            " 2026-12-01T18:00:00Z"
        ) from None
    found = at.astimezone(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if found <= now():
        raise InputError(f"--due {text}: has passed (now is {now()}); expected a date to come")
    return found


def expire(store: Store) -> int:
    """Mark open assignments whose due date has passed; how many."""
    done = store.db.execute(
        "UPDATE assignment SET state = 'expired' WHERE state = 'open' AND due IS NOT NULL AND due < ?",
        (now(),),
    )
    return int(done.rowcount)


def loads(store: Store, numbers: IntArray) -> IntArray:
    """How many HITs each of these annotators has or had."""
    rows = store.db.execute(
        "SELECT annotator, COUNT(*) FROM assignment WHERE state IN ('open', 'returned') GROUP BY annotator"
    )
    count: dict[int, int] = {who: n for who, n in rows}
    return np.array([count.get(int(k), 0) for k in numbers], np.int64)


def lacking(store: Store, a: About) -> dict[Key, int]:
    """HITs of kind work that were dealt and lack annotators, and how many each lacks."""
    wanted = judgments_of_batches(store)
    rows = store.db.execute(
        "SELECT s.batch, s.hit, SUM(s.state IN ('open', 'returned') AND p.state <> 'excluded') FROM assignment s"
        " JOIN annotator p ON p.number = s.annotator JOIN hit h ON h.batch = s.batch AND h.number = s.hit"
        " WHERE h.kind = 'work' GROUP BY s.batch, s.hit ORDER BY s.batch, s.hit"
    )
    missing = {(b, h): wanted.get(b, a.design.judgments) - live for b, h, live in rows}
    return {key: n for key, n in missing.items() if n > 0}


def had(store: Store) -> dict[Key, set[int]]:
    """The annotators who were given a HIT or judged it."""
    found: dict[Key, set[int]] = defaultdict(set)
    for who, batch, hit in store.db.execute(
        "SELECT annotator, batch, hit FROM assignment UNION SELECT annotator, batch, hit FROM judgment"
        " WHERE annotator IS NOT NULL AND batch IS NOT NULL"
    ):
        found[batch, hit].add(who)
    return found


def give_again(
    store: Store, a: About, numbers: IntArray, rng: np.random.Generator, most: int | None = None
) -> tuple[list[tuple[int, Key]], int]:
    """Find takers for HITs that lack annotators: those with the fewest HITs, at random among equals.

    Returns int: annotators that are lacking still, because everybody has had the HIT.
    """
    missing, known = lacking(store, a), had(store)
    load: dict[int, int] = dict(zip(numbers.tolist(), loads(store, numbers).tolist()))
    found: list[tuple[int, Key]] = []
    left = 0
    for key, n in missing.items():
        free = [who for who in rng.permutation(numbers).tolist() if who not in known[key]]
        takers = sorted(free, key=lambda who: load[who])[:n]
        for who in takers:
            if most is not None and len(found) >= most:
                return found, left
            found.append((who, key))
            load[who] += 1
        left += n - len(takers)
    return found, left


def for_everybody(store: Store, numbers: IntArray, kind: str) -> list[tuple[int, Key]]:
    """HITs of a kind that everybody gets (calibration, qualification), for those who have not had them."""
    keys = store.db.execute("SELECT batch, number FROM hit WHERE kind = ? ORDER BY batch, number", (kind,))
    known = had(store)
    return [(who, key) for key in keys.fetchall() for who in numbers.tolist() if who not in known[key]]


def assign(
    store: Store,
    a: About,
    pairs: Sequence[tuple[int, Key]],
    due: str | None,
    seed: int,
    after: Sequence[tuple[int, int]] = (),
) -> None:
    """Store who gets which HIT, each annotator's in an order of their own.

    after: HITs of the newest batch, from 1, of which the first repeats an item of the second.
    """
    wanted = {key for _, key in pairs}
    rows_of_hits = store.db.execute("SELECT batch, number, items, plan FROM hit").fetchall()
    size = {(b, h): items.count(",") + 1 for b, h, items, _ in rows_of_hits if (b, h) in wanted}
    degraded = {(b, h) for b, h, _, plan in rows_of_hits if plan is not None and '"degraded"' in plan}
    first = set(store.db.execute("SELECT batch, number FROM hit WHERE kind = 'calibration'").fetchall())
    own: dict[tuple[int, int], list[int]] = defaultdict(list)
    for who, (batch, hit) in pairs:
        own[who, batch].append(hit)
    rows = []
    newest = max((batch for _, (batch, _) in pairs), default=0)
    for (who, batch), hits in sorted(own.items()):
        rng = np.random.default_rng([seed, batch, who, 2])
        spread = [hit for hit in hits if (batch, hit) in degraded]
        order = own_order(np.array(sorted(hits)), after if batch == newest else (), rng, spread).tolist()
        order.sort(key=lambda hit: (batch, hit) not in first)
        taken = store.db.execute(
            "SELECT COALESCE(MAX(place), 0) FROM assignment WHERE annotator = ? AND batch = ?", (who, batch)
        ).fetchone()[0]
        for place, hit in enumerate(order, taken + 1):
            shown = (rng.permutation(size[batch, hit]) + 1).tolist()
            rows.append((who, batch, hit, now(), due, "open", place, str(shown)))
    store.db.executemany(
        "INSERT INTO assignment (annotator, batch, hit, given, due, state, place, shown)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def judgments_of_batches(store: Store) -> dict[int, int]:
    """How many annotators each HIT of a batch is for, by the batch's number; of those that were dealt."""
    query = "SELECT name, value FROM setting WHERE name LIKE ?"
    rows = store.db.execute(query, (_JUDGMENTS.format("%"),))
    return {int(name.rsplit(" ", 1)[1]): int(value) for name, value in rows}


def remember_tokens(store: Store, batch: int) -> None:
    """Store that the HITs of a batch were handed out on pages whose results bear their annotator's token."""
    store.db.execute("INSERT OR REPLACE INTO setting VALUES (?, '1')", (f"{TOKENS}{batch}",))


def remember_judgments(store: Store, batch: int, judgments: int) -> None:
    """Store how many annotators each HIT of a batch is for."""
    store.db.execute(
        "INSERT OR REPLACE INTO setting VALUES (?, ?)", (_JUDGMENTS.format(batch), str(judgments))
    )
