"""The same fit on another scale or under another constraint.

Item terms are lambda in the log-linear form and b = 2 lambda as log-odds; `tie` and `order` are the same on
both. Against reference r every block of item terms has b_r = 0; centred, C b with C = I - 1 1'/J, and C V C'.
Where some items differ infinitely, the mean of a block is that of the items of one set: the set with the most
comparisons, whose differences are all finite.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.comparisons import Comparisons
from ..data.options import one_of
from ..errors import InputError
from .covariance import Covariance, MappedCovariance, Rescaling, Shift
from .family import LOG_WORTH_PER_UNIT, Scale
from .item_sets import item_sets, rows_of
from .record import FitRecord, find_item
from .spec import Layout, ModelSpec, Term, layout
from .warning import FitWarning, listed

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
R = TypeVar("R", bound=FitRecord)


@dataclass(frozen=True, eq=False)
class Referred:
    """The numbers of a fit that depend on the reference; attributes as in :class:`pairproof.fit.record.FitRecord`."""

    beta: FloatArray
    is_reference: NDArray[np.bool_]
    null_space: FloatArray
    covariance: Covariance


def summed_over(at: Layout, null_space: FloatArray, table: Comparisons) -> BoolArray:
    """bool[n_blocks, n_items]: the items of each block that sum to zero under the constraint "sum".

    All of them if all differences are finite, or if no set of them has two items; else those of the set with the most
    comparisons.
    """
    out = np.ones(at.places.shape, bool)
    if null_space.shape[1]:
        for block, (term, places) in enumerate(zip(at.blocks, at.places)):
            sets = item_sets(null_space[places], table, rows_of(table, term.by))
            if len(sets.members()) > 1:
                out[block] = sets.of == 0
    return out


def constraint_of(
    spec: ModelSpec, terms: tuple[Term, ...], null_space: FloatArray, table: Comparisons
) -> str:
    """What fixes the level of the abilities, in words; over which items they sum to zero."""
    if spec.item_terms or spec.reference != "sum" or not null_space.shape[1]:
        return spec.constraint
    over = summed_over(layout(terms, table.items), null_space, table)
    if over.all():
        return spec.constraint
    if len(over) > 1:
        return f"{spec.constraint}, over the most compared set"
    return f"{int(over.sum())} of {over.size} items sum to zero"


def reference_hint(
    spec: ModelSpec, terms: tuple[Term, ...], null_space: FloatArray, table: Comparisons
) -> str:
    """Which reference gives numbers to the set with the most comparisons, or over what the sum runs."""
    if spec.item_terms:
        return ""
    over = summed_over(layout(terms, table.items), null_space, table)[0]
    main = [item for item, inside in zip(table.items, over) if inside]
    if len(main) == len(table.items):
        return ""
    if spec.reference == "sum":
        return f" The sum runs over the {len(main)} items of the set with the most comparisons: {listed(main, 8)}."
    if spec.reference in main:
        return ""
    return (
        f" The reference {spec.reference!r} lies outside the set with the most comparisons: with reference {main[0]!r}"
        f" (--reference {shlex.quote(main[0])}) its {len(main)} items have numbers; contrasts, ranks and worths within a set"
        " have them under any reference."
    )


def shift_of(
    at: Layout,
    n_params: int,
    reference: str,
    items: Sequence[str],
    null_space: FloatArray,
    table: Comparisons,
) -> Shift:
    """The map from the item terms under any constraint to those against `reference`, an item or "sum"."""
    if reference == "sum":
        over = summed_over(at, null_space, table)
        return Shift(n_params, at.places, over / over.sum(axis=1, keepdims=True))
    weights = np.zeros(at.places.shape)
    weights[:, find_item(tuple(items), reference)] = 1.0
    return Shift(n_params, at.places, weights)


def against(
    reference: str, terms: tuple[Term, ...], items: Sequence[str], numbers: Referred, table: Comparisons
) -> Referred:
    """The same numbers against an item, or with the items of each term summing to zero ("sum")."""
    shift = shift_of(layout(terms, items), len(terms), reference, items, numbers.null_space, table)
    is_reference = numbers.is_reference.copy()  # a tie parameter held at its boundary stays held
    is_reference[shift.index] = False
    if reference != "sum":
        is_reference[shift.index[:, items.index(reference)]] = True
    beta = shift.forward(numbers.beta)
    beta[is_reference] = 0.0
    null_space = numbers.null_space
    return Referred(
        beta,
        is_reference,
        shift.forward(null_space) if null_space.shape[1] else null_space,
        MappedCovariance(numbers.covariance, shift),
    )


def on_scale(fit: R, scale: Scale) -> R:
    """The same fit with its item terms on `scale`; see :meth:`pairproof.Fit.on_scale`."""
    one_of("scale", scale, ("lambda", "log-odds"))
    if scale == fit.scale:
        return fit
    factor = LOG_WORTH_PER_UNIT[fit.scale] / LOG_WORTH_PER_UNIT[scale]
    units = Rescaling(np.array([factor if t.kind in ("item", "covariate") else 1.0 for t in fit.terms]))
    return replace(
        fit,
        scale=scale,
        beta=units.forward(fit.beta),
        null_space=units.forward(fit.null_space),
        covariance=MappedCovariance(fit.covariance, units),
        robust=fit.robust and fit.robust.mapped(units),
    )


def with_reference(fit: R, reference: str) -> R:
    """The same fit against another reference, or "sum"; see :meth:`pairproof.Fit.with_reference`."""
    if fit.spec.item_terms:
        raise InputError("a model with item covariates has no reference item to change")
    spec = replace(fit.spec, reference=reference)
    before = Referred(fit.beta, fit.is_reference, fit.null_space, fit.covariance)
    numbers = against(reference, fit.terms, fit.items, before, fit.data)
    robust = fit.robust and fit.robust.mapped(shift_to(fit, reference))
    constraint = constraint_of(spec, fit.terms, fit.null_space, fit.data)
    told = tuple(w for w in fit.warnings if w.kind != "another-reference")
    if hint := reference_hint(spec, fit.terms, fit.null_space, fit.data).strip():
        told += (FitWarning("another-reference", hint),)
    return replace(fit, spec=spec, constraint=constraint, robust=robust, warnings=told, **vars(numbers))


def over_which(fit: FitRecord) -> BoolArray:
    """bool[n_blocks, n_items]: the items of each block of terms that sum to zero in a fit, if any do."""
    return summed_over(fit.layout, fit.null_space, fit.data)


def shift_to(fit: FitRecord, reference: str) -> Shift:
    """The map from a fit's parameters to those against another reference, or "sum"."""
    return shift_of(fit.layout, len(fit.terms), reference, fit.items, fit.null_space, fit.data)
