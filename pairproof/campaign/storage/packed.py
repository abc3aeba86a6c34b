"""The state of all items in one piece, so that a large campaign is read in milliseconds.

The rows of the table `item` are what holds; the table `packed` repeats their numbers as arrays.  A trigger
(schema.sql) removes the arrays whenever the state in a row changes, whoever changes it, so that they can be
missing but never differ.  They are written again with the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...native.annotation.beta import FloatArray, IntArray
from .contents import PackedState, packed_parts
from .design import ROLES

if TYPE_CHECKING:
    from .store import Store


def _parts(store: Store) -> tuple[PackedState | None, IntArray | None]:
    return packed_parts(store.db, int(store.db.execute("SELECT MAX(position) FROM item").fetchone()[0]) + 1)


def packed_state(store: Store) -> PackedState | None:
    """The columns a, b and n of all items; None if they have to be read row by row."""
    return _parts(store)[0]


def pack_state(store: Store, a: FloatArray, b: FloatArray, n: IntArray) -> None:
    """Write the arrays, after the rows have been written."""
    content = b"".join((a.astype("<f8").tobytes(), b.astype("<f8").tobytes(), n.astype("<i8").tobytes()))
    store.db.execute("INSERT OR REPLACE INTO packed VALUES ('state', ?)", (content,))


def roles_of(store: Store) -> IntArray:
    """The role of every item, as indices into :data:`pairproof.campaign.storage.design.ROLES`."""
    found = _parts(store)[1]
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
