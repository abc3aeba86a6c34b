"""Agreements as a page of blocks: the words before them, the drawings, and every number with its verdict.

In drawings (worths, digits of agreement, computed against printed
numbers) nothing is told by colour alone: floors are bars, failures crosses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ...report.blocks import (
    BAD,
    FAINT,
    GOOD,
    INK,
    Block,
    Bullets,
    Cell,
    Column,
    Counts,
    Definitions,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Quote,
    Row,
    Table,
    Tone,
)
from ..claims.printed import Printed
from ..verdicts.agreement import VOCABULARY, Agreement, summary
from ..verdicts.digits import MOST
from . import notation as numbers
from .context import DigitsRow, ReportContext, Story, WorthSeries, digits_rows, opening
from .notation import Group, groups

#: Half-width of the drawing of printed numbers, in units of the last printed place; what lies outside is an
#: arrow.
REACH = 1.5


def worth_figure(series: WorthSeries, title: str) -> Figure:
    """Worths with 95 % intervals, one panel a group, items from most to least preferred in the first."""
    first = series.worth[0]
    order = sorted(
        range(len(series.items)), key=lambda k: -first[k] if not math.isnan(first[k]) else math.inf
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, len(series.groups), sharey=True, squeeze=False)[0]
        for g, (ax, group) in enumerate(zip(axes, series.groups)):
            _worths(ax, series, g, order)
            ax.set_xlabel("worth" if group == "all" else f"worth, {group}")
        axes[0].invert_yaxis()

    text = "; ".join(
        f"{group}: " + ", ".join(f"{series.items[k]} {numbers.number(series.worth[g][k], 3)}" for k in order)
        for g, group in enumerate(series.groups)
    )
    return Figure(
        f"{series.title}. Worths sum to 1 in each group; bars are 95 % intervals by the delta method.",
        text,
        (min(2.6 * len(series.groups) + 1.6, 9.6), 0.34 * len(order) + 1.0),
        draw,
        panels=True,
        title=title,
    )


def _worths(ax: Any, series: WorthSeries, g: int, order: Sequence[int]) -> None:
    for row, k in enumerate(order):
        w = series.worth[g][k]
        if math.isnan(w):
            ax.text(0.02, row, "not estimable", va="center", fontsize=8)
            continue
        ends = [series.low[g][k], series.high[g][k]]
        ax.plot(ends, [row, row], color=GOOD, linewidth=2.2, solid_capstyle="butt")
        ax.plot([w], [row], marker="o", color=INK, markersize=4.5, linestyle="none")
    ax.set_xlim(0, 1)
    ax.set_yticks(range(len(order)))
    ax.set_yticklabels([series.items[k] for k in order])


def digits_figure(rows: Sequence[DigitsRow]) -> Figure:
    """Digits of agreement, a strip a source and kind; the floor is a bar, the minimum is written."""
    sources = {
        source: [r for r in rows if r.source == source] for source in dict.fromkeys(r.source for r in rows)
    }
    heights = [len(members) + 0.4 for members in sources.values()]

    def draw(figure: Any) -> None:
        axes = figure.subplots(
            len(sources), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
        )[:, 0]
        for ax, (source, members) in zip(axes, sources.items()):
            _strips(ax, members)
            ax.set_title(source, loc="left", pad=3)
        axes[-1].set_xlabel(
            "digits of agreement of native (16 is equal to the last bit); bar: floor; right: fewest, of how many"
        )

    text = "; ".join(
        f"{r.source}, {r.kind}: fewest {numbers.digits(r.least)} of {r.n} numbers, floor {r.floor:g}"
        for r in rows
    )
    caption = "Every compared number is a dot; one below its floor is a cross."
    size = (8.6, 0.235 * (len(rows) + 2.8 * len(sources)) + 0.5)
    return Figure(caption, text, size, draw, panels=True)


def _strips(ax: Any, members: Sequence[DigitsRow]) -> None:
    for y, r in enumerate(members):
        # Spread, the same in every run.
        points = [(d, y + 0.22 * ((7 * k) % 11 - 5) / 5) for k, d in enumerate(r.digits)]
        for enough, style in (
            (True, {"marker": "o", "markersize": 2.6, "color": GOOD, "alpha": 0.6, "markeredgewidth": 0}),
            (False, {"marker": "x", "markersize": 5, "color": BAD}),
        ):
            some = [p for p in points if (p[0] >= r.floor) is enough]
            ax.plot([d for d, _ in some], [o for _, o in some], linestyle="none", **style)
        ax.plot([r.floor, r.floor], [y - 0.4, y + 0.4], color=INK, linewidth=2)
        ax.text(MOST + 0.35, y, f"{numbers.digits(r.least)} of {r.n}", va="center", fontsize=7.5)
    ax.set_ylim(len(members) - 0.4, -0.6)
    ax.set_yticks(range(len(members)))
    ax.set_yticklabels([r.kind for r in members])
    ax.set_xlim(-0.3, MOST + 0.2)
    ax.set_xticks(range(0, 17, 2))
    ax.tick_params(labelbottom=True)
    ax.grid(axis="x")


def printed_rows(agreements: Sequence[Agreement]) -> list[tuple[Agreement, float]]:
    """How far computed values lie from printed ones, in units of the last printed place."""
    found = []
    for a in agreements:
        if a.about != "printed" or a.printed is None or a.native is None or not math.isfinite(a.native):
            continue
        printed = Printed.parse(a.printed)
        if printed.value is not None and printed.unit is not None:
            found.append((a, float((Decimal(a.native) - printed.value) / printed.unit)))
    return found


def printed_figure(agreements: Sequence[Agreement]) -> Figure | None:
    """Computed against printed: inside the band the number rounds so; None without a last place."""
    rows = printed_rows(agreements)
    if not rows:
        return None

    def draw(ax: Any) -> None:
        ax.axvspan(-0.5, 0.5, color=FAINT, linewidth=0)
        ax.axvline(0, color=INK, linewidth=0.6)
        for y, (a, distance) in enumerate(rows):
            _distance(ax, y, a, distance)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_yticks(range(len(rows)))
        ax.set_yticklabels([f"{a.claim} {a.quantity} = {a.printed}" for a, _ in rows], fontsize=7.5)
        ax.set_xlim(-REACH - 0.1, REACH + 0.1)
        ax.set_xlabel("computed minus printed, in units of the last printed place")

    text = "; ".join(f"{a.claim} {a.quantity}: printed {a.printed}, {d:+.3g} units off" for a, d in rows)
    caption = (
        "Each printed number beside the computed one. Inside the band it rounds to what is printed (dot); a"
        " diamond or an arrow is a number that does not, with an explanation that a person accepted; a cross"
        " one that nobody accepted."
    )
    return Figure(caption, text, (8.6, 0.2 * len(rows) + 0.9), draw, title="Printed and computed")


def _distance(ax: Any, y: int, a: Agreement, distance: float) -> None:
    inside = abs(distance) <= REACH
    color = INK if a.accepted else GOOD if a.passes else BAD
    at = distance if inside else math.copysign(REACH, distance)
    marker = "D" if a.accepted else "o" if a.passes else "x"
    if not inside:
        marker = ">" if distance > 0 else "<"
        end, side = math.copysign(REACH - 0.06, distance), "right" if distance > 0 else "left"
        ax.text(end, y, f"{distance:+.4g} units", ha=side, va="center", fontsize=7.5)
    ax.plot([at], [y], marker=marker, markersize=5, linestyle="none", color=color)


#: What each verdict means, for the foot of the report.
MEANINGS: dict[str, str] = VOCABULARY["verdicts"]
ACCEPTED = "a person has read this very explanation and agreed with it; another one would not be accepted"
DIGITS = (
    "Digits are those of the difference against the larger of the number and its standard error. They are"
    " never averaged: the fewest count, and each kind of quantity has its floor for each R function."
)


def page(agreements: Sequence[Agreement], context: ReportContext) -> Page:
    """The whole report."""
    blocks: list[Block] = [_counts(agreements), Bullets(tuple(opening(agreements, context)), lead=True)]
    for story in context.story:
        blocks += story_blocks(story)
    printed = printed_figure(agreements)
    if printed is not None:
        blocks.append(printed)
    blocks += [worth_figure(s, "" if k else "Worths") for k, s in enumerate(context.worths)]
    rows = digits_rows(agreements)
    if rows:
        blocks += [Heading("Digits of agreement"), Paragraph(DIGITS), digits_figure(rows)]
        blocks.append(Folded("The same as a table", (digits_table(rows),), kept=True))
    blocks.append(Heading("Number by number"))
    for group in groups(agreements, context):
        blocks += group_blocks(group)
    return Page(context.title, [*blocks, *_foot(agreements, context)], context.subtitle)


def story_blocks(story: Story) -> Iterator[Block]:
    """A section in words; a figure that cannot be drawn is described."""
    yield Heading(story.title)
    yield from map(Paragraph, story.paragraphs)
    if story.table is not None:
        yield story.table
    for figure in story.figures:
        said = Paragraph(f"{figure.caption} (drawn in the HTML report) {figure.description}")
        yield replace(figure, elsewhere=(said,))


def _counts(agreements: Sequence[Agreement]) -> Counts:
    """How many of each verdict, in the worst tone among them."""
    order: tuple[Tone, ...] = ("bad", "off", "note", "good")
    worst: dict[str, Tone] = {}
    for a in agreements:
        worst[a.verdict] = min(worst.get(a.verdict, "good"), numbers.tone(a), key=order.index)
    return Counts(tuple((n, Cell(v, numbers.SIGNS[v], worst[v])) for v, n in summary(agreements).items()))


def group_blocks(group: Group) -> Iterator[Block]:
    """The agreements of one claim: those that are listed one by one, then those that are only counted."""
    yield Heading(group.title, 3)
    if group.where:
        yield Paragraph(group.where, aside=True)
    for a in group.listed:
        if a.about == "statement":
            yield Quote(a.printed or "", numbers.verdict_cell(a), _one_line(a.explanation))
    numbers_of = [a for a in group.listed if a.about != "statement"]
    if numbers_of:
        yield agreement_table(numbers_of)
    if group.arithmetic:
        checks = (f"{a.quantity} {a.printed or ''}".rstrip() + f": {a.explanation}" for a in group.arithmetic)
        yield Folded(group.fit_each_other, (Bullets(tuple(map(_one_line, checks))),))
    if group.beyond:
        n = len(group.beyond)
        held = " native against R and" if any(a.r is not None for a in group.beyond) else ""
        yield Folded(
            f"and {n} more comparison{'s' if n > 1 else ''} of numbers that are not on the page,{held} 50-digit"
            " values: all agree",
            (agreement_table(group.beyond),),
        )


def agreement_table(rows: Sequence[Agreement]) -> Table:
    """A row an agreement, its explanation below it; R's call is a column only where there are several."""
    calls = list(dict.fromkeys(numbers.source(a) for a in rows if a.r is not None))
    printed = any(a.printed for a in rows)
    several = len(calls) > 1
    header = (
        Column("quantity", "left"),
        *([Column("printed")] if printed else []),
        Column("native"),
        Column("R"),
        *([Column("R call", "left", detail=True)] if several else []),
        Column("digits"),
        Column("native to 50-digit value", detail=True),
        Column("R to 50-digit value", detail=True),
        Column("verdict", "left"),
    )
    body = tuple(
        Row(
            (
                a.quantity,
                *([a.printed or ""] if printed else []),
                numbers.shown(a.native, a.quantity),
                numbers.shown(a.r, a.quantity),
                *([numbers.source(a)] if several else []),
                *map(numbers.digits, (a.digits, a.certified_digits, a.r_certified_digits)),
                numbers.verdict_cell(a),
            ),
            _one_line(a.explanation),
        )
        for a in rows
    )
    return Table(header, body, f"R is {calls[0]}" if len(calls) == 1 else "")


def _one_line(text: str) -> str:
    """R's messages have several lines."""
    return " ".join(text.split())


def digits_table(rows: Sequence[DigitsRow]) -> Table:
    """Fewest digits by source and kind of quantity, beside the floor."""
    header = (
        *(Column(head, "left") for head in ("source", "quantity")),
        *map(Column, ("numbers", "digits", "floor")),
        Column("fewest at", "left"),
    )
    return Table(header, tuple((r.name, r.kind, str(r.n), *r.cells) for r in rows))


def _foot(agreements: Sequence[Agreement], context: ReportContext) -> Iterator[Block]:
    yield Heading("How to read this")
    meanings = [(Cell(v, numbers.SIGNS[v]), MEANINGS[v]) for v in summary(agreements)]
    accepted = [(Cell("(accepted)"), ACCEPTED)] if any(a.accepted for a in agreements) else []
    if meanings:
        yield Definitions((*meanings, *accepted))
    made = (
        f"Made by {context.command}{f', {context.made}' if context.made else ''}. " if context.command else ""
    )
    yield Paragraph(
        f"{made}Numbers are shown to ten significant digits; the JSON beside this report keeps every digit.",
        aside=True,
    )
