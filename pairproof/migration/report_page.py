"""The report of a migration: what became of every call of an R script, and every number beside R's.

    Migration -> page of blocks -> HTML, Markdown, text; JSON; JUnit; lines for the terminal

    opening: counts in a sentence, R, seconds, what needs attention
    The calls: a row each
    Number by number: a section each, with the R line, the Python lines, the data, warnings, and every number
    Stayed in R; Refused by Python; R gave an error; Counted only; Not pairwise comparisons: with reasons

JUnit XML has a testsuite a call of the script, a testcase a number, and one for a call without any.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Union

from ..bridge.capture.recorded import Place, RecordedCall, ScriptText
from ..report import blocks as report
from ..report.output import Output
from ..text import plural
from ..validation.claims.quantities import Quantity
from ..validation.report import notation as numbers
from ..validation.report.context import ReportContext
from ..validation.report.page import MEANINGS, counted
from ..validation.report.rendering import render_junit
from ..validation.verdicts.agreement import AGREEING, Agreement, summary
from . import outcome
from .translate.python_code import Call, File, Result, files, identifier, literal, source, text_literal
from .translate.translation import Step

#: Evaluations of one call (a loop) that are shown open; others are folded unless a number needs attention.
OPEN = 3
Cells = tuple[Union[str, report.Cell], ...]
#: Line, R, a third column, and why.
Reason = tuple[str, str, str, str]
#: Longest text of an R call shown: one with its data typed into it is cut.
LONGEST = 2_000


def where(place: Place, script: str = "") -> str:
    """ "12", "12?" if it is one of several lines, "helpers.R: 3" of another file than the script."""
    line = f"{place.line or '?'}{'' if place.sure or not place.line else '?'}"
    return line if place.file in ("", script) else f"{place.file}: {line}"


def call_section(site: outcome.Site, text: ScriptText) -> Iterator[report.Block]:
    """A heading, the two languages, the data, notes, and a table of the numbers of each evaluation."""
    step = site.first
    times = f", {len(site.steps)} times" if len(site.steps) > 1 else ""
    yield report.Heading(f"Line {where(site.place, text.name)}: {site.function}{times}", 3)
    yield report.Code(_cut(r_lines(step.call, text)))
    yield report.Code(python_lines(step))
    said = tuple(_said(step))
    if said:
        yield report.Bullets(said)
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

    def placed(file: File) -> str:
        return text_literal(f"data/{file.stem or 'table'}.csv")

    return before + source(step.translation.code, lambda r: _of_result(r, step), placed, before=before)


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
        rows, columns = len(next(iter(file.columns.values()), ())), len(file.columns)
        few = ", ".join(list(file.columns)[:8]) + (", ..." if columns > 8 else "")
        size = f"{plural(rows, 'row')} of {plural(columns, 'column')}"
        yield f"Data: {file.stem or 'table'}.csv, {size} ({few})."
    if step.state == "bridge":
        yield f"Stays in R: {step.translation.reason.rstrip('.')}."
    yield from step.translation.notes
    if step.not_compared:
        yield f"R also gave its {', '.join(step.not_compared)}, which {'is' if len(step.not_compared) == 1 else 'are'} not compared."
    yield from (f"R warns: {' '.join(m.split())}" for m in dict.fromkeys(m for m, _ in step.call.warnings))
    yield from (f"Python warns: {' '.join(m.split())}" for m in step.said)


def _numbers(site: outcome.Site) -> Iterator[report.Block]:
    """The numbers of each evaluation; those of a loop that all agree are folded after the first few."""
    coded = [s for s in site.steps if s.rows]
    if not coded:
        yield report.Paragraph("There are no numbers to compare.")
    for k, step in enumerate(coded):
        table = numbers_table(step.rows, step.state == "bridge")
        if len(coded) == 1:
            yield table
            continue
        title = f"{evaluation(step.call)}: {outcome.in_words([step])}"
        if k < OPEN or any(a.verdict not in AGREEING for a in step.rows):
            yield report.Heading(title, 4)
            yield table
        else:
            yield report.Folded(title, (table,), kept=True)


def evaluation(call: RecordedCall) -> str:
    """ "r = 'north'" of a loop, else "evaluation 3"."""
    keys = ", ".join(f"{k} = {literal(v)}" for k, v in call.keys.items())
    return f"Evaluation {call.nth}" + (f" ({keys})" if keys else "")


def numbers_table(rows: Sequence[Agreement], bridged: bool = False) -> report.Table:
    """A row a number: Python's (or R's by the bridge), R's of the run, digits, the verdict, and why below."""
    calls = list(dict.fromkeys(a.r_call for a in rows if a.r_call))
    number, verdict = (report.Column(name, "left") for name in ("number", "verdict"))
    plain = [report.Column(name) for name in ("R, from Python" if bridged else "Python", "R", "digits")]

    def row(a: Agreement) -> report.Row:
        shown = (numbers.shown(v, a.quantity) for v in (a.native, a.r))
        asked = "-" if a.floor is None else f"{a.floor:g}"
        became = report.Cell(a.verdict, numbers.SIGNS[a.verdict], tone(a))
        cells: Cells = (str(a.quantity), *shown, numbers.digits(a.digits), asked, became)
        return report.Row(cells, one_line(a.explanation))

    header = (number, *plain, report.Column("required", detail=True), verdict)
    return report.Table(header, tuple(map(row, rows)), f"R is {', '.join(calls)}" if calls else "")


def tone(a: Agreement) -> report.Tone:
    """As in other reports; what is explained needs nobody's attention here."""
    return "note" if a.verdict == "explained" else numbers.tone(a)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... ({len(text):,} characters)"


def steps_section(migration: outcome.Migration) -> Iterator[report.Block]:
    """What is made of the fits: the Python, and each number beside R's."""
    script = migration.captured.text.name
    for d in migration.done:
        if d.rows:
            yield report.Heading(f"Line {where(d.place, script)}: {one_line(d.text)[:80]}", 3)
            yield numbers_table(d.rows)


def _of_state(site: outcome.Site) -> str:
    """Why a call has no Python of its own."""
    step = site.first
    reason = _sentence(step.translation.reason)
    many = "More calls from one place than are kept."
    return {
        "bridge": f"{reason} Numbers: {outcome.in_words(site.steps)}.",
        "refused": step.refused,
        "failed": one_line(step.call.error),
        "counted": f"{step.call.via} fits a model for its own result." if step.by_package else many,
    }.get(step.state, reason)


#: State of a call -> the heading of its section, a third column, and what is said there.
SECTIONS: dict[str, tuple[str, str, Callable[[outcome.Site], str]]] = {
    "bridge": ("Stayed in R", "through", lambda site: _through(site.first)),
    "outside": ("Left out", "", lambda site: ""),
    "refused": ("Refused by Python", "Python", lambda s: s.first.translation.shown.removesuffix("(...)")),
    "failed": ("R gave an error", "", lambda site: ""),
    "counted": ("Counted, not translated", "times", lambda site: f"{len(site.steps):,}"),
}
OF_SECTION = {
    "bridge": "These calls have no equivalent in Python alone. The Python script reads R's results of this run from the files beside it; with --live it calls R.",
    "outside": "These calls were recorded and are not in the Python script.",
    "refused": "R returned numbers for these calls; Python refuses to compute them.",
    "failed": "R stopped these calls with an error; there is nothing to compare.",
    "counted": "These calls were counted, and their values were not kept.",
}
NOT_TRANSLATED = "Other statements of the script that were not translated. Each is a comment at its place in the Python script."
IN_TEXT = "These calls are in the text of the script. They are not in the Python script, and nothing about them was compared."


def not_in_python(migration: outcome.Migration) -> Iterator[report.Block]:
    """The sections, those without a call left out."""
    script = migration.captured.text.name
    for state, (title, third, column) in SECTIONS.items():
        sites = [s for s in migration.sites if s.first.state == state]
        rows = [(where(s.place, script), s.function, column(s), _of_state(s)) for s in sites]
        yield from _reasons(title, OF_SECTION[state], rows, third)
    lost = [d for d in migration.done if d.state in ("comment", "partly")]
    rows = [(where(d.place, script), _cut(one_line(d.text)), d.value, _sentence(d.why)) for d in lost]
    yield from _reasons("Not translated", NOT_TRANSLATED, rows, "R gave")
    for title, fitting in (("Never reached", True), ("Not pairwise comparisons", False)):
        left = [o for o in migration.left_out if (o.mentioned.function in outcome.FITTING) is fitting]
        places = [(where(o.mentioned.place, script), o.mentioned.text or o.mentioned.function) for o in left]
        rows = [(*place, "", _sentence(o.reason)) for place, o in zip(places, left)]
        yield from _reasons(title, IN_TEXT, rows)


def _reasons(title: str, said: str, rows: Sequence[Reason], third: str = "") -> Iterator[report.Block]:
    """A table of calls with a reason each; nothing where there is none."""
    if rows:
        yield report.Heading(title)
        yield report.Paragraph(said)
        n = 3 if third else 2
        header = tuple(report.Column(name, "left") for name in ("line", "R", third)[:n])
        yield report.Table(header, tuple(report.Row(row[:n], row[3]) for row in rows))


def _through(step: Step) -> str:
    """ "bridge.lme4.glmer_design"."""
    code = step.translation.code
    return code.function.removeprefix("pairproof.") if isinstance(code, Call) else step.translation.shown


def _sentence(text: str) -> str:
    text = one_line(text)
    if re.match(r"[a-z]+ ", text):  # R's names and calls stay as they are
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) or not text else f"{text}."


def one_line(text: str) -> str:
    return " ".join(text.split())


#: What each state of a call means: in the list of calls, with its sign and tone; and in the first lines.
STATES: dict[str, tuple[str, str, report.Tone, str]] = {
    "native": ("in Python", "=", "good", "in Python alone"),
    "bridge": ("stays in R", "~", "note", "through R by pairproof.bridge"),
    "outside": ("left out", "o", "off", "left out"),
    "refused": ("refused by Python", "!", "bad", "refused by Python"),
    "failed": ("R stopped", "-", "off", "stopped by R"),
    "counted": ("counted", "o", "off", "counted only"),
}
#: What the verdicts mean here, where they mean something else than in a report of a paper.
HERE = {
    "agrees": "Python's number and R's number of this run agree to the required digits",
    "explained": "the numbers differ for a known reason: another definition, or a named error in R",
    "differs": "the numbers differ without an explanation",
    "not-checkable": "R stopped before the maximum, or returns no such number: shown side by side, not counted as agreement",
}
WHERE_FROM = "R's numbers are from one run of the script on this machine; Python's are from the calls shown, on the files beside the script. Numbers are shown to ten significant digits; --json has all digits."
DIGITS = "Digits are those of the difference relative to the larger of the number and its standard error, rounded down. The required number depends on the R function and the quantity; each has its own minimum, with the reason."


def migration_page(migration: outcome.Migration) -> report.Page:
    """The whole report."""
    coded = [s for s in migration.sites if s.first.state in ("native", "bridge")]
    first = report.Bullets(tuple(sentences(migration)), lead=True)
    blocks: list[report.Block] = [counted(migration.compared, tone), first]
    if migration.sites:
        blocks += [report.Heading("The calls"), calls_table(migration)]
    if coded:
        blocks += [report.Heading("Number by number"), report.Paragraph(DIGITS, aside=True)]
    for site in coded:
        blocks += call_section(site, migration.captured.text)
    blocks += steps_section(migration)
    blocks += [*not_in_python(migration), *_foot(migration)]
    captured, used = migration.captured, {step.call.package for step in migration.steps} - {"stats"}
    packages = [f"{name} {version}" for name, version in sorted(captured.packages.items()) if name in used]
    subtitle = ", ".join([f"R {captured.r_version}", *packages])
    found = outcome.counts(migration.compared)
    n = found["agree"] + found["explained"] + found["differ"]
    title = f"{captured.text.name}: from R to Python, {plural(n, 'number')} compared"
    return report.Page(title, blocks, subtitle)


def sentences(migration: outcome.Migration) -> list[str]:
    """The first lines: the calls, the numbers, what needs attention, how R ended, what was written."""
    found = outcome.counts(migration.compared)
    said = [f"{outcome.opening(migration.captured, migration.sites)}.", f"{_of_calls(migration.sites)}."]
    if found["numbers"]:
        words = {"explained": "explained", "differ": "differ", **outcome.NEITHER}
        parts = [f"{found['agree']:,} agree"]
        parts += [f"{found[key]:,} {word}" for key, word in words.items() if found[key]]
        said.append(f"Numbers compared with R's of this run: {', '.join(parts)}.")
    if n := len(outcome.of_r(migration.steps)):
        said.append(f"{plural(n, 'number')} of calls that stay in R {'is' if n == 1 else 'are'} R's own.")
    lost, first = outcome.lost_in_words(migration.captured, migration.done)
    if lost:
        said.insert(0 if first else len(said), f"{lost}.")
    least = outcome.fewest(migration.compared)
    if least is not None:
        fewest = f"{numbers.digits(least.digits)}, of {least.quantity} ({least.r_call or 'R'})"
        said.append(f"Fewest digits among those that agree: {fewest}.")
    said += _attention(migration)
    captured = migration.captured
    if captured.message:
        said.append(f"How R ended: {one_line(captured.message)}")
    said += [*outcome.not_recorded(captured), *outcome.changed(captured)]
    if captured.sandboxed:
        said.append("R ran in a sandbox.")
    if migration.ran_seconds is not None:
        said.append(f"The Python script ran by itself, without R, in {migration.ran_seconds:.1f} s.")
    if migration.written:
        said.append(f"Written: {', '.join(migration.written)}.")
    return said


def calls_table(migration: outcome.Migration) -> report.Table:
    """A row a call of the script."""
    counted = [report.Column(name) for name in ("numbers", "agree", "fewest digits")]
    line, r, python, became = (report.Column(name, "left") for name in ("line", "R", "Python", "became"))
    script = migration.captured.text.name
    rows = [(s.place.line, _call_row(s, script)) for s in migration.sites]
    left = report.Cell(*STATES["outside"][:3])
    for m in (o.mentioned for o in migration.left_out):
        rows.append((m.place.line, (where(m.place, script), m.function, "", "", "", "", left)))
    in_order = tuple(row for _, row in sorted(rows, key=lambda entry: entry[0]))
    return report.Table((line, r, python, *counted, became), in_order)


def _call_row(site: outcome.Site, script: str) -> Cells:
    theirs, step = len(outcome.of_r(site.steps)), site.first
    found, least = outcome.counts(site.rows), None if theirs else outcome.fewest(site.rows)
    times = f" × {len(site.steps)}" if len(site.steps) > 1 else ""
    digits = "" if least is None else numbers.digits(least.digits)
    shown = step.translation.shown if step.state in ("native", "bridge", "refused") else ""
    at, n, same = where(site.place, script), "", "R's" if theirs else ""
    if found["numbers"]:
        n, same = f"{found['numbers']:,}", same or f"{found['agree']:,}"
    return at, f"{site.function}{times}", shown.removesuffix("(...)"), n, same, digits, _verdict(site)


def _verdict(site: outcome.Site) -> report.Cell:
    """What became of a call, in the worst tone of its numbers."""
    word, sign, tone, _ = STATES[site.first.state]
    found = outcome.counts(site.rows)
    if found["differ"]:
        return report.Cell(f"{word}; {found['differ']} differ", "!", "bad")
    more = [f"{n} {state}" for state, n in site.states.items() if state != site.first.state]
    parts = [word, *([f"{found['explained']} explained"] if found["explained"] else []), *more]
    return report.Cell("; ".join(parts), sign, "note" if found["explained"] and tone == "good" else tone)


def _of_calls(sites: Sequence[outcome.Site]) -> str:
    """ "Of the 5 calls 3 are in Python, 1 stays in R"."""
    tally: Counter[str] = Counter(site.first.state for site in sites)
    if not tally:
        return "No call of a fitting function was recorded"
    return "Of the calls, " + ", ".join(f"{tally[s]} {w}" for s, (*_, w) in STATES.items() if s in tally)


def _attention(migration: outcome.Migration) -> list[str]:
    places = [(where(site.place, migration.captured.text.name), site) for site in migration.sites]
    wrong = [f"line {at} {a.quantity}" for at, site in places for a in site.rows if outcome.differs(a)]
    if not wrong:
        return ["No number differs without an explanation."] if migration.agreements else []
    more = ", ..." if len(wrong) > 6 else ""
    return [f"{len(wrong):,} {'differs' if len(wrong) == 1 else 'differ'}: {', '.join(wrong[:6])}{more}."]


def _foot(migration: outcome.Migration) -> Iterator[report.Block]:
    verdicts = summary(migration.agreements)
    if verdicts:
        yield report.Heading("How to read this")
        meant = ((report.Cell(v, numbers.SIGNS[v]), HERE.get(v, MEANINGS[v])) for v in verdicts)
        yield report.Definitions(tuple(meant))
    yield report.Paragraph(WHERE_FROM, aside=True)


def migration_junit(migration: outcome.Migration) -> str:
    """The XML text: what R stopped or was left out is skipped with the reason; what Python refuses fails."""
    rows = [row for site in migration.sites for row in _of_site(site, migration.captured.text.name)]
    return render_junit(rows, ReportContext(title=f"{migration.captured.text.name}, migrated"))


def _of_site(site: outcome.Site, script: str) -> list[Agreement]:
    name, step = f"line {where(site.place, script)} {site.function}", site.first
    of = [(name if len(site.steps) == 1 else f"{name} evaluation {s.call.nth}", s) for s in site.steps]
    found = [replace(a, claim=claim) for claim, s in of for a in s.rows]
    if step.state in ("native", "bridge"):
        return found
    refused, said = step.state == "refused", f"Python refuses: {step.refused}"
    reason = step.call.error or step.translation.reason or "counted, not translated"
    why: dict[str, Any] = {"verdict": "differs" if refused else "not-run", "code": step.state}
    why |= {"explanation": said if refused else reason, "r_call": site.function, "about": "native-r"}
    return [*found, Agreement("", name, Quantity("call"), **why)]


def output(migration: outcome.Migration) -> Output:
    """The result of `pairproof migrate` in the form that is asked for."""
    return Output(
        page=lambda: migration_page(migration),
        json=lambda: json.dumps(migration.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        junit=lambda: migration_junit(migration),
        terminal=lambda: str(migration),
    )
