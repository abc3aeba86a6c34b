"""Whether two makings of a page are the same page.

A page is made on one machine and made again on another, with another linear algebra library and another
numpy.  Word for word it must be the same, but for:

- how R was reached: "live" and "recorded" are the same word, and rules of a table may differ in length;
- versions of Python and numpy;
- digits of agreement: above 12 they count the rounding errors of one machine, so any two from 12 on are the
  same; below, they may differ by 0.5 (R's own error dominates, and does not move);
- numbers written with 14 digits and more, which must share 12;
- in how many steps Newton's method reached its end, and where it stood there, `in 4 steps (at 1.8e-29)`: whether
  another step is taken is a matter of rounding errors;
- the sign of a number that is 0 in the digits shown, `-0.000`;
- a campaign's id, which is drawn at random, and the moment of a look at a stopping rule.
"""

from __future__ import annotations

import itertools
import math
import re

#: From here on, digits of agreement count the rounding of doubles.
ROUNDING = 12.0
MAY_DIFFER = 0.5
_DIGITS = re.compile(r"\d{1,2}\.\d")
_ZERO = re.compile(r"-?(0(?:\.0+)?)")
_LONG = re.compile(r"-?\d+\.\d{13,}(e[-+]\d+)?")
_TRIM = "()[],;:.*|`!"


def words(page: str) -> list[str]:
    """The page as words, without what may differ in form."""
    page = re.sub(r"\b(live|recorded)\b", "R", page)
    page = re.sub(r"[\u2500=-]{3,}", " --- ", page)
    page = re.sub(r"\bin \d+ steps? \(at [\d.e+-]+\)", "in some steps (at rounding)", page)
    page = re.sub(r"\b([Cc]ampaign) [0-9a-f]{12}\b", r"\1 ID", page)
    page = re.sub(r"\(\d{4}-\d\d-\d\dT[\d:]{8}Z\)", "(MOMENT)", page)
    return re.sub(r"\b(Python|numpy) \d[\w.]*", r"\1", page).split()


def same(a: str, b: str) -> bool:
    """Whether two words are the same by the rules above."""
    a, b = a.strip(_TRIM), b.strip(_TRIM)
    if a == b:
        return True
    if (zero := _ZERO.fullmatch(a)) and (other := _ZERO.fullmatch(b)):
        return zero[1] == other[1]
    if _LONG.fullmatch(a) and _LONG.fullmatch(b):
        return math.isclose(float(a), float(b), rel_tol=10**-ROUNDING)
    if _DIGITS.fullmatch(a) and _DIGITS.fullmatch(b):
        x, y = float(a), float(b)
        if max(x, y) <= 16.0:
            return min(x, y) >= ROUNDING or round(abs(x - y), 6) <= MAY_DIFFER
    return False


def differences(committed: str, made: str) -> list[str]:
    """The first ten places where two pages differ, with the words around them; empty if they are the same."""
    old, new = words(committed), words(made)
    found = []
    for k, (a, b) in enumerate(itertools.zip_longest(old, new, fillvalue="")):
        if not same(a, b):
            found.append(
                f"{' '.join(old[max(0, k - 6):k])} [{a}] {' '.join(old[k + 1:k + 4])}   made now: [{b}]"
                f" {' '.join(new[k + 1:k + 4])}"
            )
            if len(old) != len(new) or len(found) == 10:
                break  # after a word too many, everything differs
    return found
