"""Fit the pattern model of ratings, prefmod's pattL.

    log P(order | s) = sum over pairs y_jk (lambda_js - lambda_ks) + gamma (number of ties) + sum theta y_a
    y_b - log Z

over the weak orders that the scale can express (Hatzinger and Dittrich 2012, Journal of Statistical Software
48(10)).  The number of categories belongs to the scale, not to the answers: prefmod takes the
observed range, so that one more answer changes the model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ..comparisons.pairs import sharing
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood, Space
from ..maps import ItemTerm, Undecided, comparison_maps
from ..pooled import PatternFit, blocks, exact_counts, pool
from .blocks import BlockSpace
from .space import OrderSpace
from .weak_orders import MOST_ORDERS, dense_places, n_weak_orders

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def fit_ratings(
    ratings: IntArray,
    categories: int,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided = "one",
    dependence: bool = False,
    names: Sequence[str] | None = None,
) -> PatternFit:
    """Fit persons' ratings of J items.

    ratings int[n_persons, J]: small = preferred; 0 for no rating.  A person with fewer than two ratings
    compares nothing and is left out.  categories: of the scale, 2 or more.  terms: of the items' parameters
    lambda; log-odds are twice their differences.  group int[n_persons]: covariate group of each person.
    weights float[n_persons]: number of persons with the answer.  undecided: the parameter of equal ratings:
    0, one for all pairs, one for each pair.  dependence: whether comparisons that share an item depend on
    each other.
    """
    table = np.asarray(ratings)
    if table.ndim != 2 or not terms or table.shape[1] != len(terms[0].columns):
        raise InputError(f"ratings of shape {table.shape}; expected a column for each item of the terms")
    wrong = np.argwhere(~np.isin(table, np.arange(categories + 1)))
    if categories < 2 or len(wrong):
        person, item = wrong[0] if len(wrong) else (0, 0)
        raise InputError(
            f"person {person + 1}, item {item + 1}: the rating is {table[person, item]}; expected 1 to {categories}, or 0"
            " for none, on a scale of 2 categories or more"
        )
    places = dense_places(table.astype(np.int64), table > 0)
    w = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=float)
    silent = (places >= 0).sum(axis=1) < 2
    pooled = pool(places, group, np.where(silent, 0.0, w) if w.shape == silent.shape else w)
    n_items = table.shape[1]
    scale = min(categories, n_items)
    depends = sharing(n_items) if dependence else ()
    maps, usual = comparison_maps(terms, undecided, dependence)
    space: Space
    if dependence or n_weak_orders(n_items, scale) <= MOST_ORDERS:
        space = OrderSpace(pooled.answers, scale, depends)
    else:
        space = BlockSpace(pooled.answers, scale)
    there = pooled.answers >= 0
    likelihood = Likelihood(space, pooled.group, maps)
    called = usual if names is None else names
    estimate = maximum_likelihood(likelihood, pooled.weights, called, concave=bool(there.all()))
    block = blocks(np.column_stack([pooled.group, there]))
    possible = [0] * (int(block.max()) + 1)
    for number, rated in {(int(b), int(m)) for b, m in zip(block, there.sum(axis=1))}:
        possible[number] = n_weak_orders(rated, scale)
    return PatternFit(estimate, likelihood, pooled, block, exact_counts(possible))
