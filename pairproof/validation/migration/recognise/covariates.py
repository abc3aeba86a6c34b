"""Which columns of a model frame the covariates of a design are: numbers, indicators of levels, products of
two of them.

A design has `o1:ENG2`, the items' column times an indicator; a Python call has `by="ENG"`, the factor itself.
The values decide: z = column of the design / column of the item, and a variable fits if all of its columns
are among the z.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Variables of which products are tried at most.
MOST_VARIABLES = 12
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Variable:
    """A covariate of contests: a number, or a factor with its levels.

    values: [n]: str of a factor, float of a number.  levels: () for a number; the first is the base of
    treatment contrasts.
    """

    name: str
    values: tuple[object, ...]
    levels: tuple[str, ...] = ()

    def columns(self) -> list[tuple[str, FloatArray]]:
        """Label and values of each column that the model has of it: `ENG[2]`, or the number itself."""
        if not self.levels:
            return [(self.name, np.array(self.values, dtype=float))]
        own = np.array(self.values, dtype=object)
        return [(f"{self.name}[{level}]", (own == level).astype(float)) for level in self.levels[1:]]


@dataclass(frozen=True, eq=False)
class Product:
    """A covariate, or the product of two, that a model's terms are multiplied with.

    labels: of its columns, as the fit names them: "ENG[2]", "ENG[2]:age".  values float[n, n_columns].
    """

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    values: FloatArray


def product_of(variables: Sequence[Variable]) -> Product:
    """The product of variables, a column for every combination of theirs."""
    n = len(variables[0].values)
    columns: list[tuple[tuple[str, ...], FloatArray]] = [((), np.ones(n))]
    for variable in variables:
        columns = [((*said, label), z * own) for said, z in columns for label, own in variable.columns()]
    return Product(
        tuple(variables),
        tuple(":".join(said) for said, _ in columns),
        np.column_stack([z for _, z in columns]),
    )


def explained(wanted: Mapping[str, FloatArray], variables: Sequence[Variable]) -> list[Product]:
    """Products whose columns are the wanted ones; what no variable explains is a number of its own.

    wanted: covariates found in a design, nan in rows that do not tell; the name is used where nothing
    explains it.
    """
    left = dict(wanted)
    found: list[Product] = []
    for product in _products(variables):
        if not left:
            break
        taken = [_first_equal(left, column) for column in product.values.T]
        if len(taken) and None not in taken and len(set(taken)) == len(taken):
            found.append(product)
            left = {name: z for name, z in left.items() if name not in taken and not _is_base(product, z)}
    for name, z in left.items():
        found.append(product_of([Variable(name, tuple(np.nan_to_num(z).tolist()))]))
    return found


def _products(variables: Sequence[Variable]) -> Iterator[Product]:
    few = list(variables)[:MOST_VARIABLES]
    for variable in few:
        if len(variable.levels) != 1:
            yield product_of([variable])
    for two in combinations(few, 2):
        if all(len(v.levels) != 1 for v in two):
            yield product_of(two)


def _first_equal(wanted: Mapping[str, FloatArray], column: FloatArray) -> str | None:
    for name, z in wanted.items():
        told = ~np.isnan(z)
        if told.any() and np.abs(z[told] - column[told]).max() < SAME:
            return name
    return None


def _is_base(product: Product, z: FloatArray) -> bool:
    """Whether z is the indicator of the factor's first level, which the others and the term itself
    determine.
    """
    if len(product.variables) != 1 or not product.variables[0].levels:
        return False
    rest = 1.0 - product.values.sum(axis=1)
    told = ~np.isnan(z)
    return bool(np.abs(z[told] - rest[told]).max() < SAME)


@dataclass(frozen=True, eq=False)
class Players:
    """The two columns of a frame that say who met whom.

    labels: of the block's items, the hidden one last.
    """

    columns: tuple[str, str]
    labels: tuple[str, ...]


def players(
    first: NDArray[np.int64], second: NDArray[np.int64], n_items: int, texts: Mapping[str, Sequence[object]]
) -> Players | None:
    """The pair of columns of text that reproduce first and second, one to one; None if there is none.

    `first`, second int[n]: positions of items.  texts: factors and text of the data.
    """
    for one, other in permutations(list(texts)[:MOST_VARIABLES], 2):
        labels: dict[int, object] = {}
        fits = True
        for k, i, j in zip(range(len(first)), first.tolist(), second.tolist()):
            if labels.setdefault(i, texts[one][k]) != texts[one][k] or (
                labels.setdefault(j, texts[other][k]) != texts[other][k]
            ):
                fits = False
                break
        if fits and len(labels) == n_items and len(set(labels.values())) == n_items:
            return Players((one, other), tuple(str(labels[k]) for k in range(n_items)))
    return None
