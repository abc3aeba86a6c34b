"""Do the printed numbers fit each other?  Checks that need no data, in intervals.

A printed number is an interval, its rounding; what follows from printed numbers is an interval as well, and a
number that was printed beside them must meet it::

    z = estimate / se       p = 2 Phi(-|z|)  (or half of it)      limits = estimate +- 1.96 se
    worth = softmax of the log worths, sums to 1                  estimates that sum to zero do
    contrast = difference   odds = exp(log worth difference)
    |se_a - se_b| <= se of the difference <= se_a + se_b
    p of a deviance         likelihood ratio = difference of deviances, its df, its p
    df_null - df = number of parameters                           null deviance >= deviance
    df <= pairs x free outcomes - parameters                      AIC = deviance + 2k + one constant a table

As statcheck (Nuijten et al. 2016) does for t and F, extended to what papers on paired comparisons print.
Each printed number is checked at most once, by the sharpest relation that has it.  The test of win totals is
in :mod:`.win_totals`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ...fit.inference import normal_quantile
from ...fit.spec import LOG_WORTH_PER_UNIT, ModelSpec
from ..claims.paper import PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import Quantity, kind_of
from .agreement import Verdict

#: Relative slack of an interval computed in doubles from ends that are exact decimals.
SLACK = 1e-9
How = Literal["rounded", "truncated", "idle-zeros"]
#: Kinds that are whole numbers and never rounded.
_WHOLE = ("df_resid", "df_null", "lr_df")
_VERDICTS: tuple[tuple[How, Verdict], ...] = (
    ("rounded", "agrees"),
    ("truncated", "agrees-truncated"),
    ("idle-zeros", "agrees-k-of-m"),
)


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
        ends = sorted((self.low * factor, self.high * factor))
        return Interval(ends[0], ends[1])

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
        ends = sorted((abs(self.low), abs(self.high)))
        return Interval(ends[0], ends[1])

    def exp(self) -> Interval:
        return Interval(math.exp(min(self.low, 700)), math.exp(min(self.high, 700)))

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"at most {self.high:.6g}"
        return f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True)
class Printout:
    """The printed numbers of one claim, and what must be known to relate them.

    Attributes
    ----------
    numbers : mapping of quantity to Printed
    items : tuple of str
    unit : float
        Log worth per unit of an item's estimate.
    ties, reference, by : str
    order_effect : bool
    cells : tuple of str
    tie_category : bool
    sided : {1, 2}
    alpha : float
    """

    numbers: Mapping[str, Printed]
    items: tuple[str, ...]
    unit: float
    ties: str
    reference: str
    by: str
    order_effect: bool
    cells: tuple[str, ...]
    item_terms: tuple[str, ...]
    tie_category: bool
    sided: int = 2
    alpha: float = 0.05

    @staticmethod
    def of(
        numbers: Sequence[PrintedQuantity],
        spec: ModelSpec,
        scale: str,
        items: tuple[str, ...],
        tie_category: bool,
        sided: int = 2,
        alpha: float = 0.05,
    ) -> Printout:
        return Printout(
            {q.quantity: q.printed for q in numbers},
            items,
            LOG_WORTH_PER_UNIT[scale],
            spec.ties,
            spec.reference,
            spec.by,
            spec.order_effect,
            spec.cells,
            spec.item_terms,
            tie_category,
            sided,
            alpha,
        )

    def interval(self, name: str, how: How = "rounded") -> Interval | None:
        """The printed interval; 0 for a reference that is not printed; None if it is not there."""
        if name in self.numbers:
            printed = self.numbers[name]
            if kind_of(name) in _WHOLE and printed.value is not None and printed.unit is not None:
                return Interval(float(printed.value), float(printed.value))
            return Interval.of(printed, how)
        if self.reference and name == f"estimate.{self.reference}" and not self.by:
            return Interval(0.0, 0.0)
        return None

    def estimates(self, how: How = "rounded") -> dict[str, Interval] | None:
        """Every item's estimate, or None if one is not printed."""
        if self.by or self.item_terms:
            return None
        found = {i: self.interval(f"estimate.{i}", how) for i in self.items}
        return (
            None
            if any(v is None for v in found.values())
            else {i: v for i, v in found.items() if v is not None}
        )


@dataclass(frozen=True)
class Check:
    """The result of checking one printed number against others.

    Attributes
    ----------
    quantity : str
        The number that is checked.
    verdict : Verdict
    sentence : str
        From which numbers, and which interval they give.
    code : str
        As in :data:`pairproof.validation.verdicts.codes.CODES`.
    """

    quantity: str
    verdict: Verdict
    sentence: str
    code: str = "arithmetic"

    @property
    def holds(self) -> bool:
        return self.verdict in ("agrees", "agrees-truncated", "agrees-k-of-m")


#: What a number must be, given the others; None if that cannot be said.
Rule = Callable[[Printout, How], "Interval | None"]


def check_numbers(printout: Printout) -> list[Check]:
    """Every printed number that follows from others, checked once; sums last."""
    found = []
    for name in printout.numbers:
        for words, rule in _rules(printout, name):
            check = _judge(printout, name, words, rule)
            if check is not None:
                found.append(check)
                break
    return found + list(_sums(printout))


def _judge(p: Printout, name: str, words: str, rule: Rule) -> Check | None:
    given = rule(p, "rounded")
    if given is None or not (math.isfinite(given.low) or math.isfinite(given.high)):
        return None
    for how, verdict in _VERDICTS:
        wide = rule(p, how)
        printed = p.interval(name, how)
        if wide is not None and printed is not None and printed.meets(wide):
            extra = (
                ""
                if verdict == "agrees"
                else (
                    " (only if digits are cut off)"
                    if how == "truncated"
                    else " (its last zeros are no digits)"
                )
            )
            return Check(name, verdict, f"{words}: {given}{extra}")
    if kind_of(name) in ("p", "contrast_p"):
        other = given.times(0.5 if p.sided == 2 else 2.0)
        if Interval.of(p.numbers[name]).meets(other):
            side = "one" if p.sided == 2 else "two"
            return Check(
                name,
                "explained",
                f"one-sided-p: comes out if p is {side}-sided ({words}: {given}; {side}-sided {other})",
                "one-sided-p",
            )
        printed = Interval.of(p.numbers[name])
        if (printed.high <= p.alpha < given.low) or (printed.low >= p.alpha > given.high):
            return Check(
                name,
                "differs-conclusion",
                f"{words}: {given}; the printed p lies on the other side of {p.alpha:g}",
            )
    return Check(name, "differs", f"{words}: {given}")


# -- the relations -------------------------------------------------------------------------------------------


def _rules(p: Printout, name: str) -> Iterator[tuple[str, Rule]]:
    n = Quantity.parse(name)
    kind, estimate, se, z = n.kind, n.of("estimate"), n.of("se"), n.of("z")
    if kind == "z":
        yield f"{estimate} / {se}", lambda q, how: _quotient(q, estimate, se, how)
    elif kind == "p":
        yield f"from {z}, or {estimate} / {se}", lambda q, how: _p(q, z, estimate, se, how)
    elif kind in ("low", "high"):
        sign = "-" if kind == "low" else "+"
        yield f"{estimate} {sign} 1.96 {se}", lambda q, how: _limit(q, n, how)
    elif kind == "exp":
        yield f"exp({estimate})", lambda q, how: (
            None if (e := q.interval(estimate, how)) is None else e.exp()
        )
    elif kind == "worth" and not p.by:
        yield "from the estimates", lambda q, how: _worth(q, n, how)
    elif kind in ("contrast", "odds", "contrast_se", "contrast_z", "contrast_p") and not p.by:
        yield from _pair_rules(p, n)
    elif kind == "gof_p":
        yield "from deviance and df_resid", lambda q, how: _tail(
            q.interval("deviance", how), q.interval("df_resid", how)
        )
    elif kind == "lr_p":
        yield f"from {n.of('lr')} and {n.of('lr_df')}", lambda q, how: _tail(
            q.interval(n.of("lr"), how), q.interval(n.of("lr_df"), how)
        )
    elif kind == "deviance":
        yield "not above the null deviance", lambda q, how: _not_above(q.interval("null_deviance", how))
    elif kind == "df_resid":
        yield "df_null less the printed parameters", _df_from_null
        yield "no more than pairs x free outcomes - parameters", _df_at_most


def _quotient(p: Printout, a: str, b: str, how: How) -> Interval | None:
    top, bottom = p.interval(a, how), p.interval(b, how)
    return None if top is None or bottom is None else top.over(bottom)


def _p(p: Printout, z: str, a: str, b: str, how: How) -> Interval | None:
    direct, quotient = p.interval(z, how), _quotient(p, a, b, how)
    if direct is None and quotient is None:
        return None
    z_values = direct.both(quotient) if direct is not None and quotient is not None else direct or quotient
    assert z_values is not None
    size = z_values.size()
    tails = Interval(math.erfc(size.high / math.sqrt(2.0)), math.erfc(size.low / math.sqrt(2.0)))
    return tails if p.sided == 2 else tails.times(0.5)


def _limit(p: Printout, limit: Quantity, how: How) -> Interval | None:
    centre, se = p.interval(limit.of("estimate"), how), p.interval(limit.of("se"), how)
    if centre is None or se is None:
        return None
    half = se.times(normal_quantile(0.975))
    return centre - half if limit.kind == "low" else centre + half


def _worth(p: Printout, worth: Quantity, how: How) -> Interval | None:
    estimates, item = p.estimates(how), worth.name
    if estimates is None or item not in estimates or worth.group != "all":
        return None
    # Rises with the item's own estimate and falls with every other.
    gaps = [(e - estimates[item]).times(p.unit) for i, e in estimates.items() if i != item]
    return Interval(
        1.0 / (1.0 + sum(g.exp().high for g in gaps)), 1.0 / (1.0 + sum(g.exp().low for g in gaps))
    )


def _pair_rules(p: Printout, n: Quantity) -> Iterator[tuple[str, Rule]]:
    kind, contrast, se, z = n.kind, n.of("contrast"), n.of("contrast_se"), n.of("contrast_z")
    pair = next(((a, b) for a in p.items for b in p.items if n.place == f"all.{a}.{b}"), None)
    if pair is None:
        return
    a, b = pair

    def difference(q: Printout, how: How) -> Interval | None:
        x, y = q.interval(f"estimate.{a}", how), q.interval(f"estimate.{b}", how)
        return None if x is None or y is None else x - y

    def spread(q: Printout, how: How) -> Interval | None:
        x, y = q.interval(f"se.{a}", how), q.interval(f"se.{b}", how)
        return None if x is None or y is None else Interval((x - y).size().low, x.high + y.high)

    if kind == "contrast":
        yield f"estimate.{a} - estimate.{b}", difference
    elif kind == "odds":
        yield f"exp of the log worth difference of {a} and {b}", lambda q, how: (
            None if (d := difference(q, how)) is None else d.times(q.unit).exp()
        )
    elif kind == "contrast_se":
        yield f"between the difference and the sum of se.{a} and se.{b}", spread
    elif kind == "contrast_z":
        yield f"{contrast} / {se}", lambda q, how: _quotient(q, contrast, se, how)
    else:
        yield f"from {z}, or {contrast} / {se}", lambda q, how: _p(q, z, contrast, se, how)


def _tail(statistic: Interval | None, df: Interval | None) -> Interval | None:
    """p of a chi-square statistic whose df is a whole number."""
    from scipy.special import gammaincc

    if statistic is None or df is None:
        return None
    whole = df.low
    if whole <= 0 or df.high != whole:
        return None
    return Interval(
        float(gammaincc(whole / 2, max(statistic.high, 0.0) / 2)),
        float(gammaincc(whole / 2, max(statistic.low, 0.0) / 2)),
    )


def _not_above(null: Interval | None) -> Interval | None:
    return None if null is None else Interval(-math.inf, null.high)


def _parameters(p: Printout) -> tuple[int, bool]:
    """Parameters that are estimated, without that of the ties, and whether the items say how many there
    are.
    """
    if p.by or p.item_terms:
        printed = map(Quantity.parse, p.numbers)
        return sum(q.kind == "estimate" and q.name not in ("tie", p.reference) for q in printed), False
    return len(p.items) - 1 + p.order_effect, True


def _df_from_null(p: Printout, how: How) -> Interval | None:
    null = p.interval("df_null", how)
    k, known = _parameters(p)
    return null - Interval(k, k) if null is not None and known else None


def _df_at_most(p: Printout, how: How) -> Interval | None:
    k, known = _parameters(p)
    if not known or p.cells or p.by or p.order_effect:  # rows on neutral ground are cells of their own
        return None
    pairs = len(p.items) * (len(p.items) - 1) // 2
    ternary = p.tie_category and p.ties in ("davidson", "rao-kupper", "none")
    return Interval(
        0.0, pairs * (2 if ternary else 1) - k - (p.ties in ("davidson", "rao-kupper") and ternary)
    )


def _sums(p: Printout) -> Iterator[Check]:
    """Worths sum to 1; estimates sum to zero where the page says so."""
    worths = [p.interval(f"worth.all.{i}") for i in p.items]
    if not p.by and all(w is not None for w in worths):
        yield _sum("worth.all", [w for w in worths if w is not None], 1.0)
    if p.reference == "sum" and (estimates := p.estimates()) is not None:
        yield _sum("estimate", list(estimates.values()), 0.0)


def _sum(name: str, parts: list[Interval], total: float) -> Check:
    both = Interval(sum(w.low for w in parts), sum(w.high for w in parts))
    return Check(
        f"{name}.sum",
        "agrees" if both.meets(Interval(total, total)) else "differs",
        f"the sum of all is {both}, and must be {total:g}",
    )
