"""Slips that prefmod makes for its user: defects B1, B4, B6, B7, B13, B21 and B23 of the specification of
:mod:`pairproof.native.compat`.

B24 (columns in another order) is the slip pair-order, B11 (empty cells counted) is among those of df, the one-sided P(z)
of llbt.fit is one-sided-p, its early stop stopped-early, its infinite estimates infinite-estimate.  B12 gives the
numbers of one level the name of another, which a claims file cannot name; B5 needs the order of the rows of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...native.compat.catalogue import defect
from ...native.compat.worths import is_name_in_r
from .of_model import solver
from .of_numbers import setting
from .registry import Draft, RowChange, Situation
from .rows import rows_of


def _named(identifier: str, words: str) -> str:
    """A sentence that names the defect."""
    return f"{words} (prefmod's defect {defect(identifier).name})"


def ties_as_losses(s: Situation) -> Iterator[Draft]:
    """B1 and B4: where categories are counted among the answers that occur, a tie becomes a win of the second item."""
    if s.rows.tie_category and s.rows.counts[:, 1].sum() > 0 and _prefmod_has(s):
        yield Draft(
            _named(
                "B1",
                "ties are counted as wins of the second item, as pattPC.fit does where a comparison has two"
                " different answers, and llbt.design where an answer does not occur",
            ),
            change=solver(ties="second"),
        )


def _prefmod_has(s: Situation) -> bool:
    """Whether prefmod has the model at all."""
    return s.setting.solver.ties in ("davidson", "none") and not s.fit.spec.order_effect


def worths(s: Situation) -> Iterator[Draft]:
    """B6, B7, B21: what llbt.worth makes of a right fit."""
    spec = s.fit.spec
    if spec.order_effect:
        return
    if not all(is_name_in_r(item) for item in s.fit.items) and not spec.item_terms:
        lost = ", ".join(item for item in s.fit.items if not is_name_in_r(item))
        yield Draft(
            _named("B6", f"llbt.worth loses the items whose names are none in R ({lost})"),
            change=setting(worths="names"),
        )
    if spec.item_terms:
        yield Draft(
            _named("B21", "llbt.worth gives worths to groups of items with equal covariates, which sum to 1"),
            change=setting(worths="groups"),
        )
    if _factors_only(s):
        yield Draft(
            _named(
                "B7-sum-contrasts-read-as-treatment", "llbt.worth reads sum contrasts as treatment contrasts"
            ),
            change=setting(worths="sum-contrasts"),
        )
        if len(next(iter(s.fit.groups.values()))) == 1:
            yield Draft(
                _named(
                    "B7-one-column-of-cov-sel", "llbt.worth adds all effects of the covariate in one column"
                ),
                change=setting(worths="one-column"),
            )


def _factors_only(s: Situation) -> bool:
    """Whether worths are by groups of a full table of categorical covariates."""
    names = {k for at in s.fit.groups.values() for k in at}
    columns = [s.fit.data.columns.get(k) for k in names]
    if not names or s.fit.spec.item_terms or not all(isinstance(c, Factor) for c in columns):
        return False
    return len(s.fit.groups) == int(np.prod([len(c.levels) for c in columns if isinstance(c, Factor)]))


def rows_dropped(s: Situation) -> Iterator[Draft]:
    """B13: rows with a missing value in a column that the model does not use."""
    missing = np.zeros(s.fit.data.n_rows, bool)
    names = []
    for name, column in s.fit.data.columns.items():
        lost = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
        if lost.any():
            names.append(name)
            missing |= lost
    if not missing.any() or missing.all():
        return
    data = s.fit.data
    n = float((data.wins + data.ties + data.losses)[missing].sum())
    yield Draft(
        _named(
            "B13",
            f"{n:g} comparisons are left out because {', '.join(names)}, which the model does not use, has no value",
        ),
        rows=_without(s, ~missing),
    )


def _without(s: Situation, kept: NDArray[np.bool_]) -> RowChange:
    """Applied first (order 0), to the table as it is."""
    left = rows_of(s.fit, kept)[0]
    return lambda rows: left


def margins_not_fixed(s: Situation) -> Iterator[Draft]:
    """B23: the covariate of the model is not in `eliminate`."""
    patterns = len(np.unique(s.model.cells.pattern))
    if patterns < 2 or not _prefmod_has(s) or s.setting.solver.cells != "model" or s.fit.not_estimable:
        return
    for which, words in (("pairs", ""), ("groups", ", which has a main effect of its own")):
        yield Draft(
            _named(
                "B23",
                f"the covariate is not in eliminate{words}: groups' numbers of comparisons are explained by items",
            ),
            change=solver(margins=which),
        )
