"""The state of all items in one piece, so that a large campaign is read in milliseconds.

The rows of the table `item` are what holds; the table `packed` repeats their numbers as arrays.  A trigger
(schema.sql) removes the arrays whenever the state in a row changes, whoever changes it, so that they can be
missing but never differ.  They are written again with the rows.
"""

from __future__ import annotations

import numpy as np

from ...native.annotation.beta import FloatArray, IntArray
from .design import ROLES
from .store import Store

#: Bytes of an item's state: two floats and a whole number, as arrays one after the other, little-endian.
_BYTES = 24
State = tuple[FloatArray, FloatArray, IntArray]


def _read(store: Store, name: str, bytes_each: int) -> tuple[bytes, int] | None:
    """The content and the number of items, if it is there and of their number."""
    found = store.db.execute("SELECT content FROM packed WHERE name = ?", (name,)).fetchone()
    if found is None:
        return None
    n = int(store.db.execute("SELECT MAX(position) FROM item").fetchone()[0]) + 1
    return (found[0], n) if len(found[0]) == n * bytes_each else None


def packed_state(store: Store) -> State | None:
    """The columns a, b and n of all items; None if they have to be read row by row."""
    found = _read(store, "state", _BYTES)
    if found is None:
        return None
    content, n = found
    a, b = (np.frombuffer(content, "<f8", n, at).astype(np.float64) for at in (0, 8 * n))
    return a, b, np.frombuffer(content, "<i8", n, 16 * n).astype(np.int64)


def pack_state(store: Store, a: FloatArray, b: FloatArray, n: IntArray) -> None:
    """Write the arrays, after the rows have been written."""
    content = b"".join((a.astype("<f8").tobytes(), b.astype("<f8").tobytes(), n.astype("<i8").tobytes()))
    store.db.execute("INSERT OR REPLACE INTO packed VALUES ('state', ?)", (content,))


def roles_of(store: Store) -> IntArray:
    """The role of every item, as indices into :data:`pairproof.campaign.storage.design.ROLES`."""
    found = _read(store, "roles", 1)
    if found is not None:
        return np.frombuffer(found[0], np.uint8).astype(np.int64)
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
