"""What persons answered: the parts of a table of respondents, what follows from them, its words, a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...report.blocks import Bullets, Page, Paragraph
from ...report.output import render_fragment
from ...text import label, named
from ..columns import Column, Factor, FloatArray, IntArray
from ..where import Narrowed, Rows
from ..wide import prefmod_pair_order
from .codes import ABSENT, BELOW, MISSING, UNRATED, Kind, as_comparisons, dense, has_ties

if TYPE_CHECKING:
    import pandas as pd

_SIGNS = {1: ">", 0: "=", -1: "<"}


@dataclass(frozen=True, eq=False, repr=False)
class AnswerTable(Rows):
    """The parts of :class:`pairproof.data.respondents.Respondents`, which explains them, and what can be asked of them."""

    unit = "persons"
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

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.answers)

    @property
    def n_persons(self) -> float:
        """Number of persons: the sum of the weights."""
        return float(self.weights.sum())

    n_units = n_persons

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
                f"{self.source}: answers at {self.n_times} times ({', '.join(self.times)}), but this needs a"
                " single time; use at_time(...), or a model of repeated answers"
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
                f"{self.source}: the answers are comparisons, which need not be transitive, so they have no ranks"
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
            raise InputError(f"{self.source}: the answers are comparisons, so there are no presented items")
        return np.asarray(self.answers != (ABSENT if self.kind == "rankings" else UNRATED))

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
        data["first"] = [self.items[i] for i, _ in pairs] * len(self.times)
        data["second"] = [self.items[j] for _, j in pairs] * len(self.times)
        return pd.DataFrame({**data, "answered": total - count, "missing": count, "share": count / total})

    # -- as text ---------------------------------------------------------------------------------------------

    def headline(self) -> str:
        """A line with the numbers of persons, items, gaps and ties, the times, the covariates and the source."""
        n, j, w = float(self.weights.sum()), len(self.items), self.weights
        when = f" at {len(self.times)} times" if len(self.times) > 1 else ""
        beside = f", with {named(self.columns, 6)}" if self.columns else ""
        if self.kind == "comparisons":
            open_ = (self.answers == MISSING).sum(axis=(1, 2))
            tied = (self.answers == 0).sum(axis=(1, 2))
            asked = self.answers.shape[1] * self.answers.shape[2]
            ties = f", {w @ tied:g} tied" if self.tie_category else "; no tie category"
            what = f"{n:g} respondents compare {j} items in pairs{when}"
            gaps = f", {w[open_ > 0].sum():g} of them with gaps" if w[open_ > 0].any() else ""
            found = f"{gaps} ({n * asked:g} comparisons asked, {w @ open_:g} not answered{ties})"
        elif self.kind == "rankings":
            given = (self.answers > 0).any(axis=2)
            partial = (self.answers < 1).any(axis=2) & given
            none, part = w @ (~given).sum(axis=1), w @ partial.sum(axis=1)
            tied_rankings = w @ has_ties(self.answers).sum(axis=1)
            ties = f"{tied_rankings:g} with ties" if self.tie_category else "no ties"
            what = f"{n * len(self.times) - none:g} rankings of {j} items"
            times = f" by {n:g} respondents{when}" if len(self.times) > 1 else ""
            empty = f", {none:g} more without a rank" if none else ""
            found = times + (f", {part:g} of them partial" if part else "") + f" ({ties}){empty}"
        else:
            open_ = (self.answers == UNRATED).sum(axis=(1, 2))
            what = f"{n:g} respondents rate {j} items{when}"
            gaps = f", {w[open_ > 0].sum():g} of them with gaps" if w[open_ > 0].any() else ""
            ends = f"{self.scale[0]:g} the most preferred, {self.scale[-1]:g} the least"
            found = f"{gaps} (scale of {len(self.scale)} points, {ends})"
        return f"{what}{found}{beside}, from {self.source}"

    def answer(self, codes: IntArray, kind: str | None = None) -> str:
        """What one row answered at one time, such as "A > B = C; below: D; not presented: E"."""
        items, kind = self.items, kind or self.kind
        if kind == "comparisons":
            pairs = prefmod_pair_order(len(items))
            named_pairs = [(items[i], items[j], int(c)) for (i, j), c in zip(pairs, codes)]
            made = [f"{a} {_SIGNS[c]} {b}" for a, b, c in named_pairs if c != MISSING]
            gaps = [f"{a}:{b}" for a, b, c in named_pairs if c == MISSING]
            return "; ".join([", ".join(made) or "nothing"] + [f"not answered: {named(gaps)}"] * bool(gaps))
        if kind == "ratings":
            rated = [f"{item} {self.scale[c - 1]:g}" for item, c in zip(items, codes) if c]
            gaps = [item for item, c in zip(items, codes) if not c]
            return "; ".join([", ".join(rated) or "nothing"] + [f"not rated: {named(gaps)}"] * bool(gaps))
        ranks = range(1, int(codes.max()) + 1)
        order = " > ".join(" = ".join(item for item, c in zip(items, codes) if c == r) for r in ranks)
        below = [item for item, c in zip(items, codes) if c == BELOW]
        absent = [item for item, c in zip(items, codes) if c == ABSENT]
        why = "rated" if self.kind == "ratings" else "presented"
        parts = [f"below: {named(below)}"] * bool(below) + [f"not {why}: {named(absent)}"] * bool(absent)
        return "; ".join([order or ("nothing" if self.kind == "ratings" else "no rank"), *parts])

    def answer_text(self, codes: IntArray, possible: bool = False) -> str:
        """What one row answered at all times.  codes int[n_times, k]."""
        parts = [self.answer(c, "rankings" if possible and self.kind == "ratings" else None) for c in codes]
        return " | ".join(f"{t}: {part}" if t else part for t, part in zip(self.times, parts))

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
        flat = self.answers.reshape(len(self.answers), -1)
        patterns, group = np.unique(flat, axis=0, return_inverse=True)
        count = np.bincount(group.reshape(-1), self.weights)
        order = [k for k in np.lexsort((np.arange(len(count)), -count)) if count[k] > 0]
        shape = self.answers.shape[1:]
        lines = [f"{count[k]:g}  {self.answer_text(patterns[k].reshape(shape))}" for k in order[:most]]
        if len(order) > most:
            lines.append(f"... and {len(order) - most:,} more different answers")
        return lines

    def __repr__(self) -> str:
        return "\n".join(map(label, [self.headline(), *(f"  {line}" for line in self.sentences())]))

    def _repr_html_(self) -> str:
        said = Bullets(tuple(self.sentences()))
        return render_fragment(Page("Respondents", [Paragraph(self.headline()), said]))

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame, which the readers read back.

        Returns
        -------
        DataFrame
            A column a pair, called `A:B`, in prefmod's order, with 1, 0, -1, nan (`from_pairs`); or one
            column per item, with its rank, 0 below all others, nan not presented (`from_ranks`); or with its
            rating as on the scale, nan without one (`from_ratings`).  With several times `A.1`, `B.1`, ...
            by time. Then the covariates, and `weight` unless all are 1.
        """
        import pandas as pd

        a = self.answers
        if self.kind == "comparisons":
            names = [f"{self.items[i]}:{self.items[j]}" for i, j in prefmod_pair_order(len(self.items))]
            values = np.where(a == MISSING, np.nan, a)
        elif self.kind == "rankings":
            names, values = list(self.items), np.where(a == ABSENT, np.nan, a)
        else:
            names, values = list(self.items), np.array([np.nan, *self.scale])[a]
        data: dict[str, Any] = {}
        for t, time in enumerate(self.times):
            for k, name in enumerate(names):
                data[f"{name}.{time}" if time else name] = values[:, t, k]
        for name, column in self.columns.items():
            data[name] = column
            if isinstance(column, Factor):
                levels = np.array([*column.levels, None], dtype=object)
                data[name] = pd.Series(levels[column.codes], dtype=object)
        if (self.weights != 1).any():
            data["weight"] = self.weights
        return pd.DataFrame(data)
