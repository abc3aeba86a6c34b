"""What the numbers of a page say by themselves: which are wrong, which pattern they have, and which readings
bring out most of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray
from ..claims.quantities import Quantity
from ..verdicts.definitions import significant_digits
from .chance import OneDigit
from .known import STAGES, Slip
from .target import Target

OF_THE_FIT = (
    "deviance",
    "null_deviance",
    "llf",
    "llf_poisson",
    "aic",
    "aic_glm",
    "bic",
    "gof_p",
    "pearson",
    "pearson_p",
    "lr",
    "lr_p",
)


def says(claim: str, quantity: str) -> tuple[str, str]:
    """What a number says: deviance, llf and AIC are one number and its constants, and so are estimate, z and p of
    a parameter."""
    q = Quantity.parse(quantity)
    return claim, "" if q.kind in OF_THE_FIT else q.place or q


def digits_between(numbers: Iterable[tuple[str, str, str]]) -> int:
    """Significant digits of (claim, quantity, printed text), those that say the same counted once."""
    most: dict[tuple[str, str], int] = {}
    for claim, quantity, text in numbers:
        said = says(claim, quantity)
        most[said] = max(most.get(said, 0), significant_digits(text))
    return sum(most.values())


def independent(numbers: Iterable[tuple[str, str]]) -> int:
    """How many of these numbers, (claim, quantity), say something of their own."""
    return len({says(*number) for number in numbers})


# -- what is seen of every reading ---------------------------------------------------------------------------


@dataclass(eq=False)
class Watch:
    """What a search notes of the readings of one claim, beside those that fit.

    chance: the misprints that some reading would explain.  best: by number of slips, the reading that brings out
    most digits, and its numbers.  columns: by kind, single slips that bring out every number of that kind.
    """

    target: Target
    chance: OneDigit = field(init=False)
    best: dict[int, tuple[float, tuple[Slip, ...], FloatArray]] = field(default_factory=dict)
    columns: dict[str, list[Slip]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        t = self.target
        self.own = t.values([()], t.setting)[0]
        self.chance = OneDigit(t.numbers, self.own)
        self._weight = np.array([significant_digits(q.printed.text) for q in t.numbers], float)
        kinds = np.array([q.quantity.kind for q in t.numbers])
        off = {Quantity.parse(q).kind for q in t.off}
        self._columns = {kind: kinds == kind for kind in ("estimate", "se") if kind in off}

    def see(self, readings: Sequence[tuple[Slip, ...]], values: FloatArray, outside: BoolArray) -> None:
        """Note readings, and their numbers float[B, n]."""
        sizes = np.array([len(r) for r in readings])
        out = ~outside @ self._weight
        for n in (1, 2):
            at = np.flatnonzero(sizes == n)
            if not len(at):
                continue
            self.chance.see(values[at], n)
            top = int(at[np.argmax(out[at])])
            if out[top] > self.best.get(n, (0.0,))[0]:
                self.best[n] = float(out[top]), readings[top], values[top]
            for kind, these in self._columns.items() if n == 1 else ():
                fitting = at[~outside[np.ix_(at, these)].any(axis=1)]
                self.columns.setdefault(kind, []).extend(readings[k][0] for k in fitting)


# -- which printed number is wrong ---------------------------------------------------------------------------

#: Numbers of a page from which on one or two may be called wrong, and how many at most.
LEAST_NUMBERS, MOST_WRONG = 5, 2


def wrong_numbers(target: Target) -> tuple[str, ...]:
    """The numbers that alone do not come out, without those that follow from them; () if they are too many."""
    off = target.off
    groups: dict[tuple[str, str], list[str]] = {}
    for q in off:
        groups.setdefault(says("", q), []).append(q)
    if len(target.numbers) < LEAST_NUMBERS or len(groups) > MOST_WRONG:
        return ()
    found = [q for same in groups.values() for q in _first_wrong(target, same)]
    return tuple(found) if len(found) <= MOST_WRONG and len(off) <= len(target.numbers) / 2 else ()


def _first_wrong(target: Target, same: Sequence[str]) -> list[str]:
    """Of numbers that say the same, the first (or an estimate), and those that do not follow from it as printed."""
    from ..verdicts.arithmetic import check_numbers

    if len(same) == 1:
        return list(same)
    order = ("estimate", "se")
    first, *rest = sorted(same, key=lambda q: (*order, Quantity.parse(q).kind).index(Quantity.parse(q).kind))
    fits_print = {c.quantity: c.holds for c in check_numbers(target.printout())}
    shift = {"llf": -0.5, "llf_poisson": -0.5}

    def moved(q: str) -> tuple[float, float]:
        printed, unit = target.printed(q)
        size = shift.get(Quantity.parse(q).kind, 1.0)
        return (printed - target.computed(q)) / size, unit / abs(size)

    def follows(q: str) -> bool:
        if Quantity.parse(first).kind not in OF_THE_FIT:
            return fits_print.get(q) is True
        (a, u), (b, v) = moved(first), moved(q)
        return abs(a - b) <= (u + v) / 2.0

    return [first, *(q for q in rest if not follows(q))]


def wrong_words(target: Target, wrong: Sequence[str]) -> str:
    """ "11 of 12 numbers come out; only estimate.C does not: printed -0.948, these data give -0.919"."""
    if not wrong:
        return ""
    n, off = len(target.numbers), len(target.off)
    named = " and ".join(wrong)
    verb = "does not" if len(wrong) == 1 else "do not"
    more = off - len(wrong)
    text = {str(q.quantity): q.printed.text for q in target.numbers}
    given = "; ".join(
        f"{'' if len(wrong) == 1 else f'{q}: '}printed {text[q]}, these data give {target.as_printed(q)}"
        for q in wrong
    )
    follow = f" (and {more} that follow{'s' if more == 1 else ''} from it)" if more else ""
    return f"{n - off} of {n} numbers come out; only {named} {verb}{follow}: {given}"


# -- the pattern of the numbers ------------------------------------------------------------------------------

#: Numbers that a pattern must hold for, one of which decides its constant; digits of the others together.
LEAST_OF_A_PATTERN, LEAST_DIGITS = 3, 3


def pattern(target: Target, columns: dict[str, list[Slip]]) -> str:
    """The one factor or constant between the printed and the computed numbers, and the slips that give it."""
    found = []
    for kind, name in (("se", "standard errors"), ("estimate", "estimates")):
        words = _factor(target, kind, name) or (_constant(target) if kind == "estimate" else "")
        if words:
            known = sorted(columns.get(kind, []), key=lambda s: (STAGES.index(s.stage), s.cost))
            ways = list(dict.fromkeys(s.sentence for s in known))
            found.append(words + (f"; so they are if {', or if '.join(ways[:3])}" if ways else ""))
    return "; ".join(found)


def _column(target: Target, kind: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Ends of the printed numbers of a kind, and the computed ones; None if they show no pattern."""
    items = {t.name for t in target.fit.terms if kind == "se" or t.kind in ("item", "covariate")}
    these = [
        q
        for q in target.numbers
        if q.quantity.kind == kind and q.quantity.name in items and q.printed.unit is not None
    ]
    off = sum(q.quantity in target.off for q in these)
    digits = [significant_digits(q.printed.text) for q in these]
    if len(these) < LEAST_OF_A_PATTERN or 2 * off < len(these) or sum(digits) - max(digits) < LEAST_DIGITS:
        return None
    own = np.array([target.computed(q.quantity) for q in these])
    printed = np.array([target.printed(q.quantity) for q in these])
    half = printed[:, 1] / 2.0
    return printed[:, 0] - half, printed[:, 0] + half, own


def _factor(target: Target, kind: str, name: str) -> str:
    column = _column(target, kind)
    if column is None or not np.isfinite(column[2]).all() or (column[2] == 0).any():
        return ""
    ends = np.sort(np.stack([column[0] / column[2], column[1] / column[2]]), axis=0)
    low, high = float(ends[0].max()), float(ends[1].min())
    if not (low <= high and (low > 1.0 or high < 1.0) and low * high > 0.0):
        return ""
    middle = (low + high) / 2.0
    if kind == "se":
        small = middle < 1.0
        size = _shown(1.0 / high, 1.0 / low) if small else _shown(low, high)
        return f"all {name} are too {'small' if small else 'large'} by {size}"
    return f"all {name} are {_shown(low, high)} times the computed ones"


def _constant(target: Target) -> str:
    column = _column(target, "estimate")
    if column is None or not np.isfinite(column[2]).all():
        return ""
    low, high = float((column[0] - column[2]).max()), float((column[1] - column[2]).min())
    if low > high or low <= 0.0 <= high:
        return ""
    return f"the estimates differ from the computed by one constant, {_shown(low, high)}"


#: Constants by which programs differ, preferred where the printed numbers allow them.
CONSTANTS = (2.0, 0.5, math.sqrt(2.0), math.sqrt(0.5))


def _shown(low: float, high: float) -> str:
    """A constant of an interval, or its middle, with the decimals that it determines."""
    decimals = 3 if high <= low else min(3, max(1, math.ceil(-math.log10(high - low))))
    value = next((c for c in CONSTANTS if low <= c <= high), (low + high) / 2.0)
    return f"{value:.{decimals}f}"
