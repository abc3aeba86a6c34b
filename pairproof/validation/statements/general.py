"""Tests of statements that any paper on paired comparisons may make: verdicts are computed, not typed.

A test is a function of a `Context` and of the claim's `args`; it returns a `Finding`.  A statement that does
not hold is `differs-conclusion`, or `differs` where nothing follows from it, and its code says what it is:
``false`` (the data say otherwise), ``misleading`` (true to the letter, the reader concludes the opposite),
``erratum`` (a slip of the pen).  What is said about a printed table of numbers is worked out in decimal from
what is printed.

Two items with ties have closed forms, and all counts that print given numbers can be searched.  With counts
(a, t, b) of first preferred, tie, second preferred, the saturated model of Dras (2015, eq. 1) has::

    o1 = ln(a/b) / 2                 se = sqrt(1/a + 1/b) / 2
    g1 = ln t - (ln a + ln b) / 2    se = sqrt(1/t + (1/a + 1/b) / 4)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.estimates.tails import p_equals, p_words, two_sided_p
from ...fit.fit import Fit
from ...numerics.arrays import BoolArray, FloatArray
from ..claims.printed import Printed
from ..claims.quantities import counts_of, quantity
from .registers import Context, Finding, holds, right_or_erratum, statement_test

Triple = tuple[int, int, int]


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
        fits = _prints(g, printed.get("g1")) & _prints(se, printed.get("se_g1"))
        fits &= _z_prints(g / se, printed.get("p_g1"))
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
    """How many counts (n, t, n) of a description there are up to this total, and which fail it."""
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

    def wider(end: Decimal | None, side: int) -> float:
        return side * math.inf if end is None else float(end * (1 + side * Decimal("1e-12").copy_sign(end)))

    return (values >= wider(printed.low, -1)) & (values <= wider(printed.high, 1))


def _z_prints(z: FloatArray, p_text: str | None) -> BoolArray:
    return np.ones(len(z), bool) if p_text is None else _prints(two_sided_p(z), p_text)


def _in_order(values: Mapping[str, float]) -> list[str]:
    return sorted(values, key=lambda k: -values[k])


# -- rankings ------------------------------------------------------------------------------------------------


@statement_test("ranking-by-first-preferences")
def ranking_by_first_preferences(context: Context, *, ranking: Sequence[str]) -> Finding:
    """Items from most to fewest first preferences."""
    wins = counts_of(context.data, "wins")
    found = _in_order(wins)
    text = "first preferences in all: " + ", ".join(f"{i} {wins[i]:g}" for i in found)
    return holds(found == list(ranking) and len(set(wins.values())) == len(wins), text)


@statement_test("ranking-by-worth")
def ranking_by_worth(context: Context, *, ranking: Sequence[str], group: str = "all") -> Finding:
    """Items from largest to smallest worth in a group."""
    worths = {i: quantity(context.fit, f"worth.{group}.{i}") for i in context.fit.items}
    found = _in_order(worths)
    text = "worths: " + ", ".join(f"{i} {worths[i]:.4f}" for i in found)
    return holds(found == list(ranking), text)


@statement_test("disagreeing-pairs")
def disagreeing_pairs(context: Context, *, judge: str, pairs: Sequence[Sequence[str]]) -> Finding:
    """The pairs on which one judge's majority is against that of every other judge are these and no other."""
    majorities = _majorities(context.data)
    others = [m for j, m in majorities.items() if j != judge]
    sides = [(pair, side) for pair, side in majorities[judge].items() if side != 0]
    against = [pair for pair, side in sides if all(m.get(pair, 0) == -side for m in others)]
    which = ", ".join("-".join(p) for p in against) or "no pair"
    text = f"judge {judge}'s majority differs from that of each of the other {len(others)} judges on {which}"
    return holds(sorted(against) == sorted((p[0], p[1]) for p in pairs), text)


def _majorities(data: Comparisons) -> dict[str, dict[tuple[str, str], int]]:
    judges = data.columns.get("judge")
    if not isinstance(judges, Factor):
        raise InputError("this test needs a judge column")
    found = {}
    for code, judge in enumerate(judges.levels):
        pooled = data.select(judges.codes == code).pooled()
        found[judge] = {pair: (w > l) - (w < l) for pair, (w, _, l) in pooled.items()}
    return found


# -- parameters ----------------------------------------------------------------------------------------------


@statement_test("sign-and-significance")
def sign_and_significance(
    context: Context, *, parameter: str, sign: str, significant: bool = True
) -> Finding:
    """A parameter has this sign, and is or is not significant."""
    estimate, p = quantity(context.fit, f"estimate.{parameter}"), quantity(context.fit, f"p.{parameter}")
    right = (estimate > 0) == (sign == "positive") and (p < context.alpha) == significant
    return holds(right, f"{parameter} is {estimate:.4f}, {p_equals(p, digits=3)}", native=estimate)


@statement_test("rare-ties")
def rare_ties(context: Context, *, below: str = "0.1") -> Finding:
    """There is little undecidedness: fewer ties than this share of all comparisons."""
    ties, n = float(context.data.ties.sum()), context.data.n_comparisons
    share = ties / n
    text = f"{ties:g} of {n:g} comparisons are ties ({100 * share:.1f} %)"
    return holds(share < float(below), text, native=share)


@statement_test("only-significant-interactions")
def only_significant_interactions(context: Context, *, parameters: Sequence[str]) -> Finding:
    """Of the effects of the subject covariate on the items, these are significant and no other.

    The answer depends on the reference item; what it is under sum-to-zero is said beside it.
    """
    found, said = _significant(context.fit, context.alpha)
    _, centred = _significant(context.fit.with_reference("sum"), context.alpha)
    text = (
        f"with {context.fit.constraint}: {said}. This holds for this reference only; with items summing to zero,"
        f" the significant ones are {centred}"
    )
    return holds(sorted(found) == sorted(parameters), text)


def _significant(fit: Fit, alpha: float) -> tuple[list[str], str]:
    """The effects of subject covariates on items that are significant, and each with its z."""
    names = [t.name for t, free in zip(fit.terms, fit.free) if t.kind == "item" and t.by and free]
    found = [n for n in names if float(fit.pvalues[n]) < alpha]
    return found, ", ".join(f"{n} (z = {float(fit.zvalues[n]):.2f})" for n in found) or "none"


@statement_test("improves-the-fit")
def improves_the_fit(context: Context, *, smaller: str) -> Finding:
    """The model is better than another claim's smaller one, by likelihood ratio on the same data."""
    test = context.fit.compare(context.fit_of(smaller))
    text = f"likelihood ratio {test.statistic:.4f} on {test.df} df, {p_equals(test.p, 3)}"
    return holds(test.p < context.alpha, text, native=test.statistic)


@statement_test("effects-add-to-own-item")
def effects_add_to_own_item(context: Context, *, judge: str) -> Finding:
    """Whether a judge's ordering is lambda_j + lambda_jl (same item), or lambda_l + lambda_jl as the page has
    it.

    Only the right subscript gives the worths of the judge's group from the printed parameters.
    """
    fit = context.fit
    items, levels = fit.items, list(dict.fromkeys(lv for t in fit.terms for _, lv in t.by if lv is not None))
    own = np.array([quantity(fit, f"estimate.{i}") for i in items])
    extra = np.array([quantity(fit, f"estimate.{i}:judge[{judge}]") for i in items])
    position = levels.index(judge) + 1  # the first level is the reference and has no effect
    truth = np.array([quantity(fit, f"worth.judge={judge}.{i}") for i in items])

    def worths(ability: Any) -> Any:
        e = np.exp(LOG_WORTH_PER_UNIT[fit.scale] * ability)
        return e / e.sum()

    error_j = float(np.max(np.abs(worths(own + extra) - truth)))
    error_l = float(np.max(np.abs(worths(own[position] + extra) - truth)))
    text = (
        f"lambda_jl belongs to lambda_j (worths of judge {judge} differ by {error_j:.1g}), not to lambda_l "
        f"(difference {error_l:.2g}): the subscript should be j"
    )
    return right_or_erratum(error_l < 1e-9, text, error_l)


# -- fit of the model ----------------------------------------------------------------------------------------


@statement_test("chi-square-accepts")
def chi_square_accepts(context: Context, *, claims: Sequence[str]) -> Finding:
    """The goodness-of-fit tests of these claims' models do not reject."""
    fits = {c: context.fit_of(c) for c in claims}
    p = {c: quantity(fit, "gof_p") for c, fit in fits.items()}
    text = "the test rejects: " if all(v < context.alpha for v in p.values()) else "goodness of fit: "
    said = {c: f"deviance {fit.deviance:.3f} on {fit.df_resid} df" for c, fit in fits.items()}
    text += "; ".join(f"{c}: {said[c]}, {p_equals(v, digits=2)}" for c, v in p.items())
    return holds(all(v >= context.alpha for v in p.values()), text, "misleading", min(p.values()))


@statement_test("deviance-ratio")
def deviance_ratio(context: Context, *, smaller: str, times: str) -> Finding:
    """The deviance of a smaller model is so many times that of the claim's own, rounded."""
    small, own = context.fit_of(smaller).deviance, context.fit.deviance
    ratio = small / own
    text = f"{small:.3f} / {own:.3f} = {ratio:.2f}"
    return holds(Printed.parse(times).verdict(ratio).verdict == "agrees", text, native=ratio)


@statement_test("df-is-cells-minus-parameters")
def df_is_cells_minus_parameters(context: Context, *, df: int) -> Finding:
    """Degrees of freedom are counts minus parameters, one nuisance parameter a comparison counted."""
    fit = context.fit
    table = fit.cell_table()
    cells = len(table.first) * (2 if fit.outcome_model == "binary" else 3)
    parameters = len(table.first) + fit.rank
    text = f"{cells} counts - ({len(table.first)} nuisance + {fit.rank} others) = {cells - parameters}"
    return holds(cells - parameters == df == fit.df_resid, text, native=float(cells - parameters))


@statement_test("objects-and-parameters")
def objects_and_parameters(context: Context, *, objects: int, parameters: int) -> Finding:
    """The model has so many objects and so many parameters, nuisance ones counted."""
    fit = context.fit
    pairs = len(fit.cell_table().first)
    k = pairs + fit.rank
    counts = (2 if fit.outcome_model == "binary" else 3) * pairs
    text = (
        f"{len(fit.items)} objects, {counts} counts and {k} parameters ({pairs} nuisance, {fit.rank} others);"
        " the number of counts, not of objects, equals the number of parameters"
    )
    return right_or_erratum(len(fit.items) == objects and k == parameters, text, float(k))


# -- two items -----------------------------------------------------------------------------------------------


@statement_test("sign-test-agrees")
def sign_test_agrees(context: Context) -> Finding:
    """The sign test says the same as the model about which item is preferred.

    Binomial, two-sided, ties dropped; beside it ties split (an odd one is dropped, the rest split).
    """
    pairs = context.data.pooled()
    if len(pairs) != 1:
        raise InputError(f"a sign test is for a pair of items; {context.data.source} has {len(pairs)} pairs")
    ((pair, (a, t, b)),) = pairs.items()
    dropped, split = sign_test_p(a, b), sign_test_p(a + t // 2, b + t // 2)
    estimate, p = quantity(context.fit, f"estimate.{pair[0]}"), quantity(context.fit, f"p.{pair[0]}")
    same = (dropped < context.alpha) == (p < context.alpha) and (a > b) == (estimate > 0)
    text = (
        f"sign test p = {p_words(dropped)} with ties dropped, {p_words(split)} with ties split; the model's p"
        f" for {pair[0]} is {p_words(p)}; {pair[0] if a > b else pair[1]} is preferred"
    )
    return holds(same, text, native=dropped)


@statement_test("only-counts-that-print")
def only_counts_that_print(context: Context, *, at_most: int, printed: Mapping[str, str]) -> Finding:
    """The claim's counts are the only ones, each at most so large, that print these numbers."""
    ((_, counts),) = context.data.pooled().items()
    found = counts_that_print(printed, at_most)
    print_ = f"{len(found)} print{'s' if len(found) == 1 else ''}"
    numbers, which = ", ".join(f"{k} {v}" for k, v in printed.items()), ", ".join(map(str, found[:4]))
    text = f"of all counts (n+, n0, n-) up to {at_most} each, {print_} {numbers}: {which}"
    return holds(found == [tuple(map(int, counts))], text, native=float(len(found)))


@statement_test("counts-not-determined")
def counts_not_determined(context: Context, *, total: int, stronger_ties_than: str) -> Finding:
    """What is said in words leaves many counts: first item preferred at alpha, tie effect larger and more
    significant than that of another data set."""
    ((_, (a, t, b)),) = context.data_of(stronger_ties_than).pooled().items()
    found = counts_with(total, (int(a), int(t), int(b)), context.alpha)
    text = (
        f"its counts are not in the text: {len(found)} (n+, n0, n-) with n+ + n0 + n- = {total} match the"
        f" description (n+ {_range(found, 0)}, n0 {_range(found, 1)}, n- {_range(found, 2)})"
    )
    if not found:
        return Finding.because("false", f"no counts with total {total} match the description", native=0.0)
    return Finding("not-checkable" if len(found) > 1 else "agrees", text, float(len(found)), "no-counts")


def _range(triples: Sequence[tuple[int, int, int]], place: int) -> str:
    values = [t[place] for t in triples]
    return f"{min(values)} to {max(values)}" if values else "none"


@statement_test("pattern-of-counts")
def pattern_of_counts(context: Context, *, pattern: str, total: int = 120) -> Finding:
    """Whether *every* count that a description allows behaves as said; no number can be checked."""
    tried, broken = try_pattern(pattern, total)
    text = (
        f"its counts are in an image, not in the text; all {tried} counts that match the description with a"
        f" total up to {total} behave as stated"
    )
    if broken:
        return Finding.because("false", f"{broken[0]} matches the description but does not behave as stated")
    return Finding("not-checkable", text, float(tried), "no-counts")


@statement_test("ranking-by-column")
def ranking_by_column(
    context: Context, *, item: str, columns: Sequence[str], ranking: Sequence[str]
) -> Finding:
    """Each column, largest first, gives this ranking; what is printed alike may stand either way."""
    table = context.table
    tied, wrong = [], []
    for column in columns:
        value = {name: Decimal(text) for name, text in zip(table[item], table[column])}
        found = [value[name] for name in ranking]
        if any(a < b for a, b in zip(found, found[1:])):
            wrong.append(f"{column}: {' '.join(sorted(value, key=lambda k: -value[k]))}")
        equal = [(a, b) for a, b in zip(ranking, list(ranking)[1:]) if value[a] == value[b]]
        tied += [f"{a} and {b} in {column} ({value[a]})" for a, b in equal]
    if wrong:
        return Finding.because("false", "; ".join(wrong))
    if tied:
        said = f"reproduced if items with equal printed values may appear in either order: {', '.join(tied)}"
        return Finding.because("tied", said, "explained")
    return Finding("agrees", f"{', '.join(columns)}: {' '.join(ranking)}")


@statement_test("narrower-range")
def narrower_range(context: Context, *, column: str, than: Sequence[str]) -> Finding:
    """A column spans less than each of the others, at its foot and at its top."""
    table = context.table
    span = {c: (min(map(Decimal, table[c])), max(map(Decimal, table[c]))) for c in (column, *than)}
    low, high = span[column]
    text = ", ".join(f"{c} {a} to {b}" for c, (a, b) in span.items())
    return holds(all(low > span[c][0] and high < span[c][1] for c in than), text)
