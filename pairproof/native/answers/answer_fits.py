"""From a fitted model of arrays to a fit with named parameters: of whole answers, and of their latent classes.

A mixture of models is a fit with classes.
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
from ...data.wide import prefmod_pair_order
from ...fit.estimates.covariance import DenseCovariance
from ...fit.estimates.fit_record import FitWarning, Stopping, listed
from ...fit.estimates.likelihood import AtEstimate, OutcomeModel
from ...fit.estimates.parts import OF_ITEM, AnswerNumbers, Answers, ClassNumbers, ClassTester, MixedPossible
from ...fit.estimates.specification import AnswerSpec, Term, Value
from ...fit.fit import Fit
from ...fit.results.answers import PairCells
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.infinity import AtInfinity, both, held_at_minus_infinity
from ..comparisons.counts.llbt import RULE, engine_name
from .answer_terms import ItemModel, at_times, in_time, pair_names, timed_groups
from .patterns.answer_likelihood import AnswerLikelihood, PatternFit, free_probabilities
from .patterns.class_mixture import LatentClasses, share_slopes
from .possible_answers import Possible


@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of a model in the order in which they are shown.
    free bool[n_terms]: those that were estimated, in the order of the estimate."""

    terms: tuple[Term, ...]
    free: BoolArray


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
    def parameters(self) -> Parameters:
        """Of the items at all times, and the others."""
        items, free = at_times(self.model, self.spec.times)
        return Parameters((*items, *self.others), np.append(free, np.ones(len(self.others), bool)))

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
    parameters, estimate = one.parameters, one.found.estimate
    n, more = len(parameters.terms) + len(one.infinite), len(one.infinite)
    at = np.flatnonzero(parameters.free)
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
        terms=(*parameters.terms, *one.infinite),
        beta=beta,
        is_reference=np.concatenate([~parameters.free, np.zeros(more, bool)]),
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
    first, second = np.array(prefmod_pair_order(len(table.items))).T
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
    parameters, n_classes = one.parameters, len(found.shares)
    terms, free = parameters.terms, parameters.free
    at = np.where(free, np.cumsum(free) - 1, -1)
    differs = np.zeros(len(terms), bool)
    if n_classes > 1:
        differs[free] = found.random
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
    fitted = in_block * np.exp(found.mixture.at(found.psi).rows)
    shared = _shared(one, fitted, likelihood, _possible(one, found), found.n_params + len(one.infinite))
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


def _possible(one: Fitted, found: LatentClasses) -> MixedPossible | None:
    each = [one.possible_at(phi) for phi in found.phi]
    known = [possible for possible in each if possible is not None]
    return MixedPossible(known, found.shares) if len(known) == len(each) else None


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
        why = (
            f"{found.n_params} parameters are more than the {found.n_params + df} free probabilities of all answers"
            if df < 0
            else "two classes are the same, or one is empty"
        )
        text = f"the information of the mixture is singular: {why}, and there are no standard errors; fit fewer classes"
        yield FitWarning("not-identified", text)
