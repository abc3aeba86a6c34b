"""Agreements as a page of blocks: the words before them, the drawings, and every number with its verdict.

In drawings (worths, digits of agreement, computed against printed
numbers) nothing is told by colour alone: floors are bars, failures crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
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
from ...text import named
from ..claims.printed import Printed
from ..claims.quantities import unit_of_size
from ..verdicts.agreement import AGREEING, VOCABULARY, Agreement, summary
from ..verdicts.digits import MOST
from . import notation as numbers
from .context import DigitsRow, ReportContext, Story, digits_rows, how_made, opening
from .findings import OTHER_DEFINITION, attention, of_page, printed_numbers
from .notation import Group, groups

#: Half-width of the drawing of printed numbers, in units of the last printed place; what lies further out
#: stands at its edge, with its distance.
REACH = 1.5
#: Lines of a list above the numbers; a longer table in which nothing is open is folded.
MOST_LISTED = LONG = 40


def digits_figure(rows: Sequence[DigitsRow]) -> Figure:
    """Digits of agreement, a strip a source and kind; the floor is a bar, the minimum is written."""
    names = dict.fromkeys(r.source for r in rows)
    sources = {source: [r for r in rows if r.source == source] for source in names}
    heights = [len(members) + 0.4 for members in sources.values()]

    def draw(figure: Any) -> None:
        axes = figure.subplots(
            len(sources), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
        )[:, 0]
        for ax, (source, members) in zip(axes, sources.items()):
            _strips(ax, members)
            ax.set_title(source, loc="left", pad=3)
        axes[-1].set_xlabel(
            "digits of agreement with native (16: equal to the last bit); bar: floor; right: fewest of n numbers"
        )

    text = "; ".join(
        f"{r.source}, {r.kind}: fewest {numbers.digits(r.least)} of {r.n} numbers, floor {r.floor:g}"
        for r in rows
    )
    caption = "Each dot is a compared number; a cross is below the required floor."
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
    for a in printed_numbers(agreements):
        if a.native is None or not math.isfinite(a.native):  # perhaps what is printed is no number either
            continue
        printed = Printed.parse(a.printed or "")
        if printed.value is None or printed.unit is None:
            continue
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
        several = len({a.claim for a, _ in rows}) > 1
        names = (f"{a.claim} {a.quantity}" if several else a.quantity for a, _ in rows)
        ax.set_yticklabels([f"{name} = {a.printed}" for name, (a, _) in zip(names, rows)], fontsize=7.5)
        ax.set_xlim(-REACH - 0.1, REACH + 0.1)
        ax.set_xlabel("computed minus printed, in units of the last printed digit")

    text = "; ".join(f"{a.claim} {a.quantity}: printed {a.printed}, {d:+.3g} units off" for a, d in rows)
    marks = {mark_of(a) for a, _ in rows}
    said = "; ".join(f"{mark}: {meaning}" for mark, (_, _, meaning) in MARKS.items() if mark in marks)
    caption = (
        "Each computed number minus the printed one, in units of the last printed digit. Inside the band it rounds to the"
        f" printed number. {said.capitalize()}. Points further out are drawn at the edge, with their distance."
    )
    return Figure(caption, text, (8.6, 0.2 * len(rows) + 0.9), draw, title="Printed and computed")


#: Marks of the drawing: sign, colour, and what the caption says of it.
MARKS = {
    "dot": ("o", GOOD, "the number is reproduced"),
    "square": ("s", INK, "the difference is too small to matter, or the number could not be checked"),
    "diamond": ("D", INK, "it is not reproduced, but a person accepted the explanation"),
    "cross": ("x", BAD, "it is not reproduced"),
}


def mark_of(a: Agreement) -> str:
    """The mark of a number: what its verdict makes it, and nothing else."""
    passing = "dot" if a.verdict in AGREEING else "square"
    return "diamond" if a.accepted else passing if a.passes else "cross"


def _distance(ax: Any, y: int, a: Agreement, distance: float) -> None:
    sign, color, _ = MARKS[mark_of(a)]
    at = max(-REACH, min(distance, REACH))
    if at != distance:
        side, beside = (
            ("right", -7) if distance > 0 else ("left", 7)
        )  # points, so that no size has it run into the mark
        text = f"{distance:+.4g} units"
        ax.annotate(
            text, (at, y), (beside, 0), textcoords="offset points", ha=side, va="center", fontsize=7.5
        )
    ax.plot([at], [y], marker=sign, markersize=5, linestyle="none", color=color)


#: What each verdict means, for the foot of the report.
MEANINGS: dict[str, str] = VOCABULARY["verdicts"]
ACCEPTED = "a person has read this explanation and accepted it; a different one would not be accepted"
DIGITS = (
    "Digits measure the difference relative to the larger of the number and its standard error; where a p-value or a worth"
    " has too few by that, those of the exponent behind it count. They are never averaged: the fewest count. Each kind of"
    " quantity has a required minimum (floor) for each R function."
)


def page(agreements: Sequence[Agreement], context: ReportContext) -> Page:
    """The whole report: what is reproduced, a picture, the numbers, and only then R's digits and how it was asked."""
    has_printed = bool(printed_numbers(agreements))
    one_fit = all(a.about == "native-r" and not a.claim for a in agreements)
    numbered: list[Block] = [Heading("Printed numbers" if has_printed else "Number by number")]
    for group in groups(agreements, context):
        numbered += group_blocks(group)
    story = [block for section in context.story for block in story_blocks(section)]
    picture = printed_figure(agreements)
    # How R was asked for each number of one fit, and versions, stand at the end.
    made = how_made(context, of_papers=not one_fit)
    lead = [line for line in opening(agreements, context) if line not in made]
    blocks: list[Block] = [Bullets(tuple(lead), lead=True), _counts(agreements), *list_blocks(agreements)]
    # The story of a fit is the fit itself, that of a paper goes beyond its numbers.
    told = [*numbered, *story] if has_printed else [*story, *numbered]
    blocks += [*filter(None, [picture]), *context.worths, *told]
    rows = digits_rows(agreements)
    if rows:
        both = (digits_figure(rows), digits_table(rows))
        blocks += [Heading("Digits of agreement"), Paragraph(DIGITS)]
        blocks.append(Folded("By source and kind of number", both, kept=True))
    blocks.append(Folded("How R was asked, and versions", (Bullets(tuple(made)),), kept=True))
    return Page(context.title, [*blocks, *_foot(agreements, context)], context.subtitle)


def list_blocks(
    agreements: Sequence[Agreement], most: int = MOST_LISTED, width: int | None = None
) -> Iterator[Block]:
    """What needs attention, one line per finding, and what another definition reproduces; on a screen, with
    lines of this width and without the tables, also what a person accepted.
    """
    others: dict[tuple[str, str], list[Agreement]] = {}
    for a in agreements:
        if a.verdict == OTHER_DEFINITION and a.about == "printed":
            others.setdefault((a.paper, a.finding), []).append(a)
    found = {
        "What needs attention": attention(agreements),
        "Other definitions": list(others.values()),
        "Explained and accepted by a person": [[a] for a in agreements if width and a.passes and a.accepted],
    }
    lines = {title: [numbers.line(a, agreements, width) for a in of[:most]] for title, of in found.items()}
    sought = getattr(agreements, "found", ())  # of a Verification
    lines["What the search found"] = [
        f"{named(f.claims)}: {sentence}" for f in sought[:most] for sentence in getattr(f, "sentences", ())
    ]
    for title, said in lines.items():
        if said:
            left = len(found.get(title, ())) - most
            yield Heading(title)
            yield Bullets((*said, *[f"... and {left:,} more"] * (left > 0)))


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
    """How many printed numbers have each verdict, in the worst tone among them; and those that do not fit each other."""
    what, rows = next(iter(of_page(agreements).items()), ("number", list(agreements)))
    rows = [*rows, *(a for a in agreements if a.about == "arithmetic" and not a.passes)]
    return replace(counted(rows, numbers.tone), what=f"{what}s")


def counted(rows: Sequence[Agreement], tone: Callable[[Agreement], Tone]) -> Counts:
    """How many of each verdict, in the worst tone among them."""
    order: tuple[Tone, ...] = ("bad", "off", "note", "good")
    worst: dict[str, Tone] = {}
    for a in rows:
        worst[a.verdict] = min(worst.get(a.verdict, "good"), tone(a), key=order.index)
    return Counts(tuple((n, Cell(v, numbers.SIGNS[v], worst[v])) for v, n in summary(rows).items()))


def group_blocks(group: Group, told: bool = False) -> Iterator[Block]:
    """The agreements of one claim: those that are listed one by one, then those that are only counted; `told` where
    the lists above have said why a number needs attention or follows another definition.
    """
    yield Heading(group.title, 3)
    if group.where:
        yield Paragraph(group.where, aside=True)
    for a in group.listed:
        if a.about == "statement":
            yield Quote(a.printed or "", numbers.verdict_cell(a), numbers.said(a))
    of_page = [a for a in group.listed if a.about in ("printed", "arithmetic")]
    of_r = [a for a in group.listed if a.about == "native-r"]
    for rows in filter(None, (of_page, of_r)):
        table, listed = agreement_table(rows, told), ", ".join(f"{n} {v}" for v, n in summary(rows).items())
        long = len(rows) > LONG and all(a.passes for a in rows)
        yield Folded(f"{len(rows)} numbers: {listed}", (table,), kept=True) if long else table
    if group.arithmetic:
        checks = (f"{a.quantity} {a.printed or ''}".rstrip() + f": {a.explanation}" for a in group.arithmetic)
        yield Folded(group.fit_each_other, (Bullets(tuple(checks)),))
    beside = [replace(a, printed=None) for a in of_page if a.printed and (a.digits or a.certified_digits)]
    beyond = [*beside, *group.beyond]
    if beyond:
        held = "R's and " if any(a.r is not None for a in beyond) else ""
        what = f"{len(beyond)} comparison{'s' * (len(beyond) > 1)} of computed numbers with {held}50-digit values"
        known = [d for a in beyond for d in (a.digits, a.certified_digits) if d is not None and a.r_arrived]
        least = f": at least {numbers.digits(min(known))} digits agree" if known else ""
        yield Folded(f"and {what}{least}", (agreement_table(beyond),))


def agreement_table(rows: Sequence[Agreement], told: bool = False) -> Table:
    """A row an agreement, its explanation below it; a column without a value is left out, and R's call where there is
    one only.  Of what is printed the table has the computed number and how far it is off; R's stand in another.
    """
    calls = list(dict.fromkeys(numbers.source(a) for a in rows if a.r is not None))
    of_page = any(a.printed is not None or a.about == "arithmetic" for a in rows)
    # R's number stands beside a printed one only where there is no other.
    of_r = [a.r if not of_page or a.native is None else None for a in rows]
    of_50 = {"native vs 50-digit value": "certified_digits", "R vs 50-digit value": "r_certified_digits"}
    digits = {"digits": "digits", **of_50}
    several = len(calls) > 1 and any(r is not None for r in of_r)
    columns: tuple[tuple[Column, Sequence[str | Cell]], ...] = (
        (
            Column("quantity", "left"),
            [a.quantity.place if a.about == "arithmetic" else str(a.quantity) for a in rows],
        ),
        (Column("printed"), [a.printed or "" for a in rows]),
        (Column("computed" if of_page else "native"), [numbers.shown(a.native, a.quantity) for a in rows]),
        (Column("R"), [numbers.shown(r, a.quantity) for a, r in zip(rows, of_r)]),
        (Column("R call", "left", detail=True), [numbers.source(a) if several else "" for a in rows]),
        *(
            (Column(title, detail=title != "digits"), [numbers.digits(getattr(a, key)) for a in rows])
            for title, key in ({} if of_page else digits).items()
        ),
        (Column("difference, in se"), [_difference(a) for a in rows]),
        (Column("verdict", "left"), [numbers.verdict_cell(a) for a in rows]),
    )
    above = [told and (not a.passes or a.verdict == OTHER_DEFINITION) for a in rows]
    notes = ("" if known else numbers.said(a) for a, known in zip(rows, above))
    body = map(Row, zip(*(cells for _, cells in columns)), notes)
    caption = f"R is {calls[0]}" if calls and not several and any(r is not None for r in of_r) else ""
    return Table(tuple(column for column, _ in columns), tuple(body), caption)


def digits_table(rows: Sequence[DigitsRow]) -> Table:
    """Fewest digits by source and kind of quantity, beside the floor."""
    header = ("source", Column("quantity", "left"), "numbers", "digits", "floor", Column("fewest at", "left"))
    return Table(header, tuple((r.name, r.kind, str(r.n), *r.cells) for r in rows))


def _difference(a: Agreement) -> str:
    """The distance of print and number; with its unit where that is no standard error."""
    unit = unit_of_size(a.quantity)
    return "" if a.size is None else f"{a.size:.2g} {unit}".removesuffix(" standard errors")


def _foot(agreements: Sequence[Agreement], context: ReportContext) -> Iterator[Block]:
    yield Heading("How to read this")
    meanings = [(Cell(v, numbers.SIGNS[v]), MEANINGS[v]) for v in summary(agreements)]
    accepted = [(Cell("(accepted)"), ACCEPTED)] if any(a.accepted for a in agreements) else []
    if meanings:
        yield Definitions((*meanings, *accepted))
    when = f", {context.made}" if context.made else ""
    made = f"Made by {context.command}{when}. " if context.command else ""
    digits = "Numbers are shown to ten significant digits; --report FILE.json writes all digits."
    yield Paragraph(f"{made}{digits}", aside=True)
