"""Comparisons as single judgments: one row a judgment, an outcome of 0 (tie), 1 (first preferred) or 2
(second).

Hopkins and May (2013, section 4) write a comparison as <s1, s2, x, j, pi>; pi is the outcome, x the source
segment. Turning a pair round turns 1 into 2 and leaves 0 (their hat): HAT = (0, 2, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .columns import take
from .comparisons import Comparisons
from .tracks import AnyTable, coded_tracks, refused, track_columns

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TIE, FIRST, SECOND = 0, 1, 2
#: The outcome seen from the other side.
HAT = np.array([TIE, SECOND, FIRST])


@dataclass(frozen=True, eq=False)
class Judgments:
    """Single judgments of pairs of items.

    Attributes
    ----------
    items : tuple of str
        Names.
    first, second : int[n]
        Positions in `items`.
    outcome : int[n]
        0 tie, 1 first preferred, 2 second preferred.
    row : int[n]
        The table's row of each judgment.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.data.judgments import judgments
    >>> table = pairproof.read({"first": ["A", "C"], "second": ["B", "B"], "wins": [2, 1], "ties": [1, 0],
    ...                         "losses": [0, 3]})
    >>> len(judgments(table))
    7
    """

    items: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    row: IntArray

    def __len__(self) -> int:
        return len(self.first)


def judgments(table: Comparisons) -> Judgments:
    """Every judgment of a table; a row with 5 wins and 2 ties becomes 7, wins before ties before losses.

    table: counts must be whole.
    """
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    whole = np.rint(counts)
    if (whole != counts).any():
        row = int(np.flatnonzero((whole != counts).any(axis=1))[0])
        raise InputError(
            f"{table.source}, row {row + 1}: counts {counts[row].tolist()} are not whole; single judgments"
            " are needed here, so weights and half wins cannot be used"
        )
    cell = np.repeat(np.arange(counts.size), whole.astype(np.int64).ravel())
    row_of, kind = np.divmod(cell, 3)
    return Judgments(
        table.items, table.first[row_of], table.second[row_of], np.array([FIRST, TIE, SECOND])[kind], row_of
    )


def one_row_each(table: Comparisons) -> Comparisons:
    """The same comparisons with one judgment a row, so that rows can be drawn.

    table: returned as it is if it has one judgment a row already.
    """
    if np.all(table.wins + table.ties + table.losses == 1):
        return table
    single = judgments(table)
    columns = {name: take(column, single.row) for name, column in table.columns.items()}
    counts = [(single.outcome == k).astype(float) for k in (FIRST, TIE, SECOND)]
    return Comparisons.build(
        table.items,
        single.first,
        single.second,
        counts[0],
        counts[1] if table.tie_category else None,
        counts[2],
        columns=columns,
        item_data=table.item_data,
        source=table.source,
        ranked_together=table.ranked_together,
    )


def preference_counts(table: Comparisons) -> FloatArray:
    """How often each pair had each outcome, both orders pooled: n_p(s1, s2) of Hopkins and May (2013).

    table: counts may be fractional.  Returns float[n_items, n_items, 3]: last axis tie, first, second; the
    entry of (s2, s1) is that of (s1, s2) under HAT.
    """
    n = len(table.items)
    key = table.first * n + table.second
    counts = np.stack(
        [np.bincount(key, c, n * n).reshape(n, n) for c in (table.ties, table.wins, table.losses)], axis=-1
    )
    return np.asarray(counts + counts.transpose(1, 0, 2)[:, :, HAT])


def compared(table: Comparisons) -> NDArray[np.bool_]:
    """Items with at least one comparison.

    Returns bool[n_items].
    """
    used = table.wins + table.ties + table.losses > 0
    found = np.zeros(len(table.items), bool)
    found[table.first[used]] = found[table.second[used]] = True
    return found


def only_compared(table: Comparisons, source: str = "") -> Comparisons:
    """The table with only the items that are compared in it, and without rows whose counts are all 0.

    source: where the new table comes from; default: as before.
    """
    return table.only_compared(source)


def split_tracks(table: AnyTable, by: str | Sequence[str] | None = None) -> dict[str, AnyTable]:
    """One table for each track, with only the items that are compared in it.

    Parameters
    ----------
    table : Comparisons or Respondents
    by : str or sequence of str, optional
        Columns whose joint value names a track, by the file's own names or by their roles.  Default: `track` if there
        is one, else WMT's `srclang` and `trglang` together, else the whole table is the one track "all".

    Returns
    -------
    dict of track to Comparisons or Respondents
        In the order of the columns' levels; a combination without a comparison is no track.

    Raises
    ------
    InputError
        A column that is not there, or has no value in some row.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "B"], "second": ["B", "C"], "wins": [2, 1], "losses": [0, 3],
    ...                         "track": ["de-en", "fr-en"]})
    >>> {track: part.items for track, part in pairproof.split_tracks(table).items()}
    {'de-en': ('A', 'B'), 'fr-en': ('B', 'C')}
    >>> fits = {track: pairproof.fit_llbt(part) for track, part in pairproof.split_tracks(table).items()}
    """
    stated = (by,) if isinstance(by, str) else by
    columns = track_columns(table) if stated is None else tuple(dict.fromkeys(stated))
    if not columns:
        return {"all": table}
    code, labels = coded_tracks(table, columns, refused)
    used = table.row_weights > 0
    rows = np.flatnonzero(used)[np.argsort(code[used], kind="stable")]
    ends = np.cumsum(np.bincount(code[used], minlength=len(labels)))
    return {
        label: table.select(own).only_compared(f"{table.source}, track {label}")
        for label, own in zip(labels, np.split(rows, ends[:-1]))
        if len(own)
    }
