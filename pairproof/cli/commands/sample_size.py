"""`pairproof sample-size`: how many judges, sources and answers a study needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..naming import flag
from ..options.reading import PAIR, Reading, numbers_of, parsed, reader_options
from ..state import COUNT, LEVEL, READ, SHARE, State, choice, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...native.planning.pilot_studies import Pilot
    from ...native.planning.sample_size import TableDesign
    from ...native.planning.study_plans import TablePlan, TwoSystemPlan


#: Options of two systems, and of several.
_OF_TWO = ("margin", "icc_judge", "icc_source")
_OF_MANY = ("abilities", "judge_sd", "source_sd")


def _numbers(text: str) -> tuple[float, ...]:
    return numbers_of(text, float, "log-odds separated by commas, for example 0.9,0.5,0")


@sectioned("sample-size")
@click.argument("file", metavar="[FILE]", type=READ, required=False)
@options(
    "Goal",
    {
        "--goal": "Two systems; a contrast of two among several; every rank; or the top k.",
        "--pair A,B": ("The two systems (two, contrast).", PAIR),
        "--top K": ("k of top-k (default: 1).", COUNT),
        "--power": ("Target power.", {"name": "wanted", "type": SHARE, "default": 0.8}),
        "--level": ("1 minus the level of the test; joint level of all rank sets.", LEVEL),
    },
    goal=choice("two", "contrast", "ranking", "top-k", default="two"),
)
@options(
    "Assumptions (default: from the pilot FILE)",
    {
        "--margin": "Two: smallest difference P(first) - P(second) that matters.",
        "--tie-rate": "P(tie); for two equal systems in a table (default: the pilot's, or 0).",
        "--icc-judge": "Two: intra-class correlation of scores by one judge.",
        "--icc-source": "Two: intra-class correlation of scores about one source.",
        "--abilities X,Y,...": ("Several: abilities, in log-odds.", {"callback": parsed(_numbers)}),
        "--judge-sd": "Several: sd of a judge's own preferences for an item, in log-odds.",
        "--source-sd": "Several: sd of a source's effect on an item, in log-odds.",
    },
    **dict.fromkeys(("margin", "tie_rate", "icc_judge", "icc_source", "judge_sd", "source_sd"), float),
)
@options(
    "Study",
    {
        "--judges G": ("Judges (default with a table of several: the pilot's).", COUNT),
        "--per-judge M": ("Answers of each judge (default as for --judges).", COUNT),
        "--sources S": ("Number of sources, a random sample, over which answers are spread.", COUNT),
        "--simulate N": "Two: check the power by N simulated studies. Ranking, top-k: studies drawn (default: 300).",
    },
    simulate=COUNT,
)
@reader_options
@shared_options
def command(state: State, file: str | None, goal: str, reading: Reading[Comparisons], **asked: Any) -> None:
    """Compute how many judges, sources and answers a study needs, from a pilot FILE or from assumptions.

    Answers by one judge are correlated, and so are answers about one source (a sentence, a prompt): further answers
    by the same judges help less and less. The command reports the power of a design and the number of judges that a
    given power needs, and reports when no number of answers reaches it. --simulate checks the formulas by simulation.

    \b
    pairproof sample-size --margin 0.1 --tie-rate 0.25 --icc-judge 0.05 --judges 30 --per-judge 60 --simulate 1000
    pairproof sample-size pilot.csv --pair A,B --margin 0.1 --judges 40 --per-judge 50
    pairproof sample-size pilot.csv --goal top-k --top 3 --judges 40 --per-judge 50
    pairproof sample-size --goal ranking --abilities 0.9,0.5,0.2,0 --judge-sd 0.3 --judges 40 --per-judge 50
    """
    state.no_junit("a sample size has")
    from ..reports.study_plans import document_table, document_two, page_table, page_two

    _refuse_others(goal, asked, file is not None)
    table = None if file is None else reading.of(file)
    seed = state.seed or 0
    if goal == "two":
        pilot, plan = _two(table, asked, seed)
        state.give(lambda: page_two(plan, pilot), lambda: document_two(plan, pilot))
    else:
        found = _several(table, goal, asked, reading, seed)
        state.give(lambda: page_table(found), lambda: document_table(found))


def _refuse_others(goal: str, asked: dict[str, Any], pilot: bool) -> None:
    """Refuse options of another goal, which would otherwise do nothing."""
    others = _OF_MANY if goal == "two" else _OF_TWO
    for name in others:
        if asked[name] is not None:
            raise click.UsageError(f"{flag(name)} has no effect with --goal {goal}; leave it out.")
    if asked["top"] is not None and goal != "top-k":
        raise click.UsageError(f"--top has no effect with --goal {goal}; use --goal top-k.")
    if asked["pair"] is not None and goal in ("ranking", "top-k"):
        raise click.UsageError(f"--pair has no effect with --goal {goal}, which concerns all systems.")
    if asked["pair"] is not None and goal == "two" and not pilot:
        raise click.UsageError("--pair has no effect without a pilot FILE; omit it.")
    if asked["simulate"] is not None and goal == "contrast":
        raise click.UsageError(
            "--simulate has no effect with --goal contrast, whose power is given by a formula."
        )


def _two(table: Comparisons | None, asked: dict[str, Any], seed: int) -> tuple[Pilot | None, TwoSystemPlan]:
    from dataclasses import replace

    from ...native.planning.pilot_studies import pilot_of
    from ...native.planning.sample_size import Assumptions
    from ...native.planning.study_plans import plan_two, simulated_power

    first, second = asked["pair"] or (None, None)
    pilot = None if table is None else pilot_of(table, first, second, asked["level"])
    if pilot is None and asked["margin"] is None:
        raise click.UsageError(
            "give --margin, the difference of P(first) and P(second) to detect, or a pilot FILE."
        )
    stated = {name: asked[name] for name in ("margin", "tie_rate")}
    stated |= {"judge_icc": asked["icc_judge"], "source_icc": asked["icc_source"]}
    if pilot is not None:
        known = {"margin": pilot.margin, "tie_rate": pilot.tie_rate}
        units = {"judge_icc": pilot.judge, "source_icc": pilot.source}
        known |= {name: found.icc for name, found in units.items() if found}
        stated = {name: known.get(name) if value is None else value for name, value in stated.items()}
    expected = Assumptions(**{name: value or 0.0 for name, value in stated.items()})
    how = {name: asked[name] for name in ("wanted", "level", "judges", "per_judge", "sources")}
    plan = plan_two(expected, **how)
    if asked["simulate"] is not None:
        if plan.design is None:
            raise click.UsageError("--simulate needs a study to draw; give --judges and --per-judge.")
        found = simulated_power(expected, plan.design, asked["simulate"], asked["level"], seed)
        plan = replace(plan, simulated=found)
    return pilot, plan


def _several(
    table: Comparisons | None, goal: Any, asked: dict[str, Any], reading: Reading[Comparisons], seed: int
) -> TablePlan:
    from ...native.planning.study_plans import STUDIES, plan_table

    how = {name: asked[name] for name in ("pair", "wanted", "level")} | {"top": asked["top"] or 1}
    design = _design(table, asked, reading)
    return plan_table(design, goal, studies=asked["simulate"] or STUDIES, seed=seed, **how)


def _design(table: Comparisons | None, asked: dict[str, Any], reading: Reading[Comparisons]) -> TableDesign:
    from ...native.planning.pilot_studies import pilot_table
    from ...native.planning.sample_size import assumed_table

    judges, per_judge, sources = asked["judges"], asked["per_judge"], asked["sources"]
    if table is not None:
        if asked["abilities"] is not None or asked["tie_rate"] is not None:
            raise click.UsageError(
                "abilities and ties come from the pilot FILE; omit --abilities and --tie-rate."
            )
        pilot = pilot_table(table, judge_sd=asked["judge_sd"], source_sd=asked["source_sd"])
        g = pilot.judges if judges is None else judges
        each = pilot.answers / pilot.judges if per_judge is None else per_judge
        if sources is not None and pilot.sources is None:
            raise click.UsageError(
                "--sources needs a pilot with a source column, to estimate how sources differ."
            )
        return pilot.planned(g, g * each, pilot.sources if sources is None else sources)
    absent = [flag(name) for name in ("abilities", "judges", "per_judge") if asked[name] is None]
    if absent:
        raise click.UsageError(f"give {', '.join(absent)}, or a pilot FILE.")
    if asked["source_sd"] is not None and sources is None:
        raise click.UsageError("--source-sd has no effect without --sources, the number of sources; add it.")
    return assumed_table(
        asked["abilities"],
        judges=judges,
        answers=judges * per_judge,
        tie_rate=asked["tie_rate"] or 0.0,
        judge_sd=asked["judge_sd"] or 0.0,
        sources=sources,
        source_sd=asked["source_sd"] or 0.0,
        items=reading.stated.get("items"),
    )
