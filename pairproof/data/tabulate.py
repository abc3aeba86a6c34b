"""A table of comparisons counted by pair, the digest of these counts, and the table as a data frame."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .columns import Column, Factor, FloatArray, IntArray
from .text import Counts

if TYPE_CHECKING:
    import pandas as pd


class Table(Protocol):
    """What is read of a table of comparisons; :class:`pairproof.Comparisons` has it."""

    @property
    def items(self) -> tuple[str, ...]:
        ...

    @property
    def first(self) -> IntArray:
        ...

    @property
    def second(self) -> IntArray:
        ...

    @property
    def wins(self) -> FloatArray:
        ...

    @property
    def ties(self) -> FloatArray:
        ...

    @property
    def losses(self) -> FloatArray:
        ...

    @property
    def tie_category(self) -> bool:
        ...

    @property
    def columns(self) -> Mapping[str, Column]:
        ...


def pooled(table: Table) -> dict[tuple[str, str], Counts]:
    """Counts of every pair of items that was compared; see :meth:`pairproof.Comparisons.pooled`."""
    n = len(table.items)
    flip = table.first > table.second
    key = np.where(flip, table.second, table.first) * n + np.where(flip, table.first, table.second)
    won, lost = np.where(flip, table.losses, table.wins), np.where(flip, table.wins, table.losses)
    pairs = np.arange(n * n)
    if n * n > 2**20:  # with thousands of items most of the millions of pairs were never compared
        pairs, key = np.unique(key, return_inverse=True)
    sums = [np.bincount(key, c, len(pairs)) for c in (won, table.ties, lost)]
    met = np.flatnonzero(sums[0] + sums[1] + sums[2])
    return {
        (table.items[k // n], table.items[k % n]): (w, t, l)
        for k, w, t, l in zip(pairs[met].tolist(), *(s[met].tolist() for s in sums))
    }


def digest(table: Table) -> str:
    """A digest of the pooled counts; see :meth:`pairproof.Comparisons.digest`."""
    counts = f"{table.items!r}|{table.tie_category}|" + ";".join(
        f"{a}\x1f{b}\x1f{w:.12g}\x1f{t:.12g}\x1f{l:.12g}" for (a, b), (w, t, l) in pooled(table).items()
    )
    return hashlib.sha256(counts.encode()).hexdigest()


def frame(table: Table) -> pd.DataFrame:
    """The table as a data frame; see :meth:`pairproof.Comparisons.to_frame`."""
    import pandas as pd

    names = np.array(table.items, dtype=object)
    data: dict[str, Any] = {"first": names[table.first], "second": names[table.second], "wins": table.wins}
    if table.tie_category:
        data["ties"] = table.ties
    data["losses"] = table.losses
    for name, col in table.columns.items():
        if isinstance(col, Factor):  # code -1, a missing value, picks the None at the end
            texts = np.array([*col.levels, None], dtype=object)[col.codes]
            data[name] = pd.Series(texts, dtype=object) if (col.codes < 0).any() else texts
        else:
            data[name] = col
    return pd.DataFrame(data)
