"""`fit_tree`: groups of persons whose preferences differ, found by their covariates.

Model-based recursive partitioning of Bradley-Terry models (Strobl, Wickelmaier and Zeileis 2011, Journal of
Educational and Behavioral Statistics 36, 135-153; Zeileis, Hothorn and Hornik 2008, Journal of Computational and
Graphical Statistics 17, 492-514), as R's psychotree has it (`bttree`).

Covariates of persons as a tree takes them: numbers, factors, and factors whose levels have an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, numbers_as_levels
from ...data.comparisons import Comparisons
from ...data.options import hints_for_r
from ...data.respondents.respondents import Respondents
from ...data.tracks import check_one_track
from ...data.where import hint
from ...errors import InputError, ItemError
from ...text import listed, quoted
from ..contests.bradley_terry import fit_bradley_terry
from .instability import Adjust, Covariate
from .persons import Persons, constant_for_each, persons_of
from .preferences import Preferences
from .record import TreeNode, TreeTies
from .result import PreferenceTree
from .tree import GrownNode, grow_tree, least_persons

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Missing = Literal["refuse", "leave out"]

_WRAPPED = re.compile(r"\s*(C|ordered)\((.*)\)\s*", re.DOTALL)


def chosen_covariates(
    persons: Persons, names: Sequence[str] | None, missing: Missing
) -> tuple[Persons, list[Covariate], float]:
    """The covariates of a tree, and the persons who have them all.

    missing: what becomes of persons without a value.  Returns Persons, list of Covariate, float: and how many
    persons were left out.
    """
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
    there = column.codes >= 0 if isinstance(column, Factor) else ~np.isnan(column)
    gaps = np.flatnonzero(~there)
    if len(gaps) and missing == "refuse":
        raise InputError(
            f"{persons.table.source}: {len(gaps)} of {len(there)} {persons.noun}s have no {name} (the first:"
            f" {persons.noun} {quoted(persons.names[gaps[0]])}); missing='leave out' leaves them out, as psychotree does"
        )
    return np.asarray(there)


def _covariate(name: str, column: Column, how: str) -> Covariate:
    if isinstance(column, Factor):
        return Covariate(
            name, "ordered" if how == "ordered" else "factor", column.codes.astype(float), column.levels
        )
    if not how:
        return Covariate(name, "numeric", column)
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
        How ties are treated.  Default: "davidson" where somebody tied, else "none".
    reference : str, optional
        The item whose log-odds is 0; the tree is the same with any.  Default: the first, as in
        :func:`pairproof.fit_bradley_terry`.
    alpha : float
        Level of the tests in a node, in (0, 1).
    adjust : {"bonferroni", "none"}
        Whether p-values are adjusted for the m covariates tested in a node: 1 - (1 - p)^m.
    minimum : int, optional
        Persons of a node at least.  Default: 10 parameters divided by the comparisons of a person, rounded up.
    most_depth : int, optional
        Splits from the root to a leaf at most.
    missing : {"refuse", "leave out"}
        What becomes of persons without a value of a covariate; those left out are counted.

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
    distinct values, with the p-value of that maximum (:mod:`pairproof.native.trees.instability`).  psychotree interpolates
    Hansen's (1997) table instead, and lets the order of the rows decide between equal values.

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
