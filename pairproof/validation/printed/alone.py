"""A printed page without its data: what its numbers say of each other, and what only the data could say.

Beside the relations of :mod:`pairproof.validation.verdicts.arithmetic` there are some that a claims file has no need
of, because its data say more::

    AIC = 2k - 2 log L       AIC >= deviance + 2k, since no likelihood of counts is above 1
    df = null df - k         k, the parameters: those that are printed, or more
    votes = wins + losses + ties
    p: that of z with the printed digits
    low <= estimate <= high, and half-way where all others are, if no standard error says more
    limits: where none is that of 95 %, those of another level; else they are of no Wald interval, and nothing is said
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...errors import InputError
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...report.blocks import Block, Bullets, Column, Page, Table
from ...report.output import render_text
from ...text import label, named
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper
from ..claims.quantities import OF_EXP, Quantity
from ..report.context import ReportContext, versions
from ..report.findings import fit_each_other, not_looked_at
from ..report.notation import verdict_cell
from ..report.verification import Verification
from ..verdicts.agreement import COLUMNS_NOT_READ, NOT_A_NUMBER, Agreement
from ..verdicts.arithmetic import Interval, half_width, tails
from ..verdicts.arithmetic_rows import KIND, arithmetic_rows
from ..verdicts.other_errors import LEVELS
from .headings import PARAMETERS, kind_among
from .reading import Limits, PrintedTable, tables_of

#: What each kind of number is compared with.
NEEDS: Mapping[str, str] = {
    "z": "its estimate and standard error",
    "p": "z, or its estimate and standard error",
    "chi2": "its estimate and standard error",
    "low": "its estimate and standard error",
    "high": "its estimate and standard error",
    "exp": "its estimate",
    "exp_low": "its limit, or the estimate and standard error",
    "exp_high": "its limit, or the estimate and standard error",
    "worth": "the estimates of all items",
    "df_resid": "the null df and the printed parameters",
    "deviance": "the null deviance",
    "aic": "the log-likelihood, or the deviance, and the parameters",
    "votes": "wins and losses",
}
#: Numbers half-way between their limits beside which one that is not, by this part of half their distance,
#: is a misprint: profile limits of a large estimate are a tenth of it off.
MOST_ODD, FAR_OFF = 3, 0.2
#: How the names of limits begin.
_LIMITS = ("low.", "high.", "exp_low.", "exp_high.")
#: Stands for a reference that is not known.
UNKNOWN = "(not known)"
_FIELDS = {f.name for f in fields(ModelClaim)}


def check_alone(
    path: str,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
    games: float = 0.0,
    one_sided: bool = False,
) -> Verification:
    """The numbers of a page compared with each other; what was read and looked at are the first lines of its context.

    path: the file.  stated: what the caller knows of the model.  columns: the heading of a kind of number that has two.
    games: how often each pair met.  one_sided: whether the p-values are.
    """
    from ..check.recompute import made
    from ..verify import backend_of

    rows, said = list[Agreement](), list[str]()
    pages = tables_of(path, columns)
    for k, page in enumerate(pages, 1):
        name = page.claim or ("table" if len(pages) == 1 else f"table-{k}")
        claim = Claim(id=name, sided=1 if one_sided or page.sided == 1 else 2, data="games")
        found = _of_page(page, claim, stated, games)
        rows += found
        said += [*page.sentences, *_sentences(found)]
    context = ReportContext(
        title=f"{label(Path(path).name)}: are its numbers consistent with each other?",
        subtitle="No data were given: printed numbers are only compared with what follows from other printed numbers.",
        first_lines=tuple(said),
        made=made(),
        versions=versions(backend_of("none")),
    )
    return Verification(tuple(rows), context)


def screen(found: Verification) -> str:
    """What the command prints: what is inconsistent, then what was read and checked."""
    checks = [a for a in found if a.about == KIND and a.verdict != "not-checkable"]
    off = [a for a in checks if not a.passes]
    hold = fit_each_other(len(checks) - len(off), len(checks))
    if cut := [a.quantity.name for a in checks if a.verdict == "agrees-truncated"]:
        hold += f", {len(cut)} of them only if digits were truncated, not rounded: {named(cut, 6)}"
    nothing = "No number here follows from another printed number."
    first = "; ".join((hold if checks else nothing.rstrip("."), *not_looked_at(found)))
    blocks: list[Block] = [Bullets((first + "." * (not checks),))]
    if off:
        rows = tuple((a.quantity.name, a.printed or "", verdict_cell(a), a.explanation) for a in off)
        header = ("number", "printed", "verdict", "from the numbers beside it")
        blocks.append(Table(tuple(Column(name, "left") for name in header), rows))
    strange = (f"not checked: {a.explanation}" for a in found if a.code == NOT_A_NUMBER)
    page = Page(found.context.title, [*blocks, Bullets((*strange, *found.context.first_lines))])
    return render_text(page, width=shutil.get_terminal_size((100, 24)).columns)


def _of_page(page: PrintedTable, claim: Claim, stated: Mapping[str, Any], games: float) -> list[Agreement]:
    """The rows of a table, on the scale on which fewest numbers do not fit."""
    of_names = {item: kind_among(PARAMETERS, item) for item in page.items}
    items = [item for item, parameter in of_names.items() if not parameter]
    scales = [page.model.get("scale") or "log-odds", "lambda"][: 1 if page.model.get("scale") else 2]
    points = scales[0] not in LOG_WORTH_PER_UNIT
    model = {key: value for key, value in page.model.items() if key in _FIELDS and key != "scale"}
    if len(page.without) == 1 and page.without[0] in items:
        model["reference"] = page.without[0]
    usual = {"ties": "davidson" if "tie" in of_names.values() else "none", "reference": UNKNOWN}
    order = "order" in of_names.values()
    model = {**usual, **model, **stated, "family": "bradley-terry", "order_effect": order}
    reference = model["reference"]
    # Of a page that leaves its reference out, and does not name it, not all estimates are known.
    met = 0.0 if points or reference == UNKNOWN else games
    known_items = (*items, *({reference} - {"sum", UNKNOWN, *items}))
    spec = DataSpec("games", kind="games", items=known_items, games=met)
    kept = [q for q in page.numbers if not (points and q.quantity.kind in ("worth", "exp"))]
    # The 0 of a reference is one by definition, and not a rounded number.
    kept = [q for q in kept if q.quantity != f"estimate.{reference}" or reference not in page.without]
    kept = [replace(q, quantity=_of_model(q.quantity, of_names)) for q in kept]
    printed = {str(q.quantity): q.printed.text for q in kept}
    df = next((q for q in kept if q.quantity == "df_resid"), None)
    if page.of_t and df is not None:  # as R has it for a dispersion that is estimated
        own = [q.quantity for q in kept if q.quantity.kind == "z"]
        kept += [
            replace(df, quantity=z.of("df")) for z in own if z.of("df") not in {q.quantity for q in kept}
        ]
    with_df = {q.quantity.name for q in kept if q.quantity.kind == "df"}
    numbers = tuple(kept)
    judged = tuple(
        q
        for q in kept
        if (not page.of_t or q.quantity.kind not in ("p", "low", "high") or q.quantity.name in with_df)
        and not (page.relative and q.quantity.kind == "worth")
    )
    found = []
    for scale in [stated["scale"]] if "scale" in stated else ["log-odds"] if points else scales:
        asked = replace(claim, numbers=judged, model=ModelClaim(**{**model, "scale": scale}))
        paper = Paper(Path(page.source).stem, "", data={"games": spec}, claims=(asked,))
        # A list of numbers need not be all of them.
        without = ("df_resid", "worth.all.sum") if page.claim else ("df_resid",)
        found.append([a for a in arithmetic_rows(paper, _no_data) if a.quantity.name not in without])
    rows = min(found, key=lambda rows: sum(not a.passes for a in rows))
    known: dict[str, Interval] = {q.quantity: Interval.of(q.printed) for q in numbers}
    rows = [_of_printed_z(a, known, one_sided=claim.sided == 1) for a in _limits(rows, known)]

    def row(name: str, *said: Any, **about: Any) -> Agreement:
        return Agreement.of_claim(paper.id, asked, name, *said, **about)

    free = len({q.quantity.name for q in numbers if q.quantity.kind == "estimate"} - set(page.without))
    # Of estimates that sum to zero one is not free; of those of which nothing is said that may be so.
    fewest = free - (reference in ("sum", UNKNOWN)) if free else 0
    for name, holds, words in _further(known, fewest, free, page.whole):
        said = ("agrees" if holds else "differs", words, "arithmetic")
        rows.append(row(Quantity(KIND, name=name), *said, printed=printed[name], about=KIND))
    by_se = {Quantity.parse(a.quantity.name).place for a in rows if a.quantity.name.startswith(_LIMITS)}
    for limits, holds, words in _of_limits(page.limits):
        if not holds or limits.name not in by_se:
            said = ("agrees" if holds else "differs", words, "arithmetic" if holds else "impossible")
            text = f"{limits.low} to {limits.high}"
            rows.append(row(Quantity(KIND, name=f"interval.{limits.name}"), *said, printed=text, about=KIND))
    checked = {a.quantity.name for a in rows if a.verdict != "not-checkable"}
    why = ("not-checkable", "does not follow from other printed numbers; needs the data", "no-outcomes")
    rows += [row(name, *why, printed=text) for name, text in printed.items() if name not in checked]
    no_number = ("not-checkable", "NaN is printed, which is not a number", "not-looked-at")
    rows += [row(Quantity(kind, name=name), *no_number) for kind, name in page.nan]
    rows += [row(q, "not-run", why, NOT_A_NUMBER, printed=text) for q, text, why in page.bad]
    named_not = ("not-checkable", page.to_be_named, COLUMNS_NOT_READ)
    return rows + [row("columns", *named_not)] * bool(page.to_be_named)


def _of_model(q: Quantity, of_names: Mapping[str, str]) -> Quantity:
    return Quantity(q.kind, name=of_names[q.name]) if of_names.get(q.name) else q


def _no_data(name: str) -> Any:
    raise InputError(f"{name}: there are no data")


def _limits(rows: Sequence[Agreement], known: Mapping[str, Interval]) -> list[Agreement]:
    """The rows, where limits of several rows, most of them, are off: they are of another level, or of no Wald interval."""
    of_limits = [a for a in rows if a.quantity.name.startswith(_LIMITS)]
    off = [a for a in of_limits if not a.passes]
    if 2 * len(off) <= len(of_limits) or len(of_limits) > 2 > len(
        {Quantity.parse(a.quantity.name).name for a in off}
    ):
        return list(rows)

    def at(q: Quantity, level: float) -> bool:
        end = known[q].log() if q.kind in OF_EXP else known[q]
        estimate = known.get(q.of("estimate")) or known[q.of("exp")].log()
        se = known.get(q.of("se")) or known[q.of("exp_se")].over(known[q.of("exp")])
        return (end - estimate).size().meets(half_width(se, level, known.get(q.of("df"))))

    def out(level: float) -> list[Agreement]:
        return [a for a in of_limits if at(Quantity.parse(a.quantity.name), level)]

    level = max(LEVELS, key=lambda level: len(out(level)))
    if 2 * len(out(level)) > len(of_limits):
        said, agree = f"reproduced at level {level:g}", out(level)
        return [replace(a, verdict="agrees", explanation=said) if a in agree else a for a in rows]
    why = "none is a Wald interval at a usual level; the page does not say what else it is"
    return [replace(a, verdict="not-checkable", explanation=why) if a in of_limits else a for a in rows]


def _of_limits(found: Sequence[Limits]) -> Iterator[tuple[Limits, bool, str]]:
    """Whether limits enclose their number; one that is not half-way where all others are is not either."""
    between = []
    for limits in found:
        low, value, high = map(Interval.of, (limits.low, limits.value, limits.high))
        if low.low > high.high:
            yield limits, False, f"the lower limit {limits.low} is above the upper {limits.high}"
        elif value.high < low.low or value.low > high.high:
            yield limits, False, f"{limits.value} is not between its limits"
        else:
            between.append((limits, _off_half_way(low, value, high, limits.ratio)))
    odd = [limits for limits, off in between if off > 0.0]
    for limits, off in between:
        if odd == [limits] and len(between) > MOST_ODD and off > FAR_OFF:
            logs = " in logarithms" * limits.ratio
            others = f"half-way between its limits{logs}, as the {len(between) - 1} others are"
            yield limits, False, f"{limits.value} is not {others}"
        else:
            yield limits, True, f"{limits.value} is between its limits"


def _off_half_way(low: Interval, value: Interval, high: Interval, ratio: bool) -> float:
    """How far a number is from half-way between its limits beyond rounding, as a part of half their distance."""
    if ratio and min(low.low, value.low, high.low) > 0:
        low, value, high = (Interval(math.log(x.low), math.log(x.high)) for x in (low, value, high))
    half = high.high - low.low
    off = (low + high).times(0.5) - value
    return 2.0 * max(off.low, -off.high, 0.0) / half if half > 0 else 0.0


def _of_printed_z(a: Agreement, known: Mapping[str, Interval], one_sided: bool) -> Agreement:
    """A p that is that of z with the digits of print, as prefmod's are, and not that of estimate / se, fits as well; and
    it is not z that may be wrong then."""
    q = Quantity.parse(a.quantity.name)
    z, p, estimate, se = map(q.of, ("z", "p", "estimate", "se"))
    if a.passes or a.code == "significance-mark" or q.kind not in ("z", "p") or not {z, p} <= known.keys():
        return a

    def fits(z: Interval) -> bool:
        return known[p].meets(tails(z.size(), known.get(q.of("df"))).times(0.5 if one_sided else 1.0))

    if not fits(known[z]):
        return a
    if q.kind == "p":
        return replace(a, verdict="agrees", explanation=f"from {z} with the printed digits")
    if fits(known[estimate].over(known[se])):  # as "< .001" does, which says nothing against either
        return a
    (b, unit_b), (s, unit_s), (value, _) = (_middle(known[name]) for name in (estimate, se, z))
    either = "z is 0"
    if value:
        either = f"{se} {b / value:.{unit_s}f}, or {estimate} {s * value:.{unit_b}f}, would fit"
    said = f"{z} and {p} agree: {estimate} or {se} may be wrong ({either}); {a.explanation}"
    return replace(a, explanation=said)


def _middle(printed: Interval) -> tuple[float, int]:
    """The number that was printed, and its decimal places."""
    width = printed.high - printed.low
    return (printed.low + printed.high) / 2, max(0, round(-math.log10(width))) if 0 < width < math.inf else 0


def _further(
    known: Mapping[str, Interval], fewest: int, most: int, whole: bool
) -> Iterator[tuple[str, bool, str]]:
    """df, AIC and votes; `fewest` and `most` parameters are printed, and the model may have more if they are not the whole."""
    if {"df_null", "df_resid"} <= known.keys() and most:
        k = round(known["df_null"].low - known["df_resid"].low)
        # A log-linear model has a constant for each pair of 2 or 3 counts besides, which may not be printed.
        c, counts = k + 1 - most, round(known["df_null"].low + 1.5)
        if k <= most or whole and not (c > 1 and counts in (2 * c, 3 * c)):
            n = most if k >= most else fewest
            yield "df_resid", fewest <= k <= most, f"df_null minus {n} printed parameter{'s' * (n != 1)}"
    if "aic" in known and "llf" in known:
        k2 = known["aic"] + known["llf"].times(2.0)
        k = max(fewest, math.ceil(k2.low / 2 - 1e-9))
        yield "aic", 2 * k <= k2.high + 1e-9, f"2k - 2 log L with a whole number k of at least {fewest}: {k2.times(0.5)}"
    for name in {"aic", "aic_glm"} & known.keys() if "deviance" in known and "llf" not in known else ():
        least = known["deviance"].low + 2.0 * fewest
        yield name, known[name].high >= least, f"at least deviance + 2 x {fewest}: {least:g}"
    for q in (Quantity.parse(name) for name in known if name.startswith("votes.")):
        parts = [known[q.of(kind)] for kind in ("wins", "losses", "ties") if q.of(kind) in known]
        if len(parts) > 1:
            total = sum(round(part.low + 0.5) for part in parts)
            yield q, known[q].meets(Interval(total, total)), f"wins + losses + ties: {total}"


def _sentences(rows: Sequence[Agreement]) -> Iterator[str]:
    """What was checked, and by what; what could not be, and what that would need."""
    names = {a.quantity.name for a in rows if a.about == KIND and a.verdict != "not-checkable"}
    checked = [Quantity.parse(name).kind for name in names]
    of_page = [a for a in rows if a.about == "printed" and a.code != COLUMNS_NOT_READ]
    left = [a.quantity.kind.removesuffix("_glm") for a in of_page]
    for kind, need in NEEDS.items():
        n = checked.count(kind) + checked.count(f"{kind}_glm") - (f"{kind}.all.sum" in names)
        if n or kind in left:
            yield f"{kind}: {n} checked, {left.count(kind)} not (needs {need})"
    if n := sum(name.startswith("interval.") for name in names):
        yield f"intervals: {n} checked (the number is between its limits, and half-way where all others are)"
    of_sum = "checked (must be 1)" if "worth.all.sum" in names else "not checked (some are not printed)"
    yield f"sum of the worths: {of_sum}"
    yield f"totals of wins: {'' if 'win_totals' in names else 'not '}checked (needs all estimates, --reference and --games, the number of games of each pair)"
    if alone := [kind for kind in dict.fromkeys(left) if kind not in NEEDS]:
        yield f"{named(alone)}: the data are needed to check them"
