"""The report of a migration: what became of every call of an R script, and every number beside R's.

    Migration -> page of blocks -> HTML, Markdown, text; JSON; JUnit; lines for the terminal

    opening: counts in a sentence, R, seconds, what needs attention
    The calls: a row each
    Number by number: a section each, with the R line, the Python lines, the data, warnings, and every number
    Stayed in R; Refused by Python; R gave an error; Counted only; Not of this field: with reasons

JUnit XML has a testsuite a call of the script, a testcase a number, and one for a call without any.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..bridge.capture.recorded import Place, RecordedCall, ScriptText
from ..report.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Counts,
    Definitions,
    Folded,
    Heading,
    Page,
    Paragraph,
    Row,
    Table,
    Tone,
)
from ..report.output import Output
from ..validation.claims.quantities import Quantity
from ..validation.report import notation as numbers
from ..validation.report.context import ReportContext
from ..validation.report.page import MEANINGS
from ..validation.report.rendering import render_junit
from ..validation.verdicts.agreement import AGREEING, Agreement, summary
from .names import identifier
from .outcome import (
    DIFFERENT,
    FITTING,
    Migration,
    Site,
    changed,
    counts,
    fewest,
    not_recorded,
    numbers_in_words,
    opening as first_line,
)
from .translate.python_code import Call, File, Result, files, literal, source, text_literal
from .translate.translation import Step

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
    """A row a number: Python's (or R's by the bridge), R's of the run, digits, the verdict, and why below."""
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
            one_line(a.explanation),
        )
        for a in rows
    )
    return Table(header, body, f"R is {', '.join(calls)}" if calls else "")


def tone(a: Agreement) -> Tone:
    """As in other reports; what is explained needs nobody's attention here."""
    return "note" if a.verdict == "explained" else numbers.tone(a)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... ({len(text):,} characters)"


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


def _called(migration: Migration, *states: str) -> Iterator[tuple[str, str, Site]]:
    """Line, function and site of the calls of these states."""
    for s in migration.sites:
        if s.first.state in states:
            yield where(s.place, migration.captured.text.name), s.function, s


def _stayed(migration: Migration) -> Iterator[Block]:
    rows = [
        (line, r, _through(s), f"{_why(s)} Numbers: {numbers_in_words(s.rows)}.")
        for line, r, s in _called(migration, "bridge")
    ]
    yield from _reasons(
        "Stayed in R",
        "These calls have no counterpart in Python alone. The Python script calls R for them, with the same values, so"
        " it needs R and the package.",
        rows,
    )
    outside = [(line, r, "", _why(s)) for line, r, s in _called(migration, "outside")]
    said = "These calls were recorded and have no place in the Python script."
    yield from _reasons("Left out", said, outside, "")


def _why(site: Site) -> str:
    return _sentence(site.first.translation.reason)


def _refused(migration: Migration) -> Iterator[Block]:
    rows = [
        (line, r, s.first.translation.shown.removesuffix("(...)"), s.first.refused)
        for line, r, s in _called(migration, "refused")
    ]
    said = "R has numbers for these calls, and Python declines to give any."
    yield from _reasons("Refused by Python", said, rows, "Python")


def _stopped(migration: Migration) -> Iterator[Block]:
    rows = [(line, r, "", one_line(s.first.call.error)) for line, r, s in _called(migration, "failed")]
    said = "R stopped these calls with an error of its own; there is nothing to compare."
    yield from _reasons("R gave an error", said, rows, "")


def _counted(migration: Migration) -> Iterator[Block]:
    rows = []
    for line, r, s in _called(migration, "counted"):
        why = "Beyond the calls kept of one place."
        if s.first.by_package:
            why = f"Called by {s.first.call.via} for its own ends."
        rows.append((line, r, f"{len(s.steps):,}", why))
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


#: What each state of a call means: what the list of calls says of it, its sign and its tone.
STATES: dict[str, tuple[str, str, Tone]] = {
    "native": ("in Python", "=", "good"),
    "bridge": ("stays in R", "~", "note"),
    "outside": ("left out", "o", "off"),
    "refused": ("refused by Python", "!", "bad"),
    "failed": ("R stopped", "-", "off"),
    "counted": ("counted", "o", "off"),
}
#: What the verdicts mean here, where they mean something else than in a report of a paper.
HERE = {
    "agrees": "Python's number and the one that R gave in this run share the digits asked for",
    "explained": "the numbers differ, and why is known: another definition, or an error of R's, which is named",
    "differs": "the numbers differ, and nothing explains it",
    "not-checkable": "R stopped before its maximum, or gives no such number: shown beside each other, no agreement",
}
DIGITS = (
    "Digits are those of the difference against the larger of the number and its standard error, rounded down. How many"
    " are asked for depends on the R function and the quantity: each has its own floor, with the reason."
)


def migration_page(migration: Migration) -> Page:
    """The whole report."""
    coded = [s for s in migration.sites if s.first.state in ("native", "bridge")]
    blocks: list[Block] = [_badges(migration.agreements), Bullets(tuple(sentences(migration)), lead=True)]
    if migration.sites:
        blocks += [Heading("The calls"), calls_table(migration)]
    if coded:
        blocks += [Heading("Number by number"), Paragraph(DIGITS, aside=True)]
    for site in coded:
        blocks += call_section(site, migration.captured.text)
    blocks += [*not_in_python(migration), *_foot(migration)]
    captured = migration.captured
    used = {step.call.package for step in migration.steps} - {"stats"}
    packages = [f"{name} {version}" for name, version in sorted(captured.packages.items()) if name in used]
    subtitle = ", ".join([f"R {captured.r_version}", *packages])
    return Page(f"{captured.text.name}: from R to Python, every number compared", blocks, subtitle)


def sentences(migration: Migration) -> list[str]:
    """The first lines: the calls, the numbers, what needs attention, how R ended, what was written."""
    found = counts(migration.agreements)
    said = [f"{first_line(migration.captured, migration.sites)}.", f"{_of_calls(migration.sites)}."]
    if found["numbers"]:
        parts = [f"{found['agree']:,} agree"]
        words = {
            "explained": "explained",
            "differ": "differ",
            "not_estimable": "not estimable, whatever R gives",
            "not_checkable": "not checkable",
            "not_run": "not run",
        }
        parts += [f"{found[key]:,} {word}" for key, word in words.items() if found[key]]
        said.append(f"{found['numbers']:,} numbers were compared with R's of this run: {', '.join(parts)}.")
    least = fewest(migration.agreements)
    if least is not None:
        said.append(
            f"Fewest digits among those that agree: {numbers.digits(least.digits)}, of {least.quantity}"
            f" ({least.r_call or 'R'})."
        )
    said += _attention(migration)
    captured = migration.captured
    if captured.message:
        said.append(f"How R ended: {one_line(captured.message)}")
    if captured.lost:
        said.append(not_recorded(captured))
    said += changed(captured)
    if captured.sandboxed:
        said.append("R ran in a sandbox.")
    if migration.ran_seconds is not None:
        said.append(f"The Python script ran by itself, without R, in {migration.ran_seconds:.1f} s.")
    if migration.written:
        said.append(f"Written: {', '.join(migration.written)}.")
    return said


def calls_table(migration: Migration) -> Table:
    """A row a call of the script."""
    header = (
        Column("line", "left"),
        Column("R", "left"),
        Column("Python", "left"),
        Column("numbers"),
        Column("agree"),
        Column("fewest digits"),
        Column("became", "left"),
    )
    script = migration.captured.text.name
    rows = [(s.place.line, _call_row(s, script)) for s in migration.sites]
    left = STATES["outside"]
    rows += [
        (
            o.mentioned.place.line,
            (where(o.mentioned.place, script), o.mentioned.function, "", "", "", "", Cell(*left)),
        )
        for o in migration.left_out
    ]
    return Table(header, tuple(row for _, row in sorted(rows, key=lambda entry: entry[0])))


def _call_row(site: Site, script: str) -> tuple[str | Cell, ...]:
    found, least, step = counts(site.rows), fewest(site.rows), site.first
    times = f" × {len(site.steps)}" if len(site.steps) > 1 else ""
    digits = "" if least is None else numbers.digits(least.digits)
    shown = step.translation.shown if step.state in ("native", "bridge", "refused") else ""
    return (
        where(site.place, script),
        f"{site.function}{times}",
        shown.removesuffix("(...)"),
        f"{found['numbers']:,}" if found["numbers"] else "",
        f"{found['agree']:,}" if found["numbers"] else "",
        digits,
        _verdict(site),
    )


def _verdict(site: Site) -> Cell:
    """What became of a call, in the worst tone of its numbers."""
    word, sign, tone = STATES[site.first.state]
    found = counts(site.rows)
    if found["differ"]:
        return Cell(f"{word}; {found['differ']} differ", "!", "bad")
    more = [f"{n} {state}" for state, n in site.states.items() if state != site.first.state]
    parts = [word, *([f"{found['explained']} explained"] if found["explained"] else []), *more]
    return Cell("; ".join(parts), sign, "note" if found["explained"] and tone == "good" else tone)


def _of_calls(sites: Sequence[Site]) -> str:
    """ "Of the 5 calls 3 are in Python, 1 stays in R"."""
    tally: dict[str, int] = {}
    for site in sites:
        tally[site.first.state] = tally.get(site.first.state, 0) + 1
    if not tally:
        return "No call of a fitting function was recorded"
    words = {
        "native": "in Python alone",
        "bridge": "through R by pairproof.bridge",
        "outside": "left out",
        "refused": "refused by Python",
        "failed": "stopped by R",
        "counted": "counted only",
    }
    return "Of the calls, " + ", ".join(f"{tally[s]} {w}" for s, w in words.items() if s in tally)


def _attention(migration: Migration) -> list[str]:
    wrong = [
        f"line {where(site.place, migration.captured.text.name)} {a.quantity}"
        for site in migration.sites
        for a in site.rows
        if a.verdict in DIFFERENT and not a.accepted
    ]
    if not wrong:
        return ["No number differs without an explanation."] if migration.agreements else []
    more = ", ..." if len(wrong) > 6 else ""
    return [f"{len(wrong):,} {'differs' if len(wrong) == 1 else 'differ'}: {', '.join(wrong[:6])}{more}."]


def _badges(rows: Sequence[Agreement]) -> Counts:
    """How many of each verdict, in the worst tone among them."""
    order: tuple[Tone, ...] = ("bad", "off", "note", "good")
    worst: dict[str, Tone] = {}
    for a in rows:
        worst[a.verdict] = min(worst.get(a.verdict, "good"), tone(a), key=order.index)
    return Counts(tuple((n, Cell(v, numbers.SIGNS[v], worst[v])) for v, n in summary(rows).items()))


def _foot(migration: Migration) -> Iterator[Block]:
    verdicts = summary(migration.agreements)
    if verdicts:
        yield Heading("How to read this")
        yield Definitions(tuple((Cell(v, numbers.SIGNS[v]), HERE.get(v, MEANINGS[v])) for v in verdicts))
    yield Paragraph(
        "R is what ran the script, on this machine, once; the Python numbers are those of the calls shown, on the files"
        " beside the script. Numbers are shown to ten significant digits; --json has every digit.",
        aside=True,
    )


def migration_junit(migration: Migration) -> str:
    """The XML text: what R stopped or was left out is skipped with the reason; what Python refuses fails."""
    rows = [row for site in migration.sites for row in _of_site(site, migration.captured.text.name)]
    return render_junit(rows, ReportContext(title=f"{migration.captured.text.name}, migrated"))


def _of_site(site: Site, script: str) -> list[Agreement]:
    name = f"line {where(site.place, script)} {site.function}"
    found = [
        replace(a, claim=name if len(site.steps) == 1 else f"{name} evaluation {step.call.nth}")
        for step in site.steps
        for a in step.rows
    ]
    step = site.first
    why: dict[str, Any]
    if step.state == "refused":
        why = {"verdict": "differs", "explanation": f"Python refuses: {step.refused}", "code": "refused"}
    elif step.state in ("outside", "failed", "counted"):
        reason = step.call.error or step.translation.reason or "counted, not translated"
        why = {"verdict": "not-run", "explanation": reason, "code": step.state}
    else:
        return found
    return [*found, Agreement("", name, Quantity("call"), r_call=site.function, about="native-r", **why)]


__all__ = ["migration_junit", "migration_page"]


def output(migration: Migration) -> Output:
    """The result of `pairproof migrate` in the form that is asked for."""
    return Output(
        page=lambda: migration_page(migration),
        json=lambda: json.dumps(migration.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        junit=lambda: migration_junit(migration),
        terminal=lambda: str(migration),
    )
