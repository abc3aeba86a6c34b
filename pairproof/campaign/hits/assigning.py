"""Who gets which HIT: deals HITs, gives again what did not come back, and judges who has qualified.

HITs are dealt round like cards.  With M annotators and K different ones for each HIT, the annotators stand
in a row drawn at random, and HIT h goes to those at places hK, hK + 1, ..., hK + K - 1, counted round.  So
the numbers of HITs of two annotators differ by at most one; teams (the K annotators of a HIT) come back
after M / gcd(M, K) HITs; the row is drawn anew after `TOGETHER` rounds, so that annotators share items
with many others: teams that never mix could not be compared by a model of annotators.

Crowd workers whose names came with results are not registered; nothing is assigned to them.  A HIT lacks
an annotator when one of those who had it is past the due date (expired), has left (withdrawn) or is
excluded; the next batch gives it to somebody who has not had it.  An annotator gets each HIT once.

The rule of the qualification batch is one condition or several with "and":

    spearman>=.5            rank correlation with the known scores, over items with an answer
    mean-difference<=.2     mean distance from the known scores (0 to 1), over items with an answer
    within .1 >= .8         share of all items answered within .1 of the known score; no answer is not within

A number that cannot be computed (fewer than three answers, or all alike, for spearman) does not meet the
condition.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.random import Generator

from ...errors import InputError
from ...native.annotation.beta import FloatArray, IntArray
from ..storage.design import now
from ..storage.records import TOKENS, About, AnnotatorRow, annotator_rows
from ..storage.store import Store

#: HITs that a team gets before the row of annotators is drawn anew.
TOGETHER = 4
#: Rows drawn for a batch at most: large batches keep their teams longer.
ROWS = 8


def deal(hits: int, annotators: IntArray, each: int, load: IntArray, rng: Generator) -> IntArray:
    """Deal HITs to annotators[m], `each` different ones: int[hits, each]; the last by load[m]."""
    m = len(annotators)
    if not 1 <= each <= m:
        raise InputError(
            f"{each} different annotators per HIT, but only {m} can receive HITs; register more ('easl"
            " annotators add'), or ask for fewer (--judgments)"
        )
    period = m // math.gcd(m, each)
    rows = min(ROWS, max(1, hits // (TOGETHER * period)))
    # Full rounds only, so that whoever is first in the next row has had as many HITs as everybody else.
    length = hits // (rows * period) * period
    found = np.empty((hits, each), np.int64)
    for k in range(rows):
        begin, end = k * length, hits if k == rows - 1 else (k + 1) * length
        row = rng.permutation(m)
        whole = begin + (end - begin) // period * period
        places = (np.arange(hits)[:, None] * each + np.arange(each)) % m
        found[begin:whole] = annotators[row[places[: whole - begin]]]
        row = row[np.argsort(load[row], kind="stable")]
        found[whole:end] = annotators[row[places[: end - whole]]]
    return found


def teams_of(given: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct teams of a deal, int[teams, each], and the team of every HIT, int[hits]."""
    teams, which = np.unique(np.sort(given, axis=1), axis=0, return_inverse=True)
    return teams.astype(np.int64), np.ravel(which).astype(np.int64)


def own_order(hits: IntArray, after: Sequence[Key], rng: Generator, spread: Collection[int] = ()) -> IntArray:
    """An annotator's own order of hits[n]: random, but after its earlier one a repeat (hit, earlier), and
    some spread.

    HITs with degraded items would otherwise come early, because those with repeats have to come late.
    Their places are drawn first, one in each of as many parts of the work, and the other HITs stand
    around them.
    """
    key = dict(zip(hits.tolist(), rng.random(len(hits)).tolist()))
    waits, frees = Counter[int](), defaultdict(list)
    for hit, earlier in set(after):
        if hit in key and earlier in key:
            waits[hit] += 1
            frees[earlier].append(hit)
    marked = set(spread) & key.keys()
    ready: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    for hit in key:
        if not waits[hit]:
            heappush(ready[hit in marked], (key[hit], hit))
    order: list[int] = []
    owed = 0  # marked HITs that stand where others should
    for wanted in _places_of(len(marked), len(key), rng):
        mark = wanted if not owed else owed < 0
        mark = mark if ready[mark] else not mark
        owed += int(mark) - int(wanted)
        _, hit = heappop(ready[mark])
        order.append(hit)
        for freed in frees[hit]:
            waits[freed] -= 1
            if not waits[freed]:
                heappush(ready[freed in marked], (key[freed], freed))
    return np.array(order, np.int64)


def _places_of(marked: int, n: int, rng: Generator) -> list[bool]:
    """Which of n places are marked ones: one in each of as many parts, whose sizes differ by one at most."""
    found = [False] * n
    if marked:
        sizes = rng.permutation([len(part) for part in np.array_split(np.arange(n), marked)])
        for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist()):
            found[end - 1 - int(rng.integers(size))] = True
    return found


_NUMBER = r"(\d+\.?\d*|\.\d+)"
_CONDITION = re.compile(
    rf"\s*(?:(?P<name>spearman|mean-difference)|within\s+(?P<near>{_NUMBER}))\s*(?P<sign>>=|<=)\s*"
    rf"(?P<bound>{_NUMBER})\s*",
    re.ASCII,
)
_EXPECTED = "'spearman>=.5', 'mean-difference<=.2', 'within .1 >= .8', or several of them joined by 'and'"
#: Answers below which a rank correlation says nothing: two always give 1 or -1.
LEAST = 3


@dataclass(frozen=True)
class Condition:
    """A condition of a rule; of `within`, `near` is how far an answer may be from the known score."""

    name: str
    bound: float
    near: float = 0.0

    def __str__(self) -> str:
        if self.name == "within":
            return f"within {self.near:g} >= {self.bound:g}"
        return f"{self.name}{'<=' if self.name == 'mean-difference' else '>='}{self.bound:g}"

    def value(self, gold: FloatArray, given: FloatArray) -> float:
        """The quantity, by known and given scores float[n] (nan: cannot judge); nan if it has none."""
        said = ~np.isnan(given)
        if self.name == "within":
            # Differences of decimals are not exact: .6 is within .1 of .7.
            near = np.abs(given[said] - gold[said]) <= self.near + 1e-9
            return float(near.sum() / len(gold)) if len(gold) else math.nan
        if self.name == "mean-difference":
            return float(np.abs(given[said] - gold[said]).mean()) if said.any() else math.nan
        return _spearman(gold[said], given[said])

    def met_by(self, value: float) -> bool:
        """Whether a value of the quantity meets the condition; nan does not."""
        if math.isnan(value):
            return False
        return value <= self.bound + 1e-9 if self.name == "mean-difference" else value >= self.bound - 1e-9


def _spearman(x: FloatArray, y: FloatArray) -> float:
    from scipy.stats import rankdata

    if len(x) < LEAST or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return math.nan
    # Ties of decimals are ties: .71 * 100 and 71 have one rank.
    return float(np.corrcoef(rankdata(x.round(10)), rankdata(y.round(10)))[0, 1])


def parse_rule(text: str) -> tuple[Condition, ...]:
    """The conditions of a rule."""
    found = [_condition(part, text) for part in re.split(r"\band\b", text)]
    if len({(c.name, c.near) for c in found}) < len(found):
        raise InputError(f"--qualify {text!r}: the same quantity appears twice; expected each once")
    return tuple(found)


def _condition(part: str, text: str) -> Condition:
    match = _CONDITION.fullmatch(part)
    if match is None:
        raise InputError(f"--qualify {text!r}: {part.strip()!r} is not a condition; expected {_EXPECTED}")
    name, bound = match["name"] or "within", float(match["bound"])
    sign = "<=" if name == "mean-difference" else ">="
    if match["sign"] != sign:
        raise InputError(f"--qualify {text!r}: {name} with {match['sign']}; expected {name} {sign} a number")
    near = float(match["near"] or 0.0)
    for number in (bound, near):
        if not 0.0 <= number <= 1.0:
            raise InputError(f"--qualify {text!r}: {number:g}; expected numbers from 0 to 1")
    return Condition(name, bound, near)


@dataclass(frozen=True)
class Qualification:
    """What an annotator reached in the qualification batch; `met` is None while items are still to come."""

    answered: int
    items: int
    values: tuple[tuple[Condition, float], ...]
    met: bool | None

    def __str__(self) -> str:
        said = f"{self.answered} of {self.items} qualification items"
        if self.met is None:
            return said
        parts = [f"{c}: {'none' if math.isnan(v) else format(v, '.3f')}" for c, v in self.values]
        return f"{said}, {'met' if self.met else 'NOT met'} ({'; '.join(parts)})"


def judge(rule: tuple[Condition, ...], gold: FloatArray, given: FloatArray, items: int) -> Qualification:
    """Whether answers meet a rule, by known and given scores float[n] (nan: cannot judge)."""
    values = tuple((c, c.value(gold, given)) for c in rule)
    met = None if len(gold) < items or not items else all(c.met_by(v) for c, v in values)
    return Qualification(len(gold), items, values, met)


_ASKED = (
    "SELECT j.annotator, s.item, s.value, i.gold FROM judgment j JOIN hit h ON h.batch = j.batch AND"
    " h.number = j.hit JOIN score s ON s.judgment = j.number JOIN item i ON i.position = s.item"
    " WHERE h.kind = 'qualification' AND j.annotator IS NOT NULL AND j.why <> 'repeat'"
    " ORDER BY j.submitted IS NULL, j.submitted, j.identity"
)


def qualification_items(store: Store) -> int:
    """Number of different items in the HITs of kind qualification."""
    rows = store.db.execute("SELECT items FROM hit WHERE kind = 'qualification'")
    return len({item for (items,) in rows for item in json.loads(items)})


def qualifications(store: Store, a: About) -> dict[int, Qualification]:
    """What each annotator who answered qualification HITs reached, by number; none without a rule."""
    if not a.design.qualify:
        return {}
    rule, items = parse_rule(a.design.qualify), qualification_items(store)
    given: dict[int, dict[int, tuple[float, float | None]]] = {}
    for who, item, value, gold in store.db.execute(_ASKED):
        # The first answer to an item counts, as the first judgment of a HIT does.
        given.setdefault(who, {}).setdefault(item, (gold, value))
    # NULL becomes nan.
    pairs = {who: np.array(list(own.values()), np.float64).T for who, own in given.items()}
    return {who: judge(rule, gold, value, items) for who, (gold, value) in pairs.items()}


def sync_states(store: Store, a: About) -> None:
    """Bring the states of registered annotators up to date: qualified by the rule, else active by judgments."""
    rows = store.db.execute("SELECT DISTINCT annotator FROM judgment WHERE annotator IS NOT NULL")
    to, numbers = "active", [who for (who,) in rows]
    if a.design.qualify:
        to, numbers = "qualified", [who for who, found in qualifications(store, a).items() if found.met]
    store.db.executemany(
        "UPDATE annotator SET state = ?, since = ? WHERE number = ? AND token IS NOT NULL AND state IN"
        " ('invited', 'active') AND state <> ?",
        [(to, now(), who, to) for who in numbers],
    )


Key = tuple[int, int]
#: An annotator's number, and the HIT that the annotator gets.
Taker = tuple[int, Key]
#: The name of the setting that says how many annotators each HIT of a batch was dealt to.
_JUDGMENTS = "judgments of batch {}"


@dataclass(frozen=True)
class People:
    """The annotators who have a token, and those of them who can be given HITs."""

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
        todo = "; register others with 'easl annotators add', or restore one"
        if a.design.qualify:
            cure = "open the qualification batch with 'easl next --qualification', and add its results"
            todo = f" (rule: {a.design.qualify}); {cure}"
        nobody = f"none of the {len(registered)} registered annotators can receive HITs"
        raise InputError(f"{store.path}: {nobody}: {listed}{todo}")
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
            f"--due {text!r}: expected a date such as 2026-12-01 (end of day, UTC), or a time such as"
            " 2026-12-01T18:00:00Z"
        ) from None
    found = at.astimezone(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if found <= now():
        raise InputError(f"--due {text}: has passed (now: {now()}); expected a future date")
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
    where = "state IN ('open', 'returned')"
    rows = store.db.execute(f"SELECT annotator, COUNT(*) FROM assignment WHERE {where} GROUP BY annotator")
    count: dict[int, int] = dict(rows.fetchall())
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
    store: Store, a: About, numbers: IntArray, rng: Generator, most: int | None = None
) -> tuple[list[Taker], int]:
    """Takers for HITs that lack some: those with the fewest HITs, else at random; how many lack still."""
    missing, known = lacking(store, a), had(store)
    load: dict[int, int] = dict(zip(numbers.tolist(), loads(store, numbers).tolist()))
    found: list[Taker] = []
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


def for_everybody(store: Store, numbers: IntArray, kind: str) -> list[Taker]:
    """HITs of a kind that everybody gets (calibration, qualification), for those who have not had them."""
    keys = store.db.execute("SELECT batch, number FROM hit WHERE kind = ? ORDER BY batch, number", (kind,))
    known = had(store)
    return [(who, key) for key in keys.fetchall() for who in numbers.tolist() if who not in known[key]]


def assign(
    store: Store, a: About, pairs: Sequence[Taker], due: str | None, seed: int, after: Sequence[Key] = ()
) -> None:
    """Store who gets which HIT, each in their order; `after`: HITs, from 1, the first repeats the second."""
    rows_of_hits = store.db.execute("SELECT batch, number, items, plan, kind FROM hit").fetchall()
    size = {(b, h): items.count(",") + 1 for b, h, items, _, _ in rows_of_hits}
    degraded = {(b, h) for b, h, _, plan, _ in rows_of_hits if plan is not None and '"degraded"' in plan}
    first = {(b, h) for b, h, *_, kind in rows_of_hits if kind == "calibration"}
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
        query = "SELECT COALESCE(MAX(place), 0) FROM assignment WHERE annotator = ? AND batch = ?"
        taken = store.value(query, (who, batch))
        for place, hit in enumerate(order, taken + 1):
            shown = (rng.permutation(size[batch, hit]) + 1).tolist()
            rows.append((who, batch, hit, now(), due, "open", place, str(shown)))
    columns = "annotator, batch, hit, given, due, state, place, shown"
    store.db.executemany(f"INSERT INTO assignment ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


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
    setting = (_JUDGMENTS.format(batch), str(judgments))
    store.db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", setting)
