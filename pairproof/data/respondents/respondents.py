"""`Respondents`: the table of whole answers of persons, which pattern models and models of rankings take.

A row is what one person answered: all comparisons of the items, a ranking, ratings of the items, each perhaps
with gaps, and perhaps several times; cut into comparisons it loses what belongs together.  Kinds of answers
and order of comparisons are as in prefmod (Hatzinger and Dittrich 2012, J. of Statistical Software 48(10)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, ItemError
from ...text import listed, quoted
from .. import columns as checks
from ..columns import Column, Factor, IntArray, refuse_rows, take, values_of
from ..comparisons import Comparisons
from ..where import Narrowed, conditions_of
from ..wide import prefmod_pair_order
from . import codes as checked
from .answer_table import AnswerTable
from .codes import FIRST, MISSING, SECOND, TIED, Kind, as_comparisons, dense

#: Comparisons that a table may be cut into, as many as a table of rankings may stand for.
MOST_COMPARISONS = 10_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Respondents(AnswerTable):
    """A checked, read-only table of whole answers of persons, with comparisons in the order of R's prefmod.

    Attributes
    ----------
    items : tuple of str
        Names of the items.
    kind : {"comparisons", "rankings", "ratings"}
        What persons were asked to give.
    answers : int[n_rows, n_times, k]
        comparisons: k = J(J-1)/2 in prefmod's order (1 2) (1 3) (2 3) (1 4) ...; 1 the first item of the two
        was preferred, -1 the second, 0 neither, 9 not answered.  rankings: k = J; dense ranks, 1 = best,
        equal for ties, 0 presented but below all items with a rank, -1 not presented.  ratings: k = J; place
        on `scale`, from 1, or 0 without a rating.
    tie_category : bool
        Whether "neither" or equal ranks were possible answers.  True for ratings.
    scale : tuple of float
        Points of the rating scale, most preferred first, including unused ones; () for other
        kinds.
    times : tuple of str
        Names of the points in time, ("",) if everybody answered once.
    weights : float[n_rows]
        Number of persons with the answer.
    columns : mapping of str to Factor or float[n_rows]
        Subject covariates; code -1 or nan for a missing value.
    item_data : mapping of str to Factor or float[n_items]
        Item covariates.
    source : str
        Where the table came from, for messages and reports.
    own_names : mapping of str to str
        Role -> the column's name in the file, if different; both can be used.
    narrowed : Narrowed or None
        What remains of the file after conditions (:meth:`where`).
    one_track : bool
        Whether several tracks are treated as one (:meth:`as_one_track`).

    Examples
    --------
    >>> from pairproof.data.respondents.respondents import Respondents
    >>> Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 0, 0]], weights=[4, 2, 1])
    7 rankings of 3 items, 1 of them partial (no ties), from table
      4  A > B > C
      2  B > A > C
      1  A; below: B, C
    """

    @classmethod
    def build(
        cls,
        items: Sequence[str],
        kind: Kind,
        answers: ArrayLike,
        *,
        tie_category: bool | None = None,
        scale: Sequence[float] = (),
        times: Sequence[str] = (),
        weights: ArrayLike | None = None,
        columns: Mapping[str, Column] | None = None,
        item_data: Mapping[str, Column] | None = None,
        source: str = "table",
        own_names: Mapping[str, str] | None = None,
        narrowed: Narrowed | None = None,
        one_track: bool = False,
    ) -> Respondents:
        """Make a table from checked copies of its parts.

        Parameters
        ----------
        items : sequence of str
        kind : {"comparisons", "rankings", "ratings"}
        answers : int[n_rows, k] or int[n_rows, n_times, k]
            Codes as in the class; gaps between ranks are closed.
        tie_category : bool, optional
            Required for comparisons, because two or three answers may have been possible whatever was answered.
            Default for rankings: whether equal ranks occur.
        scale : sequence of float
            Points of the rating scale, most preferred first; for ratings only, and required there.
        times : sequence of str
            Names of two or more points in time.
        weights : float[n_rows], optional
            Number of persons with the answer; default 1.
        columns : mapping of str to Factor or float[n_rows], optional
        item_data : mapping of str to Factor or float[n_items], optional
        source : str
        own_names : mapping of str to str, optional
        narrowed : Narrowed, optional
        one_track : bool
            As in the class.

        Returns
        -------
        Respondents

        Raises
        ------
        ItemError
            A reserved or repeated name, fewer than two items.
        InputError
            An invalid shape, code, weight, scale or covariate, with its row; no answer that compares two
            items.

        Examples
        --------
        >>> from pairproof.data.respondents.respondents import Respondents
        >>> table = Respondents.build("ABC", "comparisons", [[1, 0, -1], [1, 1, 9]], tie_category=True)
        >>> table.sentences()
        ['1  A > B, A = C, B < C', '1  A > B, A > C; not answered: B:C']
        """
        names = checks.item_names(items)
        when = checked.checked_times(times)
        codes = checked.checked_answers(answers, kind, len(names), len(when), source)
        if kind == "comparisons" and not isinstance(tie_category, (bool, np.bool_)):
            raise InputError(
                f"{source}: tie_category={tie_category!r}; state whether 'no preference' was a possible answer,"
                " True or False: the answers alone do not show it"
            )
        points = checked.checked_scale(scale, kind, source)
        if kind == "rankings":
            checked.check_codes(codes, kind, True, points, names, source)
            codes = dense(codes.reshape(-1, len(names))).reshape(codes.shape)
        with_ties = kind == "ratings" or (
            bool(checked.has_ties(codes).any()) if tie_category is None else bool(tie_category)
        )
        checked.check_codes(codes, kind, with_ties, points, names, source)
        own = checked.checked_weights(weights, len(codes), source)
        if not (own[(as_comparisons(kind, codes) != MISSING).any(axis=(1, 2))] > 0).any():
            raise InputError(f"{source}: no answer compares two items; at least one comparison is needed")
        of_rows = MappingProxyType(checked.checked_columns(columns or {}, len(codes), source))
        codes.setflags(write=False)
        of_items = checks.checked_item_data(item_data, len(names), source)
        about = (source, MappingProxyType(dict(own_names or {})), narrowed, bool(one_track))
        return cls(names, kind, codes, with_ties, points, when, own, of_rows, of_items, *about)

    def parts(self) -> dict[str, Any]:
        """The arguments of :meth:`build` that reproduce this table.

        Returns
        -------
        dict
        """
        return {**super().parts(), "times": self.times if self.n_times > 1 else ()}

    def groups(self, names: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Groups of rows with equal covariates.

        Parameters
        ----------
        names : sequence of str
            Covariates; with none there is one group.

        Returns
        -------
        (int[n_rows], int[n_groups])
            Number of each row's group, and the first row of each group; groups are sorted by the covariates'
            values.

        Raises
        ------
        InputError
            A missing covariate, or a covariate without a value in some row.

        Examples
        --------
        >>> import numpy as np
        >>> from pairproof.data.respondents.respondents import Respondents
        >>> table = Respondents.build("AB", "rankings", [[1, 2], [2, 1], [1, 2]], columns={"age": np.array([30., 20, 30])})
        >>> [part.tolist() for part in table.groups(["age"])]
        [[1, 0, 1], [1, 0]]
        """
        if isinstance(names, str):
            raise InputError(f"names={names!r} is one string; pass a list of covariates such as [{names!r}]")
        keys = np.zeros((len(self.answers), len(names)))
        for k, name in enumerate(names):
            if name not in self.columns:
                raise InputError(
                    f"{self.source}: no covariate {quoted(name)}; found {listed(self.columns) or 'none'}"
                )
            keys[:, k] = values_of(self.columns[name])
            missing = np.isnan(keys[:, k])
            found = f"{name!r} has no value ({int(missing.sum())} such row(s))"
            refuse_rows(self.source, missing, f"{found}; drop these rows with select, or omit the covariate")
        if not names:
            return np.zeros(len(self.answers), np.int64), np.zeros(1, np.int64)
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return group.reshape(-1).astype(np.int64), first.astype(np.int64)

    def to_comparisons(self, judge: bool = False) -> Comparisons:
        """Every comparison that the answers give or imply, each with its person's weight.

        Items with a rank are preferred to those below; two items below all others are not compared.  For
        rankings and ratings, `ranked_together` is set and fits warn: the comparisons are dependent, and
        standard errors that treat them as independent are too small.

        Parameters
        ----------
        judge : bool
            Whether persons become judges, for standard errors clustered by person: 1, 2, ... like the rows, and
            3.1, 3.2, ... if row 3 stands for several persons.

        Returns
        -------
        Comparisons
            Columns: the covariates, `time` for repeated answers, and, unless `judge` or `person` is among them or a row
            stands for several persons, `person`: the row number.

        Raises
        ------
        InputError
            `judge` although a column `judge` exists, or a weight that is not a whole number.

        Examples
        --------
        >>> from pairproof.data.respondents.respondents import Respondents
        >>> table = Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 0, 0]], weights=[4, 2, 1])
        >>> table.to_comparisons()
        20 comparisons of 3 items (no tie category, pairs of rankings of up to 3), from table
          A beat B 5, lost 2
          A beat C 7, lost 0
          B beat C 6, lost 0
        """
        rows = self._rows_of_persons() if judge else np.flatnonzero(self.weights > 0)
        answers = self.pair_answers[rows]
        made = answers != MISSING
        person, time, pair = np.nonzero(made)
        row = rows[person]
        if len(row) > MOST_COMPARISONS:
            raise InputError(
                f"{self.source}: the answers give {len(row):,} comparisons; at most {MOST_COMPARISONS:,} are"
                " created. merged() combines equal answers"
            )
        first, second = np.array(prefmod_pair_order(len(self.items))).T
        given, weight = answers[made], np.ones(len(row)) if judge else self.weights[row]
        columns: dict[str, Column] = {name: take(column, row) for name, column in self.columns.items()}
        if judge:
            columns = {"judge": self._judges(rows, person), **columns}
        elif not {"judge", "person"} & set(columns) and (self.weights[rows] == 1.0).all():
            # A row with a weight is several persons, or a part of one.
            columns["person"] = Factor(row, tuple(map(str, range(1, len(self.answers) + 1))))
        if len(self.times) > 1:
            columns["time"] = Factor(time.astype(np.int64), self.times)
        won, tied, lost = (np.where(given == code, weight, 0.0) for code in (FIRST, TIED, SECOND))
        about: dict[str, Any] = {"item_data": self.item_data, "source": self.source}
        about |= {"own_names": self.own_names, "narrowed": self.narrowed, "one_track": self.one_track}
        return Comparisons.build(
            *(self.items, first[pair], second[pair], won, tied if self.tie_category else None, lost),
            columns=columns,
            ranked_together=0 if self.kind == "comparisons" else self._ranked_together(),
            **about,
        )

    def _ranked_together(self) -> int:
        """Largest number of items in one ranking that says anything."""
        counts = self.presented.sum(axis=2)
        spoken = (self.pair_answers != MISSING).any(axis=2) & (self.weights > 0)[:, None]
        return int(np.where(spoken, counts, 0).max())

    def _rows_of_persons(self) -> IntArray:
        """The row of each person: a row of weight 3 is three persons."""
        if "judge" in self.columns:
            raise InputError(
                f"{self.source}: a column 'judge' already exists; to_comparisons() keeps it, and clustered('judge') uses it"
            )
        broken = "which is not a whole number of persons; judge=True makes each person a judge"
        split = self.weights != np.round(self.weights)
        refuse_rows(self.source, split, lambda r: f"the weight is {self.weights[r]:g}, {broken}")
        n = float(self.weights @ (self.pair_answers != MISSING).sum(axis=(1, 2)))
        if n > MOST_COMPARISONS:
            raise InputError(
                f"{self.source}: the answers of {self.weights.sum():,.0f} persons give {n:,.0f} comparisons;"
                f" at most {MOST_COMPARISONS:,} are created"
            )
        return np.repeat(np.arange(len(self.answers)), self.weights.astype(np.int64))

    def _judges(self, rows: IntArray, person: IntArray) -> Factor:
        """Judges "3" of a row of one person, and "3.1", "3.2" of a row of two."""
        first = np.concatenate([[0], np.flatnonzero(np.diff(rows)) + 1]).astype(np.int64)
        within = np.arange(len(rows)) - np.repeat(first, np.diff([*first, len(rows)]))
        names = (f"{r + 1}.{k + 1}" if self.weights[r] > 1 else f"{r + 1}" for r, k in zip(rows, within))
        return Factor(person.astype(np.int64), tuple(names))

    def merged(self) -> Respondents:
        """The table with answers and covariates that are equal combined into one row; weights are summed.

        Rows with weight 0 are dropped, and so is the column `person`.
        """
        kept = self.weights > 0
        # Two missing values are alike here; doubles hold every code exactly.
        kept_columns = {name: column for name, column in self.columns.items() if name != "person"}
        covariates = [np.nan_to_num(values_of(column), nan=np.inf) for column in kept_columns.values()]
        keys = np.column_stack([self.answers.reshape(len(self.answers), -1), *covariates])[kept]
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        sums = np.bincount(group.reshape(-1), self.weights[kept])
        order = np.argsort(first)
        rows = np.flatnonzero(kept)[first[order]]
        cols = {name: take(column, rows) for name, column in kept_columns.items()}
        return self.changed(answers=self.answers[rows], weights=sums[order], columns=cols)

    def select(self, rows: ArrayLike) -> Respondents:
        """The table of some of the rows.

        Parameters
        ----------
        rows : bool[n_rows] or int[n_selected]
            A mask, or positions of rows.

        Returns
        -------
        Respondents

        Raises
        ------
        InputError
            No row is selected, or none of those selected compares two items.
        """
        chosen = np.asarray(rows)
        cols = {name: take(column, chosen) for name, column in self.columns.items()}
        return self.changed(answers=self.answers[chosen], weights=self.weights[chosen], columns=cols)

    def where(self, *conditions: str) -> Respondents:
        """The persons who meet conditions on their columns, with the items that they compare.

        Parameters
        ----------
        *conditions : str
            "sex=1", "lang=en|de", "age>=30", "age=": as in :meth:`pairproof.Comparisons.where`.

        Returns
        -------
        Respondents
            Without items and levels that no longer occur; its `narrowed` gives the original number of persons.

        Raises
        ------
        InputError
            A missing column or value, or no remaining person.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.read_respondents({"A": [1, 2], "B": [2, 1], "age": [20, 30]}, layout="ranks", items=["A", "B"])
        >>> table.where("age<25").sentences()
        ['1  A > B']
        """
        return self.where_also(conditions_of(conditions), {})

    def only_compared(self, source: str = "") -> Respondents:
        """The table with only the items that are compared.

        Parameters
        ----------
        source : str
            Source of the new table; default: unchanged.

        Returns
        -------
        Respondents
        """
        n = len(self.items)
        first, second = np.array(prefmod_pair_order(n)).T
        made = (self.pair_answers[self.weights > 0] != MISSING).any(axis=(0, 1))
        keep = np.zeros(n, bool)
        keep[first[made]] = keep[second[made]] = True
        chosen = np.flatnonzero(keep)
        of_answers = keep[first] & keep[second] if self.kind == "comparisons" else keep
        return self.changed(
            items=tuple(self.items[k] for k in chosen),
            answers=self.answers[..., of_answers],
            item_data={name: take(column, chosen) for name, column in self.item_data.items()},
            source=source or self.source,
        )

    def as_one_track(self) -> Respondents:
        """The same table, whose tracks are fitted as one competition."""
        return self.changed(one_track=True)

    def at_time(self, time: str) -> Respondents:
        """The answers at one point in time.

        Parameters
        ----------
        time : str
            One of `times`.

        Returns
        -------
        Respondents

        Raises
        ------
        InputError
            An unknown time.
        """
        if time not in self.times:
            raise InputError(f"{self.source}: no time {quoted(time)}; found {listed(self.times)}")
        return self.changed(answers=self.answers[:, self.times.index(time)], times=())

    def with_items(self, order: Sequence[str]) -> Respondents:
        """The same answers with the items in another order.

        Parameters
        ----------
        order : sequence of str
            The names of all the items.

        Returns
        -------
        Respondents

        Raises
        ------
        ItemError
            Not every item is listed exactly once.
        """
        if sorted(order) != sorted(self.items):
            raise ItemError(
                f"found items {quoted(list(order))}; expected an ordering of {quoted(list(self.items))}"
            )
        was = {name: k for k, name in enumerate(self.items)}
        old = [was[name] for name in order]
        if self.kind == "comparisons":
            place = {pair: k for k, pair in enumerate(prefmod_pair_order(len(order)))}
            pairs = [(old[i], old[j]) for i, j in place]
            columns = [place[min(pair), max(pair)] for pair in pairs]
            turned = np.array([i > j for i, j in pairs])
            found = self.answers[..., columns]
            answers = np.where(turned & (found != MISSING), -found, found)
        else:
            answers = self.answers[..., old]
        of_items = {name: take(column, np.array(old)) for name, column in self.item_data.items()}
        return self.changed(items=tuple(order), answers=answers, item_data=of_items)
