"""Chooses the next batch of HITs, stores it, and writes it to a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...data.options import whole_number
from ...errors import InputError
from ...files.outputs import replacing
from ...native.annotation.allocation import default_hits, next_hits
from ...native.annotation.beta import IntArray
from ..storage.clock import now
from ..storage.records import About, about, fields_of, ids_of, state_of
from ..storage.store import Store, opened
from .batch_file import SUFFIXES, batch_text
from .chosen import Batch


def open_batch(
    path: str | Path,
    out: str | Path,
    hits: int | None = None,
    *,
    again: bool = False,
    seed: int | None = None,
    force: bool = False,
) -> Batch:
    """Choose the next HITs, store them as a batch, and write them to a file.

    Parameters
    ----------
    path : path
        Of the campaign.
    out : path
        .csv (one row per HIT, for Mechanical Turk), .jsonl (the same keys), .html (a self-contained page).
    hits : int, optional
        Default: as many as show every item once (20 with pool keisks).
    again : bool
        Write the last batch again instead of choosing a new one.
    seed : int, optional
        Seed of this batch; default: the campaign's.
    force : bool
        Also overwrite a file that pairproof did not make.

    Returns
    -------
    Batch

    Raises
    ------
    InputError
    """
    file = Path(out)
    if file.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{out}: ends in {file.suffix or 'no suffix'!r}; expected one of {', '.join(SUFFIXES)}"
        )
    if again and hits is not None:
        raise InputError("--again writes the open batch unchanged; leave out --hits")
    with opened(path, write=not again) as store:
        a = about(store)
        last = store.db.execute("SELECT MAX(number) FROM batch").fetchone()[0]
        if again and last is None:
            raise InputError(f"{path}: no batch is open yet; leave out --again")
        number = last if again else (last or 0) + 1
        waiting = 0 if again else _unanswered(store)
        if not again:
            _keep(store, number, choose(store, a, number, hits, seed))
        batch = _read(store, a, number, waiting)
        with replacing(file, batch_text(batch, file.suffix.lower()), reads=[path], force=force):
            # The batch is stored before its file is written: if killed in between, --again writes the file.
            if not again:
                store.db.execute("COMMIT")
                store.db.execute("BEGIN")
    return batch


def choose(store: Store, a: About, number: int, hits: int | None, seed: int | None = None) -> IntArray:
    """The items of each HIT of the next batch, int[hits, per_hit], by their positions in the campaign."""
    state = state_of(store, a.method)
    rng = np.random.default_rng([whole_number("seed", a.seed if seed is None else seed), number])
    # If an older tool has given the items scores, this is not a first batch.
    first = number == 1 and not bool(state.n.any()) and np.unique(state.a[~np.isnan(state.a)]).size <= 1
    # The first batch shows every item once, as in keisks' code, whatever the number of HITs.
    wanted = default_hits(len(state.a), a.per_hit, "paper" if first else a.pool) if hits is None else hits
    ids = ids_of(store) if a.pool == "keisks" else None
    return next_hits(
        state,
        state.n + _pending(store, len(state.a)),
        a.per_hit,
        wanted,
        rng,
        first=first,
        pool=a.pool,
        gamma=a.settings.gamma,
        ids=ids,
    )


_OPEN = "FROM hit h WHERE NOT EXISTS (SELECT 1 FROM judgment j WHERE j.batch = h.batch AND j.hit = h.number)"


def _unanswered(store: Store) -> int:
    return int(store.db.execute(f"SELECT COUNT(*) {_OPEN}").fetchone()[0])


def _pending(store: Store, n_items: int) -> IntArray:
    """How often each item appears in HITs that nobody has judged yet."""
    out = [i for (items,) in store.db.execute(f"SELECT h.items {_OPEN}") for i in json.loads(items)]
    return np.bincount(np.array(out, np.int64), minlength=n_items)


def _keep(store: Store, number: int, hits: IntArray) -> None:
    store.db.execute("INSERT INTO batch VALUES (?, ?, ?)", (number, now(), len(hits)))
    store.db.executemany(
        "INSERT INTO hit (batch, number, items) VALUES (?, ?, ?)",
        ((number, k + 1, json.dumps(row)) for k, row in enumerate(hits.tolist())),
    )


def _read(store: Store, a: About, number: int, waiting: int) -> Batch:
    rows = [
        json.loads(r[0])
        for r in store.db.execute("SELECT items FROM hit WHERE batch = ? ORDER BY number", (number,))
    ]
    item = fields_of(store, (i for row in rows for i in row))
    hits = tuple(tuple((item[i][0], tuple(item[i][1])) for i in row) for row in rows)
    return Batch(a.id, number, a.per_hit, a.columns, hits, waiting)
