"""`Printed`: a number as it is printed on a page, and which computed numbers print so.

A printed number stands for the set of values that print so.  With u the unit of its last place::

    "0.2778"         [0.27775, 0.27785]   both ends allowed: halves are rounded up or to even, and what is
                                          half-way in decimal is seldom so in binary
    "-1720"          unit 1; then 10, if the trailing zero of an integer is not a digit
    "2.34e-05"       unit 1e-7
    "<.001", ">0.5"  a bound;  "ns" is p > alpha;  "**" is p below the legend's limit for it
    "30.646 on 8"    a statistic and its degrees of freedom

Everything is done in decimal arithmetic: in binary, 2.675 lies below itself and rounds to 2.67.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Literal, cast

from ...errors import InputError
from ...text import quoted

Relation = Literal["=", "<", "<=", ">", ">="]
Match = Literal["agrees", "agrees-truncated", "agrees-k-of-m", "differs"]

#: R's legend (printCoefmat): a star means p <= limit and above the next smaller limit.
R_LEGEND: Mapping[str, str] = {"***": "0.001", "**": "0.01", "*": "0.05", ".": "0.1"}

#: A computed value lying this close (relative) to an end of the set counts as being on it: it was computed in
#: doubles, and native values are held to 13 digits.  Without it 2.675 (stored as 2.67499999999999982) is not
#: "2.68". Never more than a hundredth of the last place, nor less than the last bit of a double.
END_SLACK, OF_A_PLACE, LAST_BIT = Decimal("1e-12"), Decimal("0.01"), Decimal(2) ** -52

#: Characters, digits and the exponent of the longest printed number that is read: the precision of the
#: arithmetic here is 60 digits, and doubles end at 1e308.
MOST_PRINTED, MOST_DIGITS, MOST_EXPONENT = 200, 50, 400

#: How a sign that a page may print is written in plain text.
_RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u207a"
_OTHERS = {"\u00a0": " ", "\u2264": "<=", "\u2265": ">="}
_MINUS = dict.fromkeys("\u2212\u2013\u2010\u2011\ufe63\uff0d", "-")
_PLAIN = str.maketrans({**_MINUS, **dict(zip(_RAISED, "0123456789-+")), **_OTHERS})
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<digits>\d+(?:\.\d*)?|\.\d+)"
    r"(?:[eE](?P<e>[+-]?\d+)|\s*[x\u00d7\u00b7*]\s*10(?:\^?\{?(?P<power>[+-]?\d+)\}?))?(?P<percent>\s*%)?"
)
_STARS = r"\*{1,5}|\u2020{1,2}|\."


#: Rules of rounding: the print is a bound and not rounded; both ways to round a half give it.
BOUND, BY_EITHER = "bound", "half-up or half-even"


@dataclass(frozen=True)
class PrintMatch:
    """The answer to whether a value prints as a printed number."""

    verdict: Match
    k: int
    m: int
    rule: str

    @property
    def is_half_way(self) -> bool:
        """Whether it agrees and lies half-way between two prints, so that another rule prints it otherwise."""
        return self.verdict == "agrees" and self.rule not in (BOUND, BY_EITHER)


@dataclass(frozen=True)
class Printed:
    """A printed number, bound, or mark of significance.  Make one with :meth:`parse`.

    text: as printed.  value: the number; None for "ns" and for stars alone.  unit: unit of the last printed
    place; None for a bound.  low, high: ends of the set of values that print so; None where there is no end.
    digits: significant digits as printed, trailing zeros of an integer included.  stars: mark of significance
    that is next to the number or alone; "" for none.  star_limits: the p-values the mark stands for: above
    the first, not above the second.  `on`: what stands after "on": the degrees of freedom.
    """

    text: str
    value: Decimal | None
    unit: Decimal | None
    relation: Relation
    low: Decimal | None
    high: Decimal | None
    digits: int = 0
    stars: str = ""
    star_limits: tuple[Decimal | None, Decimal | None] = (None, None)
    on: Printed | None = None

    @classmethod
    def parse(cls, text: str, *, legend: Mapping[str, str] | None = None, alpha: str = "0.05") -> Printed:
        """The printed number that a text stands for."""
        if not isinstance(text, str):
            raise InputError(
                f"printed number {quoted(text)} is a {type(text).__name__}; write it as a string in quotes, "
                "so that trailing zeros survive"
            )
        if len(text) > MOST_PRINTED:
            raise InputError(
                f"printed {quoted(text, 30)} is not one number; the longest allowed has"
                f" {MOST_PRINTED} characters"
            )
        plain = text.translate(_PLAIN).strip()
        body, _, df = plain.partition(" on ")
        if df:
            on = cls.parse(re.sub(r"\s*(?:d\.?f\.?|degrees of freedom|DF)\s*$", "", df.strip()))
            stat = cls.parse(body, legend=legend, alpha=alpha)
            if on.on is not None or on.value is None or on.is_bound or on.stars or stat.value is None:
                raise InputError(_unreadable(text))
            return replace(stat, text=text, on=on)
        if re.fullmatch(r"(?i)n\.?\s?s\.?", plain):
            level = _level(alpha, f"alpha = {alpha!r}, to which {text!r} refers")
            return cls(text, None, None, ">", level, None)
        mark = re.fullmatch(rf"(?P<number>.*?[\d%])?\s*(?P<mark>{_STARS})?", plain)
        if mark is None or not plain:
            raise InputError(_unreadable(text))
        number, stars = mark["number"], mark["mark"] or ""
        if stars == "." and number:  # "5." is a number without decimals, not the mark for p <= 0.1
            number, stars = f"{number}.", ""
        limits = _limits(stars, legend or R_LEGEND, text) if stars else (None, None)
        if not number:
            return cls(text, None, None, "<=", limits[0], limits[1], 0, stars, limits)
        return _number(text, number, stars, limits)

    def plus(self, other: Printed, sign: int = 1) -> Printed:
        """The sum of two numbers, or their difference: what prints so, by the rounding of both."""
        assert self.value is not None and other.value is not None
        assert self.unit is not None and other.unit is not None
        at, unit = self.value + sign * other.value, self.unit + other.unit
        return replace(self, text=f"{at}", value=at, unit=unit, low=at - unit / 2, high=at + unit / 2)

    @property
    def is_bound(self) -> bool:
        """A bound or a mark, not a value with a last place."""
        return self.unit is None

    def verdict(self, value: float) -> PrintMatch:
        """Whether `value` prints so."""
        if math.isnan(value):
            return PrintMatch("differs", 0, self.digits, "")
        if math.isinf(value):
            inside = self.is_bound and ((value > 0 and self.high is None) or (value < 0 and self.low is None))
            return PrintMatch("agrees", 0, 0, BOUND) if inside else PrintMatch("differs", 0, self.digits, "")
        with localcontext() as context:
            context.prec = 60
            return self._match(Decimal(value))

    def _match(self, x: Decimal) -> PrintMatch:
        place = abs(x) if self.unit is None else self.unit * OF_A_PLACE
        slack = max(min(abs(x) * END_SLACK, place), abs(x) * LAST_BIT)
        if self.is_bound:
            held = _inside(x, self.low, self.high, slack)
            return PrintMatch("agrees", 0, 0, BOUND) if held else PrintMatch("differs", 0, 0, "")
        assert self.value is not None and self.unit is not None
        half = self.unit / 2
        if abs(x - self.value) <= half + slack:
            return PrintMatch("agrees", self.digits, self.digits, _rounding_rule(x, self.value, half, slack))
        # Truncation is towards zero: |printed| <= |x| < |printed| + unit.  A printed 0 may have either sign.
        same_side = self.value == 0 or (x > 0) == (self.value > 0)
        excess = abs(x) - abs(self.value)
        if same_side and -slack <= excess < self.unit:
            return PrintMatch("agrees-truncated", self.digits, self.digits, "truncation")
        return self._with_fewer_digits(x, slack)

    def _with_fewer_digits(self, x: Decimal, slack: Decimal) -> PrintMatch:
        """The zeros that end an integer may be no digits: "-1720" for -1723 agrees to 3 of 4."""
        assert self.value is not None and self.unit is not None
        exponent = self.unit.as_tuple().exponent
        assert isinstance(exponent, int)
        if exponent >= 0 and self.value != 0 and self.unit == 1:
            zeros = len(str(abs(int(self.value)))) - len(str(abs(int(self.value))).rstrip("0"))
            for dropped in range(1, zeros + 1):
                if abs(x - self.value) <= self.unit.scaleb(dropped) / 2 + slack:
                    return PrintMatch("agrees-k-of-m", self.digits - dropped, self.digits, "half")
        return PrintMatch("differs", 0, self.digits, "")

    def star_verdict(self, p: float) -> bool:
        """Does the p-value carry the printed mark?  True if no mark was printed."""
        if not self.stars:
            return True
        if math.isnan(p):
            return False
        x = Decimal(p)
        low, high = self.star_limits
        return (low is None or x > low) and (high is None or x <= high)

    @property
    def mark_fits(self) -> bool:
        """Whether some p that prints so carries the mark beside it; True without a mark, or of a mark alone."""
        if not self.stars or self.value is None:
            return True
        low, high = self.star_limits
        above = low is None or self.high is None or self.high > low
        return above and (high is None or self.low is None or self.low <= high)

    def __str__(self) -> str:
        return self.text


def _number(text: str, number: str, stars: str, limits: tuple[Decimal | None, Decimal | None]) -> Printed:
    relation: Relation = "="
    found = re.match(r"(<=|>=|[<>=])\s*", number)
    if found:
        relation, number = cast(Relation, found[1]), number[found.end() :]
    parts = _NUMBER.fullmatch(number.strip())
    if parts is None:
        raise InputError(_unreadable(text))
    exponent = int(parts["e"] or parts["power"] or 0) - (2 if parts["percent"] else 0)
    digits = parts["digits"]
    if abs(exponent) > MOST_EXPONENT or len(digits) > MOST_DIGITS:
        raise InputError(
            f"printed {text!r}: no computed number has more than {MOST_DIGITS} digits or an exponent beyond"
            f" {MOST_EXPONENT}; is a sign missing?"
        )
    decimals = len(digits.partition(".")[2])
    with localcontext() as context:
        context.prec = 60
        value = Decimal(parts["sign"] + digits).scaleb(exponent)
        # "5e3" has one digit and unit 1000; "1720" has unit 1 and maybe zeros that are not digits;
        # "1720." has not.
        unit = Decimal(1).scaleb(exponent - decimals)
        significant = len(digits.replace(".", "").lstrip("0")) or 1
        if relation == "=":
            low, high = value - unit / 2, value + unit / 2
            return Printed(text, value, unit, relation, low, high, significant, stars, limits)
    least, most = (None, value) if relation in ("<", "<=") else (value, None)
    return Printed(text, value, None, relation, least, most, significant, stars, limits)


def _inside(x: Decimal, low: Decimal | None, high: Decimal | None, slack: Decimal) -> bool:
    return (low is None or x >= low - slack) and (high is None or x <= high + slack)


def _rounding_rule(x: Decimal, value: Decimal, half: Decimal, slack: Decimal) -> str:
    """Which rules print x so: all of them inside the set, one or two at its ends."""
    if abs(abs(x - value) - half) > slack:
        return BY_EITHER
    last_is_even = int((value / (2 * half)).to_integral_value()) % 2 == 0
    if abs(value) > abs(x):  # rounded away from 0
        return BY_EITHER if last_is_even else "half-up"
    return "half-even" if last_is_even else "half-down"


def _limits(mark: str, legend: Mapping[str, str], text: str) -> tuple[Decimal, Decimal]:
    if mark not in legend:
        raise InputError(
            f"printed {text!r}: the legend {dict(legend)} does not say what {mark!r} means; add it"
        )
    limits = {m: _level(v, f"the legend's {m!r} = {v!r}") for m, v in legend.items()}
    high = limits[mark]
    return max((v for v in limits.values() if v < high), default=Decimal("-Infinity")), high


def _level(text: str, what: str) -> Decimal:
    try:
        level = Decimal(text)
    except (ArithmeticError, TypeError, ValueError):
        level = Decimal("NaN")
    if not (level.is_finite() and 0 < level < 1):
        raise InputError(f'{what}: expected a level between 0 and 1, such as "0.05"')
    return level


def _unreadable(text: str) -> str:
    return (
        f"printed {text!r} is not one number; expected a form such as 0.2778, .28, -1720, 2.34e-05, < .001,"
        " ns, 0.0088 **, or 30.646 on 8 (a statistic on its degrees of freedom); no thousands separators"
    )
