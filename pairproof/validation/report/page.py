"""Agreements as a page of blocks: the words before them, the drawings, and every number with its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...report.blocks import (
    Block,
    Bullets,
    Cell,
    Column,
    Counts,
    Definitions,
    Folded,
    Heading,
    Page,
    Paragraph,
    Quote,
    Row,
    Table,
    Tone,
)
from ..verdicts.agreement import Agreement, summary
from . import numbers
from .context import DigitsRow, ReportContext, Story, counts_sentence, digits_rows, opening
from .grouping import Group, groups
from .plots import digits_figure, printed_figure, worth_figure

#: What each verdict means, for the foot of the report.
MEANINGS = {
    "agrees": (
        "the computed number prints as it was printed, and native, R and the 50-digit values agree to the"
        " digits asked for; means of draws, which have no digits to compare, agree within their Monte Carlo"
        " error"
    ),
    "agrees-truncated": "comes out only if the digits were cut off, not rounded",
    "agrees-k-of-m": "agrees if the zeros that end the printed integer are no digits",
    "explained": "does not come out, and does under another reading of the page, which is named",
    "ambiguous": "does not come out, and does under more than one other reading",
    "differs": "does not come out",
    "differs-conclusion": (
        "does not come out, and what was concluded from it changes (sign, order, significance)"
    ),
    "not-estimable": "the data do not determine it",
    "not-checkable": (
        "cannot be settled from what is printed; or R, against which it was to be held, did not converge: no"
        " agreement"
    ),
    "not-run": "was not computed, for the reason given; it is no agreement",
}
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
        Column("source", "left"),
        Column("quantity", "left"),
        Column("numbers"),
        Column("digits"),
        Column("floor"),
        Column("fewest at", "left"),
    )
    body = tuple(
        (
            r.source if r.r_source == "certified" else f"{r.source} ({r.r_source})",
            r.kind,
            str(r.n),
            numbers.digits(r.least),
            f"{r.floor:g}",
            Cell(r.least_at) if r.enough else Cell(f"{r.least_at}  TOO FEW", "!", "bad"),
        )
        for r in rows
    )
    return Table(header, body)


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
