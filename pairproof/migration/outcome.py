"""What came of a migration: call sites, what became of their numbers, what was left out, the verdict.

A call of a function that fits or tests something, but no model of paired comparisons or rankings, is named
with its line in the list of calls, in the Python script and in the report, so that nobody takes the script
for whole.  It is recognised by the function's name in the text, whether R reached it or not; nothing is known
of its values.  What R never came to is named, too.

A migration prints as a line for the run, one for each call of the script, one for the files; its JSON has the
run, a row a call site, and every number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..bridge.capture.recorded import Captured, Mentioned, Place, RecordedCall
from ..errors import InputError
from ..text import plural
from ..validation.report.notation import digits
from ..validation.verdicts.agreement import AGREEING, Agreement, summary
from ..validation.verdicts.digits import floor
from .steps.compared import counted, masked, not_among
from .steps.flow import REASONS, Done, of_others
from .translate.translation import Step

#: Verdicts of a number that differs and is not explained.
DIFFERENT = ("differs", "differs-conclusion", "ambiguous")
#: Numbers that neither agree nor differ, by their name in `counts`.
NEITHER = {"not_estimable": "not estimable, whatever R prints"}
NEITHER |= {"not_checkable": "not checkable", "not_run": "not run"}


@dataclass(frozen=True, eq=False)
class Site:
    """A call of the script, with all its evaluations."""

    place: Place
    function: str
    steps: tuple[Step, ...]

    @property
    def first(self) -> Step:
        """The first evaluation that became Python; else the first of all."""
        return next((s for s in self.steps if s.state in ("native", "bridge")), self.steps[0])

    @property
    def rows(self) -> tuple[Agreement, ...]:
        """Of all evaluations."""
        return tuple(row for step in self.steps for row in step.rows)

    @property
    def states(self) -> dict[str, int]:
        """How many evaluations are "native", "bridge", "outside", "refused", "failed", "counted"."""
        return dict(Counter(step.state for step in self.steps))


@dataclass(frozen=True)
class LeftOut:
    """A call of the script's text that no part of the migration is about."""

    mentioned: Mentioned
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Its row in the JSON document."""
        m = self.mentioned
        return {"line": m.place.line or None, "function": m.function, "r_call": m.text, "reason": self.reason}


def sites_of(steps: Sequence[Step]) -> tuple[Site, ...]:
    """The call sites, in the order of the script, without what a package looked up for itself."""
    found: dict[tuple[object, ...], list[Step]] = {}
    for step in (s for s in steps if not (s.call.helper and s.by_package)):
        call = step.call
        key = (call.place.file, call.place.line, call.function, call.text, call.task, step.by_package)
        found.setdefault(key, []).append(step)
    sites = [Site(of[0].call.place, of[0].call.function, tuple(of)) for of in found.values()]
    return tuple(sorted(sites, key=lambda s: (s.first.call.task, s.place.line, s.steps[0].call.id)))


def called_in(captured: Captured, call: RecordedCall) -> int:
    """The line of the top-level expression that ran a call which stands in a function elsewhere; 0 if it stands there."""
    expressions = captured.text.expressions
    if not 1 <= call.task <= len(expressions) or not call.place.line:
        return 0
    span = expressions[call.task - 1]
    inside = span.line <= call.place.line <= span.last and call.place.file in ("", captured.text.name)
    return 0 if inside else span.line


def differs(a: Agreement) -> bool:
    """Whether a number differs without an explanation."""
    return a.verdict in DIFFERENT and not a.accepted


def counts(rows: Sequence[Agreement]) -> dict[str, int]:
    """Numbers that were compared, that agree, are explained, differ; that cannot be checked or estimated."""
    known = summary(rows)
    return {
        "numbers": sum(a.native is not None or a.r is not None for a in rows),
        "agree": sum(n for v, n in known.items() if v in AGREEING),
        "explained": sum(a.verdict == "explained" or a.accepted and a.verdict in DIFFERENT for a in rows),
        "differ": sum(map(differs, rows)),
        **{key: known.get(key.replace("_", "-"), 0) for key in NEITHER},
    }


def of_r(steps: Sequence[Step]) -> tuple[Agreement, ...]:
    """What agrees of calls that stay in R: R's own answers beside R's numbers, no agreement of Python with R."""
    return tuple(a for s in steps if s.state == "bridge" for a in s.rows if a.verdict in AGREEING)


def of_python(steps: Sequence[Step]) -> tuple[Agreement, ...]:
    """All other rows."""
    return tuple(a for s in steps for a in s.rows if s.state != "bridge" or a.verdict not in AGREEING)


def fewest(rows: Sequence[Agreement]) -> Agreement | None:
    """The row with the fewest digits among those that agree; None if there is none."""
    compared = (a for a in rows if a.verdict in AGREEING and a.digits is not None)
    return min(compared, key=lambda a: (a.digits, str(a.quantity)), default=None)


#: Functions of this field whose calls are recorded when R comes to them. Not `glm`, `gnm` and `polr`: the
#: text does not say whether their designs are of comparisons.
_PATTERNS = "pattPC.fit pattR.fit pattL.fit pattRrep.fit pattPCrep.fit pattLrep.fit pattnpml.fit"
FITTING = frozenset(f"BTm llbt.fit llbtPC.fit {_PATTERNS} btmodel PlackettLuce pladmm".split())


def left_out(captured: Captured) -> tuple[LeftOut, ...]:
    """Calls of the text that REASONS names and R did not record, or FITTING and R did not come to."""
    others = of_others(captured)
    never = "R did not reach it" if captured.ending == "done" else "R ended before reaching it"
    found = []
    for m in captured.text.mentioned:
        if m.function in others:
            found.append(LeftOut(m, REASONS[m.function]))
        elif m.function in FITTING and not _may_have_run(m, captured):
            found.append(LeftOut(m, never))
    return tuple(found)


def _may_have_run(mentioned: Mentioned, captured: Captured) -> bool:
    """Whether a recorded call stands there, or where it stands is not known."""
    calls = [call for call in captured.calls if call.name == mentioned.function]
    if captured.lost or any(not c.place.line or not c.place.sure or c.via for c in calls):
        return True
    if any(name.endswith(f"::{mentioned.function}") for call in captured.calls for name in call.inner):
        return True
    return any(call.place.meets(mentioned.place) for call in calls)


_PLAIN = re.compile(r"(?:[A-Za-z][\w.]*:::?)?[A-Za-z.][\w.]*\Z")
#: Below this many digits a line says why R has so few.
FEW = 8.0
#: Widest columns: where, R, Python.
WIDTHS = (32, 34, 34)
#: Longest reason in a line; the report has it whole.
REASON = 70
_TO = re.compile(r"stops?\b.*?(\d*\.?\d*e-\d+)")


def lines(migration: Migration) -> list[str]:
    """The printed lines."""
    captured, sites, done = migration.captured, migration.sites, migration.done
    name = captured.text.name
    entries = [(s.place.line, of_site(s, name, called_in(captured, s.first.call))) for s in sites]
    for m, reason in ((left.mentioned, left.reason) for left in migration.left_out):
        entries.append((m.place.line, (str(m.place), f"{m.function}(...)", "-> left out", _short(reason))))
    columns = [row for _, row in sorted(entries, key=lambda e: e[0])]
    widths = [min(max((len(c[k]) for c in columns), default=0), most) for k, most in enumerate(WIDTHS)]
    body = ["".join(f"  {c:{n}}" for c, n in zip(row, [*widths, 0])).rstrip() for row in columns]
    lost, first = lost_in_words(captured, done)
    told = [opening(captured, sites), *body, *steps_in_words(done), *([lost] if lost and not first else [])]
    return [*([f"{name}: {lost}"] if first else []), *told, *closing(captured, migration.written)]


def opening(captured: Captured, sites: Sequence[Site]) -> str:
    """How many calls, lines and seconds."""
    fits = [s for s in sites if not s.first.call.helper]
    n, further, times = len(fits), len(sites) - len(fits), sum(len(s.steps) for s in fits)
    calls = "1 call of a fitting function" if n == 1 else f"{n} calls of fitting functions"
    often = f" ({times} evaluated)" if times != n else ""
    more = f", {further} of functions of fits" if further else ""
    size = plural(len(captured.text.lines), "line")
    ran = f"run by R {captured.r_version} in {captured.seconds:.1f} s"
    return f"{captured.text.name}: {calls}{often}{more} in {size}, {ran}"


def steps_in_words(done: Sequence[Done]) -> list[str]:
    """What became of what the script does beside its calls of fitting functions."""
    found = Counter(d.state for d in done)
    about = [d for d in done if d.state in ("translated", "partly", "comment")]
    if not about:
        return []
    words = {"translated": "in Python", "partly": "partly in Python", "comment": "as comments"}
    parts = [f"{found[state]} {word}" for state, word in words.items() if found[state]]
    said = f"{plural(len(about), 'other statement')} about models: {', '.join(parts)}"
    rows = tuple(row for d in done for row in d.rows)
    return [f"{said}; {numbers_in_words(rows)}" if rows else said]


def printed_by_r(captured: Captured, done: Sequence[Done]) -> dict[str, int]:
    """The numbers that R printed at statements about models, by where Python has them.

    Counted are numbers with decimals, or of three digits and more.  computed: Python prints the same, so far as R
    shows; of_r: it prints R's of that run, or what is computed with them; differ: another one; not_in_python: none.
    """
    found = Counter[str]()
    for d in (d for d in done if d.state in ("comment", "partly", "translated")):
        theirs = counted(masked(captured.outputs.get(d.task, ""), d.labels))
        rest = not_among(not_among(theirs, d.printed), d.summaries, True)
        lost = not_among(rest, d.of_r)
        other = min(len(lost), max(sum(map(differs, d.rows)), len(lost) - len(not_among(lost, d.unlike))))
        found.update(numbers=len(theirs), computed=len(theirs) - len(rest), of_r=len(rest) - len(lost))
        found.update(differ=other, not_in_python=len(lost) - other)
    return {key: found[key] for key in ("numbers", "not_in_python", "computed", "of_r", "differ")}


def lost_in_words(captured: Captured, done: Sequence[Done]) -> tuple[str, bool]:
    """The same in a sentence, and whether it comes first: where Python computes less than half; "" if it computes all."""
    n = printed_by_r(captured, done)
    constants = "are R's values of that run written as constants, or computed with them"
    words = {"of_r": constants, "differ": "differ", "not_in_python": "not in Python"}
    parts = [f"{n[key]:,} {word}" for key, word in words.items() if n[key]]
    said = f"R printed {plural(n['numbers'], 'number')} of models: {n['computed']:,} computed by Python and agree"
    return (", ".join([said, *parts]), 2 * n["computed"] < n["numbers"]) if parts else ("", False)


def closing(captured: Captured, written: Sequence[str]) -> list[str]:
    """How R ended, what was not recorded, and the files."""
    said = [captured.message] if captured.message else []
    said += [*not_recorded(captured), *changed(captured)]
    return [*said, f"wrote {', '.join(written)}"] if written else said


def not_recorded(captured: Captured) -> list[str]:
    """How many calls could not be recorded, and why one of them; [] if all were."""
    why = " ".join(captured.why_lost.split())
    return [f"{plural(captured.lost, 'call')} could not be recorded: {why}"] if captured.lost else []


def changed(captured: Captured) -> list[str]:
    """The fits that the script changed itself, of which R then shows other numbers."""
    said = "is no longer the result of the fitting function, because the script changed its numbers; what R prints of it after that was not compared, and the Python script shows the fit"
    return [f"{place}: {name} {said}" for name, place in captured.changed]


def of_site(site: Site, name: str = "", called: int = 0) -> tuple[str, str, str, str]:
    """(where, R, Python, what came of it); `called`: the line that ran, of a call within a function."""
    n, step = len(site.steps), site.first
    r = f"{written_as(step.call)}(...)" + (f" x {n}" if n > 1 else "")
    where = str(site.place) + (f" of {site.place.file}" if site.place.file not in ("", name) else "")
    where += f", from {called}" if called else ""
    via = f"through {step.call.via}" if step.by_package else "not kept (too many calls)"
    without = {
        "failed": ("", f"R gave an error: {_short(step.call.error)}"),
        "counted": ("", f"{via}: counted, not translated"),
        "outside": ("-> left out", _short(step.translation.reason)),
        "refused": (f"-> {step.translation.shown}", f"refused by Python: {_short(step.refused)}"),
    }
    if step.state in without:
        return where, r, *without[step.state]
    words = {"counted": "not kept (too many calls), and not compared"}
    rest = [f"{k:,} {words.get(state, state)}" for state, k in site.states.items() if state != step.state]
    said = "stays in R, through pairproof.bridge; " if step.state == "bridge" else ""
    said += "; ".join([in_words(site.steps), *([", ".join(rest)] if rest else [])])
    return where, r, f"-> {step.translation.shown}", said


def written_as(call: RecordedCall) -> str:
    """The function as the script writes it, "anova" of BradleyTerry2::anova.BTm; else its own name."""
    head = call.text.partition("(")[0].strip()
    return head.rpartition(":")[2] if _PLAIN.match(head) else call.name


def in_words(steps: Sequence[Step]) -> str:
    """The same of calls, those that stay in R apart."""
    own, theirs = of_python(steps), of_r(steps)
    said = [f"{plural(len(theirs), 'number')} of R's own"] if theirs else []
    return "; ".join([*said, *([numbers_in_words(own)] if own or not said else [])])


def numbers_in_words(rows: tuple[Agreement, ...]) -> str:
    """How many numbers agree, with how many digits at least, and what is to be said of the others."""
    found = counts(rows)
    if not found["numbers"]:
        return "no numbers to compare"
    least, parts = fewest(rows), []
    if least is not None:
        one = found["agree"] == 1
        agree = "1 number agrees, to" if one else f"{found['agree']} numbers agree, to at least"
        parts.append(f"{agree} {digits(least.digits)} digits ({least.quantity}{_why(least)})")
    if found["explained"]:
        first = next(a for a in rows if a.verdict == "explained" or a.accepted)
        parts.append(f"{found['explained']} explained ({_short(first.explanation)}); see the report")
    if found["differ"]:
        worst = min(filter(differs, rows), key=lambda a: -1.0 if a.digits is None else a.digits)
        both = f"{worst.native!r}, R {worst.r!r} ({_short(worst.explanation)})"
        parts.append(f"{found['differ']} DIFFER, first {worst.quantity}: {both}")
    parts += [f"{found[key]} {word}" for key, word in NEITHER.items() if found[key]]
    return "; ".join(parts)


def _why(a: Agreement) -> str:
    """R's floor in words, where few digits agree."""
    if a.digits is None or a.digits >= FEW or not a.r_call:
        return ""
    try:
        why = floor(str(a.quantity), a.r_call).why
    except InputError:  # an entry of a table has no floor in the file
        return ""
    name, stops = re.split(r"[,(]", a.r_call.partition("::")[2])[0], _TO.search(why)
    if name and stops:
        return f"; {name} stops at {stops[1]}"
    return f"; {_short(re.split('[,;]', why)[0], 45)}"


def _short(text: str, most: int = REASON) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def _expression(d: Done) -> dict[str, Any]:
    said = {"line": d.place.line or None, "r": d.text, "state": d.state}
    return {**said, "reason": d.why or None, "value": d.value or None, **counts(d.rows)}


def site_as_json(site: Site) -> dict[str, Any]:
    """A call of the script."""
    step, least = site.first, fewest(site.rows)
    return {
        "line": site.place.line or None,
        "last_line": site.place.last or None,
        "sure": site.place.sure,
        "file": site.place.file or None,
        "function": site.function,
        "r_call": step.call.text,
        "variable": step.call.variable or None,
        "evaluated": len(site.steps),
        "ids": [s.call.id for s in site.steps],
        "state": step.state,
        "states": site.states,
        "python": step.translation.shown or None,
        "reason": step.call.error or step.refused or step.translation.reason or None,
        "notes": list(step.translation.notes),
        "not_compared": list(dict.fromkeys(n for s in site.steps for n in s.not_compared)),
        "r_warnings": [message for message, _ in step.call.warnings],
        "python_warnings": list(step.said),
        **counts(site.rows),
        "agree": counts(of_python(site.steps))["agree"],
        "of_r": len(of_r(site.steps)),
        "fewest_digits": None if least is None else finite(least.digits),
        "fewest_in": None if least is None else str(least.quantity),
    }


def finite(value: float | None) -> float | None:
    """A number as JSON has it."""
    return None if value is None or not math.isfinite(value) else float(value)


@dataclass(frozen=True, eq=False)
class Migration:
    """A migrated R script: what R did, what Python does, and each number of both.

    captured: the run of the script.  steps: a recorded call each, in the order in which they ended in R.
    left_out: calls of fitting functions outside this field, which stand in the script's text.  done: what became of
    each top-level expression.  written: files, relative to the current folder or as given; () with `check`.  ran_seconds: how long the Python
    script took by itself; None if it was not written, or needs R.  seconds: all in all.
    """

    captured: Captured
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...] = ()
    done: tuple[Done, ...] = ()
    written: tuple[str, ...] = field(default=())
    ran_seconds: float | None = None
    seconds: float = 0.0

    @property
    def sites(self) -> tuple[Site, ...]:
        """The call sites, in the order of the script."""
        return sites_of(self.steps)

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """All rows."""
        own = (row for d in self.done for row in d.rows)
        return (*(row for step in self.steps for row in step.rows), *own)

    @property
    def compared(self) -> tuple[Agreement, ...]:
        """The rows in which Python's numbers stand beside R's: all but those of calls that stay in R."""
        return (*of_python(self.steps), *(row for d in self.done for row in d.rows))

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a number differs unexplained; 2 if R, a record or Python fell short of the script; else 0."""
        if any(map(differs, self.agreements)):
            return 1
        stopped = self.captured.ending in ("error", "time", "killed")
        refused = any(step.state == "refused" for step in self.steps)
        not_run = any(a.verdict == "not-run" and not a.accepted for a in self.agreements)
        unknown = any(s.first.state == "counted" and not s.first.by_package for s in self.sites)
        left = refused or not_run or unknown
        return 2 if stopped or self.captured.lost or self.captured.changed or left else 0

    def __repr__(self) -> str:
        n, calls = counts(self.compared), f"{len(self.sites)} calls in its text"
        found = f"{n['numbers']:,} numbers, {n['agree']:,} agree, {n['differ']:,} differ"
        return f"<Migration of {self.captured.text.name}: {calls}, {found}>"

    def __str__(self) -> str:
        return "\n".join(lines(self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of `pairproof migrate --json`; a number that is not finite is None."""
        captured, done = self.captured, self.done
        of_run = "r_version platform ending message exit_code sandboxed lost why_lost".split()
        numbers = [
            {**a.to_dict(), "call": s.call.id, "line": s.call.place.line} for s in self.steps for a in s.rows
        ]
        numbers += [{**a.to_dict(), "call": None, "line": d.place.line} for d in done for a in d.rows]
        return {
            "script": captured.text.name,
            "kind": captured.text.kind,
            "lines": len(captured.text.lines),
            **{name: getattr(captured, name) for name in of_run},
            "packages": dict(captured.packages),
            "r_seconds": round(captured.seconds, 3),
            "changed": [{"variable": name, "line": place.line} for name, place in captured.changed],
            "calls": [site_as_json(site) for site in self.sites],
            "left_out": [left.to_dict() for left in self.left_out],
            "expressions": [_expression(d) for d in done],
            "printed_by_r": printed_by_r(captured, done),
            "summary": summary(self.agreements),
            "agreements": numbers,
            "exit_code": self.exit_code,
            "r_exit_code": captured.exit_code,
            "seconds": round(self.seconds, 3),
            "python_seconds": self.ran_seconds,
            "written": list(self.written),
        }
