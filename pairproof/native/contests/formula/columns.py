"""The columns of a model: products of the columns of its factors, for each item, or as first minus second item.

With s_1, ..., s_m the factors of a term, a column is  prod_t s_t(i) - prod_t s_t(j)  for the items i and j of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ....data.columns import FloatArray
from ....errors import TooLargeError
from .coding import Keys, codings
from .evaluate import Values
from .expressions import Name, names_in
from .lookup import LookedUp, Model
from .tokens import error

#: Columns that a formula makes at most, and their memory: 2 GB are 250 columns of a million rows.
MOST_COLUMNS, MOST_BYTES = 1000, 2_000_000_000
#: Of each factor of a column, its key and which of its columns or levels.
Chosen = tuple[tuple[str, int], ...]
#: The coding of a part of a term: whether a factor has all its levels.
Part = dict[str, bool]


def parts_of(model: Model) -> list[tuple[LookedUp, Part]]:
    """The parts of every term with their coding.

    What is the same for both items cancels in each comparison, as the constant does, so that its columns would not
    tell a part from the rest: the part of each term that is of columns of the table alone is put before the terms.
    So is the part that is of items alone, if each item has a free ability.
    """
    spanned: dict[frozenset[str], Keys] = {}
    for t in model.terms:
        for keys in _without_effect(model, t):
            spanned.setdefault(frozenset(keys), keys)
    real = {frozenset(t.keys): t.keys for t in model.terms}
    first = [keys for names, keys in spanned.items() if names not in real]
    ahead = [keys for names, keys in real.items() if names in spanned]
    rest = [keys for names, keys in real.items() if names not in spanned]
    coded = codings([*first, *ahead, *rest], {key: v.categorical for key, v in model.values.items()})
    parts = [(t, part) for t in model.terms for part in coded[t.keys]]
    _check_size(model, parts)
    return parts


def _without_effect(model: Model, term: LookedUp) -> Iterator[Keys]:
    """The factors of a term whose own interaction cancels, or is part of the free abilities."""
    for roles in ({"contest"}, {"covariate", "item"} if model.free else set()):
        keys = tuple(e.text for e in term.factors if {model.names.role(n) for n in names_in(e)} <= roles)
        if 0 < len(keys) < len(term.keys):
            yield keys


def is_plain(term: LookedUp) -> bool:
    """Whether a term is one covariate as it is, which needs no new column."""
    return len(term.factors) == 1 and isinstance(term.factors[0], Name)


def _check_size(model: Model, parts: list[tuple[LookedUp, Part]]) -> None:
    sizes: dict[str, int] = {}
    n_rows = 0
    for term, part in parts:
        of_items = term.roles == {"covariate"}
        if term.roles in ({"item"}, {"contest"}) or (of_items and is_plain(term)):
            continue
        n = 1
        for key, full in part.items():
            n *= len(model.values[key].names) - int(model.values[key].categorical and not full)
        sizes[term.text] = sizes.get(term.text, 0) + n
        n_rows += 0 if of_items else n
    total, memory = sum(sizes.values()), 8 * n_rows * model.table.n_rows
    if total > MOST_COLUMNS or memory > MOST_BYTES:
        largest = max(sizes, key=lambda k: sizes[k])
        raise TooLargeError(
            f"formula: {total:,} columns ({sizes[largest]:,} of them of {largest}), {memory / 1e9:.2g} GB for"
            f" {model.table.n_rows:,} rows; at most {MOST_COLUMNS:,} columns and {MOST_BYTES / 1e9:g} GB. Pool levels,"
            " take a numeric covariate or a random effect, or leave the term out"
        )


def _columns(model: Model, part: Part) -> Iterator[tuple[str, Chosen]]:
    """Names of the columns of a part, and what they are products of; the first factor varies fastest, as in R."""
    choices = []
    for key, full in part.items():
        values = model.values[key]
        start = 1 if values.categorical and not full else 0
        choices.append([(key, k) for k in range(start, len(values.names))])
    for backwards in product(*reversed(choices)):
        chosen = tuple(reversed(backwards))
        # A backquote would end the name where the table's column is named in a formula.
        yield ":".join(model.values[key].names[k].replace("`", "'") for key, k in chosen), chosen


def columns_of_items(model: Model, part: Part) -> Iterator[tuple[str, FloatArray]]:
    """The columns of a term of item covariates, float[n_items]; nan for items without a value of any."""
    for name, chosen in _columns(model, part):
        column = np.ones(len(model.table.items))
        for key, k in chosen:
            column = column * _one(model.values[key], k)
        yield name, np.where(model.lacking, np.nan, column)


def columns_of_rows(model: Model, term: LookedUp, part: Part) -> Iterator[tuple[str, FloatArray]]:
    """The columns of any other term: first minus second item, float[n_rows]; 0 in rows without a count."""
    zero = model.own if "covariate" in term.roles and model.own.any() else None
    used = model.names.used
    for name, chosen in _columns(model, part):
        column = _side(model, chosen, 0, zero) - _side(model, chosen, 1, zero)
        if not used.all():
            column = spread(column, used)
        yield name, column + 0.0  # no -0


def spread(column: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    """Values of the rows that count, in all rows; 0 in the others."""
    whole = np.zeros(len(used))
    whole[used] = column
    return whole


def _side(model: Model, chosen: Chosen, side: int, zero: NDArray[np.bool_] | None) -> FloatArray:
    """A column of the model matrix of the first (side 0) or second (1) items; 0 for the items `zero`."""
    used = model.names.used
    items = (model.table.first, model.table.second)[side]
    items = items if used.all() else items[used]
    out = np.ones(1)
    for key, k in chosen:
        column = _one(model.values[key], k)
        if model.values[key].points == "items":
            # Not 0 times nan, which is nan.
            column = (column if zero is None else np.where(zero, 0.0, column))[items]
        elif model.values[key].points == "sides":
            column = column[side * len(items) : (side + 1) * len(items)]
            column = column if zero is None else np.where(zero[items], 0.0, column)
        out = out * column
    return out if zero is None else np.where(zero[items], 0.0, out)


def _one(values: Values, k: int) -> FloatArray:
    """A column of numbers, or the indicator of a level."""
    if values.codes is None:
        return values.columns[k]
    indicator: FloatArray = (values.codes == k).astype(float)
    return indicator


def offset_of(model: Model) -> FloatArray | None:
    """The sum of the offsets of a formula, first minus second item, float[n_rows]; None if it has none."""
    if not model.offsets:
        return None
    items, total = model.names.items_of_sides(), np.zeros(int(model.names.used.sum()))
    for text, values in model.offsets.items():
        if values.categorical or len(values.columns) != 1:
            raise error(model.names.formula, f"offset({text}) is not one number for each item")
        if values.points == "rows":
            raise error(
                model.names.formula,
                f"offset({text}) is the same for both items of a row, so it cancels; an offset of the whole comparison,"
                " in favour of the item named first, is the option offset=",
            )
        column = values.columns[0][items] if values.points == "items" else values.columns[0]
        total += column[: len(total)] - column[len(total) :]
    return spread(total, model.names.used)
