"""Between names and arrays: from a formula to the terms of the items, and from a fitted model of arrays to a fit.

    ability of item j in group s = sum over k of z_sk b_jk,   or   sum over k, q of z_sk x_jq b_kq

and, for a selective term m of one item or item covariate (:mod:`pairproof.native.comparisons.counts.build`), z_sm x_mj
b_m. z_sk are the columns of the formula of subject covariates (:mod:`pairproof.native.comparisons.formula.subject_formula`, the
same as for models of comparisons), with a constant before them; the x_jq are those of the item covariates.

All parameters have names: items, ties, dependence, links.  A mixture of models is a fit with classes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from ...data.columns import Column, Factor
from ...data.comparisons import Comparisons
from ...data.respondents.codes import BELOW, FIRST, MISSING, SECOND, TIED
from ...data.respondents.respondents import Respondents
from ...errors import AliasError, FormulaError
from ...fit.estimates.covariance import DenseCovariance
from ...fit.estimates.fit_record import FitWarning, Stopping, listed
from ...fit.estimates.likelihood import AtEstimate, OutcomeModel
from ...fit.estimates.parts import OF_ITEM, AnswerNumbers, Answers, ClassNumbers, ClassTester, MixedPossible
from ...fit.estimates.specification import AnswerSpec, Term, Value, by_suffix
from ...fit.fit import Fit
from ...fit.results.answers import PairCells
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.infinity import AtInfinity, both, held_at_minus_infinity
from ...text import quoted
from ..comparisons.counts.build import item_columns, selected, separate_items
from ..comparisons.counts.llbt import RULE, engine_name
from ..comparisons.counts.named import of_column
from ..comparisons.formula import subject_design as design
from ..comparisons.formula.subject_formula import Formula, names_of, parse
from .patterns.answer_likelihood import AnswerLikelihood, PatternFit, free_probabilities
from .patterns.class_mixture import LatentClasses, share_slopes
from .patterns.natural_parameters import ItemTerm, pair_names, pairs_of, sharing
from .possible_answers import Possible


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


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of arrays that was fitted to a table, before its numbers have names.
    others: parameters after those of the items.  possible: none where possible answers are not enumerated.
    infinite: parameters that are minus infinity, so that the arrays do not have them."""

    table: Respondents
    spec: AnswerSpec
    model: ItemModel
    found: PatternFit
    others: Sequence[Term]
    statistics: Sequence[str]
    possible: Possible | None
    warnings: Sequence[FitWarning] = ()
    infinite: Sequence[Term] = ()

    @property
    def parameters(self) -> tuple[tuple[Term, ...], BoolArray]:
        """All in the order in which they are shown, those of the items at all times first.
        Returns tuple of Term, bool[n_terms]: and those that were estimated, in the order of the estimate."""
        items, free = at_times(self.model, self.spec.times)
        return (*items, *self.others), np.append(free, np.ones(len(self.others), bool))

    @property
    def reference(self) -> str:
        """The item whose parameter is 0; the last for a sum constraint."""
        return self.table.items[-1] if self.spec.reference == "sum" else self.spec.reference

    def possible_at(self, phi: FloatArray) -> Possible | None:
        """The possible answers with their probabilities at phi, float[p]."""
        if self.possible is None:
            return None
        return replace(self.possible, beta=tuple(m @ phi for m in self.found.likelihood.maps))


def finished(one: Fitted) -> Fit:
    """The fit of a model of whole answers."""
    # Fitted against the last item; a sum constraint is a change of reference of the finished fit.
    spec = replace(one.spec, reference=one.reference)
    (terms, free), estimate = one.parameters, one.found.estimate
    n, more = len(terms) + len(one.infinite), len(one.infinite)
    at = np.flatnonzero(free)
    beta, covariance = np.zeros(n), np.zeros((n, n))
    beta[at] = estimate.phi
    covariance[np.ix_(at, at)] = estimate.covariance
    likelihood = AtEstimate(
        AnswerLikelihood(one.found.likelihood, one.found.pooled.weights, estimate.concave),
        estimate.phi,
        estimate.covariance,
        np.eye(n)[:, at],
        estimate.llf,
        reduce(both, (held_at_minus_infinity(n, n - 1 - k) for k in range(more)), None),
    )
    # A prior fixes the level, which no data do: it is not a parameter of the answers.
    rank = len(estimate.phi) + more - int(bool(spec.prior))
    return Fit(
        **_shared(replace(one, spec=spec), one.found.fitted, likelihood, one.possible_at(estimate.phi), rank),
        terms=(*terms, *one.infinite),
        beta=beta,
        is_reference=np.concatenate([~free, np.zeros(more, bool)]),
        covariance=DenseCovariance(covariance),
        null_space=np.eye(n)[:, n - more :],
        n_infinite=more,
        groups=timed_groups(one.model.groups, spec.times),
        llf=estimate.llf,
        deviance=one.found.deviance,
        stopping=Stopping(RULE, True, estimate.steps, estimate.decrement),
        warnings=(*one.model.warnings, *one.warnings),
        quasi_likelihood=bool(spec.pseudo or spec.prior),
    )


def _shared(
    one: Fitted, fitted: FloatArray, at: AtEstimate, possible: Possible | MixedPossible | None, rank: int
) -> dict[str, Any]:
    """What a fit of one class and one of several have alike.
    fitted float[n]: expected numbers of persons with each answer.  rank: parameters of the answers."""
    table, spec, pooled, likelihood = one.table, one.spec, one.found.pooled, one.found.likelihood
    numbers = AnswerNumbers(
        pooled.row,
        pooled.group,
        one.model.labels,
        pooled.weights,
        fitted,
        one.found.block,
        one.found.possible,
        at,
        tuple(one.statistics),
        tuple(likelihood.maps),
        possible,
        adds_up(table, spec),
    )
    df_null = free_probabilities(one.found.possible)
    equal = likelihood.at(np.zeros(likelihood.n_params)).log_probabilities
    data = implied(table, one.model)
    return {
        "spec": spec,
        "data": data,
        "outcome_model": outcome_model(table, spec),
        "scale": spec.scale,
        "constraint": spec.constraint,
        "cell_table": PairCells(table, numbers),
        "df_resid": df_null - rank,
        "null_deviance": 2.0 * (one.found.saturated - float(pooled.weights @ equal)),
        "df_null": df_null,
        "n_comparisons": data.n_comparisons,
        "engine": engine_name(),
        "data_digest": digest(table),
        "answers": Answers(table, numbers),
    }


def outcome_model(table: Respondents, spec: AnswerSpec) -> OutcomeModel:
    """Whether two items can tie."""
    tied = spec.answer_ties != "none" or 2 in spec.tie_orders
    return "davidson" if tied or (spec.asked != "rankings" and table.tie_category) else "binary"


def adds_up(table: Respondents, spec: AnswerSpec) -> bool:
    """Whether the probabilities of the answers that persons could give add up to 1.
    A person who stops before the end, and has ties, can have ranked three items in two or in three steps:
    whether they would have stopped after two steps with two items, nobody knows."""
    below = (table.answers == BELOW).any(axis=(1, 2)) & (table.weights > 0)
    return not (spec.asked == "rankings" and spec.tie_orders and below.any())


def digest(table: Respondents) -> str:
    """Of the answers, weights and items, whatever their covariates."""
    made = hashlib.sha256(
        repr((table.items, table.kind, table.tie_category, table.scale, table.times)).encode()
    )
    made.update(np.ascontiguousarray(table.answers).tobytes())
    made.update(np.ascontiguousarray(table.weights).tobytes())
    return f"answers:{made.hexdigest()}"


def implied(table: Respondents, model: ItemModel) -> Comparisons:
    """The comparisons that the answers imply, added up in each covariate group (and at each time)."""
    answers, weights = table.pair_answers, table.weights
    made = (answers != MISSING) & (weights > 0)[:, None, None]
    row, time, pair = np.nonzero(made)
    given, weight = answers[made], weights[row]
    n_groups, times, pairs = len(model.labels), len(table.times), answers.shape[2]
    key = (model.group[row] * times + time) * pairs + pair
    counts = {
        v: np.bincount(key[given == v], weights=weight[given == v], minlength=n_groups * times * pairs)
        for v in (FIRST, TIED, SECOND)
    }
    kept = np.flatnonzero(sum(counts.values()) > 0)
    group, time, pair = kept // (times * pairs), kept // pairs % times, kept % pairs
    first, second = pairs_of(len(table.items))
    columns = _columns(model.values, group)
    if times > 1:
        columns["time"] = Factor(time.astype(np.int64), table.times)
    together = 0 if table.kind == "comparisons" else int(table.presented.sum(axis=2).max())
    return Comparisons.build(
        table.items,
        first[pair],
        second[pair],
        counts[FIRST][kept],
        counts[TIED][kept] if table.tie_category else None,
        counts[SECOND][kept],
        columns=columns,
        item_data=table.item_data,
        source=table.source,
        ranked_together=together,
    )


def _columns(values: Sequence[Mapping[str, Value]], group: IntArray) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for name in values[0] if values else ():
        own = [v[name] for v in values]
        if isinstance(own[0], str):
            levels = tuple(dict.fromkeys(str(v) for v in own))
            codes = np.array([levels.index(str(v)) for v in own], dtype=np.int64)
            found[name] = Factor(codes[group], levels)
        else:
            found[name] = np.array([float(v) for v in own])[group]
    return found


def comparison_statistics(items: Sequence[str], ternary: bool, dependence: Sequence[str]) -> list[str]:
    """Names of the natural parameters of comparisons: of y, of ties, of dependence."""
    pairs = pair_names(items)
    return [*(f"y {p}" for p in pairs), *(f"tie {p}" for p in pairs if ternary), *dependence]


def item_statistics(items: Sequence[str]) -> list[str]:
    """Names of the natural parameters of rankings."""
    return [f"{OF_ITEM}{item}" for item in items]


RULE_OF_MIXED = (
    "squared Newton decrement of the mixture (step length in standard errors) <= 1e-14, or forecast <= 3e-27"
)


@dataclass(frozen=True, eq=False)
class Columns:
    """The parameters of all classes in the order in which they are shown.
    terms: `A:class[1]`, ..., then what is common to the classes.  slot int[n_terms]: where each stands among
    the parameters of the mixture; -1 for a reference, -2 for one that is infinite in every class.  of_class
    int[n_terms]: class of each; -1 for what is common.  parameter int[n_terms]: which of the free parameters
    of one class it is; -1 for a reference."""

    terms: tuple[Term, ...]
    slot: IntArray
    of_class: IntArray
    parameter: IntArray


def columns_of(one: Fitted, found: LatentClasses) -> Columns:
    """Items class by class, then items that all classes share, then ties and dependence."""
    (terms, free), n_classes = one.parameters, len(found.shares)
    at = np.where(free, np.cumsum(free) - 1, -1)
    differs = np.zeros(len(terms), bool)
    if n_classes > 1:
        differs[free] = found.mixture.random
        for k in np.flatnonzero(~free):
            # A reference belongs to each class if all other items of its term do.
            others = [m for m, t in enumerate(terms) if t.kind == "item" and t.by == terms[k].by and free[m]]
            differs[k] = bool(differs[others].all())
    items, rest = range(len(terms) - len(one.others)), range(len(terms) - len(one.others), len(terms))
    order = [(k, c) for c in range(n_classes) for k in items if differs[k]]
    order += [(k, -1) for k in items if not differs[k]]
    order += [(k, c) for k in rest for c in (range(n_classes) if differs[k] else (-1,))]
    slot = [-1 if at[k] < 0 else found.mixture.slots(max(c, 0))[at[k]] for k, c in order]
    more = len(one.infinite)
    return Columns(
        (*(terms[k] if c < 0 else in_time(terms[k], str(c + 1), "class") for k, c in order), *one.infinite),
        np.array([*slot, *[-2] * more], np.int64),
        np.array([*(c for _, c in order), *[-1] * more], np.int64),
        np.array([*(at[k] for k, _ in order), *[-1] * more], np.int64),
    )


def assemble_classes(one: Fitted, found: LatentClasses, starts: int, seed: int, tester: ClassTester) -> Fit:
    """The fit of latent classes.  one: of one class."""
    columns, weights = columns_of(one, found), one.found.pooled.weights
    n, n_classes = len(columns.terms), len(found.shares)
    free, at = columns.slot >= 0, columns.slot[columns.slot >= 0]
    beta, covariance = np.zeros(n), np.zeros((n, n))
    beta[free] = found.psi[at]
    covariance[np.ix_(free, free)] = found.covariance[np.ix_(at, at)]
    outward = np.zeros((n, len(found.psi)))
    outward[free, at] = 1.0
    runaway = infinite(columns, found)
    null_space = np.hstack([runaway, np.eye(n)[:, columns.slot == -2]])
    gone = AtInfinity(null_space, np.zeros((0, null_space.shape[1]))) if null_space.shape[1] else None
    likelihood = AtEstimate(found.mixture, found.psi, found.covariance, outward, found.llf, gone)
    in_block = np.asarray(np.bincount(one.found.block, weights=weights)[one.found.block], float)
    fitted = in_block * np.exp(found.mixture.at(found.psi).values)
    each = [possible for possible in map(one.possible_at, found.phi) if possible is not None]
    possible = MixedPossible(each, found.shares) if each else None
    shared = _shared(one, fitted, likelihood, possible, found.mixture.n_params + len(one.infinite))
    collapsed = tuple(columns.terms[k].name for k in np.flatnonzero(np.abs(runaway).any(axis=1)))
    groups = timed_groups(one.model.groups, one.spec.times)
    return Fit(
        **shared,
        terms=columns.terms,
        beta=beta,
        is_reference=columns.slot == -1,
        covariance=DenseCovariance(covariance),
        null_space=null_space,
        groups=groups if n_classes == 1 else in_classes(groups, n_classes),
        llf=found.llf,
        deviance=2.0 * (one.found.saturated - found.llf),
        stopping=_stopping(one, found),
        warnings=(
            *one.model.warnings,
            *one.warnings,
            *_warnings(found, collapsed, starts, shared["df_resid"]),
        ),
        n_infinite=null_space.shape[1],
        classes=_class_numbers(found, starts, seed, collapsed, tester),
    )


def in_classes(groups: dict[str, dict[str, Value]], n_classes: int) -> dict[str, dict[str, Value]]:
    """The groups for which worths are given, in each class."""
    return {
        f"{'' if label == 'all' else label + ','}class={k + 1}": {**group, "class": str(k + 1)}
        for k in range(n_classes)
        for label, group in groups.items()
    }


def infinite(columns: Columns, found: LatentClasses) -> FloatArray:
    """Directions along which collapsed classes run to infinity.
    Items of a class that run the same way, and no farther from each other than items do, run together: their
    differences are finite.  Returns float[n_terms, n_directions]."""
    large = {(k - 1, found.names.index(name)) for k, name in found.collapsed}
    together: dict[tuple[object, ...], list[int]] = {}
    for p, term in enumerate(columns.terms):
        if columns.parameter[p] < 0 or (max(columns.of_class[p], 0), columns.parameter[p]) not in large:
            continue
        key = (term.by, found.psi[columns.slot[p]] > 0) if term.kind == "item" else (p,)
        together.setdefault(key, []).append(p)
    directions = []
    for own in together.values():
        values = found.psi[columns.slot[own]]
        parts = [own] if float(np.ptp(values)) < 4.0 else [[p] for p in own]
        for part in parts:
            direction = np.zeros(len(columns.terms))
            direction[part] = 1.0
            directions.append(direction)
    return np.asarray(np.array(directions).T.reshape(len(columns.terms), len(directions)))


def _stopping(one: Fitted, found: LatentClasses) -> Stopping:
    if len(found.shares) == 1:
        return Stopping(RULE_OF_MIXED, True, one.found.estimate.steps, one.found.estimate.decrement)
    if found.collapsed:
        return Stopping("a parameter of a class is taken as infinite", True, found.steps, float("nan"))
    return Stopping(RULE_OF_MIXED, True, found.steps, found.decrement)


def _class_numbers(
    found: LatentClasses, starts: int, seed: int, collapsed: tuple[str, ...], tester: ClassTester
) -> ClassNumbers:
    ratios = slice(len(found.psi) - len(found.shares) + 1, None)
    slopes = share_slopes(found.shares)
    return ClassNumbers(
        found.shares,
        slopes @ found.covariance[ratios, ratios] @ slopes.T,
        np.hstack([np.zeros((len(slopes), ratios.start)), slopes]),
        found.posterior,
        found.optima,
        starts if len(found.shares) > 1 else 1,
        seed,
        collapsed,
        tester,
    )


def _warnings(found: LatentClasses, collapsed: Sequence[str], starts: int, df: int) -> Iterator[FitWarning]:
    """What a reader of the fit has to know of its maxima and its classes."""
    if len(found.shares) > 1 and starts > 1 and found.optima[0][1] == 1:
        text = (
            f"the best maximum was reached from one of {starts} starts only; another may be higher:"
            f" starts={5 * starts} looks further"
        )
        yield FitWarning("local-maxima", text)
    if collapsed:
        classes = sorted({k for k, _ in found.collapsed})
        named = ", ".join(f"class {k} ({100 * found.shares[k - 1]:.1f} % of persons)" for k in classes)
        text = (
            f"{named} {'has' if len(classes) == 1 else 'have'} collapsed: {listed(collapsed, 20)}"
            f" {'is' if len(collapsed) == 1 else 'are'} infinite, the log-likelihood is a supremum that no estimate"
            " reaches, and there are no standard errors; fit fewer classes, or let fewer parameters differ"
        )
        yield FitWarning("separated", text, tuple(collapsed))
    elif np.isnan(found.covariance).any():
        n_params = found.mixture.n_params
        why = (
            f"{n_params} parameters are more than the {n_params + df} free probabilities of all answers"
            if df < 0
            else "two classes are the same, or one is empty"
        )
        text = f"the information of the mixture is singular: {why}, and there are no standard errors; fit fewer classes"
        yield FitWarning("not-identified", text)
