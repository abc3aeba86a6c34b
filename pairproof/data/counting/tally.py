"""Distinct rows with their numbers, from batches of rows that come one after another.

A batch has for each column codes and the levels that they stand for.  Levels become text (3, 3.0 and "3" are one), missing
values one level; a row becomes one integer in mixed radix, key = ((c_1 r_2 + c_2) r_3 + ...), and keys are counted: by
`bincount` where there are few, by sorting where there are many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ..columns import IntArray
from ..reading.cells import NUMBER, text_of

#: codes int[n_rows], -1 where there is no value, and the values that they stand for; or numbers, and None.
Coded = tuple[NDArray[Any], "Sequence[Any] | None"]
#: Most keys that are counted by their place, and most rows of finished batches that wait to be added up.
_MOST_PLACES, _MOST_WAITING = 1 << 22, 1 << 22


@dataclass(frozen=True)
class Distinct:
    """Distinct rows: each column's text, None where there is none, and how often the row was there."""

    names: tuple[str, ...]
    columns: tuple[NDArray[np.object_], ...]
    n: IntArray


def cell(value: Any, name: str, source: str) -> str | None:
    """A value as text, None if it is missing."""
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, bytes):
        raise InputError(
            f"{source}: column {name!r} contains the bytes {value!r}; decode the column to text first"
        )
    return value if type(value) is str else text_of(value)


class Cuts:
    """Numbers that are distinguished only by where they lie among some cuts, each standing for the first of its
    kind."""

    def __init__(self, cuts: Sequence[float]) -> None:
        self._cuts = sorted(set(cuts))
        self._first: dict[int, str] = {}

    def text(self, text: str | None) -> str | None:
        """The first number on the same side of each cut; what is not a number as it is."""
        if text is None or not NUMBER.fullmatch(text.strip()):
            return text
        number = float(text)
        at = bisect_left(self._cuts, number)
        return self._first.setdefault(2 * at + (number in self._cuts[at : at + 1]), text)

    def coded(self, numbers: NDArray[Any]) -> Coded:
        """Numbers as codes and texts; nan has none."""
        places = np.where(np.isnan(numbers), -1, self._places(numbers))
        found, at, codes = np.unique(places, return_index=True, return_inverse=True)
        texts = [
            None if k < 0 else self._first.setdefault(int(k), text_of(numbers[i])) for k, i in zip(found, at)
        ]
        return np.ravel(codes), texts

    def _places(self, numbers: NDArray[Any]) -> IntArray:
        cuts = np.array(self._cuts)
        at = np.searchsorted(cuts, numbers)
        return np.asarray(2 * at + (cuts[np.minimum(at, len(cuts) - 1)] == numbers), np.int64)


class Tally:
    """Counts of the distinct rows of these columns so far, in constant memory but for the distinct rows.
    cuts: of columns whose numbers are distinguished by them alone."""

    def __init__(self, names: Sequence[str], source: str, most: int, too_many: str) -> None:
        self.names, self.source, self.most, self._too_many = tuple(names), source, most, too_many
        self.cuts: dict[str, Cuts] = {}
        self.n_rows = 0
        self._places: list[dict[str | None, int]] = [{} for _ in names]
        self._radix = [4] * len(names)
        self._keys, self._counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._waiting: list[tuple[IntArray, IntArray]] = []
        self._of_waiting = 0

    def add(self, batch: Sequence[Coded], n: IntArray | None = None) -> None:
        """Count a batch.  n int[n_rows]: how many rows each of its rows stands for."""
        length = len(batch[0][0])
        if length == 0:
            return
        codes = [self._global(k, *column) for k, column in enumerate(batch)]
        self._make_room()
        key = codes[0]
        for radix, more in zip(self._radix[1:], codes[1:]):
            key = key * radix + more
        self.n_rows += length if n is None else int(n.sum())
        places = int(np.prod(np.array(self._radix, float)))
        if n is None and places <= min(_MOST_PLACES, 4 * length):
            counts = np.bincount(key, minlength=places)
            keys = np.flatnonzero(counts)
            counts = counts[keys]
        elif n is None:
            keys, counts = np.unique(key, return_counts=True)
        else:
            keys, counts = _summed(key, n)
        self._waiting.append((keys, counts))
        self._of_waiting += len(keys)
        if self._of_waiting > _MOST_WAITING:
            self._add_up()

    def check(self, n_rows: int) -> None:
        """Refuse an engine's distinct rows, if they are more than it was asked for."""
        if n_rows > self.most:
            raise TooLargeError(f"{self.source}: {self._too_many}")

    def _global(self, k: int, codes: NDArray[Any], values: Sequence[Any] | None) -> IntArray:
        """The batch's codes as those of all batches."""
        name = self.names[k]
        cuts = self.cuts.get(name)
        if values is None:
            assert cuts is not None  # else numbers are asked for by passes alone
            codes, values = cuts.coded(codes)
        assert values is not None
        place = self._places[k]
        lookup = np.empty(len(values) + 1, np.int64)
        for at, value in enumerate(values):
            text = cell(value, name, self.source)
            lookup[at] = place.setdefault(text if cuts is None else cuts.text(text), len(place))
        missing = bool((codes < 0).any())
        lookup[-1] = place.setdefault(None, len(place)) if missing else -1
        return np.asarray(lookup[codes])

    def _make_room(self) -> None:
        """Larger radices where there are more levels; what was counted gets the new keys."""
        radix = [max(r, 1 << (len(p) - 1).bit_length()) for r, p in zip(self._radix, self._places)]
        if radix == self._radix:
            return
        if np.prod(np.array(radix, float)) >= 2.0**62:
            raise TooLargeError(f"{self.source}: {self._too_many}")
        self._add_up()
        codes = self._codes(self._keys)
        self._radix = radix
        keys = codes[0] if codes else self._keys
        for r, more in zip(radix[1:], codes[1:]):
            keys = keys * r + more
        self._keys = keys

    def _codes(self, keys: IntArray) -> list[IntArray]:
        codes = []
        for radix in self._radix[:0:-1]:
            keys, code = np.divmod(keys, radix)
            codes.append(code)
        return [keys, *codes[::-1]]

    def _add_up(self) -> None:
        keys = np.concatenate([self._keys, *(k for k, _ in self._waiting)])
        counts = np.concatenate([self._counts, *(c for _, c in self._waiting)])
        self._keys, self._counts = _summed(keys, counts)
        self._waiting, self._of_waiting = [], 0
        self.check(len(self._keys))

    def distinct(self) -> Distinct:
        """What was counted."""
        self._add_up()
        columns = []
        for place, codes in zip(self._places, self._codes(self._keys)):
            columns.append(np.array([*place, None], dtype=object)[codes])
        return Distinct(self.names, tuple(columns), self._counts)


def _summed(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Each key once, with the sum of its counts: whole numbers, whatever the order."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys, kind="stable")
    by_order = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], by_order[1:] != by_order[:-1]]))
    return by_order[starts], np.add.reduceat(counts[order], starts)
