"""From a formula to the terms of the items; the names of all parameters: items, ties, dependence, links.

    ability of item j in group s = sum over k of z_sk b_jk,   or   sum over k, q of z_sk x_jq b_kq

and, for a selective term m of one item or item covariate (:mod:`pairproof.native.comparisons.counts.build`), z_sm x_mj
b_m. z_sk are the columns of the formula of subject covariates (:mod:`pairproof.native.comparisons.formula.subject_formula`, the
same as for models of comparisons), with a constant before them; the x_jq are those of the item covariates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.respondents.codes import MISSING
from ...data.respondents.respondents import Respondents
from ...data.wide import prefmod_pair_order
from ...errors import AliasError, FormulaError
from ...fit.estimates.fit_record import FitWarning
from ...fit.estimates.specification import AnswerSpec, Term, Value, by_suffix
from ...numerics.arrays import BoolArray, IntArray
from ...text import quoted
from ..comparisons.counts.build import item_columns, selected, separate_items
from ..comparisons.counts.named import of_column
from ..comparisons.formula import subject_design as design
from ..comparisons.formula.subject_formula import Formula, names_of, parse
from .patterns.natural_parameters import ItemTerm, sharing

By = design.By


@dataclass(frozen=True, eq=False)
class ItemModel:
    """The items' part of a model: groups of rows, terms for the likelihood, and their names.
    group int[n_rows]: covariate group of each row, divided further by the columns of `cells`.  labels: names of these;
    "" for the only one.  groups: those of the model alone, for which worths are given.  named: all parameters of the items at one time, references included.  free bool[n_named]: those that are not
    references: the parameters of `terms`, in their order.  values: of the covariates in each group."""

    group: IntArray
    labels: tuple[str, ...]
    groups: Mapping[str, Mapping[str, Value]]
    terms: tuple[ItemTerm, ...]
    named: tuple[Term, ...]
    free: BoolArray
    values: tuple[Mapping[str, Value], ...]
    warnings: tuple[FitWarning, ...]


def item_model(table: Respondents, spec: AnswerSpec, level_is_free: bool = False) -> ItemModel:
    """Build the items' part of a model.
    spec: its reference is an item, or "sum", for which the last is taken here.  level_is_free: whether no
    item is a reference, because a prior fixes the level."""
    formula = parse(spec.by, names_of(table, spec, separate_items(table, spec) if spec.by else ()))
    if formula.tie or formula.order:
        raise FormulaError(
            f"by={spec.by!r}: the tie parameter and the order effect of whole answers do not vary with covariates;"
            " leave tie:... and order:... out"
        )
    used = (table.weights > 0) & (table.pair_answers != MISSING).any(axis=(1, 2))
    patterns = design.patterns_of(formula, table, used)
    _refuse_one_level(formula, patterns)
    bys, z = design.matrix(formula.item, patterns, "the items")
    finer = design.patterns_of(formula, table, used, spec.cells) if spec.cells else patterns
    within = np.zeros(finer.n, np.int64)  # the group of each cell
    within[finer.of_row[used]] = patterns.of_row[used]
    items = table.items
    x, columns = item_columns(table, spec)
    terms: list[ItemTerm] = []
    named: list[Term] = []
    free: list[bool] = []
    last = len(items) - 1 if spec.reference in ("sum", "") else items.index(spec.reference)
    for k, by in enumerate(bys):
        suffix = by_suffix(by)
        if x is None:
            kept = [j for j in range(len(items)) if level_is_free or j != last]
            names = tuple(items[j] + suffix for j in kept)
            terms.append(ItemTerm(np.eye(len(items))[:, kept], z[within, k], names, items))
            named += [Term(item + suffix, "item", item=item, by=by) for item in items]
            free += [j in kept for j in range(len(items))]
            continue
        terms.append(ItemTerm(x, z[within, k], tuple(c[0] + suffix for c in columns), items))
        named += [of_column(column, by) for column in columns]
        free += [True] * len(columns)
    if formula.own:
        own = selected(table, spec, formula, patterns, (x, z))
        for (column, by), of_items, subject in zip(own.of, own.x, own.z.T):
            named.append(of_column(column, by))
            free.append(True)
            terms.append(ItemTerm(of_items[:, None], subject[within], (named[-1].name,), items))
    counts = np.bincount(patterns.of_row[used], weights=table.weights[used], minlength=patterns.n).astype(
        float
    )
    values = tuple({name: v.value(s) for name, v in finer.variables.items()} for s in range(finer.n))
    return ItemModel(
        finer.of_row,
        design.pattern_labels(finer),
        design.group_labels(patterns, lambda: counts),
        tuple(terms),
        tuple(named),
        np.array(free),
        values,
        patterns.warnings,
    )


def _refuse_one_level(formula: Formula, patterns: design.Patterns) -> None:
    """A covariate with one level has no effect, and would leave the model without a word."""
    for v in (v for product in formula.products for v in product):
        variable = patterns.variables[v.name]
        if variable.codes is not None and len(variable.levels) == 1:
            raise AliasError(
                f"the effect of {v.name} on the items cannot be distinguished from a constant: all persons"
                " of the model have"
                f" {quoted(variable.levels[0])}; leave it out"
            )


def at_times(model: ItemModel, times: tuple[str, ...]) -> tuple[tuple[Term, ...], BoolArray]:
    """The items' parameters at all times, references included, and which are free."""
    if len(times) == 1:
        return model.named, model.free
    found = tuple(in_time(term, time) for time in times for term in model.named)
    return found, np.tile(model.free, len(times))


def in_time(term: Term, time: str, what: str = "time") -> Term:
    """The term of one point in time, `A:sex[2]:time[1]`, or of what else is said."""
    by = ((what, time),)
    return replace(term, name=term.name + by_suffix(by), by=term.by + by)


def timed_groups(
    groups: Mapping[str, Mapping[str, Value]], times: tuple[str, ...]
) -> dict[str, dict[str, Value]]:
    """The groups for which worths are given, each at every time."""
    if len(times) == 1:
        return {label: dict(group) for label, group in groups.items()}
    return {
        f"{'' if label == 'all' else label + ','}time={time}": {**group, "time": time}
        for label, group in groups.items()
        for time in times
    }


def names(model: ItemModel, spec: AnswerSpec, more: Sequence[Term]) -> list[str]:
    """Of the free parameters, in the order of the arrays: those of the items, then others."""
    items, free = at_times(model, spec.times)
    return [*(term.name for term, kept in zip(items, free) if kept), *(term.name for term in more)]


def pair_names(items: Sequence[str]) -> list[str]:
    """`A:B` of each comparison, in prefmod's order."""
    return [f"{items[i]}:{items[j]}" for i, j in prefmod_pair_order(len(items))]


def links(table: Respondents) -> list[Term]:
    """The parameters between times, `A:B:time[1]*time[2]`."""
    pairs = pair_names(table.items)
    steps = zip(table.times, table.times[1:])
    return [
        Term(f"{pair}:{by_suffix((('time', a),))[1:]}*{by_suffix((('time', b),))[1:]}", "dependence")
        for a, b in steps
        for pair in pairs
    ]


def others(table: Respondents, spec: AnswerSpec) -> list[Term]:
    """Ties and dependence, in the order of the arrays."""
    ties: list[Term] = []
    if spec.answer_ties == "davidson":
        ties = [Term("tie", "tie")]
    elif spec.answer_ties == "by-pair":
        ties = [Term(f"tie:{pair}", "tie-of") for pair in pair_names(table.items)]
    return [*ties, *dependence(table, spec)]


def dependence(table: Respondents, spec: AnswerSpec) -> list[Term]:
    """The parameters of two comparisons that share an item, `A:B*A:C`."""
    if not spec.dependence:
        return []
    pairs = pair_names(table.items)
    return [Term(f"{pairs[a]}*{pairs[b]}", "dependence") for a, b in sharing(len(table.items))]
