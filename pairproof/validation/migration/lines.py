"""What `pairproof migrate` prints: a line for the run, one for each call of the script, one for the files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...bridge.capture.recorded import Captured, RecordedCall
from ...errors import InputError
from ..report.numbers import digits
from ..verdicts.agreement import Agreement
from ..verdicts.floors import floor
from .sites import DIFFERENT, LeftOut, Site, called_in, counts, fewest

_PLAIN = re.compile(r"(?:[A-Za-z][\w.]*:::?)?[A-Za-z.][\w.]*\Z")
#: Below this many digits a line says why R has so few.
FEW = 8.0
#: Widest columns: where, R, Python.
WIDTHS = (32, 34, 34)
#: Longest reason in a line; the report has it whole.
REASON = 70
_TO = re.compile(r"stops?\b.*?(\d*\.?\d*e-\d+)")


def lines(
    captured: Captured, sites: Sequence[Site], left_out: Sequence[LeftOut], written: Sequence[str]
) -> list[str]:
    """The printed lines.

    written: files.
    """
    entries = [
        (s.place.line, *of_site(s, captured.text.name, called_in(captured, s.first.call))) for s in sites
    ]
    entries += [(o.mentioned.place.line, *of_left_out(o)) for o in left_out]
    entries.sort(key=lambda e: e[0])
    columns = [e[1:] for e in entries]
    widths = [min(max((len(c[k]) for c in columns), default=0), most) for k, most in enumerate(WIDTHS)]
    body = [
        f"  {where.ljust(widths[0])}  {r.ljust(widths[1])}  {python.ljust(widths[2])}  {said}".rstrip()
        for where, r, python, said in columns
    ]
    return [opening(captured, sites), *body, *closing(captured, written)]


def opening(captured: Captured, sites: Sequence[Site]) -> str:
    """How many calls, lines and seconds."""
    fits = [s for s in sites if not s.first.call.helper]
    n, further, size = len(fits), len(sites) - len(fits), len(captured.text.lines)
    calls = "1 call of a fitting function" if n == 1 else f"{n} calls of fitting functions"
    times = sum(len(s.steps) for s in fits)
    often = f" ({times} evaluated)" if times != n else ""
    more = f" and {further} of functions that take fits further" if further else ""
    return (
        f"{captured.text.name}: {calls}{often}{more} in {size} line{'' if size == 1 else 's'},"
        f" run by R {captured.r_version} in {captured.seconds:.1f} s"
    )


def closing(captured: Captured, written: Sequence[str]) -> list[str]:
    """How R ended, what was not recorded, and the files."""
    said = []
    if captured.message:
        said.append(captured.message)
    if captured.lost:
        said.append(not_recorded(captured))
    said += changed(captured)
    if written:
        said.append(f"wrote {', '.join(written)}")
    return said


def not_recorded(captured: Captured) -> str:
    """How many calls could not be recorded, and why one of them."""
    n = captured.lost
    return f"{n:,} call{'' if n == 1 else 's'} could not be recorded: {' '.join(captured.why_lost.split())}"


def changed(captured: Captured) -> list[str]:
    """The fits that the script changed itself, of which R then shows other numbers."""
    return [
        f"{place}: {name} is no longer what the fitting function gave, because the script changed its numbers; what R"
        " shows of it from there on was not compared, and the Python script shows the fit"
        for name, place in captured.changed
    ]


def of_site(site: Site, name: str = "", called: int = 0) -> tuple[str, str, str, str]:
    """(where, R, Python, what came of it); `name` is the script's, of which a line needs no file; `called` is the line
    of the expression that ran, where the call stands in a function elsewhere.
    """
    n = len(site.steps)
    states = site.states
    step = site.first
    r = f"{written_as(step.call)}(...)" + (f" x {n}" if n > 1 else "")
    where = str(site.place) + (f" of {site.place.file}" if site.place.file not in ("", name) else "")
    where += f", from {called}" if called else ""
    if step.state == "failed":
        return where, r, "", f"R gave an error: {_short(step.call.error)}"
    if step.state == "counted":
        via = f"through {step.call.via}" if step.by_package else "beyond the number kept"
        return where, r, "", f"{via}: counted, not translated"
    if step.state == "refused":
        return where, r, f"-> {step.translation.shown}", f"refused by Python: {_short(step.refused)}"
    if step.state == "outside":
        return where, r, "-> left out", _short(step.translation.reason)
    arrow = f"-> {step.translation.shown}"
    said = numbers_in_words(site.rows)
    if step.state == "bridge":
        said = f"stays in R, through pairproof.bridge; {said}"
    words = {"counted": "beyond the number kept, and not compared"}
    rest = [f"{k:,} {words.get(state, state)}" for state, k in states.items() if state != step.state]
    return where, r, arrow, said + (f"; {', '.join(rest)}" if rest else "")


def written_as(call: RecordedCall) -> str:
    """The function as the script writes it, "anova" of BradleyTerry2::anova.BTm; its own name where it is called in
    another way.
    """
    head = call.text.partition("(")[0].strip()
    return head.rpartition(":")[2] if _PLAIN.match(head) else call.name


def numbers_in_words(rows: tuple[Agreement, ...]) -> str:
    """How many numbers agree, with how many digits at least, and what is to be said of the others."""
    found = counts(rows)
    if not found["numbers"]:
        return "no number to compare"
    least = fewest(rows)
    parts = []
    if least is not None:
        shown = f"{digits(least.digits)} digits, of {least.quantity}" if least.digits is not None else ""
        agree = "1 number agrees" if found["agree"] == 1 else f"{found['agree']} numbers agree"
        parts.append(f"{agree}, {'with' if found['agree'] == 1 else 'fewest'} {shown}{_why(least)}")
    if found["explained"]:
        first = next(a for a in rows if a.verdict == "explained" or a.accepted)
        parts.append(f"{found['explained']} explained ({_short(first.explanation)}); see the report")
    if found["differ"]:
        worst = min((a for a in rows if a.verdict in DIFFERENT and not a.accepted), key=_digits)
        parts.append(
            f"{found['differ']} DIFFER, first {worst.quantity}: {worst.native!r}, R {worst.r!r}"
            f" ({_short(worst.explanation)})"
        )
    if found["not_estimable"]:
        parts.append(f"{found['not_estimable']} not estimable, whatever R gives")
    if found["not_checkable"]:
        parts.append(f"{found['not_checkable']} not checkable")
    if found["not_run"]:
        parts.append(f"{found['not_run']} not run")
    return "; ".join(parts)


def of_left_out(left: LeftOut) -> tuple[str, str, str, str]:
    """(where, R, "", why)."""
    m = left.mentioned
    return str(m.place), f"{m.function}(...)", "-> left out", _short(left.reason)


def _digits(a: Agreement) -> float:
    return -1.0 if a.digits is None else a.digits


def _why(a: Agreement) -> str:
    """R's floor in words, where few digits agree."""
    if a.digits is None or a.digits >= FEW or not a.r_call:
        return ""
    try:
        why = floor(str(a.quantity), a.r_call).why
    except InputError:  # an entry of a table has no floor in the file
        return ""
    name = re.split(r"[,(]", a.r_call.partition("::")[2])[0]
    stops = _TO.search(why)
    return (
        f" ({name} stops at {stops[1]})" if name and stops else f" ({_short(re.split('[,;]', why)[0], 45)})"
    )


def _short(text: str, most: int = REASON) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."
