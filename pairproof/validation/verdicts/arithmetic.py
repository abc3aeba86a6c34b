"""Do the printed numbers fit each other?  Checks that need no data, in intervals.

A printed number is an interval, its rounding; what follows from printed numbers is an interval as well, and a
number that was printed beside them must meet it::

    z = estimate / se       p = 2 Phi(-|z|)  (or half of it)      limits = estimate +- 1.96 se
    chi2 = z^2              exp = exp(estimate), and its limits   se of exp = exp se
    worth = softmax of the log worths, sums to 1                  estimates that sum to zero do
    contrast = difference   odds = exp(log worth difference)
    |se_a - se_b| <= se of the difference <= se_a + se_b
    p of a deviance         likelihood ratio = difference of deviances, its df, its p
    df_null - df = number of parameters                           null deviance >= deviance
    df <= pairs x free outcomes - parameters                      AIC = deviance + 2k + one constant a table

As statcheck (Nuijten et al. 2016) does for t and F, extended to what papers on paired comparisons print.
Each printed number is checked at most once, by the sharpest relation that has it.  The test of win totals is
in :mod:`.arithmetic_rows`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, Optional

from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.specification import ModelSpec
from ..claims.printed import Printed
from ..claims.quantities import STANDARD_ERRORS, Quantity, is_probability, kind_of
from .agreement import AGREEING, Verdict
from .verdict import PrintVerdict

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
        """The values that print so: rounded, cut off, or rounded where last zeros are not digits."""
        low, high = printed.low, printed.high
        if printed.unit is not None and printed.value is not None:
            if how == "truncated":
                low = printed.value - (printed.unit if printed.value <= 0 else 0)
                high = printed.value + (printed.unit if printed.value >= 0 else 0)
            elif how == "idle-zeros" and printed.unit == 1 and printed.value:
                digits = str(abs(int(printed.value)))
                half = Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) / 2
                low, high = printed.value - half, printed.value + half
        return Interval(-math.inf if low is None else float(low), math.inf if high is None else float(high))

    def meets(self, other: Interval) -> bool:
        ends = (self.low, self.high, other.low, other.high)
        slack = SLACK * max((abs(end) for end in ends if math.isfinite(end)), default=0.0)
        return self.low <= other.high + slack and other.low <= self.high + slack

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def times(self, factor: float) -> Interval:
        return Interval(*sorted((self.low * factor, self.high * factor)))

    def over(self, other: Interval) -> Interval:
        """The quotient; if the divisor, which is not negative, may be 0, all that is far enough from 0."""
        if other.low <= 0:
            low = self.low / other.high if self.low > 0 < other.high else -math.inf
            high = self.high / other.high if self.high < 0 < other.high else math.inf
            return Interval(low, high)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def both(self, other: Interval) -> Interval:
        """The values that lie in both intervals; all of `other` where none does.

        Where a printed z does not fit the printed estimate and standard error, the check of z says so, and p
        is compared with the latter two.
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

    def log(self) -> Interval:
        return Interval(*(math.log(end) if end > 0 else -math.inf for end in (self.low, self.high)))

    def root(self) -> Interval:
        return Interval(math.sqrt(max(self.low, 0.0)), math.sqrt(max(self.high, 0.0)))

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"at most {self.high:.6g}"
        if math.isinf(self.high):
            return f"at least {self.low:.6g}"
        return f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"


#: Kinds that are whole numbers and never rounded.
_WHOLE = ("df_resid", "df_null", "lr_df")


class NotPrinted(LookupError):
    """A relation needs a number that is not printed."""


@dataclass(frozen=True)
class Printout:
    """The printed numbers of one claim, how they were made shorter, and what must be known to relate them."""

    numbers: Mapping[str, Printed]
    items: tuple[str, ...]
    unit: float
    spec: ModelSpec
    tie_category: bool
    sided: int = 2
    alpha: float = 0.05
    how: How = "rounded"

    def interval(self, name: str) -> Interval | None:
        """The printed interval; 0 for a reference that is not printed; None if it is not there."""
        if name in self.numbers:
            printed = self.numbers[name]
            if kind_of(name) in _WHOLE and printed.value is not None and printed.unit is not None:
                return Interval(float(printed.value), float(printed.value))
            return Interval.of(printed, self.how)
        reference = self.spec.reference
        if reference and name == f"estimate.{reference}" and not self.spec.by:
            return Interval(0.0, 0.0)
        return None

    def __contains__(self, name: str) -> bool:
        return self.interval(name) is not None

    def __getitem__(self, name: str) -> Interval:
        found = self.interval(name)
        if found is None:
            raise NotPrinted(name)
        return found

    def estimates(self) -> dict[str, Interval] | None:
        """Every item's estimate, or None if one is not printed."""
        if self.spec.by or self.spec.item_terms:
            return None
        try:
            return {i: self[f"estimate.{i}"] for i in self.items}
        except NotPrinted:
            return None


def corrected(printout: Printout, values: Mapping[str, float]) -> Printout:
    """The printout with these numbers as they would be printed to the same places if they were right."""
    numbers = dict(printout.numbers)
    for name, value in values.items():
        unit = numbers[name].unit
        if unit is not None and math.isfinite(value):
            right = (Decimal(value) / unit).to_integral_value() * unit
            numbers[name] = replace(numbers[name], value=right, low=right - unit / 2, high=right + unit / 2)
    return replace(printout, numbers=numbers)


#: Numbers that must be reproduced to their printed places before the one that differs is called a misprint,
#: and those that do not up to which it is asked whether they follow from one of them.
OTHERS_THAT_COME_OUT, MOST_FOLLOWING = 4, 8


def misprint(
    judged: Mapping[str, PrintVerdict],
    values: Mapping[str, float],
    printout_of: Callable[[], Printout | None],
) -> dict[str, PrintVerdict]:
    """The only number not reproduced, to its printed places, and those that were worked out from it as it
    is printed and would not follow if it were right; nothing where there is none.
    """
    off = [name for name, j in judged.items() if not j.comes_out]
    p = printout_of() if 1 < len(off) <= MOST_FOLLOWING else None
    as_printed = {c.quantity for c in check_numbers(p) if c.holds} if p is not None else set()
    for root in off if len(off) <= MOST_FOLLOWING else ():
        others, n = [name for name in off if name != root], len(judged) - len(off)
        if judged[root].code not in ("other-value", "small") or n < OTHERS_THAT_COME_OUT:
            continue
        if others and p is not None and root in p.numbers:
            fixed = check_numbers(corrected(p, {root: values[root]}))
            spoilt = as_printed & {c.quantity for c in fixed if not c.holds}
        else:
            spoilt = set()
        if spoilt >= set(others):
            why = f"computed {float(values[root])!r}: the only number not reproduced; {n} others are"
            found = {root: PrintVerdict("differs", why, "misprint")}
            for name in others:
                why = f"computed {float(values[name])!r}: follows from {root} as printed"
                found[name] = PrintVerdict(judged[name].verdict, why, "consequence", cause=root)
            return found
    return {}


#: Ways in which a number may have been shortened, the verdict for each, and a remark.
_VERDICTS: tuple[tuple[How, Verdict, str], ...] = (
    ("rounded", "agrees", ""),
    ("truncated", "agrees-truncated", " (only if digits are truncated)"),
    ("idle-zeros", "agrees-k-of-m", " (its trailing zeros are not significant)"),
)


@dataclass(frozen=True)
class Check:
    """The result of checking one printed number against others."""

    quantity: str
    verdict: Verdict
    sentence: str
    code: str = "arithmetic"

    @property
    def holds(self) -> bool:
        return self.verdict in AGREEING


#: What a number must be, given the others; None if that cannot be said.
Rule = Callable[[Printout], Optional[Interval]]


def check_numbers(printout: Printout) -> list[Check]:
    """Every printed number that follows from others, checked once; sums last."""
    found = []
    for name, printed in printout.numbers.items():
        if why := impossible(name, printed):
            found.append(Check(name, "differs", f"impossible: {why}", "impossible"))
            continue
        if not printed.mark_fits:
            why = f"the mark {printed.stars} does not match the p beside it"
            found.append(Check(name, "differs-conclusion", why, "significance-mark"))
            continue
        for words, rule in _rules(printout, name):
            check = _judge(printout, name, words, rule)
            if check is not None:
                found.append(check)
                break
    return found + list(_sums(printout))


def impossible(name: str, printed: Printed) -> str:
    """Why no number of this kind rounds to the printed one; "" if one may."""
    ends = Interval.of(printed)
    if kind_of(name) in STANDARD_ERRORS and ends.high < 0:
        return "a standard error is not negative"
    if is_probability(name) and (ends.high < 0 or ends.low > 1):
        return "a p-value is between 0 and 1"
    return ""


def cut_among_rounded(p: Printout, checks: list[Check]) -> list[Check]:
    """The checks, in which a number that holds only if truncated is a misprint where others must have been rounded.

    As with data (:func:`.verdict.judge_table`): unless its kind is truncated throughout.
    """
    cut = [c for c in checks if c.verdict == "agrees-truncated"]
    rounded = [
        c.quantity for c in checks if cut and c.verdict == "agrees" and _must_be_rounded(p, c.quantity)
    ]
    kinds = [kind_of(c.quantity) for c in cut]
    found = []
    for c in checks:
        kind = kind_of(c.quantity)
        if c in cut and rounded and (kinds.count(kind) < 2 or kind in map(kind_of, rounded)):
            why = f"{c.sentence}, while {rounded[0]}{f' and {len(rounded) - 1} more' * (len(rounded) > 1)} must have been rounded"
            c = Check(c.quantity, "differs", why, "cut-not-rounded")
        found.append(c)
    return found


def _must_be_rounded(p: Printout, name: str) -> bool:
    """Whether a number that holds would not if all were truncated."""
    printed = replace(p, how="truncated").interval(name) if name in p.numbers else None
    given = next((g for _, rule in _rules(p, name) if (g := _given(p, rule, "truncated")) is not None), None)
    return printed is not None and given is not None and not printed.meets(given)


def _judge(p: Printout, name: str, words: str, rule: Rule) -> Check | None:
    given = _given(p, rule, "rounded")
    if given is None or not (math.isfinite(given.low) or math.isfinite(given.high)):
        return None
    for how, verdict, remark in _VERDICTS:
        wide, printed = _given(p, rule, how), replace(p, how=how).interval(name)
        if wide is not None and printed is not None and printed.meets(wide):
            return Check(name, verdict, f"{words}: {given}{remark}")
    if kind_of(name) in ("p", "contrast_p"):
        other = given.times(0.5 if p.sided == 2 else 2.0)
        if p.sided == 1 and printed_in_one_direction(p):
            other = Interval(1.0 - given.high, 1.0 - given.low)
            if Interval.of(p.numbers[name]).meets(other):
                text = f"{words}: {other}, one-sided in the direction of the others"
                return Check(name, "agrees-other-definition", f"one-direction: {text}", "one-direction")
        if is_tidied(p.numbers[name], given.low):
            text = f"tidy-zeros: {words}: {given}, which gnm's summary prints as 0"
            return Check(name, "agrees-other-definition", text, "tidy-zeros")
        if Interval.of(p.numbers[name]).meets(other):
            side = "one" if p.sided == 2 else "two"
            text = f"reproduced if p is {side}-sided ({words}: {given}; {side}-sided {other})"
            return Check(name, "explained", f"one-sided-p: {text}", "one-sided-p")
        printed = Interval.of(p.numbers[name])
        if (printed.high <= p.alpha < given.low) or (printed.low >= p.alpha > given.high):
            text = f"{words}: {given}; the printed p is on the other side of {p.alpha:g}"
            return Check(name, "differs-conclusion", text)
    return Check(name, "differs", f"{words}: {given}")


def printed_in_one_direction(p: Printout) -> bool:
    """Whether the one-sided p-values of all rows with a z are on one side of 1/2 where z is positive, and on the other
    where it is not.
    """
    rows = [
        (Interval.of(p.numbers[n]), p.interval(Quantity.parse(n).of("z")))
        for n in p.numbers
        if kind_of(n) == "p"
    ]
    signs = {(z.low > 0) == (own.high < 0.5) for own, z in rows if z and not own.low <= 0.5 <= own.high}
    return len(signs) == 1


#: gnm prints numbers below a hundred machine epsilons as 0, and R's format.pval that 0 as "< 2e-16".
TIDY_ZERO, SMALLEST_P = 100 * 2.0**-52, 2.3e-16


def is_tidied(printed: Printed, p: float) -> bool:
    """Whether a p that is not so small is printed as "< 2e-16" by gnm."""
    bound = printed.high if printed.relation in ("<", "<=") else None
    return bound is not None and 1e-16 < float(bound) < SMALLEST_P and p < TIDY_ZERO


# -- the relations -------------------------------------------------------------------------------------------


def _given(p: Printout, rule: Rule, how: How) -> Interval | None:
    """What a rule says; None if it says nothing, or needs a number that is not printed."""
    try:
        return rule(replace(p, how=how))
    except NotPrinted:
        return None


def _rules(p: Printout, name: str) -> Iterator[tuple[str, Rule]]:
    n = Quantity.parse(name)
    kind, estimate, se, z = n.kind, n.of("estimate"), n.of("se"), n.of("z")
    if n.of("exp_se") in p and not {estimate, se} & p.numbers.keys():
        yield from _rules_of_exp(n)
        return
    if kind in ("z", "chi2"):
        yield f"{estimate} / {se}{', squared' * (kind == 'chi2')}", lambda q: (
            _squared(q[estimate].over(q[se])) if kind == "chi2" else q[estimate].over(q[se])
        )
    elif kind == "p":
        of_t = f" with {n.of('df')}" * (n.of("df") in p)
        words = f"from {z if n.of('chi2') not in p else n.of('chi2')}, or {estimate} / {se}{of_t}"
        yield words, lambda q: _p(q, z, estimate, se, q.interval(n.of("df")))
    elif kind in ("exp_low", "exp_high"):
        limit, sign = n.of(kind.removeprefix("exp_")), "-+"[kind == "exp_high"]
        if limit in p:
            yield f"exp({limit})", lambda q: q[limit].exp()
        yield f"exp({estimate} {sign} 1.96 {se})", lambda q: (
            (q[estimate] + half_width(q[se], 0.95).times(float(f"{sign}1"))).exp()
        )
    elif kind == "exp_se":
        yield f"{n.of('exp')} {se}", lambda q: _product(q[n.of("exp")], q[se])
    elif kind in ("low", "high"):
        sign, df = "-+"[kind == "high"], n.of("df")
        times = f"t({df})" if df in p else "1.96"
        yield f"{estimate} {sign} {times} {se}", lambda q: (
            q[estimate] + half_width(q[se], 0.95, q.interval(df)).times(float(f"{sign}1"))
        )
    elif kind == "exp":
        yield f"exp({estimate})", lambda q: q[estimate].exp()
    elif kind == "worth" and not p.spec.by:
        yield "from the estimates", lambda q: _worth(q, n)
    elif kind in ("contrast", "odds", "contrast_se", "contrast_z", "contrast_p") and not p.spec.by:
        yield from _pair_rules(p, n)
    elif kind == "gof_p":
        yield "from deviance and df_resid", lambda q: _tail(q["deviance"], q["df_resid"])
    elif kind == "lr_p":
        lr, lr_df = n.of("lr"), n.of("lr_df")
        yield f"from {lr} and {lr_df}", lambda q: _tail(q[lr], q[lr_df])
    elif kind == "deviance":
        yield "not above the null deviance", lambda q: Interval(-math.inf, q["null_deviance"].high)
    elif kind == "df_resid":
        yield "df_null minus the printed parameters", _df_from_null
        yield "no more than pairs x free outcomes - parameters", _df_at_most


def _rules_of_exp(n: Quantity) -> Iterator[tuple[str, Rule]]:
    """Where the estimate is printed as its exponential alone, with the standard error of that (Stata's odds ratios)."""
    exp, se, z = n.of("exp"), n.of("exp_se"), n.of("z")

    def of_log(q: Printout) -> tuple[Interval, Interval]:
        return q[exp].log(), q[se].over(q[exp])

    if n.kind == "z":
        yield f"log({exp}) {exp} / {se}", lambda q: of_log(q)[0].over(of_log(q)[1])
    elif n.kind == "p":
        yield f"from {z}, or log({exp}) {exp} / {se}", lambda q: tails(
            (q[z] if z in q else of_log(q)[0].over(of_log(q)[1])).size()
        ).times(1.0 if q.sided == 2 else 0.5)
    elif n.kind in ("exp_low", "exp_high"):
        sign = "-+"[n.kind == "exp_high"]
        yield f"exp(log({exp}) {sign} 1.96 {se} / {exp})", lambda q: (
            (of_log(q)[0] + half_width(of_log(q)[1], 0.95).times(float(f"{sign}1"))).exp()
        )


def _squared(a: Interval) -> Interval:
    size = a.size()
    return Interval(size.low**2, size.high**2)


def _product(a: Interval, b: Interval) -> Interval:
    """Of numbers that are not negative."""
    return Interval(max(a.low, 0.0) * max(b.low, 0.0), a.high * b.high)


def half_width(se: Interval, level: float, df: Interval | None = None) -> Interval:
    """Of the Wald interval at this level: normal, or of t on these degrees of freedom."""
    from scipy.special import stdtrit

    at = 0.5 + level / 2.0
    ends = [df.high, df.low] if df is not None else [math.inf]
    least, *more = (
        float(stdtrit(max(end, 1e-3), at)) if math.isfinite(end) else normal_quantile(at) for end in ends
    )
    return Interval(max(se.low, 0.0) * least, se.high * [least, *more][-1])


def tails(size: Interval, df: Interval | None = None) -> Interval:
    """The two-sided p of a statistic of this absolute size: normal, or of t on these degrees of freedom."""
    from scipy.special import stdtr

    if df is None:
        return Interval(math.erfc(size.high / math.sqrt(2.0)), math.erfc(size.low / math.sqrt(2.0)))
    least, most = ((size.high, df.high), (size.low, df.low))
    return Interval(*(2.0 * float(stdtr(max(n, 1e-3), -x)) for x, n in (least, most)))


def _p(q: Printout, z: str, a: str, b: str, df: Interval | None = None) -> Interval:
    """p of a printed z or its square, of a printed a / b, or of what both allow."""
    square = Quantity.parse(z).of("chi2")
    if a in q and b in q:
        quotient = q[a].over(q[b]).size()
        size = q[z].size().both(quotient) if z in q else quotient
    elif square in q and z not in q:
        size = q[square].root()
    else:
        size = q[z].size()
    return tails(size, df).times(1.0 if q.sided == 2 else 0.5)


def _worth(q: Printout, worth: Quantity) -> Interval | None:
    estimates, item = q.estimates(), worth.name
    if estimates is None or item not in estimates or worth.group != "all":
        return None
    # Rises with the item's own estimate and falls with every other.
    others = [e for i, e in estimates.items() if i != item]
    odds = [(e - estimates[item]).times(q.unit).exp() for e in others]
    return Interval(1.0 / (1.0 + sum(o.high for o in odds)), 1.0 / (1.0 + sum(o.low for o in odds)))


def _pair_rules(p: Printout, n: Quantity) -> Iterator[tuple[str, Rule]]:
    contrast, se, z = n.of("contrast"), n.of("contrast_se"), n.of("contrast_z")
    pair = next(((a, b) for a in p.items for b in p.items if n.place == f"all.{a}.{b}"), None)
    if pair is None:
        return
    a, b = pair

    def difference(q: Printout) -> Interval:
        return q[f"estimate.{a}"] - q[f"estimate.{b}"]

    def spread(q: Printout) -> Interval:
        x, y = q[f"se.{a}"], q[f"se.{b}"]
        return Interval((x - y).size().low, x.high + y.high)

    if n.kind == "contrast":
        yield f"estimate.{a} - estimate.{b}", difference
    elif n.kind == "odds":
        words = f"exp of the log worth difference of {a} and {b}"
        yield words, lambda q: difference(q).times(p.unit).exp()
    elif n.kind == "contrast_se":
        yield f"between the difference and the sum of se.{a} and se.{b}", spread
    elif n.kind == "contrast_z":
        yield f"{contrast} / {se}", lambda q: q[contrast].over(q[se])
    else:
        yield f"from {z}, or {contrast} / {se}", lambda q: _p(q, z, contrast, se)


def _tail(statistic: Interval, df: Interval) -> Interval | None:
    """p of a chi-square statistic whose df is a whole number."""
    from scipy.special import gammaincc

    whole = df.low
    if whole <= 0 or df.high != whole:
        return None
    least, most = (float(gammaincc(whole / 2, max(x, 0.0) / 2)) for x in (statistic.high, statistic.low))
    return Interval(least, most)


def _parameters(p: Printout) -> int | None:
    """Parameters that are estimated, without that of the ties; None if the items do not say how many."""
    other = p.spec.by or p.spec.item_terms or p.spec.comparison_terms
    return None if other else len(p.items) - 1 + p.spec.order_effect


def _df_from_null(q: Printout) -> Interval | None:
    k = _parameters(q)
    return None if k is None else q["df_null"] - Interval(k, k)


def _df_at_most(q: Printout) -> Interval | None:
    spec = q.spec
    k = _parameters(q)
    if k is None or spec.cells or spec.order_effect:  # rows on neutral ground are cells of their own
        return None
    pairs = len(q.items) * (len(q.items) - 1) // 2
    ternary = q.tie_category and spec.ties in ("davidson", "rao-kupper", "none")
    has_parameter = ternary and spec.ties != "none"
    return Interval(0.0, pairs * (2 if ternary else 1) - k - has_parameter)


def _sums(p: Printout) -> Iterator[Check]:
    """Worths sum to 1; estimates sum to zero where the page says so."""
    worths = [p.interval(f"worth.all.{i}") for i in p.items]
    if not p.spec.by and all(w is not None for w in worths):
        yield _sum("worth.all", [w for w in worths if w is not None], 1.0)
    if p.spec.reference == "sum" and (estimates := p.estimates()) is not None:
        yield _sum("estimate", list(estimates.values()), 0.0)


def _sum(name: str, parts: list[Interval], total: float) -> Check:
    both = Interval(sum(w.low for w in parts), sum(w.high for w in parts))
    verdict: Verdict = "agrees" if both.meets(Interval(total, total)) else "differs"
    return Check(f"{name}.sum", verdict, f"the sum of all is {both}; it must be {total:g}")
