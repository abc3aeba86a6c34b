"""What the records say, in sentences: the ranges of the recommended methods, and where they fall short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from . import contest_tables
from .tally import read

Line = Mapping[str, Any]
#: From 20 clusters on single intervals should cover this share; all at once, and rank sets, the nominal share
#: at least.
GOAL, NOMINAL, ENOUGH = (0.93, 0.97), 0.95, 20
#: A rate is outside a limit if it is by more than this many Monte Carlo errors.
ERRORS = 2.0


def clusters(one: Line) -> int:
    """The smaller of the numbers of judges and prompts."""
    d = one["design"]
    return int(min(d["judges"], d["prompts"] or d["judges"]))


def rates(
    found: Iterable[Line], method: str, enough: bool | None = None, **design: Any
) -> list[tuple[str, float, float]]:
    """Name, rate and error of a method over lines; with `enough` only those with 20 clusters or more, or fewer."""
    out = []
    for one in found:
        right = enough is None or (clusters(one) >= ENOUGH) == enough
        if right and method in one["rates"] and all(one["design"].get(k) == v for k, v in design.items()):
            out.append((one["name"], one["rates"][method]["rate"], one["rates"][method]["error"]))
    return out


def span(found: list[tuple[str, float, float]]) -> str:
    """ ".941 to .956"."""
    values = [rate for _, rate, _ in found]
    if not values:
        return "(not simulated)"
    low, high = f"{min(values):.3f}", f"{max(values):.3f}"
    return low if low == high else f"{low} to {high}"


def pooled(found: Iterable[Line], method: str, enough: bool) -> str:
    """ "0.943 (5)": the share of all tables of these lines, whatever line a table is of, with its error.

    Lines are not weighted by their errors: those are small where by luck nothing was missed.
    """
    lines = [one for one in found if (clusters(one) >= ENOUGH) == enough and method in one["rates"]]
    if not lines:
        return "(not simulated)"
    tables = sum(one["rates"][method]["tables"] for one in lines)
    mean = sum(one["rates"][method]["rate"] * one["rates"][method]["tables"] for one in lines) / tables
    return f"{mean:.3f} ({max(round(1000 * (mean * (1 - mean) / tables) ** 0.5), 1)})"


def outside(found: list[tuple[str, float, float]], low: float, high: float = 1.0) -> list[str]:
    """ "8 judges, sd 0.6: 0.912 (4)" for each that is outside by more than `ERRORS` errors."""
    return [
        f"{name}: {rate:.3f} ({max(round(1000 * error), 1)})"
        for name, rate, error in found
        if rate < low - ERRORS * error or rate > high + ERRORS * error
    ]


def below(found: list[tuple[str, float, float]], low: float, high: float = 1.0) -> str:
    """What falls outside, as the end of a sentence."""
    names = outside(found, low, high)
    limits = f"below {low:.2f}" if high == 1.0 else f"outside {low:.2f} to {high:.2f}"
    if not names:
        return f"None of these {len(found)} is {limits} by more than two Monte Carlo errors."
    return (
        f"{len(names)} of {len(found)} are {limits} by more than two Monte Carlo errors: {'; '.join(names)}."
    )


def _single() -> str:
    one, other = read("one-way")["lines"], read("other")["lines"]
    cr2, few = rates([*one, *other], "CR2 t", True), rates([*one, *other], "CR2 t", False)
    return (
        f"**By judge or by prompt, CR2 with its own t** covers {span(cr2)} from 20 clusters on. {below(cr2, *GOAL)} With 8"
        f" clusters it covers {span(few)}: {span(rates(one, 'CR2 t', False, uneven=False))} where judges are equally busy,"
        f" {span(rates(one, 'CR2 t', False, uneven=True))} where they are not. CR0 with normal quantiles covers"
        f" {span(rates(one, 'CR0 z', False))} with 8 clusters, the model's own interval"
        f" {span(rates(one, 'model z', None, judge_sd=0.6))} where judges differ by sd 0.6, however many there are."
    )


def _two_way() -> str:
    found = read("two-way")["lines"]
    return (
        f"**By judge and prompt, the largest of the three** covers {span(rates(found, 'max rule', True))} from 20 of each"
        f" on. {below(rates(found, 'max rule', True), *GOAL)} With fewer it covers"
        f" {span(rates(found, 'max rule', False))}. The two-way covariance alone, CR2 with t, covers"
        f" {span(rates(found, 'CGM CR2 t', True))} and {span(rates(found, 'CGM CR2 t', False))}; with normal quantiles and"
        f" CR1 {span(rates(found, 'CGM CR1 z', True))} and {span(rates(found, 'CGM CR1 z', False))}. With 8 of each the"
        f" two-way covariance has a negative eigenvalue in"
        f" {span(rates(found, 'negative', False, prompts=8))} of tables."
    )


def _at_once() -> str:
    found = [*read("one-way")["lines"], *read("two-way")["lines"]]
    enough, few = rates(found, "all intervals", True), rates(found, "all intervals", False)
    ranks, best = rates(found, "all ranks"), rates(found, "best")
    one, two = read("one-way")["lines"], read("two-way")["lines"]
    return (
        f"**All ten intervals at once** hold in {span(enough)} of tables from 20 clusters on, in {span(few)} with fewer."
        f" {below([*few, *enough], NOMINAL)} Over all tables together: by judge"
        f" {pooled(one, 'all intervals', False)} with 8 clusters and {pooled(one, 'all intervals', True)}"
        f" from 20 on, by judge and prompt {pooled(two, 'all intervals', False)} and"
        f" {pooled(two, 'all intervals', True)}. With normal quantiles they hold in"
        f" {span(rates(found, 'all intervals, normal', False))} with 8 clusters.\n- **All rank sets at once** hold in"
        f" {span(ranks)}; the best system is among those that may be the best in {span(best)}."
        f" {below(ranks, NOMINAL)} They are wide: systems that differ by .1 to .3 in log-odds are not told apart by a"
        " few hundred answers."
    )


def _resampled() -> str:
    found = read("resampled")["lines"]
    methods = {
        "percentile": "percentile",
        "BCa": "bca",
        "studentised": "studentized",
        "the wild score test of one difference": "wild",
    }
    said = ", ".join(f"{name} {span(rates(found, of, judges=8))}" for name, of in methods.items())
    return (
        f"**Bootstraps that draw judges fall short with 8 of them**: {said}, where CR2 with its t covers"
        f" {span(rates(found, 'CR2 t', judges=8))} of the same tables."
    )


def _early() -> str:
    found = read("early")["lines"]
    sequences = [r for m in ("beta mixture", "hedged capital", "asymptotic") for r in rates(found, m)]
    return (
        f"**Confidence sequences** err at some look in {span(sequences)} of studies, where .05 is promised; Wald's"
        f" interval in {span(rates(found, 'Wald'))}."
    )


def _two_systems() -> str:
    found = read("two-systems")["lines"]

    def where(method: str, sd: float) -> str:
        return span(rates(found, method, sd=sd))

    return (
        f"**Two equal systems.** The sum of answers calls them different in {where('sum', 0.0)} of studies where judges"
        f" do not differ, in {where('sum', 0.2)} where they differ by sd 0.2, and in {where('sum', 0.4)} by sd 0.4. Judge"
        f" means do in {span(rates(found, 'judge means'))}, CR2 in {span(rates(found, 'CR2', uneven=False))} where judges are"
        f" equally busy and {span(rates(found, 'CR2', uneven=True))} where they are not, the beta-binomial in"
        f" {span(rates(found, 'beta-binomial'))}, a random judge effect in {span(rates(found, 'random effect'))}."
    )


def _equal_systems() -> str:
    found = read("equal-systems")["lines"]
    independent = partial(rates, found, judge_sd=0.0)
    said = ", ".join(
        f"{rate:.2f} ({name.partition(' ')[0]})" for name, rate, _ in independent("model, unadjusted")
    )
    single = [r for one in ("model, single-step", "model, ranks") for r in independent(one)]
    by_judge = [r for one in ("CR2, single-step", "CR2, ranks") for r in rates(found, one)]
    wrong = rates([one for one in found if one["design"]["judge_sd"] > 0.0], "model, single-step")
    return (
        f"**Many equal systems.** Some unadjusted difference has p < .05 in {said} of tables; single-step p-values and rank"
        f" sets claim something in {span(single)}. Where judges differ by sd 0.4 the model's own covariance claims something in"
        f" {span(wrong)} even with single-step p-values, CR2 in {span(by_judge)}."
    )


def _whole_answers() -> str:
    found = read("whole-answers")["lines"]
    single = [one for one in found if one["design"]["fitted_classes"] == 1]
    right = [one for one in single if len(one["design"]["shares"]) == 1]
    wrong = [one for one in single if len(one["design"]["shares"]) > 1]
    classes = [one for one in found if one["design"]["fitted_classes"] > 1]
    return (
        f"**Models of whole answers** (comparisons, rankings, ratings) cover {span(rates(right, 'model'))} where they"
        f" hold, with standard errors by person {span(rates(right, 'CR1'))}. Where persons are of two kinds and one is"
        f" fitted, the model's own intervals cover {span(rates(wrong, 'model'))}, those by person"
        f" {span(rates(wrong, 'CR1'))}. Parameters of latent classes are covered in {span(rates(classes, 'model'))},"
        f" their shares in {span(rates(classes, 'model, share'))}."
    )


def _class_numbers() -> str:
    found = read("class-numbers")["lines"]
    one = [line for line in found if len(line["design"]["shares"]) == 1]
    two = [line for line in found if len(line["design"]["shares"]) > 1]
    return (
        f"**The bootstrap test of one class against two** is wrong in {span(rates(one, 'p <= .05'))} of tables at .05"
        f" and in {span(rates(one, 'p <= .10'))} at .10; it finds two classes that differ by .7 in one lambda in"
        f" {span(rates(two, 'p <= .05'))} and {span(rates(two, 'p <= .10'))} of tables of 100 persons."
    )


def page() -> str:
    parts: tuple[Callable[[], str], ...] = (
        _single,
        _two_way,
        _at_once,
        _resampled,
        _early,
        _two_systems,
        _equal_systems,
        _whole_answers,
        _class_numbers,
    )
    said = [*(part() for part in parts), *contest_tables.findings()]
    return "".join(f"- {sentence}\n" for sentence in said)


def made() -> str:
    """With which versions the records were made."""
    parts = ("one-way", "two-way", "other", "resampled", "early", "two-systems", "equal-systems")
    parts += ("whole-answers", "class-numbers", *contest_tables.TABLES)
    with_ = sorted({tuple(sorted(one["made_with"].items())) for part in parts for one in read(part)["lines"]})
    lost = sum(
        one.get("not_estimable", 0) for part in ("one-way", "two-way", "other") for one in read(part)["lines"]
    )
    said = "; ".join(", ".join(f"{k} {v}" for k, v in one) for one in with_)
    return f"Made with {said}. Tables left out because some difference had no estimate: {lost}.\n"
