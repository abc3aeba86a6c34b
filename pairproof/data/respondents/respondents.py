"""`Respondents`: the table of whole answers of persons, which pattern models and models of rankings take.

A row is what one person answered: all comparisons of the items, a ranking, ratings of the items, each perhaps
with gaps, and perhaps several times; cut into comparisons it loses what belongs together.  Kinds of answers
and order of comparisons are as in prefmod (Hatzinger and Dittrich 2012, J. of Statistical Software 48(10)).

Which comparisons were not answered, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from .. import columns as checks
from ..columns import Column, FloatArray, IntArray, role_of, used_levels
from ..comparisons import Comparisons
from ..where import Getters, Narrowed, conditions_of, rows_where
from ..wide import prefmod_pair_order
from . import codes as checked, derived as changed
from .codes import ABSENT, MISSING, UNRATED, Kind, as_comparisons, dense
from .derived import parts_of

if TYPE_CHECKING:
    import pandas as pd


class WithGaps:
    """A table of answers that can count what is missing in it."""

    if TYPE_CHECKING:
        items: tuple[str, ...]
        times: tuple[str, ...]
        weights: FloatArray

        @property
        def pair_answers(self) -> IntArray:
            """int[n_rows, n_times, J(J-1)/2]"""

    def gaps(self) -> pd.DataFrame:
        """How many persons answered each comparison, and how many did not.

        For rankings and ratings the comparisons are those that they imply.  R's prefmod has `checkMIS` for it, which
        says whether a comparison is missing at all.

        Returns
        -------
        DataFrame
            first, second, answered, missing (persons), share (missing of all); with several times a column time.

        Examples
        --------
        >>> from pairproof.data.respondents.respondents import Respondents
        >>> table = Respondents.build("ABC", "rankings", [[1, 2, 3], [1, 0, 0], [2, 1, 3]])
        >>> print(table.gaps().to_string(index=False))
        first second  answered  missing    share
            A      B       3.0      0.0 0.000000
            A      C       3.0      0.0 0.000000
            B      C       2.0      1.0 0.333333
        """
        import pandas as pd

        pairs = prefmod_pair_order(len(self.items))
        total = float(self.weights.sum())
        missing = np.einsum("r,rtk->tk", self.weights, (self.pair_answers == MISSING).astype(float))
        several = len(self.times) > 1
        data: dict[str, object] = {"time": np.repeat(self.times, len(pairs))} if several else {}
        count = missing.reshape(-1)
        return pd.DataFrame(
            {
                **data,
                "first": [self.items[i] for i, _ in pairs] * len(self.times),
                "second": [self.items[j] for _, j in pairs] * len(self.times),
                "answered": total - count,
                "missing": count,
                "share": count / total,
            }
        )


@dataclass(frozen=True, eq=False, repr=False)
class Respondents(WithGaps):
    """A checked, read-only table of persons' whole answers, comparisons in the order of R's prefmod.

    Attributes
    ----------
    items : tuple of str
        Names of the items.
    kind : {"comparisons", "rankings", "ratings"}
        What persons were asked for.
    answers : int[n_rows, n_times, k]
        comparisons: k = J(J-1)/2 in prefmod's order (1 2) (1 3) (2 3) (1 4) ...; 1 the first item of the two
        was preferred, -1 the second, 0 neither, 9 not answered.  rankings: k = J; dense ranks, 1 = best,
        equal for ties, 0 presented but below all items with a rank, -1 not presented.  ratings: k = J; place
        on `scale`, from 1, or 0 without a rating.
    tie_category : bool
        Whether "neither" could be answered, or equal ranks given.  True for ratings.
    scale : tuple of float
        Points of the rating scale, the most preferred first, whether somebody used them or not; () for other
        kinds.
    times : tuple of str
        Names of the points in time, ("",) where everybody answered once.
    weights : float[n_rows]
        Number of persons with the answer.
    columns : mapping of str to Factor or float[n_rows]
        Subject covariates; code -1 or nan where a person has no value.
    item_data : mapping of str to Factor or float[n_items]
        Item covariates.
    source : str
        Where the table came from, for messages and reports.
    own_names : mapping of str to str
        Role -> the column's name in the file, where they differ; both can be used.
    narrowed : Narrowed or None
        What conditions (:meth:`where`) have left of the file.
    one_track : bool
        Whether several tracks are meant as one, :meth:`as_one_track`.

    Examples
    --------
    >>> from pairproof.data.respondents.respondents import Respondents
    >>> Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 0, 0]], weights=[4, 2, 1])
    7 rankings of 3 items, 1 of them partial (no ties), from table
      4  A > B > C
      2  B > A > C
      1  A; below: B, C
    """

    items: tuple[str, ...]
    kind: Kind
    answers: IntArray
    tie_category: bool
    scale: tuple[float, ...]
    times: tuple[str, ...]
    weights: FloatArray
    columns: Mapping[str, Column] = field(default_factory=dict)
    item_data: Mapping[str, Column] = field(default_factory=dict)
    source: str = "table"
    own_names: Mapping[str, str] = field(default_factory=dict)
    narrowed: Narrowed | None = None
    one_track: bool = False

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
            Required for comparisons, whose instrument has two categories or three whatever was answered.
            Default for rankings: whether equal ranks occur.
        scale : sequence of float
            Points of the rating scale, the most preferred first; for ratings only, where it is required.
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
            A shape, code, weight, scale or covariate that is wrong, named by row; no answer that compares two
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
                f"{source}: tie_category={tie_category!r}; say whether 'no preference' was a possible answer, True"
                " or False: answers alone do not tell"
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
            raise InputError(f"{source}: no answer compares two items; at least one is needed")
        of_rows = checked.checked_columns(columns or {}, len(codes), source)
        of_items = {
            k: checks.checked_item_column(k, v, len(names), source) for k, v in (item_data or {}).items()
        }
        codes.setflags(write=False)
        read_only = MappingProxyType(of_rows), MappingProxyType(of_items)
        own_of = MappingProxyType(dict(own_names or {}))
        return cls(
            names,
            kind,
            codes,
            with_ties,
            points,
            when,
            own,
            *read_only,
            source,
            own_of,
            narrowed,
            bool(one_track),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts; the table is checked and made read-only again when it is loaded."""
        mappings = {name: dict(getattr(self, name)) for name in ("columns", "item_data", "own_names")}
        options = parts_of(self, **mappings)
        return partial(Respondents.build, **options), ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.answers)

    @property
    def n_persons(self) -> float:
        """Number of persons: the sum of the weights."""
        return float(self.weights.sum())

    @property
    def unit(self) -> str:
        """What the weights of rows count."""
        return "persons"

    @property
    def row_weights(self) -> FloatArray:
        """float[n_rows]: how many persons each row stands for."""
        return self.weights

    @property
    def n_times(self) -> int:
        """Number of points in time."""
        return len(self.times)

    @property
    def pair_answers(self) -> IntArray:
        """int[n_rows, n_times, J(J-1)/2]: the comparisons that the answers imply, coded as comparisons are.

        9 where an item was not presented or not rated, and where two items are both below all others.
        """
        return as_comparisons(self.kind, self.answers)

    @property
    def answered(self) -> IntArray:
        """int[n_rows]: number of comparisons that an answer states or implies, over all times."""
        return np.asarray((self.pair_answers != MISSING).sum(axis=(1, 2)), np.int64)

    @property
    def once(self) -> IntArray:
        """int[n_rows, k]: the answers of a table with one point in time.

        Raises
        ------
        InputError
            There are several times.
        """
        if self.n_times > 1:
            raise InputError(
                f"{self.source}: answers at {self.n_times} times ({', '.join(self.times)}), and this takes those of"
                " one; take at_time(...), or a model of repeated answers"
            )
        return self.answers[:, 0]

    @property
    def ranks(self) -> IntArray:
        """int[n_rows, n_times, J]: dense ranks, 0 for an item without a rank; :attr:`presented` says why it
        has none.

        Ratings become ranks too: equal ratings are ties, and an item without a rating was not presented.

        Raises
        ------
        InputError
            The answers are comparisons.
        """
        if self.kind == "comparisons":
            raise InputError(
                f"{self.source}: the answers are comparisons, which need not be transitive: they have no ranks"
            )
        if self.kind == "rankings":
            return np.maximum(self.answers, 0)
        flat = np.where(self.answers == UNRATED, ABSENT, self.answers).reshape(-1, len(self.items))
        return np.maximum(dense(flat), 0).reshape(self.answers.shape)

    @property
    def presented(self) -> NDArray[Any]:
        """bool[n_rows, n_times, J]: whether a person saw the item to rank it, or rated it.

        Raises
        ------
        InputError
            The answers are comparisons.
        """
        if self.kind == "comparisons":
            raise InputError(
                f"{self.source}: the answers are comparisons, which have no items that were presented"
            )
        return np.asarray(self.answers != (ABSENT if self.kind == "rankings" else UNRATED))

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
            A covariate that is not there, or that has no value in some row.

        Examples
        --------
        >>> import numpy as np
        >>> from pairproof.data.respondents.respondents import Respondents
        >>> table = Respondents.build("AB", "rankings", [[1, 2], [2, 1], [1, 2]], columns={"age": np.array([30., 20, 30])})
        >>> [part.tolist() for part in table.groups(["age"])]
        [[1, 0, 1], [1, 0]]
        """
        return changed.groups(self, names)

    def to_comparisons(self, judge: bool = False) -> Comparisons:
        """Every comparison that the answers state or imply, each with its person's weight.

        Items with a rank are preferred to those below; two items below all others are not compared.  The
        table of rankings and ratings has `ranked_together` set, so that fits warn: its comparisons are
        dependent, and standard errors that take them as independent are too small.

        Parameters
        ----------
        judge : bool
            Whether persons become judges, for standard errors clustered by person: 1, 2, ... as the rows, and
            3.1, 3.2, ... where row 3 is of several persons.

        Returns
        -------
        Comparisons
            Columns: the covariates, `time` for repeated answers, and, unless `judge` or `person` is among them or a row
            is of several persons, `person`: the number of the row.

        Raises
        ------
        InputError
            `judge` where there is a column `judge` already, or a weight is no whole number.

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
        return changed.comparisons_of(self, judge)

    def merged(self) -> Respondents:
        """The table with equal answers of equal covariates in one row, whose weight is the sum of theirs.

        Rows of weight 0 are left out, and so is the column `person`.
        """
        return Respondents.build(**changed.merged(self))

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
        return Respondents.build(**changed.selected(self, np.asarray(rows)))

    def where(self, *conditions: str) -> Respondents:
        """The persons who fulfil conditions on their columns, with the items that they compare.

        Parameters
        ----------
        *conditions : str
            "sex=1", "lang=en|de", "age>=30", "age=": as in :meth:`pairproof.Comparisons.where`.

        Returns
        -------
        Respondents
            Without items and levels that nobody has any more; its `narrowed` says how many persons there were.

        Raises
        ------
        InputError
            A column or a value that is not there, or nobody is left.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.read_respondents({"A": [1, 2], "B": [2, 1], "age": [20, 30]}, layout="ranks", items=["A", "B"])
        >>> table.where("age<25").sentences()
        ['1  A > B']
        """
        said = conditions_of(conditions)
        if not said:
            return self
        rows = rows_where(self, said)
        part = self.select(rows).only_compared(f"{self.source}, where {' and '.join(said)}")
        gone = tuple(item for item in self.items if item not in part.items)
        narrowed = Narrowed(said, part.n_persons, self.n_persons, gone, self.unit).after(self.narrowed)
        used = {name: used_levels(column) for name, column in part.columns.items()}
        return Respondents.build(**parts_of(part, columns=used, narrowed=narrowed))

    @property
    def choosable(self) -> Getters:
        """What :meth:`where` may have conditions on, and how to get it."""
        return {name: partial(self.columns.__getitem__, name) for name in self.columns}

    def only_compared(self, source: str = "") -> Respondents:
        """The table with only the items that somebody compares.

        Parameters
        ----------
        source : str
            Where the new table comes from; default: as before.

        Returns
        -------
        Respondents
        """
        return Respondents.build(**changed.only_compared(self, source))

    def role_of(self, name: str) -> str:
        """The role of a column that is called by its name in the file.

        Parameters
        ----------
        name : str

        Returns
        -------
        str
            Any other name as it is.
        """
        return role_of(name, self.columns, self.own_names)

    def as_one_track(self) -> Respondents:
        """The same table, several tracks of which fits take as one competition."""
        return Respondents.build(**parts_of(self, one_track=True))

    def at_time(self, time: str) -> Respondents:
        """The answers at one point in time.

        Parameters
        ----------
        time : str
            One of `times`; InputError for another.

        Returns
        -------
        Respondents
        """
        return Respondents.build(**changed.at_time(self, time))

    def with_items(self, order: Sequence[str]) -> Respondents:
        """The same answers with the items in another order.

        Parameters
        ----------
        order : sequence of str
            The names of all the items; ItemError unless every item stands there exactly once.

        Returns
        -------
        Respondents
        """
        return Respondents.build(**changed.with_items(self, order))

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame, which the readers read back.

        Returns
        -------
        DataFrame
            A column a pair, called `A:B`, in prefmod's order, with 1, 0, -1, nan (`from_pairs`); or a column
            an item, with its rank, 0 below all others, nan not presented (`from_ranks`); or with its rating
            as on the scale, nan without one (`from_ratings`).  With several times `A.1`, `B.1`, ... by time.
            Then the covariates, and `weight` unless all are 1.
        """
        return changed.frame(self)

    def sentences(self, most: int = 12) -> list[str]:
        """The most frequent answers as text, such as "4  A > B > C".

        Parameters
        ----------
        most : int
            Most answers listed; a last line counts the others.

        Returns
        -------
        list of str
        """
        return changed.sentences(self, most)

    def __repr__(self) -> str:
        return changed.text(self)

    def _repr_html_(self) -> str:
        return changed.html(self)
