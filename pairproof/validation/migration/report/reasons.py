"""Calls of a script that Python alone does not have, each with the reason: in R, refused, stopped, counted,
left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....report.blocks import Block, Column, Heading, Paragraph, Row, Table
from ..code.expressions import Call
from ..left_out import FITTING
from ..lines import numbers_in_words
from ..migration import Migration
from ..sites import Site
from .calls import where


def not_in_python(migration: Migration) -> Iterator[Block]:
    """The sections, those without a call left out."""
    yield from _stayed(migration)
    yield from _refused(migration)
    yield from _stopped(migration)
    yield from _counted(migration)
    yield from _left_out(migration)


def _reasons(
    title: str, said: str, rows: Sequence[tuple[str, str, str, str]], third: str = "through"
) -> Iterator[Block]:
    """A table of calls with a reason each; nothing where there is none."""
    if not rows:
        return
    yield Heading(title)
    yield Paragraph(said)
    header = (Column("line", "left"), Column("R", "left"), *([Column(third, "left")] if third else []))
    yield Table(
        header, tuple(Row((line, r, *([other] if third else [])), why) for line, r, other, why in rows)
    )


def _through(site: Site) -> str:
    """ "bridge.lme4.glmer_design"."""
    code = site.first.translation.code
    return (
        code.function.removeprefix("pairproof.") if isinstance(code, Call) else site.first.translation.shown
    )


def _stayed(migration: Migration) -> Iterator[Block]:
    rows = [
        (
            where(s.place, migration.captured.text.name),
            s.function,
            _through(s),
            f"{_sentence(s.first.translation.reason)} Numbers: {numbers_in_words(s.rows)}.",
        )
        for s in migration.sites
        if s.first.state == "bridge"
    ]
    yield from _reasons(
        "Stayed in R",
        "These calls have no counterpart in Python alone. The Python script calls R for them, with the same values, so"
        " it needs R and the package.",
        rows,
    )
    outside = [
        (where(s.place, migration.captured.text.name), s.function, "", _sentence(s.first.translation.reason))
        for s in migration.sites
        if s.first.state == "outside"
    ]
    yield from _reasons(
        "Left out", "These calls were recorded and have no place in the Python script.", outside, ""
    )


def _refused(migration: Migration) -> Iterator[Block]:
    rows = [
        (
            where(s.place, migration.captured.text.name),
            s.function,
            s.first.translation.shown.removesuffix("(...)"),
            s.first.refused,
        )
        for s in migration.sites
        if s.first.state == "refused"
    ]
    yield from _reasons(
        "Refused by Python", "R has numbers for these calls, and Python declines to give any.", rows, "Python"
    )


def _stopped(migration: Migration) -> Iterator[Block]:
    rows = [
        (where(s.place, migration.captured.text.name), s.function, "", one_line(s.first.call.error))
        for s in migration.sites
        if s.first.state == "failed"
    ]
    said = "R stopped these calls with an error of its own; there is nothing to compare."
    yield from _reasons("R gave an error", said, rows, "")


def _counted(migration: Migration) -> Iterator[Block]:
    rows = []
    for s in migration.sites:
        if s.first.state != "counted":
            continue
        call = s.first.call
        why = (
            f"called by {call.via} for its own ends"
            if s.first.by_package
            else "beyond the calls kept of one place"
        )
        rows.append(
            (
                where(s.place, migration.captured.text.name),
                s.function,
                f"{len(s.steps):,}",
                f"{why[0].upper()}{why[1:]}.",
            )
        )
    said = "These calls were counted, and their values were not kept."
    yield from _reasons("Counted, not translated", said, rows, "times")


def _left_out(migration: Migration) -> Iterator[Block]:
    of_this_field: list[tuple[str, str, str, str]] = []
    others: list[tuple[str, str, str, str]] = []
    for o in migration.left_out:
        row = (
            where(o.mentioned.place, migration.captured.text.name),
            o.mentioned.text or o.mentioned.function,
            "",
            _sentence(o.reason),
        )
        (of_this_field if o.mentioned.function in FITTING else others).append(row)
    said = "These calls stand in the script's text. They are not in the Python script, and nothing about them was compared."
    yield from _reasons("Never reached", said, of_this_field, "")
    yield from _reasons("Not of this field", said, others, "")


def _sentence(text: str) -> str:
    text = one_line(text)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) or not text else f"{text}."


def one_line(text: str) -> str:
    return " ".join(text.split())
