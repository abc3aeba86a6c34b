"""The items of a campaign with what their reserved columns say: role, original, source, system, known score."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import FloatArray, IntArray
from .design import RESERVED, ROLES
from .store import Store

if TYPE_CHECKING:
    from ...data.reading.table import Table


@dataclass(frozen=True, eq=False)
class Items:
    """The items of a campaign, by position.

    role: item, degraded, gold, calibration, attention or qualification.  `of` int[n_items]: position of the
    item that a degraded one degrades; -1 for all others.  source, system: "" where there is none.  gold
    float[n_items]: known score, 0 to 1; nan where there is none.  fields: the other columns of the items
    file.
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
    rows = store.db.execute(
        "SELECT id, role, of, source, system, gold, fields FROM item ORDER BY position"
    ).fetchall()
    ids, role, of, source, system, gold, fields = zip(*rows)
    return Items(
        ids,
        role,
        np.array([-1 if k is None else k for k in of], np.int64),
        source,
        system,
        np.array([math.nan if g is None else g for g in gold], np.float64),
        tuple(tuple(json.loads(cells)) for cells in fields),
    )


#: Names a cell for a message; finding its line in the file takes time, so only an error asks.
Where = Callable[[], str]
#: What the reserved columns say of an item: role, position of its original, source, system, known score.
Reserved = tuple[str, "int | None", str, str, "float | None"]


def reserved_cells(
    table: Table, ids: Sequence[str], cells: Mapping[str, Sequence[str]], column: Mapping[str, str]
) -> list[Reserved]:
    """Read and check the reserved columns of an items file.

    table: for messages.  cells: reserved name -> its cells, without guards; a name may be absent.  column:
    reserved name -> the column's own name.
    """
    position = {name: k for k, name in enumerate(ids)}
    blank = [""] * len(ids)
    role, of, source, system, gold = ([c.strip() for c in cells.get(name, blank)] for name in RESERVED)
    found: list[Reserved] = []
    for k in range(len(ids)):

        def where(name: str) -> str:
            return table.where(k, column.get(name, name))

        kind = role[k] or "item"
        if kind not in ROLES:
            raise InputError(
                f"{where('role')}: {kind!r}; expected one of {', '.join(ROLES)}, or nothing for item. If the"
                " column means something else, say --col role= (nothing after the sign)"
            )
        known = _known(gold[k], lambda: where("gold"))
        if kind in ("attention", "gold") and known is None:
            raise InputError(f"{where('gold')}: blank; an item of role {kind} needs a known score, 0 to 1")
        found.append(
            (kind, _original(kind, of[k], k, position, lambda: where("of")), source[k], system[k], known)
        )
    for k, (kind, original, *_) in enumerate(found):
        if original is not None and found[original][0] == "degraded":
            raise InputError(
                f"{table.where(k, column.get('of', 'of'))}: {of[k]!r} is degraded itself; expected an original"
            )
    if not any(kind == "item" for kind, *_ in found):
        raise InputError(f"{table.source}: no item has the role item, so there is nothing to score")
    return found


def _original(kind: str, of: str, k: int, position: Mapping[str, int], where: Where) -> int | None:
    if kind != "degraded":
        if of:
            raise InputError(
                f"{where()}: {of!r}; only an item of role degraded has an original, this is {kind}"
            )
        return None
    if position.get(of, k) == k:
        raise InputError(f"{where()}: {of!r}; a degraded item needs the id of the item that it degrades")
    return position[of]


def _known(text: str, where: Where) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{where()}: {text!r}; expected a known score from 0 to 1 (divide 0 to 100 by 100)")
    return value
