"""The persons of a table: whose comparisons they are, and how many persons each of them stands for.

A person is a row of :class:`pairproof.Respondents`, or a judge of :class:`pairproof.Comparisons`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, take
from ...data.comparisons import Comparisons
from ...data.respondents.respondents import Respondents
from ...errors import InputError
from ...text import listed, quoted
from .preferences import Preferences, counted

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Columns of a table of comparisons that are not of persons.
NOT_OF_PERSONS = ("judge", "person", "order", "source")


@dataclass(frozen=True, eq=False)
class Persons:
    """Comparisons, and the persons who made them.

    table: of these persons alone.  person int[n_rows]: who made each row of it, 0 .. n - 1.  names: of the n
    persons: judges, or numbers of the rows of the file.  weights float[n]: persons that each stands for.
    columns: of persons.  noun: "person" or "judge".  silent: persons who compared nothing, and are left out.
    """

    table: Comparisons
    person: IntArray
    names: tuple[str, ...]
    weights: FloatArray
    columns: Mapping[str, Column]
    noun: str
    silent: float = 0.0

    def select(self, chosen: IntArray) -> Persons:
        """These persons alone, int[r], rising."""
        new = np.full(len(self.names), -1)
        new[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(new[self.person] >= 0)
        return Persons(
            self.table.select(rows),
            new[self.person[rows]],
            tuple(self.names[k] for k in chosen),
            self.weights[chosen],
            {name: take(column, chosen) for name, column in self.columns.items()},
            self.noun,
            self.silent,
        )

    def preferences(self, reference: str | None) -> Preferences:
        """Counts of these persons, each two items in one order."""
        first, second = self.table.first, self.table.second
        n_items, turned = len(self.table.items), first > second
        code, pair = np.unique(
            np.minimum(first, second) * n_items + np.maximum(first, second), return_inverse=True
        )
        # A row counts once for each of the persons it stands for: so many times less for each of them.
        each = self.weights[self.person]
        return counted(
            self.person,
            np.ravel(pair),
            np.where(turned, self.table.losses, self.table.wins) / each,
            self.table.ties / each,
            np.where(turned, self.table.wins, self.table.losses) / each,
            self.weights,
            (code // n_items).tolist(),
            (code % n_items).tolist(),
            self.table.items,
            reference,
        )


def persons_of(table: Respondents | Comparisons) -> Persons:
    """The persons of a table.

    table: comparisons have a column `judge`.
    """
    if isinstance(table, Respondents):
        return _of_respondents(table)
    if not isinstance(table, Comparisons):
        raise InputError(
            f"the table is a {type(table).__name__}; expected Respondents (pairproof.read_respondents) or"
            " Comparisons with judges (pairproof.read)"
        )
    if table.ranked_together > 2:
        raise InputError(
            f"{table.source}: {_OF_RANKINGS} table.as_independent() takes them as they are: a person's scores are"
            " summed, so that the tests hold; standard errors and AIC do not"
        )
    if "judge" not in table.columns:
        raise InputError(
            f"{table.source}: no column 'judge', which says who made a comparison; a tree divides persons"
        )
    return _of_judges(table)


_OF_RANKINGS = (
    "the comparisons are pairs of rankings, which depend on each other; trees are of Bradley-Terry models."
)


def _of_judges(table: Comparisons) -> Persons:
    judge = table.columns["judge"]
    assert isinstance(judge, Factor)
    made = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    nobody = np.flatnonzero(judge.codes[made] < 0)
    if len(nobody):
        raise InputError(
            f"{table.source}, row {made[nobody[0]] + 1}: no judge ({len(nobody)} such rows); a tree needs to know"
            " whose comparisons they are"
        )
    there, person = np.unique(judge.codes[made], return_inverse=True)
    chosen = table.select(made)
    silent = len(set(judge.codes[judge.codes >= 0].tolist()) - set(there.tolist()))
    names = tuple(judge.levels[k] for k in there)
    own = np.ravel(person)
    first = np.unique(own, return_index=True)[1]
    columns = {
        name: take(column, first) for name, column in chosen.columns.items() if name not in NOT_OF_PERSONS
    }
    return Persons(chosen, own, names, np.ones(len(names)), columns, "judge", float(silent))


def constant_for_each(persons: Persons, name: str) -> None:
    """Check that a covariate has one value for each person.

    name: of a column of its table.
    """
    column = persons.table.columns[name]
    codes = column.codes if isinstance(column, Factor) else np.where(np.isnan(column), -np.inf, column)
    first = np.unique(persons.person, return_index=True)[1]
    other = np.flatnonzero(codes != codes[first][persons.person])
    if not len(other):
        return
    k = int(persons.person[other[0]])
    found = list(dict.fromkeys(shown(column, int(row)) for row in np.flatnonzero(persons.person == k)))
    raise InputError(
        f"{persons.table.source}: {name} of {persons.noun} {quoted(persons.names[k])} has the values"
        f" {listed(found, 5)}; a tree divides {persons.noun}s, so that a covariate has one value for each: name"
        " those that have in covariates"
    )


def shown(column: Column, row: int) -> str:
    """A value as text.

    column Factor or float[n].  Returns str: "no value" where there is none.
    """
    if isinstance(column, Factor):
        return str(column.levels[column.codes[row]]) if column.codes[row] >= 0 else "no value"
    return "no value" if np.isnan(column[row]) else f"{column[row]:.12g}"


def _of_respondents(table: Respondents) -> Persons:
    if table.kind != "comparisons" and len(table.items) > 2:
        raise InputError(
            f"{table.source}: the answers are {table.kind}. {_OF_RANKINGS.capitalize()}"
            " table.to_comparisons(judge=True).as_independent() takes them as they are: a person's scores are summed,"
            " so that the tests hold; standard errors and AIC do not"
        )
    if table.n_times > 1:
        raise InputError(
            f"{table.source}: answers at {table.n_times} times ({', '.join(map(quoted, table.times))}); a tree takes those of"
            " one: table.at_time(...)"
        )
    answered = table.answered > 0
    chosen = table.select(np.flatnonzero(answered & (table.weights > 0)))
    rows = np.flatnonzero(answered & (table.weights > 0))
    single = bool((chosen.weights == 1).all()) and "judge" not in table.columns
    comparisons = chosen.to_comparisons(judge=single)
    person = np.nonzero(chosen.pair_answers != 9)[0]
    silent = float(table.weights[~answered].sum())
    return Persons(
        comparisons,
        np.asarray(person, np.int64),
        tuple(str(k + 1) for k in rows),
        chosen.weights,
        {name: column for name, column in chosen.columns.items() if name != "person"},
        "person",
        silent,
    )
