"""Step 3 of a fit: name the solver's parameters and put them on the fit's scale and reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...errors import FormulaError
from ...fit.covariance import MappedCovariance, Rescaling
from ...fit.family import LOG_WORTH_PER_UNIT
from ...fit.record import not_zero
from ...fit.rescale import Referred, against, constraint_of
from ...fit.spec import Term, Value, by_suffix, of_comparison
from . import design
from .build import By, Model
from .cells import sums
from .item_terms import ItemColumn
from .problem import Problem
from .solve import Solved


@dataclass(frozen=True, eq=False)
class Named:
    """The named parameters of a fit.

    numbers: estimates, references, covariance and directions without an estimate, in the order of `terms`.
    constraint: in words.  n_infinite: dimensions along which the likelihood grows without end.  groups:
    covariate cells for which worths are given.
    """

    terms: tuple[Term, ...]
    numbers: Referred
    constraint: str
    n_infinite: int
    groups: Mapping[str, Mapping[str, Value]]

    @property
    def not_estimable(self) -> tuple[str, ...]:
        """Names of the parameters without an estimate."""
        null = self.numbers.null_space
        if not null.shape[1]:
            return ()
        return tuple(t.name for t, lost in zip(self.terms, not_zero(null)) if lost)


def name(model: Model, found: Solved) -> Named:
    """Name the solver's parameters."""
    items, spec = (() if model.spec.item_terms else model.table.items), model.spec
    rows = () if model.directed is None else model.directed.of
    terms, n_items = _terms(
        items, model.item_columns, model.item_by, model.own, model.order_by, rows, model.tie_by
    )
    numbers = _on_scale(model, found, n_items)
    if model.tie_fixed:
        terms = (*terms, Term("tie", "tie"))
    if spec.reference == "sum" and items:
        numbers = against("sum", terms, items, numbers, model.table)
    cells = model.problem.cells
    return Named(
        terms,
        numbers,
        constraint_of(spec, terms, numbers.null_space, model.table),
        _n_infinite(model.problem, found) + int(model.tie_is_infinite),
        design.group_labels(model.patterns, lambda: sums(cells.pattern, cells.totals, model.patterns.n)),
    )


def _on_scale(model: Model, found: Solved, n_items: int) -> Referred:
    """The solver's log-odds on the fit's scale, with the tie parameter if the problem did not have it."""
    n, added = len(found.params), int(bool(model.tie_fixed))
    units = np.ones(n)
    units[:n_items] = 1.0 / LOG_WORTH_PER_UNIT[model.spec.scale]
    scaled = Rescaling(units, added)
    reference = np.zeros(n + added, bool)
    if model.problem.x is None:
        reference[model.problem.reference : model.problem.n_item_params : model.problem.n_items] = True
    null_space = scaled.forward(found.null_space)
    if model.tie_is_infinite:
        along = np.zeros((n + 1, 1))
        along[-1] = 1.0
        null_space = np.concatenate([null_space, along], axis=1)
    elif model.tie_fixed:
        reference[-1] = True
    return Referred(
        scaled.forward(found.params), reference, null_space, MappedCovariance(found.covariance, scaled)
    )


def _n_infinite(problem: Problem, found: Solved) -> int:
    """Number of infinite directions: the rank of the model on these data less the estimable dimensions."""
    references = problem.n_terms if problem.x is None else 0
    return found.rank - (problem.n_params - references - found.null_space.shape[1])


@lru_cache(maxsize=64)  # the names are the same for every fit of a bootstrap
def _terms(
    items: tuple[str, ...],
    columns: tuple[ItemColumn, ...],
    item_by: tuple[By, ...],
    own: tuple[tuple[ItemColumn, By], ...],
    order_by: tuple[By, ...],
    rows: tuple[By, ...],
    tie_by: tuple[By, ...],
) -> tuple[tuple[Term, ...], int]:
    """All terms, and the number of terms of items or item covariates."""
    terms: list[Term] = []
    for by in item_by:
        suffix = by_suffix(by)
        terms += [Term(item + suffix, "item", item=item, by=by) for item in items]
        terms += [of_column(column, by) for column in columns]
    terms += [of_column(column, by) for column, by in own]
    n_items = len(terms)
    terms += [Term("order" + by_suffix(by), "order", by=by) for by in order_by]
    terms += [Term(of_comparison(of), "comparison", of=of) for of in rows]
    terms += [Term("tie" + by_suffix(by), "tie", by=by) for by in tie_by]
    if own or rows:
        check_names(terms)
    return tuple(terms), n_items


def of_column(column: ItemColumn, by: By) -> Term:
    """The term of an item covariate, or of one item: a separate one, or that of a selective term."""
    name, covariate, level = column
    one = covariate is None
    return Term(
        name + by_suffix(by),
        "covariate",
        item=level if one else None,
        covariate=covariate,
        covariate_level=None if one else level,
        by=by,
    )


def check_names(terms: list[Term]) -> None:
    """FormulaError if two parameters have one name: an item covariate named as an item, or a column as either."""
    seen: set[str] = set()
    for term in terms:
        if term.name in seen:
            raise FormulaError(
                f"two parameters would be named {term.name!r}: an item, an item covariate or a column of the table have"
                " the same name; rename one of them"
            )
        seen.add(term.name)
