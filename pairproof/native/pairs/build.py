"""Step 1 of a fit: build the arrays of the model from a table and a specification.

The likelihood is conditional on each comparison (product multinomial), so that the nuisance constants of the
log-linear form, one a pair and covariate cell, never appear: the estimates are the same (Dittrich, Hatzinger
and Katzenbeisser 1998) and a million of them cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.respondents.respondents import Respondents
from ...data.tracks import check_one_track
from ...data.where import hint
from ...errors import FormulaError, InputError, ItemError
from ...fit.outcomes import OutcomeModel
from ...fit.spec import ModelSpec
from . import design
from .cells import Cells, count_cells, count_cells_by_value
from .comparison_terms import Directed, directed
from .formula import names_of, parse
from .grammar import Product
from .item_terms import ItemColumn, item_columns, separate_items
from .problem import Further, Problem
from .selected import Selected, selected

FloatArray = NDArray[np.float64]
By = design.By


@dataclass(frozen=True, eq=False)
class Model:
    """The arrays of a model, with the covariates that their columns stand for.

    data: the table as it was given.  table: the table as it enters the likelihood: ties dropped or halved, if
    the specification says so.  patterns: of the covariates in the model.  item_by, order_by, tie_by: which
    covariates each column of `problem.z`, `problem.order` and `problem.tie` stands for.  item_columns: which
    item covariates the columns of `problem.x` are.  `own`: what the selective terms are, in the order of
    `problem.further.x`.  directed: the comparison terms.  order float[n_rows] or None: 1 where the one named
    first has its advantage, 0 on neutral ground; None: no order effect.  tie_fixed: why the tie parameter is
    not in the problem: no tie was observed, so that it is minus infinity (Davidson) or at its boundary 0 (Rao
    and Kupper).
    """

    data: Comparisons
    table: Comparisons
    spec: ModelSpec
    problem: Problem
    patterns: design.Patterns
    item_by: tuple[By, ...]
    order_by: tuple[By, ...]
    tie_by: tuple[By, ...]
    item_columns: tuple[ItemColumn, ...]
    own: tuple[tuple[ItemColumn, By], ...]
    directed: Directed | None
    order: FloatArray | None
    tie_fixed: Literal["", "none observed", "boundary"]

    @property
    def outcome_model(self) -> OutcomeModel:
        """The outcome model, with ties even if the tie parameter is not in the problem."""
        return outcome_model(self.spec, self.table)

    @property
    def tie_is_infinite(self) -> bool:
        return self.tie_fixed == "none observed"


def build(data: Comparisons, spec: ModelSpec) -> Model:
    """Build the arrays of the model."""
    table = entering(data, spec)
    formula = parse(spec.by, names_of(data, spec, separate_items(data, spec) if spec.by else ()))
    has_tie = spec.ties in ("davidson", "rao-kupper")
    if formula.order and not spec.order_effect:
        raise FormulaError(
            f"by={spec.by!r} lets the order effect vary, but order_effect is not asked for; a term of the comparison"
            " without it is one of comparison_terms"
        )
    if formula.tie and not has_tie:
        raise FormulaError(f"by={spec.by!r} lets the tie parameter vary, but ties={spec.ties!r} has none")
    patterns = design.find_patterns(formula, table)
    order = order_column(data) if spec.order_effect else None
    rows = directed(table, spec)
    if rows is None:
        cells = count_cells(table, patterns.of_row, patterns.n, order)
    else:
        cells = count_cells_by_value(table, patterns.of_row, patterns.n, order, rows.of_row, rows.n)
    item_by, z = design.matrix(formula.item, patterns, "the items")
    order_by, order_terms = _terms(spec.order_effect, formula.order, patterns, "the order effect")
    tie_by, tie_terms = _terms(has_tie, formula.tie, patterns, "the tie parameter")
    outcome, tie_fixed = outcome_model(spec, table), _why_fixed(data, spec, cells, len(tie_by))
    if tie_fixed:
        outcome, (tie_by, tie_terms) = "binary", _terms(False, (), patterns, "")
    x, columns = item_columns(data, spec)
    if spec.order_effect and not (cells.sign != 0).any():
        raise InputError(
            "order_effect: every row has order 0 (neutral ground), so there is no order effect to estimate"
        )
    own = selected(data, spec, formula, patterns, (x, z)) if formula.own else None
    problem = Problem(
        cells,
        len(data.items),
        z,
        order_terms,
        tie_terms,
        x,
        reference_place(data, spec),
        outcome,
        _further(own, rows, patterns.n, len(data.items)),
    )
    return Model(
        data,
        table,
        spec,
        problem,
        patterns,
        item_by,
        order_by,
        tie_by,
        columns,
        () if own is None else own.of,
        rows,
        order,
        tie_fixed,
    )


def _further(own: Selected | None, rows: Directed | None, n_patterns: int, n_items: int) -> Further | None:
    """Selective terms and comparison terms as arrays, None if the model has neither."""
    if own is None and rows is None:
        return None
    x, z = (np.zeros((0, n_items)), np.zeros((n_patterns, 0))) if own is None else (own.x, own.z)
    return Further(x, z, np.zeros((1, 0)) if rows is None else rows.values)


def _terms(
    wanted: bool, products: tuple[Product, ...], patterns: design.Patterns, what: str
) -> tuple[tuple[By, ...], FloatArray]:
    """Columns of the tie or order parameter, none if the model does not have it."""
    return design.matrix(products, patterns, what) if wanted else ((), np.zeros((patterns.n, 0)))


def outcome_model(spec: ModelSpec, table: Comparisons) -> OutcomeModel:
    """The outcome model that a specification asks for."""
    if not table.tie_category:
        return "binary"
    return "rao-kupper" if spec.ties == "rao-kupper" else "davidson"


def entering(data: Comparisons, spec: ModelSpec) -> Comparisons:
    """The table as it enters the likelihood; InputError if it has no tie category to model, or is empty."""
    if spec.ties in ("davidson", "rao-kupper") and not data.tie_category:
        raise InputError(
            f"ties={spec.ties!r}, but {data.source} has no tie category: nobody could answer 'no preference';"
            " use ties='none', or say that there was a tie category when reading the table"
        )
    table = data.with_ties_treated(spec.ties)
    if not (table.wins.any() or table.losses.any() or table.ties.any()):
        raise InputError(
            f"{data.source}: no comparisons are left once ties are dropped ({data.ties.sum():g} ties); use"
            " ties='davidson'"
        )
    return table


def _why_fixed(
    data: Comparisons, spec: ModelSpec, cells: Cells, n_tie_terms: int
) -> Literal["", "none observed", "boundary"]:
    """Why the tie parameter cannot be estimated, "" if it can."""
    if not n_tie_terms or cells.counts[:, 1].any():
        return ""
    if n_tie_terms > 1:
        raise InputError(
            f"by={spec.by!r} lets the tie parameter vary, but there are no ties at all in {data.source};"
            " leave tie:... out"
        )
    return "none observed" if spec.ties == "davidson" else "boundary"


def check_table(table: object, *formulas: str) -> None:
    """InputError, with what to do, unless it is a table of comparisons of one track."""
    if isinstance(table, Respondents):
        raise InputError(
            f"{table.source}: the table holds whole answers (Respondents), and a model of pairs takes comparisons:"
            " table.to_comparisons(judge=True), whose fit.clustered('judge') keeps what belongs to one person; or a model"
            " of whole answers, pairproof.fit_pattern(table)"
        )
    if not isinstance(table, Comparisons):
        raise InputError(
            f"table is a {type(table).__name__}; a model of pairs takes Comparisons, which pairproof.read(source) reads from"
            " a file, a DataFrame or a dict of columns"
        )
    check_one_track(table, *formulas)


def reference_place(data: Comparisons, spec: ModelSpec) -> int:
    """Position of the item whose ability the solver holds at 0."""
    if spec.item_terms or spec.reference == "sum":
        return len(data.items) - 1
    if spec.reference not in data.items:
        raise ItemError(
            f"reference {spec.reference!r} is not an item; the items are {', '.join(data.items)}, or 'sum'"
            + hint(data.narrowed, spec.reference)
        )
    return data.items.index(spec.reference)


def order_column(data: Comparisons) -> FloatArray:
    """1 where the item named first has its advantage, 0 on neutral ground, float[n_rows]."""
    column = data.columns.get("order")
    if column is None:
        return np.ones(data.n_rows)
    values = (
        np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column
    )
    bad = ~np.isin(values, (0.0, 1.0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{data.source}, row {row + 1}: order is {values[row]}; expected 1 (the one named first has its "
            "advantage) or 0 (neutral ground)"
        )
    return values
