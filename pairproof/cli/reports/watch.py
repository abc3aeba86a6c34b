"""The report of `pairproof watch`: intervals that hold at every look, and what they take for granted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...native.planning.watched import OF_JUDGES, PER_ANSWER, Watched, WatchedInterval
from ...report.blocks import Bullets, Column, Heading, Page, Row, Table

HEADER = (
    *(Column(title, "left") for title in ("first", "second", "of", "how")),
    *map(Column, ("so far", "estimate", "low", "high", "neutral", "settled")),
)
#: Pairs named in one sentence.
MOST_NAMED = 12


def page(found: Watched, source: str) -> Page:
    """The intervals, the answer, and the assumptions."""
    return Page(
        "Looking while answers come in",
        [
            Bullets(tuple(sentences(found)), lead=True),
            Heading(f"Intervals that hold at every look, {100 * found.level:g} %"),
            Table(HEADER, tuple(_row(interval) for interval in found.intervals)),
            Heading("Taken for granted"),
            Bullets(found.assumed),
        ],
        f"Data: {source}",
    )


def _row(i: WatchedInterval) -> Row:
    numbers = tuple("-" if math.isnan(v) else f"{v:.4f}" for v in (i.estimate, i.low, i.high))
    if i.why_not:
        settled = "-"
    elif i.settled_at is not None:
        settled = f"yes, at {i.settled_at}"
    else:
        settled = "yes" if i.settled else "no"
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
        return f"equality was excluded at {i.settled_at} {unit}, and the interval now holds it again{e}"
    return f"nothing is settled yet{e}"


def _of_pairs(found: Watched) -> Iterator[str]:
    settled = [
        f"{i.first} > {i.second}" if i.low > 0 else f"{i.second} > {i.first}"
        for i in found.intervals
        if i.settled
    ]
    more = f" and {len(settled) - MOST_NAMED} more" if len(settled) > MOST_NAMED else ""
    yield (
        f"{len(settled)} of {len(found.intervals)} pairs are settled"
        + (f": {', '.join(settled[:MOST_NAMED])}{more}" if settled else "")
    )
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
