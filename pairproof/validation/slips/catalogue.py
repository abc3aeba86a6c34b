"""Every family of slips, the slips that programs make for their users among them, and those possible in a
situation.

BradleyTerry2's are of tables without a tie category, or whose ties are left out or halved: `BTm` has no model
of ties.

prefmod's are defects B1, B4, B6, B7, B13, B21 and B23 of the specification of :mod:`pairproof.native.prefmod_defects`.
B24 (columns in another order) is the slip pair-order, B11 (empty cells counted) is among those of df, the
one-sided P(z) of llbt.fit is one-sided-p, its early stop stopped-early, its infinite estimates
infinite-estimate.  B12 gives the numbers of one level the name of another, which a claims file cannot name;
B5 needs the order of the rows of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...data.columns import Factor
from ...files.packaged import packaged_toml
from ...native.prefmod_defects.defect_catalogue import defect
from ...native.prefmod_defects.defects_of_results import is_name_in_r
from ...numerics.arrays import BoolArray
from . import known as of_data
from .known import STAGES, Draft, Family, RowChange, Situation, Slip, given, solved
from .variants import Rows, rows_of


def _btm_has(s: Situation) -> bool:
    """Whether BTm has the model at all."""
    binary = not s.rows.tie_category or s.setting.solver.ties in ("drop", "half")
    return binary and s.fit.spec.of_family.glm_of_wins == "binomial"


def twice(rows: Rows) -> Rows:
    """The table two times over."""
    return replace(rows, times=2.0 * rows.times, copies=2 * rows.copies)


def twice_in_each_cell(rows: Rows) -> Rows:
    """Every count doubled."""
    return rows.with_counts(2.0 * rows.y)


def counted_twice(s: Situation) -> Iterator[Draft]:
    """Rows of both directions added up; or rows that stand twice, as BTm leaves them where subset= are positions."""
    yield Draft("every comparison is counted twice, in its own row", rows=twice_in_each_cell)
    by_btm = ", as BradleyTerry2's BTm does with subset= given as positions" if _btm_has(s) else ""
    yield Draft(f"every row is counted twice{by_btm}", rows=twice)


def first_named_wins(rows: Rows) -> Rows:
    """Ties as wins of the item that was named first."""
    y = rows.y.copy()
    forward = rows.sign >= 0
    y[forward, 0] += y[forward, 1]
    y[~forward, 2] += y[~forward, 1]
    y[:, 1] = 0.0
    return rows.with_counts(y)


def ties_as_wins(s: Situation) -> Iterator[Draft]:
    """A factor outcome with three levels: every level but the first is a win."""
    tied = s.rows.y[:, 1] > 0
    # On neutral ground the rows no longer say who was named first.
    if _btm_has(s) and tied.any() and not (tied & (s.rows.sign == 0)).any():
        yield Draft(
            "ties are counted as wins of the item named first, as BradleyTerry2's BTm does with an outcome of three levels",
            rows=first_named_wins,
        )


def _named(identifier: str, words: str) -> str:
    """A sentence that names the defect."""
    return f"{words} (prefmod's defect {defect(identifier).name})"


def ties_as_losses(s: Situation) -> Iterator[Draft]:
    """B1 and B4: where categories are counted among the answers that occur, a tie becomes a win of the second item."""
    if s.rows.tie_category and s.rows.counts[:, 1].sum() > 0 and _prefmod_has(s):
        yield solved(
            _named(
                "B1",
                "ties are counted as wins of the second item, as pattPC.fit does where a comparison has two"
                " different answers, and llbt.design where an answer does not occur",
            ),
            ties="second",
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
        yield given(
            _named("B6", f"llbt.worth loses the items whose names are none in R ({lost})"), worths="names"
        )
    if spec.item_terms:
        yield given(
            _named("B21", "llbt.worth gives worths to groups of items with equal covariates, which sum to 1"),
            worths="groups",
        )
    if _factors_only(s):
        yield given(
            _named(
                "B7-sum-contrasts-read-as-treatment", "llbt.worth reads sum contrasts as treatment contrasts"
            ),
            worths="sum-contrasts",
        )
        if len(next(iter(s.fit.groups.values()))) == 1:
            yield given(
                _named(
                    "B7-one-column-of-cov-sel", "llbt.worth adds all effects of the covariate in one column"
                ),
                worths="one-column",
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


def _without(s: Situation, kept: BoolArray) -> RowChange:
    """Applied first (order 0), to the table as it is."""
    left = rows_of(s.fit, kept)[0]
    return lambda rows: left


def margins_not_fixed(s: Situation) -> Iterator[Draft]:
    """B23: the covariate of the model is not in `eliminate`."""
    patterns = len(np.unique(s.model.cells.pattern))
    if patterns < 2 or not _prefmod_has(s) or s.setting.solver.cells != "model" or s.fit.not_estimable:
        return
    for which, words in (("pairs", ""), ("groups", ", which has a main effect of its own")):
        yield solved(
            _named(
                "B23",
                f"the covariate is not in eliminate{words}: groups' numbers of comparisons are explained by items",
            ),
            margins=which,
        )


#: Which slips of each family are possible.
DRAFTS: dict[str, Callable[[Situation], Iterable[Draft]]] = {
    "pair-order": of_data.pair_order,
    "all-pairs-reversed": of_data.all_reversed,
    "response-coding": of_data.response_coding,
    "missing-as-undecided": of_data.missing_as_undecided,
    "one-pair-reversed": of_data.one_pair_reversed,
    "judge-major": of_data.judge_major,
    "alphabetical": of_data.alphabetical,
    "labels-exchanged": of_data.labels_exchanged,
    "ties": of_data.ties,
    "cells": of_data.cells,
    "penalty": of_data.penalty,
    "order-effect": of_data.order_effect,
    "se-of-the-step-before": of_data.se_of_the_step_before,
    "infinite-estimate": of_data.infinite_estimate,
    "stopped-early": of_data.stopped_early,
    "scale": of_data.scale,
    "reference": of_data.reference,
    "one-column-on-the-other-scale": of_data.one_column_on_the_other_scale,
    "columns-exchanged": of_data.columns_exchanged,
    "labels-exchanged-in-one-column": of_data.labels_in_one_column,
    "sign": of_data.sign,
    "worth-scale": of_data.worth_scale,
    "tie-parameter": of_data.tie_parameter,
    "order-coding": of_data.order_coding,
    "one-sided-p": of_data.one_sided,
    "t-for-z": of_data.t_for_z,
    "common-factor": of_data.common_factor,
    "deviance-is-log-likelihood": of_data.deviance_is_log_likelihood,
    "aic-constant": of_data.aic_constant,
    "df": of_data.df,
    "prefmod-rows-dropped": rows_dropped,
    "prefmod-ties-as-losses": ties_as_losses,
    "prefmod-margins": margins_not_fixed,
    "prefmod-worths": worths,
    "counted-twice": counted_twice,
    "bradleyterry2-ties-as-wins": ties_as_wins,
    "digits-transposed": of_data.digits_transposed,
    "sign-lost": of_data.sign_lost,
}


@lru_cache(maxsize=1)
def families() -> dict[str, Family]:
    """All families by name, by stage."""
    rows = packaged_toml(__package__, "families.toml")["family"]
    return {row["name"]: Family(drafts=DRAFTS[row["name"]], **row) for row in rows}


def slips_for(situation: Situation) -> list[Slip]:
    """Every slip that is possible here, cheapest first within its stage."""
    found = [s for f in families().values() for s in f.slips(situation)]
    return sorted(found, key=lambda s: (STAGES.index(s.stage), s.cost))
