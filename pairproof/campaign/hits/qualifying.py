"""Judges who has met the qualification rule, from the judgments of the qualification batch."""

from __future__ import annotations

import json
import math

import numpy as np

from ..storage.clock import now
from ..storage.records import About
from ..storage.store import Store
from .qualification import Qualification, judge, parse_rule

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
    given: dict[int, dict[int, tuple[float, float]]] = {}
    for who, item, value, gold in store.db.execute(_ASKED):
        # The first answer to an item counts, as the first judgment of a HIT does.
        given.setdefault(who, {}).setdefault(item, (gold, math.nan if value is None else value))
    found = {}
    for who, pairs in given.items():
        gold, value = np.array(list(pairs.values()), np.float64).T
        found[who] = judge(rule, gold, value, items)
    return found


def sync_states(store: Store, a: About) -> None:
    """Bring the states of registered annotators up to date: qualified by the rule, else active by judgments."""
    if a.design.qualify:
        met = [who for who, found in qualifications(store, a).items() if found.met]
        to, numbers = "qualified", met
    else:
        rows = store.db.execute("SELECT DISTINCT annotator FROM judgment WHERE annotator IS NOT NULL")
        to, numbers = "active", [who for (who,) in rows]
    store.db.executemany(
        "UPDATE annotator SET state = ?, since = ? WHERE number = ? AND token IS NOT NULL AND state IN"
        " ('invited', 'active') AND state <> ?",
        [(to, now(), who, to) for who in numbers],
    )
