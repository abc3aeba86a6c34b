"""A formula of abilities as covariates of a table: BradleyTerry2's rule, with every column named.

A one-sided formula describes the ability of one item in a contest.  With x_i the row of its model matrix for the
item named first and x_j for the one named second, without the constant (Turner and Firth 2012, Journal of
Statistical Software 48(9), section 3)::

    g(P(i preferred to j)) = (x_i - x_j)' beta

Terms of item covariates alone make columns of `item_data`; all other terms make columns of the table, x_i - x_j.
BTm evaluates the formula twice, once for each side, so that a mean, a standard deviation, an orthogonal basis or
the levels of a factor may differ between the sides, and their difference means nothing; here both sides are
evaluated together.

An item without a value of any item covariate in the formula has an ability of its own in place of all terms with
item covariates: it is nan in the derived columns of `item_data`, and its side of the derived columns of the table
is 0.  So it is in BTm (1.1-2), which puts the covariate itself to 0, or to its first level, with three exceptions:

    exp(x[..]):z      exp(0) = 1, so that the item's side is z and not 0
    log(x[..])        the rows of the item are dropped, and so are those of scale(x)[..] and offset(x[..])
    .. + x[..]:z      every item that has a value of x loses its free ability

None of these is followed.  Means, standard deviations and polynomials are of the items that have values, also of
those that are separate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from ....data.checks import frozen
from ....data.columns import Column, Factor, FloatArray
from ....data.comparisons import Comparisons
from ....fit.warning import FitWarning
from ....text import named
from .columns import columns_of_items, columns_of_rows, is_plain, offset_of, parts_of
from .expressions import Name
from .lookup import LookedUp, Model
from .tokens import error


@dataclass(frozen=True, eq=False)
class Expanded:
    """A table with the columns of a formula, and the names of those columns.

    table: with derived item covariates and columns added; nothing is taken away.  item_terms: names in
    `table.item_data` that make the ability; empty if no term is of item covariates alone.  comparison_terms:
    columns of `table.columns`, in backquotes where they need them, in favour of the item named first.
    random: "item" for (1 | item), "item:judge" for (1 | item:judge).  As in BTm, the items in `separate` have
    no random effect.  offset float[n_rows] or None: sum of the offset(...) terms, first minus second item; 0
    in rows without a count.  warnings: terms that cancel, columns that are 0 in every row, items whose
    abilities are their own.  free: whether each item has a free ability: the formula has `item` as a term, or
    is empty.  False together with empty `item_terms` means that all items have the same ability, but for
    random effects.  separate: items with an ability of their own in place of the item covariates: those asked
    for, and those without a value of one of them (also of one that is in no column of `item_terms`).
    """

    table: Comparisons
    item_terms: tuple[str, ...]
    comparison_terms: tuple[str, ...]
    random: tuple[str, ...]
    offset: FloatArray | None
    warnings: tuple[FitWarning, ...]
    free: bool = False
    separate: tuple[str, ...] = ()


def expand(
    formula: str, table: Comparisons, separate: Sequence[str] = (), known: tuple[int, int] | None = None
) -> Expanded:
    """Read a formula of the ability of one item, and add its columns to the table.

    A name is an item covariate (`item_data`), `item` (the item itself), a column of the table (the same for both
    items of a row), or `x` for columns `x_first` and `x_second` (a value for each item of a row).  The first level
    of a factor that occurs is its reference, the first item that of `item`.

    Turner and Firth (2012), Journal of Statistical Software 48(9), sections 3 and 4.  Chambers and Hastie (1992),
    Statistical Models in S, chapter 2.

    formula: for example "SVL + log(mass)*judge + home + (1 | item)"; a leading "~" may be left out; "" for
    `item`. Operators + - : * / ^ %in% and brackets as in R; functions log, log2, log10, log1p, exp, sqrt,
    abs, I, C, factor, center, scale, poly, pmin, pmax, offset; comparisons in brackets, such as (x > 3).
    separate: items that get an ability of their own in place of the terms with item covariates.  known: how
    many items and rows, the first ones, means, spreads and bases are of, where others are to be predicted.
    """
    model = Model(formula, table, separate, known)
    items: dict[str, Column] = {}
    rows: dict[str, Column] = {}
    item_terms: dict[str, None] = {}
    warnings: list[FitWarning] = []
    for term, part in parts_of(model):
        if term.roles == {"contest"}:
            warnings.append(_cancelled(term))
        elif term.roles == {"covariate"} and is_plain(term):
            item_terms[_name(term)] = None
        elif term.roles == {"covariate"}:
            for name, column in columns_of_items(model, part):
                _add(model, items, name, column)
                item_terms[name] = None
        elif term.roles != {"item"}:
            empty = []
            for name, column in columns_of_rows(model, term, part):
                if column.any():
                    _add(model, rows, name, column)
                else:
                    empty.append(name)
            warnings += _left_out(empty)
    warnings += _own_abilities(model, tuple(item_terms), items)
    offset = offset_of(model)
    own = model.own if model.of_covariates() else np.zeros(len(model.own), bool)
    return Expanded(
        replace(
            table,
            item_data=_joined(model, table.item_data, items, "item covariate"),
            columns=_joined(model, table.columns, rows, "column"),
        ),
        tuple(item_terms),
        tuple(name if name.isidentifier() else f"`{name}`" for name in rows),
        model.parsed.random,
        None if offset is None else frozen(offset, float),
        tuple(dict.fromkeys(warnings)),
        model.free,
        tuple(model.items(own)),
    )


def _name(term: LookedUp) -> str:
    only = term.factors[0]
    assert isinstance(only, Name)
    return only.name


def _add(model: Model, columns: dict[str, Column], name: str, column: FloatArray) -> None:
    """Add a column, read-only; two levels or covariates may not make the same name."""
    if name in columns:
        raise error(
            model.names.formula,
            f"two columns would be named {name!r}; rename a covariate, a level or an item",
        )
    column.setflags(write=False)
    columns[name] = column


def _joined(
    model: Model, old: Mapping[str, Column], new: Mapping[str, Column], what: str
) -> Mapping[str, Column]:
    """Columns with more columns, none of which may hide another one."""
    for name, column in new.items():
        there = old.get(name)
        if there is None:
            continue
        if (
            isinstance(there, Factor)
            or isinstance(column, Factor)
            or not np.array_equal(there, column, equal_nan=True)
        ):
            raise error(
                model.names.formula,
                f"{model.table.source} has another {what} named {name!r} already; rename it",
            )
    return MappingProxyType({**old, **new})


def _cancelled(term: LookedUp) -> FitWarning:
    """A term that is the same for both items."""
    order = "; the effect of being named first is order_effect" if term.text == "order" else ""
    return FitWarning(
        "not-identified",
        f"{term.text} is the same for both items of a row, so it cancels and was left out; what it can change is the"
        f" effect of something that differs between them, as item:{term.text} does{order}",
        (term.text,),
    )


def _left_out(empty: Sequence[str]) -> list[FitWarning]:
    """Columns without a comparison that would say anything of them."""
    if not empty:
        return []
    text = f"{named(empty)} {'is' if len(empty) == 1 else 'are'} 0 in every row and was left out: no effect to estimate"
    return [FitWarning("level-left-out", text, tuple(empty))]


def _own_abilities(
    model: Model, item_terms: Sequence[str], derived: Mapping[str, Column]
) -> list[FitWarning]:
    """Items without a value of a covariate that no column of `item_terms` shows; of the others the fit warns."""
    shown = model.lacking & bool(derived)
    for name in item_terms:
        if name not in derived:
            shown = shown | model.names.lacking(name)
    hidden = model.items(model.lacking & ~shown)
    if not hidden:
        return []
    what = (
        "0 on their side of the terms with item covariates"
        if model.free
        else "an ability of their own in place of all item covariates"
    )
    text = f"no value of an item covariate of the formula for {named(hidden)}: {what}, as in BradleyTerry2"
    return [FitWarning("own-ability", text, tuple(hidden))]
