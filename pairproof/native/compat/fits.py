"""Pattern models of a table that was read as prefmod reads it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...data.columns import Factor, FloatArray, IntArray
from ...data.respondents import Respondents
from ...data.respondents.codes import ABSENT
from ...errors import InputError
from ..pairs.formula import parse
from ..patterns.comparisons.fit import fit_comparisons
from ..patterns.maps import ItemTerm, Undecided, interaction, main_effects
from ..patterns.pooled import PatternFit
from ..patterns.rankings.fit import fit_mallows
from ..patterns.ratings.fit import fit_ratings
from ..patterns.repeated.fit import fit_repeated


def fit_as_read(
    table: Respondents, by: str = "", undecided: Undecided | None = "one", dependence: bool = False
) -> PatternFit:
    """Fit the pattern model that prefmod has for the table's kind of answers.

    Parameters
    ----------
    table : Respondents
        pattPC.fit for comparisons, pattR.fit for rankings, pattL.fit for ratings, pattRrep.fit and pattLrep.fit for
        several times.
    by : str
        Formula of the subject covariates.
    undecided : {"zero", "one", "each"}, optional
        As in :func:`pairproof.native.patterns.comparisons.fit.fit_comparisons`; comparisons without a tie category
        have none.
    dependence : bool

    Returns
    -------
    PatternFit
        Parameters in prefmod's order.

    Raises
    ------
    InputError
        Items that were not presented at repeated rankings, or a formula with more than effects of covariates.

    Examples
    --------
    >>> from pairproof.data.respondents import Respondents
    >>> from pairproof.native.compat.fits import fit_as_read
    >>> table = Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    >>> fit_as_read(table).estimate.phi.round(4).tolist()
    [0.2582, 0.1291]
    """
    group, terms = _terms(table, by)
    more: dict[str, Any] = {"group": group, "weights": table.weights}
    if table.n_times > 1:
        if table.kind == "comparisons" or (table.answers == ABSENT).any():
            raise InputError(f"{table.source}: prefmod has no model of such repeated answers")
        ratings = table.kind == "ratings"
        answers = table.answers if ratings else table.ranks
        scale = len(table.scale) if ratings else None
        return fit_repeated(answers, terms, table.kind, scale, dependence=dependence, **more)  # type: ignore[arg-type]  # comparisons are refused above
    if table.kind == "comparisons":
        ties = undecided if table.tie_category else None
        return fit_comparisons(table.once, terms, undecided=ties, dependence=dependence, **more)
    if table.kind == "ratings":
        return fit_ratings(
            table.once, len(table.scale), terms, undecided=undecided or "zero", dependence=dependence, **more
        )
    return fit_mallows(table.ranks[:, 0], terms, unranked="below", **more)


def _terms(table: Respondents, by: str) -> tuple[IntArray, list[ItemTerm]]:
    """The group of each row, and the items' terms: main effects, then an interaction for each column."""
    formula = parse(by)
    if formula.tie or formula.order:
        raise InputError(f"by={by!r}: prefmod's pattern models have one tie parameter, common to all")
    names = sorted({v.name for p in formula.item for v in p})
    group, first = table.groups(names)
    main = main_effects(table.items, len(first))
    terms = [main]
    for variables in sorted(formula.item, key=lambda p: [v.name for v in p]):
        coded = [_columns(table, v.name, first) for v in variables]
        for parts in product(*coded):
            name = ":".join(n for n, _ in parts)
            values = np.prod([x for _, x in parts], axis=0)
            terms.append(interaction(main, values, name))
    return group, terms


def _columns(table: Respondents, name: str, first: IntArray) -> list[tuple[str, FloatArray]]:
    """Treatment contrasts of a factor, or the numbers, in each group."""
    column = table.columns[name]
    if not isinstance(column, Factor):
        return [(name, column[first])]
    codes = column.codes[first]
    return [
        (f"{name}[{level}]", (codes == k) * 1.0)
        for k, level in enumerate(column.levels)
        if k and (column.codes == k).any()
    ]
