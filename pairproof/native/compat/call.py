"""A call of one of prefmod's functions, as far as its defects depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, FloatArray, IntArray, take
from ...data.respondents import Respondents
from ...errors import InputError
from ..pairs.formula import parse

#: Codes of the answers (first, tie, second) of an instrument unless others are stated: prefmod's own examples
#: use these and 1/0/-1.
CODES = (0.0, 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Call:
    """What prefmod gets.

    table: a row a person.  function: prefmod's function, such as "pattPC.fit".  `by`: formula of the subject
    covariates of the model (formel).  elim: covariates that divide the table, if stated.  codes: what stands
    in the file for: first preferred, tie, second preferred.
    """

    table: Respondents
    function: str
    by: str = ""
    elim: tuple[str, ...] | None = None
    codes: tuple[float, float, float] = CODES

    @property
    def covariates(self) -> tuple[str, ...]:
        """Covariates of the model, in the order of their names, as prefmod sorts them."""
        found = parse(self.by)
        return tuple(sorted({v.name for product in (*found.item, *found.tie) for v in product}))

    @property
    def n_rows(self) -> int:
        """Number of persons."""
        return self.table.n_rows

    def coded(self) -> FloatArray:
        """float[n_rows, C]: answers to comparisons in the codes of the file, nan where missing."""
        place = {1: self.codes[0], 0: self.codes[1], -1: self.codes[2]}
        out = np.full(self.table.once.shape, np.nan)
        for answer, code in place.items():
            out[self.table.once == answer] = code
        return out

    def values(self, name: str) -> FloatArray:
        """float[n_rows]: a covariate as prefmod has it: levels that are numbers as they are, others as 1..K."""
        column = self.table.columns[name]
        if not isinstance(column, Factor):
            return column
        whole = all(level.isdigit() and int(level) > 0 for level in column.levels)
        of_level = np.array(
            [float(level) if whole else k + 1.0 for k, level in enumerate(column.levels)] + [np.nan]
        )
        return np.asarray(of_level[column.codes])

    def missing(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """bool[n_rows]: persons without a value of one of the columns."""
        out = np.zeros(self.n_rows, bool)
        for name in names:
            out |= np.isnan(self.values(name))
        return out

    def select(self, rows: NDArray[np.bool_]) -> Call:
        """The call with some of the persons."""
        return replace(self, table=self.table.select(rows))

    def shifted(self, answers_of: IntArray, covariates_of: IntArray) -> Call:
        """The call with the answers of some rows beside the covariates of others."""
        columns = {k: take(c, covariates_of) for k, c in self.table.columns.items()}
        return self.rebuilt(self.table.answers[answers_of], columns=columns)

    def rebuilt(
        self,
        answers: IntArray,
        columns: Mapping[str, Column] | None = None,
        tie_category: bool | None = None,
        scale: Sequence[float] | None = None,
    ) -> Call:
        """The call with other answers, covariates, categories."""
        t = self.table
        table = Respondents.build(
            t.items,
            t.kind,
            answers,
            tie_category=t.tie_category if tie_category is None else tie_category,
            scale=t.scale if scale is None else scale,
            times=t.times if t.n_times > 1 else (),
            columns=dict(t.columns if columns is None else columns),
            item_data=dict(t.item_data),
            source=t.source,
        )
        return replace(self, table=table)


def call_of(
    table: Respondents,
    function: str,
    by: str = "",
    elim: Sequence[str] | None = None,
    codes: Sequence[float] = CODES,
) -> Call:
    """A call with a row for every person.

    table: with whole weights: prefmod takes a row a person.  codes: codes of first, tie and second in the
    file.
    """
    if len(codes) != 3 or len(set(codes)) < 3 or codes[1] != sorted(codes)[1]:
        raise InputError(
            f"codes={list(codes)}; expected three different numbers, of first, tie, second, the tie's in the middle"
        )
    if (table.weights != np.floor(table.weights)).any():
        raise InputError(f"{table.source}: prefmod takes a row a person, so weights must be whole numbers")
    if (table.weights != 1).any():
        rows = np.repeat(np.arange(table.n_rows), table.weights.astype(np.int64))
        columns = {k: take(c, rows) for k, c in table.columns.items()}
        table = Call(table, function).rebuilt(table.answers[rows], columns=columns).table
    first, tie, second = (float(c) for c in codes)
    call = Call(table, function, by, None if elim is None else tuple(elim), (first, tie, second))
    for name in (*call.covariates, *(elim or ())):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no covariate {name!r}; found {', '.join(table.columns) or 'none'}"
            )
    return call
