"""`python -m tools.pages.coverage`: simulate anew what `docs/coverage.md` says, keep it in `docs/records/coverage`, and draw it.

The simulations take an hour or two on one core, so they stand apart from `python -m tools.pages`, which makes the page's
tables from the records.  Every table has a seed of its own (:mod:`tools.pages.simulation.answers`), so that a part, a line
or the first tables of a line can be drawn again; a test does so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import click

from .simulation import (
    boundary,
    class_numbers,
    contest_tables,
    early,
    equal_systems,
    findings,
    intervals,
    judge_effects,
    lines,
    random_effects,
    reduced_bias,
    resampled,
    sites_answers,
    structured,
    two_systems,
    whole_answers,
)
from .simulation.figures import draw
from .simulation.tables import shown, table
from .simulation.tally import keep, read
from .tables import markdown

Line = Mapping[str, Any]
Job = tuple[str, Callable[[], dict[str, Any]]]

#: A rate of intervals below, or of false positives above, this is set in bold type.
LOWEST, MOST_FALSE = 0.93, 0.07
#: Runs of the sequences, and tables of equal systems.
RUNS, RUNS_WITH_TIES, RUNS_OF_JUDGES, EQUAL = 10_000, 2_000, 500, 300
#: Tables of whole answers, of latent classes, and of the test of their number for one class and for two.
WHOLE, CLASSES, ONE_CLASS, TWO_CLASSES = 600, 300, 200, 60


def jobs(part: str) -> Iterator[Job]:
    """Lines of a part by name, and what simulates each."""
    if part in DESIGNS:
        many = 0 if part == "other" else lines.AT_ONCE
        for design in DESIGNS[part]():
            yield design.name, partial(intervals.simulated, design, lines.TABLES, many)
    elif part == "two-systems":
        for judges in two_systems.designs():
            yield judges.name, partial(two_systems.simulated, judges)
    elif part == "equal-systems":
        for design in equal_systems.designs():
            yield design.name, partial(equal_systems.simulated, design, EQUAL)
    elif part == "whole-answers":
        for whole in whole_answers.designs():
            yield whole.name, partial(whole_answers.simulated, whole, WHOLE)
        for whole in whole_answers.class_designs():
            yield whole.name, partial(whole_answers.simulated_classes, whole, CLASSES)
    elif part == "whole-sites":
        for sites in sites_answers.designs():
            yield sites.name, partial(sites_answers.simulated, sites, WHOLE)
    elif part == "class-numbers":
        for whole in class_numbers.designs():
            n = ONE_CLASS if len(whole.shares) == 1 else TWO_CLASSES
            yield whole.name, partial(class_numbers.simulated, whole, n)
        yield class_numbers.again()[0], class_numbers.simulated_again
    elif part in contest_tables.TABLES:
        yield from contest_jobs(part)
    elif part == "resampled":
        yield from resampled.jobs()
    else:
        for p in (0.5, 0.7):
            yield f"decisive answers, P = {p}", partial(early.proportions, p, RUNS)
        for shares in ((0.4, 0.2, 0.4), (0.5, 0.3, 0.2)):
            yield f"answers with ties, {shares[0]}, {shares[1]}, {shares[2]}", partial(
                early.with_ties, shares, RUNS_WITH_TIES
            )
        yield "judges coming in, 200", partial(early.judges_coming_in, RUNS_OF_JUDGES)


def contest_jobs(part: str) -> Iterator[Job]:
    """Lines of models of contests, which are not of one kind, and what simulates each."""
    for tables, design in zip(contest_tables.TABLES[part], _CONTESTS[part].designs()):
        yield design.name, partial(_CONTESTS[part].simulated, design, tables)


_CONTESTS: Mapping[str, Any] = {
    "structured": structured,
    "random-effects": random_effects,
    "judge-effects": judge_effects,
    "boundary": boundary,
    "reduced-bias": reduced_bias,
}
DESIGNS = {"one-way": lines.one_way, "two-way": lines.two_way, "other": lines.other}
PARTS: tuple[str, ...] = (
    *DESIGNS,
    "resampled",
    "early",
    "two-systems",
    "equal-systems",
    "whole-answers",
    "whole-sites",
    "class-numbers",
)
PARTS += tuple(_CONTESTS)


def recorded(part: str) -> set[str]:
    """Names of the lines of a part that have a record."""
    return {one["name"] for one in read(part)["lines"]}


def recorded_lines(part: str) -> list[Line]:
    """Lines of a part's record, in the order of the page."""
    known = {one["name"]: one for one in read(part)["lines"]}
    return [known[name] for name, _ in jobs(part) if name in known]


def made() -> str:
    """With what the records were made, and the lines that have none yet."""
    absent = [f"{part}: {name}" for part in PARTS for name, _ in jobs(part) if name not in recorded(part)]
    said = findings.made()
    return said + (f"\nNot simulated yet: {'; '.join(absent)}.\n" if absent else "")


# -- the page's tables ---------------------------------------------------------------------------------------


ONE_WAY = {"model z": "model, z", "CR0 z": "CR0, z", "CR1 t": "CR1, t(G-1)", "CR2 t": "**CR2, t**"}


def one_way() -> str:
    return table(recorded_lines("one-way"), ONE_WAY, LOWEST) + _ratios(recorded_lines("one-way"))


def _ratios(found: list[Line]) -> str:
    """Ratios of standard errors and degrees of freedom, which need no column."""
    ratios = [one["rates"]["se ratio"]["rate"] for one in found]
    df = {
        one["name"]: one["rates"]["df"]["rate"]
        for one in found
        if one["design"]["uneven"] and one["design"]["judge_sd"] == 0.3
    }
    said = "; ".join(f"{v:.1f} with {name.partition(',')[0]}" for name, v in df.items())
    unequal = (
        f"  Median degrees of freedom of a difference where judges are unequally busy (sd 0.3): {said}."
        if said
        else ""
    )
    return f"\nMedian ratio of the CR2 standard error to the model's: {min(ratios):.2f} to {max(ratios):.2f}.{unequal}\n"


AT_ONCE = {
    "all intervals, normal": "all intervals, normal",
    "all intervals": "**all intervals**",
    "all ranks": "**all rank sets**",
    "a rank": "a rank set",
    "best": "the best",
}


def at_once() -> str:
    return _at_once([*recorded_lines("one-way"), *recorded_lines("two-way")])


def _at_once(found: list[Line]) -> str:
    rows = []
    for one in found:
        rates = one["rates"]
        if "all ranks" in rates:
            width = f"{rates['width of rank sets']['rate']:.1f}"
            cells = (shown(rates, m, LOWEST) for m in AT_ONCE)
            rows.append((one["name"], *cells, width, str(rates["all ranks"]["tables"])))
    return markdown(("", *AT_ONCE.values(), "ranks in a set, of 5", "tables"), rows)


def two_way() -> str:
    heads = {
        "model z": "model, z",
        "CR2 judge": "CR2 by judge",
        "CR2 source": "CR2 by prompt",
        "CGM CR1 z": "two-way CR1, z",
        "CGM CR2 t": "two-way CR2, t",
        "max rule": "**largest of three**",
    }
    return table(recorded_lines("two-way"), heads, LOWEST)


def other() -> str:
    return table(recorded_lines("other"), ONE_WAY, LOWEST)


def of_resampled() -> str:
    found = recorded_lines("resampled")
    by_judge = [one for one in found if "percentile" in one["rates"]]
    profiles = [one for one in found if "profile" in one["rates"]]
    return table(
        by_judge, resampled.HEADS, LOWEST
    ) + "\nAnswers of one judge, taken as independent, about three systems with log-odds 2, .5 and 0; what misses below" " and above the truth should be equal, .025 each.\n\n" + table(
        profiles, resampled.FEW_ANSWERS
    )


def of_early() -> str:
    methods = ("beta mixture", "hedged capital", "asymptotic", "Wald", "Wald, one look")
    return table(recorded_lines("early"), {m: m for m in methods}, 0.0, MOST_FALSE)


def of_two_systems() -> str:
    heads = {"sum": "sum", "judge means": "**judge means**", "CR2": "CR2", "sign flips": "sign flips",
             "beta-binomial": "beta-binomial", "random effect": "random judge effect"}  # fmt: skip
    text = table(recorded_lines("two-systems"), heads, 0.0, MOST_FALSE)
    searched = min(one["rates"]["beta-binomial"]["tables"] for one in recorded_lines("two-systems")
                   if "beta-binomial" in one["rates"])  # fmt: skip
    return (
        text
        + f"\nBeta-binomial and random effect: the first {searched} tables at least of a line that has them.\n"
    )


def of_equal_systems() -> str:
    kinds = {"unadjusted": "unadjusted", "single-step": "single-step", "Holm": "Holm", "ranks": "rank sets",
             "apart": "intervals apart"}  # fmt: skip
    heads = {f"{w}, {k}": f"{w}, {v}" for w in ("model", "CR2") for k, v in kinds.items()}
    return table(recorded_lines("equal-systems"), heads, 0.0, MOST_FALSE)


def of_whole_answers() -> str:
    one = [found for found in recorded_lines("whole-answers") if found["design"]["fitted_classes"] == 1]
    classes = [found for found in recorded_lines("whole-answers") if found["design"]["fitted_classes"] > 1]
    heads = {"model": "model, z", "CR1": "**CR1 by person, t**"}
    of_shares = {"model, share": "share, model", "CR1, share": "share, CR1"}
    left = sum(found["left_out"] for found in (*one, *classes))
    return (
        table(one, heads, LOWEST)
        + "\n"
        + table(classes, {**heads, **of_shares}, LOWEST)
        + f"\nTables left out because a parameter was infinite or a class had collapsed: {left}.\n"
    )


def of_whole_sites() -> str:
    found = recorded_lines("whole-sites")
    left = sum(one["left_out"] for one in found)
    return (
        table(found, sites_answers.HEADS, LOWEST)
        + f"\nTables left out because a parameter was infinite: {left}.\n"
    )


def of_class_numbers() -> str:
    heads = {"p <= .05": "p <= .05", "p <= .10": "p <= .10"}
    return table(recorded_lines("class-numbers"), heads)


def _of_contests(part: str) -> str:
    return contest_tables.PAGES[part](recorded_lines(part))


BLOCKS: Mapping[str, Callable[[], str]] = {
    "coverage-made": made,
    "coverage-findings": findings.page,
    "coverage-one-way": one_way,
    "coverage-at-once": at_once,
    "coverage-two-way": two_way,
    "coverage-other": other,
    "coverage-resampled": of_resampled,
    "coverage-early": of_early,
    "coverage-two-systems": of_two_systems,
    "coverage-equal-systems": of_equal_systems,
    "coverage-whole-answers": of_whole_answers,
    "coverage-whole-sites": of_whole_sites,
    "coverage-class-numbers": of_class_numbers,
    **{f"coverage-{part}": partial(_of_contests, part) for part in _CONTESTS},
}


@click.command(context_settings={"max_content_width": 120})
@click.argument("parts", nargs=-1, type=click.Choice(PARTS))
@click.option("--line", "only", help="Only lines whose name holds this.")
@click.option("--missing", is_flag=True, help="Only lines that have no record yet.")
@click.option("--figures", is_flag=True, help="Simulate nothing; draw the figures from the records.")
def main(parts: tuple[str, ...], only: str | None, missing: bool, figures: bool) -> None:
    """Simulate PARTS (default: all), keep the results, draw the figures; then run `python -m tools.pages docs/coverage.md`."""
    for part in () if figures else parts or PARTS:
        for name, job in jobs(part):
            if (only is None or only in name) and not (missing and name in recorded(part)):
                began = time.monotonic()
                keep(part, [job()])
                click.echo(f"{part}: {name}, {time.monotonic() - began:.0f} s", err=True)
    for path in draw():
        click.echo(f"{path}: drawn")


if __name__ == "__main__":
    main()
