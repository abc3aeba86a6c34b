"""Terms of the comparison itself: a difference in length, the position on the screen, anything that belongs to a row.

A term adds beta x to the log-odds in favour of the item named *first*, as the order effect does, which is the term
with x = 1.  A numeric column is therefore signed: it belongs to the item named first (how much longer it is than the
other), and a row whose items are exchanged has to have it with the other sign.  A factor says what kind of row it is:
its levels have an effect each, in favour of the item named first.

Factors are coded as in R's model formulas without an intercept: by treatment contrasts where the term without the
factor is in the model (the order effect is the constant), else by one column a level.

Rows are pooled into cells by what their terms are worth to the item that comes first in the item order: a row (A, B)
with x = 3 and a row (B, A) with x = -3 are of one cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import AliasError, FormulaError, InputError
from ...fit.spec import ModelSpec, of_comparison
from ...fit.warning import FitWarning
from .design import By, aliased, coded
from .grammar import Product, Variable, products_of, short

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Columns of comparison terms at most; a factor of more levels is no term of a model.
MOST_COLUMNS = 1000


@dataclass(frozen=True, eq=False)
class Directed:
    """The comparison terms of a model, and the values that rows have.

    `of`: what each term is: columns, with the level of a factor.  of_row int[n_rows]: values of each row, a
    row of `values`.  values float[n, c]: in favour of the item that comes first in the item order.
    """

    of: tuple[By, ...]
    of_row: IntArray
    values: FloatArray
    warnings: tuple[FitWarning, ...] = ()

    @property
    def n(self) -> int:
        return len(self.values)

    def label(self, k: int) -> str:
        """Values of the terms that are not 0: `length=2.5`."""
        return ",".join(f"{of_comparison(of)}={v:g}" for of, v in zip(self.of, self.values[k]) if v)


def directed(table: Comparisons, spec: ModelSpec) -> Directed | None:
    """The comparison terms of a model; None if it has none."""
    if not spec.comparison_terms:
        return None
    products = _products(spec)
    used = table.wins + table.ties + table.losses > 0
    variables: dict[Variable, list[tuple[By, FloatArray]]] = {}
    warnings: list[FitWarning] = []
    for v in dict.fromkeys(v for p in products for v in p):
        codes, variable, warning = coded(v.name, table, v.categorical or v.name == "judge", used)
        warnings += warning
        if variable.codes is None:
            variables[v] = [(((v.name, None),), variable.values[codes])]
        else:
            variables[v] = [
                (((v.name, level),), (codes == k).astype(float)) for k, level in enumerate(variable.levels)
            ]
    side = np.where(table.first < table.second, 1.0, -1.0)
    of: list[By] = []
    columns: list[FloatArray] = []
    for p in products:
        for by, column in _columns(p, variables, products, spec.order_effect):
            of.append(by)
            columns.append(np.where(used, side * column, 0.0))
            if len(of) > MOST_COLUMNS:
                raise InputError(
                    f"comparison_terms={list(spec.comparison_terms)}: more than {MOST_COLUMNS:,} columns; pool levels"
                )
    values = np.stack(columns, axis=1) + 0.0  # no -0
    distinct, of_row = _distinct_rows(values)
    _check_columns(spec, of, distinct)
    return Directed(tuple(of), of_row, distinct, tuple(warnings))


def _products(spec: ModelSpec) -> list[Product]:
    """The products of all terms; a formula may be one string or several."""
    found: dict[Product, None] = {}
    for text in spec.comparison_terms:
        if not isinstance(text, str) or not text.strip():
            raise FormulaError(
                f"comparison_terms={list(spec.comparison_terms)!r}: {text!r} is no term; expected columns of the"
                " table such as 'length_difference', C(position) or 'length*judge'"
            )
        for product in products_of(text, "comparison_terms"):
            for v in product:
                if v.role in ("item", "item_term"):
                    raise FormulaError(
                        f"comparison_terms={short(text)!r}: {v.name} is named as an item; a term of the comparison is"
                        " of the table's columns"
                    )
            found[tuple(Variable(v.name, v.categorical, slope=v.slope) for v in product)] = None
    return list(found)


def _columns(
    product: Product,
    variables: dict[Variable, list[tuple[By, FloatArray]]],
    products: list[Product],
    constant: bool,
) -> list[tuple[By, FloatArray]]:
    """The columns of a product; a factor has all its levels unless the model has the product without it."""
    sets = {frozenset(p) for p in products} | ({frozenset[Variable]()} if constant else set())
    out: list[tuple[By, FloatArray]] = []
    for k, v in enumerate(product):
        here = variables[v]
        factor = here[0][0][0][1] is not None
        if factor and frozenset(product) - {v} in sets:
            here = here[1:]
        out = [(b1 + b2, x1 * x2) for b1, x1 in out for b2, x2 in here] if k else list(here)
    return out


def _distinct_rows(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Distinct rows and the place of each; one column at a time, which is faster than np.unique by rows."""
    key = np.zeros(len(values), np.int64)
    for column in values.T:
        distinct, code = np.unique(column, return_inverse=True)
        _, key = np.unique(key * len(distinct) + np.ravel(code), return_inverse=True)
        key = np.ravel(key)
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    return values[first], np.ravel(of_row)


def _check_columns(spec: ModelSpec, of: list[By], values: FloatArray) -> None:
    empty = np.flatnonzero(~values.any(axis=0))
    if len(empty):
        raise AliasError(
            f"the comparison term {of_comparison(of[int(empty[0])])} is 0 in every row, so that it has no effect to"
            " estimate; leave it out"
        )
    bad = aliased(values)
    if bad is not None:
        k, others = bad
        raise AliasError(
            f"the comparison term {of_comparison(of[k])} cannot be told from"
            f" {', '.join(of_comparison(of[o]) for o in others)}: in these data one is determined by the other; leave"
            " one of them out"
        )
