"""`Comparisons`: the table of paired comparisons that every model is fitted to.

In a row, item `first` was compared with item `second`: `first` was preferred `wins` times, `second` was
preferred `losses` times, and neither was preferred `ties` times.  Counts may be fractional (weights). 
Whether a judge *could* answer "no preference" is stated by the table (`tie_category`) and not inferred from
the counts: a judge who never used that answer gives other information than a judge who was not offered it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, ItemError
from ..report.blocks import Bullets, Page, Paragraph
from ..report.output import render_fragment
from ..text import label
from . import columns as checks, saved
from .adding import Part, added, summary, withdrawn
from .columns import Column, Factor, FloatArray, IntArray, take
from .graph import components, groups, strong_components
from .where import Getters, Narrowed, Rows, conditions_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Rows):
    """A checked, read-only table of paired comparisons, made by :meth:`build` or :func:`pairproof.read`.

    Attributes
    ----------
    items : tuple of str
        Names of the items, in the order used by models.
    first, second : int[n_rows]
        Positions in `items`, in 0..n_items-1; the two in a row differ.
    wins, ties, losses : float[n_rows]
        How often `first` was preferred, neither, and `second`; finite and >= 0.  `ties` is always 0 if
        there is no tie category.
    tie_category : bool
        Whether "no preference" was a possible answer.
    columns : mapping of str to Factor or float[n_rows]
        `judge` (always a Factor), `order`, `source` and subject covariates.
    item_data : mapping of str to Factor or float[n_items]
        Item covariates; nan or code -1 for an unknown value (a model that uses the covariate gives that item its
        own ability).
    source : str
        Where the table came from, for messages and reports.
    ranked_together : int
        Largest number of items in one ranking, if the comparisons are the pairs of rankings; otherwise 0.
        The pairs of a ranking of 3 or more items are dependent, and fits warn about it unless
        :meth:`as_independent` has set this to 0.
    own_names : mapping of str to str
        Role -> the column's name in the file, if different (`judge` -> `judgeId`); both can be used.
    narrowed : Narrowed or None
        What remains of the file after conditions (:meth:`where`).
    one_track : bool
        Whether several tracks are treated as one (:meth:`as_one_track`).
    counted : tuple of Part
        The parts counted into this table (:func:`pairproof.count`, `+`): name, comparisons, digest; () for a
        table that was read.
    dropped : mapping of str to int
        Kind -> rows of the file that were dropped because they are not comparisons (`drop="bad"` in :func:`pairproof.read`).
    read_as : tuple of str
        Sentences on how a table from another program was read: what was recognised, and what was dropped.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [6, 8, 5], None, [4, 3, 4])
    >>> table.n_comparisons, table.is_connected(), table.pooled()["A", "B"]
    (30.0, True, (6.0, 0.0, 4.0))
    >>> table.select(table.wins > 5).n_rows
    2
    """

    unit = "comparisons"
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
    own_names: Mapping[str, str] = field(default_factory=dict)
    narrowed: Narrowed | None = None
    one_track: bool = False
    counted: tuple[Part, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    read_as: tuple[str, ...] = ()

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
        own_names: Mapping[str, str] | None = None,
        narrowed: Narrowed | None = None,
        one_track: bool = False,
        counted: Sequence[Part] = (),
        dropped: Mapping[str, int] | None = None,
        read_as: Sequence[str] = (),
    ) -> Comparisons:
        """Make a table from checked copies of its columns.

        Parameters
        ----------
        items : sequence of str
            Names of the items, two or more.
        first, second : int[n_rows]
            Positions in `items`.
        wins, losses : float[n_rows]
            How often `first` was preferred, and `second`.
        ties : float[n_rows] or None
            How often neither was preferred; None if "no preference" was not a possible answer.
        columns : mapping of str to Factor or float[n_rows], optional
        item_data : mapping of str to Factor or float[n_items], optional
        source : str
        ranked_together : int
        own_names : mapping of str to str, optional
        narrowed : Narrowed, optional
        one_track : bool
        counted : sequence of Part
        dropped : mapping of str to int, optional
        read_as : sequence of str
            These ten as in the class.

        Returns
        -------
        Comparisons

        Raises
        ------
        ItemError
            An item compared with itself, an unknown position, a reserved or repeated name, fewer than two
            items.
        InputError
            Columns of different lengths; counts that are negative, missing or infinite; no comparison at all;
            a covariate with the name of one of the table's own columns.

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
        names = checks.item_names(items)
        i, j = checks.positions("first", first, source), checks.positions("second", second, source)
        given = {"wins": wins, "ties": np.zeros(len(i), bool) if ties is None else ties, "losses": losses}
        counts = {name: checks.numbers(name, values, source) for name, values in given.items()}
        single = {name for name, values in given.items() if getattr(values, "dtype", None) == bool}
        covariates = columns or {}
        checks.check_covariate_names(list(covariates), source)
        lengths = {"first": len(i), "second": len(j), **{name: len(count) for name, count in counts.items()}}
        coded = {k: v for k, v in checks.parts_of(covariates).items() if not isinstance(v, checks.Uncoded)}
        lengths.update({f"column {name!r}": len(column) for name, column in coded.items()})
        checks.check_lengths(lengths, source)
        checks.check_pairs(i, j, names, source)
        checks.check_counts(counts, source, single)
        of_rows = checks.checked_columns(covariates, source)
        of_items = checks.checked_item_data(item_data, len(names), source)
        own, left_out = MappingProxyType(dict(own_names or {})), MappingProxyType(dict(dropped or {}))
        about = (source, ranked_together, own, narrowed, bool(one_track), tuple(counted), left_out)
        won, tied, lost = counts.values()
        return cls(names, i, j, won, tied, lost, ties is not None, of_rows, of_items, *about, tuple(read_as))

    def parts(self) -> dict[str, Any]:
        """The arguments of :meth:`build` that make this table again.

        Returns
        -------
        dict
        """
        ties = {"ties": self.ties if self.tie_category else None}
        return {name: part for name, part in super().parts().items() if name != "tie_category"} | ties

    # -- numbers ---------------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.first)

    @property
    def row_weights(self) -> FloatArray:
        """float[n_rows]: how many comparisons each row stands for."""
        return np.asarray(self.wins + self.ties + self.losses)

    @property
    def n_comparisons(self) -> float:
        """Number of comparisons: the sum of all counts, or of their weights."""
        return float(self.wins.sum() + self.ties.sum() + self.losses.sum())

    n_units = n_comparisons

    def pooled(self) -> dict[tuple[str, str], tuple[float, float, float]]:
        """Counts of every pair of items that was compared, both orders together.

        Returns
        -------
        dict of (str, str) to (float, float, float)
            (wins, ties, losses) from the side of the item that comes first in `items`.
        """
        n = len(self.items)
        flip = self.first > self.second
        key = np.where(flip, self.second, self.first) * n + np.where(flip, self.first, self.second)
        won, lost = np.where(flip, self.losses, self.wins), np.where(flip, self.wins, self.losses)
        pairs = np.arange(n * n)
        if n * n > 2**20:  # with thousands of items most of the millions of pairs were never compared
            pairs, key = np.unique(key, return_inverse=True)
        sums = [np.bincount(key, c, len(pairs)) for c in (won, self.ties, lost)]
        met = np.flatnonzero(sums[0] + sums[1] + sums[2])
        return {
            (self.items[k // n], self.items[k % n]): (w, t, l)
            for k, w, t, l in zip(pairs[met].tolist(), *(s[met].tolist() for s in sums))
        }

    def digest(self) -> str:
        """A sha256 digest of the pooled counts, which does not depend on how they are divided into rows.

        Returns
        -------
        str
            64 hexadecimal digits.
        """
        counts = f"{self.items!r}|{self.tie_category}|" + ";".join(
            f"{a}\x1f{b}\x1f{w:.12g}\x1f{t:.12g}\x1f{l:.12g}" for (a, b), (w, t, l) in self.pooled().items()
        )
        return hashlib.sha256(counts.encode()).hexdigest()

    # -- what can be compared --------------------------------------------------------------------------------

    def connected_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of items that chains of comparisons join; with one set, all items can be compared.

        Returns
        -------
        tuple of tuple of str
            The largest set first.
        """
        used = self.row_weights > 0
        label = components(self.first[used], self.second[used], len(self.items))
        return tuple(tuple(self.items[k] for k in g) for g in groups(label))

    def is_connected(self) -> bool:
        """Whether chains of comparisons join all the items."""
        return len(self.connected_sets()) == 1

    def unseparated_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of items between which each item beats or ties each other one, directly or through a chain.

        If a connected set falls into several of these sets, its items are *separated*: the items of one set
        always beat those of another, and their difference has no finite estimate (Ford 1957).

        Returns
        -------
        tuple of tuple of str
            The largest set first.
        """
        up, down = (self.wins + self.ties) > 0, (self.losses + self.ties) > 0
        winner = np.concatenate([self.first[up], self.second[down]])
        loser = np.concatenate([self.second[up], self.first[down]])
        label = strong_components(winner, loser, len(self.items))
        return tuple(tuple(self.items[k] for k in g) for g in groups(label))

    # -- counts that add up ----------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Comparisons:
        """The counts of both tables, cell by cell; the same to the bit in any order and partition.

        Items and levels are those of both in natural order (in an order that was stated, both must have the same);
        a tie could be answered if it could in either.

        Raises
        ------
        InputError
            A part with a name or from a file is in both; other columns, item data or stated orders; counts that are
            not whole.

        Examples
        --------
        >>> import pairproof
        >>> day = pairproof.count({"first": ["A", "B"], "second": ["B", "A"], "outcome": ["first", "tie"]})
        >>> sum([day, day]).n_comparisons
        4.0
        """
        if not isinstance(other, Comparisons):
            return NotImplemented
        return self.build(**added(self.parts(), other.parts()))

    def __radd__(self, other: Any) -> Comparisons:
        """0 + table, with which `sum` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Any) -> Comparisons:
        """The counts without those of the other table, whose votes were withdrawn; never below 0."""
        if not isinstance(other, Comparisons):
            return NotImplemented
        return self.build(**withdrawn(self.parts(), other.parts()))

    def save(self, path: str | os.PathLike[str], *, force: bool = False, replace_read: bool = False) -> None:
        """Keep a counted table as JSON, with its parts and a digest; :func:`pairproof.load` reads it.

        Parameters
        ----------
        path : path
            Ends in .json or .json.gz.  Written in one step: a run that is killed leaves the old file.
        force : bool
            Replace a file that is no whole file of counts.
        replace_read : bool
            Replace also a file that the running command has read, as `pairproof count --add` does.

        Returns
        -------
        None

        Raises
        ------
        InputError
            A table that was not counted; a name, folder or file that cannot be written.
        """
        saved.save(path, self.parts(), force, replace_read)

    # -- tables made from this one ---------------------------------------------------------------------------

    def without_ties(self) -> Comparisons:
        """The same table with no tie category and without its ties, of which there are `ties.sum()`."""
        return replace(self, ties=checks.frozen(np.zeros(self.n_rows), float), tie_category=False)

    def ties_as_half_wins(self) -> Comparisons:
        """The same table with each tie counted as half a win for either item and no tie category."""
        wins, losses = (checks.frozen(count + self.ties / 2, float) for count in (self.wins, self.losses))
        return replace(self.without_ties(), wins=wins, losses=losses)

    def with_ties_treated(self, treatment: str) -> Comparisons:
        """The table with its ties treated as a model does.

        Parameters
        ----------
        treatment : str
            "drop": without ties; "half": each tie as half a win for either item; any other: as they are.

        Returns
        -------
        Comparisons
        """
        if treatment == "drop":
            return self.without_ties()
        return self.ties_as_half_wins() if treatment == "half" else self

    def as_independent(self) -> Comparisons:
        """The same table with `ranked_together` 0, so that fits take the pairs of a ranking as independent."""
        return replace(self, ranked_together=0)

    def select(self, rows: ArrayLike) -> Comparisons:
        """The table of some of the rows; all items are kept, also those that no row compares.

        Parameters
        ----------
        rows : bool[n_rows] or int[n_selected]
            A mask, or positions of rows.

        Returns
        -------
        Comparisons

        Raises
        ------
        InputError
            No row is selected, or all counts of the selected rows are 0.
        """
        r = np.asarray(rows)
        own = {name: getattr(self, name)[r] for name in ("first", "second", "wins", "losses")}
        ties = self.ties[r] if self.tie_category else None
        columns = checks.each(self.columns, lambda column: take(column, r))
        return self.changed(**own, ties=ties, columns=columns)

    def where(self, *conditions: str) -> Comparisons:
        """The rows that fulfil conditions on their columns, with the items that are compared in them.

        Parameters
        ----------
        *conditions : str
            "judge=3", "lang=en|de", "length<=0.5", "first!=A": a column (or `first`, `second`, `wins`, `ties`,
            `losses`, `outcome`, `winner`; by the file's own name or by its role), one of
            = != < <= > >=, and a value; "judge=" are rows without one.  Conditions with = on the same column
            are alternatives, all else holds together.

        Returns
        -------
        Comparisons
            Without items and levels that no row has any more; its `narrowed` says how much there was.

        Raises
        ------
        InputError
            A column or a value that is not there, or no row is left.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.read({"first": ["A", "A", "G"], "second": ["B", "C", "A"], "wins": [3, 2, 1],
        ...                         "losses": [1, 2, 3], "lang": ["en", "en", "de"]})
        >>> table.where("lang=en")
        8 comparisons of 3 items (no tie category), from table, where lang=en
          A beat B 3, lost 1
          A beat C 2, lost 2
        """
        return self.where_also(conditions_of(conditions), {})

    @property
    def choosable(self) -> Getters:
        """What :meth:`where` may have conditions on, and how to get it."""
        sides = {"first": self.first, "second": self.second}
        own = {name: partial(Factor, codes, self.items) for name, codes in sides.items()}
        counts = {name: partial(getattr, self, name) for name in ("wins", "ties", "losses")}
        return {**super().choosable, **own, **counts}

    @property
    def _answers(self) -> Getters:
        """The answer of each row in the words of the layouts long and votes."""
        words = {"outcome": ("first", "tie", "second"), "winner": ("model_a", "tie", "model_b")}
        return {name: partial(self._answer, levels) for name, levels in words.items()}

    def _answer(self, levels: tuple[str, ...]) -> Factor:
        given = np.stack([self.wins, self.ties, self.losses]) > 0
        several = np.flatnonzero(given.sum(axis=0) > 1)
        if several.size:
            raise InputError(
                f"{self.source}: row {int(several[0]) + 1} counts answers of several kinds, so rows"
                " cannot be selected by answer; use the counts wins, ties and losses, as in 'ties>0'"
            )
        answers = np.where(given.any(axis=0), given.argmax(axis=0), -1)
        bad = self.columns["both_bad"] if "both_bad" in self.columns else np.zeros(self.n_rows)
        if isinstance(bad, Factor) or not (answers[bad == 1] == 1).any():
            return Factor(answers, levels)
        return Factor(np.where((answers == 1) & (bad == 1), 3, answers), (*levels, "both_bad"))

    def where_also(self, conditions: Sequence[str], more: Getters) -> Comparisons:
        """As :meth:`where`, also by columns that a file has beside those of the table.

        Parameters
        ----------
        conditions : sequence of str
        more : mapping of str to function
            Name of a column -> how to get it, for the rows of the table.

        Returns
        -------
        Comparisons
        """
        answers = {name: get for name, get in self._answers.items() if any(name in c for c in conditions)}
        return super().where_also(conditions, {**answers, **more})

    def only_compared(self, source: str = "") -> Comparisons:
        """The table with only the items that are compared in it, and without rows whose counts are all 0.

        Parameters
        ----------
        source : str
            Where the new table comes from; default: as before.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [2], "losses": [0]},
        ...                        items=["A", "B", "C"])
        >>> table.only_compared().items
        ('A', 'B')
        """
        used = self.row_weights > 0
        table = self if used.all() else self.select(used)
        keep = np.zeros(len(self.items), bool)
        keep[table.first] = keep[table.second] = True
        if keep.all():
            return replace(table, source=source or self.source)
        return table._with_items(np.flatnonzero(keep), np.cumsum(keep) - 1, source or self.source)

    def _with_items(self, chosen: IntArray, place: IntArray, source: str) -> Comparisons:
        """The table of these items, in this order; place: of each item before among them."""
        items = [self.items[k] for k in chosen]
        of_items = {name: take(column, chosen) for name, column in self.item_data.items()}
        first, second = place[self.first], place[self.second]
        return self.changed(items=items, first=first, second=second, item_data=of_items, source=source)

    def as_one_track(self) -> Comparisons:
        """The same table, several tracks of which fits take as one competition."""
        return replace(self, one_track=True)

    def with_items(self, order: Sequence[str]) -> Comparisons:
        """The same comparisons with the items in another order.

        Parameters
        ----------
        order : sequence of str
            The names of all the items.

        Returns
        -------
        Comparisons

        Raises
        ------
        ItemError
            `order` does not name every item exactly once.
        """
        if sorted(order) != sorted(self.items):
            raise ItemError(f"found items {list(order)}; expected an ordering of {list(self.items)}")
        place_of = {name: k for k, name in enumerate(order)}
        place = np.array([place_of[name] for name in self.items])
        return self._with_items(np.argsort(place), place, self.source)

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame.

        Returns
        -------
        DataFrame
            first, second, wins, ties (if there is a tie category), losses, then all covariates (but lists).  A
            missing label is None in every version of pandas.
        """
        import pandas as pd

        names = np.array(self.items, dtype=object)
        data: dict[str, Any] = {"first": names[self.first], "second": names[self.second], "wins": self.wins}
        if self.tie_category:
            data["ties"] = self.ties
        data["losses"] = self.losses
        for name, col in checks.usable(self.columns).items():
            if isinstance(col, Factor):  # code -1, a missing value, picks the None at the end
                texts = np.array([*col.levels, None], dtype=object)[col.codes]
                data[name] = pd.Series(texts, dtype=object) if (col.codes < 0).any() else texts
            else:
                data[name] = col
        return pd.DataFrame(data)

    # -- as text ---------------------------------------------------------------------------------------------

    def sentences(self, most: int = 12) -> list[str]:
        """The counts of each pair as text, such as "A beat B 145, lost 7, tied 8".

        Parameters
        ----------
        most : int
            Most pairs listed; the last line then says how many more there are.

        Returns
        -------
        list of str
        """
        pairs = self.pooled()
        out = []
        for (a, b), (w, t, l) in list(pairs.items())[:most]:
            tied = f", tied {t:g}" if self.tie_category else ""
            out.append(f"{a} beat {b} {w:g}, lost {l:g}{tied}")
        if len(pairs) > most:
            out.append(f"... and {len(pairs) - most} more pairs")
        return out

    def _headline(self) -> str:
        """A line with the numbers of comparisons, items, judges and ties, and the source."""
        judges, ranked = self.columns.get("judge"), self.ranked_together
        tied = f"{self.ties.sum():.10g} of them ties" if self.tie_category else "no tie category"
        by = f" by {len(judges.levels)} judges" if isinstance(judges, Factor) else ""
        made = f", pairs of rankings of up to {ranked}" if ranked else ""
        counted = summary(self.counted, self.n_rows)
        return (
            f"{self.n_comparisons:.10g} comparisons of {len(self.items)} items{by} ({tied}{made}), from"
            f" {self.source}{counted}"
        )

    def __repr__(self) -> str:
        lines, apart = [self._headline(), *(f"  {s}" for s in self.sentences())], self.connected_sets()
        if len(apart) > 1:
            lines.append("  NOT CONNECTED: " + " | ".join(", ".join(s) for s in apart))
        return "\n".join(map(label, lines))

    def _repr_html_(self) -> str:
        said = Bullets(tuple(self.sentences()))
        return render_fragment(Page("Comparisons", [Paragraph(self._headline()), said]))


def load(path: str | os.PathLike[str]) -> Comparisons:
    """Load a table of counts written by :meth:`Comparisons.save` or `pairproof count`.

    Parameters
    ----------
    path : path
        JSON, or gzipped JSON.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        No such file, not a file of counts, or a file that was cut or changed.

    Examples
    --------
    >>> import os, tempfile
    >>> import pairproof
    >>> day = pairproof.count({"first": ["A", "B"], "second": ["B", "A"], "outcome": ["first", "tie"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     day.save(os.path.join(folder, "counts.json"))
    ...     pairproof.load(os.path.join(folder, "counts.json")).n_comparisons
    2.0
    """
    return Comparisons.build(**saved.arguments(path))
