"""The terms of a fitted model, and the same model with other terms.

A model by formula has the terms of its formula, in which the columns of a factor go together; a model without `by` or
`comparison_terms` is one by formula too.  Of other models the item covariates, and each product of `comparison_terms`
and of `by`, are terms.  `order_effect`, `tie_shift` and `tie_scale` are terms of any model.

A model with other terms is fitted to the same rows, with the same items' own abilities: an item without a value of a
covariate that is dropped keeps its own ability, so that the smaller model lies inside the larger one.
"""

from __future__ import annotations

import re
import warnings as python_warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....data.columns import Column, beside
from ....data.comparisons import Comparisons
from ....errors import FormulaError, InputError, RankingWarning
from ....fit.estimates.specification import ModelSpec
from ....fit.fit import Fit
from ..counts.build import separate_items
from ..counts.llbt import fit as plain_fit
from ..formula.ability_formula import Model
from ..formula.expressions import Name
from ..formula.subject_formula import Product, products_of
from ..formula.wilkinson_rogers import parse
from .bradley_terry import fit_contests, fit_spec
from .specified import Options, of_contests, prepared

#: Name of the column of an item's own ability where no item covariate is left beside it, before the item.
OWN = "own ability "
#: Options that are terms: name in the table, field of the specification.
SWITCHES = (("order", "order_effect"), ("tie-shift", "tie_shift"), ("tie-scale", "tie_scale"))


@dataclass(frozen=True)
class ModelTerm:
    """A term of a model.  factors: what is multiplied; a term inside another has some of its factors."""

    text: str
    factors: frozenset[str]
    kind: str = "formula"


@dataclass(frozen=True, eq=False)
class TermModel:
    """A fitted model as a list of terms.
    table: with neither columns that its formula made nor rows that it left out.  `own`: items with an ability
    of their own."""

    table: Comparisons
    spec: ModelSpec
    terms: tuple[ModelTerm, ...]
    own: tuple[str, ...]
    by_formula: bool

    def fitted(self, terms: Sequence[ModelTerm], own: Sequence[str] | None = None) -> Fit:
        """The model with these terms, fitted to the same rows.
        `own`: items with an ability of their own; those of the model if not given."""
        separate = tuple(self.own if own is None else own)
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore", RankingWarning)
            return (
                _by_formula(self, terms, separate) if self.by_formula else _by_options(self, terms, separate)
            )

    def lacking(self, formula: str) -> tuple[str, ...]:
        """Items without a value of a covariate of a formula."""
        model = Model(formula, self.table, ())
        return tuple(model.items(model.lacking))


def term_model(fit: Fit) -> TermModel:
    """The terms of a fit."""
    spec = fit.spec
    formula = getattr(spec, "formula", "")
    switches = tuple(
        ModelTerm(text, frozenset([text]), "switch") for text, name in SWITCHES if getattr(spec, name, False)
    )
    if not formula and (spec.by or spec.comparison_terms):
        return TermModel(
            fit.data, spec, (*_of_options(spec), *switches), separate_items(fit.data, spec), False
        )
    if not formula:
        none = getattr(spec, "no_abilities", False)
        formula = " + ".join(Name(x).text for x in spec.item_terms) or ("1" if none else "item")
    derived = set(getattr(spec, "derived", ())) - {getattr(spec, "offset", "")}
    table = fit.data
    if derived:
        table = replace(
            table,
            item_data={k: v for k, v in table.item_data.items() if k not in derived},
            columns={k: v for k, v in table.columns.items() if k not in derived},
        )
    model = Model(formula, table, spec.separate if spec.item_terms else ())
    own = tuple(model.items(model.own)) if model.of_covariates() else ()
    return TermModel(table, spec, (*_of_model(model), *switches), own, True)


def _of_model(model: Model) -> tuple[ModelTerm, ...]:
    """Terms of a formula; what is the same for both items of a row cancels, and is none."""
    return tuple(ModelTerm(t.text, frozenset(t.keys)) for t in model.terms if t.roles != {"contest"})


def scope_terms(model: TermModel, scope: str | Sequence[str]) -> tuple[ModelTerm, ...]:
    """The terms of a scope that the model does not have.
    scope: terms, in the words of a formula; "." stands for those of the model, as in R."""
    text = scope if isinstance(scope, str) else " + ".join(scope)
    text = re.sub(r"^\s*~", "", text)
    text = re.sub(r"^\s*\.\s*(\+|$)", "", text).strip()
    if not text:
        raise FormulaError(f"scope={scope!r} names no term to add; expected terms, as in 'log(mass) + home'")
    switches = {name: ModelTerm(name, frozenset([name]), "switch") for name, _ in SWITCHES}
    words = [word.strip() for word in text.split("+")]
    there = {t.factors for t in model.terms}
    found = [switches[w] for w in words if w in switches]
    rest = " + ".join(w for w in words if w not in switches)
    if rest and model.by_formula:
        parsed = parse(rest)
        if parsed.random or parsed.offsets:
            raise FormulaError(f"scope={scope!r}: terms that can be added, not random effects or offsets")
        found += [
            ModelTerm(":".join(e.text for e in term), frozenset(e.text for e in term))
            for term in parsed.terms
        ]
    elif rest:
        found += [_of_table(model, product) for product in products_of(rest, "scope")]
    new = tuple(t for t in dict.fromkeys(found) if t.factors not in there)
    if not new:
        raise InputError(f"scope={scope!r}: the model has all of these terms already")
    return new


def _of_options(spec: ModelSpec) -> tuple[ModelTerm, ...]:
    out = [ModelTerm(x, frozenset([x]), "item_term") for x in spec.item_terms]
    if not spec.item_terms and not getattr(spec, "no_abilities", False):
        out.append(ModelTerm("item", frozenset(["item"]), "item"))
    # What varies with a covariate has to be there: the abilities lie inside each of the terms of `by`.
    abilities = {t.text for t in out}
    for text in spec.comparison_terms:
        out += [_product(product, "comparison") for product in products_of(text, "comparison_terms")]
    for product in products_of(spec.by) if spec.by else ():
        found = _product(product, "by")
        inside = set() if {"tie", "order"} & {v.name for v in product} else abilities
        out.append(replace(found, factors=found.factors | inside))
    return tuple(dict.fromkeys(out))


def _product(product: Product, kind: str) -> ModelTerm:
    words = [f"C({v.name})" if v.categorical else v.name for v in product]
    return ModelTerm(":".join(words), frozenset(words), kind)


def _of_table(model: TermModel, product: Product) -> ModelTerm:
    """A term of a scope for a model without a formula."""
    names = tuple(v.name for v in product)
    table = model.table
    if len(names) == 1 and names[0] in table.item_data:
        if any(t.kind == "item" for t in model.terms):
            raise InputError(
                f"scope: {names[0]} is an item covariate, and each item has a free ability, which determines its effect"
            )
        return ModelTerm(names[0], frozenset(names), "item_term")
    missing = [n for n in names if n not in table.columns]
    if missing:
        raise InputError(
            f"scope: {', '.join(missing)} is neither a column nor an item covariate; there are"
            f" {', '.join([*table.columns, *table.item_data]) or 'none'}"
        )
    return _product(product, "comparison")


# -- fitted again --------------------------------------------------------------------------------------------


def _by_formula(model: TermModel, terms: Sequence[ModelTerm], separate: tuple[str, ...]) -> Fit:
    spec, table = model.spec, model.table
    chosen = {t.text for t in terms if t.kind == "switch"}
    words = [t.text for t in terms if t.kind != "switch"]
    formula = " + ".join(words) or "1"
    free = "item" in words
    read = Model(formula, table, ())
    covariates = any(t.roles == {"covariate"} for t in read.terms)
    base = of_contests(spec)
    options = Options(
        formula=formula,
        random=base.random,
        link=base.link,
        offset=base.offset or None,
        reduce_bias=base.reduction or None,
        method=None if base.method == "ml" else base.method,
        tie_shift="tie-shift" in chosen,
        tie_scale="tie-scale" in chosen,
    )
    reference = (spec.reference or None) if free else None
    own = separate if covariates else ()
    ready = prepared(table, options, spec.ties, "", reference, "order" in chosen, spec.cells, (), own, ())
    if separate and not covariates and not free:
        data, more = _own_columns(ready.table, separate)
        ready = replace(
            ready,
            table=data,
            spec=replace(ready.spec, comparison_terms=(*ready.spec.comparison_terms, *more)),
        )
    return fit_contests(ready)


def _by_options(model: TermModel, terms: Sequence[ModelTerm], separate: tuple[str, ...]) -> Fit:
    spec, table = model.spec, model.table
    chosen = {t.text for t in terms if t.kind == "switch"}
    item_terms = tuple(t.text for t in terms if t.kind == "item_term")
    free = any(t.kind == "item" for t in terms)
    comparison = tuple(t.text for t in terms if t.kind == "comparison")
    alone = {t.text for t in model.terms if t.kind in ("item", "item_term")}
    by = " + ".join(t.text for t in terms if t.kind == "by")
    if separate and not item_terms and not free:
        table, more = _own_columns(table, separate)
        comparison = (*comparison, *more)
    if by and not (free or item_terms):
        raise InputError(f"by={by!r} without abilities that vary: {', '.join(sorted(alone))} is inside it")
    base = of_contests(spec)
    changed = replace(
        base,
        item_terms=item_terms,
        separate=separate if item_terms else (),
        comparison_terms=comparison,
        by=by,
        order_effect="order" in chosen,
        tie_shift="tie-shift" in chosen,
        tie_scale="tie-scale" in chosen,
        no_abilities=not (item_terms or free),
        reference=spec.reference if free else "",
    )
    if changed.is_plain and not changed.no_abilities:
        return plain_fit(table, changed)
    return fit_spec(table, changed)


def _own_columns(table: Comparisons, items: Sequence[str]) -> tuple[Comparisons, tuple[str, ...]]:
    """The table with a column for the own ability of each item, first minus second, and their names."""
    moved: dict[str, Column] = {}
    for item in items:
        k = table.items.index(item)
        column = (table.first == k).astype(float) - (table.second == k).astype(float)
        if column.any():
            moved[f"{OWN}{item}"] = column
    return replace(table, columns=beside(table.columns, moved)), tuple(f"`{name}`" for name in moved)
