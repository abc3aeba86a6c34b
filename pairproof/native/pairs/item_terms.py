"""Abilities from item covariates: a_i = x_i'theta, or a parameter of its own for an item that is *separate*.

As in BradleyTerry2 (Turner and Firth 2012, Journal of Statistical Software 48(9), section 3.2) the parameter
of a separate item replaces its whole covariate part: its row of x is 0 but for a column of its own.  Items
named in `separate` are separate, and so is every item without a value of a covariate in the model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor
from ...errors import AliasError, FormulaError, InputError, ItemError
from ...fit.spec import ModelSpec
from . import design
from .formula import Head

FloatArray = NDArray[np.float64]


class WithItems(Protocol):
    """A table that knows its items: of comparisons, or of whole answers."""

    @property
    def items(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def item_data(self) -> Mapping[str, Column]:
        """Their covariates."""


#: A column of item covariates: its name, the covariate and its level; None and the item for a separate item.
ItemColumn = tuple[str, "str | None", "str | None"]


def item_columns(data: WithItems, spec: ModelSpec) -> tuple[FloatArray | None, tuple[ItemColumn, ...]]:
    """Item covariates as columns, float[n_items, k], with name, covariate and level (or separate item) of
    each.
    """
    if not spec.item_terms:
        if spec.separate:
            raise InputError(f"separate={list(spec.separate)} makes sense only beside item_terms")
        return None, ()
    for item in spec.separate:
        if item not in data.items:
            raise ItemError(f"separate item {item!r} is not an item; the items are {', '.join(data.items)}")
    own = _among(data, separate_items(data, spec))
    columns: list[FloatArray] = []
    names: list[ItemColumn] = []
    for term in spec.item_terms:
        for name, column in _columns_of(data, term, own):
            columns.append(column)
            names.append(name)
    for place in np.flatnonzero(own):  # in place of its covariates, as in BradleyTerry2
        columns.append(np.arange(len(own)) == place)
        names.append((data.items[place], None, data.items[place]))
    if not columns:
        raise AliasError(
            f"the item covariate(s) {', '.join(spec.item_terms)} are the same for all items; leave them out"
        )
    x = np.stack(columns, axis=1).astype(float)
    # Only differences of items count, so a covariate that is the same for all items is aliased with the
    # constant.
    bad = design.aliased(np.column_stack([np.ones(len(x)), x]))
    if bad is not None:
        k, others = bad
        partners = (
            ", ".join(names[o - 1][0] for o in others if o) or "a constant (it is the same for all items)"
        )
        rest = f" ({int((~own).sum())} of {len(own)} items have no ability of their own)" if own.any() else ""
        raise AliasError(
            f"the item covariate {names[k - 1][0]} cannot be told from {partners}{rest}; leave"
            f" {'one of them' if any(others) else 'it'} out"
        )
    return x, tuple(names)


def _among(data: WithItems, names: Collection[str]) -> NDArray[np.bool_]:
    """bool[n_items]: the items with these names."""
    return np.array([item in names for item in data.items])


def _columns_of(data: WithItems, term: str, own: NDArray[np.bool_]) -> list[tuple[ItemColumn, FloatArray]]:
    """The columns of one item covariate, 0 at the items `own`, bool[n_items], with their names."""
    column = data.item_data[term]
    if not isinstance(column, Factor):
        return [((term, term, None), np.where(own, 0.0, column))]
    return [
        ((f"{term}[{column.levels[k]}]", term, column.levels[k]), ((column.codes == k) & ~own).astype(float))
        for k in np.unique(column.codes[~own])[1:]  # levels of the separate items alone say nothing
    ]


def separate_items(data: WithItems, spec: ModelSpec) -> tuple[str, ...]:
    """The items with an ability of their own beside `item_terms`, in the order of the table."""
    lacking = (item for items in missing_covariates(data, spec).values() for item in items)
    separate = {*spec.separate, *lacking} if spec.item_terms else set()
    return tuple(item for item in data.items if item in separate)


def selected_columns(data: WithItems, spec: ModelSpec, head: Head) -> list[tuple[ItemColumn, FloatArray]]:
    """What a selective term multiplies of the items, float[n_items] each, with its name."""
    if head.kind == "item":
        return [((head.name, None, head.name), _among(data, [head.name]).astype(float))]
    own = _among(data, separate_items(data, spec))
    column = data.item_data[head.name]
    lacking = (column.codes < 0 if isinstance(column, Factor) else np.isnan(column)) & ~own
    if lacking.any():
        raise InputError(
            f"no value of the item covariate {head.name} for"
            f" {', '.join(data.items[k] for k in np.flatnonzero(lacking))}, with which by={spec.by!r} multiplies;"
            " fill it in, or leave these items out"
        )
    found = _columns_of(data, head.name, own)
    if not any(np.ptp(x) > 0 for _, x in found):
        raise AliasError(f"the item covariate {head.name} is the same for all items; leave it out of by")
    return found


def missing_covariates(data: WithItems, spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Items without a value, by the item covariate of the model that lacks it."""
    found = {}
    for term in spec.item_terms:
        if term not in data.item_data:
            raise FormulaError(
                f"no item covariate {term!r}; the table has"
                f" {', '.join(data.item_data) or 'none (pass item_data)'}"
            )
        column = data.item_data[term]
        lacking = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
        if lacking.any():
            found[term] = tuple(data.items[k] for k in np.flatnonzero(lacking))
    return found
