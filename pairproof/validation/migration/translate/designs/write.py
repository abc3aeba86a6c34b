"""A recognised model as the call of `fit_bradley_terry` or `fit_llbt` that says the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...code.expressions import Call, File
from ...recognise.covariates import Product, Variable
from ...recognise.decide import Recognised
from ...recognise.model import Model

FloatArray = NDArray[np.float64]
_PLAIN = re.compile(r"[^\W\d]\w*\Z")
#: Columns that `pairproof.read` gives a meaning of its own.
RESERVED = frozenset(
    "first second wins losses ties outcome judge weight source order model_a model_b winner item".split()
)


def fit_call(
    found: Recognised,
    function: str,
    stem: str,
    *,
    ties: str | None = None,
    offset: FloatArray | None = None,
    link: str = "logit",
    half: bool = False,
    order_effect: bool | None = None,
) -> Call:
    """`pairproof.fit_llbt(pairproof.read(...), ...)`.

    stem: of the table's file.  ties: in place of the model's own.  offset float[n].  half: whether halves in
    the counts are half wins of ties.  order_effect: in place of the model's own.
    """
    model = found.model
    named = _names(model)
    columns, mapping = _columns(found, half)
    columns.update({named[name]: _plain(v) for name, v in model.variables.items()})
    columns.update({named[name]: tidy(v) for name, v in model.comparison.items()})
    if offset is not None:
        columns["offset"] = tidy(offset)
    options: dict[str, Any] = {"layout": "counts"}
    if mapping:
        options["columns"] = mapping
    if list(model.items) != _usual_order(columns, mapping):
        options["items"] = list(model.items)
    levels = {named[n]: list(v.levels) for n, v in model.variables.items() if v.levels}
    if levels:
        options["levels"] = levels
    if model.item_terms:
        of_items: dict[str, list[Any]] = {"item": list(model.items)}
        of_items.update({named[n]: tidy(v) for n, v in model.item_terms.items()})
        options["item_data"] = File(of_items, f"{stem}_items" if stem else "items")
    keywords = _keywords(model, function, named, ties, order_effect)
    if offset is not None:
        keywords["offset"] = "offset"
    if link != "logit":
        keywords["link"] = link
    keywords["cells"] = "row"
    return Call(f"pairproof.{function}", (Call("pairproof.read", (File(columns, stem),), options),), keywords)


def renamed(model: Model, name: str) -> str:
    """The fit's name of one of our parameters, whose columns may have other names in the table."""
    named = _names(model)
    at = {label: of for label, of in _labels(model, named).items()}
    parts = name.split(":")
    return at.get(name, ":".join(at.get(p, p) for p in parts))


def _labels(model: Model, named: dict[str, str]) -> dict[str, str]:
    out = {n: named[n] for n in (*model.comparison, *model.item_terms)}
    for variable in model.variables.values():
        for label, _ in variable.columns():
            out[label] = named[variable.name] + label[len(variable.name) :]
    return out


def _names(model: Model) -> dict[str, str]:
    """Names of covariates as columns of the table: R's, but for those that mean something else there."""
    return safe_names([*model.variables, *model.comparison, *model.item_terms], model.items)


def safe_names(names: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """Names of covariates as columns of a table of these items."""
    taken = {*RESERVED, *items, "tie", "offset", "weights"}
    named: dict[str, str] = {}
    for name in names:
        chosen = re.sub(r"[`:\[\]*+]", "_", name) or "x"
        while chosen in taken:
            chosen += "_"
        taken.add(chosen)
        named[name] = chosen
    return named


def _columns(found: Recognised, half: bool) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """The contests as columns, and which of them have other names than `pairproof.read` expects."""
    model, contests = found.model, found.model.contests
    heads, mapping = ("first", "second"), {}
    if found.players is not None:
        turned = [model.items[k] for k in contests.first[:1]]
        named = found.players.columns
        plain = not {*named} & RESERVED and bool(turned)
        if plain:
            heads, mapping = named, {"first": named[0], "second": named[1]}
    columns: dict[str, list[Any]] = {
        heads[0]: [model.items[k] for k in contests.first],
        heads[1]: [model.items[k] for k in contests.second],
    }
    wins, losses, ties = contests.wins, contests.losses, contests.ties
    if half:
        ties = 2.0 * (wins % 1.0)
        wins, losses = np.floor(wins), np.floor(losses)
    columns["wins"] = tidy(wins)
    if ties is not None:
        columns["ties"] = tidy(ties)
    columns["losses"] = tidy(losses)
    return columns, mapping


def _usual_order(columns: dict[str, list[Any]], mapping: dict[str, str]) -> list[str]:
    """The order of items that `pairproof.read` takes by itself; [] where it takes them for numbers."""
    one, other = (mapping or {"first": "first", "second": "second"}).values()
    found = sorted({*columns[one], *columns[other]})
    return [] if any(re.fullmatch(r"\s*[-+]?\d+\s*", name) for name in found) else found


def _keywords(
    model: Model, function: str, named: dict[str, str], ties: str | None, order_effect: bool | None
) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    chosen = ties if ties is not None else "none" if model.ties == "none" else None
    if chosen is not None:
        keywords["ties"] = chosen
    usual = model.items[-1] if function == "fit_llbt" else model.items[0]
    if model.reference and model.reference != usual:
        keywords["reference"] = model.reference
    if model.item_terms:
        keywords["item_terms"] = [named[n] for n in model.item_terms]
    by = [product_text(p, named) for p in model.by]
    by += [f"{_item(item)}:{product_text(p, named)}" for item, p in model.of_items]
    by += [f"{_word(named[term])}:{product_text(p, named)}" for term, p in model.of_item_terms]
    by += [f"tie:{product_text(p, named)}" for p in model.of_ties]
    if by:
        keywords["by"] = " + ".join(by)
    if model.order_effect if order_effect is None else order_effect:
        keywords["order_effect"] = True
    if model.comparison:
        keywords["comparison_terms"] = [_word(named[n]) for n in model.comparison]
    return keywords


def _item(name: str) -> str:
    return name if _PLAIN.match(name) else f"`{name}`"


def product_text(product: Product, named: dict[str, str]) -> str:
    """A product of covariates in a formula."""
    return ":".join(_word(named[v.name]) for v in product.variables)


def _word(name: str) -> str:
    return name if _PLAIN.match(name) else f"`{name}`"


def _plain(variable: Variable) -> list[Any]:
    return list(variable.values) if variable.levels else tidy(np.array(variable.values, dtype=float))


def tidy(values: FloatArray) -> list[Any]:
    """Numbers, whole ones as integers where all are."""
    if bool((values == np.round(values)).all()) and np.abs(values).max(initial=0.0) < 2**31:
        return [int(v) for v in values]
    return [float(v) for v in values]
