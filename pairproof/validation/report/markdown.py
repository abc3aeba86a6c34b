"""The report as Markdown (tables as GitHub reads them)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..verdicts.agreement import Agreement
from . import numbers
from .context import ReportContext, Story, StoryTable, digits_rows, opening
from .grouping import Group, groups

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|~$"} | {"\n": " ", "\r": " ", "\t": " "})


def render_markdown(agreements: Sequence[Agreement], context: ReportContext) -> str:
    """Opening lines, story, one table a claim, fewest digits by source."""
    parts = [f"# {escape(context.title)}"]
    if context.subtitle:
        parts.append(escape(context.subtitle))
    parts.append("\n".join(f"- {escape(line)}" for line in opening(agreements, context)))
    parts += [_story(s) for s in context.story]
    parts += [_group(g) for g in groups(agreements, context) if g.listed]
    rows = digits_rows(agreements)
    if rows:
        parts.append(
            "## Fewest digits of agreement of native\n\n"
            + table(
                ("source", "quantity", "numbers", "digits", "floor", "fewest at"),
                [
                    (
                        r.source if r.r_source == "certified" else f"{r.source} ({r.r_source})",
                        r.kind,
                        str(r.n),
                        numbers.digits(r.least),
                        f"{r.floor:g}",
                        r.least_at + ("" if r.enough else " (TOO FEW)"),
                    )
                    for r in rows
                ],
            )
        )
    if context.command:
        parts.append(f"Made by `{context.command}`" + (f", {escape(context.made)}" if context.made else ""))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text in which Markdown and HTML have no meaning."""
    return numbers.clean(text).translate(_SPECIAL)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are escaped."""
    lines = ["| " + " | ".join(map(escape, header)) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(map(escape, row)) + " |" for row in rows]
    return "\n".join(lines)


def _story(story: Story) -> str:
    parts = [f"## {escape(story.title)}", *map(escape, story.paragraphs)]
    if story.table is not None:
        parts.append(_story_table(story.table))
    parts += [
        escape(f"{figure.caption} (drawn in the HTML report) {figure.description}")
        for figure in story.figures
    ]
    return "\n\n".join(parts)


def _story_table(story: StoryTable) -> str:
    text = table(story.header, story.rows)
    return f"{escape(story.caption)}\n\n{text}" if story.caption else text


def _group(group: Group) -> str:
    parts = [f"## {escape(group.title)}"]
    if group.where:
        parts.append(escape(group.where))
    rows = [a for a in group.listed if a.about != "statement"]
    if rows:
        parts.append(
            table(
                ("quantity", "printed", "native", "R", "R call", "digits", "verdict", "explanation"),
                [
                    (
                        a.quantity,
                        a.printed or "",
                        numbers.shown(a.native, a.quantity),
                        numbers.shown(a.r, a.quantity),
                        numbers.source(a),
                        numbers.digits(a.digits),
                        f"{numbers.SIGNS[a.verdict]} {numbers.verdict(a)}",
                        a.explanation,
                    )
                    for a in rows
                ],
            )
        )
    for a in group.listed:
        if a.about == "statement":
            parts.append(
                f"> {escape(a.printed or '')}\n\n**{escape(numbers.SIGNS[a.verdict])} {escape(numbers.verdict(a))}**:"
                f" {escape(a.explanation or 'holds')}"
            )
    if group.beyond:
        parts.append(
            f"and {len(group.beyond)} more comparisons of numbers that are not on the page, all agree"
        )
    if group.arithmetic:
        parts.append(escape(group.fit_each_other))
    return "\n\n".join(parts)
