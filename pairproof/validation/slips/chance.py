"""How many misprints a search would explain: of 100 prints with one digit of one number changed.

A page of a claim's own computed numbers, printed at its decimals, has n numbers of d_1, ..., d_n digits, and
9 (d_1 + ... + d_n) ways to have one digit of one number wrong.  A reading "explains" such a print if it gives
the changed number, and every other number as it is printed.  All readings are known already, so that no
further search is run::

    chance of 100 = 100/n  sum_k  (changed prints of number k that some reading gives) / (9 d_k)

A reading in which a solver stops early explains no single number (:mod:`.search`), and a slip of the print
names the number itself: neither is counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray
from ..claims.paper import PrintedQuantity

#: Of 100 prints with one digit changed, how many some reading may explain: if it explains more, a reading
#: that reproduces one number explains nothing.  Twenty changed pages of each kind of claim of five and more
#: numbers, at one to four decimals, were explained in 0 to 1 of 50 (tests/validation/slips/test_chance.py).
MOST_OF_100 = 2.0


def digits_of(printed: str) -> int:
    """Digits of a printed number that may be misprinted: "0.05" has two, "2.34e-05" three."""
    mantissa = re.split(r"[eE]| on ", printed)[0]
    digits = re.sub(r"\D", "", mantissa)
    return len(digits[1:]) if re.match(r"\D*0\.", mantissa) else max(1, len(digits))


@dataclass(eq=False)
class OneDigit:
    """The prints of a claim's own numbers with one digit changed, and those that a reading gave.

    own float[n]: the computed numbers.  given: for each number of slips the (number, print) that readings gave.
    """

    numbers: Sequence[PrintedQuantity]
    own: FloatArray
    given: dict[int, set[tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        has_unit = [q.printed.unit is not None for q in self.numbers]
        self._unit = np.array([float(q.printed.unit or 1) for q in self.numbers])
        self._digits = np.array([digits_of(q.printed.text) for q in self.numbers])
        self._counted = np.array(has_unit) & np.isfinite(self.own)
        self._own = self._places(self.own)

    def _places(self, values: FloatArray) -> FloatArray:
        """Numbers in units of their last printed place, as rounded."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.round(values / self._unit))

    def see(self, values: FloatArray, slips: int) -> None:
        """Note which changed prints the readings give.  values float[B, n]."""
        places = self._places(values)
        with np.errstate(invalid="ignore"):
            apart: BoolArray = self._counted & ~(
                (places == self._own)
                | (np.trunc(values / self._unit) == self._own) & (np.sign(values) == np.sign(self._own))
            )
        one = np.flatnonzero(apart.sum(axis=1) == 1)
        number = apart[one].argmax(axis=1)
        here, own = places[one, number], self._own[number]
        same = np.isfinite(here) & (here * own >= 0)
        for k, m, n in zip(number[same], np.abs(here[same]), np.abs(own[same])):
            places = 10.0 ** np.arange(1, self._digits[k] + 1)
            if any(m // p == n // p and m % (p / 10) == n % (p / 10) for p in places):
                self.given.setdefault(slips, set()).add((int(k), int(m)))

    def explained(self, slips: int) -> dict[str, float]:
        """Of one print of each number with a digit changed, how many are explained by at most so many slips."""
        found = set().union(*(g for n, g in self.given.items() if n <= slips))
        part = np.bincount([k for k, _ in found], minlength=len(self.numbers)) / (9.0 * self._digits)
        return {q.quantity: float(p) for q, p, c in zip(self.numbers, part, self._counted) if c}


def of_100(claims: Sequence[OneDigit], slips: int, off: Sequence[str] = ()) -> float:
    """Of 100 prints of these claims with one digit changed, how many at most so many slips explain.

    Of `off`, numbers that say the same: how many of those in which the changed number is no easier to explain
    than one of these.  A df is explained by every other way to count it, and takes no evidence from a deviance.
    """
    parts = [c.explained(slips) for c in claims]
    everything = [p for part in parts for p in part.values()]
    at_most = min((part[q] for part in parts for q in off if q in part), default=1.0)
    if not everything:
        return float("nan")
    return 100.0 * sum(p for p in everything if p <= at_most) / len(everything)
