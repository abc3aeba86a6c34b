"""A fit on another scale or under another constraint: the same model, other numbers, moved by name.

Item terms are lambda in the log-linear form and b = 2 lambda as log-odds; `tie` and `order` are the same on
both. Against reference r every block of item terms has b_r = 0; centred, C b with C = I - 1 1'/J, and C V C'.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.options import one_of
from ..errors import InputError
from .covariance import ScaledCovariance, ShiftedCovariance
from .parameters import find_item
from .record import FitRecord
from .spec import LOG_WORTH_PER_UNIT, Scale

FloatArray = NDArray[np.float64]
R = TypeVar("R", bound=FitRecord)


def on_scale(fit: R, scale: Scale) -> R:
    """The same fit with its item terms on `scale`; see :meth:`pairproof.Fit.on_scale`."""
    one_of("scale", scale, ("lambda", "log-odds"))
    if scale == fit.scale:
        return fit
    factor = LOG_WORTH_PER_UNIT[fit.scale] / LOG_WORTH_PER_UNIT[scale]
    units = np.array([factor if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
    return replace(
        fit,
        scale=scale,
        beta=fit.beta * units,
        null_space=fit.null_space * units[:, None],
        covariance=ScaledCovariance(fit.covariance, units),
    )


def with_reference(fit: R, reference: str) -> R:
    """The same fit against another reference, or "sum"; see :meth:`pairproof.Fit.with_reference`."""
    if fit.spec.item_terms:
        raise InputError("a model with item covariates has no reference item to change")
    index = _item_blocks(fit)
    n_items = len(fit.items)
    weights = np.full(n_items, 1.0 / n_items)
    if reference != "sum":
        weights = np.zeros(n_items)
        weights[find_item(fit.items, reference)] = 1.0

    def shift(values: FloatArray) -> FloatArray:
        """Each block less its weighted mean; values float[n_params] or float[n_params, k]."""
        out = np.array(values)
        out[index] -= np.tensordot(weights, out[index], axes=(0, 1))[:, None]
        return out

    is_reference = fit.is_reference.copy()  # a tie parameter held at its boundary stays held
    is_reference[index] = False
    if reference != "sum":
        is_reference[index[:, find_item(fit.items, reference)]] = True
    constraint = "items sum to zero within each term" if reference == "sum" else f"reference {reference}"
    beta = shift(fit.beta)
    beta[is_reference] = 0.0
    return replace(
        fit,
        spec=replace(fit.spec, reference=reference),
        beta=beta,
        is_reference=is_reference,
        null_space=shift(fit.null_space) if fit.null_space.shape[1] else fit.null_space,
        constraint=constraint,
        covariance=ShiftedCovariance(fit.covariance, len(fit.terms), index, weights),
    )


def _item_blocks(fit: FitRecord) -> NDArray[np.int64]:
    """int[n_blocks, n_items]: places in beta of the items' terms, a block a product of subject covariates."""
    blocks: dict[tuple[tuple[str, str | None], ...], dict[str | None, int]] = {}
    for k, term in enumerate(fit.terms):
        if term.kind == "item":
            blocks.setdefault(term.by, {})[term.item] = k
    return np.array([[places[item] for item in fit.items] for places in blocks.values()])
