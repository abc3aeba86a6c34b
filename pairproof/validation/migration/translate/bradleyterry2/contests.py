"""The contests of a recorded BTm, read off its result: after subset, missing values and weights, as R used them.

    logit P(1 beats 2) = x'b + offset,  x the row of R's model matrix, in favour of player1

R keeps the players of all rows and the response of those it used; the names of the latter say which they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....bridge.capture.recorded import NotRecorded, RecordedCall
from .....bridge.values.values import RLang, RList, RVector

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: A count that misses a whole number, or a half, by this part of itself is one: it is a share times a weight.
WHOLE = 1e-9


class StaysInR(Exception):
    """Why a call has no counterpart in Python; its text is one sentence."""


@dataclass(frozen=True, eq=False)
class Contests:
    """What R used to fit a BTm, a value each row.

    id: name of the player factor.  players: its levels, in R's order.  `first`, second int[n]: positions in
    `players`.  wins, losses float[n]: of the first: share times weight.  offset float[n] or None.  x float[n,
    p]: R's model matrix.  names: its columns.  rows int[n]: positions among all rows that BTm was given.
    sides: the other columns of player1 and player2, of the rows used.  doubled: whether R took each row twice
    (a `subset` of positions); each is here once.  total: rows that BTm was given.
    """

    id: str
    players: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    losses: FloatArray
    offset: FloatArray | None
    x: FloatArray
    names: tuple[str, ...]
    rows: IntArray
    sides: tuple[dict[str, RVector], dict[str, RVector]]
    doubled: bool
    total: int

    @property
    def indicators(self) -> FloatArray:
        """float[n, players]: 1 for the first, -1 for the second."""
        rows = np.arange(len(self.first))
        out = np.zeros((len(rows), len(self.players)))
        np.add.at(out, (rows, self.first), 1.0)
        np.add.at(out, (rows, self.second), -1.0)
        return out

    @property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return bool((self.wins % 1 == 0).all() and (self.losses % 1 == 0).all())

    @property
    def halves(self) -> bool:
        """Whether every count that is not whole is a half."""
        return bool((2 * self.wins % 1 == 0).all() and (2 * self.losses % 1 == 0).all())


def contests_of(call: RecordedCall) -> Contests:
    """The contests of a recorded BTm."""
    key = (call.strings("id") or ("..",))[0]
    sides = tuple(_side(call, which, key) for which in ("player1", "player2"))
    one, other = sides[0][key], sides[1][key]
    if one.levels is None or one.levels != other.levels:
        raise StaysInR("its players are no factors with the same levels")
    share, weight = _numbers(call, "y"), _numbers(call, "prior_weights")
    if share.ndim == 2 or share.shape != weight.shape:
        raise StaysInR("its outcome is neither a share nor counts of wins and losses")
    n = len(share)
    rows, kept, doubled = _rows(call, n, len(one.values), _labels(call, sides_of=call.frame("player1")))
    share, weight = share[kept], weight[kept]
    if np.isnan(share).any() or one.na[rows].any() or other.na[rows].any():
        raise StaysInR("a row that it used has no outcome or no player")
    x, names = _design(call, n)
    offset = call.vector("offset")
    return Contests(
        key,
        one.levels,
        one.values[rows].astype(int) - 1,
        other.values[rows].astype(int) - 1,
        counts(share * weight),
        counts((1.0 - share) * weight),
        None if offset is None or not len(offset) else offset.floats()[kept],
        x[kept],
        names,
        rows,
        (_others(sides[0], key, rows), _others(sides[1], key, rows)),
        doubled,
        len(one.values),
    )


def counts(values: FloatArray) -> FloatArray:
    """Counts without the rounding of share times weight, to whole numbers and halves."""
    halves = np.round(2.0 * values) / 2.0
    return np.where(np.abs(values - halves) <= WHOLE * np.maximum(1.0, halves), halves, values)


def taken(column: RVector, rows: IntArray) -> RVector:
    """Rows of a vector."""
    return RVector(column.values[rows], column.na[rows], None, None, column.levels, column.rclass)


def formula_text(call: RecordedCall) -> str:
    """R's formula; "" where it was not recorded."""
    found = call.result.get("formula")
    return found.text if isinstance(found, RLang) else ""


def _others(side: dict[str, RVector], key: str, rows: IntArray) -> dict[str, RVector]:
    return {name: taken(column, rows) for name, column in side.items() if name != key}


def _side(call: RecordedCall, which: str, key: str) -> dict[str, RVector]:
    """The columns of a player, of all rows; a bare factor under the name of the id."""
    found = call.result.get(which)
    if isinstance(found, RVector):
        return {key: found}
    if not isinstance(found, RList):
        raise StaysInR(f"{which} was not recorded")
    columns = {
        n: v for n, v in zip(found.names or (), found.values) if isinstance(v, RVector) and v.values.ndim == 1
    }
    if key not in columns:
        raise StaysInR(f"{which} has no column {key!r}")
    return columns


def _numbers(call: RecordedCall, name: str) -> FloatArray:
    found = call.vector(name)
    if found is None or found.values.dtype.kind not in "fib":
        raise StaysInR(f"its {name.replace('_', ' ')} was not recorded")
    return found.floats()


def _design(call: RecordedCall, n: int) -> tuple[FloatArray, tuple[str, ...]]:
    try:
        found = call.vector("x")
    except NotRecorded as why:
        raise StaysInR(str(why)) from None
    if found is None or not found.values.size:
        return np.zeros((n, 0)), ()
    if found.values.ndim != 2 or len(found.values) != n or not found.dimnames or found.dimnames[1] is None:
        raise StaysInR("its model matrix was not recorded")
    return found.floats(), found.dimnames[1]


def _labels(call: RecordedCall, sides_of: RList | None) -> tuple[str, ...] | None:
    """Names of all rows, where they are not 1, 2, 3, ...; BTm gives its model frame names of its own, 1, 2, ..."""
    found = None if sides_of is None else sides_of.attributes.get("row.names")
    if isinstance(found, RVector) and found.values.dtype.kind == "O":
        return tuple(str(v) for v in found.values.tolist())
    return None


def _rows(
    call: RecordedCall, n: int, total: int, labels: tuple[str, ...] | None
) -> tuple[IntArray, IntArray, bool]:
    """Positions of the rows used among all; which of the rows used to keep; whether each was taken twice."""
    if n == total:
        return np.arange(n), np.arange(n), False
    vectors = (call.vector("prior_weights"), call.vector("y"))
    names = next((v.names for v in vectors if v is not None and v.names is not None), None)
    if names is None or len(names) != n:
        raise StaysInR(f"R used {n} of {total} rows, and their names do not say which")
    place = {name: k for k, name in enumerate(labels or tuple(str(k + 1) for k in range(total)))}
    if all(name in place for name in names):
        return np.array([place[name] for name in names]), np.arange(n), False
    half = n // 2
    if n % 2 == 0 and names[half:] == tuple(f"{name}.1" for name in names[:half]):
        if all(name in place for name in names[:half]):
            return np.array([place[name] for name in names[:half]]), np.arange(half), True
    raise StaysInR(f"R used {n} rows of {total}, some of them more than once")


def plain_values(column: RVector) -> list[Any]:
    """A column as Python values, None where it is missing: the level of a factor, 1 and 0 for TRUE and FALSE."""
    values: list[Any] = [None if m else v for v, m in zip(column.values.tolist(), column.na.tolist())]
    if column.levels is not None:
        return [None if v is None else column.levels[int(v) - 1] for v in values]
    values = [int(v) if isinstance(v, bool) else v for v in values]
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values]
