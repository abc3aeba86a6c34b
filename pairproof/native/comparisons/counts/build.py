"""Step 1 of a fit: the arrays of the model from a table and a specification; terms beside free abilities.

The likelihood is conditional on each comparison (product multinomial), so that the nuisance constants of the
log-linear form, one a pair and covariate cell, never appear: the estimates are the same (Dittrich, Hatzinger
and Katzenbeisser 1998) and a million of them cost nothing.

Item covariates: a_i = x_i'theta, or a parameter of its own for an item that is *separate*, which replaces its
whole covariate part (Turner and Firth 2012, Journal of Statistical Software 48(9), section 3.2): its row of x
is 0 but for a column of its own.  Items named in `separate` are separate, and so is every item without a
value of a covariate in the model.

Selective terms, a_js = sum_t z_st b_tj + sum_m x_mj z_sm eta_m: x_m is 1 for one item and 0 for the others
(`Paris:WOR`), or an item covariate (`LAT:ENG`).  No reference enters: eta is by how much Paris differs more
from the items that are not named, in a group, than it does in the group of reference; Paris may be the
reference item itself.

A term of the comparison adds beta x to the log-odds in favour of the item named *first*, as the order effect
does (x = 1).  A numeric column is therefore signed, and a row whose items are exchanged has it with the other
sign.  A factor says what kind of row it is: its levels have an effect each, coded as in R's formulas without
an intercept, by treatment contrasts where the term without the factor is in the model (the order effect is
the constant), else by one column a level.  Rows are pooled by what their terms are worth to the item that
comes first in the item order: (A, B) with x = 3 and (B, A) with x = -3 are of one cell.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....data.columns import Factor, is_missing
from ....data.comparisons import Comparisons
from ....data.judgments import check_one_track
from ....data.respondents.respondents import Respondents
from ....data.where import Rows, hint
from ....errors import AliasError, FormulaError, InputError, ItemError, TooLargeError
from ....fit.estimates.fit_record import FitWarning
from ....fit.estimates.likelihood import OutcomeModel
from ....fit.estimates.specification import ModelSpec, by_suffix, of_comparison
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ..formula import subject_design as design
from ..formula.subject_design import By, Patterns, aliased, all_columns, coded, multiplied
from ..formula.subject_formula import Formula, Head, Product, Variable, names_of, parse, products_of, short
from .cells import Cells, Further, Problem, count_cells

#: A column of item covariates: its name, the covariate and its level; None and the item for a separate item.
ItemColumn = tuple[str, "str | None", "str | None"]


def item_columns(data: Rows, spec: ModelSpec) -> tuple[FloatArray | None, tuple[ItemColumn, ...]]:
    """Item covariates as columns, float[n_items, k], with name, covariate and level (or separate item) of
    each."""
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
    bad = aliased(np.column_stack([np.ones(len(x)), x]))
    if bad is not None:
        k, others = bad
        partners = (
            ", ".join(names[o - 1][0] for o in others if o) or "a constant (it is the same for all items)"
        )
        rest = f" ({int((~own).sum())} of {len(own)} items have no ability of their own)" if own.any() else ""
        raise AliasError(
            f"the item covariate {names[k - 1][0]} cannot be distinguished from {partners}{rest}; leave"
            f" {'one of them' if any(others) else 'it'} out"
        )
    return x, tuple(names)


def _among(data: Rows, names: Collection[str]) -> BoolArray:
    """bool[n_items]: the items with these names."""
    return np.array([item in names for item in data.items])


def _columns_of(data: Rows, term: str, own: BoolArray) -> list[tuple[ItemColumn, FloatArray]]:
    """The columns of one item covariate, 0 at the items `own`, bool[n_items], with their names."""
    column = data.item_data[term]
    if not isinstance(column, Factor):
        return [((term, term, None), np.where(own, 0.0, column))]
    return [
        ((f"{term}[{column.levels[k]}]", term, column.levels[k]), ((column.codes == k) & ~own).astype(float))
        for k in np.unique(column.codes[~own])[1:]  # levels of the separate items alone say nothing
    ]


def separate_items(data: Rows, spec: ModelSpec) -> tuple[str, ...]:
    """The items with an ability of their own beside `item_terms`, in the order of the table."""
    lacking = (item for items in missing_covariates(data, spec).values() for item in items)
    separate = {*spec.separate, *lacking} if spec.item_terms else set()
    return tuple(item for item in data.items if item in separate)


def selected_columns(data: Rows, spec: ModelSpec, head: Head) -> list[tuple[ItemColumn, FloatArray]]:
    """What a selective term multiplies of the items, float[n_items] each, with its name."""
    if head.kind == "item":
        return [((head.name, None, head.name), _among(data, [head.name]).astype(float))]
    own = _among(data, separate_items(data, spec))
    column = data.item_data[head.name]
    lacking = is_missing(column) & ~own
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


def missing_covariates(data: Rows, spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Items without a value, by the item covariate of the model that lacks it."""
    found = {}
    for term in spec.item_terms:
        if term not in data.item_data:
            raise FormulaError(
                f"no item covariate {term!r}; the table has"
                f" {', '.join(data.item_data) or 'none (pass item_data)'}"
            )
        lacking = is_missing(data.item_data[term])
        if lacking.any():
            found[term] = tuple(data.items[k] for k in np.flatnonzero(lacking))
    return found


#: What is left of a term that the terms of all items determine, as a share of its length: exact dependence
#: leaves about 1e-15 (as in :func:`pairproof.native.comparisons.formula.subject_design.aliased`).
NOTHING = 1e-9
#: An eigenvalue of the correlations of what is left of the terms below this is a zero: exact dependence
#: leaves about 1e-15.
NO_LENGTH = 1e-12


@dataclass(frozen=True, eq=False)
class Selected:
    """The selective terms of a model.  x float[m, n_items].  z float[n_patterns, m]."""

    of: tuple[tuple[ItemColumn, By], ...]
    x: FloatArray
    z: FloatArray


def selected(
    data: Rows,
    spec: ModelSpec,
    formula: Formula,
    patterns: Patterns,
    of_all: tuple[FloatArray | None, FloatArray],
) -> Selected:
    """The selective terms of a formula.
    of_all (float[n_items, k] or None, float[n_patterns, t]): the item covariates of the model (None: free
    items) and what all of them are multiplied with."""
    of: list[tuple[ItemColumn, By]] = []
    x: list[FloatArray] = []
    z: list[FloatArray] = []
    for head, product in formula.own:
        for name, values in selected_columns(data, spec, head):
            for by, column in design.columns(product, patterns):
                of.append((name, by))
                x.append(values)
                z.append(column)
        if len(of) > design.MOST_COLUMNS:
            raise TooLargeError(
                f"by={spec.by!r}: more than {design.MOST_COLUMNS:,} selective terms; pool levels, or take a numeric covariate"
            )
    if not of:
        return Selected((), np.zeros((0, len(data.items))), np.zeros((patterns.n, 0)))
    found = Selected(tuple(of), np.stack(x).astype(float), np.stack(z, axis=1))
    _check(spec, found, *of_all)
    return found


def _check(spec: ModelSpec, found: Selected, x_all: FloatArray | None, z_all: FloatArray) -> None:
    """AliasError if terms are determined by the others and by those of all items.
    A term is the product of its column over the items (of which only the deviations from their mean count)
    and its column over the patterns, so that the inner product of two is that over the items times that over
    the patterns.  With x = x_1 + x_2 and z = z_1 + z_2, x_1 and z_1 among the columns of the terms of all
    items, these leave of a term x_2 times z and x_1 times z_2, which are orthogonal to each other."""
    x = found.x - found.x.mean(axis=1, keepdims=True)
    z = found.z
    x_in, x_out = x, 0.0 * x
    if x_all is not None:
        x_in, x_out = (part.T for part in _apart(x.T, x_all - x_all.mean(axis=0)))
    _, z_out = _apart(z, z_all)
    left = (x_out @ x_out.T) * (z.T @ z) + (x_in @ x_in.T) * (z_out.T @ z_out)
    length = np.sqrt(np.diag(left))
    nothing = length <= NOTHING * np.sqrt((x**2).sum(axis=1) * (z**2).sum(axis=0))
    if nothing.any():
        involved = np.flatnonzero(nothing)[:1]
    else:
        values, vectors = np.linalg.eigh(left / np.outer(length, length))
        bad = vectors[:, values <= NO_LENGTH]
        if not bad.shape[1]:
            return
        involved = np.flatnonzero(np.abs(bad).max(axis=1) > 1e-4)
    names = [f"{found.of[k][0][0]}{by_suffix(found.of[k][1])}" for k in involved[:6]]
    more = f" and {len(involved) - 6} more" if len(involved) > 6 else ""
    if len(names) == 1:
        raise AliasError(
            f"by={spec.by!r}: {names[0]} cannot be distinguished from the other terms: in these data they"
            " determine it; leave"
            " it out"
        )
    raise AliasError(
        f"by={spec.by!r}: {', '.join(names)}{more} cannot be distinguished from one another: only differences between items"
        " count, and in these data one is determined by the others; leave one of them out"
    )


def _apart(columns: FloatArray, among: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The parts of the columns, float[n, m], inside and outside the span of others, float[n, k]."""
    q, r = np.linalg.qr(among / np.maximum(np.linalg.norm(among, axis=0), 1e-300))
    q = q[:, np.abs(np.diag(r)) > NOTHING]
    inside = q @ (q.T @ columns)
    outside = columns - inside
    return inside, outside - q @ (q.T @ outside)  # a second time, so that it is orthogonal to all digits


#: Columns of comparison terms at most; a factor of more levels is not a term of a model.
MOST_COLUMNS = 1000


@dataclass(frozen=True, eq=False)
class Directed:
    """The comparison terms of a model, and the values that rows have.
    `of`: what each term is: columns, with the level of a factor.  of_row int[n_rows]: values of each row, a
    row of `values`.  values float[n, c]: in favour of the item that comes first in the item order."""

    of: tuple[By, ...]
    of_row: IntArray
    values: FloatArray
    warnings: tuple[FitWarning, ...] = ()

    @property
    def valued(self) -> tuple[IntArray, int]:
        """Which values each row has, and how many there are."""
        return self.of_row, len(self.values)

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
        variables[v] = all_columns(v.name, variable, codes)
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
                f"comparison_terms={list(spec.comparison_terms)!r}: {text!r} is not a term; expected columns of the"
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
        out = multiplied(out, here) if k else here
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
            f"the comparison term {of_comparison(of[k])} cannot be distinguished from"
            f" {', '.join(of_comparison(of[o]) for o in others)}: in these data one is determined by the other; leave"
            " one of them out"
        )


@dataclass(frozen=True, eq=False)
class Model:
    """The arrays of a model, with the covariates that their columns stand for.
    data: the table as it was given.  table: the table as it enters the likelihood: ties dropped or halved, if
    the specification says so.  patterns: of the covariates in the model.  item_by, order_by, tie_by: which
    covariates each column of `problem.z`, `problem.order` and `problem.tie` stands for.  item_columns: which
    item covariates the columns of `problem.x` are.  `own`: what the selective terms are, in the order of
    `problem.further.x`.  order float[n_rows] or None: 1 where the one named first has its advantage, 0 on
    neutral ground; None: no order effect.  tie_fixed: why the tie parameter is not in the problem: no tie was
    observed, so that it is minus infinity (Davidson) or at its boundary 0 (Rao and Kupper)."""

    data: Comparisons
    table: Comparisons
    spec: ModelSpec
    problem: Problem
    patterns: Patterns
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
    spec.check_held("a refit")
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
    cells = count_cells(table, patterns.of_row, patterns.n, order, None if rows is None else rows.valued)
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
    reference, further = reference_place(data, spec), _further(own, rows, patterns.n, len(data.items))
    problem = Problem(cells, len(data.items), z, order_terms, tie_terms, x, reference, outcome, further)
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
    wanted: bool, products: tuple[Product, ...], patterns: Patterns, what: str
) -> tuple[tuple[By, ...], FloatArray]:
    """Columns of the tie or order parameter, none if the model does not have it."""
    return design.matrix(products, patterns, what) if wanted else ((), np.zeros((patterns.n, 0)))


def outcome_model(spec: ModelSpec, table: Comparisons) -> OutcomeModel:
    """The outcome model that a specification asks for."""
    if spec.general_ties:
        raise InputError(
            f"ties={spec.ties!r} is not a log-linear model; fit_bradley_terry (--model bradley-terry) has it, without by"
        )
    if not table.tie_category:
        return "binary"
    return "rao-kupper" if spec.ties == "rao-kupper" else "davidson"


def entering(data: Comparisons, spec: ModelSpec) -> Comparisons:
    """The table as it enters the likelihood; InputError if it has no tie category to model, or is empty."""
    if (spec.law is not None or spec.ties == "rao-kupper") and not data.tie_category:
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
