"""The model of ours that a design is, term by term, and the proof that it is: a linear map between the
coefficients.

Each coefficient of R adds something to the log-odds of a contest and to the log-probability of a tie
(:class:`~.contests.Contests`).  From what it adds follows what it is: an item, an item times a covariate, the
order effect, a covariate of the contest, a tie parameter.  The model put together of these has a design of
its own; it is the same model if and only if both designs span the same space, and then R's coefficients b are
ours by

    theta = M b,      cov(theta) = M V M',      own design x M = R's design.

So a column that was taken for another thing costs a name, never a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import (
    SAME_SPACE,
    Found,
    by_items,
    of_whole_factors,
    read_columns,
    rest_of,
    signs_of,
    spans_items,
)
from .contests import Contests
from .covariates import Product, Variable, explained, product_of

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """A model of paired comparisons that a design is.

    contests: turned where the order effect asks for it.  items: the reference among them.  reference: ""
    where abilities come from item covariates.  ties: "": there is no row for a tie.  `by`: covariates of all
    items.  of_items: covariates of one item alone.  of_item_terms: covariates of one item covariate.
    comparison: covariates of the contest, in favour of the first.  names: our parameters.  map float[n_names,
    p]: M, from R's coefficients to ours.
    """

    contests: Contests
    items: tuple[str, ...]
    reference: str
    order_effect: bool
    ties: str
    by: tuple[Product, ...]
    of_items: tuple[tuple[str, Product], ...]
    of_ties: tuple[Product, ...]
    item_terms: Mapping[str, FloatArray]
    of_item_terms: tuple[tuple[str, Product], ...]
    comparison: Mapping[str, FloatArray]
    names: tuple[str, ...]
    map: FloatArray

    @property
    def variables(self) -> dict[str, Variable]:
        """Covariates that the table needs, by name."""
        products = [*self.by, *(p for _, p in (*self.of_items, *self.of_item_terms)), *self.of_ties]
        return {v.name: v for p in products for v in p.variables}


def model_of(
    contests: Contests,
    names: Sequence[str],
    items: Sequence[str],
    reference: str,
    unit: float,
    size: float,
    variables: Sequence[Variable],
    covariates: Mapping[str, FloatArray] | None = None,
    labels: Sequence[str] = (),
) -> Model | str:
    """The model of ours that R's coefficients are.

    contests: its columns are those of the coefficients.  unit: what one unit of our item parameters adds to
    the log-odds: 1 of log-odds, 2 of lambda.  size: what one unit of R's item coefficients adds to the
    log-odds.  variables: covariates of contests to look for, in the order of `contests`.  covariates: item
    covariates that the data say.  labels: R's names of the items, where `items` are others.  Returns Model,
    or str: why it is none of ours.
    """
    signs = signs_of(contests, len(items))
    has_items = spans_items(contests, signs)
    found = read_columns(
        contests, names, labels or items, signs, size, None if has_items else dict(covariates or {})
    )
    if not has_items and not found.terms:
        return "the abilities of items are no part of it"
    turned = contests
    if found.order:
        turned = contests.turned(contests.logit[:, list(names).index(found.order)] < 0)
        # What is in favour of the first has the other sign where the two were exchanged.
        turn = turned.first != contests.first
        found.comparison = {n: np.where(turn, -v, v) for n, v in found.comparison.items()}
    chosen = reference if has_items else ""
    whole = of_whole_factors(found, variables)
    if whole is not None:
        model = _put_together(turned, items, chosen, unit, variables, *whole)
        if isinstance(model, Model):
            return model
    return _put_together(turned, items, chosen, unit, variables, found)


def _put_together(
    contests: Contests,
    items: Sequence[str],
    reference: str,
    unit: float,
    variables: Sequence[Variable],
    found: Found,
    whole: Sequence[Variable] = (),
) -> Model | str:
    signs = signs_of(contests, len(items))
    common, single = by_items(found, items)
    by = [*(product_of([v]) for v in whole), *explained(common, variables)]
    of_items = [(items[k], p) for k, wanted in single.items() for p in explained(wanted, variables)]
    of_terms = [(term, p) for term, wanted in found.of_terms.items() for p in explained(wanted, variables)]
    of_ties = explained({rest_of(n.split(":"), ""): z for n, z in found.ties.items()}, variables)
    own: list[tuple[str, FloatArray, FloatArray]] = []
    none = np.zeros(len(contests))

    def add(name: str, logit: FloatArray, tie: FloatArray = none) -> None:
        own.append((name, logit, tie))

    free = [] if not reference else [k for k, item in enumerate(items) if item != reference]
    for k in free:
        add(items[k], unit * signs[:, k])
    for term, values in found.terms.items():
        add(term, unit * (signs @ values))
    for product in by:
        for label, z in zip(product.labels, product.values.T):
            for k in free:
                add(f"{items[k]}:{label}", unit * signs[:, k] * z)
    for item, product in of_items:
        for label, z in zip(product.labels, product.values.T):
            add(f"{item}:{label}", unit * signs[:, list(items).index(item)] * z)
    for term, product in of_terms:
        for label, z in zip(product.labels, product.values.T):
            add(f"{term}:{label}", unit * (signs @ found.terms[term]) * z)
    if found.order:
        add("order", np.ones(len(contests)))
    for name, values in found.comparison.items():
        add(name, values)
    with_tie = contests.ties is not None and (found.tie or bool(found.ties))
    if with_tie:
        add("tie", none, np.ones(len(contests)))
        for product in of_ties:
            for label, z in zip(product.labels, product.values.T):
                add(f"tie:{label}", none, z)
    names = tuple(name for name, _, _ in own)
    if len(set(names)) < len(names):
        return "two of its terms would have one name: " + next(n for n in names if names.count(n) > 1)
    found_map = _map(contests, own)
    if isinstance(found_map, str):
        return found_map
    return Model(
        contests,
        tuple(items),
        reference,
        bool(found.order),
        "" if contests.ties is None else "davidson" if with_tie else "none",
        tuple(by),
        tuple(of_items),
        tuple(of_ties) if with_tie else (),
        dict(found.terms),
        tuple(of_terms),
        dict(found.comparison),
        names,
        found_map,
    )


def _map(contests: Contests, own: Sequence[tuple[str, FloatArray, FloatArray]]) -> FloatArray | str:
    """M of own design x M = R's design; why there is none."""
    ours = np.column_stack([np.concatenate([logit, tie]) for _, logit, tie in own])
    theirs = np.concatenate([contests.logit, contests.tie])
    by, *_ = np.linalg.lstsq(ours, theirs, rcond=None)
    rank_ours = np.linalg.matrix_rank(ours)
    if rank_ours < ours.shape[1]:
        return "some of its terms determine others, so that its coefficients have no counterparts one by one"
    off = np.abs(ours @ by - theirs).max(axis=0, initial=0.0)
    size = np.maximum(np.abs(theirs).max(axis=0, initial=0.0), 1.0)
    if (off > SAME_SPACE * size).any():
        return "its columns are not those of a model of ours: they do not span the same space"
    if np.linalg.matrix_rank(by) < ours.shape[1]:
        return "it is a part of a model of ours, with terms of it left out"
    return np.asarray(by)
