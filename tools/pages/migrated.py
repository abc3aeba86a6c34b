"""The examples of help pages that `pairproof migrate` translates: R as it runs them, the Python that it writes,
every number by both.

The R code is the packages' own, made into scripts by `migrate_pages.R`, and that of `more/`, which has what the
help pages describe and do not run.  Each script is migrated, and a second time with R's functions carried on to
their fixed point (`late.R`) where a package's can be.  What is kept (`migrated.json`) are the calls and numbers,
from which the pages are made on machines without R:

    python -m tools.pages.migrated [GROUP ...]     # some ten minutes
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

import click

import pairproof
from pairproof.migration.outcome import Migration, differs, written_as
from pairproof.migration.report_page import python_lines, r_lines
from pairproof.migration.translate.python_code import identifier
from pairproof.migration.translate.translation import Step
from pairproof.validation.verdicts.agreement import AGREEING
from pairproof.validation.verdicts.digits import digits_of_agreement

from .migrate_runs import SECONDS, Script, make_pages, scripts, versions_here
from .tables import block, columns, example, markdown, sentence, shown

HERE = Path(__file__).parent
KEPT = HERE / "migrated.json"
LATE = HERE / "late.R"
#: Packages, and whether R is taken further; nlm's numeric Hessians, which prefmod's standard errors are of,
#: cannot be.
GROUPS = {"BradleyTerry2": True, "psychotools": True, "prefmod": False}
#: Rows of a table on a page; of longer ones the first are shown, and what the others share is said.
SHOWN = 40
#: Below this a number is 0 but for rounding.
NOTHING = 1e-14
#: Above the exact values.
EXACT = "25-digit value"
#: Digits of an R function that stops short wherever it may go on.  Observed 6.5; 5.6 as it stops.
ROUGH = {"gnm::gnm": 5.3}
#: R warns of half wins whenever they occur.
HALVES = "non-integer"

#: What differs between explanations of the same kind.
STOPPED = re.compile(r"R gives \S+, which rests")
#: An earlier value, by the number of its call.
RESULT = re.compile(r"\bresult_(\d+)\b")

Number = Optional[float]
Exact = Mapping[str, str]


@dataclass(frozen=True)
class Call:
    """A call of a script, as R has it and as migrate writes it, with their numbers in the order of `quantities`."""

    group: str
    #: The help pages that have it; "" for `more/`.
    pages: tuple[str, ...]
    #: The variable that holds its value, else the R function.
    name: str
    function: str
    r: str
    python: str = ""
    #: Notes of the translation, and warnings of both.
    said: tuple[str, ...] = ()
    #: Quantity -> why it differs, or is not compared; "" -> why a call stays in R.
    why: Mapping[str, str] = field(default_factory=dict)
    quantities: tuple[str, ...] = ()
    default: tuple[Number, ...] = ()
    further: tuple[Number, ...] = ()
    own: tuple[Number, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """A row a quantity; an estimate that is 0 but for rounding is measured by its standard error."""
        further = self.further or self.default
        se = {
            f"estimate.{q.removeprefix('se.')}": r
            for q, r in zip(self.quantities, self.default)
            if "se." in q
        }
        return [
            Row.of(q, r, late, own, se.get(q) or 0.0)
            for q, r, late, own in zip(self.quantities, self.default, further, self.own)
        ]


@dataclass(frozen=True)
class Row:
    """A quantity: R's number as it stops and taken further, ours, the digits that ours shares with each."""

    quantity: str
    default: Number
    further: Number
    own: Number
    digits_default: float | None
    digits: float | None

    @classmethod
    def of(cls, quantity: str, default: Number, further: Number, own: Number, se: float) -> Row:
        """With its digits."""
        return cls(quantity, default, further, own, agreed(own, default, se), agreed(own, further, se))


def agreed(own: Number, r: Number, se: float) -> float | None:
    """Digits shared: of the larger of R's number and its standard error, or absolute where the number is 0."""
    if own is None or r is None or not (math.isfinite(own) and math.isfinite(r)):
        return None
    if abs(own) < NOTHING:
        return 16.0 if abs(r) < NOTHING else -math.log10(abs(r - own))
    return float(digits_of_agreement(own, r, se if math.isfinite(se) else 0.0))


# -- running the scripts -------------------------------------------------------------------------------------


def scripts_of(group: str, made: Path) -> Iterator[Script]:
    """Those of the help pages, then those of `more/`."""
    yield from (s for s in scripts(made) if s.group == group)
    yield from (Script(group, "", path) for path in sorted((HERE / "more").glob(f"{group}*.R")))


def migrated(script: Script, late: bool = False) -> Migration:
    """A script, migrated; nothing is written."""
    with tempfile.TemporaryDirectory(prefix="pairproof-migrated-") as folder:
        home = Path(folder)
        text = script.path.read_text(encoding="utf-8")
        if late:
            shutil.copy(LATE, home / LATE.name)
            text = f'source("{LATE.name}"); {text}'
        (home / "analysis.R").write_text(text, encoding="utf-8")
        return pairproof.migrate(home / "analysis.R", check=True, seconds=SECONDS)


def calls_of(script: Script) -> list[Call]:
    """The calls of a script that have numbers, and those that stay in R."""
    found = migrated(script)
    further = GROUPS[script.group] and not script.path.stem.endswith("as_it_stops")
    later = migrated(script, late=True).steps if further else ()
    variables = {step.call.id: identifier(step.call.variable) for step in found.steps}

    def named(match: re.Match[str]) -> str:
        return variables[int(match[1])] or match[0]

    calls = []
    for k, step in enumerate(found.steps):
        if step.state == "refused":
            raise ValueError(f"{script.group} {script.name}: {step.call.text}: {step.refused}")
        if step.by_package or step.state not in ("native", "bridge", "outside"):
            continue
        call = Call(
            script.group,
            (script.name,),
            step.call.variable or written_as(step.call),
            step.call.function,
            r_lines(step.call, found.captured.text),
        )
        if step.state != "native":
            calls.append(replace(call, why={"": step.translation.reason}))
        elif step.rows:
            calls.append(_with_numbers(call, step, later[k] if later else None))
            calls[-1] = replace(calls[-1], python=RESULT.sub(named, calls[-1].python))
    return calls


def _with_numbers(call: Call, step: Step, later: Step | None) -> Call:
    quantities = tuple(str(a.quantity) for a in step.rows)
    further = () if later is None else {str(a.quantity): _number(a.r) for a in later.rows}
    if further and set(further) != set(quantities):
        raise ValueError(f"{call.r}: other numbers when taken further: {set(further) ^ set(quantities)}")
    warned = (m for m, _ in step.call.warnings if HALVES not in m)
    said = [
        *step.translation.notes,
        *(f"R also gave its {', '.join(step.not_compared)}: not compared" for _ in step.not_compared[:1]),
        *(f"R warns: “{' '.join(m.split())}”" for m in dict.fromkeys(warned)),
        *(f"pairproof warns: “{' '.join(m.split())}”" for m in step.said),
    ]
    return replace(
        call,
        python=python_lines(step),
        said=tuple(said),
        why={
            str(a.quantity): a.explanation or str(a.verdict)
            for a in step.rows
            if a.verdict not in AGREEING or differs(a)
        },
        quantities=quantities,
        default=tuple(_number(a.r) for a in step.rows),
        further=tuple(further[q] for q in quantities) if further else (),
        own=tuple(_number(a.native) for a in step.rows),
    )


def _number(value: Any) -> Number:
    return None if value is None else float(value)


def run(group: str, names: Sequence[str] | None = None) -> list[Call]:
    """The different calls of a group's scripts (default: of all), each with the pages that have it."""
    found: dict[object, Call] = {}
    with tempfile.TemporaryDirectory(prefix="pairproof-pages-") as folder:
        made = make_pages(Path(folder))
        assert made is not None, "R runs the scripts"
        for script in scripts_of(group, made):
            if names is not None and script.name not in names:
                continue
            for call in calls_of(script):
                click.echo(f"{group} {script.name}: {call.name}, {len(call.quantities)} numbers", err=True)
                key = _same(call)
                if key in found:
                    pages = dict.fromkeys(filter(None, (*found[key].pages, *call.pages)))
                    call = replace(found[key], pages=tuple(pages) or ("",))
                found[key] = call
    return list(found.values())


def _same(call: Call) -> object:
    """What two calls share that are the same: their numbers by R; where there are none, their text."""
    if not call.quantities:
        return call.r
    numbers = tuple(None if v is None else f"{v:.8g}" for v in call.default)
    return call.function, call.quantities, numbers


# -- what is kept --------------------------------------------------------------------------------------------


def keep(calls: Iterable[Call]) -> None:
    """Write them, a field a line."""
    parts = []
    for call in calls:
        fields = {k: v for k, v in asdict(call).items() if v}
        for name in ("default", "further", "own"):
            if name in fields:
                fields[name] = [v if v is None or math.isfinite(v) else str(v) for v in fields[name]]
        lines = (f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items())
        parts.append(" {\n" + ",\n".join(lines) + "\n }")
    versions = json.dumps(versions_here())
    text = f'{{"versions": {versions}, "calls": [\n' + ",\n".join(parts) + "\n]}\n"
    KEPT.write_text(text, encoding="utf-8")


def _document() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def kept() -> tuple[Call, ...]:
    """All calls that are kept."""
    found = []
    for fields in _document()["calls"] if KEPT.is_file() else ():
        for name in ("default", "further", "own"):
            fields[name] = tuple(_number(v) for v in fields.get(name, ()))
        for name in ("pages", "said", "quantities"):
            fields[name] = tuple(fields.get(name, ()))
        found.append(Call(**fields))
    return tuple(found)


def of_group(group: str, more: bool | None = None) -> list[Call]:
    """The calls with numbers of a package, page by page: all, or those that are (not) in `more/` alone."""
    calls = (c for c in kept() if c.group == group and c.quantities)
    found = [c for c in calls if more is None or more == (c.pages == ("",))]
    return sorted(found, key=lambda c: next((p.lower() for p in c.pages if p), "~"))


# -- the pages -----------------------------------------------------------------------------------------------


def cell(value: Number) -> str:
    """A number in 12 digits; what is 0 but for rounding as 0, nothing where there is none."""
    if value is None:
        return ""
    if math.isnan(value):
        return "NA"
    return "infinite" if math.isinf(value) else f"{0.0 if abs(value) < 1e-13 else value:.12g}"


def table(
    rows: Sequence[Row],
    again: bool,
    exact: Exact,
    apart: Container[str] = (),
    printed: Exact = {},
    head: str = EXACT,
) -> str:
    """Rows, and what is said of those that are left out.

    `again`: R is taken further; `apart`: quantities that differ; `head`: of the exact values.
    """
    first, more = (rows, []) if len(rows) <= SHOWN else (rows[: SHOWN // 2], rows[SHOWN // 2 :])
    late = first if again else []
    text = columns(
        ("quantity", [row.quantity.replace("|", "\\|") for row in first]),
        ("printed", [printed[row.quantity] for row in first if printed]),
        ("R", [cell(row.default) for row in first]),
        ("R, taken further", [cell(row.further) for row in late]),
        ("pairproof", [cell(row.own) for row in first]),
        ("digits", [shown(row.digits_default) for row in first]),
        ("taken further", [shown(row.digits) for row in late]),
        (head, [exact.get(row.quantity, "")[:24] for row in first if exact]),
    )
    compared = [row for row in more if row.digits is not None and row.quantity not in apart]
    if compared:
        least = shown(min(row.digits for row in compared if row.digits is not None))
        stops = shown(min(row.digits_default for row in compared if row.digits_default is not None))
        last = f"{least} digits with R taken further, {stops} as it stops" if again else f"{stops} digits"
        text += f"\n{len(more)} more rows; the {len(compared)} that both have share at least {last}.\n"
    return text


def section(c: Call, exact: Exact = {}, more: str = "") -> str:
    """A call: R, Python, what to know, and the table."""
    pages = ", ".join(p for p in c.pages if p) or "on no help page"
    head = EXACT
    if c.group == "prefmod":
        head, exact = "50-digit value, its first 20", {q: value[:22] for q, value in exact.items()}
    said = " ".join(f"{s.rstrip('.')}." for s in c.said) + ("\n\n" if c.said else "") + more
    by_reason: dict[str, list[str]] = {}
    for quantity, why in c.why.items():
        by_reason.setdefault(STOPPED.sub("what R gives rests", why), []).append(quantity)
    for why, of in by_reason.items():
        names = ", ".join(f"`{q}`" for q in of[:6]) + (f" and {len(of) - 6} more" if len(of) > 6 else "")
        said += sentence(f"{names}: {why.rstrip('.')}")
    return f"{example(f'{pages}: `{c.name}`', c.r, c.python)}\n{said}{table(c.rows, bool(c.further), exact, c.why, head=head)}"


def sections(calls: Iterable[Call], exact: Callable[[Call], Exact], notes: Mapping[str, str]) -> str:
    """All of them; `notes`: R function, or page and name -> what is said of the call."""
    parts = []
    for c in calls:
        keys = (c.function, *(f"{page}: {c.name}" for page in c.pages))
        parts.append(section(c, exact(c), "".join(sentence(notes.get(key, "")) for key in keys)))
    return block(parts)


def listed(calls: Iterable[Call]) -> str:
    """A line a call: R's function, what it became, and how its numbers agree.  Calls that stay in R are left out."""
    lines = []
    for c in calls:
        if c.quantities:
            pages = ", ".join(p for p in c.pages if p) or "none"
            lines.append((pages, f"`{c.name}`", f"`{c.function}`", _became(c), *counted(c.rows, c.why)))
    heads = ("help pages", "value", "R", "pairproof", "numbers", "explained", "digits", "fewest at")
    return "\n" + markdown(heads, lines, right=4) + "\n"


def _became(c: Call) -> str:
    found = re.findall(r"\.(\w+)\(", c.python)
    known = [f for f in found if not f.startswith("read") and f != "build"]
    return f"`{(known or found or [c.python.split('(')[0]])[-1]}`"


def counted(rows: Sequence[Row], why: Container[str] = ()) -> tuple[str, ...]:
    """How many numbers, how many are explained, and the fewest digits of the others, with R taken further."""
    plain = [(row.digits, row.quantity) for row in rows if row.digits is not None and row.quantity not in why]
    apart = sum(row.quantity in why for row in rows)
    digits, at = min(plain) if plain else (None, "")
    # Above 12 digits the place changes with the machine's rounding, and says nothing.
    at = "" if digits is None or digits >= 12 else f"`{at}`".replace("|", "\\|")
    return str(len(rows)), str(apart or ""), shown(digits), at


def in_r(group: str) -> str:
    """The calls that stay in R, and why; and what the scripts were run with."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for c in kept():
        if c.group == group and not c.quantities:
            found.setdefault((f"`{c.function}`", c.why[""]), {}).update(dict.fromkeys(c.pages))
    lines = [(r, ", ".join(filter(None, pages)) or "none", why) for (r, why), pages in found.items()]
    known = ", ".join(f"{name} {version}" for name, version in _document()["versions"].items() if version)
    return f"\n{markdown(('R', 'help pages', 'why it stays in R'), lines, right=3)}\nWith {known}.\n\n"


def unexplained(c: Call, enough: float) -> list[str]:
    """Quantities in fewer digits than `enough`, or without a number of ours, for which nothing is said."""
    least = min(enough, ROUGH.get(c.function, enough))
    apart = (row for row in c.rows if row.quantity not in c.why)
    return [row.quantity for row in apart if row.digits is None or row.digits < least]


@click.command()
@click.argument("groups", nargs=-1, type=click.Choice(list(GROUPS)))
def main(groups: tuple[str, ...]) -> None:
    """Run the scripts of GROUPS (default: all), and keep what came of them in tools/pages/migrated.json."""
    old = kept()
    for group in GROUPS:
        new = run(group) if not groups or group in groups else None
        old = old if new is None else (*(c for c in old if c.group != group), *new)
    order = list(GROUPS)
    keep(sorted(old, key=lambda c: order.index(c.group)))


if __name__ == "__main__":
    main()
