"""A formula of abilities as covariates of a table: BradleyTerry2's rule, with every column named.

A one-sided formula describes the ability of one item in a contest.  With x_i the row of its model matrix for
the item named first and x_j for the one named second, without the constant (Turner and Firth 2012, Journal of
Statistical Software 48(9), section 3), g(P(i preferred to j)) = (x_i - x_j)' beta.  With s_1, ..., s_m the
factors of a term, its column is prod_t s_t(i) - prod_t s_t(j).  Terms of item covariates alone make columns
of `item_data`; all other terms make columns of the table.

BTm evaluates the formula once for each side, so that a mean, a standard deviation, an orthogonal basis or the
levels of a factor may differ between the sides; here both sides are evaluated together.  Categorical
covariates are coded by treatment contrasts where the terms before span the rest, and by all their levels
where they do not (Chambers and Hastie 1992, section 2.3.2, in patsy's form, which leaves no column
redundant).  patsy is given no text: terms of numbers and of kinds with two levels, and its answer is read
from the width of its contrast matrices.

An item without a value of any item covariate in the formula has an ability of its own in place of all terms
with item covariates: nan in the derived columns of `item_data`, 0 on its side of those of the table.  So it
is in BTm (1.1-2), which puts the covariate itself to 0 or to its first level, with three exceptions, none of
them followed: exp(x[..]):z is z and not 0; rows of the item are dropped by log, scale and offset; `.. +
x[..]:z` takes the free ability from every item that has a value of x.  Means, standard deviations and
polynomials are of the items that have values, also of those that are separate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ....data.columns import Column, Factor, FloatArray, beside, frozen
from ....data.comparisons import Comparisons
from ....errors import AliasError, InputError, ItemError, TooLargeError
from ....fit.estimates.fit_record import FitWarning
from ....numerics.arrays import BoolArray
from ....text import named, shortened
from .covariate_values import Names, Values, evaluate
from .expressions import Call, Expression, Name, error, names_in
from .wilkinson_rogers import Term, parse

#: A term as keys of its factors.
Keys = tuple[str, ...]


class _Factor:
    """A factor of patsy's protocol, whose data are made up: one number, or one of two levels."""

    origin = None

    def __init__(self, key: str, categorical: bool) -> None:
        self.key, self.categorical = key, categorical

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Factor) and other.key == self.key

    def __hash__(self) -> int:
        return hash((_Factor, self.key))

    def name(self) -> str:
        return self.key

    def memorize_passes_needed(self, state: object, eval_env: object) -> int:
        return 0

    def eval(self, state: object, data: object) -> Any:
        return pd.Categorical.from_codes([0, 1], categories=["0", "1"]) if self.categorical else np.zeros(2)


def codings(terms: Sequence[Keys], categorical: Mapping[str, bool]) -> dict[Keys, list[dict[str, bool]]]:
    """The coding of the categorical factors of each term.
    terms: distinct terms as keys of factors; the constant is put before them.  Returns dict of tuple of str
    to list of dict of str to bool: for each term its parts, the columns of which are products of those of the
    factors named: True for all levels, False for all but the first (and for a numeric factor)."""
    import patsy  # slow to import, and needed by formulas alone

    made = {key: _Factor(key, is_it) for key, is_it in categorical.items()}
    wanted = {keys: patsy.Term([made[key] for key in keys]) for keys in terms}
    (design,) = patsy.build.design_matrix_builders(
        [[patsy.INTERCEPT, *wanted.values()]], lambda: iter([{}]), patsy.EvalEnvironment([])
    )
    out: dict[Keys, list[dict[str, bool]]] = {}
    for keys, term in wanted.items():
        out[keys] = [
            {f.key: f.categorical and part.contrast_matrices[f].matrix.shape[1] == 2 for f in part.factors}
            for part in design.term_codings[term]
        ]
    return out


@dataclass(frozen=True, eq=False)
class LookedUp:
    """A term with its names looked up."""

    factors: Term
    roles: frozenset[str]

    @property
    def keys(self) -> Keys:
        return tuple(e.text for e in self.factors)

    @property
    def text(self) -> str:
        return ":".join(self.keys)


class Model:
    """A formula and the table it is of: terms, free or own abilities, values of expressions.
    free: whether each item has a free ability.  lacking bool[n_items]: items without a value of an item
    covariate in the formula.  `own` bool[n_items]: these, and the items that were asked to be separate.
    values: of the factors of the terms, by their text."""

    def __init__(
        self, formula: str, table: Comparisons, separate: Sequence[str], known: tuple[int, int] | None = None
    ) -> None:
        self.parsed = parse(formula)
        self.table = table
        self.names = Names(formula, table, table.wins + table.ties + table.losses > 0, known)
        self.terms = self._terms()
        self.free = any(t.factors == (Name("item"),) for t in self.terms) or self._is_empty()
        asked, self.lacking = self._own(separate)
        self.own = asked | self.lacking
        self.values = {
            e.text: evaluate(e, self.names, self.own)
            for e in dict.fromkeys(e for t in self.terms for e in t.factors)
        }
        nobody = np.zeros(len(table.items), bool)
        self.offsets = {e.text: evaluate(e, self.names, nobody) for e in self.parsed.offsets}
        self._check_terms()

    def _is_empty(self) -> bool:
        p = self.parsed
        return (
            not (p.terms or p.random or p.offsets) and p.intercept and self.names.formula.strip() in ("", "~")
        )

    def _terms(self) -> tuple[LookedUp, ...]:
        """The terms, with C(x) of a categorical x as x, each once."""
        found: dict[frozenset[str], LookedUp] = {}
        for term in self.parsed.terms:
            factors = tuple({e.text: e for e in map(self._plain, term)}.values())
            roles = frozenset(self.names.role(n) for e in factors for n in names_in(e))
            found.setdefault(frozenset(e.text for e in factors), LookedUp(factors, roles))
        return tuple(sorted(found.values(), key=lambda t: len(t.factors)))

    def _plain(self, e: Expression) -> Expression:
        if isinstance(e, Call) and e.function in ("C", "factor", "I") and isinstance(e.arguments[0], Name):
            inner = e.arguments[0]
            if self.names.categorical(inner.name) == (e.function != "I"):
                return inner
        return e

    def _own(self, separate: Sequence[str]) -> tuple[BoolArray, BoolArray]:
        """Items asked for, and items without a value of an item covariate in the formula."""
        items = self.table.items
        for item in separate:
            if item not in items:
                raise ItemError(f"separate item {item!r} is not an item; the items are {named(items)}")
        lacking = np.zeros(len(items), bool)
        for name in self.covariates():
            lacking |= self.names.lacking(name)
        wanted = set(separate)
        return np.array([item in wanted for item in items], bool), lacking

    def _check_terms(self) -> None:
        alone = [t for t in self.terms if "covariate" in t.roles and t.roles <= {"covariate", "item"}]
        for t in alone:
            if "item" in t.roles:
                raise self._alias(
                    f"{t.text} is an effect for each item alone, which a free ability says; write item"
                )
        if self.free and alone:
            raise self._alias(
                f"item gives each item a free ability, which determines the effect of {named(t.text for t in alone)};"
                " leave item out, or write (1 | item) in its place; an interaction with it alone is written with :"
            )
        coded = [t for t in self.terms if all(self.values[k].categorical for k in t.keys)]
        if coded and not self.parsed.intercept:
            raise error(
                self.names.formula,
                f"without the constant R codes {coded[0].text} by all its levels, of which one cannot be distinguished from"
                " the others, as the constant cancels in each comparison; leave 0 or - 1 out",
            )
        if self.own.any() and self.of_covariates() and not (alone or self.free):
            raise InputError(
                f"formula={shortened(self.names.formula)!r}: {named(self.items(self.own))} has no value of"
                f" {' or '.join(self.covariates())}, or is separate, but no term is of item covariates alone, so that"
                f" there is no ability to replace; add {' + '.join(self.covariates())}"
            )

    def _alias(self, reason: str) -> AliasError:
        return AliasError(f"formula={shortened(self.names.formula)!r}: {reason}")

    def items(self, which: BoolArray) -> list[str]:
        """Names of the items."""
        return [self.table.items[k] for k in np.flatnonzero(which)]

    def of_covariates(self) -> bool:
        """Whether an item covariate is in a term."""
        return any("covariate" in t.roles for t in self.terms)

    def covariates(self) -> tuple[str, ...]:
        """The item covariates in the terms."""
        found = (n for t in self.terms for e in t.factors for n in names_in(e))
        return tuple(sorted({n for n in found if self.names.role(n) == "covariate"}))


#: Columns that a formula makes at most, and their memory: 2 GB are 250 columns of a million rows.
MOST_COLUMNS, MOST_BYTES = 1000, 2_000_000_000
#: Of each factor of a column, its key and which of its columns or levels.
Chosen = tuple[tuple[str, int], ...]
#: The coding of a part of a term: whether a factor has all its levels.
Part = dict[str, bool]


def parts_of(model: Model) -> list[tuple[LookedUp, Part]]:
    """The parts of every term with their coding.
    What is the same for both items cancels in each comparison, as the constant does, so that its columns
    would not tell a part from the rest: the part of each term that is of columns of the table alone is put
    before the terms.  So is the part that is of items alone, if each item has a free ability."""
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


def spread(column: FloatArray, used: BoolArray) -> FloatArray:
    """Values of the rows that count, in all rows; 0 in the others."""
    whole = np.zeros(len(used))
    whole[used] = column
    return whole


def _side(model: Model, chosen: Chosen, side: int, zero: BoolArray | None) -> FloatArray:
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
    return np.asarray((values.codes == k).astype(float))


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
    for, and those without a value of one of them (also of one that is in no column of `item_terms`)."""

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
    A name is an item covariate (`item_data`), `item` (the item itself), a column of the table (the same for
    both items of a row), or `x` for columns `x_first` and `x_second` (a value for each item of a row).  The
    first level of a factor that occurs is its reference, the first item that of `item`.  Turner and Firth
    (2012), Journal of Statistical Software 48(9), sections 3 and 4.  Chambers and Hastie (1992), Statistical
    Models in S, chapter 2.  formula: for example "SVL + log(mass)*judge + home + (1 | item)"; a leading "~"
    may be left out; "" for `item`.  Operators + - : * / ^ %in% and brackets as in R; functions log, log2,
    log10, log1p, exp, sqrt, abs, I, C, factor, center, scale, poly, pmin, pmax, offset; comparisons in
    brackets, such as (x > 3).  separate: items that get an ability of their own in place of the terms with
    item covariates.  known: how many items and rows, the first ones, means, spreads and bases are of, where
    others are to be predicted."""
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
    item_data = _joined(model, table.item_data, items, "item covariate")
    columns = _joined(model, table.columns, rows, "column")
    return Expanded(
        replace(table, item_data=item_data, columns=columns),
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
    return beside(old, new)


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
    what = "an ability of their own in place of all item covariates"
    if model.free:
        what = "0 on their side of the terms with item covariates"
    text = f"no value of an item covariate of the formula for {named(hidden)}: {what}, as in BradleyTerry2"
    return [FitWarning("own-ability", text, tuple(hidden))]
