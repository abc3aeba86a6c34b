"""Which items of the data the names of a printed page mean, and what of it is of the data's other columns.

Names are those of the data, plain or after a prefix; two of them with a word between are a contrast; numbers are places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Union

from ...data.comparisons import Comparisons
from ...data.reading.sources import suggestion
from ...data.respondents.respondents import Respondents
from ...errors import InputError
from ...text import label, listed, named
from ..claims.printed import Printed
from ..claims.quantities import Quantity
from .headings import INTERCEPT, PARAMETERS, kind_among
from .reading import PrintedTable

Data = Union[Comparisons, Respondents]
#: How it is said that names are numbers of items.
NUMBERED = "numbered names are taken as items"
#: Names by which a prefix is found.
MOST_NAMES = 200
#: Kinds of numbers that depend on the cells.
OF_CELLS = ("deviance", "df_resid", "null_deviance", "df_null", "aic_glm", "pearson")
#: What stands between the two items of a contrast, and what the kinds of numbers of its row are.
_VERSUS = re.compile(r"\s(?:vs\.?|versus|minus|against|[-\u2013/:])\s", re.IGNORECASE)
_OF_CONTRAST = {"exp": "odds", "estimate": "contrast"} | {k: f"contrast_{k}" for k in ("se", "z", "p")}


def with_items(
    page: PrintedTable,
    table: Data,
    parameters: Sequence[str] = (),
    intercept: bool = True,
    places: Sequence[str] = (),
) -> PrintedTable:
    """The page with the items of the data in place of its names; rows of two items, "A vs B", are of their contrast.

    intercept: whether an intercept is the order effect, as in a logistic model of wins of the first item.  places: the
    items by their numbers, where that is not their order in the data.
    """
    pairs = _contrasts(page.items, table.items)
    of_pairs = [q for q in page.numbers if q.quantity.name in pairs]
    page = replace(
        page,
        numbers=tuple(q for q in page.numbers if q not in of_pairs),
        items=tuple(name for name in page.items if name not in pairs),
    )
    found, said = _meant(page.items, places or table.items)
    of_model = {_plain(name): name for name in parameters if name not in table.items}
    for name in page.items:
        parameter = of_model.get(_plain(name)) or kind_among(PARAMETERS, name)
        if name not in found and parameter:
            found[name] = parameter
    if intercept and "order" not in found.values() and page.model.get("family") != "llbt":
        found |= {name: "order" for name in page.items if name not in found and INTERCEPT.fullmatch(name)}
    twice = [name for name, n in Counter(found.values()).items() if n > 1]
    if twice:
        names = [name for name, item in found.items() if item == twice[0]]
        where = f"are all {twice[0]!r} in {table.source}"
        raise InputError(f"{page.source}: {listed(names)} {where}; keep only one of them")
    unknown = [name for name in page.items if name not in found]
    # A claim of a long CSV may hold one number; a table with one name of the data is likely another's.
    fewest = 0 if pairs else 1 if page.claim else 2
    if page.items and len(set(found.values()) & {*table.items, *parameters}) < fewest:
        missing = "; no ".join(f"{label(name)!r}{suggestion(name, table.items)}" for name in unknown[:6])
        n, cure = len(page.items), "change the page's names, or --rename those of the data"
        raise InputError(
            f"{page.source}: {n - len(unknown)} of its {n} names are items of {table.source}, fewer than {fewest};"
            f" {f'it has no {missing}; ' if missing else ''}the items are {listed(table.items)}: {cure}"
        )
    like = {name: suggestion(name, table.items) for name in unknown}
    rest = {name: f"row {label(name)}: not an item of {table.source}{near}" for name, near in like.items()}
    # Programs print rows of their own, such as those of pairs; on another page every row is an item's.
    missed = {name for name in unknown if like[name] or not page.program}
    unmatched = tuple((q, rest[q.quantity.name]) for q in page.numbers if q.quantity.name in missed)
    told = {q.quantity.name for q, _ in unmatched}
    left = [q.quantity.name for q in page.numbers if q.quantity.name in rest.keys() - told]
    if unread := [*dict.fromkeys(left)]:
        were = (
            f"{len(unread)} row{'s were' if len(unread) > 1 else ' was'} not read: {label(named(unread, 6))}"
        )
        page = page.but_for(were)
    not_of_pairs = dict.fromkeys(q.quantity.kind for q in of_pairs if q.quantity.kind not in _OF_CONTRAST)
    others = (*page.others, *(why for name, why in rest.items() if name not in told))
    others += tuple(f"column of {kind} (of contrasts)" for kind in not_of_pairs)
    meant, old = {"": "", **found}, [(q, q.quantity) for q in page.numbers]
    numbers = (
        replace(q, quantity=Quantity(o.kind, o.group, meant[o.name])) for q, o in old if o.name in meant
    )
    contrasts = (
        replace(q, quantity=Quantity(_OF_CONTRAST[q.quantity.kind], "all", ".".join(pairs[q.quantity.name])))
        for q in of_pairs
        if q.quantity.kind in _OF_CONTRAST
    )
    if pairs:
        first, two = next(iter(pairs.items()))
        said.append(
            f"rows of two items are contrasts: {label(first)} is {label(two[0])} minus {label(two[1])}"
        )
    compared = (item for two in pairs.values() for item in two)
    items, without = tuple(dict.fromkeys([*found.values(), *compared])), tuple(
        found[n] for n in page.without if n in found
    )
    page = replace(page, sentences=(*page.sentences, *said), others=others, unmatched=unmatched)
    return replace(page, numbers=(*numbers, *contrasts), items=items, without=without)


def with_free_constant(page: PrintedTable, table: Data) -> PrintedTable:
    """The page with its estimates less the last one, where none of all items has a standard error but other rows have:
    as those of gnm, whose constant depends on where it started."""
    own = [q for q in page.numbers if q.quantity.kind == "estimate" and q.quantity.name in table.items]
    errors = {q.quantity.name for q in page.numbers if q.quantity.kind == "se"}
    free = len(own) == len(table.items) and errors and not errors & {*table.items}
    if not free or any(q.printed.value is None or q.printed.unit is None for q in own):
        return page
    last = own[-1].quantity.name
    less: dict[str, Printed] = {q.quantity: q.printed.plus(own[-1].printed, -1) for q in own[:-1]}
    said = f"no estimate of an item has a standard error, so that a constant is free: they are read less that of {label(last)}"
    numbers = (replace(q, printed=less.get(q.quantity, q.printed)) for q in page.numbers if q is not own[-1])
    return replace(page, numbers=tuple(numbers), without=(last,), sentences=(*page.sentences, said))


def on_cells(page: PrintedTable, table: Data) -> PrintedTable:
    """The page with the covariates of its nuisance constants as cells; its deviance is not read if the data lack one."""
    columns = {_plain(name): name for name in getattr(table, "columns", ())}
    if not page.eliminated:
        return page
    cells = tuple(columns.get(_plain(name), "") for name in page.eliminated)
    by = f"nuisance constants by {named(page.eliminated)}"
    if all(cells):
        said = f"{by}: deviance and df are on cells by {named(cells)}"
        return replace(page, model={**page.model, "cells": cells}, sentences=(*page.sentences, said))
    kept = tuple(q for q in page.numbers if q.quantity.kind not in OF_CELLS)
    said = f"the page has {by}, which {table.source} does not have: its deviance, df and AIC were not read"
    return replace(page, numbers=kept).but_for(said)


def _contrasts(names: Sequence[str], items: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Names that are two items with a word or a sign between them, and these items."""
    known = {_plain(item): item for item in items}
    found = {}
    for name in names if len(known) == len(items) else ():
        for sign in _VERSUS.finditer(name) if name not in items else ():
            a, b = (known.get(_plain(part)) for part in (name[: sign.start()], name[sign.end() :]))
            if a is not None and b is not None and a != b:
                found[name] = (a, b)
    return found


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
        said.append(f"{NUMBERED} in the order of the data: {_pairs(of_place)}")
    return found, said


def _pairs(names: Mapping[str, str]) -> str:
    return named(f"{label(name)} is {label(item)}" for name, item in names.items())
