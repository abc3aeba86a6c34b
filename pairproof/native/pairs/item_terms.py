"""Abilities from item covariates: a_i = x_i'theta, or a parameter of its own for an item that is *separate*.

As in BradleyTerry2 (Turner and Firth 2012, Journal of Statistical Software 48(9), section 3.2) the parameter
of a separate item replaces its whole covariate part: its row of x is 0 but for a column of its own.  Items
named in `separate` are separate, and so is every item without a value of a covariate in the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor
from ...errors import AliasError, FormulaError, InputError, ItemError
from ...fit.spec import ModelSpec
from . import design

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

    Raises
    ------
    InputError or one of its kinds
        No such covariate or item, or columns that cannot be told from each other.
    """
    if not spec.item_terms:
        if spec.separate:
            raise InputError(f"separate={list(spec.separate)} makes sense only beside item_terms")
        return None, ()
    for item in spec.separate:
        if item not in data.items:
            raise ItemError(f"separate item {item!r} is not an item; the items are {', '.join(data.items)}")
    separate = {
        *spec.separate,
        *(item for items in missing_covariates(data, spec).values() for item in items),
    }
    own = np.array([item in separate for item in data.items])
    columns: list[FloatArray] = []
    names: list[ItemColumn] = []
    for term in spec.item_terms:
        column = data.item_data[term]
        if isinstance(column, Factor):
            for k in np.unique(column.codes[~own])[1:]:  # levels of the separate items alone say nothing
                columns.append((column.codes == k) & ~own)
                names.append((f"{term}[{column.levels[k]}]", term, column.levels[k]))
        else:
            columns.append(np.where(own, 0.0, column))
            names.append((term, term, None))
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
            f"the item covariate {names[k - 1][0]} cannot be told from {partners}{rest}; leave one of"
            " them out"
        )
    return x, tuple(names)


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
