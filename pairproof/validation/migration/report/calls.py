"""The section of one call of the script: R's line, the Python lines, the data, what was said, and every
number.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ....bridge.capture.recorded import Place, RecordedCall, ScriptText
from ....report.blocks import Block, Bullets, Cell, Code, Column, Folded, Heading, Paragraph, Row, Table, Tone
from ...report import numbers
from ...verdicts.agreement import AGREEING, Agreement
from ..code.expressions import File, Result, files
from ..code.source import literal, source, text_literal
from ..lines import numbers_in_words
from ..sites import Site
from ..translate.translation import Step
from ..written.names import identifier

#: Evaluations of one call (a loop) that are shown open; others are folded unless a number needs attention.
OPEN = 3
#: Longest text of an R call shown: one with its data typed into it is cut.
LONGEST = 2_000


def where(place: Place, script: str = "") -> str:
    """ "12", "12?" if it is one of several lines, "helpers.R: 3" of another file than the script."""
    line = f"{place.line or '?'}{'' if place.sure or not place.line else '?'}"
    return line if place.file in ("", script) else f"{place.file}: {line}"


def call_section(site: Site, text: ScriptText) -> Iterator[Block]:
    """A heading, the two languages, the data, notes, and a table of the numbers of each evaluation."""
    step = site.first
    times = f", {len(site.steps)} times" if len(site.steps) > 1 else ""
    yield Heading(f"Line {where(site.place, text.name)}: {site.function}{times}", 3)
    yield Code(_cut(r_lines(step.call, text)))
    yield Code(python_lines(step))
    said = tuple(_said(step))
    if said:
        yield Bullets(said)
    yield from _numbers(site)


def r_lines(call: RecordedCall, text: ScriptText) -> str:
    """The lines of the script, where they are known, else the call as R deparsed it."""
    place = call.place
    if not place.line or not place.sure or place.file not in ("", text.name) or place.last > len(text.lines):
        return call.text
    return textwrap.dedent("\n".join(text.lines[place.line - 1 : max(place.last, place.line)])).rstrip()


def python_lines(step: Step) -> str:
    """The Python call as the script has it."""
    name = identifier(step.call.variable)
    before = f"{name} = " if name else ""
    text = source(step.translation.code, lambda r: _of_result(r, step), _placed, before=before)
    return before + text


def _placed(file: File) -> str:
    return text_literal(f"data/{file.stem or 'table'}.csv")


def _of_result(result: Result, step: Step) -> str:
    """An earlier result: by the text of the argument that held it, if that is a name."""
    for argument, made in step.call.fits.items():
        text = step.call.args.get(argument, "")
        if made == result.call and identifier(text) == text:
            return text
    return f"result_{result.call}"


def _said(step: Step) -> Iterator[str]:
    """The data, why R is needed, notes, and warnings of both."""
    for file in dict.fromkeys(files(step.translation.code)):
        rows = len(next(iter(file.columns.values()), ()))
        columns = len(file.columns)
        yield (
            f"Data: {file.stem or 'table'}.csv, {rows:,} row{'' if rows == 1 else 's'} of {columns}"
            f" column{'' if columns == 1 else 's'} ({_few(list(file.columns))})."
        )
    if step.state == "bridge":
        yield f"Stays in R: {step.translation.reason.rstrip('.')}."
    yield from step.translation.notes
    if step.not_compared:
        yield f"R also gave its {', '.join(step.not_compared)}, which {'is' if len(step.not_compared) == 1 else 'are'} not compared."
    yield from (f"R warns: {' '.join(m.split())}" for m in dict.fromkeys(m for m, _ in step.call.warnings))
    yield from (f"Python warns: {' '.join(m.split())}" for m in step.said)


def _few(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _numbers(site: Site) -> Iterator[Block]:
    """The numbers of each evaluation; those of a loop that all agree are folded after the first few."""
    coded = [s for s in site.steps if s.rows]
    if not coded:
        yield Paragraph("There is no number to compare.")
    for k, step in enumerate(coded):
        table = numbers_table(step.rows, step.state == "bridge")
        if len(coded) == 1:
            yield table
            continue
        title = f"{evaluation(step.call)}: {numbers_in_words(step.rows)}"
        if k < OPEN or any(a.verdict not in AGREEING for a in step.rows):
            yield Heading(title, 4)
            yield table
        else:
            yield Folded(title, (table,), kept=True)


def evaluation(call: RecordedCall) -> str:
    """ "r = 'north'" of a loop, else "evaluation 3"."""
    keys = ", ".join(f"{k} = {literal(v)}" for k, v in call.keys.items())
    return f"Evaluation {call.nth}" + (f" ({keys})" if keys else "")


def numbers_table(rows: Sequence[Agreement], bridged: bool = False) -> Table:
    """A row a number: Python's (or R's through the bridge), R's of the run, digits, those asked for, and the
    verdict.

    Why it is so stands below it.
    """
    calls = list(dict.fromkeys(a.r_call for a in rows if a.r_call))
    header = (
        Column("number", "left"),
        Column("R, from Python" if bridged else "Python"),
        Column("R"),
        Column("digits"),
        Column("asked for", detail=True),
        Column("verdict", "left"),
    )
    body = tuple(
        Row(
            (
                str(a.quantity),
                numbers.shown(a.native, a.quantity),
                numbers.shown(a.r, a.quantity),
                numbers.digits(a.digits),
                "-" if a.floor is None else f"{a.floor:g}",
                Cell(a.verdict, numbers.SIGNS[a.verdict], tone(a)),
            ),
            _in_one_line(a.explanation),
        )
        for a in rows
    )
    return Table(header, body, f"R is {', '.join(calls)}" if calls else "")


def tone(a: Agreement) -> Tone:
    """As in other reports; what is explained needs nobody's attention here."""
    return "note" if a.verdict == "explained" else numbers.tone(a)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... ({len(text):,} characters)"


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
