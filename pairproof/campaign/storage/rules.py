"""Rules that were fixed, and looks at them: what was decided before which judgments."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from .clock import now
from .store import Store


@dataclass(frozen=True)
class Rule:
    """A rule as it was fixed.

    Attributes
    ----------
    number : int
    name : str
        repeats, exclusion, qualification, stop.
    value : object
        As JSON has it.
    fixed : str
        When, in UTC.
    after_judgments : int
        Judgments in the campaign at that moment.
    """

    number: int
    name: str
    value: Any
    fixed: str
    after_judgments: int


@dataclass(frozen=True)
class Look:
    """A look at a stopping rule.

    Attributes
    ----------
    number : int
    at : str
    judgments : int
        Judgments that counted.
    rule : str
    answer : dict
    """

    number: int
    at: str
    judgments: int
    rule: str
    answer: dict[str, Any]


def rules_of(store: Store) -> tuple[Rule, ...]:
    rows = store.db.execute("SELECT number, name, value, fixed, after_judgments FROM rule ORDER BY number")
    return tuple(Rule(n, name, json.loads(value), fixed, after) for n, name, value, fixed, after in rows)


def write_rule(store: Store, name: str, value: Any) -> bool:
    """Fix a rule; the last one of its name holds.

    Returns
    -------
    bool
        Whether it differs from the one before.
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    last = store.db.execute(
        "SELECT value FROM rule WHERE name = ? ORDER BY number DESC LIMIT 1", (name,)
    ).fetchone()
    if last is not None and last[0] == text:
        return False
    after = store.db.execute("SELECT COUNT(*) FROM judgment").fetchone()[0]
    store.db.execute(
        "INSERT INTO rule (name, value, fixed, after_judgments) VALUES (?, ?, ?, ?)",
        (name, text, now(), after),
    )
    return True


def rules_hash(store: Store) -> str:
    """A short hash of all rules in their order, for reports: two reports with one hash followed one set."""
    rows = store.db.execute("SELECT name, value, after_judgments FROM rule ORDER BY number").fetchall()
    return hashlib.sha256(json.dumps(rows).encode("utf-8")).hexdigest()[:12]


def looks_of(store: Store) -> tuple[Look, ...]:
    rows = store.db.execute("SELECT number, at, judgments, rule, answer FROM look ORDER BY number")
    return tuple(Look(n, at, judgments, rule, json.loads(answer)) for n, at, judgments, rule, answer in rows)


def write_look(store: Store, judgments: int, rule: str, answer: dict[str, Any]) -> None:
    store.db.execute(
        "INSERT INTO look (at, judgments, rule, answer) VALUES (?, ?, ?, ?)",
        (now(), judgments, rule, json.dumps(answer, sort_keys=True, ensure_ascii=False, allow_nan=False)),
    )
