"""Reads and writes the rows of a campaign's database: settings, annotators, items and their state, judgments.

An annotator has a name, a token in file names and links, and counts or not.  An item has what its reserved
columns say: role, original, source, system, known score.

The state of all items is also kept in one piece, so that a large campaign is read in milliseconds.  The
rows of the table `item` are what holds; the table `packed` repeats their numbers as arrays.  A trigger
(schema.sql) removes the arrays whenever the state in a row changes, whoever changes it, so that they can
be missing but never differ.  They are written again with the rows.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ...data.options import one_of, whole_number
from ...errors import InputError
from ...native.annotation.allocation import Pool
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.methods import ADDITIVE, METHODS, Method, ScoreState, Settings, observe
from ...text import quoted
from .contents import PackedState, packed_parts
from .design import RESERVED, ROLES, Design, State, now, number_of, stored_times
from .store import Store

if TYPE_CHECKING:
    from ...data.reading.sources import Table


#: Begins the name of the setting that a batch has if the results of its pages bear tokens.
TOKENS = "tokens of batch "
#: Longest name of an annotator, in characters; identifiers of crowd platforms have 14 to 36.
LONGEST = 200


@dataclass(frozen=True)
class AnnotatorRow:
    """An annotator; the token stands in file names and links, `why` is the reason of an exclusion."""

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
    found = store.value("SELECT number FROM annotator WHERE name = ?", (name,))
    return int(found) if found is not None else _insert(store, name, "active", None)


def add_annotator(store: Store, name: str) -> int:
    """Register an annotator, with a token."""
    name = str(name).strip()
    if not name or len(name) > LONGEST or not name.isprintable():
        expected = f"a name of 1 to {LONGEST} characters that can be printed"
        raise InputError(f"annotator {name[:40]!r}: expected {expected}")
    token = new_token()
    known = store.db.execute("SELECT number, token FROM annotator WHERE name = ?", (name,)).fetchone()
    if known and known[1]:
        raise InputError(f"annotator {name!r} is already in this campaign; 'easl annotators' lists all")
    if known:  # who gave judgments before
        store.db.execute("UPDATE annotator SET token = ? WHERE number = ?", (token, known[0]))
        return int(known[0])
    return _insert(store, name, "invited", token)


def new_token() -> str:
    """Eight hexadecimal digits that begin with a letter: no spreadsheet takes them for a number, as it does 12e45678."""
    return secrets.choice("abcdf") + secrets.token_hex(4)[1:]


def _insert(store: Store, name: str, state: State, token: str | None) -> int:
    return store.insert("annotator", {"name": name, "token": token, "state": state, "since": now()})


def set_state(store: Store, name: str, state: State, why: str = "") -> None:
    """Give an annotator another state."""
    one_of("state", state, get_args(State))
    if state == "excluded" and not why.strip():
        raise InputError(f"annotator {name!r}: an exclusion needs a reason (--why), to be recorded")
    values = (state, now(), why.strip(), annotator_named(store, name).number)
    store.db.execute("UPDATE annotator SET state = ?, since = ?, why = ? WHERE number = ?", values)


def annotator_named(store: Store, name: str) -> AnnotatorRow:
    """The annotator of this name, which must be there."""
    rows = annotator_rows(store)
    found = next((row for row in rows if row.name == name.strip()), None)
    if found is None:
        names = ", ".join(repr(row.name) for row in rows[:10]) or "none"
        more = " ..." if len(rows) > 10 else ""
        raise InputError(f"{store.path}: no annotator {name!r}; found {names}{more}")
    return found


@dataclass(frozen=True, eq=False)
class Items:
    """The items of a campaign, by position.

    `of` int[n_items]: the item that a degraded one degrades; -1 for all others. gold float[n_items]:
    known score, 0 to 1; nan where there is none.
    """

    ids: tuple[str, ...]
    role: tuple[str, ...]
    of: IntArray
    source: tuple[str, ...]
    system: tuple[str, ...]
    gold: FloatArray
    fields: tuple[tuple[str, ...], ...]

    @property
    def scored(self) -> IntArray:
        """Positions of the items that have a score: those of role item."""
        return np.flatnonzero([role == "item" for role in self.role]).astype(np.int64)


def items_of(store: Store) -> Items:
    """The items of an open campaign."""
    query = "SELECT id, role, of, source, system, gold, fields FROM item ORDER BY position"
    rows = store.db.execute(query).fetchall()
    ids, role, of, source, system, gold, fields = zip(*rows)
    original = np.array([-1 if k is None else k for k in of], np.int64)
    known = np.array(gold, np.float64)  # NULL becomes nan
    return Items(ids, role, original, source, system, known, tuple(tuple(json.loads(c)) for c in fields))


#: What the reserved columns say of an item: role, position of its original, source, system, known score.
Reserved = tuple[str, "int | None", str, str, "float | None"]


def reserved_cells(
    table: Table, ids: Sequence[str], cells: Mapping[str, Sequence[str]], column: Mapping[str, str]
) -> list[Reserved]:
    """Read and check the reserved columns of an items file: their cells, without guards, and own names."""
    position = {name: k for k, name in enumerate(ids)}
    blank = [""] * len(ids)
    role, of, source, system, gold = ([c.strip() for c in cells.get(name, blank)] for name in RESERVED)
    found: list[Reserved] = []
    for k in range(len(ids)):

        def wrong(name: str, said: str) -> InputError:
            return InputError(f"{table.where(k, column.get(name, name))}: {said}")

        kind, known = role[k] or "item", number_of(gold[k]) if gold[k] else None
        if kind not in ROLES:
            raise wrong(
                "role",
                f"{kind!r}; expected one of {', '.join(ROLES)}, or nothing for item. If the column"
                " means something else, use --col role= (with nothing after =)",
            )
        if known is not None and not 0.0 <= known <= 1.0:
            raise wrong("gold", f"{gold[k]!r}; expected a known score from 0 to 1 (divide 0 to 100 by 100)")
        if kind in ("attention", "gold") and known is None:
            raise wrong("gold", f"blank; an item of role {kind} needs a known score, 0 to 1")
        if kind != "degraded" and of[k]:
            raise wrong("of", f"{of[k]!r}; only an item of role degraded has an original, this is {kind}")
        if kind == "degraded" and position.get(of[k], k) == k:
            raise wrong("of", f"{of[k]!r}; a degraded item needs the id of the item that it degrades")
        original = position[of[k]] if kind == "degraded" else None
        found.append((kind, original, source[k], system[k], known))
    for k, (_, original, *_) in enumerate(found):
        if original is not None and found[original][0] == "degraded":
            raise InputError(
                f"{table.where(k, column.get('of', 'of'))}: {of[k]!r} is itself degraded; expected an original"
            )
    if not any(kind == "item" for kind, *_ in found):
        raise InputError(f"{table.source}: no row has the role item, so there is nothing to score")
    return found


def packed(store: Store) -> tuple[PackedState | None, IntArray | None]:
    """The columns a, b and n of all items, and their roles; None if they have to be read row by row."""
    return packed_parts(store.db, int(store.value("SELECT MAX(position) FROM item")) + 1)


def pack_state(store: Store, a: FloatArray, b: FloatArray, n: IntArray) -> None:
    """Write the arrays, after the rows have been written."""
    content = b"".join((a.astype("<f8").tobytes(), b.astype("<f8").tobytes(), n.astype("<i8").tobytes()))
    store.db.execute("INSERT OR REPLACE INTO packed VALUES ('state', ?)", (content,))


def roles_of(store: Store) -> IntArray:
    """The role of every item, as indices into :data:`pairproof.campaign.storage.design.ROLES`."""
    _, found = packed(store)
    if found is not None:
        return found
    code = {name: k for k, name in enumerate(ROLES)}
    rows = store.db.execute("SELECT role FROM item ORDER BY position")
    return np.array([code[role] for (role,) in rows], np.int64)


def pack_roles(store: Store, roles: IntArray) -> None:
    """Write the roles of all items, which never change."""
    content = roles.astype(np.uint8).tobytes()
    store.db.execute("INSERT OR IGNORE INTO packed VALUES ('roles', ?)", (content,))


def is_packed(store: Store) -> bool:
    """Whether both are there."""
    row = store.db.execute("SELECT COUNT(*) FROM packed WHERE name IN ('state', 'roles')").fetchone()
    return int(row[0]) == 2


@dataclass(frozen=True)
class About:
    """The settings of a campaign.

    id: in every batch and result, so that the file of another campaign is noticed. seed: batch k is drawn
    with it and k. imported: taken over from an older tool; results may name HITs that were not written
    here.
    """

    id: str
    method: Method
    per_hit: int
    settings: Settings
    pool: Pool
    seed: int
    columns: tuple[str, ...]
    imported: bool
    design: Design = Design()


#: Most items of a HIT; nobody shows as many, and a number without end in a damaged file would take memory.
LARGEST_HIT = 1_000_000
#: Fields that are stored separately from the other settings.
_SETTINGS = ("gamma", "epsilon", "tie_within")


def about(store: Store) -> About:
    """The settings of the campaign in a store."""
    stored = json.loads(store.value("SELECT value FROM setting WHERE name = 'about'"))
    try:
        settings = Settings(**{name: stored.pop(name) for name in _SETTINGS})
        columns = tuple(stored.pop("columns"))
        design = Design.from_dict(stored.pop("design"))
        found = About(columns=columns, settings=settings, design=design, **stored)
        _check_about(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{store.path}, table 'setting', row 'about': {error}; the file is damaged, or was edited by hand:"
            " restore a copy of it"
        ) from error
    return found


def _check_about(a: About) -> None:
    """Check the types and ranges of settings, which JSON does not keep."""
    one_of("method", a.method, METHODS)
    one_of("pool", a.pool, get_args(Pool))
    whole_number("seed", a.seed)
    if whole_number("per_hit", a.per_hit, 1) > LARGEST_HIT:
        raise InputError(f"per_hit is {quoted(a.per_hit)}; expected at most {LARGEST_HIT:,}")
    d, s = a.design, a.settings
    numbers = (s.gamma, s.epsilon, s.tie_within, d.repeats, d.degraded, d.gold)
    finite = all(isinstance(v, (int, float)) and math.isfinite(v) for v in numbers)
    if not finite or type(d.judgments) is not int:
        raise InputError("settings or design have a value that is not a number")
    texts = (a.id, d.text, d.qualify, *d.show, *d.columns, *d.columns.values())
    if not all(isinstance(v, str) for v in texts) or len(a.columns) != len(set(a.columns)):
        raise InputError("settings or design have a value that is not text, or a column twice")


def drawn_seed(seed: int | None) -> int:
    """The seed that was given, or one drawn at random."""
    return secrets.randbits(48) if seed is None else whole_number("seed", seed)


def write_about(store: Store, a: About) -> None:
    stored = asdict(a)
    stored.update(stored.pop("settings"))
    store.db.execute("INSERT OR REPLACE INTO setting VALUES ('about', ?)", (json.dumps(stored),))


def write_items(
    store: Store,
    ids: Sequence[str],
    fields: Sequence[Sequence[str]],
    state: ScoreState,
    reserved: Sequence[Reserved],
) -> None:
    """Write the items with their initial state and what their reserved columns say."""
    a, b, n = columns_of(state)
    rows = (
        (k, name, json.dumps(list(cells), ensure_ascii=False), *(a[k], b[k], n[k]) * 2, *reserved[k])
        for k, (name, cells) in enumerate(zip(ids, fields))
    )
    store.db.executemany(f"INSERT INTO item VALUES ({', '.join('?' * 14)})", rows)
    pack_state(store, state.a, state.b, state.n)
    pack_roles(store, roles_of(store))


def columns_of(state: ScoreState) -> tuple[list[float | None], list[float | None], list[int]]:
    def cells(values: FloatArray) -> list[float | None]:
        return [None if math.isnan(x) else x for x in values.tolist()]

    return cells(state.a), cells(state.b), state.n.tolist()


def ids_of(store: Store) -> tuple[str, ...]:
    return tuple(row[0] for row in store.db.execute("SELECT id FROM item ORDER BY position"))


def fields_of(store: Store, positions: Iterable[int] | None = None) -> dict[int, tuple[str, list[str]]]:
    """The id and the other columns of each item, by position."""
    rows = store.db.execute("SELECT position, id, fields FROM item ORDER BY position").fetchall()
    if positions is not None:
        wanted = set(positions)
        rows = [row for row in rows if row[0] in wanted]
    # One JSON text of all is read several times faster than one of each.
    cells = json.loads(f"[{','.join(row[2] for row in rows)}]")
    return {row[0]: (row[1], own) for row, own in zip(rows, cells)}


def state_of(store: Store, method: Method, *, at_start: bool = False) -> ScoreState:
    """The state of the items now, or at the start."""
    found, _ = (None, None) if at_start else packed(store)
    if found is not None:
        return ScoreState(method, *found)
    columns = "a0, b0, n0" if at_start else "a, b, n"
    rows = store.db.execute(f"SELECT {columns} FROM item ORDER BY position").fetchall()
    table = np.array(rows, np.float64)  # NULL becomes nan
    return ScoreState(method, table[:, 0].copy(), table[:, 1].copy(), table[:, 2].astype(np.int64))


def save_state(store: Store, state: ScoreState, positions: Iterable[int]) -> None:
    """Write the state of the items at these positions; that of the others stays as it is."""
    before, changed = state_of(store, state.method), np.fromiter(positions, np.int64)
    a, b, n = columns_of(state)
    rows = ((a[k], b[k], n[k], k) for k in changed.tolist())
    store.db.executemany("UPDATE item SET a = ?, b = ?, n = ? WHERE position = ?", rows)
    for whole, part in ((before.a, state.a), (before.b, state.b), (before.n, state.n)):
        whole[changed] = part[changed]
    pack_state(store, before.a, before.b, before.n)


@dataclass(frozen=True)
class Judged:
    """Judged HITs in the order in which they count, by batch (None: of an older tool), HIT and identity."""

    hits: list[IntArray]
    scores: list[FloatArray]
    batches: list[tuple[int | None, int | None]]
    workers: list[str]

    def upto(self, batch: int) -> Judged:
        """The judged HITs of batches up to a number, and those of older tools."""
        keep = [k for k, (b, _) in enumerate(self.batches) if b is None or b <= batch]
        return Judged(*([column[k] for k in keep] for column in vars(self).values()))


#: Columns of a judgment that come from a results file; the others follow from them.
JUDGMENT = ("identity", "batch", "hit", "hit_id", "assignment", "worker", "times", "received", "row")


def insert_received(store: Store, name: str, sha256: str, rows: int, new: int = 0) -> int:
    """Insert a results file; its number."""
    file = {"name": Path(name).name, "sha256": sha256, "taken": now(), "rows": rows, "new": new}
    return store.insert("received", file)


def insert_judgment(store: Store, judgment: Sequence[Any], scores: Iterable[Sequence[Any]]) -> None:
    """Insert a judgment, its values in the order of `JUDGMENT`, and its scores (slot, item, value, raw).

    Who gave it, when, and what each slot was for follow from these; whether it counts is settled
    afterwards.
    """
    given = dict(zip(JUDGMENT, judgment))
    more = (annotator_number(store, given["worker"]), *stored_times(json.loads(given["times"])))
    number = store.insert("judgment", {**given, **dict(zip(("annotator", "submitted", "seconds"), more))})
    place = (given["batch"], given["hit"])
    row = store.db.execute("SELECT plan FROM hit WHERE batch = ? AND number = ?", place).fetchone()
    # What each slot of the HIT is for; None if its items' roles say it.
    plan = json.loads(row[0]) if row and row[0] else None
    kind = "COALESCE(?, (SELECT role FROM item WHERE position = ?))"
    rows = [(number, *score, plan[score[0] - 1] if plan else None, score[1]) for score in scores]
    store.db.executemany(f"INSERT INTO score VALUES (?, ?, ?, ?, ?, {kind})", rows)


def items_of_hits(store: Store) -> dict[tuple[int, int], list[int]]:
    """The items of each HIT, by batch and HIT."""
    rows = store.db.execute("SELECT batch, number, items FROM hit")
    return {(batch, hit): json.loads(items) for batch, hit, items in rows}


#: The order in which judgments count; HITs of older tools come first.
ORDER = "j.batch IS NOT NULL, j.batch, j.hit, j.identity"


#: The scores that give the items' state: of judgments that count, in slots for items.
COUNTED = "j.counted AND s.kind = 'item'"


def judged(store: Store, where: str = "1", bound: Sequence[Any] = ()) -> Judged:
    """The judgments that count, with the scores that do; `where` is an SQL condition on judgment j."""
    query = (
        "SELECT j.number, j.batch, j.hit, j.worker, s.item, s.value FROM judgment j JOIN score s ON"
        f" s.judgment = j.number WHERE {COUNTED} AND {where} ORDER BY {ORDER}, j.number, s.slot"
    )
    rows = store.db.execute(query, bound)
    found = Judged([], [], [], [])
    for (_, batch, hit, worker), group in groupby(rows, key=itemgetter(0, 1, 2, 3)):
        scores = [(item, math.nan if value is None else value) for *_, item, value in group]
        found.hits.append(np.array([item for item, _ in scores], np.int64))
        found.scores.append(np.array([value for _, value in scores], np.float64))
        found.batches.append((batch, hit))
        found.workers.append(worker)
    return found


def counted_scores(store: Store, where: str = "1", bound: Sequence[Any] = ()) -> tuple[IntArray, FloatArray]:
    """Items int[n] and values float[n] of the scores that give the state; `where`: a condition on j or s."""
    joined = "FROM judgment j JOIN score s ON s.judgment = j.number"
    query = f"SELECT s.item, s.value {joined} WHERE {COUNTED} AND s.value IS NOT NULL AND {where}"
    rows = store.db.execute(query, bound).fetchall()
    table = np.array(rows, np.float64).reshape(-1, 2)
    return table[:, 0].astype(np.int64), table[:, 1]


def recount_all(store: Store, a: About) -> None:
    """Compute the items' state from all judgments, beginning at the start."""
    every = judged(store)
    state = observe(state_of(store, a.method, at_start=True), every.hits, every.scores, a.settings)
    save_state(store, state, range(len(state.a)))


def recount(store: Store, a: About, newer_than: int) -> None:
    """Update the items' state to all judgments, of which those after number `newer_than` are new.

    The result is the state that all judgments give in their own order, whatever the order of arrival.
    Methods that add scores up recompute the items concerned.  The others continue from the present state if
    all new judgments come last in the order, and otherwise begin again.
    """
    query = "SELECT DISTINCT item FROM score WHERE judgment > ?"
    touched = [item for (item,) in store.db.execute(query, (newer_than,))]
    if a.method in ADDITIVE:
        among = "s.item IN (SELECT item FROM score WHERE judgment > ?)"
        items, values = counted_scores(store, among, (newer_than,))
        start = state_of(store, a.method, at_start=True)
        save_state(store, observe(start, [[i] for i in items], [[v] for v in values], a.settings), touched)
        return
    behind = (
        f"SELECT 1 FROM (SELECT number FROM judgment j WHERE counted ORDER BY {ORDER} LIMIT (SELECT COUNT(*)"
        " FROM judgment WHERE counted AND number <= ?)) WHERE number > ? LIMIT 1"
    )
    if store.value(behind, (newer_than, newer_than)) is not None:
        recount_all(store, a)
        return
    new = judged(store, "j.number > ?", (newer_than,))
    save_state(store, observe(state_of(store, a.method), new.hits, new.scores, a.settings), touched)
