"""A printed page beside its data: a verdict on each of its numbers, or the claims file that holds them.

Which items its names mean is found (:mod:`.names`), and so is what neither the page nor the caller says of its model: the combination
of family, ties, scale and reference that brings most of the printed numbers out.  It is said, and so is what brings as
many out.  A published board is such a page, on scale "elo".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError, PairproofError
from ...fit.estimates.specification import ANSWER_FAMILIES, TIES_IN_WORDS
from ...fit.fit import Fit
from ...text import label, named
from ..check.draft import Draft, draft
from ..claims.data import fit_model
from ..claims.other_scales import BoardNumbers, on_any_scale
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper, PrintedQuantity
from ..claims.printed import R_LEGEND
from ..claims.quantities import OF_BOARD, OF_PARAMETER, Quantity, quantity, scale_of
from ..report.context import ReportContext, versions
from ..report.verification import Verification
from ..verdicts.agreement import (
    AGREEING,
    ANOTHER_MODEL,
    COLUMNS_NOT_READ,
    NO_SUCH_ITEM,
    NOT_A_NUMBER,
    OTHER_MODELS,
    Agreement,
)
from ..verdicts.definitions import OF_ERROR
from ..verdicts.other_errors import NEAR, NOT_WALD
from ..verdicts.verdict import IMMATERIAL, OF_STOPPING
from .headings import INTERCEPT
from .names import NUMBERED, OF_CELLS, Data, on_cells, with_free_constant, with_items
from .reading import PrintedTable, tables_of

if TYPE_CHECKING:
    from ...bridge.process.policy import BackendLike

#: The families, each on its own scale before the others': the field's default stands first.
ON_SCALES = (
    ("bradley-terry", "log-odds"),
    ("llbt", "lambda"),
    ("bradley-terry", "lambda"),
    ("llbt", "log-odds"),
)
#: Items without a number, or with 0, that are tried as reference.
MOST_REFERENCES = 6
#: What is looked for, in the order in which it is said.
FREE = ("scale", "ties", "family", "order_effect", "link", "cells")
#: Kinds of numbers that are the same on every scale.
OF_NO_SCALE = ("z", "chi2", "p", "df", "contrast_z", "contrast_p", *OF_CELLS)
#: Kinds of numbers that a reference has none of.
OF_ITEMS = OF_PARAMETER


@dataclass(frozen=True)
class FoundModel:
    """The model that a page's numbers are held to, how many of them it brings out, and how it was found.

    free: how many any page would bring out: by a factor, a constant, an effect that it does not print, its reference.
    """

    model: ModelClaim
    come_out: int = 0
    of: int = 0
    sentences: tuple[str, ...] = ()
    free: int = 0


def find_model(page: PrintedTable, table: Data, stated: Mapping[str, Any]) -> FoundModel:
    """The model of a page with the items of the data.

    stated: what the caller says about the model, by the names of :class:`..claims.paper.ModelClaim`.
    """
    said = {**page.model, **{key: value for key, value in stated.items() if value}}
    numbers = [q for q in page.numbers if q.quantity.kind not in OF_BOARD]
    if page.sided == 1:  # a fit's are two-sided
        numbers = [q for q in numbers if q.quantity.kind != "p"]
    if said.get("family") in ANSWER_FAMILIES and isinstance(table, Comparisons):
        raise InputError(
            f"{page.source}: output of {page.program or 'model ' + said['family']}, whose model is of persons' whole answers;"
            f" {table.source} has single comparisons: write a claims file that names the file of answers, or use"
            " 'pairproof check-numbers' for the numbers alone"
        )
    candidates = _candidates(page, table, said)
    tried = {model: n for model in candidates if (n := _n_out(table, model, numbers)) >= 0}
    if not tried:
        raise InputError(f"{page.source}: no model as stated fits {table.source}: {_in_words(said)}")
    own = {model: n for model, n in tried.items() if model.scale != "any" or "scale" in said}
    best = max(own or tried, key=lambda m: tried[m])
    free = max(tried, key=lambda m: tried[m])
    for key, value in (("order_effect", True), ("link", "probit")):
        if tried[best] * 2 < len(numbers) and key not in said and getattr(best, key) != value:
            more = _with_more(table, tried, numbers, {key: value})
            tried |= more
            best = max(tried, key=lambda m: tried[m] if m.scale == best.scale or m in more else -1)
    # A free factor and constant bring out more of any page: only where without them hardly a number does that
    # has a scale.
    scaled = [q for q in numbers if q.quantity.kind not in OF_NO_SCALE]
    n_own, n_free = (_n_out(table, model, scaled) for model in (best, free))
    if n_own * 3 < len(scaled) and n_free * 3 >= len(scaled) * 2:
        best = free
    tried = {model: n for model, n in tried.items() if model.scale != "any" or best.scale == "any"}
    if not best.cells and tried[best] < len(numbers) and any(q.quantity.kind in OF_CELLS for q in numbers):
        by_row = replace(best, cells=("row",))
        n = _n_out(table, by_row, numbers)
        if n > tried[best]:
            best, tried = by_row, {**tried, by_row: n}
    sentences = (*_said(tried, best, len(numbers)), *_of_reference(page, table, best, said))
    printed = {q.quantity.name for q in numbers if q.quantity.kind == "estimate"}
    unsaid = best.order_effect and "order" not in page.items and "order_effect" not in said
    by_chance = 2 * (best.scale == "any") + unsaid + (best.reference in printed)
    return FoundModel(best, tried[best], len(numbers), sentences, by_chance)


def _with_more(
    table: Data, tried: Mapping[ModelClaim, int], numbers: Sequence[PrintedQuantity], more: Mapping[str, Any]
) -> dict[ModelClaim, int]:
    """The models with an order effect that the page does not print (as R's abilities), or with another link, if they
    reproduce half of it."""
    families = ("bradley-terry",) if "link" in more else ("bradley-terry", "llbt")
    also = (replace(m, **more) for m in tried if m.family in families and m.scale != "any")
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
        values = on_any_scale(fit, numbers, values, model.reference).values
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
    if equal and tried[best]:
        ours = {key: getattr(best, key) for key in dict.fromkeys(key for other in equal[:4] for key in other)}
        yield f"as many are reproduced with {'; or '.join(map(_in_words, equal[:4]))}; {_in_words(ours)} is used"


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


# -- verdicts, and a claims file -----------------------------------------------------------------------------

#: Part of a page's numbers that a model must reproduce, or the page may be of another model.
LEAST_OUT = 1 / 3
#: What is said about a board that says nothing else.
OF_A_BOARD = {"family": "bradley-terry", "ties": "half", "reference": "sum"}
#: Claims of a page: what each holds.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ratings", ("estimate",)),
    ("limits", ("se", "low", "high")),
    ("ranks", ("rank_low", "rank_high")),
    ("counts", OF_BOARD),
)
_RATINGS_OF_BOARD, _LIMITS_OF_BOARD = _PARTS[0][0], _PARTS[1][0]
_OF_PARTS = tuple(kind for _, kinds in _PARTS for kind in kinds)


@dataclass(frozen=True)
class Page:
    """A table of a page with the items of the data, and the model that it is held to."""

    table: PrintedTable
    found: FoundModel

    @property
    def sentences(self) -> tuple[str, ...]:
        left = (*(why for *_, why in self.table.bad), *(why for _, why in self.table.unmatched))
        return (
            *self.table.sentences,
            *dict.fromkeys(f"not checked: {why}" for why in left),
            *self.found.sentences,
        )


def read_pages(
    path: str,
    data: Data,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
    sided: int = 0,
) -> tuple[Page, ...]:
    """The tables of a file, each with its model.

    stated: what the caller says about the model.  columns: the heading of a kind of number that has two.  sided: of the
    p-values; 0: as the page says.
    """
    pages, parameters, strange = list[Page](), _parameters(data, stated), list[InputError]()
    for read in tables_of(path, columns):
        try:
            table = with_items(replace(read, sided=sided or read.sided), data, parameters)
        except InputError as error:  # as thresholds have a table of their own
            strange.append(error)
            continue
        if {**table.model, **stated}.get("scale") == "elo":
            own = {"scale": "elo", "by_vote": not stated.get("cluster")}
            own |= {} if stated.get("level") else {"level": table.model.get("level", "")}
            kept = tuple(q for q in table.numbers if q.quantity.kind in _OF_PARTS)
            left = dict.fromkeys(q.quantity.kind for q in table.numbers if q not in kept)
            others = (*table.others, *(f"column of {kind}" for kind in left))
            table = replace(table, numbers=kept, others=others)
            pages.append(Page(table, _of_board(table, data, {**stated, **own})))
            continue
        # Limits of estimates are tried at the usual levels.
        of_model = {key: value for key, value in stated.items() if key != "level"}
        if any(NUMBERED in sentence for sentence in table.sentences) and isinstance(data, Comparisons):
            table = _in_order_of_rows(read, table, data, of_model)
        table = on_cells(with_free_constant(table, data), data)
        found = find_model(table, data, of_model)
        if not found.model.order_effect and any(map(INTERCEPT.fullmatch, read.items)):
            table = with_items(replace(read, sided=table.sided), data, parameters, intercept=False)
            found = find_model(table, data, of_model)
        pages.append(Page(table, found))
    if not pages:
        raise strange[0]
    if strange:
        n = f"{len(strange)} further table{'s' * (len(strange) > 1)} without items of the data not read"
        pages[0] = replace(pages[0], table=pages[0].table.but_for(n))
    return tuple(pages)


def _in_order_of_rows(
    read: PrintedTable, table: PrintedTable, data: Comparisons, stated: Mapping[str, Any]
) -> PrintedTable:
    """The page with its numbers as items in the order in which the rows name them, if that brings out more."""
    codes = np.stack([data.first, data.second], axis=1).ravel()
    places = [data.items[k] for k in dict.fromkeys(codes.tolist())]
    found = find_model(table, data, stated)
    if found.come_out == found.of or len(places) < len(data.items) or places == [*data.items]:
        return table
    other = with_items(replace(read, sided=table.sided), data, places=places)
    more = find_model(other, data, stated).come_out > found.come_out
    said = tuple(s.replace("in the order of the data", "in the order of its rows") for s in other.sentences)
    return replace(other, sentences=said) if more else table


def _of_board(page: PrintedTable, data: Data, stated: Mapping[str, Any]) -> FoundModel:
    """The model of a board, with the law of ties that brings its ratings out: half wins unless another is stated."""
    laws = [stated.get("ties") or "none"]
    if getattr(data, "tie_category", False) and not stated.get("ties"):
        laws = sorted(TIES_IN_WORDS, key=lambda law: law != OF_A_BOARD["ties"])
    tried: dict[str, FoundModel] = {}
    for law in laws:
        tried[law] = _on_points(page, data, ModelClaim(**{**OF_A_BOARD, **stated, "ties": law}))
        if tried[law].come_out * 2 > tried[law].of or not tried[law].of:
            break
    best = max(tried, key=lambda law: tried[law].come_out)
    if best == laws[0] or tried[best].come_out * 2 <= tried[best].of:
        return tried[laws[0]]
    other = f"{tried[laws[0]].come_out} of {tried[laws[0]].of} with ties {laws[0]}"
    said = (
        f"ties {best} was found: {tried[best].come_out} of {tried[best].of} ratings are reproduced, {other}"
    )
    return replace(tried[best], sentences=(said, *tried[best].sentences))


def _on_points(page: PrintedTable, data: Data, model: ModelClaim) -> FoundModel:
    """The model of a board, where nothing is stated with the origin of the page's own ratings.

    An additive constant is no difference, and where one item has no spread of its own the others' are against it.
    """
    items = set(data.items)
    own = [q for q in page.numbers if q.quantity.kind == "estimate" and q.quantity.name in items]
    if not isinstance(data, Comparisons):
        return FoundModel(model)
    try:
        plain = replace(model, by_vote=False, cluster=())  # ratings do not depend on it, and it takes time
        board = BoardNumbers(fit_model(data, plain), data, plain)
        off = [(q.printed, board.value(q.quantity), OF_STOPPING * board.error(q.quantity)) for q in own]
    except PairproofError:
        return FoundModel(model)
    spans = [(float(p.low) - x, float(p.high) - x, e) for p, x, e in off if p.low and p.high and x == x]
    ends = [(low - e, high + e) for low, high, e in spans]
    as_stated = FoundModel(model, sum(low <= 0.0 <= high for low, high in ends), len(ends))
    if model.anchor or model.at is not None:
        return as_stated
    n_of = _n_within(ends)
    most = max(n_of.values(), default=0)
    if most < 3 or most <= as_stated.come_out:
        return as_stated
    # What a program that stops early leaves moves the constant only where the printed digits do not tell it.
    exact = _n_within([(low, high) for low, high, _ in spans])
    n_of = exact if max(exact.values()) == most else n_of
    best = [c for c in n_of if n_of[c] == most]
    least, most_of = min(best), max(best)
    fixed = next((q for q in own if _without_spread(q, page)), None)
    if fixed is not None and fixed.printed.value is not None:
        found = replace(model, anchor=fixed.quantity.name, at=float(fixed.printed.value))
        said = f"{label(fixed.quantity.name)} has no interval: its rating of {fixed.printed.text} is taken as the anchor"
        return replace(as_stated, model=found, come_out=most, sentences=(f"{said} (--anchor)",))
    at = 1000.0 + _roundest(least, most_of)
    said = (
        f"the ratings are those with mean {at:g}: all differ from ratings with mean 1000 by the same number, which is"
        " no difference; limits and standard errors of ratings with one fixed need --anchor"
    )
    return replace(as_stated, model=replace(model, at=at), come_out=most, sentences=(said,))


def _n_within(ends: Sequence[tuple[float, float]]) -> dict[float, int]:
    """In how many intervals each of their ends lies."""
    return {c: sum(low <= c <= high for low, high in ends) for two in ends for c in two}


def _without_spread(q: PrintedQuantity, page: PrintedTable) -> bool:
    """Whether the item of this rating has no interval, or one of no width, beside others that have one."""
    of = {other.quantity: other.printed.value for other in page.numbers}
    if not any(name.kind in ("low", "se") for name in of):
        return False
    low, high, se = (of.get(q.quantity.of(kind)) for kind in ("low", "high", "se"))
    return se == 0 or low == high and (low is None or low == q.printed.value) and se is None


def _roundest(low: float, high: float) -> float:
    """The number between two that has the fewest digits."""
    middle = (low + high) / 2.0
    return next((x for k in range(-3, 9) if low <= (x := round(middle, k)) <= high), middle)


def _parameters(data: Data, stated: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a model that has more than items, as the caller states it."""
    if not any(stated.get(key) for key in ("by", "formula", "item_terms", "comparison_terms")):
        return ()
    asked = {"family": "llbt", **stated}
    return tuple(map(str, fit_model(data, ModelClaim(**asked)).params.index))


def check_printed(
    path: str,
    data: Comparisons,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
    *,
    r: BackendLike | str = None,
    progress: Callable[[str], None] = lambda what: None,
    explain: bool = True,
    immaterial: float = IMMATERIAL,
    sided: int = 0,
) -> Verification:
    """The verdict on each number of a file of printed numbers; what was read and found stands before them.

    path: the file.  data: the comparisons that the numbers are of.  stated, columns: as of :func:`read_pages`.  sided:
    of the p-values, 1 or 2; 0: as the page says, else two-sided.  The others as of :func:`pairproof.validation.run`.
    """
    from ..check.recompute import Checked, made
    from ..verify import backend_of

    pages = read_pages(path, data, stated, columns, sided)
    claims = {name: (page, claim) for page, name, claim in _claims(pages)}
    name, backend = Path(path).name, backend_of(r)
    data_of = {"votes": DataSpec("votes", "long")}
    checks = tuple(claim for _, claim in claims.values())
    paper = Paper(Path(path).stem, name, data=data_of, claims=checks, source=path)
    checked = Checked(paper, backend, immaterial, {"votes": data})
    checked.run(progress, explain)
    found_rows = [*_of_bootstrap(checked.rows)]
    agree = Counter(a.claim for a in found_rows if a.about == "printed" and a.verdict in AGREEING)
    founds = {
        name: replace(p.found, come_out=max(p.found.come_out, agree[name])) for name, (p, _) in claims.items()
    }
    rows = [_doubted(a, founds[a.claim], stated) if a.claim in claims else a for a in found_rows]
    rows = [_of_other_errors(a, rows, claims[a.claim][0]) if a.claim in claims else a for a in rows]
    for page in pages:
        own = next((claim for of, claim in claims.values() if of is page), Claim(id="not checked"))
        rows += [*_unmatched(paper.id, own, page), *_not_looked_at(paper.id, page, data)]
    context = ReportContext(
        title=f"{label(name)}: are its numbers reproduced from {label(Path(data.source).name)}?",
        subtitle=f"{data.n_comparisons:,.10g} comparisons from {data.source}; {_model_in_words(pages[0].found.model)}",
        made=made(),
        versions=versions(backend),
        first_lines=tuple(sentence for page in pages for sentence in page.sentences),
    )
    return Verification(tuple(rows), context, False, {paper.id: checked.found})


def _of_bootstrap(rows: Sequence[Agreement]) -> Iterator[Agreement]:
    """The rows; beside limits that are a bootstrap's, ratings and limits within its noise are not checkable, if they are
    not as computed.  A median of 100 rounds has half the noise of a limit: 0.125 standard errors, here thrice.
    """
    ends = {_RATINGS_OF_BOARD: 0.75 * NEAR, _LIMITS_OF_BOARD: NEAR}
    parts = [next((end for end in ends if a.claim.endswith(end)), "") for a in rows]
    boards = {a.claim.removesuffix(end) for a, end in zip(rows, parts) if end and a.code == NOT_WALD}
    for a, end in zip(rows, parts):
        of_board = (
            end and a.claim.removesuffix(end) in boards and a.quantity.kind in ("estimate", "low", "high")
        )
        if not of_board or a.verdict == "agrees" or a.code == NOT_WALD or (a.size or 0.0) > ends[end]:
            yield a
            continue
        why = f"{NOT_WALD}: its limits are a bootstrap's, whose rounds move it by up to {ends[end]:.2g} standard errors"
        yield replace(a, verdict="not-checkable", explanation=why, code=NOT_WALD, finding="")


def _doubted(row: Agreement, found: FoundModel, stated: Mapping[str, Any]) -> Agreement:
    """A number that differs, of a page that says nothing about its model and is hardly of the one that was
    found."""
    out, on_points = found.of * LEAST_OUT <= found.come_out - found.free, found.model.scale == "elo"
    known = (
        out or not on_points and ("family" in stated or "scale" in stated) or row.quantity.kind in OF_BOARD
    )
    if known or row.verdict not in ("differs", "differs-conclusion"):
        return row
    cure = (
        "state it: --model, --ties, --reference, --scale, --cluster, or --items if the page numbers its items"
    )
    if on_points:
        cure = (
            "they may be of another method, such as online Elo, which depends on the order of the votes; if not, state"
            " --ties, --expected or --style"
        )
    why = (
        f"another-model: the page does not state its model, and none of those that were tried reproduces more"
        f" than {found.come_out} of its {found.of} {'ratings' if on_points else 'numbers'}; {cure}"
    )
    of: dict[str, Any] = {"code": ANOTHER_MODEL, "finding": f"{row.claim}: {ANOTHER_MODEL}"}
    return replace(row, verdict="not-run", explanation=why, **of)


def _of_other_errors(row: Agreement, rows: Sequence[Agreement], page: Page) -> Agreement:
    """A number of errors that are said not to be the model's, and of none that was asked for, if several are not
    reproduced."""
    wrong = ("differs", "differs-conclusion", "not-run")
    off = [a for a in rows if a.claim == row.claim and a.quantity.kind in OF_ERROR and a.verdict in wrong]
    asked = not page.table.errors or page.found.model.cluster
    if asked or row not in off or len(off) < 2 or row.about != "printed":
        return row
    why = f"other-errors: standard errors under {page.table.errors!r} are of a kind that was not tried; --cluster states it"
    return replace(row, verdict="not-checkable", explanation=why, code="other-errors", finding="")


def _claims(pages: Sequence[Page]) -> Iterator[tuple[Page, str, Claim]]:
    """The tables as claims with their names: one each, and of a board one for each kind of number."""
    for k, page in enumerate(pages, 1):
        model, numbers = page.found.model, page.table.numbers
        name = "-".join(filter(None, (page.table.paper, page.table.claim))) or f"table-{k}"
        claim = Claim(
            id=name, data="votes", model=model, numbers=numbers, sided=1 if page.table.sided == 1 else 2
        )
        if model.scale != "elo":
            yield page, name, claim
            continue
        for part, kinds in _PARTS:
            own = tuple(q for q in numbers if q.quantity.kind in kinds)
            name = part if len(pages) == 1 else f"{claim.id}-{part}"
            if own:
                yield page, name, replace(claim, id=name, engines=("native",), numbers=own)


def _unmatched(paper: str, claim: Claim, page: Page) -> Iterator[Agreement]:
    """What is no number, and the numbers of rows that are no item of the data: they are no agreement."""
    for name, text, why in page.table.bad:
        yield Agreement.of_claim(paper, claim, name, "not-run", why, NOT_A_NUMBER, printed=text)
    for q, why in page.table.unmatched:
        why = f"{why}{';' * (why[-1] != '?')} change its name on the page, or --rename that of the data"
        of = {"printed": q.printed.text, "finding": f"row {q.quantity.name}"}
        yield Agreement.of_claim(paper, claim, q.quantity, "not-run", why, NO_SUCH_ITEM, **of)


def _not_looked_at(paper: str, page: Page, data: Comparisons) -> list[Agreement]:
    """What only one of the two has, and the columns and rows of which nothing is computed."""
    unlisted = [name for name in data.items if name not in (*page.table.items, page.found.model.reference)]
    said = [(other, "not checked", "not-looked-at") for other in page.table.others]
    nan = (f"{kind}.{name}" for kind, name in page.table.nan)
    said += [(number, "NaN is printed, which is not a number", "not-looked-at") for number in nan]
    said += [("columns", page.table.to_be_named, COLUMNS_NOT_READ)] * bool(page.table.to_be_named)
    if unlisted:
        whose = "its" if len(unlisted) == 1 else "their"
        why = f"the page does not list {named(map(label, unlisted))}, but {whose} comparisons are in the fit"
        said.append(("items", why, OTHER_MODELS))
    about: dict[str, Any] = {"paper": paper, "claim": "not checked", "verdict": "not-checkable"}
    return [
        Agreement(quantity=Quantity(what), explanation=f"{code}: {why}", code=code, **about)
        for what, why, code in said
    ]


def _model_in_words(model: ModelClaim) -> str:
    if model.scale != "elo":
        reference = label(model.reference or "default")
        return f"{model.family}, ties {model.ties}, reference {reference}, scale {model.scale}"
    errors = (
        f"{model.cluster_kind} by {' and '.join(model.cluster)}"
        if model.cluster
        else "robust (sandwich), of single votes"
    )
    where = f"{model.anchor or 'the mean'} at {1000.0 if model.at is None else model.at:g}"
    return f"ties {model.ties}, {where}, {model.expected or 'ability'}, standard errors {errors}"


def claims_of(pages: Sequence[Page], data: Data, paper: str, title: str) -> Draft:
    """The claims file of the tables of a page, with what was found of each in a comment."""
    papers = list(dict.fromkeys(page.table.paper for page in pages))
    own = [page for page in pages if page.table.paper == paper] or list(pages)
    if len({page.table.paper for page in own}) > 1:
        several = f"numbers of {len(papers)} papers ({named(papers)})"
        cure = "a claims file describes one: choose it with --id"
        raise InputError(f"{pages[0].table.source}: {several}; {cure}")
    drafts, texts = list[Draft](), list[str]()
    for k, page in enumerate(own, 1):
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", page.table.claim) or f"table-{k}"
        stated: dict[str, Any] = {"id": name, "where": Path(page.table.source).name}
        stated |= {"sided": 1} if page.table.sided == 1 else {}
        legend = dict(page.table.legend)
        stated |= {"legend": legend} if legend and not legend.items() <= R_LEGEND.items() else {}
        drafts.append(draft(data, page.found.model, paper, title, page.table.numbers, stated))
        head, key, claim = drafts[-1].claims.partition("[[claim]]")
        comments = "".join(f"# {label(sentence)}\n" for sentence in page.sentences)
        texts.append(("" if texts else head) + comments + key + claim)
    return replace(drafts[0], claims="\n".join(texts), n_numbers=sum(d.n_numbers for d in drafts))
