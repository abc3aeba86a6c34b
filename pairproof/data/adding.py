"""Counts that add up: cell by cell, as whole numbers, so that the order and the partition do not matter.

A cell is (first, second, covariates); with n_k(c) the counts of part k,

    n(c) = sum_k n_k(c),  exactly, since whole numbers below 2^53 are added without rounding.

When parts are added day by day, no day must be added twice: a part that came from a file, or was given a name, has
a digest, and a digest that is in is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..text import count_words, named, quoted
from .columns import Column, Factor, FloatArray, natural_order, take
from .where import Narrowed

#: The arguments of `Comparisons.build`.
Parts = Mapping[str, Any]


@dataclass(frozen=True, order=True)
class Part:
    """One source that was counted.  digest: of the file's bytes or the part's name; "" where there is neither."""

    name: str
    comparisons: int
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.comparisons:,} votes)"


def added(a: Parts, b: Parts) -> dict[str, Any]:
    """The sum of two tables."""
    of_a, of_b = _parts_of(a), _parts_of(b)
    there = {part.digest: part for part in of_a if part.digest}
    again = [part for part in of_b if part.digest in there]
    if again:
        names = named([str(part) for part in again], 4)
        raise InputError(
            f"{names} {'has' if len(again) == 1 else 'have'} already been added; omit it, or, if these are"
            " different votes, count them under another name= (--name)"
        )
    return _joined(a, b, 1.0) | _about(tuple(sorted((*of_a, *of_b))))


def withdrawn(a: Parts, b: Parts) -> dict[str, Any]:
    """The first table without the votes of the second."""
    of_a, of_b = _parts_of(a), _parts_of(b)
    unknown = [name for name in b["items"] if name not in set(a["items"])]
    if unknown:
        raise InputError(
            f"{b['source']}: {named(unknown)} not among the items of {a['source']}; votes can only be withdrawn"
            " from counts that contain them"
        )
    joined = _joined(a, b, -1.0)
    gone = {part.digest for part in of_b if part.digest} & {part.digest for part in of_a}
    left = [part for part in of_a if part.digest not in gone]
    taken = [Part(f"less {part.name}", -part.comparisons) for part in of_b if part.digest not in gone]
    return joined | _about(tuple(sorted((*left, *taken))))


def _parts_of(a: Parts) -> tuple[Part, ...]:
    """What was counted; a table that :func:`pairproof.read` read is one part, which nothing tells from another."""
    counts = [a[name] for name in ("wins", "ties", "losses") if a[name] is not None]
    for name, column in zip(("wins", "ties", "losses"), counts):
        broken = np.flatnonzero(column != np.floor(column))
        if broken.size:
            raise InputError(
                f"{a['source']}, row {broken[0] + 1}: a count is {column[broken[0]]:.6g}; only whole counts"
                " add up exactly: put weighted votes into one table and read it"
            )
    return a.get("counted") or (Part(a["source"], int(sum(float(column.sum()) for column in counts))),)


def _about(parts: tuple[Part, ...]) -> dict[str, Any]:
    return {"counted": parts, "source": named(list(dict.fromkeys(part.name for part in parts)), 3)}


def _joined(a: Parts, b: Parts, sign: float) -> dict[str, Any]:
    """Both tables' rows in one table's cells, the second's times `sign`."""
    if set(a["columns"] or {}) != set(b["columns"] or {}):
        have = [named(sorted(t["columns"] or {})) or "nothing" for t in (a, b)]
        raise InputError(
            f"{a['source']} counts by {have[0]}, {b['source']} by {have[1]}; count both by the same columns"
        )
    items = _union("items", a["items"], b["items"], a, b)
    place = {name: k for k, name in enumerate(items)}
    sides = {
        side: np.concatenate([_placed(t[side], t["items"], place) for t in (a, b)])
        for side in ("first", "second")
    }
    columns = {
        name: _one_column(name, column, b["columns"][name], a, b)
        for name, column in sorted((a["columns"] or {}).items())
    }
    has_ties = a["ties"] is not None or b["ties"] is not None
    counts = {
        name: np.concatenate([_or_none(a, name), sign * _or_none(b, name)])
        for name in ("wins", "ties", "losses")
    }
    found = cells({**sides, **counts, "columns": columns}, items)
    if not has_ties:
        found["ties"] = None
    own, other = (dict(t.get("own_names") or {}) for t in (a, b))
    return {
        "items": items,
        **found,
        "item_data": _item_data(a, b, items),
        "own_names": {k: v for k, v in sorted({**own, **other}.items()) if own.get(k, v) == other.get(k, v)},
        "ranked_together": max(a.get("ranked_together", 0), b.get("ranked_together", 0)),
        "one_track": bool(a.get("one_track") or b.get("one_track")),
        "narrowed": _both_narrowed(a.get("narrowed"), b.get("narrowed"), sign),
        "dropped": _both_dropped(a.get("dropped") or {}, b.get("dropped") or {}, int(sign)),
    }


def _or_none(a: Parts, name: str) -> FloatArray:
    return np.zeros(len(a["first"])) if a[name] is None else np.asarray(a[name])


def cells(rows: Parts, items: Sequence[str]) -> dict[str, Any]:
    """Rows in canonical order, equal ones made one and empty ones left out.

    Order: first, second, then the columns by their levels or values; counts below 0 are refused.
    """
    columns: Mapping[str, Column] = rows["columns"]
    keys = [rows["first"], rows["second"], *map(_sortable, columns.values())]
    order = np.lexsort(keys[::-1])
    changes = np.zeros(len(order), bool)
    changes[:1] = True
    for key in keys:
        by_order = key[order]
        changes[1:] |= by_order[1:] != by_order[:-1]
    starts = np.flatnonzero(changes)
    sums = np.stack([np.add.reduceat(rows[name][order], starts) for name in ("wins", "ties", "losses")])
    at = order[starts]
    if (sums < 0).any():
        name, k = np.argwhere(sums < 0)[0]
        first, second = (items[rows[side][at[k]]] for side in ("first", "second"))
        cell = "".join(f", {label} {_shown(column, at[k])}" for label, column in columns.items())
        raise InputError(
            f"{quoted(first)} vs. {quoted(second)}{cell}: {('wins', 'ties', 'losses')[name]} would be"
            f" {sums[name, k]:.0f}, in {int((sums < 0).any(axis=0).sum()):,} cells in total below 0; only votes that"
            " were counted can be withdrawn"
        )
    full = sums.any(axis=0)
    at, sums = at[full], sums[:, full]
    kept: dict[str, Any] = {side: rows[side][at] for side in ("first", "second")}
    kept["columns"] = {name: take(column, at) for name, column in columns.items()}
    return kept | dict(zip(("wins", "ties", "losses"), sums))


def _sortable(column: Column) -> NDArray[Any]:
    """A key that is equal where two rows' values are: missing values are one."""
    if isinstance(column, Factor):
        return column.codes
    return np.ravel(np.unique(column, return_inverse=True)[1])


def _shown(column: Column, row: int) -> str:
    if isinstance(column, Factor):
        return quoted(column.levels[column.codes[row]]) if column.codes[row] >= 0 else "blank"
    return f"{column[row]:.6g}"


def _union(what: str, one: Sequence[str], other: Sequence[str], a: Parts, b: Parts) -> tuple[str, ...]:
    """Names of both, in natural order if both are; else they must be the same."""
    if tuple(one) == tuple(other):
        return tuple(one)
    if tuple(one) != natural_order(one) or tuple(other) != natural_order(other):
        raise InputError(
            f"{what} of {a['source']} are {named(one)}, of {b['source']} {named(other)}, in an order that was given"
            " explicitly; give the same order for both"
        )
    return natural_order([*one, *other])


def _placed(codes: NDArray[np.int64], names: Sequence[str], place: Mapping[str, int]) -> NDArray[np.int64]:
    return np.array([*(place[name] for name in names), -1], np.int64)[codes]


def _one_column(name: str, one: Column, other: Column, a: Parts, b: Parts) -> Column:
    if isinstance(one, Factor) and isinstance(other, Factor):
        levels = _union(f"levels of {name!r}", one.levels, other.levels, a, b)
        place = {level: k for k, level in enumerate(levels)}
        return Factor(np.concatenate([_placed(c.codes, c.levels, place) for c in (one, other)]), levels)
    if isinstance(one, Factor) or isinstance(other, Factor):
        numeric, text = (b, a) if isinstance(one, Factor) else (a, b)
        raise InputError(
            f"column {name!r} is numeric in {numeric['source']} and text in {text['source']}; give its levels"
            " when counting both"
        )
    return np.concatenate([one, other])


def _item_data(a: Parts, b: Parts, items: Sequence[str]) -> dict[str, Column]:
    """Item covariates of both tables, which must agree where both have the item."""
    found: dict[str, Column] = {}
    if set(a["item_data"] or {}) != set(b["item_data"] or {}):
        raise InputError(f"{a['source']} and {b['source']} have different item data; give both the same")
    for name, column in sorted((a["item_data"] or {}).items()):
        values: dict[str, Any] = {}
        for table in (a, b):
            of_items = table["item_data"][name]
            for k, item in enumerate(table["items"]):
                value = _shown(of_items, k) if isinstance(of_items, Factor) else float(of_items[k])
                if values.setdefault(item, value) != value and not value != value:
                    raise InputError(
                        f"item data {name!r} of {quoted(item)} is {values[item]} in {a['source']} and {value} in"
                        f" {b['source']}; give both the same"
                    )
        other = b["item_data"][name]
        both = _one_column(name, column, other, a, b)
        row = {item: k for k, item in enumerate([*a["items"], *b["items"]])}
        found[name] = take(both, np.array([row[item] for item in items]))
    return found


def _both_narrowed(one: Narrowed | None, other: Narrowed | None, sign: float) -> Narrowed | None:
    """What conditions left of both, if they were the same; what differs stands in the names of the parts."""
    if one is None or other is None or one.conditions != other.conditions:
        return None
    gone = tuple(sorted(set(one.gone) & set(other.gone)))
    return Narrowed(one.conditions, one.left + sign * other.left, one.of + sign * other.of, gone, one.what)


def _both_dropped(one: Mapping[str, int], other: Mapping[str, int], sign: int) -> dict[str, int]:
    return {kind: n for kind in {**one, **other} if (n := one.get(kind, 0) + sign * other.get(kind, 0)) > 0}


def summary(parts: Sequence[Part], n_rows: int) -> str:
    """ ", counted into 39,600 rows" for a table that was counted, and from how many parts."""
    if not parts:
        return ""
    said = f" from {len(parts)} parts" if len(parts) > 1 else ""
    return f", counted{said} into {count_words(n_rows)} rows"
