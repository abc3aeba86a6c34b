"""A printed page without its data: what its numbers say of each other, and what only the data could say.

Beside the relations of :mod:`pairproof.validation.verdicts.arithmetic` there are some that a claims file has no need
of, because its data say more::

    AIC = 2k - 2 log L       AIC >= deviance + 2k, since no likelihood of counts is above 1
    limits = estimate +- z se at another level than 95 %       votes = wins + losses + ties
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...errors import InputError
from ...files.inputs import decoded, read_file
from ...fit.estimates.array_inference import normal_quantile
from ...report.blocks import Block, Bullets, Column, Page, Table
from ...report.output import render_text
from ...text import label, named
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper
from ..claims.quantities import Quantity
from ..report.context import ReportContext, versions
from ..report.notation import verdict_cell
from ..report.verification import Verification
from ..verdicts.agreement import AGREEING, Agreement
from ..verdicts.arithmetic import Check, Interval
from ..verdicts.arithmetic_rows import KIND, arithmetic_rows
from .headings import PARAMETERS
from .reading import MOST_CHARACTERS, PrintedTable, read_tables

#: Levels of intervals that are tried beside 95 %.
LEVELS = (0.9, 0.99, 0.8, 0.999, 0.6827)
#: What each kind of number is held against.
NEEDS: Mapping[str, str] = {
    "z": "its estimate and standard error",
    "p": "z, or its estimate and standard error",
    "low": "its estimate and standard error",
    "high": "its estimate and standard error",
    "exp": "its estimate",
    "worth": "the estimates of all items; and the sum of all must be 1",
    "df_resid": "the null df, or the pairs of all items",
    "deviance": "the null deviance",
    "aic": "the log-likelihood, or the deviance, and the parameters",
    "aic_glm": "the deviance and the parameters",
    "votes": "wins and losses",
    "win_totals": "the estimates of all items, and how often each pair met (--games)",
}
_FIELDS = {f.name for f in fields(ModelClaim)}


def check_alone(
    path: str,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
    games: float = 0.0,
    sided: int = 2,
) -> Verification:
    """The numbers of a page held against each other; the sentences are the first lines of its context.

    path: the file.  stated: what the caller knows of the model.  columns: the heading of a kind of number that has two.
    games: how often each pair met.  sided: of the printed p-values.
    """
    from ..check.recompute import made
    from ..verify import backend_of

    raw = read_file(Path(path), "a printed table or program output", most=4 * MOST_CHARACTERS)
    rows: list[Agreement] = []
    said: list[str] = []
    pages = read_tables(decoded(raw, path), path, columns)
    for k, page in enumerate(pages, 1):
        name = page.claim or ("table" if len(pages) == 1 else f"table-{k}")
        found, sentences = _of_page(page, name, stated, games, sided)
        rows += found
        said += [*page.sentences, *sentences]
    context = ReportContext(
        title=f"{label(Path(path).name)}: do its numbers fit each other?",
        subtitle="Without the data: what follows from other printed numbers is held against them, and nothing else.",
        first_lines=tuple(said),
        made=made(),
        versions=versions(backend_of("none")),
    )
    return Verification(tuple(rows), context)


def screen(found: Verification, full: bool) -> str:
    """What the command prints: what does not fit, and with `full` every check; then what was read and looked at."""
    checks = [a for a in found if a.about == "arithmetic" and a.verdict != "not-checkable"]
    off = [a for a in checks if not a.passes]
    hold = f"{len(checks) - len(off)} of {len(checks)} checks of the printed numbers against each other hold"
    blocks: list[Block] = [Bullets((hold if checks else "Nothing here follows from another printed number.",))]
    if shown := checks if full else off:
        rows = tuple((a.quantity.name, a.printed or "", verdict_cell(a), a.explanation) for a in shown)
        header = (*(Column(name, "left") for name in ("number", "printed", "verdict", "by the numbers beside it")),)
        blocks.append(Table(header, rows))
    blocks.append(Bullets(found.context.first_lines))
    return render_text(Page(found.context.title, blocks), width=shutil.get_terminal_size((100, 24)).columns)


def _of_page(
    page: PrintedTable, name: str, stated: Mapping[str, Any], games: float, sided: int
) -> tuple[list[Agreement], list[str]]:
    """The rows of a table, on the scale on which fewest numbers do not fit, and what is said of them."""
    of_names = {item: _parameter(item) for item in page.items}
    items = [item for item, parameter in of_names.items() if not parameter]
    model = {key: value for key, value in page.model.items() if key in _FIELDS}
    points = model.get("scale") == "elo"
    if len(page.without) == 1 and page.without[0] in items:
        model["reference"] = page.without[0]
    model = {"family": "bradley-terry", "ties": "none", **model, **stated}
    if "tie" in of_names.values() and "ties" not in stated:
        model["ties"] = "davidson"
    model["order_effect"] = "order" in of_names.values()
    reference = model.get("reference") or ""
    if reference not in ("", "sum", *items):
        items.append(reference)
    numbers = tuple(
        replace(q, quantity=Quantity(q.quantity.kind, q.quantity.group, of_names.get(q.quantity.name) or q.quantity.name))
        for q in page.numbers
        if not (points and q.quantity.kind in ("worth", "exp"))
    )
    claim = Claim(id=name, data="games", numbers=numbers, sided=1 if sided == 1 else 2)
    spec = DataSpec("games", kind="games", items=tuple(items), games=0.0 if points else games)
    scales = (model["scale"],) if model.get("scale") not in (None, "", "elo") else ("log-odds", "lambda")
    tried = []
    for scale in scales:
        asked = replace(claim, model=ModelClaim(**{**model, "scale": scale}))
        paper = Paper(Path(page.source).stem, "", data={"games": spec}, claims=(asked,))
        rows = arithmetic_rows(paper, _no_data)
        tried.append((sum(not a.passes for a in rows), scale, paper, asked, rows))
    _, scale, paper, claim, rows = min(tried, key=lambda one: one[0])
    rows = _with_levels(rows, claim) + [_row(paper, claim, check) for check in _further(claim, reference)]
    said = [f"the numbers are held against each other on the scale {scale}, on which most fit"] * (tried[0][0] != tried[-1][0])
    checked = {a.quantity.name for a in rows if a.verdict in AGREEING or not a.passes}
    why = "follows from no other printed number: only the data can say"
    rows += [
        Agreement.of_claim(paper.id, claim, q.quantity, "not-checkable", why, "no-outcomes", printed=q.printed.text)
        for q in numbers
        if q.quantity not in checked
    ]
    return rows, [*said, *_sentences(numbers_of=[q.quantity for q in numbers], checked=checked)]


def _no_data(name: str) -> Any:
    raise InputError(f"{name}: there are no data")


def _parameter(name: str) -> str:
    """ "tie" and "order" of the names that programs give to what is no item."""
    return next((kind for kind, form in PARAMETERS.items() if re.fullmatch(form, name.casefold())), "")


def _row(paper: Paper, claim: Claim, check: Check) -> Agreement:
    printed = next((q.printed.text for q in claim.numbers if q.quantity == check.quantity), None)
    said = (check.verdict, check.sentence, check.code)
    return Agreement.of_claim(
        paper.id, claim, Quantity(KIND, name=check.quantity), *said, printed=printed, about="arithmetic"
    )


def _with_levels(rows: Sequence[Agreement], claim: Claim) -> list[Agreement]:
    """The rows, where limits that are not those of 95 % are all of another level, or of no Wald interval at all."""
    known = {q.quantity: Interval.of(q.printed) for q in claim.numbers}
    off = [a for a in rows if a.verdict == "differs" and a.quantity.name.startswith(("low.", "high."))]
    if not off:
        return list(rows)
    of = {a.quantity: Quantity.parse(a.quantity.name) for a in off}

    def distance(q: Quantity) -> Interval:
        return (known[q] - known[q.of("estimate")]).size()

    def at(q: Quantity, level: float) -> bool:
        return distance(q).meets(known[q.of("se")].times(normal_quantile(0.5 + level / 2)))

    level = next((x for x in LEVELS if all(at(q, x) for q in of.values())), None)
    found = []
    for a in rows:
        q = of.get(a.quantity)
        other = q.of("high" if q.kind == "low" else "low") if q is not None else None
        if q is not None and level is not None:
            a = replace(a, verdict="agrees", explanation=f"comes out at {level:.4g} instead of 0.95")
        elif q is not None and other in known and not distance(q).meets(distance(other)):
            why = "not symmetric about the estimate: no Wald interval, and what else it is does not follow from print"
            a = replace(a, verdict="not-checkable", explanation=why)
        found.append(a)
    return found


def _further(claim: Claim, reference: str) -> Iterator[Check]:
    """AIC against log-likelihood and deviance; votes against wins, losses and ties."""
    known = {q.quantity: Interval.of(q.printed) for q in claim.numbers}
    whole = {q: float(p.printed.value) for p in claim.numbers if p.printed.value is not None for q in (p.quantity,)}
    free = sum(q.startswith("se.") for q in known)
    # Of parameters that sum to zero one has a standard error and is not free.
    ks = [int(whole["df_null"] - whole["df_resid"])] if {"df_null", "df_resid"} <= whole.keys() else []
    ks = ks or ([free] if reference not in ("", "sum") else [free, free - 1]) if free > 1 else ks
    for name in ("aic", "aic_glm"):
        if name not in known or not ks:
            continue
        if "llf" in known and name == "aic":
            texts = {k: known["llf"].times(-2.0) + Interval(2.0 * k, 2.0 * k) for k in ks}
            k = next((k for k, value in texts.items() if value.meets(known[name])), ks[0])
            holds = texts[k].meets(known[name])
            yield Check(name, "agrees" if holds else "differs", f"2 x {k} - 2 log L: {texts[k]}")
        elif "deviance" in known:
            least = known["deviance"] + Interval(2.0 * min(ks), 2.0 * min(ks))
            holds = known[name].high >= least.low
            yield Check(name, "agrees" if holds else "differs", f"at least deviance + 2 x {min(ks)}: {least}")
    for q in (q for q in whole if q.kind == "votes"):
        parts = [whole.get(q.of(kind)) for kind in ("wins", "losses")]
        if None not in parts:
            total = sum(part for part in (*parts, whole.get(q.of("ties"), 0.0)) if part is not None)
            yield Check(q, "agrees" if total == whole[q] else "differs", f"wins + losses + ties: {total:g}")


def _sentences(numbers_of: Sequence[Quantity], checked: set[str]) -> Iterator[str]:
    """What was checked, and by what; what could not be, and what that would need."""
    kinds: dict[str, list[Quantity]] = {}
    for q in numbers_of:
        kinds.setdefault(q.kind, []).append(q)
    for kind, need in NEEDS.items():
        n, of = sum(q in checked for q in kinds.get(kind, ())), len(kinds.get(kind, ()))
        if kind == "win_totals" and kind in checked:
            yield f"the totals of wins that the estimates imply are checked: by {need}"
        elif kind == "worth" and "worth.all.sum" in checked and not n:
            yield f"the sum of {of} worths is checked; each by itself needs the estimates of all items"
        elif n:
            yield f"{n} of {of} {kind} checked: by {need}"
        elif of or kind == "win_totals":
            yield f"{kind} not checked: it needs {need}"
    alone = [kind for kind in kinds if kind not in NEEDS]
    if alone:
        yield f"{named(alone)}: only the data can say whether they are right"
