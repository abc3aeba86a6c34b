"""The reports of `pairproof sample-size` and `watch`: studies planned, and looked at while answers come in.

Of a plan: what is expected, what a study of that size finds, and what it would take.  Of a study that is
watched: intervals that hold at every look, and what they take for granted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...native.planning.looking_early import OF_JUDGES, PER_ANSWER, Watched, WatchedInterval
from ...native.planning.pilot_studies import IntraClass, Pilot
from ...native.planning.study_plans import TablePlan, TwoSystemPlan
from ...report.blocks import Block, Bullets, Column, Heading, Page, Row, Table

UNITS = ("judge", "source")
NEEDED = ("answers of each judge", "judges", "answers together")


def page_two(plan: TwoSystemPlan, pilot: Pilot | None) -> Page:
    """The plan of two systems."""
    said = Bullets(tuple(plan.sentences()), lead=True)
    blocks: list[Block] = [said, Heading("Expected"), _expected(plan, pilot)]
    if pilot is not None:
        blocks.append(Bullets(tuple(_about_pilot(pilot))))
    if plan.simulated is not None:
        s = plan.simulated
        found = f"{s.power:.4f} of {s.studies:,} simulated studies were significant (Monte Carlo error {s.error:.4f})"
        formula = f"the formula gives {plan.power or 0.0:.4f}"
        blocks += [Heading("Checked by simulation"), Bullets((f"{found}; {formula}",))]
    about = f" about {plan.sources} sources" if plan.sources is not None else ""
    rows = tuple((f"{n.per_judge:g}", _whole(n.judges), _whole(n.answers)) for n in plan.needed)
    blocks.append(Heading(f"Judges for a power of {plan.wanted:g}{about}"))
    blocks.append(Table(tuple(map(Column, NEEDED)), rows))
    subtitle = f"Two systems; two-sided test at {100 * (1 - plan.level):.4g} %"
    return Page("How many judges and answers", blocks, subtitle)


def _expected(plan: TwoSystemPlan, pilot: Pilot | None) -> Table:
    e = plan.expected
    names = ("P(first) - P(second)", "P(tie)", *(f"correlation of a {unit}'s scores" for unit in UNITS))
    names = (*names, "variance of a score")
    taken = [f"{v:.4f}" for v in (e.margin, e.tie_rate, e.judge_icc, e.source_icc, e.variance)]
    if pilot is None:
        return Table(("", "taken"), tuple(zip(names, taken)))
    units, test = (pilot.judge, pilot.source), pilot.margin_test
    found = ["-" if u is None else f"{u.icc:.4f}" for u in units]
    found = [f"{pilot.margin:.4f}", f"{pilot.tie_rate:.4f}", *found, ""]
    limits = ["" if u is None else _of_units(u) for u in units]
    limits = ["" if test is None else _limits(test.conf_int(plan.level)), "", *limits, ""]
    head = ("", "taken", "pilot", Column(f"{100 * plan.level:g} % limits", "left"))
    return Table(head, tuple(zip(names, taken, found, limits)))


def _limits(ends: tuple[float, float]) -> str:
    return "" if math.isnan(ends[0]) else f"{ends[0]:.4f} to {ends[1]:.4f}"


def _of_units(found: IntraClass) -> str:
    return f"{_limits((found.low, found.high))} ({found.units} of them, {found.per_unit:.1f} answers each)"


def _about_pilot(pilot: Pilot) -> list[str]:
    a, b = pilot.names
    said = [f"pilot: {pilot.answers:g} answers about {a} and {b}", *pilot.why_not]
    if pilot.judge is not None and pilot.judge.high > pilot.judge.icc:
        said.append(
            f"the correlation of a judge's scores may be as large as {pilot.judge.high:.3f}: also try"
            f" the plan with --icc-judge {pilot.judge.high:.3f}"
        )
    said.append(
        "a pilot's margin is uncertain: plan for the smallest margin that matters (--margin), not for the pilot's"
    )
    return said


def _whole(value: float | None) -> str:
    return "no number suffices" if value is None else f"{value:,.0f}"


def document_two(plan: TwoSystemPlan, pilot: Pilot | None) -> dict[str, Any]:
    """The JSON document of two systems."""
    return {
        "goal": "two",
        "expected": {**asdict(plan.expected), "variance": plan.expected.variance},
        "wanted_power": plan.wanted,
        "level": plan.level,
        "design": {"judges": plan.judges, "per_judge": plan.per_judge, "sources": plan.sources},
        "power": plan.power,
        "standard_error": plan.standard_error,
        "detectable_margin": plan.detectable,
        "highest_power": plan.highest_power,
        "answers_needed": plan.answers_needed,
        "sources_needed": plan.sources_needed,
        "judges_needed": [
            {"per_judge": n.per_judge, "judges": n.judges, "answers": n.answers} for n in plan.needed
        ],
        "simulated": None if plan.simulated is None else asdict(plan.simulated),
        "pilot": None if pilot is None else _document_pilot(pilot, plan.level),
        "notes": plan.sentences(),
    }


def _document_pilot(pilot: Pilot, level: float) -> dict[str, Any]:
    (first, second), test = pilot.names, pilot.margin_test
    interval = None if test is None or test.why_not else list(test.conf_int(level))
    units = [None if found is None else asdict(found) for found in (pilot.judge, pilot.source)]
    return {
        **{"first": first, "second": second, "answers": pilot.answers},
        **{"margin": pilot.margin, "margin_conf_int": interval, "tie_rate": pilot.tie_rate},
        **{f"{name}_icc": found for name, found in zip(UNITS, units)},
        "notes": list(pilot.why_not),
    }


def page_table(plan: TablePlan) -> Page:
    """The plan of several systems."""
    d = plan.design
    order = sorted(range(len(d.items)), key=lambda k: -float(d.abilities[k]))
    names = [d.items[k] for k in order]
    gaps = [
        (a, b, f"{d.abilities[i] - d.abilities[j]:.4f}", f"{d.standard_error(a, b):.4f}", f"{d.power_of(a, b, plan.level):.4f}")
        for (i, a), (j, b) in zip(zip(order, names), zip(order[1:], names[1:]))
    ]  # fmt: skip
    spread = f"judges differ with sd {d.judge_sd:.4f} in log-odds of an item"
    if d.sources is not None:
        spread += f", sources ({d.sources:g}) with sd {d.source_sd:.4f}"
    blocks: list[Block] = [
        Bullets((*plan.sentences(), spread), lead=True),
        Heading("Neighbours in ability, each pair tested separately"),
        Table((Column("better", "left"), Column("worse", "left"), "difference", "se", "power"), tuple(gaps)),
    ]
    return Page("How many judges and answers", blocks, f"{len(d.items)} systems; goal: {plan.goal}")


def document_table(plan: TablePlan) -> dict[str, Any]:
    """The JSON document of several systems."""
    d = plan.design
    return {
        "goal": plan.goal,
        "expected": {
            "abilities": dict(zip(d.items, map(float, d.abilities))),
            "judge_sd": d.judge_sd,
            "source_sd": d.source_sd,
        },
        "wanted_power": plan.wanted,
        "level": plan.level,
        "design": {"judges": d.judges, "per_judge": d.answers / d.judges, "sources": d.sources},
        "pair": None if plan.pair is None else list(plan.pair),
        "top": plan.top if plan.goal == "top-k" else None,
        "power": plan.power,
        "highest_power": plan.highest_power,
        "judges_needed": plan.judges_needed,
        "ranking": None if plan.ranking is None else asdict(plan.ranking),
        "covariance": {"items": list(d.items), "rows": [list(map(float, row)) for row in d.covariance]},
        "notes": plan.sentences(),
    }


HEADER = (
    *(Column(title, "left") for title in ("first", "second", "of", "how")),
    *map(Column, ("so far", "estimate", "low", "high", "neutral", "settled")),
)
#: Pairs named in one sentence.
MOST_NAMED = 12


def page(found: Watched, source: str) -> Page:
    """The intervals, the answer, and the assumptions."""
    blocks: list[Block] = [
        Bullets(tuple(sentences(found)), lead=True),
        Heading(f"Intervals that hold at every look, {100 * found.level:g} %"),
        Table(HEADER, tuple(map(_row, found.intervals))),
        Heading("Assumptions"),
        Bullets(found.assumed),
    ]
    return Page("Monitoring while answers arrive", blocks, f"Data: {source}")


def _row(i: WatchedInterval) -> Row:
    numbers = tuple("-" if math.isnan(v) else f"{v:.4f}" for v in (i.estimate, i.low, i.high))
    settled = "-" if i.why_not else "yes" if i.settled else "no"
    if not i.why_not and i.settled_at is not None:
        settled = f"yes, at {i.settled_at}"
    cells = (i.first, i.second, i.what, i.how, f"{i.t:g}", *numbers, f"{i.neutral:g}", settled)
    return Row(cells, f"{i.second}, {i.what}: no interval, {i.why_not}" if i.why_not else "")


def sentences(found: Watched) -> list[str]:
    """What is settled, a sentence for two systems or for all pairs."""
    names = {(i.first, i.second) for i in found.intervals}
    return list(_of_two(found) if len(names) == 1 else _of_pairs(found))


def _of_two(found: Watched) -> Iterator[str]:
    # Where there are judges, what takes answers as independent is not the answer: it comes last, and says so.
    judges = any(i.what == OF_JUDGES and i.t >= 2 for i in found.intervals)
    for i in sorted(found.intervals, key=lambda i: judges and i.what in PER_ANSWER):
        supposing = ", if judges do not differ" if judges and i.what in PER_ANSWER else ""
        yield f"{i.what} ({i.how}){supposing}: " + (f"no interval, {i.why_not}" if i.why_not else _settled(i))


def _settled(i: WatchedInterval) -> str:
    """Who is ahead where that is settled, since when, and the evidence."""
    unit = "judges" if i.what == OF_JUDGES else "answers"
    e = "" if math.isnan(i.e_value) else f"; evidence against 1/2: {i.e_value:.4g} to 1"
    if i.low > i.neutral or i.high < i.neutral:
        since = "" if i.settled_at is None else f" since {i.settled_at} {unit}"
        return f"{i.first if i.low > i.neutral else i.second} is ahead, equality is excluded{since}{e}"
    if i.settled_at is not None:
        return f"equality was excluded at {i.settled_at} {unit}, but the interval now includes it again{e}"
    return f"nothing is settled yet{e}"


def _of_pairs(found: Watched) -> Iterator[str]:
    ahead = [(i.first, i.second) if i.low > 0 else (i.second, i.first) for i in found.intervals if i.settled]
    more = f" and {len(ahead) - MOST_NAMED} more" if len(ahead) > MOST_NAMED else ""
    pairs = f": {', '.join(f'{a} > {b}' for a, b in ahead[:MOST_NAMED])}{more}" if ahead else ""
    yield f"{len(ahead)} of {len(found.intervals)} pairs are settled{pairs}"
    yield from found.cautions
    reasons = {i.why_not for i in found.intervals if i.why_not}
    for why in sorted(reasons)[:MOST_NAMED]:
        yield f"{sum(i.why_not == why for i in found.intervals)} pairs have no interval: {why}"


def document(found: Watched) -> dict[str, Any]:
    """The JSON document."""
    return {
        "level": found.level,
        "planned": found.planned,
        "assumed": list(found.assumed),
        "intervals": [{**asdict(i), "settled": None if i.why_not else i.settled} for i in found.intervals],
        "notes": sentences(found),
    }
