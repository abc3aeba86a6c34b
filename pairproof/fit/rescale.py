"""The same fit on another scale or under another constraint.

Item terms are lambda in the log-linear form and b = 2 lambda as log-odds; `tie` and `order` are the same on
both. Against reference r every block of item terms has b_r = 0; centred, C b with C = I - 1 1'/J, and C V C'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.options import one_of
from ..errors import InputError
from .covariance import Covariance, MappedCovariance, Rescaling, Shift
from .family import LOG_WORTH_PER_UNIT, Scale
from .record import FitRecord, find_item
from .spec import Layout, Term, layout

FloatArray = NDArray[np.float64]
R = TypeVar("R", bound=FitRecord)


@dataclass(frozen=True, eq=False)
class Referred:
    """The numbers of a fit that depend on the reference; attributes as in :class:`pairproof.fit.record.FitRecord`."""

    beta: FloatArray
    is_reference: NDArray[np.bool_]
    null_space: FloatArray
    covariance: Covariance


def shift_of(at: Layout, n_params: int, reference: str, items: Sequence[str]) -> Shift:
    """The map from the item terms under any constraint to those against `reference`, an item or "sum"."""
    weights = np.full(len(items), 1.0 / len(items))
    if reference != "sum":
        weights = np.zeros(len(items))
        weights[find_item(tuple(items), reference)] = 1.0
    return Shift(n_params, at.places, weights)


def against(reference: str, terms: tuple[Term, ...], items: Sequence[str], numbers: Referred) -> Referred:
    """The same numbers against an item, or with the items of each term summing to zero ("sum")."""
    shift = shift_of(layout(terms, items), len(terms), reference, items)
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
    numbers = against(
        reference, fit.terms, fit.items, Referred(fit.beta, fit.is_reference, fit.null_space, fit.covariance)
    )
    robust = fit.robust and fit.robust.mapped(shift_of(fit.layout, len(fit.terms), reference, fit.items))
    return replace(fit, spec=spec, constraint=spec.constraint, robust=robust, **vars(numbers))
