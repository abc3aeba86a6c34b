"""Intervals of numbers: what a printed number may stand for, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ..claims.printed import Printed

#: Relative slack of an interval computed in doubles from ends that are exact decimals.
SLACK = 1e-9
#: How a number was made shorter for print.
How = Literal["rounded", "truncated", "idle-zeros"]


@dataclass(frozen=True)
class Interval:
    """An interval: all values from `low` to `high`, ends included; infinite where there is no end."""

    low: float
    high: float

    @staticmethod
    def of(printed: Printed, how: How = "rounded") -> Interval:
        """The values that print so: rounded; cut off; rounded where the zeros that end an integer are no
        digits.
        """
        if printed.unit is None or printed.value is None:
            return Interval(
                -math.inf if printed.low is None else float(printed.low),
                math.inf if printed.high is None else float(printed.high),
            )
        half = printed.unit / 2
        if how == "truncated":
            return Interval(
                float(printed.value - (printed.unit if printed.value <= 0 else 0)),
                float(printed.value + (printed.unit if printed.value >= 0 else 0)),
            )
        if how == "idle-zeros" and printed.unit == 1 and printed.value:
            digits = str(abs(int(printed.value)))
            half = Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) / 2
        return Interval(float(printed.value - half), float(printed.value + half))

    def meets(self, other: Interval) -> bool:
        slack = SLACK * max(
            (abs(e) for e in (self.low, self.high, other.low, other.high) if math.isfinite(e)), default=0.0
        )
        return self.low <= other.high + slack and other.low <= self.high + slack

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def times(self, factor: float) -> Interval:
        return Interval(*sorted((self.low * factor, self.high * factor)))

    def over(self, other: Interval) -> Interval:
        """The quotient; everything if the divisor may be 0."""
        if other.low <= 0:
            return Interval(-math.inf, math.inf)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def both(self, other: Interval) -> Interval:
        """The values that lie in both intervals; all of `other` where none does.

        Where a printed z does not fit the printed estimate and standard error, the check of z says so, and p
        is held against the latter two.
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else other

    def size(self) -> Interval:
        """Absolute values."""
        if self.low <= 0 <= self.high:
            return Interval(0.0, max(-self.low, self.high))
        return Interval(*sorted((abs(self.low), abs(self.high))))

    def exp(self) -> Interval:
        return Interval(math.exp(min(self.low, 700)), math.exp(min(self.high, 700)))

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"at most {self.high:.6g}"
        return f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"
