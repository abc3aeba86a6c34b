"""Two items with ties: closed forms, and the search for all counts that print given numbers.

With counts (a, t, b) of first preferred, tie, second preferred, the saturated model of Dras (2015, eq. 1)
has::

    o1 = ln(a/b) / 2                 se = sqrt(1/a + 1/b) / 2
    g1 = ln t - (ln a + ln b) / 2    se = sqrt(1/t + (1/a + 1/b) / 4)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.inference import normal_quantile, two_sided_p
from ..claims.printed import Printed

Triple = tuple[int, int, int]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ClosedForm:
    """o1, its standard error, g1 and its standard error."""

    o: float
    se_o: float
    g: float
    se_g: float


def closed_form(a: float, t: float, b: float) -> ClosedForm:
    """The estimates for counts that are all positive."""
    if min(a, t, b) <= 0:
        raise InputError(f"counts ({a:g}, {t:g}, {b:g}): an estimate is infinite where a count is 0")
    return ClosedForm(
        math.log(a / b) / 2,
        math.sqrt(1 / a + 1 / b) / 2,
        math.log(t) - math.log(a * b) / 2,
        math.sqrt(1 / t + (1 / a + 1 / b) / 4),
    )


def sign_test_p(a: float, b: float) -> float:
    """Two-sided binomial p of a against b preferences, ties left out."""
    from scipy.stats import binomtest

    return float(binomtest(int(a), int(a + b), 0.5).pvalue)


def counts_that_print(printed: Mapping[str, str], at_most: int) -> list[Triple]:
    """All (a, t, b), each in 1..at_most, that print these numbers, with a > b if "o1" is not among them."""
    unknown = set(printed) - {"o1", "se_o1", "p_o1", "g1", "se_g1", "p_g1"}
    if unknown:
        raise InputError(f"counts_that_print: {sorted(unknown)}; expected o1, se_o1, p_o1, g1, se_g1, p_g1")
    n = np.arange(1, at_most + 1, dtype=float)
    a, b = (x.ravel() for x in np.meshgrid(n, n, indexing="ij"))
    o, var = np.log(a / b) / 2, (1 / a + 1 / b) / 4
    keep = _prints(o, printed.get("o1")) & _prints(np.sqrt(var), printed.get("se_o1"))
    keep &= _z_prints(o / np.sqrt(var), printed.get("p_o1"))
    if "o1" not in printed:
        keep &= a > b
    found: list[Triple] = []
    for i in np.flatnonzero(keep):
        g, se = np.log(n) - np.log(a[i] * b[i]) / 2, np.sqrt(1 / n + var[i])
        fits = (
            _prints(g, printed.get("g1"))
            & _prints(se, printed.get("se_g1"))
            & _z_prints(g / se, printed.get("p_g1"))
        )
        found += [(int(a[i]), int(t), int(b[i])) for t in n[fits]]
    return found


def counts_with(total: int, stronger_ties_than: Triple, alpha: float) -> list[Triple]:
    """All positive (a, t, b) of this total with o1 > 0 significant at alpha, and g1 larger than that of other
    counts, by its estimate and by its z (and significant at alpha)."""
    z = normal_quantile(1 - alpha / 2)
    other = closed_form(*stronger_ties_than)
    z_ties = max(z, other.g / other.se_g)
    found = []
    for a in range(1, total - 1):
        for t in range(1, total - a):
            c = closed_form(a, t, total - a - t)
            if c.o > z * c.se_o and c.g > max(other.g, z_ties * c.se_g):
                found.append((a, t, total - a - t))
    return found


def try_pattern(pattern: str, total: int) -> tuple[int, list[Triple]]:
    """How many counts (n, t, n) of a description there are up to this total, and those that do not behave as
    said.
    """
    rules: dict[str, tuple[Callable[[int, int], bool], Callable[[float], bool]]] = {
        "equal": (lambda n, t: n == t, lambda g: abs(g) < 1e-12),
        "ties": (lambda n, t: n < t, lambda g: g > 0),
        "no-ties": (lambda n, t: n > t, lambda g: g < 0),
    }
    if pattern not in rules:
        raise InputError(f"pattern {pattern!r}; expected one of {', '.join(rules)}")
    described, behaves = rules[pattern]
    tried, broken = 0, []
    for n in range(1, total // 2 + 1):
        for t in range(1, total - 2 * n + 1):
            if described(n, t):
                tried += 1
                c = closed_form(n, t, n)
                if c.o != 0.0 or not behaves(c.g):
                    broken.append((n, t, n))
    return tried, broken


def _prints(values: FloatArray, text: str | None) -> BoolArray:
    return np.ones(len(values), bool) if text is None else _inside(values, Printed.parse(text))


def _inside(values: FloatArray, printed: Printed) -> BoolArray:
    """As `Printed.verdict`, on many values: the ends are widened by the last bits of a double."""
    low = (
        -np.inf if printed.low is None else float(printed.low * (1 - Decimal("1e-12").copy_sign(printed.low)))
    )
    high = (
        np.inf
        if printed.high is None
        else float(printed.high * (1 + Decimal("1e-12").copy_sign(printed.high)))
    )
    return (values >= low) & (values <= high)


def _z_prints(z: FloatArray, p_text: str | None) -> BoolArray:
    return np.ones(len(z), bool) if p_text is None else _prints(two_sided_p(z), p_text)
