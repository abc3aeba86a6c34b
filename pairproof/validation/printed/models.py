"""Which items the names of a page mean, and of which model its numbers are.

What neither the page nor the caller says is found: the combination of family, ties, scale and reference that brings
most of the printed numbers out.  It is said, and so is what brings as many out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Union

from ...data.comparisons import Comparisons
from ...data.reading.sources import suggestion
from ...data.respondents.respondents import Respondents
from ...errors import InputError, PairproofError
from ...fit.estimates.specification import ANSWER_FAMILIES, TIES_IN_WORDS
from ...fit.fit import Fit
from ...text import label, listed, named
from ..claims.any_scale import on_any_scale
from ..claims.data import fit_model
from ..claims.paper import ModelClaim, PrintedQuantity
from ..claims.quantities import OF_BOARD, Quantity, quantity, scale_of
from .headings import PARAMETERS, kind_among
from .reading import PrintedTable

#: The families, each on its own scale before the others': the field's default stands first.
ON_SCALES = (
    ("bradley-terry", "log-odds"),
    ("llbt", "lambda"),
    ("bradley-terry", "lambda"),
    ("llbt", "log-odds"),
)
Data = Union[Comparisons, Respondents]
#: Items without a number, or with 0, that are tried as reference; names by which a prefix is found.
MOST_REFERENCES, MOST_NAMES = 6, 200
#: What is looked for, in the order in which it is said; kinds of numbers that depend on the cells.
FREE = ("scale", "ties", "family", "order_effect", "cells")
OF_CELLS = ("deviance", "df_resid", "null_deviance", "df_null", "aic_glm")
#: Kinds of numbers that a reference has none of.
OF_ITEMS = ("estimate", "se", "z", "p", "low", "high", "exp")
#: Part of a standard error below which a difference says nothing about the model.
IMMATERIAL = 0.01


def with_items(page: PrintedTable, table: Data, parameters: Sequence[str] = ()) -> PrintedTable:
    """The page with the items of the data in place of its names."""
    found, said = _meant(page.items, table.items)
    of_model = {_plain(name): name for name in parameters if name not in table.items}
    for name in page.items:
        parameter = of_model.get(_plain(name)) or kind_among(PARAMETERS, name)
        if name not in found and parameter:
            found[name] = parameter
    twice = [name for name, n in Counter(found.values()).items() if n > 1]
    if twice:
        names = [name for name, item in found.items() if item == twice[0]]
        raise InputError(
            f"{page.source}: {listed(names)} are all {twice[0]!r} in {table.source}; keep only one of them"
        )
    unknown = [name for name in page.items if name not in found]
    if page.items and len(set(found.values()) & {*table.items, *parameters}) < 2:
        near = [f"{label(name)!r}{suggestion(name, table.items)}" for name in unknown[:6]]
        raise InputError(
            f"{page.source}: {len(page.items) - len(unknown)} of its {len(page.items)} names are items of {table.source}; it"
            f" has no {'; no '.join(near)}; the items are {listed(table.items)}: change the page's names, or --rename those"
            " of the data"
        )
    like = {name: suggestion(name, table.items) for name in unknown}
    rest = {name: f"row {label(name)}: not an item of {table.source}{near}" for name, near in like.items()}
    # Programs print rows of their own, such as those of pairs; on another page every row is an item's.
    missed = {name for name in unknown if like[name] or not page.program}
    unmatched = [(q, rest[q.quantity.name]) for q in page.numbers if q.quantity.name in missed]
    told = {q.quantity.name for q, _ in unmatched}
    meant, old = {"": "", **found}, [(q, q.quantity) for q in page.numbers]
    numbers = [
        replace(q, quantity=Quantity(o.kind, o.group, meant[o.name])) for q, o in old if o.name in meant
    ]
    return replace(
        page,
        numbers=tuple(numbers),
        items=tuple(dict.fromkeys(found.values())),
        without=tuple(found[name] for name in page.without if name in found),
        sentences=(*page.sentences, *said),
        others=(*page.others, *(why for name, why in rest.items() if name not in told)),
        unmatched=tuple(unmatched),
    )


def _plain(name: str) -> str:
    """Letters and digits of a name: programs put dots, underlines or nothing for blanks."""
    return re.sub(r"[\W_]+", "", name.casefold()) or name


def _meant(names: Sequence[str], items: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The item that each name means, and how it is known where that is not plain."""
    found = {name: name for name in names if name in items}
    left = [name for name in names if name not in found]
    times = Counter(_plain(item) for item in items)
    plain = {_plain(item): item for item in items if times[_plain(item)] == 1 and item not in found}
    pairs = product(map(_plain, left[:MOST_NAMES]), plain)
    prefixes = Counter(name.removesuffix(item) for name, item in pairs if name.endswith(item))
    best = max(prefixes, key=lambda p: (prefixes[p], -len(p)), default="")
    said = []
    if not best or prefixes[best] > 1 or len(items) == 2:
        begun = {name: _plain(name)[len(best) :] for name in left if _plain(name).startswith(best)}
        more = {name: plain[rest] for name, rest in begun.items() if rest in plain}
        found |= more
        said += [f"names are read without {best!r}: {_pairs(more)}"] * bool(best and more)
    places = [re.fullmatch(r"(\D{0,8}?)0*(\d{1,4})", name) for name in left]
    counted = {m[0]: int(m[2]) for m in places if m and 0 < int(m[2]) <= len(items)}
    if len(found) < 2 <= len(counted):
        of_place = {name: items[k - 1] for name, k in counted.items() if not re.fullmatch(r"g\d", name)}
        found |= of_place
        said.append(f"numbered names are taken as items in the order of the data: {_pairs(of_place)}")
    return found, said


def _pairs(names: Mapping[str, str]) -> str:
    return named(f"{label(name)} is {label(item)}" for name, item in names.items())


@dataclass(frozen=True)
class FoundModel:
    """The model that a page's numbers are held to, how many of them it brings out, and how it was found."""

    model: ModelClaim
    come_out: int = 0
    of: int = 0
    sentences: tuple[str, ...] = ()


def find_model(page: PrintedTable, table: Data, stated: Mapping[str, Any]) -> FoundModel:
    """The model of a page with the items of the data.

    stated: what the caller says about the model, by the names of :class:`..claims.paper.ModelClaim`.
    """
    said = {**page.model, **{key: value for key, value in stated.items() if value}}
    numbers = [q for q in page.numbers if q.quantity.kind not in OF_BOARD]
    candidates = _candidates(page, table, said)
    tried = {model: n for model in candidates if (n := _n_out(table, model, numbers)) >= 0}
    if not tried:
        raise InputError(f"{page.source}: no model as stated fits {table.source}: {_in_words(said)}")
    own = {model: n for model, n in tried.items() if model.scale != "any" or "scale" in said}
    best = max(own or tried, key=lambda m: tried[m])
    free = max(tried, key=lambda m: tried[m])
    # A free factor and constant bring out more of any page: only where without them hardly a number does.
    if tried[best] * 3 < len(numbers) and tried[free] * 3 >= len(numbers) * 2:
        best = free
    if tried[best] * 2 < len(numbers) and "order_effect" not in said and not best.order_effect:
        tried |= _with_order_effect(table, tried, numbers)
        best = max(tried, key=lambda m: tried[m] if m.scale == best.scale or m.order_effect else -1)
    tried = {model: n for model, n in tried.items() if model.scale != "any" or best.scale == "any"}
    if not best.cells and tried[best] < len(numbers) and any(q.quantity.kind in OF_CELLS for q in numbers):
        by_row = replace(best, cells=("row",))
        n = _n_out(table, by_row, numbers)
        if n > tried[best]:
            best, tried = by_row, {**tried, by_row: n}
    sentences = (*_said(tried, best, len(numbers)), *_of_reference(page, table, best, said))
    return FoundModel(best, tried[best], len(numbers), sentences)


def _with_order_effect(
    table: Data, tried: Mapping[ModelClaim, int], numbers: Sequence[PrintedQuantity]
) -> dict[ModelClaim, int]:
    """The models with an order effect that the page does not print (as R's abilities), if they reproduce half of it."""
    also = (replace(m, order_effect=True) for m in tried if m.family != "plackett-luce" and m.scale != "any")
    found = {m: _n_out(table, m, numbers) for m in also}
    return {m: n for m, n in found.items() if n * 2 >= len(numbers)}


def _candidates(page: PrintedTable, table: Data, said: Mapping[str, Any]) -> Iterator[ModelClaim]:
    """The models that may be meant, the likeliest first."""
    pairs = isinstance(table, Comparisons)
    ways = [*ON_SCALES, ("bradley-terry", "any")] if pairs else [(family, "") for family in ANSWER_FAMILIES]
    as_said = [(said.get("family", family), said.get("scale", scale)) for family, scale in ways]
    scales = [way for way, other in zip(ways, as_said) if way == other]
    scales = scales or [(said.get("family", "bradley-terry"), said.get("scale", ""))]
    all_laws = [None] if not pairs else [*TIES_IN_WORDS] if table.tie_category else ["none"]
    laws = [said["ties"]] if "ties" in said else all_laws
    references = [said["reference"]] if "reference" in said else _references(page, table)
    orders = [True, False] if "order" in page.items and "order_effect" not in said else [False]
    tried = ("family", "scale", "ties", "reference", "order_effect")
    rest = {key: value for key, value in said.items() if key not in tried}
    for (family, scale), ties, reference, order in product(scales, laws, references, orders):
        order = said.get("order_effect", order)
        yield ModelClaim(family, ties, reference=reference, scale=scale, order_effect=order, **rest)


def _references(page: PrintedTable, table: Data) -> list[str]:
    """Items with 0 or without a number, and the sum where there are none."""
    printed = {q.quantity.name for q in page.numbers if q.quantity.kind in OF_ITEMS}
    if not printed & set(table.items):
        return [""]
    absent = [item for item in table.items if item not in printed or item in page.without]
    return absent[:MOST_REFERENCES] or ["sum"]


def _n_out(table: Data, model: ModelClaim, numbers: Sequence[PrintedQuantity]) -> int:
    """How many numbers the model reproduces; -1 if it cannot be fitted."""
    try:
        fit = fit_model(table, model)
    except PairproofError:
        return -1
    values: Mapping[str, float] = {q.quantity: _value(fit, q.quantity) for q in numbers}
    if model.scale == "any":
        values = on_any_scale(fit, numbers, values).values
    return sum(_comes_out(fit, q, values[q.quantity]) for q in numbers)


def _value(fit: Fit, q: Quantity) -> float:
    try:
        return quantity(fit, q)
    except InputError:
        return math.nan


def _comes_out(fit: Fit, q: PrintedQuantity, value: float) -> bool:
    """Whether the number is printed so, or differs by what nobody sees: programs stop early."""
    if math.isnan(value):
        return False
    of_worth = q.quantity.kind == "worth"
    size = _value(fit, q.quantity.of("worth_se")) if of_worth else scale_of(q.quantity, fit)
    near = q.printed.value is not None and abs(value - float(q.printed.value)) <= IMMATERIAL * size
    return near or q.printed.verdict(value).verdict != "differs"


def _said(tried: Mapping[ModelClaim, int], best: ModelClaim, n: int) -> Iterator[str]:
    """What was found, and what else brings as many numbers out."""
    for key in FREE:
        most = {getattr(m, key): tried[m] for m in sorted(tried, key=lambda m: tried[m])}
        own = most.pop(getattr(best, key))
        if set(most.values()) - {own}:
            others = ", ".join(f"{k} of {n} with {_word(other)}" for other, k in most.items())
            yield f"{key.replace('_', ' ')} {_word(getattr(best, key))} was found: {own} of {n} are reproduced, {others}"
    equal = [
        {key: value for key in (*FREE, "reference") if (value := getattr(m, key)) != getattr(best, key)}
        for m, k in tried.items()
        if k == tried[best] and m != best
    ]
    if equal:
        yield f"as many are reproduced with {'; or '.join(map(_in_words, equal[:4]))}; the first is used"


def _of_reference(
    page: PrintedTable, table: Data, best: ModelClaim, said: Mapping[str, Any]
) -> Iterator[str]:
    """How the reference was found."""
    if "reference" not in said and best.reference == "sum":
        yield "reference sum: every item has a number that is not 0"
    elif "reference" not in said and best.reference:
        absent = set(table.items) - {q.quantity.name for q in page.numbers}
        alone = "it is without a number" if absent == {best.reference} else "its number is 0 or missing"
        yield f"reference {label(best.reference)}: {alone}"


def _in_words(said: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {_word(value)}" for key, value in said.items())


def _word(value: Any) -> str:
    if value is True or not value:
        return "yes" if value else "none"
    return label(" and ".join(value) if isinstance(value, tuple) else str(value))
