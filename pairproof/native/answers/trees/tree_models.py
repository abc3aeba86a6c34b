"""`fit_tree`: groups of persons whose preferences differ, found by their covariates.

Model-based recursive partitioning of Bradley-Terry models (Strobl, Wickelmaier and Zeileis 2011, Journal of
Educational and Behavioral Statistics 36, 135-153; Zeileis, Hothorn and Hornik 2008, Journal of Computational
and Graphical Statistics 17, 492-514), as R's psychotree has it (`bttree`).

A person is a row of :class:`pairproof.Respondents`, or a judge of :class:`pairproof.Comparisons`.  Their
covariates are numbers, factors, and factors whose levels have an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ....data.columns import Column, Factor, is_missing, numbers_as_levels, refuse_rows, take
from ....data.comparisons import Comparisons
from ....data.judgments import check_one_track
from ....data.options import hints_for_r
from ....data.respondents.respondents import Respondents
from ....data.where import hint
from ....errors import InputError, ItemError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....text import listed, quoted
from ...comparisons.contests.bradley_terry import fit_bradley_terry
from ...comparisons.rows.contest_design import contest_design
from .instability import Adjust, Covariate
from .partitioning import GrownNode, Preferences, grow_tree, least_persons
from .tree_record import TreeNode, TreeRecord, TreeTies

#: Columns of a table of comparisons that are not of persons.
NOT_OF_PERSONS = ("judge", "person", "order", "source")


@dataclass(frozen=True, eq=False)
class Persons:
    """Comparisons, and the persons who made them.
    person int[n_rows]: who made each row of it, 0 .. n - 1.  names: of the n persons: judges, or numbers of
    the rows of the file.  weights float[n]: persons that each stands for.  silent: persons who compared
    nothing, and are left out."""

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
        return replace(
            self,
            table=self.table.select(rows),
            person=new[self.person[rows]],
            names=tuple(self.names[k] for k in chosen),
            weights=self.weights[chosen],
            columns={name: take(column, chosen) for name, column in self.columns.items()},
        )

    def preferences(self, reference: str) -> Preferences:
        """Counts of these persons, each two items in one order."""
        # A row counts once for each of the persons it stands for: so many times less for each of them.
        own, each = self.weights, self.weights[self.person]
        wrong = np.flatnonzero(~(own >= 1) | (own != np.round(own)))
        if len(wrong):
            raise InputError(
                f"person {wrong[0] + 1}: the weight is {own[wrong[0]]:g}, which is not a whole number of persons; tests"
                " and sizes of nodes count persons"
            )
        items = self.table.items
        first, second = self.table.first, self.table.second
        n_items, turned = len(items), first > second
        code, pair = np.unique(
            np.minimum(first, second) * n_items + np.maximum(first, second), return_inverse=True
        )
        pairs = (code // n_items).tolist(), (code % n_items).tolist()
        return Preferences(
            self.person,
            np.ravel(pair),
            np.where(turned, self.table.losses, self.table.wins) / each,
            self.table.ties / each,
            np.where(turned, self.table.wins, self.table.losses) / each,
            own,
            contest_design(*pairs, items, reference=reference),
            items,
            reference,
            bool((self.table.ties > 0).any()),
        )


def persons_of(table: Respondents | Comparisons) -> Persons:
    """The persons of a table."""
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
    nobody = judge.codes[made] < 0
    refuse_rows(
        table.source,
        nobody,
        f"no judge ({int(nobody.sum())} such rows); a tree needs to know whose comparisons they are",
        made,
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
    """Check that a covariate has one value for each person."""
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
    """A value as text.  column Factor or float[n].  Returns str: "no value" where there is none."""
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


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceTree(TreeRecord):
    """A tree of groups of persons with different preferences, made by :func:`pairproof.fit_tree`.
    Its attributes are those of :class:`pairproof.native.answers.trees.tree_record.TreeRecord`."""

    def plot(self, where: Any = None, *, level: float = 0.95, force: bool = False) -> Any:
        """Draw the tree, with the worths of the items in each leaf; see
        :func:`pairproof.native.answers.trees.tree_picture.plot_tree`."""
        from .tree_picture import plot_tree

        return plot_tree(self, where, level=level, force=force)

    def __repr__(self) -> str:
        return f"<PreferenceTree: {len(self.leaves)} leaves, {self.n_persons:g} {self.noun}s, {len(self.items)} items>"


Missing = Literal["refuse", "leave out"]

_WRAPPED = re.compile(r"\s*(C|ordered)\((.*)\)\s*", re.DOTALL)


def chosen_covariates(
    persons: Persons, names: Sequence[str] | None, missing: Missing
) -> tuple[Persons, list[Covariate], float]:
    """The covariates of a tree, and the persons who have them all.
    Returns Persons, list of Covariate, float: and how many persons were left out."""
    if missing not in ("refuse", "leave out"):
        raise InputError(f"missing={missing!r}; expected 'refuse' or 'leave out'")
    if isinstance(names, str):
        raise InputError(f"covariates={names!r}; expected a list of columns, for example [{names!r}]")
    wanted = [_found(persons, name) for name in (list(persons.columns) if names is None else names)]
    plain = [name for name, _ in wanted]
    if not wanted:
        raise InputError(
            f"{persons.table.source}: no covariate of {persons.noun}s to divide them by; "
            + (f"name some of {listed(list(persons.columns))}" if persons.columns else "the table has none")
        )
    for name in plain:
        if plain.count(name) > 1:
            raise InputError(f"covariate {name!r} is named twice")
        if persons.noun == "judge":
            constant_for_each(persons, name)
    there = np.ones(len(persons.names), dtype=bool)
    for name in plain:
        there &= _there(persons, name, missing)
    if not there.any():
        raise InputError(f"{persons.table.source}: no {persons.noun} has a value of all of {listed(plain)}")
    left_out = float(persons.weights[~there].sum())
    kept = persons if there.all() else persons.select(np.flatnonzero(there))
    return kept, [_covariate(name, kept.columns[name], how) for name, how in wanted], left_out


def _found(persons: Persons, name: str) -> tuple[str, str]:
    """A column and how it is to be taken: "", "C" or "ordered"."""
    if name in persons.columns:
        return name, ""
    wrapped = _WRAPPED.fullmatch(name)
    if wrapped is not None and wrapped[2].strip() in persons.columns:
        return wrapped[2].strip(), wrapped[1]
    raise InputError(
        f"{persons.table.source}: no covariate {name!r} of {persons.noun}s; there "
        + (f"are {listed(list(persons.columns))}" if persons.columns else "is none")
    )


def _there(persons: Persons, name: str, missing: Missing) -> BoolArray:
    """bool[n]: persons with a value of this covariate."""
    column = persons.columns[name]
    there = ~is_missing(column)
    gaps = np.flatnonzero(~there)
    if len(gaps) and missing == "refuse":
        raise InputError(
            f"{persons.table.source}: {len(gaps)} of {len(there)} {persons.noun}s have no {name} (the first:"
            f" {persons.noun} {quoted(persons.names[gaps[0]])}); missing='leave out' leaves them out, as psychotree does"
        )
    return np.asarray(there)


def _covariate(name: str, column: Column, how: str) -> Covariate:
    if not how and not isinstance(column, Factor):
        return Covariate(name, "numeric", column)
    if isinstance(column, Factor):
        levels, codes = column.levels, column.codes
    else:
        levels, codes = numbers_as_levels(column)
    return Covariate(name, "ordered" if how == "ordered" else "factor", codes.astype(float), levels)


@hints_for_r
def fit_tree(
    table: Respondents | Comparisons,
    covariates: Sequence[str] | None = None,
    *,
    ties: TreeTies | None = None,
    reference: str | None = None,
    alpha: float = 0.05,
    adjust: Adjust = "bonferroni",
    minimum: int | None = None,
    most_depth: int | None = None,
    missing: Missing = "refuse",
) -> PreferenceTree:
    """Find groups of persons with different preferences, as a tree of Bradley-Terry models.

    In each node a Bradley-Terry model is fitted, and its parameters are tested for instability along each
    covariate.  If the smallest p-value is below `alpha`, the node is divided where the log-likelihood of its two
    parts is largest, and both are treated in the same way.

    Parameters
    ----------
    table : Respondents or Comparisons
        Comparisons of persons; of comparisons with a column `judge`, each judge is a person, whose covariates are
        the same in all of its rows.
    covariates : sequence of str, optional
        Columns of persons by which they may be divided: `age` (a number, divided at a threshold), `gender` (a
        factor, divided into two sets of levels), `C(q1)` (numbers as levels of a factor), `ordered(edu)` (levels
        whose order splits keep).  Default: all of them.
    ties : {"davidson", "half", "drop", "none"}, optional
        How ties are treated.  Default: "davidson" if a tie occurs, else "none".
    reference : str, optional
        The item whose log-odds is 0; the tree does not depend on it.  Default: the first, as in
        :func:`pairproof.fit_bradley_terry`.
    alpha : float
        Level of the tests in a node, in (0, 1).
    adjust : {"bonferroni", "none"}
        Whether p-values are adjusted for the m covariates tested in a node: 1 - (1 - p)^m.
    minimum : int, optional
        Smallest number of persons in a node.  Default: 10 parameters divided by the comparisons of a person, rounded up.
    most_depth : int, optional
        Largest number of splits from the root to a leaf.
    missing : {"refuse", "leave out"}
        How persons without a value of a covariate are treated; those left out are counted.

    Returns
    -------
    PreferenceTree
        Its nodes hold a :class:`pairproof.Fit` each.

    Raises
    ------
    InputError
        No persons, no covariates, missing values, a covariate that differs within a judge, or an option outside
        its range.
    ItemError
        The reference is not one of the items.
    TooLargeError
        A factor to be divided has more than 12 levels.

    Notes
    -----
    The test of a factor is a chi-square test; that of a numeric covariate the maximum over the places between its
    distinct values, with the p-value of that maximum (:mod:`pairproof.native.answers.trees.instability`).  psychotree
    interpolates Hansen's (1997) table instead, and lets the order of the rows decide between equal values.

    Examples
    --------
    >>> import pairproof
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> tree = pairproof.fit_tree(pairproof.read(data))
    >>> [(str(leaf.rule[0]), round(leaf.fit.contrast("A", "B").estimate, 3)) for leaf in tree.leaves]
    [('age <= 20', 1.099), ('age > 20', -1.099)]
    """
    persons = persons_of(table)
    if covariates is not None:
        check_one_track(table, *covariates)
    chosen, treated = _with_ties(persons, ties)
    if reference is not None and reference not in chosen.table.items:
        raise ItemError(
            f"reference {reference!r} is not an item; the items are {listed(chosen.table.items)}"
            + hint(chosen.table.narrowed, reference)
        )
    own = chosen.table.items[0] if reference is None else reference
    chosen, columns, left_out = chosen_covariates(chosen, covariates, missing)
    data = replace(chosen, table=chosen.table.with_ties_treated(treated)).preferences(own)
    root = grow_tree(data, columns, alpha, minimum, most_depth, adjust)
    return PreferenceTree(
        tuple(_nodes(root, chosen, data, treated, own)),
        chosen.table,
        tuple(columns),
        chosen.noun,
        treated,
        alpha,
        least_persons(data) if minimum is None else minimum,
        most_depth,
        adjust,
        left_out,
        chosen.silent,
    )


def _with_ties(persons: Persons, ties: TreeTies | None) -> tuple[Persons, TreeTies]:
    """The treatment of ties, and the persons who still compare something under it."""
    table = persons.table
    if ties not in (None, "davidson", "half", "drop", "none"):
        raise InputError(f"ties={ties!r}; a tree has 'davidson', 'half', 'drop' or 'none'")
    tied = float(table.ties.sum())
    if ties == "none" and tied:
        raise InputError(
            f"{table.source}: ties='none', but {tied:g} comparisons are ties; a tree takes them by ties='davidson',"
            " 'half' or 'drop'"
        )
    if not tied:
        return replace(persons, table=table.without_ties()), "none"
    if ties != "drop":
        return persons, ties or "davidson"
    decided = np.bincount(persons.person, table.wins + table.losses, len(persons.names)) > 0
    if not decided.any():
        raise InputError(f"{table.source}: every comparison is a tie, and ties='drop' leaves none")
    kept = persons.select(np.flatnonzero(decided))
    return replace(kept, silent=kept.silent + float(persons.weights[~decided].sum())), "drop"


def _nodes(
    root: GrownNode, persons: Persons, data: Preferences, ties: TreeTies, reference: str
) -> Iterator[TreeNode]:
    """The nodes by number, each with its model of the existing engine."""
    above: dict[int, tuple[int, tuple[str, ...]]] = {root.number: (0, ())}
    for grown in root.nodes():
        parent, rule = above[grown.number]
        for part, left in zip(grown.parts, (True, False)):
            assert grown.split is not None
            step = f"{grown.split.covariate} {grown.split.side(left)}"
            above[part.number] = (grown.number, (*rule, step))
        rows = np.flatnonzero(np.isin(persons.person, grown.persons))
        fit = fit_bradley_terry(persons.table.select(rows), ties=ties, reference=reference)
        abilities = dict(zip(data.names, grown.model.theta.tolist())) | {reference: 0.0}
        yield TreeNode(
            grown.number,
            parent,
            len(rule),
            rule,
            tuple(persons.names[k] for k in grown.persons),
            float(persons.weights[grown.persons].sum()),
            grown.tests,
            grown.split,
            tuple(part.number for part in grown.parts),
            grown.reason,
            fit,
            tuple(abilities[item] for item in persons.table.items),
        )
