"""What stands in one cell of a table: a number, one with its error or limits, a mark, a word for none."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from ...errors import InputError
from ...text import quoted
from ..claims.printed import Printed
from ..claims.quantities import DF_OF, OF_BOARD
from .forms import MISSING, NUMBER
from .headings import OF_POINTS, kind_of_heading
from .marks import OF_MARKS

#: Digits of a number that a program wrote with all of a double's: more than differ between machines.
DIGITS, ALL_DIGITS = 10, 13
COMMAS = "; decimal commas are read where no number of the table has a point: write them all as points"
#: What says, after a name or a number, that it is a reference's: "0 (ref)", "A (reference)".
OF_REFERENCE = re.compile(
    r"(?<=\S)\s*[(\[](?:reference|ref\.?|base|constrained|-{1,3}|\u2013|\u2014)[)\]]$", re.IGNORECASE
)
STARS = re.compile(r"\*(?: ?\*){0,4}")
#: A difference of none, and a ratio of none, as references have.
ZERO, ONE = re.compile(r"[-+]?0*\.?0*"), re.compile(r"1(?:\.0*)?")
#: "n.s.", which says that p is above the level.
NOT_SIGNIFICANT = re.compile(r"n\.? ?s\.?|not sig(?:nificant|n?\.)?", re.IGNORECASE)
_PARTS = re.compile(
    rf"(?P<value>[<>=\u2264\u2265]* *{NUMBER})?[*^\u2020\u2021\u00a7 ]*"
    rf"(?:[(\[]\s*(?P<a>{NUMBER})(?:(?:\s*[,;]\s*|\s*\bto\b\s*|\s?\u2013\s?|-|\s+(?:- )?)(?P<b>{NUMBER}))?\s*[)\]])?"
    r"[*^\u2020\u2021\u00a7 .]*"
)
_LIMITS = re.compile(
    rf"[(\[]?\s*({NUMBER})\s*(?:,|;|to|\.\.|\s-\s|(?<=[\d.])-|\u2013|\s)\s*({NUMBER})\s*[)\]]?"
)
_WITH_DF = re.compile(rf"({NUMBER})\s*(?:on|\(|,\s*df\s*=)\s*(\d+)\s*(?:d\.?f\.?)?\s*\)?", re.IGNORECASE)
#: A number and half of its interval, or its standard error; limits as distances from the number.
_PLUS_MINUS = re.compile(rf"({NUMBER})\u00b1({NUMBER})")
_DISTANCES = re.compile(rf"[(\[]?\s*\+\s*({NUMBER})\s*[/,;]?\s*-\s*({NUMBER})\s*[)\]]?")
#: The standard error in units of the last place, as physics has it: "1.22(33)" is 1.22 with 0.33.
_CONCISE = re.compile(r"([-+]?\d*\.\d+)\((\d{1,3})\)")
#: "p = .076" in a cell, and the backslash that Markdown needs before a star.
_NAME_OF_P, _ESCAPE = re.compile(r"^p\s*(?=[=<>\u2264\u2265])", re.IGNORECASE), re.compile(r"\\(?=[*_])")
#: Kinds and texts of numbers.
Parts = list[tuple[str, str]]


def parts_of(cell: str, kind: str, heading: str) -> Parts | None:
    """The numbers in a cell of this kind of column; None if it is neither a number nor a word for none."""
    cell = OF_REFERENCE.sub("", _ESCAPE.sub("", cell))
    if not cell or re.fullmatch(MISSING, cell) or kind in OF_MARKS and STARS.fullmatch(cell):
        return []
    if kind == "p" and NOT_SIGNIFICANT.fullmatch(cell):
        return [("p", "ns")]
    if two := _PLUS_MINUS.fullmatch(cell):
        of_points = not after_plus_minus(heading) and OF_POINTS.match(heading.casefold())
        if after_plus_minus(heading) == "interval" or of_points:
            return [(kind, two[1]), ("plus", two[2]), ("minus", two[2])]
        return [(kind, two[1]), ("se", two[2])]
    if kind == "interval" and (two := _DISTANCES.fullmatch(cell)):
        return [("plus", two[1]), ("minus", two[2])]
    if kind == "interval" and cell.startswith("\u00b1") and re.fullmatch(NUMBER, cell[1:]):
        return [("plus", cell[1:]), ("minus", cell[1:])]
    if kind != "interval" and (two := _CONCISE.fullmatch(cell)):
        places = len(two[1].rpartition(".")[2])
        digits = two[2].zfill(places + 1)
        return [(kind, two[1]), ("se", f"{digits[:-places]}.{digits[-places:]}")]
    parts = (_LIMITS if kind == "interval" else _PARTS).fullmatch(_NAME_OF_P.sub("", cell))
    if parts is None:
        return None
    if kind == "interval":
        return list(zip(("low", "high"), parts.groups()))
    inside = re.search(r"[(\[]([^()\[\]]+)[)\]]", heading)
    beside = kind_of_heading(inside[1]) if inside and kind == "estimate" else ""
    found = [(kind, parts["value"])] if parts["value"] else []
    if parts["b"]:
        return [*found, ("low", parts["a"]), ("high", parts["b"])]
    return [*found, (beside if beside in ("z", "p") else "se", parts["a"])] if parts["a"] else found


def after_plus_minus(heading: str) -> str:
    """What a heading says that stands after a plus-minus: "se", or half of an "interval"; "" where it does not say."""
    plain = heading.casefold()
    if re.search(r"\bci\b|c\.i\.|interval|95 ?%", plain):
        return "interval"
    return "se" if re.search(r"\bs\.? ?e\b|\bstd|standard err", plain) else ""


def holds_numbers(cell: str) -> bool:
    """Whether the cell is a number or several."""
    plain = cell.strip()
    return bool(re.search(r"\d", plain) and (_PARTS.fullmatch(plain) or _LIMITS.fullmatch(plain)))


def is_name(cell: str) -> bool:
    """Whether the cell is neither a number nor a word for none."""
    return bool(cell) and not re.fullmatch(rf"{NUMBER}|{MISSING}|[(\[].*[)\]]", cell.strip())


def with_df(kind: str, text: str) -> Parts:
    """A statistic, and its degrees of freedom where they are next to it: "15.737 on 15", "15.737 (15)"."""
    two = _WITH_DF.fullmatch(text.strip())
    return [(kind, text)] if two is None or kind not in DF_OF else [(kind, two[1]), (DF_OF[kind], two[2])]


def printed_number(kind: str, text: str, where: str) -> Printed:
    """One number as it is printed: without the commas of thousands, and of a double's digits those that are meant."""
    thousands = kind in OF_BOARD or re.search(r",\d{3}\.", text)
    try:
        printed = Printed.parse(text.strip().replace(",", "") if thousands else text.strip())
        is_none = printed.value is None and not (kind == "p" and printed.relation == ">")
        if is_none or printed.stars or printed.on is not None:
            raise InputError(f"printed {quoted(text)} is not one number")
    except InputError as error:
        raise InputError(f"{where}: {error}{COMMAS * (',' in text)}") from error
    if printed.digits > ALL_DIGITS and printed.unit is not None:
        rounded = Decimal(f"{printed.value:.{DIGITS - 1}e}")
        printed = replace(Printed.parse(f"{rounded:f}"), text=text)
    return printed
