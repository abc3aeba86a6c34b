"""What `fit_bradley_terry` was asked for: a table with the columns needed, a specification, rows and design.

Row r has the linear predictor

    eta_r = a[first] - a[second] + delta order_r + z_r'c + offset_r

with abilities a that are free, sums of item covariates, or absent, an order effect delta, and comparison
terms z (Turner and Firth 2012, Journal of Statistical Software 48(9), section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from ....data.columns import Factor, beside
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import FormulaError, InputError
from ....fit.estimates.fit_record import FitWarning
from ....fit.estimates.outcome_laws import LAWS
from ....fit.estimates.specification import (
    ContestSpec,
    LinkName,
    Method,
    ModelSpec,
    Term,
    Ties,
    of_comparison,
)
from ....numerics.arrays import FloatArray, IntArray
from ..counts.build import directed, entering, item_columns, order_column, reference_place
from ..counts.llbt import make_spec
from ..counts.named import check_names, of_column
from ..rows.contest_design import Design, abilities_design, contest_design

#: Random effects that there are, and what is said about others.
EFFECTS = ("item", "item:judge")
#: Items up to which the effects of a judge are integrated by quadrature.
QUADRATURE_ITEMS = 4
#: Columns made of what was given as numbers.
OFFSET, WEIGHTS = "offset", "weights"
#: What follows the name of a column that was given as an offset beside those of the formula.
BESIDE = " + offset(formula)"


@dataclass(frozen=True, eq=False)
class Options:
    """Options of :func:`pairproof.fit_bradley_terry` beyond those of plain models, as given there."""

    formula: str = ""
    random: str | Sequence[str] = ()
    link: LinkName = "logit"
    offset: str | ArrayLike | None = None
    weights: str | ArrayLike | None = None
    subset: ArrayLike | None = None
    reduce_bias: Literal["mean", "median", "jeffreys"] | None = None
    method: Literal["laplace", "quadrature", "pql"] | None = None
    tie_shift: bool = False
    tie_scale: bool = False


def asked(options: Options) -> bool:
    """Whether any option was given."""
    for field in fields(Options):
        value = getattr(options, field.name)
        if isinstance(value, (str, tuple, bool)) or value is None:
            if value != field.default:
                return True
        elif field.name != "random" or len(value):
            return True
    return False


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table and a specification to be fitted."""

    table: Comparisons
    spec: ContestSpec
    warnings: tuple[FitWarning, ...]


def prepared(
    table: Comparisons,
    options: Options,
    ties: Ties | None,
    by: str,
    reference: str | None,
    order_effect: bool,
    cells: str | Sequence[str] | None,
    item_terms: Sequence[str],
    separate: Sequence[str],
    comparison_terms: str | Sequence[str],
) -> Prepared:
    """The table and the specification; parameters and errors as in :func:`pairproof.fit_bradley_terry`."""
    one_of("link", options.link, ("logit", "probit", "cauchit"))
    if options.reduce_bias is not None:
        one_of("reduce_bias", options.reduce_bias, ("mean", "median", "jeffreys"))
    table = _with_numbers(table, options)
    table = _subset(_weighted(table, options.weights), options.subset)
    offset = _named(options.offset, OFFSET)
    random = _effects(options.random)
    warnings: tuple[FitWarning, ...] = ()
    free = True
    derived: tuple[str, ...] = ()
    if options.formula:
        if item_terms or comparison_terms:
            raise FormulaError(
                "formula beside item_terms or comparison_terms: the formula names both kinds; write all terms into it"
            )
        from ..formula.ability_formula import expand

        found = expand(options.formula, table, separate)
        new = found.table
        derived = (
            *(name for name in new.item_data if name not in table.item_data),
            *(name for name in new.columns if name not in table.columns),
        )
        unused = [item for item in separate if item not in found.separate]
        if unused:
            raise InputError(
                f"separate={unused}: formula={options.formula!r} has no term of item covariates, in place of which items"
                " could have an ability of their own; leave separate out"
            )
        separate = found.separate
        table, item_terms, comparison_terms = found.table, found.item_terms, found.comparison_terms
        warnings = found.warnings
        random = _effects(tuple(dict.fromkeys((*random, *found.random))))
        free = found.free
        if found.offset is not None:
            table, offset = _with_offset(table, offset, found.offset)
    if random and options.reduce_bias:
        raise InputError("reduce_bias with random effects is not offered; leave one of them out")
    no_abilities = not item_terms and ("item" in random if not options.formula else not free)
    if "item" in random and not item_terms and free and options.formula:
        raise InputError(
            "free abilities and random effects of the same items cannot be distinguished: leave `item` out of the formula,"
            " or the random effects"
        )
    if no_abilities and reference is not None:
        raise InputError(
            f"reference={reference!r}, but no item has an ability of 0 in this model; leave it out"
        )
    common = (ties, by, reference, order_effect, cells, item_terms, separate, comparison_terms)
    spec = replace(
        of_contests(make_spec("bradley-terry", table, *common)),
        formula=options.formula,
        link=_link(options.link, ties),
        offset=offset,
        weights=_named(options.weights, WEIGHTS),
        reduction=options.reduce_bias or "",
        random=random,
        method=_method(options.method, random, table),
        tie_shift=bool(options.tie_shift),
        tie_scale=bool(options.tie_scale),
        no_abilities=no_abilities,
        derived=derived,
    )
    if no_abilities:
        spec = replace(spec, reference="")
    return Prepared(table, spec, warnings)


def of_contests(spec: ModelSpec) -> ContestSpec:
    """The specification as one of contests."""
    if isinstance(spec, ContestSpec):
        return spec
    return ContestSpec(**{f.name: getattr(spec, f.name) for f in fields(spec)})


def sums_to_zero(spec: ContestSpec) -> bool:
    """Whether free abilities sum to 0."""
    return spec.reference == "sum" and not spec.item_terms and not spec.no_abilities


def _named(given: str | ArrayLike | None, name: str) -> str:
    """The column that was named, or that of what was given as numbers; "" for nothing."""
    return "" if given is None else given if isinstance(given, str) else name


def _link(asked: LinkName, ties: Ties | None) -> LinkName:
    """That of the law of the ties, where none was asked for."""
    law = None if ties is None else LAWS.get(ties)
    return law.link if law is not None and asked == "logit" else asked


def _effects(random: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(random, bool) or not isinstance(random, (str, Sequence)):
        raise InputError(f"random={random!r}; expected one of {', '.join(map(repr, EFFECTS))}, or several")
    names = (random,) if isinstance(random, str) else tuple(random)
    for name in names:
        if name in ("judge", "(1 | judge)"):
            raise InputError(
                f"random={name!r}: an effect of the judge alone is the same for both items and cancels; 'item:judge' lets"
                " each judge's abilities vary about those of all"
            )
        if name not in EFFECTS:
            raise InputError(f"random={name!r}; expected one of {', '.join(map(repr, EFFECTS))}")
    return tuple(dict.fromkeys(names))


def _method(method: str | None, random: tuple[str, ...], table: Comparisons) -> Method:
    if not random:
        if method is not None:
            raise InputError(
                f"method={method!r} is how random effects are integrated out, and there are none"
            )
        return "ml"
    if method is None:
        small = len(table.items) <= QUADRATURE_ITEMS
        return "quadrature" if random == ("item:judge",) and small else "laplace"
    one_of("method", method, ("laplace", "quadrature", "pql"))
    return cast(Method, method)


def _with_numbers(table: Comparisons, options: Options) -> Comparisons:
    """The table with columns of what was given as numbers."""
    columns: dict[str, Any] = {}
    for name, given in ((OFFSET, options.offset), (WEIGHTS, options.weights)):
        if given is None or isinstance(given, str):
            continue
        try:
            values = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{name}: expected the name of a column, or {table.n_rows} numbers") from None
        if values.shape != (table.n_rows,):
            raise InputError(f"{name} of shape {values.shape}; the table has {table.n_rows} rows")
        if name in table.columns:
            raise InputError(
                f"{name} as numbers, but the table has a column {name!r}; name the one that is meant"
            )
        columns[name] = values
    return replace(table, columns=beside(table.columns, columns)) if columns else table


def _numeric(table: Comparisons, asked_for: str, name: str, there: str) -> FloatArray:
    """A column of numbers."""
    column = table.columns.get(name)
    if column is None or isinstance(column, Factor):
        what = "is not numeric" if column is not None else "is not in the table"
        raise InputError(f"{asked_for}: the column {what}; {there} {', '.join(table.columns) or 'none'}")
    return column


def _weighted(table: Comparisons, weights: str | ArrayLike | None) -> Comparisons:
    """The table with its counts multiplied by the weights."""
    if weights is None:
        return table
    name = weights if isinstance(weights, str) else WEIGHTS
    column = _numeric(table, f"weights={name!r}", name, "there are")
    bad = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if len(bad):
        raise InputError(
            f"weights={name!r}, row {bad[0] + 1}: {column[bad[0]]}; expected a finite number >= 0"
        )
    if not (column > 0).any():
        raise InputError(f"weights={name!r}: all are 0, so that no comparison counts")
    return replace(table, wins=table.wins * column, ties=table.ties * column, losses=table.losses * column)


def _subset(table: Comparisons, subset: ArrayLike | None) -> Comparisons:
    """The rows that are meant, each once, with all items and levels kept."""
    if subset is None:
        return table
    rows = np.asarray(subset)
    if rows.shape == (0,):
        rows = rows.astype(np.int64)
    if rows.dtype == bool:
        if rows.shape != (table.n_rows,):
            raise InputError(f"subset: a mask of shape {rows.shape}; the table has {table.n_rows} rows")
        rows = np.flatnonzero(rows)
    elif rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer):
        raise InputError("subset: expected a mask (True, False) or positions of rows, counted from 0")
    wrong = rows[(rows < 0) | (rows >= table.n_rows)]
    if len(wrong):
        raise InputError(
            f"subset: position {wrong[0]}; the table has {table.n_rows} rows, counted from 0 (negative ones, which mean"
            " 'all but' in R and 'from the end' in Python, are refused: give a mask)"
        )
    if len(np.unique(rows)) < len(rows):
        raise InputError("subset: a position occurs twice; a row counts once, and weights make it count more")
    if not len(rows):
        raise InputError("subset: no row is left")
    return table.select(np.sort(rows))


def _with_offset(table: Comparisons, offset: str, more: FloatArray) -> tuple[Comparisons, str]:
    """The table with the formula's offset beside, or added to, the one that was given."""
    values = more
    if offset:
        column = table.columns.get(offset)
        if column is None or isinstance(column, Factor):
            raise InputError(f"offset={offset!r}: no numeric column of the table")
        values = values + column
    name = f"{offset}{BESIDE}" if offset else "offset(formula)"
    return replace(table, columns=beside(table.columns, {name: values})), name


@dataclass(frozen=True, eq=False)
class ContestRows:
    """The rows of a model of contests.
    table: as it enters the likelihood: ties dropped or halved, if the specification says so.  design: of the
    free parameters, a row for each row of the table.  levels float[n_rows, p] or None: the design of the level, where
    the law of ties has it.  terms: of abilities, order effect and comparison terms;
    the reference item included.  places int[p]: where in `terms` the parameters of the design are.  home
    float[n_rows]: 1 where the item named first has its advantage, 0 on neutral ground."""

    spec: ContestSpec
    data: Comparisons
    table: Comparisons
    design: Design
    terms: tuple[Term, ...]
    places: IntArray
    home: FloatArray
    warnings: tuple[FitWarning, ...]
    levels: FloatArray | None = None

    @property
    def has_ties(self) -> bool:
        """Whether a tie is an outcome of the model."""
        return self.spec.law is not None

    def spread(self, values: FloatArray, n_more: int = 0) -> FloatArray:
        """Values of the design's parameters, float[p, ...], at their places among the terms and `n_more` others, else 0."""
        out = np.zeros((len(self.terms) + n_more, *values.shape[1:]))
        out[self.places] = values[: len(self.places)]
        out[len(self.terms) :] = values[len(self.places) :]
        return out


def contest_rows(data: Comparisons, spec: ContestSpec, n_items: int | None = None) -> ContestRows:
    """The rows of a model of contests; n_items: so many of the items, the first ones, have the mean level 0."""
    _check(data, spec)
    table = entering(data, spec)
    # Without an effect of it the column may mean anything, such as the number of the question.
    uses_order = spec.order_effect or spec.tie_shift
    home = order_column(data) if uses_order else np.zeros(data.n_rows)
    if spec.order_effect and not home.any():
        raise InputError(
            "order_effect: every row has order 0 (neutral ground), so there is no order effect to estimate"
        )
    of_rows = directed(table, spec)
    columns: list[FloatArray] = [home[:, None]] if spec.order_effect else []
    names: list[str] = ["order"] if spec.order_effect else []
    more = [Term("order", "order")] if spec.order_effect else []
    if of_rows is not None:
        side = np.where(table.first < table.second, 1.0, -1.0)
        columns.append(side[:, None] * of_rows.values[of_rows.of_row])
        found = [Term(of_comparison(of), "comparison", of=of) for of in of_rows.of]
        names += [t.name for t in found]
        more += found
    contest = np.concatenate([np.zeros((table.n_rows, 0)), *columns], axis=1)
    ability, of_items, reference, kwargs = _abilities(data, spec)
    terms = [*ability, *more]
    check_names(terms)
    names_of_items = [t.name for t in ability] if of_items is not None else ()
    design = contest_design(
        table.first,
        table.second,
        table.items,
        player_columns=of_items,
        player_names=names_of_items,
        reference=kwargs,
        contest_columns=contest,
        contest_names=names,
        offset=offset_of(data, spec),
    )
    places = np.array([k for k in range(len(terms)) if k != reference], np.int64)
    levels = None
    if spec.law is not None and spec.law.by_level:
        each = abilities_design(table.items, of_items, names_of_items, kwargs)
        levels = (each[table.first] + each[table.second]) / 2.0 - each[:n_items].mean(axis=0)
        levels = np.pad(levels, ((0, 0), (0, len(design.names) - levels.shape[1])))
    warnings = () if of_rows is None else of_rows.warnings
    return ContestRows(spec, data, table, design, tuple(terms), places, home, warnings, levels)


def _abilities(
    data: Comparisons, spec: ContestSpec
) -> tuple[list[Term], FloatArray | None, int | None, str | None]:
    """Terms of the abilities, covariates of the items (None: free), the reference's place and name."""
    if spec.no_abilities:
        return [], np.zeros((len(data.items), 0)), None, None
    if spec.item_terms:
        x, found = item_columns(data, spec)
        assert x is not None
        return [of_column(column, ()) for column in found], x, None, None
    if spec.separate and not spec.formula:
        raise InputError(f"separate={list(spec.separate)} makes sense only beside item_terms")
    place = reference_place(data, spec)
    return [Term(item, "item", item=item) for item in data.items], None, place, data.items[place]


def offset_of(data: Comparisons, spec: ContestSpec) -> FloatArray | None:
    """float[n_rows]: the offset of each row in favour of the item named first; None for none."""
    if not spec.offset:
        return None
    column = _numeric(data, f"offset={spec.offset!r}", spec.offset, "the columns are")
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise InputError(
            f"offset={spec.offset!r}, row {bad[0] + 1}: {column[bad[0]]}; expected a finite number in favour of the"
            " item named first"
        )
    return column


def _check(data: Comparisons, spec: ContestSpec) -> None:
    """What these models do not have, each with what to do."""
    if spec.by:
        raise FormulaError(
            f"by={spec.by!r} beside a link, an offset, reduced bias, random effects or general ties: write the"
            " interaction into the formula, for example formula='item + item:judge'"
        )
    if spec.ties == "rao-kupper":
        raise InputError(
            "ties='rao-kupper' is fitted by plain maximum likelihood with the logit only; use ties='davidson'"
            " (logit), 'half' or 'drop'"
        )
    modelled = spec.law is not None or (spec.ties == "none" and bool(data.ties.any()))
    expected = "logit" if spec.law is None else spec.law.link
    if modelled and (spec.link != expected or spec.random):
        what = (
            f"link={spec.link!r}" if spec.link != expected else f"random={', '.join(map(repr, spec.random))}"
        )
        raise InputError(
            f"{data.ties.sum():g} ties and a tie category, but {what} has no model of ties; use ties='half' (half a"
            " win each way) or ties='drop'"
        )
    if spec.ties == "none" and data.ties.any():
        raise InputError(
            "ties='none' holds the tie parameter at 0, for which there is no fit with an offset or reduced bias; use"
            " ties='davidson', 'half' or 'drop'"
        )
    if (spec.tie_shift or spec.tie_scale) and spec.ties != "davidson":
        raise InputError(
            f"tie_shift or tie_scale with ties={spec.ties!r}; they are of Davidson's model: ties='davidson'"
        )
