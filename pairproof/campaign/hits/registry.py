"""`easl annotators`: registers annotators, lists them with what they reached, excludes and restores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..results.settle import settle
from ..storage.annotators import AnnotatorRow, add_annotator, annotator_rows, set_state
from ..storage.records import about, recount_all
from ..storage.store import Store, opened
from .assigning import expire
from .qualification import Qualification
from .qualifying import qualifications, sync_states


@dataclass(frozen=True)
class Person:
    """An annotator with what they have done.

    token: none: not registered; the name came with results.  open, returned, expired: HITs that they were
    given, by what became of them.  judgments, counted: HITs that they answered, and those of them that count.
    qualification: none: the campaign has no rule, or no answers came.
    """

    name: str
    token: str | None
    state: str
    since: str
    why: str
    open: int
    returned: int
    expired: int
    judgments: int
    counted: int
    qualification: Qualification | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        q = self.qualification
        found = {name: value for name, value in vars(self).items() if name != "qualification"}
        found["qualification"] = q and {
            "answered": q.answered,
            "items": q.items,
            "met": q.met,
            "values": {str(condition): value for condition, value in q.values},
        }
        return found


def registered(path: str | Path) -> tuple[Person, ...]:
    """The annotators of a campaign, in the order of their names."""
    with opened(path, write=False) as store:
        return _people(store)


def _people(store: Store) -> tuple[Person, ...]:
    reached = qualifications(store, about(store))
    given: dict[tuple[int, str], int] = {
        (who, state): n
        for who, state, n in store.db.execute(
            "SELECT annotator, state, COUNT(*) FROM assignment GROUP BY annotator, state"
        )
    }
    done: dict[int, tuple[int, int]] = {
        who: (n, counted)
        for who, n, counted in store.db.execute(
            "SELECT annotator, COUNT(*), SUM(counted) FROM judgment WHERE annotator IS NOT NULL GROUP BY annotator"
        )
    }
    return tuple(
        Person(
            row.name,
            row.token,
            row.state,
            row.since,
            row.why,
            given.get((row.number, "open"), 0),
            given.get((row.number, "returned"), 0),
            given.get((row.number, "expired"), 0),
            *done.get(row.number, (0, 0)),
            qualification=reached.get(row.number),
        )
        for row in annotator_rows(store)
    )


def register(path: str | Path, names: Sequence[str]) -> tuple[Person, ...]:
    """Register annotators: all of them, or none if one cannot be.

    Returns tuple of Person: those registered now.
    """
    stripped = [name.strip() for name in names]
    twice = [name for name in dict.fromkeys(stripped) if stripped.count(name) > 1]
    if twice:
        raise InputError(f"annotator {twice[0]!r} is named {stripped.count(twice[0])} times; expected once")
    with opened(path, write=True) as store:
        for name in stripped:
            add_annotator(store, name)
        return tuple(p for p in _people(store) if p.name in stripped)


def exclude(path: str | Path, name: str, why: str) -> tuple[Person, int]:
    """Exclude an annotator: their judgments no longer count, and what they have out is given to others.

    Returns int: judgments that counted and do not any more.
    """
    with opened(path, write=True) as store:
        row = _known(store, name)
        if row.state == "excluded":
            raise InputError(f"annotator {name!r} is excluded already, since {row.since}: {row.why}")
        set_state(store, row.name, "excluded", why)
        store.db.execute(
            "UPDATE assignment SET state = 'withdrawn' WHERE annotator = ? AND state = 'open'", (row.number,)
        )
        changed = _settled(store)
        return _person(store, row.name), changed


def restore(path: str | Path, name: str) -> tuple[Person, int]:
    """Let an excluded annotator count again; HITs that were given to others meanwhile stay with them.

    Returns int: judgments that count again.
    """
    with opened(path, write=True) as store:
        row = _known(store, name)
        if row.state != "excluded":
            raise InputError(f"annotator {name!r} is {row.state}, not excluded; there is nothing to restore")
        set_state(store, row.name, "invited" if row.token else "active")
        sync_states(store, about(store))
        changed = _settled(store)
        expire(store)
        return _person(store, row.name), changed


def _known(store: Store, name: str) -> AnnotatorRow:
    rows = annotator_rows(store)
    found = next((row for row in rows if row.name == name.strip()), None)
    if found is None:
        names = ", ".join(repr(row.name) for row in rows[:10]) or "none"
        raise InputError(
            f"{store.path}: no annotator {name!r}; there are {names}{' ...' if len(rows) > 10 else ''}"
        )
    return found


def _person(store: Store, name: str) -> Person:
    return next(p for p in _people(store) if p.name == name)


def _settled(store: Store) -> int:
    """Settle which judgments count, and the scores with them; how many changed."""
    a = about(store)
    changed = settle(store, a)
    if changed:
        recount_all(store, a)
    return len(changed)
