"""A fit taken apart again: its arrays, its solution, and the map from the solver's parameters to the fit's.

Bootstraps, wild scores and profiles solve the fit's own problem again, with other counts or under a constraint.
They state functions of the fit's parameters, on its scale and against its reference, and the solver has log-odds
against an item.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import ComparisonError, InputError, ItemError
from ...fit.estimates.covariance import Rescaling, Shift
from ...fit.estimates.fit_record import find_item, known_and_near
from ...fit.estimates.identification import shift_to
from ...fit.estimates.likelihood import AtEstimate
from ...fit.estimates.predictions import ability_functions, find_group, group_label
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT, ContestSpec, Value
from ...fit.fit import Fit
from ...fit.promises import Function as Function
from ...numerics.arrays import FloatArray
from ...numerics.constrained import maximum_under
from ...numerics.infinity import AtInfinity, both, held_at_minus_infinity
from ..comparisons.counts.build import Model, build
from ..comparisons.counts.cells import Problem
from ..comparisons.counts.counts_likelihood import counts_likelihood
from ..comparisons.counts.dense import check_dense_size
from ..comparisons.counts.existence import at_infinity
from ..comparisons.counts.named import name
from ..comparisons.counts.solve import Solved, laid_out, solve

#: A function of the parameters: a parameter's name, two items, or a weight for each named parameter.

#: A fit of another engine has to be this near to the native one, in standard errors.
SAME = 1e-3


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The linear map from the problem's parameters (log-odds against an item) to those of a fit.

    scaled: log-odds to the fit's scale; a tie parameter that the problem does not have is added at 0.  shift:
    items that sum to zero.
    """

    scaled: Rescaling
    shift: Shift | None

    def forward(self, values: FloatArray) -> FloatArray:
        """float[n_params] or float[n_params, k] of the fit."""
        scaled = self.scaled.forward(values)
        return scaled if self.shift is None else self.shift.forward(scaled)

    def back(self, functions: FloatArray) -> FloatArray:
        """Functions of the fit's parameters as functions of the problem's."""
        return self.scaled.back(functions if self.shift is None else self.shift.back(functions))


@dataclass(frozen=True, eq=False)
class TakenApart:
    """The arrays, the solution and the coordinates of a fit."""

    fit: Fit
    model: Model
    found: Solved

    @property
    def problem(self) -> Problem:
        return self.model.problem

    @cached_property
    def coordinates(self) -> Coordinates:
        return self.coordinates_of(int(bool(self.model.tie_fixed)))

    def coordinates_of(self, added: int) -> Coordinates:
        """The map from a problem that lacks the last `added` of the fit's parameters (0 or 1)."""
        fit = self.fit
        unit = 1.0 / LOG_WORTH_PER_UNIT[fit.scale]
        units = np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
        shift = None
        if fit.spec.reference == "sum" and not fit.spec.item_terms:
            shift = shift_to(fit, "sum")
        return Coordinates(Rescaling(units[: len(units) - added], added), shift)

    @cached_property
    def infinite(self) -> AtInfinity | None:
        """What tends to infinity in the fit, in its own parameters."""
        null, n = self.found.null_space, len(self.fit.terms)
        tie = held_at_minus_infinity(n, n - 1) if self.model.tie_is_infinite else None
        apart = at_infinity(self.problem, null, self.coordinates.forward(null)) if null.shape[1] else None
        return both(tie, apart)

    @cached_property
    def with_ties(self) -> Problem:
        """The problem with its tie parameter, also if no tie was observed."""
        if not self.model.tie_fixed:
            return self.problem
        one = np.ones((len(self.problem.z), 1))
        return replace(self.problem, tie=one, model=self.model.outcome_model)


def expect_fit(fit: object) -> None:
    """InputError of what is no fit."""
    if not isinstance(fit, Fit):
        raise InputError(f"fit is {type(fit).__name__}; expected a Fit, of fit_llbt or fit_bradley_terry")


def take_apart(fit: Fit) -> TakenApart:
    """Build and solve a fit's problem again."""
    if isinstance(fit.spec, ContestSpec) and not fit.spec.is_plain:
        raise InputError(
            f"refits of {fit.title}: there is one for the logit by plain maximum likelihood, without an offset, reduced bias,"
            " general ties or random effects; fit.conf_int() has Wald intervals"
        )
    model = build(fit.data, fit.spec)
    found = solve(model.problem)
    apart = TakenApart(fit, model, found)
    names = tuple(t.name for t in name(model, found).terms)
    if names != fit.names:
        raise ComparisonError(
            f"the fit by {fit.engine} has parameters {', '.join(fit.names[:8])}; the native engine names"
            f" {', '.join(names[:8])}, so that it cannot be fitted again; fit it with fit_llbt or fit_bradley_terry"
        )
    forward = apart.coordinates.forward
    instead = ". Fit with fit_llbt or fit_bradley_terry, or see fit.verify()"
    check_same(fit, forward(found.params), forward(found.null_space), instead)
    return apart


def check_same(fit: Fit, beta: FloatArray, null: FloatArray, instead: str = "") -> None:
    """ComparisonError unless the native beta is that of the fit where `null`, float[n_params, k], leaves a number."""
    here = fit.free & (np.abs(null).max(axis=1, initial=0.0) < 1e-9)
    if not here.any():
        return
    se = np.sqrt(np.maximum(fit.covariance.variances(), 0.0))
    gap = np.where(here, np.abs(beta - fit.beta) / np.where(se > 0, se, 1.0), 0.0)
    k = int(np.argmax(gap))
    if gap[k] > SAME:
        raise ComparisonError(
            f"{fit.names[k]} is {fit.beta[k]:.10g} by {fit.engine} and {beta[k]:.10g} by the native engine, which"
            f" makes the refits; they have to agree{instead}"
        )


def counts_at_estimate(apart: TakenApart) -> AtEstimate:
    """The likelihood of a fit to counts of comparisons; with its tie parameter, also if no tie was observed."""
    fit = apart.fit
    check_dense_size(apart.with_ties)
    layout = laid_out(apart.with_ties)
    outward = np.asarray(layout.back(apart.coordinates_of(0).back(np.eye(len(fit.terms)))))
    null, found = None, apart.found.null_space
    if not apart.model.tie_fixed:
        null = np.zeros((outward.shape[1], 0))
        if found.shape[1]:
            null = np.asarray(np.linalg.lstsq(layout.back(np.eye(len(found))), found, rcond=None)[0])
    whole = counts_likelihood(layout, null)
    limit = whole.limit()
    inner = limit.remaining
    top = maximum_under(inner, np.zeros((0, inner.n_params)), np.zeros(0), inner.start()).point
    covariance = np.asarray(np.linalg.inv(top.information), float) if len(top.theta) else np.zeros((0, 0))
    if limit.keep is not None:
        covariance = limit.keep @ covariance @ limit.keep.T
    edge = np.array([t.kind == "tie" for t in fit.terms]) if apart.model.tie_fixed == "boundary" else None
    return AtEstimate(whole, limit.outward(top.theta), covariance, outward, top.value, apart.infinite, edge)


# -- functions of the parameters -----------------------------------------------------------------------------


def function_of(fit: Fit, what: Function, group: str | None = None) -> tuple[str, FloatArray]:
    """A label and float[n_params]: what a user names as a function of a fit's parameters.

    `what`: a parameter; the ability of the first item minus that of the second; or weights of named
    parameters.  group: one of the fit's groups, for two items; required if there is more than one.
    """
    if isinstance(what, str):
        function = np.zeros(len(fit.terms))
        function[_place(fit, what)] = 1.0
        return what, function
    if isinstance(what, Mapping):
        function = np.zeros(len(fit.terms))
        for parameter, weight in what.items():
            if not np.isfinite(weight):
                raise InputError(f"weight {weight} of {parameter!r}; expected a finite number")
            function[_place(fit, parameter)] = weight
        if not function.any():
            raise InputError(f"{dict(what)!r} has no parameter with a weight other than 0")
        return _written(what), function
    try:
        a, b = what
    except (TypeError, ValueError):
        raise InputError(
            f"{what!r}; expected the name of a parameter, two items, or weights by name of parameter"
        ) from None
    where: Mapping[str, Value] = find_group(fit, group)
    first, second = find_item(fit.items, a), find_item(fit.items, b)
    if first == second:
        raise ItemError(f"{a} - {b}: a contrast of an item with itself is 0")
    rows = ability_functions(fit, where, (first, second))
    place = group if group is not None else group_label(where)
    label = f"{a} - {b}" if place == "all" or len(fit.groups) == 1 else f"{a} - {b} in {place}"
    return label, rows[0] - rows[1]


def _written(weights: Mapping[str, float]) -> str:
    """ "A - 2 B" for {"A": 1, "B": -2}."""
    parts = []
    for parameter, weight in weights.items():
        size = "" if abs(weight) == 1 else f"{abs(weight):g} "
        parts.append(f"{'-' if weight < 0 else '+'} {size}{parameter}")
    text = " ".join(parts)
    return text[2:] if text.startswith("+") else text


def _place(fit: Fit, parameter: str) -> int:
    if parameter not in fit.names:
        raise InputError(f"no parameter {parameter!r}; there are {known_and_near(fit.names, parameter)}")
    return fit.names.index(parameter)


def all_pairs(fit: Fit, group: str | None = None) -> tuple[list[str], FloatArray]:
    """Labels and float[m, n_params] of the differences of all pairs of items in a group."""
    where = find_group(fit, group)
    rows = ability_functions(fit, where)
    i, j = np.triu_indices(len(fit.items), 1)
    return [f"{fit.items[a]} - {fit.items[b]}" for a, b in zip(i, j)], rows[i] - rows[j]
