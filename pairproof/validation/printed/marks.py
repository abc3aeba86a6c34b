"""Marks of significance: what a page's stars mean, and the p-values that they stand for.

A mark beside a p is a second statement on it, and one beside an estimate is the only one.  A page that says what its
marks mean says of numbers without one that they are not significant; of one that does not say, the usual legend is
taken by which most marks fit, and stars of one kind alone may be of something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...fit.estimates.array_inference import normal_quantile
from ..claims.paper import PrintedQuantity
from ..claims.printed import R_LEGEND, Printed
from ..claims.quantities import Quantity
from ..verdicts.arithmetic import Interval, half_width, tails
from .headings import PARAMETERS, kind_among

#: Kinds of numbers that marks stand beside.
OF_MARKS = ("estimate", "z", "chi2", "p", "exp")
#: What marks mean where the page does not say it: R's and psychology's, economists'.
_USUAL: tuple[Mapping[str, str], ...] = (
    {mark: level for mark, level in R_LEGEND.items() if "*" in mark},
    {"***": "0.01", "**": "0.05", "*": "0.1"},
)
_SAID = re.compile(
    r"(?<!\*)(\*{1,5})[\s\u2018\u2019':=,]*(?:p|sig\w*\.?)?[\s-]*(?:values?)?\s*(?:at|<=?|\u2264|&lt;|leq?)\s*"
    r"(0?\.\d+)",
    re.IGNORECASE,
)
_OF_R = re.compile(r"[\u2018\u2019'`](\*{1,5})[\u2018\u2019']\s*(0?\.\d+)")


def legend_of(text: str) -> dict[str, str]:
    """What a page says its stars mean: "* p < .05", or R's line of codes."""
    plain = re.sub(r"[$^{}\\\\]", "", text)
    return dict([*_SAID.findall(plain), *_OF_R.findall(plain)])


def with_marks(
    numbers: Sequence[PrintedQuantity],
    marks: Mapping[str, str],
    legend: Mapping[str, str],
    without: Collection[str],
) -> tuple[list[PrintedQuantity], Mapping[str, str], list[str]]:
    """The numbers with what the marks of their rows say of p, the legend, and what of them is not read.

    marks: the stars of a row, by its name.  legend: that of the page, if it has one.  without: rows of references.
    """
    of = {q.quantity: q for q in numbers}
    found = legend if {*marks.values()} <= legend.keys() else {}
    if not found:
        known = [usual for usual in _USUAL if {*marks.values()} <= usual.keys()]
        if not known or legend or {*marks.values()} == {"*"}:
            said = f"marks {', '.join(sorted({*marks.values()}))}: the page does not say what they mean"
            return list(numbers), {}, [said]
        if not any(_size(of, name) or Quantity("p", name=name) in of for name in marks):
            return list(numbers), {}, ["marks of significance: the page does not say what they mean"]
        found = min(known, key=lambda usual: sum(not _fits(of, name, m, usual) for name, m in marks.items()))
    made = {Quantity("p", name=name): _marked(of, name, mark, found) for name, mark in marks.items()}
    largest = max(found.values(), key=Decimal)
    for name in dict.fromkeys(q.quantity.name for q in numbers) if legend else ():
        p, tested = (
            Quantity("p", name=name),
            {Quantity("se", name=name), Quantity("p", name=name)} & of.keys(),
        )
        if p not in made and tested and name not in without and not kind_among(PARAMETERS, name):
            made[p] = _unmarked(of, name, largest)
    kept = [made.pop(q.quantity, q) for q in numbers]
    return [*kept, *made.values()], found, []


def _marked(
    of: Mapping[Quantity, PrintedQuantity], name: str, mark: str, legend: Mapping[str, str]
) -> PrintedQuantity:
    """The p of a row, with its mark; the mark alone where no p is printed."""
    p, alone = Quantity("p", name=name), Printed.parse(mark, legend=legend)
    if p not in of:
        return PrintedQuantity(p, alone, _line(of, name))
    own = of[p].printed
    return replace(
        of[p], printed=replace(own, text=f"{own.text} {mark}", stars=mark, star_limits=alone.star_limits)
    )


def _unmarked(of: Mapping[Quantity, PrintedQuantity], name: str, largest: str) -> PrintedQuantity:
    """The p of a row without a mark on a page that has marks: it is above the largest level."""
    p = Quantity("p", name=name)
    if p not in of:
        return PrintedQuantity(p, Printed.parse(f"> {largest}"), _line(of, name))
    return replace(of[p], printed=replace(of[p].printed, stars="none", star_limits=(Decimal(largest), None)))


def _line(of: Mapping[Quantity, PrintedQuantity], name: str) -> int:
    return next((q.line for q in of.values() if q.quantity.name == name), 0)


def _fits(of: Mapping[Quantity, PrintedQuantity], name: str, mark: str, legend: Mapping[str, str]) -> bool:
    """Whether a mark fits the printed p of its row, or that of its z or its estimate and standard error."""
    if Quantity("p", name=name) in of:
        return _marked(of, name, mark, legend).printed.mark_fits
    low, high = Printed.parse(mark, legend=legend).star_limits
    ends = Interval(-math.inf if low is None else float(low), math.inf if high is None else float(high))
    return (size := _size(of, name)) is not None and tails(size).meets(ends)


def _size(of: Mapping[Quantity, PrintedQuantity], name: str) -> Interval | None:
    """The absolute z of a row, printed or from its estimate and standard error or limits; None where nothing says it."""
    known = {
        kind: Interval.of(of[q].printed)
        for kind in ("estimate", "se", "z", "low", "high")
        if (q := Quantity(kind, name=name)) in of
    }
    if "z" in known:
        return known["z"].size()
    if "se" not in known and {"low", "high"} <= known.keys():
        known["se"] = (known["high"] - known["low"]).times(0.5 / normal_quantile(0.975))
    return known["estimate"].over(known["se"]).size() if {"estimate", "se"} <= known.keys() else None


def fits_z(row: Mapping[str, Interval], z: Interval | None = None) -> bool:
    """Whether a z, else that of estimate and error, fits what else its row says: both of them, z, p, or limits."""
    of_both = row["estimate"].over(row["se"]) if {"estimate", "se"} <= row.keys() else None
    z = z or of_both
    if z is None:
        return False
    says = [of_both, row.get("z")]
    found = [z.size().meets(other.size()) for other in says if other is not None and other is not z]
    found += [tails(z.size()).meets(row["p"])] if "p" in row else []
    if {"exp_low", "exp_high", "se"} <= row.keys():
        width = row["exp_high"].log() - row["exp_low"].log()
        found.append(width.meets(half_width(row["se"], 0.95).times(2.0)))
    return bool(found) and all(found)
