"""The annotators of a campaign: their names, their tokens in file names and links, and whether they count."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from ...data.options import one_of
from ...errors import InputError
from .clock import now
from .design import State

if TYPE_CHECKING:
    from .store import Store

#: Begins the name of the setting that a batch has if the results of its pages bear tokens.
TOKENS = "tokens of batch "
#: Longest name of an annotator, in characters; identifiers of crowd platforms have 14 to 36.
LONGEST = 200


@dataclass(frozen=True)
class AnnotatorRow:
    """An annotator as the campaign knows them.

    token: stands in file names and links in place of the name; None for one who was never given a file.
    since: when the state was given, in UTC.  why: the reason of an exclusion.
    """

    number: int
    name: str
    token: str | None
    state: State
    since: str
    why: str


def annotator_rows(store: Store) -> tuple[AnnotatorRow, ...]:
    """All annotators, in the order of their names."""
    rows = store.db.execute("SELECT number, name, token, state, since, why FROM annotator ORDER BY name")
    return tuple(AnnotatorRow(*row) for row in rows)


def batches_with_tokens(store: Store) -> set[int]:
    """The batches whose answers bear the token of the annotator whose page they come from."""
    rows = store.db.execute("SELECT name FROM setting WHERE name LIKE ?", (f"{TOKENS}%",))
    return {int(name[len(TOKENS) :]) for (name,) in rows}


def annotator_number(store: Store, name: str) -> int | None:
    """The number of the annotator with this name, who is made if there is none; None for no name."""
    name = name.strip()
    if not name:
        return None
    found = store.db.execute("SELECT number FROM annotator WHERE name = ?", (name,)).fetchone()
    return int(found[0]) if found else _insert(store, name, "active", None)


def add_annotator(store: Store, name: str, state: State = "invited") -> int:
    """Register an annotator, with a token."""
    one_of("state", state, get_args(State))
    name = str(name).strip()
    if not name or len(name) > LONGEST or not name.isprintable():
        raise InputError(
            f"annotator {name[:40]!r}: expected a name of 1 to {LONGEST} characters that can be printed"
        )
    token = new_token()
    known = store.db.execute("SELECT number, token FROM annotator WHERE name = ?", (name,)).fetchone()
    if known and known[1]:
        raise InputError(f"annotator {name!r} is in this campaign already; 'easl annotators' lists all")
    if known:  # who gave judgments before
        store.db.execute("UPDATE annotator SET token = ? WHERE number = ?", (token, known[0]))
        return int(known[0])
    return _insert(store, name, state, token)


def new_token() -> str:
    """Eight hexadecimal digits that begin with a letter: no spreadsheet takes them for a number, as it does 12e45678."""
    return secrets.choice("abcdf") + secrets.token_hex(4)[1:]


def _insert(store: Store, name: str, state: State, token: str | None) -> int:
    made = store.db.execute(
        "INSERT INTO annotator (name, token, state, since) VALUES (?, ?, ?, ?)", (name, token, state, now())
    ).lastrowid
    return int(made or 0)


def set_state(store: Store, name: str, state: State, why: str = "") -> None:
    """Give an annotator another state."""
    one_of("state", state, get_args(State))
    if state == "excluded" and not why.strip():
        raise InputError(f"annotator {name!r}: an exclusion needs a reason (--why), which is recorded")
    changed = store.db.execute(
        "UPDATE annotator SET state = ?, since = ?, why = ? WHERE name = ?", (state, now(), why.strip(), name)
    ).rowcount
    if not changed:
        known = [row.name for row in annotator_rows(store)]
        raise InputError(
            f"{store.path}: no annotator {name!r}; there are"
            f" {', '.join(map(repr, known[:10])) or 'none'}{' ...' if len(known) > 10 else ''}"
        )
