"""From latent classes of arrays to a :class:`pairproof.fit.answers.classes.ClassFit` with named parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....fit.answers.classes import ClassFit
from ....fit.answers.mixture import ClassNumbers, ClassTester, MixedPossible
from ....fit.answers.numbers import AnswerNumbers
from ....fit.answers.tables import PairCells
from ....fit.covariance import DenseCovariance
from ....fit.law import Law
from ....fit.record import Stopping
from ....fit.spec import Term, Value, by_suffix
from ....fit.warning import FitWarning, listed
from ...pairs.fit import engine_name
from ..classes.fit import LatentClasses, share_slopes
from ..pooled import free_probabilities
from .assemble import Fitted, adds_up, digest, implied, outcome_model
from .terms import timed_groups

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
RULE = (
    "squared Newton decrement of the mixture (step length in standard errors) <= 1e-14, or forecast <= 3e-27"
)


@dataclass(frozen=True, eq=False)
class Columns:
    """The parameters of all classes in the order in which they are shown.

    terms: `A:class[1]`, ..., then what is common to the classes.  slot int[n_terms]: where each stands among
    the parameters of the mixture; -1 for a reference, -2 for one that is infinite in every class.  of_class
    int[n_terms]: class of each; -1 for what is common.  parameter int[n_terms]: which of the free parameters
    of one class it is; -1 for a reference.
    """

    terms: tuple[Term, ...]
    slot: IntArray
    of_class: IntArray
    parameter: IntArray


def in_class(term: Term, k: int) -> Term:
    """The term of a class, counted from 0: `A:sex[2]:class[1]`."""
    by = (("class", str(k + 1)),)
    return replace(term, name=term.name + by_suffix(by), by=term.by + by)


def columns_of(one: Fitted, found: LatentClasses) -> Columns:
    """Items class by class, then items that all classes share, then ties and dependence.

    one: of one class.
    """
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
        (*(terms[k] if c < 0 else in_class(terms[k], c) for k, c in order), *one.infinite),
        np.array([*slot, *[-2] * more], np.int64),
        np.array([*(c for _, c in order), *[-1] * more], np.int64),
        np.array([*(at[k] for k, _ in order), *[-1] * more], np.int64),
    )


def assemble_classes(
    one: Fitted, found: LatentClasses, starts: int, seed: int, tester: ClassTester
) -> ClassFit:
    """The fit of latent classes.

    one: of one class.
    """
    table, spec, model = one.table, one.spec, one.model
    columns, pooled, likelihood = columns_of(one, found), one.found.pooled, one.found.likelihood
    n, n_classes = len(columns.terms), len(found.shares)
    free, at = columns.slot >= 0, columns.slot[columns.slot >= 0]
    beta, covariance = np.zeros(n), np.zeros((n, n))
    beta[free] = found.psi[at]
    covariance[np.ix_(free, free)] = found.covariance[np.ix_(at, at)]
    point = found.mixture.at(found.psi)
    outward = np.zeros((n, len(found.psi)))
    outward[free, at] = 1.0
    runaway = infinite(columns, found)
    null_space = np.hstack([runaway, np.eye(n)[:, columns.slot == -2]])
    in_block = np.bincount(one.found.block, weights=pooled.weights)[one.found.block]
    numbers = AnswerNumbers(
        pooled.row,
        pooled.group,
        model.labels,
        pooled.weights,
        in_block * np.exp(point.rows),
        one.found.block,
        one.found.possible,
        Law(found.mixture, found.psi, found.covariance, outward),
        tuple(one.statistics),
        tuple(likelihood.maps),
        _possible(one, found),
        adds_up(table, spec),
    )
    fitted = found.n_params + len(one.infinite)
    df = free_probabilities(one.found.possible) - fitted
    flat = likelihood.at(np.zeros(likelihood.n_params)).log_probabilities
    collapsed = tuple(columns.terms[k].name for k in np.flatnonzero(np.abs(runaway).any(axis=1)))
    data = implied(table, model)
    groups = timed_groups(model.groups, spec.times)
    return ClassFit(
        spec=spec,
        data=data,
        terms=columns.terms,
        beta=beta,
        is_reference=columns.slot == -1,
        covariance=DenseCovariance(covariance),
        null_space=null_space,
        outcome_model=outcome_model(table, spec),
        scale=spec.scale,
        constraint=spec.constraint,
        groups=groups if n_classes == 1 else in_classes(groups, n_classes),
        cell_table=PairCells(table, numbers),
        llf=found.llf,
        deviance=2.0 * (one.found.saturated - found.llf),
        df_resid=df,
        null_deviance=2.0 * (one.found.saturated - float(pooled.weights @ flat)),
        df_null=df + fitted,
        n_comparisons=data.n_comparisons,
        engine=engine_name(),
        stopping=_stopping(one, found),
        warnings=(*model.warnings, *one.warnings, *_warnings(found, collapsed, starts, df)),
        n_infinite=null_space.shape[1],
        data_digest=digest(table),
        respondents=table,
        numbers=numbers,
        of_classes=_class_numbers(found, starts, seed, collapsed, tester),
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
    differences are finite.

    Returns float[n_terms, n_directions].
    """
    large = {(k - 1, found.names.index(name)) for k, name in found.collapsed}
    places = [
        p
        for p in range(len(columns.terms))
        if columns.parameter[p] >= 0 and (max(columns.of_class[p], 0), columns.parameter[p]) in large
    ]
    together: dict[tuple[object, ...], list[int]] = {}
    for p in places:
        value = float(found.psi[columns.slot[p]])
        term = columns.terms[p]
        key = (term.by, value > 0) if term.kind == "item" else (p,)
        together.setdefault(key, []).append(p)
    directions = []
    for own in together.values():
        values = found.psi[columns.slot[own]]
        parts = [own] if float(np.ptp(values)) < 4.0 else [[p] for p in own]
        for part in parts:
            direction = np.zeros(len(columns.terms))
            direction[part] = 1.0
            directions.append(direction)
    return np.array(directions).T.reshape(len(columns.terms), len(directions))


def _possible(one: Fitted, found: LatentClasses) -> MixedPossible | None:
    each = [one.possible_at(phi) for phi in found.phi]
    known = [possible for possible in each if possible is not None]
    return MixedPossible(known, found.shares) if len(known) == len(each) else None


def _stopping(one: Fitted, found: LatentClasses) -> Stopping:
    if len(found.shares) == 1:
        return Stopping(RULE, True, one.found.estimate.steps, one.found.estimate.decrement)
    if found.collapsed:
        return Stopping("a parameter of a class is taken as infinite", True, found.steps, float("nan"))
    return Stopping(RULE, True, found.steps, found.decrement)


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


def _warnings(found: LatentClasses, collapsed: Sequence[str], starts: int, df: int) -> list[FitWarning]:
    """What a reader of the fit has to know of its maxima and its classes."""
    out = []
    n_classes = len(found.shares)
    if n_classes > 1 and starts > 1 and found.optima[0][1] == 1:
        out.append(
            FitWarning(
                "local-maxima",
                f"the best maximum was reached from one of {starts} starts only; another may be higher:"
                f" starts={5 * starts} looks further",
            )
        )
    if collapsed:
        classes = sorted({k for k, _ in found.collapsed})
        named = ", ".join(f"class {k} ({100 * found.shares[k - 1]:.1f} % of persons)" for k in classes)
        out.append(
            FitWarning(
                "separated",
                f"{named} {'has' if len(classes) == 1 else 'have'} collapsed: {listed(collapsed, 20)}"
                f" {'is' if len(collapsed) == 1 else 'are'} infinite, the log-likelihood is a supremum that no estimate"
                " reaches, and there are no standard errors; fit fewer classes, or let fewer parameters differ",
                tuple(collapsed),
            )
        )
    elif np.isnan(found.covariance).any():
        why = (
            f"{found.n_params} parameters are more than the {found.n_params + df} free probabilities of all answers"
            if df < 0
            else "two classes are the same, or one is empty"
        )
        out.append(
            FitWarning(
                "not-identified",
                f"the information of the mixture is singular: {why}, and there are no standard errors; fit fewer classes",
            )
        )
    return out
