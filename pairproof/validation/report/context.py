"""What a report says beside its agreements: versions, how R was reached, the story, and what is drawn.

Versions are of pairproof, Python, R and its packages, with those that are absent.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...report.blocks import Cell, Figure, Table
from ...text import named
from ..claims.quantities import kind_of
from ..verdicts.agreement import COLUMNS_NOT_READ, R_STOPPED, Agreement, summary
from ..verdicts.digits import CERTIFIED, floor, worst
from .findings import attention, headline, name_of, printed_numbers

if TYPE_CHECKING:
    from ...bridge.process.policy import Backend
    from ...bridge.process.session import RSession


#: R packages whose functions are held against native fits.
ASKED = ("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")


def further_packages(r_calls: Iterable[str | None]) -> tuple[str, ...]:
    """R packages beyond `ASKED` that these calls name, "sandwich" of "sandwich::vcovCL"."""
    from ...bridge.process.process import PACKAGES

    named = {call.partition("::")[0] for call in r_calls if call}
    return tuple(package for package in PACKAGES if package in named and package not in ASKED)


def absences(backend: Backend, further: Sequence[str] = ()) -> dict[str, str]:
    """What should answer live and is not installed: "R" or an R package, with the reason and the cure.

    `further` are packages beyond `ASKED` that were asked too.
    """
    if backend.mode in ("recorded", "none"):
        return {}
    session = _session(backend)
    without_r = session.missing()
    if without_r is not None:
        return {"R": " ".join(without_r.split())}
    found = {package: session.missing((package,)) for package in (*ASKED, *further)}
    return {package: why for package, why in found.items() if why is not None}


def versions(backend: Backend, further: Sequence[str] = ()) -> dict[str, str | None]:
    """Versions of pairproof, Python and numpy, and of R and its packages: those that run, else those recorded."""
    import numpy

    import pairproof

    from ...errors import RUnavailable

    own = {"pairproof": pairproof.__version__, "Python": platform.python_version()}
    own["numpy"] = numpy.__version__
    if backend.mode == "none":
        return {**own}
    asked = ("R", *ASKED, *further)
    recorded = _recorded(backend, asked)
    if backend.mode == "recorded":
        return {**own, **recorded}
    try:
        info = _session(backend).info()
    except RUnavailable:
        return {**own, **recorded}
    live = {**info.packages, "R": info.r_version}
    return {**own, **{name: live.get(name) or recorded.get(name) for name in asked}}


def _recorded(backend: Backend, asked: Sequence[str]) -> dict[str, str | None]:
    """Versions of R and its packages in the records; if records differ, all of them."""
    seen: dict[str, dict[str, None]] = {}
    for session in backend.records.sessions():
        for name, version in {**session.packages, "R": session.r_version}.items():
            if version is not None:
                seen.setdefault(name, {}).setdefault(version)
    return {name: f"{' and '.join(seen[name])} (recorded)" for name in asked if name in seen}


def _session(backend: Backend) -> RSession:
    from ...bridge.process.session import session

    return session() if backend.live is None else backend.live


@dataclass(frozen=True)
class Story:
    """A section in words; then its table, then figures in HTML, their captions and descriptions elsewhere."""

    title: str
    paragraphs: tuple[str, ...]
    table: Table | None = None
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class ReportContext:
    """Everything a report says that is not an agreement."""

    title: str = "Agreement with R"
    subtitle: str = ""
    command: str = ""
    made: str = ""
    versions: Mapping[str, str | None] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    first_lines: tuple[str, ...] = ()
    story: tuple[Story, ...] = ()
    worths: tuple[Figure, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)


# -- sentences that every report begins with -----------------------------------------------------------------


#: Verdicts that are verbs, of several numbers.
_SEVERAL = {"agrees": "agree", "differs": "differ"}


def counts_sentence(agreements: Sequence[Agreement], what: str = "comparisons") -> str:
    """ "12 comparisons: 10 agree, 2 explained; 2 accepted by a person"."""
    counts = summary(agreements)
    accepted = sum(a.accepted for a in agreements)
    parts = [f"{n} {(v if n == 1 else _SEVERAL.get(v, v)).replace('-', ' ')}" for v, n in counts.items()]
    tail = f"; {accepted} accepted by a person" if accepted else ""
    return f"{len(agreements)} {what}: {', '.join(parts) or 'nothing was checked'}{tail}"


def opening(agreements: Sequence[Agreement], context: ReportContext) -> list[str]:
    """The first lines of a report: what is reproduced and what is not, then how R was asked."""
    said = [*results(agreements), *r_lines(agreements, context), *context.first_lines]
    return [*said, *how_made(context, of_papers=True)]


def results(agreements: Sequence[Agreement]) -> list[str]:
    """What is reproduced and what is not, and what else needs attention."""
    beside_r = [a for a in agreements if a.about == "native-r"]
    lines = list(headline(agreements)) or [counts_sentence(agreements)]
    if beside_r and len(beside_r) < len(agreements):
        lines.append(counts_sentence(beside_r, "further comparisons with R and 50-digit values"))
    open_ = [a for rows in attention(agreements) for a in rows]
    ran = "" if all(a.verdict != "not-run" for a in agreements) else " that ran"
    compared = any(a.verdict not in ("not-run", "not-checkable") for a in agreements)
    if not open_ and not any(a.code == COLUMNS_NOT_READ for a in agreements):
        lines.append(f"Nothing{ran} needs attention." if compared else "Nothing was compared.")
    # What is printed or stated has been named in the first sentences.
    beside = [name_of(a, agreements) for a in open_ if a.about in ("native-r", "printed") and not a.printed]
    if beside:
        n, what = len(beside), " comparisons with R" if printed_numbers(agreements) else ""
        lines.append(f"{n}{what} need{'s' * (n == 1)} attention: {named(beside, 6)}")
    return lines + short_lines(agreements)


def how_made(context: ReportContext, of_papers: bool) -> list[str]:
    """Versions, and of a fit, whose first lines are not about papers, how R was asked."""
    lines = [] if of_papers else list(context.first_lines)
    if context.versions:
        known = (f"{n} {'(absent)' if v is None else v}" for n, v in context.versions.items())
        lines.append(f"Versions: {', '.join(known)}")
    return lines


def short_lines(agreements: Sequence[Agreement]) -> list[str]:
    """The R calls whose numbers cannot serve as a check: they stopped early, or drew too few random points."""
    calls: dict[tuple[str, bool], list[Agreement]] = {}
    for a in agreements:
        if not a.r_arrived:
            calls.setdefault((a.r_call or "R", a.code == "monte-carlo"), []).append(a)
    lines = []
    for (call, drawn), rows in calls.items():
        if drawn:
            lines.append(f"{call} draws too few random points to check {len(rows)} of native's numbers")
            continue
        wrong = [a for a in rows if a.code == "r-is-wrong"]
        if wrong:
            lines.append(f"{wrong[0].explanation}: its numbers cannot check {len(wrong)} of native's")
            rows = [a for a in rows if a.code != "r-is-wrong"]
            if not rows:
                continue
        said = {a.code for a in rows if a.code in R_STOPPED} == {"r-not-converged"}
        least = worst({a.quantity: a.digits for a in rows if a.digits is not None})
        digits = "" if least is None else f", at least {int(least.digits * 10) / 10:.1f} digits"
        stop = "did not converge" if said else "stopped before the maximum"
        lines.append(f"{call} {stop}: its numbers cannot check {len(rows)} of native's{digits}")
    absent = Counter(a.r_call or "R" for a in agreements if a.code == "r-has-no-value")
    lines += [f"{call} gives no value (NA) for {n} of native's numbers" for call, n in absent.items()]
    return lines


def r_lines(agreements: Sequence[Agreement], context: ReportContext) -> list[str]:
    """How many numbers R gave live and from records, and which packages are absent."""
    numbers = [a.r_source for a in agreements if a.r is not None]
    live, recorded = numbers.count("live"), numbers.count("recorded")
    not_run = sum(a.verdict == "not-run" for a in agreements)
    lines = []
    for package, why in context.absent.items():
        from_records = (a.r_call or "" for a in agreements if a.r_source == "recorded")
        used = any(package == "R" or package in call for call in from_records)
        what = "its recorded results are used" if used else "checks that need it did not run"
        reason, _, cure = (part.strip() for part in why.partition("cure:"))
        lines.append(f"{package} is not available: {what}" + (f" ({reason})" if reason else ""))
        lines += [f"To fix this: {cure}"] if cure else []
    gave = [
        f"{n} number{'s' * (n > 1)} {how}" for n, how in ((live, "live"), (recorded, "from records")) if n
    ]
    if context.absent and not gave:
        return lines
    was = "gave no number" if any(a.r_call for a in agreements) else "was not asked"
    asked = f"R gave {' and '.join(gave)}" if gave else f"R {was}: no number was compared with R"
    without = f"; {not_run} check{'s' * (not_run > 1)} did not run" if not_run else ""
    return [*lines, f"{asked}{without}."]


@dataclass(frozen=True)
class DigitsRow:
    """Digits of one kind of quantity from one R call (or of 50-digit values), with one floor."""

    source: str
    kind: str
    r_source: str
    n: int
    least: float
    least_at: str
    floor: float
    digits: tuple[float, ...]
    enough: bool

    @property
    def name(self) -> str:
        """The source, and of R's whether it was live or recorded."""
        return self.source if self.r_source == CERTIFIED else f"{self.source} ({self.r_source})"

    @property
    def cells(self) -> tuple[str, str, Cell]:
        """Fewest digits, floor, and where, marked if they are too few."""
        at = Cell(self.least_at) if self.enough else Cell(f"{self.least_at}  TOO FEW", "!", "bad")
        return f"{int(self.least * 10) / 10:.1f}", f"{self.floor:g}", at


def digits_rows(agreements: Sequence[Agreement]) -> list[DigitsRow]:
    """Fewest digits by source, kind of quantity and floor, in the order of first appearance, 50-digit values last;
    never averaged, and no number beside the floor of another.
    """
    groups: dict[tuple[str, str, str, float], dict[str, tuple[float, bool]]] = {}
    for a in agreements:
        name, kind = f"{a.claim} {a.quantity}".strip(), kind_of(a.quantity)
        if a.r is not None and a.r_call and a.digits is not None and a.floor is not None and a.r_arrived:
            of_r = groups.setdefault((a.r_call, kind, a.r_source or "", a.floor), {})
            of_r[name] = a.digits, a.passes
        if a.certified is not None and a.certified_digits is not None:
            known = a.certified_floor
            least_asked = floor(a.quantity, CERTIFIED).digits if known is None else known
            exact = groups.setdefault((CERTIFIED, kind, CERTIFIED, least_asked), {})
            exact[name] = a.certified_digits, a.passes
    rows = []
    for (source, kind, how, asked), members in groups.items():
        least = worst({name: d for name, (d, _) in members.items()})
        assert least is not None
        name, digits = "50-digit values" if source == CERTIFIED else source, [d for d, _ in members.values()]
        enough = all(d >= asked or passes for d, passes in members.values())
        at = (len(members), least.digits, least.quantity)
        rows.append(DigitsRow(name, kind, how, *at, asked, tuple(digits), enough))
    return sorted(rows, key=lambda r: r.r_source == CERTIFIED)
