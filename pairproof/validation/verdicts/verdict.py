"""The verdict on one number: print against computed, native against R, native against 50-digit values.

Pure functions of numbers; what is asked of whom is decided in :mod:`pairproof.validation.check`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from ...fit.estimates.tails import p_equals
from ..claims.paper import PrintedQuantity
from ..claims.quantities import is_probability, kind_of, unit_of_size
from .agreement import AGREEING, Verdict
from .digits import Floor, digits_of_agreement, floor

#: Below this size, per comparison, a printed deviance on 0 df is what rounding leaves of 0: observed 6.7e-15
#: over 120 comparisons in Dras (2015); a deviance is a sum of n log terms, each right to 1e-16.
RESIDUE = 1e-12
#: Units in the last place, of the sums that cancel: a term 2 y log(y / m) rounds a quotient, a logarithm and
#: two products, half to one unit each of 2 y.  Seen at most 0.81 over 120 random tables and 2.7 on R's
#: football, where R had converged (`tests/validation/slips/stress.py`).
UNITS = 4.0


@dataclass(frozen=True)
class PrintVerdict:
    """The verdict on one printed number, why, and the code of why.

    size: how far print and number are apart, in standard errors.  cause: the number, or the code, that the finding
    is about, where it is not this number by itself.  setting: of another definition, the fields of a search's
    setting that have it.
    """

    verdict: Verdict
    note: str
    code: str = ""
    size: float = math.nan
    cause: str = ""
    setting: Mapping[str, str] = field(default_factory=dict)

    @property
    def comes_out(self) -> bool:
        return self.verdict in AGREEING or self.code == "rounding-error"


def judge_table(
    numbers: Sequence[PrintedQuantity],
    values: Mapping[str, float],
    alpha: float,
    df_resid: int = -1,
    n: float = 0.0,
    within: Mapping[str, float] | None = None,
) -> dict[str, PrintVerdict]:
    """The verdicts on the numbers of one table; `within`: half of the interval of those that have a sign.

    Whether digits were cut off is a habit of the table.  A number that is reproduced only if truncated is a
    misprint if another number is reproduced only if rounded, unless its column (its kind) is truncated
    throughout: two numbers need it and none speaks against it.  Where nothing speaks against cutting, as in a
    table of one number or of three that would be cut or rounded alike, nobody can tell, and it agrees.
    """
    half = within or {}
    judged: dict[str, PrintVerdict] = {
        q.quantity: judge_print(q, values[q.quantity], alpha, df_resid, n, half.get(q.quantity, math.nan))
        for q in numbers
    }
    cut = [name for name, j in judged.items() if j.code == "truncated"]
    plain = [q for q in numbers if judged[q.quantity].verdict == "agrees"]
    rounded = [q.quantity for q in plain if _only_rounded(q, values[q.quantity])]
    columns = [kind_of(name) for name in cut]
    for name in cut if rounded else ():
        if columns.count(kind_of(name)) < 2 or kind_of(name) in map(kind_of, rounded):
            why = (
                f"computed {float(values[name])!r}: reproduced only if truncated, while {rounded[0]}"
                f"{f' and {len(rounded) - 1} more' if rounded[1:] else ''} in the table must have been rounded"
            )
            judged[name] = PrintVerdict("differs", why, "cut-not-rounded")
    return judged


def _only_rounded(q: PrintedQuantity, value: float) -> bool:
    """Whether a number that is reproduced would print differently if truncated: it was rounded up."""
    p = q.printed
    if p.value is None or p.unit is None:
        return False
    return abs(float(p.value)) - abs(value) > float(p.unit) * 1e-6


def judge_print(
    q: PrintedQuantity,
    value: float,
    alpha: float,
    df_resid: int = -1,
    n: float = 0.0,
    within: float = math.nan,
) -> PrintVerdict:
    """The verdict on one printed number, by itself; `within`: half of its interval, where its sign says something."""
    p = q.printed
    if math.isnan(value):
        on_what = f"the page gives {p.text}, which depends on when the author's program stopped"
        why = f"{q.quantity} is not estimable from these data; {on_what}"
        return PrintVerdict("not-estimable", why, "not-estimable")
    match = p.verdict(value)
    if q.quantity.kind in ("p", "contrast_p") and match.verdict != "differs" and not p.star_verdict(value):
        why = f"the mark {p.stars} does not match {p_equals(value)}"
        return PrintVerdict("differs-conclusion", why, "significance-mark")
    if match.verdict == "agrees":
        if match.is_half_way:
            return PrintVerdict("agrees", f"at a tie, by {match.rule}", "rounded-half")
        return PrintVerdict("agrees", "")
    if match.verdict == "agrees-truncated":
        why = f"{value!r} agrees only if truncated, not rounded"
        return PrintVerdict("agrees-truncated", why, "truncated")
    if match.verdict == "agrees-k-of-m":
        why = f"agrees to {match.k} of {match.m} digits: trailing zeros of an integer may not be significant"
        return PrintVerdict("agrees-k-of-m", why, "idle-zeros")
    is_zero = q.quantity == "deviance" and df_resid == 0
    if is_zero and p.value is not None and abs(p.value) < Decimal(RESIDUE * max(n, 1.0)):
        left = f"a model with 0 degrees of freedom has deviance 0; {p.text} is its rounding error"
        return PrintVerdict("immaterial", f"rounding-error: {left}", "rounding-error")
    other_conclusion = _other_conclusion(q, value, alpha, within)
    if other_conclusion is not None:
        return other_conclusion
    plain = f"computed {value!r}"
    if _sign(q, value):
        plain += f"; the sign is opposite, but both values are within +- {within:.4g} of 0"
    if _rounded_twice(q, value):
        return PrintVerdict("differs", f"{plain}, which rounds to the print in two steps", "rounded-twice")
    return PrintVerdict("differs", plain, "other-value")


def _rounded_twice(q: PrintedQuantity, value: float) -> bool:
    """0.2745 by way of 0.275 is 0.28: at most a twentieth of the last place short of the half, and rounded up."""
    p = q.printed
    if p.value is None or p.unit is None or value * float(p.value) <= 0:
        return False
    return 0.5 < (abs(float(p.value)) - abs(value)) / float(p.unit) <= 0.55 + 1e-9


def _sign(q: PrintedQuantity, value: float) -> bool:
    """Whether a number that has a sign is printed with the other one."""
    p = q.printed
    if q.quantity.kind not in ("estimate", "z", "contrast", "contrast_z") or p.value is None:
        return False
    return p.low is not None and p.low > 0 > value or p.high is not None and p.high < 0 < value


def _other_conclusion(q: PrintedQuantity, value: float, alpha: float, within: float) -> PrintVerdict | None:
    """How the conclusion changes: sign, or significance at alpha; None if it does not.

    A sign says something only of a number whose interval is without 0, as printed or as computed: 0.05 printed as
    -0.05 with an interval of +- 0.2 is another number and the same finding.
    """
    kind, p = q.quantity.kind, q.printed
    impossible = p.low is not None and p.low > 1 or p.high is not None and p.high < 0
    if kind in ("p", "contrast_p", "gof_p", "lr_p") and not impossible:
        if p.high is not None and float(p.high) <= alpha < value:
            why = f"printed as significant at {alpha:g}, computed {value:.4g}"
            return PrintVerdict("differs-conclusion", why, "other-significance")
        if p.low is not None and float(p.low) >= alpha > value:  # as a double: 0.05 is above Decimal("0.05")
            why = f"printed as not significant at {alpha:g}, computed {value:.4g}"
            return PrintVerdict("differs-conclusion", why, "other-significance")
    if _sign(q, value):
        assert p.value is not None
        if math.isnan(within) or max(abs(float(p.value)), abs(value)) > within:
            why = f"the sign is opposite: computed {value:.6g}"
            return PrintVerdict("differs-conclusion", why, "other-sign")
    return None


def reversed_items(
    numbers: Sequence[PrintedQuantity], values: Mapping[str, float], items: Sequence[str]
) -> dict[str, str]:
    """Quantities of items that are printed in another order than computed, with a sentence.

    Only items whose printed numbers are apart by more than their rounding.
    """
    found: dict[str, str] = {}
    of_items = (q for q in numbers if q.quantity.kind == "estimate" and q.quantity.name in items)
    estimates = {q.quantity.name: q for q in of_items}
    for a, qa in estimates.items():
        for b, qb in estimates.items():
            value_a, value_b = values[qa.quantity], values[qb.quantity]
            low, high = qa.printed.low, qb.printed.high
            if low is not None and high is not None and low > high and value_a < value_b:
                sentence = f"printed {a} above {b}, computed {value_a:.6g} below {value_b:.6g}"
                found.setdefault(qa.quantity, sentence)
                found.setdefault(qb.quantity, sentence)
    return found


#: A rating this small part of its standard error beyond its printed places is what a program leaves that
#: stops early: arena-rank is .003 to .10 points off, FastChat .02 to .04, at standard errors of 4 to 6.
OF_STOPPING = 0.025
#: The same of any other number: what R's glm leaves is 1e-6 of a standard error, and nobody sees a hundredth.
IMMATERIAL = 0.01
#: The z of a p-value that an optimiser leaves, as BFGS does in psychotools (observed: 6.4e-6): no misprint.
OF_OPTIMISER = 1e-5
DIFFERENT = ("differs", "differs-conclusion")


def apart(q: PrintedQuantity, value: float, error: float) -> tuple[float, float]:
    """How far a number lies from the print, and beyond its printed places, in standard errors; nan without one.

    A p-value is measured by the z that it belongs to.
    """
    p = q.printed
    if p.value is None or p.low is None or p.high is None or not error > 0.0:
        return math.nan, math.nan
    low, printed, high, own = float(p.low), float(p.value), float(p.high), value
    if is_probability(q.quantity):
        from scipy.special import ndtri

        printed = printed if printed > 0.0 else high  # 0.000 is as far off as the largest p that prints so
        ends = (low, printed, high, own)
        high, printed, low, own = (float(-ndtri(min(max(x, 0.0), 1.0) / 2)) for x in ends)
    return abs(printed - own) / error, max(low - own, own - high, 0.0) / error


def immaterial(
    numbers: Sequence[PrintedQuantity],
    values: Mapping[str, float],
    errors: Mapping[str, float],
    judged: Mapping[str, PrintVerdict],
    part: float,
    code: str = "small",
    cut_too: bool = False,
) -> dict[str, PrintVerdict]:
    """The numbers that differ by at most this part of their standard error beyond their printed places.

    A number that is cut where the others are rounded is none of them, unless others are off by as little, for the
    same reason, or `cut_too`: on a board, whose programs stop early.
    """
    found: dict[str, PrintVerdict] = {}
    for q in numbers:
        name, value = q.quantity, values[q.quantity]
        beyond = apart(q, value, errors.get(name, math.nan))[1]
        if judged[name].verdict == "differs" and beyond <= part and q.printed.mark_fits:
            said = (
                f"computed {value:.10g}: differs beyond the printed decimals by {beyond:.2g} {unit_of_size(name)} (at most {part:g});"
                " a program that stops early leaves this much, and it does not matter"
            )
            twice = judged[name].code == "rounded-twice"
            of_p = is_probability(q.quantity) and beyond <= OF_OPTIMISER
            own = "rounded-twice" if twice else "early-stop" if of_p else code
            found[name] = PrintVerdict("immaterial", said, own)
    return found if cut_too or any(judged[name].code != "cut-not-rounded" for name in found) else {}


def sized(
    numbers: Sequence[PrintedQuantity],
    values: Mapping[str, float],
    errors: Mapping[str, float],
    judged: Mapping[str, PrintVerdict],
    shortfall: Callable[[Mapping[str, float]], float],
) -> dict[str, PrintVerdict]:
    """The verdicts; of what differs they say how far, in standard errors, and of estimates in likelihood too.

    `shortfall` gives how far the log-likelihood lies below its maximum at some estimates.
    """
    found, differ = dict(judged), [q for q in numbers if judged[q.quantity].verdict in DIFFERENT]
    estimates = {q.quantity.name: q.printed.value for q in differ if q.quantity.kind == "estimate"}
    printed = {name: float(value) for name, value in estimates.items() if value is not None}
    short = shortfall(printed) if printed else math.nan
    for q in numbers:
        j, size = judged[q.quantity], apart(q, values[q.quantity], errors[q.quantity])[0]
        if j.comes_out or math.isnan(size):
            continue
        unit = unit_of_size(q.quantity).replace("standard errors", "se")
        note = f"{j.note}; {size:.2g} {unit} off" if q in differ and math.isfinite(size) else j.note
        if q in differ and q.quantity.kind == "estimate" and not math.isnan(short):
            note += (
                f"; the log-likelihood is {short:.3g} below its maximum at the printed estimates, with"
                " all other parameters as computed"
            )
        found[q.quantity] = replace(j, note=note, size=size)
    return found


@dataclass(frozen=True)
class DigitsVerdict:
    """The digits in which native and one other source agree, and how many were asked for."""

    digits: float
    floor: Floor

    @property
    def enough(self) -> bool:
        return math.isnan(self.digits) or self.digits >= self.floor.digits

    def shortfall(self, other: str) -> str:
        return (
            f"native and {other} agree to {self.digits:.1f} digits, fewer than the required"
            f" {self.floor.digits:g} ({self.floor.why})"
        )


def judge_digits(
    quantity: str,
    native: float,
    other: float,
    scale: float,
    source: str,
    floors: Sequence[Floor] | None = None,
    rounding: float = 0.0,
    wider: float = 0.0,
) -> DigitsVerdict:
    """Digits of native against R (`source` its call) or against certified, compared with their floor.

    The digits are the plain ones of :func:`pairproof.validation.verdicts.digits.digits_of_agreement`.  Only
    where these are too few is it asked whether the number has fewer to lose; `rounding` and `wider` are as in
    :func:`digits_forgiven`.
    """
    asked = floor(quantity, source, floors)
    return DigitsVerdict(digits_forgiven(native, other, scale, asked.digits, rounding, wider), asked)


def digits_forgiven(
    native: float, other: float, scale: float, least: float, rounding: float, wider: float
) -> float:
    """Digits of agreement; if fewer than `least`, those of the sums or logarithm behind the numbers."""
    plain = float(digits_of_agreement(native, other, scale))
    if not plain < least:
        return plain
    size = rounding if abs(native - other) <= UNITS * np.finfo(float).eps * rounding else 0.0
    return float(digits_of_agreement(native, other, max(scale, wider, size)))
