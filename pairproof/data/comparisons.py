"""`Comparisons`: the one table every model takes.

A row says that `first` was set against `second`: `wins` times first was preferred, `losses` times second was,
`ties` times neither.  Counts may be fractional (weights).  Whether the instrument *offered* a tie is a
property of the table (`tie_category`), not of the counts: a judge who could have said "no preference" and
never did is another observation than a judge who could not.

Nothing is guessed here and nothing is dropped; a row that cannot be used is an error that names it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, ItemError
from ..text import named, quoted
from . import text
from .columns import Column, Factor, FloatArray, IntArray, take
from .graph import components, groups, strong_components

if TYPE_CHECKING:
    import pandas as pd

#: Names a fit gives to its own parameters; an item called so could not be told from them.
RESERVED = ("tie", "order")
#: The table's own columns; a covariate called so could not be told from them in a frame.
OWN_COLUMNS = ("first", "second", "wins", "ties", "losses")
#: From here on a double does not tell a count from the next one.
LARGEST_COUNT = 2.0**53
#: Products of two weights below this, as in standard errors, come near the smallest double (2e-308) and
#: vanish.
SMALLEST_COUNT = 1e-100


def _frozen(values: ArrayLike, dtype: Any) -> NDArray[Any]:
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def _numbers(what: str, values: ArrayLike, source: str, kinds: str, dtype: Any) -> NDArray[Any]:
    """A frozen copy of a 1-D array of these numpy kinds; 0.7 as a position would be cut off in silence."""
    array = np.asarray(values)
    if array.ndim != 1 or not (array.dtype.kind in kinds or array.size == 0):
        expected = "position in items (pairproof.read takes names)" if dtype is np.int64 else "number"
        raise InputError(
            f"{source}: {what} has shape {array.shape} and type {array.dtype}; expected one {expected} a row"
        )
    return _frozen(array, dtype)


def _check_items(items: Sequence[str]) -> tuple[str, ...]:
    names = tuple(items)
    for name in names:
        if not isinstance(name, str) or not name:
            raise ItemError(f"item {name!r} is not a non-empty string; convert item names to text")
        if name in RESERVED or ":" in name or "[" in name:
            raise ItemError(
                f"item {name!r} cannot be told from a parameter of the fit (reserved: 'tie', 'order', and the"
                f" characters ':' and '['); rename it, for example --rename {name!r}=NAME or"
                f" rename={{{name!r}: ...}}"
            )
    # A numpy string is a str, but its repr, which the digest is made of, depends on numpy's version.
    names = tuple(str(name) for name in names)
    if len(set(names)) != len(names):
        twice = sorted(n for n, count in Counter(names).items() if count > 1)
        raise ItemError(f"items named more than once: {named(twice)}; item names must be distinct")
    if len(names) < 2:
        raise ItemError(f"found {len(names)} item(s) {quoted(list(names))}; a comparison needs at least 2")
    return names


def _first_row(bad: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(bad)[0])


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Paired comparisons, checked and frozen.  Build one with :meth:`build` or :func:`pairproof.read`.

    Attributes
    ----------
    items : tuple of str
        In the order in which models take them.
    first, second : int[n_rows]
        Positions in `items`; never equal.
    wins, ties, losses : float[n_rows]
        From first's side, >= 0, finite; `ties` is 0 everywhere if there is no tie category.
    tie_category : bool
        Whether "no preference" could be answered.
    columns : mapping of str to Factor or float[n_rows]
        `judge` (always a Factor), `order`, `source` and subject covariates.
    item_data : mapping of str to Factor or float[n_items]
        Item covariates; nan or code -1 where an item's value is not known (a model that uses it gives that
        item an ability of its own).
    source : str
        Where the table came from, for messages and reports.
    ranked_together : int
        If the comparisons are the pairs of rankings: most items in one ranking.  0 if they are not, or if
        that is to be passed over (:meth:`as_independent`).  The pairs of a ranking of 3 items or more depend
        on one another, and fits say so.
    """

    items: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    tie_category: bool
    columns: Mapping[str, Column] = field(default_factory=dict)
    item_data: Mapping[str, Column] = field(default_factory=dict)
    source: str = "table"
    ranked_together: int = 0

    # -- making one ------------------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        items: Sequence[str],
        first: ArrayLike,
        second: ArrayLike,
        wins: ArrayLike,
        ties: ArrayLike | None,
        losses: ArrayLike,
        *,
        columns: Mapping[str, Column] | None = None,
        item_data: Mapping[str, Column] | None = None,
        source: str = "table",
        ranked_together: int = 0,
    ) -> Comparisons:
        """Check everything, copy, freeze.

        Parameters
        ----------
        items : sequence of str
        first, second : int[n_rows]
            Positions in `items`.
        wins, losses : float[n_rows]
        ties : float[n_rows] or None
            None: the instrument had no tie category.
        columns, item_data, source, ranked_together
            As in the class.

        Raises
        ------
        ItemError
            Item compared with itself, unknown position, reserved or repeated name, fewer than two items.
        InputError
            Lengths that differ; counts that are negative, missing or infinite; no comparison at all; a column
            called as one of the table's own.

        Examples
        --------
        A against B, A against C and B against C; "no preference" was not an answer:

        >>> import pairproof
        >>> table = pairproof.Comparisons.build(
        ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=None, losses=[4, 3, 4]
        ... )
        >>> table.sentences()
        ['A beat B 6, lost 4', 'A beat C 8, lost 3', 'B beat C 5, lost 4']
        """
        names = _check_items(items)
        i, j = (_numbers(k, v, source, "iu", np.int64) for k, v in (("first", first), ("second", second)))
        n = len(i)
        given = {"wins": wins, "ties": np.zeros(n) if ties is None else ties, "losses": losses}
        w, t, l = (_numbers(k, v, source, "biuf", float) for k, v in given.items())
        cols = dict(columns or {})
        taken = [name for name in cols if name in OWN_COLUMNS]
        if taken:
            raise InputError(
                f"{source}: column {', '.join(map(repr, taken))} cannot be a covariate, the table has its"
                " own; rename it"
            )
        lengths = {"first": n, "second": len(j), "wins": len(w), "ties": len(t), "losses": len(l)}
        lengths.update({f"column {name!r}": len(col) for name, col in cols.items()})
        if len(set(lengths.values())) > 1:
            raise InputError(
                f"{source}: columns of different lengths:"
                f" {named(f'{name} {length}' for name, length in lengths.items())}"
            )
        if n == 0:
            raise InputError(f"{source}: no rows; at least one comparison is needed")
        for what, codes in (("first", i), ("second", j)):
            bad = (codes < 0) | (codes >= len(names))
            if bad.any():
                r = _first_row(bad)
                raise ItemError(
                    f"{source}, row {r + 1}: {what} is item number {codes[r]}, but there are {len(names)}"
                )
        if (i == j).any():
            r = _first_row(i == j)
            raise ItemError(
                f"{source}, row {r + 1}: {names[i[r]]!r} is compared with itself ({int((i == j).sum())} such"
                " row(s)); remove these rows, they say nothing about preference"
            )
        for what, counts in (("wins", w), ("ties", t), ("losses", l)):
            bad = ~(np.isfinite(counts) & (counts >= 0))
            if bad.any():
                r = _first_row(bad)
                raise InputError(
                    f"{source}, row {r + 1}: {what} is {counts[r]}; counts must be finite and >= 0"
                )
            if (counts >= LARGEST_COUNT).any():
                r = _first_row(counts >= LARGEST_COUNT)
                raise InputError(
                    f"{source}, row {r + 1}: {what} is {counts[r]:g}; counts (times the weight of their row)"
                    " must be below 2^53 (9.007e15), from where on a double does not tell one from the next"
                )
            small = (counts > 0) & (counts < SMALLEST_COUNT)
            if small.any():
                r = _first_row(small)
                raise InputError(
                    f"{source}, row {r + 1}: {what} is {counts[r]:g}; counts (times the weight of their row)"
                    f" must be 0, or {SMALLEST_COUNT:g} and more, lest they vanish in the arithmetic; scale"
                    " the weights"
                )
        if not (w.any() or t.any() or l.any()):
            raise InputError(f"{source}: all counts are 0; at least one comparison is needed")
        return cls(
            names,
            i,
            j,
            w,
            t,
            l,
            ties is not None,
            MappingProxyType({k: _check_column(k, c, source) for k, c in cols.items()}),
            MappingProxyType(
                {k: _check_item_column(k, v, names, source) for k, v in (item_data or {}).items()}
            ),
            source,
            ranked_together,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its parts and frozen again when it is read."""
        options = dict(
            columns=dict(self.columns),
            item_data=dict(self.item_data),
            source=self.source,
            ranked_together=self.ranked_together,
        )
        return partial(Comparisons.build, **options), (
            self.items,
            self.first,
            self.second,
            self.wins,
            self.ties if self.tie_category else None,
            self.losses,
        )

    # -- numbers ---------------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        return len(self.first)

    @property
    def n_comparisons(self) -> float:
        """Sum of all counts (weights)."""
        return float(self.wins.sum() + self.ties.sum() + self.losses.sum())

    def pooled(self) -> dict[tuple[str, str], tuple[float, float, float]]:
        """(wins, ties, losses) of every unordered pair that was compared, pairs in item order."""
        n = len(self.items)
        flip = self.first > self.second
        key = np.where(flip, self.second, self.first) * n + np.where(flip, self.first, self.second)
        won, lost = np.where(flip, self.losses, self.wins), np.where(flip, self.wins, self.losses)
        pairs = np.arange(n * n)
        if n * n > 2**20:  # thousands of items have millions of pairs that never met: keep those that did
            pairs, key = np.unique(key, return_inverse=True)
        sums = [np.bincount(key, c, len(pairs)) for c in (won, self.ties, lost)]
        met = np.flatnonzero(sums[0] + sums[1] + sums[2])
        return {
            (self.items[k // n], self.items[k % n]): (w, t, l)
            for k, w, t, l in zip(pairs[met].tolist(), *(s[met].tolist() for s in sums))
        }

    def digest(self) -> str:
        """sha256 of the pooled counts: the same for the same comparisons however they are laid out in
        rows.
        """
        text = f"{self.items!r}|{self.tie_category}|" + ";".join(
            f"{a}\x1f{b}\x1f{w:.12g}\x1f{t:.12g}\x1f{l:.12g}" for (a, b), (w, t, l) in self.pooled().items()
        )
        return hashlib.sha256(text.encode()).hexdigest()

    # -- what can be compared --------------------------------------------------------------------------------

    def connected_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of items joined by chains of comparisons; one set means everything can be compared."""
        used = self.wins + self.ties + self.losses > 0
        label = components(self.first[used], self.second[used], len(self.items))
        return tuple(tuple(self.items[k] for k in g) for g in groups(label))

    def is_connected(self) -> bool:
        return len(self.connected_sets()) == 1

    def unseparated_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of items in which each can be reached from each along "preferred or tied at least once".

        More than one set inside a connected set: items of different sets are *separated*, one always beats
        the other, and their difference has no finite estimate.
        """
        up, down = (self.wins + self.ties) > 0, (self.losses + self.ties) > 0
        winner = np.concatenate([self.first[up], self.second[down]])
        loser = np.concatenate([self.second[up], self.first[down]])
        label = strong_components(winner, loser, len(self.items))
        return tuple(tuple(self.items[k] for k in g) for g in groups(label))

    # -- new tables from this one ----------------------------------------------------------------------------

    def without_ties(self) -> Comparisons:
        """The same table with ties dropped and no tie category; the number dropped is `ties.sum()`."""
        return replace(self, ties=_frozen(np.zeros(self.n_rows), float), tie_category=False)

    def ties_as_half_wins(self) -> Comparisons:
        """The same table with each tie counted as half a win for either item and no tie category."""
        half = self.ties / 2
        return replace(
            self,
            wins=_frozen(self.wins + half, float),
            losses=_frozen(self.losses + half, float),
            ties=_frozen(np.zeros(self.n_rows), float),
            tie_category=False,
        )

    def with_ties_treated(self, treatment: str) -> Comparisons:
        """The table as a model sees it: ties dropped ("drop"), as half wins ("half"), or as they are."""
        if treatment == "drop":
            return self.without_ties()
        return self.ties_as_half_wins() if treatment == "half" else self

    def as_independent(self) -> Comparisons:
        """The same table without the memory that its rows are pairs of rankings, for fits that are to take
        them as independent.
        """
        return replace(self, ranked_together=0)

    def select(self, rows: ArrayLike) -> Comparisons:
        """The rows given (a boolean mask or positions); items stay, compared or not."""
        r = np.asarray(rows)
        cols = {k: take(c, r) for k, c in self.columns.items()}
        return Comparisons.build(
            self.items,
            self.first[r],
            self.second[r],
            self.wins[r],
            self.ties[r] if self.tie_category else None,
            self.losses[r],
            columns=cols,
            item_data=self.item_data,
            source=self.source,
            ranked_together=self.ranked_together,
        )

    def with_items(self, order: Sequence[str]) -> Comparisons:
        """The same comparisons with the items in another order; every item must be named."""
        if sorted(order) != sorted(self.items):
            raise ItemError(f"found items {list(order)}; expected an ordering of {list(self.items)}")
        place_of = {name: k for k, name in enumerate(order)}
        place = np.array([place_of[name] for name in self.items])
        back = np.argsort(place)
        return Comparisons.build(
            order,
            place[self.first],
            place[self.second],
            self.wins,
            self.ties if self.tie_category else None,
            self.losses,
            columns=self.columns,
            source=self.source,
            ranked_together=self.ranked_together,
            item_data={k: take(v, back) for k, v in self.item_data.items()},
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a row: first, second, wins, ties (if there is a tie category), losses, then all columns.

        A label that is missing is None, whatever the pandas; left to itself, pandas 3 makes it NaN.
        """
        import pandas as pd

        names = np.array(self.items, dtype=object)
        data: dict[str, Any] = {"first": names[self.first], "second": names[self.second], "wins": self.wins}
        if self.tie_category:
            data["ties"] = self.ties
        data["losses"] = self.losses
        for name, col in self.columns.items():
            if isinstance(col, Factor):  # the None at the end is what code -1, no value, picks
                texts = np.array([*col.levels, None], dtype=object)[col.codes]
                data[name] = pd.Series(texts, dtype=object) if (col.codes < 0).any() else texts
            else:
                data[name] = col
        return pd.DataFrame(data)

    # -- in words --------------------------------------------------------------------------------------------

    def sentences(self, most: int = 12) -> list[str]:
        """ "A beat B 145, lost 7, tied 8" for each pair, at most `most` of them."""
        return text.sentences(self.pooled(), self.tie_category, most)

    def _headline(self) -> str:
        judges = self.columns.get("judge")
        return text.headline(
            self.n_comparisons,
            len(self.items),
            len(judges.levels) if isinstance(judges, Factor) else None,
            self.ties.sum() if self.tie_category else None,
            self.ranked_together,
            self.source,
        )

    def __repr__(self) -> str:
        return text.text(self._headline(), self.sentences(), self.connected_sets())

    def _repr_html_(self) -> str:
        return text.html(self._headline(), self.sentences())


def _check_column(name: str, column: Column, source: str) -> Column:
    """A frozen copy.  Missing values stay, marked: only a model that uses the column has a reason to refuse
    them.
    """
    if isinstance(column, Factor):
        codes = _frozen(column.codes, np.int64)
        if len(set(column.levels)) != len(column.levels):
            raise InputError(f"{source}: column {name!r} has the same level twice: {named(column.levels)}")
        bad = (codes < -1) | (codes >= len(column.levels))
        if bad.any():
            r = _first_row(bad)
            raise InputError(
                f"{source}, row {r + 1}: column {name!r} has code {codes[r]} for {len(column.levels)} levels"
            )
        return Factor(codes, tuple(column.levels))
    if name == "judge":
        raise InputError(f"{source}: the judge column is always categorical; pass a Factor, not numbers")
    values: FloatArray = _frozen(column, float)
    if np.isinf(values).any():
        r = _first_row(np.isinf(values))
        raise InputError(
            f"{source}, row {r + 1}: column {name!r} is {values[r]}; a covariate must be finite or missing"
        )
    return values


def _check_item_column(name: str, column: Column | ArrayLike, items: tuple[str, ...], source: str) -> Column:
    checked = _check_column(name, column if isinstance(column, Factor) else np.asarray(column, float), source)
    if len(checked) != len(items):
        raise InputError(
            f"{source}: item covariate {name!r} has {len(checked)} values for {len(items)} items"
        )
    return checked
