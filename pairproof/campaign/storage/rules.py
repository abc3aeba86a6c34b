"""Rules that were fixed, and looks at them: what was decided before which judgments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from .clock import now
from .store import Store, opened

#: Most characters of a rule in words.
LONGEST = 2000


@dataclass(frozen=True)
class Rule:
    """A rule as it was fixed.

    name: repeats, exclusion, qualification, stop.  value: as JSON has it.  fixed: when, in UTC.
    after_judgments: judgments in the campaign at that moment.
    """

    number: int
    name: str
    value: Any
    fixed: str
    after_judgments: int


@dataclass(frozen=True)
class Look:
    """A look at a stopping rule.

    judgments: judgments that counted.
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

    Returns bool: whether it differs from the one before.
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


def rules_hash(rules: Iterable[Rule]) -> str:
    """A short hash of rules in their order, for reports: two reports with one hash followed the same rules,
    fixed after as many judgments.
    """
    rows = [(r.name, r.value, r.after_judgments) for r in rules]
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode("utf-8")).hexdigest()[:12]


def fix_exclusion(path: str | Path, text: str) -> tuple[Rule, ...]:
    """Write down which annotators will be excluded; a later one stands beside it, with its own moment.

    path: the campaign.  text: the rule in words, 1 to 2,000 characters.  Returns tuple of Rule: all rules of
    the campaign.
    """
    said = " ".join(text.split())
    if not 1 <= len(said) <= LONGEST:
        raise InputError(f"rule of exclusion: {len(said)} characters; expected 1 to {LONGEST}")
    with opened(path, write=True) as store:
        write_rule(store, "exclusion", said)
        return rules_of(store)


def fixed_rules(path: str | Path) -> tuple[Rule, ...]:
    """All rules of a campaign, in the order in which they were fixed."""
    with opened(path, write=False) as store:
        return rules_of(store)


def looks_of(store: Store) -> tuple[Look, ...]:
    rows = store.db.execute("SELECT number, at, judgments, rule, answer FROM look ORDER BY number")
    return tuple(Look(n, at, judgments, rule, json.loads(answer)) for n, at, judgments, rule, answer in rows)


def write_look(store: Store, judgments: int, rule: str, answer: dict[str, Any]) -> None:
    store.db.execute(
        "INSERT INTO look (at, judgments, rule, answer) VALUES (?, ?, ?, ?)",
        (now(), judgments, rule, json.dumps(answer, sort_keys=True, ensure_ascii=False, allow_nan=False)),
    )
