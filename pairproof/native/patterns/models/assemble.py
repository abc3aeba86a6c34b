"""From a fitted model of arrays to a :class:`pairproof.fit.answers.fit.AnswerFit` with named parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Column, Factor
from ....data.comparisons import Comparisons
from ....data.respondents import Respondents
from ....data.respondents.codes import BELOW, FIRST, MISSING, SECOND, TIED
from ....data.wide import prefmod_pair_order
from ....fit.answers.fit import AnswerFit
from ....fit.answers.numbers import OF_ITEM, AnswerNumbers
from ....fit.answers.spec import AnswerSpec
from ....fit.answers.tables import PairCells
from ....fit.covariance import DenseCovariance
from ....fit.law import Law
from ....fit.outcomes import OutcomeModel
from ....fit.record import Stopping
from ....fit.spec import Term, Value
from ....fit.warning import FitWarning
from ...pairs.fit import engine_name
from ..pooled import PatternFit, free_probabilities
from .possible import Possible
from .terms import ItemModel, at_times, timed_groups

FloatArray = NDArray[np.float64]
RULE = "squared Newton decrement (step length in standard errors) <= 1e-14, or forecast <= 3e-27"


@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of a model in the order in which they are shown.

    terms: references included.  free bool[n_terms]: those that were estimated, in the order of the estimate.
    """

    terms: tuple[Term, ...]
    free: NDArray[np.bool_]


def joined(items: Sequence[Term], free: NDArray[np.bool_], others: Sequence[Term]) -> Parameters:
    """The items' parameters, and others after them that are all free."""
    return Parameters((*items, *others), np.concatenate([free, np.ones(len(others), bool)]))


def assemble(
    table: Respondents,
    spec: AnswerSpec,
    model: ItemModel,
    found: PatternFit,
    parameters: Parameters,
    statistics: Sequence[str],
    possible: Possible | None,
    warnings: Sequence[FitWarning] = (),
    infinite: Sequence[Term] = (),
) -> AnswerFit:
    """The fit of a model of whole answers.

    statistics: names of the natural parameters.  possible: none where possible answers are not enumerated.
    warnings: beside those of the covariates.  infinite: parameters that are minus infinity, so that the
    arrays do not have them.
    """
    estimate, n = found.estimate, len(parameters.terms) + len(infinite)
    at = np.flatnonzero(parameters.free)
    beta = np.zeros(n)
    beta[at] = estimate.phi
    covariance = np.zeros((n, n))
    covariance[np.ix_(at, at)] = estimate.covariance
    likelihood = found.likelihood
    law = Law(likelihood, estimate.phi, estimate.covariance, np.eye(n)[:, at])
    numbers = AnswerNumbers(
        found.pooled.row,
        found.pooled.group,
        model.labels,
        found.pooled.weights,
        found.fitted,
        found.block,
        found.possible,
        law,
        tuple(statistics),
        tuple(likelihood.maps),
        possible,
        adds_up(table, spec),
    )
    # A prior fixes the level, which no data do: it is no parameter of the answers.
    fitted = len(estimate.phi) + len(infinite) - int(bool(spec.prior))
    df = free_probabilities(found.possible) - fitted
    null = float(found.pooled.weights @ likelihood.at(np.zeros(len(estimate.phi))).log_probabilities)
    data = implied(table, model)
    return AnswerFit(
        spec=spec,
        data=data,
        terms=(*parameters.terms, *infinite),
        beta=beta,
        is_reference=np.concatenate([~parameters.free, np.zeros(len(infinite), bool)]),
        covariance=DenseCovariance(covariance),
        null_space=np.eye(n)[:, n - len(infinite) :],
        n_infinite=len(infinite),
        outcome_model=outcome_model(table, spec),
        scale=spec.scale,
        constraint=spec.constraint,
        groups=timed_groups(model.groups, spec.times),
        cell_table=PairCells(table, numbers),
        llf=estimate.llf,
        deviance=found.deviance,
        df_resid=df,
        null_deviance=2.0 * (found.saturated - null),
        df_null=df + fitted,
        n_comparisons=data.n_comparisons,
        engine=engine_name(),
        stopping=Stopping(RULE, True, estimate.steps, estimate.decrement),
        warnings=(*model.warnings, *warnings),
        quasi_likelihood=bool(spec.pseudo or spec.prior),
        data_digest=digest(table),
        respondents=table,
        numbers=numbers,
    )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of arrays that was fitted to a table, before its numbers have names.

    others: parameters after those of the items.  statistics: names of the natural parameters.  possible: none
    where possible answers are not enumerated.  warnings: beside those of the covariates.  infinite:
    parameters that are minus infinity, so that the arrays do not have them.
    """

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
        return joined(items, free, self.others)

    @property
    def reference(self) -> str:
        """The item whose parameter is 0; the last for a sum constraint."""
        return self.table.items[-1] if self.spec.reference == "sum" else self.spec.reference

    def possible_at(self, phi: FloatArray) -> Possible | None:
        """The possible answers with their probabilities at phi, float[p]."""
        if self.possible is None:
            return None
        return replace(self.possible, beta=tuple(m @ phi for m in self.found.likelihood.maps))


def finished(fitted: Fitted) -> AnswerFit:
    """:func:`assemble` with the probabilities of possible answers, and the parameters of all times."""
    # Fitted against the last item; a sum constraint is a change of reference of the finished fit.
    against = replace(fitted.spec, reference=fitted.reference)
    return assemble(
        fitted.table,
        against,
        fitted.model,
        fitted.found,
        fitted.parameters,
        fitted.statistics,
        fitted.possible_at(fitted.found.estimate.phi),
        fitted.warnings,
        fitted.infinite,
    )


def outcome_model(table: Respondents, spec: AnswerSpec) -> OutcomeModel:
    """Whether two items can tie."""
    ternary = (
        spec.answer_ties != "none"
        or 2 in spec.tie_orders
        or (spec.asked != "rankings" and table.tie_category)
    )
    return "davidson" if ternary else "binary"


def adds_up(table: Respondents, spec: AnswerSpec) -> bool:
    """Whether the probabilities of the answers that persons could give add up to 1.

    A person who stops before the end, and has ties, can have ranked three items in two or in three steps: whether they
    would have stopped after two steps with two items, nobody knows.
    """
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


def _columns(values: Sequence[Mapping[str, Value]], group: NDArray[np.int64]) -> dict[str, Column]:
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
    pairs = [f"{items[i]}:{items[j]}" for i, j in prefmod_pair_order(len(items))]
    return [*(f"y {p}" for p in pairs), *(f"tie {p}" for p in pairs if ternary), *dependence]


def item_statistics(items: Sequence[str]) -> list[str]:
    """Names of the natural parameters of rankings."""
    return [f"{OF_ITEM}{item}" for item in items]
